/*
 * unchanged.c - excludes the lines that a patch neither adds nor changes: with
 * --patch, coverage counts only the others.
 */
#include <stdlib.h>

#include "coverage/patch.h"

/*
 * Excludes the lines of the graph's next file that the patch does not change.
 * `file` is that file in the patch; NULL: all lines are excluded. False: out
 * of memory.
 */
static bool
exclude_others(struct cg_patch *patch, const struct cg_patch_file *file)
{
	struct cg_excluded *excluded = patch->how->graph->unchanged;
	struct cg_excluded_range range = { .what = CG_EXCLUDE_LINES };
	size_t end = file ? file->end : 0;

	cg_excluded_begin(excluded);
	for (size_t i = file ? file->begin : 0; i < end; i++) {
		const struct cg_patch_lines *changed = &patch->changed[i];

		if (changed->first > range.first) {
			range.last = changed->first - 1;
			if (!cg_excluded_add(excluded, &range))
				return false;
		}
		if (changed->last == UINT32_MAX)
			return true;
		if (changed->last >= range.first)
			range.first = changed->last + 1;
	}
	range.last = UINT32_MAX;
	return cg_excluded_add(excluded, &range);
}

static bool
exclude_unchanged(struct cg_patch *patch)
{
	struct cg_graph *graph = patch->how->graph;
	size_t files = cg_file_count(graph) + 1;
	bool ok = true;

	graph->unchanged = cg_excluded_new(files);
	ok = graph->unchanged != NULL;
	for (cg_file i = 0; ok && i < files; i++)
		ok = exclude_others(patch,
		    patch->match[i] > 0 ? &patch->file[patch->match[i] - 1]
					: NULL);
	return ok || cg_reject_nomem(patch->how->job);
}

static void
free_patch(struct cg_patch *patch)
{
	cg_strs_free(&patch->names);
	cg_map_free(&patch->by_name);
	cg_map_free(&patch->by_end);
	free(patch->file);
	free(patch->changed);
	free(patch->room);
	free(patch->plain);
	cg_map_free(&patch->shared);
	cg_strs_free(&patch->kinds);
	free(patch->old);
	free(patch->match);
}

int
cg_exclude_unchanged(const struct cg_patch_how *how, struct cg_in *in)
{
	struct cg_errors *errors = cg_job_errors(how->job);
	struct cg_patch patch = { .how = how, .in = in };
	int status;
	bool ok;

	errors->rejected = CG_OK;
	errors->in = in;
	ok = cg_patch_read(&patch);
	status = cg_in_status(in);
	errors->in = NULL;
	if (ok) {
		cg_patch_sort(&patch);
		ok = cg_patch_match(&patch) || cg_reject_nomem(how->job);
		ok = ok && cg_patch_check(&patch) && exclude_unchanged(&patch);
	}
	if (errors->rejected != CG_OK)
		status = errors->rejected;
	free_patch(&patch);
	return ok ? CG_OK : status;
}
