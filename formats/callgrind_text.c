/*
 * callgrind_text.c - names as they are written.
 *
 * Twins are functions of one name in one file and object, which only
 * linkers tell apart: the two constructors that C++ makes of one. To
 * KCachegrind they would be one function, so their linkage names are written
 * behind.
 */
#include <stdlib.h>

#include "callgrind_write.h"

/* A line break in a name would begin a line, a NUL hangs KCachegrind. */
void
cg_callgrind_put_text(struct writer *w, struct cg_slice text)
{
	size_t from = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c != '\n' && c != '\r' && c != '\0')
			continue;
		cg_put(w->out, (struct cg_slice){ text.ptr + from, i - from });
		cg_puts(w->out, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\0");
		from = i + 1;
		cg_warn(w->job, "line breaks and NULs in names are written "
				"as \\n, \\r and \\0");
	}
	cg_put(w->out, (struct cg_slice){ text.ptr + from, text.len - from });
}

static bool
are_twins(const struct cg_graph *graph, cg_fn a, cg_fn b)
{
	return cg_fn_object(graph, a) == cg_fn_object(graph, b) &&
	       cg_fn_file(graph, a) == cg_fn_file(graph, b) &&
	       cg_compare(cg_fn_name(graph, a), cg_fn_name(graph, b)) == 0;
}

/* In canonical order twins stand side by side. */
bool
cg_callgrind_find_twins(struct writer *w)
{
	size_t fns = cg_fn_count(w->graph);
	cg_fn before = 0, fn;

	w->twin = calloc(fns + 1, sizeof(*w->twin));
	if (!w->twin)
		return false;
	for (size_t rank = 0; rank <= fns; rank++, before = fn) {
		fn = cg_fn_ranked(w->graph, rank);
		if (rank > 0 && fn != 0 && before != 0 &&
		    are_twins(w->graph, before, fn))
			w->twin[before] = w->twin[fn] = true;
	}
	return true;
}

struct cg_slice
cg_callgrind_twin(const struct writer *w, cg_fn fn)
{
	if (w->twin[fn])
		return cg_fn_symbol(w->graph, fn);
	return (struct cg_slice){ "", 0 };
}
