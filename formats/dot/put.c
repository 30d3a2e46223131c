/*
 * put.c - writes costs, shares, colours and text of call graphs.
 */
#include <math.h>
#include <string.h>

#include "dot.h"

/* ---- Text --------------------------------------------------------------- */

void
dot_put_text(struct cg_out *out, struct cg_slice text)
{
	const char *at = text.ptr, *end = at + text.len;

	while (at < end) {
		unsigned char c = (unsigned char)*at;
		size_t len = c < 0x80 ? 1 : cg_utf8_length(at, end);

		if (c == '"' || c == '\\')
			cg_putc(out, '\\');
		if (c < ' ' || c == 0x7f)
			cg_putc(out, ' ');
		else if (len == 0)
			cg_puts(out, "\xef\xbf\xbd"); /* U+FFFD: not UTF-8 */
		else
			cg_put(out, (struct cg_slice){ at, len });
		at += len > 0 ? len : 1;
	}
}

struct cg_slice
dot_fn_name(const struct dot *dot, cg_fn fn)
{
	struct cg_slice name = cg_fn_name(dot->graph, fn);

	return name.len > 0 ? name : cg_slice("???");
}

/* ---- Shares and colours ------------------------------------------------- */

double
dot_number(const struct dot *dot, uint64_t cost)
{
	return dot->is_signed ? (double)(int64_t)cost : (double)cost;
}

struct dot_sides
dot_fn_cost(const struct dot *dot, cg_fn fn, bool inclusive)
{
	double cost[2] = { 0, 0 };

	for (size_t i = 0; i < dot->events; i++)
		cost[i] = dot_number(
		    dot, inclusive
			     ? cg_sum_inclusive(dot->sums[i], fn, dot->event[i])
			     : cg_sum_self(dot->sums[i], fn, dot->event[i]));
	return (struct dot_sides){ cost[1], cost[0] };
}

struct dot_sides
dot_cycle_cost(const struct dot *dot, uint32_t cycle, bool inclusive)
{
	double cost[2] = { 0, 0 };

	for (size_t i = 0; i < dot->events; i++)
		cost[i] = dot_number(dot,
		    inclusive
			? cg_cycle_inclusive(dot->sums[i], cycle, dot->event[i])
			: cg_cycle_self(dot->sums[i], cycle, dot->event[i]));
	return (struct dot_sides){ cost[1], cost[0] };
}

struct dot_sides
dot_call_cost(const struct dot *dot, const struct dot_call *call)
{
	return (struct dot_sides){
		dot->events > 1 ? dot_number(dot, call->cost[1]) : 0,
		dot_number(dot, call->cost[0])
	};
}

double
dot_share(const struct dot *dot, struct dot_sides cost)
{
	double size = fmax(fabs(cost.before), fabs(cost.after));
	double value = dot->total > 0 ? size / dot->total : 0;

	return value < 1 ? value : 1;
}

/*
 * Returns the red, green or blue part of a colour, from 0 to 1. "hue" is the
 * colour's hue as a part of the full circle. The caller adds 1/3 to it for
 * red, and subtracts 1/3 for blue, so it may be from -1/3 to 4/3. "low" and
 * "high" are the least and the greatest value that a part of this colour can
 * have.
 */
static double
hue_part(double low, double high, double hue)
{
	if (hue < 0)
		hue += 1;
	if (hue > 1)
		hue -= 1;
	if (hue * 6 < 1)
		return low + (high - low) * hue * 6;
	if (hue * 2 < 1)
		return high;
	if (hue * 3 < 2)
		return low + (high - low) * (2.0 / 3 - hue) * 6;
	return low;
}

/* Writes a colour: its hue in degrees, saturation and lightness from 0 to 1. */
static void
put_hsl(struct cg_out *out, double hue, double saturation, double light)
{
	double high = light < 0.5 ? light * (1 + saturation)
				  : light + saturation - light * saturation;
	double low = 2 * light - high, turn = hue / 360;

	cg_putf(out, "\"#%02x%02x%02x\"",
	    (unsigned)(255 * hue_part(low, high, turn + 1.0 / 3) + 0.5),
	    (unsigned)(255 * hue_part(low, high, turn) + 0.5),
	    (unsigned)(255 * hue_part(low, high, turn - 1.0 / 3) + 0.5));
}

/*
 * Writes the colour of a function's change of cost, for an area if fill is
 * true, else for lines. No change is grey. An increase is red, a decrease
 * blue. The colour is stronger, the closer the change is to the largest
 * change.
 */
static void
put_change_colour(const struct dot *dot, struct dot_sides cost, bool fill)
{
	double change = cost.after - cost.before, part = 0;

	if (dot->largest > 0)
		part = sqrt(fmin(fabs(change) / dot->largest, 1));
	if (change == 0)
		cg_puts(dot->out, fill ? "\"#f1f2f4\"" : "\"#b4b8bf\"");
	else
		put_hsl(dot->out, change > 0 ? 8 : 214, 0.3 + 0.5 * part,
		    fill ? 0.95 - 0.2 * part : 0.72 - 0.24 * part);
}

void
dot_put_colour(const struct dot *dot, struct dot_sides cost, bool fill)
{
	double part = sqrt(fmin(fmax(dot_share(dot, cost), 0), 1));

	if (dot->change)
		put_change_colour(dot, cost, fill);
	else
		put_hsl(dot->out, 34 - 26 * part, 0.12 + 0.68 * part,
		    fill ? 0.96 - 0.1 * part : 0.7 - 0.26 * part);
}

void
dot_put_hundredths(struct cg_out *out, double value)
{
	uint64_t n = (uint64_t)fmin(100 * value + 0.5, 1.8e19);

	cg_putu(out, n / 100);
	cg_putf(out, ".%02u", (unsigned)(n % 100));
}

/*
 * Writes a cost as a percentage of dot->total, such as "12.34%". If the graph
 * shows changes, writes the change of the cost as a percentage of the total
 * instead, with its sign: "+12.34%".
 */
static void
put_percent(const struct dot *dot, struct dot_sides cost)
{
	double change = cost.after - cost.before;

	if (!dot->change) {
		dot_put_hundredths(dot->out, 100 * dot_share(dot, cost));
	} else {
		if (change != 0)
			cg_putc(dot->out, change < 0 ? '-' : '+');
		dot_put_hundredths(dot->out,
		    dot->total > 0 ? 100 * (fabs(change) / dot->total) : 0);
	}
	cg_putc(dot->out, '%');
}

/* ---- Numbers ------------------------------------------------------------ */

static double
change_of(struct dot_sides cost)
{
	return cost.after - cost.before;
}

void
dot_put_amount(const struct dot *dot, struct dot_sides cost)
{
	double value = dot->change ? change_of(cost) : cost.after;

	if (dot->change && value > 0)
		cg_putc(dot->out, '+');
	(void)picture_put_amount(dot->out, value, dot->unit);
}

void
dot_put_cost(const struct dot *dot, struct dot_sides cost)
{
	dot_put_amount(dot, cost);
	cg_puts(dot->out, " (");
	put_percent(dot, cost);
	cg_putc(dot->out, ')');
}

/* Writes a cost with all digits and its unit. */
static void
put_digits(const struct dot *dot, double cost)
{
	if (cost < 0)
		cg_putc(dot->out, '-');
	picture_put_number(dot->out, (uint64_t)fmin(fabs(cost), 1.8e19));
	cg_puts(dot->out, *dot->unit ? " " : "");
	dot_put_text(dot->out, cg_slice(dot->unit));
}

void
dot_put_full_cost(const struct dot *dot, struct dot_sides cost)
{
	if (dot->events > 1) {
		put_digits(dot, cost.before);
		cg_puts(dot->out, " before, ");
	}
	put_digits(dot, cost.after);
	cg_puts(dot->out, dot->events > 1 ? " after (" : " (");
	put_percent(dot, cost);
	cg_putc(dot->out, ')');
}

void
dot_put_count(struct cg_out *out, uint64_t calls)
{
	(void)picture_put_amount(out, (double)calls, "");
	cg_puts(out, "\xc3\x97");
}
