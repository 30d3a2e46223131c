/*
 * vmprof.c - vmprof: profiles of Python programs by vmprof, on CPython and
 * PyPy.
 *
 *	5 words   0, 3, 0, microseconds between samples, 1: Windows, 64 bits
 *	marker 5  version, mode (from version 4 on), name of the interpreter
 *	marker 7  a key and its value
 *	marker 6  when the profile began
 *	marker 1  a sample: 1, words of the stack, the stack, the thread (from
 *	          version 1 on), the memory of the process (by mode)
 *	marker 2  a code object: its id, "py:name:line:file"
 *	marker 8  a native function: its id, "n:name:line:file"
 *	marker 3  the end, when it was (from version 5 on)
 *
 * Numbers are little-endian words, which have 8 bytes, or 4 in profiles of 32
 * bits and of Windows, whose ids have 8. Strings have their length in front.
 *
 * A stack begins with its innermost frame: an id for each. With lines, the
 * frame's line precedes its id (0: native). PyPy writes a kind before each id:
 * code, native, code in machine code of its JIT, and the machine code itself,
 * which is no frame. If the JIT began in a function, the function is on the
 * stack as code and, above that, as code of the JIT: one frame.
 *
 * Names are written when a code object is deleted, or at the end; so stacks
 * are kept as ids until then. A thread is identified by the address of
 * CPython's state, by 0 in PyPy, by the id of the system on Windows: threads
 * are numbered in the order of their first samples here. Samples have no time.
 * The memory of the process at a sample is dropped: it is no cost.
 *
 * Source: vmprof-python 0.4.18: vmprof/reader.py, vmprof_common.c,
 * vmprof_unix.c, vmp_stack.c; PyPy's vmprof_get_custom_offset.h.
 */
#include <string.h>

#include "cgconv_parse.h"

#define MARKER_SAMPLE 1
#define MARKER_CODE 2
#define MARKER_END 3
#define MARKER_OLD 4 /* in place of MARKER_HEADER, before versions */
#define MARKER_HEADER 5
#define MARKER_TIME 6
#define MARKER_META 7
#define MARKER_NATIVE 8

#define VERSION_THREADS 1
#define VERSION_MEMORY 3
#define VERSION_MODE 4
#define VERSION_TIMES 5
#define VERSION_LAST 6

#define MODE_MEMORY 1
#define MODE_LINES 2
#define MODE_PYPY 8

/* Kinds of a frame in PyPy's stacks. */
#define KIND_CODE 1
#define KIND_JITTED 3
#define KIND_ASSEMBLER 6
#define KIND_NATIVE 7

#define TIME_SIZE 24 /* seconds, microseconds, zone */
#define MAGIC_WORDS 5
#define STACK_MAX 65536 /* words, as in the tool's reader */
#define UNNAMED "<native symbol "

/* What an id of the input stands for. */
struct code {
	uint64_t id;
	cg_name name; /* "py:name:line:file"; 0: none */
	bool python;  /* named by a code object */
	cg_fn fn;     /* 0: not on a stack yet */
	cg_file file; /* of fn */
};

/* A frame on a stack. */
struct frame {
	uint32_t code, line;
};

/* A node of the tree of stacks. */
struct node {
	uint32_t parent, frame;
	cg_node node;
};

/* The samples of a stack in a thread. */
struct sum {
	uint32_t node, thread;
	uint64_t samples;
};

struct reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	unsigned word, id; /* bytes */
	unsigned version, mode;
	bool begun, ended;
	uint64_t us;                /* between samples */
	CG_ARRAY(struct code) code; /* index 0 is unused in all of them */
	struct cg_map code_ids;
	CG_ARRAY(struct frame) frame;
	struct cg_map frame_ids;
	CG_ARRAY(struct node) node;
	struct cg_map node_ids;
	CG_ARRAY(struct sum) sum;
	struct cg_map sum_ids;
	uint32_t threads;
	struct cg_map thread_ids;
	uint64_t renamed, measured, strange;
};

/* ---- Numbers and strings ------------------------------------------------- */

static uint64_t
get_number(const char *at, unsigned bytes)
{
	uint64_t number = 0;

	for (unsigned i = bytes; i-- > 0;)
		number = number << 8 | (unsigned char)at[i];
	return number;
}

/*
 * Reads the next n bytes of the file; they are valid until the next read.
 * False: truncated, or another error (reported).
 */
static bool
take_bytes(struct reader *r, uint64_t n, struct cg_slice *bytes)
{
	return cg_read_bytes(r->in, n, bytes) ||
	       cg_reject(
		   r->job, "expected %llu more bytes", (unsigned long long)n);
}

static bool
take_number(struct reader *r, unsigned bytes, uint64_t *number)
{
	struct cg_slice raw;

	if (!take_bytes(r, bytes, &raw))
		return false;
	*number = get_number(raw.ptr, bytes);
	return true;
}

/*
 * Reads a string, with its length before it; it is valid until the next read.
 * False: an error (reported).
 */
static bool
take_string(struct reader *r, struct cg_slice *text)
{
	uint64_t len;

	return take_number(r, r->word, &len) && take_bytes(r, len, text);
}

/* ---- Names --------------------------------------------------------------- */

/*
 * Returns the index that the map has for a key. A new key gets the index
 * "next", which must not be 0, and *isnew becomes true. The caller must then
 * append the element with that index. Otherwise *isnew becomes false. 0: out
 * of memory (reported).
 */
static uint32_t
find_key(struct reader *r, struct cg_map *map, uint64_t key, size_t next,
    bool *isnew)
{
	uint32_t *at = cg_map_in(r->job, map, key);

	*isnew = false;
	if (!at)
		return 0;
	if (*at == 0) {
		if (next > UINT32_MAX) {
			(void)cg_reject_nomem(r->job);
			return 0;
		}
		*at = (uint32_t)next;
		*isnew = true;
	}
	return *at;
}

/*
 * Returns the index of an element of r->code, the one for the code object or
 * native function with this id. If r->code has none, appends an element
 * without a name; the name may come later in the file. 0: out of memory
 * (reported).
 */
static uint32_t
find_code(struct reader *r, uint64_t id)
{
	bool isnew;
	uint32_t i = find_key(r, &r->code_ids, id, r->code.n, &isnew);

	if (isnew && !cg_append(r->job, &r->code, (struct code){ .id = id }))
		return 0;
	return i;
}

/*
 * Adds a function for an id to the graph, and returns it. It is named by the
 * address in hexadecimal, as the file has no name for the id. The id of a
 * native function is its address + 1, and odd, so the lowest bit is cleared.
 */
static cg_fn
add_unnamed(struct reader *r, uint64_t id)
{
	char name[CG_NUMBER_MAX];
	const char *end = cg_format_hex(name, id & ~(uint64_t)1);

	return cg_add_fn(
	    r->build, (struct cg_slice){ name, (size_t)(end - name) }, 0, 0);
}

/*
 * Splits a text "name:LINE:file" into its three parts, at the first ":LINE:"
 * with a number. A C++ name before it may contain colons. False: the text has
 * no such part.
 */
static bool
split_name(struct cg_slice text, struct cg_slice *name, uint64_t *line,
    struct cg_slice *file)
{
	for (size_t at = 0; at < text.len; at++) {
		struct cg_slice rest = { text.ptr + at, text.len - at };

		if (!cg_take_char(&rest, ':') || !cg_take_u64(&rest, line) ||
		    !cg_take_char(&rest, ':'))
			continue;
		*name = (struct cg_slice){ text.ptr, at };
		*file = rest;
		return true;
	}
	return false;
}

/*
 * Adds and returns the function of a code object by its name
 * "py:name:line:file", and sets code->file. For native code with line 0, the
 * file is the library. Takes other names whole, and counts them; unnamed code
 * is named by its address.
 */
static cg_fn
add_fn(struct reader *r, struct code *code)
{
	const struct cg_slice text = cg_get_name(r->build, code->name);
	struct cg_slice rest = text, language, name, path;
	cg_object object = 0;
	uint64_t line;
	bool native;
	cg_fn fn;

	if (code->name == 0)
		return add_unnamed(r, code->id);
	if (!cg_take_until(&rest, ':', &language) ||
	    !split_name(rest, &name, &line, &path) || line > INT32_MAX) {
		r->strange++;
		return cg_add_fn(r->build, text, 0, 0);
	}
	if (cg_starts(name, UNNAMED))
		return add_unnamed(r, code->id);
	native = cg_equal(language, "n");
	if (native && cg_equal(path, "-"))
		path.len = 0;
	if (native && line == 0)
		object = cg_add_object(r->build, path);
	else
		code->file = cg_add_file(r->build, path);
	if (line == 0)
		return cg_add_fn(r->build, name, code->file, object);
	fn =
	    cg_add_fn_at(r->build, name, code->file, object, (uint32_t)line, 0);
	cg_set_fn_range(
	    r->build, fn, &(struct cg_range){ .first = (uint32_t)line });
	return fn;
}

/*
 * Reads an id and its name, and stores the name in r->code. "python" is true
 * if the name is one of a code object, not of a native function. CPython's
 * writer lists each code object among the native functions, too. So a native
 * name does not replace the name of a code object. If a code object gets
 * another name, the new name replaces the old one, and r->renamed is
 * incremented. False: an error (reported).
 */
static bool
take_name(struct reader *r, bool python)
{
	struct cg_slice text;
	struct code *code;
	uint32_t i;
	uint64_t id;
	cg_name name;

	if (!take_number(r, r->id, &id) || !take_string(r, &text))
		return false;
	i = find_code(r, id);
	if (i == 0)
		return false;
	code = &r->code.at[i];
	if (code->python && !python)
		return true;
	name = cg_add_name(r->build, text);
	if (code->python && code->name != name)
		r->renamed++;
	code->name = name;
	code->python = python;
	return cg_build_status(r->build) == CG_OK;
}

/* ---- Samples ------------------------------------------------------------- */

/*
 * Returns the index of the node that "parent" calls with this code object and
 * line. Appends the node if it is new. 0: out of memory (reported).
 */
static uint32_t
find_node(struct reader *r, uint32_t parent, uint32_t code, uint32_t line)
{
	const struct frame frame = { code, line };
	uint32_t i, node;
	bool isnew;

	i = find_key(
	    r, &r->frame_ids, (uint64_t)code << 32 | line, r->frame.n, &isnew);
	if (i == 0 || (isnew && !cg_append(r->job, &r->frame, frame)))
		return 0;
	node = find_key(
	    r, &r->node_ids, (uint64_t)parent << 32 | i, r->node.n, &isnew);
	if (node == 0 ||
	    (isnew && !cg_append(r->job, &r->node,
			  (struct node){ .parent = parent, .frame = i })))
		return 0;
	return node;
}

/*
 * Adds a stack of n words, leaf first, to the tree of nodes. *leaf is its
 * node; 0: an empty stack. width 2: a kind (PyPy) or line precedes each id.
 * Skips assembler frames, and jitted ones called from the same code. False: an
 * error (reported).
 */
static bool
add_frames(struct reader *r, const char *stack, size_t n, unsigned width,
    uint32_t *leaf)
{
	const bool pypy = r->mode & MODE_PYPY, lines = width == 2 && !pypy;
	uint64_t below = 0, id, extra;
	bool code_below = false;
	uint32_t code;

	*leaf = 0;
	for (size_t i = n; i >= width; i -= width) {
		const char *at = stack + (i - width) * r->id;

		id = get_number(at + (width - 1) * r->id, r->id);
		extra = width == 2 ? get_number(at, r->id) : 0;
		if (pypy && extra == KIND_ASSEMBLER)
			continue;
		if (pypy && extra != KIND_CODE && extra != KIND_JITTED &&
		    extra != KIND_NATIVE)
			return cg_reject(r->job,
			    "expected a kind of a frame, not %llu",
			    (unsigned long long)extra);
		if (lines && extra > INT32_MAX)
			return cg_reject(
			    r->job, "expected the line of a frame");
		if (pypy && extra == KIND_JITTED && code_below && below == id) {
			code_below = false;
			continue;
		}
		code = find_code(r, id);
		if (code == 0)
			return false;
		*leaf = find_node(r, *leaf, code, lines ? (uint32_t)extra : 0);
		if (*leaf == 0)
			return false;
		below = id;
		code_below = extra == KIND_CODE;
	}
	return true;
}

static bool
add_samples(struct reader *r, uint32_t node, uint64_t thread, uint64_t samples)
{
	uint32_t number, i;
	bool isnew;

	number =
	    find_key(r, &r->thread_ids, thread, (size_t)r->threads + 1, &isnew);
	if (number == 0)
		return false;
	r->threads += isnew;
	i = find_key(
	    r, &r->sum_ids, (uint64_t)node << 32 | number, r->sum.n, &isnew);
	if (i == 0 ||
	    (isnew && !cg_append(r->job, &r->sum,
			  (struct sum){ .node = node, .thread = number })))
		return false;
	if (__builtin_add_overflow(
		r->sum.at[i].samples, samples, &r->sum.at[i].samples))
		return cg_reject(r->job, "samples of a stack exceed 64 bits");
	return true;
}

static bool
take_sample(struct reader *r)
{
	const unsigned width = (r->mode & (MODE_PYPY | MODE_LINES)) ? 2 : 1;
	uint64_t samples, depth, thread = 0;
	struct cg_slice stack;
	uint32_t node;

	if (!take_number(r, r->word, &samples) ||
	    !take_number(r, r->word, &depth))
		return false;
	if (samples == 0 || depth > STACK_MAX || depth % width != 0)
		return cg_reject(r->job,
		    "expected a number of samples, and the size of a stack, at "
		    "most %d words in pairs of %u",
		    STACK_MAX, width);
	if (!take_bytes(r, depth * r->id, &stack) ||
	    !add_frames(r, stack.ptr, (size_t)depth, width, &node))
		return false;
	if (r->version >= VERSION_THREADS && !take_number(r, r->id, &thread))
		return false;
	if (r->mode & MODE_MEMORY) {
		if (!take_bytes(r, r->id, &stack))
			return false;
		r->measured++;
	}
	return add_samples(r, node, thread, samples);
}

/* ---- The file ------------------------------------------------------------ */

/*
 * Sets *word and *id to the sizes of words and ids in a file, in bytes, which
 * follow from its first words. "text" is the begin of the file. False: it is
 * no profile of vmprof, or one of a big-endian machine. The sizes then have no
 * meaning.
 */
static bool
get_sizes(struct cg_slice text, unsigned *word, unsigned *id)
{
	for (*word = 4; *word <= 8; *word *= 2) {
		const char *at = text.ptr;

		if (text.len < MAGIC_WORDS * *word ||
		    get_number(at, *word) != 0 ||
		    get_number(at + *word, *word) != 3 ||
		    get_number(at + 2 * *word, *word) != 0)
			continue;
		*id = get_number(at + 4 * *word, *word) == 1 ? 8 : *word;
		return true;
	}
	return false;
}

/*
 * Reads the header, which may occur only once. Sets version and mode, and adds
 * the name of the interpreter as a description. False: an error (reported).
 */
static bool
take_header(struct reader *r)
{
	struct cg_slice bytes;
	uint64_t len;

	if (r->begun)
		return cg_reject(r->job, "expected one header");
	if (!take_bytes(r, 2, &bytes))
		return false;
	r->version = (unsigned)(unsigned char)bytes.ptr[0] << 8 |
		     (unsigned char)bytes.ptr[1];
	if (r->version > VERSION_LAST)
		return cg_reject(r->job, "expected a version up to %d, not %u",
		    VERSION_LAST, r->version);
	r->mode = r->version == VERSION_MEMORY ? MODE_MEMORY : 0;
	if (r->version >= VERSION_MODE) {
		if (!take_bytes(r, 1, &bytes))
			return false;
		r->mode = (unsigned char)*bytes.ptr;
	}
	if (!take_number(r, 1, &len) || !take_bytes(r, len, &bytes))
		return false;
	if (cg_equal(bytes, "pypy"))
		r->mode |= MODE_PYPY;
	cg_add_desc(r->build, cg_slice("Interpreter"), bytes);
	r->begun = true;
	return true;
}

static bool
take_meta(struct reader *r)
{
	struct cg_slice text;
	cg_name key;

	if (!take_string(r, &text))
		return false;
	key = cg_add_name(r->build, text);
	if (!take_string(r, &text))
		return false;
	cg_add_desc(r->build, cg_get_name(r->build, key), text);
	return cg_build_status(r->build) == CG_OK;
}

static bool
take_end(struct reader *r)
{
	struct cg_slice bytes;

	r->ended = true;
	return r->version < VERSION_TIMES || take_bytes(r, TIME_SIZE, &bytes);
}

static bool
take_record(struct reader *r, unsigned char marker)
{
	struct cg_slice bytes;

	if (marker == MARKER_OLD)
		return cg_reject(r->job,
		    "expected a version: this is a profile of vmprof before "
		    "0.2, which vmprof cannot read either");
	if (!r->begun && marker != MARKER_HEADER)
		return cg_reject(
		    r->job, "expected marker %d of the header", MARKER_HEADER);
	switch (marker) {
	case MARKER_HEADER: return take_header(r);
	case MARKER_META: return take_meta(r);
	case MARKER_TIME: return take_bytes(r, TIME_SIZE, &bytes);
	case MARKER_SAMPLE: return take_sample(r);
	case MARKER_CODE:
	case MARKER_NATIVE: return take_name(r, marker == MARKER_CODE);
	case MARKER_END: return take_end(r);
	default:
		return cg_reject(
		    r->job, "expected a marker from 1 to 8, not %u", marker);
	}
}

static bool
take_records(struct reader *r)
{
	struct cg_slice bytes;

	if (!cg_look_bytes(r->in, MAGIC_WORDS * 8, &bytes) && bytes.len == 0)
		return cg_reject(r->job, "expected a profile of vmprof");
	if (!get_sizes(bytes, &r->word, &r->id))
		return cg_reject(
		    r->job, "expected the words 0, 3, 0 (little-endian)");
	if (!take_bytes(r, MAGIC_WORDS * r->word, &bytes))
		return false;
	r->us = get_number(bytes.ptr + 3 * r->word, r->word);
	if (r->us > UINT32_MAX)
		return cg_reject(
		    r->job, "expected a sampling period in microseconds");
	while (!r->ended && cg_read_bytes(r->in, 1, &bytes))
		if (!take_record(r, (unsigned char)*bytes.ptr))
			return false;
	return r->begun || cg_reject(r->job, "expected a header");
}

/*
 * Adds the nodes to the graph as stacks, then the samples of each stack by
 * thread. A code object without a name is named by its address. If there are
 * such code objects, a warning states their number.
 */
static void
add_stacks(struct reader *r)
{
	const uint64_t *cost;
	uint64_t unnamed = 0;

	for (size_t i = 1; i < r->node.n; i++) {
		struct node *node = &r->node.at[i];
		const struct frame *frame = &r->frame.at[node->frame];
		struct code *code = &r->code.at[frame->code];
		struct cg_pos pos = { .line = frame->line };

		if (code->fn == 0) {
			code->fn = add_fn(r, code);
			unnamed += code->name == 0;
		}
		pos.file = frame->line > 0 ? code->file : 0;
		node->node = cg_add_frame(r->build,
		    r->node.at[node->parent].node, code->fn, &pos, false);
	}
	if (unnamed > 0)
		cg_warn(r->job, "%llu functions have no name, only an id",
		    (unsigned long long)unnamed);
	for (size_t i = 1; i < r->sum.n; i++) {
		const struct sum *sum = &r->sum.at[i];

		cg_set_sample_part(
		    r->build, &(struct cg_sample_key){ .tid = sum->thread });
		cost = cg_columns_of(r->build, &sum->samples);
		cg_add_stack(r->build, r->node.at[sum->node].node, sum->samples,
		    cost, cg_columns_width(r->build));
	}
}

static void
tell_losses(struct reader *r)
{
	struct cg_slice bytes;

	if (!r->ended)
		cg_warn(r->job, "the profile has no end: names may be missing");
	else if (cg_look_bytes(r->in, 1, &bytes))
		cg_warn(r->job, "bytes after the end are skipped");
	if (r->renamed > 0)
		cg_warn(r->job,
		    "%llu ids have several names: the last one is used",
		    (unsigned long long)r->renamed);
	if (r->strange > 0)
		cg_warn(r->job, "%llu names have no line and file",
		    (unsigned long long)r->strange);
	if (r->measured > 0)
		cg_note(r->job,
		    "%llu sizes of the process at samples are dropped",
		    (unsigned long long)r->measured);
	if (r->sum.n == 1)
		cg_warn(r->job, "the profile has no samples");
}

static int
read_vmprof(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .in = in, .build = build };

	if (!cg_push(job, &r.code) || !cg_push(job, &r.frame) ||
	    !cg_push(job, &r.node) || !cg_push(job, &r.sum))
		return cg_rejected(job);
	if (take_records(&r) && cg_add_samples(build, r.us * 1000)) {
		add_stacks(&r);
		tell_losses(&r);
	}
	if (cg_rejected(job) != CG_OK)
		return cg_rejected(job);
	return cg_in_status(in) != CG_OK ? cg_in_status(in)
					 : cg_build_status(build);
}

/*
 * Returns true if the text begins with a marker and the name of an
 * interpreter. "text" is the file after its first words. A CPU profile of
 * gperftools begins with the same words, but then has a number of samples.
 */
static bool
has_name(struct cg_slice text)
{
	size_t at = 0;

	if (text.len > 5 && text.ptr[0] == MARKER_HEADER && text.ptr[1] == 0)
		at = (unsigned char)text.ptr[2] >= VERSION_MODE ? 4 : 3;
	else if (text.len > 1 && text.ptr[0] == MARKER_OLD)
		at = 1;
	return at > 0 && text.ptr[at] > 0 && at + 1 < text.len &&
	       text.ptr[at + 1] > ' ';
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text;
	unsigned word, id;

	if (!get_sizes(text, &word, &id))
		return CG_PROBE_NO;
	text.ptr += MAGIC_WORDS * word;
	text.len -= MAGIC_WORDS * word;
	return has_name(text) ? CG_PROBE_SURE : CG_PROBE_NO;
}

const struct cg_module cg_format_vmprof = {
	CG_MODULE,
	.name = "vmprof",
	.title = "profiles of Python programs by vmprof",
	.suffixes = "vmprof",
	.probe = probe,
	.read = read_vmprof,
};
