/*
 * cobertura.h - Cobertura's XML: what the files of the format share.
 */
#ifndef CG_COBERTURA_H
#define CG_COBERTURA_H

#include "cgconv.h"

/* Makes room for one more of width bytes; false: out of memory. */
bool cg_cobertura_grow(void *array, size_t *cap, size_t count, size_t width);

int cg_read_cobertura(struct cg_job *, struct cg_in *, struct cg_build *);
int cg_write_cobertura(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
