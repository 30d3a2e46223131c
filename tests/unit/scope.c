/*
 * scope.c - memory that ends with its scope: what is resized keeps its bytes,
 * what is dropped is freed once, what is deferred is called, the newest first.
 */
#include "unit.h"

#include "base/base.h"

#define MOST 500

static size_t calls;

static void
note_call(void *what)
{
	size_t *order = what;

	*order = ++calls;
}

/* Each allocation has its number in all bytes. */
static bool
has_bytes(const unsigned char *at, size_t n, size_t number)
{
	size_t i = 0;

	while (i < n && at[i] == (unsigned char)number)
		i++;
	return i == n;
}

int
main(void)
{
	struct cg_scope scope = { 0 };
	unsigned char *at[MOST] = { 0 };
	size_t size[MOST] = { 0 }, order[2] = { 0 };
	uint64_t seed = 1;

	for (size_t step = 0; step < 100 * MOST; step++) {
		size_t i = unit_random(&seed) % MOST;
		size_t n = unit_random(&seed) % 300 + 1;

		CHECK(has_bytes(at[i], size[i], i));
		if (at[i] && n % 3 == 0) {
			cg_scope_drop(&scope, at[i]);
			at[i] = NULL;
			size[i] = 0;
			continue;
		}
		at[i] = cg_scope_resize(&scope, at[i], n);
		CHECK(at[i] != NULL);
		CHECK(has_bytes(at[i], n < size[i] ? n : size[i], i));
		memset(at[i], (int)(i & 0xff), n);
		size[i] = n;
	}
	CHECK(cg_scope_defer(&scope, note_call, &order[0]));
	CHECK(cg_scope_defer(&scope, note_call, &order[1]));
	CHECK(cg_scope_alloc(&scope, SIZE_MAX) == NULL);
	CHECK(cg_scope_resize(&scope, at[0], SIZE_MAX) == NULL);
	cg_scope_end(&scope);
	CHECK(order[1] == 1 && order[0] == 2);
	CHECK(scope.newest == NULL);
	cg_scope_end(&scope);
	CHECK(calls == 2);
	return unit_end();
}
