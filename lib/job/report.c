/*
 * report.c - what reports of coverage list of a graph, and what they drop: the
 * same for all of them, with the same words.
 */
#include <inttypes.h>
#include <string.h>

#include "job/job.h"
#include "lines/lines.h"

int
cg_report_open(struct cg_report *r)
{
	int status = cg_choose_event(r->job, r->graph, "Exec", &r->event);

	if (status != CG_OK)
		return status;
	r->lines = cg_lines_new_by_name(r->graph, r->part);
	return r->lines ? CG_OK : cg_nomem(r->job);
}

/* Has the current file a line that is listed? */
static bool
has_lines(struct cg_report *r)
{
	struct cg_line line;
	bool found = false;

	while (!found && cg_next_line(r->lines, &line))
		found = line.line > 0 && (line.has_cost || r->bare_lines);
	cg_first_line(r->lines);
	return found;
}

static void
drop_file(struct cg_report *r, bool has_path)
{
	struct cg_line_sum line;
	const cg_fn *fn;

	while (cg_next_line_sum(r->lines, r->event, &line)) {
		r->losses.lost += line.hits;
		r->losses.bare +=
		    has_path && line.line > 0 && line.branches > 0;
	}
	if (has_path)
		r->losses.fns += cg_file_fns(r->lines, &fn);
}

bool
cg_report_file(struct cg_report *r, cg_file *file)
{
	bool has_path;

	while (cg_next_file(r->lines, file)) {
		has_path = cg_file_path(r->graph, *file).len > 0;
		if (has_path && has_lines(r)) {
			r->files++;
			return true;
		}
		if (!r->again)
			drop_file(r, has_path);
	}
	return false;
}

bool
cg_report_line(struct cg_report *r, struct cg_line_sum *line)
{
	while (cg_next_line_sum(r->lines, r->event, line)) {
		bool listed =
		    line->line > 0 && (line->has_cost || r->bare_lines);

		if (r->again && listed)
			return true;
		if (r->again)
			continue;
		r->losses.lost += line->line > 0 ? 0 : line->hits;
		r->losses.bare +=
		    line->line > 0 && !listed && line->branches > 0;
		r->losses.negative_lines += line->hits != line->cost;
		r->losses.repeated |= line->hits > 1;
		if (listed)
			return true;
	}
	return false;
}

uint64_t
cg_report_count(struct cg_report *r, int64_t count)
{
	r->losses.negative_branches += !r->again && count < 0;
	return count > 0 ? (uint64_t)count : 0;
}

void
cg_report_again(struct cg_report *r)
{
	r->again = true;
	r->files = 0;
	cg_first_file(r->lines);
}

/* ---- In threads ---------------------------------------------------------- */

/*
 * A file of more rows and functions is written at once: threads would need much
 * memory.
 */
#define LARGE_FILE 20000u

static void
add_losses(struct cg_report_losses *to, const struct cg_report_losses *more)
{
	to->lost += more->lost;
	to->bare += more->bare;
	to->fns += more->fns;
	to->negative_lines += more->negative_lines;
	to->negative_branches += more->negative_branches;
	to->repeated |= more->repeated;
	to->pathless |= more->pathless;
}

/* The next file that has a path. */
static bool
next_with_path(struct cg_report *r, cg_file *file)
{
	while (cg_next_file(r->lines, file)) {
		r->losses.pathless |= *file == 0;
		if (*file != 0) {
			r->files++;
			return true;
		}
	}
	return false;
}

/* Writes the files of the report, or of its range. */
static bool
put_files(const struct cg_report_files_how *how, struct cg_report *r)
{
	bool ok = true;
	cg_file file;

	while (ok && (how->all ? next_with_path(r, &file)
			       : cg_report_file(r, &file))) {
		if (how->between && r->files > 1)
			cg_puts(r->out, how->between);
		ok = how->put(r, file);
	}
	return ok;
}

static size_t
next_range(void *arg, size_t from)
{
	const struct cg_report_files_how *how = arg;

	return cg_lines_batch_end(how->r->lines, from);
}

static bool
is_large(const void *arg, size_t from, size_t to)
{
	const struct cg_report_files_how *how = arg;
	uint64_t rows;

	return cg_lines_file_end(how->r->lines, from, &rows) == to &&
	       rows > LARGE_FILE;
}

/* A draft's own: a copy of the writer. */
struct copy {
	const struct cg_report_files_how *how; /* NULL: nothing to close */
	struct cg_report r;                    /* the writer begins here */
};

static bool
begin_copy(void *arg, struct cg_draft *draft)
{
	const struct cg_report_files_how *how = arg;
	struct copy *copy = draft->own;

	memcpy(&copy->r, how->r, how->size);
	copy->r.graph = draft->graph;
	copy->r.out = draft->out;
	copy->r.lines = cg_lines_view(how->r->lines, draft->graph);
	if (!copy->r.lines || (how->begin && !how->begin(&copy->r)))
		return false;
	copy->how = how;
	return true;
}

static bool
format_range(struct cg_draft *draft)
{
	struct copy *copy = draft->own;

	copy->r.files = 0;
	copy->r.losses = (struct cg_report_losses){ 0 };
	if (copy->how->forget)
		copy->how->forget(&copy->r);
	cg_lines_limit(copy->r.lines, draft->from, draft->to);
	return put_files(copy->how, &copy->r);
}

static bool
put_range(void *arg, const struct cg_draft *draft)
{
	const struct cg_report_files_how *how = arg;
	const struct copy *copy = draft->own;

	if (how->between && how->r->files > 0 && copy->r.files > 0)
		cg_puts(how->r->out, how->between);
	cg_put(how->r->out, cg_draft_text(draft->out));
	how->r->files += copy->r.files;
	add_losses(&how->r->losses, &copy->r.losses);
	return !how->join || how->join(how->r, &copy->r);
}

static bool
write_range(void *arg, size_t from, size_t to)
{
	const struct cg_report_files_how *how = arg;

	cg_lines_limit(how->r->lines, from, to);
	return put_files(how, how->r);
}

static void
close_copy(void *own)
{
	struct copy *copy = own;

	if (copy->how && copy->how->close)
		copy->how->close(&copy->r);
	cg_lines_free(copy->r.lines);
}

bool
cg_report_files(const struct cg_report_files_how *how)
{
	struct cg_report_files_how arg = *how;
	const struct cg_drafts_how drafts = { .job = how->r->job,
		.graph = how->r->graph,
		.arg = &arg,
		.own = offsetof(struct copy, r) + how->size,
		.next = next_range,
		.is_large = is_large,
		.begin = begin_copy,
		.format = format_range,
		.put = put_range,
		.write = write_range,
		.close = close_copy };
	bool ok = cg_write_drafts(&drafts);

	if (how->r->losses.pathless)
		cg_warn(how->r->job, "dropped lines of unknown files");
	how->r->losses.pathless = false;
	return ok;
}

/* ---- What was dropped ---------------------------------------------------- */

static void
report_losses(const struct cg_report *r)
{
	if (r->losses.lost > 0)
		cg_warn(r->job,
		    "dropped %" PRIu64 " %s without a source file or line",
		    r->losses.lost, cg_get_event(r->graph, r->event)->name);
	if (r->losses.fns > 0)
		cg_warn(r->job,
		    "dropped %" PRIu64 " function%s of files without lines",
		    r->losses.fns, r->losses.fns == 1 ? "" : "s");
	if (r->losses.bare > 0)
		cg_warn(r->job,
		    "dropped branches of %" PRIu64 " line%s without a count",
		    r->losses.bare, r->losses.bare == 1 ? "" : "s");
	if (r->losses.negative_lines > 0)
		cg_warn(r->job,
		    "negative counts of %" PRIu64 " line%s are written as 0",
		    r->losses.negative_lines,
		    r->losses.negative_lines == 1 ? "" : "s");
	if (r->losses.negative_branches > 0)
		cg_warn(r->job,
		    "negative counts of %" PRIu64 " branch%s are written as 0",
		    r->losses.negative_branches,
		    r->losses.negative_branches == 1 ? "" : "es");
	if (r->losses.repeated && r->only_whether && cg_job_verbose(r->job))
		cg_note(r->job, "how often lines ran is dropped: only whether "
				"they did is written");
}

int
cg_report_close(struct cg_report *r, bool ok)
{
	cg_lines_free(r->lines);
	r->lines = NULL;
	if (!ok || cg_graph_failed(r->graph))
		return cg_rejected(r->job) != CG_OK ? cg_rejected(r->job)
						    : cg_nomem(r->job);
	report_losses(r);
	if (r->files == 0)
		return cg_fail(r->job, "expected costs of source lines");
	return cg_out_status(r->out);
}
