/*
 * write.h - the writer of tracefiles, shared by its files.
 */
#ifndef FORMATS_LCOV_WRITE_H
#define FORMATS_LCOV_WRITE_H

#include "lcov.h"

/* A function as the file has it: whoever has one name is one function. */
struct lcov_entry {
	struct cg_slice name;
	uint32_t first, last;
	uint64_t count;
};

struct lcov_writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	bool full; /* version 2 */
	size_t event;
	bool is_signed;
	struct cg_lines *lines;
	struct cg_slice test;
	bool *ran; /* by fn: a line of it has a cost */
	struct lcov_entry *entry;
	size_t entries, entry_cap;
	struct version *version;
	size_t versions, version_cap;
	struct condition *condition;
	size_t conditions, condition_cap;
	uint64_t lost, below; /* costs without a place; lines below zero */
	uint64_t branches_below;
	uint64_t mixed;       /* files of more than one version */
	bool labels;          /* some were not written */
	bool any;             /* something was written */
};

/* "LF:12" */
void lcov_put_total(struct lcov_writer *, const char *name, uint64_t);
/* The functions of the file that lines is at; false: out of memory. */
bool lcov_put_fns(struct lcov_writer *);

#endif
