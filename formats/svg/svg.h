/*
 * svg.h - the script of flame graphs, which svg.c writes into each.
 */
#ifndef FORMATS_SVG_SVG_H
#define FORMATS_SVG_SVG_H

#include "cgconv_parse.h"

extern const char svg_script[];

#endif
