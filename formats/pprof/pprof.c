/*
 * pprof.c - profile.proto, the profiles of pprof, Go's runtime/pprof and many
 * others: what it is called and how it is recognised.
 *
 * Source: proto/profile.proto of github.com/google/pprof, which pprof.h
 * quotes, and what go1.19 writes and its pprof reads. All sample types
 * become events at once; stacks keep lines, addresses, objects and inlining.
 * Times, comments and mappings are descriptions; other descriptions are written
 * as comments.
 * Samples keep their labels. Lost, and said: columns.
 * Files contain the message as it is or compressed by gzip, which --gzip writes
 * or a name that ends in .gz: pprof reads both.
 */
#include "pprof.h"

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
