/*
 * build.c - makes a builder; adds objects, files, functions and events.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"
#include "graph/rules.h"
#include "symbols/symbols.h"

void
cg_build_init(
    struct cg_build *build, struct cg_graph *graph, enum cg_parts_mode mode)
{
	*build = (struct cg_build){ .graph = graph, .mode = mode };
}

void
cg_build_free(struct cg_build *build)
{
	cg_map_free(&build->excluded_files);
	free(build->shards);
	free(build->mark);
	free(build->sum);
	free(build->sign);
	cg_map_free(&build->demangled);
	build->mark = build->sum = NULL;
	free(build->text);
	free(build->kept);
	free(build->dropped);
	cg_map_free(&build->label_keys);
	build->text = NULL;
	build->kept = NULL;
	build->dropped = NULL;
	cg_map_free(&build->definitions);
	cg_strs_free(&build->sample_keys);
	cg_map_free(&build->sample_parts);
	cg_map_free(&build->track_ids);
}

static cg_str
add_str(struct cg_build *build, struct cg_slice text)
{
	cg_str id = cg_strs_add(&build->graph->strs, text);

	if (id != CG_STR_NONE)
		return id;
	cg_build_nomem(build);
	return 0;
}

/* ---- Dimensions --------------------------------------------------------- */

static uint32_t
add_path(struct cg_build *build, struct cg_paths *paths, struct cg_slice path)
{
	uint32_t *id;
	cg_str str;

	if (build->status != CG_OK || path.len == 0)
		return 0;
	str = add_str(build, path);
	if (str == 0)
		return 0;
	id = cg_map_at(&paths->ids, str);
	if (!id || (*id == 0 && !cg_grow(&paths->path, &paths->cap,
				    paths->count + 1, sizeof(*paths->path)))) {
		cg_build_nomem(build);
		return 0;
	}
	if (*id == 0) {
		*id = (uint32_t)paths->count;
		paths->path[paths->count++] = str;
	}
	return *id;
}

cg_object
cg_add_object(struct cg_build *build, struct cg_slice path)
{
	return add_path(build, &build->graph->objects, path);
}

/*
 * Marks the file as excluded if the rules (--include, --exclude, --root) do
 * not keep its path, so that rows in it are dropped. The builder fails if
 * memory runs out.
 */
static void
exclude_file(struct cg_build *build, cg_file file)
{
	const struct cg_graph *graph = build->graph;
	uint32_t *out;

	if (cg_rules_keep(build->rules,
		cg_strs_get(&graph->strs, graph->files.path[file]).ptr))
		return;
	out = cg_map_at(&build->excluded_files, file);
	if (out)
		*out = 1;
	else
		cg_build_nomem(build);
}

cg_file
cg_add_file(struct cg_build *build, struct cg_slice path)
{
	size_t files = build->graph->files.count;
	char *room = NULL;
	cg_file file;

	if (build->rules && build->rules->maps > 0 &&
	    !cg_rules_path(build->rules, path, &room, &path)) {
		cg_build_nomem(build);
		return 0;
	}
	file = add_path(build, &build->graph->files, path);
	free(room);
	if (build->rules && cg_rules_exclude(build->rules) &&
	    build->graph->files.count > files)
		exclude_file(build, file);
	return file;
}

void
cg_set_file_given(struct cg_build *build, cg_file file, struct cg_slice given)
{
	struct cg_graph *graph = build->graph;
	cg_str str, *before;

	if (!cg_build_check(build, file, graph->files.count, "file"))
		return;
	str = add_str(build, given);
	if (file == 0 || str == 0 || str == graph->files.path[file])
		return;
	before = cg_map_at(&graph->files.given, file);
	if (!before)
		cg_build_nomem(build);
	/*
	 * Keep the lesser of two, so that the result does not depend on the
	 * order of inputs.
	 */
	else if (*before == 0 ||
		 cg_compare(given, cg_strs_get(&graph->strs, *before)) < 0)
		*before = str;
}

cg_file
cg_add_file_in(
    struct cg_build *build, struct cg_slice directory, struct cg_slice name)
{
	struct cg_slice path;
	cg_file file;
	char *room;

	if (name.len == 0)
		return 0;
	room = malloc(directory.len + name.len + CG_JOIN_MORE);
	if (!room) {
		cg_build_nomem(build);
		return 0;
	}
	path.ptr = room;
	path.len = (size_t)(cg_join_path(room, directory, name) - room);
	file = cg_add_file(build, path);
	if (cg_compare(path, name) != 0)
		cg_set_file_given(build, file, name);
	free(room);
	return file;
}

/*
 * Returns the hash by which a function is found in the graph's table.
 * Parameters are passed by value: loading a struct that was just stored member
 * by member is slow.
 */
static uint32_t
hash_fn(const struct cg_graph *graph, cg_name name, cg_name symbol,
    cg_file file, cg_object object)
{
	uint64_t names = (uint64_t)symbol << 32 | name;

	return (uint32_t)cg_hash_u64(((uint64_t)file << 32 | object) ^
				     cg_hash_u64(names ^ cg_hash_seed(graph)));
}

static bool
same_fn(const struct cg_fn_entry *a, const struct cg_fn_entry *b)
{
	return a->name == b->name && a->symbol == b->symbol &&
	       a->file == b->file && a->object == b->object;
}

/*
 * Adds all functions to their hash table, which is empty: it is dropped before
 * an output is written, to save memory. False: out of memory (not reported);
 * the table is empty then.
 */
static bool
list_fns(struct cg_graph *graph)
{
	bool ok = true;
	uint32_t hash;

	for (cg_fn i = 1; ok && i < graph->fns; i++) {
		const struct cg_fn_entry *fn = &graph->fn[i];

		hash =
		    hash_fn(graph, fn->name, fn->symbol, fn->file, fn->object);
		ok = cg_slots_add(
		    &graph->fn_slots, (struct cg_id_slot){ i, hash });
	}
	if (!ok)
		cg_slots_free(&graph->fn_slots);
	return ok;
}

/*
 * Returns the id of the function with the name, symbol, file and object of
 * key, looked up by their hash; 0: it is not in the table.
 */
static cg_fn
find_fn(
    const struct cg_graph *graph, const struct cg_fn_entry *key, uint32_t hash)
{
	size_t at = hash;
	cg_fn fn;

	do
		fn = cg_slots_next(&graph->fn_slots, hash, &at);
	while (fn != 0 && !same_fn(&graph->fn[fn], key));
	return fn;
}

cg_fn
cg_build_find_fn(const struct cg_build *build, cg_name name, cg_file file,
    cg_object object, cg_name symbol)
{
	const struct cg_fn_entry key = { .name = name,
		.symbol = symbol == name ? 0 : symbol,
		.file = file,
		.object = object };

	return find_fn(build->graph, &key,
	    hash_fn(build->graph, name, key.symbol, file, object));
}

void
cg_graph_drop_tables(struct cg_graph *graph)
{
	cg_strs_drop_slots(&graph->strs);
	cg_slots_free(&graph->fn_slots);
}

cg_name
cg_add_name(struct cg_build *build, struct cg_slice name)
{
	return build->status == CG_OK ? add_str(build, name) : 0;
}

struct cg_slice
cg_get_name(const struct cg_build *build, cg_name name)
{
	return cg_strs_get(&build->graph->strs, name);
}

cg_name
cg_add_demangled(struct cg_build *build, cg_name symbol)
{
	struct cg_strs *strs = &build->graph->strs;
	uint32_t *known;
	cg_str text = CG_STR_NONE;

	if (!cg_build_check(
		build, symbol, strs->count ? strs->count : 1, "name"))
		return 0;
	if (build->linkage || !cg_may_be_mangled(cg_strs_get(strs, symbol)))
		return symbol;
	known = cg_map_at(&build->demangled, symbol);
	if (known && *known != 0)
		return *known;
	if (known)
		text = cg_demangle_str(strs, cg_strs_get(strs, symbol).ptr);
	if (text == CG_STR_NONE) {
		cg_build_nomem(build);
		return 0;
	}
	return *known = text;
}

cg_name
cg_build_fn_name(const struct cg_build *build, cg_fn fn)
{
	return build->graph->fn[fn].name;
}

cg_object
cg_build_fn_object(const struct cg_build *build, cg_fn fn)
{
	return build->graph->fn[fn].object;
}

cg_fn
cg_add_fn(struct cg_build *build, struct cg_slice name, cg_file file,
    cg_object object)
{
	return cg_add_fn_named(build, cg_add_name(build, name), file, object);
}

cg_fn
cg_add_fn_named(
    struct cg_build *build, cg_name name, cg_file file, cg_object object)
{
	return cg_add_fn_symbol(build, name, file, object, 0);
}

cg_fn
cg_add_fn_symbol(struct cg_build *build, cg_name name, cg_file file,
    cg_object object, cg_name symbol)
{
	struct cg_graph *graph = build->graph;
	/* Use the names that cg_add_demangled() makes. */
	cg_name known = build->linkage && symbol != 0 ? symbol : name;
	const struct cg_fn_entry key = { .name = known,
		.symbol = symbol == known ? 0 : symbol,
		/*
		 * Keep the function even if its file is excluded: it may have
		 * rows in other files.
		 */
		.file = cg_build_excludes(build, file) ? 0 : file,
		.object = object,
		.runs = CG_NO_RUN };
	size_t strs = graph->strs.count ? graph->strs.count : 1;
	uint32_t hash;
	cg_fn fn;

	if (!cg_build_check(build, name, strs, "name") ||
	    !cg_build_check(build, symbol, strs, "symbol") ||
	    !cg_build_check(build, file, graph->files.count, "file") ||
	    !cg_build_check(build, object, graph->objects.count, "object"))
		return 0;
	if (name == 0 && key.file == 0 && object == 0 && symbol == 0)
		return 0;
	/* Many inputs have the same functions in the same order. */
	fn = build->last_fn + 1;
	if (fn < graph->fns && same_fn(&graph->fn[fn], &key))
		return build->last_fn = fn;
	if (graph->fn_slots.count == 0 && !list_fns(graph)) {
		cg_build_nomem(build);
		return 0;
	}
	hash = hash_fn(graph, known, key.symbol, key.file, object);
	fn = find_fn(graph, &key, hash);
	if (fn != 0)
		return build->last_fn = fn;
	fn = (cg_fn)graph->fns;
	if (graph->fns >= UINT32_MAX ||
	    !cg_grow_raw(&graph->fn, &graph->fn_cap, graph->fns + 1,
		sizeof(*graph->fn)) ||
	    !cg_slots_add(&graph->fn_slots, (struct cg_id_slot){ fn, hash })) {
		cg_build_nomem(build);
		return 0;
	}
	graph->fn[graph->fns++] = key;
	return build->last_fn = fn;
}

bool
cg_set_fn_file(struct cg_graph *graph, cg_fn fn, cg_file file)
{
	struct cg_fn_entry key = graph->fn[fn];
	uint32_t hash;

	key.file = file;
	hash = hash_fn(graph, key.name, key.symbol, file, key.object);
	if ((graph->fn_slots.count == 0 && !list_fns(graph)) ||
	    find_fn(graph, &key, hash) != 0)
		return false;
	/* The old slot stays, but does not match the function any more. */
	if (!cg_slots_add(&graph->fn_slots, (struct cg_id_slot){ fn, hash }))
		return false;
	graph->fn[fn].file = file;
	return true;
}

#define MANY_FILES UINT32_MAX

bool
cg_infer_fn_files(struct cg_graph *graph)
{
	cg_file *only_file;

	if (graph->frames < 2)
		return true;
	only_file = calloc(graph->fns, sizeof(*only_file));
	if (!only_file)
		return false;
	for (size_t i = 1; i < graph->frames; i++) {
		const struct cg_frame_entry *frame = &graph->frame[i];
		cg_file *file = &only_file[frame->fn];

		if (frame->pos.file != 0 && *file != frame->pos.file)
			*file = *file == 0 ? frame->pos.file : MANY_FILES;
	}
	for (cg_fn fn = 1; fn < graph->fns; fn++) {
		if (graph->fn[fn].file == 0 && only_file[fn] != 0 &&
		    only_file[fn] != MANY_FILES)
			(void)cg_set_fn_file(graph, fn, only_file[fn]);
	}
	free(only_file);
	return true;
}

void
cg_set_fn_range(struct cg_build *build, cg_fn fn, const struct cg_range *more)
{
	struct cg_range *range;

	if (!cg_build_check(build, fn, build->graph->fns, "function"))
		return;
	range = &build->graph->fn[fn].range;
	if (more->first != 0 &&
	    (range->first == 0 || more->first < range->first ||
		(more->first == range->first &&
		    more->first_column < range->first_column))) {
		range->first = more->first;
		range->first_column = more->first_column;
	}
	if (more->last > range->last ||
	    (more->last == range->last &&
		more->last_column > range->last_column)) {
		range->last = more->last;
		range->last_column = more->last_column;
	}
	if (more->addr != 0 && (range->addr == 0 || more->addr < range->addr))
		range->addr = more->addr;
}

/*
 * True if the function is defined at this line and column. The first call for
 * a function sets its definition. Also true if memory runs out; the builder
 * has failed then.
 */
static bool
is_definition(struct cg_build *build, cg_fn fn, uint32_t line, uint32_t column)
{
	/* The map has column + 1 under this key, the line under the next. */
	uint64_t key = (uint64_t)fn << 1;
	uint32_t *at = cg_map_at(&build->definitions, key);

	if (at && *at == 0) {
		*at = column + 1;
		at = cg_map_at(&build->definitions, key | 1);
		if (at)
			*at = line;
	}
	if (!at) {
		cg_build_nomem(build);
		return true;
	}
	return cg_map_get(&build->definitions, key) == column + 1 &&
	       cg_map_get(&build->definitions, key | 1) == line;
}

/*
 * Returns "name:line" or, with a column, "name:line:column", which tells apart
 * functions of equal names; valid until the next call. Returns name itself if
 * memory runs out (the builder fails).
 */
static struct cg_slice
location_name(struct cg_build *build, struct cg_slice name, uint32_t line,
    uint32_t column)
{
	size_t most = name.len + 2 * (CG_NUMBER_MAX + 1);
	char *to;

	if (!cg_grow_raw(&build->text, &build->text_cap, most, 1)) {
		cg_build_nomem(build);
		return name;
	}
	if (name.len > 0)
		memcpy(build->text, name.ptr, name.len);
	to = build->text + name.len;
	*to++ = ':';
	to = cg_format_u64(to, line);
	if (column != 0) {
		*to++ = ':';
		to = cg_format_u64(to, column);
	}
	return (struct cg_slice){ build->text, (size_t)(to - build->text) };
}

cg_fn
cg_add_fn_at(struct cg_build *build, struct cg_slice name, cg_file file,
    cg_object object, uint32_t line, uint32_t column)
{
	const struct cg_range range = { .first = line, .first_column = column };
	cg_fn fn = cg_add_fn(build, name, file, object);

	if (fn != 0 && !is_definition(build, fn, line, column))
		fn = cg_add_fn(build, location_name(build, name, line, column),
		    file, object);
	cg_set_fn_range(build, fn, &range);
	return fn;
}

void
cg_set_grain(struct cg_build *build, unsigned bytes)
{
	if (bytes > build->graph->grain)
		build->graph->grain = bytes;
}

/* ---- Events ------------------------------------------------------------- */

static const char *
intern(struct cg_build *build, const char *text)
{
	return cg_strs_get(
	    &build->graph->strs, add_str(build, cg_slice(text ? text : "")))
	    .ptr;
}

/*
 * Merges an input's event into event i of the graph. A stated long name and
 * unit replace the old ones. The builder fails if signs, units or kinds of
 * inclusive costs contradict each other.
 */
static void
join_event(struct cg_build *build, size_t i, const struct cg_event *more)
{
	struct cg_event *event = &build->graph->event[i];
	const char *unit = more->unit ? more->unit : "";

	cg_sign_event(build, i, more->is_signed);
	if (event->incl != more->incl)
		cg_build_fail(build,
		    "cannot merge: event %s has different cost "
		    "semantics in the inputs",
		    event->name);
	else if (*unit && *event->unit && strcmp(unit, event->unit) != 0)
		cg_build_fail(build,
		    "event %s has the unit %s in one place and %s in "
		    "another",
		    event->name, event->unit, unit);
	if (more->long_name && *more->long_name)
		event->long_name = intern(build, more->long_name);
	if (*unit)
		event->unit = intern(build, unit);
}

/*
 * True if an event's name is a word without blanks and control characters, as
 * formats that list events need it. Otherwise (also if it is empty or NULL)
 * the builder fails, and the result is false.
 */
static bool
check_event_name(struct cg_build *build, const char *name)
{
	const unsigned char *at = (const unsigned char *)(name ? name : "");

	while (*at > ' ' && *at != 0x7f)
		at++;
	if (name && *name && !*at)
		return true;
	cg_build_fail(build, "expected an event name without blanks and "
			     "control characters");
	return false;
}

/*
 * Makes the builder store lines, branches and regions (ranges of source text)
 * although only sums per function are wanted, as percentages of coverage count
 * them. Does nothing if rows are stored anyway or the builder has failed.
 */
static void
keep_coverage(struct cg_build *build)
{
	if (!build->sums_only || !cg_build_end_run(build))
		return;
	build->sums_only = false;
	build->unwanted &=
	    ~(cg_facts)(CG_BRANCHES | CG_CONDITIONS | CG_REGIONS);
}

unsigned
cg_add_event(struct cg_build *build, const struct cg_event *event)
{
	struct cg_graph *graph = build->graph;
	struct cg_event *new;

	if (build->status != CG_OK || !check_event_name(build, event->name))
		return 0;
	for (size_t i = 0; i < graph->events; i++) {
		if (strcmp(graph->event[i].name, event->name) != 0)
			continue;
		join_event(build, i, event);
		return (unsigned)i;
	}
	if (graph->events >= CG_EVENT_MAX) {
		cg_build_fail(build, "more than %d events", CG_EVENT_MAX);
		build->status = CG_ELIMIT;
		return 0;
	}
	if (!cg_grow(&graph->event, &graph->event_cap, graph->events + 1,
		sizeof(*graph->event))) {
		cg_build_nomem(build);
		return 0;
	}
	new = &graph->event[graph->events++];
	*new = *event;
	graph->any_signed |= event->is_signed;
	new->name = intern(build, event->name);
	new->long_name = intern(build, event->long_name);
	new->unit = intern(build, event->unit);
	new->formula = "";
	if (event->incl == CG_INCL_NONE)
		keep_coverage(build);
	cg_sign_event(build, graph->events - 1, event->is_signed);
	return (unsigned)graph->events - 1;
}

void
cg_add_formula(struct cg_build *build, const struct cg_event *event)
{
	struct cg_graph *graph = build->graph;
	struct cg_event *new = NULL;

	if (build->status != CG_OK || !check_event_name(build, event->name))
		return;
	for (size_t i = 0; i < graph->formulas; i++) {
		if (strcmp(graph->formula[i].event.name, event->name) == 0)
			new = &graph->formula[i].event;
	}
	if (!new && graph->formulas >= CG_EVENT_MAX) {
		cg_build_fail(
		    build, "more than %d inherited events", CG_EVENT_MAX);
		build->status = CG_ELIMIT;
		return;
	}
	if (!new) {
		if (!cg_grow(&graph->formula, &graph->formula_cap,
			graph->formulas + 1, sizeof(*graph->formula))) {
			cg_build_nomem(build);
			return;
		}
		new = &graph->formula[graph->formulas++].event;
		*new = *event;
		new->name = intern(build, event->name);
		new->long_name = new->unit = new->formula = "";
	}
	if (event->long_name && *event->long_name)
		new->long_name = intern(build, event->long_name);
	if (event->unit && *event->unit)
		new->unit = intern(build, event->unit);
	if (event->formula && *event->formula)
		new->formula = intern(build, event->formula);
}

bool
cg_add_samples(struct cg_build *build, uint64_t ns)
{
	static const struct cg_event samples = { .name = "samples",
		.long_name = "Samples" };
	char formula[64];
	const struct cg_event time = { .name = CG_TIME_EVENT,
		.long_name = "Time",
		.unit = "ns",
		.formula = formula };

	if (!cg_add_column(build, &samples))
		return false;
	(void)snprintf(formula, sizeof(formula), "%" PRIu64 " samples", ns);
	if (ns > 0)
		cg_add_formula(build, &time);
	return true;
}

/* ---- Columns ------------------------------------------------------------ */

/*
 * An input names its events in its own order. Merged inputs share events, so
 * columns of the input may differ from those of the graph.
 */

bool
cg_add_column(struct cg_build *build, const struct cg_event *event)
{
	struct cg_columns *columns = &build->columns;
	unsigned column = cg_add_event(build, event);
	size_t i = columns->events;

	if (cg_build_status(build) != CG_OK || i == CG_EVENT_MAX)
		return false;
	for (size_t k = 0; k < i; k++)
		if (columns->column[k] == column)
			return false;
	columns->column[i] = column;
	columns->moved |= column != i;
	columns->events++;
	if (column >= columns->width)
		columns->width = column + 1;
	return true;
}

const uint64_t *
cg_columns_of(struct cg_build *build, const uint64_t *cost)
{
	struct cg_columns *columns = &build->columns;

	if (!columns->moved)
		return cost;
	for (size_t i = 0; i < columns->events; i++)
		columns->cost[columns->column[i]] = cost[i];
	return columns->cost;
}

size_t
cg_columns_width(const struct cg_build *build)
{
	return build->columns.width;
}

size_t
cg_columns_added(const struct cg_build *build)
{
	return build->columns.events;
}
