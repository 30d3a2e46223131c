/*
 * inputs.c - the inputs of a job: files, executables among them, files that
 * formats gather from directories, and companions.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/job.h"

/*
 * Returns a number that identifies a file by device and inode, independent of
 * its path.
 */
static uint64_t
get_identity(const struct stat *info)
{
	return cg_hash_u64((uint64_t)info->st_dev) ^ (uint64_t)info->st_ino;
}

/* Values of job->file_ids. */
#define IS_READ 1
#define IS_INPUT 2 /* the file is one of the inputs, too */

static int
note_file(struct cg_job *job, const struct stat *info, uint32_t as)
{
	uint32_t *known = cg_map_at(&job->file_ids, get_identity(info));

	if (!known)
		return cg_nomem(job);
	*known |= as;
	return CG_OK;
}

int
cg_job_note_file(struct cg_job *job, const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct stat info;

	if ((is_stdin ? fstat(STDIN_FILENO, &info) : stat(path, &info)) != 0 ||
	    !S_ISREG(info.st_mode))
		return CG_OK;
	/*
	 * Files that clones read belong to the same conversion: a difference,
	 * a merge.
	 */
	return note_file(job->owner ? job->owner : job, &info, IS_READ);
}

int
cg_job_check_output(struct cg_job *job, const char *path)
{
	bool is_stdout = !path || strcmp(path, "-") == 0;
	struct stat info;
	uint64_t id;

	if (job->write ||
	    (is_stdout ? fstat(STDOUT_FILENO, &info) : stat(path, &info)) !=
		0 ||
	    !S_ISREG(info.st_mode))
		return CG_OK;
	id = get_identity(&info);
	if (cg_map_get(&job->file_ids, id) == 0 &&
	    (!job->owner || cg_map_get(&job->owner->file_ids, id) == 0))
		return CG_OK;
	return cg_usage(job,
	    "the output %s would overwrite a file that is read",
	    is_stdout ? "<stdout>" : path);
}

/* ---- Directories --------------------------------------------------------- */

struct paths {
	const char **path;
	size_t count, cap;
};

#define LISTING_MAX 65536 /* bytes of a listing: as much as probe() gets */

struct walk {
	struct cg_job *job;
	struct paths directories; /* not yet read */
	struct paths files;
	char *path; /* of the current entry */
	size_t path_cap;
	int status;
};

/*
 * True if files of that name are read when an input is a directory: a format
 * lists their suffix as one that it gathers. If the user chose the format
 * (--from), only that one counts.
 */
static bool
is_gathered(const struct cg_job *job, const char *name)
{
	struct cg_slice text = cg_slice(name);

	if (job->from)
		return cg_has_suffix(text, job->from->gathers);
	for (size_t i = 0; i < job->modules; i++) {
		if (cg_has_suffix(text, job->module[i]->gathers))
			return true;
	}
	return false;
}

static bool
set_path(struct walk *walk, const char *directory, const char *name)
{
	size_t len = strlen(directory), size = len + strlen(name) + 2;

	if (!cg_grow(&walk->path, &walk->path_cap, size, 1)) {
		walk->status = cg_nomem(walk->job);
		return false;
	}
	while (len > 1 && directory[len - 1] == '/')
		len--;
	memcpy(walk->path, directory, len);
	if (walk->path[len - 1] != '/')
		walk->path[len++] = '/';
	memcpy(walk->path + len, name, strlen(name) + 1);
	return true;
}

/*
 * True if the directory entry itself states that it is a regular file, which
 * saves a system call.
 */
static bool
is_known_file(const struct dirent *entry)
{
#ifdef DT_REG
	return entry->d_type == DT_REG;
#else
	(void)entry;
	return false;
#endif
}

/*
 * Returns the list of the walk to which a directory entry is added, whose path
 * is walk->path: files to read, or directories to visit. NULL: it is ignored,
 * or cannot be examined.
 */
static struct paths *
choose_list(struct walk *walk, const struct dirent *entry)
{
	bool gathered = is_gathered(walk->job, entry->d_name);
	struct stat info;

	if (is_known_file(entry))
		return gathered ? &walk->files : NULL;
	if (lstat(walk->path, &info) != 0)
		return NULL;
	if (S_ISDIR(info.st_mode))
		return &walk->directories;
	/* Links to directories are not followed: they may form cycles. */
	if (gathered &&
	    (!S_ISLNK(info.st_mode) || stat(walk->path, &info) == 0) &&
	    S_ISREG(info.st_mode))
		return &walk->files;
	return NULL;
}

static void
add_entry(struct walk *walk, const char *directory, const struct dirent *entry)
{
	struct paths *to;

	if (strcmp(entry->d_name, ".") == 0 ||
	    strcmp(entry->d_name, "..") == 0 ||
	    !set_path(walk, directory, entry->d_name))
		return;
	to = choose_list(walk, entry);
	if (to)
		walk->status = cg_job_add_path(
		    walk->job, &to->path, &to->count, &to->cap, walk->path);
}

static void
walk_directory(struct walk *walk, const char *directory)
{
	const struct cg_location location = { .file = directory };
	DIR *dir = opendir(directory);
	const struct dirent *entry;

	if (!dir) {
		cg_diag_say(&walk->job->errors.diag, CG_ERROR, &location,
		    "cannot open: %s", strerror(errno));
		walk->job->errors.skips++;
		return;
	}
	while (walk->status == CG_OK && (entry = readdir(dir)) != NULL)
		add_entry(walk, directory, entry);
	(void)closedir(dir);
}

static int
compare_names(const void *pa, const void *pb)
{
	return strcmp(*(const char *const *)pa, *(const char *const *)pb);
}

/*
 * Returns CG_DIRECTORY_MAGIC and the names in a directory, one per line, by
 * which formats recognize directories. Ends after about LISTING_MAX bytes, or
 * where memory runs out. The caller frees the list. NULL: the directory cannot
 * be listed or is empty, or out of memory.
 */
static char *
list_directory(const char *directory)
{
	size_t len = sizeof(CG_DIRECTORY_MAGIC) - 1, cap = 0;
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	char *text = NULL;

	while (dir && (entry = readdir(dir)) != NULL && len < LISTING_MAX) {
		size_t more = strlen(entry->d_name);

		if (!cg_grow(&text, &cap, len + more + 2, 1))
			break;
		memcpy(
		    text, CG_DIRECTORY_MAGIC, sizeof(CG_DIRECTORY_MAGIC) - 1);
		memcpy(text + len, entry->d_name, more);
		len += more;
		text[len++] = '\n';
		text[len] = '\0';
	}
	if (dir)
		(void)closedir(dir);
	return text;
}

/*
 * Tests if a format recognizes the directory as a whole by the names in it. If
 * so, adds these as a file in memory. Returns its path, which the job owns.
 * NULL: no format does, or out of memory.
 */
static const char *
probe_directory(struct cg_job *job, const char *directory)
{
	char *list = list_directory(directory);
	const char *kept = list ? cg_job_keep(job, list) : NULL, *name;
	char *path = strdup(directory);
	const char *found = NULL;
	struct cg_head head = { .first = cg_slice(CG_DIRECTORY_MAGIC),
		.whole = true };

	for (size_t len = path ? strlen(path) : 0;
	     len > 1 && path[len - 1] == '/'; len--)
		path[len - 1] = '\0';
	name = path ? strrchr(path, '/') : NULL;
	head.first.len--; /* remove its newline */
	head.text = cg_slice(kept ? kept : "");
	head.name = name ? name + 1 : path;
	for (size_t i = 0; kept && path && !found && i < job->modules; i++) {
		if (job->module[i]->probe &&
		    job->module[i]->probe(&head) == CG_PROBE_SURE)
			found = cg_job_keep(job, path);
	}
	if (found && cg_job_add_memory(job, found, head.text) != CG_OK)
		found = NULL;
	free(list);
	free(path);
	return found;
}

/*
 * True if the reader of another of the sorted files opens path: "x.gcno" for
 * "x.gcda". The other file has the first suffix in module->gathers, path a
 * later one. Out of memory: sets walk->status and returns false.
 */
static bool
has_first(struct walk *walk, const struct cg_module *module, const char *path,
    const char **file, size_t files)
{
	struct cg_slice list = cg_slice(module->gathers ? module->gathers : "");
	struct cg_slice first, suffix, name = cg_slice(path);
	size_t stem;

	if (!cg_take_until(&list, ';', &first))
		return false;
	while (cg_take_until(&list, ';', &suffix)) {
		stem = name.len > suffix.len ? name.len - suffix.len : 0;
		if (stem == 0 || path[stem - 1] != '.' ||
		    memcmp(path + stem, suffix.ptr, suffix.len) != 0)
			continue;
		if (!cg_grow(&walk->path, &walk->path_cap, stem + first.len + 1,
			1)) {
			walk->status = cg_nomem(walk->job);
			return false;
		}
		memcpy(walk->path, path, stem);
		memcpy(walk->path + stem, first.ptr, first.len);
		walk->path[stem + first.len] = '\0';
		if (bsearch(
			&walk->path, file, files, sizeof(*file), compare_names))
			return true;
	}
	return false;
}

/*
 * Removes from a sorted list each file that the reader of another file of the
 * list opens as a companion (see "gathers" in struct cg_module). Returns the
 * number of files that remain. If memory runs out, sets walk->status.
 */
static size_t
drop_taken(struct walk *walk, const char **file, size_t files)
{
	const struct cg_job *job = walk->job;
	bool *taken = calloc(files + 1, sizeof(*taken));
	size_t n = 0;

	for (size_t i = 0; taken && i < files; i++) {
		for (size_t m = 0; m < job->modules && !taken[i]; m++)
			taken[i] = has_first(
			    walk, job->module[m], file[i], file, files);
	}
	for (size_t i = 0; taken && i < files; i++) {
		if (!taken[i])
			file[n++] = file[i];
	}
	if (!taken)
		walk->status = cg_nomem(walk->job);
	free(taken);
	return n;
}

/*
 * Appends the inputs in a directory to files, sorted by path. If none were
 * found or skipped, appends the directory itself if a format recognizes it,
 * else fails. Returns the status.
 */
static int
gather(struct cg_job *job, const char *directory, struct paths *files)
{
	const struct cg_location location = { .file = directory };
	struct walk walk = { .job = job, .files = *files };
	size_t before = files->count;
	struct stat info;

	walk_directory(&walk, directory);
	while (walk.status == CG_OK && walk.directories.count > 0)
		walk_directory(
		    &walk, walk.directories.path[--walk.directories.count]);
	if (walk.files.count > before) {
		qsort(walk.files.path + before, walk.files.count - before,
		    sizeof(*walk.files.path), compare_names);
		walk.files.count =
		    before + drop_taken(&walk, walk.files.path + before,
				 walk.files.count - before);
	}
	free(walk.directories.path);
	free(walk.path);
	*files = walk.files;
	for (size_t i = before; walk.status == CG_OK && i < files->count; i++) {
		if (stat(files->path[i], &info) == 0)
			walk.status = note_file(job, &info, IS_INPUT);
	}
	if (walk.status != CG_OK)
		return walk.status;
	if (files->count == before && job->errors.skips == 0) {
		const char *path = probe_directory(job, directory);

		if (path)
			return cg_job_add_path(job, &files->path, &files->count,
			    &files->cap, path);
		cg_diag_say(&job->errors.diag, CG_ERROR, &location,
		    "no files to read in this directory; {recursive} reads "
		    "files of any format in it");
		return CG_EINPUT;
	}
	return CG_OK;
}

/* ---- The inputs --------------------------------------------------------- */

static const struct cg_memory_file *
find_memory(const struct cg_job *job, const char *path)
{
	for (size_t i = 0; i < job->memories; i++) {
		if (strcmp(job->memory[i].path, path) == 0)
			return &job->memory[i];
	}
	return NULL;
}

int
cg_job_add_memory(struct cg_job *job, const char *path, struct cg_slice bytes)
{
	const char *copy = cg_job_keep(job, path);

	if (!copy)
		return CG_ELIMIT;
	if (cg_grow(&job->memory, &job->memory_cap, job->memories + 1,
		sizeof(*job->memory)))
		job->memory[job->memories++] =
		    (struct cg_memory_file){ copy, bytes };
	else
		job->status = cg_nomem(job);
	return job->status;
}

/*
 * True if any input is in memory or from a callback: readers then do not open
 * other files on disk.
 */
static bool
in_memory(const struct cg_job *job)
{
	return job->memories > 0 || job->callbacks > 0;
}

static const struct cg_input_callback *
find_callback(const struct cg_job *job, const char *path)
{
	for (size_t i = 0; i < job->callbacks; i++) {
		if (strcmp(job->callback[i].path, path) == 0)
			return &job->callback[i];
	}
	return NULL;
}

int
cg_job_add_input_callback(
    struct cg_job *job, const char *path, cg_read_fn *read, void *arg)
{
	const char *copy = cg_job_keep(job, path);

	if (!copy)
		return CG_ELIMIT;
	if (!cg_grow(&job->callback, &job->callback_cap, job->callbacks + 1,
		sizeof(*job->callback)))
		return job->status = cg_nomem(job);
	job->callback[job->callbacks++] =
	    (struct cg_input_callback){ copy, read, arg };
	return cg_job_add_input(job, path);
}

struct cg_in *
cg_job_open(struct cg_job *job, const char *path, int *status)
{
	const struct cg_memory_file *file = find_memory(job, path);
	const struct cg_input_callback *callback = find_callback(job, path);
	struct cg_source source = { .fd = -1 };
	struct cg_in *in;

	if (callback) {
		source.read = callback->read;
		source.arg = callback->arg;
		in = cg_in_source(&job->errors.diag, path, &source, status);
	} else if (file) {
		in = cg_in_memory(&job->errors.diag, path, file->bytes, status);
	} else {
		in = cg_in_open(&job->errors.diag, path, status);
		if (in && cg_job_note_file(job, path) != CG_OK)
			job->errors.fault = CG_ELIMIT;
	}
	if (in)
		cg_in_set_threads(in, job->threads);
	return in;
}

/*
 * True if another input has the data of this file, by some format's rule: a
 * profiler may leave a file empty and write others next to it. The caller
 * skips the empty file without an error.
 */
static bool
is_split(const struct cg_job *job, const char *path)
{
	for (size_t m = 0; m < job->modules; m++) {
		const struct cg_module *module = job->module[m];

		for (size_t i = 0; module->is_split && i < job->inputs; i++) {
			if (module->is_split(path, job->input[i]))
				return true;
		}
	}
	return false;
}

static int
sort_input(struct cg_job *job, const char *path, struct paths *inputs)
{
	struct stat info;
	bool known = strcmp(path, "-") != 0 && !find_memory(job, path) &&
		     !find_callback(job, path) && stat(path, &info) == 0;
	int status;

	if (known && S_ISDIR(info.st_mode))
		return gather(job, path, inputs);
	/*
	 * An executable among the inputs, as in "gprof prog gmon.out", is an
	 * object.
	 */
	if (known && !is_gathered(job, path) && cg_is_elf(path))
		return cg_job_add_object(job, path);
	if (known && S_ISREG(info.st_mode) && info.st_size == 0 &&
	    is_split(job, path)) {
		cg_note(job,
		    "skipped %s: it is empty, its data is in the "
		    "files next to it",
		    path);
		return CG_OK;
	}
	status = known ? note_file(job, &info, IS_INPUT) : CG_OK;
	return status != CG_OK ? status
			       : cg_job_add_path(job, &inputs->path,
				     &inputs->count, &inputs->cap, path);
}

int
cg_job_sort_inputs(struct cg_job *job)
{
	struct paths inputs = { 0 };
	size_t given = job->inputs;
	int status = CG_OK;

	for (size_t i = 0; status == CG_OK && i < given; i++)
		status = sort_input(job, job->input[i], &inputs);
	free(job->input);
	job->input = inputs.path;
	job->inputs = inputs.count;
	job->input_cap = inputs.cap;
	job->unclaimed = status == CG_OK && job->inputs == 0;
	if (job->unclaimed)
		return job->errors.skips > 0
			   ? CG_EINPUT
			   : cg_usage(job, "expected a profile to read%s",
				 given ? " besides the executable" : "");
	return status;
}

bool
cg_job_has_input(const struct cg_job *job, const char *path)
{
	struct stat info;

	for (size_t i = 0; in_memory(job) && i < job->inputs; i++) {
		if (strcmp(job->input[i], path) == 0)
			return true;
	}
	return stat(path, &info) == 0 &&
	       (cg_map_get(&job->file_ids, get_identity(&info)) & IS_INPUT) !=
		   0;
}

int
cg_archive_open(
    struct cg_job *job, const char *path, struct cg_archive **archive)
{
	int status;
	struct cg_in *in = cg_job_open(job, path, &status);

	*archive = in ? cg_archive_new(job, in, &status) : NULL;
	return status;
}

/* ---- Companions --------------------------------------------------------- */

bool
cg_job_opened(struct cg_job *job, struct cg_in **in, int status)
{
	struct cg_companion *companion;

	if (!*in) {
		job->errors.skips += status != CG_OK;
		if (status == CG_ELIMIT)
			job->errors.fault = status;
		return status == CG_OK;
	}
	companion = malloc(sizeof(*companion));
	if (!companion) {
		cg_in_close(*in);
		*in = NULL;
		job->errors.fault = cg_nomem(job);
		return false;
	}
	*companion =
	    (struct cg_companion){ .in = *in, .below = job->errors.companion };
	job->errors.companion = companion;
	return true;
}

bool
cg_job_open_file(struct cg_job *job, const char *path, struct cg_in **in)
{
	int status = CG_OK;

	*in = cg_in_try(&job->errors.diag, path, &status);
	if (*in && cg_job_note_file(job, path) != CG_OK)
		job->errors.fault = CG_ELIMIT;
	return cg_job_opened(job, in, status);
}

bool
cg_open_companion(struct cg_job *job, const char *path, struct cg_in **in)
{
	const struct cg_memory_file *file = find_memory(job, path);
	int status = CG_OK;

	*in = NULL;
	/* Names in an archive must not lead out of it. */
	if (!file && in_memory(job))
		return true;
	if (!file)
		return cg_job_open_file(job, path, in);
	*in = cg_in_memory(&job->errors.diag, path, file->bytes, &status);
	return cg_job_opened(job, in, status);
}

bool
cg_companion_exists(struct cg_job *job, const char *path)
{
	struct stat info;

	if (in_memory(job))
		return find_memory(job, path) != NULL;
	return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool
cg_companion_in_memory(const struct cg_job *job)
{
	return in_memory(job);
}

void
cg_close_companion(struct cg_job *job, struct cg_in *in)
{
	struct cg_companion *companion = job->errors.companion;

	if (!companion || companion->in != in)
		return;
	/* Running out of memory (reported) ends the job. */
	if (cg_in_status(in) == CG_ELIMIT)
		job->errors.fault = CG_ELIMIT;
	else if (cg_in_status(in) != CG_OK)
		job->errors.skips++;
	job->errors.companion = companion->below;
	cg_in_close(in);
	free(companion);
}
