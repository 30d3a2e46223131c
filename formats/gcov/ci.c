/*
 * ci.c - calls that -fcallgraph-info tells of (.ci beside the notes).
 *
 * Source: what gcc 12 writes, toplev.c. A text for VCG, a line an edge:
 *
 *	edge: { sourcename: "main" targetname: "b.c:f" label: "b.c:61:3" }
 *
 * Titles are linkage names, behind the unit's name where they are local. The
 * notes know blocks that end with a call, and how often they ran, but not the
 * callee. Both are joined where that is certain: as many calls on the line in
 * the one as in the other, and one callee, or one count, for all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "gcov.h"

struct gcov_edge {
	cg_name caller, callee;
	bool local;
	uint32_t file, line;
};

static int
compare_places(cg_name a, uint32_t a_file, uint32_t a_line, cg_name b,
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

	return compare_places(
	    a->caller, a->file, a->line, b->caller, b->file, b->line);
}

static int
compare_sites(const void *va, const void *vb)
{
	const struct gcov_site *a = va, *b = vb;

	return compare_places(
	    a->symbol, a->file, a->line, b->symbol, b->file, b->line);
}

/* ---- Edges -------------------------------------------------------------- */

/* The text in quotes behind key. */
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

/* What is behind the last colon of what is left; text: what is before. */
static bool
cut_colon(struct cg_slice *text, struct cg_slice *rest)
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

/* "b.c:61:3" */
static bool
get_place(struct gcov_unit *unit, struct cg_slice label, struct gcov_edge *edge)
{
	struct cg_slice column, line;
	uint64_t number;

	if (!cut_colon(&label, &column) || !cut_colon(&label, &line) ||
	    !cg_take_u64(&line, &number) || number > UINT32_MAX)
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
	if (!get_place(unit, label, edge))
		return !unit->nomem;
	if (cut_colon(&source, &name))
		source = name;
	edge->local = cut_colon(&target, &name);
	edge->caller = cg_add_name(build, source);
	edge->callee = cg_add_name(build, edge->local ? name : target);
	unit->edges++;
	return true;
}

/* ---- Joining ------------------------------------------------------------ */

static bool
add_call(struct gcov_unit *unit, struct cg_build *build,
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
	       gcov_add_target(unit, build, site->fn, &pos, ident, site->count);
}

/* The calls of one line. */
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
		if (!add_call(unit, build, &site[i], &edge[i]))
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
		order = compare_places(edge[e].caller, edge[e].file,
		    edge[e].line, site[s].symbol, site[s].file, site[s].line);
		if (order == 0 && edges == sites &&
		    !join_line(unit, build, &edge[e], &site[s], edges))
			return false;
		e += order <= 0 ? edges : 0;
		s += order >= 0 ? sites : 0;
	}
	return true;
}

/* Functions of the unit by name, for titles of local ones. */
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
	const char *path = gcov_ci_path(unit, notes);
	struct cg_slice text, line;
	struct cg_in *in = NULL;
	bool fine = true;

	if (!path)
		return cg_nomem(unit->job);
	if (unit->sites > 0 && gcov_has_idents(unit) &&
	    !cg_open_companion(unit->job, path, &in))
		return CG_OK; /* reported; the calls are left out */
	if (!in)
		return CG_OK;
	unit->edges = 0;
	if (!cg_read_all(in, &text))
		text.len = 0; /* reported; the calls are left out */
	while (fine && cg_take_line(&text, &line))
		fine = take_edge(unit, build, line);
	if (unit->edges > 0) {
		qsort(unit->edge, unit->edges, sizeof(*unit->edge),
		    compare_edges);
		qsort(unit->site, unit->sites, sizeof(*unit->site),
		    compare_sites);
	}
	fine = fine && add_locals(unit, build) && join(unit, build);
	cg_close_companion(unit->job, in);
	return fine ? CG_OK : cg_nomem(unit->job);
}
