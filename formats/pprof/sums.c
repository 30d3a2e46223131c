/*
 * sums.c - samples of a profile.proto: their values summed by path and labels.
 *
 * A sample is looked up by the bytes of its path, which are its locations: the
 * numbers of a known path are not decoded. Until the end of the message,
 * nothing but its id is known of a location, so paths become stacks only then
 * (graph.c). The bytes are the shortest form of a path until then.
 *
 * Adding a sample is a chain of dependent cache misses: each step of it is
 * prefetched for a whole batch.
 */
#include <string.h>

#include "pprof.h"

#if defined(__GNUC__)
#define FETCH(at) __builtin_prefetch(at)
#else
#define FETCH(at) ((void)(at))
#endif

/* ---- Paths -------------------------------------------------------------- */

/*
 * Returns the bytes of a path, which are its locations as varints. They end
 * where the next path's bytes begin, or at the end of all bytes. Valid until a
 * path is added.
 */
struct cg_slice
pprof_path_bytes(const struct pprof_sums *s, uint32_t id)
{
	size_t at = pprof_path(s, id)->at, end = s->path_bytes.n;

	if (id + 1 < s->paths.n)
		end = pprof_path(s, id + 1)->at;
	return (struct cg_slice){ s->path_bytes.at + at, end - at };
}

bool
pprof_take_steps(struct pprof_sums *s, uint32_t path)
{
	struct cg_slice bytes = pprof_path_bytes(s, path);
	uint32_t *step;
	uint64_t id;

	s->steps.n = 0;
	while (proto_take_varint(&bytes, &id)) {
		step = proto_push(s->job, &s->steps);
		if (!step)
			return false;
		*step = pprof_find_location(s, id);
		if (*step == 0)
			return false;
	}
	return true;
}

static bool
is_path(const struct pprof_sums *s, uint32_t id, struct cg_slice bytes)
{
	struct cg_slice path = pprof_path_bytes(s, id);

	return path.len == bytes.len &&
	       memcmp(path.ptr, bytes.ptr, bytes.len) == 0;
}

/*
 * Returns the number of the path (list of locations) with these bytes and
 * their hash; 0: none.
 */
static uint32_t
find_path(const struct pprof_sums *s, struct cg_slice bytes, uint32_t hash)
{
	size_t at = hash;
	uint32_t id;

	do
		id = cg_slots_next(&s->path_ids, hash, &at);
	while (id != 0 && !is_path(s, id, bytes));
	return id;
}

/*
 * Adds a new path and its entry in the hash table. "bytes" are the path's
 * locations, "hash" is the hash of these bytes. Adds locations that are new,
 * too. Returns the path's number; 0: an error (reported).
 */
static uint32_t
add_path(struct pprof_sums *s, struct cg_slice bytes, uint32_t hash)
{
	struct pprof_path *path = proto_push(s->job, &s->paths);
	uint32_t new = (uint32_t)s->paths.n - 1;

	if (!path)
		return 0;
	path->at = s->path_bytes.n;
	if (!proto_append_bytes(s->job, &s->path_bytes, bytes) ||
	    !pprof_take_steps(s, new))
		return 0;
	if (!cg_slots_grow(&s->path_ids)) {
		(void)cg_reject_nomem(s->job);
		return 0;
	}
	cg_slots_fill(&s->path_ids, (struct cg_id_slot){ new, hash });
	return new;
}

static bool
get_path(
    struct pprof_sums *s, struct cg_slice bytes, uint32_t hash, uint32_t *path)
{
	*path = 0;
	if (bytes.len == 0)
		return true;
	*path = find_path(s, bytes, hash);
	if (*path == 0)
		*path = add_path(s, bytes, hash);
	return *path != 0;
}

/*
 * Returns the bytes of the path (list of locations) of a sample in the batch;
 * "" if it has none.
 */
static struct cg_slice
path_of(const struct pprof_batch *batch, const struct pprof_waiting *sample)
{
	if (sample->len == 0)
		return (struct cg_slice){ "", 0 };
	return (struct cg_slice){ batch->path.at + sample->path, sample->len };
}

/* ---- Samples ------------------------------------------------------------ */

static size_t
sample_size(const struct pprof_sums *s)
{
	return sizeof(struct pprof_sample) + s->columns * sizeof(int64_t);
}

struct pprof_sample *
pprof_sample(const struct pprof_sums *s, size_t i)
{
	return (
	    struct pprof_sample *)((char *)s->samples.at + i * sample_size(s));
}

static struct pprof_sample *
add_sample(struct pprof_sums *s, uint32_t id, uint32_t labels)
{
	const size_t n = s->samples.n;
	struct pprof_sample *sample;

	if (n >= UINT32_MAX ||
	    !cg_resize_to(s->job, &s->samples, n + 1, sample_size(s))) {
		(void)cg_reject_nomem(s->job);
		return NULL;
	}
	sample = pprof_sample(s, n);
	sample->path = id;
	sample->labels = labels;
	pprof_path(s, id)->sample = (uint32_t)s->samples.n;
	return sample;
}

static uint32_t
hash_sample(const struct pprof_sums *s, uint32_t path, uint32_t labels)
{
	const uint32_t both[] = { path, labels };

	return (uint32_t)cg_hash_bytes(
	    s->key, (const char *)both, sizeof(both));
}

/*
 * Looks up, in the table by labels and path, the sum of samples with this path
 * and set of labels. Returns its index + 1; 0: none.
 */
static uint32_t
find_sample(
    const struct pprof_sums *s, uint32_t path, uint32_t labels, uint32_t hash)
{
	const struct pprof_sample *sample;
	size_t at = hash;
	uint32_t id;

	while ((id = cg_slots_next(&s->by_labels_and_path, hash, &at)) != 0) {
		sample = pprof_sample(s, id - 1);
		if (sample->path == path && sample->labels == labels)
			break;
	}
	return id;
}

/*
 * Inserts the sample with index id - 1 into the table of samples by path and
 * labels, unless it is there. Only paths with several sets of labels use the
 * table. False: out of memory (reported).
 */
static bool
list_sample(struct pprof_sums *s, uint32_t id)
{
	const struct pprof_sample *sample = pprof_sample(s, id - 1);
	uint32_t hash = hash_sample(s, sample->path, sample->labels);

	if (find_sample(s, sample->path, sample->labels, hash) != 0)
		return true;
	if (!cg_slots_grow(&s->by_labels_and_path))
		return cg_reject_nomem(s->job);
	cg_slots_fill(&s->by_labels_and_path, (struct cg_id_slot){ id, hash });
	return true;
}

/*
 * Returns the sum of samples with path id and this set of labels, added if it
 * is new. Valid until the next one is added. NULL: out of memory (reported).
 */
static struct pprof_sample *
get_sample(struct pprof_sums *s, uint32_t id, uint32_t labels)
{
	struct pprof_path *path = pprof_path(s, id);
	struct pprof_sample *sample;
	uint32_t listed;

	if (path->sample == 0)
		return add_sample(s, id, labels);
	sample = pprof_sample(s, path->sample - 1);
	if (sample->labels == labels)
		return sample;
	/* A path has its last sample; a table has those of other labels. */
	if (!list_sample(s, path->sample))
		return NULL;
	listed = find_sample(s, id, labels, hash_sample(s, id, labels));
	if (listed == 0)
		return add_sample(s, id, labels);
	path->sample = listed;
	return pprof_sample(s, listed - 1);
}

/*
 * Adds a sample of the batch to the sum for its path and labels. Adds 1 to the
 * number of samples, and adds its values, which are signed. A sum that
 * overflows sets s->overflow. False: an error (reported).
 */
static bool
add_waiting(struct pprof_sums *s, const struct pprof_batch *batch,
    const struct pprof_waiting *waiting)
{
	const int64_t *value = batch->values.at;
	struct pprof_sample *sample;
	uint32_t path;

	if (!get_path(s, path_of(batch, waiting), waiting->hash, &path))
		return false;
	sample = get_sample(s, path, waiting->labels);
	if (!sample)
		return false;
	sample->count++;
	for (size_t i = 0; i < s->columns; i++)
		s->overflow |= __builtin_add_overflow(sample->cost[i],
		    value[waiting->value + i], &sample->cost[i]);
	return true;
}

/*
 * Computes hash and likely path of each sample of the batch, and prefetches
 * what adding the samples reads. Does each step for all samples, so that cache
 * misses overlap.
 */
static void
fetch_batch(const struct pprof_sums *s, struct pprof_batch *batch)
{
	struct pprof_waiting *sample = batch->sample;
	size_t n = batch->count;

	for (size_t i = 0; i < n; i++) {
		const struct cg_slice path = path_of(batch, &sample[i]);

		if (path.len == 0)
			continue;
		sample[i].hash =
		    (uint32_t)cg_hash_bytes(s->key, path.ptr, path.len);
		cg_slots_prefetch(&s->path_ids, sample[i].hash);
	}
	for (size_t i = 0; i < n; i++) {
		size_t at = sample[i].hash;

		sample[i].likely =
		    sample[i].len == 0
			? 0
			: cg_slots_next(&s->path_ids, sample[i].hash, &at);
		FETCH(pprof_path(s, sample[i].likely));
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t path = sample[i].likely;
		struct cg_slice bytes = pprof_path_bytes(s, path);

		if (bytes.len > 0) {
			FETCH(bytes.ptr);
			FETCH(bytes.ptr + bytes.len);
		}
		if (pprof_path(s, path)->sample != 0)
			FETCH(pprof_sample(s, pprof_path(s, path)->sample - 1));
	}
}

bool
pprof_begin_sums(struct pprof_sums *s, size_t columns)
{
	s->columns = columns;
	cg_random_key(s->key, s);
	/* Path 0 has no locations. */
	return proto_append_bytes(s->job, &s->path_bytes, cg_slice("")) &&
	       proto_push(s->job, &s->paths);
}

bool
pprof_add_batch(struct pprof_sums *s, struct pprof_batch *batch)
{
	bool ok = true;

	fetch_batch(s, batch);
	for (size_t i = 0; ok && !s->overflow && i < batch->count; i++)
		ok = add_waiting(s, batch, &batch->sample[i]);
	batch->count = batch->path.n = batch->values.n = 0;
	return ok;
}

void
pprof_end_sums(struct pprof_sums *s)
{
	cg_slots_free(&s->path_ids);
	cg_slots_free(&s->by_labels_and_path);
}
