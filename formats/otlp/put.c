/*
 * put.c - writes attributes of OpenTelemetry: of labels, mappings,
 * profiles, and the resource.
 *
 * Labels of one key and unit become one attribute with a list. Keys should be
 * unique, but a label that has texts and numbers, or several units, becomes
 * several attributes of one key, as a list has one unit.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

/* ---- Texts -------------------------------------------------------------- */

/* Returns the length in bytes of the longest prefix that is valid UTF-8. */
static size_t
valid_length(struct cg_slice text)
{
	const char *at = text.ptr, *end = text.ptr + text.len;

	while (at < end) {
		size_t n =
		    (unsigned char)*at < 0x80 ? 1 : cg_utf8_length(at, end);

		if (n == 0)
			break;
		at += n;
	}
	return (size_t)(at - text.ptr);
}

/*
 * Appends a text to "buf", as the field with number "field". Protocol buffers
 * require UTF-8. So each byte that is not part of valid UTF-8 becomes U+FFFD,
 * of three bytes.
 */
void
otlp_put_text(struct otlp_writer *w, struct proto_bytes *buf, unsigned field,
    struct cg_slice text)
{
	static const struct cg_slice unknown = { "\xef\xbf\xbd", 3 };
	struct cg_slice rest = text;
	size_t bad = 0, n;

	for (; rest.len > 0; bad++) {
		n = valid_length(rest);
		if (n == rest.len)
			break;
		rest.ptr += n + 1;
		rest.len -= n + 1;
	}
	proto_put_varint(&w->w, buf, field << 3 | WIRE_BYTES);
	proto_put_varint(&w->w, buf, text.len + 2 * bad);
	for (; bad > 0; bad--) {
		n = valid_length(text);
		proto_put_slice(&w->w, buf, (struct cg_slice){ text.ptr, n });
		proto_put_slice(&w->w, buf, unknown);
		text.ptr += n + 1;
		text.len -= n + 1;
	}
	proto_put_slice(&w->w, buf, text);
}

/* ---- Values ------------------------------------------------------------- */

/*
 * Appends to buf the value of an attribute (message AnyValue): the label's
 * text or, if that is empty, its number.
 */
static void
put_scalar(struct otlp_writer *w, struct proto_bytes *buf,
    const struct cg_label *value)
{
	if (value->value.len > 0) {
		otlp_put_text(w, buf, VALUE_STRING, value->value);
		return;
	}
	proto_put_varint(&w->w, buf, VALUE_INT << 3 | WIRE_VARINT);
	proto_put_varint(&w->w, buf, (uint64_t)value->number);
}

/*
 * Appends the field "value" of an attribute to "buf". If n is 1, it is the
 * value of the label. Otherwise it is a list of the values of the n labels.
 * Overwrites w->any, w->w.buf[1] and w->w.buf[2], so "buf" must be another
 * buffer.
 */
static void
put_value(struct otlp_writer *w, struct proto_bytes *buf,
    const struct cg_label *value, size_t n)
{
	struct proto_bytes *list = &w->w.buf[1], *item = &w->w.buf[2];

	list->n = 0;
	if (n == 1) {
		put_scalar(w, list, value);
	} else {
		struct proto_bytes *any = &w->any;

		any->n = 0;
		for (size_t i = 0; i < n; i++) {
			item->n = 0;
			put_scalar(w, item, &value[i]);
			proto_put_bytes(&w->w, any, 1, item);
		}
		proto_put_bytes(&w->w, list, VALUE_ARRAY, any);
	}
	proto_put_bytes(&w->w, buf, ATTRIBUTE_VALUE, list);
}

void
otlp_put_key_value(struct otlp_writer *w, struct proto_bytes *buf,
    unsigned field, struct cg_slice key, const struct cg_label *value, size_t n)
{
	struct proto_bytes *pair = &w->w.buf[0];

	pair->n = 0;
	otlp_put_text(w, pair, ATTRIBUTE_KEY, key);
	put_value(w, pair, value, n);
	proto_put_bytes(&w->w, buf, field, pair);
}

/* ---- The table of attributes --------------------------------------------- */

/*
 * Returns the index of an attribute in the written table of attributes; adds
 * it if the table has no equal one. The attribute has the given key. Its
 * values are those of the n labels at "value", of which there is at least one.
 * Its unit is that of the first label. 0: out of memory (reported).
 */
static uint32_t
find_attribute(struct otlp_writer *w, struct cg_slice key,
    const struct cg_label *value, size_t n)
{
	struct proto_bytes *entry = &w->w.buf[0];
	uint32_t *id;

	entry->n = 0;
	proto_put_text(&w->w, entry, ATTRIBUTE_KEY, key);
	put_value(w, entry, value, n);
	proto_put_text(&w->w, entry, ATTRIBUTE_UNIT, value->unit);
	/* Seeded by an address, so that a file cannot provoke collisions. */
	id = cg_map_in(w->w.job, &w->attribute_ids,
	    proto_hash((uintptr_t)w, (struct cg_slice){ entry->at, entry->n }));
	if (!id)
		return 0;
	if (*id == 0) {
		*id = ++w->attribute_count;
		proto_put_bytes(&w->w, &w->attributes, TABLE_ATTRIBUTE, entry);
	}
	return *id;
}

uint32_t
otlp_text_attribute(
    struct otlp_writer *w, const char *key, struct cg_slice value)
{
	const struct cg_label label = { .value = value, .unit = { "", 0 } };

	return find_attribute(w, cg_slice(key), &label, 1);
}

/* ---- Labels ------------------------------------------------------------- */

static struct cg_slice
attribute_key(const struct cg_label *label)
{
	const struct otlp_role *role = otlp_roles;

	for (; role->attribute; role++) {
		if (cg_equal(label->key, role->label) &&
		    role->number == (label->value.len == 0))
			return cg_slice(role->attribute);
	}
	return label->key;
}

static bool
is_alike(const struct cg_label *a, const struct cg_label *b)
{
	return cg_compare(a->key, b->key) == 0 &&
	       cg_compare(a->unit, b->unit) == 0 &&
	       (a->value.len == 0) == (b->value.len == 0);
}

/*
 * Appends to w->w.sets the indices of the attributes for the labels in
 * w->labels, which must be sorted by key. Adjacent labels with the same key
 * and unit become one attribute with a list of values, if all of them have
 * texts, or all have numbers. Adds new attributes to the table.
 */
static void
put_set(struct otlp_writer *w)
{
	const struct cg_label *label = w->labels.at;
	size_t count = w->labels.n, n;

	for (size_t i = 0; i < count; i += n) {
		for (n = 1;
		     i + n < count && is_alike(&label[i], &label[i + n]);)
			n++;
		proto_put_varint(&w->w, &w->w.sets,
		    find_attribute(w, attribute_key(&label[i]), &label[i], n));
	}
}

bool
otlp_list_labels(struct otlp_writer *w)
{
	const struct cg_graph *graph = w->w.graph;
	size_t count = cg_labels_count(graph);
	struct cg_label label, *to;

	w->w.set_end = cg_alloc(w->w.job, (count + 1) * sizeof(*w->w.set_end));
	if (!w->w.set_end)
		return false;
	for (cg_labels set = 1; set <= count; set++) {
		w->labels.n = 0;
		for (size_t i = 0; cg_get_label(graph, set, i, &label); i++) {
			to = proto_push(w->w.job, &w->labels);
			if (!to)
				return false;
			*to = label;
		}
		put_set(w);
		w->w.set_end[set] = w->w.sets.n;
	}
	return cg_rejected(w->w.job) == CG_OK;
}

void
otlp_put_labels(struct otlp_writer *w, struct proto_bytes *buf, unsigned field,
    cg_labels set)
{
	size_t begin, len;

	if (set == 0)
		return;
	begin = w->w.set_end[set - 1];
	len = w->w.set_end[set] - begin;
	proto_put_varint(&w->w, buf, field << 3 | WIRE_BYTES);
	proto_put_varint(&w->w, buf, len);
	proto_put_slice(&w->w, buf,
	    (struct cg_slice){ (const char *)w->w.sets.at + begin, len });
}

/* ---- Descriptions ------------------------------------------------------- */

static int
compare_descs(const void *pa, const void *pb)
{
	const struct otlp_desc *a = pa, *b = pb;
	int order = cg_compare(a->key, b->key);

	return order ? order : (a->seq > b->seq) - (a->seq < b->seq);
}

/*
 * Appends a description to w->descs, unless its value is empty. Skips a
 * description that is there already, because processes and threads often have
 * equal ones. False: out of memory (reported).
 */
static bool
add_desc(struct otlp_writer *w, struct cg_slice key, struct cg_slice value)
{
	uint32_t *id = cg_map_in(w->w.job, &w->desc_ids,
	    proto_hash(proto_hash((uintptr_t)w, key), value));

	if (!id)
		return false;
	if (*id != 0 || value.len == 0)
		return true;
	*id = 1;
	return cg_append(w->w.job, &w->descs,
	    (struct otlp_desc){ key, value, w->descs.n + 1 });
}

/*
 * Returns true if the description with this key is the name, version or an
 * attribute of the scope. Other descriptions become attributes of the profiles
 * or the resource.
 */
static bool
is_of_scope(const char *key)
{
	return strcmp(key, OTLP_KEY_SCOPE) == 0 ||
	       strcmp(key, OTLP_KEY_SCOPE_VERSION) == 0 ||
	       strcmp(key, CG_MAIN_EVENT_KEY) == 0;
}

static const struct otlp_role *
find_profile_key(struct cg_slice key)
{
	const struct otlp_role *role = otlp_profile_keys;

	while (role->label && !cg_equal(key, role->label))
		role++;
	return role->label ? role : NULL;
}

bool
otlp_list_descs(struct otlp_writer *w)
{
	const struct cg_graph *graph = w->w.graph;
	bool several = cg_part_count(graph) > 1;
	const char *key, *value;

	for (cg_part part = 0; part < cg_part_count(graph); part++) {
		for (size_t i = 0; cg_part_desc(graph, part, i, &key, &value);
		     i++) {
			if (proto_has_field(key) || is_of_scope(key) ||
			    (several && cg_desc_is_count(key)))
				continue;
			if (!add_desc(w, cg_slice(key), cg_slice(value)))
				return false;
		}
	}
	if (w->descs.n > 0)
		qsort(w->descs.at, w->descs.n, sizeof(struct otlp_desc),
		    compare_descs);
	return true;
}

/*
 * Returns the key of description *i, and sets w->labels to the values of all
 * descriptions with that key. w->descs must be sorted, so that they are
 * adjacent. Sets *i to the index after them. If memory runs out (reported),
 * values are missing.
 */
static struct cg_slice
next_desc(struct otlp_writer *w, size_t *i)
{
	const struct otlp_desc *desc = w->descs.at;
	struct cg_slice key = desc[*i].key;
	struct cg_label *to;

	w->labels.n = 0;
	for (; *i < w->descs.n && cg_compare(desc[*i].key, key) == 0; ++*i) {
		to = proto_push(w->w.job, &w->labels);
		if (to)
			*to = (struct cg_label){ .key = key,
				.value = desc[*i].value,
				.unit = { "", 0 } };
	}
	return key;
}

void
otlp_put_profile_attributes(
    struct otlp_writer *w, struct proto_bytes *list, const char *long_name)
{
	const struct otlp_role *role;

	for (size_t i = 0; i < w->descs.n;) {
		role = find_profile_key(next_desc(w, &i));
		if (role && w->labels.n > 0)
			proto_put_varint(&w->w, list,
			    find_attribute(w, cg_slice(role->attribute),
				w->labels.at, w->labels.n));
	}
	if (*long_name)
		proto_put_varint(&w->w, list,
		    otlp_text_attribute(
			w, OTLP_KEY_LONG_NAME, cg_slice(long_name)));
}

static void
put_number(struct otlp_writer *w, struct proto_bytes *buf, const char *key,
    uint64_t number)
{
	const struct cg_label label = { .number = (int64_t)number };

	if (number != 0)
		otlp_put_key_value(
		    w, buf, ATTRIBUTES_ATTRIBUTE, cg_slice(key), &label, 1);
}

void
otlp_put_resource(struct otlp_writer *w, struct proto_bytes *buf)
{
	const struct cg_part_info part = proto_common_part(&w->w);
	const struct cg_label cmd = { .value = cg_slice(part.cmd) };

	put_number(w, buf, "process.pid", part.pid);
	put_number(w, buf, "thread.id", part.tid);
	put_number(w, buf, OTLP_KEY_PART, part.part);
	if (*part.cmd)
		otlp_put_key_value(w, buf, ATTRIBUTES_ATTRIBUTE,
		    cg_slice(OTLP_KEY_CMD), &cmd, 1);
	for (size_t i = 0; i < w->descs.n;) {
		struct cg_slice key = next_desc(w, &i);

		if (!find_profile_key(key) && w->labels.n > 0)
			otlp_put_key_value(w, buf, ATTRIBUTES_ATTRIBUTE, key,
			    w->labels.at, w->labels.n);
	}
}

/* ---- Texts of the table -------------------------------------------------- */

/*
 * Adds to the table of strings the keys of all attributes that will be written
 * for profiles and mappings.
 */
static void
add_keys(struct otlp_writer *w)
{
	const struct proto_out_mapping *mapping = w->w.mappings.at;
	const struct otlp_desc *desc = w->descs.at;
	const struct otlp_role *role;

	for (size_t i = 0; i < w->descs.n; i++) {
		role = find_profile_key(desc[i].key);
		if (role)
			proto_add_string(&w->w, cg_slice(role->attribute));
	}
	for (size_t i = 0; i < cg_event_count(w->w.graph); i++)
		if (*cg_get_event(w->w.graph, i)->long_name)
			proto_add_string(&w->w, cg_slice(OTLP_KEY_LONG_NAME));
	for (size_t i = 0; i < w->w.mappings.n; i++)
		if (mapping[i].build_id.len > 0)
			proto_add_string(&w->w, cg_slice(OTLP_KEY_BUILD_ID));
}

void
otlp_add_strings(struct otlp_writer *w)
{
	struct proto_period period = proto_get_period(&w->w);
	struct cg_label label;

	proto_add_table_strings(&w->w);
	proto_add_string(&w->w, period.type);
	proto_add_string(&w->w, period.unit);
	add_keys(w);
	for (cg_labels set = 1; set <= cg_labels_count(w->w.graph); set++)
		for (size_t i = 0; cg_get_label(w->w.graph, set, i, &label);
		     i++) {
			proto_add_string(&w->w, attribute_key(&label));
			proto_add_string(&w->w, label.unit);
		}
	proto_sort_strings(&w->w);
}
