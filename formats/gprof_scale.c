/*
 * gprof_scale.c - where the bins of a histogram lie, and ticks to time.
 *
 * Sources: profil() of glibc 2.36 (sysdeps/posix/profil.c) counts a sample at
 * pc in bin ((pc - low) / 2 * scale) >> 16, and gmon/gmon.c computes that
 * scale in single precision; so bins drift against equal widths in programs
 * of more than 393 KB. Here this is inverted exactly.
 */
#include <string.h>

#include "gprof.h"

/* The scale that glibc gave to profil(); 0 if this is not its histogram. */
static uint32_t
profil_scale(const struct gmon_hist *hist, unsigned word)
{
	uint64_t range = hist->high - hist->low;
	uint64_t size = (range / 2 + word - 1) / word * word;
	float scale;

	if (hist->bins != size / 2)
		return 0;
	if (size >= range)
		return 65536;
	scale = (float)size / (float)range;
	return (uint32_t)(scale * 65536.0F);
}

static uint64_t
divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

uint64_t
cg_gmon_bin_start(const struct gmon_hist *hist, unsigned word, uint64_t i)
{
	uint64_t range = hist->high - hist->low;
	uint32_t scale = profil_scale(hist, word);

	if (scale > 0)
		return hist->low + 2 * divide_up(i << 16, scale);
	return hist->low + i / hist->bins * range +
	       divide_up(i % hist->bins * range, hist->bins);
}

uint64_t
cg_gmon_bin_of(const struct gmon_hist *hist, unsigned word, uint64_t addr)
{
	uint64_t range = hist->high - hist->low;
	uint32_t scale = profil_scale(hist, word);

	if (scale > 0)
		return ((addr - hist->low) / 2 * scale) >> 16;
	return (addr - hist->low) * hist->bins / range;
}

uint64_t
cg_gmon_convert(uint64_t value, uint64_t to, uint64_t from)
{
	uint64_t whole = value / from, rest = value % from;

	if (whole > (UINT64_MAX - to) / to)
		return UINT64_MAX;
	return whole * to + (rest * to + from / 2) / from;
}

bool
cg_gmon_is_time(const struct gmon_hist *hist)
{
	return strcmp(hist->dimension, "seconds") == 0;
}
