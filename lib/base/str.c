/*
 * str.c - interned strings, and a hash table from numbers to numbers.
 *
 * Interning a million strings five times takes 0.6 s; it takes 1.8 s with
 * json-c's hash table (lh_kchar_table_new), which needs an allocation for each
 * string.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h> /* getentropy() */
#endif

#include "base/base.h"
#include "base/platform.h"

struct cg_str_entry {
	const char *ptr;
	uint32_t len;
};

/* ---- SipHash-1-3 -------------------------------------------------------- */

/*
 * A keyed hash: without the key, nobody can construct texts that collide.
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012,
 * with one round for each word and three at the end.
 */
struct sip {
	uint64_t a, b, c, d;
};

static inline uint64_t
rotate(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static inline void
sip_round(struct sip *v)
{
	v->a += v->b;
	v->c += v->d;
	v->b = rotate(v->b, 13) ^ v->a;
	v->d = rotate(v->d, 16) ^ v->c;
	v->a = rotate(v->a, 32);
	v->c += v->b;
	v->a += v->d;
	v->b = rotate(v->b, 17) ^ v->c;
	v->d = rotate(v->d, 21) ^ v->a;
	v->c = rotate(v->c, 32);
}

static inline void
sip_word(struct sip *v, uint64_t word)
{
	v->d ^= word;
	sip_round(v);
	v->a ^= word;
}

uint64_t
cg_hash_bytes(const uint64_t key[2], const char *ptr, size_t len)
{
	struct sip v = { key[0] ^ 0x736f6d6570736575,
		key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
		key[1] ^ 0x7465646279746573 };
	uint64_t word, last = (uint64_t)len << 56;

	for (; len >= sizeof(word); ptr += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, ptr, sizeof(word));
		sip_word(&v, le64toh(word));
	}
	word = 0;
	memcpy(&word, ptr, len);
	sip_word(&v, last | le64toh(word));
	v.c ^= 0xff;
	for (unsigned i = 0; i < 3; i++)
		sip_round(&v);
	return v.a ^ v.b ^ v.c ^ v.d;
}

void
cg_random_key(uint64_t key[2], const void *table)
{
	if (getentropy(key, 2 * sizeof(*key)) == 0)
		return;
	key[0] = (uintptr_t)table;
	key[1] = key[0] * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t
hash_text(const struct cg_strs *strs, struct cg_slice text)
{
	return (uint32_t)cg_hash_bytes(strs->key, text.ptr, text.len);
}

/* ---- Strings ------------------------------------------------------------ */

static bool
same_text(const struct cg_str_entry *entry, struct cg_slice text)
{
	return entry->len == text.len &&
	       memcmp(entry->ptr, text.ptr, text.len) == 0;
}

/*
 * Returns the id of the string with that text, looked up by its hash; 0: there
 * is none.
 */
static cg_str
find_str(const struct cg_strs *strs, struct cg_slice text, uint32_t hash)
{
	size_t at = hash;
	cg_str id;

	do
		id = cg_slots_next(&strs->slots, hash, &at);
	while (id != 0 && !same_text(&strs->entry[id], text));
	return id;
}

/*
 * Adds all strings to their hash table, which is empty: it was dropped to save
 * memory, or there are no strings yet. False: out of memory; the table is
 * empty again.
 */
static bool
list_strs(struct cg_strs *strs)
{
	bool ok = true;
	uint32_t hash;

	for (cg_str id = 1; ok && id < strs->count; id++) {
		hash = hash_text(strs, cg_strs_get(strs, id));
		ok =
		    cg_slots_add(&strs->slots, (struct cg_id_slot){ id, hash });
	}
	if (!ok)
		cg_slots_free(&strs->slots);
	return ok;
}

/*
 * Minimum size of long texts. Readers add names again with each sample; if a
 * long one is the table's own copy, its hash is not calculated again.
 */
#define LONG 512 /* bytes */

static uint32_t
find_long(const struct cg_strs *strs, struct cg_slice text)
{
	uint32_t id =
	    text.len < LONG ? 0 : cg_map_get(&strs->longs, (uintptr_t)text.ptr);

	return id != 0 && strs->entry[id].len == text.len ? id : 0;
}

/*
 * Maps the address of a long text's stored copy to the id of the string being
 * added. Readers often add such a copy again, which then needs no hash. False:
 * out of memory.
 */
static bool
note_long(struct cg_strs *strs, const char *copy, size_t len)
{
	uint32_t *id;

	if (len < LONG)
		return true;
	id = cg_map_at(&strs->longs, (uintptr_t)copy);
	if (id)
		*id = (uint32_t)strs->count;
	return id != NULL;
}

/*
 * Appends a string, a copy of text, and inserts it into the hash table;
 * returns its id. CG_STR_NONE: out of memory, too many strings, or a text of 4
 * GiB or more; nothing is added.
 */
static cg_str
new_str(struct cg_strs *strs, struct cg_slice text, uint32_t hash)
{
	cg_str id = (cg_str)strs->count;
	char *copy;

	if (text.len >= UINT32_MAX || strs->count >= CG_STR_NONE ||
	    !cg_slots_grow(&strs->slots) ||
	    !cg_grow_raw(&strs->entry, &strs->cap, strs->count + 1,
		sizeof(*strs->entry)))
		return CG_STR_NONE;
	copy = cg_arena_copy(&strs->text, text);
	if (!copy || !note_long(strs, copy, text.len))
		return CG_STR_NONE;
	strs->entry[strs->count++] =
	    (struct cg_str_entry){ copy, (uint32_t)text.len };
	cg_slots_fill(&strs->slots, (struct cg_id_slot){ id, hash });
	return id;
}

cg_str
cg_strs_add(struct cg_strs *strs, struct cg_slice text)
{
	uint32_t hash, id;

	if (text.len == 0)
		return 0;
	/* Many inputs have the same names in the same order. */
	id = strs->last + 1;
	if (id < strs->count && same_text(&strs->entry[id], text))
		return strs->last = id;
	id = find_long(strs, text);
	if (id != 0)
		return id;
	if (strs->count == 0) {
		strs->count = 1; /* entry 0 is "" */
		cg_random_key(strs->key, strs);
	}
	if (strs->slots.count == 0 && !list_strs(strs))
		return CG_STR_NONE;
	hash = hash_text(strs, text);
	id = find_str(strs, text, hash);
	if (id == 0)
		id = new_str(strs, text, hash);
	if (id != CG_STR_NONE)
		strs->last = id;
	return id;
}

cg_str
cg_strs_find(const struct cg_strs *strs, struct cg_slice text)
{
	return text.len == 0 ? 0 : find_str(strs, text, hash_text(strs, text));
}

void
cg_strs_drop_slots(struct cg_strs *strs)
{
	cg_slots_free(&strs->slots);
}

struct cg_slice
cg_strs_get(const struct cg_strs *strs, cg_str id)
{
	if (id == 0 || id >= strs->count)
		return (struct cg_slice){ "", 0 };
	return (struct cg_slice){ strs->entry[id].ptr, strs->entry[id].len };
}

void
cg_strs_free(struct cg_strs *strs)
{
	free(strs->entry);
	cg_slots_free(&strs->slots);
	cg_arena_free(&strs->text);
	cg_map_free(&strs->longs);
	*strs = (struct cg_strs){ 0 };
}

/*
 * Returns the first slot to try for a key. Sixteen neighbouring keys stay
 * neighbours, because ids that are used together are often close: a lookup in
 * a table of millions is then rarely a cache miss.
 */
static size_t
map_begin(const struct cg_map_table *map, uint64_t key)
{
	uint64_t hash = cg_hash_u64(key >> 4 ^ cg_hash_seed(map->slot));

	return (size_t)(hash * 16 + (key & 15)) & (map->slots - 1);
}

static struct cg_map_slot *
map_find(const struct cg_map_table *map, uint64_t key)
{
	size_t mask = map->slots - 1, at = map_begin(map, key);

	while (map->slot[at].used && map->slot[at].key != key)
		at = (at + 1) & mask;
	return &map->slot[at];
}

/*
 * Rebuilds the map's hash table with this number of slots. Keys below
 * map->limit are stored in an array, so they are not inserted. False: out of
 * memory; nothing changes.
 */
static bool
map_rehash(struct cg_map_table *map, size_t slots)
{
	struct cg_map_table other = *map;

	other.slots = slots;
	other.count = 0;
	other.slot = calloc(slots, sizeof(*other.slot));
	if (!other.slot)
		return false;
	for (size_t i = 0; i < map->slots; i++) {
		if (!map->slot[i].used || map->slot[i].key < map->limit)
			continue;
		*map_find(&other, map->slot[i].key) = map->slot[i];
		other.count++;
	}
	free(map->slot);
	*map = other;
	return true;
}

/*
 * Enlarges the array for small keys, and moves the fitting keys from the hash
 * table to it. Does nothing if these are few: the table then takes less
 * memory. False: out of memory.
 */
static bool
map_widen(struct cg_map_table *map)
{
	size_t limit = map->limit * 2, low = 0;
	uint32_t *dense;

	if (limit < map->slots * 4)
		limit = map->slots * 4;
	for (size_t i = 0; i < map->slots; i++)
		low += map->slot[i].used && map->slot[i].key < limit;
	if (low < (limit - map->limit) / 8)
		return true;
	dense = realloc(map->dense, limit * sizeof(*dense));
	if (!dense)
		return false;
	memset(dense + map->limit, 0, (limit - map->limit) * sizeof(*dense));
	for (size_t i = 0; i < map->slots; i++) {
		if (map->slot[i].used && map->slot[i].key < limit)
			dense[map->slot[i].key] = map->slot[i].value;
	}
	map->dense = dense;
	map->limit = limit;
	return map_rehash(map, map->slots);
}

static bool
map_grow(struct cg_map_table *map)
{
	if (map->slots == 0)
		return map_rehash(map, 64);
	return map_widen(map) &&
	       (map->count * 2 < map->slots || map_rehash(map, map->slots * 2));
}

static struct cg_map_table *
map_table(struct cg_map *map)
{
	if (!map->table)
		map->table = calloc(1, sizeof(*map->table));
	return map->table;
}

uint32_t *
cg_map_at(struct cg_map *of, uint64_t key)
{
	struct cg_map_table *map = map_table(of);
	struct cg_map_slot *slot;

	if (!map)
		return NULL;
	if (key < map->limit)
		return &map->dense[key];
	if (map->count * 4 >= map->slots * 3) {
		if (!map_grow(map))
			return NULL;
		if (key < map->limit)
			return &map->dense[key];
	}
	slot = map_find(map, key);
	if (!slot->used) {
		slot->used = 1;
		slot->key = key;
		map->count++;
	}
	return &slot->value;
}

uint32_t
cg_map_get(const struct cg_map *of, uint64_t key)
{
	const struct cg_map_table *map = of->table;

	if (!map)
		return 0;
	if (key < map->limit)
		return map->dense[key];
	return map->slots ? map_find(map, key)->value : 0;
}

void
cg_map_prefetch(const struct cg_map *of, uint64_t key)
{
	const struct cg_map_table *map = of->table;

	if (!map)
		return;
	if (key < map->limit)
		CG_PREFETCH(&map->dense[key]);
	else if (map->slots > 0)
		CG_PREFETCH(&map->slot[map_begin(map, key)]);
}

void
cg_map_clear(struct cg_map *map)
{
	if (!map->table)
		return;
	free(map->table->slot);
	free(map->table->dense);
	*map->table = (struct cg_map_table){ 0 };
}

void
cg_map_free(struct cg_map *map)
{
	cg_map_clear(map);
	free(map->table);
	map->table = NULL;
}

/*
 * Returns a hash of a name's length and its first and last eight bytes. This
 * is fast for long names. Names differ mostly in their last bytes, which are
 * folded down before multiplying.
 */
uint32_t
cg_hash_ends(struct cg_slice name)
{
	uint64_t first = 0, last = 0, hash;

	if (name.len >= 8) {
		memcpy(&first, name.ptr, 8);
		memcpy(&last, name.ptr + name.len - 8, 8);
	} else if (name.len > 0) {
		memcpy(&first, name.ptr, name.len);
	}
	hash = (first + name.len) * 0x9e3779b97f4a7c15 ^ last;
	hash = (hash ^ hash >> 32) * 0xff51afd7ed558ccd;
	return (uint32_t)(hash >> 32);
}
