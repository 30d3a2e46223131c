/*
 * firefox.c - firefox: profiles of the Firefox Profiler. See firefox.h.
 */
#include "firefox.h"

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "meta.preprocessedProfileVersion",
		"meta.markerSchema", "meta.processType", "meta.interval",
		"meta.stackwalk", "libs.breakpadId", "threads.stackTable",
		"threads.frameTable", NULL };
	unsigned found = cg_head_keys(head, keys);

	if (found & 1 || ((found & 0x18) == 0x18) || (found & 0xc0))
		return CG_PROBE_SURE;
	return found & 0x2e ? CG_PROBE_LIKELY : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	{ 0 },
};

const struct cg_module cg_format_firefox = {
	CG_MODULE,
	.name = "firefox",
	.title = "the Firefox Profiler, samply",
	.text = true,
	.suffixes = "firefox.json",
	.carries = CG_SELF | CG_LINES | CG_INSTRS | CG_STACKS | CG_PARTS |
		   CG_FILES | CG_OBJECTS | CG_DEFINITIONS | CG_INLINING |
		   CG_SIGNED | CG_TIMELINE,
	.needs = CG_STACKS,
	.probe = probe,
	.read = firefox_read,
	.write = firefox_write,
	.options = options,
};
