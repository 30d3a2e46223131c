/*
 * valgrind.h - what the outputs of Valgrind's heap tools have in common.
 */
#ifndef FORMATS_VALGRIND_VALGRIND_H
#define FORMATS_VALGRIND_VALGRIND_H

#include "cgconv_parse.h"

struct frame {
	uint64_t addr;
	cg_fn fn;
	struct cg_pos pos;
};

/*
 * "0x10AB81: push_back (stl_vector.h:1294)", "0x401A: ??? (in /lib/ld.so)",
 * "0x1: main": what Valgrind says of an address. False: it is none of these.
 */
bool valgrind_take_frame(struct cg_build *, struct cg_slice, struct frame *);
/*
 * A function by what is known of it; one without a name is called by its
 * address, as Callgrind does it.
 */
void valgrind_set_frame(struct cg_build *, struct frame *, cg_name, cg_file,
    uint32_t line, cg_object);

#endif
