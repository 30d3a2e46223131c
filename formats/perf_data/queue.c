/*
 * queue.c - records in the order of their times.
 *
 * perf writes what each processor's buffer has, one after the other; a record
 * PERF_RECORD_FINISHED_ROUND follows when all were read once. Whatever comes
 * later is newer than the latest time of the round before
 * (util/ordered-events.c of perf 6.1).
 */
#include <stdlib.h>
#include <string.h>

#include "perf_data.h"

bool
perf_queue_add(struct perf_queue *queue, uint64_t time, struct cg_slice record)
{
	if (!cg_grow_raw(&queue->item, &queue->cap, queue->count + 1,
		sizeof(*queue->item)) ||
	    !cg_grow_raw(
		&queue->bytes, &queue->bytes_cap, queue->used + record.len, 1))
		return false;
	queue->item[queue->count++] = (struct perf_queued){ time, queue->used };
	memcpy(queue->bytes + queue->used, record.ptr, record.len);
	queue->used += record.len;
	if (queue->latest < time)
		queue->latest = time;
	return true;
}

/* Where the run that begins at i ends. */
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

/* Merges neighbouring runs, which the buffers are, until one is left. */
bool
perf_queue_sort(struct perf_queue *queue)
{
	size_t low, middle, high, runs = 2;

	if (end_of_run(queue->item, 0, queue->count) == queue->count)
		return true;
	if (!cg_grow_raw(&queue->room, &queue->room_cap, queue->cap,
		sizeof(*queue->room)))
		return false;
	while (runs > 1) {
		struct perf_queued *swap = queue->item;
		size_t cap = queue->cap;

		runs = 0;
		for (low = 0; low < queue->count; low = high, runs++) {
			middle = end_of_run(queue->item, low, queue->count);
			high =
			    middle == queue->count
				? middle
				: end_of_run(queue->item, middle, queue->count);
			merge(
			    queue->item, low, middle, high, &queue->room[low]);
		}
		queue->item = queue->room;
		queue->cap = queue->room_cap;
		queue->room = swap;
		queue->room_cap = cap;
	}
	return true;
}

bool
perf_queue_drop(struct perf_queue *queue, size_t n, const struct perf_file *f)
{
	char *swap = queue->bytes;
	size_t cap = queue->bytes_cap, used = 0;

	if (!cg_grow_raw(&queue->spare, &queue->spare_cap, queue->used, 1))
		return false;
	for (size_t i = n; i < queue->count; i++) {
		const char *record = swap + queue->item[i].at;
		size_t size = perf_record_size(f, record);

		memcpy(queue->spare + used, record, size);
		queue->item[i - n] =
		    (struct perf_queued){ queue->item[i].time, used };
		used += size;
	}
	queue->count -= n;
	queue->used = used;
	queue->bytes = queue->spare;
	queue->bytes_cap = queue->spare_cap;
	queue->spare = swap;
	queue->spare_cap = cap;
	return true;
}

void
perf_queue_free(struct perf_queue *queue)
{
	free(queue->item);
	free(queue->room);
	free(queue->bytes);
	free(queue->spare);
}
