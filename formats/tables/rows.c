/*
 * rows.c - rows of comma-separated values; the callers of a function that
 * tables tell by its depth.
 */
#include <stdlib.h>
#include <string.h>

#include "tables.h"

/* ---- Rows ---------------------------------------------------------------- */

/*
 * A field that is quoted after its blanks: the blanks and what the quotes
 * contain, with "" for a quote, go to *to. False: it is not quoted.
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
table_split(struct table_row *row, struct cg_slice line, char sep)
{
	struct cg_slice *field, after;
	char *to;

	row->count = 0;
	if (!cg_grow_raw(&row->text, &row->text_cap, line.len + 1, 1))
		return false;
	to = row->text;
	do {
		if (!cg_grow_raw(&row->field, &row->cap, row->count + 1,
			sizeof(*row->field)))
			return false;
		field = &row->field[row->count++];
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

	return i < row->count ? cg_trim(row->field[i]) : none;
}

size_t
table_find(const struct table_row *row, const char *name)
{
	for (size_t i = 0; i < row->count; i++)
		if (cg_equal(table_field(row, i), name))
			return i;
	return TABLE_NONE;
}

void
table_free_row(struct table_row *row)
{
	free(row->field);
	free(row->text);
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

/* ---- Callers ------------------------------------------------------------- */

bool
table_caller(struct table_callers *callers, size_t depth, cg_node *caller)
{
	if (depth > callers->depth)
		return false;
	callers->depth = depth;
	*caller = depth > 0 ? callers->node[depth - 1] : 0;
	return true;
}

bool
table_enter(struct table_callers *callers, cg_node node)
{
	if (!cg_grow_raw(&callers->node, &callers->cap, callers->depth + 1,
		sizeof(node)))
		return false;
	callers->node[callers->depth++] = node;
	return true;
}

void
table_free_callers(struct table_callers *callers)
{
	free(callers->node);
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
