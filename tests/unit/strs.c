/*
 * strs.c - interned strings: the hash against other implementations, and texts
 * that were made to collide.
 *
 * The numbers of SipHash-1-3 are those of Python 3.11 with PYTHONHASHSEED=0,
 * whose key is 0: hash(b"abc") & (2**64 - 1).
 */
#include "unit.h"

static const struct {
	const char *text;
	uint64_t hash;
} known[] = {
	{ "a", 0x407448d2b89b1813 },
	{ "abcdefg", 0x6db12aae9070f506 },
	{ "abcdefgh", 0x3f7b849c0b8e35ea },
	{ "abcdefghi", 0xf89b34a3d11eb6e5 },
	{ "The quick brown fox jumps over the lazy dog", 0x8df676d3d00c451e },
};

static void
test_hash(void)
{
	const uint64_t key[2] = { 0, 0 };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		CHECK(cg_hash_bytes(key, known[i].text,
			  strlen(known[i].text)) == known[i].hash);
}

#define BLOCK 16
#define BLOCKS 13

/*
 * Texts of 13 blocks, each of one of two kinds: a hash that multiplies word by
 * word, and forgets the top bit of a product, gives all of them one value.
 */
static void
make_text(char *text, size_t number)
{
	for (size_t i = 0; i < BLOCKS; i++) {
		char *block = text + i * BLOCK;

		memcpy(block, "abcdefghijklmnop", BLOCK);
		if (number >> i & 1) {
			block[7] = (char)(block[7] ^ 0x80);
			block[11] = (char)(block[11] ^ 0x80);
			block[15] = (char)(block[15] ^ 0x80);
		}
	}
}

/* The sum of the steps from each text's first slot to its own. */
static size_t
count_steps(const struct cg_strs *strs)
{
	const struct cg_slots *slots = &strs->slots;
	size_t mask = slots->count - 1, steps = 0;

	for (size_t i = 0; i < slots->count; i++) {
		if (slots->slot[i].id != 0)
			steps += (i - slots->slot[i].hash) & mask;
	}
	return steps;
}

static void
test_collisions(void)
{
	struct cg_strs strs = { 0 };
	char text[BLOCK * BLOCKS];
	const struct cg_slice all = { text, sizeof(text) };
	size_t count = (size_t)1 << BLOCKS;

	for (size_t i = 0; i < count; i++) {
		make_text(text, i);
		CHECK(cg_strs_add(&strs, all) == i + 1);
	}
	for (size_t i = 0; i < count; i++) {
		make_text(text, i);
		CHECK(cg_strs_find(&strs, all) == i + 1);
	}
	/* Half of the slots are used: half a step for each text. */
	CHECK(count_steps(&strs) < 2 * count);
	/* The slots are made again. */
	cg_strs_drop_slots(&strs);
	for (size_t i = count; i-- > 0;) {
		make_text(text, i);
		CHECK(cg_strs_add(&strs, all) == i + 1);
	}
	CHECK(count_steps(&strs) < 2 * count);
	cg_strs_free(&strs);
}

/* The table's own copy of a long text is known by its address. */
static void
test_long(void)
{
	struct cg_strs strs = { 0 };
	char text[4096];
	struct cg_slice all = { text, sizeof(text) }, copy, part;
	cg_str first, second;

	memset(text, 'a', sizeof(text));
	first = cg_strs_add(&strs, all);
	text[0] = 'b';
	second = cg_strs_add(&strs, all);
	copy = cg_strs_get(&strs, first);
	CHECK(first != second);
	CHECK(cg_map_get(&strs.longs, (uintptr_t)copy.ptr) == first);
	CHECK(cg_strs_add(&strs, copy) == first);
	CHECK(cg_strs_add(&strs, cg_strs_get(&strs, second)) == second);
	/* The same address with another length is another text. */
	part = (struct cg_slice){ copy.ptr, copy.len - 1 };
	CHECK(cg_strs_add(&strs, part) != first);
	cg_strs_free(&strs);
}

int
main(void)
{
	test_hash();
	test_collisions();
	test_long();
	return unit_end();
}
