/*
 * trace_write.c - writes traces: calls with begin and duration (X), thread by
 * thread.
 *
 * Calls of a trace are written as they were. Samples whose costs are times
 * become calls, too: a sample lasts as long as its cost, and frames that the
 * next sample shares continue. Other samples are written as samples with their
 * stackFrames; chrome://tracing and speedscope show them, Perfetto does not.
 *
 * Events B and E would need twice the size, and speedscope 1.25 treats an end
 * and a begin with the same name and time as a call without duration
 * (trace-event.ts, selectQueueToTakeFromNext).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_expert.h"
#include "trace_event.h"

#define UNKNOWN "[unknown]"
#define MICRO_DIGITS 3 /* times are microseconds */
/*
 * Begins and ends of calls are multiples of 1 / GRID microseconds, which
 * JavaScript's numbers and their sums represent exactly up to 2^42 (50 days).
 * Viewers compare the end of a call, the sum of its begin and duration, with
 * the begin of the next call. Rounding to nanoseconds restores the original
 * times.
 */
#define GRID 2048
#define GRID_DIGITS 11    /* of 1 / 2048 */
#define GRID_ONE 48828125 /* 10^GRID_DIGITS / GRID */

/* The text for a function: "[libx.so]" if it has no name. */
struct label {
	struct cg_slice text;
	bool bracketed;
	cg_fn fn;
};

/*
 * A call, or the end of a call whose begin has been written. Events are
 * written in order of time. Of events that begin at one time, the outermost
 * comes first, as viewers require. A call waits for its end, then becomes one
 * event, X. Only if too many calls wait, unfinished calls become two events, B
 * and E.
 */
struct call {
	uint32_t stack;
	bool open, is_end;
	bool early; /* its end is written a little earlier */
	int64_t begin, end;
};
#define CALLS_MAX 16384

struct place {
	uint32_t stack;
	int64_t begin;
	uint64_t number; /* of its call; written if < written */
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	size_t event; /* its costs are written */
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *stack; /* key: the rank of its label */
	uint32_t *number; /* by stack: in stackFrames; 0: not written */
	uint32_t numbered;
	struct label *label; /* by rank */
	uint32_t *rank;      /* by function */
	char *text;          /* scratch, for a label */
	size_t longest;      /* longest text of a label */
	CG_ARRAY(uint32_t) path;
	size_t nameless;   /* tracks without pid and tid so far */
	uint64_t pid, tid; /* of the track */
	const char *separator;
	uint32_t open;              /* stack of the open calls */
	CG_ARRAY(struct call) call; /* not written yet, from head on */
	size_t head;
	uint64_t written;             /* number of calls before head */
	CG_ARRAY(struct place) place; /* open calls */
	CG_ARRAY(uint64_t) ended; /* numbers of calls that ended at last_end */
	int64_t last_end;
};

/* ---- Labels ------------------------------------------------------------- */

static struct label
get_label(const struct cg_graph *graph, cg_fn fn)
{
	struct cg_slice name = cg_fn_name(graph, fn);
	struct cg_slice object = cg_object_path(graph, cg_fn_object(graph, fn));
	struct label label = { .text = name, .fn = fn };

	if (name.len > 0 && !cg_equal(name, UNKNOWN))
		return label;
	label.text = cg_slice(UNKNOWN);
	label.bracketed = object.len > 0 && *object.ptr != '[';
	if (label.bracketed)
		label.text = cg_base_name(object);
	return label;
}

static int
compare_labels(const void *pa, const void *pb)
{
	const struct label *a = pa, *b = pb;
	int order = cg_compare(a->text, b->text);

	return order ? order : a->bracketed - b->bracketed;
}

/*
 * Sorts the functions' labels (the texts written for them) into w->label, and
 * fills w->rank. Functions with equal labels get the same rank, and are
 * merged. Allocates w->text for the longest label in brackets. False: out of
 * memory (reported).
 */
static bool
rank_labels(struct writer *w)
{
	size_t count = cg_fn_count(w->graph) + 1, rank = 0;

	w->label = cg_alloc(w->job, count * sizeof(*w->label));
	w->rank = cg_alloc(w->job, count * sizeof(*w->rank));
	if (!w->label || !w->rank)
		return false;
	for (cg_fn fn = 0; fn < count; fn++) {
		w->label[fn] = get_label(w->graph, fn);
		if (w->label[fn].text.len > w->longest)
			w->longest = w->label[fn].text.len;
	}
	w->text = cg_alloc(w->job, w->longest + 2); /* with brackets */
	if (!w->text)
		return false;
	qsort(w->label, count, sizeof(*w->label), compare_labels);
	for (size_t i = 0; i < count; i++) {
		if (compare_labels(&w->label[rank], &w->label[i]) != 0)
			rank = i;
		w->rank[w->label[i].fn] = (uint32_t)rank;
	}
	return true;
}

static void
put_label(struct writer *w, uint32_t rank)
{
	const struct label *label = &w->label[rank];
	struct cg_slice text = { w->text, label->text.len + 2 };

	if (!label->bracketed) {
		cg_put_json(w->out, label->text);
		return;
	}
	w->text[0] = '[';
	memcpy(w->text + 1, label->text.ptr, label->text.len);
	w->text[text.len - 1] = ']';
	cg_put_json(w->out, text);
}

/* ---- Stacks: lines are not written -------------------------------------- */

static uint32_t
get_rank(void *arg, cg_node node, const struct cg_stack *at)
{
	const struct writer *w = arg;

	(void)node;
	return w->rank[at->fn];
}

static bool
merge_stacks(struct writer *w)
{
	size_t count;

	w->merged = cg_merged_stacks_new(w->graph, get_rank, w);
	if (!w->merged)
		return false;
	w->stack = cg_merged_frames(w->merged, &count);
	w->number = cg_alloc(w->job, count * sizeof(*w->number));
	return w->number != NULL;
}

/* ---- Events ------------------------------------------------------------- */

/*
 * Writes the begin of an event of the current track (thread): its phase,
 * w->pid and w->tid. The caller must write further members and the closing
 * brace.
 */
static void
begin_event(struct writer *w, const char *phase)
{
	cg_puts(w->out, w->separator);
	w->separator = ",\n";
	cg_puts(w->out, "{\"ph\":\"");
	cg_puts(w->out, phase);
	cg_puts(w->out, "\",\"pid\":");
	cg_putu(w->out, w->pid);
	cg_puts(w->out, ",\"tid\":");
	cg_putu(w->out, w->tid);
}

/* whole + part / GRID microseconds */
struct grid_time {
	int64_t whole;
	uint32_t part;
};

static struct grid_time
get_grid_time(int64_t ns)
{
	int64_t whole = ns / 1000 - (ns % 1000 < 0);
	uint64_t part = ((uint64_t)(ns - whole * 1000) * GRID + 500) / 1000;

	return (struct grid_time){ whole + (int64_t)(part / GRID),
		(uint32_t)(part % GRID) };
}

/*
 * Returns the time a - b. If "early" is true, subtracts one unit of the time
 * grid (1 / GRID microseconds) more.
 */
static struct grid_time
subtract(struct grid_time a, struct grid_time b, bool early)
{
	uint32_t part = b.part + early;

	return (struct grid_time){ a.whole - b.whole - (a.part < part),
		(a.part - part) % GRID };
}

static void
put_time(struct writer *w, const char *key, struct grid_time time)
{
	bool negative = time.whole < 0 && time.part > 0;
	uint64_t digits = (uint64_t)time.part * GRID_ONE;
	unsigned places = GRID_DIGITS;

	if (negative)
		digits = (uint64_t)(GRID - time.part) * GRID_ONE;
	cg_puts(w->out, key);
	if (negative && time.whole == -1)
		cg_putc(w->out, '-');
	cg_put_fixed(w->out, time.whole + negative, 0);
	if (digits == 0)
		return;
	for (; digits % 10 == 0; places--)
		digits /= 10;
	cg_putf(w->out, ".%0*" PRIu64, (int)places, digits);
}

static void
put_call(struct writer *w, const struct call *call)
{
	struct grid_time begin = get_grid_time(call->begin);
	struct grid_time end = get_grid_time(call->end);
	struct grid_time dur = { 0 };

	begin_event(w, call->is_end ? "E" : call->open ? "B" : "X");
	if (call->is_end)
		begin =
		    subtract(end, dur, call->early && call->begin < call->end);
	put_time(w, ",\"ts\":", begin);
	/* speedscope drops an end without a begin before it. */
	if (call->begin == call->end)
		dur.part = 1;
	else
		dur = subtract(end, begin, call->early);
	if (!call->is_end && !call->open)
		put_time(w, ",\"dur\":", dur);
	cg_puts(w->out, ",\"name\":");
	put_label(w, w->stack[call->stack].key);
	cg_putc(w->out, '}');
}

/*
 * True if call "a" is written before call "b". Both must begin at the same
 * time. Calls that have not ended come first. Of other calls, the longer one
 * comes first, as it is the caller.
 */
static bool
is_before(const struct call *a, const struct call *b)
{
	return a->open != b->open ? a->open : a->end > b->end;
}

/*
 * Sorts n calls into the order of is_before(), in which they are written. All
 * of them must begin at the same time. Uses insertion, as most are sorted
 * already.
 */
static void
sort_calls(struct call *call, size_t n)
{
	for (size_t i = 1, to; i < n; i++) {
		struct call one = call[i];

		for (to = i; to > 0 && is_before(&one, &call[to - 1]); to--)
			call[to] = call[to - 1];
		call[to] = one;
	}
}

/*
 * Returns how many waiting calls can be written next. Calls with the same
 * begin, before now, go together. All must have ended, unless more than max
 * calls wait. An end event goes alone. 0: none yet.
 */
static size_t
count_first(const struct writer *w, size_t max, int64_t now)
{
	size_t waiting = w->call.n - w->head, n = 0;
	const struct call *call;

	if (waiting == 0)
		return 0;
	call = &w->call.at[w->head];
	if (call->is_end)
		return 1;
	while (n < waiting && !call[n].is_end && call[n].begin == call->begin) {
		if (call[n].begin >= now || (call[n].open && waiting <= max))
			return 0;
		n++;
	}
	return n;
}

/*
 * Writes the waiting calls that began before now, in order of their begins,
 * and the end events among them. Stops at a call that has not ended, unless
 * more than max calls wait. Removes what it has written from w->call.
 */
static void
put_first_calls(struct writer *w, size_t max, int64_t now)
{
	size_t n;

	while ((n = count_first(w, max, now)) > 0) {
		sort_calls(w->call.at + w->head, n);
		w->written += n;
		for (; n > 0; n--)
			put_call(w, &w->call.at[w->head++]);
	}
	if (w->head == 0 || w->head <= w->call.n / 2)
		return;
	w->call.n -= w->head;
	memmove(
	    w->call.at, w->call.at + w->head, w->call.n * sizeof(*w->call.at));
	w->head = 0;
}

/*
 * Appends a call or an end event to those that wait to be written, and returns
 * its number. All that are appended are numbered from 0 on. UINT64_MAX: out of
 * memory.
 */
static uint64_t
add_call(struct writer *w, const struct call *call)
{
	if (!cg_append(w->job, &w->call, *call))
		return UINT64_MAX;
	return w->written + (w->call.n - 1 - w->head);
}

static struct call *
get_call(struct writer *w, uint64_t number)
{
	return &w->call.at[w->head + (size_t)(number - w->written)];
}

/*
 * Ends the innermost open call at "time". Sets its end or, if its begin is
 * written already, appends an end event to the waiting calls. Adds the call to
 * w->ended, for part_names(). False: out of memory.
 */
static bool
end_call(struct writer *w, int64_t time)
{
	const struct place *place = &w->place.at[--w->place.n];
	struct call end = { .stack = place->stack,
		.is_end = true,
		.begin = place->begin,
		.end = time };
	uint64_t number = place->number;

	if (number < w->written) {
		number = add_call(w, &end);
		if (number == UINT64_MAX)
			return false;
	} else {
		get_call(w, number)->open = false;
		get_call(w, number)->end = time;
	}
	if (time != w->last_end)
		w->ended.n = 0;
	w->last_end = time;
	return cg_append(w->job, &w->ended, number);
}

/*
 * If a call that ended at "time" has the name of "stack", all calls that ended
 * then are written as ending a little earlier. Else speedscope would process
 * the begin of "stack" first, and end the wrong call.
 */
static void
part_names(struct writer *w, uint32_t stack, int64_t time)
{
	uint32_t name = w->stack[stack].key;
	bool same = false;

	for (size_t i = 0; time == w->last_end && i < w->ended.n; i++)
		same |=
		    w->stack[get_call(w, w->ended.at[i])->stack].key == name;
	for (size_t i = 0; same && i < w->ended.n; i++)
		get_call(w, w->ended.at[i])->early = true;
	w->ended.n = 0;
}

/*
 * Begins a call of the leaf of "stack" at "time". Before that, writes waiting
 * calls that began earlier and have ended. Appends the call to the calls that
 * wait to be written, and to the open calls. False: out of memory.
 */
static bool
begin_call(struct writer *w, uint32_t stack, int64_t time)
{
	struct call call = { .stack = stack, .open = true, .begin = time };
	uint64_t number;

	part_names(w, stack, time);
	put_first_calls(w, CALLS_MAX, time);
	number = add_call(w, &call);
	return number != UINT64_MAX &&
	       cg_append(
		   w->job, &w->place, (struct place){ stack, time, number });
}

/*
 * Replaces the stack of open calls by the one with index "to", at "time": ends
 * calls that are not in it, and begins those that are new. False: out of
 * memory.
 */
static bool
change_stack(struct writer *w, uint32_t to, int64_t time)
{
	uint32_t from = w->open;
	bool ok = true;

	w->open = to;
	while (ok && from != to) {
		if (w->stack[from].depth >= w->stack[to].depth) {
			ok = end_call(w, time);
			from = w->stack[from].parent;
		} else {
			ok = cg_append(w->job, &w->path, to);
			to = w->stack[to].parent;
		}
	}
	while (ok && w->path.n > 0)
		ok = begin_call(w, w->path.at[--w->path.n], time);
	return ok;
}

static bool
end_track(struct writer *w, int64_t time)
{
	bool ok = change_stack(w, 0, time);

	put_first_calls(w, 0, INT64_MAX);
	w->ended.n = 0;
	return ok;
}

/*
 * Writes the calls of track number "track" (timeline of a thread), which has
 * begins and ends of calls. Calls that are open at its end end there. False:
 * an error (reported).
 */
static bool
put_spans(struct writer *w, size_t track)
{
	struct cg_moments *moments = cg_moments_new(w->graph, track);
	struct cg_moment moment;
	bool ok = moments;

	while (ok && cg_next_moment(moments, &moment))
		ok = change_stack(
		    w, cg_merged_of(w->merged, moment.node), moment.time);
	cg_moments_free(moments);
	return ok && end_track(w, cg_get_track(w->graph, track)->end);
}

/*
 * Writes the samples of track number "track" (timeline of a thread) as calls.
 * The samples must have durations. If a sample begins where the previous one
 * ends, calls that are in both stacks go on. At a gap between samples, all
 * calls end. False: out of memory (reported).
 */
static bool
put_durations(struct writer *w, size_t track)
{
	struct cg_moments *moments = cg_spans_new(w->graph, track, w->event);
	struct cg_time_span span;
	int64_t end = INT64_MIN;
	bool ok = moments;

	while (ok && cg_next_span(moments, &span)) {
		if (span.begin > end)
			ok = change_stack(w, 0, end);
		ok = ok && change_stack(w, cg_merged_of(w->merged, span.node),
			       span.begin);
		end = span.end;
	}
	cg_moments_free(moments);
	return ok && end_track(w, end);
}

static uint64_t
cost_of(const struct writer *w, const struct cg_moment *moment)
{
	return w->event < moment->n ? moment->cost[w->event] : 0;
}

static void
put_sample(struct writer *w, const struct cg_moment *moment, uint64_t cost)
{
	begin_event(w, "P");
	cg_puts(w->out, ",\"ts\":");
	cg_put_fixed(w->out, moment->time, MICRO_DIGITS);
	cg_puts(w->out, ",\"name\":");
	cg_put_json(w->out, cg_slice(cg_get_event(w->graph, w->event)->name));
	cg_puts(w->out, ",\"sf\":");
	cg_putu(w->out, w->number[cg_merged_of(w->merged, moment->node)]);
	cg_puts(w->out, ",\"weight\":");
	cg_putu(w->out, cost);
	cg_putc(w->out, '}');
}

static bool
put_track_samples(struct writer *w, size_t track)
{
	struct cg_moments *moments = cg_moments_new(w->graph, track);
	struct cg_moment moment;
	bool ok = moments;

	while (ok && cg_next_moment(moments, &moment)) {
		uint64_t cost = cost_of(w, &moment);

		if (cost != 0)
			put_sample(w, &moment, cost);
	}
	cg_moments_free(moments);
	return ok;
}

/* ---- Tracks ------------------------------------------------------------- */

static void
put_metadata(struct writer *w, const char *what, const char *name)
{
	if (*name == '\0')
		return;
	begin_event(w, "M");
	cg_putf(w->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	cg_put_json(w->out, cg_slice(name));
	cg_puts(w->out, "}}");
}

/*
 * Sets w->pid and w->tid to those of a track (thread). Writes the names of
 * process and thread if "named". A track without pid and tid gets its own tid:
 * viewers would merge such threads.
 */
static void
begin_track(struct writer *w, const struct cg_track *track, bool named)
{
	const struct cg_part_info *part = cg_get_part(w->graph, track->part);
	bool main;

	w->pid = track->pid ? track->pid : part->pid;
	w->tid = track->tid ? track->tid : part->tid;
	main = w->pid == w->tid && w->pid != 0;
	if (w->pid == 0 && w->tid == 0)
		w->tid = w->nameless++;
	if (!named)
		return;
	put_metadata(w, "process_name",
	    *track->process ? track->process
	    : main          ? track->name
			    : "");
	put_metadata(w, "thread_name", *track->name ? track->name : part->cmd);
}

static bool
is_time(const struct writer *w, const struct cg_track *track)
{
	return strcmp(track->unit, "ns") == 0 &&
	       strcmp(cg_get_event(w->graph, w->event)->unit, "ns") == 0;
}

/*
 * Writes the names and the calls of all tracks (threads). Samples with a
 * duration become calls. If the samples of a track have no duration, only its
 * names are written here, and put_samples() writes the samples. False: an
 * error (reported).
 */
static bool
put_calls(struct writer *w)
{
	bool ok = true;

	for (size_t i = 0; ok && i < cg_track_count(w->graph); i++) {
		const struct cg_track *track = cg_get_track(w->graph, i);

		begin_track(w, track, true);
		if (track->spans)
			ok = put_spans(w, i);
		else if (is_time(w, track))
			ok = put_durations(w, i);
	}
	return ok;
}

static bool
put_samples(struct writer *w)
{
	bool ok = true;

	w->nameless = 0;
	for (size_t i = 0; ok && i < cg_track_count(w->graph); i++) {
		const struct cg_track *track = cg_get_track(w->graph, i);

		begin_track(w, track, false);
		if (!track->spans && !is_time(w, track))
			ok = put_track_samples(w, i);
	}
	return ok;
}

/*
 * Writes the frame of a stack as a member of "stackFrames", after the frames
 * of its callers. Each frame that is written gets the next number,
 * w->number[stack], by which samples and other frames refer to it. Skips
 * frames that have a number already. False: out of memory (reported).
 */
static bool
put_frame(struct writer *w, uint32_t stack)
{
	for (; stack != 0 && w->number[stack] == 0;
	     stack = w->stack[stack].parent)
		if (!cg_append(w->job, &w->path, stack))
			return false;
	while (w->path.n > 0) {
		stack = w->path.at[--w->path.n];
		w->number[stack] = ++w->numbered;
		cg_putf(w->out, "%s\"%" PRIu32 "\":{\"name\":",
		    w->numbered > 1 ? ",\n" : "", w->numbered);
		put_label(w, w->stack[stack].key);
		if (w->stack[stack].parent != 0)
			cg_putf(w->out, ",\"parent\":%" PRIu32,
			    w->number[w->stack[stack].parent]);
		cg_putc(w->out, '}');
	}
	return true;
}

/*
 * Writes the stacks of samples that have a cost, but no duration, as members
 * of "stackFrames". Frames are in the order in which samples first use them.
 * Tracks (threads) whose samples have durations are skipped. False: an error
 * (reported).
 */
static bool
put_frames(struct writer *w)
{
	struct cg_moments *moments;
	struct cg_moment moment;
	bool ok = true;

	for (size_t i = 0; ok && i < cg_track_count(w->graph); i++) {
		const struct cg_track *track = cg_get_track(w->graph, i);

		if (track->spans || is_time(w, track))
			continue;
		moments = cg_moments_new(w->graph, i);
		if (!moments)
			return false;
		while (ok && cg_next_moment(moments, &moment))
			ok = cost_of(w, &moment) == 0 ||
			     put_frame(w, cg_merged_of(w->merged, moment.node));
		cg_moments_free(moments);
	}
	return ok;
}

static bool
has_samples(const struct writer *w)
{
	for (size_t i = 0; i < cg_track_count(w->graph); i++) {
		const struct cg_track *track = cg_get_track(w->graph, i);

		if (!track->spans && !is_time(w, track))
			return true;
	}
	return false;
}

int
chrome_write_trace(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = {
		.job = job, .graph = graph, .out = out, .separator = ""
	};
	int status = cg_choose_event(job, graph, CG_TIME_EVENT, &w.event);
	bool ok;

	if (status != CG_OK)
		return status;
	cg_puts(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	ok = rank_labels(&w) && merge_stacks(&w) && put_calls(&w);
	if (ok && has_samples(&w)) {
		cg_puts(out, "\n],\n\"stackFrames\":{\n");
		ok = put_frames(&w);
		cg_puts(out, "\n},\n\"samples\":[\n");
		w.separator = "";
		ok = ok && put_samples(&w);
	}
	cg_puts(out, "\n]}\n");
	cg_merged_stacks_free(w.merged);
	return cg_out_status(out);
}
