/*
 * speedscope.c - the file format of speedscope.app, JSON.
 *
 * Source: file-format-schema.json and file-format-spec.ts of speedscope 1.25;
 * files of py-spy, rbspy, dotnet-trace and speedscope's own export.
 *
 *	{ "$schema": "https://www.speedscope.app/file-format-schema.json",
 *	  "shared": { "frames": [ { "name", "file"?, "line"?, "col"? } ] },
 *	  "profiles": [
 *	    { "type": "sampled", "name", "unit", "startValue", "endValue",
 *	      "samples": [ [ frame, root first ], ... ], "weights": [ ... ] },
 *	    { "type": "evented", "name", "unit", "startValue", "endValue",
 *	      "events": [ { "type": "O" or "C", "frame", "at" }, ... ] } ] }
 *
 * Keys may be in any order. A profile is a part, its unit gives the event;
 * times are whole nanoseconds. cgconv adds the key "cgconv" to each profile:
 * its event and part, and the descriptions of the part, so that they survive;
 * "counted" in it means that weights are numbers of samples. Otherwise
 * "counts" lists the numbers of samples, unless each is 1 in a part's first
 * profile, and 0 in its others. In a frame, "cgconv" has its object and
 * inlining.
 *
 * A graph with a timeline becomes a profile for each track and event: "track"
 * in "cgconv" has its pid, tid, name and process. Samples are in the order of
 * time; "gaps" means that samples without frames are the time between samples;
 * "again" means that the samples were counted in the profile of an earlier
 * event. Tracks of spans become evented profiles. speedscope shows the profile
 * activeProfileIndex first: the most expensive one of the main event. Without
 * "track", cgconv has sorted the stacks.
 *
 * Names, stacks, files, lines, objects, inlining, events and parts survive.
 * Addresses, and lines in other files than the function's, are lost. Frames
 * with the same name are distinguished by their positions if they have columns.
 */
#include "speedscope.h"

static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text;

	while (text.len > 0 && (*text.ptr == ' ' || *text.ptr == '\t' ||
				   *text.ptr == '\n' || *text.ptr == '\r')) {
		text.ptr++;
		text.len--;
	}
	if (text.len == 0 || *text.ptr != '{')
		return CG_PROBE_NO;
	if (cg_find(text, "speedscope.app/file-format-schema"))
		return CG_PROBE_SURE;
	/* The schema may be at the end of a long file. */
	if (cg_find(text, "\"profiles\"") && cg_find(text, "\"startValue\""))
		return CG_PROBE_LIKELY;
	return CG_PROBE_NO;
}

const struct cg_module cg_format_speedscope = {
	CG_MODULE,
	.name = "speedscope",
	.title = "what speedscope.app opens and py-spy, rbspy write",
	.text = true,
	.suffixes = "speedscope.json;speedscope",
	.carries = CG_SELF | CG_LINES | CG_STACKS | CG_PARTS | CG_EVENTS |
		   CG_FILES | CG_OBJECTS | CG_INLINING | CG_SAMPLES |
		   CG_DESCRIPTIONS | CG_TIMELINE,
	.needs = CG_STACKS,
	.probe = probe,
	.read = speedscope_read,
	.write = speedscope_write,
};
