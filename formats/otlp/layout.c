/*
 * layout.c - recognises OpenTelemetry's profiles and their version.
 *
 * The format has no magic and no version number, and versions changed the
 * meaning of fields. But the wire types of profiles and samples tell versions
 * apart.
 *
 * Source: tags v1.3.0 to v1.11.0 of opentelemetry-proto.
 */
#include <string.h>

#include "otlp.h"

/*
 * Types of a message's fields, from field 1 on: 'v' a varint, 'b' bytes, 'p'
 * packed numbers, '8' 64 bits, 'f' 64 bits or packed ones, or the letter of a
 * message. Newest version first: see otlp_find_layout().
 */
static const struct otlp_layout layouts[] = {
	{ "1.10 or 1.11", "TS8vTvbvbbp", "vpvpf", true,
	    { 0, OTLP_STACK, OTLP_ATTRIBUTES, OTLP_LINK, OTLP_VALUES,
		OTLP_TIMES },
	    0 },
	{ "1.9", "TS8vTvbvbbp", "vppvf", true,
	    { 0, OTLP_STACK, OTLP_VALUES, OTLP_ATTRIBUTES, OTLP_LINK,
		OTLP_TIMES },
	    0 },
	{ "1.8", "TS8vTvpbvbbp", "vppvf", true,
	    { 0, OTLP_STACK, OTLP_VALUES, OTLP_ATTRIBUTES, OTLP_LINK,
		OTLP_TIMES },
	    PROFILE_ID },
	{ .versions = "1.6 or 1.7",
	    .profile = "TSpvvTvpvbvbbp",
	    .sample = "vvppvp" },
	{ .versions = "1.4 or 1.5",
	    .profile = "TSbbpbbbbbvvTvpvbbvbbp",
	    .sample = "vvppvp" },
	{ .versions = "1.3 (v1experimental)",
	    .profile = "b88bvbbb",
	    .sample = "" },
};
#define LAYOUTS (sizeof(layouts) / sizeof(*layouts))

const struct otlp_layout *
otlp_json_layout(void)
{
	return &layouts[2];
}

/* The levels around profiles. P: a profile, by its layout. */
static const struct {
	char name;
	const char *fields;
} shapes[] = {
	{ 'D', "Rbbbbbbb" },
	{ 'R', "AIb" },
	{ 'A', "bvb" },
	{ 'I', "OPb" },
	{ 'O', "bbbv" },
	{ 'T', "vvv" },
};

struct scan {
	unsigned fits; /* bit i: layout i */
	bool profile;
	bool bare; /* a sample has no values and times by layout 0 */
	bool cut;  /* the text ends before the file does */
};

static const char *
fields_of(char name)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		if (shapes[i].name == name)
			return shapes[i].fields;
	}
	return NULL;
}

static bool
has_kind(char kind, unsigned wire)
{
	if (kind == 'v')
		return wire == WIRE_VARINT;
	if (kind == '8')
		return wire == WIRE_64;
	return wire == WIRE_BYTES || (kind == 'f' && wire == WIRE_64);
}

/*
 * Returns true if a message may have a field with this number and wire type.
 * "fields" has a letter for the type of each field, from number 1 on, as in
 * layouts[].
 */
static bool
is_field(const char *fields, const struct proto_field *field)
{
	return field->number <= strlen(fields) &&
	       has_kind(fields[field->number - 1], field->wire);
}

/*
 * Takes the next field of *rest. If scan->cut is set, the text is only the
 * beginning of a file, and may end inside this field. Then field->bytes gets
 * the bytes that are there. False: the field is malformed, or the text ends
 * before the field's value. If scan->cut is set, *rest is empty then.
 */
static bool
take_field(
    const struct scan *scan, struct cg_slice *rest, struct proto_field *field)
{
	if (proto_take_field(rest, field))
		return true;
	if (!scan->cut)
		return false;
	if (!proto_take_tag(rest, field) || field->wire != WIRE_BYTES) {
		rest->len = 0;
		return false;
	}
	field->bytes = *rest;
	rest->len = 0;
	return true;
}

/*
 * Returns true if all fields of the message have the wire types of its message
 * type. "name" is the letter of the type in shapes[]. Does not examine
 * messages inside the message. A truncated text may end in any field.
 */
static bool
has_shape(const struct scan *scan, struct cg_slice message, char name)
{
	const char *fields = fields_of(name);
	struct proto_field field;

	while (message.len > 0) {
		if (!take_field(scan, &message, &field))
			return message.len == 0;
		if (!is_field(fields, &field))
			return false;
	}
	return true;
}

/*
 * scan->fits has the versions that are still possible. Removes those that do
 * not allow the field in a profile or, if "in_sample", in a sample. Later
 * versions may add fields. So the newest version also allows numbers above its
 * own fields.
 */
static void
keep_layouts(struct scan *scan, const struct proto_field *field, bool in_sample)
{
	for (size_t i = 0; i < LAYOUTS; i++) {
		const char *fields =
		    in_sample ? layouts[i].sample : layouts[i].profile;

		/* Newer versions may add fields. */
		if (!is_field(fields, field) &&
		    (i > 0 || field->number <= strlen(fields)))
			scan->fits &= ~(1u << i);
	}
}

static bool
scan_sample(struct scan *scan, struct cg_slice message)
{
	struct proto_field field;
	bool valued = false, others = false;

	while (message.len > 0 && scan->fits != 0) {
		if (!take_field(scan, &message, &field))
			return message.len == 0;
		keep_layouts(scan, &field, true);
		valued |=
		    field.number == OTLP_VALUES || field.number == OTLP_TIMES;
		others |= field.number == OTLP_ATTRIBUTES;
	}
	scan->bare |= others && !valued;
	return scan->fits != 0;
}

static bool
scan_profile(struct scan *scan, struct cg_slice message)
{
	struct proto_field field;
	bool types = false;

	while (message.len > 0 && scan->fits != 0) {
		if (!take_field(scan, &message, &field))
			return message.len == 0;
		keep_layouts(scan, &field, false);
		if (field.wire != WIRE_BYTES)
			continue;
		/* Version 1.3 has other messages in a container. */
		types = (field.number == PROFILE_TYPE ||
			    field.number == PROFILE_SAMPLE) &&
			(scan->fits & ((1u << (LAYOUTS - 1)) - 1)) != 0;
		if (types && field.number == PROFILE_TYPE &&
		    !has_shape(scan, field.bytes, 'T'))
			scan->fits &= 1u << (LAYOUTS - 1);
		if (types && field.number == PROFILE_SAMPLE &&
		    !scan_sample(scan, field.bytes))
			return false;
		scan->profile = true;
	}
	return scan->fits != 0;
}

/*
 * Checks the fields of a message and, recursively, of the messages inside it.
 * "name" is the letter of the message's type in shapes[]. Sets scan->profile
 * if it finds a profile. scan->fits is the set of versions of the format.
 * Removes each version from it that a profile or sample in the message
 * contradicts. False: malformed, another type of message, or no version is
 * left.
 */
static bool
scan_message(struct scan *scan, struct cg_slice message, char name)
{
	const char *fields = fields_of(name);
	struct proto_field field;
	bool ok = true;
	char kind;

	while (ok && message.len > 0) {
		if (!take_field(scan, &message, &field))
			return message.len == 0;
		if (!is_field(fields, &field))
			return false;
		kind = fields[field.number - 1];
		if (kind == 'R' || kind == 'I')
			ok = scan_message(scan, field.bytes, kind);
		else if (kind == 'P')
			ok = scan_profile(scan, field.bytes);
		else if (kind != 'b')
			ok = has_shape(scan, field.bytes, kind);
	}
	return ok;
}

const struct otlp_layout *
otlp_find_layout(struct cg_slice file, bool cut, bool *more)
{
	struct scan scan = { .fits = (1u << LAYOUTS) - 1, .cut = cut };
	bool fits = scan_message(&scan, file, 'D');

	if (more)
		*more = fits && cut && !scan.profile;
	if (!fits || !scan.profile)
		return NULL;
	/* A sample needs values or times, so field 2 has the values. */
	if (scan.bare && scan.fits != 1)
		scan.fits &= ~1u;
	for (size_t i = 0; i < LAYOUTS; i++) {
		if (scan.fits & 1u << i)
			return &layouts[i];
	}
	return NULL;
}
