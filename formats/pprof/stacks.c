/*
 * stacks.c - samples of a profile.proto: their stacks as a tree of
 * locations, their values summed.
 *
 * A stack is looked up by the bytes of its locations, leaf first: the bytes
 * after the first number are the stack of its caller. So for a new path, known
 * callers are searched from the leaf on. The numbers of a known path are not
 * read.
 *
 * Adding a sample is a chain of dependent cache misses: each step of it is
 * prefetched for a whole batch.
 */
#include <string.h>

#include "pprof.h"

#define BATCH 64
#define WORD sizeof(uint64_t)

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

/* A sample in a block; its parts are in the block's lists. */
struct waiting {
	size_t path, value; /* the first of its ... */
	uint32_t len;       /* bytes of the path */
	uint32_t labels;
	uint32_t likely; /* the node that it has, if it has one */
	uint64_t hash;   /* of its path */
};

bool
pprof_add_bytes(struct pprof_list *list, struct cg_slice bytes)
{
	/* One more: the list is never NULL. */
	if (!cg_grow(&list->at, &list->cap, list->count + bytes.len + 1, 1))
		return false;
	if (bytes.len > 0)
		memcpy((char *)list->at + list->count, bytes.ptr, bytes.len);
	list->count += bytes.len;
	return true;
}

/* ---- Hashes of paths ----------------------------------------------------- */

/*
 * A path is hashed from its end on, in words: so its hash is a step on the way to
 * those of the paths that it ends. The sum has so many words, which grow. Paths
 * come from the file: see cg_hash_bytes().
 */
static inline uint64_t
hash_on(struct cg_sip *sum, size_t *words, struct cg_slice path)
{
	struct cg_sip all;
	uint64_t word = 0;

	for (; path.len / WORD > *words; ++*words) {
		memcpy(&word, path.ptr + path.len - (*words + 1) * WORD, WORD);
		cg_sip_word(sum, word);
	}
	all = *sum;
	word = 0;
	/* The first word may have bytes of the next one. */
	if (path.len < WORD)
		memcpy(&word, path.ptr, path.len);
	else
		memcpy(&word, path.ptr, WORD);
	if (path.len % WORD > 0)
		cg_sip_word(&all, word);
	return cg_sip_end(all, path.len);
}

static uint64_t
hash_path(const uint64_t key[2], struct cg_slice path)
{
	struct cg_sip sum;
	size_t words = 0;

	cg_sip_begin(&sum, key);
	return hash_on(&sum, &words, path);
}

/* ---- Blocks -------------------------------------------------------------- */

bool
pprof_fill_block(
    struct pprof_block *block, const struct pprof_reader *r, uint32_t labels)
{
	const struct cg_slice path = { r->path.at, r->path.count };
	const struct cg_slice values = { r->values.at,
		r->values.count * sizeof(uint64_t) };
	const struct waiting sample = { .path = block->path.count,
		.value = block->values.count / sizeof(uint64_t),
		.len = (uint32_t)path.len,
		.labels = labels,
		.hash = path.len ? hash_path(r->tree.key, path) : 0 };
	struct waiting *to;

	if (!pprof_add_bytes(&block->path, path) ||
	    !pprof_add_bytes(&block->values, values))
		return false;
	to = pprof_extend(&block->waiting, sizeof(*to));
	if (to)
		*to = sample;
	return to != NULL;
}

/* ---- Stacks ------------------------------------------------------------- */

/* Lists the steps of a new path. */
static bool
take_steps(struct pprof_tree *t, struct cg_slice path)
{
	struct cg_slice rest = path;
	struct cg_sip sum;
	size_t words = 0;
	struct step *step;
	uint64_t id;

	t->steps.count = 0;
	for (const char *at = path.ptr; pprof_take_varint(&rest, &id);
	     at = rest.ptr) {
		step = pprof_extend(&t->steps, sizeof(*step));
		if (!step)
			return false;
		step->at = (uint32_t)(at - path.ptr);
		step->location = pprof_find_location(t, id);
		if (step->location == 0)
			return false;
	}
	step = t->steps.at;
	cg_sip_begin(&sum, t->key);
	for (size_t i = t->steps.count; i-- > 0;) {
		rest.ptr = path.ptr + step[i].at;
		rest.len = path.len - step[i].at;
		step[i].hash = hash_on(&sum, &words, rest);
	}
	return true;
}

/*
 * The slot of the node for a path; it contains 0 if there is no such node yet.
 * NULL: out of memory.
 */
static uint32_t *
find_stack(struct pprof_tree *t, struct cg_slice path, uint64_t hash)
{
	const struct pprof_node *nodes = t->nodes.at;
	const char *paths = t->paths.at;
	uint32_t *id;

	for (;; hash++) {
		id = cg_map_at(&t->stacks, hash);
		if (!id || *id == 0 ||
		    (nodes[*id].len == path.len &&
			memcmp(paths + nodes[*id].path, path.ptr, path.len) ==
			    0))
			return id;
	}
}

/* The slot of the caller that the path has from a step on. */
static uint32_t *
find_caller(struct pprof_tree *t, struct cg_slice path, const struct step *step)
{
	path.ptr += step->at;
	path.len -= step->at;
	return find_stack(t, path, step->hash);
}

/* Adds nodes for the first n steps of the path on top of parent; 0: failed. */
static uint32_t
add_stacks(
    struct pprof_tree *t, struct cg_slice path, size_t n, uint32_t parent)
{
	const struct step *step = t->steps.at;
	size_t from = t->paths.count;

	if (!pprof_add_bytes(&t->paths, path))
		return 0;
	while (n-- > 0) {
		struct pprof_node *node =
		    pprof_extend(&t->nodes, sizeof(*node));
		uint32_t *id = node ? find_caller(t, path, &step[n]) : NULL;

		if (!id)
			return 0;
		node->parent = parent;
		node->location = step[n].location;
		node->path = from + step[n].at;
		node->len = (uint32_t)path.len - step[n].at;
		*id = parent = (uint32_t)t->nodes.count - 1;
	}
	return parent;
}

/* Adds a new path; *leaf becomes its node. */
static bool
add_path(struct pprof_tree *t, struct cg_slice path, uint32_t *leaf)
{
	const struct step *step;
	uint32_t *id;
	size_t n = 1;

	if (!take_steps(t, path))
		return false;
	step = t->steps.at;
	for (*leaf = 0; n < t->steps.count && *leaf == 0; n++) {
		id = find_caller(t, path, &step[n]);
		if (!id)
			return false;
		*leaf = *id;
	}
	if (*leaf != 0)
		n--;
	*leaf = add_stacks(t, path, n, *leaf);
	return *leaf != 0;
}

/* Sets *leaf to the node of a path; 0: it has no frame. */
static bool
get_stack(
    struct pprof_tree *t, struct cg_slice path, uint64_t hash, uint32_t *leaf)
{
	const uint32_t *id;

	*leaf = 0;
	if (path.len == 0)
		return true;
	id = find_stack(t, path, hash);
	if (!id)
		return false;
	*leaf = *id;
	return *leaf != 0 || add_path(t, path, leaf);
}

/* ---- Samples ------------------------------------------------------------ */

static size_t
sample_size(const struct pprof_tree *t)
{
	return sizeof(struct pprof_sample) + t->columns * sizeof(int64_t);
}

struct pprof_sample *
pprof_sample(const struct pprof_tree *t, size_t i)
{
	return (
	    struct pprof_sample *)((char *)t->samples.at + i * sample_size(t));
}

static struct pprof_sample *
add_sample(struct pprof_tree *t, uint32_t leaf, uint32_t labels)
{
	struct pprof_sample *sample = pprof_extend(&t->samples, sample_size(t));
	struct pprof_node *nodes = t->nodes.at;

	if (!sample)
		return NULL;
	sample->leaf = leaf;
	sample->labels = labels;
	nodes[leaf].sample = (uint32_t)t->samples.count;
	return sample;
}

static uint32_t *
listed_sample(struct pprof_tree *t, uint32_t leaf, uint32_t labels)
{
	return cg_map_at(&t->by_labels_and_leaf, (uint64_t)labels << 32 | leaf);
}

/*
 * The sample of leaf and labels, created if it is new; NULL: failed. A node
 * caches its last sample; samples with other labels are in a table.
 */
static struct pprof_sample *
get_sample(struct pprof_tree *t, uint32_t leaf, uint32_t labels)
{
	uint32_t *last = &((struct pprof_node *)t->nodes.at)[leaf].sample, *id;
	struct pprof_sample *sample;

	if (*last == 0)
		return add_sample(t, leaf, labels);
	sample = pprof_sample(t, *last - 1);
	if (sample->labels == labels)
		return sample;
	id = listed_sample(t, leaf, sample->labels);
	if (!id)
		return NULL;
	*id = *last;
	id = listed_sample(t, leaf, labels);
	if (!id || *id == 0)
		return id ? add_sample(t, leaf, labels) : NULL;
	*last = *id;
	return pprof_sample(t, *id - 1);
}

/* Sums int64 values. */
static void
add_values(
    struct pprof_tree *t, struct pprof_sample *sample, const int64_t *value)
{
	sample->count++;
	for (size_t i = 0; i < t->columns; i++)
		t->overflow |= __builtin_add_overflow(
		    sample->cost[i], value[i], &sample->cost[i]);
}

static void
add_waiting(struct pprof_tree *t, const struct pprof_block *block,
    const struct waiting *waiting)
{
	const struct cg_slice path = { (char *)block->path.at + waiting->path,
		waiting->len };
	struct pprof_sample *sample = NULL;
	uint32_t leaf;

	if (get_stack(t, path, waiting->hash, &leaf))
		sample = get_sample(t, leaf, waiting->labels);
	if (sample)
		add_values(t, sample,
		    (const int64_t *)block->values.at + waiting->value);
	t->nomem |= !sample;
}

/* Fetches what is needed of samples, each thing for all of them. */
static void
fetch_batch(const struct pprof_tree *t, struct waiting *sample, size_t n)
{
	const struct pprof_node *nodes = t->nodes.at;

	for (size_t i = 0; i < n; i++)
		if (sample[i].len > 0)
			cg_map_prefetch(&t->stacks, sample[i].hash);
	for (size_t i = 0; i < n; i++) {
		sample[i].likely = sample[i].len == 0
				       ? 0
				       : cg_map_get(&t->stacks, sample[i].hash);
		FETCH(&nodes[sample[i].likely]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct pprof_node *node = &nodes[sample[i].likely];

		if (sample[i].likely == 0)
			continue;
		FETCH((char *)t->paths.at + node->path);
		FETCH((char *)t->paths.at + node->path + node->len);
		if (node->sample != 0)
			FETCH(pprof_sample(t, node->sample - 1));
	}
}

bool
pprof_begin_tree(struct pprof_tree *t, size_t columns)
{
	t->columns = columns;
	cg_random_key(t->key, t);
	/* Node 0 is the parent of all roots. */
	return pprof_extend(&t->nodes, sizeof(struct pprof_node)) != NULL;
}

void
pprof_add_block(struct pprof_tree *t, struct pprof_block *block)
{
	struct waiting *sample = block->waiting.at;
	size_t n = block->waiting.count, batch;

	for (; n > 0 && !t->nomem && !t->overflow;
	     n -= batch, sample += batch) {
		batch = n < BATCH ? n : BATCH;
		fetch_batch(t, sample, batch);
		for (size_t i = 0; i < batch && !t->nomem; i++)
			add_waiting(t, block, &sample[i]);
	}
	block->waiting.count = block->path.count = block->values.count = 0;
}
