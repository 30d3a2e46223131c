/*
 * collect.c - counts what was covered, by file and directory.
 */
#include <stdlib.h>
#include <string.h>

#include "summary.h"

const char *const metric_name[METRICS] = { "lines", "functions", "branches",
	"conditions", "regions" };

static void
add(struct covered *to, const struct covered *from)
{
	for (size_t i = 0; i < METRICS; i++) {
		to->hits[i].hit += from->hits[i].hit;
		to->hits[i].found += from->hits[i].found;
	}
}

/*
 * Returns the directory of a path, with its slash, as a part of its text; ""
 * if the path has none.
 */
static struct cg_slice
directory_of(struct cg_slice path)
{
	while (path.len > 0 && path.ptr[path.len - 1] != '/')
		path.len--;
	return path;
}

static void
limit_root(struct summary *summary, struct cg_slice path)
{
	struct cg_slice *root = &summary->root;
	size_t n = 0;

	if (summary->file.n == 0)
		*root = directory_of(path);
	while (n < root->len && n < path.len && root->ptr[n] == path.ptr[n])
		n++;
	root->len = n;
	*root = directory_of(*root);
}

/*
 * Appends a file to the summary, and adds its counts to its directory and the
 * total. Files must come sorted by directory. Shortens summary->root to a
 * directory of this file, too. False: out of memory.
 */
static bool
add_file(struct summary *summary, const struct covered *file)
{
	struct cg_slice path = directory_of(file->path);
	struct covered *last =
	    summary->directory.n > 0
		? &summary->directory.at[summary->directory.n - 1]
		: NULL;

	limit_root(summary, file->path);
	if (!cg_append(summary->args->job, &summary->file, *file))
		return false;
	if (last == NULL || cg_compare(last->path, path) != 0) {
		last = cg_push(summary->args->job, &summary->directory);
		if (last == NULL)
			return false;
		last->path = path;
	}
	add(last, file);
	add(&summary->total, file);
	return true;
}

static bool
collect_files(struct summary *summary, const struct cg_graph *graph,
    struct cg_lines *lines, size_t event)
{
	struct cg_counts counts;
	struct covered file;
	cg_file id;

	while (cg_next_file(lines, &id)) {
		if (!cg_count_file(lines, event, &counts))
			return false;
		file = (struct covered){ .path = cg_file_path(graph, id),
			.hits = { counts.lines, counts.functions,
			    counts.branches, counts.conditions,
			    counts.regions } };
		if (id != 0 && counts.lines.found + counts.branches.found > 0 &&
		    !add_file(summary, &file))
			return false;
	}
	return true;
}

bool
is_coverage(const struct cg_graph *graph, size_t event)
{
	return event < cg_event_count(graph) &&
	       (cg_graph_facts(graph) & CG_LINES);
}

bool
count_coverage(
    struct summary *summary, const struct cg_graph *graph, size_t event)
{
	struct cg_lines *lines = cg_lines_new_by_name(graph, CG_ALL_PARTS);
	bool ok = lines != NULL && collect_files(summary, graph, lines, event);

	cg_lines_free(lines);
	/* Few inputs know conditions and regions. */
	for (size_t i = 0; i < METRICS; i++) {
		if (i < CONDITIONS || summary->total.hits[i].found > 0)
			summary->metric[summary->metrics++] = i;
	}
	return ok;
}

/* The key in a part's description of the name of a test; see lcov. */
#define TEST_KEY "lcov test"

static struct cg_slice
test_name(const struct cg_graph *graph, cg_part part)
{
	const char *key, *value;

	for (size_t i = 0; cg_part_desc(graph, part, i, &key, &value); i++) {
		if (strcmp(key, TEST_KEY) == 0)
			return cg_slice(value);
	}
	return cg_slice("");
}

static bool
count_test(const struct summary *summary, const struct cg_graph *graph,
    cg_part part, size_t event, struct covered *test)
{
	struct summary one = { .args = summary->args };
	struct cg_lines *lines = cg_lines_new_by_name(graph, part);
	bool ok = lines != NULL && collect_files(&one, graph, lines, event);

	cg_lines_free(lines);
	*test = summary->total;
	test->path = test_name(graph, part);
	for (size_t i = 0; i < METRICS; i++)
		test->hits[i].hit = one.total.hits[i].hit;
	/* There may be many tests. */
	cg_drop(summary->args->job, &one.file);
	cg_drop(summary->args->job, &one.directory);
	return ok;
}

bool
count_tests(struct summary *summary, const struct cg_graph *graph, size_t event)
{
	size_t parts = cg_part_count(graph);
	bool ok;

	summary->test =
	    cg_alloc(summary->args->job, parts * sizeof(*summary->test));
	ok = summary->test != NULL;
	for (size_t i = 0; ok && i < parts; i++)
		ok = count_test(summary, graph, (cg_part)i, event,
		    &summary->test[summary->tests++]);
	return ok;
}

size_t
find_coverage(const struct cg_graph *graph)
{
	size_t event = cg_find_event(graph, COVERAGE_EVENT);

	return is_coverage(graph, event) &&
		       cg_get_event(graph, event)->incl == CG_INCL_NONE
		   ? event
		   : cg_event_count(graph);
}

struct summary *
count_all(const struct cg_graph *graph, const struct args *args)
{
	size_t event = find_coverage(graph);
	struct summary *summary;

	if (event == cg_event_count(graph))
		return NULL;
	summary = cg_alloc(args->job, sizeof(*summary));
	if (summary == NULL)
		return NULL;
	summary->args = args;
	return count_coverage(summary, graph, event) ? summary : NULL;
}

/*
 * Compares files for qsort(). The file with the lowest share of hit lines
 * comes first; a file without lines counts as fully hit. Of files with equal
 * shares, the one with more missed lines comes first, then the one with the
 * lower path.
 */
static int
compare_files(const void *pa, const void *pb)
{
	const struct covered *a = pa, *b = pb;
	const struct cg_hits *x = &a->hits[LINES], *y = &b->hits[LINES];
	double left = x->found ? (double)x->hit / (double)x->found : 1;
	double right = y->found ? (double)y->hit / (double)y->found : 1;

	if (left < right || left > right)
		return left < right ? -1 : 1;
	if (x->found - x->hit != y->found - y->hit)
		return x->found - x->hit > y->found - y->hit ? -1 : 1;
	return cg_compare(a->path, b->path);
}

void
rank_files(struct summary *summary)
{
	if (summary->file.n > 1)
		qsort(summary->file.at, summary->file.n,
		    sizeof(*summary->file.at), compare_files);
}

void
rank_directories(struct summary *summary)
{
	if (summary->directory.n > 1)
		qsort(summary->directory.at, summary->directory.n,
		    sizeof(*summary->directory.at), compare_files);
}

bool
is_test(const struct summary *summary, const struct covered *covered)
{
	return summary->tests > 0 && covered >= summary->test &&
	       covered < summary->test + summary->tests;
}

struct cg_slice
row_name(const struct summary *summary, const struct covered *covered,
    char buf[AMOUNT_ROOM])
{
	struct cg_slice path = covered->path;

	if (covered == &summary->total)
		return cg_slice("all files");
	if (is_test(summary, covered) && path.len > 0)
		return path;
	if (is_test(summary, covered)) {
		snprintf(buf, AMOUNT_ROOM, "part %zu",
		    (size_t)(covered - summary->test) + 1);
		return cg_slice(buf);
	}
	path.ptr += summary->root.len;
	path.len -= summary->root.len;
	return path.len > 0 ? path : cg_slice("./");
}

/*
 * Writes the share of hits in percent to buf, with one decimal, and returns
 * buf. As in lcov, writes 100.0 only if everything was hit, and 0.0 only if
 * nothing was. Writes "-" if there was nothing to hit.
 */
const char *
rate_text(char buf[AMOUNT_ROOM], const struct cg_hits *hits)
{
	double rate;

	if (hits->found == 0)
		return strcpy(buf, "-");
	rate = (double)hits->hit * 100 / (double)hits->found;
	if (hits->hit > 0 && rate < 0.1)
		rate = 0.1;
	if (hits->hit < hits->found && rate > 99.9)
		rate = 99.9;
	snprintf(buf, AMOUNT_ROOM, "%.1f%%", rate);
	return buf;
}
