/*
 * json_outline.c - shortens a JSON document for probe(): formats are
 * recognised by keys, which may come after long values.
 */
#include <string.h>

#include "syntax/syntax.h"

#define LEVELS 5      /* deeper levels are dropped */
#define VALUE_MAX 256 /* bytes of a string or number; longer ones are dropped */
#define ITEMS_MAX 8   /* of an array; few of the later ones are kept */

/*
 * Maximum size of a value, by level, so that there is room for the values
 * after it.
 */
static const size_t room[LEVELS] = { 0, 8192, 4096, 1024, 256 };

struct outline {
	struct cg_json json;
	char *buf;
	size_t len;
	/* Of the open values, from the outermost on: */
	size_t limit[LEVELS + 1]; /* limits of len */
	uint64_t items[LEVELS + 1];
	bool kept[LEVELS + 1]; /* an item was kept */
};

static void
put(struct outline *o, const char *text, size_t n)
{
	memcpy(o->buf + o->len, text, n);
	o->len += n;
}

/*
 * Returns the text of the current token; the text of a key includes its colon.
 */
static struct cg_slice
token_of(const struct cg_json *json)
{
	return (
	    struct cg_slice){ json->at, (size_t)(json->rest.ptr - json->at) };
}

/*
 * True if the next item of a level, of n bytes, is to be written. Then the
 * comma before it is written. Long arrays keep items at powers of two: others
 * may follow hundreds of equal ones.
 */
static bool
keeps_item(struct outline *o, unsigned level, size_t n, bool in_array)
{
	uint64_t i = o->items[level]++;

	if (o->len + n + 2 * LEVELS > o->limit[level] || n > VALUE_MAX ||
	    (in_array && i >= ITEMS_MAX && (i & (i - 1)) != 0))
		return false;
	if (o->kept[level])
		put(o, ",", 1);
	o->kept[level] = true;
	return true;
}

/*
 * Writes the value just read to the outline: a scalar or an opening bracket.
 * Long scalars become "", and levels that are too deep are written empty.
 * False: the text ends in a skipped level, or is malformed there.
 */
static bool
put_value(struct outline *o, enum cg_json_type type)
{
	const struct cg_slice token = token_of(&o->json);
	const unsigned level = o->json.depth;
	size_t limit;

	if (type != CG_JSON_OBJECT && type != CG_JSON_ARRAY) {
		if (token.len <= VALUE_MAX)
			put(o, token.ptr, token.len);
		else
			put(o, "\"\"", 2);
		return true;
	}
	put(o, token.ptr, 1);
	if (level <= LEVELS) {
		limit = o->len + room[level - 1];
		if (level > 1 && limit < o->limit[level - 1])
			o->limit[level] = limit;
		else if (level > 1)
			o->limit[level] = o->limit[level - 1];
		o->items[level] = 0;
		o->kept[level] = false;
		return true;
	}
	put(o, type == CG_JSON_OBJECT ? "}" : "]", 1);
	return cg_json_skip(&o->json, type);
}

/*
 * Writes the token just read to the outline: a key, a value or a level's end.
 * Skips items that the outline does not keep. False: the text or the document
 * has ended.
 */
static bool
take_item(struct outline *o, enum cg_json_type type)
{
	const unsigned level = o->json.depth;
	struct cg_slice token = token_of(&o->json);
	bool kept;

	if (type == CG_JSON_OBJECT_END || type == CG_JSON_ARRAY_END) {
		put(o, token.ptr, 1);
		return level > 0;
	}
	if (type == CG_JSON_KEY) {
		kept = keeps_item(o, level, token.len, false);
		if (kept)
			put(o, token.ptr, token.len);
		type = cg_json_next(&o->json);
	} else if (type == CG_JSON_OBJECT || type == CG_JSON_ARRAY) {
		kept = keeps_item(o, level - 1, 2, true);
	} else {
		kept = keeps_item(o, level, 2, true);
	}
	if (!kept)
		return cg_json_skip(&o->json, type);
	return type > CG_JSON_BAD && put_value(o, type);
}

size_t
cg_json_outline(struct cg_slice text, char *buf, size_t size)
{
	struct outline o = { .buf = buf };
	enum cg_json_type type;

	cg_json_start(&o.json, text);
	type = cg_json_next(&o.json);
	if (type != CG_JSON_OBJECT && type != CG_JSON_ARRAY)
		return 0;
	o.limit[1] = size - VALUE_MAX;
	(void)put_value(&o, type);
	while (o.len + VALUE_MAX < o.limit[1] &&
	       (type = cg_json_next(&o.json)) > CG_JSON_BAD) {
		if (!take_item(&o, type))
			break;
	}
	return o.len;
}
