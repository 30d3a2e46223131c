/*
 * write.h - the state of the writer of Perfetto's traces.
 */
#ifndef FORMATS_PERFETTO_WRITE_H
#define FORMATS_PERFETTO_WRITE_H

#include "perfetto.h"
#include "proto/write.h"

struct perfetto_writer {
	struct proto_writer p;
	const struct cg_graph *graph;
	size_t events;
	size_t *order; /* of events: the main one comes first */
	bool *timed;   /* by event: its costs are written with times */
	bool any_timed;

	/* iids of entries; 0: not written yet. */
	struct cg_map function, name; /* by address of the text in the graph */
	uint32_t *file, *object, *frame, *stack;
	uint32_t functions, names, files, objects, frames, stacks; /* so far */
	struct proto_bytes packet, interned, entry, message;
	CG_ARRAY(uint32_t) path;

	/* Tracks and threads. */
	uint64_t uuid;     /* the last one */
	struct cg_map ids; /* pid or tid -> a number */
	uint32_t id_count;
	struct cg_map replaced; /* pid or tid above INT32_MAX -> a number */
	uint32_t replaced_count;
	struct cg_map processes;  /* pid's number -> uuid */
	struct cg_map threads;    /* both numbers -> uuid */
	struct cg_map used;       /* uuid -> 1: calls are on it */
	struct cg_map tasks;      /* uuid -> 1: its task was written */
	uint64_t nameless;        /* threads without numbers so far */
	uint64_t pid, tid, track; /* of the current track */
	uint32_t task;            /* the same for samples */

	int64_t shift; /* added to times, so that none is negative */
	uint32_t open; /* stack of the open calls */
	uint64_t *sum; /* by stack and event */
	bool *touched; /* by stack: it is in the list */
	CG_ARRAY(uint64_t) list;
	size_t places; /* functions of calls whose places are dropped */
};

/* ---- put.c -------------------------------------------------------------- */

/* Puts a number, even 0. */
void perfetto_put_value(struct perfetto_writer *, struct proto_bytes *,
    unsigned field, uint64_t);
void perfetto_put_text(struct perfetto_writer *, struct proto_bytes *,
    unsigned field, struct cg_slice);
/*
 * Writes a packet with a message, and the entries of tables that are new. The
 * time may be NULL.
 */
void perfetto_write_packet(struct perfetto_writer *, const int64_t *time,
    unsigned flags, unsigned field, const struct proto_bytes *message);
/*
 * Returns the iid of the name of a function in a table; equal names have one
 * text in the graph. 0: out of memory.
 */
uint32_t perfetto_intern_name(
    struct perfetto_writer *, unsigned table, cg_fn);
/*
 * Interns a stack, whose iid is then in w->stack. False: out of memory
 * (reported).
 */
bool perfetto_intern_stack(struct perfetto_writer *, uint32_t stack);

#endif
