/*
 * chrome.h - V8's profiles: CPU profiles, heap profiles, and traces.
 *
 * The way of the data:
 *
 *	cpuprofile.c, heapprofile.c   one JSON document, one profile each
 *	trace_event.c                 a JSON trace: its events, one by one
 *	  spans/                      begin and end events, put into order
 *	  trace_profiles.c            CPU profiles that come in pieces as events
 *	  trace_write.c               calls of threads as events
 *	tree.c                        call frames of a profile from JSON; stacks
 *	samples.c                     samples, summed for each node of a tree
 *	profile_write.c               writes a tree and its samples
 *
 * cpuprofile.c and trace_profiles.c fill a tree and add samples to it;
 * samples.c then adds the stacks, their costs and times to the graph. This
 * header declares what all formats share, trace_event.h what a trace needs.
 */
#ifndef FORMATS_CHROME_CHROME_H
#define FORMATS_CHROME_CHROME_H

#include "cgconv_parse.h"

#define CHROME_BUILTIN "(V8)" /* object of functions outside of scripts */
#define CHROME_ANONYMOUS "(anonymous)" /* as developer tools show it */

/* ---- tree.c: call frames ------------------------------------------------ */

struct chrome_node {
	uint64_t id; /* 0: none */
	cg_name name, url;
	int64_t line, column; /* from 0; -1: unknown */
	bool builtin;         /* belongs to no script */
	uint64_t cost;        /* hits, or bytes */
	uint64_t samples, ns; /* of CPU profiles */
	uint64_t parent;      /* its index in the tree + 1 */
	uint64_t parent_id;
	uint32_t tick, ticks; /* its first tick, and how many */
	cg_fn fn;
	cg_node below, frame; /* stack of its caller; its own stack */
	cg_node sampled; /* stack of its samples, if all are on one line */
	struct cg_pos pos;
	bool old;    /* before Chrome 58: lines count from 1 */
	bool framed; /* below and frame are set */
};

/* Number of samples on a line of a node's function. */
struct chrome_tick {
	uint64_t line, count;
};

/* A node that lists the id among its children. */
struct chrome_child {
	uint64_t id, parent;
};

/* Nodes and their links, in any order. Must be the first member of doc->arg. */
struct chrome_tree {
	CG_ARRAY(struct chrome_node) node;
	struct cg_map ids; /* id -> index + 1 */
	CG_ARRAY(struct chrome_child) child;
	CG_ARRAY(struct chrome_tick) tick;
	CG_ARRAY(size_t) path; /* nodes without a stack, leaf first */
};

/*
 * A cg_field's take(): reads a node with the nodes inside it. False: an error
 * (reported).
 */
bool chrome_take_node(struct cg_doc *, void *into);
/* Sets each node's parent, after the last node. False: an error (reported). */
bool chrome_link_tree(struct cg_doc *, struct chrome_tree *);
/* Returns the node with an id; NULL, and an error, if there is none. */
struct chrome_node *chrome_find_node(
    struct cg_doc *, struct chrome_tree *, uint64_t id);
/* Adds the frames of a node and its callers; returns its stack. 0: an error. */
cg_node chrome_add_frames(
    struct cg_doc *, struct chrome_tree *, struct chrome_node *);

/* ---- samples.c: the samples of a CPU profile ---------------------------- */

struct chrome_sum {
	uint64_t id; /* of the node */
	uint64_t samples, ns;
};

struct chrome_profile {
	struct chrome_tree tree; /* must be first, see chrome_tree */
	bool timed;              /* samples have times */
	int64_t start, end;      /* ns */
	/*
	 * V8 counts ids from 1. So sums of ids up to about twice the number of
	 * nodes are in an array indexed by id; a map finds other sums.
	 */
	CG_ARRAY(struct chrome_sum) dense;
	CG_ARRAY(struct chrome_sum) sparse;
	struct cg_map sparse_ids;   /* id -> index in sparse + 1 */
	struct chrome_sum *running; /* sum of the last sample; NULL: none */
	int64_t now, latest;        /* the clock, and its greatest value */
	int64_t first;              /* value of latest at the first sample */
	uint64_t samples;
	bool ended; /* by a time after the last sample */
	/* Timeline: ids and begins of samples, both stored as differences. */
	struct cg_numbers moments;
	bool asked, kept;           /* kept: the target can represent times */
	int64_t last_id, last_time; /* of the last moment */
	int64_t base;               /* ns; added to all times */
	struct cg_track track;      /* pid, tid, name */
};

/*
 * Adds a sample of the node with an id, taken delta ns after the previous one.
 * False: an error (reported).
 */
bool chrome_add_sample(
    struct cg_doc *, struct chrome_profile *, int64_t id, int64_t delta);
/*
 * Ends the last sample delta ns after it was taken. False: an error
 * (reported).
 */
bool chrome_end_samples(
    struct cg_doc *, struct chrome_profile *, int64_t delta);
/*
 * Iterates over the sums of ids with samples; *i starts as 0. False: no more.
 */
bool chrome_next_sum(
    const struct chrome_profile *, size_t *i, struct chrome_sum *);
/* Adds all stacks to the current part of the builder, after the last sample. */
void chrome_add_profile(struct cg_doc *, struct chrome_profile *);

/* ---- profile_write.c ---------------------------------------------------- */

int chrome_write_profile(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
