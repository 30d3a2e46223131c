/*
 * spans.h - calls that begin and end at a time, for the readers of traces:
 * events become stacks with their times, calls, and timelines.
 *
 * The reader adds the threads itself, and its events in any order. Before
 * spans_end() it adds its columns; the first one is the time in ns.
 */
#ifndef FORMATS_SPANS_SPANS_H
#define FORMATS_SPANS_SPANS_H

#include "cgconv_parse.h"

/*
 * Number of events that are sorted together; half of them are then processed.
 */
#define SPANS_WINDOW ((size_t)1 << 18)

struct spans_event {
	int64_t ts, duration; /* ns */
	cg_name name;         /* of E: 0 ends any call */
	uint32_t thread;
	uint32_t seq; /* its number in the file */
	char phase;   /* as in the Trace Event Format: B, E, X */
};

/* A call that has not ended. */
struct spans_open {
	uint32_t total; /* its index + 1 */
	cg_name name;
	bool ends; /* its end is known */
	int64_t begin, end;
	uint64_t inner; /* time of its callees */
};

struct spans_thread {
	/* From the reader; they may change until the end. */
	uint64_t pid, tid;
	cg_name comm;
	bool alone; /* another one has the same pid and tid, or may have */

	/* Private, and all that follows; now starts as INT64_MIN. */
	int64_t now;
	uint32_t last; /* index + 1 of its last total; 0: no calls */
	uint32_t root; /* its first total: bottom of its stacks */
	int64_t newest; /* of the times that were added */
	bool added, whole; /* there is one; an event X has it */
	CG_ARRAY(struct spans_open) open;
	size_t endless; /* open calls whose end is not known */
	struct cg_numbers moments; /* totals, and differences of times */
	int64_t last_moment;
};

/* Time and calls of one stack of a thread; the caller's total precedes it. */
struct spans_total {
	uint32_t thread;
	uint32_t caller, next; /* index + 1; 0: it is a thread's first, last */
	cg_name name;
	cg_fn fn;
	cg_node node;
	uint64_t ns, calls;
};

/* Number of calls of one function by another in a thread, over all stacks. */
struct spans_arc {
	uint32_t thread;
	cg_fn caller, fn;
	uint64_t calls;
};

struct spans {
	struct cg_job *job;
	struct cg_build *build;
	CG_ARRAY(struct spans_thread) thread;
	struct cg_map processes; /* pid -> name */

	/* Private: */
	CG_ARRAY(struct spans_event) event; /* the window */
	bool unsorted;
	uint32_t seq;
	struct cg_map total_ids; /* caller << 32 | name -> index + 1 */
	struct cg_map endless; /* thread << 32 | name -> number of such calls */
	bool counted; /* endless has the calls that are open */
	CG_ARRAY(struct spans_total) total;
	struct cg_map arc_ids; /* caller << 32 | fn -> latest index + 1 */
	CG_ARRAY(struct spans_arc) arc; /* by thread */
	CG_ARRAY(cg_fn) fn;             /* by name */
	uint64_t row[CG_EVENT_MAX];     /* costs of a stack */
	bool asked, kept; /* kept: the target has a timeline */
};

/* Adds an event. False: an error (reported). */
bool spans_add(struct spans *, const struct spans_event *);
/*
 * Adds stacks with their time, and calls, after the last event. False: an
 * error (reported).
 */
bool spans_end(struct spans *);
/* Stacks and calls added from here on belong to the thread. */
void spans_set_thread(const struct spans *, uint32_t thread);
/* Moments added from here on belong to the thread; calls: they are spans. */
void spans_set_track(const struct spans *, uint32_t thread, bool calls);

#endif
