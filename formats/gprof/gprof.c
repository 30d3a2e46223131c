/*
 * gprof.c - gmon.out, the profiles written by programs built with -pg, and by
 * the dynamic linker for LD_PROFILE.
 *
 * Sources: gprof 2.40 (binutils), gmon/ and elf/dl-profile.c of glibc 2.36,
 * sys/gmon.h of the BSDs. Reads GNU's versions 0 and 1, LD_PROFILE files, and
 * the formats of 4.4BSD, its successors and its predecessor, with any pointer
 * size and byte order. Writes GNU's version 1.
 *
 * A gmon.out has addresses only; names come from the executable. Samples
 * become self costs in ns of functions and lines, arcs become calls with a
 * count. The file has no inclusive costs: they are split by counts when a
 * target needs them. A gmon.out that is read and written again is the same,
 * except for time in mcount, which is dropped by default, and a load bias.
 */
#include <string.h>

#include "layout.h"

/*
 * Returns the number that a numeric option begins with; 0: the option is not
 * set, or begins with no number.
 */
static uint64_t
number_option(const struct cg_job *job, const char *name)
{
	const char *option = cg_opt(job, name);
	struct cg_slice text = cg_slice(option ? option : "");
	uint64_t value;

	return cg_take_u64(&text, &value) ? value : 0;
}

/*
 * Sets *rate to the option --rate, in Hz, or to 0 if it is not set. Returns
 * CG_OK, or CG_EUSAGE (reported) for a rate that is not from 1 to
 * GMON_RATE_MAX.
 */
static int
get_rate(struct cg_job *job, uint64_t *rate)
{
	*rate = number_option(job, "rate");
	if (cg_opt(job, "rate") && (*rate == 0 || *rate > GMON_RATE_MAX))
		return cg_usage(job,
		    "{rate}: expected a number from 1 to %d, not '%s'",
		    GMON_RATE_MAX, cg_opt(job, "rate"));
	return CG_OK;
}

/*
 * Sets *word to the option --word-size, converted to bytes, or to 0 if it is
 * not set. Returns CG_OK. If the option is not 32 or 64, leaves *word
 * unchanged, and returns CG_EUSAGE (reported).
 */
static int
get_word_size(struct cg_job *job, unsigned *word)
{
	uint64_t bits = number_option(job, "word-size");

	if (cg_opt(job, "word-size") && bits != 32 && bits != 64)
		return cg_usage(job, "{word-size}: expected 32 or 64, not '%s'",
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
	/*
	 * Any version is accepted, so that unknown ones are reported; text
	 * files contain no NUL.
	 */
	return text[4] == 0 || text[7] == 0 ? CG_PROBE_SURE : CG_PROBE_NO;
}

/*
 * Reads the bytes of a gmon.out of any kind into *gmon. False: an error
 * (reported).
 */
static bool
read_file(struct cg_job *job, struct cg_slice bytes, struct gprof_hint hint,
    struct gmon *gmon)
{
	if (bytes.len < GMON_HEADER)
		return cg_reject(
		    job, "too short for a gmon.out (%zu bytes)", bytes.len);
	return memcmp(bytes.ptr, "gmon", 4) == 0
		   ? gprof_read_gnu(job, bytes, hint, gmon)
		   : gprof_read_bsd(job, bytes, hint, gmon);
}

static int
read_gprof(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct gprof_images images = { 0 };
	struct gprof_hint hint = { 0 };
	struct gmon gmon = { 0 };
	struct cg_slice bytes;
	uint64_t rate;
	bool ok;
	int status = get_word_size(job, &hint.only);

	if (status == CG_OK)
		status = get_rate(job, &rate);
	if (status != CG_OK)
		return status;
	if (!gprof_get_hint(job, &hint))
		return CG_EINPUT;
	if (!cg_read_all(in, &bytes) && cg_in_status(in) != CG_OK)
		return cg_in_status(in);
	ok = read_file(job, bytes, hint, &gmon) &&
	     gprof_check(job, &gmon, rate) &&
	     gprof_find_images(job, in, &gmon, &images) &&
	     gprof_sort_arcs(job, &gmon) &&
	     gprof_map(job, build, &gmon, &images);
	return ok ? CG_OK : CG_EINPUT;
}

static int
write_gprof(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	uint64_t rate;
	int status = get_rate(job, &rate);

	return status == CG_OK ? gprof_write(job, graph, out, rate) : status;
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
	    .help =
		"use the executable that is given even if it does not match",
	    .reading = true },
	{ .name = "recover",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "read a truncated file up to where it is damaged",
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
	.write = write_gprof,
};
