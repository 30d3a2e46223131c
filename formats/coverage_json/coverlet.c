/*
 * coverlet.c - the module for the JSON of coverlet, coverage of .NET.
 *
 * Source: coverlet.core/Reporters/JsonReporter.cs and CoverageResult.cs of
 * coverlet 6: modules contain documents (paths), these contain classes, and
 * these methods, with counts by line and a list of branches. Branches of one
 * line and offset are the ways out of one instruction.
 *
 * Lines, methods and branches survive. Lost are modules, classes and offsets.
 */
#include "coverage_json.h"

struct coverlet {
	struct coverage_json_section section;
	struct coverage_json_fn fn; /* the open method */
	uint32_t line;              /* of the last branch; 0: none */
	int64_t offset;
	uint32_t block, index;
};

struct branch {
	uint64_t line, hits;
	int64_t offset;
};

static bool
take_lines(struct cg_doc *doc, void *into)
{
	struct coverlet *c = doc->arg;
	struct coverage_json_line line = { .fn = c->fn.name };
	struct cg_slice key;
	uint64_t number;

	(void)into;
	if (!cg_doc_object(doc))
		return false;
	while (cg_doc_key(doc, &key)) {
		if (!cg_get_u64(key, &number) || number > UINT32_MAX)
			return cg_doc_fail(doc, "a line number as key");
		if (!cg_doc_number(doc, 0, &line.count))
			return false;
		if (line.count < 0)
			return cg_doc_fail(doc, "a count");
		line.line = (uint32_t)number;
		if (c->fn.first == 0 || line.line < c->fn.first)
			c->fn.first = line.line;
		if (line.line > c->fn.last)
			c->fn.last = line.line;
		if (line.line > 0 &&
		    !coverage_json_add_line(doc, &c->section, &line))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_branch(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "Line", CG_FIELD_COUNT, offsetof(struct branch, line), NULL,
		    0 },
		{ "Offset", CG_FIELD_INT, offsetof(struct branch, offset), NULL,
		    0 },
		{ "Hits", CG_FIELD_COUNT, offsetof(struct branch, hits), NULL,
		    0 },
		{ 0 },
	};
	struct coverlet *c = doc->arg;
	struct branch branch = { 0 };
	struct coverage_json_branch to = { .fn = c->fn.name,
		.row.kind = CG_BRANCH_ARC };

	(void)into;
	if (!cg_doc_fields(doc, fields, &branch))
		return false;
	if (branch.line == 0 || branch.line > UINT32_MAX)
		return cg_doc_fail(doc, "a branch with a line");
	if (branch.hits > INT64_MAX)
		return cg_doc_fail(doc, "a count");
	if (branch.line == c->line && branch.offset == c->offset) {
		c->index++;
	} else {
		c->block++;
		c->index = 0;
	}
	c->line = (uint32_t)branch.line;
	c->offset = branch.offset;
	to.row.pos.line = c->line;
	to.row.block = c->block;
	to.row.index = c->index;
	to.row.count = (int64_t)branch.hits;
	return coverage_json_add_branch(doc, &c->section, &to);
}

static bool
take_methods(struct cg_doc *doc)
{
	static const struct cg_field fields[] = {
		{ "Lines", CG_FIELD_CALL, 0, take_lines, 0 },
		{ "Branches", CG_FIELD_EACH, 0, take_branch, 0 },
		{ 0 },
	};
	struct coverlet *c = doc->arg;
	struct cg_slice key;

	if (!cg_doc_object(doc))
		return false;
	while (cg_doc_key(doc, &key)) {
		c->fn = (struct coverage_json_fn){ .name = cg_add_name(
						       doc->build, key) };
		c->line = 0;
		if (!cg_doc_fields(doc, fields, c))
			return false;
		if (c->fn.first > 0 &&
		    !coverage_json_add_fn(doc, &c->section, &c->fn))
			return false;
	}
	return doc->status == CG_OK;
}

/*
 * Reads the classes of a document (source file), and collects their methods in
 * c->section. False: an error (reported).
 */
static bool
take_classes(struct cg_doc *doc)
{
	struct cg_slice key;

	if (!cg_doc_object(doc))
		return false;
	while (cg_doc_key(doc, &key)) {
		if (!take_methods(doc))
			return false;
	}
	return doc->status == CG_OK;
}

/*
 * Adds a path to the graph's names and returns its id. In a path of Windows,
 * '/' replaces '\\', so that every target recognises its directories. 0: out
 * of memory (reported).
 */
static cg_name
add_path(struct cg_doc *doc, struct cg_slice path)
{
	CG_ARRAY(char) text = { 0 };

	if (cg_starts(path, "/") || !cg_find(path, "\\"))
		return cg_add_name(doc->build, path);
	if (!cg_resize(doc->job, &text, path.len))
		return 0;
	for (size_t i = 0; i < path.len; i++)
		text.at[i] = path.ptr[i] == '\\' ? '/' : path.ptr[i];
	return cg_add_name(doc->build, (struct cg_slice){ text.at, text.n });
}

/*
 * Reads the documents (source files) of a module, and adds each to the graph.
 * Branches that were taken are flagged as reached. False: an error (reported).
 */
static bool
take_documents(struct cg_doc *doc)
{
	struct coverlet *c = doc->arg;
	struct cg_slice key;
	cg_name path;

	if (!cg_doc_object(doc))
		return false;
	while (cg_doc_key(doc, &key)) {
		path = add_path(doc, key);
		if (!take_classes(doc))
			return false;
		c->block = 0;
		for (size_t i = 0; i < c->section.branch.n; i++) {
			if (c->section.branch.at[i].row.count > 0)
				c->section.branch.at[i].row.flags |=
				    CG_BRANCH_REACHED;
		}
		if (!coverage_json_end_section(
			doc, &c->section, cg_get_name(doc->build, path)))
			return false;
	}
	return doc->status == CG_OK;
}

static int
read_coverlet(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct coverlet c = { 0 };
	struct cg_slice key;
	struct cg_doc doc;

	cg_doc_open(&doc, job, in, build, &c);
	if (coverage_json_add_event(build) && cg_doc_object(&doc)) {
		while (cg_doc_key(&doc, &key) && take_documents(&doc))
			;
	}
	return cg_doc_close(&doc);
}

/*
 * Returns CG_PROBE_SURE for five nested objects, else CG_PROBE_NO. Checks the
 * first key of each. The keys are the names of a module, a document, a class
 * and a method, then "Lines" or "Branches". The name of the module must
 * contain ".dll" or ".exe".
 */
static int
probe(const struct cg_head *head)
{
	struct cg_json json;

	cg_json_start(&json, head->text);
	for (unsigned level = 0; level < 5; level++) {
		if (cg_json_next(&json) != CG_JSON_OBJECT ||
		    cg_json_next(&json) != CG_JSON_KEY)
			return CG_PROBE_NO;
		if (level == 0 && !cg_find(json.text, ".dll") &&
		    !cg_find(json.text, ".exe"))
			return CG_PROBE_NO;
	}
	return cg_equal(json.text, "Lines") || cg_equal(json.text, "Branches")
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_coverlet = {
	CG_MODULE,
	.name = "coverlet",
	.title = "coverage of .NET: JSON of coverlet",
	.text = true,
	.suffixes = "coverlet.json",
	.probe = probe,
	.read = read_coverlet,
};
