/*
 * lines.c - keeps the costs of runs by source line, to compare them.
 *
 * Lines match by path and number: a line that moved is gone in one place and
 * new in another. --map makes paths equal.
 */
#include "noise.h"

/* Returns the number of the line, from 1; 0: out of memory (reported). */
static uint32_t
number_of(struct noise *noise, struct cg_slice path, uint32_t line)
{
	uint32_t hash =
	    (uint32_t)cg_hash_bytes(noise->line_key, path.ptr, path.len) ^
	    line * 0x9e3779b1u;
	size_t at = hash;
	uint32_t id;
	char *copy;

	while ((id = cg_slots_next(&noise->line_ids, hash, &at)) != 0) {
		if (noise->line.at[id - 1].line == line &&
		    cg_compare(noise->line.at[id - 1].path, path) == 0)
			return id;
	}
	copy = cg_alloc(noise->args->job, path.len + 1);
	if (copy == NULL || !cg_slots_grow(&noise->line_ids) ||
	    !cg_append(noise->args->job, &noise->line,
		(struct noise_line){ { copy, path.len }, line }))
		return 0;
	memcpy(copy, path.ptr, path.len);
	id = (uint32_t)noise->line.n;
	cg_slots_fill(&noise->line_ids, (struct cg_id_slot){ id, hash });
	return id;
}

/* Adds the lines of a file. False: out of memory. */
static bool
keep_file(struct noise *noise, struct noise_run *kept, const struct run *run,
    struct cg_lines *lines, struct cg_slice path)
{
	struct cg_line_sum sum;
	uint32_t id;

	while (cg_next_line_sum(lines, run->event, &sum)) {
		if (sum.line == 0 || sum.cost == 0)
			continue;
		id = number_of(noise, path, sum.line);
		if (id == 0 || !cg_resize(noise->args->job, &kept->line,
				   noise->line.n + 1))
			return false;
		kept->line.at[id] += event_cost(run, sum.cost);
	}
	return true;
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
