/*
 * stacks.c - samples of a profile.proto: their stacks as a tree of
 * locations, their values summed.
 *
 * A stack is looked up by the bytes of its locations, leaf first: the bytes
 * after the first number are the stack of its caller. So for a new path, known
 * callers are searched from the leaf on, and the frames that most paths share
 * at the root are not read at all.
 *
 * Adding a sample is a chain of dependent cache misses. Samples are batched,
 * and each step of the chain is prefetched for the whole batch.
 */
#include <string.h>

#include "pprof.h"

#define WAIT_SAMPLES 64
#define WAIT_STEPS 4096

#if defined(__GNUC__)
#define FETCH(at) __builtin_prefetch(at)
#else
#define FETCH(at) ((void)(at))
#endif

/* A location of a path. */
struct step {
	uint32_t location;
	uint32_t at;   /* where its bytes begin in the path */
	uint64_t hash; /* of all locations from here to the root */
};

/* A sample of the batch; its parts are in the reader's lists. */
struct waiting {
	size_t path, step, value; /* the first of its ... */
	uint32_t len, steps;
	uint32_t labels;
	uint32_t likely; /* the node that it has, if it has one */
};

/* ---- What a sample says ------------------------------------------------- */

static bool
append_bytes(struct pprof_reader *r, struct pprof_list *list, const char *from,
    size_t len)
{
	if (!pprof_reserve(r, list, list->count + len, 1))
		return false;
	if (len > 0)
		memcpy((char *)list->at + list->count, from, len);
	list->count += len;
	return true;
}

static bool
add_locations(
    struct pprof_reader *r, struct waiting *sample, struct cg_slice bytes)
{
	uint32_t before = sample->len;
	const char *begin = bytes.ptr;
	uint32_t location;
	struct step *step;
	uint64_t id;

	if (bytes.len > UINT32_MAX - before)
		return cg_reject_at(r->job, begin, "expected a shorter stack");
	if (!append_bytes(r, &r->path, bytes.ptr, bytes.len))
		return false;
	sample->len += (uint32_t)bytes.len;
	while (bytes.len > 0) {
		uint32_t at = before + (uint32_t)(bytes.ptr - begin);

		if (!pprof_take_varint(&bytes, &id))
			return cg_reject_at(
			    r->job, bytes.ptr, "expected a number");
		if (id == 0)
			return cg_reject_at(r->job, bytes.ptr,
			    "expected a location with an id");
		location = pprof_find_location(r, id);
		step = pprof_append(r, &r->steps, sizeof(*step));
		if (!step || location == 0)
			return false;
		*step = (struct step){ .location = location, .at = at };
	}
	return true;
}

/* Usually one packed field. */
static bool
take_locations(struct pprof_reader *r, const struct pprof_field *field,
    const char *end, struct waiting *sample)
{
	struct cg_slice number = { field->at, (size_t)(end - field->at) };
	uint64_t tag;

	if (field->wire == WIRE_BYTES)
		return add_locations(r, sample, field->bytes);
	if (field->wire == WIRE_VARINT && pprof_take_varint(&number, &tag))
		return add_locations(r, sample, number);
	return cg_reject_at(r->job, field->at, "expected numbers");
}

static bool
add_value(struct pprof_reader *r, uint64_t value, const char *at)
{
	uint64_t *to;

	if (r->values.count >= WAIT_SAMPLES * (size_t)CG_EVENT_MAX)
		return cg_reject_at(r->job, at, "expected no more values");
	to = pprof_append(r, &r->values, sizeof(*to));
	if (to)
		*to = value;
	return to != NULL;
}

/* Keeps the bytes of the field until the string table is known. */
static bool
keep_label(struct pprof_reader *r, const struct pprof_field *field)
{
	const char *end;

	if (field->wire != WIRE_BYTES)
		return cg_reject_at(r->job, field->at, "expected a label");
	end = field->bytes.ptr + field->bytes.len;
	return append_bytes(
	    r, &r->labelled, field->at, (size_t)(end - field->at));
}

/* ---- Stacks ------------------------------------------------------------- */

/* The hash of each step covers all steps after it. */
static void
hash_steps(struct step *step, size_t n, uint64_t hash)
{
	while (n-- > 0) {
		hash = (hash ^ step[n].location) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
		step[n].hash = hash;
	}
}

/*
 * The slot of the node for the path from a step on; it contains 0 if there is
 * no such node yet. NULL: out of memory.
 */
static uint32_t *
find_stack(
    struct pprof_reader *r, struct cg_slice path, const struct step *step)
{
	const struct pprof_node *nodes = r->nodes.at;
	const char *paths = r->paths.at;
	size_t len = path.len - step->at;
	uint32_t *id;

	for (uint64_t hash = step->hash;; hash++) {
		id = cg_map_at(&r->stacks, hash);
		if (!id)
			(void)cg_reject_nomem(r->job);
		if (!id || *id == 0 ||
		    (nodes[*id].len == len &&
			memcmp(paths + nodes[*id].path, path.ptr + step->at,
			    len) == 0))
			return id;
	}
}

/* Adds nodes for the first n steps of the path on top of parent; 0: failed. */
static uint32_t
add_stacks(struct pprof_reader *r, struct cg_slice path,
    const struct step *step, size_t n, uint32_t parent)
{
	size_t from = r->paths.count;

	if (!append_bytes(r, &r->paths, path.ptr, path.len))
		return 0;
	while (n-- > 0) {
		struct pprof_node *node =
		    pprof_append(r, &r->nodes, sizeof(*node));
		uint32_t *id = node ? find_stack(r, path, &step[n]) : NULL;

		if (!id)
			return 0;
		node->parent = parent;
		node->location = step[n].location;
		node->path = from + step[n].at;
		node->len = (uint32_t)path.len - step[n].at;
		*id = parent = (uint32_t)r->nodes.count - 1;
	}
	return parent;
}

/* Sets *leaf to the node of the sample's path; 0: it has no frame. */
static bool
get_stack(struct pprof_reader *r, const struct waiting *sample, uint32_t *leaf)
{
	const struct step *step;
	struct cg_slice path;
	uint32_t *id, i = 0;

	*leaf = 0;
	if (sample->steps == 0)
		return true;
	step = (struct step *)r->steps.at + sample->step;
	path.ptr = (char *)r->path.at + sample->path;
	path.len = sample->len;
	for (; *leaf == 0 && i < sample->steps; i++) {
		id = find_stack(r, path, &step[i]);
		if (!id)
			return false;
		*leaf = *id;
	}
	if (*leaf != 0)
		i--;
	if (i > 0)
		*leaf = add_stacks(r, path, step, i, *leaf);
	return *leaf != 0;
}

/* ---- Samples ------------------------------------------------------------ */

static size_t
sample_size(const struct pprof_reader *r)
{
	return sizeof(struct pprof_sample) + r->columns * sizeof(int64_t);
}

struct pprof_sample *
pprof_sample(const struct pprof_reader *r, size_t i)
{
	return (
	    struct pprof_sample *)((char *)r->samples.at + i * sample_size(r));
}

static struct pprof_sample *
add_sample(struct pprof_reader *r, uint32_t leaf, uint32_t labels)
{
	struct pprof_sample *sample =
	    pprof_append(r, &r->samples, sample_size(r));
	struct pprof_node *nodes = r->nodes.at;

	if (!sample)
		return NULL;
	sample->leaf = leaf;
	sample->labels = labels;
	nodes[leaf].sample = (uint32_t)r->samples.count;
	return sample;
}

static uint32_t *
listed_sample(struct pprof_reader *r, uint32_t leaf, uint32_t labels)
{
	uint32_t *id =
	    cg_map_at(&r->by_labels_and_leaf, (uint64_t)labels << 32 | leaf);

	if (!id)
		(void)cg_reject_nomem(r->job);
	return id;
}

/*
 * The sample of leaf and labels, created if it is new; NULL: failed. A node
 * caches its last sample; samples with other labels are in a table.
 */
static struct pprof_sample *
get_sample(struct pprof_reader *r, uint32_t leaf, uint32_t labels)
{
	uint32_t *last = &((struct pprof_node *)r->nodes.at)[leaf].sample, *id;
	struct pprof_sample *sample;

	if (*last == 0)
		return add_sample(r, leaf, labels);
	sample = pprof_sample(r, *last - 1);
	if (sample->labels == labels)
		return sample;
	id = listed_sample(r, leaf, sample->labels);
	if (!id)
		return NULL;
	*id = *last;
	id = listed_sample(r, leaf, labels);
	if (!id || *id == 0)
		return id ? add_sample(r, leaf, labels) : NULL;
	*last = *id;
	return pprof_sample(r, *id - 1);
}

/* Sums int64 values; an overflow is an error. */
static bool
add_sample_costs(struct pprof_reader *r, const struct waiting *waiting)
{
	const int64_t *value = r->values.at;
	struct pprof_sample *sample;
	uint32_t leaf;

	if (!get_stack(r, waiting, &leaf))
		return false;
	sample = get_sample(r, leaf, waiting->labels);
	if (!sample)
		return false;
	sample->count++;
	for (size_t i = 0; i < r->columns; i++) {
		if (__builtin_add_overflow(sample->cost[i],
			value[waiting->value + i], &sample->cost[i]))
			return cg_reject(
			    r->job, "expected values that add up to 64 bits");
	}
	return true;
}

bool
pprof_end_batch(struct pprof_reader *r)
{
	struct waiting *sample = r->waiting.at;
	const struct pprof_node *nodes = r->nodes.at;
	const struct step *steps = r->steps.at;
	size_t n = r->waiting.count;
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		if (sample[i].steps > 0)
			sample[i].likely =
			    cg_map_get(&r->stacks, steps[sample[i].step].hash);
		FETCH(&nodes[sample[i].likely]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct pprof_node *node = &nodes[sample[i].likely];

		if (sample[i].likely == 0)
			continue;
		FETCH((char *)r->paths.at + node->path);
		FETCH((char *)r->paths.at + node->path + node->len);
		if (node->sample != 0)
			FETCH(pprof_sample(r, node->sample - 1));
	}
	for (size_t i = 0; ok && i < n; i++)
		ok = add_sample_costs(r, &sample[i]);
	r->waiting.count = r->steps.count = r->path.count = r->values.count = 0;
	return ok;
}

/* Reads the fields of a sample's message. */
static bool
take_fields(
    struct pprof_reader *r, struct cg_slice message, struct waiting *sample)
{
	struct pprof_field field;
	bool ok = true;

	r->labelled.count = 0;
	while (ok && message.len > 0) {
		if (!pprof_take_field(&message, &field))
			return cg_reject_at(r->job, message.ptr,
			    "expected a whole field of a message");
		if (field.number == SAMPLE_LOCATION)
			ok = take_locations(r, &field, message.ptr, sample);
		else if (field.number == SAMPLE_VALUE)
			ok = pprof_take_packed(r, &field, add_value);
		else if (field.number == SAMPLE_LABEL)
			ok = keep_label(r, &field);
		else
			pprof_skip_field(r, &field);
	}
	return ok;
}

bool
pprof_take_sample(struct pprof_reader *r, const struct pprof_field *field)
{
	struct waiting sample = { .path = r->path.count,
		.step = r->steps.count,
		.value = r->values.count };
	struct waiting *to;
	struct step *step;
	size_t values;

	/* Node 0 is the parent of all roots. */
	if (r->nodes.count == 0 &&
	    !pprof_append(r, &r->nodes, sizeof(struct pprof_node)))
		return false;
	if (!take_fields(r, field->bytes, &sample))
		return false;
	values = r->values.count - sample.value;
	if (r->samples.count == 0 && r->waiting.count == 0)
		r->columns = values;
	if (values != r->columns)
		return cg_reject_at(r->job, field->at,
		    "expected as many values as in other samples");
	sample.steps = (uint32_t)(r->steps.count - sample.step);
	if (!pprof_find_labels(r, &sample.labels))
		return false;
	to = pprof_append(r, &r->waiting, sizeof(sample));
	if (!to)
		return false;
	*to = sample;
	if (sample.steps > 0) {
		step = (struct step *)r->steps.at + sample.step;
		hash_steps(step, sample.steps, pprof_seed(r));
		cg_map_prefetch(&r->stacks, step->hash);
	}
	if (r->waiting.count < WAIT_SAMPLES && r->steps.count < WAIT_STEPS)
		return true;
	return pprof_end_batch(r);
}
