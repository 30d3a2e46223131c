/*
 * batch.h - many inputs, an output each: what the files of the batch share.
 */
#ifndef BATCH_H
#define BATCH_H

#include <sys/types.h>

#include "cmd.h"

enum state {
	TODO,
	DONE,    /* converted */
	FAILED,  /* said why */
	SKIPPED, /* nothing to convert in it: reason */
	KEPT,    /* a newer output was there */
	STOPPED  /* interrupted: as if never begun */
};
#define STATES 6
extern const char *const state_name[STATES];

/* An input: a file, or a member of an archive. */
struct task {
	char *path;         /* of the file or the archive */
	char *member;       /* as in messages; NULL: the file itself */
	char *output;       /* below the folder of outputs; NULL: none */
	const char *reason; /* why it was skipped, if state says so */
	char *log;          /* what there is to say, once it has ended */
	uint64_t size;
	int64_t mtime;
	size_t leader; /* whose companion it is; itself if none's */
	size_t next;   /* the next companion of the leader, 0: no more */
	enum state state;
	bool before; /* ended in an earlier run */
};

/* A table of strings: which task has it. */
struct index {
	size_t *slot; /* task + 1 */
	size_t slots, count;
	const char *(*key)(const struct task *);
};

struct batch {
	struct args *args;
	struct task *task;
	size_t tasks, cap;
	struct index outputs;
	FILE *manifest;
	size_t printed; /* tasks whose log is out */
	size_t count[STATES];
	double began, shown;
	bool progress; /* a line of it is on the terminal */
};

/* ---- batch_plan.c: what there is to do ------------------------------------ */

/* Lists the inputs as tasks. */
int plan_batch(struct batch *);
/* Is it the output of a task? */
bool has_output(struct batch *, const char *output);
/* The task's place in messages: "archive/member", to be freed; or NULL. */
char *task_name(const struct task *);
char *join_path(const char *folder, const char *name);

/* ---- batch_names.c: what the outputs are called --------------------------- */

/*
 * A relative path of that name that stays below where it is used: no "..", no
 * control characters. To be freed; NULL: out of memory.
 */
char *safe_path(const char *name);
/* The output's path for an input of that name; to be freed. */
char *output_name(const struct batch *, const char *name);
/* The number of a suffix in "a;b" that the name has, from 1; 0: none. */
size_t find_suffix(const char *name, const char *suffixes, size_t *length);

/* ---- batch_worker.c ------------------------------------------------------ */

struct blob {
	char *bytes;
	size_t size;
};
struct worker {
	pid_t pid; /* 0: none */
	int to, from;
	size_t busy; /* task + 1; 0: idle */
};
/* Starts a process that converts what it is told; false: cannot (said). */
bool start_worker(struct batch *, struct worker *, struct worker *all);
/* Gives it a task, with the bytes of a member and of its companions. */
void send_task(struct worker *, size_t task, const struct blob *, size_t blobs);
/* Takes the result that is there, or finds out why there is none. */
void take_result(struct batch *, struct worker *);
void stop_worker(struct worker *);

/* ---- batch_manifest.c ---------------------------------------------------- */

int open_manifest(struct batch *);
/* One line: tail are the keys that the worker has found out, or "". */
void put_manifest(struct batch *, const struct task *, const char *tail);
int close_manifest(struct batch *);

/* ---- batch_archive.c ----------------------------------------------------- */

struct crew {
	struct batch *batch;
	struct worker *worker;
	struct pollfd *poll; /* batch.c's */
};
/* The tasks from first to end are the members of one archive, in order. */
int do_archive(struct crew *, size_t first, size_t end);

/* ---- batch.c ------------------------------------------------------------- */

/* A task has ended; log may be NULL, and belongs to the task from now on. */
void end_task(
    struct batch *, size_t task, enum state, char *log, const char *tail);
/* The same, with one message. */
void fail_task(struct batch *, size_t task, const char *text);
bool batch_stopped(const struct batch *);
/* Is anything to be begun yet? */
bool may_go_on(const struct batch *);
/* False if there is nothing to do for the task (any more). */
bool prepare_task(struct batch *, size_t task);
/* Gives a task to a worker, as soon as one is free. */
int hand_out(struct crew *, size_t task, const struct blob *, size_t blobs);

#endif
