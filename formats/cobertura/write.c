/*
 * write.c - writes Cobertura's XML, valid against coverage-04.dtd.
 *
 * Rates come before what they are of: one pass over all files counts, a
 * second one writes. In between, a file is two dozen bytes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

#define DTD "http://cobertura.sourceforge.net/xml/coverage-04.dtd"

/* ---- Counting ----------------------------------------------------------- */

static void
add_totals(struct cobertura_totals *to, const struct cobertura_totals *from)
{
	to->lines += from->lines;
	to->lines_hit += from->lines_hit;
	to->branches += from->branches;
	to->branches_hit += from->branches_hit;
}

/* Conditions, as decisions are called here. */
struct decision {
	uint64_t outcomes, hit;
	bool pairs; /* each block has two */
};

static struct decision
count_outcomes(const struct cg_branch *branch, size_t n)
{
	struct decision sum = { .pairs = true };
	size_t in_block = 0;

	for (size_t i = 0; i < n && branch[i].kind == CG_BRANCH_ARC; i++) {
		if (i > 0 && branch[i].block != branch[i - 1].block) {
			sum.pairs &= in_block == 0 || in_block == 2;
			in_block = 0;
		}
		if (branch[i].flags & CG_BRANCH_UNREACHABLE)
			continue;
		in_block++;
		sum.outcomes++;
		sum.hit += branch[i].count > 0;
	}
	sum.pairs &= in_block == 0 || in_block == 2;
	return sum;
}

uint64_t
cobertura_hits(struct cobertura_writer *w, uint64_t cost)
{
	if (!w->is_signed || (int64_t)cost >= 0)
		return cost;
	w->below++;
	return 0;
}

static struct cg_slice
folder_of(struct cg_slice path)
{
	while (path.len > 0 && path.ptr[path.len - 1] != '/')
		path.len--;
	return path;
}

/* Without the root, and without the slash behind; "." is the root itself. */
static struct cg_slice
package_of(const struct cobertura_writer *w, cg_file file)
{
	struct cg_slice folder = folder_of(cg_file_path(w->graph, file));

	folder.ptr += w->root.len;
	folder.len -= w->root.len;
	if (folder.len == 0)
		return cg_slice(".");
	folder.len--;
	return folder;
}

static bool
is_wanted(const struct cobertura_writer *w, cg_file file)
{
	struct cg_slice package = package_of(w, file);

	if (!w->package)
		return true;
	return cg_take_prefix(&package, w->package) &&
	       (package.len == 0 || *package.ptr == '/');
}

/* The longest folder that is around both. */
static struct cg_slice
common_folder(struct cg_slice a, struct cg_slice b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n])
		n++;
	return folder_of((struct cg_slice){ a.ptr, n });
}

static bool
count_file(struct cobertura_writer *w, cg_file id)
{
	struct cobertura_file file = { .file = id };
	struct cg_line_sum line;
	struct decision decision;
	uint64_t hits;

	while (cg_next_line_sum(w->lines, w->event, &line)) {
		hits = cobertura_hits(w, line.cost);
		if (line.line == 0 || id == 0)
			w->lost += hits;
		if (line.line == 0 || id == 0 || !line.has_cost)
			continue;
		decision = count_outcomes(line.branch, line.branches);
		file.sum.lines++;
		file.sum.lines_hit += hits > 0;
		file.sum.branches += decision.outcomes;
		file.sum.branches_hit += decision.hit;
	}
	if (file.sum.lines == 0)
		return true;
	if (!cg_grow_raw(&w->file, &w->file_cap, w->files + 1, sizeof(file)))
		return false;
	w->file[w->files++] = file;
	return true;
}

/* Files that have lines, and what they add up to. */
static bool
count_files(struct cobertura_writer *w)
{
	struct cg_slice folder;
	size_t kept = 0;
	bool ok = true;
	cg_file file;

	while (ok && cg_next_file(w->lines, &file))
		ok = count_file(w, file);
	for (size_t i = 0; i < w->files; i++) {
		folder = folder_of(cg_file_path(w->graph, w->file[i].file));
		w->root = i ? common_folder(w->root, folder) : folder;
	}
	/* Services take relative names for those in the repository. */
	if (w->root.len > 0 && *w->root.ptr != '/')
		w->root.len = 0;
	for (size_t i = 0; i < w->files; i++) {
		if (is_wanted(w, w->file[i].file))
			w->file[kept++] = w->file[i];
	}
	w->files = kept;
	return ok;
}

/* ---- Elements ----------------------------------------------------------- */

void
cobertura_put_attribute(
    struct cobertura_writer *w, const char *name, struct cg_slice value)
{
	cg_putc(w->out, ' ');
	cg_puts(w->out, name);
	cg_puts(w->out, "=\"");
	cg_put_xml(w->out, value);
	cg_putc(w->out, '"');
}

/* Nothing to hit is all hit, says Cobertura. Four digits, 1 only for all. */
static void
put_rate(
    struct cobertura_writer *w, const char *name, uint64_t hit, uint64_t all)
{
	uint64_t rate = hit < all ? hit * 10000 / all : 10000;
	char text[CG_NUMBER_MAX];
	int n = 4;

	/* One digit more than are written, so that zeros come first. */
	(void)cg_format_u64(text, rate % 10000 + 10000);
	for (; n > 1 && text[n] == '0'; n--)
		;
	cg_putc(w->out, ' ');
	cg_puts(w->out, name);
	cg_puts(w->out, rate == 10000 ? "=\"1." : "=\"0.");
	cg_put(w->out, (struct cg_slice){ text + 1, (size_t)n });
	cg_putc(w->out, '"');
}

void
cobertura_put_rates(
    struct cobertura_writer *w, const struct cobertura_totals *sum)
{
	put_rate(w, "line-rate", sum->lines_hit, sum->lines);
	put_rate(w, "branch-rate", sum->branches_hit, sum->branches);
}

void
cobertura_put_line(struct cobertura_writer *w, uint32_t number, uint64_t hits)
{
	static const char line[] = "<line number=\"", mid[] = "\" hits=\"";
	char *to = cg_out_reserve(
	    w->out, sizeof(line) + sizeof(mid) + 2 * CG_NUMBER_MAX);

	memcpy(to, line, sizeof(line) - 1);
	to = cg_format_u64(to + sizeof(line) - 1, number);
	memcpy(to, mid, sizeof(mid) - 1);
	to = cg_format_u64(to + sizeof(mid) - 1, hits);
	*to++ = '"';
	cg_out_advance(w->out, to);
}

/* Per cent, whole, and 100 only for all. */
static unsigned
percent(uint64_t hit, uint64_t all)
{
	return (unsigned)(hit * 100 / all);
}

/*
 * Decisions of two outcomes each are told apart; else only their sum is told,
 * as nothing says how many outcomes a switch has.
 */
static void
put_conditions(struct cobertura_writer *w, const struct cg_branch *branch,
    size_t n, const struct decision *sum)
{
	uint64_t hit = 0, outcomes = 0;
	unsigned number = 0;

	cg_puts(w->out, " branch=\"true\" condition-coverage=\"");
	cg_putu(w->out, percent(sum->hit, sum->outcomes));
	cg_puts(w->out, "% (");
	cg_putu(w->out, sum->hit);
	cg_putc(w->out, '/');
	cg_putu(w->out, sum->outcomes);
	cg_puts(w->out, ")\"><conditions>");
	for (size_t i = 0; i < n && branch[i].kind == CG_BRANCH_ARC; i++) {
		if (branch[i].flags & CG_BRANCH_UNREACHABLE)
			continue;
		hit += branch[i].count > 0;
		outcomes++;
		if (sum->pairs ? outcomes < 2 : outcomes < sum->outcomes)
			continue;
		cg_puts(w->out, "<condition number=\"");
		cg_putu(w->out, number++);
		cg_puts(w->out, "\" type=\"jump\" coverage=\"");
		cg_putu(w->out, percent(hit, outcomes));
		cg_puts(w->out, "%\"/>");
		hit = outcomes = 0;
	}
	cg_puts(w->out, "</conditions></line>\n");
}

static void
put_lines(struct cobertura_writer *w)
{
	struct cg_line_sum line;
	struct decision decision;

	cg_puts(w->out, "<lines>\n");
	while (cg_next_line_sum(w->lines, w->event, &line)) {
		if (line.line == 0 || !line.has_cost)
			continue;
		cobertura_put_line(w, line.line, cobertura_hits(w, line.cost));
		decision = count_outcomes(line.branch, line.branches);
		if (decision.outcomes > 0)
			put_conditions(
			    w, line.branch, line.branches, &decision);
		else
			cg_puts(w->out, "/>\n");
	}
	cg_puts(w->out, "</lines>\n");
}

/* ---- The document ------------------------------------------------------- */

static bool
put_class(struct cobertura_writer *w, const struct cobertura_file *file)
{
	struct cg_slice path = cg_file_path(w->graph, file->file);
	struct cg_slice name = path;
	size_t folder = folder_of(path).len;
	bool ok;

	name.ptr += folder;
	name.len -= folder;
	path.ptr += w->root.len;
	path.len -= w->root.len;
	cg_puts(w->out, "<class");
	cobertura_put_attribute(w, "name", name);
	cobertura_put_attribute(w, "filename", path);
	cobertura_put_rates(w, &file->sum);
	cg_puts(w->out, " complexity=\"0\">\n");
	ok = cobertura_put_methods(w);
	put_lines(w);
	cg_puts(w->out, "</class>\n");
	return ok;
}

static void
begin_package(struct cobertura_writer *w, size_t from)
{
	struct cg_slice package = package_of(w, w->file[from].file);
	struct cobertura_totals sum = { 0 };

	for (size_t i = from; i < w->files; i++) {
		if (cg_compare(package_of(w, w->file[i].file), package) != 0)
			break;
		add_totals(&sum, &w->file[i].sum);
	}
	cg_puts(w->out, "<package");
	cobertura_put_attribute(w, "name", package);
	cobertura_put_rates(w, &sum);
	cg_puts(w->out, " complexity=\"0\"><classes>\n");
}

static bool
put_packages(struct cobertura_writer *w)
{
	bool ok = true;
	cg_file file;
	size_t i = 0;

	cg_first_file(w->lines);
	while (ok && i < w->files && cg_next_file(w->lines, &file)) {
		if (file != w->file[i].file)
			continue;
		if (i == 0 || cg_compare(package_of(w, file),
				  package_of(w, w->file[i - 1].file)) != 0) {
			if (i > 0)
				cg_puts(w->out, "</classes></package>\n");
			begin_package(w, i);
		}
		ok = put_class(w, &w->file[i++]);
	}
	if (i > 0)
		cg_puts(w->out, "</classes></package>\n");
	return ok;
}

static void
put_head(struct cobertura_writer *w)
{
	struct cg_slice root = w->root;
	struct cobertura_totals sum = { 0 };

	if (root.len > 1)
		root.len--;
	for (size_t i = 0; i < w->files; i++)
		add_totals(&sum, &w->file[i].sum);
	cg_puts(w->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			"<!DOCTYPE coverage SYSTEM \"" DTD "\">\n"
			"<coverage");
	cobertura_put_rates(w, &sum);
	cg_putf(w->out,
	    " lines-covered=\"%" PRIu64 "\" lines-valid=\"%" PRIu64
	    "\" branches-covered=\"%" PRIu64 "\" branches-valid=\"%" PRIu64
	    "\" complexity=\"0\" version=\"cgconv-" CG_VERSION
	    "\" timestamp=\"%s\">\n",
	    sum.lines_hit, sum.lines, sum.branches_hit, sum.branches,
	    cg_opt(w->job, "timestamp"));
	cg_puts(w->out, "<sources><source>");
	cg_put_xml(w->out, root.len ? root : cg_slice("."));
	cg_puts(w->out, "</source></sources>\n<packages>\n");
}

static int
choose_event(struct cobertura_writer *w)
{
	int status = cg_choose_event(w->job, w->graph, "Exec", &w->event);

	if (status == CG_OK)
		w->is_signed = cg_get_event(w->graph, w->event)->is_signed;
	return status;
}

static void
report(struct cobertura_writer *w)
{
	if (w->lost > 0)
		cg_warn(w->job,
		    "left out, with no source file or line: %" PRIu64 " %s",
		    w->lost, cg_get_event(w->graph, w->event)->name);
	if (w->below > 0)
		cg_warn(w->job, "hits below 0 are written as 0");
}

static bool
write_all(struct cobertura_writer *w)
{
	w->is_own = calloc(cg_fn_count(w->graph) + 1, sizeof(*w->is_own));
	w->lines = cg_lines_new(w->graph, CG_ALL_PARTS);
	if (!w->is_own || !w->lines || !count_files(w))
		return false;
	put_head(w);
	if (!put_packages(w))
		return false;
	cg_puts(w->out, "</packages>\n</coverage>\n");
	report(w);
	return true;
}

int
cobertura_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct cobertura_writer w = { .job = job,
		.graph = graph,
		.out = out,
		.methods = cg_opt_flag(job, "methods"),
		.package = cg_opt(job, "package"),
		.root = { "", 0 } };
	int status = choose_event(&w);
	bool ok = status == CG_OK && write_all(&w);

	cg_lines_free(w.lines);
	free(w.is_own);
	free(w.method_line);
	free(w.file);
	free(w.method);
	if (status != CG_OK)
		return status;
	if (!ok)
		return cg_nomem(job);
	if (w.package && w.files == 0)
		return cg_usage(job, "there is no package '%s'", w.package);
	if (w.files == 0)
		return cg_fail(job, "expected a line of a source file");
	return cg_out_status(out);
}
