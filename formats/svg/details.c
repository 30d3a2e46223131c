/*
 * details.c - the second line above a picture: what its colours mean, and what
 * it leaves out.
 */
#include "svg.h"

void
svg_next_detail(struct svg *svg)
{
	if (svg->more)
		cg_puts(svg->out, "; ");
	else
		cg_putf(svg->out,
		    "</text>\n<text id=\"more\" x=\"%d\" y=\"55\">", SVG_PAD);
	svg->more = true;
}

/* The script shows what is under the pointer in place of the second line. */
void
svg_end_details(struct svg *svg)
{
	if (!svg->more)
		svg_next_detail(svg);
	cg_putf(svg->out,
	    "</text>\n<text id=\"info\" x=\"%d\" y=\"55\"></text>\n", SVG_PAD);
}
