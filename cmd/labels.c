/*
 * labels.c - what samples are labelled with: the labels of a profile, and
 * whether those of two cost the same.
 */
#include <stdlib.h>

#include "cmd.h"

/* ---- The labels that there are ------------------------------------------- */

static int
compare_labels(const struct cg_label *a, const struct cg_label *b)
{
	int order = cg_compare(a->key, b->key);

	if (order == 0)
		order = cg_compare(a->value, b->value);
	if (order == 0)
		order = (a->number > b->number) - (a->number < b->number);
	return order != 0 ? order : cg_compare(a->unit, b->unit);
}

static int
compare_labelled(const void *pa, const void *pb)
{
	const struct labelled *a = pa, *b = pb;
	int order = compare_labels(&a->label, &b->label);

	if (order == 0)
		order = a->side - b->side;
	return order != 0 ? order : (a->set > b->set) - (a->set < b->set);
}

static bool
append_set(struct labels *labels, const struct cg_graph *graph, int side,
    cg_labels set)
{
	struct labelled *to;

	for (size_t i = 0;; i++) {
		if (!cg_grow_raw(&labels->of, &labels->cap, labels->count + 1,
			sizeof(*labels->of)))
			return false;
		to = &labels->of[labels->count];
		to->side = side;
		to->set = set;
		if (!cg_get_label(graph, set, i, &to->label))
			return true;
		labels->count++;
	}
}

bool
list_labels(struct labels *labels, const struct cg_graph *graph, int side)
{
	for (cg_labels set = 1; set <= cg_labels_count(graph); set++) {
		if (!append_set(labels, graph, side, set))
			return false;
	}
	if (labels->count > 0)
		qsort(labels->of, labels->count, sizeof(*labels->of),
		    compare_labelled);
	return true;
}

bool
next_label_key(const struct labels *labels, size_t *i, struct cg_slice *key,
    size_t *values)
{
	const struct labelled *at = labels->of + *i;
	const struct labelled *end = labels->of + labels->count;

	if (*i >= labels->count)
		return false;
	*key = at->label.key;
	for (*values = 1; ++at < end && cg_compare(at->label.key, *key) == 0;)
		*values += compare_labels(&at[-1].label, &at->label) != 0;
	*i = (size_t)(at - labels->of);
	return true;
}

void
print_labels(const struct labels *labels)
{
	const char *before = "Labels    ";
	struct cg_slice key;
	size_t values;

	for (size_t i = 0; next_label_key(labels, &i, &key, &values);) {
		fputs(before, stdout);
		put_safe(stdout, key);
		printf(" (%zu value%s)", values, values == 1 ? "" : "s");
		before = ", ";
	}
	if (labels->count > 0)
		putchar('\n');
}

void
put_label(FILE *out, const struct cg_label *label)
{
	char text[CG_NUMBER_MAX + 1];

	put_safe(out, label->key);
	fputc('=', out);
	if (label->value.len > 0) {
		put_safe(out, label->value);
		return;
	}
	*cg_format_i64(text, label->number) = '\0';
	fputs(text, out);
	if (label->unit.len > 0) {
		fputc(' ', out);
		put_safe(out, label->unit);
	}
}

/* ---- What they cost ------------------------------------------------------ */

/* Costs of an event by set of labels; NULL: out of memory. */
static uint64_t *
sum_sets(const struct cg_graph *graph, size_t column)
{
	uint64_t *sum = calloc(cg_labels_count(graph) + 1, sizeof(*sum));
	struct cg_stack_cost stack;

	if (sum == NULL)
		return NULL;
	for (size_t i = 0; cg_next_stack(graph, CG_ALL_PARTS, &i, &stack);) {
		if (column < stack.n)
			sum[stack.labels] += stack.cost[column];
	}
	return sum;
}

static bool
add_difference(struct verify *v, const struct cg_label *label, size_t event,
    const uint64_t value[2])
{
	if (value[0] == value[1])
		return true;
	if (!cg_grow_raw(
		&v->label, &v->label_cap, v->labels + 1, sizeof(*v->label)))
		return false;
	v->label[v->labels++] =
	    (struct label_difference){ *label, event, { value[0], value[1] } };
	return true;
}

/* A sample that has a label twice costs once. */
static bool
match_event(struct verify *v, const struct labels *labels, size_t event,
    uint64_t *const sum[2])
{
	uint64_t value[2] = { 0, 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < labels->count; i++) {
		const struct labelled *at = &labels->of[i];

		if (i > 0 && compare_labels(&at[-1].label, &at->label) != 0) {
			ok = add_difference(v, &at[-1].label, event, value);
			value[0] = value[1] = 0;
		} else if (i > 0 && compare_labelled(&at[-1], at) == 0) {
			continue;
		}
		value[at->side] += sum[at->side][at->set];
	}
	return ok && (labels->count == 0 ||
			 add_difference(v, &labels->of[labels->count - 1].label,
			     event, value));
}

bool
match_labels(struct verify *v)
{
	struct labels labels = { 0 };
	bool ok = true;

	if (!(v->side[0].holds & v->side[1].holds & CG_LABELS))
		return true;
	for (int s = 0; ok && s < 2; s++)
		ok = list_labels(&labels, v->side[s].graph, s);
	for (size_t e = 0; ok && labels.count > 0 && e < v->events; e++) {
		uint64_t *sum[2];

		for (int s = 0; s < 2; s++)
			sum[s] =
			    sum_sets(v->side[s].graph, v->event[e].column[s]);
		ok = sum[0] != NULL && sum[1] != NULL &&
		     match_event(v, &labels, e, sum);
		free(sum[0]);
		free(sum[1]);
	}
	free(labels.of);
	return ok;
}
