/*
 * kept.c - what a format keeps from one input to the next.
 */
#include <stdlib.h>

#include "job/job.h"

struct cg_kept {
	struct cg_kept *next;
	const void *key;
	void *memory;
	void (*release)(void *);
};

void *
cg_job_state(
    struct cg_job *job, const void *key, size_t size, void (*release)(void *))
{
	struct cg_kept *kept = job->kept;

	while (kept && kept->key != key)
		kept = kept->next;
	if (kept)
		return kept->memory;
	kept = malloc(sizeof(*kept));
	if (kept)
		kept->memory = calloc(1, size);
	if (!kept || !kept->memory) {
		free(kept);
		(void)cg_nomem(job);
		return NULL;
	}
	kept->key = key;
	kept->release = release;
	kept->next = job->kept;
	job->kept = kept;
	return kept->memory;
}

void
cg_job_release(struct cg_job *job)
{
	while (job->kept) {
		struct cg_kept *kept = job->kept;

		job->kept = kept->next;
		kept->release(kept->memory);
		free(kept->memory);
		free(kept);
	}
}
