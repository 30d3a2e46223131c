/*
 * fields.c - takes numbers, strings, objects and arrays. What stands
 * where it must not is reported at its place.
 */
#include <stdlib.h>
#include <string.h>

#include "fields.h"

bool
gcov_json_refuse(struct reader *r, const char *expected)
{
	r->status = cg_json_fail(r->job, &r->json, expected);
	return false;
}

bool
gcov_json_nomem(struct reader *r)
{
	r->status = cg_nomem(r->job);
	return false;
}

/* ---- Values ------------------------------------------------------------- */

/* The token is a number: rounds it to a whole one that 64 bits hold. */
static bool
get_whole(struct cg_slice text, int64_t *number)
{
	bool negative = cg_take_char(&text, '-');
	const char *at = text.ptr, *end = at + text.len;
	uint64_t digits = 0;
	int scale = 0, exponent = 0, sign = 1, point = 0;

	for (; at < end && (*at | 0x20) != 'e'; at++) {
		if (*at == '.') {
			point = 1;
		} else if (digits < UINT64_C(1000000000000000000)) {
			digits = digits * 10 + (uint64_t)(*at - '0');
			scale -= point;
		} else {
			scale += !point;
		}
	}
	while (++at < end) {
		if (*at == '-')
			sign = -1;
		else if (*at != '+' && exponent < 10000)
			exponent = exponent * 10 + (*at - '0');
	}
	scale += sign * exponent;
	for (; scale > 0 && digits > 0; scale--) {
		if (digits > INT64_MAX / 10)
			return false;
		digits *= 10;
	}
	for (; scale < -1 && digits > 0; scale++)
		digits /= 10;
	if (scale < 0)
		digits = (digits + 5) / 10;
	if (digits > INT64_MAX)
		return false;
	*number = negative ? -(int64_t)digits : (int64_t)digits;
	return true;
}

/* A count. gcov 9 writes six digits of great ones: 1.37297e+06. */
bool
gcov_json_take_count(struct reader *r, void *to)
{
	int64_t *count = to;
	struct cg_slice text = r->json.text;
	uint64_t plain;

	if (r->type != CG_JSON_NUMBER)
		return gcov_json_refuse(r, "a number");
	if (cg_take_u64(&text, &plain) && text.len == 0 && plain <= INT64_MAX) {
		*count = (int64_t)plain;
	} else if (!get_whole(r->json.text, count)) {
		return gcov_json_refuse(r, "a number of 63 bits");
	} else if (text.len > 0 && *text.ptr != '-' && !r->rounded) {
		cg_warn_at(r->job, r->json.at,
		    "great counts are rounded, as gcov 9 writes them");
		r->rounded = true;
	}
	gcov_json_advance(r);
	return true;
}

bool
gcov_json_take_u32(struct reader *r, void *to)
{
	struct cg_slice text = r->json.text;
	uint64_t number;

	if (r->type != CG_JSON_NUMBER || !cg_take_u64(&text, &number) ||
	    text.len > 0 || number > UINT32_MAX)
		return gcov_json_refuse(r, "a whole number of 32 bits");
	*(uint32_t *)to = (uint32_t)number;
	gcov_json_advance(r);
	return true;
}

/* A line or column that may not be known. */
bool
gcov_json_take_place(struct reader *r, void *to)
{
	if (r->type != CG_JSON_NUMBER || *r->json.text.ptr != '-')
		return gcov_json_take_u32(r, to);
	*(uint32_t *)to = 0;
	gcov_json_advance(r);
	return true;
}

bool
gcov_json_take_bool(struct reader *r, void *to)
{
	if (r->type != CG_JSON_TRUE && r->type != CG_JSON_FALSE)
		return gcov_json_refuse(r, "true or false");
	*(bool *)to = r->type == CG_JSON_TRUE;
	gcov_json_advance(r);
	return true;
}

/* The string's bytes, till the next token. */
static bool
get_string(struct reader *r, struct cg_slice *text)
{
	if (r->type != CG_JSON_STRING)
		return gcov_json_refuse(r, "a string");
	if (r->json.escaped &&
	    !cg_grow_raw(&r->text, &r->text_cap, r->json.text.len, 1))
		return gcov_json_nomem(r);
	*text = cg_json_string(&r->json, r->text);
	return true;
}

/* Many a string is the one before: lines name their function. */
bool
gcov_json_take_name(struct reader *r, void *to)
{
	struct cg_slice text;

	if (!get_string(r, &text))
		return false;
	if (text.len != r->last_text.len || text.len == 0 ||
	    memcmp(text.ptr, r->last_text.ptr, text.len) != 0) {
		r->last = cg_add_name(r->build, text);
		r->last_text = cg_get_name(r->build, r->last);
	}
	*(cg_name *)to = r->last;
	gcov_json_advance(r);
	return true;
}

/* ---- Arrays and objects ------------------------------------------------- */

/* Those of a tool come in the same order: begin where the last one was. */
static const struct field *
find_field(
    const struct field *fields, const struct field *from, struct cg_slice key)
{
	const struct field *field = from;

	do {
		if (!field->key) {
			field = fields;
			continue;
		}
		if (cg_equal(key, field->key))
			return field;
		field++;
	} while (field != from);
	return NULL;
}

static bool
take_array(struct reader *r, bool (*each)(struct reader *))
{
	if (r->type != CG_JSON_ARRAY)
		return gcov_json_refuse(r, "'['");
	for (gcov_json_advance(r); r->type != CG_JSON_ARRAY_END;) {
		if (!each(r))
			return false;
	}
	gcov_json_advance(r);
	return true;
}

static bool
take_value(struct reader *r, const struct field *field, void *to)
{
	if (!field) {
		if (!cg_json_skip(&r->json, r->type))
			return gcov_json_refuse(r, "a value");
		gcov_json_advance(r);
		return true;
	}
	if (field->each)
		return take_array(r, field->each);
	return field->take(r, (char *)to + field->offset);
}

bool
gcov_json_take_object(struct reader *r, const struct field *fields, void *to)
{
	const struct field *field, *from = fields;

	if (r->type != CG_JSON_OBJECT)
		return gcov_json_refuse(r, "'{'");
	for (gcov_json_advance(r); r->type == CG_JSON_KEY;) {
		field = find_field(fields, from, r->json.text);
		if (field)
			from = field + 1;
		gcov_json_advance(r);
		if (!take_value(r, field, to))
			return false;
	}
	if (r->type != CG_JSON_OBJECT_END)
		return gcov_json_refuse(r, "'}'");
	if (r->json.depth > 0) /* else the document ends */
		gcov_json_advance(r);
	return true;
}
