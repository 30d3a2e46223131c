/*
 * missing.c - files of a patch that the graph lacks: whether they are
 * ambiguous, and whether coverage should have them.
 */
#include <string.h>
#include <unistd.h>

#include "cgconv_parse.h"
#include "coverage/patch.h"
#include "graph/build.h"

/*
 * Returns the kind of a file, by which sources are recognized: its suffix
 * (".c"), or its base name if it has none ("Makefile").
 */
static struct cg_slice
kind_of(struct cg_slice path)
{
	struct cg_slice name = cg_base_name(path);
	size_t len = name.len;

	while (len > 0 && name.ptr[len - 1] != '.')
		len--;
	if (len <= 1)
		return name;
	return (struct cg_slice){ name.ptr + len - 1, name.len - len + 1 };
}

static bool
list_kinds(struct cg_patch *patch)
{
	const struct cg_graph *graph = patch->how->graph;
	size_t files = cg_file_count(graph) + 1;

	for (cg_file i = 1; i < files; i++) {
		struct cg_slice path = cg_file_path(graph, i);

		if (path.len > 0 &&
		    cg_strs_add(&patch->kinds, kind_of(path)) == CG_STR_NONE)
			return false;
	}
	return true;
}

/*
 * True if coverage should have this file of the patch, so that its absence is
 * reported. It must have changed lines and pass the rules. If the graph has
 * files, one must have the same suffix.
 */
static bool
is_wanted(const struct cg_patch *patch, const struct cg_patch_file *file)
{
	struct cg_slice name = cg_strs_get(&patch->names, file->name);

	return file->begin < file->end &&
	       (cg_file_count(patch->how->graph) == 0 ||
		   cg_strs_find(&patch->kinds, kind_of(name)) > 0) &&
	       cg_rules_keep(patch->how->rules, name.ptr);
}

static bool
cg_patch_found(const struct cg_patch_file *file)
{
	return file->best[0].len + file->best[1].len > 0;
}

/*
 * Returns a file of the patch other than `file` whose name ends with path.
 * path is a path of the graph that is the end of the name of `file`, so it may
 * mean either. NULL: there is none.
 */
static const struct cg_patch_file *
find_rival(const struct cg_patch *patch, const struct cg_patch_file *file,
    struct cg_slice path)
{
	for (size_t i = 0; i < patch->files; i++) {
		const struct cg_patch_file *other = &patch->file[i];
		struct cg_slice name = cg_strs_get(&patch->names, other->name);

		if (other == file || name.len <= path.len ||
		    name.ptr[name.len - path.len - 1] != '/')
			continue;
		name.ptr += name.len - path.len;
		name.len = path.len;
		if (cg_compare(name, path) == 0)
			return other;
	}
	return NULL;
}

/*
 * True if a path of the graph is the end of the names of this file and of
 * another file of the patch, so that it may mean either. Reports that as an
 * error.
 */
static bool
is_shared(const struct cg_patch *patch, const struct cg_patch_file *file)
{
	struct cg_slice name = cg_strs_get(&patch->names, file->name);
	const struct cg_patch_file *rival;
	struct cg_slice end = name;
	int depth = 0;

	while (cg_patch_next_end(&end, &depth)) {
		cg_file id = cg_map_get(
		    &patch->shared, cg_strs_find(&patch->names, end));

		rival = id == 0 ? NULL : find_rival(patch, file, end);
		if (!rival)
			continue;
		(void)cg_reject(patch->how->job,
		    "'%s' of the input may be '%s' or '%s' of the patch; "
		    "name its directory with {map}",
		    end.ptr, name.ptr,
		    cg_strs_get(&patch->names, rival->name).ptr);
		return true;
	}
	return false;
}

/*
 * True if several files of the graph match the file of the patch equally well;
 * reports that as an error.
 */
static bool
is_unclear(const struct cg_patch *patch, const struct cg_patch_file *file)
{
	const struct cg_graph *graph = patch->how->graph;

	for (int i = 0; i < 2; i++) {
		if (file->best[i].count <= 1)
			continue;
		(void)cg_reject(patch->how->job,
		    "'%s' of the patch may be '%s' or '%s' of the input; work "
		    "in the directory of the patch, or choose one with "
		    "{exclude}",
		    cg_strs_get(&patch->names, file->name).ptr,
		    cg_file_path(graph, file->best[i].file).ptr,
		    cg_file_path(graph, file->best[i].other).ptr);
		return true;
	}
	return false;
}

/*
 * Checks file i of the patch: counts it in patch->found if the graph has it,
 * else in patch->missing if coverage should have it. Files without changed
 * lines are ignored. False: it may mean several files of the graph, or a file
 * of the graph may mean it and others (reported).
 */
static bool
check_file(struct cg_patch *patch, uint32_t i)
{
	const struct cg_patch_file *file = &patch->file[i];

	if (file->begin == file->end)
		return true;
	if (is_unclear(patch, file))
		return false;
	if (cg_patch_found(file)) {
		patch->found++;
		return true;
	}
	if (is_shared(patch, file))
		return false;
	if (is_wanted(patch, file) && patch->missing++ == 0)
		patch->first_missing = i + 1;
	return true;
}

/*
 * True if the graph has a source in the working directory: an absolute path
 * below it, or a relative path that exists.
 */
static bool
has_sources_here(const struct cg_patch *patch)
{
	const struct cg_graph *graph = patch->how->graph;
	size_t files = cg_file_count(graph) + 1;

	for (cg_file i = 1; i < files; i++) {
		struct cg_slice path = cg_file_path(graph, i);

		if (cg_starts(path, "/")
			? cg_take_prefix(&path, patch->cwd) &&
			      cg_starts(path, "/")
			: path.len > 0 && access(path.ptr, F_OK) == 0)
			return true;
	}
	return false;
}

/*
 * Returns a path of the graph that is similar to a name, for a message: one
 * with the same base name, else the first of the same kind (suffix), else "".
 */
static struct cg_slice
find_similar(const struct cg_patch *patch, struct cg_slice name)
{
	const struct cg_graph *graph = patch->how->graph;
	size_t files = cg_file_count(graph) + 1;
	struct cg_slice similar = { "", 0 };

	for (cg_file i = 1; i < files; i++) {
		struct cg_slice path = cg_file_path(graph, i);

		if (cg_compare(cg_base_name(path), cg_base_name(name)) == 0)
			return path;
		if (cg_compare(kind_of(path), kind_of(name)) == 0 &&
		    similar.len == 0)
			similar = path;
	}
	return similar;
}

/*
 * Reports that the paths of the patch and of the graph start at different
 * directories. Called if the graph has no file of the patch. Returns false,
 * without a report, if both have files in the working directory.
 */
static bool
reject_all(const struct cg_patch *patch)
{
	struct cg_slice name = cg_strs_get(
	    &patch->names, patch->file[patch->first_missing - 1].name);
	struct cg_slice similar = find_similar(patch, name);

	if (access(name.ptr, F_OK) == 0 && has_sources_here(patch))
		return false;
	(void)cg_reject(patch->how->job,
	    "the input has no file of the patch: the patch has '%s', the "
	    "input '%s'; see {map} and {strip-prefix}",
	    name.ptr, similar.len > 0 ? similar.ptr : "no sources");
	return true;
}

/*
 * Adds the changed lines of a file of the patch, which the graph lacks. Each
 * gets a count of 0, in a function without a name, so that it counts as not
 * covered. Lines without text are skipped. False: the builder has failed.
 */
static bool
add_missing(struct cg_patch *patch, const struct cg_patch_file *file)
{
	struct cg_build *build = patch->how->build;
	const uint64_t cost = 0;
	struct cg_pos pos = { .file = cg_add_file(build,
				  cg_strs_get(&patch->names, file->name)) };
	cg_fn fn = cg_add_fn(build, cg_slice(""), pos.file, 0);

	for (size_t i = file->begin; i < file->end; i++) {
		const struct cg_patch_lines *changed = &patch->changed[i];

		if (changed->blank)
			continue;
		for (uint64_t line = changed->first; line <= changed->last;
		     line++) {
			pos.line = (uint32_t)line;
			if (!cg_add_cost(build, fn, &pos, &cost, 1))
				return false;
		}
	}
	return true;
}

/*
 * Warns of each file of the patch that coverage should have and the graph
 * lacks. If patch->how->add, also adds its changed lines as not covered, then
 * seals the graph and matches the files again. False: an error (reported).
 */
static bool
handle_missing(struct cg_patch *patch)
{
	bool add = patch->how->add;
	const struct cg_rules *rules = patch->how->build->rules;
	bool ok = true;

	/* Rules apply to paths of inputs only. */
	patch->how->build->rules = NULL;
	for (size_t i = 0; ok && i < patch->files; i++) {
		const struct cg_patch_file *file = &patch->file[i];

		if (cg_patch_found(file) || !is_wanted(patch, file))
			continue;
		cg_warn(patch->how->job, "the input has no '%s' of the patch%s",
		    cg_strs_get(&patch->names, file->name).ptr,
		    add ? ": it counts as not covered" : "");
		ok = !add || add_missing(patch, file);
	}
	patch->how->build->rules = rules;
	if (!ok)
		return cg_reject_nomem(patch->how->job);
	if (!add)
		return true;
	cg_graph_drop_tables(patch->how->graph);
	if (cg_graph_seal(patch->how->graph) != CG_OK || !cg_patch_match(patch))
		return cg_reject_nomem(patch->how->job);
	return true;
}

bool
cg_patch_check(struct cg_patch *patch)
{
	if (!list_kinds(patch))
		return cg_reject_nomem(patch->how->job);
	for (uint32_t i = 0; i < patch->files; i++) {
		if (!check_file(patch, i))
			return false;
	}
	if (patch->missing == 0)
		return true;
	/*
	 * An input of a batch may have only some of the patch's files, or
	 * none.
	 */
	if (patch->how->batch) {
		cg_note(patch->how->job,
		    "the input has none of %zu of %zu file%s of the patch",
		    patch->missing, patch->files, patch->files == 1 ? "" : "s");
		return true;
	}
	if (patch->found == 0 && !patch->how->add && reject_all(patch))
		return false;
	return handle_missing(patch);
}
