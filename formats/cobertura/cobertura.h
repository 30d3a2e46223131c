/*
 * cobertura.h - Cobertura's XML: what the files of the format share.
 */
#ifndef FORMATS_COBERTURA_COBERTURA_H
#define FORMATS_COBERTURA_COBERTURA_H

#include "cgconv_parse.h"

int cobertura_read(struct cg_job *, struct cg_in *, struct cg_build *);
int cobertura_write(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
