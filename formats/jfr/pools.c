/*
 * pools.c - finds the constants of a chunk.
 *
 * Constants are in checkpoints. The header refers to the last checkpoint, each
 * checkpoint to the one before it. A checkpoint has, for each class, its id,
 * the number of constants, and the key and value of each. Only constants of
 * classes that are used are kept. If a key is repeated, the constant of the
 * first checkpoint in the file counts, as in the JDK.
 */
#include "jfr.h"

#define CHECKPOINT_TYPE 1
/*
 * Memory bound: constants of about CONSTANT_SIZE bytes may take CONSTANT_TIMES
 * the chunk's size, so each needs 8 bytes of it; JVMs write more.
 */
#define CONSTANT_SIZE 64
#define CONSTANT_TIMES 8

static bool
add_constant(struct jfr_chunk *chunk, const struct jfr_class *class,
    uint64_t key, uint32_t at)
{
	uint32_t *index;

	/* Of two classes with the same name the first one counts. */
	if (class->record >= JFR_POOLS ||
	    class != &chunk->class.at[chunk->pool[class->record] - 1])
		return true;
	index = cg_map_in(chunk->job, &chunk->keys[class->record], key);
	if (!index)
		return false;
	if (*index == 0) {
		if (cg_is_bomb((uint64_t)chunk->constant.n * CONSTANT_SIZE,
			(uint64_t)(chunk->bytes.end - chunk->bytes.at),
			CONSTANT_TIMES))
			return cg_reject_at(chunk->job,
			    (const char *)chunk->bytes.at + at,
			    "expected fewer constants in a chunk of its size");
		if (!cg_push(chunk->job, &chunk->constant))
			return false;
		*index = (uint32_t)chunk->constant.n;
	}
	chunk->constant.at[*index - 1] = (struct jfr_constant){ .at = at };
	return true;
}

/*
 * Takes the constants of one class in a checkpoint off *b. Stores key and
 * offset of each if the reader uses the class; their values are read on
 * demand. False: an error (reported).
 */
static bool
take_pool(struct jfr_chunk *chunk, struct jfr_bytes *b)
{
	const struct jfr_bytes at = *b;
	const struct jfr_class *class;
	uint64_t id, count, key;

	if (!jfr_take_number(b, JFR_LONG, &id) ||
	    !jfr_take_number(b, JFR_INT, &count))
		return jfr_expected(chunk, &at, "a list of constants");
	class = jfr_find_class(chunk, id);
	if (!class)
		return jfr_expected(chunk, &at, "constants of a known class");
	for (; count > 0; count--) {
		uint32_t value;

		if (!jfr_take_number(b, JFR_LONG, &key))
			return jfr_expected(chunk, b, "the key of a constant");
		value = (uint32_t)(b->at - chunk->bytes.at);
		if (!jfr_take_record(chunk, class, b, NULL) ||
		    !add_constant(chunk, class, key, value))
			return false;
	}
	return true;
}

/*
 * Reads the constants of the checkpoint at *offset, and moves *offset to the
 * checkpoint before it; 0: there is none. The checkpoint must end at or before
 * `limit`, so that none is read twice. False: an error (reported).
 */
static bool
take_checkpoint(struct jfr_chunk *chunk, uint64_t *offset, uint64_t limit)
{
	struct jfr_bytes b = jfr_bytes_at(chunk, *offset);
	const unsigned char *from = b.at;
	uint64_t size, type, skip, delta, kind, pools;

	if (*offset >= limit || !jfr_take_number(&b, JFR_INT, &size) ||
	    !jfr_take_number(&b, JFR_LONG, &type) || type != CHECKPOINT_TYPE ||
	    size < (uint64_t)(b.at - from) || size > limit - *offset) {
		b.at = from;
		return jfr_expected(chunk, &b, "a checkpoint of constants");
	}
	b.end = from + size;
	if (!jfr_take_number(&b, JFR_LONG, &skip) || /* start */
	    !jfr_take_number(&b, JFR_LONG, &skip) || /* duration */
	    !jfr_take_number(&b, JFR_LONG, &delta) ||
	    !jfr_take_fixed(&b, 1, &kind) ||
	    !jfr_take_number(&b, JFR_INT, &pools))
		return jfr_expected(chunk, &b, "a whole checkpoint");
	for (; pools > 0; pools--)
		if (!take_pool(chunk, &b))
			return false;
	*offset = delta != 0 ? *offset + delta : 0;
	return true;
}

bool
jfr_read_pools(struct jfr_chunk *chunk)
{
	uint64_t at = chunk->pools, limit;
	uint64_t size = (uint64_t)(chunk->bytes.end - chunk->bytes.at);

	for (limit = size; at != 0;) {
		uint64_t from = at;

		if (!take_checkpoint(chunk, &at, limit))
			return false;
		limit = from;
	}
	return true;
}
