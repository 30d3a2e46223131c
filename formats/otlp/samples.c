/*
 * samples.c - reads samples of OpenTelemetry's profiles: their stacks,
 * labels, values and times.
 */
#include <string.h>

#include "otlp.h"

/* ---- Labels ------------------------------------------------------------- */

/* Estimated bytes of a label, in a new set and in a known set of labels. */
#define NEW_LABEL 32
#define KNOWN_LABEL 16

/*
 * Handles a label that is an attribute of a thread or process (see
 * otlp_roles). Renames the label to its name in the graph. Stores its value in
 * "key", which tells the thread of a sample. Some attributes are numbers,
 * others are texts. Leaves a label unchanged if its value is of the wrong
 * type. Also leaves all other labels unchanged.
 */
static void
note_role(struct cg_sample_key *key, struct cg_label *label)
{
	const struct otlp_role *role = otlp_roles;

	while (role->attribute && !cg_equal(label->key, role->attribute))
		role++;
	if (!role->attribute || role->number != (label->value.len == 0))
		return;
	label->key = cg_slice(role->label);
	if (cg_equal(label->key, "pid"))
		key->pid = (uint64_t)label->number;
	else if (cg_equal(label->key, "tid"))
		key->tid = (uint64_t)label->number;
	else if (cg_equal(label->key, "comm"))
		key->comm = label->value;
	else
		key->thread = label->value;
}

/*
 * Appends the labels trace_id and span_id to r->label. They name the span of a
 * trace to which a sample belongs. "index" is the entry in the table of links.
 * Appends nothing for entry 0, or for an empty id. False: an error (reported).
 */
static bool
add_link(struct otlp_reader *r, uint64_t index)
{
	static const char *const keys[] = {
		[LINK_TRACE] = "trace_id", [LINK_SPAN] = "span_id"
	};
	struct cg_slice message;
	struct proto_field field;

	if (!otlp_get_entry(r, TABLE_LINK, index, &message))
		return false;
	while (message.len > 0) {
		if (!otlp_take_field(r, &message, &field))
			return false;
		if (field.number > LINK_SPAN || field.wire != WIRE_BYTES)
			proto_skip_field(r->job, &field);
		else if (!otlp_add_bytes(
			     r, keys[field.number], field.bytes, &r->label))
			return false;
	}
	return true;
}

/*
 * Counts the bytes that the sample's labels take in the graph. A small file
 * may refer to large sets of labels often. So the input's size limits these
 * bytes. If an earlier sample had the same indices, labels count less, as the
 * graph stores a set once. False: beyond the limit, or out of memory
 * (reported).
 */
static bool
count_labels(struct otlp_walk *w)
{
	struct otlp_reader *r = w->r;
	const struct cg_slice indices = { (const char *)r->indices.at,
		r->indices.n * sizeof(uint64_t) };
	uint32_t *known = cg_map_in(r->job, &w->label_sets,
	    proto_hash((uintptr_t)r + w->resources, indices));
	size_t count = r->label.n;

	if (!known)
		return false;
	count *= *known ? KNOWN_LABEL : NEW_LABEL;
	*known = 1;
	return proto_expand(&r->tables, count);
}

/*
 * Sets the labels of the samples that are added until the next call.
 * r->indices must have the index of a link, then the indices of attributes.
 * The labels are those of the attributes and of the link. If the file has
 * several resources, the labels of the current one come first. Sets w->key to
 * the labels, and to the process and thread that they name. False: an error
 * (reported).
 */
static bool
set_labels(struct otlp_walk *w)
{
	struct otlp_reader *r = w->r;
	const uint64_t *index = r->indices.at;
	struct cg_label *label;

	r->label.n = 0;
	for (size_t i = 0; r->several && i < r->resource.n; i++) {
		label = proto_push(r->job, &r->label);
		if (!label)
			return false;
		*label = r->resource.at[i];
	}
	for (size_t i = 1; i < r->indices.n; i++)
		if (!otlp_add_indexed(r, index[i], &r->label))
			return false;
	if (!add_link(r, index[0]) || !count_labels(w))
		return false;
	w->key =
	    (struct cg_sample_key){ .comm = { "", 0 }, .thread = { "", 0 } };
	label = r->label.at;
	for (size_t i = 0; i < r->label.n; i++)
		note_role(&w->key, &label[i]);
	w->key.label = label;
	w->key.labels = r->label.n;
	cg_set_sample_part(r->build, &w->key);
	w->tracked = false;
	return cg_build_status(r->build) == CG_OK;
}

/*
 * Sets the labels of this and later samples to those with the indices in
 * r->indices, as set_labels() does. Does nothing if the profile's last sample
 * had the same indices. Moves the indices to r->last, for comparison with the
 * next sample. False: an error (reported).
 */
static bool
change_labels(struct otlp_walk *w)
{
	struct otlp_reader *r = w->r;
	struct otlp_numbers swap = r->last;

	if (w->labelled && r->last.n == r->indices.n &&
	    memcmp(r->last.at, r->indices.at,
		r->indices.n * sizeof(uint64_t)) == 0)
		return true;
	w->labelled = true;
	if (!set_labels(w))
		return false;
	r->last = r->indices;
	r->indices = swap;
	return true;
}

/* ---- Samples ------------------------------------------------------------ */

/*
 * Reads the fields of a sample. Sets *stack to the index of its stack. Sets
 * r->indices to the index of its link (0: none), followed by the indices of
 * its attributes. Sets r->values to its values, and r->times to its times in
 * ns. r->layout must tell what the numbers of fields mean. False: an error
 * (reported).
 */
static bool
take_fields(struct otlp_reader *r, struct cg_slice message, uint64_t *stack)
{
	const unsigned char *meaning = r->layout->field;
	struct proto_field field;
	uint64_t *link;
	bool ok = true;

	r->indices.n = r->values.n = r->times.n = 0;
	*stack = 0;
	link = proto_push(r->job, &r->indices);
	if (!link)
		return false;
	*link = 0;
	while (ok && message.len > 0) {
		if (!otlp_take_field(r, &message, &field))
			return false;
		if (field.number >= OTLP_SAMPLE_FIELDS)
			proto_skip_field(r->job, &field);
		else if (meaning[field.number] == OTLP_ATTRIBUTES)
			ok = otlp_take_numbers(r, &field, &r->indices, false);
		else if (meaning[field.number] == OTLP_VALUES)
			ok = otlp_take_numbers(r, &field, &r->values, false);
		else if (meaning[field.number] == OTLP_TIMES)
			ok = otlp_take_numbers(r, &field, &r->times, true);
		else if (field.wire != WIRE_VARINT)
			ok = cg_reject_at(
			    r->job, field.at, "expected a field of a sample");
		else if (meaning[field.number] == OTLP_STACK)
			*stack = field.value;
		else
			r->indices.at[0] = field.value;
	}
	return ok;
}

/*
 * Returns the entry of w->seen for the sample with this stack and r->indices;
 * adds it if it is new. Profiles of a scope mostly have their samples in the
 * same order. So first tries the entry after the last result (w->next). The
 * result is valid until the next call. NULL: out of memory (reported).
 */
static struct otlp_seen *
find_seen(struct otlp_walk *w, uint64_t stack)
{
	struct otlp_reader *r = w->r;
	const struct cg_slice indices = { (const char *)r->indices.at,
		r->indices.n * sizeof(uint64_t) };
	const uint64_t key = proto_hash((uintptr_t)r + stack, indices);
	uint32_t *id;

	if (w->next < w->seen.n && w->seen.at[w->next].key == key)
		return &w->seen.at[w->next++];
	id = cg_map_in(r->job, &w->ids, key);
	if (!id || (*id == 0 && !proto_push(r->job, &w->seen)))
		return NULL;
	if (*id == 0) {
		*id = (uint32_t)w->seen.n;
		w->seen.at[*id - 1].key = key;
	}
	w->next = *id;
	return &w->seen.at[*id - 1];
}

/*
 * Returns how many samples to add to the graph for "count" samples of a
 * profile. The samples have one stack and one set of attributes. If the
 * profile is the only one of its scope, returns "count". Several profiles of a
 * scope often are different values of the same samples. So the graph gets the
 * largest number of any profile, and not the sum. Only what exceeds the
 * largest number so far is returned. 0 also if out of memory (reported).
 */
static uint64_t
count_samples(struct otlp_walk *w, const struct otlp_profile *profile,
    uint64_t stack, uint64_t count)
{
	struct otlp_seen *seen;
	uint64_t more;

	if (w->alone)
		return count;
	seen = find_seen(w, stack);
	if (!seen)
		return 0;
	if (seen->profile != profile->number)
		seen->now = 0;
	seen->profile = profile->number;
	seen->now += count;
	more = seen->now > seen->most ? seen->now - seen->most : 0;
	seen->most += more;
	return more;
}

/* Returns value i of the sample; without values, each timestamp counts 1. */
static uint64_t
value_at(const struct otlp_reader *r, size_t i)
{
	return r->values.n > 0 ? r->values.at[i] : 1;
}

static void
add_moments(
    struct otlp_walk *w, const struct otlp_profile *profile, cg_node node)
{
	struct otlp_reader *r = w->r;
	const uint64_t *time = r->times.at;
	struct cg_moment moment = {
		.node = node, .cost = w->row, .n = profile->column + 1
	};

	if (r->times.n > 0 && !w->asked) {
		w->asked = true;
		w->timed = cg_begin_timeline(r->build);
	}
	if (!w->timed || r->times.n == 0)
		return;
	if (!w->tracked) {
		const struct cg_sample_key *key = &w->key;
		bool named = key->thread.len > 0;
		/* A thread without a name has that of its process. */
		const struct cg_track track = { .pid = key->pid,
			.tid = key->tid,
			.name = otlp_keep_string(
			    r, named ? key->thread : key->comm),
			.process = named ? otlp_keep_string(r, key->comm) : "",
			.unit = "ns" };

		cg_set_track(r->build, &track);
		w->tracked = true;
	}
	for (size_t i = 0; i < r->times.n; i++) {
		w->row[profile->column] = value_at(r, i);
		moment.time =
		    time[i] < INT64_MAX ? (int64_t)time[i] : INT64_MAX;
		cg_add_moment(r->build, &moment);
	}
}

bool
otlp_add_sample(struct otlp_walk *w, const struct otlp_profile *profile,
    struct cg_slice message)
{
	struct otlp_reader *r = w->r;
	uint64_t stack, count, more;
	int64_t sum = 0;
	cg_node node;

	if (!take_fields(r, message, &stack))
		return false;
	count = r->values.n > 0 ? r->values.n : r->times.n;
	if (r->times.n > 0 && r->times.n != count)
		return cg_reject_at(r->job, message.ptr,
		    "expected as many values as timestamps in a sample");
	for (size_t i = 0; i < count; i++)
		if (__builtin_add_overflow(sum, (int64_t)value_at(r, i), &sum))
			return cg_reject_at(r->job, message.ptr,
			    "expected values that add up to 64 bits");
	if (profile->counts)
		count = sum > 0 ? (uint64_t)sum : 0;
	more = count_samples(w, profile, stack, count);
	if (!otlp_get_node(r, stack, &node) || !change_labels(w))
		return false;
	w->row[profile->column] = (uint64_t)sum;
	cg_add_stack(r->build, node, more, w->row, profile->column + 1);
	add_moments(w, profile, node);
	w->row[profile->column] = 0;
	return cg_rejected(r->job) == CG_OK &&
	       cg_build_status(r->build) == CG_OK;
}

/*
 * Sets *found to true if one of a sample's values is negative. False: an error
 * (reported).
 */
static bool
find_negative(struct otlp_reader *r, struct cg_slice message, bool *found)
{
	struct proto_field field;

	r->values.n = 0;
	while (message.len > 0) {
		if (!otlp_take_field(r, &message, &field))
			return false;
		/* A negative value has VARINT_MAX bytes. */
		if (field.number < OTLP_SAMPLE_FIELDS &&
		    r->layout->field[field.number] == OTLP_VALUES &&
		    (field.wire != WIRE_BYTES ||
			field.bytes.len >= VARINT_MAX) &&
		    !otlp_take_numbers(r, &field, &r->values, false))
			return false;
	}
	for (size_t i = 0; i < r->values.n; i++)
		*found |= ((const int64_t *)r->values.at)[i] < 0;
	return true;
}

bool
otlp_find_signed(struct otlp_reader *r, struct cg_slice message, bool *found)
{
	struct proto_field field;

	*found = false;
	while (!*found && message.len > 0) {
		if (!otlp_take_field(r, &message, &field))
			return false;
		if (field.number == PROFILE_SAMPLE &&
		    !find_negative(r, field.bytes, found))
			return false;
	}
	return true;
}
