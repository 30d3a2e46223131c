/*
 * rules.h - the user's rules for source files: mapped paths, directories and
 * patterns of files to keep, excluded branches.
 */
#ifndef CG_RULES_H
#define CG_RULES_H

#include "cgconv.h"

struct cg_path_map {
	struct cg_slice from, to;
};
struct cg_path_pattern {
	const char *text;
	bool keeps;               /* --include; false: --exclude */
};
struct cg_rules {             /* the job owns its strings */
	struct cg_path_map *map;
	size_t maps, map_cap;
	struct cg_path_pattern *pattern;
	size_t patterns, pattern_cap, includes;
	struct cg_slice *root;    /* absolute; files outside are excluded */
	size_t roots, root_cap;
	bool no_branches, no_throws;
};
void cg_rules_free(struct cg_rules *);
/* Maps paths in directory from to directory to. False: out of memory. */
bool cg_rules_map(struct cg_rules *, struct cg_slice from, struct cg_slice to);
/* Adds a shell pattern of files to include (keeps) or to exclude. */
bool cg_rules_add(struct cg_rules *, const char *pattern, bool keeps);
/*
 * Maps a path by the first map that matches. *mapped is path itself, or points
 * into *room, which the caller frees. False: out of memory.
 */
bool cg_rules_path(const struct cg_rules *, struct cg_slice path, char **room,
    struct cg_slice *mapped);
/*
 * Adds a directory to keep: files outside of all these directories are
 * excluded.
 */
bool cg_rules_add_root(struct cg_rules *, const char *directory);
/* True if any rule excludes files. */
static inline bool
cg_rules_exclude(const struct cg_rules *rules)
{
	return rules->patterns + rules->roots > 0;
}
bool cg_rules_keep(const struct cg_rules *, const char *path);

#endif
