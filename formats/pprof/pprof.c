/*
 * pprof.c - profile.proto, the profiles of pprof, Go's runtime/pprof and many
 * others: what it is called and how it is recognised.
 *
 * Source: proto/profile.proto of github.com/google/pprof, which pprof.h
 * quotes, and what go1.19 writes and its pprof reads. All sample types
 * become events at once; stacks keep lines, addresses, objects and inlining.
 * Times, comments and mappings are descriptions; others are written as comments.
 * Samples keep their labels. Lost, and said: columns.
 * Files hold the message as it is or packed by gzip, as everywhere by --gzip
 * or a name that ends in .gz: pprof reads both.
 */
#include <string.h>

#include "pprof.h"

const struct pprof_text_key pprof_text_keys[] = {
	{ "drop_frames", PPROF_DROP_FRAMES },
	{ "keep_frames", PPROF_KEEP_FRAMES },
	{ CG_MAIN_EVENT_KEY, PPROF_DEFAULT_TYPE },
	{ "doc_url", PPROF_DOC_URL },
	{ NULL, PPROF_FIELDS },
};

/* Ours, pprof's. */
static const char *const units[][2] = {
	{ "", "count" },
	{ "ns", "nanoseconds" },
	{ "us", "microseconds" },
	{ "ms", "milliseconds" },
	{ "s", "seconds" },
};
#define UNITS (sizeof(units) / sizeof(*units))

const char *
pprof_unit_in(const char *unit)
{
	for (size_t i = 0; i < UNITS; i++) {
		if (strcmp(unit, units[i][1]) == 0)
			return units[i][0];
	}
	return unit;
}

const char *
pprof_unit_out(const char *unit)
{
	for (size_t i = 0; i < UNITS; i++) {
		if (strcmp(unit, units[i][0]) == 0)
			return units[i][1];
	}
	return unit;
}

static int
probe(const struct cg_head *head)
{
	return pprof_probe(head->text, head->whole);
}

const struct cg_module cg_format_pprof = {
	CG_MODULE,
	.name = "pprof",
	.title = "profile.proto of pprof and Go",
	.suffixes = "pb;pprof;prof",
	.carries = CG_SELF | CG_LINES | CG_INSTRS | CG_STACKS | CG_EVENTS |
		   CG_SIGNED | CG_FILES | CG_OBJECTS | CG_SYMBOLS |
		   CG_DEFINITIONS | CG_INLINING | CG_DESCRIPTIONS | CG_LABELS,
	.needs = CG_STACKS,
	.probe = probe,
	.read = pprof_read,
	.write = pprof_write,
};
