/*
 * graph.c - adds a complete message to the graph: events, descriptions and
 * stacks.
 *
 * What the graph cannot represent becomes descriptions of the part, which the
 * writer turns back: times, comments, mappings of objects.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof.h"

/* A message that is being added to the builder. */
struct finish {
	struct pprof_reader *r;
	struct cg_space *space;
	uint32_t *mapping;        /* index -> number in space */
	struct pprof_list frames; /* struct cg_stack, by location */
	uint32_t *first;          /* location -> first of its frames */
	unsigned column[CG_EVENT_MAX];
	size_t counter; /* type that counts samples, or none */
};

/* ---- Texts -------------------------------------------------------------- */

/* ---- Events ------------------------------------------------------------- */

static bool
goes_below_zero(const struct pprof_reader *r, size_t column)
{
	for (size_t i = 0; i < r->samples.count; i++) {
		if (pprof_sample(r, i)->cost[column] < 0)
			return true;
	}
	return false;
}

/* The name of an event: one word, and different from those before it. */
static char *
event_name(struct finish *f, struct cg_slice type, size_t i)
{
	char *name = malloc(type.len + 2 * CG_NUMBER_MAX);

	if (!name) {
		(void)cg_reject_nomem(f->r->job);
		return NULL;
	}
	if (type.len == 0)
		type = cg_slice("value");
	memcpy(name, type.ptr, type.len);
	name[type.len] = '\0';
	for (char *at = name; *at; at++) {
		if ((unsigned char)*at <= ' ' || *at == 0x7f)
			*at = '_';
	}
	for (size_t j = 0; j < i; j++) {
		const struct pprof_type *types = f->r->types.at;

		if (types[j].type == types[i].type) {
			(void)sprintf(name + type.len, "_%zu", i + 1);
			break;
		}
	}
	return name;
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

	if (r->samples.count > 0 && r->columns != r->types.count)
		return cg_reject(r->job,
		    "expected %zu values in a sample, as there are types: "
		    "got %zu",
		    r->types.count, r->columns);
	f->counter = CG_EVENT_MAX;
	for (size_t i = 0; i < r->types.count; i++) {
		if (!add_event(f, i))
			return false;
	}
	return true;
}

/* ---- Mappings ----------------------------------------------------------- */

/* "0x400000-0x500000 0x0 0x0 - /bin/prog": offset, bias, build-id, path. */
static bool
add_mapping_desc(
    struct finish *f, const struct cg_mapping *mapping, uint32_t number)
{
	struct pprof_reader *r = f->r;
	size_t room = mapping->path.len + mapping->build_id.len + 100;
	char *text;
	int len;

	/* A mapping with a path only becomes an object without description. */
	if (mapping->start == 0 && mapping->limit == 0 &&
	    mapping->offset == 0 && mapping->build_id.len == 0)
		return true;
	text = malloc(room);
	if (!text)
		return cg_reject_nomem(r->job);
	len = snprintf(text, room,
	    "0x%" PRIx64 "-0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %.*s %.*s",
	    mapping->start, mapping->limit, mapping->offset,
	    cg_space_bias(f->space, number),
	    mapping->build_id.len > 0 ? (int)mapping->build_id.len : 1,
	    mapping->build_id.len > 0 ? mapping->build_id.ptr : "-",
	    (int)mapping->path.len, mapping->path.ptr);
	cg_add_desc(r->build, cg_slice(PPROF_KEY_MAPPING),
	    (struct cg_slice){ text, (size_t)len });
	free(text);
	return true;
}

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
	f->mapping[i] = cg_space_add(f->space, &mapping);
	return f->mapping[i] != 0 &&
	       add_mapping_desc(f, &mapping, f->mapping[i]);
}

static bool
add_mappings(struct finish *f)
{
	struct pprof_reader *r = f->r;

	f->space = cg_space_new(r->job, r->build);
	f->mapping = calloc(r->mappings.count + 1, sizeof(*f->mapping));
	if (!f->space || !f->mapping)
		return cg_reject_nomem(r->job);
	for (size_t i = 0; i < r->mappings.count; i++) {
		if (!add_mapping(f, i))
			return false;
	}
	return true;
}

/* ---- Locations ---------------------------------------------------------- */

static struct cg_stack *
append_frame(struct finish *f)
{
	return pprof_append(f->r, &f->frames, sizeof(struct cg_stack));
}

/* Makes a name from the address for a function without one. */
static cg_name
name_address(struct pprof_reader *r, uint64_t addr)
{
	char hex[CG_NUMBER_MAX];
	char *end = cg_format_hex(hex, addr);

	return cg_add_name(
	    r->build, (struct cg_slice){ hex, (size_t)(end - hex) });
}

/* Its name and its linker name. */
static bool
get_names(struct pprof_reader *r, const struct pprof_function *function,
    uint64_t addr, cg_name *name, cg_name *symbol)
{
	if (!pprof_get_name(r, function->name, name) ||
	    !pprof_get_name(r, function->system_name, symbol))
		return false;
	if (*name == 0 && *symbol != 0)
		*name = cg_add_name(
		    r->build, cg_slice(cg_demangle(
				  r->job, cg_get_name(r->build, *symbol).ptr)));
	if (*name == 0)
		*name = name_address(r, addr);
	return true;
}

static bool
add_line(struct finish *f, uint32_t mapping, uint64_t addr,
    const struct pprof_line *line, bool inlined)
{
	static const struct pprof_function unknown = { .defined = true };
	struct pprof_reader *r = f->r;
	const struct pprof_function *function = &unknown;
	struct cg_stack *frame = append_frame(f);
	struct cg_range range = { 0 };
	cg_name name, symbol;
	struct cg_slice path;

	if (!frame)
		return false;
	if (line->function != 0)
		function = (const struct pprof_function *)r->functions.at +
			   line->function - 1;
	range.first = function->start_line;
	if (!function->defined)
		return cg_reject(r->job,
		    "expected all functions of locations to be defined");
	if (!get_names(r, function, addr, &name, &symbol) ||
	    !pprof_get_text(r, function->file, &path))
		return false;
	frame->inlined = inlined;
	frame->pos.addr = addr;
	frame->pos.line = line->line;
	frame->pos.file = cg_add_file(r->build, path);
	frame->fn = cg_add_fn_symbol(r->build, name, frame->pos.file,
	    cg_space_object(f->space, mapping), symbol);
	if (function->start_line != 0)
		cg_set_fn_range(r->build, frame->fn, &range);
	return true;
}

/* A location without lines: only its address is known. */
static bool
add_address(struct finish *f, uint32_t mapping, uint64_t addr)
{
	struct cg_stack frames[CG_FRAME_MAX], *frame;
	size_t n = cg_space_frames(f->space, mapping, addr, frames);

	for (size_t i = 0; i < n; i++) {
		frame = append_frame(f);
		if (!frame)
			return false;
		*frame = frames[i];
	}
	return true;
}

static bool
add_location(struct finish *f, const struct pprof_location *location)
{
	struct pprof_reader *r = f->r;
	const struct pprof_line *line = r->lines.at;
	uint32_t mapping = 0;
	uint64_t addr;
	bool ok = true;

	if (!location->defined)
		return cg_reject(
		    r->job, "expected all locations of samples to be defined");
	if (location->mapping != 0) {
		mapping = cg_map_get(&r->mapping_ids, location->mapping);
		if (mapping == 0)
			return cg_reject(r->job,
			    "expected all mappings of locations to be defined");
		mapping = f->mapping[mapping - 1];
	}
	if (location->lines == 0)
		return add_address(f, mapping, location->addr);
	addr = location->addr - cg_space_bias(f->space, mapping);
	if (location->addr == 0)
		addr = 0;
	for (uint32_t i = 0; ok && i < location->lines; i++)
		ok = add_line(f, mapping, addr, &line[location->first + i],
		    i + 1 < location->lines);
	return ok;
}

static bool
add_locations(struct finish *f)
{
	struct pprof_reader *r = f->r;
	const struct pprof_location *location = r->locations.at;
	size_t count = r->locations.count;

	f->first = calloc(count + 1, sizeof(*f->first));
	if (!f->first)
		return cg_reject_nomem(r->job);
	for (size_t i = 0; i < count; i++) {
		f->first[i] = (uint32_t)f->frames.count;
		if (!add_location(f, &location[i]))
			return false;
	}
	f->first[count] = (uint32_t)f->frames.count;
	return true;
}

/* ---- Stacks ------------------------------------------------------------- */

/* Maps nodes of the tree to the graph's nodes; NULL: out of memory. */
static cg_node *
add_nodes(struct finish *f)
{
	struct pprof_reader *r = f->r;
	const struct pprof_node *node = r->nodes.at;
	const struct cg_stack *frame = f->frames.at;
	cg_node *id = calloc(r->nodes.count + 1, sizeof(*id));

	if (!id) {
		(void)cg_reject_nomem(r->job);
		return NULL;
	}
	for (size_t i = 1; i < r->nodes.count; i++) {
		uint32_t location = node[i].location - 1;
		cg_node at = id[node[i].parent];

		for (uint32_t j = f->first[location + 1];
		     j > f->first[location]; j--)
			/* The analyzer does not see that a location has frames. */
			/* NOLINTNEXTLINE(clang-analyzer-core.*) */
			at = cg_add_frame(r->build, at, frame[j - 1].fn,
			    &frame[j - 1].pos, frame[j - 1].inlined);
		id[i] = at;
	}
	return id;
}

static void
add_sample(struct finish *f, const struct pprof_sample *sample, cg_node leaf)
{
	struct pprof_reader *r = f->r;
	const int64_t *cost = sample->cost;
	uint64_t count = sample->count;
	uint64_t row[CG_EVENT_MAX];
	size_t n = 0;

	for (size_t c = 0; c < r->columns; c++) {
		while (n <= f->column[c])
			row[n++] = 0;
		row[f->column[c]] = (uint64_t)cost[c];
	}
	if (f->counter < r->columns)
		count = cost[f->counter] > 0 ? (uint64_t)cost[f->counter] : 0;
	cg_add_stack(r->build, leaf, count, row, n);
}

static bool
add_samples(struct finish *f)
{
	struct pprof_reader *r = f->r;
	const struct pprof_sample *sample;
	cg_node *node = add_nodes(f);
	uint32_t labels = 0;
	bool ok = true;

	if (!node)
		return false;
	for (size_t i = 0; ok && i < r->samples.count; i++) {
		sample = pprof_sample(r, i);
		if (i == 0 || sample->labels != labels)
			ok = pprof_set_labels(r, sample->labels);
		labels = sample->labels;
		if (ok)
			add_sample(f, sample, node[sample->leaf]);
	}
	free(node);
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
	bool ok = pprof_end_batch(r) && pprof_begin_part(r) && add_events(&f) &&
		  add_mappings(&f) && add_locations(&f) && add_samples(&f);

	if (ok)
		warn_lost(r);
	cg_space_free(f.space);
	free(f.mapping);
	free(f.first);
	free(f.frames.at);
	/* A failure of the address space was reported already. */
	if (!ok && cg_rejected(r->job) == CG_OK &&
	    cg_build_status(r->build) == CG_OK)
		(void)cg_reject_nomem(r->job);
	pprof_free(r);
	return ok;
}
