/*
 * fields.c - takes numbers of fields; numbers keys.
 */
#include "perfetto.h"

bool
perfetto_take_numbers(struct perfetto *r, const struct proto_field *field)
{
	struct cg_slice rest;
	uint64_t value;

	if (field->wire == WIRE_VARINT)
		return cg_append(r->job, &r->number, field->value);
	if (field->wire != WIRE_BYTES)
		return cg_reject(r->job, "expected numbers");
	rest = field->bytes;
	while (rest.len > 0) {
		if (!proto_take_varint(&rest, &value))
			return cg_reject(r->job, "expected a number");
		if (!cg_append(r->job, &r->number, value))
			return false;
	}
	return true;
}

bool
perfetto_number(struct perfetto *r, struct perfetto_numbers *numbers,
    uint64_t key, uint32_t *number)
{
	uint32_t *at = cg_map_in(r->job, &numbers->ids, key);

	if (!at)
		return false;
	if (*at == 0)
		*at = ++numbers->count;
	*number = *at;
	return true;
}
