/*
 * events.c - inherited events: sums of multiples of others.
 *
 * Grammar (callgrind format, InheritedExpr), with what KCachegrind also
 * takes, a minus, and what people write, the number behind the name:
 *
 *	expression: ["+" | "-"] term (("+" | "-") term)*
 *	term:       [number ["*"]] name | name "*" number
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

void
cg_formulas_free(struct cg_graph *graph)
{
	for (size_t i = 0; i < graph->formulas; i++)
		free(graph->formula[i].factor);
	free(graph->formula);
	graph->formula = NULL;
	graph->formulas = graph->formula_cap = 0;
}

static size_t
find_event(const struct cg_graph *graph, struct cg_slice name)
{
	size_t i = 0;

	while (i < graph->events && !cg_equal(name, graph->event[i].name))
		i++;
	return i;
}

static size_t
find_formula(const struct cg_graph *graph, struct cg_slice name)
{
	size_t i = 0;

	while (i < graph->formulas &&
	    !cg_equal(name, graph->formula[i].event.name))
		i++;
	return i;
}

/* A name: what is neither blank nor an operator. */
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

struct term {
	bool minus;
	uint64_t number;
	struct cg_slice name;
};

/* Takes the next term and the sign before it. */
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

static bool
add_factor(int64_t *to, int64_t factor, int64_t times)
{
	int64_t product;

	return !__builtin_mul_overflow(factor, times, &product) &&
	    !__builtin_add_overflow(*to, product, to);
}

enum outcome { DONE, WAITS, BAD, NO_MEMORY };

/* Adds one term to the factors, if what it names is known by now. */
static enum outcome
add_term(const struct cg_graph *graph, const struct term *term,
    int64_t *factor)
{
	size_t column = find_event(graph, term->name), formula;
	int64_t times;

	if (term->number > INT64_MAX)
		return BAD;
	times = term->minus ? -(int64_t)term->number : (int64_t)term->number;
	if (column < graph->events)
		return add_factor(&factor[column], 1, times) ? DONE : BAD;
	formula = find_formula(graph, term->name);
	if (formula == graph->formulas)
		return BAD;
	if (!graph->formula[formula].resolved)
		return WAITS;
	for (size_t i = 0; i < graph->events; i++) {
		if (!add_factor(&factor[i], graph->formula[formula].factor[i],
		    times))
			return BAD;
	}
	return DONE;
}

/* Appends " + 10 L1m" to the canonical text. */
static char *
put_term(char *to, const struct term *term, bool first)
{
	if (!first || term->minus) {
		if (!first)
			*to++ = ' ';
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

static enum outcome
parse(struct cg_graph *graph, const char *formula, int64_t *factor,
    char *text)
{
	struct cg_slice rest = cg_trim(cg_slice(formula));
	enum outcome outcome = rest.len > 0 ? DONE : BAD;
	struct term term;

	for (bool first = true; outcome == DONE && rest.len > 0;
	    first = false) {
		if (!take_term(&rest, first, &term))
			return BAD;
		outcome = add_term(graph, &term, factor);
		text = put_term(text, &term, first);
	}
	*text = '\0';
	return outcome;
}

static enum outcome
resolve(struct cg_graph *graph, struct cg_formula *formula)
{
	size_t len = strlen(formula->event.formula);
	/* Each byte may at most bring its term's blanks, sign and number. */
	char *text = malloc(len * (CG_NUMBER_MAX + 4) + 1);
	int64_t *factor = calloc(graph->events + 1, sizeof(*factor));
	enum outcome outcome = NO_MEMORY;
	cg_str kept;

	if (text && factor)
		outcome = parse(graph, formula->event.formula, factor, text);
	if (outcome == DONE) {
		kept = cg_strs_add(&graph->strs, cg_slice(text));
		if (kept == CG_STR_NONE)
			outcome = NO_MEMORY;
		formula->event.formula = cg_strs_get(&graph->strs, kept).ptr;
		formula->factor = factor;
		formula->resolved = outcome == DONE;
		factor = NULL;
	}
	free(text);
	free(factor);
	return outcome;
}

/*
 * A description without a formula ("event: Ir : Instructions") may stand
 * before or behind the list of real events: it belongs to one of those.
 */
static bool
describe_event(struct cg_graph *graph, const struct cg_event *from)
{
	size_t column = find_event(graph, cg_slice(from->name));

	if (column == graph->events || *from->formula)
		return false;
	if (!*graph->event[column].long_name)
		graph->event[column].long_name = from->long_name;
	return true;
}

/* Leaves out what could not be resolved, and says so. */
static void
drop_bad(struct cg_graph *graph)
{
	size_t kept = 0;

	for (size_t i = 0; i < graph->formulas; i++) {
		struct cg_formula *formula = &graph->formula[i];

		if (formula->resolved) {
			graph->formula[kept++] = *formula;
			continue;
		}
		if (!describe_event(graph, &formula->event))
			cg_diag_say(graph->diag, CG_WARNING, NULL,
			    "inherited event %s is left out: cannot work out "
			    "'%s'", formula->event.name,
			    formula->event.formula);
		free(formula->factor);
	}
	graph->formulas = kept;
}

int
cg_formulas_resolve(struct cg_graph *graph)
{
	bool progress = true;

	while (progress) {
		progress = false;
		for (size_t i = 0; i < graph->formulas; i++) {
			struct cg_formula *formula = &graph->formula[i];
			enum outcome outcome;

			/* A real event of that name has the numbers. */
			if (formula->resolved || find_event(graph,
			    cg_slice(formula->event.name)) < graph->events)
				continue;
			outcome = resolve(graph, formula);
			if (outcome == NO_MEMORY) {
				cg_graph_nomem(graph);
				return CG_ELIMIT;
			}
			progress |= outcome == DONE;
		}
	}
	drop_bad(graph);
	return CG_OK;
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
	__extension__ __int128 sum = 0;
	const int64_t *factor;

	if (i >= graph->formulas)
		return false;
	factor = graph->formula[i].factor;
	for (size_t c = 0; c < graph->events; c++) {
		__extension__ __int128 term = graph->event[c].is_signed ?
		    (int64_t)cost[c] : (__int128)cost[c];

		/* Only a factor and a cost near their limits overflow this. */
		if (__builtin_add_overflow(sum, term * factor[c], &sum))
			return false;
	}
	if (sum > INT64_MAX || sum < INT64_MIN)
		return false;
	*value = (int64_t)sum;
	return true;
}
