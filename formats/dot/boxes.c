/*
 * boxes.c - the boxes of functions, and frames around functions that belong
 * together.
 *
 * If not all functions are drawn, those are that have the most inclusive and
 * self cost together: inclusive cost alone prefers callers, so that most of the
 * self cost is missing; self cost alone leaves boxes without arrows. As in
 * pprof's graph, names grow with self cost.
 */
#include <math.h>
#include <stdlib.h>

#include "dot.h"

#define FONT_MAX 20.0   /* of a function that has all self cost */
#define NOTHING 0.00005 /* share */
#define LINE 28 /* characters of a name; the page's boxes have as many */
#define PATH_MAX_SHOWN 60 /* bytes of the label of a frame */

/* A function that is drawn. */
struct drawn {
	uint32_t cluster, rank;
	cg_fn fn;
	double share, self; /* of the inclusive cost and of the self cost */
	bool namesake;      /* another drawn function has the same name */
};

/* ---- Labels ------------------------------------------------------------- */

/*
 * Returns the size of the letters for a cost's share of the total, from 0 to
 * 1. The size grows with the square root of the share, as one sees the area of
 * letters.
 */
static double
font_size(double share)
{
	return DOT_FONT_MIN + (FONT_MAX - DOT_FONT_MIN) * sqrt(share);
}

/*
 * Returns true if a cost, or its change if the graph shows changes, is 0.00 %
 * of the total.
 */
static bool
is_nothing(const struct dot *dot, struct dot_sides cost)
{
	const struct dot_sides change = { 0, cost.after - cost.before };

	return dot_share(dot, dot->change ? change : cost) < NOTHING;
}

/*
 * Writes the numbers in a label, each after "line", which ends a line of text:
 * the inclusive cost (if the event has one), the self cost, the number of
 * calls. A self cost of 0.00 % is omitted, and the inclusive cost of a function
 * that calls nothing of cost. Calls that are counted in samples are omitted, as
 * they repeat what the costs say.
 */
static void
put_numbers(struct dot *dot, const char *line, struct dot_sides all,
    struct dot_sides self, uint64_t calls)
{
	bool same = all.before == self.before && all.after == self.after;

	if (dot->inclusive && (!same || is_nothing(dot, self))) {
		cg_puts(dot->out, line);
		dot_put_cost(dot, all);
	}
	if (!is_nothing(dot, self) || !dot->inclusive) {
		cg_puts(dot->out, line);
		cg_puts(dot->out, "self ");
		dot_put_cost(dot, self);
	}
	if (calls > 0 && !dot->sampled) {
		cg_puts(dot->out, line);
		dot_put_count(dot->out, calls);
	}
}

/* Writes the same numbers with all digits, for a tooltip. */
static void
put_full_numbers(struct dot *dot, struct dot_sides all, struct dot_sides self,
    uint64_t calls)
{
	if (dot->inclusive) {
		cg_puts(dot->out, "\\ninclusive ");
		dot_put_full_cost(dot, all);
	}
	cg_puts(dot->out, "\\nself ");
	dot_put_full_cost(dot, self);
	if (calls > 0 && !dot->sampled) {
		cg_puts(dot->out, "\\ncalls ");
		picture_put_number(dot->out, calls);
	}
}

/* Writes the name of a function in lines. False: out of memory (reported). */
static bool
put_name(struct dot *dot, struct cg_slice name)
{
	struct picture_lines *lines = &dot->lines;

	if (!picture_break_name(dot->job, lines, name, LINE))
		return false;
	for (size_t i = 0; i < lines->lines; i++) {
		cg_puts(dot->out, i > 0 ? "\\n" : "");
		if (lines->cut && i + 1 == lines->lines)
			cg_puts(dot->out, "\xe2\x80\xa6"); /* U+2026 */
		dot_put_text(dot->out, lines->line[i]);
	}
	return true;
}

/*
 * Writes a label: where the function is, if that tells it from others, its
 * name and its numbers. False: out of memory (reported).
 */
static bool
put_label(struct dot *dot, const struct drawn *drawn)
{
	cg_fn fn = drawn->fn;
	struct cg_slice object = cg_base_name(
	    cg_object_path(dot->graph, cg_fn_object(dot->graph, fn)));
	struct cg_slice file =
	    cg_base_name(cg_file_path(dot->graph, cg_fn_file(dot->graph, fn)));
	uint32_t cycle = cg_sum_cycle(dot->sums[0], fn);

	if (dot->objects && object.len > 0) {
		dot_put_text(dot->out, object);
		cg_puts(dot->out, "\\n");
	}
	if (!put_name(dot, dot_fn_name(dot, fn)))
		return false;
	if (cycle != 0 && dot->cluster)
		cg_putf(dot->out, " <cycle %u>", (unsigned)cycle);
	if (drawn->namesake && file.len > 0) {
		cg_puts(dot->out, "\\n");
		dot_put_text(dot->out, file);
	}
	put_numbers(dot, "\\n", dot_fn_cost(dot, fn, true),
	    dot_fn_cost(dot, fn, false), cg_sum_calls_in(dot->sums[0], fn));
	return true;
}

/* Writes a tooltip: the whole name, file, object, and all digits. */
static void
put_tooltip(struct dot *dot, cg_fn fn)
{
	struct cg_slice file =
	    cg_file_path(dot->graph, cg_fn_file(dot->graph, fn));
	struct cg_slice object =
	    cg_object_path(dot->graph, cg_fn_object(dot->graph, fn));
	uint32_t cycle = cg_sum_cycle(dot->sums[0], fn);

	dot_put_text(dot->out, dot_fn_name(dot, fn));
	if (file.len > 0) {
		cg_puts(dot->out, "\\nfile ");
		dot_put_text(dot->out, file);
	}
	if (object.len > 0) {
		cg_puts(dot->out, "\\nobject ");
		dot_put_text(dot->out, object);
	}
	if (cycle != 0)
		cg_putf(dot->out, "\\ncycle %u", (unsigned)cycle);
	put_full_numbers(dot, dot_fn_cost(dot, fn, true),
	    dot_fn_cost(dot, fn, false), cg_sum_calls_in(dot->sums[0], fn));
}

/* False: out of memory (reported). */
static bool
put_function(struct dot *dot, const struct drawn *drawn)
{
	cg_fn fn = drawn->fn;
	bool ok;

	cg_putf(dot->out, "\tn%u [color=", (unsigned)dot->id[fn]);
	dot_put_colour(dot, dot_fn_cost(dot, fn, dot->inclusive), false);
	cg_puts(dot->out, ", fillcolor=");
	dot_put_colour(dot, dot_fn_cost(dot, fn, dot->inclusive), true);
	cg_puts(dot->out, ", fontsize=\"");
	dot_put_hundredths(
	    dot->out, font_size(dot_share(dot, dot_fn_cost(dot, fn, false))));
	cg_puts(dot->out, "\", label=\"");
	ok = put_label(dot, drawn);
	cg_puts(dot->out, "\", tooltip=\"");
	put_tooltip(dot, fn);
	cg_puts(dot->out, "\"];\n");
	return ok;
}

/* ---- Frames ------------------------------------------------------------- */

/*
 * Returns the number of the frame that is drawn around functions that belong
 * together. With option cluster, it is the id of the function's file or
 * object. Without the option, it is the number of the cycle (functions that
 * call each other) that the function is in. 0: no frame is drawn around the
 * function.
 */
static uint32_t
cluster_of(const struct dot *dot, cg_fn fn)
{
	if (!dot->cluster)
		return cg_sum_cycle(dot->sums[0], fn);
	return *dot->cluster == 'f' ? cg_fn_file(dot->graph, fn)
				    : cg_fn_object(dot->graph, fn);
}

/* Writes the last PATH_MAX_SHOWN bytes of a path. */
static void
put_path(struct cg_out *out, struct cg_slice path)
{
	size_t from = path.len;

	if (path.len > PATH_MAX_SHOWN) {
		from -= PATH_MAX_SHOWN;
		while (from < path.len && (path.ptr[from] & 0xc0) == 0x80)
			from++;
		path = (struct cg_slice){ path.ptr + from, path.len - from };
		cg_puts(out, "\xe2\x80\xa6"); /* U+2026 */
	}
	dot_put_text(out, path);
}

static void
begin_cluster(struct dot *dot, unsigned number, uint32_t cluster)
{
	struct cg_slice path = { "", 0 };

	cg_putf(dot->out,
	    "\tsubgraph cluster_%u {\n\tcolor=\"#8a9099\"; fontsize=12; "
	    "labeljust=l; style=rounded;\n\tlabel=\"",
	    number);
	if (!dot->cluster) {
		cg_putf(dot->out, "<cycle %u>", (unsigned)cluster);
		put_numbers(dot, "\\l", dot_cycle_cost(dot, cluster, true),
		    dot_cycle_cost(dot, cluster, false),
		    cg_cycle_calls_in(dot->sums[0], cluster));
		cg_putf(dot->out, "\\l\";\n\ttooltip=\"<cycle %u>",
		    (unsigned)cluster);
		put_full_numbers(dot, dot_cycle_cost(dot, cluster, true),
		    dot_cycle_cost(dot, cluster, false),
		    cg_cycle_calls_in(dot->sums[0], cluster));
	} else {
		path = *dot->cluster == 'f'
			   ? cg_file_path(dot->graph, cluster)
			   : cg_object_path(dot->graph, cluster);
		put_path(dot->out, path);
		cg_puts(dot->out, "\";\n\ttooltip=\"");
		dot_put_text(dot->out, path);
	}
	cg_puts(dot->out, "\";\n");
}

static int
compare_clusters(const void *pa, const void *pb)
{
	const struct drawn *a = pa, *b = pb;

	if (a->cluster != b->cluster)
		return a->cluster < b->cluster ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Writes boxes, in their frames. */
static void
put_clusters(struct dot *dot, struct drawn *drawn, size_t count)
{
	unsigned clusters = 0;

	if (count > 0)
		qsort(drawn, count, sizeof(*drawn), compare_clusters);
	for (size_t i = 0; i < count; i++) {
		uint32_t cluster = drawn[i].cluster;

		if (cluster != 0 && (i == 0 || drawn[i - 1].cluster != cluster))
			begin_cluster(dot, clusters++, cluster);
		if (!put_function(dot, &drawn[i]))
			return;
		if (cluster != 0 &&
		    (i + 1 == count || drawn[i + 1].cluster != cluster))
			cg_puts(dot->out, "\t}\n");
	}
}

/* ---- The choice --------------------------------------------------------- */

/*
 * Orders functions for qsort() by their inclusive and self share together, the
 * largest first.
 */
static int
compare_weights(const void *pa, const void *pb)
{
	const struct drawn *a = pa, *b = pb;
	double left = a->share + a->self, right = b->share + b->self;

	if (left != right)
		return left > right ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/*
 * Orders functions for qsort() by their inclusive share, the largest first.
 * Graphviz puts the first ones of a cycle above the others.
 */
static int
compare_shares(const void *pa, const void *pb)
{
	const struct drawn *a = pa, *b = pb;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/*
 * Finds the functions whose share is not below the threshold, and counts those
 * below it. Returns their number; "drawn" has room for all functions.
 */
static size_t
find_large(struct dot *dot, struct drawn *drawn)
{
	size_t fns = cg_fn_count(dot->graph), count = 0;
	double share;
	cg_fn fn;

	for (size_t rank = 0; rank <= fns; rank++) {
		fn = cg_fn_ranked(dot->graph, rank);
		if (fn == 0)
			continue;
		share = dot_share(dot, dot_fn_cost(dot, fn, dot->inclusive));
		if (share < dot->node_threshold) {
			dot->small_fns++;
			continue;
		}
		drawn[count++] = (struct drawn){ .rank = (uint32_t)rank,
			.fn = fn,
			.cluster = cluster_of(dot, fn),
			.share = share,
			.self = dot_share(dot, dot_fn_cost(dot, fn, false)) };
	}
	return count;
}

/* The context of compare_names(); qsort() has none. */
struct named {
	struct cg_slice name;
	struct drawn *drawn;
};

static int
compare_names(const void *pa, const void *pb)
{
	return cg_compare(
	    ((const struct named *)pa)->name, ((const struct named *)pb)->name);
}

/* Marks functions with equal names. False: out of memory (reported). */
static bool
mark_namesakes(struct dot *dot, struct drawn *drawn, size_t count)
{
	struct named *named = cg_alloc(dot->job, (count + 1) * sizeof(*named));

	if (!named)
		return false;
	for (size_t i = 0; i < count; i++)
		named[i] =
		    (struct named){ dot_fn_name(dot, drawn[i].fn), &drawn[i] };
	if (count > 0)
		qsort(named, count, sizeof(*named), compare_names);
	for (size_t i = 1; i < count; i++) {
		if (compare_names(&named[i - 1], &named[i]) == 0)
			named[i - 1].drawn->namesake =
			    named[i].drawn->namesake = true;
	}
	return true;
}

void
dot_put_functions(struct dot *dot)
{
	struct drawn *drawn =
	    cg_alloc(dot->job, (cg_fn_count(dot->graph) + 1) * sizeof(*drawn));
	size_t count;
	cg_fn fn;

	if (!drawn)
		return;
	count = find_large(dot, drawn);
	if (dot->most > 0 && count > dot->most) {
		qsort(drawn, count, sizeof(*drawn), compare_weights);
		dot->more_fns = count - (size_t)dot->most;
		count = (size_t)dot->most;
	}
	if (count > 0)
		qsort(drawn, count, sizeof(*drawn), compare_shares);
	dot->fns = count;
	for (size_t i = 0; i < count; i++) {
		fn = drawn[i].fn;
		if (cg_fn_object(dot->graph, fn) !=
		    cg_fn_object(dot->graph, drawn[0].fn))
			dot->objects = true;
		drawn[i].rank = (uint32_t)i;
		dot->id[fn] = (uint32_t)i + 1;
		dot->self += dot_fn_cost(dot, fn, false).after;
	}
	if (mark_namesakes(dot, drawn, count))
		put_clusters(dot, drawn, count);
}
