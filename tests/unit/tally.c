/*
 * tally.c - rows of coverage that come again and again, added to tallies,
 * compared with the same rows in a graph of costs, where each row is packed.
 */
#include "graph/build.h"
#include "unit.h"

#define FNS 3   /* besides the unknown one */
#define FILES 2 /* besides the unknown one */

static int fault;
static struct unit_log message;
static struct cg_diag diag = { .report = unit_report, .arg = &message };

/* A graph with tallies, and one without them. */
struct pair {
	struct cg_graph *graph[2];
	struct cg_build build[2];
	uint64_t random;
	bool plain; /* all rows are ones that a tally can hold */
};

static uint32_t
below(struct pair *pair, uint64_t most)
{
	return (uint32_t)unit_below(&pair->random, most);
}

static void
begin(struct pair *pair)
{
	for (int i = 0; i < 2; i++) {
		struct cg_event event = { .name = "Exec", .is_signed = true };

		if (i == 0)
			event.incl = CG_INCL_NONE;
		pair->graph[i] = cg_graph_new(&diag, &fault);
		cg_build_init(&pair->build[i], pair->graph[i], CG_PARTS_SUM);
		(void)cg_add_event(&pair->build[i], &event);
		(void)cg_add_file(&pair->build[i], cg_slice("a"));
		(void)cg_add_file(&pair->build[i], cg_slice("b"));
		for (uint32_t k = 0; k < FNS; k++)
			(void)cg_add_fn(&pair->build[i],
			    (struct cg_slice){ &"fgh"[k], 1 }, k == 2 ? 2 : 1,
			    0);
	}
}

/* A position, nearly always one that a tally can hold. */
static struct cg_pos
pick_pos(struct pair *pair, cg_fn fn, uint32_t lines)
{
	struct cg_pos pos = { .file = fn == 3 ? 2 : 1,
		.line = below(pair, lines) };

	if (!pair->plain && below(pair, 40) == 0)
		pos.file = below(pair, FILES + 1);
	if (!pair->plain && below(pair, 40) == 0)
		pos.addr = below(pair, 3);
	return pos;
}

static void
add_cost(struct pair *pair, cg_fn fn, uint32_t lines)
{
	struct cg_pos pos = pick_pos(pair, fn, lines);
	uint64_t cost = below(pair, 5);
	bool any = below(pair, 4) > 0;

	if (below(pair, 9) == 0)
		cost = -cost;
	for (int i = 0; i < 2; i++)
		CHECK(cg_add_cost(&pair->build[i], fn, &pos, &cost, any));
}

static void
add_call(struct pair *pair, cg_fn fn)
{
	struct cg_pos site = { 0 }, entry = { .line = below(pair, 3) };
	uint64_t count = below(pair, 4), cost = 1;
	bool costs = !pair->plain && below(pair, 60) == 0;

	if (!pair->plain && below(pair, 60) == 0)
		site.line = 1;
	if (!pair->plain && below(pair, 60) == 0)
		entry.addr = 1;
	for (int i = 0; i < 2; i++)
		CHECK(cg_add_call(&pair->build[i], 0, &site, fn, &entry, count,
		    &cost, costs));
}

static void
add_branch(struct pair *pair, cg_fn fn, uint32_t lines)
{
	struct cg_branch row = { .pos = pick_pos(pair, fn, lines),
		.kind = below(pair, 2) ? CG_BRANCH_ARC : CG_BRANCH_CONDITION,
		.block = below(pair, 2),
		.index = below(pair, 3),
		.flags = below(pair, 4) ? CG_BRANCH_REACHED : 0,
		.target = below(pair, 9) ? 0 : below(pair, 3),
		.count = below(pair, 3) };
	bool labelled = below(pair, 5) == 0;
	uint32_t label = below(pair, 3);

	if (!pair->plain && below(pair, 50) == 0)
		row.kind = CG_BRANCH_REGION;
	for (int i = 0; i < 2; i++) {
		if (labelled)
			row.label = cg_add_name(&pair->build[i],
			    (struct cg_slice){ &"xyz"[label], 1 });
		CHECK(cg_add_branch(&pair->build[i], fn, &row));
	}
}

/* A visit adds lines in order or not; later visits may have new lines. */
static void
visit(struct pair *pair, uint32_t lines)
{
	cg_fn fn = 1 + below(pair, FNS);

	for (uint32_t n = below(pair, 9); n > 0; n--)
		add_cost(pair, fn, lines);
	for (uint32_t n = below(pair, 4); n > 0; n--)
		add_branch(pair, fn, lines);
	for (uint32_t n = below(pair, 2); n > 0; n--)
		add_call(pair, fn);
}

static bool
same_pos(const struct cg_pos *a, const struct cg_pos *b)
{
	return a->line == b->line && a->file == b->file && a->addr == b->addr;
}

/* Compares the next row of costs; false: there is none. */
static bool
compare_cost(struct cg_rows *const rows[2])
{
	struct cg_cost a, b;
	bool more = cg_next_cost(rows[0], &a);

	if (!CHECK(cg_next_cost(rows[1], &b) == more) || !more)
		return false;
	return CHECK(same_pos(&a.pos, &b.pos)) &&
	       CHECK((a.n ? a.cost[0] : 0) == (b.n ? b.cost[0] : 0));
}

static bool
compare_call(struct cg_rows *const rows[2])
{
	struct cg_call a, b;
	bool more = cg_next_call(rows[0], &a);

	if (!CHECK(cg_next_call(rows[1], &b) == more) || !more)
		return false;
	return CHECK(same_pos(&a.site, &b.site)) &&
	       CHECK(same_pos(&a.entry, &b.entry)) &&
	       CHECK(a.callee == b.callee && a.count == b.count) &&
	       CHECK((a.n ? a.cost[0] : 0) == (b.n ? b.cost[0] : 0));
}

static bool
compare_branch(struct cg_rows *const rows[2])
{
	struct cg_branch a, b;
	bool more = cg_next_branch(rows[0], &a);

	if (!CHECK(cg_next_branch(rows[1], &b) == more) || !more)
		return false;
	return CHECK(same_pos(&a.pos, &b.pos)) &&
	       CHECK(a.kind == b.kind && a.block == b.block) &&
	       CHECK(a.index == b.index && a.flags == b.flags) &&
	       CHECK(a.target == b.target && a.label == b.label) &&
	       CHECK(a.count == b.count);
}

static void
compare(struct pair *pair)
{
	struct cg_rows *rows[2];

	for (int i = 0; i < 2; i++) {
		CHECK(cg_graph_seal(pair->graph[i]) == CG_OK);
		rows[i] = cg_rows_new(pair->graph[i]);
	}
	for (cg_fn fn = 0; fn <= FNS; fn++) {
		CHECK(cg_rows_open(rows[0], 0, fn));
		CHECK(cg_rows_open(rows[1], 0, fn));
		while (compare_cost(rows))
			continue;
		while (compare_call(rows))
			continue;
		while (compare_branch(rows))
			continue;
	}
	for (int i = 0; i < 2; i++)
		cg_rows_free(rows[i]);
}

static void
end(struct pair *pair)
{
	for (int i = 0; i < 2; i++) {
		CHECK(cg_build_status(&pair->build[i]) == CG_OK);
		cg_build_free(&pair->build[i]);
		cg_graph_free(pair->graph[i]);
	}
	CHECK(fault == CG_OK);
}

static void
test_random(uint64_t seed)
{
	struct pair pair = { .random = seed, .plain = seed % 2 };
	uint32_t visits, lines;

	begin(&pair);
	visits = below(&pair, 200);
	lines = 1 + below(&pair, 40);
	/* Lines come gradually: tallies take over what was packed. */
	for (uint32_t i = 0; i < visits; i++)
		visit(&pair, seed % 3 ? lines : 1 + lines * i / visits);
	compare(&pair);
	/* Rows may follow in a sealed graph. */
	if (seed % 5 == 0) {
		visit(&pair, lines);
		compare(&pair);
	}
	end(&pair);
}

/* Memory depends on the rows that differ, not on how often they were added. */
static void
test_memory(void)
{
	struct cg_graph *graph;
	struct pair pair = { .random = 1, .plain = true };
	uint64_t bytes = 0;

	begin(&pair);
	graph = pair.graph[0];
	for (int i = 0; i < 20000; i++)
		visit(&pair, 100);
	for (size_t i = 0; i < graph->runs; i++)
		bytes += cg_packed_bytes(&graph->run[i].costs) +
			 cg_packed_bytes(&graph->run[i].others);
	/* All rows would take 600 kB; some 4,000 differ. */
	CHECK(graph->tallies && bytes < 40000);
	compare(&pair);
	CHECK(!graph->tallies);
	end(&pair);
}

/* A sum that does not fit is told as one of packed rows. */
static void
test_overflow(void)
{
	struct cg_branch row = { .pos = { .file = 1, .line = 1 },
		.count = INT64_MAX / 8 };
	struct pair pair = { .random = 1 };
	struct cg_rows *rows;

	begin(&pair);
	for (int i = 0; i < 9; i++) {
		CHECK(cg_add_branch(&pair.build[0], 1, &row));
		visit(&pair, 2);
	}
	CHECK(cg_graph_seal(pair.graph[0]) == CG_OK);
	rows = cg_rows_new(pair.graph[0]);
	CHECK(cg_rows_open(rows, 0, 1));
	while (cg_next_branch(rows, &row))
		continue;
	CHECK(fault == CG_EINPUT);
	CHECK(strstr(message.text, "branches"));
	fault = CG_OK;
	cg_rows_free(rows);
	end(&pair);
}

int
main(void)
{
	for (uint64_t seed = 1; seed <= 2000; seed++)
		test_random(seed);
	test_memory();
	test_overflow();
	return unit_end();
}
