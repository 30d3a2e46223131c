/*
 * calls.h - functions of all units by ident, and calls between them.
 */
#ifndef FORMATS_GCOV_CALLS_H
#define FORMATS_GCOV_CALLS_H

#include "unit.h"

/* A block that ends with a call, and its execution count. */
struct gcov_site {
	cg_fn fn;
	cg_name symbol; /* symbol of fn */
	uint32_t file, line;
	uint64_t count;
};

struct gcov_known {
	cg_fn fn; /* 0: several functions have the ident */
	cg_name symbol;
	struct cg_slice name; /* text of symbol */
	cg_file file;
	uint32_t line;
};

/* The directory and a hash of the notes in which a source was seen first. */
struct gcov_source {
	cg_name directory;
	uint64_t hash;
};

/* State that is kept between units. */
#define PATH_SHOWN 100 /* bytes of a path in a message */

struct gcov_program {
	size_t units, never; /* in all inputs; of these, without data */
	size_t checks;       /* skipped checks: gcov_is_check() */
	size_t newer;        /* newer sources: gcov_compare_times() */
	char first_check[PATH_SHOWN], first_newer[PATH_SHOWN];
	struct cg_map times; /* source file -> seconds + 1; NEWER */
	struct cg_map idents; /* ident -> number in known + 1 */
	struct gcov_known *known;
	size_t knowns, known_cap;
	struct cg_map waiting; /* ident of callee -> number of call + 1 */
	struct gcov_call *call;
	size_t calls, call_cap;
	cg_part part; /* current part */
	struct cg_map sources; /* name -> number in source + 1 */
	struct gcov_source *source;
	size_t source_count, source_cap;
};

void gcov_program_free(struct gcov_program *);
/*
 * Sets fn->known of all functions: where an earlier unit has the same
 * function, its number + 1, else 0.
 */
void gcov_find_known(struct gcov_unit *);
/*
 * Makes the function known by its ident; adds calls kept until it is known.
 * False: out of memory.
 */
bool gcov_add_known(struct gcov_unit *, struct cg_build *,
    const struct gcov_fn *, cg_name symbol);
/*
 * Adds the indirect calls that are counted by the function's counters. False:
 * out of memory.
 */
bool gcov_add_targets(
    struct gcov_unit *, struct cg_build *, const struct gcov_fn *);
/* Adds the calls of the .ci file next to the notes. Returns a CG_ status. */
int gcov_read_ci(struct gcov_unit *, struct cg_build *, const char *notes);

#endif
