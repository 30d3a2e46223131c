/*
 * llvm_cov.c - JSON of llvm-cov export, versions 2 and 3 (LLVM 11 to 22).
 *
 * Source: tools/llvm-cov/CoverageExporterJson.cpp and
 * CoverageExporterLcov.cpp, getCoverageForFile() in
 * lib/ProfileData/Coverage/CoverageMapping.cpp of LLVM; output of llvm-cov 14,
 * 19 and 22.
 *
 * A file has segments: from its line and column on, code ran count times;
 * lines.c makes lines of them.
 *
 * A branch has counts for true and false. Branches in a macro are on the line
 * that uses the macro, as in llvm-cov export -format=lcov; from LLVM 21 on
 * they are also on the line of the macro, if that is in the same file.
 * llvm-cov then also sums different branches of one macro; cgconv keeps them
 * apart. A branch of which no outcome can occur (while (1)) is listed for
 * files with counts 0 and not for functions; it is dropped.
 *
 * A condition (MC/DC) states whether a pair of tests shows that it decides
 * alone: both of its outcomes then count 1.
 *
 * Functions have regions: code, gaps between statements, code that the
 * preprocessor skipped. With llvm-cov export -skip-functions there are none.
 */

#include "llvm.h"

#define TYPE "llvm.coverage.json.export"

struct reader {
	struct llvm_report report;
	bool detailed; /* some file has segments */
	/* Of the current function: */
	CG_ARRAY(struct llvm_item) missed; /* branches that never ran */
	CG_ARRAY(cg_name) name;            /* names of its files */
	CG_ARRAY(struct llvm_region) region;
	CG_ARRAY(uint32_t) region_file; /* by region: number of its file */
};

/* ---- Rows --------------------------------------------------------------- */

/*
 * Takes an array, and stores at most its first "max" elements as numbers in
 * value[]. true becomes 1. false and other items that are no numbers become 0.
 * Elements of value[] beyond the array stay as they are. Returns the length of
 * the array, which may exceed "max". Returns 0 for an empty array, and after
 * an error (reported). A negative number is an error.
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

/*
 * Returns the value as 32 bits. A larger value becomes UINT32_MAX - 1, so that
 * adding 1 is safe.
 */
static uint32_t
small(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX - 1;
}

/*
 * Takes the segments of a file, and adds them to the report. Notes that the
 * report has segments. A segment is [line, column, count, has count, is entry,
 * is gap]. It is a place, and "count" tells how often the code from there to
 * the next segment ran. Before LLVM 11, "is gap" is missing. Ignores "into".
 * False: an error (reported).
 */
static bool
take_segments(struct cg_doc *doc, void *into)
{
	struct reader *reader = doc->arg;

	(void)into;
	reader->detailed = true;
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		uint64_t row[6] = { 0 };

		if (take_row(doc, row, 6) < 5)
			return cg_doc_fail(doc, "six values of a segment");
		if (!llvm_add_segment(&reader->report,
			&(struct llvm_segment){ .line = small(row[0]),
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
add_item(struct cg_doc *doc, const struct llvm_item *item)
{
	struct reader *reader = doc->arg;

	return llvm_add_item(&reader->report, item);
}

/*
 * Takes a branch into *item: [line, column, last line, last column, count if
 * true, count if false, file id, ...]. In item->count, the count if false
 * comes first. False: an error (reported).
 */
static bool
take_branch(struct cg_doc *doc, struct llvm_item *item)
{
	uint64_t row[7] = { 0 };

	if (take_row(doc, row, 7) < 7)
		return cg_doc_fail(doc, "seven or more numbers of a branch");
	*item = (struct llvm_item){ .line = small(row[0]),
		.column = small(row[1]),
		.id = small(row[6]),
		.count = { row[5], row[4] } };
	return true;
}

static bool
take_plain(struct cg_doc *doc, void *into)
{
	struct llvm_item item = { 0 };

	(void)into;
	if (!take_branch(doc, &item))
		return false;
	item.id = 0;
	return add_item(doc, &item);
}

/*
 * Adds a branch in the expansion of a macro to the branches of the file. Its
 * id is file id + 1, as 0 marks branches outside of macros. Stores its place
 * in the macro. take_expansion() later sets line and column to the macro's
 * use. False: an error (reported).
 */
static bool
take_expanded(struct cg_doc *doc, void *into)
{
	struct llvm_item item = { 0 };

	(void)into;
	if (!take_branch(doc, &item))
		return false;
	item.id++;
	item.inner_line = item.line;
	item.inner_column = item.column;
	return add_item(doc, &item);
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
	struct reader *reader = doc->arg;
	struct llvm_report *report = &reader->report;
	size_t from = report->item.n;
	uint64_t row[2] = { 0 };

	(void)into;
	if (!cg_doc_fields(doc, fields, row))
		return false;
	if (from < report->item.n && row[0] == 0)
		return cg_doc_fail(doc, "\"source_region\"");
	for (size_t i = from; i < report->item.n; i++) {
		report->item.at[i].line = small(row[0]);
		report->item.at[i].column = small(row[1]);
	}
	return true;
}

/*
 * Takes the conditions of a decision, an array of booleans, and adds each as
 * an item. Both outcomes count 1 if the boolean is true (covered), else 0. On
 * entry, *item has the decision's line and column, and term 0. False: an error
 * (reported).
 */
static bool
take_conditions(struct cg_doc *doc, struct llvm_item *item)
{
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		bool covered = cg_doc_next(doc) == CG_JSON_TRUE;

		if (!cg_doc_skip(doc))
			return false;
		item->term++;
		item->count[0] = item->count[1] = covered;
		if (item->term > UINT32_MAX / 4)
			return cg_doc_fail(doc, "fewer conditions");
		if (!add_item(doc, item))
			return false;
	}
	return doc->status == CG_OK;
}

/*
 * Takes a decision, [line, column, ..., [conditions], ...]. Adds its
 * conditions to the report. They are the first array in the decision. Other
 * items depend on the version of llvm-cov and are skipped. Ignores "into".
 * False: an error (reported).
 */
static bool
take_decision(struct cg_doc *doc, void *into)
{
	uint32_t place[2] = { 0 };
	struct llvm_item item = { 0 };
	int64_t number;
	size_t n = 0;
	bool any = false;

	(void)into;
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		if (n < 2) {
			if (!cg_doc_number(doc, 0, &number))
				return false;
			place[n++] = number > 0 ? small((uint64_t)number) : 0;
		} else if (!any && cg_doc_next(doc) == CG_JSON_ARRAY) {
			any = true;
			item = (struct llvm_item){ .line = place[0],
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

struct file {
	cg_name name;
};

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
	struct reader *reader = doc->arg;
	struct file file = { 0 };

	(void)into;
	llvm_begin_file(&reader->report);
	if (!cg_doc_fields(doc, fields, &file))
		return false;
	if (file.name == 0)
		return cg_doc_fail(doc, "a file with \"filename\"");
	return llvm_end_file(&reader->report, file.name);
}

/* ---- Functions ---------------------------------------------------------- */

struct function {
	cg_name name;
	uint64_t count;
	uint64_t region[3]; /* first line, column, last line of the body */
};

/* [line, column, last line, last column, count, file, expanded file, kind] */
enum { ROW_COUNT = 4, ROW_FILE, ROW_KIND = 7, ROW };

/*
 * Appends a region to reader->region, and the number of its file to
 * reader->region_file. row[] has the n numbers of the region's array. Ignores
 * regions with too few numbers, regions without a line, and kinds other than
 * code, expansions, skipped code and gaps. False: out of memory (reported).
 */
static bool
keep_region(struct cg_doc *doc, const uint64_t *row, size_t n)
{
	struct reader *reader = doc->arg;

	if (n < ROW || row[ROW_KIND] > LLVM_GAP || row[0] == 0)
		return true;
	return cg_append(doc->job, &reader->region,
		   (struct llvm_region){ .line = small(row[0]),
		       .column = small(row[1]),
		       .last = small(row[2]),
		       .last_column = small(row[3]),
		       .count = row[ROW_COUNT],
		       .kind = (unsigned char)row[ROW_KIND] }) &&
	       cg_append(doc->job, &reader->region_file, small(row[ROW_FILE]));
}

/*
 * Takes the regions of a function. The first one is its body. "into" points to
 * three numbers of type uint64_t. Stores the body's first line, first column
 * and last line there. Keeps the regions for add_regions(). If the target
 * cannot represent regions, keeps only the first one. False: an error
 * (reported).
 */
static bool
take_regions(struct cg_doc *doc, void *into)
{
	const bool wanted = cg_wants_rows(doc->build, CG_REGIONS);
	uint64_t *body = into;

	(void)cg_doc_array(doc);
	for (bool first = true; cg_doc_item(doc); first = false) {
		uint64_t row[ROW] = { 0 };
		size_t n;

		if (!first && !wanted) {
			if (!cg_doc_skip(doc))
				return false;
			continue;
		}
		n = take_row(doc, row, ROW);
		if (doc->status != CG_OK || (first && n < 3))
			return cg_doc_fail(doc, "numbers of a region");
		for (size_t i = 0; first && i < 3; i++)
			body[i] = row[i];
		if (!keep_region(doc, row, n))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
add_regions(struct cg_doc *doc)
{
	struct reader *reader = doc->arg;

	for (size_t i = 0; i < reader->region.n; i++) {
		uint32_t file = reader->region_file.at[i];

		if (file < reader->name.n &&
		    !llvm_add_region(&reader->report, reader->name.at[file],
			&reader->region.at[i]))
			return false;
	}
	return true;
}

static bool
take_missed(struct cg_doc *doc, void *into)
{
	struct reader *reader = doc->arg;
	struct llvm_item *item = cg_push(doc->job, &reader->missed);

	(void)into;
	if (!item || !take_branch(doc, item))
		return false;
	if ((item->count[0] | item->count[1]) != 0)
		reader->missed.n--;
	return true;
}

static bool
take_name(struct cg_doc *doc, void *into)
{
	struct reader *reader = doc->arg;
	cg_name *name = cg_push(doc->job, &reader->name);
	struct cg_slice text;

	(void)into;
	if (!name || !cg_doc_text(doc, &text))
		return false;
	*name = cg_add_name(doc->build, text);
	return true;
}

/*
 * Adds the function's branches that never ran (reader->missed) to
 * report.known. Files also list branches that the compiler folded, as for
 * while (1), but functions do not. So a file's branch that never ran is
 * dropped later, unless it is in report.known. False: out of memory
 * (reported).
 */
static bool
keep_missed(struct cg_doc *doc, struct reader *reader)
{
	for (size_t i = 0; i < reader->missed.n; i++) {
		const struct llvm_item *item = &reader->missed.at[i];
		uint32_t *at;

		if (item->id >= reader->name.n)
			continue;
		at = cg_map_in(doc->job, &reader->report.known,
		    llvm_place_key(
			reader->name.at[item->id], item->line, item->column));
		if (!at)
			return false;
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
	struct reader *reader = doc->arg;
	struct function function = { 0 };
	struct llvm_fn fn;

	(void)into;
	reader->missed.n = reader->name.n = 0;
	reader->region.n = reader->region_file.n = 0;
	if (!cg_doc_fields(doc, fields, &function))
		return false;
	if (function.name == 0 || reader->name.n == 0)
		return cg_doc_fail(
		    doc, "a function with \"name\" and \"filenames\"");
	fn = (struct llvm_fn){ .first = small(function.region[0]),
		.last = small(function.region[2]),
		.count = function.count };
	reader->report.knows_folded = true;
	return keep_missed(doc, reader) &&
	       llvm_add_fn(
		   &reader->report, &fn, function.name, reader->name.at[0]) &&
	       add_regions(doc);
}

/* ---- The document ------------------------------------------------------- */

static bool
take_export(struct cg_doc *doc, struct reader *reader)
{
	static const struct cg_field fields[] = {
		{ "files", CG_FIELD_EACH, 0, take_file, 0 },
		{ "functions", CG_FIELD_EACH, 0, take_function, 0 },
		{ 0 },
	};

	return cg_doc_fields(doc, fields, doc->arg) &&
	       llvm_add_files(&reader->report);
}

static bool
take_data(struct cg_doc *doc, void *into)
{
	struct reader *reader = doc->arg;

	(void)into;
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		if (!take_export(doc, reader))
			return false;
	}
	return doc->status != CG_OK || reader->detailed ||
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
	struct reader reader = { .report = {
				     .job = job, .in = in, .build = build } };
	struct cg_doc doc;
	int status;

	cg_doc_open(&doc, job, in, build, &reader);
	if (llvm_add_event(build))
		(void)cg_doc_fields(&doc, fields, doc.arg);
	status = cg_doc_close(&doc);
	llvm_end_report(&reader.report, status == CG_OK);
	return status;
}

/*
 * Detects the format by the keys of the head. Returns CG_PROBE_SURE if there
 * is a key "type" and its value of llvm-cov. The key "type" comes last in a
 * file, perhaps after the bytes that are examined. So also returns
 * CG_PROBE_SURE for the key "data.files" and at least one more of keys[]
 * before "type". Otherwise returns CG_PROBE_NO.
 */
static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "data.files", "data.files.filename",
		"data.files.segments", "data.files.branches",
		"data.files.expansions", "data.functions", "data.totals",
		"type", NULL };
	unsigned known;

	known = cg_head_keys(head, keys);
	if ((known & 128) != 0 && cg_find(head->text, "\"" TYPE "\""))
		return CG_PROBE_SURE;
	known &= 127;
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
