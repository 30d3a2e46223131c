/*
 * folded.h - what the parts of the folded format share.
 */
#ifndef FORMATS_FOLDED_FOLDED_H
#define FORMATS_FOLDED_FOLDED_H

#include "cgconv_parse.h"

/*
 * Counts with fractions are kept as whole millionths, in an event whose name
 * says so: "samples_1e-6".
 */
#define FOLDED_MICRO 1000000u
#define FOLDED_DIGITS 6
#define FOLDED_MICRO_SUFFIX "_1e-6"
#define FOLDED_MICRO_UNIT "1e-6"

/* Objects of frames whose annotation tells no more. */
#define FOLDED_KERNEL "[kernel]"
#define FOLDED_JIT "[jit]"

/* What flamegraph.pl calls a frame that nobody could name. */
#define FOLDED_UNKNOWN "[unknown]"
/* What counts are called that have no name. */
#define FOLDED_EVENT "samples"
/* The comment that says that stacks are an estimate. */
#define FOLDED_GUESSED "# " CG_GUESSED_KEY ": " CG_GUESSED_VALUE

struct folded_count {
	uint64_t whole;
	uint32_t micro; /* below FOLDED_MICRO */
	bool negative, fraction;
	bool rounded; /* there were more digits, and not zeros */
};

/*
 * Takes the last word of the line if it is a count, and the blanks before it.
 * False: it is none, or too big.
 */
bool folded_take_count(struct cg_slice *line, struct folded_count *);

/* Without blanks and a CR at its end. */
struct cg_slice folded_trim_line(struct cg_slice line);

#define FOLDED_COLUMNS 64
/* "samples/count cpu/nanoseconds": how many it names, 0: it is none such. */
size_t folded_get_header(struct cg_slice line,
    struct cg_slice name[FOLDED_COLUMNS], struct cg_slice unit[FOLDED_COLUMNS]);
int folded_read(struct cg_job *, struct cg_in *, struct cg_build *);
int folded_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
