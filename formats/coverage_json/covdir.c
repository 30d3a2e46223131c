/*
 * covdir.c - the module for covdir: a tree of directories as JSON, each with
 * its totals, for viewers and bots.
 *
 * Source: "--output-type covdir" in the README of grcov, its src/covdir.rs
 * (813876e), and its tests. Item i of "coverage" is the count of line i + 1,
 * -1 if the line has no code. Percents have two digits after the point.
 *
 * Lines survive. Lost are functions and branches.
 *
 * Files of a directory and its subdirectories need not be consecutive, so the
 * counts of all files are kept, then sorted by path.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coverage_json.h"

struct source_file {
	struct cg_slice path; /* relative */
	size_t at;            /* offset in counts */
	struct cg_hits lines;
};

struct directory {
	struct cg_slice name;
	struct cg_hits lines;
	bool any; /* it has a child */
};

struct writer {
	struct cg_report r;
	struct cg_numbers counts; /* for each file: lines, counts; 0 */
	CG_ARRAY(struct source_file) file;
	CG_ARRAY(struct directory) open; /* root to the file's directory */
	struct coverage_json_gaps gaps;
};

/* ---- Files -------------------------------------------------------------- */

static bool
keep_file(struct writer *w, struct cg_slice path)
{
	struct source_file *file = cg_push(w->r.job, &w->file);
	struct cg_line_sum line;

	while (cg_take_char(&path, '/'))
		continue;
	if (!file)
		return false;
	*file = (struct source_file){ .path = path, .at = w->counts.bytes };
	while (cg_report_line(&w->r, &line)) {
		file->lines.found++;
		file->lines.hit += line.hits > 0;
		if (!cg_numbers_in(w->r.job, &w->counts, line.line) ||
		    !cg_numbers_in(w->r.job, &w->counts, line.hits))
			return false;
	}
	return cg_numbers_in(w->r.job, &w->counts, 0);
}

/*
 * Orders files by path for qsort(), with '/' before all other characters, so
 * that the contents of a directory are consecutive. A path comes before the
 * longer paths that begin with it.
 */
static int
compare_paths(const void *pa, const void *pb)
{
	const struct source_file *a = pa, *b = pb;
	struct cg_slice x = a->path, y = b->path;
	size_t n = 0;

	while (n < x.len && n < y.len && x.ptr[n] == y.ptr[n])
		n++;
	if (n == x.len || n == y.len)
		return (x.len > y.len) - (x.len < y.len);
	if (x.ptr[n] == '/' || y.ptr[n] == '/')
		return x.ptr[n] == '/' ? -1 : 1;
	return (unsigned char)x.ptr[n] < (unsigned char)y.ptr[n] ? -1 : 1;
}

/* ---- Elements ----------------------------------------------------------- */

/*
 * Begins a child of the innermost open directory: writes its name as a key,
 * and then "first", the begin of its value. The root's name is not written.
 */
static void
open_child(struct writer *w, struct cg_slice name, const char *first)
{
	struct directory *parent =
	    w->open.n > 0 ? &w->open.at[w->open.n - 1] : NULL;

	if (parent) {
		cg_puts(w->r.out, parent->any ? ",\n" : "\n");
		cg_put_json(w->r.out, name);
		cg_putc(w->r.out, ':');
		parent->any = true;
	}
	cg_puts(w->r.out, first);
}

static void
close_child(struct writer *w, struct cg_slice name, const struct cg_hits *lines)
{
	/* In hundredths of a percent, rounded half up. */
	uint64_t percent = lines->found ? (lines->hit * 20000 + lines->found) /
					      (lines->found * 2)
					: 0;

	cg_putf(w->r.out,
	    ",\"coveragePercent\":%" PRIu64 ".%02" PRIu64
	    ",\"linesCovered\":%" PRIu64 ",\"linesMissed\":%" PRIu64
	    ",\"linesTotal\":%" PRIu64 ",\"name\":",
	    percent / 100, percent % 100, lines->hit, lines->found - lines->hit,
	    lines->found);
	cg_put_json(w->r.out, name);
	cg_putc(w->r.out, '}');
}

static bool
open_directory(struct writer *w, struct cg_slice name)
{
	open_child(w, name, "{\"children\":{");
	return cg_append(
	    w->r.job, &w->open, (struct directory){ .name = name });
}

/*
 * Closes the innermost open directory. Writes the end of its object. Adds its
 * totals to those of its parent.
 */
static void
close_directory(struct writer *w)
{
	struct directory closed = w->open.at[--w->open.n];

	cg_putc(w->r.out, '}');
	close_child(w, closed.name, &closed.lines);
	if (w->open.n > 0) {
		w->open.at[w->open.n - 1].lines.hit += closed.lines.hit;
		w->open.at[w->open.n - 1].lines.found += closed.lines.found;
	}
}

/*
 * Makes the directories of *path the open directories. Closes each open
 * directory that is not in the path, and opens those of the path that are not
 * open. The root must be open. *path becomes the base name. False: out of
 * memory (reported).
 */
static bool
enter(struct writer *w, struct cg_slice *path)
{
	struct cg_slice rest = *path, name;
	size_t depth = 1;

	/* Skip directories that are open already. */
	while (depth < w->open.n && cg_take_until(&rest, '/', &name) &&
	       cg_compare(name, w->open.at[depth].name) == 0 && rest.len > 0) {
		*path = rest;
		depth++;
	}
	while (w->open.n > depth)
		close_directory(w);
	for (;;) {
		size_t len = path->len - cg_base_name(*path).len;

		if (len == 0)
			return true;
		(void)cg_take_until(path, '/', &name);
		if (!open_directory(w, name))
			return false;
	}
}

static bool
put_file(struct writer *w, const struct source_file *file)
{
	struct cg_slice name = file->path;
	struct directory *parent;
	size_t at = file->at;
	uint64_t line, count;

	if (!enter(w, &name))
		return false;
	open_child(w, name, "{\"coverage\":[");
	w->gaps.next = 1;
	while (cg_numbers_get(&w->counts, &at, &line) && line > 0 &&
	       cg_numbers_get(&w->counts, &at, &count)) {
		if (!coverage_json_put_gap(
			&w->r, &w->gaps, (uint32_t)line, "-1,"))
			return false;
		cg_putu(w->r.out, count);
	}
	cg_putc(w->r.out, ']');
	close_child(w, name, &file->lines);
	parent = &w->open.at[w->open.n - 1];
	parent->lines.hit += file->lines.hit;
	parent->lines.found += file->lines.found;
	return true;
}

/* ---- The document ------------------------------------------------------- */

static bool
put_tree(struct writer *w)
{
	size_t twice = 0;
	bool ok = true;
	cg_file file;

	while (ok && cg_report_file(&w->r, &file))
		ok = keep_file(w, cg_file_path(w->r.graph, file));
	if (!ok)
		return false;
	if (w->file.n > 1)
		qsort(
		    w->file.at, w->file.n, sizeof(*w->file.at), compare_paths);
	for (size_t i = 1; i < w->file.n; i++)
		twice += compare_paths(&w->file.at[i - 1], &w->file.at[i]) == 0;
	if (twice > 0)
		cg_warn(w->r.job,
		    "%zu file%s the path of another one, but for its leading "
		    "slash: programs read only one of them",
		    twice, twice == 1 ? " has" : "s have");
	ok = open_directory(w, cg_slice(""));
	for (size_t i = 0; ok && i < w->file.n; i++)
		ok = put_file(w, &w->file.at[i]);
	while (ok && w->open.n > 0)
		close_directory(w);
	cg_putc(w->r.out, '\n');
	return ok;
}

static int
write_covdir(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .r = { .job = job,
				.graph = graph,
				.out = out,
				.part = CG_ALL_PARTS } };
	int status = cg_report_open(&w.r);

	return status == CG_OK ? cg_report_close(&w.r, put_tree(&w)) : status;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	CG_OPTIONS_EXCLUDE,
	{ 0 },
};

const struct cg_module cg_format_covdir = {
	CG_MODULE,
	.name = "covdir",
	.title = "coverage by directory as JSON, also written by grcov",
	.text = true,
	.suffixes = "covdir;covdir.json",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_SIGNED | CG_FILES,
	.needs = CG_LINES,
	.options = options,
	.write = write_covdir,
};
