/*
 * lines.c - keeps the costs of runs by source line, to compare them.
 *
 * Lines match by path and number: a line that moved is gone in one place and
 * new in another. --map makes paths equal.
 */
#include "noise.h"

/*
 * Returns the number of a line in noise->line. "file" is the number of the
 * line's file in noise->files, and "line" its number in that file. Appends the
 * line if it is new. Numbers begin at 1. 0: out of memory.
 */
static uint32_t
number_line(struct noise *noise, uint32_t file, uint32_t line)
{
	uint32_t *number =
	    cg_map_at(&noise->line_ids, (uint64_t)file << 32 | line);

	if (number == NULL)
		return 0;
	if (*number == 0 &&
	    cg_append(noise->args->job, &noise->line,
		(struct noise_line){ noise->files.path.at[file - 1], line }))
		*number = (uint32_t)noise->line.n;
	return *number;
}

/*
 * Adds a run's costs of lines in the current file of "lines", whose path is
 * "path", to kept->line. Its index is the number that noise->line has for the
 * line; a new line gets the next number. Skips costs of 0, and costs with an
 * unknown line (line 0). False: out of memory.
 */
static bool
keep_file(struct noise *noise, struct noise_run *kept, const struct run *run,
    struct cg_lines *lines, struct cg_slice path)
{
	uint32_t file = number_path(noise->args->job, &noise->files, path), id;
	struct cg_line_sum sum;

	while (file != 0 && cg_next_line_sum(lines, run->event, &sum)) {
		if (sum.line == 0 || sum.cost == 0)
			continue;
		id = number_line(noise, file, sum.line);
		if (id == 0 || !cg_resize(noise->args->job, &kept->line,
				   noise->line.n + 1))
			return false;
		kept->line.at[id] += event_cost(run, sum.cost);
	}
	return file != 0;
}

int
keep_lines(struct noise *noise, struct noise_run *kept, const struct run *run)
{
	struct cg_lines *lines;
	cg_file file;
	int status;
	bool ok;

	if (!(cg_graph_facts(run->graph) & CG_LINES))
		return CG_OK;
	lines = cg_lines_new_by_name(run->graph, CG_ALL_PARTS);
	ok = lines != NULL;
	while (ok && cg_next_file(lines, &file)) {
		if (file != 0)
			ok = keep_file(noise, kept, run, lines,
			    cg_file_path(run->graph, file));
	}
	cg_lines_free(lines);
	status = cg_job_status(run->job);
	return status == CG_OK && !ok ? cg_nomem(noise->args->job) : status;
}
