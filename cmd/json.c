/*
 * json.c - JSON through json-c: the manifest, --info, --diff, --verify.
 *
 * Strings of json-c are bytes, a JSON text is UTF-8. Bytes that are not UTF-8
 * are written as lone low surrogates \udc80 to \udcff (Python's
 * "surrogateescape", PEP 383). json-c would read those as U+FFFD, so they are
 * converted before it reads and after it has written.
 *
 * json-c 0.16 reads integers of more than 64 bits as the largest ones, and NaN
 * as a number, both without an error in strict mode. Such texts are refused
 * before.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* ---- Reading ------------------------------------------------------------ */

static bool
take_hex(const char *at, const char *end, unsigned *code)
{
	static const char digits[] = "0123456789abcdef";

	*code = 0;
	if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return false;
	for (int i = 2; i < 6; i++) {
		const char *digit =
		    memchr(digits, at[i] | (at[i] > '9' ? 0x20 : 0), 16);

		if (digit == NULL)
			return false;
		*code = *code << 4 | (unsigned)(digit - digits);
	}
	return true;
}

/*
 * Copies an escape sequence of a JSON string to "to", and moves *at from its
 * backslash past it. Copies both halves of a surrogate pair. \udc80 to \udcff
 * alone stand for the bytes 0x80 to 0xff: copies that byte instead. "end" is
 * the end of the text. Returns the end of the copy.
 */
static char *
copy_escape(char *to, const char **at, const char *end)
{
	unsigned code, low;
	size_t n = end - *at >= 2 ? 2 : 1;

	if (take_hex(*at, end, &code)) {
		n = 6;
		if (code >= 0xdc80 && code <= 0xdcff) {
			*to = (char)(code & 0xff);
			*at += n;
			return to + 1;
		}
		/* The low half of a surrogate pair is no escaped byte. */
		if (code >> 10 == 0x36 && take_hex(*at + n, end, &low) &&
		    low >> 10 == 0x37)
			n = 12;
	}
	memcpy(to, *at, n);
	*at += n;
	return to + n;
}

/*
 * Copies the rest of a JSON string to "to". *at points behind its first quote,
 * and is moved behind its last one, which is copied, too. Escapes that stand
 * for bytes become these bytes. "end" is the end of the text. Returns the end
 * of the copy.
 */
static char *
copy_string(char *to, const char **at, const char *end)
{
	while (*at < end && **at != '"') {
		if (**at == '\\')
			to = copy_escape(to, at, end);
		else
			*to++ = *(*at)++;
	}
	if (*at < end)
		*to++ = *(*at)++;
	return to;
}

/*
 * Copies a JSON number; moves *to and *at past it. False: an integer that does
 * not fit into 64 bits, which json-c would read as the largest one.
 */
static bool
copy_number(char **to, const char **at, const char *end)
{
	struct cg_slice text = { *at, 0 };
	uint64_t value;
	bool negative;

	while (*at < end && **at != '\0' && strchr("+-.0123456789eE", **at)) {
		*(*to)++ = *(*at)++;
		text.len++;
	}
	for (size_t i = 0; i < text.len; i++)
		if (strchr(".eE", text.ptr[i]) != NULL)
			return true;
	negative = cg_take_char(&text, '-');
	return cg_get_u64(text, &value) &&
	       (!negative || value <= (uint64_t)INT64_MAX + 1);
}

/*
 * Copies JSON text to `plain`, which is as large. Replaces escapes of bytes,
 * which json-c misreads. Returns the length; 0: the text has NaN, Infinity, a
 * NUL or too large an integer, which json-c misreads, too.
 */
static size_t
make_plain(char *plain, struct cg_slice text)
{
	const char *at = text.ptr, *end = at + text.len;
	char *to = plain;

	while (at < end) {
		char c = *at;

		if (c == '-' || (c >= '0' && c <= '9')) {
			if (!copy_number(&to, &at, end))
				return 0;
			continue;
		}
		/* json-c accepts NaN and Infinity, and stops at a NUL. */
		if (c == 'N' || c == 'I' || c == '\0')
			return 0;
		*to++ = *at++;
		if (c == '"')
			to = copy_string(to, &at, end);
	}
	return (size_t)(to - plain);
}

struct json_object *
parse_json(struct cg_slice text)
{
	struct json_tokener *tokener = NULL;
	struct json_object *value = NULL;
	char *plain = NULL;
	size_t n;

	while (text.len > 0 && strchr(" \t\r\n", text.ptr[text.len - 1]))
		text.len--;
	if (text.len == 0 || text.len > JSON_SIZE_MAX)
		return NULL;
	plain = malloc(text.len);
	n = plain != NULL ? make_plain(plain, text) : 0;
	if (n > 0)
		tokener = json_tokener_new_ex(JSON_DEPTH_MAX);
	if (tokener != NULL) {
		json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
		value = json_tokener_parse_ex(tokener, plain, (int)n);
		if (json_tokener_get_error(tokener) != json_tokener_success ||
		    json_tokener_get_parse_end(tokener) != n ||
		    !json_object_is_type(value, json_type_object)) {
			json_object_put(value);
			value = NULL;
		}
		json_tokener_free(tokener);
	}
	free(plain);
	return value;
}

/* ---- Writing ------------------------------------------------------------ */

/*
 * Writes JSON text of json-c, in which bytes that are not UTF-8 become
 * escapes: "\udcff" for 0xff.
 */
static void
put_utf8(FILE *to, struct cg_slice text)
{
	while (text.len > 0) {
		size_t n = 0, more;

		while (n < text.len && (more = utf8_length((struct cg_slice){
					    text.ptr + n, text.len - n })) > 0)
			n += more;
		fwrite(text.ptr, 1, n, to);
		if (n < text.len)
			fprintf(to, "\\udc%02x", (unsigned char)text.ptr[n++]);
		text.ptr += n;
		text.len -= n;
	}
}

bool
write_json(FILE *to, struct json_object *value)
{
	struct cg_slice text = { NULL, 0 };

	if (value != NULL)
		text.ptr = json_object_to_json_string_length(
		    value, JSON_C_TO_STRING_NOSLASHESCAPE, &text.len);
	if (text.ptr != NULL)
		put_utf8(to, text);
	json_object_put(value);
	return text.ptr != NULL;
}

char *
json_text(struct json_object *value)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	bool ok = to != NULL;

	if (ok)
		ok = write_json(to, value);
	else
		json_object_put(value);
	if (close_text(to, &text) && ok)
		return text;
	free(text);
	return NULL;
}

/* ---- Objects ------------------------------------------------------------ */

bool
add_json(struct json_object *object, const char *key, struct json_object *value)
{
	if (object != NULL && value != NULL &&
	    json_object_object_add(object, key, value) == 0)
		return true;
	json_object_put(value);
	return false;
}

bool
add_json_text(struct json_object *object, const char *key, struct cg_slice text)
{
	return add_json(object, key, json_slice(text));
}

bool
add_json_u64(struct json_object *object, const char *key, uint64_t value)
{
	return add_json(object, key, json_object_new_uint64(value));
}

bool
append_json(struct json_object *array, struct json_object *value)
{
	if (array != NULL && value != NULL &&
	    json_object_array_add(array, value) == 0)
		return true;
	json_object_put(value);
	return false;
}

struct json_object *
json_slice(struct cg_slice text)
{
	if (text.len > INT_MAX)
		return NULL;
	return json_object_new_string_len(
	    text.ptr != NULL ? text.ptr : "", (int)text.len);
}

static struct json_object *
new_amount(struct amount amount)
{
	char text[CG_NUMBER_MAX + 2];

	if (!amount.minus)
		return json_object_new_uint64(amount.size);
	if (amount.size <= (uint64_t)INT64_MAX + 1)
		return json_object_new_int64((int64_t)(0 - amount.size));
	/* A difference may have 65 bits: json-c keeps the number as text. */
	snprintf(text, sizeof(text), "-%" PRIu64, amount.size);
	return json_object_new_double_s(-(double)amount.size, text);
}

bool
add_json_amount(
    struct json_object *object, const char *key, struct amount amount)
{
	if (!amount.known)
		return object != NULL &&
		       json_object_object_add(object, key, NULL) == 0;
	return add_json(object, key, new_amount(amount));
}

bool
append_json_amount(struct json_object *array, struct amount amount)
{
	if (!amount.known)
		return array != NULL && json_object_array_add(array, NULL) == 0;
	return append_json(array, new_amount(amount));
}

bool
add_json_number(struct json_object *json, const char *key, double x)
{
	struct json_object *number = NULL;

	if (isfinite(x) && x == floor(x) && fabs(x) < 0x1p53)
		number = json_object_new_int64((int64_t)x);
	else if (isfinite(x))
		number = json_object_new_double(x);
	if (isfinite(x) && number == NULL)
		return false;
	return key == NULL ? json_object_array_add(json, number) == 0
			   : json_object_object_add(json, key, number) == 0;
}

bool
add_json_message(struct json_object *object, const struct cg_message *message)
{
	const char *severity = severity_name[message->severity];

	return (message->file == NULL ||
		   add_json_text(object, "file", cg_slice(message->file))) &&
	       (message->line == 0 ||
		   add_json_u64(object, "line", message->line)) &&
	       (message->line == 0 || message->column == 0 ||
		   add_json_u64(object, "column", message->column)) &&
	       (!message->has_offset ||
		   add_json_u64(object, "offset", message->offset)) &&
	       add_json_text(object, "severity", cg_slice(severity)) &&
	       add_json_text(object, "text", cg_slice(message->text));
}
