/*
 * trace_event.h - the events of a trace: pieces of CPU profiles; spans/ has
 * the calls.
 */
#ifndef FORMATS_CHROME_TRACE_EVENT_H
#define FORMATS_CHROME_TRACE_EVENT_H

#include "chrome.h"
#include "spans/spans.h"

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

/*
 * Reads the value of "data" in an event's arguments into the piece. False: an
 * error (reported).
 */
bool chrome_take_piece(struct cg_doc *, struct chrome_profiles *);
/* True if events with this name have pieces of profiles. */
bool chrome_is_profile(struct cg_slice event);
/* Adds the piece to the profile that the event belongs to. NULL: an error. */
struct chrome_traced *chrome_add_piece(struct cg_doc *,
    struct chrome_profiles *, uint64_t pid, uint64_t tid, cg_name id);
/*
 * Ends a profile after its last piece; names missing nodes [unknown]. False:
 * an error (reported).
 */
bool chrome_end_profile(struct cg_doc *, struct chrome_profile *);

/* ---- trace_write.c ------------------------------------------------------ */

int chrome_write_trace(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
