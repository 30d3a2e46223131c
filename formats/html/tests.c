/*
 * tests.c - the coverage of each test, as columns. A test is a part: a test
 * (TN) of a tracefile, or an input, with --parts.
 *
 *	test_part test_file			by test and file that it covers
 *	test_lines test_fns test_branches test_conditions test_regions
 *						... numbers covered in the file
 *	test_line test_count			by covered line: how often it
 *						ran; none if there are too many
 *	test_dropped				number of dropped lines
 */

#include "html.h"

/* A browser needs 12 bytes for each line, 100 MB for all. */
#define TEST_LINES_MAX ((uint64_t)8 << 20)

enum {
	PART,
	FILE_AT,
	LINES,
	FNS,
	BRANCHES,
	CONDITIONS,
	REGIONS,
	LINE,
	COUNT,
	COLUMNS
};

struct tests {
	struct html_writer *w;
	struct cg_lines *lines;
	size_t event;
	uint64_t dropped;
	struct html_column column[COLUMNS];
};

static bool
add_lines(struct tests *t)
{
	struct cg_line_sum sum;
	bool ok = true;

	cg_first_line(t->lines);
	while (ok && cg_next_line_sum(t->lines, t->event, &sum)) {
		if (sum.line == 0 || !sum.has_cost || sum.hits == 0)
			continue;
		ok = html_add(t->w, &t->column[LINE], sum.line) &&
		     html_add(t->w, &t->column[COUNT], sum.hits);
	}
	return ok;
}

/*
 * Adds what a test covers in the current file to the page's arrays (columns):
 * totals and covered lines. A test is a part of the graph. Adds nothing if it
 * covers nothing. The number of lines of all tests is limited. From the first
 * file beyond the limit on, lines are only counted in t->dropped. False: out
 * of memory (reported).
 */
static bool
add_file(struct tests *t, cg_part part, cg_file file)
{
	struct cg_counts counts = { 0 };
	bool ok = cg_count_file(t->lines, t->event, &counts);

	if (!ok || counts.lines.hit + counts.functions.hit +
			   counts.branches.hit + counts.conditions.hit ==
		       0)
		return ok;
	ok = html_add(t->w, &t->column[PART], part) &&
	     html_add(t->w, &t->column[FILE_AT], html_file(t->w, file)) &&
	     html_add(t->w, &t->column[LINES], counts.lines.hit) &&
	     html_add(t->w, &t->column[FNS], counts.functions.hit) &&
	     html_add(t->w, &t->column[BRANCHES], counts.branches.hit) &&
	     html_add(t->w, &t->column[CONDITIONS], counts.conditions.hit) &&
	     (!(cg_graph_facts(t->w->graph) & CG_REGIONS) ||
		 html_add(t->w, &t->column[REGIONS], counts.regions.hit));
	/*
	 * At the limit, lists of lines end for all tests: no list is
	 * incomplete.
	 */
	if (t->dropped > 0 ||
	    t->column[LINE].count + counts.lines.hit > TEST_LINES_MAX) {
		t->dropped += counts.lines.hit;
		return ok;
	}
	return ok && add_lines(t);
}

static bool
add_tests(struct tests *t)
{
	size_t parts = cg_part_count(t->w->graph);
	cg_file file;
	bool ok = true;

	for (cg_part p = 0; ok && p < parts; p++) {
		ok = cg_lines_set_part(t->lines, p);
		while (ok && cg_next_file(t->lines, &file))
			ok = add_file(t, p, file);
	}
	return ok;
}

bool
html_put_tests(struct html_writer *w)
{
	struct tests t = { .w = w,
		.event = html_coverage_event(w->graph),
		.column = {
		    [PART] = { .name = "test_part", .type = HTML_DELTA },
		    [FILE_AT] = { .name = "test_file", .type = HTML_DELTA },
		    [LINES] = { .name = "test_lines", .type = HTML_NUMBER },
		    [FNS] = { .name = "test_fns", .type = HTML_NUMBER },
		    [BRANCHES] = { .name = "test_branches",
			.type = HTML_NUMBER },
		    [CONDITIONS] = { .name = "test_conditions",
			.type = HTML_NUMBER },
		    [REGIONS] = { .name = "test_regions", .type = HTML_NUMBER },
		    [LINE] = { .name = "test_line", .type = HTML_DELTA },
		    [COUNT] = { .name = "test_count", .type = HTML_COST },
		} };
	bool ok;

	if (cg_part_count(w->graph) < 2 || t.event == w->events)
		return true;
	t.lines = cg_lines_new_by_name(w->graph, 0);
	ok = t.lines != NULL && add_tests(&t) && html_begin_data(w, "tests");
	html_end_columns(w, t.column, COLUMNS);
	cg_lines_free(t.lines);
	if (ok && t.dropped > 0)
		cg_warn(w->job,
		    "tests cover too many lines for a page: numbers of all "
		    "tests are kept, but the last ones have no lines");
	return ok && html_end_data(w) &&
	       (t.dropped == 0 ||
		   html_put_number(w, "test_dropped", t.dropped));
}
