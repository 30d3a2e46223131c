/*
 * tables.c - tables of columns, {"frame":[0,1],"prefix":[null,0]}, or of rows,
 * {"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1]]}.
 */
#include <string.h>

#include "firefox.h"

#define TIME_DIGITS 6
#define TIME_UNIT 1000000
#define CELLS 16 /* cells of a row that are read */

const struct firefox_spec firefox_stacks = {
	{ "frame", "prefix", "prefixOffset" }, 0
};
const struct firefox_spec firefox_frames = {
	{ "func", "line", "address", "inlineDepth", "lib", "location",
	    "originalLocation" },
	0
};
const struct firefox_spec firefox_funcs = { { "name", "resource", "fileName",
						"source", "lineNumber",
						"columnNumber" },
	0 };
const struct firefox_spec firefox_resources = { { "lib", "name", "type" }, 0 };
const struct firefox_spec firefox_sources = { { "filename" }, 0 };
const struct firefox_spec firefox_places = { { "source", "line" }, 0 };
const struct firefox_spec firefox_samples = { { "stack", "time", "timeDeltas",
						  "weight" },
	1u << SAMPLE_TIME | 1u << SAMPLE_DELTA | 1u << SAMPLE_WEIGHT };

static void
drop_column(struct cg_job *job, struct firefox_column *column)
{
	cg_drop(job, &column->value);
	cg_drop(job, &column->wide);
}

void
firefox_drop_table(struct cg_job *job, struct firefox_table *table)
{
	for (size_t i = 0; i < FIREFOX_COLUMNS; i++)
		drop_column(job, &table->column[i]);
}

size_t
firefox_rows(const struct firefox_table *table, unsigned column)
{
	return firefox_count(&table->column[column]);
}

/* ---- Cells -------------------------------------------------------------- */

static bool
widen(struct cg_doc *doc, struct firefox_column *column)
{
	struct firefox_column old = *column;

	if (!cg_reserve(doc->job, &column->wide, old.value.n + 1))
		return false;
	for (size_t i = 0; i < old.value.n; i++)
		column->wide.at[column->wide.n++] = firefox_value(&old, i);
	cg_drop(doc->job, &column->value);
	return true;
}

static inline bool
append(struct cg_doc *doc, struct firefox_column *column, int64_t value)
{
	bool fits =
	    (value > INT32_MIN && value <= INT32_MAX) || value == FIREFOX_NONE;

	if (!column->wide.at && !fits && !widen(doc, column))
		return false;
	if (column->wide.at)
		return cg_append(doc->job, &column->wide, value);
	return cg_append(doc->job, &column->value,
	    value == FIREFOX_NONE ? INT32_MIN : (int32_t)value);
}

/*
 * Reads a cell of a table to *value, times 10^digits. Anything but a number
 * becomes FIREFOX_NONE (null), as the columns that are used have numbers.
 * False: an error (reported).
 */
static bool
take_cell(struct cg_doc *doc, unsigned digits, int64_t *value)
{
	*value = FIREFOX_NONE;
	if (cg_doc_next(doc) == CG_JSON_NUMBER)
		return cg_doc_number(doc, digits, value);
	return cg_doc_skip(doc);
}

static bool
take_column(struct cg_doc *doc, struct firefox_column *column, unsigned digits)
{
	int64_t value;

	if (cg_doc_next(doc) != CG_JSON_ARRAY)
		return cg_doc_skip(doc);
	column->value.n = column->wide.n = 0;
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc))
		if (!take_cell(doc, digits, &value) ||
		    !append(doc, column, value))
			return false;
	return doc->status == CG_OK;
}

/* ---- Rows --------------------------------------------------------------- */

struct rows {
	struct firefox_column cell[CELLS];
	size_t count;
	int64_t at[FIREFOX_COLUMNS]; /* cell of a column; -1: absent */
};

static size_t
find_name(const struct firefox_spec *spec, struct cg_slice name)
{
	size_t i = 0;

	while (spec->name[i] && !cg_equal(name, spec->name[i]))
		i++;
	return i;
}

static bool
take_schema(
    struct cg_doc *doc, const struct firefox_spec *spec, struct rows *rows)
{
	struct cg_slice key;
	int64_t at;

	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		size_t column = find_name(spec, key);

		if (!take_cell(doc, 0, &at))
			return false;
		if (spec->name[column] && at >= 0 && at < CELLS)
			rows->at[column] = at;
	}
	return doc->status == CG_OK;
}

/*
 * Appends a row of a table to the columns in rows. Missing cells become null,
 * and cells after the first CELLS are dropped. All cells are read as times, as
 * the schema may follow the rows; divide() corrects that. False: an error
 * (reported).
 */
static bool
take_row(struct cg_doc *doc, struct rows *rows)
{
	size_t cell = 0;
	int64_t value;

	(void)cg_doc_array(doc);
	for (; cg_doc_item(doc); cell++) {
		if (!take_cell(doc, TIME_DIGITS, &value))
			return false;
		if (cell < CELLS && !append(doc, &rows->cell[cell], value))
			return false;
	}
	for (; doc->status == CG_OK && cell < CELLS; cell++)
		if (!append(doc, &rows->cell[cell], FIREFOX_NONE))
			return false;
	rows->count++;
	return doc->status == CG_OK;
}

static bool
take_rows(struct cg_doc *doc, struct rows *rows)
{
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc))
		if (!take_row(doc, rows))
			return false;
	return doc->status == CG_OK;
}

/*
 * Undoes the scaling of a cell whose column has no times (see take_row()).
 * Does nothing if the cell is null.
 */
static void
divide(struct firefox_column *column, size_t row)
{
	if (firefox_value(column, row) == FIREFOX_NONE)
		return;
	if (column->wide.at)
		column->wide.at[row] /= TIME_UNIT;
	else
		column->value.at[row] /= TIME_UNIT;
}

/*
 * Moves columns that were read row by row to the table. rows->at[] has the
 * index of each column in the schema, or a negative number if the schema lacks
 * it. All numbers were read as times (scaled). The numbers of columns that are
 * no times are divided here.
 */
static void
set_columns(struct cg_job *job, struct firefox_table *table, struct rows *rows)
{
	for (size_t i = 0; table->spec->name[i]; i++) {
		struct firefox_column *column = &table->column[i];

		if (rows->at[i] < 0)
			continue;
		drop_column(job, column);
		*column = rows->cell[rows->at[i]];
		rows->cell[rows->at[i]] = (struct firefox_column){ 0 };
		if (table->spec->times & 1u << i)
			continue;
		for (size_t row = 0; row < firefox_count(column); row++)
			divide(column, row);
	}
}

/* ---- Tables ------------------------------------------------------------- */

static bool
take_weights(struct cg_doc *doc, struct firefox_table *table)
{
	struct cg_slice text;

	if (cg_doc_next(doc) != CG_JSON_STRING)
		return cg_doc_skip(doc);
	if (!cg_doc_text(doc, &text))
		return false;
	table->weighs = cg_equal(text, "tracing-ms") ? FIREFOX_TIME
			: cg_equal(text, "bytes")    ? FIREFOX_BYTES
						     : FIREFOX_SAMPLES;
	return true;
}

static bool
take_member(struct cg_doc *doc, struct firefox_table *table, struct rows *rows,
    struct cg_slice key)
{
	size_t i = find_name(table->spec, key);

	if (table->spec->name[i])
		return take_column(doc, &table->column[i],
		    table->spec->times & 1u << i ? TIME_DIGITS : 0);
	if (cg_equal(key, "schema"))
		return take_schema(doc, table->spec, rows);
	if (cg_equal(key, "data"))
		return take_rows(doc, rows);
	if (cg_equal(key, "weightType"))
		return take_weights(doc, table);
	return cg_doc_skip(doc);
}

bool
firefox_take_table(struct cg_doc *doc, void *into)
{
	struct firefox_table *table = into;
	struct rows rows = { .count = 0 };
	struct cg_slice key;
	bool ok = true;

	for (size_t i = 0; i < FIREFOX_COLUMNS; i++)
		rows.at[i] = -1;
	if (cg_doc_next(doc) != CG_JSON_OBJECT)
		return cg_doc_skip(doc);
	(void)cg_doc_object(doc);
	while (ok && cg_doc_key(doc, &key))
		ok = take_member(doc, table, &rows, key);
	if (ok && rows.count > 0)
		set_columns(doc->job, table, &rows);
	for (size_t i = 0; i < CELLS; i++) /* other cells are not read */
		drop_column(doc->job, &rows.cell[i]);
	return ok && doc->status == CG_OK;
}
