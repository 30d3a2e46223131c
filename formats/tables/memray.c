/*
 * memray.c - memray: allocations of Python programs by memray, as CSV.
 *
 * Source: docs/transform.rst and reporters/transform.py of memray 1.20
 * (memray transform csv). A row for each stack and allocator at the peak, or of
 * what was not freed: numbers of allocations and bytes, thread, and the stack
 * as "function;file;line|...", the leaf first. Names of C++ (--native) may
 * contain '|' and ';', so a frame ends at ";LINE|" only.
 *
 * All survives; allocators and threads become labels. memray transform
 * speedscope has neither of these, and gprof2dot no lines either.
 */
#include "tables.h"

#define HEAD "allocator,num_allocations,size,"
#define MERGED "merged thread" /* name of a thread, if threads are merged */
#define UNKNOWN "[unknown]"

struct memray {
	struct cg_job *job;
	struct cg_build *build;
	struct table_row row;
	size_t allocator, number, size, tid, thread, stack; /* columns */
	CG_ARRAY(struct cg_slice) frame; /* of a row, the leaf first */
};

/* ---- Head ---------------------------------------------------------------- */

static bool
take_head(struct memray *r, struct cg_slice line)
{
	if (!cg_starts(line, HEAD))
		return cg_reject(r->job, "expected a head '" HEAD "...'");
	if (!table_split(r->job, &r->row, line, ','))
		return false;
	r->allocator = table_find(&r->row, "allocator");
	r->number = table_find(&r->row, "num_allocations");
	r->size = table_find(&r->row, "size");
	r->tid = table_find(&r->row, "tid");
	r->thread = table_find(&r->row, "thread_name");
	r->stack = table_find(&r->row, "stack_trace");
	return r->stack != TABLE_NONE ||
	       cg_reject(r->job, "expected a column stack_trace");
}

static void
add_events(struct cg_build *build)
{
	static const struct cg_event bytes = {
		.name = "bytes", .long_name = "Allocated bytes", .unit = "bytes"
	};
	static const struct cg_event number = { .name = "allocations",
		.long_name = "Allocations" };

	(void)cg_add_column(build, &bytes);
	(void)cg_add_column(build, &number);
}

/* ---- Stacks -------------------------------------------------------------- */

/*
 * Cuts ";FILE;LINE" off the end of a frame, so that *name is its function, and
 * sets *file and *line. False: malformed (not reported), and *name is
 * unchanged.
 */
static bool
cut_frame(struct cg_slice *name, struct cg_slice *file, uint32_t *line)
{
	struct cg_slice rest = *name;
	size_t at;

	if (!cg_cut_number(&rest, ';', line))
		return false;
	for (at = rest.len; at > 0 && rest.ptr[at - 1] != ';'; at--)
		continue;
	if (at == 0)
		return false;
	*file = (struct cg_slice){ rest.ptr + at, rest.len - at };
	name->len = at - 1;
	return true;
}

static bool
split_stack(struct memray *r, struct cg_slice stack)
{
	struct cg_slice frame = { stack.ptr, 0 }, name, file;
	uint32_t line;

	r->frame.n = 0;
	for (size_t i = 0; i <= stack.len && stack.len > 0; i++) {
		if (i < stack.len && stack.ptr[i] != '|')
			continue;
		frame.len = (size_t)(stack.ptr + i - frame.ptr);
		name = frame;
		if (!cut_frame(&name, &file, &line))
			continue; /* a name with '|' */
		if (!cg_append(r->job, &r->frame, frame))
			return false;
		frame.ptr += frame.len + 1;
	}
	return frame.ptr >= stack.ptr + stack.len ||
	       cg_reject(r->job, "expected 'function;file;line' on a stack");
}

static cg_node
add_stack(struct memray *r)
{
	cg_node node = 0;

	for (size_t i = r->frame.n; i-- > 0;) {
		struct cg_slice name = r->frame.at[i], file = { "", 0 };
		struct cg_pos pos = { 0 };

		(void)cut_frame(&name, &file, &pos.line);
		pos.file = cg_add_file(r->build, file);
		node = cg_add_frame(r->build, node,
		    cg_add_fn(r->build, name.len > 0 ? name : cg_slice(UNKNOWN),
			pos.file, 0),
		    &pos, false);
	}
	if (node == 0)
		node = cg_add_frame(r->build, 0,
		    cg_add_fn(r->build, cg_slice(UNKNOWN), 0, 0),
		    &(const struct cg_pos){ 0 }, false);
	return node;
}

/* ---- Rows ---------------------------------------------------------------- */

/*
 * Returns the name of a thread from "0x7f (MainThread)"; "": there is none, or
 * the row is of merged threads.
 */
static struct cg_slice
thread_name(struct cg_slice text)
{
	struct cg_slice id;

	if (cg_equal(text, MERGED) || !cg_take_until(&text, '(', &id) ||
	    text.len == 0 || text.ptr[text.len - 1] != ')')
		return (struct cg_slice){ "", 0 };
	return (struct cg_slice){ text.ptr, text.len - 1 };
}

/*
 * Sets the labels of the stacks of the current row: thread id, thread name and
 * allocator. Merged threads have tid -1, and get no id.
 */
static void
set_labels(struct memray *r)
{
	struct cg_label label[3];
	struct cg_sample_key key = { .thread = thread_name(
					 table_field(&r->row, r->thread)),
		.label = label };

	if (cg_get_u64(table_field(&r->row, r->tid), &key.tid) &&
	    key.tid <= INT64_MAX && key.tid != 0)
		label[key.labels++] = (struct cg_label){ .key = cg_slice("tid"),
			.number = (int64_t)key.tid };
	if (key.thread.len > 0)
		label[key.labels++] =
		    (struct cg_label){ .key = cg_slice("thread"),
			    .value = key.thread };
	label[key.labels] = (struct cg_label){ .key = cg_slice("allocator"),
		.value = table_field(&r->row, r->allocator) };
	if (label[key.labels].value.len > 0)
		key.labels++;
	cg_set_sample_part(r->build, &key);
}

static bool
take_row(struct memray *r, struct cg_slice line)
{
	uint64_t cost[2];

	if (!table_split(r->job, &r->row, line, ','))
		return false;
	if (!cg_get_u64(table_field(&r->row, r->size), &cost[0]) ||
	    !cg_get_u64(table_field(&r->row, r->number), &cost[1]))
		return cg_reject(r->job,
		    "expected numbers of bytes and allocations in columns "
		    "%zu and %zu",
		    r->size + 1, r->number + 1);
	/* An empty last field is none. */
	if (r->stack > r->row.field.n)
		return cg_reject(r->job, "expected %zu columns", r->stack + 1);
	if (!split_stack(r, table_field(&r->row, r->stack)))
		return false;
	set_labels(r);
	table_add_stack(r->build, add_stack(r), cost[1], cost);
	(void)cg_free_nodes(r->job);
	return cg_build_status(r->build) == CG_OK;
}

static int
read_memray(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct memray r = { .job = job, .build = build };
	struct cg_slice line;
	bool ok;

	ok = table_line(in, &line) && take_head(&r, line);
	if (ok)
		add_events(build);
	while (ok && table_line(in, &line))
		ok = line.len == 0 || take_row(&r, line);
	if (ok && cg_in_status(in) == CG_OK && cg_in_unterminated(in))
		cg_warn(job, "expected a newline at the end: the file may be "
			     "truncated");
	return table_status(job, in, build);
}

static int
probe(const struct cg_head *head)
{
	return cg_starts(head->first, HEAD) ? CG_PROBE_SURE : CG_PROBE_NO;
}

const struct cg_module cg_format_memray = {
	CG_MODULE,
	.name = "memray",
	.title = "allocations of Python programs by memray, as CSV",
	.text = true,
	.suffixes = "memray.csv",
	.probe = probe,
	.read = read_memray,
};
