/*
 * read.c - reads the fields of a profile.proto in the order of the file.
 *
 * One pass, with any order of fields. Texts often come at the end, so samples
 * wait, summed by path, until the message is complete. Memory grows with
 * distinct paths and texts only; a message of any size is streamed.
 */
#include <inttypes.h>

#include "pprof.h"

/* Limit of one field, such as a sample or a text: no profile has more. */
#define FIELD_LIMIT ((uint64_t)64 << 20)
/* A tag and a length or number. */
#define HEAD_MAX (2 * VARINT_MAX)

/* ---- Messages of numbers ------------------------------------------------ */

static bool
take_field(
    struct pprof_reader *r, struct cg_slice *message, struct proto_field *field)
{
	if (proto_take_field(message, field))
		return true;
	return cg_reject_at(
	    r->job, message->ptr, "expected a whole field of a message");
}

/*
 * Reads a message whose fields are numbers. Sets value[i] to field i, for i
 * from 1 to fields - 1, or to 0 if the field is absent. Skips other fields.
 * False: malformed (reported).
 */
static bool
take_numbers(struct pprof_reader *r, struct cg_slice message, uint64_t *value,
    size_t fields)
{
	struct proto_field field;

	memset(value, 0, fields * sizeof(*value));
	while (message.len > 0) {
		if (!take_field(r, &message, &field))
			return false;
		if (field.number >= fields)
			proto_skip_field(r->job, &field);
		else if (field.wire == WIRE_VARINT)
			value[field.number] = field.value;
		else
			return cg_reject_at(
			    r->job, field.at, "expected a number");
	}
	return true;
}

static bool
take_type(struct pprof_reader *r, const struct proto_field *field)
{
	uint64_t value[VALUE_FIELDS];
	struct pprof_type *type;

	if (!take_numbers(r, field->bytes, value, VALUE_FIELDS))
		return false;
	if (field->number == PPROF_PERIOD_TYPE) {
		r->period_type.type = value[VALUE_TYPE];
		r->period_type.unit = value[VALUE_UNIT];
		return true;
	}
	if (r->types.n >= CG_EVENT_MAX)
		return cg_reject_at(
		    r->job, field->at, "expected no more sample types");
	type = proto_push(r->job, &r->types);
	if (!type)
		return false;
	type->type = value[VALUE_TYPE];
	type->unit = value[VALUE_UNIT];
	r->strings_at_type = r->tables.strings.n;
	return true;
}

static bool
take_mapping(struct pprof_reader *r, const struct proto_field *field)
{
	struct pprof_mapping *mapping = proto_push(r->job, &r->mappings);
	uint32_t *index;

	if (!mapping ||
	    !take_numbers(r, field->bytes, mapping->value, MAPPING_FIELDS))
		return false;
	if (mapping->value[MAPPING_ID] == 0)
		return cg_reject_at(
		    r->job, field->at, "expected a mapping with an id");
	index = cg_map_at(&r->mapping_ids, mapping->value[MAPPING_ID]);
	if (!index)
		return cg_reject_nomem(r->job);
	if (*index != 0)
		return cg_reject_at(
		    r->job, field->at, "expected a mapping with another id");
	*index = (uint32_t)r->mappings.n;
	return true;
}

/*
 * Returns the index + 1 of the function with an id; a new id gets an empty
 * entry, which a later field may define. 0: out of memory (reported).
 */
static uint32_t
find_function(struct pprof_reader *r, uint64_t id)
{
	uint32_t number =
	    pprof_find_id(r->job, &r->function_ids, r->functions.n + 1, id);

	return number > r->functions.n && !cg_push(r->job, &r->functions)
		   ? 0
		   : number;
}

static bool
take_function(struct pprof_reader *r, const struct proto_field *field)
{
	uint64_t value[FUNCTION_FIELDS];
	struct proto_function *function;
	uint32_t number;

	if (!take_numbers(r, field->bytes, value, FUNCTION_FIELDS))
		return false;
	if (value[FUNCTION_ID] == 0)
		return cg_reject_at(
		    r->job, field->at, "expected a function with an id");
	number = find_function(r, value[FUNCTION_ID]);
	if (number == 0)
		return false;
	function = &r->functions.at[number - 1];
	if (function->defined)
		return cg_reject_at(
		    r->job, field->at, "expected a function with another id");
	function->defined = true;
	function->name = value[FUNCTION_NAME];
	function->system_name = value[FUNCTION_SYSTEM_NAME];
	function->file = value[FUNCTION_FILENAME];
	function->start_line = proto_line(value[FUNCTION_START_LINE]);
	return true;
}

/* ---- Locations ---------------------------------------------------------- */

static bool
take_line(struct pprof_reader *r, struct cg_slice message)
{
	uint64_t value[LINE_FIELDS];
	struct pprof_line *line;
	uint32_t function = 0;

	if (!take_numbers(r, message, value, LINE_FIELDS))
		return false;
	if (value[LINE_FUNCTION] != 0) {
		function = find_function(r, value[LINE_FUNCTION]);
		if (function == 0)
			return false;
	}
	line = proto_push(r->job, &r->lines);
	if (!line)
		return false;
	line->function = function;
	line->line = proto_line(value[LINE_LINE]);
	r->columns_lost += value[LINE_COLUMN] != 0;
	return true;
}

static bool
take_location(struct pprof_reader *r, const struct proto_field *field)
{
	struct cg_slice message = field->bytes;
	uint64_t value[LOCATION_FIELDS] = { 0 };
	size_t first = r->lines.n;
	struct pprof_location *location;
	struct proto_field part;
	uint32_t index;

	while (message.len > 0) {
		if (!take_field(r, &message, &part))
			return false;
		if (part.number >= LOCATION_FIELDS)
			proto_skip_field(r->job, &part);
		else if (part.wire != (part.number == LOCATION_LINE
					      ? WIRE_BYTES
					      : WIRE_VARINT))
			return cg_reject_at(
			    r->job, part.at, "expected a field of a location");
		else if (part.number != LOCATION_LINE)
			value[part.number] = part.value;
		else if (!take_line(r, part.bytes))
			return false;
	}
	if (value[LOCATION_ID] == 0)
		return cg_reject_at(
		    r->job, field->at, "expected a location with an id");
	index = pprof_find_location(&r->sums, value[LOCATION_ID]);
	if (index == 0)
		return false;
	location = &r->sums.locations.at[index - 1];
	if (location->defined)
		return cg_reject_at(
		    r->job, field->at, "expected a location with another id");
	location->defined = true;
	location->mapping = value[LOCATION_MAPPING];
	location->addr = value[LOCATION_ADDRESS];
	location->first = (uint32_t)first;
	location->count = (uint32_t)(r->lines.n - first);
	r->folded_lost += value[LOCATION_FOLDED] != 0;
	return true;
}

/* ---- The message -------------------------------------------------------- */

static bool
take_string(struct pprof_reader *r, const struct proto_field *field)
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
take_scalar(struct pprof_reader *r, const struct proto_field *field)
{
	r->scalar[field->number] = field->value;
	return true;
}

static bool
add_comment(struct pprof_reader *r, uint64_t value, const char *at)
{
	(void)at;
	return cg_append(r->job, &r->comments, value);
}

static bool
take_comment(struct pprof_reader *r, const struct proto_field *field)
{
	return pprof_take_packed(r, field, add_comment);
}

/* By field number. */
static const struct {
	enum proto_wire wire;
	bool (*take)(struct pprof_reader *, const struct proto_field *);
} fields[PPROF_FIELDS] = {
	[PPROF_SAMPLE_TYPE] = { WIRE_BYTES, take_type },
	[PPROF_SAMPLE] = { WIRE_BYTES, pprof_take_sample },
	[PPROF_MAPPING] = { WIRE_BYTES, take_mapping },
	[PPROF_LOCATION] = { WIRE_BYTES, take_location },
	[PPROF_FUNCTION] = { WIRE_BYTES, take_function },
	[PPROF_STRING] = { WIRE_BYTES, take_string },
	[PPROF_DROP_FRAMES] = { WIRE_VARINT, take_scalar },
	[PPROF_KEEP_FRAMES] = { WIRE_VARINT, take_scalar },
	[PPROF_TIME_NANOS] = { WIRE_VARINT, take_scalar },
	[PPROF_DURATION_NANOS] = { WIRE_VARINT, take_scalar },
	[PPROF_PERIOD_TYPE] = { WIRE_BYTES, take_type },
	[PPROF_PERIOD] = { WIRE_VARINT, take_scalar },
	[PPROF_COMMENT] = { WIRE_BYTES, take_comment },
	[PPROF_DEFAULT_TYPE] = { WIRE_VARINT, take_scalar },
	[PPROF_DOC_URL] = { WIRE_VARINT, take_scalar },
};

static uint32_t
bit(unsigned field)
{
	return UINT32_C(1) << field;
}

/*
 * Returns true if the field begins another profile, as concatenated ones have
 * no mark between them. It is a second field of a kind that occurs once, or a
 * sample type after texts. False before the current profile has samples and
 * texts.
 */
static bool
begins_message(const struct pprof_reader *r, uint64_t number)
{
	const uint32_t many = bit(PPROF_SAMPLE_TYPE) | bit(PPROF_MAPPING) |
			      bit(PPROF_LOCATION) | bit(PPROF_FUNCTION) |
			      bit(PPROF_STRING) | bit(PPROF_COMMENT);

	if (r->sums.samples.n == 0 || r->tables.strings.n == 0 ||
	    !(r->seen & bit((unsigned)number)))
		return false;
	if (number == PPROF_SAMPLE_TYPE)
		return r->tables.strings.n > r->strings_at_type;
	return !(many & bit((unsigned)number));
}

bool
pprof_add_field(struct pprof_reader *r, const struct proto_field *field)
{
	unsigned wire;

	if (field->number >= PPROF_FIELDS) {
		proto_skip_field(r->job, field);
		return true;
	}
	wire = fields[field->number].wire;
	if (field->wire != wire &&
	    !(field->number == PPROF_COMMENT && field->wire == WIRE_VARINT))
		return cg_reject_at(r->job, field->at,
		    "expected field %" PRIu64 " of a profile to be %s",
		    field->number, wire == WIRE_BYTES ? "bytes" : "a number");
	if (field->number != PPROF_SAMPLE &&
	    (!pprof_end_samples(r) ||
		(begins_message(r, field->number) && !pprof_finish(r))))
		return false;
	r->seen |= bit((unsigned)field->number);
	return fields[field->number].take(r, field);
}

/*
 * Reads the next field of the profile, and adds it to the reader's state.
 * False at the end, or after an error (reported).
 */
static bool
read_field(struct pprof_reader *r)
{
	struct cg_slice head, bytes;
	struct proto_field field;
	uint64_t need;

	(void)cg_look_bytes(r->in, HEAD_MAX, &head);
	if (head.len == 0)
		return false;
	bytes = head;
	if (!proto_take_tag(&bytes, &field))
		return cg_reject_at(
		    r->job, head.ptr, "expected a field of a profile");
	need = (uint64_t)(bytes.ptr - head.ptr);
	if (field.wire == WIRE_BYTES && field.value > FIELD_LIMIT)
		return cg_reject_at(r->job, head.ptr,
		    "field of %" PRIu64 " bytes is longer than %" PRIu64 " MiB",
		    field.value, FIELD_LIMIT >> 20);
	if (field.wire == WIRE_BYTES)
		need += field.value;
	if (!cg_read_bytes(r->in, need, &bytes))
		return cg_in_status(r->in) == CG_OK &&
		       cg_reject(r->job,
			   "expected %" PRIu64 " bytes: the file is truncated",
			   need);
	(void)proto_take_field(&bytes, &field);
	return pprof_add_field(r, &field);
}

int
pprof_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct pprof_reader r = { .job = job,
		.in = in,
		.build = build,
		.tables = { .job = job, .in = in, .build = build },
		.sums.job = job };

	while (read_field(&r) && cg_build_status(build) == CG_OK)
		continue;
	if (cg_rejected(job) == CG_OK && cg_in_status(in) == CG_OK &&
	    cg_build_status(build) == CG_OK)
		(void)pprof_finish(&r);
	pprof_free(&r);
	return cg_in_status(in);
}
