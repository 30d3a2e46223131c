/*
 * plan.c - lists the inputs of a batch as tasks: files, directories, lists,
 * members of archives; selects a shard (the inputs that this run converts).
 *
 * The shard of an input depends on its path alone, not on its position in the
 * list: FNV-1a of 64 bits with a finisher, modulo the number of shards. The
 * list is identified by the sum of all hashes.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"

/* ---- Tasks -------------------------------------------------------------- */

/* The file of an input. */
struct found {
	const char *path; /* kept as long as the batch */
	struct stat info; /* zeros: the file does not exist */
	bool link;
};

/*
 * Sets *found to the path, whose pointer it keeps, and the status of the file,
 * all 0 if it does not exist. found->link: the path is a symbolic link, and
 * the status is that of its target.
 */
static void
find_file(const char *path, struct found *found)
{
	*found = (struct found){ .path = path };
	if (lstat(path, &found->info) != 0)
		memset(&found->info, 0, sizeof(found->info));
	found->link = S_ISLNK(found->info.st_mode);
	if (found->link && stat(path, &found->info) != 0)
		memset(&found->info, 0, sizeof(found->info));
}

/*
 * Appends a pending task for an input. Returns it, valid until the next call.
 * path: of the file or the archive member; the task keeps the pointer. NULL:
 * out of memory, or too many tasks.
 */
static struct task *
add_task(struct batch *batch, const char *path, const struct found *found)
{
	struct task *task;

	if (batch->tasks == TASKS_MAX ||
	    !cg_grow_raw(
		&batch->task, &batch->cap, batch->tasks + 1, sizeof(*task)) ||
	    !record_file(batch, batch->tasks, &found->info))
		return NULL;
	task = &batch->task[batch->tasks];
	*task = (struct task){ .path = path,
		.mtime = (int64_t)found->info.st_mtime,
		.first_file = (uint32_t)batch->tasks,
		.link = found->link };
	batch->tasks++;
	return task;
}

static void
skip_task(struct task *task, enum reason reason)
{
	task->state = SKIPPED;
	task->reason = (uint8_t)reason;
}

static int
add_file(struct batch *batch, const struct found *found)
{
	struct task *task = add_task(batch, found->path, found);

	if (task == NULL)
		return cg_nomem(batch->args->job);
	task->size = (uint64_t)found->info.st_size;
	return CG_OK;
}

/* ---- Archives ----------------------------------------------------------- */

/*
 * Adds a failed task for an input that cannot be read; the error was reported.
 * Returns the status: CG_OK if the task was added.
 */
static int
add_failed(struct batch *batch, const struct found *found, enum reason reason)
{
	struct task *task = add_task(batch, found->path, found);

	if (task == NULL)
		return cg_nomem(batch->args->job);
	task->state = FAILED;
	task->reason = (uint8_t)reason;
	return CG_OK;
}

static int
add_members(
    struct batch *batch, const struct found *found, struct cg_archive *archive)
{
	struct cg_member member;
	const char *name;
	struct task *task;

	while (cg_archive_next(archive, &member)) {
		name = keep_text(batch, member.name);
		task = name != NULL ? add_task(batch, name, found) : NULL;
		if (task == NULL)
			return cg_nomem(batch->args->job);
		task->archive = found->path;
		task->size = member.size;
		if (member.directory)
			skip_task(task, IS_DIRECTORY);
		else if (!member.file)
			skip_task(task, IS_SPECIAL);
	}
	return cg_archive_status(archive) == CG_OK
		   ? CG_OK
		   : add_failed(batch, found, BAD_REST);
}

static int
add_input(struct batch *batch, const struct found *found)
{
	bool named = looks_like_archive(found->path);
	struct cg_archive *archive = NULL;
	int status;

	/*
	 * Files that cannot be opened are reported later, when read as an
	 * input.
	 */
	if (!S_ISREG(found->info.st_mode) || !named)
		return add_file(batch, found);
	status = cg_archive_open(batch->args->job, found->path, &archive);
	if (status == CG_ELIMIT)
		return status;
	if (status != CG_OK)
		return add_failed(batch, found, BAD_ARCHIVE);
	if (archive == NULL)
		return add_file(batch, found);
	status = add_members(batch, found, archive);
	cg_archive_close(archive);
	return status;
}

/* ---- Directories -------------------------------------------------------- */

static int
compare_names(const void *pa, const void *pb)
{
	return strcmp(*(const char *const *)pa, *(const char *const *)pb);
}

struct list {
	const char **path; /* kept as long as the batch */
	size_t count, cap;
};

static const char *
keep_path(struct batch *batch, const char *directory, const char *name)
{
	char *path = join_path(directory, name);
	const char *kept = path != NULL ? keep_text(batch, path) : NULL;

	free(path);
	return kept;
}

/*
 * Appends the path to the list, which keeps the pointer. False: out of memory.
 */
static bool
add_path(struct list *list, const char *path)
{
	if (!cg_grow_raw(
		&list->path, &list->cap, list->count + 1, sizeof(path)))
		return false;
	list->path[list->count++] = path;
	return true;
}

/*
 * True if the path is the output directory, the output or the manifest of this
 * batch, which are not inputs. Looks all three up again, as with --shard
 * another run may just have created them.
 */
static bool
is_output_path(struct batch *batch, const char *path)
{
	struct stat info;

	find_own_files(batch);
	return stat(path, &info) == 0 && is_output_file(batch, &info);
}

/*
 * True for a directory entry that is to be searched for inputs: a directory,
 * but no link to one, as links may form cycles.
 */
static bool
is_directory(const struct dirent *entry, const char *path)
{
	struct stat info;

	return entry->d_type == DT_DIR ||
	       (entry->d_type == DT_UNKNOWN && lstat(path, &info) == 0 &&
		   S_ISDIR(info.st_mode));
}

static bool
list_directory(
    struct batch *batch, struct list *directories, struct list *files)
{
	const char *name = directories->path[--directories->count], *path;
	DIR *dir = opendir(name);
	const struct dirent *entry;
	bool ok = true, directory;

	if (dir == NULL)
		return add_path(files, name); /* fails when it is read */
	while (ok && (entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		path = keep_path(batch, name, entry->d_name);
		directory = path != NULL && is_directory(entry, path);
		if (directory && is_output_path(batch, path))
			continue;
		ok = path != NULL &&
		     add_path(directory ? directories : files, path);
	}
	(void)closedir(dir);
	return ok;
}

/*
 * Returns why a file is not read as an input: a pipe or device may block, and
 * a link to a directory is not followed. NO_REASON: it is read, and fails then
 * if that is not possible.
 */
static enum reason
skip_reason(const struct found *found)
{
	mode_t mode = found->info.st_mode;

	if (mode == 0 || S_ISREG(mode))
		return NO_REASON;
	if (!S_ISDIR(mode))
		return IS_PIPE;
	return found->link ? IS_LINKED_DIRECTORY : NO_REASON;
}

/*
 * Adds a task for a file that was found, or for each member of an archive. An
 * output of this batch gets no task; a pipe, device or linked directory gets a
 * skipped one. Tasks keep the pointer to path. Returns the status.
 */
static int
add_found(struct batch *batch, const char *path)
{
	struct found found;
	enum reason reason;
	struct task *task;

	find_file(path, &found);
	if (!found.link && S_ISREG(found.info.st_mode) &&
	    is_output_file(batch, &found.info))
		return CG_OK;
	reason = skip_reason(&found);
	if (reason == NO_REASON)
		return add_input(batch, &found);
	task = add_task(batch, path, &found);
	if (task == NULL)
		return cg_nomem(batch->args->job);
	skip_task(task, reason);
	return CG_OK;
}

static int
add_directory(struct batch *batch, const char *name)
{
	struct list directories = { 0 }, files = { 0 };
	bool ok = add_path(&directories, name);
	int status = CG_OK;

	while (ok && directories.count > 0)
		ok = list_directory(batch, &directories, &files);
	if (files.count > 0)
		qsort(files.path, files.count, sizeof(*files.path),
		    compare_names);
	find_own_files(batch);
	for (size_t i = 0; ok && status == CG_OK && i < files.count; i++)
		status = add_found(batch, files.path[i]);
	free(directories.path);
	free(files.path);
	return ok ? status : cg_nomem(batch->args->job);
}

/*
 * Adds the input with this name, which an argument or a line of --files-from
 * states. For an archive, adds its members. For a directory, adds the files
 * below it if -r is given; without -r, a directory is a usage error. An
 * executable is no input; the job gets it for looking up symbols. Returns the
 * status.
 */
static int
add_path_given(void *arg, const char *name)
{
	struct batch *batch = arg;
	const char *path = keep_text(batch, name);
	struct found found;

	if (path == NULL)
		return cg_nomem(batch->args->job);
	find_file(path, &found);
	if (S_ISREG(found.info.st_mode) && cg_is_elf(path))
		return cg_job_add_object(batch->args->job, path);
	if (!S_ISDIR(found.info.st_mode))
		return add_input(batch, &found);
	if (!batch->args->recursive)
		return cg_usage(batch->args->job,
		    "%s is a directory; use -r to read it", path);
	return add_directory(batch, path);
}

/* ---- Companions --------------------------------------------------------- */

struct unit_file {
	char *name; /* without suffix */
	const char *archive;
	size_t rank; /* of its suffix */
	size_t task;
};

static int
compare_unit_files(const void *pa, const void *pb)
{
	const struct unit_file *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	if (order == 0)
		order = ((uintptr_t)a->archive > (uintptr_t)b->archive) -
			((uintptr_t)a->archive < (uintptr_t)b->archive);
	if (order == 0)
		order = (a->rank > b->rank) - (a->rank < b->rank);
	return order != 0 ? order : (a->task > b->task) - (a->task < b->task);
}

/*
 * Joins files that differ only in their suffix to one input. The file with the
 * lowest rank leads it; the others become skipped tasks. A second file of that
 * rank leads another input. it: files, sorted by stem, archive and rank.
 */
static void
join_units(struct batch *batch, const struct unit_file *it, size_t count)
{
	const struct unit_file *lead = it;

	for (size_t i = 1; i < count; i++) {
		if (strcmp(it[i].name, lead->name) != 0 ||
		    it[i].archive != lead->archive ||
		    it[i].rank == lead->rank) {
			lead = &it[i];
			continue;
		}
		batch->task[it[i].task].first_file = (uint32_t)lead->task;
		batch->task[it[i].task].next = batch->task[lead->task].next;
		batch->task[lead->task].next = (uint32_t)it[i].task;
		skip_task(&batch->task[it[i].task], IN_UNIT);
	}
}

/*
 * Sets *file to what decides whether a task's file is joined with others: path
 * without suffix (allocated), archive, and rank. Rank 0: it is not joined.
 * False: out of memory.
 */
static bool
get_unit_file(struct batch *batch, size_t number, struct unit_file *file)
{
	const struct task *task = &batch->task[number];
	char *name = is_member(task) ? task_name(task) : NULL;
	size_t stem = 0;

	if (is_member(task) && name == NULL)
		return false;
	*file = (struct unit_file){ .archive = task->archive, .task = number };
	file->rank = gathered_rank(batch, name ? name : task->path, &stem);
	if (file->rank > 0)
		file->name = strndup(name ? name : task->path, stem);
	free(name);
	return file->rank == 0 || file->name != NULL;
}

static int
find_companions(struct batch *batch)
{
	struct unit_file *all = NULL;
	size_t count = 0, cap = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < batch->tasks; i++) {
		if (batch->task[i].state != PENDING)
			continue;
		ok = cg_grow_raw(&all, &cap, count + 1, sizeof(*all)) &&
		     get_unit_file(batch, i, &all[count]);
		count += ok && all[count].rank > 0;
	}
	if (ok && count > 0) {
		qsort(all, count, sizeof(*all), compare_unit_files);
		join_units(batch, all, count);
	}
	while (count > 0)
		free(all[--count].name);
	free(all);
	return ok ? CG_OK : cg_nomem(batch->args->job);
}

/* ---- Shards ------------------------------------------------------------- */

static uint64_t
hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 33;
}

/*
 * Sets *h to the hash of the path of the task's input. The path is first put
 * into the form that it has in names of outputs. This form does not depend on
 * the working directory. False: out of memory.
 */
static bool
hash_path(const struct task *task, uint64_t *h)
{
	char *path = safe_path(task->path);

	if (path != NULL)
		*h = hash(path);
	free(path);
	return path != NULL;
}

/*
 * Sets *h to the hash that selects the task's shard, which is the same for all
 * inputs of an output. On entry *h must be the hash of the task's own path.
 * False: out of memory.
 */
static bool
hash_output(const struct batch *batch, const struct task *task, uint64_t *h)
{
	const struct task *lead = &batch->task[task->first_file];

	if (lead->group == 0 || batch->args->group_by == NULL)
		return lead == task || hash_path(lead, h);
	*h = hash(batch->group[lead->group - 1].output);
	return true;
}

static int
select_shard(struct batch *batch)
{
	const struct args *args = batch->args;
	uint64_t h = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < batch->tasks; i++) {
		struct task *task = &batch->task[i];

		ok = hash_path(task, &h);
		batch->list += h;
		if (!ok || args->shards == 0)
			continue;
		ok = hash_output(batch, task, &h);
		if (ok && h % args->shards != args->shard - 1)
			task->state = OTHER_SHARD;
	}
	return ok ? CG_OK : cg_nomem(args->job);
}

static int
name_outputs(struct batch *batch)
{
	for (size_t i = 0; i < batch->tasks; i++) {
		struct task *task = &batch->task[i];
		char *name;

		if (task->state != PENDING || task->group != 0)
			continue;
		name = output_name(batch, task->path);
		if (name != NULL)
			task->claim = claim_output(batch, i, name);
		free(name);
		if (task->claim == 0)
			return cg_nomem(batch->args->job);
	}
	return CG_OK;
}

int
plan_batch(struct batch *batch)
{
	static int (*const steps[])(struct batch *) = { find_companions,
		find_groups, select_shard, name_outputs, NULL };
	struct args *args = batch->args;
	int status = CG_OK;

	cg_random_key(batch->key, batch);
	if (!list_suffixes(batch))
		status = cg_nomem(args->job);
	for (size_t i = 0; status == CG_OK && i < args->inputs; i++)
		status = add_path_given(batch, args->input[i]);
	if (status == CG_OK && args->list != NULL)
		status = visit_names(args, add_path_given, batch);
	for (size_t i = 0; status == CG_OK && steps[i] != NULL; i++)
		status = steps[i](batch);
	sort_files(batch);
	/*
	 * With --resume, the inputs that an earlier run has converted are not
	 * known yet.
	 */
	if (status == CG_OK && !args->resume)
		status = refuse_overwriting(batch);
	if (status == CG_OK && batch->tasks == 0)
		status = cg_usage(args->job, "no inputs");
	return status;
}
