/*
 * view.c - cursors over the rows of one function.
 *
 * Costs are decoded as they are asked for (costs.c). Of calls and the rest,
 * which are few, opening a run decodes where its rows are, sorts that, and
 * then the cursors decode and sum the rows of one place after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "rows.h"

/* A row: its place, and where the rest of it is packed. */
struct row {
	uint64_t addr;
	uint32_t file; /* its rank, so that order is by name */
	uint32_t line;
	unsigned tag;
	uint32_t target;     /* rank of a call's or jump's function */
	const uint8_t *rest; /* what follows the position */
};

void
cg_graph_nomem(const struct cg_graph *graph)
{
	if (*graph->fault != CG_OK)
		return;
	*graph->fault = CG_ELIMIT;
	cg_diag_say(graph->diag, CG_ERROR, NULL, "out of memory");
}

void
cg_graph_overflow(const struct cg_graph *graph, const char *what)
{
	if (*graph->fault != CG_OK)
		return;
	*graph->fault = CG_EINPUT;
	cg_diag_say(graph->diag, CG_ERROR, NULL,
	    "%s add up to more than 64 bits hold", what);
}

struct cg_rows *
cg_rows_new(const struct cg_graph *graph)
{
	struct cg_rows *rows = calloc(1, sizeof(*rows));
	size_t events = graph->events ? graph->events : 1;

	if (rows) {
		rows->graph = graph;
		rows->fn_rank = graph->fn_rank;
		rows->file_rank = graph->file_rank;
		rows->file_ranked = graph->file_ranked;
	}
	if (!rows ||
	    !cg_grow(
		&rows->cost, &rows->cost_cap, events, sizeof(*rows->cost)) ||
	    !cg_grow(&rows->sum, &rows->sum_cap, events, sizeof(*rows->sum))) {
		cg_rows_free(rows);
		cg_graph_nomem(graph);
		return NULL;
	}
	return rows;
}

void
cg_rows_free(struct cg_rows *rows)
{
	if (!rows)
		return;
	for (size_t kind = 0; kind <= CG_ROW_OTHER; kind++)
		free(rows->list[kind].row);
	free(rows->head);
	free(rows->room);
	free(rows->cost);
	free(rows->sum);
	free(rows->seen);
	free(rows->seen_slot);
	free(rows);
}

void
cg_rows_drop_addresses(struct cg_rows *rows)
{
	rows->no_addresses = true;
}

/*
 * Many calls may share a place. The rank of what they enter is read here, row
 * after row, where one read from memory does not wait for another.
 */
static uint32_t
rank_target(const struct cg_rows *rows, unsigned tag, const uint8_t *rest)
{
	unsigned kind = tag & CG_TAG_KIND;
	cg_fn fn = rows->fn;

	if (kind == CG_ROW_CALL || (kind == CG_ROW_JUMP && tag & CG_TAG_FAR))
		fn = (cg_fn)get_varint(&rest);
	return rows->fn_rank ? rows->fn_rank[fn] : fn;
}

/* Notes where the run's rows are that are no costs. */
static bool
list_rows(struct cg_rows *rows, const struct cg_run *run)
{
	struct scan scan;

	cg_scan_begin(&scan, &run->others, rows->graph->fn[run->fn].file,
	    rows->file_rank);
	while (scan_row(&scan, rows->file_rank)) {
		unsigned kind = scan.tag & CG_TAG_KIND;
		struct list *list = &rows->list[kind];
		const uint8_t *rest = scan.at;
		struct row *row;

		scan.at = skip_rest(scan.tag, rest);
		if (list->count == list->cap &&
		    !cg_grow_raw(
			&list->row, &list->cap, list->count + 1, sizeof(*row)))
			return false;
		row = &list->row[list->count++];
		row->addr = rows->no_addresses ? 0 : scan.pos.addr;
		row->line = scan.pos.line;
		row->file = scan.rank;
		row->tag = scan.tag;
		row->target = rank_target(rows, scan.tag, rest);
		row->rest = rest;
	}
	return true;
}

/* What of a call or jump comes after its position in the order of rows. */
struct target {
	uint32_t fn, file, line;
	bool conditional;
	uint64_t addr;
	const uint8_t *rest; /* counts, then values */
};

static void
get_target(const struct cg_rows *rows, const struct row *row, struct target *to)
{
	unsigned tag = row->tag;
	const uint8_t *at = row->rest;

	*to = (struct target){ .fn = rows->fn, .file = row->file };
	if ((tag & CG_TAG_KIND) == CG_ROW_CALL) {
		to->fn = (cg_fn)get_varint(&at);
		to->rest = at;
		(void)get_varint(&at); /* count */
		to->line = (uint32_t)get_varint(&at);
		to->addr = rows->no_addresses ? 0 : get_varint(&at);
		return;
	}
	to->conditional = (tag & CG_TAG_COND) != 0;
	if (tag & CG_TAG_FAR) {
		to->fn = (cg_fn)get_varint(&at);
		to->file = (cg_file)get_varint(&at);
		if (rows->file_rank)
			to->file = rows->file_rank[to->file];
	}
	to->addr = row->addr + get_signed(&at);
	if (rows->no_addresses)
		to->addr = 0;
	to->line = row->line + (uint32_t)get_signed(&at);
	to->rest = at;
}

static int
compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int
compare_targets(
    const struct cg_rows *rows, const struct row *a, const struct row *b)
{
	struct target ta, tb;
	int order;

	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	get_target(rows, a, &ta);
	get_target(rows, b, &tb);
	order = compare_u64(ta.file, tb.file);
	if (order == 0)
		order = compare_u64(ta.addr, tb.addr);
	if (order == 0)
		order = compare_u64(ta.line, tb.line);
	return order ? order : ta.conditional - tb.conditional;
}

/* Branches: by kind, block, index; inclusive rows come first, all equal. */
static int
compare_others(const struct row *a, const struct row *b)
{
	const uint8_t *pa = a->rest, *pb = b->rest;
	bool branch = a->tag & CG_TAG_BRANCH;
	int order = branch - ((b->tag & CG_TAG_BRANCH) != 0);

	for (int i = 0; order == 0 && branch && i < 3; i++)
		order = compare_u64(get_varint(&pa), get_varint(&pb));
	return order;
}

/* Rows that compare equal are summed. */
static inline int
compare_rows(const struct cg_rows *rows, enum cg_row_kind kind,
    const struct row *a, const struct row *b)
{
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return kind == CG_ROW_OTHER ? compare_others(a, b)
				    : compare_targets(rows, a, b);
}

/* The end of the ascending stretch that begins at from. */
static size_t
ascending(const struct cg_rows *rows, enum cg_row_kind kind, struct row *row,
    size_t from, size_t count)
{
	size_t at = from + 1;

	while (
	    at < count && compare_rows(rows, kind, &row[at - 1], &row[at]) <= 0)
		at++;
	return at < count ? at : count;
}

static void
merge(const struct cg_rows *rows, enum cg_row_kind kind, struct row *row,
    size_t middle, size_t end, struct row *room)
{
	size_t left = 0, right = middle, to = 0;

	memcpy(room, row, middle * sizeof(*row));
	while (left < middle && right < end) {
		if (compare_rows(rows, kind, &room[left], &row[right]) <= 0)
			row[to++] = room[left++];
		else
			row[to++] = row[right++];
	}
	memcpy(&row[to], &room[left], (middle - left) * sizeof(*row));
}

/*
 * Natural merge sort: rows come as a few ascending stretches, and mostly as
 * one. Each pass merges neighbours, so any input takes O(n log n).
 */
static bool
sort_list(struct cg_rows *rows, enum cg_row_kind kind)
{
	struct row *row = rows->list[kind].row;
	size_t count = rows->list[kind].count, from, middle, end;

	if (count < 2)
		return true;
	if (ascending(rows, kind, row, 0, count) == count)
		return true;
	if (!cg_grow_raw(&rows->room, &rows->room_cap, count, sizeof(*row)))
		return false;
	do {
		for (from = 0; from < count; from = end) {
			middle = ascending(rows, kind, row, from, count);
			if (middle == count)
				break;
			end = ascending(rows, kind, row, middle, count);
			merge(rows, kind, row + from, middle - from, end - from,
			    rows->room);
		}
	} while (ascending(rows, kind, row, 0, count) != count);
	return true;
}

static void
reset(struct cg_rows *rows, cg_fn fn, bool merged)
{
	for (size_t kind = 0; kind <= CG_ROW_OTHER; kind++)
		rows->list[kind].count = rows->list[kind].next = 0;
	rows->in_order = false;
	rows->heads = 0;
	rows->has_cost = false;
	rows->fn = fn;
	rows->merge = merged;
}

/* Costs and lists of rows are complete. */
static bool
begin_all(struct cg_rows *rows)
{
	cg_costs_begin(rows);
	for (unsigned kind = CG_ROW_CALL; kind <= CG_ROW_OTHER; kind++) {
		if (!sort_list(rows, (enum cg_row_kind)kind))
			return false;
	}
	return true;
}

/* alone: no other run will be opened with it. */
static bool
open_run(struct cg_rows *rows, const struct cg_run *run, bool alone)
{
	if (!cg_costs_add(rows, run, true))
		return false;
	rows->in_order = alone && run->branches_ascend;
	if (!rows->in_order)
		return list_rows(rows, run);
	cg_scan_begin(&rows->branch, &run->others,
	    rows->graph->fn[run->fn].file, rows->file_rank);
	return true;
}

bool
cg_rows_open(struct cg_rows *rows, cg_part part, cg_fn fn)
{
	const struct cg_graph *graph = rows->graph;
	const struct cg_run *run;
	bool ok = true;
	uint32_t id;

	reset(rows, fn, true);
	if (part != CG_ALL_PARTS) {
		run = cg_run_find(graph, part, fn);
		ok = !run || open_run(rows, run, true);
	} else {
		id = graph->fn[fn].runs;
		for (; ok && id != CG_NO_RUN; id = graph->run[id].next)
			ok = open_run(rows, &graph->run[id],
			    id == graph->fn[fn].runs &&
				graph->run[id].next == CG_NO_RUN);
	}
	if (ok && begin_all(rows))
		return true;
	reset(rows, fn, true);
	cg_graph_nomem(graph);
	return false;
}

bool
cg_rows_open_run(struct cg_rows *rows, const struct cg_run *run)
{
	reset(rows, run->fn, true);
	if (open_run(rows, run, true) && begin_all(rows))
		return true;
	reset(rows, run->fn, true);
	cg_graph_nomem(rows->graph);
	return false;
}

bool
cg_rows_open_merged(struct cg_rows *rows, const struct cg_run *run)
{
	reset(rows, run->fn, true);
	rows->fn_rank = rows->file_rank = rows->file_ranked = NULL;
	if (open_run(rows, run, true) && begin_all(rows))
		return true;
	cg_graph_nomem(rows->graph);
	return false;
}

bool
cg_add_signed(
    const struct cg_graph *graph, uint64_t *a, const uint64_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!cg_add_value(graph, i, &a[i], b[i]))
			return false;
	}
	return true;
}

bool
cg_add_costs(const struct cg_graph *graph, uint64_t *a, size_t *an,
    const uint64_t *b, size_t n)
{
	for (; *an < n; ++*an)
		a[*an] = 0;
	return cg_add_values(graph, a, b, n);
}

static struct cg_pos
pos_of(const struct cg_rows *rows, const struct row *row)
{
	return (struct cg_pos){ .line = row->line,
		.addr = row->addr,
		.file = rows->file_ranked ? rows->file_ranked[row->file]
					  : row->file };
}

/*
 * The next row that is summed into first, or NULL. Its list moves on.
 */
static struct row *
next_same(struct cg_rows *rows, enum cg_row_kind kind, struct row *first)
{
	struct list *list = &rows->list[kind];

	if (!rows->merge || list->next == list->count ||
	    compare_rows(rows, kind, first, &list->row[list->next]) != 0)
		return NULL;
	return &list->row[list->next++];
}

static struct row *
next_row(struct cg_rows *rows, enum cg_row_kind kind)
{
	struct list *list = &rows->list[kind];

	if (list->next == list->count)
		return NULL;
	return &list->row[list->next++];
}

/* Reads what stands behind a call's position. */
static size_t
get_call(const struct cg_rows *rows, const struct row *row,
    struct cg_call *call, uint64_t *cost)
{
	const uint8_t *at = row->rest;

	call->callee = (cg_fn)get_varint(&at);
	call->count = get_varint(&at);
	call->entry.file = 0; /* the callee's, which who needs it asks for */
	call->entry.line = (uint32_t)get_varint(&at);
	call->entry.addr = get_varint(&at);
	if (rows->no_addresses)
		call->entry.addr = 0;
	return get_values(&at, cost);
}

bool
cg_next_call(struct cg_rows *rows, struct cg_call *call)
{
	struct row *row = next_row(rows, CG_ROW_CALL), *same;
	struct cg_call more;
	size_t n;

	if (!row)
		return false;
	call->site = pos_of(rows, row);
	call->n = get_call(rows, row, call, rows->sum);
	call->cost = rows->sum;
	while ((same = next_same(rows, CG_ROW_CALL, row)) != NULL) {
		n = get_call(rows, same, &more, rows->cost);
		if (__builtin_add_overflow(
			call->count, more.count, &call->count) ||
		    !cg_add_costs(
			rows->graph, rows->sum, &call->n, rows->cost, n)) {
			cg_graph_overflow(rows->graph, "calls");
			return false;
		}
	}
	return true;
}

/* Reads what stands behind a jump's target. */
static void
get_jump_counts(const struct target *to, uint64_t *executed, uint64_t *followed)
{
	const uint8_t *at = to->rest;

	*executed = get_varint(&at);
	*followed = to->conditional ? get_varint(&at) : *executed;
}

bool
cg_next_jump(struct cg_rows *rows, struct cg_jump *jump)
{
	struct row *row = next_row(rows, CG_ROW_JUMP), *same;
	struct target to;
	uint64_t executed, followed;

	if (!row)
		return false;
	get_target(rows, row, &to);
	jump->from = pos_of(rows, row);
	jump->target = to.fn;
	jump->to = (struct cg_pos){ .line = to.line,
		.addr = to.addr,
		.file =
		    rows->file_ranked ? rows->file_ranked[to.file] : to.file };
	jump->conditional = to.conditional;
	get_jump_counts(&to, &jump->executed, &jump->followed);
	while ((same = next_same(rows, CG_ROW_JUMP, row)) != NULL) {
		get_target(rows, same, &to);
		get_jump_counts(&to, &executed, &followed);
		if (__builtin_add_overflow(
			jump->executed, executed, &jump->executed) ||
		    __builtin_add_overflow(
			jump->followed, followed, &jump->followed)) {
			cg_graph_overflow(rows->graph, "jumps");
			return false;
		}
	}
	return true;
}

/* What differs is kept so that the order of adding makes no difference. */
static bool
add_branch(const struct cg_graph *graph, struct cg_branch *sum,
    const struct cg_branch *more)
{
	if (sum->target < more->target)
		sum->target = more->target;
	if (cg_compare(
		cg_branch_label(graph, sum), cg_branch_label(graph, more)) < 0)
		sum->label = more->label;
	sum->flags |= more->flags;
	return !__builtin_add_overflow(sum->count, more->count, &sum->count);
}

bool
cg_next_branch(struct cg_rows *rows, struct cg_branch *branch)
{
	struct list *list = &rows->list[CG_ROW_OTHER];
	struct row *row, *same;
	struct cg_branch more;

	if (rows->in_order)
		return next_in_order(rows, branch);
	/* Rows of stated inclusive costs are cg_stated_inclusive()'s. */
	do {
		row = next_row(rows, CG_ROW_OTHER);
		if (!row)
			return false;
	} while (!(row->tag & CG_TAG_BRANCH));
	branch->pos = pos_of(rows, row);
	(void)get_branch(row->rest, branch);
	while (list->next < list->count &&
	       (same = next_same(rows, CG_ROW_OTHER, row)) != NULL) {
		(void)get_branch(same->rest, &more);
		if (!add_branch(rows->graph, branch, &more)) {
			cg_graph_overflow(rows->graph, "branches");
			return false;
		}
	}
	return true;
}

struct cg_slice
cg_branch_label(const struct cg_graph *graph, const struct cg_branch *branch)
{
	return cg_strs_get(&graph->strs, branch->label);
}

bool
cg_stated_inclusive(struct cg_rows *rows, struct cg_cost *cost)
{
	const struct list *list = &rows->list[CG_ROW_OTHER];
	bool found = false;

	*cost = (struct cg_cost){ .cost = rows->sum };
	for (size_t i = 0; i < list->count; i++) {
		const uint8_t *at = list->row[i].rest;
		size_t n;

		if (list->row[i].tag & CG_TAG_BRANCH)
			continue;
		found = true;
		n = get_values(&at, rows->cost);
		if (!cg_add_costs(
			rows->graph, rows->sum, &cost->n, rows->cost, n)) {
			cg_graph_overflow(rows->graph, "inclusive costs");
			return false;
		}
	}
	return found;
}
