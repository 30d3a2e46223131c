/*
 * istanbul_read.c - reads Istanbul's JSON. Maps and counts of a file may come
 * in any order, so they are collected by id until the end of the file.
 */
#include <stdlib.h>

#include "coverage_json.h"

/* A statement, a function or a branch. */
struct item {
	uint64_t id;
	uint32_t line, column;      /* its begin, column from 0 */
	uint32_t last, end;         /* its end */
	bool endless;               /* it ends where its last line does */
	uint32_t decl, decl_column; /* of a function's name */
	cg_name name;               /* of a function; a branch's type */
	uint64_t count;
	size_t outcome, outcomes; /* index, number of branch counts */
	bool counted;
};

struct items {
	CG_ARRAY(struct item) item;
	struct cg_map ids; /* id -> position + 1, maybe of an earlier file */
};

struct istanbul {
	struct coverage_json_section section;
	struct items statements, fns, branches;
	CG_ARRAY(uint64_t) outcome;
	cg_name path;
};

/*
 * Returns the statement, function or branch whose id is in key; appends it to
 * items if it is new. It is valid until the next call. NULL: an error
 * (reported).
 */
static struct item *
get_item(struct cg_doc *doc, struct items *items, struct cg_slice key)
{
	uint32_t *at;
	uint64_t id;

	if (!cg_get_u64(key, &id) || id >= UINT32_MAX) {
		(void)cg_doc_fail(doc, "a number as key");
		return NULL;
	}
	at = cg_map_in(doc->job, &items->ids, id);
	if (!at)
		return NULL;
	if (*at > 0 && *at <= items->item.n && items->item.at[*at - 1].id == id)
		return &items->item.at[*at - 1];
	if (!cg_append(doc->job, &items->item, (struct item){ .id = id }))
		return NULL;
	*at = (uint32_t)items->item.n;
	return &items->item.at[items->item.n - 1];
}

/* ---- Places ------------------------------------------------------------- */

struct place {
	uint64_t line;
	int64_t column;
};

/*
 * Reads a position {"line":1,"column":0} to *line and *column. A null or
 * missing member becomes 0. Sets *known to whether the column is a number.
 * Istanbul's Infinity, the end of the line, is null in JSON. False: an error
 * (reported).
 */
static bool
take_place(struct cg_doc *doc, uint32_t *line, uint32_t *column, bool *known)
{
	static const struct cg_field fields[] = {
		{ "line", CG_FIELD_COUNT, offsetof(struct place, line), NULL,
		    0 },
		{ "column", CG_FIELD_INT, offsetof(struct place, column), NULL,
		    0 },
		{ 0 },
	};
	struct place place = { .column = -1 };

	if (!cg_doc_fields(doc, fields, &place))
		return false;
	if (place.line > UINT32_MAX)
		return cg_doc_fail(doc, "a line number");
	*line = (uint32_t)place.line;
	*known = place.column >= 0 && place.column < UINT32_MAX;
	*column = *known ? (uint32_t)place.column : 0;
	return true;
}

static bool
take_start(struct cg_doc *doc, void *into)
{
	struct item *item = into;
	bool known = false;

	return take_place(doc, &item->line, &item->column, &known);
}

static bool
take_end(struct cg_doc *doc, void *into)
{
	struct item *item = into;
	bool known = false;

	if (!take_place(doc, &item->last, &item->end, &known))
		return false;
	item->endless = !known;
	return true;
}

static bool
take_decl_start(struct cg_doc *doc, void *into)
{
	struct item *item = into;
	bool known = false;

	return take_place(doc, &item->decl, &item->decl_column, &known);
}

static const struct cg_field range_fields[] = {
	{ "start", CG_FIELD_CALL, 0, take_start, 0 },
	{ "end", CG_FIELD_CALL, 0, take_end, 0 },
	{ 0 },
};

static bool
take_loc(struct cg_doc *doc, void *into)
{
	return cg_doc_fields(doc, range_fields, into);
}

static bool
take_decl(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "start", CG_FIELD_CALL, 0, take_decl_start, 0 },
		{ 0 },
	};

	return cg_doc_fields(doc, fields, into);
}

/*
 * Reads the line of a branch, which old versions state instead of "loc", to
 * item->line, unless "loc" has set it. False: an error (reported).
 */
static bool
take_line(struct cg_doc *doc, void *into)
{
	struct item *item = into;
	int64_t line;

	if (!cg_doc_number(doc, 0, &line))
		return false;
	if (line < 0 || line > UINT32_MAX)
		return cg_doc_fail(doc, "a line number");
	if (item->line == 0)
		item->line = (uint32_t)line;
	return true;
}

/* ---- Maps --------------------------------------------------------------- */

static bool
take_items(
    struct cg_doc *doc, struct items *items, const struct cg_field *fields)
{
	struct cg_slice key;
	struct item *item;

	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		item = get_item(doc, items, key);
		if (!item || !cg_doc_fields(doc, fields, item))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_statements(struct cg_doc *doc, void *into)
{
	struct istanbul *istanbul = into;

	return take_items(doc, &istanbul->statements, range_fields);
}

static bool
take_fns(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "name", CG_FIELD_NAME, offsetof(struct item, name), NULL, 0 },
		{ "decl", CG_FIELD_CALL, 0, take_decl, 0 },
		{ "loc", CG_FIELD_CALL, 0, take_loc, 0 },
		{ 0 },
	};
	struct istanbul *istanbul = into;

	return take_items(doc, &istanbul->fns, fields);
}

static bool
take_branches(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "type", CG_FIELD_NAME, offsetof(struct item, name), NULL, 0 },
		{ "loc", CG_FIELD_CALL, 0, take_loc, 0 },
		{ "line", CG_FIELD_CALL, 0, take_line, 0 },
		{ 0 },
	};
	struct istanbul *istanbul = into;

	return take_items(doc, &istanbul->branches, fields);
}

/* ---- Counts ------------------------------------------------------------- */

static bool
take_count(struct cg_doc *doc, uint64_t *count)
{
	int64_t number;

	if (!cg_doc_number(doc, 0, &number))
		return false;
	if (number < 0)
		return cg_doc_fail(doc, "a non-negative number");
	*count = (uint64_t)number;
	return true;
}

static bool
take_counts(struct cg_doc *doc, struct items *items)
{
	struct cg_slice key;
	struct item *item;

	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		item = get_item(doc, items, key);
		if (!item || !take_count(doc, &item->count))
			return false;
		item->counted = true;
	}
	return doc->status == CG_OK;
}

static bool
take_s(struct cg_doc *doc, void *into)
{
	struct istanbul *istanbul = into;

	return take_counts(doc, &istanbul->statements);
}

static bool
take_f(struct cg_doc *doc, void *into)
{
	struct istanbul *istanbul = into;

	return take_counts(doc, &istanbul->fns);
}

static bool
take_b(struct cg_doc *doc, void *into)
{
	struct istanbul *istanbul = into;
	struct cg_slice key;
	struct item *item;
	uint64_t *count;

	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		item = get_item(doc, &istanbul->branches, key);
		if (!item || !cg_doc_array(doc))
			return false;
		item->outcome = istanbul->outcome.n;
		while (cg_doc_item(doc)) {
			count = cg_push(doc->job, &istanbul->outcome);
			if (!count || !take_count(doc, count))
				return false;
		}
		item->outcomes = istanbul->outcome.n - item->outcome;
	}
	return doc->status == CG_OK;
}

/* ---- Files -------------------------------------------------------------- */

static int
compare_lines(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->count < b->count) - (a->count > b->count);
}

/*
 * Adds the file's lines, each with the highest count of the statements that
 * begin on it. Sorts the statements by line. Skips lines without a stated
 * count, and the unknown line 0. False: an error (reported).
 */
static bool
add_lines(struct cg_doc *doc, struct istanbul *istanbul)
{
	struct items *statements = &istanbul->statements;
	uint32_t last = 0;

	if (statements->item.n > 1)
		qsort(statements->item.at, statements->item.n,
		    sizeof(*statements->item.at), compare_lines);
	for (size_t i = 0; i < statements->item.n; i++) {
		const struct item *item = &statements->item.at[i];

		if (item->line == last)
			continue;
		if (item->counted &&
		    !coverage_json_add_line(doc, &istanbul->section,
			&(struct coverage_json_line){ .line = item->line,
			    .count = (int64_t)item->count }))
			return false;
		last = item->counted ? item->line : last;
	}
	return true;
}

/*
 * Appends the file's statements to its regions, if the target can represent
 * them. Skips statements without count, begin or end. Skips empty ones, too:
 * istanbul_write.c writes them where columns are unknown. False: out of memory
 * (reported).
 */
static bool
add_regions(struct cg_doc *doc, struct istanbul *istanbul)
{
	const struct items *statements = &istanbul->statements;

	if (!cg_wants_rows(doc->build, CG_REGIONS))
		return true;
	for (size_t i = 0; i < statements->item.n; i++) {
		const struct item *item = &statements->item.at[i];

		if (!item->counted || item->line == 0 || item->last == 0 ||
		    (!item->endless && item->last == item->line &&
			item->end == item->column))
			continue;
		if (!cg_append(doc->job, &istanbul->section.region,
			(struct cg_region){ .line = item->line,
			    .column = item->column + 1,
			    .last = item->last,
			    .last_column = item->endless ? 0 : item->end + 1,
			    .flags = CG_REGION_UTF16,
			    .count = (int64_t)item->count }))
			return false;
	}
	return true;
}

/*
 * Adds the functions of the file, except those without line or name. If the
 * end of a function is not behind its begin, the function's last line is
 * unknown (0). istanbul_write.c writes an unknown end as the begin. False: an
 * error (reported).
 */
static bool
add_fns(struct cg_doc *doc, struct istanbul *istanbul)
{
	for (size_t i = 0; i < istanbul->fns.item.n; i++) {
		const struct item *item = &istanbul->fns.item.at[i];
		uint32_t first = item->decl ? item->decl : item->line;
		bool empty =
		    item->last == item->line && item->end == item->column;

		if (first == 0 || item->name == 0)
			continue;
		if (!coverage_json_add_fn(doc, &istanbul->section,
			&(struct coverage_json_fn){ .name = item->name,
			    .first = first,
			    .last =
				empty || item->last < first ? 0 : item->last,
			    .column = 1 + (item->decl ? item->decl_column
						      : item->column),
			    .count = item->count,
			    .counted = item->counted }))
			return false;
	}
	return true;
}

static bool
add_branch(
    struct cg_doc *doc, struct istanbul *istanbul, const struct item *item)
{
	struct coverage_json_branch branch = { .row = {
						   .pos.line = item->line,
						   .kind = CG_BRANCH_ARC,
						   .block = (uint32_t)item->id,
					       } };

	for (size_t i = 0; i < item->outcomes; i++) {
		if (istanbul->outcome.at[item->outcome + i] > 0)
			branch.row.flags = CG_BRANCH_REACHED;
	}
	for (size_t i = 0; i < item->outcomes && i < UINT32_MAX; i++) {
		branch.row.index = (uint32_t)i;
		branch.row.count =
		    (int64_t)istanbul->outcome.at[item->outcome + i];
		if (!coverage_json_add_branch(doc, &istanbul->section, &branch))
			return false;
	}
	return true;
}

#define FILE_FIELDS                                                           \
	{ "statementMap", CG_FIELD_CALL, 0, take_statements, 0 },             \
	    { "fnMap", CG_FIELD_CALL, 0, take_fns, 0 },                       \
	    { "branchMap", CG_FIELD_CALL, 0, take_branches, 0 },              \
	    { "s", CG_FIELD_CALL, 0, take_s, 0 },                             \
	    { "f", CG_FIELD_CALL, 0, take_f, 0 },                             \
	    { "b", CG_FIELD_CALL, 0, take_b, 0 },                             \
	{                                                                     \
		"path", CG_FIELD_NAME, offsetof(struct istanbul, path), NULL, \
		    0                                                         \
	}

/*
 * Reads the members of a file from an object "data" inside it, as if they were
 * members of the file. istanbul-lib-coverage accepts both forms. False: an
 * error (reported).
 */
static bool
take_wrapped(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = { FILE_FIELDS, { 0 } };

	return cg_doc_fields(doc, fields, into);
}

static bool
take_file(struct cg_doc *doc, struct istanbul *istanbul, struct cg_slice key)
{
	static const struct cg_field fields[] = { FILE_FIELDS,
		{ "data", CG_FIELD_CALL, 0, take_wrapped, 0 }, { 0 } };
	struct items *branches = &istanbul->branches;
	cg_name name = cg_add_name(doc->build, key);

	istanbul->path = 0;
	if (!cg_doc_fields(doc, fields, istanbul))
		return false;
	if (istanbul->path == 0)
		istanbul->path = name;
	if (!add_lines(doc, istanbul) || !add_regions(doc, istanbul) ||
	    !add_fns(doc, istanbul))
		return false;
	for (size_t i = 0; i < branches->item.n; i++) {
		if (branches->item.at[i].line > 0 &&
		    !add_branch(doc, istanbul, &branches->item.at[i]))
			return false;
	}
	istanbul->statements.item.n = istanbul->fns.item.n = branches->item.n =
	    0;
	istanbul->outcome.n = 0;
	return coverage_json_end_section(
	    doc, &istanbul->section, cg_get_name(doc->build, istanbul->path));
}

int
coverage_json_read_istanbul(
    struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct istanbul istanbul = { 0 };
	struct cg_slice key;
	struct cg_doc doc;

	cg_doc_open(&doc, job, in, build, &istanbul);
	if (coverage_json_add_event(build) && cg_doc_object(&doc)) {
		while (cg_doc_key(&doc, &key)) {
			if (!take_file(&doc, &istanbul, key))
				break;
		}
	}
	return cg_doc_close(&doc);
}
