/*
 * memcheck.c - valgrind-xml: leaks that Valgrind's Memcheck has found.
 *
 * Source: docs/internals/xml-output-protocol4.txt of Valgrind 3.19. Each kind
 * of leak in the input has two events, bytes and blocks. Errors other than
 * leaks have no costs and are lost. The directories of source files are lost,
 * too, as in the outputs of Valgrind's other tools.
 */

#include "valgrind.h"

/* The kinds, in the order of Valgrind's summary; each has two events. */
static const struct {
	const char *kind;
	struct cg_event event[2];
} kinds[] = {
	{ "Leak_DefinitelyLost", { { .name = "DefiniteBytes", .unit = "bytes" },
				     { .name = "DefiniteBlocks" } } },
	{ "Leak_IndirectlyLost", { { .name = "IndirectBytes", .unit = "bytes" },
				     { .name = "IndirectBlocks" } } },
	{ "Leak_PossiblyLost", { { .name = "PossibleBytes", .unit = "bytes" },
				   { .name = "PossibleBlocks" } } },
	{ "Leak_StillReachable",
	    { { .name = "ReachableBytes", .unit = "bytes" },
		{ .name = "ReachableBlocks" } } },
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

struct leak {
	size_t kind;
	uint64_t bytes, blocks;
	cg_node node;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_xml *xml;
	struct cg_space *space; /* counts addresses without names */
	CG_ARRAY(struct leak) leak;
	CG_ARRAY(struct valgrind_frame) frame; /* of one stack, leaf first */
	struct leak now;                       /* kind KINDS: not a leak */
	size_t stacks; /* number of stacks of the error */
	uint64_t skipped, pid;
	cg_name cmd;
};

static bool
get_number(struct reader *r, struct cg_slice text, uint64_t *number)
{
	return cg_get_u64(cg_trim(text), number) ||
	       cg_xml_reject(r->xml, "a number");
}

static bool
take_number(struct reader *r, uint64_t *number)
{
	struct cg_slice text;

	return cg_xml_content(r->xml, &text) && get_number(r, text, number);
}

static bool
take_name(struct reader *r, cg_name *name)
{
	struct cg_slice text;

	if (!cg_xml_content(r->xml, &text))
		return false;
	*name = cg_add_name(r->build, text);
	return true;
}

/*
 * Reads a <frame> up to its end, and appends it to the current stack. False:
 * an error (reported).
 */
static bool
take_frame(struct reader *r)
{
	struct valgrind_frame *frame = cg_push(r->job, &r->frame);
	struct cg_slice name, text;
	cg_object object = 0;
	uint64_t line = 0;
	cg_file file = 0;
	cg_name fn = 0;

	if (!frame)
		return false;
	while (cg_xml_child(r->xml, &name)) {
		if (!cg_xml_content(r->xml, &text))
			return false;
		if (cg_equal(name, "fn"))
			fn = cg_add_name(r->build, text);
		else if (cg_equal(name, "file"))
			file = cg_add_file(r->build, text);
		else if (cg_equal(name, "obj"))
			object = cg_add_object(r->build, text);
		else if ((cg_equal(name, "ip") &&
			     !get_number(r, text, &frame->addr)) ||
			 (cg_equal(name, "line") &&
			     !get_number(r, text, &line)))
			return false;
	}
	if (cg_xml_status(r->xml) != CG_OK)
		return false;
	if (line > UINT32_MAX)
		return cg_xml_reject(r->xml, "a line number");
	valgrind_set_frame(
	    r->build, r->space, frame, fn, file, (uint32_t)line, object);
	return true;
}

/*
 * Ends a stack of an error. The first stack tells where the memory was
 * allocated. Adds its frames to the graph, and sets r->now.node to its leaf.
 * Ignores other stacks. A function with the same address as its caller is
 * inlined.
 */
static void
end_stack(struct reader *r)
{
	if (r->stacks++ > 0) /* only the first stack is the allocation's */
		return;
	for (size_t i = r->frame.n; i > 0; i--) {
		const struct valgrind_frame *frame = &r->frame.at[i - 1];

		r->now.node =
		    cg_add_frame(r->build, r->now.node, frame->fn, &frame->pos,
			i < r->frame.n && frame[1].addr == frame->addr &&
			    frame[1].fn != frame->fn);
	}
}

static bool
end_error(struct reader *r)
{

	if (r->now.kind == KINDS) {
		r->skipped++;
		return true;
	}
	if (r->now.node == 0)
		return cg_xml_reject(r->xml, "a stack in the leak");
	return cg_append(r->job, &r->leak, r->now);
}

static bool
take_kind(struct reader *r)
{
	struct cg_slice text;

	if (!cg_xml_content(r->xml, &text))
		return false;
	r->now.kind = 0;
	while (r->now.kind < KINDS && !cg_equal(text, kinds[r->now.kind].kind))
		r->now.kind++;
	return true;
}

static bool
open_element(struct reader *r)
{
	struct cg_slice name = cg_xml_name(r->xml);

	if (cg_equal(name, "error")) {
		r->now = (struct leak){ .kind = KINDS };
		r->stacks = 0;
	} else if (cg_equal(name, "stack")) {
		r->frame.n = 0;
	} else if (cg_equal(name, "kind")) {
		return take_kind(r);
	} else if (cg_equal(name, "leakedbytes")) {
		return take_number(r, &r->now.bytes);
	} else if (cg_equal(name, "leakedblocks")) {
		return take_number(r, &r->now.blocks);
	} else if (cg_equal(name, "frame")) {
		return take_frame(r);
	} else if (cg_equal(name, "pid")) {
		return take_number(r, &r->pid);
	} else if (cg_equal(name, "vargv") || cg_equal(name, "suppcounts")) {
		return cg_xml_content(r->xml, NULL);
	} else if (cg_equal(name, "exe")) {
		return take_name(r, &r->cmd);
	}
	return true;
}

static bool
close_element(struct reader *r)
{
	struct cg_slice name = cg_xml_name(r->xml);

	if (cg_equal(name, "stack"))
		end_stack(r);
	return !cg_equal(name, "error") || end_error(r);
}

static void
add_leaks(struct reader *r)
{
	const struct cg_part_info info = { .pid = r->pid,
		.cmd = cg_get_name(r->build, r->cmd).ptr };
	size_t column[KINDS], events = 0;
	bool has[KINDS] = { false };

	for (size_t i = 0; i < r->leak.n; i++)
		has[r->leak.at[i].kind] = true;
	cg_add_part(r->build, &info);
	for (size_t i = 0; i < KINDS; i++) {
		column[i] = events;
		if (!has[i])
			continue;
		(void)cg_add_column(r->build, &kinds[i].event[0]);
		(void)cg_add_column(r->build, &kinds[i].event[1]);
		events += 2;
	}
	for (size_t i = 0; i < r->leak.n; i++) {
		const struct leak *leak = &r->leak.at[i];
		uint64_t cost[2 * KINDS] = { 0 };

		cost[column[leak->kind]] = leak->bytes;
		cost[column[leak->kind] + 1] = leak->blocks;
		cg_add_stack(r->build, leak->node, leak->blocks,
		    cg_columns_of(r->build, cost), cg_columns_width(r->build));
	}
}

static int
read_valgrind_xml(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = {
		.job = job, .build = build, .space = cg_space_new(job, build)
	};
	enum cg_xml_type type = CG_XML_END;
	bool good = true;
	int status;

	r.xml = cg_xml_new(job, in);
	while (r.xml && good && (type = cg_xml_next(r.xml)) != CG_XML_END) {
		if (type == CG_XML_OPEN)
			good = open_element(&r);
		else if (type == CG_XML_CLOSE)
			good = close_element(&r);
	}
	status = r.xml ? cg_xml_status(r.xml) : CG_ELIMIT;
	if (!good || status != CG_OK)
		return status;
	add_leaks(&r);
	if (r.skipped > 0)
		cg_note(job, "errors other than leaks are dropped: %llu",
		    (unsigned long long)r.skipped);
	return CG_OK;
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice tag, rest;

	return cg_head_root(head, &tag, &rest) &&
		       cg_starts(tag, "valgrindoutput")
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_valgrind_xml = {
	CG_MODULE,
	.name = "valgrind-xml",
	.title = "leaks found by Valgrind's Memcheck, as XML",
	.text = true,
	.suffixes = "memcheck.xml",
	.probe = probe,
	.read = read_valgrind_xml,
};
