/*
 * codecov.c - the module for Codecov's custom coverage format.
 *
 * Source: "Codecov Custom Coverage Format" in Codecov's documentation, and
 * services/report/languages/v1.py of codecov/worker, which reads it. A file is
 * an object of values by line, an array of values whose first item belongs to
 * line 0, or an object with an array "lines" whose first item belongs to line
 * 1 (Ruby's SimpleCov). A value is a count, also as a string, "1/2" for one of
 * two branches, true for a line that ran in part, or null. Lines with a
 * negative count or with SimpleCov's "ignored" are skipped.
 *
 * Lines survive with their counts or, if they have branches, with the numbers
 * of branches and of taken branches. Functions and messages are lost.
 */
#include <inttypes.h>

#include "coverage_json.h"

/* ---- Reading ------------------------------------------------------------ */

struct codecov {
	struct coverage_json_section section;
	struct cg_in *in;
	uint64_t branches; /* of all lines so far */
	uint64_t dropped;  /* files with SimpleCov's branches */
};

static bool
add_line(struct cg_doc *doc, uint64_t number, int64_t count)
{
	struct codecov *codecov = doc->arg;

	if (number == 0 || count < 0)
		return true;
	return coverage_json_add_line(doc, &codecov->section,
	    &(struct coverage_json_line){
		.line = (uint32_t)number, .count = count });
}

/*
 * Adds a line with "all" branches, of which the first "hit" were taken. The
 * line's count is 1 if a branch was taken, else 0. Number 0 adds nothing.
 * False: an error (reported).
 */
static bool
add_partial(struct cg_doc *doc, uint64_t number, uint64_t hit, uint64_t all)
{
	struct codecov *codecov = doc->arg;
	struct coverage_json_branch branch = { .row = {
						   .kind = CG_BRANCH_ARC } };

	/* Each branch becomes a row, so the input's size limits them. */
	if (all > UINT32_MAX ||
	    (codecov->branches += all) > cg_in_offset(codecov->in) + 65536)
		return cg_doc_fail(
		    doc, "fewer branches for the size of the input");
	branch.row.pos.line = (uint32_t)number;
	branch.row.flags = hit > 0 ? CG_BRANCH_REACHED : 0;
	for (uint64_t i = 0; number > 0 && i < all; i++) {
		branch.row.index = (uint32_t)i;
		branch.row.count = i < hit;
		if (!coverage_json_add_branch(doc, &codecov->section, &branch))
			return false;
	}
	return add_line(doc, number, hit > 0);
}

static bool
take_string(struct cg_doc *doc, uint64_t number)
{
	struct cg_slice text;
	uint64_t hit, all;

	if (!cg_doc_text(doc, &text))
		return false;
	if (cg_equal(text, "ignored"))
		return true;
	if (!cg_take_u64(&text, &hit) || hit > INT64_MAX)
		return cg_doc_fail(doc, "a count, \"1/2\" or null");
	if (text.len == 0)
		return add_line(doc, number, (int64_t)hit);
	if (!cg_take_char(&text, '/') || !cg_get_u64(text, &all) || hit > all)
		return cg_doc_fail(doc, "a count, \"1/2\" or null");
	return add_partial(doc, number, hit, all);
}

static bool
take_value(struct cg_doc *doc, uint64_t number)
{
	enum cg_json_type type = cg_doc_next(doc);
	int64_t count;

	if (number > UINT32_MAX)
		return cg_doc_fail(doc, "a line number");
	if (type == CG_JSON_STRING)
		return take_string(doc, number);
	if (type == CG_JSON_NULL)
		return cg_doc_skip(doc);
	if (type == CG_JSON_TRUE)
		return cg_doc_skip(doc) && add_partial(doc, number, 1, 2);
	if (type == CG_JSON_FALSE)
		return cg_doc_skip(doc) && add_line(doc, number, 0);
	return cg_doc_number(doc, 0, &count) && add_line(doc, number, count);
}

static bool
take_array(struct cg_doc *doc, uint64_t first)
{
	(void)cg_doc_array(doc);
	for (uint64_t number = first; cg_doc_item(doc); number++) {
		if (!take_value(doc, number))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_file(struct cg_doc *doc)
{
	struct cg_slice key;
	uint64_t number;
	bool lines = false, dropped = false, ok;

	if (cg_doc_next(doc) == CG_JSON_ARRAY)
		return take_array(doc, 0);
	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		if (cg_equal(key, "lines")) {
			lines = true;
			ok = take_array(doc, 1);
		} else if (cg_get_u64(key, &number)) {
			ok = take_value(doc, number);
		} else {
			/* SimpleCov has other members next to "lines". */
			dropped |= cg_equal(key, "branches");
			ok = lines ? cg_doc_skip(doc)
				   : cg_doc_fail(doc, "a line number as key");
		}
		if (!ok)
			return false;
	}
	((struct codecov *)doc->arg)->dropped += dropped;
	return doc->status == CG_OK;
}

static bool
take_files(struct cg_doc *doc, void *into)
{
	struct codecov *codecov = doc->arg;
	struct cg_slice key;
	cg_name path;

	(void)into;
	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		path = cg_add_name(doc->build, key);
		if (!take_file(doc) ||
		    !coverage_json_end_section(
			doc, &codecov->section, cg_get_name(doc->build, path)))
			return false;
	}
	return doc->status == CG_OK;
}

static int
read_codecov(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_field fields[] = {
		{ "coverage", CG_FIELD_CALL, 0, take_files, 0 },
		{ 0 },
	};
	struct codecov codecov = { .in = in };
	struct cg_doc doc;
	int status;

	cg_doc_open(&doc, job, in, build, &codecov);
	if (coverage_json_add_event(build))
		(void)cg_doc_fields(&doc, fields, doc.arg);
	status = cg_doc_close(&doc);
	if (status == CG_OK && codecov.dropped > 0)
		cg_warn(job,
		    "dropped SimpleCov's branches of %" PRIu64
		    " file%s: only lines are read",
		    codecov.dropped, codecov.dropped == 1 ? "" : "s");
	return status;
}

/* ---- Writing ------------------------------------------------------------ */

struct writer {
	struct cg_report r;
	uint64_t partial; /* lines with "1/2" and a count above 1 */
	uint64_t bare;    /* lines whose branches are dropped */
};

/*
 * Writes the value of a line: "1/2" (branches taken, branches) or, without
 * branches, its count. "0/2" means that the line did not run. So writes the
 * count, too, if only the line or only a branch ran. Counts lost values for a
 * message.
 */
static void
put_value(struct writer *w, const struct cg_line_sum *line)
{
	struct cg_hits branches = { 0 };

	cg_count_arcs(line->branch, line->branches, &branches);
	if (branches.found > 0 && (line->hits > 0) == (branches.hit > 0)) {
		cg_putf(w->r.out, "\"%" PRIu64 "/%" PRIu64 "\"", branches.hit,
		    branches.found);
		w->partial += line->hits > 1;
		return;
	}
	w->bare += branches.found > 0;
	cg_putu(w->r.out, line->hits);
}

static void
put_file(struct writer *w, cg_file file)
{
	struct cg_line_sum line;
	const char *comma = "";

	cg_put_json(w->r.out, cg_file_path(w->r.graph, file));
	cg_puts(w->r.out, ":{");
	while (cg_report_line(&w->r, &line)) {
		cg_putf(w->r.out, "%s\"%" PRIu32 "\":", comma, line.line);
		put_value(w, &line);
		comma = ",";
	}
	cg_putc(w->r.out, '}');
}

static int
write_codecov(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .r = { .job = job,
				.graph = graph,
				.out = out,
				.part = CG_ALL_PARTS } };
	int status = cg_report_open(&w.r);
	cg_file file;
	bool ok;

	if (status != CG_OK)
		return status;
	cg_puts(out, "{\"coverage\":{\n");
	while (cg_report_file(&w.r, &file)) {
		if (w.r.files > 1)
			cg_puts(out, ",\n");
		put_file(&w, file);
	}
	cg_puts(out, "\n}}\n");
	ok = cg_out_status(out) == CG_OK;
	if (ok && w.partial > 0)
		cg_note(job,
		    "how often %" PRIu64 " line%s with branches ran is dropped",
		    w.partial, w.partial == 1 ? "" : "s");
	if (ok && w.bare > 0)
		cg_warn(job,
		    "dropped branches of %" PRIu64
		    " line%s that they do not agree with",
		    w.bare, w.bare == 1 ? "" : "s");
	return cg_report_close(&w.r, true);
}

/* ---- The module --------------------------------------------------------- */

/*
 * Returns the score of the next JSON value, the first file of a report.
 * CG_PROBE_LIKELY for an array of counts, or an object with lines; else
 * CG_PROBE_NO.
 */
static int
probe_file(struct cg_json *json)
{
	enum cg_json_type type = cg_json_next(json);
	uint64_t number;

	if (type == CG_JSON_ARRAY) {
		type = cg_json_next(json);
		return type == CG_JSON_NULL || type == CG_JSON_NUMBER
			   ? CG_PROBE_LIKELY
			   : CG_PROBE_NO;
	}
	if (type != CG_JSON_OBJECT || cg_json_next(json) != CG_JSON_KEY)
		return CG_PROBE_NO;
	return cg_equal(json->text, "lines") || cg_get_u64(json->text, &number)
		   ? CG_PROBE_LIKELY
		   : CG_PROBE_NO;
}

static int
probe(const struct cg_head *head)
{
	struct cg_json json;
	enum cg_json_type type;

	cg_json_start(&json, head->text);
	if (cg_json_next(&json) != CG_JSON_OBJECT)
		return CG_PROBE_NO;
	while (cg_json_next(&json) == CG_JSON_KEY) {
		bool found = cg_equal(json.text, "coverage");

		type = cg_json_next(&json);
		if (found)
			return type == CG_JSON_OBJECT &&
				       cg_json_next(&json) == CG_JSON_KEY
				   ? probe_file(&json)
				   : CG_PROBE_NO;
		if (!cg_json_skip(&json, type))
			break;
	}
	return CG_PROBE_NO;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	CG_OPTIONS_EXCLUDE,
	{ 0 },
};

const struct cg_module cg_format_codecov = {
	CG_MODULE,
	.name = "codecov",
	.title = "Codecov's custom coverage format, as JSON",
	.text = true,
	.suffixes = "codecov;codecov.json",
	.carries =
	    CG_SELF | CG_LINES | CG_ZEROS | CG_BRANCHES | CG_SIGNED | CG_FILES,
	.needs = CG_LINES,
	.options = options,
	.probe = probe,
	.read = read_codecov,
	.write = write_codecov,
};
