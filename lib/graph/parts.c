/*
 * parts.c - adds parts and their descriptions.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"

/*
 * True if a part has its pid, tid and command from samples only. Neither this
 * input (info) nor earlier ones state any of them then. The caller must not
 * overwrite them with info.
 */
static bool
is_named_by_samples(
    const struct cg_part_entry *part, const struct cg_part_info *info)
{
	return part->described && !part->pid_stated && !part->tid_stated &&
	       !part->cmd_stated && info->pid == 0 && info->tid == 0 &&
	       info->part == 0 && (!info->cmd || !*info->cmd);
}

/*
 * Merges the pid, tid, number and command that an input states for a part
 * (thread or process) into what earlier inputs stated: equal values are kept,
 * different ones are set to 0 ("unknown") and stay so for later inputs.
 */
static void
join_names(struct cg_build *build, struct cg_part_entry *part,
    const struct cg_part_info *info)
{
	cg_str cmd = cg_add_name(build, cg_slice(info->cmd ? info->cmd : ""));
	bool first = !part->filled;

	part->pid_differs |= !first && part->info.pid != info->pid;
	part->tid_differs |= !first && part->info.tid != info->tid;
	part->part_differs |= !first && part->info.part != info->part;
	part->cmd_differs |= !first && part->cmd != cmd;
	part->pid_stated |= info->pid != 0;
	part->tid_stated |= info->tid != 0;
	part->cmd_stated |= cmd != 0;
	part->info.pid = part->pid_differs ? 0 : info->pid;
	part->info.tid = part->tid_differs ? 0 : info->tid;
	part->info.part = part->part_differs ? 0 : info->part;
	part->cmd = part->cmd_differs ? 0 : cmd;
	part->info.cmd = cg_strs_get(&build->graph->strs, part->cmd).ptr;
}

static void
join_part(struct cg_build *build, struct cg_part_entry *part,
    const struct cg_part_info *info)
{
	if (!is_named_by_samples(part, info))
		join_names(build, part, info);
	if (part->filled)
		cg_part_merged(build, part);
	part->filled = true;
	part->lists_differ = cg_part_lists_differ(part);
	part->list_ended = part->files > 0;
	part->listed = 0;
}

void
cg_part_confirm(struct cg_part_entry *part)
{
	if (!part->unconfirmed)
		return;
	part->unconfirmed = false;
	if (!part->pid_stated)
		part->info.pid = 0;
	if (!part->tid_stated)
		part->info.tid = 0;
	if (part->cmd_stated)
		return;
	part->cmd = 0;
	part->info.cmd = "";
}

/*
 * Prepares a part for the rows of another input: drops descriptions of one
 * input only. Unless --part-by made the part, drops names that samples of the
 * last input did not repeat. The others are unconfirmed until a sample repeats
 * them. Costs without names set part->nameless.
 */
static void
begin_merge(struct cg_build *build, struct cg_part_entry *part)
{
	cg_part_merged(build, part);
	if (part->sampled)
		return;
	cg_part_confirm(part);
	part->unconfirmed = part->described;
	part->nameless |= !part->described && part->totals > 0;
}

/*
 * Makes the part (thread or process) the current one, to which rows are added.
 * It is also the base part, which --part-by may split. Ends the run before,
 * and forgets labels and the last sample.
 */
static void
begin_part(struct cg_build *build, cg_part part)
{
	(void)cg_build_end_run(build);
	build->part = build->base = part;
	build->labels = 0;
	cg_filter_unlabelled(build);
	build->last.known = false;
}

bool
cg_part_new(struct cg_build *build)
{
	struct cg_graph *graph = build->graph;

	if (graph->parts >= CG_ALL_PARTS ||
	    !cg_grow(&graph->part, &graph->part_cap, graph->parts + 1,
		sizeof(*graph->part))) {
		cg_build_nomem(build);
		return false;
	}
	graph->part[graph->parts].info.cmd = "";
	graph->parts++;
	return true;
}

/*
 * Adds a new part (thread or process) for the input and makes it the current
 * one. False: the builder has failed.
 */
static bool
begin_new_part(struct cg_build *build)
{
	if (!cg_part_new(build))
		return false;
	begin_part(build, (cg_part)build->graph->parts - 1);
	return true;
}

/*
 * Copies the total self costs of the current part (thread or process) to
 * build->mark: what the current input adds is the later total minus this mark.
 * The builder fails if memory runs out.
 */
static void
mark_totals(struct cg_build *build)
{
	const struct cg_part_entry *part = &build->graph->part[build->part];

	if (!cg_grow(&build->mark, &build->marks, part->totals,
		sizeof(*build->mark))) {
		cg_build_nomem(build);
		return;
	}
	if (build->marks > 0)
		memset(build->mark, 0, build->marks * sizeof(*build->mark));
	if (part->totals > 0)
		memcpy(build->mark, part->total,
		    part->totals * sizeof(*build->mark));
}

/*
 * Forgets the map from the last input's events to columns of the graph, before
 * the next input. Clears only the columns used in the buffer of costs, as all
 * others are 0.
 */
static void
forget_columns(struct cg_columns *columns)
{
	for (size_t i = 0; i < columns->events; i++)
		columns->cost[columns->column[i]] = 0;
	columns->events = columns->width = 0;
	columns->moved = false;
}

void
cg_build_next(struct cg_build *build, struct cg_in *in)
{
	build->in = in;
	build->inputs++;
	build->track = 0;
	build->sets_labels = false;
	forget_columns(&build->columns);
	begin_part(build, build->base);
	if (build->begun && build->status == CG_OK) {
		if (build->mode == CG_PARTS_KEEP)
			(void)begin_new_part(build);
		else
			begin_merge(build, &build->graph->part[build->part]);
	}
	build->begun = true;
	mark_totals(build);
}

cg_part
cg_add_part(struct cg_build *build, const struct cg_part_info *info)
{
	if (build->status != CG_OK)
		return 0;
	begin_part(build, build->base);
	if (build->mode == CG_PARTS_KEEP &&
	    build->graph->part[build->part].filled && !begin_new_part(build))
		return 0;
	join_part(build, &build->graph->part[build->part], info);
	mark_totals(build);
	return build->part;
}

void
cg_set_part(struct cg_build *build, cg_part part)
{
	if (!cg_build_check(build, part, build->graph->parts, "part"))
		return;
	begin_part(build, part);
}

/* Above this number of descriptions a map is used to find them. */
#define DESCS_FEW 16

static uint32_t *
desc_slot(
    struct cg_build *build, struct cg_part_entry *part, struct cg_desc desc)
{
	uint32_t *slot =
	    cg_map_at(&part->desc_ids, (uint64_t)desc.key << 32 | desc.value);

	if (!slot)
		cg_build_nomem(build);
	return slot;
}

/*
 * True if the part (thread or process) has the description. If not, the caller
 * must append it: a map of many descriptions may have it already. False also
 * if out of memory (the builder fails).
 */
static bool
has_desc(
    struct cg_build *build, struct cg_part_entry *part, struct cg_desc desc)
{
	uint32_t *slot;

	if (part->descs < DESCS_FEW) {
		for (size_t i = 0; i < part->descs; i++) {
			if (part->desc[i].key == desc.key &&
			    part->desc[i].value == desc.value)
				return true;
		}
		return false;
	}
	for (size_t i = 0; part->descs == DESCS_FEW && i < DESCS_FEW; i++) {
		slot = desc_slot(build, part, part->desc[i]);
		if (!slot)
			return false;
		*slot = 1;
	}
	slot = desc_slot(build, part, desc);
	return slot && (*slot)++ != 0;
}

void
cg_part_desc_add(struct cg_build *build, cg_part to, struct cg_desc desc)
{
	struct cg_part_entry *part = &build->graph->part[to];

	if (build->status != CG_OK || has_desc(build, part, desc) ||
	    build->status != CG_OK)
		return;
	if (!cg_grow(
		&part->desc, &part->desc_cap, part->descs + 1, sizeof(desc))) {
		cg_build_nomem(build);
		return;
	}
	part->desc[part->descs++] = desc;
}

void
cg_part_desc_drop(struct cg_part_entry *part)
{
	const struct cg_desc *desc = &part->desc[--part->descs];
	uint64_t key = (uint64_t)desc->key << 32 | desc->value;

	if (cg_map_get(&part->desc_ids, key) != 0)
		*cg_map_at(&part->desc_ids, key) = 0;
}

/*
 * Records a description of the executable (CG_PROGRAM_KEY) for the base part,
 * which --part-by may split; ignores others. The builder fails if an earlier
 * input stated another value, as addresses of two executables would mix.
 */
static void
check_program(struct cg_build *build, struct cg_desc desc)
{
	struct cg_graph *graph = build->graph;
	struct cg_desc any = { desc.key, CG_STR_NONE };
	uint32_t *before;

	if (build->status != CG_OK ||
	    !cg_starts(cg_strs_get(&graph->strs, desc.key), CG_PROGRAM_KEY))
		return;
	before = desc_slot(build, &graph->part[build->base], any);
	if (before && *before == 0)
		*before = desc.value + 1;
	if (before && *before != desc.value + 1)
		cg_build_fail(build,
		    "mixed executables: %s is '%s' here, but '%s' in an "
		    "earlier input",
		    cg_strs_get(&graph->strs, desc.key).ptr,
		    cg_strs_get(&graph->strs, desc.value).ptr,
		    cg_strs_get(&graph->strs, *before - 1).ptr);
}

void
cg_add_desc_plain(
    struct cg_build *build, struct cg_slice key, struct cg_slice value)
{
	struct cg_part_entry *part;
	enum cg_desc_rule rule;
	struct cg_desc desc;

	/* Descriptions are C strings: cut them at a NUL. */
	key.len = key.len > 0 ? strnlen(key.ptr, key.len) : 0;
	value.len = value.len > 0 ? strnlen(value.ptr, value.len) : 0;
	desc.key = cg_add_name(build, key);
	desc.value = cg_add_name(build, value);
	check_program(build, desc);
	part = &build->graph->part[build->base];
	rule = cg_desc_rule_of(build->graph, desc.key);
	if ((rule == CG_DESC_DROP && part->merged) ||
	    (rule == CG_DESC_ADD && cg_part_desc_sum(build, part, desc)))
		return;
	cg_part_desc_add(build, build->base, desc);
}

void
cg_list_file(struct cg_build *build, cg_file file)
{
	struct cg_part_entry *part = &build->graph->part[build->base];

	if (!cg_build_check(build, file, build->graph->files.count, "file") ||
	    part->lists_differ)
		return;
	if (file == 0 ||
	    (part->list_ended && (part->listed == part->files ||
				     part->file[part->listed] != file))) {
		part->lists_differ = true;
		return;
	}
	if (!part->list_ended) {
		if (!cg_grow_raw(&part->file, &part->file_cap, part->files + 1,
			sizeof(file))) {
			cg_build_nomem(build);
			return;
		}
		part->file[part->files++] = file;
	}
	part->listed++;
}

const char *
cg_build_desc(const struct cg_build *build, const char *key)
{
	const struct cg_graph *graph = build->graph;
	const struct cg_part_entry *part = &graph->part[build->base];
	cg_str str = cg_strs_find(&graph->strs, cg_slice(key));

	for (size_t i = 0; str != 0 && i < part->descs; i++) {
		if (part->desc[i].key == str)
			return cg_strs_get(&graph->strs, part->desc[i].value)
			    .ptr;
	}
	return "";
}

bool
cg_part_says(const struct cg_graph *graph, cg_part part, const char *key,
    const char *value)
{
	bool all = part == CG_ALL_PARTS;
	const char *its_key, *its_value;

	for (cg_part at = all ? 0 : part; all ? at < graph->parts : at == part;
	     at++) {
		for (size_t i = 0;
		     cg_part_desc(graph, at, i, &its_key, &its_value); i++) {
			if (strcmp(its_key, key) == 0 &&
			    strcmp(its_value, value) == 0)
				return true;
		}
	}
	return false;
}
