/*
 * labels.c - collects the labels of samples, and prints them.
 */
#include <stdlib.h>

#include "cmd.h"

int
compare_labelled(const void *pa, const void *pb)
{
	const struct labelled *a = pa, *b = pb;
	int order = cg_compare_labels(&a->label, &b->label);

	if (order == 0)
		order = a->profile - b->profile;
	return order != 0 ? order : (a->set > b->set) - (a->set < b->set);
}

static bool
append_set(struct labels *labels, struct cg_job *job,
    const struct cg_graph *graph, int profile, cg_labels set)
{
	struct labelled next = { .profile = profile, .set = set };

	for (size_t i = 0; cg_get_label(graph, set, i, &next.label); i++) {
		if (!cg_append(job, &labels->of, next))
			return false;
	}
	return true;
}

bool
list_labels(struct labels *labels, struct cg_job *job,
    const struct cg_graph *graph, int profile)
{
	for (cg_labels set = 1; set <= cg_labels_count(graph); set++) {
		if (!append_set(labels, job, graph, profile, set))
			return false;
	}
	if (labels->of.n > 0)
		qsort(labels->of.at, labels->of.n, sizeof(*labels->of.at),
		    compare_labelled);
	return true;
}

bool
next_label_key(const struct labels *labels, size_t *i, struct cg_slice *key,
    size_t *values)
{
	const struct labelled *at, *end;

	if (*i >= labels->of.n)
		return false;
	at = labels->of.at + *i;
	end = labels->of.at + labels->of.n;
	*key = at->label.key;
	for (*values = 1; ++at < end && cg_compare(at->label.key, *key) == 0;)
		*values += cg_compare_labels(&at[-1].label, &at->label) != 0;
	*i = (size_t)(at - labels->of.at);
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
	if (labels->of.n > 0)
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
