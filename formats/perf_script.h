/*
 * perf_script.h - what the parts of the reader of perf script's text share.
 */
#ifndef PERF_SCRIPT_H
#define PERF_SCRIPT_H

#include "cgconv.h"

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
bool cg_take_perf_head(struct cg_slice line, struct perf_head *);
/* Blanks at the begin of the line are skipped. False: it is no frame. */
bool cg_take_perf_frame(struct cg_slice line, struct perf_frame *);
/*
 * Of a line that -F srcline adds after a frame: "file:line", with " (inlined)"
 * behind it. "??:0", ":0" and "object[address]" are lines without a place:
 * file is empty. False: it is none of these.
 */
bool cg_take_perf_place(struct cg_slice line, struct cg_slice *file,
    uint32_t *number, bool *inlined);

int cg_read_perf_script(struct cg_job *, struct cg_in *, struct cg_build *);

#endif
