/*
 * rules.c - applies --map, --include, --exclude and --root. The builder calls
 * it once for every file, whatever the format.
 */
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_format.h"
#include "graph/graph.h"
#include "graph/rules.h"

void
cg_rules_free(struct cg_rules *rules)
{
	free(rules->map);
	free(rules->pattern);
	free(rules->root);
	*rules = (struct cg_rules){ 0 };
}

bool
cg_rules_map(struct cg_rules *rules, struct cg_slice from, struct cg_slice to)
{
	if (!cg_grow(&rules->map, &rules->map_cap, rules->maps + 1,
		sizeof(*rules->map)))
		return false;
	/* "/src/" and "/src" are the same directory. */
	while (from.len > 1 && from.ptr[from.len - 1] == '/')
		from.len--;
	while (to.len > 1 && to.ptr[to.len - 1] == '/')
		to.len--;
	rules->map[rules->maps++] = (struct cg_path_map){ from, to };
	return true;
}

bool
cg_rules_add(struct cg_rules *rules, const char *pattern, bool keeps)
{
	if (!cg_grow(&rules->pattern, &rules->pattern_cap, rules->patterns + 1,
		sizeof(*rules->pattern)))
		return false;
	rules->pattern[rules->patterns++] =
	    (struct cg_path_pattern){ pattern, keeps };
	rules->includes += keeps;
	return true;
}

bool
cg_rules_add_root(struct cg_rules *rules, const char *directory)
{
	if (!cg_grow(&rules->root, &rules->root_cap, rules->roots + 1,
		sizeof(*rules->root)))
		return false;
	rules->root[rules->roots++] = cg_slice(directory);
	return true;
}

/*
 * True if path is the directory, or below it. The directory may end with a
 * slash, as "/" does.
 */
static bool
is_under(struct cg_slice path, struct cg_slice directory)
{
	if (path.len < directory.len ||
	    memcmp(path.ptr, directory.ptr, directory.len) != 0)
		return false;
	return path.len == directory.len || path.ptr[directory.len] == '/' ||
	       directory.ptr[directory.len - 1] == '/';
}

bool
cg_rules_path(const struct cg_rules *rules, struct cg_slice path, char **room,
    struct cg_slice *mapped)
{
	const struct cg_path_map *map = rules->map;
	struct cg_slice rest = path;
	size_t i = 0;

	*mapped = path;
	while (i < rules->maps && !is_under(path, map[i].from))
		i++;
	if (i == rules->maps)
		return true;
	rest.ptr += map[i].from.len;
	rest.len -= map[i].from.len;
	/* With no directory before it, the path must be relative. */
	while (map[i].to.len == 0 && rest.len > 0 && rest.ptr[0] == '/') {
		rest.ptr++;
		rest.len--;
	}
	*room = malloc(map[i].to.len + rest.len + 1);
	if (!*room)
		return false;
	memcpy(*room, map[i].to.ptr, map[i].to.len);
	memcpy(*room + map[i].to.len, rest.ptr, rest.len);
	*mapped = (struct cg_slice){ *room, map[i].to.len + rest.len };
	return true;
}

/*
 * True if path matches a pattern of fnmatch(). A pattern that begins neither
 * with "/" nor with "*" is also matched against the rest of path after each
 * "/".
 */
static bool
matches(const char *pattern, const char *path)
{
	if (fnmatch(pattern, path, 0) == 0)
		return true;
	if (pattern[0] == '/' || pattern[0] == '*')
		return false;
	for (; (path = strchr(path, '/')) != NULL;) {
		if (fnmatch(pattern, ++path, 0) == 0)
			return true;
	}
	return false;
}

/*
 * True if path is in a directory of --root, or none are given. Relative paths
 * are inside unless they begin with "..". Resolves any other ".." first,
 * unless the path is too long to be opened.
 */
static bool
is_inside(const struct cg_rules *rules, struct cg_slice path)
{
	char room[PATH_MAX + CG_JOIN_MORE];
	const struct cg_slice none = { "", 0 };

	if (rules->roots == 0)
		return true;
	if (path.len < PATH_MAX)
		path = (struct cg_slice){ room,
			(size_t)(cg_join_path(room, none, path) - room) };
	if (!cg_starts(path, "/"))
		return !is_under(path, cg_slice(".."));
	for (size_t i = 0; i < rules->roots; i++) {
		if (is_under(path, rules->root[i]))
			return true;
	}
	return false;
}

bool
cg_rules_keep(const struct cg_rules *rules, const char *path)
{
	bool kept = rules->includes == 0;

	if (!is_inside(rules, cg_slice(path)))
		return false;

	for (size_t i = 0; i < rules->patterns; i++) {
		const struct cg_path_pattern *pattern = &rules->pattern[i];

		if ((pattern->keeps && kept) || !matches(pattern->text, path))
			continue;
		if (!pattern->keeps)
			return false;
		kept = true;
	}
	return kept;
}
