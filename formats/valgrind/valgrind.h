/*
 * valgrind.h - the outputs of Valgrind's heap tools.
 *
 * The way of the data:
 *
 *	massif.c    text: the snapshots of Massif, each with a tree of callers
 *	dhat.c      JSON: the program points of DHAT
 *	memcheck.c  XML: the leaks that Memcheck reports
 *	frame.c     the function and the line of an address; used by all three
 *
 * Each of the three is a format, reads its file into an array of nodes, points
 * or leaks, and adds their call stacks to the graph at the end.
 */
#ifndef FORMATS_VALGRIND_VALGRIND_H
#define FORMATS_VALGRIND_VALGRIND_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

struct valgrind_frame {
	uint64_t addr;
	cg_fn fn;
	struct cg_pos pos;
};

/*
 * Parses "0x10AB81: push_back (stl_vector.h:1294)", "0x401A: ??? (in
 * /lib/ld.so)" or "0x1: main". False if the text is none of these.
 */
bool valgrind_take_frame(struct cg_build *, struct cg_space *, struct cg_slice,
    struct valgrind_frame *);
/*
 * Sets the function and position of a frame with an address. A function
 * without a name is named by the address, as Callgrind does. The space counts
 * these frames; symbols are not looked up, as Valgrind has done so.
 */
void valgrind_set_frame(struct cg_build *, struct cg_space *,
    struct valgrind_frame *, cg_name, cg_file, uint32_t line, cg_object);

#endif
