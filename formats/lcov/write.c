/*
 * write.c - writes tracefiles: by default only records that both lcov 1.16 and
 * lcov 2.x read, as version 2 all records of lcov 2.x.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lcov.h"

/* Room for the tag, numbers and separators of a record. */
#define RECORD_ROOM 160

struct version {
	struct cg_slice path, text;
};

struct writer {
	struct cg_report r;
	bool full; /* version 2 */
	struct cg_slice test;
	const struct cg_merged_fn *entry; /* functions of the file */
	size_t entries;
	CG_ARRAY(struct version) version; /* sorted */
	uint64_t conflicts;               /* files with more than one version */
	bool labels;                      /* some branch has a label */
};

/* Writes a record of a total, such as "LF:12". "name" is its tag, "LF:". */
static void
put_total(struct writer *w, const char *name, uint64_t value)
{
	cg_puts(w->r.out, name);
	cg_putu(w->r.out, value);
	cg_putc(w->r.out, '\n');
}

static char *
put_chars(char *to, const char *chars)
{
	while (*chars)
		*to++ = *chars++;
	return to;
}

/* ---- Functions ---------------------------------------------------------- */

/*
 * Writes a record of lcov 1, "TAG:NUMBER,NAME", for each function of the
 * current file. If "counts" is set, the number is the entry count, as for tag
 * FNDA. Otherwise it is the first line, as for tag FN.
 */
static void
put_fn_records(struct writer *w, const char *tag, bool counts)
{
	for (size_t i = 0; i < w->entries; i++) {
		const struct cg_merged_fn *fn = &w->entry[i];

		cg_puts(w->r.out, tag);
		cg_putu(w->r.out, counts ? fn->count : fn->first);
		cg_putc(w->r.out, ',');
		(void)cg_put_inline(w->r.out, fn->name);
		cg_putc(w->r.out, '\n');
	}
}

/*
 * Writes functions, sorted by first line, longer ones first, as FNL and FNA
 * records of lcov 2. lcov 2 takes those that begin on one line for one
 * function. So they count once in *lines, which must be 0.
 */
static void
put_fn_groups(struct writer *w, struct cg_hits *lines)
{
	bool ran = false;

	for (size_t i = 0; i < w->entries; i++) {
		const struct cg_merged_fn *fn = &w->entry[i];

		if (i == 0 || fn->first != fn[-1].first) {
			ran = false;
			/* lcov 2 rejects a second FNL of a line. */
			cg_putf(w->r.out, "FNL:%" PRIu64 ",%" PRIu32,
			    lines->found, fn->first);
			if (fn->last > 0)
				cg_putf(w->r.out, ",%" PRIu32, fn->last);
			cg_putc(w->r.out, '\n');
			lines->found++;
		}
		cg_putf(w->r.out, "FNA:%" PRIu64 ",%" PRIu64 ",",
		    lines->found - 1, fn->count);
		(void)cg_put_inline(w->r.out, fn->name);
		cg_putc(w->r.out, '\n');
		lines->hit += !ran && fn->count > 0;
		ran |= fn->count > 0;
	}
}

/*
 * Writes the functions of the current file and their totals. False: out of
 * memory, which the cursor has reported.
 */
static bool
put_fns(struct writer *w)
{
	struct cg_hits hits = { 0 };

	if (!cg_merged_fns(w->r.lines, w->r.event, &w->entry, &w->entries))
		return false;
	if (w->full) {
		put_fn_groups(w, &hits);
	} else {
		put_fn_records(w, "FN:", false);
		put_fn_records(w, "FNDA:", true);
		cg_count_fns(w->entry, w->entries, &hits);
	}
	put_total(w, "FNF:", hits.found);
	put_total(w, "FNH:", hits.hit);
	return true;
}

/* ---- Branches ----------------------------------------------------------- */

static void
put_branch(struct writer *w, const struct cg_branch *branch)
{
	uint64_t count = cg_report_count(&w->r, branch->count);
	char *to = cg_out_reserve(w->r.out, RECORD_ROOM);

	to = cg_format_u64(put_chars(to, "BRDA:"), branch->pos.line);
	*to++ = ',';
	if (w->full && branch->flags & CG_BRANCH_THROW)
		*to++ = 'e';
	else if (w->full && branch->flags & CG_BRANCH_FALLTHROUGH)
		*to++ = 'f';
	if (branch->flags & CG_BRANCH_UNREACHABLE)
		*to++ = 'U';
	to = cg_format_u64(to, branch->block);
	*to++ = ',';
	if (!w->full || branch->label == 0)
		to = cg_format_u64(to, branch->index);
	cg_out_advance(w->r.out, to);
	if (w->full && branch->label != 0)
		(void)cg_put_inline(
		    w->r.out, cg_branch_label(w->r.graph, branch));
	to = cg_out_reserve(w->r.out, RECORD_ROOM);
	*to++ = ',';
	if (count > 0 || branch->flags & CG_BRANCH_REACHED)
		to = cg_format_u64(to, count);
	else
		*to++ = '-';
	*to++ = '\n';
	cg_out_advance(w->r.out, to);
	w->labels |= branch->label != 0;
}

/*
 * Writes n branches as one block with that number, their indices counted from
 * 0. If any was reached, marks all as reached: '-' means that the whole block
 * was not.
 */
static void
put_block(
    struct writer *w, const struct cg_branch *branch, size_t n, uint32_t block)
{
	unsigned reached = 0;

	for (size_t i = 0; i < n; i++)
		reached |= branch[i].flags & CG_BRANCH_REACHED;
	for (size_t i = 0; i < n; i++) {
		struct cg_branch row = branch[i];

		row.block = block;
		row.index = (uint32_t)i;
		row.flags |= reached;
		put_branch(w, &row);
	}
}

/*
 * Writes the n branches of a line. Those from a compiler, with targets, are
 * one block, and unlike template instances a block each, as geninfo writes
 * them: then tracefiles can be merged. Others keep their blocks.
 */
static void
put_branches(struct writer *w, const struct cg_branch *branch, size_t n)
{
	bool compiled = true;
	uint32_t block = 0;

	for (size_t i = 0; i < n; i++)
		compiled &= branch[i].target != 0;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; compiled && end < n &&
				  !(branch[end].flags & CG_BRANCH_UNLIKE);)
			end++;
		if (compiled)
			put_block(w, &branch[i], end - i, block++);
		else
			put_branch(w, &branch[i]);
	}
}

static void
put_condition(struct writer *w, const struct cg_merged_condition *condition)
{
	const struct cg_branch *branch = condition->branch;
	bool counts = !(branch->flags & CG_BRANCH_UNREACHABLE);
	uint64_t count = condition->count > 0 ? (uint64_t)condition->count : 0;

	cg_putf(w->r.out,
	    "MCDC:%" PRIu32 ",%s%" PRIu32 ",%c,%" PRIu64 ",%" PRIu32 ",",
	    branch->pos.line, counts ? "" : "U", condition->size,
	    branch->index & 1 ? 't' : 'f', count, branch->index / 2);
	if (branch->label != 0)
		(void)cg_put_inline(
		    w->r.out, cg_branch_label(w->r.graph, branch));
	else
		cg_putu(w->r.out, branch->index / 2);
	cg_putc(w->r.out, '\n');
}

/* ---- Lines -------------------------------------------------------------- */

static void
put_line(struct writer *w, uint32_t number, uint64_t count)
{
	char *to = cg_out_reserve(w->r.out, RECORD_ROOM);

	to = cg_format_u64(put_chars(to, "DA:"), number);
	*to++ = ',';
	to = cg_format_u64(to, count);
	*to++ = '\n';
	cg_out_advance(w->r.out, to);
}

/*
 * Writes the branches and conditions of a line. False: out of memory, which
 * the cursor has reported.
 */
static bool
put_arcs(struct writer *w, const struct cg_line_sum *line)
{
	const struct cg_merged_condition *condition;
	size_t n;

	put_branches(w, line->branch, cg_line_arcs(line));
	if (!cg_merged_conditions(w->r.lines, line, &condition, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		put_condition(w, &condition[i]);
	return true;
}

static bool
put_lines(struct writer *w, struct cg_counts *sum)
{
	struct cg_line_sum line;

	while (cg_report_line(&w->r, &line)) {
		if (line.has_cost)
			put_line(w, line.line, line.hits);
		if (!cg_count_line(w->r.lines, &line, sum) ||
		    (line.branches > 0 && !put_arcs(w, &line)))
			return false;
	}
	return true;
}

/* ---- Sections ----------------------------------------------------------- */

static int
compare_versions(const void *pa, const void *pb)
{
	const struct version *a = pa, *b = pb;

	return cg_compare(a->path, b->path);
}

/*
 * Appends the versions of source files in a part (a test) of the graph to
 * w->version. The part has them as descriptions. If memory runs out, the job
 * fails.
 */
static void
add_versions(struct writer *w, cg_part part)
{
	struct cg_slice path;
	const char *key, *value;

	for (size_t i = 0; cg_part_desc(w->r.graph, part, i, &key, &value);
	     i++) {
		path = cg_slice(key);
		if (cg_take_prefix(&path, LCOV_VERSION))
			(void)cg_append(w->r.job, &w->version,
			    (struct version){ path, cg_slice(value) });
	}
}

/*
 * Removes each file from w->version for which inputs state different versions.
 * Adds the number of removed files to w->conflicts. Keeps one entry of each
 * other file. w->version must be sorted by path.
 */
static void
drop_conflicts(struct writer *w)
{
	struct version *all = w->version.at;
	size_t n = 0, equal;

	for (size_t i = 0, end; i < w->version.n; i = end) {
		equal = 1;
		for (end = i + 1; end < w->version.n &&
				  compare_versions(&all[i], &all[end]) == 0;
		     end++)
			equal += cg_compare(all[i].text, all[end].text) == 0;
		if (equal == end - i)
			all[n++] = all[i];
		else
			w->conflicts++;
	}
	w->version.n = n;
}

static void
list_versions(struct writer *w, cg_part part)
{
	bool all = part == CG_ALL_PARTS;
	size_t end = all ? cg_part_count(w->r.graph) : (size_t)part + 1;

	w->version.n = 0;
	for (size_t i = all ? 0 : part; i < end; i++) {
		add_versions(w, (cg_part)i);
	}
	if (w->version.n > 1)
		qsort(w->version.at, w->version.n, sizeof(struct version),
		    compare_versions);
	drop_conflicts(w);
}

static void
put_version(struct writer *w, struct cg_slice path)
{
	const struct version wanted = { .path = path }, *found = NULL;

	if (w->version.n > 0)
		found = bsearch(&wanted, w->version.at, w->version.n,
		    sizeof(wanted), compare_versions);
	if (!found)
		return;
	cg_puts(w->r.out, "VER:");
	(void)cg_put_inline(w->r.out, found->text);
	cg_putc(w->r.out, '\n');
}

/*
 * Returns the name of the part's test, from the part's descriptions; "" if it
 * has none.
 */
static struct cg_slice
test_of(const struct writer *w, cg_part part)
{
	const char *key, *value;

	for (size_t i = 0; cg_part_desc(w->r.graph, part, i, &key, &value);
	     i++) {
		if (strcmp(key, LCOV_TEST) == 0)
			return cg_slice(value);
	}
	return cg_slice("");
}

static bool
has_tests(const struct writer *w)
{
	cg_part part = 0, parts = (cg_part)cg_part_count(w->r.graph);

	while (part < parts && test_of(w, part).len == 0)
		part++;
	return part < parts;
}

/*
 * Writes the name of the test. lcov accepts only letters, digits and '_' in
 * it; other characters become '_'.
 */
static void
put_test(struct writer *w)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyz_0123456789"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct cg_slice name = w->test;

	cg_puts(w->r.out, "TN:");
	for (; name.len > 0; name.ptr++, name.len--)
		cg_putc(w->r.out,
		    *name.ptr && strchr(good, *name.ptr) ? *name.ptr : '_');
	cg_putc(w->r.out, '\n');
}

static bool
put_section(struct writer *w, cg_file file)
{
	struct cg_slice path = cg_file_path(w->r.graph, file);
	struct cg_counts sum = { 0 };

	put_test(w);
	cg_puts(w->r.out, "SF:");
	(void)cg_put_inline(w->r.out, path);
	cg_putc(w->r.out, '\n');
	put_version(w, path);
	if (!put_fns(w) || !put_lines(w, &sum))
		return false;
	if (sum.branches.found > 0) {
		put_total(w, "BRF:", sum.branches.found);
		put_total(w, "BRH:", sum.branches.hit);
	}
	if (sum.conditions.found > 0) {
		put_total(w, "MCF:", sum.conditions.found);
		put_total(w, "MCH:", sum.conditions.hit);
	}
	put_total(w, "LF:", sum.lines.found);
	put_total(w, "LH:", sum.lines.hit);
	cg_puts(w->r.out, "end_of_record\n");
	return true;
}

static bool
put_sections(struct writer *w, cg_part part)
{
	bool ok = true;
	cg_file file;

	if (part != w->r.part && !cg_lines_set_part(w->r.lines, part))
		return false;
	w->r.part = part;
	w->test = part == CG_ALL_PARTS ? cg_slice("") : test_of(w, part);
	list_versions(w, part);
	while (ok && cg_report_file(&w->r, &file))
		ok = put_section(w, file);
	return ok;
}

/*
 * Writes all parts of the graph. The caller sets w->r.part to CG_ALL_PARTS if
 * no part is a test with a name. Then merges all parts into one. Otherwise
 * writes sections of its own for each part. False: an error (reported).
 */
static bool
put_parts(struct writer *w)
{
	size_t parts = cg_part_count(w->r.graph);
	bool ok = true;

	if (w->r.part == CG_ALL_PARTS) {
		if (parts > 1 && cg_job_verbose(w->r.job))
			cg_note(w->r.job, "parts are merged: none has the name "
					  "of a test (TN)");
		return put_sections(w, CG_ALL_PARTS);
	}
	for (cg_part part = 0; ok && part < parts; part++)
		ok = put_sections(w, part);
	return ok;
}

/* ---- The file ----------------------------------------------------------- */

static void
report_losses(struct writer *w)
{
	if (w->conflicts > 0)
		cg_warn(w->r.job,
		    "dropped versions (VER) of %" PRIu64
		    " file%s: inputs state different ones",
		    w->conflicts, w->conflicts == 1 ? "" : "s");
	if (w->labels && !w->full)
		cg_warn(w->r.job,
		    "dropped expressions of branches; keep them with "
		    "{format-version} 2");
}

int
lcov_write(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .r = { .job = job,
				.graph = graph,
				.out = out,
				.bare_lines = true } };
	const char *version = cg_opt(job, "format-version");
	int status;
	bool ok;

	w.full = strcmp(version, "2") == 0;
	if (!w.full && strcmp(version, "1") != 0)
		return cg_usage(job,
		    "{format-version}: expected 1 or 2, not '%s'", version);
	w.r.part = has_tests(&w) ? 0 : CG_ALL_PARTS;
	status = cg_report_open(&w.r);
	if (status != CG_OK)
		return status;
	ok = put_parts(&w);
	report_losses(&w);
	return cg_report_close(&w.r, ok);
}
