/*
 * summary.h - --summary: how much of the source was covered.
 *
 *	summary.c  the command, and --fail-under
 *	archives.c reads the inputs, which may be archives
 *	collect.c  counts of files and directories
 *	report.c   text and JSON
 *	markup.c   Markdown and a badge
 */
#ifndef CMD_SUMMARY_H
#define CMD_SUMMARY_H

#include "../cmd.h"

/* The metrics of --summary. */
enum { LINES, FUNCTIONS, BRANCHES, CONDITIONS, REGIONS, METRICS };
extern const char *const metric_name[METRICS];

/* Counts of all files, a directory, a file or a test. */
struct covered {
	struct cg_slice path; /* of a test: its name, or empty */
	struct cg_hits hits[METRICS];
};

struct summary {
	const struct args *args;
	struct covered total;
	CG_ARRAY(struct covered) directory, file;
	struct covered *test; /* by part, with --per-test */
	size_t tests;
	struct cg_slice root; /* directory of all files, with its slash */
	size_t shown;         /* files to show */
	size_t metric[METRICS], metrics; /* those to show, and their number */
};

/* Reads all inputs into the job of args. A status as of cg_job_read(). */
int read_coverage(struct args *, const struct cg_graph **);

/* The event that readers of coverage count. */
#define COVERAGE_EVENT "Exec"
/* True if the graph has lines with costs of that event. */
bool is_coverage(const struct cg_graph *, size_t event);
/*
 * Counts the files of a graph, sorted by directory, in memory of the job.
 * False: out of memory, or a cursor has failed.
 */
bool count_coverage(struct summary *, const struct cg_graph *, size_t event);
/* The same for each part: hits of the part, found of all parts. */
bool count_tests(struct summary *, const struct cg_graph *, size_t event);
/* Sort rows: the lowest coverage first. */
void rank_files(struct summary *);
void rank_directories(struct summary *);
bool is_test(const struct summary *, const struct covered *);
/*
 * Returns the path without the directory of all files, "all files", or the
 * name of a test; valid as long as buf.
 */
struct cg_slice row_name(
    const struct summary *, const struct covered *, char buf[AMOUNT_ROOM]);

/* "85.7%", rounded as lcov does; "-" if nothing was found. Returns buf. */
const char *rate_text(char buf[AMOUNT_ROOM], const struct cg_hits *);

void print_text(const struct summary *);
/* False: out of memory. */
bool print_json(const struct summary *);
void print_markdown(const struct summary *);
void print_badge(const struct summary *);

#endif
