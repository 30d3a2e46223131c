/*
 * read.c - reads cgconv's own JSON Lines. json.h describes the format.
 *
 * One pass: a line is a tag and its fields, and a table gives the fields of
 * each tag. Ids of the file index arrays, so they must be dense: the size of an
 * array is the number of definitions read, never a number from the file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "fields.h"

#define NAME_SHOWN 40 /* bytes of an unknown name in a message */

/* ---- Definitions -------------------------------------------------------- */

/*
 * Returns true if field 0 of the line is the next number of the table "ids".
 * The input must number its objects, files, functions and the like from 1
 * without gaps. False: rejected (reported).
 */
static bool
check_new_id(struct json_reader *r, const struct json_ids *ids)
{
	if (r->field[0].number == ids->id.n + 1)
		return true;
	return cg_reject_at(r->job, json_at(r, 0),
	    "expected %s id %zu, got %" PRIu64, ids->what, ids->id.n + 1,
	    r->field[0].number);
}

/*
 * Maps the next number that the input defines in "ids" to the builder's id.
 * The input numbers objects, files, functions and the like, each kind from 1.
 * False: another number has this builder's id already, or out of memory
 * (reported), or the builder has failed.
 */
static bool
define(struct json_reader *r, struct json_ids *ids, uint32_t id)
{
	uint32_t *new;

	if (cg_build_status(r->build) != CG_OK)
		return false;
	if (id < ids->number.n && ids->number.at[id] != 0)
		return cg_reject_at(r->job, json_at(r, 1),
		    "expected another %s: this one has id %" PRIu32, ids->what,
		    ids->number.at[id]);
	new = cg_push(r->job, &ids->id);
	if (!new || (id >= ids->number.n &&
			!cg_resize(r->job, &ids->number, (size_t)id + 1)))
		return false;
	*new = id;
	ids->number.at[id] = (uint32_t)ids->id.n;
	return true;
}

/*
 * Sets *event from the fields that events and formulas share: the name, and in
 * rest[] the four after it. Its strings live as long as the line. False: the
 * name is empty or has blanks (reported).
 */
static bool
get_event(struct json_reader *r, const struct json_field *name,
    const struct json_field *rest, struct cg_event *event)
{
	*event = (struct cg_event){ .name = name->text.ptr,
		.long_name = rest[0].text.ptr,
		.unit = rest[1].text.ptr,
		.formula = "",
		.incl = (enum cg_incl)rest[2].number,
		.is_signed = rest[3].number };
	if (*event->name && !strpbrk(event->name, " \t\r\n"))
		return true;
	return cg_reject_at(r->job, name->at, "expected a name without blanks");
}

static bool
add_event(struct json_reader *r)
{
	const struct json_field *f = r->field;
	struct cg_event event;
	unsigned column;

	if (f[0].number != r->events || r->events == CG_EVENT_MAX)
		return cg_reject_at(r->job, f[0].at,
		    r->events < CG_EVENT_MAX ? "expected column %zu"
					     : "expected at most %zu events",
		    r->events);
	if (!get_event(r, &f[1], &f[2], &event))
		return false;
	column = cg_add_event(r->build, &event);
	if (cg_build_status(r->build) != CG_OK)
		return false;
	for (size_t i = 0; i < r->events; i++) {
		if (r->column[i] != column)
			continue;
		return cg_reject_at(r->job, f[1].at,
		    "expected another event: this one is column %zu", i);
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
add_formula(struct json_reader *r)
{
	const struct json_field *f = r->field;
	struct cg_event event;

	if (!get_event(r, &f[0], &f[2], &event))
		return false;
	event.formula = f[1].text.ptr;
	cg_add_formula(r->build, &event);
	return true;
}

static bool
add_path(struct json_reader *r, struct json_ids *ids,
    uint32_t (*add)(struct cg_build *, struct cg_slice))
{
	const struct json_field *path = &r->field[1];

	if (!check_new_id(r, ids))
		return false;
	if (path->text.len > 0)
		return define(r, ids, add(r->build, path->text));
	return cg_reject_at(r->job, path->at, "expected a path");
}

static bool
add_object(struct json_reader *r)
{
	return add_path(r, &r->objects, cg_add_object);
}

static bool
add_file(struct json_reader *r)
{
	if (!add_path(r, &r->files, cg_add_file))
		return false;
	cg_set_file_given(
	    r->build, r->files.id.at[r->files.id.n - 1], r->field[2].text);
	return true;
}

static bool
add_function(struct json_reader *r)
{
	const struct json_field *f = r->field;
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
	    f[9].text.len == 0)
		return cg_reject_at(
		    r->job, f[1].at, "expected a name, a file or an object");
	fn = cg_add_fn_symbol(r->build, cg_add_name(r->build, f[1].text), file,
	    object, cg_add_name(r->build, f[9].text));
	cg_set_fn_range(r->build, fn, &range);
	return define(r, &r->fns, fn);
}

static struct cg_pos
get_pos(const struct json_field *f)
{
	return (struct cg_pos){ .file = (cg_file)f[0].number,
		.line = (uint32_t)f[1].number,
		.addr = f[2].number };
}

static bool
add_frame(struct json_reader *r)
{
	const struct json_field *f = r->field;
	struct cg_pos pos = get_pos(&f[3]);

	return check_new_id(r, &r->nodes) &&
	       define(r, &r->nodes,
		   cg_add_frame(r->build, (cg_node)f[1].number,
		       (cg_fn)f[2].number, &pos, f[6].number != 0));
}

static bool
add_labels(struct json_reader *r)
{
	return check_new_id(r, &r->labels) &&
	       define(r, &r->labels,
		   cg_add_labels(r->build, r->label.at, r->label.n));
}

/* ---- Parts and rows ----------------------------------------------------- */

static bool
add_part(struct json_reader *r)
{
	const struct json_field *f = r->field;
	const struct cg_part_info info = { .pid = f[0].number,
		.tid = f[1].number,
		.part = f[2].number,
		.cmd = f[3].text.ptr };

	(void)cg_add_part(r->build, &info);
	r->in_part = true;
	r->in_rows = r->in_track = false;
	return true;
}

static bool
add_desc(struct json_reader *r)
{
	cg_add_desc(r->build, r->field[0].text, r->field[1].text);
	return true;
}

static bool
list_file(struct json_reader *r)
{
	cg_list_file(r->build, (cg_file)r->field[0].number);
	return true;
}

static bool
add_total(struct json_reader *r)
{
	cg_state_total(r->build, r->line.ptr, r->cost, r->costs, false);
	return true;
}

static bool
set_rows(struct json_reader *r)
{
	r->fn = (cg_fn)r->field[0].number;
	r->in_rows = true;
	return true;
}

static bool
add_cost(struct json_reader *r)
{
	const struct cg_pos pos = get_pos(r->field);

	cg_add_cost(r->build, r->fn, &pos, r->cost, r->costs);
	return true;
}

static bool
add_call(struct json_reader *r)
{
	const struct json_field *f = r->field;
	const struct cg_pos site = get_pos(f);
	const struct cg_pos entry = { .line = (uint32_t)f[4].number,
		.addr = f[5].number };

	cg_add_call(r->build, r->fn, &site, (cg_fn)f[3].number, &entry,
	    f[6].number, r->cost, r->costs);
	return true;
}

static bool
add_jump(struct json_reader *r)
{
	const struct json_field *f = r->field;
	const struct cg_pos from = get_pos(f), to = get_pos(&f[4]);
	bool conditional = r->given == 9; /* the line has "followed" */

	cg_add_jump(r->build, r->fn, &from, (cg_fn)f[3].number, &to,
	    conditional, f[7].number, f[conditional ? 8 : 7].number);
	return true;
}

static bool
add_branch(struct json_reader *r)
{
	const struct json_field *f = r->field;
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
add_region(struct json_reader *r)
{
	const struct json_field *f = r->field;
	const struct cg_region region = { .file = (cg_file)f[0].number,
		.line = (uint32_t)f[1].number,
		.column = (uint32_t)f[2].number,
		.last = (uint32_t)f[3].number,
		.last_column = (uint32_t)f[4].number,
		.count = (int64_t)f[5].number,
		.flags = (unsigned)f[6].number,
		.label = cg_add_name(r->build, f[7].text) };

	if (region.last < region.line)
		return cg_reject_at(r->job, json_at(r, 3),
		    "expected a last line that is not before the first");
	(void)cg_add_region(r->build, r->fn, &region);
	return true;
}

static bool
add_inclusive(struct json_reader *r)
{
	cg_add_inclusive(r->build, r->fn, r->cost, r->costs);
	return true;
}

static bool
add_stack(struct json_reader *r)
{
	const struct json_field *f = r->field;

	cg_set_labels(r->build, (cg_labels)f[3].number);
	cg_add_stack(
	    r->build, (cg_node)f[0].number, f[1].number, r->cost, r->costs);
	return true;
}

static bool
add_track(struct json_reader *r)
{
	const struct json_field *f = r->field;
	const struct cg_track track = { .pid = f[0].number,
		.tid = f[1].number,
		.name = f[2].text.ptr,
		.process = f[3].text.ptr,
		.unit = f[4].text.ptr,
		.spans = f[5].number };

	r->in_track = true;
	r->timed = cg_begin_timeline(r->build);
	r->begin = (int64_t)f[6].number;
	if (!r->timed || !cg_add_track(r->build, &track))
		return true;
	if (r->given > 7)
		cg_state_times(r->build, r->begin, (int64_t)f[7].number);
	return true;
}

static bool
add_moment(struct json_reader *r)
{
	const struct json_field *f = r->field;
	struct cg_moment moment = { .node = (cg_node)f[1].number,
		.cost = r->cost,
		.n = r->given > 2 ? r->costs : 0 };

	if (!r->in_track)
		return cg_reject_at(
		    r->job, r->line.ptr, "expected a [\"track\"] line above");
	if (__builtin_add_overflow(
		r->begin, (int64_t)f[0].number, &moment.time))
		return cg_reject_at(
		    r->job, json_at(r, 0), "expected a time below 2^63");
	if (r->timed)
		cg_add_moment(r->build, &moment);
	return true;
}

/* ---- Tags --------------------------------------------------------------- */

/* By tag: adds r->field to the builder. */
static bool (*const add[JSON_TAGS])(struct json_reader *) = {
	[JSON_COST] = add_cost,
	[JSON_CALL] = add_call,
	[JSON_JUMP] = add_jump,
	[JSON_ROWS] = set_rows,
	[JSON_BRANCH] = add_branch,
	[JSON_FRAME] = add_frame,
	[JSON_STACK] = add_stack,
	[JSON_MOMENT] = add_moment,
	[JSON_LABELS] = add_labels,
	[JSON_FUNCTION] = add_function,
	[JSON_FILE] = add_file,
	[JSON_OBJECT] = add_object,
	[JSON_REGION] = add_region,
	[JSON_INCLUSIVE] = add_inclusive,
	[JSON_EVENT] = add_event,
	[JSON_FORMULA] = add_formula,
	[JSON_PART] = add_part,
	[JSON_DESC] = add_desc,
	[JSON_LISTED] = list_file,
	[JSON_TOTAL] = add_total,
	[JSON_TRACK] = add_track,
};

/* ---- The first and the last line ---------------------------------------- */

/* Keys of the objects in the first and the last line. */
struct key {
	const char *name;
	bool (*take)(struct json_reader *);
};

static bool
take_object(struct json_reader *r, const struct key *keys)
{
	if (!json_take(r, CG_JSON_OBJECT, "'{'"))
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
		if (!json_take(r, CG_JSON_KEY, "a key") ||
		    !(key->name ? key->take(r) : json_skip(r)))
			return false;
	}
	return json_take(r, CG_JSON_OBJECT_END, "'}'");
}

static bool
check_graph(struct json_reader *r)
{
	if (!cg_equal(r->json.text, "graph"))
		return json_reject(r, "\"graph\"");
	return json_take(r, CG_JSON_STRING, "\"graph\"");
}

static bool
check_version(struct json_reader *r)
{
	const char *at = r->json.at;

	if (!json_take_number(r, UINT64_MAX, &r->version))
		return false;
	if (r->version <= JSON_VERSION)
		return true;
	return cg_reject_at(r->job, at,
	    "JSON version %" PRIu64 " is newer than this program reads (%d)",
	    r->version, JSON_VERSION);
}

static bool
set_grain(struct json_reader *r)
{
	uint64_t grain;

	if (!json_take_number(r, UINT32_MAX, &grain))
		return false;
	cg_set_grain(r->build, (unsigned)grain);
	return true;
}

static const struct key header_keys[] = {
	{ "cgconv", check_graph },
	{ "version", check_version },
	{ "minor", json_skip },
	{ "creator", json_skip },
	{ "grain", set_grain },
	{ NULL, NULL },
};

static bool
read_header(struct json_reader *r)
{
	json_line(r);
	if (!take_object(r, header_keys))
		return false;
	if (r->type != CG_JSON_END)
		return json_reject(r, "the end");
	if (r->version != 0)
		return true;
	return cg_reject(
	    r->job, "expected \"version\":%d in the first line", JSON_VERSION);
}

static bool
check_records(struct json_reader *r)
{
	const char *at = r->json.at;
	uint64_t records;

	if (!json_take_number(r, UINT64_MAX, &records))
		return false;
	if (records == r->lines)
		return true;
	return cg_reject_at(r->job, at,
	    "expected %" PRIu64 ", the number of lines above", r->lines);
}

static bool
check_crc(struct json_reader *r)
{
	size_t above = (size_t)(r->line.ptr - r->block.ptr);
	char crc[9];

	(void)snprintf(crc, sizeof(crc), "%08lx",
	    crc32_z(r->crc, (const Bytef *)r->block.ptr, above));
	if (r->type == CG_JSON_STRING && !cg_equal(r->json.text, crc)) {
		return cg_reject_at(r->job, r->json.at,
		    "expected \"%s\": the lines above were changed; to "
		    "accept them, replace this line by [\"end\"]",
		    crc);
	}
	return json_take(r, CG_JSON_STRING, "a string");
}

static const struct key end_keys[] = {
	{ "records", check_records },
	{ "crc32", check_crc },
	{ NULL, NULL },
};

static bool
read_end(struct json_reader *r)
{
	r->ended = true;
	if (r->type != CG_JSON_ARRAY_END && !take_object(r, end_keys))
		return false;
	return json_take_end(r);
}

/* ---- Lines -------------------------------------------------------------- */

static bool
skip_record(struct json_reader *r, struct cg_slice tag, const char *at)
{
	cg_warn_at(r->job, at, "unknown record \"%.*s\" is skipped",
	    (int)(tag.len < NAME_SHOWN ? tag.len : NAME_SHOWN), tag.ptr);
	while (r->type != CG_JSON_ARRAY_END) {
		if (!json_skip(r))
			return false;
	}
	return json_take_end(r);
}

/*
 * Begins the only part (process or thread) of a file whose costs have no part
 * line before them.
 */
static void
add_default_part(struct json_reader *r)
{
	const struct cg_part_info unknown = { .cmd = "" };

	(void)cg_add_part(r->build, &unknown);
	r->in_part = true;
}

static bool
read_record(struct json_reader *r)
{
	const struct json_tag *tag = json_tags;
	struct cg_slice name;
	const char *at;

	json_line(r);
	if (!json_take(r, CG_JSON_ARRAY, "'['"))
		return false;
	at = r->json.at;
	name = r->json.text;
	if (!json_take(r, CG_JSON_STRING, "a tag"))
		return false;
	if (cg_equal(name, "end"))
		return read_end(r);
	while (tag < json_tags + JSON_TAGS && !cg_equal(name, tag->name))
		tag++;
	if (tag == json_tags + JSON_TAGS)
		return skip_record(r, name, at);
	if (tag->scope == JSON_IN_ROWS && !r->in_rows)
		return cg_reject_at(
		    r->job, at, "expected a [\"rows\",function] line above");
	if (tag->scope == JSON_IN_PART && !r->in_part)
		add_default_part(r);
	return json_take_fields(r, tag->kinds) && add[tag - json_tags](r);
}

/*
 * Returns true if a line with this tag may be added at once: the header was
 * read, the last line was not, and its part or function has begun. Otherwise a
 * slower path adds a missing part, or rejects the line.
 */
static bool
may_stand(const struct json_reader *r, const struct json_tag *tag)
{
	if (r->lines == 0 || r->ended)
		return false;
	return tag->scope == JSON_ANYWHERE ||
	       (tag->scope == JSON_IN_PART ? r->in_part : r->in_rows);
}

static bool
read_line(struct json_reader *r, const struct json_plain *line)
{
	if (line->tag < JSON_TAGS && may_stand(r, &json_tags[line->tag]) &&
	    json_take_plain(r, line))
		return add[line->tag](r);
	if (r->lines == 0)
		return read_header(r);
	if (!r->ended)
		return read_record(r);
	return cg_reject_at(
	    r->job, r->line.ptr, "expected nothing after the [\"end\"] line");
}

static bool
read_block(struct json_reader *r, const struct json_block *block)
{
	const uint64_t *word = block->word;
	const char *at = r->block.ptr;
	bool ok = true;

	for (size_t i = 0; ok && i < block->lines; i++) {
		const struct json_plain *line = (const struct json_plain *)word;

		r->line = (struct cg_slice){ at, line->len };
		at += line->len + 1;
		word += json_plain_words(line);
		ok = (line->len == 0 || read_line(r, line)) &&
		     cg_build_status(r->build) == CG_OK;
		r->lines += ok;
	}
	r->crc =
	    (uint32_t)crc32_combine(r->crc, block->crc, (z_off_t)r->block.len);
	return cg_rejected(r->job) == CG_OK &&
	       cg_build_failed(r->build, r->line.ptr) == CG_OK;
}

/*
 * Reads all lines, which other threads parse in blocks. False: a line was
 * rejected, or an error (reported).
 */
static bool
read_texts(struct json_reader *r, struct cg_in *in)
{
	const struct cg_texts_how how = { .job = r->job,
		.in = in,
		.own = sizeof(struct json_block),
		.parse = json_parse,
		.close = json_close };
	struct cg_texts *texts = cg_texts_new(&how);
	struct cg_text *text;
	bool ok = true;

	if (!texts)
		return cg_reject_nomem(r->job);
	while (ok && cg_next_text(texts, &text)) {
		r->block = text->text;
		ok = read_block(r, text->own);
	}
	cg_texts_free(texts);
	return ok && cg_rejected(r->job) == CG_OK;
}

int
json_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct json_reader r = { .job = job,
		.build = build,
		.objects.what = "object",
		.files.what = "file",
		.fns.what = "function",
		.nodes.what = "frame",
		.labels.what = "label set" };

	if (read_texts(&r, in) && cg_in_status(in) == CG_OK && !r.ended)
		(void)cg_reject(
		    job, "expected the [\"end\"] line: the file is truncated");
	return cg_in_status(in);
}
