/*
 * folded.h - the way of the data through formats/folded/.
 *
 * Reading: in threads, lines.c cuts text into lines and lines into frames;
 * syntax.c parses counts. In read.c frames become nodes of the builder; counts
 * are summed by stack and added at the end, when it is known whether any count
 * is a fraction or negative.
 *
 * Writing: write.c names functions, the library merges stacks whose frames have
 * equal names, and each merged stack becomes a line. folded.c describes the
 * format to the library.
 */
#ifndef FORMATS_FOLDED_FOLDED_H
#define FORMATS_FOLDED_FOLDED_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

/*
 * Counts with fractions are stored as whole millionths, in an event with a
 * suffix: "samples_1e-6".
 */
#define FOLDED_MICRO 1000000u
#define FOLDED_DIGITS 6
#define FOLDED_MICRO_SUFFIX "_1e-6"
#define FOLDED_MICRO_UNIT "1e-6"

/* Objects of frames that differ only in their annotation. */
#define FOLDED_KERNEL "[kernel]"
#define FOLDED_JIT "[jit]"

/* flamegraph.pl's name for a frame without one. */
#define FOLDED_UNKNOWN "[unknown]"
/* The event of counts whose event is not named. */
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
 * Removes the last word, and the blanks before it, from the line and stores
 * it, if it is a count. False: not a count, or too big.
 */
bool folded_take_count(struct cg_slice *line, struct folded_count *);

/*
 * Dialects of Austin: stacks begin with "P42;T0x7f" and frames are
 * "file:function:line". The costs of a line are a time, a change of memory, or
 * "time,idle,change" with --full. Source: README.md of Austin 3.
 */
enum folded_austin {
	FOLDED_PLAIN, /* not Austin's */
	FOLDED_TIME,
	FOLDED_MEMORY,
	FOLDED_FULL
};
/*
 * Takes the costs off a line as counts: FOLDED_TIME has 1; FOLDED_MEMORY has
 * 2, bytes gained and freed; FOLDED_FULL has 4: time, time not idle, gained,
 * freed. False: malformed.
 */
bool folded_take_metrics(struct cg_slice *line, enum folded_austin,
    struct folded_count count[4]);
/* Replaces "file:function:line" by the function; false: another form. */
bool folded_split_austin(
    struct cg_slice *name, struct cg_slice *file, uint32_t *line);
/* Returns the head of an Austin stack, "P42;T1:0x7f"; "" if it has none. */
struct cg_slice folded_austin_head(struct cg_slice stack);

/* Returns the line without blanks and CR at its end. */
struct cg_slice folded_trim_line(struct cg_slice line);

#define FOLDED_COLUMNS 64
/*
 * Parses a header line, "samples/count cpu/nanoseconds". Returns the number of
 * columns; 0: not a header line.
 */
size_t folded_get_header(struct cg_slice line,
    struct cg_slice name[FOLDED_COLUMNS], struct cg_slice unit[FOLDED_COLUMNS]);

/*
 * A frame of a line. Kept small, as a stack may have many frames. The name
 * excludes blanks around it and the annotation.
 */
struct folded_frame {
	uint32_t begin;              /* of the name, in the line */
	unsigned len : 30, note : 2; /* an index of folded_notes */
	cg_fn fn;                    /* 0: unknown */
};

/* Annotations of frames. */
extern const struct folded_note {
	char letter;        /* "_[k]" */
	const char *object; /* object of the function, or "" */
	bool inlined;
} folded_notes[4];
/* Takes the annotation off a name; returns its index, 0 if there is none. */
unsigned folded_take_note(struct cg_slice *name);

/* A parsed line, without blanks and CR at its end. */
struct folded_line {
	struct cg_slice text;
	size_t stack;  /* bytes before the counts; 0: not a stack */
	size_t frame;  /* index of its first new frame */
	uint32_t keep; /* number of frames kept from the last stack */
	uint32_t frames;
};

/* The result of parsing a block: cg_next_text() returns it. */
struct folded_lines {
	struct folded_line *line;
	struct folded_frame *frame;
	struct folded_count *count; /* by stack, then column */
	uint32_t *end; /* of each frame of the last stack: its end */
	size_t lines, frames, counts, ends;
	size_t line_cap, frame_cap, count_cap, end_cap;
};

/* Properties of the input that threads need. */
struct folded_input {
	size_t columns;           /* counts in a line */
	enum folded_austin austin;
	struct cg_known_fns *fns; /* NULL: names contain positions */
};
/* For struct cg_texts_how; arg is a struct folded_input. */
bool folded_parse(const void *arg, struct cg_text *);
void folded_close(void *lines);
/* Frees memory that was needed only for a stack of very many frames. */
void folded_trim(struct folded_lines *);

int folded_read(struct cg_job *, struct cg_in *, struct cg_build *);
int folded_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
