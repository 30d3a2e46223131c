/*
 * named.c - the files that the command line names for reading: no output may
 * overwrite one. Files are compared by device and inode. The library checks
 * the other files that a conversion reads.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

/* ---- The list ----------------------------------------------------------- */

/*
 * Adds the file at "path" to the files that no output may overwrite. Stores
 * its device and inode. The path "-" stands for standard input. Does nothing
 * if there is no regular file. False: out of memory.
 */
static bool
add_file(const struct args *args, struct named_files *named, const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct stat info;

	if ((is_stdin ? fstat(STDIN_FILENO, &info) : stat(path, &info)) != 0 ||
	    !S_ISREG(info.st_mode))
		return true;
	return cg_append(args->job, &named->file,
	    (struct named_file){ path, info.st_dev, info.st_ino });
}

/*
 * Returns true if a format has an option of that name whose value is a file or
 * a directory.
 */
static bool
names_file(const struct args *args, struct cg_slice name)
{
	const struct cg_module *module;
	const struct cg_option *option;

	for (size_t i = 0; (module = cg_job_module(args->job, i)) != NULL;
	     i++) {
		option = module->options;
		for (; option != NULL && option->name != NULL; option++) {
			struct cg_slice arg =
			    cg_slice(option->arg != NULL ? option->arg : "");

			if (cg_equal(name, option->name) &&
			    (cg_starts(arg, "FILE") || cg_starts(arg, "DIR")))
				return true;
		}
	}
	return false;
}

/*
 * Adds files that are named in options of formats to the list of named files,
 * so that no output overwrites them. Options for directories count, too: their
 * value may be an archive. False: out of memory.
 */
static bool
add_options(const struct args *args, struct named_files *named)
{
	bool ok = true;

	for (size_t i = 0; i < json_object_array_length(args->options); i++) {
		struct cg_slice text = cg_slice(json_object_get_string(
				    json_object_array_get_idx(
					args->options, i))),
				name;

		if (cg_take_prefix(&text, "--") &&
		    cg_take_until(&text, '=', &name) && text.len > 0 &&
		    names_file(args, name))
			ok = ok && add_file(args, named, text.ptr);
	}
	return ok;
}

bool
list_named_files(
    const struct args *args, bool inputs, struct named_files *named)
{
	const char *path;
	bool ok = true;

	*named = (struct named_files){ 0 };
	for (size_t i = 0; ok && inputs && i < args->inputs; i++)
		ok = add_file(args, named, args->input[i]);
	if (ok && inputs && args->inputs == 0 && args->list == NULL)
		ok = add_file(args, named, "-");
	for (size_t i = 0; ok && (path = cg_job_object(args->job, i)) != NULL;
	     i++)
		ok = add_file(args, named, path);
	if (ok && args->list != NULL)
		ok = add_file(args, named, args->list);
	if (ok && args->command == CMD_SERIES && args->manifest != NULL)
		ok = add_file(args, named, args->manifest);
	return ok && add_options(args, named);
}

const char *
find_named_file(const struct named_files *named, const struct stat *info)
{
	for (size_t i = 0; i < named->file.n; i++) {
		if (named->file.at[i].number == info->st_ino &&
		    named->file.at[i].device == info->st_dev)
			return named->file.at[i].path;
	}
	return NULL;
}

/* ---- Outputs ------------------------------------------------------------ */

static int
check_path(const struct args *args, const struct named_files *named,
    const char *option, const char *path)
{
	const char *read;
	struct stat info;

	if (path == NULL || strcmp(path, "-") == 0 || stat(path, &info) != 0)
		return CG_OK;
	read = find_named_file(named, &info);
	if (read == NULL)
		return CG_OK;
	return cg_usage(args->job, "%s %s would overwrite %s, which is read",
	    option, path, strcmp(read, "-") == 0 ? "standard input" : read);
}

int
check_overwriting(const struct args *args)
{
	struct named_files named;
	int status;

	if (args->output == NULL && args->manifest == NULL)
		return CG_OK;
	if (!list_named_files(args, true, &named))
		return CG_ELIMIT;
	status = check_path(args, &named, "-o", args->output);
	/* --series reads the manifest. */
	if (status != CG_OK || args->command == CMD_SERIES)
		return status;
	return check_path(args, &named, "--manifest", args->manifest);
}
