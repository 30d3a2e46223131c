/*
 * json.c - a pull tokenizer for JSON. Source: RFC 8259.
 */
#include <string.h>

#include "io/io.h"
#include "syntax/syntax.h"

/* The state: what may come next. */
enum expect {
	VALUE,     /* a value */
	ITEM,      /* after '[': a value or ']' */
	FIRST_KEY, /* after '{': a key or '}' */
	MORE,      /* after a value in a level: ',' or its end */
	END,       /* after the outermost value */
	BAD        /* nothing: there was an error */
};

#define PLAIN_DIGITS 18 /* this many digits always fit into an int64_t */
#define LOOK_AHEAD 8    /* longer than an escape or a literal */

#define STRING_OF(x) #x
#define NUMBER_TEXT(macro) STRING_OF(macro)

/* Each operation on sixteen bytes is one instruction. */
typedef unsigned char bytes __attribute__((vector_size(16)));

/*
 * Returns the first byte, from `at` on, that ends or interrupts plain text of
 * a JSON string (quote, backslash, control character), 16 bytes at a time; end
 * if there is none.
 */
static inline const char *
find_special(const char *at, const char *end)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (; end - at >= (ptrdiff_t)sizeof(bytes); at += sizeof(bytes)) {
		uint64_t half[2];
		bytes text, special;

		memcpy(&text, at, sizeof(text));
		special =
		    (bytes)((text < 0x20) | (text == '"') | (text == '\\'));
		memcpy(half, &special, sizeof(half));
		if (half[0])
			return at + __builtin_ctzll(half[0]) / 8;
		if (half[1])
			return at + 8 + __builtin_ctzll(half[1]) / 8;
	}
#endif
	while (at < end && !cg_json_is_special(*at))
		at++;
	return at;
}

void
cg_json_start(struct cg_json *json, struct cg_slice text)
{
	if (!text.ptr)
		text.ptr = ""; /* the empty slice */
	/*
	 * Do not clear the whole struct: with JSON Lines this is called every
	 * few tokens.
	 */
	json->rest = text;
	json->at = text.ptr;
	json->error = NULL;
	json->text = (struct cg_slice){ 0 };
	json->escaped = false;
	json->depth = 0;
	json->in_object = false;
	json->expect = VALUE;
	json->in = NULL;
}

void
cg_json_open(struct cg_json *json, struct cg_in *in)
{
	struct cg_slice text;

	(void)cg_read_on(in, NULL, &text);
	cg_json_start(json, text);
	json->in = in;
}

/*
 * Finishes a value whose text ends at `at`: sets json->rest to the text after
 * it, and json->expect to what may follow (more items, or the end at the
 * outermost level). Returns type, for the caller to return.
 */
static enum cg_json_type
accept(struct cg_json *json, const char *at, const char *end,
    enum cg_json_type type)
{
	json->rest = (struct cg_slice){ at, (size_t)(end - at) };
	json->expect = json->depth > 0 ? MORE : END;
	return type;
}

static enum cg_json_type
refuse(struct cg_json *json, const char *at, const char *expected)
{
	json->at = at;
	json->error = expected;
	json->expect = BAD;
	return CG_JSON_BAD;
}

static const char *
skip_blanks(const char *at, const char *end)
{
	while (at < end && (unsigned char)*at <= ' ' &&
	       (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

static bool
is_digit(char c)
{
	return (unsigned)c - '0' <= 9;
}

/*
 * True if the current level is an object; false if it is an array, or there is
 * no open level.
 */
static bool
find_object(const struct cg_json *json)
{
	unsigned level = json->depth - 1;

	return json->depth > 0 && (json->objects[level / 64] >> level % 64 & 1);
}

static enum cg_json_type
open_level(struct cg_json *json, const char *at, const char *end)
{
	bool object = *at == '{';
	uint64_t bit = (uint64_t)1 << json->depth % 64, *levels;

	if (json->depth == CG_JSON_DEPTH)
		return refuse(json, at,
		    "expected at most " NUMBER_TEXT(CG_JSON_DEPTH) " levels");
	levels = &json->objects[json->depth / 64];
	*levels = object ? *levels | bit : *levels & ~bit;
	json->depth++;
	json->in_object = object;
	accept(json, at + 1, end, CG_JSON_ARRAY);
	json->expect = object ? FIRST_KEY : ITEM;
	return object ? CG_JSON_OBJECT : CG_JSON_ARRAY;
}

static enum cg_json_type
close_level(struct cg_json *json, const char *at, const char *end)
{
	bool object = json->in_object;

	json->depth--;
	json->in_object = find_object(json);
	return accept(
	    json, at + 1, end, object ? CG_JSON_OBJECT_END : CG_JSON_ARRAY_END);
}

/*
 * Returns the number of leading digits in eight bytes, the first one lowest.
 * Sets *value to their value.
 */
static inline unsigned
join_digits(uint64_t word, uint64_t *value)
{
	uint64_t digits = word ^ '0' * CG_ONES;
	/* The high bit means above 9; a carry changes only later bytes. */
	uint64_t others = ((digits + 0x76 * CG_ONES) | digits) & CG_HIGH_BITS;
	unsigned n = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;

	*value = 0;
	if (n == 0)
		return 0;
	digits <<= 64 - 8 * n;
	digits = (digits * 10 + (digits >> 8)) & UINT64_C(0xff00ff00ff00ff);
	digits = (digits * 100 + (digits >> 16)) & UINT64_C(0xffff0000ffff);
	*value = (digits * 10000 + (digits >> 32)) & UINT32_MAX;
	return n;
}

/*
 * Returns the end of the digits that begin at `at` (`at` itself if there are
 * none), and sets *value to their value, which is correct only for at most
 * PLAIN_DIGITS digits.
 */
static inline const char *
take_digits(const char *at, const char *end, uint64_t *value)
{
	unsigned digit;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t word;

	if (end - at >= 8) {
		memcpy(&word, at, sizeof(word));
		digit = join_digits(word, value);
		at += digit;
		if (digit < 8)
			return at;
	} else
#endif
		*value = 0;
	for (; at < end && (digit = (unsigned)*at - '0') <= 9; at++)
		*value = *value * 10 + digit;
	return at;
}

/*
 * Takes the digits after a decimal point, sets *places to their number, and
 * returns their end. Appends up to PLAIN_DIGITS digits to *value, the digits
 * before the point. With more digits, *value is useless.
 */
static inline const char *
take_places(const char *at, const char *end, uint64_t *value, unsigned *places)
{
	uint64_t fraction;
	const char *to = take_digits(at, end, &fraction);

	*places = (unsigned)(to - at);
	if (to - at <= PLAIN_DIGITS)
		*value = *value * cg_power_of_ten(*places) + fraction;
	return to;
}

/*
 * Takes a number as the token; sets its value, whether it is a plain integer,
 * and the number of decimal places. CG_JSON_BAD: an error. "01" is the number
 * 0 here; the next token is then an unexpected 1.
 */
static enum cg_json_type
take_number(struct cg_json *json, const char *at, const char *end)
{
	const char *digits = at + (*at == '-');
	const char *to = take_digits(digits, end, &json->value);
	ptrdiff_t count;
	uint64_t ignored;

	if (to - digits > 1 && *digits == '0') {
		to = digits + 1;
		json->value = 0;
	}
	count = to - digits;
	json->places = 0;
	json->whole = digits == at && count <= PLAIN_DIGITS;
	if (to > digits && to < end && *to == '.') {
		json->whole = false;
		digits = to + 1;
		to = take_places(digits, end, &json->value, &json->places);
		count += to - digits;
	}
	json->plain = count <= PLAIN_DIGITS;
	if (to > digits && to < end && (*to | 0x20) == 'e') {
		json->whole = json->plain = false;
		digits = to + 1;
		if (digits < end && (*digits == '+' || *digits == '-'))
			digits++;
		to = take_digits(digits, end, &ignored);
	}
	if (to == digits)
		return refuse(json, digits, "expected a digit");
	json->text = (struct cg_slice){ at, (size_t)(to - at) };
	return accept(json, to, end, CG_JSON_NUMBER);
}

/*
 * Returns the length of the JSON escape at a backslash (2, or 6 for \u00e9);
 * 0: it is not valid.
 */
static size_t
escape_length(const char *at, const char *end)
{
	size_t n = 2;

	if (end - at < 2)
		return 0;
	if (at[1] != 'u')
		return at[1] && strchr("\"\\/bfnrt", at[1]) ? 2 : 0;
	while (n < 6 && n < (size_t)(end - at) &&
	       (is_digit(at[n]) ||
		   ((at[n] | 0x20) >= 'a' && (at[n] | 0x20) <= 'f')))
		n++;
	return n == 6 ? 6 : 0;
}

/*
 * Returns the closing quote of the string whose text begins at `at`, and sets
 * json->escaped if it has escapes. NULL: an error (recorded).
 */
static const char *
scan_string(struct cg_json *json, const char *at, const char *end)
{
	size_t n;

	for (;;) {
		at = find_special(at, end);
		if (at < end && *at == '"')
			return at;
		if (at == end || *at != '\\')
			break;
		n = escape_length(at, end);
		if (n == 0) {
			refuse(
			    json, at, "expected an escape like \\n, \\u00e9");
			return NULL;
		}
		json->escaped = true;
		at += n;
	}
	refuse(json, at,
	    at == end ? "expected '\"' at the end of the string"
		      : "expected an escape for the control character");
	return NULL;
}

static enum cg_json_type
take_string(struct cg_json *json, const char *at, const char *end)
{
	const char *to;

	json->escaped = false;
	to = scan_string(json, at + 1, end);
	if (!to)
		return CG_JSON_BAD;
	json->text = (struct cg_slice){ at + 1, (size_t)(to - at - 1) };
	return accept(json, to + 1, end, CG_JSON_STRING);
}

/*
 * Takes a key and its colon as the token; blanks may be between. CG_JSON_BAD:
 * an error (recorded).
 */
static enum cg_json_type
take_key(struct cg_json *json, const char *at, const char *end)
{
	if (at == end || *at != '"')
		return refuse(json, at,
		    json->expect == FIRST_KEY ? "expected a key or '}'"
					      : "expected a key");
	if (take_string(json, at, end) == CG_JSON_BAD)
		return CG_JSON_BAD;
	at = skip_blanks(json->rest.ptr, end);
	if (at == end || *at != ':')
		return refuse(json, at, "expected ':' after the key");
	accept(json, at + 1, end, CG_JSON_KEY);
	json->expect = VALUE;
	return CG_JSON_KEY;
}

static enum cg_json_type
take_literal(struct cg_json *json, const char *at, const char *end)
{
	static const struct {
		const char *name;
		enum cg_json_type type;
	} literals[] = { { "true", CG_JSON_TRUE }, { "false", CG_JSON_FALSE },
		{ "null", CG_JSON_NULL } };
	struct cg_slice rest = { at, (size_t)(end - at) };

	for (size_t i = 0; i < sizeof(literals) / sizeof(*literals); i++) {
		if (cg_take_prefix(&rest, literals[i].name))
			return accept(json, rest.ptr, end, literals[i].type);
	}
	return refuse(json, at,
	    json->expect == ITEM ? "expected a value or ']'"
				 : "expected a value");
}

static enum cg_json_type
take_value(struct cg_json *json, const char *at, const char *end)
{
	char c = '\0';

	if (at < end)
		c = *at;
	if (is_digit(c) || c == '-')
		return take_number(json, at, end);
	if (c == '"')
		return take_string(json, at, end);
	if (c == '[' || c == '{')
		return open_level(json, at, end);
	return take_literal(json, at, end);
}

/*
 * Takes the token after a value: the comma and the next key or value, or the
 * end of the array or object. CG_JSON_BAD: an error (recorded).
 */
static enum cg_json_type
take_more(struct cg_json *json, const char *at, const char *end)
{
	bool object = json->in_object;

	if (at < end && *at == ',') {
		at = skip_blanks(at + 1, end);
		json->at = at;
		json->expect = VALUE;
		return object ? take_key(json, at, end)
			      : take_value(json, at, end);
	}
	if (at < end && *at == (object ? '}' : ']'))
		return close_level(json, at, end);
	return refuse(
	    json, at, object ? "expected ',' or '}'" : "expected ',' or ']'");
}

static enum cg_json_type
take_token(struct cg_json *json)
{
	const char *end = json->rest.ptr + json->rest.len;
	const char *at = skip_blanks(json->rest.ptr, end);

	if (json->expect == BAD)
		return CG_JSON_BAD;
	json->at = at;
	switch ((enum expect)json->expect) {
	case MORE: return take_more(json, at, end);
	case ITEM:
		if (at < end && *at == ']')
			return close_level(json, at, end);
		return take_value(json, at, end);
	case VALUE: return take_value(json, at, end);
	case FIRST_KEY:
		if (at < end && *at == '}')
			return close_level(json, at, end);
		return take_key(json, at, end);
	case END:
		if (at < end)
			return refuse(json, at, "expected the end");
		return CG_JSON_END;
	case BAD: break;
	}
	return CG_JSON_BAD;
}

/*
 * True if more text could change the token that was taken. That is so for a
 * number that ends with the text, for the end of the text, and for an error
 * close to that end. The caller reads more, and takes the token again.
 */
static bool
is_open(const struct cg_json *json, enum cg_json_type type)
{
	const char *end = json->rest.ptr + json->rest.len;

	if (type == CG_JSON_BAD)
		return end - json->at < LOOK_AHEAD;
	return type == CG_JSON_END ||
	       (type == CG_JSON_NUMBER && json->rest.len == 0);
}

/* ---- Fast paths --------------------------------------------------------- */

/*
 * Fast paths for most tokens of a profile: those that are whole in the window
 * and can be read in one step. For all others, and errors, they return
 * CG_JSON_BAD; take_token() then reads them.
 */

/*
 * Takes a number in the usual form: without sign and exponent, of at most
 * PLAIN_DIGITS characters, before a comma or `close`, the character that ends
 * the level. CG_JSON_BAD: the text is anything else. Nothing is taken then,
 * and the caller parses the general form.
 */
static inline enum cg_json_type
take_plain_number(
    struct cg_json *json, const char *at, const char *end, char close)
{
	uint64_t value;
	unsigned places = 0;
	const char *to = take_digits(at, end, &value);

	if (to == at || to == end || (*at == '0' && to - at > 1))
		return CG_JSON_BAD;
	if (*to == '.') {
		to = take_places(to + 1, end, &value, &places);
		if (places == 0 || to == end)
			return CG_JSON_BAD;
	}
	/*
	 * The point counts as a digit; longer numbers are left to
	 * take_number().
	 */
	if ((*to != ',' && *to != close) || to - at > PLAIN_DIGITS)
		return CG_JSON_BAD;
	json->at = at;
	json->text = (struct cg_slice){ at, (size_t)(to - at) };
	json->plain = true;
	json->whole = places == 0;
	json->places = places;
	json->value = value;
	json->rest = (struct cg_slice){ to, (size_t)(end - to) };
	json->expect = MORE;
	return CG_JSON_NUMBER;
}

/*
 * Takes a string without escapes or, if "is_key", a key with its colon
 * directly after it. CG_JSON_BAD: it is another token, nothing is taken, and
 * the caller parses the general form.
 */
static inline enum cg_json_type
take_plain(struct cg_json *json, const char *at, const char *end, bool is_key)
{
	const char *to = find_special(at + 1, end), *next = to + 1 + is_key;

	if (end - to < 2 || *to != '"' || (is_key && to[1] != ':'))
		return CG_JSON_BAD;
	json->at = at;
	json->text = (struct cg_slice){ at + 1, (size_t)(to - at - 1) };
	json->escaped = false;
	json->rest = (struct cg_slice){ next, (size_t)(end - next) };
	json->expect = is_key ? VALUE : MORE;
	return is_key ? CG_JSON_KEY : CG_JSON_STRING;
}

static inline enum cg_json_type
take_element(struct cg_json *json)
{
	const char *at = json->rest.ptr, *end = at + json->rest.len;

	if (at == end || (json->expect != ITEM && json->expect != MORE))
		return CG_JSON_BAD;
	if (*at == ']') {
		json->at = at;
		return close_level(json, at, end);
	}
	if (json->expect == MORE && (*at != ',' || ++at == end))
		return CG_JSON_BAD;
	if (*at == '"')
		return take_plain(json, at, end, false);
	if (*at != '{' && *at != '[')
		return take_plain_number(json, at, end, ']');
	json->at = at;
	return open_level(json, at, end);
}

/*
 * Takes the next token in an object if it has the form that most writers use.
 * Returns CG_JSON_BAD if not; nothing is taken then, and the caller parses the
 * general form. Not inlined: see next_token().
 */
static __attribute__((noinline)) enum cg_json_type
take_member(struct cg_json *json)
{
	const char *at = json->rest.ptr, *end = at + json->rest.len;

	if (end - at < LOOK_AHEAD)
		return CG_JSON_BAD;
	if (json->expect == VALUE) {
		at += *at == ' ';
		if (*at == '"')
			return take_plain(json, at, end, false);
		if (*at != '{' && *at != '[')
			return take_plain_number(json, at, end, '}');
		json->at = at;
		return open_level(json, at, end);
	}
	if (json->expect == MORE && *at == ',') {
		at += 1 + (at[1] == ' ');
	} else if (*at == '}' && json->expect <= MORE) {
		json->at = at;
		return close_level(json, at, end);
	} else if (json->expect != FIRST_KEY) {
		return CG_JSON_BAD;
	}
	if (*at != '"')
		return CG_JSON_BAD;
	return take_plain(json, at, end, true);
}

/*
 * Takes the next token in the general form, reading more input if the token
 * may continue there. Not inlined, so that the fast paths do not save
 * registers for it.
 */
static __attribute__((noinline)) enum cg_json_type
next_token(struct cg_json *json)
{
	unsigned expect = json->expect;
	const char *from = json->rest.ptr;
	enum cg_json_type type = take_token(json);
	bool more = json->in && expect != BAD;

	while (more && is_open(json, type)) {
		more = cg_read_on(json->in, from, &json->rest);
		from = json->rest.ptr;
		json->expect = expect;
		json->error = NULL;
		type = take_token(json);
	}
	return type;
}

enum cg_json_type
cg_json_next(struct cg_json *json)
{
	enum cg_json_type type =
	    json->in_object ? take_member(json) : take_element(json);

	return type != CG_JSON_BAD ? type : next_token(json);
}

size_t
cg_json_numbers(
    struct cg_json *json, uint32_t max, uint32_t *number, size_t room)
{
	const char *at = json->rest.ptr, *end = at + json->rest.len, *to;
	bool first = json->expect == ITEM;
	size_t count = 0;
	uint64_t value;

	if (json->in_object || (!first && json->expect != MORE))
		return 0;
	for (; count < room; at = to) {
		if (count > 0 || !first) {
			if (at == end || *at != ',')
				break;
			at++;
		}
		at = skip_blanks(at, end);
		to = take_digits(at, end, &value);
		if (to == at || to == end || (*at == '0' && to - at > 1) ||
		    (*to != ',' && *to != ']') || to - at > PLAIN_DIGITS ||
		    value > max)
			break;
		number[count++] = (uint32_t)value;
		json->at = at;
		json->rest = (struct cg_slice){ to, (size_t)(end - to) };
		json->expect = MORE;
	}
	return count;
}

bool
cg_json_another(struct cg_json *json)
{
	const char *end;

	if (json->expect != END || cg_json_next(json) == CG_JSON_END)
		return false;
	end = json->rest.ptr + json->rest.len;
	json->rest = (struct cg_slice){ json->at, (size_t)(end - json->at) };
	json->expect = VALUE;
	json->error = NULL;
	return true;
}

bool
cg_json_skip(struct cg_json *json, enum cg_json_type type)
{
	unsigned depth = json->depth;

	if (type == CG_JSON_ARRAY || type == CG_JSON_OBJECT) {
		while (type > CG_JSON_BAD && json->depth >= depth)
			type = cg_json_next(json);
	}
	return type > CG_JSON_BAD;
}

bool
cg_json_reject(
    struct cg_job *job, const struct cg_json *tokens, const char *expected)
{
	/* The job reports the status of the input itself. */
	if (tokens->in && cg_in_status(tokens->in) != CG_OK)
		return false;
	if (tokens->error)
		return cg_reject_at(job, tokens->at, "%s", tokens->error);
	return cg_reject_at(job, tokens->at, "expected %s", expected);
}
