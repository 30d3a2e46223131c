/*
 * graph.c - adds a complete message to the graph: events, descriptions and
 * stacks.
 *
 * Times and comments, which the graph cannot represent, become descriptions of
 * the part; the writer turns them back.
 */
#include "pprof.h"

/* A message that is being added to the builder. */
struct finish {
	struct pprof_reader *r;
	unsigned column[CG_EVENT_MAX];
	size_t counter; /* the type that counts samples, or none */
};

/* ---- Events ------------------------------------------------------------- */

static bool
goes_below_zero(const struct pprof_reader *r, size_t column)
{
	for (size_t i = 0; i < r->sums.samples.n; i++) {
		if (pprof_sample(&r->sums, i)->cost[column] < 0)
			return true;
	}
	return false;
}

/*
 * Returns a name for sample type i that differs from those of earlier events.
 * The name is its type. If an earlier one has the same type, the number i + 1
 * follows. NULL: out of memory (reported).
 */
static const char *
event_name(struct finish *f, struct cg_slice type, size_t i)
{
	const struct pprof_type *types = f->r->types.at;
	size_t number = 0;

	for (size_t j = 0; j < i; j++)
		if (types[j].type == types[i].type)
			number = i + 1;
	return proto_event_word(f->r->job, type, number);
}

static bool
add_event(struct finish *f, size_t i)
{
	struct pprof_reader *r = f->r;
	const struct pprof_type *type = &r->types.at[i];
	struct cg_event event = { .incl = CG_INCL_STATED };
	struct cg_slice name, unit;
	const char *word;

	if (!proto_get_text(&r->tables, type->type, &name) ||
	    !proto_get_text(&r->tables, type->unit, &unit))
		return false;
	word = event_name(f, name, i);
	if (!word)
		return false;
	if (cg_equal(name, "samples") && f->counter >= i)
		f->counter = i;
	event.name = word;
	event.long_name = pprof_long_name(r, cg_slice(word));
	event.unit = proto_unit_in(unit.len > 0 ? unit.ptr : "");
	event.is_signed = goes_below_zero(r, i);
	f->column[i] = cg_add_event(r->build, &event);
	return (i + 1 < r->types.n || i == 0 || pprof_describe_main(r, word)) &&
	       cg_build_status(r->build) == CG_OK;
}

static bool
add_events(struct finish *f)
{
	struct pprof_reader *r = f->r;

	if (r->sums.samples.n > 0 && r->sums.columns != r->types.n)
		return cg_reject(r->job,
		    "expected %zu values in a sample, as there are types: "
		    "got %zu",
		    r->types.n, r->sums.columns);
	f->counter = CG_EVENT_MAX;
	for (size_t i = 0; i < r->types.n; i++) {
		if (!add_event(f, i))
			return false;
	}
	return true;
}

/* ---- Mappings and locations ---------------------------------------------- */

static bool
add_mapping(struct pprof_reader *r, struct pprof_mapping *listed)
{
	const uint64_t *value = listed->value;
	struct cg_mapping mapping = { .start = value[MAPPING_START],
		.limit = value[MAPPING_LIMIT],
		.offset = value[MAPPING_OFFSET] };

	if (!proto_get_text(
		&r->tables, value[MAPPING_FILENAME], &mapping.path) ||
	    !proto_get_text(
		&r->tables, value[MAPPING_BUILD_ID], &mapping.build_id))
		return false;
	listed->number = proto_add_mapping(&r->tables, &mapping);
	return listed->number != 0;
}

static bool
add_mappings(struct pprof_reader *r)
{
	struct pprof_mapping *mapping = r->mappings.at;

	r->tables.space = cg_space_new(r->job, r->build);
	if (!r->tables.space)
		return false;
	for (size_t i = 0; i < r->mappings.n; i++) {
		if (!add_mapping(r, &mapping[i]))
			return false;
	}
	return true;
}

static bool
add_line(struct pprof_reader *r, const struct proto_place *place,
    const struct pprof_line *line, bool inlined)
{
	static const struct proto_function unknown = { .defined = true };
	const struct proto_function *function = &unknown;

	if (line->function != 0)
		function = (const struct proto_function *)r->functions.at +
			   line->function - 1;
	if (!function->defined)
		return cg_reject(r->job,
		    "expected all functions of locations to be defined");
	return proto_add_line(&r->tables, place, function, line->line, inlined);
}

static bool
add_frames(struct pprof_reader *r, const struct pprof_location *location)
{
	const struct pprof_line *line = r->lines.at;
	const struct pprof_mapping *mappings = r->mappings.at;
	struct proto_place place = { .addr = location->addr };
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
		place.mapping = mappings[mapping - 1].number;
	}
	if (location->count == 0)
		return proto_add_address(&r->tables, &place);
	for (uint32_t i = 0; ok && i < location->count; i++)
		ok = add_line(r, &place, &line[location->first + i],
		    i + 1 < location->count);
	return ok;
}

/*
 * Appends the frames of all locations to the list of frames. A location has
 * one frame for each line, and several lines if functions are inlined. Sets
 * "first" and "count" of each location to its frames in the list. False: an
 * error (reported).
 */
static bool
add_locations(struct pprof_reader *r)
{
	struct pprof_location *location = r->sums.locations.at;
	const size_t *frames = &r->tables.frames.n;

	for (size_t i = 0; i < r->sums.locations.n; i++) {
		const size_t first = *frames;

		if (!add_frames(r, &location[i]))
			return false;
		location[i].first = (uint32_t)first;
		location[i].count = (uint32_t)(*frames - first);
	}
	return true;
}

/* ---- Stacks ------------------------------------------------------------- */

/*
 * Sets *node to the graph's leaf node of a path (list of locations); 0: an
 * empty path. Adds the frames the first time, or if the library has dropped
 * the nodes. False: an error (reported).
 */
static bool
get_node(struct pprof_reader *r, uint32_t id, cg_node *node)
{
	const struct pprof_location *locations = r->sums.locations.at, *at;
	struct pprof_path *path = pprof_path(&r->sums, id);
	const uint32_t *step;
	bool ok = true;

	*node = path->node;
	if (path->round == r->tables.round)
		return true;
	*node = 0;
	if (!pprof_take_steps(&r->sums, id))
		return false;
	step = r->sums.steps.at;
	for (size_t i = r->sums.steps.n; ok && i-- > 0;) {
		at = &locations[step[i] - 1];
		ok = proto_put_frames(&r->tables, at->first, at->count, node);
	}
	path->node = *node;
	path->round = r->tables.round;
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
	/*
	 * Free nodes only if few paths would have to be made into nodes again.
	 */
	bool frees = r->sums.samples.n / 2 <= r->sums.paths.n;
	uint32_t labels = 0;
	cg_node leaf;
	bool ok = true;

	pprof_end_sums(&r->sums);
	r->tables.round++;
	for (size_t i = 0; ok && i < r->sums.samples.n; i++) {
		sample = pprof_sample(&r->sums, i);
		if (i == 0 || sample->labels != labels)
			ok = pprof_set_labels(r, sample->labels);
		labels = sample->labels;
		ok = ok && get_node(r, sample->path, &leaf);
		if (ok)
			add_sample(f, sample, leaf);
		if (frees)
			(void)proto_free_nodes(&r->tables);
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
		  add_events(&f) && add_mappings(r) && add_locations(r) &&
		  add_samples(&f);

	if (ok)
		warn_lost(r);
	pprof_free(r);
	return ok;
}
