/*
 * known_fns.c - functions of frames, looked up by threads while one adds them: a
 * thread finds the right one or none.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cgconv_expert.h"
#include "cgconv_parse.h"
#include "graph/build.h"
#include "unit.h"

/* More than are kept. */
#define FNS 80000
#define THREADS 3
#define NAME_SIZE 64

static int fault;
static struct unit_log message;
static struct cg_diag diag = { .report = unit_report, .arg = &message };
static struct cg_known_fns *fns;
static atomic_bool ended;

/* The first names differ in the middle only: they have one hash. */
static struct cg_slice
make_name(char *name, size_t i)
{
	int n = snprintf(
	    name, NAME_SIZE, i < 100 ? "function%zufunction" : "%zu", i / 2);

	return (struct cg_slice){ name, (size_t)n };
}

/* Each name is in an object and in none; one path is not in its plain form. */
static struct cg_slice
make_object(size_t i)
{
	return cg_slice(i % 2 == 0 ? "" : i % 4 == 1 ? "/lib/a" : "/lib//b");
}

/* Looks functions up; returns how many of them are wrong ones. */
static void *
look_up(void *arg)
{
	uint64_t seed = *(uint64_t *)arg;
	uintptr_t wrong = 0;
	char name[NAME_SIZE];

	while (!atomic_load(&ended)) {
		size_t i = unit_below(&seed, FNS);
		cg_fn fn =
		    cg_find_known_fn(fns, make_name(name, i), make_object(i));

		wrong += fn != 0 && fn != i + 1;
	}
	return (void *)wrong;
}

static void
add_all(void)
{
	char name[NAME_SIZE];
	size_t good = 0, found = 0;

	for (size_t i = 0; i < FNS; i++)
		good += cg_add_known_fn(
			    fns, make_name(name, i), make_object(i)) == i + 1;
	CHECK(good == FNS);
	good = 0;
	for (size_t i = 0; i < FNS; i++) {
		struct cg_slice text = make_name(name, i);
		cg_fn fn = cg_find_known_fn(fns, text, make_object(i));

		found += fn != 0;
		good += (fn == 0 || fn == i + 1) &&
			cg_add_known_fn(fns, text, make_object(i)) == i + 1;
	}
	CHECK(good == FNS);
	CHECK(found > 60000 && found < FNS);
}

int
main(void)
{
	struct cg_graph *graph = cg_graph_new(&diag, &fault);
	uint64_t seed[THREADS] = { 1, 2, 3 };
	pthread_t thread[THREADS];
	struct cg_build build;
	void *wrong;

	if (!graph)
		return 1;
	cg_build_init(&build, graph, CG_PARTS_KEEP);
	fns = cg_known_fns_new(&build);
	if (!fns)
		return 1;
	for (size_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, look_up, &seed[i]) == 0);
	add_all();
	atomic_store(&ended, true);
	for (size_t i = 0; i < THREADS; i++)
		CHECK(pthread_join(thread[i], &wrong) == 0 && !wrong);
	CHECK(cg_build_fn_object(&build, 2) ==
	      cg_add_object(&build, make_object(1)));
	CHECK(cg_equal(cg_get_name(&build, cg_build_fn_name(&build, 1)),
	    "function0function"));
	CHECK(cg_build_status(&build) == CG_OK && fault == CG_OK);
	cg_known_fns_free(fns);
	cg_build_free(&build);
	cg_graph_free(graph);
	return unit_end();
}
