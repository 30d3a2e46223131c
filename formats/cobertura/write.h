/*
 * write.h - the writer of Cobertura's XML, shared by its files.
 */
#ifndef FORMATS_COBERTURA_WRITE_H
#define FORMATS_COBERTURA_WRITE_H

#include "cobertura.h"

struct cobertura_totals {
	uint64_t lines, lines_hit, branches, branches_hit;
};

struct cobertura_file {
	cg_file file;
	struct cobertura_totals sum;
};

struct method_line {
	cg_fn fn;
	uint32_t line;
	uint64_t hits;
};

struct method {
	struct cg_slice name, symbol;
	uint32_t first;
	size_t line, lines; /* in method_line */
};

struct cobertura_writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	struct cg_lines *lines;
	size_t event;
	bool is_signed, methods;
	const char *package;         /* NULL: all */
	struct cg_slice root;        /* folder of all files, with its slash */
	struct cobertura_file *file; /* those that are written */
	size_t files, file_cap;
	struct method_line *method_line; /* of a file's functions */
	size_t method_lines, line_cap;
	struct method *method;
	size_t method_count, method_cap;
	bool *is_own; /* by fn: it is the file's */
	uint64_t lost, below;
};

/* A cost as hits, which are not below zero. */
uint64_t cobertura_hits(struct cobertura_writer *, uint64_t cost);
/* name="value" */
void cobertura_put_attribute(
    struct cobertura_writer *, const char *name, struct cg_slice value);
void cobertura_put_rates(
    struct cobertura_writer *, const struct cobertura_totals *);
/* <line number="1" hits="2", without what may follow. */
void cobertura_put_line(
    struct cobertura_writer *, uint32_t number, uint64_t hits);
/* Of the file that lines is at; false: out of memory. */
bool cobertura_put_methods(struct cobertura_writer *);

#endif
