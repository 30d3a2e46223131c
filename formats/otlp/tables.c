/*
 * tables.c - the dictionary of OpenTelemetry's profiles.
 *
 * Only the offsets of the tables' entries are kept: an entry is read when it
 * is first referred to. Mappings are all added, as the first one is the main
 * program.
 */
#include <inttypes.h>

#include "otlp.h"

/* ---- Entries ------------------------------------------------------------ */

/*
 * Reads fields of a message that are numbers. Stores field i in value[i], for
 * i from 1 to fields - 1, and skips other fields. Elements of absent fields
 * stay as they were. Stops after the field with number "special", which is
 * then in *field. At the end of the message, field->number is 0. False:
 * malformed (reported).
 */
static bool
take_numbers(struct otlp_reader *r, struct cg_slice *rest, uint64_t *value,
    size_t fields, uint64_t special, struct proto_field *field)
{
	while (rest->len > 0) {
		if (!otlp_take_field(r, rest, field))
			return false;
		if (field->number == special)
			return true;
		if (field->number >= fields)
			proto_skip_field(r->job, field);
		else if (field->wire == WIRE_VARINT)
			value[field->number] = field->value;
		else
			return cg_reject_at(
			    r->job, field->at, "expected a number");
	}
	field->number = 0;
	return true;
}

static bool
add_string(struct otlp_reader *r, const struct proto_field *field)
{
	cg_name *name;

	if (r->tables.strings.n == 0 && field->bytes.len > 0)
		return cg_reject_at(
		    r->job, field->at, "expected \"\" as the first text");
	name = proto_push(r->job, &r->tables.strings);
	if (name)
		*name = cg_add_name(r->build, field->bytes);
	return name != NULL;
}

static bool
add_entry(struct otlp_reader *r, const struct proto_field *field)
{
	size_t at = (size_t)(field->at - r->dictionary.ptr);
	uint32_t *to;

	if (field->number >= TABLES) {
		proto_skip_field(r->job, field);
		return true;
	}
	if (field->wire != WIRE_BYTES || at > UINT32_MAX)
		return cg_reject_at(
		    r->job, field->at, "expected an entry of a table");
	if (field->number == TABLE_STRING)
		return add_string(r, field);
	to = proto_push(r->job, &r->entry[field->number]);
	if (to)
		*to = (uint32_t)at;
	return to != NULL;
}

/* ---- Mappings ----------------------------------------------------------- */

/*
 * Sets *build_id to a build-id among the attributes with these indices.
 * Prefers a GNU build-id to one of Go, and both to a hash (htlhash). Leaves
 * *build_id if there is none. Adds the number of other attributes to
 * r->lost[LOST_MAPPINGS]. False: an error (reported).
 */
static bool
find_build_id(struct otlp_reader *r, const struct otlp_numbers *indices,
    struct cg_slice *build_id)
{
	static const char *const keys[] = {
		"process.executable.build_id.htlhash",
		"process.executable.build_id.go", OTLP_KEY_BUILD_ID
	};
	const uint64_t *index = indices->at;
	size_t best = 0;

	r->label.n = 0;
	for (size_t i = 0; i < indices->n; i++)
		if (!otlp_add_indexed(r, index[i], &r->label))
			return false;
	for (size_t i = 0; i < r->label.n; i++) {
		struct cg_label *label = &r->label.at[i];
		size_t key = 0;

		while (key < 3 && !cg_equal(label->key, keys[key]))
			key++;
		r->lost[LOST_MAPPINGS] += key == 3;
		if (key == 3 || key + 1 < best)
			continue;
		*build_id = label->value;
		best = key + 1;
	}
	return true;
}

static bool
add_mapping(struct otlp_reader *r, uint64_t index, uint32_t *number)
{
	uint64_t value[MAPPING_FILENAME] = { 0 };
	struct cg_mapping mapping = { .build_id = { "", 0 } };
	struct cg_slice message;
	struct proto_field field;

	r->indices.n = 0;
	if (!otlp_get_entry(r, TABLE_MAPPING, index, &message))
		return false;
	if (message.len == 0)
		return true;
	do {
		if (!take_numbers(r, &message, value, MAPPING_FILENAME,
			OTLP_MAPPING_ATTRIBUTES, &field) ||
		    (field.number != 0 &&
			!otlp_take_numbers(r, &field, &r->indices, false)))
			return false;
	} while (message.len > 0);
	mapping.start = value[MAPPING_START - 1];
	mapping.limit = value[MAPPING_LIMIT - 1];
	mapping.offset = value[MAPPING_OFFSET - 1];
	if (!proto_get_text(
		&r->tables, value[MAPPING_FILENAME - 1], &mapping.path) ||
	    !find_build_id(r, &r->indices, &mapping.build_id))
		return false;
	*number = proto_add_mapping(&r->tables, &mapping);
	return *number != 0;
}

/* ---- Locations ---------------------------------------------------------- */

static bool
get_function(
    struct otlp_reader *r, uint64_t index, struct proto_function *function)
{
	uint64_t value[FUNCTION_START_LINE] = { 0 };
	struct cg_slice message;
	struct proto_field field;

	if (!otlp_get_entry(r, TABLE_FUNCTION, index, &message) ||
	    !take_numbers(r, &message, value, FUNCTION_START_LINE, 0, &field))
		return false;
	*function = (struct proto_function){ .name = value[FUNCTION_NAME - 1],
		.system_name = value[FUNCTION_SYSTEM_NAME - 1],
		.file = value[FUNCTION_FILENAME - 1],
		.start_line = proto_line(value[FUNCTION_START_LINE - 1]) };
	return true;
}

static bool
add_line(struct otlp_reader *r, const struct proto_place *place,
    struct cg_slice message, bool inlined)
{
	uint64_t value[LINE_FIELDS] = { 0 };
	struct proto_function function;
	struct proto_field field;

	if (!take_numbers(r, &message, value, LINE_FIELDS, 0, &field) ||
	    !get_function(r, value[LINE_FUNCTION], &function))
		return false;
	r->lost[LOST_COLUMNS] += value[LINE_COLUMN] != 0;
	return proto_add_line(&r->tables, place, &function,
	    proto_line(value[LINE_LINE]), inlined);
}

/*
 * Reads a location without its lines. Stores its address and the number of its
 * mapping in *place. If the location has no mapping, place->mapping stays as
 * it is. Sets *lines to the number of the location's lines. Adds the number of
 * its attributes to r->lost[LOST_FRAMES]. False: an error (reported).
 */
static bool
get_place(struct otlp_reader *r, struct cg_slice message,
    struct proto_place *place, size_t *lines)
{
	const uint32_t *mapping = r->mappings.at;
	struct proto_field field;
	uint64_t index = 0;

	*lines = 0;
	while (message.len > 0) {
		if (!otlp_take_field(r, &message, &field))
			return false;
		if (field.number == OTLP_LOCATION_ATTRIBUTES)
			r->lost[LOST_FRAMES]++;
		else if (field.number > OTLP_LOCATION_ATTRIBUTES)
			proto_skip_field(r->job, &field);
		else if (field.wire != (field.number == LOCATION_LINE - 1
					       ? WIRE_BYTES
					       : WIRE_VARINT))
			return cg_reject_at(
			    r->job, field.at, "expected a field of a location");
		else if (field.number == LOCATION_LINE - 1)
			++*lines;
		else if (field.number == LOCATION_MAPPING - 1)
			index = field.value;
		else
			place->addr = field.value;
	}
	if (index >= r->mappings.n && index > 0)
		return cg_reject(r->job,
		    "expected mapping %" PRId64 " in a table of %zu",
		    (int64_t)index, r->mappings.n);
	if (index > 0)
		place->mapping = mapping[index];
	return true;
}

static bool
add_frames(struct otlp_reader *r, struct cg_slice message)
{
	struct proto_place place = { 0 };
	struct proto_field field;
	size_t lines;

	if (!get_place(r, message, &place, &lines))
		return false;
	if (lines == 0)
		return proto_add_address(&r->tables, &place);
	while (lines > 0) {
		(void)proto_take_field(&message, &field);
		if (field.number == LOCATION_LINE - 1 &&
		    !add_line(r, &place, field.bytes, --lines > 0))
			return false;
	}
	return true;
}

/*
 * Returns the location with an index; the first time, adds its frames to
 * r->tables.frames. An empty location has the frames of entry 0. The pointer
 * is valid as long as the dictionary is open. NULL: an error (reported).
 */
static const struct otlp_location *
get_location(struct otlp_reader *r, uint64_t index)
{
	struct otlp_location *location = r->locations.at;
	struct cg_slice message;
	size_t first = r->tables.frames.n;

	if (index < r->locations.n && location[index].count > 0)
		return &location[index];
	if (!otlp_get_entry(r, TABLE_LOCATION, index, &message))
		return NULL;
	/* All empty locations are like entry 0. */
	if (message.len == 0 && index > 0)
		return get_location(r, 0);
	location += index;
	if (!add_frames(r, message))
		return NULL;
	location->first = (uint32_t)first;
	location->count = (uint32_t)(r->tables.frames.n - first);
	return location;
}

/* ---- Stacks ------------------------------------------------------------- */

static bool
add_stack(struct otlp_reader *r, const struct otlp_numbers *path, cg_node *node)
{
	const uint64_t *index = path->at;

	*node = 0;
	for (size_t i = path->n; i > 0; i--) {
		const struct otlp_location *at = get_location(r, index[i - 1]);

		if (!at)
			return false;
		if (!proto_put_frames(&r->tables, at->first, at->count, node))
			return false;
	}
	return cg_build_status(r->build) == CG_OK;
}

bool
otlp_get_node(struct otlp_reader *r, uint64_t index, cg_node *node)
{
	struct otlp_numbers *path = &r->path;
	uint32_t *known = r->nodes.at;
	struct cg_slice message;
	struct proto_field field;

	*node = 0;
	if (index == 0)
		return true;
	if (index < r->nodes.n && known[index] != 0) {
		*node = known[index] - 1;
		return true;
	}
	if (!otlp_get_entry(r, TABLE_STACK, index, &message))
		return false;
	path->n = 0;
	while (message.len > 0) {
		if (!otlp_take_field(r, &message, &field))
			return false;
		if (field.number != 1)
			proto_skip_field(r->job, &field);
		else if (!otlp_take_numbers(r, &field, path, false))
			return false;
	}
	if (!add_stack(r, path, node))
		return false;
	known[index] = *node + 1;
	return true;
}

/* ---- The dictionary ----------------------------------------------------- */

/*
 * Returns the number of a table's entries, at least 1: entry 0 always exists.
 */
static size_t
count_entries(const struct otlp_reader *r, enum otlp_table table)
{
	return r->entry[table].n > 0 ? r->entry[table].n : 1;
}

bool
otlp_open_dictionary(struct otlp_reader *r, struct cg_slice dictionary)
{
	struct cg_slice rest = dictionary;
	struct proto_field field;

	r->dictionary = dictionary;
	while (rest.len > 0) {
		if (!otlp_take_field(r, &rest, &field) || !add_entry(r, &field))
			return false;
	}
	r->tables.space = cg_space_new(r->job, r->build);
	r->mappings.n = r->locations.n = r->nodes.n = 0;
	if (!r->tables.space ||
	    !cg_resize(r->job, &r->mappings, count_entries(r, TABLE_MAPPING)) ||
	    !cg_resize(
		r->job, &r->locations, count_entries(r, TABLE_LOCATION)) ||
	    !cg_resize(r->job, &r->nodes, count_entries(r, TABLE_STACK)))
		return false;
	for (size_t i = 1; i < r->entry[TABLE_MAPPING].n; i++) {
		if (!add_mapping(r, i, &r->mappings.at[i]))
			return false;
	}
	return true;
}

void
otlp_close_dictionary(struct otlp_reader *r)
{
	for (size_t i = 0; i < TABLES; i++)
		r->entry[i].n = 0;
	proto_drop_tables(&r->tables);
}
