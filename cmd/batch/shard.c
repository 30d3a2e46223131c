/*
 * shard.c - a share of the inputs, for one of many machines.
 *
 * Whose an input is depends on its path alone, not on its place in the list:
 * the hash is FNV-1a of 64 bits with a finisher, by which the share is what
 * remains of a division. The list is known by the sum of the hashes, whatever
 * its order.
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"

static uint64_t
hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 33;
}

/* Of its path as it would be below the folder of outputs. */
static bool
hash_path(const struct task *task, uint64_t *h)
{
	char *path = safe_path(task_path(task));

	if (path != NULL)
		*h = hash(path);
	free(path);
	return path != NULL;
}

int
take_share(struct batch *batch)
{
	const struct args *args = batch->args;
	uint64_t *of = calloc(batch->tasks + 1, sizeof(*of));
	bool ok = of != NULL;

	for (size_t i = 0; ok && i < batch->tasks; i++) {
		ok = hash_path(&batch->task[i], &of[i]);
		batch->list += of[i];
	}
	/* What makes one output stays together. */
	for (size_t i = 0; ok && args->shards > 0 && i < batch->tasks; i++) {
		const struct task *lead = &batch->task[batch->task[i].leader];
		uint64_t h = of[batch->task[i].leader];

		if (lead->group > 0 && args->group_by != NULL)
			h = hash(batch->group[lead->group - 1].output);
		if (h % args->shards != args->shard - 1)
			batch->task[i].state = ELSEWHERE;
	}
	free(of);
	return ok ? CG_OK : cg_nomem(args->job);
}
