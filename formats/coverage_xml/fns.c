/*
 * fns.c - shared by the writers of coverage: the functions of a file, and
 * attributes of XML.
 */
#include <stdlib.h>

#include "coverage_xml.h"

static int
compare_keys(const void *pa, const void *pb)
{
	const struct coverage_xml_fn *a = pa, *b = pb;

	return cg_compare(a->key, b->key);
}

struct coverage_xml_fn *
coverage_xml_find_fn(
    const struct coverage_xml_fns *f, const struct cg_graph *graph, cg_fn fn)
{
	struct coverage_xml_fn wanted = { .key = cg_fn_key(graph, fn) };

	if (f->fn.n == 0)
		return NULL;
	return bsearch(
	    &wanted, f->fn.at, f->fn.n, sizeof(wanted), compare_keys);
}

bool
coverage_xml_list_fns(struct coverage_xml_fns *f, const struct cg_report *r)
{
	const struct cg_merged_fn *merged;
	struct coverage_xml_fn *found;
	const cg_fn *fn;
	size_t n;

	f->fn.n = 0;
	if (!cg_merged_fns(r->lines, r->event, &merged, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct coverage_xml_fn one = { .key = merged[i].name,
			.first = merged[i].first,
			.count = merged[i].count };

		if (!cg_append(r->job, &f->fn, one))
			return false;
	}
	if (f->fn.n > 1)
		qsort(f->fn.at, f->fn.n, sizeof(*f->fn.at), compare_keys);
	n = cg_file_fns(r->lines, &fn);
	for (size_t i = n; i-- > 0;) {
		found = coverage_xml_find_fn(f, r->graph, fn[i]);
		if (found)
			found->name = cg_fn_name(r->graph, fn[i]);
	}
	return true;
}

/* ---- XML ---------------------------------------------------------------- */

void
coverage_xml_put_number(struct cg_out *out, const char *name, uint64_t value)
{
	cg_putc(out, ' ');
	cg_puts(out, name);
	cg_puts(out, "=\"");
	cg_putu(out, value);
	cg_putc(out, '"');
}
