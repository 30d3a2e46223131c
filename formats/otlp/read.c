/*
 * read.c - reads OpenTelemetry's profiles: resources, scopes, profiles,
 * samples.
 *
 * The profiles of a file are its events. Attributes of the only resource are
 * descriptions of the part; of several, labels of their samples.
 */
#include <inttypes.h>

#include "otlp.h"

/* ---- Attributes --------------------------------------------------------- */

/*
 * Appends the attributes of a message, a Resource or a scope, to the list, as
 * labels. They are in the fields with number "number". The field with the next
 * number states how many attributes the profiler dropped; adds them to
 * w->missing. False: an error (reported).
 */
static bool
take_attributes(struct otlp_walk *w, struct cg_slice message, uint64_t number,
    struct proto_labels *list)
{
	struct proto_field field;

	while (message.len > 0) {
		if (!otlp_take_field(w->r, &message, &field))
			return false;
		if (field.number == number + 1)
			w->missing += field.value;
		if (field.number == number && field.wire == WIRE_BYTES &&
		    !otlp_add_attribute(w->r, field.bytes, false, list))
			return false;
	}
	return true;
}

static void
describe(struct otlp_reader *r, const char *key, struct cg_slice value)
{
	if (value.len > 0)
		cg_add_desc(r->build, cg_slice(key), value);
}

/*
 * Stores a label in *info, the facts about a part of the graph (the profile of
 * a process), if the label is the part's number, pid, tid or command. Returns
 * true if the label then needs no description, as *info has all of it. Returns
 * false for other labels, and for a command that is not the whole command
 * line.
 *
 * commands[] lists the attributes that name the command, the best one last.
 * *best must be 0 before the first call for a part. It becomes the index of
 * the best attribute so far. Attributes with a lower index do not change the
 * command.
 */
static bool
note_part(struct otlp_reader *r, const struct cg_label *label,
    struct cg_part_info *info, int *best)
{
	static const char *const commands[] = { "process.executable.name",
		"process.executable.path", "process.command", OTLP_KEY_CMD };
	uint64_t *to = cg_equal(label->key, OTLP_KEY_PART)   ? &info->part
		       : cg_equal(label->key, "process.pid") ? &info->pid
		       : cg_equal(label->key, "thread.id")   ? &info->tid
							     : NULL;

	if (to && label->value.len == 0 && label->number > 0) {
		*to = (uint64_t)label->number;
		return true;
	}
	for (int i = *best; i < 4; i++) {
		if (!cg_equal(label->key, commands[i]))
			continue;
		*best = i;
		info->cmd = otlp_keep_string(r, otlp_label_text(r, label));
	}
	return cg_equal(label->key, OTLP_KEY_CMD);
}

/*
 * Begins the graph's part (the profile of a process), unless the part has
 * begun. If the file has one resource, the resource's attributes (r->resource)
 * become pid, tid, command and descriptions of the part. If it has several
 * resources, set_labels() adds their attributes to samples instead.
 */
static void
begin_part(struct otlp_walk *w)
{
	struct otlp_reader *r = w->r;
	const struct cg_label *label = r->resource.at;
	size_t count = r->several ? 0 : r->resource.n;
	struct cg_part_info info = { .cmd = "" };
	int best = 0;

	if (r->in_part)
		return;
	r->in_part = true;
	for (size_t i = 0; i < count; i++)
		(void)note_part(r, &label[i], &info, &best);
	(void)cg_add_part(r->build, &info);
	for (size_t i = 0; i < count; i++) {
		if (!note_part(r, &label[i], &info, &best))
			cg_add_desc(r->build, label[i].key,
			    otlp_label_text(r, &label[i]));
	}
}

/* ---- Events ------------------------------------------------------------- */

static bool
take_type(struct otlp_reader *r, struct cg_slice message, cg_name type[2])
{
	struct proto_field field;

	type[0] = type[1] = 0;
	while (message.len > 0) {
		if (!otlp_take_field(r, &message, &field))
			return false;
		if (field.wire != WIRE_VARINT)
			return cg_reject_at(
			    r->job, field.at, "expected a number");
		/* Version 1.8: field 3 is aggregation_temporality. */
		if (field.number <= VALUE_UNIT &&
		    !proto_get_name(
			&r->tables, field.value, &type[field.number - 1]))
			return false;
	}
	return true;
}

/*
 * Returns the sample type (an event of the graph) with the name and unit in
 * name[0] and name[1]. Adds it to r->types if it is new. A new type with the
 * name of an earlier one gets the mark "same". Valid until the next call.
 * NULL: too many types, or out of memory (reported).
 */
static struct otlp_type *
find_type(struct otlp_reader *r, const cg_name name[2])
{
	struct otlp_type *type = r->types.at;
	size_t count = r->types.n;

	for (size_t i = 0; i < count; i++)
		if (type[i].type == name[0] && type[i].unit == name[1])
			return &type[i];
	if (count >= CG_EVENT_MAX) {
		(void)cg_reject(r->job, "expected no more sample types");
		return NULL;
	}
	type = proto_push(r->job, &r->types);
	if (!type)
		return NULL;
	*type = (struct otlp_type){ .type = name[0], .unit = name[1] };
	for (size_t i = 0; i < count; i++)
		type->same |= r->types.at[i].type == name[0];
	return type;
}

static bool
add_event(struct otlp_reader *r, struct cg_slice message,
    struct cg_slice type_message, const char *long_name,
    struct otlp_profile *profile)
{
	struct cg_event event = { .long_name = long_name,
		.incl = CG_INCL_STATED };
	const struct otlp_type *type;
	struct cg_slice text;
	cg_name name[2];
	size_t number;
	const char *word;

	if (!take_type(r, type_message, name) ||
	    !otlp_find_signed(r, message, &event.is_signed))
		return false;
	type = find_type(r, name);
	if (!type)
		return false;
	number = (size_t)(type - r->types.at) + 1;
	text = cg_get_name(r->build, name[0]);
	word = proto_event_word(r->job, text, type->same ? number : 0);
	if (!word)
		return false;
	event.name = word;
	event.unit = proto_unit_in(cg_get_name(r->build, name[1]).ptr);
	profile->counts = cg_equal(text, "samples");
	profile->column = cg_add_event(r->build, &event);
	return cg_build_status(r->build) == CG_OK;
}

/* ---- Profiles ----------------------------------------------------------- */

/*
 * Adds a description of the sampling period and its type, unless both are
 * unknown. The type is in "message". The graph has at most one such
 * description. If it has a different one already, adds 1 to
 * r->lost[LOST_PERIODS] instead. False: an error (reported).
 */
static bool
add_period(struct otlp_reader *r, uint64_t period, struct cg_slice message)
{
	const char *before, *text;
	cg_name name[2];

	if (!take_type(r, message, name))
		return false;
	if (period == 0 && name[0] == 0)
		return true;
	text = proto_period_text(r->job, (int64_t)period,
	    cg_get_name(r->build, name[0]), cg_get_name(r->build, name[1]));
	if (!text)
		return false;
	before = cg_build_desc(r->build, PROTO_KEY_PERIOD);
	if (*before == '\0')
		describe(r, PROTO_KEY_PERIOD, cg_slice(text));
	else
		r->lost[LOST_PERIODS] += strcmp(before, text) != 0;
	return true;
}

/*
 * Widens the time from w->begin to w->end so that it includes the time of a
 * profile. "begin" and "duration" are in ns. Ignores a profile without times,
 * or whose end overflows.
 */
static void
note_times(struct otlp_walk *w, uint64_t begin, uint64_t duration)
{
	uint64_t end;

	if ((begin == 0 && duration == 0) ||
	    __builtin_add_overflow(begin, duration, &end))
		return;
	if (!w->dated || begin < w->begin)
		w->begin = begin;
	if (!w->dated || end > w->end)
		w->end = end;
	w->dated = true;
}

/*
 * Adds an attribute of a profile to the graph's descriptions, unless an
 * earlier call did so. "index" is the attribute's entry in the table of
 * attributes. If the attribute is the long name of the profile's event, it
 * becomes no description. Then each call sets *long_name to it. False: an
 * error (reported).
 */
static bool
describe_profile(struct otlp_walk *w, uint64_t index, const char **long_name)
{
	struct otlp_reader *r = w->r;
	uint32_t *known = cg_map_in(r->job, &w->described, index);
	const struct cg_label *label;

	r->label.n = 0;
	if (!known || !otlp_add_indexed(r, index, &r->label))
		return false;
	label = r->label.at;
	for (size_t i = 0; i < r->label.n; i++) {
		const struct otlp_role *key = otlp_profile_keys;
		struct cg_slice text = otlp_label_text(r, &label[i]);

		while (
		    key->attribute && !cg_equal(label[i].key, key->attribute))
			key++;
		if (cg_equal(label[i].key, OTLP_KEY_LONG_NAME))
			*long_name = otlp_keep_string(r, text);
		else if (*known == 0 && key->attribute)
			describe(r, key->label, text);
		else if (*known == 0)
			cg_add_desc(r->build, label[i].key, text);
	}
	*known = 1;
	return true;
}

/*
 * Adds a comment of a profile as a description. "index" is the comment's entry
 * in the string table. Profiles of version 1.8 have comments. False: an error
 * (reported).
 */
static bool
describe_comment(struct otlp_reader *r, uint64_t index)
{
	struct cg_slice text;

	if (!proto_get_text(&r->tables, index, &text))
		return false;
	describe(r, PROTO_KEY_COMMENT, text);
	return true;
}

/*
 * The fields of a profile except its samples, by number of version 1.9 or
 * later.
 */
struct header {
	uint64_t scalar[PROFILE_FIELDS];
	struct cg_slice type, period_type;
};

static bool
take_header(struct otlp_walk *w, struct cg_slice message, struct header *header)
{
	struct otlp_reader *r = w->r;
	const unsigned comments = r->layout->comments;
	struct proto_field field;

	*header =
	    (struct header){ .type = { "", 0 }, .period_type = { "", 0 } };
	r->values.n = r->indices.n = 0;
	while (message.len > 0) {
		struct otlp_numbers *list = &r->indices;

		if (!otlp_take_field(r, &message, &field))
			return false;
		if (comments != 0 && field.number == comments)
			list = &r->values;
		else if (comments != 0 && field.number > comments)
			field.number--;
		if (field.number == PROFILE_TYPE)
			header->type = field.bytes;
		else if (field.number == PROFILE_PERIOD_TYPE)
			header->period_type = field.bytes;
		else if (list != &r->indices ||
			 field.number == PROFILE_ATTRIBUTES) {
			if (!otlp_take_numbers(r, &field, list, false))
				return false;
		} else if (field.number >= PROFILE_FIELDS)
			proto_skip_field(r->job, &field);
		else
			header->scalar[field.number] = field.value;
	}
	return true;
}

static bool
read_profile(struct otlp_walk *w, struct cg_slice message, uint32_t number)
{
	struct otlp_reader *r = w->r;
	struct otlp_profile profile = { .number = number };
	const char *long_name = "";
	struct proto_field field;
	struct header header;

	if (!take_header(w, message, &header))
		return false;
	for (size_t i = 0; i < r->values.n; i++)
		if (!describe_comment(r, r->values.at[i]))
			return false;
	for (size_t i = 0; i < r->indices.n; i++)
		if (!describe_profile(w, r->indices.at[i], &long_name))
			return false;
	r->lost[LOST_PAYLOADS] += header.scalar[PROFILE_PAYLOAD] != 0;
	w->missing += header.scalar[PROFILE_DROPPED];
	note_times(
	    w, header.scalar[PROFILE_TIME], header.scalar[PROFILE_DURATION]);
	if (!add_period(r, header.scalar[PROFILE_PERIOD], header.period_type) ||
	    !add_event(r, message, header.type, long_name, &profile))
		return false;
	w->labelled = false;
	w->next = 0;
	while (message.len > 0) {
		(void)proto_take_field(&message, &field);
		if (field.number == PROFILE_SAMPLE &&
		    !otlp_add_sample(w, &profile, field.bytes))
			return false;
	}
	return true;
}

/* ---- Scopes and resources ----------------------------------------------- */

/*
 * Adds name and version of a scope (the instrumentation) as descriptions. The
 * graph has one of each. If a later scope has a different name or version,
 * counts it in r->lost. Also adds the description of the main event, if an
 * attribute of the scope names that event. Counts the scope's other attributes
 * in r->lost. False: an error (reported).
 */
static bool
describe_scope(struct otlp_walk *w, struct cg_slice message)
{
	static const char *const keys[] = { [INFO_NAME] = OTLP_KEY_SCOPE,
		[INFO_VERSION] = OTLP_KEY_SCOPE_VERSION };
	struct otlp_reader *r = w->r;
	struct cg_slice rest = message;
	struct proto_field field;
	const struct cg_label *label;

	while (rest.len > 0) {
		const char *key;

		if (!otlp_take_field(r, &rest, &field))
			return false;
		if (field.number > INFO_VERSION || field.wire != WIRE_BYTES)
			continue;
		key = cg_build_desc(r->build, keys[field.number]);
		if (*key == '\0')
			describe(r, keys[field.number], field.bytes);
		else
			r->lost[LOST_SCOPES] += !cg_equal(field.bytes, key);
	}
	r->label.n = 0;
	if (!take_attributes(w, message, INFO_ATTRIBUTE, &r->label))
		return false;
	label = r->label.at;
	for (size_t i = 0; i < r->label.n; i++) {
		if (cg_equal(label[i].key, OTLP_KEY_MAIN))
			describe(r, CG_MAIN_EVENT_KEY, label[i].value);
		else
			r->lost[LOST_SCOPES]++;
	}
	return true;
}

static bool
read_scope(struct otlp_walk *w, struct cg_slice message)
{
	struct cg_slice rest = message;
	struct proto_field field;
	uint32_t profiles = 0, number = 0;

	while (rest.len > 0) {
		if (!otlp_take_field(w->r, &rest, &field))
			return false;
		if (field.number == SCOPE_SCOPE &&
		    !describe_scope(w, field.bytes))
			return false;
		profiles += field.number == SCOPE_PROFILES;
		w->r->lost[LOST_SCHEMAS] += field.number == SCOPE_SCHEMA;
	}
	cg_map_clear(&w->ids);
	w->seen.n = 0;
	w->alone = profiles == 1;
	while (message.len > 0) {
		(void)proto_take_field(&message, &field);
		if (field.number == SCOPE_PROFILES &&
		    !read_profile(w, field.bytes, ++number))
			return false;
	}
	return true;
}

/*
 * Returns the field Resource of a ResourceProfiles message; "" if there is
 * none.
 */
static struct cg_slice
find_resource(struct cg_slice message)
{
	struct proto_field field;

	while (proto_take_field(&message, &field))
		if (field.number == RESOURCE_RESOURCE)
			return field.bytes;
	return (struct cg_slice){ "", 0 };
}

static bool
read_resource(struct otlp_walk *w, struct cg_slice message)
{
	struct otlp_reader *r = w->r;
	struct proto_field field;

	r->resource.n = 0;
	w->resources++;
	if (!take_attributes(
		w, find_resource(message), ATTRIBUTES_ATTRIBUTE, &r->resource))
		return false;
	begin_part(w);
	while (message.len > 0) {
		if (!otlp_take_field(r, &message, &field))
			return false;
		if (field.number == RESOURCE_SCOPES &&
		    !read_scope(w, field.bytes))
			return false;
		r->lost[LOST_SCHEMAS] += field.number == RESOURCE_SCHEMA;
	}
	return true;
}

/* ---- The file ----------------------------------------------------------- */

static bool
read_waiting(struct otlp_walk *w)
{
	const struct cg_slice *message = w->waiting.at;

	if (!w->opened &&
	    !otlp_open_dictionary(w->r, (struct cg_slice){ "", 0 }))
		return false;
	w->opened = true;
	for (size_t i = 0; i < w->waiting.n; i++)
		if (!read_resource(w, message[i]))
			return false;
	w->waiting.n = 0;
	return true;
}

/*
 * Closes the current dictionary (the tables of a message), if one is open, and
 * opens the one in "message". Empties w->described and w->label_sets, whose
 * keys are indices of the closed dictionary's tables. False: an error
 * (reported).
 */
static bool
open_dictionary(struct otlp_walk *w, struct cg_slice message)
{
	if (w->opened) {
		otlp_close_dictionary(w->r);
		cg_map_clear(&w->described);
		cg_map_clear(&w->label_sets);
	}
	w->opened = true;
	return otlp_open_dictionary(w->r, message);
}

/*
 * Reads the messages of a file, which follow each other without a separator.
 * If the file begins with a dictionary, each dictionary is for the profiles
 * after it. Otherwise each dictionary is for the profiles before it. Collects
 * profiles in w->waiting until their dictionary is open and the last of them
 * was found. False: an error (reported).
 */
static bool
read_messages(struct otlp_walk *w, struct cg_slice file)
{
	bool first = false, any = false;
	struct proto_field field;
	struct cg_slice *to;

	while (file.len > 0) {
		if (!otlp_take_field(w->r, &file, &field))
			return false;
		if (!any)
			first = field.number == OTLP_DICTIONARY;
		any = true;
		if (field.number == OTLP_RESOURCES) {
			to = proto_push(w->r->job, &w->waiting);
			if (!to)
				return false;
			*to = field.bytes;
		} else if (field.number != OTLP_DICTIONARY) {
			proto_skip_field(w->r->job, &field);
		} else if ((first && w->opened && !read_waiting(w)) ||
			   !open_dictionary(w, field.bytes) ||
			   (!first && !read_waiting(w))) {
			return false;
		}
	}
	return read_waiting(w);
}

/*
 * Returns true if a resource in the text differs from the resource before it.
 * Before the first text, *first must have ptr NULL. After each text, *first is
 * the last resource so far. If the result is true, *first is undefined.
 */
static bool
has_several(struct cg_slice file, struct cg_slice *first)
{
	struct cg_slice resource;
	struct proto_field field;

	while (proto_take_field(&file, &field)) {
		if (field.number != OTLP_RESOURCES)
			continue;
		resource = find_resource(field.bytes);
		if (first->ptr && cg_compare(*first, resource) != 0)
			return true;
		*first = resource;
	}
	return false;
}

/*
 * Returns the layout of the messages: the field numbers of their version.
 * NULL: they are no profiles, or of a version that is not read (reported).
 */
static const struct otlp_layout *
find_layout(struct otlp_reader *r, struct cg_slice file)
{
	const struct otlp_layout *layout = otlp_find_layout(file, false, NULL);

	if (!layout)
		(void)cg_reject(r->job, "expected a profile of OpenTelemetry "
					"(version 1.8 to 1.11)");
	else if (!layout->readable)
		(void)cg_reject(r->job,
		    "expected version 1.8 to 1.11 of OpenTelemetry's profiles, "
		    "not %s",
		    layout->versions);
	return layout && layout->readable ? layout : NULL;
}

/*
 * Reads the messages of a file in which each message is preceded by its size.
 * "form" tells how the file stores sizes. First sets r->several if the file
 * has different resources. Skips empty messages. False: an error (reported).
 */
static bool
read_sized(struct otlp_walk *w, struct cg_slice file, enum otlp_form form)
{
	struct cg_slice rest = file, first = { NULL, 0 }, message;

	while (otlp_take_sized(&rest, form, &message))
		w->r->several |= has_several(message, &first);
	rest = file;
	while (rest.len > 0) {
		const char *at = rest.ptr;

		if (!otlp_take_sized(&rest, form, &message))
			return cg_reject_at(w->r->job, at,
			    "expected a size, and a message of it");
		if (message.len == 0)
			continue;
		w->r->layout = find_layout(w->r, message);
		if (!w->r->layout || !read_messages(w, message))
			return false;
	}
	return true;
}

/*
 * Reads messages of the layout w->r->layout that follow each other. First sets
 * r->several if they have different resources. False: an error (reported).
 */
static bool
read_plain(struct otlp_walk *w, struct cg_slice file)
{
	struct cg_slice first = { NULL, 0 };

	w->r->several = has_several(file, &first);
	return read_messages(w, file);
}

static bool
read_file(struct otlp_walk *w, struct cg_slice file)
{
	struct otlp_reader *r = w->r;
	const enum otlp_form form = otlp_get_form(file);

	if (form == OTLP_SIZED || form == OTLP_DELIMITED)
		return read_sized(w, file, form);
	if (form == OTLP_PACKED)
		return cg_reject(r->job, "expected messages that are not each "
					 "compressed by zstd");
	r->layout = find_layout(r, file);
	return r->layout && read_plain(w, file);
}

/*
 * Reads an input, which is JSON or messages of protocol buffers. Converts JSON
 * to messages piece by piece, so that memory does not hold both. Reads
 * messages as a whole. False: an error (reported).
 */
static bool
read_input(struct otlp_walk *w, struct cg_in *in)
{
	struct otlp_reader *r = w->r;
	struct proto_bytes converted;
	struct cg_slice file;
	uint64_t head = OTLP_HEAD;

	/* JSON may begin after any blanks, which are no message. */
	while (cg_look_bytes(in, head, &file) && otlp_is_blank(file) &&
	       head < CG_PROBE_BYTES)
		head *= 4;
	if (!otlp_begins_json(file))
		return cg_read_all(in, &file) && read_file(w, file);
	r->layout = otlp_json_layout();
	return otlp_convert_json(r->job, in, &converted) &&
	       read_plain(w, (struct cg_slice){ converted.at, converted.n });
}

static void
tell(struct otlp_walk *w)
{
	static const char *const names[OTLP_LOSTS] = {
		[LOST_COLUMNS] = "columns of lines",
		[LOST_FRAMES] = "attributes of locations",
		[LOST_MAPPINGS] = "attributes of mappings",
		[LOST_VALUES] = "attributes that are maps or nested lists",
		[LOST_SCOPES] = "attributes and names of further scopes",
		[LOST_PERIODS] = "periods that differ from the first one",
		[LOST_PAYLOADS] = "original payloads",
		[LOST_SCHEMAS] = "schema URLs",
	};
	struct otlp_reader *r = w->r;
	char text[CG_NUMBER_MAX];
	size_t len;

	for (int i = 0; i < OTLP_LOSTS; i++)
		if (r->lost[i] > 0)
			cg_note(r->job, "dropped %s: %" PRIu64, names[i],
			    r->lost[i]);
	if (w->missing > 0)
		cg_note(r->job, "the profiler dropped %" PRIu64 " attributes",
		    w->missing);
	if (!w->dated)
		return;
	if (w->begin > 0) {
		len = (size_t)(cg_format_u64(text, w->begin) - text);
		describe(r, PROTO_KEY_TIME, (struct cg_slice){ text, len });
	}
	if (w->end > w->begin) {
		len = (size_t)(cg_format_u64(text, w->end - w->begin) - text);
		describe(r, PROTO_KEY_DURATION, (struct cg_slice){ text, len });
	}
}

int
otlp_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct otlp_reader r = { .job = job,
		.build = build,
		.tables = { .job = job, .in = in, .build = build } };
	struct otlp_walk w = { .r = &r };

	if (read_input(&w, in))
		tell(&w);
	return cg_in_status(in);
}
