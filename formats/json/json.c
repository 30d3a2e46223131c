/*
 * json.c - cgconv's own JSON: name, options, detection. json.h describes the
 * format, which represents every fact of a graph.
 */
#include "json.h"

static int
probe(const struct cg_head *head)
{
	return cg_starts(head->text, JSON_MAGIC) ? CG_PROBE_SURE : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	{ .name = "json-safe",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "write numbers above 2^53 - 1 as strings",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_json = {
	CG_MODULE,
	.name = "json",
	.title = "cgconv's own JSON Lines, which keeps everything",
	.text = true,
	.suffixes = "cgj;json",
	.carries = (1u << CG_FACT_COUNT) - 1,
	.options = options,
	.probe = probe,
	.read = json_read,
	.write = json_write,
};
