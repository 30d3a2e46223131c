/*
 * jsonl.c - sums by line, as JSON Lines: an object on each line, whose type is
 *
 *	meta       run_id, sample_interval_usec, mode
 *	str_def    defs: strings by str_id
 *	frame_def  defs: functions and lines by frame_id
 *	agg        entries: samples of frames, self and cumulative
 *	end        samples_total
 *
 * A frame is a line of a function. Its cumulative number counts a sample once,
 * so the sum over the lines of a recursive function may count it repeatedly.
 */
#include "tachyon.h"

#define JSONL_VERSION 1

struct line {
	uint64_t path, name; /* str_id */
	uint64_t number;
	uint64_t self, cumulative;
	bool summed; /* self and cumulative are set */
};

struct run {
	struct cg_map string_ids; /* str_id -> index + 1 */
	CG_ARRAY(cg_name) string;
	struct cg_map line_ids; /* frame_id -> index + 1 */
	CG_ARRAY(struct line) line;
	struct cg_map lines; /* function -> its number of lines */
	uint64_t several;    /* functions of more than one line */
	uint64_t others;     /* lines of unknown types */
};

/* An object of defs: a string or a frame. */
struct def {
	uint64_t str_id, frame_id; /* from 1 */
	cg_name value;
	struct line line;
};

struct entry {
	uint64_t frame_id, self, cumulative;
};

/* A line of the input. */
struct record {
	cg_name type, mode;
	uint64_t version, interval, total;
};

/* ---- Tables -------------------------------------------------------------- */

static bool
add_id(struct cg_doc *doc, struct cg_map *map, uint64_t id, size_t n)
{
	uint32_t *at = cg_map_in(doc->job, map, id);

	if (!at)
		return false;
	if (*at != 0)
		return cg_doc_fail(doc, "an id that is defined only once");
	*at = (uint32_t)n;
	return true;
}

#define DEF(member) \
	.type = CG_FIELD_COUNT, .offset = offsetof(struct def, member)
static const struct cg_field def_fields[] = {
	{ .name = "str_id", DEF(str_id) },
	{ .name = "value",
	    .type = CG_FIELD_NAME,
	    .offset = offsetof(struct def, value) },
	{ .name = "frame_id", DEF(frame_id) },
	{ .name = "path_str_id", DEF(line.path) },
	{ .name = "func_str_id", DEF(line.name) },
	{ .name = "line", DEF(line.number) },
	{ 0 },
};

static bool
take_def(struct cg_doc *doc, void *into)
{
	struct run *run = doc->arg;
	struct def def = { 0 };

	(void)into;
	if (!cg_doc_fields(doc, def_fields, &def))
		return false;
	if (def.str_id != 0)
		return cg_append(doc->job, &run->string, def.value) &&
		       add_id(doc, &run->string_ids, def.str_id, run->string.n);
	if (def.frame_id == 0)
		return cg_doc_fail(doc, "a str_id or a frame_id from 1 on");
	if (def.line.number > UINT32_MAX)
		return cg_doc_fail(doc, "a line number");
	return cg_append(doc->job, &run->line, def.line) &&
	       add_id(doc, &run->line_ids, def.frame_id, run->line.n);
}

#define ENTRY(member) \
	.type = CG_FIELD_COUNT, .offset = offsetof(struct entry, member)
static const struct cg_field entry_fields[] = {
	{ .name = "frame_id", ENTRY(frame_id) },
	{ .name = "self", ENTRY(self) },
	{ .name = "cumulative", ENTRY(cumulative) },
	{ 0 },
};

static bool
take_entry(struct cg_doc *doc, void *into)
{
	struct run *run = doc->arg;
	struct entry entry = { 0 };
	struct line *line;
	uint32_t index;

	(void)into;
	if (!cg_doc_fields(doc, entry_fields, &entry))
		return false;
	index = cg_map_get(&run->line_ids, entry.frame_id);
	if (index == 0)
		return cg_doc_fail(doc, "a frame_id that is defined before");
	line = &run->line.at[index - 1];
	if (line->summed)
		return cg_doc_fail(doc, "one entry for each frame");
	line->summed = true;
	line->self = entry.self;
	line->cumulative = entry.cumulative;
	return true;
}

/* ---- Into the graph ------------------------------------------------------ */

static bool
find_string(struct cg_doc *doc, uint64_t id, cg_name *name)
{
	const struct run *run = doc->arg;
	uint32_t index = cg_map_get(&run->string_ids, id);

	if (index == 0)
		return cg_doc_fail(doc, "definitions of all strings of frames");
	*name = run->string.at[index - 1];
	return true;
}

static bool
add_line(struct cg_doc *doc, const struct line *line)
{
	struct run *run = doc->arg;
	struct cg_build *build = doc->build;
	struct cg_pos pos = { .line = (uint32_t)line->number };
	cg_name path = 0, name = 0;
	uint32_t *lines;
	cg_fn fn;

	if (!find_string(doc, line->path, &path) ||
	    !find_string(doc, line->name, &name))
		return false;
	pos.file = tachyon_add_file(build, path);
	fn = cg_add_fn_named(build, name, pos.file, 0);
	if (line->self > 0)
		cg_add_cost(build, fn, &pos, cg_columns_of(build, &line->self),
		    cg_columns_width(build));
	if (line->cumulative > 0)
		cg_add_inclusive(build, fn,
		    cg_columns_of(build, &line->cumulative),
		    cg_columns_width(build));
	lines = cg_map_in(doc->job, &run->lines, fn);
	if (!lines)
		return false;
	if (line->cumulative > 0 && ++*lines == 2)
		run->several++;
	return cg_build_status(build) == CG_OK;
}

/*
 * Ends the recording: adds its lines to the graph, compares their sum with the
 * total that the file states, and reports what was dropped. False: an error
 * (reported).
 */
static bool
end_run(struct cg_doc *doc, uint64_t total)
{
	struct run *run = doc->arg;

	for (size_t i = 0; i < run->line.n; i++)
		if (!add_line(doc, &run->line.at[i]))
			return false;
	cg_state_total(doc->build, doc->json.at,
	    cg_columns_of(doc->build, &total), cg_columns_width(doc->build),
	    false);
	if (run->others > 0)
		cg_warn(doc->job, "lines of unknown types are dropped: %llu",
		    (unsigned long long)run->others);
	if (run->several > 0)
		cg_note(doc->job,
		    "inclusive samples of %llu functions are sums of their "
		    "lines, which count recursion more than once",
		    (unsigned long long)run->several);
	return true;
}

/* ---- Lines of the input -------------------------------------------------- */

#define RECORD(kind, member) \
	.type = (kind), .offset = offsetof(struct record, member)
static const struct cg_field record_fields[] = {
	{ .name = "type", RECORD(CG_FIELD_NAME, type) },
	{ .name = "v", RECORD(CG_FIELD_COUNT, version) },
	{ .name = "sample_interval_usec", RECORD(CG_FIELD_COUNT, interval) },
	{ .name = "mode", RECORD(CG_FIELD_NAME, mode) },
	{ .name = "defs", .type = CG_FIELD_EACH, .take = take_def },
	{ .name = "entries", .type = CG_FIELD_EACH, .take = take_entry },
	{ .name = "samples_total", RECORD(CG_FIELD_COUNT, total) },
	{ 0 },
};

/*
 * Reads a line, an object with a type. The first line, and no other, must be
 * of type meta; it adds the events. *ended: the line is of type end, and ends
 * the recording. False: an error (reported).
 */
static bool
take_record(struct cg_doc *doc, bool first, bool *ended)
{
	struct run *run = doc->arg;
	struct record record = { 0 };
	struct cg_slice type;

	if (!cg_doc_fields(doc, record_fields, &record))
		return false;
	type = cg_get_name(doc->build, record.type);
	if (record.version != JSONL_VERSION) {
		(void)cg_reject_at(doc->job, doc->json.at,
		    "expected version (v) %u, not %llu", JSONL_VERSION,
		    (unsigned long long)record.version);
		return false;
	}
	if (cg_equal(type, "meta") != first)
		return cg_doc_fail(doc,
		    first ? "a line of type meta" : "one line of type meta");
	if (first) {
		tachyon_add_events(doc->build, record.interval);
		tachyon_add_mode(
		    doc->build, cg_get_name(doc->build, record.mode));
	}
	run->others += !first && !cg_equal(type, "str_def") &&
		       !cg_equal(type, "frame_def") && !cg_equal(type, "agg") &&
		       !cg_equal(type, "end");
	*ended = cg_equal(type, "end");
	return !*ended || end_run(doc, record.total);
}

int
tachyon_read_jsonl(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct run run = { 0 };
	struct cg_doc doc;
	bool ended = false;

	cg_doc_open(&doc, job, in, build, &run);
	if (take_record(&doc, true, &ended))
		while (!ended && cg_json_another(&doc.json) &&
		       take_record(&doc, false, &ended))
			continue;
	if (!ended && doc.status == CG_OK && cg_rejected(job) == CG_OK)
		(void)cg_doc_fail(
		    &doc, "a line of type end; the file is truncated");
	return cg_doc_close(&doc);
}
