/*
 * image.h - from the addresses of a gmon.out to functions, lines and a graph.
 */
#ifndef FORMATS_GPROF_IMAGE_H
#define FORMATS_GPROF_IMAGE_H

#include "gmon.h"

/* Maximum bytes from a function's start to the end of its call of mcount. */
#define GPROF_PROLOGUE 64

/* ---- image.c: the program and its libraries ----------------------------- */

/* An ELF object whose addresses are in a gmon.out. */
struct gprof_image {
	const struct cg_symbols *symbols;
	uint64_t base;      /* address in the gmon.out - address in the file */
	uint64_t low, high; /* range of its code, in the gmon.out */
};
/* The program, if known, is image 0; shared libraries follow. */
struct gprof_images {
	struct gprof_image *image;
	size_t count;
};
/*
 * Opens the objects that the user named and keeps them open, so that
 * cg_open_symbols() finds them. False: one cannot be read (reported).
 */
bool gprof_open_objects(struct cg_job *);
/*
 * Opens the objects; sets the hint from the first one. False: an error
 * (reported).
 */
bool gprof_get_hint(struct cg_job *, struct gprof_hint *);
/*
 * Finds the program and the libraries, and subtracts the load bias from all
 * addresses of gmon. If the program is unknown, count is 0 and a warning is
 * given. A program named by the user that does not match the file is an error.
 * False: an error (reported).
 */
bool gprof_find_images(struct cg_job *, const struct cg_in *, struct gmon *,
    struct gprof_images *);
/* Returns the image that contains the address, or NULL. */
const struct gprof_image *gprof_image_at(
    const struct gprof_images *, uint64_t addr);
/* Gets the range of text that a runtime most likely profiles. */
void gprof_text(const struct cg_symbols *, uint64_t *low, uint64_t *high);
/* True for x86 and x86-64, whose calls can be recognised in the code. */
bool gprof_is_x86(const struct cg_symbols *);
/* Sorts n values and drops duplicates. False: out of memory. */
bool gprof_make_distinct(uint64_t *value, size_t *n);

/* ---- functions.c: the function and line at an address ------------------- */

/* A function as GNU gprof sees it, for --gprof-compat. */
struct gprof_symbol {
	uint64_t addr, end; /* [addr, end) */
	const char *name;   /* as in the symbol table */
	size_t index;       /* index in the symbol table */
	bool global, func;
};
struct gprof_symbols {
	struct gprof_symbol *at; /* by address */
	size_t count;
};

struct gprof_func {
	uint64_t start, end;             /* [start, end), as in the gmon.out */
	const struct gprof_image *image; /* NULL: unknown */
	cg_fn fn;
	cg_file file;
	uint32_t line; /* where it is declared */
	bool overhead; /* function of the profiling runtime */
};
/* The source line for the addresses [low, high). */
struct gprof_line {
	uint64_t low, high;
	cg_file file;
	uint32_t line; /* 0: unknown */
};
struct gprof_funcs {
	struct cg_job *job;
	struct cg_build *build;
	const struct gprof_images *images;
	bool compat;   /* functions as GNU gprof sees them */
	bool nameless; /* no symbols: functions begin at entries */
	struct gprof_symbols gnu;
	uint64_t *entry; /* addresses that calls enter, ascending */
	size_t entries;
	CG_ARRAY(struct gprof_func) func;
	struct cg_map by_start; /* start -> index in func + 1 */
	struct cg_map by_entry; /* address that calls enter -> same */
	size_t last[2];         /* last results: often caller, callee */
	struct gprof_line line; /* the last line */
	bool failed;            /* out of memory (reported) */
};
/*
 * Prepares funcs to find functions by address; lists the addresses that calls
 * enter or, with --gprof-compat, the symbols that GNU gprof sees. False: out
 * of memory (reported).
 */
bool gprof_funcs_open(struct gprof_funcs *, struct cg_job *, struct cg_build *,
    const struct gmon *, const struct gprof_images *);
/*
 * Returns the function at an address; NULL: none, or out of memory (see
 * failed). It is valid until the next call.
 */
const struct gprof_func *gprof_func_at(struct gprof_funcs *, uint64_t addr);
/*
 * Like gprof_func_at(); a function that is not known is named by its address.
 */
const struct gprof_func *gprof_any_func(struct gprof_funcs *, uint64_t addr);
/* Like gprof_any_func(), for an address that calls enter; caches the result. */
const struct gprof_func *gprof_entered_func(
    struct gprof_funcs *, uint64_t addr);
/* Prefetches the data that gprof_entered_func() needs for each of n arcs. */
void gprof_prefetch_entered(
    const struct gprof_funcs *, const struct gmon_arc *, size_t n);
const struct gprof_line *gprof_line_at(struct gprof_funcs *, uint64_t addr);

/* ---- time.c, map.c: to a graph ------------------------------------------ */

/* Adds the self costs of all histograms. False: failed (reported). */
bool gprof_add_times(struct gprof_funcs *, const struct gmon *);
/* Adds the whole graph. False: failed, reported here or by the builder. */
bool gprof_map(struct cg_job *, struct cg_build *, const struct gmon *,
    const struct gprof_images *);

#endif
