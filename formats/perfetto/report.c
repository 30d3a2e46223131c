/*
 * report.c - says what a trace has that the graph cannot represent.
 */
#include <inttypes.h>
#include <stdio.h>

#include "perfetto.h"

/*
 * Names of packets that are not converted, for the report; other packets are
 * reported by the number of their field.
 */
static const char *const packets[PACKET_FIELDS] = { [PACKET_FTRACE] = "ftrace",
	[4] = "inodes",
	[5] = "chrome_events",
	[7] = "sys_stats",
	[9] = "process_stats",
	[34] = "ftrace_stats",
	[38] = "battery",
	[39] = "android_log",
	[40] = "power_rails",
	[46] = "trigger",
	[47] = "packages_list",
	[49] = "metatrace",
	[51] = "chrome_metadata",
	[52] = "gpu_counters",
	[53] = "gpu_render_stages",
	[56] = "heap_graph",
	[57] = "graphics_frames",
	[62] = "vulkan_memory",
	[64] = "deobfuscation",
	[65] = "vulkan_api",
	[67] = "cpu_info",
	[68] = "smaps",
	[74] = "streaming_allocations",
	[75] = "streaming_frees",
	[76] = "frame_timeline",
	[84] = "statsd",
	[95] = "etw",
	[99] = "v8_js_code",
	[100] = "v8_internal_code",
	[132] = "journald" };

/*
 * Returns true if packets with this field are about the recording itself, and
 * tell nothing about the program.
 */
static bool
is_of_recording(size_t field)
{
	return field == PACKET_CONFIG || field == PACKET_STATS ||
	       field == PACKET_MARKER || field == PACKET_SYSTEM_INFO ||
	       field == PACKET_SERVICE || field == PACKET_DESCRIPTOR ||
	       field == PACKET_UUID || field == PACKET_PROVENANCE;
}

static void
report_packets(struct perfetto *r)
{
	char text[1024];
	size_t used = 0;

	for (size_t i = 1; i <= PACKET_FIELDS; i++) {
		char number[32] = "other";

		if (r->skipped[i] == 0 || is_of_recording(i) ||
		    used + 100 > sizeof(text))
			continue;
		if (i < PACKET_FIELDS)
			(void)snprintf(number, sizeof(number), "field %zu", i);
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		    "%s%" PRIu64 " %s", used ? ", " : "", r->skipped[i],
		    i < PACKET_FIELDS && packets[i] ? packets[i] : number);
	}
	if (used > 0)
		cg_note(r->job, "packets that are not converted: %s", text);
}

/* Data that the graph cannot represent. */
static const char *const names[PERFETTO_LOSTS] = {
	[LOST_INSTANTS] = "instant events",
	[LOST_COUNTERS] = "values of counters",
	[LOST_STATES] = "states",
	[LOST_ASYNC] = "asynchronous events",
	[LOST_PHASES] = "other events that are not calls",
	[LOST_EVENT_STACKS] = "stacks of events",
	[LOST_ASYNC_IDS] = "ids of asynchronous contexts",
};

/* The numbers may be wrong. */
#define WARN_OF(what, text)                                                \
	do {                                                               \
		if (r->lost[what] > 0)                                     \
			cg_warn(r->job, text ": %" PRIu64, r->lost[what]); \
	} while (0)

static void
warn(struct perfetto *r)
{
	WARN_OF(LOST_UNTIMED, "events without a time are dropped");
	WARN_OF(LOST_NO_TABLES,
	    "packets are skipped, as packets before them are missing");
	WARN_OF(LOST_UNDEFINED,
	    "numbers of texts, frames or stacks are not defined");
	WARN_OF(LOST_KERNEL, "records that the kernel lost");
	WARN_OF(LOST_PACKETS, "gaps where the recording lost packets");
	WARN_OF(LOST_HEAP_ERRORS, "dumps of heaps are damaged or incomplete");
	WARN_OF(LOST_CLOCKS,
	    "times are kept as they are, as no snapshot before them has their "
	    "clock");
}

void
perfetto_report(struct perfetto *r)
{
	report_packets(r);
	for (int i = 0; i < PERFETTO_LOSTS; i++)
		if (names[i] && r->lost[i] > 0)
			cg_note(r->job, "dropped %s: %" PRIu64, names[i],
			    r->lost[i]);
	if (r->lost[LOST_NO_STACK] > 0)
		cg_note(r->job, "samples without a stack: %" PRIu64,
		    r->lost[LOST_NO_STACK]);
	if (r->heap.heaps > 0)
		cg_note(r->job, "allocations of several heaps are summed");
	if (r->sums.pair.n == 0 && r->spans.total.n == 0)
		cg_warn(r->job, "the trace has no samples with stacks, no "
				"calls and no allocations");
	warn(r);
}
