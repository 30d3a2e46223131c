/*
 * patch.c - finds the lines that a unified diff adds or changes: with --patch,
 * coverage counts only these.
 *
 * Source: "Detailed Description of Unified Format" of GNU diffutils, and
 * git-diff(1), "Generating patch text with -p": prefixes of names, C-quoted
 * names, no headers of hunks for renames and binary files.
 *
 * A file of the graph is that of the patch whose name ends its path. If it has
 * no such one, but a relative path that ends one name in the patch only, it is
 * that one. Of several absolute paths that end so the one
 * in the working directory is meant, else the shortest: /p/src/a.c, and not
 * /p/old/src/a.c, for src/a.c. If two are the shortest, none is.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgconv_parse.h"
#include "graph/excluded.h"
#include "graph/graph.h"
#include "job/job.h"

#define NAME_DEPTH 64 /* components of a path that are compared */
#define SHARED UINT32_MAX

struct changed {
	uint32_t file; /* of the patch, + 1 */
	uint32_t first, last;
};

struct patch_file {
	cg_str name;
	size_t begin, end; /* of changed, sorted */
	/* Of relative and absolute paths of the graph: */
	struct {
		size_t len; /* of the shortest; 0: there is none */
		size_t count;
		bool here; /* that in the working directory */
	} best[2];
};

struct patch {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_strs names;
	struct cg_map by_name; /* name -> file + 1 */
	struct cg_map by_end;  /* end of a name -> file + 1, or SHARED */
	struct patch_file *file;
	size_t files, file_cap;
	struct changed *changed;
	size_t changes, change_cap;
	char *room; /* for a name without its quotes */
	size_t room_cap;
	bool is_diff;
	char *old; /* name before "+++ ", if there is one */
	size_t old_cap;
	bool has_old;
	uint32_t current; /* file + 1 that hunks are of; or 0 */
	char cwd[PATH_MAX];
	uint32_t *match; /* by file of the graph: file + 1 */
};

/* ---- Names --------------------------------------------------------------- */

/* The character of a C escape; 0: there is none. */
static char
plain_char(char letter)
{
	static const char letters[] = "abtnvfr\"\\",
			  plain[] = "\a\b\t\n\v\f\r\"\\";
	const char *at = letter ? strchr(letters, letter) : NULL;

	return at ? plain[at - letters] : '\0';
}

/* What follows a backslash: a letter, or three octal digits; 0: neither. */
static char
take_escape(struct cg_slice *text)
{
	unsigned value = 0;
	size_t n = 0;
	char c;

	while (n < 3 && n < text->len && text->ptr[n] >= '0' &&
	       text->ptr[n] <= '7')
		value = value * 8 + (unsigned)(text->ptr[n++] - '0');
	if (n == 3 && value < 256) {
		text->ptr += n;
		text->len -= n;
		return (char)value;
	}
	c = text->len > 0 ? plain_char(*text->ptr) : '\0';
	if (c != '\0')
		(void)cg_take_char(text, *text->ptr);
	return c;
}

/* Names with quotes are those that C would write so. */
static bool
unquote(struct patch *patch, struct cg_slice quoted, struct cg_slice *name)
{
	char *to, c;

	if (!cg_grow_raw(&patch->room, &patch->room_cap, quoted.len + 1, 1)) {
		(void)cg_nomem(patch->job);
		return false;
	}
	to = patch->room;
	while (quoted.len > 0 && *quoted.ptr != '"') {
		c = *quoted.ptr;
		(void)cg_take_char(&quoted, c);
		if (c == '\\')
			c = take_escape(&quoted);
		if (c == '\0')
			return cg_reject(patch->job,
			    "expected a file name in quotes, with "
			    "escapes of C");
		*to++ = c;
	}
	*name = (struct cg_slice){ patch->room, (size_t)(to - patch->room) };
	return true;
}

/* After "--- " or "+++ "; a time may follow a tab. */
static bool
take_name(struct patch *patch, struct cg_slice text, struct cg_slice *name)
{
	if (cg_take_char(&text, '"'))
		return unquote(patch, text, name);
	if (!cg_take_until(&text, '\t', name))
		*name = (struct cg_slice){ "", 0 };
	if (name->len > 0 && name->ptr[name->len - 1] == '\r')
		name->len--;
	return true;
}

/*
 * Drops the first directory of a new name if the old one differs only there: a/ and b/ of git, or two versions of a directory.
 */
static struct cg_slice
without_prefix(struct cg_slice name, struct cg_slice old)
{
	struct cg_slice rest = name, before = old, prefix, other;

	if (!cg_take_until(&rest, '/', &prefix) || rest.len == 0)
		return name;
	if (cg_equal(old, "/dev/null"))
		return prefix.len == 1 && strchr("bciow", *prefix.ptr) ? rest
								       : name;
	if (cg_take_until(&before, '/', &other) &&
	    cg_compare(rest, before) == 0 && cg_compare(prefix, other) != 0)
		return rest;
	return name;
}

/* Calls of this find all ends of a path, the path itself first. */
static bool
next_end(struct cg_slice *path, int *depth)
{
	struct cg_slice first;

	if ((*depth)++ == 0)
		return path->len > 0;
	return *depth <= NAME_DEPTH && cg_take_until(path, '/', &first) &&
	       path->len > 0;
}

/* Makes the ends of a name known. False: out of memory. */
static bool
add_ends(struct patch *patch, struct cg_slice name, uint32_t value)
{
	int depth = 0;

	while (next_end(&name, &depth)) {
		cg_str end = cg_strs_add(&patch->names, name);
		uint32_t *at =
		    end == CG_STR_NONE ? NULL : cg_map_at(&patch->by_end, end);

		if (!at)
			return false;
		*at = *at == 0 || *at == value ? value : SHARED;
	}
	return true;
}

/* The file of that name, which may be a new one; NULL: out of memory. */
static struct patch_file *
add_file(struct patch *patch, struct cg_slice name)
{
	cg_str id = cg_strs_add(&patch->names, name);
	uint32_t *at =
	    id == CG_STR_NONE ? NULL : cg_map_at(&patch->by_name, id);

	if (!at)
		return NULL;
	if (*at > 0)
		return &patch->file[*at - 1];
	if (!cg_grow(&patch->file, &patch->file_cap, patch->files + 1,
		sizeof(*patch->file)))
		return NULL;
	*at = (uint32_t)++patch->files;
	patch->file[*at - 1].name = id;
	return add_ends(patch, name, *at) ? &patch->file[*at - 1] : NULL;
}

/* ---- Lines --------------------------------------------------------------- */

/* A line was added. False: out of memory. */
static bool
add_line(struct patch *patch, uint64_t line)
{
	struct changed *last =
	    patch->changes > 0 ? &patch->changed[patch->changes - 1] : NULL;

	if (line > UINT32_MAX || patch->current == 0)
		return true;
	if (last && last->file == patch->current && last->last + 1 == line) {
		last->last++;
		return true;
	}
	if (!cg_grow_raw(&patch->changed, &patch->change_cap,
		patch->changes + 1, sizeof(*last)))
		return false;
	patch->changed[patch->changes++] =
	    (struct changed){ patch->current, (uint32_t)line, (uint32_t)line };
	return true;
}

/* "12" or "12,3": a line, and how many there are. */
static bool
take_range(struct cg_slice *text, uint64_t *line, uint64_t *count)
{
	*count = 1;
	return cg_take_u64(text, line) &&
	       (!cg_take_char(text, ',') || cg_take_u64(text, count)) &&
	       *line <= UINT32_MAX && *count <= UINT32_MAX;
}

/* After "@@ ": the lines of the hunk. False: see rejected. */
static bool
read_hunk(struct patch *patch, struct cg_slice text)
{
	uint64_t old, line, before, after;

	if (!cg_take_char(&text, '-') || !take_range(&text, &old, &before) ||
	    !cg_take_prefix(&text, " +") || !take_range(&text, &line, &after) ||
	    !cg_take_prefix(&text, " @@"))
		return cg_reject(patch->job,
		    "expected the lines of a hunk: @@ -1,2 +1,3 @@");
	while (before + after > 0) {
		char kind;

		if (!cg_read_line(patch->in, &text))
			return cg_reject(patch->job,
			    "expected more lines of the hunk: the patch is "
			    "truncated");
		/* Programs that trim lines leave nothing of an empty one. */
		kind = text.len == 0 || *text.ptr == '\r' ? ' ' : *text.ptr;
		if (kind == '\\')
			continue;
		if ((kind != ' ' && kind != '-' && kind != '+') ||
		    (kind != '+' && before == 0) || (kind != '-' && after == 0))
			return cg_reject(patch->job,
			    "expected a line of the hunk, with ' ', '-' or '+' "
			    "before it, as many as its first line says");
		if (kind == '+' && !add_line(patch, line))
			return cg_reject_nomem(patch->job);
		before -= kind != '+';
		after -= kind != '-';
		line += kind != '-';
	}
	return true;
}

/* After "--- ": the old name. */
static bool
keep_old(struct patch *patch, struct cg_slice text)
{
	struct cg_slice name;

	patch->has_old = take_name(patch, text, &name);
	if (!patch->has_old)
		return false;
	if (!cg_grow_raw(&patch->old, &patch->old_cap, name.len + 1, 1))
		return cg_reject_nomem(patch->job);
	if (name.len > 0)
		memcpy(patch->old, name.ptr, name.len);
	patch->old[name.len] = '\0';
	return true;
}

/* After "+++ ": the new name, which the hunks that follow are of. */
static bool
begin_file(struct patch *patch, struct cg_slice text)
{
	struct patch_file *file;
	struct cg_slice name;

	patch->is_diff = true;
	patch->current = 0;
	if (!take_name(patch, text, &name))
		return false;
	if (cg_equal(name, "/dev/null"))
		return true;
	file = add_file(patch, without_prefix(name, cg_slice(patch->old)));
	if (!file)
		return cg_reject_nomem(patch->job);
	patch->current = (uint32_t)(file - patch->file) + 1;
	return true;
}

/* A line that is not one of a hunk. False: see rejected. */
static bool
read_header(struct patch *patch, struct cg_slice line)
{
	bool has_old = patch->has_old;

	patch->has_old = false;
	if (cg_take_prefix(&line, "--- "))
		return keep_old(patch, line);
	if (has_old && cg_take_prefix(&line, "+++ "))
		return begin_file(patch, line);
	if (cg_starts(line, "@@@"))
		return cg_reject(patch->job,
		    "expected a diff of two versions, not a combined one: "
		    "compare with one parent");
	/* Hunks of a file that was removed are read and count for none. */
	if (patch->is_diff && cg_take_prefix(&line, "@@ "))
		return read_hunk(patch, line);
	if (cg_starts(line, "diff ")) {
		patch->is_diff = true;
		patch->current = 0;
	}
	return true;
}

/* False: see rejected, or the input's status. */
static bool
read_lines(struct patch *patch)
{
	struct cg_slice line;
	bool text = false;

	while (cg_read_line(patch->in, &line)) {
		text |= line.len > 0;
		if (!read_header(patch, line))
			return false;
	}
	if (cg_in_status(patch->in) != CG_OK)
		return false;
	if (text && !patch->is_diff)
		return cg_reject(patch->job,
		    "expected a unified diff, as git diff and diff -u print "
		    "it");
	return true;
}

/* ---- Files of the graph -------------------------------------------------- */

static int
compare_changes(const void *pa, const void *pb)
{
	const struct changed *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* Sorts changes; gives each file its own. */
static void
sort_changes(struct patch *patch)
{
	size_t at = 0;

	if (patch->changes > 1)
		qsort(patch->changed, patch->changes, sizeof(*patch->changed),
		    compare_changes);
	for (size_t i = 0; i < patch->files; i++) {
		patch->file[i].begin = at;
		while (at < patch->changes && patch->changed[at].file == i + 1)
			at++;
		patch->file[i].end = at;
	}
}

/* The file of the patch that the path names, plus 1; 0: none. */
static uint32_t
find_match(const struct patch *patch, struct cg_slice path)
{
	struct cg_slice end = path;
	uint32_t file;
	cg_str id;
	int depth = 0;

	while (next_end(&end, &depth)) {
		id = cg_strs_find(&patch->names, end);
		file = id == 0 ? 0 : cg_map_get(&patch->by_name, id);
		if (file > 0)
			return file;
	}
	id = cg_starts(path, "/") ? 0 : cg_strs_find(&patch->names, path);
	file = id == 0 ? 0 : cg_map_get(&patch->by_end, id);
	return file == SHARED ? 0 : file;
}

/* Is it the name, in the working directory? */
static bool
is_here(const struct patch *patch, struct cg_slice path, struct cg_slice name)
{
	struct cg_slice cwd = cg_slice(patch->cwd);

	return path.len == cwd.len + 1 + name.len &&
	       cg_take_prefix(&path, patch->cwd) && cg_take_char(&path, '/') &&
	       cg_compare(path, name) == 0;
}

static void
note_match(struct patch *patch, struct patch_file *file, struct cg_slice path)
{
	bool absolute = cg_starts(path, "/");
	bool here =
	    is_here(patch, path, cg_strs_get(&patch->names, file->name));

	if (file->best[absolute].here && !here)
		return;
	if (file->best[absolute].len == 0 || here ||
	    path.len < file->best[absolute].len) {
		file->best[absolute].len = path.len;
		file->best[absolute].count = 0;
		file->best[absolute].here = here;
	}
	file->best[absolute].count += path.len == file->best[absolute].len;
}

/* Is the path the one that the file's name means? */
static bool
is_best(const struct patch *patch, const struct patch_file *file,
    struct cg_slice path)
{
	bool absolute = cg_starts(path, "/");

	return path.len == file->best[absolute].len &&
	       file->best[absolute].count == 1 &&
	       (!file->best[absolute].here ||
		   is_here(
		       patch, path, cg_strs_get(&patch->names, file->name)));
}

/* False: out of memory. */
static bool
match_files(struct patch *patch)
{
	const struct cg_graph *graph = patch->job->graph;
	size_t files = cg_file_count(graph) + 1;

	if (!getcwd(patch->cwd, sizeof(patch->cwd)))
		patch->cwd[0] = '\0';
	patch->match = calloc(files, sizeof(*patch->match));
	if (!patch->match)
		return false;
	for (cg_file i = 1; i < files; i++) {
		struct cg_slice path = cg_file_path(graph, i);

		patch->match[i] = find_match(patch, path);
		if (patch->match[i] > 0)
			note_match(
			    patch, &patch->file[patch->match[i] - 1], path);
	}
	for (cg_file i = 1; i < files; i++) {
		if (patch->match[i] > 0 &&
		    !is_best(patch, &patch->file[patch->match[i] - 1],
			cg_file_path(graph, i)))
			patch->match[i] = 0;
	}
	return true;
}

/* Excludes what lies between the changes. False: out of memory. */
static bool
exclude_others(struct patch *patch, const struct patch_file *file)
{
	struct cg_excluded *excluded = patch->job->graph->unchanged;
	struct cg_excluded_range range = { .what = CG_EXCLUDE_LINES };
	size_t end = file ? file->end : 0;

	cg_excluded_begin(excluded);
	for (size_t i = file ? file->begin : 0; i < end; i++) {
		const struct changed *changed = &patch->changed[i];

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
exclude_unchanged(struct patch *patch)
{
	struct cg_graph *graph = patch->job->graph;
	size_t files = cg_file_count(graph) + 1, missing = 0, unclear = 0;
	bool ok = match_files(patch);

	graph->unchanged = ok ? cg_excluded_new(files) : NULL;
	ok = graph->unchanged != NULL;
	for (cg_file i = 0; ok && i < files; i++)
		ok = exclude_others(patch,
		    patch->match[i] > 0 ? &patch->file[patch->match[i] - 1]
					: NULL);
	if (!ok)
		return cg_reject_nomem(patch->job);
	for (size_t i = 0; i < patch->files; i++) {
		const struct patch_file *file = &patch->file[i];

		missing += file->best[0].len + file->best[1].len == 0;
		unclear += file->best[0].count > 1 || file->best[1].count > 1;
	}
	if (missing > 0)
		cg_note(patch->job,
		    "the input has none of %zu of %zu file%s of the patch",
		    missing, patch->files, patch->files == 1 ? "" : "s");
	if (unclear > 0)
		cg_warn(patch->job,
		    "%zu of %zu file%s of the patch may be several files of "
		    "the input: they do not count; run cgconv in the directory "
		    "of the patch",
		    unclear, patch->files, patch->files == 1 ? "" : "s");
	return true;
}

/* ---- The job -------------------------------------------------------------- */

static void
free_patch(struct patch *patch)
{
	cg_strs_free(&patch->names);
	cg_map_free(&patch->by_name);
	cg_map_free(&patch->by_end);
	free(patch->file);
	free(patch->changed);
	free(patch->room);
	free(patch->old);
	free(patch->match);
}

int
cg_job_exclude_unchanged(struct cg_job *job)
{
	const char *path = cg_opt(job, CG_PATCH_OPTION);
	struct patch patch = { .job = job };
	int status;
	bool ok;

	cg_excluded_free(job->graph->unchanged);
	job->graph->unchanged = NULL;
	if (!path)
		return CG_OK;
	status = cg_job_note_file(job, path);
	if (status == CG_OK)
		patch.in = job->errors.in =
		    cg_in_open(&job->errors.diag, path, &status);
	if (!patch.in)
		return status;
	job->errors.rejected = CG_OK;
	ok = read_lines(&patch);
	if (ok) {
		sort_changes(&patch);
		ok = exclude_unchanged(&patch);
	}
	status = cg_in_status(patch.in);
	if (job->errors.rejected != CG_OK)
		status = job->errors.rejected;
	cg_in_close(patch.in);
	job->errors.in = NULL;
	free_patch(&patch);
	return ok ? CG_OK : status;
}
