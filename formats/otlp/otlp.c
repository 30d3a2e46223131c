/*
 * otlp.c - the module for OpenTelemetry's profiles (OTLP), the signal next to
 * traces, metrics and logs.
 *
 * Source: opentelemetry-proto v1.11.0 of 21 July 2026 (see otlp.h), and the
 * attributes pprof.*, process.* and thread.* of OpenTelemetry's semantic
 * conventions. The format is alpha (experimental) and has changed with most
 * versions: 1.8 to 1.11 are read, also as JSON and as sized messages; 1.11 is
 * written, as protocol buffers; the message about an older file names its
 * version. All profiles become events; stacks keep lines,
 * addresses, objects, build-ids and inlining, samples their attributes, links
 * and times. Threads and processes of samples are attributes thread.* and
 * process.*. Columns, attributes of locations and original payloads are lost,
 * which is reported.
 */
#include "otlp.h"

/*
 * As for profile.proto: there is no magic, but few other files look like this.
 */
#define PROBE_SHAPE (CG_PROBE_LIKELY + 20)

static int
probe(const struct cg_head *head)
{
	bool more;

	switch (otlp_find_form(head, &more)) {
	case OTLP_PLAIN:
	case OTLP_SIZED:
	case OTLP_DELIMITED: return PROBE_SHAPE;
	case OTLP_PACKED: /* traces, metrics and logs are packed alike */
		return CG_PROBE_WEAK;
	case OTLP_JSON: return CG_PROBE_SURE;
	case OTLP_OTHER: break;
	}
	return more ? CG_PROBE_MORE : CG_PROBE_NO; /* only a dictionary */
}

const struct cg_module cg_format_otlp = {
	CG_MODULE,
	.name = "otlp",
	.title = "profiles of OpenTelemetry: protocol buffers, JSON",
	.suffixes = "otlp;otlp.pb",
	.carries = CG_SELF | CG_LINES | CG_INSTRS | CG_STACKS | CG_EVENTS |
		   CG_SIGNED | CG_FILES | CG_OBJECTS | CG_SYMBOLS |
		   CG_DEFINITIONS | CG_INLINING | CG_DESCRIPTIONS | CG_LABELS |
		   CG_TIMELINE,
	.needs = CG_STACKS,
	.probe = probe,
	.read = otlp_read,
	.write = otlp_write,
};
