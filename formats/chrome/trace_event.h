/*
 * trace_event.h - the events of a trace: calls, and pieces of CPU profiles.
 */
#ifndef FORMATS_CHROME_TRACE_EVENT_H
#define FORMATS_CHROME_TRACE_EVENT_H

#include "chrome.h"

/* ---- trace_calls.c: calls that begin and end ---------------------------- */

/*
 * Number of events that are sorted together; half of them are then processed.
 */
#define CHROME_WINDOW ((size_t)1 << 18)

struct chrome_event {
	int64_t ts, duration; /* ns */
	cg_name name;
	uint32_t thread;
	uint32_t seq; /* its number in the file */
	char phase;   /* B, E, X */
};

/* A call that has not ended. */
struct chrome_open {
	uint32_t total; /* its index + 1 */
	cg_name name;
	bool ends; /* its end is known */
	int64_t begin, end;
	uint64_t inner; /* time of its callees */
};

struct chrome_thread {
	uint64_t pid, tid;
	cg_name comm;
	int64_t now;
	uint32_t last; /* index + 1 of its last total; 0: no calls */
	uint32_t root; /* its first total: bottom of its stacks */
	CG_ARRAY(struct chrome_open) open;
	struct cg_numbers moments; /* totals, and differences of times */
	int64_t last_moment;
};

/* Time and calls of one stack of a thread; the caller's total precedes it. */
struct chrome_total {
	uint32_t thread;
	uint32_t caller, next; /* index + 1; 0: it is a thread's first, last */
	cg_name name;
	cg_fn fn;
	cg_node node;
	uint64_t ns, calls;
};

/* Number of calls of one function by another in a thread, over all stacks. */
struct chrome_arc {
	uint32_t thread;
	cg_fn caller, fn;
	uint64_t calls;
};

struct chrome_calls {
	CG_ARRAY(struct chrome_thread) thread;
	CG_ARRAY(struct chrome_event) event; /* the window */
	uint32_t seq;
	struct cg_map total_ids; /* caller << 32 | name -> index + 1 */
	CG_ARRAY(struct chrome_total) total;
	struct cg_map arc_ids; /* caller << 32 | fn -> latest index + 1 */
	CG_ARRAY(struct chrome_arc) arc; /* by thread */
	struct cg_map processes;         /* pid -> name */
	CG_ARRAY(cg_fn) fn;              /* by name */
	bool asked, kept; /* kept: the target has a timeline */
};

/* Adds an event. False: an error. */
bool chrome_add_event(
    struct cg_doc *, struct chrome_calls *, const struct chrome_event *);
/* Adds stacks with their time, and calls, after the last event. */
bool chrome_end_events(struct cg_doc *, struct chrome_calls *);
/* Stacks and calls added from here on belong to the thread. */
void chrome_set_thread(
    struct cg_doc *, const struct chrome_calls *, uint32_t thread);
/* Moments added from here on belong to the thread. */
void chrome_set_track(
    struct cg_doc *, const struct chrome_calls *, uint32_t thread, bool spans);

/* ---- trace_profiles.c: CPU profiles in pieces --------------------------- */

struct chrome_list {
	CG_ARRAY(int64_t) number;
};

/* The piece of a profile in one event. */
struct chrome_piece {
	struct chrome_tree tree; /* must be first, see chrome_tree */
	bool found;              /* the event has a piece */
	struct chrome_list samples, deltas;
	int64_t start, end; /* ns; 0: not given */
};

struct chrome_traced {
	uint64_t pid, tid; /* tid: only if there is no id */
	cg_name id;
	uint32_t thread; /* + 1, once it is known */
	struct chrome_profile profile;
};

struct chrome_profiles {
	struct chrome_piece piece; /* of the current event */
	CG_ARRAY(struct chrome_traced *) traced;
};

/* Reads the value of "data" in an event's arguments into the piece. */
bool chrome_take_piece(struct cg_doc *, struct chrome_profiles *);
/* True if events with this name have pieces of profiles. */
bool chrome_is_profile(struct cg_slice event);
/* Adds the piece to the profile that the event belongs to. NULL: an error. */
struct chrome_traced *chrome_add_piece(struct cg_doc *,
    struct chrome_profiles *, uint64_t pid, uint64_t tid, cg_name id);
/* Ends a profile after its last piece; names missing nodes [unknown]. */
bool chrome_end_profile(struct cg_doc *, struct chrome_profile *);

/* ---- trace_write.c ------------------------------------------------------ */

int chrome_write_trace(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
