/*
 * heapprofile.c - heapprofile: the sampling heap profiles of V8, of node
 * --heap-prof and of Chrome's developer tools.
 *
 * Source: js_protocol.pdl of V8 (HeapProfiler.SamplingHeapProfile). Stacks and
 * the live bytes allocated by them survive; the order of allocations is lost.
 */
#include "chrome.h"

static const struct cg_field fields[] = {
	{ .name = "head", .type = CG_FIELD_CALL, .take = chrome_take_node },
	{ 0 },
};

static void
add_profile(struct cg_doc *doc, struct chrome_tree *tree)
{
	static const struct cg_event bytes = {
		.name = "bytes", .long_name = "Live memory", .unit = "bytes"
	};
	cg_node leaf;

	(void)cg_add_column(doc->build, &bytes);
	for (size_t i = 0; i < tree->node.n && doc->status == CG_OK; i++) {
		struct chrome_node *node = &tree->node.at[i];

		if (node->cost == 0)
			continue;
		leaf = chrome_add_frames(doc, tree, node);
		if (leaf != 0)
			cg_add_stack(doc->build, leaf, 1,
			    cg_columns_of(doc->build, &node->cost),
			    cg_columns_width(doc->build));
	}
}

static int
read_heapprofile(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct chrome_tree tree = { 0 };
	struct cg_doc doc;

	cg_doc_open(&doc, job, in, build, &tree);
	if (cg_doc_fields(&doc, fields, &tree) && chrome_link_tree(&doc, &tree))
		add_profile(&doc, &tree);
	return cg_doc_close(&doc);
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "head.selfSize", NULL };

	return cg_head_keys(head, keys) ? CG_PROBE_SURE : CG_PROBE_NO;
}

const struct cg_module cg_format_heapprofile = {
	CG_MODULE,
	.name = "heapprofile",
	.title = "heap profiles of V8, by node or Chrome",
	.text = true,
	.suffixes = "heapprofile",
	.probe = probe,
	.read = read_heapprofile,
};
