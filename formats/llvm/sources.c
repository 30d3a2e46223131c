/*
 * sources.c - regions and branches of all functions by source file, and from
 * there to the report.
 */
#include <stdlib.h>

#include "profile.h"

/* The number of the source of a name, from 1; 0: out of memory (reported). */
static uint32_t
find_source(struct llvm_mapping *mapping, cg_name name)
{
	uint32_t *at = cg_map_at(&mapping->by_name, name);

	if (!at || mapping->sources >= UINT32_MAX ||
	    !cg_grow(&mapping->source, &mapping->source_cap,
		mapping->sources + 1, sizeof(*mapping->source))) {
		(void)cg_reject_nomem(mapping->report->job);
		return 0;
	}
	if (*at == 0) {
		mapping->source[mapping->sources++].name = name;
		*at = (uint32_t)mapping->sources;
	}
	return *at;
}

/* The source of a use; NULL: out of memory (reported). */
static struct llvm_source *
source_of(struct llvm_mapping *mapping, struct llvm_use *use)
{
	if (use->source == 0)
		use->source = find_source(mapping, use->name);
	return use->source > 0 ? &mapping->source[use->source - 1] : NULL;
}

bool
llvm_add_source_item(struct llvm_mapping *mapping, struct llvm_use *use,
    const struct llvm_item *item)
{
	struct llvm_source *source = source_of(mapping, use);

	if (!source)
		return false;
	if (!cg_grow_raw(&source->item, &source->item_cap, source->items + 1,
		sizeof(*item)))
		return cg_reject_nomem(mapping->report->job);
	source->item[source->items++] = *item;
	return true;
}

bool
llvm_add_source_region(struct llvm_mapping *mapping, struct llvm_use *use,
    const struct llvm_region *region)
{
	struct llvm_source *source = source_of(mapping, use);

	if (!source)
		return false;
	if (!cg_grow_raw(&source->region, &source->region_cap,
		source->regions + 1, sizeof(*region)))
		return cg_reject_nomem(mapping->report->job);
	source->region[source->regions++] = *region;
	return true;
}

static bool
move_source(struct llvm_mapping *mapping, struct llvm_source *source)
{
	struct llvm_report *report = mapping->report;

	llvm_begin_file(report);
	llvm_take_items(report, source->item, source->items, source->item_cap);
	source->item = NULL;
	return llvm_add_segments(report, source) &&
	       llvm_end_file(report, source->name);
}

static void
free_source(struct llvm_source *source)
{
	free(source->region);
	free(source->item);
	*source = (struct llvm_source){ 0 };
}

bool
llvm_move_sources(struct llvm_mapping *mapping)
{
	for (size_t i = 0; i < mapping->sources; i++) {
		if (!move_source(mapping, &mapping->source[i]))
			return false;
		free_source(&mapping->source[i]);
	}
	return llvm_add_files(mapping->report);
}

void
llvm_free_sources(struct llvm_mapping *mapping)
{
	for (size_t i = 0; i < mapping->sources; i++)
		free_source(&mapping->source[i]);
	free(mapping->source);
	cg_map_free(&mapping->by_name);
}
