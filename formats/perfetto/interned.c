/*
 * interned.c - tables of a sequence: texts, mappings, frames, call stacks, and
 * what samples have in common.
 *
 * Entries of one packet may come in any order, so texts are read first, then
 * what refers to them. An entry that an earlier packet has is replaced.
 */
#include "perfetto.h"

/* ---- Numbers by iid ----------------------------------------------------- */

static bool
set_value(
    struct perfetto *r, struct perfetto_ids *ids, uint64_t iid, uint32_t value)
{
	uint32_t *at;

	if (iid - 1 < ids->dense.n) {
		ids->dense.at[iid - 1] = value;
		return true;
	}
	if (iid - 1 == ids->dense.n)
		return cg_append(r->job, &ids->dense, value);
	at = cg_map_in(r->job, &ids->sparse, iid);
	if (at)
		*at = value;
	return at != NULL;
}

uint32_t
perfetto_lookup(struct perfetto *r, const struct perfetto_tables *tables,
    enum perfetto_table table, uint64_t iid)
{
	const struct perfetto_ids *ids;
	uint32_t value = 0;

	if (iid == 0)
		return 0;
	if (tables) {
		if (tables->one_text && table <= IDS_SOURCES)
			table = IDS_FUNCTIONS;
		ids = &tables->ids[table];
		value = iid - 1 < ids->dense.n ? ids->dense.at[iid - 1]
					       : cg_map_get(&ids->sparse, iid);
	}
	r->lost[LOST_UNDEFINED] += value == 0;
	return value;
}

void
perfetto_clear_tables(struct perfetto_tables *tables)
{
	for (size_t i = 0; tables && i < PERFETTO_TABLES; i++) {
		tables->ids[i].dense.n = 0;
		cg_map_clear(&tables->ids[i].sparse);
	}
}

/* ---- Entries ------------------------------------------------------------ */

/*
 * Returns the text with an id (iid) in a table of the sequence, as a name of
 * the graph. 0: there is none; it is counted as undefined unless the id is 0.
 */
static cg_name
text_of(struct perfetto *r, const struct perfetto_tables *tables,
    enum perfetto_table table, uint64_t iid)
{
	uint32_t name = perfetto_lookup(r, tables, table, iid);

	return name ? name - 1 : 0;
}

/*
 * Sets *iid to the id of a table's entry, its field 1; 0: it has none. False:
 * malformed (reported).
 */
static bool
take_iid(struct perfetto *r, struct cg_slice message, uint64_t *iid)
{
	struct proto_field field;

	*iid = 0;
	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == INTERNED_IID)
			*iid = field.value;
	}
	return true;
}

static bool
read_text(struct perfetto *r, struct cg_slice message, uint32_t *value)
{
	struct proto_field field;

	*value = 1;
	while (message.len > 0) {
		(void)proto_take_field(&message, &field);
		if (field.number == INTERNED_TEXT && field.wire == WIRE_BYTES)
			*value = cg_add_name(r->build, field.bytes) + 1;
	}
	return true;
}

/*
 * Returns the path "/a/b" whose components have the ids in r->number. Chrome
 * writes a path as a single component. So returns a single component as it is,
 * without a slash. A component that is not defined becomes an empty one.
 * Overwrites r->number. 0: out of memory, or the paths grow too large for the
 * file (reported).
 */
static cg_name
join_path(struct perfetto *r, const struct perfetto_tables *tables)
{
	size_t len = 0;
	cg_name name;
	char *text, *to;

	if (r->number.n == 1)
		return text_of(r, tables, IDS_PATHS, r->number.at[0]);
	for (size_t i = 0; i < r->number.n; i++) {
		name = text_of(r, tables, IDS_PATHS, r->number.at[i]);
		r->number.at[i] = name;
		len += 1 + cg_get_name(r->build, name).len;
	}
	/* A few bytes may repeat a long text often. */
	if (cg_is_bomb(
		r->joined += len, cg_in_offset(r->in), CG_EXPANSION_HELD)) {
		(void)cg_reject(r->job, "expected shorter paths");
		return 0;
	}
	r->text.n = 0;
	if (!cg_resize(r->job, &r->text, len + 1))
		return 0;
	text = to = r->text.at;
	for (size_t i = 0; i < r->number.n; i++) {
		struct cg_slice part =
		    cg_get_name(r->build, (cg_name)r->number.at[i]);

		*to++ = '/';
		memcpy(to, part.ptr, part.len);
		to += part.len;
	}
	return cg_add_name(
	    r->build, (struct cg_slice){ text, (size_t)(to - text) });
}

static bool
read_mapping(struct perfetto *r, const struct perfetto_tables *tables,
    struct cg_slice message, uint32_t *value)
{
	struct perfetto_mapping mapping = { 0 };
	struct proto_field field;
	uint64_t build_id = 0;

	r->number.n = 0;
	while (message.len > 0) {
		(void)proto_take_field(&message, &field);
		if (field.number == OUT_MAPPING_BUILD_ID)
			build_id = field.value;
		else if (field.number == OUT_MAPPING_BIAS)
			mapping.bias = field.value;
		else if (field.number == OUT_MAPPING_PATH &&
			 !perfetto_take_numbers(r, &field))
			return false;
	}
	if (r->number.n > 0)
		mapping.path = join_path(r, tables);
	if (build_id != 0)
		mapping.build_id = perfetto_build_id(
		    r, cg_get_name(r->build,
			   text_of(r, tables, IDS_BUILD_IDS, build_id)));
	else if (cg_equal(cg_get_name(r->build, mapping.path), KERNEL_PATH))
		mapping.path = cg_add_name(r->build, cg_slice(KERNEL_OBJECT));
	return perfetto_add_mapping(r, &mapping, value);
}

static bool
read_frame(struct perfetto *r, const struct perfetto_tables *tables,
    struct cg_slice message, uint32_t *value)
{
	struct perfetto_frame frame = { 0 };
	struct proto_field field;

	while (message.len > 0) {
		(void)proto_take_field(&message, &field);
		switch (field.number) {
		case FRAME_FUNCTION:
			frame.name =
			    text_of(r, tables, IDS_FUNCTIONS, field.value);
			break;
		case FRAME_MAPPING:
			frame.mapping = perfetto_lookup(
			    r, tables, IDS_MAPPINGS, field.value);
			break;
		case FRAME_PC: frame.addr = field.value; break;
		case FRAME_SOURCE:
			frame.source =
			    text_of(r, tables, IDS_SOURCES, field.value);
			break;
		case FRAME_LINE: frame.line = proto_line(field.value); break;
		case FRAME_KIND_TEXT:
			frame.inlined = field.wire == WIRE_BYTES &&
					cg_equal(field.bytes, KIND_INLINED);
		}
	}
	if (frame.mapping == 0)
		frame.addr = 0;
	return perfetto_add_frame(r, &frame, value);
}

/*
 * Reads a call stack of the sequence's table: a list of frame ids, the
 * outermost first. Sets *value to the stack's number + 1; equal stacks have
 * the same number. Skips undefined frames. A stack without frames has number
 * 0. False: an error (reported).
 */
static bool
read_stack(struct perfetto *r, const struct perfetto_tables *tables,
    struct cg_slice message, uint32_t *value)
{
	struct proto_field field;
	uint32_t stack = 0, frame;

	r->number.n = 0;
	while (message.len > 0) {
		(void)proto_take_field(&message, &field);
		if (field.number == STACK_FRAMES &&
		    !perfetto_take_numbers(r, &field))
			return false;
	}
	for (size_t i = 0; i < r->number.n; i++) {
		frame = perfetto_lookup(r, tables, IDS_FRAMES, r->number.at[i]);
		if (frame != 0 && !perfetto_add_stack(r, frame, &stack))
			return false;
	}
	*value = stack + 1;
	return true;
}

bool
perfetto_read_task(
    struct perfetto *r, struct cg_slice message, uint32_t *thread)
{
	struct proto_field field;
	uint64_t pid = 0, tid = 0;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == TASK_PID)
			pid = (uint32_t)field.value;
		else if (field.number == TASK_TID)
			tid = (uint32_t)field.value;
		else if (field.number == TASK_ASYNC)
			r->lost[LOST_ASYNC_IDS]++;
	}
	return perfetto_find_thread(r, pid, tid, thread);
}

bool
perfetto_read_place(struct perfetto *r, struct cg_slice message, uint32_t *cpu)
{
	struct proto_field field;

	*cpu = 0;
	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == PLACE_CPU && field.value < UINT32_MAX - 1)
			*cpu = (uint32_t)field.value + 1;
	}
	return true;
}

/* Units of StackSample, as those of events. */
static const char *const units[] = { "", "ns", "cycles", "instructions",
	"bytes", "page-faults", "cache-misses", "cache-references",
	"branch-misses", "" };

bool
perfetto_read_counter(
    struct perfetto *r, struct cg_slice message, uint32_t *column)
{
	struct perfetto_column new = { 0 };
	struct proto_field field;
	const char *unit = "";

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == COUNTER_NAME && field.wire == WIRE_BYTES)
			new.name = cg_add_name(r->build, field.bytes);
		else if (field.number == COUNTER_UNIT &&
			 field.value < sizeof(units) / sizeof(*units))
			unit = units[field.value];
		else if (field.number == COUNTER_UNIT_TEXT &&
			 field.wire == WIRE_BYTES)
			new.unit = cg_add_name(r->build, field.bytes);
		else if (field.number == COUNTER_DESCRIPTION &&
			 field.wire == WIRE_BYTES)
			new.description = cg_add_name(r->build, field.bytes);
		else if (field.number == COUNTER_MULTIPLIER && field.value > 1)
			cg_warn(r->job,
			    "a counter has the multiplier %llu: its values are "
			    "not multiplied",
			    (unsigned long long)field.value);
	}
	if (new.unit == 0)
		new.unit = cg_add_name(r->build, cg_slice(unit));
	return perfetto_add_column(r, &new, column);
}

/* ---- Messages ----------------------------------------------------------- */

/* A kind of entry: its field, its table, and in which pass it is read. */
struct kind {
	uint64_t field;
	enum perfetto_table table;
	int pass;
};
static const struct kind kinds[] = {
	{ INTERNED_EVENTS, IDS_EVENTS, 0 },
	{ INTERNED_FUNCTIONS, IDS_FUNCTIONS, 0 },
	{ INTERNED_BUILD_IDS, IDS_BUILD_IDS, 0 },
	{ INTERNED_PATHS, IDS_PATHS, 0 },
	{ INTERNED_SOURCES, IDS_SOURCES, 0 },
	{ INTERNED_MAPPINGS, IDS_MAPPINGS, 1 },
	{ INTERNED_FRAMES, IDS_FRAMES, 2 },
	{ INTERNED_STACKS, IDS_STACKS, 3 },
	{ INTERNED_TASKS, IDS_TASKS, 0 },
	{ INTERNED_PLACES, IDS_PLACES, 0 },
	{ INTERNED_COUNTERS, IDS_COUNTERS, 0 },
};
static const struct kind heap_kinds[] = {
	{ HEAP_STRING, IDS_FUNCTIONS, 0 },
	{ HEAP_MAPPING, IDS_MAPPINGS, 1 },
	{ HEAP_FRAME, IDS_FRAMES, 2 },
	{ HEAP_STACK, IDS_STACKS, 3 },
};
#define PASSES 4

static bool
read_entry(struct perfetto *r, struct perfetto_tables *tables,
    const struct kind *kind, struct cg_slice message)
{
	uint32_t value = 0;
	uint64_t iid;
	bool ok;

	/* Checks the fields, too. */
	if (!take_iid(r, message, &iid))
		return false;
	switch (kind->table) {
	case IDS_MAPPINGS: ok = read_mapping(r, tables, message, &value); break;
	case IDS_FRAMES: ok = read_frame(r, tables, message, &value); break;
	case IDS_STACKS: ok = read_stack(r, tables, message, &value); break;
	case IDS_TASKS:
		ok = perfetto_read_task(r, message, &value);
		value++;
		break;
	case IDS_PLACES:
		ok = perfetto_read_place(r, message, &value);
		value++;
		break;
	case IDS_COUNTERS:
		ok = perfetto_read_counter(r, message, &value);
		value++;
		break;
	default: ok = read_text(r, message, &value);
	}
	return ok && set_value(r, &tables->ids[kind->table], iid, value);
}

static bool
read_tables(struct perfetto *r, struct perfetto_tables *tables,
    const struct kind *kind, size_t n, struct cg_slice message)
{
	unsigned passes = 1;
	struct proto_field field;

	for (int pass = 0; pass < PASSES; pass++) {
		struct cg_slice rest =
		    passes >> pass & 1 ? message : (struct cg_slice){ "", 0 };

		while (rest.len > 0) {
			size_t i = 0;

			if (!perfetto_take(r, &rest, &field))
				return false;
			while (i < n && kind[i].field != field.number)
				i++;
			if (i == n || field.wire != WIRE_BYTES)
				continue;
			passes |= 1u << kind[i].pass;
			if (kind[i].pass == pass &&
			    !read_entry(r, tables, &kind[i], field.bytes))
				return false;
		}
	}
	return true;
}

bool
perfetto_read_interned(struct perfetto *r, struct perfetto_sequence *sequence,
    struct cg_slice message)
{
	if (!sequence->interned)
		sequence->interned =
		    cg_alloc(r->job, sizeof(*sequence->interned));
	return sequence->interned &&
	       read_tables(r, sequence->interned, kinds,
		   sizeof(kinds) / sizeof(*kinds), message);
}

bool
perfetto_read_heap_tables(struct perfetto *r,
    struct perfetto_sequence *sequence, struct cg_slice message)
{
	if (!sequence->heap)
		sequence->heap = cg_alloc(r->job, sizeof(*sequence->heap));
	if (!sequence->heap)
		return false;
	sequence->heap->one_text = true;
	return read_tables(r, sequence->heap, heap_kinds,
	    sizeof(heap_kinds) / sizeof(*heap_kinds), message);
}
