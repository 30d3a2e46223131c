/*
 * manifest.c - writes and reads the manifest of a batch, from which it can be
 * resumed: JSON Lines, one line for each finished input. A later line for an
 * input replaces earlier ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch.h"

const char *const state_name[STATES] = {
	[PENDING] = "todo",
	[DONE] = "done",
	[FAILED] = "failed",
	[SKIPPED] = "skipped",
	[UP_TO_DATE] = "kept",
	[SUMMED] = "summed",
	[OTHER_SHARD] = "elsewhere",
	[STOPPED] = "stopped",
};

const char *const reason_text[] = {
	[NO_REASON] = NULL,
	[IS_DIRECTORY] = "a directory",
	[IS_SPECIAL] = "a link or a device",
	[IS_PIPE] = "a pipe or a device",
	[IS_LINKED_DIRECTORY] = "a link to a directory",
	[IN_UNIT] = "read with the first file of its unit",
	[BAD_ARCHIVE] = "the archive could not be read",
	[BAD_REST] = "the rest of the archive could not be read",
};

static int
fail(const char *what)
{
	fprintf(stderr, "cgconv: error: cannot %s the manifest: %s\n", what,
	    strerror(errno));
	return CG_EOUTPUT;
}

/* ---- The tasks by their names ------------------------------------------- */

static const char *
task_member(const struct task *task)
{
	return is_member(task) ? task->path : "";
}

static int
compare_tasks(const struct task *task, const char *path, const char *member)
{
	int order = strcmp(task_file(task), path);

	if (order != 0)
		return order;
	return strcmp(task_member(task), member != NULL ? member : "");
}

static int
compare_known(const void *pa, const void *pb)
{
	const struct task *a = *(struct task *const *)pa;
	const struct task *b = *(struct task *const *)pb;

	return compare_tasks(a, task_file(b), task_member(b));
}

/*
 * Returns an array of the tasks (inputs), sorted by name, to be searched for
 * the names in a manifest. The caller frees it; NULL: out of memory.
 */
static struct task **
sort_tasks(struct batch *batch)
{
	struct task **all = calloc(batch->tasks + 1, sizeof(*all));

	for (size_t i = 0; all != NULL && i < batch->tasks; i++)
		all[i] = &batch->task[i];
	if (all != NULL && batch->tasks > 0)
		qsort(all, batch->tasks, sizeof(*all), compare_known);
	return all;
}

/* ---- Writing ------------------------------------------------------------ */

/* "3/20" */
#define SHARD_ROOM (2 * CG_NUMBER_MAX)
static const char *
shard_text(const struct args *args, char text[SHARD_ROOM])
{
	uint64_t count = args->shards > 0 ? args->shards : 1;

	snprintf(text, SHARD_ROOM, "%" PRIu64 "/%" PRIu64,
	    args->shards > 0 ? args->shard : 1, count);
	return text;
}

/*
 * Writes json as a line of the manifest, and frees it. complete: false if
 * memory ran out while json was made. more: NULL, "", or an object whose
 * members are appended. False: no line; the manifest has failed.
 */
static bool
end_line(struct batch *batch, struct json_object *json, bool complete,
    const char *more)
{
	char *text = complete ? json_text(json) : NULL;

	if (!complete)
		json_object_put(json);
	if (text == NULL) {
		batch->manifest_failed = true;
		return false;
	}
	if (more != NULL && *more != '\0' && more[1] != '}')
		fprintf(batch->manifest, "%.*s,%s\n", (int)strlen(text) - 1,
		    text, more + 1);
	else
		fprintf(batch->manifest, "%s\n", text);
	free(text);
	/* A later crash must not lose this line. */
	(void)fflush(batch->manifest);
	return true;
}

static bool
put_header(struct batch *batch)
{
	struct task **all = sort_tasks(batch);
	struct json_object *json = json_object_new_object();
	char shard[SHARD_ROOM], list[17];
	size_t inputs = 0, of = 0;

	/* An input that is listed twice counts once. */
	for (size_t i = 0; all != NULL && i < batch->tasks; i++) {
		if (i > 0 && compare_known(&all[i - 1], &all[i]) == 0)
			continue;
		of++;
		inputs += all[i]->state != OTHER_SHARD;
	}
	free(all);
	if (all == NULL) {
		json_object_put(json);
		return false;
	}
	snprintf(list, sizeof(list), "%016" PRIx64, batch->list);
	return end_line(batch, json,
	    add_json_text(json, "cgconv", cg_slice(CG_VERSION)) &&
		add_json(
		    json, "options", json_object_get(batch->args->options)) &&
		add_json_text(
		    json, "shard", cg_slice(shard_text(batch->args, shard))) &&
		add_json_text(json, "list", cg_slice(list)) &&
		add_json_u64(json, "inputs", inputs) &&
		add_json_u64(json, "of", of),
	    NULL);
}

static bool
add_output(const struct batch *batch, const struct task *task,
    struct json_object *json)
{
	bool written = task->state == DONE || task->state == UP_TO_DATE, ok;
	char *output;

	if (!written || (task->group == 0 && task->claim == 0))
		return true;
	output = task_output(batch, task);
	ok = output != NULL && add_json_text(json, "output", cg_slice(output));
	free(output);
	return ok;
}

static bool
fill_line(const struct batch *batch, const struct task *task,
    struct json_object *json)
{
	return add_json_text(json, "input", cg_slice(task_file(task))) &&
	       (!is_member(task) ||
		   add_json_text(json, "member", cg_slice(task->path))) &&
	       add_json_u64(json, "size", task->size) &&
	       add_json(json, "mtime", json_object_new_int64(task->mtime)) &&
	       add_json_text(
		   json, "status", cg_slice(state_name[task->state])) &&
	       add_output(batch, task, json) &&
	       (task->reason == NO_REASON ||
		   add_json_text(
		       json, "reason", cg_slice(reason_text[task->reason])));
}

void
put_manifest(struct batch *batch, const struct task *task, const char *result)
{
	struct json_object *json;

	if (batch->manifest == NULL || task->state == STOPPED ||
	    task->state == SUMMED || task->state == OTHER_SHARD)
		return;
	json = json_object_new_object();
	(void)end_line(batch, json, fill_line(batch, task, json), result);
}

int
close_manifest(struct batch *batch)
{
	bool ok;

	if (batch->manifest == NULL)
		return CG_OK;
	ok = !batch->manifest_failed && !ferror(batch->manifest) &&
	     fflush(batch->manifest) == 0 &&
	     (fsync(fileno(batch->manifest)) == 0 || errno == EINVAL);
	ok = fclose(batch->manifest) == 0 && ok;
	batch->manifest = NULL;
	if (!ok)
		fprintf(stderr, "cgconv: error: cannot write the manifest\n");
	return ok ? CG_OK : CG_EOUTPUT;
}

/* ---- Reading an existing manifest --------------------------------------- */

void
free_line(struct line *line)
{
	json_object_put(line->json);
	*line = (struct line){ 0 };
}

/*
 * Sets *to to the string that the object has under this key; json owns the
 * string. If there is no such key, leaves *to as it is. *to must be NULL
 * before. False: the value is not a string.
 */
static bool
get_text(struct json_object *json, const char *key, const char **to)
{
	struct json_object *value;

	if (!json_object_object_get_ex(json, key, &value))
		return true;
	if (json_object_is_type(value, json_type_string))
		*to = json_object_get_string(value);
	return *to != NULL;
}

/*
 * Sets *to to the integer that the object has under this key. If there is no
 * such key, leaves *to as it is. Times may be before 1970, so a negative
 * integer is stored modulo 2^64. False: the value is not an integer, and *to
 * is undefined.
 */
static bool
get_number(struct json_object *json, const char *key, uint64_t *to)
{
	struct json_object *value;
	int64_t number;

	if (!json_object_object_get_ex(json, key, &value))
		return true;
	number = json_object_get_int64(value);
	*to = number < 0 ? (uint64_t)number : json_object_get_uint64(value);
	return json_object_is_type(value, json_type_int);
}

static bool
get_seconds(struct json_object *json, uint64_t *micros)
{
	struct json_object *value;
	double seconds;

	if (!json_object_object_get_ex(json, "seconds", &value))
		return true;
	seconds = json_object_get_double(value);
	if (!json_object_is_type(value, json_type_double) ||
	    !(seconds >= 0 && seconds < 1e12))
		return false;
	*micros = (uint64_t)(seconds * 1e6 + 0.5);
	return true;
}

bool
parse_line(struct cg_slice text, struct line *line)
{
	struct json_object *json = parse_json(text);

	*line = (struct line){ .json = json };
	if (json == NULL)
		return false;
	line->options = json_object_object_get(json, "options");
	line->totals = json_object_object_get(json, "totals");
	return get_text(json, "input", &line->input) &&
	       get_text(json, "member", &line->member) &&
	       get_text(json, "status", &line->status) &&
	       get_text(json, "error", &line->error) &&
	       get_text(json, "cgconv", &line->version) &&
	       get_text(json, "shard", &line->shard) &&
	       get_text(json, "list", &line->list) &&
	       get_number(json, "size", &line->size) &&
	       get_number(json, "mtime", &line->mtime) &&
	       get_number(json, "inputs", &line->inputs) &&
	       get_number(json, "of", &line->of) &&
	       get_seconds(json, &line->micros) &&
	       ((line->input != NULL && line->status != NULL) ||
		   line->version != NULL);
}

/*
 * Gives the task the state that the manifest of an earlier run has for it, to
 * avoid repeating it. If listing the inputs has ended the task, only notes
 * whether the states are equal.
 */
static void
set_before(struct task *task, const char *status)
{
	int state = 0;

	while (state < STATES && strcmp(status, state_name[state]) != 0)
		state++;
	/* The file may have become part of another input since. */
	if (task->reason != NO_REASON) {
		task->before = task->state == state;
		return;
	}
	if (state < STATES)
		task->state = (uint8_t)state;
	task->before = true;
}

/*
 * Sets the state of tasks from a line of the manifest: of all tasks with the
 * line's input and member. Stops at the first such task whose file has changed
 * since the line was written. Skips tasks of other shards. "known" has all
 * tasks of the batch, sorted by name.
 */
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
	/*
	 * Of members with the same name, the first one counts: they end
	 * together.
	 */
	for (; low < batch->tasks; low++) {
		task = known[low];
		if (task->state == OTHER_SHARD)
			continue;
		if (compare_tasks(task, line->input, line->member) != 0)
			return;
		if (task->mtime != (int64_t)line->mtime ||
		    (!is_member(task) && task->size != line->size))
			return;
		set_before(task, line->status);
	}
}

void
reset_task(struct task *task)
{
	task->before = false;
	task->state = PENDING;
}

/*
 * Makes tasks that an earlier run has converted pending again if their output
 * is missing. With --retry-failed, also makes tasks pending that the earlier
 * run failed. A task that failed in this run, when inputs were listed, stays
 * failed.
 */
static void
check_outputs(struct batch *batch)
{
	for (size_t i = 0; i < batch->tasks; i++) {
		struct task *task = &batch->task[i];
		char *path;

		if (task->before && task->state == FAILED &&
		    task->reason == NO_REASON && batch->args->retry)
			reset_task(task);
		if (!task->before ||
		    (task->state != DONE && task->state != UP_TO_DATE))
			continue;
		path = task_output_path(batch, task);
		if (path == NULL || access(path, F_OK) != 0)
			reset_task(task);
		free(path);
	}
}

/*
 * Checks by its first line that the manifest was written for this batch: same
 * version, options and shard. Sets batch->same_list to whether the list of
 * inputs is the same. Another list is an error only with shards. Returns
 * CG_OK, or the status of the usage error (reported).
 */
static int
check_header(struct batch *batch, const struct line *line)
{
	const struct args *args = batch->args;
	char ours[SHARD_ROOM];

	if (!line->version || !line->options || !line->shard || !line->list)
		return cg_usage(
		    args->job, "%s is not a manifest", args->manifest);
	if (strcmp(line->version, CG_VERSION) != 0)
		return cg_usage(args->job,
		    "%s was written by version %s of cgconv", args->manifest,
		    line->version);
	if (!json_object_equal(line->options, args->options))
		return cg_usage(args->job,
		    "%s was begun with different options: %s; give these, or "
		    "start anew with --force and without --resume",
		    args->manifest,
		    json_object_to_json_string_ext(
			line->options, JSON_C_TO_STRING_NOSLASHESCAPE));
	if (strcmp(line->shard, shard_text(args, ours)) != 0)
		return cg_usage(args->job, "%s belongs to shard %s",
		    args->manifest, line->shard);
	snprintf(ours, sizeof(ours), "%016" PRIx64, batch->list);
	batch->same_list = strcmp(line->list, ours) == 0;
	if (args->shards > 1 && !batch->same_list)
		return cg_usage(args->job,
		    "%s belongs to a different list of inputs; all shards need "
		    "the same list",
		    args->manifest);
	return CG_OK;
}

/*
 * True if the text begins like the header line of a manifest, or is the start
 * of one that a crash cut off.
 */
static bool
may_be_header(struct cg_slice text)
{
	static const char begin[] = "{\"cgconv\":";
	size_t n = text.len < sizeof(begin) - 1 ? text.len : sizeof(begin) - 1;

	return strncmp(text.ptr, begin, n) == 0;
}

/*
 * Applies the complete lines of an earlier run's manifest, and adds their
 * bytes to *whole. The caller truncates the file there, as a crash may have
 * cut off the last line. Returns the status, an error for a file of another
 * kind or batch.
 */
static int
read_lines(struct batch *batch, struct task **known, FILE *from, off_t *whole)
{
	int status = CG_OK;
	char *text = NULL;
	size_t size = 0;
	ssize_t n = 0;

	while (status == CG_OK && (n = getline(&text, &size, from)) > 0 &&
	       text[n - 1] == '\n') {
		struct line line;
		bool ok =
		    parse_line((struct cg_slice){ text, (size_t)n }, &line);

		if (*whole == 0 || line.version != NULL)
			status = check_header(batch, &line);
		else if (ok)
			apply_line(batch, known, &line);
		*whole += n;
		free_line(&line);
	}
	if (status == CG_OK && n <= 0 && !feof(from))
		status = fail("read");
	/* A file that is no manifest must not be truncated. */
	if (status == CG_OK && n > 0 && *whole == 0 &&
	    !may_be_header((struct cg_slice){ text, (size_t)n }))
		status = check_header(batch, &(struct line){ 0 });
	free(text);
	return status;
}

static int
resume_manifest(struct batch *batch)
{
	FILE *file = batch->manifest;
	struct task **known = sort_tasks(batch);
	off_t whole = 0;
	int status;

	rewind(file);
	status = known != NULL ? read_lines(batch, known, file, &whole)
			       : cg_nomem(batch->args->job);
	free(known);
	if (status != CG_OK)
		return status;
	check_outputs(batch);
	if (ftruncate(fileno(file), whole) != 0 ||
	    fseeko(file, whole, SEEK_SET) != 0)
		return fail("write");
	/* The list may have more inputs now. */
	if (whole > 0 && batch->same_list)
		return CG_OK;
	return put_header(batch) ? CG_OK : cg_nomem(batch->args->job);
}

/*
 * Opens the manifest and locks it for this process: a second run would repeat
 * work and remove temporary files of this one. Goes on where the file system
 * has no locks. Returns the status: CG_EUSAGE (reported) if another run has
 * the lock.
 */
static int
open_alone(struct batch *batch)
{
	const struct args *args = batch->args;
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	FILE *file = fopen(args->manifest, args->resume ? "a+e" : "ae");

	if (file == NULL)
		return fail("open");
	batch->manifest = file;
	if (fcntl(fileno(file), F_SETLK, &lock) != 0 &&
	    (errno == EACCES || errno == EAGAIN))
		return cg_usage(
		    args->job, "%s is in use by another run", args->manifest);
	return CG_OK;
}

/*
 * Empties the manifest, which must be open, and writes its header. Without
 * --force, a regular file that is not empty is not emptied: that is a usage
 * error. Returns the status; errors are reported.
 */
static int
begin_manifest(struct batch *batch)
{
	const struct args *args = batch->args;
	int fd = fileno(batch->manifest);
	struct stat info;
	bool filled =
	    fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;

	if (filled && !args->overwrite)
		return cg_usage(args->job,
		    "%s exists; continue it with --resume, or overwrite it "
		    "with --force",
		    args->manifest);
	if (filled && ftruncate(fd, 0) != 0)
		return fail("write");
	return put_header(batch) ? CG_OK : cg_nomem(args->job);
}

int
open_manifest(struct batch *batch)
{
	const struct args *args = batch->args;
	int status;

	if (args->manifest == NULL)
		return args->resume || args->retry
			   ? cg_usage(
				 args->job, "--resume needs --manifest FILE")
			   : CG_OK;
	status = open_alone(batch);
	if (status != CG_OK)
		return status;
	return args->resume ? resume_manifest(batch) : begin_manifest(batch);
}
