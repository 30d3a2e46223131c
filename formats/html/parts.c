/*
 * parts.c - the costs of each part, if there are several, as columns: what the
 * page sums again when some parts are selected.
 *
 *	share_part share_fn share_self		by part and function
 *	share_states share_inclusive		whether the part's source states
 *						its inclusive cost, and which
 *	share_repeats				samples that its calls count
 *						several times
 *	share_lines share_calls share_instrs share_sites share_jumps
 *						rows of the next columns
 *	part_line part_line_cost		row of lines (rows.c), its cost
 *	part_call part_call_count part_call_cost	the same of calls
 *	part_instr part_instr_cost		... of instructions (instrs.c)
 *	part_site part_site_count part_site_cost	... of their calls
 *	part_jump part_jump_executed part_jump_followed	... of jumps
 *
 * share_states, share_inclusive and share_repeats are missing if no part states
 * inclusive costs.
 */
#include <string.h>

#include "html.h"

/* A row that a kind of columns has. */
struct note {
	uint32_t fn;
	struct html_key key;
};

/* The rows of a kind, grouped by function. */
struct kind {
	CG_ARRAY(struct note) note;
	uint32_t *order; /* rows by function, those of each in their order */
	uint32_t *first; /* by function: its first one in order; one more */
	uint32_t next;   /* where in order the next search begins */
};

enum { PART, FN, STATES, REPEATS, LINES, CALLS, INSTRS, SITES, JUMPS, NUMBERS };
enum { SELF, INCLUSIVE, LINE, CALL, INSTR, SITE, COSTS };
enum { SITE_COUNT, CALL_COUNT, EXECUTED, FOLLOWED, COUNTS };

struct html_parts {
	struct html_writer *w;
	struct kind kind[HTML_KINDS];
	struct html_column share[NUMBERS], row[HTML_KINDS], count[COUNTS];
	struct html_column *cost[COSTS];
	struct cg_rows *lines, *addresses;
	uint64_t *self, *rest; /* by event: of a function, of dropped ones */
	uint64_t *calls_in;    /* by function: as rows of the part count them */
	cg_part *called;       /* by function: the last part with calls, + 1 */
	bool states;           /* some source states inclusive costs */
	cg_part part;
	cg_fn fn;
	bool ok;
};

bool
html_parts_new(struct html_writer *w)
{
	const bool covers = html_coverage_event(w->graph) < w->events;

	/* The parts of coverage are tests. */
	if (cg_part_count(w->graph) < 2 || (covers && w->events == 1))
		return true;
	w->parts = cg_alloc(w->job, sizeof(*w->parts));
	if (!w->parts)
		return false;
	w->parts->w = w;
	w->parts->ok = true;
	return true;
}

bool
html_note(struct html_writer *w, enum html_kind kind, cg_fn fn,
    const struct html_key *key)
{
	return !w->parts || cg_append(w->job, &w->parts->kind[kind].note,
				(struct note){ fn, *key });
}

/* ---- Rows by function ---------------------------------------------------- */

static bool
index_kind(struct html_writer *w, struct kind *kind)
{
	const size_t fns = cg_fn_count(w->graph) + 1, n = kind->note.n;

	kind->order = cg_alloc(w->job, (n + 1) * sizeof(*kind->order));
	kind->first = cg_alloc(w->job, (fns + 2) * sizeof(*kind->first));
	if (!kind->order || !kind->first)
		return false;
	for (size_t i = 0; i < n; i++)
		kind->first[kind->note.at[i].fn + 2]++;
	for (size_t i = 2; i < fns + 2; i++)
		kind->first[i] += kind->first[i - 1];
	for (size_t i = 0; i < n; i++)
		kind->order[kind->first[kind->note.at[i].fn + 1]++] =
		    (uint32_t)i;
	return true;
}

static bool
equal_keys(const struct html_key *a, const struct html_key *b)
{
	return a->addr == b->addr && a->to_addr == b->to_addr &&
	       a->file == b->file && a->line == b->line && a->fn == b->fn &&
	       a->to_file == b->to_file && a->to_line == b->to_line &&
	       a->flag == b->flag;
}

/*
 * Finds the current function's row with the given key. Appends the row's
 * number to the page's array (column) for rows of this kind. The rows of a
 * part are in the same order as all rows. So the search begins after the last
 * row found. False: no such row, or out of memory.
 */
static bool
add_row(struct html_parts *of, enum html_kind which, const struct html_key *key)
{
	struct kind *kind = &of->kind[which];
	uint32_t first = kind->first[of->fn], end = kind->first[of->fn + 1];
	uint32_t at = kind->next;

	for (uint32_t i = first; i < end; i++, at++) {
		if (at < first || at >= end)
			at = first;
		if (!equal_keys(&kind->note.at[kind->order[at]].key, key))
			continue;
		kind->next = at + 1;
		return html_add(of->w, &of->row[which], kind->order[at]);
	}
	return false;
}

/* ---- The rows of a function in a part ------------------------------------ */

static void
add_self(struct html_parts *of, const struct cg_cost *row)
{
	for (size_t i = 0; i < row->n; i++)
		of->self[i] += row->cost[i];
}

static bool
add_lines(struct html_parts *of, bool dropped)
{
	const size_t events = of->w->events;
	struct cg_cost row;

	while (of->ok && cg_next_cost(of->lines, &row)) {
		struct html_key key = { .file = row.pos.file,
			.line = row.pos.line };

		add_self(of, &row);
		if (!dropped && row.pos.line != 0 &&
		    add_row(of, HTML_LINES, &key))
			of->ok = html_add_costs(
			    of->w, of->cost[LINE], row.cost, row.n);
	}
	for (size_t i = 0; i < events && dropped; i++)
		of->rest[i] += of->self[i];
	return of->ok;
}

struct html_key
html_key_of_call(const struct cg_call *call)
{
	return (struct html_key){ .addr = call->site.addr,
		.file = call->site.file,
		.line = call->site.line,
		.fn = call->callee,
		.to_addr = call->entry.addr,
		.to_line = call->entry.line };
}

struct html_key
html_key_of_jump(const struct cg_jump *jump)
{
	return (struct html_key){ .addr = jump->from.addr,
		.file = jump->from.file,
		.line = jump->from.line,
		.fn = jump->target,
		.to_addr = jump->to.addr,
		.to_file = jump->to.file,
		.to_line = jump->to.line,
		.flag = jump->conditional };
}

static void
note_call(struct html_parts *of, const struct cg_call *call)
{
	if (of->called[call->callee] != of->part + 1)
		of->calls_in[call->callee] = 0;
	of->called[call->callee] = of->part + 1;
	of->calls_in[call->callee] += call->count;
}

static bool
add_calls(struct html_parts *of, struct cg_rows *rows, enum html_kind kind)
{
	const bool site = kind == HTML_SITES;
	struct cg_call call;

	while (of->ok && cg_next_call(rows, &call)) {
		struct html_key key = html_key_of_call(&call);

		if (!site && call.callee != of->fn)
			note_call(of, &call);
		if (add_row(of, kind, &key))
			of->ok =
			    html_add(of->w,
				&of->count[site ? SITE_COUNT : CALL_COUNT],
				call.count) &&
			    html_add_costs(of->w, of->cost[site ? SITE : CALL],
				call.cost, call.n);
	}
	return of->ok;
}

static bool
add_code(struct html_parts *of)
{
	struct html_writer *w = of->w;
	struct cg_cost cost;
	struct cg_jump jump;

	if (of->kind[HTML_INSTRS].note.n + of->kind[HTML_SITES].note.n +
		of->kind[HTML_JUMPS].note.n ==
	    0)
		return true;
	if (!cg_rows_open(of->addresses, of->part, of->fn))
		return false;
	while (of->ok && cg_next_cost(of->addresses, &cost)) {
		struct html_key key = { .addr = cost.pos.addr,
			.file = cost.pos.file,
			.line = cost.pos.line };

		if (add_row(of, HTML_INSTRS, &key))
			of->ok = html_add_costs(
			    w, of->cost[INSTR], cost.cost, cost.n);
	}
	if (!add_calls(of, of->addresses, HTML_SITES))
		return false;
	while (of->ok && cg_next_jump(of->addresses, &jump)) {
		struct html_key key = html_key_of_jump(&jump);

		if (add_row(of, HTML_JUMPS, &key))
			of->ok =
			    html_add(w, &of->count[EXECUTED], jump.executed) &&
			    html_add(w, &of->count[FOLLOWED], jump.followed);
	}
	return of->ok;
}

static bool
add_stated(struct html_parts *of)
{
	struct cg_cost cost = { 0 };
	bool states = cg_stated_inclusive(of->lines, &cost);

	of->states |= states;
	return html_add(of->w, &of->share[STATES], states) &&
	       html_add_costs(
		   of->w, of->cost[INCLUSIVE], cost.cost, states ? cost.n : 0);
}

static bool
add_share(struct html_parts *of, bool dropped)
{
	static const int share_of[HTML_KINDS] = { [HTML_LINES] = LINES,
		[HTML_CALLS] = CALLS,
		[HTML_INSTRS] = INSTRS,
		[HTML_SITES] = SITES,
		[HTML_JUMPS] = JUMPS };
	struct html_writer *w = of->w;
	uint64_t before[HTML_KINDS];

	for (size_t i = 0; i < HTML_KINDS; i++)
		before[i] = of->row[i].count;
	memset(of->self, 0, w->events * sizeof(*of->self));
	of->ok = cg_rows_open(of->lines, of->part, of->fn);
	if (!of->ok || !add_lines(of, dropped) || dropped)
		return of->ok;
	if (!add_stated(of) || !add_calls(of, of->lines, HTML_CALLS) ||
	    !add_code(of))
		return false;
	for (size_t i = 0; of->ok && i < HTML_KINDS; i++)
		of->ok = html_add(
		    w, &of->share[share_of[i]], of->row[i].count - before[i]);
	return of->ok && html_add(w, &of->share[PART], of->part) &&
	       html_add(w, &of->share[FN], w->rank[of->fn]) &&
	       html_add_costs(w, of->cost[SELF], of->self, w->events);
}

/* ---- A part -------------------------------------------------------------- */

/*
 * Adds one element for all functions of the current part that --html-min
 * dropped. It has the sum of their self costs, and no rows. Does nothing
 * without that option. False: out of memory.
 */
static bool
add_rest(struct html_parts *of)
{
	struct html_writer *w = of->w;

	if (w->least == 0)
		return true;
	for (size_t i = LINES; of->ok && i < NUMBERS; i++)
		of->ok = html_add(w, &of->share[i], 0);
	return of->ok && html_add(w, &of->share[PART], of->part) &&
	       html_add(w, &of->share[FN], w->fns) &&
	       html_add(w, &of->share[STATES], 0) &&
	       html_add_costs(w, of->cost[INCLUSIVE], NULL, 0) &&
	       html_add(w, &of->share[REPEATS], 0) &&
	       html_add_costs(w, of->cost[SELF], of->rest, w->events);
}

/*
 * Adds an element for each function of the part, except dropped functions. A
 * sample may be counted in the rows of several callers. cg_sum_calls_in()
 * counts it once. The element is the sum of the calls in all callers' rows
 * minus the result of cg_sum_calls_in(). It is 0 for a function without
 * callers. Only parts with stated inclusive costs need the elements. So all
 * are 0 if no part had such costs so far. False: out of memory.
 */
static bool
add_repeats(struct html_parts *of, const bool *dropped)
{
	const struct cg_graph *graph = of->w->graph;
	struct cg_sums *sums =
	    of->states ? cg_sums_new(graph, of->part, false) : NULL;
	cg_fn fn;

	of->ok = !of->states || sums;
	for (size_t i = 0; of->ok && cg_next_fn(graph, of->part, &i, &fn);)
		of->ok = dropped[fn] ||
			 html_add(of->w, &of->share[REPEATS],
			     sums && of->called[fn] == of->part + 1
				 ? of->calls_in[fn] - cg_sum_calls_in(sums, fn)
				 : 0);
	cg_sums_free(sums);
	return of->ok;
}

static bool
add_part(struct html_parts *of, const bool *dropped)
{
	struct html_writer *w = of->w;

	memset(of->rest, 0, w->events * sizeof(*of->rest));
	for (size_t i = 0;
	     of->ok && cg_next_fn(w->graph, of->part, &i, &of->fn);)
		of->ok = add_share(of, dropped[of->fn]);
	return of->ok && add_repeats(of, dropped) && add_rest(of);
}

/* ---- Columns ------------------------------------------------------------- */

static void
name_columns(struct html_parts *of)
{
	static const char *const share[NUMBERS] = { "share_part", "share_fn",
		"share_states", "share_repeats", "share_lines", "share_calls",
		"share_instrs", "share_sites", "share_jumps" };
	static const char *const row[HTML_KINDS] = { "part_line", "part_call",
		"part_instr", "part_site", "part_jump" };
	static const char *const count[COUNTS] = { "part_site_count",
		"part_call_count", "part_jump_executed", "part_jump_followed" };

	for (size_t i = 0; i < NUMBERS; i++)
		of->share[i] = (struct html_column){ .name = share[i],
			.type = i <= FN ? HTML_DELTA : HTML_COST };
	for (size_t i = 0; i < HTML_KINDS; i++)
		of->row[i] =
		    (struct html_column){ .name = row[i], .type = HTML_DELTA };
	for (size_t i = 0; i < COUNTS; i++)
		of->count[i] =
		    (struct html_column){ .name = count[i], .type = HTML_COST };
}

static bool
open_parts(struct html_parts *of)
{
	static const char *const cost[COSTS] = { "share_self",
		"share_inclusive", "part_line_cost", "part_call_cost",
		"part_instr_cost", "part_site_cost" };
	struct html_writer *w = of->w;

	name_columns(of);
	for (size_t i = 0; i < COSTS; i++) {
		of->cost[i] = html_new_costs(w, cost[i]);
		if (!of->cost[i])
			return false;
	}
	for (size_t i = 0; i < HTML_KINDS; i++) {
		if (!index_kind(w, &of->kind[i]))
			return false;
	}
	of->self = cg_alloc(w->job, w->events * sizeof(*of->self));
	of->rest = cg_alloc(w->job, w->events * sizeof(*of->rest));
	of->calls_in = cg_alloc(
	    w->job, (cg_fn_count(w->graph) + 1) * sizeof(*of->calls_in));
	of->lines = cg_rows_new(w->graph);
	of->addresses = cg_rows_new(w->graph);
	if (of->lines)
		cg_rows_drop_addresses(of->lines);
	of->called =
	    cg_alloc(w->job, (cg_fn_count(w->graph) + 1) * sizeof(*of->called));
	return of->self && of->rest && of->calls_in && of->called &&
	       of->lines && of->addresses;
}

static void
put_columns(struct html_parts *of)
{
	struct html_writer *w = of->w;

	if (!of->states) {
		of->share[STATES].count = of->share[REPEATS].count = 0;
		for (size_t i = 0; i < w->events; i++)
			of->cost[INCLUSIVE][i].count = 0;
	}
	html_end_columns(w, of->share, NUMBERS);
	html_end_columns(w, of->row, HTML_KINDS);
	html_end_columns(w, of->count, COUNTS);
	for (size_t i = 0; i < COSTS; i++)
		html_end_costs(w, of->cost[i]);
}

bool
html_put_shares(struct html_writer *w, const bool *dropped)
{
	struct html_parts *of = w->parts;
	const size_t parts = cg_part_count(w->graph);
	bool ok;

	if (!of)
		return true;
	ok = open_parts(of);
	for (of->part = 0; ok && of->part < parts; of->part++)
		ok = add_part(of, dropped);
	ok = ok && html_begin_data(w, "parts");
	if (ok)
		put_columns(of);
	cg_rows_free(of->lines);
	cg_rows_free(of->addresses);
	return ok && html_end_data(w);
}
