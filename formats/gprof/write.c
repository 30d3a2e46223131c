/*
 * write.c - writes a gmon.out of GNU's version 1, which GNU gprof reads.
 *
 * A counter has 16 bits and an arc's count 32. Larger numbers are split into
 * several histograms of one range and several arcs, which readers sum. Costs
 * are converted to ticks by rounding their running sum, so that the total is
 * exact.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

#define FILL_MAX 65534 /* for split counters: 65535 may have wrapped */
#define HISTS_MAX 4096 /* histograms of one range */
#define ARCS_MAX 4096  /* arcs of one caller and callee */
#define CHUNK 4096
#define COUNTERS_MAX ((uint64_t)1 << 28) /* in all histograms: 512 MB */

/* A cost in a bin. */
struct sample {
	uint32_t hist, bin;
	uint64_t cost; /* later: ticks */
};

/* Converts a cost to ticks: cost * to / from. */
struct unit {
	uint64_t to, from;
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	struct gmon gmon;
	struct gmon_hist hist[GMON_RANGES_MAX];
	struct gprof_layout layout;
	size_t event, block_event;
	CG_ARRAY(struct sample) sample;
	CG_ARRAY(struct gprof_call) call;
	CG_ARRAY(struct gmon_block) block;
	uint64_t lost_cost, lost_calls;
	size_t lost_fns;
	struct unit unit;
	uint64_t rate;     /* --rate, or 0 */
	uint64_t counters; /* written so far */
};

/* ---- Collecting --------------------------------------------------------- */

static size_t
find_hist(const struct writer *w, uint64_t addr)
{
	for (size_t i = 0; i < w->gmon.hists; i++) {
		if (addr >= w->hist[i].low && addr < w->hist[i].high)
			return i;
	}
	return SIZE_MAX;
}

static bool
add_sample(struct writer *w, uint64_t addr, uint64_t cost)
{
	size_t hist = addr ? find_hist(w, addr) : SIZE_MAX;
	uint64_t bin = UINT64_MAX;

	if (hist != SIZE_MAX)
		bin = gprof_bin_of(&w->hist[hist], w->gmon.word, addr);
	if (hist == SIZE_MAX || bin >= w->hist[hist].bins) {
		w->lost_cost += cost;
		return true;
	}
	return cg_append(w->job, &w->sample,
	    (struct sample){
		.hist = (uint32_t)hist, .bin = (uint32_t)bin, .cost = cost });
}

static uint64_t
cost_in(const struct cg_cost *cost, size_t column)
{
	return column < cost->n ? cost->cost[column] : 0;
}

static bool
add_cost(struct writer *w, cg_fn fn, const struct cg_cost *cost)
{
	uint64_t addr = gprof_cost_address(&w->layout, fn, &cost->pos);
	uint64_t self = cost_in(cost, w->event);
	uint64_t blocks = cost_in(cost, w->block_event);

	return (self == 0 || add_sample(w, addr, self)) &&
	       (!addr || blocks == 0 ||
		   cg_append(w->job, &w->block,
		       (struct gmon_block){ .addr = addr, .count = blocks }));
}

/*
 * Appends a call to w->call as an arc, or counts it as lost if an address is
 * unknown. Skips calls of the unknown caller (fn 0), except those that
 * LD_PROFILE recorded (with entry address). False: out of memory (reported).
 */
static bool
add_call(struct writer *w, cg_fn fn, const struct cg_call *call)
{
	uint64_t low = w->hist[0].low, bucket = w->gmon.bucket;
	uint64_t site = gprof_site_address(&w->layout, fn, &call->site);
	struct gprof_call new = { .count = call->count };

	if (fn == 0 && (!w->layout.exact || call->entry.addr == 0))
		return true;
	new.self = gprof_entry_address(&w->layout, call->callee, &call->entry);
	if (new.self == 0 || (fn != 0 && site == 0)) {
		w->lost_calls += call->count;
		return true;
	}
	if (call->site.addr != 0 && site > low)
		new.offset = (uint32_t)((site - low) % bucket);
	new.from = site - new.offset;
	new.index = (uint32_t)w->call.n;
	return cg_append(w->job, &w->call, new);
}

static bool
collect(struct writer *w)
{
	struct cg_rows *rows = cg_rows_new(w->graph);
	bool ok = rows != NULL;
	uint64_t lost_calls, lost_cost;
	struct cg_cost cost;
	struct cg_call call;
	cg_fn fn;

	for (size_t i = 0; ok && cg_next_fn(w->graph, CG_ALL_PARTS, &i, &fn);) {
		if (!cg_rows_open(rows, CG_ALL_PARTS, fn))
			break;
		lost_calls = w->lost_calls;
		lost_cost = w->lost_cost;
		while (ok && cg_next_cost(rows, &cost))
			ok = add_cost(w, fn, &cost);
		while (ok && cg_next_call(rows, &call))
			ok = add_call(w, fn, &call);
		w->lost_fns +=
		    lost_calls != w->lost_calls || lost_cost != w->lost_cost;
	}
	cg_rows_free(rows);
	return ok;
}

/* ---- Which unit to write ------------------------------------------------ */

/*
 * Sets *digits to the number of decimals of a second that the unit of time
 * has: 3 for "ms", 0 for "s". False: not a unit of time.
 */
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
 * Returns the conversion of times, in units of 10^-digits s, to ticks. Sets
 * the histogram's unit, and its rate (ticks per second) to "rate". If "rate"
 * is 0, starts with 10^digits. Divides it by ten until "most", a bin's largest
 * cost, fits a counter. Stops at 1. If "most" is 0, too, takes the usual rate.
 */
static struct unit
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
	return (struct unit){ rate, power_of_ten(digits) };
}

/*
 * Returns the conversion of an event's counts to ticks, and sets the
 * histogram's unit and rate. The unit is "Ir" or, if counters would not fit
 * and rate (--rate) is 0, a multiple such as "kIr". most is a bin's largest
 * cost.
 */
static struct unit
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
	return (struct unit){ rate ? rate : 1, power_of_ten(cut) };
}

static uint64_t
highest_cost(const struct writer *w)
{
	uint64_t most = 0;

	for (size_t i = 0; i < w->sample.n; i++) {
		if (w->sample.at[i].cost > most)
			most = w->sample.at[i].cost;
	}
	return most;
}

/*
 * Sets w->unit, the conversion of costs to ticks, and unit and rate of the
 * first histogram. A graph that comes from a gmon.out keeps its units and
 * rates; the conversion is then 1 to 1.
 */
static void
choose_unit(struct writer *w)
{
	const struct cg_event *event;
	unsigned digits;

	w->unit = (struct unit){ 1, 1 };
	if (w->layout.exact || w->event >= cg_event_count(w->graph))
		return;
	event = cg_get_event(w->graph, w->event);
	if (digits_of(event->unit, &digits))
		w->unit =
		    choose_time(digits, w->rate, highest_cost(w), &w->hist[0]);
	else
		w->unit = choose_count(
		    event->name, w->rate, highest_cost(w), &w->hist[0]);
}

/* ---- Ticks -------------------------------------------------------------- */

static int
compare_samples(const void *va, const void *vb)
{
	const struct sample *a = va, *b = vb;

	if (a->hist != b->hist)
		return a->hist < b->hist ? -1 : 1;
	return a->bin == b->bin ? 0 : a->bin < b->bin ? -1 : 1;
}

/*
 * Sorts w->sample by histogram and bin, and adds samples of one bin together.
 * False: overflow (reported).
 */
static bool
merge_samples(struct writer *w)
{
	struct sample *last = NULL;
	size_t kept = 0;

	if (w->sample.n > 0)
		qsort(w->sample.at, w->sample.n, sizeof(struct sample),
		    compare_samples);
	for (size_t i = 0; i < w->sample.n; i++) {
		uint64_t cost = w->sample.at[i].cost;

		if (!last || compare_samples(&w->sample.at[i], last) != 0) {
			last = &w->sample.at[kept++];
			*last = w->sample.at[i];
		} else if (last->cost > UINT64_MAX - cost) {
			return cg_reject(
			    w->job, "the sum of costs exceeds 64 bits");
		} else {
			last->cost += cost;
		}
	}
	w->sample.n = kept;
	return true;
}

/*
 * Replaces the costs of samples [first, last), which are of one histogram, by
 * ticks. The running sum is converted, so that rounding errors do not
 * accumulate. False: overflow (reported).
 */
static bool
make_ticks(struct writer *w, size_t first, size_t last)
{
	const struct gmon_hist *hist = &w->hist[w->sample.at[first].hist];
	struct unit unit = w->unit;
	uint64_t cost = 0, ticks, before = 0;

	if (w->layout.exact && gprof_is_time(hist))
		unit = (struct unit){ hist->rate, GMON_NS };
	for (size_t i = first; i < last; i++) {
		if (w->sample.at[i].cost > UINT64_MAX - cost)
			return cg_reject(
			    w->job, "the sum of costs exceeds 64 bits");
		cost += w->sample.at[i].cost;
		ticks = gprof_convert(cost, unit.to, unit.from);
		if (ticks == UINT64_MAX)
			return cg_reject(w->job,
			    "the number of samples exceeds 64 bits; use a "
			    "lower {rate}");
		w->sample.at[i].cost = ticks - before;
		before = ticks;
	}
	return true;
}

/* ---- Records ------------------------------------------------------------ */

static void
store(char *to, uint64_t value, unsigned width, bool big)
{
	for (unsigned i = 0; i < width; i++) {
		to[big ? width - 1 - i : i] = (char)(value & 0xff);
		value >>= 8;
	}
}

static void
put_number(struct writer *w, uint64_t value, unsigned width)
{
	char *to = cg_out_reserve(w->out, width);

	store(to, value, width, w->gmon.big);
	cg_out_advance(w->out, to + width);
}

static void
put_header(struct writer *w)
{
	cg_puts(w->out, "gmon");
	put_number(w, 1, 4);
	for (unsigned i = 0; i < 3; i++)
		put_number(w, 0, 4);
}

static void
put_hist_header(struct writer *w, const struct gmon_hist *hist)
{
	cg_putc(w->out, 0);
	put_number(w, hist->low, w->gmon.word);
	put_number(w, hist->high, w->gmon.word);
	put_number(w, hist->bins, 4);
	put_number(w, hist->rate, 4);
	cg_put(w->out, (struct cg_slice){ hist->dimension, GMON_DIMENSION });
	cg_putc(w->out, hist->abbrev);
}

/*
 * Writes a histogram's counters, at most "most" each, from samples [first,
 * last). Subtracts written ticks from the samples, so that another histogram
 * for the range can have the rest.
 */
static void
put_bins(struct writer *w, const struct gmon_hist *hist, size_t first,
    size_t last, uint64_t most)
{
	for (uint64_t bin = 0; bin < hist->bins; bin += CHUNK) {
		uint64_t n = hist->bins - bin;
		char *to;

		n = n < CHUNK ? n : CHUNK;
		to = cg_out_reserve(w->out, 2 * CHUNK);
		memset(to, 0, 2 * (size_t)n);
		for (; first < last && w->sample.at[first].bin < bin + n;
		     first++) {
			uint64_t *left = &w->sample.at[first].cost;
			uint64_t count = *left < most ? *left : most;

			*left -= count;
			store(to + 2 * (w->sample.at[first].bin - bin), count,
			    2, w->gmon.big);
		}
		cg_out_advance(w->out, to + 2 * n);
	}
}

/*
 * Writes a histogram from samples [first, last). If a counter is too large for
 * the format, writes several histograms of the same range. Readers add the
 * counters of such histograms. False: too many histograms would be needed
 * (reported).
 */
static bool
put_hist(struct writer *w, size_t hist, size_t first, size_t last)
{
	uint64_t most = 0, records, bins = w->hist[hist].bins;

	for (size_t i = first; i < last; i++) {
		if (w->sample.at[i].cost > most)
			most = w->sample.at[i].cost;
	}
	records = most <= GMON_COUNTER_MAX ? 1 : most / FILL_MAX + 1;
	if (records > HISTS_MAX || records * bins > COUNTERS_MAX - w->counters)
		return cg_reject(w->job,
		    w->layout.exact ? "%" PRIu64 " samples in one of %" PRIu64
				      " bins do not fit into a gmon.out"
				    : "%" PRIu64 " samples in one of %" PRIu64
				      " bins do not fit into a gmon.out; use a "
				      "lower {rate}",
		    most, bins);
	w->counters += records * bins;
	for (uint64_t i = 0; i < records; i++) {
		put_hist_header(w, &w->hist[hist]);
		put_bins(w, &w->hist[hist], first, last,
		    records == 1 ? GMON_COUNTER_MAX : FILL_MAX);
	}
	return true;
}

static bool
put_hists(struct writer *w)
{
	size_t first = 0, last;

	if (!merge_samples(w))
		return false;
	choose_unit(w);
	for (size_t i = 0; i < w->gmon.hists; i++) {
		for (last = first;
		     last < w->sample.n && w->sample.at[last].hist == i;)
			last++;
		if ((last > first && !make_ticks(w, first, last)) ||
		    !put_hist(w, i, first, last))
			return false;
		first = last;
	}
	return true;
}

static void
put_arc(struct writer *w, const struct gprof_call *call, uint64_t count)
{
	cg_putc(w->out, 1);
	put_number(w, call->from, w->gmon.word);
	put_number(w, call->self, w->gmon.word);
	put_number(w, count, 4);
}

/*
 * Merges equal arcs in w->call, which is sorted, by adding their counts. Arcs
 * of different functions can be equal, as functions can share an address (f
 * and f'2). False: overflow (reported).
 */
static bool
merge_calls(struct writer *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->call.n; i++) {
		const struct gprof_call *call = &w->call.at[i];
		struct gprof_call *last = kept ? &w->call.at[kept - 1] : NULL;

		if (!last || call->from != last->from ||
		    call->self != last->self || call->offset != last->offset)
			w->call.at[kept++] = *call;
		else if (__builtin_add_overflow(
			     last->count, call->count, &last->count))
			return cg_reject(
			    w->job, "the sum of calls exceeds 64 bits");
	}
	w->call.n = kept;
	return true;
}

static bool
put_arcs(struct writer *w)
{
	if (w->call.n > 0)
		qsort(w->call.at, w->call.n, sizeof(struct gprof_call),
		    gprof_compare_calls);
	if (!merge_calls(w))
		return false;
	if (w->layout.exact)
		gprof_order_apply(
		    gprof_recall_order(w->graph), w->call.at, w->call.n);
	for (size_t i = 0; i < w->call.n; i++) {
		uint64_t count = w->call.at[i].count;

		if (count / UINT32_MAX >= ARCS_MAX)
			return cg_reject(w->job,
			    "%" PRIu64 " calls from one call site do not fit "
			    "into a gmon.out",
			    count);
		for (; count > UINT32_MAX; count -= UINT32_MAX)
			put_arc(w, &w->call.at[i], UINT32_MAX);
		put_arc(w, &w->call.at[i], count);
	}
	return true;
}

/*
 * Writes the record of basic blocks, if there are any. Their number has 4
 * bytes, as GNU gprof reads it (glibc writes a word).
 */
static void
put_blocks(struct writer *w)
{
	if (w->block.n == 0)
		return;
	cg_putc(w->out, 2);
	put_number(w, w->block.n, 4);
	for (size_t i = 0; i < w->block.n; i++) {
		put_number(w, w->block.at[i].addr, w->gmon.word);
		put_number(w, w->block.at[i].count, w->gmon.word);
	}
}

/* ---- The whole ---------------------------------------------------------- */

/*
 * Sets w->event to that of --event, else the main one. For a graph from a
 * gmon.out, the default is the time (ns) or the first. Sets w->block_event
 * (the number of events if there is none) and w->gmon. Returns CG_OK or an
 * error's status (reported).
 */
static int
choose_event(struct writer *w)
{
	bool recalled = gprof_recall(w->graph, &w->gmon);
	size_t count = cg_event_count(w->graph);

	w->block_event = cg_find_event(w->graph, GPROF_BLOCK_EVENT);
	if (cg_opt(w->job, "event") || (count > 0 && !recalled))
		return cg_choose_event(w->job, w->graph, NULL, &w->event);
	w->event = cg_find_event(w->graph, "ns");
	if (w->event == count)
		w->event = 0;
	return CG_OK;
}

/*
 * Warns if counts of calls are numbers of samples. Warns of data that the
 * writer dropped because it has no address. False: the writer dropped all
 * data, so it cannot write anything (reported).
 */
static bool
report_loss(struct writer *w)
{
	const char *event = w->event < cg_event_count(w->graph)
				? cg_get_event(w->graph, w->event)->name
				: "cost";

	if (w->call.n > 0 && cg_calls_sampled(w->graph))
		cg_warn(w->job,
		    "format gprof cannot represent that counts of calls are "
		    "numbers of samples");
	if (w->lost_fns == 0)
		return true;
	if (w->sample.n == 0 && w->call.n == 0)
		return cg_reject(w->job,
		    "gmon.out needs addresses; name the executable with {exe}");
	cg_warn(w->job,
	    "dropped what has no address in the program: %" PRIu64
	    " %s, calls: %" PRIu64 ", functions: %zu",
	    w->lost_cost, event, w->lost_calls, w->lost_fns);
	return true;
}

static bool
put_all(struct writer *w)
{
	if (!gprof_layout_open(
		&w->layout, w->job, w->graph, w->event, &w->gmon))
		return false;
	if (!w->layout.exact)
		w->block_event = SIZE_MAX;
	if (!collect(w) || !report_loss(w))
		return false;
	put_header(w);
	if (!put_hists(w) || !put_arcs(w))
		return false;
	put_blocks(w);
	return true;
}

int
gprof_write(struct cg_job *job, const struct cg_graph *graph,
    struct cg_out *out, uint64_t rate)
{
	struct writer w = {
		.job = job, .graph = graph, .out = out, .rate = rate
	};
	int status;

	w.gmon.hist = w.hist;
	status = choose_event(&w);
	if (status == CG_OK)
		status = put_all(&w) ? cg_out_status(out) : CG_EINPUT;
	return status;
}
