/*
 * alike.c - compares the rows of a function in two graphs in packed form,
 * neither sorted nor merged: a quick test whether they are equal.
 */
#include <string.h>

#include "graph/rows/cursor.h"

/*
 * Compares the packed values of two rows: how many there are, and their bytes.
 * If they are equal, moves both scans past the values. False: they differ, and
 * the positions of the scans are undefined.
 */
static bool
same_values(struct scan *a, struct scan *b)
{
	size_t n = get_count(a->tag, &a->at), m = get_count(b->tag, &b->at);
	const uint8_t *end = skip_varints(a->at, n);
	const uint8_t *other_end = skip_varints(b->at, m);
	size_t size = (size_t)(end - a->at);

	if (n != m || size != (size_t)(other_end - b->at))
		return false;
	for (size_t i = 0; i < size; i++) {
		if (a->at[i] != b->at[i])
			return false;
	}
	a->at = end;
	b->at = other_end;
	return true;
}

static bool
same_costs(const struct cg_run *const run[2], const struct cg_match *match)
{
	struct scan a, b;

	cg_scan_begin(&a, &run[0]->costs, run[0]->file, NULL);
	cg_scan_begin(&b, &run[1]->costs, run[1]->file, NULL);
	while (scan_cost(&a, NULL)) {
		if (!scan_cost(&b, NULL) || a.pos.line != b.pos.line ||
		    match->file[0][a.pos.file] != match->file[1][b.pos.file] ||
		    !same_values(&a, &b))
			return false;
	}
	return !scan_cost(&b, NULL);
}

static bool
same_calls(struct cg_rows *const rows[2], const struct cg_run *const run[2],
    const struct cg_match *match)
{
	struct cg_call a, b;
	bool stated[2];

	for (int s = 0; s < 2; s++)
		cg_calls_begin(rows[s], run[s], true);
	while (cg_calls_next(rows[0], &a, &stated[0])) {
		if (!cg_calls_next(rows[1], &b, &stated[1]) ||
		    stated[0] != stated[1] || a.n != b.n ||
		    memcmp(a.cost, b.cost, a.n * sizeof(*a.cost)) != 0)
			return false;
		if (!stated[0] &&
		    (a.count != b.count ||
			match->fn[0][a.callee] != match->fn[1][b.callee]))
			return false;
	}
	return !cg_calls_next(rows[1], &b, &stated[1]);
}

static const struct cg_run *
run_at(const struct cg_rows *rows, uint32_t id)
{
	return id == CG_NO_RUN ? NULL : &rows->graph->run[id];
}

bool
cg_rows_alike(struct cg_rows *const rows[2], const cg_fn fn[2],
    const struct cg_match *match)
{
	const struct cg_run *run[2];

	for (int s = 0; s < 2; s++)
		run[s] = run_at(rows[s], rows[s]->graph->fn[fn[s]].runs);
	while (run[0] && run[1]) {
		if (!same_costs(run, match) || !same_calls(rows, run, match))
			return false;
		for (int s = 0; s < 2; s++)
			run[s] = run_at(rows[s], run[s]->next);
	}
	return !run[0] && !run[1];
}
