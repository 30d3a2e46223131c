/*
 * graph.c - rows, cycles, propagation and formulas, compared with brute force
 * on small random graphs.
 */
#include <errno.h>

#include "algo/algo.h"
#include "io/io.h"
#include "unit.h"

#define FNS 6
#define PLACES 5
#define EVENTS 3

static int fault;
static struct unit_log message;
static struct cg_diag diag = { .report = unit_report, .arg = &message };

static struct cg_graph *
begin(struct cg_build *build, enum cg_incl incl)
{
	struct cg_graph *graph = cg_graph_new(&diag, &fault);
	char name[16];

	if (!graph)
		exit(1);
	cg_build_init(build, graph, CG_PARTS_KEEP);
	for (int i = 0; i < EVENTS; i++) {
		(void)snprintf(name, sizeof(name), "e%d", i);
		cg_add_event(
		    build, &(struct cg_event){ .name = name, .incl = incl });
	}
	for (int i = 1; i < FNS; i++) {
		/* Ids and names in opposite order. */
		(void)snprintf(name, sizeof(name), "f%d", FNS - i);
		CHECK(cg_add_fn(build, cg_slice(name), 0, 0) == (cg_fn)i);
	}
	for (int i = 1; i < 3; i++) {
		(void)snprintf(name, sizeof(name), "%c.c", 'z' - i);
		CHECK(cg_add_file(build, cg_slice(name)) == (cg_file)i);
	}
	return graph;
}

static void
end(struct cg_build *build, struct cg_graph *graph)
{
	CHECK(cg_build_status(build) == CG_OK && fault == CG_OK);
	cg_build_free(build);
	cg_graph_free(graph);
	fault = CG_OK;
}

/* ---- Tables ------------------------------------------------------------- */

/* Names and functions keep their ids when the tables are made again. */
static void
test_tables(void)
{
	struct cg_build build;
	struct cg_graph *graph = begin(&build, CG_INCL_NONE);
	cg_name name = cg_add_name(&build, cg_slice("f1"));

	cg_graph_drop_tables(graph);
	CHECK(cg_set_fn_file(graph, 1, 1));
	CHECK(cg_add_fn(&build, cg_slice("f2"), 0, 0) == FNS - 2);
	cg_graph_drop_tables(graph);
	CHECK(cg_add_name(&build, cg_slice("f1")) == name);
	CHECK(cg_add_fn(&build, cg_slice("f1"), 0, 0) == FNS - 1);
	/* Function 1 has file 1 now. */
	CHECK(cg_add_fn(&build, cg_slice("f5"), 1, 0) == 1);
	CHECK(cg_add_fn(&build, cg_slice("f5"), 0, 0) == FNS);
	CHECK(!cg_set_fn_file(graph, FNS, 1));
	end(&build, graph);
}

/* ---- Rows --------------------------------------------------------------- */

struct rows_model {
	uint64_t cost[FNS][3][PLACES][PLACES][EVENTS];
	bool there[FNS][3][PLACES][PLACES];
	uint64_t count[FNS][PLACES][FNS], calls[FNS][PLACES][FNS][EVENTS];
	uint64_t executed[FNS][PLACES][PLACES][2],
	    followed[FNS][PLACES][PLACES];
};

static void
add_random_row(
    struct cg_build *build, struct rows_model *model, uint64_t *random)
{
	cg_fn fn = (cg_fn)unit_below(random, FNS);
	uint32_t line = (uint32_t)unit_below(random, PLACES);
	uint64_t addr = unit_below(random, PLACES), cost[EVENTS];
	cg_file file = (cg_file)unit_below(random, 3);
	size_t n = unit_below(random, EVENTS + 1);
	uint64_t count = unit_below(random, 100);
	struct cg_pos pos = { .file = file, .line = line, .addr = addr };

	for (size_t i = 0; i < n; i++)
		cost[i] = unit_number(random) >> 20;
	switch (unit_below(random, 3)) {
	case 0:
		cg_add_cost(build, fn, &pos, cost, n);
		model->there[fn][file][line][addr] = true;
		for (size_t i = 0; i < n; i++)
			model->cost[fn][file][line][addr][i] += cost[i];
		break;
	case 1:
		pos = (struct cg_pos){ .line = line };
		cg_add_call(build, fn, &pos, (cg_fn)addr,
		    &(struct cg_pos){ .line = 7 }, count, cost, n);
		model->count[fn][line][addr] += count;
		for (size_t i = 0; i < n; i++)
			model->calls[fn][line][addr][i] += cost[i];
		break;
	default:
		pos = (struct cg_pos){ .line = line };
		cg_add_jump(build, fn, &pos, fn,
		    &(struct cg_pos){ .line = (uint32_t)addr }, n > 1, count,
		    count / 2);
		model->executed[fn][line][addr][n > 1] += count;
		if (n > 1)
			model->followed[fn][line][addr] += count / 2;
		break;
	}
}

static bool
same_cost(const uint64_t *cost, size_t n, const uint64_t *model)
{
	for (size_t i = 0; i < EVENTS; i++) {
		if (model[i] != (i < n ? cost[i] : 0))
			return false;
	}
	return n == 0 || cost[n - 1] != 0 || n <= EVENTS;
}

/* Removes the expected row of each row of the cursor; none may remain. */
static void
compare_rows(struct cg_rows *rows, struct rows_model *model, cg_fn fn)
{
	struct cg_pos last = { 0 };
	struct cg_cost cost;
	struct cg_call call;
	struct cg_jump jump;
	bool first = true;

	while (cg_next_cost(rows, &cost)) {
		const struct cg_pos *p = &cost.pos;

		CHECK(model->there[fn][p->file][p->line][p->addr]);
		model->there[fn][p->file][p->line][p->addr] = false;
		CHECK(same_cost(cost.cost, cost.n,
		    model->cost[fn][p->file][p->line][p->addr]));
		CHECK(first || p->addr > last.addr ||
		      (p->addr == last.addr &&
			  (p->file != last.file || p->line > last.line)));
		last = *p;
		first = false;
	}
	while (cg_next_call(rows, &call)) {
		CHECK(call.count ==
		      model->count[fn][call.site.line][call.callee]);
		CHECK(same_cost(call.cost, call.n,
		    model->calls[fn][call.site.line][call.callee]));
		model->count[fn][call.site.line][call.callee] = 0;
	}
	while (cg_next_jump(rows, &jump)) {
		uint64_t *executed =
		    &model->executed[fn][jump.from.line][jump.to.line]
				    [jump.conditional];

		CHECK(jump.executed == *executed);
		CHECK(
		    jump.followed ==
		    (jump.conditional
			    ? model->followed[fn][jump.from.line][jump.to.line]
			    : *executed));
		*executed = 0;
	}
}

static bool
is_empty(const struct rows_model *model)
{
	const unsigned char *there = (const void *)model->there;
	const unsigned char *count = (const void *)model->count;
	const unsigned char *executed = (const void *)model->executed;

	for (size_t i = 0; i < sizeof(model->there); i++)
		if (there[i])
			return false;
	for (size_t i = 0; i < sizeof(model->count); i++)
		if (count[i])
			return false;
	for (size_t i = 0; i < sizeof(model->executed); i++)
		if (executed[i])
			return false;
	return true;
}

/* Many rows of few positions: runs are merged while they grow. */
static void
test_rows(uint64_t seed, int count)
{
	struct rows_model *model = unit_alloc(sizeof(*model));
	struct cg_build build;
	struct cg_graph *graph = begin(&build, CG_INCL_STATED);
	struct cg_rows *rows;
	uint64_t random = seed;

	memset(model, 0, sizeof(*model));
	for (int i = 0; i < count; i++)
		add_random_row(&build, model, &random);
	CHECK(cg_graph_seal(graph) == CG_OK);
	rows = cg_rows_new(graph);
	for (cg_fn fn = 0; rows && fn < FNS; fn++) {
		CHECK(cg_rows_open(rows, 0, fn));
		compare_rows(rows, model, fn);
	}
	CHECK(is_empty(model));
	cg_rows_free(rows);
	end(&build, graph);
	free(model);
}

/* ---- Many rows in any order ---------------------------------------------- */

#define MANY 8000

/* A number that is 0, small or large; which of them, the seed tells. */
static uint64_t
any_number(uint64_t *random, uint64_t seed, unsigned number, uint64_t most)
{
	switch (seed >> 2 * number & 3) {
	case 0: return 0;
	case 1: return unit_below(random, 9);
	case 2: return unit_below(random, 100) == 0 ? most : 3;
	default: return unit_below(random, most);
	}
}

static uint64_t
mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t
mix_pos(const struct cg_pos *pos)
{
	return mix(mix(mix(1, pos->addr), pos->file), pos->line);
}

static uint64_t
mix_branch(const struct cg_branch *row)
{
	return mix(mix(mix(mix_pos(&row->pos), row->kind), row->block),
		   row->index) *
	       (uint64_t)row->count;
}

static uint64_t
mix_call(const struct cg_call *row)
{
	return mix(mix(mix_pos(&row->site), row->callee), row->entry.line) *
	       row->count;
}

/* Do the positions ascend? Files are in the reverse order of ids. */
static int
compare_positions(const struct cg_pos *a, const struct cg_pos *b)
{
	const uint64_t keys[3][2] = { { a->addr, b->addr },
		{ (3 - a->file) % 3, (3 - b->file) % 3 },
		{ a->line, b->line } };

	for (int i = 0; i < 3; i++) {
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	}
	return 0;
}

static int
compare_branches(const struct cg_branch *a, const struct cg_branch *b)
{
	const uint64_t keys[3][2] = { { a->kind, b->kind },
		{ a->block, b->block }, { a->index, b->index } };
	int order = compare_positions(&a->pos, &b->pos);

	for (int i = 0; order == 0 && i < 3; i++) {
		if (keys[i][0] != keys[i][1])
			order = keys[i][0] < keys[i][1] ? -1 : 1;
	}
	return order;
}

/* Names are in the reverse order of ids, except that of function 0. */
static int
compare_calls(const struct cg_call *a, const struct cg_call *b)
{
	int order = compare_positions(&a->site, &b->site);

	if (order == 0)
		order = (int)((FNS - a->callee) % FNS) -
			(int)((FNS - b->callee) % FNS);
	if (order == 0)
		order = (a->entry.line > b->entry.line) -
			(a->entry.line < b->entry.line);
	return order;
}

static uint64_t
add_any_row(struct cg_build *build, uint64_t *random, uint64_t seed)
{
	const struct cg_pos pos = { .addr =
					any_number(random, seed, 0, UINT64_MAX),
		.file = (cg_file)any_number(random, seed, 1, 3) % 3,
		.line = (uint32_t)any_number(random, seed, 2, UINT32_MAX) };
	const struct cg_branch branch = { .pos = pos,
		.kind = CG_BRANCH_ARC + (unsigned)unit_below(random, 3),
		.block = (uint32_t)any_number(random, seed, 3, UINT32_MAX),
		.index = (uint32_t)any_number(random, seed, 4, UINT32_MAX),
		.count = (int64_t)unit_below(random, 100) };
	const struct cg_call call = { .site = pos,
		.callee = (cg_fn)unit_below(random, FNS),
		.entry = { .line = branch.index },
		.count = (uint64_t)branch.count };

	CHECK(cg_add_branch(build, 1, &branch));
	CHECK(cg_add_call(build, 1, &call.site, call.callee, &call.entry,
	    call.count, NULL, 0));
	return mix_branch(&branch) + mix_call(&call);
}

/* Rows come sorted, each once. The seed has two bits for each number of them. */
static void
test_many(uint64_t seed)
{
	struct cg_build build;
	struct cg_graph *graph = begin(&build, CG_INCL_NONE);
	struct cg_rows *rows;
	struct cg_branch branch, last_branch = { 0 };
	struct cg_call call, last_call = { 0 };
	uint64_t random = seed, sum = 0;
	size_t good = 0, n = 0;

	for (int i = 0; i < MANY; i++)
		sum += add_any_row(&build, &random, seed);
	CHECK(cg_graph_seal(graph) == CG_OK);
	rows = cg_rows_new(graph);
	CHECK(rows && cg_rows_open(rows, 0, 1));
	for (; cg_next_call(rows, &call); last_call = call) {
		good += n++ == 0 || compare_calls(&last_call, &call) < 0;
		sum -= mix_call(&call);
	}
	CHECK(good == n && n > 0);
	for (good = n = 0; cg_next_branch(rows, &branch);
	     last_branch = branch) {
		good += n++ == 0 || compare_branches(&last_branch, &branch) < 0;
		sum -= mix_branch(&branch);
	}
	CHECK(good == n && n > 0 && sum == 0);
	cg_rows_free(rows);
	end(&build, graph);
}

/* ---- Cursors that end early ---------------------------------------------- */

static int
refuse(void *arg, const char *bytes, size_t size)
{
	(void)arg, (void)bytes, (void)size;
	return ENOSPC;
}

/* A graph with a row and a stack. */
static struct cg_graph *
make_small(struct cg_build *build)
{
	struct cg_graph *graph = begin(build, CG_INCL_NONE);
	const struct cg_pos pos = { .line = 1 };
	const uint64_t cost = 5;

	cg_add_cost(build, 1, &pos, &cost, 1);
	cg_add_stack(
	    build, cg_add_frame(build, 0, 1, &pos, false), 1, &cost, 1);
	CHECK(cg_graph_seal(graph) == CG_OK);
	return graph;
}

/* How many of the graph's rows and stacks can be read. */
static int
count_open(const struct cg_graph *graph)
{
	struct cg_rows *rows = cg_rows_new(graph);
	struct cg_stack_cost cost;
	size_t i = 0;
	int n = rows && cg_rows_open(rows, 0, 1);

	n += cg_next_stack(graph, 0, &i, &cost);
	cg_rows_free(rows);
	return n;
}

/* When the output fails, cursors end, and the output alone reports why. */
static void
test_failed_output(void)
{
	static const char text[] = "text of some length\n";
	struct cg_build build;
	struct cg_graph *graph = make_small(&build);
	int status;
	struct cg_out *out =
	    cg_out_callback(&diag, refuse, NULL, false, &status);

	cg_out_set_fault(out, &fault);
	CHECK(count_open(graph) == 2);
	for (int i = 0; i < 100000; i++)
		cg_puts(out, text);
	CHECK(fault == CG_EOUTPUT && cg_out_status(out) == CG_EOUTPUT);
	message = (struct unit_log){ 0 };
	CHECK(count_open(graph) == 0 && message.count == 0);
	CHECK(cg_out_finish(out) == CG_EOUTPUT && message.count == 1);
	cg_out_close(out);
	fault = CG_OK;
	CHECK(count_open(graph) == 2);
	end(&build, graph);
}

/* A signal ends them as well, and is reported once. */
static void
test_stop(void)
{
	static volatile sig_atomic_t stop;
	struct cg_build build;
	struct cg_graph *graph = make_small(&build);

	diag.stop = &stop;
	CHECK(count_open(graph) == 2);
	stop = 1;
	message = (struct unit_log){ 0 };
	CHECK(count_open(graph) == 0 && message.count == 1);
	CHECK(fault == CG_EOUTPUT && strstr(message.text, "interrupted"));
	diag.stop = NULL;
	fault = CG_OK;
	end(&build, graph);
}

/* ---- Calls: cycles and propagation --------------------------------------- */

struct calls_model {
	uint64_t self[FNS], count[FNS][FNS];
	bool reaches[FNS][FNS];
};

static void
add_random_calls(
    struct cg_build *build, struct calls_model *model, uint64_t *random)
{
	const struct cg_pos nowhere = { 0 };

	memset(model, 0, sizeof(*model));
	for (cg_fn fn = 1; fn < FNS; fn++) {
		model->self[fn] = unit_below(random, 1000000);
		cg_add_cost(build, fn, &nowhere, &model->self[fn], 1);
	}
	for (size_t i = unit_below(random, 10); i > 0; i--) {
		cg_fn from = (cg_fn)unit_below(random, FNS - 1) + 1;
		cg_fn to = (cg_fn)unit_below(random, FNS - 1) + 1;
		uint64_t count = unit_below(random, 5);

		cg_add_call(build, from,
		    &(struct cg_pos){ .line = (uint32_t)unit_below(random, 3) },
		    to, &nowhere, count, NULL, 0);
		model->count[from][to] += count;
		model->reaches[from][to] = true;
	}
	for (int k = 0; k < FNS; k++)
		for (int i = 0; i < FNS; i++)
			for (int j = 0; j < FNS; j++)
				model->reaches[i][j] |= model->reaches[i][k] &&
							model->reaches[k][j];
}

static bool
same_cycle(const struct calls_model *model, int a, int b)
{
	return a == b || (model->reaches[a][b] && model->reaches[b][a]);
}

/* gprof's arithmetic in floating point, with cycles as nodes, recursively. */
static double
total_of(const struct calls_model *model, int fn)
{
	double total = 0;

	for (int member = 1; member < FNS; member++) {
		if (!same_cycle(model, fn, member))
			continue;
		total += (double)model->self[member];
		for (int to = 1; to < FNS; to++) {
			double calls = 0;

			if (same_cycle(model, member, to) ||
			    model->count[member][to] == 0)
				continue;
			for (int i = 1; i < FNS; i++)
				for (int j = 1; j < FNS; j++)
					if (same_cycle(model, to, j) &&
					    !same_cycle(model, i, j))
						calls +=
						    (double)model->count[i][j];
			total += total_of(model, to) *
				 (double)model->count[member][to] / calls;
		}
	}
	return total;
}

static void
compare_arcs(const struct cg_graph *graph, const struct calls_model *model)
{
	struct cg_rows *rows = cg_rows_new(graph);
	uint64_t incl[FNS][FNS] = { { 0 } };
	double root = 0, whole = 0;
	struct cg_call call;

	for (cg_fn fn = 1; rows && fn < FNS; fn++) {
		CHECK(cg_rows_open(rows, 0, fn));
		while (cg_next_call(rows, &call)) {
			incl[fn][call.callee] += call.n ? call.cost[0] : 0;
			CHECK(call.n <= 1);
		}
	}
	for (int from = 1; from < FNS; from++) {
		whole += (double)model->self[from];
		for (int to = 1; to < FNS; to++) {
			double calls = 0, want = 0;

			if (same_cycle(model, from, to)) {
				CHECK(from != to || incl[from][to] == 0);
				continue;
			}
			for (int i = 1; i < FNS; i++)
				for (int j = 1; j < FNS; j++)
					if (same_cycle(model, to, j) &&
					    !same_cycle(model, i, j))
						calls +=
						    (double)model->count[i][j];
			if (model->count[from][to])
				want = total_of(model, to) *
				       (double)model->count[from][to] / calls;
			want -= (double)incl[from][to];
			CHECK(want < 10 && want > -10);
		}
	}
	/* The inclusive costs of roots are the total, exactly. */
	for (int fn = 1; fn < FNS; fn++) {
		bool called = false, first = true;
		double out = 0;

		for (int i = 1; i < FNS; i++) {
			if (i < fn && same_cycle(model, i, fn))
				first = false;
			for (int j = 1; j < FNS; j++) {
				if (!same_cycle(model, fn, j))
					continue;
				called |= !same_cycle(model, i, j) &&
					  model->count[i][j] != 0;
			}
		}
		if (called || !first)
			continue;
		for (int i = 1; i < FNS; i++) {
			if (!same_cycle(model, fn, i))
				continue;
			out += (double)model->self[i];
			for (int j = 1; j < FNS; j++)
				if (!same_cycle(model, i, j))
					out += (double)incl[i][j];
		}
		root += out;
	}
	CHECK(root == whole);
	cg_rows_free(rows);
}

static void
compare_cycles(const struct cg_graph *graph, const struct calls_model *model)
{
	struct cg_sums *sums = cg_sums_new(graph, CG_ALL_PARTS, true);

	for (cg_fn a = 1; sums && a < FNS; a++) {
		uint32_t cycle = cg_sum_cycle(sums, a);
		bool root = true;
		size_t mates = 0;

		for (cg_fn b = 1; b < FNS; b++) {
			bool same = same_cycle(model, (int)a, (int)b);

			mates += same;
			root &= b == a || !model->reaches[b][a] ||
				model->count[b][a] == 0;
			CHECK(a == b ||
			      same == (cycle != 0 &&
					  cg_sum_cycle(sums, b) == cycle));
		}
		CHECK((cycle != 0) == (mates > 1));
		CHECK(cg_sum_self(sums, a, 0) == model->self[a]);
		CHECK(!cg_sum_is_root(sums, a) || root);
	}
	cg_sums_free(sums);
}

/* The calls of a function from outside of its cycle. */
static double
entering(const struct calls_model *model, int fn)
{
	double calls = 0;

	for (int from = 1; from < FNS; from++) {
		if (!same_cycle(model, from, fn))
			calls += (double)model->count[from][fn];
	}
	return calls;
}

/* Its cycle's: what it costs, and the calls from outside. */
static double
cycle_calls(const struct calls_model *model, int fn)
{
	double calls = 0;

	for (int member = 1; member < FNS; member++) {
		if (same_cycle(model, fn, member))
			calls += entering(model, member);
	}
	return calls;
}

/* Its self cost and its calls that leave the cycle. */
static double
own_cost(const struct calls_model *model, int fn)
{
	double cost = (double)model->self[fn];

	for (int to = 1; to < FNS; to++) {
		if (!same_cycle(model, fn, to) && model->count[fn][to] > 0)
			cost += total_of(model, to) *
				(double)model->count[fn][to] /
				cycle_calls(model, to);
	}
	return cost;
}

static double
entering_cost(const struct calls_model *model, int fn)
{
	double calls = cycle_calls(model, fn);

	return calls > 0 ? total_of(model, fn) * entering(model, fn) / calls
			 : 0;
}

/* 1 + the calls from the entry of the function's cycle; 0: no way. */
static int
rank_of(const struct calls_model *model, int fn)
{
	int rank[FNS] = { 0 }, entry = 0;

	/* Names are in the opposite order of ids. */
	for (int i = FNS - 1; i > 0; i--) {
		if (same_cycle(model, fn, i) && entering(model, i) > 0 &&
		    (entry == 0 || entering(model, i) > entering(model, entry)))
			entry = i;
	}
	rank[entry] = entry != 0;
	for (int step = 1; step < FNS; step++)
		for (int i = 1; i < FNS; i++)
			for (int to = 1; to < FNS; to++)
				if (rank[i] == step && rank[to] == 0 &&
				    same_cycle(model, fn, to) &&
				    model->count[i][to] > 0)
					rank[to] = step + 1;
	return rank[fn];
}

/* What passes through a member: its cost, and shares of those farther away. */
static double
passing(const struct calls_model *model, int fn)
{
	double cost = own_cost(model, fn);

	for (int to = 1; to < FNS; to++) {
		double calls = 0, passed;

		if (!same_cycle(model, fn, to) || rank_of(model, fn) == 0 ||
		    rank_of(model, to) != rank_of(model, fn) + 1)
			continue;
		for (int from = 1; from < FNS; from++) {
			if (same_cycle(model, from, to) &&
			    rank_of(model, from) == rank_of(model, fn))
				calls += (double)model->count[from][to];
		}
		passed = passing(model, to) - entering_cost(model, to);
		if (passed > 0 && calls > 0)
			cost += passed * (double)model->count[fn][to] / calls;
	}
	return cost;
}

static void
compare_members(const struct cg_graph *graph, const struct calls_model *model)
{
	struct cg_sums *sums = cg_sums_new(graph, CG_ALL_PARTS, true);

	for (cg_fn fn = 1; sums && fn < FNS; fn++) {
		uint32_t cycle = cg_sum_cycle(sums, fn);
		double want = own_cost(model, (int)fn), got;

		if (cycle != 0) {
			want = passing(model, (int)fn);
			if (want < entering_cost(model, (int)fn))
				want = entering_cost(model, (int)fn);
			CHECK(cg_cycle_calls_in(sums, cycle) ==
			      (uint64_t)cycle_calls(model, (int)fn));
			got = (double)cg_cycle_inclusive(sums, cycle, 0) -
			      total_of(model, (int)fn);
			CHECK(got < 10 && got > -10);
			CHECK(cg_sum_inclusive(sums, fn, 0) <=
			      cg_cycle_inclusive(sums, cycle, 0));
		}
		got = (double)cg_sum_inclusive(sums, fn, 0) - want;
		CHECK(got < 10 && got > -10);
	}
	cg_sums_free(sums);
}

static void
test_calls(uint64_t seed)
{
	struct cg_build build;
	struct cg_graph *graph = begin(&build, CG_INCL_BY_COUNTS);
	struct calls_model model;
	uint64_t random = seed;

	add_random_calls(&build, &model, &random);
	CHECK(cg_graph_seal(graph) == CG_OK);
	CHECK(cg_propagate(graph) == CG_OK);
	compare_cycles(graph, &model);
	compare_arcs(graph, &model);
	compare_members(graph, &model);
	end(&build, graph);
}

/* Costs of functions, by part. */
struct sums_model {
	uint64_t self[2][FNS][EVENTS], calls[2][FNS][FNS][EVENTS];
	uint64_t count[FNS][FNS]; /* in both parts */
	uint64_t stated[2][FNS][EVENTS];
	bool states[2][FNS];
};

static void
add_random_sum(struct cg_build *build, struct sums_model *model, int part,
    uint64_t *random)
{
	cg_fn fn = (cg_fn)unit_below(random, FNS - 1) + 1;
	cg_fn callee = (cg_fn)unit_below(random, FNS - 1) + 1;
	const struct cg_pos pos = { .file = (cg_file)unit_below(random, 3),
		.line = (uint32_t)unit_below(random, 1000),
		.addr = unit_below(random, 1000) };
	size_t n = unit_below(random, EVENTS + 1), kind = unit_below(random, 9);
	uint64_t cost[EVENTS], *to = kind < 5   ? model->self[part][fn]
				     : kind < 8 ? model->calls[part][fn][callee]
						: model->stated[part][fn];

	for (size_t i = 0; i < n; i++) {
		cost[i] = unit_below(random, unit_below(random, 4) ? 99 : 9999);
		to[i] += cost[i];
	}
	if (kind < 5)
		(void)cg_add_cost(build, fn, &pos, cost, n);
	else if (kind < 8)
		(void)cg_add_call(build, fn, &pos, callee, &pos, 1, cost, n);
	else
		cg_add_inclusive(build, fn, cost, n);
	model->states[part][fn] |= kind == 8;
	model->count[fn][callee] += kind >= 5 && kind < 8;
}

static bool
in_cycle(const struct cg_sums *sums, cg_fn a, cg_fn b)
{
	return cg_sum_cycle(sums, a) != 0 &&
	       cg_sum_cycle(sums, a) == cg_sum_cycle(sums, b);
}

/* Self costs of a cycle, and calls that leave it if leaving. */
static uint64_t
cycle_cost(const struct sums_model *model, const struct cg_sums *sums,
    uint32_t cycle, size_t event, bool leaving)
{
	uint64_t sum = 0;

	for (cg_fn fn = 1; fn < FNS; fn++) {
		for (int part = 0; part < 2; part++) {
			if (cg_sum_cycle(sums, fn) != cycle)
				continue;
			sum += model->self[part][fn][event];
			for (cg_fn to = 1; to < FNS; to++)
				if (leaving && cg_sum_cycle(sums, to) != cycle)
					sum +=
					    model->calls[part][fn][to][event];
		}
	}
	return sum;
}

/* Calls by others, or self cost and calls of others, as a whole. */
static uint64_t
member_cost(const struct sums_model *model, const struct cg_sums *sums,
    cg_fn fn, size_t event)
{
	uint64_t most =
	    cycle_cost(model, sums, cg_sum_cycle(sums, fn), event, true);
	uint64_t in = 0, out = 0;

	for (int part = 0; part < 2; part++) {
		out += model->self[part][fn][event];
		for (cg_fn other = 1; other < FNS; other++) {
			in += other == fn
				  ? 0
				  : model->calls[part][other][fn][event];
			out += other == fn
				   ? 0
				   : model->calls[part][fn][other][event];
		}
	}
	in = in > out ? in : out;
	return in < most ? in : most;
}

static void
compare_whole_cycles(const struct sums_model *model, const struct cg_sums *sums)
{
	for (uint32_t cycle = 1; cycle <= cg_cycle_count(sums); cycle++) {
		uint64_t calls = 0;

		for (cg_fn a = 1; a < FNS; a++)
			for (cg_fn b = 1; b < FNS; b++)
				if (cg_sum_cycle(sums, b) == cycle &&
				    cg_sum_cycle(sums, a) != cycle)
					calls += model->count[a][b];
		CHECK(cg_cycle_calls_in(sums, cycle) == calls);
		for (size_t i = 0; i < EVENTS; i++) {
			CHECK(cg_cycle_self(sums, cycle, i) ==
			      cycle_cost(model, sums, cycle, i, false));
			CHECK(cg_cycle_inclusive(sums, cycle, i) ==
			      cycle_cost(model, sums, cycle, i, true));
		}
	}
}

static uint64_t
inclusive_of(const struct sums_model *model, const struct cg_sums *sums,
    cg_fn fn, size_t event)
{
	uint64_t sum = 0;
	cg_fn to;

	if (cg_sum_cycle(sums, fn) != 0 && !model->states[0][fn] &&
	    !model->states[1][fn])
		return member_cost(model, sums, fn, event);

	for (int part = 0; part < 2; part++) {
		if (model->states[part][fn]) {
			sum += model->stated[part][fn][event];
			continue;
		}
		sum += model->self[part][fn][event];
		for (to = 1; to < FNS; to++) {
			if (to != fn && !in_cycle(sums, fn, to))
				sum += model->calls[part][fn][to][event];
		}
	}
	return sum;
}

static void
test_sums(uint64_t seed)
{
	struct cg_build build;
	struct cg_graph *graph = begin(&build, CG_INCL_STATED);
	struct sums_model model = { 0 };
	uint64_t random = seed;
	struct cg_sums *all, *one;

	for (int part = 0; part < 2; part++) {
		(void)cg_add_part(&build, &(struct cg_part_info){ .cmd = "" });
		for (int i = 0; i < 60; i++)
			add_random_sum(&build, &model, part, &random);
	}
	CHECK(cg_part_count(graph) == 2);
	CHECK(cg_graph_seal(graph) == CG_OK);
	all = cg_sums_new(graph, CG_ALL_PARTS, true);
	for (size_t i = 0; i < EVENTS; i++) {
		one = cg_sums_of(graph, CG_ALL_PARTS, i, 1);
		for (cg_fn fn = 1; all && one && fn < FNS; fn++) {
			uint64_t self =
			    model.self[0][fn][i] + model.self[1][fn][i];
			uint64_t inclusive = inclusive_of(&model, all, fn, i);

			CHECK(cg_sum_self(all, fn, i) == self);
			CHECK(cg_sum_self(one, fn, i) == self);
			CHECK(cg_sum_inclusive(all, fn, i) == inclusive);
			CHECK(cg_sum_inclusive(one, fn, i) == inclusive);
		}
		cg_sums_free(one);
	}
	if (all)
		compare_whole_cycles(&model, all);
	cg_sums_free(all);
	end(&build, graph);
}

static void
test_shares(uint64_t seed)
{
	struct cg_share share[20];
	uint64_t random = seed, sum = 0, got = 0;
	uint64_t total = unit_number(&random);
	size_t n = unit_below(&random, 20) + 1;

	for (size_t i = 0; i < n; i++) {
		share[i].weight = (unit_number(&random) >> 5) + 1;
		sum += share[i].weight;
	}
	cg_share_out(total, sum, share, n);
	for (size_t i = 0; i < n; i++) {
		double want =
		    (double)total * ((double)share[i].weight / (double)sum) -
		    (double)share[i].share;

		CHECK(share[i].index == i);
		CHECK(
		    total > UINT64_C(1) << 50 || (want < 1.01 && want > -1.01));
		got += share[i].share;
	}
	CHECK(got == total);
}

/* ---- Formulas ------------------------------------------------------------ */

static void
check_formula(const char *formula, const char *text, int64_t want)
{
	const uint64_t cost[EVENTS] = { 7, 100, UINT64_C(1) << 40 };
	struct cg_build build;
	struct cg_graph *graph = begin(&build, CG_INCL_STATED);
	int64_t value = 0;

	cg_add_formula(
	    &build, &(struct cg_event){ .name = "twice", .formula = "2 e0" });
	cg_add_formula(
	    &build, &(struct cg_event){ .name = "x", .formula = formula });
	CHECK(cg_formulas_resolve(graph) == CG_OK);
	CHECK(cg_formula_count(graph) == (text ? 2 : 1));
	if (text && cg_formula_count(graph) == 2) {
		CHECK(strcmp(cg_get_formula(graph, 1)->formula, text) == 0);
		CHECK(cg_eval_formula(graph, 1, cost, &value));
		CHECK(value == want);
	}
	end(&build, graph);
}

static void
test_formulas(void)
{
	check_formula("e0", "e0", 7);
	check_formula("e0+e1", "e0 + e1", 107);
	check_formula(" - e0 + 3*e1 ", "- e0 + 3 e1", 293);
	check_formula("3 e1 - e0 * 2", "3 e1 - 2 e0", 286);
	check_formula("twice + e0", "twice + e0", 21);
	check_formula("0x10 e0", "16 e0", 112);
	check_formula("4 e2 - e0", "4 e2 - e0", (INT64_C(1) << 42) - 7);
	check_formula("", NULL, 0);
	check_formula("e0 e1", NULL, 0);
	check_formula("e0 +", NULL, 0);
	check_formula("x", NULL, 0);
	check_formula("nope", NULL, 0);
	check_formula("99999999999999999999 e0", NULL, 0);
	check_formula("18446744073709551615 e0", NULL, 0);
}

/* ---- Names, unwanted rows ------------------------------------------------ */

static void
test_demangled(void)
{
	static const char *const empty[] = { "_Z6largerIlET_S0_SM-K0_",
		"_ZNVVVVVK6Square4areaEv" };
	struct cg_build build;
	struct cg_graph *graph = begin(&build, CG_INCL_NONE);
	cg_name mangled = cg_add_name(&build, cg_slice("_ZN1A1bEi"));
	cg_name plain = cg_add_demangled(&build, mangled);

	CHECK(cg_equal(cg_get_name(&build, plain), "A::b(int)"));
	CHECK(cg_add_demangled(&build, mangled) == plain);
	CHECK(cg_add_demangled(&build, plain) == plain);
	CHECK(cg_add_demangled(&build, 0) == 0);
	/* libiberty's first piece of these is empty. */
	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++) {
		mangled = cg_add_name(&build, cg_slice(empty[i]));
		CHECK(cg_add_demangled(&build, mangled) != 0);
	}
	end(&build, graph);
}

/* Rows that the target cannot represent set a fact and are not stored. */
static void
test_unwanted(void)
{
	struct cg_build build;
	struct cg_graph *graph = begin(&build, CG_INCL_NONE);
	const struct cg_branch arc = { .kind = CG_BRANCH_ARC };
	const struct cg_branch block = { .kind = CG_BRANCH_BLOCK };
	struct cg_rows *rows;
	struct cg_branch row;

	build.unwanted = CG_BLOCKS | CG_JUMPS;
	CHECK(cg_add_branch(&build, 1, &arc));
	CHECK(cg_add_branch(&build, 1, &block));
	cg_add_jump(&build, 1, &arc.pos, 1, &arc.pos, true, 2, 1);
	CHECK(cg_graph_seal(graph) == CG_OK);
	CHECK((cg_graph_facts(graph) & (CG_BLOCKS | CG_BRANCHES | CG_JUMPS)) ==
	      (CG_BLOCKS | CG_BRANCHES | CG_JUMPS));
	rows = cg_rows_new(graph);
	CHECK(rows && cg_rows_open(rows, 0, 1));
	CHECK(cg_next_branch(rows, &row) && row.kind == CG_BRANCH_ARC);
	CHECK(!cg_next_branch(rows, &row));
	cg_rows_free(rows);
	end(&build, graph);
}

/* Accepted and rejected lines; rejected ones leave the graph unchanged. */
static void
test_cost_lines(bool sums_only)
{
	static const struct {
		const char *text;
		uint64_t cost[EVENTS], addr;
		uint32_t line;
		bool taken;
	} line[] = {
		{ "7 3 1 20 300\n", { 1, 20, 300 }, 7, 3, true },
		{ "+7 * 127 128\n", { 127, 128 }, 14, 3, true },
		{ "+1 * 0 0\n", { 0 }, 15, 3, true },
		{ "+8 * 5 \n", { 5 }, 23, 3, true },
		{ "-3 -2 \n", { 0 }, 20, 1, true },
		{ "* +1 0 0 0\n", { 0 }, 20, 2, true },
		{ "* * 1 2 3 4\n", { 0 }, 0, 0, false },
		{ "+2 0 1 2 3\n", { 1, 2, 3 }, 22, 0, true },
		{ "+2 0 1 2 3\n", { 1, 2, 3 }, 24, 0, true },
		{ "-25 0 1\n", { 0 }, 0, 0, false },
		{ "* -1 1\n", { 0 }, 0, 0, false },
		{ "* 4294967296 1\n", { 0 }, 0, 0, false },
		{ "+18446744073709551615 * 1\n", { 0 }, 0, 0, false },
		{ "0x * 1\n", { 0 }, 0, 0, false },
		{ "0x 1 1\n", { 0 }, 0, 0, false },
		{ "0xg * 1\n", { 0 }, 0, 0, false },
		{ "0x1F * 1\n", { 0 }, 0, 0, false },
		{ "+0x1 * 1\n", { 0 }, 0, 0, false },
		{ "0x1ffffffffffffffff * 1\n", { 0 }, 0, 0, false },
		{ "0x1f 7 1\n", { 1 }, 31, 7, true },
		{ "0x18 0 1\n", { 1 }, 24, 0, true },
		{ "+3 *\n", { 0 }, 0, 0, false },
		{ "fn=\n", { 0 }, 0, 0, false },
		{ "+3 * 1 2\r\n", { 0 }, 0, 0, false },
		{ "+3 * 1  2\n", { 0 }, 0, 0, false },
		{ "+3 * 7 -2\n", { 0 }, 0, 0, false },
		{ "+3 * 7 0x2\n", { 0 }, 0, 0, false },
		{ "+3 * 18446744073709551615 1\n", { 0 }, 0, 0, false },
		{ "+3 * 99 18446744073709551616\n", { 0 }, 0, 0, false },
		{ "+3 * 123456789012345678 12 12345678901234567\n",
		    { 123456789012345678, 12, 12345678901234567 }, 27, 0,
		    true },
	};
	struct cg_build build;
	struct cg_graph *graph = begin(&build, CG_INCL_STATED);
	uint64_t sum[EVENTS] = { 0 };
	struct cg_cost_lines lines = { .addrs = true,
		.lines = true,
		.most = EVENTS,
		.pos = { .file = 2 } };
	struct cg_sums *sums;

	build.sums_only = sums_only;
	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++) {
		const char *text = line[i].text, *end = text + strlen(text);
		const char *at =
		    cg_add_cost_lines(&build, 1, &lines, text, end);

		CHECK(at == (line[i].taken ? end : text));
		CHECK(!line[i].taken || (lines.pos.addr == line[i].addr &&
					    lines.pos.line == line[i].line));
		for (size_t k = 0; k < EVENTS; k++)
			sum[k] += line[i].cost[k];
	}
	CHECK(cg_build_end_run(&build));
	CHECK(cg_graph_facts(graph) ==
	      (CG_SELF | CG_ZEROS | CG_LINES | CG_INSTRS | CG_EVENTS));
	CHECK(cg_graph_seal(graph) == CG_OK);
	sums = cg_sums_new(graph, CG_ALL_PARTS, true);
	for (size_t k = 0; sums && k < EVENTS; k++) {
		CHECK(cg_sum_self(sums, 1, k) == sum[k]);
		CHECK(cg_part_totals(graph, 0)[k] == sum[k]);
	}
	CHECK(sums);
	cg_sums_free(sums);
	end(&build, graph);
}

/*
 * Lines with repeated positions and values of all lengths survive: reading,
 * writing and reading them again gives the rows of the cursor.
 */
static void
test_lines_out(uint64_t seed, bool addrs)
{
	struct cg_build build;
	struct cg_graph *graph = begin(&build, 0);
	struct cg_cost_lines lines = { .addrs = addrs,
		.lines = true,
		.steps = seed % 2 == 0,
		.most = EVENTS };
	struct cg_out *out = cg_out_memory(&diag), *slow = cg_out_memory(&diag);
	struct cg_rows *rows;
	struct cg_cost cost;
	cg_file file;

	for (int i = 0; i < 3000; i++) {
		size_t n = unit_below(&seed, EVENTS + 1);
		uint64_t value[EVENTS];
		struct cg_pos pos = { .file = unit_below(&seed, 50) ? 1 : 2,
			.line = (uint32_t)(i % 700 / 5),
			.addr = (uint64_t)(i % 700 * 3) };

		for (size_t k = 0; k < n; k++)
			value[k] = unit_number(&seed) >> 16;
		CHECK(cg_add_cost(&build, 1, &pos, value, n));
	}
	CHECK(cg_graph_seal(graph) == CG_OK);
	rows = cg_rows_new(graph);
	CHECK(rows && out && slow);
	if (!addrs)
		cg_rows_drop_addresses(rows);
	CHECK(cg_rows_open(rows, 0, 1));
	while (cg_put_cost_lines(rows, &lines, out, &file))
		lines.pos.file = file;
	lines.pos = (struct cg_pos){ 0 };
	lines.begun = false;
	CHECK(cg_rows_open(rows, 0, 1));
	while (cg_next_cost(rows, &cost)) {
		char *to = cg_out_reserve(slow, CG_COST_LINE_MAX(EVENTS));

		cg_out_advance(slow, cg_format_cost_line(&lines, to, &cost.pos,
					 cost.cost, cost.n));
	}
	CHECK(cg_out_bytes(out).len > 1000);
	CHECK(cg_compare(cg_out_bytes(out), cg_out_bytes(slow)) == 0);
	cg_out_close(out);
	cg_out_close(slow);
	cg_rows_free(rows);
	end(&build, graph);
}

/* Lines of many costs, most of them zero, are written as they were read. */
static void
test_wide_lines(uint64_t seed, size_t events)
{
	static char text[1 << 18];
	struct cg_build build;
	struct cg_graph *graph = begin(&build, CG_INCL_STATED);
	struct cg_cost_lines lines = {
		.lines = true, .most = events, .pos = { .file = 1 }
	};
	struct cg_out *out = cg_out_memory(&diag), *slow = cg_out_memory(&diag);
	uint64_t sum[20] = { 0 }, value[20];
	struct cg_sums *sums;
	struct cg_rows *rows;
	struct cg_cost cost;
	cg_file file = 1;
	char name[24], *to = text;

	for (size_t i = EVENTS; i < events; i++) {
		(void)snprintf(name, sizeof(name), "e%zu", i);
		cg_add_event(&build,
		    &(struct cg_event){ .name = name, .incl = CG_INCL_STATED });
	}
	for (uint32_t line = 1; line < 1000; line++) {
		struct cg_pos pos = { .line = line };
		size_t n = unit_below(&seed, (uint32_t)events + 1);

		for (size_t i = 0; i < n; i++) {
			bool none = i + 1 < n && unit_below(&seed, 8);

			value[i] = none ? 0 : (unit_number(&seed) >> 20) + 1;
			sum[i] += value[i];
		}
		to = cg_format_cost_line(&lines, to, &pos, value, n);
	}
	lines.pos = (struct cg_pos){ .file = 1 };
	CHECK(cg_add_cost_lines(&build, 1, &lines, text, to) == to);
	CHECK(cg_graph_seal(graph) == CG_OK);
	lines.pos = (struct cg_pos){ .file = 1 };
	lines.begun = false;
	rows = cg_rows_new(graph);
	CHECK(rows && cg_rows_open(rows, 0, 1));
	CHECK(!cg_put_cost_lines(rows, &lines, out, &file));
	CHECK(cg_rows_open(rows, 0, 1));
	while (cg_next_cost(rows, &cost)) {
		char *at = cg_out_reserve(slow, CG_COST_LINE_MAX(events));

		cg_out_advance(slow, cg_format_cost_line(&lines, at, &cost.pos,
					 cost.cost, cost.n));
	}
	*to = '\0';
	CHECK(cg_compare(cg_out_bytes(out), cg_slice(text)) == 0);
	CHECK(cg_compare(cg_out_bytes(slow), cg_slice(text)) == 0);
	sums = cg_sums_new(graph, CG_ALL_PARTS, true);
	for (size_t i = 0; sums && i < events; i++) {
		CHECK(cg_sum_self(sums, 1, i) == sum[i]);
		CHECK(cg_part_totals(graph, 0)[i] == sum[i]);
	}
	CHECK(sums);
	cg_sums_free(sums);
	cg_out_close(out);
	cg_out_close(slow);
	cg_rows_free(rows);
	end(&build, graph);
}

#define NAMES 3000
#define NAME_SIZE 400

/* Most begin as another one does, and end anywhere; some have zeros. */
static struct cg_slice
make_name(char name[NAMES][NAME_SIZE], size_t i, uint64_t *seed)
{
	size_t len = 1 + unit_below(seed, i % 7 == 0 ? NAME_SIZE : 40);

	if (i > 0)
		memcpy(name[i], name[unit_below(seed, i)], NAME_SIZE);
	else
		memset(name[i], 'a', NAME_SIZE);
	name[i][len - 1] = (char)(unit_below(seed, 3) * 60);
	return (struct cg_slice){ name[i], len };
}

/* Functions are in the order of the bytes of their names. */
static void
test_order(uint64_t seed)
{
	static char name[NAMES][NAME_SIZE];
	struct cg_build build;
	struct cg_graph *graph = begin(&build, CG_INCL_NONE);
	struct cg_slice last = { "", 0 }, now;
	size_t good = 0, n;

	for (size_t i = 0; i < NAMES; i++)
		(void)cg_add_fn(&build, make_name(name, i, &seed), 0, 0);
	CHECK(cg_graph_seal(graph) == CG_OK);
	n = cg_fn_count(graph);
	for (size_t rank = 1; rank <= n; rank++, last = now) {
		now = cg_fn_name(graph, cg_fn_ranked(graph, rank));
		good += cg_compare(last, now) < 0;
	}
	CHECK(good == n && n > NAMES / 2);
	end(&build, graph);
}

int
main(void)
{
	test_tables();
	for (uint64_t seed = 1; seed <= 40; seed++)
		test_rows(seed, (int)seed * 20);
	test_rows(41, 200000);
	for (uint64_t seed = 0; seed < 1024; seed += 1 + seed % 7)
		test_many(seed);
	for (uint64_t seed = 1; seed <= 400; seed++) {
		test_calls(seed);
		test_sums(seed);
		test_shares(seed);
	}
	for (uint64_t seed = 1; seed <= 5; seed++)
		test_order(seed);
	test_failed_output();
	test_stop();
	test_formulas();
	test_demangled();
	test_unwanted();
	test_cost_lines(false);
	test_cost_lines(true);
	for (uint64_t seed = 1; seed <= 20; seed++)
		test_lines_out(seed, seed % 3 != 0);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		test_wide_lines(seed, 13);
		test_wide_lines(seed, 14);
		test_wide_lines(seed, 15);
		test_wide_lines(seed, 20);
	}
	return unit_end();
}
