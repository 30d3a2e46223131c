/*
 * tables.c - lists, texts and fields for the readers.
 */
#include <inttypes.h>

#include "proto.h"

/* ---- Lists -------------------------------------------------------------- */

bool
proto_lengthen(struct cg_job *job, struct proto_list *list, size_t width)
{
	if (list->count >= UINT32_MAX - 1)
		return cg_reject_nomem(job);
	return cg_reserve_more(job, list, list->count + 1, width);
}

bool
proto_append_bytes(
    struct cg_job *job, struct proto_list *list, struct cg_slice bytes)
{
	/* Reserve one more byte, so that the list is not NULL. */
	if (list->count + bytes.len >= list->cap &&
	    !cg_reserve_more(job, list, list->count + bytes.len + 1, 1))
		return false;
	if (bytes.len > 0)
		memcpy((char *)list->at + list->count, bytes.ptr, bytes.len);
	list->count += bytes.len;
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
	if (index >= t->strings.count)
		return cg_reject(t->job,
		    "expected text %" PRIu64 " in a table of %zu", index,
		    t->strings.count);
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
	cg_drop_array(t->job, &t->strings);
	cg_drop_array(t->job, &t->frames);
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
