/*
 * valgrind_massif.c - massif: what Valgrind's Massif found on the heap.
 *
 * Source: massif/ms_main.c (pp_snapshot) and massif/ms_print.in of Valgrind
 * 3.19. Of the snapshots with a tree one is read: the peak, or the last if none
 * is the peak. A tree is upside down: below a function are those that called
 * it. What is below Massif's threshold has no function.
 */
#include <stdlib.h>
#include <string.h>

#include "valgrind.h"

#define BELOW "(below threshold)"
#define DEPTH_MAX 4096 /* --depth is at most 200 */

struct node {
	uint32_t depth;
	struct frame frame;
	uint64_t bytes;
};

struct massif {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	struct node *node; /* of the last tree, or of the peak */
	size_t nodes, cap;
	struct cg_columns columns;
	bool peak;
	int status;
};

static bool
fail(struct massif *m, const struct cg_slice *at, const char *expected)
{
	m->status = cg_fail_at(m->job, at->ptr, "expected %s", expected);
	return false;
}

/* What a node says behind its cost; the first is all that was allocated. */
static bool
take_place(struct massif *m, struct cg_slice text, struct node *node)
{
	if (valgrind_take_frame(m->build, text, &node->frame))
		return true;
	if (node->depth > 0)
		node->frame.fn = cg_add_fn(m->build, cg_slice(BELOW), 0, 0);
	return node->depth == 0 || cg_starts(text, "in ");
}

/* "  n2: 4096 0x10AE19: main (a.c:3)"; *children: the number behind n */
static bool
take_node(struct massif *m, struct cg_slice line, uint64_t *children)
{
	struct node node = { 0 };
	const struct cg_slice at = line;

	while (cg_take_char(&line, ' '))
		node.depth++;
	if (!cg_take_char(&line, 'n') || !cg_take_u64(&line, children) ||
	    !cg_take_prefix(&line, ": ") || !cg_take_u64(&line, &node.bytes) ||
	    !cg_take_char(&line, ' ') || node.depth > DEPTH_MAX ||
	    !take_place(m, line, &node))
		return fail(
		    m, &at, "'nCOUNT: BYTES ADDRESS: FUNCTION (PLACE)'");
	if (!cg_grow_raw(&m->node, &m->cap, m->nodes + 1, sizeof(node))) {
		m->status = cg_nomem(m->job);
		return false;
	}
	m->node[m->nodes++] = node;
	return true;
}

/* Its nodes, or no more than a look at them. */
static bool
read_tree(struct massif *m, bool wanted)
{
	uint64_t left[DEPTH_MAX + 2] = { 1 }; /* nodes to come, by depth */
	struct cg_slice line = { 0 };
	size_t depth = 0;

	if (wanted)
		m->nodes = 0;
	for (;;) {
		while (depth > 0 && left[depth] == 0)
			depth--;
		if (left[depth] == 0)
			return true;
		if (!cg_read_line(m->in, &line))
			return fail(m, &line, "more nodes: the file is cut");
		left[depth]--;
		if (!take_node(m, line, &left[depth + 1]))
			return false;
		if (m->node[m->nodes - 1].depth != depth)
			return fail(m, &line, "a node one level deeper");
		if (!wanted)
			m->nodes--;
		depth++;
	}
}

/* From the last node on the path, a caller of callers, up to the function. */
static void
add_stack(struct massif *m, const size_t *path, size_t last, uint64_t bytes)
{
	const struct cg_pos nowhere = { 0 };
	cg_node node = 0;
	uint64_t addr = 0;
	cg_fn fn = 0;

	if (bytes == 0)
		return;
	for (; last > 0; last--) {
		const struct frame *frame = &m->node[path[last]].frame;

		/* With its caller's address it was inlined into that. */
		node = cg_add_frame(m->build, node, frame->fn, &frame->pos,
		    addr == frame->addr && fn != frame->fn);
		addr = frame->addr;
		fn = frame->fn;
	}
	if (node == 0) /* nobody knows where */
		node = cg_add_frame(m->build, 0,
		    cg_add_fn(m->build, cg_slice("(unknown)"), 0, 0), &nowhere,
		    false);
	cg_add_stack(m->build, node, 1, cg_columns_of(&m->columns, &bytes),
	    m->columns.width);
}

/* A node's bytes that its callers do not account for are its own stack's. */
static bool
add_tree(struct massif *m, size_t *path, uint64_t *rest)
{
	size_t open = 0; /* nodes on the path */

	for (size_t i = 0; i < m->nodes; i++) {
		size_t depth = m->node[i].depth;

		for (; open > depth; open--)
			add_stack(m, path, open - 1, rest[open - 1]);
		path[open] = i;
		rest[open++] = m->node[i].bytes;
		if (depth == 0)
			continue;
		if (rest[depth - 1] < rest[depth]) {
			m->status = cg_fail(m->job,
			    "expected callers with no more bytes than what "
			    "they call");
			return false;
		}
		rest[depth - 1] -= rest[depth];
	}
	for (; open > 0; open--)
		add_stack(m, path, open - 1, rest[open - 1]);
	return true;
}

static void
add_snapshot(struct massif *m)
{
	size_t *path = calloc(DEPTH_MAX + 2, sizeof(*path));
	uint64_t *rest = calloc(DEPTH_MAX + 2, sizeof(*rest));

	if (!path || !rest)
		m->status = cg_nomem(m->job);
	else if (add_tree(m, path, rest))
		cg_state_total(m->build, NULL,
		    cg_columns_of(&m->columns, &m->node[0].bytes),
		    m->columns.width, false);
	free(path);
	free(rest);
}

static bool
read_snapshots(struct massif *m)
{
	struct cg_slice line;
	bool peak, ended = true;

	while (m->status == CG_OK && cg_read_line(m->in, &line)) {
		if (cg_take_prefix(&line, "desc: ")) {
			cg_add_desc(m->build, cg_slice("Options"), line);
		} else if (cg_starts(line, "snapshot=")) {
			ended = false;
		} else if (cg_take_prefix(&line, "heap_tree=")) {
			peak = cg_equal(line, "peak");
			ended = true;
			if (!cg_equal(line, "empty") &&
			    !read_tree(m, peak || !m->peak))
				return false;
			m->peak |= peak;
		}
	}
	if (m->status == CG_OK)
		m->status = cg_in_status(m->in);
	if (m->status == CG_OK && !ended)
		m->status = cg_fail(m->job,
		    "expected heap_tree= in each snapshot: the file is cut");
	return m->status == CG_OK;
}

static int
read_massif(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_event bytes = {
		.name = "bytes", .long_name = "Heap", .unit = "bytes"
	};
	struct massif m = { .job = job, .in = in, .build = build };

	(void)cg_add_column(&m.columns, build, &bytes);
	if (read_snapshots(&m)) {
		if (m.nodes == 0)
			m.status =
			    cg_fail(job, "expected a snapshot with a tree");
		else
			add_snapshot(&m);
	}
	if (m.status == CG_OK && !m.peak)
		cg_note(job, "no snapshot is the peak: the last one is read");
	free(m.node);
	return m.status;
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

const struct cg_module cg_format_massif = {
	CG_MODULE,
	.name = "massif",
	.title = "the heap at its peak, by Valgrind's Massif",
	.suffixes = "massif",
	.probe = probe,
	.read = read_massif,
};
