/*
 * owners.c - adds the event, and the functions of a file with their lines.
 */
#include <stdlib.h>

#include "coverage_json.h"

bool
coverage_json_add_event(struct cg_build *build)
{
	return cg_add_column(build, &(struct cg_event){ .name = "Exec",
					.long_name = "Line executions",
					.is_signed = true,
					.incl = CG_INCL_NONE });
}

/*
 * Orders functions for qsort(): by first line, and an outer function before an
 * inner one. Of instances of a template, the one with the highest count is
 * first: it gets the lines.
 */
static int
compare_fns(const void *pa, const void *pb)
{
	const struct coverage_json_fn *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

static cg_fn
add_fn(struct cg_build *build, cg_file file, const struct coverage_json_fn *fn)
{
	if (fn->column > 0)
		return cg_add_fn_at(build, cg_get_name(build, fn->name), file,
		    0, fn->first, fn->column);
	return cg_add_fn_symbol(build, fn->name, file, 0, fn->symbol);
}

static void
add_fns(
    struct cg_build *build, cg_file file, struct coverage_json_fn *fn, size_t n)
{
	const struct cg_pos nowhere = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct cg_range range = { .first = fn[i].first,
			.last = fn[i].last };
		const struct cg_pos entry = { .line = fn[i].first };

		fn[i].fn = add_fn(build, file, &fn[i]);
		cg_set_fn_range(build, fn[i].fn, &range);
		if (fn[i].counted)
			(void)cg_add_call(build, 0, &nowhere, fn[i].fn, &entry,
			    fn[i].count, NULL, 0);
	}
}

bool
coverage_json_open_file(
    struct cg_doc *doc, struct coverage_json_section *section, cg_file file)
{
	struct coverage_json_fn *fn = section->fn.at;
	size_t n = section->fn.n;

	if (n > 1)
		qsort(fn, n, sizeof(*fn), compare_fns);
	if (!cg_resize(doc->job, &section->lines, n))
		return false;
	add_fns(doc->build, file, fn, n);
	for (size_t i = 0; i < n; i++)
		section->lines.at[i] =
		    (struct cg_fn_lines){ fn[i].fn, fn[i].first, fn[i].last };
	return cg_owners_find(doc->job, &section->owners, section->lines.at, n,
	    cg_add_fn(doc->build, cg_slice(""), file, 0));
}
