/*
 * ruler.c - the axis of time of flame charts: positions, ticks, lengths as
 * text.
 *
 * The script draws the same ticks when it zooms.
 */
#include <inttypes.h>

#include "svg.h"

#define NANO UINT64_C(1000000000)
#define NANO_DIGITS 9
#define TICKS 10      /* the most ticks */
#define LABEL_ROOM 80 /* pixels, for a label */

static const struct unit {
	const char *shown, *word;
	uint64_t ns;
	unsigned digits;
} units[] = {
	{ "s", "s", NANO, NANO_DIGITS },
	{ "ms", "ms", 1000000, 6 },
	{ "\xc2\xb5s", "us", 1000, 3 },
	{ "ns", "ns", 1, 0 },
};
#define UNITS (sizeof(units) / sizeof(units[0]))

static uint64_t
length_of(const struct svg_ruler *ruler)
{
	return (uint64_t)ruler->end - (uint64_t)ruler->begin;
}

static uint64_t
inner_width(const struct svg *svg)
{
	return (svg->width - 2 * SVG_PAD) * SVG_UNIT;
}

uint64_t
svg_ruler_width(
    const struct svg *svg, const struct svg_ruler *ruler, uint64_t length)
{
	uint64_t all = length_of(ruler);

	return all == 0 ? 0 : cg_mul_div(length, inner_width(svg), all);
}

uint64_t
svg_ruler_length(
    const struct svg *svg, const struct svg_ruler *ruler, uint64_t width)
{
	return cg_mul_div(width, length_of(ruler), inner_width(svg));
}

/* ---- Lengths as text ---------------------------------------------------- */

static bool
is_time(const struct svg_ruler *ruler)
{
	return cg_equal(cg_slice(ruler->unit), "ns");
}

void
svg_put_length(struct svg *svg, const struct svg_ruler *ruler, uint64_t length)
{
	const struct unit *unit = units;

	if (!is_time(ruler)) {
		picture_put_number(svg->out, length);
		cg_puts(svg->out, *ruler->unit ? " " : "");
		cg_put_xml(svg->out, cg_slice(ruler->unit));
		return;
	}
	while (length > 0 && length < unit->ns)
		unit++;
	cg_put_fixed(svg->out, length < INT64_MAX ? (int64_t)length : INT64_MAX,
	    unit->digits);
	cg_putc(svg->out, ' ');
	cg_puts(svg->out, unit->shown);
}

bool
svg_take_length(
    const struct svg_ruler *ruler, struct cg_slice text, uint64_t *length)
{
	uint64_t number;
	size_t i = 0;

	if (!cg_take_fixed(&text, NANO_DIGITS, &number))
		return false;
	if (cg_take_char(&text, '%')) {
		*length = cg_mul_div(number, length_of(ruler), 100 * NANO);
		return text.len == 0;
	}
	if (text.len == 0) {
		*length = is_time(ruler) ? number : number / NANO;
		return true;
	}
	while (i < UNITS && !cg_equal(text, units[i].word) &&
	       !cg_equal(text, units[i].shown))
		i++;
	if (i == UNITS || !is_time(ruler))
		return false;
	*length = cg_mul_div(number, units[i].ns, NANO);
	return true;
}

/* ---- Ticks -------------------------------------------------------------- */

/*
 * Returns the distance between ticks on an axis of this length. It is 1, 2 or
 * 5 times a power of ten, so that there are at most about TICKS ticks.
 */
static uint64_t
find_step(uint64_t length)
{
	uint64_t step = 1;

	for (unsigned i = 0; length / step > TICKS && step < INT64_MAX / 5; i++)
		step = i % 3 == 1 ? step / 2 * 5 : 2 * step;
	return step;
}

static void
put_tick(struct svg *svg, const struct svg_ruler *ruler, uint64_t at,
    uint64_t bottom)
{
	uint64_t x = SVG_PAD * SVG_UNIT + svg_ruler_width(svg, ruler, at);

	cg_puts(svg->out, "<line x1=\"");
	svg_put_pixels(svg, x);
	cg_puts(svg->out, "\" x2=\"");
	svg_put_pixels(svg, x);
	cg_putf(svg->out, "\" y1=\"%d\" y2=\"%" PRIu64 "\" stroke=\"#ccc\"/>\n",
	    SVG_TOP, bottom);
	if (x / SVG_UNIT + LABEL_ROOM > svg->width)
		return;
	cg_puts(svg->out, "<text x=\"");
	svg_put_pixels(svg, x + 3 * SVG_UNIT);
	cg_putf(svg->out, "\" y=\"%d\">", SVG_TOP + SVG_FONT);
	svg_put_length(svg, ruler, at);
	cg_puts(svg->out, "</text>\n");
}

void
svg_put_ruler(struct svg *svg, const struct svg_ruler *ruler, uint64_t bottom)
{
	uint64_t length = length_of(ruler), step = find_step(length);

	cg_putf(svg->out,
	    "<g id=\"axis\" data-length=\"%" PRIu64 "\" data-bottom=\"%" PRIu64
	    "\" data-unit=\"",
	    length, bottom);
	cg_put_xml(svg->out, cg_slice(ruler->unit));
	cg_puts(svg->out, "\">\n");
	for (uint64_t at = 0; at <= length; at += step)
		put_tick(svg, ruler, at, bottom);
	cg_puts(svg->out, "</g>\n");
}
