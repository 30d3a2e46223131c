/*
 * scale.c - where the bins of a histogram lie, and ticks to time.
 *
 * Sources: profil() of glibc 2.36 (sysdeps/posix/profil.c) counts a sample at
 * pc in bin ((pc - low) / 2 * scale) >> 16, and gmon/gmon.c computes that
 * scale in single precision; so bins drift against equal widths in programs
 * of more than 393 KB. Here this is inverted exactly.
 */
#include <stdio.h>
#include <stdlib.h>
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

/* ---- Which unit to write ------------------------------------------------ */

/* Units of time: how many of them a second has, in powers of ten. */
static bool
digits_of(const char *unit, unsigned *digits)
{
	static const struct {
		const char *unit;
		unsigned digits;
	} units[] = { { "s", 0 }, { "ms", 3 }, { "us", 6 }, { "ns", 9 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].unit) == 0) {
			*digits = units[i].digits;
			return true;
		}
	}
	return false;
}

static uint64_t
power_of_ten(unsigned digits)
{
	uint64_t power = 1;

	for (; digits > 0; digits--)
		power *= 10;
	return power;
}

/*
 * Time: as fine as the counters allow, like the clock of a profiler.
 */
static struct gmon_unit
choose_time(
    unsigned digits, uint64_t rate, uint64_t most, struct gmon_hist *hist)
{
	unsigned cut = 0;

	while (cut < digits && most / power_of_ten(cut) > GMON_COUNTER_MAX)
		cut++;
	if (rate == 0)
		rate = most > 0 ? power_of_ten(digits - cut) : GMON_RATE_USUAL;
	strcpy(hist->dimension, "seconds");
	hist->abbrev = 's';
	hist->rate = (uint32_t)rate;
	return (struct gmon_unit){ rate, power_of_ten(digits) };
}

/*
 * Counts are no time: the histogram says "Ir", or "kIr" at so many samples
 * each, to make the counters fit.
 */
static struct gmon_unit
choose_count(
    const char *name, uint64_t rate, uint64_t most, struct gmon_hist *hist)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
	unsigned cut = 0, thousands;

	while (rate == 0 && most / power_of_ten(cut) > GMON_COUNTER_MAX)
		cut++;
	thousands = (cut + 2) / 3;
	snprintf(hist->dimension, sizeof(hist->dimension), "%s%s",
	    prefixes[thousands], name);
	hist->abbrev = hist->dimension[0];
	hist->rate =
	    (uint32_t)(rate ? rate : power_of_ten(3 * thousands - cut));
	return (struct gmon_unit){ rate ? rate : 1, power_of_ten(cut) };
}

struct gmon_unit
gprof_choose_unit(const struct cg_event *event, uint64_t rate, uint64_t most,
    struct gmon_hist *hist)
{
	unsigned digits;

	if (digits_of(event->unit, &digits))
		return choose_time(digits, rate, most, hist);
	return choose_count(event->name, rate, most, hist);
}

int
gprof_compare_u64(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a == *b ? 0 : *a < *b ? -1 : 1;
}

size_t
gprof_make_distinct(uint64_t *value, size_t n)
{
	size_t kept = 0;

	if (n > 0)
		qsort(value, n, sizeof(*value), gprof_compare_u64);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || value[i] != value[kept - 1])
			value[kept++] = value[i];
	}
	return kept;
}
