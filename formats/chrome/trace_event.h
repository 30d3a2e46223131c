/*
 * trace_event.h - events of a trace, put into order and into stacks.
 */
#ifndef FORMATS_CHROME_TRACE_EVENT_H
#define FORMATS_CHROME_TRACE_EVENT_H

#include "chrome.h"

/* Events that wait to be put into order, at most; half of them are sorted in. */
#define WINDOW ((size_t)1 << 18)

struct event {
	int64_t ts, duration; /* ns */
	cg_name name;
	uint32_t thread;
	uint32_t turn; /* in the file */
	char phase;    /* B, E, X */
};

/* A call that has not ended. */
struct open {
	uint32_t total; /* its place + 1 */
	cg_name name;
	bool ends; /* at a time that is known */
	int64_t begin, end;
	uint64_t inner; /* time of the calls that it made */
};

struct thread {
	uint64_t pid, tid;
	cg_name comm;
	int64_t now;
	uint32_t last; /* of its totals, place + 1; 0: it has made no calls */
	uint32_t root; /* ... the first, which is the bottom of its stacks */
	struct open *open;
	size_t depth, cap;
};

/* What a thread did on a stack; its caller's total stands before it. */
struct total {
	uint32_t thread;
	uint32_t caller, next; /* place + 1; 0: it is a thread's first, last */
	cg_name name;
	cg_fn fn;
	cg_node node;
	uint64_t ns, calls;
};

/* Calls of a thread, from whatever stacks. */
struct arc {
	uint32_t thread;
	cg_fn caller, fn;
	uint64_t calls;
};

struct calls {
	struct thread *thread;
	size_t threads, thread_cap;
	struct event *event;
	size_t events, event_cap;
	uint32_t turn;
	struct cg_map total_ids; /* caller << 32 | name -> place + 1 */
	struct total *total;
	size_t totals, total_cap;
	struct cg_map arc_ids; /* caller << 32 | fn -> the latest, place + 1 */
	struct arc *arc;       /* by thread */
	size_t arcs, arc_cap;
	cg_fn *fn; /* by name */
	size_t fn_cap;
};

/* A number times 10 to the power of digits; some write it as a string. */
bool chrome_take_number(struct cg_doc *, unsigned digits, int64_t *);
/* A number; other strings are as good as numbers. */
bool chrome_take_id(struct cg_doc *, uint64_t *);
/* A number or a string, the text counts. */
bool chrome_take_name(struct cg_doc *, cg_name *);

/* Each is false after a failure of doc. */
bool chrome_add_event(struct cg_doc *, struct calls *, const struct event *);
/* All events are there: adds stacks with their time, and calls. */
bool chrome_end_events(struct cg_doc *, struct calls *, struct cg_columns *);
/* What is added from here on is that thread's. */
void chrome_set_thread(struct cg_doc *, const struct calls *, uint32_t thread);
void chrome_free_calls(struct calls *);

#endif
