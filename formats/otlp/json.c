/*
 * json.c - converts profiles of OpenTelemetry as JSON to protocol buffers,
 * which read.c reads.
 *
 * Source: "JSON Protobuf Encoding" of the OTLP specification 1.11 and of
 * protobuf.dev: names are in lowerCamelCase, integers of 64 bits may be
 * strings, ids of traces and spans are hex digits, other bytes are base64.
 * Objects may follow each other (JSON Lines).
 *
 * Messages get the fields of version 1.8, which has those of later versions,
 * too; members that are not in the table are skipped with a warning. In the
 * result, each dictionary follows the profiles of its object.
 */
#include <stdlib.h>
#include <string.h>

#include "otlp.h"

/* Messages, by the table of their members below. */
enum message {
	M_DATA,
	M_RESOURCE_PROFILES,
	M_RESOURCE,
	M_KEY_VALUE,
	M_ANY_VALUE,
	M_ARRAY_VALUE,
	M_KEY_VALUE_LIST,
	M_SCOPE_PROFILES,
	M_SCOPE,
	M_PROFILE,
	M_VALUE_TYPE,
	M_SAMPLE,
	M_DICTIONARY,
	M_MAPPING,
	M_LOCATION,
	M_LINE,
	M_FUNCTION,
	M_LINK,
	M_ATTRIBUTE,
	M_STACK,
	MESSAGES
};
enum kind {
	NUMBER,  /* a varint; negative ones as in int64 */
	NUMBERS, /* packed varints */
	FIXED,   /* 64 bits */
	FIXEDS,
	BOOL,
	DOUBLE,
	TEXT,
	TEXTS,
	HEX, /* bytes as hex digits */
	BASE64,
	OBJECT, /* a message */
	OBJECTS,
	IGNORED, /* nothing that the reader uses */
	OLD      /* a member of versions before 1.8 */
};
struct member {
	const char *name;
	unsigned char number, kind, message;
};
#define MEMBERS_MAX 16 /* of a message, and the end of the list */

static const struct member members[MESSAGES][MEMBERS_MAX] = {
	[M_DATA] = { { "resourceProfiles", 1, OBJECTS, M_RESOURCE_PROFILES },
	    { "dictionary", 2, OBJECT, M_DICTIONARY } },
	[M_RESOURCE_PROFILES] = { { "resource", 1, OBJECT, M_RESOURCE },
	    { "scopeProfiles", 2, OBJECTS, M_SCOPE_PROFILES },
	    { "schemaUrl", 3, TEXT, 0 } },
	[M_RESOURCE] = { { "attributes", 1, OBJECTS, M_KEY_VALUE },
	    { "droppedAttributesCount", 2, NUMBER, 0 },
	    { "entityRefs", 3, IGNORED, 0 } },
	[M_KEY_VALUE] = { { "key", 1, TEXT, 0 },
	    { "value", 2, OBJECT, M_ANY_VALUE },
	    { "keyStrindex", 3, NUMBER, 0 } },
	[M_ANY_VALUE] = { { "stringValue", 1, TEXT, 0 },
	    { "boolValue", 2, BOOL, 0 }, { "intValue", 3, NUMBER, 0 },
	    { "doubleValue", 4, DOUBLE, 0 },
	    { "arrayValue", 5, OBJECT, M_ARRAY_VALUE },
	    { "kvlistValue", 6, OBJECT, M_KEY_VALUE_LIST },
	    { "bytesValue", 7, BASE64, 0 },
	    { "stringValueStrindex", 8, NUMBER, 0 } },
	[M_ARRAY_VALUE] = { { "values", 1, OBJECTS, M_ANY_VALUE } },
	[M_KEY_VALUE_LIST] = { { "values", 1, OBJECTS, M_KEY_VALUE } },
	[M_SCOPE_PROFILES] = { { "scope", 1, OBJECT, M_SCOPE },
	    { "profiles", 2, OBJECTS, M_PROFILE },
	    { "schemaUrl", 3, TEXT, 0 } },
	[M_SCOPE] = { { "name", 1, TEXT, 0 }, { "version", 2, TEXT, 0 },
	    { "attributes", 3, OBJECTS, M_KEY_VALUE },
	    { "droppedAttributesCount", 4, NUMBER, 0 } },
	[M_PROFILE] = { { "sampleType", 1, OBJECT, M_VALUE_TYPE },
	    { "samples", 2, OBJECTS, M_SAMPLE },
	    { "timeUnixNano", 3, FIXED, 0 }, { "durationNano", 4, NUMBER, 0 },
	    { "periodType", 5, OBJECT, M_VALUE_TYPE },
	    { "period", 6, NUMBER, 0 }, { "commentStrindices", 7, NUMBERS, 0 },
	    { "profileId", 8, IGNORED, 0 },
	    { "droppedAttributesCount", 9, NUMBER, 0 },
	    { "originalPayloadFormat", 10, TEXT, 0 },
	    { "originalPayload", 11, BASE64, 0 },
	    { "attributeIndices", 12, NUMBERS, 0 },
	    { "sample", 2, OBJECTS, M_SAMPLE }, { "timeNanos", 0, OLD, 0 },
	    { "locationIndices", 0, OLD, 0 } },
	[M_VALUE_TYPE] = { { "typeStrindex", 1, NUMBER, 0 },
	    { "unitStrindex", 2, NUMBER, 0 },
	    { "aggregationTemporality", 3, IGNORED, 0 } },
	[M_SAMPLE] = { { "stackIndex", 1, NUMBER, 0 },
	    { "values", 2, NUMBERS, 0 }, { "attributeIndices", 3, NUMBERS, 0 },
	    { "linkIndex", 4, NUMBER, 0 },
	    { "timestampsUnixNano", 5, FIXEDS, 0 },
	    { "locationsStartIndex", 0, OLD, 0 } },
	[M_DICTIONARY] = { { "mappingTable", 1, OBJECTS, M_MAPPING },
	    { "locationTable", 2, OBJECTS, M_LOCATION },
	    { "functionTable", 3, OBJECTS, M_FUNCTION },
	    { "linkTable", 4, OBJECTS, M_LINK }, { "stringTable", 5, TEXTS, 0 },
	    { "attributeTable", 6, OBJECTS, M_ATTRIBUTE },
	    { "stackTable", 7, OBJECTS, M_STACK },
	    { "attributeUnits", 0, OLD, 0 } },
	[M_MAPPING] = { { "memoryStart", 1, NUMBER, 0 },
	    { "memoryLimit", 2, NUMBER, 0 }, { "fileOffset", 3, NUMBER, 0 },
	    { "filenameStrindex", 4, NUMBER, 0 },
	    { "attributeIndices", 5, NUMBERS, 0 } },
	[M_LOCATION] = { { "mappingIndex", 1, NUMBER, 0 },
	    { "address", 2, NUMBER, 0 }, { "lines", 3, OBJECTS, M_LINE },
	    { "attributeIndices", 4, NUMBERS, 0 },
	    { "line", 3, OBJECTS, M_LINE } },
	[M_LINE] = { { "functionIndex", 1, NUMBER, 0 },
	    { "line", 2, NUMBER, 0 }, { "column", 3, NUMBER, 0 } },
	[M_FUNCTION] = { { "nameStrindex", 1, NUMBER, 0 },
	    { "systemNameStrindex", 2, NUMBER, 0 },
	    { "filenameStrindex", 3, NUMBER, 0 },
	    { "startLine", 4, NUMBER, 0 } },
	[M_LINK] = { { "traceId", 1, HEX, 0 }, { "spanId", 2, HEX, 0 } },
	[M_ATTRIBUTE] = { { "keyStrindex", 1, NUMBER, 0 },
	    { "value", 2, OBJECT, M_ANY_VALUE },
	    { "unitStrindex", 3, NUMBER, 0 } },
	[M_STACK] = { { "locationIndices", 1, NUMBERS, 0 } },
};

#define DEPTH_MAX 64 /* of messages: attributes may nest lists */
#define BATCH 256    /* numbers that are taken at once, */
#define NUMBER_MAX 5 /* and bytes of each as a varint */

struct converter {
	struct cg_job *job;
	struct cg_json json;
	struct proto_bytes *out; /* one of the following */
	struct proto_bytes profiles, dictionary;
	unsigned depth;
	uint32_t number[BATCH];
};

static bool take_object(struct converter *, enum message);

/* ---- Protocol buffers ---------------------------------------------------- */

/*
 * Returns a pointer to n bytes of free space after the contents of c->out. The
 * caller fills them and adds what it has filled to c->out->n. NULL: out of
 * memory (reported).
 */
static char *
reserve(struct converter *c, size_t n)
{
	struct proto_bytes *out = c->out;

	return cg_reserve(c->job, out, out->n + n) ? out->at + out->n : NULL;
}

static bool
put_varint(struct converter *c, uint64_t value)
{
	char *at = reserve(c, VARINT_MAX);

	if (at)
		c->out->n += (size_t)(proto_format_varint(at, value) - at);
	return at != NULL;
}

static bool
put_tag(struct converter *c, unsigned number, enum proto_wire wire)
{
	return put_varint(c, number << 3 | wire);
}

static bool
put_fixed(struct converter *c, uint64_t value)
{
	char *at = reserve(c, 8);

	for (size_t i = 0; at && i < 8; i++)
		at[i] = (char)(value >> 8 * i);
	c->out->n += at ? 8 : 0;
	return at != NULL;
}

/*
 * Begins a field of bytes: appends the tag of field "number" to c->out, and
 * one byte for the length. The length is not known yet; end_bytes() stores it.
 * Sets *begin to the offset in c->out where the field's bytes begin. False:
 * out of memory (reported).
 */
static bool
begin_bytes(struct converter *c, unsigned number, size_t *begin)
{
	if (!put_tag(c, number, WIRE_BYTES) || !put_varint(c, 0))
		return false;
	*begin = c->out->n;
	return true;
}

/*
 * Ends the field of bytes that begin_bytes() began. The bytes are in c->out,
 * from offset "begin" to the end. Stores their length in front of them.
 * begin_bytes() left room for a length of one byte; for a longer one, moves
 * the bytes. False: out of memory (reported).
 */
static bool
end_bytes(struct converter *c, size_t begin)
{
	const size_t len = c->out->n - begin;
	char length[VARINT_MAX], *at;
	size_t n;

	n = (size_t)(proto_format_varint(length, len) - length);
	if (!reserve(c, VARINT_MAX))
		return false;
	at = c->out->at + begin;
	if (n > 1)
		memmove(at + n - 1, at, len);
	memcpy(at - 1, length, n);
	c->out->n += n - 1;
	return true;
}

/* ---- Values -------------------------------------------------------------- */

/*
 * Sets *value to the whole number in the current token, which has the given
 * type. ProtoJSON writes integers of 64 bits as strings, so a string is
 * accepted, too. A negative number becomes its two's complement. False: the
 * token is no whole number, or has more than 64 bits (reported).
 */
static bool
get_integer(struct converter *c, enum cg_json_type type, uint64_t *value)
{
	struct cg_slice text = c->json.text;
	bool negative;

	if (type == CG_JSON_NUMBER && c->json.whole) {
		*value = c->json.value;
		return true;
	}
	negative = cg_take_char(&text, '-');
	if ((type != CG_JSON_NUMBER && type != CG_JSON_STRING) ||
	    text.len == 0 || *text.ptr < '0' || *text.ptr > '9' ||
	    !cg_take_u64(&text, value) || text.len > 0)
		return cg_json_reject(c->job, &c->json, "a whole number");
	if (negative)
		*value = -*value;
	return true;
}

static bool
put_integer(struct converter *c, enum cg_json_type type, bool fixed)
{
	uint64_t value;

	return get_integer(c, type, &value) &&
	       (fixed ? put_fixed(c, value) : put_varint(c, value));
}

/*
 * Reads the elements of a JSON array of whole numbers. The caller has taken
 * the opening bracket; this function takes the closing one, too. Appends each
 * number to c->out as a varint or, if "fixed" is set, as 8 bytes. Reads small
 * numbers in batches, which is faster. False: an error (reported).
 */
static bool
put_integers(struct converter *c, bool fixed)
{
	enum cg_json_type type;
	size_t n;
	char *to;

	for (;;) {
		n = fixed ? 0
			  : cg_json_numbers(
				&c->json, UINT32_MAX, c->number, BATCH);
		to = n > 0 ? reserve(c, n * NUMBER_MAX) : NULL;
		if (n > 0 && !to)
			return false;
		for (size_t i = 0; i < n; i++)
			to = proto_format_varint(to, c->number[i]);
		if (n > 0)
			c->out->n = (size_t)(to - c->out->at);
		if (n == BATCH)
			continue;
		type = cg_json_next(&c->json);
		if (type == CG_JSON_ARRAY_END)
			return true;
		if (!put_integer(c, type, fixed))
			return false;
	}
}

static bool
put_double(struct converter *c, enum cg_json_type type)
{
	char text[64];
	uint64_t bits;
	double value;
	char *end;

	if ((type != CG_JSON_NUMBER && type != CG_JSON_STRING) ||
	    c->json.text.len == 0 || c->json.text.len >= sizeof(text))
		return cg_json_reject(c->job, &c->json, "a number");
	memcpy(text, c->json.text.ptr, c->json.text.len);
	text[c->json.text.len] = '\0';
	value = strtod(text, &end);
	if (*end != '\0')
		return cg_json_reject(c->job, &c->json, "a number");
	memcpy(&bits, &value, sizeof(bits));
	return put_fixed(c, bits);
}

/*
 * Appends the current string to c->out, without JSON's escapes, after its
 * length as a varint. False: the token is no string, or out of memory
 * (reported).
 */
static bool
put_text(struct converter *c, enum cg_json_type type)
{
	struct cg_slice text;
	char *to;

	if (type != CG_JSON_STRING)
		return cg_json_reject(c->job, &c->json, "a string");
	/* A string without escapes is not longer than one with them. */
	to = reserve(c, VARINT_MAX + c->json.text.len);
	if (!to)
		return false;
	text = cg_json_string(&c->json, to + VARINT_MAX);
	to = proto_format_varint(to, text.len);
	if (text.len > 0)
		memmove(to, text.ptr, text.len);
	c->out->n = (size_t)(to + text.len - c->out->at);
	return true;
}

static int
digit_of(char c, unsigned bits)
{
	if (c >= '0' && c <= '9')
		return bits == 4 ? c - '0' : c - '0' + 52;
	if (bits == 4)
		return c >= 'a' && c <= 'f'   ? c - 'a' + 10
		       : c >= 'A' && c <= 'F' ? c - 'A' + 10
					      : -1;
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/*
 * Decodes the text of the current token, which must be a string. "type" is the
 * token's type. Appends the decoded bytes to c->out, without their length.
 * "bits" is the number of bits of a digit: 4 for hex, 6 for base64. Ignores
 * bits at the end that make no whole byte. False: an error (reported).
 */
static bool
put_digits(struct converter *c, enum cg_json_type type, unsigned bits)
{
	struct cg_slice text = c->json.text;
	unsigned have = 0, value = 0;
	char *to = reserve(c, text.len + 1);
	int digit;

	while (text.len > 0 && bits == 6 && text.ptr[text.len - 1] == '=')
		text.len--;
	for (size_t i = 0; to && i < text.len; i++) {
		digit = digit_of(text.ptr[i], bits);
		if (digit < 0 || type != CG_JSON_STRING)
			return cg_json_reject(c->job, &c->json,
			    bits == 4 ? "hex digits" : "base64");
		value = (value << bits | (unsigned)digit) & 0xfff;
		have += bits;
		if (have < 8)
			continue;
		have -= 8;
		*to++ = (char)(value >> have);
		c->out->n++;
	}
	return to != NULL;
}

/* ---- Members ------------------------------------------------------------- */

static bool
put_message(struct converter *c, const struct member *member)
{
	size_t begin;

	return begin_bytes(c, member->number, &begin) &&
	       take_object(c, member->message) && end_bytes(c, begin);
}

/*
 * Appends the value of a JSON member to c->out, as a field with its tag. The
 * value begins with the current token, which has the type "type". A list of
 * numbers is one value. For other lists, the caller calls this function for
 * each item. Skips values that the reader does not use. Rejects members that
 * only versions before 1.8 have. False: an error (reported).
 */
static bool
put_value(
    struct converter *c, const struct member *member, enum cg_json_type type)
{
	const unsigned number = member->number;
	size_t begin;

	switch ((enum kind)member->kind) {
	case NUMBER:
		return put_tag(c, number, WIRE_VARINT) &&
		       put_integer(c, type, false);
	case FIXED:
		return put_tag(c, number, WIRE_64) &&
		       put_integer(c, type, true);
	case NUMBERS:
	case FIXEDS:
		return begin_bytes(c, number, &begin) &&
		       put_integers(c, member->kind == FIXEDS) &&
		       end_bytes(c, begin);
	case BOOL:
		if (type != CG_JSON_TRUE && type != CG_JSON_FALSE)
			return cg_json_reject(
			    c->job, &c->json, "true or false");
		return put_tag(c, number, WIRE_VARINT) &&
		       put_varint(c, type == CG_JSON_TRUE);
	case DOUBLE: return put_tag(c, number, WIRE_64) && put_double(c, type);
	case TEXT:
	case TEXTS: return put_tag(c, number, WIRE_BYTES) && put_text(c, type);
	case HEX:
	case BASE64:
		return begin_bytes(c, number, &begin) &&
		       put_digits(c, type, member->kind == HEX ? 4 : 6) &&
		       end_bytes(c, begin);
	case OBJECT:
	case OBJECTS:
		if (type != CG_JSON_OBJECT)
			return cg_json_reject(c->job, &c->json, "an object");
		return put_message(c, member);
	case IGNORED:
		return cg_json_skip(&c->json, type) ||
		       cg_json_reject(c->job, &c->json, "a value");
	case OLD: break;
	}
	return cg_json_reject(c->job, &c->json,
	    "version 1.8 to 1.11 of OpenTelemetry's profiles, not an older "
	    "one: "
	    "a member that these have");
}

static bool
put_list(struct converter *c, const struct member *member)
{
	enum cg_json_type type;

	while ((type = cg_json_next(&c->json)) != CG_JSON_ARRAY_END) {
		if (!put_value(c, member, type))
			return false;
	}
	return true;
}

static bool
is_list(const struct member *member)
{
	return member->kind == NUMBERS || member->kind == FIXEDS ||
	       member->kind == TEXTS || member->kind == OBJECTS;
}

static bool
put_member(struct converter *c, const struct member *member)
{
	enum cg_json_type type = cg_json_next(&c->json);

	if (type == CG_JSON_NULL)
		return true;
	if (!is_list(member))
		return put_value(c, member, type);
	if (type != CG_JSON_ARRAY)
		return cg_json_reject(c->job, &c->json, "a list");
	if (member->kind == NUMBERS || member->kind == FIXEDS)
		return put_value(c, member, type);
	return put_list(c, member);
}

/*
 * Returns the table entry that tells how to convert the value of the current
 * key. The key is in a message of type "message". Keys often come in the
 * table's order. So tries the entry with index *next first. *next is 0 before
 * the first key, and becomes the index after the entry found. NULL: unknown
 * key.
 */
static const struct member *
find_member(const struct converter *c, enum message message, size_t *next)
{
	const struct member *member = members[message];

	if (member[*next].name && cg_equal(c->json.text, member[*next].name))
		return &member[(*next)++];
	for (size_t i = 0; member[i].name; i++) {
		if (!cg_equal(c->json.text, member[i].name))
			continue;
		*next = i + 1;
		return &member[i];
	}
	return NULL;
}

static bool
skip_member(struct converter *c)
{
	cg_warn_at(c->job, c->json.at,
	    "skipped a member that is not known: "
	    "%.*s",
	    (int)(c->json.text.len < 64 ? c->json.text.len : 64),
	    c->json.text.ptr);
	return cg_json_skip(&c->json, cg_json_next(&c->json)) ||
	       cg_json_reject(c->job, &c->json, "a value");
}

/*
 * Converts the members of a JSON object to fields of the message. The caller
 * has taken the opening brace; this function takes the closing one, too.
 * Appends the fields to c->out. In the outermost object (M_DATA), first sets
 * c->out to c->dictionary or c->profiles, for each member. Skips unknown
 * members with a warning. False: an error (reported).
 */
static bool
take_object(struct converter *c, enum message message)
{
	const struct member *member;
	enum cg_json_type type;
	size_t next = 0;

	if (c->depth == DEPTH_MAX)
		return cg_json_reject(
		    c->job, &c->json, "fewer levels of lists in an attribute");
	c->depth++;
	while ((type = cg_json_next(&c->json)) == CG_JSON_KEY) {
		member = find_member(c, message, &next);
		if (message == M_DATA)
			c->out = member && member->message == M_DICTIONARY
				     ? &c->dictionary
				     : &c->profiles;
		if (member ? !put_member(c, member) : !skip_member(c))
			return false;
	}
	c->depth--;
	return type == CG_JSON_OBJECT_END || cg_json_reject(c->job, &c->json,
						 "a member, or the end of an "
						 "object");
}

/*
 * Ends an outermost object: appends its dictionary (c->dictionary, which is
 * then empty) to c->profiles. An object without one gets an empty dictionary,
 * as its profiles would otherwise use the dictionary of the next object.
 * False: out of memory (reported).
 */
static bool
put_dictionary(struct converter *c)
{
	size_t begin;

	c->out = &c->profiles;
	if (c->dictionary.n == 0)
		return begin_bytes(c, 2, &begin);
	if (!proto_append_bytes(c->job, &c->profiles,
		(struct cg_slice){ c->dictionary.at, c->dictionary.n }))
		return false;
	c->dictionary.n = 0;
	return true;
}

bool
otlp_convert_json(struct cg_job *job, struct cg_in *in, struct proto_bytes *to)
{
	struct converter *c = cg_alloc(job, sizeof(*c));
	enum cg_json_type type;

	if (!c)
		return false;
	c->job = job;
	cg_json_open(&c->json, in);
	do {
		type = cg_json_next(&c->json);
		c->out = &c->profiles;
		if (type != CG_JSON_OBJECT)
			return cg_json_reject(job, &c->json, "an object");
		if (!take_object(c, M_DATA) || !put_dictionary(c))
			return false;
	} while (cg_json_another(&c->json));
	if (cg_json_next(&c->json) != CG_JSON_END)
		return cg_json_reject(job, &c->json, "the end of the file");
	*to = c->profiles;
	return true;
}
