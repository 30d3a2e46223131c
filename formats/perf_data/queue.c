/*
 * queue.c - sorts records by time.
 *
 * perf writes the data of each processor's buffer, one after the other; a
 * record PERF_RECORD_FINISHED_ROUND follows when all buffers were read once.
 * Later records are newer than the latest time of the previous round
 * (util/ordered-events.c of perf 6.1).
 */
#include <string.h>

#include "perf_data.h"

bool
perf_queue_add(struct perf_queue *queue, uint64_t time, struct cg_slice record)
{
	const size_t at = queue->bytes[queue->odd].n;

	if (!cg_reserve(
		queue->job, &queue->bytes[queue->odd], at + record.len) ||
	    !cg_append(queue->job, &queue->item,
		(struct perf_queued){
		    .time = time, .at = at, .odd = queue->odd }))
		return false;
	memcpy(queue->bytes[queue->odd].at + at, record.ptr, record.len);
	queue->bytes[queue->odd].n += record.len;
	if (queue->latest < time)
		queue->latest = time;
	return true;
}

const char *
perf_queue_record(
    const struct perf_queue *queue, const struct perf_queued *item)
{
	return queue->bytes[item->odd].at + item->at;
}

/*
 * Returns the end (excluded) of the longest run of records from index i on
 * whose times ascend or are equal. Returns "count" if i is the last index or
 * greater.
 */
static size_t
end_of_run(const struct perf_queued *item, size_t i, size_t count)
{
	for (i++; i < count && item[i - 1].time <= item[i].time; i++)
		continue;
	return i < count ? i : count;
}

static void
merge(const struct perf_queued *item, size_t low, size_t middle, size_t high,
    struct perf_queued *to)
{
	size_t i = low, j = middle;

	while (i < middle && j < high)
		*to++ = item[j].time < item[i].time ? item[j++] : item[i++];
	memcpy(to, &item[i], (middle - i) * sizeof(*to));
	memcpy(to + (middle - i), &item[j], (high - j) * sizeof(*to));
}

/*
 * Sorts the queued records by time. The queue has a sorted run of records for
 * each of perf's buffers. Merges pairs of neighbouring runs, until one run is
 * left. Records with the same time stay in their order. False: out of memory
 * (reported).
 */
bool
perf_queue_sort(struct perf_queue *queue)
{
	const size_t count = queue->item.n;
	struct perf_queued *from = queue->item.at, *to, *swap;
	size_t low, middle, high, runs = 2;

	if (end_of_run(from, 0, count) == count)
		return true;
	if (!cg_reserve(queue->job, &queue->room, count))
		return false;
	to = queue->room.at;
	while (runs > 1) {
		runs = 0;
		for (low = 0; low < count; low = high, runs++) {
			middle = end_of_run(from, low, count);
			high = middle == count
				   ? middle
				   : end_of_run(from, middle, count);
			merge(from, low, middle, high, &to[low]);
		}
		swap = from;
		from = to;
		to = swap;
	}
	if (from != queue->item.at)
		memcpy(queue->item.at, from, count * sizeof(*from));
	return true;
}

void
perf_queue_drop(struct perf_queue *queue, size_t n)
{
	queue->item.n -= n;
	memmove(queue->item.at, queue->item.at + n,
	    queue->item.n * sizeof(*queue->item.at));
}

/*
 * Begins a round. In a round, perf writes what its buffers have, then a mark
 * that ends the round. Sets queue->limit to the latest time so far. At the end
 * of the new round, the caller can handle records up to this time (included),
 * as records of later rounds are newer. The buffer of the round before the
 * last one becomes that of the new round. Empties it, as its records were all
 * handled.
 */
void
perf_queue_begin_round(struct perf_queue *queue)
{
	queue->limit = queue->latest;
	queue->odd = !queue->odd;
	queue->bytes[queue->odd].n = 0;
}
