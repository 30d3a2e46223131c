/*
 * sources.c - collects regions and branches of all functions by source file,
 * and moves them to the report.
 */

#include "profile.h"

/*
 * Returns the number, from 1, of the source file with this name; adds the file
 * if it is new. 0: out of memory (reported).
 */
static uint32_t
find_source(struct llvm_mapping *mapping, cg_name name)
{
	uint32_t *at = cg_map_in(mapping->report->job, &mapping->by_name, name);
	struct llvm_source *source;

	if (!at || mapping->source.n >= UINT32_MAX) {
		(void)cg_reject_nomem(mapping->report->job);
		return 0;
	}
	if (*at == 0) {
		source = cg_push(mapping->report->job, &mapping->source);
		if (!source)
			return 0;
		source->name = name;
		*at = (uint32_t)mapping->source.n;
	}
	return *at;
}

/*
 * Returns the source file of a use (a file as a function uses it), and stores
 * its number in the use. Adds the file if it is new. Valid until another file
 * is added. NULL: out of memory (reported).
 */
static struct llvm_source *
source_of(struct llvm_mapping *mapping, struct llvm_use *use)
{
	if (use->source == 0)
		use->source = find_source(mapping, use->name);
	return use->source > 0 ? &mapping->source.at[use->source - 1] : NULL;
}

bool
llvm_add_source_item(struct llvm_mapping *mapping, struct llvm_use *use,
    const struct llvm_item *item)
{
	struct llvm_source *source = source_of(mapping, use);

	return source && cg_append(mapping->report->job, &source->item, *item);
}

bool
llvm_add_source_region(struct llvm_mapping *mapping, struct llvm_use *use,
    const struct llvm_region *region)
{
	struct llvm_source *source = source_of(mapping, use);

	return source &&
	       cg_append(mapping->report->job, &source->region, *region);
}

/*
 * Adds a source file to the report. The report takes over the file's array of
 * branches without a copy. The file's regions become segments, and these
 * become lines. False: an error (reported).
 */
static bool
move_source(struct llvm_report *report, struct llvm_source *source)
{
	llvm_begin_file(report);
	cg_drop(report->job, &report->item);
	report->item.at = source->item.at;
	report->item.n = source->item.n;
	report->item.cap = source->item.cap;
	return llvm_add_segments(report, source) &&
	       llvm_end_file(report, source->name);
}

bool
llvm_move_sources(struct llvm_mapping *mapping)
{
	struct llvm_report *report = mapping->report;

	for (size_t i = 0; i < mapping->source.n; i++) {
		if (!move_source(report, &mapping->source.at[i]))
			return false;
		/*
		 * Free this source: the lines of the next ones take memory,
		 * too.
		 */
		cg_drop(report->job, &mapping->source.at[i].region);
	}
	return llvm_add_files(report);
}
