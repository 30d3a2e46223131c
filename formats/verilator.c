/*
 * verilator.c - the module for coverage of Verilator (coverage.dat), of
 * hardware in Verilog.
 *
 * Source: include/verilated_cov.cpp, include/verilated_cov_key.h and
 * src/VlcTop.cpp of Verilator 5.051, and output of Verilator 5.006. After a
 * head line, each line is a point: "C '", keys and values, "' ", the count.
 * \001 comes before a key, \002 before its value: f (file), l (line), n
 * (column), S (more lines, "2,6-9"), page ("v_line/MODULE"), h (hierarchy).
 *
 * As verilator_coverage --write-info of that version does, a line has the
 * largest count of its points, and if it has several, each is a branch; those
 * of state machines are blocks of their own. (Version 5.006 added up points of
 * one column.) Lost are columns, the hierarchy, and what a point is: a block,
 * a signal that toggled, a property.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_parse.h"

#define HEAD "# SystemC::Coverage-3"
/*
 * A point may list many lines. A file may state one for each of its bytes,
 * plus this number.
 */
#define LINES_MORE 65536

/* A point on one of its lines. */
struct row {
	cg_file file;
	uint32_t line;
	uint64_t count;
	size_t nth;     /* of the point */
	uint32_t block; /* 1, 2: of the states, arcs of state machines */
};

struct verilator {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_in *in;
	CG_ARRAY(struct row) row;
	size_t points;
};

/*
 * Sets *value to the value of a key in a point, which is a line of the file.
 * False: the point has no such key, and *value is "".
 */
static bool
get_value(struct cg_slice point, const char *key, struct cg_slice *value)
{
	struct cg_slice item, name;

	*value = cg_slice("");
	(void)cg_take_char(&point, '\1');
	while (cg_take_until(&point, '\1', &item)) {
		if (!cg_take_until(&item, '\2', &name))
			continue;
		if (cg_equal(name, key)) {
			*value = item;
			return true;
		}
	}
	return false;
}

static bool
add_row(struct verilator *v, const struct row *row, uint64_t line)
{
	struct row *added;

	if (v->row.n > cg_in_offset(v->in) + LINES_MORE)
		return cg_reject(
		    v->job, "expected fewer lines: at most one for each byte");
	added = cg_push(v->job, &v->row);
	if (!added)
		return false;
	*added = *row;
	added->line = (uint32_t)line;
	return true;
}

/*
 * Adds a copy of the row for each further line of a point. "text" lists these
 * lines, such as "2,6-9"; a range includes both ends. Skips line 0. False: an
 * error (reported).
 */
static bool
add_more_lines(struct verilator *v, const struct row *row, struct cg_slice text)
{
	struct cg_slice item;
	uint64_t first = 0, last;

	while (cg_take_until(&text, ',', &item)) {
		bool ok = cg_take_u64(&item, &first);

		last = first;
		if (ok && item.len > 0)
			ok =
			    cg_take_char(&item, '-') && cg_get_u64(item, &last);
		if (!ok || first > UINT32_MAX || last > UINT32_MAX)
			return cg_reject(
			    v->job, "expected lines, such as 2,6-9");
		for (uint64_t line = first; line <= last; line++) {
			if (line > 0 && !add_row(v, row, line))
				return false;
		}
	}
	return true;
}

static bool
take_point(struct verilator *v, struct cg_slice line)
{
	struct row row = { .nth = v->points++ };
	struct cg_slice point = line, value;
	size_t n = line.len;
	uint64_t number;

	while (n > 0 && line.ptr[n - 1] != '\'')
		n--;
	if (n == 0)
		return cg_reject(v->job, "expected C 'POINT' COUNT");
	point.len = n - 1;
	value = (struct cg_slice){ line.ptr + n, line.len - n };
	if (!cg_take_char(&value, ' ') || !cg_get_u64(value, &row.count) ||
	    row.count > INT64_MAX)
		return cg_reject(v->job, "expected a count after the point");
	if (!get_value(point, "f", &value) || value.len == 0)
		return true;
	row.file = cg_add_file(v->build, value);
	(void)get_value(point, "page", &value);
	if (cg_starts(value, "v_fsm_state"))
		row.block = 1;
	else if (cg_starts(value, "v_fsm_arc"))
		row.block = 2;
	if (!get_value(point, "l", &value))
		return true;
	if (!cg_get_u64(value, &number) || number > UINT32_MAX)
		return cg_reject(v->job, "expected a line number (l)");
	if (number == 0)
		return true;
	(void)get_value(point, "S", &value);
	return add_row(v, &row, number) && add_more_lines(v, &row, value);
}

static int
compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->nth > b->nth) - (a->nth < b->nth);
}

/*
 * Adds a line to the graph. row[0] to row[n - 1] are its points. The count of
 * the line is the largest count of its points. If there are several points,
 * also adds each of them as a branch of the line. False: the builder has
 * failed.
 */
static bool
add_line(struct verilator *v, const struct row *row, size_t n)
{
	const cg_fn fn = cg_add_fn(v->build, cg_slice(""), row->file, 0);
	struct cg_branch branch = { .pos = { .file = row->file,
					.line = row->line },
		.kind = CG_BRANCH_ARC };
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (row[i].count > count)
			count = row[i].count;
	}
	if (!cg_add_cost(v->build, fn, &branch.pos, &count, 1))
		return false;
	branch.flags = count > 0 ? CG_BRANCH_REACHED : 0;
	for (size_t i = 0; i < n && n > 1; i++) {
		branch.block = row[i].block;
		branch.count = (int64_t)row[i].count;
		if (!cg_add_branch(v->build, fn, &branch))
			return false;
		branch.index++;
	}
	return true;
}

static bool
add_lines(struct verilator *v)
{
	const struct row *row = v->row.at;
	size_t n;

	if (v->row.n > 1)
		qsort(v->row.at, v->row.n, sizeof(*row), compare_rows);
	n = v->row.n > 0;
	/* A point may list its first line again. */
	for (size_t i = 1; i < v->row.n; i++) {
		if (compare_rows(&row[i], &row[n - 1]) != 0)
			v->row.at[n++] = row[i];
	}
	v->row.n = n;
	for (size_t i = 0, end; i < v->row.n; i = end) {
		for (end = i + 1; end < v->row.n &&
				  row[end].file == row[i].file &&
				  row[end].line == row[i].line;)
			end++;
		if (!add_line(v, row + i, end - i))
			return false;
	}
	return true;
}

static int
read_verilator(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct verilator v = { .job = job, .build = build, .in = in };
	struct cg_slice line;
	bool ok;

	ok = cg_add_column(build, &(struct cg_event){ .name = "Exec",
				      .long_name = "Line executions",
				      .is_signed = true,
				      .incl = CG_INCL_NONE });
	if (!cg_read_line(in, &line) || !cg_equal(line, HEAD))
		return cg_fail(job, "expected %s", HEAD);
	while (ok && cg_read_line(in, &line)) {
		if (line.len == 0 || cg_starts(line, "#"))
			continue;
		ok = (cg_take_prefix(&line, "C '") ||
			 cg_reject(job, "expected C 'POINT' COUNT")) &&
		     take_point(&v, line);
	}
	if (ok && cg_in_unterminated(in))
		cg_warn(job, "the last line has no newline: the file may be "
			     "truncated");
	if (ok)
		(void)add_lines(&v);
	return cg_in_status(in);
}

static int
probe(const struct cg_head *head)
{
	return cg_starts(head->text, "# SystemC::Coverage-") ? CG_PROBE_SURE
							     : CG_PROBE_NO;
}

const struct cg_module cg_format_verilator = {
	CG_MODULE,
	.name = "verilator",
	.title = "coverage of Verilog: coverage.dat of Verilator",
	.text = true,
	.suffixes = "coverage.dat",
	.probe = probe,
	.read = read_verilator,
};
