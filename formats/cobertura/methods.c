/*
 * methods.c - writes the functions of a file, with their lines.
 */
#include <stdlib.h>

#include "write.h"

static int
compare_lines(const void *pa, const void *pb)
{
	const struct method_line *a = pa, *b = pb;

	if (a->fn != b->fn)
		return a->fn < b->fn ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static int
compare_methods(const void *pa, const void *pb)
{
	const struct method *a = pa, *b = pb;
	int order = (a->first > b->first) - (a->first < b->first);

	if (order == 0)
		order = cg_compare(a->name, b->name);
	return order ? order : cg_compare(a->symbol, b->symbol);
}

/* The lines of the file's own functions, by function. */
static bool
list_lines(struct cobertura_writer *w, const cg_fn *fn, size_t fns)
{
	struct cg_line line;

	w->method_lines = 0;
	for (size_t i = 0; i < fns; i++)
		w->is_own[fn[i]] = true;
	while (cg_next_line(w->lines, &line)) {
		if (!w->is_own[line.fn] || line.line == 0 || !line.has_cost)
			continue;
		if (!cg_grow_raw(&w->method_line, &w->line_cap,
			w->method_lines + 1, sizeof(*w->method_line)))
			return false;
		w->method_line[w->method_lines++] =
		    (struct method_line){ line.fn, line.line,
			    cobertura_hits(w,
				w->event < line.n ? line.cost[w->event] : 0) };
	}
	cg_first_line(w->lines);
	for (size_t i = 0; i < fns; i++)
		w->is_own[fn[i]] = false;
	if (w->method_lines > 1)
		qsort(w->method_line, w->method_lines, sizeof(*w->method_line),
		    compare_lines);
	return true;
}

/* Functions that have lines, by the first of them. */
static bool
list_methods(struct cobertura_writer *w)
{
	const struct method_line *line = w->method_line;

	w->method_count = 0;
	for (size_t i = 0, end; i < w->method_lines; i = end) {
		for (end = i + 1;
		     end < w->method_lines && line[end].fn == line[i].fn;)
			end++;
		if (!cg_grow_raw(&w->method, &w->method_cap,
			w->method_count + 1, sizeof(*w->method)))
			return false;
		w->method[w->method_count++] =
		    (struct method){ .name = cg_fn_name(w->graph, line[i].fn),
			    .symbol = cg_fn_symbol(w->graph, line[i].fn),
			    .first = line[i].line,
			    .line = i,
			    .lines = end - i };
	}
	if (w->method_count > 1)
		qsort(w->method, w->method_count, sizeof(*w->method),
		    compare_methods);
	return true;
}

/* What the name does not say of it: Java's "push(I)V" is "push" and "(I)V". */
static struct cg_slice
signature_of(const struct method *method)
{
	struct cg_slice symbol = method->symbol, rest = symbol;

	if (rest.len <= method->name.len)
		return symbol;
	rest.len = method->name.len;
	if (cg_compare(rest, method->name) != 0 || symbol.ptr[rest.len] != '(')
		return symbol;
	return (
	    struct cg_slice){ symbol.ptr + rest.len, symbol.len - rest.len };
}

static void
put_method(struct cobertura_writer *w, const struct method *method)
{
	const struct method_line *line = &w->method_line[method->line];
	struct cobertura_totals sum = { .lines = method->lines };

	for (size_t i = 0; i < method->lines; i++)
		sum.lines_hit += line[i].hits > 0;
	cg_puts(w->out, "<method");
	cobertura_put_attribute(w, "name", method->name);
	cobertura_put_attribute(w, "signature", signature_of(method));
	cobertura_put_rates(w, &sum);
	cg_puts(w->out, " complexity=\"0\"><lines>\n");
	for (size_t i = 0; i < method->lines; i++) {
		cobertura_put_line(w, line[i].line, line[i].hits);
		cg_puts(w->out, "/>\n");
	}
	cg_puts(w->out, "</lines></method>\n");
}

bool
cobertura_put_methods(struct cobertura_writer *w)
{
	const cg_fn *fn;
	size_t fns;

	cg_puts(w->out, "<methods>\n");
	if (w->methods) {
		fns = cg_file_fns(w->lines, &fn);
		if (!list_lines(w, fn, fns) || !list_methods(w))
			return false;
		for (size_t i = 0; i < w->method_count; i++)
			put_method(w, &w->method[i]);
	}
	cg_puts(w->out, "</methods>\n");
	return true;
}
