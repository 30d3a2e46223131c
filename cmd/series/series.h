/*
 * series.h - --series: many runs in their order, and where levels change.
 *
 *	series.c   the command
 *	read.c     reads the runs, one after the other, and sorts them
 *	costs.c    keeps costs by run and function, in bounded memory
 *	curves.c   chooses what is shown, and finds its changes
 *	changes.c  finds the changes in a series of numbers
 *	report.c   text, JSON, CSV
 *	page.c     a page with charts
 */
#ifndef SERIES_H
#define SERIES_H

#include "../cmd.h"
#include "changes.h"

/* ---- costs.c ------------------------------------------------------------- */

/* Costs of functions, or lines of files of a coverage series. */
enum { INCLUSIVE, SELF, KEYS };
enum { HIT, FOUND };

/* The costs of a function by run, in the order of reading. */
struct column {
	uint32_t id;
	/*
	 * Runs before it were not kept, as each cost below costs.floor of its
	 * total; they have their mean.
	 */
	size_t unknown;
	double peak[KEYS]; /* largest share of a run's total */
	CG_ARRAY(double) cost[KEYS];
	CG_ARRAY(int16_t) rest[KEYS]; /* cost_rest(); empty: all are 0 */
};
/* What is known of a function. */
struct known {
	size_t column; /* plus 1; 0: none */
	double sum[KEYS]; /* of all costs that were dropped */
};
struct costs {
	struct cg_job *job; /* has the memory */
	size_t runs;
	CG_ARRAY(struct column) column;
	CG_ARRAY(struct known) known; /* by id */
	CG_ARRAY(uint64_t) now;       /* of the current run, by id and key */
	bool is_signed;               /* these costs are */
	CG_ARRAY(uint32_t) touched;   /* ids that have one */
	double floor; /* largest share of a total among dropped costs */
	size_t dropped; /* columns */
};
/* Adds to the costs of the current run. False: out of memory. */
bool add_costs(struct costs *, uint32_t id, const uint64_t cost[KEYS]);
/*
 * Ends the run, whose total is given; 0: keep all costs. False: out of memory.
 */
bool end_costs(struct costs *, double total);
/* Gives all columns the same length. False: out of memory. */
bool complete_costs(struct costs *);

/* ---- read.c -------------------------------------------------------------- */

enum { LINES, FUNCTIONS, BRANCHES, METRICS };

struct series_run {
	const char *name;   /* "path", or "archive/member" */
	const char *format;
	bool timed;
	int64_t time;       /* nanoseconds since 1970, if timed */
	double total;
	int rest;           /* of the total: cost_rest() */
	double samples;     /* 0: unknown */
	struct cg_hits hits[METRICS];
};
struct series {
	struct args *args;
	const char *path; /* of -o; NULL: standard output */
	struct common_event common;
	const struct cg_graph *functions; /* of all runs; NULL: coverage */
	bool coverage, has_calls;
	CG_ARRAY(struct series_run) run;
	size_t *order;  /* indexes of run */
	size_t skipped; /* runs that could not be read */
	struct costs costs;
	struct paths files; /* of coverage */
	double error_rate;
	size_t comparisons;
	size_t top;
	CG_ARRAY(struct curve) curve;
	size_t totals; /* curves in front of those of functions or files */
	size_t unlisted; /* functions with changes, or files, that top hides */
	struct changes_room room;
};
/* Reads all runs and sets their order. Returns the status. */
int read_series(struct series *);

/* ---- curves.c ------------------------------------------------------------ */

/* What is shown: numbers by run, in the order of the series. */
struct curve {
	const char *kind; /* "total", "self", "inclusive", "file", ... */
	struct cg_slice name, file, object;
	bool percent;  /* the values are percentages; NAN: there is none */
	double *value;
	int16_t *rest; /* of the values: cost_rest(); NULL: all are 0 */
	struct change *change;
	size_t changes;
	size_t unknown; /* as in struct column */
	double size;   /* of the largest change */
	double mean;
};
bool make_curves(struct series *);
/*
 * Gets the next curve of a function whose self cost changed where a total's
 * curve did, from *i on, and which of its changes that is. False: no more.
 */
bool next_cause(const struct series *, const struct change *, size_t *i,
    const struct change **cause);

/* ---- report.c ------------------------------------------------------------ */

/* Formats a value of a curve; returns buf. */
const char *value_text(
    char buf[AMOUNT_ROOM], const struct curve *, double value);
/* Formats the value of run i, in the order of the series; returns buf. */
const char *point_text(char buf[AMOUNT_ROOM], const struct curve *, size_t i);
/* Formats the change of a level: "+5.0%", or points of a percentage. */
const char *change_text(
    char buf[AMOUNT_ROOM], const struct curve *, const struct change *);
/* Returns run i in the order of the series. */
const struct series_run *run_at(const struct series *, size_t i);
/* Writes how changes are found, without the end of a sentence. */
void put_series_method(FILE *, const struct series *);
/* Return false if memory runs out. */
bool print_series(FILE *, const struct series *);
bool write_series_json(FILE *, const struct series *);
void write_series_csv(FILE *, const struct series *);

/* ---- page.c -------------------------------------------------------------- */

void write_series_page(FILE *, const struct series *);

#endif
