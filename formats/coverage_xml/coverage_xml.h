/*
 * coverage_xml.h - reports of coverage as XML, each of one tool, that list
 * lines of source files with what ran:
 *
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
#ifndef FORMATS_COVERAGE_XML_H
#define FORMATS_COVERAGE_XML_H

#include "cgconv_parse.h"

int jacoco_read(struct cg_job *, struct cg_in *, struct cg_build *);
int jacoco_write(struct cg_job *, const struct cg_graph *, struct cg_out *);
int clover_read(struct cg_job *, struct cg_in *, struct cg_build *);
int clover_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

/* The event of lcov and Cobertura, too, so that inputs can be merged. */
#define COVERAGE_XML_EVENT                                          \
	{                                                       \
		.name = "Exec", .long_name = "Line executions", \
		.is_signed = true, .incl = CG_INCL_NONE         \
	}

/* Instructions of Java, which JaCoCo counts beside lines. */
#define JACOCO_COVERED "CoveredInstr"
#define JACOCO_MISSED "MissedInstr"

/* ---- elements.c --------------------------------------------------------- */

struct coverage_xml_reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	struct cg_xml *xml;
	uint64_t branches; /* of all lines so far */
	void *arg;         /* for the format */
};

/* What to do at the begin and the end of an element; a table ends with NULL. */
struct coverage_xml_element {
	const char *name;
	bool (*open)(struct coverage_xml_reader *);
	bool (*close)(struct coverage_xml_reader *);
};

/* Reads a document whose root is the first element of the table. The status. */
int coverage_xml_read_document(
    struct coverage_xml_reader *, const struct coverage_xml_element *);
/*
 * An attribute with a number up to most; an absent one is 0, if it is optional.
 * False: expected (reported).
 */
bool coverage_xml_get_number(struct coverage_xml_reader *, const char *name,
    bool optional, uint64_t most, uint64_t *number);
/* False: the input would have more branches than bytes (reported). */
bool coverage_xml_allow_branches(struct coverage_xml_reader *, uint64_t n);
/*
 * Adds branches of a line as one block: hit ones, which ran, then missed ones.
 * Only their numbers are known. coverage_xml_allow_branches() has allowed them.
 */
bool coverage_xml_add_outcomes(struct coverage_xml_reader *, cg_fn,
    const struct cg_branch *first, uint64_t hit, uint64_t missed);

/* ---- fns.c -------------------------------------------------------------- */

/* A function of the current file: all functions there with one key. */
struct coverage_xml_fn {
	struct cg_slice key;  /* see cg_fn_key() */
	struct cg_slice name; /* of one of them */
	uint32_t first;
	uint64_t count;
	bool shares_name; /* for the writer: see clover_write.c */
};

/* Starts as { 0 }. */
struct coverage_xml_fns {
	CG_ARRAY(struct coverage_xml_fn) fn;
};

/* Lists the functions of the current file by key; false: out of memory. */
bool coverage_xml_list_fns(struct coverage_xml_fns *, const struct cg_report *);
/* That of the list that a function of the file is part of, or NULL. */
struct coverage_xml_fn *coverage_xml_find_fn(
    const struct coverage_xml_fns *, const struct cg_graph *, cg_fn);

void coverage_xml_put_number(struct cg_out *, const char *name, uint64_t value);

#endif
