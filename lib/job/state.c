/*
 * state.c - the state that a format keeps from one input to the next.
 */
#include <stdlib.h>

#include "job/job.h"

struct cg_state {
	struct cg_state *next;
	const void *key;
	void *memory;
	void (*release)(void *);
};

void *
cg_job_state(
    struct cg_job *job, const void *key, size_t size, void (*release)(void *))
{
	struct cg_state *state = job->state;

	while (state && state->key != key)
		state = state->next;
	if (state)
		return state->memory;
	state = malloc(sizeof(*state));
	if (state)
		state->memory = calloc(1, size);
	if (!state || !state->memory) {
		free(state);
		(void)cg_nomem(job);
		return NULL;
	}
	state->key = key;
	state->release = release;
	state->next = job->state;
	job->state = state;
	return state->memory;
}

void
cg_job_release(struct cg_job *job)
{
	while (job->state) {
		struct cg_state *state = job->state;

		job->state = state->next;
		state->release(state->memory);
		free(state->memory);
		free(state);
	}
}
