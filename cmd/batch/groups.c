/*
 * groups.c - outputs of many inputs: assigns inputs to groups (the inputs of
 * one output), and splits groups into chunks (the inputs that one worker
 * sums).
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"

/*
 * Limits of a chunk in a small group: inputs, and their bytes. If a worker
 * dies, the inputs of its chunk are read again.
 */
#define CHUNK_PIECES 256
#define CHUNK_BYTES ((uint64_t)32 << 20)
/*
 * The same in a large group, whose chunks have many inputs, as writing and
 * reading their sums takes long; and for units of programs (module.gathers).
 */
#define UNITS_PIECES (8 * CHUNK_PIECES)
#define UNITS_BYTES (8 * CHUNK_BYTES)
/* Chunks of a large group for each worker, so that all end at about a time. */
#define CHUNKS_EACH 4
/* Smaller groups are one chunk, as a chunk's sum is written and read again. */
#define CHUNK_LEAST ((uint64_t)1 << 20)
/* Bytes of archive members in unfinished chunks of all groups. */
#define HELD_MAX ((uint64_t)256 << 20)

/* ---- Grouping ----------------------------------------------------------- */

/*
 * Returns the name of an input's group by --group-by, for the caller to free:
 * the match of regex or its first parentheses. Without regex, it is the
 * input's directory or "all". NULL: no match, or out of memory; only then *ok
 * becomes false.
 */
static char *
group_name(const regex_t *regex, const char *name, bool *ok)
{
	regmatch_t match[2];
	const char *slash = strrchr(name, '/');
	char *text;

	if (regex == NULL) {
		text = slash != NULL ? strndup(name, (size_t)(slash - name))
				     : strdup("all");
	} else if (regexec(regex, name, 2, match, 0) == 0) {
		const regmatch_t *it = &match[match[1].rm_so >= 0];

		if (it->rm_eo == it->rm_so)
			return NULL;
		text =
		    strndup(name + it->rm_so, (size_t)(it->rm_eo - it->rm_so));
	} else {
		return NULL;
	}
	*ok = text != NULL;
	return text;
}

struct named {
	char *name;
	size_t task;
};

static int
compare_named(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	return order != 0 ? order : (a->task > b->task) - (a->task < b->task);
}

static bool
add_group(struct batch *batch, char *name, size_t first)
{
	size_t owner = batch->tasks + batch->groups;
	uint32_t claim = name ? claim_output(batch, owner, name) : 0;
	char *output = claimed_name(name, claim);

	if (claim == 0 || !output ||
	    !cg_grow(&batch->group, &batch->group_cap, batch->groups + 1,
		sizeof(*batch->group))) {
		free(output);
		return false;
	}
	batch->group[batch->groups++] =
	    (struct group){ .output = output, .first = first };
	return true;
}

/*
 * Adds a group of inputs for each distinct name, and links its tasks. all: the
 * tasks with the names of their groups, sorted by name, then by input order.
 * False: out of memory.
 */
static bool
make_groups(struct batch *batch, const struct named *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct task *task = &batch->task[all[i].task];

		if ((i == 0 || strcmp(all[i].name, all[i - 1].name) != 0) &&
		    !add_group(
			batch, output_name(batch, all[i].name), all[i].task))
			return false;
		task->group = (uint32_t)batch->groups;
		batch->group[batch->groups - 1].tasks++;
		if (batch->group[batch->groups - 1].tasks > 1)
			batch->task[all[i - 1].task].next_in_group =
			    (uint32_t)all[i].task;
	}
	return true;
}

static bool
group_by(struct batch *batch, const regex_t *regex)
{
	struct named *all = calloc(batch->tasks + 1, sizeof(*all));
	size_t count = 0;
	bool ok = all != NULL;

	for (size_t i = 0; ok && i < batch->tasks; i++) {
		const struct task *task = &batch->task[i];
		char *name = NULL, *group = NULL;

		if (task->state != PENDING)
			continue;
		name = safe_path(task->path);
		ok = name != NULL;
		if (ok)
			group = group_name(regex, name, &ok);
		if (group != NULL)
			all[count++] = (struct named){ group, i };
		free(name);
	}
	if (ok && count > 0)
		qsort(all, count, sizeof(*all), compare_named);
	ok = ok && make_groups(batch, all, count);
	while (count > 0)
		free(all[--count].name);
	free(all);
	return ok;
}

/*
 * Adds one group (the inputs of one output) for -o. Puts all pending tasks
 * into it, as a list in the order of the tasks. False: out of memory.
 */
static bool
group_all(struct batch *batch)
{
	size_t last = 0;

	if (!add_group(batch, strdup(batch->args->output), 0))
		return false;
	for (size_t i = 0; i < batch->tasks; i++) {
		if (batch->task[i].state != PENDING)
			continue;
		batch->task[i].group = 1;
		if (batch->group[0].tasks++ > 0)
			batch->task[last].next_in_group = (uint32_t)i;
		else
			batch->group[0].first = i;
		last = i;
	}
	return true;
}

int
find_groups(struct batch *batch)
{
	const struct args *args = batch->args;
	char text[128];
	regex_t regex;
	bool ok = true;
	int error;

	if (args->part_by && (args->output || args->group_by))
		return cg_usage(args->job,
		    "--part-by cannot be used where inputs are merged by "
		    "workers; use one input, or -O without --group-by");
	if (args->output != NULL) {
		ok = group_all(batch);
	} else if (args->group_by != NULL &&
		   strcmp(args->group_by, "dir") == 0) {
		ok = group_by(batch, NULL);
	} else if (args->group_by != NULL) {
		error = regcomp(&regex, args->group_by, REG_EXTENDED);
		if (error != 0) {
			(void)regerror(error, &regex, text, sizeof(text));
			return cg_usage(args->job,
			    "--group-by: expected dir or a regular expression, "
			    "not '%s': %s",
			    args->group_by, text);
		}
		ok = group_by(batch, &regex);
		regfree(&regex);
	}
	return ok ? CG_OK : cg_nomem(args->job);
}

void
free_groups(struct batch *batch)
{
	struct chunk *chunk;

	for (size_t i = 0; i < batch->groups; i++) {
		if (batch->group[i].chunk != NULL)
			free_chunk(batch->group[i].chunk);
		if (batch->group[i].together != NULL)
			free_chunk(batch->group[i].together);
		free(batch->group[i].output);
		free(batch->group[i].written);
		free(batch->group[i].error);
	}
	free(batch->group);
	while ((chunk = batch->restarted) != NULL) {
		batch->restarted = chunk->next;
		free_chunk(chunk);
	}
}

/*
 * Returns the task after "task" in a group (the inputs of one output), in the
 * order of the inputs. If "task" is NULL, returns the first task of the group.
 * NULL: there are no more tasks.
 */
static struct task *
next_in_group(
    const struct batch *batch, const struct group *group, struct task *task)
{
	if (task == NULL)
		return group->tasks > 0 ? &batch->task[group->first] : NULL;
	return task->next_in_group > 0 ? &batch->task[task->next_in_group]
				       : NULL;
}

/*
 * Returns the size of a task's input: of its file and, if it is a unit (files
 * that a format reads as one input), of the unit's other files.
 */
static uint64_t
unit_bytes(const struct batch *batch, const struct task *task)
{
	uint64_t bytes = task->size;

	while (task->next > 0) {
		task = &batch->task[task->next];
		bytes += task->size;
	}
	return bytes;
}

void
reopen_groups(struct batch *batch)
{
	for (size_t i = 0; i < batch->groups; i++) {
		struct group *group = &batch->group[i];
		struct task *task = NULL;

		while ((task = next_in_group(batch, group, task)) != NULL)
			group->waiting += task->state == PENDING;
		if (group->waiting == 0)
			continue;
		while ((task = next_in_group(batch, group, task)) != NULL) {
			if (task->state == DONE || task->state == UP_TO_DATE) {
				reset_task(task);
				group->waiting++;
			}
			if (task->state == PENDING)
				group->bytes += unit_bytes(batch, task);
		}
	}
}

/* ---- Chunks ------------------------------------------------------------- */

void
free_piece(struct piece *piece)
{
	for (size_t i = 0; i < piece->blobs; i++)
		free(piece->blob[i].bytes);
	free(piece->blob);
	*piece = (struct piece){ 0 };
}

void
free_chunk(struct chunk *chunk)
{
	for (size_t i = 0; i < chunk->count; i++)
		free_piece(&chunk->piece[i]);
	free(chunk->piece);
	free(chunk);
}

static struct chunk *
new_chunk(struct group *group)
{
	struct chunk *chunk = calloc(1, sizeof(*chunk));

	if (!chunk || !cg_grow(&group->written, &group->cap, group->chunks + 1,
			  sizeof(*group->written))) {
		free(chunk);
		return NULL;
	}
	chunk->group = group;
	chunk->number = group->chunks;
	group->written[group->chunks++] = false;
	group->open++;
	return chunk;
}

static bool
add_piece(struct chunk *chunk, struct piece piece)
{
	if (!cg_grow(
		&chunk->piece, &chunk->cap, chunk->count + 1, sizeof(piece)))
		return false;
	chunk->piece[chunk->count++] = piece;
	return true;
}

/*
 * Takes the chunk (the inputs that one worker sums) out of *slot, where its
 * group has kept it while it was filled. Returns it; NULL: there is none.
 */
static struct chunk *
take(struct batch *batch, struct group *group, struct chunk **slot)
{
	struct chunk *chunk = *slot;

	if (chunk == NULL)
		return NULL;
	for (size_t i = 0; i < chunk->count; i++)
		for (size_t k = 0; k < chunk->piece[i].blobs; k++)
			batch->waiting_bytes -= chunk->piece[i].blob[k].size;
	*slot = NULL;
	chunk->whole = group->waiting == 0 && group->open == 1;
	for (size_t i = 0; i < group->chunks; i++)
		chunk->whole = chunk->whole && !group->written[i];
	return chunk;
}

struct chunk *
take_chunk(struct batch *batch, struct group *group)
{
	return take(batch, group, &group->chunk);
}

/*
 * Returns a chunk of a group that gets no more inputs; NULL: there is none. The
 * chunk of inputs that their format sums is the last one, after all others
 * have ended, as reading the others may show more such inputs.
 */
static struct chunk *
take_last(struct batch *batch, struct group *group)
{
	if (group->chunk != NULL)
		return take(batch, group, &group->chunk);
	return group->open == 1 ? take(batch, group, &group->together) : NULL;
}

bool
defer_piece(struct chunk *chunk)
{
	struct group *group = chunk->group;
	const struct piece piece = { .task = chunk->piece[chunk->at].task,
		.known = true };

	if (group->together == NULL) {
		group->together = new_chunk(group);
		if (group->together == NULL)
			return false;
		group->together->together = true;
	}
	if (!add_piece(group->together, piece))
		return false;
	chunk->whole = false;
	return true;
}

size_t
unit_chunks(const struct group *group)
{
	uint64_t by_bytes = group->bytes / UNITS_BYTES + 1;
	uint64_t by_count = group->tasks / UNITS_PIECES + 1;

	return (size_t)(by_bytes > by_count ? by_bytes : by_count);
}

/*
 * Returns how many bytes of multi-file inputs one worker may sum. Reading a
 * sum back takes as long as reading its inputs, so a group is split into few,
 * evenly. Files in archives count as 0 bytes.
 */
static uint64_t
units_bytes(const struct group *group)
{
	return group->bytes > UNITS_BYTES
		   ? group->bytes / unit_chunks(group) + 1
		   : UNITS_BYTES;
}

/*
 * Returns a limit for each chunk (the inputs that one worker sums) of a group,
 * so that each worker gets CHUNKS_EACH chunks. "all" is the number of inputs
 * of the group, or of their bytes; the limit is in the same unit. It is not
 * below "least" and not above "most".
 */
static uint64_t
split_evenly(
    const struct batch *batch, uint64_t all, uint64_t least, uint64_t most)
{
	uint64_t share = all / (CHUNKS_EACH * batch->args->jobs);

	return share < least ? least : share < most ? share : most;
}

/*
 * Returns true if the chunk, the inputs that one worker sums, takes no more
 * inputs. A large group has larger chunks; a small one is split, so that each
 * worker gets one. A chunk whose format sums has no limit: only names wait in
 * it, and sums of two chunks do not tell which runs together have shown a
 * condition.
 */
static bool
is_full(const struct batch *batch, const struct chunk *chunk)
{
	const struct group *group = chunk->group;
	uint64_t even = group->bytes / batch->args->jobs;
	uint64_t bytes = CHUNK_BYTES, pieces = CHUNK_PIECES;

	if (chunk->together)
		return false;
	if (chunk->units)
		return chunk->count >= UNITS_PIECES ||
		       chunk->bytes >= units_bytes(chunk->group);
	if (batch->waiting_bytes == 0) {
		bytes =
		    split_evenly(batch, group->bytes, CHUNK_BYTES, UNITS_BYTES);
		pieces = split_evenly(
		    batch, group->tasks, CHUNK_PIECES, UNITS_PIECES);
	}
	return chunk->count >= pieces || chunk->bytes >= bytes ||
	       (chunk->bytes >= even && chunk->bytes >= CHUNK_LEAST);
}

int
fill_chunk(struct batch *batch, struct piece piece, struct chunk **full)
{
	const struct task *task = &batch->task[piece.task];
	struct group *group = &batch->group[task->group - 1];
	bool together = is_summed_by_format(batch, task);
	struct chunk **slot = together ? &group->together : &group->chunk;
	uint64_t bytes = piece.blobs > 0 ? 0 : unit_bytes(batch, task);

	*full = NULL;
	if (*slot == NULL)
		*slot = new_chunk(group);
	if (*slot == NULL || !add_piece(*slot, piece)) {
		free_piece(&piece);
		return cg_nomem(batch->args->job);
	}
	for (size_t i = 0; i < piece.blobs; i++)
		bytes += piece.blob[i].size;
	if (piece.blobs > 0)
		batch->waiting_bytes += bytes;
	(*slot)->bytes += bytes;
	(*slot)->units |= is_gathered(batch, task);
	(*slot)->together = together;
	group->waiting--;
	if (group->waiting == 0)
		*full = take_last(batch, group);
	else if (piece.streamed || is_full(batch, *slot) ||
		 batch->waiting_bytes > HELD_MAX)
		*full = take_chunk(batch, group);
	return CG_OK;
}

void
find_summed(
    struct batch *batch, const struct group *group, struct summed *summed)
{
	struct task *task = NULL;

	*summed = (struct summed){ 0 };
	while ((task = next_in_group(batch, group, task)) != NULL) {
		if (task->state != SUMMED)
			continue;
		if (summed->inputs < NAMED_MAX)
			summed->task[summed->inputs] =
			    (size_t)(task - batch->task);
		summed->inputs++;
	}
}

static bool
has_done(const struct batch *batch, const struct group *group)
{
	struct task *task = NULL;

	while ((task = next_in_group(batch, group, task)) != NULL)
		if (task->state == DONE)
			return true;
	return batch->args->output == NULL;
}

/*
 * Adds a group to batch->ready once all its inputs and partial sums have
 * ended. Workers merge these groups to outputs. Does nothing before, at later
 * calls, or without a sum. But a shard without finished inputs gets an output,
 * too.
 */
static void
check_ready(struct batch *batch, struct group *group)
{
	bool any = false;

	if (group->waiting > 0 || group->chunk != NULL ||
	    group->together != NULL || group->open > 0 || group->merged)
		return;
	for (size_t i = 0; i < group->chunks; i++)
		any = any || group->written[i];
	group->merged = true;
	/* A shard without inputs has an output, too, for merging the shards. */
	if (!any && (batch->args->shards == 0 || has_done(batch, group)))
		return;
	group->next = batch->ready;
	batch->ready = group;
}

struct chunk *
next_chunk(struct batch *batch)
{
	struct chunk *chunk;

	for (size_t i = 0; i < batch->groups; i++) {
		struct group *group = &batch->group[i];

		group->waiting = 0; /* the other tasks have failed */
		chunk = take_last(batch, group);
		if (chunk != NULL)
			return chunk;
		check_ready(batch, group);
	}
	return NULL;
}

void
end_chunk(struct batch *batch, struct chunk *chunk)
{
	struct group *group = chunk->group;
	struct chunk *last;

	group->open--;
	if (chunk->whole) {
		group->merged = true;
		if (chunk->summed > 0)
			end_group(batch, group);
	} else {
		/* The file of a stopped worker may be complete. */
		group->written[chunk->number] =
		    chunk->summed > 0 || batch_stopped(batch);
		if (group->waiting == 0 && group->chunk == NULL) {
			last = take_last(batch, group);
			if (last != NULL)
				restart_chunk(batch, last);
		}
		check_ready(batch, group);
	}
	free_chunk(chunk);
	if (group->error == NULL)
		return;
	/* The group has failed: so do the tasks of this chunk. */
	fail_group(batch, group, group->error);
	if (group->open == 0)
		remove_chunks(batch, group);
}

void
restart_chunk(struct batch *batch, struct chunk *chunk)
{
	chunk->at = chunk->summed = 0;
	chunk->next = batch->restarted;
	batch->restarted = chunk;
}

char *
chunk_path(const struct batch *batch, const struct group *group, size_t number,
    pid_t parent)
{
	char *path = output_path(batch, group->output), *text = NULL;
	const char *slash, *base;
	size_t size;
	FILE *to = path != NULL ? open_memstream(&text, &size) : NULL;

	if (to != NULL) {
		slash = strrchr(path, '/');
		base = slash != NULL ? slash + 1 : path;
		fprintf(to, "%.*s.%s.cgconv.%ld.%zu", (int)(base - path), path,
		    base, (long)parent, number);
	}
	(void)close_text(to, &text);
	free(path);
	return text;
}

void
remove_chunks(const struct batch *batch, struct group *group)
{
	for (size_t i = 0; i < group->chunks; i++) {
		char *path = group->written[i]
				 ? chunk_path(batch, group, i, getpid())
				 : NULL;

		if (path != NULL)
			(void)unlink(path);
		group->written[i] = false;
		free(path);
	}
}

/* ---- Completion --------------------------------------------------------- */

static void
report_partial(struct batch *batch, const struct group *group, size_t failed)
{
	char text[80];
	const struct cg_message message = {
		.severity = CG_ERROR, .file = group->output, .text = text
	};

	snprintf(text, sizeof(text),
	    "the output is partial: %zu of %zu inputs failed", failed,
	    group->tasks);
	print_lines(batch, ""); /* remove the progress line */
	put_message(stderr, &message);
}

void
end_group(struct batch *batch, struct group *group)
{
	struct task *task = NULL;
	size_t failed = 0;

	while ((task = next_in_group(batch, group, task)) != NULL) {
		size_t number = (size_t)(task - batch->task);

		failed += task->state == FAILED;
		if (task->state != SUMMED)
			continue;
		batch->count[SUMMED]--;
		end_task(batch, number, DONE, take_log(batch, number),
		    batch->result[number]);
		set_result(batch, number, NULL);
	}
	if (failed > 0)
		report_partial(batch, group, failed);
}

void
fail_group(struct batch *batch, struct group *group, const char *text)
{
	struct task *task = NULL;

	batch->lost = true;
	if (group->error == NULL)
		group->error = strdup(text);
	group->merged = true;
	while ((task = next_in_group(batch, group, task)) != NULL) {
		if (task->state != SUMMED)
			continue;
		batch->count[SUMMED]--;
		fail_without_log(batch, (size_t)(task - batch->task), text);
	}
}
