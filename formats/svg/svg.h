/*
 * svg.h - flame graphs and flame charts.
 *
 *	svg.c     options; then one of
 *	graph.c   a flame graph: stacks and their sums
 *	chart.c   a flame chart: stacks in the order of time; its boxes
 *	ruler.c   are placed by ruler.c, which also writes times
 *	put.c     what both write: head, names, colours, boxes
 *	script.c  the JavaScript inside
 */
#ifndef FORMATS_SVG_SVG_H
#define FORMATS_SVG_SVG_H

#include "cgconv_parse.h"

#define SVG_PAD 10   /* left and right of the frames */
#define SVG_TOP 60   /* above them: title and search */
#define SVG_LEVEL 17 /* height of a frame with the gap above it */
#define SVG_FONT 12
#define SVG_UNIT 1000000 /* positions have six decimals of a pixel */

struct svg {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	const struct cg_event *event;
	size_t column;
	uint64_t width, least; /* pixels; SVG_UNITs of a pixel */
	bool percent;          /* least was given as a share of the width */
	const char *least_text; /* as it was given */
	char *name;            /* of the frame that is written */
	size_t name_cap;
};

/* ---- put.c -------------------------------------------------------------- */

void svg_put_pixels(struct svg *, uint64_t units);
/* 1234567 as 1,234,567 */
void svg_put_number(struct svg *, uint64_t);
/* ": 1,234 ns" of the event, with its long name. */
void svg_put_total(struct svg *, uint64_t total);
/*
 * The head of the file, up to the line of details, which the caller writes and
 * ends. The title is that without --title.
 */
void svg_begin(struct svg *, uint64_t height, const char *title);
void svg_end_details(struct svg *);
/* The script and the end of the file. */
void svg_end(struct svg *);
/*
 * A function without a name is shown as [base name of its object]. Valid until
 * the next call.
 */
struct cg_slice svg_fn_name(struct svg *, cg_fn);

struct svg_box {
	struct cg_slice name;
	uint64_t x, width; /* SVG_UNITs of a pixel */
	uint64_t y;        /* pixels */
	const char *fill;  /* NULL: by the name */
};
/* A box, up to the second line of its title, which the caller writes. */
void svg_begin_box(struct svg *, const struct svg_box *);
void svg_end_box(struct svg *, const struct svg_box *);

/* ---- ruler.c ------------------------------------------------------------ */

/* An axis of times, as wide as the picture. */
struct svg_ruler {
	int64_t begin, end;
	const char *unit; /* "ns", or any other */
};
/* The width of a length, in SVG_UNITs of a pixel. */
uint64_t svg_ruler_width(
    const struct svg *, const struct svg_ruler *, uint64_t length);
/* The length that is so many SVG_UNITs wide. */
uint64_t svg_ruler_length(
    const struct svg *, const struct svg_ruler *, uint64_t units);
/* "1.5 ms", or "1,500 bytes" */
void svg_put_length(struct svg *, const struct svg_ruler *, uint64_t length);
/* Lines from top to bottom, in pixels, with their times. */
void svg_put_ruler(struct svg *, const struct svg_ruler *, uint64_t bottom);
/* "1.5ms", "20us", "2" (seconds; or the axis' unit), "0.1%" of the length. */
bool svg_take_length(
    const struct svg_ruler *, struct cg_slice text, uint64_t *length);

/* ---- graph.c, chart.c, script.c ----------------------------------------- */

void svg_write_graph(struct svg *);
/* CG_EUSAGE: an option makes no sense; failures are the job's. */
int svg_write_chart(struct svg *);

/* Its pieces; NULL at the end. */
extern const char *const svg_script[];

#endif
