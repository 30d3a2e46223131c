/*
 * html.h - the way of the data through formats/html/:
 *
 *	html.c      options, the page around the data
 *	stacks.c    call stacks -> columns
 *	spots.c     the positions of frames -> columns
 *	labels.c    labels of samples -> columns
 *	times.c     timelines -> columns
 *	rows.c      functions, calls, lines -> columns
 *	coverage.c  what ran, of one run or two -> columns
 *	instrs.c    instructions, jumps -> columns
 *	disasm.c    the texts of instructions
 *	parts.c     the costs of each part -> columns
 *	tests.c     what each test covers -> columns
 *	sources.c   the texts of source files -> columns
 *	judged.c    which changes are real -> columns
 *	about.c     events, parts, facts kept and lost -> columns
 *	column.c    numbers and texts -> bytes of a column
 *	pack.c      columns -> gzip -> base64, in the page
 *	assets.c    the script and the style, from the files next to it, and their
 *	            hashes for the page's policy:
 *
 *	base.js     names as text, numbers, elements
 *	names.js    names of functions in little room
 *	inflate.js  decompression, for browsers without DecompressionStream
 *	events.js   words for events, and sums of them
 *	formulas.js events that users define as sums
 *	data.js     columns -> arrays
 *	ere.js      regular expressions of the command line
 *	refine.js refinebar.js  filters by function; their fields and chips
 *	state.js    view, event, search and selection, in the URL's fragment
 *	select.js   costs of the selected parts only
 *	versus.js   the difference of two of them
 *	times.js    ... of a time, or of threads
 *	spots.js    calls, lines and instructions of what filters keep
 *	hidden.js   functions that are hidden, of profiles without stacks
 *	labels.js   labels of samples, and filters by them
 *	filter.js   functions and calls, counted again from some stacks
 *	cycles.js   cycles and inclusive costs of calls that are counted again
 *	table.js    tables that are sorted, filtered and scrolled virtually
 *	columns.js  which columns of tables are shown
 *	tip.js      details at the pointer
 *	layout.js   stacks -> boxes of a flame graph
 *	flame.js    boxes -> canvas; zoom and keys
 *	flameview.js the view of them
 *	tree.js     stacks as a tree of rows
 *	layered.js  functions and calls -> places in layers
 *	callgraph.js graphdraw.js graphview.js  the calls around a function, as a picture
 *	reach.js    its callers and callees, directly or not
 *	map.js      its callees or callers, as nested rectangles
 *	tests.js    coverage by test
 *	export.js   tables as text and csv
 *	judged.js   which changes are real, which are noise
 *	groups.js   functions by object, file, directory, class
 *	compare.js  the difference of two coverage runs
 *	outcomes.js ... of its branches, conditions and regions
 *	parts.js    parts as a strip and a table
 *	partbars.js their top functions, as bars
 *	timeview.js threads in the order of time
 *	panes.js    several views at once
 *	seek.js     the lines of a file that matter
 *	jumps.js    jumps -> arrows next to rows
 *	listing.js  disassembly -> texts, and what never ran
 *	lineasm.js  instructions of lines, in the source
 *	branches.js branches and conditions of lines
 *	overview.js functions.js function.js source.js coverage.js instrs.js: the
 *	            views
 *	app.js      the frame around the views, and its beginning
 *
 * The page needs no server and no network, and its policy allows none. The data
 * is one element with columns: arrays of numbers or texts, such as the names of
 * all functions. A column is
 *
 *	length of its name, name        a byte, bytes
 *	index                           of an event, for costs; else 0
 *	type                            a byte, see below
 *	count, size                     of its values, and in bytes
 *	values
 *
 * Numbers are varints: 7 bits a byte, the lowest first, and 0x80 if more bytes
 * follow. A browser decodes a column when a view needs it. Numbers up to 2^53
 * are exact there.
 *
 * With --split, columns of stacks, calls, lines, instructions, jumps, parts,
 * tests and sources are in data files next to the page. Each is a script that
 * calls a function with the name of the data, the text that would be in the
 * page, and a checksum that the page has, too: browsers let a page from a disk
 * load only scripts and pictures.
 */
#ifndef FORMATS_HTML_HTML_H
#define FORMATS_HTML_HTML_H

#include "cgconv_format.h"

/* ---- assets.c ----------------------------------------------------------- */

struct html_asset {
	struct cg_slice text, sha256;
};
extern const struct html_asset html_script, html_style;

/* ---- pack.c ------------------------------------------------------------- */

struct html_pack;
void html_put_base64(struct cg_out *, struct cg_slice);
/* NULL: out of memory (reported). */
struct html_pack *html_pack_new(struct cg_job *, struct cg_out *);
void html_pack(struct html_pack *, const void *bytes, size_t n);
/* Writes the remaining bytes; returns a checksum of the data. */
uint32_t html_pack_end(struct html_pack *);

/* ---- column.c ----------------------------------------------------------- */

enum html_type {
	HTML_NUMBER = 'n', /* up to 2^32 - 1 */
	HTML_DELTA = 'd',  /* difference from the previous value, zigzag */
	HTML_COST = 'c',
	HTML_SIGNED = 's', /* zigzag */
	HTML_TIME = 't',   /* like HTML_DELTA, of 64 bits */
	HTML_TEXT = 'x'    /* lengths of all texts, then their bytes */
};

struct html_disasm;
struct html_parts;

struct html_column {
	const char *name;
	enum html_type type;
	uint64_t count;
	int64_t last; /* of HTML_DELTA, HTML_TIME: previous value */
	CG_ARRAY(unsigned char) byte;
	CG_ARRAY(char) text; /* of HTML_TEXT */
};

/* The state of the writer. */
struct html_writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct html_pack *pack; /* the page or data file that columns go to */
	struct html_pack *page;
	struct cg_out *data;    /* the data file; or NULL */
	struct html_column data_name, data_id;
	bool split; /* --split */
	size_t events;
	uint32_t *rank;      /* by fn: its index in columns, in canonical order */
	uint32_t fns;        /* index for functions that --html-min drops */
	uint32_t *file_at;   /* by file: its index; 0: none yet, or unknown */
	uint32_t *object_at; /* the same by object */
	bool *has_lines;     /* by file */
	struct html_column file_path, object_path;
	uint64_t least; /* --html-min in millionths of the total */
	uint64_t dropped_frames, dropped_fns;
	cg_facts facts; /* of the graph, before stacks became calls */
	struct html_disasm *disasm; /* --disassembly; or NULL */
	struct html_parts *parts;   /* NULL: there is one part */
};

/* Return false if memory ran out, which was reported. */
bool html_add(struct html_writer *, struct html_column *, uint64_t);
bool html_add_signed(struct html_writer *, struct html_column *, int64_t);
bool html_add_text(struct html_writer *, struct html_column *, struct cg_slice);
/* The type of a column with costs of an event. */
enum html_type html_cost_type(const struct html_writer *, size_t event);
/* Makes a column for each event. NULL: out of memory (reported). */
struct html_column *html_new_costs(struct html_writer *, const char *name);
/* Adds n costs, as in struct cg_cost; costs from index n on are 0. */
bool html_add_costs(struct html_writer *, struct html_column *,
    const uint64_t *cost, size_t n);
/* Writes a column, unless it is empty, and frees its memory. */
void html_end(struct html_writer *, struct html_column *);
void html_end_at(struct html_writer *, struct html_column *, size_t index);
void html_end_columns(struct html_writer *, struct html_column *, size_t n);
void html_end_costs(struct html_writer *, struct html_column *);
/* Writes a column of one value. */
bool html_put_number(struct html_writer *, const char *name, uint64_t);
/*
 * With --split, columns from here to html_end_data() go to a data file of that
 * name, which the page loads when a view needs it.
 */
bool html_begin_data(struct html_writer *, const char *name);
bool html_end_data(struct html_writer *);
/*
 * Return indexes of files and objects, from 1, in the order of the first
 * calls.
 */
uint32_t html_file(struct html_writer *, cg_file);
uint32_t html_object(struct html_writer *, cg_object);
/* True if a cost of an event is large enough for --html-min. */
bool html_reaches(const struct html_writer *, size_t event, uint64_t cost,
    uint64_t total);

/* ---- disasm.c ----------------------------------------------------------- */

/* Reads what --disassembly names, if it is given. Returns a status. */
int html_open_disasm(struct html_writer *);
/*
 * Notes that the profile has the instruction at an address of an object file.
 * at: 0, or what was returned for the same function. Returns the number of the
 * disassembled object file, from 1; 0: none has such an instruction.
 */
uint32_t html_disasm_find(struct html_disasm *, struct cg_slice object,
    uint32_t at, uint64_t addr);
/*
 * Writes the columns of instructions, after all were noted. False: out of
 * memory (reported).
 */
bool html_put_disasm(struct html_writer *);
/* Warns if no text was found. */
void html_close_disasm(struct html_writer *);

/* ---- coverage.c ---------------------------------------------------------- */

/*
 * The event that counts how often lines ran; the number of events if none
 * does.
 */
size_t html_coverage_event(const struct cg_graph *);
struct html_coverage;
/*
 * Makes *coverage, NULL if no event counts lines; memory is the job's. False:
 * out of memory (reported), as for the next ones.
 */
bool html_coverage_new(struct html_writer *, struct html_coverage **);
/* Adds the current file of lines, unless the sides of a difference are added. */
bool html_cover_file(struct html_coverage *, struct cg_lines *, cg_file);
/* Writes the columns of lines. */
bool html_cover_lines(struct html_coverage *);
/* Writes the columns of files and functions. */
bool html_cover_totals(struct html_coverage *);

/* ---- parts.c ------------------------------------------------------------- */

/* The kinds of rows that parts have costs of. */
enum html_kind {
	HTML_LINES,
	HTML_CALLS,
	HTML_INSTRS,
	HTML_SITES,
	HTML_JUMPS,
	HTML_KINDS
};
/* What tells a row of a function from others. */
struct html_key {
	uint64_t addr, to_addr;
	cg_file file, to_file;
	uint32_t line, to_line;
	cg_fn fn; /* that is called or jumped to */
	bool flag;
};
/* Sets w->parts, if there are several. False: out of memory (reported). */
bool html_parts_new(struct html_writer *);
struct html_key html_key_of_call(const struct cg_call *);
struct html_key html_key_of_jump(const struct cg_jump *);
/*
 * Notes the next row of a kind of columns, whose costs in each part are
 * written. False: out of memory (reported).
 */
bool html_note(struct html_writer *, enum html_kind, cg_fn,
    const struct html_key *);
/*
 * Writes the columns of parts, after all rows were noted; dropped: by function.
 * False: writing failed, and the failure was reported.
 */
bool html_put_shares(struct html_writer *, const bool *dropped);

/* ---- spots.c ------------------------------------------------------------- */

struct html_spots;
/*
 * Makes *spots, NULL if stacks have no positions. place: by node, which of the
 * frames that are listed it is. False: out of memory (reported).
 */
bool html_spots_new(struct html_writer *, const uint32_t *place, size_t frames,
    struct html_spots **spots);
/* Of *spots, whatever html_spots_new() has returned; NULL: does nothing. */
void html_spots_free(struct html_spots *);
/* The number of a node's spot in its frame, and among all; their number. */
uint32_t html_spot_in_frame(const struct html_spots *, cg_node);
uint32_t html_spot(const struct html_spots *, cg_node);
size_t html_spot_count(const struct html_spots *);
/* Writes the columns; samples: those of spots, too. False as above. */
bool html_put_spots(struct html_spots *, bool samples);

/* ---- labels.c ------------------------------------------------------------ */

/*
 * Writes the columns of labels, if there are any. row: by node where stacks
 * end; rows: their number; samples: those of stacks, too. False: out of memory
 * (reported).
 */
bool html_put_labels(struct html_writer *, const uint32_t *row, size_t rows,
    bool samples);

/* ---- times.c ------------------------------------------------------------- */

/*
 * Writes the columns of timelines. place: as for html_spots_new(). spots: NULL
 * if there are none. False: writing failed, and the failure was reported.
 */
bool html_put_times(struct html_writer *, const uint32_t *place,
    const struct html_spots *spots);

/* ---- stacks.c, rows.c, instrs.c, tests.c, sources.c, judged.c, about.c ---- */

/* False: writing failed, and the failure was reported. */
bool html_put_stacks(struct html_writer *);
bool html_put_rows(struct html_writer *);
/* True if the page shows jumps. Those of coverage are its branches again. */
bool html_has_jumps(cg_facts);
/* dropped: by function. */
bool html_put_instrs(struct html_writer *, const struct cg_sums *,
    const bool *dropped);
bool html_put_tests(struct html_writer *);
bool html_put_sources(struct html_writer *);
bool html_put_judged(struct html_writer *);
bool html_put_about(struct html_writer *);

#endif
