/*
 * mappings.c - the mappings of a file that is written, and the mapping of each
 * address of an object.
 *
 * Mappings may overlap in merged profiles: then the first one in the list has
 * the address. So the edges of all ranges are sorted, and each range takes the
 * space between edges that no earlier mapping has taken.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

/* An address of an object where a mapping begins or ends. */
struct proto_edge {
	cg_object object;
	uint64_t addr;
	uint32_t mapping; /* + 1: of the addresses up to the next edge */
	uint32_t free;    /* next edge with free space, maybe this one */
};

/* The addresses of a mapping: from low to high - 1; high is 0 for 2^64. */
struct range {
	uint64_t low, high;
};

/* ---- Mappings of the graph ---------------------------------------------- */

/*
 * Appends a mapping to the list; returns its index + 1. 0: out of memory
 * (reported).
 */
static uint32_t
add_mapping(struct proto_writer *w, const struct proto_out_mapping *mapping)
{
	struct proto_out_mapping *new = proto_push(w->job, &w->mappings);

	if (!new)
		return 0;
	*new = *mapping;
	return (uint32_t)w->mappings.n;
}

static bool
take_hex(struct cg_slice *text, char end, uint64_t *value)
{
	return cg_take_u64(text, value) && cg_take_char(text, end);
}

/*
 * Parses the description of a mapping, "START-LIMIT OFFSET BIAS BUILDID PATH",
 * into *mapping, whose texts point into the text. Build-id "-" becomes empty.
 * False: another form; *mapping is undefined.
 */
static bool
parse_mapping(struct cg_slice text, struct proto_out_mapping *mapping)
{
	*mapping = (struct proto_out_mapping){ .start = 0 };
	if (!take_hex(&text, '-', &mapping->start) ||
	    !take_hex(&text, ' ', &mapping->limit) ||
	    !take_hex(&text, ' ', &mapping->offset) ||
	    !take_hex(&text, ' ', &mapping->bias) ||
	    !cg_take_word(&text, &mapping->build_id) ||
	    !cg_take_char(&text, ' '))
		return false;
	if (cg_equal(mapping->build_id, "-"))
		mapping->build_id.len = 0;
	mapping->path = text;
	return true;
}

static bool
add_described(struct proto_writer *w)
{
	struct proto_out_mapping mapping;
	const char *key, *value;

	for (cg_part part = 0; part < cg_part_count(w->graph); part++) {
		for (size_t i = 0;
		     cg_part_desc(w->graph, part, i, &key, &value); i++) {
			if (strcmp(key, PROTO_KEY_MAPPING) == 0 &&
			    parse_mapping(cg_slice(value), &mapping) &&
			    add_mapping(w, &mapping) == 0)
				return false;
		}
	}
	return true;
}

static int
compare_mappings(
    const struct proto_out_mapping *a, const struct proto_out_mapping *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->limit != b->limit)
		return a->limit < b->limit ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return cg_compare(a->path, b->path);
}

/*
 * Compares pointers to mappings for qsort(). Equal mappings stay in the order
 * of their array, so that drop_equal() keeps the first of them.
 */
static int
compare_listed(const void *pa, const void *pb)
{
	const struct proto_out_mapping *const *a = pa, *const *b = pb;
	int order = compare_mappings(*a, *b);

	return order != 0 ? order : (*a > *b) - (*a < *b);
}

/*
 * Removes each mapping from w->mappings that equals an earlier one. Processes
 * and threads share most of their mappings. The mappings that remain keep
 * their order. False: out of memory (reported).
 */
static bool
drop_equal(struct proto_writer *w)
{
	struct proto_out_mapping *list = w->mappings.at;
	size_t count = w->mappings.n, kept = 0;
	struct proto_out_mapping **sorted =
	    cg_alloc(w->job, (count + 1) * sizeof(*sorted));

	if (!sorted)
		return false;
	for (size_t i = 0; i < count; i++)
		sorted[i] = &list[i];
	qsort(sorted, count, sizeof(*sorted), compare_listed);
	for (size_t i = 1; i < count; i++)
		sorted[i]->equal =
		    compare_mappings(sorted[i - 1], sorted[i]) == 0;
	for (size_t i = 0; i < count; i++) {
		if (!list[i].equal)
			list[kept++] = list[i];
	}
	w->mappings.n = kept;
	return true;
}

/* ---- Objects ------------------------------------------------------------ */

struct named {
	struct cg_slice path;
	cg_object object;
};

static int
compare_named(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;

	return cg_compare(a->path, b->path);
}

/*
 * Sets the object of each mapping to the graph's object with the mapping's
 * path; 0: there is none. False: out of memory (reported).
 */
static bool
find_objects(struct proto_writer *w)
{
	struct proto_out_mapping *list = w->mappings.at;
	size_t count = cg_object_count(w->graph);
	struct named *named = cg_alloc(w->job, (count + 1) * sizeof(*named));
	const struct named *found;

	if (!named)
		return false;
	for (size_t i = 0; i < count; i++) {
		named[i].object = (cg_object)i + 1;
		named[i].path = cg_object_path(w->graph, named[i].object);
	}
	qsort(named, count, sizeof(*named), compare_named);
	for (size_t i = 0; i < w->mappings.n; i++) {
		const struct named wanted = { .path = list[i].path };

		found = bsearch(
		    &wanted, named, count, sizeof(*named), compare_named);
		list[i].object = found ? found->object : 0;
	}
	return true;
}

/* ---- The main program --------------------------------------------------- */

/*
 * Returns true if the path is that of a library, a kernel or a file of
 * generated code. A mark in the base name tells. Such a file is no executable.
 */
static bool
is_part_of_others(struct cg_slice path)
{
	static const char *const marks[] = { ".so", ".dylib", ".dll", ".ko",
		".map", "vmlinux" };
	struct cg_slice name = cg_base_name(path);

	for (; name.len > 0; name.ptr++, name.len--) {
		for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
			if (cg_starts(name, marks[i]))
				return true;
		}
	}
	return false;
}

/*
 * Returns how likely the object is the main program: 4: its path is the
 * command; 3: its base name is that of the command; 2: another file; 1: a
 * library or the like; 0: no file.
 */
static int
rate_object(const struct proto_writer *w, cg_object object)
{
	struct cg_slice path = cg_object_path(w->graph, object), cmd, word;

	/* Several parts are written as one, without a command. */
	cmd = cg_slice(
	    cg_part_count(w->graph) > 1 ? "" : cg_get_part(w->graph, 0)->cmd);
	if (cg_compare(cmd, path) == 0)
		return 4;
	if (cg_take_word(&cmd, &word) &&
	    cg_compare(cg_base_name(word), cg_base_name(path)) == 0)
		return 3;
	/* [kernel.kallsyms], [vdso], //anon of perf */
	if (cg_starts(path, "[") || cg_starts(path, "//"))
		return 0;
	return is_part_of_others(path) ? 1 : 2;
}

/*
 * Finds the main program among the objects that frames have. Returns the
 * object that rate_object() rates highest. Of equal ones, returns the first by
 * path. 0: there is none, or out of memory (reported).
 */
static cg_object
find_main_object(struct proto_writer *w)
{
	size_t count = cg_object_count(w->graph);
	const struct proto_out_frame *frame = w->frames.at;
	bool *used = cg_alloc(w->job, (count + 1) * sizeof(*used));
	cg_object best = 0;
	int rate, best_rate = -1;

	if (!used)
		return 0;
	for (size_t i = 0; i < w->frames.n; i++)
		used[frame[i].object] = true;
	for (cg_object object = 1; object <= count; object++) {
		if (!used[object])
			continue;
		rate = rate_object(w, object);
		if (rate > best_rate ||
		    (rate == best_rate &&
			cg_compare(cg_object_path(w->graph, object),
			    cg_object_path(w->graph, best)) < 0)) {
			best = object;
			best_rate = rate;
		}
	}
	return best;
}

/*
 * If w->mappings is empty, adds a mapping for the object that most likely is
 * the main program. The reason is that readers take the first mapping for the
 * main program (profile.proto). Adds none if frames have no objects. False: an
 * error (reported).
 */
static bool
add_main_mapping(struct proto_writer *w)
{
	cg_object object = w->mappings.n > 0 ? 0 : find_main_object(w);
	const struct proto_out_mapping bare = { .object = object,
		.path = cg_object_path(w->graph, object) };

	if (object != 0)
		(void)add_mapping(w, &bare);
	return cg_rejected(w->job) == CG_OK;
}

/* ---- Addresses ---------------------------------------------------------- */

/*
 * Sets range[] to the addresses of a mapping in its object, without the
 * process's bias; high is excluded. Returns the number of ranges: 2 if they
 * wrap around, 0 if there are none.
 */
static int
get_ranges(const struct proto_out_mapping *mapping, struct range range[2])
{
	uint64_t low = mapping->start - mapping->bias,
		 high = mapping->limit - mapping->bias;

	if (mapping->object == 0 || mapping->limit <= mapping->start)
		return 0;
	range[0] = (struct range){ low, high };
	if (low < high || high == 0)
		return 1;
	range[0].high = 0;
	range[1] = (struct range){ 0, high };
	return 2;
}

static struct proto_edge
low_edge(cg_object object, struct range range)
{
	return (struct proto_edge){ .object = object, .addr = range.low };
}

/*
 * Returns the edge at the end of an object's range of addresses. The end of
 * the address space is written as address 0 of the next object.
 */
static struct proto_edge
high_edge(cg_object object, struct range range)
{
	return (struct proto_edge){ .object = object + (range.high == 0),
		.addr = range.high };
}

static int
compare_edges(const void *pa, const void *pb)
{
	const struct proto_edge *a = pa, *b = pb;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return (a->addr > b->addr) - (a->addr < b->addr);
}

/*
 * Fills w->edges with the begins and ends of all mappings' ranges, sorted by
 * object and address, without duplicates. w->edges must be empty before.
 * Between two neighbouring edges of an object, all addresses have the same
 * mapping, or none has one. False: out of memory (reported).
 */
static bool
list_edges(struct proto_writer *w)
{
	const struct proto_out_mapping *list = w->mappings.at;
	struct range range[2];
	struct proto_edge *edges;
	uint32_t count = 0;

	for (size_t i = 0; i < w->mappings.n; i++) {
		for (int n = get_ranges(&list[i], range); n-- > 0;) {
			if (!cg_append(w->job, &w->edges,
				low_edge(list[i].object, range[n])) ||
			    !cg_append(w->job, &w->edges,
				high_edge(list[i].object, range[n])))
				return false;
		}
	}
	edges = w->edges.at;
	if (w->edges.n > 0)
		qsort(edges, w->edges.n, sizeof(*edges), compare_edges);
	for (size_t i = 0; i < w->edges.n; i++) {
		if (count > 0 &&
		    compare_edges(&edges[count - 1], &edges[i]) == 0)
			continue;
		edges[count] = edges[i];
		edges[count].free = count;
		count++;
	}
	w->edges.n = count;
	return true;
}

/*
 * Returns the index of the last edge that is not after the wanted one. An edge
 * is the begin or end of a range. Returns the number of edges if there is
 * none.
 */
static uint32_t
find_edge(const struct proto_writer *w, const struct proto_edge *wanted)
{
	const struct proto_edge *edges = w->edges.at;
	uint32_t count = (uint32_t)w->edges.n, low = 0, high = count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (compare_edges(&edges[mid], wanted) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 ? low - 1 : count;
}

/*
 * Returns the index of the first edge from `at` on that begins addresses
 * without a mapping. There must be such an edge.
 */
static uint32_t
find_free(struct proto_edge *edges, uint32_t at)
{
	while (edges[at].free != at) {
		/* Shortens the links over assigned addresses (union-find). */
		edges[at].free = edges[edges[at].free].free;
		at = edges[at].free;
	}
	return at;
}

/*
 * Assigns to a mapping the parts of a range that no earlier mapping has.
 * mapping: its index + 1. w->edges must have the edges of the range.
 */
static void
take_range(struct proto_writer *w, uint32_t mapping, struct range range)
{
	const struct proto_out_mapping *list = w->mappings.at;
	const cg_object object = list[mapping - 1].object;
	const struct proto_edge low = low_edge(object, range),
				high = high_edge(object, range);
	struct proto_edge *edges = w->edges.at;
	/* What follows the last edge stays free, so find_free() ends. */
	uint32_t end = find_edge(w, &high);

	for (uint32_t at = find_free(edges, find_edge(w, &low)); at < end;
	     at = find_free(edges, at)) {
		edges[at].mapping = mapping;
		edges[at].free = at + 1;
	}
}

/*
 * Assigns to each mapping, in order, the addresses of its object that no
 * earlier one has. Sets each object's first mapping, and `rest`: its first one
 * without a limit, which gets all others.
 */
static void
assign_addresses(struct proto_writer *w)
{
	const struct proto_out_mapping *list = w->mappings.at;
	struct range range[2];

	for (uint32_t i = 0; i < w->mappings.n; i++) {
		struct proto_object *object = &w->objects[list[i].object];

		if (object->first == 0)
			object->first = i + 1;
		if (object->rest != 0)
			continue;
		if (list[i].limit == 0)
			object->rest = i + 1;
		for (int n = get_ranges(&list[i], range); n-- > 0;)
			take_range(w, i + 1, range[n]);
	}
}

bool
proto_list_mappings(struct proto_writer *w)
{
	w->objects = cg_alloc(
	    w->job, (cg_object_count(w->graph) + 1) * sizeof(*w->objects));
	if (!w->objects || !add_described(w) || !drop_equal(w) ||
	    !find_objects(w) || !add_main_mapping(w) || !list_edges(w))
		return false;
	assign_addresses(w);
	return true;
}

/*
 * Returns the index + 1 of the mapping to which an address of an object was
 * assigned; 0: none.
 */
static uint32_t
find_range(const struct proto_writer *w, cg_object object, uint64_t addr)
{
	const struct proto_edge wanted = { .object = object, .addr = addr };
	const struct proto_edge *edges = w->edges.at;
	uint32_t at = find_edge(w, &wanted);

	return at < w->edges.n ? edges[at].mapping : 0;
}

uint32_t
proto_find_mapping(struct proto_writer *w, cg_object object, uint64_t addr)
{
	struct proto_object *known = &w->objects[object];
	const struct proto_out_mapping bare = { .object = object,
		.path = cg_object_path(w->graph, object) };
	uint32_t found;

	if (object == 0)
		return 0;
	found = addr == 0 ? known->first : find_range(w, object, addr);
	if (found == 0 && known->rest == 0)
		known->rest = add_mapping(w, &bare);
	return found != 0 ? found : known->rest;
}
