/*
 * branches.c - rows of branches, sorted or not, and the coverage of a function,
 * compared with brute force on random rows.
 */
#include "graph/build.h"
#include "unit.h"

#define ROWS 40
#define PARTS 2
#define FILES 4 /* including 0 */

static int fault;
static struct unit_log message;
static struct cg_diag diag = { .report = unit_report, .arg = &message };

/* ---- Rows --------------------------------------------------------------- */

/* Ranks of files are in reverse order of ids. */
static cg_file
turn(cg_file file)
{
	return file == 0 ? 0 : FILES - file;
}

static int
compare_rows(const void *pa, const void *pb)
{
	const struct cg_branch *a = pa, *b = pb;

	if (a->pos.addr != b->pos.addr)
		return a->pos.addr < b->pos.addr ? -1 : 1;
	if (a->pos.file != b->pos.file)
		return turn(a->pos.file) < turn(b->pos.file) ? -1 : 1;
	if (a->pos.line != b->pos.line)
		return a->pos.line < b->pos.line ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	/* Of other kinds, rows that differ only here are equal. */
	if (a->kind != CG_BRANCH_REGION)
		return 0;
	if (a->flags != b->flags)
		return a->flags < b->flags ? -1 : 1;
	return a->target < b->target ? -1 : a->target > b->target;
}

static size_t
merge_rows(struct cg_branch *row, size_t n)
{
	size_t to = 0;

	qsort(row, n, sizeof(*row), compare_rows);
	for (size_t i = 0; i < n; i++) {
		if (to > 0 && compare_rows(&row[to - 1], &row[i]) == 0)
			row[to - 1].count += row[i].count;
		else
			row[to++] = row[i];
	}
	return to;
}

/*
 * Rows as readers add them: sorted, or file by file with the function's own
 * first or not, or unsorted; some twice.
 */
static size_t
make_rows(struct cg_branch *row, uint64_t *random)
{
	size_t n = unit_below(random, ROWS), how = unit_below(random, 4);
	size_t files = how == 1 ? 1 : FILES;
	bool twice = unit_below(random, 2), addrs = unit_below(random, 4) == 0;

	for (size_t i = 0; i < n; i++) {
		row[i] = (struct cg_branch){
			.pos = { .file = (cg_file)unit_below(random, files),
			    .line = (uint32_t)unit_below(random, 4),
			    .addr = addrs ? unit_below(random, 2) : 0 },
			.kind = (enum cg_branch_kind)unit_below(
			    random, CG_BRANCH_PATH + 1),
			.block = (uint32_t)unit_below(random, 9) *
				 (unit_below(random, 9) ? 1 : 1000000007),
			.index = (uint32_t)unit_below(random, 3),
			.count = (int64_t)unit_below(random, 3)
		};
		if (unit_below(random, 3) > 0)
			continue;
		row[i].kind = CG_BRANCH_REGION;
		row[i].target = (uint32_t)unit_below(random, 3);
		row[i].flags = unit_below(random, 2) ? CG_REGION_FILLER : 0;
	}
	if (how == 3)
		return n;
	n = twice ? n : merge_rows(row, n);
	qsort(row, n, sizeof(*row), compare_rows);
	/* By id: the reverse of ranks. */
	for (size_t i = 0; how == 2 && i < n; i++)
		row[i].pos.file = turn(row[i].pos.file);
	return n;
}

/* ---- Coverage of a function --------------------------------------------- */

/* The row with a block's count: on line 0, else the first that is not zero. */
static const struct cg_branch *
find_count(const struct cg_branch *row, size_t n, uint32_t block)
{
	const struct cg_branch *best = NULL;

	for (size_t i = 0; i < n; i++) {
		if (row[i].kind != CG_BRANCH_BLOCK || row[i].block != block)
			continue;
		if (!best || (best->pos.line > 0 && row[i].pos.line == 0) ||
		    (best->pos.line > 0 && best->count == 0))
			best = &row[i];
	}
	return best;
}

/* The last call of a block, not on line 0 if there are others. */
static const struct cg_branch *
find_call(const struct cg_branch *row, size_t n, uint32_t block)
{
	const struct cg_branch *best = NULL;

	for (size_t i = 0; i < n; i++) {
		if (row[i].kind == CG_BRANCH_CALL && row[i].block == block &&
		    (!best || row[i].pos.line > 0))
			best = &row[i];
	}
	return best;
}

static void
add_block(const struct cg_branch *row, size_t n, uint32_t block, uint32_t last,
    struct cg_coverage *sum)
{
	const struct cg_branch *own = find_count(row, n, block);
	const struct cg_branch *call = find_call(row, n, block);
	int64_t count = own ? own->count : 0;
	bool on_0 = own && own->pos.line == 0;

	for (size_t i = 0; i < n && !own; i++)
		on_0 |= row[i].kind == CG_BRANCH_CALL &&
			row[i].block == block && row[i].pos.line == 0;
	sum->returns += call ? call->count - count : 0;
	sum->returns += block == last ? count : 0;
	sum->returned |= !on_0;
	sum->entered |= on_0 && block == 0;
	if (on_0 && block == 0)
		sum->entries = count;
	sum->executed += block > 0 && block < last && count > 0;
}

/* The expected coverage, of rows that are merged. */
static void
cover(const struct cg_branch *row, size_t n, struct cg_coverage *sum)
{
	uint32_t last = 0;
	bool seen;

	*sum = (struct cg_coverage){ 0 };
	for (size_t i = 0; i < n; i++) {
		sum->paths += row[i].kind == CG_BRANCH_PATH;
		sum->paths_covered +=
		    row[i].kind == CG_BRANCH_PATH && row[i].count > 0;
		if (row[i].kind == CG_BRANCH_BLOCK && row[i].block > last)
			last = row[i].block;
	}
	sum->blocks = last > 0 ? last - 1 : 0;
	for (size_t i = 0; i < n; i++) {
		seen = row[i].kind != CG_BRANCH_BLOCK &&
		       row[i].kind != CG_BRANCH_CALL;
		for (size_t j = 0; j < i && !seen; j++)
			seen = row[j].block == row[i].block &&
			       (row[j].kind == CG_BRANCH_BLOCK ||
				   row[j].kind == CG_BRANCH_CALL);
		if (!seen)
			add_block(row, n, row[i].block, last, sum);
	}
}

/* ---- Tests -------------------------------------------------------------- */

static void
check_rows(struct cg_rows *rows, cg_part part, struct cg_branch *want, size_t n)
{
	struct cg_coverage sum, expected;
	struct cg_branch row;
	size_t i = 0;

	n = merge_rows(want, n);
	CHECK(cg_rows_open(rows, part, 1));
	for (; cg_next_branch(rows, &row) && i < n; i++)
		CHECK(compare_rows(&row, &want[i]) == 0 &&
		      row.count == want[i].count);
	CHECK(i == n);
	cover(want, n, &expected);
	CHECK(cg_get_coverage(rows, part, 1, 0, &sum));
	CHECK(
	    sum.blocks == expected.blocks && sum.executed == expected.executed);
	CHECK(sum.paths == expected.paths &&
	      sum.paths_covered == expected.paths_covered);
	CHECK(
	    sum.entered == expected.entered && sum.entries == expected.entries);
	CHECK(sum.returned == expected.returned &&
	      sum.returns == expected.returns);
}

static void
test_random(uint64_t random)
{
	struct cg_branch row[PARTS][ROWS], all[PARTS * ROWS];
	size_t n[PARTS], sum = 0;
	struct cg_build build;
	struct cg_graph *graph = cg_graph_new(&diag, &fault);
	struct cg_rows *rows;

	cg_build_init(&build, graph, CG_PARTS_KEEP);
	/* Paths and ids in opposite order. */
	for (int i = 1; i < FILES; i++)
		(void)cg_add_file(
		    &build, (struct cg_slice){ &"cba"[i - 1], 1 });
	(void)cg_add_fn(
	    &build, cg_slice("f"), (cg_file)unit_below(&random, FILES), 0);
	for (cg_part p = 0; p < PARTS; p++) {
		cg_set_part(&build,
		    cg_add_part(&build, &(struct cg_part_info){ .cmd = "" }));
		n[p] = make_rows(row[p], &random);
		for (size_t i = 0; i < n[p]; i++)
			CHECK(cg_add_branch(&build, 1, &row[p][i]));
		memcpy(&all[sum], row[p], n[p] * sizeof(*all));
		sum += n[p];
	}
	CHECK(cg_graph_seal(graph) == CG_OK);
	rows = cg_rows_new(graph);
	for (cg_part p = 0; p < PARTS; p++)
		check_rows(rows, p, row[p], n[p]);
	check_rows(rows, CG_ALL_PARTS, all, sum);
	cg_rows_free(rows);
	CHECK(cg_build_status(&build) == CG_OK && fault == CG_OK);
	cg_build_free(&build);
	cg_graph_free(graph);
}

int
main(void)
{
	for (uint64_t seed = 1; seed <= 5000; seed++)
		test_random(seed);
	return unit_end();
}
