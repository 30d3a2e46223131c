/*
 * tables.c - lists, texts and fields for the readers.
 */
#include <inttypes.h>

#include "proto.h"

/* ---- Lists -------------------------------------------------------------- */

void *
proto_too_long(struct cg_job *job)
{
	(void)cg_reject_nomem(job);
	return NULL;
}

bool
proto_append_bytes(
    struct cg_job *job, struct proto_bytes *list, struct cg_slice bytes)
{
	/* Reserve one more byte, so that the list is not NULL. */
	if (!cg_reserve(job, list, list->n + bytes.len + 1))
		return false;
	if (bytes.len > 0)
		memcpy(list->at + list->n, bytes.ptr, bytes.len);
	list->n += bytes.len;
	return true;
}

uint64_t
proto_hash(uint64_t seed, struct cg_slice bytes)
{
	/* A file cannot know the two addresses. */
	const uint64_t key[] = { seed, (uintptr_t)proto_hash };

	return cg_hash_bytes(key, bytes.len > 0 ? bytes.ptr : "", bytes.len);
}

/* ---- Texts -------------------------------------------------------------- */

bool
proto_get_name(struct proto_tables *t, uint64_t index, cg_name *name)
{
	const cg_name *strings = t->strings.at;

	*name = 0;
	if (index == 0)
		return true;
	if (index >= t->strings.n)
		return cg_reject(t->job,
		    "expected text %" PRIu64 " in a table of %zu", index,
		    t->strings.n);
	*name = strings[index];
	return true;
}

bool
proto_get_text(struct proto_tables *t, uint64_t index, struct cg_slice *text)
{
	cg_name name;

	if (!proto_get_name(t, index, &name))
		return false;
	*text = cg_get_name(t->build, name);
	return true;
}

void
proto_drop_tables(struct proto_tables *t)
{
	cg_drop(t->job, &t->strings);
	cg_drop(t->job, &t->frames);
	cg_space_free(t->space);
	t->space = NULL;
}

/* ---- Fields ------------------------------------------------------------- */

void
proto_skip_field(struct cg_job *job, const struct proto_field *field)
{
	cg_warn_at(job, field->at,
	    "field %" PRIu64 " is not known, it is skipped", field->number);
}
