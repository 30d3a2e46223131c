/*
 * patch.c - finds the lines that a unified diff adds or changes: with --patch,
 * coverage counts only these.
 *
 * Source: "Detailed Description of Unified Format" of GNU diffutils, and
 * git-diff(1), "Generating patch text with -p": prefixes of names, C-quoted
 * names, no headers of hunks for renames and binary files.
 *
 * A file of the graph is that of the patch whose name ends its path. If it has
 * no such one, but a relative path that ends one name in the patch only, it is
 * that one. Of several absolute paths that end so the one
 * in the working directory is meant, else the shortest: /p/src/a.c, and not
 * /p/old/src/a.c, for src/a.c. If two are the shortest, or if a path of the
 * graph ends several names, it is an error, as is a patch of which no file is
 * found: a limit of coverage would be met because nothing was counted.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgconv_parse.h"
#include "graph/excluded.h"
#include "graph/graph.h"
#include "job/job.h"

#define NAME_DEPTH 64 /* components of a path that are compared */
#define SHARED UINT32_MAX

struct changed {
	uint32_t file; /* of the patch, + 1 */
	uint32_t first, last;
	bool blank; /* these lines have no text */
};

struct patch_file {
	cg_str name;
	size_t begin, end; /* of changed, sorted */
	/* Of relative and absolute paths of the graph: */
	struct {
		size_t len; /* of the shortest; 0: there is none */
		size_t count;
		bool here;           /* that in the working directory */
		cg_file file, other; /* the first, another one */
	} best[2];
};

struct patch {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_strs names;
	struct cg_map by_name; /* name -> file + 1 */
	struct cg_map by_end;  /* end of a name -> file + 1, or SHARED */
	struct patch_file *file;
	size_t files, file_cap;
	struct changed *changed;
	size_t changes, change_cap;
	char *room; /* for a name without its quotes */
	size_t room_cap;
	char *plain; /* a line without its colours */
	size_t plain_cap;
	bool is_diff;
	char *old; /* name before "+++ ", if there is one */
	size_t old_cap;
	bool has_old;
	uint32_t current; /* file + 1 that hunks are of; or 0 */
	char cwd[PATH_MAX];
	uint32_t *match;      /* by file of the graph: file + 1 */
	struct cg_map shared; /* path that ends several names -> file of it */
	struct cg_strs kinds; /* of the graph's files: see kind_of() */
	size_t found, missing;
	uint32_t first_missing; /* file + 1 */
};

/* ---- Names --------------------------------------------------------------- */

/* The character of a C escape; 0: there is none. */
static char
plain_char(char letter)
{
	static const char letters[] = "abtnvfr\"\\",
			  plain[] = "\a\b\t\n\v\f\r\"\\";
	const char *at = letter ? strchr(letters, letter) : NULL;

	return at ? plain[at - letters] : '\0';
}

/* What follows a backslash: a letter, or three octal digits; 0: neither. */
static char
take_escape(struct cg_slice *text)
{
	unsigned value = 0;
	size_t n = 0;
	char c;

	while (n < 3 && n < text->len && text->ptr[n] >= '0' &&
	       text->ptr[n] <= '7')
		value = value * 8 + (unsigned)(text->ptr[n++] - '0');
	if (n == 3 && value < 256) {
		text->ptr += n;
		text->len -= n;
		return (char)value;
	}
	c = text->len > 0 ? plain_char(*text->ptr) : '\0';
	if (c != '\0')
		(void)cg_take_char(text, *text->ptr);
	return c;
}

/* Names with quotes are those that C would write so. */
static bool
unquote(struct patch *patch, struct cg_slice quoted, struct cg_slice *name)
{
	char *to, c;

	if (!cg_grow_raw(&patch->room, &patch->room_cap, quoted.len + 1, 1)) {
		(void)cg_nomem(patch->job);
		return false;
	}
	to = patch->room;
	while (quoted.len > 0 && *quoted.ptr != '"') {
		c = *quoted.ptr;
		(void)cg_take_char(&quoted, c);
		if (c == '\\')
			c = take_escape(&quoted);
		if (c == '\0')
			return cg_reject(patch->job,
			    "expected a file name in quotes, with "
			    "escapes of C");
		*to++ = c;
	}
	*name = (struct cg_slice){ patch->room, (size_t)(to - patch->room) };
	return true;
}

/* After "--- " or "+++ "; a time may follow a tab. */
static bool
take_name(struct patch *patch, struct cg_slice text, struct cg_slice *name)
{
	if (cg_take_char(&text, '"'))
		return unquote(patch, text, name);
	if (!cg_take_until(&text, '\t', name))
		*name = (struct cg_slice){ "", 0 };
	if (name->len > 0 && name->ptr[name->len - 1] == '\r')
		name->len--;
	return true;
}

/*
 * Drops the first directory of a new name if the old one differs only there: a/
 * and b/ of git, or two versions of a directory.
 */
static struct cg_slice
without_prefix(struct cg_slice name, struct cg_slice old)
{
	struct cg_slice rest = name, before = old, prefix, other;

	if (!cg_take_until(&rest, '/', &prefix) || rest.len == 0)
		return name;
	if (cg_equal(old, "/dev/null"))
		return prefix.len == 1 && strchr("bciow", *prefix.ptr) ? rest
								       : name;
	if (cg_take_until(&before, '/', &other) &&
	    cg_compare(rest, before) == 0 && cg_compare(prefix, other) != 0)
		return rest;
	return name;
}

/* Calls of this find all ends of a path, the path itself first. */
static bool
next_end(struct cg_slice *path, int *depth)
{
	struct cg_slice first;

	if ((*depth)++ == 0)
		return path->len > 0;
	return *depth <= NAME_DEPTH && cg_take_until(path, '/', &first) &&
	       path->len > 0;
}

/* Makes the ends of a name known. False: out of memory. */
static bool
add_ends(struct patch *patch, struct cg_slice name, uint32_t value)
{
	int depth = 0;

	while (next_end(&name, &depth)) {
		cg_str end = cg_strs_add(&patch->names, name);
		uint32_t *at =
		    end == CG_STR_NONE ? NULL : cg_map_at(&patch->by_end, end);

		if (!at)
			return false;
		*at = *at == 0 || *at == value ? value : SHARED;
	}
	return true;
}

/* The file of that name, which may be a new one; NULL: out of memory. */
static struct patch_file *
add_file(struct patch *patch, struct cg_slice name)
{
	cg_str id = cg_strs_add(&patch->names, name);
	uint32_t *at =
	    id == CG_STR_NONE ? NULL : cg_map_at(&patch->by_name, id);

	if (!at)
		return NULL;
	if (*at > 0)
		return &patch->file[*at - 1];
	if (!cg_grow(&patch->file, &patch->file_cap, patch->files + 1,
		sizeof(*patch->file)))
		return NULL;
	*at = (uint32_t)++patch->files;
	patch->file[*at - 1].name = id;
	return add_ends(patch, name, *at) ? &patch->file[*at - 1] : NULL;
}

/* ---- Lines --------------------------------------------------------------- */

/* Drops the sequences ESC [ ... m by which git colours a line. */
static bool
drop_colours(struct patch *patch, struct cg_slice *line)
{
	char *to;

	if (!cg_grow_raw(&patch->plain, &patch->plain_cap, line->len, 1))
		return cg_reject_nomem(patch->job);
	to = patch->plain;
	while (line->len > 0) {
		if (!cg_take_prefix(line, "\x1b[")) {
			*to++ = *line->ptr;
			(void)cg_take_char(line, *line->ptr);
			continue;
		}
		while (line->len > 0 && *line->ptr >= ' ' && *line->ptr < '@')
			(void)cg_take_char(line, *line->ptr);
		if (line->len > 0)
			(void)cg_take_char(line, *line->ptr);
	}
	*line = (struct cg_slice){ patch->plain, (size_t)(to - patch->plain) };
	return true;
}

/* The next line; false: the end, or rejected. */
static bool
next_line(struct patch *patch, struct cg_slice *line)
{
	return cg_read_line(patch->in, line) &&
	       (!cg_starts(*line, "\x1b[") || drop_colours(patch, line));
}

/* A line was added. False: out of memory. */
static bool
add_line(struct patch *patch, uint64_t line, bool blank)
{
	struct changed *last =
	    patch->changes > 0 ? &patch->changed[patch->changes - 1] : NULL;

	if (line > UINT32_MAX || patch->current == 0)
		return true;
	if (last && last->file == patch->current && last->last + 1 == line &&
	    last->blank == blank) {
		last->last++;
		return true;
	}
	if (!cg_grow_raw(&patch->changed, &patch->change_cap,
		patch->changes + 1, sizeof(*last)))
		return false;
	patch->changed[patch->changes++] = (struct changed){ patch->current,
		(uint32_t)line, (uint32_t)line, blank };
	return true;
}

/* "12" or "12,3": a line, and how many there are. */
static bool
take_range(struct cg_slice *text, uint64_t *line, uint64_t *count)
{
	*count = 1;
	return cg_take_u64(text, line) &&
	       (!cg_take_char(text, ',') || cg_take_u64(text, count)) &&
	       *line <= UINT32_MAX && *count <= UINT32_MAX;
}

/* Has an added line no text? */
static bool
is_blank(struct cg_slice line)
{
	return cg_take_char(&line, '+') && cg_trim(line).len == 0;
}

/* After "@@ ": the lines of the hunk. False: see rejected. */
static bool
read_hunk(struct patch *patch, struct cg_slice text)
{
	uint64_t old, line, before, after;

	if (!cg_take_char(&text, '-') || !take_range(&text, &old, &before) ||
	    !cg_take_prefix(&text, " +") || !take_range(&text, &line, &after) ||
	    !cg_take_prefix(&text, " @@"))
		return cg_reject(patch->job,
		    "expected the lines of a hunk: @@ -1,2 +1,3 @@");
	while (before + after > 0) {
		char kind;

		if (!next_line(patch, &text))
			return cg_reject(patch->job,
			    "expected more lines of the hunk: the patch is "
			    "truncated");
		/* Programs that trim lines leave nothing of an empty one. */
		kind = text.len == 0 || *text.ptr == '\r' ? ' ' : *text.ptr;
		if (kind == '\\')
			continue;
		if ((kind != ' ' && kind != '-' && kind != '+') ||
		    (kind != '+' && before == 0) || (kind != '-' && after == 0))
			return cg_reject(patch->job,
			    "expected a line of the hunk, with ' ', '-' or '+' "
			    "before it, as many as its first line says");
		if (kind == '+' && !add_line(patch, line, is_blank(text)))
			return cg_reject_nomem(patch->job);
		before -= kind != '+';
		after -= kind != '-';
		line += kind != '-';
	}
	return true;
}

/* After "--- ": the old name. */
static bool
keep_old(struct patch *patch, struct cg_slice text)
{
	struct cg_slice name;

	patch->has_old = take_name(patch, text, &name);
	if (!patch->has_old)
		return false;
	if (!cg_grow_raw(&patch->old, &patch->old_cap, name.len + 1, 1))
		return cg_reject_nomem(patch->job);
	if (name.len > 0)
		memcpy(patch->old, name.ptr, name.len);
	patch->old[name.len] = '\0';
	return true;
}

/* After "+++ ": the new name, which the hunks that follow are of. */
static bool
begin_file(struct patch *patch, struct cg_slice text)
{
	struct patch_file *file;
	struct cg_slice name;

	patch->is_diff = true;
	patch->current = 0;
	if (!take_name(patch, text, &name))
		return false;
	if (cg_equal(name, "/dev/null"))
		return true;
	file = add_file(patch, without_prefix(name, cg_slice(patch->old)));
	if (!file)
		return cg_reject_nomem(patch->job);
	patch->current = (uint32_t)(file - patch->file) + 1;
	return true;
}

/* A line that is not one of a hunk. False: see rejected. */
static bool
read_header(struct patch *patch, struct cg_slice line)
{
	bool has_old = patch->has_old;

	patch->has_old = false;
	if (cg_take_prefix(&line, "--- "))
		return keep_old(patch, line);
	if (has_old && cg_take_prefix(&line, "+++ "))
		return begin_file(patch, line);
	if (cg_starts(line, "@@@"))
		return cg_reject(patch->job,
		    "expected a diff of two versions, not a combined one: "
		    "compare with one parent");
	/* Hunks of a file that was removed are read and count for none. */
	if (patch->is_diff && cg_take_prefix(&line, "@@ "))
		return read_hunk(patch, line);
	if (cg_starts(line, "diff ")) {
		patch->is_diff = true;
		patch->current = 0;
	}
	return true;
}

/* False: see rejected, or the input's status. */
static bool
read_lines(struct patch *patch)
{
	struct cg_slice line;
	bool text = false;

	while (next_line(patch, &line)) {
		text |= line.len > 0;
		if (!read_header(patch, line))
			return false;
	}
	if (cg_in_status(patch->in) != CG_OK)
		return false;
	if (text && !patch->is_diff)
		return cg_reject(patch->job,
		    "expected a unified diff, as git diff and diff -u print "
		    "it");
	return true;
}

/* ---- Files of the graph -------------------------------------------------- */

static int
compare_changes(const void *pa, const void *pb)
{
	const struct changed *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* Sorts changes; gives each file its own. */
static void
sort_changes(struct patch *patch)
{
	size_t at = 0;

	if (patch->changes > 1)
		qsort(patch->changed, patch->changes, sizeof(*patch->changed),
		    compare_changes);
	for (size_t i = 0; i < patch->files; i++) {
		patch->file[i].begin = at;
		while (at < patch->changes && patch->changed[at].file == i + 1)
			at++;
		patch->file[i].end = at;
	}
}

/* The file of the patch that the path names, plus 1; 0: none. */
static uint32_t
find_match(const struct patch *patch, struct cg_slice path)
{
	struct cg_slice end = path;
	uint32_t file;
	cg_str id;
	int depth = 0;

	while (next_end(&end, &depth)) {
		id = cg_strs_find(&patch->names, end);
		file = id == 0 ? 0 : cg_map_get(&patch->by_name, id);
		if (file > 0)
			return file;
	}
	id = cg_starts(path, "/") ? 0 : cg_strs_find(&patch->names, path);
	return id == 0 ? 0 : cg_map_get(&patch->by_end, id);
}

/* Is it the name, in the working directory? */
static bool
is_here(const struct patch *patch, struct cg_slice path, struct cg_slice name)
{
	struct cg_slice cwd = cg_slice(patch->cwd);

	return path.len == cwd.len + 1 + name.len &&
	       cg_take_prefix(&path, patch->cwd) && cg_take_char(&path, '/') &&
	       cg_compare(path, name) == 0;
}

static void
note_match(struct patch *patch, struct patch_file *file, cg_file id)
{
	struct cg_slice path = cg_file_path(patch->job->graph, id);
	bool absolute = cg_starts(path, "/");
	bool here =
	    is_here(patch, path, cg_strs_get(&patch->names, file->name));

	if (file->best[absolute].here && !here)
		return;
	if (file->best[absolute].len == 0 || here ||
	    path.len < file->best[absolute].len) {
		file->best[absolute].len = path.len;
		file->best[absolute].count = 0;
		file->best[absolute].here = here;
		file->best[absolute].file = id;
	}
	file->best[absolute].count += path.len == file->best[absolute].len;
	if (path.len == file->best[absolute].len)
		file->best[absolute].other = id;
}

/* Is the path the one that the file's name means? */
static bool
is_best(const struct patch *patch, const struct patch_file *file,
    struct cg_slice path)
{
	bool absolute = cg_starts(path, "/");

	return path.len == file->best[absolute].len &&
	       file->best[absolute].count == 1 &&
	       (!file->best[absolute].here ||
		   is_here(
		       patch, path, cg_strs_get(&patch->names, file->name)));
}

/* A path that may be several files of the patch. False: out of memory. */
static bool
note_shared(struct patch *patch, cg_file id)
{
	struct cg_slice path = cg_file_path(patch->job->graph, id);
	uint32_t *at =
	    cg_map_at(&patch->shared, cg_strs_find(&patch->names, path));

	if (at)
		*at = id;
	return at != NULL;
}

/* False: out of memory. */
static bool
match_files(struct patch *patch)
{
	const struct cg_graph *graph = patch->job->graph;
	size_t files = cg_file_count(graph) + 1;

	if (!getcwd(patch->cwd, sizeof(patch->cwd)))
		patch->cwd[0] = '\0';
	free(patch->match);
	patch->match = calloc(files, sizeof(*patch->match));
	if (!patch->match)
		return false;
	for (size_t i = 0; i < patch->files; i++)
		memset(patch->file[i].best, 0, sizeof(patch->file[i].best));
	for (cg_file i = 1; i < files; i++) {
		uint32_t match = find_match(patch, cg_file_path(graph, i));

		if (match == SHARED && !note_shared(patch, i))
			return false;
		if (match == SHARED || match == 0)
			continue;
		patch->match[i] = match;
		note_match(patch, &patch->file[match - 1], i);
	}
	for (cg_file i = 1; i < files; i++) {
		if (patch->match[i] > 0 &&
		    !is_best(patch, &patch->file[patch->match[i] - 1],
			cg_file_path(graph, i)))
			patch->match[i] = 0;
	}
	return true;
}

/* ---- Files that the graph lacks ------------------------------------------ */

/* ".c" of a path, or the base name of one without a suffix. */
static struct cg_slice
kind_of(struct cg_slice path)
{
	struct cg_slice name = cg_base_name(path);
	size_t len = name.len;

	while (len > 0 && name.ptr[len - 1] != '.')
		len--;
	if (len <= 1)
		return name;
	return (struct cg_slice){ name.ptr + len - 1, name.len - len + 1 };
}

static bool
list_kinds(struct patch *patch)
{
	const struct cg_graph *graph = patch->job->graph;
	size_t files = cg_file_count(graph) + 1;

	for (cg_file i = 1; i < files; i++) {
		struct cg_slice path = cg_file_path(graph, i);

		if (path.len > 0 &&
		    cg_strs_add(&patch->kinds, kind_of(path)) == CG_STR_NONE)
			return false;
	}
	return true;
}

/*
 * Would coverage have the file? It has lines, is of a kind that the graph has,
 * and the rules do not exclude it.
 */
static bool
is_wanted(const struct patch *patch, const struct patch_file *file)
{
	struct cg_slice name = cg_strs_get(&patch->names, file->name);

	return file->begin < file->end &&
	       (cg_file_count(patch->job->graph) == 0 ||
		   cg_strs_find(&patch->kinds, kind_of(name)) > 0) &&
	       cg_rules_keep(&patch->job->rules, name.ptr);
}

static bool
is_found(const struct patch_file *file)
{
	return file->best[0].len + file->best[1].len > 0;
}

/* Another file of the patch that a path of the graph ends, or NULL. */
static const struct patch_file *
find_rival(const struct patch *patch, const struct patch_file *file,
    struct cg_slice path)
{
	for (size_t i = 0; i < patch->files; i++) {
		const struct patch_file *other = &patch->file[i];
		struct cg_slice name = cg_strs_get(&patch->names, other->name);

		if (other == file || name.len <= path.len ||
		    name.ptr[name.len - path.len - 1] != '/')
			continue;
		name.ptr += name.len - path.len;
		name.len = path.len;
		if (cg_compare(name, path) == 0)
			return other;
	}
	return NULL;
}

/* Is a path of the graph this file or another one? Then it is rejected. */
static bool
is_shared(const struct patch *patch, const struct patch_file *file)
{
	struct cg_slice name = cg_strs_get(&patch->names, file->name);
	const struct patch_file *rival;
	struct cg_slice end = name;
	int depth = 0;

	while (next_end(&end, &depth)) {
		cg_file id = cg_map_get(
		    &patch->shared, cg_strs_find(&patch->names, end));

		rival = id == 0 ? NULL : find_rival(patch, file, end);
		if (!rival)
			continue;
		(void)cg_reject(patch->job,
		    "'%s' of the input may be '%s' or '%s' of the patch; "
		    "name its directory with {map}",
		    end.ptr, name.ptr,
		    cg_strs_get(&patch->names, rival->name).ptr);
		return true;
	}
	return false;
}

/* May it be several files of the graph? Then it is rejected. */
static bool
is_unclear(const struct patch *patch, const struct patch_file *file)
{
	const struct cg_graph *graph = patch->job->graph;

	for (int i = 0; i < 2; i++) {
		if (file->best[i].count <= 1)
			continue;
		(void)cg_reject(patch->job,
		    "'%s' of the patch may be '%s' or '%s' of the input; work "
		    "in the directory of the patch, or choose one with "
		    "{exclude}",
		    cg_strs_get(&patch->names, file->name).ptr,
		    cg_file_path(graph, file->best[i].file).ptr,
		    cg_file_path(graph, file->best[i].other).ptr);
		return true;
	}
	return false;
}

/* False: rejected. */
static bool
check_file(struct patch *patch, uint32_t i)
{
	const struct patch_file *file = &patch->file[i];

	if (file->begin == file->end)
		return true;
	if (is_unclear(patch, file))
		return false;
	if (is_found(file)) {
		patch->found++;
		return true;
	}
	if (is_shared(patch, file))
		return false;
	if (is_wanted(patch, file) && patch->missing++ == 0)
		patch->first_missing = i + 1;
	return true;
}

/* Is it the sources in the working directory that the graph has? */
static bool
has_sources_here(const struct patch *patch)
{
	const struct cg_graph *graph = patch->job->graph;
	size_t files = cg_file_count(graph) + 1;

	for (cg_file i = 1; i < files; i++) {
		struct cg_slice path = cg_file_path(graph, i);

		if (cg_starts(path, "/")
			? cg_take_prefix(&path, patch->cwd) &&
			      cg_starts(path, "/")
			: path.len > 0 && access(path.ptr, F_OK) == 0)
			return true;
	}
	return false;
}

/* The file of the graph that is most like it: of its name, else of its kind. */
static struct cg_slice
find_similar(const struct patch *patch, struct cg_slice name)
{
	const struct cg_graph *graph = patch->job->graph;
	size_t files = cg_file_count(graph) + 1;
	struct cg_slice similar = { "", 0 };

	for (cg_file i = 1; i < files; i++) {
		struct cg_slice path = cg_file_path(graph, i);

		if (cg_compare(cg_base_name(path), cg_base_name(name)) == 0)
			return path;
		if (cg_compare(kind_of(path), kind_of(name)) == 0 &&
		    similar.len == 0)
			similar = path;
	}
	return similar;
}

/*
 * No file is found: the paths have other roots, unless the graph and the patch
 * both have files of the working directory.
 */
static bool
reject_all(const struct patch *patch)
{
	struct cg_slice name = cg_strs_get(
	    &patch->names, patch->file[patch->first_missing - 1].name);
	struct cg_slice similar = find_similar(patch, name);

	if (access(name.ptr, F_OK) == 0 && has_sources_here(patch))
		return false;
	(void)cg_reject(patch->job,
	    "the input has no file of the patch: the patch has '%s', the "
	    "input '%s'; see {map} and {strip-prefix}",
	    name.ptr, similar.len > 0 ? similar.ptr : "no sources");
	return true;
}

/* Lines that were never executed, in the file. False: see the builder. */
static bool
add_missing(struct patch *patch, const struct patch_file *file)
{
	struct cg_build *build = &patch->job->build;
	const uint64_t cost = 0;
	struct cg_pos pos = { .file = cg_add_file(build,
				  cg_strs_get(&patch->names, file->name)) };
	cg_fn fn = cg_add_fn(build, cg_slice(""), pos.file, 0);

	for (size_t i = file->begin; i < file->end; i++) {
		const struct changed *changed = &patch->changed[i];

		if (changed->blank)
			continue;
		for (uint64_t line = changed->first; line <= changed->last;
		     line++) {
			pos.line = (uint32_t)line;
			if (!cg_add_cost(build, fn, &pos, &cost, 1))
				return false;
		}
	}
	return true;
}

/* Tells what is missing, or adds it. False: rejected. */
static bool
handle_missing(struct patch *patch, bool add)
{
	const struct cg_rules *rules = patch->job->build.rules;
	bool ok = true;

	/* They are for paths of inputs. */
	patch->job->build.rules = NULL;
	for (size_t i = 0; ok && i < patch->files; i++) {
		const struct patch_file *file = &patch->file[i];

		if (is_found(file) || !is_wanted(patch, file))
			continue;
		cg_warn(patch->job, "the input has no '%s' of the patch%s",
		    cg_strs_get(&patch->names, file->name).ptr,
		    add ? ": it counts as not covered" : "");
		ok = !add || add_missing(patch, file);
	}
	patch->job->build.rules = rules;
	if (!ok)
		return cg_reject_nomem(patch->job);
	if (!add)
		return true;
	cg_graph_drop_tables(patch->job->graph);
	if (cg_graph_seal(patch->job->graph) != CG_OK || !match_files(patch))
		return cg_reject_nomem(patch->job);
	return true;
}

/* False: rejected. */
static bool
check_files(struct patch *patch)
{
	bool add = cg_opt_flag(patch->job, CG_MISSING_OPTION);

	if (!list_kinds(patch))
		return cg_reject_nomem(patch->job);
	for (uint32_t i = 0; i < patch->files; i++) {
		if (!check_file(patch, i))
			return false;
	}
	if (patch->missing == 0)
		return true;
	/* Each input of a batch may have some of the patch, or nothing. */
	if (patch->job->root) {
		cg_note(patch->job,
		    "the input has none of %zu of %zu file%s of the patch",
		    patch->missing, patch->files, patch->files == 1 ? "" : "s");
		return true;
	}
	if (patch->found == 0 && !add && reject_all(patch))
		return false;
	return handle_missing(patch, add);
}

/* ---- Lines that do not count --------------------------------------------- */

/* Excludes what lies between the changes. False: out of memory. */
static bool
exclude_others(struct patch *patch, const struct patch_file *file)
{
	struct cg_excluded *excluded = patch->job->graph->unchanged;
	struct cg_excluded_range range = { .what = CG_EXCLUDE_LINES };
	size_t end = file ? file->end : 0;

	cg_excluded_begin(excluded);
	for (size_t i = file ? file->begin : 0; i < end; i++) {
		const struct changed *changed = &patch->changed[i];

		if (changed->first > range.first) {
			range.last = changed->first - 1;
			if (!cg_excluded_add(excluded, &range))
				return false;
		}
		if (changed->last == UINT32_MAX)
			return true;
		if (changed->last >= range.first)
			range.first = changed->last + 1;
	}
	range.last = UINT32_MAX;
	return cg_excluded_add(excluded, &range);
}

static bool
exclude_unchanged(struct patch *patch)
{
	struct cg_graph *graph = patch->job->graph;
	size_t files = cg_file_count(graph) + 1;
	bool ok = true;

	graph->unchanged = cg_excluded_new(files);
	ok = graph->unchanged != NULL;
	for (cg_file i = 0; ok && i < files; i++)
		ok = exclude_others(patch,
		    patch->match[i] > 0 ? &patch->file[patch->match[i] - 1]
					: NULL);
	return ok || cg_reject_nomem(patch->job);
}

/* ---- The job -------------------------------------------------------------- */

static void
free_patch(struct patch *patch)
{
	cg_strs_free(&patch->names);
	cg_map_free(&patch->by_name);
	cg_map_free(&patch->by_end);
	free(patch->file);
	free(patch->changed);
	free(patch->room);
	free(patch->plain);
	cg_map_free(&patch->shared);
	cg_strs_free(&patch->kinds);
	free(patch->old);
	free(patch->match);
}

int
cg_job_exclude_unchanged(struct cg_job *job)
{
	const char *path = cg_opt(job, CG_PATCH_OPTION);
	struct patch patch = { .job = job };
	int status;
	bool ok;

	cg_excluded_free(job->graph->unchanged);
	job->graph->unchanged = NULL;
	if (!path && cg_opt_flag(job, CG_MISSING_OPTION))
		return cg_usage(
		    job, "{" CG_MISSING_OPTION "} applies only with {patch}");
	if (!path)
		return CG_OK;
	status = cg_job_note_file(job, path);
	if (status == CG_OK)
		patch.in = job->errors.in =
		    cg_in_open(&job->errors.diag, path, &status);
	if (!patch.in)
		return status;
	job->errors.rejected = CG_OK;
	ok = read_lines(&patch);
	status = cg_in_status(patch.in);
	job->errors.in = NULL;
	if (ok) {
		sort_changes(&patch);
		ok = match_files(&patch) || cg_reject_nomem(job);
		ok = ok && check_files(&patch) && exclude_unchanged(&patch);
	}
	if (job->errors.rejected != CG_OK)
		status = job->errors.rejected;
	cg_in_close(patch.in);
	free_patch(&patch);
	return ok ? CG_OK : status;
}
