/*
 * write.c - writes Cobertura XML, valid against coverage-04.dtd.
 *
 * The rates of an element stand before its contents, so a first pass over all
 * files counts lines and branches and a second pass writes. Between the two
 * passes a file needs 40 bytes.
 */
#include <inttypes.h>
#include <string.h>

#include "cobertura.h"

#define DTD "http://cobertura.sourceforge.net/xml/coverage-04.dtd"

struct source_file {
	cg_file file;
	struct cg_counts sum;
};

struct method_line {
	uint64_t key; /* index of function in the file, and line */
	uint64_t hits;
};

struct method {
	struct cg_slice name, symbol;
	uint32_t first;
	size_t line, lines; /* index in method_line, and number */
};

struct writer {
	struct cg_report r;
	bool is_signed, methods;
	const char *package;  /* the only one to write; NULL: all */
	struct cg_slice root; /* directory of all files, with its slash */
	CG_ARRAY(struct source_file) file; /* the files to write */
	uint32_t *place; /* by cg_file: index in file + 1; 0: none */
	CG_ARRAY(struct method_line) method_line; /* of the current file */
	CG_ARRAY(struct method) method;
	uint32_t *own; /* by fn: index in the current file + 1 */
	uint64_t bare; /* functions without lines in their file */
};

/* ---- Counting ----------------------------------------------------------- */

/*
 * True if each block (group of branches) of a line has two possible branches,
 * or none.
 */
static bool
has_pairs(const struct cg_branch *branch, size_t n)
{
	size_t in_block = 0;
	bool pairs = true;

	for (size_t i = 0; i < n && branch[i].kind == CG_BRANCH_ARC; i++) {
		if (i > 0 && branch[i].block != branch[i - 1].block) {
			pairs &= in_block == 0 || in_block == 2;
			in_block = 0;
		}
		in_block += !(branch[i].flags & CG_BRANCH_UNREACHABLE);
	}
	return pairs && (in_block == 0 || in_block == 2);
}

/* Returns the cost as hits, which are unsigned; 0 for a negative cost. */
static uint64_t
hits_of(const struct writer *w, uint64_t cost)
{
	return w->is_signed && (int64_t)cost < 0 ? 0 : cost;
}

/* Returns the directory of a path with its slash; "" if it has none. */
static struct cg_slice
directory_of(struct cg_slice path)
{
	while (path.len > 0 && path.ptr[path.len - 1] != '/')
		path.len--;
	return path;
}

/*
 * Returns the directory of a file relative to w->root, without a final slash;
 * "." for the root itself. It is the name of the file's package.
 */
static struct cg_slice
package_of(const struct writer *w, cg_file file)
{
	struct cg_slice directory =
	    directory_of(cg_file_path(w->r.graph, file));

	directory.ptr += w->root.len;
	directory.len -= w->root.len;
	if (directory.len == 0)
		return cg_slice(".");
	directory.len--;
	return directory;
}

static bool
is_wanted(const struct writer *w, cg_file file)
{
	struct cg_slice package = package_of(w, file);

	if (!w->package)
		return true;
	return cg_take_prefix(&package, w->package) &&
	       (package.len == 0 || *package.ptr == '/');
}

/*
 * Returns the longest directory, with its slash, that contains the directories
 * a and b; "" if none does.
 */
static struct cg_slice
common_directory(struct cg_slice a, struct cg_slice b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n])
		n++;
	return directory_of((struct cg_slice){ a.ptr, n });
}

/*
 * Appends a file to w->file, with its totals. The file must be the current one
 * of the report w->r; reads all of its lines. False: an error (reported).
 */
static bool
count_file(struct writer *w, cg_file id)
{
	struct source_file file = { .file = id };
	struct cg_line_sum line;

	while (cg_report_line(&w->r, &line)) {
		if (!cg_count_line(w->r.lines, &line, &file.sum))
			return false;
	}
	return cg_append(w->r.job, &w->file, file);
}

/*
 * Fills w->file with the files to write and their totals. w->place[file]
 * becomes the file's index + 1; 0: not written. Sets w->root to the directory
 * (with slash) that contains all files; "" for relative names. False: an error
 * (reported).
 */
static bool
count_files(struct writer *w)
{
	struct cg_slice directory;
	size_t wanted = 0;
	bool ok = true;
	cg_file file;

	while (ok && cg_report_file(&w->r, &file))
		ok = count_file(w, file);
	for (size_t i = 0; i < w->file.n; i++) {
		directory =
		    directory_of(cg_file_path(w->r.graph, w->file.at[i].file));
		w->root = i ? common_directory(w->root, directory) : directory;
	}
	/* CI services match relative names with files of the repository. */
	if (w->root.len > 0 && *w->root.ptr != '/')
		w->root.len = 0;
	for (size_t i = 0; i < w->file.n; i++) {
		if (!is_wanted(w, w->file.at[i].file))
			continue;
		w->file.at[wanted++] = w->file.at[i];
		w->place[w->file.at[i].file] = (uint32_t)wanted;
	}
	w->file.n = wanted;
	return ok;
}

/* ---- Elements ----------------------------------------------------------- */

/*
 * Writes the attribute with this name and a rate. The rate is hit / all, or 1
 * if both are 0, as in Cobertura. At most four digits follow the point,
 * rounded down, so that only hit == all gives 1.
 */
static void
put_rate(struct writer *w, const char *name, uint64_t hit, uint64_t all)
{
	uint64_t rate = hit < all ? hit * 10000 / all : 10000;
	char text[CG_NUMBER_MAX];
	int n = 4;

	/* A fifth digit, which is not written, preserves leading zeros. */
	(void)cg_format_u64(text, rate % 10000 + 10000);
	for (; n > 1 && text[n] == '0'; n--)
		;
	cg_putc(w->r.out, ' ');
	cg_puts(w->r.out, name);
	cg_puts(w->r.out, rate == 10000 ? "=\"1." : "=\"0.");
	cg_put(w->r.out, (struct cg_slice){ text + 1, (size_t)n });
	cg_putc(w->r.out, '"');
}

static void
put_rates(struct writer *w, const struct cg_counts *sum)
{
	put_rate(w, "line-rate", sum->lines.hit, sum->lines.found);
	put_rate(w, "branch-rate", sum->branches.hit, sum->branches.found);
}

/*
 * Writes <line number="1" hits="2" without the end of the tag. The caller may
 * add attributes, and must write the end.
 */
static void
put_line(struct writer *w, uint32_t number, uint64_t hits)
{
	static const char line[] = "<line number=\"", mid[] = "\" hits=\"";
	char *to = cg_out_reserve(
	    w->r.out, sizeof(line) + sizeof(mid) + 2 * CG_NUMBER_MAX);

	memcpy(to, line, sizeof(line) - 1);
	to = cg_format_u64(to + sizeof(line) - 1, number);
	memcpy(to, mid, sizeof(mid) - 1);
	to = cg_format_u64(to + sizeof(mid) - 1, hits);
	*to++ = '"';
	cg_out_advance(w->r.out, to);
}

/*
 * Returns hit / all in percent, rounded down, so that only hit == all gives
 * 100. "all" must not be 0.
 */
static unsigned
percent(uint64_t hit, uint64_t all)
{
	return (unsigned)(hit * 100 / all);
}

/*
 * Writes the attribute and the elements for a line's branches, and the end of
 * the line's element. If all blocks (groups) have two possible branches,
 * writes a <condition> for each block. Otherwise writes one for all branches
 * together. Impossible branches are not written.
 */
static void
put_conditions(struct writer *w, const struct cg_branch *branch, size_t n,
    const struct cg_hits *sum)
{
	bool pairs = has_pairs(branch, n);
	uint64_t hit = 0, count = 0;
	unsigned number = 0;

	cg_puts(w->r.out, " branch=\"true\" condition-coverage=\"");
	cg_putu(w->r.out, percent(sum->hit, sum->found));
	cg_puts(w->r.out, "% (");
	cg_putu(w->r.out, sum->hit);
	cg_putc(w->r.out, '/');
	cg_putu(w->r.out, sum->found);
	cg_puts(w->r.out, ")\"><conditions>");
	for (size_t i = 0; i < n && branch[i].kind == CG_BRANCH_ARC; i++) {
		if (branch[i].flags & CG_BRANCH_UNREACHABLE)
			continue;
		hit += branch[i].count > 0;
		count++;
		if (count < (pairs ? 2 : sum->found))
			continue;
		cg_puts(w->r.out, "<condition number=\"");
		cg_putu(w->r.out, number++);
		cg_puts(w->r.out, "\" type=\"jump\" coverage=\"");
		cg_putu(w->r.out, percent(hit, count));
		cg_puts(w->r.out, "%\"/>");
		hit = count = 0;
	}
	cg_puts(w->r.out, "</conditions></line>\n");
}

static void
put_lines(struct writer *w)
{
	struct cg_line_sum line;

	cg_puts(w->r.out, "<lines>\n");
	while (cg_report_line(&w->r, &line)) {
		struct cg_hits branches = { 0 };

		put_line(w, line.line, line.hits);
		cg_count_arcs(line.branch, line.branches, &branches);
		if (branches.found > 0)
			put_conditions(
			    w, line.branch, line.branches, &branches);
		else
			cg_puts(w->r.out, "/>\n");
	}
	cg_puts(w->r.out, "</lines>\n");
}

/* ---- Methods ------------------------------------------------------------ */

static size_t
fn_of(const struct method_line *line)
{
	return (size_t)(line->key >> 32);
}

static uint32_t
line_of(const struct method_line *line)
{
	return (uint32_t)line->key;
}

static int
compare_methods(const void *pa, const void *pb)
{
	const struct method *a = pa, *b = pb;
	int order = (a->first > b->first) - (a->first < b->first);

	if (order == 0)
		order = cg_compare(a->name, b->name);
	if (order == 0)
		order = cg_compare(a->symbol, b->symbol);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/*
 * Fills w->method_line with the lines of the functions fn[] in the current
 * file and their hits, sorted by function and line. Skips lines without a
 * count, and lines of functions that are not in fn[] (inlined). False: out of
 * memory (reported).
 */
static bool
list_lines(struct writer *w, const cg_fn *fn, size_t fns)
{
	struct method_line method_line;
	struct cg_line line;

	w->method_line.n = 0;
	for (size_t i = 0; i < fns; i++)
		w->own[fn[i]] = (uint32_t)i + 1;
	while (cg_next_line(w->r.lines, &line)) {
		uint64_t own = w->own[line.fn];

		if (own == 0 || line.line == 0 || !line.has_cost)
			continue;
		method_line = (struct method_line){ (own - 1) << 32 | line.line,
			hits_of(w,
			    w->r.event < line.n ? line.cost[w->r.event] : 0) };
		if (!cg_append(w->r.job, &w->method_line, method_line))
			return false;
	}
	cg_first_line(w->r.lines);
	for (size_t i = 0; i < fns; i++)
		w->own[fn[i]] = 0;
	return cg_sort_by_u64(w->method_line.at, w->method_line.n,
		   sizeof(method_line), offsetof(struct method_line, key)) ||
	       cg_reject_nomem(w->r.job);
}

/*
 * Fills w->method with the functions that have lines in w->method_line, sorted
 * by first line. False: out of memory (reported).
 */
static bool
list_methods(struct writer *w, const cg_fn *fn)
{
	const struct method_line *line = w->method_line.at;
	struct method *method;

	w->method.n = 0;
	for (size_t i = 0, end; i < w->method_line.n; i = end) {
		cg_fn own = fn[fn_of(&line[i])];

		for (end = i + 1; end < w->method_line.n &&
				  fn_of(&line[end]) == fn_of(&line[i]);)
			end++;
		method = cg_push(w->r.job, &w->method);
		if (!method)
			return false;
		*method = (struct method){ .name = cg_fn_name(w->r.graph, own),
			.symbol = cg_fn_symbol(w->r.graph, own),
			.first = line_of(&line[i]),
			.line = i,
			.lines = end - i };
	}
	/* Functions of a file are nearly in this order already. */
	cg_sort(w->method.at, w->method.n, sizeof(*method), compare_methods);
	return true;
}

/*
 * Returns the method's signature. It is the linkage name or, if this is the
 * name followed by "(", only the part from "(" on: "(I)V" of Java's
 * "push(I)V".
 */
static struct cg_slice
signature_of(const struct method *method)
{
	struct cg_slice symbol = method->symbol, rest = symbol;

	if (rest.len <= method->name.len)
		return symbol;
	rest.len = method->name.len;
	if (cg_compare(rest, method->name) != 0 || symbol.ptr[rest.len] != '(')
		return symbol;
	return (
	    struct cg_slice){ symbol.ptr + rest.len, symbol.len - rest.len };
}

static void
put_method(struct writer *w, const struct method *method)
{
	const struct method_line *line = &w->method_line.at[method->line];
	struct cg_counts sum = { .lines.found = method->lines };

	for (size_t i = 0; i < method->lines; i++)
		sum.lines.hit += line[i].hits > 0;
	cg_puts(w->r.out, "<method");
	cg_put_xml_attribute(w->r.out, "name", method->name);
	cg_put_xml_attribute(w->r.out, "signature", signature_of(method));
	put_rates(w, &sum);
	cg_puts(w->r.out, " complexity=\"0\"><lines>\n");
	for (size_t i = 0; i < method->lines; i++) {
		put_line(w, line_of(&line[i]), line[i].hits);
		cg_puts(w->r.out, "/>\n");
	}
	cg_puts(w->r.out, "</lines></method>\n");
}

/*
 * Returns how many of the functions have a known line. It is the line where
 * the function begins or, if that is unknown, its lowest line in its file.
 * Functions without one are not written, as readers identify functions by
 * their lines.
 */
static uint64_t
count_fns(const struct writer *w, const cg_fn *fn, size_t fns)
{
	uint64_t count = 0;

	for (size_t i = 0; i < fns; i++)
		count += cg_fn_line(w->r.lines, fn[i]) > 0;
	return count;
}

/*
 * Writes <methods> with the functions of the current file; empty without
 * option methods. Omits functions without a line that has a count. Counts
 * those of them whose line is known in w->bare. False: out of memory
 * (reported).
 */
static bool
put_methods(struct writer *w)
{
	const cg_fn *fn;
	size_t fns;
	uint64_t all;

	cg_puts(w->r.out, "<methods>\n");
	if (w->methods) {
		fns = cg_file_fns(w->r.lines, &fn);
		if (!list_lines(w, fn, fns) || !list_methods(w, fn))
			return false;
		all = count_fns(w, fn, fns);
		w->bare += all > w->method.n ? all - w->method.n : 0;
		for (size_t i = 0; i < w->method.n; i++)
			put_method(w, &w->method.at[i]);
	}
	cg_puts(w->r.out, "</methods>\n");
	return true;
}

/* ---- The document ------------------------------------------------------- */

static bool
put_class(struct writer *w, const struct source_file *file)
{
	struct cg_slice path = cg_file_path(w->r.graph, file->file);
	struct cg_slice name = path;
	size_t directory = directory_of(path).len;
	bool ok;

	name.ptr += directory;
	name.len -= directory;
	path.ptr += w->root.len;
	path.len -= w->root.len;
	cg_puts(w->r.out, "<class");
	cg_put_xml_attribute(w->r.out, "name", name);
	cg_put_xml_attribute(w->r.out, "filename", path);
	put_rates(w, &file->sum);
	cg_puts(w->r.out, " complexity=\"0\">\n");
	ok = put_methods(w);
	put_lines(w);
	cg_puts(w->r.out, "</class>\n");
	return ok;
}

/*
 * Writes the begin of a package, with its totals. The package has
 * w->file.at[from] and the files directly after it that are in the same
 * directory.
 */
static void
begin_package(struct writer *w, size_t from)
{
	struct cg_slice package = package_of(w, w->file.at[from].file);
	struct cg_counts sum = { 0 };

	for (size_t i = from; i < w->file.n; i++) {
		if (cg_compare(package_of(w, w->file.at[i].file), package) != 0)
			break;
		cg_add_counts(&sum, &w->file.at[i].sum);
	}
	cg_puts(w->r.out, "<package");
	cg_put_xml_attribute(w->r.out, "name", package);
	put_rates(w, &sum);
	cg_puts(w->r.out, " complexity=\"0\"><classes>\n");
}

/*
 * Writes the class of a file. Begins a new package if the file before is in
 * another directory. Skips a file that is not in w->place. False: an error
 * (reported).
 */
static bool
put_file(struct writer *w, cg_file file)
{
	uint32_t place = w->place[file];

	if (place == 0)
		return true;
	if (place == 1 || cg_compare(package_of(w, file),
			      package_of(w, w->file.at[place - 2].file)) != 0) {
		if (place > 1)
			cg_puts(w->r.out, "</classes></package>\n");
		begin_package(w, place - 1);
	}
	return put_class(w, &w->file.at[place - 1]);
}

static bool
put_packages(struct writer *w)
{
	cg_file file;
	bool ok = true;

	cg_report_again(&w->r);
	while (ok && cg_report_file(&w->r, &file))
		ok = put_file(w, file);
	if (!ok)
		return false;
	cg_puts(w->r.out, "</classes></package>\n");
	if (w->bare > 0)
		cg_warn(w->r.job,
		    "dropped %" PRIu64 " function%s without lines", w->bare,
		    w->bare == 1 ? "" : "s");
	return true;
}

static void
put_head(struct writer *w)
{
	struct cg_slice root = w->root;
	struct cg_counts sum = { 0 };

	if (root.len > 1)
		root.len--;
	for (size_t i = 0; i < w->file.n; i++)
		cg_add_counts(&sum, &w->file.at[i].sum);
	cg_puts(w->r.out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			  "<!DOCTYPE coverage SYSTEM \"" DTD "\">\n"
			  "<coverage");
	put_rates(w, &sum);
	cg_putf(w->r.out,
	    " lines-covered=\"%" PRIu64 "\" lines-valid=\"%" PRIu64
	    "\" branches-covered=\"%" PRIu64 "\" branches-valid=\"%" PRIu64
	    "\" complexity=\"0\" version=\"cgconv-" CG_VERSION
	    "\" timestamp=\"%s\">\n",
	    sum.lines.hit, sum.lines.found, sum.branches.hit,
	    sum.branches.found, cg_opt(w->r.job, "timestamp"));
	cg_puts(w->r.out, "<sources><source>");
	cg_put_xml(w->r.out, root.len ? root : cg_slice("."));
	cg_puts(w->r.out, "</source></sources>\n<packages>\n");
}

static bool
write_all(struct writer *w)
{
	w->is_signed = cg_get_event(w->r.graph, w->r.event)->is_signed;
	w->place = cg_alloc(
	    w->r.job, (cg_file_count(w->r.graph) + 1) * sizeof(*w->place));
	w->own =
	    cg_alloc(w->r.job, (cg_fn_count(w->r.graph) + 1) * sizeof(*w->own));
	if (!w->place || !w->own || !count_files(w))
		return false;
	if (w->file.n == 0)
		return true;
	put_head(w);
	if (!put_packages(w))
		return false;
	cg_puts(w->r.out, "</packages>\n</coverage>\n");
	return true;
}

int
cobertura_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .r = { .job = job,
				.graph = graph,
				.out = out,
				.part = CG_ALL_PARTS },
		.methods = cg_opt_flag(job, "methods"),
		.package = cg_opt(job, "package"),
		.root = { "", 0 } };
	int status = cg_report_open(&w.r);

	if (status != CG_OK)
		return status;
	status = cg_report_close(&w.r, write_all(&w));
	if (status == CG_OK && w.file.n == 0)
		return cg_usage(job,
		    "{package}: there is no package '%s' (a directory, "
		    "relative to that of all files)",
		    w.package);
	return status;
}
