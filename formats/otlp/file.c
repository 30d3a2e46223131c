/*
 * file.c - finds the messages of a file.
 *
 * Files may have many messages. OpenTelemetry's specification of file exporters
 * (specification/protocol/file-exporter.md) wants each after its size as a
 * varint, or as JSON on a line of its own. The Collector's file exporter writes
 * lines of JSON, or each message after its size in 4 bytes, big-endian, and
 * with "compression: zstd" each compressed by itself (exporter/fileexporter of
 * opentelemetry-collector-contrib, exportMessageAsBuffer()).
 */
#include <string.h>

#include "otlp.h"

#define SIZE_BYTES 4
/*
 * JSON may begin with bytes that begin a message, too: a newline and a brace
 * are a field of 123 bytes, a brace is the size of a message of 123 bytes.
 */
#define JSON_FIELD (2 + 123)
#define ZSTD_MAGIC "\x28\xb5\x2f\xfd"

static bool
take_size(struct cg_slice *rest, enum otlp_form form, uint64_t *size)
{
	const uint8_t *byte = (const uint8_t *)rest->ptr;

	if (form == OTLP_DELIMITED)
		return proto_take_varint(rest, size);
	if (rest->len < SIZE_BYTES)
		return false;
	*size = (uint64_t)byte[0] << 24 | (uint64_t)byte[1] << 16 |
		(uint64_t)byte[2] << 8 | byte[3];
	rest->ptr += SIZE_BYTES;
	rest->len -= SIZE_BYTES;
	return true;
}

bool
otlp_take_sized(
    struct cg_slice *rest, enum otlp_form form, struct cg_slice *message)
{
	struct cg_slice after = *rest;
	uint64_t size;

	if (!take_size(&after, form, &size) || size > after.len)
		return false;
	*message = (struct cg_slice){ after.ptr, (size_t)size };
	rest->ptr = after.ptr + size;
	rest->len = after.len - (size_t)size;
	return true;
}

static bool
is_json(const struct cg_head *head)
{
	static const char *const keys[] = { "resourceProfiles.scopeProfiles",
		"dictionary.mappingTable", "dictionary.locationTable",
		"dictionary.functionTable", "dictionary.stringTable", NULL };
	const unsigned tables = 2u | 4u | 8u | 16u;
	const unsigned found = cg_head_keys(head, keys);

	/* Two of the tables, if the profiles are behind the head. */
	return (found & 1u) || ((found & tables) & ((found & tables) - 1)) != 0;
}

/*
 * Returns true if the text begins with a size and a message of that size with
 * a profile. "form" tells how sizes are stored. "cut" tells that the text is
 * only the beginning of a file. The message may then end beyond the text.
 */
static bool
has_sized(struct cg_slice text, enum otlp_form form, bool cut)
{
	uint64_t size;

	if (!take_size(&text, form, &size) || size == 0)
		return false;
	if (size <= text.len) {
		text.len = (size_t)size;
		cut = false;
	}
	return (size <= text.len || cut) && otlp_find_layout(text, cut, NULL);
}

static enum otlp_form
find_sized(struct cg_slice text, bool cut)
{
	if (has_sized(text, OTLP_SIZED, cut))
		return OTLP_SIZED;
	if (has_sized(text, OTLP_DELIMITED, cut))
		return OTLP_DELIMITED;
	if (text.len <= SIZE_BYTES)
		return OTLP_OTHER;
	text.ptr += SIZE_BYTES;
	text.len -= SIZE_BYTES;
	return cg_starts(text, ZSTD_MAGIC) ? OTLP_PACKED : OTLP_OTHER;
}

enum otlp_form
otlp_find_form(const struct cg_head *head, bool *more)
{
	*more = false;
	if (otlp_find_layout(head->text, !head->whole, more))
		return OTLP_PLAIN;
	if (is_json(head))
		return OTLP_JSON;
	return find_sized(head->text, !head->whole);
}

/* Returns the text after its blanks, as JSON has them. */
static struct cg_slice
skip_blanks(struct cg_slice text)
{
	while (text.len > 0 && memchr(" \t\r\n", *text.ptr, 4)) {
		text.ptr++;
		text.len--;
	}
	return text;
}

bool
otlp_is_blank(struct cg_slice text)
{
	return skip_blanks(text).len == 0;
}

/*
 * Returns true if the beginning of a file is JSON, and no message. JSON begins
 * with a brace, perhaps after blanks. Some messages begin so, too. A brace can
 * be the size of a message of 123 bytes. A newline and a brace can be a field
 * of 123 bytes. So bytes that may be such a message with a profile are no
 * JSON.
 */
bool
otlp_begins_json(struct cg_slice head)
{
	struct cg_slice text = skip_blanks(head);
	bool more;

	if (!cg_starts(text, "{"))
		return false;
	if (text.ptr == head.ptr)
		return !has_sized(head, OTLP_DELIMITED, false);
	if (head.len > JSON_FIELD)
		head.len = JSON_FIELD;
	return !otlp_find_layout(head, true, &more) && !more;
}

enum otlp_form
otlp_get_form(struct cg_slice file)
{
	enum otlp_form sized;

	/* The first field of a message is 1 or 2. */
	if (file.len == 0 || *file.ptr == '\x0a' || *file.ptr == '\x12')
		return OTLP_PLAIN;
	sized = find_sized(file, false);
	return sized == OTLP_OTHER ? OTLP_PLAIN : sized;
}
