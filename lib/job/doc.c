/*
 * doc.c - reads JSON documents of a known shape: keys, items, fields.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"
#include "syntax/syntax.h"

void
cg_doc_open(struct cg_doc *doc, struct cg_job *job, struct cg_in *in,
    struct cg_build *build, void *arg)
{
	*doc = (struct cg_doc){ .job = job, .build = build, .arg = arg };
	cg_json_open(&doc->json, in);
}

/*
 * True if neither the document nor the builder has failed. A failure of the
 * builder becomes that of the document, and is reported here, with the
 * location of the current token.
 */
static inline bool
is_good(struct cg_doc *doc)
{
	if (doc->status == CG_OK && cg_build_status(doc->build) != CG_OK)
		doc->status = cg_build_failed(doc->build, doc->json.at);
	return doc->status == CG_OK;
}

/*
 * True if none of the document, the builder and the format's reader has
 * failed. An error that the reader has reported with cg_reject() becomes that
 * of the document.
 */
static bool
is_accepted(struct cg_doc *doc)
{
	if (doc->status == CG_OK)
		doc->status = cg_rejected(doc->job);
	return is_good(doc);
}

bool
cg_doc_fail(struct cg_doc *doc, const char *expected)
{
	if (!is_accepted(doc))
		return false;
	(void)cg_json_reject(doc->job, &doc->json, expected);
	doc->status = cg_rejected(doc->job);
	if (doc->status == CG_OK)
		doc->status = CG_EINPUT; /* the input's own error */
	return false;
}

static inline enum cg_json_type
look(struct cg_doc *doc)
{
	if (doc->status != CG_OK || doc->stopped)
		return CG_JSON_BAD;
	if (!doc->ahead)
		doc->type = cg_json_next(&doc->json);
	doc->ahead = true;
	return doc->type;
}

enum cg_json_type
cg_doc_next(struct cg_doc *doc)
{
	return look(doc);
}

/*
 * Consumes the next JSON token, which must be of that type. False: it is of
 * another type (reported as "expected ..."), or reading failed.
 */
static inline bool
take(struct cg_doc *doc, enum cg_json_type type, const char *expected)
{
	if (look(doc) != type)
		return cg_doc_fail(doc, expected);
	doc->ahead = false;
	return true;
}

int
cg_doc_close(struct cg_doc *doc)
{
	(void)(is_accepted(doc) && !doc->stopped &&
	       take(doc, CG_JSON_END, "the end"));
	free(doc->buf);
	doc->buf = NULL;
	return doc->status;
}

bool
cg_doc_stops(struct cg_doc *doc)
{
	const struct cg_slice *rest = &doc->json.rest;

	if (cg_doc_next(doc) == CG_JSON_BAD && is_good(doc) &&
	    cg_in_status(doc->json.in) == CG_OK)
		doc->stopped = doc->json.at == rest->ptr + rest->len;
	return doc->stopped;
}

static bool
unescape(struct cg_doc *doc, struct cg_slice *text)
{
	if (!cg_grow_raw(&doc->buf, &doc->size, doc->json.text.len, 1)) {
		doc->status = cg_nomem(doc->job);
		return false;
	}
	*text = cg_json_string(&doc->json, doc->buf);
	return true;
}

/*
 * Sets *text to the string of the last token, with escapes replaced; valid
 * until the next call. False: out of memory (reported).
 */
static inline bool
get_text(struct cg_doc *doc, struct cg_slice *text)
{
	*text = doc->json.text;
	return !doc->json.escaped || unescape(doc, text);
}

bool
cg_doc_object(struct cg_doc *doc)
{
	return take(doc, CG_JSON_OBJECT, "'{'");
}

bool
cg_doc_key(struct cg_doc *doc, struct cg_slice *key)
{
	if (look(doc) == CG_JSON_OBJECT_END) {
		doc->ahead = false;
		return false;
	}
	return is_good(doc) && take(doc, CG_JSON_KEY, "a key") &&
	       get_text(doc, key);
}

bool
cg_doc_array(struct cg_doc *doc)
{
	return take(doc, CG_JSON_ARRAY, "'['");
}

bool
cg_doc_item(struct cg_doc *doc)
{
	if (look(doc) == CG_JSON_ARRAY_END) {
		doc->ahead = false;
		return false;
	}
	return doc->status == CG_OK;
}

bool
cg_doc_text(struct cg_doc *doc, struct cg_slice *text)
{
	return take(doc, CG_JSON_STRING, "a string") && get_text(doc, text);
}

bool
cg_doc_skip(struct cg_doc *doc)
{
	enum cg_json_type type = cg_doc_next(doc);

	doc->ahead = false;
	return cg_json_skip(&doc->json, type) || cg_doc_fail(doc, "a value");
}

/* ---- Numbers ------------------------------------------------------------ */

bool
cg_doc_number(struct cg_doc *doc, unsigned digits, int64_t *number)
{
	*number = 0;
	return take(doc, CG_JSON_NUMBER, "a number") &&
	       (cg_json_scale(&doc->json, digits, number) ||
		   cg_doc_fail(doc, "a smaller number"));
}

/* ---- Fields ------------------------------------------------------------- */

static bool
take_items(struct cg_doc *doc, const struct cg_field *field, void *into)
{
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		if (!field->take(doc, into))
			return false;
	}
	return is_good(doc);
}

static bool
take_field(struct cg_doc *doc, const struct cg_field *field, void *into)
{
	void *at = (char *)into + field->offset;
	struct cg_slice text;
	int64_t number;

	switch (field->type) {
	case CG_FIELD_CALL: return field->take(doc, at);
	case CG_FIELD_EACH: return take_items(doc, field, at);
	case CG_FIELD_NAME:
		if (!cg_doc_text(doc, &text))
			return false;
		*(cg_name *)at = cg_add_name(doc->build, text);
		return true;
	case CG_FIELD_INT: return cg_doc_number(doc, field->digits, at);
	case CG_FIELD_COUNT:
		if (!cg_doc_number(doc, field->digits, &number))
			return false;
		if (number < 0)
			return cg_doc_fail(doc, "a non-negative number");
		*(uint64_t *)at = (uint64_t)number;
		return true;
	}
	return false;
}

/*
 * True if key equals name. Faster than cg_equal(), for the innermost loop of
 * all readers.
 */
static inline bool
is_name(const char *name, struct cg_slice key)
{
	size_t i = 0;

	while (i < key.len && name[i] == key.ptr[i] && name[i] != '\0')
		i++;
	return i == key.len && name[i] == '\0';
}

bool
cg_doc_field(struct cg_doc *doc, const struct cg_field *fields,
    struct cg_slice key, void *into)
{
	while (fields->name && !is_name(fields->name, key))
		fields++;
	if (!fields->name || look(doc) == CG_JSON_NULL)
		return cg_doc_skip(doc);
	return take_field(doc, fields, into) || cg_doc_fail(doc, "a value");
}

bool
cg_doc_fields(struct cg_doc *doc, const struct cg_field *fields, void *into)
{
	struct cg_slice key;

	if (!cg_doc_object(doc))
		return false;
	while (cg_doc_key(doc, &key))
		(void)cg_doc_field(doc, fields, key, into);
	return is_good(doc);
}
