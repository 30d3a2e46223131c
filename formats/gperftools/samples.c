/*
 * samples.c - stacks of addresses and their costs, merged and kept until the
 * end of the file, which has the names of the addresses.
 */
#include <string.h>

#include "gperftools.h"

/*
 * Returns the number of a key in the map ids, from 1. If *is_new, that is
 * count + 1, and the caller must append the key's element. 0: out of memory
 * (reported).
 */
static uint32_t
number(struct gperf_reader *r, struct cg_map *ids, uint64_t key, size_t count,
    bool *is_new)
{
	uint32_t *id = cg_map_in(r->job, ids, key);

	if (!id || count == UINT32_MAX) {
		(void)cg_reject_nomem(r->job);
		return 0;
	}
	*is_new = *id == 0;
	if (*is_new)
		*id = (uint32_t)count + 1;
	return *id;
}

/* ---- Groups ------------------------------------------------------------- */

struct gperf_group *
gperf_set_group(struct gperf_reader *r)
{
	struct gperf_group *group;

	do { /* the first time, this adds group 0, too */
		group = cg_push(r->job, &r->groups);
		if (!group)
			return NULL;
		group->label = r->labels.n;
	} while (r->groups.n == 1);
	r->sample.group = (uint32_t)(r->groups.n - 1);
	return group;
}

static bool
add_label(struct gperf_reader *r, struct gperf_group *group,
    const struct cg_label *label)
{
	if (!cg_append(r->job, &r->labels, *label))
		return false;
	group->labels++;
	return true;
}

bool
gperf_add_label(struct gperf_reader *r, struct gperf_group *group,
    struct cg_slice key, struct cg_slice value)
{
	const struct cg_label label = {
		.key = cg_get_name(r->build, cg_add_name(r->build, key)),
		.value = cg_get_name(r->build, cg_add_name(r->build, value)),
	};

	return add_label(r, group, &label);
}

bool
gperf_find_group(struct gperf_reader *r, struct cg_map *groups, uint64_t key,
    struct gperf_group **added)
{
	uint32_t *at = cg_map_in(r->job, groups, key);

	*added = NULL;
	if (!at)
		return false;
	if (*at != 0) {
		r->sample.group = *at;
		return true;
	}
	*added = gperf_set_group(r);
	*at = r->sample.group;
	return *added != NULL;
}

bool
gperf_set_size(struct gperf_reader *r, uint64_t bytes)
{
	const struct cg_label label = { .key = cg_slice("bytes"),
		.number = (int64_t)bytes };
	struct gperf_group *added;

	return gperf_find_group(r, &r->sizes, bytes, &added) &&
	       (!added || add_label(r, added, &label));
}

/* ---- Stacks ------------------------------------------------------------- */

void
gperf_begin_sample(struct gperf_reader *r)
{
	r->sample = (struct gperf_sample){ .samples = 1 };
	r->depth = 0;
	r->held = true;
	r->repeated = false;
}

bool
gperf_add_address(struct gperf_reader *r, uint64_t addr)
{
	/*
	 * The address before a return address is inside the call instruction.
	 */
	if (!r->ids && (r->depth > 0 || !r->exact_leaf))
		addr--;
	if (r->depth == GPERF_DEPTH_MAX)
		return cg_reject(r->job,
		    "expected a stack of at most %d frames", GPERF_DEPTH_MAX);
	r->addr[r->depth++] = addr;
	return true;
}

bool
gperf_take_stack(struct gperf_reader *r, struct cg_slice text)
{
	const char *at = text.ptr;
	uint64_t addr;

	(void)cg_take_blanks(&text);
	while (text.len > 0) {
		if (!cg_take_u64(&text, &addr))
			return cg_reject_at(r->job, text.len ? text.ptr : at,
			    "expected an address of a stack");
		if (!gperf_add_address(r, addr))
			return false;
		(void)cg_take_blanks(&text);
	}
	return true;
}

/*
 * Returns the index + 1 of an address in r->addrs; appends the address if it
 * is new. 0: out of memory (reported).
 */
static uint32_t
find_addr(struct gperf_reader *r, uint64_t addr)
{
	bool is_new;
	uint32_t id = number(r, &r->addr_ids, addr, r->addrs.n, &is_new);

	if (id == 0 || !is_new)
		return id;
	return cg_append(r->job, &r->addrs, addr) ? id : 0;
}

/*
 * Adds the current stack to the tree r->nodes; nodes that exist are reused.
 * Sets *leaf to the index + 1 of its innermost node, or to 0 if the stack has
 * no frames. False: out of memory (reported).
 */
static bool
find_leaf(struct gperf_reader *r, uint32_t *leaf)
{
	uint32_t at = 0, addr;
	bool is_new;

	for (size_t i = r->depth; i > 0; i--) {
		uint32_t parent = at;

		addr = find_addr(r, r->addr[i - 1]);
		if (addr == 0)
			return false;
		at = number(r, &r->children, (uint64_t)parent << 32 | addr,
		    r->nodes.n, &is_new);
		if (at == 0)
			return false;
		if (is_new && !cg_append(r->job, &r->nodes,
				  (struct gperf_node){ parent, addr }))
			return false;
	}
	*leaf = at;
	return true;
}

/*
 * Removes the current stack's second address if it repeats the leaf as leaf -
 * 1. One comes from the signal, the other from the unwinder, which takes it
 * for a return address.
 */
static void
drop_second_leaf(struct gperf_reader *r)
{
	if (!r->exact_leaf || r->ids || r->depth < 2 ||
	    r->addr[0] != r->addr[1] + 1)
		return;
	memmove(&r->addr[1], &r->addr[2], (r->depth - 2) * sizeof(*r->addr));
	r->depth--;
}

static bool
merge(struct gperf_reader *r)
{
	const struct gperf_sample *from = &r->sample;
	struct gperf_sample *to;
	bool is_new, fits;
	uint32_t id;

	id = number(r, &r->by_leaf, (uint64_t)from->group << 32 | from->leaf,
	    r->samples.n, &is_new);
	if (id == 0)
		return false;
	if (is_new)
		return cg_append(r->job, &r->samples, *from);
	to = &r->samples.at[id - 1];
	fits =
	    !__builtin_add_overflow(to->samples, from->samples, &to->samples);
	for (size_t i = 0; i < r->columns; i++)
		fits &= !__builtin_add_overflow(
		    to->cost[i], from->cost[i], &to->cost[i]);
	return fits ||
	       cg_reject(r->job, "expected costs whose sum fits in 64 bits");
}

bool
gperf_hold_stack(struct gperf_reader *r)
{
	r->held = false;
	return find_leaf(r, &r->sample.leaf);
}

void
gperf_repeat_sample(struct gperf_reader *r)
{
	r->sample =
	    (struct gperf_sample){ .samples = 1, .leaf = r->sample.leaf };
	r->held = r->repeated = true;
}

bool
gperf_end_sample(struct gperf_reader *r)
{
	if (!r->held)
		return true;
	r->held = false;
	if (r->repeated)
		return merge(r);
	if (!gperf_name_stack(r))
		return false;
	drop_second_leaf(r);
	return find_leaf(r, &r->sample.leaf) && merge(r);
}
