/*
 * copy.c - adds the contents of one graph to another, as a reader would.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/copy.h"
#include "base/wide.h"

/* ---- Dimensions --------------------------------------------------------- */

bool
cg_copy_open(struct cg_copy *copy)
{
	const struct cg_graph *from = copy->from;

	copy->object = calloc(from->objects.count, sizeof(*copy->object));
	copy->file = calloc(from->files.count, sizeof(*copy->file));
	copy->fn = calloc(from->fns, sizeof(*copy->fn));
	copy->node = calloc(from->nodes, sizeof(*copy->node));
	copy->part = calloc(from->parts + 1, sizeof(*copy->part));
	copy->labels = calloc(from->label_sets + 1, sizeof(*copy->labels));
	copy->change = calloc(from->events + 1, sizeof(*copy->change));
	for (size_t i = 0; copy->change && i < from->events; i++)
		copy->change[i].column = CG_NO_COLUMN;
	return copy->object && copy->file && copy->fn && copy->node &&
	       copy->part && copy->labels && copy->change;
}

void
cg_copy_close(struct cg_copy *copy)
{
	free(copy->object);
	free(copy->file);
	free(copy->fn);
	free(copy->node);
	free(copy->part);
	free(copy->labels);
	free(copy->change);
}

cg_name
cg_copy_str(const struct cg_copy *copy, cg_str str)
{
	return cg_add_name(copy->to, cg_strs_get(&copy->from->strs, str));
}

void
cg_copy_file(struct cg_copy *copy, cg_file file)
{
	copy->file[file] =
	    cg_add_file(copy->to, cg_file_path(copy->from, file));
	cg_set_file_given(
	    copy->to, copy->file[file], cg_file_given(copy->from, file));
}

void
cg_copy_fn(struct cg_copy *copy, cg_fn fn, cg_fn as)
{
	const struct cg_fn_entry *entry = &copy->from->fn[as];
	struct cg_range range = copy->from->fn[fn].range;

	if (copy->costs_only)
		range.addr = 0;
	copy->fn[fn] = cg_add_fn_symbol(copy->to,
	    cg_copy_str(copy, entry->name), copy->file[entry->file],
	    copy->object[entry->object], cg_copy_str(copy, entry->symbol));
	cg_set_fn_range(copy->to, copy->fn[fn], &range);
}

void
cg_copy_dimensions(struct cg_copy *copy)
{
	const struct cg_graph *from = copy->from;

	for (uint32_t i = 1; i < from->objects.count; i++)
		copy->object[i] =
		    cg_add_object(copy->to, cg_object_path(from, i));
	for (uint32_t i = 1; i < from->files.count; i++)
		cg_copy_file(copy, i);
}

void
cg_copy_events(struct cg_copy *copy)
{
	for (size_t i = 0; i < copy->from->events; i++) {
		copy->change[i].column =
		    cg_add_event(copy->to, &copy->from->event[i]);
		copy->changed |= copy->change[i].column != i;
	}
	for (size_t i = 0; i < copy->from->formulas; i++)
		cg_add_formula(copy->to, &copy->from->formula[i].event);
	cg_set_grain(copy->to, copy->from->grain);
}

static struct cg_pos
copy_pos(const struct cg_copy *copy, struct cg_pos pos)
{
	if (copy->placeless)
		return (struct cg_pos){ 0 };
	pos.file = copy->file[pos.file];
	if (copy->costs_only)
		pos.addr = 0;
	return pos;
}

static void
copy_nodes(struct cg_copy *copy)
{
	for (cg_node i = 1; i < copy->from->nodes; i++) {
		const struct cg_frame_entry *frame = cg_frame_of(copy->from, i);
		const struct cg_pos pos = copy_pos(copy, frame->pos);
		cg_node parent = copy->node[copy->from->node[i].parent];

		copy->node[i] = cg_add_frame(copy->to, parent,
		    copy->fn[frame->fn], &pos, frame->inlined);
	}
}

/*
 * Adds all sets of labels of copy->from to the other graph, and sets
 * copy->labels[], the map from old ids to new ones. False: out of memory.
 */
static bool
copy_labels(struct cg_copy *copy)
{
	struct cg_label *label = NULL;
	size_t cap = 0;
	bool ok = true;

	for (cg_labels set = 1; ok && set <= copy->from->label_sets; set++) {
		size_t n = copy->from->label_set[set - 1].n;

		ok = cg_grow_raw(&label, &cap, n, sizeof(*label));
		for (size_t i = 0; ok && i < n; i++)
			(void)cg_get_label(copy->from, set, i, &label[i]);
		if (ok)
			copy->labels[set] = cg_add_labels(copy->to, label, n);
	}
	free(label);
	return ok;
}

/* ---- Costs -------------------------------------------------------------- */

/*
 * Multiplies *size, the magnitude of a cost, by change->to / change->from.
 * negative: the cost is -*size. Self costs are rounded down, and their
 * remainder is added to the next one: sums stay exact. Other costs are rounded
 * to the nearest. False: it does not fit.
 */
static bool
scale(struct cg_change *change, uint64_t *size, bool negative, bool self)
{
	uint64_t last = change->from - 1; /* the greatest remainder */
	uint64_t rest = self ? change->rest : change->from / 2;

	/* -x / from rounded down is -((x + from - 1) / from). */
	if (!cg_wide_scale(*size, change->to, negative ? last - rest : rest,
		change->from, size, &rest))
		return false;
	if (self)
		change->rest = negative ? last - rest : rest;
	return true;
}

/*
 * Converts a cost of event i, scaled or negated as copy->change says. Stores
 * it in copy->cost[] at the event's column in the other graph. self: it is not
 * the cost of a call. False: it is too large, or negative in an unsigned
 * column.
 */
static bool
change_cost(struct cg_copy *copy, size_t i, uint64_t cost, bool self)
{
	struct cg_change *change = &copy->change[i];
	bool negative = copy->from->event[i].is_signed && (int64_t)cost < 0;
	uint64_t size = negative ? -cost : cost;

	if (change->from != change->to && !scale(change, &size, negative, self))
		return false;
	negative = negative != change->minus && size > 0;
	copy->cost[change->column] = negative ? -size : size;
	if (!copy->to->graph->event[change->column].is_signed)
		return !negative;
	return size <= (uint64_t)INT64_MAX + negative;
}

/*
 * Converts *n costs to the new graph's columns, and sets *n to their number.
 * Events without a column are dropped. self: see change_cost(). Returns cost
 * itself, or an array valid until the next call. If a cost does not fit, the
 * builder fails, and the array is not complete.
 */
static const uint64_t *
change_costs(struct cg_copy *copy, const uint64_t *cost, size_t *n, bool self)
{
	size_t events = copy->to->graph->events;

	if (!copy->changed)
		return cost;
	memset(copy->cost, 0, events * sizeof(*copy->cost));
	for (size_t i = 0; i < *n; i++) {
		if (copy->change[i].column == CG_NO_COLUMN || cost[i] == 0 ||
		    change_cost(copy, i, cost[i], self))
			continue;
		cg_build_fail(copy->to,
		    "a cost of %s is too big for "
		    "a difference or a signed sum",
		    copy->from->event[i].name);
		break;
	}
	*n = events;
	return copy->cost;
}

/*
 * True if the copy drops rows without costs (drop_zeros), and all n costs of
 * this row are zero.
 */
static bool
is_dropped(const struct cg_copy *copy, const uint64_t *cost, size_t n)
{
	while (n > 0 && cost[n - 1] == 0)
		n--;
	return copy->drop_zeros && n == 0;
}

/* ---- Rows --------------------------------------------------------------- */

static void
copy_costs(struct cg_copy *copy, struct cg_rows *rows, cg_fn fn)
{
	struct cg_cost cost;

	while (cg_next_cost(rows, &cost)) {
		const struct cg_pos pos = copy_pos(copy, cost.pos);
		const uint64_t *values =
		    change_costs(copy, cost.cost, &cost.n, true);

		if (!is_dropped(copy, values, cost.n))
			(void)cg_add_cost(copy->to, fn, &pos, values, cost.n);
	}
}

static void
copy_inclusive(struct cg_copy *copy, struct cg_rows *rows, cg_fn fn)
{
	struct cg_cost cost;
	const uint64_t *values;

	if (!cg_stated_inclusive(rows, &cost))
		return;
	values = change_costs(copy, cost.cost, &cost.n, false);
	cg_add_inclusive(copy->to, fn, values, cost.n);
}

static void
copy_calls(struct cg_copy *copy, struct cg_rows *rows, cg_fn fn)
{
	struct cg_call call;

	while (cg_next_call(rows, &call)) {
		const struct cg_pos site = copy_pos(copy, call.site);
		const uint64_t *values =
		    change_costs(copy, call.cost, &call.n, false);

		if (copy->hidden && copy->hidden[call.callee]) {
			if (fn != 0)
				(void)cg_add_cost(
				    copy->to, fn, &site, values, call.n);
			continue;
		}
		if (copy->costs_only)
			call.entry.addr = 0;
		if (copy->placeless)
			call.entry = (struct cg_pos){ 0 };
		if (is_dropped(copy, values, call.n) ||
		    (copy->united && copy->united[call.callee] &&
			copy->fn[call.callee] == fn) ||
		    (fn == 0 && call.n == 0 && copy->joined &&
			copy->joined[call.callee]))
			continue;
		(void)cg_add_call(copy->to, fn, &site, copy->fn[call.callee],
		    &call.entry, copy->no_counts ? 0 : call.count, values,
		    call.n);
	}
}

static void
copy_others(struct cg_copy *copy, struct cg_rows *rows, cg_fn fn)
{
	struct cg_branch branch;
	struct cg_jump jump;

	while (cg_next_jump(rows, &jump)) {
		const struct cg_pos from = copy_pos(copy, jump.from);
		const struct cg_pos to = copy_pos(copy, jump.to);

		cg_add_jump(copy->to, fn, &from, copy->fn[jump.target], &to,
		    jump.conditional, jump.executed, jump.followed);
	}
	while (cg_next_branch(rows, &branch)) {
		branch.pos = copy_pos(copy, branch.pos);
		branch.label = cg_copy_str(copy, branch.label);
		(void)cg_add_branch(copy->to, fn, &branch);
	}
}

static void
copy_stacks(struct cg_copy *copy, cg_part part)
{
	struct cg_stack_cost stack;

	for (size_t i = 0; cg_next_stack(copy->from, part, &i, &stack);) {
		const uint64_t *values =
		    change_costs(copy, stack.cost, &stack.n, true);

		if (is_dropped(copy, values, stack.n) ||
		    copy->node[stack.leaf] == CG_NO_NODE)
			continue;
		cg_set_labels(copy->to, copy->labels[stack.labels]);
		cg_add_stack(copy->to, copy->node[stack.leaf],
		    copy->no_counts ? 0 : stack.samples, values, stack.n);
	}
}

/*
 * True if description desc of the part (thread or process) marks its stacks as
 * an estimate. The rows behind the estimate must be kept, too. Then the rows
 * are copied, not the stacks or the description.
 */
static bool
is_guess(const struct cg_copy *copy, cg_part part, size_t desc)
{
	const struct cg_part_entry *entry = &copy->from->part[part];

	return entry->guessed && !copy->rowless && desc == entry->descs - 1;
}

static void
copy_part(struct cg_copy *copy, struct cg_rows *rows, cg_part part)
{
	const char *key, *value;
	const cg_file *file;
	size_t files = cg_part_files(copy->from, part, &file);
	cg_fn fn;

	copy->part[part] = cg_add_part(copy->to, cg_get_part(copy->from, part));
	for (size_t i = 0; !copy->costs_only &&
			   cg_part_desc(copy->from, part, i, &key, &value);
	     i++)
		if (!is_guess(copy, part, i))
			cg_add_desc(copy->to, cg_slice(key), cg_slice(value));
	for (size_t i = 0; !copy->costs_only && i < files; i++) {
		/* File 0 says that lists differ; others may be out of scope. */
		if (file[i] == 0 || copy->file[file[i]] != 0)
			cg_list_file(copy->to, copy->file[file[i]]);
	}
	if (copy->costs_only && !copy->no_counts &&
	    cg_calls_sampled(copy->from))
		cg_set_calls_sampled(copy->to);
	if (copy->sumless)
		return;
	for (size_t i = 0;
	     !copy->rowless && cg_next_fn(copy->from, part, &i, &fn);) {
		if ((copy->hidden && copy->hidden[fn]) ||
		    !cg_rows_open(rows, part, fn))
			continue;
		copy_costs(copy, rows, copy->fn[fn]);
		copy_calls(copy, rows, copy->fn[fn]);
		if (!copy->costs_only && !copy->placeless)
			copy_others(copy, rows, copy->fn[fn]);
		if (!copy->no_inclusive)
			copy_inclusive(copy, rows, copy->fn[fn]);
	}
	if (copy->rowless || !copy->from->guessed)
		copy_stacks(copy, part);
}

/*
 * Copies a thread's timeline as a new one, with stacks and costs mapped. It is
 * never merged: threads of two inputs may have equal ids. Samples whose stack
 * is dropped are skipped. In a timeline of calls, nothing runs then, and
 * moments without a change are skipped.
 */
static void
copy_track(struct cg_copy *copy, size_t number)
{
	const struct cg_track *track = cg_get_track(copy->from, number);
	struct cg_moments *moments;
	struct cg_moment moment;
	cg_node last = 0;

	cg_set_part(copy->to, copy->part[track->part]);
	if (!cg_add_track(copy->to, track))
		return;
	cg_state_times(copy->to, track->begin, track->end);
	moments = cg_moments_new(copy->from, number);
	while (moments && cg_next_moment(moments, &moment)) {
		cg_node node = copy->node[moment.node];

		/* If no frame is left, nothing runs. */
		if (track->spans && node == CG_NO_NODE)
			node = 0;
		if (node == CG_NO_NODE ||
		    (copy->mapped && track->spans && node == last))
			continue;
		moment.cost = change_costs(copy, moment.cost, &moment.n, true);
		moment.node = last = node;
		cg_add_moment(copy->to, &moment);
	}
	cg_moments_free(moments);
}

static void
copy_tracks(struct cg_copy *copy)
{
	if (copy->costs_only || copy->sumless ||
	    !(copy->from->facts & CG_TIMELINE) || !cg_begin_timeline(copy->to))
		return;
	for (size_t i = 0; i < cg_track_count(copy->from); i++)
		copy_track(copy, i);
}

int
cg_copy_rows(struct cg_copy *copy)
{
	struct cg_rows *rows;
	int status = cg_build_failed(copy->to, NULL);

	if (status != CG_OK)
		return status;
	rows = cg_rows_new(copy->from);
	copy->cost = calloc(copy->to->graph->events + 1, sizeof(*copy->cost));
	if (!rows || !copy->cost || !copy_labels(copy)) {
		cg_graph_nomem(copy->from);
	} else {
		if (!copy->mapped && !copy->from->guessed)
			copy_nodes(copy);
		for (cg_part i = 0; i < copy->from->parts; i++)
			copy_part(copy, rows, i);
		copy_tracks(copy);
	}
	status = cg_build_failed(copy->to, NULL);
	cg_rows_free(rows);
	free(copy->cost);
	return *copy->from->fault != CG_OK ? *copy->from->fault : status;
}
