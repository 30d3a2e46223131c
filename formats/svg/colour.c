/*
 * colour.c - colours of boxes. All colours are light, so that black text is
 * readable. Those by function and of changes are the ones of formats/html.
 */
#include <stdio.h>

#include "svg.h"

/* The property that selects the colour of a box. */
enum by { BY_FN, BY_NAME, BY_OBJECT, BY_KIND };

/* Each part of a colour is from low to low + span - 1. */
struct svg_palette {
	const char *name;
	enum by by;
	uint32_t low[3], span[3];
};

/* Names of hues are those of flamegraph.pl. */
static const struct svg_palette palettes[] = {
	{ "function", BY_FN, { 0 }, { 0 } },
	{ "object", BY_OBJECT, { 0 }, { 0 } },
	{ "kind", BY_KIND, { 0 }, { 0 } },
	{ "hot", BY_NAME, { 215, 120, 50 }, { 40, 110, 60 } },
	{ "mem", BY_NAME, { 90, 200, 90 }, { 30, 50, 120 } },
	{ "io", BY_NAME, { 130, 140, 205 }, { 60, 50, 50 } },
	{ "red", BY_NAME, { 230, 110, 100 }, { 25, 50, 40 } },
	{ "orange", BY_NAME, { 235, 155, 60 }, { 20, 45, 50 } },
	{ "yellow", BY_NAME, { 215, 210, 70 }, { 35, 35, 50 } },
	{ "green", BY_NAME, { 100, 205, 100 }, { 50, 50, 40 } },
	{ "aqua", BY_NAME, { 100, 200, 205 }, { 50, 45, 40 } },
	{ "blue", BY_NAME, { 125, 145, 220 }, { 45, 50, 35 } },
	{ "purple", BY_NAME, { 205, 130, 215 }, { 35, 50, 35 } },
};
#define PALETTES (sizeof(palettes) / sizeof(palettes[0]))

/* Colours of --colors kind, by the number in the keys of frames. */
static const struct {
	char letter;
	const char *name, *palette;
} kinds[] = {
	{ 0, "user", "red" },
	{ 'k', "kernel", "orange" },
	{ 'j', "JIT", "green" },
	{ 'i', "inlined", "aqua" },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

const struct svg_palette *
svg_find_palette(const char *name)
{
	for (size_t i = 0; i < PALETTES; i++) {
		if (cg_equal(cg_slice(name), palettes[i].name))
			return &palettes[i];
	}
	return NULL;
}

uint32_t
svg_frame_key(void *arg, cg_node node, const struct cg_stack *stack)
{
	const struct svg *svg = arg;
	uint32_t kind = 0;
	char letter;

	(void)node;
	if (svg->palette->by != BY_KIND)
		return stack->fn;
	letter = cg_frame_kind(svg->graph, stack);
	while (kinds[kind].letter != letter)
		kind++;
	return stack->fn * (uint32_t)KINDS + kind;
}

static uint32_t
hash_text(struct cg_slice text)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (uint8_t)text.ptr[i]) * 16777619u;
	return hash ^ hash >> 15;
}

static void
put_rgb(struct svg *svg, const uint32_t rgb[3])
{
	cg_putf(svg->out, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static void
put_hashed(
    struct svg *svg, const struct svg_palette *palette, struct cg_slice name)
{
	uint32_t hash = hash_text(name), rgb[3];

	for (int i = 0; i < 3; i++)
		rgb[i] = palette->low[i] + (hash >> 8 * i) % palette->span[i];
	put_rgb(svg, rgb);
}

/*
 * Writes a colour by its hue in degrees, and saturation and lightness in
 * percent.
 */
static void
put_hsl(struct svg *svg, uint32_t hue, uint32_t saturation, uint32_t light)
{
	/* In 1/10000: the highest part, the one between, the lowest part. */
	const uint32_t high =
	    (light < 50 ? 2 * light : 200 - 2 * light) * saturation;
	const uint32_t up = hue % 120 < 60 ? hue % 60 : 60 - hue % 60;
	const uint32_t low = light * 100 - high / 2;
	const uint32_t part[] = { low + high, low + high * up / 60, low };
	/* By sixths of the circle: which of these is red, green, blue. */
	static const uint8_t order[6][3] = { { 0, 1, 2 }, { 1, 0, 2 },
		{ 2, 0, 1 }, { 2, 1, 0 }, { 1, 2, 0 }, { 0, 2, 1 } };
	uint32_t rgb[3];

	for (int i = 0; i < 3; i++)
		rgb[i] = (part[order[hue / 60 % 6][i]] * 255 + 5000) / 10000;
	put_rgb(svg, rgb);
}

/*
 * Writes the colour of a box. Two hashes choose it. The hash of a group
 * chooses a range of hues. The group is the function's package or outermost
 * namespace or, without one, its object. If the object is unknown, it is its
 * file or class. If all are unknown, it is the function's
 * own name. The hash of the function's name chooses a colour in the range. A
 * box without a function is grey.
 */
static void
put_fn_colour(struct svg *svg, const struct svg_box *box)
{
	struct cg_slice group =
	    cg_object_path(svg->graph, cg_fn_object(svg->graph, box->fn));
	uint32_t own = hash_text(box->name), shade = own % 12;

	if (box->fn == 0) {
		cg_puts(svg->out, "#dfe1e5");
		return;
	}
	if (group.len > 0 && picture_package(box->name).len > 0)
		group = picture_package(box->name);
	if (group.len == 0)
		group =
		    cg_file_path(svg->graph, cg_fn_file(svg->graph, box->fn));
	if (group.len == 0)
		group = picture_qualifier(box->name);
	if (group.len == 0)
		group = box->name;
	put_hsl(svg, (hash_text(group) % 72 * 5 + (own >> 8) % 40 + 340) % 360,
	    40 + shade, 87 - shade);
}

/*
 * Writes the colour of a box as "#rrggbb": a hue for each object, a little
 * lighter or darker by function. Both are hashes of names, so a name always
 * has the same colour. A box without an object is grey.
 */
static void
put_object_colour(struct svg *svg, const struct svg_box *box)
{
	struct cg_slice object = cg_base_name(
	    cg_object_path(svg->graph, cg_fn_object(svg->graph, box->fn)));
	const uint32_t low = 120 + hash_text(box->name) % 40, span = 235 - low;
	uint32_t at = hash_text(object) % (6 * 256), part = at % 256;
	uint32_t rgb[3] = { 215, 215, 215 }; /* colour without an object */
	uint32_t up = low + span * part / 255, down = low + 235 - up;
	uint32_t sector = at / 256;

	if (object.len > 0) {
		/* Each part is high in two of six sectors, and low in two. */
		rgb[(sector / 2 + 2) % 3] = low;
		rgb[(sector / 2 + sector % 2) % 3] = 235;
		rgb[(sector / 2 + 1 - sector % 2) % 3] = sector % 2 ? down : up;
	}
	put_rgb(svg, rgb);
}

void
svg_put_colour(struct svg *svg, const struct svg_box *box)
{
	const struct svg_palette *palette = svg->palette;

	if (palette->by == BY_OBJECT) {
		put_object_colour(svg, box);
		return;
	}
	if (palette->by == BY_FN) {
		put_fn_colour(svg, box);
		return;
	}
	if (palette->by == BY_KIND)
		palette = svg_find_palette(kinds[box->key % KINDS].palette);
	put_hashed(svg, palette, box->name);
}

/*
 * Stores the colour of a change in "colour": red, blue, or grey for noise. It
 * is stronger for a larger ratio of "size" to "largest"; "size" is at most
 * "largest". Size 0 is white. The smallest change is visible, as in
 * flamegraph.pl.
 */
void
svg_change_colour(char colour[SVG_COLOUR_ROOM], uint64_t size,
    enum svg_change change, uint64_t largest)
{
	static const unsigned colours[][3] = {
		[SVG_GREW] = { 239, 126, 108 },
		[SVG_SHRANK] = { 108, 165, 239 },
		[SVG_NOISE] = { 184, 184, 184 },
	};
	const unsigned *most = colours[change];
	unsigned part = 0, rgb[3];

	if (size > 0)
		part = 45 + (unsigned)cg_mul_div(size, 210, largest);
	for (int i = 0; i < 3; i++)
		rgb[i] = 255 - (255 - most[i]) * part / 255;
	(void)snprintf(
	    colour, SVG_COLOUR_ROOM, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static void
put_key(struct svg *svg, const char *before, const char *colour)
{
	cg_putf(svg->out, "%s<tspan fill=\"%s\">\xe2\x96\xa0</tspan> ", before,
	    colour);
}

void
svg_put_legend(struct svg *svg)
{
	if (svg->change) {
		svg_next_detail(svg);
		put_key(svg, "", "#ef7e6c");
		cg_puts(svg->out, "grew ");
		put_key(svg, "", "#6ca5ef");
		cg_puts(svg->out, "shrank");
	}
	if (svg->judgement) {
		put_key(svg, " ", "#b8b8b8");
		cg_puts(svg->out, "noise, or too small to compare");
	}
	for (size_t i = 0; svg->palette->by == BY_KIND && i < KINDS; i++) {
		if (i == 0)
			svg_next_detail(svg);
		cg_puts(svg->out, i > 0 ? " <tspan fill=\"" : "<tspan fill=\"");
		put_hashed(svg, svg_find_palette(kinds[i].palette),
		    cg_slice(kinds[i].name));
		cg_putf(svg->out, "\">\xe2\x96\xa0</tspan> %s", kinds[i].name);
	}
}
