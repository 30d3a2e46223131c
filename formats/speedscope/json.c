/*
 * json.c - takes JSON values of speedscope's files: see read.h.
 */
#include <string.h>

#include "read.h"

#define NANO_DIGITS 9
#define DIGITS_MAX 48 /* of a number; more digits are ignored */

bool
speedscope_reject(struct reader *r, const char *expected)
{
	return cg_json_reject(r->job, &r->json, expected);
}

bool
speedscope_next(struct reader *r)
{
	r->type = cg_json_next(&r->json);
	return r->type != CG_JSON_BAD || speedscope_reject(r, "JSON");
}

bool
speedscope_expect(
    struct reader *r, enum cg_json_type type, const char *expected)
{
	return r->type == type || speedscope_reject(r, expected);
}

bool
speedscope_string(struct reader *r)
{
	if (!speedscope_expect(r, CG_JSON_STRING, "a string") ||
	    !cg_reserve(r->job, &r->text, r->json.text.len))
		return false;
	r->string = cg_json_string(&r->json, r->text.at);
	return true;
}

bool
speedscope_take_name(struct reader *r, cg_name *name)
{
	if (!speedscope_string(r))
		return false;
	*name = cg_add_name(r->build, r->string);
	return speedscope_next(r);
}

bool
speedscope_get_number(struct reader *r, uint64_t max, uint64_t *number)
{
	*number = r->json.value;
	return (r->type == CG_JSON_NUMBER &&
		   (r->json.whole || cg_get_u64(r->json.text, number)) &&
		   *number <= max) ||
	       speedscope_reject(r, "a whole number");
}

bool
speedscope_take_number(struct reader *r, uint64_t max, uint64_t *number)
{
	return speedscope_get_number(r, max, number) && speedscope_next(r);
}

/*
 * Sets *value to the decimal number that the digits from digit[from] to
 * digit[to - 1] form. digit[] has n digits. Takes those after them as 0.
 * False: the number overflows.
 */
static bool
join_digits(
    const char *digit, size_t n, size_t from, size_t to, uint64_t *value)
{
	*value = 0;
	for (size_t i = from; i < to; i++) {
		uint64_t more = i < n ? (uint64_t)(digit[i] - '0') : 0;

		if (__builtin_mul_overflow(*value, (uint64_t)10, value) ||
		    __builtin_add_overflow(*value, more, value))
			return false;
	}
	return true;
}

/*
 * Parses a number of JSON without a sign, such as "12.5e3". The caller has
 * checked its form. Stores it in *value, as whole units and billionths.
 * Ignores further decimals. False: it overflows (not reported).
 */
static bool
parse_decimal(struct cg_slice text, struct decimal *value)
{
	char digit[DIGITS_MAX + 20] = "00000000000000000000";
	size_t n = 20, point = 20;
	bool behind = false, down;
	uint64_t exponent = 0, nano;

	for (; text.len > 0 && *text.ptr != 'e' && *text.ptr != 'E';
	     text.ptr++, text.len--) {
		if (*text.ptr == '.')
			behind = true;
		else if (n < sizeof(digit))
			digit[n++] = *text.ptr;
		if (!behind)
			point++;
	}
	if (text.len > 0) {
		text.ptr++;
		text.len--;
		down = cg_take_char(&text, '-');
		(void)cg_take_char(&text, '+');
		if (!cg_take_u64(&text, &exponent) || exponent > DIGITS_MAX)
			exponent = DIGITS_MAX;
		point = !down              ? point + (size_t)exponent
			: point > exponent ? point - (size_t)exponent
					   : 0;
	}
	if (!join_digits(digit, n, 0, point, &value->whole) ||
	    !join_digits(digit, n, point, point + 9, &nano))
		return false;
	value->nano = (uint32_t)nano;
	return true;
}

static void
split_plain(const struct cg_json *json, struct decimal *value)
{
	uint64_t unit = cg_power_of_ten(json->places);
	uint64_t scale = cg_power_of_ten(NANO_DIGITS - json->places);

	if (json->whole) {
		*value = (struct decimal){ .whole = json->value };
		return;
	}
	value->whole = json->value / unit;
	value->nano = (uint32_t)(json->value % unit * scale);
}

bool
speedscope_take_decimal(struct reader *r, struct decimal *value)
{
	struct cg_slice text = r->json.text;

	if (!speedscope_expect(r, CG_JSON_NUMBER, "a number"))
		return false;
	if (*text.ptr == '-' && !cg_equal(text, "-0"))
		return speedscope_reject(r, "a number that is not negative");
	if (*text.ptr == '-')
		(void)cg_take_char(&text, '-');
	if (r->json.plain && r->json.places <= NANO_DIGITS)
		split_plain(&r->json, value);
	else if (!parse_decimal(text, value))
		return speedscope_reject(r, "a number below 2^64");
	return speedscope_next(r);
}

static bool
skip_value(struct reader *r)
{
	return cg_json_skip(&r->json, r->type) ? speedscope_next(r)
					       : speedscope_reject(r, "JSON");
}

bool
speedscope_take_object(struct reader *r, const struct key *keys)
{
	if (!speedscope_expect(r, CG_JSON_OBJECT, "'{'") || !speedscope_next(r))
		return false;
	while (r->type == CG_JSON_KEY) {
		const struct key *key = keys;

		while (key->name && !cg_equal(r->json.text, key->name))
			key++;
		if (!speedscope_next(r) ||
		    !(key->name ? key->take(r) : skip_value(r)))
			return false;
	}
	return speedscope_expect(r, CG_JSON_OBJECT_END, "'}'") &&
	       speedscope_next(r);
}

bool
speedscope_take_array(struct reader *r, bool (*take)(struct reader *))
{
	if (!speedscope_expect(r, CG_JSON_ARRAY, "'['") || !speedscope_next(r))
		return false;
	while (r->type != CG_JSON_ARRAY_END) {
		if (!take(r) || cg_build_status(r->build) != CG_OK)
			return false;
	}
	return speedscope_next(r);
}
