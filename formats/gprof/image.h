/*
 * image.h - from the addresses of a gmon.out to functions, lines and a graph.
 */
#ifndef FORMATS_GPROF_IMAGE_H
#define FORMATS_GPROF_IMAGE_H

#include "gmon.h"

/* Bytes from a function's start to behind its call of mcount, at most. */
#define GPROF_PROLOGUE 64

/* ---- image.c: the program and its libraries ----------------------------- */

/* An ELF object whose addresses are in a gmon.out. */
struct gprof_image {
	const struct cg_symbols *symbols;
	uint64_t base;      /* address in the gmon.out minus that in the file */
	uint64_t low, high; /* of its code, in the gmon.out */
};
/* The program is image 0 if it is known; shared libraries follow. */
struct gprof_images {
	struct gprof_image *image;
	size_t count;
};
/*
 * Opens the objects that the user named and keeps them open, so that
 * cg_open_symbols() finds them. False: one cannot be read (reported).
 */
bool gprof_open_objects(struct cg_job *);
/* Opens them, and takes the hint from the first one. */
bool gprof_get_hint(struct cg_job *, struct gprof_hint *);
/*
 * Finds the program and the libraries and subtracts the load bias from all
 * addresses of gmon. If no program is known, count is 0 and a warning says so.
 * A named program that does not match the file is an error.
 */
bool gprof_find_images(struct cg_job *, const struct cg_in *, struct gmon *,
    struct gprof_images *);
/* The image that contains the address, or NULL. */
const struct gprof_image *gprof_image_at(
    const struct gprof_images *, uint64_t addr);
/* The range of text that a runtime most likely profiles. */
void gprof_text(const struct cg_symbols *, uint64_t *low, uint64_t *high);
/* True for x86 and x86-64, whose calls can be recognized in the code. */
bool gprof_is_x86(const struct cg_symbols *);
/* Sorts n values and drops duplicates. False: out of memory. */
bool gprof_make_distinct(uint64_t *value, size_t *n);

/* ---- functions.c: the function and line at an address ------------------- */

/* A function as GNU gprof sees it, for --gprof-compat. */
struct gprof_symbol {
	uint64_t addr, end; /* [addr, end) */
	const char *name;   /* as in the symbol table */
	size_t index;       /* there */
	bool global, func;
};
struct gprof_symbols {
	struct gprof_symbol *at; /* by address */
	size_t count;
};

struct gprof_func {
	uint64_t start, end;             /* [start, end), as in the gmon.out */
	const struct gprof_image *image; /* NULL: not known */
	cg_fn fn;
	cg_file file;
	uint32_t line; /* where it is declared */
	bool overhead; /* of profiling: mcount */
};
/* The source line of [low, high). */
struct gprof_line {
	uint64_t low, high;
	cg_file file;
	uint32_t line; /* 0: not known */
};
struct gprof_funcs {
	struct cg_job *job;
	struct cg_build *build;
	const struct gprof_images *images;
	bool compat;   /* functions as GNU gprof sees them */
	bool nameless; /* there are no symbols: functions begin at entries */
	struct gprof_symbols gnu;
	uint64_t *entry; /* the addresses that calls enter, ascending */
	size_t entries;
	CG_ARRAY(struct gprof_func) func;
	struct cg_map by_start; /* index in func + 1, or 0 */
	struct cg_map by_entry; /* the same by the address that calls enter */
	size_t last[2];         /* latest results: often caller and callee */
	struct gprof_line line; /* the latest line */
	bool failed;            /* out of memory (reported) */
};
/* False: out of memory (reported); to be closed anyway. */
bool gprof_funcs_open(struct gprof_funcs *, struct cg_job *, struct cg_build *,
    const struct gmon *, const struct gprof_images *);
void gprof_funcs_close(struct gprof_funcs *);
/*
 * The function at an address, NULL if there is none or memory ran out (see
 * failed). It lives until the next call.
 */
const struct gprof_func *gprof_func_at(struct gprof_funcs *, uint64_t addr);
/* That function, or one that is named by its address. */
const struct gprof_func *gprof_any_func(struct gprof_funcs *, uint64_t addr);
/* The same for an address that calls enter, which is remembered. */
const struct gprof_func *gprof_entered_func(
    struct gprof_funcs *, uint64_t addr);
/* Prefetches what gprof_entered_func() will look up for each of n arcs. */
void gprof_prefetch_entered(
    const struct gprof_funcs *, const struct gmon_arc *, size_t n);
const struct gprof_line *gprof_line_at(struct gprof_funcs *, uint64_t addr);

/* ---- time.c, map.c: to a graph ------------------------------------------ */

/* Adds the self costs of all histograms. False: reported. */
bool gprof_add_times(struct gprof_funcs *, const struct gmon *);
/* Adds everything. False: reported, here or by the builder. */
bool gprof_map(struct cg_job *, struct cg_build *, const struct gmon *,
    const struct gprof_images *);

#endif
