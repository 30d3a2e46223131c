/*
 * gprof2dot_json.c - gprof2dot-json: call chains with costs, gprof2dot's own
 * format.
 *
 * Source: class JsonParser of gprof2dot 2022.7.29 and its schema.json, version
 * 0. Call chains are leaf first; costs with decimals are rounded. The name and
 * the module of functions survive, their process is lost.
 */
#include <string.h>

#include "cgconv_parse.h"

struct cost {
	cg_name description, unit;
};

struct function {
	cg_name name, module;
};

/* A node of the tree of call chains. */
struct node {
	uint32_t parent, function;
	cg_node node;
};

struct chains {
	uint64_t version;
	CG_ARRAY(struct cost) cost;
	CG_ARRAY(struct function) function;
	CG_ARRAY(cg_fn) fn;
	struct cg_map node_ids;     /* parent << 32 | function -> index */
	CG_ARRAY(struct node) node; /* the first is the root */
	CG_ARRAY(uint64_t) sum;     /* width costs for each node */
	size_t width;
	CG_ARRAY(uint64_t) samples;
	/* For the current event: */
	CG_ARRAY(uint32_t) chain;
	CG_ARRAY(uint64_t) value;
};

static bool
take_cost(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ .name = "description",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct cost, description) },
		{ .name = "unit",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct cost, unit) },
		{ 0 },
	};
	struct chains *chains = into;
	struct cost cost = { 0 };

	return cg_doc_fields(doc, fields, &cost) &&
	       cg_append(doc->job, &chains->cost, cost);
}

static bool
take_function(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ .name = "name",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct function, name) },
		{ .name = "module",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct function, module) },
		{ 0 },
	};
	struct chains *chains = into;
	struct function function = { 0 };

	return cg_doc_fields(doc, fields, &function) &&
	       cg_append(doc->job, &chains->function, function);
}

/* ---- Call chains --------------------------------------------------------- */

static bool
take_chain(struct cg_doc *doc, void *into)
{
	struct chains *chains = into;
	int64_t index;

	chains->chain.n = 0;
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		if (!cg_doc_number(doc, 0, &index))
			return false;
		if (index < 0 || index >= UINT32_MAX)
			return cg_doc_fail(doc, "the index of a function");
		if (!cg_append(doc->job, &chains->chain, (uint32_t)index))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_values(struct cg_doc *doc, void *into)
{
	struct chains *chains = into;
	int64_t value;

	chains->value.n = 0;
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		if (!cg_doc_number(doc, 0, &value))
			return false;
		if (value < 0)
			return cg_doc_fail(doc, "a non-negative cost");
		if (!cg_append(doc->job, &chains->value, (uint64_t)value))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
new_node(struct cg_doc *doc, struct chains *chains, struct node node)
{
	return cg_append(doc->job, &chains->node, node) &&
	       cg_append(doc->job, &chains->samples, 0) &&
	       cg_resize(doc->job, &chains->sum, chains->sum.n + chains->width);
}

/*
 * Goes from node *at of the tree of stacks to its child for a function, added
 * if it is new. Sets *at to the child's index. False: out of memory
 * (reported).
 */
static bool
step(struct cg_doc *doc, struct chains *chains, uint32_t *at, uint32_t function)
{
	uint32_t *index = cg_map_in(
	    doc->job, &chains->node_ids, (uint64_t)*at << 32 | function);

	if (!index)
		return false;
	if (*index == 0) {
		*index = (uint32_t)chains->node.n;
		if (!new_node(doc, chains,
			(struct node){ .parent = *at, .function = function }))
			return false;
	}
	*at = *index;
	return true;
}

static bool
take_event(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ .name = "callchain",
		    .type = CG_FIELD_CALL,
		    .take = take_chain },
		{ .name = "cost", .type = CG_FIELD_CALL, .take = take_values },
		{ 0 },
	};
	struct chains *chains = into;
	uint64_t *sum;
	uint32_t at = 0;

	chains->chain.n = chains->value.n = 0;
	if (!cg_doc_fields(doc, fields, chains))
		return false;
	if (chains->chain.n == 0)
		return cg_doc_fail(doc, "a call chain");
	if (chains->value.n == 0)
		return cg_doc_fail(doc, "a cost");
	if (chains->node.n == 0) {
		chains->width = chains->value.n;
		if (!new_node(doc, chains, (struct node){ 0 }))
			return false;
	}
	if (chains->value.n != chains->width)
		return cg_doc_fail(doc, "as many costs as the first event has");
	while (chains->chain.n > 0)
		if (!step(
			doc, chains, &at, chains->chain.at[--chains->chain.n]))
			return false;
	sum = chains->sum.at + at * chains->width;
	for (size_t i = 0; i < chains->width; i++)
		if (__builtin_add_overflow(
			sum[i], chains->value.at[i], &sum[i]))
			return cg_doc_fail(
			    doc, "costs whose sum fits in 64 bits");
	chains->samples.at[at]++;
	return true;
}

/* ---- Into the graph ------------------------------------------------------ */

/*
 * Adds an event for a cost of the document to the graph. Its name is the
 * description of the cost, with '_' in place of blanks. It is "cost" if there
 * is no description. False: an error (reported), such as two costs with the
 * same name.
 */
static bool
add_event(struct cg_doc *doc, const struct cost *cost)
{
	struct cg_slice text = cg_get_name(doc->build, cost->description);
	char *name = cg_alloc(doc->job, text.len + sizeof("cost"));
	struct cg_event event = { .name = name,
		.unit = cg_get_name(doc->build, cost->unit).ptr };

	if (!name)
		return false;
	if (text.len == 0)
		text = cg_slice("cost");
	else
		event.long_name = text.ptr;
	memcpy(name, text.ptr, text.len);
	for (char *at = name; *at; at++)
		if ((unsigned char)*at <= ' ')
			*at = '_';
	return cg_add_column(doc->build, &event) ||
	       cg_doc_fail(doc, "costs of different names");
}

static bool
add_functions(struct cg_doc *doc, struct chains *chains)
{
	if (!cg_resize(doc->job, &chains->fn, chains->function.n))
		return false;
	for (size_t i = 0; i < chains->function.n; i++) {
		const struct function *function = &chains->function.at[i];
		cg_object module = cg_add_object(
		    doc->build, cg_get_name(doc->build, function->module));

		chains->fn.at[i] =
		    cg_add_fn_named(doc->build, function->name, 0, module);
	}
	return true;
}

static void
add_chains(struct cg_doc *doc, struct chains *chains)
{
	const struct cg_pos nowhere = { 0 };

	if (chains->node.n > 0 && chains->cost.n != chains->width) {
		(void)cg_doc_fail(doc, "costs with a description for each "
				       "cost of an event");
		return;
	}
	for (size_t i = 0; i < chains->cost.n; i++)
		if (!add_event(doc, &chains->cost.at[i]))
			return;
	if (!add_functions(doc, chains))
		return;
	/* A parent precedes its children. */
	for (size_t i = 0; i < chains->node.n; i++) {
		struct node *node = &chains->node.at[i];

		if (i > 0 && node->function >= chains->function.n) {
			(void)cg_doc_fail(doc, "functions for all indexes in "
					       "call chains");
			return;
		}
		if (i > 0)
			node->node = cg_add_frame(doc->build,
			    chains->node.at[node->parent].node,
			    chains->fn.at[node->function], &nowhere, false);
		if (chains->samples.at[i] > 0)
			cg_add_stack(doc->build, node->node,
			    chains->samples.at[i],
			    cg_columns_of(
				doc->build, chains->sum.at + i * chains->width),
			    cg_columns_width(doc->build));
	}
}

static const struct cg_field fields[] = {
	{ .name = "version",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct chains, version) },
	{ .name = "costs", .type = CG_FIELD_EACH, .take = take_cost },
	{ .name = "functions", .type = CG_FIELD_EACH, .take = take_function },
	{ .name = "events", .type = CG_FIELD_EACH, .take = take_event },
	{ 0 },
};

static int
read_gprof2dot(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct chains chains = { 0 };
	struct cg_doc doc;

	cg_doc_open(&doc, job, in, build, &chains);
	if (cg_doc_fields(&doc, fields, &chains)) {
		if (chains.version != 0)
			(void)cg_doc_fail(&doc, "version 0");
		else
			add_chains(&doc, &chains);
	}
	return cg_doc_close(&doc);
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "costs", "functions", "events",
		"costs.description", "events.callchain", NULL };
	unsigned found = cg_head_keys(head, keys);

	return (found & 8) || (found & 16) ? CG_PROBE_SURE : CG_PROBE_NO;
}

const struct cg_module cg_format_gprof2dot_json = {
	CG_MODULE,
	.name = "gprof2dot-json",
	.title = "call chains with costs, gprof2dot's own format",
	.text = true,
	.suffixes = "gprof2dot.json",
	.probe = probe,
	.read = read_gprof2dot,
};
