/*
 * ghc_json.c - the JSON of GHC's profiles: a list of cost centres, and a tree
 * of their ids with costs.
 */

#include "ghc.h"

#define NS_OF_US 1000

struct centre {
	uint64_t id;
	cg_name name, module, place;
};

/* An open object of the tree. */
struct open {
	uint64_t id, entries, ticks, alloc;
	bool entered;
};

struct reader {
	struct ghc *ghc;
	uint64_t interval; /* nanoseconds of a tick */
	CG_ARRAY(struct centre) centre;
	struct cg_map ids;
	bool seen;
	struct open open[CG_JSON_DEPTH];
};

static bool
take_centre(struct cg_doc *doc, struct reader *r)
{
	static const struct cg_field fields[] = {
		{ .name = "id",
		    .type = CG_FIELD_COUNT,
		    .offset = offsetof(struct centre, id) },
		{ .name = "label",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct centre, name) },
		{ .name = "module",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct centre, module) },
		{ .name = "src_loc",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct centre, place) },
		{ 0 },
	};
	struct centre *centre = cg_push(doc->job, &r->centre);
	uint32_t *index;

	if (!centre || !cg_doc_fields(doc, fields, centre))
		return false;
	index = cg_map_in(doc->job, &r->ids, centre->id);
	if (!index)
		return false;
	if (*index != 0 || r->centre.n > UINT32_MAX)
		return cg_doc_fail(doc, "an id that no other centre has");
	*index = (uint32_t)r->centre.n;
	return true;
}

static bool
take_centres(struct cg_doc *doc, void *into)
{
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc))
		if (!take_centre(doc, into))
			return false;
	return doc->status == CG_OK;
}

/* ---- The tree ------------------------------------------------------------ */

static const struct cg_field node_fields[] = {
	{ .name = "id",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct open, id) },
	{ .name = "entries",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct open, entries) },
	{ .name = "ticks",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct open, ticks) },
	{ .name = "alloc",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct open, alloc) },
	{ 0 },
};

/*
 * Opens the cost centre of the object at a depth of the tree, if it is not
 * open. A cost centre is GHC's unit of costs, a named expression.
 * r->open[depth] has its id. False: an error (reported).
 */
static bool
enter(struct cg_doc *doc, struct reader *r, size_t depth)
{
	struct open *open = &r->open[depth];
	uint32_t index = cg_map_get(&r->ids, open->id);
	const struct centre *centre;
	struct ghc_centre texts;

	if (open->entered)
		return true;
	if (index == 0)
		return cg_doc_fail(doc, "the id of one of the cost_centres");
	open->entered = true;
	centre = &r->centre.at[index - 1];
	texts.name = cg_get_name(doc->build, centre->name);
	texts.module = cg_get_name(doc->build, centre->module);
	texts.place = cg_get_name(doc->build, centre->place);
	return ghc_enter(r->ghc, depth, &texts);
}

static bool
leave(struct cg_doc *doc, struct reader *r, size_t depth)
{
	const struct open *open = &r->open[depth];
	struct ghc_costs costs = {
		.entries = open->entries,
		.bytes = open->alloc,
	};

	if (!enter(doc, r, depth))
		return false;
	if (__builtin_mul_overflow(open->ticks, r->interval, &costs.ns))
		return cg_doc_fail(doc, "times that fit in 64 bits");
	return ghc_add_costs(r->ghc, depth, &costs);
}

/*
 * Reads the tree of cost centres, and adds their costs to the graph. Uses a
 * loop instead of recursion, as nodes nest as deep as JSON may. False: an
 * error (reported).
 */
static bool
take_tree(struct cg_doc *doc, void *into)
{
	struct reader *r = into;
	struct cg_slice key;
	size_t depth = 1;
	bool down;

	r->seen = true;
	if (r->interval == 0)
		return cg_doc_fail(doc, "tick_interval before the profile");
	r->open[0] = (struct open){ 0 };
	if (!cg_doc_object(doc))
		return false;
	while (depth > 0) {
		if (!cg_doc_key(doc, &key)) {
			if (doc->status != CG_OK || !leave(doc, r, depth - 1))
				return false;
			down = --depth > 0 && cg_doc_item(doc);
		} else if (cg_equal(key, "children")) {
			if (!enter(doc, r, depth - 1) || !cg_doc_array(doc))
				return false;
			down = cg_doc_item(doc);
		} else {
			down = false;
			if (!cg_doc_field(
				doc, node_fields, key, &r->open[depth - 1]))
				return false;
		}
		if (!down)
			continue;
		r->open[depth++] = (struct open){ 0 };
		if (!cg_doc_object(doc))
			return false;
	}
	return true;
}

static bool
take_interval(struct cg_doc *doc, void *into)
{
	struct reader *r = into;
	int64_t us;

	if (!cg_doc_number(doc, 0, &us))
		return false;
	if (us <= 0 ||
	    __builtin_mul_overflow((uint64_t)us, NS_OF_US, &r->interval))
		return cg_doc_fail(doc, "a number of microseconds");
	return true;
}

int
ghc_read_json(struct ghc *ghc)
{
	static const struct cg_field fields[] = {
		{ .name = "tick_interval",
		    .type = CG_FIELD_CALL,
		    .take = take_interval },
		{ .name = "cost_centres",
		    .type = CG_FIELD_CALL,
		    .take = take_centres },
		{ .name = "profile", .type = CG_FIELD_CALL, .take = take_tree },
		{ 0 },
	};
	struct reader *r = cg_alloc(ghc->job, sizeof(*r));
	struct cg_doc doc;

	if (!r)
		return CG_ELIMIT;
	r->ghc = ghc;
	cg_doc_open(&doc, ghc->job, ghc->in, ghc->build, NULL);
	if (cg_doc_fields(&doc, fields, r) && !r->seen)
		(void)cg_doc_fail(&doc, "a profile");
	return cg_doc_close(&doc);
}
