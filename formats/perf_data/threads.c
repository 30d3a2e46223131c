/*
 * threads.c - threads with their names, and the mappings of their processes, as
 * they are at the time of a record.
 *
 * Source: util/machine.c, util/thread.c and util/maps.c of perf 6.1: a new
 * process has its parent's name and mappings; a new mapping replaces what was
 * there, and neither exec nor exit removes any.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf_data.h"

/* The limit of Linux by default (vm.max_map_count is 65530). */
#define MAPS_MAX 65536
/*
 * Limit of mappings of all processes, which forks may copy, by the recording's
 * size.
 */
#define TOTAL_MIN (1u << 20)
#define TOTAL_BYTES 8
/* samples.c uses the two highest bits as flags. */
#define VERSIONS_MAX (((uint32_t)1 << 30) - 1)

/* ---- Mappings ----------------------------------------------------------- */

static void
release(struct perf_threads *threads, struct perf_maps *maps)
{
	if (!maps || --maps->users > 0)
		return;
	threads->total -= maps->count;
	free(maps->map);
	free(maps);
}

/*
 * Returns the index of a process in threads->process. A new process is added
 * without mappings. SIZE_MAX: out of memory (reported).
 */
static size_t
find_process(struct perf_threads *threads, uint32_t pid)
{
	uint32_t *id = cg_map_at(&threads->by_pid, pid);

	if (!id) {
		(void)cg_reject_nomem(threads->file->job);
		return SIZE_MAX;
	}
	if (*id == 0) {
		if (!cg_push(threads->file->job, &threads->process))
			return SIZE_MAX;
		*id = (uint32_t)threads->process.n;
	}
	return *id - 1;
}

const struct perf_maps *
perf_threads_maps(struct perf_threads *threads, uint32_t pid)
{
	uint32_t id = cg_map_get(&threads->by_pid, pid);

	return id ? threads->process.at[id - 1] : NULL;
}

/*
 * Returns the mappings of a process for changing, with room for two more.
 * "process" is the process's index. If forked processes share them, the
 * process gets a copy of its own. Valid until the process's mappings change
 * again. NULL: out of memory (not reported).
 */
static struct perf_maps *
own_maps(struct perf_threads *threads, size_t process)
{
	struct perf_maps *old = threads->process.at[process], *maps = old;
	size_t count = old ? old->count : 0;

	if (!old || old->users > 1) {
		maps = calloc(1, sizeof(*maps));
		if (!maps)
			return NULL;
		maps->users = 1;
	}
	if (!cg_grow_raw(
		&maps->map, &maps->cap, count + 2, sizeof(*maps->map))) {
		if (maps != old)
			free(maps);
		return NULL;
	}
	if (maps != old && count > 0)
		memcpy(maps->map, old->map, count * sizeof(*maps->map));
	if (maps != old)
		threads->total += count;
	maps->count = count;
	if (maps != old)
		release(threads, old);
	threads->process.at[process] = maps;
	return maps;
}

/*
 * Returns the index of the first mapping that ends after the address; this
 * mapping may contain the address. Without one, returns the number of
 * mappings.
 */
static size_t
first_after(const struct perf_maps *maps, uint64_t addr)
{
	size_t low = 0, high = maps->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (maps->map[middle].end > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct perf_map *
perf_maps_find(const struct perf_maps *maps, uint64_t addr)
{
	size_t i = first_after(maps, addr);

	return i < maps->count && maps->map[i].start <= addr ? &maps->map[i]
							     : NULL;
}

/*
 * Inserts a mapping into the sorted list of mappings. Older mappings lose the
 * addresses that the new one covers. Removes an older mapping that it covers
 * as a whole. One that it splits becomes two. The caller must have made room
 * for two more mappings.
 */
static void
insert(struct perf_maps *maps, const struct perf_map *new)
{
	size_t i = first_after(maps, new->start), j = i, n = 0;
	struct perf_map piece[3];

	if (i < maps->count && maps->map[i].start < new->start) {
		piece[n] = maps->map[i];
		piece[n++].end = new->start;
	}
	piece[n++] = *new;
	while (j < maps->count && maps->map[j].end <= new->end)
		j++;
	if (j < maps->count && maps->map[j].start < new->end) {
		piece[n] = maps->map[j];
		piece[n].offset += new->end - piece[n].start;
		piece[n++].start = new->end;
		j++;
	}
	memmove(&maps->map[i + n], &maps->map[j],
	    (maps->count - j) * sizeof(*maps->map));
	memcpy(&maps->map[i], piece, n * sizeof(*maps->map));
	maps->count = maps->count - (j - i) + n;
}

bool
perf_threads_map(
    struct perf_threads *threads, uint32_t pid, const struct perf_map *map)
{
	struct cg_job *job = threads->file->job;
	size_t process = find_process(threads, pid), before;
	struct perf_maps *maps;

	if (process == SIZE_MAX)
		return false;
	maps = own_maps(threads, process);
	if (!maps)
		return cg_reject_nomem(job);
	before = maps->count;
	insert(maps, map);
	threads->total += maps->count - before;
	maps->version = ++threads->versions;
	threads->changes++;
	if (maps->count > MAPS_MAX || threads->versions == VERSIONS_MAX ||
	    threads->total > TOTAL_MIN + threads->file->taken / TOTAL_BYTES)
		return cg_reject(job, "expected fewer mappings of a process");
	return true;
}

/* ---- Threads ------------------------------------------------------------ */

static struct perf_thread *
add_thread(struct perf_threads *threads, uint32_t *id)
{
	struct perf_thread *thread =
	    cg_push(threads->file->job, &threads->thread);

	*id = thread ? (uint32_t)threads->thread.n : 0;
	return thread;
}

struct perf_thread *
perf_threads_get(struct perf_threads *threads, uint32_t pid, uint32_t tid)
{
	struct perf_thread *thread = threads->last;
	uint32_t *id;
	char name[16];

	if (thread && thread->tid == tid && thread->pid == pid)
		return thread;
	id = cg_map_at(&threads->by_tid, tid);
	if (!id) {
		(void)cg_reject_nomem(threads->file->job);
		return NULL;
	}
	if (*id) {
		thread = &threads->thread.at[*id - 1];
		thread->pid = pid;
		threads->last = thread;
		return thread;
	}
	thread = threads->last = add_thread(threads, id);
	if (!thread)
		return NULL;
	snprintf(name, sizeof(name), ":%d", (int)tid);
	*thread = (struct perf_thread){ .pid = pid,
		.tid = tid,
		.comm = cg_add_name(threads->file->build,
		    cg_slice(tid == 0 ? "swapper" : name)) };
	return thread;
}

bool
perf_threads_fork(struct perf_threads *threads, uint32_t pid, uint32_t tid,
    uint32_t parent_pid, uint32_t parent_tid)
{
	struct perf_thread *thread =
	    perf_threads_get(threads, parent_pid, parent_tid);
	struct perf_maps *maps;
	size_t process;
	cg_name comm;

	if (!thread)
		return false;
	comm = thread->comm;
	thread = perf_threads_get(threads, pid, tid);
	if (!thread)
		return false;
	thread->comm = comm;
	if (pid == parent_pid)
		return true;
	process = find_process(threads, parent_pid);
	if (process == SIZE_MAX)
		return false;
	maps = threads->process.at[process];
	process = find_process(threads, pid);
	if (process == SIZE_MAX)
		return false;
	if (maps)
		maps->users++;
	release(threads, threads->process.at[process]);
	threads->process.at[process] = maps;
	threads->changes++;
	return true;
}

bool
perf_threads_open(struct perf_threads *threads, struct perf_file *file)
{
	*threads = (struct perf_threads){ .file = file };
	return perf_threads_get(threads, 0, 0) != NULL;
}

void
perf_threads_close(struct perf_threads *threads)
{
	for (size_t i = 0; i < threads->process.n; i++)
		release(threads, threads->process.at[i]);
	cg_map_free(&threads->by_tid);
	cg_map_free(&threads->by_pid);
}
