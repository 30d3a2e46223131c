/*
 * fields.c - takes fields of messages, and messages of the dictionary's
 * tables.
 */
#include <inttypes.h>

#include "otlp.h"

static uint64_t
get_fixed(const char *bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < 8; i++)
		value |= (uint64_t)(uint8_t)bytes[i] << 8 * i;
	return value;
}

bool
otlp_take_numbers(struct otlp_reader *r, const struct proto_field *field,
    struct otlp_numbers *list, bool fixed)
{
	struct cg_slice rest = field->bytes;
	uint64_t value;

	if (field->wire == (fixed ? WIRE_64 : WIRE_VARINT))
		return cg_append(r->job, list, field->value);
	if (field->wire != WIRE_BYTES || (fixed && rest.len % 8 != 0))
		return cg_reject_at(r->job, field->at, "expected numbers");
	for (; fixed && rest.len > 0; rest.ptr += 8, rest.len -= 8)
		if (!cg_append(r->job, list, get_fixed(rest.ptr)))
			return false;
	while (rest.len > 0) {
		if (!proto_take_varint(&rest, &value))
			return cg_reject_at(
			    r->job, rest.ptr, "expected a number");
		if (!cg_append(r->job, list, value))
			return false;
	}
	return true;
}

bool
otlp_get_entry(struct otlp_reader *r, enum otlp_table table, uint64_t index,
    struct cg_slice *message)
{
	static const char *const names[TABLES] = { [TABLE_MAPPING] = "mapping",
		[TABLE_LOCATION] = "location",
		[TABLE_FUNCTION] = "function",
		[TABLE_LINK] = "link",
		[TABLE_ATTRIBUTE] = "attribute",
		[TABLE_STACK] = "stack" };
	const uint32_t *at = r->entry[table].at;
	struct cg_slice rest = r->dictionary;
	struct proto_field field;

	*message = (struct cg_slice){ "", 0 };
	if (index == 0)
		return true;
	if (index >= r->entry[table].n)
		return cg_reject(r->job,
		    "expected %s %" PRId64 " in a table of %zu", names[table],
		    (int64_t)index, r->entry[table].n);
	rest.ptr += at[index];
	rest.len -= at[index];
	(void)proto_take_field(&rest, &field);
	*message = field.bytes;
	return proto_expand(&r->tables, message->len);
}
