/*
 * time.c - converts the samples of histograms to self costs of functions and
 * lines.
 *
 * A bin covers a few bytes of code, which may belong to two functions or
 * lines. Its time is split by bytes, in whole units whose sum is exact. With
 * --gprof-compat, GNU gprof's own rule applies, whose sum is slightly larger
 * than the measured time.
 */
#include <inttypes.h>

#include "image.h"

#define PIECES 64 /* pieces of a bin, which has 4 to 16 bytes */

/* Code of one function and line within a bin. */
struct piece {
	uint64_t low, high;
	uint64_t base; /* of the object with this code */
	cg_fn fn;
	cg_file file;
	uint32_t line;
	bool overhead;
};

struct timer {
	struct gprof_funcs *funcs;
	const struct gmon *gmon;
	const struct gmon_hist *hist;
	bool keep_overhead;
	uint64_t overhead; /* dropped cost */
	struct piece piece[PIECES];
	size_t pieces;
};

/*
 * Returns value * part / whole, rounded down, without overflow. "part" is at
 * most "whole". Returns "value" if "whole" is 0. If "whole" does not fit into
 * 32 bits, the low bits of both are lost, and the result is not exact.
 */
static uint64_t
scale_down(uint64_t value, uint64_t part, uint64_t whole)
{
	while (whole > UINT32_MAX) {
		whole >>= 1;
		part >>= 1;
	}
	if (whole == 0)
		return value;
	return value / whole * part + value % whole * part / whole;
}

/*
 * Returns a piece of a bin: the bytes [low, high), which belong to the
 * function and get a share of the bin's cost. Its file and line are not set
 * yet.
 */
static struct piece
make_piece(const struct gprof_func *func, uint64_t low, uint64_t high)
{
	return (struct piece){ .low = low,
		.high = high,
		.base = func->image ? func->image->base : 0,
		.fn = func->fn,
		.overhead = func->overhead };
}

/*
 * Adds a bin's cost to the graph, divided among its pieces (bytes of one
 * function and line) by size. Clears the pieces. The profiling runtime's cost
 * only goes to timer->overhead, unless it is kept.
 */
static void
split_cost(struct timer *timer, uint64_t cost)
{
	uint64_t whole = 0, done = 0, spent = 0, share, addr;

	for (size_t i = 0; i < timer->pieces; i++)
		whole += timer->piece[i].high - timer->piece[i].low;
	for (size_t i = 0; i < timer->pieces; i++) {
		const struct piece *piece = &timer->piece[i];
		struct cg_pos pos = { .file = piece->file,
			.line = piece->line };

		addr = piece->low - piece->base;
		pos.addr = addr ? addr : 1; /* 0 would mean "none" */
		done += piece->high - piece->low;
		share = scale_down(cost, done, whole) - spent;
		spent += share;
		if (piece->overhead && !timer->keep_overhead)
			timer->overhead += share;
		else if (share > 0)
			cg_add_cost(
			    timer->funcs->build, piece->fn, &pos, &share, 1);
	}
	timer->pieces = 0;
}

/*
 * Appends pieces to the timer for the bytes [low, high) of a function, one for
 * each source line. A piece is bytes that get a part of a bin's cost. When the
 * timer has PIECES pieces, the remaining bytes are ignored.
 */
static void
add_pieces(struct timer *timer, const struct gprof_func *func, uint64_t low,
    uint64_t high)
{
	struct piece piece = make_piece(func, low, high);

	while (piece.low < high && timer->pieces < PIECES) {
		const struct gprof_line *line =
		    gprof_line_at(timer->funcs, piece.low);

		piece.line = line->line;
		piece.file = line->line ? line->file : func->file;
		piece.high =
		    line->line && line->high < high ? line->high : high;
		timer->piece[timer->pieces++] = piece;
		piece.low = piece.high;
	}
}

/*
 * Appends the pieces of a bin, bytes [low, high), to the timer. There is one
 * for each function and line, at most PIECES. A bin without functions is one
 * piece, of a function named by its address. Bins above PIECES bytes are
 * searched in larger steps.
 */
static void
add_bin_pieces(struct timer *timer, uint64_t low, uint64_t high)
{
	uint64_t step = (high - low) / PIECES + 1, addr = low, end;
	const struct gprof_func *func;

	while (addr < high && timer->pieces < PIECES) {
		func = gprof_func_at(timer->funcs, addr);
		if (!func) {
			addr += step;
			continue;
		}
		end = func->end < high ? func->end : high;
		add_pieces(timer, func, addr, end);
		addr = end;
	}
	if (timer->pieces > 0 || timer->funcs->failed)
		return;
	func = gprof_any_func(timer->funcs, low);
	if (func)
		timer->piece[timer->pieces++] = make_piece(func, low, high);
}

/*
 * Returns the cost of a running sum of ticks: ns for time, else ticks. A bin
 * gets the difference of two sums, so that rounding errors do not accumulate.
 * UINT64_MAX: too large.
 */
static uint64_t
cost_of(const struct gmon_hist *hist, uint64_t ticks)
{
	if (!gprof_is_time(hist))
		return ticks;
	return gprof_convert(ticks, GMON_NS, hist->rate);
}

static void
add_exact(struct timer *timer)
{
	const struct gmon_hist *hist = timer->hist;
	unsigned word = timer->gmon->word;
	uint64_t ticks = 0, count, before;

	for (uint64_t i = 0; i < hist->have; i++) {
		count = gprof_count(timer->gmon, hist, i);
		if (count == 0)
			continue;
		before = cost_of(hist, ticks);
		ticks += count;
		add_bin_pieces(timer, gprof_bin_start(hist, word, i),
		    gprof_bin_start(hist, word, i + 1));
		split_cost(timer, cost_of(hist, ticks) - before);
	}
}

/* ---- As GNU gprof does -------------------------------------------------- */

/*
 * GNU gprof counts addresses in units of 2 bytes, treats all bins as equally
 * wide, and adds count / scale to a function for each of its units in a bin.
 */
struct credit {
	struct timer *timer;
	double scale;   /* units per bin */
	size_t symbol;  /* the current symbol */
	double ticks;   /* its ticks so far */
	uint64_t spent; /* its cost so far */
};

static uint64_t
unit_of(const struct gprof_symbols *symbols, size_t i)
{
	return i < symbols->count ? symbols->at[i].addr / 2 : UINT64_MAX;
}

/*
 * Gives the current symbol its ticks of the bin [low, high), by GNU gprof's
 * rule. The sum of its ticks is converted to a cost. What is new since the
 * last call is divided among its lines there. Does nothing if no function is
 * at the symbol.
 */
static void
credit_symbol(struct credit *credit, double ticks, uint64_t low, uint64_t high)
{
	struct timer *timer = credit->timer;
	const struct gprof_symbol *symbol =
	    &timer->funcs->gnu.at[credit->symbol];
	uint64_t end =
	    symbol->end > symbol->addr ? symbol->end : symbol->addr + 1;
	const struct gprof_func *func =
	    gprof_func_at(timer->funcs, symbol->addr);
	double per_tick = gprof_is_time(timer->hist)
			      ? (double)GMON_NS / timer->hist->rate
			      : 1;
	uint64_t cost;

	if (!func)
		return;
	credit->ticks += ticks;
	cost = (uint64_t)(credit->ticks * per_tick + 0.5);
	low = low < symbol->addr ? symbol->addr : low < end ? low : end - 1;
	high = high > end ? end : high > low ? high : low + 1;
	add_pieces(timer, func, low, high);
	split_cost(timer, cost - credit->spent);
	credit->spent = cost;
}

static void
add_gnu_bin(struct credit *credit, uint64_t i, uint64_t count)
{
	struct timer *timer = credit->timer;
	const struct gprof_symbols *symbols = &timer->funcs->gnu;
	const struct gmon_hist *hist = timer->hist;
	uint64_t low = hist->low / 2 + (uint64_t)(credit->scale * (double)i);
	uint64_t high =
	    hist->low / 2 + (uint64_t)(credit->scale * (double)(i + 1));
	uint64_t from, to;

	while (unit_of(symbols, credit->symbol + 1) <= low) {
		credit->symbol++;
		credit->ticks = 0;
		credit->spent = 0;
	}
	for (;;) {
		from = unit_of(symbols, credit->symbol);
		to = unit_of(symbols, credit->symbol + 1);
		from = from > low ? from : low;
		to = to < high ? to : high;
		if (from < to)
			credit_symbol(credit,
			    (double)(to - from) * (double)count / credit->scale,
			    gprof_bin_start(hist, timer->gmon->word, i),
			    gprof_bin_start(hist, timer->gmon->word, i + 1));
		if (to >= high)
			return;
		credit->symbol++;
		credit->ticks = 0;
		credit->spent = 0;
	}
}

static void
add_gnu(struct timer *timer)
{
	const struct gmon_hist *hist = timer->hist;
	struct credit credit = { .timer = timer };
	uint64_t units = (hist->high - hist->low) / 2, count;

	if (timer->funcs->gnu.count == 0 || hist->bins == 0)
		return;
	credit.scale = (double)units / (double)hist->bins;
	for (uint64_t i = 0; i < hist->have; i++) {
		count = gprof_count(timer->gmon, hist, i);
		if (count > 0)
			add_gnu_bin(&credit, i, count);
	}
}

/* ---- All histograms ----------------------------------------------------- */

/*
 * True if the cost of the histogram's samples fits into its part of 64 bits.
 * The part is a quarter of the range of 64 bits, divided by the number of
 * histograms. The rest is spare, as GNU gprof's rule gives functions slightly
 * more than the measured time.
 */
static bool
fits(const struct gmon *gmon, const struct gmon_hist *hist)
{
	uint64_t limit = gmon->hists ? UINT64_MAX / 4 / gmon->hists : 0;

	return cost_of(hist, hist->ticks) <= limit;
}

bool
gprof_add_times(struct gprof_funcs *funcs, const struct gmon *gmon)
{
	struct timer timer = { .funcs = funcs,
		.gmon = gmon,
		.keep_overhead = cg_opt_flag(funcs->job, "keep-mcount") };

	for (size_t i = 0; i < gmon->hists; i++) {
		timer.hist = &gmon->hist[i];
		if (!fits(gmon, timer.hist))
			return cg_reject_at(funcs->job, timer.hist->counts,
			    "the time of the samples exceeds 64 bits of ns");
		if (funcs->compat)
			add_gnu(&timer);
		else
			add_exact(&timer);
	}
	if (timer.overhead > 0)
		cg_note(funcs->job,
		    "dropped %" PRIu64 " ns in the profiler's own mcount "
		    "(use {keep-mcount} to keep them)",
		    timer.overhead);
	return !funcs->failed;
}
