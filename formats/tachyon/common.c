/*
 * common.c - what both formats have: events, a mode, files.
 */
#include "tachyon.h"

#define SYNTHETIC_FILE "~" /* of <GC> and <native> */

void
tachyon_add_events(struct cg_build *build, uint64_t interval)
{
	const bool known = interval <= UINT32_MAX;

	(void)cg_add_samples(build, known ? interval * 1000 : 0);
}

void
tachyon_add_mode(struct cg_build *build, struct cg_slice mode)
{
	if (mode.len > 0)
		cg_add_desc(build, cg_slice("Profiling mode"), mode);
}

cg_file
tachyon_add_file(struct cg_build *build, cg_name name)
{
	struct cg_slice path = cg_get_name(build, name);

	return cg_equal(path, SYNTHETIC_FILE) ? 0 : cg_add_file(build, path);
}
