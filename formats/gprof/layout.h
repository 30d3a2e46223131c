/*
 * layout.h - writing a gmon.out: which address a place of the graph has in it.
 */
#ifndef FORMATS_GPROF_LAYOUT_H
#define FORMATS_GPROF_LAYOUT_H

#include "desc.h"

/* ---- layout.c ----------------------------------------------------------- */

struct gprof_layout {
	struct cg_job *job;
	const struct cg_graph *graph;
	const struct cg_symbols *symbols; /* of the program, or NULL */
	bool exact;        /* the graph was read from a gmon.out */
	uint64_t *shift;   /* by object: is added to its addresses */
	bool *is_covered;  /* by object: it is in the output */
	uint64_t *entry;   /* by function, in the output; 0: not known */
};
/*
 * Decides what the output covers: as the graph remembers, or by the
 * executable, or by the addresses of the graph. Sets all of gmon but counters.
 * False: reported, or a cursor failed.
 */
bool gprof_layout_open(struct gprof_layout *, struct cg_job *,
    const struct cg_graph *, size_t event, struct gmon *);
/* Addresses of a cost, a call site, a callee in the output; 0: none. */
uint64_t gprof_cost_address(
    const struct gprof_layout *, cg_fn, const struct cg_pos *);
uint64_t gprof_site_address(
    const struct gprof_layout *, cg_fn, const struct cg_pos *);
uint64_t gprof_entry_address(
    const struct gprof_layout *, cg_fn, const struct cg_pos *);

/* ---- write.c ------------------------------------------------------------ */

/* rate: samples per unit of the event; 0: as the graph or costs suggest. */
int gprof_write(struct cg_job *, const struct cg_graph *, struct cg_out *,
    uint64_t rate);

#endif
