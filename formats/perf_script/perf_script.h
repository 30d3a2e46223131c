/*
 * perf_script.h - the text of perf script.
 *
 * The way of the data:
 *
 *	perf_script.c  the format: documentation, probe, options
 *	lines.c        text -> lines, in threads
 *	line.c         parses one line: a sample's first, a frame, a source line
 *	read.c         lines -> samples with their stacks -> the graph
 *	functions.c    names and objects of frames -> functions of the graph
 */
#ifndef FORMATS_PERF_SCRIPT_PERF_SCRIPT_H
#define FORMATS_PERF_SCRIPT_PERF_SCRIPT_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

/* perf's text for an unknown name or object. */
#define PERF_UNKNOWN "[unknown]"

/* ---- line.c: the kinds of lines ----------------------------------------- */

/* The first line of a sample; -F chooses the fields. */
struct perf_head {
	struct cg_slice comm;  /* may contain blanks; empty: not printed */
	struct cg_slice event; /* without the colon; empty: not printed */
	struct cg_slice rest;  /* of the line: a frame, a tracepoint's text */
	uint64_t pid, tid;     /* 0: not printed */
	uint64_t period;
	struct cg_slice time; /* "916.089109:" */
	uint32_t cpu;
	bool has_period, has_time, has_cpu;
};

/* A frame: "ip name+0xoffset (object)", the last two of them optional. */
struct perf_frame {
	uint64_t ip;
	struct cg_slice name;   /* empty: not printed */
	struct cg_slice object; /* empty: not printed, or unknown */
	bool inlined;           /* printed as "(inlined)" */
	uint32_t hash;          /* of the name, where lines.c has parsed it */
};

/* False if the line, which must not be empty, does not begin a sample. */
bool perf_script_take_head(struct cg_slice line, struct perf_head *);
/* A head's time in nanoseconds; 0: it does not fit. */
int64_t perf_script_get_time(struct cg_slice time);
/* True for a line of --show-task-events and the like. */
bool perf_script_is_record(const struct perf_head *);
/* False if the line is not a frame. Leading blanks are skipped. */
bool perf_script_take_frame(struct cg_slice line, struct perf_frame *);
/*
 * Parses a line that -F srcline prints after a frame: "file:line", and maybe
 * " (inlined)". False if it is not such a line. The file is empty where perf
 * knows none: "??:0", ":0" and "object[address]".
 */
bool perf_script_take_srcline(struct cg_slice line, struct cg_slice *file,
    uint32_t *number, bool *inlined);

/* ---- lines.c: blocks of lines ------------------------------------------- */

/* A line, and what it can be without regard to those before it. */
struct perf_line {
	struct cg_slice text; /* without blanks and CR at its end */
	enum { PERF_OTHER, PERF_FRAME, PERF_HEAD } kind;
	uint32_t i; /* index in frame[] or head[] */
};

/* What cg_next_text() parses. */
struct perf_lines {
	struct perf_line *line;
	struct perf_frame *frame; /* of lines that begin with a tab */
	struct perf_head *head;   /* of all others that can begin a sample */
	size_t lines, frames, heads;
	size_t line_cap, frame_cap, head_cap;
};

/* For struct cg_texts_how. */
bool perf_script_parse(const void *arg, struct cg_text *);
void perf_script_close(void *lines);

/* ---- functions.c: the functions of frames ------------------------------- */

/* A frame of a sample. Its texts are valid until its function is looked up. */
struct perf_step {
	struct cg_slice name_text, object_text; /* in the block of lines */
	uint32_t hash; /* cg_hash_ends() of the name */
	cg_fn fn;
	cg_name name;
	cg_object object;
	struct cg_pos pos;
	uint64_t ip;
	bool marked;  /* printed as inlined */
	bool inlined; /* into the next one */
};

/* A stack, leaf first, and its nodes. */
struct perf_stack {
	struct perf_step *frame;
	cg_node *node;
	size_t count, cap;
	size_t found; /* frames whose functions are known */
};

struct perf_fns {
	struct cg_build *build;
	struct perf_known_fn *known;
};

/* False: out of memory. */
bool perf_script_fns_open(struct perf_fns *, struct cg_build *);
void perf_script_fns_close(struct perf_fns *);
/* Prefetches what the lookup of a frame needs, whose hash is known. */
void perf_script_prefetch_fn(const struct perf_fns *, const struct perf_step *);
/* Looks up the functions of the frames added since the last call. */
void perf_script_find_fns(struct perf_fns *, struct perf_stack *);

/* ---- read.c ------------------------------------------------------------- */

int perf_script_read(struct cg_job *, struct cg_in *, struct cg_build *);

#endif
