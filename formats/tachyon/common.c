/*
 * common.c - what both formats have: events, a mode, files.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tachyon.h"

#define SYNTHETIC_FILE "~" /* of <GC> and <native> */

void
tachyon_add_events(struct cg_build *build, uint64_t interval)
{
	static const struct cg_event samples = { .name = "samples",
		.long_name = "Samples" };
	char formula[64];
	const struct cg_event time = { .name = CG_TIME_EVENT,
		.long_name = "Time",
		.unit = "ns",
		.formula = formula };

	(void)cg_add_column(build, &samples);
	if (interval == 0 || interval > UINT32_MAX)
		return;
	(void)snprintf(
	    formula, sizeof(formula), "%" PRIu64 " samples", interval * 1000);
	cg_add_formula(build, &time);
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
