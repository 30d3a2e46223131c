/*
 * gcovr_write.c - writes gcovr's JSON: all fields that any version requires.
 */
#include <inttypes.h>

#include "covjson.h"

struct writer {
	struct covjson_writer common; /* the first */
	bool both;                    /* functions have both names */
	uint64_t bare; /* lines with branches, but without a count */
};

/* ---- Functions ---------------------------------------------------------- */

static void
put_fn(struct writer *w, const struct cg_merged_fn *fn, const char *name,
    uint64_t count)
{
	bool both = w->both && !cg_equal(fn->name, name);

	cg_puts(w->common.out, "{\"name\":");
	cg_put_json(w->common.out, both ? fn->name : cg_slice(name));
	if (both) {
		cg_puts(w->common.out, ",\"demangled_name\":");
		cg_put_json(w->common.out, cg_slice(name));
	}
	cg_putf(w->common.out,
	    ",\"lineno\":%" PRIu32 ",\"execution_count\":%" PRIu64, fn->first,
	    count);
	if (fn->last > 0)
		cg_putf(w->common.out,
		    ",\"pos\":[\"%" PRIu32 ":1\",\"%" PRIu32 ":1\"]", fn->first,
		    fn->last);
	cg_putc(w->common.out, '}');
}

/* gcovr rejects functions of one demangled name and line. */
static bool
put_fns(struct writer *w)
{
	struct covjson_writer *common = &w->common;
	const struct covjson_merged *fn;
	size_t n;

	if (!covjson_list_fns(common, &fn, &n))
		return false;
	cg_puts(common->out, "\"functions\":[");
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			cg_putc(common->out, ',');
		put_fn(w, fn[i].fn, fn[i].name, fn[i].count);
	}
	cg_puts(common->out, "],");
	return true;
}

/* ---- Lines -------------------------------------------------------------- */

/* Branches that are impossible are not counted by gcovr, either: none is put. */
static void
put_branches(struct writer *w, const struct cg_branch *branch, size_t n)
{
	const char *comma = "";
	size_t number = 0;

	cg_puts(w->common.out, ",\"branches\":[");
	for (size_t i = 0; i < n; i++) {
		if (branch[i].flags & CG_BRANCH_UNREACHABLE)
			continue;
		cg_putf(w->common.out,
		    "%s{\"branchno\":%zu,\"count\":%" PRIu64
		    ",\"source_block_id\":%" PRIu32
		    ",\"fallthrough\":%s,\"throw\":%s}",
		    comma, number++, covjson_count(&w->common, branch[i].count),
		    branch[i].block,
		    branch[i].flags & CG_BRANCH_FALLTHROUGH ? "true" : "false",
		    branch[i].flags & CG_BRANCH_THROW ? "true" : "false");
		comma = ",";
	}
	cg_putc(w->common.out, ']');
}

/* Lists the terms of a condition whose outcome was not shown. */
static void
put_missed(struct writer *w, const char *key, const struct cg_branch *branch,
    size_t n, unsigned outcome)
{
	const char *comma = "";

	cg_putf(w->common.out, ",\"%s\":[", key);
	for (size_t i = 0; i < n; i++) {
		if (branch[i].index % 2 != outcome || branch[i].count > 0)
			continue;
		cg_putf(
		    w->common.out, "%s%" PRIu32, comma, branch[i].index / 2);
		comma = ",";
	}
	cg_putc(w->common.out, ']');
}

static void
put_conditions(struct writer *w, const struct cg_branch *branch, size_t n)
{
	size_t number = 0, covered;

	if (n == 0)
		return;
	cg_puts(w->common.out, ",\"conditions\":[");
	for (size_t i = 0, end; i < n; i = end) {
		covered = 0;
		for (end = i; end < n && branch[end].block == branch[i].block;
		     end++)
			covered += branch[end].count > 0;
		cg_putf(w->common.out,
		    "%s{\"conditionno\":%zu,\"count\":%zu,\"covered\":%zu",
		    number > 0 ? "," : "", number, end - i, covered);
		put_missed(w, "not_covered_false", branch + i, end - i, 0);
		put_missed(w, "not_covered_true", branch + i, end - i, 1);
		cg_putc(w->common.out, '}');
		number++;
	}
	cg_putc(w->common.out, ']');
}

static void
put_line(struct writer *w, const struct cg_line_sum *line)
{
	size_t arcs = cg_line_arcs(line);

	cg_putf(w->common.out,
	    "{\"line_number\":%" PRIu32 ",\"count\":%" PRIu64, line->line,
	    line->hits);
	put_branches(w, line->branch, arcs);
	if (line->branches > arcs)
		put_conditions(w, line->branch + arcs, line->branches - arcs);
	cg_puts(w->common.out,
	    ",\"gcovr/noncode\":false,\"gcovr/excluded\":false}");
}

static bool
put_file(struct covjson_writer *common, struct cg_slice path)
{
	struct writer *w = (struct writer *)common;
	struct cg_line_sum line;
	const char *comma = "";

	cg_puts(common->out, common->any ? ",\n{\"file\":" : "\n{\"file\":");
	cg_put_json(common->out, path);
	cg_putc(common->out, ',');
	if (!put_fns(w))
		return false;
	cg_puts(common->out, "\"lines\":[");
	while (covjson_next_line(common, &line)) {
		if (!line.has_cost) {
			w->bare++;
			continue;
		}
		cg_puts(common->out, comma);
		put_line(w, &line);
		comma = ",\n";
	}
	cg_puts(common->out, "]}");
	return true;
}

/* ---- The document ------------------------------------------------------- */

/* "0.14": its number after the point. */
static bool
get_version(const char *text, uint64_t *minor)
{
	struct cg_slice rest = cg_slice(text);

	return cg_take_prefix(&rest, "0.") && cg_get_u64(rest, minor) &&
	       *minor > 0 && *minor < 100;
}

int
covjson_write_gcovr(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .common = {
				.job = job, .graph = graph, .out = out } };
	const char *version = cg_opt(job, "format-version");
	int status = cg_choose_event(job, graph, "Exec", &w.common.event);
	uint64_t minor = 0;

	if (status != CG_OK)
		return status;
	if (!get_version(version, &minor))
		return cg_usage(job,
		    "--format-version: expected 0.1 to 0.99, not '%s'",
		    version);
	w.both = minor > 6;
	cg_putf(out, "{\"gcovr/format_version\":\"0.%" PRIu64 "\",\"files\":[",
	    minor);
	if (!covjson_put_files(&w.common, put_file))
		return cg_nomem(job);
	cg_puts(out, "]}\n");
	if (w.bare > 0)
		cg_warn(job,
		    "dropped branches of %" PRIu64 " line%s without a count",
		    w.bare, w.bare == 1 ? "" : "s");
	return covjson_end(&w.common);
}
