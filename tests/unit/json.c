/*
 * json.c - tests the JSON tokenizer and written strings against json-c.
 */
#include <json-c/json.h>

#include "io/io.h"
#include "syntax/syntax.h"
#include "unit.h"

#define TEXT_MAX 4096
#define LEVELS 8

static struct unit_log said;
static struct cg_diag diag = { .report = unit_report, .arg = &said };

/* ---- By hand ------------------------------------------------------------ */

static void
test_tokens(void)
{
	static const char text[] = " {\"k\" : [ -1.5e+3,true,\r\n\"\\n\"] ,"
				   "\"\":{}, \"n\":null,\"f\":false}\t";
	static const struct {
		enum cg_json_type type;
		const char *text; /* NULL: the token has none */
		unsigned depth;
		char at;
	} want[] = {
		{ CG_JSON_OBJECT, NULL, 1, '{' },
		{ CG_JSON_KEY, "k", 1, '"' },
		{ CG_JSON_ARRAY, NULL, 2, '[' },
		{ CG_JSON_NUMBER, "-1.5e+3", 2, '-' },
		{ CG_JSON_TRUE, NULL, 2, 't' },
		{ CG_JSON_STRING, "\\n", 2, '"' },
		{ CG_JSON_ARRAY_END, NULL, 1, ']' },
		{ CG_JSON_KEY, "", 1, '"' },
		{ CG_JSON_OBJECT, NULL, 2, '{' },
		{ CG_JSON_OBJECT_END, NULL, 1, '}' },
		{ CG_JSON_KEY, "n", 1, '"' },
		{ CG_JSON_NULL, NULL, 1, 'n' },
		{ CG_JSON_KEY, "f", 1, '"' },
		{ CG_JSON_FALSE, NULL, 1, 'f' },
		{ CG_JSON_OBJECT_END, NULL, 0, '}' },
		{ CG_JSON_END, NULL, 0, '\0' },
		{ CG_JSON_END, NULL, 0, '\0' },
	};
	struct cg_json json;
	char buf[8];

	cg_json_start(&json, cg_slice(text));
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		CHECK(cg_json_next(&json) == want[i].type);
		CHECK(!want[i].text || cg_equal(json.text, want[i].text));
		CHECK(json.depth == want[i].depth);
		CHECK(*json.at == want[i].at);
		if (want[i].type == CG_JSON_STRING)
			CHECK(json.escaped &&
			      cg_equal(cg_json_string(&json, buf), "\n"));
		if (want[i].type == CG_JSON_KEY)
			CHECK(!json.escaped);
	}
}

static enum cg_json_type
last_token(struct cg_json *json, struct cg_slice text)
{
	enum cg_json_type type;

	cg_json_start(json, text);
	do
		type = cg_json_next(json);
	while (type > CG_JSON_BAD);
	return type;
}

static void
test_errors(void)
{
	static const struct {
		const char *text;
		size_t at;
		const char *error;
	} cases[] = {
		{ "", 0, "expected a value" },
		{ " \n", 2, "expected a value" },
		{ "[", 1, "expected a value or ']'" },
		{ "[1,]", 3, "expected a value" },
		{ "[1 2]", 3, "expected ',' or ']'" },
		{ "[1}", 2, "expected ',' or ']'" },
		{ "{1}", 1, "expected a key or '}'" },
		{ "{\"a\":1,}", 7, "expected a key" },
		{ "{\"a\" 1}", 5, "expected ':' after the key" },
		{ "{\"a\":1]", 6, "expected ',' or '}'" },
		{ "1 2", 2, "expected the end" },
		{ "01", 1, "expected the end" },
		{ "-", 1, "expected a digit" },
		{ "-x", 1, "expected a digit" },
		{ "[1.]", 3, "expected a digit" },
		{ "1e+", 3, "expected a digit" },
		{ "\"a", 2, "expected '\"' at the end of the string" },
		{ "\"a\\\"", 4, "expected '\"' at the end of the string" },
		{ "\"a\n\"", 2,
		    "expected an escape for the control character" },
		{ "\"\\x\"", 1, "expected an escape like \\n, \\u00e9" },
		{ "\"\\u00g0\"", 1, "expected an escape like \\n, \\u00e9" },
		{ "\"\\", 1, "expected an escape like \\n, \\u00e9" },
		{ "\"\\u123", 1, "expected an escape like \\n, \\u00e9" },
		{ "nul", 0, "expected a value" },
		{ "NaN", 0, "expected a value" },
		{ "/**/1", 0, "expected a value" },
		{ "\v1", 0, "expected a value" },
	};
	struct cg_json json;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cg_slice text = cg_slice(cases[i].text);

		CHECK(last_token(&json, text) == CG_JSON_BAD);
		if (!CHECK(json.at == text.ptr + cases[i].at) ||
		    !CHECK(strcmp(json.error, cases[i].error) == 0))
			fprintf(stderr, "... '%s': %s\n", text.ptr, json.error);
		CHECK(cg_json_next(&json) == CG_JSON_BAD);
	}
	CHECK(last_token(&json, (struct cg_slice){ 0 }) == CG_JSON_BAD);
}

static void
test_numbers(void)
{
	static const struct {
		const char *text;
		bool whole, plain;
		unsigned places;
		uint64_t value;
		int64_t thousandths; /* INT64_MIN: they do not fit */
	} want[] = {
		{ "0", true, true, 0, 0, 0 },
		{ "12", true, true, 0, 12, 12000 },
		{ "-12", false, true, 0, 12, -12000 },
		{ "1.5", false, true, 1, 15, 1500 },
		{ "-1.0625", false, true, 4, 10625, -1063 },
		{ "0.12345678", false, true, 8, 12345678, 123 },
		{ "0.9996", false, true, 4, 9996, 1000 },
		{ "123456789.987654321", false, true, 9, 123456789987654321,
		    123456789988 },
		{ "1234567890.987654321", false, false, 9, 0, 1234567890988 },
		{ "999999999999999999", true, true, 0, 999999999999999999,
		    INT64_MIN },
		{ "1000000000000000000", false, false, 0, 0, INT64_MIN },
		{ "1.5e3", false, false, 1, 0, 1500000 },
		/* Rounded once: 0.45 is not 0.5. */
		{ "4.5e-4", false, false, 1, 0, 0 },
		{ "5.0e-4", false, false, 1, 0, 1 },
		{ "-14.99e-4", false, false, 2, 0, -1 },
	};
	char text[40];

	for (size_t i = 0; i < 2 * sizeof(want) / sizeof(*want); i++) {
		/* Alone, and with what follows in a list. */
		const char *number = want[i / 2].text;
		struct cg_json json;
		int64_t thousandths = INT64_MIN;

		snprintf(text, sizeof(text), i % 2 ? "[%s,1]" : "%s", number);
		cg_json_start(&json, cg_slice(text));
		if (i % 2)
			CHECK(cg_json_next(&json) == CG_JSON_ARRAY);
		CHECK(cg_json_next(&json) == CG_JSON_NUMBER);
		CHECK(cg_equal(json.text, number));
		CHECK(json.whole == want[i / 2].whole);
		CHECK(json.plain == want[i / 2].plain);
		CHECK(!json.plain || (json.places == want[i / 2].places &&
					 json.value == want[i / 2].value));
		if (!cg_json_scale(&json, 3, &thousandths))
			thousandths = INT64_MIN;
		if (!CHECK(thousandths == want[i / 2].thousandths))
			fprintf(stderr, "... %s\n", text);
	}
}

static void
test_depth(void)
{
	static const char *const open[] = { "[", "{\"\":" };
	static const char *const close[] = { "]", "}" };
	char text[CG_JSON_DEPTH * 8];
	struct cg_json json;

	for (int kind = 0; kind < 2; kind++) {
		text[0] = '\0';
		for (int i = 0; i < CG_JSON_DEPTH; i++)
			strcat(text, open[kind]);
		strcat(text, "[]");
		CHECK(last_token(&json, cg_slice(text)) == CG_JSON_BAD);
		CHECK(strcmp(json.error, "expected at most 1024 levels") == 0);
		strcpy(text + strlen(text) - 2, "0");
		for (int i = 0; i < CG_JSON_DEPTH; i++)
			strcat(text, close[kind]);
		CHECK(last_token(&json, cg_slice(text)) == CG_JSON_END);
	}
}

/* ---- Random texts, against json-c --------------------------------------- */

struct text {
	size_t len;
	char bytes[TEXT_MAX + 1]; /* with a NUL, for json-c */
};

static void
add(struct text *text, const char *string)
{
	size_t len = strlen(string);

	if (len <= TEXT_MAX - text->len) {
		memcpy(text->bytes + text->len, string, len + 1);
		text->len += len;
	}
}

static void
add_string(struct text *text, uint64_t *seed)
{
	/* Lone surrogates as raw bytes: json-c does not join two of them. */
	static const char *const parts[] = { "a", "name", "\\\"", "\\\\", "\\/",
		"\\b", "\\f", "\\n", "\\r", "\\t", "\\u0000", "\\u001f",
		"\\u00e9", "\\uD83D\\uDE00", "\\ud83d", "\\ud83dx",
		"\\ud83d\\n", "\\ud83d\\u0041", "\\udc80", "\\uDCbf", "\\udfff",
		"\\uFFFF", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
		"\x7f", "operator()", " ", "0123456789abcdef" };

	add(text, "\"");
	for (size_t n = unit_below(seed, 6); n > 0; n--)
		add(text,
		    parts[unit_below(seed, sizeof(parts) / sizeof(*parts))]);
	add(text, "\"");
}

static void
add_number(struct text *text, uint64_t *seed)
{
	static const char *const exponents[] = { "e0", "e+2", "E-17", "e09" };
	char digits[CG_NUMBER_MAX + 1];

	if (unit_below(seed, 4) == 0)
		add(text, "-");
	*cg_format_u64(digits, unit_number(seed)) = '\0';
	add(text, digits);
	if (unit_below(seed, 4) == 0) {
		*cg_format_u64(digits, unit_number(seed)) = '\0';
		add(text, ".");
		add(text, digits);
	}
	if (unit_below(seed, 4) == 0)
		add(text, exponents[unit_below(seed, 4)]);
}

static void
add_blanks(struct text *text, uint64_t *seed)
{
	static const char *const blanks[] = { " ", "\n", "\t", "\r\n  " };

	if (unit_below(seed, 6) == 0)
		add(text, blanks[unit_below(seed, 4)]);
}

/* Makes an array or object; open levels are a string of brackets. */
static void
make_text(struct text *text, uint64_t *seed)
{
	static const char *const literals[] = { "true", "false", "null", "0" };
	char closing[LEVELS + 1] = "";
	size_t depth = 0;
	bool first = true;

	text->len = 0;
	do {
		add_blanks(text, seed);
		if (depth > 0 &&
		    (unit_below(seed, 5) == 0 || text->len > 1000)) {
			add(text, (char[]){ closing[--depth], '\0' });
			first = false;
			continue;
		}
		if (depth > 0 && !first)
			add(text, ",");
		add_blanks(text, seed);
		first = false;
		if (depth > 0 && closing[depth - 1] == '}') {
			add_string(text, seed);
			add_blanks(text, seed);
			add(text, ":");
			add_blanks(text, seed);
		}
		if (depth == 0 ||
		    (depth < LEVELS && unit_below(seed, 3) == 0)) {
			bool object = unit_below(seed, 2);

			closing[depth++] = object ? '}' : ']';
			add(text, object ? "{" : "[");
			first = true;
		} else if (unit_below(seed, 2)) {
			add_number(text, seed);
		} else if (unit_below(seed, 2)) {
			add_string(text, seed);
		} else {
			add(text, literals[unit_below(seed, 4)]);
		}
	} while (depth > 0);
	add_blanks(text, seed);
}

/* NULL if json-c rejects the text. */
static struct json_object *
parse_json_c(const char *bytes, size_t len, int flags)
{
	struct json_tokener *tokener = json_tokener_new_ex(2 * CG_JSON_DEPTH);
	struct json_object *value;

	json_tokener_set_flags(tokener, flags);
	value = json_tokener_parse_ex(tokener, bytes, (int)len + 1);
	if (json_tokener_get_error(tokener) == json_tokener_success &&
	    json_tokener_get_parse_end(tokener) == len) {
		json_tokener_free(tokener);
		/* json-c's null is NULL: return another value */
		return value ? value : json_object_new_boolean(1);
	}
	json_object_put(value);
	json_tokener_free(tokener);
	return NULL;
}

/* Writes a token; true if the next value needs a comma before it. */
static bool
put_token(struct cg_out *out, const struct cg_json *json,
    enum cg_json_type type, bool comma)
{
	static const char *const fixed[] = { [CG_JSON_ARRAY] = "[",
		[CG_JSON_ARRAY_END] = "]",
		[CG_JSON_OBJECT] = "{",
		[CG_JSON_OBJECT_END] = "}",
		[CG_JSON_TRUE] = "true",
		[CG_JSON_FALSE] = "false",
		[CG_JSON_NULL] = "null" };
	bool end = type == CG_JSON_ARRAY_END || type == CG_JSON_OBJECT_END;
	char buf[TEXT_MAX];

	if (comma && !end)
		cg_putc(out, ',');
	if (type == CG_JSON_NUMBER)
		cg_put(out, json->text);
	else if (type == CG_JSON_STRING || type == CG_JSON_KEY)
		cg_put_json(out, cg_json_string(json, buf));
	else
		cg_puts(out, fixed[type]);
	if (type == CG_JSON_KEY)
		cg_putc(out, ':');
	return type != CG_JSON_KEY && type != CG_JSON_ARRAY &&
	       type != CG_JSON_OBJECT;
}

/* The text, written again from its tokens, is equal for json-c. */
static void
test_meaning(const struct text *text)
{
	struct cg_out *out = cg_out_memory(&diag);
	struct json_object *value, *back;
	struct cg_slice bytes;
	struct cg_json json;
	enum cg_json_type type;
	bool comma = false;

	cg_json_start(&json, (struct cg_slice){ text->bytes, text->len });
	while ((type = cg_json_next(&json)) > CG_JSON_BAD)
		comma = put_token(out, &json, type, comma);
	CHECK(type == CG_JSON_END);
	cg_putc(out, '\0');
	bytes = cg_out_bytes(out);
	value = parse_json_c(text->bytes, text->len, JSON_TOKENER_STRICT);
	back = parse_json_c(bytes.ptr, bytes.len - 1, JSON_TOKENER_STRICT);
	if (!CHECK(value && back && json_object_equal(value, back)))
		fprintf(stderr, "... %s\n... %s\n", text->bytes, bytes.ptr);
	json_object_put(value);
	json_object_put(back);
	cg_out_close(out);
}

static void
mutate(struct text *text, uint64_t *seed)
{
	static const char alphabet[] = "{}[],:\"\\/0123456789eE.+-truefalsn "
				       "\n\t\r\v\001\037\177\200\377NIiy'";
	size_t at = unit_below(seed, text->len);
	char c = alphabet[unit_below(seed, sizeof(alphabet) - 1)];

	switch (unit_below(seed, 4)) {
	case 0: text->bytes[at] = c; break;
	case 1: /* insert */
		if (text->len == TEXT_MAX)
			break;
		memmove(text->bytes + at + 1, text->bytes + at, text->len - at);
		text->bytes[at] = c;
		text->len++;
		break;
	case 2: /* delete */
		memmove(
		    text->bytes + at, text->bytes + at + 1, text->len - at - 1);
		text->len--;
		break;
	case 3: text->len = at + 1; break;
	}
	text->bytes[text->len] = '\0';
}

/*
 * Invalid text that json-c 0.16 accepts even in strict mode: control
 * characters in strings, NaN and Infinity, numbers like 1. and -.5 and 01.
 */
static bool
json_c_is_laxer(const struct text *text, const struct cg_json *json)
{
	const char *at = json->at;
	size_t n = (size_t)(at - text->bytes);

	if (strstr(json->error, "control character"))
		return true;
	if (strstr(json->error, "a digit"))
		return at[-1] == '.' || *at == '.' || *at == 'I';
	if (strstr(json->error, "a value"))
		return strncmp(at, "NaN", 3) == 0 ||
		       strncmp(at, "Infinity", 8) == 0;
	return n > 0 && at[-1] == '0' && *at >= '0' && *at <= '9';
}

/* Both parsers accept or reject; the buffer ends with the text. */
static void
test_acceptance(const struct text *text)
{
	char *copy = unit_alloc(text->len);
	struct json_object *value =
	    parse_json_c(text->bytes, text->len, JSON_TOKENER_STRICT);
	struct cg_json json;
	bool good;

	memcpy(copy, text->bytes, text->len);
	good = last_token(&json, (struct cg_slice){ copy, text->len }) ==
	       CG_JSON_END;
	if (!good)
		CHECK(strncmp(json.error, "expected ", 9) == 0);
	json.at = text->bytes + (json.at - copy);
	if (!CHECK(good == (value != NULL) ||
		   (!good && json_c_is_laxer(text, &json))))
		fprintf(stderr, "... %s\n... %s\n", text->bytes,
		    good ? "accepted" : json.error);
	json_object_put(value);
	free(copy);
}

static void
test_random(void)
{
	struct text text, mutant;
	uint64_t seed = 1;

	for (int i = 0; i < 600; i++) {
		make_text(&text, &seed);
		test_meaning(&text);
		test_acceptance(&text);
		for (int j = 0; j < 40; j++) {
			mutant = text;
			for (size_t n = 1 + unit_below(&seed, 3);
			     n > 0 && mutant.len > 0; n--)
				mutate(&mutant, &seed);
			test_acceptance(&mutant);
		}
	}
}

static void
test_prefixes(void)
{
	struct text text;
	struct cg_json json;
	uint64_t seed = 2;

	for (int i = 0; i < 20; i++) {
		make_text(&text, &seed);
		while (strchr(" \t\r\n", text.bytes[text.len - 1]))
			text.len--;
		for (size_t n = 0; n < text.len; n++)
			CHECK(last_token(&json, (struct cg_slice){ text.bytes,
						    n }) == CG_JSON_BAD);
	}
}

/* ---- Inputs larger than their window ------------------------------------ */

/* An input and a slice of the same text have equal tokens. */
static void
test_input(struct cg_slice text)
{
	enum cg_json_type type;
	struct cg_json want, json;
	struct cg_location place;
	uint64_t offset;
	int status;
	struct cg_in *in = cg_in_memory(&diag, "mem", text, &status);

	cg_json_start(&want, text);
	cg_json_open(&json, in);
	do {
		type = cg_json_next(&want);
		if (!CHECK(cg_json_next(&json) == type) ||
		    !CHECK(json.depth == want.depth))
			break;
		if (type == CG_JSON_KEY || type == CG_JSON_STRING ||
		    type == CG_JSON_NUMBER)
			CHECK(unit_same(json.text, want.text));
		offset = cg_in_offset(in) - json.rest.len -
			 (uint64_t)(json.rest.ptr - json.at);
		CHECK(offset == (uint64_t)(want.at - text.ptr));
	} while (type > CG_JSON_BAD);
	CHECK(type == CG_JSON_END || strcmp(json.error, want.error) == 0);
	cg_in_locate(in, json.at, &place);
	if (!memchr(text.ptr, '\n', text.len)) {
		CHECK(place.line == 1);
		CHECK(place.column == (uint64_t)(want.at - text.ptr) + 1);
	}
	CHECK(cg_in_status(in) == CG_OK);
	cg_in_close(in);
}

/* Windows end everywhere: reads are of 256 KiB, buffers of twice that. */
static void
test_windows(void)
{
	size_t size = (size_t)900 << 10, len = 100;
	char *bytes = unit_alloc(size + TEXT_MAX + 4);
	struct text text;
	uint64_t seed = 4;

	memset(bytes, ' ', len);
	bytes[len++] = '[';
	while (len < size) {
		make_text(&text, &seed);
		for (size_t i = 0; i < text.len; i++) {
			if (!strchr(" \t\r\n", text.bytes[i]))
				bytes[len++] = text.bytes[i];
		}
		bytes[len++] = ',';
	}
	bytes[len - 1] = ']';
	for (size_t i = 0; i < 100; i++)
		test_input((struct cg_slice){ bytes + i, len - i });
	test_input((struct cg_slice){ bytes, len - 1 });
	for (int i = 0; i < 20; i++) {
		size_t at = 120 + unit_below(&seed, len - 120);
		char was = bytes[at];

		bytes[at] = "\"x]}:\\"[unit_below(&seed, 6)];
		test_input((struct cg_slice){ bytes, len });
		bytes[at] = was;
	}
	memset(bytes + 150, 'a', size - 150);
	bytes[149] = bytes[size] = '"';
	bytes[148] = '[';
	bytes[size + 1] = ']';
	memset(bytes, ' ', 148);
	test_input((struct cg_slice){ bytes, size + 2 });
	test_input((struct cg_slice){ bytes, size });
	free(bytes);
}

static void
test_many_values(void)
{
	static const char text[] = "{\"a\":[1]}\n\n[2] 3\n\"x\"\n}";
	struct cg_slice bytes = cg_slice(text);
	struct cg_json json;
	int status;

	for (int input = 0; input < 2; input++) {
		struct cg_in *in = cg_in_memory(&diag, "mem", bytes, &status);

		cg_json_start(&json, bytes);
		if (input)
			cg_json_open(&json, in);
		CHECK(!cg_json_another(&json));
		CHECK(cg_json_skip(&json, cg_json_next(&json)));
		CHECK(cg_json_another(&json));
		CHECK(cg_json_next(&json) == CG_JSON_ARRAY);
		CHECK(!cg_json_another(&json));
		CHECK(cg_json_skip(&json, CG_JSON_ARRAY));
		CHECK(cg_json_another(&json));
		CHECK(cg_json_skip(&json, cg_json_next(&json)));
		CHECK(cg_json_another(&json));
		CHECK(cg_json_next(&json) == CG_JSON_STRING);
		CHECK(cg_json_another(&json));
		CHECK(!cg_json_skip(&json, cg_json_next(&json)));
		CHECK(*json.at == '}');
		CHECK(!cg_json_another(&json));
		cg_in_close(in);
	}
}

/* The length of a token is limited. */
static void
test_long_value(void)
{
	size_t size = ((size_t)130 << 20) + 2;
	char *bytes = unit_alloc(size);
	struct cg_json json;
	struct cg_in *in;
	int status;

	memset(bytes, 'a', size);
	memcpy(bytes, "[\"", 2);
	said = (struct unit_log){ 0 };
	in = cg_in_memory(
	    &diag, "mem", (struct cg_slice){ bytes, size }, &status);
	cg_json_open(&json, in);
	CHECK(cg_json_next(&json) == CG_JSON_ARRAY);
	CHECK(cg_json_next(&json) == CG_JSON_BAD);
	CHECK(cg_json_next(&json) == CG_JSON_BAD);
	CHECK(cg_in_status(in) == CG_ELIMIT && said.count == 1);
	CHECK(strcmp(said.text, "value is longer than 64 MiB") == 0);
	cg_in_close(in);
	free(bytes);
}

/* ---- Strings ------------------------------------------------------------ */

static void
test_escapes(void)
{
	static const struct {
		const char *bytes, *json;
	} cases[] = {
		{ "", "\"\"" },
		{ "a/b'c", "\"a/b'c\"" },
		{ "\"\\", "\"\\\"\\\\\"" },
		{ "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"" },
		{ "\x01\x1f\x7f", "\"\\u0001\\u001f\x7f\"" },
		{ "\xc3\xa9", "\"\xc3\xa9\"" },
		{ "\xe2\x82\xac", "\"\xe2\x82\xac\"" },
		{ "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"" },
		{ "\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\"" },
		{ "\xff", "\"\\udcff\"" },
		{ "\xc3", "\"\\udcc3\"" },
		{ "\xc3(", "\"\\udcc3(\"" },
		{ "\xc0\x80", "\"\\udcc0\\udc80\"" },
		{ "\xc1\xbf", "\"\\udcc1\\udcbf\"" },
		{ "\xe0\x9f\xbf", "\"\\udce0\\udc9f\\udcbf\"" },
		{ "\xed\xa0\x80", "\"\\udced\\udca0\\udc80\"" },
		{ "\xed\x9f\xbf", "\"\xed\x9f\xbf\"" },
		{ "\xf0\x8f\xbf\xbf", "\"\\udcf0\\udc8f\\udcbf\\udcbf\"" },
		{ "\xf4\x90\x80\x80", "\"\\udcf4\\udc90\\udc80\\udc80\"" },
		{ "\xf5\x80", "\"\\udcf5\\udc80\"" },
		{ "\xe2\x82", "\"\\udce2\\udc82\"" },
		{ "std::vector\xe2\x82<int>", "\"std::vector\\udce2\\udc82"
					      "<int>\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cg_out *out = cg_out_memory(&diag);

		cg_put_json(out, cg_slice(cases[i].bytes));
		if (!CHECK(cg_equal(cg_out_bytes(out), cases[i].json)))
			fprintf(stderr, "... %s\n", cases[i].json);
		cg_out_close(out);
	}
}

static void
test_unescapes(void)
{
	static const struct {
		const char *json, *bytes;
	} cases[] = {
		{ "\"\\/\\b\\f\\n\\r\\t\\\"\\\\\"", "/\b\f\n\r\t\"\\" },
		{ "\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac" },
		{ "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80" },
		{ "\"\\udc80\\udcff\"", "\x80\xff" },
		{ "\"\\udc7f\"", "\xef\xbf\xbd" },
		{ "\"\\udd00\"", "\xef\xbf\xbd" },
		{ "\"\\ud83d\"", "\xef\xbf\xbd" },
		{ "\"\\ud83dx\"", "\xef\xbf\xbdx" },
		{ "\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80" },
		{ "\"\\ud83d\\u0041\"", "\xef\xbf\xbd"
					"A" },
		{ "\"\\ud83d\\n\"", "\xef\xbf\xbd\n" },
	};
	struct cg_json json;
	char buf[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cg_json_start(&json, cg_slice(cases[i].json));
		CHECK(cg_json_next(&json) == CG_JSON_STRING && json.escaped);
		CHECK(cg_equal(cg_json_string(&json, buf), cases[i].bytes));
	}
}

/* Bytes survive as a string, which json-c accepts as UTF-8. */
static void
test_round_trip(const char *bytes, size_t len)
{
	struct cg_out *out = cg_out_memory(&diag);
	char *buf = NULL;
	struct json_object *value;
	struct cg_slice text, back = { 0 };
	struct cg_json json;

	cg_put_json(out, (struct cg_slice){ bytes, len });
	cg_putc(out, '\0');
	text = cg_out_bytes(out);
	text.len--;
	cg_json_start(&json, text);
	if (CHECK(cg_json_next(&json) == CG_JSON_STRING)) {
		buf = unit_alloc(json.text.len);
		back = cg_json_string(&json, buf);
	}
	CHECK(unit_same(back, (struct cg_slice){ bytes, len }));
	CHECK(cg_json_next(&json) == CG_JSON_END);
	value = parse_json_c(text.ptr, text.len,
	    JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	CHECK(value != NULL);
	json_object_put(value);
	free(buf);
	cg_out_close(out);
}

static void
test_round_trips(void)
{
	static const char *const parts[] = { "main", "\xc3\xa9", "\xe2\x82\xac",
		"\xf0\x9f\x98\x80", "\xed\xb2\x80", "\xc3", "\xa9", "\"", "\\",
		"\n", "operator<<(std::ostream&)", "\xff" };
	static char bytes[100000];
	uint64_t seed = 3;

	for (int i = 0; i < 256; i++) {
		bytes[0] = (char)i;
		test_round_trip(bytes, 1);
	}
	for (int i = 0; i < 3000; i++) {
		/* some longer than the output buffer */
		size_t size = i % 100 == 0 ? sizeof(bytes) - 32 : 40, len = 0;

		size = unit_below(&seed, size);
		while (len < size) {
			const char *part = parts[unit_below(&seed, 12)];

			if (unit_below(&seed, 3) == 0) {
				bytes[len++] = (char)unit_random(&seed);
				continue;
			}
			memcpy(bytes + len, part, strlen(part));
			len += strlen(part);
		}
		test_round_trip(bytes, len);
	}
}

/*
 * The tokens of a text, with as many numbers as possible taken at once; the same
 * without, if room is 0.
 */
struct tokens {
	enum cg_json_type type[64];
	uint64_t value[64];
	size_t count, at_once;
};

static void
collect(const char *text, uint32_t max, size_t room, struct tokens *all)
{
	struct cg_json json;
	uint32_t number[8];

	*all = (struct tokens){ 0 };
	cg_json_start(&json, cg_slice(text));
	do {
		size_t n = cg_json_numbers(&json, max, number, room);

		CHECK(n <= room);
		all->at_once += n;
		for (size_t i = 0; i < n; i++) {
			CHECK(number[i] <= max);
			all->type[all->count] = CG_JSON_NUMBER;
			all->value[all->count++] = number[i];
		}
		all->type[all->count] = cg_json_next(&json);
		if (all->type[all->count] == CG_JSON_NUMBER)
			all->value[all->count] = json.value;
	} while (all->type[all->count++] > CG_JSON_BAD);
}

static void
test_numbers_at_once(void)
{
	static const struct {
		const char *text;
		size_t at_once; /* with room for all */
	} texts[] = {
		{ "[]", 0 },
		{ "[1,2,3]", 3 },
		{ "[ 1, 2,\n\t3]", 3 },
		{ "[1 ,2]", 0 }, /* not so quick */
		{ "[10,999,1000,1001,4294967296,7]", 4 },
		{ "[18446744073709551616,1]", 1 },
		{ "[1,-2,3.5,4e1,05]", 1 },
		{ "[0,00]", 1 },
		{ "[1,2,]", 2 },
		{ "[1,,2]", 1 },
		{ "[1 2]", 0 },
		{ "[1,[2,3],{\"a\":4,\"b\":[5]},6]", 5 },
		{ "[1,null,2,\"3\",4]", 3 },
		{ "{\"a\":1,\"b\":2}", 0 },
		{ "7", 0 },
		{ "[1,2", 1 },
		{ "[12345678,123456789,1]", 1 },
		{ "[1,2}", 1 },
	};
	struct tokens one, many;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		collect(texts[i].text, 1000, 0, &one);
		CHECK(one.at_once == 0);
		for (size_t room = 1; room <= 8; room++) {
			collect(texts[i].text, 1000, room, &many);
			CHECK(many.count == one.count);
			CHECK(
			    memcmp(many.type, one.type, sizeof(one.type)) == 0);
			CHECK(memcmp(many.value, one.value,
				  sizeof(one.value)) == 0);
		}
		if (!CHECK(many.at_once == texts[i].at_once))
			fprintf(
			    stderr, "%s: %zu\n", texts[i].text, many.at_once);
	}
}

int
main(void)
{
	test_tokens();
	test_errors();
	test_numbers();
	test_depth();
	test_random();
	test_prefixes();
	test_windows();
	test_many_values();
	test_long_value();
	test_escapes();
	test_unescapes();
	test_round_trips();
	test_numbers_at_once();
	return unit_end();
}
