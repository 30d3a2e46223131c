/*
 * gcovr_read.c - reads gcovr's JSON, versions 0.1 to 0.15.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "coverage_json.h"

struct gcovr {
	struct coverage_json_section section;
	/* State of the current file: */
	cg_name file;
	/* State of the current line: */
	uint32_t branch, decision; /* next numbers */
	size_t term;               /* first term's position in missed */
	CG_ARRAY(uint64_t) missed; /* terms * 2 + outcome not seen */
	uint64_t terms;            /* number of terms so far */
	struct cg_in *in;
};

struct line {
	uint64_t number;
	int64_t count;
	cg_name fn;
	bool noncode, excluded;
};

static bool
take_bool(struct cg_doc *doc, void *into)
{
	*(bool *)into = cg_doc_next(doc) == CG_JSON_TRUE;
	return cg_doc_skip(doc);
}

/* ---- Branches and conditions -------------------------------------------- */

static bool
take_branch(struct cg_doc *doc, void *into)
{
	struct branch {
		int64_t count;
		uint64_t block;
		bool fallthrough, throws, excluded;
	};
	static const struct cg_field fields[] = {
		{ "count", CG_FIELD_INT, offsetof(struct branch, count), NULL,
		    0 },
		{ "source_block_id", CG_FIELD_COUNT,
		    offsetof(struct branch, block), NULL, 0 },
		{ "fallthrough", CG_FIELD_CALL,
		    offsetof(struct branch, fallthrough), take_bool, 0 },
		{ "throw", CG_FIELD_CALL, offsetof(struct branch, throws),
		    take_bool, 0 },
		{ "gcovr/excluded", CG_FIELD_CALL,
		    offsetof(struct branch, excluded), take_bool, 0 },
		{ 0 },
	};
	struct gcovr *gcovr = doc->arg;
	struct branch branch = { 0 };
	unsigned flags;

	(void)into;
	if (!cg_doc_fields(doc, fields, &branch))
		return false;
	if (branch.block > UINT32_MAX)
		return cg_doc_fail(doc, "the number of a block");
	if (branch.excluded)
		return true;
	flags = (branch.fallthrough ? CG_BRANCH_FALLTHROUGH : 0) |
		(branch.throws ? CG_BRANCH_THROW : 0);
	return coverage_json_add_branch(doc, &gcovr->section,
	    &(struct coverage_json_branch){ .row = { .kind = CG_BRANCH_ARC,
						.block = (uint32_t)branch.block,
						.index = gcovr->branch++,
						.flags = flags,
						.count = branch.count } });
}

static bool
take_missed(struct cg_doc *doc, unsigned outcome)
{
	struct gcovr *gcovr = doc->arg;
	int64_t term;

	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		if (!cg_doc_number(doc, 0, &term))
			return false;
		if (term < 0 || term > UINT32_MAX / 4)
			return cg_doc_fail(doc, "the index of a term");
		if (!cg_append(
			doc->job, &gcovr->missed, (uint64_t)term * 2 + outcome))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_missed_true(struct cg_doc *doc, void *into)
{
	(void)into;
	return take_missed(doc, 1);
}

static bool
take_missed_false(struct cg_doc *doc, void *into)
{
	(void)into;
	return take_missed(doc, 0);
}

static int
compare_numbers(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/*
 * Adds the outcomes of a condition to those of the file; index: 2 * term, plus
 * 1 for true. Outcomes in gcovr->missed get the count 0, others 1. Sorts this
 * list. False: an error (reported).
 */
static bool
add_outcomes(struct cg_doc *doc, struct gcovr *gcovr, uint64_t count)
{
	struct coverage_json_branch branch = {
		.row = { .kind = CG_BRANCH_CONDITION, .block = gcovr->decision }
	};
	size_t at = 0;

	gcovr->terms += count;
	/* Each outcome becomes a row, so the input's size limits them. */
	if (count > UINT32_MAX ||
	    gcovr->terms > cg_in_offset(gcovr->in) + 65536)
		return cg_doc_fail(doc,
		    "fewer outcomes of conditions for the size of the input");
	if (gcovr->missed.n > 1)
		qsort(gcovr->missed.at, gcovr->missed.n,
		    sizeof(*gcovr->missed.at), compare_numbers);
	for (uint32_t i = 0; i < count; i++) {
		while (at < gcovr->missed.n && gcovr->missed.at[at] < i)
			at++;
		branch.row.index = i;
		branch.row.count =
		    !(at < gcovr->missed.n && gcovr->missed.at[at] == i);
		if (!coverage_json_add_branch(doc, &gcovr->section, &branch))
			return false;
	}
	gcovr->decision++;
	return true;
}

static bool
take_condition(struct cg_doc *doc, void *into)
{
	struct condition {
		uint64_t count;
		bool excluded;
	};
	static const struct cg_field fields[] = {
		{ "count", CG_FIELD_COUNT, offsetof(struct condition, count),
		    NULL, 0 },
		{ "not_covered_true", CG_FIELD_CALL, 0, take_missed_true, 0 },
		{ "not_covered_false", CG_FIELD_CALL, 0, take_missed_false, 0 },
		{ "gcovr/excluded", CG_FIELD_CALL,
		    offsetof(struct condition, excluded), take_bool, 0 },
		{ 0 },
	};
	struct gcovr *gcovr = doc->arg;
	struct condition condition = { 0 };

	(void)into;
	gcovr->missed.n = 0;
	return cg_doc_fields(doc, fields, &condition) &&
	       (condition.excluded ||
		   add_outcomes(doc, gcovr, condition.count));
}

/* ---- Lines and functions ------------------------------------------------ */

static bool
take_line(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "line_number", CG_FIELD_COUNT, offsetof(struct line, number),
		    NULL, 0 },
		{ "count", CG_FIELD_INT, offsetof(struct line, count), NULL,
		    0 },
		{ "branches", CG_FIELD_EACH, 0, take_branch, 0 },
		{ "conditions", CG_FIELD_EACH, 0, take_condition, 0 },
		{ "function_name", CG_FIELD_NAME, offsetof(struct line, fn),
		    NULL, 0 },
		{ "gcovr/noncode", CG_FIELD_CALL,
		    offsetof(struct line, noncode), take_bool, 0 },
		{ "gcovr/excluded", CG_FIELD_CALL,
		    offsetof(struct line, excluded), take_bool, 0 },
		{ 0 },
	};
	struct gcovr *gcovr = doc->arg;
	struct coverage_json_section *section = &gcovr->section;
	size_t from = section->branch.n;
	struct line line = { 0 };

	(void)into;
	gcovr->branch = gcovr->decision = 0;
	if (!cg_doc_fields(doc, fields, &line))
		return false;
	if (line.number == 0 || line.number > UINT32_MAX)
		return cg_doc_fail(doc, "\"line_number\" with a line");
	if (line.noncode || line.excluded) {
		section->branch.n = from;
		return true;
	}
	for (size_t i = from; i < section->branch.n; i++) {
		struct coverage_json_branch *branch = &section->branch.at[i];

		branch->fn = line.fn;
		branch->row.pos.line = (uint32_t)line.number;
		if (line.count != 0)
			branch->row.flags |= CG_BRANCH_REACHED;
	}
	return coverage_json_add_line(doc, section,
	    &(struct coverage_json_line){ .line = (uint32_t)line.number,
		.fn = line.fn,
		.count = line.count });
}

struct fn {
	cg_name name, demangled;
	uint64_t line, count;
	uint64_t last;
	bool counted, excluded;
};

static bool
take_count(struct cg_doc *doc, void *into)
{
	struct fn *fn = into;
	int64_t count;

	if (!cg_doc_number(doc, 0, &count))
		return false;
	fn->counted = count >= 0;
	fn->count = count >= 0 ? (uint64_t)count : 0;
	return true;
}

/*
 * Reads "line:column" and sets fn->last to the line. It is called for both
 * items of ["first:column", "last:column"], so the last line remains. False:
 * an error (reported).
 */
static bool
take_pos(struct cg_doc *doc, void *into)
{
	struct cg_slice text;
	struct fn *fn = into;

	return cg_doc_text(doc, &text) &&
	       ((cg_take_u64(&text, &fn->last) && fn->last <= UINT32_MAX) ||
		   cg_doc_fail(doc, "\"line:column\""));
}

static bool
take_fn(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "name", CG_FIELD_NAME, offsetof(struct fn, name), NULL, 0 },
		{ "demangled_name", CG_FIELD_NAME,
		    offsetof(struct fn, demangled), NULL, 0 },
		{ "lineno", CG_FIELD_COUNT, offsetof(struct fn, line), NULL,
		    0 },
		{ "execution_count", CG_FIELD_CALL, 0, take_count, 0 },
		{ "pos", CG_FIELD_EACH, 0, take_pos, 0 },
		{ "gcovr/excluded", CG_FIELD_CALL,
		    offsetof(struct fn, excluded), take_bool, 0 },
		{ 0 },
	};
	struct gcovr *gcovr = doc->arg;
	struct fn fn = { 0 };
	struct coverage_json_fn to;

	(void)into;
	if (!cg_doc_fields(doc, fields, &fn))
		return false;
	if ((fn.name == 0 && fn.demangled == 0) || fn.line > UINT32_MAX)
		return cg_doc_fail(doc, "a function with \"name\" and a line");
	if (fn.excluded)
		return true;
	to = (struct coverage_json_fn){ .name = fn.demangled ? fn.demangled
							     : fn.name,
		.symbol = fn.demangled ? fn.name : 0,
		.first = (uint32_t)fn.line,
		.last = fn.last < fn.line ? 0 : (uint32_t)fn.last,
		.count = fn.count,
		.counted = fn.counted };
	if (to.symbol == to.name)
		to.symbol = 0;
	return coverage_json_add_fn(doc, &gcovr->section, &to);
}

/* ---- The document ------------------------------------------------------- */

static bool
take_file(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "lines", CG_FIELD_EACH, 0, take_line, 0 },
		{ "functions", CG_FIELD_EACH, 0, take_fn, 0 },
		{ "file", CG_FIELD_NAME, offsetof(struct gcovr, file), NULL,
		    0 },
		{ 0 },
	};
	struct gcovr *gcovr = doc->arg;

	(void)into;
	gcovr->file = 0;
	if (!cg_doc_fields(doc, fields, gcovr))
		return false;
	if (gcovr->file == 0)
		return cg_doc_fail(doc, "a file with \"file\"");
	return coverage_json_end_section(
	    doc, &gcovr->section, cg_get_name(doc->build, gcovr->file));
}

static bool
take_version(struct cg_doc *doc, void *into)
{
	struct cg_slice text;
	uint64_t minor;

	(void)into;
	if (!cg_doc_text(doc, &text))
		return false;
	if (!cg_take_prefix(&text, "0.") || !cg_get_u64(text, &minor) ||
	    minor > 15)
		cg_warn(doc->job,
		    "unknown version of gcovr's JSON: expected 0.1 to 0.15");
	return true;
}

int
coverage_json_read_gcovr(
    struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_field fields[] = {
		{ "files", CG_FIELD_EACH, 0, take_file, 0 },
		{ "gcovr/format_version", CG_FIELD_CALL, 0, take_version, 0 },
		{ 0 },
	};
	struct gcovr gcovr = { .in = in };
	struct cg_doc doc;

	cg_doc_open(&doc, job, in, build, &gcovr);
	if (coverage_json_add_event(build))
		(void)cg_doc_fields(&doc, fields, doc.arg);
	return cg_doc_close(&doc);
}
