/*
 * callgrind.h - shared by reader and writer of the callgrind format.
 *
 * The way of the data through this directory. Reading:
 *
 *	read.c     blocks of lines
 *	body.c     body lines -> rows of the graph
 *	header.c   header lines -> parts, events, descriptions
 *	names.c    "(id) name" -> objects, files, functions
 *	number.h   numbers, positions, costs; rare forms in number.c
 *	unit.c     names of events -> units
 *
 * Writing: write.c (parts, rows), which uses spec.c (names), text.c
 * (descriptions), root.c (calls of an added root) and self.c (costs of calls in
 * coverage).
 * callgrind.c is the module.
 */
#ifndef FORMATS_CALLGRIND_CALLGRIND_H
#define FORMATS_CALLGRIND_CALLGRIND_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

/* The name of the unknown caller (fn 0), after gprof's. */
#define SPONTANEOUS "(<spontaneous>)"
/*
 * The writer may add calls from the unknown caller to each function without
 * another caller, to avoid an error of KCachegrind (see root.c). It marks the
 * calls by this description, by which the reader recognises and drops them.
 */
#define ROOT_KEY "Root"
#define ROOT_VALUE SPONTANEOUS " was added by cgconv"

/*
 * KCachegrind accepts one command only. If parts have different ones, the
 * writer puts them into descriptions.
 */
#define CMD_KEY "cmd"

/*
 * Finds the unit that an event's name or long name is, or ends with. A unit in
 * parentheses is removed from the text; the text becomes empty if only the
 * event's name (if not NULL) remains. any: also accept unknown units, as files
 * of cgconv have them. False: text ends with no unit.
 */
bool callgrind_take_unit(struct cg_slice *text, bool any, const char *name,
    struct cg_slice *unit);

int callgrind_read(struct cg_job *, struct cg_in *, struct cg_build *);
int callgrind_write(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
