/*
 * deferred.c - samples whose user stack is in a later record.
 *
 * Source: linux/perf_event.h of Linux 6.19 (PERF_RECORD_CALLCHAIN_DEFERRED),
 * and evlist__deliver_deferred_callchain() in util/session.c of its perf. A
 * call chain that ends with PERF_CONTEXT_USER_DEFERRED and a cookie is
 * continued by the thread's next record of deferred chains, if that has the
 * same cookie. The thread's other samples are added without one.
 */
#include <stdlib.h>
#include <string.h>

#include "perf_data.h"

/*
 * Limit of waiting samples. A thread's wait until it returns from the kernel.
 */
#define BYTES_MAX ((size_t)16 << 20)

struct perf_waiting {
	struct perf_waiting *next; /* of the thread */
	size_t event;              /* its index */
	uint64_t cookie;
	size_t size;
	char record[];
};

bool
perf_deferred_add(struct perf_deferred *d, const struct perf_event *event,
    uint64_t cookie, struct cg_slice record)
{
	struct cg_job *job = d->samples->file->job;
	uint32_t tid = perf_samples_tid(d->samples, event, record);
	struct perf_waiting *new = malloc(sizeof(*new) + record.len);
	uint32_t *id = new ? cg_map_at(&d->by_tid, tid) : NULL;

	if (!id || (*id == 0 && !cg_push(job, &d->thread))) {
		free(new);
		return cg_reject_nomem(job);
	}
	if (*id == 0)
		*id = (uint32_t)d->thread.n;
	*new = (struct perf_waiting){
		.event = (size_t)(event - d->samples->file->event.at),
		.cookie = cookie,
		.size = record.len
	};
	memcpy(new->record, record.ptr, record.len);
	if (d->thread.at[*id - 1].last)
		d->thread.at[*id - 1].last->next = new;
	else
		d->thread.at[*id - 1].first = new;
	d->thread.at[*id - 1].last = new;
	d->bytes += sizeof(*new) + record.len;
	return d->bytes <= BYTES_MAX || perf_deferred_end(d);
}

/*
 * Adds the waiting samples of a thread to the graph, and frees them. They wait
 * because they lacked their user stack. A sample whose cookie is "cookie" gets
 * the user stack "stack". Each other sample is added without a user stack, and
 * adds 1 to d->unmatched. If "stack" is NULL, no sample gets one. False: an
 * error (reported). Then the samples that remain are freed, but not added.
 */
static bool
add_samples(struct perf_deferred *d, struct perf_waiting_thread *thread,
    uint64_t cookie, const struct cg_slice *stack)
{
	bool good = true;

	for (struct perf_waiting *w; (w = thread->first);) {
		bool matches = stack && w->cookie == cookie;

		thread->first = w->next;
		d->bytes -= sizeof(*w) + w->size;
		d->unmatched += !matches;
		good = good && perf_samples_add(d->samples,
				   &d->samples->file->event.at[w->event],
				   (struct cg_slice){ w->record, w->size },
				   matches ? stack : NULL);
		free(w);
	}
	thread->last = NULL;
	return good;
}

bool
perf_deferred_match(struct perf_deferred *d, uint32_t tid, uint64_t cookie,
    struct cg_slice stack)
{
	uint32_t id = cg_map_get(&d->by_tid, tid);

	return id == 0 || add_samples(d, &d->thread.at[id - 1], cookie, &stack);
}

bool
perf_deferred_end(struct perf_deferred *d)
{
	bool good = true;

	for (size_t i = 0; good && i < d->thread.n; i++)
		good = add_samples(d, &d->thread.at[i], 0, NULL);
	return good;
}

void
perf_deferred_close(struct perf_deferred *d)
{
	struct perf_waiting *w;

	for (size_t i = 0; i < d->thread.n; i++) {
		while ((w = d->thread.at[i].first)) {
			d->thread.at[i].first = w->next;
			free(w);
		}
	}
	cg_map_free(&d->by_tid);
}
