/*
 * fields.c - takes numbers, strings, objects and arrays of JSON, and reports
 * tokens that are not expected.
 */
#include <string.h>

#include "fields.h"

bool
gcov_json_reject(struct gcov_json_reader *r, const char *expected)
{
	(void)cg_json_reject(r->job, &r->json, expected);
	return false;
}
/* ---- Values ------------------------------------------------------------- */

/*
 * Sets *number to a JSON number, which may have a fraction and an exponent,
 * rounded to an integer. False: it needs more than 63 bits.
 */
static bool
round_number(struct cg_slice text, int64_t *number)
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

/*
 * Reads a count, and stores it in the int64_t that the argument points to.
 * gcov 9 writes only six digits of large counts, 1.37297e+06, which causes a
 * warning. False: rejected (reported).
 */
bool
gcov_json_take_count(struct gcov_json_reader *r, void *to)
{
	int64_t *count = to;
	struct cg_slice text = r->json.text;
	uint64_t plain;

	if (r->type != CG_JSON_NUMBER)
		return gcov_json_reject(r, "a number");
	if (cg_take_u64(&text, &plain) && text.len == 0 && plain <= INT64_MAX) {
		*count = (int64_t)plain;
	} else if (!round_number(r->json.text, count)) {
		return gcov_json_reject(r, "a number of 63 bits");
	} else if (text.len > 0 && *text.ptr != '-' && !r->rounded) {
		cg_warn_at(r->job, r->json.at,
		    "large counts are inexact: gcov 9 has rounded them");
		r->rounded = true;
	}
	gcov_json_advance(r);
	return true;
}

bool
gcov_json_take_u32(struct gcov_json_reader *r, void *to)
{
	struct cg_slice text = r->json.text;
	uint64_t number;

	if (r->type != CG_JSON_NUMBER || !cg_take_u64(&text, &number) ||
	    text.len > 0 || number > UINT32_MAX)
		return gcov_json_reject(r, "an integer of 32 bits");
	*(uint32_t *)to = (uint32_t)number;
	gcov_json_advance(r);
	return true;
}

bool
gcov_json_take_position(struct gcov_json_reader *r, void *to)
{
	if (r->type != CG_JSON_NUMBER || *r->json.text.ptr != '-')
		return gcov_json_take_u32(r, to);
	*(uint32_t *)to = 0;
	gcov_json_advance(r);
	return true;
}

bool
gcov_json_take_bool(struct gcov_json_reader *r, void *to)
{
	if (r->type != CG_JSON_TRUE && r->type != CG_JSON_FALSE)
		return gcov_json_reject(r, "true or false");
	*(bool *)to = r->type == CG_JSON_TRUE;
	gcov_json_advance(r);
	return true;
}

/*
 * Sets *text to the bytes of the string that is the next token, valid until
 * the token after it. False: not a string, or out of memory (reported).
 */
static bool
get_string(struct gcov_json_reader *r, struct cg_slice *text)
{
	if (r->type != CG_JSON_STRING)
		return gcov_json_reject(r, "a string");
	if (r->json.escaped && !cg_reserve(r->job, &r->text, r->json.text.len))
		return false;
	*text = cg_json_string(&r->json, r->text.at);
	return true;
}

/*
 * Reads a string, and adds it to the graph's names. Stores the id of the name
 * in the cg_name that "to" points to. First compares the string with the last
 * one, as consecutive lines repeat names. False: rejected (reported).
 */
bool
gcov_json_take_name(struct gcov_json_reader *r, void *to)
{
	struct cg_slice text = { 0 };

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

/*
 * Returns the element of fields with this key; NULL: none. The search starts
 * at "from", after the last match, and wraps around: tools write keys in one
 * order.
 */
static const struct gcov_json_field *
find_field(const struct gcov_json_field *fields,
    const struct gcov_json_field *from, struct cg_slice key)
{
	const struct gcov_json_field *field = from;

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
take_array(struct gcov_json_reader *r, bool (*each)(struct gcov_json_reader *))
{
	if (r->type != CG_JSON_ARRAY)
		return gcov_json_reject(r, "'['");
	for (gcov_json_advance(r); r->type != CG_JSON_ARRAY_END;) {
		if (!each(r))
			return false;
	}
	gcov_json_advance(r);
	return true;
}

static bool
take_value(
    struct gcov_json_reader *r, const struct gcov_json_field *field, void *to)
{
	if (!field) {
		if (!cg_json_skip(&r->json, r->type))
			return gcov_json_reject(r, "a value");
		gcov_json_advance(r);
		return true;
	}
	if (field->each)
		return take_array(r, field->each);
	return field->take(r, (char *)to + field->offset);
}

bool
gcov_json_take_object(
    struct gcov_json_reader *r, const struct gcov_json_field *fields, void *to)
{
	const struct gcov_json_field *field, *from = fields;

	if (r->type != CG_JSON_OBJECT)
		return gcov_json_reject(r, "'{'");
	for (gcov_json_advance(r); r->type == CG_JSON_KEY;) {
		field = find_field(fields, from, r->json.text);
		if (field)
			from = field + 1;
		gcov_json_advance(r);
		if (!take_value(r, field, to))
			return false;
	}
	if (r->type != CG_JSON_OBJECT_END)
		return gcov_json_reject(r, "'}'");
	if (r->json.depth > 0) /* at depth 0 the document ends */
		gcov_json_advance(r);
	return true;
}
