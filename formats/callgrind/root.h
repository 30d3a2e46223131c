/*
 * root.h - the calls of the root that is added for KCachegrind.
 */
#ifndef FORMATS_CALLGRIND_ROOT_H
#define FORMATS_CALLGRIND_ROOT_H

#include "callgrind.h"

struct callgrind_root;

/*
 * The root is NULL if the graph has no cycles or none is wanted. False:
 * reported; the root is to be freed anyway.
 */
bool callgrind_open_root(struct cg_job *, const struct cg_graph *,
    struct callgrind_root **);
void callgrind_free_root(struct callgrind_root *);
/*
 * The next call of the root in a part, to a function without a caller or to
 * the first of a cycle without one; *i starts as 0. Uses rows. The call lives
 * until the next one. False: there are no more, or it failed (the job knows).
 */
bool callgrind_next_root_call(struct callgrind_root *, struct cg_rows *,
    cg_part, size_t *i, struct cg_call *);

#endif
