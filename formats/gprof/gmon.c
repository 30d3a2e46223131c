/*
 * gmon.c - a gmon.out in memory: its numbers and counters, and the addresses
 * of the bins of its histograms.
 *
 * Sources: profil() of glibc 2.36 (sysdeps/posix/profil.c) counts a sample at
 * pc in bin ((pc - low) / 2 * scale) >> 16, and gmon/gmon.c computes that
 * scale in single precision. So in programs of more than 393 KB bins drift
 * from bins of equal width. This file inverts the computation exactly.
 */
#include <string.h>

#include "gmon.h"

uint64_t
gprof_take(struct gmon_cursor *cursor, unsigned width)
{
	const unsigned char *at = (const unsigned char *)cursor->at;
	uint64_t value = 0;

	if ((size_t)(cursor->end - cursor->at) < width) {
		cursor->cut = true;
		cursor->at = cursor->end;
		return 0;
	}
	cursor->at += width;
	/* Most files have little-endian addresses, millions of them. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (!cursor->big && width == sizeof(value)) {
		memcpy(&value, at, sizeof(value));
		return value;
	}
#endif
	if (cursor->big) {
		for (unsigned i = 0; i < width; i++)
			value = value << 8 | at[i];
	} else {
		while (width-- > 0)
			value = value << 8 | at[width];
	}
	return value;
}

/*
 * Returns counter i of a histogram. Most of the millions of counters are zeros
 * of 2 bytes, for which there is a fast path.
 */
uint64_t
gprof_count(const struct gmon *gmon, const struct gmon_hist *hist, uint64_t i)
{
	const char *at = hist->counts + i * hist->width;
	struct gmon_cursor cursor = {
		.at = at, .end = at + hist->width, .big = gmon->big
	};

	if (hist->width == 2 && at[0] == 0 && at[1] == 0)
		return 0;
	return gprof_take(&cursor, hist->width);
}

/* ---- Histograms --------------------------------------------------------- */

/*
 * Returns the scale (bins per two bytes of code, times 65536) that glibc
 * passed to profil(), recomputed as glibc does. 0: the number of bins is not
 * glibc's, so another runtime wrote the histogram.
 */
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
gprof_bin_start(const struct gmon_hist *hist, unsigned word, uint64_t i)
{
	uint64_t range = hist->high - hist->low;
	uint32_t scale = profil_scale(hist, word);

	if (scale > 0)
		return hist->low + 2 * divide_up(i << 16, scale);
	return hist->low + i / hist->bins * range +
	       divide_up(i % hist->bins * range, hist->bins);
}

uint64_t
gprof_bin_of(const struct gmon_hist *hist, unsigned word, uint64_t addr)
{
	uint64_t range = hist->high - hist->low;
	uint32_t scale = profil_scale(hist, word);

	if (scale > 0)
		return ((addr - hist->low) / 2 * scale) >> 16;
	return (addr - hist->low) * hist->bins / range;
}

uint64_t
gprof_convert(uint64_t value, uint64_t to, uint64_t from)
{
	uint64_t whole = value / from, rest = value % from;

	if (whole > (UINT64_MAX - to) / to)
		return UINT64_MAX;
	return whole * to + (rest * to + from / 2) / from;
}

bool
gprof_is_time(const struct gmon_hist *hist)
{
	return strcmp(hist->dimension, "seconds") == 0;
}
