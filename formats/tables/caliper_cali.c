/*
 * caliper_cali.c - files .cali.
 *
 * A file has a record on each line, fields with values after '=', where '\'
 * precedes special characters:
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
 */
#include "caliper.h"

#define NAME_ATTRIBUTE 8 /* ids of nodes that exist without a record */
#define PROP_ATTRIBUTE 10
#define PROP_NESTED 256
#define PROP_AGGREGATABLE 2048
#define OLD_UNIT "time.unit"

/* Fields of a record; the names of those that have one value, or a list. */
enum { KEY_ID, KEY_ATTR, KEY_DATA, KEY_REF, KEYS };

struct node {
	uint64_t id, attribute; /* ids */
	uint32_t parent;        /* index; 0: none */
	uint32_t path;          /* index of the innermost region; 0: none */
	cg_name data;
	uint64_t properties; /* that attributes have whose node is below */
};

struct cali {
	struct caliper *c;
	CG_ARRAY(struct node) node; /* index 0 is unused, also of metric */
	struct cg_map node_ids;
	CG_ARRAY(struct caliper_metric) metric;
	struct cg_map metric_ids;              /* id of an attribute -> index */
	CG_ARRAY(struct cg_slice) value[KEYS]; /* of a record */
	CG_ARRAY(char) text;
};

/*
 * Takes a key or value off *rest, with the ',' or '=' after it. *end becomes
 * that character, 0 at the end. Returns a copy with escapes replaced, written
 * at *to, which moves past it. *to must have room for *rest.
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
 * Splits a line of fields KEY=VALUE=VALUE... into r->value, lists by key. Sets
 * *kind and *parent to the fields __rec and parent, or "". Texts are valid
 * until the next call. False: out of memory (reported).
 */
static bool
split_record(struct cali *r, struct cg_slice line, struct cg_slice *kind,
    struct cg_slice *parent)
{
	static const char *const keys[KEYS] = { "id", "attr", "data", "ref" };
	struct cg_slice key, value;
	char *to, end;
	int at;

	for (int i = 0; i < KEYS; i++)
		r->value[i].n = 0;
	*kind = *parent = (struct cg_slice){ "", 0 };
	if (!cg_reserve(r->c->job, &r->text, line.len + 1))
		return false;
	to = r->text.at;
	while (line.len > 0) {
		key = take_value(&line, &to, &end);
		for (at = 0; at < KEYS && !cg_equal(key, keys[at]);)
			at++;
		while (end == '=') {
			value = take_value(&line, &to, &end);
			if (at < KEYS &&
			    !cg_append(r->c->job, &r->value[at], value))
				return false;
			if (cg_equal(key, "__rec"))
				*kind = value;
			else if (cg_equal(key, "parent"))
				*parent = value;
		}
	}
	return true;
}

/*
 * Returns the node of a .cali file with this id, valid until a node is added;
 * NULL: there is none.
 */
static const struct node *
get_node(const struct cali *r, uint64_t id)
{
	const uint32_t i = cg_map_get(&r->node_ids, id);

	return i > 0 ? &r->node.at[i] : NULL;
}

static uint64_t
get_properties(const struct cali *r, uint64_t attribute)
{
	const struct node *node = get_node(r, attribute);

	return node ? node->properties : 0;
}

/*
 * Returns the unit of an attribute. The attribute's node or an ancestor of the
 * node states it. Returns "" if none does.
 */
static struct cg_slice
get_unit(const struct cali *r, const struct node *node)
{
	struct cg_slice name;

	for (; node;
	     node = node->parent > 0 ? &r->node.at[node->parent] : NULL) {
		const struct node *attribute = get_node(r, node->attribute);

		if (!attribute)
			continue;
		name = cg_get_name(r->c->build, attribute->data);
		if (cg_equal(name, CALIPER_UNIT) || cg_equal(name, OLD_UNIT))
			return cg_get_name(r->c->build, node->data);
	}
	return cg_slice("");
}

static bool
take_node(struct cali *r, struct cg_slice parent)
{
	struct node node = { .id = 0 };
	uint64_t outer;
	uint32_t *at;

	if (r->value[KEY_ID].n != 1 || r->value[KEY_ATTR].n != 1 ||
	    !cg_get_u64(r->value[KEY_ID].at[0], &node.id) ||
	    !cg_get_u64(r->value[KEY_ATTR].at[0], &node.attribute))
		return cg_reject(
		    r->c->job, "expected a node's id and attribute");
	if (parent.len > 0) {
		if (!cg_get_u64(parent, &outer))
			return cg_reject(
			    r->c->job, "expected the id of a parent");
		/* Types are nodes, too, which new files lack. */
		node.parent = cg_map_get(&r->node_ids, outer);
		if (node.parent == 0 && outer > PROP_ATTRIBUTE)
			return cg_reject(r->c->job,
			    "expected a parent that precedes its node");
	}
	node.data = cg_add_name(r->c->build,
	    r->value[KEY_DATA].n > 0 ? r->value[KEY_DATA].at[0] : cg_slice(""));
	node.path = node.parent > 0 ? r->node.at[node.parent].path : 0;
	if (node.attribute != PROP_ATTRIBUTE)
		node.properties = r->node.at[node.parent].properties;
	else
		(void)cg_get_u64(
		    cg_get_name(r->c->build, node.data), &node.properties);
	if (get_properties(r, node.attribute) & PROP_NESTED) {
		node.path = caliper_add_path(r->c, node.path, node.data);
		if (node.path == 0)
			return false;
	}
	at = cg_map_in(r->c->job, &r->node_ids, node.id);
	if (!at)
		return false;
	if (*at != 0)
		return cg_reject(r->c->job, "expected one node with an id");
	if (r->node.n > UINT32_MAX)
		return cg_reject_nomem(r->c->job);
	*at = (uint32_t)r->node.n;
	return cg_append(r->c->job, &r->node, node);
}

/*
 * Returns how to read the values of the attribute whose id is in the text,
 * valid until the next call. Counts an attribute once if its values are
 * dropped. NULL: no such attribute, or out of memory (reported).
 */
static const struct caliper_metric *
find_metric(struct cali *r, struct cg_slice text)
{
	const struct node *node;
	struct caliper_metric metric;
	struct cg_slice name;
	uint64_t id;
	uint32_t *at;

	if (!cg_get_u64(text, &id) || (node = get_node(r, id)) == NULL ||
	    node->attribute != NAME_ATTRIBUTE) {
		(void)cg_reject(
		    r->c->job, "expected an attribute that was defined before");
		return NULL;
	}
	at = cg_map_in(r->c->job, &r->metric_ids, id);
	if (!at)
		return NULL;
	if (*at == 0) {
		name = cg_get_name(r->c->build, node->data);
		metric = caliper_get_metric(r->c, name, get_unit(r, node),
		    get_properties(r, id) & PROP_AGGREGATABLE);
		r->c->columns += metric.event == 0;
		if (!cg_append(r->c->job, &r->metric, metric))
			return NULL;
		*at = (uint32_t)r->metric.n - 1;
	}
	return &r->metric.at[*at];
}

/*
 * Adds the values of a record of measurements to the sums of the record's
 * path. The record is in r->value. Its path is that of its last node with a
 * path, else path 0. False: an error (reported).
 */
static bool
take_context(struct cali *r)
{
	const struct caliper_metric *metric;
	const struct node *node;
	uint32_t path = 0;
	uint64_t id;

	for (size_t i = 0; i < r->value[KEY_REF].n; i++) {
		if (!cg_get_u64(r->value[KEY_REF].at[i], &id) ||
		    (node = get_node(r, id)) == NULL)
			return cg_reject(r->c->job,
			    "expected a node that was defined before");
		path = node->path > 0 ? node->path : path;
	}
	if (r->value[KEY_ATTR].n != r->value[KEY_DATA].n)
		return cg_reject(
		    r->c->job, "expected as many values as attributes");
	for (size_t i = 0; i < r->value[KEY_ATTR].n; i++) {
		metric = find_metric(r, r->value[KEY_ATTR].at[i]);
		if (!metric || !caliper_add_value(r->c, path, metric,
				   r->value[KEY_DATA].at[i]))
			return false;
	}
	return true;
}

bool
caliper_read_cali(struct caliper *c)
{
	struct cali *r = cg_alloc(c->job, sizeof(*r));
	struct cg_slice line, kind, parent;
	bool whole = false;

	if (!r)
		return false;
	r->c = c;
	if (!cg_push(c->job, &r->node) || !cg_push(c->job, &r->metric))
		return false;
	while (table_line(c->in, &line)) {
		if (line.len == 0)
			continue;
		if (!split_record(r, line, &kind, &parent))
			return false;
		if (kind.len == 0)
			return cg_reject(
			    c->job, "expected a record, '" CALIPER_RECORD "'");
		whole |= cg_equal(kind, "globals");
		if (cg_equal(kind, "node") && !take_node(r, parent))
			return false;
		if (cg_equal(kind, "ctx") && !take_context(r))
			return false;
	}
	if (cg_in_unterminated(c->in))
		cg_warn(c->job, "the last record may be truncated");
	else if (!whole)
		cg_warn(c->job,
		    "the record of globals is missing: the file may be "
		    "truncated");
	return cg_in_status(c->in) == CG_OK;
}
