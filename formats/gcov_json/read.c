/*
 * read.c - takes a document of gcov's JSON apart, in one pass.
 *
 * Objects are read by tables of their keys. The folder that paths are relative
 * to may be the last key of a document (gcc 9 to 12), and a file's name the
 * last one of the file: what is read waits in arrays until that is known.
 */
#include <stddef.h>
#include <stdlib.h>

#include "fields.h"

#define TERMS_MAX 64 /* gcc's limit for the conditions of a decision */
/* Blocks, paths, conditions that an input may count without listing them. */
#define COUNTED_MAX ((uint64_t)1 << 20)

/* Each becomes a row: a number alone may not be a million. */
static bool
check_counted(struct reader *r, uint64_t rows)
{
	r->counted += rows;
	if (r->counted <= COUNTED_MAX + cg_in_offset(r->in))
		return true;
	r->status = cg_fail_at(r->job, r->json.at,
	    "expected no more blocks, paths and conditions than an input of "
	    "this size has");
	return false;
}

/* ---- What is listed under a line ---------------------------------------- */

static bool
add_item(struct reader *r)
{
	struct gcov_json_unit *unit = &r->unit;

	if (!cg_grow_raw(&unit->item, &unit->item_cap, unit->items + 1,
		sizeof(*unit->item)))
		return gcov_json_nomem(r);
	unit->item[unit->items++] = r->item;
	return true;
}

static bool
take_throw(struct reader *r, void *to)
{
	struct gcov_json_item *item = to;

	if (r->type == CG_JSON_TRUE)
		item->flags |= CG_BRANCH_THROW;
	return gcov_json_take_bool(r, &(bool){ false });
}

static bool
take_fallthrough(struct reader *r, void *to)
{
	struct gcov_json_item *item = to;

	if (r->type == CG_JSON_TRUE)
		item->flags |= CG_BRANCH_FALLTHROUGH;
	return gcov_json_take_bool(r, &(bool){ false });
}

#define ITEM(member) .offset = offsetof(struct gcov_json_item, member)

static bool
take_branch(struct reader *r)
{
	static const struct field fields[] = {
		{ "count", gcov_json_take_count, ITEM(count) },
		{ "throw", .take = take_throw },
		{ "fallthrough", .take = take_fallthrough },
		{ "source_block_id", gcov_json_take_u32, ITEM(block) },
		{ "destination_block_id", gcov_json_take_u32, ITEM(target) },
		{ 0 },
	};

	r->item = (struct gcov_json_item){ .kind = CG_BRANCH_ARC,
		.block = GCOVJSON_UNKNOWN };
	return gcov_json_take_object(r, fields, &r->item) && add_item(r);
}

static bool
take_call(struct reader *r)
{
	static const struct field fields[] = {
		{ "source_block_id", gcov_json_take_u32, ITEM(block) },
		{ "destination_block_id", gcov_json_take_u32, ITEM(target) },
		{ "returned", gcov_json_take_count, ITEM(count) },
		{ 0 },
	};

	r->item = (struct gcov_json_item){ .kind = CG_BRANCH_CALL };
	return gcov_json_take_object(r, fields, &r->item) && add_item(r);
}

static bool
take_block_id(struct reader *r)
{
	r->item = (struct gcov_json_item){ .kind = CG_BRANCH_BLOCK };
	return gcov_json_take_u32(r, &r->item.block) && add_item(r);
}

/* A term, by number, whose outcome number which was not shown to matter. */
static bool
take_term(struct reader *r, int which)
{
	uint32_t term;

	if (!gcov_json_take_u32(r, &term))
		return false;
	if (term < TERMS_MAX)
		r->mask[which] |= UINT64_C(1) << term;
	return true;
}

static bool
take_term_false(struct reader *r)
{
	return take_term(r, 0);
}

static bool
take_term_true(struct reader *r)
{
	return take_term(r, 1);
}

/* Both outcomes of each term; the block of the decision is its number. */
static bool
take_condition(struct reader *r)
{
	static const struct field fields[] = {
		{ "count", .take = gcov_json_take_u32 },
		{ "not_covered_true", .each = take_term_true },
		{ "not_covered_false", .each = take_term_false },
		{ 0 },
	};
	uint32_t outcomes = 0;

	r->mask[0] = r->mask[1] = 0;
	if (!gcov_json_take_object(r, fields, &outcomes))
		return false;
	if (outcomes > 2 * TERMS_MAX) {
		r->status = cg_fail_at(r->job, r->json.at,
		    "expected a decision of at most %d conditions", TERMS_MAX);
		return false;
	}
	if (!check_counted(r, outcomes))
		return false;
	r->item = (struct gcov_json_item){ .kind = CG_BRANCH_CONDITION,
		.block = r->decisions++ };
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
take_line(struct reader *r)
{
	static const struct field fields[] = {
		{ "branches", .each = take_branch },
		{ "count", gcov_json_take_count, LINE(count) },
		{ "line_number", gcov_json_take_u32, LINE(number) },
		{ "unexecuted_block", gcov_json_take_bool, LINE(unexecuted) },
		{ "function_name", gcov_json_take_name, LINE(fn) },
		{ "block_ids", .each = take_block_id },
		{ "calls", .each = take_call },
		{ "conditions", .each = take_condition },
		{ 0 },
	};
	struct gcov_json_unit *unit = &r->unit;
	struct gcov_json_line line = { .item = unit->items };

	r->decisions = 0;
	if (!gcov_json_take_object(r, fields, &line))
		return false;
	line.items = unit->items - line.item;
	if (line.number == 0)
		return gcov_json_refuse(r, "a line with a line_number");
	if (!cg_grow_raw(&unit->line, &unit->line_cap, unit->lines + 1,
		sizeof(*unit->line)))
		return gcov_json_nomem(r);
	unit->line[unit->lines++] = line;
	return true;
}

/* ---- Functions ---------------------------------------------------------- */

#define FN(member) .offset = offsetof(struct gcov_json_fn, member)

/* One more line, at the same place on the path as r->place says. */
static bool
add_step(struct reader *r, uint32_t line)
{
	struct gcov_json_unit *unit = &r->unit;

	if (!cg_grow_raw(&unit->step, &unit->step_cap, unit->steps + 1,
		sizeof(*unit->step)))
		return gcov_json_nomem(r);
	unit->step[unit->steps++] =
	    (struct gcov_json_step){ .index = r->place, .line = line };
	return true;
}

static bool
take_line_number(struct reader *r)
{
	uint32_t line = 0;

	return gcov_json_take_u32(r, &line) && (line == 0 || add_step(r, line));
}

static bool
take_location(struct reader *r)
{
	static const struct field fields[] = {
		{ "file", .take = gcov_json_take_name },
		{ "line_numbers", .each = take_line_number },
		{ 0 },
	};
	struct gcov_json_unit *unit = &r->unit;
	size_t first = unit->steps;
	cg_name file = 0;

	if (!gcov_json_take_object(r, fields, &file))
		return false;
	r->place += unit->steps > first;
	for (; first < unit->steps; first++)
		unit->step[first].file = file;
	return true;
}

#define STEP(member) .offset = offsetof(struct gcov_json_step, member)

/* A block of a path, with its places. */
static bool
take_step(struct reader *r)
{
	static const struct field fields[] = {
		{ "block_id", gcov_json_take_u32, STEP(block) },
		{ "edge_kind", gcov_json_take_name, STEP(word) },
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
		r->place++;
	}
	for (; first < unit->steps; first++) {
		unit->step[first].block = step.block;
		unit->step[first].word = step.word;
		unit->step[first].last =
		    unit->step[first].index + 1 == r->place;
	}
	return true;
}

static bool
take_path(struct reader *r)
{
	static const struct field fields[] = {
		{ "id", .take = gcov_json_take_u32 },
		{ "sequence", .each = take_step },
		{ 0 },
	};
	struct gcov_json_unit *unit = &r->unit;
	size_t first = unit->steps;
	uint32_t id = 0;

	r->place = 0;
	if (!gcov_json_take_object(r, fields, &id))
		return false;
	for (; first < unit->steps; first++)
		unit->step[first].path = id;
	if (!cg_grow_raw(&unit->id, &unit->id_cap, unit->ids + 1, sizeof(id)))
		return gcov_json_nomem(r);
	unit->id[unit->ids++] = id;
	return true;
}

static bool
take_fn(struct reader *r)
{
	static const struct field fields[] = {
		{ "blocks", gcov_json_take_u32, FN(blocks) },
		{ "end_column", gcov_json_take_place, FN(range.last_column) },
		{ "start_line", gcov_json_take_place, FN(range.first) },
		{ "name", gcov_json_take_name, FN(name) },
		{ "blocks_executed", gcov_json_take_u32, FN(executed) },
		{ "execution_count", gcov_json_take_count, FN(count) },
		{ "demangled_name", gcov_json_take_name, FN(shown) },
		{ "start_column", gcov_json_take_place,
		    FN(range.first_column) },
		{ "end_line", gcov_json_take_place, FN(range.last) },
		{ "total_prime_paths", gcov_json_take_u32, FN(paths) },
		{ "covered_prime_paths", gcov_json_take_u32, FN(covered) },
		{ "prime_path_coverage", .each = take_path },
		{ 0 },
	};
	struct gcov_json_unit *unit = &r->unit;
	struct gcov_json_fn fn = { .id = unit->ids, .step = unit->steps };

	if (!gcov_json_take_object(r, fields, &fn))
		return false;
	/* There are an entry and an exit, too. */
	if (fn.blocks > UINT32_MAX - 2)
		return gcov_json_refuse(r, "a function of fewer blocks");
	if (!check_counted(r, (uint64_t)fn.blocks + fn.paths))
		return false;
	if (fn.name == 0 && fn.shown == 0)
		return gcov_json_refuse(r, "a function with a name");
	fn.ids = unit->ids - fn.id;
	fn.steps = unit->steps - fn.step;
	if (!cg_grow_raw(
		&unit->fn, &unit->fn_cap, unit->fns + 1, sizeof(*unit->fn)))
		return gcov_json_nomem(r);
	unit->fn[unit->fns++] = fn;
	return true;
}

/* ---- Files and documents ------------------------------------------------ */

static bool
emit(struct reader *r)
{
	if (gcov_json_emit(r->build, &r->unit))
		return true;
	r->status = cg_build_failed(r->build, r->json.at);
	return r->status == CG_OK && gcov_json_nomem(r);
}

static bool
take_file(struct reader *r)
{
	static const struct field fields[] = {
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
		return gcov_json_refuse(r, "the name of the file");
	file.fns = unit->fns - file.fn;
	file.lines = unit->lines - file.line;
	if (!cg_grow_raw(&unit->file, &unit->file_cap, unit->files + 1,
		sizeof(*unit->file)))
		return gcov_json_nomem(r);
	unit->file[unit->files++] = file;
	return unit->folder == 0 || emit(r);
}

static bool
take_version(struct reader *r, void *to)
{
	if (r->type != CG_JSON_STRING ||
	    (!cg_equal(r->json.text, "1") && !cg_equal(r->json.text, "2")))
		cg_warn_at(r->job, r->json.at,
		    "format_version \"1\" or \"2\" is what is known here");
	return gcov_json_take_name(r, to);
}

static void
add_descs(struct reader *r)
{
	const struct gcov_json_unit *unit = &r->unit;
	char room[GCOVJSON_VERSION_MAX];
	const struct {
		const char *key;
		struct cg_slice value;
	} descs[] = {
		{ "Compiler",
		    gcov_json_word(
			cg_get_name(r->build, unit->compiler), room) },
		{ "Folder", cg_get_name(r->build, unit->folder) },
		{ "Data file", cg_get_name(r->build, unit->data_file) },
	};

	for (size_t i = 0; i < sizeof(descs) / sizeof(*descs); i++) {
		if (descs[i].value.len > 0)
			cg_add_desc(
			    r->build, cg_slice(descs[i].key), descs[i].value);
	}
}

static bool
take_document(struct reader *r)
{
#define UNIT(member) .offset = offsetof(struct gcov_json_unit, member)
	static const struct field fields[] = {
		{ "gcc_version", gcov_json_take_name, UNIT(compiler) },
		{ "files", .each = take_file },
		{ "format_version", take_version, UNIT(version) },
		{ "current_working_directory", gcov_json_take_name,
		    UNIT(folder) },
		{ "data_file", gcov_json_take_name, UNIT(data_file) },
		{ 0 },
	};
	struct gcov_json_unit *unit = &r->unit;

	unit->version = unit->compiler = unit->folder = unit->data_file = 0;
	(void)cg_add_part(r->build, &(struct cg_part_info){ .cmd = "" });
	gcov_json_advance(r);
	if (!gcov_json_take_object(r, fields, unit) || !emit(r))
		return false;
	if (unit->version == 0)
		cg_warn(r->job, "expected a format_version");
	add_descs(r);
	return true;
}

int
gcov_json_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .in = in, .build = build };
	struct gcov_json_unit *unit = &r.unit;

	cg_json_open(&r.json, in);
	while (take_document(&r) && cg_json_another(&r.json))
		continue;
	free(unit->file);
	free(unit->fn);
	free(unit->line);
	free(unit->item);
	free(unit->id);
	free(unit->step);
	free(r.text);
	return r.status != CG_OK ? r.status : cg_build_failed(build, NULL);
}
