/*
 * ghc_centre.c - a cost centre as a function, with its costs and entries.
 */
#include <string.h>

#include "ghc.h"

/*
 * Cuts the position off "src/Lib.hs:(14,1)-(15,41)", "a.hs:95:11-83" or
 * "a.hs:6:1". *file becomes the path alone, and *line the first line. Without
 * a position, changes nothing.
 */
static void
cut_place(struct cg_slice *file, uint32_t *line)
{
	struct cg_slice rest;
	uint64_t number;

	for (size_t at = 1; at < file->len; at++) {
		rest = (struct cg_slice){ file->ptr + at, file->len - at };
		if (!cg_take_char(&rest, ':'))
			continue;
		(void)cg_take_char(&rest, '(');
		if (!cg_take_u64(&rest, &number) || number > UINT32_MAX)
			continue;
		*line = (uint32_t)number;
		file->len = at;
		return;
	}
}

/*
 * Returns the name of the function for a cost centre, MODULE.NAME; 0: out of
 * memory (reported).
 */
static cg_name
join_name(struct ghc *ghc, const struct ghc_centre *centre)
{
	size_t len = centre->module.len + 1 + centre->name.len;

	if (!cg_reserve(ghc->job, &ghc->name, len))
		return 0;
	memcpy(ghc->name.at, centre->module.ptr, centre->module.len);
	ghc->name.at[centre->module.len] = '.';
	memcpy(ghc->name.at + centre->module.len + 1, centre->name.ptr,
	    centre->name.len);
	return cg_add_name(ghc->build, (struct cg_slice){ ghc->name.at, len });
}

bool
ghc_enter(struct ghc *ghc, size_t depth, const struct ghc_centre *centre)
{
	if (!cg_resize(ghc->job, &ghc->frame, depth + 1))
		return false;
	ghc->frame.at[depth] = (struct ghc_frame){
		.name = join_name(ghc, centre),
		.place = cg_add_name(ghc->build, centre->place),
	};
	return cg_build_status(ghc->build) == CG_OK;
}

static void
add_frame(struct ghc *ghc, struct ghc_frame *frame, cg_node parent)
{
	struct cg_slice file = cg_get_name(ghc->build, frame->place);

	/* "<built-in>", "<entire-module>", "<no location info>" */
	if (file.len > 0 && *file.ptr != '<') {
		cut_place(&file, &frame->pos.line);
		frame->pos.file = cg_add_file(ghc->build, file);
	}
	frame->fn =
	    cg_add_fn_named(ghc->build, frame->name, frame->pos.file, 0);
	frame->node =
	    cg_add_frame(ghc->build, parent, frame->fn, &frame->pos, false);
}

bool
ghc_add_costs(struct ghc *ghc, size_t depth, const struct ghc_costs *costs)
{
	static const struct ghc_frame none = { .node = 0 };
	const uint64_t cost[] = { costs->ns, costs->bytes };
	const struct ghc_frame *frame = &none, *caller = &none;
	const struct cg_pos nowhere = { 0 };

	if (costs->ns == 0 && costs->bytes == 0 && costs->entries == 0)
		return true;
	for (size_t i = 0; i <= depth; i++) {
		caller = frame;
		frame = &ghc->frame.at[i];
		if (frame->node == 0)
			add_frame(ghc, &ghc->frame.at[i], caller->node);
	}
	table_add_stack(ghc->build, frame->node, 0, cost);
	if (costs->entries > 0)
		(void)cg_add_call(ghc->build, caller->fn, &caller->pos,
		    frame->fn, &nowhere, costs->entries, NULL, 0);
	return cg_build_status(ghc->build) == CG_OK;
}
