/*
 * cgconv_format.h - the interface for formats.
 *
 * A format is a const struct cg_module with three functions: probe() looks at
 * the first bytes, read() adds what it finds to a builder, write() takes rows
 * from a finished graph.
 *
 * Errors are sticky: after the first failure of a builder, an input or an
 * output, further calls on it do nothing and return 0 (false, NULL, id 0); its
 * status function returns the status. So a reader can follow its format's
 * grammar and check once, at its end.
 *
 * Contents: Errors and warnings, Options, Memory, Reading; Building:
 * dimensions, rows; The graph: lines, coverage, merged stacks; Writing
 */
#ifndef CGCONV_FORMAT_H
#define CGCONV_FORMAT_H

#include <string.h>

#include "cgconv.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* all else in the library is hidden */
#endif

/* ---- Errors and warnings ------------------------------------------------ */

/*
 * Reports an error and returns CG_EINPUT: return cg_fail(job, "expected ...").
 * The location is the line or the bytes that the input returned last; the _at
 * forms locate more precisely: at points into that line or those bytes. If an
 * error was reported before, it is the cause of this one: then nothing is
 * reported, and the earlier status is returned.
 */
int cg_fail(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
int cg_fail_at(struct cg_job *, const char *at, const char *fmt, ...)
    CG_PRINTF(3, 4);
/*
 * The same for data that a target needs and the graph lacks: returns CG_ELOSS,
 * or another status if an input was skipped, which may be the cause.
 */
int cg_lacks(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
/*
 * The same for functions that return true on success: they report the error,
 * keep its status in the job and return false. read() and write() then end
 * with that status, whatever they return.
 *
 *	if (!cg_take_u64(&line, &cost))
 *		return cg_reject(job, "expected a cost");
 */
bool cg_reject(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
bool cg_reject_at(struct cg_job *, const char *at, const char *fmt, ...)
    CG_PRINTF(3, 4);
bool cg_reject_nomem(struct cg_job *);
/*
 * Returns the first status that cg_reject() kept for this input or output, or
 * CG_OK.
 */
int cg_rejected(const struct cg_job *);
/*
 * Warnings with the same fmt (compared by address: pass a literal) are counted:
 * the first five are reported, the rest as "and N more" at the end.
 */
void cg_warn(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
void cg_warn_at(struct cg_job *, const char *at, const char *fmt, ...)
    CG_PRINTF(3, 4);
/* A note about the input as a whole. */
void cg_note(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
/* Reports an option or argument that makes no sense; returns CG_EUSAGE. */
int cg_usage(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
/*
 * Reports that the input, or a unit of it, is skipped: the rest is converted,
 * and the job ends with CG_EINPUT. Readers must check a unit before they add
 * any of it. Returns CG_OK, or the status of an error that was reported
 * before; read() must then return that status.
 */
int cg_skip_at(struct cg_job *, const char *at, const char *fmt, ...)
    CG_PRINTF(3, 4);
/*
 * Reports that memory ran out, or that a limit was exceeded; returns CG_ELIMIT.
 * If a cursor has failed and reported that, returns its status instead.
 */
int cg_nomem(struct cg_job *);

/* ---- Options ------------------------------------------------------------ */

/*
 * Returns an option's value, or its fallback (may be NULL) if it was not set.
 */
const char *cg_opt(const struct cg_job *, const char *name);
bool cg_opt_flag(const struct cg_job *, const char *name);
/*
 * Returns memory for the state that a format keeps from one input to the next:
 * size bytes, zeroed at first, the same for the same key (an address in the
 * format). After the last input was read, the memory is passed to release()
 * and freed. NULL: out of memory (reported).
 */
void *cg_job_state(struct cg_job *, const void *key, size_t size,
    void (*release)(void *));

/* ---- Memory ------------------------------------------------------------- */

/*
 * Memory of a read() or write(), freed after that has returned; of a program,
 * freed with the job. Use it in the caller's thread only, and not for
 * cg_job_state(). Each call reports when memory runs out, and read() or write()
 * then ends with that status: see cg_rejected().
 *
 *	CG_ARRAY(struct frame) frames = { 0 };
 *	struct frame *frame = cg_push(job, &frames);
 */
/* Returns size bytes, zeroed; NULL: out of memory (reported). */
void *cg_alloc(struct cg_job *, size_t size);
/*
 * Calls release(what) when that memory is freed, in reverse order of these
 * calls. read() has returned by then, so what must not point to one of its
 * local variables. If memory runs out (reported), calls release() at once and
 * returns false.
 */
bool cg_at_end(struct cg_job *, void (*release)(void *), void *what);
/* An array that grows: at[0] to at[n - 1]. It begins with zeros. */
#define CG_ARRAY(type) \
	struct { \
		type *at; \
		size_t n, cap; \
	}
/* The address of a new last element, zeroed; NULL: out of memory (reported). */
#define cg_push(job, array) \
	((__typeof__((array)->at))(cg_reserve((job), (array), (array)->n + 1) \
		? memset((array)->at + (array)->n++, 0, sizeof(*(array)->at)) \
		: NULL))
/* Adds a copy of a value, inline if there is room. False as cg_push(). */
#define cg_append(job, array, ...) \
	(cg_reserve((job), (array), (array)->n + 1) && \
	    ((array)->at[(array)->n] = (__VA_ARGS__), ++(array)->n > 0))
/* Gives the array count elements; new ones are zero. False as cg_push(). */
#define cg_resize(job, array, count) \
	cg_resize_to((job), (array), (count), sizeof(*(array)->at))
/* Makes room for count elements, but adds none. False as cg_push(). */
#define cg_reserve(job, array, count) \
	((count) <= (array)->cap || \
	    cg_reserve_more((job), (array), (count), sizeof(*(array)->at)))
/* Frees a large array early; it is then empty. */
#define cg_drop(job, array) cg_drop_array((job), (array))
bool cg_resize_to(struct cg_job *, void *array, size_t n, size_t width);
bool cg_reserve_more(
    struct cg_job *, void *array, size_t need, size_t width);
void cg_drop_array(struct cg_job *, void *array);

/*
 * Memory of the caller, which outlives a read() or write(), or belongs to
 * another thread.
 */

/*
 * Makes room for need elements of width bytes in a malloc()ed array of *cap
 * elements, at least doubling it; new elements are zero. False: out of memory
 * (or need * width overflows), and nothing changed. array is the address of
 * the array's pointer, which starts as NULL with *cap 0; free() it.
 */
bool cg_grow(void *array, size_t *cap, size_t need, size_t width);
/* The same without zeroing, so that large arrays are not touched in advance. */
bool cg_grow_more(void *array, size_t *cap, size_t need, size_t width);
static inline bool
cg_grow_raw(void *array, size_t *cap, size_t need, size_t width)
{
#ifndef __clang_analyzer__ /* it assumes that an array with room may be NULL */
	if (need <= *cap)
		return true;
#endif
	return cg_grow_more(array, cap, need, width);
}
/* Like qsort(); fast for few elements, and for sorted ones. */
void cg_sort(void *array, size_t count, size_t width,
    int (*compare)(const void *, const void *));
/*
 * Sorts many elements by the uint64_t at that offset in each; equal ones keep
 * their order. Needs a copy of the array for that. False: out of memory.
 */
bool cg_sort_by_u64(void *array, size_t count, size_t width, size_t offset);

/* ---- Reading ------------------------------------------------------------ */

/*
 * Text: the next block of whole lines. Each line ends with '\n', which is
 * added to a last line without it, so a parser may use it as a sentinel. The
 * block is valid until the next call on the input. False at the end.
 */
bool cg_read_block(struct cg_in *, struct cg_slice *block);
/*
 * Sets *line to the next line without its newline; valid until the next call.
 * False: no more lines.
 */
bool cg_read_line(struct cg_in *, struct cg_slice *line);
/*
 * Bytes: exactly n of them, valid until the next call. False if fewer are
 * left; bytes is then the rest. Memory grows only as bytes arrive, whatever n
 * is.
 */
bool cg_read_bytes(struct cg_in *, uint64_t n, struct cg_slice *bytes);
/* The same without consuming them. */
bool cg_look_bytes(struct cg_in *, uint64_t n, struct cg_slice *bytes);
/*
 * Skips n bytes without reading them, after which the next call continues.
 * False, and nothing is skipped: the input is not a plain file, or has no more
 * than n bytes.
 */
bool cg_seek_ahead(struct cg_in *, uint64_t n);
/* Sets *bytes to the rest of the input; valid until the next call. */
bool cg_read_all(struct cg_in *, struct cg_slice *bytes);
/*
 * True if the last line had no newline of its own: the file may be truncated.
 */
bool cg_in_unterminated(const struct cg_in *);
/* Returns the offset of the next byte in the decompressed input. */
uint64_t cg_in_offset(const struct cg_in *);
/*
 * Opens a file that belongs to the input, such as the .gcno file next to a
 * .gcda file; *in is NULL if there is none. False: it exists but cannot be
 * read (reported); skip the data that needs it, and the job ends with
 * CG_EINPUT. While a companion is open, messages without a location refer to
 * it. Close companions in reverse order.
 */
bool cg_open_companion(struct cg_job *, const char *path, struct cg_in **in);
/*
 * The same for a relative path below a directory that the user names, or in an
 * archive given for it, as in "notes.zip" or "notes.tar.gz/build". For inputs
 * in memory, too, unless ".." leads out of the directory.
 */
bool cg_open_companion_below(
    struct cg_job *, const char *directory, const char *path, struct cg_in **);
/*
 * True if path is a regular file; if the input is in an archive, a file of the
 * archive.
 */
bool cg_companion_exists(struct cg_job *, const char *path);
/*
 * True if the input, and so its companions, are in memory, such as in an
 * archive.
 */
bool cg_companion_in_memory(const struct cg_job *);
/*
 * Returns the name of input i of an output, also of one that other jobs have
 * read; NULL: there is none, or its name is unknown. Sets *all to the number
 * of inputs.
 */
const char *cg_job_input_name(const struct cg_job *, size_t i, size_t *all);
void cg_close_companion(struct cg_job *, struct cg_in *);
/*
 * Opens the source of a file of the graph in the directory of option sources.
 * Without the option it opens it in the working directory, or by a relative
 * name in the directory of the first input. A file is skipped with a warning,
 * and *in is NULL, if it is hidden, if a link to it leads out of the
 * directory, if it is not text or larger than 16 MiB. A missing file is a
 * warning, and one that cannot be read an error; if optional, both are silent.
 * Outputs that show sources open only sources of files that have lines.
 */
bool cg_open_source(struct cg_job *, const struct cg_graph *, cg_file,
    bool optional, struct cg_in **in);
#define CG_SOURCES_OPTION "sources"
#define CG_OPTION_SOURCES                                                    \
	{                                                                    \
		.name = CG_SOURCES_OPTION, .type = CG_STRING, .arg = "DIR",  \
		.help = "directory of the sources (/: use their absolute paths)", \
		.writing = true                                              \
	},                                                                   \
	{                                                                    \
		.name = "no-sources", .type = CG_FLAG, .fallback = "no",     \
		.help = "read no sources",                                   \
		.writing = true                                              \
	},                                                                   \
	{                                                                    \
		.name = "hidden-sources", .type = CG_FLAG, .fallback = "no", \
		.help = "read sources that are hidden, too", \
		.writing = true                                              \
	}
/* True if the file itself is an input, named or found in a directory. */
bool cg_job_has_input(const struct cg_job *, const char *path);
/* Returns the name of the input in messages: a path, or "<stdin>". */
const char *cg_in_name(const struct cg_in *);
/* Returns CG_OK, or why reading ended early (already reported). */
int cg_in_status(const struct cg_in *);

/* ---- Building: dimensions ----------------------------------------------- */

/*
 * Add an object or a file, and return its id; "" is id 0. Readers translate
 * their format's word for an unknown one, such as "???", to "".
 */
cg_object cg_add_object(struct cg_build *, struct cg_slice path);
cg_file cg_add_file(struct cg_build *, struct cg_slice path);
/*
 * The path as the input spells it, if the reader has made it absolute:
 * "src/a.c" for "/home/me/src/a.c".
 */
void cg_set_file_given(struct cg_build *, cg_file, struct cg_slice);
/*
 * Adds a file as a compiler names it, and returns its id. directory: where the
 * compiler ran, or "".
 */
cg_file cg_add_file_in(struct cg_build *, struct cg_slice directory,
    struct cg_slice name);
/*
 * Joins and normalizes the two as text (no ".", "..", "//"; links are not
 * resolved). Needs directory.len + name.len + CG_JOIN_MORE bytes at to; returns
 * the end.
 */
#define CG_JOIN_MORE 2
char *cg_join_path(char *to, struct cg_slice directory, struct cg_slice name);
/*
 * Adds a function and returns its id. An empty name with no file and object is
 * fn 0, the unknown caller.
 */
cg_fn cg_add_fn(struct cg_build *, struct cg_slice name, cg_file, cg_object);
/* The same in two steps, for formats with a table of names. */
cg_name cg_add_name(struct cg_build *, struct cg_slice);
/* Returns the text of a name, NUL-terminated; valid as long as the graph. */
struct cg_slice cg_get_name(const struct cg_build *, cg_name);
cg_fn cg_add_fn_named(struct cg_build *, cg_name, cg_file, cg_object);
/* Return the name and the object with which a function was added. */
cg_name cg_build_fn_name(const struct cg_build *, cg_fn);
cg_object cg_build_fn_object(const struct cg_build *, cg_fn);
/*
 * Returns the demangled name (C++, Rust, D, and Java as the JVM writes it).
 * Returns the name itself if it is not mangled, if the target writes linker
 * names, or if cg_job_set_demangle() turned demangling off. Demangles each
 * name once.
 */
cg_name cg_add_demangled(struct cg_build *, cg_name symbol);
/* The same for a text, independent of the target. NULL: out of memory. */
const char *cg_demangle(struct cg_job *, const char *name);
/* The same, to be freed; NULL: out of memory (not reported). */
char *cg_demangle_copy(struct cg_slice name);
/*
 * Adds a function with its linker name, and returns its id. The linker name
 * tells functions of one name apart: C++ makes two constructors of one in the
 * source. Symbol 0: same as the name.
 */
cg_fn cg_add_fn_symbol(struct cg_build *, cg_name, cg_file, cg_object,
    cg_name symbol);
/*
 * Adds a function that its source also identifies by its definition (column 0:
 * unknown), and returns its id. If several have the same name and file
 * (methods, lambdas), the first keeps the name, the others become name:line or
 * name:line:column.
 */
cg_fn cg_add_fn_at(struct cg_build *, struct cg_slice name, cg_file, cg_object,
    uint32_t line, uint32_t column);
/* Widens the known range of the function; zeros are ignored. */
void cg_set_fn_range(struct cg_build *, cg_fn, const struct cg_range *);
/*
 * Adds an event; returns the column of its costs. If it exists, strings other
 * than "" and NULL replace earlier ones, but different units are an error. If
 * one of several inputs declares the event signed, it is signed in their sum;
 * costs from 2^63 on in the other inputs are then an error.
 */
#define CG_EVENT_MAX 1024 /* KCachegrind stops at 200, Valgrind at 17 */
unsigned cg_add_event(struct cg_build *, const struct cg_event *);
/*
 * The same for readers that number the events of an input themselves, from 0:
 * when inputs are summed, the columns need not be 0, 1, 2. Events are numbered
 * in the order of these calls. False: the input has the event twice, or the
 * builder has failed.
 */
bool cg_add_column(struct cg_build *, const struct cg_event *);
/*
 * Copies the costs of the input's events to their columns, of which there are
 * cg_columns_width(); valid until the next call.
 */
const uint64_t *cg_columns_of(struct cg_build *, const uint64_t *cost);
size_t cg_columns_width(const struct cg_build *);
/* Returns the number of events that cg_add_column() has added. */
size_t cg_columns_added(const struct cg_build *);
/* A derived event; it has no column. Checked when the graph is frozen. */
void cg_add_formula(struct cg_build *, const struct cg_event *);
/*
 * Adds a column of samples and time as a formula of it: ns for each sample; 0:
 * unknown, no time. False as cg_add_column().
 */
bool cg_add_samples(struct cg_build *, uint64_t ns);
/*
 * Starts a part: later rows belong to it. The first call describes the part
 * that exists from the start. When inputs are summed, rows go into one part
 * whose pid, tid and part become 0 if they differ.
 */
cg_part cg_add_part(struct cg_build *, const struct cg_part_info *);
/* Makes an existing part the current one: later rows belong to it. */
void cg_set_part(struct cg_build *, cg_part);
cg_labels cg_add_labels(struct cg_build *, const struct cg_label *, size_t n);
/* Later stacks have these labels, until a part or an input begins. */
void cg_set_labels(struct cg_build *, cg_labels);
/*
 * Data of a sample other than its stack and costs.
 *
 * With --part-by, later rows and stacks belong to a part that is made of the
 * current part and the sample's key; without it, to the current part. Stacks
 * get the sample's labels, except those that repeat the part's description:
 * the first label of the key that makes the part, and pid and tid as numbers.
 *
 * A reader whose format has no labels passes none: the library then makes
 * labels comm, pid, tid and thread if the target or --root-by uses them, and
 * cpu if --root-by or --part-by asks for it. Such a reader calls this before
 * each sample, or whenever the data changes, and makes no parts for threads
 * itself.
 */
struct cg_sample_key {
	uint64_t pid, tid;      /* 0: unknown */
	struct cg_slice comm;   /* name of the process, or "" */
	struct cg_slice thread; /* name of the thread, or "" */
	const struct cg_label *label;
	size_t labels;
	uint32_t cpu; /* where it ran, if known */
	bool has_cpu;
};
void cg_set_sample_part(struct cg_build *, const struct cg_sample_key *);
/*
 * Adds a description to the current part, such as "Trigger: Program
 * termination". Keys that begin with CG_PROGRAM_KEY identify the profiled
 * executable: inputs with different values cannot be merged, because their
 * addresses mean different things. Descriptions that are numbers of one input
 * (cg_desc_is_count()) are summed or dropped when several inputs are merged
 * into the part.
 */
#define CG_PROGRAM_KEY "program."
void cg_add_desc(struct cg_build *, struct cg_slice key,
    struct cg_slice value);
/*
 * The current part counts calls in samples. The library calls this itself when
 * it turns stacks into calls; outputs record it as a description.
 */
void cg_set_calls_sampled(struct cg_build *);
/*
 * Appends a file to the current part's list of files, which has the order of
 * the source; call it after cg_add_part(). If merged inputs list different
 * files, or another order, the merged list has no order; file 0 states that
 * the input is such a merge.
 */
void cg_list_file(struct cg_build *, cg_file);
/*
 * True if descriptions with that key are numbers of one part: a description of
 * several parts must not have them.
 */
bool cg_desc_is_count(const char *key);
/*
 * Returns the value of a description of the current part, "" if absent; valid
 * until the next description is added.
 */
const char *cg_build_desc(const struct cg_build *, const char *key);
/*
 * Addresses of rows are starts of buckets of that many bytes (gprof's
 * histogram) instead of instructions; the default is 1.
 */
void cg_set_grain(struct cg_build *, unsigned bytes);

/* ---- Building: rows ----------------------------------------------------- */

/*
 * Adds self cost: cost[i] belongs to column i; columns from n on are 0. Costs
 * of the same location are summed. n = 0: the location never ran. False: the
 * builder has failed (a sum overflows); cg_build_failed() can report where.
 */
bool cg_add_cost(struct cg_build *, cg_fn, const struct cg_pos *,
    const uint64_t *cost, size_t n);
/*
 * Adds count calls from site (in the caller) to the callee, entered at entry
 * (line and addr; its file is the callee's), with their inclusive cost. Caller
 * 0 is the unknown caller, gprof's <spontaneous>.
 */
bool cg_add_call(struct cg_build *, cg_fn caller, const struct cg_pos *site,
    cg_fn callee, const struct cg_pos *entry, uint64_t count,
    const uint64_t *cost, size_t n);
/* Adds a jump. An unconditional jump has followed = executed. */
void cg_add_jump(struct cg_build *, cg_fn, const struct cg_pos *from,
    cg_fn target, const struct cg_pos *to, bool conditional,
    uint64_t executed, uint64_t followed);
/*
 * Returns the node of a frame on top of parent (0: none). pos is the location
 * in the function where it calls the next frame, or where the sample was
 * taken. inlined: the compiler inlined this frame's function into parent's.
 * All parameters together identify the node.
 */
cg_node cg_add_frame(struct cg_build *, cg_node parent, cg_fn,
    const struct cg_pos *, bool inlined);
/*
 * The same in two steps, for inputs with a table of frames: each frame that is
 * on a stack gets an id, and nodes are found faster by ids. 0: the builder has
 * failed.
 */
typedef uint32_t cg_frame_id;
cg_frame_id cg_get_frame(
    struct cg_build *, cg_fn, const struct cg_pos *, bool inlined);
cg_node cg_add_node(struct cg_build *, cg_node parent, cg_frame_id);
/*
 * Adds n paths from the root and sets their leaves (0 for a path without
 * frames). Path i ends before frame[end[i]], where the next one begins. Adding
 * many at once is faster: their lookups overlap. False: the builder has
 * failed.
 */
bool cg_add_paths(struct cg_build *, const cg_frame_id *frame,
    const size_t *end, size_t n, cg_node *leaf);
/*
 * Adds self cost to the leaf frame of a stack. samples is the number of
 * samples in it; when stacks become calls, calls are counted in samples. Pass
 * 0 if the reader adds real counts with cg_add_call().
 */
void cg_add_stack(struct cg_build *, cg_node leaf, uint64_t samples,
    const uint64_t *cost, size_t n);
/*
 * Tells the library that the reader does not need the nodes any more that it
 * has added. True: the library has dropped them, and the reader must not use
 * them. If the target has no stacks, the library turns the stacks into calls
 * here, so that memory does not depend on the number of distinct stacks. Call
 * it after any stack.
 */
bool cg_free_nodes(struct cg_job *);
/*
 * Call it if the input has a timeline. True: add its moments, in addition to
 * stacks with their sums; false: the target cannot represent timelines.
 */
bool cg_begin_timeline(struct cg_build *);
/*
 * Sets the track of later moments: the track of the current part with the
 * key's kind, unit, pid and tid, or, without pid and tid, with its name. Makes
 * the track if it does not exist. Names in the key that are not NULL replace
 * those of the track; moments, begin and end of the key are ignored. Call it
 * again after a part or an input began, and after cg_set_sample_part() for
 * another thread.
 */
void cg_set_track(struct cg_build *, const struct cg_track *key);
/* The same, but always makes a new track. False: the builder has failed. */
bool cg_add_track(struct cg_build *, const struct cg_track *key);
/*
 * Samples may be in any order, spans must be in the order of their times. A
 * moment with a time of 2^61 or above, or -2^61 or below, is dropped and
 * counted in a warning.
 */
void cg_add_moment(struct cg_build *, const struct cg_moment *);
/* Sets when the track began and ended, if the input states it. */
void cg_state_times(struct cg_build *, int64_t begin, int64_t end);
/* Adds a function's inclusive cost, if the source itself states it. */
void cg_add_inclusive(struct cg_build *, cg_fn, const uint64_t *cost,
    size_t n);

bool cg_add_branch(struct cg_build *, cg_fn, const struct cg_branch *);
/*
 * Adds a region of a function; counts of equal regions are summed. Call it only
 * if cg_wants_rows() is true for CG_REGIONS, where it takes work to find
 * regions. A region that ends on a line before its first one is dropped, and
 * counted in a warning.
 */
bool cg_add_region(struct cg_build *, cg_fn, const struct cg_region *);
/*
 * True unless more rows of a fact (CG_JUMPS, or one of branches) are useless:
 * the target cannot represent them and the graph has the fact already. For
 * readers that can save work by skipping such rows.
 */
bool cg_wants_rows(const struct cg_build *, cg_facts);
/*
 * True if the target can represent one of these facts. For rows that readers
 * add on demand only, because other rows imply them (raw counters, blocks of
 * paths) or can replace them (CG_SIGNED: negative counts become 0). A target
 * that needs CG_COUNTERS derives everything else from them; for it this is
 * true of CG_COUNTERS only.
 */
bool cg_wants_fact(const struct cg_build *, cg_facts);
/*
 * Compares the costs of the part since the input began it with a total that
 * the input states, such as Callgrind's "totals:" line; call it after adding
 * the costs. A difference is a warning with both numbers, at the location at.
 * at_least: the total may be larger ("summary:").
 */
void cg_state_total(struct cg_build *, const char *at, const uint64_t *cost,
    size_t n, bool at_least);
/* Returns CG_OK, or the first failure. */
int cg_build_status(const struct cg_build *);
/*
 * Reports the first failure, once, and returns its status; at is its location
 * in the input, as for cg_fail_at(). If it is not called, the job reports the
 * failure with a less precise location.
 */
int cg_build_failed(struct cg_build *, const char *at);

/* ---- The graph: lines --------------------------------------------------- */

/*
 * The rows of the graph by source file, for formats of lines:
 *
 *	struct cg_lines *lines = cg_lines_new(graph, part);
 *	while (lines && cg_next_file(lines, &file))
 *		while (cg_next_line(lines, &line)) ...
 *	cg_lines_free(lines);
 *
 * The cursor visits all files that have functions or rows, directory by
 * directory; file 0, the unknown one, comes first if it has rows. Memory: a
 * few bytes for each function and each file that it has rows in, and the rows
 * of some files. Failures are those of cursors: see "The graph: rows".
 */
struct cg_lines;
struct cg_lines *cg_lines_new(const struct cg_graph *, cg_part);
/*
 * The same, but functions that begin at one position are ordered by name
 * instead of by number in the unit. Numbers are known only with rows of blocks
 * (CG_BLOCKS), and units number an inline function differently. Targets
 * without blocks need this order: the order of their branches must not depend
 * on how inputs were read and summed.
 */
struct cg_lines *cg_lines_new_by_name(const struct cg_graph *, cg_part);
/*
 * The same, but the files that the part's source lists are in the order of
 * that list; all other files keep their positions. Rows without a line are
 * dropped.
 */
struct cg_lines *cg_lines_new_listed(const struct cg_graph *, cg_part);
/*
 * Starts again with another part, faster than a new cursor. If there are many
 * parts, a part has only the functions that have rows or are called in it.
 */
bool cg_lines_set_part(struct cg_lines *, cg_part);
void cg_lines_free(struct cg_lines *);
bool cg_next_file(struct cg_lines *, cg_file *);
/* Starts again with the first file. */
void cg_first_file(struct cg_lines *);
/*
 * The named functions that are defined in the file, by first line, column, and
 * number in the unit; returns how many. Valid until the next file.
 */
size_t cg_file_fns(const struct cg_lines *, const cg_fn **);
/*
 * cg_get_coverage() of function i of cg_file_fns(). After
 * cg_lines_new_listed() it is computed in the same pass as the lines. False as
 * for cg_rows_open().
 */
bool cg_file_coverage(struct cg_lines *, size_t i, struct cg_coverage *);
/*
 * Returns the line where a function begins, else its lowest line; 0: unknown.
 */
uint32_t cg_fn_line(const struct cg_lines *, cg_fn);
/*
 * Returns the number of the function in its unit, from 1 (in the last unit
 * that has it); 0: unknown.
 */
uint32_t cg_fn_number(const struct cg_lines *, cg_fn);
/*
 * Sets how often the function was called, recursion included; false if no call
 * is known.
 */
bool cg_fn_entries(const struct cg_lines *, cg_fn, uint64_t *count);

struct cg_line {
	uint32_t line;        /* 0: unknown */
	cg_fn fn;             /* may have no name */
	bool has_cost;        /* else it has branches only */
	const uint64_t *cost; /* n values, as in struct cg_cost */
	size_t n;
	const struct cg_branch *branch; /* by kind, block, index */
	size_t branches;
};
/*
 * Gets the next line and function: sorted by line, then by function in the
 * order of cg_file_fns(), functions of other files last. Valid until the next
 * file. False: no more.
 */
bool cg_next_line(struct cg_lines *, struct cg_line *);
/* Returns the line's branches of a kind, up to *end. */
const struct cg_branch *cg_line_rows(const struct cg_line *,
    enum cg_branch_kind, const struct cg_branch **end);
/* Starts again with the file's first line. */
void cg_first_line(struct cg_lines *);

struct cg_line_sum {
	uint32_t line;
	bool has_cost;
	uint64_t cost;        /* of one event */
	uint64_t hits;        /* the same; 0 if it is negative */
	/*
	 * Arcs, then conditions. If the instances of a template have the same
	 * ones, they are summed one by one; see CG_BRANCH_UNLIKE. Blocks are
	 * numbered from 0.
	 */
	const struct cg_branch *branch;
	size_t branches;
};
/*
 * Gets the sum of the next line over all functions. Valid until the next call.
 * False: no more.
 */
bool cg_next_line_sum(struct cg_lines *, size_t event, struct cg_line_sum *);
/*
 * The regions that begin on the line of the last cg_next_line_sum(), summed
 * over all functions: by column, last line, last column. Valid until the next
 * call; false as for cursors.
 */
bool cg_line_regions(
    struct cg_lines *, const struct cg_branch **region, size_t *count);
/*
 * Returns the number of arcs among the line's branches; conditions follow
 * them.
 */
static inline size_t
cg_line_arcs(const struct cg_line_sum *line)
{
	size_t n = 0;

	while (n < line->branches && line->branch[n].kind == CG_BRANCH_ARC)
		n++;
	return n;
}

/*
 * For readers of formats that list the functions and the lines of a file:
 * finds the function that a line belongs to. Functions may contain others; a
 * line belongs to the innermost one.
 */
struct cg_fn_lines {
	cg_fn fn;
	uint32_t first, last; /* 0: unknown; if last is, it ends at the next */
};
struct cg_owners {
	CG_ARRAY(struct cg_owner) owner; /* all private; starts as { 0 } */
	CG_ARRAY(size_t) nested;
	size_t hint;
	cg_fn outside;
};
/*
 * Sets the functions of a file, sorted by first line, the longer one first; if
 * several have the same lines, the lines belong to the first one. Lines
 * outside of all functions belong to outside. Uses the memory of read().
 * False: out of memory (reported).
 */
bool cg_owners_find(struct cg_job *, struct cg_owners *,
    const struct cg_fn_lines *, size_t n, cg_fn outside);
cg_fn cg_owner_of(struct cg_owners *, uint32_t line);

/* ---- The graph: coverage ------------------------------------------------ */

/*
 * The rules by which coverage is counted; they are lcov's. False means the
 * same as for cursors.
 */

/* A function of a file: the sum of all functions with one key there. */
struct cg_merged_fn {
	struct cg_slice name;
	uint32_t first, last; /* lines; last 0: unknown */
	uint64_t count;       /* entries; 1 if only costs show that it ran */
};
/*
 * Returns the key of a function: its linker name; if that is unknown, or with
 * option functions-by-name, its name. C++ has several constructors and
 * destructors of one name.
 */
struct cg_slice cg_fn_key(const struct cg_graph *, cg_fn);
/*
 * Gets the functions of the current file, by first line. Restarts the file's
 * lines. Valid until the next call.
 */
bool cg_merged_fns(struct cg_lines *, size_t event,
    const struct cg_merged_fn **, size_t *count);

/* One outcome of a condition (MC/DC) on a line. */
struct cg_merged_condition {
	uint32_t size; /* conditions of its group */
	const struct cg_branch *branch;
	int64_t count;
};
/*
 * Gets the condition outcomes of a line; groups of the same size are merged.
 * Valid until the next call.
 */
bool cg_merged_conditions(struct cg_lines *, const struct cg_line_sum *,
    const struct cg_merged_condition **, size_t *count);

struct cg_hits {
	uint64_t hit, found;
};
struct cg_counts {
	struct cg_hits lines, functions, branches, conditions;
	struct cg_hits regions; /* those with a count, but no fillers */
};
/* Count n functions, or the arcs among n branches. */
void cg_count_fns(const struct cg_merged_fn *, size_t n, struct cg_hits *);
void cg_count_arcs(const struct cg_branch *, size_t n, struct cg_hits *);
/*
 * Counts the line of the last cg_next_line_sum(): the line itself if it has a
 * cost, its branches, conditions and regions.
 */
bool cg_count_line(
    struct cg_lines *, const struct cg_line_sum *, struct cg_counts *);
/* Counts the current file; restarts its lines. */
bool cg_count_file(struct cg_lines *, size_t event, struct cg_counts *);
void cg_add_counts(struct cg_counts *to, const struct cg_counts *from);

/*
 * The contents of a coverage report: files that have a path and lines, and the
 * lines with a number. Dropped data is counted, and reported at the end.
 *
 *	struct cg_report r = { .job = job, .graph = graph, .out = out,
 *		.part = CG_ALL_PARTS };
 *	status = cg_report_open(&r);
 *	while (status == CG_OK && cg_report_file(&r, &file))
 *		while (cg_report_line(&r, &line)) ...
 *	if (status == CG_OK)
 *		status = cg_report_close(&r, ok);
 */
struct cg_report {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	cg_part part;      /* or CG_ALL_PARTS */
	bool bare_lines;   /* also lines that have branches but no count */
	bool only_whether; /* the target knows only whether a line ran */

	struct cg_lines *lines;
	size_t event;
	size_t files; /* so far, including the current one */

	bool again; /* private from here on: count nothing twice */
	struct cg_report_losses {
		uint64_t lost, bare, fns, negative_lines, negative_branches;
		bool repeated;
	} losses;
};
/*
 * Chooses the event, opens the lines. Returns the status; a failure is
 * reported.
 */
int cg_report_open(struct cg_report *);
bool cg_report_file(struct cg_report *, cg_file *);
/* Gets the next line of the current file. False: no more. */
bool cg_report_line(struct cg_report *, struct cg_line_sum *);
/* Returns the count of a branch; 0 for a negative one. */
uint64_t cg_report_count(struct cg_report *, int64_t);
/* Starts again with the first file, for targets whose totals come first. */
void cg_report_again(struct cg_report *);
/*
 * Closes the lines, reports dropped data; fails if no file was listed. Pass ok
 * = false if the writer rejected something, a cursor failed, or memory ran
 * out. Returns the status.
 */
int cg_report_close(struct cg_report *, bool ok);

/* ---- The graph: merged stacks ------------------------------------------- */

/*
 * Call stacks, merged by the part of their frames that a format writes: frames
 * with equal keys and the same callers become one. Memory: about 50 bytes a
 * node.
 *
 *	merged = cg_merged_stacks_new(graph, get_key, arg);
 *	frame = cg_merged_frames(merged, &count);
 *	n = cg_merged_children(merged, 0, &child); ...
 *	cg_merged_stacks_free(merged);
 *
 * get_key() maps a node's frame to a number; the format must write frames with
 * equal numbers alike. arg is passed to it. NULL: out of memory (reported).
 */
struct cg_merged_stacks;
typedef uint32_t cg_merge_key(
    void *arg, cg_node, const struct cg_stack *);
struct cg_merged_stacks *cg_merged_stacks_new(
    const struct cg_graph *, cg_merge_key *get_key, void *arg);
void cg_merged_stacks_free(struct cg_merged_stacks *);

struct cg_merged_frame {
	uint32_t parent;         /* the caller's frame; 0: none */
	uint32_t key;
	cg_fn fn;                /* of the first frame merged into this one */
	uint32_t depth : 31;     /* of frame 0: 0 */
	uint32_t ends_stack : 1; /* a stack that has costs or samples ends here */
};
/*
 * Returns the frames by number, in the order of their first nodes in the
 * graph, callers before callees. Frame 0 is below all others: costs without a
 * stack are its self costs. *count includes it. Valid until
 * cg_merged_stacks_free().
 */
const struct cg_merged_frame *cg_merged_frames(
    const struct cg_merged_stacks *, size_t *count);
/*
 * Returns the number of the frame into which a node was merged; 0 for node 0.
 */
uint32_t cg_merged_of(const struct cg_merged_stacks *, cg_node);
/* Numbers of the frames that a frame calls, by key; returns how many. */
size_t cg_merged_children(const struct cg_merged_stacks *, uint32_t frame,
    const uint32_t **child);
/*
 * Adds the self costs of an event in all parts to sum, by frame number. False:
 * a sum does not fit into 64 bits (signed ones if the event is signed).
 */
bool cg_merged_costs(
    const struct cg_merged_stacks *, size_t event, uint64_t *sum);

/* ---- Writing ------------------------------------------------------------ */

/*
 * For writers of one event. Chooses the event that option CG_EVENT_OPTION
 * names; else the one called usual (NULL: none) if the graph has it; else
 * cg_main_event(). If there are several and the option is not set, a note
 * names the event that is written; for the usual event only with --verbose.
 * CG_EUSAGE if the option names no event of the graph, CG_ELOSS if the graph
 * has no event. Returns the status.
 */
int cg_choose_event(
    struct cg_job *, const struct cg_graph *, const char *usual, size_t *event);
/*
 * For writers that show a change. Sets the columns before and after it, [0]
 * and [1], of the event X of option CG_EVENT_OPTION, else of the main event.
 * Their names are X_before and X_after, as CG_DIFF_SIDE_BY_SIDE makes them, or
 * "before" and "after". Reports the same notes as cg_choose_event(). False:
 * the graph has no such pair; call cg_choose_event() then.
 */
bool cg_choose_pair(
    struct cg_job *, const struct cg_graph *, size_t column[2]);
/* CG_EVENT_OPTION, for the option tables of these writers. */
#define CG_OPTION_EVENT                                                    \
	{                                                                  \
		.name = CG_EVENT_OPTION, .type = CG_STRING, .arg = "NAME", \
		.help = "event to write, where there are more",            \
		.writing = true                                            \
	}

/*
 * For targets that count coverage: "The graph: lines" skips lines that markers
 * in the sources or these options exclude. Markers are those of geninfo(1) and
 * gcovr.
 */
#define CG_OPTIONS_EXCLUDE                                                   \
	CG_OPTION_SOURCES,                                                   \
	{                                                                    \
		.name = CG_MARKERS_OPTION, .type = CG_FLAG, .fallback = "yes", \
		.help = "leave out lines that markers in sources exclude",   \
		.writing = true                                              \
	},                                                                   \
	{                                                                    \
		.name = "marker-words", .type = CG_STRING, .arg = "WORDS",   \
		.help = "the words that markers begin with [default: all]",  \
		.writing = true                                              \
	},                                                                   \
	{                                                                    \
		.name = "exclude-noncode", .type = CG_FLAG, .fallback = "no", \
		.help = "leave out braces, else and comments that never ran", \
		.writing = true                                              \
	},                                                                   \
	{                                                                    \
		.name = "exclude-unreachable-branches", .type = CG_FLAG,     \
		.fallback = "no",                                            \
		.help = "leave out branches of lines with only braces",      \
		.writing = true                                              \
	},                                                                   \
	{                                                                    \
		.name = "exclude-internal-functions", .type = CG_FLAG,       \
		.fallback = "no",                                            \
		.help = "leave out functions whose names begin with __",     \
		.writing = true                                              \
	},                                                                   \
	{                                                                    \
		.name = "functions-by-name", .type = CG_FLAG,                \
		.fallback = "no",                                            \
		.help = "count functions of one C++ name as one",            \
		.writing = true                                              \
	},                                                                   \
	{                                                                    \
		.name = "exclude-lines", .type = CG_STRING, .arg = "REGEX",  \
		.help = "leave out lines whose source matches",              \
		.writing = true                                              \
	},                                                                   \
	{                                                                    \
		.name = "exclude-branches", .type = CG_STRING, .arg = "REGEX", \
		.help = "leave out branches of lines whose source matches",  \
		.writing = true                                              \
	},                                                                   \
	{                                                                    \
		.name = CG_PATCH_OPTION, .type = CG_STRING, .arg = "FILE",   \
		.help = "only lines that a unified diff changes (-: stdin)",  \
		.writing = true                                              \
	},                                                                   \
	{                                                                    \
		.name = CG_MISSING_OPTION, .type = CG_FLAG, .fallback = "no", \
		.help = "files of the diff without coverage count as not covered", \
		.writing = true                                              \
	}

void cg_putc(struct cg_out *, char);
void cg_put(struct cg_out *, struct cg_slice);
void cg_puts(struct cg_out *, const char *);
void cg_putu(struct cg_out *, uint64_t);
/*
 * Writes the number divided by 10 to the power of digits (at most 18),
 * exactly: "1.5" for 15 and 1 digit.
 */
void cg_put_fixed(struct cg_out *, int64_t, unsigned digits);
void cg_putf(struct cg_out *, const char *fmt, ...) CG_PRINTF(2, 3);
/*
 * Writes text that must stay on one line: newline, CR and NUL as \n, \r, \0.
 * True if there were any.
 */
bool cg_put_inline(struct cg_out *, struct cg_slice);
/* Writes a JSON string with its quotes; bytes that are not UTF-8 as \udcXX. */
void cg_put_json(struct cg_out *, struct cg_slice);
/*
 * Writes text of XML elements or quoted attributes. Text that XML cannot
 * represent (control characters, bytes that are not UTF-8) becomes U+FFFD.
 */
void cg_put_xml(struct cg_out *, struct cg_slice);
/* Writes ' name="value"', after the name of an element. */
void cg_put_xml_attribute(
    struct cg_out *, const char *name, struct cg_slice value);
/*
 * Room to format n bytes (at most CG_RESERVE_MAX) into; never NULL. After
 * that, pass the end of the text to cg_out_advance().
 */
#define CG_RESERVE_MAX 65536
char *cg_out_reserve(struct cg_out *, size_t n);
void cg_out_advance(struct cg_out *, const char *end);
/* CRC-32 (zlib's) of all output since the first call, which returns 0. */
uint32_t cg_out_crc32(struct cg_out *);
/* Returns CG_OK, or CG_EOUTPUT or CG_ELIMIT, which the job reports. */
int cg_out_status(const struct cg_out *);
/*
 * For targets of several files: another output next to the job's, with this
 * suffix in place of the last suffix of the job's output. The job commits it,
 * before its own, or removes it if writing fails. NULL: failed (reported),
 * such as for an output that has no name or is compressed.
 */
struct cg_out *cg_add_output(struct cg_job *, const char *suffix);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
