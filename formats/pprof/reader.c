/*
 * reader.c - the reader's lists, ids and texts.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "pprof.h"

/* ---- Lists and ids ------------------------------------------------------ */

bool
pprof_reserve(
    struct pprof_reader *r, struct pprof_list *list, size_t count, size_t width)
{
	if (cg_grow(&list->at, &list->cap, count, width))
		return true;
	return cg_reject_nomem(r->job);
}

bool
pprof_lengthen(struct pprof_list *list, size_t width)
{
	return list->count < UINT32_MAX - 1 &&
	       cg_grow_raw(&list->at, &list->cap, list->count + 1, width);
}

uint32_t
pprof_find_id(
    struct cg_map *ids, struct pprof_list *list, size_t width, uint64_t id)
{
	uint32_t *index = cg_map_at(ids, id);

	if (!index)
		return 0;
	if (*index == 0 && pprof_extend(list, width))
		*index = (uint32_t)list->count;
	return *index;
}

/*
 * Most ids are 1, 2, 3: those are kept in an array too, which is never longer
 * than twice the number of locations.
 */
uint32_t
pprof_add_location(struct pprof_sums *sums, uint64_t id)
{
	uint32_t *near, index;

	index = pprof_find_id(&sums->location_ids, &sums->locations,
	    sizeof(struct pprof_location), id);
	if (index == 0 || !cg_grow(&sums->near.at, &sums->near.cap,
			      sums->locations.count, sizeof(*near)))
		return 0;
	near = sums->near.at;
	if (id < sums->near.cap)
		near[id] = index;
	return index;
}

static void
free_lists(struct pprof_reader *r)
{
	struct pprof_sums *s = &r->sums;
	struct pprof_list *const lists[] = { &r->types, &r->mappings,
		&r->functions, &r->lines, &r->strings, &r->comments, &r->labels,
		&r->label_bytes, &r->label, &r->batch.path, &r->batch.values,
		&r->labelled, &s->samples, &s->paths, &s->path_bytes,
		&s->locations, &s->near, &s->steps };
	struct cg_map *const maps[] = { &r->mapping_ids, &r->function_ids,
		&r->by_labels, &r->long_names, &s->location_ids };

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		free(lists[i]->at);
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		cg_map_free(maps[i]);
	cg_slots_free(&s->path_ids);
	cg_slots_free(&s->by_labels_and_path);
}

void
pprof_free(struct pprof_reader *r)
{
	free_lists(r);
	*r = (struct pprof_reader){ .job = r->job,
		.in = r->in,
		.build = r->build,
		.in_part = r->in_part,
		.expanded = r->expanded,
		.made = r->made,
		.newest = r->newest };
}

/* ---- Fields ------------------------------------------------------------- */

void
pprof_skip_field(struct pprof_reader *r, const struct pprof_field *field)
{
	cg_warn_at(r->job, field->at,
	    "field %" PRIu64 " is not known, it is skipped", field->number);
}

bool
pprof_take_packed(struct pprof_reader *r, const struct pprof_field *field,
    bool (*add)(struct pprof_reader *, uint64_t, const char *))
{
	struct cg_slice rest = field->bytes;
	uint64_t value;

	if (field->wire == WIRE_VARINT)
		return add(r, field->value, field->at);
	if (field->wire != WIRE_BYTES)
		return cg_reject_at(r->job, field->at, "expected numbers");
	while (rest.len > 0) {
		if (!pprof_take_varint(&rest, &value))
			return cg_reject_at(
			    r->job, rest.ptr, "expected a number");
		if (!add(r, value, rest.ptr))
			return false;
	}
	return true;
}

/* ---- Hashes -------------------------------------------------------------- */

uint64_t
pprof_hash(uint64_t seed, struct cg_slice bytes)
{
	/* Files know neither of two addresses. */
	const uint64_t key[] = { seed, (uintptr_t)pprof_hash };

	return cg_hash_bytes(key, bytes.len > 0 ? bytes.ptr : "", bytes.len);
}

/* ---- Texts -------------------------------------------------------------- */

bool
pprof_get_name(struct pprof_reader *r, uint64_t index, cg_name *name)
{
	const cg_name *strings = r->strings.at;

	*name = 0;
	if (index == 0)
		return true;
	if (index >= r->strings.count)
		return cg_reject(r->job,
		    "expected text %" PRIu64 " in a table of %zu", index,
		    r->strings.count);
	*name = strings[index];
	return true;
}

bool
pprof_get_text(struct pprof_reader *r, uint64_t index, struct cg_slice *text)
{
	cg_name name;

	if (!pprof_get_name(r, index, &name))
		return false;
	*text = cg_get_name(r->build, name);
	return true;
}
