/*
 * cmd.h - declarations shared by the files of the program. The program uses
 * only the public API of the library.
 */
#ifndef CMD_H
#define CMD_H

#include <stdio.h>
#include <sys/types.h>

#include "cgconv_parse.h"

struct stat;

/* ---- args.c, options.c: the command line -------------------------------- */

#define JOBS_MAX 1024

/* The command; main.c has the functions. */
enum command {
	CMD_CONVERT,
	CMD_DETECT,
	CMD_DIFF,
	CMD_HELP,
	CMD_INFO,
	CMD_LIST_FORMATS,
	CMD_MERGE_MANIFESTS,
	CMD_SERIES,
	CMD_SUMMARY,
	CMD_VERIFY,
	CMD_VERSION,
	COMMANDS
};

struct args {
	struct cg_job *job;
	enum command command;
	const char *command_name; /* its option; NULL: none was given */
	const char *from, *to, *output; /* NULL: not given */
	const char *event, *top, *tree;
	const char *fail_under;       /* with --summary */
	const char *fail_over;        /* with --diff */
	const char *error_rate;       /* with --diff and --series */
	const char *order;            /* with --series */
	const char *like, *root;      /* --root: the last one given */
	size_t roots;                 /* number of --root options */
	bool selects_files;           /* --root, --include or --exclude given */
	bool branches;                /* with --like */
	bool markdown;                  /* with --summary and --diff */
	bool badge, per_test;           /* with --summary */
	bool json;                    /* with the commands that print */
	bool side_by_side, normalize; /* with --diff */
	bool quiet, verbose, gzip;
	bool open;    /* open the output in a viewer */
	bool part_by; /* samples are split into parts */
	char **input; /* inputs, in argv, moved together */
	size_t inputs;
	size_t split;  /* number of inputs before "--"; 0: none, or no "--" */
	char **topics; /* of --help: the arguments after it, up to NULL */
	const volatile sig_atomic_t *stop; /* not 0: a signal came */
	struct conversion *conversion; /* its progress; NULL: not shown */
	/* The options that outputs depend on, an array; NULL: out of memory. */
	struct json_object *options;

	/* Batches. */
	const char *directory, *name, *group_by, *list, *manifest;
	size_t jobs;         /* 0: as many as there are CPUs */
	unsigned timeout;    /* seconds; 0: none */
	uint64_t max_memory; /* bytes; 0: the default, UINT64_MAX: no limit */
	uint64_t shard, shards; /* number (from 1) and count; 0: no shards */
	bool recursive, nul, overwrite, fail_fast, dry_run, resume, retry;
	bool no_sandbox;
	bool partial;
};

/* An option of the program itself; formats have tables of their own. */
struct cmd_option {
	char letter;      /* 0: none */
	const char *name; /* without "--" */
	const char *arg;  /* the value's name in the help; NULL: takes none */
	const char *help; /* one line */
	/* It sets one of: */
	int (*set)(struct args *, const char *value);
	size_t field; /* offset in struct args: bool, or text if it has arg */
	enum command command;
	const char *group; /* heading in front of it in the help, or NULL */
	bool unrecorded;   /* outputs do not depend on it: not in manifests */
	bool target;       /* the help ends with the default target */
	bool filter;       /* one of cg_job_set_filter() */
	bool common;       /* on the first page of the help */
};

/* Ends with a NULL name. */
extern const struct cmd_option own_options[];
/* Reads argv, up to NULL, into args and its job. Returns the status. */
int parse_args(struct args *, int argc, char **argv);
/* Returns the number of workers: -j, or the number of CPUs. */
size_t count_jobs(const struct args *);
/*
 * True if an option of batches is given, or an input is an archive, which
 * --summary reads without a batch.
 */
bool is_batch(const struct args *);
/* In batch/names.c: judges by the suffix. */
bool looks_like_archive(const char *path);
/*
 * In batch/names.c: the first '{' of --name that begins no placeholder, or
 * NULL.
 */
const char *find_bad_placeholder(const char *template);

/* ---- like.c ------------------------------------------------------------- */

/*
 * Sets the defaults of --like that no other option has set. Returns the
 * status.
 */
int apply_like(struct args *);

/* ---- commands, each in the file of that name ----------------------------- */

int convert(struct args *);
/*
 * In batch/. -O: one output per input; -o: one for all inputs. Returns the
 * status.
 */
int convert_batch(struct args *);
int merge_manifests(struct args *);
int show_help(struct args *);
int show_version(struct args *);
/*
 * In table.c: a line for each option and format, with tabs between kind
 * (letter, option, format), name, argument or what a format can, and help.
 */
int print_help_table(struct args *);
int list_formats(struct args *);
int detect(struct args *);
int show_info(struct args *);
int verify(struct args *);
int diff(struct args *);
/*
 * In series/. list_runs() adds the inputs that --files-from and --manifest
 * list; call it before the sandbox is entered.
 */
int list_runs(struct args *);
int show_series(struct args *);
/* In summary/. Returns EXIT_BELOW if coverage is below --fail-under. */
int show_coverage(struct args *);
/*
 * Counts the coverage of the graph, without markers. Returns the sums, in
 * memory of the job; NULL if the graph is no coverage, or counting failed.
 * print_counts() and json_counts() show the total and up to n directories,
 * lowest coverage first.
 */
struct summary *count_all(const struct cg_graph *, const struct args *);
/*
 * Returns the event that readers of coverage count; the number of events if
 * the graph is no coverage.
 */
size_t find_coverage(const struct cg_graph *);
void print_counts(struct summary *, size_t directories);
/* Returns the counts as a JSON object; NULL: out of memory. */
struct json_object *json_counts(struct summary *, size_t directories);
#define EXIT_BELOW 7 /* a limit; follows the values of enum cg_status */
/*
 * In convert.c: adds the inputs to the job; standard input if there are none.
 * Returns the status.
 */
int add_inputs(struct args *);

/* ---- run.c: one of several runs that belong together ---------------------- */

/* The event that all runs have; zeros before the first run. */
struct common_event {
	const char *name, *unit;
	const char *first;   /* path of the first run */
	const char *program; /* that it ran; NULL: unknown */
	bool exact;          /* is_exact_event() */
};
struct run {
	/* The caller sets these: a job that has read the run. */
	const char *path;
	struct cg_job *job;
	const struct cg_graph *graph;
	/* sum_run() sets the others. */
	size_t event;
	double total;
	int rest;       /* total + rest is exact: see cost_rest() */
	double samples; /* their number; 0: unknown, or costs are exact */
	bool has_calls;
	struct cg_sums *sums; /* the caller frees them */
};
/* Parses "3%" or "3" into 0.03. False: it is neither. */
bool get_percent(struct cg_slice text, double *share);
/* Parses --error-rate, or sets its default. Returns the status. */
int parse_error_rate(const struct args *, double *rate);
/*
 * True if an event has no noise: coverage, or one that Valgrind counts.
 */
bool is_exact_event(const struct cg_graph *, size_t event);
/*
 * Returns the number of samples of an event, before stacks are turned into
 * calls; 0: unknown.
 */
double count_samples(const struct cg_graph *, size_t event);
/*
 * Checks that a run belongs to the others, sums its costs, and adds its
 * functions to those of the program's job: *functions has all so far. Returns
 * the status.
 */
int sum_run(struct args *, struct common_event *, struct run *,
    const struct cg_graph **functions);
/*
 * Returns a cost of a function of the run's graph. cg_job_diff_fn(args->job, 0,
 * fn) is its number among all functions.
 */
double run_cost(const struct run *, cg_fn, bool inclusive);
/* The same as it is in the graph, of an event that may be signed. */
uint64_t run_cost_bits(const struct run *, cg_fn, bool inclusive);
/* Returns a cost of the run's event, which may be signed. */
double event_cost(const struct run *, uint64_t cost);
/*
 * A double rounds integers above 2^53. Returns what has to be added to it to
 * get the exact cost, from -1024 to 1024.
 */
static inline int
cost_rest(uint64_t cost, bool is_signed)
{
	double value = is_signed ? (double)(int64_t)cost : (double)cost;
	uint64_t near;

	/* Rounded up, it may have one bit more than its type. */
	if (value < 0)
		near = (uint64_t)(int64_t)value;
	else
		near = value < 0x1p64 ? (uint64_t)value : 0;
	return (int)(int64_t)(cost - near);
}
/* Returns value + rest, exactly. Unknown: it is no integer of 64 bits. */
struct amount exact_amount(double value, int rest);

/* Paths of the sources of all runs, and their numbers. */
struct paths {
	CG_ARRAY(struct cg_slice) path; /* by number - 1 */
	struct cg_slots ids;
	uint64_t key[2]; /* of hashes; set it first */
};
/*
 * Returns the number of a path, from 1; a new path is copied to memory of the
 * job. 0: out of memory.
 */
uint32_t number_path(struct cg_job *, struct paths *, struct cg_slice);

/* ---- named.c: the files that the command line names for reading --------- */

struct named_file {
	const char *path;
	dev_t device;
	ino_t number;
};
struct named_files {
	CG_ARRAY(struct named_file) file;
};
/*
 * Lists regular files, in memory of the job; inputs: with the inputs. False:
 * out of memory.
 */
bool list_named_files(const struct args *, bool inputs, struct named_files *);
/* Returns the entry that is the same file, or NULL. */
const char *find_named_file(const struct named_files *, const struct stat *);
/* Returns CG_EUSAGE if -o or --manifest would overwrite a named file. */
int check_overwriting(const struct args *);

/* ---- lines.c: files of lines --------------------------------------------- */

/*
 * Calls add() with each line of a file, with its end, up to the first failure.
 * path "-" is standard input. Returns the status.
 */
int visit_lines(const struct args *, const char *path, int end,
    int (*add)(void *arg, char *line, size_t n), void *arg);
/* The same with the names that --files-from lists. */
int visit_names(
    const struct args *, int (*add)(void *arg, const char *name), void *arg);

/* ---- heap.c ------------------------------------------------------------- */

/* Call it before any other allocation. */
void prepare_heap(void);

/* ---- top.c: the top functions ------------------------------------------- */

#define TOP_DEFAULT 10 /* functions in a table */

/* Parses --top into *count, or sets it to fallback. Returns the status. */
int parse_top(const struct args *, size_t fallback, size_t *count);
/*
 * Prints the top functions by a column: an event, or (after all events) a
 * formula. Returns the status.
 */
int show_top(const struct args *, const struct cg_graph *, const struct cg_sums *,
    size_t column, size_t count);
/* Returns the value of a cost vector in a column. */
struct amount column_amount(
    const struct cg_graph *, size_t column, const uint64_t *cost);
const struct cg_event *column_event(const struct cg_graph *, size_t column);
/* Sums the costs of all parts; false if a sum overflows. */
bool sum_parts(const struct cg_graph *, uint64_t *cost);

/* ---- tree.c: the call tree ---------------------------------------------- */

struct call_tree;
/*
 * Makes the call tree of a graph, as --tree says, in memory of the job: from
 * stacks, or from estimated ones if the user allows it. Returns the status.
 */
int list_tree(struct args *, const struct cg_graph *, size_t column,
    struct call_tree **made);
void print_tree(const struct args *, const struct call_tree *);

/* ---- labels.c: of samples ----------------------------------------------- */

struct labelled {
	struct cg_label label;
	int profile;   /* 0 or 1, if two profiles are compared */
	cg_labels set; /* contains the label */
};
struct labels {
	CG_ARRAY(struct labelled) of; /* sorted by key, value, profile, set */
};
/*
 * Adds the labels of a graph, in memory of the job. Initialize labels with
 * { 0 }. False: out of memory.
 */
bool list_labels(struct labels *, struct cg_job *, const struct cg_graph *,
    int profile);
/*
 * Gets the next key from label *i on, and its number of values; false: no
 * more.
 */
bool next_label_key(const struct labels *, size_t *i, struct cg_slice *key,
    size_t *values);
/*
 * Prints "Labels bytes (8 values), worker (2 values)" if there are labels.
 */
void print_labels(const struct labels *);
/* For qsort(): compares by label, profile, set. */
int compare_labelled(const void *, const void *);
/* Writes "key=value". */
void put_label(FILE *, const struct cg_label *);

/*
 * ---- tracks.c: times of samples and calls ---------------------------------
 */

struct track_times {
	struct cg_track track;
	uint64_t gap;   /* longest time between samples or calls */
	int64_t gap_at; /* when it begins */
};
struct tracks {
	struct track_times *of;
	size_t count;
};
/*
 * Lists the tracks of a graph, in memory of the job. Initialize tracks with
 * { 0 }. False: out of memory.
 */
bool list_tracks(struct tracks *, struct cg_job *, const struct cg_graph *);
/* Prints a line for each track, the first ones only unless all is set. */
void print_tracks(const struct tracks *, bool all);
/* True if the times of the track are times, not sums of costs. */
bool is_timed(const struct cg_track *);

/* What the inputs contain, before facts are derived. */
struct contents {
	cg_facts facts;
	struct labels labels;
	struct tracks tracks;
	struct call_tree *tree; /* NULL: not requested */
	struct summary *coverage; /* NULL: no coverage */
};

/* ---- info_json.c -------------------------------------------------------- */

/*
 * Prints the summary as JSON; functions are sorted by the column. Returns the
 * status.
 */
int print_info_json(const struct args *, const struct cg_graph *,
    const struct cg_sums *, const struct contents *, size_t column,
    size_t count);

/*
 * ---- sandbox.c: limits what a process may do ------------------------------
 */

struct sandbox {
	int ruleset; /* -1: no sandbox */
	int error;   /* errno: files that exist are missing from it; or 0 */
	uint64_t rights;
};
/*
 * Begins a list of files that stay accessible: system directories and the
 * working directory, read-only.
 */
void sandbox_begin(struct sandbox *);
/* Adds a file, or a directory with all below it. A missing file is ignored. */
void sandbox_read(struct sandbox *, const char *path);
void sandbox_write(struct sandbox *, const char *path);
/*
 * Ends the list: this process and its children can open no other file, connect
 * to nothing and execute nothing. Returns a message about what the system
 * cannot forbid, or NULL.
 */
const char *sandbox_enter(struct sandbox *);
/* In a sandbox: this process can no longer start or signal other processes. */
void sandbox_alone(void);

/* ---- viewer.c: --open --------------------------------------------------- */

/*
 * Call before the sandbox: prepares to open the output. Returns a descriptor
 * for start_viewer() or drop_viewer(); -1 on failure, which start_viewer()
 * reports.
 */
int prepare_viewer(const struct args *);
/*
 * Opens the output, and reports which viewer runs. A missing viewer is a
 * warning.
 */
void start_viewer(const struct args *, int);
/* Call instead of start_viewer() if no output was written. */
void drop_viewer(int);

/*
 * ---- confine.c: puts a command into a sandbox -----------------------------
 */

/*
 * Begins a sandbox with the files that the command line names. False if the
 * system has no sandbox, or with --no-sandbox.
 */
bool confine_begin(const struct args *, struct sandbox *);
/*
 * Allows a file and its directory, or a directory; also the target of a link.
 */
void confine_allow(struct sandbox *, const char *path);
/*
 * Enters a wider sandbox while inputs are listed: all files can be read,
 * outputs and the manifest can be written. CG_ELIMIT as confine_end(). Returns
 * the status.
 */
int confine_plan(const struct args *);
/*
 * Enters the sandbox if it was begun; otherwise -v prints a note. CG_ELIMIT,
 * reported, if it lacks files because descriptors or memory ran out.
 */
int confine_end(const struct args *, struct sandbox *, bool begun);

/* ---- progress.c: a line on the terminal about work that takes long ------- */

/* Seconds between two drawings of the line. */
#define PROGRESS_SECONDS 0.2

struct progress_line {
	bool drawn; /* it is on the terminal */
};
/*
 * Replaces the line by a bar, filled up to part (0 to 1; negative: no bar), and
 * the text. The bar is dropped where the terminal has no room for it.
 */
void draw_progress(struct progress_line *, double part, const char *text);
/* Removes the line. Call before anything else is printed. */
void wipe_progress(struct progress_line *);
/* Seconds of a clock that is never set. */
double seconds_now(void);
/* Write "12.3 MB" and "1:02:03" to text, and return it. */
const char *bytes_text(char text[32], double bytes);
const char *time_text(char text[32], double seconds);
/*
 * Shows the progress of the one conversion of the job, if that takes more than
 * a second and standard error is a terminal; not with -q, nor if the output
 * goes to the terminal, too.
 */
void begin_conversion(struct args *);
/* Removes the line: a message follows. */
void wipe_conversion(const struct args *);
void end_conversion(struct args *);

/* ---- text.c: text for people -------------------------------------------- */

/*
 * Prints untrusted text: control characters, bytes that are not UTF-8 and
 * bidirectional marks are escaped as \n, \t, \x1b.
 */
void put_safe(FILE *, struct cg_slice);
/*
 * Prints text that must not become markup or mention users, as paths are not
 * trusted: all characters but harmless ones become character references.
 */
void put_markdown(FILE *, struct cg_slice);
void put_html(FILE *, struct cg_slice); /* the same for HTML */
/* Returns the length in bytes of the first character; 0: it is not UTF-8. */
size_t utf8_length(struct cg_slice text);

/*
 * Closes a stream of open_memstream(); to may be NULL. False: out of memory;
 * then the text is freed and NULL.
 */
bool close_text(FILE *, char **text);
/* Copies text to memory of the job. NULL: out of memory (reported). */
char *copy_text(struct cg_job *, struct cg_slice);

/* "note", "warning", "error", by severity. */
extern const char *const severity_name[];
/* Writes a message as a line: "FILE:LINE:COLUMN: error: TEXT". */
void put_message(FILE *, const struct cg_message *);

/* Writes "name <cycle 1> (file) [object]"; cycle 0: none. */
void put_function(FILE *, struct cg_slice name, uint32_t cycle,
    struct cg_slice file, struct cg_slice object);

/* A cost, signed or unsigned; known is false if the cost is unknown. */
struct amount {
	bool known, minus;
	uint64_t size;
};
struct amount amount_u64(uint64_t);
struct amount amount_i64(int64_t);
struct amount amount_minus(struct amount, struct amount);
/* Negative, 0, positive as a < b, a == b, a > b; unknown amounts are lowest. */
int compare_amounts(struct amount a, struct amount b);

#define AMOUNT_ROOM 32
/* Formats "-1,234,567", or "-" if unknown; returns buf. */
const char *amount_text(char buf[AMOUNT_ROOM], struct amount);
/* Formats "12.34%" of whole, or "-" if unknown or whole is 0; returns buf. */
const char *percent_text(
    char buf[AMOUNT_ROOM], struct amount, struct amount whole);

/*
 * Prints a table: right-aligned cells, then a name. head is a list of column
 * titles that ends with the name's and NULL.
 */
#define CELLS_MAX 8
void put_table(FILE *, const char *const *head, size_t rows,
    void (*put_cell)(char buf[AMOUNT_ROOM], const void *, size_t row,
	size_t cell),
    void (*put_name)(FILE *, const void *, size_t row), const void *);

#define FACTS_ROOM 300
/* Formats "self lines calls", or "-" if there are none; returns buf. */
const char *facts_text(char buf[FACTS_ROOM], cg_facts);

/* ---- json.c: JSON ------------------------------------------------------- */

struct json_object; /* from json-c */

/*
 * Longer or deeper texts are refused. Lists of numbers need 37 times their
 * size in memory.
 */
#define JSON_SIZE_MAX ((size_t)8 << 20)
#define JSON_DEPTH_MAX 16

/*
 * Parses one object; the caller frees it by json_object_put(). Its strings
 * keep bytes that are not UTF-8. NULL: the text is no JSON object, is too long
 * or too deep, has an integer of more than 64 bits, or memory ran out.
 */
struct json_object *parse_json(struct cg_slice text);

/*
 * Writes a value without spaces and newlines, and frees it. False: out of
 * memory; so is a value of NULL. Errors of the stream are not reported here.
 */
bool write_json(FILE *, struct json_object *value);
/*
 * Like write_json(), but returns a string, which the caller frees; NULL: out
 * of memory.
 */
char *json_text(struct json_object *value);

/*
 * Each adds a member to an object, or an element to an array, which then owns
 * the value. False: out of memory; so is a value of NULL.
 */
bool add_json(struct json_object *, const char *key, struct json_object *value);
bool add_json_text(struct json_object *, const char *key, struct cg_slice);
bool add_json_u64(struct json_object *, const char *key, uint64_t);
bool append_json(struct json_object *array, struct json_object *value);
/* Adds a number, or null if it is unknown. False: out of memory. */
bool add_json_amount(struct json_object *, const char *key, struct amount);
bool append_json_amount(struct json_object *array, struct amount);
/*
 * Adds a number, or null if it is none, to an object, or to an array if key is
 * NULL. False: out of memory.
 */
bool add_json_number(struct json_object *, const char *key, double);

/*
 * Adds members file, line, column or offset, severity, text. False: out of
 * memory.
 */
bool add_json_message(struct json_object *, const struct cg_message *);

/* Makes a JSON string; NULL: out of memory. */
struct json_object *json_slice(struct cg_slice);

#endif
