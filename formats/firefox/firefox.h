/*
 * firefox.h - profiles of the Firefox Profiler.
 *
 * Source: docs-developer/CHANGELOG-formats.md, src/types/profile.ts and
 * src/types/gecko-profile.ts of firefox-devtools/profiler. There are two
 * shapes. Processed profiles, saved by profiler.firefox.com and samply, have
 * tables of columns, either shared by all threads (in "shared", from version
 * 60 on) or one set for each thread. Raw profiles of Firefox have tables of
 * rows, and the fields of a function in one text. samply saves addresses
 * instead of names, which are looked up in the libraries' symbols.
 *
 * The way of the data:
 *
 *	tables.c  tables of columns or rows, from JSON
 *	read.c    the document: threads, and the tables that they use
 *	gecko.c   the texts of frames in raw profiles
 *	build.c   stacks and samples of a thread, into the graph
 *	write.c   writes processed profiles
 */
#ifndef FORMATS_FIREFOX_FIREFOX_H
#define FORMATS_FIREFOX_FIREFOX_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

#define FIREFOX_NONE INT64_MIN /* null */
#define FIREFOX_NANO 1000000   /* nanoseconds in a millisecond */
#define FIREFOX_DIGITS 6

/* ---- tables.c ----------------------------------------------------------- */

/* Most columns need only 32 bits; the first larger value widens the column. */
struct firefox_column {
	CG_ARRAY(int32_t) value; /* INT32_MIN: null */
	CG_ARRAY(int64_t) wide;  /* used instead of value if not empty */
};

enum { STACK_FRAME, STACK_PREFIX, STACK_OFFSET };
enum {
	FRAME_FUNC,
	FRAME_LINE,
	FRAME_ADDRESS,
	FRAME_DEPTH,
	FRAME_LIB,
	FRAME_LOCATION,
	FRAME_ORIGINAL
};
enum {
	FUNC_NAME,
	FUNC_RESOURCE,
	FUNC_FILE,
	FUNC_SOURCE,
	FUNC_LINE,
	FUNC_COLUMN
};
enum { RESOURCE_LIB, RESOURCE_NAME, RESOURCE_TYPE };
enum { SOURCE_FILE };
enum { PLACE_SOURCE, PLACE_LINE };
enum { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_DELTA, SAMPLE_WEIGHT };
#define FIREFOX_COLUMNS 7 /* most columns of a table */

enum firefox_weight {
	FIREFOX_SAMPLES,
	FIREFOX_TIME,
	FIREFOX_BYTES,
	FIREFOX_WEIGHTS
};

struct firefox_table {
	const struct firefox_spec *spec;
	struct firefox_column column[FIREFOX_COLUMNS];
	enum firefox_weight weighs; /* kind of weight of samples */
};

/* The columns that are read; columns of times have six decimals. */
struct firefox_spec {
	const char *name[FIREFOX_COLUMNS + 1];
	unsigned times; /* bit set of columns of times */
};
extern const struct firefox_spec firefox_stacks, firefox_frames, firefox_funcs,
    firefox_resources, firefox_sources, firefox_places, firefox_samples;

/*
 * A cg_field's take(): into is a table with its spec set. False: an error
 * (reported).
 */
bool firefox_take_table(struct cg_doc *, void *into);
void firefox_drop_table(struct cg_job *, struct firefox_table *);
static inline size_t
firefox_count(const struct firefox_column *column)
{
	return column->wide.at ? column->wide.n : column->value.n;
}
/* Returns the value of a row; row must be below the count. */
static inline int64_t
firefox_value(const struct firefox_column *column, size_t row)
{
	if (column->wide.at)
		return column->wide.at[row];
	return column->value.at[row] != INT32_MIN ? column->value.at[row]
						  : FIREFOX_NONE;
}
/* Returns a cell; FIREFOX_NONE if the cell or the row is absent. */
static inline int64_t
firefox_cell(const struct firefox_table *table, unsigned column, int64_t row)
{
	const struct firefox_column *of = &table->column[column];

	return row >= 0 && (uint64_t)row < firefox_count(of)
		   ? firefox_value(of, (size_t)row)
		   : FIREFOX_NONE;
}
size_t firefox_rows(const struct firefox_table *, unsigned column);

/* ---- read.c: the document ----------------------------------------------- */

struct firefox_lib {
	cg_name name, path;
	cg_name id; /* build-id of an ELF file, or another */
	uint32_t mapping; /* in the space; 0: not added yet */
	uint64_t start, end; /* in memory, in raw profiles; 0: unknown */
};

struct firefox_row {
	uint32_t first, count;
};

/* Tables shared by threads, or belonging to one thread. */
struct firefox_tables {
	struct firefox_table stacks, frames, funcs, resources, sources, places;
	CG_ARRAY(cg_name) string;
	CG_ARRAY(struct firefox_lib) lib;
	/* Set by build.c, once for all threads: */
	CG_ARRAY(cg_node) node; /* by stack */
	/* By row of frames: its range in id[]; count 0: not listed yet. */
	CG_ARRAY(struct firefox_row) frame;
	CG_ARRAY(cg_frame_id) id; /* outermost first */
};

struct firefox_thread {
	struct firefox_tables tables;
	struct firefox_table samples;
	cg_name name, process;
	uint64_t pid, tid;
	uint64_t markers;
	size_t part; /* its process, index in process */
};

/* The document of a process, nested in a raw profile, or the whole document. */
struct firefox_process {
	CG_ARRAY(struct firefox_lib) lib;
	int64_t start;    /* ns since 1970 */
	int64_t interval; /* ns */
	cg_name product;
	uint64_t version; /* processed profile; 0: raw or old */
};

struct firefox_reader {
	struct cg_space *space; /* libraries with functions without names */
	struct firefox_tables shared;
	CG_ARRAY(struct firefox_thread) thread;
	CG_ARRAY(struct firefox_process) process;
	size_t current; /* process that is being read */
	bool has_shared;
	unsigned depth; /* nesting of processes */
	/* Numbers of dropped items: samples without a stack, others */
	uint64_t stackless, markers, foreign;
	bool weighs[FIREFOX_WEIGHTS]; /* kinds of weights that occur */
};

int firefox_read(struct cg_job *, struct cg_in *, struct cg_build *);

/* ---- gecko.c ------------------------------------------------------------ */

/* "name (file:line:column)[source]", "0x1234", "name (in lib)" or a label. */
struct firefox_location {
	struct cg_slice name, file;
	uint32_t line, column;
	bool script; /* not in a function: name is the file */
};
void firefox_parse_location(struct cg_slice, struct firefox_location *);

/* ---- build.c ------------------------------------------------------------ */

/*
 * Adds the samples of a thread; the tables are the thread's own or shared.
 * False: an error (reported).
 */
bool firefox_add_thread(struct cg_doc *, struct firefox_reader *,
    const struct firefox_thread *, struct firefox_tables *);

/* ---- write.c ------------------------------------------------------------ */

int firefox_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
