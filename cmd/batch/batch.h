/*
 * batch.h - declarations shared by the files of the batch.
 *
 * A batch converts many inputs. The parent process plans and keeps the
 * manifest; workers (forked processes) read and write profiles. An input passes
 * through the files in this order:
 *
 *	batch.c    begins and ends the batch
 *	plan.c     lists the inputs as tasks: files, directories, archives, shards
 *	names.c    names the outputs; files.c compares files
 *	groups.c   groups tasks of one output, and splits groups into chunks
 *	archive.c  reads members of archives
 *	pool.c     dispatches tasks and chunks to workers, receives answers
 *	worker.h   (in a worker) its files: convert a task, or add it to a sum
 *	commit.c   syncs and renames outputs
 *	task.c     begins and ends a task
 *	manifest.c writes its line; log.c prints its messages and the progress
 *
 * merge_manifests.c is a command of its own (--merge-manifests).
 */
#ifndef BATCH_H
#define BATCH_H

#include <sys/types.h>

#include "../cmd.h"

enum state {
	PENDING,
	DONE,        /* converted */
	FAILED,
	SKIPPED,     /* not a profile: see reason */
	UP_TO_DATE,  /* the output is newer than the input ("kept") */
	SUMMED,      /* in a sum, or an output, that is not committed yet */
	OTHER_SHARD,
	STOPPED      /* interrupted by a signal; leaves no line */
};
#define STATES 8
/* As in the manifest and in messages. */
extern const char *const state_name[STATES];

/* Why planning has set a task to SKIPPED or FAILED. */
enum reason {
	NO_REASON,
	IS_DIRECTORY,
	IS_SPECIAL,
	IS_PIPE,
	IS_LINKED_DIRECTORY,
	IN_UNIT,
	BAD_ARCHIVE,
	BAD_REST
};
extern const char *const reason_text[];

/*
 * An input: a file, or a member of an archive. There may be millions, so tasks
 * refer to each other by number, and the names of outputs are not kept.
 */
struct task {
	const char *path;    /* of the file, or of the member in its archive */
	const char *archive; /* of the archive, unique by address; or NULL */
	uint64_t size;       /* bytes */
	int64_t mtime;       /* seconds since 1970 */
	/*
	 * Files that a format reads together (.gcno, .gcda) are one unit: the
	 * first one is converted, the others are SKIPPED.
	 */
	uint32_t first_file; /* of the unit; the task itself if it is alone */
	uint32_t next;       /* next file of the unit; 0: none */
	uint32_t group;      /* number of the group + 1; 0: none */
	uint32_t next_in_group; /* next task of the group; 0: none */
	uint32_t claim;         /* N of output name~N; 0: no own output */
	uint8_t state;          /* enum state */
	uint8_t reason;         /* enum reason */
	bool before;            /* finished in an earlier run */
	bool link;              /* the path is a symbolic link */
};
/* Numbers of tasks, followed by numbers of groups, fit into 32 bits. */
#define TASKS_MAX (UINT32_MAX / 2)

/* Tasks that are merged into one output. */
struct group {
	char *output; /* below the output directory */
	size_t first, tasks;
	size_t waiting;      /* tasks not in a chunk yet */
	uint64_t bytes;      /* of all that are summed */
	struct chunk *chunk; /* being filled, or NULL */
	struct chunk *together; /* of inputs that their format sums; or NULL */
	size_t chunks;       /* begun */
	size_t open;         /* begun and not written */
	bool merged;         /* merged, failed, or in the list ready */
	char *error;         /* why there will be no output; or NULL */
	bool *written;       /* by chunk: it is in a temporary file */
	size_t cap;          /* of written */
	struct group *next;  /* in the list ready */
};

/* A suffix of the files of a format. */
struct suffix {
	const char *text; /* without the dot */
	size_t length;
	size_t rank; /* of files read together: gathered_rank(); or 0 */
	bool summed; /* its format sums inputs while it reads: finish() */
};

/* A hash set of the outputs. */
struct name {
	uint32_t hash;
	uint32_t owner; /* number of the task, or tasks + the group's; plus 1 */
	uint32_t next;  /* "name~N" is taken for all smaller N */
};
struct names {
	struct name *slot;
	size_t slots;
	bool failed; /* out of memory: the set may be wrong */
};

/* Texts that are freed all at once. */
struct texts {
	struct texts_block *block; /* the newest */
	char *at;                  /* free space, */
	size_t left;               /* and its size in bytes */
};

/* The output directory, the output and the manifest; zeros: missing. */
#define OWN_FILES 3
struct own_file {
	dev_t device;
	ino_t number;
};

struct progress {
	double began, shown;   /* seconds_now() */
	bool terminal;         /* standard error is a terminal */
	struct progress_line line;
	size_t done, work;     /* inputs, without those of earlier runs */
	uint64_t done_bytes, work_bytes;
};

/* Outputs that wait to be committed together: see commit.c. */
#define COMMITS_MAX 256
#define COMMIT_IDLE 100 /* milliseconds without an answer after which they are */
struct commits {
	struct waiting_output {
		size_t task;
		enum state state; /* that the task will have */
	} output[COMMITS_MAX];
	struct cg_deferred file[COMMITS_MAX]; /* the same outputs */
	size_t count;
	size_t bytes; /* of messages and results of their tasks */
	double began; /* seconds_now() of the first one */
	bool any;     /* earlier outputs were committed */
};

struct batch {
	struct args *args;
	struct task *task;
	size_t tasks, cap;
	uint64_t key[2];       /* of hashes; random */
	struct texts texts;    /* the paths of tasks */
	char **logs;           /* of tasks: messages not printed yet, or NULL */
	char **result;         /* of SUMMED ones: members of the manifest line */
	struct suffix *suffix; /* of all formats' files */
	size_t suffixes, suffix_cap;
	struct own_file own[OWN_FILES];
	struct file *file; /* of the tasks; sorted after planning */
	size_t files, file_cap;
	struct group *group;
	size_t groups, group_cap;
	struct chunk *restarted; /* chunks whose worker died */
	struct group *ready;     /* groups whose chunks are all written */
	uint64_t waiting_bytes;  /* of archive members in unfinished chunks */
	struct names outputs;
	FILE *manifest;
	bool manifest_failed; /* a line could not be written */
	size_t printed;       /* tasks whose log was printed */
	size_t count[STATES]; /* of finished tasks */
	bool lost;            /* a merged output could not be written */
	uint64_t list;        /* hash of all inputs, of all shards */
	bool same_list;       /* the resumed manifest lists the same inputs */
	struct progress progress;
	struct commits commits;
	struct log *log; /* counts repeated messages; NULL: prints all */
};

/* True if a signal asked the program to stop. */
static inline bool
batch_stopped(const struct batch *batch)
{
	return batch->args->stop != NULL && *batch->args->stop != 0;
}

static inline bool
is_member(const struct task *task)
{
	return task->archive != NULL;
}

/* Returns the path of the task's file, or of the archive that contains it. */
static inline const char *
task_file(const struct task *task)
{
	return is_member(task) ? task->archive : task->path;
}

/* ---- plan.c: which inputs there are ------------------------------------- */

/*
 * Lists the inputs as tasks with their outputs; reads archives' headers.
 * Returns the status.
 */
int plan_batch(struct batch *);

/* ---- names.c: names of inputs and outputs ------------------------------- */

/* Copies a text, which lives as long as the batch; NULL: out of memory. */
const char *keep_text(struct batch *, const char *);
void free_texts(struct batch *);
/* Fills batch->suffix; false: out of memory. */
bool list_suffixes(struct batch *);
/*
 * Joins a directory and a name by one '/'; the caller frees the path. NULL:
 * out of memory.
 */
char *join_path(const char *directory, const char *name);
/*
 * Returns a relative path for an output: without "..", control characters are
 * escaped. The caller frees it; NULL: out of memory.
 */
char *safe_path(const char *name);
/*
 * Returns the path of an output for the input of that name, by --name; the
 * caller frees it.
 */
char *output_name(const struct batch *, const char *name);
/*
 * Returns the rank of the name's suffix among the files that a format reads
 * together (module.gathers); *stem: the length of the name without the suffix.
 * 0: no format reads files of that suffix together.
 */
size_t gathered_rank(const struct batch *, const char *name, size_t *stem);
bool is_gathered(const struct batch *, const struct task *);
/* True if the task's format is better read by one job with other inputs. */
bool is_summed_by_format(const struct batch *, const struct task *);
/*
 * Returns the name in messages, "archive/member"; the caller frees it. NULL:
 * out of memory.
 */
char *task_name(const struct task *);
/*
 * Returns the output of the task or its group, as a path below the output
 * directory; the caller frees it. NULL: it has none, or out of memory.
 */
char *task_output(const struct batch *, const struct task *);
/*
 * Returns the output's path from the working directory; the caller frees it.
 * NULL: out of memory.
 */
char *output_path(const struct batch *, const char *output);
char *task_output_path(const struct batch *, const struct task *);
/*
 * Claims the name for an output of owner (see struct name). Returns 1, or N if
 * others have claimed the name, and the output is "name~N"; 0: out of memory.
 * Call it when all tasks are known.
 */
uint32_t claim_output(struct batch *, size_t owner, const char *name);
/*
 * Takes an allocated name; returns it, or "name~N", which the caller frees.
 * NULL: out of memory.
 */
char *claimed_name(char *name, uint32_t claim);
bool has_output(struct batch *, const char *output);

/* ---- files.c: which file is which --------------------------------------- */

struct stat;
/* Call it before inputs are listed, and after the manifest was opened. */
void find_own_files(struct batch *);
/* True for the output directory, the output and the manifest. */
bool is_output_file(const struct batch *, const struct stat *);
bool is_manifest(const struct batch *, const struct stat *);
/* Remembers the file of a task; false: out of memory. */
bool record_file(struct batch *, size_t task, const struct stat *);
void sort_files(struct batch *);
/* Returns a task that reads the file, or NULL. */
const struct task *find_input(const struct batch *, const struct stat *);

/* ---- groups.c: outputs of many inputs ----------------------------------- */

struct blob {
	char *bytes;
	size_t size;
};

/*
 * A task; of a unit in an archive with the bytes of all its files. If the
 * worker itself reads the member of an archive, there are no bytes.
 */
struct piece {
	size_t task;
	struct blob *blob;
	size_t blobs;
	bool streamed; /* bytes follow: see send_stream() */
	bool known;    /* was read alone, which showed that its format sums */
	bool summed;   /* in a worker: its format sums inputs */
	struct members *members; /* in a worker: reads the member; or NULL */
	bool begun;              /* some bytes of the member were read */
};
void free_piece(struct piece *);

/*
 * Tasks that one worker sums. The chunks of a group are merged in order, so
 * the output does not depend on the speed of workers.
 */
struct chunk {
	struct group *group;
	size_t number;
	struct piece *piece; /* in the order of the inputs */
	size_t count, cap;
	size_t at;     /* the next piece for the worker; count: write the sum */
	size_t summed; /* pieces in the sum */
	uint64_t bytes; /* of all */
	bool whole;  /* it is the only chunk: its sum is the output */
	bool units;  /* it has units of a program (module.gathers) */
	bool together; /* it has only inputs that their format sums */
	bool unread; /* units are read together when the sum is written */
	bool alone;  /* that failed: each is read alone first */
	struct chunk *next;
};

/* Assigns tasks to groups, by --group-by or -o. Returns the status. */
int find_groups(struct batch *);
void free_groups(struct batch *);
/*
 * Call it after the manifest was read: a group is merged again unless all of
 * its tasks are done. A newer output does not count, as inputs may have
 * failed.
 */
void reopen_groups(struct batch *);
/*
 * Takes ownership of the piece and adds it to a chunk. *full: a chunk for a
 * worker, or NULL. A streamed piece is a chunk of its own, as its bytes cannot
 * be sent again. Returns the status.
 */
int fill_chunk(struct batch *, struct piece, struct chunk **full);
/*
 * Returns the chunk of the group that is being filled, but not the one of
 * inputs that their format sums; NULL: there is none.
 */
struct chunk *take_chunk(struct batch *, struct group *);
/*
 * Moves the current piece of a chunk, which was read, to the chunk of inputs
 * that their format sums. False: out of memory; the piece is where it was.
 */
bool defer_piece(struct chunk *);
/* Estimates in how many chunks the units of the group are read. */
size_t unit_chunks(const struct group *);
/*
 * Returns the next unfinished chunk, after all tasks were dispatched; or NULL.
 */
struct chunk *next_chunk(struct batch *);
/* Frees a chunk that was written or is empty. */
void end_chunk(struct batch *, struct chunk *);
/* The worker died: another one sums the pieces again. */
void restart_chunk(struct batch *, struct chunk *);
void free_chunk(struct chunk *);
struct summed;
/* Finds the inputs that the output of a group has, in their order. */
void find_summed(struct batch *, const struct group *, struct summed *);
/* Ends the tasks of a group whose output is written, or has failed. */
void end_group(struct batch *, struct group *);
void fail_group(struct batch *, struct group *, const char *text);
/*
 * Returns the temporary file of a chunk's sum; the caller frees the path.
 * NULL: out of memory.
 */
char *chunk_path(const struct batch *, const struct group *, size_t number,
    pid_t parent);
void remove_chunks(const struct batch *, struct group *);

/* ---- worker.c: converts in its own process ------------------------------- */

enum action {
	CONVERT, /* a task to its output */
	ADD,     /* a task to the sum */
	WRITE,   /* the sum of a chunk */
	MERGE    /* the chunks of a group to its output */
};
struct worker_order {
	enum action action;
	size_t task, blobs; /* of CONVERT, ADD; the blobs follow the order */
	bool streamed;      /* pieces follow: sizes and bytes; 0 ends them */
	bool first;         /* of ADD: begins a sum */
	bool unread;        /* of ADD: read the input when the sum is written */
	bool known;         /* the unread input was read alone before */
	bool together;      /* of ADD: into a sum that the format makes */
	size_t group, chunk;
	bool whole; /* the sum is the output: its struct summed follows */
};
/* The inputs of an output. */
#define NAMED_MAX 20
struct summed {
	size_t inputs;
	size_t task[NAMED_MAX]; /* of the first ones */
};
struct worker_answer {
	enum state state;
	bool last;          /* the worker is short of memory and exits */
	bool misfit;        /* the input cannot be merged with earlier ones */
	bool deferred;      /* the output is to be committed: see commit.c */
	bool again;         /* an unread unit failed: see chunk.alone */
	bool together;      /* not added, as its format sums: see defer_piece() */
	size_t log, result; /* bytes of text that follow */
};
bool write_all(int fd, const void *bytes, size_t n);
/* False: an error (errno), or the end of the data (errno is 0). */
bool read_all(int fd, void *bytes, size_t n);
/* Executes orders until the parent closes the pipe; returns the exit status. */
int run_worker(struct batch *, int from, int to);
/*
 * The same in the parent, order by order. NULL: out of memory. False: the order
 * was not executed; *error is errno, or 0 at the end of the orders.
 */
struct worker_state *open_worker(struct batch *, int from, int to);
bool serve_order(struct worker_state *, int *error);
void close_worker(struct worker_state *);

/* ---- pool.c: the workers ------------------------------------------------ */

struct worker {
	pid_t pid;    /* 0: not running; of the parent: it works itself */
	int to, from; /* pipes */
	bool busy;
	int error;                 /* errno: the order was not sent; or 0 */
	char *fault;               /* why the order was cancelled; or NULL */
	struct worker_order order; /* the current one */
	struct chunk *chunk;       /* being summed, or NULL */
	struct worker_state *here; /* if the parent works; or NULL */
};
struct worker_pool {
	struct batch *batch;
	struct worker *worker; /* args->jobs of them */
	size_t most;           /* workers that the system lets us start */
	struct pollfd *poll;
};
int start_pool(struct worker_pool *, struct batch *);
/*
 * Gives the piece to a worker as soon as one is idle; takes ownership. If the
 * piece is streamed, send its bytes with send_stream(), then call end_stream()
 * with NULL, or with the reason why the bytes are incomplete, which fails the
 * task. Returns the status.
 */
int dispatch(struct worker_pool *, struct piece);
/* False: no worker wants more bytes; the task may have ended. */
bool send_stream(struct worker_pool *, const char *bytes, size_t n);
void end_stream(struct worker_pool *, const char *fault);
/* Waits until all dispatched pieces are done. Returns the status. */
int finish_tasks(struct worker_pool *);
void stop_pool(struct worker_pool *);

/* ---- commit.c: outputs get their names ---------------------------------- */

/*
 * Ends the task of the worker's order as "answer" says once its output is
 * committed: later, with others. Takes ownership of log and result, which are
 * as for end_task().
 */
void add_to_commit(struct batch *, const struct worker *,
    const struct worker_answer *, char *log, char *result);
/* Commits the outputs that wait, and ends their tasks. */
void commit_outputs(struct batch *);
/* The same if they have waited long enough, or are many. */
void commit_due_outputs(struct batch *);
/* Commits the last outputs, and syncs the names of all. */
void end_commits(struct batch *);

/* ---- archive.c ---------------------------------------------------------- */

/*
 * Reads an archive and dispatches its members, which are the tasks first to
 * end - 1. Returns the status.
 */
int run_archive(struct worker_pool *, size_t first, size_t end);

/* ---- members.c: members of archives that the worker itself reads --------- */

/*
 * Returns a reader of archive members, which has no archive open. NULL: out of
 * memory.
 */
struct members *open_members(const struct batch *);
void close_members(struct members *);
/* Returns why the archive cannot be read on, until it is closed; or NULL. */
const char *members_error(const struct members *);
/*
 * Reads bytes of the member of a piece, whose member "members" is set, as
 * cg_job_add_input_callback() requires. Archives are read once if members are
 * read in their order.
 */
ptrdiff_t read_piece(void *piece, char *buf, size_t size);

/* ---- task.c: begins and ends tasks -------------------------------------- */

/* False after a signal, or after a failure with --fail-fast. */
bool may_continue(const struct batch *);
/*
 * Creates the directory of -O, or of -o, and its parents, like mkdir -p.
 * False: see errno.
 */
bool make_output_directory(const struct batch *);
/* Returns CG_EUSAGE if an output would overwrite an input. */
int refuse_overwriting(struct batch *);
/* Creates the directory of the output. False: the task has ended. */
bool prepare_task(struct batch *, size_t task);
/*
 * Ends the task. Takes ownership of log, which may be NULL. result: members of
 * the manifest line, a JSON object as text, or NULL.
 */
void end_task(struct batch *, size_t task, enum state, char *log,
    const char *result);
/* Makes a task PENDING again if it was SUMMED. */
void reopen_task(struct batch *, size_t task);
/* Ends the task as failed, with one message. */
void fail_task(struct batch *, size_t task, const char *text);
/* Like fail_task(), without a message, as one was printed for the group. */
void fail_without_log(struct batch *, size_t task, const char *text);

/* ---- manifest.c --------------------------------------------------------- */

int open_manifest(struct batch *);
/* Writes the line of a task; result as of end_task(). */
void put_manifest(struct batch *, const struct task *, const char *result);
int close_manifest(struct batch *);
/* Makes a task PENDING although an earlier run has finished it. */
void reset_task(struct task *);
/*
 * A line of a manifest: of an input, or the header. Absent members are NULL or
 * 0.
 */
struct line {
	struct json_object *json; /* owns the values of all members */
	const char *input, *member, *status, *error;
	const char *version, *shard, *list; /* of a header */
	struct json_object *options, *totals;
	uint64_t size, mtime; /* mtime is modulo 2^64, as it may be negative */
	uint64_t inputs, of;  /* number in the shard, in the whole batch */
	uint64_t micros;      /* microseconds that the conversion took */
};
/* False: not a line of a manifest. Call free_line() in any case. */
bool parse_line(struct cg_slice text, struct line *);
void free_line(struct line *);

/* ---- log.c: what a batch prints ----------------------------------------- */

void begin_progress(struct batch *);
/* Counts the tasks to be done, for the progress. */
void count_work(struct batch *);
void note_progress(struct batch *, const struct task *);
/* Prints the progress if enough time has passed. */
void show_progress(struct batch *);
/* Prints text to standard error above the progress line. */
void print_lines(struct batch *, const char *text);
/*
 * Prints messages; of messages that many inputs share, only some. Modifies
 * lines.
 */
void print_log(struct batch *, char *lines);
/* before: tasks that were finished in an earlier run. */
void show_summary(struct batch *, size_t before);
/* False: out of memory. */
bool begin_log(struct batch *);
/* Replaces the task's messages. Takes ownership of text, allocated or NULL. */
void set_log(struct batch *, size_t task, char *text);
/* The same for its result; without a manifest, text is freed. */
void set_result(struct batch *, size_t task, char *text);
/* Returns the task's messages, which the caller frees; or NULL. */
char *take_log(struct batch *, size_t task);
/*
 * Prints the messages of finished tasks in the order of the inputs, up to the
 * first unfinished task; at_end: of all tasks.
 */
void print_task_logs(struct batch *, bool at_end);
void end_log(struct batch *);
void free_logs(struct batch *);

#endif
