/*
 * manifest.c - the books of a batch: JSON Lines, one line for each
 * input as it ends. A later line about an input counts more.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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
	[KEPT] = "kept",
	[SUMMED] = "summed",
	[ELSEWHERE] = "elsewhere",
	[STOPPED] = "stopped",
};

static int
fail(const char *what)
{
	fprintf(stderr, "cgconv: error: cannot %s the manifest: %s\n", what,
	    strerror(errno));
	return CG_EOUTPUT;
}

/* ---- The tasks by their names --------------------------------------------- */

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

/* To be freed; NULL: out of memory. */
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

/* ---- Writing ------------------------------------------------------------- */

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

static bool
put_header(struct batch *batch)
{
	struct task **all = sort_tasks(batch);
	char shard[SHARD_ROOM];
	size_t inputs = 0, of = 0;

	/* What is listed twice is one input. */
	for (size_t i = 0; all != NULL && i < batch->tasks; i++) {
		if (i > 0 && compare_known(&all[i - 1], &all[i]) == 0)
			continue;
		of++;
		inputs += all[i]->state != ELSEWHERE;
	}
	fprintf(batch->manifest,
	    "{\"cgconv\":\"%s\",\"options\":[%s],\"shard\":\"%s\","
	    "\"list\":\"%016" PRIx64 "\",\"inputs\":%zu,\"of\":%zu}\n",
	    CG_VERSION, batch->args->options, shard_text(batch->args, shard),
	    batch->list, inputs, of);
	(void)fflush(batch->manifest);
	free(all);
	return all != NULL;
}

void
put_manifest(struct batch *batch, const struct task *task, const char *tail)
{
	const char *output = task_output(batch, task);
	FILE *to = batch->manifest;

	if (to == NULL || task->state == STOPPED || task->state == SUMMED ||
	    task->state == ELSEWHERE)
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

void
free_line(struct line *line)
{
	free(line->input);
	free(line->member);
	free(line->status);
	free(line->error);
	free(line->version);
	free(line->shard);
	free(line->list);
	free(line->options);
	free(line->totals);
	*line = (struct line){ 0 };
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

/* The value as it stands there, whatever it is. */
static bool
copy_raw(struct cg_json *json, enum cg_json_type type, char **to)
{
	const char *at = json->at;

	if (!cg_json_skip(json, type))
		return false;
	*to = strndup(at, (size_t)(json->rest.ptr - at));
	return *to != NULL;
}

/* Of 0.012345 the digits: whole seconds are few. */
static bool
take_micros(struct cg_slice digits, uint64_t *micros)
{
	uint64_t seconds, rest;

	if (!cg_take_u64(&digits, &seconds) || !cg_take_char(&digits, '.') ||
	    digits.len != 6 || !cg_take_u64(&digits, &rest) ||
	    seconds > UINT64_MAX / 10000000)
		return false;
	*micros = seconds * 1000000 + rest;
	return true;
}

/* Files may be older than 1970. */
static bool
take_number(struct cg_slice digits, uint64_t *number)
{
	bool minus = cg_take_char(&digits, '-');

	if (!cg_take_u64(&digits, number) || digits.len > 0)
		return false;
	*number = minus ? 0 - *number : *number;
	return true;
}

/* One key that matters, of an object; the others are stepped over. */
static bool
take_field(struct cg_json *json, struct line *line, struct cg_slice key)
{
	const struct {
		const char *key;
		char **text, **raw;
		uint64_t *number;
	} fields[] = { { "input", .text = &line->input },
		{ "member", .text = &line->member },
		{ "status", .text = &line->status },
		{ "error", .text = &line->error },
		{ "cgconv", .text = &line->version },
		{ "shard", .text = &line->shard },
		{ "list", .text = &line->list },
		{ "options", .raw = &line->options },
		{ "totals", .raw = &line->totals },
		{ "size", .number = &line->size },
		{ "mtime", .number = &line->mtime },
		{ "inputs", .number = &line->inputs },
		{ "of", .number = &line->of } };
	enum cg_json_type type = cg_json_next(json);
	struct cg_slice digits = json->text;

	if (cg_equal(key, "seconds") && type == CG_JSON_NUMBER)
		return take_micros(digits, &line->micros);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!cg_equal(key, fields[i].key))
			continue;
		if (fields[i].raw != NULL && *fields[i].raw == NULL)
			return copy_raw(json, type, fields[i].raw);
		if (fields[i].number != NULL && type == CG_JSON_NUMBER)
			return take_number(digits, fields[i].number);
		if (fields[i].text == NULL || *fields[i].text != NULL ||
		    type != CG_JSON_STRING)
			return false;
		*fields[i].text = copy_string(json);
		return *fields[i].text != NULL;
	}
	return cg_json_skip(json, type);
}

bool
parse_line(struct cg_slice text, struct line *line)
{
	struct cg_json *json = malloc(sizeof(*json));
	enum cg_json_type type;
	char key[32];
	bool ok;

	*line = (struct line){ 0 };
	if (json == NULL)
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
	return ok && ((line->input != NULL && line->status != NULL) ||
			 line->version != NULL);
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
		if (task->state == ELSEWHERE)
			continue;
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
	task->state = PENDING;
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

/* Is the batch another one than that which the manifest was begun for? */
static int
check_header(struct batch *batch, const struct line *line)
{
	const struct args *args = batch->args;
	char ours[SHARD_ROOM], *options = NULL;
	size_t size = strlen(args->options) + 3;
	bool same;

	if (!line->version || !line->options || !line->shard || !line->list)
		return cg_usage(args->job,
		    "%s does not begin as a manifest does", args->manifest);
	if (strcmp(line->version, CG_VERSION) != 0)
		return cg_usage(args->job, "%s is of version %s",
		    args->manifest, line->version);
	options = malloc(size);
	if (options == NULL)
		return cg_nomem(args->job);
	snprintf(options, size, "[%s]", args->options);
	same = strcmp(line->options, options) == 0;
	free(options);
	if (!same)
		return cg_usage(args->job,
		    "%s was begun with other options: %s", args->manifest,
		    line->options);
	if (strcmp(line->shard, shard_text(args, ours)) != 0)
		return cg_usage(args->job, "%s is of share %s", args->manifest,
		    line->shard);
	snprintf(ours, sizeof(ours), "%016" PRIx64, batch->list);
	batch->same_list = strcmp(line->list, ours) == 0;
	if (args->shards > 1 && !batch->same_list)
		return cg_usage(args->job,
		    "%s is of another list of inputs: all shares need the same",
		    args->manifest);
	return CG_OK;
}

/* Is it the begin of a manifest's first line? */
static bool
may_be_header(struct cg_slice text)
{
	static const char begin[] = "{\"cgconv\":";
	size_t n = text.len < sizeof(begin) - 1 ? text.len : sizeof(begin) - 1;

	return strncmp(text.ptr, begin, n) == 0;
}

/*
 * Heeds the lines that are whole, and adds up their bytes: a last one without
 * its end was cut by a death. What cannot be read, or is no manifest, is an
 * error: it would be cut.
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
	/* There may be more inputs now. */
	if (whole > 0 && batch->same_list)
		return CG_OK;
	return put_header(batch) ? CG_OK : cg_nomem(batch->args->job);
}

/*
 * Opens it for this run alone: two that go on from the same books would do
 * the same work, and remove each other's temporary files. The lock is the
 * process's own, not its workers', and ends with it. Where a file system has
 * no locks, there is none.
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

/* Begins it anew, unless there is one already. */
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
		    "%s is there: go on with --resume, or anew with --force",
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
			   ? cg_usage(args->job,
				 "--resume needs the --manifest to go on from")
			   : CG_OK;
	status = open_alone(batch);
	if (status != CG_OK)
		return status;
	return args->resume ? resume_manifest(batch) : begin_manifest(batch);
}
