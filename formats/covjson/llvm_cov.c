/*
 * llvm_cov.c - JSON of llvm-cov export, versions 2 and 3 (LLVM 11 to 22).
 *
 * Source: tools/llvm-cov/CoverageExporterJson.cpp and CoverageExporterLcov.cpp,
 * LineCoverageStats and getCoverageForFile() in
 * lib/ProfileData/Coverage/CoverageMapping.cpp of LLVM; output of llvm-cov 14,
 * 19 and 22.
 *
 * A file has segments: from its line and column on, code ran count times. A
 * line has the count of the segment that reaches into it, or if regions begin
 * on it (gaps do not count) the highest of them.
 *
 * A branch has counts for true and false. Those in a macro are on the line that
 * uses the macro, as in llvm-cov export -format=lcov; from LLVM 21 on they are
 * also on the line of the macro, if that is in the same file. Branches at one
 * place (instances of templates) are summed, as from LLVM 21 on. That llvm-cov
 * also sums different branches of one macro; here they stay apart. A branch of
 * which no outcome can occur (while (1)) is listed for files with counts 0 and
 * not for functions; it is dropped.
 *
 * A condition (MC/DC) states whether a pair of tests shows that it decides
 * alone: both outcomes of it then count 1. Lost are columns, and how often a
 * part of a line ran.
 */
#include <stdlib.h>

#include "covjson.h"

#define TYPE "llvm.coverage.json.export"

/* Counts are at most 2^63-1; llvm-cov writes larger ones so. */
struct segment {
	uint32_t line;
	uint64_t count;
	bool counted, entry, gap;
};

/* A branch, or a condition of a decision: term is its number, from 1. */
struct item {
	uint32_t line, column; /* in the file: of the use of a macro */
	uint32_t id;           /* of a branch in a macro: file id + 1 */
	uint32_t inner_line, inner_column; /* ... and its place there */
	uint32_t term;
	uint64_t count[2]; /* false, true */
};

struct file {
	cg_name name;
	cg_file id;             /* of the graph, once all were read */
	size_t lines, line_end; /* positions in llvm.lines */
	size_t items, item_end; /* positions in llvm.items */
};

struct llvm {
	struct cg_job *job;
	struct cg_in *in;
	struct file *file;
	size_t files, file_cap;
	struct covjson_fn *fn;
	size_t fns, fn_cap;
	size_t unlisted; /* functions of files that are not listed */
	/* Runs of lines with one count: distance to the last line, how many. */
	struct cg_numbers lines;
	/* By line: distance, term, counts; if both are 0: key of its place. */
	struct cg_numbers items;
	uint64_t total; /* lines of all files */
	bool detailed;  /* some file has segments */

	/* Of the current file: */
	struct segment last;    /* the last segment; line 0: none yet */
	struct segment wrapped; /* the one before the first of its line */
	bool skipped;           /* the line begins with a skipped region */
	bool entered;           /* a counted region or gap begins on it */
	bool begun;             /* ... a region does */
	uint64_t most;          /* the highest count of these */
	uint32_t written;       /* the last line in lines */
	struct item *item;
	size_t count, item_cap;

	/* Of the current function: */
	struct item *missed; /* branches of which no outcome ran */
	size_t missed_count, missed_cap;
	cg_name *name; /* of its files */
	size_t names, name_cap;
	struct cg_map known; /* keys of these branches, of all functions */
	struct covjson_owners owners;
};

/* ---- Rows --------------------------------------------------------------- */

/*
 * Reads an array of numbers, and of true and false as 1 and 0, into value, which
 * has room for max; returns how many there are. Other items are skipped.
 */
static size_t
take_row(struct cg_doc *doc, uint64_t *value, size_t max)
{
	size_t n = 0;
	int64_t number;

	if (!cg_doc_array(doc))
		return 0;
	while (cg_doc_item(doc)) {
		enum cg_json_type type = cg_doc_next(doc);

		number = type == CG_JSON_TRUE;
		if (type == CG_JSON_NUMBER && !cg_doc_number(doc, 0, &number))
			return 0;
		if (type != CG_JSON_NUMBER && !cg_doc_skip(doc))
			return 0;
		if (number < 0) {
			(void)cg_doc_fail(doc, "a non-negative number");
			return 0;
		}
		if (n < max)
			value[n] = (uint64_t)number;
		n++;
	}
	return n;
}

/* The number of a line, column or file. */
static uint32_t
small(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX - 1;
}

/* ---- Lines -------------------------------------------------------------- */

/*
 * One segment may stand for any number of lines, but no more than the size of
 * the input allows.
 */
static bool
add_run(struct cg_doc *doc, struct llvm *llvm, uint32_t line, uint32_t n,
    uint64_t count)
{
	struct cg_numbers *lines = &llvm->lines;

	llvm->total += n;
	if (cg_is_bomb(
		llvm->total * 16, cg_in_offset(llvm->in), CG_EXPANSION_HELD))
		return cg_doc_fail(
		    doc, "fewer lines for the size of the input");
	if (!cg_numbers_add(lines, line - llvm->written) ||
	    !cg_numbers_add(lines, n) || !cg_numbers_add(lines, count))
		return cg_reject_nomem(doc->job);
	llvm->written = line + n - 1;
	return true;
}

/* The line of the last segment is complete; the next one is on line next. */
static bool
end_line(struct cg_doc *doc, struct llvm *llvm, uint32_t next)
{
	const struct segment *last = &llvm->last;
	bool wrapped = llvm->wrapped.counted;
	uint64_t count = llvm->wrapped.count;

	if (llvm->begun && llvm->most > count)
		count = llvm->most;
	if (last->line > 0 &&
	    (llvm->entered || (!llvm->skipped && (wrapped || llvm->begun))) &&
	    !add_run(doc, llvm, last->line, 1, count))
		return false;
	if (last->line > 0 && next > last->line + 1 && last->counted &&
	    !add_run(
		doc, llvm, last->line + 1, next - last->line - 1, last->count))
		return false;
	llvm->wrapped = *last;
	llvm->skipped = llvm->entered = llvm->begun = false;
	llvm->most = 0;
	return true;
}

static bool
add_segment(
    struct cg_doc *doc, struct llvm *llvm, const struct segment *segment)
{
	if (segment->line == 0 || segment->line < llvm->last.line)
		return cg_doc_fail(doc, "segments in the order of their lines");
	if (segment->line != llvm->last.line) {
		if (!end_line(doc, llvm, segment->line))
			return false;
		llvm->skipped = !segment->counted && segment->entry;
	}
	if (segment->counted && segment->entry) {
		llvm->entered = true;
		if (!segment->gap) {
			llvm->begun = true;
			if (segment->count > llvm->most)
				llvm->most = segment->count;
		}
	}
	llvm->last = *segment;
	return true;
}

/* [line, column, count, has count, is entry, is gap], without the last before
 * LLVM 11 */
static bool
take_segments(struct cg_doc *doc, void *into)
{
	struct llvm *llvm = doc->arg;

	(void)into;
	llvm->detailed = true;
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		uint64_t row[6] = { 0 };

		if (take_row(doc, row, 6) < 5)
			return cg_doc_fail(doc, "six values of a segment");
		if (!add_segment(doc, llvm,
			&(struct segment){ .line = small(row[0]),
			    .count = row[2],
			    .counted = row[3] != 0,
			    .entry = row[4] != 0,
			    .gap = row[5] != 0 }))
			return false;
	}
	return doc->status == CG_OK;
}

/* ---- Branches and conditions -------------------------------------------- */

static bool
add_item(struct cg_doc *doc, struct llvm *llvm, const struct item *item)
{
	if (!cg_doc_grow(
		doc, &llvm->item, llvm->count, &llvm->item_cap, sizeof(*item)))
		return false;
	llvm->item[llvm->count++] = *item;
	return true;
}

/* [line, column, last line, last column, true, false, file id, ...] */
static bool
take_branch(struct cg_doc *doc, struct item *item)
{
	uint64_t row[7] = { 0 };

	if (take_row(doc, row, 7) < 7)
		return cg_doc_fail(doc, "seven or more numbers of a branch");
	*item = (struct item){ .line = small(row[0]),
		.column = small(row[1]),
		.id = small(row[6]),
		.count = { row[5], row[4] } };
	return true;
}

static bool
take_plain(struct cg_doc *doc, void *into)
{
	struct item item = { 0 };

	(void)into;
	if (!take_branch(doc, &item))
		return false;
	item.id = 0;
	return add_item(doc, doc->arg, &item);
}

/* A branch in a macro; where it is used is known later. */
static bool
take_expanded(struct cg_doc *doc, void *into)
{
	struct item item = { 0 };

	(void)into;
	if (!take_branch(doc, &item))
		return false;
	item.id++;
	item.inner_line = item.line;
	item.inner_column = item.column;
	return add_item(doc, doc->arg, &item);
}

static bool
take_source_region(struct cg_doc *doc, void *into)
{
	uint64_t *row = into;

	return take_row(doc, row, 2) >= 2 ||
	       cg_doc_fail(doc, "numbers of a region");
}

static bool
take_expansion(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "branches", CG_FIELD_EACH, 0, take_expanded, 0 },
		{ "source_region", CG_FIELD_CALL, 0, take_source_region, 0 },
		{ 0 },
	};
	struct llvm *llvm = doc->arg;
	size_t from = llvm->count;
	uint64_t row[2] = { 0 };

	(void)into;
	if (!cg_doc_fields(doc, fields, row))
		return false;
	if (from < llvm->count && row[0] == 0)
		return cg_doc_fail(doc, "\"source_region\"");
	for (size_t i = from; i < llvm->count; i++) {
		llvm->item[i].line = small(row[0]);
		llvm->item[i].column = small(row[1]);
	}
	return true;
}

/* The conditions of a decision: true if both outcomes are covered. */
static bool
take_conditions(struct cg_doc *doc, struct item *item)
{
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		bool covered = cg_doc_next(doc) == CG_JSON_TRUE;

		if (!cg_doc_skip(doc))
			return false;
		item->term++;
		item->count[0] = item->count[1] = covered;
		if (item->term > UINT32_MAX / 4)
			return cg_doc_fail(doc, "fewer conditions");
		if (!add_item(doc, doc->arg, item))
			return false;
	}
	return doc->status == CG_OK;
}

/* [line, column, ..., [conditions], ...]: the rest depends on the version. */
static bool
take_decision(struct cg_doc *doc, void *into)
{
	uint32_t place[2] = { 0 };
	struct item item = { 0 };
	int64_t number;
	size_t n = 0;
	bool any = false;

	(void)into;
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		if (n < 2) {
			if (!cg_doc_number(doc, 0, &number))
				return false;
			place[n++] = number > 0 ? small((uint64_t)number) : 0;
		} else if (!any && cg_doc_next(doc) == CG_JSON_ARRAY) {
			any = true;
			item = (struct item){ .line = place[0],
				.column = place[1] };
			if (!take_conditions(doc, &item))
				return false;
		} else if (!cg_doc_skip(doc)) {
			return false;
		}
	}
	return any || cg_doc_fail(doc, "an array of conditions");
}

/* ---- Files -------------------------------------------------------------- */

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

static int
compare_items(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	if (a->line != b->line)
		return ORDER(a->line, b->line);
	if ((a->term > 0) != (b->term > 0))
		return a->term > 0 ? 1 : -1;
	if (a->column != b->column)
		return ORDER(a->column, b->column);
	if (a->id != b->id)
		return ORDER(a->id, b->id);
	if (a->inner_line != b->inner_line)
		return ORDER(a->inner_line, b->inner_line);
	if (a->inner_column != b->inner_column)
		return ORDER(a->inner_column, b->inner_column);
	return ORDER(a->term, b->term);
}

/* A number for a place in a file. */
static uint64_t
place_key(cg_name file, uint32_t line, uint32_t column)
{
	uint64_t key =
	    ((uint64_t)line << 32 | column) * UINT64_C(0x9e3779b97f4a7c15);

	key = (key ^ key >> 29 ^ file) * UINT64_C(0xbf58476d1ce4e5b9);
	return key ^ key >> 32;
}

/* Sums the items of one place. */
static bool
merge_items(struct cg_doc *doc, struct llvm *llvm)
{
	size_t n = 0;

	if (llvm->count == 0)
		return true;
	qsort(llvm->item, llvm->count, sizeof(*llvm->item), compare_items);
	for (size_t i = 1; i < llvm->count; i++) {
		struct item *to = &llvm->item[n], *item = &llvm->item[i];

		if (compare_items(to, item) != 0) {
			llvm->item[++n] = *item;
			continue;
		}
		for (int j = 0; j < 2; j++) {
			to->count[j] += item->count[j];
			if (to->count[j] > INT64_MAX)
				return cg_doc_fail(
				    doc, "branches whose sum fits in 63 bits");
		}
	}
	llvm->count = n + 1;
	return true;
}

/* Moves the items of a complete file to llvm.items. */
static bool
keep_items(struct cg_doc *doc, struct llvm *llvm, cg_name file)
{
	struct cg_numbers *to = &llvm->items;
	uint32_t line = 0;

	if (!merge_items(doc, llvm))
		return false;
	for (size_t i = 0; i < llvm->count; i++) {
		const struct item *item = &llvm->item[i];
		bool never = (item->count[0] | item->count[1]) == 0;
		uint64_t key = 0;

		if (never && item->id == 0 && item->term == 0)
			key = place_key(file, item->line, item->column);
		if (!cg_numbers_add(to, item->line - line) ||
		    !cg_numbers_add(to, item->column) ||
		    !cg_numbers_add(to, item->term) ||
		    !cg_numbers_add(to, item->count[0]) ||
		    !cg_numbers_add(to, item->count[1]) ||
		    (never && !cg_numbers_add(to, key)))
			return cg_reject_nomem(doc->job);
		line = item->line;
	}
	llvm->count = 0;
	return true;
}

static bool
take_file(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "segments", CG_FIELD_CALL, 0, take_segments, 0 },
		{ "branches", CG_FIELD_EACH, 0, take_plain, 0 },
		{ "expansions", CG_FIELD_EACH, 0, take_expansion, 0 },
		{ "mcdc_records", CG_FIELD_EACH, 0, take_decision, 0 },
		{ "filename", CG_FIELD_NAME, offsetof(struct file, name), NULL,
		    0 },
		{ 0 },
	};
	struct llvm *llvm = doc->arg;
	struct file file = { .lines = llvm->lines.bytes,
		.items = llvm->items.bytes };

	(void)into;
	llvm->last = llvm->wrapped = (struct segment){ 0 };
	llvm->written = 0;
	if (!cg_doc_fields(doc, fields, &file))
		return false;
	if (file.name == 0)
		return cg_doc_fail(doc, "a file with \"filename\"");
	if (!end_line(doc, llvm, 0) || !keep_items(doc, llvm, file.name) ||
	    !cg_doc_grow(
		doc, &llvm->file, llvm->files, &llvm->file_cap, sizeof(file)))
		return false;
	file.line_end = llvm->lines.bytes;
	file.item_end = llvm->items.bytes;
	llvm->file[llvm->files++] = file;
	return true;
}

/* ---- Functions ---------------------------------------------------------- */

struct function {
	cg_name name;
	uint64_t count;
	uint64_t region[3]; /* first line, column, last line of the body */
};

/* The first region is the body; the others are not of use. */
static bool
take_regions(struct cg_doc *doc, void *into)
{
	uint64_t *region = into;
	bool first = true;

	if (!cg_doc_array(doc))
		return false;
	for (; cg_doc_item(doc); first = false) {
		if (!first && !cg_doc_skip(doc))
			return false;
		if (first && take_row(doc, region, 3) < 3)
			return cg_doc_fail(doc, "numbers of a region");
	}
	return doc->status == CG_OK;
}

static bool
take_missed(struct cg_doc *doc, void *into)
{
	struct llvm *llvm = doc->arg;
	struct item item = { 0 };

	(void)into;
	if (!take_branch(doc, &item))
		return false;
	if ((item.count[0] | item.count[1]) != 0)
		return true;
	if (!cg_doc_grow(doc, &llvm->missed, llvm->missed_count,
		&llvm->missed_cap, sizeof(item)))
		return false;
	llvm->missed[llvm->missed_count++] = item;
	return true;
}

static bool
take_name(struct cg_doc *doc, void *into)
{
	struct llvm *llvm = doc->arg;
	struct cg_slice text;

	(void)into;
	if (!cg_doc_text(doc, &text) ||
	    !cg_doc_grow(doc, &llvm->name, llvm->names, &llvm->name_cap,
		sizeof(*llvm->name)))
		return false;
	llvm->name[llvm->names++] = cg_add_name(doc->build, text);
	return true;
}

/*
 * A function with internal linkage has its unit before its name: "a.c:f", from
 * LLVM 18 on "a.c;f". Names of Objective-C have colons of their own.
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

/* Notes the branches that are not folded, of those that never ran. */
static bool
keep_missed(struct cg_doc *doc, struct llvm *llvm)
{
	for (size_t i = 0; i < llvm->missed_count; i++) {
		const struct item *item = &llvm->missed[i];
		uint32_t *at;

		if (item->id >= llvm->names)
			continue;
		at = cg_map_at(&llvm->known,
		    place_key(llvm->name[item->id], item->line, item->column));
		if (!at)
			return cg_reject_nomem(doc->job);
		*at = 1;
	}
	return true;
}

static bool
take_function(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "name", CG_FIELD_NAME, offsetof(struct function, name), NULL,
		    0 },
		{ "count", CG_FIELD_COUNT, offsetof(struct function, count),
		    NULL, 0 },
		{ "regions", CG_FIELD_CALL, offsetof(struct function, region),
		    take_regions, 0 },
		{ "branches", CG_FIELD_EACH, 0, take_missed, 0 },
		{ "filenames", CG_FIELD_EACH, 0, take_name, 0 },
		{ 0 },
	};
	struct llvm *llvm = doc->arg;
	struct function function = { 0 };
	struct covjson_fn fn;

	(void)into;
	llvm->missed_count = llvm->names = 0;
	if (!cg_doc_fields(doc, fields, &function))
		return false;
	if (function.name == 0 || llvm->names == 0)
		return cg_doc_fail(
		    doc, "a function with \"name\" and \"filenames\"");
	if (!keep_missed(doc, llvm) ||
	    !cg_doc_grow(doc, &llvm->fn, llvm->fns, &llvm->fn_cap, sizeof(fn)))
		return false;
	fn = (struct covjson_fn){
		.symbol = plain_symbol(doc->build, function.name),
		.file = cg_add_file(
		    doc->build, cg_get_name(doc->build, llvm->name[0])),
		.first = small(function.region[0]),
		.last = small(function.region[2]),
		.count = function.count,
		.counted = true,
	};
	if (fn.last < fn.first)
		fn.last = 0;
	fn.name = cg_add_demangled(doc->build, fn.symbol);
	if (fn.name == fn.symbol)
		fn.symbol = 0;
	llvm->fn[llvm->fns++] = fn;
	return true;
}

/* ---- The graph ---------------------------------------------------------- */

static bool
add_lines(struct cg_doc *doc, struct llvm *llvm, const struct file *file,
    struct cg_pos *pos)
{
	size_t at = file->lines;
	uint64_t distance, n, count;

	pos->line = 0;
	while (at < file->line_end &&
	       cg_numbers_get(&llvm->lines, &at, &distance) &&
	       cg_numbers_get(&llvm->lines, &at, &n) &&
	       cg_numbers_get(&llvm->lines, &at, &count)) {
		pos->line += (uint32_t)distance;
		for (uint64_t i = 0; i < n; i++, pos->line++) {
			if (!cg_add_cost(doc->build,
				cg_owner_of(&llvm->owners.of, pos->line), pos,
				&count, 1))
				return false;
		}
		pos->line--;
	}
	return true;
}

static bool
add_outcomes(struct cg_doc *doc, struct llvm *llvm, struct cg_branch *row,
    const uint64_t *count, uint32_t first)
{
	cg_fn fn = cg_owner_of(&llvm->owners.of, row->pos.line);
	bool arc = row->kind == CG_BRANCH_ARC;

	row->flags = count[0] != 0 || count[1] != 0 ? CG_BRANCH_REACHED : 0;
	for (uint32_t i = 0; i < 2; i++) {
		/* Of a branch, true is first; of a condition, false. */
		row->index = first + i;
		row->count = (int64_t)count[arc ? 1 - i : i];
		if (!cg_add_branch(doc->build, fn, row))
			return false;
	}
	return true;
}

/* Numbers the branches of a line, and its decisions, and adds them. */
static bool
add_items(struct cg_doc *doc, struct llvm *llvm, const struct file *file,
    const struct cg_pos *pos)
{
	struct cg_branch row = { .pos = *pos };
	size_t at = file->items;
	uint64_t distance, column, term, count[2], key;
	uint32_t branches = 0, decisions = 0;

	row.pos.line = 0;
	while (at < file->item_end &&
	       cg_numbers_get(&llvm->items, &at, &distance) &&
	       cg_numbers_get(&llvm->items, &at, &column) &&
	       cg_numbers_get(&llvm->items, &at, &term) &&
	       cg_numbers_get(&llvm->items, &at, &count[0]) &&
	       cg_numbers_get(&llvm->items, &at, &count[1])) {
		if (distance > 0)
			branches = decisions = 0;
		row.pos.line += (uint32_t)distance;
		key = 0;
		if ((count[0] | count[1]) == 0)
			(void)cg_numbers_get(&llvm->items, &at, &key);
		if (key != 0 && llvm->fns > 0 &&
		    cg_map_get(&llvm->known, key) == 0)
			continue;
		row.kind = term > 0 ? CG_BRANCH_CONDITION : CG_BRANCH_ARC;
		decisions += term == 1;
		row.block = term > 0 ? decisions - 1 : branches;
		if (!add_outcomes(doc, llvm, &row, count,
			term > 0 ? (uint32_t)(2 * (term - 1)) : 2 * branches))
			return false;
		branches += term == 0;
	}
	return true;
}

static int
compare_fns(const void *pa, const void *pb)
{
	const struct covjson_fn *a = pa, *b = pb;

	return ORDER(a->file, b->file);
}

static int
compare_files(const void *pa, const void *pb)
{
	const struct file *a = pa, *b = pb;

	return a->id != b->id ? ORDER(a->id, b->id) : ORDER(a->lines, b->lines);
}

/* The functions of a file, which are sorted by file. */
static struct covjson_fn *
find_fns(const struct llvm *llvm, cg_file file, size_t *n)
{
	size_t low = 0, high = llvm->fns, middle;

	*n = 0;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (llvm->fn[middle].file < file)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + *n < llvm->fns && llvm->fn[low + *n].file == file)
		++*n;
	return *n > 0 ? llvm->fn + low : NULL;
}

static bool
add_files(struct cg_doc *doc, struct llvm *llvm)
{
	size_t n, owned = 0;

	if (llvm->fns > 1)
		qsort(llvm->fn, llvm->fns, sizeof(*llvm->fn), compare_fns);
	for (size_t i = 0; i < llvm->files; i++)
		llvm->file[i].id = cg_add_file(
		    doc->build, cg_get_name(doc->build, llvm->file[i].name));
	/* Paths that --map made the same follow each other. */
	if (llvm->files > 1)
		qsort(llvm->file, llvm->files, sizeof(*llvm->file),
		    compare_files);
	for (size_t i = 0; i < llvm->files; i++) {
		const struct file *file = &llvm->file[i];
		struct cg_pos pos = { .file = file->id };

		if (i == 0 || file[-1].id != file->id) {
			struct covjson_fn *fn = find_fns(llvm, file->id, &n);

			owned += n;
			if (!covjson_open_file(
				doc->build, &llvm->owners, file->id, fn, n))
				return cg_reject_nomem(doc->job);
		}
		if (!add_lines(doc, llvm, file, &pos) ||
		    !add_items(doc, llvm, file, &pos))
			return false;
	}
	llvm->unlisted += llvm->fns - owned;
	llvm->files = llvm->fns = llvm->lines.bytes = llvm->items.bytes = 0;
	return true;
}

/* ---- The document ------------------------------------------------------- */

static bool
take_export(struct cg_doc *doc, struct llvm *llvm)
{
	static const struct cg_field fields[] = {
		{ "files", CG_FIELD_EACH, 0, take_file, 0 },
		{ "functions", CG_FIELD_EACH, 0, take_function, 0 },
		{ 0 },
	};

	return cg_doc_fields(doc, fields, doc->arg) && add_files(doc, llvm);
}

static bool
take_data(struct cg_doc *doc, void *into)
{
	struct llvm *llvm = doc->arg;

	(void)into;
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		if (!take_export(doc, llvm))
			return false;
	}
	return doc->status != CG_OK || llvm->detailed ||
	       cg_doc_fail(
		   doc, "segments: run llvm-cov export without -summary-only");
}

static bool
take_version(struct cg_doc *doc, void *into)
{
	struct cg_slice text;

	(void)into;
	if (!cg_doc_text(doc, &text))
		return false;
	if (!cg_starts(text, "2.") && !cg_starts(text, "3."))
		cg_warn(doc->job,
		    "unknown version of llvm-cov's JSON: expected 2 or 3");
	return true;
}

static int
read_llvm(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_field fields[] = {
		{ "data", CG_FIELD_CALL, 0, take_data, 0 },
		{ "version", CG_FIELD_CALL, 0, take_version, 0 },
		{ 0 },
	};
	struct llvm llvm = { .job = job, .in = in };
	struct cg_doc doc;
	int status;

	cg_doc_open(&doc, job, in, build, &llvm);
	if (covjson_add_event(build))
		(void)cg_doc_fields(&doc, fields, doc.arg);
	status = cg_doc_close(&doc);
	if (status == CG_OK && llvm.unlisted > 0)
		cg_warn(job,
		    "dropped %zu function%s of files that are not listed",
		    llvm.unlisted, llvm.unlisted == 1 ? "" : "s");
	free(llvm.file);
	free(llvm.fn);
	cg_numbers_free(&llvm.lines);
	cg_numbers_free(&llvm.items);
	free(llvm.item);
	free(llvm.missed);
	free(llvm.name);
	cg_map_free(&llvm.known);
	covjson_free_owners(&llvm.owners);
	return status;
}

/* The type comes last, so the keys of what is before it also count. */
static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "data.files", "data.files.filename",
		"data.files.segments", "data.files.branches",
		"data.files.expansions", "data.functions", "data.totals",
		NULL };
	unsigned known;

	if (cg_find(head->text, "\"" TYPE "\""))
		return CG_PROBE_SURE;
	known = cg_head_keys(head, keys);
	return (known & 1) != 0 && (known & ~1u) != 0 ? CG_PROBE_SURE
						      : CG_PROBE_NO;
}

const struct cg_module cg_format_llvm_cov = {
	CG_MODULE,
	.name = "llvm-cov",
	.title = "coverage of clang, Rust, Swift: JSON of llvm-cov export",
	.text = true,
	.suffixes = "llvm-cov.json",
	.probe = probe,
	.read = read_llvm,
};
