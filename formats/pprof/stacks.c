/*
 * stacks.c - samples of a profile.proto: their stacks as a tree of
 * locations, their values summed.
 *
 * A sample is looked up by the bytes of its path, its locations: the numbers of
 * a known path are not read. Of a new path, leaf first, the bytes behind the
 * first number are the path of its caller, which is looked up as well; if that is
 * new, too, it is followed from its root on. A node knows the child that was
 * looked up last, so the table of children has only those with siblings.
 *
 * Adding a sample is a chain of dependent cache misses: each step of it is
 * prefetched for a whole batch.
 */
#include <stdlib.h>
#include <string.h>

#include "pprof.h"

#define BATCH 64
#define NODES_MAX 0x7fffffffu /* the bits of pprof_node.last */

#if defined(__GNUC__)
#define FETCH(at) __builtin_prefetch(at)
#else
#define FETCH(at) ((void)(at))
#endif

/* A sample in a block; its parts are in the block's lists. */
struct waiting {
	size_t path, value; /* the first of its ... */
	uint32_t len;       /* bytes of the path */
	uint32_t labels;
	uint32_t likely; /* the path that it has, if that is known */
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
		.hash = path.len > 0
			    ? cg_hash_bytes(r->tree.key, path.ptr, path.len)
			    : 0 };
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

static uint64_t
child_key(uint32_t parent, uint32_t location)
{
	return (uint64_t)parent << 32 | location;
}

/* False: out of memory. */
static bool
list_node(struct pprof_tree *t, uint32_t id)
{
	struct pprof_node *node = (struct pprof_node *)t->nodes.at + id;
	uint32_t *listed;

	if (node->listed)
		return true;
	listed =
	    cg_map_at(&t->children, child_key(node->parent, node->location));
	if (!listed)
		return false;
	*listed = id;
	node->listed = 1;
	return true;
}

/* 0: out of memory. */
static uint32_t
add_node(struct pprof_tree *t, uint32_t parent, uint32_t location)
{
	struct pprof_node *node = t->nodes.count < NODES_MAX
				      ? pprof_extend(&t->nodes, sizeof(*node))
				      : NULL;

	if (!node)
		return 0;
	node->parent = parent;
	node->location = location;
	return (uint32_t)t->nodes.count - 1;
}

/* The node of a location on top of another, added if it is new; 0: failed. */
static uint32_t
get_node(struct pprof_tree *t, uint32_t parent, uint32_t location)
{
	struct pprof_node *nodes = t->nodes.at;
	uint32_t last = nodes[parent].last, id = 0;

	if (last != 0 && nodes[last].location == location)
		return last;
	if (last != 0) {
		if (!list_node(t, last))
			return 0;
		id = cg_map_get(&t->children, child_key(parent, location));
	}
	if (id == 0)
		id = add_node(t, parent, location);
	nodes = t->nodes.at;
	nodes[parent].last = id & NODES_MAX;
	return id;
}

/* Lists the locations of a new path. */
static bool
take_steps(struct pprof_tree *t, struct cg_slice path)
{
	uint32_t *step;
	uint64_t id;

	t->steps.count = 0;
	while (pprof_take_varint(&path, &id)) {
		step = pprof_extend(&t->steps, sizeof(*step));
		if (!step)
			return false;
		*step = pprof_find_location(t, id);
		if (*step == 0)
			return false;
	}
	return true;
}

static struct pprof_path *
path_at(const struct pprof_tree *t, uint32_t id)
{
	return (struct pprof_path *)t->paths.at + id;
}

static bool
is_path(const struct pprof_tree *t, uint32_t id, struct cg_slice bytes)
{
	const struct pprof_path *path = path_at(t, id);

	return path->len == bytes.len &&
	       memcmp((const char *)t->path_bytes.at + path->at, bytes.ptr,
		   bytes.len) == 0;
}

/* The slot of a path, which contains 0 if it is new; NULL: out of memory. */
static uint32_t *
find_path(struct pprof_tree *t, struct cg_slice bytes, uint64_t hash)
{
	uint32_t *id;

	do
		id = cg_map_at(&t->path_ids, hash++);
	while (id && *id != 0 && !is_path(t, *id, bytes));
	return id;
}

/* Adds a path of known bytes; 0: out of memory. */
static uint32_t
list_path(struct pprof_tree *t, struct pprof_path path, uint64_t hash)
{
	const struct cg_slice bytes = { (char *)t->path_bytes.at + path.at,
		path.len };
	struct pprof_path *to = pprof_extend(&t->paths, sizeof(*to));
	uint32_t *id = to ? find_path(t, bytes, hash) : NULL;

	if (!id)
		return 0;
	*to = path;
	return *id = (uint32_t)t->paths.count - 1;
}

/* The path of the caller in the list of bytes, added if it is new; 0: failed. */
static uint32_t
get_caller(struct pprof_tree *t, struct pprof_path path)
{
	const struct cg_slice bytes = { (char *)t->path_bytes.at + path.at,
		path.len };
	uint64_t hash = cg_hash_bytes(t->key, bytes.ptr, bytes.len);
	const uint32_t *id = find_path(t, bytes, hash), *step;

	if (id && *id != 0)
		return *id;
	if (!id || !take_steps(t, bytes))
		return 0;
	step = t->steps.at;
	for (size_t i = t->steps.count; i-- > 0;) {
		path.node = get_node(t, path.node, step[i]);
		if (path.node == 0)
			return 0;
	}
	return list_path(t, path, hash);
}

/* Adds a new path; 0: out of memory. */
static uint32_t
add_path(struct pprof_tree *t, struct cg_slice bytes, uint64_t hash)
{
	struct pprof_path path = { .at = t->path_bytes.count,
		.len = (uint32_t)bytes.len },
			  caller = path;
	struct cg_slice rest = bytes;
	uint32_t location, parent = 0;
	uint64_t leaf;

	if (!pprof_add_bytes(&t->path_bytes, bytes) ||
	    !pprof_take_varint(&rest, &leaf))
		return 0;
	location = pprof_find_location(t, leaf);
	caller.at += bytes.len - rest.len;
	caller.len = (uint32_t)rest.len;
	if (location == 0 ||
	    (rest.len > 0 && (parent = get_caller(t, caller)) == 0))
		return 0;
	path.node = get_node(t, path_at(t, parent)->node, location);
	return path.node != 0 ? list_path(t, path, hash) : 0;
}

/* False: out of memory. */
static bool
get_path(
    struct pprof_tree *t, struct cg_slice bytes, uint64_t hash, uint32_t *path)
{
	const uint32_t *id;

	*path = 0;
	if (bytes.len == 0)
		return true;
	id = find_path(t, bytes, hash);
	if (!id)
		return false;
	*path = *id != 0 ? *id : add_path(t, bytes, hash);
	return *path != 0;
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
add_sample(struct pprof_tree *t, struct pprof_path *path, uint32_t labels)
{
	struct pprof_sample *sample = pprof_extend(&t->samples, sample_size(t));

	if (!sample)
		return NULL;
	sample->leaf = path->node;
	sample->labels = labels;
	path->sample = (uint32_t)t->samples.count;
	return sample;
}

static uint32_t *
listed_sample(struct pprof_tree *t, uint32_t path, uint32_t labels)
{
	return cg_map_at(&t->by_labels_and_path, (uint64_t)labels << 32 | path);
}

/*
 * The sample of path and labels, created if it is new; NULL: failed. A path
 * caches its last sample; samples with other labels are in a table.
 */
static struct pprof_sample *
get_sample(struct pprof_tree *t, uint32_t id, uint32_t labels)
{
	struct pprof_path *path = path_at(t, id);
	struct pprof_sample *sample;
	uint32_t *listed;

	if (path->sample == 0)
		return add_sample(t, path, labels);
	sample = pprof_sample(t, path->sample - 1);
	if (sample->labels == labels)
		return sample;
	listed = listed_sample(t, id, sample->labels);
	if (!listed)
		return NULL;
	*listed = path->sample;
	listed = listed_sample(t, id, labels);
	if (!listed || *listed == 0)
		return listed ? add_sample(t, path, labels) : NULL;
	path->sample = *listed;
	return pprof_sample(t, *listed - 1);
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
	const struct cg_slice bytes = { (char *)block->path.at + waiting->path,
		waiting->len };
	struct pprof_sample *sample = NULL;
	uint32_t path;

	if (get_path(t, bytes, waiting->hash, &path))
		sample = get_sample(t, path, waiting->labels);
	if (sample)
		add_values(t, sample,
		    (const int64_t *)block->values.at + waiting->value);
	t->nomem |= !sample;
}

/* Fetches what is needed of samples, each thing for all of them. */
static void
fetch_batch(const struct pprof_tree *t, struct waiting *sample, size_t n)
{
	const char *bytes = t->path_bytes.at;

	for (size_t i = 0; i < n; i++)
		if (sample[i].len > 0)
			cg_map_prefetch(&t->path_ids, sample[i].hash);
	for (size_t i = 0; i < n; i++) {
		sample[i].likely = sample[i].len == 0 ? 0
						      : cg_map_get(&t->path_ids,
							    sample[i].hash);
		FETCH(path_at(t, sample[i].likely));
	}
	for (size_t i = 0; i < n; i++) {
		const struct pprof_path *path = path_at(t, sample[i].likely);

		if (path->len > 0) {
			FETCH(bytes + path->at);
			FETCH(bytes + path->at + path->len);
		}
		if (path->sample != 0)
			FETCH(pprof_sample(t, path->sample - 1));
	}
}

bool
pprof_begin_tree(struct pprof_tree *t, size_t columns)
{
	t->columns = columns;
	cg_random_key(t->key, t);
	/* Node 0 is the parent of all roots; path 0 is its own. */
	return pprof_extend(&t->nodes, sizeof(struct pprof_node)) &&
	       pprof_extend(&t->paths, sizeof(struct pprof_path));
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

static void
free_list(struct pprof_list *list)
{
	free(list->at);
	*list = (struct pprof_list){ 0 };
}

void
pprof_end_tree(struct pprof_tree *t)
{
	free_list(&t->paths);
	free_list(&t->path_bytes);
	free_list(&t->steps);
	cg_map_free(&t->path_ids);
	cg_map_free(&t->children);
	cg_map_free(&t->by_labels_and_path);
}
