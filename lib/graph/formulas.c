/*
 * formulas.c - inherited events: sums of multiples of other events.
 *
 * Grammar (callgrind format, InheritedExpr), with two additions: a minus, as
 * KCachegrind accepts it, and the number after the name, as people write it:
 *
 *	expression: ["+" | "-"] term (("+" | "-") term)*
 *	term:       [number ["*"]] name | name "*" number
 */
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "graph/graph.h"

void
cg_formulas_free(struct cg_graph *graph)
{
	for (size_t i = 0; i < graph->formulas; i++)
		free(graph->formula[i].factor);
	free(graph->formula);
	graph->formula = NULL;
	graph->formulas = graph->formula_cap = 0;
}

/* A multiple of a column or of another formula. */
struct term {
	bool minus;
	uint64_t number;
	struct cg_slice name;
	uint32_t what; /* column, or event count + formula */
};

/* A formula while it is resolved. */
struct pending {
	struct term *term;
	size_t terms, cap, next; /* next: the first term not added yet */
	bool open, bad;
};

/* Longer texts are rejected. */
#define FORMULA_MAX 65536

/*
 * Takes an event's name from the start of text: all characters up to a blank,
 * an operator or the end. False: there is none.
 */
static bool
take_name(struct cg_slice *text, struct cg_slice *name)
{
	size_t len = 0;

	while (len < text->len && !memchr(" \t+-*", text->ptr[len], 5))
		len++;
	*name = (struct cg_slice){ text->ptr, len };
	text->ptr += len;
	text->len -= len;
	return len > 0;
}

/*
 * Takes a term of a formula from the start of text: "+ 10 L1m" or "- L1m *
 * 10". Without a number it is 1; of two, the last one counts. Only the first
 * term may have no sign. The event's name points into text. False: malformed;
 * text and *term are undefined.
 */
static bool
take_term(struct cg_slice *text, bool first, struct term *term)
{
	bool sign;

	(void)cg_take_blanks(text);
	term->minus = cg_take_char(text, '-');
	sign = term->minus || cg_take_char(text, '+');
	if (!sign && !first)
		return false;
	(void)cg_take_blanks(text);
	term->number = 1;
	if (cg_take_u64(text, &term->number)) {
		(void)cg_take_blanks(text);
		(void)cg_take_char(text, '*');
		(void)cg_take_blanks(text);
	}
	if (!take_name(text, &term->name))
		return false;
	(void)cg_take_blanks(text);
	if (!cg_take_char(text, '*'))
		return true;
	(void)cg_take_blanks(text);
	return cg_take_u64(text, &term->number);
}

/*
 * Maps the names of events (string ids) to numbers + 1. Real events have the
 * numbers from 0 on, inherited ones (formulas) follow. Of equal names the real
 * event counts. False: out of memory.
 */
static bool
index_names(const struct cg_graph *graph, struct cg_map *names)
{
	/*
	 * From the last to the first, so that a real event wins over an
	 * inherited one of the same name.
	 */
	for (size_t i = graph->formulas + graph->events; i-- > 0;) {
		const char *name =
		    i < graph->events
			? graph->event[i].name
			: graph->formula[i - graph->events].event.name;
		uint32_t *at = cg_map_at(
		    names, cg_strs_find(&graph->strs, cg_slice(name)));

		if (!at)
			return false;
		*at = (uint32_t)i + 1;
	}
	return true;
}

/*
 * Splits a formula into terms, and appends them to to->term with their events'
 * numbers, see index_names(). Sets to->bad if the formula is malformed, empty
 * or too long. Also if it has an unknown event, or a number above INT64_MAX.
 * False: out of memory.
 */
static bool
parse(const struct cg_graph *graph, const struct cg_map *names,
    const char *formula, struct pending *to)
{
	struct cg_slice rest = cg_trim(cg_slice(formula));
	struct term term = { 0 };

	to->bad = rest.len == 0 || rest.len > FORMULA_MAX;
	for (bool first = true; !to->bad && rest.len > 0; first = false) {
		uint32_t found;

		to->bad =
		    !take_term(&rest, first, &term) || term.number > INT64_MAX;
		found = to->bad ? 0
				: cg_map_get(names,
				      cg_strs_find(&graph->strs, term.name));
		to->bad |= found == 0;
		if (to->bad)
			break;
		term.what = found - 1;
		if (!cg_grow(&to->term, &to->cap, to->terms + 1, sizeof(term)))
			return false;
		to->term[to->terms++] = term;
	}
	return true;
}

static bool
add_factor(int64_t *to, int64_t factor, int64_t times)
{
	int64_t product;

	return !__builtin_mul_overflow(factor, times, &product) &&
	       !__builtin_add_overflow(*to, product, to);
}

/*
 * Adds a term of a formula to factor[], the formula's factors by real event.
 * If the term names another formula, that must be resolved. False: overflow;
 * factor[] is then changed in part.
 */
static bool
add_term(const struct cg_graph *graph, const struct term *term, int64_t *factor)
{
	int64_t times =
	    term->minus ? -(int64_t)term->number : (int64_t)term->number;
	const int64_t *of;

	if (term->what < graph->events)
		return add_factor(&factor[term->what], 1, times);
	of = graph->formula[term->what - graph->events].factor;
	for (size_t i = 0; i < graph->events; i++) {
		if (!add_factor(&factor[i], of[i], times))
			return false;
	}
	return true;
}

/*
 * Adds further terms of formula i to its factors. Returns the number of an
 * unresolved formula that a term needs. The caller must resolve it and call
 * again. Returns i once formula i is resolved or invalid.
 */
static size_t
advance(struct cg_graph *graph, struct pending *pending, size_t i)
{
	struct pending *p = &pending[i];
	struct cg_formula *formula = &graph->formula[i];

	for (; !p->bad && p->next < p->terms; p->next++) {
		const struct term *term = &p->term[p->next];
		size_t other = term->what - graph->events;

		if (term->what >= graph->events) {
			p->bad = pending[other].open || pending[other].bad;
			if (!p->bad && !graph->formula[other].resolved)
				return other;
		}
		p->bad |= !p->bad && !add_term(graph, term, formula->factor);
	}
	p->open = false;
	formula->resolved = !p->bad;
	return i;
}

/*
 * Resolves formula i to a factor for each real event, after all formulas that
 * it needs. Invalid ones stay unresolved. path[], with room for all formulas,
 * replaces recursion, as inputs may nest formulas deeply.
 */
static void
resolve(struct cg_graph *graph, struct pending *pending, size_t *path, size_t i)
{
	size_t depth = 0, next;

	path[depth++] = i;
	pending[i].open = true;
	while (depth > 0) {
		next = advance(graph, pending, path[depth - 1]);
		if (next == path[depth - 1]) {
			depth--;
			continue;
		}
		path[depth++] = next;
		pending[next].open = true;
	}
}

/*
 * Writes a term of a formula at `to`, such as " + 10 L1m". A factor of 1 is
 * not written. If "first", it is the first term, and has no blank before it,
 * and no plus. Returns the end. The caller reserves the space.
 */
static char *
put_term(char *to, const struct term *term, bool first)
{
	if (!first)
		*to++ = ' ';
	if (!first || term->minus) {
		*to++ = term->minus ? '-' : '+';
		*to++ = ' ';
	}
	if (term->number != 1) {
		to = cg_format_u64(to, term->number);
		*to++ = ' ';
	}
	memcpy(to, term->name.ptr, term->name.len);
	return to + term->name.len;
}

/*
 * Replaces the text of a resolved formula by the form that all formulas get
 * ("10 L1m + Ir"), as inputs may write the same formula differently. False:
 * out of memory.
 */
static bool
rewrite(struct cg_graph *graph, struct cg_formula *formula,
    const struct pending *pending)
{
	size_t size = 1;
	char *text, *to;
	cg_str kept;

	for (size_t i = 0; i < pending->terms; i++)
		size += pending->term[i].name.len + CG_NUMBER_MAX + 4;
	to = text = malloc(size);
	if (!text)
		return false;
	for (size_t i = 0; i < pending->terms; i++)
		to = put_term(to, &pending->term[i], i == 0);
	kept = cg_strs_add(
	    &graph->strs, (struct cg_slice){ text, (size_t)(to - text) });
	free(text);
	formula->event.formula = cg_strs_get(&graph->strs, kept).ptr;
	return kept != CG_STR_NONE;
}

/*
 * Adds a missing long name or unit to a real event, from an inherited event of
 * the same name. Callgrind's "event: Ir : Instructions" is such. False: it has
 * a formula, or there is no such real event.
 */
static bool
describe_event(struct cg_graph *graph, const struct cg_map *names,
    const struct cg_event *from)
{
	uint32_t found =
	    cg_map_get(names, cg_strs_find(&graph->strs, cg_slice(from->name)));
	struct cg_event *event;

	if (found == 0 || found > graph->events || *from->formula)
		return false;
	event = &graph->event[found - 1];
	if (!*event->long_name)
		event->long_name = from->long_name;
	if (!*event->unit)
		event->unit = from->unit;
	return true;
}

/*
 * Removes the formulas that are not resolved, with a warning for each. Those
 * that only describe a real event are used for that, without a warning. names:
 * see index_names().
 */
static void
drop_bad(struct cg_graph *graph, const struct cg_map *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < graph->formulas; i++) {
		struct cg_formula *formula = &graph->formula[i];

		if (formula->resolved) {
			graph->formula[kept++] = *formula;
			continue;
		}
		if (!describe_event(graph, names, &formula->event))
			cg_diag_say(graph->diag, CG_WARNING, NULL,
			    "inherited event %s dropped: cannot evaluate "
			    "'%s'",
			    formula->event.name, formula->event.formula);
		free(formula->factor);
	}
	graph->formulas = kept;
}

/*
 * True if a real event (a column of costs) has the name. names maps names to
 * events. An inherited event of that name is dropped by the caller, as stored
 * costs take precedence over a formula.
 */
static bool
is_real(
    const struct cg_graph *graph, const struct cg_map *names, const char *name)
{
	uint32_t found =
	    cg_map_get(names, cg_strs_find(&graph->strs, cg_slice(name)));

	return found != 0 && found <= graph->events;
}

static bool
resolve_all(struct cg_graph *graph, const struct cg_map *names,
    struct pending *pending, size_t *path)
{
	bool ok = true;

	for (size_t i = 0; ok && i < graph->formulas; i++) {
		struct cg_formula *formula = &graph->formula[i];

		free(formula->factor);
		formula->factor =
		    calloc(graph->events + 1, sizeof(*formula->factor));
		ok = formula->factor &&
		     parse(graph, names, formula->event.formula, &pending[i]);
		pending[i].bad |= is_real(graph, names, formula->event.name);
	}
	for (size_t i = 0; ok && i < graph->formulas; i++) {
		if (!graph->formula[i].resolved && !pending[i].bad)
			resolve(graph, pending, path, i);
	}
	for (size_t i = 0; ok && i < graph->formulas; i++) {
		if (graph->formula[i].resolved)
			ok = rewrite(graph, &graph->formula[i], &pending[i]);
	}
	if (ok)
		drop_bad(graph, names);
	return ok;
}

int
cg_formulas_resolve(struct cg_graph *graph)
{
	size_t count = graph->formulas;
	struct pending *pending = calloc(count + 1, sizeof(*pending));
	size_t *path = calloc(count + 1, sizeof(*path));
	struct cg_map names = { 0 };
	bool ok = pending && path && index_names(graph, &names) &&
		  resolve_all(graph, &names, pending, path);

	for (size_t i = 0; pending && i < count; i++)
		free(pending[i].term);
	free(pending);
	free(path);
	cg_map_free(&names);
	if (ok)
		return CG_OK;
	cg_graph_nomem(graph);
	return CG_ELIMIT;
}

size_t
cg_formula_count(const struct cg_graph *graph)
{
	return graph->formulas;
}

const struct cg_event *
cg_get_formula(const struct cg_graph *graph, size_t i)
{
	return i < graph->formulas ? &graph->formula[i].event : NULL;
}

bool
cg_eval_formula(const struct cg_graph *graph, size_t i, const uint64_t *cost,
    int64_t *value)
{
	struct cg_wide sum = { 0 };
	const int64_t *factor;

	if (i >= graph->formulas)
		return false;
	factor = graph->formula[i].factor;
	for (size_t c = 0; c < graph->events; c++) {
		/*
		 * This overflows only if both a factor and a cost are near
		 * their limits.
		 */
		if (!cg_wide_add_product(
			&sum, cost[c], graph->event[c].is_signed, factor[c]))
			return false;
	}
	return cg_wide_get_i64(sum, value);
}
