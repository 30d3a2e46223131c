/*
 * read.c - reads the records of tracefiles, of all versions of lcov.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lcov.h"

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct lcov_section section;
	bool skips;           /* up to end_of_record: no source file */
	struct cg_map parts;  /* name of a test -> part + 1 */
	cg_name test;         /* of the last TN: */
	cg_name source;       /* path of the last SF: */
	CG_ARRAY(char) key;   /* of a description, while it is joined */
	const char *record;   /* start of the current line */
	struct cg_slice rest; /* rest of that line */
};

static bool
reject(struct reader *r, const char *at, const char *expected)
{
	(void)cg_reject_at(r->job, at, "expected %s", expected);
	return false;
}

/* ---- Counts ------------------------------------------------------------- */

/*
 * Reads a decimal number into *number, and returns the pointer after it. A
 * character that is no digit must follow the text. NULL: there are no digits,
 * or more than "most", which may overflow.
 */
static inline const char *
skip_number(const char *at, uint64_t *number, int most)
{
	const char *from = at;
	uint64_t value = 0;

	for (; (unsigned)*at - '0' <= 9; at++)
		value = value * 10 + ((unsigned)*at - '0');
	*number = value;
	return at > from && at - from <= most ? at : NULL;
}

#define TWO_TO_63 9223372036854775808.0

/*
 * Takes a floating-point number off *text, such as 1.8446744073709552e+19:
 * Perl writes large counts so. False: malformed, and *text is unchanged.
 */
static bool
take_float(struct cg_slice *text, double *value)
{
	char number[64], *end;
	size_t n = text->len < sizeof(number) ? text->len : sizeof(number) - 1;

	memcpy(number, text->ptr, n);
	number[n] = '\0';
	n = strspn(number, "0123456789.eE+-");
	number[n] = '\0';
	*value = strtod(number, &end);
	if (n == 0 || *end != '\0')
		return false;
	text->ptr += n;
	text->len -= n;
	return true;
}

/*
 * Returns a count, negated if a sign preceded it. A count of 2^63 or more is a
 * negative one that wrapped around when written. It becomes 1, with a warning
 * at the pointer: lcov takes it for a hit.
 */
static int64_t
to_signed(struct reader *r, const char *at, bool negative, uint64_t count)
{
	if (negative)
		return (int64_t)(0 - count);
	if (count <= (uint64_t)INT64_MAX)
		return (int64_t)count;
	cg_warn_at(r->job, at,
	    "count %" PRIu64 " is a wrapped negative one: it is read as 1, "
	    "as lcov takes it for a hit",
	    count);
	return 1;
}

/*
 * Takes a count off r->rest, and stores it in *count. The count may be
 * negative. If the count is a floating-point number, drops its fraction with a
 * warning. Stores 1 for a count of 2^63 or more (see to_signed()). False: the
 * count is malformed, or too large for its type (not reported). Then r->rest
 * is unchanged.
 */
static bool
take_any_count(struct reader *r, int64_t *count)
{
	struct cg_slice rest = r->rest;
	bool negative = cg_take_char(&rest, '-');
	uint64_t value;
	double real;

	if (!cg_take_u64(&rest, &value))
		return false;
	if (rest.len > 0 && (*rest.ptr == '.' || (*rest.ptr | 0x20) == 'e')) {
		rest = r->rest;
		if (!take_float(&rest, &real) ||
		    !(real > -TWO_TO_63 && real < 2 * TWO_TO_63))
			return false;
		negative = real < 0;
		value = (uint64_t)(negative ? -real : real);
		cg_warn_at(r->job, r->rest.ptr,
		    "floating-point count is read as an integer");
	}
	if (negative && value > (uint64_t)INT64_MAX)
		return false;
	*count = to_signed(r, r->rest.ptr, negative, value);
	r->rest = rest;
	return true;
}

static bool
take_count(struct reader *r, int64_t *count)
{
	return take_any_count(r, count) ||
	       reject(r, r->rest.ptr, "a count of 64 bits");
}

/*
 * Takes the entry count of a function off r->rest; a negative one becomes 0
 * with a warning. False: rejected (reported).
 */
static bool
take_entries(struct reader *r, uint64_t *count)
{
	const char *at = r->rest.ptr;
	int64_t value;

	if (!take_count(r, &value))
		return false;
	if (value < 0)
		cg_warn_at(r->job, at,
		    "negative entry count of a function is read as 0");
	*count = value < 0 ? 0 : (uint64_t)value;
	return true;
}

/* ---- Fields ------------------------------------------------------------- */

static bool
take_u32(struct reader *r, const char *expected, uint32_t *number)
{
	const char *at = r->rest.ptr;
	uint64_t value;

	if (!cg_take_u64(&r->rest, &value) || value > UINT32_MAX)
		return reject(r, at, expected);
	*number = (uint32_t)value;
	return true;
}

static bool
take_comma(struct reader *r)
{
	return cg_take_char(&r->rest, ',') || reject(r, r->rest.ptr, "','");
}

/*
 * Takes the rest of the record as a name, and sets *name. False: it is empty;
 * the message says what was expected (reported).
 */
static bool
take_name(struct reader *r, const char *expected, cg_name *name)
{
	if (r->rest.len == 0)
		return reject(r, r->rest.ptr, expected);
	*name = cg_add_name(r->build, r->rest);
	r->rest.len = 0;
	return true;
}

static bool
take_end(struct reader *r)
{
	return r->rest.len == 0 ||
	       reject(r, r->rest.ptr, "the end of the line");
}

/* ---- Sections ----------------------------------------------------------- */

static bool
take_test(struct reader *r)
{
	r->test = cg_add_name(r->build, r->rest);
	return true;
}

/*
 * Makes the part of the current test (the last TN: record) the one to which
 * coverage is added. Adds the part of a new test, with its name as
 * description. False: out of memory (reported).
 */
static bool
begin_part(struct reader *r)
{
	const struct cg_part_info info = { .cmd = "" };
	uint32_t *part = cg_map_in(r->job, &r->parts, r->test);

	if (!part)
		return false;
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
		return reject(
		    r, r->record, "end_of_record before the next file");
	r->skips = r->rest.len == 0;
	if (r->skips) {
		cg_warn_at(r->job, r->record,
		    "skipped the records of a file without a path");
		return true;
	}
	r->section.open = true;
	r->source = cg_add_name(r->build, r->rest);
	r->section.file = cg_add_file(r->build, r->rest);
	return begin_part(r);
}

/*
 * Reads VER:, the version of the current file. Adds the version as a
 * description of the current part; the description's key has the file's path.
 * False: out of memory (reported).
 */
static bool
take_version(struct reader *r)
{
	struct cg_slice path = cg_get_name(r->build, r->source);
	const size_t prefix = sizeof(LCOV_VERSION) - 1;

	if (!cg_reserve(r->job, &r->key, prefix + path.len))
		return false;
	memcpy(r->key.at, LCOV_VERSION, prefix);
	memcpy(r->key.at + prefix, path.ptr, path.len);
	cg_add_desc(r->build, (struct cg_slice){ r->key.at, prefix + path.len },
	    r->rest);
	return true;
}

static bool
take_section_end(struct reader *r)
{
	return lcov_end_section(r->build, &r->section, r->record);
}

/* ---- Functions ---------------------------------------------------------- */

/*
 * Returns the last line of a function. If the last line is before the first,
 * returns 0 (unknown), with a warning.
 */
static uint32_t
check_last(struct reader *r, uint32_t first, uint32_t last)
{
	if (last >= first)
		return last;
	cg_warn_at(r->job, r->record,
	    "function ends before its first line; its last line is ignored");
	return 0;
}

static bool
add_count(struct reader *r, struct lcov_fn *fn, uint64_t count)
{
	if (!fn)
		return false;
	fn->counted = true;
	if (__builtin_add_overflow(fn->count, count, &fn->count))
		return reject(r, r->record, "counts whose sum fits in 64 bits");
	return true;
}

/*
 * Reads FN:first,[last,]name. Adds the function to the section, with its first
 * and last line (0: unknown). A name may contain commas or begin with a digit.
 * False: an error (reported).
 */
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
	return lcov_add_range(&r->section, name, first, last);
}

/*
 * Takes the rest of the record if it is the name of the function after the one
 * that got the last count. Returns that function. NULL: it is another name, or
 * there is no further function; nothing is taken. Counts mostly come in the
 * order of the FN records, so this saves lookups.
 */
static struct lcov_fn *
take_next_fn(struct reader *r)
{
	struct lcov_section *section = &r->section;
	struct lcov_fn *fn;

	if (section->next == section->fn.n)
		return NULL;
	fn = &section->fn.at[section->next];
	if (cg_compare(cg_get_name(r->build, fn->name), r->rest) != 0)
		return NULL;
	section->next++;
	r->rest.len = 0;
	return fn;
}

/*
 * Reads FNDA:count,name, and adds the count to the entry count of the function
 * with this name. False: an error (reported).
 */
static bool
take_fn_count(struct reader *r)
{
	struct lcov_fn *fn;
	uint64_t count;
	cg_name name;

	if (!take_entries(r, &count) || !take_comma(r))
		return false;
	fn = take_next_fn(r);
	if (!fn && take_name(r, "the name of a function", &name))
		fn = lcov_get_fn(&r->section, name);
	return add_count(r, fn, count);
}

/*
 * Reads FNL:index,first[,last], and stores the lines under the index, by which
 * FNA records refer to them. A later record of the index replaces them. False:
 * an error (reported).
 */
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
	at = cg_map_in(r->job, &section->by_index, index);
	if (!at || section->leader.n >= UINT32_MAX)
		return cg_reject_nomem(r->job);
	leader = cg_push(r->job, &section->leader);
	if (!leader)
		return false;
	*at = (uint32_t)section->leader.n;
	*leader = (struct lcov_leader){ .index = index, .first = first };
	if (last > 0)
		leader->last = check_last(r, first, last);
	return take_end(r);
}

/*
 * Reads FNA:index,count,name. Adds a function of this name to the section,
 * with the first and last line that an earlier FNL record states for the
 * index. Adds the count to the function's entry count. False: an error
 * (reported).
 */
static bool
take_alias(struct reader *r)
{
	const struct lcov_section *section = &r->section;
	const struct lcov_leader *leader;
	const char *at = r->rest.ptr;
	uint32_t index, nth;
	uint64_t count;
	cg_name name;

	if (!take_u32(r, "a number", &index) || !take_comma(r) ||
	    !take_entries(r, &count) || !take_comma(r) ||
	    !take_name(r, "the name of a function", &name))
		return false;
	nth = cg_map_get(&section->by_index, index);
	if (nth == 0 || nth > section->leader.n ||
	    section->leader.at[nth - 1].index != index)
		return reject(r, at, "the index of an earlier FNL: record");
	leader = &section->leader.at[nth - 1];
	return lcov_add_range(&r->section, name, leader->first, leader->last) &&
	       add_count(r, lcov_get_fn(&r->section, name), count);
}

/* ---- Lines and branches ------------------------------------------------- */

/*
 * Warns that a record of line 0 is skipped, and returns true. Some tools write
 * line 0 for code without a line, but lcov rejects it.
 */
static bool
skip_line_0(struct reader *r)
{
	cg_warn_at(r->job, r->record, "skipped a record of line 0");
	return true;
}

/*
 * Reads DA:line,count[,checksum], and appends the line to the section. Drops a
 * checksum with a warning. Skips a record of line 0 with a warning. False: an
 * error (reported).
 */
static bool
take_line(struct reader *r)
{
	struct lcov_section *section = &r->section;
	struct lcov_line *line = cg_push(r->job, &section->line);

	if (!line || !take_u32(r, "a line number", &line->line) ||
	    !take_comma(r) || !take_count(r, &line->count))
		return false;
	if (line->line == 0) {
		section->line.n--;
		return skip_line_0(r);
	}
	if (r->rest.len == 0)
		return true;
	cg_warn_at(r->job, r->rest.ptr, "checksums of lines are dropped");
	return take_comma(r);
}

/*
 * Reads the record DA:line,count that begins at "at", and appends the line to
 * the section. This is the fast path of take_line() for short numbers, as in
 * most records. The caller need not know where the record ends, as
 * skip_number() stops at the newline. Returns the address of the newline.
 * NULL: it is no such record, the line is 0, a number is long, a checksum
 * follows, no section is open, or the array must grow. Then nothing is taken,
 * and take_line() must read the record.
 */
static inline const char *
take_plain_line(struct reader *r, const char *at)
{
	struct lcov_section *section = &r->section;
	uint64_t number, count;

	if (at[0] != 'D' || at[1] != 'A' || at[2] != ':' || !section->open ||
	    section->line.n == section->line.cap)
		return NULL;
	at = skip_number(at + 3, &number, 9);
	if (!at || *at != ',' || number == 0)
		return NULL;
	at = skip_number(at + 1, &count, 18);
	if (!at || *at != '\n')
		return NULL;
	section->line.at[section->line.n++] =
	    (struct lcov_line){ (uint32_t)number, (int64_t)count };
	return at;
}

/*
 * Reads a BRDA record with short numbers, and appends the branch to the
 * section: a fast path of take_branch(). Returns the newline after it. NULL:
 * another record, no open section, or a full array; nothing is taken.
 */
static inline const char *
take_plain_branch(struct reader *r, const char *at)
{
	struct lcov_section *section = &r->section;
	const char *from;
	uint64_t number, block, index, count = 0;
	bool reached;

	if (at[0] != 'B' || at[1] != 'R' || at[2] != 'D' || at[3] != 'A' ||
	    at[4] != ':' || !section->open ||
	    section->branch.n == section->branch.cap)
		return NULL;
	at = skip_number(at + 5, &number, 9);
	if (!at || *at != ',' || number == 0)
		return NULL;
	at = skip_number(at + 1, &block, 9);
	if (!at || *at != ',')
		return NULL;
	from = at + 1;
	at = skip_number(from, &index, 9);
	if (!at || *at != ',' || (*from == '0' && at > from + 1))
		return NULL; /* a label: "00" */
	reached = *++at != '-';
	at = reached ? skip_number(at, &count, 18) : at + 1;
	if (!at || *at != '\n')
		return NULL;
	section->branch.at[section->branch.n] =
	    (struct lcov_branch){ .kind = CG_BRANCH_ARC,
		    .line = (uint32_t)number,
		    .block = (uint32_t)block,
		    .index = (uint32_t)index,
		    .nth = section->branch.n,
		    .flags = reached ? CG_BRANCH_REACHED : 0,
		    .count = (int64_t)count };
	section->branch.n++;
	return at;
}

/*
 * Reads a field of BRDA or MCDC that identifies the branch. A number without
 * sign and leading zeros becomes the branch's index. Any other text becomes
 * its label. False: the text is empty (reported).
 */
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
		return reject(r, text.ptr, "a number or an expression");
	branch->label = cg_add_name(r->build, text);
	return true;
}

static bool
add_branch(struct reader *r, struct lcov_branch *branch)
{
	struct lcov_section *section = &r->section;

	if (branch->line == 0)
		return skip_line_0(r);
	branch->nth = section->branch.n;
	return cg_append(r->job, &section->branch, *branch);
}

/*
 * Reads BRDA:line,[e|f][U]block,branch,taken, and appends the branch to the
 * section. False: an error (reported).
 */
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
		return reject(r, r->rest.ptr, "branch,count after the block");
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

/*
 * Reads MCDC:line,[U]group size,t|f,taken,term,expression, and appends the
 * condition's outcome to the section as a branch. The block of this branch is
 * the size of the group. Its index is 2 * term, plus 1 for outcome t. Its
 * label is the expression, unless the expression is only the term's number.
 * False: an error (reported).
 */
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
		return reject(r, r->rest.ptr, "t or f");
	if (!take_comma(r) || !take_count(r, &branch.count) || !take_comma(r) ||
	    !take_u32(r, "the number of a condition", &term) || !take_comma(r))
		return false;
	if (term >= branch.block || term > INT32_MAX)
		return reject(
		    r, r->record, "a condition less than the group size");
	if (!take_label(r, r->rest, &branch))
		return false;
	/* A number as expression is redundant if it is the term's own. */
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
		   reject(r, r->rest.ptr, "a number")) &&
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

/*
 * Reads the total of a record, checks its form, and ignores it: versions of
 * lcov count functions and branches differently. False: malformed (reported).
 */
static bool
skip_total(struct reader *r)
{
	uint64_t total;

	return take_total(r, &total);
}

/* The most frequent records come first. */
static const struct record {
	const char *name;
	bool outside; /* may stand outside of sections */
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

	cg_cut_return(&line);
	if (line.len == 0 || *line.ptr == '#')
		return true;
	r->record = line.ptr;
	while (record->name && !cg_starts(line, record->name))
		record++;
	if (!record->name) {
		cg_warn_at(r->job, line.ptr, "unknown record skipped");
		return true;
	}
	if (r->skips && !record->outside) {
		r->skips = record->take != take_section_end;
		return true;
	}
	if (!record->outside && !r->section.open)
		return reject(
		    r, line.ptr, "SF: with a source file before this record");
	r->rest = line;
	(void)cg_take_prefix(&r->rest, record->name);
	return record->take(r) && cg_build_status(r->build) == CG_OK;
}

/* Reads the records of a block of whole lines. False: an error (reported). */
static bool
read_block(struct reader *r, struct cg_slice block)
{
	const char *end = block.ptr + block.len, *newline;
	struct cg_slice line;

	while (block.ptr < end) {
		newline = take_plain_line(r, block.ptr);
		if (!newline)
			newline = take_plain_branch(r, block.ptr);
		if (newline) {
			block.ptr = newline + 1;
			continue;
		}
		block.len = (size_t)(end - block.ptr);
		(void)cg_take_line(&block, &line);
		if (take_record(r, line))
			continue;
		if (cg_rejected(r->job) == CG_OK)
			(void)cg_build_failed(r->build, line.ptr);
		return false;
	}
	return true;
}

int
lcov_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = { .name = "Exec",
		.long_name = "Line executions",
		.is_signed = true,
		.incl = CG_INCL_NONE };
	struct reader r = { .job = job, .build = build, .section.job = job };
	struct cg_slice block;

	(void)cg_add_event(build, &event);
	while (cg_read_block(in, &block) && read_block(&r, block))
		continue;
	if (cg_rejected(job) == CG_OK && cg_build_status(build) == CG_OK &&
	    cg_in_status(in) == CG_OK && r.section.open)
		(void)cg_reject(
		    job, "expected end_of_record: the file is truncated");
	return cg_in_status(in); /* the job keeps other errors */
}
