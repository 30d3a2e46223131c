/*
 * write.c - writes OpenTelemetry's profiles: one resource, one scope, and
 * a profile for each event, the main event first as viewers show that one.
 *
 * Entries of tables are in the order of first use, texts are sorted, so that
 * equal graphs make equal files.
 */
#include "write.h"

/* A message is at most 2 GiB long: "Encoding" at protobuf.dev. */
#define MESSAGE_LIMIT INT32_MAX

static void
put_fixed(struct otlp_writer *w, struct proto_bytes *buf, uint64_t value)
{
	char *to = proto_put_room(&w->w, buf, 8);

	for (size_t i = 0; to && i < 8; i++)
		to[i] = (char)(value >> 8 * i);
	if (to)
		buf->n += 8;
}

/* ---- Samples ------------------------------------------------------------ */

/*
 * Returns the index of a node's stack in the table of stacks; adds the stack
 * the first time. Node 0 has no stack, and index 0. If memory runs out, the
 * job fails (cg_rejected()).
 */
static uint32_t
find_stack(struct otlp_writer *w, uint32_t node)
{
	struct proto_bytes *list = &w->w.buf[0], *entry = &w->w.buf[1];

	if (node == 0 || w->stack[node] != 0)
		return w->stack[node];
	list->n = entry->n = 0;
	proto_put_stack(&w->w, list, node);
	proto_put_bytes(&w->w, entry, 1, list);
	proto_put_bytes(&w->w, &w->stacks, TABLE_STACK, entry);
	return w->stack[node] = ++w->stack_count;
}

/*
 * Appends the values and times of a row (a sample) to its message.
 * otlp_sort_times() must have sorted the event's times. If the row has times,
 * appends each time, and as its value the cost at that time. Otherwise appends
 * only the value "cost".
 */
static void
put_values(struct otlp_writer *w, struct proto_bytes *sample, uint32_t row,
    uint64_t cost)
{
	const struct otlp_times *t = &w->times;
	size_t begin = t->first.at[row], end = t->first.at[row + 1];
	struct proto_bytes *list = &w->w.buf[0];

	list->n = 0;
	for (size_t i = begin; i < end; i++)
		proto_put_varint(&w->w, list, (uint64_t)t->cost.at[i]);
	if (begin == end)
		proto_put_varint(&w->w, list, cost);
	proto_put_bytes(&w->w, sample, OTLP_VALUES, list);
	list->n = 0;
	for (size_t i = begin; i < end; i++)
		put_fixed(w, list, t->time.at[i]);
	if (list->n > 0)
		proto_put_bytes(&w->w, sample, OTLP_TIMES, list);
}

/*
 * Returns true if the profile of the event lists the row as a sample. It does
 * if the row has a cost of the event. The first profile ("first") also lists
 * rows without any cost.
 */
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
put_samples(struct otlp_writer *w, struct proto_bytes *profile, size_t event,
    bool first)
{
	const struct proto_out_row *rows = w->w.rows.at;
	size_t events = cg_event_count(w->w.graph);
	struct proto_bytes *sample = &w->sample;

	for (size_t i = 0; i < w->w.rows.n; i++) {
		uint32_t row = w->w.order[i];

		if (!is_written(w, row, event, first))
			continue;
		if (cg_rejected(w->w.job) != CG_OK)
			return;
		sample->n = 0;
		proto_put_number(
		    &w->w, sample, OTLP_STACK, find_stack(w, rows[row].node));
		otlp_put_labels(w, sample, OTLP_ATTRIBUTES, rows[row].labels);
		put_values(w, sample, row, w->w.cost[row * events + event]);
		proto_put_bytes(&w->w, profile, PROFILE_SAMPLE, sample);
	}
}

/* ---- Profiles ----------------------------------------------------------- */

static void
put_type(struct otlp_writer *w, struct proto_bytes *buf, unsigned field,
    struct cg_slice type, struct cg_slice unit)
{
	struct proto_bytes *pair = &w->w.buf[0];

	pair->n = 0;
	proto_put_text(&w->w, pair, VALUE_TYPE, type);
	proto_put_text(&w->w, pair, VALUE_UNIT, unit);
	proto_put_bytes(&w->w, buf, field, pair);
}

/*
 * Appends begin and duration of the profile, in ns. If the graph states
 * neither, they span the samples from the first one with a time to the last
 * one. Omits a begin or duration that is unknown.
 */
static void
put_times(struct otlp_writer *w, struct proto_bytes *profile)
{
	struct proto_times times = proto_get_times(&w->w);

	if (times.begin == 0 && times.duration == 0 && w->times.end > 0)
		times = (struct proto_times){ w->times.begin,
			w->times.end - w->times.begin };
	if (times.begin != 0) {
		proto_put_varint(&w->w, profile, PROFILE_TIME << 3 | WIRE_64);
		put_fixed(w, profile, times.begin);
	}
	proto_put_number(&w->w, profile, PROFILE_DURATION, times.duration);
}

static void
put_profile(
    struct otlp_writer *w, struct proto_bytes *scope, size_t i, bool first)
{
	const struct cg_event *event = cg_get_event(w->w.graph, i);
	struct proto_period period = proto_get_period(&w->w);
	struct proto_bytes *profile = &w->profile, *list = &w->sample;

	if (!otlp_sort_times(&w->times, i))
		return;
	profile->n = 0;
	put_type(w, profile, PROFILE_TYPE, cg_slice(event->name),
	    cg_slice(proto_unit_out(event->unit)));
	put_samples(w, profile, i, first);
	put_times(w, profile);
	if (period.number != 0 || period.type.len > 0)
		put_type(
		    w, profile, PROFILE_PERIOD_TYPE, period.type, period.unit);
	proto_put_number(
	    &w->w, profile, PROFILE_PERIOD, (uint64_t)period.number);
	list->n = 0;
	otlp_put_profile_attributes(w, list, event->long_name);
	if (list->n > 0)
		proto_put_bytes(&w->w, profile, PROFILE_ATTRIBUTES, list);
	proto_put_bytes(&w->w, scope, SCOPE_PROFILES, profile);
}

static void
put_scope(struct otlp_writer *w, struct proto_bytes *scope)
{
	struct cg_slice name = proto_first_desc(&w->w, OTLP_KEY_SCOPE);
	struct cg_slice version =
	    proto_first_desc(&w->w, OTLP_KEY_SCOPE_VERSION);
	const struct cg_label type = { .value = proto_first_desc(
					   &w->w, CG_MAIN_EVENT_KEY) };
	struct proto_bytes *info = &w->sample;
	size_t main = cg_main_event(w->w.graph);

	info->n = 0;
	if (name.len > 0)
		otlp_put_text(w, info, INFO_NAME, name);
	if (version.len > 0)
		otlp_put_text(w, info, INFO_VERSION, version);
	if (type.value.len > 0)
		otlp_put_key_value(
		    w, info, INFO_ATTRIBUTE, cg_slice(OTLP_KEY_MAIN), &type, 1);
	if (info->n > 0)
		proto_put_bytes(&w->w, scope, SCOPE_SCOPE, info);
	if (main < cg_event_count(w->w.graph))
		put_profile(w, scope, main, true);
	for (size_t i = 0; i < cg_event_count(w->w.graph); i++)
		if (i != main)
			put_profile(w, scope, i, false);
}

/* ---- Tables ------------------------------------------------------------- */

static void
put_mapping(struct otlp_writer *w, struct proto_bytes *buf,
    const struct proto_out_mapping *mapping)
{
	struct proto_bytes *entry = &w->sample, *list = &w->w.buf[0];
	uint32_t build_id = 0;

	if (mapping->build_id.len > 0)
		build_id = otlp_text_attribute(
		    w, OTLP_KEY_BUILD_ID, mapping->build_id);
	entry->n = 0;
	proto_put_number(&w->w, entry, MAPPING_START - 1, mapping->start);
	proto_put_number(&w->w, entry, MAPPING_LIMIT - 1, mapping->limit);
	proto_put_number(&w->w, entry, MAPPING_OFFSET - 1, mapping->offset);
	proto_put_text(&w->w, entry, MAPPING_FILENAME - 1, mapping->path);
	if (build_id != 0) {
		list->n = 0;
		proto_put_varint(&w->w, list, build_id);
		proto_put_bytes(&w->w, entry, OTLP_MAPPING_ATTRIBUTES, list);
	}
	proto_put_bytes(&w->w, buf, TABLE_MAPPING, entry);
}

/*
 * Appends entry 0 of a table to "buf". Entry 0 is empty: index 0 means none.
 */
static void
put_none(struct otlp_writer *w, struct proto_bytes *buf, enum otlp_table table)
{
	proto_put_varint(&w->w, buf, (unsigned)table << 3 | WIRE_BYTES);
	proto_put_varint(&w->w, buf, 0);
}

static void
put_table(struct otlp_writer *w, struct proto_bytes *buf, enum otlp_table table,
    const struct proto_bytes *entries)
{
	put_none(w, buf, table);
	proto_put_slice(
	    &w->w, buf, (struct cg_slice){ entries->at, entries->n });
}

/*
 * Appends the dictionary to buf. Call it after stacks and samples were
 * written, when all locations and mappings are known.
 */
static void
put_dictionary(struct otlp_writer *w, struct proto_bytes *buf)
{
	const struct proto_out_mapping *mapping = w->w.mappings.at;
	struct proto_bytes *entry = &w->sample;
	const struct cg_slice *string = w->w.strings.at;

	put_none(w, buf, TABLE_MAPPING);
	for (size_t i = 0; i < w->w.mappings.n; i++)
		put_mapping(w, buf, &mapping[i]);
	put_none(w, buf, TABLE_LOCATION);
	for (size_t i = 0; i < w->w.locations.n; i++) {
		entry->n = 0;
		proto_put_location(&w->w, entry, i, false);
		proto_put_bytes(&w->w, buf, TABLE_LOCATION, entry);
	}
	put_none(w, buf, TABLE_FUNCTION);
	for (size_t i = 0; i < w->w.functions.n; i++) {
		entry->n = 0;
		proto_put_function(&w->w, entry, i, false);
		proto_put_bytes(&w->w, buf, TABLE_FUNCTION, entry);
	}
	put_none(w, buf, TABLE_LINK);
	put_none(w, buf, TABLE_STRING);
	for (size_t i = 0; i < w->w.strings.n; i++)
		otlp_put_text(w, buf, TABLE_STRING, string[i]);
	put_table(w, buf, TABLE_ATTRIBUTE, &w->attributes);
	put_table(w, buf, TABLE_STACK, &w->stacks);
}

/* ---- The file ----------------------------------------------------------- */

static void
write_message(struct otlp_writer *w)
{
	struct proto_bytes *all = &w->message, *info = &w->info;

	all->n = info->n = 0;
	put_scope(w, info);
	w->profile.n = 0;
	otlp_put_resource(w, &w->profile);
	proto_put_bytes(&w->w, all, RESOURCE_RESOURCE, &w->profile);
	proto_put_bytes(&w->w, all, RESOURCE_SCOPES, info);
	info->n = 0;
	put_dictionary(w, info);
	if (cg_rejected(w->w.job) != CG_OK)
		return;
	if (all->n > MESSAGE_LIMIT || info->n > MESSAGE_LIMIT) {
		(void)cg_reject(w->w.job,
		    "OpenTelemetry's profiles cannot be longer than 2 GiB");
		return;
	}
	proto_write_bytes(
	    &w->w, OTLP_RESOURCES, (struct cg_slice){ all->at, all->n });
	proto_write_bytes(
	    &w->w, OTLP_DICTIONARY, (struct cg_slice){ info->at, info->n });
}

int
otlp_write(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct otlp_writer w = { .w = {
				     .job = job, .graph = graph, .out = out } };
	bool ok = proto_list_frames(&w.w) && proto_order(&w.w) &&
		  otlp_list_descs(&w) && otlp_find_times(&w.times, &w.w);

	if (ok) {
		otlp_add_strings(&w);
		w.stack = cg_alloc(job, w.w.nodes * sizeof(*w.stack));
	}
	if (ok && cg_rejected(job) == CG_OK && otlp_list_labels(&w))
		write_message(&w);
	proto_end_writer(&w.w);
	return cg_out_status(out);
}
