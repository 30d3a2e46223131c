/*
 * descs.c - descriptions of a profile.proto: times, comments, and data that
 * cgconv has written to comments because no field represents it.
 */
#include "pprof.h"

const struct pprof_text_key pprof_text_keys[] = {
	{ "drop_frames", PPROF_DROP_FRAMES },
	{ "keep_frames", PPROF_KEEP_FRAMES },
	{ CG_MAIN_EVENT_KEY, PPROF_DEFAULT_TYPE },
	{ "doc_url", PPROF_DOC_URL },
	{ NULL, PPROF_FIELDS },
};

/* ---- cgconv's comments -------------------------------------------------- */

/*
 * Takes "KEY: " off the front of the text, and sets *key to KEY. False: there
 * is none, and nothing is taken.
 */
static bool
take_key(struct cg_slice *text, struct cg_slice *key)
{
	for (size_t i = 0; i + 1 < text->len; i++) {
		if (text->ptr[i] != ':' || text->ptr[i + 1] != ' ')
			continue;
		*key = (struct cg_slice){ text->ptr, i };
		text->ptr += i + 2;
		text->len -= i + 2;
		return true;
	}
	return false;
}

/*
 * Reads the rest of a comment "cgconv part: pid: 7" into *info. Such a comment
 * states process, thread, number or command of the profile. Ignores unknown
 * keys.
 */
static void
read_part(struct cg_slice text, struct cg_part_info *info)
{
	struct cg_slice key;
	uint64_t *number;

	if (!take_key(&text, &key))
		return;
	if (cg_equal(key, "cmd")) {
		info->cmd = text.ptr; /* a whole text ends with a NUL */
		return;
	}
	number = cg_equal(key, "pid")    ? &info->pid
		 : cg_equal(key, "tid")  ? &info->tid
		 : cg_equal(key, "part") ? &info->part
					 : NULL;
	if (number)
		(void)cg_take_u64(&text, number);
}

/*
 * Reads the rest of a comment "cgconv event: cycles: Cycles of the processor":
 * stores the long name of an event in r->long_names. Ignores a malformed one.
 * False: out of memory (reported).
 */
static bool
read_event(struct pprof_reader *r, struct cg_slice text)
{
	struct cg_slice name;
	uint32_t *at;

	if (!take_key(&text, &name))
		return true;
	at = cg_map_at(&r->long_names, cg_add_name(r->build, name));
	if (!at)
		return cg_reject_nomem(r->job);
	*at = cg_add_name(r->build, text);
	return true;
}

static bool
read_our_comments(struct pprof_reader *r, struct cg_part_info *info)
{
	const uint64_t *comment = r->comments.at;
	struct cg_slice text;

	for (size_t i = 0; i < r->comments.n; i++) {
		if (!proto_get_text(&r->tables, comment[i], &text))
			return false;
		if (cg_take_prefix(&text, PPROF_SAYS_PART))
			read_part(text, info);
		else if (cg_take_prefix(&text, PPROF_SAYS_EVENT) &&
			 !read_event(r, text))
			return false;
	}
	return true;
}

const char *
pprof_long_name(const struct pprof_reader *r, struct cg_slice event)
{
	cg_name name = cg_add_name(r->build, event);

	return cg_get_name(r->build, cg_map_get(&r->long_names, name)).ptr;
}

/* ---- Descriptions ------------------------------------------------------- */

static bool
add_text_desc(struct pprof_reader *r, const char *key, uint64_t index)
{
	struct cg_slice text;

	if (!proto_get_text(&r->tables, index, &text))
		return false;
	if (text.len > 0)
		cg_add_desc(r->build, cg_slice(key), text);
	return true;
}

static void
add_number_desc(struct pprof_reader *r, const char *key, uint64_t number)
{
	char text[CG_NUMBER_MAX];
	char *end = cg_format_i64(text, (int64_t)number);

	if (number != 0)
		cg_add_desc(r->build, cg_slice(key),
		    (struct cg_slice){ text, (size_t)(end - text) });
}

static bool
add_period(struct pprof_reader *r)
{
	uint64_t period = r->scalar[PPROF_PERIOD];
	struct cg_slice type, unit;
	const char *text;

	if (!proto_get_text(&r->tables, r->period_type.type, &type) ||
	    !proto_get_text(&r->tables, r->period_type.unit, &unit))
		return false;
	if (period == 0 && type.len == 0)
		return true;
	text = proto_period_text(r->job, (int64_t)period, type, unit);
	if (text)
		cg_add_desc(
		    r->build, cg_slice(PROTO_KEY_PERIOD), cg_slice(text));
	return text != NULL;
}

/*
 * Adds a comment, entry index of the string table, as a description. Splits
 * "cgconv: KEY: VALUE", of older versions, at the colons. Skips comments about
 * events and processes, read before. False: an error (reported).
 */
static bool
add_comment(struct pprof_reader *r, uint64_t index)
{
	struct cg_slice text, ours, key;

	if (!proto_get_text(&r->tables, index, &text))
		return false;
	ours = text;
	if (cg_starts(text, PPROF_SAYS_EVENT) ||
	    cg_starts(text, PPROF_SAYS_PART))
		return true;
	if (cg_take_prefix(&ours, PPROF_SAYS) && take_key(&ours, &key))
		cg_add_desc(r->build, key, ours);
	else if (text.len > 0)
		cg_add_desc(r->build, cg_slice(PROTO_KEY_COMMENT), text);
	return true;
}

static bool
add_descs(struct pprof_reader *r)
{
	const uint64_t *comment = r->comments.at;
	bool ok = add_period(r);

	add_number_desc(r, PROTO_KEY_TIME, r->scalar[PPROF_TIME_NANOS]);
	add_number_desc(r, PROTO_KEY_DURATION, r->scalar[PPROF_DURATION_NANOS]);
	for (const struct pprof_text_key *key = pprof_text_keys;
	     ok && key->name; key++)
		ok = add_text_desc(r, key->name, r->scalar[key->field]);
	for (size_t i = 0; ok && i < r->comments.n; i++)
		ok = add_comment(r, comment[i]);
	return ok;
}

bool
pprof_describe_main(struct pprof_reader *r, const char *last)
{
	struct cg_slice text;

	if (!proto_get_text(&r->tables, r->scalar[PPROF_DEFAULT_TYPE], &text))
		return false;
	if (text.len == 0)
		cg_add_desc(
		    r->build, cg_slice(CG_MAIN_EVENT_KEY), cg_slice(last));
	return true;
}

/*
 * Begins the graph's part, unless an earlier message did, and adds the
 * message's descriptions. The part's command is the path of the first mapping,
 * unless a comment of cgconv states it. False: an error (reported).
 */
bool
pprof_begin_part(struct pprof_reader *r)
{
	const struct pprof_mapping *mapping = r->mappings.at;
	struct cg_part_info info = { .cmd = "" };
	struct cg_slice path = { "", 0 };

	if (r->in_part) {
		struct cg_part_info none = { .cmd = "" };

		return read_our_comments(r, &none) && add_descs(r);
	}
	if (r->mappings.n > 0 && !proto_get_text(&r->tables,
				     mapping->value[MAPPING_FILENAME], &path))
		return false;
	if (path.len > 0)
		info.cmd = path.ptr;
	if (!read_our_comments(r, &info))
		return false;
	(void)cg_add_part(r->build, &info);
	r->in_part = true;
	return add_descs(r);
}
