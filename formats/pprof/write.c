/*
 * write.c - writes a profile.proto. Fields are in the order of their numbers,
 * texts sorted, ids from 1 in the order of first use, so that equal graphs
 * make equal files.
 *
 * Source: pprof.h, and what go1.19's pprof accepts.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

/* ---- Fields of the profile ---------------------------------------------- */

static void
write_bytes(struct pprof_writer *w, unsigned field, struct cg_slice bytes)
{
	char *to = cg_out_reserve(w->out, 2 * VARINT_MAX);

	to = pprof_format_varint(to, field << 3 | WIRE_BYTES);
	cg_out_advance(w->out, pprof_format_varint(to, bytes.len));
	cg_put(w->out, bytes);
}

static void
write_message(
    struct pprof_writer *w, unsigned field, const struct pprof_table *buf)
{
	write_bytes(w, field, (struct cg_slice){ buf->at, buf->count });
}

static void
write_number(struct pprof_writer *w, unsigned field, uint64_t value)
{
	char *to;

	if (value == 0)
		return;
	to = cg_out_reserve(w->out, 2 * VARINT_MAX);
	to = pprof_format_varint(to, field << 3 | WIRE_VARINT);
	cg_out_advance(w->out, pprof_format_varint(to, value));
}

/* ---- Descriptions ------------------------------------------------------- */

/*
 * The main event, because readers take the last sample type otherwise; of one
 * event only what is described.
 */
static struct cg_slice
default_type(const struct pprof_writer *w)
{
	struct cg_slice text = pprof_first_desc(w, CG_MAIN_EVENT_KEY);

	if (text.len > 0 || cg_event_count(w->graph) < 2)
		return text;
	return cg_slice(cg_get_event(w->graph, cg_main_event(w->graph))->name);
}

/* ---- Collecting texts --------------------------------------------------- */

static void
add_label_strings(struct pprof_writer *w)
{
	struct cg_label label;

	for (cg_labels set = 1; set <= cg_labels_count(w->graph); set++)
		for (size_t i = 0; cg_get_label(w->graph, set, i, &label);
		     i++) {
			pprof_add_string(w, label.key);
			pprof_add_string(w, label.value);
			pprof_add_string(w, label.unit);
		}
}

static void
add_strings(struct pprof_writer *w)
{
	const struct pprof_out_mapping *mapping = w->mappings.at;
	struct pprof_period period = pprof_get_period(w);

	pprof_add_table_strings(w);
	for (size_t i = 0; i < w->mappings.count; i++)
		pprof_add_string(w, mapping[i].build_id);
	for (const struct pprof_text_key *key = pprof_text_keys; key->name;
	     key++)
		pprof_add_string(w, pprof_first_desc(w, key->name));
	pprof_add_string(w, default_type(w));
	pprof_add_string(w, period.type);
	pprof_add_string(w, period.unit);
	for (size_t i = 0; i < w->comments.count; i++)
		pprof_add_string(w, pprof_out_comment(w, i));
	add_label_strings(w);
	pprof_sort_strings(w);
}

/* ---- Samples ------------------------------------------------------------ */

/* Caches the fields of a set of labels: many samples share one. */
static void
list_labels(struct pprof_writer *w)
{
	size_t count = cg_labels_count(w->graph);
	struct pprof_table *buf = &w->buf[0];
	struct cg_label label;

	w->labels_end = calloc(count + 1, sizeof(*w->labels_end));
	if (!w->labels_end) {
		(void)cg_reject_nomem(w->job);
		return;
	}
	for (cg_labels set = 1; cg_rejected(w->job) == CG_OK && set <= count;
	     set++) {
		for (size_t i = 0; cg_get_label(w->graph, set, i, &label);
		     i++) {
			buf->count = 0;
			pprof_put_number(
			    w, buf, LABEL_KEY, pprof_find_string(w, label.key));
			pprof_put_number(w, buf, LABEL_STR,
			    pprof_find_string(w, label.value));
			pprof_put_number(
			    w, buf, LABEL_NUM, (uint64_t)label.number);
			pprof_put_number(w, buf, LABEL_NUM_UNIT,
			    pprof_find_string(w, label.unit));
			pprof_put_bytes(w, &w->labels, SAMPLE_LABEL, buf);
		}
		w->labels_end[set] = w->labels.count;
	}
}

static void
put_labels(struct pprof_writer *w, struct pprof_table *sample, cg_labels set)
{
	size_t begin;

	if (set == 0)
		return;
	begin = w->labels_end[set - 1];
	pprof_put_slice(w, sample,
	    (struct cg_slice){ (const char *)w->labels.at + begin,
		w->labels_end[set] - begin });
}

static void
write_sample(struct pprof_writer *w, uint32_t row)
{
	const struct pprof_out_row *rows = w->rows.at;
	struct pprof_table *sample = &w->buf[0], *list = &w->buf[1];
	size_t events = cg_event_count(w->graph);
	const uint64_t *cost = &w->cost[row * events];

	sample->count = list->count = 0;
	pprof_put_stack(w, list, rows[row].node);
	pprof_put_bytes(w, sample, SAMPLE_LOCATION, list);
	list->count = 0;
	for (size_t i = 0; i < events; i++)
		pprof_put_varint(w, list, cost[i]);
	pprof_put_bytes(w, sample, SAMPLE_VALUE, list);
	put_labels(w, sample, rows[row].labels);
	write_message(w, PPROF_SAMPLE, sample);
}

/* ---- Tables ------------------------------------------------------------- */

static void
write_type(struct pprof_writer *w, unsigned field, struct cg_slice type,
    struct cg_slice unit)
{
	struct pprof_table *buf = &w->buf[0];

	buf->count = 0;
	pprof_put_number(w, buf, VALUE_TYPE, pprof_find_string(w, type));
	pprof_put_number(w, buf, VALUE_UNIT, pprof_find_string(w, unit));
	write_message(w, field, buf);
}

static void
write_mapping(struct pprof_writer *w, size_t i)
{
	const struct pprof_out_mapping *mapping =
	    (const struct pprof_out_mapping *)w->mappings.at + i;
	bool named = mapping->used && !mapping->nameless;
	const uint64_t value[MAPPING_FIELDS] = {
		[MAPPING_ID] = i + 1,
		[MAPPING_START] = mapping->start,
		[MAPPING_LIMIT] = mapping->limit,
		[MAPPING_OFFSET] = mapping->offset,
		[MAPPING_FILENAME] = pprof_find_string(w, mapping->path),
		[MAPPING_BUILD_ID] = pprof_find_string(w, mapping->build_id),
		[MAPPING_HAS_FUNCTIONS] = named,
		[MAPPING_HAS_FILENAMES] = named && mapping->files,
		[MAPPING_HAS_LINES] = named && mapping->lines,
		[MAPPING_HAS_INLINES] = named && mapping->lines,
	};

	w->buf[0].count = 0;
	for (unsigned field = 1; field < MAPPING_FIELDS; field++)
		pprof_put_number(w, &w->buf[0], field, value[field]);
	write_message(w, PPROF_MAPPING, &w->buf[0]);
}

static void
write_location(struct pprof_writer *w, size_t i)
{
	const struct pprof_out_location *location =
	    (const struct pprof_out_location *)w->locations.at + i;
	const struct pprof_out_frame *frames = w->frames.at;
	const struct pprof_out_frame *frame = &frames[location->frame];
	const struct pprof_out_mapping *mapping = w->mappings.at;
	struct pprof_table *buf = &w->buf[0], *line = &w->buf[1];
	uint64_t addr = frame->addr;

	if (location->mapping != 0 && addr != 0)
		addr += mapping[location->mapping - 1].bias;
	buf->count = 0;
	pprof_put_number(w, buf, LOCATION_ID, i + 1);
	pprof_put_number(w, buf, LOCATION_MAPPING, location->mapping);
	pprof_put_number(w, buf, LOCATION_ADDRESS, addr);
	while (frame->function != 0) {
		line->count = 0;
		pprof_put_number(w, line, LINE_FUNCTION, frame->function);
		pprof_put_number(w, line, LINE_LINE, frame->line);
		pprof_put_bytes(w, buf, LOCATION_LINE, line);
		if (frame->below == 0)
			break;
		frame = &frames[frame->below - 1];
	}
	write_message(w, PPROF_LOCATION, buf);
}

/* Without a linker name, system_name repeats the name, as Go writes it. */
static void
write_function(struct pprof_writer *w, size_t i)
{
	const struct pprof_out_function *function =
	    (const struct pprof_out_function *)w->functions.at + i;
	struct cg_slice name = cg_fn_name(w->graph, function->fn);
	struct cg_slice symbol = cg_fn_symbol(w->graph, function->fn);
	struct cg_slice file = cg_file_path(w->graph, function->file);
	struct pprof_table *buf = &w->buf[0];
	struct cg_range range;

	if (symbol.len == 0)
		symbol = name;
	cg_fn_range(w->graph, function->fn, &range);
	buf->count = 0;
	pprof_put_number(w, buf, FUNCTION_ID, i + 1);
	pprof_put_number(w, buf, FUNCTION_NAME, pprof_find_string(w, name));
	pprof_put_number(
	    w, buf, FUNCTION_SYSTEM_NAME, pprof_find_string(w, symbol));
	pprof_put_number(w, buf, FUNCTION_FILENAME, pprof_find_string(w, file));
	pprof_put_number(w, buf, FUNCTION_START_LINE, range.first);
	write_message(w, PPROF_FUNCTION, buf);
}

/* ---- The file ----------------------------------------------------------- */

static void
write_text(struct pprof_writer *w, enum pprof_profile field)
{
	const struct pprof_text_key *key = pprof_text_keys;

	while (key->field != field)
		key++;
	write_number(
	    w, field, pprof_find_string(w, pprof_first_desc(w, key->name)));
}

static void
write_tables(struct pprof_writer *w)
{
	const struct cg_slice *string = w->strings.at;

	for (size_t i = 0; i < w->mappings.count; i++)
		write_mapping(w, i);
	for (size_t i = 0; i < w->locations.count; i++)
		write_location(w, i);
	for (size_t i = 0; i < w->functions.count; i++)
		write_function(w, i);
	write_bytes(w, PPROF_STRING, (struct cg_slice){ "", 0 });
	for (size_t i = 0; i < w->strings.count; i++)
		write_bytes(w, PPROF_STRING, string[i]);
}

static void
write_rest(struct pprof_writer *w)
{
	struct pprof_period period = pprof_get_period(w);
	struct pprof_times times = pprof_get_times(w);

	write_text(w, PPROF_DROP_FRAMES);
	write_text(w, PPROF_KEEP_FRAMES);
	write_number(w, PPROF_TIME_NANOS, times.begin);
	write_number(w, PPROF_DURATION_NANOS, times.duration);
	if (period.number != 0 || period.type.len > 0)
		write_type(w, PPROF_PERIOD_TYPE, period.type, period.unit);
	write_number(w, PPROF_PERIOD, (uint64_t)period.number);
	for (size_t i = 0; i < w->comments.count; i++)
		write_number(w, PPROF_COMMENT,
		    pprof_find_string(w, pprof_out_comment(w, i)));
	write_number(
	    w, PPROF_DEFAULT_TYPE, pprof_find_string(w, default_type(w)));
	write_text(w, PPROF_DOC_URL);
}

int
pprof_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct pprof_writer w = { .job = job, .graph = graph, .out = out };
	const struct cg_event *event;

	if (pprof_list_frames(&w) && pprof_order(&w) && pprof_list_comments(&w))
		add_strings(&w);
	if (cg_rejected(job) == CG_OK)
		list_labels(&w);
	for (size_t i = 0;
	     cg_rejected(job) == CG_OK && i < cg_event_count(graph); i++) {
		event = cg_get_event(graph, i);
		write_type(&w, PPROF_SAMPLE_TYPE, cg_slice(event->name),
		    cg_slice(pprof_unit_out(event->unit)));
	}
	for (size_t i = 0; cg_rejected(job) == CG_OK && i < w.rows.count; i++)
		write_sample(&w, w.order[i]);
	if (cg_rejected(job) == CG_OK) {
		write_tables(&w);
		write_rest(&w);
	}
	if (cg_rejected(job) == CG_OK && w.elsewhere > 0)
		cg_warn(job,
		    "%zu frame%s in another file than the function: written as "
		    "a function of that file",
		    w.elsewhere, w.elsewhere == 1 ? "" : "s");
	pprof_out_free(&w);
	return cg_out_status(out);
}
