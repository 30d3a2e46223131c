/*
 * put.c - puts data into messages, for the writers: fields, texts, entries of
 * tables, and descriptions that have a field.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

/* ---- Fields ------------------------------------------------------------- */

char *
proto_put_more(struct proto_writer *w, struct proto_bytes *buf, size_t n)
{
	return cg_reserve(w->job, buf, buf->n + n) ? buf->at + buf->n : NULL;
}

void
proto_put_slice(
    struct proto_writer *w, struct proto_bytes *buf, struct cg_slice bytes)
{
	char *at = bytes.len > 0 ? proto_put_room(w, buf, bytes.len) : NULL;

	if (!at)
		return;
	memcpy(at, bytes.ptr, bytes.len);
	buf->n += bytes.len;
}

void
proto_put_number(struct proto_writer *w, struct proto_bytes *buf,
    unsigned field, uint64_t value)
{
	if (value == 0)
		return;
	proto_put_varint(w, buf, field << 3 | WIRE_VARINT);
	proto_put_varint(w, buf, value);
}

void
proto_put_bytes(struct proto_writer *w, struct proto_bytes *buf, unsigned field,
    const struct proto_bytes *bytes)
{
	proto_put_varint(w, buf, field << 3 | WIRE_BYTES);
	proto_put_varint(w, buf, bytes->n);
	proto_put_slice(w, buf, (struct cg_slice){ bytes->at, bytes->n });
}

void
proto_write_bytes(struct proto_writer *w, unsigned field, struct cg_slice bytes)
{
	char *to = cg_out_reserve(w->out, 2 * VARINT_MAX);

	to = proto_format_varint(to, field << 3 | WIRE_BYTES);
	cg_out_advance(w->out, proto_format_varint(to, bytes.len));
	cg_put(w->out, bytes);
}

/* ---- Texts -------------------------------------------------------------- */

void
proto_add_string(struct proto_writer *w, struct cg_slice text)
{
	if (text.len > 0)
		(void)cg_append(w->job, &w->strings, text);
}

static int
compare_strings(const void *a, const void *b)
{
	return cg_compare(
	    *(const struct cg_slice *)a, *(const struct cg_slice *)b);
}

void
proto_sort_strings(struct proto_writer *w)
{
	struct cg_slice *list = w->strings.at;
	size_t kept = 0;

	if (w->strings.n == 0)
		return;
	qsort(list, w->strings.n, sizeof(*list), compare_strings);
	for (size_t i = 0; i < w->strings.n; i++) {
		if (kept == 0 || cg_compare(list[i], list[kept - 1]) != 0)
			list[kept++] = list[i];
	}
	w->strings.n = kept;
}

uint64_t
proto_find_string(const struct proto_writer *w, struct cg_slice text)
{
	const struct cg_slice *list = w->strings.at, *found;

	if (text.len == 0)
		return 0;
	found =
	    bsearch(&text, list, w->strings.n, sizeof(*list), compare_strings);
	return found ? (uint64_t)(found - list) + 1 : 0;
}

void
proto_put_text(struct proto_writer *w, struct proto_bytes *buf, unsigned field,
    struct cg_slice text)
{
	proto_put_number(w, buf, field, proto_find_string(w, text));
}

void
proto_add_table_strings(struct proto_writer *w)
{
	const struct proto_out_frame *frame = w->frames.at;
	const struct proto_out_function *function = w->functions.at;
	const struct proto_out_mapping *mapping = w->mappings.at;

	for (size_t i = 0; i < cg_event_count(w->graph); i++) {
		const struct cg_event *event = cg_get_event(w->graph, i);

		proto_add_string(w, cg_slice(event->name));
		proto_add_string(w, cg_slice(proto_unit_out(event->unit)));
	}
	for (size_t i = 0; i < w->mappings.n; i++)
		proto_add_string(w, mapping[i].path);
	for (size_t i = 0; i < w->frames.n; i++) {
		if (i == 0 || frame[i].object != frame[i - 1].object)
			proto_add_string(
			    w, cg_object_path(w->graph, frame[i].object));
	}
	for (size_t i = 0; i < w->functions.n; i++) {
		proto_add_string(w, cg_fn_name(w->graph, function[i].fn));
		proto_add_string(w, cg_fn_symbol(w->graph, function[i].fn));
		proto_add_string(w, cg_file_path(w->graph, function[i].file));
	}
}

/* ---- Entries of tables --------------------------------------------------- */

void
proto_put_location(
    struct proto_writer *w, struct proto_bytes *to, size_t i, bool ids)
{
	const struct proto_out_location *location = &w->locations.at[i];
	const struct proto_out_frame *frames = w->frames.at;
	const struct proto_out_frame *frame = &frames[location->frame];
	const struct proto_out_mapping *mapping = w->mappings.at;
	struct proto_bytes *line = &w->buf[1];
	const unsigned less = ids ? 0 : 1;
	uint64_t addr = frame->addr;

	if (location->mapping != 0 && addr != 0)
		addr += mapping[location->mapping - 1].bias;
	if (ids)
		proto_put_number(w, to, LOCATION_ID, i + 1);
	proto_put_number(w, to, LOCATION_MAPPING - less, location->mapping);
	proto_put_number(w, to, LOCATION_ADDRESS - less, addr);
	while (frame->function != 0) {
		line->n = 0;
		proto_put_number(w, line, LINE_FUNCTION, frame->function);
		proto_put_number(w, line, LINE_LINE, frame->line);
		proto_put_bytes(w, to, LOCATION_LINE - less, line);
		if (frame->below == 0)
			break;
		frame = &frames[frame->below - 1];
	}
}

/*
 * Appends the fields of function i to "to". If "ids" is set, appends its id
 * first, as in pprof. OpenTelemetry has no ids, so its field numbers are one
 * less. Without a linker name, system_name repeats the name, as in Go.
 */
void
proto_put_function(
    struct proto_writer *w, struct proto_bytes *to, size_t i, bool ids)
{
	const struct proto_out_function *function = &w->functions.at[i];
	const struct cg_slice name = cg_fn_name(w->graph, function->fn);
	const struct cg_slice symbol = cg_fn_symbol(w->graph, function->fn);
	const unsigned less = ids ? 0 : 1;
	struct cg_range range;

	cg_fn_range(w->graph, function->fn, &range);
	if (ids)
		proto_put_number(w, to, FUNCTION_ID, i + 1);
	proto_put_text(w, to, FUNCTION_NAME - less, name);
	proto_put_text(
	    w, to, FUNCTION_SYSTEM_NAME - less, symbol.len > 0 ? symbol : name);
	proto_put_text(w, to, FUNCTION_FILENAME - less,
	    cg_file_path(w->graph, function->file));
	proto_put_number(w, to, FUNCTION_START_LINE - less, range.first);
}

/* ---- Descriptions ------------------------------------------------------- */

/*
 * Sets *text to the value of the next description with a key, of any part
 * (process or thread). *part and *i say where to search; they start as 0, and
 * are moved after the description. False: no more.
 */
static bool
next_desc(const struct proto_writer *w, const char *key, cg_part *part,
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

struct cg_slice
proto_first_desc(const struct proto_writer *w, const char *key)
{
	struct cg_slice text = { "", 0 };
	cg_part part = 0;
	size_t i = 0;

	(void)next_desc(w, key, &part, &i, &text);
	return text;
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

/*
 * Returns begin and duration of the profile in ns; 0: unknown. For merged
 * profiles, takes the earliest begin and the sum of the durations. A sum that
 * overflows begins again at 0.
 */
struct proto_times
proto_get_times(const struct proto_writer *w)
{
	int64_t number, begin = 0, duration = 0;
	struct cg_slice text;
	cg_part part = 0;
	size_t i = 0;

	while (next_desc(w, PROTO_KEY_TIME, &part, &i, &text)) {
		if (take_i64(&text, &number) && (begin == 0 || number < begin))
			begin = number;
	}
	part = 0;
	i = 0;
	while (next_desc(w, PROTO_KEY_DURATION, &part, &i, &text)) {
		if (take_i64(&text, &number) &&
		    __builtin_add_overflow(duration, number, &duration))
			duration = 0;
	}
	return (struct proto_times){ (uint64_t)begin, (uint64_t)duration };
}

/*
 * Returns the sampling period to write; number 0: unknown. Of merged profiles,
 * it is the longest one with the first one's type and unit, as in pprof's
 * combineHeaders() (merge.go).
 */
struct proto_period
proto_get_period(const struct proto_writer *w)
{
	struct proto_period next, period = { 0 };
	struct cg_slice text;
	cg_part part = 0;
	bool any = false;
	size_t i = 0;

	while (next_desc(w, PROTO_KEY_PERIOD, &part, &i, &text)) {
		next = (struct proto_period){ 0 };
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

struct cg_part_info
proto_common_part(const struct proto_writer *w)
{
	struct cg_part_info all = *cg_get_part(w->graph, 0);

	for (cg_part part = 1; part < cg_part_count(w->graph); part++) {
		const struct cg_part_info *info = cg_get_part(w->graph, part);

		if (strcmp(info->cmd, all.cmd) != 0)
			all.cmd = "";
		all.pid = info->pid == all.pid ? all.pid : 0;
		all.tid = info->tid == all.tid ? all.tid : 0;
		all.part = info->part == all.part ? all.part : 0;
	}
	return all;
}

/* ---- The end ------------------------------------------------------------- */

void
proto_end_writer(struct proto_writer *w)
{
	/* Explicit, as cg_map_in() takes 3 % more time, four times a node. */
	struct cg_map *const maps[] = { &w->name_ids, &w->function_ids,
		&w->place_ids, &w->addr_ids, &w->at_ids, &w->frame_ids };

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		cg_map_free(maps[i]);
	if (cg_rejected(w->job) == CG_OK && w->elsewhere > 0)
		cg_warn(w->job,
		    "%zu frame%s in another file than the function: written as "
		    "a function of that file",
		    w->elsewhere, w->elsewhere == 1 ? "" : "s");
	cg_merged_stacks_free(w->merged);
}
