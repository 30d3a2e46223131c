/*
 * gprof.c - gmon.out, the profiles that programs built with -pg write, and
 * the dynamic linker for LD_PROFILE.
 *
 * Sources: gprof 2.40 (binutils), gmon/ and elf/dl-profile.c of glibc 2.36,
 * sys/gmon.h of the BSDs. Read are GNU's versions 0 and 1, LD_PROFILE's, and
 * those of 4.4BSD, its heirs and its forerunner, of any pointer size and byte
 * order; written is GNU's version 1.
 *
 * A gmon.out has addresses only; names come from the executable. Samples
 * become self costs in ns of functions and lines, arcs become calls with a
 * count. Inclusive costs are not in the file: they are split by counts when a
 * target asks for them. Back in a gmon.out everything is as it was; only time
 * in mcount is left out unless it is asked for, and addresses have no bias.
 */
#include <string.h>

#include "gprof.h"

/* The value of a numeric option, or 0 if it is not set. */
static uint64_t
number_option(const struct cg_job *job, const char *name)
{
	const char *option = cg_opt(job, name);
	struct cg_slice text = cg_slice(option ? option : "");
	uint64_t value;

	return cg_take_u64(&text, &value) ? value : 0;
}

int
gprof_rate(struct cg_job *job, uint64_t *rate)
{
	*rate = number_option(job, "rate");
	if (cg_opt(job, "rate") && (*rate == 0 || *rate > GMON_RATE_MAX))
		return cg_usage(job, "--rate is 1 to %d", GMON_RATE_MAX);
	return CG_OK;
}

/* The option --word-size in bytes, 0 if it is not set. */
static int
get_word_size(struct cg_job *job, unsigned *word)
{
	uint64_t bits = number_option(job, "word-size");

	if (cg_opt(job, "word-size") && bits != 32 && bits != 64)
		return cg_usage(job, "--word-size is 32 or 64, not %s",
		    cg_opt(job, "word-size"));
	*word = (unsigned)bits / 8;
	return CG_OK;
}

static int
probe(const struct cg_head *head)
{
	const char *text = head->text.ptr;

	if (head->text.len < 8)
		return CG_PROBE_NO;
	if (memcmp(text, "gmon", 4) != 0)
		return gprof_probe_bsd(head->text, head->whole);
	/* Any version is ours, to be refused by name; a text has no zeros. */
	return text[4] == 0 || text[7] == 0 ? CG_PROBE_SURE : CG_PROBE_NO;
}

static int
read_gprof(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct gmon_images images = { 0 };
	struct gmon_hint hint = { 0 };
	struct gmon gmon = { 0 };
	struct cg_slice bytes;
	int status = get_word_size(job, &hint.only);

	if (status == CG_OK)
		status = gprof_hint(job, &hint);
	if (status != CG_OK)
		return status;
	if (!cg_read_all(in, &bytes) && cg_in_status(in) != CG_OK)
		return cg_in_status(in);
	status = gprof_read(job, bytes, hint, &gmon);
	if (status == CG_OK)
		status = gprof_find_images(job, in, &gmon, &images);
	if (status == CG_OK)
		status = gprof_map(job, build, &gmon, &images);
	gprof_free_images(&images);
	gprof_free(&gmon);
	return status;
}

static const struct cg_option options[] = {
	{ .name = "gprof-compat",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "assign times and calls as GNU gprof does",
	    .reading = true },
	{ .name = "keep-mcount",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "keep the time spent in the profiler's own mcount",
	    .reading = true },
	{ .name = "any-exe",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "take the executable of --exe even if it does not match",
	    .reading = true },
	{ .name = "recover",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "keep what is left of a truncated file",
	    .reading = true },
	{ .name = "word-size",
	    .type = CG_NUMBER,
	    .arg = "BITS",
	    .help = "size of pointers in the file: 32 or 64",
	    .reading = true },
	{ .name = "rate",
	    .type = CG_NUMBER,
	    .arg = "N",
	    .help = "samples per second (per unit of the event)",
	    .reading = true,
	    .writing = true },
	CG_OPTION_EVENT,
	{ 0 },
};

const struct cg_module cg_format_gprof = {
	CG_MODULE,
	.name = "gprof",
	.title = "gmon.out of gprof (programs built with -pg)",
	.suffixes = "gmon",
	.carries = CG_SELF | CG_LINES | CG_INSTRS | CG_CALLS | CG_FILES |
		   CG_OBJECTS | CG_SYMBOLS | CG_DEFINITIONS | CG_DESCRIPTIONS,
	.options = options,
	.probe = probe,
	.read = read_gprof,
	.write = gprof_write,
};
