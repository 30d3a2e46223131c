/*
 * perf_script.h - the text of perf script.
 *
 * The way of the data:
 *
 *	perf_script.c  the format: documentation, probe, options
 *	lines.c        text -> lines, in threads
 *	line.c         parses one line: a sample's first, a frame, a source line
 *	read.c         lines -> samples with their stacks -> the graph
 */
#ifndef FORMATS_PERF_SCRIPT_PERF_SCRIPT_H
#define FORMATS_PERF_SCRIPT_PERF_SCRIPT_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

/* perf's text for an unknown name or object. */
#define PERF_UNKNOWN "[unknown]"

/* ---- line.c: the kinds of lines ----------------------------------------- */

/* The first line of a sample. -F chooses its fields. */
struct perf_head {
	struct cg_slice comm;  /* may contain blanks; empty: not printed */
	struct cg_slice event; /* without the colon; empty: not printed */
	struct cg_slice rest;  /* of the line: a frame, a tracepoint's text */
	uint64_t pid, tid;     /* 0: not printed */
	uint64_t period;
	struct cg_slice time; /* "916.089109:" */
	uint32_t cpu;
	bool has_period, has_time, has_cpu;
	bool branch; /* a branch target followed rest */
};

/* A frame: "ip name+0xoffset (object)". Name and object are optional. */
struct perf_frame {
	uint64_t ip;
	struct cg_slice name;   /* empty: not printed */
	struct cg_slice object; /* empty: not printed, or unknown */
	bool inlined;           /* printed as "(inlined)" */
};

/* False if the line, which must not be empty, does not begin a sample. */
bool perf_script_take_head(struct cg_slice line, struct perf_head *);
/* Returns the time of a line's head in nanoseconds; 0: out of range. */
int64_t perf_script_get_time(struct cg_slice time);
/* True for a line of --show-task-events and the like. */
bool perf_script_is_record(const struct perf_head *);
/* False if the line is not a frame. Leading blanks are skipped. */
bool perf_script_take_frame(struct cg_slice line, struct perf_frame *);
/* False: the name is not printed, or unknown. */
static inline bool
perf_script_has_name(const struct perf_frame *frame)
{
	return frame->name.len > 0 && !cg_equal(frame->name, PERF_UNKNOWN);
}
/*
 * Parses a line that -F srcline prints after a frame: "file:line", and maybe "
 * (inlined)". False if it is not such a line. The file is empty if perf knows
 * none: "??:0", ":0" and "object[address]".
 */
bool perf_script_take_srcline(struct cg_slice line, struct cg_slice *file,
    uint32_t *number, bool *inlined);

/* ---- lines.c: blocks of lines ------------------------------------------- */

/* A frame as threads parse it; small, as there are very many. */
struct perf_step {
	uint64_t ip;
	cg_fn fn;    /* 0: unknown */
	bool marked; /* printed as inlined */
};

/* A line, and its kind as far as it does not depend on earlier lines. */
struct perf_line {
	const char *text;
	uint32_t len;      /* without blanks and CR at its end */
	unsigned kind : 2; /* enum perf_kind */
	unsigned i : 30;   /* index in step[] or head[] */
};
enum perf_kind { PERF_OTHER, PERF_FRAME, PERF_HEAD };

/* The result of cg_next_text(). */
struct perf_lines {
	struct perf_line *line;
	struct perf_step *step; /* of lines that begin with a tab */
	struct perf_head *head; /* of other lines that can begin a sample */
	size_t lines, steps, heads;
	size_t line_cap, step_cap, head_cap;
};

/* For struct cg_texts_how; arg is a struct cg_known_fns. */
bool perf_script_parse(const void *arg, struct cg_text *);
void perf_script_close(void *lines);

/* ---- read.c ------------------------------------------------------------- */

int perf_script_read(struct cg_job *, struct cg_in *, struct cg_build *);

#endif
