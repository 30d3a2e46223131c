/*
 * gprof_text.h - reports of call graphs as gprof prints them.
 *
 *	words.c       times, and names with their indexes
 *	gprof_text.c  gprof's own: flat profile and call graph
 *	axe.c         VTune's: vtune -report gprof-cc
 */
#ifndef FORMATS_GPROF_TEXT_H
#define FORMATS_GPROF_TEXT_H

#include "cgconv_parse.h"

/*
 * Takes blanks and a time with a point, "12.34", as nanoseconds. False:
 * malformed.
 */
bool gprof_text_time(struct cg_slice *text, uint64_t *ns);
/* Returns the name without " [12]" and " <cycle 1>" at its end. */
struct cg_slice gprof_text_name(struct cg_slice name);

#endif
