/*
 * stacks.c - samples of a profile.proto: their stacks as a tree of
 * locations, their values summed.
 *
 * A stack is looked up by the bytes of its locations, leaf first: the bytes
 * after the first number are the stack of its caller. So for a new path, known
 * callers are searched from the leaf on. The numbers of a known path are not
 * read.
 *
 * Adding a sample is a chain of dependent cache misses. Samples are batched,
 * and each step of the chain is prefetched for the whole batch.
 */
#include <string.h>

#include "pprof.h"

#define WAIT_SAMPLES 64
#define WAIT_BYTES 16384 /* of paths */
#define WORD sizeof(uint64_t)
#define LOW_BITS UINT64_C(0x0101010101010101)
#define HIGH_BITS (LOW_BITS << 7)

#if defined(__GNUC__)
#define FETCH(at) __builtin_prefetch(at)
#else
#define FETCH(at) ((void)(at))
#endif

/* A location of a new path. */
struct step {
	uint32_t location;
	uint32_t at;   /* where its bytes begin in the path */
	uint64_t hash; /* of the path from there on */
};

/* A sample of the batch; its parts are in the reader's lists. */
struct waiting {
	size_t path, value; /* the first of its ... */
	uint32_t len;       /* bytes of the path */
	uint32_t labels;
	uint32_t likely; /* the node that it has, if it has one */
	uint64_t hash;   /* of its path */
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

/* Nonzero if one of eight bytes is 0, or a number may go on behind four of them. */
static uint64_t
find_odd(const char *at)
{
	uint64_t word, more;

	memcpy(&word, at, WORD);
	more = word & HIGH_BITS;
	more &= more >> 8;
	return ((word - LOW_BITS) & ~word & HIGH_BITS) | (more & more >> 16);
}

/*
 * Are these surely whole numbers other than 0? No byte is 0, the last one ends a
 * number, and none has more than seven.
 */
static bool
are_plain(struct cg_slice bytes)
{
	const char *at = bytes.ptr, *end = at + bytes.len;
	uint64_t odd = 0;

	if (bytes.len < WORD || (end[-1] & 0x80))
		return false;
	for (; end - at > (ptrdiff_t)WORD; at += WORD)
		odd |= find_odd(at);
	return (odd | find_odd(end - WORD)) == 0;
}

static bool
check_locations(struct pprof_reader *r, struct cg_slice bytes)
{
	uint64_t id;

	if (are_plain(bytes))
		return true;
	while (bytes.len > 0) {
		if (!pprof_take_varint(&bytes, &id))
			return cg_reject_at(
			    r->job, bytes.ptr, "expected a number");
		if (id == 0)
			return cg_reject_at(r->job, bytes.ptr,
			    "expected a location with an id");
	}
	return true;
}

static bool
add_locations(
    struct pprof_reader *r, struct waiting *sample, struct cg_slice bytes)
{
	if (bytes.len > UINT32_MAX - sample->len)
		return cg_reject_at(
		    r->job, bytes.ptr, "expected a shorter stack");
	if (!check_locations(r, bytes) ||
	    !append_bytes(r, &r->path, bytes.ptr, bytes.len))
		return false;
	sample->len += (uint32_t)bytes.len;
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

static uint64_t
hash_word(uint64_t hash, const char *at)
{
	uint64_t word;

	memcpy(&word, at, WORD);
	hash = (hash ^ word) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 32;
}

/*
 * A path is hashed from its end on, in words: so its hash is a step on the way to
 * those of the paths that it ends. *hash: of its words that are done, of which
 * there are so many; they grow.
 */
static uint64_t
hash_on(uint64_t *hash, size_t *words, struct cg_slice path)
{
	uint64_t sum;

	for (; path.len / WORD > *words; ++*words)
		*hash =
		    hash_word(*hash, path.ptr + path.len - (*words + 1) * WORD);
	sum = *hash + path.len;
	/* The first word may have bytes of the next one. */
	if (path.len >= WORD)
		return hash_word(sum, path.ptr);
	for (size_t i = 0; i < path.len; i++)
		sum = (sum ^ (uint8_t)path.ptr[i]) * 0x9e3779b97f4a7c15;
	return sum ^ sum >> 32;
}

static uint64_t
hash_path(const struct pprof_reader *r, struct cg_slice path)
{
	uint64_t hash = pprof_seed(r);
	size_t words = 0;

	return hash_on(&hash, &words, path);
}

/* Lists the steps of a new path. */
static bool
take_steps(struct pprof_reader *r, struct cg_slice path)
{
	struct cg_slice rest = path;
	uint64_t hash = pprof_seed(r), id;
	size_t words = 0;
	struct step *step;

	r->steps.count = 0;
	for (const char *at = path.ptr; pprof_take_varint(&rest, &id);
	     at = rest.ptr) {
		step = pprof_append(r, &r->steps, sizeof(*step));
		if (!step)
			return false;
		step->at = (uint32_t)(at - path.ptr);
		step->location = pprof_find_location(r, id);
		if (step->location == 0)
			return false;
	}
	step = r->steps.at;
	for (size_t i = r->steps.count; i-- > 0;) {
		rest.ptr = path.ptr + step[i].at;
		rest.len = path.len - step[i].at;
		step[i].hash = hash_on(&hash, &words, rest);
	}
	return true;
}

/*
 * The slot of the node for a path; it contains 0 if there is no such node yet.
 * NULL: out of memory.
 */
static uint32_t *
find_stack(struct pprof_reader *r, struct cg_slice path, uint64_t hash)
{
	const struct pprof_node *nodes = r->nodes.at;
	const char *paths = r->paths.at;
	uint32_t *id;

	for (;; hash++) {
		id = cg_map_at(&r->stacks, hash);
		if (!id)
			(void)cg_reject_nomem(r->job);
		if (!id || *id == 0 ||
		    (nodes[*id].len == path.len &&
			memcmp(paths + nodes[*id].path, path.ptr, path.len) ==
			    0))
			return id;
	}
}

/* The slot of the caller that the path has from a step on. */
static uint32_t *
find_caller(
    struct pprof_reader *r, struct cg_slice path, const struct step *step)
{
	path.ptr += step->at;
	path.len -= step->at;
	return find_stack(r, path, step->hash);
}

/* Adds nodes for the first n steps of the path on top of parent; 0: failed. */
static uint32_t
add_stacks(
    struct pprof_reader *r, struct cg_slice path, size_t n, uint32_t parent)
{
	const struct step *step = r->steps.at;
	size_t from = r->paths.count;

	if (!append_bytes(r, &r->paths, path.ptr, path.len))
		return 0;
	while (n-- > 0) {
		struct pprof_node *node =
		    pprof_append(r, &r->nodes, sizeof(*node));
		uint32_t *id = node ? find_caller(r, path, &step[n]) : NULL;

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

/* Adds a new path; *leaf becomes its node. */
static bool
add_path(struct pprof_reader *r, struct cg_slice path, uint32_t *leaf)
{
	const struct step *step;
	uint32_t *id;
	size_t n = 1;

	if (!take_steps(r, path))
		return false;
	step = r->steps.at;
	for (*leaf = 0; n < r->steps.count && *leaf == 0; n++) {
		id = find_caller(r, path, &step[n]);
		if (!id)
			return false;
		*leaf = *id;
	}
	if (*leaf != 0)
		n--;
	*leaf = add_stacks(r, path, n, *leaf);
	return *leaf != 0;
}

/* Sets *leaf to the node of the sample's path; 0: it has no frame. */
static bool
get_stack(struct pprof_reader *r, const struct waiting *sample, uint32_t *leaf)
{
	const struct cg_slice path = { (char *)r->path.at + sample->path,
		sample->len };
	const uint32_t *id;

	*leaf = 0;
	if (path.len == 0)
		return true;
	id = find_stack(r, path, sample->hash);
	if (!id)
		return false;
	*leaf = *id;
	return *leaf != 0 || add_path(r, path, leaf);
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
	size_t n = r->waiting.count;
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		if (sample[i].len > 0)
			sample[i].likely =
			    cg_map_get(&r->stacks, sample[i].hash);
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
	r->waiting.count = r->path.count = r->values.count = 0;
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
		.value = r->values.count };
	struct cg_slice path;
	struct waiting *to;
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
	if (!pprof_find_labels(r, &sample.labels))
		return false;
	if (sample.len > 0) {
		path.ptr = (char *)r->path.at + sample.path;
		path.len = sample.len;
		sample.hash = hash_path(r, path);
		cg_map_prefetch(&r->stacks, sample.hash);
	}
	to = pprof_append(r, &r->waiting, sizeof(sample));
	if (!to)
		return false;
	*to = sample;
	if (r->waiting.count < WAIT_SAMPLES && r->path.count < WAIT_BYTES)
		return true;
	return pprof_end_batch(r);
}
