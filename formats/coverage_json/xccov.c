/*
 * xccov.c - the module for what Xcode's xccov prints of a result bundle.
 *
 * Source: the man page of xccov; xccov-to-sonarqube-generic.sh of SonarSource,
 * which reads the text; Xcode's types as xcresultparser 1.9 and XCov declare
 * them. There are three shapes:
 *
 *	xccov view --archive --json	files with their lines
 *	xccov view --archive		the same as text: "PATH:", then "  3: 17"
 *	xccov view --report --json	targets, files, functions, no lines
 *
 * A line that is not executable has no count ("*" in the text). Lines and
 * counts survive, and functions with their counts. Of the report, only the
 * line where a function begins is known. Subranges of a line, which have a
 * column, a length and a count, are regions in JSON. In the text they are three
 * numbers whose order is not documented, and are dropped.
 */
#include <inttypes.h>

#include "coverage_json.h"

struct xccov {
	struct coverage_json_section section;
	uint64_t unlined; /* functions of a report */
	uint64_t empty;   /* subranges without a length */
};

/* ---- JSON of an archive ------------------------------------------------- */

struct line {
	uint64_t line;
	int64_t count;
	bool executable;
};

static bool
take_executable(struct cg_doc *doc, void *into)
{
	((struct line *)into)->executable = cg_doc_next(doc) == CG_JSON_TRUE;
	return cg_doc_skip(doc);
}

struct subrange {
	uint64_t column, length;
	int64_t count;
};

/*
 * Reads a subrange: columns of a line with a count of their own. Appends it as
 * a region; the caller sets the region's line later. A subrange of length 0 is
 * not appended, but counted in x->empty. False: an error (reported).
 */
static bool
take_subrange(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "column", CG_FIELD_COUNT, offsetof(struct subrange, column),
		    NULL, 0 },
		{ "length", CG_FIELD_COUNT, offsetof(struct subrange, length),
		    NULL, 0 },
		{ "executionCount", CG_FIELD_INT,
		    offsetof(struct subrange, count), NULL, 0 },
		{ 0 },
	};
	struct xccov *x = doc->arg;
	struct subrange range = { 0 };

	(void)into;
	if (!cg_doc_fields(doc, fields, &range))
		return false;
	if (range.column == 0 || range.column > INT32_MAX ||
	    range.length > INT32_MAX - range.column || range.count < 0)
		return cg_doc_fail(
		    doc, "a column, a length and a count of a subrange");
	x->empty += range.length == 0;
	return range.length == 0 ||
	       cg_append(doc->job, &x->section.region,
		   (struct cg_region){ .column = (uint32_t)range.column,
		       .last_column = (uint32_t)(range.column + range.length),
		       .count = range.count });
}

static bool
take_lines(struct cg_doc *doc)
{
	static const struct cg_field fields[] = {
		{ "line", CG_FIELD_COUNT, offsetof(struct line, line), NULL,
		    0 },
		{ "isExecutable", CG_FIELD_CALL, 0, take_executable, 0 },
		{ "executionCount", CG_FIELD_INT, offsetof(struct line, count),
		    NULL, 0 },
		{ "subranges", CG_FIELD_EACH, 0, take_subrange, 0 },
		{ 0 },
	};
	struct xccov *x = doc->arg;

	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		const size_t first = x->section.region.n;
		struct line line = { 0 };

		if (!cg_doc_fields(doc, fields, &line))
			return false;
		if (line.line == 0 || line.line > UINT32_MAX || line.count < 0)
			return cg_doc_fail(doc, "a line with its count");
		for (size_t i = first; i < x->section.region.n; i++) {
			struct cg_region *region = &x->section.region.at[i];

			region->line = region->last = (uint32_t)line.line;
		}
		if (line.executable &&
		    !coverage_json_add_line(doc, &x->section,
			&(struct coverage_json_line){
			    .line = (uint32_t)line.line, .count = line.count }))
			return false;
	}
	return doc->status == CG_OK;
}

/* ---- JSON of a report --------------------------------------------------- */

struct function {
	cg_name name;
	uint64_t line, count;
};

static bool
take_function(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "name", CG_FIELD_NAME, offsetof(struct function, name), NULL,
		    0 },
		{ "lineNumber", CG_FIELD_COUNT, offsetof(struct function, line),
		    NULL, 0 },
		{ "executionCount", CG_FIELD_COUNT,
		    offsetof(struct function, count), NULL, 0 },
		{ 0 },
	};
	struct xccov *x = doc->arg;
	struct function function = { 0 };

	(void)into;
	if (!cg_doc_fields(doc, fields, &function))
		return false;
	if (function.line == 0 || function.line > UINT32_MAX ||
	    function.count > INT64_MAX)
		return cg_doc_fail(doc, "a function with line and count");
	x->unlined++;
	return coverage_json_add_fn(doc, &x->section,
		   &(struct coverage_json_fn){ .name = function.name,
		       .first = (uint32_t)function.line,
		       .last = (uint32_t)function.line,
		       .count = function.count,
		       .counted = true }) &&
	       coverage_json_add_line(doc, &x->section,
		   &(struct coverage_json_line){
		       .line = (uint32_t)function.line,
		       .fn = function.name,
		       .count = (int64_t)function.count });
}

struct file {
	cg_name path;
};

static bool
take_file(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "path", CG_FIELD_NAME, offsetof(struct file, path), NULL, 0 },
		{ "functions", CG_FIELD_EACH, 0, take_function, 0 },
		{ 0 },
	};
	struct xccov *x = doc->arg;
	struct file file = { 0 };

	(void)into;
	return cg_doc_fields(doc, fields, &file) &&
	       coverage_json_end_section(
		   doc, &x->section, cg_get_name(doc->build, file.path));
}

static bool
take_target(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "files", CG_FIELD_EACH, 0, take_file, 0 },
		{ 0 },
	};

	(void)into;
	return cg_doc_fields(doc, fields, doc->arg);
}

static bool
take_targets(struct cg_doc *doc)
{
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		if (!take_target(doc, NULL))
			return false;
	}
	return doc->status == CG_OK;
}

/*
 * Reads a member of the top object. In a report, "targets" has the files, and
 * totals are skipped. In an archive, an array has the lines of a file. False:
 * an error (reported).
 */
static bool
take_member(struct cg_doc *doc, struct cg_slice key)
{
	struct xccov *x = doc->arg;
	cg_name path;

	if (cg_equal(key, "targets"))
		return take_targets(doc);
	if (cg_doc_next(doc) != CG_JSON_ARRAY)
		return cg_doc_skip(doc);
	path = cg_add_name(doc->build, key);
	return take_lines(doc) && coverage_json_end_section(doc, &x->section,
				      cg_get_name(doc->build, path));
}

static int
read_json(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct xccov x = { 0 };
	struct cg_slice key;
	struct cg_doc doc;
	int status;

	cg_doc_open(&doc, job, in, build, &x);
	if (cg_doc_object(&doc)) {
		while (cg_doc_key(&doc, &key) && take_member(&doc, key))
			;
	}
	status = cg_doc_close(&doc);
	if (status == CG_OK && x.unlined > 0)
		cg_warn(job,
		    "of %" PRIu64 " function%s only the first line is known; "
		    "the archive that xccov prints has all lines",
		    x.unlined, x.unlined == 1 ? "" : "s");
	if (status == CG_OK && x.empty > 0)
		cg_warn(job, "subranges without a length are dropped: %" PRIu64,
		    x.empty);
	return status;
}

/* ---- Text --------------------------------------------------------------- */

struct text {
	struct cg_job *job;
	struct cg_build *build;
	cg_fn fn; /* the file's function without a name; 0: no file */
	cg_file file;
	bool subrange;    /* lines up to "]" are columns */
	uint64_t dropped; /* subranges */
};

/*
 * Adds a line of the text form to the graph. In a line such as "3: 17", 3 is
 * the number of the line and 17 its count. Skips a line without code, whose
 * count is an asterisk. If "[" follows the count, the text lines after it have
 * the counts of columns. Sets t->subrange to whether it does. False: rejected
 * (reported). A line before the first file is rejected, too.
 */
static bool
take_text_line(struct text *t, struct cg_slice line)
{
	struct cg_pos pos = { .file = t->file };
	uint64_t number, count;

	if (!t->fn || !cg_take_u64(&line, &number) || number == 0 ||
	    number > UINT32_MAX)
		return cg_reject(t->job, "expected PATH: or LINE: COUNT");
	line = cg_trim(line);
	if (!cg_take_prefix(&line, ": "))
		return cg_reject(t->job, "expected PATH: or LINE: COUNT");
	if (cg_equal(line, "*"))
		return true;
	if (!cg_take_u64(&line, &count) || count > INT64_MAX)
		return cg_reject(t->job, "expected a count or *");
	line = cg_trim(line);
	t->subrange = cg_equal(line, "[");
	if (line.len > 0 && !t->subrange)
		return cg_reject(t->job, "expected the end of the line");
	pos.line = (uint32_t)number;
	return cg_add_cost(t->build, t->fn, &pos, &count, 1);
}

static int
read_text(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct text t = { .job = job, .build = build };
	struct cg_slice line;

	while (cg_read_line(in, &line)) {
		cg_cut_return(&line);
		line = cg_trim(line);
		if (line.len == 0)
			continue;
		if (t.subrange) {
			t.subrange = !cg_equal(line, "]");
			t.dropped += t.subrange;
		} else if (cg_starts(line, "/") &&
			   line.ptr[line.len - 1] == ':') {
			line.len--;
			t.file = cg_add_file(build, line);
			t.fn = cg_add_fn(build, cg_slice(""), t.file, 0);
		} else if (!take_text_line(&t, line)) {
			break;
		}
	}
	if (t.dropped > 0)
		cg_note(job,
		    "subranges of lines are dropped, which the JSON of xccov "
		    "has with names: %" PRIu64,
		    t.dropped);
	if (cg_in_status(in) == CG_OK && (t.subrange || cg_in_unterminated(in)))
		cg_warn(job, "the last line is incomplete: the file may be "
			     "truncated");
	return cg_in_status(in);
}

/* ---- The module --------------------------------------------------------- */

static int
read_xccov(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct cg_slice head;

	if (!coverage_json_add_event(build))
		return CG_OK; /* the builder has the status */
	(void)cg_look_bytes(in, 1, &head);
	return cg_starts(head, "/") ? read_text(job, in, build)
				    : read_json(job, in, build);
}

static bool
is_text(const struct cg_head *head)
{
	struct cg_slice rest = head->text, line;
	uint64_t number;

	if (!cg_take_line(&rest, &line) || !cg_starts(line, "/") ||
	    line.ptr[line.len - 1] != ':' || !cg_take_line(&rest, &line))
		return false;
	line = cg_trim(line);
	return cg_take_u64(&line, &number) && number == 1 &&
	       (cg_equal(line, ": *") || (cg_take_prefix(&line, ": ") &&
					     cg_take_u64(&line, &number)));
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "targets.buildProductPath",
		"targets.executableLines", NULL };
	struct cg_json json;

	if (is_text(head))
		return CG_PROBE_SURE;
	if (cg_head_keys(head, keys))
		return CG_PROBE_SURE;
	cg_json_start(&json, head->text);
	if (cg_json_next(&json) != CG_JSON_OBJECT ||
	    cg_json_next(&json) != CG_JSON_KEY)
		return CG_PROBE_NO;
	if (cg_json_next(&json) != CG_JSON_ARRAY ||
	    cg_json_next(&json) != CG_JSON_OBJECT)
		return CG_PROBE_NO;
	return cg_find(head->text, "\"isExecutable\"") ? CG_PROBE_SURE
						       : CG_PROBE_NO;
}

const struct cg_module cg_format_xccov = {
	CG_MODULE,
	.name = "xccov",
	.title = "coverage of Xcode: xccov view, JSON or text",
	.text = true,
	.suffixes = "xccov.json;xccov",
	.probe = probe,
	.read = read_xccov,
};
