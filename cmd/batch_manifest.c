/*
 * batch_manifest.c - the books of a batch: JSON Lines, one line for each
 * input as it ends. A later line about an input counts more.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch.h"

const char *const state_name[STATES] = {
	[TODO] = "todo",
	[DONE] = "done",
	[FAILED] = "failed",
	[SKIPPED] = "skipped",
	[KEPT] = "kept",
	[SUMMED] = "summed",
	[STOPPED] = "stopped",
};

/* ---- Writing ------------------------------------------------------------- */

void
put_manifest(struct batch *batch, const struct task *task, const char *tail)
{
	const char *output = task_output(batch, task);
	FILE *to = batch->manifest;

	if (to == NULL || task->state == STOPPED || task->state == SUMMED)
		return;
	fputs("{\"input\":", to);
	put_json(to, cg_slice(task->path));
	if (task->member != NULL) {
		fputs(",\"member\":", to);
		put_json(to, cg_slice(task->member));
	}
	fprintf(to, ",\"size\":%" PRIu64 ",\"mtime\":%" PRId64, task->size,
	    task->mtime);
	fprintf(to, ",\"status\":\"%s\"", state_name[task->state]);
	if (output != NULL && (task->state == DONE || task->state == KEPT)) {
		fputs(",\"output\":", to);
		put_json(to, cg_slice(output));
	}
	if (task->reason != NULL) {
		fputs(",\"reason\":", to);
		put_json(to, cg_slice(task->reason));
	}
	fprintf(to, "%s}\n", tail);
	(void)fflush(to); /* whatever becomes of us: this one has ended */
}

int
close_manifest(struct batch *batch)
{
	bool ok;

	if (batch->manifest == NULL)
		return CG_OK;
	ok = !ferror(batch->manifest) && fflush(batch->manifest) == 0 &&
	     (fsync(fileno(batch->manifest)) == 0 || errno == EINVAL);
	ok = fclose(batch->manifest) == 0 && ok;
	batch->manifest = NULL;
	if (!ok)
		fprintf(stderr, "cgconv: error: cannot write the manifest\n");
	return ok ? CG_OK : CG_EOUTPUT;
}

/* ---- Reading what an earlier run has written ------------------------------ */

struct line {
	char *input, *member, *status;
	uint64_t size, mtime;
};

static void
free_line(struct line *line)
{
	free(line->input);
	free(line->member);
	free(line->status);
}

static char *
copy_string(const struct cg_json *json)
{
	char *text = malloc(json->text.len + 1);
	struct cg_slice plain;

	if (text == NULL)
		return NULL;
	plain = cg_json_string(json, text);
	memmove(text, plain.ptr, plain.len);
	text[plain.len] = '\0';
	return text;
}

/* One key that matters, of an object; the others are stepped over. */
static bool
take_field(struct cg_json *json, struct line *line, struct cg_slice key)
{
	enum cg_json_type type = cg_json_next(json);
	struct cg_slice digits = json->text;
	char **to = NULL;

	if (cg_equal(key, "input"))
		to = &line->input;
	else if (cg_equal(key, "member"))
		to = &line->member;
	else if (cg_equal(key, "status"))
		to = &line->status;
	if (to != NULL && type == CG_JSON_STRING && *to == NULL) {
		*to = copy_string(json);
		return *to != NULL;
	}
	if (cg_equal(key, "size") && type == CG_JSON_NUMBER)
		return cg_take_u64(&digits, &line->size);
	if (cg_equal(key, "mtime") && type == CG_JSON_NUMBER)
		return cg_take_u64(&digits, &line->mtime);
	return cg_json_skip(json, type);
}

static bool
parse_line(struct cg_slice text, struct line *line)
{
	struct cg_json *json = malloc(sizeof(*json));
	bool ok = json != NULL;
	enum cg_json_type type;
	char key[32];

	*line = (struct line){ 0 };
	if (!ok)
		return false;
	cg_json_start(json, text);
	ok = cg_json_next(json) == CG_JSON_OBJECT;
	while (ok && (type = cg_json_next(json)) != CG_JSON_OBJECT_END) {
		struct cg_slice name = { key, 0 };

		if (type == CG_JSON_KEY && json->text.len < sizeof(key)) {
			memcpy(key, json->text.ptr, json->text.len);
			name.len = json->text.len;
		}
		ok = type == CG_JSON_KEY && take_field(json, line, name);
	}
	free(json);
	return ok && line->input != NULL && line->status != NULL;
}

static int
compare_tasks(const struct task *task, const char *path, const char *member)
{
	int order = strcmp(task->path, path);

	if (order != 0)
		return order;
	return strcmp(task->member != NULL ? task->member : "",
	    member != NULL ? member : "");
}

static int
compare_known(const void *pa, const void *pb)
{
	const struct task *a = *(struct task *const *)pa;
	const struct task *b = *(struct task *const *)pb;

	return compare_tasks(a, b->path, b->member);
}

/* known: all tasks, by name. */
static void
apply_line(struct batch *batch, struct task **known, const struct line *line)
{
	size_t low = 0, high = batch->tasks;
	struct task *task;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_tasks(known[middle], line->input, line->member) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	/* Of members of one name the first counts: they end together. */
	for (; low < batch->tasks; low++) {
		task = known[low];
		if (compare_tasks(task, line->input, line->member) != 0)
			return;
		if (task->mtime != (int64_t)line->mtime ||
		    (task->member == NULL && task->size != line->size))
			return;
		for (int s = 0; s < STATES; s++)
			if (strcmp(line->status, state_name[s]) == 0)
				task->state = (enum state)s;
		task->before = true;
	}
}

void
do_again(struct task *task)
{
	task->before = false;
	task->state = TODO;
}

/* Its output may have been removed since: then it is done again. */
static void
check_outputs(struct batch *batch)
{
	for (size_t i = 0; i < batch->tasks; i++) {
		struct task *task = &batch->task[i];
		const char *output = task_output(batch, task);
		char *path;

		if (task->before && task->state == FAILED && batch->args->retry)
			do_again(task);
		if (!task->before ||
		    (task->state != DONE && task->state != KEPT))
			continue;
		path = output != NULL ? place_output(batch, output) : NULL;
		if (path == NULL || access(path, F_OK) != 0)
			do_again(task);
		free(path);
	}
}

/* A last line without its end was cut by a death: it does not count. */
static int
read_lines(struct batch *batch, FILE *from)
{
	struct task **known = calloc(batch->tasks + 1, sizeof(*known));
	char *text = NULL;
	size_t size = 0;
	off_t whole = 0;
	ssize_t n;

	if (known == NULL)
		return cg_nomem(batch->args->job);
	for (size_t i = 0; i < batch->tasks; i++)
		known[i] = &batch->task[i];
	qsort(known, batch->tasks, sizeof(*known), compare_known);
	while ((n = getline(&text, &size, from)) > 0 && text[n - 1] == '\n') {
		struct line line;

		whole += n;
		if (parse_line((struct cg_slice){ text, (size_t)n }, &line))
			apply_line(batch, known, &line);
		free_line(&line);
	}
	free(text);
	free(known);
	check_outputs(batch);
	if (ftruncate(fileno(from), whole) == 0 &&
	    fseeko(from, whole, SEEK_SET) == 0)
		return CG_OK;
	return CG_EOUTPUT;
}

int
open_manifest(struct batch *batch)
{
	const struct args *args = batch->args;
	FILE *file;
	int status = CG_OK;

	if (args->manifest == NULL)
		return args->resume || args->retry
			   ? cg_usage(args->job,
				 "--resume needs the --manifest to go on from")
			   : CG_OK;
	if (!args->resume && access(args->manifest, F_OK) == 0 &&
	    !args->overwrite)
		return cg_usage(args->job,
		    "%s is there: go on with --resume, or --overwrite it",
		    args->manifest);
	file = fopen(args->manifest, args->resume ? "a+e" : "we");
	if (file == NULL) {
		fprintf(stderr, "cgconv: error: cannot open the manifest: %s\n",
		    strerror(errno));
		return CG_EOUTPUT;
	}
	batch->manifest = file;
	if (args->resume) {
		rewind(file);
		status = read_lines(batch, file);
	}
	return status;
}
