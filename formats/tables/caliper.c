/*
 * caliper.c - caliper: profiles and traces of Caliper, as .cali, as JSON of the
 * formatter json-split, and as the tree that its runtime-report prints.
 *
 * A .cali file has a record on each line, fields with values after '=', where
 * '\' precedes special characters:
 *
 *	__rec=node,id=34,attr=10,data=276,parent=3
 *	__rec=node,id=35,attr=8,data=region,parent=34
 *	__rec=node,id=36,attr=35,data=main
 *	__rec=ctx,ref=36,attr=30=33,data=1.01e-05=1
 *
 * Nodes form trees; an attribute is a node, too, of attribute 8, whose
 * ancestors have its properties (attribute 10). A ctx record has nodes, and
 * values of attributes. Nodes of attributes with property 256 (nested) are the
 * regions: their path is a stack, with the outermost region first.
 *
 * Exclusive are sums of what was measured between two events: time.duration,
 * time.duration.ns, counters; they may be summed again: sum#sum#X. Inclusive
 * are time.inclusive.duration, and inclusive#X, what inclusive_sum() computes:
 * if X has no exclusive values, they are the differences of a region and the
 * regions that it contains. Minima, maxima, averages (min#X, avg#X) and
 * percentages are dropped. Ranks, threads and times of events of a trace are
 * lost: values are summed by path.
 *
 * time.duration.ns has its unit in its name. time.duration is in seconds in
 * what Caliper computes from it since 2.10, and in its time.unit before.
 *
 * Source: Caliper 2.15's OutputFormats.rst, caliper-reader (Python),
 * JsonSplitFormatter.cpp, RuntimeReportController.cpp, services/timer.
 */
#include <string.h>

#include "tables.h"

#define RECORD "__rec="
#define NAME_ATTRIBUTE 8 /* ids of nodes that exist without a record */
#define PROP_ATTRIBUTE 10
#define PROP_NESTED 256
#define PROP_AGGREGATABLE 2048
#define UNIT "attribute.unit"
#define OLD_UNIT "time.unit"
#define TIME "time.duration"
#define NS_OF_SECOND 9 /* digits */
#define NS_OF_US 3
#define HEADER "Path "
#define OUTSIDE "[unknown]" /* of what ran outside of all regions */

/* A node of a .cali file. */
struct node {
	uint64_t id, attribute; /* ids */
	uint32_t parent;        /* index; 0: none */
	uint32_t path;          /* index of the innermost region; 0: none */
	cg_name data;
	uint64_t properties; /* that attributes have whose node is below */
};

/* A region in the regions that contain it. Index 0: outside of all. */
struct path {
	uint32_t parent;
	cg_name name;
	cg_node node;
};

/* What the values of an attribute or a column are. */
struct metric {
	uint32_t event;  /* index; 0: they are dropped */
	unsigned digits; /* factor, to the power of 10 */
	bool inclusive;
};

struct event {
	cg_name name; /* of the attribute, without what was computed from it */
	bool time, has_self;
};

/* Sums by path and event. */
struct sum {
	uint32_t path, event;
	uint64_t self, all;
};

struct reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	CG_ARRAY(struct node) node; /* index 0 is unused in all but path */
	struct cg_map node_ids;
	CG_ARRAY(struct path) path;
	CG_ARRAY(struct metric) metric;
	struct cg_map metric_ids; /* id of an attribute -> index */
	CG_ARRAY(struct event) event;
	CG_ARRAY(struct sum) sum;
	struct cg_map sum_ids;
	CG_ARRAY(struct cg_slice) value[4]; /* of a record: see keys */
	CG_ARRAY(char) text;
	bool unstated; /* the unit of times */
	bool whole;    /* values point into the input */
	uint64_t columns, cut, negative, smaller;
};

/* ---- Events -------------------------------------------------------------- */

/*
 * Returns the index of the event with a name, added if it is new. 0: too many
 * events, so that its values are dropped, or out of memory (reported).
 */
static uint32_t
find_event(struct reader *r, struct cg_slice name, bool time)
{
	const cg_name id = cg_add_name(r->build, name);

	for (size_t i = 1; i < r->event.n; i++)
		if (r->event.at[i].name == id)
			return (uint32_t)i;
	if (r->event.n == CG_EVENT_MAX ||
	    !cg_append(
		r->job, &r->event, (struct event){ .name = id, .time = time }))
		return 0;
	return (uint32_t)r->event.n - 1;
}

static bool
contains(struct cg_slice text, const char *what)
{
	return text.len > 0 && cg_find(text, what) != NULL;
}

/*
 * Returns what the values of an attribute or column with this name are. Its
 * event is 0 if they are dropped. unit is their unit, such as "sec", or "" if
 * unknown. measured: they are sums even if the name does not begin with
 * "sum#".
 */
static struct metric
get_metric(
    struct reader *r, struct cg_slice name, struct cg_slice unit, bool measured)
{
	struct metric metric = { .event = 0 };
	bool time = false;

	for (;;) {
		if (cg_take_prefix(&name, "inclusive#"))
			metric.inclusive = true;
		else if (!cg_take_prefix(&name, "sum#"))
			break;
		measured = true;
	}
	if (contains(name, "#"))
		return metric;
	/* The name in JSON of runtime-profile. */
	if (cg_equal(name, "time") || cg_equal(name, "Time (E)") ||
	    cg_equal(name, "time (inc)")) {
		metric.inclusive |= cg_equal(name, "time (inc)");
		metric.digits = NS_OF_SECOND;
		time = measured = true;
	} else if (cg_starts(name, TIME) ||
		   cg_starts(name, "time.inclusive.duration")) {
		metric.inclusive |= !cg_starts(name, TIME);
		if (contains(name, ".ns") || cg_equal(unit, "nsec"))
			metric.digits = 0;
		else if (cg_equal(unit, "usec"))
			metric.digits = NS_OF_US;
		else
			metric.digits = NS_OF_SECOND;
		r->unstated |= !contains(name, ".ns") && unit.len == 0;
		time = measured = true;
	}
	if (measured)
		metric.event =
		    find_event(r, time ? cg_slice(CG_TIME_EVENT) : name, time);
	return metric;
}

/* ---- Sums ---------------------------------------------------------------- */

/*
 * Returns the sums of an event for a path of regions, added as 0 if new. The
 * pointer is valid until the next call. NULL: out of memory (reported).
 */
static struct sum *
find_sum(struct reader *r, uint32_t path, uint32_t event)
{
	uint32_t *at =
	    cg_map_in(r->job, &r->sum_ids, (uint64_t)path << 32 | event);

	if (!at)
		return NULL;
	if (*at == 0) {
		if (!cg_append(r->job, &r->sum,
			(struct sum){ .path = path, .event = event }))
			return NULL;
		*at = (uint32_t)r->sum.n - 1;
	}
	return &r->sum.at[*at];
}

/*
 * Returns true if the number in the text has digits other than 0 after its
 * point.
 */
static bool
has_fraction(struct cg_slice text)
{
	const char *at = memchr(text.ptr, '.', text.len);

	while (at && ++at < text.ptr + text.len)
		if (*at > '0' && *at <= '9')
			return true;
	return false;
}

/*
 * Adds the value in text, a measurement of metric, to the path's inclusive or
 * self sum. Drops values of metrics without an event; counts negative values,
 * and drops them. False: no number, or an error (reported).
 */
static bool
add_value(struct reader *r, uint32_t path, const struct metric *metric,
    struct cg_slice text)
{
	struct cg_slice name;
	struct sum *sum;
	uint64_t value;

	if (metric->event == 0)
		return true;
	text = cg_trim(text);
	if (text.len > 0 && *text.ptr == '-') {
		r->negative++;
		return true;
	}
	if (!table_get_number(text, metric->digits, &value)) {
		name = cg_get_name(r->build, r->event.at[metric->event].name);
		return r->whole ? cg_reject_at(r->job, text.ptr,
				      "expected a number for %s", name.ptr)
				: cg_reject(r->job, "expected a number for %s",
				      name.ptr);
	}
	r->cut += metric->digits == 0 && has_fraction(text);
	sum = find_sum(r, path, metric->event);
	if (!sum)
		return false;
	r->event.at[metric->event].has_self |= !metric->inclusive;
	if (metric->inclusive)
		return !__builtin_add_overflow(sum->all, value, &sum->all) ||
		       cg_reject(r->job, "a sum exceeds 64 bits");
	return !__builtin_add_overflow(sum->self, value, &sum->self) ||
	       cg_reject(r->job, "a sum exceeds 64 bits");
}

/*
 * Appends a path: region name in the path parent. Returns its index; 0: out of
 * memory (reported).
 */
static uint32_t
add_path(struct reader *r, uint32_t parent, cg_name name)
{
	if (r->path.n > UINT32_MAX ||
	    !cg_append(r->job, &r->path,
		(struct path){ .parent = parent, .name = name }))
		return 0;
	return (uint32_t)r->path.n - 1;
}

/*
 * Computes the self values of events that have only inclusive values:
 * subtracts the value of each path from the self value of the nearest path
 * around it that has values. A self value that would be negative becomes 0,
 * and is counted. False: out of memory (reported).
 */
static bool
subtract_inner(struct reader *r)
{
	const size_t n = r->sum.n;
	CG_ARRAY(uint32_t) near = { 0 }; /* sums in or around a path */

	for (size_t i = 1; i < n; i++)
		if (!r->event.at[r->sum.at[i].event].has_self)
			r->sum.at[i].self = r->sum.at[i].all;
	if (!cg_resize(r->job, &near, r->path.n))
		return false;
	for (uint32_t e = 1; e < r->event.n; e++) {
		if (r->event.at[e].has_self)
			continue;
		near.at[0] = 0;
		/* A region without values of its own is passed over. */
		for (size_t p = 1; p < r->path.n; p++) {
			const uint32_t at =
			    cg_map_get(&r->sum_ids, (uint64_t)p << 32 | e);
			const uint32_t around = near.at[r->path.at[p].parent];
			struct sum *outer = &r->sum.at[around];
			uint64_t all;

			near.at[p] = at == 0 ? around : at;
			if (at == 0 || around == 0)
				continue;
			all = r->sum.at[at].all;
			r->smaller += outer->self < all;
			outer->self -= outer->self < all ? outer->self : all;
		}
	}
	return true;
}

static bool
add_events(struct reader *r)
{
	struct cg_event event = { .unit = "" };

	for (size_t i = 1; i < r->event.n; i++) {
		event = (struct cg_event){ .unit = "",
			.name =
			    cg_get_name(r->build, r->event.at[i].name).ptr };
		if (r->event.at[i].time) {
			event.long_name = "Time";
			event.unit = "ns";
		}
		if (!cg_add_column(r->build, &event))
			return false;
	}
	return true;
}

static int
by_path(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	return (x->path > y->path) - (x->path < y->path);
}

/*
 * Adds the events, and the paths as stacks with their self values, to the
 * graph, and reports what was dropped. False: an error (reported).
 */
static bool
add_stacks(struct reader *r)
{
	const struct cg_pos nowhere = { 0 };
	CG_ARRAY(uint64_t) cost = { 0 };
	size_t i = 1;

	if (r->event.n < 2)
		return cg_reject(r->job,
		    "expected sums of exclusive or inclusive values, such as "
		    "sum#" TIME);
	if (!subtract_inner(r) || !add_events(r) ||
	    !cg_resize(r->job, &cost, r->event.n))
		return false;
	for (size_t p = 1; p < r->path.n; p++) {
		struct path *path = &r->path.at[p];

		path->node =
		    cg_add_frame(r->build, r->path.at[path->parent].node,
			cg_add_fn(
			    r->build, cg_get_name(r->build, path->name), 0, 0),
			&nowhere, false);
	}
	cg_sort(r->sum.at + 1, r->sum.n - 1, sizeof(*r->sum.at), by_path);
	/* Some targets need a frame for values outside of all regions. */
	if (r->sum.n > 1 && r->sum.at[1].path == 0)
		r->path.at[0].node = cg_add_frame(r->build, 0,
		    cg_add_fn(r->build, cg_slice(OUTSIDE), 0, 0), &nowhere,
		    false);
	while (i < r->sum.n) {
		const uint32_t path = r->sum.at[i].path;

		memset(cost.at, 0, cost.n * sizeof(*cost.at));
		for (; i < r->sum.n && r->sum.at[i].path == path; i++)
			cost.at[r->sum.at[i].event - 1] += r->sum.at[i].self;
		table_add_stack(r->build, r->path.at[path].node, 0, cost.at);
	}
	if (r->columns > 0)
		cg_note(r->job,
		    "%llu columns of minima, averages, percentages, ranks or "
		    "texts are dropped",
		    (unsigned long long)r->columns);
	if (r->unstated)
		cg_warn(r->job,
		    "the unit of " TIME " is not stated: times are taken as "
		    "seconds");
	if (r->negative > 0)
		cg_warn(r->job, "%llu negative values are dropped",
		    (unsigned long long)r->negative);
	if (r->cut > 0)
		cg_warn(r->job, "%llu values are cut to whole numbers",
		    (unsigned long long)r->cut);
	if (r->smaller > 0)
		cg_warn(r->job,
		    "%llu regions have a smaller inclusive value than the "
		    "regions in them: their exclusive value is 0",
		    (unsigned long long)r->smaller);
	return true;
}

/* ---- Files .cali --------------------------------------------------------- */

/* Fields of a record; the names of those that have one value, or a list. */
enum { KEY_ID, KEY_ATTR, KEY_DATA, KEY_REF, KEYS };

/*
 * Takes a key or value off *rest, up to ',' or '=' or the end, and the
 * character after it, which *end is set to (0 at the end). Returns a copy
 * without backslashes; it is written at *to, which advances behind it.
 */
static struct cg_slice
take_value(struct cg_slice *rest, char **to, char *end)
{
	struct cg_slice value = { *to, 0 };

	*end = 0;
	while (rest->len > 0) {
		char c = *rest->ptr++;

		rest->len--;
		if (c == ',' || c == '=') {
			*end = c;
			break;
		}
		if (c == '\\' && rest->len > 0) {
			c = *rest->ptr++ == 'n' ? '\n' : rest->ptr[-1];
			rest->len--;
		}
		*(*to)++ = c;
	}
	value.len = (size_t)(*to - value.ptr);
	return value;
}

/*
 * Splits a line, a record of fields KEY=VALUE=VALUE..., into r->value, lists
 * by key; sets *kind to the field __rec, and *parent to the field parent, ""
 * if absent. The texts are valid until the next call. False: out of memory
 * (reported).
 */
static bool
split_record(struct reader *r, struct cg_slice line, struct cg_slice *kind,
    struct cg_slice *parent)
{
	static const char *const keys[KEYS] = { "id", "attr", "data", "ref" };
	struct cg_slice key, value;
	char *to, end;
	int at;

	for (int i = 0; i < KEYS; i++)
		r->value[i].n = 0;
	*kind = *parent = (struct cg_slice){ "", 0 };
	if (!cg_reserve(r->job, &r->text, line.len + 1))
		return false;
	to = r->text.at;
	while (line.len > 0) {
		key = take_value(&line, &to, &end);
		for (at = 0; at < KEYS && !cg_equal(key, keys[at]);)
			at++;
		while (end == '=') {
			value = take_value(&line, &to, &end);
			if (at < KEYS &&
			    !cg_append(r->job, &r->value[at], value))
				return false;
			if (cg_equal(key, "__rec"))
				*kind = value;
			else if (cg_equal(key, "parent"))
				*parent = value;
		}
	}
	return true;
}

/* Returns the node of a .cali file with this id; NULL: none. */
static const struct node *
get_node(const struct reader *r, uint64_t id)
{
	const uint32_t i = cg_map_get(&r->node_ids, id);

	return i > 0 ? &r->node.at[i] : NULL;
}

static uint64_t
get_properties(const struct reader *r, uint64_t attribute)
{
	const struct node *node = get_node(r, attribute);

	return node ? node->properties : 0;
}

/*
 * Returns the unit of an attribute, which its node or an ancestor of the node
 * states; "": none does.
 */
static struct cg_slice
get_unit(const struct reader *r, const struct node *node)
{
	struct cg_slice name;

	for (; node;
	     node = node->parent > 0 ? &r->node.at[node->parent] : NULL) {
		const struct node *attribute = get_node(r, node->attribute);

		if (!attribute)
			continue;
		name = cg_get_name(r->build, attribute->data);
		if (cg_equal(name, UNIT) || cg_equal(name, OLD_UNIT))
			return cg_get_name(r->build, node->data);
	}
	return cg_slice("");
}

static bool
take_node(struct reader *r, struct cg_slice parent)
{
	struct node node = { .id = 0 };
	uint64_t outer;
	uint32_t *at;

	if (r->value[KEY_ID].n != 1 || r->value[KEY_ATTR].n != 1 ||
	    !cg_get_u64(r->value[KEY_ID].at[0], &node.id) ||
	    !cg_get_u64(r->value[KEY_ATTR].at[0], &node.attribute))
		return cg_reject(r->job, "expected a node's id and attribute");
	if (parent.len > 0) {
		if (!cg_get_u64(parent, &outer))
			return cg_reject(r->job, "expected the id of a parent");
		/* Types are nodes, too, which new files lack. */
		node.parent = cg_map_get(&r->node_ids, outer);
		if (node.parent == 0 && outer > PROP_ATTRIBUTE)
			return cg_reject(
			    r->job, "expected a parent that precedes its node");
	}
	node.data = cg_add_name(r->build,
	    r->value[KEY_DATA].n > 0 ? r->value[KEY_DATA].at[0] : cg_slice(""));
	node.path = node.parent > 0 ? r->node.at[node.parent].path : 0;
	if (node.attribute != PROP_ATTRIBUTE)
		node.properties = r->node.at[node.parent].properties;
	else
		(void)cg_get_u64(
		    cg_get_name(r->build, node.data), &node.properties);
	if (get_properties(r, node.attribute) & PROP_NESTED) {
		node.path = add_path(r, node.path, node.data);
		if (node.path == 0)
			return false;
	}
	at = cg_map_in(r->job, &r->node_ids, node.id);
	if (!at)
		return false;
	if (*at != 0)
		return cg_reject(r->job, "expected one node with an id");
	if (r->node.n > UINT32_MAX)
		return cg_reject_nomem(r->job);
	*at = (uint32_t)r->node.n;
	return cg_append(r->job, &r->node, node);
}

/*
 * Returns how to read the values of an attribute, whose id is in the text;
 * cached by id. Counts attributes whose values are dropped. NULL: no such
 * attribute, or out of memory (reported).
 */
static const struct metric *
find_metric(struct reader *r, struct cg_slice text)
{
	const struct node *node;
	struct metric metric;
	struct cg_slice name;
	uint64_t id;
	uint32_t *at;

	if (!cg_get_u64(text, &id) || (node = get_node(r, id)) == NULL ||
	    node->attribute != NAME_ATTRIBUTE) {
		(void)cg_reject(
		    r->job, "expected an attribute that was defined before");
		return NULL;
	}
	at = cg_map_in(r->job, &r->metric_ids, id);
	if (!at)
		return NULL;
	if (*at == 0) {
		name = cg_get_name(r->build, node->data);
		metric = get_metric(r, name, get_unit(r, node),
		    get_properties(r, id) & PROP_AGGREGATABLE);
		r->columns += metric.event == 0;
		if (!cg_append(r->job, &r->metric, metric))
			return NULL;
		*at = (uint32_t)r->metric.n - 1;
	}
	return &r->metric.at[*at];
}

/*
 * Adds the values of a record of measurements, which is in r->value, to the
 * sums of the record's path. Each node that the record refers to may have a
 * path; the last one counts. False: an error (reported).
 */
static bool
take_context(struct reader *r)
{
	const struct metric *metric;
	const struct node *node;
	uint32_t path = 0;
	uint64_t id;

	for (size_t i = 0; i < r->value[KEY_REF].n; i++) {
		if (!cg_get_u64(r->value[KEY_REF].at[i], &id) ||
		    (node = get_node(r, id)) == NULL)
			return cg_reject(
			    r->job, "expected a node that was defined before");
		path = node->path > 0 ? node->path : path;
	}
	if (r->value[KEY_ATTR].n != r->value[KEY_DATA].n)
		return cg_reject(
		    r->job, "expected as many values as attributes");
	for (size_t i = 0; i < r->value[KEY_ATTR].n; i++) {
		metric = find_metric(r, r->value[KEY_ATTR].at[i]);
		if (!metric ||
		    !add_value(r, path, metric, r->value[KEY_DATA].at[i]))
			return false;
	}
	return true;
}

static bool
read_cali(struct reader *r)
{
	struct cg_slice line, kind, parent;
	bool whole = false;

	while (table_line(r->in, &line)) {
		if (line.len == 0)
			continue;
		if (!split_record(r, line, &kind, &parent))
			return false;
		if (kind.len == 0)
			return cg_reject(
			    r->job, "expected a record, '" RECORD "'");
		whole |= cg_equal(kind, "globals");
		if (cg_equal(kind, "node") && !take_node(r, parent))
			return false;
		if (cg_equal(kind, "ctx") && !take_context(r))
			return false;
	}
	if (cg_in_unterminated(r->in))
		cg_warn(r->job, "the last record may be truncated");
	else if (!whole)
		cg_warn(r->job,
		    "the record of globals is missing: the file may be "
		    "truncated");
	return cg_in_status(r->in) == CG_OK;
}

/* ---- JSON ---------------------------------------------------------------- */

/* A document that is read in two passes, as the rows come first. */
struct json {
	struct cg_json json;
	enum cg_json_type type;
	CG_ARRAY(struct cg_slice) name; /* of columns; unit of the same */
	CG_ARRAY(struct cg_slice) unit;
	CG_ARRAY(struct metric) metric;
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
want(struct reader *r, struct json *j, enum cg_json_type type, const char *what)
{
	return next(j, type) || cg_json_reject(r->job, &j->json, what);
}

/*
 * Returns the current JSON string without escapes, valid until read() ends;
 * "": out of memory (reported).
 */
static struct cg_slice
keep_text(struct reader *r, struct json *j)
{
	if (!cg_reserve(r->job, &r->text, j->json.text.len + 1))
		return cg_slice("");
	return cg_get_name(r->build,
	    cg_add_name(r->build, cg_json_string(&j->json, r->text.at)));
}

static bool
take_columns(struct reader *r, struct json *j)
{
	if (!want(r, j, CG_JSON_ARRAY, "names of columns"))
		return false;
	while (next(j, CG_JSON_STRING))
		if (!cg_append(r->job, &j->name, keep_text(r, j)))
			return false;
	return j->type == CG_JSON_ARRAY_END ||
	       cg_json_reject(r->job, &j->json, "a name of a column");
}

/*
 * Reads an object up to its end. Sets *text to the value of the key named by
 * string, and *number to the value of the key named by count (NULL: none);
 * leaves them if the object has no such key. False: an error (reported).
 */
static bool
take_object(struct reader *r, struct json *j, const char *string,
    struct cg_slice *text, const char *count, uint64_t *number)
{
	bool is_text, is_count;

	while (next(j, CG_JSON_KEY)) {
		is_text = cg_equal(j->json.text, string);
		is_count = count && cg_equal(j->json.text, count);
		j->type = cg_json_next(&j->json);
		if (is_text && j->type == CG_JSON_STRING)
			*text = keep_text(r, j);
		else if (is_count && (j->type != CG_JSON_NUMBER ||
					 !cg_get_u64(j->json.text, number)))
			return cg_json_reject(
			    r->job, &j->json, "the number of a node");
		else if (!cg_json_skip(&j->json, j->type))
			return cg_json_reject(r->job, &j->json, "a value");
	}
	return j->type == CG_JSON_OBJECT_END ||
	       cg_json_reject(r->job, &j->json, "a key");
}

static bool
take_units(struct reader *r, struct json *j)
{
	if (!want(r, j, CG_JSON_ARRAY, "data of columns"))
		return false;
	while (next(j, CG_JSON_OBJECT)) {
		struct cg_slice unit = { "", 0 };

		if (!take_object(r, j, UNIT, &unit, NULL, NULL) ||
		    !cg_append(r->job, &j->unit, unit))
			return false;
	}
	return j->type == CG_JSON_ARRAY_END ||
	       cg_json_reject(r->job, &j->json, "data of a column");
}

static bool
take_nodes(struct reader *r, struct json *j)
{
	if (!want(r, j, CG_JSON_ARRAY, "nodes"))
		return false;
	if (j->nodes > 0)
		return cg_json_reject(r->job, &j->json, "one array of nodes");
	j->first = (uint32_t)r->path.n;
	while (next(j, CG_JSON_OBJECT)) {
		struct cg_slice label = { "", 0 };
		uint64_t parent = UINT64_MAX;
		uint32_t outer = 0;

		if (!take_object(r, j, "label", &label, "parent", &parent))
			return false;
		if (parent != UINT64_MAX) {
			if (parent >= j->nodes)
				return cg_json_reject(r->job, &j->json,
				    "a parent that precedes its node");
			outer = j->first + (uint32_t)parent;
		}
		if (add_path(r, outer, cg_add_name(r->build, label)) == 0)
			return false;
		j->nodes++;
	}
	return j->type == CG_JSON_ARRAY_END ||
	       cg_json_reject(r->job, &j->json, "a node");
}

/* Goes over the keys of the outermost object; data: takes the rows only. */
static bool take_rows(struct reader *, struct json *);

static bool
take_keys(struct reader *r, struct json *j, struct cg_slice text, bool data)
{
	bool ok = true;

	cg_json_start(&j->json, text);
	if (!want(r, j, CG_JSON_OBJECT, "an object"))
		return false;
	while (ok && next(j, CG_JSON_KEY)) {
		const struct cg_slice key = j->json.text;

		if (data && cg_equal(key, "data"))
			ok = take_rows(r, j);
		else if (!data && cg_equal(key, "columns"))
			ok = take_columns(r, j);
		else if (!data && cg_equal(key, "column_metadata"))
			ok = take_units(r, j);
		else if (!data && cg_equal(key, "nodes"))
			ok = take_nodes(r, j);
		else if (!cg_json_skip(&j->json, cg_json_next(&j->json)))
			return cg_json_reject(r->job, &j->json, "a value");
	}
	return ok && (j->type == CG_JSON_OBJECT_END ||
			 cg_json_reject(r->job, &j->json, "a key"));
}

/*
 * Reads a row, an array with null or a value for each column, and adds its
 * numbers to the sums of its path, which is in column j->path. False: an error
 * (reported).
 */
static bool
take_cells(struct reader *r, struct json *j)
{
	uint64_t node;
	uint32_t path = 0;
	size_t n = 0;

	r->value[0].n = 0;
	while ((j->type = cg_json_next(&j->json)) != CG_JSON_ARRAY_END) {
		struct cg_slice cell = { "", 0 };

		if (j->type == CG_JSON_NUMBER)
			cell = j->json.text;
		else if (!cg_json_skip(&j->json, j->type))
			return cg_json_reject(r->job, &j->json, "a value");
		if (n == j->path && cell.len > 0) {
			if (!cg_get_u64(cell, &node) || node >= j->nodes)
				return cg_json_reject(
				    r->job, &j->json, "the number of a node");
			path = j->first + (uint32_t)node;
		}
		if (!cg_append(r->job, &r->value[0], cell))
			return false;
		n++;
	}
	for (size_t i = 0; i < n && i < j->metric.n; i++)
		if (r->value[0].at[i].len > 0 &&
		    !add_value(r, path, &j->metric.at[i], r->value[0].at[i]))
			return false;
	return n <= j->name.n ||
	       cg_json_reject(r->job, &j->json, "a row of columns");
}

static bool
take_rows(struct reader *r, struct json *j)
{
	if (!want(r, j, CG_JSON_ARRAY, "rows"))
		return false;
	while (next(j, CG_JSON_ARRAY))
		if (!take_cells(r, j))
			return false;
	return j->type == CG_JSON_ARRAY_END ||
	       cg_json_reject(r->job, &j->json, "a row");
}

static bool
read_json(struct reader *r)
{
	struct json *j = cg_alloc(r->job, sizeof(*j));
	struct cg_slice text;

	if (!j || !cg_read_all(r->in, &text) || !take_keys(r, j, text, false))
		return false;
	j->path = TABLE_NONE;
	r->whole = true;
	for (size_t i = 0; i < j->name.n; i++) {
		struct metric metric = { .event = 0 };

		if (cg_equal(j->name.at[i], "path"))
			j->path = i;
		else
			metric = get_metric(r, j->name.at[i],
			    i < j->unit.n ? j->unit.at[i] : cg_slice(""),
			    false);
		r->columns += metric.event == 0 && i != j->path;
		if (!cg_append(r->job, &j->metric, metric))
			return false;
	}
	if (j->path == TABLE_NONE)
		return cg_reject(r->job, "expected a column 'path'");
	return take_keys(r, j, text, true);
}

/* ---- Trees of reports ---------------------------------------------------- */

/* The exclusive time of runtime-report, in seconds. */
#define EXCLUSIVE "Time (E)"
#define INDENT 2

static bool
read_tree(struct reader *r)
{
	CG_ARRAY(uint32_t) open = { 0 }; /* paths, by depth */
	struct cg_slice line, name;
	struct metric time;
	size_t first, column, last, depth;
	const char *at;

	if (!table_line(r->in, &line) || !cg_starts(line, HEADER) ||
	    (at = cg_find(line, " " EXCLUSIVE)) == NULL)
		return cg_reject(
		    r->job, "expected 'Path' and a column '" EXCLUSIVE "'");
	column = (size_t)(at + 1 - line.ptr);
	for (first = strlen(HEADER); line.ptr[first] == ' ';)
		first++;
	/* A row may lack the time, but have values of later columns. */
	for (last = column + strlen(EXCLUSIVE);
	     last < line.len && line.ptr[last] == ' ';)
		last++;
	if (last == line.len)
		last = SIZE_MAX;
	time = get_metric(r, cg_slice(EXCLUSIVE), cg_slice(""), false);
	if (!cg_append(r->job, &open, 0))
		return false;
	while (table_line(r->in, &line)) {
		struct cg_slice cell;
		uint32_t path;

		if (line.len <= column)
			return cg_reject(r->job, "expected a row of the tree");
		name = (struct cg_slice){ line.ptr, first };
		for (depth = 0; depth < first && name.ptr[depth] == ' ';)
			depth++;
		name = cg_trim(name);
		if (name.len == 0 || depth % INDENT != 0 ||
		    depth / INDENT >= open.n)
			return cg_reject(
			    r->job, "expected a region in the one above it");
		depth /= INDENT;
		path = add_path(r, open.at[depth], cg_add_name(r->build, name));
		open.n = depth + 1;
		if (path == 0 || !cg_append(r->job, &open, path))
			return false;
		line.len = line.len < last ? line.len : last;
		line.ptr += column;
		line.len -= column;
		(void)cg_take_blanks(&line);
		if (cg_take_word(&line, &cell) &&
		    !add_value(r, path, &time, cell))
			return false;
	}
	if (cg_in_unterminated(r->in))
		cg_warn(r->job, "the last row may be truncated");
	return cg_in_status(r->in) == CG_OK;
}

/* ---- The format ---------------------------------------------------------- */

static bool
is_tree(struct cg_slice line)
{
	return cg_starts(line, HEADER) && contains(line, " " EXCLUSIVE);
}

static int
read_caliper(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader *r = cg_alloc(job, sizeof(*r));
	struct cg_slice head;
	bool ok;

	if (!r)
		return CG_ELIMIT;
	r->job = job;
	r->in = in;
	r->build = build;
	if (!cg_push(job, &r->node) || !cg_push(job, &r->path) ||
	    !cg_push(job, &r->metric) || !cg_push(job, &r->event) ||
	    !cg_push(job, &r->sum))
		return cg_rejected(job);
	(void)cg_look_bytes(in, strlen(RECORD), &head);
	if (cg_starts(head, RECORD))
		ok = read_cali(r);
	else if (cg_starts(head, "{"))
		ok = read_json(r);
	else
		ok = read_tree(r);
	if (ok)
		(void)add_stacks(r);
	return table_status(job, in, build);
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "data", "columns",
		"column_metadata", "nodes", NULL };

	if (cg_starts(head->text, RECORD) || is_tree(head->first))
		return CG_PROBE_SURE;
	return (cg_head_keys(head, keys) & 6) == 6 ? CG_PROBE_LIKELY
						   : CG_PROBE_NO;
}

const struct cg_module cg_format_caliper = {
	CG_MODULE,
	.name = "caliper",
	.title = "profiles and traces of Caliper: .cali, json-split, reports",
	.text = true,
	.suffixes = "cali",
	.probe = probe,
	.read = read_caliper,
};
