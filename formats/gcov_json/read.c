/*
 * read.c - reads documents into struct gcov_json_unit, in one pass.
 *
 * Tables of keys drive the reader. The directory that paths are relative to may
 * be the last key of a document (gcc 9 to 12), and a file's name the last key
 * of a file, so everything before them is collected in arrays.
 */
#include <stddef.h>
#include <stdlib.h>

#include "fields.h"

#define CONDITIONS_MAX 64 /* gcc's limit for an expression */
/*
 * A document counts blocks, paths and conditions without listing them, and
 * each becomes a row: one for each byte of the input and this many are
 * accepted, so that a large number in a small file does not exhaust memory.
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

	if (!cg_grow_raw(&unit->item, &unit->item_cap, unit->items + 1,
		sizeof(*unit->item)))
		return cg_reject_nomem(r->job);
	unit->item[unit->items++] = r->item;
	return true;
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

/* Takes the number of a condition for which that outcome is not covered. */
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
 * An expression: an item for both outcomes of each condition. JSON does not
 * name its block, so the number of the expression on the line serves.
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
	struct gcov_json_line line = { .item = unit->items };

	r->expressions = 0;
	if (!gcov_json_take_object(r, fields, &line))
		return false;
	line.items = unit->items - line.item;
	if (line.number == 0)
		return gcov_json_reject(r, "a line with a line_number");
	if (!cg_grow_raw(&unit->line, &unit->line_cap, unit->lines + 1,
		sizeof(*unit->line)))
		return cg_reject_nomem(r->job);
	unit->line[unit->lines++] = line;
	return true;
}

/* ---- Functions ---------------------------------------------------------- */

#define FN(member) .offset = offsetof(struct gcov_json_fn, member)

/* Adds a line of the location that is number r->path_index on the path. */
static bool
add_step(struct gcov_json_reader *r, uint32_t line)
{
	struct gcov_json_unit *unit = &r->unit;

	if (!cg_grow_raw(&unit->step, &unit->step_cap, unit->steps + 1,
		sizeof(*unit->step)))
		return cg_reject_nomem(r->job);
	unit->step[unit->steps++] =
	    (struct gcov_json_step){ .index = r->path_index, .line = line };
	return true;
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
	size_t first = unit->steps;
	cg_name file = 0;

	if (!gcov_json_take_object(r, fields, &file))
		return false;
	r->path_index += unit->steps > first;
	for (; first < unit->steps; first++)
		unit->step[first].file = file;
	return true;
}

#define STEP(member) .offset = offsetof(struct gcov_json_step, member)

/* A block of a path, with its locations. */
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
	size_t first = unit->steps;

	if (!gcov_json_take_object(r, fields, &step))
		return false;
	if (unit->steps == first) {
		if (!add_step(r, 0))
			return false;
		r->path_index++;
	}
	for (; first < unit->steps; first++) {
		unit->step[first].block = step.block;
		unit->step[first].edge = step.edge;
		unit->step[first].last =
		    unit->step[first].index + 1 == r->path_index;
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
	size_t first = unit->steps;
	uint32_t id = 0;

	r->path_index = 0;
	if (!gcov_json_take_object(r, fields, &id))
		return false;
	for (; first < unit->steps; first++)
		unit->step[first].path = id;
	if (!cg_grow_raw(&unit->missed, &unit->missed_cap,
		unit->missed_count + 1, sizeof(id)))
		return cg_reject_nomem(r->job);
	unit->missed[unit->missed_count++] = id;
	return true;
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
	struct gcov_json_fn fn = { .missed = unit->missed_count,
		.step = unit->steps };

	if (!gcov_json_take_object(r, fields, &fn))
		return false;
	/* blocks does not count the entry and the exit. */
	if (fn.blocks > UINT32_MAX - 2)
		return gcov_json_reject(r, "a function with fewer blocks");
	if (!check_counted(r, (uint64_t)fn.blocks + fn.paths))
		return false;
	if (fn.name == 0 && fn.demangled == 0)
		return gcov_json_reject(r, "a function with a name");
	fn.missed_count = unit->missed_count - fn.missed;
	fn.steps = unit->steps - fn.step;
	if (!cg_grow_raw(
		&unit->fn, &unit->fn_cap, unit->fns + 1, sizeof(*unit->fn)))
		return cg_reject_nomem(r->job);
	unit->fn[unit->fns++] = fn;
	return true;
}

/* ---- Files and documents ------------------------------------------------ */

static bool
emit(struct gcov_json_reader *r)
{
	if (gcov_json_emit(r->build, &r->unit))
		return true;
	if (cg_build_failed(r->build, r->json.at) == CG_OK)
		(void)cg_reject_nomem(r->job);
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
	struct gcov_json_file file = { .fn = unit->fns, .line = unit->lines };

	if (!gcov_json_take_object(r, fields, &file))
		return false;
	if (file.name == 0)
		return gcov_json_reject(r, "a file with a name");
	file.fns = unit->fns - file.fn;
	file.lines = unit->lines - file.line;
	if (!cg_grow_raw(&unit->file, &unit->file_cap, unit->files + 1,
		sizeof(*unit->file)))
		return cg_reject_nomem(r->job);
	unit->file[unit->files++] = file;
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

/* Each document is a part. */
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
	struct gcov_json_unit *unit = &r.unit;

	cg_json_open(&r.json, in);
	while (take_document(&r) && cg_json_another(&r.json))
		continue;
	free(unit->file);
	free(unit->fn);
	free(unit->line);
	free(unit->item);
	free(unit->missed);
	free(unit->step);
	free(r.text);
	return cg_in_status(in); /* the job has kept other errors */
}
