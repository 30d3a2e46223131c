/*
 * gcovr_write.c - writes gcovr's JSON: all fields that any version requires.
 */
#include <inttypes.h>

#include "coverage_json.h"

struct writer {
	struct cg_report r;
	struct coverage_json_fns fns; /* of the file */
	bool both;                    /* functions have both names */
};

/* ---- Functions ---------------------------------------------------------- */

static void
put_fn(struct writer *w, const struct cg_merged_fn *fn, const char *name,
    uint64_t count)
{
	bool both = w->both && !cg_equal(fn->name, name);

	cg_puts(w->r.out, "{\"name\":");
	cg_put_json(w->r.out, both ? fn->name : cg_slice(name));
	if (both) {
		cg_puts(w->r.out, ",\"demangled_name\":");
		cg_put_json(w->r.out, cg_slice(name));
	}
	cg_putf(w->r.out,
	    ",\"lineno\":%" PRIu32 ",\"execution_count\":%" PRIu64, fn->first,
	    count);
	if (fn->last > 0)
		cg_putf(w->r.out,
		    ",\"pos\":[\"%" PRIu32 ":1\",\"%" PRIu32 ":1\"]", fn->first,
		    fn->last);
	cg_putc(w->r.out, '}');
}

/*
 * Writes the file's functions. Functions with the same demangled name and line
 * are written as one function, as gcovr rejects duplicates. False: an error
 * (reported).
 */
static bool
put_fns(struct writer *w)
{
	const struct coverage_json_merged *fn;

	if (!coverage_json_list_fns(&w->fns, &w->r))
		return false;
	cg_puts(w->r.out, "\"functions\":[");
	for (size_t i = 0; i < w->fns.n; i++) {
		if (i > 0)
			cg_putc(w->r.out, ',');
		fn = &w->fns.at[i];
		put_fn(w, fn->fn, fn->name, fn->count);
	}
	cg_puts(w->r.out, "],");
	return true;
}

/* ---- Lines -------------------------------------------------------------- */

/*
 * Writes the member "branches" with n branches of a line, numbered from 0.
 * Skips impossible branches, which gcovr does not count either.
 */
static void
put_branches(struct writer *w, const struct cg_branch *branch, size_t n)
{
	const char *comma = "";
	size_t number = 0;

	cg_puts(w->r.out, ",\"branches\":[");
	for (size_t i = 0; i < n; i++) {
		if (branch[i].flags & CG_BRANCH_UNREACHABLE)
			continue;
		cg_putf(w->r.out,
		    "%s{\"branchno\":%zu,\"count\":%" PRIu64
		    ",\"source_block_id\":%" PRIu32
		    ",\"fallthrough\":%s,\"throw\":%s}",
		    comma, number++, cg_report_count(&w->r, branch[i].count),
		    branch[i].block,
		    branch[i].flags & CG_BRANCH_FALLTHROUGH ? "true" : "false",
		    branch[i].flags & CG_BRANCH_THROW ? "true" : "false");
		comma = ",";
	}
	cg_putc(w->r.out, ']');
}

/*
 * Writes as member "key" the terms of a condition that never had the outcome
 * (0: false, 1: true). The index of each of the n outcomes is 2 * term +
 * outcome.
 */
static void
put_missed(struct writer *w, const char *key, const struct cg_branch *branch,
    size_t n, unsigned outcome)
{
	const char *comma = "";

	cg_putf(w->r.out, ",\"%s\":[", key);
	for (size_t i = 0; i < n; i++) {
		if (branch[i].index % 2 != outcome || branch[i].count > 0)
			continue;
		cg_putf(w->r.out, "%s%" PRIu32, comma, branch[i].index / 2);
		comma = ",";
	}
	cg_putc(w->r.out, ']');
}

static void
put_conditions(struct writer *w, const struct cg_branch *branch, size_t n)
{
	size_t number = 0, covered;

	if (n == 0)
		return;
	cg_puts(w->r.out, ",\"conditions\":[");
	for (size_t i = 0, end; i < n; i = end) {
		covered = 0;
		for (end = i; end < n && branch[end].block == branch[i].block;
		     end++)
			covered += branch[end].count > 0;
		cg_putf(w->r.out,
		    "%s{\"conditionno\":%zu,\"count\":%zu,\"covered\":%zu",
		    number > 0 ? "," : "", number, end - i, covered);
		put_missed(w, "not_covered_false", branch + i, end - i, 0);
		put_missed(w, "not_covered_true", branch + i, end - i, 1);
		cg_putc(w->r.out, '}');
		number++;
	}
	cg_putc(w->r.out, ']');
}

static void
put_line(struct writer *w, const struct cg_line_sum *line)
{
	size_t arcs = cg_line_arcs(line);

	cg_putf(w->r.out, "{\"line_number\":%" PRIu32 ",\"count\":%" PRIu64,
	    line->line, line->hits);
	put_branches(w, line->branch, arcs);
	if (line->branches > arcs)
		put_conditions(w, line->branch + arcs, line->branches - arcs);
	cg_puts(w->r.out, ",\"gcovr/noncode\":false,\"gcovr/excluded\":false}");
}

static bool
put_file(struct writer *w, cg_file file)
{
	struct cg_line_sum line;
	const char *comma = "";

	cg_puts(w->r.out, "{\"file\":");
	cg_put_json(w->r.out, cg_file_path(w->r.graph, file));
	cg_putc(w->r.out, ',');
	if (!put_fns(w))
		return false;
	cg_puts(w->r.out, "\"lines\":[");
	while (cg_report_line(&w->r, &line)) {
		cg_puts(w->r.out, comma);
		put_line(w, &line);
		comma = ",\n";
	}
	cg_puts(w->r.out, "]}");
	return true;
}

/* ---- The document ------------------------------------------------------- */

/*
 * Reads the minor version of gcovr's format from text: *minor is 14 for
 * "0.14". False: malformed, or not from 1 to 99.
 */
static bool
get_version(const char *text, uint64_t *minor)
{
	struct cg_slice rest = cg_slice(text);

	return cg_take_prefix(&rest, "0.") && cg_get_u64(rest, minor) &&
	       *minor > 0 && *minor < 100;
}

int
coverage_json_write_gcovr(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .r = { .job = job,
				.graph = graph,
				.out = out,
				.part = CG_ALL_PARTS } };
	const char *version = cg_opt(job, "format-version");
	int status;
	uint64_t minor = 0;
	bool ok = true;
	cg_file file;

	if (!get_version(version, &minor))
		return cg_usage(job,
		    "{format-version}: expected 0.1 to 0.99, not '%s'",
		    version);
	status = cg_report_open(&w.r);
	if (status != CG_OK)
		return status;
	w.both = minor > 6;
	cg_putf(out,
	    "{\"gcovr/format_version\":\"0.%" PRIu64 "\",\"files\":[\n", minor);
	while (ok && cg_report_file(&w.r, &file)) {
		if (w.r.files > 1)
			cg_puts(out, ",\n");
		ok = put_file(&w, file);
	}
	cg_puts(out, "]}\n");
	coverage_json_free_fns(&w.fns);
	return cg_report_close(&w.r, ok);
}
