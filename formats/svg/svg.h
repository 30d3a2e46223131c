/*
 * svg.h - what the parts of the flame graph share.
 */
#ifndef CG_SVG_H
#define CG_SVG_H

#include "cgconv_parse.h"

extern const char cg_svg_script[];

#endif
