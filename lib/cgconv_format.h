/*
 * cgconv_format.h - the interface for formats.
 *
 * A format is a const struct cg_module with three functions: probe() looks at
 * the first bytes, read() pushes what it finds into a builder, write() pulls
 * from a frozen graph through cursors.
 *
 * Errors are sticky: after the first failure of a builder, an input or an
 * output every further call on it does nothing and returns 0 (false, NULL,
 * id 0), and its status function tells why. So a reader may read like its
 * format's grammar and ask once, at its end.
 *
 * Contents: Errors and warnings, Options, Memory, Reading;
 * Building: dimensions, rows; The graph: lines; Writing
 */
#ifndef CGCONV_FORMAT_H
#define CGCONV_FORMAT_H

#include "cgconv.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* all else in the library is hidden */
#endif

/* ---- Errors and warnings ------------------------------------------------ */

/*
 * The only error idiom of formats: return cg_fail(job, "expected ...").
 * Reports an error at the input's current place (the last line or bytes
 * read) and returns CG_EINPUT. The _at forms name the place: a pointer into
 * what the input gave out last.
 */
int cg_fail(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
int cg_fail_at(struct cg_job *, const char *at, const char *fmt, ...)
    CG_PRINTF(3, 4);
/* The same with a text that is not a format: for languages without varargs. */
int cg_fail_text(struct cg_job *, const char *at, const char *text);
/*
 * The same for functions that return whether they succeed: they report the
 * error, keep its status in the job and return false. read() and write() then
 * end with that status, whatever they return.
 *
 *	if (!cg_take_u64(&line, &cost))
 *		return cg_reject(job, "expected a cost");
 */
bool cg_reject(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
bool cg_reject_at(struct cg_job *, const char *at, const char *fmt, ...)
    CG_PRINTF(3, 4);
bool cg_reject_nomem(struct cg_job *);
/* The first status that was kept so for this input or output, or CG_OK. */
int cg_rejected(const struct cg_job *);
/*
 * Warnings of one fmt (compared by its address: pass a literal) are counted:
 * the first five are reported, the rest as "and N more" at the end.
 */
void cg_warn(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
void cg_warn_at(struct cg_job *, const char *at, const char *fmt, ...)
    CG_PRINTF(3, 4);
/* A note about the conversion as a whole, with the input's name. */
void cg_note(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
/* An option or argument that makes no sense: returns CG_EUSAGE. */
int cg_usage(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
/*
 * The input, or a unit of it, is left out: an error for people, while the rest
 * is still converted and the job ends with CG_EINPUT after all. For readers
 * that check a unit before they add anything of it. Returns CG_OK, or what
 * cg_fail_at() would if the job cannot go on.
 */
int cg_skip_at(struct cg_job *, const char *at, const char *fmt, ...)
    CG_PRINTF(3, 4);
/*
 * Out of memory, or past a limit: returns CG_ELIMIT. What a cursor has failed
 * of is told already: that is returned then.
 */
int cg_nomem(struct cg_job *);

/* ---- Options ------------------------------------------------------------ */

/* For modules: an option's value, its fallback if not set (maybe NULL). */
const char *cg_opt(const struct cg_job *, const char *name);
bool cg_opt_flag(const struct cg_job *, const char *name);
/*
 * What a format keeps from one input to the next: size bytes, zero at first,
 * the same for the same key (an address of the format's own). release() is
 * told before they are freed, when the last input has been read. NULL: out of
 * memory (reported).
 */
void *cg_job_state(struct cg_job *, const void *key, size_t size,
    void (*release)(void *));

/* ---- Memory ------------------------------------------------------------- */

/*
 * Makes room for need elements of width bytes in a malloc()ed array of *cap
 * elements, at least doubling it; new elements are zero. False: out of memory
 * (or need * width overflows), and nothing changed. array is the address of
 * the array's pointer, which starts as NULL with *cap 0; free() it.
 */
bool cg_grow(void *array, size_t *cap, size_t need, size_t width);
/* The same without clearing: big arrays need not be touched in advance. */
bool cg_grow_more(void *array, size_t *cap, size_t need, size_t width);
static inline bool
cg_grow_raw(void *array, size_t *cap, size_t need, size_t width)
{
#ifndef __clang_analyzer__ /* to it an array with room might be NULL */
	if (need <= *cap)
		return true;
#endif
	return cg_grow_more(array, cap, need, width);
}

/* ---- Reading ------------------------------------------------------------ */

/*
 * Text: the next block of whole lines. Each line in it ends with '\n' (one is
 * added after a last line without), so a parser may rely on it as sentinel.
 * The block lives until the next call on the input. False at the end.
 */
bool cg_read_block(struct cg_in *, struct cg_slice *block);
/* The next line without its newline; lives until the next call. */
bool cg_read_line(struct cg_in *, struct cg_slice *line);
/*
 * Bytes: exactly n of them, or false with what is left (maybe none) in bytes.
 * Both live until the next call. A big n costs memory only as bytes arrive.
 */
bool cg_read_bytes(struct cg_in *, uint64_t n, struct cg_slice *bytes);
/* The same without consuming. */
bool cg_look_bytes(struct cg_in *, uint64_t n, struct cg_slice *bytes);
/* All that is left, consumed; lives until the next call. */
bool cg_read_all(struct cg_in *, struct cg_slice *bytes);
/* The last line had no newline of its own: the file may be cut short. */
bool cg_in_unterminated(const struct cg_in *);
/* Where the next byte comes from, in the unpacked input. */
uint64_t cg_in_offset(const struct cg_in *);
/*
 * Opens a file that belongs to the input (the .gcno beside a .gcda); *in is
 * NULL if it is not there. False: it is there, but cannot be read, which was
 * reported; what needs it is to be left out, and the job ends with CG_EINPUT.
 * While it is open, messages without a place are about it. Companions are
 * closed in reverse order.
 */
bool cg_open_companion(struct cg_job *, const char *path, struct cg_in **in);
void cg_close_companion(struct cg_job *, struct cg_in *);
/* Is that file itself an input of the job, given or found in a folder? */
bool cg_job_has_input(const struct cg_job *, const char *path);
/* The name as in messages: a path, or "<stdin>". */
const char *cg_in_name(const struct cg_in *);
/* CG_OK, or why reading ended early (already reported). */
int cg_in_status(const struct cg_in *);

/* ---- Building: dimensions ----------------------------------------------- */

/* "" is id 0. "???" is what formats write for it; the reader translates. */
cg_object cg_add_object(struct cg_build *, struct cg_slice path);
cg_file cg_add_file(struct cg_build *, struct cg_slice path);
/*
 * How the input writes a file's path, where that was made absolute: "src/a.c"
 * for "/home/me/src/a.c".
 */
void cg_set_file_given(struct cg_build *, cg_file, struct cg_slice);
/* A file as a compiler named it, and the folder that it ran in, if known. */
cg_file cg_add_file_in(struct cg_build *, struct cg_slice folder,
    struct cg_slice name);
/*
 * Joins and tidies the two as text (no ".", "..", "//"; links are not looked
 * at). Needs folder.len + name.len + CG_JOIN_MORE bytes, returns the end.
 */
#define CG_JOIN_MORE 2
char *cg_join_path(char *to, struct cg_slice folder, struct cg_slice name);
/* An empty name with no file and object is fn 0, the unknown caller. */
cg_fn cg_add_fn(struct cg_build *, struct cg_slice name, cg_file, cg_object);
/* The same in two steps, for formats with a table of names. */
cg_name cg_add_name(struct cg_build *, struct cg_slice);
/* Its text, NUL-terminated; lives as long as the graph. */
struct cg_slice cg_get_name(const struct cg_build *, cg_name);
cg_fn cg_add_fn_named(struct cg_build *, cg_name, cg_file, cg_object);
/*
 * Demangled (C++, Rust, D), or the name itself, as it is for a target that
 * writes no others; found once for each name.
 */
cg_name cg_add_demangled(struct cg_build *, cg_name symbol);
/*
 * The same with the name that linkers know it by, where that is another: the
 * two constructors that C++ makes of one in the source have one name. Symbol 0
 * and the name itself say the same.
 */
cg_fn cg_add_fn_symbol(struct cg_build *, cg_name, cg_file, cg_object,
    cg_name symbol);
/*
 * A function that its source tells by where it is defined, too (column 0: not
 * known). Where several have one name and file (methods, lambdas), the first
 * keeps the name, others become name:line or name:line:column.
 */
cg_fn cg_add_fn_at(struct cg_build *, struct cg_slice name, cg_file, cg_object,
    uint32_t line, uint32_t column);
/* Widens what is known of its range; zeros say nothing. */
void cg_set_fn_range(struct cg_build *, cg_fn, const struct cg_range *);
/*
 * An event: the column of its costs, from 0. Only the strings that differ
 * from "" (or NULL) replace what an earlier add of that name said. Different
 * units are an error. What one of several inputs says is signed is so in their
 * sum; costs of the others from 2^63 on are an error then.
 */
#define CG_EVENT_MAX 1024 /* KCachegrind stops at 200, Valgrind at 17 */
unsigned cg_add_event(struct cg_build *, const struct cg_event *);
/*
 * Columns of the events of one input, in its own order; starts as { 0 }. Where
 * inputs are added up these need not be 0, 1, 2.
 */
struct cg_columns {
	size_t events, width;
	bool moved;
	unsigned column[CG_EVENT_MAX];
	uint64_t cost[CG_EVENT_MAX]; /* private; 0 but for its own columns */
};
/* False: the input has that event twice, or the builder has failed. */
bool cg_add_column(struct cg_columns *, struct cg_build *,
    const struct cg_event *);
/* As many costs as events, as columns->width columns; till the next call. */
const uint64_t *cg_columns_of(struct cg_columns *, const uint64_t *cost);
/* An inherited event. It has no column. Checked when the graph is frozen. */
void cg_add_formula(struct cg_build *, const struct cg_event *);
/*
 * Starts a part: rows from here on belong to it. One part is there from the
 * start and taken by the first call. Where parts are not kept (many inputs
 * summed into one), rows go into the one part and differing pid, tid, part
 * become 0.
 */
cg_part cg_add_part(struct cg_build *, const struct cg_part_info *);
/* Rows from here on belong to that part again. */
void cg_set_part(struct cg_build *, cg_part);
cg_labels cg_add_labels(struct cg_build *, const struct cg_label *, size_t n);
/* Stacks have these from here on, till a part or an input begins. */
void cg_set_labels(struct cg_build *, cg_labels);
/*
 * What a sample tells beside its stack. Rows and stacks from here on belong
 * to the part that --part-by makes of it within the current one; without
 * that, to the current one. Stacks have its labels but for those that tell no
 * more than the part: the first one of the key that makes it; pid and tid as
 * numbers, if they do. So a reader calls this before each sample, or whenever
 * it changes, and never makes parts of threads itself.
 */
struct cg_sample_key {
	uint64_t pid, tid;      /* 0: not known */
	struct cg_slice comm;   /* name of the thread or process; "" */
	const struct cg_label *label;
	size_t labels;
};
void cg_set_sample_part(struct cg_build *, const struct cg_sample_key *);
/*
 * "Trigger", "Program termination": a description of the current part. Inputs
 * that say another value of one key with that beginning are of another program
 * (its addresses mean something else): they cannot be added up.
 */
#define CG_PROGRAM_KEY "program."
void cg_add_desc(struct cg_build *, struct cg_slice key,
    struct cg_slice value);
/*
 * The counts of calls in the current part are numbers of samples. Where stacks
 * become calls the library says so itself; outputs tell by a description.
 */
void cg_set_calls_sampled(struct cg_build *);
/*
 * The next of the current part's files, in the order in which its source lists
 * them: after cg_add_part(), from the first on. Inputs that are summed and list
 * other files, or the same ones in another order, have no order any more; file
 * 0 says that this is so already.
 */
void cg_list_file(struct cg_build *, cg_file);
/* What a description says ("" if absent); lives until the next add. */
const char *cg_get_desc(const struct cg_build *, const char *key);
/*
 * Addresses of rows are starts of buckets of that many bytes, not exact
 * instructions (gprof's histogram); 1 is the default.
 */
void cg_set_grain(struct cg_build *, unsigned bytes);

/* ---- Building: rows ----------------------------------------------------- */

/*
 * Rows. cost[i] belongs to column i; columns from n on are zero. Costs of
 * the same place are summed. n = 0 is a place that never ran. False: the
 * builder has failed (a sum overflows); cg_build_failed() may say where.
 */
bool cg_add_cost(struct cg_build *, cg_fn, const struct cg_pos *,
    const uint64_t *cost, size_t n);
/*
 * count calls from the site (in caller) to the callee, entered at entry
 * (line and addr; its file is the callee's), with inclusive cost. Caller 0 is
 * gprof's <spontaneous>.
 */
bool cg_add_call(struct cg_build *, cg_fn caller, const struct cg_pos *site,
    cg_fn callee, const struct cg_pos *entry, uint64_t count,
    const uint64_t *cost, size_t n);
/* Of a jump that is not conditional, followed = executed. */
void cg_add_jump(struct cg_build *, cg_fn, const struct cg_pos *from,
    cg_fn target, const struct cg_pos *to, bool conditional,
    uint64_t executed, uint64_t followed);
/*
 * The node of a frame on top of parent (0: none); pos is where in the
 * function it stood: the place of its call of the next frame, or of the
 * sample. inlined: the compiler put this frame's function into parent's. All
 * this is the node's identity.
 */
cg_node cg_add_frame(struct cg_build *, cg_node parent, cg_fn,
    const struct cg_pos *, bool inlined);
/*
 * Self cost of the leaf frame of a stack, and how many samples it comes from:
 * what the calls on it are counted in where stacks become calls. 0: there are
 * real counts, which are added with cg_add_call().
 */
void cg_add_stack(struct cg_build *, cg_node leaf, uint64_t samples,
    const uint64_t *cost, size_t n);
/* A function's inclusive cost, where the source itself states it. */
void cg_add_inclusive(struct cg_build *, cg_fn, const uint64_t *cost,
    size_t n);

bool cg_add_branch(struct cg_build *, cg_fn, const struct cg_branch *);
/*
 * For readers that have work to do for rows of a fact (CG_JUMPS, those of
 * branches): are more of them of use? Not where nobody will ask for them, and
 * that there are some is known.
 */
bool cg_wants_rows(const struct cg_build *, cg_facts);
/*
 * For what readers add on demand only, because other rows imply it (raw
 * counters, blocks of paths) or can replace it (CG_SIGNED: negative counts
 * become 0): does the target represent one of these facts? One that needs
 * CG_COUNTERS derives everything else from them and wants no other fact.
 */
bool cg_wants_fact(const struct cg_build *, cg_facts);
/*
 * The input's own word on the sum of costs since the part began (callgrind's
 * totals:), said when all of them are there: a difference is a warning at at
 * with both numbers. at_least: the sum may be smaller (callgrind's summary:).
 */
void cg_state_total(struct cg_build *, const char *at, const uint64_t *cost,
    size_t n, bool at_least);
/* CG_OK, or the first failure. */
int cg_build_status(const struct cg_build *);
/*
 * Reports that failure, once: at is its place in the input, as for
 * cg_fail_at(). Without this the job does it, and knows the place less well.
 * Returns the status.
 */
int cg_build_failed(struct cg_build *, const char *at);

/* ---- The graph: lines --------------------------------------------------- */

/*
 * The same rows by source file, for formats that are about lines:
 *
 *	struct cg_lines *lines = cg_lines_new(graph, part);
 *	while (lines && cg_next_file(lines, &file))
 *		while (cg_next_line(lines, &line)) ...
 *	cg_lines_free(lines);
 *
 * Files come folder by folder, all that have functions or rows; file 0, the
 * unknown one, comes first if it has rows. Memory: a function's place for
 * each file that it has rows in, and the rows of some files. Failures are the
 * job's, as above.
 */
struct cg_lines;
struct cg_lines *cg_lines_new(const struct cg_graph *, cg_part);
/*
 * Files that the part's source lists come in its order: they exchange places
 * with one another. Rows of no line are left out.
 */
struct cg_lines *cg_lines_new_listed(const struct cg_graph *, cg_part);
/*
 * The same of another part, from its first file on, faster than anew. Of many
 * parts, each has the functions alone that have rows or are called there.
 */
bool cg_lines_set_part(struct cg_lines *, cg_part);
void cg_lines_free(struct cg_lines *);
bool cg_next_file(struct cg_lines *, cg_file *);
/* Begins with the first file once more. */
void cg_first_file(struct cg_lines *);
/*
 * Functions with a name whose own file it is, by first line, column, number in
 * the unit; how many. Lives until the next file.
 */
size_t cg_file_fns(const struct cg_lines *, const cg_fn **);
/*
 * What cg_get_coverage() says of the i-th of them, in one pass with the lines
 * where cg_lines_new_listed() made them. False as cg_rows_open().
 */
bool cg_file_coverage(struct cg_lines *, size_t i, struct cg_coverage *);
/* Where a function begins: what was said, or its lowest line; 0: unknown. */
uint32_t cg_fn_line(const struct cg_lines *, cg_fn);
/* Which of its unit's functions it is, from 1 (the last); 0: not known. */
uint32_t cg_fn_number(const struct cg_lines *, cg_fn);
/* How often it was called, recursion and all; false if no call is known. */
bool cg_fn_entries(const struct cg_lines *, cg_fn, uint64_t *count);

struct cg_line {
	uint32_t line;        /* 0: unknown */
	cg_fn fn;             /* maybe one without a name */
	bool has_cost;        /* else it has branches alone */
	const uint64_t *cost; /* n values, as in struct cg_cost */
	size_t n;
	const struct cg_branch *branch; /* by kind, block, index */
	size_t branches;
};
/*
 * One for each line and function: by line, then functions in the order above,
 * those of other files behind. Lives until the next file.
 */
bool cg_next_line(struct cg_lines *, struct cg_line *);
/* Its branches of a kind: up to *end. */
const struct cg_branch *cg_line_rows(const struct cg_line *,
    enum cg_branch_kind, const struct cg_branch **end);
/* Begins with the file's first line once more. */
void cg_first_line(struct cg_lines *);

struct cg_line_sum {
	uint32_t line;
	bool has_cost;
	uint64_t cost;        /* of one event */
	/*
	 * Arcs, then conditions; instances of a template are added one by one
	 * if they have the same ones. Blocks are numbered from 0.
	 */
	const struct cg_branch *branch;
	size_t branches;
};
/* The next line with all its functions added up. Lives until the next. */
bool cg_next_line_sum(struct cg_lines *, size_t event, struct cg_line_sum *);

/* ---- Writing ------------------------------------------------------------ */

/*
 * For writers of one event: the one that the option event names, else that
 * called usual (NULL: none is) if it is there, else cg_main_event(). If there
 * are more and none was asked for, a warning says which it is. CG_OK,
 * CG_EUSAGE for a name that is not there, CG_EINPUT if there is no event at
 * all.
 */
int cg_choose_event(
    struct cg_job *, const struct cg_graph *, const char *usual, size_t *event);
/* The option, to stand in their tables. */
#define CG_OPTION_EVENT                                            \
	{                                                          \
		.name = CG_EVENT_OPTION, .type = CG_STRING, .arg = "NAME", \
		.help = "event to write, where there are more",    \
		.writing = true                                    \
	}

void cg_putc(struct cg_out *, char);
void cg_put(struct cg_out *, struct cg_slice);
void cg_puts(struct cg_out *, const char *);
void cg_putu(struct cg_out *, uint64_t);
void cg_putf(struct cg_out *, const char *fmt, ...) CG_PRINTF(2, 3);
/* Within a line: breaks and NULs as \n, \r, \0. True: there were any. */
bool cg_put_inline(struct cg_out *, struct cg_slice);
/* A JSON string with its quotes; bytes that are no UTF-8 as \udcXX. */
void cg_put_json(struct cg_out *, struct cg_slice);
/*
 * XML text, good in elements and in "..." of attributes; what XML cannot hold
 * (control characters, bytes that are no UTF-8) as U+FFFD.
 */
void cg_put_xml(struct cg_out *, struct cg_slice);
/*
 * Room for n bytes (up to CG_RESERVE_MAX) to format into; never NULL.
 * cg_out_advance() says where the text ended.
 */
#define CG_RESERVE_MAX 65536
char *cg_out_reserve(struct cg_out *, size_t n);
void cg_out_advance(struct cg_out *, const char *end);
/* CRC-32 (zlib's) of what was put since the first call, which returns 0. */
uint32_t cg_out_crc32(struct cg_out *);
/* CG_OK, or CG_EOUTPUT (reported by the job). */
int cg_out_status(const struct cg_out *);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
