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

/* ---- The wire ----------------------------------------------------------- */

static char *
format_varint(char *to, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		*to++ = (char)(value | 0x80);
	*to++ = (char)value;
	return to;
}

/* Room for n more bytes; NULL: out of memory, reported. */
static char *
make_room(struct pprof_writer *w, struct pprof_table *buf, size_t n)
{
	if (buf->cap - buf->count < n &&
	    !cg_grow_raw(&buf->at, &buf->cap, buf->count + n, 1)) {
		(void)cg_reject_nomem(w->job);
		return NULL;
	}
	return (char *)buf->at + buf->count;
}

static void
put_varint(struct pprof_writer *w, struct pprof_table *buf, uint64_t value)
{
	char *at = make_room(w, buf, VARINT_MAX);

	if (at)
		buf->count += (size_t)(format_varint(at, value) - at);
}

static void
put_slice(
    struct pprof_writer *w, struct pprof_table *buf, struct cg_slice bytes)
{
	char *at = bytes.len > 0 ? make_room(w, buf, bytes.len) : NULL;

	if (!at)
		return;
	memcpy(at, bytes.ptr, bytes.len);
	buf->count += bytes.len;
}

/* Puts a number; 0 is not written, because a missing field means 0. */
static void
put_number(struct pprof_writer *w, struct pprof_table *buf, unsigned field,
    uint64_t value)
{
	if (value == 0)
		return;
	put_varint(w, buf, field << 3 | WIRE_VARINT);
	put_varint(w, buf, value);
}

static void
put_bytes(struct pprof_writer *w, struct pprof_table *buf, unsigned field,
    const struct pprof_table *bytes)
{
	put_varint(w, buf, field << 3 | WIRE_BYTES);
	put_varint(w, buf, bytes->count);
	put_slice(w, buf, (struct cg_slice){ bytes->at, bytes->count });
}

/* Writes a field of the profile. */
static void
write_bytes(struct pprof_writer *w, unsigned field, struct cg_slice bytes)
{
	char *to = cg_out_reserve(w->out, 2 * VARINT_MAX);

	to = format_varint(to, field << 3 | WIRE_BYTES);
	cg_out_advance(w->out, format_varint(to, bytes.len));
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
	to = format_varint(to, field << 3 | WIRE_VARINT);
	cg_out_advance(w->out, format_varint(to, value));
}

/* ---- Texts -------------------------------------------------------------- */

static void
add_string(struct pprof_writer *w, struct cg_slice text)
{
	struct cg_slice *at;

	if (text.len == 0)
		return;
	at = pprof_out_append(w, &w->strings, sizeof(*at));
	if (at)
		*at = text;
}

static int
compare_strings(const void *a, const void *b)
{
	return cg_compare(
	    *(const struct cg_slice *)a, *(const struct cg_slice *)b);
}

static void
sort_strings(struct pprof_writer *w)
{
	struct cg_slice *list = w->strings.at;
	size_t kept = 0;

	if (w->strings.count == 0)
		return;
	qsort(list, w->strings.count, sizeof(*list), compare_strings);
	for (size_t i = 0; i < w->strings.count; i++) {
		if (kept == 0 || cg_compare(list[i], list[kept - 1]) != 0)
			list[kept++] = list[i];
	}
	w->strings.count = kept;
}

/* Index in the table; "" is the first text. */
static uint64_t
find_string(const struct pprof_writer *w, struct cg_slice text)
{
	const struct cg_slice *list = w->strings.at, *found;

	if (text.len == 0)
		return 0;
	found = bsearch(
	    &text, list, w->strings.count, sizeof(*list), compare_strings);
	return found ? (uint64_t)(found - list) + 1 : 0;
}

/* ---- Descriptions ------------------------------------------------------- */

/* Description i of all parts with that key; false past the last. */
static bool
next_desc(const struct pprof_writer *w, const char *key, cg_part *part,
    size_t *i, struct cg_slice *text)
{
	const char *found, *value;

	for (; *part < cg_part_count(w->graph); ++*part, *i = 0) {
		while (cg_part_desc(w->graph, *part, (*i)++, &found, &value)) {
			if (strcmp(found, key) != 0)
				continue;
			*text = cg_slice(value);
			return true;
		}
	}
	return false;
}

static struct cg_slice
first_desc(const struct pprof_writer *w, const char *key)
{
	struct cg_slice text = { "", 0 };
	cg_part part = 0;
	size_t i = 0;

	(void)next_desc(w, key, &part, &i, &text);
	return text;
}

/*
 * The main event, because readers take the last sample type otherwise; of one
 * event only what is described.
 */
static struct cg_slice
default_type(const struct pprof_writer *w)
{
	struct cg_slice text = first_desc(w, CG_MAIN_EVENT_KEY);

	if (text.len > 0 || cg_event_count(w->graph) < 2)
		return text;
	return cg_slice(cg_get_event(w->graph, cg_main_event(w->graph))->name);
}

static bool
take_i64(struct cg_slice *text, int64_t *number)
{
	bool minus = cg_take_char(text, '-');
	uint64_t value;

	if (!cg_take_u64(text, &value) || value > INT64_MAX)
		return false;
	*number = minus ? -(int64_t)value : (int64_t)value;
	return true;
}

/* Of merged profiles: begin of the first one, sum of the durations. */
static void
write_times(struct pprof_writer *w)
{
	int64_t number, begin = 0, duration = 0;
	struct cg_slice text;
	cg_part part = 0;
	size_t i = 0;

	while (next_desc(w, PPROF_KEY_TIME, &part, &i, &text)) {
		if (take_i64(&text, &number) && (begin == 0 || number < begin))
			begin = number;
	}
	part = 0;
	i = 0;
	while (next_desc(w, PPROF_KEY_DURATION, &part, &i, &text)) {
		if (take_i64(&text, &number) &&
		    __builtin_add_overflow(duration, number, &duration))
			duration = 0;
	}
	write_number(w, PPROF_TIME_NANOS, (uint64_t)begin);
	write_number(w, PPROF_DURATION_NANOS, (uint64_t)duration);
}

struct period {
	int64_t number;
	struct cg_slice type, unit;
};

/*
 * Of merged profiles the longest period of the first one's type: combineHeaders()
 * in merge.go of pprof, which rejects other types.
 */
static struct period
get_period(const struct pprof_writer *w)
{
	struct period next, period = { 0 };
	struct cg_slice text;
	cg_part part = 0;
	bool any = false;
	size_t i = 0;

	while (next_desc(w, PPROF_KEY_PERIOD, &part, &i, &text)) {
		next = (struct period){ 0 };
		if (!take_i64(&text, &next.number) || !cg_take_char(&text, ' '))
			continue;
		(void)cg_take_until(&text, ' ', &next.type);
		next.unit = text;
		if (!any || (next.number > period.number &&
				cg_compare(next.type, period.type) == 0 &&
				cg_compare(next.unit, period.unit) == 0))
			period = next;
		any = true;
	}
	return period;
}

/* ---- Collecting texts --------------------------------------------------- */

static void
add_frame_strings(struct pprof_writer *w)
{
	const struct pprof_out_frame *frame = w->frames.at;
	const struct pprof_out_function *function = w->functions.at;

	for (size_t i = 0; i < w->frames.count; i++) {
		if (i == 0 || frame[i].object != frame[i - 1].object)
			add_string(
			    w, cg_object_path(w->graph, frame[i].object));
	}
	for (size_t i = 0; i < w->functions.count; i++) {
		add_string(w, cg_fn_name(w->graph, function[i].fn));
		add_string(w, cg_fn_symbol(w->graph, function[i].fn));
		add_string(w, cg_file_path(w->graph, function[i].file));
	}
}

static void
add_label_strings(struct pprof_writer *w)
{
	struct cg_label label;

	for (cg_labels set = 1; set <= cg_labels_count(w->graph); set++)
		for (size_t i = 0; cg_get_label(w->graph, set, i, &label);
		     i++) {
			add_string(w, label.key);
			add_string(w, label.value);
			add_string(w, label.unit);
		}
}

static void
add_strings(struct pprof_writer *w)
{
	const struct pprof_out_mapping *mapping = w->mappings.at;
	struct period period = get_period(w);

	for (size_t i = 0; i < cg_event_count(w->graph); i++) {
		const struct cg_event *event = cg_get_event(w->graph, i);

		add_string(w, cg_slice(event->name));
		add_string(w, cg_slice(pprof_unit_out(event->unit)));
	}
	for (size_t i = 0; i < w->mappings.count; i++) {
		add_string(w, mapping[i].path);
		add_string(w, mapping[i].build_id);
	}
	add_frame_strings(w);
	for (const struct pprof_text_key *key = pprof_text_keys; key->name;
	     key++)
		add_string(w, first_desc(w, key->name));
	add_string(w, default_type(w));
	add_string(w, period.type);
	add_string(w, period.unit);
	for (size_t i = 0; i < w->comments.count; i++)
		add_string(w, pprof_out_comment(w, i));
	add_label_strings(w);
	sort_strings(w);
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
			put_number(
			    w, buf, LABEL_KEY, find_string(w, label.key));
			put_number(
			    w, buf, LABEL_STR, find_string(w, label.value));
			put_number(w, buf, LABEL_NUM, (uint64_t)label.number);
			put_number(
			    w, buf, LABEL_NUM_UNIT, find_string(w, label.unit));
			put_bytes(w, &w->labels, SAMPLE_LABEL, buf);
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
	put_slice(w, sample,
	    (struct cg_slice){ (const char *)w->labels.at + begin,
		w->labels_end[set] - begin });
}

static void
write_sample(struct pprof_writer *w, uint32_t row)
{
	const struct pprof_out_row *rows = w->rows.at;
	const struct pprof_out_node *nodes = w->nodes.at;
	const struct pprof_out_frame *frames = w->frames.at, *frame;
	struct pprof_table *sample = &w->buf[0], *list = &w->buf[1];
	size_t events = cg_event_count(w->graph);
	const uint64_t *cost = &w->cost[row * events];
	uint32_t node = rows[row].node;

	sample->count = list->count = 0;
	while (node != 0 && cg_rejected(w->job) == CG_OK) {
		frame = &frames[nodes[node - 1].frame - 1];
		put_varint(
		    w, list, pprof_out_location(w, nodes[node - 1].frame));
		for (; frame->below != 0; frame = &frames[frame->below - 1])
			node = nodes[node - 1].parent;
		node = nodes[node - 1].parent;
	}
	put_bytes(w, sample, SAMPLE_LOCATION, list);
	list->count = 0;
	for (size_t i = 0; i < events; i++)
		put_varint(w, list, cost[i]);
	put_bytes(w, sample, SAMPLE_VALUE, list);
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
	put_number(w, buf, VALUE_TYPE, find_string(w, type));
	put_number(w, buf, VALUE_UNIT, find_string(w, unit));
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
		[MAPPING_FILENAME] = find_string(w, mapping->path),
		[MAPPING_BUILD_ID] = find_string(w, mapping->build_id),
		[MAPPING_HAS_FUNCTIONS] = named,
		[MAPPING_HAS_FILENAMES] = named && mapping->files,
		[MAPPING_HAS_LINES] = named && mapping->lines,
		[MAPPING_HAS_INLINES] = named && mapping->lines,
	};

	w->buf[0].count = 0;
	for (unsigned field = 1; field < MAPPING_FIELDS; field++)
		put_number(w, &w->buf[0], field, value[field]);
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
	put_number(w, buf, LOCATION_ID, i + 1);
	put_number(w, buf, LOCATION_MAPPING, location->mapping);
	put_number(w, buf, LOCATION_ADDRESS, addr);
	while (frame->function != 0) {
		line->count = 0;
		put_number(w, line, LINE_FUNCTION, frame->function);
		put_number(w, line, LINE_LINE, frame->line);
		put_bytes(w, buf, LOCATION_LINE, line);
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
	put_number(w, buf, FUNCTION_ID, i + 1);
	put_number(w, buf, FUNCTION_NAME, find_string(w, name));
	put_number(w, buf, FUNCTION_SYSTEM_NAME, find_string(w, symbol));
	put_number(w, buf, FUNCTION_FILENAME, find_string(w, file));
	put_number(w, buf, FUNCTION_START_LINE, range.first);
	write_message(w, PPROF_FUNCTION, buf);
}

/* ---- The file ----------------------------------------------------------- */

static void
write_text(struct pprof_writer *w, enum pprof_profile field)
{
	const struct pprof_text_key *key = pprof_text_keys;

	while (key->field != field)
		key++;
	write_number(w, field, find_string(w, first_desc(w, key->name)));
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
	struct period period = get_period(w);

	write_text(w, PPROF_DROP_FRAMES);
	write_text(w, PPROF_KEEP_FRAMES);
	write_times(w);
	if (period.number != 0 || period.type.len > 0)
		write_type(w, PPROF_PERIOD_TYPE, period.type, period.unit);
	write_number(w, PPROF_PERIOD, (uint64_t)period.number);
	for (size_t i = 0; i < w->comments.count; i++)
		write_number(
		    w, PPROF_COMMENT, find_string(w, pprof_out_comment(w, i)));
	write_number(w, PPROF_DEFAULT_TYPE, find_string(w, default_type(w)));
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
