/*
 * trace_event.h - the events of a trace: calls, and pieces of CPU profiles.
 */
#ifndef FORMATS_CHROME_TRACE_EVENT_H
#define FORMATS_CHROME_TRACE_EVENT_H

#include "chrome.h"

/* ---- trace_calls.c: calls that begin and end ---------------------------- */

/* Events that are sorted together; half of them are then processed. */
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
	bool ends; /* at a known time */
	int64_t begin, end;
	uint64_t inner; /* time of the calls that it made */
};

struct chrome_thread {
	uint64_t pid, tid;
	cg_name comm;
	int64_t now;
	uint32_t last; /* of its totals, index + 1; 0: it has made no calls */
	uint32_t root; /* of its totals the first: the bottom of its stacks */
	CG_ARRAY(struct chrome_open) open;
	struct cg_numbers moments; /* totals, and differences of times */
	int64_t last_moment;
};

/* Time and calls of one stack of a thread; its caller precedes it. */
struct chrome_total {
	uint32_t thread;
	uint32_t caller, next; /* index + 1; 0: it is a thread's first, last */
	cg_name name;
	cg_fn fn;
	cg_node node;
	uint64_t ns, calls;
};

/* Calls of one function by another in a thread, on all stacks. */
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
	struct cg_map arc_ids; /* caller << 32 | fn -> the latest, index + 1 */
	CG_ARRAY(struct chrome_arc) arc; /* by thread */
	struct cg_map processes;         /* pid -> name */
	CG_ARRAY(cg_fn) fn;              /* by name */
	bool asked, kept; /* whether the target can represent a timeline */
};

/* False: an error. */
bool chrome_add_event(
    struct cg_doc *, struct chrome_calls *, const struct chrome_event *);
/* After the last event: adds stacks with their time, and calls. */
bool chrome_end_events(struct cg_doc *, struct chrome_calls *);
/* Stacks and calls from here on belong to that thread. */
void chrome_set_thread(
    struct cg_doc *, const struct chrome_calls *, uint32_t thread);
/* Moments from here on are of that thread. */
void chrome_set_track(
    struct cg_doc *, const struct chrome_calls *, uint32_t thread, bool spans);

/* ---- trace_profiles.c: CPU profiles in pieces --------------------------- */

struct chrome_list {
	CG_ARRAY(int64_t) number;
};

/* The part of a profile that one event has. */
struct chrome_piece {
	struct chrome_tree tree; /* first, see there */
	bool found;              /* the event has one */
	struct chrome_list samples, deltas;
	int64_t start, end; /* ns; 0: not given */
};

struct chrome_traced {
	uint64_t pid, tid; /* tid where there is no id */
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
/* True if events of that name have pieces of profiles. */
bool chrome_is_profile(struct cg_slice event);
/* Adds the piece to the profile that the event names. NULL: an error. */
struct chrome_traced *chrome_add_piece(struct cg_doc *,
    struct chrome_profiles *, uint64_t pid, uint64_t tid, cg_name id);
/* After the last piece: names the missing nodes [unknown]. */
bool chrome_end_profile(struct cg_doc *, struct chrome_profile *);

/* ---- trace_write.c ------------------------------------------------------ */

int chrome_write_trace(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
