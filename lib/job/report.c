/*
 * report.c - the files and lines of a coverage report, and messages about
 * dropped data: the same for all formats.
 */
#include <inttypes.h>

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

/*
 * True if the current file has a line that the report lists; moves the cursor
 * back to the file's first line.
 */
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

/* ---- Dropped data -------------------------------------------------------- */

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
