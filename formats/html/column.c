/*
 * column.c - encodes the values of columns of the page's data as bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cgconv_parse.h"
#include "html.h"

#define VARINT_MAX 10

static unsigned char *
put_varint(unsigned char *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (unsigned char)(value | 0x80);
	*to++ = (unsigned char)value;
	return to;
}

static bool
add_varint(struct html_writer *w, struct html_column *column, uint64_t value)
{
	unsigned char *end;

	if (!cg_reserve(w->job, &column->byte, column->byte.n + VARINT_MAX))
		return false;
	end = put_varint(column->byte.at + column->byte.n, value);
	column->byte.n = (size_t)(end - column->byte.at);
	column->count++;
	return true;
}

/*
 * Returns the zigzag code of a signed number: 0, -1, 1, -2, ... become 0, 1, 2,
 * 3, ..., so that numbers near 0 get small codes.
 */
static uint64_t
zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

bool
html_add_signed(struct html_writer *w, struct html_column *column, int64_t v)
{
	int64_t value = v;

	if (column->type == HTML_DELTA || column->type == HTML_TIME) {
		value = (int64_t)((uint64_t)value - (uint64_t)column->last);
		column->last = v;
	}
	return add_varint(w, column, zigzag(value));
}

bool
html_add(struct html_writer *w, struct html_column *column, uint64_t value)
{
	if (column->type == HTML_NUMBER || column->type == HTML_COST)
		return add_varint(w, column, value);
	return html_add_signed(w, column, (int64_t)value);
}

bool
html_add_text(
    struct html_writer *w, struct html_column *column, struct cg_slice text)
{
	if (!cg_reserve(w->job, &column->text, column->text.n + text.len + 1))
		return false;
	if (text.len > 0)
		memcpy(column->text.at + column->text.n, text.ptr, text.len);
	column->text.n += text.len;
	return add_varint(w, column, text.len);
}

/* ---- Costs -------------------------------------------------------------- */

enum html_type
html_cost_type(const struct html_writer *w, size_t event)
{
	return cg_get_event(w->graph, event)->is_signed ? HTML_SIGNED
							: HTML_COST;
}

struct html_column *
html_new_costs(struct html_writer *w, const char *name)
{
	struct html_column *column =
	    cg_alloc(w->job, w->events * sizeof(*column));

	for (size_t i = 0; column && i < w->events; i++)
		column[i] = (struct html_column){ .name = name,
			.type = html_cost_type(w, i) };
	return column;
}

bool
html_add_costs(struct html_writer *w, struct html_column *column,
    const uint64_t *cost, size_t n)
{
	bool ok = true;

	for (size_t i = 0; ok && i < w->events; i++)
		ok = html_add(w, &column[i], i < n ? cost[i] : 0);
	return ok;
}

bool
html_reaches(
    const struct html_writer *w, size_t event, uint64_t cost, uint64_t total)
{
	if (cg_get_event(w->graph, event)->is_signed) {
		cost = (int64_t)cost < 0 ? -cost : cost;
		total = (int64_t)total < 0 ? -total : total;
	}
	return cost > 0 && cost >= cg_mul_div(total, w->least, 1000000);
}

/* ---- Into the page ------------------------------------------------------ */

static void
put_column(struct html_writer *w, struct html_column *column, size_t index)
{
	size_t name = strlen(column->name);
	unsigned char head[3 * VARINT_MAX + 2], *to = head;

	*to++ = (unsigned char)name;
	html_pack(w->pack, head, 1);
	html_pack(w->pack, column->name, name);
	to = put_varint(head, index);
	*to++ = (unsigned char)column->type;
	to = put_varint(to, column->count);
	to = put_varint(to, column->byte.n + column->text.n);
	html_pack(w->pack, head, (size_t)(to - head));
	html_pack(w->pack, column->byte.at, column->byte.n);
	html_pack(w->pack, column->text.at, column->text.n);
}

void
html_end_at(struct html_writer *w, struct html_column *column, size_t index)
{
	if (column->count > 0)
		put_column(w, column, index);
	cg_drop(w->job, &column->byte);
	cg_drop(w->job, &column->text);
	*column = (struct html_column){ .name = column->name };
}

void
html_end(struct html_writer *w, struct html_column *column)
{
	html_end_at(w, column, 0);
}

void
html_end_columns(struct html_writer *w, struct html_column *column, size_t n)
{
	for (size_t i = 0; i < n; i++)
		html_end(w, &column[i]);
}

void
html_end_costs(struct html_writer *w, struct html_column *column)
{
	for (size_t i = 0; column && i < w->events; i++)
		html_end_at(w, &column[i], i);
}

bool
html_put_number(struct html_writer *w, const char *name, uint64_t value)
{
	struct html_column column = { .name = name, .type = HTML_COST };
	bool ok = html_add(w, &column, value);

	html_end(w, &column);
	return ok;
}

/* ---- Data files --------------------------------------------------------- */

bool
html_begin_data(struct html_writer *w, const char *name)
{
	char suffix[32];
	struct html_pack *pack;

	if (!w->split)
		return true;
	(void)snprintf(suffix, sizeof(suffix), "%s.js", name);
	w->data = cg_add_output(w->job, suffix);
	pack = w->data ? html_pack_new(w->job, w->data) : NULL;
	if (!pack || !html_add_text(w, &w->data_name, cg_slice(name)))
		return false;
	w->pack = pack;
	cg_putf(w->data, "cgconvData(\"%s\",\"", name);
	return true;
}

bool
html_end_data(struct html_writer *w)
{
	uint32_t id;

	if (!w->split)
		return true;
	id = html_pack_end(w->pack);
	cg_putf(w->data, "\",%" PRIu32 ");\n", id);
	w->pack = w->page;
	return html_add(w, &w->data_id, id);
}

/* ---- Files and objects -------------------------------------------------- */

uint32_t
html_file(struct html_writer *w, cg_file file)
{
	if (file != 0 && w->file_at[file] == 0 &&
	    html_add_text(w, &w->file_path, cg_file_path(w->graph, file)))
		w->file_at[file] = (uint32_t)w->file_path.count;
	return w->file_at[file];
}

uint32_t
html_object(struct html_writer *w, cg_object object)
{
	if (object != 0 && w->object_at[object] == 0 &&
	    html_add_text(w, &w->object_path, cg_object_path(w->graph, object)))
		w->object_at[object] = (uint32_t)w->object_path.count;
	return w->object_at[object];
}
