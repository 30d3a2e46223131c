/*
 * write.c - writes a profile.proto. Fields are in the order of their numbers,
 * texts are sorted, ids count from 1 in the order of first use, so equal
 * graphs make equal files.
 *
 * Source: pprof.h, and the files that go1.19's pprof accepts.
 */
#include "pprof.h"

/* ---- Fields of the profile ---------------------------------------------- */

static void
write_message(
    struct proto_writer *w, unsigned field, const struct proto_bytes *buf)
{
	proto_write_bytes(w, field, (struct cg_slice){ buf->at, buf->n });
}

static void
write_number(struct proto_writer *w, unsigned field, uint64_t value)
{
	char *to;

	if (value == 0)
		return;
	to = cg_out_reserve(w->out, 2 * VARINT_MAX);
	to = proto_format_varint(to, field << 3 | WIRE_VARINT);
	cg_out_advance(w->out, proto_format_varint(to, value));
}

/* ---- Descriptions ------------------------------------------------------- */

/*
 * Returns the default sample type to write: the one that a description names,
 * else the main event, as readers otherwise take the last type. "": fewer than
 * two events, and no such description.
 */
static struct cg_slice
default_type(const struct proto_writer *w)
{
	struct cg_slice text = proto_first_desc(w, CG_MAIN_EVENT_KEY);

	if (text.len > 0 || cg_event_count(w->graph) < 2)
		return text;
	return cg_slice(cg_get_event(w->graph, cg_main_event(w->graph))->name);
}

/* ---- Collecting texts --------------------------------------------------- */

static void
add_label_strings(struct proto_writer *w)
{
	struct cg_label label;

	for (cg_labels set = 1; set <= cg_labels_count(w->graph); set++)
		for (size_t i = 0; cg_get_label(w->graph, set, i, &label);
		     i++) {
			proto_add_string(w, label.key);
			proto_add_string(w, label.value);
			proto_add_string(w, label.unit);
		}
}

static void
add_strings(struct proto_writer *w, const struct pprof_texts *comments)
{
	const struct cg_slice *comment = comments->at;
	const struct proto_out_mapping *mapping = w->mappings.at;
	struct proto_period period = proto_get_period(w);

	proto_add_table_strings(w);
	for (size_t i = 0; i < w->mappings.n; i++)
		proto_add_string(w, mapping[i].build_id);
	for (const struct pprof_text_key *key = pprof_text_keys; key->name;
	     key++)
		proto_add_string(w, proto_first_desc(w, key->name));
	proto_add_string(w, default_type(w));
	proto_add_string(w, period.type);
	proto_add_string(w, period.unit);
	for (size_t i = 0; i < comments->n; i++)
		proto_add_string(w, comment[i]);
	add_label_strings(w);
	proto_sort_strings(w);
}

/* ---- Samples ------------------------------------------------------------ */

/*
 * Formats the fields of all sets of labels into w->sets. Many samples share a
 * set, so formatting each set once saves time. Sets w->set_end[set] to the
 * offset in w->sets at which the set ends. The number of a set is 1 or more.
 * If memory runs out, the job fails.
 */
static void
list_labels(struct proto_writer *w)
{
	size_t count = cg_labels_count(w->graph);
	struct proto_bytes *buf = &w->buf[0];
	struct cg_label label;

	w->set_end = cg_alloc(w->job, (count + 1) * sizeof(*w->set_end));
	for (cg_labels set = 1; cg_rejected(w->job) == CG_OK && set <= count;
	     set++) {
		for (size_t i = 0; cg_get_label(w->graph, set, i, &label);
		     i++) {
			buf->n = 0;
			proto_put_text(w, buf, LABEL_KEY, label.key);
			proto_put_text(w, buf, LABEL_STR, label.value);
			proto_put_number(
			    w, buf, LABEL_NUM, (uint64_t)label.number);
			proto_put_text(w, buf, LABEL_NUM_UNIT, label.unit);
			proto_put_bytes(w, &w->sets, SAMPLE_LABEL, buf);
		}
		w->set_end[set] = w->sets.n;
	}
}

static void
put_labels(struct proto_writer *w, struct proto_bytes *sample, cg_labels set)
{
	size_t begin;

	if (set == 0)
		return;
	begin = w->set_end[set - 1];
	proto_put_slice(w, sample,
	    (struct cg_slice){
		(const char *)w->sets.at + begin, w->set_end[set] - begin });
}

static void
write_sample(struct proto_writer *w, uint32_t row)
{
	const struct proto_out_row *rows = w->rows.at;
	struct proto_bytes *sample = &w->buf[0], *list = &w->buf[1];
	size_t events = cg_event_count(w->graph);
	const uint64_t *cost = &w->cost[row * events];

	sample->n = list->n = 0;
	proto_put_stack(w, list, rows[row].node);
	proto_put_bytes(w, sample, SAMPLE_LOCATION, list);
	list->n = 0;
	for (size_t i = 0; i < events; i++)
		proto_put_varint(w, list, cost[i]);
	proto_put_bytes(w, sample, SAMPLE_VALUE, list);
	put_labels(w, sample, rows[row].labels);
	write_message(w, PPROF_SAMPLE, sample);
}

/* ---- Tables ------------------------------------------------------------- */

static void
write_type(struct proto_writer *w, unsigned field, struct cg_slice type,
    struct cg_slice unit)
{
	struct proto_bytes *buf = &w->buf[0];

	buf->n = 0;
	proto_put_text(w, buf, VALUE_TYPE, type);
	proto_put_text(w, buf, VALUE_UNIT, unit);
	write_message(w, field, buf);
}

static void
write_mapping(struct proto_writer *w, size_t i)
{
	const struct proto_out_mapping *mapping = &w->mappings.at[i];
	bool named = mapping->used && !mapping->nameless;
	const uint64_t value[MAPPING_FIELDS] = {
		[MAPPING_ID] = i + 1,
		[MAPPING_START] = mapping->start,
		[MAPPING_LIMIT] = mapping->limit,
		[MAPPING_OFFSET] = mapping->offset,
		[MAPPING_FILENAME] = proto_find_string(w, mapping->path),
		[MAPPING_BUILD_ID] = proto_find_string(w, mapping->build_id),
		[MAPPING_HAS_FUNCTIONS] = named,
		[MAPPING_HAS_FILENAMES] = named && mapping->files,
		[MAPPING_HAS_LINES] = named && mapping->lines,
		[MAPPING_HAS_INLINES] = named && mapping->lines,
	};

	w->buf[0].n = 0;
	for (unsigned field = 1; field < MAPPING_FIELDS; field++)
		proto_put_number(w, &w->buf[0], field, value[field]);
	write_message(w, PPROF_MAPPING, &w->buf[0]);
}

/* ---- The file ----------------------------------------------------------- */

static void
write_text(struct proto_writer *w, enum pprof_profile field)
{
	const struct pprof_text_key *key = pprof_text_keys;

	while (key->field != field)
		key++;
	write_number(
	    w, field, proto_find_string(w, proto_first_desc(w, key->name)));
}

static void
write_tables(struct proto_writer *w)
{
	const struct cg_slice *string = w->strings.at;
	struct proto_bytes *buf = &w->buf[0];

	for (size_t i = 0; i < w->mappings.n; i++)
		write_mapping(w, i);
	for (size_t i = 0; i < w->locations.n; i++) {
		buf->n = 0;
		proto_put_location(w, buf, i, true);
		write_message(w, PPROF_LOCATION, buf);
	}
	for (size_t i = 0; i < w->functions.n; i++) {
		buf->n = 0;
		proto_put_function(w, buf, i, true);
		write_message(w, PPROF_FUNCTION, buf);
	}
	proto_write_bytes(w, PPROF_STRING, (struct cg_slice){ "", 0 });
	for (size_t i = 0; i < w->strings.n; i++)
		proto_write_bytes(w, PPROF_STRING, string[i]);
}

static void
write_rest(struct proto_writer *w, const struct pprof_texts *comments)
{
	const struct cg_slice *comment = comments->at;
	struct proto_period period = proto_get_period(w);
	struct proto_times times = proto_get_times(w);

	write_text(w, PPROF_DROP_FRAMES);
	write_text(w, PPROF_KEEP_FRAMES);
	write_number(w, PPROF_TIME_NANOS, times.begin);
	write_number(w, PPROF_DURATION_NANOS, times.duration);
	if (period.number != 0 || period.type.len > 0)
		write_type(w, PPROF_PERIOD_TYPE, period.type, period.unit);
	write_number(w, PPROF_PERIOD, (uint64_t)period.number);
	for (size_t i = 0; i < comments->n; i++)
		write_number(
		    w, PPROF_COMMENT, proto_find_string(w, comment[i]));
	write_number(
	    w, PPROF_DEFAULT_TYPE, proto_find_string(w, default_type(w)));
	write_text(w, PPROF_DOC_URL);
}

int
pprof_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct proto_writer w = { .job = job, .graph = graph, .out = out };
	struct pprof_texts comments = { 0 };
	const struct cg_event *event;

	if (proto_list_frames(&w) && proto_order(&w) &&
	    pprof_list_comments(&w, &comments))
		add_strings(&w, &comments);
	if (cg_rejected(job) == CG_OK)
		list_labels(&w);
	for (size_t i = 0;
	     cg_rejected(job) == CG_OK && i < cg_event_count(graph); i++) {
		event = cg_get_event(graph, i);
		write_type(&w, PPROF_SAMPLE_TYPE, cg_slice(event->name),
		    cg_slice(proto_unit_out(event->unit)));
	}
	for (size_t i = 0; cg_rejected(job) == CG_OK && i < w.rows.n; i++)
		write_sample(&w, w.order[i]);
	if (cg_rejected(job) == CG_OK) {
		write_tables(&w);
		write_rest(&w, &comments);
	}
	proto_end_writer(&w);
	return cg_out_status(out);
}
