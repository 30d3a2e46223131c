/*
 * events.c - events of tracks: begins and ends of calls.
 */
#include "perfetto.h"

/* The fields of an event that calls need. */
struct event {
	uint64_t type, name_iid, track;
	struct cg_slice name;
	uint64_t delta, absolute; /* us */
	/* LegacyEvent: */
	uint64_t phase, legacy_name_iid, duration;
	uint32_t pid, tid;
	bool has_pid, has_tid;

	bool has_track, named, has_delta, has_absolute;
};

static bool
take_legacy(struct perfetto *r, struct cg_slice message, struct event *event)
{
	struct proto_field field;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		switch (field.number) {
		case LEGACY_NAME_IID:
			event->legacy_name_iid = field.value;
			break;
		case LEGACY_PHASE: event->phase = field.value; break;
		case LEGACY_DURATION: event->duration = field.value; break;
		case LEGACY_PID:
			event->pid = (uint32_t)field.value;
			event->has_pid = true;
			break;
		case LEGACY_TID:
			event->tid = (uint32_t)field.value;
			event->has_tid = true;
		}
	}
	return true;
}

static bool
take_event(struct perfetto *r, struct cg_slice message, struct event *event)
{
	struct proto_field field;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		switch (field.number) {
		case EVENT_TYPE: event->type = field.value; break;
		case EVENT_NAME_IID: event->name_iid = field.value; break;
		case EVENT_TRACK:
			event->track = field.value;
			event->has_track = true;
			break;
		case EVENT_NAME:
			if (field.wire != WIRE_BYTES)
				break;
			event->named = true;
			event->name = field.bytes;
			break;
		case EVENT_DELTA:
			event->delta = field.value;
			event->has_delta = true;
			break;
		case EVENT_ABSOLUTE:
			event->absolute = field.value;
			event->has_absolute = true;
			break;
		case EVENT_STACK:
		case EVENT_STACK_IID: r->lost[LOST_EVENT_STACKS]++; break;
		case EVENT_LEGACY:
			if (field.wire == WIRE_BYTES &&
			    !take_legacy(r, field.bytes, event))
				return false;
		}
	}
	return true;
}

/*
 * Sets *time to the time of an event, in ns on the trace's clock. If the event
 * states a difference, adds it to sequence->now, the last time of the packet
 * sequence. The sum becomes sequence->now and the event's time. Otherwise
 * takes the event's absolute time or, without one, the time of its packet.
 * False: the event has no time, or states a difference, but the sequence has
 * no last time.
 */
static bool
find_time(struct perfetto *r, const struct perfetto_packet *packet,
    const struct event *event, int64_t *time)
{
	struct perfetto_sequence *sequence = packet->sequence;

	if (event->has_delta) {
		if (!sequence->timed)
			return false;
		sequence->now =
		    (int64_t)((uint64_t)sequence->now + event->delta * 1000);
		*time = sequence->now;
	} else if (event->has_absolute)
		*time = (int64_t)(event->absolute * 1000);
	else {
		*time = packet->time;
		return packet->timed;
	}
	*time = perfetto_monotonic(r, sequence, *time);
	return true;
}

static cg_name
find_name(struct perfetto *r, const struct perfetto_sequence *sequence,
    const struct event *event)
{
	uint64_t iid =
	    event->name_iid ? event->name_iid : event->legacy_name_iid;
	uint32_t name;

	if (iid == 0)
		return event->named ? cg_add_name(r->build, event->name) : 0;
	name = perfetto_lookup(r, sequence->interned, IDS_EVENTS, iid);
	return name ? name - 1 : 0;
}

/*
 * Finds the list of calls to which the event's begin or end belongs. Sets
 * *index to the list's index in r->spans. Each track and each thread has a
 * list. The track is named by the event's uuid or, if the event has none, by
 * the default uuid of its packet sequence.
 *
 * If there is no uuid, or it is 0, the event belongs to a thread. The event's
 * pid and tid name the thread. Each that is missing is that of the sequence.
 * There are two exceptions, which belong to track 0: neither event nor
 * sequence names a thread, or an event with a type states uuid 0 and no pid.
 * False: an error (reported).
 */
static bool
find_track(struct perfetto *r, struct perfetto_sequence *sequence,
    const struct event *event, uint32_t *index)
{
	uint64_t uuid = event->has_track      ? event->track
			: sequence->has_track ? sequence->track
					      : 0;
	bool legacy =
	    (!event->has_track || event->type == 0) && sequence->threaded;

	if (uuid == 0 && (legacy || event->has_pid))
		return perfetto_find_owner(r,
		    event->has_pid ? event->pid : sequence->pid,
		    event->has_tid ? event->tid : sequence->tid, index);
	if (sequence->last_track != 0 && sequence->last_uuid == uuid) {
		*index = sequence->last_track - 1;
		return true;
	}
	if (!perfetto_find_track(r, uuid, index))
		return false;
	sequence->last_uuid = uuid;
	sequence->last_track = *index + 1;
	return true;
}

/*
 * Returns 'B' if the event begins a call, 'E' if it ends one, and 'X' if it is
 * a whole call with a duration. For any other event, returns '\0', and counts
 * the event in r->lost.
 */
static char
find_phase(struct perfetto *r, const struct event *event)
{
	switch (event->phase) {
	case 'B':
	case 'E':
	case 'X': return (char)event->phase;
	case 'I':
	case 'i':
	case 'R': r->lost[LOST_INSTANTS]++; return '\0';
	case 'b':
	case 'e':
	case 'n':
	case 'S':
	case 'T':
	case 'p':
	case 'F': r->lost[LOST_ASYNC]++; return '\0';
	case 'C': r->lost[LOST_COUNTERS]++; return '\0';
	case 0: break;
	default: r->lost[LOST_PHASES]++; return '\0';
	}
	switch (event->type) {
	case TYPE_BEGIN: return 'B';
	case TYPE_END: return 'E';
	case TYPE_INSTANT: r->lost[LOST_INSTANTS]++; break;
	case TYPE_COUNTER: r->lost[LOST_COUNTERS]++; break;
	case TYPE_STATE: r->lost[LOST_STATES]++; break;
	default: r->lost[LOST_PHASES]++;
	}
	return '\0';
}

bool
perfetto_read_event(struct perfetto *r, const struct perfetto_packet *packet)
{
	struct event event = { .name = { "", 0 } };
	struct spans_event span;
	bool timed;

	if (!take_event(r, packet->data, &event))
		return false;
	/* First, as times may be differences to that of the event before. */
	span = (struct spans_event){ 0 };
	timed = find_time(r, packet, &event, &span.ts);
	span.phase = find_phase(r, &event);
	if (span.phase == '\0')
		return true;
	if (!timed) {
		r->lost[LOST_UNTIMED]++;
		return true;
	}
	span.name = find_name(r, packet->sequence, &event);
	if (span.name == 0 && span.phase != 'E')
		span.name = cg_add_name(r->build, cg_slice("(no name)"));
	if (span.phase == 'X' && (int64_t)event.duration > 0 &&
	    event.duration <= INT64_MAX / 1000)
		span.duration = (int64_t)event.duration * 1000;
	r->calls = true;
	return find_track(r, packet->sequence, &event, &span.thread) &&
	       spans_add(&r->spans, &span);
}
