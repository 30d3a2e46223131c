/*
 * trace_write.c - writes traces: the begin and end of calls, thread by thread.
 *
 * Calls of a trace are written as they were. Samples whose costs are times
 * become calls, too: a sample lasts as long as it cost, and frames that the
 * next one has as well go on. Other samples are written as samples with their
 * stackFrames; chrome://tracing and speedscope show them, Perfetto does not.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_expert.h"
#include "trace_event.h"

#define UNKNOWN "[unknown]"
#define MICRO_DIGITS 3 /* times are microseconds */

/* What is written of a function: "[libx.so]" for one without a name. */
struct label {
	struct cg_slice text;
	bool bracketed;
	cg_fn fn;
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	size_t event; /* whose costs are written */
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *stack; /* key: the rank of its label */
	uint32_t *number; /* by stack: among stackFrames; 0: not written */
	uint32_t numbered;
	struct label *label; /* by rank */
	uint32_t *rank;      /* by function */
	char *text;          /* scratch, for a label */
	size_t longest;      /* of the labels' texts */
	uint32_t *path;
	size_t path_cap;
	size_t nameless;   /* tracks without numbers so far */
	uint64_t pid, tid; /* of the track */
	struct pass {
		const char *separator;
		uint32_t stack; /* that goes on */
		int64_t end;    /* of it, if it is a sample's */
	} pass;                 /* what a moment leaves to the next one */
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

/* Room for any label with brackets. */
static char *
new_text(const struct writer *w)
{
	return malloc(w->longest + 2);
}

/* Functions with equal labels have one rank. */
static bool
rank_labels(struct writer *w)
{
	size_t count = cg_fn_count(w->graph) + 1, rank = 0;

	w->label = calloc(count, sizeof(*w->label));
	w->rank = calloc(count, sizeof(*w->rank));
	if (!w->label || !w->rank)
		return cg_reject_nomem(w->job);
	for (cg_fn fn = 0; fn < count; fn++) {
		w->label[fn] = get_label(w->graph, fn);
		if (w->label[fn].text.len > w->longest)
			w->longest = w->label[fn].text.len;
	}
	w->text = new_text(w);
	if (!w->text)
		return cg_reject_nomem(w->job);
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
	w->number = calloc(count, sizeof(*w->number));
	return w->number || cg_reject_nomem(w->job);
}

/* ---- Events ------------------------------------------------------------- */

/* What each event of the track begins with; the caller ends the object. */
static void
begin_event(struct writer *w, const char *phase)
{
	cg_puts(w->out, w->pass.separator);
	w->pass.separator = ",\n";
	cg_puts(w->out, "{\"ph\":\"");
	cg_puts(w->out, phase);
	cg_puts(w->out, "\",\"pid\":");
	cg_putu(w->out, w->pid);
	cg_puts(w->out, ",\"tid\":");
	cg_putu(w->out, w->tid);
}

static void
put_call(struct writer *w, const char *phase, uint32_t stack, int64_t time)
{
	begin_event(w, phase);
	cg_puts(w->out, ",\"ts\":");
	cg_put_fixed(w->out, time, MICRO_DIGITS);
	cg_puts(w->out, ",\"name\":");
	put_label(w, w->stack[stack].key);
	cg_putc(w->out, '}');
}

/*
 * Ends and begins calls until the stack is another one. dry: only notes that.
 * False: out of memory.
 */
static bool
change_stack(struct writer *w, uint32_t to, int64_t time, bool dry)
{
	uint32_t from = w->pass.stack;
	size_t n = 0;

	w->pass.stack = to;
	if (dry && from != to)
		w->pass.separator = ",\n";
	if (dry || from == to)
		return true;
	if (!cg_grow_raw(&w->path, &w->path_cap, w->stack[to].depth + 1,
		sizeof(*w->path)))
		return false;
	while (from != to) {
		if (w->stack[from].depth >= w->stack[to].depth) {
			put_call(w, "E", from, time);
			from = w->stack[from].parent;
		} else {
			w->path[n++] = to;
			to = w->stack[to].parent;
		}
	}
	while (n > 0)
		put_call(w, "B", w->path[--n], time);
	return true;
}

static bool
walk_calls(void *writer, struct cg_moments *moments, size_t n, bool dry)
{
	struct writer *w = writer;
	struct cg_moment moment;
	bool ok = true;

	while (ok && n-- > 0 && cg_next_moment(moments, &moment))
		ok = change_stack(
		    w, cg_merged_of(w->merged, moment.node), moment.time, dry);
	return ok;
}

/* Samples, of which each lasts for some time. */
static bool
walk_durations(void *writer, struct cg_moments *moments, size_t n, bool dry)
{
	struct writer *w = writer;
	struct cg_time_span span;
	bool ok = true;

	while (ok && n-- > 0 && cg_next_span(moments, &span)) {
		if (span.begin > w->pass.end)
			ok = change_stack(w, 0, w->pass.end, dry);
		ok = ok && change_stack(w, cg_merged_of(w->merged, span.node),
			       span.begin, dry);
		w->pass.end = span.end;
	}
	return ok;
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
walk_samples(void *writer, struct cg_moments *moments, size_t n, bool dry)
{
	struct writer *w = writer;
	struct cg_moment moment;

	while (n-- > 0 && cg_next_moment(moments, &moment)) {
		uint64_t cost = cost_of(w, &moment);

		if (cost != 0 && dry)
			w->pass.separator = ",\n";
		else if (cost != 0)
			put_sample(w, &moment, cost);
	}
	return true;
}

/* ---- In threads ---------------------------------------------------------- */

static bool
begin_copy(void *writer, const struct cg_draft *draft)
{
	struct writer *w = writer;

	w->graph = draft->graph;
	w->out = draft->out;
	w->path = NULL;
	w->path_cap = 0;
	w->text = new_text(w);
	return w->text != NULL;
}

static void
close_copy(void *writer)
{
	struct writer *w = writer;

	free(w->path);
	free(w->text);
}

static bool
put_moments(struct writer *w, struct cg_moments *moments,
    bool (*walk_range)(void *, struct cg_moments *, size_t, bool))
{
	const struct cg_walk_how how = { .job = w->job,
		.graph = w->graph,
		.out = w->out,
		.range = 2048,
		.writer = w,
		.size = sizeof(*w),
		.state = offsetof(struct writer, pass),
		.state_size = sizeof(w->pass),
		.walk = walk_range,
		.begin = begin_copy,
		.close = close_copy };
	struct cg_walk *walk;
	bool ok;

	w->pass.stack = 0;
	w->pass.end = INT64_MIN;
	walk = moments ? cg_walk_new(&how, moments) : NULL;
	ok = walk && cg_write_walk(walk);
	cg_walk_free(walk);
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

/* Threads without numbers get some: otherwise they would be one thread. */
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

/* Names all tracks and writes their calls. */
static bool
put_calls(struct writer *w)
{
	bool ok = true;

	for (size_t i = 0; ok && i < cg_track_count(w->graph); i++) {
		const struct cg_track *track = cg_get_track(w->graph, i);

		begin_track(w, track, true);
		if (track->spans)
			ok = put_moments(
				 w, cg_moments_new(w->graph, i), walk_calls) &&
			     change_stack(w, 0, track->end, false);
		else if (is_time(w, track))
			ok = put_moments(w, cg_spans_new(w->graph, i, w->event),
				 walk_durations) &&
			     change_stack(w, 0, w->pass.end, false);
	}
	return ok || cg_reject_nomem(w->job);
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
			ok = put_moments(
			    w, cg_moments_new(w->graph, i), walk_samples);
	}
	return ok || cg_reject_nomem(w->job);
}

/* Numbers a stack and those below it, and writes them. */
static bool
put_frame(struct writer *w, uint32_t stack)
{
	size_t n = 0;

	if (!cg_grow_raw(&w->path, &w->path_cap, w->stack[stack].depth + 1,
		sizeof(*w->path)))
		return cg_reject_nomem(w->job);
	for (; stack != 0 && w->number[stack] == 0;
	     stack = w->stack[stack].parent)
		w->path[n++] = stack;
	while (n > 0) {
		stack = w->path[--n];
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

/* The stacks of samples, in the order in which these are written. */
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
			return cg_reject_nomem(w->job);
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
		.job = job, .graph = graph, .out = out, .pass.separator = ""
	};
	int status = cg_choose_event(job, graph, "ns", &w.event);
	bool ok;

	if (status != CG_OK)
		return status;
	cg_puts(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	ok = rank_labels(&w) && merge_stacks(&w) && put_calls(&w);
	if (ok && has_samples(&w)) {
		cg_puts(out, "\n],\n\"stackFrames\":{\n");
		ok = put_frames(&w);
		cg_puts(out, "\n},\n\"samples\":[\n");
		w.pass.separator = "";
		ok = ok && put_samples(&w);
	}
	cg_puts(out, "\n]}\n");
	cg_merged_stacks_free(w.merged);
	free(w.number);
	free(w.path);
	free(w.label);
	free(w.rank);
	free(w.text);
	return ok ? cg_out_status(out) : cg_rejected(job);
}
