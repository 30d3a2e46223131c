/*
 * plan.c - the inputs of a batch: files, folders, lists, members of
 * archives, each a task with its output.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"

/* ---- Tables -------------------------------------------------------------- */

static size_t
hash(const char *text)
{
	size_t h = 5381;

	for (; *text != '\0'; text++)
		h = h * 33 ^ (unsigned char)*text;
	return h * 0x9e3779b97f4a7c15u >> 7;
}

/* Where the name is, or would be; there is always a free slot. */
static struct name *
find_slot(const struct names *names, const char *name)
{
	size_t i = hash(name) & (names->slots - 1);

	while (names->slot[i].text != NULL &&
	       strcmp(names->slot[i].text, name) != 0)
		i = (i + 1) & (names->slots - 1);
	return &names->slot[i];
}

static bool
grow_names(struct names *names)
{
	struct names more = { .slots =
				  names->slots > 0 ? names->slots * 2 : 1024,
		.count = names->count };

	if (names->count * 2 < names->slots)
		return true;
	more.slot = calloc(more.slots, sizeof(*more.slot));
	if (more.slot == NULL)
		return false;
	for (size_t i = 0; i < names->slots; i++)
		if (names->slot[i].text != NULL)
			*find_slot(&more, names->slot[i].text) = names->slot[i];
	free(names->slot);
	*names = more;
	return true;
}

/* ---- Tasks --------------------------------------------------------------- */

char *
join_path(const char *folder, const char *name)
{
	size_t n = strlen(folder), size = n + strlen(name) + 2;
	char *path = malloc(size);

	while (n > 1 && folder[n - 1] == '/')
		n--;
	if (path != NULL)
		snprintf(path, size, "%.*s%s%s", (int)n, folder,
		    n == 1 && folder[0] == '/' ? "" : "/", name);
	return path;
}

const char *
task_path(const struct task *task)
{
	return task->member != NULL ? task->member : task->path;
}

char *
task_name(const struct task *task)
{
	return task->member != NULL ? join_path(task->path, task->member)
				    : strdup(task->path);
}

char *
claim_output(struct batch *batch, char *name)
{
	struct name *slot, *first;
	char *output;
	size_t size;

	if (name == NULL || !grow_names(&batch->outputs)) {
		free(name);
		return NULL;
	}
	size = strlen(name) + CG_NUMBER_MAX + 2;
	output = malloc(size);
	slot = first = find_slot(&batch->outputs, name);
	if (output != NULL)
		snprintf(output, size, "%s", name);
	while (output != NULL && slot->text != NULL) {
		snprintf(output, size, "%s~%zu", name, first->next++);
		slot = find_slot(&batch->outputs, output);
	}
	free(name);
	if (output == NULL)
		return NULL;
	*slot = (struct name){ output, 2 };
	batch->outputs.count++;
	return output;
}

bool
has_output(struct batch *batch, const char *output)
{
	return batch->outputs.slots > 0 &&
	       find_slot(&batch->outputs, output)->text != NULL;
}

const char *
task_output(const struct batch *batch, const struct task *task)
{
	return task->group > 0 ? batch->group[task->group - 1].output
			       : task->output;
}

char *
place_output(const struct batch *batch, const char *output)
{
	return batch->args->folder != NULL
		   ? join_path(batch->args->folder, output)
		   : strdup(output);
}

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
	task->leader = batch->tasks++;
	task->path = strdup(path);
	task->member = member != NULL ? strdup(member) : NULL;
	task->mtime = (int64_t)info->st_mtime;
	if (task->path == NULL || (member != NULL && task->member == NULL) ||
	    !note_file(batch, task->leader, info))
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

/* ---- Archives ------------------------------------------------------------ */

static bool
looks_like_archive(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n;

	return strstr(slash != NULL ? slash : path, ".tar.") != NULL ||
	       find_suffix(path, "tar;tgz;tbz;tbz2;txz;tzst;zip", &n) != 0;
}

bool
is_batch(const struct args *args)
{
	bool batch = args->folder != NULL || asks_for_batch(args);

	for (size_t i = 0; !batch && i < args->inputs; i++)
		batch = looks_like_archive(args->input[i]);
	return batch;
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
			skip_task(task, "a folder");
		else if (!member.file)
			skip_task(task, "a link or a device");
	}
	if (cg_archive_status(archive) == CG_OK)
		return CG_OK;
	/* It was said why; the rest of it is lost. */
	task = add_task(batch, path, NULL, info);
	if (task == NULL)
		return cg_nomem(batch->args->job);
	task->state = FAILED;
	task->reason = "the archive could not be read to its end";
	return CG_OK;
}

static int
add_input(
    struct batch *batch, const char *path, const struct stat *info, bool given)
{
	struct cg_archive *archive = NULL;
	int status;

	if (!S_ISREG(info->st_mode) || !(given || looks_like_archive(path)))
		return add_file(batch, path, info);
	/* What is wrong with it is said when it is read. */
	status = looks_like_archive(path)
		     ? cg_archive_open(batch->args->job, path, &archive)
		     : CG_OK;
	if (archive == NULL)
		return status == CG_ELIMIT ? status
					   : add_file(batch, path, info);
	status = add_members(batch, path, archive, info);
	cg_archive_close(archive);
	return status;
}

/* ---- Folders ------------------------------------------------------------- */

static int
compare_names(const void *pa, const void *pb)
{
	return strcmp(*(char *const *)pa, *(char *const *)pb);
}

struct list {
	char **path;
	size_t count, cap;
};

/* Owns path from here on; NULL is out of memory already. */
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

/* Links to folders are not followed: they may lead in circles. */
static bool
list_folder(struct batch *batch, struct list *folders, struct list *files)
{
	char *folder = folders->path[--folders->count], *path;
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	struct stat info;
	bool ok = true;

	if (dir == NULL)
		ok = add_path(files, strdup(folder)); /* it fails as an input */
	while (dir != NULL && ok && (entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		path = join_path(folder, entry->d_name);
		if (path == NULL || lstat(path, &info) != 0)
			ok = path != NULL && add_path(files, path);
		else if (is_own_file(batch, &info))
			free(path);
		else
			ok = add_path(
			    S_ISDIR(info.st_mode) ? folders : files, path);
	}
	if (dir != NULL)
		(void)closedir(dir);
	free(folder);
	return ok;
}

/*
 * What is found in a folder and is no file: a pipe would be waited for. NULL:
 * it is one, or a folder that cannot be listed, which fails as an input.
 */
static const char *
why_no_file(const char *path, const struct stat *info)
{
	struct stat link;

	if (S_ISREG(info->st_mode))
		return NULL;
	if (!S_ISDIR(info->st_mode))
		return "a pipe or a device";
	return lstat(path, &link) == 0 && S_ISLNK(link.st_mode)
		   ? "a link to a folder"
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
	reason = why_no_file(path, &info);
	if (reason == NULL)
		return add_input(batch, path, &info, false);
	task = add_task(batch, path, NULL, &info);
	if (task == NULL)
		return cg_nomem(batch->args->job);
	skip_task(task, reason);
	return CG_OK;
}

static int
add_folder(struct batch *batch, const char *folder)
{
	struct list folders = { 0 }, files = { 0 };
	bool ok = add_path(&folders, strdup(folder));
	int status = CG_OK;

	while (ok && folders.count > 0)
		ok = list_folder(batch, &folders, &files);
	if (files.count > 0)
		qsort(files.path, files.count, sizeof(*files.path),
		    compare_names);
	for (size_t i = 0; i < files.count; i++) {
		if (ok && status == CG_OK)
			status = add_found(batch, files.path[i]);
		free(files.path[i]);
	}
	while (folders.count > 0)
		free(folders.path[--folders.count]);
	free(folders.path);
	free(files.path);
	return ok ? status : cg_nomem(batch->args->job);
}

/* A program that was named is there for its symbols. */
static bool
is_program(const char *path, const struct stat *info)
{
	FILE *file = S_ISREG(info->st_mode) ? fopen(path, "re") : NULL;
	char magic[4];
	bool is;

	if (file == NULL)
		return false;
	is = fread(magic, 1, sizeof(magic), file) == sizeof(magic) &&
	     memcmp(magic, "\177ELF", sizeof(magic)) == 0;
	(void)fclose(file);
	return is;
}

static int
add_path_given(struct batch *batch, const char *path)
{
	struct stat info;

	memset(&info, 0, sizeof(info));
	if (stat(path, &info) == 0 && is_program(path, &info))
		return cg_job_add_object(batch->args->job, path);
	if (S_ISDIR(info.st_mode)) {
		if (!batch->args->recursive)
			return cg_usage(batch->args->job,
			    "%s is a folder: -r reads folders", path);
		return add_folder(batch, path);
	}
	return add_input(batch, path, &info, true);
}

/* n bytes of the list, with the end of the name if it has one. */
static int
add_listed(struct batch *batch, const char *list, char *name, size_t n)
{
	bool nul = batch->args->nul;

	if (name[n - 1] == (nul ? '\0' : '\n'))
		name[--n] = '\0';
	if (strlen(name) < n)
		return cg_usage(batch->args->job,
		    "%s has names that end in NUL: -0 reads those", list);
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

/* ---- Companions ---------------------------------------------------------- */

/* The rank of its suffix among those that a format gathers, and the rest. */
static size_t
gathered_rank(const struct cg_job *job, const char *name, size_t *stem)
{
	const struct cg_module *module;
	size_t rank, n;

	for (size_t i = 0; (module = cg_job_module(job, i)) != NULL; i++) {
		rank = find_suffix(name, module->gathers, &n);
		if (rank == 0)
			continue;
		*stem = strlen(name) - n;
		return rank;
	}
	return 0;
}

bool
is_gathered(const struct batch *batch, const struct task *task)
{
	size_t stem;

	return gathered_rank(batch->args->job, task_path(task), &stem) > 0;
}

struct gathered {
	char *name; /* without suffix */
	size_t archive, rank, task;
};

static int
compare_gathered(const void *pa, const void *pb)
{
	const struct gathered *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	if (order == 0)
		order = (a->archive > b->archive) - (a->archive < b->archive);
	if (order == 0)
		order = (a->rank > b->rank) - (a->rank < b->rank);
	return order != 0 ? order : (a->task > b->task) - (a->task < b->task);
}

/* The first suffix of a name leads; the others are read with it. */
static void
join_gathered(struct batch *batch, const struct gathered *it, size_t count)
{
	const struct gathered *lead = it;

	for (size_t i = 1; i < count; i++) {
		if (strcmp(it[i].name, lead->name) != 0 ||
		    it[i].archive != lead->archive ||
		    it[i].rank == lead->rank) {
			lead = &it[i];
			continue;
		}
		batch->task[it[i].task].leader = lead->task;
		batch->task[it[i].task].next = batch->task[lead->task].next;
		batch->task[lead->task].next = it[i].task;
		skip_task(&batch->task[it[i].task],
		    "read with the file that it belongs to");
	}
}

static int
find_companions(struct batch *batch)
{
	struct gathered *all = calloc(batch->tasks + 1, sizeof(*all));
	size_t count = 0, stem;
	bool ok = all != NULL;

	for (size_t i = 0; ok && i < batch->tasks; i++) {
		struct gathered *it = &all[count];

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
		qsort(all, count, sizeof(*all), compare_gathered);
		join_gathered(batch, all, count);
	}
	while (count > 0)
		free(all[--count].name);
	free(all);
	return ok ? CG_OK : cg_nomem(batch->args->job);
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
		status = take_share(batch);
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
