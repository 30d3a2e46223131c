/*
 * symbols.h - looks up addresses in ELF files. The rest of the interface is
 * section "Symbols" of cgconv_expert.h.
 *
 *	libdw.c      loads libdw, which reads ELF files and DWARF
 *	elffile.c    segments, sections, the symbol table
 *	debugfile.c  the separate debug file, by build-id or debuglink
 *	dwarf_units.c, dwarf.c  units of DWARF; lines and inlined frames
 *	plt.c        names of entries of the procedure linkage table
 *	functions.c  functions: range and name, with clones and .cold parts
 *	spans.c      the function at an address
 *	symbols.c    the public calls: combines these for one file
 *	unwind.c     callers of frames, by call frame information
 *	java.c       demangles names of Java
 *	demangle.c   demangles all names: C++, Rust, D, Java
 *	address_map.c  the file that is mapped at an address of a process
 */
#ifndef CG_SYMBOLS_H
#define CG_SYMBOLS_H

#include "base/base.h"
#include "cgconv_expert.h"

/*
 * Opens an object with its separate debug file and reads its symbols; lines
 * are read on the first lookup. Warns if the object is truncated. NULL with
 * CG_OK in *status: it cannot be opened or is not a linked ELF file (a warning
 * unless quiet). NULL with CG_EINPUT: reading failed; with CG_ELIMIT: out of
 * memory (both are errors).
 */
struct cg_symbols *cg_symbols_load(
    struct cg_diag *, const char *path, bool quiet, int *status);
void cg_symbols_free(struct cg_symbols *);
/*
 * Returns CG_OK; CG_ELIMIT after memory ran out, or CG_EINPUT after reading
 * failed, in a lookup: since then lookups find nothing. Reports nothing.
 */
int cg_symbols_status(const struct cg_symbols *);

/* A source location of an address; inlining makes several. */
struct cg_frame {
	const char *name;     /* function (demangled); "" if unknown */
	const char *file;
	uint32_t line;
};
/*
 * The frames of an address, innermost first; returns their number (1: not
 * inlined, 0: no line is known).
 */
size_t cg_find_frames(const struct cg_symbols *, uint64_t addr,
    struct cg_frame frames[CG_FRAME_MAX]);

/*
 * Returns the rules for an address of the file, as long as the symbols: see
 * cg_space_rules(). cg_rules_by_fp() are those that use the frame pointer only.
 */
const struct cg_frame_rules *cg_symbols_rules(
    const struct cg_symbols *, uint64_t addr);
const struct cg_frame_rules *cg_rules_by_fp(void);

/* ---- java.c -------------------------------------------------------------- */

/*
 * Writes "io.netty.Loop.run" for "Lio/netty/Loop;.run(I)V" to to, which has
 * room for name. False: it is not a name of a JVM.
 */
bool cg_demangle_java(const char *name, char *to);

/* ---- demangle.c ---------------------------------------------------------- */

/*
 * Return the demangled name, or the name itself, as an interned string.
 * CG_STR_NONE or NULL: out of memory (not reported).
 */
cg_str cg_demangle_str(struct cg_strs *, const char *name);
const char *cg_demangle_in(struct cg_strs *, const char *name);
/* False if the name is certainly not mangled. */
static inline bool
cg_may_be_mangled(struct cg_slice name)
{
	if (name.len < 2)
		return false;
	if (name.ptr[0] == '_')
		return name.ptr[1] == 'Z' || name.ptr[1] == 'R' ||
		       name.ptr[1] == 'D';
	return name.ptr[0] == 'L' || memchr(name.ptr, '/', name.len) != NULL;
}

/* ---- address_map.c ------------------------------------------------------- */

/* Address ranges of a process. Starts as { 0 }. */
struct cg_address_map {
	struct cg_address_range {
		uint64_t start, limit; /* [start, limit) */
		uint32_t number;       /* its number, in the order of adding */
	} *range;
	size_t ranges, cap;
	size_t sorted; /* number of ranges that are sorted */
};
/*
 * Adds a range and returns its number, from 1; 0: out of memory (not
 * reported).
 */
uint32_t cg_address_map_add(struct cg_address_map *, uint64_t start,
    uint64_t limit);
/*
 * Returns the number of the range of an address, 0 if there is none. If ranges
 * overlap, the one with the highest start counts, then the one added last.
 */
uint32_t cg_address_map_find(struct cg_address_map *, uint64_t addr);
void cg_address_map_free(struct cg_address_map *);

/* Whether the ELF file is the one that was mapped. */
enum cg_mapped {
	CG_MAPPED_OTHER,    /* no */
	CG_MAPPED_BUILD_ID, /* its name is the same, its build-id is not */
	CG_MAPPED /* yes: by build-id, or by name if there is no build-id */
};
enum cg_mapped cg_mapping_match(
    const struct cg_mapping *, const struct cg_symbols *);
/*
 * Returns the bias to subtract from addresses of the mapping; without an ELF
 * file (NULL) a guess from the mapping's start.
 */
uint64_t cg_mapping_bias(const struct cg_mapping *, const struct cg_symbols *);

#endif
