/*
 * write.c - writes tracefiles: by default what lcov 1.16 and 2.x read
 * alike, as version 2 all that 2.x knows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

/* More than the numbers of a record and what is between them. */
#define RECORD_ROOM 160

struct version {
	struct cg_slice path, text;
};

/* A condition, by size of its decision, then number, then outcome. */
struct condition {
	uint32_t size;
	const struct cg_branch *branch;
	int64_t count;
};

void
lcov_put_total(struct lcov_writer *w, const char *name, uint64_t value)
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
put_branch(
    struct lcov_writer *w, const struct cg_branch *branch, struct totals *sum)
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
	w->branches_below += branch->count < 0;
	sum->branches += counts;
	sum->branches_hit += counts && count > 0;
}

/* What geninfo has in one block: if any of it ran, none is '-'. */
static void
put_block(struct lcov_writer *w, const struct cg_branch *branch, size_t n,
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
 * A compiler's arcs know where they lead. geninfo has those of a line in one
 * block, numbered through, and instances of a template that have others in a
 * block each; so tracefiles of both can be added up. What a tracefile said
 * stays.
 */
static void
put_branches(struct lcov_writer *w, const struct cg_branch *branch, size_t n,
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

/* True comes first. */
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
put_condition(struct lcov_writer *w, const struct condition *condition,
    struct totals *sum)
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

/*
 * For lcov, decisions of one line with the same number of conditions are one.
 */
static bool
put_conditions(struct lcov_writer *w, const struct cg_branch *branch, size_t n,
    struct totals *sum)
{
	struct condition *list;
	size_t to = 0;

	for (size_t i = 0, end; i < n; i = end) {
		uint32_t size = 0;

		for (end = i; end < n && branch[end].block == branch[i].block;
		     end++)
			if (branch[end].index / 2 + 1 > size)
				size = branch[end].index / 2 + 1;
		for (size_t j = i; j < end; j++, w->conditions++) {
			if (!cg_grow_raw(&w->condition, &w->condition_cap,
				w->conditions + 1, sizeof(*list)))
				return false;
			w->condition[w->conditions] = (struct condition){ size,
				&branch[j], branch[j].count };
		}
	}
	list = w->condition;
	n = w->conditions;
	w->conditions = 0;
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

/* The cost as a count, which is not below zero. */
static uint64_t
hits(struct lcov_writer *w, const struct cg_line_sum *line)
{
	if (!w->is_signed || (int64_t)line->cost >= 0)
		return line->cost;
	w->below++;
	return 0;
}

static void
put_line(struct lcov_writer *w, uint32_t number, uint64_t count)
{
	char *to = cg_out_reserve(w->out, RECORD_ROOM);

	to = cg_format_u64(put_chars(to, "DA:"), number);
	*to++ = ',';
	to = cg_format_u64(to, count);
	*to++ = '\n';
	cg_out_advance(w->out, to);
}

static bool
put_lines(struct lcov_writer *w, struct totals *sum)
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

/* Those that a part states. */
static bool
add_versions(struct lcov_writer *w, cg_part part)
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

/* A file of which there are two was never the one that a sum is of. */
static void
drop_versions(struct lcov_writer *w)
{
	const struct version *all = w->version;
	size_t kept = 0, same;

	for (size_t i = 0, end; i < w->versions; i = end) {
		same = 1;
		for (end = i + 1; end < w->versions &&
				  compare_versions(&all[i], &all[end]) == 0;
		     end++)
			same += cg_compare(all[i].text, all[end].text) == 0;
		if (same == end - i)
			w->version[kept++] = all[i];
		else
			w->mixed++;
	}
	w->versions = kept;
}

static bool
list_versions(struct lcov_writer *w, cg_part part)
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
	drop_versions(w);
	return true;
}

static void
put_version(struct lcov_writer *w, struct cg_slice path)
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

/* lcov leaves out files without lines, too. */
static bool
has_lines(struct lcov_writer *w)
{
	struct cg_line line = { 0 };

	while (line.line == 0 && cg_next_line(w->lines, &line))
		;
	cg_first_line(w->lines);
	return line.line != 0;
}

static void
skip_file(struct lcov_writer *w)
{
	struct cg_line_sum line;

	while (cg_next_line_sum(w->lines, w->event, &line))
		w->lost += hits(w, &line);
}

/* The name of the test that a part is of, "" if it is of none. */
static struct cg_slice
test_of(const struct lcov_writer *w, cg_part part)
{
	const char *key, *value;

	for (size_t i = 0; cg_part_desc(w->graph, part, i, &key, &value); i++) {
		if (strcmp(key, LCOV_TEST) == 0)
			return cg_slice(value);
	}
	return cg_slice("");
}

static bool
has_tests(const struct lcov_writer *w)
{
	cg_part part = 0, parts = (cg_part)cg_part_count(w->graph);

	while (part < parts && test_of(w, part).len == 0)
		part++;
	return part < parts;
}

/* As lcov takes it: letters, digits, _. */
static void
put_test(struct lcov_writer *w)
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
put_section(struct lcov_writer *w, cg_file file)
{
	struct cg_slice path = cg_file_path(w->graph, file);
	struct totals sum = { 0 };

	if (path.len == 0 || !has_lines(w)) {
		skip_file(w);
		return true;
	}
	w->any = true;
	put_test(w);
	cg_puts(w->out, "SF:");
	(void)cg_put_inline(w->out, path);
	cg_putc(w->out, '\n');
	put_version(w, path);
	if (!lcov_put_fns(w) || !put_lines(w, &sum))
		return false;
	if (sum.branches > 0) {
		lcov_put_total(w, "BRF:", sum.branches);
		lcov_put_total(w, "BRH:", sum.branches_hit);
	}
	if (sum.conditions > 0) {
		lcov_put_total(w, "MCF:", sum.conditions);
		lcov_put_total(w, "MCH:", sum.conditions_hit);
	}
	lcov_put_total(w, "LF:", sum.lines);
	lcov_put_total(w, "LH:", sum.lines_hit);
	cg_puts(w->out, "end_of_record\n");
	return true;
}

static bool
put_sections(struct lcov_writer *w, cg_part part)
{
	cg_file file;
	bool ok;

	if (!w->lines)
		w->lines = cg_lines_new(w->graph, part);
	else if (!cg_lines_turn(w->lines, part))
		return false;
	w->test = part == CG_ALL_PARTS ? cg_slice("") : test_of(w, part);
	ok = w->lines && list_versions(w, part);
	while (ok && cg_next_file(w->lines, &file))
		ok = put_section(w, file);
	return ok;
}

/* Parts that are no tests mean nothing here: their sum is written. */
static bool
put_parts(struct lcov_writer *w)
{
	size_t parts = cg_part_count(w->graph);
	bool ok = true;

	if (!has_tests(w)) {
		if (parts > 1)
			cg_warn(w->job, "parts that have no test's name are "
					"written as their sum");
		return put_sections(w, CG_ALL_PARTS);
	}
	for (cg_part part = 0; ok && part < parts; part++)
		ok = put_sections(w, part);
	return ok;
}

/* ---- The file ----------------------------------------------------------- */

static int
choose(struct lcov_writer *w)
{
	const char *version = cg_opt(w->job, "format-version");
	int status = cg_choose_event(w->job, w->graph, "Exec", &w->event);

	if (status != CG_OK)
		return status;
	w->full = strcmp(version, "2") == 0;
	if (!w->full && strcmp(version, "1") != 0)
		return cg_usage(w->job,
		    "expected --format-version 1 or 2, not %s", version);
	w->is_signed = cg_get_event(w->graph, w->event)->is_signed;
	return CG_OK;
}

static void
report(struct lcov_writer *w)
{
	if (w->lost > 0)
		cg_warn(w->job,
		    "left out, with no source file or line: %" PRIu64 " %s",
		    w->lost, cg_get_event(w->graph, w->event)->name);
	if (w->below > 0)
		cg_warn(w->job, "%" PRIu64 " lines below 0 are written as 0",
		    w->below);
	if (w->branches_below > 0)
		cg_warn(w->job, "%" PRIu64 " branches below 0 are written as 0",
		    w->branches_below);
	if (w->mixed > 0)
		cg_warn(w->job,
		    "left out, as inputs contradict each other: versions (VER) "
		    "of %" PRIu64 " of the files",
		    w->mixed);
	if (w->labels && !w->full)
		cg_warn(w->job,
		    "names of branches need --format-version 2: they are left "
		    "out");
}

int
lcov_write(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct lcov_writer w = { .job = job, .graph = graph, .out = out };
	int status = choose(&w);
	bool ok;

	if (status != CG_OK)
		return status;
	w.ran = calloc(cg_fn_count(graph) + 1, sizeof(*w.ran));
	ok = w.ran && put_parts(&w);
	report(&w);
	cg_lines_free(w.lines);
	free(w.ran);
	free(w.entry);
	free(w.version);
	free(w.condition);
	if (!ok)
		return cg_nomem(job);
	if (!w.any)
		return cg_fail(job, "expected a line of a source file");
	return cg_out_status(out);
}
