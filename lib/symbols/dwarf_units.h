/* dwarf_units.h - declarations shared by dwarf.c and dwarf_units.c. */
#ifndef CG_DWARF_UNITS_H
#define CG_DWARF_UNITS_H

#include "symbols/elffile.h"

/* A function, or an inlined call of one. */
#define CG_SCOPE_NONE UINT32_MAX
struct cg_dwarf_scope {
	Dwarf_Off die;
	const char *name;    /* NULL: not looked up yet */
	uint32_t parent;     /* scope of the call; CG_SCOPE_NONE: a function */
	uint32_t file, line; /* of the call */
};

struct cg_unit {
	Dwarf_Die die;
	bool loaded;
	struct cg_dwarf_scope *scope;
	size_t scopes, cap;
	struct cg_spans spans; /* id: the innermost scope */
	Dwarf_Lines *lines;    /* by address */
	size_t line_count;
	Dwarf_Files *files;
};

/* Two in the file, two in its alternate file; duplicates are not read. */
#define CG_ENDS 8

struct cg_dwarf {
	Dwarf *dwarf, *alt; /* alt: the file that several share, or NULL */
	struct cg_elffile alt_file;
	struct cg_arena copies;   /* of sections */
	const char *end[CG_ENDS]; /* ends of sections of strings */
	size_t ends;
	const struct cg_spans *exec;
	struct cg_strs *strs;
	struct cg_unit *unit; /* as in the file */
	size_t units, cap;
	struct cg_spans spans; /* id: the unit */
	Dwarf_Aranges *aranges;
	uint64_t left; /* limit: how many more ranges and rows may be read */
	char *path;    /* buffer to join paths */
	size_t path_cap;
	/* The last joined path: its unit and name, and the result. */
	const void *joined_unit;
	const char *joined_name, *joined;
	int status;
};

/*
 * These functions may leave by longjmp() when memory runs out in libdw; other
 * failures set dwarf->status.
 */
void cg_units_list(struct cg_dwarf *);
/* Loads the scopes of a unit from its tree, once. */
void cg_unit_load(struct cg_dwarf *, struct cg_unit *);
/* Returns the unit of an address, loaded; NULL: none. */
struct cg_unit *cg_unit_find(struct cg_dwarf *, uint64_t addr);

#endif
