/*
 * records.c - takes values of any class, by the chunk's description of the
 * class.
 */
#include "jfr.h"

#define VALUE_DEPTH 32 /* levels of values in values; real ones have 3 */

struct jfr_bytes
jfr_bytes_at(const struct jfr_chunk *chunk, uint64_t at)
{
	struct jfr_bytes b = chunk->bytes;
	uint64_t size = (uint64_t)(b.end - b.at);

	b.at += at < size ? at : size;
	return b;
}

bool
jfr_expected(
    struct jfr_chunk *chunk, const struct jfr_bytes *b, const char *what)
{
	return cg_reject_at(
	    chunk->job, (const char *)b->at, "expected %s", what);
}

/* ---- Values ------------------------------------------------------------- */

static bool take_fields(struct jfr_chunk *, const struct jfr_class *,
    struct jfr_bytes *, uint64_t *slot, unsigned depth);

/*
 * Takes a value of a class off *b. *value becomes a number, or a text's offset
 * in the chunk. The fields of an object are skipped, and *value stays. depth:
 * number of objects around the value, limited. False: an error (reported).
 */
static bool
take_value(struct jfr_chunk *chunk, const struct jfr_class *class,
    struct jfr_bytes *b, uint64_t *value, unsigned depth)
{
	const struct jfr_bytes at = *b;
	struct jfr_text text;
	bool good = false;

	switch ((enum jfr_form) class->form) {
	case JFR_NUMBER: good = jfr_take_number(b, class->width, value); break;
	case JFR_FIXED: good = jfr_take_fixed(b, class->width, value); break;
	case JFR_TEXT:
		*value = (uint64_t)(b->at - chunk->bytes.at);
		good = jfr_take_text(b, &text);
		break;
	case JFR_FIELDS: return take_fields(chunk, class, b, NULL, depth + 1);
	}
	return good || jfr_expected(chunk, &at, "a value of a field");
}

/*
 * Takes the value of a field off *b. *value becomes a number, a constant's
 * key, or where in the chunk a text or array is. Objects are skipped, and
 * *value stays. depth: as for take_value(). False: an error (reported).
 */
static bool
take_field(struct jfr_chunk *chunk, const struct jfr_field *field,
    struct jfr_bytes *b, uint64_t *value, unsigned depth)
{
	const struct jfr_bytes at = *b;
	const struct jfr_class *class;
	uint64_t count = 1, skip;

	if (field->class == 0)
		return jfr_expected(chunk, &at, "fields of known classes");
	class = &chunk->class.at[field->class - 1];
	if (field->array) {
		*value = (uint64_t)(b->at - chunk->bytes.at);
		value = &skip;
		if (!jfr_take_number(b, JFR_INT, &count))
			return jfr_expected(chunk, &at, "a size of an array");
	}
	for (; count > 0; count--) {
		if (!field->pool) {
			if (!take_value(chunk, class, b, value, depth))
				return false;
		} else if (!jfr_take_number(b, JFR_LONG, value)) {
			return jfr_expected(chunk, &at, "a key of a constant");
		}
	}
	return true;
}

/*
 * Looks up a constant of the chunk by its class and key. If constants of the
 * class are texts, returns the text's offset in the chunk. Otherwise returns
 * the index + 1 in chunk->constant. 0: there is no such constant.
 */
static uint64_t
find_key(
    const struct jfr_chunk *chunk, const struct jfr_class *class, uint64_t key)
{
	uint32_t index =
	    jfr_find_constant(chunk, (enum jfr_record) class->record, key);

	if (index == 0 || class->form != JFR_TEXT)
		return index;
	return chunk->constant.at[index - 1].at;
}

/*
 * Takes an object, the fields of a class, off *b. Stores those that the reader
 * uses in slot[], unless that is NULL; constants as find_key() returns them.
 * depth: as for take_value(). False: an error (reported).
 */
static bool
take_fields(struct jfr_chunk *chunk, const struct jfr_class *class,
    struct jfr_bytes *b, uint64_t *slot, unsigned depth)
{
	const struct jfr_field *field;
	uint64_t value = 0;

	if (class->fields == 0 || depth > VALUE_DEPTH)
		return jfr_expected(chunk, b,
		    class->fields == 0 ? "classes with fields"
				       : "fewer levels of fields");
	field = &chunk->field.at[class->first];
	/* A field takes a byte at least, so the file limits the loop. */
	for (uint32_t i = 0; i < class->fields; i++, field++) {
		if (!take_field(chunk, field, b, &value, depth))
			return false;
		if (!slot || field->slot == JFR_NO_SLOT)
			continue;
		if (field->pool)
			value = find_key(
			    chunk, &chunk->class.at[field->class - 1], value);
		slot[field->slot] = value;
	}
	return true;
}

bool
jfr_take_record(struct jfr_chunk *chunk, const struct jfr_class *class,
    struct jfr_bytes *b, uint64_t *slot)
{
	uint64_t value;

	if (slot)
		memset(slot, 0, JFR_SLOTS * sizeof(*slot));
	if (class->form != JFR_FIELDS)
		return take_value(chunk, class, b, &value, 0);
	return take_fields(chunk, class, b, slot, 0);
}

/* ---- Constants ---------------------------------------------------------- */

uint32_t
jfr_find_constant(
    const struct jfr_chunk *chunk, enum jfr_record record, uint64_t key)
{
	return record < JFR_POOLS ? cg_map_get(&chunk->keys[record], key) : 0;
}

bool
jfr_get_constant(struct jfr_chunk *chunk, enum jfr_record record,
    uint64_t index, uint64_t slot[JFR_SLOTS])
{
	const struct jfr_constant *constant = &chunk->constant.at[index - 1];
	struct jfr_bytes b = jfr_bytes_at(chunk, constant->at);

	return jfr_take_record(
	    chunk, &chunk->class.at[chunk->pool[record] - 1], &b, slot);
}

/* ---- Texts -------------------------------------------------------------- */

/*
 * Writes a code point as UTF-8 to a buffer with room for 4 bytes, and returns
 * the end.
 */
static char *
put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
		} else {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

#define UTF8_MAX 3 /* bytes for one char or byte; a pair takes 4 */

static bool
is_high(uint64_t c)
{
	return c >= 0xd800 && c < 0xdc00;
}

static bool
is_low(uint64_t c)
{
	return c >= 0xdc00 && c < 0xe000;
}

/*
 * Writes UTF-16, stored as one number per char, as UTF-8 to a buffer. The
 * buffer needs 3 bytes for each number. A lone surrogate becomes U+FFFD. Ends
 * early at a malformed number. Returns the end of the text.
 */
static char *
convert_chars(char *to, struct jfr_bytes b)
{
	uint64_t c, low;

	while (b.at < b.end && jfr_take_number(&b, sizeof(uint16_t), &c)) {
		struct jfr_bytes rest = b;

		c &= 0xffff;
		if (is_high(c) &&
		    jfr_take_number(&rest, sizeof(uint16_t), &low) &&
		    is_low(low)) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			b = rest;
		} else if (is_high(c) || is_low(c)) {
			c = 0xfffd;
		}
		to = put_utf8(to, (uint32_t)c);
	}
	return to;
}

static char *
convert_latin1(char *to, struct jfr_bytes b)
{
	while (b.at < b.end)
		to = put_utf8(to, *b.at++);
	return to;
}

static bool
is_ascii(struct cg_slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] >= 0x80)
			return false;
	return true;
}

static bool
convert(struct jfr_chunk *chunk, const struct jfr_text *stored,
    struct cg_slice *text)
{
	const struct jfr_bytes b = { (const unsigned char *)stored->raw.ptr,
		(const unsigned char *)stored->raw.ptr + stored->raw.len,
		chunk->bytes.plain };
	char *end;

	if (!cg_reserve(
		chunk->job, &chunk->text, UTF8_MAX * stored->raw.len + 1))
		return false;
	end = stored->encoding == JFR_TEXT_CHARS
		  ? convert_chars(chunk->text.at, b)
		  : convert_latin1(chunk->text.at, b);
	*text =
	    (struct cg_slice){ chunk->text.at, (size_t)(end - chunk->text.at) };
	return true;
}

bool
jfr_expand(struct jfr_chunk *chunk, size_t bytes)
{
	chunk->expanded += bytes;
	if (!cg_is_bomb(
		chunk->expanded, cg_in_offset(chunk->in), CG_EXPANSION_HELD))
		return true;
	return cg_reject(chunk->job,
	    "expected shorter names: those of classes, methods and threads "
	    "would take more than %d times the size of the file",
	    CG_EXPANSION_HELD);
}

bool
jfr_get_text(struct jfr_chunk *chunk, uint64_t at, struct cg_slice *text)
{
	struct jfr_bytes b = jfr_bytes_at(chunk, at);
	struct jfr_text stored;
	uint32_t index;

	*text = (struct cg_slice){ "", 0 };
	if (at == 0)
		return true;
	if (!jfr_take_text(&b, &stored))
		return jfr_expected(chunk, &b, "a text");
	if (stored.encoding == JFR_TEXT_CONSTANT) {
		index = jfr_find_constant(chunk, JFR_STRING, stored.key);
		if (index == 0)
			return true;
		b = jfr_bytes_at(chunk, chunk->constant.at[index - 1].at);
		/* A constant whose value is another constant is no text. */
		if (!jfr_take_text(&b, &stored))
			return jfr_expected(chunk, &b, "a text");
	}
	if (!jfr_expand(chunk, stored.raw.len))
		return false;
	if (stored.encoding == JFR_TEXT_UTF8 ||
	    (stored.encoding == JFR_TEXT_LATIN1 && is_ascii(stored.raw)))
		*text = stored.raw;
	else if (stored.raw.len > 0)
		return convert(chunk, &stored, text);
	return true;
}

bool
jfr_get_constant_text(struct jfr_chunk *chunk, enum jfr_record record,
    uint64_t index, cg_name *name)
{
	struct jfr_constant *constant;
	uint64_t slot[JFR_SLOTS];
	struct cg_slice text;

	*name = 0;
	if (index == 0)
		return true;
	constant = &chunk->constant.at[index - 1];
	if (!constant->known) {
		if (!jfr_get_constant(chunk, record, index, slot) ||
		    !jfr_get_text(chunk, slot[NAME_TEXT], &text))
			return false;
		constant->made = cg_add_name(chunk->build, text);
		constant->known = true;
	}
	*name = constant->made;
	return true;
}
