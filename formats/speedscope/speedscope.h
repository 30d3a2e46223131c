/*
 * speedscope.h - what the parts of the speedscope format share.
 */
#ifndef FORMATS_SPEEDSCOPE_SPEEDSCOPE_H
#define FORMATS_SPEEDSCOPE_SPEEDSCOPE_H

#include "cgconv_parse.h"

#define SPEEDSCOPE_SCHEMA "https://www.speedscope.app/file-format-schema.json"

int speedscope_read(struct cg_job *, struct cg_in *, struct cg_build *);
int speedscope_write(
    struct cg_job *, const struct cg_graph *, struct cg_out *);
/*
 * The beginning of a profile, up to its samples; counted: weights are numbers
 * of samples. False: out of memory.
 */
bool speedscope_put_head(const struct cg_graph *, struct cg_out *, cg_part,
    size_t event, bool counted);

#endif
