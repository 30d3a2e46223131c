/*
 * go_cover.h - the way of the data through formats/go_cover/:
 *
 *	go_cover.c  recognises the profiles of Go, lists their options
 *	read.c      blocks of lines -> sorted, merged -> regions, lines -> graph
 *	write.c     graph -> blocks, else a block for each line
 */
#ifndef FORMATS_GO_COVER_H
#define FORMATS_GO_COVER_H

#include "cgconv_parse.h"

int go_cover_read(struct cg_job *, struct cg_in *, struct cg_build *);
int go_cover_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
