/*
 * gprof2dot_json.c - gprof2dot-json: call chains with costs, gprof2dot's own
 * format.
 *
 * Source: class JsonParser of gprof2dot 2022.7.29 and its schema.json, version
 * 0. Call chains are leaf first; costs with decimals are rounded. The name and
 * the module of functions survive, their process is lost.
 */
#include <stdlib.h>
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
	struct cost *cost;
	size_t costs, cost_cap;
	struct function *function;
	size_t functions, function_cap;
	cg_fn *fn;
	struct cg_map node_ids; /* parent << 32 | function -> index */
	struct node *node;      /* the first is the root */
	size_t nodes, node_cap;
	uint64_t *sum; /* width costs for each node */
	size_t sums, sum_cap, width;
	uint64_t *samples;
	size_t samples_cap;
	/* Of one event: */
	uint32_t *chain;
	size_t chain_len, chain_cap;
	uint64_t *value;
	size_t values, value_cap;
};

static bool
take_costs(struct cg_doc *doc, void *into)
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

	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		struct cost cost = { 0 };

		if (!cg_doc_fields(doc, fields, &cost) ||
		    !cg_doc_grow(doc, &chains->cost, chains->costs,
			&chains->cost_cap, sizeof(cost)))
			return false;
		chains->cost[chains->costs++] = cost;
	}
	return doc->status == CG_OK;
}

static bool
take_functions(struct cg_doc *doc, void *into)
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

	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		struct function function = { 0 };

		if (!cg_doc_fields(doc, fields, &function) ||
		    !cg_doc_grow(doc, &chains->function, chains->functions,
			&chains->function_cap, sizeof(function)))
			return false;
		chains->function[chains->functions++] = function;
	}
	return doc->status == CG_OK;
}

/* ---- Call chains --------------------------------------------------------- */

static bool
take_chain(struct cg_doc *doc, void *into)
{
	struct chains *chains = into;
	int64_t index;

	chains->chain_len = 0;
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		if (!cg_doc_number(doc, 0, &index) ||
		    !cg_doc_grow(doc, &chains->chain, chains->chain_len,
			&chains->chain_cap, sizeof(*chains->chain)))
			return false;
		if (index < 0 || index >= UINT32_MAX)
			return cg_doc_fail(doc, "the index of a function");
		chains->chain[chains->chain_len++] = (uint32_t)index;
	}
	return doc->status == CG_OK;
}

static bool
take_values(struct cg_doc *doc, void *into)
{
	struct chains *chains = into;
	int64_t value;

	chains->values = 0;
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		if (!cg_doc_number(doc, 0, &value) ||
		    !cg_doc_grow(doc, &chains->value, chains->values,
			&chains->value_cap, sizeof(*chains->value)))
			return false;
		if (value < 0)
			return cg_doc_fail(doc, "a non-negative cost");
		chains->value[chains->values++] = (uint64_t)value;
	}
	return doc->status == CG_OK;
}

static bool
new_node(struct cg_doc *doc, struct chains *chains, struct node node)
{
	if (!cg_doc_grow(doc, &chains->node, chains->nodes, &chains->node_cap,
		sizeof(node)) ||
	    !cg_doc_grow(doc, &chains->samples, chains->nodes,
		&chains->samples_cap, sizeof(*chains->samples)))
		return false;
	for (size_t i = 0; i < chains->width; i++) {
		if (!cg_doc_grow(doc, &chains->sum, chains->sums,
			&chains->sum_cap, sizeof(*chains->sum)))
			return false;
		chains->sum[chains->sums++] = 0;
	}
	chains->samples[chains->nodes] = 0;
	chains->node[chains->nodes++] = node;
	return true;
}

/* Moves at to its child with that function. */
static bool
step(struct cg_doc *doc, struct chains *chains, uint32_t *at, uint32_t function)
{
	uint32_t *index =
	    cg_map_at(&chains->node_ids, (uint64_t)*at << 32 | function);

	if (!index)
		return cg_reject_nomem(doc->job);
	if (*index == 0) {
		*index = (uint32_t)chains->nodes;
		if (!new_node(doc, chains,
			(struct node){ .parent = *at, .function = function }))
			return false;
	}
	*at = *index;
	return true;
}

static bool
take_event(struct cg_doc *doc, struct chains *chains)
{
	static const struct cg_field fields[] = {
		{ .name = "callchain",
		    .type = CG_FIELD_CALL,
		    .take = take_chain },
		{ .name = "cost", .type = CG_FIELD_CALL, .take = take_values },
		{ 0 },
	};
	uint64_t *sum;
	uint32_t at = 0;

	chains->chain_len = chains->values = 0;
	if (!cg_doc_fields(doc, fields, chains))
		return false;
	if (chains->chain_len == 0)
		return cg_doc_fail(doc, "a call chain");
	if (chains->values == 0)
		return cg_doc_fail(doc, "a cost");
	if (chains->nodes == 0) {
		chains->width = chains->values;
		if (!new_node(doc, chains, (struct node){ 0 }))
			return false;
	}
	if (chains->values != chains->width)
		return cg_doc_fail(doc, "as many costs as the first event has");
	while (chains->chain_len > 0)
		if (!step(doc, chains, &at, chains->chain[--chains->chain_len]))
			return false;
	sum = chains->sum + at * chains->width;
	for (size_t i = 0; i < chains->width; i++)
		if (__builtin_add_overflow(sum[i], chains->value[i], &sum[i]))
			return cg_doc_fail(
			    doc, "costs whose sum fits in 64 bits");
	chains->samples[at]++;
	return true;
}

static bool
take_events(struct cg_doc *doc, void *into)
{
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc))
		if (!take_event(doc, into))
			return false;
	return doc->status == CG_OK;
}

/* ---- Into the graph ------------------------------------------------------ */

/* The event's name is the description with '_' for blanks. */
static bool
add_event(struct cg_doc *doc, const struct cost *cost)
{
	struct cg_slice text = cg_get_name(doc->build, cost->description);
	bool good;
	char *name = malloc(text.len + sizeof("cost"));
	struct cg_event event = { .name = name,
		.unit = cg_get_name(doc->build, cost->unit).ptr };

	if (!name)
		return cg_reject_nomem(doc->job);
	if (text.len == 0)
		text = cg_slice("cost");
	else
		event.long_name = text.ptr;
	memcpy(name, text.ptr, text.len);
	name[text.len] = '\0';
	for (char *at = name; *at; at++)
		if ((unsigned char)*at <= ' ')
			*at = '_';
	good = cg_add_column(doc->build, &event);
	free(name);
	return good || cg_doc_fail(doc, "costs of different names");
}

static bool
add_functions(struct cg_doc *doc, struct chains *chains)
{
	chains->fn = calloc(chains->functions + 1, sizeof(*chains->fn));
	if (!chains->fn)
		return cg_reject_nomem(doc->job);
	for (size_t i = 0; i < chains->functions; i++) {
		const struct function *function = &chains->function[i];
		cg_object module = cg_add_object(
		    doc->build, cg_get_name(doc->build, function->module));

		chains->fn[i] =
		    cg_add_fn_named(doc->build, function->name, 0, module);
	}
	return true;
}

static void
add_chains(struct cg_doc *doc, struct chains *chains)
{
	const struct cg_pos nowhere = { 0 };

	if (chains->nodes > 0 && chains->costs != chains->width) {
		(void)cg_doc_fail(doc, "costs with a description for each "
				       "cost of an event");
		return;
	}
	for (size_t i = 0; i < chains->costs; i++)
		if (!add_event(doc, &chains->cost[i]))
			return;
	if (!add_functions(doc, chains))
		return;
	/* Parents precede their children. */
	for (size_t i = 0; i < chains->nodes; i++) {
		struct node *node = &chains->node[i];

		if (i > 0 && node->function >= chains->functions) {
			(void)cg_doc_fail(doc, "functions for all indexes in "
					       "call chains");
			return;
		}
		if (i > 0)
			node->node = cg_add_frame(doc->build,
			    chains->node[node->parent].node,
			    chains->fn[node->function], &nowhere, false);
		if (chains->samples[i] > 0)
			cg_add_stack(doc->build, node->node, chains->samples[i],
			    cg_columns_of(
				doc->build, chains->sum + i * chains->width),
			    cg_columns_width(doc->build));
	}
}

static const struct cg_field fields[] = {
	{ .name = "version",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct chains, version) },
	{ .name = "costs", .type = CG_FIELD_CALL, .take = take_costs },
	{ .name = "functions", .type = CG_FIELD_CALL, .take = take_functions },
	{ .name = "events", .type = CG_FIELD_CALL, .take = take_events },
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
	free(chains.cost);
	free(chains.function);
	free(chains.fn);
	free(chains.node);
	free(chains.sum);
	free(chains.samples);
	free(chains.chain);
	free(chains.value);
	cg_map_free(&chains.node_ids);
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
