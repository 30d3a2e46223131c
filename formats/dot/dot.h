/*
 * dot.h - call graphs for Graphviz.
 *
 *	dot.c     options, the event, what is drawn, the legend
 *	boxes.c   functions and the frames around them
 *	arrows.c  calls
 *	put.c     costs, shares, colours and text
 */
#ifndef FORMATS_DOT_DOT_H
#define FORMATS_DOT_DOT_H

#include "cgconv_parse.h"
#include "picture/picture.h"

#define DOT_FONT_MIN 10.0

/* A cost before and after; before is 0 if costs are not compared. */
struct dot_sides {
	double before, after;
};

/* Calls of one function by another, from all call sites. */
struct dot_call {
	cg_fn callee;
	uint32_t id; /* of the callee */
	uint64_t count, cost[2];
};

struct dot {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	/* [0] is the event, or the event after; [1] is the event before. */
	size_t event[2], events;
	const char *unit;              /* of the event */
	const struct cg_sums *sums[2]; /* of each event alone */
	bool inclusive;                /* the event has inclusive costs */
	bool sampled;                  /* calls are counted in samples */
	bool is_signed, change;        /* the graph shows changes */
	bool objects;                  /* functions of several are drawn */
	double total, largest;         /* largest change of a function */
	const char *cluster;           /* "file", "object" or NULL */
	double node_threshold, call_threshold; /* shares */
	uint64_t most;          /* functions that are drawn; 0: no limit */
	uint32_t *id; /* by fn: its number in the output; 0: not drawn */
	/* By that number: an arrow leads to it; calls to it are not shown. */
	bool *called, *missed;
	struct picture_lines lines; /* of the name that is written */
	/* What is drawn, and what is not shown. */
	size_t fns, small_fns, more_fns;
	double self; /* of drawn functions */
	size_t calls, small_calls;
	size_t torn; /* drawn functions without any of the arrows to them */
	CG_ARRAY(struct dot_call) call; /* of the current caller */
	struct cg_map call_ids;         /* callee -> index in call + 1 */
};

/* ---- put.c -------------------------------------------------------------- */

/* Returns a cost as a number; it may be negative if the event is signed. */
double dot_number(const struct dot *, uint64_t cost);
struct dot_sides dot_fn_cost(const struct dot *, cg_fn, bool inclusive);
struct dot_sides dot_cycle_cost(
    const struct dot *, uint32_t cycle, bool inclusive);
struct dot_sides dot_call_cost(const struct dot *, const struct dot_call *);
/*
 * Returns the cost of a function or call as a share of dot->total, from 0 to
 * 1. If the graph compares two profiles, the larger one of the costs before
 * and after counts, without its sign. Otherwise cost.before is 0. Returns 0 if
 * the total is 0.
 */
double dot_share(const struct dot *, struct dot_sides);
/* Returns the name of a function, "???" if it has none. */
struct cg_slice dot_fn_name(const struct dot *, cg_fn);
/*
 * Writes text for use inside a quoted string, without the quotes around it.
 * Escapes quotes and backslashes. Control characters become blanks. Each byte
 * that is not valid UTF-8 becomes U+FFFD.
 */
void dot_put_text(struct cg_out *, struct cg_slice text);
/*
 * Writes the colour of a cost, for an area if fill is true, else for lines. A
 * small share of the total is grey, a large one red, as in formats/html
 * (graphdraw.js). Black letters can be read on areas. If the graph shows
 * changes, writes the colour of the change instead.
 */
void dot_put_colour(const struct dot *, struct dot_sides, bool fill);
/*
 * Writes a number with two decimals and a point, such as "12.34", in any
 * locale. The number must not be negative; 100 times the number is limited to
 * what 64 bits hold.
 */
void dot_put_hundredths(struct cg_out *, double value);
/*
 * Writes a cost in few digits, "1.55 s", or, if the graph shows changes, its
 * change, "+1.55 s".
 */
void dot_put_amount(const struct dot *, struct dot_sides);
/* Writes that and the share of the total: "1.55 s (12.34%)". */
void dot_put_cost(const struct dot *, struct dot_sides);
/*
 * Writes a cost with all digits and its share: "1,550 ns (12.34%)", or "1,550
 * before, 1,600 after" if costs are compared.
 */
void dot_put_full_cost(const struct dot *, struct dot_sides);
/* Writes a number of calls in few digits and U+00D7, in the plural "times". */
void dot_put_count(struct cg_out *, uint64_t calls);

/* ---- boxes.c, arrows.c -------------------------------------------------- */

/*
 * Chooses the functions to draw, numbers them in dot->id and writes their
 * boxes. Failures are reported to the job.
 */
void dot_put_functions(struct dot *);
/*
 * Writes the arrows between drawn functions, and dashed borders of functions
 * to which no arrow is shown. Failures are reported.
 */
void dot_put_calls(struct dot *);

#endif
