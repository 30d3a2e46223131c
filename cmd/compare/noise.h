/*
 * noise.h - several runs before and after a change: what is real, what noise?
 *
 * runs.c reads the runs, one after the other, and keeps their costs by
 * function, lines.c those by line; noise.c judges the changes by the methods of
 * statistics.c; noise_report.c prints them and checks --fail-over, judgement.c
 * hands them to targets, means.c writes a profile. diff.c begins it.
 */
#ifndef NOISE_H
#define NOISE_H

#include "compare.h"
#include "statistics.h"

enum { BEFORE, AFTER };
/* Keys of functions, and rows of lines. */
enum { INCLUSIVE, SELF, KEYS, LINE = KEYS, KINDS };

struct noise_run {
	const char *path;
	const char *format;
	int side;
	double total;
	double samples; /* their number; 0: unknown, or costs are exact */
	/* By function and key; functions from fns on have no costs. */
	double *cost;
	size_t fns;
	CG_ARRAY(double) line; /* costs by number of the line */
};

struct noise_line {
	struct cg_slice path;
	uint32_t line;
};

enum method {
	METHOD_EXACT,    /* one run each of an event without noise */
	METHOD_COUNTING, /* one run each of samples */
	METHOD_MEANS,    /* several runs */
	METHOD_NONE      /* one run each of an event whose noise is unknown */
};

/* A change of a function, of a line, or of the total (function 0). */
struct noise_row {
	uint32_t id; /* a function, or the number of a line */
	int key;
	double mean[2];
	struct judged judged;
};

struct noise {
	struct args *args;
	const struct cg_graph *graph; /* has the functions */
	struct noise_run *run;
	size_t runs, count[2]; /* of all, and of each side */
	size_t skipped;
	struct common_event common;
	bool inclusive; /* a run has calls */
	enum method method;
	double error_rate;     /* of all comparisons together */
	size_t judgements;     /* number of comparisons */
	size_t small[KINDS];   /* that cost too little to compare */
	struct noise_row total;
	CG_ARRAY(struct noise_row) row[KINDS]; /* real ones first */
	CG_ARRAY(struct noise_line) line; /* by number - 1 */
	struct cg_map line_ids; /* numbers by file and line */
	struct paths files;
};

/* ---- runs.c ------------------------------------------------------------- */

/*
 * Reads all runs; args->split of them are before the change. Returns the
 * status. Runs that --partial skips are no failure, but are counted in
 * noise->skipped; it is one if a side has no other run.
 */
int read_runs(struct noise *);

/* ---- lines.c ------------------------------------------------------------ */

/* Keeps the run's costs by line, if it has lines. Returns the status. */
int keep_lines(struct noise *, struct noise_run *, const struct run *);

/* ---- noise.c ------------------------------------------------------------ */

/* Returns a run's cost of what a row is about. */
double cost_in(const struct noise_run *, uint32_t id, int key);
/* Judges all changes. False: out of memory (reported). */
bool judge_runs(struct noise *);

/* ---- means.c -------------------------------------------------------------- */

bool writes_profile(const struct args *);
/* Writes the difference in the job of args. Returns the status. */
int write_difference(const struct args *);
/*
 * Writes the difference of the means, with the verdicts. noise->args has a job
 * of its own. Returns the status.
 */
int write_means(const struct args *, struct noise *);

/* ---- judgement.c --------------------------------------------------------- */

/*
 * Fills in the judgement of a difference of two runs, which has the functions
 * of noise->graph; its memory is the job's. False: out of memory (reported).
 */
bool tell_pair(const struct noise *, struct cg_judgement *);
/*
 * The same for a difference of means, whose functions were the last to be
 * numbered. Adds its files to those of the runs.
 */
bool tell_runs(
    struct noise *, const struct cg_graph *difference, struct cg_judgement *);

/* ---- noise_report.c ----------------------------------------------------- */

void print_noise(FILE *, const struct noise *, size_t top);
/*
 * Returns how changes were judged as text, in memory of the job; NULL: out of
 * memory (reported).
 */
const char *copy_method(const struct noise *);
void print_noise_markdown(FILE *, const struct noise *, size_t top);
/* Writes "runs":{...} without a comma. False: out of memory. */
bool write_noise(FILE *, const struct noise *);

/* Limits of --fail-over, as shares; negative: none. */
struct fail_over {
	double total, function;
};
int parse_fail_over(const struct args *, struct fail_over *);
/* Returns EXIT_BELOW, reported, if a real change is over a limit. */
int check_fail_over(const struct noise *, const struct fail_over *);

#endif
