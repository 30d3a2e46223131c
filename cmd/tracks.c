/*
 * tracks.c - the times of samples and calls in the inputs, by track (thread),
 * for --info.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* Tracks that are listed without -v. */
#define TRACKS_SHOWN 10
#define NANO 1e9

bool
is_timed(const struct cg_track *track)
{
	return strcmp(track->unit, "ns") == 0;
}

/*
 * Sets *times to a track (timeline of a thread) and its longest gap. Gaps are
 * between samples or, in a track of calls (track->spans), where no call is
 * open. The first gap may start at the track's begin. None is counted after
 * the last sample or call. False: out of memory.
 */
static bool
measure_track(
    const struct cg_graph *graph, size_t number, struct track_times *times)
{
	const struct cg_track *track = cg_get_track(graph, number);
	struct cg_moments *moments = cg_moments_new(graph, number);
	struct cg_moment moment, last = { .time = track->begin };

	*times = (struct track_times){ .track = *track };
	while (moments != NULL && cg_next_moment(moments, &moment)) {
		uint64_t gap = (uint64_t)moment.time - (uint64_t)last.time;

		if (moment.time > last.time && gap > times->gap &&
		    (!track->spans || last.node == 0)) {
			times->gap = gap;
			times->gap_at = last.time;
		}
		last = moment;
	}
	cg_moments_free(moments);
	return moments != NULL;
}

bool
list_tracks(
    struct tracks *tracks, struct cg_job *job, const struct cg_graph *graph)
{
	bool ok;

	tracks->of = cg_alloc(job, cg_track_count(graph) * sizeof(*tracks->of));
	ok = tracks->of != NULL;
	for (; ok && tracks->count < cg_track_count(graph); tracks->count++)
		ok = measure_track(
		    graph, tracks->count, &tracks->of[tracks->count]);
	return ok;
}

static double
seconds(int64_t from, int64_t to)
{
	return ((double)to - (double)from) / NANO;
}

static void
print_track(const struct track_times *times)
{
	const struct cg_track *track = &times->track;
	double length = seconds(track->begin, track->end);

	putchar(' ');
	if (track->pid != 0)
		printf(" pid %" PRIu64, track->pid);
	if (track->tid != 0)
		printf(" tid %" PRIu64, track->tid);
	if (track->name[0] != '\0') {
		putchar(' ');
		put_safe(stdout, cg_slice(track->name));
	}
	printf("  %" PRIu64 " %s", track->moments,
	    track->spans          ? "begins and ends of calls"
	    : track->moments == 1 ? "sample"
				  : "samples");
	if (is_timed(track)) {
		printf(
		    ", %.6f s from %.6f s", length, seconds(0, track->begin));
		if (!track->spans && length > 0)
			printf(
			    ", %.1f a second", (double)track->moments / length);
		if (times->gap > 0)
			printf(", longest gap %.6f s at %.6f s",
			    (double)times->gap / NANO,
			    seconds(0, times->gap_at));
	}
	putchar('\n');
}

void
print_tracks(const struct tracks *tracks, bool all)
{
	size_t shown =
	    all || tracks->count <= TRACKS_SHOWN ? tracks->count : TRACKS_SHOWN;

	if (tracks->count > 0)
		puts("\nTimeline");
	for (size_t i = 0; i < shown; i++)
		print_track(&tracks->of[i]);
	if (shown < tracks->count)
		printf("  and %zu more; use -v to list all\n",
		    tracks->count - shown);
}
