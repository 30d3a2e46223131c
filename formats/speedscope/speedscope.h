/*
 * speedscope.h - the way of speedscope's files.
 *
 * Reading (read.h): read.c takes profiles and frames, json.c their values,
 * exporter.c the keys that only cgconv writes; samples become a tree of frame
 * numbers with costs. At the end build.c turns that into parts, events and
 * stacks. Writing: write.c lists frames, merges and sorts stacks and writes a
 * profile for each part and event, header.c what precedes its samples.
 * speedscope.c describes the format to the library.
 */
#ifndef FORMATS_SPEEDSCOPE_SPEEDSCOPE_H
#define FORMATS_SPEEDSCOPE_SPEEDSCOPE_H

#include "cgconv_parse.h"

#define SPEEDSCOPE_SCHEMA "https://www.speedscope.app/file-format-schema.json"

int speedscope_read(struct cg_job *, struct cg_in *, struct cg_build *);
int speedscope_write(
    struct cg_job *, const struct cg_graph *, struct cg_out *);
/*
 * Writes a profile up to its samples. counted: weights are numbers of samples.
 * False: out of memory.
 */
bool speedscope_put_head(const struct cg_graph *, struct cg_out *, cg_part,
    size_t event, bool counted);

#endif
