/*
 * jacoco_write.c - writes JaCoCo XML, valid against report.dtd 1.1.
 *
 * JaCoCo's counters of methods sum up to those of classes, files, packages and
 * the report. So a row of a function on a line counts as one instruction, if
 * the graph has no instructions of Java. The branches of a line, which are
 * summed over functions, count in the first function with branches. Rows of no
 * function, or of a function of another file, count only in the file's main
 * class.
 *
 * Classes are known only from Java's linker names ("demo/Cover.push(I)Z");
 * other functions are methods of a class that has the file's name.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coverage_xml.h"

enum { INSTRUCTION, BRANCH, LINE, COMPLEXITY, METHOD, CLASS, COUNTERS };
static const char *const names[COUNTERS] = {
	/* in JaCoCo's order */
	[INSTRUCTION] = "INSTRUCTION",
	[BRANCH] = "BRANCH",
	[LINE] = "LINE",
	[COMPLEXITY] = "COMPLEXITY",
	[METHOD] = "METHOD",
	[CLASS] = "CLASS",
};

struct counter {
	uint64_t missed, covered;
};

/* A method, class, file, package or report. */
struct node {
	struct counter counter[COUNTERS];
	uint32_t line; /* the last one, not counted yet; 0: none */
	bool hit;      /* it was covered */
};

struct line {
	uint32_t line;
	bool hit;
	struct counter counter[COMPLEXITY + 1]; /* except LINE */
};

struct method {
	struct cg_slice class, name, descriptor;
	uint32_t first;
	size_t entry; /* index in coverage_xml_fns.fn */
	size_t in_class;
	bool ran;
	struct node node;
};

struct class
{
	struct cg_slice name;
	size_t method, methods; /* index of the first, and number */
	bool any;               /* has methods or lines */
	struct node node;
};

struct writer {
	struct cg_report r;
	struct coverage_xml_fns fns;
	bool is_signed;                 /* the event is signed */
	size_t covered, missed;         /* columns of instructions, or none */
	CG_ARRAY(struct line) line;     /* of the file */
	CG_ARRAY(struct method) method; /* of the file: by class, line, name */
	CG_ARRAY(struct class) class;   /* of the file; 0: the main one */
	uint32_t *method_of;            /* by fn: index in method + 1, or 0 */
	CG_ARRAY(uint32_t) rank;        /* by entry: index in method */
	CG_ARRAY(char) main_class;      /* name of the file's main class */
	struct cg_slice directory;      /* of the open package */
	bool open;
	struct node package, report;
};

/* ---- Counters ----------------------------------------------------------- */

static void
add_counter(struct counter *to, const struct counter *from)
{
	to->missed += from->missed;
	to->covered += from->covered;
}

static void
count(struct counter *to, bool hit)
{
	to->missed += !hit;
	to->covered += hit;
}

static void
add_node(struct node *to, const struct node *from)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		add_counter(&to->counter[i], &from->counter[i]);
}

/*
 * Ends the current line of a node (method or class). Counts the line as missed
 * or covered. Does nothing if there is no line.
 */
static void
end_line(struct node *node)
{
	if (node->line > 0)
		count(&node->counter[LINE], node->hit);
	node->line = 0;
	node->hit = false;
}

/*
 * Adds a function's instructions on a line to a node (method or class). A new
 * line first counts the line before as missed or covered, so rows of one line
 * must be consecutive.
 */
static void
add_row(struct node *node, uint32_t line, const struct counter *instructions)
{
	if (node->line != line)
		end_line(node);
	node->line = line;
	node->hit |= instructions->covered > 0;
	add_counter(&node->counter[INSTRUCTION], instructions);
}

static void
put_counters(struct cg_out *out, const struct node *node)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		const struct counter *counter = &node->counter[i];

		if (counter->missed + counter->covered == 0)
			continue;
		cg_puts(out, "<counter");
		cg_put_xml_attribute(out, "type", cg_slice(names[i]));
		coverage_xml_put_number(out, "missed", counter->missed);
		coverage_xml_put_number(out, "covered", counter->covered);
		cg_puts(out, "/>\n");
	}
}

/* ---- Methods and classes of a file -------------------------------------- */

/*
 * Splits Java's linker name "demo/Cover.push(I)Z" into class, name and
 * descriptor of the method. False: not such a name, and method is unchanged.
 */
static bool
split_symbol(struct method *method, struct cg_slice symbol)
{
	const char *end = cg_find(symbol, "("), *dot = end;

	while (dot && dot > symbol.ptr && *dot != '.')
		dot--;
	if (!dot || dot == symbol.ptr || dot + 1 == end)
		return false;
	method->class =
	    (struct cg_slice){ symbol.ptr, (size_t)(dot - symbol.ptr) };
	method->name = (struct cg_slice){ dot + 1, (size_t)(end - dot) - 1 };
	method->descriptor =
	    (struct cg_slice){ end, symbol.len - (size_t)(end - symbol.ptr) };
	return true;
}

static int
compare_methods(const void *pa, const void *pb)
{
	const struct method *a = pa, *b = pb;
	int order = cg_compare(a->class, b->class);

	if (order == 0)
		order = (a->first > b->first) - (a->first < b->first);
	if (order == 0)
		order = cg_compare(a->name, b->name);
	return order ? order : cg_compare(a->descriptor, b->descriptor);
}

/*
 * Sets *name to the path without its suffix, "src/a" for src/a.c. This fits
 * Java, where the public class of a file has the file's name. *name is valid
 * until the next file. False: out of memory (reported).
 */
static bool
name_main_class(struct writer *j, struct cg_slice path, struct cg_slice *name)
{
	size_t len = path.len;

	while (len > 0 && path.ptr[len - 1] != '.' && path.ptr[len - 1] != '/')
		len--;
	/* A name without a dot, or with only a leading dot, has no suffix. */
	if (len < 2 || path.ptr[len - 1] == '/' || path.ptr[len - 2] == '/')
		len = path.len + 1;
	len--;
	if (!cg_reserve(j->r.job, &j->main_class, len + 1))
		return false;
	memcpy(j->main_class.at, path.ptr, len);
	*name = (struct cg_slice){ j->main_class.at, len };
	return true;
}

static bool
list_methods(struct writer *j, struct cg_slice main_class)
{
	struct coverage_xml_fns *f = &j->fns;

	j->method.n = 0;
	if (!coverage_xml_list_fns(f, &j->r) ||
	    !cg_resize(j->r.job, &j->rank, f->fn.n))
		return false;
	for (size_t i = 0; i < f->fn.n; i++) {
		struct method *method = cg_push(j->r.job, &j->method);

		if (!method)
			return false;
		*method = (struct method){ .class = main_class,
			.name = f->fn.at[i].name,
			.first = f->fn.at[i].first,
			.entry = i,
			.ran = f->fn.at[i].count > 0 };
		/* A linker name that is not Java's becomes the descriptor. */
		if (!split_symbol(method, f->fn.at[i].key) &&
		    cg_compare(f->fn.at[i].key, method->name) != 0)
			method->descriptor = f->fn.at[i].key;
	}
	if (j->method.n > 1)
		qsort(j->method.at, j->method.n, sizeof(*j->method.at),
		    compare_methods);
	for (size_t i = 0; i < j->method.n; i++)
		j->rank.at[j->method.at[i].entry] = (uint32_t)i;
	return true;
}

/*
 * Fills j->class with the classes of the file. main_class is the first one.
 * Then come the other classes that methods in j->method have; these methods
 * must be sorted by class. Sets the index of each method's class. False: out
 * of memory (reported).
 */
static bool
list_classes(struct writer *j, struct cg_slice main_class)
{
	j->class.n = 0;
	if (!cg_append(
		j->r.job, &j->class, (struct class){ .name = main_class }))
		return false;
	for (size_t i = 0; i < j->method.n; i++) {
		struct method *method = &j->method.at[i];
		size_t at = j->class.n - 1;

		if (cg_compare(method->class, main_class) == 0)
			at = 0;
		else if (i == 0 ||
			 cg_compare(method->class, method[-1].class) != 0) {
			at = j->class.n;
			if (!cg_append(j->r.job, &j->class,
				(struct class){ .name = method->class }))
				return false;
		}
		if (j->class.at[at].methods++ == 0)
			j->class.at[at].method = i;
		j->class.at[at].any = true;
		method->in_class = at;
	}
	return true;
}

/*
 * Fills j->method_of for the functions of the file: the index + 1 of the
 * function's method. forget_fns() clears it after the file.
 */
static void
remember_fns(struct writer *j)
{
	const struct coverage_xml_fn *found;
	const cg_fn *fn;
	size_t n = cg_file_fns(j->r.lines, &fn);

	for (size_t i = 0; i < n; i++) {
		found = coverage_xml_find_fn(&j->fns, j->r.graph, fn[i]);
		if (found)
			j->method_of[fn[i]] =
			    j->rank.at[found - j->fns.fn.at] + 1;
	}
}

static void
forget_fns(struct writer *j)
{
	const cg_fn *fn;
	size_t n = cg_file_fns(j->r.lines, &fn);

	for (size_t i = 0; i < n; i++)
		j->method_of[fn[i]] = 0;
}

/* ---- Lines of a file ---------------------------------------------------- */

/*
 * Adds the paths of a line's n branches to *paths. By JaCoCo's rule of
 * complexity, a block with k possible outcomes adds k - 1 paths. With m that
 * ran, m - 1 of the paths are covered. Both numbers are at least 0.
 */
static void
count_paths(const struct cg_branch *branch, size_t n, struct counter *paths)
{
	struct cg_hits hits;

	for (size_t i = 0, end; i < n && branch[i].kind == CG_BRANCH_ARC;
	     i = end) {
		for (end = i + 1; end < n &&
				  branch[end].kind == CG_BRANCH_ARC &&
				  branch[end].block == branch[i].block;)
			end++;
		hits = (struct cg_hits){ 0 };
		cg_count_arcs(&branch[i], end - i, &hits);
		if (hits.found < 2)
			continue;
		paths->covered += hits.hit > 0 ? hits.hit - 1 : 0;
		paths->missed +=
		    hits.found - 1 - (hits.hit > 0 ? hits.hit - 1 : 0);
	}
}

/*
 * Fills j->line with the lines of the current file. Sets two counters of each
 * line. BRANCH counts missed and covered branches. COMPLEXITY counts paths
 * through the branches, see count_paths(). False: out of memory (reported).
 */
static bool
list_lines(struct writer *j)
{
	struct cg_line_sum sum;
	struct cg_hits branches;
	struct line *line;

	j->line.n = 0;
	while (cg_report_line(&j->r, &sum)) {
		line = cg_push(j->r.job, &j->line);
		if (!line)
			return false;
		*line = (struct line){ .line = sum.line, .hit = sum.hits > 0 };
		branches = (struct cg_hits){ 0 };
		cg_count_arcs(sum.branch, sum.branches, &branches);
		line->counter[BRANCH] =
		    (struct counter){ branches.found - branches.hit,
			    branches.hit };
		count_paths(
		    sum.branch, sum.branches, &line->counter[COMPLEXITY]);
	}
	return true;
}

static uint64_t
cost_of(const struct cg_line *row, size_t column)
{
	return column < row->n ? row->cost[column] : 0;
}

/*
 * Returns the missed and covered instructions of a row (one function on a
 * line). If JaCoCo's are absent or contradict the row's count, returns one
 * instruction, covered if the row ran.
 */
static struct counter
instructions_of(
    const struct writer *j, const struct line *line, const struct cg_line *row)
{
	uint64_t cost = cost_of(row, j->r.event);
	bool negative = j->is_signed && (int64_t)cost < 0;
	bool hit = line->hit && cost > 0 && !negative;
	struct counter counter = { cost_of(row, j->missed),
		cost_of(row, j->covered) };

	if (counter.missed > UINT32_MAX || counter.covered > UINT32_MAX ||
	    counter.missed + counter.covered == 0 ||
	    hit != (counter.covered > 0))
		counter = (struct counter){ !hit, hit };
	return counter;
}

/*
 * Adds the counters of a row (one function on a line) to line, method and
 * class. Without a known method, the class is the file's main class. Only the
 * line's first row with branches adds the line's branches, and sets
 * *has_branches. The caller resets *has_branches for each line.
 */
static void
count_row(struct writer *j, struct line *line, const struct cg_line *row,
    bool *has_branches)
{
	uint32_t index = j->method_of[row->fn];
	struct method *method = index ? &j->method.at[index - 1] : NULL;
	struct class *class = &j->class.at[method ? method->in_class : 0];
	struct counter counter = instructions_of(j, line, row);

	class->any = true;
	if (row->has_cost) {
		add_counter(&line->counter[INSTRUCTION], &counter);
		add_row(&class->node, line->line, &counter);
	}
	if (row->has_cost && method)
		add_row(&method->node, line->line, &counter);
	if (row->branches == 0 || *has_branches)
		return;
	*has_branches = true;
	for (unsigned i = BRANCH; i <= COMPLEXITY; i++) {
		if (i == LINE)
			continue;
		add_counter(&class->node.counter[i], &line->counter[i]);
		if (method)
			add_counter(
			    &method->node.counter[i], &line->counter[i]);
	}
}

/*
 * Adds the counters of all rows to their lines, classes and methods. A row is
 * what one function has on a line. Rows on lines that are not in j->line are
 * skipped.
 */
static void
count_rows(struct writer *j)
{
	bool has_branches = false;
	struct cg_line row;
	size_t i = 0;

	cg_first_line(j->r.lines);
	while (cg_next_line(j->r.lines, &row)) {
		for (; i < j->line.n && j->line.at[i].line < row.line; i++)
			has_branches = false;
		if (i < j->line.n && j->line.at[i].line == row.line)
			count_row(j, &j->line.at[i], &row, &has_branches);
	}
}

/*
 * Completes the counters of the file's methods and classes after their last
 * row. Counts the last line, and counts each method and class as missed or
 * covered. A class without methods and rows is not counted.
 */
static void
count_methods(struct writer *j)
{
	for (size_t i = 0; i < j->method.n; i++) {
		struct method *method = &j->method.at[i];
		struct class *class = &j->class.at[method->in_class];

		end_line(&method->node);
		method->ran |= method->node.counter[INSTRUCTION].covered > 0;
		count(&method->node.counter[METHOD], method->ran);
		count(&method->node.counter[COMPLEXITY], method->ran);
		count(&class->node.counter[METHOD], method->ran);
		count(&class->node.counter[COMPLEXITY], method->ran);
	}
	for (size_t i = 0; i < j->class.n; i++) {
		struct node *node = &j->class.at[i].node;

		end_line(node);
		if (j->class.at[i].any)
			count(&node->counter[CLASS],
			    node->counter[METHOD].covered > 0 ||
				node->counter[INSTRUCTION].covered > 0);
	}
}

/* ---- Elements ----------------------------------------------------------- */

static void
put_method(struct cg_out *out, const struct method *method)
{
	cg_puts(out, "<method");
	cg_put_xml_attribute(out, "name", method->name);
	cg_put_xml_attribute(out, "desc", method->descriptor);
	coverage_xml_put_number(out, "line", method->first);
	cg_puts(out, ">\n");
	put_counters(out, &method->node);
	cg_puts(out, "</method>\n");
}

static void
put_class(
    const struct writer *j, const struct class *class, struct cg_slice source)
{
	struct cg_out *out = j->r.out;

	if (!class->any)
		return;
	cg_puts(out, "<class");
	cg_put_xml_attribute(out, "name", class->name);
	cg_put_xml_attribute(out, "sourcefilename", source);
	cg_puts(out, ">\n");
	for (size_t i = 0; i < class->methods; i++)
		put_method(out, &j->method.at[class->method + i]);
	put_counters(out, &class->node);
	cg_puts(out, "</class>\n");
}

static void
put_line(struct cg_out *out, const struct line *line)
{
	const struct counter *counter = line->counter;

	cg_puts(out, "<line");
	coverage_xml_put_number(out, "nr", line->line);
	coverage_xml_put_number(out, "mi", counter[INSTRUCTION].missed);
	coverage_xml_put_number(out, "ci", counter[INSTRUCTION].covered);
	coverage_xml_put_number(out, "mb", counter[BRANCH].missed);
	coverage_xml_put_number(out, "cb", counter[BRANCH].covered);
	cg_puts(out, "/>\n");
}

/*
 * Writes the element of a source file with its lines and totals, and adds the
 * totals to the package. In the totals a line counts once, even if several
 * classes contain it.
 */
static void
put_source(struct writer *j, struct cg_slice name)
{
	struct node node = { 0 };

	cg_puts(j->r.out, "<sourcefile");
	cg_put_xml_attribute(j->r.out, "name", name);
	cg_puts(j->r.out, ">\n");
	for (size_t i = 0; i < j->class.n; i++)
		add_node(&node, &j->class.at[i].node);
	node.counter[LINE] = (struct counter){ 0 };
	for (size_t i = 0; i < j->line.n; i++) {
		put_line(j->r.out, &j->line.at[i]);
		count(&node.counter[LINE], j->line.at[i].hit);
	}
	put_counters(j->r.out, &node);
	cg_puts(j->r.out, "</sourcefile>\n");
	add_node(&j->package, &node);
}

static void
close_package(struct writer *j)
{
	if (!j->open)
		return;
	put_counters(j->r.out, &j->package);
	cg_puts(j->r.out, "</package>\n");
	add_node(&j->report, &j->package);
	j->package = (struct node){ 0 };
	j->open = false;
}

/*
 * Begins the package that a file belongs to, unless this package is open
 * already. First ends the package that is open, if any. The package's name is
 * the file's directory, without a slash at the end (but "/" stays).
 */
static void
open_package(struct writer *j, struct cg_slice path)
{
	struct cg_slice directory = path;

	directory.len -= cg_base_name(path).len;
	if (directory.len > 1)
		directory.len--;
	if (j->open && cg_compare(directory, j->directory) == 0)
		return;
	close_package(j);
	j->open = true;
	j->directory = directory;
	cg_puts(j->r.out, "<package");
	cg_put_xml_attribute(j->r.out, "name", directory);
	cg_puts(j->r.out, ">\n");
}

/*
 * Writes the classes of a file, with their methods, and its source with the
 * lines. If the file is in another package than the file before, begins this
 * package first. False: out of memory (reported).
 */
static bool
put_file(struct writer *j, cg_file file)
{
	struct cg_slice path = cg_file_path(j->r.graph, file);
	struct cg_slice main_class, name = cg_base_name(path);

	if (!name_main_class(j, path, &main_class) ||
	    !list_methods(j, main_class) || !list_classes(j, main_class) ||
	    !list_lines(j))
		return false;
	remember_fns(j);
	count_rows(j);
	forget_fns(j);
	count_methods(j);
	open_package(j, path);
	for (size_t i = 0; i < j->class.n; i++)
		put_class(j, &j->class.at[i], name);
	put_source(j, name);
	return true;
}

static bool
put_report(struct writer *j)
{
	struct cg_out *out = j->r.out;
	bool ok = true;
	cg_file file;

	j->is_signed = cg_get_event(j->r.graph, j->r.event)->is_signed;
	j->method_of = cg_alloc(
	    j->r.job, (cg_fn_count(j->r.graph) + 1) * sizeof(*j->method_of));
	if (!j->method_of)
		return false;
	cg_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		     "<!DOCTYPE report PUBLIC \"-//JACOCO//DTD Report 1.1//EN\""
		     " \"report.dtd\">\n"
		     "<report name=\"cgconv\">\n");
	while (ok && cg_report_file(&j->r, &file))
		ok = put_file(j, file);
	close_package(j);
	put_counters(out, &j->report);
	cg_puts(out, "</report>\n");
	return ok;
}

int
jacoco_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer j = { .r = { .job = job,
				.graph = graph,
				.out = out,
				.part = CG_ALL_PARTS,
				.only_whether = true },
		.covered = cg_find_event(graph, JACOCO_COVERED),
		.missed = cg_find_event(graph, JACOCO_MISSED) };
	int status = cg_report_open(&j.r);

	return status == CG_OK ? cg_report_close(&j.r, put_report(&j)) : status;
}
