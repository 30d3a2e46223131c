/*
 * functions.c - writes the functions of a source file, in the way of lcov 1
 * (FN, FNDA) or of lcov 2 (FNL, FNA).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "write.h"

static int
compare_names(const void *pa, const void *pb)
{
	const struct lcov_entry *a = pa, *b = pb;

	return cg_compare(a->name, b->name);
}

static int
compare_places(const void *pa, const void *pb)
{
	const struct lcov_entry *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	return cg_compare(a->name, b->name);
}

/* Where entries are not known, a function with a cost has run once. */
static void
find_running(struct lcov_writer *w)
{
	struct cg_line line;
	uint64_t count;

	while (cg_next_line(w->lines, &line)) {
		if (line.n > w->event && line.cost[w->event] != 0 &&
		    !cg_fn_entries(w->lines, line.fn, &count))
			w->ran[line.fn] = true;
	}
	cg_first_line(w->lines);
}

static bool
add_fn(struct lcov_writer *w, cg_fn id)
{
	struct cg_slice symbol = cg_fn_symbol(w->graph, id);
	struct cg_range range;
	struct lcov_entry *fn;

	if (!cg_grow_raw(&w->entry, &w->entry_cap, w->entries + 1, sizeof(*fn)))
		return false;
	fn = &w->entry[w->entries++];
	cg_fn_range(w->graph, id, &range);
	*fn = (struct lcov_entry){
		.name = symbol.len > 0 ? symbol : cg_fn_name(w->graph, id),
		.first = cg_fn_line(w->lines, id),
		.last = range.last,
	};
	if (!cg_fn_entries(w->lines, id, &fn->count))
		fn->count = w->ran[id];
	return true;
}

/* Functions of one name become one, as for lcov they are. */
static void
join_fns(struct lcov_writer *w)
{
	size_t n = 0;

	if (w->entries > 1)
		qsort(w->entry, w->entries, sizeof(*w->entry), compare_names);
	for (size_t i = 1; i < w->entries; i++) {
		struct lcov_entry *to = &w->entry[n], *fn = &w->entry[i];

		if (cg_compare(to->name, fn->name) != 0) {
			w->entry[++n] = *fn;
			continue;
		}
		if (__builtin_add_overflow(to->count, fn->count, &to->count))
			to->count = UINT64_MAX;
		if (fn->first < to->first)
			to->first = fn->first;
		if (fn->last > to->last)
			to->last = fn->last;
	}
	if (w->entries > 0)
		w->entries = n + 1;
	if (w->entries > 1)
		qsort(w->entry, w->entries, sizeof(*w->entry), compare_places);
}

static bool
list_fns(struct lcov_writer *w)
{
	const cg_fn *fn;
	size_t count = cg_file_fns(w->lines, &fn);

	find_running(w);
	w->entries = 0;
	for (size_t i = 0; i < count; i++) {
		if (cg_fn_line(w->lines, fn[i]) > 0 && !add_fn(w, fn[i]))
			return false;
	}
	join_fns(w);
	return true;
}

static void
put_fn_records(struct lcov_writer *w, const char *tag, bool counts)
{
	for (size_t i = 0; i < w->entries; i++) {
		const struct lcov_entry *fn = &w->entry[i];

		cg_puts(w->out, tag);
		cg_putu(w->out, counts ? fn->count : fn->first);
		cg_putc(w->out, ',');
		(void)cg_put_inline(w->out, fn->name);
		cg_putc(w->out, '\n');
	}
}

/*
 * To lcov 2 functions that begin on one line are one of many names, with one
 * end: it refuses another. The one that ends last comes first.
 */
static void
put_groups(struct lcov_writer *w, uint64_t *found, uint64_t *hit)
{
	bool ran = false;

	for (size_t i = 0; i < w->entries; i++) {
		const struct lcov_entry *fn = &w->entry[i];

		if (i == 0 || fn->first != fn[-1].first) {
			ran = false;
			cg_putf(w->out, "FNL:%" PRIu64 ",%" PRIu32, *found,
			    fn->first);
			if (fn->last > 0)
				cg_putf(w->out, ",%" PRIu32, fn->last);
			cg_putc(w->out, '\n');
			++*found;
		}
		cg_putf(w->out, "FNA:%" PRIu64 ",%" PRIu64 ",", *found - 1,
		    fn->count);
		(void)cg_put_inline(w->out, fn->name);
		cg_putc(w->out, '\n');
		*hit += !ran && fn->count > 0;
		ran |= fn->count > 0;
	}
}

bool
lcov_put_fns(struct lcov_writer *w)
{
	uint64_t found = 0, hit = 0;

	if (!list_fns(w))
		return false;
	if (w->full) {
		put_groups(w, &found, &hit);
	} else {
		put_fn_records(w, "FN:", false);
		put_fn_records(w, "FNDA:", true);
		for (; found < w->entries; found++)
			hit += w->entry[found].count > 0;
	}
	lcov_put_total(w, "FNF:", found);
	lcov_put_total(w, "FNH:", hit);
	return true;
}
