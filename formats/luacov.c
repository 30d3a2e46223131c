/*
 * luacov.c - the module for coverage of Lua: luacov.stats.out of LuaCov.
 *
 * Source: src/luacov/stats.lua and src/luacov/reporter.lua of LuaCov 0.17. A
 * file has two lines: "MAX:PATH", with the number of its last line that ran,
 * and MAX counts, separated by blanks, for lines 1 to MAX.
 *
 * A count of 0 says nothing: LuaCov decides by the source which lines have
 * code (luacov.linescanner), and so only lines that ran are read. The report
 * of LuaCov has the others; a warning says so.
 */
#include <inttypes.h>

#include "cgconv_parse.h"

/*
 * Removes "MAX:", the number of a file's lines, from the begin of a line
 * "MAX:PATH", and sets *max. False: another line.
 */
static bool
take_head(struct cg_slice *line, uint64_t *max)
{
	return cg_take_u64(line, max) && *max <= UINT32_MAX &&
	       cg_take_char(line, ':') && line->len > 0;
}

/*
 * Adds the counts of a file's lines 1 to "max" to the graph. "line" is the
 * text with these counts, separated by blanks. Skips counts of 0, as a line
 * without a count need not have code. False: rejected (reported), or the
 * builder has failed.
 */
static bool
add_counts(struct cg_job *job, struct cg_build *build, cg_file file,
    struct cg_slice line, uint64_t max)
{
	const cg_fn fn = cg_add_fn(build, cg_slice(""), file, 0);
	struct cg_pos pos = { .file = file };
	uint64_t count;

	for (uint64_t n = 1; n <= max; n++) {
		(void)cg_take_blanks(&line);
		if (!cg_take_u64(&line, &count) || count > INT64_MAX)
			return cg_reject(job,
			    "expected %" PRIu64 " counts, found %" PRIu64, max,
			    n - 1);
		pos.line = (uint32_t)n;
		if (count > 0 && !cg_add_cost(build, fn, &pos, &count, 1))
			return false;
	}
	return cg_trim(line).len == 0 ||
	       cg_reject(job, "expected only %" PRIu64 " counts", max);
}

static int
read_luacov(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct cg_slice line;
	uint64_t max;
	cg_file file;

	if (!cg_add_column(build, &(struct cg_event){ .name = "Exec",
				      .long_name = "Line executions",
				      .is_signed = true,
				      .incl = CG_INCL_NONE }))
		return CG_OK; /* the builder has the status */
	while (cg_read_line(in, &line)) {
		cg_cut_return(&line);
		if (!take_head(&line, &max))
			return cg_fail(job, "expected LINES:PATH");
		file = cg_add_file(build, line);
		if (!cg_read_line(in, &line))
			return cg_fail(job, "expected the counts of the file");
		cg_cut_return(&line);
		if (!add_counts(job, build, file, line, max))
			break;
	}
	cg_warn(job, "lines that never ran are unknown: LuaCov finds them in "
		     "the sources; its reporter lcov (luacov -r lcov) lists "
		     "them");
	return cg_in_status(in);
}

/*
 * Returns CG_PROBE_SURE if the text begins with a line MAX:PATH of a .lua file
 * and then MAX counts. If the bytes for detection end earlier, one count is
 * enough. Else returns CG_PROBE_NO.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice rest = head->text, line;
	uint64_t max, count, n = 0;

	if (!cg_take_line(&rest, &line) || !take_head(&line, &max) ||
	    max == 0 || !cg_find(line, ".lua"))
		return CG_PROBE_NO;
	while (n < max && cg_take_u64(&rest, &count)) {
		n++;
		if (!cg_take_char(&rest, ' '))
			break;
	}
	return n == max || (n > 0 && rest.len == 0) ? CG_PROBE_SURE
						    : CG_PROBE_NO;
}

const struct cg_module cg_format_luacov = {
	CG_MODULE,
	.name = "luacov",
	.title = "coverage of Lua: luacov.stats.out of LuaCov",
	.text = true,
	.suffixes = "luacov.stats.out",
	.probe = probe,
	.read = read_luacov,
};
