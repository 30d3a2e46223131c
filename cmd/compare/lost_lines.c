/*
 * lost_lines.c - lines of sources that ran in the first of two coverage runs
 * and not in the second.
 *
 * Counts the same lines as --summary: lines that sources exclude, and with
 * --patch unchanged lines, are ignored. The sources are those of the second
 * run. A line that is code in one run only is neither lost nor gained. Files
 * match as in the rest of the difference.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "compare.h"

/* A file of the first run; its lines with code, ascending. */
struct run_file {
	cg_file file; /* in the difference */
	size_t begin, end;
};

/* A line, and whether it ran. */
struct run_line {
	uint32_t line;
	bool ran;
};

struct lost_file {
	struct cg_slice path;
	size_t begin, end; /* elements of range */
};

struct lost_range {
	uint32_t first, last;
};

struct lost {
	struct cg_job *job; /* of the difference */
	CG_ARRAY(struct run_file) run;
	CG_ARRAY(struct run_line) line;
	CG_ARRAY(struct lost_file) file;
	CG_ARRAY(struct lost_range) range;
	uint64_t lost, gained;
};

static int
compare_files(const void *pa, const void *pb)
{
	const struct run_file *a = pa, *b = pb;

	return (a->file > b->file) - (a->file < b->file);
}

/* ---- The first run ------------------------------------------------------- */

/*
 * Appends the lines with counts in the current file of "lines" to lost->line.
 * Also stores of each line whether it ran. False: out of memory.
 */
static bool
add_run_lines(struct lost *lost, struct cg_lines *lines, size_t event)
{
	struct cg_line_sum sum;

	while (cg_next_line_sum(lines, event, &sum)) {
		if (sum.line == 0 || !sum.has_cost)
			continue;
		if (!cg_append(lost->job, &lost->line,
			(struct run_line){ sum.line, sum.hits > 0 }))
			return false;
	}
	return true;
}

static bool
list_run(struct lost *lost, const struct cg_graph *graph, size_t event)
{
	struct cg_lines *lines = cg_lines_new_by_name(graph, CG_ALL_PARTS);
	bool ok = lines != NULL;
	cg_file file;

	while (ok && cg_next_file(lines, &file)) {
		size_t begin = lost->line.n;

		ok =
		    add_run_lines(lost, lines, event) &&
		    cg_append(lost->job, &lost->run,
			(struct run_file){ cg_job_diff_file(lost->job, 0, file),
			    begin, lost->line.n });
	}
	cg_lines_free(lines);
	if (ok && lost->run.n > 1)
		qsort(lost->run.at, lost->run.n, sizeof(*lost->run.at),
		    compare_files);
	return ok;
}

/* ---- The second run ------------------------------------------------------ */

/*
 * Adds a line that no longer runs to the count and the ranges. Lines must
 * ascend, file by file. follows: the file's line with code before it is lost,
 * too. path is not copied. False: out of memory.
 */
static bool
add_lost(struct lost *lost, struct cg_slice path, uint32_t line, bool follows)
{
	struct lost_file *file =
	    lost->file.n > 0 ? &lost->file.at[lost->file.n - 1] : NULL;

	lost->lost++;
	if (follows) {
		lost->range.at[lost->range.n - 1].last = line;
		return true;
	}
	if (file == NULL || cg_compare(file->path, path) != 0) {
		file = cg_push(lost->job, &lost->file);
		if (file == NULL)
			return false;
		*file = (struct lost_file){ path, lost->range.n, 0 };
	}
	file->end = lost->range.n + 1;
	return cg_append(
	    lost->job, &lost->range, (struct lost_range){ line, line });
}

/*
 * Adds to lost the lines of a file that ran in the first run (`run`), but not
 * in the second. Counts the reverse in lost->gained. Compares only lines of
 * both; lines must ascend. False: out of memory.
 */
static bool
compare_file(struct lost *lost, const struct run_file *run,
    struct cg_slice path, struct cg_lines *lines, size_t event)
{
	struct cg_line_sum sum;
	bool follows = false;
	size_t at = run->begin;

	while (cg_next_line_sum(lines, event, &sum)) {
		bool gone;

		if (sum.line == 0 || !sum.has_cost)
			continue;
		/* Code that only the first run has ends a range, too. */
		for (; at < run->end && lost->line.at[at].line < sum.line; at++)
			follows = false;
		if (at == run->end)
			return true;
		if (lost->line.at[at].line != sum.line) {
			follows = false;
			continue;
		}
		gone = lost->line.at[at].ran && sum.hits == 0;
		lost->gained += !lost->line.at[at].ran && sum.hits > 0;
		if (gone && !add_lost(lost, path, sum.line, follows))
			return false;
		follows = gone;
		at++;
	}
	return true;
}

static bool
compare_runs(struct lost *lost, const struct cg_graph *graph, size_t event)
{
	struct cg_lines *lines = cg_lines_new_by_name(graph, CG_ALL_PARTS);
	bool ok = lines != NULL;
	cg_file file;

	while (ok && cg_next_file(lines, &file)) {
		const struct run_file key = { .file = cg_job_diff_file(
						  lost->job, 1, file) };
		const struct run_file *run =
		    lost->run.n > 0 && key.file != 0
			? bsearch(&key, lost->run.at, lost->run.n, sizeof(key),
			      compare_files)
			: NULL;

		if (run != NULL)
			ok = compare_file(
			    lost, run, cg_file_path(graph, file), lines, event);
	}
	cg_lines_free(lines);
	return ok;
}

int
find_lost(
    struct cg_job *job, const struct profile profile[2], struct lost **found)
{
	const struct cg_graph *before = profile[0].graph;
	const struct cg_graph *after = profile[1].graph;
	size_t event[2] = { find_coverage(before), find_coverage(after) };
	int status;

	*found = NULL;
	if (event[0] == cg_event_count(before) ||
	    event[1] == cg_event_count(after))
		return CG_OK;
	status = cg_job_exclude_marked(profile[1].job);
	if (status != CG_OK)
		return status;
	*found = cg_alloc(job, sizeof(**found));
	if (*found == NULL)
		return CG_ELIMIT;
	(*found)->job = job;
	if (list_run(*found, before, event[0]) &&
	    compare_runs(*found, after, event[1]))
		return CG_OK;
	for (int s = 0; status == CG_OK && s < 2; s++)
		status = cg_job_status(profile[s].job);
	return status != CG_OK ? status : cg_nomem(job);
}

/* ---- Output -------------------------------------------------------------- */

void
print_lost(FILE *to, const struct lost *lost, size_t most)
{
	fprintf(to,
	    "\nLines that lost coverage: %" PRIu64 " in %zu file%s; %" PRIu64
	    " gained it\n",
	    lost->lost, lost->file.n, lost->file.n == 1 ? "" : "s",
	    lost->gained);
	for (size_t i = 0; i < lost->file.n && i < most; i++) {
		const struct lost_file *file = &lost->file.at[i];
		const char *before = ": ";

		fputs("  ", to);
		put_safe(to, file->path);
		for (size_t r = file->begin; r < file->end; r++) {
			const struct lost_range *range = &lost->range.at[r];

			fprintf(to, "%s%" PRIu32, before, range->first);
			if (range->last > range->first)
				fprintf(to, "-%" PRIu32, range->last);
			before = ", ";
		}
		putc('\n', to);
	}
	if (lost->file.n > most)
		fprintf(to, "  and %zu more; use --top to list them\n",
		    lost->file.n - most);
}

static bool
write_file(FILE *to, const struct lost *lost, const struct lost_file *file)
{
	struct json_object *json = json_object_new_object();
	struct json_object *lines = json_object_new_array();
	bool ok = add_json_text(json, "path", file->path) &&
		  add_json(json, "lines", lines);

	for (size_t i = file->begin; ok && i < file->end; i++) {
		struct json_object *range = json_object_new_array_ext(2);

		ok = append_json(range,
			 json_object_new_int64(lost->range.at[i].first)) &&
		     append_json(
			 range, json_object_new_int64(lost->range.at[i].last));
		ok = append_json(lines, range) && ok;
	}
	return write_json(to, json) && ok;
}

bool
write_lost(FILE *to, const struct lost *lost, size_t most)
{
	bool ok = true;

	fprintf(to,
	    "\"coverage\":{\"lost\":%" PRIu64 ",\"gained\":%" PRIu64
	    ",\"files\":[",
	    lost->lost, lost->gained);
	for (size_t i = 0; ok && i < lost->file.n && i < most; i++) {
		fputs(i > 0 ? ",\n" : "\n", to);
		ok = write_file(to, lost, &lost->file.at[i]);
	}
	fputs("]},\n", to);
	return ok;
}
