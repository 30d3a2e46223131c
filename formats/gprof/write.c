/*
 * write.c - writes a gmon.out of GNU's version 1 that GNU gprof reads.
 *
 * A counter has 16 bits and an arc's count 32: what is more goes into further
 * histograms of the same range and further arcs, which readers add up. Costs
 * become ticks by rounding their running sum, so that they add up.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gprof.h"

#define FILL_MAX 65534 /* of split ones: 65535 might have wrapped */
#define HISTS_MAX 4096 /* of one range */
#define ARCS_MAX 4096  /* of one caller and callee */
#define CHUNK 4096
#define COUNTERS_MAX ((uint64_t)1 << 28) /* of all histograms: 512 MB */

/* Cost in a bin. */
struct sample {
	uint32_t hist, bin;
	uint64_t cost; /* then: ticks */
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	struct gmon gmon;
	struct gmon_hist hist[GMON_RANGES_MAX];
	struct gmon_places places;
	size_t event, block_event;
	struct sample *sample;
	size_t samples, sample_cap;
	struct gmon_call *call;
	size_t calls, call_cap;
	struct gmon_block *block;
	size_t blocks, block_cap;
	uint64_t lost_cost, lost_calls;
	size_t lost_fns;
	struct gmon_unit unit;
	uint64_t rate;     /* that is asked for, or 0 */
	uint64_t counters; /* in histograms so far */
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

static int
add_sample(struct writer *w, uint64_t addr, uint64_t cost)
{
	size_t hist = addr ? find_hist(w, addr) : SIZE_MAX;
	uint64_t bin = UINT64_MAX;

	if (hist != SIZE_MAX)
		bin = gprof_bin_of(&w->hist[hist], w->gmon.word, addr);
	if (hist == SIZE_MAX || bin >= w->hist[hist].bins) {
		w->lost_cost += cost;
		return CG_OK;
	}
	if (!cg_grow_raw(
		&w->sample, &w->sample_cap, w->samples + 1, sizeof(*w->sample)))
		return cg_nomem(w->job);
	w->sample[w->samples++] = (struct sample){
		.hist = (uint32_t)hist, .bin = (uint32_t)bin, .cost = cost
	};
	return CG_OK;
}

static int
add_block(struct writer *w, uint64_t addr, uint64_t count)
{
	if (!cg_grow_raw(
		&w->block, &w->block_cap, w->blocks + 1, sizeof(*w->block)))
		return cg_nomem(w->job);
	w->block[w->blocks++] =
	    (struct gmon_block){ .addr = addr, .count = count };
	return CG_OK;
}

static uint64_t
cost_in(const struct cg_cost *cost, size_t column)
{
	return column < cost->n ? cost->cost[column] : 0;
}

static int
add_cost(struct writer *w, cg_fn fn, const struct cg_cost *cost)
{
	uint64_t addr = gprof_cost_place(&w->places, fn, &cost->pos);
	uint64_t self = cost_in(cost, w->event);
	uint64_t blocks = cost_in(cost, w->block_event);
	int status = CG_OK;

	if (self > 0)
		status = add_sample(w, addr, self);
	if (status == CG_OK && addr && blocks > 0)
		status = add_block(w, addr, blocks);
	return status;
}

/*
 * The dynamic linker's calls from elsewhere have no caller, and from 0. Where
 * they have no entry, the caller is one that a target added.
 */
static int
add_call(struct writer *w, cg_fn fn, const struct cg_call *call)
{
	uint64_t low = w->hist[0].low, bucket = w->gmon.bucket;
	uint64_t site = gprof_site_place(&w->places, fn, &call->site);
	struct gmon_call new = { .count = call->count };

	if (fn == 0 && (!w->places.exact || call->entry.addr == 0))
		return CG_OK;
	new.self = gprof_entry_place(&w->places, call->callee, &call->entry);
	if (new.self == 0 || (fn != 0 && site == 0)) {
		w->lost_calls += call->count;
		return CG_OK;
	}
	if (call->site.addr != 0 && site > low)
		new.offset = (uint32_t)((site - low) % bucket);
	new.from = site - new.offset;
	if (!cg_grow_raw(
		&w->call, &w->call_cap, w->calls + 1, sizeof(*w->call)))
		return cg_nomem(w->job);
	new.index = (uint32_t)w->calls;
	w->call[w->calls++] = new;
	return CG_OK;
}

static int
collect(struct writer *w)
{
	struct cg_rows *rows = cg_rows_new(w->graph);
	int status = rows ? CG_OK : CG_ELIMIT;
	uint64_t lost_calls, lost_cost;
	struct cg_cost cost;
	struct cg_call call;
	cg_fn fn;

	for (size_t i = 0;
	     status == CG_OK && cg_next_fn(w->graph, CG_ALL_PARTS, &i, &fn);) {
		if (!cg_rows_open(rows, CG_ALL_PARTS, fn))
			break;
		lost_calls = w->lost_calls;
		lost_cost = w->lost_cost;
		while (status == CG_OK && cg_next_cost(rows, &cost))
			status = add_cost(w, fn, &cost);
		while (status == CG_OK && cg_next_call(rows, &call))
			status = add_call(w, fn, &call);
		w->lost_fns +=
		    lost_calls != w->lost_calls || lost_cost != w->lost_cost;
	}
	cg_rows_free(rows);
	return status;
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

/* One sample a bin, by address. */
static int
merge_samples(struct writer *w)
{
	struct sample *last = NULL;
	size_t kept = 0;

	if (w->samples > 0)
		qsort(
		    w->sample, w->samples, sizeof(*w->sample), compare_samples);
	for (size_t i = 0; i < w->samples; i++) {
		uint64_t cost = w->sample[i].cost;

		if (!last || compare_samples(&w->sample[i], last) != 0) {
			last = &w->sample[kept++];
			*last = w->sample[i];
		} else if (last->cost > UINT64_MAX - cost) {
			return cg_fail(
			    w->job, "costs add up to more than 64 bits hold");
		} else {
			last->cost += cost;
		}
	}
	w->samples = kept;
	return CG_OK;
}

static uint64_t
dearest_bin(const struct writer *w)
{
	uint64_t most = 0;

	for (size_t i = 0; i < w->samples; i++) {
		if (w->sample[i].cost > most)
			most = w->sample[i].cost;
	}
	return most;
}

static void
choose_unit(struct writer *w)
{
	w->unit = (struct gmon_unit){ 1, 1 };
	if (!w->places.exact && w->event < cg_event_count(w->graph))
		w->unit = gprof_choose_unit(cg_get_event(w->graph, w->event),
		    w->rate, dearest_bin(w), &w->hist[0]);
}

/* Costs of one histogram become ticks. */
static int
make_ticks(struct writer *w, size_t first, size_t last)
{
	const struct gmon_hist *hist = &w->hist[w->sample[first].hist];
	struct gmon_unit unit = w->unit;
	uint64_t cost = 0, ticks, before = 0;

	if (w->places.exact && gprof_is_time(hist))
		unit = (struct gmon_unit){ hist->rate, GMON_NS };
	for (size_t i = first; i < last; i++) {
		if (w->sample[i].cost > UINT64_MAX - cost)
			return cg_fail(
			    w->job, "costs add up to more than 64 bits hold");
		cost += w->sample[i].cost;
		ticks = gprof_convert(cost, unit.to, unit.from);
		if (ticks == UINT64_MAX)
			return cg_fail(w->job,
			    "more samples than 64 bits hold: lower --rate");
		w->sample[i].cost = ticks - before;
		before = ticks;
	}
	return CG_OK;
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

/* The counters: of each sample what is left, and no more than most. */
static void
put_bins(struct writer *w, const struct gmon_hist *hist, size_t first,
    size_t last, uint64_t most)
{
	for (uint64_t bin = 0; bin < hist->bins; bin += CHUNK) {
		uint64_t n = hist->bins - bin;
		char *to;

		n = n < CHUNK ? n : CHUNK;
		to = cg_out_reserve(w->out, 2 * CHUNK);
		memset(to, 0, 2 * n);
		for (; first < last && w->sample[first].bin < bin + n;
		     first++) {
			uint64_t *left = &w->sample[first].cost;
			uint64_t count = *left < most ? *left : most;

			*left -= count;
			store(to + 2 * (w->sample[first].bin - bin), count, 2,
			    w->gmon.big);
		}
		cg_out_advance(w->out, to + 2 * n);
	}
}

/* The histogram of samples first to last; more of them if counters are full. */
static int
put_hist(struct writer *w, size_t hist, size_t first, size_t last)
{
	uint64_t most = 0, records, bins = w->hist[hist].bins;

	for (size_t i = first; i < last; i++) {
		if (w->sample[i].cost > most)
			most = w->sample[i].cost;
	}
	records = most <= GMON_COUNTER_MAX ? 1 : most / FILL_MAX + 1;
	if (records > HISTS_MAX || records * bins > COUNTERS_MAX - w->counters)
		return cg_fail(w->job,
		    "%" PRIu64 " samples in one of %" PRIu64
		    " bins do not fit into a gmon.out%s",
		    most, bins, w->places.exact ? "" : ": lower --rate");
	w->counters += records * bins;
	for (uint64_t i = 0; i < records; i++) {
		put_hist_header(w, &w->hist[hist]);
		put_bins(w, &w->hist[hist], first, last,
		    records == 1 ? GMON_COUNTER_MAX : FILL_MAX);
	}
	return CG_OK;
}

static int
put_hists(struct writer *w)
{
	size_t first = 0, last;
	int status = merge_samples(w);

	if (status == CG_OK)
		choose_unit(w);
	for (size_t i = 0; status == CG_OK && i < w->gmon.hists; i++) {
		for (last = first;
		     last < w->samples && w->sample[last].hist == i;)
			last++;
		if (last > first)
			status = make_ticks(w, first, last);
		if (status == CG_OK)
			status = put_hist(w, i, first, last);
		first = last;
	}
	return status;
}

static void
put_arc(struct writer *w, const struct gmon_call *call, uint64_t count)
{
	cg_putc(w->out, 1);
	put_number(w, call->from, w->gmon.word);
	put_number(w, call->self, w->gmon.word);
	put_number(w, count, 4);
}

/* Functions of one address (f, f'2) make arcs that are one; in order. */
static int
merge_calls(struct writer *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->calls; i++) {
		const struct gmon_call *call = &w->call[i];
		struct gmon_call *last = kept ? &w->call[kept - 1] : NULL;

		if (!last || call->from != last->from ||
		    call->self != last->self || call->offset != last->offset)
			w->call[kept++] = *call;
		else if (__builtin_add_overflow(
			     last->count, call->count, &last->count))
			return cg_fail(
			    w->job, "calls add up to more than 64 bits hold");
	}
	w->calls = kept;
	return CG_OK;
}

static int
put_arcs(struct writer *w)
{
	if (w->calls > 0)
		qsort(w->call, w->calls, sizeof(*w->call), gprof_compare_calls);
	if (merge_calls(w) != CG_OK)
		return CG_EINPUT;
	if (w->places.exact)
		gprof_order_apply(
		    gprof_recall_order(w->graph), w->call, w->calls);
	for (size_t i = 0; i < w->calls; i++) {
		uint64_t count = w->call[i].count;

		if (count / UINT32_MAX >= ARCS_MAX)
			return cg_fail(w->job,
			    "%" PRIu64 " calls from one place do not fit "
			    "into a gmon.out",
			    count);
		for (; count > UINT32_MAX; count -= UINT32_MAX)
			put_arc(w, &w->call[i], UINT32_MAX);
		put_arc(w, &w->call[i], count);
	}
	return CG_OK;
}

/* glibc's own width of their number is not the one that GNU gprof reads. */
static void
put_blocks(struct writer *w)
{
	if (w->blocks == 0)
		return;
	cg_putc(w->out, 2);
	put_number(w, w->blocks, 4);
	for (size_t i = 0; i < w->blocks; i++) {
		put_number(w, w->block[i].addr, w->gmon.word);
		put_number(w, w->block[i].count, w->gmon.word);
	}
}

/* ---- The whole ---------------------------------------------------------- */

/* The event that is asked for, else a gmon.out's own, else the first. */
static int
choose_event(struct writer *w)
{
	bool recalled = gprof_recall(w->graph, &w->gmon);
	size_t count = cg_event_count(w->graph);

	w->block_event = cg_find_event(w->graph, GMON_BLOCK_EVENT);
	if (cg_opt(w->job, "event") || (count > 0 && !recalled))
		return cg_choose_event(w->job, w->graph, NULL, &w->event);
	w->event = cg_find_event(w->graph, "ns");
	if (w->event == count)
		w->event = 0;
	return CG_OK;
}

static int
report_loss(struct writer *w)
{
	const char *event = w->event < cg_event_count(w->graph)
				? cg_get_event(w->graph, w->event)->name
				: "cost";

	if (w->calls > 0 && cg_calls_sampled(w->graph))
		cg_warn(w->job,
		    "gmon.out cannot say that its counts of calls are numbers "
		    "of samples");
	if (w->lost_fns == 0)
		return CG_OK;
	if (w->samples == 0 && w->calls == 0)
		return cg_fail(w->job,
		    "gmon.out needs addresses: give the program with --exe");
	cg_warn(w->job,
	    "left out, with no place in the program: %zu functions, "
	    "%" PRIu64 " %s, %" PRIu64 " calls",
	    w->lost_fns, w->lost_cost, event, w->lost_calls);
	return CG_OK;
}

static int
write_all(struct writer *w)
{
	int status = gprof_rate(w->job, &w->rate);

	if (status == CG_OK)
		status = choose_event(w);
	if (status == CG_OK)
		status = gprof_places_open(
		    &w->places, w->job, w->graph, w->event, &w->gmon);
	if (status == CG_OK && !w->places.exact)
		w->block_event = SIZE_MAX;
	if (status == CG_OK)
		status = collect(w);
	if (status == CG_OK)
		status = report_loss(w);
	if (status != CG_OK)
		return status;
	put_header(w);
	status = put_hists(w);
	if (status == CG_OK)
		status = put_arcs(w);
	if (status != CG_OK)
		return status;
	put_blocks(w);
	return cg_out_status(w->out);
}

int
gprof_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job, .graph = graph, .out = out };
	int status;

	w.gmon.hist = w.hist;
	status = write_all(&w);
	gprof_places_close(&w.places);
	free(w.sample);
	free(w.call);
	free(w.block);
	return status;
}
