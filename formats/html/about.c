/*
 * about.c - columns about the whole profile: events, parts, facts of the graph,
 * and facts that the page cannot represent.
 *
 *	title input				texts
 *	event_name event_title event_unit event_incl	by event
 *	formula_name formula_title formula_unit formula_text	by derived event
 *	formula_factor				by event, for each derived event
 *	part_pid part_tid part_number part_command part_total	by part
 *	desc_part desc_key desc_value		by description
 *	fact lost				texts
 */

#include "html.h"

/* Inputs that are named; more are only counted. */
#define INPUTS_MAX 20

/* ---- Events ------------------------------------------------------------- */

/*
 * Returns the kind of the event's inclusive costs to write. Costs that were
 * split by counts (CG_INCL_SPLIT) are written as stated ones, as the page does
 * not distinguish them.
 */
static enum cg_incl
incl_of(const struct cg_event *event)
{
	return event->incl == CG_INCL_SPLIT ? CG_INCL_STATED : event->incl;
}

static bool
put_events(struct html_writer *w)
{
	struct html_column name = { .name = "event_name", .type = HTML_TEXT };
	struct html_column title = { .name = "event_title", .type = HTML_TEXT };
	struct html_column unit = { .name = "event_unit", .type = HTML_TEXT };
	struct html_column incl = { .name = "event_incl", .type = HTML_NUMBER };
	bool ok = true;

	for (size_t i = 0; ok && i < w->events; i++) {
		const struct cg_event *event = cg_get_event(w->graph, i);

		ok = html_add_text(w, &name, cg_slice(event->name)) &&
		     html_add_text(w, &title, cg_slice(event->long_name)) &&
		     html_add_text(w, &unit, cg_slice(event->unit)) &&
		     html_add(w, &incl, incl_of(event));
	}
	html_end(w, &name);
	html_end(w, &title);
	html_end(w, &unit);
	html_end(w, &incl);
	return ok && html_put_number(w, "event_main", cg_main_event(w->graph));
}

/*
 * Writes an array (column) of the page: for each event, its factor in the
 * derived event with index "formula". The derived event is a sum of events
 * times factors. So an event's factor is the value of the sum if this event is
 * 1 and all others are 0. cost[] must be all 0, and is all 0 after the call.
 * False: out of memory (reported).
 */
static bool
put_factors(struct html_writer *w, size_t formula, uint64_t *cost)
{
	struct html_column factor = { .name = "formula_factor",
		.type = HTML_SIGNED };
	bool ok = true;

	for (size_t i = 0; ok && i < w->events; i++) {
		int64_t value = 0;

		cost[i] = 1;
		(void)cg_eval_formula(w->graph, formula, cost, &value);
		cost[i] = 0;
		ok = html_add_signed(w, &factor, value);
	}
	html_end_at(w, &factor, formula);
	return ok;
}

static bool
put_formulas(struct html_writer *w)
{
	struct html_column name = { .name = "formula_name", .type = HTML_TEXT };
	struct html_column title = { .name = "formula_title",
		.type = HTML_TEXT };
	struct html_column unit = { .name = "formula_unit", .type = HTML_TEXT };
	struct html_column text = { .name = "formula_text", .type = HTML_TEXT };
	uint64_t *cost = cg_alloc(w->job, w->events * sizeof(*cost));
	bool ok = cost != NULL;

	for (size_t i = 0; ok && i < cg_formula_count(w->graph); i++) {
		const struct cg_event *event = cg_get_formula(w->graph, i);

		ok = html_add_text(w, &name, cg_slice(event->name)) &&
		     html_add_text(w, &title, cg_slice(event->long_name)) &&
		     html_add_text(w, &unit, cg_slice(event->unit)) &&
		     html_add_text(w, &text, cg_slice(event->formula)) &&
		     put_factors(w, i, cost);
	}
	html_end(w, &name);
	html_end(w, &title);
	html_end(w, &unit);
	html_end(w, &text);
	return ok;
}

/* ---- Parts -------------------------------------------------------------- */

enum { PID, TID, NUMBER, COMMAND, DESC_PART, KEY, VALUE, COLUMNS };

static bool
add_part(
    struct html_writer *w, cg_part part, struct html_column column[COLUMNS])
{
	const struct cg_part_info *info = cg_get_part(w->graph, part);
	const char *key, *value;
	bool ok = html_add(w, &column[PID], info->pid) &&
		  html_add(w, &column[TID], info->tid) &&
		  html_add(w, &column[NUMBER], info->part) &&
		  html_add_text(w, &column[COMMAND], cg_slice(info->cmd));

	for (size_t i = 0; ok && cg_part_desc(w->graph, part, i, &key, &value);
	     i++)
		ok = html_add(w, &column[DESC_PART], part) &&
		     html_add_text(w, &column[KEY], cg_slice(key)) &&
		     html_add_text(w, &column[VALUE], cg_slice(value));
	return ok;
}

static bool
put_parts(struct html_writer *w)
{
	struct html_column column[COLUMNS] = {
		[PID] = { .name = "part_pid", .type = HTML_COST },
		[TID] = { .name = "part_tid", .type = HTML_COST },
		[NUMBER] = { .name = "part_number", .type = HTML_COST },
		[COMMAND] = { .name = "part_command", .type = HTML_TEXT },
		[DESC_PART] = { .name = "desc_part", .type = HTML_DELTA },
		[KEY] = { .name = "desc_key", .type = HTML_TEXT },
		[VALUE] = { .name = "desc_value", .type = HTML_TEXT },
	};
	struct html_column *total = html_new_costs(w, "part_total");
	bool ok = total != NULL;

	for (cg_part i = 0; ok && i < cg_part_count(w->graph); i++)
		ok = add_part(w, i, column) &&
		     html_add_costs(
			 w, total, cg_part_totals(w->graph, i), w->events);
	html_end_columns(w, column, COLUMNS);
	html_end_costs(w, total);
	return ok;
}

/* ---- All ---------------------------------------------------------------- */

static bool
put_facts(struct html_writer *w)
{
	struct html_column has = { .name = "fact", .type = HTML_TEXT };
	struct html_column lost = { .name = "lost", .type = HTML_TEXT };
	cg_facts carries = cg_job_target(w->job)->carries;
	/*
	 * Counters are not lost: the page shows the counts that follow from
	 * them. The same for jumps of coverage, which are its branches.
	 */
	cg_facts facts =
	    w->facts &
	    ~(CG_COUNTERS | (html_has_jumps(w->facts) ? 0 : CG_JUMPS));
	const char *name;
	bool ok = true;

	for (unsigned bit = 0; ok && (name = cg_fact_name(bit)); bit++) {
		cg_facts fact = 1u << bit;

		if (facts & fact & carries)
			ok = html_add_text(w, &has, cg_slice(name));
		if (facts & fact & ~carries)
			ok = html_add_text(w, &lost, cg_slice(name));
	}
	html_end(w, &has);
	html_end(w, &lost);
	return ok;
}

/*
 * Writes the title ("" without option title), the names of the first
 * INPUTS_MAX inputs, and the number of all inputs. Names are base names, so
 * that the page does not depend on the inputs' directories. False: out of
 * memory (reported).
 */
static bool
put_inputs(struct html_writer *w)
{
	struct html_column title = { .name = "title", .type = HTML_TEXT };
	struct html_column input = { .name = "input", .type = HTML_TEXT };
	const char *text = cg_opt(w->job, "title"), *path;
	size_t all = 0;
	bool ok = html_add_text(w, &title, cg_slice(text ? text : ""));

	for (size_t i = 0; ok && i < INPUTS_MAX &&
			   (path = cg_job_input_name(w->job, i, &all)); i++)
		ok = html_add_text(w, &input, cg_base_name(cg_slice(path)));
	html_end(w, &title);
	html_end(w, &input);
	return ok && html_put_number(w, "inputs", all);
}

bool
html_put_about(struct html_writer *w)
{
	const struct cg_graph *graph = w->graph;

	return put_inputs(w) && put_events(w) && put_formulas(w) &&
	       put_parts(w) && put_facts(w) &&
	       html_put_number(w, "objects", cg_object_count(graph)) &&
	       html_put_number(w, "files", cg_file_count(graph)) &&
	       html_put_number(w, "sampled", cg_calls_sampled(graph)) &&
	       html_put_number(
		   w, "guessed", cg_stacks_guessed(graph, CG_ALL_PARTS)) &&
	       html_put_number(w, "least", w->least) &&
	       html_put_number(w, "dropped_frames", w->dropped_frames) &&
	       html_put_number(w, "dropped_fns", w->dropped_fns);
}
