/*
 * vtune.c - vtune: reports of Intel's VTune as CSV, of functions or of call
 * trees, in which a callee has one more blank before it than its caller:
 *
 *	Function Stack,CPU Time:Self,Module
 *	Total,0.0,[Unknown]
 *	 main,0.0,prog
 *	  "std::map<int, int>::find",0.016612,prog
 *
 * Source: VTune's user guide (vtune -report top-down, -report hotspots, with
 * -format csv) and the files of inferno and FlameGraph. Columns of self costs,
 * modules and source files survive; totals follow from them.
 */
#include <string.h>

#include "tables.h"

#define TREE "Function Stack"
#define FLAT "Function"
#define SELF ":Self"
#define WORD_MAX 128
#define METRICS_MAX 64 /* VTune's longest reports have about 40 columns */

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct table_row row;
	CG_ARRAY(cg_node) caller; /* for the next row, by depth */
	char sep;
	bool tree;
	size_t module, file; /* columns */
	struct metric {
		size_t column;
		unsigned digits; /* decimal digits of its numbers */
	} metric[METRICS_MAX];
	size_t metrics;
	uint64_t rows;
};

/* Columns of self costs in reports of functions. */
static const char *const flat_metrics[] = { "CPU Time", "Wait Time",
	"Clockticks", "Instructions Retired", "Allocation Size", "Allocations",
	NULL };

/* ---- The head ------------------------------------------------------------ */

static bool
is_metric(const struct reader *r, struct cg_slice *name)
{
	size_t len = strlen(SELF);

	if (!r->tree) {
		for (size_t i = 0; flat_metrics[i]; i++)
			if (cg_equal(*name, flat_metrics[i]))
				return true;
		return false;
	}
	if (name->len <= len ||
	    memcmp(name->ptr + name->len - len, SELF, len) != 0)
		return false;
	name->len -= len;
	/* Not parts of another column: "CPU Time:Spin Time:Self". */
	return !memchr(name->ptr, ':', name->len);
}

/*
 * Copies the name into "word", and returns "word". Blanks and control
 * characters become '_', as names of events may not have them. A longer name
 * is truncated.
 */
static const char *
put_word(char word[WORD_MAX], struct cg_slice name)
{
	size_t len = name.len < WORD_MAX ? name.len : WORD_MAX - 1;

	for (size_t i = 0; i < len; i++)
		word[i] = (unsigned char)name.ptr[i] > ' ' ? name.ptr[i] : '_';
	word[len] = '\0';
	return word;
}

static bool
add_metric(struct reader *r, size_t column)
{
	char word[WORD_MAX];
	struct cg_slice name = table_field(&r->row, column);
	struct metric metric = { .column = column };
	struct cg_event event = { 0 };
	bool time;

	if (!is_metric(r, &name))
		return true;
	if (r->metrics == METRICS_MAX)
		return cg_reject(r->job, "expected at most %d columns of costs",
		    METRICS_MAX);
	event.long_name =
	    cg_get_name(r->build, cg_add_name(r->build, name)).ptr;
	time = cg_find(name, "Time") != NULL;
	if (time)
		metric.digits = 9;
	event.name = cg_equal(name, "CPU Time") ? "ns" : put_word(word, name);
	event.unit = time ? "ns" : cg_find(name, "Size") ? "bytes" : "";
	if (!cg_add_column(r->build, &event))
		return cg_reject(r->job, "expected each column once");
	r->metric[r->metrics++] = metric;
	return true;
}

/*
 * Reads the head line, and finds the columns. The line must begin with the
 * name of the first column, TREE or FLAT, after a byte order mark if there is
 * one. The character after this name separates the columns. Adds the columns
 * of self costs as events. False: an error (reported).
 */
static bool
take_head(struct reader *r, struct cg_slice line)
{
	(void)cg_take_prefix(&line, "\xef\xbb\xbf");
	r->tree = cg_starts(line, TREE);
	r->sep = line.ptr[r->tree ? strlen(TREE) : strlen(FLAT)];
	if (!table_split(r->job, &r->row, line, r->sep))
		return false;
	if (!r->tree && table_find(&r->row, TREE) != TABLE_NONE)
		return cg_reject(r->job, "expected a report of call trees: "
					 "vtune -report top-down");
	r->module = table_find(&r->row, "Module");
	r->file = table_find(&r->row, "Source File");
	for (size_t i = 0; i < r->row.field.n; i++)
		if (!add_metric(r, i))
			return false;
	if (r->metrics == 0)
		return cg_reject(r->job, "expected a column of self costs: "
					 "vtune -report top-down -column=\"CPU "
					 "Time:Self,Module\" -format csv");
	return true;
}

static bool
is_head(struct cg_slice line)
{
	struct cg_slice rest = line;

	(void)cg_take_prefix(&rest, "\xef\xbb\xbf");
	if (!cg_take_prefix(&rest, TREE) && !cg_take_prefix(&rest, FLAT))
		return false;
	return rest.len > 0 && memchr(",;:\t", *rest.ptr, 4) &&
	       (cg_find(rest, SELF) ||
		   (cg_find(rest, "CPU Time") && cg_find(rest, "Module")));
}

/* ---- Rows ---------------------------------------------------------------- */

/* Returns the text, or "" for "[Unknown]", VTune's text for no value. */
static struct cg_slice
known(struct cg_slice text)
{
	return cg_equal(text, "[Unknown]") ? (struct cg_slice){ "", 0 } : text;
}

/*
 * Reads the number in a metric's column of the row, "0.016612", "0.016612s" or
 * "1250000". Sets *cost to the number times 10 to the power of metric->digits.
 * An empty field is 0. False: malformed, or missing (not reported).
 */
static bool
take_cost(struct reader *r, const struct metric *metric, uint64_t *cost)
{
	struct cg_slice text = table_field(&r->row, metric->column);

	*cost = 0;
	if (text.len == 0)
		return metric->column < r->row.field.n;
	if (!cg_take_fixed(&text, metric->digits, cost))
		return false;
	if (metric->digits > 0)
		(void)cg_take_char(&text, 's');
	return text.len == 0;
}

static cg_node
add_function(struct reader *r, cg_node caller)
{
	struct cg_slice name = table_field(&r->row, 0);
	struct cg_slice file = known(table_field(&r->row, r->file));
	struct cg_slice module = known(table_field(&r->row, r->module));
	struct cg_pos pos = { 0 };
	cg_fn fn;

	pos.file = cg_add_file(r->build, file);
	if (name.len == 0 || cg_equal(name, "[Unknown]"))
		name = cg_slice("[unknown]");
	fn = cg_add_fn(
	    r->build, name, pos.file, cg_add_object(r->build, module));
	return cg_add_frame(r->build, caller, fn, &pos, false);
}

static bool
take_row(struct reader *r, struct cg_slice line)
{
	uint64_t cost[METRICS_MAX], any = 0;
	cg_node node, *caller;
	size_t depth = 0;

	if (!table_split(r->job, &r->row, line, r->sep))
		return false;
	while (r->tree && depth < r->row.field.at[0].len &&
	       r->row.field.at[0].ptr[depth] == ' ')
		depth++;
	if (depth > r->caller.n)
		return cg_reject(r->job,
		    "expected at most %zu blanks before a function",
		    r->caller.n);
	r->caller.n = depth;
	for (size_t i = 0; i < r->metrics; i++) {
		if (!take_cost(r, &r->metric[i], &cost[i]))
			return cg_reject(r->job,
			    "expected a number in column %zu",
			    r->metric[i].column + 1);
		any |= cost[i];
	}
	/* The root of the report is not a function. */
	node = r->tree && depth == 0 && any == 0 &&
		       cg_equal(table_field(&r->row, 0), "Total")
		   ? 0
		   : add_function(r, depth > 0 ? r->caller.at[depth - 1] : 0);
	r->rows++;
	if (any > 0)
		table_add_stack(r->build, node, 1, cost);
	if (r->tree) {
		caller = cg_push(r->job, &r->caller);
		if (!caller)
			return false;
		*caller = node;
	}
	return cg_build_status(r->build) == CG_OK;
}

static int
read_vtune(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .build = build };
	struct cg_slice line;
	bool ok = true, headed = false;

	while (ok && table_line(in, &line)) {
		if (headed && cg_trim(line).len > 0)
			ok = take_row(&r, line);
		else if (!headed && is_head(line))
			ok = headed = take_head(&r, line);
	}
	if (ok && cg_in_status(in) == CG_OK) {
		if (r.rows == 0)
			(void)cg_reject(job, "expected a head that begins with "
					     "\"" TREE "\", and rows");
		else if (cg_in_unterminated(in))
			cg_warn(job, "expected a newline at the end: the file "
				     "may be truncated");
	}
	return table_status(job, in, build);
}

/*
 * Detects the head line of a report. Warnings of VTune may precede it. Returns
 * CG_PROBE_SURE if the line begins with the name of the column of call trees,
 * else CG_PROBE_LIKELY. Returns CG_PROBE_NO if there is no head line.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;

	for (int lines = 0; lines < 8 && cg_take_line(&text, &line); lines++)
		if (is_head(line))
			return cg_starts(line, TREE) ? CG_PROBE_SURE
						     : CG_PROBE_LIKELY;
	return CG_PROBE_NO;
}

const struct cg_module cg_format_vtune = {
	CG_MODULE,
	.name = "vtune",
	.title = "reports of Intel's VTune, top-down or hotspots, as CSV",
	.text = true,
	.suffixes = "vtune.csv",
	.probe = probe,
	.read = read_vtune,
};
