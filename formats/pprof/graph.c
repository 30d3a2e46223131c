/*
 * graph.c - adds a complete message to the graph: events, descriptions and
 * stacks.
 *
 * What the graph cannot represent becomes descriptions of the part, which the
 * writer turns back: times and comments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof.h"

/* A message that is being added to the builder. */
struct finish {
	struct pprof_reader *r;
	uint32_t *mapping; /* index -> number in the space */
	struct pprof_frames frames;
	uint32_t *first; /* location -> first of its frames */
	unsigned column[CG_EVENT_MAX];
	size_t counter; /* type that counts samples, or none */
};

/* ---- Events ------------------------------------------------------------- */

static bool
goes_below_zero(const struct pprof_reader *r, size_t column)
{
	for (size_t i = 0; i < r->sums.samples.count; i++) {
		if (pprof_sample(&r->sums, i)->cost[column] < 0)
			return true;
	}
	return false;
}

/* The name of an event differs from those before it. */
static char *
event_name(struct finish *f, struct cg_slice type, size_t i)
{
	const struct pprof_type *types = f->r->types.at;
	size_t number = 0;

	for (size_t j = 0; j < i; j++)
		if (types[j].type == types[i].type)
			number = i + 1;
	return pprof_event_word(f->r->job, type, number);
}

static bool
add_event(struct finish *f, size_t i)
{
	struct pprof_reader *r = f->r;
	const struct pprof_type *type =
	    (const struct pprof_type *)r->types.at + i;
	struct cg_event event = { .incl = CG_INCL_STATED };
	struct cg_slice name, unit;
	char *word;
	bool ok;

	if (!pprof_get_text(r, type->type, &name) ||
	    !pprof_get_text(r, type->unit, &unit))
		return false;
	word = event_name(f, name, i);
	if (!word)
		return false;
	if (cg_equal(name, "samples") && f->counter >= i)
		f->counter = i;
	event.name = word;
	event.long_name = pprof_long_name(r, cg_slice(word));
	event.unit = pprof_unit_in(unit.len > 0 ? unit.ptr : "");
	event.is_signed = goes_below_zero(r, i);
	f->column[i] = cg_add_event(r->build, &event);
	ok = i + 1 < r->types.count || i == 0 || pprof_describe_main(r, word);
	free(word);
	return ok && cg_build_status(r->build) == CG_OK;
}

static bool
add_events(struct finish *f)
{
	struct pprof_reader *r = f->r;

	if (r->sums.samples.count > 0 && r->sums.columns != r->types.count)
		return cg_reject(r->job,
		    "expected %zu values in a sample, as there are types: "
		    "got %zu",
		    r->types.count, r->sums.columns);
	f->counter = CG_EVENT_MAX;
	for (size_t i = 0; i < r->types.count; i++) {
		if (!add_event(f, i))
			return false;
	}
	return true;
}

/* ---- Mappings and locations ---------------------------------------------- */

static bool
add_mapping(struct finish *f, size_t i)
{
	struct pprof_reader *r = f->r;
	const uint64_t *value =
	    ((const struct pprof_mapping *)r->mappings.at)[i].value;
	struct cg_mapping mapping = { .start = value[MAPPING_START],
		.limit = value[MAPPING_LIMIT],
		.offset = value[MAPPING_OFFSET] };

	if (!pprof_get_text(r, value[MAPPING_FILENAME], &mapping.path) ||
	    !pprof_get_text(r, value[MAPPING_BUILD_ID], &mapping.build_id))
		return false;
	f->mapping[i] = pprof_add_mapping(r, &f->frames, &mapping);
	return f->mapping[i] != 0;
}

static bool
add_mappings(struct finish *f)
{
	struct pprof_reader *r = f->r;

	f->frames.space = cg_space_new(r->job, r->build);
	f->mapping = calloc(r->mappings.count + 1, sizeof(*f->mapping));
	if (!f->frames.space || !f->mapping)
		return cg_reject_nomem(r->job);
	for (size_t i = 0; i < r->mappings.count; i++) {
		if (!add_mapping(f, i))
			return false;
	}
	return true;
}

static bool
add_line(struct finish *f, const struct pprof_place *place,
    const struct pprof_line *line, bool inlined)
{
	static const struct pprof_function unknown = { .defined = true };
	struct pprof_reader *r = f->r;
	const struct pprof_function *function = &unknown;

	if (line->function != 0)
		function = (const struct pprof_function *)r->functions.at +
			   line->function - 1;
	if (!function->defined)
		return cg_reject(r->job,
		    "expected all functions of locations to be defined");
	return pprof_add_line(
	    r, &f->frames, place, function, line->line, inlined);
}

static bool
add_location(struct finish *f, const struct pprof_location *location)
{
	struct pprof_reader *r = f->r;
	const struct pprof_line *line = r->lines.at;
	struct pprof_place place = { .addr = location->addr };
	uint32_t mapping;
	bool ok = true;

	if (!location->defined)
		return cg_reject(
		    r->job, "expected all locations of samples to be defined");
	if (location->mapping != 0) {
		mapping = cg_map_get(&r->mapping_ids, location->mapping);
		if (mapping == 0)
			return cg_reject(r->job,
			    "expected all mappings of locations to be defined");
		place.mapping = f->mapping[mapping - 1];
	}
	if (location->lines == 0)
		return pprof_add_address(r, &f->frames, &place);
	for (uint32_t i = 0; ok && i < location->lines; i++)
		ok = add_line(f, &place, &line[location->first + i],
		    i + 1 < location->lines);
	return ok;
}

static bool
add_locations(struct finish *f)
{
	struct pprof_reader *r = f->r;
	const struct pprof_location *location = r->sums.locations.at;
	size_t count = r->sums.locations.count;

	f->first = calloc(count + 1, sizeof(*f->first));
	if (!f->first)
		return cg_reject_nomem(r->job);
	for (size_t i = 0; i < count; i++) {
		f->first[i] = (uint32_t)f->frames.list.count;
		if (!add_location(f, &location[i]))
			return false;
	}
	f->first[count] = (uint32_t)f->frames.list.count;
	return true;
}

/* ---- Stacks ------------------------------------------------------------- */

/* The stack of a path in the graph; samples with other labels have it, too. */
static bool
get_node(struct finish *f, uint32_t id, cg_node *node)
{
	struct pprof_reader *r = f->r;
	struct pprof_path *path = pprof_path(&r->sums, id);
	struct pprof_frame *frame = f->frames.list.at;
	const uint32_t *step, *first;
	bool ok = true;

	*node = path->node;
	if (path->round == r->round)
		return true;
	*node = 0;
	if (!pprof_take_steps(&r->sums, id))
		return cg_reject_nomem(r->job);
	step = r->sums.steps.at;
	for (size_t i = r->sums.steps.count; ok && i-- > 0;) {
		first = &f->first[step[i] - 1];
		ok = pprof_put_frames(
		    r, frame + first[0], first[1] - first[0], node);
	}
	path->node = *node;
	path->round = r->round;
	return ok;
}

static void
add_sample(struct finish *f, const struct pprof_sample *sample, cg_node leaf)
{
	struct pprof_reader *r = f->r;
	const int64_t *cost = sample->cost;
	uint64_t count = sample->count;
	uint64_t row[CG_EVENT_MAX];
	size_t n = 0;

	for (size_t c = 0; c < r->sums.columns; c++) {
		while (n <= f->column[c])
			row[n++] = 0;
		row[f->column[c]] = (uint64_t)cost[c];
	}
	if (f->counter < r->sums.columns)
		count = cost[f->counter] > 0 ? (uint64_t)cost[f->counter] : 0;
	cg_add_stack(r->build, leaf, count, row, n);
}

static bool
add_samples(struct finish *f)
{
	struct pprof_reader *r = f->r;
	const struct pprof_sample *sample;
	/* Else each path would be made into nodes again and again. */
	bool frees = r->sums.samples.count / 2 <= r->sums.paths.count;
	uint32_t labels = 0;
	cg_node leaf;
	bool ok = true;

	pprof_end_sums(&r->sums);
	r->round++;
	for (size_t i = 0; ok && i < r->sums.samples.count; i++) {
		sample = pprof_sample(&r->sums, i);
		if (i == 0 || sample->labels != labels)
			ok = pprof_set_labels(r, sample->labels);
		labels = sample->labels;
		ok = ok && get_node(f, sample->path, &leaf);
		if (ok)
			add_sample(f, sample, leaf);
		if (frees)
			(void)pprof_free_nodes(r);
	}
	return ok && cg_build_status(r->build) == CG_OK;
}

/* ---- The message -------------------------------------------------------- */

static void
warn_lost(struct pprof_reader *r)
{
	if (r->columns_lost > 0)
		cg_warn(r->job, "dropped the columns of %zu line%s",
		    r->columns_lost, r->columns_lost == 1 ? "" : "s");
	if (r->folded_lost > 0)
		cg_warn(r->job,
		    "dropped is_folded of %zu location%s: the functions share "
		    "code, and the one that is named stands for all",
		    r->folded_lost, r->folded_lost == 1 ? "" : "s");
}

bool
pprof_finish(struct pprof_reader *r)
{
	struct finish f = { .r = r };
	bool ok = pprof_end_samples(r) && pprof_begin_part(r) &&
		  add_events(&f) && add_mappings(&f) && add_locations(&f) &&
		  add_samples(&f);

	if (ok)
		warn_lost(r);
	cg_space_free(f.frames.space);
	free(f.mapping);
	free(f.first);
	free(f.frames.list.at);
	/* A failure of the address space was reported already. */
	if (!ok && cg_rejected(r->job) == CG_OK &&
	    cg_build_status(r->build) == CG_OK)
		(void)cg_reject_nomem(r->job);
	pprof_free(r);
	return ok;
}
