/*
 * time.c - the samples of histograms become self costs of functions and
 * lines.
 *
 * A bin is a few bytes of code that may belong to two functions or lines:
 * its time is shared by bytes, in whole units that add up. GNU gprof's own
 * rule, which adds up to a little more than was measured, is here as well.
 */
#include <inttypes.h>

#include "gprof.h"

#define PIECES 64 /* of a bin, which is 4 to 16 bytes wide */

/* Code of one function and line within a bin. */
struct piece {
	uint64_t low, high;
	cg_fn fn;
	cg_file file;
	uint32_t line;
	bool overhead;
};

struct timer {
	struct gmon_funcs *funcs;
	const struct gmon *gmon;
	const struct gmon_hist *hist;
	bool keep_overhead;
	uint64_t overhead; /* cost that was left out */
	struct piece piece[PIECES];
	size_t pieces;
};

/* value * part / whole, for part <= whole, without overflow; 0 of 0 is all. */
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

/* As in the object. A bin at 0 stays in it, but 0 would mean "none". */
static uint64_t
address_of(const struct timer *timer, uint64_t addr)
{
	const struct gmon_image *image =
	    gprof_image_at(timer->funcs->images, addr);

	addr -= image ? image->base : 0;
	return addr ? addr : 1;
}

/* Shares cost among the pieces by their bytes, and forgets them. */
static void
spend(struct timer *timer, uint64_t cost)
{
	uint64_t whole = 0, done = 0, spent = 0, share;

	for (size_t i = 0; i < timer->pieces; i++)
		whole += timer->piece[i].high - timer->piece[i].low;
	for (size_t i = 0; i < timer->pieces; i++) {
		const struct piece *piece = &timer->piece[i];
		const struct cg_pos pos = { .file = piece->file,
			.line = piece->line,
			.addr = address_of(timer, piece->low) };

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

/* Cuts a function's share of a bin by lines. */
static void
add_pieces(struct timer *timer, const struct gmon_func *func, uint64_t low,
    uint64_t high)
{
	struct piece piece = {
		.low = low, .fn = func->fn, .overhead = func->overhead
	};

	while (piece.low < high && timer->pieces < PIECES) {
		const struct gmon_line *line =
		    gprof_line_at(timer->funcs, piece.low);

		piece.line = line->line;
		piece.file = line->line ? line->file : func->file;
		piece.high =
		    line->line && line->high < high ? line->high : high;
		timer->piece[timer->pieces++] = piece;
		piece.low = piece.high;
	}
}

/* What functions have of a bin; bytes between functions count for none. */
static void
cut_bin(struct timer *timer, uint64_t low, uint64_t high)
{
	uint64_t step = (high - low) / PIECES + 1, addr = low, end;
	const struct gmon_func *func;

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
	if (timer->pieces > 0 || timer->funcs->status != CG_OK)
		return;
	func = gprof_any_func(timer->funcs, low);
	if (func)
		timer->piece[timer->pieces++] =
		    (struct piece){ .low = low, .high = high, .fn = func->fn };
}

/* Cost of so many ticks from the beginning: what is added is the difference. */
static uint64_t
cost_of(const struct gmon_hist *hist, uint64_t ticks)
{
	if (!gprof_is_time(hist))
		return ticks;
	return gprof_convert(ticks, GMON_NS, hist->rate);
}

/* Each bin's time to the functions and lines that were sampled. */
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
		cut_bin(timer, gprof_bin_start(hist, word, i),
		    gprof_bin_start(hist, word, i + 1));
		spend(timer, cost_of(hist, ticks) - before);
	}
}

/* ---- As GNU gprof does -------------------------------------------------- */

/*
 * gprof counts addresses in units of 2 bytes, spreads all bins evenly and
 * gives a function count / scale for each unit that it has of a bin.
 */
struct credit {
	struct timer *timer;
	double scale;   /* units per bin */
	size_t symbol;  /* that gets credit now */
	double ticks;   /* its credit so far */
	uint64_t spent; /* its cost so far */
};

static uint64_t
unit_of(const struct gmon_symbols *symbols, size_t i)
{
	return i < symbols->count ? symbols->at[i].addr / 2 : UINT64_MAX;
}

/* Credits the current symbol with ticks that were counted in [low, high). */
static void
give(struct credit *credit, double ticks, uint64_t low, uint64_t high)
{
	struct timer *timer = credit->timer;
	const struct gmon_symbol *symbol =
	    &timer->funcs->gnu.at[credit->symbol];
	uint64_t end =
	    symbol->end > symbol->addr ? symbol->end : symbol->addr + 1;
	const struct gmon_func *func =
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
	spend(timer, cost - credit->spent);
	credit->spent = cost;
}

static void
add_gnu_bin(struct credit *credit, uint64_t i, uint64_t count)
{
	struct timer *timer = credit->timer;
	const struct gmon_symbols *symbols = &timer->funcs->gnu;
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
			give(credit,
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

/* Do the samples fit into 64 bits of ns, with room for gprof's surplus? */
static bool
fits(const struct gmon *gmon, const struct gmon_hist *hist)
{
	uint64_t limit = gmon->hists ? UINT64_MAX / 4 / gmon->hists : 0;

	return cost_of(hist, hist->ticks) <= limit;
}

int
gprof_add_times(struct gmon_funcs *funcs, const struct gmon *gmon)
{
	struct timer timer = { .funcs = funcs,
		.gmon = gmon,
		.keep_overhead = cg_opt_flag(funcs->job, "keep-mcount") };

	for (size_t i = 0; i < gmon->hists; i++) {
		timer.hist = &gmon->hist[i];
		if (!fits(gmon, timer.hist))
			return cg_fail_at(funcs->job, timer.hist->counts,
			    "more samples than 64 bits of ns hold");
		if (funcs->compat)
			add_gnu(&timer);
		else
			add_exact(&timer);
	}
	if (timer.overhead > 0)
		cg_note(funcs->job,
		    "%" PRIu64 " ns in the profiler's own mcount left out "
		    "(--keep-mcount keeps them)",
		    timer.overhead);
	return funcs->status;
}
