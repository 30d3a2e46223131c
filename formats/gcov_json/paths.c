/*
 * paths.c - writes the prime paths of a function that were not gone.
 */
#include <stdlib.h>

#include "put.h"

/* By path, then place on it, then line. */
static int
compare_steps(const void *pa, const void *pb)
{
	const struct cg_branch *a = pa, *b = pb;

	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return a->pos.line < b->pos.line ? -1 : a->pos.line > b->pos.line;
}

/* The function's steps, in order, behind its paths. */
static bool
collect(struct writer *w, cg_fn fn)
{
	struct cg_branch row;

	w->paths = w->steps = 0;
	if (!cg_rows_open(w->rows, w->part, fn))
		return false;
	while (cg_next_branch(w->rows, &row)) {
		bool step = row.kind == CG_BRANCH_STEP;

		if (!step && (row.kind != CG_BRANCH_PATH || row.count > 0))
			continue;
		if (step ? !cg_grow_raw(&w->step, &w->step_cap, w->steps + 1,
			       sizeof(*w->step))
			 : !cg_grow_raw(&w->path, &w->path_cap, w->paths + 1,
			       sizeof(*w->path))) {
			(void)cg_nomem(w->job);
			return false;
		}
		if (step)
			w->step[w->steps++] = row;
		else
			w->path[w->paths++] = row.index;
	}
	if (w->steps > 1)
		qsort(w->step, w->steps, sizeof(*w->step), compare_steps);
	return true;
}

/* A file and its lines, which are one place on the path; returns their end. */
static size_t
put_location(struct writer *w, size_t at)
{
	const struct cg_branch *first = &w->step[at], *step = first;

	w->comma = false;
	cg_putc(w->out, '{');
	w->failed |= !gcov_json_put_path(w, first->pos.file);
	cg_puts(w->out, ",\"line_numbers\":[");
	for (; at < w->steps && step->block == first->block &&
	       step->index == first->index;
	     at++, step++) {
		if (step > first)
			cg_putc(w->out, ',');
		cg_putu(w->out, step->pos.line);
	}
	cg_puts(w->out, "]}");
	return at;
}

/* A block with all its places; returns their end. */
static size_t
put_step(struct writer *w, size_t at)
{
	const struct cg_branch *first = &w->step[at];
	bool last = false, comma = false;

	cg_puts(w->out, "{\"block_id\":");
	cg_putu(w->out, first->target);
	cg_puts(w->out, ",\"locations\":[");
	for (; at < w->steps && !last && w->step[at].block == first->block;
	     comma = true) {
		last = w->step[at].flags & CG_BRANCH_LAST;
		if (w->step[at].pos.line == 0) {
			at++;
			continue;
		}
		if (comma)
			cg_putc(w->out, ',');
		at = put_location(w, at);
	}
	cg_puts(w->out, "],\"edge_kind\":");
	cg_put_json(w->out, cg_branch_label(w->graph, first));
	cg_putc(w->out, '}');
	return at;
}

/* The path's steps, which stand together from at on or behind. */
static size_t
put_sequence(struct writer *w, uint32_t path, size_t at)
{
	bool comma = false;

	while (at < w->steps && w->step[at].block < path)
		at++;
	for (; at < w->steps && w->step[at].block == path; comma = true) {
		if (comma)
			cg_putc(w->out, ',');
		at = put_step(w, at);
	}
	return at;
}

bool
gcov_json_put_paths(struct writer *w, cg_fn fn, const struct cg_coverage *sum)
{
	size_t at = 0;

	w->comma = true;
	gcov_json_put_key(w, "total_prime_paths");
	cg_putu(w->out, sum->paths);
	gcov_json_put_key(w, "covered_prime_paths");
	cg_putu(w->out, sum->paths_covered);
	gcov_json_put_key(w, "prime_path_coverage");
	cg_putc(w->out, '[');
	w->paths = w->steps = 0;
	if (sum->paths > 0 && !collect(w, fn))
		return false;
	for (size_t i = 0; i < w->paths; i++) {
		cg_puts(w->out, i > 0 ? ",{\"id\":" : "{\"id\":");
		cg_putu(w->out, w->path[i]);
		cg_puts(w->out, ",\"sequence\":[");
		at = put_sequence(w, w->path[i], at);
		cg_puts(w->out, "]}");
	}
	cg_putc(w->out, ']');
	return !w->failed;
}
