/*
 * perfetto.c - the module for traces of Perfetto (ui.perfetto.dev), of Android,
 * Chrome and programs that use its SDK.
 *
 * Source: see perfetto.h. Stacks of samples keep functions, lines, addresses,
 * objects, threads, CPUs, counters and times; begins and ends of events become
 * calls with their times. What else a trace can have (ftrace, counters, logs,
 * arguments and categories of events, ...) is dropped, which is reported.
 */
#include "perfetto.h"

/* There is no magic; few other files look like this. */
#define PROBE_SHAPE (CG_PROBE_LIKELY + 20)

enum shape { SHAPE_OTHER, SHAPE_CUT, SHAPE_VAGUE, SHAPE_SURE };

/*
 * Returns true for fields of a trace's packet that are numbers (varints); all
 * others are messages or texts.
 */
static bool
is_number(uint64_t field)
{
	return field == PACKET_UID || field == PACKET_TIMESTAMP ||
	       field == PACKET_SEQUENCE || field == PACKET_FLAGS ||
	       field == PACKET_CLEARED || field == PACKET_DROPPED ||
	       field == PACKET_CLOCK || field == PACKET_PID ||
	       field == PACKET_FIRST || field == PACKET_MACHINE;
}

/*
 * Tells, for format detection, whether a message is a packet of a trace.
 * Returns SHAPE_OTHER if a field does not fit a packet. Returns SHAPE_SURE if
 * all fit, and one is a number or a known field from PACKET_CONFIG on. pprof
 * and OpenTelemetry files begin with a message of the same tag, but not with
 * such fields. Otherwise returns SHAPE_VAGUE. "cut" tells that only the
 * beginning of the message is there.
 */
static enum shape
look_at_packet(struct cg_slice packet, bool cut)
{
	enum shape shape = SHAPE_VAGUE;
	struct proto_field field;

	while (packet.len > 0) {
		struct cg_slice rest = packet;

		if (!proto_take_tag(&rest, &field))
			return cut && packet.len < 2 * VARINT_MAX ? shape
								  : SHAPE_OTHER;
		if (field.number >= 10000 ||
		    field.wire !=
			(is_number(field.number) ? WIRE_VARINT : WIRE_BYTES))
			return SHAPE_OTHER;
		if (field.wire == WIRE_VARINT ||
		    (field.number >= PACKET_CONFIG &&
			field.number < PACKET_FIELDS))
			shape = SHAPE_SURE;
		if (field.wire == WIRE_BYTES && field.value > rest.len)
			return cut ? shape : SHAPE_OTHER;
		if (!proto_take_field(&packet, &field))
			return SHAPE_OTHER;
	}
	return shape;
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text;
	enum shape shape = SHAPE_CUT, next;
	struct proto_field field;

	while (text.len > 0) {
		struct cg_slice rest = text, packet;
		bool cut;

		if (!proto_take_tag(&rest, &field))
			break;
		if (field.number != TRACE_PACKET || field.wire != WIRE_BYTES)
			return CG_PROBE_NO;
		cut = field.value > rest.len;
		packet = (struct cg_slice){ rest.ptr,
			cut ? rest.len : (size_t)field.value };
		next = look_at_packet(packet, cut);
		if (next == SHAPE_OTHER)
			return CG_PROBE_NO;
		if (next > shape)
			shape = next;
		text.ptr = packet.ptr + packet.len;
		text.len = rest.len - packet.len;
	}
	if (shape == SHAPE_SURE)
		return PROBE_SHAPE;
	return shape == SHAPE_VAGUE && !head->whole ? CG_PROBE_MORE
						    : CG_PROBE_NO;
}

const struct cg_module cg_format_perfetto = {
	CG_MODULE,
	.name = "perfetto",
	.title = "traces of Perfetto: Android, Chrome, its SDK",
	.suffixes = "pftrace;perfetto-trace",
	.carries = CG_SELF | CG_LINES | CG_INSTRS | CG_STACKS | CG_PARTS |
		   CG_EVENTS | CG_FILES | CG_OBJECTS | CG_INLINING |
		   CG_TIMELINE,
	.needs = CG_STACKS,
	.probe = probe,
	.read = perfetto_read,
	.write = perfetto_write,
};
