/*
 * pprof_labels.c - labels of samples: a set of them is kept in the bytes that
 * it came in, until the texts are known that it refers to.
 *
 * Labels pid, tid and comm or thread are what they are called, as converters
 * from perf write them.
 */
#include <stdlib.h>
#include <string.h>

#include "pprof.h"

/* Where no parts are made by labels: what is enough to say which were lost. */
#define SETS_REPORTED 64
#define LABELS_MAX 256 /* of a sample */
#define UNIT_MAX 64    /* bytes of a number's unit */

uint32_t
cg_pprof_find_labels(struct pprof_reader *r)
{
	struct cg_slice bytes = { r->labelled.at, r->labelled.count };
	bool wanted = cg_parts_by_sample(r->build);
	const char *all = r->label_bytes.at;
	struct pprof_labels *set = r->labels.at;
	uint64_t hash = cg_pprof_hash(cg_pprof_seed(r), bytes);
	uint32_t *found;

	if (bytes.len == 0 || (!wanted && r->labels.count >= SETS_REPORTED))
		return 0;
	for (;; hash++) {
		found = cg_map_at(&r->by_labels, hash);
		if (!found) {
			r->status = cg_nomem(r->job);
			return 0;
		}
		if (*found == 0)
			break;
		if (set[*found - 1].len == bytes.len &&
		    memcmp(all + set[*found - 1].at, bytes.ptr, bytes.len) == 0)
			return wanted ? *found : 0;
	}
	set = cg_pprof_append(r, &r->labels, sizeof(*set));
	if (!set || !cg_pprof_reserve(r, &r->label_bytes,
			r->label_bytes.count + bytes.len, 1))
		return 0;
	*set = (struct pprof_labels){ r->label_bytes.count, bytes.len };
	memcpy((char *)r->label_bytes.at + set->at, bytes.ptr, bytes.len);
	r->label_bytes.count += bytes.len;
	*found = (uint32_t)r->labels.count;
	return wanted ? *found : 0;
}

/* ---- What they say ------------------------------------------------------ */

static bool
fail(struct pprof_reader *r, const char *what)
{
	r->status = cg_fail(r->job, "expected %s", what);
	return false;
}

/* "12" becomes "12 bytes". */
static bool
add_unit(struct pprof_reader *r, uint64_t unit, struct cg_slice *value)
{
	char text[CG_NUMBER_MAX + 1 + UNIT_MAX];
	size_t len = value->len;
	cg_name name;
	struct cg_slice word;

	if (!cg_pprof_get_name(r, unit, &name))
		return false;
	word = cg_get_name(r->build, name);
	if (word.len > UNIT_MAX)
		word.len = UNIT_MAX;
	memcpy(text, value->ptr, len);
	text[len++] = ' ';
	if (word.len > 0)
		memcpy(text + len, word.ptr, word.len);
	name = cg_add_name(r->build, (struct cg_slice){ text, len + word.len });
	*value = cg_get_name(r->build, name);
	return true;
}

/* A label and its number, as text in digits where it is one. */
static bool
take_label(struct pprof_reader *r, struct cg_slice message,
    struct cg_label *label, uint64_t *number, char *digits)
{
	uint64_t value[LABEL_FIELDS] = { 0 };
	struct pprof_field field;
	cg_name key, text;

	while (message.len > 0) {
		if (!cg_pprof_take_field(&message, &field))
			return fail(r, "a whole field of a label");
		if (field.number < LABEL_FIELDS && field.wire == WIRE_VARINT)
			value[field.number] = field.value;
	}
	if (!cg_pprof_get_name(r, value[LABEL_KEY], &key) ||
	    !cg_pprof_get_name(r, value[LABEL_STR], &text))
		return false;
	label->key = cg_get_name(r->build, key);
	label->value = cg_get_name(r->build, text);
	*number = value[LABEL_NUM];
	if (value[LABEL_STR] != 0)
		return true;
	label->value = (struct cg_slice){ digits,
		(size_t)(cg_format_i64(digits, (int64_t)*number) - digits) };
	return value[LABEL_NUM_UNIT] == 0 ||
	       add_unit(r, value[LABEL_NUM_UNIT], &label->value);
}

/* Threads and processes are no labels to the graph. */
static bool
take_known(
    struct cg_sample_key *key, const struct cg_label *label, uint64_t number)
{
	if (cg_equal(label->key, "pid"))
		key->pid = number;
	else if (cg_equal(label->key, "tid"))
		key->tid = number;
	else if (cg_equal(label->key, "comm") || cg_equal(label->key, "thread"))
		key->comm = label->value;
	else
		return false;
	return true;
}

bool
cg_pprof_set_labels(struct pprof_reader *r, uint32_t set)
{
	struct cg_sample_key key = { .comm = { "", 0 } };
	const struct pprof_labels *labels = r->labels.at;
	struct cg_label label[LABELS_MAX];
	char digits[LABELS_MAX][CG_NUMBER_MAX];
	struct pprof_field field;
	struct cg_slice rest = { "", 0 };
	uint64_t number;

	if (set != 0) {
		rest.ptr = (char *)r->label_bytes.at + labels[set - 1].at;
		rest.len = labels[set - 1].len;
	}
	while (rest.len > 0 && cg_pprof_take_field(&rest, &field)) {
		if (key.labels == LABELS_MAX)
			return fail(r, "fewer labels of a sample");
		if (!take_label(r, field.bytes, &label[key.labels], &number,
			digits[key.labels]))
			return false;
		key.labels += !take_known(&key, &label[key.labels], number);
	}
	key.label = label;
	cg_set_sample_part(r->build, &key);
	return true;
}

bool
cg_pprof_report_labels(struct pprof_reader *r)
{
	for (uint32_t set = 1;
	     !cg_parts_by_sample(r->build) && set <= r->labels.count; set++) {
		if (!cg_pprof_set_labels(r, set))
			return false;
	}
	return true;
}
