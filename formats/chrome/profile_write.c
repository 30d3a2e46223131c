/*
 * profile_write.c - writes CPU profiles as V8 does: a tree of functions, the
 * samples in their order, and when each was taken.
 *
 * A profile is of one thread, and time is its axis. If there are several
 * threads, or the times of some costs are unknown, sums are written: one
 * sample for each stack, which lasts as long as the cost of the stack. Costs
 * that are not time are written as microseconds. Samples of other profilers
 * may have gaps, in which the thread is (idle), V8's name for it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_expert.h"
#include "chrome.h"

#define MICRO 1000          /* nanoseconds in a unit of the file */
#define IDLE_KEY UINT32_MAX /* key of (idle); others are ranks */
#define MICRO_DIGITS 3
#define ROOT_ID 1
#define IDLE_ID 2

/* What the file states of a merged frame. */
struct node {
	uint32_t id;   /* in the file; 0: it and its callees are unused */
	uint32_t tick; /* its first line + 1 */
	uint64_t hits;
};

struct tick {
	uint32_t line, next;
	uint64_t count;
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	size_t event, counter; /* event of costs; of sample counts */
	uint64_t scale;        /* nanoseconds in a unit of cost */
	bool in_order;         /* track 0 has all costs */
	bool idles;            /* (idle) has samples */
	uint32_t *rank;        /* by function; equal if written alike */
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *frame;
	struct node *node; /* by frame; the last one is (idle) */
	uint32_t *order;   /* frames except (idle), in file order */
	uint32_t frames, ordered, idle;
	CG_ARRAY(struct tick) tick;
	/* Called for each sample of a pass over the samples. */
	void (*visit)(struct writer *, uint32_t node, int64_t time);
	int64_t begin, finish; /* of the file */
	bool counted;          /* numbers of samples are known */
	bool in_gap;           /* between samples */
	struct pass {
		int64_t first, last; /* of samples so far, also idle */
		int64_t end;         /* of the last sample */
		uint64_t samples;    /* number of these samples */
		const char *separator;
	} pass;           /* state between two samples */
	uint32_t *script; /* by file: its number; 0: not written yet */
	uint32_t scripts;
	CG_ARRAY(char) text; /* scratch */
};

/* ---- Nodes -------------------------------------------------------------- */

static bool
is_builtin(const struct writer *w, cg_fn fn)
{
	return cg_fn_file(w->graph, fn) == 0 &&
	       cg_equal(cg_object_path(w->graph, cg_fn_object(w->graph, fn)),
		   CHROME_BUILTIN);
}

static bool
is_idle(const struct writer *w, cg_fn fn)
{
	return is_builtin(w, fn) &&
	       cg_equal(cg_fn_name(w->graph, fn), "(idle)");
}

/* The properties of a function that are written. */
struct written {
	struct cg_slice name, path;
	uint32_t line, column;
	bool builtin;
	cg_fn fn;
};

static int
compare_written(const void *pa, const void *pb)
{
	const struct written *a = pa, *b = pb;
	int order = cg_compare(a->name, b->name);

	if (order == 0)
		order = cg_compare(a->path, b->path);
	if (order == 0)
		order = (a->line > b->line) - (a->line < b->line);
	if (order == 0)
		order = (a->column > b->column) - (a->column < b->column);
	return order ? order : a->builtin - b->builtin;
}

static int
compare_fns(const void *pa, const void *pb)
{
	const struct written *a = pa, *b = pb;
	int order = compare_written(pa, pb);

	return order ? order : (a->fn > b->fn) - (a->fn < b->fn);
}

/*
 * Fills w->rank, an element for each function. Functions whose name, path and
 * position are equal in the output get the same rank, and their nodes are
 * merged. False: out of memory (reported).
 */
static bool
unite_functions(struct writer *w)
{
	size_t count = cg_fn_count(w->graph) + 1, first = 0;
	CG_ARRAY(struct written) fns = { 0 };
	struct written *all;
	struct cg_range range;

	w->rank = cg_alloc(w->job, count * sizeof(*w->rank));
	if (!w->rank || !cg_resize(w->job, &fns, count))
		return false;
	all = fns.at;
	for (cg_fn fn = 0; fn < count; fn++) {
		cg_fn_range(w->graph, fn, &range);
		all[fn] = (struct written){ cg_fn_name(w->graph, fn),
			cg_file_path(w->graph, cg_fn_file(w->graph, fn)),
			range.first, range.first_column, is_builtin(w, fn),
			fn };
	}
	qsort(all, count, sizeof(*all), compare_fns);
	for (size_t i = 0; i < count; i++) {
		if (compare_written(&all[first], &all[i]) != 0)
			first = i;
		w->rank[all[i].fn] = (uint32_t)first;
	}
	cg_drop(w->job, &fns);
	return true;
}

/*
 * Returns the key by which nodes are merged: sibling nodes with equal keys
 * become one. The key of a frame is the rank of its function. V8 does not know
 * from which line a function is called, so lines do not count. The frame
 * (idle) at the root has a key of its own. A callback of
 * cg_merged_stacks_new().
 */
static uint32_t
get_key(void *arg, cg_node node, const struct cg_stack *at)
{
	const struct writer *w = arg;

	(void)node;
	return at->parent == 0 && is_idle(w, at->fn) ? IDLE_KEY
						     : w->rank[at->fn];
}

static bool
merge_nodes(struct writer *w)
{
	const uint32_t *child, *callee;
	size_t count, n;

	w->merged = cg_merged_stacks_new(w->graph, get_key, w);
	if (!w->merged)
		return false;
	w->frame = cg_merged_frames(w->merged, &count);
	w->frames = (uint32_t)count;
	/* The last child by key is (idle), unless it has callees. */
	w->idle = w->frames;
	n = cg_merged_children(w->merged, 0, &child);
	if (n > 0 && w->frame[child[n - 1]].key == IDLE_KEY &&
	    cg_merged_children(w->merged, child[n - 1], &callee) == 0)
		w->idle = child[n - 1];
	w->node = cg_alloc(w->job, (count + 1) * sizeof(*w->node));
	w->order = cg_alloc(w->job, count * sizeof(*w->order));
	w->script = cg_alloc(
	    w->job, (cg_file_count(w->graph) + 1) * sizeof(*w->script));
	return w->node && w->order && w->script;
}

static bool
is_written(const struct writer *w, uint32_t frame)
{
	return w->node[frame].id != 0 && frame != w->idle;
}

/*
 * Fills w->order with the nodes to write, parents before children, and numbers
 * them (id). Root and (idle) get fixed ids. Omits nodes without samples in or
 * below them. count_hits() must have marked the nodes with samples. False: out
 * of memory (reported).
 */
static bool
order_nodes(struct writer *w)
{
	uint32_t *next = cg_alloc(w->job, w->frames * sizeof(*next));
	size_t count = 1;

	if (!next)
		return false;
	w->node[0].id = ROOT_ID;
	for (uint32_t i = w->frames - 1; i > 0; i--)
		w->node[w->frame[i].parent].id |= w->node[i].id;
	while (count > 0) {
		uint32_t at = next[--count];
		const uint32_t *child;
		size_t n = cg_merged_children(w->merged, at, &child);

		w->order[w->ordered++] = at;
		w->node[at].id = IDLE_ID + w->ordered - 1;
		while (n-- > 0)
			if (is_written(w, child[n]))
				next[count++] = child[n];
	}
	w->node[0].id = ROOT_ID;
	w->node[w->idle].id = IDLE_ID;
	return true;
}

static bool
add_tick(struct writer *w, struct node *node, uint32_t line, uint64_t count)
{
	uint32_t *link = &node->tick;
	struct tick *tick;

	/* Before the loop: link points into the array. */
	if (!cg_reserve(w->job, &w->tick, w->tick.n + 1))
		return false;
	tick = w->tick.at;
	while (*link != 0 && tick[*link - 1].line < line)
		link = &tick[*link - 1].next;
	if (*link == 0 || tick[*link - 1].line != line) {
		tick[w->tick.n] = (struct tick){ .line = line, .next = *link };
		*link = (uint32_t)++w->tick.n;
	}
	tick[*link - 1].count += count;
	return true;
}

/*
 * Adds each stack's number of samples to the hits of its node, and marks the
 * node as used (id). The event that counts samples states the number, else the
 * stack. Adds a tick only if the leaf's line is known and in its function's
 * file. False: an error (reported).
 */
static bool
count_hits(struct writer *w)
{
	struct cg_stack_cost stack;

	for (size_t i = 0; cg_next_stack(w->graph, CG_ALL_PARTS, &i, &stack);) {
		struct node *node =
		    &w->node[cg_merged_of(w->merged, stack.leaf)];
		uint64_t hits = w->counter < stack.n ? stack.cost[w->counter]
				: w->counter < cg_event_count(w->graph)
				    ? 0
				    : stack.samples;
		struct cg_stack leaf;

		if (hits == 0)
			continue;
		node->hits += hits;
		node->id = ROOT_ID; /* it is used; order_nodes() numbers it */
		w->counted = true;
		if (stack.leaf == 0)
			continue;
		cg_get_node(w->graph, stack.leaf, &leaf);
		if (leaf.pos.line != 0 &&
		    leaf.pos.file == cg_fn_file(w->graph, leaf.fn) &&
		    !add_tick(w, node, leaf.pos.line, hits))
			return false;
	}
	return true;
}

/* ---- Samples ------------------------------------------------------------ */

static uint64_t
cost_of(const struct writer *w, const uint64_t *cost, size_t n)
{
	uint64_t scaled;

	if (w->event >= n ||
	    __builtin_mul_overflow(cost[w->event], w->scale, &scaled))
		return 0;
	return scaled;
}

/*
 * Passes a sample of cost ns to w->visit(), at "time" or, if later, the end of
 * the previous sample. A gap between them becomes a sample of (idle), as
 * samples last until the next one.
 */
static void
put_sample(struct writer *w, uint32_t node, int64_t time, uint64_t cost)
{
	if (w->pass.samples == 0)
		w->pass.first = w->pass.end = time;
	if (time > w->pass.end) {
		w->in_gap = true;
		w->visit(w, w->idle, w->pass.end);
		w->in_gap = false;
		w->pass.samples++;
		w->pass.end = time;
	}
	w->visit(w, node, w->pass.end);
	w->pass.samples++;
	w->pass.end = (int64_t)((uint64_t)w->pass.end + cost);
}

/*
 * Passes one sample for each stack with a cost to put_sample(), in the order
 * of stacks in the graph. Each sample begins where the one before ends. Used
 * if the graph does not have the times of all samples.
 */
static void
visit_sums(struct writer *w)
{
	struct cg_stack_cost stack;

	for (size_t i = 0; cg_next_stack(w->graph, CG_ALL_PARTS, &i, &stack);) {
		uint64_t cost = cost_of(w, stack.cost, stack.n);

		if (cost > 0)
			put_sample(w, cg_merged_of(w->merged, stack.leaf),
			    w->pass.end, cost);
	}
}

/* ---- In order ------------------------------------------------------------ */

static void
count_sample(struct writer *w, uint32_t node, int64_t time)
{
	w->pass.last = time;
	w->idles |= node == w->idle;
	w->node[node].id = ROOT_ID;
	if (!w->counted || w->in_gap)
		w->node[node].hits++;
}

/*
 * Passes the samples of the only track (timeline of a thread) to put_sample().
 * In a track of calls, the time between two begins or ends is a sample. Omits
 * samples without a cost, unless an event counts them.
 */
static void
visit_track(struct writer *w)
{
	const struct cg_track *track = cg_get_track(w->graph, 0);
	bool timed = strcmp(track->unit, "ns") == 0 && w->scale == 1;
	struct cg_moments *moments = cg_moments_new(w->graph, 0);
	struct cg_moment moment;
	struct cg_time_span span;

	while (moments && !track->spans && cg_next_moment(moments, &moment)) {
		uint64_t cost = cost_of(w, moment.cost, moment.n);

		if (cost > 0 || w->counter < moment.n)
			put_sample(w, cg_merged_of(w->merged, moment.node),
			    timed ? moment.time : w->pass.end, cost);
	}
	while (moments && track->spans && cg_next_span(moments, &span))
		put_sample(w, cg_merged_of(w->merged, span.node), span.begin,
		    (uint64_t)span.end - (uint64_t)span.begin);
	cg_moments_free(moments);
}

/*
 * Calls visit(w, node, time) for each sample, in the order of writing. If
 * w->in_order is set, this is the order of time, else the order of stacks in
 * the graph. Before that, resets w->pass, the state of this pass over the
 * samples.
 */
static void
visit_samples(
    struct writer *w, void (*visit)(struct writer *, uint32_t, int64_t))
{
	w->pass = (struct pass){ .first = w->begin,
		.last = w->begin,
		.end = w->begin,
		.separator = "" };
	w->visit = visit;
	if (w->in_order)
		visit_track(w);
	else
		visit_sums(w);
}

/* ---- The file ----------------------------------------------------------- */

static void
put_id(struct writer *w, uint32_t node, int64_t time)
{
	char *to = cg_out_reserve(w->out, CG_NUMBER_MAX + 1);

	(void)time;
	if (*w->pass.separator)
		*to++ = ',';
	w->pass.separator = ",";
	cg_out_advance(w->out, cg_format_u64(to, w->node[node].id));
}

static void
put_delta(struct writer *w, uint32_t node, int64_t time)
{
	(void)node;
	cg_puts(w->out, w->pass.separator);
	w->pass.separator = ",";
	cg_put_fixed(w->out, (int64_t)((uint64_t)time - (uint64_t)w->pass.last),
	    MICRO_DIGITS);
	w->pass.last = time;
}

/*
 * Writes one more time: the end of the last sample. "first" is the first
 * sample's time. Omits the end if readers assume it: for them the last sample
 * has the others' average length. Writes nothing without samples.
 */
static void
put_end(struct writer *w, int64_t first)
{
	uint64_t length = (uint64_t)w->pass.last - (uint64_t)first;

	if (w->pass.samples == 0 ||
	    (w->pass.samples > 1 &&
		(uint64_t)w->pass.end - (uint64_t)w->pass.last ==
		    length / (w->pass.samples - 1)))
		return;
	put_delta(w, 0, w->pass.end);
}

/*
 * Writes a path as a JSON string. Puts "file://" before an absolute path.
 * Writes other paths as they are. If memory runs out, writes nothing
 * (reported).
 */
static void
put_url(struct writer *w, struct cg_slice path)
{
	static const char scheme[] = "file://";
	size_t len = path.len > 0 && *path.ptr == '/' ? strlen(scheme) : 0;

	if (!cg_reserve(w->job, &w->text, path.len + len + 1))
		return;
	memcpy(w->text.at, scheme, len);
	if (path.len > 0)
		memcpy(w->text.at + len, path.ptr, path.len);
	cg_put_json(w->out, (struct cg_slice){ w->text.at, path.len + len });
}

/*
 * Returns the number of a function's script, which is its file. A script gets
 * the next number, from 1, when its number is first asked for. 0: the function
 * is built into V8, and is in no script.
 */
static uint32_t
number_script(struct writer *w, cg_fn fn)
{
	cg_file file = cg_fn_file(w->graph, fn);

	if (is_builtin(w, fn))
		return 0;
	if (w->script[file] == 0)
		w->script[file] = ++w->scripts;
	return w->script[file];
}

/*
 * Returns the name of a function to write. CHROME_ANONYMOUS becomes "", as
 * readers give that name to functions without one. So does this name with the
 * function's own ":line:column". The library appends these if a file has
 * several.
 */
static struct cg_slice
own_name(struct cg_slice name, const struct cg_range *range)
{
	struct cg_slice rest = name;
	uint32_t line, column;

	if (!cg_cut_number(&rest, ':', &column) ||
	    !cg_cut_number(&rest, ':', &line) || line != range->first ||
	    column != range->first_column)
		rest = name;
	return cg_equal(rest, CHROME_ANONYMOUS) ? cg_slice("") : name;
}

static void
put_frame(struct writer *w, uint32_t node)
{
	bool special = node == 0 || node == w->idle;
	cg_fn fn = special ? 0 : w->frame[node].fn;
	struct cg_slice path = cg_file_path(w->graph, cg_fn_file(w->graph, fn));
	struct cg_range range;

	cg_fn_range(w->graph, fn, &range);
	cg_puts(w->out, "\"functionName\":");
	cg_put_json(w->out, node == 0 ? cg_slice("(root)")
			    : special
				? cg_slice("(idle)")
				: own_name(cg_fn_name(w->graph, fn), &range));
	cg_putf(w->out, ",\"scriptId\":\"%" PRIu32 "\",\"url\":",
	    special ? 0 : number_script(w, fn));
	put_url(w, path);
	cg_putf(w->out, ",\"lineNumber\":%" PRId64 ",\"columnNumber\":%" PRId64,
	    (int64_t)range.first - 1, (int64_t)range.first_column - 1);
}

static void
put_child(struct writer *w, uint32_t node, const char **separator)
{
	cg_putf(w->out, "%s%" PRIu32, *separator, w->node[node].id);
	*separator = ",";
}

static void
put_children(struct writer *w, uint32_t node)
{
	const char *begin = ",\"children\":[", *separator = begin;
	const uint32_t *child;
	size_t n;

	if (node == w->idle)
		return;
	if (node == 0 && w->idles)
		put_child(w, w->idle, &separator);
	n = cg_merged_children(w->merged, node, &child);
	for (size_t i = 0; i < n; i++)
		if (is_written(w, child[i]))
			put_child(w, child[i], &separator);
	if (separator != begin)
		cg_putc(w->out, ']');
}

static void
put_ticks(struct writer *w, uint32_t node)
{
	const char *separator = ",\"positionTicks\":[";
	uint32_t at = w->node[node].tick;

	if (at == 0)
		return;
	for (; at != 0; at = w->tick.at[at - 1].next) {
		const struct tick *tick = &w->tick.at[at - 1];

		cg_putf(w->out,
		    "%s{\"line\":%" PRIu32 ",\"ticks\":%" PRIu64 "}", separator,
		    tick->line, tick->count);
		separator = ",";
	}
	cg_putc(w->out, ']');
}

static void
put_node(struct writer *w, uint32_t node)
{
	cg_putf(w->out, "%s{\"id\":%" PRIu32 ",\"callFrame\":{",
	    node > 0 ? ",\n" : "", w->node[node].id);
	put_frame(w, node);
	cg_putf(w->out, "},\"hitCount\":%" PRIu64, w->node[node].hits);
	put_children(w, node);
	put_ticks(w, node);
	cg_putc(w->out, '}');
}

static void
put_profile(struct writer *w)
{
	int64_t first;

	cg_puts(w->out, "{\"nodes\":[\n");
	put_node(w, 0);
	if (w->idles)
		put_node(w, w->idle);
	for (uint32_t i = 1; i < w->ordered; i++)
		put_node(w, w->order[i]);
	cg_puts(w->out, "\n],\n\"startTime\":");
	cg_put_fixed(w->out, w->begin, MICRO_DIGITS);
	cg_puts(w->out, ",\"endTime\":");
	cg_put_fixed(w->out, w->finish > w->pass.end ? w->finish : w->pass.end,
	    MICRO_DIGITS);
	cg_puts(w->out, ",\n\"samples\":[");
	visit_samples(w, put_id);
	cg_puts(w->out, "],\n\"timeDeltas\":[");
	first = w->pass.first;
	visit_samples(w, put_delta);
	put_end(w, first);
	cg_puts(w->out, "]}\n");
}

/* ---- What is written ---------------------------------------------------- */

/*
 * Sets w->in_order (samples are written in order of time), begin and end of
 * the profile, if a single track (timeline of a thread) has all costs. A track
 * of calls also needs costs and times in ns.
 */
static void
choose_order(struct writer *w)
{
	const struct cg_track *track;

	if (cg_track_count(w->graph) != 1 || !cg_all_timed(w->graph, w->event))
		return;
	track = cg_get_track(w->graph, 0);
	w->in_order =
	    !track->spans || (w->scale == 1 && strcmp(track->unit, "ns") == 0);
	if (w->in_order) {
		w->begin = track->begin;
		w->finish = track->end;
	}
}

static void
tell(struct writer *w)
{
	const struct cg_event *event = cg_get_event(w->graph, w->event);

	if (!w->in_order && cg_track_count(w->graph) > 0)
		cg_warn(w->job,
		    cg_track_count(w->graph) > 1
			? "a CPU profile has one thread: samples are not in "
			  "their order"
			: "not all costs have times: samples are not in their "
			  "order");
	if (w->scale != 1)
		cg_note(w->job, "costs of %s are written as microseconds",
		    event->name);
	if (w->idles)
		cg_note(w->job, "(idle) is the time between samples");
}

int
chrome_write_profile(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job, .graph = graph, .out = out };
	int status = cg_choose_event(job, graph, CG_TIME_EVENT, &w.event);

	if (status != CG_OK)
		return status;
	w.scale =
	    strcmp(cg_get_event(graph, w.event)->unit, "ns") == 0 ? 1 : MICRO;
	w.counter = cg_find_event(graph, "samples");
	choose_order(&w);
	if (unite_functions(&w) && merge_nodes(&w) && count_hits(&w)) {
		visit_samples(&w, count_sample);
		if (order_nodes(&w)) {
			put_profile(&w);
			tell(&w);
		}
	}
	cg_merged_stacks_free(w.merged);
	return cg_out_status(out);
}
