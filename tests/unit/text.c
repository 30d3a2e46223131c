/*
 * text.c - tests slices and numbers; numbers are compared with the C library.
 */
#include <errno.h>

#include "unit.h"

static void
test_compare(void)
{
	const struct cg_slice none = { 0 };

	CHECK(cg_slice("abc").len == 3);
	CHECK(cg_equal(cg_slice("abc"), "abc"));
	CHECK(!cg_equal(cg_slice("abc"), "ab"));
	CHECK(!cg_equal(cg_slice("ab"), "abc"));
	CHECK(!cg_equal((struct cg_slice){ "ab\0c", 4 }, "ab"));
	CHECK(cg_equal(none, ""));
	CHECK(!cg_equal(none, "a"));
	CHECK(cg_starts(cg_slice("abc"), "ab"));
	CHECK(cg_starts(cg_slice("abc"), ""));
	CHECK(cg_starts(none, ""));
	CHECK(!cg_starts(none, "a"));
	CHECK(!cg_starts(cg_slice("a"), "ab"));
}

static void
test_take(void)
{
	struct cg_slice s = cg_slice(" \t fn=(1) main\n;x;;\nend"), word;

	CHECK(!cg_take_word(&s, &word));
	CHECK(cg_take_blanks(&s));
	CHECK(!cg_take_blanks(&s));
	CHECK(!cg_take_char(&s, 'x'));
	CHECK(!cg_take_prefix(&s, "fn=(1) main\n;x;;\nend."));
	CHECK(cg_take_prefix(&s, "fn="));
	CHECK(cg_take_char(&s, '('));
	CHECK(cg_take_word(&s, &word) && cg_equal(word, "1)"));
	CHECK(cg_take_line(&s, &word) && cg_equal(word, " main"));
	CHECK(cg_take_until(&s, ';', &word) && cg_equal(word, ""));
	CHECK(cg_take_until(&s, ';', &word) && cg_equal(word, "x"));
	CHECK(cg_take_until(&s, ';', &word) && cg_equal(word, ""));
	CHECK(cg_take_line(&s, &word) && cg_equal(word, ""));
	CHECK(cg_take_until(&s, ';', &word) && cg_equal(word, "end"));
	CHECK(s.len == 0);
	CHECK(!cg_take_until(&s, ';', &word) && !cg_take_line(&s, &word));
	CHECK(!cg_take_char(&s, 'e') && !cg_take_word(&s, &word));
	CHECK(cg_take_prefix(&s, ""));
}

static void
test_none(void)
{
	struct cg_slice none = { 0 }, word;
	uint64_t number;

	CHECK(!cg_take_char(&none, '\0'));
	CHECK(cg_take_prefix(&none, ""));
	CHECK(!cg_take_blanks(&none));
	CHECK(!cg_take_word(&none, &word));
	CHECK(!cg_take_until(&none, '\0', &word));
	CHECK(!cg_take_line(&none, &word));
	CHECK(!cg_take_u64(&none, &number));
	CHECK(cg_trim(none).len == 0);
}

static void
test_trim(void)
{
	CHECK(cg_equal(cg_trim(cg_slice(" \ta b\t ")), "a b"));
	CHECK(cg_equal(cg_trim(cg_slice("a")), "a"));
	CHECK(cg_equal(cg_trim(cg_slice(" \t ")), ""));
	CHECK(cg_equal(cg_trim(cg_slice("a\n ")), "a\n"));
}

static void
test_numbers(void)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
		const char *rest;
	} cases[] = {
		{ "0", true, 0, "" },
		{ "00", true, 0, "" },
		{ "7 8", true, 7, " 8" },
		{ "18446744073709551615", true, UINT64_MAX, "" },
		{ "00018446744073709551615x", true, UINT64_MAX, "x" },
		{ "18446744073709551616", false, 0, "" },
		{ "18446744073709551620", false, 0, "" },
		{ "99999999999999999999", false, 0, "" },
		{ "100000000000000000000", false, 0, "" },
		{ "0xffffffffffffffff,", true, UINT64_MAX, "," },
		{ "0x0000ffffffffffffffff", true, UINT64_MAX, "" },
		{ "0x10000000000000000", false, 0, "" },
		{ "0XAbcDeF09g", true, 0xabcdef09, "g" },
		{ "0x", false, 0, "" },
		{ "0xg", false, 0, "" },
		{ "x", false, 0, "" },
		{ "", false, 0, "" },
		{ "-1", false, 0, "" },
		{ "+1", false, 0, "" },
		{ " 1", false, 0, "" },
		{ "\xb1", false, 0, "" },
		{ "0x\xc1", false, 0, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cg_slice s = cg_slice(cases[i].text);
		uint64_t value = 0;
		bool good = cg_take_u64(&s, &value);

		if (!CHECK(good == cases[i].good && value == cases[i].value))
			fprintf(stderr, "... '%s'\n", cases[i].text);
		CHECK(cg_equal(s, good ? cases[i].rest : cases[i].text));
		good = good && cases[i].rest[0] == '\0';
		value = 7;
		CHECK(cg_get_u64(cg_slice(cases[i].text), &value) == good);
		CHECK(value == (good ? cases[i].value : 7));
	}
}

/* Writes the value in all notations and reads it back. */
static void
test_value(uint64_t value)
{
	char text[CG_NUMBER_MAX], want[32];
	struct cg_slice s;
	uint64_t back = 0;

	(void)snprintf(want, sizeof(want), "%" PRIu64, value);
	s = (struct cg_slice){ text,
		(size_t)(cg_format_u64(text, value) - text) };
	CHECK(cg_equal(s, want));
	CHECK(cg_take_u64(&s, &back) && back == value && s.len == 0);
	(void)snprintf(want, sizeof(want), "%" PRId64, (int64_t)value);
	s = (struct cg_slice){ text,
		(size_t)(cg_format_i64(text, (int64_t)value) - text) };
	CHECK(cg_equal(s, want));
	(void)snprintf(want, sizeof(want), "0x%" PRIx64, value);
	s = (struct cg_slice){ text,
		(size_t)(cg_format_hex(text, value) - text) };
	CHECK(cg_equal(s, want));
	CHECK(cg_take_u64(&s, &back) && back == value && s.len == 0);
}

static void
test_fixed(void)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t value; /* times 1000 */
		const char *rest;
	} cases[] = {
		{ "1", true, 1000, "" },
		{ "0.25%", true, 250, "%" },
		{ "12.3456s", true, 12345, "s" },
		{ "1.", true, 1000, "." },
		{ "1.x", true, 1000, ".x" },
		{ "0.0019999999999999999999999", true, 1, "" },
		{ "18446744073709551.615", true, UINT64_MAX, "" },
		{ "18446744073709551.616", false, 0, "" },
		{ "18446744073709552", false, 0, "" },
		{ "0x1", true, 0, "x1" },
		{ ".5", false, 0, "" },
		{ "-1", false, 0, "" },
		{ "", false, 0, "" },
	};
	static const struct {
		int64_t value;
		unsigned digits;
		const char *text;
	} formatted[] = {
		{ 0, 9, "0" },
		{ 1500, 3, "1.5" },
		{ -1, 3, "-0.001" },
		{ 7000, 3, "7" },
		{ 42, 0, "42" },
		{ INT64_MIN, 18, "-9.223372036854775808" },
		{ INT64_MAX, 6, "9223372036854.775807" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cg_slice s = cg_slice(cases[i].text);
		uint64_t value = 0;
		bool good = cg_take_fixed(&s, 3, &value);

		if (!CHECK(good == cases[i].good && value == cases[i].value))
			fprintf(stderr, "... '%s'\n", cases[i].text);
		CHECK(cg_equal(s, good ? cases[i].rest : cases[i].text));
	}
	for (size_t i = 0; i < sizeof(formatted) / sizeof(*formatted); i++) {
		char text[CG_NUMBER_MAX];
		struct cg_slice s = { text,
			(size_t)(cg_format_fixed(text, formatted[i].value,
				     formatted[i].digits) -
				 text) };

		if (!CHECK(cg_equal(s, formatted[i].text)))
			fprintf(stderr, "... '%s'\n", formatted[i].text);
	}
}

static void
test_ends(void)
{
	struct cg_slice s = cg_slice("a:b.c:12:4294967296"), none = { 0 };
	uint32_t number = 7;

	CHECK(!cg_cut_number(&s, ':', &number) && number == 7);
	s.len -= strlen(":4294967296");
	CHECK(cg_cut_number(&s, ':', &number) && number == 12);
	CHECK(cg_equal(s, "a:b.c") && !cg_cut_number(&s, ':', &number));
	s = cg_slice("12");
	CHECK(!cg_cut_number(&s, ':', &number));
	CHECK(!cg_cut_number(&none, ':', &number));
	s = cg_slice("a\r\r");
	cg_cut_return(&s);
	CHECK(cg_equal(s, "a\r"));
	cg_cut_return(&none);
	CHECK(none.len == 0);
}

static void
test_find(void)
{
	struct cg_slice s = cg_slice("aabab"), none = { 0 };

	CHECK(cg_find(s, "ab") == s.ptr + 1);
	CHECK(cg_find(s, "bab") == s.ptr + 2);
	CHECK(!cg_find(s, "abb") && !cg_find(s, "aababa"));
	s.len--;
	CHECK(!cg_find(s, "bab") && !cg_find(none, "a"));
}

/* Values of hex digits, and how many are read. */
static void
test_hex(void)
{
	static const char digits[] = "0123456789abcdef";
	char text[] = "1?g";
	uint64_t value;

	for (int c = 0; c < 256; c++) {
		const char *digit = c ? strchr(digits, c) : NULL;

		text[1] = (char)c;
		CHECK(cg_get_hex(text, &value) == text + 1 + (digit != NULL));
		CHECK(value == (digit ? 16 + (uint64_t)(digit - digits) : 1));
	}
	CHECK(*cg_get_hex("ffffffffffffffff ", &value) == ' ');
	CHECK(value == UINT64_MAX);
	CHECK(*cg_get_hex("10000000000000000 ", &value) == '0');
}

static void
test_values(void)
{
	uint64_t seed = 1, power = 1;

	for (int i = 0; i < 20; i++, power *= 10) {
		test_value(power - 1);
		test_value(power);
		test_value(power + 1);
	}
	for (unsigned i = 0; i < 64; i++) {
		test_value((uint64_t)1 << i);
		test_value(((uint64_t)1 << i) - 1);
		test_value(0 - ((uint64_t)1 << i));
	}
	for (int i = 0; i < 5000; i++)
		test_value(unit_number(&seed));
}

/* Random digits give the same number, or overflow, as strtoull(). */
static void
test_random_digits(void)
{
	uint64_t seed = 2, value;
	unsigned long long want;
	char text[32];

	for (int i = 0; i < 20000; i++) {
		size_t len = 1 + unit_below(&seed, 22);
		struct cg_slice s = { text, len };
		bool good;

		for (size_t j = 0; j < len; j++)
			text[j] = (char)('0' + unit_below(&seed, 10));
		text[len] = '\0';
		errno = 0;
		want = strtoull(text, NULL, 10);
		good = cg_take_u64(&s, &value);
		CHECK(good == (errno == 0));
		CHECK(!good || (value == want && s.len == 0));
		CHECK(good || (s.ptr == text && s.len == len));
	}
}

static void
test_grow(void)
{
	uint64_t *array = NULL;
	size_t cap = 0;

	for (size_t n = 0; n < 1000; n++) {
		if (!CHECK(cg_grow(&array, &cap, n + 1, sizeof(*array))))
			break;
		CHECK(cap > n && array[cap - 1] == 0 && array[n] == 0);
		array[n] = n;
		CHECK(array[n / 2] == n / 2);
	}
	/* Sizes that overflow fail and keep the array. */
	CHECK(!cg_grow(&array, &cap, SIZE_MAX / 8 + 1, sizeof(*array)));
	CHECK(!cg_grow_raw(&array, &cap, SIZE_MAX, 1));
	CHECK(cap >= 1000 && array[999] == 999);
	CHECK(cg_grow_raw(&array, &cap, 0, sizeof(*array)));
	free(array);
}

int
main(void)
{
	test_grow();
	test_compare();
	test_take();
	test_none();
	test_trim();
	test_numbers();
	test_values();
	test_hex();
	test_fixed();
	test_ends();
	test_find();
	test_random_digits();
	return unit_end();
}
