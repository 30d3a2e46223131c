/*
 * tachyon.c - the module for profiles of Python 3.15's sampling profiler
 * (python -m profiling.sampling, PEP 799), called Tachyon: its binary format
 * and its JSON Lines. What else it writes (collapsed stacks, pstats, Gecko
 * profiles) is read as folded, pstats and firefox. Source: see tachyon.h.
 *
 * Of the binary format, stacks, lines, times, threads and their states
 * survive, states as labels. Columns, ends of lines and opcodes are lost. All
 * frames are kept, also those of the profiler (_sync_coordinator.py), which
 * its own exports drop.
 *
 * JSON Lines have no stacks: self samples by line survive, and inclusive ones
 * by function.
 */
#include <stdio.h>

#include "tachyon.h"

static void
describe(const struct tachyon_file *file)
{
	static const char *const modes[] = { "", "wall", "cpu", "gil", "all",
		"exception" };
	char python[64];

	if (file->mode < sizeof(modes) / sizeof(*modes))
		tachyon_add_mode(file->build, cg_slice(modes[file->mode]));
	(void)snprintf(python, sizeof(python), "%u.%u.%u", file->python[0],
	    file->python[1], file->python[2]);
	cg_add_desc(file->build, cg_slice("Python"), cg_slice(python));
}

static int
read_binary(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct tachyon_file file = { .job = job, .build = build };

	if (!cg_read_all(in, &file.bytes))
		return cg_in_status(in);
	if (!tachyon_read_tables(&file))
		return cg_rejected(job);
	tachyon_add_events(build, file.interval);
	describe(&file);
	if (!tachyon_read_samples(&file) && cg_rejected(job) != CG_OK)
		return cg_rejected(job);
	return cg_build_status(build);
}

static int
read_tachyon(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct cg_slice first;

	if (cg_look_bytes(in, 1, &first) && *first.ptr != '{')
		return read_binary(job, in, build);
	return tachyon_read_jsonl(job, in, build);
}

/*
 * Returns true for the binary format. It begins with its magic and its
 * version. The version is small, so two of its bytes are zero.
 */
static bool
is_binary(struct cg_slice text)
{
	return text.len >= 8 && ((cg_starts(text, TACHYON_LITTLE) &&
				     text.ptr[6] == 0 && text.ptr[7] == 0) ||
				    (cg_starts(text, TACHYON_BIG) &&
					text.ptr[4] == 0 && text.ptr[5] == 0));
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "type", "v", "run_id",
		"sample_interval_usec", NULL };

	return is_binary(head->text) || cg_head_keys(head, keys) == 15
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_tachyon = {
	CG_MODULE,
	.name = "tachyon",
	.title = "profiles of Python's profiling.sampling: binary, JSON Lines",
	.probe = probe,
	.read = read_tachyon,
};
