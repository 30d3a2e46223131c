/*
 * folded.h - the way of folded stacks.
 *
 * Reading: read.c takes lines, syntax.c their counts. Frames become nodes of
 * the builder; counts are summed by stack and added at the end, when it is
 * known whether there are fractions or negative counts.
 *
 * Writing: write.c names functions, the library merges stacks whose frames have
 * equal names, and each merged stack becomes a line. folded.c describes the
 * format to the library.
 */
#ifndef FORMATS_FOLDED_FOLDED_H
#define FORMATS_FOLDED_FOLDED_H

#include "cgconv_parse.h"

/*
 * Counts with fractions become whole millionths, of an event with a suffix:
 * "samples_1e-6".
 */
#define FOLDED_MICRO 1000000u
#define FOLDED_DIGITS 6
#define FOLDED_MICRO_SUFFIX "_1e-6"
#define FOLDED_MICRO_UNIT "1e-6"

/* Objects of frames that only an annotation tells apart. */
#define FOLDED_KERNEL "[kernel]"
#define FOLDED_JIT "[jit]"

/* flamegraph.pl's name for a frame without one. */
#define FOLDED_UNKNOWN "[unknown]"
/* The event of counts without a name. */
#define FOLDED_EVENT "samples"
/* The comment of a file whose stacks are an estimate. */
#define FOLDED_GUESSED "# " CG_GUESSED_KEY ": " CG_GUESSED_VALUE

struct folded_count {
	uint64_t whole;
	uint32_t micro; /* below FOLDED_MICRO */
	bool negative, fraction;
	bool rounded; /* nonzero digits were dropped */
};

/*
 * Takes the last word off the line if it is a count, with the blanks before it.
 * False: it is none, or too big.
 */
bool folded_take_count(struct cg_slice *line, struct folded_count *);

/* The line without blanks and CR at its end. */
struct cg_slice folded_trim_line(struct cg_slice line);

#define FOLDED_COLUMNS 64
/*
 * Parses a header line, "samples/count cpu/nanoseconds". Returns the number of
 * columns; 0: it is no header.
 */
size_t folded_get_header(struct cg_slice line,
    struct cg_slice name[FOLDED_COLUMNS], struct cg_slice unit[FOLDED_COLUMNS]);
int folded_read(struct cg_job *, struct cg_in *, struct cg_build *);
int folded_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
