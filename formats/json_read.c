/*
 * json_read.c - reads cgconv's own JSON Lines. json.h has the format.
 *
 * One pass: a line is a tag and its fields, which a table gives for each tag.
 * Ids of the file index lists here, so they must be dense: what sizes a list
 * is how many definitions were read, never a number in one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "json_fields.h"

#define NAME_SHOWN 40 /* of an unknown name, how much is shown */

/* ---- Definitions -------------------------------------------------------- */

static bool
set_list(struct list *list, size_t i, uint32_t value)
{
	if (!cg_grow(&list->at, &list->cap, i + 1, sizeof(*list->at)))
		return false;
	list->at[i] = value;
	return true;
}

/* Field 0 must be the id that comes next. */
static bool
check_new_id(struct reader *r, const struct ids *ids)
{
	if (r->field[0].number == ids->count + 1)
		return true;
	r->status = cg_fail_at(r->job, r->field[0].at,
	    "expected %s id %zu, got %" PRIu64, ids->what, ids->count + 1,
	    r->field[0].number);
	return false;
}

/* The line has defined what the builder calls id. */
static bool
define(struct reader *r, struct ids *ids, uint32_t id)
{
	if (cg_build_status(r->build) != CG_OK)
		return false;
	if (id < ids->number.cap && ids->number.at[id] != 0) {
		r->status = cg_fail_at(r->job, r->field[1].at,
		    "expected another %s, this is number %" PRIu32, ids->what,
		    ids->number.at[id]);
		return false;
	}
	if (!set_list(&ids->number, id, (uint32_t)ids->count + 1) ||
	    !set_list(&ids->id, ids->count + 1, id)) {
		r->status = cg_nomem(r->job);
		return false;
	}
	ids->count++;
	return true;
}

/* Of an event or a formula: the name is in field 0 or 1. */
static bool
get_event(struct reader *r, const struct field *name, const struct field *rest,
    struct cg_event *event)
{
	*event = (struct cg_event){ .name = name->text.ptr,
		.long_name = rest[0].text.ptr,
		.unit = rest[1].text.ptr,
		.formula = "",
		.incl = (enum cg_incl)rest[2].number,
		.is_signed = rest[3].number };
	if (*event->name && !strpbrk(event->name, " \t\r\n"))
		return true;
	r->status =
	    cg_fail_at(r->job, name->at, "expected a name without blanks");
	return false;
}

static bool
add_event(struct reader *r)
{
	const struct field *f = r->field;
	struct cg_event event;
	unsigned column;

	if (f[0].number != r->events || r->events == CG_EVENT_MAX) {
		r->status = cg_fail_at(r->job, f[0].at,
		    r->events < CG_EVENT_MAX ? "expected column %zu"
					     : "expected at most %zu events",
		    r->events);
		return false;
	}
	if (!get_event(r, &f[1], &f[2], &event))
		return false;
	column = cg_add_event(r->build, &event);
	if (cg_build_status(r->build) != CG_OK)
		return false;
	for (size_t i = 0; i < r->events; i++) {
		if (r->column[i] != column)
			continue;
		r->status = cg_fail_at(r->job, f[1].at,
		    "expected another event, this is column %zu", i);
		return false;
	}
	r->is_signed[r->events] = event.is_signed;
	r->column[r->events] = column;
	r->moved |= column != r->events;
	r->events++;
	if (column >= r->columns)
		r->columns = column + 1;
	return true;
}

static bool
add_formula(struct reader *r)
{
	const struct field *f = r->field;
	struct cg_event event;

	if (!get_event(r, &f[0], &f[2], &event))
		return false;
	event.formula = f[1].text.ptr;
	cg_add_formula(r->build, &event);
	return true;
}

static bool
add_path(struct reader *r, struct ids *ids,
    uint32_t (*add)(struct cg_build *, struct cg_slice))
{
	const struct field *path = &r->field[1];

	if (!check_new_id(r, ids))
		return false;
	if (path->text.len > 0)
		return define(r, ids, add(r->build, path->text));
	r->status = cg_fail_at(r->job, path->at, "expected a path");
	return false;
}

static bool
add_object(struct reader *r)
{
	return add_path(r, &r->objects, cg_add_object);
}

static bool
add_file(struct reader *r)
{
	if (!add_path(r, &r->files, cg_add_file))
		return false;
	cg_set_file_given(
	    r->build, r->files.id.at[r->files.count], r->field[2].text);
	return true;
}

static bool
add_function(struct reader *r)
{
	const struct field *f = r->field;
	cg_file file = (cg_file)f[2].number;
	cg_object object = (cg_object)f[3].number;
	const struct cg_range range = { .first = (uint32_t)f[4].number,
		.last = (uint32_t)f[5].number,
		.addr = f[6].number,
		.first_column = (uint32_t)f[7].number,
		.last_column = (uint32_t)f[8].number };
	cg_fn fn;

	if (!check_new_id(r, &r->fns))
		return false;
	if (f[1].text.len == 0 && file == 0 && object == 0 &&
	    f[9].text.len == 0) {
		r->status = cg_fail_at(
		    r->job, f[1].at, "expected a name, a file or an object");
		return false;
	}
	fn = cg_add_fn_symbol(r->build, cg_add_name(r->build, f[1].text), file,
	    object, cg_add_name(r->build, f[9].text));
	cg_set_fn_range(r->build, fn, &range);
	return define(r, &r->fns, fn);
}

static struct cg_pos
get_pos(const struct field *f)
{
	return (struct cg_pos){ .file = (cg_file)f[0].number,
		.line = (uint32_t)f[1].number,
		.addr = f[2].number };
}

static bool
add_frame(struct reader *r)
{
	const struct field *f = r->field;
	struct cg_pos pos = get_pos(&f[3]);

	return check_new_id(r, &r->nodes) &&
	       define(r, &r->nodes,
		   cg_add_frame(r->build, (cg_node)f[1].number,
		       (cg_fn)f[2].number, &pos, f[6].number != 0));
}

/* ---- Parts and rows ----------------------------------------------------- */

static bool
add_part(struct reader *r)
{
	const struct field *f = r->field;
	const struct cg_part_info info = { .pid = f[0].number,
		.tid = f[1].number,
		.part = f[2].number,
		.cmd = f[3].text.ptr };

	(void)cg_add_part(r->build, &info);
	r->in_part = true;
	r->in_rows = false;
	return true;
}

static bool
add_desc(struct reader *r)
{
	cg_add_desc(r->build, r->field[0].text, r->field[1].text);
	return true;
}

static bool
list_file(struct reader *r)
{
	cg_list_file(r->build, (cg_file)r->field[0].number);
	return true;
}

static bool
add_total(struct reader *r)
{
	cg_state_total(r->build, r->line.ptr, r->cost, r->costs, false);
	return true;
}

static bool
set_rows(struct reader *r)
{
	r->fn = (cg_fn)r->field[0].number;
	r->in_rows = true;
	return true;
}

static bool
add_cost(struct reader *r)
{
	const struct cg_pos pos = get_pos(r->field);

	cg_add_cost(r->build, r->fn, &pos, r->cost, r->costs);
	return true;
}

static bool
add_call(struct reader *r)
{
	const struct field *f = r->field;
	const struct cg_pos site = get_pos(f);
	const struct cg_pos entry = { .line = (uint32_t)f[4].number,
		.addr = f[5].number };

	cg_add_call(r->build, r->fn, &site, (cg_fn)f[3].number, &entry,
	    f[6].number, r->cost, r->costs);
	return true;
}

static bool
add_jump(struct reader *r)
{
	const struct field *f = r->field;
	const struct cg_pos from = get_pos(f), to = get_pos(&f[4]);
	bool conditional = r->given == 9; /* it says "followed" */

	cg_add_jump(r->build, r->fn, &from, (cg_fn)f[3].number, &to,
	    conditional, f[7].number, f[conditional ? 8 : 7].number);
	return true;
}

static bool
add_branch(struct reader *r)
{
	const struct field *f = r->field;
	const struct cg_branch branch = { .pos = get_pos(f),
		.kind = (enum cg_branch_kind)f[3].number,
		.block = (uint32_t)f[4].number,
		.index = (uint32_t)f[5].number,
		.count = (int64_t)f[6].number,
		.flags = (unsigned)f[7].number,
		.target = (uint32_t)f[8].number,
		.label = cg_add_name(r->build, f[9].text) };

	(void)cg_add_branch(r->build, r->fn, &branch);
	return true;
}

static bool
add_inclusive(struct reader *r)
{
	cg_add_inclusive(r->build, r->fn, r->cost, r->costs);
	return true;
}

static bool
add_stack(struct reader *r)
{
	const struct field *f = r->field;

	cg_add_stack(
	    r->build, (cg_node)f[0].number, f[1].number, r->cost, r->costs);
	return true;
}

/* ---- The file ----------------------------------------------------------- */

enum place { ANYWHERE, IN_PART, IN_ROWS };

/* For the kinds of fields see json_fields.h. The most frequent come first. */
static const struct tag {
	const char *name, *kinds;
	enum place place;
	bool (*add)(struct reader *);
} tags[] = {
	{ "cost", "Func", IN_ROWS, add_cost },
	{ "call", "Funfunnc", IN_ROWS, add_call },
	{ "jump", "FunfFunn?n", IN_ROWS, add_jump },
	{ "rows", "f", IN_PART, set_rows },
	{ "branch", "Funkuud?lut", IN_ROWS, add_branch },
	{ "frame", "nsfFun?b", ANYWHERE, add_frame },
	{ "stack", "snc", IN_PART, add_stack },
	{ "function", "ntFO?uunuut", ANYWHERE, add_function },
	{ "file", "nt?t", ANYWHERE, add_file },
	{ "object", "nt", ANYWHERE, add_object },
	{ "inclusive", "c", IN_ROWS, add_inclusive },
	{ "event", "nz?zzib", ANYWHERE, add_event },
	{ "formula", "zz?zzib", ANYWHERE, add_formula },
	{ "part", "?nnnz", ANYWHERE, add_part },
	{ "desc", "zz", IN_PART, add_desc },
	{ "listed", "F", IN_PART, list_file },
	{ "total", "c", IN_PART, add_total },
	{ NULL, NULL, ANYWHERE, NULL },
};

/* Keys of the objects in the first and the last line. */
struct key {
	const char *name;
	bool (*take)(struct reader *);
};

static bool
take_object(struct reader *r, const struct key *keys)
{
	if (!cg_json_take(r, CG_JSON_OBJECT, "'{'"))
		return false;
	while (r->type == CG_JSON_KEY) {
		struct cg_slice name = r->json.text;
		const struct key *key = keys;

		while (key->name && !cg_equal(name, key->name))
			key++;
		if (!key->name)
			cg_warn_at(r->job, r->json.at,
			    "unknown key \"%.*s\" is skipped",
			    (int)(name.len < NAME_SHOWN ? name.len
							: NAME_SHOWN),
			    name.ptr);
		if (!cg_json_take(r, CG_JSON_KEY, "a key") ||
		    !(key->name ? key->take(r) : cg_json_step_over(r)))
			return false;
	}
	return cg_json_take(r, CG_JSON_OBJECT_END, "'}'");
}

static bool
check_graph(struct reader *r)
{
	if (!cg_equal(r->json.text, "graph"))
		return cg_json_refuse(r, "\"graph\"");
	return cg_json_take(r, CG_JSON_STRING, "\"graph\"");
}

static bool
check_version(struct reader *r)
{
	const char *at = r->json.at;

	if (!cg_json_take_number(r, UINT64_MAX, &r->version))
		return false;
	if (r->version <= JSON_VERSION)
		return true;
	r->status = cg_fail_at(r->job, at,
	    "JSON version %" PRIu64 " is newer than this program reads (%d)",
	    r->version, JSON_VERSION);
	return false;
}

static bool
set_grain(struct reader *r)
{
	uint64_t grain;

	if (!cg_json_take_number(r, UINT32_MAX, &grain))
		return false;
	cg_set_grain(r->build, (unsigned)grain);
	return true;
}

static const struct key header_keys[] = {
	{ "cgconv", check_graph },
	{ "version", check_version },
	{ "minor", cg_json_step_over },
	{ "creator", cg_json_step_over },
	{ "grain", set_grain },
	{ NULL, NULL },
};

static bool
read_header(struct reader *r)
{
	cg_json_line(r);
	if (!take_object(r, header_keys))
		return false;
	if (r->type != CG_JSON_END)
		return cg_json_refuse(r, "the end");
	if (r->version != 0)
		return true;
	r->status = cg_fail(
	    r->job, "expected \"version\":%d in the first line", JSON_VERSION);
	return false;
}

static bool
check_records(struct reader *r)
{
	const char *at = r->json.at;
	uint64_t records;

	if (!cg_json_take_number(r, UINT64_MAX, &records))
		return false;
	if (records == r->lines)
		return true;
	r->status = cg_fail_at(r->job, at,
	    "expected %" PRIu64 ", the number of lines above", r->lines);
	return false;
}

static bool
check_crc(struct reader *r)
{
	size_t above = (size_t)(r->line.ptr - r->block.ptr);
	char crc[9];

	(void)snprintf(crc, sizeof(crc), "%08lx",
	    crc32_z(r->crc, (const Bytef *)r->block.ptr, above));
	if (r->type == CG_JSON_STRING && !cg_equal(r->json.text, crc)) {
		r->status = cg_fail_at(r->job, r->json.at,
		    "expected \"%s\": the lines above were changed; "
		    "[\"end\"] alone accepts them",
		    crc);
		return false;
	}
	return cg_json_take(r, CG_JSON_STRING, "a string");
}

static const struct key end_keys[] = {
	{ "records", check_records },
	{ "crc32", check_crc },
	{ NULL, NULL },
};

static bool
read_end(struct reader *r)
{
	r->ended = true;
	if (r->type != CG_JSON_ARRAY_END && !take_object(r, end_keys))
		return false;
	return cg_json_take_end(r);
}

static bool
skip_record(struct reader *r, struct cg_slice tag, const char *at)
{
	cg_warn_at(r->job, at, "unknown record \"%.*s\" is skipped",
	    (int)(tag.len < NAME_SHOWN ? tag.len : NAME_SHOWN), tag.ptr);
	while (r->type != CG_JSON_ARRAY_END) {
		if (!cg_json_step_over(r))
			return false;
	}
	return cg_json_take_end(r);
}

/* What the file leaves out: one part for all. */
static void
begin_part(struct reader *r)
{
	const struct cg_part_info unknown = { .cmd = "" };

	(void)cg_add_part(r->build, &unknown);
	r->in_part = true;
}

static bool
read_record(struct reader *r)
{
	const struct tag *tag = tags;
	struct cg_slice name;
	const char *at;

	cg_json_line(r);
	if (!cg_json_take(r, CG_JSON_ARRAY, "'['"))
		return false;
	at = r->json.at;
	name = r->json.text;
	if (!cg_json_take(r, CG_JSON_STRING, "a tag"))
		return false;
	if (cg_equal(name, "end"))
		return read_end(r);
	while (tag->name && !cg_equal(name, tag->name))
		tag++;
	if (!tag->name)
		return skip_record(r, name, at);
	if (tag->place == IN_ROWS && !r->in_rows) {
		r->status = cg_fail_at(
		    r->job, at, "expected a [\"rows\",function] line before");
		return false;
	}
	if (tag->place == IN_PART && !r->in_part)
		begin_part(r);
	return cg_json_take_fields(r, tag->kinds) && tag->add(r);
}

/* Behind the name and its quote; NULL: another one stands there. */
static inline const char *
step_over(const char *at, const char *name)
{
	for (; *name; name++)
		if (*at++ != *name)
			return NULL;
	return *at == '"' ? at + 1 : NULL;
}

/*
 * What most lines are, rows of numbers: which kind, once the fields are taken.
 * NULL leaves any other line to read_record(). A newline ends what is compared.
 */
static const struct tag *
take_row(struct reader *r)
{
	const char *at = r->line.ptr, *fields = NULL;
	const struct tag *tag;

	if (!r->in_rows || r->ended || at[0] != '[' || at[1] != '"')
		return NULL;
	for (tag = tags; tag->name; tag++) {
		fields = step_over(at + 2, tag->name);
		if (fields)
			break;
	}
	return tag->place == IN_ROWS &&
		       cg_json_take_plain(r, fields, tag->kinds)
		   ? tag
		   : NULL;
}

static bool
read_line(struct reader *r)
{
	const struct tag *row = take_row(r);

	if (row)
		return row->add(r);
	if (r->lines == 0)
		return read_header(r);
	if (!r->ended)
		return read_record(r);
	r->status = cg_fail_at(
	    r->job, r->line.ptr, "expected nothing after the [\"end\"] line");
	return false;
}

static void
read_block(struct reader *r)
{
	struct cg_slice rest = r->block;

	while (cg_take_line(&rest, &r->line) &&
	       (r->line.len == 0 || read_line(r)) &&
	       cg_build_status(r->build) == CG_OK)
		r->lines++;
	if (r->status == CG_OK)
		r->status = cg_build_failed(r->build, r->line.ptr);
	r->crc = (uint32_t)crc32_z(
	    r->crc, (const Bytef *)r->block.ptr, r->block.len);
}

static void
free_ids(struct ids *ids)
{
	free(ids->id.at);
	free(ids->number.at);
}

int
cg_read_json(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job,
		.build = build,
		.objects.what = "object",
		.files.what = "file",
		.fns.what = "function",
		.nodes.what = "frame" };

	while (r.status == CG_OK && cg_read_block(in, &r.block))
		read_block(&r);
	if (r.status == CG_OK)
		r.status = cg_in_status(in);
	if (r.status == CG_OK && !r.ended)
		r.status = cg_fail(
		    job, "expected the [\"end\"] line: the file is cut short");
	free_ids(&r.objects);
	free_ids(&r.files);
	free_ids(&r.fns);
	free_ids(&r.nodes);
	free(r.text);
	return r.status;
}
