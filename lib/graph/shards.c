/*
 * shards.c - merges the shards of a batch, each made by another process
 * (--shard). Their descriptions have the number of the shard, the number of
 * shards and a hash of the list of inputs, so that missing, duplicate and
 * foreign shards are detected.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"

#define WORDS (CG_SHARD_MAX / 64)

struct cg_shards {
	struct cg_shard any;  /* the first shard found */
	uint64_t seen[WORDS]; /* shards in inputs before the current one */
	uint64_t now[WORDS];  /* shards in the current input */
	size_t input, marked; /* its number; inputs with shards */
};

static bool
is_in_set(const uint64_t *set, uint32_t number)
{
	return set[(number - 1) / 64] >> (number - 1) % 64 & 1;
}

/*
 * Parses the description that a shard's output has: number and count of
 * shards, and a hash of the batch's list of inputs, such as "3/20 of
 * 0123456789abcdef". False: malformed.
 */
static bool
parse(struct cg_slice text, struct cg_shard *shard)
{
	uint64_t number, count;
	char list[20];

	if (!cg_take_u64(&text, &number) || !cg_take_char(&text, '/') ||
	    !cg_take_u64(&text, &count) || !cg_take_prefix(&text, " of ") ||
	    text.len != 16 || number == 0 || number > count ||
	    count > CG_SHARD_MAX)
		return false;
	memcpy(list, "0x", 2);
	memcpy(list + 2, text.ptr, 16);
	text = (struct cg_slice){ list, 18 };
	shard->number = (uint32_t)number;
	shard->count = (uint32_t)count;
	return cg_take_u64(&text, &shard->list) && text.len == 0;
}

static bool
new_shards(struct cg_build *build, const struct cg_shard *shard)
{
	build->shards = calloc(1, sizeof(*build->shards));
	if (!build->shards) {
		cg_build_nomem(build);
		return false;
	}
	build->shards->any = *shard;
	return true;
}

/*
 * Adds the shards of the input before to those seen, at the first shard
 * description of an input. One input may name a shard twice, but two inputs
 * may not. Must be called for every description.
 */
static void
begin_input(struct cg_build *build)
{
	struct cg_shards *shards = build->shards;

	if (shards->input == build->inputs)
		return;
	for (size_t i = 0; i < WORDS; i++)
		shards->seen[i] |= shards->now[i];
	memset(shards->now, 0, sizeof(shards->now));
	shards->input = build->inputs;
	shards->marked++;
}

/*
 * Records from a description that the current input contains a shard. The
 * builder fails if the shard was seen, or is of another batch. False: not such
 * a description, or no input; the caller must keep it.
 */
static bool
note_shard(struct cg_build *build, struct cg_slice text)
{
	struct cg_shards *shards;
	struct cg_shard shard;

	/*
	 * While a graph is copied there is no input: keep the description as
	 * it is.
	 */
	if (build->inputs == 0 || !parse(text, &shard))
		return false;
	if (!build->shards && !new_shards(build, &shard))
		return true;
	shards = build->shards;
	begin_input(build);
	if (shard.count != shards->any.count || shard.list != shards->any.list)
		cg_build_fail(
		    build, "cannot merge shards of different batches");
	else if (is_in_set(shards->seen, shard.number))
		cg_build_fail(build,
		    "shard %" PRIu32 " of %" PRIu32 " is given twice",
		    shard.number, shard.count);
	else
		shards->now[(shard.number - 1) / 64] |=
		    (uint64_t)1 << (shard.number - 1) % 64;
	return true;
}

void
cg_add_desc(struct cg_build *build, struct cg_slice key, struct cg_slice value)
{
	if (cg_equal(key, CG_SHARD_KEY) && note_shard(build, value))
		return;
	cg_add_desc_plain(build, key, value);
}

static void
describe(struct cg_build *build, struct cg_shard shard)
{
	char text[80];

	(void)snprintf(text, sizeof(text),
	    "%" PRIu32 "/%" PRIu32 " of %016" PRIx64, shard.number, shard.count,
	    shard.list);
	build->base = 0;
	cg_add_desc_plain(build, cg_slice(CG_SHARD_KEY), cg_slice(text));
}

int
cg_shards_end(struct cg_build *build, const struct cg_shard *own, bool partial)
{
	struct cg_shards *shards = build->shards;
	uint32_t have = 0, missing = 0;

	build->in = NULL; /* messages are about all inputs */
	for (uint32_t i = 1; shards && i <= shards->any.count; i++) {
		if (is_in_set(shards->seen, i) || is_in_set(shards->now, i))
			have++;
		else if (missing == 0)
			missing = i;
	}
	if (shards && own->count > 0)
		cg_build_fail(
		    build, "shards of a batch cannot be inputs of another");
	else if (shards && shards->marked < build->inputs)
		cg_build_fail(
		    build, "some inputs are shards of a batch, others are not");
	else if (missing > 0 && build->inputs > 1 && !partial)
		cg_build_fail(build,
		    "shard %" PRIu32 " of %" PRIu32 " is missing, "
		    "%" PRIu32 " found ({partial} merges what is there)",
		    missing, shards->any.count, have);
	for (uint32_t i = 1; missing > 0 && i <= shards->any.count; i++) {
		if (is_in_set(shards->seen, i) || is_in_set(shards->now, i))
			describe(build, (struct cg_shard){ i, shards->any.count,
					    shards->any.list });
	}
	if (own->count > 1)
		describe(build, *own);
	return cg_build_failed(build, NULL);
}
