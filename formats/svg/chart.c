/*
 * chart.c - a flame chart: time goes to the right. Each track shows its name
 * and, below it, the frames of its thread, callees below their callers.
 *
 * One pass over the moments of a track keeps the open frames; a frame becomes
 * a box when it ends. Frames that are narrower than --min-width and closer to
 * each other than that are merged into one box, up to some width. So a row has
 * at most two boxes for each --min-width, for any number of moments.
 */
#include <inttypes.h>

#include "svg.h"

#define TRACK_TOP (SVG_TOP + 20) /* top of the first track, below the ticks */
#define TRACK_GAP 8              /* pixels between two tracks */
#define WIDEST 10                /* limit of a merged box, in narrow frames */
#define MERGED_FILL "#c8c8c8"    /* of merged frames of several functions */

/* One frame, or several narrow frames of one level. */
struct box {
	int64_t begin, end;
	uint64_t count, time; /* frames, and their total time */
	uint64_t y;
	cg_fn fn;
	uint32_t key; /* of its frame */
	bool mixed;   /* frames of several functions */
};

/* A level of the open stack. */
struct level {
	uint32_t frame;
	int64_t begin;
	uint64_t dropped;  /* time of dropped frames that it called */
	struct box narrow; /* merged frames, if count is not 0 */
};

/* A track in the picture. */
struct lane {
	size_t track;
	uint64_t y;
	size_t first; /* of its boxes */
};

struct chart {
	struct svg *svg;
	struct svg_ruler ruler;
	bool begun;     /* the ruler has a unit and times */
	size_t foreign; /* tracks of other units */
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *frame;
	uint64_t narrow;   /* shorter frames are merged */
	uint64_t shortest; /* shorter ones are dropped: --min-duration */
	CG_ARRAY(struct level) level;
	size_t levels;  /* open levels */
	size_t deepest; /* deepest level of the track, plus 1 */
	CG_ARRAY(uint32_t) path;
	CG_ARRAY(struct box) box;
	CG_ARRAY(struct lane) lane;
	uint64_t top;    /* of the next track */
	uint64_t merges; /* merged frames, without their own box */
	uint64_t drops, drop_time;
};

/* ---- Boxes -------------------------------------------------------------- */

static bool
push_box(struct chart *chart, const struct box *box, size_t depth)
{
	struct box *new = cg_push(chart->svg->job, &chart->box);

	if (!new)
		return false;
	*new = *box;
	new->y = chart->top + (depth + 1) * SVG_LEVEL;
	if (chart->deepest <= depth)
		chart->deepest = depth + 1;
	return true;
}

static bool
push_narrow(struct chart *chart, size_t depth)
{
	struct box *narrow = &chart->level.at[depth].narrow;
	bool ok = narrow->count == 0 || push_box(chart, narrow, depth);

	if (narrow->count > 1)
		chart->merges += narrow->count;
	narrow->count = 0;
	return ok;
}

/*
 * Adds a box at a depth. The caller adds the boxes of a depth in order of
 * time. A box of at least chart->narrow is added as it is. A shorter one is
 * merged with the short boxes just before it, if the gap to them is less than
 * chart->narrow, and the merged box is no longer than WIDEST times that
 * length. A merged box stays in level->narrow until a later call cannot add to
 * it. False: out of memory (reported).
 */
static bool
add_box(struct chart *chart, const struct box *box, size_t depth)
{
	struct box *narrow = &chart->level.at[depth].narrow;

	if (box->time >= chart->narrow)
		return push_narrow(chart, depth) && push_box(chart, box, depth);
	if (narrow->count == 0 ||
	    (uint64_t)box->begin - (uint64_t)narrow->end >= chart->narrow ||
	    (uint64_t)box->end - (uint64_t)narrow->begin >
		WIDEST * chart->narrow) {
		bool ok = push_narrow(chart, depth);

		*narrow = *box;
		return ok;
	}
	narrow->end = box->end;
	narrow->count++;
	narrow->time += box->time;
	narrow->mixed |= narrow->fn != box->fn;
	return true;
}

/*
 * Ends the innermost open frame at a time. The frame becomes a box. But if it
 * is shorter than chart->shortest (option min-duration), drops it and counts
 * it in chart->drops. Adds the time of dropped frames to chart->drop_time,
 * except frames inside a frame that is dropped, too. False: out of memory
 * (reported).
 */
static bool
close_frame(struct chart *chart, int64_t time)
{
	size_t depth = --chart->levels;
	const struct level *level = &chart->level.at[depth];
	struct box box = { .begin = level->begin,
		.end = time,
		.count = 1,
		.time = (uint64_t)time - (uint64_t)level->begin,
		.fn = chart->frame[level->frame].fn,
		.key = chart->frame[level->frame].key };

	if (box.time >= chart->shortest) {
		chart->drop_time += level->dropped;
		return add_box(chart, &box, depth);
	}
	chart->drops++;
	if (depth > 0)
		chart->level.at[depth - 1].dropped += box.time;
	else
		chart->drop_time += box.time;
	return true;
}

static bool
open_frame(struct chart *chart, uint32_t frame, int64_t time)
{
	struct level *level = &chart->level.at[chart->levels++];

	level->frame = frame;
	level->begin = time;
	level->dropped = 0;
	return true;
}

/*
 * Changes the stack of open frames to the one that ends at "frame". Closes and
 * opens frames at the given time. Frames that both stacks share stay open.
 * Frame 0 closes all. False: out of memory (reported).
 */
static bool
change_stack(struct chart *chart, uint32_t frame, int64_t time)
{
	size_t depth = chart->frame[frame].depth, same = 0;
	bool ok = true;

	if ((depth > chart->level.n &&
		!cg_resize(chart->svg->job, &chart->level, depth)) ||
	    !cg_reserve(chart->svg->job, &chart->path, depth))
		return false;
	for (; frame != 0; frame = chart->frame[frame].parent)
		chart->path.at[chart->frame[frame].depth - 1] = frame;
	while (same < chart->levels && same < depth &&
	       chart->level.at[same].frame == chart->path.at[same])
		same++;
	while (ok && chart->levels > same)
		ok = close_frame(chart, time);
	while (ok && chart->levels < depth)
		ok = open_frame(chart, chart->path.at[chart->levels], time);
	return ok;
}

/* ---- Tracks ------------------------------------------------------------- */

/*
 * Makes boxes of the samples of a thread's timeline. Adjacent samples share a
 * box where they have equal frames; times are rounded, so a gap of one unit
 * does not separate boxes. False: out of memory (reported).
 */
static bool
draw_samples(struct chart *chart, struct cg_moments *moments)
{
	struct cg_time_span span;
	int64_t end = INT64_MIN;
	bool ok = true;

	while (ok && cg_next_span(moments, &span)) {
		if (span.begin - 1 > end)
			ok = change_stack(chart, 0, end);
		ok = ok &&
		     change_stack(chart, cg_merged_of(chart->merged, span.node),
			 span.begin);
		end = span.end;
	}
	return ok && change_stack(chart, 0, end);
}

/*
 * Makes boxes of the calls of a thread's timeline, one for each call, even if
 * equal ones are adjacent. False: out of memory (reported).
 */
static bool
draw_calls(struct chart *chart, const struct cg_track *track,
    struct cg_moments *moments)
{
	struct cg_moment moment;
	bool ok = true;

	while (ok && cg_next_moment(moments, &moment))
		ok = change_stack(chart,
		    cg_merged_of(chart->merged, moment.node), moment.time);
	return ok && change_stack(chart, 0, track->end);
}

static struct cg_moments *
open_track(const struct chart *chart, size_t track)
{
	return cg_spans_new(chart->svg->graph, track, chart->svg->column);
}

static bool
is_drawn(const struct chart *chart, const struct cg_track *track)
{
	return cg_equal(cg_slice(track->unit), chart->ruler.unit);
}

static bool
draw_track(struct chart *chart, size_t number)
{
	const struct cg_track *track = cg_get_track(chart->svg->graph, number);
	struct cg_moments *moments;
	size_t first = chart->box.n;
	struct lane *lane;
	bool ok;

	if (!is_drawn(chart, track))
		return true;
	moments = open_track(chart, number);
	if (!moments)
		return false;
	chart->deepest = 0;
	ok = track->spans ? draw_calls(chart, track, moments)
			  : draw_samples(chart, moments);
	cg_moments_free(moments);
	for (size_t depth = 0; ok && depth < chart->level.n; depth++)
		ok = push_narrow(chart, depth);
	if (!ok || chart->box.n == first)
		return ok;
	lane = cg_push(chart->svg->job, &chart->lane);
	if (!lane)
		return false;
	*lane = (struct lane){ number, chart->top, first };
	chart->top += (chart->deepest + 1) * SVG_LEVEL + TRACK_GAP;
	return true;
}

/* ---- The ruler ---------------------------------------------------------- */

static void
widen_ruler(struct chart *chart, const char *unit, int64_t begin, int64_t end)
{
	struct svg_ruler *ruler = &chart->ruler;

	if (!chart->begun)
		*ruler = (struct svg_ruler){ begin, end, unit };
	chart->begun = true;
	if (begin < ruler->begin)
		ruler->begin = begin;
	if (end > ruler->end)
		ruler->end = end;
}

/*
 * Widens the chart's axis to the times of a track (a thread's timeline), up to
 * the end of its last sample. If the track has another unit than the first
 * track, it will not be drawn. Then only adds 1 to chart->foreign. False: out
 * of memory (reported).
 */
static bool
measure_track(struct chart *chart, size_t number)
{
	const struct cg_track *track = cg_get_track(chart->svg->graph, number);
	struct cg_moments *moments;
	struct cg_time_span span;
	bool any = track->spans && track->moments > 0;

	if (chart->begun && !is_drawn(chart, track)) {
		chart->foreign++;
		return true;
	}
	moments = open_track(chart, number);
	if (!moments)
		return false;
	while (!track->spans && cg_next_span(moments, &span)) {
		widen_ruler(chart, track->unit, span.begin, span.end);
		any = true;
	}
	cg_moments_free(moments);
	if (any)
		widen_ruler(chart, track->unit, track->begin, track->end);
	return true;
}

static bool
measure_tracks(struct chart *chart)
{
	const struct cg_graph *graph = chart->svg->graph;
	bool ok = true;

	chart->ruler.unit = "ns";
	for (size_t i = 0; ok && i < cg_track_count(graph); i++)
		ok = measure_track(chart, i);
	return ok;
}

/*
 * Sets the durations below which frames are merged (chart->narrow, of option
 * min-width) or dropped (chart->shortest, of min-duration). Returns CG_OK, or
 * the status of a malformed option (reported).
 */
static int
set_limits(struct chart *chart)
{
	struct svg *svg = chart->svg;
	const char *text = cg_opt(svg->job, "min-duration");

	if (svg->least > 0)
		chart->narrow =
		    svg_ruler_length(svg, &chart->ruler, svg->least) + 1;
	if (!text ||
	    svg_take_length(&chart->ruler, cg_slice(text), &chart->shortest))
		return CG_OK;
	return cg_usage(svg->job,
	    "{min-duration}: expected a time or a percentage, such as 1.5ms "
	    "or 0.1%%, not '%s'",
	    text);
}

static void
tell_lost(struct chart *chart)
{
	struct svg *svg = chart->svg;

	if (chart->foreign > 0)
		cg_warn(svg->job,
		    "%zu tracks whose times have another unit are not drawn",
		    chart->foreign);
	if (!cg_all_timed(svg->graph, svg->column))
		cg_warn(svg->job,
		    "costs of event %s without a time are not drawn",
		    svg->event->name);
}

/* ---- Writing ------------------------------------------------------------ */

static void
put_length(struct chart *chart, uint64_t length)
{
	svg_put_length(chart->svg, &chart->ruler, length);
}

static void
put_count(
    struct chart *chart, const char *before, uint64_t count, const char *what)
{
	cg_puts(chart->svg->out, before);
	picture_put_number(chart->svg->out, count);
	cg_putf(chart->svg->out, " %s%s", what, count == 1 ? "" : "s");
}

static void
put_details(struct chart *chart)
{
	struct svg *svg = chart->svg;
	const struct svg_ruler *ruler = &chart->ruler;

	cg_put_xml(
	    svg->out, cg_slice(*svg->event->long_name ? svg->event->long_name
						      : svg->event->name));
	put_count(chart, "; ", chart->lane.n, "thread");
	cg_puts(svg->out, ", ");
	put_length(chart, (uint64_t)ruler->end - (uint64_t)ruler->begin);
	if (ruler->begin > 0) {
		cg_puts(svg->out, " from ");
		put_length(chart, (uint64_t)ruler->begin);
	}
	svg_put_legend(svg);
	if (chart->merges > 0) {
		svg_next_detail(svg);
		put_count(chart, "merged ", chart->merges, "frame");
		cg_putf(svg->out, " narrower than %s%s", svg->least_text,
		    svg->percent ? "" : " px");
	}
	if (chart->drops > 0) {
		svg_next_detail(svg);
		put_count(chart, "dropped ", chart->drops, "frame");
		cg_puts(svg->out, " shorter than ");
		put_length(chart, chart->shortest);
		cg_puts(svg->out, ", together ");
		put_length(chart, chart->drop_time);
	}
	svg_end_details(svg);
}

static void
put_box(struct chart *chart, const struct box *box)
{
	struct svg *svg = chart->svg;
	uint64_t at = (uint64_t)box->begin - (uint64_t)chart->ruler.begin;
	uint64_t length = (uint64_t)box->end - (uint64_t)box->begin;
	const struct svg_box drawn = { .name = box->mixed
						   ? cg_slice("(short frames)")
						   : svg_fn_name(svg, box->fn),
		.fn = box->fn,
		.key = box->key,
		.x = SVG_PAD * SVG_UNIT +
		     svg_ruler_width(svg, &chart->ruler, at),
		.width = svg_ruler_width(svg, &chart->ruler, length),
		.y = box->y,
		.fill = box->mixed ? MERGED_FILL : NULL };

	svg_begin_box(svg, &drawn);
	if (box->count > 1)
		put_count(chart, "", box->count, "frame");
	cg_puts(svg->out, box->count > 1 ? ", together " : "");
	put_length(chart, box->time);
	cg_puts(svg->out, " from ");
	put_length(chart, at);
	svg_end_box(svg, &drawn);
}

/*
 * Writes the name of a track (a thread's timeline), "worker (pid 5, tid 6)",
 * as a line of text. A track without a name gets its part's command or,
 * without that, "thread". Ids that are 0 are omitted.
 */
static void
put_name(struct chart *chart, const struct lane *lane)
{
	struct cg_out *out = chart->svg->out;
	const struct cg_track *track =
	    cg_get_track(chart->svg->graph, lane->track);
	const struct cg_part_info *part =
	    cg_get_part(chart->svg->graph, track->part);
	const char *name = *track->name ? track->name : part->cmd;
	uint64_t pid = track->pid ? track->pid : part->pid;
	uint64_t tid = track->tid ? track->tid : part->tid;

	cg_putf(out, "<text x=\"%d\" y=\"%" PRIu64 "\" font-weight=\"bold\">",
	    SVG_PAD, lane->y + SVG_FONT);
	cg_put_xml(out, cg_slice(*name ? name : "thread"));
	if (pid)
		cg_putf(out, " (pid %" PRIu64, pid);
	if (tid)
		cg_putf(out, "%stid %" PRIu64, pid ? ", " : " (", tid);
	cg_puts(out, pid || tid ? ")</text>\n" : "</text>\n");
}

static void
put_chart(struct chart *chart)
{
	struct svg *svg = chart->svg;

	svg_begin(svg, chart->top + SVG_PAD, "Flame chart");
	put_details(chart);
	svg_put_ruler(svg, &chart->ruler, chart->top);
	for (size_t i = 0; i < chart->lane.n; i++) {
		size_t end = i + 1 < chart->lane.n ? chart->lane.at[i + 1].first
						   : chart->box.n;

		cg_puts(svg->out, "<g>\n");
		put_name(chart, &chart->lane.at[i]);
		for (size_t k = chart->lane.at[i].first; k < end; k++)
			put_box(chart, &chart->box.at[k]);
		cg_puts(svg->out, "</g>\n");
	}
	svg_end(svg);
}

static bool
draw_tracks(struct chart *chart)
{
	size_t count;
	bool ok = true;

	chart->merged =
	    cg_merged_stacks_new(chart->svg->graph, svg_frame_key, chart->svg);
	if (!chart->merged)
		return false;
	chart->frame = cg_merged_frames(chart->merged, &count);
	for (size_t i = 0; ok && i < cg_track_count(chart->svg->graph); i++)
		ok = draw_track(chart, i);
	return ok;
}

int
svg_write_chart(struct svg *svg)
{
	struct chart chart = { .svg = svg, .top = TRACK_TOP };
	int status = CG_OK;

	if (measure_tracks(&chart))
		status = set_limits(&chart);
	if (status == CG_OK && cg_rejected(svg->job) == CG_OK &&
	    draw_tracks(&chart)) {
		tell_lost(&chart);
		put_chart(&chart);
	}
	cg_merged_stacks_free(chart.merged);
	return status;
}
