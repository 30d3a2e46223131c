/*
 * read.c - reads documents into struct gcov_json_unit, in one pass.
 *
 * Tables of keys drive the reader. The directory that paths are relative to may
 * be the last key of a document (gcc 9 to 12), and a file's name the last key
 * of a file, so everything before them is collected in arrays.
 */
#include <stddef.h>

#include "fields.h"

#define CONDITIONS_MAX 64 /* gcc's limit for an expression */
/*
 * A document states numbers of blocks, paths and conditions without listing
 * them, and each of them becomes a row. One row for each byte of the input
 * plus this number is accepted, so that a large number in a small file does
 * not exhaust memory.
 */
#define COUNTED_MAX ((uint64_t)1 << 20)

static bool
check_counted(struct gcov_json_reader *r, uint64_t rows)
{
	r->counted += rows;
	if (r->counted <= COUNTED_MAX + cg_in_offset(r->in))
		return true;
	return cg_reject_at(r->job, r->json.at,
	    "expected fewer blocks, paths and conditions in an input of this "
	    "size");
}

/* ---- Items of a line ---------------------------------------------------- */

static bool
add_item(struct gcov_json_reader *r)
{
	struct gcov_json_unit *unit = &r->unit;

	return cg_append(r->job, &unit->item, r->item);
}

static bool
take_throw(struct gcov_json_reader *r, void *to)
{
	struct gcov_json_item *item = to;

	if (r->type == CG_JSON_TRUE)
		item->flags |= CG_BRANCH_THROW;
	return gcov_json_take_bool(r, &(bool){ false });
}

static bool
take_fallthrough(struct gcov_json_reader *r, void *to)
{
	struct gcov_json_item *item = to;

	if (r->type == CG_JSON_TRUE)
		item->flags |= CG_BRANCH_FALLTHROUGH;
	return gcov_json_take_bool(r, &(bool){ false });
}

#define ITEM(member) .offset = offsetof(struct gcov_json_item, member)

static bool
take_branch(struct gcov_json_reader *r)
{
	static const struct gcov_json_field fields[] = {
		{ "count", gcov_json_take_count, ITEM(count) },
		{ "throw", .take = take_throw },
		{ "fallthrough", .take = take_fallthrough },
		{ "source_block_id", gcov_json_take_u32, ITEM(block) },
		{ "destination_block_id", gcov_json_take_u32, ITEM(target) },
		{ 0 },
	};

	r->item = (struct gcov_json_item){ .kind = CG_BRANCH_ARC,
		.block = GCOV_JSON_UNKNOWN };
	return gcov_json_take_object(r, fields, &r->item) && add_item(r);
}

static bool
take_call(struct gcov_json_reader *r)
{
	static const struct gcov_json_field fields[] = {
		{ "source_block_id", gcov_json_take_u32, ITEM(block) },
		{ "destination_block_id", gcov_json_take_u32, ITEM(target) },
		{ "returned", gcov_json_take_count, ITEM(count) },
		{ 0 },
	};

	r->item = (struct gcov_json_item){ .kind = CG_BRANCH_CALL };
	return gcov_json_take_object(r, fields, &r->item) && add_item(r);
}

static bool
take_block_id(struct gcov_json_reader *r)
{
	r->item = (struct gcov_json_item){ .kind = CG_BRANCH_BLOCK };
	return gcov_json_take_u32(r, &r->item.block) && add_item(r);
}

/*
 * Reads the number of a condition for which the outcome (1: true, 0: false)
 * did not occur. Sets the condition's bit in r->mask[outcome]. Ignores numbers
 * from CONDITIONS_MAX on. False: rejected (reported).
 */
static bool
take_not_covered(struct gcov_json_reader *r, int outcome)
{
	uint32_t condition;

	if (!gcov_json_take_u32(r, &condition))
		return false;
	if (condition < CONDITIONS_MAX)
		r->mask[outcome] |= UINT64_C(1) << condition;
	return true;
}

static bool
take_not_covered_false(struct gcov_json_reader *r)
{
	return take_not_covered(r, 0);
}

static bool
take_not_covered_true(struct gcov_json_reader *r)
{
	return take_not_covered(r, 1);
}

/*
 * Reads an expression of conditions. Appends an item for each outcome of each
 * condition. Its count is 0 if JSON lists the outcome as not covered, else 1.
 * JSON does not state the expression's block. So the number of the expression
 * on the line takes the block's place. False: an error (reported).
 */
static bool
take_expression(struct gcov_json_reader *r)
{
	static const struct gcov_json_field fields[] = {
		{ "count", .take = gcov_json_take_u32 },
		{ "not_covered_true", .each = take_not_covered_true },
		{ "not_covered_false", .each = take_not_covered_false },
		{ 0 },
	};
	uint32_t outcomes = 0;

	r->mask[0] = r->mask[1] = 0;
	if (!gcov_json_take_object(r, fields, &outcomes))
		return false;
	if (outcomes > 2 * CONDITIONS_MAX)
		return cg_reject_at(r->job, r->json.at,
		    "expected an expression of at most %d conditions",
		    CONDITIONS_MAX);
	if (!check_counted(r, outcomes))
		return false;
	r->item = (struct gcov_json_item){ .kind = CG_BRANCH_CONDITION,
		.block = r->expressions++ };
	for (uint32_t i = 0; i < outcomes; i++) {
		r->item.index = i;
		r->item.count = !(r->mask[i & 1] >> i / 2 & 1);
		if (!add_item(r))
			return false;
	}
	return true;
}

#define LINE(member) .offset = offsetof(struct gcov_json_line, member)

static bool
take_line(struct gcov_json_reader *r)
{
	static const struct gcov_json_field fields[] = {
		{ "branches", .each = take_branch },
		{ "count", gcov_json_take_count, LINE(count) },
		{ "line_number", gcov_json_take_u32, LINE(number) },
		{ "unexecuted_block", gcov_json_take_bool, LINE(unexecuted) },
		{ "function_name", gcov_json_take_name, LINE(fn) },
		{ "block_ids", .each = take_block_id },
		{ "calls", .each = take_call },
		{ "conditions", .each = take_expression },
		{ 0 },
	};
	struct gcov_json_unit *unit = &r->unit;
	struct gcov_json_line line = { .item = unit->item.n };

	r->expressions = 0;
	if (!gcov_json_take_object(r, fields, &line))
		return false;
	line.items = unit->item.n - line.item;
	if (line.number == 0)
		return gcov_json_reject(r, "a line with a line_number");
	return cg_append(r->job, &unit->line, line);
}

/* ---- Functions ---------------------------------------------------------- */

#define FN(member) .offset = offsetof(struct gcov_json_fn, member)

/*
 * Appends a line of the current block of a path to the unit's steps. The
 * step's index is r->path_index, the position of the block's current location
 * on the path. False: out of memory (reported).
 */
static bool
add_step(struct gcov_json_reader *r, uint32_t line)
{
	struct gcov_json_unit *unit = &r->unit;

	return cg_append(r->job, &unit->step,
	    (struct gcov_json_step){ .index = r->path_index, .line = line });
}

static bool
take_line_number(struct gcov_json_reader *r)
{
	uint32_t line = 0;

	return gcov_json_take_u32(r, &line) && (line == 0 || add_step(r, line));
}

static bool
take_location(struct gcov_json_reader *r)
{
	static const struct gcov_json_field fields[] = {
		{ "file", .take = gcov_json_take_name },
		{ "line_numbers", .each = take_line_number },
		{ 0 },
	};
	struct gcov_json_unit *unit = &r->unit;
	size_t first = unit->step.n;
	cg_name file = 0;

	if (!gcov_json_take_object(r, fields, &file))
		return false;
	r->path_index += unit->step.n > first;
	for (; first < unit->step.n; first++)
		unit->step.at[first].file = file;
	return true;
}

#define STEP(member) .offset = offsetof(struct gcov_json_step, member)

/*
 * Reads a block of a path, and appends a step for each line of its locations.
 * If it has no lines, appends one step with line 0. Sets "last" of the steps
 * of the block's last location. False: an error (reported).
 */
static bool
take_step(struct gcov_json_reader *r)
{
	static const struct gcov_json_field fields[] = {
		{ "block_id", gcov_json_take_u32, STEP(block) },
		{ "edge_kind", gcov_json_take_name, STEP(edge) },
		{ "locations", .each = take_location },
		{ 0 },
	};
	struct gcov_json_unit *unit = &r->unit;
	struct gcov_json_step step = { 0 };
	size_t first = unit->step.n;

	if (!gcov_json_take_object(r, fields, &step))
		return false;
	if (unit->step.n == first) {
		if (!add_step(r, 0))
			return false;
		r->path_index++;
	}
	for (; first < unit->step.n; first++) {
		unit->step.at[first].block = step.block;
		unit->step.at[first].edge = step.edge;
		unit->step.at[first].last =
		    unit->step.at[first].index + 1 == r->path_index;
	}
	return true;
}

static bool
take_path(struct gcov_json_reader *r)
{
	static const struct gcov_json_field fields[] = {
		{ "id", .take = gcov_json_take_u32 },
		{ "sequence", .each = take_step },
		{ 0 },
	};
	struct gcov_json_unit *unit = &r->unit;
	size_t first = unit->step.n;
	uint32_t id = 0;

	r->path_index = 0;
	if (!gcov_json_take_object(r, fields, &id))
		return false;
	for (; first < unit->step.n; first++)
		unit->step.at[first].path = id;
	return cg_append(r->job, &unit->missed, id);
}

static bool
take_fn(struct gcov_json_reader *r)
{
	static const struct gcov_json_field fields[] = {
		{ "blocks", gcov_json_take_u32, FN(blocks) },
		{ "end_column", gcov_json_take_position,
		    FN(range.last_column) },
		{ "start_line", gcov_json_take_position, FN(range.first) },
		{ "name", gcov_json_take_name, FN(name) },
		{ "blocks_executed", gcov_json_take_u32, FN(executed) },
		{ "execution_count", gcov_json_take_count, FN(count) },
		{ "demangled_name", gcov_json_take_name, FN(demangled) },
		{ "start_column", gcov_json_take_position,
		    FN(range.first_column) },
		{ "end_line", gcov_json_take_position, FN(range.last) },
		{ "total_prime_paths", gcov_json_take_u32, FN(paths) },
		{ "covered_prime_paths", gcov_json_take_u32, FN(covered) },
		{ "prime_path_coverage", .each = take_path },
		{ 0 },
	};
	struct gcov_json_unit *unit = &r->unit;
	struct gcov_json_fn fn = { .missed = unit->missed.n,
		.step = unit->step.n };

	if (!gcov_json_take_object(r, fields, &fn))
		return false;
	/* blocks excludes the entry and the exit. */
	if (fn.blocks > UINT32_MAX - 2)
		return gcov_json_reject(r, "a function with fewer blocks");
	if (!check_counted(r, (uint64_t)fn.blocks + fn.paths))
		return false;
	if (fn.name == 0 && fn.demangled == 0)
		return gcov_json_reject(r, "a function with a name");
	fn.missed_count = unit->missed.n - fn.missed;
	fn.steps = unit->step.n - fn.step;
	return cg_append(r->job, &unit->fn, fn);
}

/* ---- Files and documents ------------------------------------------------ */

static bool
emit(struct gcov_json_reader *r)
{
	if (gcov_json_emit(r->job, r->build, &r->unit))
		return true;
	if (cg_rejected(r->job) == CG_OK)
		(void)cg_build_failed(r->build, r->json.at);
	return false;
}

static bool
take_file(struct gcov_json_reader *r)
{
	static const struct gcov_json_field fields[] = {
		{ "lines", .each = take_line },
		{ "functions", .each = take_fn },
		{ "file", gcov_json_take_name,
		    .offset = offsetof(struct gcov_json_file, name) },
		{ 0 },
	};
	struct gcov_json_unit *unit = &r->unit;
	struct gcov_json_file file = { .fn = unit->fn.n, .line = unit->line.n };

	if (!gcov_json_take_object(r, fields, &file))
		return false;
	if (file.name == 0)
		return gcov_json_reject(r, "a file with a name");
	file.fns = unit->fn.n - file.fn;
	file.lines = unit->line.n - file.line;
	if (!cg_append(r->job, &unit->file, file))
		return false;
	return unit->directory == 0 || emit(r);
}

static bool
take_version(struct gcov_json_reader *r, void *to)
{
	if (r->type != CG_JSON_STRING ||
	    (!cg_equal(r->json.text, "1") && !cg_equal(r->json.text, "2")))
		cg_warn_at(r->job, r->json.at,
		    "unknown format_version: expected \"1\" or \"2\"");
	return gcov_json_take_name(r, to);
}

static void
add_descs(struct gcov_json_reader *r)
{
	const struct gcov_json_unit *unit = &r->unit;
	char room[GCOV_JSON_VERSION_MAX];
	const struct {
		const char *key;
		struct cg_slice value;
	} descs[] = {
		{ "Compiler",
		    gcov_json_word(
			cg_get_name(r->build, unit->compiler), room) },
		{ "Directory", cg_get_name(r->build, unit->directory) },
		{ "Data file", cg_get_name(r->build, unit->data_file) },
	};

	for (size_t i = 0; i < sizeof(descs) / sizeof(*descs); i++) {
		if (descs[i].value.len > 0)
			cg_add_desc(
			    r->build, cg_slice(descs[i].key), descs[i].value);
	}
}

/*
 * Reads a document, and adds it to the graph as a part (section with its own
 * descriptions). A document is one unit (object file). False: an error
 * (reported).
 */
static bool
take_document(struct gcov_json_reader *r)
{
#define UNIT(member) .offset = offsetof(struct gcov_json_unit, member)
	static const struct gcov_json_field fields[] = {
		{ "gcc_version", gcov_json_take_name, UNIT(compiler) },
		{ "files", .each = take_file },
		{ "format_version", take_version, UNIT(version) },
		{ "current_working_directory", gcov_json_take_name,
		    UNIT(directory) },
		{ "data_file", gcov_json_take_name, UNIT(data_file) },
		{ 0 },
	};
	struct gcov_json_unit *unit = &r->unit;

	unit->version = unit->compiler = unit->directory = unit->data_file = 0;
	(void)cg_add_part(r->build, &(struct cg_part_info){ .cmd = "" });
	gcov_json_advance(r);
	if (!gcov_json_take_object(r, fields, unit) || !emit(r))
		return false;
	if (unit->version == 0)
		cg_warn(r->job, "the document has no format_version");
	add_descs(r);
	return true;
}

int
gcov_json_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct gcov_json_reader r = { .job = job, .in = in, .build = build };

	cg_json_open(&r.json, in);
	while (take_document(&r) && cg_json_another(&r.json))
		continue;
	return cg_in_status(in); /* the job has kept other errors */
}
