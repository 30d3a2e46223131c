/*
 * put.c - writes the common parts of flame graphs and flame charts: head,
 * numbers, boxes.
 */
#include <inttypes.h>
#include <string.h>

#include "svg.h"

#define CHAR 72 /* tenths of a pixel: a monospaced letter is 0.6 em */
#define UNKNOWN "[unknown]"

void
svg_put_pixels(struct svg *svg, uint64_t units)
{
	cg_putf(svg->out, "%" PRIu64 ".%06" PRIu64, units / SVG_UNIT,
	    units % SVG_UNIT);
}

void
svg_put_cost(struct svg *svg, uint64_t cost)
{
	if (svg->exact)
		picture_put_number(svg->out, cost);
	else if (picture_put_amount(svg->out, (double)cost, svg->event->unit))
		svg->rounded = true;
}

void
svg_put_unit(struct svg *svg)
{
	const struct cg_event *event = svg->event;

	if (!svg->exact && picture_has_unit(event->unit))
		return;
	cg_putc(svg->out, ' ');
	cg_put_xml(
	    svg->out, cg_slice(*event->unit ? event->unit : event->name));
}

void
svg_put_change(struct svg *svg, uint64_t from, uint64_t to)
{
	if (to != from)
		cg_putc(svg->out, to > from ? '+' : '-');
	svg_put_cost(svg, to > from ? to - from : from - to);
}

void
svg_put_total(struct svg *svg, uint64_t total)
{
	const struct cg_event *event = svg->event;

	cg_put_xml(svg->out,
	    cg_slice(*event->long_name ? event->long_name : event->name));
	cg_puts(svg->out, ": ");
	svg_put_cost(svg, total);
	if (*event->unit)
		svg_put_unit(svg);
}

/* ---- The file ----------------------------------------------------------- */

void
svg_begin(struct svg *svg, uint64_t height, const char *title)
{
	const char *given = cg_opt(svg->job, "title");
	const char *subtitle = cg_opt(svg->job, "subtitle");

	cg_putf(svg->out,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu64
	    "\" height=\"%" PRIu64 "\" viewBox=\"0 0 %" PRIu64 " %" PRIu64
	    "\"%s>\n",
	    svg->width, height, svg->width, height,
	    svg->fluid ? " class=\"fluid\"" : "");
	/*
	 * The title of the document. Without one, Chromium would look through
	 * all boxes for it at the title of each box.
	 */
	cg_puts(svg->out, "<title>");
	cg_put_xml(svg->out, cg_slice(given ? given : title));
	cg_puts(svg->out, "</title>\n");
	cg_putf(svg->out,
	    "<style>text { font: %dpx monospace; } #title { font: bold 16px "
	    "sans-serif; } #subtitle { font: 13px sans-serif; } .f { cursor: "
	    "pointer; } .f text { pointer-events: "
	    "none; } .f:hover rect { stroke: #000; } #search { width: "
	    "calc(100%% - 60px); box-sizing: border-box; } #reset { width: "
	    "60px; box-sizing: border-box; } @media print { svg { max-width: "
	    "100%%; height: auto; } foreignObject { display: none; } } @media "
	    "screen and "
	    "(prefers-color-scheme: dark) { svg { color-scheme: dark; "
	    "background: #17191c; } #back "
	    "{ fill: #17191c; } text { fill: #e4e6ea; } .f text { fill: #000; "
	    "} .f rect { fill-opacity: 0.85; } .f:hover rect { stroke: #fff; } "
	    "#axis line { stroke: #444; } }</style>\n"
	    "<rect id=\"back\" width=\"100%%\" height=\"100%%\" "
	    "fill=\"%s\"/>\n"
	    "<text id=\"title\" x=\"%d\" y=\"24\">",
	    SVG_FONT, svg->change ? "#ddd" : "#fff", SVG_PAD);
	cg_put_xml(svg->out, cg_slice(given ? given : title));
	if (subtitle) {
		cg_puts(svg->out, "<tspan id=\"subtitle\" dx=\"16\">");
		cg_put_xml(svg->out, cg_slice(subtitle));
		cg_puts(svg->out, "</tspan>");
	}
	cg_putf(svg->out, "</text>\n<text id=\"event\" x=\"%d\" y=\"40\">",
	    SVG_PAD);
}

void
svg_end(struct svg *svg)
{
	cg_puts(svg->out, "<script><![CDATA[\n(function () {\n");
	cg_put(svg->out, svg_names_script);
	for (const char *const *piece = svg_script; *piece; piece++)
		cg_puts(svg->out, *piece);
	cg_puts(svg->out, "]]></script>\n</svg>\n");
}

/* ---- Boxes -------------------------------------------------------------- */

/*
 * Writes the name of a box as its label, shortened so that it fits; nothing if
 * the box is too narrow.
 */
static void
put_label(struct svg *svg, const struct svg_box *box)
{
	uint64_t room = box->width / (SVG_UNIT / 10);
	uint64_t chars = room > 60 ? (room - 60) / CHAR : 0;

	if (chars < 3 || box->name.len == 0 ||
	    !picture_short_name(
		svg->job, &svg->label, box->name, (size_t)chars))
		return;
	cg_puts(svg->out, "<text x=\"");
	svg_put_pixels(svg, box->x + 3 * SVG_UNIT);
	cg_putf(svg->out, "\" y=\"%" PRIu64 "\">", box->y + SVG_FONT);
	cg_put_xml(svg->out, svg->label.line[0]);
	cg_puts(svg->out, svg->label.cut ? "\xe2\x80\xa6</text>" : "</text>");
}

struct cg_slice
svg_fn_name(struct svg *svg, cg_fn fn)
{
	struct cg_slice name = cg_fn_name(svg->graph, fn), object;

	object = cg_base_name(
	    cg_object_path(svg->graph, cg_fn_object(svg->graph, fn)));
	if (name.len > 0 && !cg_equal(name, UNKNOWN))
		return name;
	if (object.len == 0 || *object.ptr == '[')
		return cg_slice(UNKNOWN);
	if (!cg_reserve(svg->job, &svg->name, object.len + 2))
		return cg_slice(UNKNOWN);
	svg->name.at[0] = '[';
	memcpy(svg->name.at + 1, object.ptr, object.len);
	svg->name.at[object.len + 1] = ']';
	return (struct cg_slice){ svg->name.at, object.len + 2 };
}

void
svg_begin_box(struct svg *svg, const struct svg_box *box)
{
	cg_puts(svg->out, "<g class=\"f\"");
	if (box->undrawn > 0)
		cg_putf(
		    svg->out, " data-undrawn=\"%" PRIu32 "\"", box->undrawn);
	cg_puts(svg->out, "><title>");
	cg_put_xml(svg->out, box->name);
	cg_putc(svg->out, '\n');
}

void
svg_end_box(struct svg *svg, const struct svg_box *box)
{
	cg_puts(svg->out, "</title><rect x=\"");
	svg_put_pixels(svg, box->x);
	cg_putf(svg->out, "\" y=\"%" PRIu64 "\" width=\"", box->y);
	svg_put_pixels(svg, box->width);
	cg_putf(svg->out, "\" height=\"%d\" fill=\"", SVG_LEVEL - 1);
	if (box->fill)
		cg_puts(svg->out, box->fill);
	else
		svg_put_colour(svg, box);
	cg_puts(svg->out, "\"/>");
	put_label(svg, box);
	cg_puts(svg->out, "</g>\n");
}
