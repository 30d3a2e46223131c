/*
 * judged.c - which changes of a difference are real, as columns.
 *
 *	judged_event judged_method		the event; how changes were judged
 *	judged_runs				before, after
 *	judged_kind judged_at judged_line judged_real judged_low judged_high
 *						by change that was compared
 *
 * A kind is one of those below; judged_at is a function, or the file of a line.
 * The ends of an interval are shares of the cost before, in units of 1e-8; END
 * if they are larger or infinite. The interval is unknown if its low end is
 * above its high end.
 */
#include <math.h>

#include "html.h"

#define UNITS 1e8
#define END ((int64_t)1 << 53)

enum { TOTAL, SELF, INCLUSIVE, LINES };
enum { KIND, AT, LINE, REAL, LOW, HIGH, NUMBERS };

static int64_t
end_of(double share)
{
	if (share * UNITS >= (double)END)
		return END;
	if (share * UNITS <= -(double)END)
		return -END;
	return llround(share * UNITS);
}

static bool
add_change(struct html_writer *w, struct html_column column[NUMBERS],
    unsigned kind, uint32_t at, uint32_t line, const struct cg_judged *judged)
{
	bool known = !isnan(judged->low) && !isnan(judged->high);

	if (judged->verdict == CG_NOT_COMPARED)
		return true;
	return html_add(w, &column[KIND], kind) &&
	       html_add(w, &column[AT], at) &&
	       html_add(w, &column[LINE], line) &&
	       html_add(w, &column[REAL], judged->verdict == CG_REAL) &&
	       html_add_signed(
		   w, &column[LOW], known ? end_of(judged->low) : 1) &&
	       html_add_signed(
		   w, &column[HIGH], known ? end_of(judged->high) : 0);
}

static bool
add_changes(struct html_writer *w, const struct cg_judgement *judgement,
    struct html_column column[NUMBERS])
{
	bool ok = add_change(w, column, TOTAL, 0, 0, &judgement->total);

	for (cg_fn fn = 1; ok && fn < judgement->fns; fn++)
		ok = add_change(w, column, SELF, w->rank[fn], 0,
			 &judgement->self[fn]) &&
		     add_change(w, column, INCLUSIVE, w->rank[fn], 0,
			 &judgement->inclusive[fn]);
	for (size_t i = 0; ok && i < judgement->lines; i++) {
		const struct cg_judged_line *line = &judgement->line[i];

		ok = add_change(w, column, LINES, html_file(w, line->file),
		    line->line, &line->judged);
	}
	return ok;
}

bool
html_put_judged(struct html_writer *w)
{
	const struct cg_judgement *judgement = cg_job_judgement(w->job);
	struct html_column event = { .name = "judged_event",
		.type = HTML_TEXT };
	struct html_column method = { .name = "judged_method",
		.type = HTML_TEXT };
	struct html_column column[NUMBERS] = {
		[KIND] = { .name = "judged_kind", .type = HTML_NUMBER },
		[AT] = { .name = "judged_at", .type = HTML_NUMBER },
		[LINE] = { .name = "judged_line", .type = HTML_NUMBER },
		[REAL] = { .name = "judged_real", .type = HTML_NUMBER },
		[LOW] = { .name = "judged_low", .type = HTML_SIGNED },
		[HIGH] = { .name = "judged_high", .type = HTML_SIGNED },
	};
	struct html_column runs = { .name = "judged_runs", .type = HTML_COST };
	bool ok;

	if (!judgement)
		return true;
	ok = html_add(w, &runs, judgement->runs[0]) &&
	     html_add(w, &runs, judgement->runs[1]) &&
	     html_add_text(w, &event, cg_slice(judgement->event)) &&
	     html_add_text(w, &method, cg_slice(judgement->method)) &&
	     add_changes(w, judgement, column);
	html_end(w, &event);
	html_end(w, &method);
	html_end(w, &runs);
	html_end_columns(w, column, NUMBERS);
	return ok;
}
