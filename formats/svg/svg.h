/*
 * svg.h - what the parts of the flame graph share.
 */
#ifndef FORMATS_SVG_SVG_H
#define FORMATS_SVG_SVG_H

#include "cgconv_parse.h"

extern const char svg_script[];

#endif
