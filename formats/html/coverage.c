/*
 * coverage.c - what ran, as columns.
 *
 *	sum_file sum_line sum_code sum_count sum_branches sum_conditions
 *						by file and line
 *	region_file region_line region_column region_lines region_end
 *	region_flags region_count		by region, in the order of sums:
 *						lines to its last one, and the
 *						column after it
 *	cover_file cover_lines cover_fns cover_branches cover_conditions
 *	cover_regions				by file: pairs of numbers:
 *						found and hit
 *	branch_count branch_flags branch_block	by branch, in the order of sums:
 *						its branches, its conditions
 *	fn_entries				by function
 *	compared				1: a difference of two runs
 *
 * Entries are one more than counted, 0 if unknown. The columns of a difference
 * are those of the run after; with index 1 they are those of the run before.
 * They are made from the graphs of the runs, as their difference has no
 * branches.
 */

#include "html.h"

enum { AFTER, BEFORE, RUNS }; /* indexes of columns */

enum {
	SUM_FILE,
	SUM_LINE,
	SUM_CODE,
	SUM_COUNT,
	BRANCHES,
	CONDITIONS,
	BRANCH_COUNT,
	FLAGS,
	BLOCK,
	REGION_FILE,
	REGION_LINE,
	REGION_COLUMN,
	REGION_LINES,
	REGION_END,
	REGION_FLAGS,
	REGION_COUNT,
	SUMS
};

enum { COVERED_FILE, LINES, FNS, ARCS, DECISIONS, PLACES, COVERED };

/* A run: the graph of the page, or a side of it. */
struct run {
	struct html_writer *w;
	const struct cg_graph *graph;
	struct cg_lines *lines; /* its current file is added */
	size_t event;           /* that counts how often lines ran */
	uint32_t file;          /* index of the current file in the page */
	uint64_t *entries;      /* by index of the function in the page */
	struct html_column sum[SUMS], total[COVERED];
};

struct html_coverage {
	struct html_writer *w;
	size_t runs; /* of which the rows are added */
	bool sides;  /* the runs are the sides of a difference */
	struct run run[RUNS];
};

/* ---- Lines --------------------------------------------------------------- */

static bool
add_branches(struct run *r, const struct cg_line_sum *sum)
{
	struct html_writer *w = r->w;
	uint64_t conditions = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < sum->branches; i++) {
		const struct cg_branch *branch = &sum->branch[i];

		conditions += branch->kind == CG_BRANCH_CONDITION;
		ok = html_add_signed(w, &r->sum[BRANCH_COUNT], branch->count) &&
		     html_add(w, &r->sum[FLAGS], branch->flags) &&
		     html_add(w, &r->sum[BLOCK], branch->block);
	}
	return ok &&
	       html_add(w, &r->sum[BRANCHES], sum->branches - conditions) &&
	       html_add(w, &r->sum[CONDITIONS], conditions);
}

/*
 * Adds the regions that begin on the current line to the page's arrays
 * (columns) of regions. False: an error (reported).
 */
static bool
add_regions(struct run *r)
{
	struct html_writer *w = r->w;
	const struct cg_branch *row;
	size_t n;
	bool ok = cg_line_regions(r->lines, &row, &n);

	for (size_t i = 0; ok && i < n; i++)
		ok = html_add(w, &r->sum[REGION_FILE], r->file) &&
		     html_add(w, &r->sum[REGION_LINE], row[i].pos.line) &&
		     html_add(w, &r->sum[REGION_COLUMN], row[i].block) &&
		     html_add(w, &r->sum[REGION_LINES], row[i].index) &&
		     html_add(w, &r->sum[REGION_END], row[i].target) &&
		     html_add(w, &r->sum[REGION_FLAGS], row[i].flags) &&
		     html_add_signed(w, &r->sum[REGION_COUNT], row[i].count);
	return ok;
}

static bool
add_sums(struct run *r)
{
	struct html_writer *w = r->w;
	struct cg_line_sum sum;
	bool ok = true;

	while (ok && cg_next_line_sum(r->lines, r->event, &sum)) {
		if (sum.line == 0)
			continue;
		ok = html_add(w, &r->sum[SUM_FILE], r->file) &&
		     html_add(w, &r->sum[SUM_LINE], sum.line) &&
		     html_add(w, &r->sum[SUM_CODE], sum.has_cost) &&
		     html_add(w, &r->sum[SUM_COUNT], sum.cost) &&
		     add_branches(r, &sum) && add_regions(r);
	}
	cg_first_line(r->lines);
	return ok;
}

static bool
add_hits(struct html_writer *w, struct html_column *column,
    const struct cg_hits *hits)
{
	return html_add(w, column, hits->found) &&
	       html_add(w, column, hits->hit);
}

/*
 * Adds the totals of the current file to the page's arrays (columns): lines,
 * functions, branches and conditions. Adds regions if the graph has any. Does
 * nothing if the file has neither lines nor functions nor branches. The page
 * cannot compute the totals from its lines, because functions of one name
 * count as one. False: an error (reported).
 */
static bool
add_covered(struct run *r)
{
	struct html_writer *w = r->w;
	struct cg_counts counts;

	if (!cg_count_file(r->lines, r->event, &counts))
		return false;
	if (counts.lines.found + counts.functions.found +
		counts.branches.found ==
	    0)
		return true;
	return html_add(w, &r->total[COVERED_FILE], r->file) &&
	       add_hits(w, &r->total[LINES], &counts.lines) &&
	       add_hits(w, &r->total[FNS], &counts.functions) &&
	       add_hits(w, &r->total[ARCS], &counts.branches) &&
	       add_hits(w, &r->total[DECISIONS], &counts.conditions) &&
	       (!(cg_graph_facts(r->graph) & CG_REGIONS) ||
		   add_hits(w, &r->total[PLACES], &counts.regions));
}

/* ---- Functions ----------------------------------------------------------- */

/*
 * Returns the index in the page of a function of the run. A run is the
 * profile, or one side of a difference. The sides of a difference have graphs
 * of their own. So their functions are mapped to those of the page's graph.
 */
static uint32_t
index_of(const struct run *r, cg_fn fn)
{
	if (r->graph != r->w->graph)
		fn = cg_job_diff_fn(
		    r->w->job, r->graph == cg_job_diff_graph(r->w->job, 1), fn);
	return r->w->rank[fn];
}

/*
 * Sets r->entries of each function of the current file to 1 + the number of
 * its calls. An unknown number counts as one call if a line of the function
 * ran, else as none. Elements of functions without coverage stay 0.
 * Afterwards, r->lines is before the file's first line again.
 */
static void
count_entries(struct run *r)
{
	const cg_fn *fn;
	size_t n = cg_file_fns(r->lines, &fn);
	struct cg_line line;
	uint64_t count;

	while (cg_next_line(r->lines, &line)) {
		if (line.n > r->event && line.cost[r->event] != 0)
			r->entries[index_of(r, line.fn)] = 2;
	}
	cg_first_line(r->lines);
	for (size_t i = 0; i < n; i++) {
		uint64_t *entries = &r->entries[index_of(r, fn[i])];

		if (cg_fn_entries(r->lines, fn[i], &count))
			*entries = count + (count < UINT64_MAX);
		else if (*entries == 0)
			*entries = 1;
	}
}

/* ---- Runs ---------------------------------------------------------------- */

static bool
open_run(struct run *r, struct html_writer *w, const struct cg_graph *graph)
{
	static const struct html_column sum[SUMS] = {
		[SUM_FILE] = { .name = "sum_file", .type = HTML_DELTA },
		[SUM_LINE] = { .name = "sum_line", .type = HTML_DELTA },
		[SUM_CODE] = { .name = "sum_code", .type = HTML_NUMBER },
		[SUM_COUNT] = { .name = "sum_count", .type = HTML_COST },
		[BRANCHES] = { .name = "sum_branches", .type = HTML_NUMBER },
		[CONDITIONS] = { .name = "sum_conditions",
		    .type = HTML_NUMBER },
		[BRANCH_COUNT] = { .name = "branch_count",
		    .type = HTML_SIGNED },
		[FLAGS] = { .name = "branch_flags", .type = HTML_NUMBER },
		[BLOCK] = { .name = "branch_block", .type = HTML_NUMBER },
		[REGION_FILE] = { .name = "region_file", .type = HTML_DELTA },
		[REGION_LINE] = { .name = "region_line", .type = HTML_DELTA },
		[REGION_COLUMN] = { .name = "region_column",
		    .type = HTML_NUMBER },
		[REGION_LINES] = { .name = "region_lines",
		    .type = HTML_NUMBER },
		[REGION_END] = { .name = "region_end", .type = HTML_NUMBER },
		[REGION_FLAGS] = { .name = "region_flags",
		    .type = HTML_NUMBER },
		[REGION_COUNT] = { .name = "region_count",
		    .type = HTML_SIGNED },
	};
	static const struct html_column total[COVERED] = {
		[COVERED_FILE] = { .name = "cover_file", .type = HTML_DELTA },
		[LINES] = { .name = "cover_lines", .type = HTML_NUMBER },
		[FNS] = { .name = "cover_fns", .type = HTML_NUMBER },
		[ARCS] = { .name = "cover_branches", .type = HTML_NUMBER },
		[DECISIONS] = { .name = "cover_conditions",
		    .type = HTML_NUMBER },
		[PLACES] = { .name = "cover_regions", .type = HTML_NUMBER },
	};

	r->w = w;
	r->graph = graph;
	r->event = html_coverage_event(graph);
	for (size_t i = 0; i < SUMS; i++)
		r->sum[i] = sum[i];
	for (size_t i = 0; i < COVERED; i++)
		r->total[i] = total[i];
	if (r->event < cg_event_count(graph) &&
	    cg_get_event(graph, r->event)->is_signed)
		r->sum[SUM_COUNT].type = HTML_SIGNED;
	r->entries = cg_alloc(w->job, (w->fns + 1) * sizeof(*r->entries));
	return r->entries != NULL;
}

size_t
html_coverage_event(const struct cg_graph *graph)
{
	size_t i = 0, events = cg_event_count(graph);

	while (i < events && cg_get_event(graph, i)->incl != CG_INCL_NONE)
		i++;
	return i;
}

bool
html_coverage_new(struct html_writer *w, struct html_coverage **coverage)
{
	struct html_coverage *c;
	bool ok;

	*coverage = NULL;
	if (html_coverage_event(w->graph) == w->events)
		return true;
	*coverage = c = cg_alloc(w->job, sizeof(*c));
	if (!c)
		return false;
	c->w = w;
	c->sides = cg_job_diff_graph(w->job, 0) != NULL;
	c->runs = c->sides ? RUNS : 1;
	ok = open_run(&c->run[AFTER], w,
	    c->sides ? cg_job_diff_graph(w->job, 1) : w->graph);
	return ok && (!c->sides || open_run(&c->run[BEFORE], w,
				       cg_job_diff_graph(w->job, 0)));
}

enum { ALL_LINES = 1, ALL_TOTALS = 2 };

static bool
add_file(struct run *r, struct cg_lines *lines, uint32_t file, unsigned what)
{
	r->lines = lines;
	r->file = file;
	if (what & ALL_LINES)
		count_entries(r);
	return (!(what & ALL_LINES) || add_sums(r)) &&
	       (!(what & ALL_TOTALS) || add_covered(r));
}

bool
html_cover_file(struct html_coverage *c, struct cg_lines *lines, cg_file file)
{
	return c->sides || add_file(&c->run[AFTER], lines,
			       html_file(c->w, file), ALL_LINES | ALL_TOTALS);
}

/*
 * Adds the coverage of all files of a side to the page's arrays (columns).
 * Sides of a difference are 0 and 1. Bits of "what" select the data. ALL_LINES
 * adds lines, functions and branches; ALL_TOTALS adds the files' totals.
 * False: an error (reported).
 */
static bool
add_side(struct run *r, int side, unsigned what)
{
	struct cg_lines *lines = cg_lines_new_by_name(r->graph, CG_ALL_PARTS);
	bool ok = lines != NULL;
	cg_file file;

	while (ok && cg_next_file(lines, &file))
		ok = add_file(r, lines,
		    html_file(r->w, cg_job_diff_file(r->w->job, side, file)),
		    what);
	cg_lines_free(lines);
	return ok;
}

bool
html_cover_lines(struct html_coverage *c)
{
	bool ok = true;

	/*
	 * The page compares lines as --diff does, with what sources exclude
	 * after, but totals before are those of the run alone.
	 */
	if (c->sides)
		ok = cg_job_exclude_side(c->w->job, 1) &&
		     add_side(&c->run[AFTER], 1, ALL_LINES | ALL_TOTALS) &&
		     add_side(&c->run[BEFORE], 0, ALL_LINES) &&
		     cg_job_exclude_side(c->w->job, 0) &&
		     add_side(&c->run[BEFORE], 0, ALL_TOTALS);
	for (size_t i = 0; i < c->runs; i++)
		for (size_t k = 0; k < SUMS; k++)
			html_end_at(c->w, &c->run[i].sum[k], i);
	return ok;
}

bool
html_cover_totals(struct html_coverage *c)
{
	struct html_writer *w = c->w;
	bool ok = true;

	for (size_t i = 0; ok && i < c->runs; i++) {
		struct html_column entries = { .name = "fn_entries",
			.type = HTML_COST };

		for (size_t fn = 0; ok && fn < w->fns; fn++)
			ok = html_add(w, &entries, c->run[i].entries[fn]);
		html_end_at(w, &entries, i);
		for (size_t k = 0; k < COVERED; k++)
			html_end_at(w, &c->run[i].total[k], i);
	}
	return ok && (!c->sides || html_put_number(w, "compared", 1));
}
