/*
 * put.c - shared by writers of reports: functions, and arrays by line.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coverage_json.h"

/*
 * Orders functions for qsort(): by line, then by name, then by position in the
 * list. merge_names() needs functions with the same line and name next to each
 * other.
 */
static int
compare_names(const void *pa, const void *pb)
{
	const struct coverage_json_merged *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	if (a->fn->first != b->fn->first)
		return a->fn->first < b->fn->first ? -1 : 1;
	return order != 0 ? order : (a->fn > b->fn) - (a->fn < b->fn);
}

static int
compare_places(const void *pa, const void *pb)
{
	const struct coverage_json_merged *a = pa, *b = pb;

	return (a->fn > b->fn) - (a->fn < b->fn);
}

/*
 * Merges functions of a sorted list with the same name and line. Adds their
 * counts to the first of them, at most UINT64_MAX. Removes the others from the
 * list, and frees their names. Returns the number of functions that remain.
 */
static size_t
merge_names(struct coverage_json_merged *list, size_t n)
{
	size_t to = 0;

	for (size_t i = 1; i < n; i++) {
		uint64_t *count = &list[to].count;

		if (list[to].fn->first != list[i].fn->first ||
		    strcmp(list[to].name, list[i].name) != 0) {
			list[++to] = list[i];
			continue;
		}
		if (__builtin_add_overflow(*count, list[i].count, count))
			*count = UINT64_MAX;
		free(list[i].name);
	}
	return n > 0 ? to + 1 : 0;
}

void
coverage_json_free_fns(struct coverage_json_fns *list)
{
	while (list->n > 0)
		free(list->at[--list->n].name);
}

bool
coverage_json_list_fns(struct coverage_json_fns *list, struct cg_report *r)
{
	const struct cg_merged_fn *fn;
	struct coverage_json_merged *to;
	size_t n;

	coverage_json_free_fns(list);
	if (!cg_merged_fns(r->lines, r->event, &fn, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		to = cg_push(r->job, list);
		if (!to)
			return false;
		*to =
		    (struct coverage_json_merged){ cg_demangle_copy(fn[i].name),
			    &fn[i], fn[i].count };
		if (!to->name)
			return cg_reject_nomem(r->job);
	}
	if (n > 1)
		qsort(list->at, n, sizeof(*to), compare_names);
	list->n = merge_names(list->at, n);
	if (list->n > 1)
		qsort(list->at, list->n, sizeof(*to), compare_places);
	return true;
}

/*
 * Limits of lines without code: the size of the largest source files, plus
 * more for each line with code.
 */
#define GAPS_FREE (1u << 20)
#define GAPS_PER_LINE 1000

bool
coverage_json_put_gap(struct cg_report *r, struct coverage_json_gaps *gaps,
    uint32_t line, const char *item)
{
	if (gaps->next > 1)
		cg_putc(r->out, ',');
	gaps->gaps += line - gaps->next;
	gaps->lines++;
	if (gaps->gaps > GAPS_FREE + gaps->lines * GAPS_PER_LINE) {
		return cg_reject(r->job,
		    "expected line numbers of sources, not %" PRIu32
		    ": the target has an item for each line",
		    line);
	}
	for (; gaps->next < line; gaps->next++)
		cg_puts(r->out, item);
	gaps->next++;
	return true;
}
