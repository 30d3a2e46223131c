/*
 * coveralls.c - the module for the JSON of Coveralls' API.
 *
 * Source: "API Reference" of Coveralls (objects Job and Source File);
 * output_coveralls() in src/output.rs of grcov (6efbc1d), writer/coveralls.py
 * of gcovr 5.2, and its output. Item i of an array is the count of line i + 1,
 * null if the line has no code. Branches are a flat list of line, block,
 * branch and count; functions are an addition of grcov's (coveralls+).
 *
 * Lines and branches survive, and for functions where they begin and whether
 * they ran. Lost are the job's fields (repo_token, service_*, git) and the
 * source, which are not written either. The digest of a source (MD5) is
 * written if the source is found.
 */
#include <inttypes.h>

#include "coverage_json.h"

/* ---- Reading ------------------------------------------------------------ */

struct coveralls {
	struct coverage_json_section section;
	cg_name path; /* of the current file */
	bool has_coverage;
};

static bool
take_coverage(struct cg_doc *doc, void *into)
{
	struct coveralls *coveralls = doc->arg;

	(void)into;
	coveralls->has_coverage = true;
	return coverage_json_take_counts(doc, &coveralls->section, 1);
}

/*
 * Reads the branches of a file, one flat array of numbers. It has four numbers
 * for each branch: line, block, branch, count. Appends the branches to
 * coveralls->section, the data of the file. False: an error (reported).
 */
static bool
take_branches(struct cg_doc *doc, void *into)
{
	struct coveralls *coveralls = doc->arg;
	int64_t number[4];
	size_t n = 0;

	(void)into;
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		if (!cg_doc_number(doc, 0, &number[n]))
			return false;
		if (number[n] < (n == 0) || (n < 3 && number[n] > UINT32_MAX))
			return cg_doc_fail(
			    doc, "a branch: line, block, branch, count");
		if (++n < 4)
			continue;
		n = 0;
		if (!coverage_json_add_branch(doc, &coveralls->section,
			&(struct coverage_json_branch){
			    .row = { .pos.line = (uint32_t)number[0],
				.kind = CG_BRANCH_ARC,
				.block = (uint32_t)number[1],
				.index = (uint32_t)number[2],
				.count = number[3] } }))
			return false;
	}
	if (doc->status == CG_OK && n > 0)
		return cg_doc_fail(
		    doc, "four numbers for each branch in \"branches\"");
	return doc->status == CG_OK;
}

struct fn {
	cg_name name;
	uint64_t start;
	bool ran;
};

static bool
take_exec(struct cg_doc *doc, void *into)
{
	*(bool *)into = cg_doc_next(doc) == CG_JSON_TRUE;
	return cg_doc_skip(doc);
}

static bool
take_fn(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "name", CG_FIELD_NAME, offsetof(struct fn, name), NULL, 0 },
		{ "start", CG_FIELD_COUNT, offsetof(struct fn, start), NULL,
		    0 },
		{ "exec", CG_FIELD_CALL, offsetof(struct fn, ran), take_exec,
		    0 },
		{ 0 },
	};
	struct coveralls *coveralls = doc->arg;
	struct fn fn = { 0 };

	(void)into;
	if (!cg_doc_fields(doc, fields, &fn))
		return false;
	if (fn.name == 0 || fn.start > UINT32_MAX)
		return cg_doc_fail(
		    doc, "a function with \"name\" and \"start\"");
	return coverage_json_add_fn(doc, &coveralls->section,
	    &(struct coverage_json_fn){ .name = fn.name,
		.first = (uint32_t)fn.start,
		.count = fn.ran,
		.counted = true });
}

static bool
take_file(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "name", CG_FIELD_NAME, offsetof(struct coveralls, path), NULL,
		    0 },
		{ "coverage", CG_FIELD_CALL, 0, take_coverage, 0 },
		{ "branches", CG_FIELD_CALL, 0, take_branches, 0 },
		{ "functions", CG_FIELD_EACH, 0, take_fn, 0 },
		{ 0 },
	};
	struct coveralls *coveralls = doc->arg;

	(void)into;
	coveralls->path = 0;
	coveralls->has_coverage = false;
	if (!cg_doc_fields(doc, fields, coveralls))
		return false;
	if (coveralls->path == 0 || !coveralls->has_coverage)
		return cg_doc_fail(
		    doc, "a file with \"name\" and \"coverage\"");
	coverage_json_mark_reached(&coveralls->section);
	return coverage_json_end_section(
	    doc, &coveralls->section, cg_get_name(doc->build, coveralls->path));
}

static int
read_coveralls(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_field fields[] = {
		{ "source_files", CG_FIELD_EACH, 0, take_file, 0 },
		{ 0 },
	};
	struct coveralls coveralls = { 0 };
	struct cg_doc doc;

	cg_doc_open(&doc, job, in, build, &coveralls);
	if (coverage_json_add_event(build))
		(void)cg_doc_fields(&doc, fields, doc.arg);
	return cg_doc_close(&doc);
}

/* ---- Writing ------------------------------------------------------------ */

struct writer {
	struct cg_report r;
	struct coverage_json_fns fns; /* of the file */
	struct coverage_json_gaps gaps;
};

static bool
put_lines(struct writer *w)
{
	struct cg_line_sum line;

	w->gaps.next = 1;
	cg_puts(w->r.out, ",\n\"coverage\":[");
	while (cg_report_line(&w->r, &line)) {
		if (!line.has_cost)
			continue;
		if (!coverage_json_put_gap(&w->r, &w->gaps, line.line, "null,"))
			return false;
		cg_putu(w->r.out, line.hits);
	}
	cg_putc(w->r.out, ']');
	return true;
}

/*
 * Writes the member "branches" of the file, four numbers for each branch:
 * line, block, branch, count. Omits branches that are impossible
 * (CG_BRANCH_UNREACHABLE) or on no line.
 */
static void
put_branches(struct writer *w)
{
	struct cg_line_sum line;
	const char *comma = "";

	cg_first_line(w->r.lines);
	cg_puts(w->r.out, ",\n\"branches\":[");
	while (cg_next_line_sum(w->r.lines, w->r.event, &line)) {
		for (size_t i = 0; i < line.branches; i++) {
			const struct cg_branch *branch = &line.branch[i];

			if (line.line == 0 || branch->kind != CG_BRANCH_ARC ||
			    branch->flags & CG_BRANCH_UNREACHABLE)
				continue;
			cg_putf(w->r.out,
			    "%s%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64,
			    comma, line.line, branch->block, branch->index,
			    cg_report_count(&w->r, branch->count));
			comma = ",";
		}
	}
	cg_putc(w->r.out, ']');
}

static bool
put_fns(struct writer *w)
{
	const struct coverage_json_merged *fn;

	if (!coverage_json_list_fns(&w->fns, &w->r))
		return false;
	fn = w->fns.at;
	if (w->fns.n > 0)
		cg_puts(w->r.out, ",\n\"functions\":[");
	for (size_t i = 0; i < w->fns.n; i++) {
		cg_puts(w->r.out, i > 0 ? ",\n{\"name\":" : "{\"name\":");
		cg_put_json(w->r.out, cg_slice(fn[i].name));
		cg_putf(w->r.out, ",\"start\":%" PRIu32 ",\"exec\":%s}",
		    fn[i].fn->first, fn[i].count > 0 ? "true" : "false");
	}
	if (w->fns.n > 0)
		cg_putc(w->r.out, ']');
	return true;
}

static bool
put_digest(struct cg_report *r, cg_file file)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char digest[CG_MD5_SIZE];
	struct cg_slice bytes = { "", 0 };
	struct cg_in *in;

	if (!cg_open_source(r->job, r->graph, file, true, &in))
		return false;
	if (!in)
		return true;
	(void)cg_read_all(in, &bytes);
	if (cg_in_status(in) == CG_OK) {
		cg_md5(bytes, digest);
		cg_puts(r->out, ",\"source_digest\":\"");
		for (size_t i = 0; i < CG_MD5_SIZE; i++) {
			cg_putc(r->out, digits[digest[i] >> 4]);
			cg_putc(r->out, digits[digest[i] & 15]);
		}
		cg_putc(r->out, '"');
	}
	cg_close_companion(r->job, in);
	return true;
}

static bool
put_file(struct writer *w, cg_file file)
{

	cg_puts(w->r.out, w->r.files > 1 ? ",\n{\"name\":" : "\n{\"name\":");
	cg_put_json(w->r.out, cg_file_path(w->r.graph, file));
	if (!put_digest(&w->r, file) || !put_lines(w))
		return false;
	put_branches(w);
	if (!put_fns(w))
		return false;
	cg_putc(w->r.out, '}');
	return true;
}

static int
write_coveralls(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .r = { .job = job,
				.graph = graph,
				.out = out,
				.part = CG_ALL_PARTS,
				.bare_lines = true } };
	int status = cg_report_open(&w.r);

	bool ok = true;
	cg_file file;

	if (status != CG_OK)
		return status;
	cg_puts(out, "{\"source_files\":[");
	while (ok && cg_report_file(&w.r, &file))
		ok = put_file(&w, file);
	cg_puts(out, "\n]}\n");
	coverage_json_free_fns(&w.fns);
	return cg_report_close(&w.r, ok);
}

/* ---- The module --------------------------------------------------------- */

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "source_files.coverage",
		"source_files.source_digest", "source_files.source",
		"source_files.branches", NULL };

	return cg_head_keys(head, keys) != 0 ? CG_PROBE_SURE : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	CG_OPTIONS_EXCLUDE,
	{ 0 },
};

const struct cg_module cg_format_coveralls = {
	CG_MODULE,
	.name = "coveralls",
	.title = "JSON of Coveralls' API, also written by grcov and gcovr",
	.text = true,
	.suffixes = "coveralls;coveralls.json",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_BRANCHES | CG_SIGNED |
		   CG_FILES | CG_DEFINITIONS,
	.needs = CG_LINES,
	.options = options,
	.probe = probe,
	.read = read_coveralls,
	.write = write_coveralls,
};
