/*
 * rules.h - what the user wants of source files: paths that become others,
 * files that are left out, no branches.
 */
#ifndef CG_RULES_H
#define CG_RULES_H

#include "cgconv.h"

struct cg_path_map {
	struct cg_slice from, to;
};
struct cg_path_pattern {
	const char *text;
	bool keeps;               /* --include, not --exclude */
};
struct cg_rules {             /* its strings are the job's */
	struct cg_path_map *map;
	size_t maps, map_cap;
	struct cg_path_pattern *pattern;
	size_t patterns, pattern_cap, includes;
	bool no_branches, no_throws;
};
void cg_rules_free(struct cg_rules *);
/* Paths in the folder from become paths in to. False: out of memory. */
bool cg_rules_map(struct cg_rules *, struct cg_slice from, struct cg_slice to);
/* A pattern of the shell: files to keep, or to leave out. */
bool cg_rules_add(struct cg_rules *, const char *pattern, bool keeps);
/*
 * Where the path leads by the first map that fits it, in *room (which the
 * caller frees) if that is not path itself. False: out of memory.
 */
bool cg_rules_path(const struct cg_rules *, struct cg_slice path, char **room,
    struct cg_slice *mapped);
bool cg_rules_keep(const struct cg_rules *, const char *path);

#endif
