/*
 * lines.c - turns segments of files into lines; adds lines, branches,
 * conditions, functions and their regions to the graph.
 *
 * Source: LineCoverageStats in lib/ProfileData/Coverage/CoverageMapping.cpp
 * and tools/llvm-cov/CoverageExporterLcov.cpp of LLVM.
 *
 * A line has the count of the segment that reaches into it; if regions begin
 * on it (gaps do not count), it has the highest count of these. Branches at
 * one place (instances of templates) are summed.
 */
#include <stdlib.h>

#include "llvm.h"

struct llvm_file {
	cg_name name;
	cg_file id;             /* in the graph, after all files were read */
	size_t lines, line_end; /* positions in llvm_report.lines */
	size_t items, item_end; /* positions in llvm_report.items */
};

bool
llvm_add_event(struct cg_build *build)
{
	return cg_add_column(build, &(struct cg_event){ .name = "Exec",
					.long_name = "Line executions",
					.is_signed = true,
					.incl = CG_INCL_NONE });
}

/* ---- Lines -------------------------------------------------------------- */

/*
 * Appends n lines with one count to report->lines, from line "line" on. Stores
 * the line as its distance from the last line written. A few bytes of input
 * may state any number of lines. So a total that is too large for the input is
 * an error. False: an error, or out of memory (reported).
 */
static bool
add_run(struct llvm_report *report, uint32_t line, uint32_t n, uint64_t count)
{
	struct cg_numbers *lines = &report->lines;

	report->total += n;
	if (cg_is_bomb(report->total * 16,
		(report->in ? cg_in_offset(report->in) : 0) + report->more,
		CG_EXPANSION_HELD))
		return cg_reject(report->job,
		    "expected fewer lines for the size of the input");
	if (!cg_numbers_in(report->job, lines, line - report->written) ||
	    !cg_numbers_in(report->job, lines, n) ||
	    !cg_numbers_in(report->job, lines, count))
		return false;
	report->written = line + n - 1;
	return true;
}

/*
 * Ends the line of the last segment. A segment is a place from which on code
 * has one count. If the line has code, appends the line's count. It is the
 * highest count among the segment that reaches into the line and the regions
 * that begin on it.
 *
 * "next" is the line of the next segment. If the last segment is code, appends
 * its count for the lines between. Then resets the state for line "next".
 * False: an error (reported).
 */
static bool
end_line(struct llvm_report *report, uint32_t next)
{
	const struct llvm_segment *last = &report->last;
	bool wrapped = report->wrapped.counted;
	uint64_t count = report->wrapped.count;

	if (report->begun && report->most > count)
		count = report->most;
	if (last->line > 0 &&
	    (report->entered ||
		(!report->skipped && (wrapped || report->begun))) &&
	    !add_run(report, last->line, 1, count))
		return false;
	if (last->line > 0 && next > last->line + 1 && last->counted &&
	    !add_run(
		report, last->line + 1, next - last->line - 1, last->count))
		return false;
	report->wrapped = *last;
	report->skipped = report->entered = report->begun = false;
	report->most = 0;
	return true;
}

void
llvm_begin_file(struct llvm_report *report)
{
	report->line_begin = report->lines.bytes;
	report->item_begin = report->items.bytes;
	report->last = report->wrapped = (struct llvm_segment){ 0 };
	report->written = 0;
	report->item.n = 0;
}

bool
llvm_add_segment(struct llvm_report *report, const struct llvm_segment *segment)
{
	if (segment->line == 0 || segment->line < report->last.line)
		return cg_reject(report->job,
		    "expected segments in the order of their lines");
	if (segment->line != report->last.line) {
		if (!end_line(report, segment->line))
			return false;
		report->skipped = !segment->counted && segment->entry;
	}
	if (segment->counted && segment->entry) {
		report->entered = true;
		if (!segment->gap) {
			report->begun = true;
			if (segment->count > report->most)
				report->most = segment->count;
		}
	}
	report->last = *segment;
	return true;
}

/* ---- Branches and conditions -------------------------------------------- */

bool
llvm_add_item(struct llvm_report *report, const struct llvm_item *item)
{
	return cg_append(report->job, &report->item, *item);
}

static int
compare_items(const void *pa, const void *pb)
{
	const struct llvm_item *a = pa, *b = pb;

	if (a->line != b->line)
		return LLVM_ORDER(a->line, b->line);
	if ((a->term > 0) != (b->term > 0))
		return a->term > 0 ? 1 : -1;
	if (a->column != b->column)
		return LLVM_ORDER(a->column, b->column);
	if (a->id != b->id)
		return LLVM_ORDER(a->id, b->id);
	if (a->inner_line != b->inner_line)
		return LLVM_ORDER(a->inner_line, b->inner_line);
	if (a->inner_column != b->inner_column)
		return LLVM_ORDER(a->inner_column, b->inner_column);
	return LLVM_ORDER(a->term, b->term);
}

uint64_t
llvm_place_key(cg_name file, uint32_t line, uint32_t column)
{
	uint64_t key =
	    ((uint64_t)line << 32 | column) * UINT64_C(0x9e3779b97f4a7c15);

	key = (key ^ key >> 29 ^ file) * UINT64_C(0xbf58476d1ce4e5b9);
	return key ^ key >> 32;
}

/*
 * Sorts report->item, the branches and conditions of the current file.
 * Instances of a template add items that differ only in their counts. Merges
 * these items into one with the sums of the counts. False: a sum exceeds 63
 * bits (reported).
 */
static bool
merge_items(struct llvm_report *report)
{
	size_t n = 0;

	if (report->item.n == 0)
		return true;
	llvm_sort(report->item.at, report->item.n, sizeof(struct llvm_item),
	    compare_items);
	for (size_t i = 1; i < report->item.n; i++) {
		struct llvm_item *to = &report->item.at[n];
		const struct llvm_item *item = &report->item.at[i];

		if (compare_items(to, item) != 0) {
			report->item.at[++n] = *item;
			continue;
		}
		for (int j = 0; j < 2; j++) {
			to->count[j] += item->count[j];
			if (to->count[j] > INT64_MAX)
				return cg_reject(report->job,
				    "expected branches whose sum fits in 63 "
				    "bits");
		}
	}
	report->item.n = n + 1;
	return true;
}

/*
 * Merges the branches and conditions of "file", whose items are complete.
 * Encodes them into report->items, and empties report->item.
 *
 * An item that never ran is followed by a key. If the item is a branch outside
 * of macros, its key is a hash of its place. By the key, add_items()
 * recognizes branches that the compiler folded, and drops them. Conditions and
 * branches in macros are never dropped, so their key is 0. False: an error
 * (reported).
 */
static bool
keep_items(struct llvm_report *report, cg_name file)
{
	struct cg_numbers *to = &report->items;
	uint32_t line = 0;

	if (!merge_items(report))
		return false;
	for (size_t i = 0; i < report->item.n; i++) {
		const struct llvm_item *item = &report->item.at[i];
		bool never = (item->count[0] | item->count[1]) == 0;
		uint64_t key = 0;

		if (never && item->id == 0 && item->term == 0)
			key = llvm_place_key(file, item->line, item->column);
		if (!cg_numbers_in(report->job, to, item->line - line) ||
		    !cg_numbers_in(report->job, to, item->column) ||
		    !cg_numbers_in(report->job, to, item->term) ||
		    !cg_numbers_in(report->job, to, item->count[0]) ||
		    !cg_numbers_in(report->job, to, item->count[1]) ||
		    (never && !cg_numbers_in(report->job, to, key)))
			return false;
		line = item->line;
	}
	report->item.n = 0;
	return true;
}

bool
llvm_end_file(struct llvm_report *report, cg_name name)
{
	struct llvm_file *file = cg_push(report->job, &report->file);

	if (!file || !end_line(report, 0) || !keep_items(report, name))
		return false;
	*file = (struct llvm_file){ .name = name,
		.lines = report->line_begin,
		.line_end = report->lines.bytes,
		.items = report->item_begin,
		.item_end = report->items.bytes };
	return true;
}

/* ---- Functions ---------------------------------------------------------- */

/*
 * Returns the linker name without its source file. LLVM puts the file before
 * names with internal linkage: "a.c:f", "<unknown>:f", from LLVM 18 on
 * "a.c;f". So the separator must follow a '.' or '>'. Separators after a '['
 * belong to names of Objective-C, "-[Class do:]".
 */
static cg_name
plain_symbol(struct cg_build *build, cg_name name)
{
	struct cg_slice text = cg_get_name(build, name);
	bool file = false;

	for (size_t i = 0; i + 1 < text.len && text.ptr[i] != '['; i++) {
		if (file && (text.ptr[i] == ':' || text.ptr[i] == ';'))
			return cg_add_name(
			    build, (struct cg_slice){
				       text.ptr + i + 1, text.len - i - 1 });
		file |= text.ptr[i] == '.' || text.ptr[i] == '>';
	}
	return name;
}

bool
llvm_add_fn(struct llvm_report *report, const struct llvm_fn *given,
    cg_name name, cg_name file)
{
	struct cg_build *build = report->build;
	struct llvm_fn *fn = cg_push(report->job, &report->fn);

	if (!fn)
		return false;
	*fn = *given;
	fn->symbol = plain_symbol(build, name);
	fn->file = cg_add_file(build, cg_get_name(build, file));
	fn->name = cg_add_demangled(build, fn->symbol);
	if (fn->name == fn->symbol)
		fn->symbol = 0;
	if (fn->last < fn->first)
		fn->last = 0;
	fn->regions = fn->region_end = report->regions.bytes;
	return true;
}

bool
llvm_add_region(
    struct llvm_report *report, cg_name file, const struct llvm_region *region)
{
	struct cg_numbers *to = &report->regions;
	bool code = region->kind == LLVM_CODE || region->kind == LLVM_GAP ||
		    region->kind == LLVM_SKIPPED;

	if (!code || report->fn.n == 0 || region->last < region->line ||
	    !cg_wants_rows(report->build, CG_REGIONS))
		return true;
	if (!cg_numbers_in(report->job, to, file) ||
	    !cg_numbers_in(report->job, to, region->line) ||
	    !cg_numbers_in(report->job, to, region->column) ||
	    !cg_numbers_in(report->job, to, region->last - region->line) ||
	    !cg_numbers_in(report->job, to, region->last_column) ||
	    !cg_numbers_in(report->job, to, region->count) ||
	    !cg_numbers_in(report->job, to, region->kind))
		return false;
	report->fn.at[report->fn.n - 1].region_end = to->bytes;
	return true;
}

/*
 * Compares functions for sorting by file and first line. If two have the same
 * first line, the longer one comes first, as it contains the other. Instances
 * of a template have the same lines. Of them, the one with the highest count
 * comes first, and becomes the owner of the lines. Then compares by name and
 * linker name.
 */
static int
compare_fns(const void *pa, const void *pb)
{
	const struct llvm_fn *a = pa, *b = pb;

	if (a->file != b->file)
		return LLVM_ORDER(a->file, b->file);
	if (a->first != b->first)
		return LLVM_ORDER(a->first, b->first);
	if (a->last != b->last)
		return LLVM_ORDER(b->last, a->last);
	if (a->count != b->count)
		return LLVM_ORDER(b->count, a->count);
	if (a->name != b->name)
		return LLVM_ORDER(a->name, b->name);
	return LLVM_ORDER(a->symbol, b->symbol);
}

/*
 * Finds the functions of a file in report->fn, which must be sorted by file.
 * Returns a pointer to the first of these functions, and sets *n to their
 * number. The others follow it. NULL, with *n 0: the file has no functions.
 * The pointer is valid as long as the list.
 */
static struct llvm_fn *
find_fns(const struct llvm_report *report, cg_file file, size_t *n)
{
	size_t low = 0, high = report->fn.n, middle;

	*n = 0;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (report->fn.at[middle].file < file)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + *n < report->fn.n && report->fn.at[low + *n].file == file)
		++*n;
	return *n > 0 ? &report->fn.at[low] : NULL;
}

/*
 * Adds the regions of a function to the graph's function fn->fn. Skips regions
 * in files that the report does not list. False: an error (reported).
 */
static bool
add_regions(struct llvm_report *report, const struct llvm_fn *fn)
{
	static const unsigned flags[] = { [LLVM_GAP] = CG_REGION_FILLER,
		[LLVM_SKIPPED] = CG_REGION_NO_CODE };
	size_t at = fn->regions;
	uint64_t file, line, column, lines, last_column, count, kind;
	struct cg_region region;

	while (at < fn->region_end &&
	       cg_numbers_get(&report->regions, &at, &file) &&
	       cg_numbers_get(&report->regions, &at, &line) &&
	       cg_numbers_get(&report->regions, &at, &column) &&
	       cg_numbers_get(&report->regions, &at, &lines) &&
	       cg_numbers_get(&report->regions, &at, &last_column) &&
	       cg_numbers_get(&report->regions, &at, &count) &&
	       cg_numbers_get(&report->regions, &at, &kind)) {
		region.file = cg_map_get(&report->listed, file);
		if (region.file == 0)
			continue;
		region.line = (uint32_t)line;
		region.column = (uint32_t)column;
		region.last = (uint32_t)(line + lines);
		/* Whole lines end in a column that no line has. */
		region.last_column =
		    last_column < LLVM_LINE_END ? (uint32_t)last_column : 0;
		region.flags = flags[kind];
		region.label = 0;
		region.count = kind == LLVM_SKIPPED ? 0 : (int64_t)count;
		if (!cg_add_region(report->build, fn->fn, &region))
			return false;
	}
	return true;
}

/*
 * Adds the n functions of a file to the graph, with their lines, entry counts
 * and regions. Sets the member "fn" of each to the graph's function. Prepares
 * report->owners, which finds the function of a line. A line outside of all
 * functions belongs to a function without a name, which is added as well.
 * False: an error (reported).
 */
static bool
open_file(
    struct llvm_report *report, cg_file file, struct llvm_fn *fn, size_t n)
{
	const struct cg_pos nowhere = { 0 };
	struct cg_build *build = report->build;

	if (!cg_resize(report->job, &report->owner_lines, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct cg_range range = { .first = fn[i].first,
			.last = fn[i].last };
		const struct cg_pos entry = { .line = fn[i].first };

		fn[i].fn =
		    cg_add_fn_symbol(build, fn[i].name, file, 0, fn[i].symbol);
		cg_set_fn_range(build, fn[i].fn, &range);
		(void)cg_add_call(
		    build, 0, &nowhere, fn[i].fn, &entry, fn[i].count, NULL, 0);
		if (!add_regions(report, &fn[i]))
			return false;
		report->owner_lines.at[i] =
		    (struct cg_fn_lines){ fn[i].fn, fn[i].first, fn[i].last };
	}
	return cg_owners_find(report->job, &report->owners,
	    report->owner_lines.at, n, cg_add_fn(build, cg_slice(""), file, 0));
}

/* ---- The graph ---------------------------------------------------------- */

static bool
add_lines(struct llvm_report *report, const struct llvm_file *file,
    struct cg_pos *pos)
{
	size_t at = file->lines;
	uint64_t distance, n, count;

	pos->line = 0;
	while (at < file->line_end &&
	       cg_numbers_get(&report->lines, &at, &distance) &&
	       cg_numbers_get(&report->lines, &at, &n) &&
	       cg_numbers_get(&report->lines, &at, &count)) {
		pos->line += (uint32_t)distance;
		for (uint64_t i = 0; i < n; i++, pos->line++) {
			if (!cg_add_cost(report->build,
				cg_owner_of(&report->owners, pos->line), pos,
				&count, 1))
				return false;
		}
		pos->line--;
	}
	return true;
}

static bool
add_outcomes(struct llvm_report *report, struct cg_branch *row,
    const uint64_t *count, uint32_t first)
{
	cg_fn fn = cg_owner_of(&report->owners, row->pos.line);
	bool arc = row->kind == CG_BRANCH_ARC;

	row->flags = count[0] != 0 || count[1] != 0 ? CG_BRANCH_REACHED : 0;
	for (uint32_t i = 0; i < 2; i++) {
		/* Of a branch, true comes first; of a condition, false. */
		row->index = first + i;
		row->count = (int64_t)count[arc ? 1 - i : i];
		if (!cg_add_branch(report->build, fn, row))
			return false;
	}
	return true;
}

/*
 * Adds the branches and conditions of a file to the graph, at *pos with the
 * line of each. Numbers the branches of each line from 0, and the decisions of
 * each line from 0. All conditions of one decision have its number as block.
 *
 * If the input's functions list branches, drops those that the compiler
 * folded, as for while (1). A folded branch never ran, and no function lists
 * it (report->known). False: the builder has failed.
 */
static bool
add_items(struct llvm_report *report, const struct llvm_file *file,
    const struct cg_pos *pos)
{
	struct cg_branch row = { .pos = *pos };
	size_t at = file->items;
	uint64_t distance, column, term, count[2], key;
	uint32_t branches = 0, decisions = 0;

	row.pos.line = 0;
	while (at < file->item_end &&
	       cg_numbers_get(&report->items, &at, &distance) &&
	       cg_numbers_get(&report->items, &at, &column) &&
	       cg_numbers_get(&report->items, &at, &term) &&
	       cg_numbers_get(&report->items, &at, &count[0]) &&
	       cg_numbers_get(&report->items, &at, &count[1])) {
		if (distance > 0)
			branches = decisions = 0;
		row.pos.line += (uint32_t)distance;
		key = 0;
		if ((count[0] | count[1]) == 0)
			(void)cg_numbers_get(&report->items, &at, &key);
		if (key != 0 && report->knows_folded &&
		    cg_map_get(&report->known, key) == 0)
			continue;
		row.kind = term > 0 ? CG_BRANCH_CONDITION : CG_BRANCH_ARC;
		decisions += term == 1;
		row.block = term > 0 ? decisions - 1 : branches;
		if (!add_outcomes(report, &row, count,
			term > 0 ? (uint32_t)(2 * (term - 1)) : 2 * branches))
			return false;
		branches += term == 0;
	}
	return true;
}

static int
compare_files(const void *pa, const void *pb)
{
	const struct llvm_file *a = pa, *b = pb;

	return a->id != b->id ? LLVM_ORDER(a->id, b->id)
			      : LLVM_ORDER(a->lines, b->lines);
}

static bool
sort_all(struct llvm_report *report)
{
	uint32_t *listed;

	llvm_sort(
	    report->fn.at, report->fn.n, sizeof(struct llvm_fn), compare_fns);
	cg_map_clear(&report->listed);
	for (size_t i = 0; i < report->file.n; i++) {
		struct llvm_file *file = &report->file.at[i];

		file->id = cg_add_file(
		    report->build, cg_get_name(report->build, file->name));
		if (report->regions.bytes == 0)
			continue;
		listed = cg_map_in(report->job, &report->listed, file->name);
		if (!listed)
			return false;
		*listed = file->id;
	}
	/* Files whose paths --map made equal follow each other. */
	if (report->file.n > 1)
		qsort(report->file.at, report->file.n, sizeof(struct llvm_file),
		    compare_files);
	return true;
}

bool
llvm_add_files(struct llvm_report *report)
{
	size_t n, owned = 0;

	if (!sort_all(report))
		return false;
	for (size_t i = 0; i < report->file.n; i++) {
		const struct llvm_file *file = &report->file.at[i];
		struct cg_pos pos = { .file = file->id };

		if (i == 0 || file[-1].id != file->id) {
			struct llvm_fn *fn = find_fns(report, file->id, &n);

			owned += n;
			if (!open_file(report, file->id, fn, n))
				return false;
		}
		if (!add_lines(report, file, &pos) ||
		    !add_items(report, file, &pos))
			return false;
	}
	report->unlisted += report->fn.n - owned;
	report->file.n = report->fn.n = 0;
	report->lines.bytes = report->items.bytes = report->regions.bytes = 0;
	return true;
}

void
llvm_end_report(struct llvm_report *report, bool ok)
{
	if (ok && report->unlisted > 0)
		cg_warn(report->job,
		    "dropped %zu function%s of files that are not listed",
		    report->unlisted, report->unlisted == 1 ? "" : "s");
}
