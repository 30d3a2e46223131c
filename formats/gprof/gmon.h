/*
 * gmon.h - a gmon.out in memory, as read from its bytes.
 *
 * The way of the data through this directory. Reading:
 *
 *	gnu_file.c, bsd_file.c  bytes -> records (struct gmon)
 *	check.c                 checks records of any kind
 *	image.c                 records -> their program and libraries
 *	arcs.c                  arcs in the order of their callers
 *	functions.c             an address -> its function and line
 *	time.c                  histograms -> self costs
 *	map.c                   arcs -> calls; the whole graph
 *	desc.c                  data other than costs -> descriptions
 *
 * Writing: layout.c (places of the graph -> addresses), then write.c. Below
 * all of them is gmon.c, above them gprof.c, the module.
 *
 * Structs gmon_x are parts of the file; other names begin with gprof_.
 */
#ifndef FORMATS_GPROF_GMON_H
#define FORMATS_GPROF_GMON_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

#define GMON_HEADER 20    /* "gmon", version, 12 unused bytes */
#define GMON_DIMENSION 15 /* bytes of the dimension's name */
#define GMON_LD_PROFILE_VERSION 0x1ffff
#define GMON_RATE_MAX 1000000000
#define GMON_RATE_USUAL 100
#define GMON_COUNTER_MAX 65535
#define GMON_NS 1000000000 /* of a second */
#define GMON_RANGES_MAX 64 /* one per text segment; two have been seen */
#define GMON_RANGE_MAX ((uint64_t)1 << 40) /* bytes of code */

enum gmon_kind { GMON_GNU, GMON_LD_PROFILE, GMON_BSD44, GMON_BSD_OLD };

/* A histogram of program counters: bins counters for the range [low, high). */
struct gmon_hist {
	uint64_t low, high;
	uint64_t bins;
	uint32_t rate; /* samples per unit of the dimension */
	char dimension[GMON_DIMENSION + 1]; /* "seconds", printable */
	char abbrev;
	unsigned width;     /* bytes of a counter */
	const char *counts; /* the counters, in the input */
	uint64_t have;      /* counters in the input: at most bins */
	uint64_t ticks;     /* sum of the counters */
};

struct gmon_arc {
	uint64_t from, self, count;
};

/* Consecutive arc records in the input. */
struct gmon_run {
	const char *at;
	size_t arcs;
};

/* How often the basic block at an address was executed. */
struct gmon_block {
	uint64_t addr, count;
};

struct gmon {
	enum gmon_kind kind;
	unsigned word;          /* bytes of a pointer */
	bool big;               /* big endian */
	uint32_t version;       /* as in the header */
	struct gmon_hist *hist; /* by address; equal ranges are adjacent */
	size_t hists;
	struct gmon_run *run; /* arcs are read from their bytes */
	size_t runs, arcs;    /* arcs: number in all runs, or in sorted */
	struct gmon_arc *sorted; /* used instead of run unless NULL */
	unsigned stride;      /* bytes of an arc's record */
	unsigned tag, count;  /* bytes of its tag and count */
	uint64_t origin;      /* added to the addresses of arcs */
	struct gmon_block *block;
	size_t blocks;
	unsigned bucket; /* "from" is rounded down to a multiple */
};

/* ---- gmon.c: numbers and counters --------------------------------------- */

/*
 * Takes numbers off the front of bytes. Past the end: 0, and cut becomes true.
 */
struct gmon_cursor {
	const char *at, *end;
	unsigned word;
	bool big, cut;
};
uint64_t gprof_take(struct gmon_cursor *, unsigned width);

/* Returns counter i of a histogram. */
uint64_t gprof_count(
    const struct gmon *, const struct gmon_hist *, uint64_t i);
/*
 * Return the address at which bin i begins, and the bin of an address: the
 * inverse of profil() for histograms of glibc, else with bins of equal width.
 */
uint64_t gprof_bin_start(const struct gmon_hist *, unsigned word, uint64_t i);
uint64_t gprof_bin_of(const struct gmon_hist *, unsigned word, uint64_t addr);
/* True if the unit of the histogram is seconds. */
bool gprof_is_time(const struct gmon_hist *);
/*
 * Returns round(value * to / from), with to and from up to 10^18; UINT64_MAX:
 * too large. Ticks to ns is (ticks, 10^9, rate); ns to ticks is (ns, rate,
 * 10^9).
 */
uint64_t gprof_convert(uint64_t value, uint64_t to, uint64_t from);

/* ---- arcs.c ------------------------------------------------------------- */

/*
 * Makes one run of all arcs, for files without tags. False: failed (reported).
 */
bool gprof_set_run(struct cg_job *, struct gmon *, const char *at, size_t arcs);
/*
 * Gets the next arc in file order, or by caller if arcs are sorted. An
 * iterator starts as { 0 }. False: no more arcs.
 */
struct gmon_iterator {
	size_t run, arc;
};
bool gprof_next_arc(
    const struct gmon *, struct gmon_iterator *, struct gmon_arc *);
/*
 * Sorts arcs by caller; arcs of one caller keep their order. Almost all files
 * are sorted already; LD_PROFILE files are in the order of first calls.
 * Addresses must not change afterwards. False: out of memory (reported).
 */
bool gprof_sort_arcs(struct cg_job *, struct gmon *);

/* ---- gnu_file.c, bsd_file.c: bytes to records --------------------------- */

/*
 * Known properties of the file. The option --word-size decides the pointer
 * size. Without it the file does or, if the file is ambiguous, the executable.
 */
struct gprof_hint {
	unsigned only; /* bytes of a pointer, by --word-size; 0: any */
	unsigned word; /* of the executable; 0: none is known */
	bool big;
};
/*
 * Read a whole file: the first function reads files that begin with "gmon",
 * the second reads those of the BSD family, of at least GMON_HEADER bytes.
 * Counters and arcs remain in bytes. False: failed (reported).
 */
bool gprof_read_gnu(struct cg_job *, struct cg_slice bytes, struct gprof_hint,
    struct gmon *);
bool gprof_read_bsd(struct cg_job *, struct cg_slice bytes, struct gprof_hint,
    struct gmon *);
/* Returns how likely text begins a file of the BSD family, as CG_PROBE_*. */
int gprof_probe_bsd(struct cg_slice text, bool whole);

/* ---- check.c ------------------------------------------------------------ */

/*
 * Checks, sums and sorts the histograms, and finds the bucket. A rate that is
 * not 0 replaces the rate of the file. False: failed (reported).
 */
bool gprof_check(struct cg_job *, struct gmon *, uint64_t rate);

#endif
