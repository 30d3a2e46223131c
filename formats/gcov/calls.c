/*
 * calls.c - adds calls whose callee is stated by the data or by a .ci file.
 *
 * Programs built with -fprofile-generate or -fprofile-values count the targets
 * of indirect calls. From gcc 11 on the data has, for each call site: the
 * number of all calls (negative if targets were dropped), the number of
 * targets, and for each target its ident and count. The line of the call is
 * not stored. The ident is the one in the callee's notes, so the callee may be
 * in a unit that is read later.
 *
 * -fcallgraph-info writes a .ci file next to the notes. Source: what gcc 12
 * writes, toplev.c. A .ci file is a text for VCG with one line for each edge:
 *
 *	edge: { sourcename: "main" targetname: "b.c:f" label: "b.c:61:3" }
 *
 * Names are linkage names; local functions have the name of the unit as a
 * prefix. The notes have blocks that end with a call, and their counts, but no
 * callees. Edges and notes are joined only where the result is certain: the
 * numbers of calls on a line agree in the .ci file and in the notes, and all
 * calls of the line have one callee or one count.
 */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "gcov.h"

/* A call of a function that is in no unit so far. */
struct gcov_call {
	cg_part part;
	cg_fn caller;
	struct cg_pos site;
	uint64_t count;
	uint32_t next; /* next call of this callee; number + 1 */
};

static void
add_call(struct cg_build *build, const struct gcov_known *callee,
    const struct gcov_call *call)
{
	const struct cg_pos entry = { .line = callee->line };

	/* 0: several functions have the ident, so the callee is unknown. */
	if (callee->fn != 0)
		(void)cg_add_call(build, call->caller, &call->site, callee->fn,
		    &entry, call->count, NULL, 0);
}

/*
 * Adds the calls that waited for this callee's ident (gcc's number of a
 * function). A call goes to the part (section of the profile) in which it was
 * read. Restores the current part. False: out of memory.
 */
static bool
add_waiting(struct gcov_program *program, struct cg_build *build,
    uint32_t ident, const struct gcov_known *callee)
{
	uint32_t *first, i;

	if (program->calls == 0)
		return true;
	first = cg_map_at(&program->waiting, ident);
	if (!first)
		return false;
	for (i = *first; i != 0; i = program->call[i - 1].next) {
		cg_set_part(build, program->call[i - 1].part);
		add_call(build, callee, &program->call[i - 1]);
	}
	if (*first != 0)
		cg_set_part(build, program->part);
	*first = 0;
	return true;
}

/*
 * True if idents (gcc's numbers of functions) mean the same in all units
 * (object files). Before gcc 6.2 and in clang's units, they are numbers within
 * the unit. False for all of gcc 6.
 */
static bool
has_idents(const struct gcov_unit *unit)
{
	return unit->head.layout >= GCOV_VERSION(7, 0) && !unit->llvm;
}

bool
gcov_add_known(struct gcov_unit *unit, struct cg_build *build,
    const struct gcov_fn *fn, cg_name symbol)
{
	struct gcov_program *program = unit->program;
	uint32_t *number;

	if (!has_idents(unit))
		return true;
	number = cg_map_at(&program->idents, fn->ident);
	if (!number)
		return false;
	if (*number != 0) {
		if (program->known[*number - 1].fn != fn->id)
			program->known[*number - 1].fn = 0;
		return true;
	}
	if (!gcov_grow(unit, &program->known, &program->known_cap,
		program->knowns + 1, sizeof(*program->known)))
		return false;
	program->known[program->knowns++] = (struct gcov_known){ .fn = fn->id,
		.symbol = symbol,
		.name = cg_get_name(build, symbol),
		.file = unit->file[fn->file].id,
		.line = fn->line };
	*number = (uint32_t)program->knowns;
	return add_waiting(
	    program, build, fn->ident, &program->known[program->knowns - 1]);
}

static bool
is_known(const struct gcov_unit *unit, const struct gcov_fn *fn)
{
	const struct gcov_known *known = &unit->program->known[fn->known - 1];

	return known->fn != 0 && known->file == unit->file[fn->file].id &&
	       cg_compare(known->name, fn->name) == 0;
}

/*
 * Sets fn->known of all functions in the unit (object file). It is 1 + the
 * index in program->known, if an earlier unit has the function, else 0. It is
 * also 0 if different functions had the ident, or idents hold only within the
 * unit. Many units share templates.
 */
void
gcov_find_known(struct gcov_unit *unit)
{
	bool global = has_idents(unit);
	struct gcov_fn *fn = unit->fn;

	/* All look-ups first, so that their cache misses overlap. */
	for (size_t i = 0; i < unit->fns; i++)
		fn[i].known =
		    global ? cg_map_get(&unit->program->idents, fn[i].ident)
			   : 0;
	for (size_t i = 0; i < unit->fns; i++) {
		if (fn[i].known != 0 && !is_known(unit, &fn[i]))
			fn[i].known = 0;
	}
}

static bool
add_to_waiting(
    struct gcov_unit *unit, uint32_t ident, const struct gcov_call *call)
{
	struct gcov_program *program = unit->program;
	uint32_t *first;

	if (!gcov_grow(unit, &program->call, &program->call_cap,
		program->calls + 1, sizeof(*call)))
		return false;
	first = cg_map_at(&program->waiting, ident);
	if (!first)
		return false;
	program->call[program->calls] = *call;
	program->call[program->calls].next = *first;
	*first = (uint32_t)++program->calls;
	return true;
}

static bool
add_target(struct gcov_unit *unit, struct cg_build *build, cg_fn caller,
    const struct cg_pos *site, uint32_t ident, uint64_t count)
{
	struct gcov_program *program = unit->program;
	uint32_t number = cg_map_get(&program->idents, ident);
	const struct gcov_call call = { .part = program->part,
		.caller = caller,
		.site = *site,
		.count = count };

	if (number == 0)
		return add_to_waiting(unit, ident, &call);
	add_call(build, &program->known[number - 1], &call);
	return true;
}

bool
gcov_add_targets(
    struct gcov_unit *unit, struct cg_build *build, const struct gcov_fn *fn)
{
	const struct cg_pos site = { .file = unit->file[fn->file].id };
	const struct gcov_counters *counters;
	const unsigned char *at, *end;
	enum gcov_order order = unit->data.order;
	int64_t n, ident, count;

	if (!fn->data || !fn->data->counters[GCOV_TARGETS].at)
		return true;
	counters = &fn->data->counters[GCOV_TARGETS];
	end = counters->at + counters->n * 8;
	for (at = counters->at; end - at >= 16;) {
		n = gcov_get_counter(at + 8, order);
		at += 16;
		for (; n > 0 && end - at >= 16; n--, at += 16) {
			ident = gcov_get_counter(at, order);
			count = gcov_get_counter(at + 8, order);
			if (ident > 0 && ident <= INT32_MAX && count > 0 &&
			    !add_target(unit, build, fn->id, &site,
				(uint32_t)ident, (uint64_t)count))
				return false;
		}
	}
	return true;
}

void
gcov_program_free(struct gcov_program *program)
{
	cg_map_free(&program->times);
	cg_map_free(&program->idents);
	free(program->known);
	cg_map_free(&program->waiting);
	free(program->call);
	cg_map_free(&program->sources);
	free(program->source);
}

/* ---- Call graph files (.ci) --------------------------------------------- */

struct gcov_edge {
	cg_name caller, callee;
	bool local;
	uint32_t file, line;
};

static int
compare_locations(cg_name a, uint32_t a_file, uint32_t a_line, cg_name b,
    uint32_t b_file, uint32_t b_line)
{
	if (a != b)
		return a < b ? -1 : 1;
	if (a_file != b_file)
		return a_file < b_file ? -1 : 1;
	return (a_line > b_line) - (a_line < b_line);
}

static int
compare_edges(const void *va, const void *vb)
{
	const struct gcov_edge *a = va, *b = vb;

	return compare_locations(
	    a->caller, a->file, a->line, b->caller, b->file, b->line);
}

static int
compare_sites(const void *va, const void *vb)
{
	const struct gcov_site *a = va, *b = vb;

	return compare_locations(
	    a->symbol, a->file, a->line, b->symbol, b->file, b->line);
}

/*
 * Sets *value to the quoted text directly after the first occurrence of key in
 * the line. Without a closing quote, the text ends with the line. False: no
 * key, or no such text.
 */
static bool
find_value(struct cg_slice line, const char *key, struct cg_slice *value)
{
	size_t n = strlen(key);

	for (; line.len > n; line.ptr++, line.len--) {
		if (!cg_starts(line, key))
			continue;
		line.ptr += n;
		line.len -= n;
		return cg_take_char(&line, '"') &&
		       cg_take_until(&line, '"', value);
	}
	return false;
}

/*
 * Cuts the text at its last colon; *rest becomes the text after it. False: no
 * colon, and nothing changes.
 */
static bool
split_at_colon(struct cg_slice *text, struct cg_slice *rest)
{
	for (size_t i = text->len; i-- > 0;) {
		if (text->ptr[i] != ':')
			continue;
		*rest =
		    (struct cg_slice){ text->ptr + i + 1, text->len - i - 1 };
		text->len = i;
		return true;
	}
	return false;
}

/*
 * Sets file (index in unit->file) and line of a call in a .ci file from its
 * label, such as "b.c:61:3". Ignores the column. False: malformed, or out of
 * memory (unit->nomem).
 */
static bool
get_location(
    struct gcov_unit *unit, struct cg_slice label, struct gcov_edge *edge)
{
	struct cg_slice column, line;
	uint64_t number;

	if (!split_at_colon(&label, &column) ||
	    !split_at_colon(&label, &line) || !cg_take_u64(&line, &number) ||
	    number > UINT32_MAX)
		return false;
	edge->line = (uint32_t)number;
	edge->file = gcov_file(unit, label);
	return edge->file != GCOV_NONE;
}

static bool
take_edge(struct gcov_unit *unit, struct cg_build *build, struct cg_slice text)
{
	struct cg_slice source, target, label, name;
	struct gcov_edge *edge;

	if (!cg_starts(text, "edge:") ||
	    !find_value(text, "sourcename: ", &source) ||
	    !find_value(text, "targetname: ", &target) ||
	    !find_value(text, "label: ", &label))
		return true;
	if (!gcov_grow(unit, &unit->edge, &unit->edge_cap, unit->edges + 1,
		sizeof(*edge)))
		return false;
	edge = &unit->edge[unit->edges];
	if (!get_location(unit, label, edge))
		return !unit->nomem;
	if (split_at_colon(&source, &name))
		source = name;
	edge->local = split_at_colon(&target, &name);
	edge->caller = cg_add_name(build, source);
	edge->callee = cg_add_name(build, edge->local ? name : target);
	unit->edges++;
	return true;
}

static bool
add_site_call(struct gcov_unit *unit, struct cg_build *build,
    const struct gcov_site *site, const struct gcov_edge *edge)
{
	struct cg_slice name = cg_get_name(build, edge->callee);
	const struct cg_pos pos = { .file = unit->file[site->file].id,
		.line = site->line };
	uint32_t ident;

	if (site->count == 0 || cg_equal(name, "__indirect_call"))
		return true;
	ident = edge->local ? cg_map_get(&unit->locals, edge->callee)
			    : gcov_ident(name);
	return ident == 0 ||
	       add_target(unit, build, site->fn, &pos, ident, site->count);
}

/*
 * Adds a line's calls to the graph: n callees (edges of the .ci file) and n
 * counts (sites of the notes). Their order is unknown, so either must be all
 * equal, else nothing is added. Skips indirect calls and counts of 0. False:
 * out of memory.
 */
static bool
join_line(struct gcov_unit *unit, struct cg_build *build,
    const struct gcov_edge *edge, const struct gcov_site *site, size_t n)
{
	bool one_callee = true, one_count = true;

	for (size_t i = 1; i < n; i++) {
		one_callee &= edge[i].callee == edge[0].callee &&
			      edge[i].local == edge[0].local;
		one_count &= site[i].count == site[0].count;
	}
	for (size_t i = 0; i < n && (one_callee || one_count); i++) {
		if (!add_site_call(unit, build, &site[i], &edge[i]))
			return false;
	}
	return true;
}

static bool
join(struct gcov_unit *unit, struct cg_build *build)
{
	const struct gcov_edge *edge = unit->edge;
	const struct gcov_site *site = unit->site;
	size_t e = 0, s = 0, edges, sites;
	int order;

	while (e < unit->edges && s < unit->sites) {
		for (edges = 1; e + edges < unit->edges &&
				compare_edges(&edge[e], &edge[e + edges]) == 0;)
			edges++;
		for (sites = 1; s + sites < unit->sites &&
				compare_sites(&site[s], &site[s + sites]) == 0;)
			sites++;
		order = compare_locations(edge[e].caller, edge[e].file,
		    edge[e].line, site[s].symbol, site[s].file, site[s].line);
		if (order == 0 && edges == sites &&
		    !join_line(unit, build, &edge[e], &site[s], edges))
			return false;
		e += order <= 0 ? edges : 0;
		s += order >= 0 ? sites : 0;
	}
	return true;
}

/*
 * Fills unit->locals anew. The map gives for the name (cg_name) of each
 * function of this object file the function's ident (gcc's number). A .ci file
 * has only the name of a local callee, so the map is needed to find it. False:
 * out of memory.
 */
static bool
add_locals(struct gcov_unit *unit, struct cg_build *build)
{
	uint32_t *ident;

	cg_map_free(&unit->locals);
	unit->locals = (struct cg_map){ 0 };
	for (size_t i = 0; i < unit->fns; i++) {
		ident = cg_map_at(
		    &unit->locals, cg_add_name(build, unit->fn[i].name));
		if (!ident)
			return false;
		*ident = unit->fn[i].ident;
	}
	return true;
}

int
gcov_read_ci(struct gcov_unit *unit, struct cg_build *build, const char *notes)
{
	struct cg_slice text, line;
	const char *path;
	struct cg_in *in = NULL;
	bool success = true;

	if (unit->sites == 0 || !has_idents(unit))
		return CG_OK;
	path = gcov_swap_suffix(unit, notes, ".gcno", ".ci");
	if (!path)
		return cg_nomem(unit->job);
	if (!cg_open_companion(unit->job, path, &in) || !in)
		return CG_OK; /* absent; or reported, calls are dropped */
	unit->edges = 0;
	if (!cg_read_all(in, &text))
		text.len = 0; /* reported; the calls are dropped */
	while (success && cg_take_line(&text, &line))
		success = take_edge(unit, build, line);
	if (unit->edges > 0) {
		qsort(unit->edge, unit->edges, sizeof(*unit->edge),
		    compare_edges);
		qsort(unit->site, unit->sites, sizeof(*unit->site),
		    compare_sites);
	}
	success = success && add_locals(unit, build) && join(unit, build);
	cg_close_companion(unit->job, in);
	return success ? CG_OK : cg_nomem(unit->job);
}
