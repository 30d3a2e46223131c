/*
 * dwarf_units.c - the units of DWARF: the ranges of each unit, and on demand
 * its functions and inlined calls.
 *
 * Source: the DWARF standard, versions 2 to 5. libdw's own lookups by address
 * walk the tree each time, which takes minutes for thousands of addresses. So
 * the tree of a unit is walked once, at the first lookup in it, and turned
 * into ranges that later lookups search.
 *
 * As files may be hostile, a walk does not recurse and always ends, and the
 * number of ranges and rows, which may share bytes, is limited by the size of
 * the file.
 */
#include <stdlib.h>

#include "symbols/dwarf_units.h"

/* Blocks and inlined calls nest some 100 deep in templates. */
#define DEPTH_MAX 512

static uint32_t
get_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value = 0;

	if (!cg_dw.dwarf_attr(die, name, &attr) ||
	    cg_dw.dwarf_formudata(&attr, &value) != 0 || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

/* ---- Ranges ------------------------------------------------------------- */

/*
 * Adds the address ranges of a DWARF entry to spans, with this id; true if
 * any. Skips functions discarded by the linker, which lie where no code is.
 * Stops after dwarf->left ranges; out of memory sets dwarf->status.
 */
static bool
add_ranges(
    struct cg_dwarf *dwarf, struct cg_spans *spans, Dwarf_Die *die, uint32_t id)
{
	Dwarf_Addr base = 0, low, high;
	ptrdiff_t at = 0;
	size_t before = spans->count;

	while (dwarf->left > 0 &&
	       (at = cg_dw.dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		dwarf->left--;
		if (cg_spans_find(dwarf->exec, low) &&
		    !cg_spans_add(spans, low, high, id)) {
			dwarf->status = CG_ELIMIT;
			break;
		}
	}
	return spans->count > before;
}

/* ---- Units -------------------------------------------------------------- */

/*
 * True if a DWARF entry with this tag may contain functions or inlined calls,
 * so that its children have to be visited.
 */
static bool
has_scopes(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt: return true;
	}
	return false;
}

/*
 * Adds a DWARF entry to unit->scope if it is a function or inlined call with
 * code. Returns the scope of its children: the new one, else parent. Out of
 * memory sets dwarf->status.
 */
static uint32_t
take_die(struct cg_dwarf *dwarf, struct cg_unit *unit, Dwarf_Die *die,
    uint32_t parent)
{
	bool inlined = cg_dw.dwarf_tag(die) == DW_TAG_inlined_subroutine;
	uint32_t id = (uint32_t)unit->scopes;

	if ((!inlined && cg_dw.dwarf_tag(die) != DW_TAG_subprogram) ||
	    !add_ranges(dwarf, &unit->spans, die, id))
		return parent;
	if (id == CG_SCOPE_NONE ||
	    !cg_grow(&unit->scope, &unit->cap, unit->scopes + 1,
		sizeof(*unit->scope))) {
		dwarf->status = CG_ELIMIT;
		return parent;
	}
	unit->scope[unit->scopes++] = (struct cg_dwarf_scope){
		.die = cg_dw.dwarf_dieoffset(die),
		.parent = inlined ? parent : CG_SCOPE_NONE,
		.file = inlined ? get_number(die, DW_AT_call_file) : 0,
		.line = inlined ? get_number(die, DW_AT_call_line) : 0,
	};
	return id;
}

/*
 * Moves path, the entries from the root to the current one, to the next entry
 * not within that. False: the end. Does not ask libdw for the parent's
 * sibling, as libdw would walk the parent again.
 */
static bool
next_die(Dwarf_Die *path, size_t *depth)
{
	Dwarf_Die next = { .cu = path[0].cu };
	unsigned char *mark;

	if (*depth == 0)
		return false;
	if (cg_dw.dwarf_siblingof(&path[*depth], &next) == 0) {
		path[*depth] = next;
		return true;
	}
	for (mark = next.addr; mark && --*depth > 0;) {
		path[*depth] = (Dwarf_Die){ .addr = ++mark, .cu = next.cu };
		if (cg_dw.dwarf_tag(&path[*depth]) != DW_TAG_invalid)
			return true; /* not another end mark */
	}
	return false;
}

static void
walk_unit(struct cg_dwarf *dwarf, struct cg_unit *unit)
{
	Dwarf_Die path[DEPTH_MAX];
	uint32_t within[DEPTH_MAX]; /* the scope that path[i] is in */
	size_t depth = 0;
	bool inner = true;

	path[0] = unit->die;
	within[1] = CG_SCOPE_NONE;
	do {
		if (inner &&
		    cg_dw.dwarf_child(&path[depth], &path[depth + 1]) == 0)
			depth++;
		else if (!next_die(path, &depth))
			return;
		inner = depth + 1 < DEPTH_MAX &&
			has_scopes(cg_dw.dwarf_tag(&path[depth]));
		if (inner)
			within[depth + 1] =
			    take_die(dwarf, unit, &path[depth], within[depth]);
	} while (dwarf->status == CG_OK);
}

static void
load_lines(struct cg_dwarf *dwarf, struct cg_unit *unit)
{
	if (dwarf->left == 0 || cg_dw.dwarf_getsrclines(&unit->die,
				    &unit->lines, &unit->line_count) != 0)
		unit->line_count = 0;
	else if (cg_dw.dwarf_getsrcfiles(&unit->die, &unit->files, NULL) != 0)
		unit->files = NULL;
	dwarf->left -=
	    unit->line_count < dwarf->left ? unit->line_count : dwarf->left;
}

void
cg_unit_load(struct cg_dwarf *dwarf, struct cg_unit *unit)
{
	if (unit->loaded)
		return;
	unit->loaded = true;
	walk_unit(dwarf, unit);
	load_lines(dwarf, unit);
	if (!cg_spans_flatten(&unit->spans))
		dwarf->status = CG_ELIMIT;
}

static int
compare_units(const void *offset, const void *unit)
{
	Dwarf_Off at = *(const Dwarf_Off *)offset;
	Dwarf_Off with = cg_dw.dwarf_dieoffset(
	    (Dwarf_Die *)&((const struct cg_unit *)unit)->die);

	return (at > with) - (at < with);
}

/*
 * Returns the unit of an address by .debug_aranges; NULL: none. Units of
 * version 2 may have their ranges only there.
 */
static struct cg_unit *
find_by_arange(struct cg_dwarf *dwarf, uint64_t addr)
{
	Dwarf_Arange *arange =
	    dwarf->aranges ? cg_dw.dwarf_getarange_addr(dwarf->aranges, addr)
			   : NULL;
	Dwarf_Off offset;

	if (!arange || dwarf->units == 0 ||
	    cg_dw.dwarf_getarangeinfo(arange, NULL, NULL, &offset) != 0)
		return NULL;
	return bsearch(&offset, dwarf->unit, dwarf->units, sizeof(*dwarf->unit),
	    compare_units);
}

struct cg_unit *
cg_unit_find(struct cg_dwarf *dwarf, uint64_t addr)
{
	const struct cg_span *span = cg_spans_find(&dwarf->spans, addr);
	struct cg_unit *unit;

	unit = span ? &dwarf->unit[span->id] : find_by_arange(dwarf, addr);
	if (unit)
		cg_unit_load(dwarf, unit);
	return dwarf->status == CG_OK ? unit : NULL;
}

void
cg_units_list(struct cg_dwarf *dwarf)
{
	Dwarf_Off at = 0, next;
	size_t header, count;
	Dwarf_Die die;

	for (; cg_dw.dwarf_next_unit(dwarf->dwarf, at, &next, &header, NULL,
		   NULL, NULL, NULL, NULL, NULL) == 0 &&
	       next > at;
	     at = next) {
		if (!cg_dw.dwarf_offdie(dwarf->dwarf, at + header, &die))
			continue;
		if (!cg_grow(&dwarf->unit, &dwarf->cap, dwarf->units + 1,
			sizeof(*dwarf->unit))) {
			dwarf->status = CG_ELIMIT;
			return;
		}
		(void)add_ranges(
		    dwarf, &dwarf->spans, &die, (uint32_t)dwarf->units);
		dwarf->unit[dwarf->units++] = (struct cg_unit){ .die = die };
	}
	if (cg_dw.dwarf_getaranges(dwarf->dwarf, &dwarf->aranges, &count) != 0)
		dwarf->aranges = NULL;
	if (!cg_spans_flatten(&dwarf->spans))
		dwarf->status = CG_ELIMIT;
}
