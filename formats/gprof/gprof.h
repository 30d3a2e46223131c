/*
 * gprof.h - a gmon.out in memory, and what the files of the gprof format
 * share.
 *
 * gprof_read.c and gprof_bsd.c take the bytes apart, gprof_program.c finds the
 * executable that they speak of, gprof_map.c turns addresses into a graph;
 * gprof_write.c goes the other way.
 */
#ifndef FORMATS_GPROF_GPROF_H
#define FORMATS_GPROF_GPROF_H

#include "cgconv_expert.h"
#include "cgconv_expert.h"
#include "cgconv_parse.h"

#define GMON_HEADER 20    /* "gmon", version, 12 bytes that mean nothing */
#define GMON_DIMENSION 15 /* bytes of the dimension's name */
#define GMON_LD_PROFILE_VERSION 0x1ffff
#define GMON_RATE_MAX 1000000000
#define GMON_COUNTER_MAX 65535
#define GMON_RATE_USUAL 100
#define GMON_NS 1000000000 /* of a second */
#define GMON_RANGES_MAX 64 /* one per text segment; two have been seen */
#define GMON_RANGE_MAX ((uint64_t)1 << 40) /* bytes of code */
#define GMON_BINS_MAX ((uint64_t)1 << 27)  /* that are written: 512 MB code */

enum gmon_kind { GMON_GNU, GMON_LD_PROFILE, GMON_BSD44, GMON_BSD_OLD };

/* A histogram of program counters: bins counters over [low, high). */
struct gmon_hist {
	uint64_t low, high;
	uint64_t bins;
	uint32_t rate; /* samples per unit of the dimension */
	char dimension[GMON_DIMENSION + 1]; /* "seconds", printable */
	char abbrev;
	unsigned width;     /* bytes of a counter */
	const char *counts; /* the counters, in the input */
	uint64_t have;      /* how many of them there are: bins, or less */
	uint64_t ticks;     /* their sum */
};

struct gmon_arc {
	uint64_t from, self, count;
};

/* Arc records that follow each other in the input. */
struct gmon_run {
	const char *at;
	size_t arcs;
};

/* How often the basic block at an address ran. */
struct gmon_block {
	uint64_t addr, count;
};

struct gmon {
	enum gmon_kind kind;
	unsigned word;          /* bytes of a pointer */
	bool big;               /* big endian */
	uint32_t version;       /* what the header says */
	struct gmon_hist *hist; /* by address, those of one range together */
	size_t hists;
	struct gmon_run *run; /* arcs stay in bytes */
	size_t runs, arcs;    /* arcs: of all runs */
	unsigned stride;      /* bytes of an arc's record */
	unsigned tag, count;  /* bytes of its tag and count */
	uint64_t origin;      /* what to add to the addresses of arcs */
	struct gmon_block *block;
	size_t blocks;
	unsigned bucket; /* from addresses are rounded down to it */
};

/* Reads numbers off the front of bytes; too few of them give 0 and cut. */
struct gmon_cursor {
	const char *at, *end;
	unsigned word;
	bool big, cut;
};
uint64_t gprof_take(struct gmon_cursor *, unsigned width);

/* ---- gprof.c: options --------------------------------------------------- */

/* The option --rate, 0 if it is not set; CG_EUSAGE if it is out of range. */
int gprof_rate(struct cg_job *, uint64_t *rate);

/* ---- gprof_read.c: bytes ------------------------------------------------ */

/*
 * What else is known of the file. The user's word decides; what an executable
 * says does where the file leaves it open.
 */
struct gmon_hint {
	unsigned only; /* bytes of a pointer, by the user; 0: any */
	unsigned word; /* by the executable; 0: there is none */
	bool big;
};
/*
 * Takes a whole input apart, of whatever kind. The counters of histograms
 * stay in bytes. On failure (reported) gmon is to be freed as well.
 */
int gprof_read(
    struct cg_job *, struct cg_slice bytes, struct gmon_hint, struct gmon *);
void gprof_free(struct gmon *);
/* The next arc in the order of the file, from the first for a place of 0. */
struct gmon_place {
	size_t run, arc;
};
bool gprof_next_arc(
    const struct gmon *, struct gmon_place *, struct gmon_arc *);
/* One run of all arcs, for files that have no tags; false: out of memory. */
bool gprof_set_run(struct gmon *, const char *at, size_t arcs);
/* Counter i of a histogram. */
uint64_t gprof_count(
    const struct gmon *, const struct gmon_hist *, uint64_t i);

/* ---- gprof_check.c: what holds of all kinds ----------------------------- */

/* Checks, sums and sorts the histograms, finds the bucket; warns. */
int gprof_check(struct cg_job *, struct gmon *);

/* ---- gprof_bsd.c: files without "gmon" ---------------------------------- */

/* How sure it is that text begins a file of the BSD family. */
int gprof_probe_bsd(struct cg_slice text, bool whole);
/* As gprof_read(), for bytes that do not begin with "gmon". */
int gprof_read_bsd(
    struct cg_job *, struct cg_slice bytes, struct gmon_hint, struct gmon *);

/* ---- gprof_scale.c: arithmetic ------------------------------------------ */

/*
 * Where bin i of a histogram begins, and the bin of an address: the inverse
 * of profil() for histograms of its shape, else bins of one width.
 */
uint64_t gprof_bin_start(const struct gmon_hist *, unsigned word, uint64_t i);
uint64_t gprof_bin_of(const struct gmon_hist *, unsigned word, uint64_t addr);
/*
 * round(value * to / from), to * from at most 10^18; UINT64_MAX: too big.
 * Ticks to ns is (ticks, 10^9, rate); back is (ns, rate, 10^9).
 */
uint64_t gprof_convert(uint64_t value, uint64_t to, uint64_t from);
/* For qsort(). */
int gprof_compare_u64(const void *, const void *);
/* Sorts and drops what is there twice; returns how many are left. */
size_t gprof_make_distinct(uint64_t *value, size_t n);
/* Does it count seconds, and not something else? */
bool gprof_is_time(const struct gmon_hist *);
/*
 * How costs of an event become ticks: from units make to ticks. Sets rate and
 * dimension of the histogram so that most fits into a counter; rate is what is
 * asked for, or 0.
 */
struct gmon_unit {
	uint64_t to, from;
};
struct gmon_unit gprof_choose_unit(
    const struct cg_event *, uint64_t rate, uint64_t most, struct gmon_hist *);

/* ---- gprof_program.c: the executable ------------------------------------ */

/* An ELF object whose addresses are in a gmon.out. */
struct gmon_image {
	const struct cg_symbols *symbols;
	const struct cg_elf *elf;
	uint64_t base;      /* address in the gmon.out minus that in elf */
	uint64_t low, high; /* of its code, in the gmon.out */
};
/* The program is image 0 if it is known; shared libraries follow. */
struct gmon_images {
	struct gmon_image *image;
	size_t count;
};
/*
 * Opens the job's objects, which the user named: fails if one cannot be read.
 * They stay open, so that cg_open_symbols() finds them.
 */
int gprof_open_objects(struct cg_job *);
/* Does so, and says what the first of them is. */
int gprof_hint(struct cg_job *, struct gmon_hint *);
/*
 * Finds the program and the libraries, takes the load bias out of all
 * addresses of gmon. None is found: count is 0, a warning said so. A program
 * of another range is an error.
 */
int gprof_find_images(
    struct cg_job *, const struct cg_in *, struct gmon *, struct gmon_images *);
void gprof_free_images(struct gmon_images *);
/* gprof_library.c: adds the library if calls into it tell where it was. */
int gprof_add_library(struct cg_job *, const struct gmon *,
    struct gmon_images *, const struct cg_symbols *);
/* The range of text as profiling runtimes see it: the first guess. */
void gprof_text(const struct cg_symbols *, uint64_t *low, uint64_t *high);

/* ---- gprof_gnu.c: functions as GNU gprof sees them ---------------------- */

struct gmon_symbol {
	uint64_t addr, end; /* [addr, end) */
	const char *name;   /* as in the symbol table */
	size_t index;       /* there */
	bool global, func;
};
struct gmon_symbols {
	struct gmon_symbol *at; /* by address */
	size_t count;
};
int gprof_gnu_symbols(
    struct cg_job *, const struct cg_symbols *, struct gmon_symbols *);
/* Index of the symbol at an address, or SIZE_MAX. */
size_t gprof_gnu_find(const struct gmon_symbols *, uint64_t addr);
/* The runtime's own functions. */
bool gprof_is_overhead(const char *name);

/* ---- gprof_funcs.c: the function at an address -------------------------- */

struct gmon_func {
	uint64_t start, end;            /* [start, end), as in the gmon.out */
	const struct gmon_image *image; /* NULL: not known */
	cg_fn fn;
	cg_file file;
	uint32_t line; /* where it is declared */
	bool overhead; /* of profiling: mcount */
};
/* Where [low, high) is in the source. */
struct gmon_line {
	uint64_t low, high;
	cg_file file;
	uint32_t line; /* 0: not known */
};
struct gmon_funcs {
	struct cg_job *job;
	struct cg_build *build;
	const struct gmon_images *images;
	bool compat; /* functions as GNU gprof sees them */
	struct gmon_symbols gnu;
	uint64_t *entry; /* without symbols: where functions begin */
	size_t entries;
	struct gmon_func *func;
	size_t count, cap;
	struct cg_map by_start; /* index in func + 1, or 0 */
	struct cg_map by_entry; /* the same by where calls enter */
	size_t last[2];         /* the latest ones: often caller and callee */
	struct gmon_line line;  /* and the line */
	int status;             /* CG_OK, or CG_ELIMIT (reported) */
};
int gprof_funcs_open(struct gmon_funcs *, struct cg_job *, struct cg_build *,
    const struct gmon *, const struct gmon_images *);
void gprof_funcs_close(struct gmon_funcs *);
/*
 * The function at an address, NULL if there is none or memory is out (see
 * status). It lives until the next call.
 */
const struct gmon_func *gprof_func_at(struct gmon_funcs *, uint64_t addr);
/* That function, or one that is named by the address. */
const struct gmon_func *gprof_any_func(struct gmon_funcs *, uint64_t addr);
/* The same for an address that a call enters: it will be entered again. */
const struct gmon_func *gprof_entered_func(
    struct gmon_funcs *, uint64_t addr);
/* Says that gprof_entered_func() will be asked for the address soon. */
void gprof_fetch_entered(const struct gmon_funcs *, uint64_t addr);
/* The image that holds the address, or NULL. */
const struct gmon_image *gprof_image_at(
    const struct gmon_images *, uint64_t addr);
const struct gmon_line *gprof_line_at(struct gmon_funcs *, uint64_t addr);

/* ---- gprof_time.c, gprof_map.c: to a graph ------------------------------ */

/* Adds the self costs of all histograms. */
int gprof_add_times(struct gmon_funcs *, const struct gmon *);
/* Adds everything. */
int gprof_map(struct cg_job *, struct cg_build *, const struct gmon *,
    const struct gmon_images *);

/* ---- gprof_order.c: the order of arcs in a file ------------------------- */

struct gmon_call {
	uint64_t from, self, count; /* from as in a file */
	uint32_t offset; /* of the call's return address from there */
	uint32_t index;  /* place in the file, of those with that from */
};
/* What a file's order has that does not follow from a rule. */
struct gmon_order {
	struct gmon_call *call; /* of the bucket that is being added */
	size_t calls, call_cap;
	char *text;
	size_t len, cap;
};
/* Add all arcs in the order of the file; false: out of memory. */
bool gprof_order_add(struct gmon_order *, const struct gmon_call *);
/* The text to remember; it lives until the order is freed. */
bool gprof_order_end(struct gmon_order *, struct cg_slice *text);
void gprof_order_free(struct gmon_order *);
/* For qsort(): the rule's order. */
int gprof_compare_calls(const void *, const void *);
/* Puts calls that are in the rule's order into that of the file. */
void gprof_order_apply(const char *text, struct gmon_call *, size_t n);

/* ---- gprof_desc.c: what a graph remembers of its gmon.out --------------- */

#define GMON_KEY_TARGET CG_PROGRAM_KEY "gmon"
#define GMON_KEY_HISTOGRAM CG_PROGRAM_KEY "histogram"
#define GMON_KEY_BUCKET "gmon.bucket"
#define GMON_KEY_LIBRARY "gmon.library"
#define GMON_KEY_ORDER "gmon.order"
#define GMON_BLOCK_EVENT "Bb" /* counts of tag 2 */

/* Adds descriptions. */
int gprof_describe(
    struct cg_build *, const struct gmon *, const struct gmon_images *);
/*
 * What they say of word, big, bucket and histograms (without counters; hist
 * has GMON_RANGES_MAX of room). False if the graph is of no gmon.out.
 */
bool gprof_recall(const struct cg_graph *, struct gmon *);
const char *gprof_recall_order(const struct cg_graph *);
/* What to add to addresses of an object; 0 if it is no library. */
uint64_t gprof_recall_base(const struct cg_graph *, struct cg_slice object);

/* ---- gprof_place.c: where a graph's places are in a gmon.out ------------ */

struct gmon_places {
	struct cg_job *job;
	const struct cg_graph *graph;
	const struct cg_symbols *symbols; /* of the program, or NULL */
	bool exact;                       /* the graph is of a gmon.out */
	uint64_t *shift; /* by object: what to add to addresses */
	bool *ours;      /* by object: it is in the output */
	uint64_t *entry; /* by function, in the output; 0: not known */
};
/*
 * Decides what the output covers: recalls it, or takes it from the
 * executable, or from the addresses. Sets all of gmon but counters.
 */
int gprof_places_open(struct gmon_places *, struct cg_job *,
    const struct cg_graph *, size_t event, struct gmon *);
void gprof_places_close(struct gmon_places *);
/* Addresses in the output, 0 if there is none: of cost, call site, callee. */
uint64_t gprof_cost_place(
    const struct gmon_places *, cg_fn, const struct cg_pos *);
uint64_t gprof_site_place(
    const struct gmon_places *, cg_fn, const struct cg_pos *);
uint64_t gprof_entry_place(
    const struct gmon_places *, cg_fn, const struct cg_pos *);

/* ---- gprof_write.c ------------------------------------------------------ */

int gprof_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
