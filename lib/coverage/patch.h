/*
 * patch.h - a unified diff: its files, the lines that it adds or changes, and
 * the matching files of the graph.
 */
#ifndef CG_PATCH_H
#define CG_PATCH_H

#include <limits.h>

#include "coverage/coverage.h"

struct cg_patch_lines { /* lines that are added or changed */
	uint32_t file; /* index of the patch's file, + 1 */
	uint32_t first, last;
	bool blank; /* the lines have no text */
};

struct cg_patch_file {
	cg_str name;
	size_t begin, end; /* range in changed after sorting */
	/* The best matches among relative and absolute paths of the graph: */
	struct {
		size_t len; /* length of the shortest path; 0: no match */
		size_t count;
		bool here; /* it is the one in the working directory */
		cg_file file, other; /* the first match, another one */
	} best[2];
};

/* The caller sets how and in; the rest is zero. */
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
	uint32_t current; /* file + 1 of the current hunks; or 0 */
	char cwd[PATH_MAX];
	uint32_t *match;      /* by file of the graph: file + 1 */
	struct cg_map shared; /* end of several names -> one file */
	struct cg_strs kinds; /* of the graph's files: see kind_of() */
	size_t found, missing;
	uint32_t first_missing; /* file + 1 */
};

/* ---- patch_files.c: false, NULL: out of memory --------------------------- */

/* Repeated calls return all ends of a path, the path itself first. */
bool cg_patch_next_end(struct cg_slice *path, int *depth);
/* Returns the file of that name; adds it if it is new. */
struct cg_patch_file *cg_patch_add_file(struct cg_patch *, struct cg_slice);
/* Sorts the changes and sets each file's range of them. */
void cg_patch_sort(struct cg_patch *);
/* Finds the files of the patch in the graph. False: out of memory. */
bool cg_patch_match(struct cg_patch *);

/* ---- patch.c ------------------------------------------------------------- */

/* Reads the diff. False: failed; the status is rejected's, or the input's. */
bool cg_patch_read(struct cg_patch *);

/* ---- missing.c ----------------------------------------------------------- */

/* Reports files that the graph lacks, or adds them. False: rejected. */
bool cg_patch_check(struct cg_patch *);

#endif
