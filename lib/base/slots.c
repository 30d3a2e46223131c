/* slots.c - hash tables of items with ids: frames, nodes, sums of rows. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define SLOTS_MIN 64

static void
fill(struct cg_slots *slots, struct cg_id_slot item)
{
	size_t mask = slots->count - 1, at = item.hash & mask;

	while (slots->slot[at].id != 0)
		at = (at + 1) & mask;
	slots->slot[at] = item;
}

void
cg_slots_fill(struct cg_slots *slots, struct cg_id_slot item)
{
	fill(slots, item);
	slots->used++;
}

bool
cg_slots_grow(struct cg_slots *slots)
{
	struct cg_slots old = *slots;

	if (old.count > 0 && old.used * 4 < old.count * 3)
		return true;
	slots->count = old.count > 0 ? old.count * 2 : SLOTS_MIN;
	slots->slot = calloc(slots->count, sizeof(*slots->slot));
	if (!slots->slot) {
		*slots = old;
		return false;
	}
	for (size_t i = 0; i < old.count; i++) {
		if (old.slot[i].id != 0)
			fill(slots, old.slot[i]);
	}
	free(old.slot);
	return true;
}

bool
cg_slots_add(struct cg_slots *slots, struct cg_id_slot item)
{
	if (!cg_slots_grow(slots))
		return false;
	cg_slots_fill(slots, item);
	return true;
}

void
cg_slots_clear(struct cg_slots *slots)
{
	if (slots->count > 0)
		memset(slots->slot, 0, slots->count * sizeof(*slots->slot));
	slots->used = 0;
}

void
cg_slots_free(struct cg_slots *slots)
{
	free(slots->slot);
	*slots = (struct cg_slots){ 0 };
}
