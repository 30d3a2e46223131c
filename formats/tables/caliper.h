/*
 * caliper.h - profiles of Caliper.
 *
 *	caliper.c         detection
 *	caliper_cali.c    files .cali
 *	caliper_json.c    JSON of the formatter json-split
 *	caliper_tree.c    the tree that runtime-report prints
 *	caliper_values.c  sums of values by path, and the graph
 */
#ifndef FORMATS_TABLES_CALIPER_H
#define FORMATS_TABLES_CALIPER_H

#include "tables.h"

#define CALIPER_RECORD "__rec="
#define CALIPER_UNIT "attribute.unit"

/* A region in the regions that contain it. Index 0: outside of all. */
struct caliper_path {
	uint32_t parent;
	cg_name name;
	cg_node node;
};

/* What the values of an attribute or a column are. */
struct caliper_metric {
	uint32_t event;  /* index; 0: they are dropped */
	unsigned digits; /* factor, to the power of 10 */
	bool inclusive;
};

struct caliper_event {
	cg_name name; /* of the attribute, without what was computed from it */
	bool time, has_self;
};

/* Sums by path and event. */
struct caliper_sum {
	uint32_t path, event;
	uint64_t self, all;
};

struct caliper {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	CG_ARRAY(struct caliper_path) path;
	CG_ARRAY(struct caliper_event) event; /* index 0 is unused */
	CG_ARRAY(struct caliper_sum) sum;     /* index 0 is unused */
	struct cg_map sum_ids;
	bool unstated; /* the unit of times */
	bool whole;    /* values point into the input */
	uint64_t columns, cut, negative, smaller;
};

/* ---- Readers ------------------------------------------------------------- */

/* Read the input. False: an error (reported). */
bool caliper_read_cali(struct caliper *);
bool caliper_read_json(struct caliper *);
bool caliper_read_tree(struct caliper *);
/* Returns true for the first line of a tree. */
bool caliper_is_tree(struct cg_slice line);

/* ---- Values -------------------------------------------------------------- */

/*
 * Returns what the values of an attribute or column with this name are. Its
 * event is 0 if they are dropped. unit is their unit, such as "sec", or "" if
 * unknown. measured: they are sums even if the name does not begin with
 * "sum#".
 */
struct caliper_metric caliper_get_metric(struct caliper *, struct cg_slice name,
    struct cg_slice unit, bool measured);
/*
 * Adds the value in text, a measurement of metric, to the path's inclusive or
 * self sum. Drops values of metrics without an event; counts negative values,
 * and drops them. False: no number, or an error (reported).
 */
bool caliper_add_value(struct caliper *, uint32_t path,
    const struct caliper_metric *, struct cg_slice text);
/*
 * Appends a path: region name in the path parent. Returns its index; 0: out of
 * memory (reported).
 */
uint32_t caliper_add_path(struct caliper *, uint32_t parent, cg_name name);
/*
 * Adds the events, and the paths as stacks with their self values, to the
 * graph, and reports what was dropped. False: an error (reported).
 */
bool caliper_add_stacks(struct caliper *);

#endif
