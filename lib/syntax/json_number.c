/*
 * json_number.c - numbers of JSON with a fraction or an exponent, as integers.
 */
#include "syntax/syntax.h"

/*
 * Removes the exponent ("e5", "E-3") from the end of a number, and returns its
 * value, limited to about 100000; 0: there is none.
 */
static int
cut_exponent(struct cg_slice *text)
{
	const char *end = text->ptr + text->len, *at = text->ptr;
	bool negative;
	int exponent = 0;

	while (at < end && (*at | 0x20) != 'e')
		at++;
	text->len = (size_t)(at - text->ptr);
	if (at == end)
		return 0;
	negative = *++at == '-';
	for (at += negative || *at == '+'; at < end; at++)
		if (exponent < 10000)
			exponent = exponent * 10 + (*at - '0');
	return negative ? -exponent : exponent;
}

/*
 * Sets *number to the number in text times 10 to the power of places (0 or
 * more), rounded half up. The text has digits and at most one point. False:
 * the result does not fit into 64 bits.
 */
static bool
shift_digits(struct cg_slice text, int places, uint64_t *number)
{
	const char *at = text.ptr, *end = at + text.len;
	bool point = false, round = false;
	uint64_t value = 0;

	for (; at < end; at++) {
		if (*at == '.') {
			point = true;
			continue;
		}
		if (point && --places < 0) {
			round = places == -1 && *at >= '5';
			break;
		}
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(
			value, (uint64_t)(*at - '0'), &value))
			return false;
	}
	for (; places > 0 && value > 0; places--)
		if (__builtin_mul_overflow(value, 10, &value))
			return false;
	return !__builtin_add_overflow(value, (uint64_t)round, number);
}

/*
 * Sets *number to the number in text divided by 10 to the power of -places;
 * places is negative. Rounds half up, for which digits after the point do not
 * matter. False: the integer before the point does not fit into 64 bits.
 */
static bool
drop_digits(struct cg_slice text, int places, uint64_t *number)
{
	struct cg_slice integer;

	(void)cg_take_until(&text, '.', &integer);
	if (!shift_digits(integer, 0, number))
		return false;
	for (; places < -1 && *number > 0; places++)
		*number /= 10;
	*number = *number / 10 + (*number % 10 >= 5);
	return true;
}

/*
 * Sets *number to the number of the last token times 10 to the power of
 * `digits`, rounded half up. The token must have no exponent, and few digits
 * (json->plain). False: the result may not fit, and the caller computes it in
 * the general way.
 */
static bool
scale_plain(const struct cg_json *json, unsigned digits, uint64_t *number)
{
	unsigned places = json->places;
	uint64_t unit;

	if (places > digits) {
		unit = cg_power_of_ten(places - digits);
		*number = (json->value + unit / 2) / unit;
		return true;
	}
	/*
	 * The text is at least as long as its digits; powers end at 18 digits,
	 * too.
	 */
	if (json->text.len + digits - places > 18)
		return false;
	*number = json->value * cg_power_of_ten(digits - places);
	return true;
}

bool
cg_json_scale(const struct cg_json *json, unsigned digits, int64_t *number)
{
	struct cg_slice text = json->text;
	bool negative = cg_take_char(&text, '-'), good;
	uint64_t value;
	int places;

	if (json->plain && scale_plain(json, digits, &value)) {
		*number = negative ? -(int64_t)value : (int64_t)value;
		return true;
	}
	places = cut_exponent(&text) + (int)digits;
	good = places < 0 ? drop_digits(text, places, &value)
			  : shift_digits(text, places, &value);
	if (!good || value > INT64_MAX)
		return false;
	*number = negative ? -(int64_t)value : (int64_t)value;
	return true;
}
