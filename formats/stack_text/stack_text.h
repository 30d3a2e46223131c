/*
 * stack_text.h - stacks that tracers print, a frame on each line.
 *
 *	frames.c        frames that wait until the stack's count is known
 *	dtrace.c        aggregations of stack() and ustack()
 *	bpftrace.c      maps by kstack and ustack
 *	macos_sample.c  call graphs of macOS's sample and Activity Monitor
 *	goroutines.c    stacks of goroutines, as Go prints them
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

/* A frame's texts are copied: they may be given in pieces of lines. */
struct text_frames {
	struct cg_job *job;
	struct cg_build *build;
	CG_ARRAY(struct text_frame) frame;
	struct cg_space *space; /* for text_add_unnamed() */
};

/* The leaf comes first, as tracers print stacks. */
bool text_add_frame(struct text_frames *, struct cg_slice name,
    struct cg_slice object, uint64_t addr);
/*
 * The same where the text has no name for the address: the frames that symbols
 * of the object know there, else one called name.
 */
bool text_add_unnamed(struct text_frames *, struct cg_slice name,
    struct cg_slice object, uint64_t addr);
/* The same for a function and a position that are known. */
bool text_push_frame(struct text_frames *, const struct text_frame *);
/* The node of the stack, 0 without frames; forgets its frames. */
cg_node text_take_node(struct text_frames *);
/*
 * Adds the stack and a cost of the only event; forgets its frames. Without
 * frames the cost is that of the function none.
 */
bool text_end_stack(struct text_frames *, uint64_t cost, const char *none);

/* What tracers count. */
extern const struct cg_event text_samples;
/*
 * Adds the event and reads the file: take() gets each line without its line
 * end, and returns false after an error. True: at the end of the file, no error.
 */
bool text_read(struct cg_job *, struct cg_in *, struct cg_build *,
    const struct cg_event *, bool (*take)(void *reader, struct cg_slice line), void *reader);
/* The status of a reader that returns. */
int text_status(struct cg_job *, struct cg_build *);
/* Is the name of a frame its address, or that of no function? */
bool text_is_unnamed(struct cg_slice name);
/* Removes "+12" or "+0x1f" from the end; false: it is not there. */
bool text_cut_offset(struct cg_slice *);

#endif
