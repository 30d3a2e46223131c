/*
 * amounts.c - costs in few digits. The rules are those of the page
 * (formats/html/base.js: brief()).
 */
#include <math.h>
#include <string.h>

#include "picture.h"

#define SHORT 1e5 /* counts below have all digits */

struct scale {
	double by;
	const char *name;
};

static const struct scale times[] = { { 1e9, " s" }, { 1e6, " ms" },
	{ 1e3, " \xc2\xb5s" }, { 1, " ns" } };
static const struct scale sizes[] = { { 1099511627776.0, " TiB" },
	{ 1073741824.0, " GiB" }, { 1048576.0, " MiB" }, { 1024.0, " KiB" },
	{ 1, " B" } };
static const struct scale counts[] = { { 1e12, " T" }, { 1e9, " G" },
	{ 1e6, " M" }, { 1e3, " k" }, { 1, "" } };

void
picture_put_number(struct cg_out *out, uint64_t number)
{
	char digits[CG_NUMBER_MAX];
	size_t len = (size_t)(cg_format_u64(digits, number) - digits);

	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			cg_putc(out, ',');
		cg_putc(out, digits[i]);
	}
}

/* Returns a positive number rounded to three significant digits. */
static double
round_to_three(double value)
{
	double unit;

	if (!(value >= 1))
		return value;
	unit = pow(10, floor(log10(value)) - 2);
	return unit > 1 ? round(value / unit) * unit : value;
}

/* Writes a number with that many decimals, at most 2, in any locale. */
static void
put_decimals(struct cg_out *out, double value, unsigned decimals)
{
	uint64_t factor = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
	uint64_t n = (uint64_t)fmin(value * (double)factor + 0.5, 1.8e19);

	cg_putu(out, n / factor);
	if (decimals > 0)
		cg_putf(out, ".%0*u", (int)decimals, (unsigned)(n % factor));
}

/* Returns the units in which costs of a unit are written. */
static const struct scale *
find_scale(const char *unit)
{
	if (strcmp(unit, "ns") == 0 || strcmp(unit, "nanoseconds") == 0)
		return times;
	if (strcmp(unit, "bytes") == 0 || strcmp(unit, "B") == 0)
		return sizes;
	return counts;
}

bool
picture_has_unit(const char *unit)
{
	return find_scale(unit) != counts;
}

bool
picture_put_amount(struct cg_out *out, double cost, const char *unit)
{
	const struct scale *scale = find_scale(unit);
	double size = fabs(cost), rounded = round_to_three(size), shown;

	if (scale == counts && size < SHORT) {
		if (cost < 0)
			cg_putc(out, '-');
		picture_put_number(out, (uint64_t)size);
		return false;
	}
	while (scale->by > 1 && rounded < scale->by)
		scale++;
	shown = rounded / scale->by;
	if (cost < 0)
		cg_putc(out, '-');
	put_decimals(out, size / scale->by,
	    scale->by <= 1 ? 0
	    : shown < 10   ? 2
	    : shown < 100  ? 1
			   : 0);
	cg_puts(out, scale->name);
	return scale->by > 1;
}
