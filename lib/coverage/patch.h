/*
 * patch.h - a unified diff: the files that it names, the lines that it adds or
 * changes, and what they are in the graph.
 */
#ifndef CG_PATCH_H
#define CG_PATCH_H

#include <limits.h>

#include "coverage/coverage.h"

struct cg_patch_lines { /* added or changed */
	uint32_t file; /* of the patch, + 1 */
	uint32_t first, last;
	bool blank; /* these lines have no text */
};

struct cg_patch_file {
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

/* Starts with how and in. */
struct cg_patch {
	const struct cg_patch_how *how;
	struct cg_in *in;
	struct cg_strs names;
	struct cg_map by_name; /* name -> file + 1 */
	struct cg_map by_end;  /* end of a name -> file + 1, or SHARED */
	struct cg_patch_file *file;
	size_t files, file_cap;
	struct cg_patch_lines *changed;
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

/* ---- patch_files.c: false, NULL: out of memory --------------------------- */

/* Calls of this find all ends of a path, the path itself first. */
bool cg_patch_next_end(struct cg_slice *path, int *depth);
/* The file of that name, which may be a new one. */
struct cg_patch_file *cg_patch_add_file(struct cg_patch *, struct cg_slice);
/* Sorts changes; gives each file its own. */
void cg_patch_sort(struct cg_patch *);
/* Finds the files of the patch in the graph. */
bool cg_patch_match(struct cg_patch *);

/* ---- patch.c ------------------------------------------------------------- */

/* Reads the diff. False: see rejected, or the input's status. */
bool cg_patch_read(struct cg_patch *);

/* ---- missing.c ----------------------------------------------------------- */

/* Tells which files the graph lacks, or adds them. False: rejected. */
bool cg_patch_check(struct cg_patch *);

#endif
