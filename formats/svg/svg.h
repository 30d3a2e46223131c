/*
 * svg.h - flame graphs and flame charts.
 *
 *	svg.c     options; calls graph.c or chart.c
 *	graph.c   a flame graph: layout and boxes of the stacks of tree.c
 *	tree.c    merged stacks and their costs, from the root or from the leaf
 *	chart.c   a flame chart: stacks in the order of time
 *	ruler.c   positions on the chart's axis of time, lengths as text
 *	judged.c  which changes are real
 *	put.c     common to both: head, names, boxes
 *	details.c the second line above the picture
 *	colour.c  colours of boxes
 *	script.c  the JavaScript inside
 */
#ifndef FORMATS_SVG_SVG_H
#define FORMATS_SVG_SVG_H

#include "cgconv_parse.h"
#include "picture/picture.h"

#define SVG_PAD 10   /* left and right of the frames */
#define SVG_TOP 60   /* above frames: title and search */
#define SVG_LEVEL 17 /* height of a frame with the gap above it */
#define SVG_FONT 12
#define SVG_UNIT 1000000 /* positions have six decimals of a pixel */

struct svg_palette;

struct svg {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	const struct cg_event *event;
	size_t column;
	bool change;  /* the picture compares column with other */
	size_t other; /* the same event on the other side */
	bool negate;  /* column is before, and other is after */
	/* Which changes are real; NULL: unknown. */
	const struct cg_judgement *judgement;
	bool inverted, reversed;
	uint64_t width, least; /* pixels; SVG_UNITs of a pixel */
	bool fluid;            /* --width is not given: that of the window */
	bool percent;          /* least was given in percent of the width */
	const char *least_text; /* as given */
	const struct svg_palette *palette; /* of --colors */
	CG_ARRAY(char) name; /* of the current frame */
	struct picture_lines label;
	bool exact;          /* costs are written in all digits */
	bool rounded;        /* a cost lost digits since this was false */
	bool more;           /* the second line of details has begun */
};

/* ---- put.c -------------------------------------------------------------- */

void svg_put_pixels(struct svg *, uint64_t units);
/*
 * Writes a cost of the event as "3.51 s" or, if svg->exact is set,
 * "3,510,000,000". Sets svg->rounded if digits are missing.
 */
void svg_put_cost(struct svg *, uint64_t cost);
/* Writes the unit after a cost, unless the cost contains it. */
void svg_put_unit(struct svg *);
/* Writes to - from in the same way, as +1,234, -1,234 or 0. */
void svg_put_change(struct svg *, uint64_t from, uint64_t to);
/* Writes the event, with its long name, and a cost: "time: 3.51 s". */
void svg_put_total(struct svg *, uint64_t total);
/*
 * Begins the file, up to the first line of details, which the caller writes
 * and ends. title: used without --title.
 */
void svg_begin(struct svg *, uint64_t height, const char *title);
/* Begins the second line of details or, if it has begun, writes "; ". */
void svg_next_detail(struct svg *);
void svg_end_details(struct svg *);
/* Writes the script and the end of the file. */
void svg_end(struct svg *);
/*
 * Returns the name of a function; without a name, [base name of its object].
 * Valid until the next call.
 */
struct cg_slice svg_fn_name(struct svg *, cg_fn);

struct svg_box {
	struct cg_slice name;
	cg_fn fn;          /* 0: none */
	uint32_t key;      /* svg_frame_key() */
	uint64_t x, width; /* SVG_UNITs of a pixel */
	uint64_t y;        /* pixels */
	const char *fill;  /* NULL: by --colors */
	uint32_t undrawn;  /* dropped frames on it */
};
/* Begins a box, up to the second line of its title, which the caller writes. */
void svg_begin_box(struct svg *, const struct svg_box *);
void svg_end_box(struct svg *, const struct svg_box *);

/* ---- colour.c ----------------------------------------------------------- */

/* Returns the palette of --colors; NULL: there is no palette of that name. */
const struct svg_palette *svg_find_palette(const char *name);
/*
 * Returns the key by which frames are merged: equal functions, and kinds if
 * shown.
 */
uint32_t svg_frame_key(void *svg, cg_node, const struct cg_stack *);
void svg_put_colour(struct svg *, const struct svg_box *);
#define SVG_COLOUR_ROOM 8 /* "#rrggbb" */
/*
 * Red for an increase, blue for a decrease, grey for a change that may be
 * noise; largest is the greatest change.
 */
enum svg_change { SVG_GREW, SVG_SHRANK, SVG_NOISE };
void svg_change_colour(char colour[SVG_COLOUR_ROOM], uint64_t size,
    enum svg_change, uint64_t largest);
/* Explains colours if their name is not enough; a detail. */
void svg_put_legend(struct svg *);

/* ---- judged.c ----------------------------------------------------------- */

/*
 * Sets svg->judgement, if the event's changes were judged, and any of them was
 * compared.
 */
void svg_find_judgement(struct svg *);
/* Returns the verdict on the self cost of a function; of 0: not compared. */
struct cg_judged svg_judged(const struct svg *, cg_fn);
/* Writes a verdict in words, with the interval of the change. */
void svg_put_judged(struct svg *, const struct cg_judged *);

/* ---- ruler.c ------------------------------------------------------------ */

/* An axis of times, as wide as the frames. */
struct svg_ruler {
	int64_t begin, end;
	const char *unit; /* "ns", or another unit */
};
/* Returns the width of a length, in SVG_UNITs of a pixel. */
uint64_t svg_ruler_width(
    const struct svg *, const struct svg_ruler *, uint64_t length);
/* Returns the length that is units SVG_UNITs wide. */
uint64_t svg_ruler_length(
    const struct svg *, const struct svg_ruler *, uint64_t units);
/* Writes "1.5 ms", or "1,500 bytes". */
void svg_put_length(struct svg *, const struct svg_ruler *, uint64_t length);
/* Draws lines from top to bottom (in pixels), with their times. */
void svg_put_ruler(struct svg *, const struct svg_ruler *, uint64_t bottom);
/*
 * Takes "1.5ms", "20us", "2" (seconds, or the axis' unit), or "0.1%" of the
 * length. False: malformed.
 */
bool svg_take_length(
    const struct svg_ruler *, struct cg_slice text, uint64_t *length);

/* ---- tree.c ------------------------------------------------------------- */

/* Costs of a frame: its own, and with frames on top of it. */
struct svg_cost {
	uint64_t self[2], total[2]; /* [1]: of the other column */
};
/* The frames of a flame graph as a tree; frame 0 is the root. */
struct svg_tree {
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *frame; /* parents before children */
	size_t frames;
	CG_ARRAY(struct svg_cost) cost, reverse_cost; /* by frame */
	uint32_t *first, *child; /* by parent: first index in child; frames */
	CG_ARRAY(struct cg_merged_frame) reverse; /* frame, if it is reversed */
};
/* False: rejected. The caller frees merged in either case. */
bool svg_tree_make(struct svg_tree *, struct svg *);
size_t svg_tree_children(
    const struct svg_tree *, uint32_t frame, const uint32_t **child);

/* ---- graph.c, chart.c, script.c ----------------------------------------- */

void svg_write_graph(struct svg *);
/*
 * Writes a flame chart. Returns the status; CG_EUSAGE: invalid options. Other
 * failures are reported to the job.
 */
int svg_write_chart(struct svg *);

/* The script's functions for names, which the page has, too; not terminated. */
extern const struct cg_slice svg_names_script;
/* The pieces of the script that follow; NULL at the end. */
extern const char *const svg_script[];

#endif
