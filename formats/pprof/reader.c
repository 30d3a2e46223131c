/*
 * reader.c - lists, ids and fields of the reader.
 */
#include "pprof.h"

/* ---- Lists and ids ------------------------------------------------------ */

uint32_t
pprof_find_id(struct cg_job *job, struct cg_map *ids, size_t next, uint64_t id)
{
	uint32_t *number = cg_map_at(ids, id);

	if (!number || next > UINT32_MAX) {
		(void)cg_reject_nomem(job);
		return 0;
	}
	if (*number == 0)
		*number = (uint32_t)next;
	return *number;
}

/*
 * Returns the index + 1 of the location with an id; adds it if it is new. If
 * the id is small, also stores the result in s->near[id].
 * pprof_find_location() then finds it without a hash look-up. 0: out of memory
 * (reported).
 */
uint32_t
pprof_add_location(struct pprof_sums *s, uint64_t id)
{
	uint32_t number =
	    pprof_find_id(s->job, &s->location_ids, s->locations.n + 1, id);

	if (number > s->locations.n && !cg_push(s->job, &s->locations))
		return 0;
	if (number == 0 || id >= 2 * s->locations.n)
		return number;
	/* Most ids are 1, 2, 3: s->near finds small ones without a hash. */
	if (id >= s->near.n && !cg_resize(s->job, &s->near, (size_t)id + 1))
		return 0;
	s->near.at[id] = number;
	return number;
}

/*
 * Frees the lists and tables of a message and of its samples, and clears them.
 * A file may have many messages with tables of their own. So their memory must
 * not stay until read() ends. Keeps what belongs to the whole input.
 */
void
pprof_free(struct pprof_reader *r)
{
	struct pprof_sums *s = &r->sums;
	void *const lists[] = { &r->types, &r->mappings, &r->functions,
		&r->lines, &r->comments, &r->labels, &r->label_bytes, &r->label,
		&r->batch.path, &r->batch.values, &r->labelled, &s->samples,
		&s->paths, &s->path_bytes, &s->locations, &s->near, &s->steps };
	struct cg_map *const maps[] = { &r->mapping_ids, &r->function_ids,
		&r->by_labels, &r->long_names, &s->location_ids };

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		cg_drop_array(r->job, lists[i]);
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		cg_map_free(maps[i]);
	cg_slots_free(&s->path_ids);
	cg_slots_free(&s->by_labels_and_path);
	proto_drop_tables(&r->tables);
	*r = (struct pprof_reader){ .job = r->job,
		.in = r->in,
		.build = r->build,
		.in_part = r->in_part,
		.tables = r->tables,
		.sums.job = r->job };
}

/* ---- Fields ------------------------------------------------------------- */

bool
pprof_take_packed(struct pprof_reader *r, const struct proto_field *field,
    bool (*add)(struct pprof_reader *, uint64_t, const char *))
{
	struct cg_slice rest = field->bytes;
	uint64_t value;

	if (field->wire == WIRE_VARINT)
		return add(r, field->value, field->at);
	if (field->wire != WIRE_BYTES)
		return cg_reject_at(r->job, field->at, "expected numbers");
	while (rest.len > 0) {
		if (!proto_take_varint(&rest, &value))
			return cg_reject_at(
			    r->job, rest.ptr, "expected a number");
		if (!add(r, value, rest.ptr))
			return false;
	}
	return true;
}
