/*
 * callgrind.h - what the files of the callgrind format share.
 */
#ifndef FORMATS_CALLGRIND_CALLGRIND_H
#define FORMATS_CALLGRIND_CALLGRIND_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

/* Name of caller 0, as gprof calls what nobody is known to have called. */
#define SPONTANEOUS "(<spontaneous>)"
/*
 * The writer adds calls from that caller to every function without another,
 * against a fault of KCachegrind (see callgrind_root.c), and says so with
 * this description; the reader leaves them out again.
 */
#define ROOT_KEY "Root"
#define ROOT_VALUE SPONTANEOUS " was added by cgconv"

/*
 * KCachegrind takes one command only: where parts have different ones, the
 * writer says them as descriptions.
 */
#define CMD_KEY "cmd"

int callgrind_read(struct cg_job *, struct cg_in *, struct cg_build *);
int callgrind_write(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
