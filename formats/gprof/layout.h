/*
 * layout.h - writing a gmon.out: addresses of the positions of a graph.
 */
#ifndef FORMATS_GPROF_LAYOUT_H
#define FORMATS_GPROF_LAYOUT_H

#include "desc.h"

/* ---- layout.c ----------------------------------------------------------- */

struct gprof_layout {
	struct cg_job *job;
	const struct cg_graph *graph;
	const struct cg_symbols *symbols; /* of the program, or NULL */
	bool exact;        /* the graph comes from a gmon.out */
	uint64_t *shift;   /* by object: added to its addresses */
	bool *is_covered;  /* by object: it is part of the output */
	uint64_t *entry;   /* by function, in the output; 0: unknown */
};
/*
 * Decides which addresses the output covers: from the graph's descriptions,
 * the executable, or the addresses of the graph. Sets all of gmon except
 * counters. False: failed (reported), or a cursor failed.
 */
bool gprof_layout_open(struct gprof_layout *, struct cg_job *,
    const struct cg_graph *, size_t event, struct gmon *);
/*
 * Return the address of a cost, a call site, a callee in the output; 0: none.
 */
uint64_t gprof_cost_address(
    const struct gprof_layout *, cg_fn, const struct cg_pos *);
uint64_t gprof_site_address(
    const struct gprof_layout *, cg_fn, const struct cg_pos *);
uint64_t gprof_entry_address(
    const struct gprof_layout *, cg_fn, const struct cg_pos *);

/* ---- write.c ------------------------------------------------------------ */

/*
 * Writes a gmon.out. rate: samples per unit of the event; 0: chosen by the
 * graph or the costs. Returns the status.
 */
int gprof_write(struct cg_job *, const struct cg_graph *, struct cg_out *,
    uint64_t rate);

#endif
