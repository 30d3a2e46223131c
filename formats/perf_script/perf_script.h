/*
 * perf_script.h - what the parts of the reader of perf script's text share.
 */
#ifndef FORMATS_PERF_SCRIPT_PERF_SCRIPT_H
#define FORMATS_PERF_SCRIPT_PERF_SCRIPT_H

#include "cgconv_parse.h"

/* What perf prints for a name or an object that it does not know. */
#define PERF_UNKNOWN "[unknown]"

/* The line that begins a sample; which fields there are is up to -F. */
struct perf_head {
	struct cg_slice comm;  /* may hold blanks; empty: not printed */
	struct cg_slice event; /* without the colon; empty: not printed */
	struct cg_slice rest;  /* what follows: a frame, a tracepoint's text */
	uint64_t pid, tid;     /* 0: not printed */
	uint64_t period;
	bool has_period, has_time;
};

/* A frame: "ip name+0xoffset (object)", the last two of them optional. */
struct perf_frame {
	uint64_t ip;
	struct cg_slice name;   /* empty: not printed */
	struct cg_slice object; /* empty: not printed, or not known */
	bool inlined;           /* it says so */
};

/* The line must not be empty. False: it begins no sample. */
bool perf_script_take_head(struct cg_slice line, struct perf_head *);
/* Blanks at the begin of the line are skipped. False: it is no frame. */
bool perf_script_take_frame(struct cg_slice line, struct perf_frame *);
/*
 * Of a line that -F srcline adds after a frame: "file:line", with " (inlined)"
 * behind it. "??:0", ":0" and "object[address]" are lines without a place:
 * file is empty. False: it is none of these.
 */
bool perf_script_take_place(struct cg_slice line, struct cg_slice *file,
    uint32_t *number, bool *inlined);

/* ---- perf_script_fns.c: whose frames these are --------------------------- */

/* A frame of a sample: by its texts until its function was looked up. */
struct perf_step {
	struct cg_slice name_text, object_text; /* of the block */
	size_t hash;
	cg_fn fn;
	cg_name name;
	cg_object object;
	struct cg_pos pos;
	uint64_t ip;
	bool marked;  /* printed as inlined */
	bool inlined; /* into the next one */
};

/* A stack, the leaf first, and its nodes. */
struct perf_stack {
	struct perf_step *frame;
	cg_node *node;
	size_t count, cap;
	size_t found; /* frames that were looked up */
};

struct perf_fns {
	struct cg_build *build;
	struct perf_known_fn *known;
};

/* False: out of memory. */
bool perf_script_fns_open(struct perf_fns *, struct cg_build *);
void perf_script_fns_close(struct perf_fns *);
/* Its texts will be looked up soon. */
void perf_script_fetch_fn(struct perf_fns *, struct perf_step *);
/* Looks up the frames that came since the last time; their texts may go. */
void perf_script_find_fns(struct perf_fns *, struct perf_stack *);

int perf_script_read(struct cg_job *, struct cg_in *, struct cg_build *);

#endif
