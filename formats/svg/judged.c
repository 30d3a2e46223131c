/*
 * judged.c - which changes of a difference are real, and which may be noise.
 */
#include <math.h>
#include <string.h>

#include "svg.h"

/* Returns true if "name" is X_before or X_after of the event X. */
static bool
is_side_of(const char *name, const char *event)
{
	size_t len = strlen(event);

	return strncmp(name, event, len) == 0 &&
	       (strcmp(name + len, "_before") == 0 ||
		   strcmp(name + len, "_after") == 0);
}

static bool
compares_any(const struct cg_judgement *judgement)
{
	for (cg_fn fn = 1; fn < judgement->fns; fn++) {
		if (judgement->self[fn].verdict != CG_NOT_COMPARED)
			return true;
	}
	return judgement->total.verdict != CG_NOT_COMPARED;
}

void
svg_find_judgement(struct svg *svg)
{
	const struct cg_judgement *judgement = cg_job_judgement(svg->job);

	if (judgement && svg->change &&
	    is_side_of(svg->event->name, judgement->event) &&
	    compares_any(judgement))
		svg->judgement = judgement;
}

struct cg_judged
svg_judged(const struct svg *svg, cg_fn fn)
{
	const struct cg_judged none = { CG_NOT_COMPARED, 0, 0 };

	if (!svg->judgement || fn >= svg->judgement->fns)
		return none;
	return svg->judgement->self[fn];
}

static void
put_share(struct svg *svg, double share)
{
	if (isinf(share))
		cg_puts(svg->out, "any");
	else
		cg_putf(svg->out, fabs(share) < 1e4 ? "%+.2f%%" : "%+.3g%%",
		    100 * share);
}

void
svg_put_judged(struct svg *svg, const struct cg_judged *judged)
{
	if (judged->verdict == CG_NOT_COMPARED) {
		cg_puts(svg->out, "below 0.5% of all costs: not compared");
		return;
	}
	cg_puts(svg->out, judged->verdict == CG_REAL
			      ? "real change"
			      : "not distinguishable from noise");
	if (isnan(judged->low))
		return;
	cg_puts(svg->out, " (");
	put_share(svg, judged->low);
	cg_puts(svg->out, " to ");
	put_share(svg, judged->high);
	cg_putc(svg->out, ')');
}
