/*
 * read.c - reads cgconv's own JSON Lines. json.h has the format.
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

#include "fields.h"

#define NAME_SHOWN 40 /* of an unknown name, how much is shown */

/* ---- The file ----------------------------------------------------------- */

/* Keys of the objects in the first and the last line. */
struct key {
	const char *name;
	bool (*take)(struct reader *);
};

static bool
take_object(struct reader *r, const struct key *keys)
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
		    !(key->name ? key->take(r) : json_step_over(r)))
			return false;
	}
	return json_take(r, CG_JSON_OBJECT_END, "'}'");
}

static bool
check_graph(struct reader *r)
{
	if (!cg_equal(r->json.text, "graph"))
		return json_refuse(r, "\"graph\"");
	return json_take(r, CG_JSON_STRING, "\"graph\"");
}

static bool
check_version(struct reader *r)
{
	const char *at = r->json.at;

	if (!json_take_number(r, UINT64_MAX, &r->version))
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

	if (!json_take_number(r, UINT32_MAX, &grain))
		return false;
	cg_set_grain(r->build, (unsigned)grain);
	return true;
}

static const struct key header_keys[] = {
	{ "cgconv", check_graph },
	{ "version", check_version },
	{ "minor", json_step_over },
	{ "creator", json_step_over },
	{ "grain", set_grain },
	{ NULL, NULL },
};

static bool
read_header(struct reader *r)
{
	json_line(r);
	if (!take_object(r, header_keys))
		return false;
	if (r->type != CG_JSON_END)
		return json_refuse(r, "the end");
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

	if (!json_take_number(r, UINT64_MAX, &records))
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
	return json_take(r, CG_JSON_STRING, "a string");
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
	return json_take_end(r);
}

static bool
skip_record(struct reader *r, struct cg_slice tag, const char *at)
{
	cg_warn_at(r->job, at, "unknown record \"%.*s\" is skipped",
	    (int)(tag.len < NAME_SHOWN ? tag.len : NAME_SHOWN), tag.ptr);
	while (r->type != CG_JSON_ARRAY_END) {
		if (!json_step_over(r))
			return false;
	}
	return json_take_end(r);
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
	while (tag->name && !cg_equal(name, tag->name))
		tag++;
	if (!tag->name)
		return skip_record(r, name, at);
	if (tag->place == JSON_IN_ROWS && !r->in_rows) {
		r->status = cg_fail_at(
		    r->job, at, "expected a [\"rows\",function] line before");
		return false;
	}
	if (tag->place == JSON_IN_PART && !r->in_part)
		begin_part(r);
	return json_take_fields(r, tag->kinds) && tag->add(r);
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
static const struct json_tag *
take_row(struct reader *r)
{
	const char *at = r->line.ptr, *fields = NULL;
	const struct json_tag *tag;

	if (!r->in_rows || r->ended || at[0] != '[' || at[1] != '"')
		return NULL;
	for (tag = json_tags; tag->name; tag++) {
		fields = step_over(at + 2, tag->name);
		if (fields)
			break;
	}
	return tag->place == JSON_IN_ROWS &&
		       json_take_plain(r, fields, tag->kinds)
		   ? tag
		   : NULL;
}

static bool
read_line(struct reader *r)
{
	const struct json_tag *row = take_row(r);

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
json_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job,
		.build = build,
		.objects.what = "object",
		.files.what = "file",
		.fns.what = "function",
		.nodes.what = "frame",
		.labels.what = "label set" };

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
	free_ids(&r.labels);
	free(r.label);
	free(r.text);
	return r.status;
}
