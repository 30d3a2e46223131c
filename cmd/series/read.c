/*
 * read.c - reads the runs of a series, one after the other: files, and members
 * of archives, which are not extracted. Then sorts them by name or time.
 */
#define _XOPEN_SOURCE 700 /* strptime */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "series.h"

/* ---- The time of a run --------------------------------------------------- */

/* Descriptions that formats have: profile.proto and OTLP, JFR, perf script. */
#define KEY_NANOS "time_nanos"
#define NANOS 1000000000 /* of a second */
static const struct {
	const char *key, *format;
} date_key[] = {
	{ "Recording start", "%Y-%m-%dT%H:%M:%SZ" },
	{ "captured on", "%a %b %e %H:%M:%S %Y" },
	{ "captured on", "%Y-%m-%dT%H:%M:%S" },
};

static bool
parse_time(const char *key, const char *value, int64_t *nanos)
{
	uint64_t number;

	if (strcmp(key, KEY_NANOS) == 0) {
		if (!cg_get_u64(cg_slice(value), &number) || number > INT64_MAX)
			return false;
		*nanos = (int64_t)number;
		return true;
	}
	for (size_t i = 0; i < sizeof(date_key) / sizeof(*date_key); i++) {
		struct tm tm = { 0 };
		int64_t seconds;

		if (strcmp(key, date_key[i].key) != 0 ||
		    strptime(value, date_key[i].format, &tm) == NULL)
			continue;
		seconds = timegm(&tm);
		/* Nanoseconds end in 2262. */
		if (seconds < INT64_MIN / NANOS || seconds > INT64_MAX / NANOS)
			return false;
		*nanos = seconds * NANOS;
		return true;
	}
	return false;
}

/*
 * Sets run->time to the time when the run began. It is the earliest time in
 * the descriptions of the graph's parts. An earlier time that the run already
 * has stays. If no part states a time, the run is unchanged.
 */
static void
find_time(struct series_run *run, const struct cg_graph *graph)
{
	const char *key, *value;
	int64_t time;

	for (cg_part part = 0; part < cg_part_count(graph); part++) {
		for (size_t i = 0; cg_part_desc(graph, part, i, &key, &value);
		     i++) {
			if (!parse_time(key, value, &time) ||
			    (run->timed && run->time <= time))
				continue;
			run->timed = true;
			run->time = time;
		}
	}
}

/* ---- Coverage ------------------------------------------------------------ */

static bool
add_file(struct series *series, struct series_run *run, struct cg_slice path,
    const struct cg_counts *counts)
{
	const struct cg_hits *hits[METRICS] = { &counts->lines,
		&counts->functions, &counts->branches };
	const uint64_t lines[KEYS] = {
		[HIT] = counts->lines.hit, [FOUND] = counts->lines.found
	};
	uint32_t id = number_path(series->args->job, &series->files, path);

	for (int i = 0; i < METRICS; i++) {
		run->hits[i].hit += hits[i]->hit;
		run->hits[i].found += hits[i]->found;
	}
	return id != 0 && add_costs(&series->costs, id, lines);
}

/*
 * Adds the coverage of a run that was read to run->hits and, by file, to
 * series->costs. Then ends the run in series->costs. Counts the same lines,
 * functions and branches as --summary. Returns the status.
 */
static int
take_coverage(
    struct series *series, struct series_run *run, const struct run *from)
{
	const struct cg_graph *graph = from->graph;
	size_t event = find_coverage(graph);
	struct cg_lines *lines;
	struct cg_counts counts;
	cg_file file;
	int status = cg_job_exclude_marked(from->job);
	bool ok;

	if (status != CG_OK)
		return status;
	lines = cg_lines_new_by_name(graph, CG_ALL_PARTS);
	ok = lines != NULL;
	while (ok && cg_next_file(lines, &file)) {
		ok = cg_count_file(lines, event, &counts);
		if (ok && file != 0 && counts.lines.found > 0)
			ok = add_file(
			    series, run, cg_file_path(graph, file), &counts);
	}
	cg_lines_free(lines);
	status = cg_job_status(from->job);
	if (status == CG_OK && !(ok && end_costs(&series->costs, 0)))
		status = cg_nomem(series->args->job);
	return status;
}

/* ---- Costs --------------------------------------------------------------- */

static int
take_costs(struct series *series, struct series_run *kept, struct run *run)
{
	struct args *args = series->args;
	int status = sum_run(args, &series->common, run, &series->functions);
	bool ok = true;

	if (status != CG_OK)
		return status;
	kept->total = run->total;
	kept->rest = run->rest;
	series->costs.is_signed =
	    cg_get_event(run->graph, run->event)->is_signed;
	kept->samples = run->samples;
	series->has_calls |= run->has_calls;
	for (cg_fn fn = 1; ok && fn <= cg_fn_count(run->graph); fn++) {
		const uint64_t cost[KEYS] = {
			[INCLUSIVE] = run_cost_bits(run, fn, true),
			[SELF] = run_cost_bits(run, fn, false),
		};

		if (cost[INCLUSIVE] != 0 || cost[SELF] != 0)
			ok = add_costs(&series->costs,
			    cg_job_diff_fn(args->job, 0, fn), cost);
	}
	ok = ok && end_costs(&series->costs, run->total);
	return ok ? CG_OK : cg_nomem(args->job);
}

/* ---- Runs ---------------------------------------------------------------- */

/*
 * Returns CG_OK if the run is of the kind of the series, coverage or costs;
 * else CG_EINPUT (reported). With --event, each run counts as costs. Called
 * before the run is appended: for the first run, sets series->coverage to its
 * kind.
 */
static int
check_kind(struct series *series, const struct run *run)
{
	bool coverage = series->args->event == NULL &&
			find_coverage(run->graph) < cg_event_count(run->graph);

	if (series->run.n == 0)
		series->coverage = coverage;
	if (series->coverage == coverage)
		return CG_OK;
	return cg_fail(series->args->job,
	    coverage ? "%s is coverage, %s is not" : "%s is no coverage, %s is",
	    run->path, series->run.at[0].name);
}

/*
 * Appends a run that was read to the series. Takes from it what the series
 * needs: its format, its time, and its coverage or costs. Its name is not
 * copied. Returns the status. A run of another kind than the series is an
 * error (check_kind()).
 */
static int
take_run(struct series *series, struct run *run)
{
	struct series_run kept = { .name = run->path };
	struct cg_detected found;
	int status = check_kind(series, run);

	if (status != CG_OK)
		return status;
	if (cg_job_source(run->job, 0, &found) != NULL)
		kept.format = found.module->name;
	find_time(&kept, run->graph);
	status = series->coverage ? take_coverage(series, &kept, run)
				  : take_costs(series, &kept, run);
	if (status == CG_OK &&
	    !cg_append(series->args->job, &series->run, kept))
		status = cg_nomem(series->args->job);
	return status;
}

/*
 * Returns the status of a run or an archive that was not read. With --partial,
 * if the status is CG_EINPUT, skips it: increments series->skipped, and
 * returns CG_OK.
 */
static int
skip_bad(struct series *series, int status)
{
	if (status != CG_EINPUT || !series->args->partial)
		return status;
	series->skipped++;
	return CG_OK;
}

/*
 * Reads a run and appends it to the series: the file `name` or, if bytes is
 * not NULL, the archive member with these bytes. Keeps the pointer to name.
 * Returns the status, CG_OK also if --partial skips the run.
 */
static int
read_run(struct series *series, const char *name, const struct cg_slice *bytes)
{
	struct run run = { .path = name,
		.job = cg_job_clone(series->args->job) };
	int status;

	if (run.job == NULL)
		return cg_nomem(series->args->job);
	/* --partial is about runs here: each is complete. */
	cg_job_set_partial(run.job, false);
	cg_job_set_sums_only(run.job, true);
	if (bytes != NULL)
		(void)cg_job_add_memory(run.job, name, *bytes);
	(void)cg_job_add_input(run.job, name);
	status = cg_job_read(run.job, &run.graph);
	if (status == CG_OK && cg_job_skipped(run.job))
		status = CG_EINPUT; /* a part is missing */
	status =
	    status == CG_OK ? take_run(series, &run) : skip_bad(series, status);
	cg_sums_free(run.sums);
	cg_job_free(run.job);
	return status;
}

/* ---- Archives ------------------------------------------------------------ */

/* The bytes of a member, which are used again for the next. */
struct member {
	CG_ARRAY(char) bytes;
};
#define PIECE 65536 /* bytes read at once, at least */
/* A member is kept in memory while it is read. */
#define MEMBER_MAX ((size_t)1 << 30)

static int
read_bytes(struct series *series, struct cg_archive *archive,
    struct member *member, const char *name)
{
	ptrdiff_t got = 1;

	member->bytes.n = 0;
	while (got > 0 && member->bytes.n <= MEMBER_MAX) {
		if (!cg_reserve(series->args->job, &member->bytes,
			member->bytes.n + PIECE))
			return CG_ELIMIT;
		got =
		    cg_archive_read(archive, member->bytes.at + member->bytes.n,
			member->bytes.cap - member->bytes.n);
		member->bytes.n += got > 0 ? (size_t)got : 0;
	}
	if (got < 0)
		return CG_EINPUT;
	if (got == 0)
		return CG_OK;
	(void)cg_fail(series->args->job, "%s: the member has over 1 GiB", name);
	return CG_ELIMIT;
}

/*
 * Sets *known to whether a member of an archive is read as a run. With --from,
 * every member is. Else only members in a known format are, not a README.
 * "bytes" is the content of the member. Returns the status; *known counts only
 * with CG_OK.
 */
static int
is_profile(const struct series *series, const char *name, struct cg_slice bytes,
    bool *known)
{
	struct cg_detected found = { .score = 1 };
	struct cg_job *job;
	int status = CG_OK;

	if (series->args->from == NULL) {
		job = cg_job_clone(series->args->job);
		if (job == NULL)
			return cg_nomem(series->args->job);
		(void)cg_job_add_memory(job, name, bytes);
		status = cg_job_detect(job, name, &found);
		cg_job_free(job);
	}
	*known = found.score != 0;
	return status;
}

static int
read_member(struct series *series, struct cg_archive *archive,
    struct member *member, const char *path, const char *name)
{
	size_t room = strlen(path) + strlen(name) + 2;
	char *full = cg_alloc(series->args->job, room);
	struct cg_slice bytes;
	bool known = false;
	int status;

	if (full == NULL)
		return CG_ELIMIT;
	snprintf(full, room, "%s/%s", path, name);
	status = read_bytes(series, archive, member, full);
	bytes = (struct cg_slice){ member->bytes.at, member->bytes.n };
	if (cg_archive_status(archive) != CG_OK)
		return CG_OK; /* the caller reports it */
	if (status == CG_OK)
		status = is_profile(series, full, bytes, &known);
	if (status != CG_OK)
		return skip_bad(series, status);
	return known ? read_run(series, full, &bytes) : CG_OK;
}

static int
read_archive(struct series *series, const char *path)
{
	struct cg_archive *archive;
	struct cg_member entry;
	struct member member = { 0 };
	int status = cg_archive_open(series->args->job, path, &archive);

	/* A file may only have the suffix of an archive. */
	if (status == CG_OK && archive == NULL)
		return read_run(series, path, NULL);
	if (status != CG_OK)
		return skip_bad(series, status);
	while (status == CG_OK && cg_archive_next(archive, &entry)) {
		if (entry.file)
			status = read_member(
			    series, archive, &member, path, entry.name);
	}
	/* The rest of the archive counts as one run. */
	if (status == CG_OK && cg_archive_status(archive) != CG_OK)
		status = skip_bad(series, cg_archive_status(archive));
	cg_archive_close(archive);
	cg_drop(series->args->job, &member.bytes);
	return status;
}

/* ---- The order ----------------------------------------------------------- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Compares names, and returns a negative number, 0 or a positive one. Numbers
 * in them compare by value: run9 is before run10, and run09 is equal to run9.
 */
static int
compare_names(const char *a, const char *b)
{
	while (*a != '\0' && *b != '\0') {
		size_t left, right;
		int order;

		if (!is_digit(*a) || !is_digit(*b)) {
			if (*a != *b)
				break;
			a++, b++;
			continue;
		}
		a += strspn(a, "0");
		b += strspn(b, "0");
		left = strspn(a, "0123456789");
		right = strspn(b, "0123456789");
		if (left != right)
			return left < right ? -1 : 1;
		order = memcmp(a, b, left);
		if (order != 0)
			return order;
		a += left;
		b += right;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

/* qsort() has no argument for the runs. */
struct ordered {
	const struct series_run *run;
	size_t at;
	bool by_time;
};

static int
compare_ordered(const void *pa, const void *pb)
{
	const struct ordered *a = pa, *b = pb;
	int order = 0;

	if (a->by_time)
		order = (a->run->time > b->run->time) -
			(a->run->time < b->run->time);
	if (order == 0)
		order = compare_names(a->run->name, b->run->name);
	return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

static int
sort_runs(struct series *series)
{
	struct args *args = series->args;
	size_t n = series->run.n;
	bool by_time = strcmp(args->order, "time") == 0;
	struct ordered *all = cg_alloc(args->job, n * sizeof(*all));

	series->order = cg_alloc(args->job, n * sizeof(*series->order));
	if (all == NULL || series->order == NULL)
		return CG_ELIMIT;
	for (size_t i = 0; i < n; i++) {
		all[i] = (struct ordered){ &series->run.at[i], i, by_time };
		if (by_time && !series->run.at[i].timed)
			return cg_fail(args->job,
			    "%s has no time; choose another --order",
			    series->run.at[i].name);
	}
	if (strcmp(args->order, "given") != 0)
		qsort(all, n, sizeof(*all), compare_ordered);
	for (size_t i = 0; i < n; i++)
		series->order[i] = all[i].at;
	return CG_OK;
}

int
read_series(struct series *series)
{
	struct args *args = series->args;
	int status = CG_OK;

	cg_random_key(series->files.key, series);
	for (size_t i = 0; status == CG_OK && i < args->inputs; i++)
		status = looks_like_archive(args->input[i])
			     ? read_archive(series, args->input[i])
			     : read_run(series, args->input[i], NULL);
	cg_slots_free(&series->files.ids);
	if (status == CG_OK && series->run.n == 0)
		status = cg_fail(args->job, "no run could be read");
	if (status == CG_OK && !complete_costs(&series->costs))
		status = cg_nomem(args->job);
	return status == CG_OK ? sort_runs(series) : status;
}
