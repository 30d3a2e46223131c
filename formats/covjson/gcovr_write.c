/*
 * gcovr_write.c - writes gcovr's JSON: all fields that any version requires.
 */
#include <inttypes.h>
#include <string.h>

#include "cgconv_expert.h"
#include "covjson.h"

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	size_t event;
	struct cg_lines *lines;
	bool both; /* functions have both names */
	uint64_t lost, negative;
	bool any;
};

/* ---- Functions ---------------------------------------------------------- */

static void
put_fn(struct writer *w, const struct cg_merged_fn *fn, const char *name,
    uint64_t count)
{
	bool both = w->both && !cg_equal(fn->name, name);

	cg_puts(w->out, "{\"name\":");
	cg_put_json(w->out, both ? fn->name : cg_slice(name));
	if (both) {
		cg_puts(w->out, ",\"demangled_name\":");
		cg_put_json(w->out, cg_slice(name));
	}
	cg_putf(w->out, ",\"lineno\":%" PRIu32 ",\"execution_count\":%" PRIu64,
	    fn->first, count);
	if (fn->last > 0)
		cg_putf(w->out,
		    ",\"pos\":[\"%" PRIu32 ":1\",\"%" PRIu32 ":1\"]", fn->first,
		    fn->last);
	cg_putc(w->out, '}');
}

/*
 * gcovr has one function for each demangled name and line, and rejects more: the
 * two constructors that C++ makes of one, for example, which are neighbours.
 */
static bool
put_fns(struct writer *w)
{
	const struct cg_merged_fn *fn;
	size_t n;

	if (!cg_merged_fns(w->lines, w->event, &fn, &n))
		return false;
	cg_puts(w->out, "\"functions\":[");
	for (size_t i = 0, end; i < n; i = end) {
		const char *name = cg_demangle(w->job, fn[i].name.ptr);
		uint64_t count = fn[i].count;

		for (end = i + 1;
		     end < n && fn[end].first == fn[i].first &&
		     strcmp(cg_demangle(w->job, fn[end].name.ptr), name) == 0;
		     end++) {
			if (__builtin_add_overflow(
				count, fn[end].count, &count))
				count = UINT64_MAX;
		}
		if (i > 0)
			cg_putc(w->out, ',');
		put_fn(w, &fn[i], name, count);
	}
	cg_puts(w->out, "],");
	return true;
}

/* ---- Lines -------------------------------------------------------------- */

static uint64_t
count_of(struct writer *w, int64_t count)
{
	w->negative += count < 0;
	return count > 0 ? (uint64_t)count : 0;
}

static void
put_branches(struct writer *w, const struct cg_branch *branch, size_t n)
{
	const char *comma = "";

	cg_puts(w->out, ",\"branches\":[");
	for (size_t i = 0; i < n; i++) {
		cg_putf(w->out,
		    "%s{\"branchno\":%zu,\"count\":%" PRIu64
		    ",\"source_block_id\":%" PRIu32
		    ",\"fallthrough\":%s,\"throw\":%s%s}",
		    comma, i, count_of(w, branch[i].count), branch[i].block,
		    branch[i].flags & CG_BRANCH_FALLTHROUGH ? "true" : "false",
		    branch[i].flags & CG_BRANCH_THROW ? "true" : "false",
		    branch[i].flags & CG_BRANCH_UNREACHABLE
			? ",\"gcovr/excluded\":true"
			: "");
		comma = ",";
	}
	cg_putc(w->out, ']');
}

/* Lists the terms of a condition whose outcome was not shown. */
static void
put_missed(struct writer *w, const char *key, const struct cg_branch *branch,
    size_t n, unsigned outcome)
{
	const char *comma = "";

	cg_putf(w->out, ",\"%s\":[", key);
	for (size_t i = 0; i < n; i++) {
		if (branch[i].index % 2 != outcome || branch[i].count > 0)
			continue;
		cg_putf(w->out, "%s%" PRIu32, comma, branch[i].index / 2);
		comma = ",";
	}
	cg_putc(w->out, ']');
}

static void
put_conditions(struct writer *w, const struct cg_branch *branch, size_t n)
{
	size_t number = 0, covered;

	if (n == 0)
		return;
	cg_puts(w->out, ",\"conditions\":[");
	for (size_t i = 0, end; i < n; i = end) {
		covered = 0;
		for (end = i; end < n && branch[end].block == branch[i].block;
		     end++)
			covered += branch[end].count > 0;
		cg_putf(w->out,
		    "%s{\"conditionno\":%zu,\"count\":%zu,\"covered\":%zu",
		    number > 0 ? "," : "", number, end - i, covered);
		put_missed(w, "not_covered_false", branch + i, end - i, 0);
		put_missed(w, "not_covered_true", branch + i, end - i, 1);
		cg_putc(w->out, '}');
		number++;
	}
	cg_putc(w->out, ']');
}

static void
put_line(struct writer *w, const struct cg_line_sum *line)
{
	size_t arcs = 0;

	while (
	    arcs < line->branches && line->branch[arcs].kind == CG_BRANCH_ARC)
		arcs++;
	cg_putf(w->out, "{\"line_number\":%" PRIu32 ",\"count\":%" PRIu64,
	    line->line, line->hits);
	put_branches(w, line->branch, arcs);
	if (line->branches > arcs)
		put_conditions(w, line->branch + arcs, line->branches - arcs);
	cg_puts(w->out, ",\"gcovr/noncode\":false,\"gcovr/excluded\":false}");
}

static void
put_lines(struct writer *w)
{
	struct cg_line_sum line;
	const char *comma = "";

	cg_puts(w->out, "\"lines\":[");
	while (cg_next_line_sum(w->lines, w->event, &line)) {
		if (line.line == 0) {
			w->lost += line.hits;
			continue;
		}
		w->negative += line.hits != line.cost;
		cg_puts(w->out, comma);
		put_line(w, &line);
		comma = ",\n";
	}
	cg_puts(w->out, "]}");
}

/* ---- Files -------------------------------------------------------------- */

static bool
has_lines(struct writer *w)
{
	struct cg_line line = { 0 };

	while (line.line == 0 && cg_next_line(w->lines, &line))
		;
	cg_first_line(w->lines);
	return line.line != 0;
}

static bool
put_file(struct writer *w, cg_file file)
{
	struct cg_slice path = cg_file_path(w->graph, file);
	struct cg_line_sum line;

	if (path.len == 0 || !has_lines(w)) {
		while (cg_next_line_sum(w->lines, w->event, &line))
			w->lost += line.hits;
		return true;
	}
	cg_puts(w->out, w->any ? ",\n{\"file\":" : "\n{\"file\":");
	w->any = true;
	cg_put_json(w->out, path);
	cg_putc(w->out, ',');
	if (!put_fns(w))
		return false;
	put_lines(w);
	return true;
}

static bool
put_files(struct writer *w)
{
	cg_file file;
	bool ok;

	w->lines = cg_lines_new_by_name(w->graph, CG_ALL_PARTS);
	ok = w->lines != NULL;
	while (ok && cg_next_file(w->lines, &file))
		ok = put_file(w, file);
	cg_lines_free(w->lines);
	return ok;
}

static void
report_losses(struct writer *w)
{
	if (w->lost > 0)
		cg_warn(w->job,
		    "dropped %" PRIu64 " %s without a source file or line",
		    w->lost, cg_get_event(w->graph, w->event)->name);
	if (w->negative > 0)
		cg_warn(w->job,
		    "negative counts of %" PRIu64 " %s are written as 0",
		    w->negative, w->negative == 1 ? "row" : "rows");
}

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
	struct writer w = { .job = job, .graph = graph, .out = out };
	const char *version = cg_opt(job, "format-version");
	int status = cg_choose_event(job, graph, "Exec", &w.event);
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
	if (!put_files(&w))
		return cg_nomem(job);
	cg_puts(out, "]}\n");
	report_losses(&w);
	if (!w.any)
		return cg_fail(job, "expected costs of source lines");
	return cg_out_status(out);
}
