/*
 * batch.h - many inputs, an output each: what the files of the batch share.
 */
#ifndef BATCH_H
#define BATCH_H

#include <sys/types.h>

#include "../cmd.h"

enum state {
	PENDING,
	DONE,    /* converted */
	FAILED,  /* said why */
	SKIPPED, /* nothing to convert in it: reason */
	KEPT,    /* a newer output was there */
	SUMMED,  /* added to a sum, which is not written yet */
	ELSEWHERE, /* another share has it */
	STOPPED  /* interrupted: as if never begun */
};
#define STATES 8
extern const char *const state_name[STATES];

/* An input: a file, or a member of an archive. */
struct task {
	char *path;         /* of the file or the archive */
	char *member;       /* as in messages; NULL: the file itself */
	char *output;       /* below the folder of outputs; NULL: none */
	const char *reason; /* why it was skipped, if state says so */
	char *log;          /* what there is to say, once it has ended */
	char *result;       /* of SUMMED: for the manifest */
	uint64_t size;
	int64_t mtime;
	size_t archive; /* its number as they are given, from 1; 0: none */
	size_t leader; /* whose companion it is; itself if none's */
	size_t next;   /* the next companion of the leader, 0: no more */
	size_t group;  /* + 1; 0: none */
	size_t mate;   /* the next task of its group, 0: no more */
	enum state state;
	bool before; /* ended in an earlier run */
};

/* Tasks with one output. */
struct group {
	char *output; /* below the folder of outputs */
	size_t first, tasks;
	size_t waiting;      /* tasks that are in no chunk yet */
	struct chunk *chunk; /* that is being filled */
	size_t chunks, open; /* so far; not written yet */
	bool ended;          /* nothing is left to be merged */
	char *error;         /* there will be no output: why */
	bool *written;       /* by chunk: there is something in it */
	size_t cap;
	struct group *next;  /* that is ready to be merged */
};

/* A set of strings, which are others'. */
struct name {
	const char *text;
	size_t next; /* "text~2" and so on: all before this one are taken */
};
struct names {
	struct name *slot;
	size_t slots, count;
};

struct progress {
	double began, shown;        /* seconds_now() */
	bool terminal, drawn;       /* it is on the terminal */
	size_t done, work;          /* of the inputs that were to be done */
	uint64_t done_bytes, work_bytes;
};

struct batch {
	struct args *args;
	struct task *task;
	size_t tasks, cap;
	size_t archives; /* so far; one that is given twice is two */
	struct file *file; /* of the tasks; sorted when all are known */
	size_t files, file_cap;
	struct group *group;
	size_t groups, group_cap;
	struct chunk *again;  /* whose workers died */
	struct group *ready;  /* whose chunks are written */
	uint64_t held;        /* bytes of members that wait in chunks */
	struct names outputs;
	FILE *manifest;
	bool manifest_failed; /* it lacks a line */
	size_t printed; /* tasks whose log is out */
	size_t count[STATES];
	char *made;    /* the folder that was made last */
	bool lost;     /* an output of many inputs could not be written */
	uint64_t list; /* a hash of all inputs, whosever share they are */
	bool same_list; /* as that of the manifest which is resumed */
	struct progress progress;
	struct log *log_book; /* of warnings; NULL: none are counted */
};

/* ---- batch_plan.c: what there is to do ------------------------------------ */

/* Lists the inputs as tasks. */
int plan_batch(struct batch *);
/* Is it the output of a task? */
bool has_output(struct batch *, const char *output);
/* The task's place in messages: "archive/member", to be freed; or NULL. */
char *task_name(const struct task *);
/* Its path below where it comes from: of a member, in the archive. */
const char *task_path(const struct task *);
char *join_path(const char *folder, const char *name);
/* Is it of those that a format reads from folders, by its name? */
bool is_gathered(const struct batch *, const struct task *);
/* NAME, or NAME~2 if another output is called so; to be freed, or NULL. */
char *claim_output(struct batch *, char *name);
/* Its output, or its group's, below the folder of outputs; NULL: none. */
const char *task_output(const struct batch *, const struct task *);
/* Where that is from where the program was started; to be freed, or NULL. */
char *place_output(const struct batch *, const char *output);

/* ---- batch_files.c: which file is which ------------------------------------- */

struct stat;
/* The folder of outputs, the output, or the manifest: no input. */
bool is_own_file(const struct batch *, const struct stat *);
/* The task is in that file; false: out of memory. */
bool note_file(struct batch *, size_t task, const struct stat *);
void sort_files(struct batch *);
/* Is it an input, other than the task and those that it is added to? */
bool is_foreign_input(
    const struct batch *, size_t task, const struct stat *output);

/* ---- batch_shard.c: a share of the inputs ----------------------------------- */

/* The tasks of other shares are elsewhere from now on. */
int take_share(struct batch *);

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

/* ---- batch_groups.c: outputs of many inputs -------------------------------- */

struct blob {
	char *bytes;
	size_t size;
};

/* A task with the bytes of a member and of its companions. */
struct piece {
	size_t task;
	struct blob *blob;
	size_t blobs;
};
void free_piece(struct piece *);

/*
 * What one worker adds up. The chunks of a group are added up in their order,
 * so the bytes of the output do not depend on who was faster.
 */
struct chunk {
	struct group *group;
	size_t number;
	struct piece *piece; /* in the order of the inputs */
	size_t count, cap;
	size_t at;     /* the piece that its worker is at; count: writes */
	size_t summed; /* pieces that are in the sum */
	uint64_t bytes;
	bool whole; /* the group has no other: this is the output */
	struct chunk *next;
};

/* Finds out which tasks belong together, by --group-by or -o. */
int find_groups(struct batch *);
void free_groups(struct batch *);
/*
 * When it is known what is done already: a group is done again unless all of
 * it is. That its output is newer says nothing: inputs may have failed.
 */
void settle_groups(struct batch *);
/* Adds the piece, which is its own then; *full: a chunk to be handed out. */
int fill_chunk(struct batch *, struct piece, struct chunk **full);
/* What is left of the groups, one chunk after the other; NULL: no more. */
struct chunk *next_chunk(struct batch *);
/* The chunk has been written, or has nothing in it; it is freed. */
void end_chunk(struct batch *, struct chunk *);
/* The chunk's sum is lost with its worker: its pieces are added up again. */
void restart_chunk(struct batch *, struct chunk *);
void free_chunk(struct chunk *);
/* The output is there, or it cannot be: so its inputs end. */
void end_group(struct batch *, struct group *);
void fail_group(struct batch *, struct group *, const char *text);
/* Where a chunk's sum is until it is merged; to be freed. */
char *chunk_path(const struct batch *, const struct group *, size_t number,
    pid_t);
void remove_chunks(const struct batch *, const struct group *);

/* ---- batch_worker.c: in the workers ---------------------------------------- */

enum doing {
	CONVERT, /* a task to its output */
	ADD,     /* a task to the sum */
	WRITE,   /* the sum */
	MERGE    /* the chunks of a group to its output */
};
struct order {
	enum doing doing;
	size_t task, blobs; /* of CONVERT, ADD: that many blobs follow */
	size_t group, chunk;
	bool whole; /* the sum is the output */
};
struct answer {
	enum state state;
	bool last;        /* short of memory: another worker is to go on */
	size_t log, result; /* bytes that follow */
};
bool write_all(int fd, const void *bytes, size_t n);
bool read_all(int fd, void *bytes, size_t n);
/* Does what it is told until there are no more orders; its exit status. */
int work(struct batch *, int from, int to);

/* What is said of a task or a sum, as lines for people and as JSON. */
struct talk {
	const struct args *args;
	FILE *log;
	char *log_text;
	size_t log_size;
	const struct task *task; /* NULL: a sum, of this output */
	char *output;
	char *error;                  /* the first one */
	struct json_object *details;  /* its parts, as members of a line */
	struct json_object *warnings; /* an array of texts */
	size_t warning_bytes;
};
void hear(void *talk, const struct cg_message *);
/* False: out of memory. */
bool open_talk(struct talk *);
/* Frees what the talk holds, and result, which is sent with it or NULL. */
bool send_answer(int to, struct answer *, struct talk *, char *result);

/* ---- batch_sum.c: sums in the workers --------------------------------------- */

struct mind {
	struct batch *batch;
	int from, to;
	struct talk talk;   /* at hand */
	struct cg_job *sum; /* NULL: none has been begun */
	struct piece *unit; /* that are read together at the end */
	size_t units, unit_cap;
};
/* What the job reads is to be added to a sum. */
int aim_at_sum(struct cg_job *);
/* Adds what the job has read; may take the blobs' bytes. */
int add_to_sum(struct mind *, const struct cg_job *, const struct order *,
    struct blob *);
/* Writes a sum, or merges chunks of one; false: cannot answer. */
bool do_sum(struct mind *, const struct order *);

/* ---- batch_crew.c: their parent -------------------------------------------- */

struct worker {
	pid_t pid; /* 0: none */
	int to, from;
	bool busy;
	struct order order; /* that it is at */
	struct chunk *chunk;
};
struct crew {
	struct batch *batch;
	struct worker *worker;
	size_t most; /* that could be started at once */
	struct pollfd *poll;
};
int start_crew(struct crew *, struct batch *);
/* Gives the piece, which is its own then, to a worker as soon as one can. */
int hand_out(struct crew *, struct piece);
/* All that was handed out is to end. */
int finish_work(struct crew *);
void stop_crew(struct crew *);

/* ---- batch_manifest.c ---------------------------------------------------- */

int open_manifest(struct batch *);
/*
 * A line of a manifest: of an input, or the first one, which tells of the
 * batch. What is not in it is NULL or 0.
 */
struct line {
	struct json_object *json; /* what the others point into */
	const char *input, *member, *status, *error;
	const char *version, *shard, *list;
	struct json_object *options, *totals;
	uint64_t size, mtime, inputs, of, micros;
};
bool parse_line(struct cg_slice text, struct line *);
void free_line(struct line *);
/*
 * Writes one line. result is what the worker has found out, an object whose
 * members are added to the line; or NULL.
 */
void put_manifest(struct batch *, const struct task *, const char *result);
int close_manifest(struct batch *);

/* ---- batch_archive.c ----------------------------------------------------- */

/* The tasks from first to end are the members of one archive, in order. */
int do_archive(struct crew *, size_t first, size_t end);

/* ---- batch_progress.c ---------------------------------------------------- */

double seconds_now(void);
void begin_progress(struct batch *);
/* When it is known what is done already. */
void count_work(struct batch *);
void note_progress(struct batch *, const struct task *);
/* If it is time. */
void show_progress(struct batch *);
/* Lines for people, ended by newlines. */
void say(struct batch *, const char *lines);
void show_summary(struct batch *, size_t before);

/* ---- batch_log.c ---------------------------------------------------------- */

void begin_log(struct batch *);
/*
 * Says what is to be said of the inputs, in their order, whoever was faster;
 * at the end, also of those behind what was never begun.
 */
void print_logs(struct batch *, bool at_end);
void end_log(struct batch *);

/* ---- batch.c ------------------------------------------------------------- */

void do_again(struct task *);
/* A task has ended; log may be NULL, and belongs to the task from now on. */
void end_task(
    struct batch *, size_t task, enum state, char *log, const char *result);
/* The same, with one message; or as one of many that this has cost. */
void fail_task(struct batch *, size_t task, const char *text);
void fail_quietly(struct batch *, size_t task, const char *text);
/* What a process that was killed has left of the output at path. */
void remove_temp_of(const char *path, pid_t);
bool batch_stopped(const struct batch *);
/* Is anything to be begun yet? */
bool may_go_on(const struct batch *);
/* False if there is nothing to do for the task (any more). */
bool prepare_task(struct batch *, size_t task);

#endif
