/*
 * report.c - what reports of coverage list of a graph, and what they drop: the
 * same for all of them, with the same words.
 */
#include <inttypes.h>
#include <stdlib.h>
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
		r->lost += line.hits;
		r->bare += has_path && line.line > 0 && line.branches > 0;
	}
	if (has_path)
		r->fns += cg_file_fns(r->lines, &fn);
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
		r->lost += line->line > 0 ? 0 : line->hits;
		r->bare += line->line > 0 && !listed && line->branches > 0;
		r->negative_lines += line->hits != line->cost;
		r->repeated |= line->hits > 1;
		if (listed)
			return true;
	}
	return false;
}

uint64_t
cg_report_count(struct cg_report *r, int64_t count)
{
	r->negative_branches += !r->again && count < 0;
	return count > 0 ? (uint64_t)count : 0;
}

void
cg_report_again(struct cg_report *r)
{
	r->again = true;
	r->files = 0;
	cg_first_file(r->lines);
}

/* ---- All files, in threads ----------------------------------------------- */

struct all_files {
	struct cg_report *r; /* begins what the format has */
	const struct cg_report_how *how;
};

/* A draft's copy of what the format has. */
struct copy {
	const struct cg_report_how *how;
	struct cg_report *r;
};

static size_t
next_files(void *arg, size_t from)
{
	const struct all_files *all = arg;

	const struct cg_lines *lines = all->r->lines;

	return cg_lines_batch_end(lines, from, lines->in_files);
}

static bool
put_files(struct cg_report *r, const struct cg_report_how *how)
{
	cg_file file;
	bool ok = true;

	while (ok && cg_report_file(r, &file))
		ok = how->put(r, file);
	return ok;
}

static bool
write_files(void *arg, size_t from, size_t to)
{
	const struct all_files *all = arg;

	cg_lines_limit(all->r->lines, from, to);
	return put_files(all->r, all->how);
}

static bool
begin_files(void *arg, struct cg_draft *draft)
{
	const struct all_files *all = arg;
	struct copy *copy = draft->own;

	copy->how = all->how;
	copy->r = malloc(all->how->size);
	if (!copy->r)
		return false;
	memcpy(copy->r, all->r, all->how->size);
	copy->r->graph = draft->graph;
	copy->r->out = draft->out;
	copy->r->lines = cg_lines_share(all->r->lines, draft->graph);
	if (all->how->begin)
		all->how->begin(copy->r);
	return copy->r->lines != NULL;
}

static bool
format_files(struct cg_draft *draft)
{
	const struct copy *copy = draft->own;
	struct cg_report *r = copy->r;

	r->files = 0;
	r->lost = r->bare = r->fns = 0;
	r->negative_lines = r->negative_branches = 0;
	cg_lines_limit(r->lines, draft->from, draft->to);
	return put_files(r, copy->how);
}

static bool
join_files(void *arg, const struct cg_draft *draft)
{
	const struct all_files *all = arg;
	struct cg_report *from = ((const struct copy *)draft->own)->r;
	struct cg_report *to = all->r;

	cg_put(to->out, cg_draft_text(draft->out));
	to->files += from->files;
	to->lost += from->lost;
	to->bare += from->bare;
	to->fns += from->fns;
	to->negative_lines += from->negative_lines;
	to->negative_branches += from->negative_branches;
	to->repeated |= from->repeated;
	return !all->how->join || all->how->join(to, from);
}

static void
end_files(void *own)
{
	const struct copy *copy = own;

	if (!copy->r)
		return;
	if (copy->how->end)
		copy->how->end(copy->r);
	cg_lines_free(copy->r->lines);
	free(copy->r);
}

bool
cg_report_files(struct cg_report *r, const struct cg_report_how *how)
{
	struct all_files all = { .r = r, .how = how };
	const struct cg_drafts_how drafts = { .job = r->job,
		.graph = r->graph,
		.arg = &all,
		.own = sizeof(struct copy),
		.next = next_files,
		.begin = begin_files,
		.format = format_files,
		.put = join_files,
		.write = write_files,
		.close = end_files };

	return cg_write_drafts(&drafts);
}

/* ---- The end ------------------------------------------------------------- */

static void
report_losses(const struct cg_report *r)
{
	if (r->lost > 0)
		cg_warn(r->job,
		    "dropped %" PRIu64 " %s without a source file or line",
		    r->lost, cg_get_event(r->graph, r->event)->name);
	if (r->fns > 0)
		cg_warn(r->job,
		    "dropped %" PRIu64 " function%s of files without lines",
		    r->fns, r->fns == 1 ? "" : "s");
	if (r->bare > 0)
		cg_warn(r->job,
		    "dropped branches of %" PRIu64 " line%s without a count",
		    r->bare, r->bare == 1 ? "" : "s");
	if (r->negative_lines > 0)
		cg_warn(r->job,
		    "negative counts of %" PRIu64 " line%s are written as 0",
		    r->negative_lines, r->negative_lines == 1 ? "" : "s");
	if (r->negative_branches > 0)
		cg_warn(r->job,
		    "negative counts of %" PRIu64 " branch%s are written as 0",
		    r->negative_branches,
		    r->negative_branches == 1 ? "" : "es");
	if (r->repeated && r->only_whether && cg_job_verbose(r->job))
		cg_note(r->job, "how often lines ran is dropped: only whether "
				"they did is written");
}

int
cg_report_close(struct cg_report *r, bool ok)
{
	cg_lines_free(r->lines);
	r->lines = NULL;
	if (!ok)
		return cg_rejected(r->job) != CG_OK ? cg_rejected(r->job)
						    : cg_nomem(r->job);
	report_losses(r);
	if (r->files == 0)
		return cg_fail(r->job, "expected costs of source lines");
	return cg_out_status(r->out);
}
