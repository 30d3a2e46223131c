/*
 * plain.c - parses blocks of lines, in any thread.
 *
 * Most lines are a tag and unsigned numbers without blanks. They are parsed
 * here, without their context. Of other lines, and of lines with an error,
 * only the length is found; the reader parses them.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fields.h"

#define PLAIN_DIGITS 18 /* numbers of up to 18 digits fit into 63 bits */

/*
 * Returns the pointer after a tag's closing quote. NULL: the text at "at" is
 * not the given name and a quote.
 */
static inline const char *
match_tag(const char *at, const char *name)
{
	for (; *name; name++)
		if (*at++ != *name)
			return NULL;
	return *at == '"' ? at + 1 : NULL;
}

/*
 * Reads a plain number, at most 18 digits without a leading zero, and moves
 * *at to its end. A newline must end the text. False: no plain number; *at and
 * *number are undefined.
 */
static inline bool
take_digits(const char **at, uint64_t *number)
{
	const char *first = *at, *to = first;
	uint64_t value = 0;
	unsigned digit;

	for (; (digit = (unsigned)*to - '0') <= 9; to++)
		value = value * 10 + digit;
	*number = value;
	*at = to;
	return to - first == 1 ||
	       (to != first && to - first <= PLAIN_DIGITS && *first != '0');
}

/*
 * Reads plain numbers at *at, "[1,2]", into number[], which has room for
 * CG_EVENT_MAX. Moves *at to their end. Returns the pointer after the last
 * number. NULL: there are other items, or more than CG_EVENT_MAX.
 */
static inline uint64_t *
take_costs(const char **at, uint64_t *number)
{
	uint64_t *end = number + CG_EVENT_MAX;

	if ((*at)[1] == ']') {
		*at += 2;
		return number;
	}
	do {
		++*at;
		if (number == end || !take_digits(at, number++))
			return NULL;
	} while (**at == ',');
	return *(*at)++ == ']' ? number : NULL;
}

/*
 * Reads the fields of a line after its tag into number[], where all have room.
 * Describes them in *line, where fields must be 0 and array JSON_NO_ARRAY.
 * Returns the newline. NULL: too many fields, or others than unsigned numbers
 * and one array of them.
 */
static inline const char *
take_fields(struct json_plain *line, const char *at, uint64_t *number)
{
	uint64_t *end;

	while (*at == ',' && line->fields < JSON_FIELD_MAX) {
		at++;
		if (*at != '[') {
			if (!take_digits(&at, number++))
				return NULL;
		} else {
			end = line->array == JSON_NO_ARRAY
				  ? take_costs(&at, number)
				  : NULL;
			if (!end)
				return NULL;
			line->array = line->fields;
			line->costs = (uint16_t)(end - number);
			number = end;
		}
		line->fields++;
	}
	return at[0] == ']' && at[1] == '\n' ? at + 1 : NULL;
}

/*
 * Parses the first line of the text into *line and number[], and removes it
 * from the text. A line is plain if it has a known tag and unsigned numbers.
 * Any other line gets its length, tag JSON_TAGS and no array: the JSON reader
 * then parses it.
 */
static void
parse_line(struct cg_slice *text, struct json_plain *line, uint64_t *number)
{
	const char *at = text->ptr, *fields = NULL;
	struct cg_slice all;
	unsigned tag = 0;

	*line = (struct json_plain){ .array = JSON_NO_ARRAY };
	if (at[0] == '[' && at[1] == '"')
		while (tag < JSON_TAGS &&
		       !(fields = match_tag(at + 2, json_tags[tag].name)))
			tag++;
	at = fields ? take_fields(line, fields, number) : NULL;
	if (at) {
		line->tag = (uint8_t)tag;
		line->len = (uint32_t)(at - text->ptr);
		text->ptr += line->len + 1;
		text->len -= line->len + 1;
		return;
	}
	(void)cg_take_line(text, &all);
	*line = (struct json_plain){ .len = (uint32_t)all.len,
		.tag = JSON_TAGS,
		.array = JSON_NO_ARRAY };
}

/* Words that a line needs at most. */
#define LINE_WORDS                                                       \
	(sizeof(struct json_plain) / sizeof(uint64_t) + JSON_FIELD_MAX + \
	    CG_EVENT_MAX)

bool
json_parse(const void *arg, struct cg_text *text)
{
	struct json_block *block = text->own;
	struct cg_slice rest = text->text;
	struct json_plain *line;
	size_t words = 0;

	(void)arg;
	block->lines = 0;
	while (rest.len > 0) {
		if (!cg_grow_raw(&block->word, &block->cap, words + LINE_WORDS,
			sizeof(*block->word)))
			return false;
		line = (struct json_plain *)&block->word[words];
		parse_line(&rest, line, line->number);
		words += json_plain_words(line);
		block->lines++;
	}
	block->crc =
	    (uint32_t)crc32_z(0, (const Bytef *)text->text.ptr, text->text.len);
	return true;
}

void
json_close(void *own)
{
	struct json_block *block = own;

	free(block->word);
}

/* ---- In the reader ------------------------------------------------------- */

/*
 * Checks the value of a field. "kind" is the letter of the field's kind. A
 * value of some kinds is the number of an object, file, function or the like.
 * Replaces this number of the input by the builder's id; 0 stays 0. False: the
 * value is too large, the input has not defined the number, or the kind is no
 * number.
 */
static inline bool
convert_number(const struct json_reader *r, char kind, uint64_t *number)
{
	const struct json_ids *ids = NULL;

	switch (kind) {
	case 'n':
	case 'd': return true;
	case 'u': return *number <= UINT32_MAX;
	case 'O': ids = &r->objects; break;
	case 'F': ids = &r->files; break;
	case 'f': ids = &r->fns; break;
	case 's': ids = &r->nodes; break;
	case 'S': ids = &r->labels; break;
	}
	if (!ids || *number > ids->id.n)
		return false;
	if (*number > 0)
		*number = ids->id.at[*number - 1];
	return true;
}

/*
 * Sets r->cost to the n costs of a line. The builder has a column for each
 * event. If the builder's columns differ from the file's, copies the costs to
 * r->own_cost first. False: more costs than events.
 */
static inline bool
set_costs(struct json_reader *r, const uint64_t *cost, size_t n)
{
	if (n > r->events)
		return false;
	r->cost = cost;
	r->costs = n;
	if (!r->moved || n == 0)
		return true;
	memset(r->own_cost, 0, r->columns * sizeof(*r->own_cost));
	for (size_t i = 0; i < n; i++)
		r->own_cost[r->column[i]] = cost[i];
	r->cost = r->own_cost;
	r->costs = r->columns;
	return true;
}

bool
json_take_plain(struct json_reader *r, const struct json_plain *line)
{
	const char *kinds = json_tags[line->tag].kinds;
	const uint64_t *number = line->number;
	struct json_field *field = r->field;
	bool optional = false;

	for (; *kinds; kinds++) {
		if (*kinds == '?') {
			optional = true;
			continue;
		}
		r->given = (size_t)(field - r->field);
		if (r->given == line->fields)
			break;
		if ((*kinds == 'c') != (r->given == line->array))
			return false;
		if (*kinds == 'c') {
			if (!set_costs(r, number, line->costs))
				return false;
			number += line->costs;
		} else {
			field->number = *number++;
			if (!convert_number(r, *kinds, &field->number))
				return false;
		}
		field++;
	}
	r->given = (size_t)(field - r->field);
	if (r->given != line->fields || (*kinds && !optional))
		return false;
	for (; *kinds; kinds++)
		*field++ = (struct json_field){ .text = { "", 0 } };
	r->plain = true;
	return true;
}
