/*
 * gbbg.c - the first records: "gbbg" (.bbg) and "gcov" (.da).
 *
 * Sources: the proposal of 2002-08-13 on the list of gcc (version 304e) and
 * what vendors' 3.3 wrote (303p, 303S, ...), as facts about ggcov tell. The
 * one is little endian and numbers blocks by counting records, the other is
 * big endian with the tags of 3.4. Both know functions by name, count lengths
 * in bytes, and end strings with a NUL that does not count and zeros to a
 * multiple of 4; of the proposal's, which does not say, that is assumed. No
 * file of either was found.
 */
#include <string.h>

#include "gcov.h"

enum tag { FUNCTION, BLOCKS, ARCS, LINES, COUNTERS, TAGS };

static const struct form {
	char version[4];
	bool big, counted; /* blocks are */
	enum gcov_order order;
	uint32_t tag[TAGS];
} forms[] = {
	{ "303", true, false, GCOV_BIG64,
	    { 0x01000000, 0x01410000, 0x01430000, 0x01450000, 0x01a10000 } },
	{ "304", false, true, GCOV_LITTLE, { 1, 2, 3, 4, 5 } },
};

/* Of the function at hand. */
struct state {
	const struct form *form;
	uint32_t arcs, lines; /* records of them */
	uint32_t file;        /* what lines are of until another is named */
};

static const struct form *
find_form(struct gcov_bytes bytes, const char *magic)
{
	if (bytes.end - bytes.at < 8 || memcmp(bytes.at, magic, 4) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (memcmp(bytes.at + 4, forms[i].version, 3) == 0)
			return &forms[i];
	}
	return NULL;
}

bool
gcov_is_gbbg(struct gcov_bytes bytes)
{
	return find_form(bytes, "gbbg") || find_form(bytes, "gcov");
}

static void
begin(struct gcov_bytes *bytes, const struct form *form, struct gcov_head *head)
{
	memcpy(head->version, bytes->at + 4, 4);
	head->version[4] = '\0';
	head->number = head->layout = GCOV_VERSION(3, 3);
	bytes->at += 8;
	bytes->big = form->big;
	bytes->exact = true;
}

static bool
take_name(struct gcov_bytes *bytes, struct cg_slice *name)
{
	uint32_t n;
	uint64_t size;

	if (!gcov_take_u32(bytes, &n))
		return false;
	size = ((uint64_t)n + 4) & ~(uint64_t)3;
	if (n == 0 && bytes->at == bytes->end)
		size = 0;
	if (size > (uint64_t)(bytes->end - bytes->at))
		return gcov_wrong(bytes, bytes->at - 4,
		    "expected a string that ends within its record");
	*name = (struct cg_slice){ (const char *)bytes->at, n };
	bytes->at += size;
	return true;
}

/* ---- Notes -------------------------------------------------------------- */

static bool
take_function(
    struct gcov_unit *unit, struct gcov_bytes *record, struct state *state)
{
	struct gcov_fn new = { .block = (uint32_t)unit->blocks,
		.arc = (uint32_t)unit->arcs };

	if (!take_name(record, &new.name) ||
	    !gcov_take_u32(record, &new.lineno) ||
	    !gcov_grow(
		unit, &unit->fn, &unit->fn_cap, unit->fns + 1, sizeof(new)))
		return false;
	new.ident = gcov_ident(new.name);
	unit->fn[unit->fns++] = new;
	state->arcs = state->lines = 0;
	return true;
}

static bool
take_blocks(
    struct gcov_unit *unit, struct gcov_bytes *record, struct state *state)
{
	struct gcov_fn *fn = &unit->fn[unit->fns - 1];
	uint32_t n = (uint32_t)((record->end - record->at) / 4);

	(void)state;
	if (fn->blocks > 0)
		return gcov_wrong(
		    record, record->at, "expected blocks only once");
	return gcov_add_blocks(unit, fn, n);
}

/* The record's block: its first word, or one more than that of the last. */
static bool
take_number(struct gcov_unit *unit, struct gcov_bytes *record, bool counted,
    uint32_t *count, uint32_t *number)
{
	*number = (*count)++;
	if (!counted && !gcov_take_u32(record, number))
		return false;
	return *number < unit->fn[unit->fns - 1].blocks ||
	       gcov_wrong(
		   record, record->at, "expected a block of the function");
}

static bool
take_arcs(
    struct gcov_unit *unit, struct gcov_bytes *record, struct state *state)
{
	struct gcov_fn *fn = &unit->fn[unit->fns - 1];
	uint32_t src;

	return take_number(
		   unit, record, state->form->counted, &state->arcs, &src) &&
	       gcov_take_arcs(unit, record, fn, src, 7);
}

static bool
take_lines(
    struct gcov_unit *unit, struct gcov_bytes *record, struct state *state)
{
	struct gcov_fn *fn = &unit->fn[unit->fns - 1];
	struct gcov_block *block;
	struct cg_slice name;
	uint32_t number, line;
	bool named = true;

	if (!take_number(
		unit, record, state->form->counted, &state->lines, &number))
		return false;
	block = &unit->block[fn->block + number];
	while (record->at < record->end) {
		if (!gcov_take_u32(record, &line))
			return false;
		if (line == 0) {
			if (!take_name(record, &name))
				return false;
			if (name.len == 0)
				break;
			state->file = gcov_file(unit, name);
			named = true;
			continue;
		}
		if (fn->line == 0) {
			fn->file = state->file;
			fn->line = line;
		}
		if (!gcov_add_line(unit, block, named, state->file, line))
			return false;
		named = false;
	}
	return true;
}

static bool (*const takes[])(
    struct gcov_unit *, struct gcov_bytes *, struct state *) = {
	[FUNCTION] = take_function,
	[BLOCKS] = take_blocks,
	[ARCS] = take_arcs,
	[LINES] = take_lines,
};

bool
gcov_read_gbbg(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	struct state state = { .form = find_form(*bytes, "gbbg") };
	struct gcov_bytes record;
	uint32_t tag;

	if (!state.form)
		return gcov_wrong(
		    bytes, bytes->at, "expected records of a graph (gbbg)");
	begin(bytes, state.form, &unit->head);
	while (bytes->at < bytes->end) {
		if (!gcov_take_record(bytes, &tag, &record))
			return false;
		for (enum tag t = FUNCTION; t < COUNTERS; t++) {
			if (tag != state.form->tag[t])
				continue;
			if (t != FUNCTION && unit->fns == 0)
				return gcov_wrong(bytes, record.at,
				    "expected a function first");
			if (!takes[t](unit, &record, &state))
				return gcov_wrong(
				    bytes, record.wrong_at, record.wrong);
		}
	}
	return true;
}

/* ---- Data --------------------------------------------------------------- */

static bool
take_data(struct gcov_unit *unit, struct gcov_bytes *record, bool counters)
{
	struct gcov_data *data = &unit->data;
	struct gcov_data_fn *fn;
	struct cg_slice name;

	if (counters && data->fns > 0) {
		data->fn[data->fns - 1].counters[GCOV_ARCS] =
		    (struct gcov_counters){ .at = record->at,
			    .n = (uint64_t)(record->end - record->at) / 8,
			    .there = true };
		return true;
	}
	if (counters)
		return gcov_wrong(
		    record, record->at, "expected a function first");
	if (!gcov_grow(
		unit, &data->fn, &data->fn_cap, data->fns + 1, sizeof(*fn)))
		return false;
	fn = &data->fn[data->fns++];
	*fn = (struct gcov_data_fn){ 0 };
	if (!take_name(record, &name) || !gcov_take_u32(record, &fn->lineno))
		return false;
	fn->ident = gcov_ident(name);
	return true;
}

bool
gcov_read_gbbg_data(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	const struct form *form = find_form(*bytes, "gcov");
	struct gcov_bytes record;
	uint32_t tag;

	if (!form)
		return gcov_wrong(
		    bytes, bytes->at, "expected records of data (gcov)");
	begin(bytes, form, &unit->data.head);
	unit->data.order = form->order;
	while (bytes->at < bytes->end) {
		if (!gcov_take_record(bytes, &tag, &record))
			return false;
		if ((tag == form->tag[FUNCTION] ||
			tag == form->tag[COUNTERS]) &&
		    !take_data(unit, &record, tag == form->tag[COUNTERS]))
			return gcov_wrong(bytes, record.wrong_at, record.wrong);
	}
	return true;
}
