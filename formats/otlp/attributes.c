/*
 * attributes.c - turns attributes of OpenTelemetry into labels.
 *
 * A list becomes several labels of one key; booleans, fractions and bytes
 * become texts. Maps, and lists in lists, are dropped and counted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "otlp.h"

const struct otlp_role otlp_roles[] = {
	{ "process.pid", "pid", true },
	{ "thread.id", "tid", true },
	{ "thread.name", "thread", false },
	{ "process.executable.name", "comm", false },
	{ NULL, NULL, false },
};

const struct otlp_role otlp_profile_keys[] = {
	{ "pprof.profile.comment", PROTO_KEY_COMMENT, false },
	{ "pprof.profile.drop_frames", "drop_frames", false },
	{ "pprof.profile.keep_frames", "keep_frames", false },
	{ "pprof.profile.doc_url", "doc_url", false },
	{ NULL, NULL, false },
};

static struct cg_slice
keep_text(struct otlp_reader *r, const char *text, size_t len)
{
	cg_name name = cg_add_name(r->build, (struct cg_slice){ text, len });

	return cg_get_name(r->build, name);
}

const char *
otlp_keep_string(struct otlp_reader *r, struct cg_slice text)
{
	return cg_get_name(r->build, cg_add_name(r->build, text)).ptr;
}

struct cg_slice
otlp_label_text(struct otlp_reader *r, const struct cg_label *label)
{
	char text[CG_NUMBER_MAX];

	if (label->value.len > 0)
		return label->value;
	return keep_text(
	    r, text, (size_t)(cg_format_i64(text, label->number) - text));
}

static struct cg_slice
double_text(struct otlp_reader *r, uint64_t bits)
{
	char text[40];
	double number;

	memcpy(&number, &bits, sizeof(number));
	return keep_text(
	    r, text, (size_t)snprintf(text, sizeof(text), "%.17g", number));
}

static struct cg_slice
hex_text(struct otlp_reader *r, struct cg_slice bytes)
{
	static const char digits[] = "0123456789abcdef";

	if (!cg_reserve(r->job, &r->hex, 2 * bytes.len + 1))
		return (struct cg_slice){ "", 0 };
	for (size_t i = 0; i < bytes.len; i++) {
		r->hex.at[2 * i] = digits[(uint8_t)bytes.ptr[i] >> 4];
		r->hex.at[2 * i + 1] = digits[bytes.ptr[i] & 15];
	}
	return keep_text(r, r->hex.at, 2 * bytes.len);
}

/*
 * Sets the label's text or number to the value in a field of an AnyValue
 * message. Booleans and fractions become texts, bytes a text of hex digits.
 * False: the value is a map or a list, which a label cannot hold (not
 * reported). Also false after an error (reported). cg_rejected() tells which.
 */
static bool
get_value(struct otlp_reader *r, const struct proto_field *field,
    struct cg_label *label)
{
	static const unsigned wires[] = { [VALUE_STRING] = WIRE_BYTES,
		[VALUE_BOOL] = WIRE_VARINT,
		[VALUE_INT] = WIRE_VARINT,
		[VALUE_DOUBLE] = WIRE_64,
		[VALUE_ARRAY] = WIRE_BYTES,
		[VALUE_MAP] = WIRE_BYTES,
		[VALUE_BYTES] = WIRE_BYTES,
		[VALUE_STRINDEX] = WIRE_VARINT };

	if (field->number > VALUE_STRINDEX ||
	    field->wire != wires[field->number])
		return cg_reject_at(
		    r->job, field->at, "expected the value of an attribute");
	if (field->number == VALUE_INT)
		label->number = (int64_t)field->value;
	else if (field->number == VALUE_STRING)
		label->value = field->bytes;
	else if (field->number == VALUE_BOOL)
		label->value = cg_slice(field->value ? "true" : "false");
	else if (field->number == VALUE_DOUBLE)
		label->value = double_text(r, field->value);
	else if (field->number == VALUE_BYTES)
		label->value = hex_text(r, field->bytes);
	else if (field->number == VALUE_STRINDEX)
		return proto_get_text(&r->tables, field->value, &label->value);
	else
		return false;
	return true;
}

/*
 * Appends labels for the value in an AnyValue message to the list. Each label
 * gets the key and unit of *key. A single value becomes one label. An array
 * becomes one label for each element. An empty text or byte string becomes no
 * label. "in_list" tells that the message is an element of an array. Maps, and
 * arrays inside an array, become no labels; counts them in r->lost. False: an
 * error (reported).
 */
static bool
add_values(struct otlp_reader *r, struct cg_slice message,
    const struct cg_label *key, bool in_list, struct proto_labels *list)
{
	struct proto_field field;
	struct cg_label label;

	while (message.len > 0) {
		label = *key;
		if (!otlp_take_field(r, &message, &field))
			return false;
		if (field.number == VALUE_ARRAY && field.wire == WIRE_BYTES &&
		    !in_list) {
			struct cg_slice rest = field.bytes;

			while (rest.len > 0)
				if (!otlp_take_field(r, &rest, &field) ||
				    !add_values(
					r, field.bytes, key, true, list))
					return false;
			continue;
		}
		if (!get_value(r, &field, &label)) {
			if (cg_rejected(r->job) != CG_OK)
				return false;
			r->lost[LOST_VALUES]++;
		}
		if (label.value.len == 0 && field.number != VALUE_INT)
			continue;
		if (!cg_append(r->job, list, label))
			return false;
	}
	return true;
}

bool
otlp_add_attribute(struct otlp_reader *r, struct cg_slice message, bool indexed,
    struct proto_labels *list)
{
	struct cg_label label = {
		.key = { "", 0 }, .value = { "", 0 }, .unit = { "", 0 }
	};
	struct cg_slice value = { "", 0 }, *text;
	struct proto_field field;

	while (message.len > 0) {
		if (!otlp_take_field(r, &message, &field))
			return false;
		text = indexed && field.number == ATTRIBUTE_UNIT ? &label.unit
								 : &label.key;
		if (field.number > ATTRIBUTE_UNIT)
			proto_skip_field(r->job, &field);
		else if (field.number == ATTRIBUTE_VALUE &&
			 field.wire == WIRE_BYTES)
			value = field.bytes;
		else if (field.number == ATTRIBUTE_KEY && !indexed &&
			 field.wire == WIRE_BYTES)
			label.key = field.bytes;
		else if (field.wire != WIRE_VARINT)
			return cg_reject_at(
			    r->job, field.at, "expected an attribute");
		else if (!proto_get_text(&r->tables, field.value, text))
			return false;
	}
	return add_values(r, value, &label, false, list);
}

bool
otlp_add_indexed(
    struct otlp_reader *r, uint64_t index, struct proto_labels *list)
{
	struct cg_slice message;

	return otlp_get_entry(r, TABLE_ATTRIBUTE, index, &message) &&
	       otlp_add_attribute(r, message, true, list);
}

bool
otlp_add_bytes(struct otlp_reader *r, const char *key, struct cg_slice bytes,
    struct proto_labels *list)
{
	struct cg_label label = { .key = cg_slice(key), .unit = { "", 0 } };

	if (bytes.len == 0)
		return true;
	label.value = hex_text(r, bytes);
	return label.value.ptr && cg_append(r->job, list, label);
}
