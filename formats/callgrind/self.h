/*
 * self.h - self costs as inclusive costs of coverage.
 */
#ifndef FORMATS_CALLGRIND_SELF_H
#define FORMATS_CALLGRIND_SELF_H

#include "callgrind.h"

struct callgrind_self;

/*
 * Sets *self to NULL if no event is one of coverage. False: failed, which was
 * reported. The memory is that of write().
 */
bool callgrind_open_self(struct cg_job *, const struct cg_graph *,
    struct callgrind_self **);
/*
 * Adds the callee's self cost to a call from the unknown caller; of
 * consecutive calls of one callee, only to the first. The call is then valid
 * until the next one. False: failed, which was reported.
 */
bool callgrind_add_self(struct callgrind_self *, cg_part, struct cg_call *);

#endif
