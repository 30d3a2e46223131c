/*
 * add.c - rows on their way in: checked, summed, packed.
 *
 * Most rows are costs in text: what add_line() does is done in one
 * function.
 */
#include <string.h>

#include "graph.h"
#include "rows.h"

/* Checks ids and numbers that a row has, and finds its run. */
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
	if (!build->run)
		cg_build_nomem(build);
	return build->run;
}

/* What all rows have in common. Mostly the run is that of the row before. */
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

/* Are there costs below zero? */
static bool
check_signs(struct cg_build *build, const uint64_t *cost, size_t n)
{
	const struct cg_graph *graph = build->graph;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (!graph->event[i].is_signed || (int64_t)cost[i] >= 0)
			continue;
		cg_sign_check(build, i);
		any = true;
	}
	return any;
}

/* Few targets can hold them. */
static void
note_signs(struct cg_build *build, const uint64_t *cost, size_t n)
{
	if (check_signs(build, cost, n))
		build->graph->facts |= CG_SIGNED;
}

/* The sums of the part, at least n; NULL: out of memory. */
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
	cg_build_fail(build, "costs add up to more than 64 bits hold");
}

bool
cg_build_total(struct cg_build *build, const uint64_t *cost, size_t n)
{
	uint64_t *total = get_total(build, n);

	if (n > 0 && !total)
		return false;
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
	n = cut_zeros(build->sum, n < build->sums ? n : build->sums);
	if (cg_build_total(build, build->sum, n) &&
	    !cg_run_add_cost(graph, run, &pos, build->sum, n))
		cg_build_nomem(build);
	memset(build->sum, 0, build->sums * sizeof(*build->sum));
	return build->status == CG_OK;
}

/* The sums of the run, which are all that will be asked for. */
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

bool
cg_add_cost(struct cg_build *build, cg_fn fn, const struct cg_pos *pos,
    const uint64_t *cost, size_t n)
{
	struct cg_run *run;

	if (cg_build_omits(build, pos->file))
		return build->status == CG_OK;
	n = cut_zeros(cost, n);
	run = begin_row(build, fn, pos, n);
	if (!run)
		return false;
	build->graph->facts |= n == 0 ? CG_SELF | CG_ZEROS : CG_SELF;
	if (build->sums_only)
		return add_to_sum(build, cost, n);
	if (!cg_build_total(build, cost, n))
		return false;
	if (cg_run_add_cost(build->graph, run, pos, cost, n))
		return true;
	cg_build_nomem(build);
	return false;
}

/* ---- Costs in text ------------------------------------------------------ */

static inline unsigned
digit_of(char c)
{
	return (unsigned char)c - (unsigned)'0';
}

/* The digits behind the first one: as many as surely fit. */
static inline const char *
take_digits(const char *text, uint64_t *value)
{
	unsigned digit;

	for (; (digit = digit_of(*text)) <= 9 && *value < UINT64_MAX / 100;
	     text++)
		*value = *value * 10 + digit;
	return text;
}

/* Takes off sums what was added of a text that turned out to be none. */
static const char *
take_back(uint64_t *sum, const char *text, size_t n)
{
	uint64_t value;

	for (size_t i = 0; i < n; i++) {
		value = digit_of(*text);
		text = take_digits(text + 1, &value) + 1;
		sum[i] -= value;
	}
	return NULL;
}

static inline uint8_t *
put_short(uint8_t *to, uint64_t value)
{
	if (value >= 0x80)
		return put_varint(to, value);
	*to = (uint8_t)value;
	return to + 1;
}

static inline void
note_line(struct cg_graph *graph, const struct cg_pos *pos, bool zero)
{
	if (zero)
		graph->facts |= CG_ZEROS;
	if (~graph->facts & (CG_SELF | CG_INSTRS | CG_LINES))
		graph->facts |= CG_SELF | (pos->addr != 0 ? CG_INSTRS : 0) |
				(pos->line != 0 ? CG_LINES : 0);
}

/*
 * Most bytes of most big files come by here: read, summed and packed in one
 * go, or without a place for them (packed is NULL) only summed.
 */
static inline const char *
add_line(const struct cg_cost_lines *lines, struct cg_packed *packed,
    const struct cg_pos *pos, const char *text, uint8_t *to)
{
	const size_t most = lines->most;
	uint64_t *sum = lines->sum, value, more, any = 0;
	const char *from = text;
	uint8_t *values = packed ? put_pos(packed, to, CG_ROW_COST, pos) : NULL;
	char c = *text;
	size_t n = 0;

	to = packed ? values + 1 : NULL;
	while (n < most && (value = digit_of(c)) <= 9) {
		c = *++text;
		if (digit_of(c) <= 9) {
			text = take_digits(text, &value);
			c = *text;
		}
		more = sum[n] + value;
		sum[n++] = more;
		if (more < value)
			return take_back(sum, from, n);
		if (packed)
			to = put_short(to, value);
		else
			any |= value;
		if (c != ' ')
			break;
		c = *++text;
	}
	if (c != '\n')
		return take_back(sum, from, n);
	if (packed) {
		while (n > 0 && to[-1] == 0)
			to--, n--;
		*values = (uint8_t)n;
		end_pack(packed, to, pos);
	}
	note_line(lines->build->graph, pos, packed ? n == 0 : any == 0);
	return text;
}

static const char *
sum_line(const struct cg_cost_lines *lines, uint64_t addr, uint32_t line,
    const char *text)
{
	const struct cg_pos pos = { .line = line, .addr = addr };

	return add_line(lines, NULL, &pos, text, NULL);
}

static const char *
pack_line(const struct cg_cost_lines *lines, uint64_t addr, uint32_t line,
    const char *text)
{
	const struct cg_pos pos = { lines->file, line, addr };
	struct cg_run *run = lines->build->run;
	uint8_t *to = begin_pack(lines->build->graph, run, &run->costs,
	    POS_MAX + lines->most * VALUE_MAX);

	return to ? add_line(lines, &run->costs, &pos, text, to) : NULL;
}

bool
cg_begin_cost_lines(struct cg_build *build, cg_fn fn, cg_file file, size_t most,
    struct cg_cost_lines *lines)
{
	const struct cg_pos pos = { .file = file };
	struct cg_graph *graph = build->graph;

	/* What is seldom is left to cg_add_cost(). */
	if (graph->any_signed || most >= 0x80 || cg_build_omits(build, file) ||
	    !begin_row(build, fn, &pos, most))
		return false;
	lines->build = build;
	lines->file = file;
	lines->most = most;
	lines->add = build->sums_only ? sum_line : pack_line;
	lines->sum =
	    build->sums_only ? get_run_sum(build) : get_total(build, most);
	return lines->sum != NULL;
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

	if (cg_build_omits(build, site->file))
		return build->status == CG_OK;
	run = begin_row(build, caller, site, n);
	if (!run ||
	    !cg_build_check(build, callee, build->graph->fns, "function"))
		return false;
	if (caller != 0) /* else they are entries, as coverage counts them */
		build->graph->facts |= CG_CALLS;
	if (build->graph->any_signed)
		note_signs(build, cost, n);
	for (size_t i = 0; i < n && !(build->graph->facts & CG_INCL); i++)
		build->graph->facts |= cost[i] ? CG_INCL : 0;
	if (!cg_run_add_call(build->graph, run, &call))
		cg_build_nomem(build);
	return build->status == CG_OK;
}

/* Rows that nobody will ask for; that there were some is known. */
static bool
is_unwanted(struct cg_build *build, cg_facts fact)
{
	if (build->status != CG_OK || !(build->unwanted & fact))
		return false;
	build->graph->facts |= fact;
	return true;
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

	if (cg_build_omits(build, from->file) ||
	    cg_build_omits(build, to->file) || is_unwanted(build, CG_JUMPS))
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
	struct cg_run *run = begin_row(build, fn, &nowhere, n);

	if (run && build->graph->any_signed)
		(void)check_signs(build, cost, n);
	if (run && !cg_run_add_inclusive(build->graph, run, cost, n))
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
	};
	struct cg_graph *graph = build->graph;
	/* Where costs are is another matter. */
	const struct cg_pos pos = { .file = branch->pos.file,
		.line = branch->pos.line };
	size_t strs = graph->strs.count ? graph->strs.count : 1;
	struct cg_run *run;

	if (cg_build_omits(build, branch->pos.file) ||
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
	if (!cg_run_add_branch(graph, run, branch))
		cg_build_nomem(build);
	return build->status == CG_OK;
}

void
cg_state_total(struct cg_build *build, const char *at, const uint64_t *cost,
    size_t n, bool at_least)
{
	const struct cg_graph *graph = build->graph;
	const struct cg_part_entry *part = &graph->part[build->part];
	struct cg_place place = { 0 };

	if (!cg_build_check(build, (uint32_t)n, graph->events + 1, "event") ||
	    !cg_build_end_run(build))
		return;
	cg_in_place(build->in, at, &place);
	for (size_t i = 0; i < n; i++) {
		uint64_t sum = (i < part->totals ? part->total[i] : 0) -
			       (i < build->marks ? build->mark[i] : 0);

		if (sum == cost[i] || (at_least && sum < cost[i]))
			continue;
		cg_diag_say(graph->diag, CG_WARNING, &place,
		    "costs of %s add up to %llu, but the input says %llu",
		    graph->event[i].name, (unsigned long long)sum,
		    (unsigned long long)cost[i]);
	}
}
