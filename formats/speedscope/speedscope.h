/*
 * speedscope.h - the way of the data through formats/speedscope/.
 *
 * Reading (read.h): read.c takes profiles and frames, json.c their values,
 * exporter.c the keys that only cgconv writes; samples become a tree of frame
 * numbers with costs. At the end build.c turns the tree into parts, events and
 * stacks, and timeline.c turns samples into moments. Writing (write.h):
 * write.c lists frames, merges and sorts stacks and writes a profile for each
 * part and event, order.c one for each track, header.c the keys before its
 * samples. speedscope.c describes the format to the library.
 */
#ifndef FORMATS_SPEEDSCOPE_SPEEDSCOPE_H
#define FORMATS_SPEEDSCOPE_SPEEDSCOPE_H

#include "cgconv_parse.h"

#define SPEEDSCOPE_SCHEMA "https://www.speedscope.app/file-format-schema.json"

int speedscope_read(struct cg_job *, struct cg_in *, struct cg_build *);
int speedscope_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
