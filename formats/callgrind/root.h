/*
 * root.h - calls of the root that the writer adds for KCachegrind.
 */
#ifndef FORMATS_CALLGRIND_ROOT_H
#define FORMATS_CALLGRIND_ROOT_H

#include "callgrind.h"

struct callgrind_root;

/*
 * Sets *root to NULL if the graph has no cycles or no root is wanted. False:
 * failed, which was reported. The memory is that of write().
 */
bool callgrind_open_root(struct cg_job *, const struct cg_graph *,
    struct callgrind_root **);
/*
 * Gets the next call of the root in a part, to a function without a caller or
 * to the first function of a cycle without a caller. *i starts as 0. Uses
 * rows. The call is valid until the next one. False: no more calls, or failed
 * (reported to the job).
 */
bool callgrind_next_root_call(struct callgrind_root *, struct cg_rows *,
    cg_part, size_t *i, struct cg_call *);

#endif
