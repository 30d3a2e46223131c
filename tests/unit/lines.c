/*
 * lines.c - rows by source file, compared with brute force on random graphs.
 */
#include "graph/build.h"
#include "unit.h"

#define FNS 7   /* including 0 */
#define FILES 4 /* including 0 */
#define LINES 6
#define EVENTS 2
#define BLOCKS 3

static int fault;
static struct unit_log message;
static struct cg_diag diag = { .report = unit_report, .arg = &message };

/* The rows that were added to the graph. */
struct model {
	bool cost_there[FILES][LINES][FNS]; /* not seen yet */
	bool ran[FILES][LINES][FNS];
	uint64_t cost[FILES][LINES][FNS][EVENTS];
	bool branch_there[FILES][LINES][FNS][BLOCKS];
	int64_t branch[FILES][LINES][FNS][BLOCKS];
	uint64_t entries[FNS];
	bool called[FNS];
	uint32_t first[FNS]; /* stated first line, else the lowest one */
	bool stated[FNS];
	cg_file own[FNS];
};

/* ---- Building ----------------------------------------------------------- */

static struct cg_graph *
begin(struct cg_build *build)
{
	struct cg_graph *graph = cg_graph_new(&diag, &fault);

	if (!graph)
		exit(1);
	cg_build_init(build, graph, CG_PARTS_KEEP);
	for (int i = 0; i < EVENTS; i++)
		cg_add_event(
		    build, &(struct cg_event){ .name = i ? "b" : "a" });
	/* Paths and ids in opposite order. */
	for (int i = 1; i < FILES; i++)
		CHECK(cg_add_file(build,
			  (struct cg_slice){ &"cba"[i - 1], 1 }) == (cg_file)i);
	return graph;
}

static void
end(struct cg_build *build, struct cg_graph *graph)
{
	CHECK(cg_build_status(build) == CG_OK && fault == CG_OK);
	cg_build_free(build);
	cg_graph_free(graph);
}

/* The last function has no name: its lines are outside of functions. */
static void
add_fns(struct cg_build *build, struct model *model, uint64_t *random)
{
	char name[] = "f0";

	for (cg_fn fn = 1; fn < FNS; fn++) {
		bool named = fn < FNS - 1;

		model->own[fn] = named ? (cg_file)unit_below(random, FILES) : 1;
		model->stated[fn] = named && unit_below(random, 2);
		name[1] = (char)('9' - fn);
		CHECK(cg_add_fn(build, cg_slice(named ? name : ""),
			  model->own[fn], 0) == fn);
		if (!model->stated[fn])
			continue;
		model->first[fn] = 1 + (uint32_t)unit_below(random, 4);
		cg_set_fn_range(build, fn,
		    &(struct cg_range){
			.first = model->first[fn], .first_column = 9 - fn });
	}
}

static void
add_row(struct cg_build *build, struct model *model, uint64_t *random)
{
	cg_fn fn = 1 + (cg_fn)unit_below(random, FNS - 1);
	uint32_t line = (uint32_t)unit_below(random, LINES);
	cg_file file = (cg_file)unit_below(random, FILES);
	uint32_t block = (uint32_t)unit_below(random, BLOCKS);
	struct cg_pos pos = {
		.file = file, .line = line, .addr = unit_below(random, 3)
	};
	uint64_t cost[EVENTS] = { unit_below(random, 9), 1 };
	size_t n = unit_below(random, EVENTS + 1), kind;

	kind = unit_below(random, 3);
	if (kind == 0) {
		cg_add_call(build, (cg_fn)unit_below(random, FNS), &pos, fn,
		    &pos, cost[0], cost, n);
		model->entries[fn] += cost[0];
		model->called[fn] = true;
		return;
	}
	if (kind == 1) {
		cg_add_cost(build, fn, &pos, cost, n);
		model->cost_there[file][line][fn] = true;
		model->ran[file][line][fn] = true;
		for (size_t i = 0; i < n; i++)
			model->cost[file][line][fn][i] += cost[i];
	} else {
		cg_add_branch(build, fn,
		    &(struct cg_branch){ .pos = pos,
			.kind = CG_BRANCH_ARC,
			.block = block,
			.count = (int64_t)cost[0] });
		model->branch_there[file][line][fn][block] = true;
		model->branch[file][line][fn][block] += (int64_t)cost[0];
	}
	if (!model->stated[fn] && file == model->own[fn] && line > 0 &&
	    (model->first[fn] == 0 || line < model->first[fn]))
		model->first[fn] = line;
}

/* ---- Comparing ---------------------------------------------------------- */

/* The index of a function in a file's list. */
static uint64_t
place_of(const struct cg_graph *graph, const struct model *model, cg_file file,
    cg_fn fn)
{
	uint64_t column = model->stated[fn] ? 9 - fn : 0;

	return (uint64_t)(model->own[fn] != file) << 40 |
	       (uint64_t)model->first[fn] << 16 | column << 8 |
	       graph->fn_rank[fn];
}

static void
check_line(struct model *model, cg_file file, const struct cg_line *line)
{
	bool *there = &model->cost_there[file][line->line][line->fn];
	bool any = line->has_cost;

	CHECK(*there == line->has_cost);
	*there = false;
	for (size_t i = 0; i < EVENTS; i++)
		CHECK(
		    (i < line->n ? line->cost[i] : 0) ==
		    (line->has_cost ? model->cost[file][line->line][line->fn][i]
				    : 0));
	for (size_t i = 0; i < line->branches; i++) {
		const struct cg_branch *branch = &line->branch[i];
		bool *is = &model->branch_there[file][line->line][line->fn]
					       [branch->block];

		CHECK(i == 0 || branch->block >= branch[-1].block);
		CHECK(
		    branch->pos.file == file && branch->pos.line == line->line);
		CHECK(*is &&
		      branch->count == model->branch[file][line->line][line->fn]
						    [branch->block]);
		*is = false;
		any = true;
	}
	CHECK(any);
}

/* The list has all functions of the file with a name, in order. */
static void
check_fns(const struct cg_graph *graph, struct cg_lines *lines,
    const struct model *model, cg_file file)
{
	size_t n = 0, count;
	const cg_fn *fn;

	count = cg_file_fns(lines, &fn);
	for (cg_fn i = 1; i < FNS - 1; i++)
		n += model->own[i] == file && file != 0;
	CHECK(file == 0 || count == n);
	for (size_t i = 0; i < count; i++) {
		CHECK(model->own[fn[i]] == file && fn[i] < FNS - 1);
		CHECK(cg_fn_line(lines, fn[i]) == model->first[fn[i]]);
		CHECK(i == 0 || place_of(graph, model, file, fn[i - 1]) <
				    place_of(graph, model, file, fn[i]));
	}
}

/* Sums of the lines of a file. */
static void
check_sums(struct cg_lines *lines, const struct model *model, cg_file file)
{
	struct cg_line_sum sum;
	uint32_t last = 0;

	for (size_t n = 0; cg_next_line_sum(lines, 1, &sum); n++) {
		uint64_t cost = 0;
		int64_t count = 0;
		bool has_cost = false;

		for (cg_fn fn = 0; fn < FNS; fn++) {
			cost += model->cost[file][sum.line][fn][1];
			has_cost |= model->ran[file][sum.line][fn];
			for (int i = 0; i < BLOCKS; i++)
				count += model->branch[file][sum.line][fn][i];
		}
		CHECK(n == 0 || sum.line > last);
		CHECK(sum.cost == cost && sum.has_cost == has_cost);
		for (size_t i = 0; i < sum.branches; i++)
			count -= sum.branch[i].count;
		CHECK(count == 0);
		last = sum.line;
	}
}

static void
check_file(const struct cg_graph *graph, struct cg_lines *lines,
    struct model *model, cg_file file)
{
	struct cg_line line, last = { 0 };
	size_t count = 0, again = 0, fns;
	const struct cg_merged_fn *fn;

	check_fns(graph, lines, model, file);
	for (; cg_next_line(lines, &line); count++) {
		CHECK(count == 0 || line.line > last.line ||
		      (line.line == last.line &&
			  place_of(graph, model, file, line.fn) >
			      place_of(graph, model, file, last.fn)));
		check_line(model, file, &line);
		last = line;
	}
	for (cg_first_line(lines); cg_next_line(lines, &line);)
		again++;
	CHECK(again == count);
	CHECK(cg_merged_fns(lines, 0, &fn, &fns));
	for (again = 0; cg_next_line(lines, &line);)
		again++;
	CHECK(again == count);
	cg_first_line(lines);
	check_sums(lines, model, file);
}

static void
test_random(uint64_t seed)
{
	struct model model = { 0 };
	const struct model none = { 0 };
	struct cg_build build;
	struct cg_graph *graph = begin(&build);
	size_t files = 0, again = 0;
	struct cg_lines *lines;
	char last = '\0';
	cg_file file;

	add_fns(&build, &model, &seed);
	for (size_t n = unit_below(&seed, 200); n > 0; n--)
		add_row(&build, &model, &seed);
	CHECK(cg_graph_seal(graph) == CG_OK);
	lines = cg_lines_new(graph, CG_ALL_PARTS);
	for (; cg_next_file(lines, &file); files++) {
		struct cg_slice path = cg_file_path(graph, file);

		CHECK(path.len == 0 ? files == 0 : *path.ptr > last);
		last = path.len ? *path.ptr : '\0';
		check_file(graph, lines, &model, file);
	}
	for (cg_first_file(lines); cg_next_file(lines, &file);)
		again++;
	CHECK(again == files);
	for (cg_fn fn = 1; fn < FNS; fn++) {
		uint64_t count;

		CHECK(cg_fn_entries(lines, fn, &count) == model.called[fn]);
		CHECK(count == model.entries[fn]);
	}
	CHECK(memcmp(model.cost_there, none.cost_there,
		  sizeof(none.cost_there)) == 0);
	CHECK(memcmp(model.branch_there, none.branch_there,
		  sizeof(none.branch_there)) == 0);
	cg_lines_free(lines);
	end(&build, graph);
}

static void
add_block_row(struct cg_build *build, uint64_t *random)
{
	static const enum cg_branch_kind kinds[] = { CG_BRANCH_BLOCK,
		CG_BRANCH_BLOCK, CG_BRANCH_ARC, CG_BRANCH_CALL,
		CG_BRANCH_PATH };
	struct cg_branch row = {
		.pos.file = (cg_file)unit_below(random, FILES),
		.pos.line = (uint32_t)unit_below(random, LINES),
		.kind = kinds[unit_below(random, 5)],
		.block = (uint32_t)unit_below(random, 300),
		.index = (uint32_t)unit_below(random, BLOCKS),
		.count = (int64_t)unit_below(random, 3),
	};

	cg_add_branch(build, 1 + (cg_fn)unit_below(random, FNS - 1), &row);
}

/* Coverage collected with the lines equals cg_get_coverage(). */
static void
test_coverage(uint64_t seed)
{
	struct model model = { 0 };
	struct cg_build build;
	struct cg_graph *graph = begin(&build);
	struct cg_coverage sum, own;
	struct cg_lines *lines;
	struct cg_rows *rows;
	const cg_fn *fn;
	cg_file file;

	add_fns(&build, &model, &seed);
	for (size_t n = unit_below(&seed, 400); n > 0; n--)
		add_block_row(&build, &seed);
	CHECK(cg_graph_seal(graph) == CG_OK);
	rows = cg_rows_new(graph);
	lines = seed % 2 ? cg_lines_new(graph, CG_ALL_PARTS)
			 : cg_lines_new_listed(graph, 0);
	while (cg_next_file(lines, &file)) {
		for (size_t i = 0; i < cg_file_fns(lines, &fn); i++) {
			CHECK(cg_file_coverage(lines, i, &sum));
			CHECK(cg_get_coverage(rows, 0, fn[i], 0, &own));
			CHECK(sum.blocks == own.blocks &&
			      sum.executed == own.executed);
			CHECK(sum.paths == own.paths &&
			      sum.paths_covered == own.paths_covered);
			CHECK(sum.entered == own.entered &&
			      sum.entries == own.entries);
			CHECK(sum.returned == own.returned &&
			      sum.returns == own.returns);
		}
	}
	cg_lines_free(lines);
	cg_rows_free(rows);
	end(&build, graph);
}

/*
 * Three instances of a template, one of which has another branch, and a
 * function inlined into two others.
 */
static void
test_alike(void)
{
	static const struct {
		cg_fn fn;
		uint32_t block, index;
		int64_t count;
	} rows[] = { { 1, 4, 0, 1 }, { 1, 4, 1, 2 }, { 1, 7, 0, 3 },
		{ 2, 2, 0, 10 }, { 2, 2, 1, 20 }, { 2, 5, 0, 30 },
		{ 2, 5, 1, 40 }, { 3, 1, 0, 5 }, { 4, 9, 0, 6 }, { 5, 8, 0, 7 },
		{ 6, 1, 0, 100 }, { 6, 1, 1, 200 }, { 6, 3, 0, 300 } };
	static const struct {
		uint32_t block, index;
		int64_t count;
		bool unlike;
	} want[] = { { 0, 0, 101, false }, { 0, 1, 202, false },
		{ 1, 0, 303, false }, { 2, 0, 10, true }, { 2, 1, 20, false },
		{ 3, 0, 30, false }, { 3, 1, 40, false }, { 4, 0, 5, true },
		{ 5, 0, 13, true } };
	struct cg_build build;
	struct cg_graph *graph = begin(&build);
	struct cg_lines *lines;
	struct cg_line_sum sum;
	cg_file file;

	for (cg_fn fn = 1; fn <= 6; fn++) {
		(void)cg_add_fn(&build,
		    (struct cg_slice){ &"abcdef"[fn - 1], 1 },
		    fn == 4 || fn == 5 ? 2 : 1, 0);
		cg_set_fn_range(
		    &build, fn, &(struct cg_range){ .first = fn == 3 ? 4 : 3 });
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cg_add_branch(&build, rows[i].fn,
		    &(struct cg_branch){ .pos = { .file = 1, .line = 9 },
			.kind = CG_BRANCH_ARC,
			.block = rows[i].block,
			.index = rows[i].index,
			.count = rows[i].count });
	CHECK(cg_graph_seal(graph) == CG_OK);
	lines = cg_lines_new(graph, CG_ALL_PARTS);
	while (cg_next_file(lines, &file) && file != 1)
		;
	CHECK(cg_next_line_sum(lines, 0, &sum) && sum.branches == 9);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
		CHECK(sum.branch[i].block == want[i].block &&
		      sum.branch[i].index == want[i].index &&
		      !(sum.branch[i].flags & CG_BRANCH_UNLIKE) !=
			  want[i].unlike &&
		      sum.branch[i].count == want[i].count);
	cg_lines_free(lines);
	end(&build, graph);
}

/* Files of a directory are adjacent. */
static void
test_directories(void)
{
	static const char *const paths[] = { "/a/d.c", "/a/b/c.c", "/a/a.c",
		"x.c", "/a.c" };
	static const int want[] = { 3, 4, 2, 0, 1 };
	struct cg_build build;
	struct cg_graph *graph = begin(&build);
	struct cg_lines *lines;
	cg_file file;

	for (cg_file i = 0; i < 5; i++) {
		CHECK(cg_add_file(&build, cg_slice(paths[i])) == FILES + i);
		(void)cg_add_fn(&build, cg_slice("f"), FILES + i, 0);
	}
	CHECK(cg_graph_seal(graph) == CG_OK);
	lines = cg_lines_new(graph, CG_ALL_PARTS);
	for (int i = 0; i < 5; i++)
		CHECK(cg_next_file(lines, &file) &&
		      file == FILES + (cg_file)want[i]);
	CHECK(!cg_next_file(lines, &file));
	cg_lines_free(lines);
	end(&build, graph);
}

/* More rows than a batch has; two functions are in all files. */
static void
test_many(void)
{
	enum { MANY = 250000 };
	struct cg_build build;
	struct cg_graph *graph = begin(&build);
	struct cg_lines *lines;
	struct cg_line line;
	bool good = true;
	cg_file file;
	uint32_t n;

	(void)cg_add_fn(&build, cg_slice("f"), 1, 0);
	(void)cg_add_fn(&build, cg_slice("g"), 2, 0);
	for (uint32_t i = 0; i < MANY * (FILES - 1); i++) {
		struct cg_pos pos = { .file = 1 + i % (FILES - 1),
			.line = 1 + i / (FILES - 1) };
		uint64_t cost = i;

		cg_add_cost(&build, 1 + i % 2, &pos, &cost, 1);
	}
	CHECK(cg_graph_seal(graph) == CG_OK);
	lines = cg_lines_new(graph, CG_ALL_PARTS);
	for (cg_file want = FILES - 1; cg_next_file(lines, &file); want--) {
		good &= file == want;
		for (n = 0; cg_next_line(lines, &line); n++) {
			uint32_t i = n * (FILES - 1) + file - 1;

			good &= line.line == n + 1 && line.n == (i > 0) &&
				(i == 0 || line.cost[0] == i) &&
				line.fn == 1 + i % 2;
		}
		good &= n == MANY;
	}
	CHECK(good);
	cg_lines_free(lines);
	end(&build, graph);
}

int
main(void)
{
	for (uint64_t seed = 1; seed <= 2000; seed++)
		test_random(seed);
	for (uint64_t seed = 1; seed <= 500; seed++)
		test_coverage(seed);
	test_alike();
	test_directories();
	test_many();
	return unit_end();
}
