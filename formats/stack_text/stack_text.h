/*
 * stack_text.h - stacks that tracers print, a frame on each line.
 *
 *	frames.c        keeps frames until the stack's count is known
 *	dtrace.c        aggregations of stack() and ustack()
 *	bpftrace.c      maps by kstack and ustack
 *	macos_sample.c  call graphs of macOS's sample and Activity Monitor
 *	goroutines.c    stacks of goroutines, as Go prints them
 *	thread_dump.c   dumps of threads, by gdb, jstack, eu-stack and Python
 *	native_frame.c  frames of gdb and of eu-stack
 *	rprof.c         recordings of R
 *	phpspy.c        samples of PHP
 *	hprof.c         traces and their costs, of Java's agent HPROF
 */
#ifndef FORMATS_STACK_TEXT_H
#define FORMATS_STACK_TEXT_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

struct text_frame {
	cg_fn fn;
	struct cg_pos pos;
	bool inlined;
};

/* Frames of a stack. Texts are copied, as they may be parts of lines. */
struct text_frames {
	struct cg_job *job;
	struct cg_build *build;
	CG_ARRAY(struct text_frame) frame;
	struct cg_space *space; /* for text_add_unnamed() */
};

/*
 * Appends a frame to the stack, which tracers print leaf first. False: out of
 * memory (reported).
 */
bool text_add_frame(struct text_frames *, struct cg_slice name,
    struct cg_slice object, uint64_t addr);
/*
 * Adds a frame whose text has no name for the address: the functions that
 * symbols of the object give for it, else one function called name. False: out
 * of memory (reported).
 */
bool text_add_unnamed(struct text_frames *, struct cg_slice name,
    struct cg_slice object, uint64_t addr);
/*
 * Adds a frame of a known function and position. False: out of memory
 * (reported).
 */
bool text_push_frame(struct text_frames *, const struct text_frame *);
/* Returns the node of the stack, 0 without frames; removes its frames. */
cg_node text_take_node(struct text_frames *);
/*
 * Adds the stack with a cost of the only event, and removes its frames.
 * Without frames, the cost is that of the function none. False: out of memory
 * (reported).
 */
bool text_end_stack(struct text_frames *, uint64_t cost, const char *none);
/*
 * Adds a frame of gdb or eu-stack, without the "#3 " that it begins with.
 * Newlines separate it from lines that continue it. Changes the text. False:
 * out of memory (reported).
 */
bool text_add_native(struct text_frames *, char *text, size_t len);

/* The event that tracers count. */
extern const struct cg_event text_samples;
/*
 * Adds the event and reads the file. take() gets each line without its line
 * end, and returns false after an error. Returns true at the end of the file
 * if there was no error.
 */
bool text_read(struct cg_job *, struct cg_in *, struct cg_build *,
    const struct cg_event *, bool (*take)(void *reader, struct cg_slice line), void *reader);
/* Returns the status of a reader, CG_OK or its first failure. */
int text_status(struct cg_job *, struct cg_build *);
/*
 * Returns true if the name of a frame is its address, or means an unknown
 * function.
 */
bool text_is_unnamed(struct cg_slice name);
/* Cuts "+12" or "+0x1f" off the end; false: there is no offset. */
bool text_cut_offset(struct cg_slice *);

#endif
