/*
 * caliper_json.c - JSON of the formatter json-split:
 *
 *	{ "data": [ [ 1.5, 0 ], [ null, 1 ] ],
 *	  "columns": [ "time", "path" ],
 *	  "column_metadata": [ { "attribute.unit": "sec" }, {} ],
 *	  "nodes": [ { "label": "main" }, { "label": "f", "parent": 0 } ] }
 */
#include "caliper.h"

/* A document that is read in two passes, as the rows come first. */
struct json {
	struct cg_json json;
	enum cg_json_type type;
	CG_ARRAY(struct cg_slice) name; /* of columns; unit of the same */
	CG_ARRAY(struct cg_slice) unit;
	CG_ARRAY(struct caliper_metric) metric;
	CG_ARRAY(struct cg_slice) cell; /* of a row */
	CG_ARRAY(char) text;
	size_t path;    /* the column with the path, or TABLE_NONE */
	uint32_t first; /* the path of node 0 */
	uint32_t nodes;
};

static bool
next(struct json *j, enum cg_json_type type)
{
	j->type = cg_json_next(&j->json);
	return j->type == type;
}

static bool
want(
    struct caliper *c, struct json *j, enum cg_json_type type, const char *what)
{
	return next(j, type) || cg_json_reject(c->job, &j->json, what);
}

/*
 * Returns the current JSON string without escapes, valid until read() ends;
 * "": out of memory (reported).
 */
static struct cg_slice
keep_text(struct caliper *c, struct json *j)
{
	if (!cg_reserve(c->job, &j->text, j->json.text.len + 1))
		return cg_slice("");
	return cg_get_name(c->build,
	    cg_add_name(c->build, cg_json_string(&j->json, j->text.at)));
}

static bool
take_columns(struct caliper *c, struct json *j)
{
	if (!want(c, j, CG_JSON_ARRAY, "names of columns"))
		return false;
	while (next(j, CG_JSON_STRING))
		if (!cg_append(c->job, &j->name, keep_text(c, j)))
			return false;
	return j->type == CG_JSON_ARRAY_END ||
	       cg_json_reject(c->job, &j->json, "a name of a column");
}

/*
 * Reads an object up to its end. Sets *text to the text of key `string`, and
 * *number to that of key `count` (NULL: none). Leaves what is missing. False:
 * an error (reported).
 */
static bool
take_object(struct caliper *c, struct json *j, const char *string,
    struct cg_slice *text, const char *count, uint64_t *number)
{
	bool is_text, is_count;

	while (next(j, CG_JSON_KEY)) {
		is_text = cg_equal(j->json.text, string);
		is_count = count && cg_equal(j->json.text, count);
		j->type = cg_json_next(&j->json);
		if (is_text && j->type == CG_JSON_STRING)
			*text = keep_text(c, j);
		else if (is_count && (j->type != CG_JSON_NUMBER ||
					 !cg_get_u64(j->json.text, number)))
			return cg_json_reject(
			    c->job, &j->json, "the number of a node");
		else if (!cg_json_skip(&j->json, j->type))
			return cg_json_reject(c->job, &j->json, "a value");
	}
	return j->type == CG_JSON_OBJECT_END ||
	       cg_json_reject(c->job, &j->json, "a key");
}

static bool
take_units(struct caliper *c, struct json *j)
{
	if (!want(c, j, CG_JSON_ARRAY, "data of columns"))
		return false;
	while (next(j, CG_JSON_OBJECT)) {
		struct cg_slice unit = { "", 0 };

		if (!take_object(c, j, CALIPER_UNIT, &unit, NULL, NULL) ||
		    !cg_append(c->job, &j->unit, unit))
			return false;
	}
	return j->type == CG_JSON_ARRAY_END ||
	       cg_json_reject(c->job, &j->json, "data of a column");
}

static bool
take_nodes(struct caliper *c, struct json *j)
{
	if (!want(c, j, CG_JSON_ARRAY, "nodes"))
		return false;
	if (j->nodes > 0)
		return cg_json_reject(c->job, &j->json, "one array of nodes");
	j->first = (uint32_t)c->path.n;
	while (next(j, CG_JSON_OBJECT)) {
		struct cg_slice label = { "", 0 };
		uint64_t parent = UINT64_MAX;
		uint32_t outer = 0;

		if (!take_object(c, j, "label", &label, "parent", &parent))
			return false;
		if (parent != UINT64_MAX) {
			if (parent >= j->nodes)
				return cg_json_reject(c->job, &j->json,
				    "a parent that precedes its node");
			outer = j->first + (uint32_t)parent;
		}
		if (caliper_add_path(c, outer, cg_add_name(c->build, label)) ==
		    0)
			return false;
		j->nodes++;
	}
	return j->type == CG_JSON_ARRAY_END ||
	       cg_json_reject(c->job, &j->json, "a node");
}

/*
 * Reads a row up to its end: an array with a value or null for each column.
 * Column j->path has the row's path. Adds the row's numbers to the sums of
 * that path. False: an error (reported).
 */
static bool
take_cells(struct caliper *c, struct json *j)
{
	uint64_t node;
	uint32_t path = 0;
	size_t n = 0;

	j->cell.n = 0;
	while ((j->type = cg_json_next(&j->json)) != CG_JSON_ARRAY_END) {
		struct cg_slice cell = { "", 0 };

		if (j->type == CG_JSON_NUMBER)
			cell = j->json.text;
		else if (!cg_json_skip(&j->json, j->type))
			return cg_json_reject(c->job, &j->json, "a value");
		if (n == j->path && cell.len > 0) {
			if (!cg_get_u64(cell, &node) || node >= j->nodes)
				return cg_json_reject(
				    c->job, &j->json, "the number of a node");
			path = j->first + (uint32_t)node;
		}
		if (!cg_append(c->job, &j->cell, cell))
			return false;
		n++;
	}
	for (size_t i = 0; i < n && i < j->metric.n; i++)
		if (j->cell.at[i].len > 0 &&
		    !caliper_add_value(
			c, path, &j->metric.at[i], j->cell.at[i]))
			return false;
	return n <= j->name.n ||
	       cg_json_reject(c->job, &j->json, "a row of columns");
}

static bool
take_rows(struct caliper *c, struct json *j)
{
	if (!want(c, j, CG_JSON_ARRAY, "rows"))
		return false;
	while (next(j, CG_JSON_ARRAY))
		if (!take_cells(c, j))
			return false;
	return j->type == CG_JSON_ARRAY_END ||
	       cg_json_reject(c->job, &j->json, "a row");
}

/*
 * Reads the outermost object, which is all of the text. If "data" is true,
 * reads only the rows. Otherwise reads columns, their units and the nodes.
 * Rows refer to all of these, but may come before them. So the caller reads
 * the text twice. Skips other keys. False: an error (reported).
 */
static bool
take_keys(struct caliper *c, struct json *j, struct cg_slice text, bool data)
{
	bool ok = true;

	cg_json_start(&j->json, text);
	if (!want(c, j, CG_JSON_OBJECT, "an object"))
		return false;
	while (ok && next(j, CG_JSON_KEY)) {
		const struct cg_slice key = j->json.text;

		if (data && cg_equal(key, "data"))
			ok = take_rows(c, j);
		else if (!data && cg_equal(key, "columns"))
			ok = take_columns(c, j);
		else if (!data && cg_equal(key, "column_metadata"))
			ok = take_units(c, j);
		else if (!data && cg_equal(key, "nodes"))
			ok = take_nodes(c, j);
		else if (!cg_json_skip(&j->json, cg_json_next(&j->json)))
			return cg_json_reject(c->job, &j->json, "a value");
	}
	return ok && (j->type == CG_JSON_OBJECT_END ||
			 cg_json_reject(c->job, &j->json, "a key"));
}

bool
caliper_read_json(struct caliper *c)
{
	struct json *j = cg_alloc(c->job, sizeof(*j));
	struct cg_slice text;

	if (!j || !cg_read_all(c->in, &text) || !take_keys(c, j, text, false))
		return false;
	j->path = TABLE_NONE;
	c->whole = true;
	for (size_t i = 0; i < j->name.n; i++) {
		struct caliper_metric metric = { .event = 0 };

		if (cg_equal(j->name.at[i], "path"))
			j->path = i;
		else
			metric = caliper_get_metric(c, j->name.at[i],
			    i < j->unit.n ? j->unit.at[i] : cg_slice(""),
			    false);
		c->columns += metric.event == 0 && i != j->path;
		if (!cg_append(c->job, &j->metric, metric))
			return false;
	}
	if (j->path == TABLE_NONE)
		return cg_reject(c->job, "expected a column 'path'");
	return take_keys(c, j, text, true);
}
