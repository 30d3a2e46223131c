/*
 * times.c - gives written samples the times of the timeline.
 *
 * The timeline has the stacks of threads, samples have stacks and labels. So a
 * sample gets the times of its stack in the thread that its labels name,
 * unless several samples of the event could have them. An event is written
 * with times if these samples have all of its costs.
 */
#include <string.h>

#include "write.h"

/* ---- Tracks ------------------------------------------------------------- */

/* The owner of a track or a set of labels. */
struct owner {
	uint64_t pid, tid;
	struct cg_slice name; /* of a thread without a number */
};

static uint64_t
hash_owner(const struct owner *owner)
{
	const uint64_t numbers[] = { owner->pid, owner->tid };
	uint64_t hash = proto_hash(
	    0, (struct cg_slice){ (const char *)numbers, sizeof(numbers) });

	return owner->tid == 0 ? proto_hash(hash, owner->name) : hash;
}

static uint64_t
owner_of_track(const struct cg_track *track)
{
	const struct owner owner = { track->pid, track->tid,
		cg_slice(track->name) };

	return hash_owner(&owner);
}

static uint64_t
owner_of_labels(const struct cg_graph *graph, cg_labels labels)
{
	struct owner owner = { .name = { "", 0 } };
	struct cg_label label;

	for (size_t i = 0;
	     labels != 0 && cg_get_label(graph, labels, i, &label); i++) {
		if (cg_equal(label.key, "pid") && label.value.len == 0)
			owner.pid = (uint64_t)label.number;
		else if (cg_equal(label.key, "tid") && label.value.len == 0)
			owner.tid = (uint64_t)label.number;
		else if (cg_equal(label.key, "thread"))
			owner.name = label.value;
	}
	return hash_owner(&owner);
}

static uint64_t
hash_row(uint64_t owner, uint32_t node, size_t event)
{
	return (owner ^ ((uint64_t)event << 32 | node)) * 0x9e3779b97f4a7c15;
}

/* ---- Rows --------------------------------------------------------------- */

#define AMBIGUOUS UINT32_MAX

/*
 * Returns the owner (a hash of pid, tid and name) of the only track in a
 * graph. All samples belong to it, even if their labels do not name the
 * thread.
 */
static uint64_t
sole_owner(const struct cg_graph *graph)
{
	return owner_of_track(cg_get_track(graph, 0));
}

/*
 * Enters row i, a sample to write, in the map t->rows. Enters it for each
 * event of which the row has a cost. The key consists of the owner (thread),
 * the row's stack and the event. If an earlier row has the same key, the entry
 * becomes AMBIGUOUS. A time with that key can then not be assigned to a row.
 * False: out of memory (reported).
 */
static bool
list_row(struct otlp_times *t, size_t i, uint64_t owner)
{
	const struct proto_out_row *row = t->w->rows.at;
	size_t events = cg_event_count(t->w->graph);

	for (size_t event = 0; event < events; event++) {
		uint32_t *id;

		if (t->w->cost[i * events + event] == 0)
			continue;
		id = cg_map_in(
		    t->w->job, &t->rows, hash_row(owner, row[i].node, event));
		if (!id)
			return false;
		*id = *id == 0 ? (uint32_t)i + 1 : AMBIGUOUS;
	}
	return true;
}

static bool
list_rows(struct otlp_times *t)
{
	const struct cg_graph *graph = t->w->graph;
	const struct proto_out_row *row = t->w->rows.at;
	size_t count = cg_labels_count(graph) + 1;
	CG_ARRAY(uint64_t) owner = { 0 };
	bool ok = true;

	if (!cg_resize(t->w->job, &owner, count))
		return false;
	for (cg_labels set = 0; set < count; set++)
		owner.at[set] = cg_track_count(graph) == 1
				    ? sole_owner(graph)
				    : owner_of_labels(graph, set);
	for (size_t i = 0; ok && i < t->w->rows.n; i++)
		ok = list_row(t, i, owner.at[row[i].labels]);
	cg_drop(t->w->job, &owner);
	return ok;
}

/* ---- Moments ------------------------------------------------------------ */

/* A moment on a track. */
struct timed {
	uint64_t owner;
	uint32_t node; /* + 1, as written */
	bool dated;    /* its time can be written */
	uint64_t time;
	const uint64_t *cost;
	size_t n;
};
typedef void visit_fn(struct otlp_times *, const struct timed *, void *arg);

/*
 * Finds the row to which a cost of a moment belongs, by thread and stack. A
 * row is a sample to write; a moment is a sample with a time. Returns the
 * row's index + 1. 0: there is no such row, there are several, or the moment's
 * time cannot be written.
 */
static uint32_t
row_of(const struct otlp_times *t, const struct timed *timed, size_t event)
{
	uint32_t row;

	if (!timed->dated)
		return 0;
	row = cg_map_get(&t->rows, hash_row(timed->owner, timed->node, event));
	return row == AMBIGUOUS ? 0 : row;
}

static bool
walk_track(struct otlp_times *t, size_t number, visit_fn *visit, void *arg)
{
	const struct cg_graph *graph = t->w->graph;
	const struct cg_track *track = cg_get_track(graph, number);
	struct cg_moments *moments = cg_moments_new(graph, number);
	size_t event = cg_span_event(graph, track);
	uint64_t owner = owner_of_track(track);
	bool dated = strcmp(track->unit, "ns") == 0;
	uint64_t cost[CG_EVENT_MAX] = { 0 };
	struct cg_moment moment;
	struct cg_time_span span;
	struct timed timed;

	if (!moments)
		return false;
	while (track->spans ? cg_next_span(moments, &span)
			    : cg_next_moment(moments, &moment)) {
		if (track->spans) {
			if (event >= cg_event_count(graph))
				break;
			cost[event] = (uint64_t)(span.end - span.begin);
			moment = (struct cg_moment){ span.begin, span.node,
				cost, event + 1 };
		}
		timed = (struct timed){ .owner = owner,
			.node = cg_merged_of(t->w->merged, moment.node),
			.dated = dated && moment.time >= 0,
			.time = (uint64_t)moment.time,
			.cost = moment.cost,
			.n = moment.n };
		visit(t, &timed, arg);
	}
	cg_moments_free(moments);
	return true;
}

static bool
walk(struct otlp_times *t, visit_fn *visit, void *arg)
{
	for (size_t i = 0; i < cg_track_count(t->w->graph); i++)
		if (!walk_track(t, i, visit, arg))
			return false;
	return true;
}

static void
add_to_sums(struct otlp_times *t, const struct timed *timed, void *arg)
{
	size_t events = cg_event_count(t->w->graph);
	uint64_t *sum = arg;

	for (size_t i = 0; i < timed->n; i++) {
		uint32_t row = timed->cost[i] != 0 ? row_of(t, timed, i) : 0;

		if (row != 0)
			sum[(row - 1) * events + i] += timed->cost[i];
		else if (timed->cost[i] != 0)
			t->timed[i] = false;
	}
}

/*
 * Widens the time span from t->begin to t->end (excluded) so that it includes
 * a moment. A moment is a cost with a time. Ignores a moment that is written
 * without its time. A callback of walk().
 */
static void
note_span(struct otlp_times *t, const struct timed *timed, void *arg)
{
	bool used = false;

	(void)arg;
	for (size_t i = 0; i < timed->n; i++)
		used |= t->timed[i] && timed->cost[i] != 0;
	if (!used)
		return;
	if (t->end == 0 || timed->time < t->begin)
		t->begin = timed->time;
	if (timed->time >= t->end)
		t->end = timed->time + 1;
}

/*
 * Clears t->timed[event] for each event whose times cannot be written. These
 * are events with a row in which the costs with times do not add up to the
 * row's cost. sum[] has the costs with times by row and event. Warns of each
 * event with costs for which t->timed is then false. Calls note_span() for
 * each moment of the graph. False: an error (reported).
 */
static bool
compare_sums(struct otlp_times *t, const uint64_t *sum)
{
	const struct proto_writer *w = t->w;
	size_t events = cg_event_count(w->graph);

	for (size_t i = 0; i < w->rows.n * events; i++)
		t->timed[i % events] &= sum[i] == w->cost[i];
	for (size_t i = 0; i < events; i++) {
		if (!t->timed[i] && cg_event_has_costs(w->graph, i))
			cg_warn(w->job,
			    "not all costs of %s have times that belong to one "
			    "sample each: it is written without times",
			    cg_get_event(w->graph, i)->name);
	}
	return walk(t, note_span, NULL);
}

bool
otlp_find_times(struct otlp_times *t, const struct proto_writer *w)
{
	size_t events = cg_event_count(w->graph);
	CG_ARRAY(uint64_t) sum = { 0 };

	t->w = w;
	t->timed = cg_alloc(w->job, (events + 1) * sizeof(*t->timed));
	if (!t->timed)
		return false;
	if (cg_track_count(w->graph) == 0)
		return true;
	if (!cg_reserve(w->job, &sum, w->rows.n * events + 1))
		return false;
	for (size_t i = 0; i < events; i++)
		t->timed[i] = cg_event_has_costs(w->graph, i);
	if (!list_rows(t) || !walk(t, add_to_sums, sum.at) ||
	    !compare_sums(t, sum.at))
		return false;
	cg_drop(w->job, &sum);
	return true;
}

/* ---- One event ---------------------------------------------------------- */

struct pass {
	size_t event;
	bool fill;
};

/*
 * Handles a moment (cost with a time), in two passes. Ignores it if it has no
 * cost of the pass's event. "row" is the index + 1 of the sample to which it
 * belongs. The first pass counts the moments of the row in first[row + 1]. The
 * second pass (fill) stores time and cost at index first[row], and adds 1 to
 * first[row]. A callback of walk().
 */
static void
place_sample(struct otlp_times *t, const struct timed *timed, void *arg)
{
	const struct pass *pass = arg;
	uint32_t row;
	size_t at;

	if (pass->event >= timed->n || timed->cost[pass->event] == 0)
		return;
	row = row_of(t, timed, pass->event);
	if (!pass->fill) {
		t->first.at[row + 1]++;
		return;
	}
	at = t->first.at[row]++;
	t->time.at[at] = timed->time;
	t->cost.at[at] = (int64_t)timed->cost[pass->event];
}

/*
 * Sorts the moments (costs with times) of an event by row, in a counting sort.
 * A row is the sample to which a moment belongs. t->time and t->cost then have
 * the moments of row i from index first[i] to first[i + 1] - 1. All ranges are
 * empty if the event's times are not written.
 *
 * place_sample() counts rows from 1. Before its second pass, first[i + 1] is
 * the begin of row i. The pass adds 1 for each moment of the row, so it
 * becomes the row's end. False: an error (reported).
 */
bool
otlp_sort_times(struct otlp_times *t, size_t event)
{
	struct pass pass = { .event = event };
	size_t rows = t->w->rows.n;

	t->first.n = t->time.n = t->cost.n = 0;
	if (!cg_resize(t->w->job, &t->first, rows + 2))
		return false;
	if (!t->timed[event])
		return true;
	if (!walk(t, place_sample, &pass))
		return false;
	for (size_t i = 1; i <= rows + 1; i++)
		t->first.at[i] += t->first.at[i - 1];
	if (!cg_resize(t->w->job, &t->time, t->first.at[rows + 1]) ||
	    !cg_resize(t->w->job, &t->cost, t->first.at[rows + 1]))
		return false;
	pass.fill = true;
	return walk(t, place_sample, &pass);
}
