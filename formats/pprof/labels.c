/*
 * labels.c - labels of samples. A set of labels is kept as bytes until the
 * string table that it refers to is known.
 *
 * Labels pid, tid and comm (or thread), which converters from perf write, also
 * identify the process and the thread of a sample.
 */
#include "pprof.h"

bool
pprof_find_labels(struct pprof_reader *r, uint32_t *id)
{
	struct cg_slice bytes = { r->labelled.at, r->labelled.n };
	const char *all = r->label_bytes.at;
	struct pprof_labels *set = r->labels.at;
	uint32_t *found;
	uint64_t hash;

	*id = 0;
	if (bytes.len == 0)
		return true;
	for (hash = proto_hash((uintptr_t)r, bytes);; hash++) {
		found = cg_map_at(&r->by_labels, hash);
		if (!found)
			return cg_reject_nomem(r->job);
		*id = *found;
		if (*id == 0)
			break;
		if (set[*id - 1].len == bytes.len &&
		    memcmp(all + set[*id - 1].at, bytes.ptr, bytes.len) == 0)
			return true;
	}
	set = proto_push(r->job, &r->labels);
	if (!set)
		return false;
	*set = (struct pprof_labels){ r->label_bytes.n, bytes.len };
	if (!proto_append_bytes(r->job, &r->label_bytes, bytes))
		return false;
	*id = *found = (uint32_t)r->labels.n;
	return true;
}

/* ---- Their texts -------------------------------------------------------- */

static bool
take_label(
    struct pprof_reader *r, struct cg_slice message, struct cg_label *label)
{
	uint64_t value[LABEL_FIELDS] = { 0 };
	struct proto_field field;

	while (message.len > 0) {
		if (!proto_take_field(&message, &field))
			return cg_reject(
			    r->job, "expected a whole field of a label");
		if (field.number < LABEL_FIELDS && field.wire == WIRE_VARINT)
			value[field.number] = field.value;
	}
	label->number = (int64_t)value[LABEL_NUM];
	return proto_get_text(&r->tables, value[LABEL_KEY], &label->key) &&
	       proto_get_text(&r->tables, value[LABEL_STR], &label->value) &&
	       proto_get_text(&r->tables, value[LABEL_NUM_UNIT], &label->unit);
}

/*
 * Stores the value of a label in the key if the label identifies a sample's
 * process or thread. Option part-by can separate samples by these.
 */
static void
note_known(struct cg_sample_key *key, const struct cg_label *label)
{
	bool number = label->value.len == 0;

	if (number && cg_equal(label->key, "pid"))
		key->pid = (uint64_t)label->number;
	else if (number && cg_equal(label->key, "tid"))
		key->tid = (uint64_t)label->number;
	else if (cg_equal(label->key, "comm"))
		key->comm = label->value;
	else if (cg_equal(label->key, "thread"))
		key->thread = label->value;
}

/* Counted for each use of a label by a sample, as a measure of time. */
#define LABEL_BYTES 16

bool
pprof_set_labels(struct pprof_reader *r, uint32_t set)
{
	struct cg_sample_key key = { .comm = { "", 0 } };
	const struct pprof_labels *labels = r->labels.at;
	struct cg_slice rest = { "", 0 };
	struct cg_label *label;
	struct proto_field field;

	if (set != 0) {
		rest.ptr = (char *)r->label_bytes.at + labels[set - 1].at;
		rest.len = labels[set - 1].len;
	}
	r->label.n = 0;
	while (rest.len > 0 && proto_take_field(&rest, &field)) {
		label = proto_push(r->job, &r->label);
		if (!label || !take_label(r, field.bytes, label))
			return false;
		note_known(&key, label);
	}
	key.label = r->label.at;
	key.labels = r->label.n;
	cg_set_sample_part(r->build, &key);
	return proto_expand(&r->tables, r->label.n * LABEL_BYTES);
}
