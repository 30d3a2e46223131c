/*
 * callgrind.h - what reader and writer of the callgrind format share.
 *
 * The way of the data through this directory. Reading:
 *
 *	read.c     blocks of lines -> body lines -> rows of the graph
 *	header.c   header lines -> parts, events, descriptions
 *	names.c    "(id) name" -> objects, files, functions
 *	number.h   numbers, positions, costs; rare forms in number.c
 *
 * Writing: write.c (parts, rows), which uses text.c (names, descriptions) and
 * root.c (calls of an added root). callgrind.c is the module.
 */
#ifndef FORMATS_CALLGRIND_CALLGRIND_H
#define FORMATS_CALLGRIND_CALLGRIND_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

/* The name of the unknown caller (fn 0), after gprof's. */
#define SPONTANEOUS "(<spontaneous>)"
/*
 * The writer may add calls from that caller to every function without another,
 * against an error of KCachegrind (see root.c). It marks them by this
 * description, and the reader then drops them.
 */
#define ROOT_KEY "Root"
#define ROOT_VALUE SPONTANEOUS " was added by cgconv"

/*
 * KCachegrind accepts one command only. If parts have different ones, the
 * writer puts them into descriptions.
 */
#define CMD_KEY "cmd"

int callgrind_read(struct cg_job *, struct cg_in *, struct cg_build *);
int callgrind_write(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
