/*
 * simplecov.c - the module for SimpleCov, coverage of Ruby: coverage.json and
 * .resultset.json.
 *
 * Source: schemas/coverage-v1.1.schema.json, source_file_formatter.rb,
 * context_map.rb, ruby_data_parser.rb and legacy_format_adapter.rb of
 * SimpleCov 1.1; output of SimpleCov 0.22 and 1.1. A resultset has the runs
 * that were not merged yet, each of which becomes a part, named as lcov names
 * tests; branches and methods have keys that Ruby prints, such as
 * "[:then, 1, 11, 6, 11, 32]": kind, number, first line and column, last line
 * and column. In coverage.json branches are a list; those of one condition
 * follow each other, and get the line of the first one, as it is that of the
 * condition.
 *
 * With track_tests, version 1.1 states the lines that each test ran, as bits.
 * Each test becomes a part, in which these lines have count 1; the rest of a
 * line's count stays in the part of the run. Sums are those of the report.
 *
 * Lines, branches, methods and tests survive. Lost are groups, sources, and
 * code between :nocov: where coverage.json says "ignored"; .resultset.json
 * still counts it.
 */
#include <inttypes.h>
#include <string.h>

#include "coverage_json.h"

#define TEST_NAME "lcov test" /* description of a part: see lcov */

/* Lines of a file that a test ran. */
struct bits {
	uint32_t test;     /* number of the test */
	size_t begin, end; /* hex digits in simplecov.hex */
};

/* A line, its function, and how often it ran outside of tests. */
struct owned {
	uint32_t line;
	cg_fn fn;
	uint64_t count;
};

/* A file of the run, and its lines in simplecov.owned. */
struct known {
	cg_file file;
	size_t begin, end;
};

struct simplecov {
	struct coverage_json_section section;
	CG_ARRAY(struct bits) bits; /* of one file */
	CG_ARRAY(char) hex;         /* of all bits */
	CG_ARRAY(char) name;        /* scratch */
	CG_ARRAY(struct owned) owned;
	CG_ARRAY(struct known) known;
	struct cg_map paths; /* name of a path -> index in known + 1 */
	struct cg_map tests; /* number of a test -> part + 1 */
	cg_part run;         /* part of the open run */
	uint32_t block;      /* number of conditions of the file */
	uint64_t ignored;    /* lines, branches, methods */
	uint64_t unknown; /* files with lines of tests, but none of the run */
};

/* ---- Parts -------------------------------------------------------------- */

/*
 * Ends a run: adds the counts of its lines to the graph, and forgets its files
 * and tests. The counts no longer include the executions that move_line() has
 * moved to the run's tests. False: the builder has failed.
 */
static bool
end_run(struct cg_doc *doc)
{
	struct simplecov *s = doc->arg;
	struct cg_pos pos = { 0 };

	for (size_t i = 0; i < s->known.n; i++) {
		const struct known *known = &s->known.at[i];

		pos.file = known->file;
		for (size_t j = known->begin; j < known->end; j++) {
			pos.line = s->owned.at[j].line;
			if (!cg_add_cost(doc->build, s->owned.at[j].fn, &pos,
				&s->owned.at[j].count, 1))
				return false;
		}
	}
	s->known.n = s->owned.n = 0;
	cg_map_clear(&s->tests);
	cg_map_clear(&s->paths);
	return true;
}

static void
begin_run(struct cg_doc *doc, struct cg_slice name)
{
	const struct cg_part_info info = { .cmd = "" };
	struct simplecov *s = doc->arg;

	s->run = cg_add_part(doc->build, &info);
	if (name.len > 0)
		cg_add_desc(doc->build, cg_slice(TEST_NAME), name);
}

/*
 * Makes the part (section of the graph) of a test current, and adds it if it
 * is new. test is the test's number in this run. False: out of memory
 * (reported).
 */
static bool
set_test(struct cg_doc *doc, uint32_t test)
{
	const struct cg_part_info info = { .cmd = "" };
	struct simplecov *s = doc->arg;
	uint32_t *part = cg_map_in(doc->job, &s->tests, test);

	if (!part)
		return false;
	if (*part == 0)
		*part = cg_add_part(doc->build, &info) + 1;
	else
		cg_set_part(doc->build, *part - 1);
	return true;
}

/*
 * Reads the array with the names of all tests of the run. Adds a part (section
 * of the graph) for each test, with the name as description. Then makes the
 * run's part current again. False: an error (reported).
 */
static bool
take_test_names(struct cg_doc *doc, void *into)
{
	struct simplecov *s = doc->arg;
	struct cg_slice name;

	(void)into;
	if (!cg_doc_array(doc))
		return false;
	for (uint64_t i = 0; cg_doc_item(doc); i++) {
		if (i > UINT32_MAX)
			return cg_doc_fail(doc, "fewer tests");
		if (!cg_doc_text(doc, &name) || !set_test(doc, (uint32_t)i))
			return false;
		cg_add_desc(doc->build, cg_slice(TEST_NAME), name);
	}
	cg_set_part(doc->build, s->run);
	return doc->status == CG_OK;
}

/* ---- Lines of tests ----------------------------------------------------- */

/*
 * Reads the lines of a file that tests ran, such as { "0": "145620" }, to
 * s->bits. The key is a test's number; the lowest bit of the hex value stands
 * for line 1. False: an error (reported).
 */
static bool
take_bits(struct cg_doc *doc, void *into)
{
	struct simplecov *s = doc->arg;
	struct cg_slice key, hex;
	uint64_t test;

	(void)into;
	if (!cg_doc_object(doc))
		return false;
	while (cg_doc_key(doc, &key)) {
		if (!cg_get_u64(key, &test) || test > UINT32_MAX)
			return cg_doc_fail(doc, "the number of a test");
		if (!cg_doc_text(doc, &hex))
			return false;
		if (!cg_append(doc->job, &s->bits,
			(struct bits){
			    (uint32_t)test, s->hex.n, s->hex.n + hex.len }) ||
		    !cg_resize(doc->job, &s->hex, s->hex.n + hex.len))
			return false;
		if (hex.len > 0)
			memcpy(
			    s->hex.at + s->hex.n - hex.len, hex.ptr, hex.len);
	}
	return doc->status == CG_OK;
}

/*
 * Searches the sorted lines of a file of the run (known) by binary search.
 * Returns the line's element of s->owned; NULL: the line has no count.
 */
static struct owned *
find_line(const struct simplecov *s, const struct known *known, uint64_t line)
{
	size_t low = known->begin, high = known->end, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (s->owned.at[middle].line < line)
			low = middle + 1;
		else
			high = middle;
	}
	return low < known->end && s->owned.at[low].line == line
		   ? &s->owned.at[low]
		   : NULL;
}

/*
 * Moves one execution of a line from the run to the current part (section of
 * the graph), a test's. Does nothing if the run has no execution of it left.
 * False: the builder has failed.
 */
static bool
move_line(struct cg_doc *doc, const struct known *known, uint64_t line)
{
	struct owned *owned = find_line(doc->arg, known, line);
	const struct cg_pos pos = { .file = known->file,
		.line = (uint32_t)line };
	const uint64_t one = 1;

	if (!owned || owned->count == 0)
		return true;
	owned->count--;
	return cg_add_cost(doc->build, owned->fn, &pos, &one, 1);
}

static bool
move_lines(
    struct cg_doc *doc, const struct known *known, const struct bits *bits)
{
	static const char digits[] = "0123456789abcdef";
	const struct simplecov *s = doc->arg;
	const char *digit;
	uint64_t line = 1;

	if (!set_test(doc, bits->test))
		return false;
	for (size_t i = bits->end; i-- > bits->begin; line += 4) {
		digit = memchr(digits, s->hex.at[i], sizeof(digits) - 1);
		if (!digit)
			return cg_doc_fail(doc, "hex digits");
		for (unsigned bit = 0; bit < 4; bit++) {
			if ((digit - digits) >> bit & 1 &&
			    !move_line(doc, known, line + bit))
				return false;
		}
	}
	return true;
}

/*
 * Moves the executions in s->bits from the run to their tests, and clears the
 * list. Then the run's part is current again. If the run has no file with this
 * path, moves nothing, and counts that in s->unknown. False: an error
 * (reported).
 */
static bool
end_bits(struct cg_doc *doc, cg_name path)
{
	struct simplecov *s = doc->arg;
	const uint32_t nth = cg_map_get(&s->paths, path);

	s->unknown += nth == 0 && s->bits.n > 0;
	for (size_t i = 0; nth > 0 && i < s->bits.n; i++) {
		if (!move_lines(doc, &s->known.at[nth - 1], &s->bits.at[i]))
			return false;
	}
	cg_set_part(doc->build, s->run);
	s->bits.n = s->hex.n = 0;
	return true;
}

/* ---- Lines -------------------------------------------------------------- */

/*
 * Reads a line's count. Sets *counted to whether there is a count. If the
 * value is null or "ignored", leaves *count as it is. s->ignored counts the
 * values "ignored". False: an error (reported).
 */
static bool
take_count(struct cg_doc *doc, int64_t *count, bool *counted)
{
	struct simplecov *s = doc->arg;
	struct cg_slice text;

	*counted = false;
	if (cg_doc_next(doc) == CG_JSON_NULL)
		return cg_doc_skip(doc);
	if (cg_doc_next(doc) == CG_JSON_STRING) {
		s->ignored++;
		return cg_doc_text(doc, &text) &&
		       (cg_equal(text, "ignored") ||
			   cg_doc_fail(doc, "a count or \"ignored\""));
	}
	*counted = true;
	return cg_doc_number(doc, 0, count) &&
	       (*count >= 0 || cg_doc_fail(doc, "a count"));
}

static bool
take_lines(struct cg_doc *doc, void *into)
{
	struct simplecov *s = doc->arg;
	struct coverage_json_line line = { 0 };
	bool counted;

	(void)into;
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		if (++line.line == 0)
			return cg_doc_fail(doc, "fewer lines");
		if (!take_count(doc, &line.count, &counted) ||
		    (counted &&
			!coverage_json_add_line(doc, &s->section, &line)))
			return false;
	}
	return doc->status == CG_OK;
}

/* ---- Branches and methods: coverage.json -------------------------------- */

struct item {
	cg_name kind, name;
	uint64_t first, last, report;
	int64_t count;
	bool counted;
};

static bool
take_item_count(struct cg_doc *doc, void *into)
{
	struct item *item = into;

	return take_count(doc, &item->count, &item->counted);
}

static bool
take_item(struct cg_doc *doc, struct item *item)
{
	static const struct cg_field fields[] = {
		{ "type", CG_FIELD_NAME, offsetof(struct item, kind), NULL, 0 },
		{ "name", CG_FIELD_NAME, offsetof(struct item, name), NULL, 0 },
		{ "start_line", CG_FIELD_COUNT, offsetof(struct item, first),
		    NULL, 0 },
		{ "end_line", CG_FIELD_COUNT, offsetof(struct item, last), NULL,
		    0 },
		{ "report_line", CG_FIELD_COUNT, offsetof(struct item, report),
		    NULL, 0 },
		{ "coverage", CG_FIELD_CALL, 0, take_item_count, 0 },
		{ 0 },
	};

	if (!cg_doc_fields(doc, fields, item))
		return false;
	if (item->first > UINT32_MAX || item->last > UINT32_MAX ||
	    item->report > UINT32_MAX)
		return cg_doc_fail(doc, "a line number");
	return true;
}

/*
 * True if a branch belongs to the same condition as the branch before it.
 * "else" follows "then" (if), "when" or "in" (case); "then" follows "else"
 * (unless). "when" and "in" follow their own kind.
 */
static bool
continues(struct cg_slice before, struct cg_slice kind)
{
	if (cg_equal(kind, "else"))
		return cg_equal(before, "then") || cg_equal(before, "when") ||
		       cg_equal(before, "in");
	if (cg_equal(kind, "then"))
		return cg_equal(before, "else");
	return (cg_equal(kind, "when") || cg_equal(kind, "in")) &&
	       cg_compare(before, kind) == 0;
}

static bool
take_branch_list(struct cg_doc *doc)
{
	struct simplecov *s = doc->arg;
	struct coverage_json_branch branch = { .row.kind = CG_BRANCH_ARC };
	struct cg_slice kind, before = cg_slice("");

	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		struct item item = { 0 };

		if (!take_item(doc, &item))
			return false;
		kind = cg_get_name(doc->build, item.kind);
		if (continues(before, kind)) {
			branch.row.index++;
		} else {
			branch.row.block = s->block++;
			branch.row.index = 0;
			branch.row.pos.line = (uint32_t)item.report;
		}
		/* The second branch of if or unless, or else, is the last. */
		before = branch.row.index > 0 && (cg_equal(kind, "else") ||
						     cg_equal(kind, "then"))
			     ? cg_slice("")
			     : kind;
		branch.row.count = item.count;
		if (item.counted &&
		    !coverage_json_add_branch(doc, &s->section, &branch))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
add_method(struct cg_doc *doc, cg_name name, uint64_t first, uint64_t last,
    int64_t count)
{
	struct simplecov *s = doc->arg;

	return coverage_json_add_fn(doc, &s->section,
	    &(struct coverage_json_fn){ .name = name,
		.first = (uint32_t)first,
		.last = (uint32_t)last,
		.count = (uint64_t)count,
		.counted = true });
}

static bool
take_method_list(struct cg_doc *doc)
{
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		struct item item = { 0 };

		if (!take_item(doc, &item))
			return false;
		if (item.counted && !add_method(doc, item.name, item.first,
					item.last, item.count))
			return false;
	}
	return doc->status == CG_OK;
}

/* ---- Branches and methods: .resultset.json ------------------------------ */

/*
 * Removes the brackets and the last four numbers from a key such as "[:then,
 * 1, 11, 6, 11, 32]". The numbers are first line and column, last line and
 * column; number[] gets them. False: malformed, and *key has no meaning.
 */
static bool
cut_range(struct cg_slice *key, uint32_t number[4])
{
	if (!cg_take_char(key, '[') || key->len == 0 ||
	    key->ptr[key->len - 1] != ']')
		return false;
	key->len--;
	for (size_t i = 4; i-- > 0;) {
		if (!cg_cut_number(key, ' ', &number[i]) || key->len == 0 ||
		    key->ptr[key->len - 1] != ',')
			return false;
		key->len--;
	}
	return true;
}

/*
 * Reads the branches of one condition, an object of counts by key. Adds the
 * branches to those that were read for the file, as one block (group of
 * branches) on the condition's line. False: an error (reported).
 */
static bool
take_condition(struct cg_doc *doc, uint32_t line)
{
	struct simplecov *s = doc->arg;
	struct coverage_json_branch branch = { .row = { .pos.line = line,
						   .kind = CG_BRANCH_ARC,
						   .block = s->block++ } };
	struct cg_slice key;

	if (!cg_doc_object(doc))
		return false;
	for (; cg_doc_key(doc, &key); branch.row.index++) {
		if (!cg_doc_number(doc, 0, &branch.row.count))
			return false;
		if (branch.row.count < 0)
			return cg_doc_fail(doc, "a count");
		if (!coverage_json_add_branch(doc, &s->section, &branch))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_conditions(struct cg_doc *doc)
{
	struct cg_slice key;
	uint32_t number[4];

	if (!cg_doc_object(doc))
		return false;
	while (cg_doc_key(doc, &key)) {
		if (!cut_range(&key, number))
			return cg_doc_fail(
			    doc, "a condition, such as [:if, 0, 3, 4, 5, 7]");
		if (!take_condition(doc, number[0]))
			return false;
	}
	return doc->status == CG_OK;
}

/*
 * Adds the name of a method, as SimpleCov writes it, and returns its id. A key
 * has a class in quotes, a comma and a symbol. Class "Stack" and symbol :push
 * become the name Stack#push. Class "#<Class:Stack>" and symbol :new become
 * Stack.new, the name of a class method. 0: the key has no comma with a symbol
 * after it, or out of memory (reported).
 */
static cg_name
name_method(struct cg_doc *doc, struct cg_slice key)
{
	struct simplecov *s = doc->arg;
	const char *at = cg_find(key, ", :");
	struct cg_slice class = key, name = key;
	const char *dot = "#";

	if (!at)
		return 0;
	class.len = (size_t)(at - key.ptr);
	name.ptr = at + 3;
	name.len = key.len - class.len - 3;
	if (cg_take_char(&class, '"') && class.len > 0)
		class.len--;
	if (cg_take_prefix(&class, "#<Class:") && class.len > 0) {
		class.len--;
		dot = ".";
	}
	if (!cg_resize(doc->job, &s->name, class.len + 1 + name.len))
		return 0;
	memcpy(s->name.at, class.ptr, class.len);
	s->name.at[class.len] = *dot;
	memcpy(s->name.at + class.len + 1, name.ptr, name.len);
	return cg_add_name(
	    doc->build, (struct cg_slice){ s->name.at, s->name.n });
}

static bool
take_methods_by_key(struct cg_doc *doc)
{
	struct cg_slice key;
	uint32_t number[4];
	int64_t count;
	cg_name name;

	if (!cg_doc_object(doc))
		return false;
	while (cg_doc_key(doc, &key)) {
		if (!cut_range(&key, number) ||
		    (name = name_method(doc, key)) == 0)
			return cg_doc_fail(
			    doc, "a method, such as [\"A\", :b, 3, 2, 5, 5]");
		if (!cg_doc_number(doc, 0, &count))
			return false;
		if (count < 0)
			return cg_doc_fail(doc, "a count");
		if (!add_method(doc, name, number[0], number[2], count))
			return false;
	}
	return doc->status == CG_OK;
}

/* ---- Files -------------------------------------------------------------- */

static bool
take_branches(struct cg_doc *doc, void *into)
{
	(void)into;
	return cg_doc_next(doc) == CG_JSON_ARRAY ? take_branch_list(doc)
						 : take_conditions(doc);
}

static bool
take_methods(struct cg_doc *doc, void *into)
{
	(void)into;
	return cg_doc_next(doc) == CG_JSON_ARRAY ? take_method_list(doc)
						 : take_methods_by_key(doc);
}

/*
 * Ends a file: adds its functions and branches to the graph, and its lines to
 * s->owned. Then moves executions from s->owned to tests, if take_bits() read
 * lines that tests ran. end_run() adds the remaining executions to the graph.
 * False: an error (reported).
 */
static bool
end_file(struct cg_doc *doc, cg_name path)
{
	struct simplecov *s = doc->arg;
	const struct cg_slice name = cg_get_name(doc->build, path);
	const size_t n = s->section.line.n, begin = s->owned.n;
	uint32_t *nth = cg_map_in(doc->job, &s->paths, path);

	if (!nth || !cg_resize(doc->job, &s->owned, begin + n))
		return false;
	for (size_t i = 0; i < n; i++) {
		s->owned.at[begin + i].line = s->section.line.at[i].line;
		s->owned.at[begin + i].count =
		    (uint64_t)s->section.line.at[i].count;
	}
	coverage_json_mark_reached(&s->section);
	s->section.line.n = 0;
	if (!coverage_json_end_section(doc, &s->section, name))
		return false;
	for (size_t i = begin; i < s->owned.n; i++)
		s->owned.at[i].fn =
		    cg_owner_of(&s->section.owners, s->owned.at[i].line);
	s->block = 0;
	if (!cg_append(doc->job, &s->known,
		(struct known){
		    cg_add_file(doc->build, name), begin, s->owned.n }))
		return false;
	*nth = (uint32_t)s->known.n;
	return end_bits(doc, path);
}

static bool
take_files(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "lines", CG_FIELD_CALL, 0, take_lines, 0 },
		{ "branches", CG_FIELD_CALL, 0, take_branches, 0 },
		{ "methods", CG_FIELD_CALL, 0, take_methods, 0 },
		{ "contexts", CG_FIELD_CALL, 0, take_bits, 0 },
		{ 0 },
	};
	struct cg_slice key;
	cg_name path;

	(void)into;
	if (!cg_doc_object(doc))
		return false;
	while (cg_doc_key(doc, &key)) {
		path = cg_add_name(doc->build, key);
		/* Until 0.17, a file was an array of lines. */
		if (cg_doc_next(doc) == CG_JSON_ARRAY
			? !take_lines(doc, NULL)
			: !cg_doc_fields(doc, fields, doc->arg))
			return false;
		if (!end_file(doc, path))
			return false;
	}
	return doc->status == CG_OK;
}

/* ---- Documents ---------------------------------------------------------- */

/*
 * Reads, for each file of the run, the lines that tests ran. Moves the
 * executions of these lines from the run to the tests. False: an error
 * (reported).
 */
static bool
take_files_of_tests(struct cg_doc *doc, void *into)
{
	struct cg_slice key;
	cg_name path;

	(void)into;
	if (!cg_doc_object(doc))
		return false;
	while (cg_doc_key(doc, &key)) {
		path = cg_add_name(doc->build, key);
		if (!take_bits(doc, NULL) || !end_bits(doc, path))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_tests_version(struct cg_doc *doc, void *into)
{
	int64_t version;

	(void)into;
	return cg_doc_number(doc, 0, &version) &&
	       (version == 1 ||
		   cg_doc_fail(doc, "version 1 of the lines by test"));
}

static bool
take_tests(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "version", CG_FIELD_CALL, 0, take_tests_version, 0 },
		{ "contexts", CG_FIELD_CALL, 0, take_test_names, 0 },
		{ "files", CG_FIELD_CALL, 0, take_files_of_tests, 0 },
		{ 0 },
	};

	return cg_doc_fields(doc, fields, into);
}

struct meta {
	cg_name command, schema;
};

static bool
take_meta(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "command_name", CG_FIELD_NAME, offsetof(struct meta, command),
		    NULL, 0 },
		{ "schema_version", CG_FIELD_NAME,
		    offsetof(struct meta, schema), NULL, 0 },
		{ 0 },
	};
	struct meta meta = { 0 };
	struct cg_slice schema;

	(void)into;
	if (!cg_doc_fields(doc, fields, &meta))
		return false;
	schema = cg_get_name(doc->build, meta.schema);
	if (schema.len > 0 && !cg_starts(schema, "1."))
		return cg_reject(doc->job,
		    "expected schema_version 1.0 or 1.1, not %.*s",
		    schema.len < 20 ? (int)schema.len : 20, schema.ptr);
	if (!end_run(doc))
		return false;
	begin_run(doc, cg_get_name(doc->build, meta.command));
	return true;
}

/*
 * Reads a top-level member: a key of coverage.json or, in .resultset.json, the
 * name of a run. A run begins a part (section of the graph). False: an error
 * (reported).
 */
static bool
take_member(struct cg_doc *doc, struct cg_slice key)
{
	static const struct cg_field fields[] = {
		{ "meta", CG_FIELD_CALL, 0, take_meta, 0 },
		{ "coverage", CG_FIELD_CALL, 0, take_files, 0 },
		{ "contexts", CG_FIELD_CALL, 0, take_test_names, 0 },
		{ "$schema", CG_FIELD_CALL, 0, NULL, 0 },
		{ "total", CG_FIELD_CALL, 0, NULL, 0 },
		{ "groups", CG_FIELD_CALL, 0, NULL, 0 },
		{ "errors", CG_FIELD_CALL, 0, NULL, 0 },
		{ 0 },
	};
	static const struct cg_field run[] = {
		{ "coverage", CG_FIELD_CALL, 0, take_files, 0 },
		{ "contexts", CG_FIELD_CALL, 0, take_tests, 0 },
		{ 0 },
	};
	const struct cg_field *field = fields;

	while (field->name && !cg_equal(key, field->name))
		field++;
	if (!field->name) {
		if (!end_run(doc))
			return false;
		begin_run(doc, key);
		return cg_doc_fields(doc, run, doc->arg);
	}
	return field->take ? field->take(doc, doc->arg) : cg_doc_skip(doc);
}

static int
read_simplecov(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct simplecov s = { 0 };
	struct cg_slice key;
	struct cg_doc doc;
	int status;

	cg_doc_open(&doc, job, in, build, &s);
	if (coverage_json_add_event(build) && cg_doc_object(&doc)) {
		while (cg_doc_key(&doc, &key) && take_member(&doc, key))
			;
		(void)end_run(&doc);
	}
	status = cg_doc_close(&doc);
	if (status == CG_OK && s.unknown > 0)
		cg_warn(job,
		    "dropped lines of tests of %" PRIu64
		    " file%s that the run does not have",
		    s.unknown, s.unknown == 1 ? "" : "s");
	if (status == CG_OK && s.ignored > 0)
		cg_note(job, "dropped %" PRIu64 " count%s that :nocov: ignores",
		    s.ignored, s.ignored == 1 ? "" : "s");
	return status;
}

/*
 * True if the text begins like the pattern "json". An asterisk in the pattern
 * stands for any JSON string. Ignores white space in the text. The probe
 * recognises the format by such patterns.
 */
static bool
begins_as(struct cg_slice text, const char *json)
{
	for (; *json; json++) {
		while (text.len > 0 && strchr(" \t\r\n", *text.ptr))
			(void)cg_take_char(&text, *text.ptr);
		if (*json != '*') {
			if (!cg_take_char(&text, *json))
				return false;
			continue;
		}
		if (!cg_take_char(&text, '"'))
			return false;
		while (text.len > 0 && *text.ptr != '"') {
			if (cg_take_char(&text, '\\') && text.len == 0)
				return false;
			(void)cg_take_char(&text, *text.ptr);
		}
		if (!cg_take_char(&text, '"'))
			return false;
	}
	return true;
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "meta.simplecov_version", NULL };

	/* Until 0.17, a resultset had no key "lines". */
	if (cg_head_keys(head, keys) ||
	    begins_as(head->text, "{*:{\"coverage\":{*:{\"lines\":[") ||
	    begins_as(head->text, "{*:{\"coverage\":{*:["))
		return CG_PROBE_SURE;
	return CG_PROBE_NO;
}

const struct cg_module cg_format_simplecov = {
	CG_MODULE,
	.name = "simplecov",
	.title = "coverage of Ruby: SimpleCov's coverage.json, .resultset.json",
	.text = true,
	.suffixes = "resultset.json",
	.probe = probe,
	.read = read_simplecov,
};
