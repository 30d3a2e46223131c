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
 * Keys stand in any order. A profile is a part, its unit makes the event;
 * times are whole nanoseconds. cgconv adds the key "cgconv" to each profile: its
 * event and part, and the descriptions of the part, so that these survive; "counted" there tells that weights are numbers
 * of samples. Otherwise "counts" lists the numbers of samples, unless they are
 * 1 in a part's first profile and 0 in others. In a frame "cgconv" has its
 * object and inlining.
 *
 * A graph with a timeline becomes a profile for each track and event: "track"
 * in "cgconv" has its pid, tid, name and process. Samples are in the order of
 * time; "gaps" tells that those without frames are none, but time in between;
 * "again" that they were counted in the profile of an earlier event. Tracks of
 * spans become evented profiles. activeProfileIndex, which speedscope shows
 * first, is the profile of the main event that costs most. Without "track"
 * cgconv has sorted the stacks.
 *
 * Names, stacks, files, lines, objects, inlining, events and parts survive;
 * addresses, and lines in other files than the function's, do not. Frames of
 * one name that have columns are told apart by their positions.
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
