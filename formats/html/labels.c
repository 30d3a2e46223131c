/*
 * labels.c - labels of samples as columns, and which costs of stacks have them.
 * Rows are spots (spots.c), or frames if there are none:
 *
 *	label_key label_text			by label, by key and value; a
 *						number with its unit
 *	set_labels set_label			by set of labels, from set 1:
 *						how many; their numbers
 *	row_sets				by row: the sets of its costs
 *	row_set					by row and set: the set; 0: no
 *						labels
 *	set_cost set_samples			by row and set, without the
 *						first set of each row: what it
 *						has of the row's costs, samples
 */
#include <stdlib.h>
#include <string.h>

#include "cgconv_parse.h"
#include "html.h"

/* A label of a set. */
struct member {
	struct cg_label label;
	cg_labels set;
	uint32_t number; /* of the label */
};

/* What a row has of a set. */
struct sum {
	uint32_t row, set;
	size_t stack; /* the number of a stack */
};

struct labels {
	struct html_writer *w;
	const uint32_t *row; /* by node */
	size_t rows, stacks, sums;
	struct sum *of; /* by stack, then by sum; sorted */
	size_t *sum_of; /* by stack */
	uint64_t *cost; /* by sum */
	CG_ARRAY(struct member) member;
};

/* ---- Sets ---------------------------------------------------------------- */

static int
compare_by_label(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;
	int order = cg_compare_labels(&a->label, &b->label);

	return order != 0 ? order : (a->set > b->set) - (a->set < b->set);
}

static int
compare_by_set(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;
	int order = (a->set > b->set) - (a->set < b->set);

	return order != 0 ? order
			  : (a->number > b->number) - (a->number < b->number);
}

static bool
list_members(struct labels *l)
{
	const struct cg_graph *graph = l->w->graph;

	for (cg_labels set = 1; set <= cg_labels_count(graph); set++) {
		struct member next = { .set = set };

		for (size_t i = 0; cg_get_label(graph, set, i, &next.label);
		     i++) {
			if (!cg_append(l->w->job, &l->member, next))
				return false;
		}
	}
	return true;
}

/* Adds the text of a label as --label compares it. */
static bool
add_text(struct html_writer *w, struct html_column *text,
    const struct cg_label *label)
{
	char *buffer, *end;

	if (label->value.len > 0)
		return html_add_text(w, text, label->value);
	buffer = cg_alloc(w->job, CG_LABEL_ROOM(label));
	if (!buffer)
		return false;
	end = cg_format_label(buffer, label);
	return html_add_text(
	    w, text, (struct cg_slice){ buffer, (size_t)(end - buffer) });
}

/* Writes the labels, each once, and numbers them in l->member. */
static bool
put_labels(struct labels *l)
{
	struct html_column key = { .name = "label_key", .type = HTML_TEXT };
	struct html_column text = { .name = "label_text", .type = HTML_TEXT };
	struct member *at = l->member.at;
	uint32_t labels = 0;
	bool ok = true;

	qsort(at, l->member.n, sizeof(*at), compare_by_label);
	for (size_t i = 0; ok && i < l->member.n; i++) {
		if (i == 0 ||
		    cg_compare_labels(&at[i - 1].label, &at[i].label) != 0) {
			ok = html_add_text(l->w, &key, at[i].label.key) &&
			     add_text(l->w, &text, &at[i].label);
			labels++;
		}
		at[i].number = labels - 1;
	}
	html_end(l->w, &key);
	html_end(l->w, &text);
	return ok;
}

static bool
put_sets(struct labels *l)
{
	struct html_column size = { .name = "set_labels", .type = HTML_NUMBER };
	struct html_column label = { .name = "set_label", .type = HTML_DELTA };
	const size_t sets = cg_labels_count(l->w->graph);
	struct member *at = l->member.at;
	size_t next = 0;
	bool ok = true;

	qsort(at, l->member.n, sizeof(*at), compare_by_set);
	for (cg_labels set = 1; ok && set <= sets; set++) {
		const size_t first = next;

		for (; ok && next < l->member.n && at[next].set == set; next++)
			ok = html_add(l->w, &label, at[next].number);
		ok = ok && html_add(l->w, &size, next - first);
	}
	html_end(l->w, &size);
	html_end(l->w, &label);
	return ok;
}

/* ---- Costs --------------------------------------------------------------- */

static int
compare_sums(const void *pa, const void *pb)
{
	const struct sum *a = pa, *b = pb;
	int order = (a->row > b->row) - (a->row < b->row);

	if (order == 0)
		order = (a->set > b->set) - (a->set < b->set);
	return order != 0 ? order
			  : (a->stack > b->stack) - (a->stack < b->stack);
}

/* Finds the sums of the stacks. False: out of memory (reported). */
static bool
find_sums(struct labels *l)
{
	const struct cg_graph *graph = l->w->graph;
	struct cg_stack_cost stack;
	size_t n = 0;

	for (size_t i = 0; cg_next_stack(graph, CG_ALL_PARTS, &i, &stack);)
		l->stacks++;
	l->of = cg_alloc(l->w->job, (l->stacks + 1) * sizeof(*l->of));
	l->sum_of = cg_alloc(l->w->job, (l->stacks + 1) * sizeof(*l->sum_of));
	l->cost = cg_alloc(l->w->job, (l->stacks + 1) * sizeof(*l->cost));
	if (!l->of || !l->sum_of || !l->cost)
		return false;
	for (size_t i = 0; cg_next_stack(graph, CG_ALL_PARTS, &i, &stack); n++)
		l->of[n] = (struct sum){ l->row[stack.leaf], stack.labels, n };
	qsort(l->of, n, sizeof(*l->of), compare_sums);
	for (size_t i = 0; i < n; i++) {
		const struct sum at = l->of[i];

		if (l->sums == 0 || l->of[l->sums - 1].row != at.row ||
		    l->of[l->sums - 1].set != at.set)
			l->of[l->sums++] = at;
		l->sum_of[at.stack] = l->sums - 1;
	}
	return true;
}

static bool
put_rows(struct labels *l)
{
	struct html_column sets = { .name = "row_sets", .type = HTML_NUMBER };
	struct html_column set = { .name = "row_set", .type = HTML_NUMBER };
	size_t next = 0;
	bool ok = true;

	for (size_t row = 0; ok && row < l->rows; row++) {
		const size_t first = next;

		for (; ok && next < l->sums && l->of[next].row == row; next++)
			ok = html_add(l->w, &set, l->of[next].set);
		ok = ok && html_add(l->w, &sets, next - first);
	}
	html_end(l->w, &sets);
	html_end(l->w, &set);
	return ok;
}

/*
 * Writes the costs of sums in an event, or their samples if that is the number
 * of events.
 */
static bool
put_costs(struct labels *l, size_t event)
{
	struct html_writer *w = l->w;
	const bool samples = event == w->events;
	struct html_column column = { .name =
					  samples ? "set_samples" : "set_cost",
		.type = samples ? HTML_COST : html_cost_type(w, event) };
	struct cg_stack_cost stack;
	size_t n = 0;
	bool ok = true;

	memset(l->cost, 0, l->sums * sizeof(*l->cost));
	/* Sums of rows, which have more, fit. */
	for (size_t i = 0; cg_next_stack(w->graph, CG_ALL_PARTS, &i, &stack);
	     n++)
		l->cost[l->sum_of[n]] += samples           ? stack.samples
					 : event < stack.n ? stack.cost[event]
							   : 0;
	for (size_t i = 1; ok && i < l->sums; i++) {
		if (l->of[i].row == l->of[i - 1].row)
			ok = html_add(w, &column, l->cost[i]);
	}
	html_end_at(w, &column, samples ? 0 : event);
	return ok;
}

bool
html_put_labels(
    struct html_writer *w, const uint32_t *row, size_t rows, bool samples)
{
	struct labels l = { .w = w, .row = row, .rows = rows };
	bool ok;

	if (cg_labels_count(w->graph) == 0)
		return true;
	ok = list_members(&l) && put_labels(&l) && put_sets(&l) &&
	     find_sums(&l) && put_rows(&l);
	for (size_t e = 0; ok && e < w->events + samples; e++)
		ok = put_costs(&l, e);
	return ok;
}
