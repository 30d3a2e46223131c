/*
 * add.c - adds rows: checks, sums and packs them.
 */
#include <string.h>

#include "graph/build.h"
#include "graph/rules.h"

/*
 * True if the graph is coverage, whose first event has no inclusive costs.
 * Each input then mostly has the same lines again, with few values.
 */
static bool
is_coverage(const struct cg_graph *graph)
{
	return graph->events > 0 && graph->event[0].incl == CG_INCL_NONE;
}

/*
 * Returns the packed rows of fn in the current part (a run), to append a row
 * to. Makes the run if needed, which may move others. Ends that of another
 * function. NULL: the builder has failed, also if an id or n is out of range.
 */
static struct cg_run *
find_run(struct cg_build *build, cg_fn fn, const struct cg_pos *pos, size_t n)
{
	struct cg_graph *graph = build->graph;

	if (!cg_build_check(build, pos->file, graph->files.count, "file") ||
	    !cg_build_check(build, fn, graph->fns, "function") ||
	    !cg_build_check(build, (uint32_t)n, graph->events + 1, "event"))
		return NULL;
	if (build->run && build->run->fn == fn)
		return build->run;
	if (!cg_build_end_run(build))
		return NULL;
	build->run = cg_run_get(graph, build->part, fn);
	if (build->run && is_coverage(graph) && cg_wants_tally(build->run) &&
	    !cg_tally_visit(graph, build->run))
		build->run = NULL;
	if (!build->run)
		cg_build_nomem(build);
	return build->run;
}

/*
 * Begins a row of any kind, and returns the run (packed rows of a function) to
 * append it to. Sets the facts that the profile has addresses or lines if the
 * position has them. NULL: the builder has failed.
 */
static inline struct cg_run *
begin_row(struct cg_build *build, cg_fn fn, const struct cg_pos *pos, size_t n)
{
	struct cg_graph *graph = build->graph;
	struct cg_run *run = build->run;

	if (!run || run->fn != fn || pos->file >= graph->files.count ||
	    n > graph->events || build->status != CG_OK)
		run = find_run(build, fn, pos, n);
	if (~graph->facts & (CG_INSTRS | CG_LINES))
		graph->facts |= (pos->addr != 0 ? CG_INSTRS : 0) |
				(pos->line != 0 ? CG_LINES : 0);
	return run;
}

static bool
grow_total(struct cg_build *build, struct cg_part_entry *part)
{
	if (cg_grow(&part->total, &part->totals, build->graph->events,
		sizeof(*part->total)))
		return true;
	cg_build_nomem(build);
	return false;
}

static void
check_sign(struct cg_build *build, size_t i)
{
	if (i < build->signs && build->sign[i].is_plain &&
	    build->sign[i].input == build->inputs)
		cg_build_fail(build,
		    "a cost of %s is above 2^63, and others may be negative",
		    build->graph->event[i].name);
}

/*
 * True if cost[] has a negative value of a signed event. The builder also
 * fails if the current input declares that event unsigned. There the same bits
 * are a large value, and sums would be ambiguous.
 */
static bool
check_signs(struct cg_build *build, const uint64_t *cost, size_t n)
{
	const struct cg_graph *graph = build->graph;
	uint64_t all = 0;
	bool any = false;

	for (size_t i = 0; i < n; i++)
		all |= cost[i];
	if ((int64_t)all >= 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!graph->event[i].is_signed || (int64_t)cost[i] >= 0)
			continue;
		check_sign(build, i);
		any = true;
	}
	return any;
}

/*
 * Sets the fact CG_SIGNED if a cost of a signed event is negative. Few output
 * formats can represent that. The builder fails if the current input declares
 * the event unsigned.
 */
static void
note_signs(struct cg_build *build, const uint64_t *cost, size_t n)
{
	if (check_signs(build, cost, n))
		build->graph->facts |= CG_SIGNED;
}

/*
 * Returns the total self costs of the current part (thread or process), with
 * at least n columns. The graph owns the array. NULL: out of memory (the
 * builder has failed), or there are no columns.
 */
static inline uint64_t *
get_total(struct cg_build *build, size_t n)
{
	struct cg_part_entry *part = &build->graph->part[build->part];

	if (part->totals < n && !grow_total(build, part))
		return NULL;
	return part->total;
}

static void
refuse_total(struct cg_build *build)
{
	cg_build_fail(build, "the sum of costs exceeds 64 bits");
}

bool
cg_build_total(struct cg_build *build, const uint64_t *cost, size_t n)
{
	uint64_t *total = get_total(build, n);

	if (n > 0 && !total)
		return false;
	/*
	 * Fast path, for nearly all rows of coverage: one count, and neither
	 * the signed nor the unsigned sum overflows.
	 */
	if (n == 1 && cost[0] <= INT64_MAX && total[0] <= INT64_MAX - cost[0]) {
		total[0] += cost[0];
		return true;
	}
	if (build->graph->any_signed)
		note_signs(build, cost, n);
	if (cg_add_values(build->graph, total, cost, n))
		return true;
	refuse_total(build);
	return false;
}

bool
cg_build_end_run(struct cg_build *build)
{
	struct cg_graph *graph = build->graph;
	struct cg_run *run = build->run;
	size_t n = graph->events;
	struct cg_pos pos = { 0 };

	build->run = NULL;
	if (!build->summed || !run)
		return build->status == CG_OK;
	build->summed = false;
	pos.file = graph->fn[run->fn].file;
	n = cg_cut_zeros(build->sum, n < build->sums ? n : build->sums);
	if (cg_build_total(build, build->sum, n) &&
	    !cg_run_add_cost(graph, run, &pos, build->sum, n))
		cg_build_nomem(build);
	memset(build->sum, 0, build->sums * sizeof(*build->sum));
	return build->status == CG_OK;
}

/*
 * Returns the costs of the current function by event, for the caller to add
 * to. Used if only sums per function are wanted; cg_build_end_run() stores
 * them. NULL: out of memory (reported).
 */
static uint64_t *
get_run_sum(struct cg_build *build)
{
	if (!cg_grow(&build->sum, &build->sums, build->graph->events,
		sizeof(*build->sum))) {
		cg_build_nomem(build);
		return NULL;
	}
	build->summed = true;
	return build->sum;
}

static bool
add_to_sum(struct cg_build *build, const uint64_t *cost, size_t n)
{
	const struct cg_graph *graph = build->graph;
	uint64_t *sum = get_run_sum(build);

	if (!sum)
		return false;
	if (graph->any_signed)
		note_signs(build, cost, n);
	if (cg_add_values(graph, sum, cost, n))
		return true;
	refuse_total(build);
	return false;
}

void
cg_build_drop(struct cg_build *build, const uint64_t *cost, size_t n)
{
	if (!cg_grow(&build->dropped, &build->dropped_cap, n,
		sizeof(*build->dropped))) {
		cg_build_nomem(build);
		return;
	}
	build->drops_costs = true;
	for (size_t i = 0; i < n; i++)
		build->dropped[i] += (double)cost[i];
}

bool
cg_add_cost(struct cg_build *build, cg_fn fn, const struct cg_pos *pos,
    const uint64_t *cost, size_t n)
{
	struct cg_run *run;

	if (cg_build_drops(build, pos->file)) {
		if (build->drops)
			cg_build_drop(build, cost, n);
		return build->status == CG_OK;
	}
	n = cg_cut_zeros(cost, n);
	run = begin_row(build, fn, pos, n);
	if (!run)
		return false;
	build->graph->facts |= n == 0 ? CG_SELF | CG_ZEROS : CG_SELF;
	if (build->sums_only)
		return add_to_sum(build, cost, n);
	if (!cg_build_total(build, cost, n))
		return false;
	if ((run->tally && cg_tally_cost(build->graph, run, pos, cost, n)) ||
	    cg_run_add_cost(build->graph, run, pos, cost, n))
		return true;
	cg_build_nomem(build);
	return false;
}

uint64_t *
cg_build_begin_lines(struct cg_build *build, cg_fn fn, cg_file file, size_t n)
{
	const struct cg_pos pos = { .file = file };

	if (!begin_row(build, fn, &pos, n))
		return NULL;
	return build->sums_only ? get_run_sum(build) : get_total(build, n);
}

bool
cg_add_call(struct cg_build *build, cg_fn caller, const struct cg_pos *site,
    cg_fn callee, const struct cg_pos *entry, uint64_t count,
    const uint64_t *cost, size_t n)
{
	struct cg_run *run;
	const struct cg_call call = { .site = *site,
		.callee = callee,
		.entry = *entry,
		.count = count,
		.cost = cost,
		.n = n };

	if (cg_build_drops(build, site->file))
		return build->status == CG_OK;
	run = begin_row(build, caller, site, n);
	if (!run ||
	    !cg_build_check(build, callee, build->graph->fns, "function"))
		return false;
	if (caller != 0)
		build->graph->facts |= CG_CALLS;
	else /* counts as an entry, as in coverage */
		build->unknown_calls = true;
	if (build->graph->any_signed)
		note_signs(build, cost, n);
	for (size_t i = 0; i < n && !(build->graph->facts & CG_INCL); i++)
		build->graph->facts |= cost[i] ? CG_INCL : 0;
	if (!(run->tally && cg_tally_call(run, &call)) &&
	    !cg_run_add_call(build->graph, run, &call))
		cg_build_nomem(build);
	return build->status == CG_OK;
}

/*
 * True if rows of this fact (a kind of data) need not be stored, as no output
 * needs them. The fact is then marked as present, so that its loss is
 * reported. False also if the builder has failed.
 */
static bool
is_unwanted(struct cg_build *build, cg_facts fact)
{
	if (build->status != CG_OK || !(build->unwanted & fact))
		return false;
	build->graph->facts |= fact;
	return true;
}

bool
cg_wants_rows(const struct cg_build *build, cg_facts facts)
{
	return (facts & ~(build->unwanted & build->graph->facts)) != 0;
}

bool
cg_wants_fact(const struct cg_build *build, cg_facts facts)
{
	return (facts & build->wanted) != 0;
}

void
cg_add_jump(struct cg_build *build, cg_fn fn, const struct cg_pos *from,
    cg_fn target, const struct cg_pos *to, bool conditional, uint64_t executed,
    uint64_t followed)
{
	struct cg_run *run;
	const struct cg_jump jump = { .from = *from,
		.to = *to,
		.target = target,
		.conditional = conditional,
		.executed = executed,
		.followed = followed };

	if (cg_build_drops(build, from->file) ||
	    cg_build_excludes(build, to->file) || is_unwanted(build, CG_JUMPS))
		return;
	run = begin_row(build, fn, from, 0);
	if (!run ||
	    !cg_build_check(build, target, build->graph->fns, "function") ||
	    !cg_build_check(build, to->file, build->graph->files.count, "file"))
		return;
	build->graph->facts |= CG_JUMPS;
	if (!cg_run_add_jump(build->graph, run, &jump))
		cg_build_nomem(build);
}

void
cg_add_inclusive(
    struct cg_build *build, cg_fn fn, const uint64_t *cost, size_t n)
{
	const struct cg_pos nowhere = { 0 };
	struct cg_run *run;

	if (build->drops)
		return;
	run = begin_row(build, fn, &nowhere, n);
	if (run && build->graph->any_signed)
		(void)check_signs(build, cost, n);
	if (run && !cg_run_add_inclusive(build->graph, run, 0, cost, n))
		cg_build_nomem(build);
}

bool
cg_add_branch(struct cg_build *build, cg_fn fn, const struct cg_branch *branch)
{
	static const cg_facts fact[CG_BRANCH_KINDS] = {
		[CG_BRANCH_BLOCK] = CG_BLOCKS,
		[CG_BRANCH_ARC] = CG_BRANCHES,
		[CG_BRANCH_CALL] = CG_BLOCKS,
		[CG_BRANCH_CONDITION] = CG_CONDITIONS,
		[CG_BRANCH_PATH] = CG_BLOCKS,
		[CG_BRANCH_COUNTER] = CG_COUNTERS,
		[CG_BRANCH_STEP] = CG_BLOCKS,
		[CG_BRANCH_REGION] = CG_REGIONS,
	};
	struct cg_graph *graph = build->graph;
	/*
	 * Drop the address: it would set fact CG_INSTRS, which is about costs.
	 */
	const struct cg_pos pos = { .file = branch->pos.file,
		.line = branch->pos.line };
	size_t strs = graph->strs.count ? graph->strs.count : 1;
	struct cg_run *run;

	if (cg_build_drops(build, branch->pos.file) ||
	    (branch->kind == CG_BRANCH_ARC && build->rules &&
		(build->rules->no_branches ||
		    (build->rules->no_throws &&
			(branch->flags & CG_BRANCH_THROW)))))
		return build->status == CG_OK;
	if (!cg_build_check(build, branch->kind, CG_BRANCH_KINDS, "kind"))
		return false;
	if (is_unwanted(build, fact[branch->kind]))
		return true;
	run = begin_row(build, fn, &pos, 0);
	if (!run || !cg_build_check(build, branch->label, strs, "label"))
		return false;
	graph->facts |= fact[branch->kind];
	if (!(run->tally && cg_tally_branch(graph, run, branch)) &&
	    !cg_run_add_branch(graph, run, branch))
		cg_build_nomem(build);
	return build->status == CG_OK;
}

bool
cg_add_region(struct cg_build *build, cg_fn fn, const struct cg_region *region)
{
	const struct cg_branch row = { .pos = { .file = region->file,
					   .line = region->line },
		.kind = CG_BRANCH_REGION,
		.block = region->column,
		.index = region->last - region->line,
		.target = region->last_column,
		.flags = region->flags,
		.label = region->label,
		.count = region->count };

	if (region->last >= region->line)
		return cg_add_branch(build, fn, &row);
	if (!is_unwanted(build, CG_REGIONS))
		build->backward++;
	return build->status == CG_OK;
}

void
cg_regions_end(const struct cg_build *build)
{
	if (build->backward > 0)
		cg_diag_say(build->graph->diag, CG_WARNING, NULL,
		    "dropped %llu region%s that end%s before %s first line",
		    (unsigned long long)build->backward,
		    build->backward == 1 ? "" : "s",
		    build->backward == 1 ? "s" : "",
		    build->backward == 1 ? "its" : "their");
}

void
cg_get_region(const struct cg_branch *row, struct cg_region *region)
{
	*region = (struct cg_region){ .file = row->pos.file,
		.line = row->pos.line,
		.column = row->block,
		.last = row->pos.line + row->index,
		.last_column = row->target,
		.flags = row->flags,
		.label = row->label,
		.count = row->count };
}

void
cg_state_total(struct cg_build *build, const char *at, const uint64_t *cost,
    size_t n, bool at_least)
{
	const struct cg_graph *graph = build->graph;
	const struct cg_part_entry *part = &graph->part[build->part];
	struct cg_location location = { 0 };

	if (!cg_build_check(build, (uint32_t)n, graph->events + 1, "event") ||
	    !cg_build_end_run(build))
		return;
	if (build->excluded_files.table || build->drops_costs)
		return; /* the sum lacks the costs of dropped rows */
	cg_in_locate(build->in, at, &location);
	for (size_t i = 0; i < n; i++) {
		uint64_t sum = (i < part->totals ? part->total[i] : 0) -
			       (i < build->marks ? build->mark[i] : 0);

		if (sum == cost[i] || (at_least && sum < cost[i]))
			continue;
		cg_diag_say(graph->diag, CG_WARNING, &location,
		    "the sum of %s is %llu, but the input states %llu",
		    graph->event[i].name, (unsigned long long)sum,
		    (unsigned long long)cost[i]);
	}
}

/* ---- Signed events ------------------------------------------------------ */

/*
 * An event may be signed in some inputs and unsigned in others. Then it is
 * signed in the sum, provided that all costs are below 2^63: larger ones would
 * become negative.
 */

/*
 * Grows build->sign to the number of events: for each event it has what is
 * known of its signs. False: out of memory (the builder fails).
 */
static bool
grow(struct cg_build *build)
{
	if (cg_grow(&build->sign, &build->signs, build->graph->events,
		sizeof(*build->sign)))
		return true;
	cg_build_nomem(build);
	return false;
}

static void
note_costs(struct cg_build *build, const uint64_t *cost, size_t n)
{
	for (size_t i = 0; i < n; i++)
		build->sign[i].bits |= cost[i];
}

/*
 * ORs the costs of each event stored so far into build->sign[].bits. If the
 * highest bit is set, the event cannot become signed. Sets build->scanned.
 * False: out of memory, or the builder has failed.
 */
static bool
scan(struct cg_build *build)
{
	const struct cg_graph *graph = build->graph;
	struct cg_rows *rows = cg_rows_new(graph);
	struct cg_call call;
	bool stated;

	if (!rows || !cg_build_end_run(build)) {
		cg_rows_free(rows);
		return false;
	}
	/*
	 * The totals suffice for self costs: no self cost has a bit above
	 * their highest one.
	 */
	for (size_t i = 0; i < graph->parts; i++)
		note_costs(build, graph->part[i].total, graph->part[i].totals);
	for (size_t i = 0; i < graph->runs; i++) {
		cg_calls_begin(rows, &graph->run[i], true);
		while (cg_calls_next(rows, &call, &stated))
			note_costs(build, call.cost, call.n);
	}
	cg_rows_free(rows);
	build->scanned = build->inputs;
	return true;
}

void
cg_sign_event(struct cg_build *build, size_t i, bool is_signed)
{
	struct cg_event *event = &build->graph->event[i];
	struct cg_sign *sign;

	if (!grow(build))
		return;
	sign = &build->sign[i];
	if (event->is_signed != is_signed && sign->input == build->inputs)
		cg_build_fail(build,
		    "event %s is signed in one place and unsigned in another",
		    event->name);
	sign->input = build->inputs;
	sign->is_plain = !is_signed;
	if (event->is_signed || !is_signed)
		return;
	if (build->scanned != build->inputs && !scan(build))
		return;
	if (build->sign[i].bits >> 63 != 0)
		cg_build_fail(build,
		    "costs of %s are above 2^63 in one input, and may be "
		    "negative in another",
		    event->name);
	event->is_signed = build->graph->any_signed = true;
}
