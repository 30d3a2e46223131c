/*
 * coverage.h - the way of the data through formats/coverage/, which has formats
 * that list lines of source files with what ran:
 *
 *	go_cover.c   recognises the profiles of Go, lists their options
 *	go_read.c    blocks of lines -> sorted, merged -> lines -> graph
 *	go_write.c   graph -> a block for each line
 *	jacoco.c     JaCoCo XML: recognises it, lists its options
 *	jacoco_read.c   methods and lines of a package -> graph
 *	jacoco_write.c  graph -> methods and lines of a file -> XML, counters last
 *	clover.c     Clover XML: recognises it, lists its options
 *	clover_read.c   lines of a file -> graph
 *	clover_write.c  graph -> totals of all files -> XML, metrics first
 *	sonarqube.c  graph -> SonarQube's generic coverage
 *	elements.c   what the readers of XML share
 *	fns.c        what the writers share: the functions of a file
 *
 * The library reads and escapes the XML, lists files and lines, and counts what
 * was covered and dropped.
 */
#ifndef FORMATS_COVERAGE_COVERAGE_H
#define FORMATS_COVERAGE_COVERAGE_H

#include "cgconv_parse.h"

int go_cover_read(struct cg_job *, struct cg_in *, struct cg_build *);
int go_cover_write(struct cg_job *, const struct cg_graph *, struct cg_out *);
int jacoco_read(struct cg_job *, struct cg_in *, struct cg_build *);
int jacoco_write(struct cg_job *, const struct cg_graph *, struct cg_out *);
int clover_read(struct cg_job *, struct cg_in *, struct cg_build *);
int clover_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

/* The event of lcov and Cobertura, too, so that inputs can be merged. */
#define COVERAGE_EVENT                                          \
	{                                                       \
		.name = "Exec", .long_name = "Line executions", \
		.is_signed = true, .incl = CG_INCL_NONE         \
	}

/* Instructions of Java, which JaCoCo counts beside lines. */
#define JACOCO_COVERED "CoveredInstr"
#define JACOCO_MISSED "MissedInstr"

/* ---- elements.c --------------------------------------------------------- */

struct coverage_reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	struct cg_xml *xml;
	uint64_t branches; /* of all lines so far */
	void *arg;         /* for the format */
};

/* What to do at the begin and the end of an element; a table ends with NULL. */
struct coverage_element {
	const char *name;
	bool (*open)(struct coverage_reader *);
	bool (*close)(struct coverage_reader *);
};

/* Reads a document whose root is the first element of the table. The status. */
int coverage_read_document(
    struct coverage_reader *, const struct coverage_element *);
/*
 * An attribute with a number up to most; an absent one is 0, if it is optional.
 * False: expected (reported).
 */
bool coverage_get_number(struct coverage_reader *, const char *name,
    bool optional, uint64_t most, uint64_t *number);
/* False: the input would have more branches than bytes (reported). */
bool coverage_allow_branches(struct coverage_reader *, uint64_t n);
/*
 * Adds branches of a line as one block: hit ones, which ran, then missed ones.
 * Only their numbers are known. coverage_allow_branches() has allowed them.
 */
bool coverage_add_outcomes(struct coverage_reader *, cg_fn,
    const struct cg_branch *first, uint64_t hit, uint64_t missed);

/* ---- fns.c -------------------------------------------------------------- */

/* A function of the current file: all functions there with one key. */
struct coverage_fn {
	struct cg_slice key;  /* see cg_fn_key() */
	struct cg_slice name; /* of one of them */
	uint32_t first;
	uint64_t count;
	bool shares_name; /* for the writer: see clover_write.c */
};

/* Starts as { 0 }; its owner frees fn. */
struct coverage_fns {
	struct coverage_fn *fn;
	size_t fns, cap;
};

/* Lists the functions of the current file by key; false: out of memory. */
bool coverage_list_fns(struct coverage_fns *, const struct cg_report *);
/* That of the list that a function of the file is part of, or NULL. */
struct coverage_fn *coverage_find_fn(
    const struct coverage_fns *, const struct cg_graph *, cg_fn);

void coverage_put_number(struct cg_out *, const char *name, uint64_t value);

#endif
