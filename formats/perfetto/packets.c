/*
 * packets.c - takes the packets of a trace, one by one, and keeps the state of
 * their sequences.
 */
#include <inttypes.h>
#include <zlib.h>

#include "perfetto.h"

/* ---- Sequences ---------------------------------------------------------- */

static struct perfetto_sequence *
find_sequence(struct perfetto *r, uint32_t id)
{
	struct perfetto_sequence *new;
	uint32_t *index;

	if (r->sequence.n > 0 && r->sequence.at[r->last].id == id)
		return &r->sequence.at[r->last];
	index = cg_map_in(r->job, &r->sequence_ids, id);
	if (!index)
		return NULL;
	if (*index == 0) {
		new = cg_push(r->job, &r->sequence);
		if (!new)
			return NULL;
		new->id = id;
		*index = (uint32_t)r->sequence.n;
	}
	r->last = *index - 1;
	return &r->sequence.at[r->last];
}

static void
clear_defaults(struct perfetto_sequence *sequence)
{
	sequence->clock = 0;
	sequence->has_track = false;
	sequence->perf.n = sequence->counters.n = 0;
}

static bool
read_event_defaults(
    struct perfetto *r, struct perfetto_sequence *s, struct cg_slice message)
{
	struct proto_field field;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number != EVENT_TRACK)
			continue;
		s->has_track = true;
		s->track = field.value;
	}
	return true;
}

static bool
read_defaults(
    struct perfetto *r, struct perfetto_sequence *s, struct cg_slice message)
{
	struct proto_field field;
	bool ok = true;

	clear_defaults(s);
	while (ok && message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == DEFAULTS_CLOCK)
			s->clock = (uint32_t)field.value;
		else if (field.wire != WIRE_BYTES)
			continue;
		else if (field.number == DEFAULTS_EVENT)
			ok = read_event_defaults(r, s, field.bytes);
		else if (field.number == DEFAULTS_PERF)
			ok = perfetto_read_perf_defaults(r, s, field.bytes);
		else if (field.number == DEFAULTS_STACK_SAMPLE)
			ok = perfetto_read_sample_defaults(r, s, field.bytes);
	}
	return ok;
}

/* ---- Packets ------------------------------------------------------------ */

/* The fields of a packet; data is the message that it has. */
struct head {
	uint64_t time, sequence, flags, clock;
	uint64_t field; /* of the data; 0: none */
	struct cg_slice data, defaults, interned;
	bool has_defaults, has_interned;
	bool timed, cleared, dropped, first;
};

static bool
take_head(struct perfetto *r, struct cg_slice message, struct head *head)
{
	struct proto_field field;

	*head = (struct head){ .field = 0 };
	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		switch (field.number) {
		case PACKET_TIMESTAMP:
			head->time = field.value;
			head->timed = true;
			break;
		case PACKET_SEQUENCE: head->sequence = field.value; break;
		case PACKET_FLAGS: head->flags = field.value; break;
		case PACKET_CLEARED: head->cleared = field.value != 0; break;
		case PACKET_DROPPED: head->dropped = field.value != 0; break;
		case PACKET_FIRST: head->first = field.value != 0; break;
		case PACKET_CLOCK: head->clock = field.value; break;
		case PACKET_INTERNED:
			if (field.wire != WIRE_BYTES)
				break;
			head->interned = field.bytes;
			head->has_interned = true;
			break;
		case PACKET_DEFAULTS:
			if (field.wire != WIRE_BYTES)
				break;
			head->defaults = field.bytes;
			head->has_defaults = true;
			break;
		case PACKET_UID:
		case PACKET_PID:
		case PACKET_MACHINE: break;
		default:
			if (field.wire != WIRE_BYTES)
				break;
			head->field = field.number;
			head->data = (struct cg_slice){ field.bytes.ptr,
				(size_t)field.value };
		}
	}
	head->cleared |= (head->flags & FLAG_CLEARED) != 0;
	return true;
}

/*
 * Updates the state of a sequence (the packets of one writer) from the head of
 * a packet. Clears the sequence's tables of texts and stacks if the head says
 * so. Reads defaults and new entries, and counts losses in r->lost. After lost
 * packets, tables are incomplete, and the last event's time is unknown. Then
 * ignores new entries until a head clears the tables. False: an error
 * (reported).
 */
static bool
update(struct perfetto *r, struct perfetto_sequence *s, const struct head *head)
{
	if (head->cleared) {
		perfetto_clear_tables(s->interned);
		clear_defaults(s);
		s->valid = true;
	} else if (head->dropped)
		s->valid = s->timed = false;
	r->lost[LOST_PACKETS] += head->dropped && s->seen && !head->first;
	s->seen = true;
	if (head->has_defaults && !read_defaults(r, s, head->defaults))
		return false;
	if (!head->has_interned)
		return true;
	if (s->valid)
		return perfetto_read_interned(r, s, head->interned);
	r->lost[LOST_NO_TABLES] += (head->flags & FLAG_NEEDS) == 0;
	return true;
}

static bool
read_data(struct perfetto *r, const struct head *head,
    const struct perfetto_packet *packet)
{
	struct perfetto_sequence *s = packet->sequence;

	switch (head->field) {
	case 0: return true;
	case PACKET_EVENT: return perfetto_read_event(r, packet);
	case PACKET_TRACK: return perfetto_read_track(r, s, packet->data);
	case PACKET_PROCESS: return perfetto_read_process(r, packet->data);
	case PACKET_THREAD: return perfetto_read_thread(r, s, packet->data);
	case PACKET_PROCESS_TREE: return perfetto_read_tree(r, packet->data);
	case PACKET_PERF: return perfetto_read_perf(r, packet);
	case PACKET_STREAMING: return perfetto_read_streaming(r, packet);
	case PACKET_STACK_SAMPLE: return perfetto_read_sample(r, packet);
	case PACKET_HEAP: return perfetto_read_heap(r, packet);
	case PACKET_SYMBOLS: return perfetto_read_symbols(r, packet->data);
	}
	r->skipped[head->field < PACKET_FIELDS ? head->field : PACKET_FIELDS]++;
	return true;
}

static bool decompress(struct perfetto *, const struct head *);

static bool
read_packet(struct perfetto *r, struct cg_slice message, bool inflated)
{
	struct perfetto_packet packet = { 0 };
	struct head head;

	if (!take_head(r, message, &head))
		return false;
	if (head.field == PACKET_DEFLATED || head.field == PACKET_ZSTD)
		return inflated ? cg_reject(r->job,
				      "expected packets that are compressed "
				      "once")
				: decompress(r, &head);
	packet.sequence = find_sequence(r, (uint32_t)head.sequence);
	packet.data = head.data;
	if (!packet.sequence || !update(r, packet.sequence, &head))
		return false;
	if (head.field == PACKET_CLOCKS)
		return perfetto_read_clocks(r, packet.sequence, head.data);
	if ((head.flags & FLAG_NEEDS) && !packet.sequence->valid) {
		r->lost[LOST_NO_TABLES]++;
		return true;
	}
	packet.timed = head.timed;
	if (head.timed)
		packet.time = perfetto_time(r, packet.sequence,
		    head.clock ? (uint32_t)head.clock : packet.sequence->clock,
		    head.time);
	return read_data(r, &head, &packet);
}

/* ---- Compressed packets ------------------------------------------------- */

#define INFLATE_STEP 65536

/*
 * Decompresses zlib's bytes to r->packets, in place of its earlier contents.
 * False: malformed, too large for the file, or out of memory (reported).
 */
static bool
inflate_all(struct perfetto *r, struct cg_slice bytes)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)bytes.ptr,
		.avail_in = (uInt)bytes.len };
	int result = Z_OK;
	bool ok = true;

	r->packets.n = 0;
	if (bytes.len > UINT32_MAX || inflateInit(&z) != Z_OK)
		return cg_reject_nomem(r->job);
	while (ok && result == Z_OK) {
		ok = cg_reserve(
		    r->job, &r->packets, r->packets.n + INFLATE_STEP);
		if (!ok)
			break;
		z.next_out = (Bytef *)r->packets.at + r->packets.n;
		z.avail_out = INFLATE_STEP;
		result = inflate(&z, Z_NO_FLUSH);
		r->packets.n += INFLATE_STEP - z.avail_out;
		r->inflated += INFLATE_STEP - z.avail_out;
		if (cg_is_bomb(
			r->inflated, cg_in_offset(r->in), CG_EXPANSION_MAX))
			ok = cg_reject(r->job,
			    "expected packets that grow to at most %d times "
			    "the size of the file",
			    CG_EXPANSION_MAX);
	}
	(void)inflateEnd(&z);
	if (result == Z_STREAM_END && z.avail_in > 0)
		cg_warn(r->job,
		    "dropped %u bytes after the compressed data of a packet",
		    z.avail_in);
	return ok &&
	       (result == Z_STREAM_END ||
		   cg_reject(r->job, "expected packets compressed by deflate"));
}

/*
 * Decompresses zstd's bytes, a whole frame, to r->packets, in place of its
 * earlier contents. False: malformed, or out of memory (reported).
 */
static bool
unzstd_all(struct perfetto *r, struct cg_slice bytes)
{
	struct cg_slice more;

	r->packets.n = 0;
	if (!r->zstd)
		r->zstd = cg_unzstd_new(r->job);
	while (r->zstd && cg_unzstd_next(r->zstd, &bytes, &more)) {
		if (!cg_reserve(r->job, &r->packets, r->packets.n + more.len))
			return false;
		if (more.len > 0)
			memcpy(
			    r->packets.at + r->packets.n, more.ptr, more.len);
		r->packets.n += more.len;
	}
	return cg_rejected(r->job) == CG_OK &&
	       (cg_unzstd_ended(r->zstd) ||
		   cg_reject(r->job, "zstd data ends early"));
}

/*
 * Reads the packets that a packet contains in compressed form. False: an error
 * (reported).
 */
static bool
decompress(struct perfetto *r, const struct head *head)
{
	struct proto_field field;
	struct cg_slice rest;

	if (!(head->field == PACKET_ZSTD ? unzstd_all(r, head->data)
					 : inflate_all(r, head->data)))
		return false;
	rest = (struct cg_slice){ r->packets.at, r->packets.n };
	while (rest.len > 0) {
		if (!perfetto_take(r, &rest, &field))
			return false;
		if (field.number == TRACE_PACKET && field.wire == WIRE_BYTES &&
		    !read_packet(r, field.bytes, true))
			return false;
	}
	return true;
}

/* ---- The file ----------------------------------------------------------- */

#define TAG_MAX (2 * VARINT_MAX)

/*
 * Takes the next field of the file. A field of bytes is a packet: sets
 * field->bytes to them, valid until the next call. Warns if the file ends
 * within a packet. False: no whole field is left, or an error (reported).
 */
static bool
next_packet(struct perfetto *r, struct proto_field *field)
{
	struct cg_slice head;
	uint64_t len;

	(void)cg_look_bytes(r->in, TAG_MAX, &head);
	if (head.len == 0)
		return false;
	len = head.len;
	if (!proto_take_tag(&head, field))
		return cg_reject(r->job, "expected a packet");
	len -= head.len;
	if (field->wire != WIRE_BYTES) {
		(void)cg_read_bytes(r->in, len, &head);
		return true;
	}
	if (field->value <= UINT64_MAX - len &&
	    cg_read_bytes(r->in, len + field->value, &head)) {
		field->bytes =
		    (struct cg_slice){ head.ptr + len, (size_t)field->value };
		return true;
	}
	cg_warn(r->job, "the trace ends within a packet: it is skipped");
	return false;
}

static bool
read_file(struct perfetto *r)
{
	struct proto_field field;
	uint64_t other = 0;

	while (next_packet(r, &field)) {
		if (field.number != TRACE_PACKET || field.wire != WIRE_BYTES)
			other++;
		else if (!read_packet(r, field.bytes, false))
			return false;
	}
	if (other > 0)
		cg_warn(r->job,
		    "fields that are not packets are skipped: %" PRIu64, other);
	return cg_rejected(r->job) == CG_OK && cg_in_status(r->in) == CG_OK;
}

int
perfetto_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct perfetto *r = cg_alloc(job, sizeof(*r));
	uint32_t time;

	if (!r)
		return cg_rejected(job);
	*r = (struct perfetto){ .job = job,
		.in = in,
		.build = build,
		.spans = { .job = job, .build = build } };
	/* Column 0 is for calls. */
	if (perfetto_find_column(r, CG_TIME_EVENT, "ns", &time)) {
		r->sums.column.at[time].used = false;
		if (read_file(r) && perfetto_end_heap(r) && perfetto_end(r))
			perfetto_report(r);
	}
	return cg_in_status(in);
}
