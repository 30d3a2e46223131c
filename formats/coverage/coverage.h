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
 *	lines.c      what the writers share: the lines and functions of a file
 *
 * The library reads and escapes the XML, sums the rows of a source line and
 * counts what was covered.
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
/*
 * For probe(): the tag of the document's first element, from its name on, and
 * the text after it. False: none.
 */
bool coverage_root(
    const struct cg_head *, struct cg_slice *tag, struct cg_slice *rest);

/* ---- lines.c ------------------------------------------------------------ */

/* A function of the current file: all functions there with one linker name. */
struct coverage_fn {
	struct cg_slice key;  /* linker name, else name */
	struct cg_slice name; /* of one of them */
	uint32_t first;
	uint64_t count;
	bool shares_name; /* for the writer: see clover_write.c */
};

struct coverage_writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	struct cg_lines *lines;
	size_t event;
	struct coverage_fn *fn; /* see coverage_list_fns() */
	size_t fns, fn_cap;
	uint64_t lost;     /* cost without a source file or line */
	uint64_t bare;     /* lines with branches and without a count */
	bool has_negative; /* some line has negative hits */
	bool has_counts;   /* some line ran more than once */
	bool any;          /* a line was written */
};

/* Chooses the event, opens the lines; else the status. */
int coverage_open(struct coverage_writer *, struct cg_job *,
    const struct cg_graph *, struct cg_out *);
/* The next file; file 0 has lines that coverage_next_line() drops. */
bool coverage_next_file(struct coverage_writer *, cg_file *);
/* The next line that has a number and a cost. */
bool coverage_next_line(struct coverage_writer *, struct cg_line_sum *);
/* Lists the functions of the current file by key; false: out of memory. */
bool coverage_list_fns(struct coverage_writer *);
/* That of the list that a function of the file is part of, or NULL. */
struct coverage_fn *coverage_find_fn(const struct coverage_writer *, cg_fn);
/* The target knows only whether a line ran: reports it with --verbose. */
void coverage_report_counts(const struct coverage_writer *);
/* Reports losses, frees all; ok: false if out of memory. The status. */
int coverage_close(struct coverage_writer *, bool ok);

void coverage_put_text(
    struct cg_out *, const char *name, struct cg_slice value);
void coverage_put_number(struct cg_out *, const char *name, uint64_t value);

#endif
