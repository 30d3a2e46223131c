/*
 * massif.c - massif: heap profiles of Valgrind's Massif.
 *
 * Source: massif/ms_main.c (pp_snapshot) and massif/ms_print.in of Valgrind
 * 3.19. One of the snapshots with a tree is read: the peak, or the last if none
 * is the peak; --snapshot chooses another, or all, each a part. The totals of
 * other snapshots are lost. The children of a function in a tree are its
 * callers. Allocations below Massif's threshold have no function.
 */
#include <string.h>

#include "valgrind.h"

#define UNIT_MAX 8 /* i, ms, B */
#define BELOW "(below threshold)"
#define DEPTH_MAX 4096 /* --depth is at most 200 */

struct node {
	uint32_t depth;
	struct valgrind_frame frame;
	uint64_t bytes;
};

struct massif {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	struct cg_space *space;     /* counts addresses without names */
	CG_ARRAY(struct node) node; /* of the latest wanted tree */
	/* By depth: the open nodes, and their bytes that no caller has. */
	CG_ARRAY(size_t) path;
	CG_ARRAY(uint64_t) rest;
	const char *wanted;                 /* --snapshot */
	struct cg_slice options, cmd, unit; /* for the graph */
	struct cg_part_info part;           /* of the latest wanted tree */
	uint64_t number, time;              /* of the current snapshot */
	uint64_t tree_time;
	bool peak; /* a peak's tree was read */
};

/*
 * Sets the node's frame from the text after its bytes. A text for places below
 * Massif's threshold gets the function BELOW. The root is the whole heap, and
 * has no function. False: malformed (not reported).
 */
static bool
take_location(struct massif *m, struct cg_slice text, struct node *node)
{
	if (valgrind_take_frame(m->build, m->space, text, &node->frame))
		return true;
	if (node->depth > 0)
		node->frame.fn = cg_add_fn(m->build, cg_slice(BELOW), 0, 0);
	return node->depth == 0 || cg_starts(text, "in ");
}

/*
 * Reads a line of a heap tree, " n2: 4096 0x10AE19: main (a.c:3)", and appends
 * the node. The number of blanks is its depth. *children becomes the number
 * after n. False: an error (reported).
 */
static bool
take_node(struct massif *m, struct cg_slice line, uint64_t *children)
{
	struct node *node = cg_push(m->job, &m->node);
	const struct cg_slice at = line;

	if (!node)
		return false;
	while (cg_take_char(&line, ' '))
		node->depth++;
	if (!cg_take_char(&line, 'n') || !cg_take_u64(&line, children) ||
	    !cg_take_prefix(&line, ": ") || !cg_take_u64(&line, &node->bytes) ||
	    !cg_take_char(&line, ' ') || node->depth > DEPTH_MAX ||
	    !take_location(m, line, node))
		return cg_reject_at(m->job, at.ptr,
		    "expected 'nCOUNT: BYTES ADDRESS: FUNCTION (FILE:LINE)'");
	return true;
}

/*
 * Reads a snapshot's heap tree. If "wanted" is true, the tree replaces the one
 * in m->node. Otherwise only parses the tree, and m->node keeps the one
 * before. False: an error (reported).
 */
static bool
read_tree(struct massif *m, bool wanted)
{
	uint64_t left[DEPTH_MAX + 2] = { 1 }; /* nodes to come, by depth */
	struct cg_slice line = { 0 };
	size_t depth = 0;

	if (wanted)
		m->node.n = 0;
	for (;;) {
		while (depth > 0 && left[depth] == 0)
			depth--;
		if (left[depth] == 0)
			return true;
		if (!cg_read_line(m->in, &line))
			return cg_reject_at(m->job, line.ptr,
			    "expected more nodes: the file is truncated");
		left[depth]--;
		if (!take_node(m, line, &left[depth + 1]))
			return false;
		if (m->node.at[m->node.n - 1].depth != depth)
			return cg_reject_at(m->job, line.ptr,
			    "expected a node one level deeper");
		if (!wanted)
			m->node.n--;
		depth++;
	}
}

/*
 * Adds the bytes of one stack to the graph, unless they are 0. Its frames are
 * the nodes in m->path from index last, the outermost caller, to 1. last 0:
 * the function "(unknown)".
 */
static void
add_stack(struct massif *m, size_t last, uint64_t bytes)
{
	const struct cg_pos nowhere = { 0 };
	cg_node node = 0;
	uint64_t addr = 0;
	cg_fn fn = 0;

	if (bytes == 0)
		return;
	for (; last > 0; last--) {
		const struct valgrind_frame *frame =
		    &m->node.at[m->path.at[last]].frame;

		/* A function with its caller's address was inlined. */
		node = cg_add_frame(m->build, node, frame->fn, &frame->pos,
		    addr == frame->addr && fn != frame->fn);
		addr = frame->addr;
		fn = frame->fn;
	}
	if (node == 0)
		node = cg_add_frame(m->build, 0,
		    cg_add_fn(m->build, cg_slice("(unknown)"), 0, 0), &nowhere,
		    false);
	cg_add_stack(m->build, node, 1, cg_columns_of(m->build, &bytes),
	    cg_columns_width(m->build));
}

/*
 * Adds the stacks of the tree in m->node to the graph. A node's children are
 * its callers. A node's own stack has its bytes less those of its children.
 * m->path and m->rest need room for the longest path. False: children have
 * more (reported).
 */
static bool
add_tree(struct massif *m)
{
	size_t *path = m->path.at;
	uint64_t *rest = m->rest.at;
	size_t open = 0; /* length of the path */

	for (size_t i = 0; i < m->node.n; i++) {
		size_t depth = m->node.at[i].depth;

		for (; open > depth; open--)
			add_stack(m, open - 1, rest[open - 1]);
		path[open] = i;
		rest[open++] = m->node.at[i].bytes;
		if (depth == 0)
			continue;
		if (rest[depth - 1] < rest[depth])
			return cg_reject(m->job,
			    "expected callers with no more bytes than the "
			    "function that they call");
		rest[depth - 1] -= rest[depth];
	}
	for (; open > 0; open--)
		add_stack(m, open - 1, rest[open - 1]);
	return true;
}

static bool
add_snapshot(struct massif *m)
{
	if (!cg_resize(m->job, &m->path, DEPTH_MAX + 2) ||
	    !cg_resize(m->job, &m->rest, DEPTH_MAX + 2) || !add_tree(m))
		return false;
	cg_state_total(m->build, NULL,
	    cg_columns_of(m->build, &m->node.at[0].bytes),
	    cg_columns_width(m->build), false);
	return true;
}

/*
 * Adds descriptions to the graph's newest part, that of a snapshot, such as
 * "Snapshot: 17" and "Time: 1808172 i". The time is in the unit of the file
 * (m->unit).
 */
static void
describe(struct massif *m)
{
	char text[2 * CG_NUMBER_MAX], *end = cg_format_u64(text, m->part.part);

	cg_add_desc(m->build, cg_slice("Snapshot"),
	    (struct cg_slice){ text, (size_t)(end - text) });
	end = cg_format_u64(text, m->tree_time);
	*end++ = ' ';
	for (size_t i = 0; i < m->unit.len && i < UNIT_MAX; i++)
		*end++ = m->unit.ptr[i];
	cg_add_desc(m->build, cg_slice("Time"),
	    (struct cg_slice){ text, (size_t)(end - text) });
}

static bool
end_snapshot(struct massif *m)
{
	m->part.cmd = m->cmd.ptr ? m->cmd.ptr : "";
	(void)cg_add_part(m->build, &m->part);
	if (m->options.len > 0)
		cg_add_desc(m->build, cg_slice("Options"), m->options);
	describe(m);
	return add_snapshot(m);
}

/*
 * Returns true if option snapshot chooses the current snapshot's tree; peak:
 * it is the peak. With snapshot=peak, also chooses trees before it, as the
 * last one stays if there is no peak.
 */
static bool
is_wanted(const struct massif *m, bool peak)
{
	struct cg_slice text = cg_slice(m->wanted);
	uint64_t number;

	if (cg_equal(text, "all"))
		return true;
	if (cg_equal(text, "peak"))
		return peak || !m->peak;
	return cg_take_u64(&text, &number) && number == m->number;
}

/*
 * Reads the field heap_tree= of a snapshot, whose value is kind, and the tree.
 * If option snapshot chooses the tree, keeps it in m->node; with snapshot=all,
 * adds it to the graph. False: an error (reported).
 */
static bool
take_tree(struct massif *m, struct cg_slice kind)
{
	bool peak = cg_equal(kind, "peak"), wanted = is_wanted(m, peak);

	if (cg_equal(kind, "empty"))
		return true;
	if (!read_tree(m, wanted))
		return false;
	m->peak |= peak;
	if (!wanted)
		return true;
	m->part.part = m->number;
	m->tree_time = m->time;
	return strcmp(m->wanted, "all") != 0 || end_snapshot(m);
}

static struct cg_slice
keep(struct massif *m, struct cg_slice text)
{
	return cg_get_name(m->build, cg_add_name(m->build, text));
}

static bool
read_snapshots(struct massif *m)
{
	struct cg_slice line;
	bool ended = true;

	while (cg_read_line(m->in, &line)) {
		if (cg_take_prefix(&line, "desc: ")) {
			m->options = keep(m, line);
		} else if (cg_take_prefix(&line, "cmd: ")) {
			m->cmd = keep(m, line);
		} else if (cg_take_prefix(&line, "time_unit: ")) {
			m->unit = keep(m, line);
		} else if (cg_take_prefix(&line, "snapshot=")) {
			ended = false;
			if (!cg_take_u64(&line, &m->number))
				return cg_reject_at(m->job, line.ptr,
				    "expected the number of a snapshot");
		} else if (cg_take_prefix(&line, "time=")) {
			(void)cg_take_u64(&line, &m->time);
		} else if (cg_take_prefix(&line, "heap_tree=")) {
			ended = true;
			if (!take_tree(m, line))
				return false;
		}
	}
	if (cg_in_status(m->in) != CG_OK)
		return false;
	return ended || cg_reject(m->job, "expected heap_tree= in each "
					  "snapshot: the file is truncated");
}

/*
 * Reads the file, and adds the tree in m->node to the graph. With option
 * snapshot=all, all trees were added while reading. "peak" tells that the
 * option is snapshot=peak, for the message if there is no tree. False: an
 * error (reported).
 */
static bool
read_file(struct massif *m, bool peak)
{
	if (!read_snapshots(m))
		return false;
	if (m->node.n == 0)
		return cg_reject(m->job,
		    peak ? "expected a snapshot with a tree"
			 : "expected a snapshot with a tree for {snapshot} %s",
		    m->wanted);
	return strcmp(m->wanted, "all") == 0 || end_snapshot(m);
}

static int
read_massif(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_event bytes = {
		.name = "bytes", .long_name = "Heap", .unit = "bytes"
	};
	struct massif m = { .job = job,
		.in = in,
		.build = build,
		.wanted = cg_opt(job, "snapshot") };
	struct cg_slice number = cg_slice(m.wanted);
	bool peak = cg_equal(number, "peak");
	uint64_t ignored;

	if (!peak && !cg_equal(number, "all") &&
	    (!cg_take_u64(&number, &ignored) || number.len > 0))
		return cg_usage(job,
		    "{snapshot}: expected peak, all or the "
		    "number of a snapshot, not '%s'",
		    m.wanted);
	m.space = cg_space_new(job, build);
	(void)cg_add_column(build, &bytes);
	if (read_file(&m, peak) && peak && !m.peak)
		cg_note(job, "no snapshot is marked as the peak: the last one "
			     "with a tree is read");
	return cg_in_status(in);
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;

	if (!cg_starts(head->first, "desc: "))
		return CG_PROBE_NO;
	while (cg_take_line(&text, &line))
		if (cg_starts(line, "snapshot="))
			return CG_PROBE_SURE;
	return CG_PROBE_NO;
}

static const struct cg_option options[] = {
	{ .name = "snapshot",
	    .type = CG_STRING,
	    .fallback = "peak",
	    .arg = "N|peak|all",
	    .help = "which snapshot; all: each with a tree is a part",
	    .reading = true },
	{ 0 },
};

const struct cg_module cg_format_massif = {
	CG_MODULE,
	.name = "massif",
	.title = "the heap at its peak, by Valgrind's Massif",
	.text = true,
	.suffixes = "massif",
	.options = options,
	.probe = probe,
	.read = read_massif,
};
