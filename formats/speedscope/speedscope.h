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

/* The keys before the samples of a profile. */
struct profile_head {
	cg_part part;
	size_t event;
	bool counted;                 /* weights are numbers of samples */
	int64_t begin, end;           /* of the axis */
	const struct cg_track *track; /* NULL: of the whole part */
	bool again;                   /* samples of another event's profile */
	bool named;                   /* the name includes the track's */
	bool gaps; /* samples without frames are gaps */
};
/* Writes the keys before the samples. False: out of memory. */
bool speedscope_put_head(
    const struct cg_graph *, struct cg_out *, const struct profile_head *);

#endif
