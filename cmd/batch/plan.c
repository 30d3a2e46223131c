/*
 * plan.c - lists the inputs of a batch as tasks: files, directories, lists,
 * members of archives; selects a shard.
 *
 * The shard of an input depends on its path alone, not on its position in the
 * list: FNV-1a of 64 bits with a finisher, modulo the number of shards. The
 * list is identified by the sum of all hashes.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"

/* ---- Tasks -------------------------------------------------------------- */

/* NULL: out of memory. */
static struct task *
add_task(struct batch *batch, const char *path, const char *member,
    const struct stat *info)
{
	struct task *task;

	if (!cg_grow(
		&batch->task, &batch->cap, batch->tasks + 1, sizeof(*task)))
		return NULL;
	task = &batch->task[batch->tasks];
	task->first_file = batch->tasks++;
	task->path = strdup(path);
	task->member = member != NULL ? strdup(member) : NULL;
	task->mtime = (int64_t)info->st_mtime;
	if (task->path == NULL || (member != NULL && task->member == NULL) ||
	    !record_file(batch, task->first_file, info))
		return NULL;
	return task;
}

static void
skip_task(struct task *task, const char *reason)
{
	task->state = SKIPPED;
	task->reason = reason;
}

static int
add_file(struct batch *batch, const char *path, const struct stat *info)
{
	struct task *task = add_task(batch, path, NULL, info);

	if (task == NULL)
		return cg_nomem(batch->args->job);
	task->size = (uint64_t)info->st_size;
	return CG_OK;
}

/* ---- Archives ----------------------------------------------------------- */

/* An input that cannot be read, for a reason that was reported. */
static int
add_failed(struct batch *batch, const char *path, const struct stat *info,
    const char *reason)
{
	struct task *task = add_task(batch, path, NULL, info);

	if (task == NULL)
		return cg_nomem(batch->args->job);
	task->state = FAILED;
	task->reason = reason;
	return CG_OK;
}

static int
add_members(struct batch *batch, const char *path, struct cg_archive *archive,
    const struct stat *info)
{
	struct cg_member member;
	struct task *task;

	batch->archives++;
	while (cg_archive_next(archive, &member)) {
		task = add_task(batch, path, member.name, info);
		if (task == NULL)
			return cg_nomem(batch->args->job);
		task->archive = batch->archives;
		task->size = member.size;
		if (member.directory)
			skip_task(task, "a directory");
		else if (!member.file)
			skip_task(task, "a link or a device");
	}
	return cg_archive_status(archive) == CG_OK
		   ? CG_OK
		   : add_failed(batch, path, info,
			 "the rest of the archive could not be read");
}

static int
add_input(
    struct batch *batch, const char *path, const struct stat *info, bool given)
{
	struct cg_archive *archive = NULL;
	int status;

	if (!S_ISREG(info->st_mode) || !(given || looks_like_archive(path)))
		return add_file(batch, path, info);
	/*
	 * A file that cannot be opened is reported when it is read as an input.
	 */
	status = looks_like_archive(path)
		     ? cg_archive_open(batch->args->job, path, &archive)
		     : CG_OK;
	if (status == CG_ELIMIT)
		return status;
	if (status != CG_OK)
		return add_failed(
		    batch, path, info, "the archive could not be read");
	if (archive == NULL)
		return add_file(batch, path, info);
	status = add_members(batch, path, archive, info);
	cg_archive_close(archive);
	return status;
}

/* ---- Directories -------------------------------------------------------- */

static int
compare_names(const void *pa, const void *pb)
{
	return strcmp(*(char *const *)pa, *(char *const *)pb);
}

struct list {
	char **path;
	size_t count, cap;
};

/* Takes path, also on failure; a NULL path is out of memory. */
static bool
add_path(struct list *list, char *path)
{
	if (!path ||
	    !cg_grow(&list->path, &list->cap, list->count + 1, sizeof(path))) {
		free(path);
		return false;
	}
	list->path[list->count++] = path;
	return true;
}

/* Links to directories are not followed: there may be cycles. */
static bool
list_directory(
    struct batch *batch, struct list *directories, struct list *files)
{
	char *name = directories->path[--directories->count], *path;
	DIR *dir = opendir(name);
	const struct dirent *entry;
	struct stat info;
	bool ok = true;

	if (dir == NULL)
		ok = add_path(files, strdup(name)); /* fails when it is read */
	while (dir != NULL && ok && (entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		path = join_path(name, entry->d_name);
		if (path == NULL || lstat(path, &info) != 0)
			ok = path != NULL && add_path(files, path);
		else if (is_output_file(batch, &info))
			free(path);
		else
			ok = add_path(
			    S_ISDIR(info.st_mode) ? directories : files, path);
	}
	if (dir != NULL)
		(void)closedir(dir);
	free(name);
	return ok;
}

/*
 * The reason to skip a directory's entry (reading a pipe would block); NULL
 * for a file, and for a directory that cannot be listed: that one fails later.
 */
static const char *
skip_reason(const char *path, const struct stat *info)
{
	struct stat link;

	if (S_ISREG(info->st_mode))
		return NULL;
	if (!S_ISDIR(info->st_mode))
		return "a pipe or a device";
	return lstat(path, &link) == 0 && S_ISLNK(link.st_mode)
		   ? "a link to a directory"
		   : NULL;
}

static int
add_found(struct batch *batch, const char *path)
{
	struct stat info;
	const char *reason;
	struct task *task;

	if (stat(path, &info) != 0)
		info = (struct stat){ .st_mode = S_IFREG };
	reason = skip_reason(path, &info);
	if (reason == NULL)
		return add_input(batch, path, &info, false);
	task = add_task(batch, path, NULL, &info);
	if (task == NULL)
		return cg_nomem(batch->args->job);
	skip_task(task, reason);
	return CG_OK;
}

static int
add_directory(struct batch *batch, const char *name)
{
	struct list directories = { 0 }, files = { 0 };
	bool ok = add_path(&directories, strdup(name));
	int status = CG_OK;

	while (ok && directories.count > 0)
		ok = list_directory(batch, &directories, &files);
	if (files.count > 0)
		qsort(files.path, files.count, sizeof(*files.path),
		    compare_names);
	for (size_t i = 0; i < files.count; i++) {
		if (ok && status == CG_OK)
			status = add_found(batch, files.path[i]);
		free(files.path[i]);
	}
	while (directories.count > 0)
		free(directories.path[--directories.count]);
	free(directories.path);
	free(files.path);
	return ok ? status : cg_nomem(batch->args->job);
}

static int
add_path_given(struct batch *batch, const char *path)
{
	struct stat info;

	memset(&info, 0, sizeof(info));
	(void)stat(path, &info);
	if (cg_is_elf(path))
		return cg_job_add_object(batch->args->job, path);
	if (S_ISDIR(info.st_mode)) {
		if (!batch->args->recursive)
			return cg_usage(batch->args->job,
			    "%s is a directory; use -r to read it", path);
		return add_directory(batch, path);
	}
	return add_input(batch, path, &info, true);
}

/* Adds a name of n bytes, its delimiter included. */
static int
add_listed(struct batch *batch, const char *list, char *name, size_t n)
{
	bool nul = batch->args->nul;

	if (name[n - 1] == (nul ? '\0' : '\n'))
		name[--n] = '\0';
	if (strlen(name) < n)
		return cg_usage(batch->args->job,
		    "%s: names end in NUL, not newline; use -0", list);
	return n > 0 ? add_path_given(batch, name) : CG_OK;
}

static int
add_list(struct batch *batch, const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	int status = CG_OK, end = batch->args->nul ? '\0' : '\n';
	char *line = NULL;
	size_t size = 0;
	ssize_t n = 0;

	if (file == NULL)
		return cg_usage(batch->args->job, "cannot open %s: %s", path,
		    strerror(errno));
	while (status == CG_OK && (n = getdelim(&line, &size, end, file)) > 0)
		status = add_listed(batch, path, line, (size_t)n);
	if (status == CG_OK && !feof(file) && !batch_stopped(batch))
		status = cg_usage(batch->args->job, "cannot read %s: %s", path,
		    strerror(errno));
	free(line);
	if (!is_stdin)
		(void)fclose(file);
	return status;
}

/* ---- Companions --------------------------------------------------------- */

struct unit_file {
	char *name;           /* without suffix */
	size_t archive, rank; /* of its suffix */
	size_t task;
};

static int
compare_unit_files(const void *pa, const void *pb)
{
	const struct unit_file *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	if (order == 0)
		order = (a->archive > b->archive) - (a->archive < b->archive);
	if (order == 0)
		order = (a->rank > b->rank) - (a->rank < b->rank);
	return order != 0 ? order : (a->task > b->task) - (a->task < b->task);
}

/* Joins files of one name to units; the file with the lowest rank leads. */
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
		batch->task[it[i].task].first_file = lead->task;
		batch->task[it[i].task].next = batch->task[lead->task].next;
		batch->task[lead->task].next = it[i].task;
		skip_task(&batch->task[it[i].task],
		    "read with the first file of its unit");
	}
}

static int
find_companions(struct batch *batch)
{
	struct unit_file *all = calloc(batch->tasks + 1, sizeof(*all));
	size_t count = 0, stem;
	bool ok = all != NULL;

	for (size_t i = 0; ok && i < batch->tasks; i++) {
		struct unit_file *it = &all[count];

		it->name = task_name(&batch->task[i]);
		it->task = i;
		it->archive = batch->task[i].archive;
		it->rank = it->name != NULL ? gathered_rank(batch->args->job,
						  it->name, &stem)
					    : 0;
		ok = it->name != NULL;
		if (it->rank > 0 && batch->task[i].state == PENDING) {
			it->name[stem] = '\0';
			count++;
		} else {
			free(it->name);
		}
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

/* Hashes the output's path, which does not depend on the working directory. */
static bool
hash_path(const struct task *task, uint64_t *h)
{
	char *path = safe_path(task_path(task));

	if (path != NULL)
		*h = hash(path);
	free(path);
	return path != NULL;
}

static int
select_shard(struct batch *batch)
{
	const struct args *args = batch->args;
	uint64_t *of = calloc(batch->tasks + 1, sizeof(*of));
	bool ok = of != NULL;

	for (size_t i = 0; ok && i < batch->tasks; i++) {
		ok = hash_path(&batch->task[i], &of[i]);
		batch->list += of[i];
	}
	/* Inputs of one output belong to one shard. */
	for (size_t i = 0; ok && args->shards > 0 && i < batch->tasks; i++) {
		const struct task *lead =
		    &batch->task[batch->task[i].first_file];
		uint64_t h = of[batch->task[i].first_file];

		if (lead->group > 0 && args->group_by != NULL)
			h = hash(batch->group[lead->group - 1].output);
		if (h % args->shards != args->shard - 1)
			batch->task[i].state = OTHER_SHARD;
	}
	free(of);
	return ok ? CG_OK : cg_nomem(args->job);
}

int
plan_batch(struct batch *batch)
{
	struct args *args = batch->args;
	int status = CG_OK;

	for (size_t i = 0; status == CG_OK && i < args->inputs; i++)
		status = add_path_given(batch, args->input[i]);
	if (status == CG_OK && args->list != NULL)
		status = add_list(batch, args->list);
	if (status == CG_OK)
		status = find_companions(batch);
	if (status == CG_OK)
		status = find_groups(batch);
	if (status == CG_OK)
		status = select_shard(batch);
	for (size_t i = 0; status == CG_OK && i < batch->tasks; i++) {
		struct task *task = &batch->task[i];

		if (task->state != PENDING || task->group != 0)
			continue;
		task->output =
		    claim_output(batch, output_name(batch, task_path(task)));
		if (task->output == NULL)
			status = cg_nomem(args->job);
	}
	sort_files(batch);
	if (status == CG_OK && batch->tasks == 0)
		status = cg_usage(args->job, "no inputs");
	return status;
}
