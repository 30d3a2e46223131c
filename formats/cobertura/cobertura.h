/*
 * cobertura.h - Cobertura's XML: what the files of the format share.
 */
#ifndef CG_COBERTURA_H
#define CG_COBERTURA_H

#include "cgconv_parse.h"

int cg_read_cobertura(struct cg_job *, struct cg_in *, struct cg_build *);
int cg_write_cobertura(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
