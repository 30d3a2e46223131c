/*
 * speedscope.h - what the parts of the speedscope format share.
 */
#ifndef FORMATS_SPEEDSCOPE_SPEEDSCOPE_H
#define FORMATS_SPEEDSCOPE_SPEEDSCOPE_H

#include "cgconv_parse.h"

#define SPEEDSCOPE_SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* What a profile may be counted in, and what that is here. */
struct speedscope_unit {
	const char *name;  /* in the file */
	const char *event; /* which we call so */
	const char *unit;
	uint64_t scale; /* so many of our unit are one */
};
/* Ends with a NULL name; the first is of no unit. */
extern const struct speedscope_unit speedscope_units[];

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
