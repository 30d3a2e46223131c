/*
 * judgement.c - hands what noise.c found out about a difference to the target
 * that shows it, by function and line of the difference.
 */
#include <stdlib.h>

#include "noise.h"

struct telling {
	const struct noise *noise;
	const struct cg_graph *graph; /* the difference */
	/* Returns the number in noise->graph of a function of the difference. */
	cg_fn (*number_of)(const struct noise *, cg_fn);
};

static struct cg_judged
judged_of(const struct noise *noise, const struct noise_row *row)
{
	const bool known =
	    noise->method == METHOD_COUNTING || noise->method == METHOD_MEANS;

	/* With --normalize, all that changed in the total is its length. */
	if (!known || (noise->args->normalize && row->id == 0))
		return (struct cg_judged){ CG_NOT_COMPARED, 0, 0 };
	return (struct cg_judged){ row->judged.real ? CG_REAL : CG_NOISE,
		row->judged.low, row->judged.high };
}

/*
 * Returns the verdicts by function of the difference, in memory of the job;
 * NULL: out of memory (reported).
 */
static const struct cg_judged *
list_fns(const struct telling *telling, int key)
{
	const struct noise *noise = telling->noise;
	const size_t fns = cg_fn_count(telling->graph) + 1;
	const size_t known = cg_fn_count(noise->graph) + 1;
	struct cg_judged *of = cg_alloc(noise->args->job, fns * sizeof(*of));
	struct cg_judged *by = cg_alloc(noise->args->job, known * sizeof(*by));

	if (of == NULL || by == NULL)
		return NULL;
	for (size_t i = 0; i < noise->row[key].n; i++) {
		const struct noise_row *row = &noise->row[key].at[i];

		by[row->id] = judged_of(noise, row);
	}
	for (cg_fn fn = 1; fn < fns; fn++)
		of[fn] = by[telling->number_of(noise, fn)];
	return of;
}

static cg_fn
same_fn(const struct noise *noise, cg_fn fn)
{
	(void)noise;
	return fn;
}

static bool
tell(const struct telling *telling, struct cg_judgement *judgement)
{
	const struct noise *noise = telling->noise;

	*judgement = (struct cg_judgement){ .event = noise->common.name,
		.method = copy_method(noise),
		.total = judged_of(noise, &noise->total),
		.self = list_fns(telling, SELF),
		.inclusive = list_fns(telling, INCLUSIVE),
		.fns = cg_fn_count(telling->graph) + 1 };
	return judgement->method && judgement->self && judgement->inclusive;
}

bool
tell_pair(const struct noise *noise, struct cg_judgement *judgement)
{
	const struct telling telling = { noise, noise->graph, same_fn };

	return tell(&telling, judgement);
}
