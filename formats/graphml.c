/*
 * graphml.c - graphml: the call graph for yEd, Gephi, networkx and others.
 *
 * Source: "The GraphML File Format" (graphml.graphdrawing.org), 1.0. A function
 * is a node, all calls of one function by another are an edge; both have the
 * costs of all events as data, summed over parts. Lines, addresses, jumps and
 * stacks are lost.
 *
 * Members of a cycle have the number of the cycle. The cycle itself is a node
 * without edges. It has an inclusive cost, but no self cost: only its members
 * have self costs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cgconv_parse.h"

struct edge {
	cg_fn callee;
	uint64_t count;
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	const struct cg_sums *sums;
	struct cg_rows *rows;
	size_t events;
	uint32_t *number; /* of functions, in canonical order */
	/* Edges of the current caller: */
	struct cg_map ids; /* callee -> index + 1 */
	CG_ARRAY(struct edge) edge;
	CG_ARRAY(uint64_t) cost; /* of each edge, of all events */
};

static void
put_key(struct writer *w, const char *id, size_t number, const char *of,
    const char *what, const char *event)
{
	cg_putf(w->out, "  <key id=\"%s", id);
	if (event)
		cg_putu(w->out, number);
	cg_putf(w->out, "\" for=\"%s\" attr.name=\"%s", of, what);
	if (event) {
		cg_putc(w->out, ' ');
		cg_put_xml(w->out, cg_slice(event));
	}
	cg_putf(w->out, "\" attr.type=\"%s\"/>\n",
	    event || cg_starts(cg_slice(what), "calls") ||
		    strcmp(what, "line") == 0 || strcmp(what, "cycle") == 0
		? "long"
		: "string");
}

static void
put_keys(struct writer *w)
{
	const char *calls =
	    cg_calls_sampled(w->graph) ? "calls (samples)" : "calls";

	put_key(w, "name", 0, "node", "name", NULL);
	put_key(w, "file", 0, "node", "file", NULL);
	put_key(w, "line", 0, "node", "line", NULL);
	put_key(w, "object", 0, "node", "object", NULL);
	put_key(w, "called", 0, "node", calls, NULL);
	if (cg_cycle_count(w->sums) > 0)
		put_key(w, "cycle", 0, "node", "cycle", NULL);
	put_key(w, "calls", 0, "edge", calls, NULL);
	for (size_t i = 0; i < w->events; i++) {
		const char *name = cg_get_event(w->graph, i)->name;

		put_key(w, "self", i, "node", "self", name);
		put_key(w, "inclusive", i, "node", "inclusive", name);
		put_key(w, "cost", i, "edge", "inclusive", name);
	}
}

#define NUMBER_NONE SIZE_MAX /* the key has no number */

static void
begin_data(struct writer *w, const char *key, size_t number)
{
	cg_puts(w->out, "<data key=\"");
	cg_puts(w->out, key);
	if (number != NUMBER_NONE)
		cg_putu(w->out, number);
	cg_puts(w->out, "\">");
}

static void
put_text(struct writer *w, const char *key, struct cg_slice text)
{
	if (text.len == 0)
		return;
	begin_data(w, key, NUMBER_NONE);
	cg_put_xml(w->out, text);
	cg_puts(w->out, "</data>");
}

static void
put_count(struct writer *w, const char *key, uint64_t count)
{
	begin_data(w, key, NUMBER_NONE);
	cg_putu(w->out, count);
	cg_puts(w->out, "</data>");
}

static void
put_cost(struct writer *w, const char *key, size_t event, uint64_t cost)
{
	char *to;

	if (cost == 0)
		return;
	begin_data(w, key, event);
	to = cg_out_reserve(w->out, CG_NUMBER_MAX);
	cg_out_advance(w->out, cg_get_event(w->graph, event)->is_signed
				   ? cg_format_i64(to, (int64_t)cost)
				   : cg_format_u64(to, cost));
	cg_puts(w->out, "</data>");
}

static void
put_node(struct writer *w, cg_fn fn)
{
	struct cg_range range;

	cg_puts(w->out, "    <node id=\"n");
	cg_putu(w->out, w->number[fn]);
	cg_puts(w->out, "\">");
	cg_fn_range(w->graph, fn, &range);
	put_text(w, "name",
	    fn ? cg_fn_name(w->graph, fn) : cg_slice("<spontaneous>"));
	put_text(w, "file", cg_file_path(w->graph, cg_fn_file(w->graph, fn)));
	if (range.first != 0)
		put_count(w, "line", range.first);
	put_text(
	    w, "object", cg_object_path(w->graph, cg_fn_object(w->graph, fn)));
	put_count(w, "called", cg_sum_calls_in(w->sums, fn));
	if (cg_sum_cycle(w->sums, fn) != 0)
		put_count(w, "cycle", cg_sum_cycle(w->sums, fn));
	for (size_t i = 0; i < w->events; i++) {
		put_cost(w, "self", i, cg_sum_self(w->sums, fn, i));
		put_cost(w, "inclusive", i, cg_sum_inclusive(w->sums, fn, i));
	}
	cg_puts(w->out, "</node>\n");
}

static void
put_cycle(struct writer *w, uint32_t cycle)
{
	char name[sizeof("<cycle 4294967295>")];

	(void)snprintf(name, sizeof(name), "<cycle %" PRIu32 ">", cycle);
	cg_puts(w->out, "    <node id=\"c");
	cg_putu(w->out, cycle);
	cg_puts(w->out, "\">");
	put_text(w, "name", cg_slice(name));
	put_count(w, "called", cg_cycle_calls_in(w->sums, cycle));
	put_count(w, "cycle", cycle);
	for (size_t i = 0; i < w->events; i++)
		put_cost(
		    w, "inclusive", i, cg_cycle_inclusive(w->sums, cycle, i));
	cg_puts(w->out, "</node>\n");
}

/* ---- Edges --------------------------------------------------------------- */

/*
 * Adds the count and costs of a call to the edge from the current caller to
 * the callee, which may be new. Sums were checked before: none overflows.
 * False: out of memory (reported).
 */
static bool
add_call(struct writer *w, cg_fn caller, const struct cg_call *call)
{
	uint32_t *index = cg_map_in(w->job, &w->ids, call->callee);
	size_t first;

	if (!index)
		return false;
	if (*index == 0) {
		if (!cg_append(w->job, &w->edge,
			(struct edge){ .callee = call->callee }) ||
		    !cg_resize(w->job, &w->cost, w->edge.n * w->events))
			return false;
		*index = (uint32_t)w->edge.n;
	}
	w->edge.at[*index - 1].count += call->count;
	first = (*index - 1) * w->events;
	for (size_t i = 0; i < w->events; i++)
		w->cost.at[first + i] += cg_sum_call(w->sums, caller, call, i);
	return true;
}

static void
put_edges(struct writer *w, cg_fn caller)
{
	struct cg_call call;
	bool good = cg_rows_open(w->rows, CG_ALL_PARTS, caller);

	w->edge.n = w->cost.n = 0;
	cg_map_clear(&w->ids);
	while (good && cg_next_call(w->rows, &call))
		good = add_call(w, caller, &call);
	for (size_t i = 0; good && i < w->edge.n; i++) {
		const struct edge *edge = &w->edge.at[i];

		cg_puts(w->out, "    <edge source=\"n");
		cg_putu(w->out, w->number[caller]);
		cg_puts(w->out, "\" target=\"n");
		cg_putu(w->out, w->number[edge->callee]);
		cg_puts(w->out, "\">");
		put_count(w, "calls", edge->count);
		for (size_t k = 0; k < w->events; k++)
			put_cost(w, "cost", k, w->cost.at[i * w->events + k]);
		cg_puts(w->out, "</edge>\n");
	}
}

static void
put_graph(struct writer *w)
{
	cg_fn fn = 0;
	size_t i = 0;
	bool spontaneous =
	    cg_next_fn(w->graph, CG_ALL_PARTS, &i, &fn) && fn == 0;

	for (i = 0; i <= cg_fn_count(w->graph); i++)
		w->number[cg_fn_ranked(w->graph, i)] = (uint32_t)i;
	for (i = 0; i <= cg_fn_count(w->graph); i++) {
		fn = cg_fn_ranked(w->graph, i);
		if (fn != 0 || spontaneous)
			put_node(w, fn);
	}
	for (i = 1; i <= cg_cycle_count(w->sums); i++)
		put_cycle(w, (uint32_t)i);
	for (i = 0; cg_next_fn(w->graph, CG_ALL_PARTS, &i, &fn);)
		put_edges(w, fn);
}

static int
write_graphml(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct cg_sums *sums = cg_sums_new(graph, CG_ALL_PARTS, true);
	struct writer w = { .job = job,
		.graph = graph,
		.out = out,
		.sums = sums,
		.rows = cg_rows_new(graph),
		.events = cg_event_count(graph) };

	w.number = cg_alloc(job, (cg_fn_count(graph) + 1) * sizeof(*w.number));
	if (sums && w.rows && w.number) {
		cg_puts(out,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<graphml "
		    "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
		put_keys(&w);
		cg_puts(out, "  <graph edgedefault=\"directed\">\n");
		put_graph(&w);
		cg_puts(out, "  </graph>\n</graphml>\n");
	}
	cg_rows_free(w.rows);
	cg_sums_free(sums);
	return cg_out_status(out);
}

const struct cg_module cg_format_graphml = {
	CG_MODULE,
	.name = "graphml",
	.title = "the call graph for yEd, Gephi, networkx",
	.text = true,
	.suffixes = "graphml",
	.carries = CG_SELF | CG_CALLS | CG_INCL | CG_EVENTS | CG_SIGNED |
		   CG_FILES | CG_OBJECTS | CG_DEFINITIONS | CG_SAMPLES,
	.needs = CG_INCL,
	.write = write_graphml,
};
