/*
 * scope.c - memory that is freed all at once, at the end of its scope.
 *
 * Each allocation is a node of a list, so that a large one can be resized in
 * place by realloc(), or freed early. A node without memory calls a function.
 */
#include <stdlib.h>

#include "base/base.h"

struct cg_scoped {
	struct cg_scoped *older, *newer;
	void (*release)(void *); /* called with what at the end; or NULL */
	void *what;
	max_align_t data[];
};

static struct cg_scoped *
node_of(void *ptr)
{
	return (struct cg_scoped *)(void *)((char *)ptr -
					    offsetof(struct cg_scoped, data));
}

/*
 * Sets the links to a node of the scope's list, in its neighbours or the
 * scope. Needed for a new node at the end, and after realloc() has moved one.
 */
static void
link_node(struct cg_scope *scope, struct cg_scoped *node)
{
	if (node->older)
		node->older->newer = node;
	if (node->newer)
		node->newer->older = node;
	else
		scope->newest = node;
}

static struct cg_scoped *
add_node(struct cg_scope *scope, size_t size)
{
	struct cg_scoped *node;

	if (size > SIZE_MAX - sizeof(*node))
		return NULL;
	node = calloc(1, sizeof(*node) + size);
	if (!node)
		return NULL;
	node->older = scope->newest;
	link_node(scope, node);
	return node;
}

void *
cg_scope_alloc(struct cg_scope *scope, size_t size)
{
	struct cg_scoped *node = add_node(scope, size);

	return node ? node->data : NULL;
}

void *
cg_scope_resize(struct cg_scope *scope, void *ptr, size_t size)
{
	struct cg_scoped *node;

	if (!ptr)
		return cg_scope_alloc(scope, size);
	if (size > SIZE_MAX - sizeof(*node))
		return NULL;
	node = realloc(node_of(ptr), sizeof(*node) + size);
	if (!node)
		return NULL;
	link_node(scope, node);
	return node->data;
}

bool
cg_scope_grow_more(
    struct cg_scope *scope, void *array, size_t *cap, size_t need, size_t width)
{
	size_t want = *cap < 8 ? 8 : *cap;
	void *at;

	while (want < need && want <= SIZE_MAX / 2)
		want *= 2;
	if (want < need || want > SIZE_MAX / width)
		return false;
	memcpy(&at, array, sizeof(at));
	at = cg_scope_resize(scope, at, want * width);
	if (!at)
		return false;
	memcpy(array, &at, sizeof(at));
	*cap = want;
	return true;
}

void
cg_scope_drop(struct cg_scope *scope, void *ptr)
{
	struct cg_scoped *node;

	if (!ptr)
		return;
	node = node_of(ptr);
	if (node->older)
		node->older->newer = node->newer;
	if (node->newer)
		node->newer->older = node->older;
	else
		scope->newest = node->older;
	free(node);
}

bool
cg_scope_defer(struct cg_scope *scope, void (*release)(void *), void *what)
{
	struct cg_scoped *node = add_node(scope, 0);

	if (!node) {
		release(what);
		return false;
	}
	node->release = release;
	node->what = what;
	return true;
}

void
cg_scope_end(struct cg_scope *scope)
{
	struct cg_scoped *node;

	while ((node = scope->newest)) {
		scope->newest = node->older;
		if (node->older)
			node->older->newer = NULL;
		if (node->release)
			node->release(node->what);
		free(node);
	}
}
