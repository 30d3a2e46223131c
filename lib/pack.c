/*
 * pack.c - rows on their way in: checked, summed, packed.
 *
 * A row is a tag byte, differences to the row before (zigzag varints), and
 * values (varints, trailing zeros cut). Real profiles need 0.55 times their
 * text like this, where columns need 2.3 to 5.8 times; reading it back costs
 * less than the cache misses of columns. The layout is known here, in rows.h
 * and in view.c only:
 *
 *	tag: bits 0-1 kind, 2 file follows, 3 addr follows, 4 line follows,
 *	     bits 5-7 number of values (7: a varint follows), or the flags of a
 *	     jump, or what an "other" row is
 *	[file] [addr difference] [line difference]
 *	call:  callee, count, entry line, entry addr, then values
 *	jump:  [target fn, target file], to addr and line as differences to
 *	       the row's own, executed, [followed]
 *	branch: kind, block, index, flags, target, label, count
 *
 * Most rows are costs: what cg_add_cost() does is done in one function.
 */
#include "graph.h"
#include "rows.h"

/* What a row of each kind takes at most besides its values. */
#define POS_MAX 23 /* tag, file, addr, line, number of values */
#define CALL_MAX (POS_MAX + 30)
#define JUMP_MAX (POS_MAX + 50)
#define BRANCH_MAX (POS_MAX + 45)
#define VALUE_MAX 10

static inline uint8_t *
put_varint(uint8_t *to, uint64_t value)
{
	while (value >= 0x80) {
		*to++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t)value;
	return to;
}

static inline uint8_t *
put_signed(uint8_t *to, uint64_t difference)
{
	return put_varint(to, difference << 1 ^ -(difference >> 63));
}

/* ---- Packing ------------------------------------------------------------ */

/* Where the next row goes, with room for need bytes; NULL: out of memory. */
static inline uint8_t *
begin_pack(struct cg_graph *graph, struct cg_run *run, struct cg_packed *packed,
    size_t need)
{
	if ((size_t)(packed->end - packed->at) < need &&
	    !cg_run_make_room(graph, run, packed, need))
		return NULL;
	return packed->at;
}

static inline void
end_pack(struct cg_packed *packed, uint8_t *to)
{
	packed->at = to;
}

/* Is pos behind that of the row before, however files will be ordered? */
static inline bool
is_behind(struct cg_pos pos, struct cg_pos before)
{
	if (pos.addr != before.addr)
		return pos.addr > before.addr;
	return pos.file == before.file && pos.line > before.line;
}

/*
 * Writes what differs from the row before behind the tag at to[0]. (Positions
 * are copied: bytes written might change them, for all the compiler knows.)
 */
static inline uint8_t *
put_pos(struct cg_packed *packed, uint8_t *to, unsigned tag,
    const struct cg_pos *row)
{
	const struct cg_pos pos = { row->file, row->line, row->addr };
	const struct cg_pos before = packed->pos;
	uint8_t *tag_at = to++;

	if (!is_behind(pos, before) && tag_at != packed->first->data)
		packed->ascending = false;
	if (pos.file != before.file) {
		tag |= CG_TAG_FILE;
		to = put_varint(to, pos.file);
	}
	if (pos.addr != before.addr) {
		tag |= CG_TAG_ADDR;
		to = put_signed(to, pos.addr - before.addr);
	}
	if (pos.line != before.line) {
		tag |= CG_TAG_LINE;
		to = put_signed(to, (uint64_t)pos.line - before.line);
	}
	packed->pos = pos;
	*tag_at = (uint8_t)tag;
	return to;
}

static inline size_t
cut_zeros(const uint64_t *cost, size_t n)
{
	while (n > 0 && cost[n - 1] == 0)
		n--;
	return n;
}

static inline uint8_t *
put_values(uint8_t *to, const uint64_t *cost, size_t n)
{
	if (n >= CG_TAG_MANY)
		to = put_varint(to, n);
	for (size_t i = 0; i < n; i++)
		to = put_varint(to, cost[i]);
	return to;
}

static inline unsigned
tag_of(enum cg_row_kind kind, size_t n)
{
	unsigned count = n < CG_TAG_MANY ? (unsigned)n : CG_TAG_MANY;

	return (unsigned)kind | count << CG_TAG_SHIFT;
}

/* Trailing zeros are cut already. */
static inline bool
pack_cost(struct cg_graph *graph, struct cg_run *run, const struct cg_pos *pos,
    const uint64_t *cost, size_t n)
{
	struct cg_packed *packed = &run->costs;
	uint8_t *to;

	to = begin_pack(graph, run, packed, POS_MAX + n * VALUE_MAX);
	if (!to)
		return false;
	to = put_pos(packed, to, tag_of(CG_ROW_COST, n), pos);
	end_pack(packed, put_values(to, cost, n));
	return true;
}

bool
cg_run_add_cost(struct cg_graph *graph, struct cg_run *run,
    const struct cg_pos *pos, const uint64_t *cost, size_t n)
{
	return pack_cost(graph, run, pos, cost, cut_zeros(cost, n));
}

bool
cg_run_add_call(
    struct cg_graph *graph, struct cg_run *run, const struct cg_call *call)
{
	struct cg_packed *packed = &run->others;
	size_t n = cut_zeros(call->cost, call->n);
	uint8_t *to = begin_pack(graph, run, packed, CALL_MAX + n * VALUE_MAX);

	if (!to)
		return false;
	to = put_pos(packed, to, tag_of(CG_ROW_CALL, n), &call->site);
	to = put_varint(to, call->callee);
	to = put_varint(to, call->count);
	to = put_varint(to, call->entry.line);
	to = put_varint(to, call->entry.addr);
	end_pack(packed, put_values(to, call->cost, n));
	return true;
}

bool
cg_run_add_jump(
    struct cg_graph *graph, struct cg_run *run, const struct cg_jump *jump)
{
	struct cg_packed *packed = &run->others;
	bool far = jump->target != run->fn || jump->to.file != jump->from.file;
	unsigned tag = CG_ROW_JUMP | (jump->conditional ? CG_TAG_COND : 0) |
		       (far ? CG_TAG_FAR : 0);
	uint8_t *to = begin_pack(graph, run, packed, JUMP_MAX);

	if (!to)
		return false;
	to = put_pos(packed, to, tag, &jump->from);
	if (far) {
		to = put_varint(to, jump->target);
		to = put_varint(to, jump->to.file);
	}
	to = put_signed(to, jump->to.addr - jump->from.addr);
	to = put_signed(to, (uint64_t)jump->to.line - jump->from.line);
	to = put_varint(to, jump->executed);
	if (jump->conditional)
		to = put_varint(to, jump->followed);
	end_pack(packed, to);
	return true;
}

bool
cg_run_add_branch(
    struct cg_graph *graph, struct cg_run *run, const struct cg_branch *branch)
{
	struct cg_packed *packed = &run->others;
	uint8_t *to = begin_pack(graph, run, packed, BRANCH_MAX);

	if (!to)
		return false;
	to = put_pos(packed, to, CG_ROW_OTHER | CG_TAG_BRANCH, &branch->pos);
	to = put_varint(to, branch->kind);
	to = put_varint(to, branch->block);
	to = put_varint(to, branch->index);
	to = put_varint(to, branch->flags);
	to = put_varint(to, branch->target);
	to = put_varint(to, branch->label);
	end_pack(packed, put_signed(to, (uint64_t)branch->count));
	return true;
}

bool
cg_run_add_inclusive(
    struct cg_graph *graph, struct cg_run *run, const uint64_t *cost, size_t n)
{
	struct cg_packed *packed = &run->others;
	uint8_t *to;

	n = cut_zeros(cost, n);
	to = begin_pack(graph, run, packed, POS_MAX + n * VALUE_MAX);
	if (!to)
		return false;
	*to++ = CG_ROW_OTHER | CG_TAG_INCLUSIVE;
	to = put_varint(to, n);
	for (size_t i = 0; i < n; i++)
		to = put_varint(to, cost[i]);
	end_pack(packed, to);
	return true;
}

/* ---- From readers ------------------------------------------------------- */

/* Checks ids and numbers that a row has, and finds its run. */
static struct cg_run *
find_run(struct cg_build *build, cg_fn fn, const struct cg_pos *pos, size_t n)
{
	struct cg_graph *graph = build->graph;

	if (!cg_build_check(build, pos->file, graph->files.count, "file") ||
	    !cg_build_check(build, fn, graph->fns, "function") ||
	    !cg_build_check(build, (uint32_t)n, graph->events + 1, "event"))
		return NULL;
	if (!build->run || build->run->fn != fn)
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

/* Are there costs below zero? Few targets can hold them. */
static void
note_signs(struct cg_graph *graph, const uint64_t *cost, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (graph->event[i].is_signed && (int64_t)cost[i] < 0)
			graph->facts |= CG_SIGNED;
	}
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
		note_signs(build->graph, cost, n);
	if (cg_add_values(build->graph, total, cost, n))
		return true;
	refuse_total(build);
	return false;
}

/* A row some of whose values may be below zero. */
static bool
add_signed_cost(struct cg_build *build, struct cg_run *run,
    const struct cg_pos *pos, const uint64_t *cost, size_t n)
{
	if (!cg_build_total(build, cost, n))
		return false;
	if (pack_cost(build->graph, run, pos, cost, n))
		return true;
	cg_build_nomem(build);
	return false;
}

/* Nearly all rows are of this kind: values are summed as they are packed. */
bool
cg_add_cost(struct cg_build *build, cg_fn fn, const struct cg_pos *pos,
    const uint64_t *cost, size_t n)
{
	struct cg_run *run;
	uint64_t *total;
	uint8_t *to = NULL;

	if (cg_build_omits(build, pos->file))
		return build->status == CG_OK;
	n = cut_zeros(cost, n);
	run = begin_row(build, fn, pos, n);
	if (!run)
		return false;
	build->graph->facts |= n == 0 ? CG_SELF | CG_ZEROS : CG_SELF;
	if (build->graph->any_signed)
		return add_signed_cost(build, run, pos, cost, n);
	total = get_total(build, n);
	if (total || n == 0)
		to = begin_pack(build->graph, run, &run->costs,
		    POS_MAX + n * VALUE_MAX);
	if (!to) {
		cg_build_nomem(build);
		return false;
	}
	to = put_pos(&run->costs, to, tag_of(CG_ROW_COST, n), pos);
	if (n >= CG_TAG_MANY)
		to = put_varint(to, n);
	for (size_t i = 0; i < n; i++) {
		if (__builtin_add_overflow(total[i], cost[i], &total[i])) {
			refuse_total(build);
			return false;
		}
		to = put_varint(to, cost[i]);
	}
	end_pack(&run->costs, to);
	return true;
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
		note_signs(build->graph, cost, n);
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
	};
	struct cg_graph *graph = build->graph;
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
	run = begin_row(build, fn, &branch->pos, 0);
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

	if (!cg_build_check(build, (uint32_t)n, graph->events + 1, "event"))
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
