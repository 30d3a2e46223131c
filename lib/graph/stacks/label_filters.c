/*
 * label_filters.c - keeps samples by their labels (--label, --no-label).
 *
 * Moments of a timeline have no labels, and --part-by and targets without
 * labels drop some labels. So samples are filtered while a reader adds them.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"

struct cg_label_filters {
	struct cg_label_filter {
		struct cg_slice key;
		regex_t expression;
		bool keeps; /* --label; false: --no-label */
	} * of;
	size_t count, cap;
	bool keeps; /* one of the filters is --label */
};

/* ---- Options ------------------------------------------------------------- */

void
cg_label_filters_free(struct cg_label_filters *filters)
{
	for (size_t i = 0; filters && i < filters->count; i++)
		regfree(&filters->of[i].expression);
	if (filters)
		free(filters->of);
	free(filters);
}

enum cg_label_filter_error
cg_label_filters_add(struct cg_label_filters **to, const char *text, bool keeps,
    char *why, size_t size)
{
	size_t len = strcspn(text, "=");
	struct cg_label_filters *filters;
	struct cg_label_filter *filter;
	int error;

	if (len == 0 || text[len] == '\0')
		return CG_LABEL_FILTER_FORM;
	if (!*to)
		*to = calloc(1, sizeof(**to));
	filters = *to;
	if (!filters || !cg_grow(&filters->of, &filters->cap,
			    filters->count + 1, sizeof(*filters->of)))
		return CG_LABEL_FILTER_NOMEM;
	filter = &filters->of[filters->count];
	error = regcomp(
	    &filter->expression, text + len + 1, REG_EXTENDED | REG_NOSUB);
	if (error != 0) {
		(void)regerror(error, &filter->expression, why, size);
		return error == REG_ESPACE ? CG_LABEL_FILTER_NOMEM
					   : CG_LABEL_FILTER_BAD;
	}
	filter->key = (struct cg_slice){ text, len };
	filter->keeps = keeps;
	filters->keeps |= keeps;
	filters->count++;
	return CG_LABEL_FILTER_OK;
}

/* ---- Samples ------------------------------------------------------------- */

static bool
has_key(const struct cg_label *label, struct cg_slice key)
{
	return cg_compare(label->key, key) == 0;
}

/*
 * True if one of the n labels has the filter's key, and a value that the
 * filter's regular expression matches.
 */
static bool
matches(struct cg_build *build, const struct cg_label_filter *filter,
    const struct cg_label *label, size_t n)
{
	bool found = false;

	for (size_t i = 0; !found && i < n; i++)
		found = has_key(&label[i], filter->key) &&
			regexec(&filter->expression,
			    cg_label_text(build, &label[i]), 0, NULL, 0) == 0;
	return found;
}

static void
note_keys(struct cg_build *build, const struct cg_label *label, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		cg_str key = cg_add_name(build, label[i].key);
		uint32_t *seen = cg_map_at(&build->label_keys, key);

		if (seen)
			*seen = 1;
		else
			cg_build_nomem(build);
	}
}

void
cg_filter_labels(struct cg_build *build, const struct cg_label *label, size_t n)
{
	const struct cg_label_filters *filters = build->label_filters;

	build->drops = false;
	if (!filters)
		return;
	note_keys(build, label, n);
	for (size_t i = 0; !build->drops && i < filters->count; i++)
		build->drops = matches(build, &filters->of[i], label, n) !=
			       filters->of[i].keeps;
}

void
cg_filter_unlabelled(struct cg_build *build)
{
	build->drops = build->label_filters && build->label_filters->keeps;
}

/* ---- The end ------------------------------------------------------------- */

#define KEYS_LISTED 8

/*
 * Lists the keys that the labels of samples have, for a warning; returns their
 * number, at most KEYS_LISTED + 1, which means that there are more.
 */
static size_t
list_seen(const struct cg_build *build, cg_str key[KEYS_LISTED + 1])
{
	const struct cg_strs *strs = &build->graph->strs;
	size_t keys = 0;

	for (cg_str i = 0; i < strs->count && keys <= KEYS_LISTED; i++)
		if (cg_map_get(&build->label_keys, i) != 0)
			key[keys++] = i;
	return keys;
}

/*
 * Warns of each filter (--label, --no-label) whose key no sample has, most
 * likely a typing error; labels is the text that lists the keys of the
 * samples.
 */
static void
tell_missing(const struct cg_build *build, const struct cg_label_filters *from,
    const char *labels)
{
	const struct cg_graph *graph = build->graph;

	for (size_t i = 0; i < from->count; i++) {
		const struct cg_label_filter *filter = &from->of[i];
		cg_str key = cg_strs_find(&graph->strs, filter->key);

		if (key != CG_STR_NONE &&
		    cg_map_get(&build->label_keys, key) != 0)
			continue;
		cg_diag_say(graph->diag, CG_WARNING, NULL,
		    "no sample has label '%.*s' of {%s}; their labels are: %s",
		    (int)filter->key.len, filter->key.ptr,
		    filter->keeps ? "label" : "no-label", labels);
	}
}

/*
 * Reports for each unsigned event the percentage of its costs that the filters
 * by label keep. Skips events of which the filters dropped no cost.
 */
static void
tell_share(const struct cg_build *build)
{
	const struct cg_graph *graph = build->graph;

	for (size_t i = 0; i < graph->events && i < build->dropped_cap; i++) {
		double kept = 0;

		if (graph->event[i].is_signed || build->dropped[i] == 0)
			continue;
		for (cg_part part = 0; part < graph->parts; part++)
			if (i < graph->part[part].totals)
				kept += (double)graph->part[part].total[i];
		cg_diag_say(graph->diag, CG_NOTE, NULL,
		    "the filters by label keep %.2f %% of %s",
		    100.0 * kept / (kept + build->dropped[i]),
		    graph->event[i].name);
	}
}

int
cg_label_filters_end(struct cg_build *build, bool strict)
{
	const struct cg_label_filters *filters = build->label_filters;
	const struct cg_graph *graph = build->graph;
	char text[CG_KEYS_ROOM(KEYS_LISTED)];
	cg_str key[KEYS_LISTED + 1];
	size_t keys;

	if (!filters || build->status != CG_OK)
		return build->status;
	keys = list_seen(build, key);
	if (keys == 0 && (build->drops_costs || (graph->facts & CG_SELF))) {
		cg_diag_say(graph->diag, CG_ERROR, NULL,
		    "{%s} needs labels of samples; the input has none",
		    filters->keeps ? "label" : "no-label");
		return CG_ELOSS;
	}
	if (keys > 0)
		tell_missing(build, filters,
		    cg_list_label_keys(graph, key, keys, KEYS_LISTED, text));
	tell_share(build);
	if (build->untimed_labels)
		cg_diag_say(graph->diag, strict ? CG_ERROR : CG_WARNING, NULL,
		    "{%s} drops the order of time: times in this format have "
		    "no labels",
		    filters->keeps ? "label" : "no-label");
	return build->untimed_labels && strict ? CG_ELOSS : CG_OK;
}
