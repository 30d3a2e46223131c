/*
 * worker.h - declarations shared by the files of a worker.
 *
 *	pipe.c       what the parent sends
 *	task_log.c   messages, and the answer
 *	worker_sum.c inputs of one output
 *	worker.c     one order after the other
 */
#ifndef WORKER_H
#define WORKER_H

#include "batch.h"

/* The messages of a task or a sum. */
struct task_log {
	const struct args *args;
	FILE *log; /* messages as printed */
	char *log_text;
	size_t log_size;
	const struct task *task; /* NULL: of a sum, for this output */
	char *output;
	bool unread; /* inputs are being read for the sum: messages name them */
	const struct members *members; /* of the worker; or NULL */
	char *error;                   /* the first error as printed; or NULL */
	struct json_object *details;   /* members of the first error */
	struct json_object *warnings;  /* array of strings */
	size_t warning_bytes;
};

/* A large member, whose bytes the parent sends in pieces. */
struct stream {
	int from;
	size_t left; /* bytes left in the piece */
	bool ended;
};

struct worker_state {
	struct batch *batch;
	int from, to;
	struct task_log log; /* of the current order */
	struct stream stream;
	struct cg_job *sum; /* NULL: not begun */
	struct piece *unit; /* read together when the sum is written */
	size_t units, unit_cap;
	struct members *members; /* NULL: not opened */
	struct piece alone;      /* that is read alone */
	bool others;             /* the sum contains other inputs, too */
	bool unread;             /* some units were not read alone before */
};

/* ---- pipe.c ------------------------------------------------------------- */

/* cg_read_fn of the stream: the next bytes of a member; 0 at its end. */
ptrdiff_t read_stream(void *stream, char *buf, size_t size);
/* Drops the rest of a member. True if the parent has sent all of it. */
bool drain_stream(struct stream *);

/* ---- task_log.c --------------------------------------------------------- */

/* False: out of memory; close_task_log() is to be called nevertheless. */
bool open_task_log(struct task_log *);
/* A job's reporter; log is a struct task_log. */
void collect_message(void *log, const struct cg_message *);
/*
 * Completes the log, and adds its warnings and its first error to result. False:
 * out of memory.
 */
bool close_task_log(
    struct task_log *, struct json_object *result, enum state);
/* Adds "totals" to result: the sums of the events. False: out of memory. */
bool add_totals(struct json_object *result, const struct cg_graph *);
/*
 * Sends the answer with the log and the result to the parent, and frees both.
 * False: it could not be sent, or memory ran out.
 */
bool send_answer(
    int to, struct worker_answer *, struct task_log *, char *result);

/* ---- worker_sum.c ------------------------------------------------------- */

const char *lossless(const struct cg_job *);
int target_sum(const struct batch *, struct cg_job *);
/* True if the format of the job's input sums inputs while it reads them. */
bool is_summed(const struct cg_job *);
/* Makes *piece the input of an order; see there. False: out of memory. */
bool set_piece(
    struct worker_state *, const struct worker_order *, struct piece *);
/* Adds an input that was read, as job, or is to be read later, to the sum. */
int add_to_sum(struct worker_state *, const struct cg_job *,
    const struct worker_order *, struct blob *);
int add_unread(
    struct worker_state *, const struct worker_order *, struct blob *);
/* Adds the sums of other workers, which the order's MERGE names. */
int add_chunks(struct worker_state *, const struct worker_order *);
/* Sets where and in which format the sum is written. */
int set_target(
    struct worker_state *, const struct worker_order *, const char *output);
/* Reads what was kept for the sum, so that it can be written. */
int read_sum(struct worker_state *);
/* Frees the sum and what was kept for it. */
void forget_sum(struct worker_state *);

#endif
