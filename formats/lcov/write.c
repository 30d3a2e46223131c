/*
 * write.c - writes tracefiles: by default only records that both lcov 1.16 and
 * lcov 2.x read, as version 2 all records of lcov 2.x.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lcov.h"

/* Enough for the tag, numbers and separators of a record. */
#define RECORD_ROOM 160

/* A function of a tracefile: all functions of the graph with one name. */
struct entry {
	struct cg_slice name;
	uint32_t first, last;
	uint64_t count;
};

struct version {
	struct cg_slice path, text;
};

/* One outcome of a condition. */
struct condition {
	uint32_t size; /* conditions of its group */
	const struct cg_branch *branch;
	int64_t count;
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	bool full; /* version 2 */
	size_t event;
	bool is_signed;
	struct cg_lines *lines;
	struct cg_slice test;
	bool *ran; /* by fn: some line of it has a cost */
	struct entry *entry;
	size_t entries, entry_cap;
	struct version *version;
	size_t versions, version_cap;
	struct condition *condition;
	size_t conditions, condition_cap;
	uint64_t lost; /* cost without a source file or line */
	uint64_t negative_lines, negative_branches;
	uint64_t conflicts; /* files with more than one version */
	bool labels;        /* some branch has a label */
	bool any;           /* a section was written */
};

/* "LF:12" */
static void
put_total(struct writer *w, const char *name, uint64_t value)
{
	cg_puts(w->out, name);
	cg_putu(w->out, value);
	cg_putc(w->out, '\n');
}

static char *
put_chars(char *to, const char *chars)
{
	while (*chars)
		*to++ = *chars++;
	return to;
}

/* ---- Functions ---------------------------------------------------------- */

static int
compare_names(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	return cg_compare(a->name, b->name);
}

/* By first line, the longer function first, then by name. */
static int
compare_lines(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	return cg_compare(a->name, b->name);
}

/* Finds functions with a cost: where entries are unknown, they ran once. */
static void
find_running(struct writer *w)
{
	struct cg_line line;
	uint64_t count;

	while (cg_next_line(w->lines, &line)) {
		if (line.n > w->event && line.cost[w->event] != 0 &&
		    !cg_fn_entries(w->lines, line.fn, &count))
			w->ran[line.fn] = true;
	}
	cg_first_line(w->lines);
}

static bool
add_fn(struct writer *w, cg_fn id)
{
	struct cg_slice symbol = cg_fn_symbol(w->graph, id);
	struct cg_range range;
	struct entry *fn;

	if (!cg_grow_raw(&w->entry, &w->entry_cap, w->entries + 1, sizeof(*fn)))
		return false;
	fn = &w->entry[w->entries++];
	cg_fn_range(w->graph, id, &range);
	*fn = (struct entry){
		.name = symbol.len > 0 ? symbol : cg_fn_name(w->graph, id),
		.first = cg_fn_line(w->lines, id),
		.last = range.last,
	};
	if (!cg_fn_entries(w->lines, id, &fn->count))
		fn->count = w->ran[id];
	return true;
}

/* Merges functions of one name, as lcov does; sorts them by line. */
static void
merge_fns(struct writer *w)
{
	size_t n = 0;

	if (w->entries > 1)
		qsort(w->entry, w->entries, sizeof(*w->entry), compare_names);
	for (size_t i = 1; i < w->entries; i++) {
		struct entry *to = &w->entry[n], *fn = &w->entry[i];

		if (cg_compare(to->name, fn->name) != 0) {
			w->entry[++n] = *fn;
			continue;
		}
		if (__builtin_add_overflow(to->count, fn->count, &to->count))
			to->count = UINT64_MAX;
		if (fn->first < to->first)
			to->first = fn->first;
		if (fn->last > to->last)
			to->last = fn->last;
	}
	if (w->entries > 0)
		w->entries = n + 1;
	if (w->entries > 1)
		qsort(w->entry, w->entries, sizeof(*w->entry), compare_lines);
}

/* Lists the functions of the current file; false: out of memory. */
static bool
list_fns(struct writer *w)
{
	const cg_fn *fn;
	size_t count = cg_file_fns(w->lines, &fn);

	find_running(w);
	w->entries = 0;
	for (size_t i = 0; i < count; i++) {
		if (cg_fn_line(w->lines, fn[i]) > 0 && !add_fn(w, fn[i]))
			return false;
	}
	merge_fns(w);
	return true;
}

/* The records of lcov 1: FN or FNDA. */
static void
put_fn_records(struct writer *w, const char *tag, bool counts)
{
	for (size_t i = 0; i < w->entries; i++) {
		const struct entry *fn = &w->entry[i];

		cg_puts(w->out, tag);
		cg_putu(w->out, counts ? fn->count : fn->first);
		cg_putc(w->out, ',');
		(void)cg_put_inline(w->out, fn->name);
		cg_putc(w->out, '\n');
	}
}

/*
 * The records of lcov 2. It takes functions that begin on one line for one
 * function with several names (FNA) and rejects a second FNL of that line, so
 * the one that ends last gives the last line of all of them.
 */
static void
put_fn_groups(struct writer *w, uint64_t *found, uint64_t *hit)
{
	bool ran = false;

	for (size_t i = 0; i < w->entries; i++) {
		const struct entry *fn = &w->entry[i];

		if (i == 0 || fn->first != fn[-1].first) {
			ran = false;
			cg_putf(w->out, "FNL:%" PRIu64 ",%" PRIu32, *found,
			    fn->first);
			if (fn->last > 0)
				cg_putf(w->out, ",%" PRIu32, fn->last);
			cg_putc(w->out, '\n');
			++*found;
		}
		cg_putf(w->out, "FNA:%" PRIu64 ",%" PRIu64 ",", *found - 1,
		    fn->count);
		(void)cg_put_inline(w->out, fn->name);
		cg_putc(w->out, '\n');
		*hit += !ran && fn->count > 0;
		ran |= fn->count > 0;
	}
}

/* The functions of the current file; false: out of memory. */
static bool
put_fns(struct writer *w)
{
	uint64_t found = 0, hit = 0;

	if (!list_fns(w))
		return false;
	if (w->full) {
		put_fn_groups(w, &found, &hit);
	} else {
		put_fn_records(w, "FN:", false);
		put_fn_records(w, "FNDA:", true);
		for (; found < w->entries; found++)
			hit += w->entry[found].count > 0;
	}
	put_total(w, "FNF:", found);
	put_total(w, "FNH:", hit);
	return true;
}

/* ---- Branches ----------------------------------------------------------- */

struct totals {
	uint64_t lines, lines_hit, branches, branches_hit;
	uint64_t conditions, conditions_hit;
};

static uint64_t
count_of(const struct cg_branch *branch)
{
	return branch->count > 0 ? (uint64_t)branch->count : 0;
}

static void
put_branch(struct writer *w, const struct cg_branch *branch, struct totals *sum)
{
	bool counts = !(branch->flags & CG_BRANCH_UNREACHABLE);
	uint64_t count = count_of(branch);
	char *to = cg_out_reserve(w->out, RECORD_ROOM);

	to = cg_format_u64(put_chars(to, "BRDA:"), branch->pos.line);
	*to++ = ',';
	if (w->full && branch->flags & CG_BRANCH_THROW)
		*to++ = 'e';
	else if (w->full && branch->flags & CG_BRANCH_FALLTHROUGH)
		*to++ = 'f';
	if (!counts)
		*to++ = 'U';
	to = cg_format_u64(to, branch->block);
	*to++ = ',';
	if (!w->full || branch->label == 0)
		to = cg_format_u64(to, branch->index);
	cg_out_advance(w->out, to);
	if (w->full && branch->label != 0)
		(void)cg_put_inline(w->out, cg_branch_label(w->graph, branch));
	to = cg_out_reserve(w->out, RECORD_ROOM);
	*to++ = ',';
	if (count > 0 || branch->flags & CG_BRANCH_REACHED)
		to = cg_format_u64(to, count);
	else
		*to++ = '-';
	*to++ = '\n';
	cg_out_advance(w->out, to);
	w->labels |= branch->label != 0;
	w->negative_branches += branch->count < 0;
	sum->branches += counts;
	sum->branches_hit += counts && count > 0;
}

/* Writes branches as one block: if any of them was reached, none is '-'. */
static void
put_block(struct writer *w, const struct cg_branch *branch, size_t n,
    uint32_t block, struct totals *sum)
{
	unsigned reached = 0;

	for (size_t i = 0; i < n; i++)
		reached |= branch[i].flags & CG_BRANCH_REACHED;
	for (size_t i = 0; i < n; i++) {
		struct cg_branch row = branch[i];

		row.block = block;
		row.index = (uint32_t)i;
		row.flags |= reached;
		put_branch(w, &row, sum);
	}
}

/*
 * Branches with targets come from compiler data. geninfo writes all such
 * branches of a line as one block, numbered consecutively, and instances of a
 * template with different branches as a block each. This does the same, so
 * that tracefiles of both can be merged. Blocks of an input tracefile stay.
 */
static void
put_branches(struct writer *w, const struct cg_branch *branch, size_t n,
    struct totals *sum)
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
			put_block(w, &branch[i], end - i, block++, sum);
		else
			put_branch(w, &branch[i], sum);
	}
}

/* By group size, then number, then outcome: true comes first. */
static int
compare_conditions(const void *pa, const void *pb)
{
	const struct condition *a = pa, *b = pb;
	uint32_t ia = a->branch->index ^ 1, ib = b->branch->index ^ 1;

	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return (ia > ib) - (ia < ib);
}

static void
put_condition(
    struct writer *w, const struct condition *condition, struct totals *sum)
{
	const struct cg_branch *branch = condition->branch;
	bool counts = !(branch->flags & CG_BRANCH_UNREACHABLE);
	uint64_t count = condition->count > 0 ? (uint64_t)condition->count : 0;

	cg_putf(w->out,
	    "MCDC:%" PRIu32 ",%s%" PRIu32 ",%c,%" PRIu64 ",%" PRIu32 ",",
	    branch->pos.line, counts ? "" : "U", condition->size,
	    branch->index & 1 ? 't' : 'f', count, branch->index / 2);
	if (branch->label != 0)
		(void)cg_put_inline(w->out, cg_branch_label(w->graph, branch));
	else
		cg_putu(w->out, branch->index / 2);
	cg_putc(w->out, '\n');
	sum->conditions += counts;
	sum->conditions_hit += counts && count > 0;
}

/* Lists conditions of a line with their group sizes; false: no memory. */
static bool
list_conditions(struct writer *w, const struct cg_branch *branch, size_t n)
{
	w->conditions = 0;
	for (size_t i = 0, end; i < n; i = end) {
		uint32_t size = 0;

		for (end = i; end < n && branch[end].block == branch[i].block;
		     end++)
			if (branch[end].index / 2 + 1 > size)
				size = branch[end].index / 2 + 1;
		for (size_t j = i; j < end; j++, w->conditions++) {
			if (!cg_grow_raw(&w->condition, &w->condition_cap,
				w->conditions + 1, sizeof(*w->condition)))
				return false;
			w->condition[w->conditions] = (struct condition){ size,
				&branch[j], branch[j].count };
		}
	}
	return true;
}

/* lcov identifies the groups of a line by their size: merges equal ones. */
static bool
put_conditions(struct writer *w, const struct cg_branch *branch, size_t n,
    struct totals *sum)
{
	struct condition *list;
	size_t to = 0;

	if (!list_conditions(w, branch, n))
		return false;
	list = w->condition;
	n = w->conditions;
	if (n > 1)
		qsort(list, n, sizeof(*list), compare_conditions);
	for (size_t i = 1; i < n; i++) {
		if (compare_conditions(&list[to], &list[i]) != 0)
			list[++to] = list[i];
		else if (__builtin_add_overflow(
			     list[to].count, list[i].count, &list[to].count))
			list[to].count = INT64_MAX;
	}
	for (size_t i = 0; n > 0 && i <= to; i++)
		put_condition(w, &list[i], sum);
	return true;
}

/* ---- Lines -------------------------------------------------------------- */

/* The cost as a count: a negative cost as 0. */
static uint64_t
hits(struct writer *w, const struct cg_line_sum *line)
{
	if (!w->is_signed || (int64_t)line->cost >= 0)
		return line->cost;
	w->negative_lines++;
	return 0;
}

static void
put_line(struct writer *w, uint32_t number, uint64_t count)
{
	char *to = cg_out_reserve(w->out, RECORD_ROOM);

	to = cg_format_u64(put_chars(to, "DA:"), number);
	*to++ = ',';
	to = cg_format_u64(to, count);
	*to++ = '\n';
	cg_out_advance(w->out, to);
}

static bool
put_lines(struct writer *w, struct totals *sum)
{
	struct cg_line_sum line;

	while (cg_next_line_sum(w->lines, w->event, &line)) {
		uint64_t count = hits(w, &line);
		size_t i = 0;

		if (line.line == 0) {
			w->lost += count;
			continue;
		}
		if (line.has_cost) {
			put_line(w, line.line, count);
			sum->lines++;
			sum->lines_hit += count > 0;
		}
		while (
		    i < line.branches && line.branch[i].kind == CG_BRANCH_ARC)
			i++;
		put_branches(w, line.branch, i, sum);
		if (i < line.branches &&
		    !put_conditions(w, &line.branch[i], line.branches - i, sum))
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

/* Adds the versions that a part's descriptions state. */
static bool
add_versions(struct writer *w, cg_part part)
{
	struct cg_slice path;
	const char *key, *value;

	for (size_t i = 0; cg_part_desc(w->graph, part, i, &key, &value); i++) {
		path = cg_slice(key);
		if (!cg_take_prefix(&path, LCOV_VERSION))
			continue;
		if (!cg_grow_raw(&w->version, &w->version_cap, w->versions + 1,
			sizeof(*w->version)))
			return false;
		w->version[w->versions++] =
		    (struct version){ path, cg_slice(value) };
	}
	return true;
}

/* Drops versions of files for which inputs state different ones. */
static void
drop_conflicts(struct writer *w)
{
	const struct version *all = w->version;
	size_t n = 0, equal;

	for (size_t i = 0, end; i < w->versions; i = end) {
		equal = 1;
		for (end = i + 1; end < w->versions &&
				  compare_versions(&all[i], &all[end]) == 0;
		     end++)
			equal += cg_compare(all[i].text, all[end].text) == 0;
		if (equal == end - i)
			w->version[n++] = all[i];
		else
			w->conflicts++;
	}
	w->versions = n;
}

static bool
list_versions(struct writer *w, cg_part part)
{
	bool all = part == CG_ALL_PARTS;
	size_t end = all ? cg_part_count(w->graph) : (size_t)part + 1;

	w->versions = 0;
	for (size_t i = all ? 0 : part; i < end; i++) {
		if (!add_versions(w, (cg_part)i))
			return false;
	}
	if (w->versions > 1)
		qsort(w->version, w->versions, sizeof(*w->version),
		    compare_versions);
	drop_conflicts(w);
	return true;
}

static void
put_version(struct writer *w, struct cg_slice path)
{
	const struct version wanted = { .path = path }, *found = NULL;

	if (w->versions > 0)
		found = bsearch(&wanted, w->version, w->versions,
		    sizeof(wanted), compare_versions);
	if (!found)
		return;
	cg_puts(w->out, "VER:");
	(void)cg_put_inline(w->out, found->text);
	cg_putc(w->out, '\n');
}

/* Files without lines get no section, as in lcov. */
static bool
has_lines(struct writer *w)
{
	struct cg_line line = { 0 };

	while (line.line == 0 && cg_next_line(w->lines, &line))
		;
	cg_first_line(w->lines);
	return line.line != 0;
}

/* Counts the costs of a file that gets no section as lost. */
static void
drop_file(struct writer *w)
{
	struct cg_line_sum line;

	while (cg_next_line_sum(w->lines, w->event, &line))
		w->lost += hits(w, &line);
}

/* The test's name of a part, or "". */
static struct cg_slice
test_of(const struct writer *w, cg_part part)
{
	const char *key, *value;

	for (size_t i = 0; cg_part_desc(w->graph, part, i, &key, &value); i++) {
		if (strcmp(key, LCOV_TEST) == 0)
			return cg_slice(value);
	}
	return cg_slice("");
}

static bool
has_tests(const struct writer *w)
{
	cg_part part = 0, parts = (cg_part)cg_part_count(w->graph);

	while (part < parts && test_of(w, part).len == 0)
		part++;
	return part < parts;
}

/* lcov accepts letters, digits and '_' only; others become '_'. */
static void
put_test(struct writer *w)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyz_0123456789"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct cg_slice name = w->test;

	cg_puts(w->out, "TN:");
	for (; name.len > 0; name.ptr++, name.len--)
		cg_putc(w->out,
		    *name.ptr && strchr(good, *name.ptr) ? *name.ptr : '_');
	cg_putc(w->out, '\n');
}

static bool
put_section(struct writer *w, cg_file file)
{
	struct cg_slice path = cg_file_path(w->graph, file);
	struct totals sum = { 0 };

	if (path.len == 0 || !has_lines(w)) {
		drop_file(w);
		return true;
	}
	w->any = true;
	put_test(w);
	cg_puts(w->out, "SF:");
	(void)cg_put_inline(w->out, path);
	cg_putc(w->out, '\n');
	put_version(w, path);
	if (!put_fns(w) || !put_lines(w, &sum))
		return false;
	if (sum.branches > 0) {
		put_total(w, "BRF:", sum.branches);
		put_total(w, "BRH:", sum.branches_hit);
	}
	if (sum.conditions > 0) {
		put_total(w, "MCF:", sum.conditions);
		put_total(w, "MCH:", sum.conditions_hit);
	}
	put_total(w, "LF:", sum.lines);
	put_total(w, "LH:", sum.lines_hit);
	cg_puts(w->out, "end_of_record\n");
	return true;
}

static bool
put_sections(struct writer *w, cg_part part)
{
	cg_file file;
	bool ok;

	if (!w->lines)
		w->lines = cg_lines_new_by_name(w->graph, part);
	else if (!cg_lines_set_part(w->lines, part))
		return false;
	w->test = part == CG_ALL_PARTS ? cg_slice("") : test_of(w, part);
	ok = w->lines && list_versions(w, part);
	while (ok && cg_next_file(w->lines, &file))
		ok = put_section(w, file);
	return ok;
}

/* Every part gets its own sections if any has the name of a test. */
static bool
put_parts(struct writer *w)
{
	size_t parts = cg_part_count(w->graph);
	bool ok = true;

	if (!has_tests(w)) {
		if (parts > 1 && cg_job_verbose(w->job))
			cg_note(w->job, "parts are merged: none has the name "
					"of a test (TN)");
		return put_sections(w, CG_ALL_PARTS);
	}
	for (cg_part part = 0; ok && part < parts; part++)
		ok = put_sections(w, part);
	return ok;
}

/* ---- The file ----------------------------------------------------------- */

static int
choose(struct writer *w)
{
	const char *version = cg_opt(w->job, "format-version");
	int status = cg_choose_event(w->job, w->graph, "Exec", &w->event);

	if (status != CG_OK)
		return status;
	w->full = strcmp(version, "2") == 0;
	if (!w->full && strcmp(version, "1") != 0)
		return cg_usage(w->job,
		    "--format-version: expected 1 or 2, not '%s'", version);
	w->is_signed = cg_get_event(w->graph, w->event)->is_signed;
	return CG_OK;
}

static void
report_losses(struct writer *w)
{
	if (w->lost > 0)
		cg_warn(w->job,
		    "dropped %" PRIu64 " %s without a source file or line",
		    w->lost, cg_get_event(w->graph, w->event)->name);
	if (w->negative_lines > 0)
		cg_warn(w->job,
		    "negative counts of %" PRIu64 " line%s are written as 0",
		    w->negative_lines, w->negative_lines == 1 ? "" : "s");
	if (w->negative_branches > 0)
		cg_warn(w->job,
		    "negative counts of %" PRIu64 " branch%s are written as 0",
		    w->negative_branches,
		    w->negative_branches == 1 ? "" : "es");
	if (w->conflicts > 0)
		cg_warn(w->job,
		    "dropped versions (VER) of %" PRIu64
		    " file%s: inputs state different ones",
		    w->conflicts, w->conflicts == 1 ? "" : "s");
	if (w->labels && !w->full)
		cg_warn(w->job,
		    "dropped expressions of branches; keep them with "
		    "--format-version 2");
}

int
lcov_write(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job, .graph = graph, .out = out };
	int status = choose(&w);
	bool ok;

	if (status != CG_OK)
		return status;
	w.ran = calloc(cg_fn_count(graph) + 1, sizeof(*w.ran));
	ok = w.ran && put_parts(&w);
	report_losses(&w);
	cg_lines_free(w.lines);
	free(w.ran);
	free(w.entry);
	free(w.version);
	free(w.condition);
	if (!ok)
		return cg_nomem(job);
	if (!w.any)
		return cg_fail(job, "expected costs of source lines");
	return cg_out_status(out);
}
