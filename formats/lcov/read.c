/*
 * read.c - reads tracefiles, of all versions at once.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lcov.h"

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct lcov_section section;
	struct cg_map parts; /* name of a test -> part + 1 */
	cg_name test, source;
	struct cg_slice rest; /* of the record */
	const char *record;
	int status;
};

static bool
refuse(struct reader *r, const char *at, const char *expected)
{
	r->status = cg_fail_at(r->job, at, "expected %s", expected);
	return false;
}

static bool
nomem(struct reader *r)
{
	r->status = cg_nomem(r->job);
	return false;
}

/* ---- Fields ------------------------------------------------------------- */

static bool
take_u32(struct reader *r, const char *expected, uint32_t *number)
{
	const char *at = r->rest.ptr;
	uint64_t value;

	if (!cg_take_u64(&r->rest, &value) || value > UINT32_MAX)
		return refuse(r, at, expected);
	*number = (uint32_t)value;
	return true;
}

static bool
take_comma(struct reader *r)
{
	return cg_take_char(&r->rest, ',') || refuse(r, r->rest.ptr, "','");
}

static bool
take_count(struct reader *r, int64_t *count)
{
	const char *at = r->rest.ptr;

	return lcov_take_count(r->job, &r->rest, count) ||
	       refuse(r, at, "a count of 64 bits");
}

/* Of a function: calls are never fewer than none. */
static bool
take_calls(struct reader *r, uint64_t *count)
{
	const char *at = r->rest.ptr;
	int64_t value;

	if (!take_count(r, &value))
		return false;
	if (value < 0)
		cg_warn_at(
		    r->job, at, "a negative count of calls is taken as 0");
	*count = value < 0 ? 0 : (uint64_t)value;
	return true;
}

/* All that is left of the record. */
static bool
take_name(struct reader *r, const char *expected, cg_name *name)
{
	if (r->rest.len == 0)
		return refuse(r, r->rest.ptr, expected);
	*name = cg_add_name(r->build, r->rest);
	r->rest.len = 0;
	return true;
}

static bool
take_end(struct reader *r)
{
	return r->rest.len == 0 ||
	       refuse(r, r->rest.ptr, "the end of the line");
}

/* ---- Sections ----------------------------------------------------------- */

static bool
take_test(struct reader *r)
{
	r->test = cg_add_name(r->build, r->rest);
	return true;
}

/* Each test is a part. */
static bool
begin_part(struct reader *r)
{
	const struct cg_part_info info = { .cmd = "" };
	uint32_t *part = cg_map_at(&r->parts, r->test);

	if (!part)
		return nomem(r);
	if (*part != 0) {
		cg_set_part(r->build, *part - 1);
		return true;
	}
	*part = cg_add_part(r->build, &info) + 1;
	if (r->test != 0)
		cg_add_desc(r->build, cg_slice(LCOV_TEST),
		    cg_get_name(r->build, r->test));
	return true;
}

static bool
take_source(struct reader *r)
{
	if (r->section.open)
		return refuse(
		    r, r->record, "end_of_record before the next file");
	if (r->rest.len == 0)
		return refuse(r, r->rest.ptr, "the path of a source file");
	r->section.open = true;
	r->source = cg_add_name(r->build, r->rest);
	r->section.file = cg_add_file(r->build, r->rest);
	return begin_part(r);
}

static bool
take_version(struct reader *r)
{
	struct cg_slice path, key;
	size_t size;
	char *text;

	path = cg_get_name(r->build, r->source);
	size = sizeof(LCOV_VERSION) - 1 + path.len;
	text = malloc(size);
	if (!text)
		return nomem(r);
	memcpy(text, LCOV_VERSION, sizeof(LCOV_VERSION) - 1);
	memcpy(text + sizeof(LCOV_VERSION) - 1, path.ptr, path.len);
	key = (struct cg_slice){ text, size };
	cg_add_desc(r->build, key, r->rest);
	free(text);
	return true;
}

static bool
take_section_end(struct reader *r)
{
	r->status = lcov_end_section(r->job, r->build, &r->section);
	return r->status == CG_OK;
}

/* ---- Functions ---------------------------------------------------------- */

/* The last line of a function is not always known, nor always true. */
static uint32_t
check_last(struct reader *r, uint32_t first, uint32_t last)
{
	if (last >= first)
		return last;
	cg_warn_at(r->job, r->record,
	    "the function ends before it begins: its end is not used");
	return 0;
}

static bool
add_count(struct reader *r, cg_name name, uint64_t count)
{
	struct lcov_fn *fn = lcov_get_fn(&r->section, name);

	if (!fn)
		return nomem(r);
	fn->counted = true;
	if (__builtin_add_overflow(fn->count, count, &fn->count))
		return refuse(r, r->record, "counts whose sum fits 64 bits");
	return true;
}

/* FN:first,[last,]name; a name may hold commas, and begin with a digit. */
static bool
take_fn(struct reader *r)
{
	struct cg_slice after;
	uint32_t first, last = 0;
	uint64_t number;
	cg_name name;

	if (!take_u32(r, "a line number", &first) || !take_comma(r))
		return false;
	after = r->rest;
	if (cg_take_u64(&after, &number) && number <= UINT32_MAX &&
	    cg_take_char(&after, ',') && after.len > 0) {
		last = check_last(r, first, (uint32_t)number);
		r->rest = after;
	}
	if (!take_name(r, "the name of a function", &name))
		return false;
	return lcov_add_range(&r->section, name, first, last) || nomem(r);
}

/* FNDA:count,name */
static bool
take_fn_count(struct reader *r)
{
	uint64_t count;
	cg_name name;

	return take_calls(r, &count) && take_comma(r) &&
	       take_name(r, "the name of a function", &name) &&
	       add_count(r, name, count);
}

/* FNL:index,first[,last] */
static bool
take_leader(struct reader *r)
{
	struct lcov_section *section = &r->section;
	struct lcov_leader *leader;
	uint32_t index, first, last = 0, *at;

	if (!take_u32(r, "a number", &index) || !take_comma(r) ||
	    !take_u32(r, "a line number", &first))
		return false;
	if (r->rest.len > 0 &&
	    (!take_comma(r) || !take_u32(r, "a line number", &last)))
		return false;
	at = cg_map_at(&section->by_index, index);
	if (!at || section->leaders >= UINT32_MAX ||
	    !cg_grow_raw(&section->leader, &section->leader_cap,
		section->leaders + 1, sizeof(*leader)))
		return nomem(r);
	leader = &section->leader[section->leaders++];
	*at = (uint32_t)section->leaders;
	*leader = (struct lcov_leader){ .index = index, .first = first };
	if (last > 0)
		leader->last = check_last(r, first, last);
	return take_end(r);
}

/* FNA:index,count,name */
static bool
take_alias(struct reader *r)
{
	const struct lcov_section *section = &r->section;
	const struct lcov_leader *leader;
	const char *at = r->rest.ptr;
	uint32_t index, place;
	uint64_t count;
	cg_name name;

	if (!take_u32(r, "a number", &index) || !take_comma(r) ||
	    !take_calls(r, &count) || !take_comma(r) ||
	    !take_name(r, "the name of a function", &name))
		return false;
	place = cg_map_get(&section->by_index, index);
	if (place == 0 || place > section->leaders ||
	    section->leader[place - 1].index != index)
		return refuse(r, at, "the number of an FNL: line before");
	leader = &section->leader[place - 1];
	return (lcov_add_range(
		    &r->section, name, leader->first, leader->last) ||
		   nomem(r)) &&
	       add_count(r, name, count);
}

/* ---- Lines and branches ------------------------------------------------- */

/* DA:line,count[,checksum] */
static bool
take_line(struct reader *r)
{
	struct lcov_section *section = &r->section;
	struct lcov_line *line;

	if (!cg_grow_raw(&section->line, &section->line_cap, section->lines + 1,
		sizeof(*line)))
		return nomem(r);
	line = &section->line[section->lines];
	if (!take_u32(r, "a line number", &line->line) || !take_comma(r) ||
	    !take_count(r, &line->count))
		return false;
	section->lines++;
	if (r->rest.len == 0)
		return true;
	cg_warn_at(r->job, r->rest.ptr, "checksums of lines are not kept");
	return take_comma(r);
}

/*
 * DA as it mostly is, which files are mostly made of. The line ends with a
 * newline, so nothing is read behind it. False: take_line() knows.
 */
static bool
take_plain_line(struct reader *r, struct cg_slice line)
{
	struct lcov_section *section = &r->section;
	const char *at = line.ptr + 3;
	uint64_t number, count;

	if (!section->open || section->lines == section->line_cap ||
	    line.len < 3 || memcmp(line.ptr, "DA:", 3) != 0)
		return false;
	at = lcov_skip_number(at, &number, 9);
	if (!at || *at != ',')
		return false;
	at = lcov_skip_number(at + 1, &count, 18);
	if (!at || at != line.ptr + line.len)
		return false;
	section->line[section->lines++] =
	    (struct lcov_line){ (uint32_t)number, (int64_t)count };
	return true;
}

/* What the text is; a number stands for itself. */
static bool
take_label(struct reader *r, struct cg_slice text, struct lcov_branch *branch)
{
	struct cg_slice rest = text;
	uint64_t number;

	if (cg_take_u64(&rest, &number) && rest.len == 0 && *text.ptr != '+' &&
	    number <= UINT32_MAX && (text.len == 1 || *text.ptr != '0')) {
		branch->index = (uint32_t)number;
		return true;
	}
	if (text.len == 0)
		return refuse(r, text.ptr, "a number or an expression");
	branch->label = cg_add_name(r->build, text);
	return true;
}

static bool
add_branch(struct reader *r, struct lcov_branch *branch)
{
	struct lcov_section *section = &r->section;

	if (!cg_grow_raw(&section->branch, &section->branch_cap,
		section->branches + 1, sizeof(*branch)))
		return nomem(r);
	branch->nth = section->branches;
	section->branch[section->branches++] = *branch;
	return true;
}

/* BRDA:line,[e|f][U]block,branch,taken */
static bool
take_branch(struct reader *r)
{
	struct lcov_branch branch = { .kind = CG_BRANCH_ARC };
	struct cg_slice label;
	size_t comma;

	if (!take_u32(r, "a line number", &branch.line) || !take_comma(r))
		return false;
	if (cg_take_char(&r->rest, 'e'))
		branch.flags |= CG_BRANCH_THROW;
	else if (cg_take_char(&r->rest, 'f'))
		branch.flags |= CG_BRANCH_FALLTHROUGH;
	if (cg_take_char(&r->rest, 'U'))
		branch.flags |= CG_BRANCH_UNREACHABLE;
	if (!take_u32(r, "the number of a block", &branch.block) ||
	    !take_comma(r))
		return false;
	for (comma = r->rest.len; comma > 0; comma--) {
		if (r->rest.ptr[comma - 1] == ',')
			break;
	}
	if (comma == 0)
		return refuse(r, r->rest.ptr, "a branch, a comma and a count");
	label = (struct cg_slice){ r->rest.ptr, comma - 1 };
	if (!take_label(r, label, &branch))
		return false;
	r->rest.ptr += comma;
	r->rest.len -= comma;
	if (!cg_equal(r->rest, "-")) {
		branch.flags |= CG_BRANCH_REACHED;
		if (!take_count(r, &branch.count) || !take_end(r))
			return false;
	}
	return add_branch(r, &branch);
}

/* MCDC:line,[U]group size,t|f,taken,term,expression */
static bool
take_condition(struct reader *r)
{
	struct lcov_branch branch = { .kind = CG_BRANCH_CONDITION,
		.flags = CG_BRANCH_REACHED };
	bool outcome;
	uint32_t term;

	if (!take_u32(r, "a line number", &branch.line) || !take_comma(r))
		return false;
	if (cg_take_char(&r->rest, 'U'))
		branch.flags |= CG_BRANCH_UNREACHABLE;
	if (!take_u32(r, "the size of a group", &branch.block) ||
	    !take_comma(r))
		return false;
	outcome = cg_take_char(&r->rest, 't');
	if (!outcome && !cg_take_char(&r->rest, 'f'))
		return refuse(r, r->rest.ptr, "t or f");
	if (!take_comma(r) || !take_count(r, &branch.count) || !take_comma(r) ||
	    !take_u32(r, "the number of a condition", &term) || !take_comma(r))
		return false;
	if (term >= branch.block || term > INT32_MAX)
		return refuse(
		    r, r->record, "a number below the size of the group");
	if (!take_label(r, r->rest, &branch))
		return false;
	/* The term's own number says nothing, another one is an expression. */
	if (branch.label == 0 && branch.index != term)
		branch.label = cg_add_name(r->build, r->rest);
	branch.index = 2 * term + outcome;
	return add_branch(r, &branch);
}

/* ---- Records ------------------------------------------------------------ */

static bool
take_total(struct reader *r, uint64_t *total)
{
	return (cg_take_u64(&r->rest, total) ||
		   refuse(r, r->rest.ptr, "a number")) &&
	       take_end(r);
}

static bool
take_found(struct reader *r)
{
	r->section.has_found = true;
	return take_total(r, &r->section.found);
}

static bool
take_hit(struct reader *r)
{
	r->section.has_hit = true;
	return take_total(r, &r->section.hit);
}

/* Versions count functions and branches in different ways. */
static bool
skip_total(struct reader *r)
{
	uint64_t total;

	return take_total(r, &total);
}

/* The most frequent come first. */
static const struct record {
	const char *name;
	bool outside; /* of sections */
	bool (*take)(struct reader *);
} records[] = {
	{ "DA:", false, take_line },
	{ "BRDA:", false, take_branch },
	{ "FN:", false, take_fn },
	{ "FNDA:", false, take_fn_count },
	{ "FNL:", false, take_leader },
	{ "FNA:", false, take_alias },
	{ "MCDC:", false, take_condition },
	{ "SF:", true, take_source },
	{ "KF:", true, take_source }, /* as lcov 1.x read it */
	{ "TN:", true, take_test },
	{ "end_of_record", false, take_section_end },
	{ "LF:", false, take_found },
	{ "LH:", false, take_hit },
	{ "FNF:", false, skip_total },
	{ "FNH:", false, skip_total },
	{ "BRF:", false, skip_total },
	{ "BRH:", false, skip_total },
	{ "MCF:", false, skip_total },
	{ "MCH:", false, skip_total },
	{ "VER:", false, take_version },
	{ NULL, false, NULL },
};

static bool
take_record(struct reader *r, struct cg_slice line)
{
	const struct record *record = records;

	if (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	if (line.len == 0 || *line.ptr == '#')
		return true;
	r->record = line.ptr;
	while (record->name && !cg_starts(line, record->name))
		record++;
	if (!record->name) {
		cg_warn_at(r->job, line.ptr, "unknown record is skipped");
		return true;
	}
	if (!record->outside && !r->section.open)
		return refuse(r, line.ptr, "SF: and a source file before");
	r->rest = line;
	(void)cg_take_prefix(&r->rest, record->name);
	return record->take(r) && cg_build_status(r->build) == CG_OK;
}

static void
read_block(struct reader *r, struct cg_slice block)
{
	struct cg_slice line;

	while (cg_take_line(&block, &line)) {
		if (take_plain_line(r, line) || take_record(r, line))
			continue;
		if (r->status == CG_OK)
			r->status = cg_build_failed(r->build, line.ptr);
		return;
	}
}

int
lcov_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = { .name = "Exec",
		.long_name = "Line executions",
		.is_signed = true,
		.incl = CG_INCL_NONE };
	struct reader r = { .job = job, .build = build };
	struct cg_slice block;

	(void)cg_add_event(build, &event);
	while (r.status == CG_OK && cg_read_block(in, &block))
		read_block(&r, block);
	if (r.status == CG_OK)
		r.status = cg_in_status(in);
	if (r.status == CG_OK && r.section.open)
		r.status = cg_fail(
		    job, "expected end_of_record: the file is cut short");
	lcov_free_section(&r.section);
	cg_map_free(&r.parts);
	return r.status;
}
