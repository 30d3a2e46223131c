/*
 * macos_sample.c - macos-sample: call graphs of sample and Activity Monitor:
 *
 *	Call graph:
 *	    825 Thread_15758523   DispatchQueue_1: com.apple.main-thread  (serial)
 *	    + 825 start  (in libdyld.dylib) + 1  [0x7fff737cf3d5]
 *	    +   825 main  (in rg) + 41  [0x10384b549]
 *
 * Numbers count samples; a number includes those of the callees, which are the
 * lines below that are further to the right. A thread is a line at the left. A
 * frame may end in "file.c:12". Source: stackcollapse-sample.awk, and files of
 * inferno and of gprof2dot.
 */
#include <string.h>

#include "stack_text.h"

#define ANALYSIS "Analysis of sampling "
#define GRAPH "Call graph:"
#define TOTAL "Total number in stack"

struct level {
	size_t column; /* where its number begins */
	cg_node node;
	uint64_t rest; /* samples not in callees */
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_sample_key key;
	struct cg_space *space; /* counts addresses without names */
	CG_ARRAY(struct level) level;
	bool in_graph, seen, ended; /* the threads; lines after them */
};

/* ---- Frames -------------------------------------------------------------- */

/*
 * Sets *pos from "file.c:12" at the end of a line, after the address in
 * brackets. Leaves *pos as it was if there is no such text.
 */
static void
take_place(struct reader *r, struct cg_slice text, struct cg_pos *pos)
{
	size_t at = text.len;
	uint32_t line;

	while (at > 0 && text.ptr[at - 1] != ']')
		at--;
	text.ptr += at;
	text.len -= at;
	text = cg_trim(text);
	if (at == 0 || !cg_cut_number(&text, ':', &line) || text.len == 0)
		return;
	pos->file = cg_add_file(r->build, text);
	pos->line = line;
}

/*
 * Counts a frame without a name among the addresses without symbols, which are
 * reported at the end. Executables of macOS are not ELF files, so their
 * symbols are not looked up.
 */
static void
count_unnamed(struct reader *r, struct cg_slice text)
{
	const char *at = cg_find(text, "[0x");
	uint64_t addr = 0;

	if (at)
		(void)cg_get_hex(at + strlen("[0x"), &addr);
	(void)cg_space_symbols(r->space, 0, addr, NULL);
}

/*
 * Adds the frame of a line, "main  (in rg) + 41  [0x10384b549]", to the graph
 * as a callee of the node "parent". The function's name is the text before
 * "  (in" or, without it, before "  [0x". The name "???" becomes "[unknown]".
 * Passes frames without a name to count_unnamed(). Returns the frame's node.
 */
static cg_node
add_frame(struct reader *r, cg_node parent, struct cg_slice text)
{
	struct cg_slice name = text, object = { "", 0 };
	const char *in = cg_find(text, "  (in "), *close;
	struct cg_pos pos = { 0 };

	if (in) {
		name.len = (size_t)(in - text.ptr);
		object.ptr = in + strlen("  (in ");
		object.len = text.len - (size_t)(object.ptr - text.ptr);
		close = memchr(object.ptr, ')', object.len);
		object.len = close ? (size_t)(close - object.ptr) : 0;
	} else if ((in = cg_find(text, "  [0x")) != NULL) {
		name.len = (size_t)(in - text.ptr);
	}
	take_place(r, text, &pos);
	if (text_is_unnamed(name))
		count_unnamed(r, text);
	if (cg_equal(name, "???"))
		name.len = 0;
	return cg_add_frame(r->build, parent,
	    cg_add_fn(r->build, name.len > 0 ? name : cg_slice("[unknown]"),
		pos.file, cg_add_object(r->build, object)),
	    &pos, false);
}

/*
 * Begins the samples of a thread, "Thread_15758523 DispatchQueue_1:
 * com.apple.main-thread (serial)". Sets the id and name of the thread for the
 * stacks that are added next. The name is the text after the id. If there is
 * no id or no text after it, the name is the whole text.
 */
static void
begin_thread(struct reader *r, struct cg_slice text)
{
	struct cg_slice number = text;

	r->key.tid = 0;
	if (cg_take_prefix(&number, "Thread_"))
		(void)cg_take_u64(&number, &r->key.tid);
	(void)cg_take_char(&number, ':');
	number = cg_trim(number);
	r->key.thread = number.len > 0 ? number : text;
	cg_set_sample_part(r->build, &r->key);
}

/* ---- The call graph ------------------------------------------------------ */

/*
 * Closes the innermost open frame. Samples in none of the frame's callees are
 * its own. If there are any, adds the frame's stack with them to the graph.
 */
static void
close_level(struct reader *r)
{
	const struct level *level = &r->level.at[--r->level.n];
	const uint64_t cost = level->rest;

	if (cost > 0 && level->node != 0)
		cg_add_stack(r->build, level->node, cost,
		    cg_columns_of(r->build, &cost), cg_columns_width(r->build));
}

static bool
open_level(struct reader *r, size_t column, cg_node node, uint64_t count)
{
	return cg_append(
	    r->job, &r->level, (struct level){ column, node, count });
}

static bool
take_node(struct reader *r, struct cg_slice line)
{
	struct cg_slice text = line;
	cg_node parent, node;
	size_t column = 0;
	uint64_t count;

	while (column < line.len &&
	       (line.ptr[column] < '0' || line.ptr[column] > '9'))
		column++;
	text.ptr += column;
	text.len -= column;
	if (!cg_take_u64(&text, &count) || !cg_take_blanks(&text))
		return cg_reject(r->job, "expected a number of samples and a "
					 "function");
	while (r->level.n > 0 && r->level.at[r->level.n - 1].column >= column)
		close_level(r);
	r->seen = true;
	if (r->level.n == 0) {
		begin_thread(r, text);
		return open_level(r, column, 0, count);
	}
	parent = r->level.at[r->level.n - 1].node;
	if (r->level.at[r->level.n - 1].rest < count)
		return cg_reject(r->job,
		    "expected no more samples than its caller has left");
	r->level.at[r->level.n - 1].rest -= count;
	node = add_frame(r, parent, text);
	return cg_build_status(r->build) == CG_OK &&
	       open_level(r, column, node, count);
}

/*
 * Reads pid and name of the process into r->key from a line "Analysis of
 * sampling rg (pid 64751) every 1 millisecond". Ignores other lines.
 */
static void
take_head(struct reader *r, struct cg_slice line)
{
	struct cg_slice name, number;
	const char *pid;

	if (!cg_take_prefix(&line, ANALYSIS))
		return;
	pid = cg_find(line, " (pid ");
	if (!pid)
		return;
	name = (struct cg_slice){ line.ptr, (size_t)(pid - line.ptr) };
	number.ptr = pid + strlen(" (pid ");
	number.len = line.len - (size_t)(number.ptr - line.ptr);
	(void)cg_take_u64(&number, &r->key.pid);
	r->key.comm = cg_get_name(r->build, cg_add_name(r->build, name));
}

static bool
take_line(void *reader, struct cg_slice line)
{
	struct reader *r = reader;

	if (!r->in_graph) {
		take_head(r, line);
		r->in_graph = cg_equal(line, GRAPH);
		return true;
	}
	if (cg_trim(line).len > 0 && cg_starts(line, "    "))
		return take_node(r, line);
	r->ended = cg_starts(line, TOTAL);
	if (r->ended)
		r->in_graph = false;
	return true;
}

static int
read_sample(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = {
		.job = job, .build = build, .space = cg_space_new(job, build)
	};

	if (text_read(job, in, build, &text_samples, take_line, &r)) {
		while (r.level.n > 0)
			close_level(&r);
		if (r.seen && !r.ended)
			cg_warn(job, "expected \"" TOTAL "\" after the call "
				     "graph: the file may be truncated");
		if (!r.seen)
			(void)cg_reject(
			    job, "expected \"" GRAPH "\" and its threads");
	}
	return text_status(job, build);
}

static int
probe(const struct cg_head *head)
{
	const struct cg_slice first = cg_head_line(head);

	if (cg_starts(first, ANALYSIS))
		return CG_PROBE_SURE;
	return (cg_starts(first, "Sampling process ") ||
		   cg_starts(first, GRAPH)) &&
		       cg_find(head->text, GRAPH "\n    ")
		   ? CG_PROBE_LIKELY
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_macos_sample = {
	CG_MODULE,
	.name = "macos-sample",
	.title = "call graphs of macOS's sample, Activity Monitor",
	.text = true,
	.suffixes = "sample.txt",
	.probe = probe,
	.read = read_sample,
};
