/*
 * stage.c - a second step of reading, which a thread does with block after block
 * of what the first step makes.
 */
#include <stdlib.h>

#include "base/pieces.h"
#include "job/job.h"

/* One is filled, one is worked on, and one waits. */
#define BLOCKS 3

struct block {
	struct cg_stage *stage;
	void *own;
};

struct cg_stage {
	struct cg_stage_how how;
	struct cg_pieces *pieces; /* NULL: with one thread */
	struct block block[BLOCKS];
	size_t used; /* blocks that were put */
};

static void
work_on(void *piece)
{
	const struct block *block = piece;

	block->stage->how.work(block->stage->how.arg, block->own);
}

struct cg_stage *
cg_stage_new(const struct cg_stage_how *how)
{
	const struct cg_pieces_how work = { .threads = 2,
		.room = BLOCKS - 1,
		.work = work_on,
		.one_by_one = true };
	struct cg_stage *stage = calloc(1, sizeof(*stage));
	bool ok = stage != NULL;

	if (ok)
		stage->how = *how;
	for (size_t i = 0; ok && i < BLOCKS; i++) {
		stage->block[i].stage = stage;
		stage->block[i].own = calloc(1, how->own);
		ok = stage->block[i].own != NULL;
	}
	if (ok && cg_texts_threads(how->job, how->in) > 1) {
		stage->pieces = cg_pieces_new(&work);
		ok = stage->pieces != NULL;
	}
	if (ok)
		return stage;
	cg_stage_free(stage);
	return NULL;
}

void
cg_stage_free(struct cg_stage *stage)
{
	if (!stage)
		return;
	cg_pieces_free(stage->pieces);
	for (size_t i = 0; i < BLOCKS; i++) {
		if (stage->block[i].own)
			stage->how.close(stage->block[i].own);
		free(stage->block[i].own);
	}
	free(stage);
}

void *
cg_stage_block(const struct cg_stage *stage)
{
	return stage->block[stage->used % BLOCKS].own;
}

void
cg_stage_put(struct cg_stage *stage)
{
	struct block *block = &stage->block[stage->used % BLOCKS];

	if (!stage->pieces) {
		work_on(block);
		return;
	}
	cg_pieces_put(stage->pieces, block);
	stage->used++;
	/* Room for the one that is filled next. */
	if (cg_pieces_full(stage->pieces))
		(void)cg_pieces_take(stage->pieces);
}

void
cg_stage_end(struct cg_stage *stage)
{
	while (stage->pieces && cg_pieces_take(stage->pieces))
		continue;
	work_on(&stage->block[stage->used % BLOCKS]);
}
