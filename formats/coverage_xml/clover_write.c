/*
 * clover_write.c - writes Clover XML, in the order of clover.xsd.
 *
 * The metrics of an element stand before its contents, so a first pass over
 * all files counts, and a second pass writes. Between the passes a file needs
 * 72 bytes.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "coverage_xml.h"

struct source_file {
	cg_file file;
	struct cg_counts sum;
};

struct writer {
	struct cg_report r;
	struct coverage_xml_fns fns;
	CG_ARRAY(struct source_file) file;
	CG_ARRAY(char) name; /* of a package */
};

/* ---- Counting ----------------------------------------------------------- */

/*
 * Appends the current file of the report, with its totals of functions, lines
 * and branches, to c->file. False: out of memory (reported).
 */
static bool
count_file(struct writer *c, cg_file id)
{
	struct source_file file = { .file = id };
	struct cg_line_sum line;

	if (!coverage_xml_list_fns(&c->fns, &c->r))
		return false;
	for (size_t i = 0; i < c->fns.fn.n; i++) {
		file.sum.functions.found++;
		file.sum.functions.hit += c->fns.fn.at[i].count > 0;
	}
	while (cg_report_line(&c->r, &line)) {
		file.sum.lines.found++;
		file.sum.lines.hit += line.hits > 0;
		cg_count_arcs(line.branch, line.branches, &file.sum.branches);
	}
	return cg_append(c->r.job, &c->file, file);
}

static struct cg_slice
directory_of(const struct writer *c, const struct source_file *file)
{
	struct cg_slice path = cg_file_path(c->r.graph, file->file);

	path.len -= cg_base_name(path).len;
	return path;
}

/*
 * Returns the index after the last file of a package. The package has
 * c->file.at[from] and the files directly after it that are in the same
 * directory.
 */
static size_t
package_end(const struct writer *c, size_t from)
{
	struct cg_slice directory = directory_of(c, &c->file.at[from]);
	size_t end = from + 1;

	while (end < c->file.n &&
	       cg_compare(directory_of(c, &c->file.at[end]), directory) == 0)
		end++;
	return end;
}

/* ---- Elements ----------------------------------------------------------- */

static void
put_hits(struct cg_out *out, const char *all, const char *covered,
    const struct cg_hits *hits)
{
	coverage_xml_put_number(out, all, hits->found);
	coverage_xml_put_number(out, covered, hits->hit);
}

/*
 * Writes the element <metrics> with the totals of a file, package or project.
 * "packages" and "files" are how many packages and files the package or
 * project has. A number of 0 is not written.
 */
static void
put_metrics(struct cg_out *out, const struct cg_counts *sum, size_t packages,
    size_t files)
{
	struct cg_hits all = { 0 };

	all.found =
	    sum->lines.found + sum->branches.found + sum->functions.found;
	all.hit = sum->lines.hit + sum->branches.hit + sum->functions.hit;
	cg_puts(out, "<metrics complexity=\"0\"");
	put_hits(out, "elements", "coveredelements", &all);
	put_hits(out, "conditionals", "coveredconditionals", &sum->branches);
	put_hits(out, "statements", "coveredstatements", &sum->lines);
	put_hits(out, "methods", "coveredmethods", &sum->functions);
	coverage_xml_put_number(out, "loc", sum->lines.found);
	coverage_xml_put_number(out, "ncloc", sum->lines.found);
	if (files > 0)
		coverage_xml_put_number(out, "files", files);
	if (packages > 0)
		coverage_xml_put_number(out, "packages", packages);
	cg_puts(out, "/>\n");
}

/*
 * Writes the begin of an element, <line num="1" type="stmt". "type" is the
 * text of the attribute type, with a blank before it. The caller adds
 * attributes and the end of the tag.
 */
static void
put_line(struct cg_out *out, uint32_t number, const char *type)
{
	cg_puts(out, "<line");
	coverage_xml_put_number(out, "num", number);
	cg_puts(out, type);
}

/*
 * Returns how many branches at the begin of branch[] are in the block (group
 * of branches) of the first one. branch[] has n branches. Sets hits->found to
 * the number of possible branches in the block, and hits->hit to the number of
 * taken ones.
 */
static size_t
block_end(const struct cg_branch *branch, size_t n, struct cg_hits *hits)
{
	size_t end = 1;

	while (end < n && branch[end].kind == CG_BRANCH_ARC &&
	       branch[end].block == branch[0].block)
		end++;
	*hits = (struct cg_hits){ 0 };
	cg_count_arcs(branch, end, hits);
	return end;
}

/*
 * True if each block (group of branches) of a line has two possible outcomes,
 * or none. Only such blocks fit OpenClover's truecount and falsecount.
 */
static bool
has_pairs(const struct cg_branch *branch, size_t n)
{
	struct cg_hits hits;

	for (size_t i = 0; i < n && branch[i].kind == CG_BRANCH_ARC;) {
		i += block_end(&branch[i], n - i, &hits);
		if (hits.found != 0 && hits.found != 2)
			return false;
	}
	return true;
}

/*
 * Writes a block of branches with two possible outcomes as truecount and
 * falsecount of one element. Skips impossible branches of the block.
 */
static void
put_pair(struct cg_out *out, const struct cg_branch *branch, size_t n)
{
	const char *name = "truecount";

	put_line(out, branch->pos.line, " type=\"cond\"");
	for (size_t i = 0; i < n; i++) {
		int64_t count = branch[i].count;

		if (branch[i].flags & CG_BRANCH_UNREACHABLE)
			continue;
		coverage_xml_put_number(
		    out, name, count > 0 ? (uint64_t)count : 0);
		name = "falsecount";
	}
	cg_puts(out, "/>\n");
}

/*
 * Writes a line. If each block (group) of its branches has two possible
 * outcomes or none, writes a statement, and an element for each block with
 * two. A line without branches gets just the statement. For any other line,
 * writes a single element as istanbul does. That element has the numbers of
 * branches taken and not taken.
 */
static void
put_statement(struct cg_out *out, const struct cg_line_sum *line)
{
	bool pairs = has_pairs(line->branch, line->branches);
	struct cg_hits hits = { 0 };

	put_line(out, line->line, pairs ? " type=\"stmt\"" : " type=\"cond\"");
	coverage_xml_put_number(out, "count", line->hits);
	if (!pairs) {
		cg_count_arcs(line->branch, line->branches, &hits);
		coverage_xml_put_number(out, "truecount", hits.hit);
		coverage_xml_put_number(
		    out, "falsecount", hits.found - hits.hit);
	}
	cg_puts(out, "/>\n");
	for (size_t i = 0, n; pairs && i < line->branches &&
			      line->branch[i].kind == CG_BRANCH_ARC;
	     i += n) {
		n = block_end(&line->branch[i], line->branches - i, &hits);
		if (hits.found > 0)
			put_pair(out, &line->branch[i], n);
	}
}

/*
 * Orders functions for qsort(): by first line, then by key, which is the
 * linker name if there is one.
 */
static int
compare_fns(const void *pa, const void *pb)
{
	const struct coverage_xml_fn *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return cg_compare(a->key, b->key);
}

static int
compare_names(const void *pa, const void *pb)
{
	const struct coverage_xml_fn *a = pa, *b = pb;

	return cg_compare(a->name, b->name);
}

/*
 * Sorts functions by line. Sets shares_name of each function that has the same
 * name as another, such as overloads in Java and variants of C++ constructors.
 * put_methods() writes the linker names of these functions, to tell them
 * apart.
 */
static void
sort_fns(struct coverage_xml_fns *f)
{
	if (f->fn.n < 2)
		return;
	qsort(f->fn.at, f->fn.n, sizeof(*f->fn.at), compare_names);
	for (size_t i = 1; i < f->fn.n; i++) {
		if (compare_names(&f->fn.at[i - 1], &f->fn.at[i]) == 0)
			f->fn.at[i - 1].shares_name = f->fn.at[i].shares_name =
			    true;
	}
	qsort(f->fn.at, f->fn.n, sizeof(*f->fn.at), compare_fns);
}

/*
 * Writes the methods that begin on or before "line", from index *at on. Stops
 * at the first one that begins later, and sets *at to its index. In this
 * format a method precedes its lines.
 */
static void
put_methods(struct writer *c, size_t *at, uint32_t line)
{
	struct cg_out *out = c->r.out;

	for (; *at < c->fns.fn.n && c->fns.fn.at[*at].first <= line; ++*at) {
		const struct coverage_xml_fn *fn = &c->fns.fn.at[*at];

		put_line(out, fn->first, " type=\"method\"");
		cg_put_xml_attribute(
		    out, "signature", fn->shares_name ? fn->key : fn->name);
		coverage_xml_put_number(out, "count", fn->count);
		cg_puts(out, "/>\n");
	}
}

/*
 * Writes a file: its totals, and its methods and lines in order of lines.
 * False: out of memory (reported).
 */
static bool
put_file(struct writer *c, const struct source_file *file)
{
	struct cg_slice path = cg_file_path(c->r.graph, file->file);
	struct cg_line_sum line;
	size_t method = 0;

	if (!coverage_xml_list_fns(&c->fns, &c->r))
		return false;
	sort_fns(&c->fns);
	cg_puts(c->r.out, "<file");
	cg_put_xml_attribute(c->r.out, "name", cg_base_name(path));
	cg_put_xml_attribute(c->r.out, "path", path);
	cg_puts(c->r.out, ">\n");
	put_metrics(c->r.out, &file->sum, 0, 0);
	while (cg_report_line(&c->r, &line)) {
		put_methods(c, &method, line.line);
		put_statement(c->r.out, &line);
	}
	put_methods(c, &method, UINT32_MAX);
	cg_puts(c->r.out, "</file>\n");
	return true;
}

/*
 * Writes the begin of a package and its totals. It has c->file.at[from] and
 * the files after it in the same directory. Its name is the directory with
 * dots; "default-pkg", as in istanbul, if that is empty. False: out of memory
 * (reported).
 */
static bool
open_package(struct writer *c, size_t from)
{
	struct cg_slice directory = directory_of(c, &c->file.at[from]);
	size_t end = package_end(c, from), len = 0;
	struct cg_counts sum = { 0 };

	if (!cg_reserve(c->r.job, &c->name, directory.len + 1))
		return false;
	for (size_t i = 0; i + 1 < directory.len; i++) {
		if (i > 0 || directory.ptr[i] != '/')
			c->name.at[len++] =
			    directory.ptr[i] == '/' ? '.' : directory.ptr[i];
	}
	for (size_t i = from; i < end; i++)
		cg_add_counts(&sum, &c->file.at[i].sum);
	cg_puts(c->r.out, "<package");
	cg_put_xml_attribute(c->r.out, "name",
	    len ? (struct cg_slice){ c->name.at, len }
		: cg_slice("default-pkg"));
	cg_puts(c->r.out, ">\n");
	put_metrics(c->r.out, &sum, 0, end - from);
	return true;
}

static bool
put_packages(struct writer *c)
{
	size_t i = 0, end = 0;
	bool ok = true;
	cg_file file;

	cg_report_again(&c->r);
	while (ok && i < c->file.n && cg_report_file(&c->r, &file)) {
		if (i == end) {
			if (i > 0)
				cg_puts(c->r.out, "</package>\n");
			ok = open_package(c, i);
			end = package_end(c, i);
		}
		ok = ok && put_file(c, &c->file.at[i++]);
	}
	if (i > 0)
		cg_puts(c->r.out, "</package>\n");
	return ok;
}

static bool
put_report(struct writer *c)
{
	const char *timestamp = cg_opt(c->r.job, "timestamp");
	struct cg_counts sum = { 0 };
	size_t packages = 0;
	bool ok = true;
	cg_file file;

	while (ok && cg_report_file(&c->r, &file))
		ok = count_file(c, file);
	for (size_t i = 0; i < c->file.n; i++)
		cg_add_counts(&sum, &c->file.at[i].sum);
	for (size_t i = 0; i < c->file.n; i = package_end(c, i))
		packages++;
	cg_putf(c->r.out,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<coverage generated=\"%s\" clover=\"cgconv-" CG_VERSION "\">\n"
	    "<project name=\"cgconv\" timestamp=\"%s\">\n",
	    timestamp, timestamp);
	put_metrics(c->r.out, &sum, packages, c->file.n);
	ok = ok && put_packages(c);
	cg_puts(c->r.out, "</project>\n</coverage>\n");
	return ok;
}

int
clover_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer c = { .r = { .job = job,
				.graph = graph,
				.out = out,
				.part = CG_ALL_PARTS } };
	int status = cg_report_open(&c.r);

	return status == CG_OK ? cg_report_close(&c.r, put_report(&c)) : status;
}
