/*
 * labels.c - collects the labels of samples, and prints them.
 */
#include <stdlib.h>

#include "cmd.h"

int
compare_labels(const struct cg_label *a, const struct cg_label *b)
{
	int order = cg_compare(a->key, b->key);

	if (order == 0)
		order = cg_compare(a->value, b->value);
	if (order == 0)
		order = (a->number > b->number) - (a->number < b->number);
	return order != 0 ? order : cg_compare(a->unit, b->unit);
}

int
compare_labelled(const void *pa, const void *pb)
{
	const struct labelled *a = pa, *b = pb;
	int order = compare_labels(&a->label, &b->label);

	if (order == 0)
		order = a->profile - b->profile;
	return order != 0 ? order : (a->set > b->set) - (a->set < b->set);
}

static bool
append_set(struct labels *labels, const struct cg_graph *graph, int profile,
    cg_labels set)
{
	struct labelled *to;

	for (size_t i = 0;; i++) {
		if (!cg_grow_raw(&labels->of, &labels->cap, labels->count + 1,
			sizeof(*labels->of)))
			return false;
		to = &labels->of[labels->count];
		to->profile = profile;
		to->set = set;
		if (!cg_get_label(graph, set, i, &to->label))
			return true;
		labels->count++;
	}
}

bool
list_labels(struct labels *labels, const struct cg_graph *graph, int profile)
{
	for (cg_labels set = 1; set <= cg_labels_count(graph); set++) {
		if (!append_set(labels, graph, profile, set))
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
	const struct labelled *at, *end;

	if (*i >= labels->count)
		return false;
	at = labels->of + *i;
	end = labels->of + labels->count;
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
