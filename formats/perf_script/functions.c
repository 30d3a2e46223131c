/*
 * functions.c - the functions of perf script's frames, by name and object,
 * through a cache of recently seen ones.
 *
 * The entries of all frames of a sample are prefetched together: waiting for
 * memory frame by frame took a quarter of the time.
 */
#include <stdlib.h>
#include <string.h>

#include "perf_script.h"

#if defined(__GNUC__)
#define PREFETCH(at) __builtin_prefetch(at)
#else
#define PREFETCH(at) ((void)(at))
#endif

/* Entries of the cache; a power of two. */
#define CACHE_SIZE 16384u

struct perf_known_fn {
	struct cg_slice name, object; /* in the graph */
	cg_name name_id;
	cg_object object_id;
	cg_fn fn;
};

bool
perf_script_fns_open(struct perf_fns *fns, struct cg_build *build)
{
	fns->build = build;
	fns->known = calloc(CACHE_SIZE, sizeof(*fns->known));
	return fns->known != NULL;
}

void
perf_script_fns_close(struct perf_fns *fns)
{
	free(fns->known);
}

void
perf_script_prefetch_fn(
    const struct perf_fns *fns, const struct perf_step *step)
{
	PREFETCH(&fns->known[step->hash & (CACHE_SIZE - 1)]);
}

static bool
same_text(struct cg_slice a, struct cg_slice b)
{
	return a.len == b.len &&
	       (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static void
find_fn(struct perf_fns *fns, struct perf_step *step)
{
	struct perf_known_fn *known =
	    &fns->known[step->hash & (CACHE_SIZE - 1)];
	struct cg_build *build = fns->build;
	cg_name object;

	if (known->fn == 0 || !same_text(known->name, step->name_text) ||
	    !same_text(known->object, step->object_text)) {
		known->name_id = cg_add_name(build, step->name_text);
		known->name = cg_get_name(build, known->name_id);
		object = cg_add_name(build, step->object_text);
		known->object = cg_get_name(build, object);
		known->object_id = cg_add_object(build, step->object_text);
		known->fn =
		    cg_add_fn_named(build, known->name_id, 0, known->object_id);
	}
	step->fn = known->fn;
	step->name = known->name_id;
	step->object = known->object_id;
}

void
perf_script_find_fns(struct perf_fns *fns, struct perf_stack *stack)
{
	for (size_t i = stack->found; i < stack->count; i++)
		PREFETCH(fns->known[stack->frame[i].hash & (CACHE_SIZE - 1)]
			     .name.ptr);
	for (; stack->found < stack->count; stack->found++)
		find_fn(fns, &stack->frame[stack->found]);
}
