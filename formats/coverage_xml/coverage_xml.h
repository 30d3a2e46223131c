/*
 * coverage_xml.h - reports of coverage as XML, each of one tool, that list
 * lines of source files with their counts:
 *
 *	jacoco.c     JaCoCo XML: recognises it, lists its options
 *	jacoco_read.c   methods and lines of a package -> graph
 *	jacoco_write.c  graph -> methods, lines of a file -> XML, then counters
 *	clover.c     Clover XML: recognises it, lists its options
 *	clover_read.c   lines of a file -> graph
 *	clover_write.c  graph -> totals of all files -> XML, metrics first
 *	sonarqube.c  SonarQube's generic coverage: lines -> graph -> XML
 *	ctest.c      CTest's log of coverage: lines -> graph
 *	dotnet.c     reports of .NET's tools: statements of methods -> methods.c
 *	scoverage.c  scoverage's report, the same way
 *	ctc.c, bullseye.c  reports of two tools for C, the same way
 *	methods.c    methods with statements, branches, files -> graph
 *	elements.c   shared by the readers
 *	fns.c        shared by the writers: the functions of a file
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

/* The same event as in lcov and Cobertura, so that inputs can be merged. */
#define COVERAGE_XML_EVENT                                          \
	{                                                       \
		.name = "Exec", .long_name = "Line executions", \
		.is_signed = true, .incl = CG_INCL_NONE         \
	}

/* Events for Java's instructions, which JaCoCo counts besides lines. */
#define JACOCO_COVERED "CoveredInstr"
#define JACOCO_MISSED "MissedInstr"

/* ---- elements.c --------------------------------------------------------- */

struct coverage_xml_reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	struct cg_xml *xml;
	/* The open report's elements; a reader of several dialects sets it. */
	const struct coverage_xml_element *elements;
	bool any_root;     /* each element of the first table may be the root */
	uint64_t branches; /* of all lines so far */
	void *arg;         /* state of the format */
};

/*
 * Functions for the begin and end of an element; a table ends with name NULL.
 */
struct coverage_xml_element {
	const char *name;
	bool (*open)(struct coverage_xml_reader *);
	bool (*close)(struct coverage_xml_reader *);
};

/*
 * Reads a document, whose root is the table's first element. Returns the
 * status.
 */
int coverage_xml_read_document(
    struct coverage_xml_reader *, const struct coverage_xml_element *);
/* The open() of an element that is skipped with all that it contains. */
bool coverage_xml_skip(struct coverage_xml_reader *);
/*
 * Gets an attribute with a number of at most most; an optional attribute that
 * is absent becomes 0. False: rejected (reported).
 */
bool coverage_xml_get_number(struct coverage_xml_reader *, const char *name,
    bool optional, uint64_t most, uint64_t *number);
/* Counts n more branches. False: too many for the input's size (reported). */
bool coverage_xml_allow_branches(struct coverage_xml_reader *, uint64_t n);
/*
 * Adds branches of a line as one block: hit branches that ran, then missed
 * ones. Only the numbers are known. Call coverage_xml_allow_branches() before.
 */
bool coverage_xml_add_outcomes(struct coverage_xml_reader *, cg_fn,
    const struct cg_branch *first, uint64_t hit, uint64_t missed);

/* ---- methods.c ---------------------------------------------------------- */

/* Lines that ran equally often; file: a number of the report. */
struct coverage_xml_statement {
	uint64_t file;
	uint32_t first, last;
	uint32_t column, last_column; /* as in struct cg_region; 0: unknown */
	uint64_t count;
};

/* One way out of a branch; those of one branch have the same group. */
struct coverage_xml_outcome {
	uint64_t file;
	uint32_t line;
	uint64_t group;
	uint64_t count;
	size_t nth; /* set when added */
};

struct coverage_xml_method {
	cg_name name;
	bool counted; /* entries are known */
	uint64_t entries;
	size_t statement, outcome; /* index of its first ones */
};

/*
 * Methods of a report or of a part of it. A line that several methods share
 * has the sum of their counts. Starts as { 0 }.
 */
struct coverage_xml_methods {
	CG_ARRAY(struct coverage_xml_method) method;
	CG_ARRAY(struct coverage_xml_statement) statement;
	CG_ARRAY(struct coverage_xml_outcome) outcome;
	CG_ARRAY(char) text; /* scratch */
	struct cg_map files; /* number of a report -> cg_file */
	/*
	 * The count of a line is that of the statement that ran most often,
	 * not the sum: where statements say only whether they ran.
	 */
	bool largest;
	uint64_t lines;          /* of all statements */
	uint64_t unlisted, bare; /* statements without file, empty methods */
	uint64_t stray;          /* outcomes of empty methods */
};

/* All return false if they rejected something (reported). */
bool coverage_xml_begin_method(
    struct coverage_xml_reader *, struct coverage_xml_methods *, cg_name);
/* Returns the method that was begun last; NULL: there is none (reported). */
struct coverage_xml_method *coverage_xml_last_method(
    struct coverage_xml_reader *, struct coverage_xml_methods *);
/* These functions append a statement or an outcome to the last method. */
bool coverage_xml_add_statement(struct coverage_xml_reader *,
    struct coverage_xml_methods *, const struct coverage_xml_statement *);
bool coverage_xml_add_outcome(struct coverage_xml_reader *,
    struct coverage_xml_methods *, const struct coverage_xml_outcome *);
/* Adds a file and returns it; "C:\a\b" gets slashes. */
cg_file coverage_xml_add_path(struct coverage_xml_reader *,
    struct coverage_xml_methods *, struct cg_slice path);
/*
 * Adds a file like coverage_xml_add_path(), to which statements refer by the
 * number id.
 */
bool coverage_xml_list_file(struct coverage_xml_reader *,
    struct coverage_xml_methods *, uint64_t id, struct cg_slice path);
/* Adds the methods to the graph; numbers of files stay known. */
bool coverage_xml_end_methods(
    struct coverage_xml_reader *, struct coverage_xml_methods *);
/* Reports what was dropped, after the last call of the above. */
void coverage_xml_tell_dropped(
    struct coverage_xml_reader *, const struct coverage_xml_methods *);

/* ---- fns.c -------------------------------------------------------------- */

/* A function of the current file: all functions of the file with one key. */
struct coverage_xml_fn {
	struct cg_slice key;  /* see cg_fn_key() */
	struct cg_slice name; /* of one of them */
	uint32_t first;
	uint64_t count;
	bool shares_name; /* see clover_write.c */
};

/* Starts as { 0 }. */
struct coverage_xml_fns {
	CG_ARRAY(struct coverage_xml_fn) fn;
};

/* Lists the functions of the current file by key; false: out of memory. */
bool coverage_xml_list_fns(struct coverage_xml_fns *, const struct cg_report *);
/* Returns the list's element for a function of the file, or NULL. */
struct coverage_xml_fn *coverage_xml_find_fn(
    const struct coverage_xml_fns *, const struct cg_graph *, cg_fn);

void coverage_xml_put_number(struct cg_out *, const char *name, uint64_t value);

#endif
