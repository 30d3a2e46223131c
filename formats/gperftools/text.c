/*
 * text.c - the lines of a profile: samples, which each kind reads differently,
 * comments between samples, and mappings at the end.
 */
#include "gperftools.h"

bool
gperf_take_number(struct cg_slice *text, uint64_t *value, char end)
{
	(void)cg_take_blanks(text);
	if (!cg_take_u64(text, value))
		return false;
	(void)cg_take_blanks(text);
	return end == ' ' || cg_take_char(text, end);
}

static bool
begins_mappings(struct cg_slice line)
{
	return cg_find(line, "MAPPED_LIBRARIES:") ||
	       cg_find(line, "--- Memory map: ---");
}

/*
 * Reads the labels of a sample, {"worker":"one", "id":"7"}, as quoted by Go,
 * into a group: samples with the same labels. Labels that are too long are
 * skipped. Labels after malformed text are ignored. False: an error
 * (reported).
 */
static bool
take_labels(struct gperf_reader *r, struct cg_slice text)
{
	struct gperf_group *group = gperf_set_group(r);
	char key[256], value[4096];
	struct cg_slice name = { "", 0 };
	struct cg_json json;
	bool named = false;

	if (!group)
		return false;
	cg_json_start(&json, text);
	for (;;) {
		enum cg_json_type type = cg_json_next(&json);

		if (type == CG_JSON_END || type == CG_JSON_BAD)
			break;
		if (type == CG_JSON_KEY) {
			named = json.text.len <= sizeof(key);
			if (named)
				name = cg_json_string(&json, key);
		} else if (type == CG_JSON_STRING && named &&
			   json.text.len <= sizeof(value) &&
			   !gperf_add_label(
			       r, group, name, cg_json_string(&json, value)))
			return false;
	}
	return true;
}

static bool
take_line(struct gperf_reader *r, struct cg_slice line, gperf_take_line *take)
{
	static const char labels[] = "# labels: ";

	if (begins_mappings(line)) {
		r->in_maps = true;
		return true;
	}
	if (r->in_maps)
		return gperf_add_mapping(r, line);
	if (r->held && cg_take_prefix(&line, labels))
		return take_labels(r, line);
	if (line.len > 0 && *line.ptr == '#')
		return gperf_take_comment(r, line);
	return line.len == 0 || take(r, line);
}

/*
 * Warns if the sums of the samples are less than those that the header states,
 * as the file may be truncated.
 */
static void
check_sums(struct gperf_reader *r)
{
	for (size_t i = 0; i < 4; i++) {
		if (r->sum[i] >= r->stated[i])
			continue;
		cg_warn(r->job,
		    "the first line states a total of %llu, the "
		    "samples have %llu: the file may be truncated",
		    (unsigned long long)r->stated[i],
		    (unsigned long long)r->sum[i]);
		return;
	}
}

/*
 * Sets r->open to whether this line's stack may go on in the next line. An
 * empty line ends it, as in Go's texts. At the file's end, r->open means a
 * truncated file.
 */
static void
note_end(struct gperf_reader *r, struct cg_slice line)
{
	bool comment = cg_starts(line, "#\t");

	r->commented |= comment;
	r->open = comment || (line.len > 0 && *line.ptr != '#');
}

static void
check_end(struct gperf_reader *r)
{
	if (r->in_maps)
		return;
	check_sums(r);
	if (r->needs_maps)
		cg_warn(r->job, "expected MAPPED_LIBRARIES: at the end: the "
				"file may be truncated");
	if (r->commented && r->open)
		cg_warn(r->job, "expected an empty line after the last stack: "
				"the file may be truncated");
}

bool
gperf_read_text(struct gperf_reader *r, gperf_take_line *take)
{
	struct cg_slice line;

	while (cg_read_line(r->in, &line)) {
		cg_cut_return(&line);
		note_end(r, line);
		if (!take_line(r, cg_trim(line), take))
			return false;
	}
	if (cg_in_status(r->in) != CG_OK || !gperf_end_sample(r) ||
	    (r->end && !r->end(r)))
		return false;
	check_end(r);
	return gperf_end_mappings(r) && gperf_add_graph(r);
}
