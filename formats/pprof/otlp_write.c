/*
 * otlp_write.c - writes OpenTelemetry's profiles: one resource, one scope, and
 * a profile for each event, the main event first as viewers show that one.
 *
 * Entries of tables are in the order of first use, texts are sorted, so that
 * equal graphs make equal files.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "otlp_write.h"

/* A message is at most 2 GiB long: "Encoding" at protobuf.dev. */
#define MESSAGE_LIMIT INT32_MAX

static void
put_fixed(struct otlp_writer *w, struct pprof_table *buf, uint64_t value)
{
	char *to = pprof_put_room(&w->w, buf, 8);

	for (size_t i = 0; to && i < 8; i++)
		to[i] = (char)(value >> 8 * i);
	if (to)
		buf->count += 8;
}

static void
put_text_index(struct otlp_writer *w, struct pprof_table *buf, unsigned field,
    struct cg_slice text)
{
	pprof_put_number(&w->w, buf, field, pprof_find_string(&w->w, text));
}

/* ---- Samples ------------------------------------------------------------ */

/* The index of the stack of a node; 0: no stack, or failed. */
static uint32_t
find_stack(struct otlp_writer *w, uint32_t node)
{
	struct pprof_table *list = &w->w.buf[0], *entry = &w->w.buf[1];

	if (node == 0 || w->stack[node] != 0)
		return w->stack[node];
	list->count = entry->count = 0;
	pprof_put_stack(&w->w, list, node);
	pprof_put_bytes(&w->w, entry, 1, list);
	pprof_put_bytes(&w->w, &w->stacks, TABLE_STACK, entry);
	return w->stack[node] = ++w->stack_count;
}

/* Puts the times and values of a row, or its value without a time. */
static void
put_values(struct otlp_writer *w, struct pprof_table *sample, uint32_t row,
    uint64_t cost)
{
	const struct otlp_times *t = &w->times;
	size_t begin = t->first[row], end = t->first[row + 1];
	struct pprof_table *list = &w->w.buf[0];

	list->count = 0;
	for (size_t i = begin; i < end; i++)
		pprof_put_varint(&w->w, list, (uint64_t)t->cost[i]);
	if (begin == end)
		pprof_put_varint(&w->w, list, cost);
	pprof_put_bytes(&w->w, sample, OTLP_VALUES, list);
	list->count = 0;
	for (size_t i = begin; i < end; i++)
		put_fixed(w, list, t->time[i]);
	if (list->count > 0)
		pprof_put_bytes(&w->w, sample, OTLP_TIMES, list);
}

/* A row without any cost is a sample of the first profile. */
static bool
is_written(const struct otlp_writer *w, uint32_t row, size_t event, bool first)
{
	size_t events = cg_event_count(w->w.graph);
	const uint64_t *cost = w->w.cost + row * events;

	if (cost[event] != 0 || !first)
		return cost[event] != 0;
	for (size_t i = 0; i < events; i++) {
		if (cost[i] != 0)
			return false;
	}
	return true;
}

static void
put_samples(struct otlp_writer *w, struct pprof_table *profile, size_t event,
    bool first)
{
	const struct pprof_out_row *rows = w->w.rows.at;
	size_t events = cg_event_count(w->w.graph);
	struct pprof_table *sample = &w->sample;

	for (size_t i = 0; i < w->w.rows.count; i++) {
		uint32_t row = w->w.order[i];

		if (!is_written(w, row, event, first))
			continue;
		if (cg_rejected(w->w.job) != CG_OK)
			return;
		sample->count = 0;
		pprof_put_number(
		    &w->w, sample, OTLP_STACK, find_stack(w, rows[row].node));
		otlp_put_labels(w, sample, OTLP_ATTRIBUTES, rows[row].labels);
		put_values(w, sample, row, w->w.cost[row * events + event]);
		pprof_put_bytes(&w->w, profile, PROFILE_SAMPLE, sample);
	}
}

/* ---- Profiles ----------------------------------------------------------- */

static void
put_type(struct otlp_writer *w, struct pprof_table *buf, unsigned field,
    struct cg_slice type, struct cg_slice unit)
{
	struct pprof_table *pair = &w->w.buf[0];

	pair->count = 0;
	put_text_index(w, pair, VALUE_TYPE, type);
	put_text_index(w, pair, VALUE_UNIT, unit);
	pprof_put_bytes(&w->w, buf, field, pair);
}

/* When the profile began and how long it took, or the first and last sample. */
static void
put_times(struct otlp_writer *w, struct pprof_table *profile)
{
	struct pprof_times times = pprof_get_times(&w->w);

	if (times.begin == 0 && times.duration == 0 && w->times.end > 0)
		times = (struct pprof_times){ w->times.begin,
			w->times.end - w->times.begin };
	if (times.begin != 0) {
		pprof_put_varint(&w->w, profile, PROFILE_TIME << 3 | WIRE_64);
		put_fixed(w, profile, times.begin);
	}
	pprof_put_number(&w->w, profile, PROFILE_DURATION, times.duration);
}

static void
put_profile(
    struct otlp_writer *w, struct pprof_table *scope, size_t i, bool first)
{
	const struct cg_event *event = cg_get_event(w->w.graph, i);
	struct pprof_period period = pprof_get_period(&w->w);
	struct pprof_table *profile = &w->profile, *list = &w->sample;

	if (!otlp_sort_times(&w->times, i))
		return;
	profile->count = 0;
	put_type(w, profile, PROFILE_TYPE, cg_slice(event->name),
	    cg_slice(pprof_unit_out(event->unit)));
	put_samples(w, profile, i, first);
	put_times(w, profile);
	if (period.number != 0 || period.type.len > 0)
		put_type(
		    w, profile, PROFILE_PERIOD_TYPE, period.type, period.unit);
	pprof_put_number(
	    &w->w, profile, PROFILE_PERIOD, (uint64_t)period.number);
	list->count = 0;
	otlp_put_profile_attributes(w, list, event->long_name);
	if (list->count > 0)
		pprof_put_bytes(&w->w, profile, PROFILE_ATTRIBUTES, list);
	pprof_put_bytes(&w->w, scope, SCOPE_PROFILES, profile);
}

static void
put_scope(struct otlp_writer *w, struct pprof_table *scope)
{
	struct cg_slice name = pprof_first_desc(&w->w, OTLP_KEY_SCOPE);
	struct cg_slice version =
	    pprof_first_desc(&w->w, OTLP_KEY_SCOPE_VERSION);
	const struct cg_label type = { .value = pprof_first_desc(
					   &w->w, CG_MAIN_EVENT_KEY) };
	struct pprof_table *info = &w->sample;
	size_t main = cg_main_event(w->w.graph);

	info->count = 0;
	if (name.len > 0)
		otlp_put_text(w, info, INFO_NAME, name);
	if (version.len > 0)
		otlp_put_text(w, info, INFO_VERSION, version);
	if (type.value.len > 0)
		otlp_put_key_value(
		    w, info, INFO_ATTRIBUTE, cg_slice(OTLP_KEY_MAIN), &type, 1);
	if (info->count > 0)
		pprof_put_bytes(&w->w, scope, SCOPE_SCOPE, info);
	if (main < cg_event_count(w->w.graph))
		put_profile(w, scope, main, true);
	for (size_t i = 0; i < cg_event_count(w->w.graph); i++)
		if (i != main)
			put_profile(w, scope, i, false);
}

/* ---- Tables ------------------------------------------------------------- */

static void
put_mapping(struct otlp_writer *w, struct pprof_table *buf,
    const struct pprof_out_mapping *mapping)
{
	struct pprof_table *entry = &w->sample, *list = &w->w.buf[0];
	uint32_t build_id = 0;

	if (mapping->build_id.len > 0)
		build_id = otlp_text_attribute(
		    w, OTLP_KEY_BUILD_ID, mapping->build_id);
	entry->count = 0;
	pprof_put_number(&w->w, entry, MAPPING_START - 1, mapping->start);
	pprof_put_number(&w->w, entry, MAPPING_LIMIT - 1, mapping->limit);
	pprof_put_number(&w->w, entry, MAPPING_OFFSET - 1, mapping->offset);
	put_text_index(w, entry, MAPPING_FILENAME - 1, mapping->path);
	if (build_id != 0) {
		list->count = 0;
		pprof_put_varint(&w->w, list, build_id);
		pprof_put_bytes(&w->w, entry, OTLP_MAPPING_ATTRIBUTES, list);
	}
	pprof_put_bytes(&w->w, buf, TABLE_MAPPING, entry);
}

static void
put_location(struct otlp_writer *w, struct pprof_table *buf,
    const struct pprof_out_location *location)
{
	const struct pprof_out_frame *frames = w->w.frames.at;
	const struct pprof_out_frame *frame = &frames[location->frame];
	const struct pprof_out_mapping *mapping = w->w.mappings.at;
	struct pprof_table *entry = &w->w.buf[0], *line = &w->w.buf[1];
	uint64_t addr = frame->addr;

	if (location->mapping != 0 && addr != 0)
		addr += mapping[location->mapping - 1].bias;
	entry->count = 0;
	pprof_put_number(&w->w, entry, LOCATION_MAPPING - 1, location->mapping);
	pprof_put_number(&w->w, entry, LOCATION_ADDRESS - 1, addr);
	while (frame->function != 0) {
		line->count = 0;
		pprof_put_number(&w->w, line, LINE_FUNCTION, frame->function);
		pprof_put_number(&w->w, line, LINE_LINE, frame->line);
		pprof_put_bytes(&w->w, entry, LOCATION_LINE - 1, line);
		if (frame->below == 0)
			break;
		frame = &frames[frame->below - 1];
	}
	pprof_put_bytes(&w->w, buf, TABLE_LOCATION, entry);
}

/* Without a linker name, system_name repeats the name, as pprof's does. */
static void
put_function(struct otlp_writer *w, struct pprof_table *buf,
    const struct pprof_out_function *function)
{
	const struct cg_graph *graph = w->w.graph;
	struct cg_slice name = cg_fn_name(graph, function->fn);
	struct cg_slice symbol = cg_fn_symbol(graph, function->fn);
	struct pprof_table *entry = &w->w.buf[0];
	struct cg_range range;

	cg_fn_range(graph, function->fn, &range);
	entry->count = 0;
	put_text_index(w, entry, FUNCTION_NAME - 1, name);
	put_text_index(
	    w, entry, FUNCTION_SYSTEM_NAME - 1, symbol.len > 0 ? symbol : name);
	put_text_index(w, entry, FUNCTION_FILENAME - 1,
	    cg_file_path(graph, function->file));
	pprof_put_number(&w->w, entry, FUNCTION_START_LINE - 1, range.first);
	pprof_put_bytes(&w->w, buf, TABLE_FUNCTION, entry);
}

/* Entry 0 of a table means none. */
static void
put_none(struct otlp_writer *w, struct pprof_table *buf, enum otlp_table table)
{
	pprof_put_varint(&w->w, buf, (unsigned)table << 3 | WIRE_BYTES);
	pprof_put_varint(&w->w, buf, 0);
}

static void
put_table(struct otlp_writer *w, struct pprof_table *buf, enum otlp_table table,
    const struct pprof_table *entries)
{
	put_none(w, buf, table);
	pprof_put_slice(
	    &w->w, buf, (struct cg_slice){ entries->at, entries->count });
}

/* Stacks and samples were put: locations and mappings are known. */
static void
put_dictionary(struct otlp_writer *w, struct pprof_table *buf)
{
	const struct pprof_out_mapping *mapping = w->w.mappings.at;
	const struct pprof_out_location *location = w->w.locations.at;
	const struct pprof_out_function *function = w->w.functions.at;
	const struct cg_slice *string = w->w.strings.at;

	put_none(w, buf, TABLE_MAPPING);
	for (size_t i = 0; i < w->w.mappings.count; i++)
		put_mapping(w, buf, &mapping[i]);
	put_none(w, buf, TABLE_LOCATION);
	for (size_t i = 0; i < w->w.locations.count; i++)
		put_location(w, buf, &location[i]);
	put_none(w, buf, TABLE_FUNCTION);
	for (size_t i = 0; i < w->w.functions.count; i++)
		put_function(w, buf, &function[i]);
	put_none(w, buf, TABLE_LINK);
	put_none(w, buf, TABLE_STRING);
	for (size_t i = 0; i < w->w.strings.count; i++)
		otlp_put_text(w, buf, TABLE_STRING, string[i]);
	put_table(w, buf, TABLE_ATTRIBUTE, &w->attributes);
	put_table(w, buf, TABLE_STACK, &w->stacks);
}

/* ---- The file ----------------------------------------------------------- */

static void
write_field(
    struct otlp_writer *w, unsigned field, const struct pprof_table *buf)
{
	char *to = cg_out_reserve(w->w.out, 2 * VARINT_MAX);

	to = pprof_format_varint(to, field << 3 | WIRE_BYTES);
	cg_out_advance(w->w.out, pprof_format_varint(to, buf->count));
	cg_put(w->w.out, (struct cg_slice){ buf->at, buf->count });
}

static void
write_message(struct otlp_writer *w)
{
	struct pprof_table *all = &w->message, *info = &w->info;

	all->count = info->count = 0;
	put_scope(w, info);
	w->profile.count = 0;
	otlp_put_resource(w, &w->profile);
	pprof_put_bytes(&w->w, all, RESOURCE_RESOURCE, &w->profile);
	pprof_put_bytes(&w->w, all, RESOURCE_SCOPES, info);
	info->count = 0;
	put_dictionary(w, info);
	if (cg_rejected(w->w.job) != CG_OK)
		return;
	if (all->count > MESSAGE_LIMIT || info->count > MESSAGE_LIMIT) {
		(void)cg_reject(w->w.job,
		    "OpenTelemetry's profiles cannot be longer than 2 GiB");
		return;
	}
	write_field(w, OTLP_RESOURCES, all);
	write_field(w, OTLP_DICTIONARY, info);
}

static void
free_all(struct otlp_writer *w)
{
	struct pprof_table *const tables[] = { &w->stacks, &w->attributes,
		&w->sets, &w->descs, &w->labels, &w->any, &w->sample,
		&w->profile, &w->info, &w->message };

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		free(tables[i]->at);
	cg_map_free(&w->attribute_ids);
	cg_map_free(&w->desc_ids);
	free(w->set_end);
	free(w->stack);
	otlp_free_times(&w->times);
	pprof_out_free(&w->w);
}

int
otlp_write(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct otlp_writer w = { .w = {
				     .job = job, .graph = graph, .out = out } };
	bool ok = pprof_list_frames(&w.w) && pprof_order(&w.w) &&
		  otlp_list_descs(&w) && otlp_find_times(&w.times, &w.w);

	if (ok) {
		otlp_add_strings(&w);
		w.stack = calloc(w.w.nodes, sizeof(*w.stack));
		if (!w.stack)
			(void)cg_reject_nomem(job);
	}
	if (ok && cg_rejected(job) == CG_OK && otlp_list_labels(&w))
		write_message(&w);
	if (cg_rejected(job) == CG_OK && w.w.elsewhere > 0)
		cg_warn(job,
		    "%zu frame%s in another file than the function: written as "
		    "a function of that file",
		    w.w.elsewhere, w.w.elsewhere == 1 ? "" : "s");
	free_all(&w);
	return cg_out_status(out);
}
