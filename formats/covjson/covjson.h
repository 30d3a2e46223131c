/*
 * covjson.h - reports of coverage as JSON, each of one tool, that list lines
 * and functions by file:
 *
 *	llvm_cov.c    llvm-cov export: files, functions -> lines, branches
 *	owners.c      functions of a file -> which of them a line belongs to
 *
 * The library reads the JSON (cg_doc_*()).
 */
#ifndef FORMATS_COVJSON_COVJSON_H
#define FORMATS_COVJSON_COVJSON_H

#include "cgconv_parse.h"

struct covjson_fn {
	cg_name name, symbol; /* symbol: its linker name, or 0 */
	cg_file file;
	uint32_t first, last; /* lines, 0: unknown */
	uint64_t count;       /* entries */
	bool counted;         /* count is known */
	cg_fn fn;             /* in the graph, once covjson_open_file() ran */
};

/* The lines of a file, by the innermost function that contains them. */
struct covjson_owners {
	struct covjson_owner {
		uint32_t line; /* and those that follow, up to the next */
		cg_fn fn;
	} * owner;
	size_t owners, cap;
	size_t *nested; /* open functions of the sweep, outermost first */
	size_t nested_cap;
	cg_fn outside; /* the file's function without a name */
	size_t hint;
};

/* Adds the event of coverage. */
bool covjson_add_event(struct cg_build *);
/*
 * Adds n functions of a file with their entries, sorts them, and finds who owns
 * which line. False: out of memory (not reported).
 */
bool covjson_open_file(struct cg_build *, struct covjson_owners *, cg_file,
    struct covjson_fn *, size_t n);
cg_fn covjson_owner(struct covjson_owners *, uint32_t line);
void covjson_free_owners(struct covjson_owners *);

#endif
