/*
 * html.c - writes a report: one page for any browser, with the whole profile
 * or coverage run and a script that shows it.
 *
 * Source: HTML (WHATWG), Content Security Policy Level 3 (W3C) for the policy
 * by hashes; pages, script and layout of the data are our own, see html.h.
 * Raw counters are lost.
 */
#include <string.h>

#include "cgconv_parse.h"
#include "html.h"

static void
put_hash(
    struct cg_out *out, const char *directive, const struct html_asset *asset)
{
	cg_puts(out, directive);
	cg_puts(out, " 'sha256-");
	html_put_base64(out, asset->sha256);
	cg_puts(out, "'");
}

/*
 * Puts the title of the page: --title, or the base name of the first input and
 * how many more there are, or "cgconv" if there is none. The script shows the
 * names of both sides of a difference, of which only the first is put here.
 */
static void
put_title(struct cg_out *out, const struct cg_job *job)
{
	const char *title = cg_opt(job, "title"), *path;
	size_t inputs;

	if (title) {
		cg_put_xml(out, cg_slice(title));
		return;
	}
	path = cg_job_input_name(job, 0, &inputs);
	cg_put_xml(out, cg_base_name(cg_slice(path ? path : "cgconv")));
	if (path && inputs > 1 && !cg_job_diff_graph(job, 0)) {
		cg_puts(out, " and ");
		cg_putu(out, inputs - 1);
		cg_puts(out, " more");
	}
}

/*
 * Writes the page up to the data, which follows in a script element. The
 * content security policy allows only the page's own script and style, and no
 * network. So names in the data cannot run as code even if the script had an
 * error. If "split" is set, the policy also allows data files next to the
 * page, which are scripts.
 */
static void
put_head(struct cg_out *out, const struct cg_job *job, bool split)
{
	cg_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		     "<meta charset=\"utf-8\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" content=\""
		     "default-src 'none'; ");
	put_hash(out, "script-src", &html_script);
	if (split)
		cg_puts(out, " 'self' file:");
	put_hash(out, "; style-src", &html_style);
	cg_puts(out,
	    "; base-uri 'none'; form-action 'none'\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width\">\n"
	    "<meta name=\"generator\" content=\"cgconv " CG_VERSION "\">\n"
	    "<title>");
	put_title(out, job);
	cg_puts(out, "</title>\n<style>");
	cg_put(out, html_style.text);
	cg_puts(out, "</style>\n</head>\n<body>\n"
		     "<noscript>This report needs JavaScript.</noscript>\n"
		     "<script type=\"application/octet-stream\" id=\"data\">");
}

static void
put_foot(struct cg_out *out)
{
	cg_puts(out, "</script>\n<script>");
	cg_put(out, html_script.text);
	cg_puts(out, "</script>\n</body>\n</html>\n");
}

/*
 * Writes all data of the page. If the graph has stacks, writes them first, as
 * cg_job_derive() drops stacks when it derives calls from them. If stacks have
 * to be estimated from calls, writes them last, as cg_job_derive() then
 * replaces the calls. False: an error (reported).
 */
static bool
put_data(struct html_writer *w)
{
	bool stacks = w->facts & CG_STACKS;
	bool ok = !stacks || html_put_stacks(w);

	ok = ok && cg_job_derive(w->job, CG_CALLS | CG_INCL) == CG_OK &&
	     html_put_rows(w) && html_put_tests(w) && html_put_sources(w);
	if (ok && !stacks && cg_job_derive(w->job, CG_STACKS) == CG_OK &&
	    (cg_graph_facts(w->graph) & CG_STACKS))
		ok = html_put_stacks(w);
	ok = ok && html_put_judged(w);
	html_end(w, &w->file_path);
	html_end(w, &w->object_path);
	html_end(w, &w->data_name);
	html_end(w, &w->data_id);
	return ok && html_put_about(w);
}

static bool
open_writer(struct html_writer *w, struct cg_out *out)
{
	const struct cg_graph *graph = w->graph;
	size_t fns = cg_fn_count(graph) + 1, files = cg_file_count(graph) + 1;

	w->fns = (uint32_t)fns;
	w->rank = cg_alloc(w->job, fns * sizeof(*w->rank));
	w->file_at = cg_alloc(w->job, files * sizeof(*w->file_at));
	w->object_at = cg_alloc(
	    w->job, (cg_object_count(graph) + 1) * sizeof(*w->object_at));
	w->has_lines = cg_alloc(w->job, files);
	if (!w->rank || !w->file_at || !w->object_at || !w->has_lines ||
	    !html_parts_new(w))
		return false;
	for (size_t i = 0; i < fns; i++)
		w->rank[cg_fn_ranked(graph, i)] = (uint32_t)i;
	w->pack = w->page = html_pack_new(w->job, out);
	return w->pack != NULL;
}

/*
 * Sets w->least from --html-min, such as "0.1%", in millionths of the total.
 * The option must be set. Returns CG_OK, or the status of a malformed option
 * (reported).
 */
static int
get_least(struct html_writer *w)
{
	const char *text = cg_opt(w->job, "html-min");
	struct cg_slice rest = cg_slice(text);

	if (cg_take_fixed(&rest, 4, &w->least) && cg_take_char(&rest, '%') &&
	    rest.len == 0 && w->least <= 1000000)
		return CG_OK;
	return cg_usage(w->job,
	    "{html-min}: expected a percentage, such as 0.1%%, not '%s'", text);
}

static int
write_html(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct html_writer w = { .job = job,
		.graph = graph,
		.events = cg_event_count(graph),
		.file_path = { .name = "file_path", .type = HTML_TEXT },
		.object_path = { .name = "object_path", .type = HTML_TEXT },
		.data_name = { .name = "data_name", .type = HTML_TEXT },
		.data_id = { .name = "data_id", .type = HTML_COST },
		.split = cg_opt_flag(job, "split"),
		.facts = cg_graph_facts(graph) };
	int status = get_least(&w);

	if (status == CG_OK)
		status = html_open_disasm(&w);
	if (status != CG_OK)
		return status;
	put_head(out, job, w.split);
	if (open_writer(&w, out) && put_data(&w)) {
		html_close_disasm(&w);
		(void)html_pack_end(w.pack);
		put_foot(out);
	} else {
		status = CG_ELIMIT; /* reported */
	}
	return status == CG_OK ? cg_out_status(out) : status;
}

static const struct cg_option options[] = {
	{ .name = "title",
	    .type = CG_STRING,
	    .arg = "TEXT",
	    .help = "title of the report (default: the inputs' names)",
	    .writing = true },
	CG_OPTIONS_EXCLUDE,
	{ .name = "disassembly",
	    .type = CG_STRING,
	    .arg = "FILE",
	    .help = "add texts of instructions: FILE has objdump -d's output",
	    .writing = true },
	{ .name = "split",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "large reports: put data in files next to the page",
	    .writing = true },
	{ .name = "html-min",
	    .type = CG_STRING,
	    .fallback = "0%",
	    .arg = "PERCENT%",
	    .help = "drop functions and frames below this share of all events",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_html = {
	CG_MODULE,
	.name = "html",
	.title = "a report for any browser: flame graph, tables, coverage",
	.text = true,
	.suffixes = "html",
	.carries = CG_SELF | CG_LINES | CG_INSTRS | CG_CALLS | CG_INCL |
		   CG_STACKS | CG_JUMPS | CG_PARTS | CG_EVENTS | CG_ZEROS |
		   CG_BRANCHES | CG_SIGNED | CG_CONDITIONS | CG_FILES |
		   CG_OBJECTS | CG_DEFINITIONS | CG_FORMULAS | CG_DESCRIPTIONS |
		   CG_TIMELINE | CG_REGIONS | CG_LABELS,
	.needs = CG_INCL,
	.root_by = "comm",
	.pairs = true,
	.options = options,
	.write = write_html,
};
