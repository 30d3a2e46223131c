/*
 * judgement.c - hands what noise.c found out about a difference to the target
 * that shows it, by function and line of the difference.
 */
#include <stdlib.h>

#include "noise.h"

struct telling {
	const struct noise *noise;
	const struct cg_graph *graph; /* the difference */
	/* Returns the number in noise->graph of a function of the difference. */
	cg_fn (*number_of)(const struct noise *, cg_fn);
};

static struct cg_judged
judged_of(const struct noise *noise, const struct noise_row *row)
{
	const bool known =
	    noise->method == METHOD_COUNTING || noise->method == METHOD_MEANS;

	/* With --normalize, all that changed in the total is its length. */
	if (!known || (noise->args->normalize && row->id == 0))
		return (struct cg_judged){ CG_NOT_COMPARED, 0, 0 };
	return (struct cg_judged){ row->judged.real ? CG_REAL : CG_NOISE,
		row->judged.low, row->judged.high };
}

/*
 * Returns an array with the verdict (real change, noise or not compared) for
 * each function of telling->graph. "key" selects the verdicts on self costs or
 * on inclusive costs. telling->number_of() tells which function of the judged
 * runs a function is. The job owns the array. NULL: out of memory (reported).
 */
static const struct cg_judged *
list_fns(const struct telling *telling, int key)
{
	const struct noise *noise = telling->noise;
	const size_t fns = cg_fn_count(telling->graph) + 1;
	const size_t known = cg_fn_count(noise->graph) + 1;
	struct cg_judged *of = cg_alloc(noise->args->job, fns * sizeof(*of));
	struct cg_judged *by = cg_alloc(noise->args->job, known * sizeof(*by));

	if (of == NULL || by == NULL)
		return NULL;
	for (size_t i = 0; i < noise->row[key].n; i++) {
		const struct noise_row *row = &noise->row[key].at[i];

		by[row->id] = judged_of(noise, row);
	}
	for (cg_fn fn = 1; fn < fns; fn++)
		of[fn] = by[telling->number_of(noise, fn)];
	return of;
}

static cg_fn
same_fn(const struct noise *noise, cg_fn fn)
{
	(void)noise;
	return fn;
}

static cg_fn
united_fn(const struct noise *noise, cg_fn fn)
{
	return cg_job_diff_fn(noise->args->job, 0, fn);
}

static bool
tell(const struct telling *telling, struct cg_judgement *judgement)
{
	const struct noise *noise = telling->noise;

	*judgement = (struct cg_judgement){ .event = noise->common.name,
		.method = copy_method(noise),
		.runs = { noise->count[BEFORE], noise->count[AFTER] },
		.total = judged_of(noise, &noise->total),
		.self = list_fns(telling, SELF),
		.inclusive = list_fns(telling, INCLUSIVE),
		.fns = cg_fn_count(telling->graph) + 1 };
	return judgement->method && judgement->self && judgement->inclusive;
}

bool
tell_pair(const struct noise *noise, struct cg_judgement *judgement)
{
	const struct telling telling = { noise, noise->graph, same_fn };

	return tell(&telling, judgement);
}

/* ---- Lines --------------------------------------------------------------- */

static int
compare_lines(const void *pa, const void *pb)
{
	const struct cg_judged_line *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file > b->file ? 1 : -1;
	return (a->line > b->line) - (a->line < b->line);
}

/*
 * Returns an array that maps the number of a path to the file with that path
 * in "difference", the graph of the difference; 0: there is none. A path has
 * its number in noise->files. Paths that are not there yet are added. Sets
 * *count to the highest index of the array, which no number exceeds at the
 * return. NULL: out of memory (reported).
 */
static cg_file *
find_files(
    struct noise *noise, const struct cg_graph *difference, size_t *count)
{
	struct cg_job *job = noise->args->job;
	size_t files = cg_file_count(difference);
	cg_file *by;

	*count = noise->files.path.n + files;
	by = cg_alloc(job, (*count + 1) * sizeof(*by));
	for (cg_file file = 1; by != NULL && file <= files; file++) {
		uint32_t number = number_path(
		    job, &noise->files, cg_file_path(difference, file));

		if (number == 0)
			return NULL;
		if (by[number] == 0)
			by[number] = file;
	}
	return by;
}

/*
 * Sets judgement->line to the verdicts (real change, noise or not compared) of
 * source lines, sorted. Adds their number to judgement->lines, which must be
 * 0. Only lines in files of "difference", the graph of the difference, are
 * listed. Files match by path, so lines whose file moved are missing. False:
 * out of memory (reported).
 */
static bool
list_lines(struct noise *noise, const struct cg_graph *difference,
    struct cg_judgement *judgement)
{
	struct cg_job *job = noise->args->job;
	size_t n = noise->row[LINE].n, count;
	struct cg_judged_line *line = cg_alloc(job, (n + 1) * sizeof(*line));
	const cg_file *by = find_files(noise, difference, &count);

	if (line == NULL || by == NULL)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct noise_row *row = &noise->row[LINE].at[i];
		const struct noise_line *of = &noise->line.at[row->id - 1];
		uint32_t number = number_path(job, &noise->files, of->path);

		if (number == 0)
			return false;
		if (number <= count && by[number] != 0)
			line[judgement->lines++] =
			    (struct cg_judged_line){ by[number], of->line,
				    judged_of(noise, row) };
	}
	if (judgement->lines > 0)
		qsort(line, judgement->lines, sizeof(*line), compare_lines);
	judgement->line = line;
	return true;
}

bool
tell_runs(struct noise *noise, const struct cg_graph *difference,
    struct cg_judgement *judgement)
{
	const struct telling telling = { noise, difference, united_fn };

	if (!tell(&telling, judgement))
		return false;
	if (cg_get_event(difference, 0)->incl != CG_INCL_NONE)
		return list_lines(noise, difference, judgement);
	/* Coverage has a comparison of its own, and no noise. */
	judgement->method = "";
	judgement->fns = 0;
	judgement->total.verdict = CG_NOT_COMPARED;
	return true;
}
