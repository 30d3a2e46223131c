/*
 * v8.c - the module for coverage of V8, as node writes it to the directory
 * that NODE_V8_COVERAGE names.
 *
 * Source: Profiler.ScriptCoverage of Chrome's DevTools protocol; lib/branch.js,
 * function.js, source.js and v8-to-istanbul.js of v8-to-istanbul 9.3, which c8
 * uses; files of node 20. A script has functions, and these ranges of the
 * source in UTF-16 units, the outer one first, with counts. As in
 * v8-to-istanbul, each line of the source is listed, and its count is that of
 * the last range, in the order of the file, that contains the whole line; a
 * range of a function that was counted by blocks is a branch with one outcome.
 * All ranges are regions.
 *
 * Lines need the source: a script "file:///a/b.js" is read below the directory
 * of option sources; without the option, if it is below the working directory,
 * or next to the input. Lost are other scripts (node's own, evaluated ones).
 * Scripts that were made from others (TypeScript) keep their own
 * lines: source maps are not followed.
 */
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "coverage_json.h"

/* The same limit as for sources that outputs show. */
#define SOURCE_MAX ((uint64_t)16 << 20)

/* What a line of a source needs in the graph, in bytes. */
#define LINE_SIZE 16

struct range {
	uint64_t start, end; /* offsets in UTF-16 units */
	int64_t count;
	uint32_t fn; /* index of its function */
	bool first;  /* it is the whole function */
	bool blocks; /* the function was counted by blocks */
};

/* A line of the source: offsets of its first unit and after its last one. */
struct line {
	uint64_t start, end;
	uint32_t next; /* a line from here on that has no count yet */
};

struct v8 {
	struct coverage_json_section section;
	CG_ARRAY(struct range) range; /* of the script */
	CG_ARRAY(cg_name) fn;         /* names */
	CG_ARRAY(struct line) line;
	CG_ARRAY(char) path;
	CG_ARRAY(char) neighbour; /* a path in the directory of the input */
	struct cg_in *in;         /* the input, which names the sources */
	const char *input;        /* its name */
	uint64_t expanded;        /* bytes that all sources need */
	bool blocks;              /* of the open function */
	bool first;               /* the next range is its first one */
	uint64_t other, missing, mapped, read; /* scripts */
};

/* ---- The source --------------------------------------------------------- */

struct scanner {
	uint64_t offset; /* in UTF-16 units */
	bool begun;
	bool cr; /* the last unit was a carriage return */
};

/*
 * Adds a source's size to the sum of all sources. The input's size limits the
 * sum: a small script can name large sources again and again. False: above the
 * limit (reported).
 */
static bool
expand(struct cg_doc *doc, uint64_t bytes)
{
	struct v8 *v8 = doc->arg;

	v8->expanded += bytes;
	if (!cg_is_bomb(v8->expanded, cg_in_offset(v8->in), CG_EXPANSION_HELD))
		return true;
	return cg_reject(doc->job,
	    "expected fewer or shorter sources: those of all scripts would "
	    "take more than %d MiB and %d times the size of the coverage",
	    (int)(CG_EXPANSION_FREE >> 20), CG_EXPANSION_HELD);
}

/*
 * Appends the lines of a block of the source to v8->line, with offsets in
 * UTF-16 units. A line's end excludes newline and CR. The block has whole
 * lines. Skips a byte order mark. Counts lines that name a source map in
 * v8->mapped. False: an error (reported).
 */
static bool
scan_block(struct cg_doc *doc, struct scanner *s, struct cg_slice block)
{
	struct v8 *v8 = doc->arg;
	const size_t bytes = block.len, lines = v8->line.n;
	struct cg_slice text;

	if (!s->begun)
		(void)cg_take_prefix(&block, "\xef\xbb\xbf");
	s->begun = true;
	while (cg_take_line(&block, &text)) {
		struct line line = { .start = s->offset };
		uint64_t units = 0;

		for (size_t i = 0; i < text.len; i++) {
			const unsigned char byte = (unsigned char)text.ptr[i];

			units += (byte & 0xc0) != 0x80;
			units += byte >= 0xf0; /* two units */
		}
		s->offset += units + 1;
		line.end = s->offset - 1;
		if (text.len > 0 && text.ptr[text.len - 1] == '\r')
			line.end--;
		if (v8->line.n >= UINT32_MAX - 1)
			return cg_doc_fail(doc, "a shorter source");
		if (!cg_append(doc->job, &v8->line, line))
			return false;
		v8->mapped += cg_starts(text, "//# sourceMappingURL=");
	}
	return expand(doc, bytes + LINE_SIZE * (v8->line.n - lines));
}

static bool
scan_source(struct cg_doc *doc, struct cg_in *in)
{
	struct scanner scanner = { 0 };
	struct cg_slice block;

	while (cg_read_block(in, &block)) {
		if (cg_in_offset(in) > SOURCE_MAX)
			return cg_reject(
			    doc->job, "expected a source of at most 16 MiB");
		if (!scan_block(doc, &scanner, block))
			return false;
	}
	return cg_in_status(in) == CG_OK;
}

/*
 * Reads the lines of a source from the argument in, which it closes, and sets
 * *found. Does nothing if in is NULL. False: an error (reported).
 */
static bool
take_source(struct cg_doc *doc, struct cg_in *in, bool *found)
{
	bool ok = true;

	if (in) {
		*found = true;
		ok = scan_source(doc, in);
		cg_close_companion(doc->job, in);
	}
	return ok;
}

static bool
open_below(
    struct cg_doc *doc, const char *directory, const char *path, bool *found)
{
	struct cg_in *in;

	return cg_open_companion_below(doc->job, directory, path, &in) &&
	       take_source(doc, in, found);
}

/*
 * Looks for the file "name", a base name, in the directory of the input. If
 * there is one, reads it as the source, and sets *found. False: an error
 * (reported).
 */
static bool
open_neighbour(struct cg_doc *doc, const char *name, bool *found)
{
	struct v8 *v8 = doc->arg;
	const size_t len = strlen(name);
	const char *slash = strrchr(v8->input, '/');
	const size_t before = slash ? (size_t)(slash + 1 - v8->input) : 0;
	struct cg_in *in;

	if (!cg_resize(doc->job, &v8->neighbour, before + len + 1))
		return false;
	memcpy(v8->neighbour.at, v8->input, before);
	memcpy(v8->neighbour.at + before, name, len + 1);
	return cg_open_companion(doc->job, v8->neighbour.at, &in) &&
	       take_source(doc, in, found);
}

/*
 * Reads the source with an absolute path. With option sources, looks only
 * below the option's directory. Otherwise looks below the working directory,
 * then for the base name next to the input. *found must be false before, and
 * says if the source exists. False: an error (reported).
 */
static bool
read_source(struct cg_doc *doc, const char *path, bool *found)
{
	const char *directory = cg_opt(doc->job, CG_SOURCES_OPTION);
	const char *name = strrchr(path, '/') + 1;
	char cwd[PATH_MAX];
	size_t len;

	if (directory)
		return open_below(doc, directory, path + 1, found);
	if (getcwd(cwd, sizeof(cwd))) {
		len = strlen(cwd);
		if (strncmp(path, cwd, len) == 0 && path[len] == '/' &&
		    !open_below(doc, cwd, path + len + 1, found))
			return false;
	}
	return *found || open_neighbour(doc, name, found);
}

/* ---- Lines -------------------------------------------------------------- */

/*
 * Returns the index of the first line that ends after the offset. Returns the
 * number of lines if there is none.
 */
static size_t
find_line(const struct v8 *v8, uint64_t offset)
{
	size_t low = 0, high = v8->line.n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (v8->line.at[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns the index of the first line without a count, from "line" on; the
 * number of lines if there is none. Shortens the links (line.next), as
 * union-find does, to avoid quadratic time.
 */
static uint32_t
skip_counted(struct v8 *v8, uint32_t line)
{
	uint32_t end = line, next;

	while (end < v8->line.n && v8->line.at[end].next != end)
		end = v8->line.at[end].next;
	while (line < v8->line.n && v8->line.at[line].next != line) {
		next = v8->line.at[line].next;
		v8->line.at[line].next = end;
		line = next;
	}
	return end;
}

static bool
add_line(struct cg_doc *doc, size_t nth, int64_t count)
{
	struct v8 *v8 = doc->arg;

	return coverage_json_add_line(doc, &v8->section,
	    &(struct coverage_json_line){
		.line = (uint32_t)nth + 1, .count = count });
}

/*
 * Adds all lines of the source. A line has the count of the last range that
 * contains it whole or, as in v8-to-istanbul, 1 if none does. False: an error
 * (reported).
 */
static bool
count_lines(struct cg_doc *doc)
{
	struct v8 *v8 = doc->arg;
	uint32_t line;

	for (size_t i = 0; i < v8->line.n; i++)
		v8->line.at[i].next = (uint32_t)i;
	/* In reverse, as the last range that contains a line counts. */
	for (size_t i = v8->range.n; i-- > 0;) {
		const struct range *range = &v8->range.at[i];

		line = (uint32_t)find_line(v8, range->start);
		if (line < v8->line.n && v8->line.at[line].start < range->start)
			line++;
		for (line = skip_counted(v8, line);
		     line < v8->line.n && v8->line.at[line].end <= range->end;
		     line = skip_counted(v8, line)) {
			if (!add_line(doc, line, range->count))
				return false;
			v8->line.at[line].next = line + 1;
		}
	}
	for (line = skip_counted(v8, 0); line < v8->line.n;
	     line = skip_counted(v8, line + 1)) {
		if (!add_line(doc, line, 1)) /* as v8-to-istanbul */
			return false;
	}
	return true;
}

/*
 * Returns the number (from 1) of the last line that begins at or before the
 * offset. Returns 1 if there is none. The source must have a line.
 */
static uint32_t
last_line(const struct v8 *v8, uint64_t offset)
{
	size_t line = find_line(v8, offset);

	if (line == v8->line.n ||
	    (line > 0 && v8->line.at[line].start > offset))
		line--;
	return (uint32_t)line + 1;
}

/*
 * Returns the column, from 1, of an offset in the line. Returns 1 also for an
 * offset before the line, such as the newline before it.
 */
static uint32_t
column_of(const struct line *line, uint64_t offset)
{
	return offset > line->start ? (uint32_t)(offset - line->start) + 1 : 1;
}

/*
 * Adds a range of V8 to the file's data. It becomes a branch of group "block"
 * if its function was counted by blocks. The first range of a named function
 * also adds the function. Skips ranges behind the end of the source. False: an
 * error (reported).
 */
static bool
add_range(struct cg_doc *doc, const struct range *range, uint32_t block)
{
	struct v8 *v8 = doc->arg;
	const size_t nth = find_line(v8, range->start);
	const uint32_t line = (uint32_t)nth + 1;
	uint32_t last;
	struct coverage_json_branch branch = { .row = { .pos.line = line,
						   .kind = CG_BRANCH_ARC,
						   .block = block,
						   .count = range->count } };

	if (nth == v8->line.n)
		return true;
	if (range->count > 0)
		branch.row.flags = CG_BRANCH_REACHED;
	if (range->blocks &&
	    !coverage_json_add_branch(doc, &v8->section, &branch))
		return false;
	if (!range->first || v8->fn.at[range->fn] == 0)
		return true;
	last = last_line(v8, range->end > 0 ? range->end - 1 : 0);
	return coverage_json_add_fn(doc, &v8->section,
	    &(struct coverage_json_fn){ .name = v8->fn.at[range->fn],
		.first = line,
		.last = last < line ? line : last,
		.column = column_of(&v8->line.at[nth], range->start),
		.count = (uint64_t)range->count,
		.counted = true });
}

/*
 * Adds a range of V8, with lines and columns, to the file's regions. Skips
 * ranges without text, and those behind the end of the source. False: out of
 * memory (reported).
 */
static bool
add_region(struct cg_doc *doc, const struct range *range)
{
	struct v8 *v8 = doc->arg;
	const size_t nth = find_line(v8, range->start);
	const struct line *last;
	uint32_t number;

	if (nth == v8->line.n || range->end == range->start)
		return true;
	number = last_line(v8, range->end - 1);
	if (number <= nth) /* only the end of a line */
		return true;
	last = &v8->line.at[number - 1];
	return cg_append(doc->job, &v8->section.region,
	    (struct cg_region){ .line = (uint32_t)nth + 1,
		.column = column_of(&v8->line.at[nth], range->start),
		.last = number,
		.last_column = column_of(
		    last, range->end < last->end ? range->end : last->end),
		.flags = CG_REGION_UTF16,
		.count = range->count });
}

static bool
end_script(struct cg_doc *doc, struct cg_slice path)
{
	struct v8 *v8 = doc->arg;
	const bool regions = cg_wants_rows(doc->build, CG_REGIONS);

	if (v8->line.n == 0)
		return true;
	for (size_t i = 0; i < v8->range.n; i++) {
		if (!add_range(doc, &v8->range.at[i], (uint32_t)i) ||
		    (regions && !add_region(doc, &v8->range.at[i])))
			return false;
	}
	return count_lines(doc) &&
	       coverage_json_end_section(doc, &v8->section, path);
}

/* ---- The document ------------------------------------------------------- */

struct fields {
	cg_name name, url;
	uint64_t start, end;
	int64_t count;
};

static bool
take_range(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "startOffset", CG_FIELD_COUNT, offsetof(struct fields, start),
		    NULL, 0 },
		{ "endOffset", CG_FIELD_COUNT, offsetof(struct fields, end),
		    NULL, 0 },
		{ "count", CG_FIELD_INT, offsetof(struct fields, count), NULL,
		    0 },
		{ 0 },
	};
	struct v8 *v8 = doc->arg;
	struct fields f = { 0 };
	struct range *range;

	(void)into;
	if (!cg_doc_fields(doc, fields, &f))
		return false;
	if (f.end < f.start || f.count < 0 || f.end >= UINT32_MAX ||
	    v8->range.n >= UINT32_MAX)
		return cg_doc_fail(doc, "a range with offsets and a count");
	range = cg_push(doc->job, &v8->range);
	if (!range)
		return false;
	*range = (struct range){ f.start, f.end, f.count, (uint32_t)v8->fn.n,
		v8->first, false };
	v8->first = false;
	return true;
}

static bool
take_blocks(struct cg_doc *doc, void *into)
{
	struct v8 *v8 = doc->arg;

	(void)into;
	v8->blocks = cg_doc_next(doc) == CG_JSON_TRUE;
	return cg_doc_skip(doc);
}

static bool
take_function(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "functionName", CG_FIELD_NAME, offsetof(struct fields, name),
		    NULL, 0 },
		{ "ranges", CG_FIELD_EACH, 0, take_range, 0 },
		{ "isBlockCoverage", CG_FIELD_CALL, 0, take_blocks, 0 },
		{ 0 },
	};
	struct v8 *v8 = doc->arg;
	const size_t begin = v8->range.n;
	struct fields f = { 0 };

	(void)into;
	v8->first = true;
	v8->blocks = false;
	if (!cg_doc_fields(doc, fields, &f))
		return false;
	for (size_t i = begin; i < v8->range.n; i++)
		v8->range.at[i].blocks = v8->blocks;
	return cg_append(doc->job, &v8->fn, f.name);
}

/*
 * True if no component of an absolute path is empty, "." or "..". Then the
 * path, appended to a directory, stays below it.
 */
static bool
stays_below(const char *path)
{
	size_t len;

	do {
		len = strcspn(++path, "/");
		if (len == 0 || (len <= 2 && strncmp(path, "..", len) == 0))
			return false;
		path += len;
	} while (*path == '/');
	return true;
}

/*
 * Sets v8->path to the decoded path of a URL such as "file:///a%20b.js", and
 * *found to true. *found is false for another URL, a NUL, or a component "",
 * "." or "..". node writes no such paths. False: out of memory (reported).
 */
static bool
set_path(struct cg_doc *doc, struct cg_slice url, bool *found)
{
	struct v8 *v8 = doc->arg;
	size_t n = 0;

	*found = false;
	if (!cg_take_prefix(&url, "file://") || !cg_starts(url, "/"))
		return true;
	if (!cg_resize(doc->job, &v8->path, url.len + 1))
		return false;
	for (size_t i = 0; i < url.len; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *one, *two;

		if (url.ptr[i] == '%' && i + 2 < url.len) {
			one = strchr(digits, url.ptr[i + 1] | 0x20);
			two = strchr(digits, url.ptr[i + 2] | 0x20);
			if (one && two && (one > digits || two > digits)) {
				v8->path.at[n++] = (char)((one - digits) << 4 |
							  (two - digits));
				i += 2;
				continue;
			}
		}
		if (url.ptr[i] == '\0')
			return true;
		v8->path.at[n++] = url.ptr[i];
	}
	v8->path.at[n] = '\0';
	v8->path.n = n;
	*found = stays_below(v8->path.at);
	return true;
}

static bool
take_script(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "url", CG_FIELD_NAME, offsetof(struct fields, url), NULL, 0 },
		{ "functions", CG_FIELD_EACH, 0, take_function, 0 },
		{ 0 },
	};
	struct v8 *v8 = doc->arg;
	const uint64_t mapped = v8->mapped;
	struct fields f = { 0 };
	bool found;

	(void)into;
	v8->range.n = v8->fn.n = v8->line.n = 0;
	if (!cg_doc_fields(doc, fields, &f) ||
	    !set_path(doc, cg_get_name(doc->build, f.url), &found))
		return false;
	if (!found) {
		v8->other++;
		return true;
	}
	found = false;
	if (!read_source(doc, v8->path.at, &found))
		return false;
	if (!found) {
		v8->missing++;
		cg_warn(doc->job,
		    "skipped %s: its source was not found; name the "
		    "directory of the sources with {sources} (/: use its "
		    "absolute path)",
		    v8->path.at);
		return true;
	}
	v8->read++;
	v8->mapped = mapped + (v8->mapped > mapped);
	return end_script(doc, (struct cg_slice){ v8->path.at, v8->path.n });
}

static int
read_v8(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_field fields[] = {
		{ "result", CG_FIELD_EACH, 0, take_script, 0 },
		{ 0 },
	};
	struct v8 v8 = { .in = in, .input = cg_in_name(in) };
	struct cg_doc doc;
	int status;

	cg_doc_open(&doc, job, in, build, &v8);
	if (coverage_json_add_event(build))
		(void)cg_doc_fields(&doc, fields, &v8);
	status = cg_doc_close(&doc);
	if (status != CG_OK)
		return status;
	if (v8.other > 0)
		cg_note(job, "dropped %" PRIu64 " script%s without a file",
		    v8.other, v8.other == 1 ? "" : "s");
	if (v8.mapped > 0)
		cg_warn(job,
		    "%" PRIu64 " script%s made from other sources: lines are "
		    "those of the script, as source maps are not followed",
		    v8.mapped, v8.mapped == 1 ? " was" : "s were");
	if (v8.read == 0 && v8.missing > 0)
		return cg_fail(job, "expected a script whose source is known");
	return CG_OK;
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "result.scriptId", NULL };

	return cg_head_keys(head, keys) ? CG_PROBE_SURE : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	{ .name = CG_SOURCES_OPTION,
	    .type = CG_STRING,
	    .arg = "DIR",
	    .help = "directory of the sources (/: use their absolute paths)",
	    .reading = true },
	{ 0 },
};

const struct cg_module cg_format_v8 = {
	CG_MODULE,
	.name = "v8",
	.title = "coverage of JavaScript: node's NODE_V8_COVERAGE",
	.text = true,
	.suffixes = "v8.json",
	.options = options,
	.probe = probe,
	.read = read_v8,
};
