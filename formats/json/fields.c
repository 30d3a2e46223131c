/*
 * fields.c - takes the fields of a line. Errors point at the token.
 */
#include <inttypes.h>
#include <string.h>

#include "fields.h"

static inline void
advance(struct json_reader *r)
{
	r->type = cg_json_next(&r->json);
}

void
json_line(struct json_reader *r)
{
	cg_json_start(&r->json, r->line);
	r->text.n = 0;
	r->plain = false;
	advance(r);
}

const char *
json_at(const struct json_reader *r, size_t field)
{
	const char *at = r->line.ptr;

	if (!r->plain)
		return r->field[field].at;
	for (size_t commas = 0; commas <= field; at++)
		commas += *at == ',';
	return at;
}

bool
json_reject(struct json_reader *r, const char *expected)
{
	return cg_json_reject(r->job, &r->json, expected);
}

bool
json_take(struct json_reader *r, enum cg_json_type type, const char *expected)
{
	if (r->type != type)
		return json_reject(r, expected);
	advance(r);
	return true;
}

static inline bool
is_number(const struct json_reader *r)
{
	return r->type == CG_JSON_NUMBER || r->type == CG_JSON_STRING;
}

/*
 * Sets *number to the value of the current token, a number or a string with
 * one. False: the value is not a whole number from 0 to 2^64 - 1 (not
 * reported), and *number has no meaning.
 */
static inline bool
get_number(const struct json_reader *r, uint64_t *number)
{
	*number = r->json.value;
	return (r->type == CG_JSON_NUMBER && r->json.whole) ||
	       (is_number(r) && cg_get_u64(r->json.text, number));
}

bool
json_take_number(struct json_reader *r, uint64_t max, uint64_t *number)
{
	if (!get_number(r, number) || *number > max) {
		if (!is_number(r))
			return json_reject(r, "a number");
		return cg_reject_at(r->job, r->json.at,
		    "expected a whole number from 0 to %" PRIu64, max);
	}
	advance(r);
	return true;
}

static bool
take_signed(struct json_reader *r, uint64_t *number)
{
	struct cg_slice text = r->json.text;
	bool negative = is_number(r) && cg_take_char(&text, '-');
	bool taken =
	    negative ? cg_get_u64(text, number) : get_number(r, number);

	if (!taken || *number > (uint64_t)INT64_MAX + negative)
		return json_reject(
		    r, is_number(r) ? "a whole number from -2^63 to 2^63 - 1"
				    : "a number");
	if (negative)
		*number = 0 - *number;
	advance(r);
	return true;
}

/*
 * Takes a number that the input uses for an object, file, function or the
 * like. "ids" has the numbers that the input has defined so far. Sets *id to
 * the builder's id for it; 0 stays 0. False: no number, or the input has not
 * defined the number (reported).
 */
static bool
take_id(struct json_reader *r, const struct json_ids *ids, uint64_t *id)
{
	uint64_t number;

	if (!get_number(r, &number) || number > ids->id.n) {
		if (!is_number(r))
			return json_reject(r, "a number");
		return cg_reject_at(r->job, r->json.at,
		    "expected %s id up to %zu", ids->what, ids->id.n);
	}
	*id = number ? ids->id.at[number - 1] : 0;
	advance(r);
	return true;
}

static bool
take_bool(struct json_reader *r, uint64_t *value)
{
	if (r->type != CG_JSON_TRUE && r->type != CG_JSON_FALSE)
		return json_reject(r, "true or false");
	*value = r->type == CG_JSON_TRUE;
	advance(r);
	return true;
}

/*
 * Takes a string. *text is a copy in r->text, with a NUL after it, valid until
 * the next line. False: an error (reported).
 */
static bool
take_text(struct json_reader *r, struct cg_slice *text)
{
	char *to;

	if (r->type != CG_JSON_STRING)
		return json_reject(r, "a string");
	/* The strings of a line fit, so r->text never moves within it. */
	if (!cg_reserve(r->job, &r->text, r->line.len))
		return false;
	to = r->text.at + r->text.n;
	*text = cg_json_string(&r->json, to);
	if (text->ptr != to && text->len > 0)
		memcpy(to, text->ptr, text->len);
	to[text->len] = '\0';
	text->ptr = to;
	r->text.n += text->len + 1;
	advance(r);
	return true;
}

/*
 * Takes a string into the field. Strings with NUL bytes are rejected, as they
 * are passed on as C strings. False: an error (reported).
 */
static bool
take_string(struct json_reader *r, struct json_field *field)
{
	if (!take_text(r, &field->text))
		return false;
	if (!memchr(field->text.ptr, '\0', field->text.len))
		return true;
	return cg_reject_at(
	    r->job, field->at, "expected a string without \\u0000");
}

/*
 * Takes a string, and sets *index to its index in "words", a NULL-terminated
 * table. False: no string, or none of the table. Then reports that "expected"
 * was expected.
 */
static bool
take_word(struct json_reader *r, const char *const *words, const char *expected,
    uint64_t *index)
{
	uint64_t i = 0;

	if (r->type != CG_JSON_STRING)
		return json_reject(r, expected);
	while (words[i] && !cg_equal(r->json.text, words[i]))
		i++;
	if (!words[i])
		return json_reject(r, expected);
	*index = i;
	advance(r);
	return true;
}

/*
 * Takes a string of letters, and sets *flags to their bits. Each letter stands
 * for a flag: its position in json_flags is the number of the bit. False:
 * another letter, or no string (reported).
 */
static bool
take_flags(struct json_reader *r, uint64_t *flags)
{
	struct cg_slice text = r->json.text;

	*flags = 0;
	if (r->type != CG_JSON_STRING)
		return json_reject(r, "a string");
	for (size_t i = 0; i < text.len; i++) {
		const char *letter =
		    memchr(json_flags, text.ptr[i], sizeof(json_flags) - 1);

		if (!letter)
			return json_reject(r, "letters of \"ftruxlne\"");
		*flags |= (uint64_t)1 << (letter - json_flags);
	}
	advance(r);
	return true;
}

/*
 * Takes an array of costs, one for each event of the file; the last ones may
 * be missing. Sets r->cost to them, by column of the builder if r->moved, and
 * r->costs to their number. False: an error (reported).
 */
static bool
take_costs(struct json_reader *r)
{
	size_t i = 0;

	if (!json_take(r, CG_JSON_ARRAY, "'[' and the costs"))
		return false;
	if (r->moved)
		memset(r->own_cost, 0, r->columns * sizeof(*r->own_cost));
	for (; r->type != CG_JSON_ARRAY_END; i++) {
		uint64_t *cost;

		if (i == r->events)
			return json_reject(
			    r, "']', as there are no more events");
		cost = &r->own_cost[r->column[i]];
		if (r->is_signed[i] ? !take_signed(r, cost)
				    : !json_take_number(r, UINT64_MAX, cost))
			return false;
	}
	advance(r);
	r->cost = r->own_cost;
	r->costs = r->moved && i > 0 ? r->columns : i;
	return true;
}

/*
 * Takes the value of a label: a text; or "", then a number with an optional
 * unit. Does not take the label's brackets. False: rejected (reported).
 */
static bool
take_value(struct json_reader *r, struct cg_label *label)
{
	uint64_t number = 0;

	if (!take_text(r, &label->value))
		return false;
	if (label->value.len == 0 && !take_signed(r, &number))
		return false;
	label->number = (int64_t)number;
	return label->value.len > 0 || r->type == CG_JSON_ARRAY_END ||
	       take_text(r, &label->unit);
}

/*
 * Takes all labels up to the end of the line, at least one, into r->label.
 * False: an error (reported).
 */
static bool
take_labels(struct json_reader *r)
{
	r->label.n = 0;
	do {
		struct cg_label *label = cg_push(r->job, &r->label);

		if (!label)
			return false;
		*label = (struct cg_label){ .unit = { "", 0 } };
		if (!json_take(r, CG_JSON_ARRAY, "'[' and a label") ||
		    !take_text(r, &label->key) || !take_value(r, label) ||
		    !json_take(r, CG_JSON_ARRAY_END, "']'"))
			return false;
	} while (r->type != CG_JSON_ARRAY_END);
	return true;
}

static bool
take_field(struct json_reader *r, char kind, struct json_field *field)
{
	field->at = r->json.at;
	switch (kind) {
	case 'n': return json_take_number(r, UINT64_MAX, &field->number);
	case 'u': return json_take_number(r, UINT32_MAX, &field->number);
	case 'd': return take_signed(r, &field->number);
	case 'l': return take_flags(r, &field->number);
	case 'O': return take_id(r, &r->objects, &field->number);
	case 'F': return take_id(r, &r->files, &field->number);
	case 'f': return take_id(r, &r->fns, &field->number);
	case 's': return take_id(r, &r->nodes, &field->number);
	case 'S': return take_id(r, &r->labels, &field->number);
	case 'L': return take_labels(r);
	case 't': return take_text(r, &field->text);
	case 'z': return take_string(r, field);
	case 'b': return take_bool(r, &field->number);
	case 'i':
		return take_word(r, json_incl,
		    "\"stated\", \"by-counts\" or \"none\"", &field->number);
	case 'k':
		return take_word(r, json_kind,
		    "\"block\", \"arc\", \"call\", \"condition\", \"path\" "
		    "or \"counter\"",
		    &field->number);
	case 'c': return take_costs(r);
	}
	return false;
}

bool
json_take_end(struct json_reader *r)
{
	return json_take(r, CG_JSON_ARRAY_END, "']'") &&
	       (r->type == CG_JSON_END || json_reject(r, "the end"));
}

bool
json_take_fields(struct json_reader *r, const char *kinds)
{
	bool optional = false;
	size_t n = 0;

	r->given = 0;
	for (; *kinds; kinds++) {
		if (*kinds == '?') {
			optional = true;
		} else if (optional && r->type == CG_JSON_ARRAY_END) {
			r->field[n++] =
			    (struct json_field){ .text = { "", 0 } };
		} else if (take_field(r, *kinds, &r->field[n])) {
			r->given = ++n;
		} else {
			return false;
		}
	}
	return json_take_end(r);
}

bool
json_skip(struct json_reader *r)
{
	unsigned depth = 0;

	do {
		if (r->type == CG_JSON_ARRAY || r->type == CG_JSON_OBJECT)
			depth++;
		else if (r->type == CG_JSON_ARRAY_END ||
			 r->type == CG_JSON_OBJECT_END)
			depth--;
		else if (r->type == CG_JSON_BAD || r->type == CG_JSON_END)
			return json_reject(r, "a value");
		advance(r);
	} while (depth > 0);
	return true;
}
