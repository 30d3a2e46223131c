/*
 * rows.c - rows of comma-separated values.
 */
#include <string.h>

#include "tables.h"

/* ---- Rows ---------------------------------------------------------------- */

/*
 * Takes a quoted field, and blanks before it, off *rest. *field is a copy with
 * one quote for two. It is written at *to, which has room and moves past it.
 * False: the field is not quoted, and nothing is taken.
 */
static bool
take_quoted(struct cg_slice *rest, char **to, struct cg_slice *field)
{
	const char *at = rest->ptr, *end = rest->ptr + rest->len;

	while (at < end && *at == ' ')
		at++;
	if (at == end || *at != '"')
		return false;
	field->ptr = *to;
	memcpy(*to, rest->ptr, (size_t)(at - rest->ptr));
	*to += at - rest->ptr;
	for (at++; at < end; at++) {
		if (*at == '"' && (++at == end || *at != '"'))
			break;
		*(*to)++ = *at;
	}
	field->len = (size_t)(*to - field->ptr);
	rest->ptr = at;
	rest->len = (size_t)(end - at);
	return true;
}

bool
table_split(
    struct cg_job *job, struct table_row *row, struct cg_slice line, char sep)
{
	struct cg_slice *field, after;
	char *to;

	row->field.n = 0;
	if (!cg_reserve(job, &row->text, line.len + 1))
		return false;
	to = row->text.at;
	do {
		field = cg_push(job, &row->field);
		if (!field)
			return false;
		*field = (struct cg_slice){ line.ptr, 0 };
		if (take_quoted(&line, &to, field))
			(void)cg_take_until(&line, sep, &after);
		else
			(void)cg_take_until(&line, sep, field);
	} while (line.len > 0);
	return true;
}

struct cg_slice
table_field(const struct table_row *row, size_t i)
{
	const struct cg_slice none = { "", 0 };

	return i < row->field.n ? cg_trim(row->field.at[i]) : none;
}

size_t
table_find(const struct table_row *row, const char *name)
{
	for (size_t i = 0; i < row->field.n; i++)
		if (cg_equal(table_field(row, i), name))
			return i;
	return TABLE_NONE;
}

/*
 * Multiplies *number by 10 to the power of "digits". If "digits" is negative,
 * rounds the result down. False: it overflows, and *number has no meaning.
 */
static bool
scale(uint64_t *number, int digits)
{
	for (; digits > 0 && *number > 0; digits--)
		if (__builtin_mul_overflow(*number, 10, number))
			return false;
	for (; digits < 0 && *number > 0; digits++)
		*number /= 10;
	return true;
}

/* Digits after the point of a number with an exponent. */
#define PRECISION 15

bool
table_get_number(struct cg_slice text, unsigned digits, uint64_t *number)
{
	struct cg_slice word = text;
	uint64_t power;
	bool small;

	for (size_t at = 0; at < word.len; at++)
		if (word.ptr[at] == 'e' || word.ptr[at] == 'E')
			word.len = at;
	if (word.len == text.len)
		return cg_take_fixed(&word, digits, number) && word.len == 0;
	text.ptr += word.len + 1;
	text.len -= word.len + 1;
	small = cg_take_char(&text, '-');
	(void)cg_take_char(&text, '+');
	return cg_take_fixed(&word, PRECISION, number) && word.len == 0 &&
	       cg_get_u64(text, &power) && power < 100 &&
	       scale(number, (small ? -(int)power : (int)power) + (int)digits -
				 PRECISION);
}

struct cg_slice
table_cut_word(struct cg_slice *line)
{
	struct cg_slice word;
	size_t at;

	*line = cg_trim(*line);
	for (at = line->len; at > 0 && line->ptr[at - 1] != ' ';)
		at--;
	word = (struct cg_slice){ line->ptr + at, line->len - at };
	line->len = at;
	return word;
}

bool
table_get_count(struct cg_slice text, uint64_t *count)
{
	struct cg_slice group;
	uint64_t number;
	char sep = 0;

	if (!cg_take_u64(&text, count))
		return false;
	for (; text.len > 0; *count += number) {
		if (sep != 0 && *text.ptr != sep)
			return false;
		sep = *text.ptr;
		if (!memchr(",. ", sep, 3))
			return false;
		text.ptr++;
		text.len--;
		group = text;
		if (!cg_take_u64(&text, &number) || group.len - text.len != 3 ||
		    __builtin_mul_overflow(*count, 1000, count) ||
		    *count > UINT64_MAX - number)
			return false;
	}
	return true;
}

/* ---- Reading ------------------------------------------------------------- */

bool
table_line(struct cg_in *in, struct cg_slice *line)
{
	if (!cg_read_line(in, line))
		return false;
	cg_cut_return(line);
	return true;
}

void
table_add_stack(struct cg_build *build, cg_node leaf, uint64_t samples,
    const uint64_t *cost)
{
	cg_add_stack(build, leaf, samples, cg_columns_of(build, cost),
	    cg_columns_width(build));
}

int
table_status(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	if (cg_rejected(job) != CG_OK)
		return cg_rejected(job);
	if (cg_in_status(in) != CG_OK)
		return cg_in_status(in);
	return cg_build_status(build);
}
