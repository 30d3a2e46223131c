/*
 * batch.c - fuzz targets of the program's batches:
 *
 *	batch     an archive is converted: names of members, units in archives.
 *	          Nothing may be written outside of the output directory.
 *	manifest  a manifest is resumed, and merged with itself
 */
#define _XOPEN_SOURCE 700 /* nftw() */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cmd/cmd.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_manifest;
static char directory[] = "/tmp/cgconv-fuzz.XXXXXX";
static long owner; /* the process: workers do not clean up */

static int
remove_entry(
    const char *path, const struct stat *info, int kind, struct FTW *at)
{
	(void)info, (void)kind, (void)at;
	return remove(path);
}

static void
clean_up(void)
{
	if (getpid() == owner)
		(void)nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = (*argv)[0], *slash = strrchr(name, '/');

	(void)argc;
	is_manifest = strcmp(slash ? slash + 1 : name, "manifest") == 0;
	if (mkdtemp(directory) == NULL)
		exit(1);
	owner = getpid();
	(void)atexit(clean_up);
	return 0;
}

static char *
path_of(const char *name, char path[256])
{
	(void)snprintf(path, 256, "%s/%s", directory, name);
	return path;
}

static void
put_file(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		exit(1);
	(void)close(fd);
}

static void
ignore(void *arg, const struct cg_message *message)
{
	(void)arg, (void)message;
}

static void
run_program(char **argv)
{
	struct args args = { 0 };
	int argc = 0;

	while (argv[argc] != NULL)
		argc++;
	args.job = cg_job_new(cg_formats(), ignore, NULL);
	if (args.job == NULL)
		return;
	if (parse_args(&args, argc, argv) == CG_OK)
		(void)(args.command == CMD_MERGE_MANIFESTS
			   ? merge_manifests(&args)
			   : convert(&args));
	cg_job_free(args.job);
	json_object_put(args.options);
}

/* The files that the target made, and no others. */
static void
check_entries(const char *const *expected)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	size_t i;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		for (i = 0; expected[i] != NULL; i++)
			if (strcmp(expected[i], entry->d_name) == 0)
				break;
		if (expected[i] == NULL)
			abort();
	}
	(void)closedir(dir);
}

static void
run_archive(const uint8_t *data, size_t size)
{
	static const char *const expected[] = { ".", "..", "in.tar", "out",
		NULL };
	char in[256], out[256];
	char *argv[] = { (char[]){ "cgconv" }, (char[]){ "-q" },
		(char[]){ "-j1" }, (char[]){ "-tjson" }, (char[]){ "--force" },
		(char[]){ "-O" }, path_of("out", out), path_of("in.tar", in),
		NULL };

	put_file(in, data, size);
	run_program(argv);
	check_entries(expected);
	(void)nftw(out, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void
run_manifest(const uint8_t *data, size_t size)
{
	char manifest[256], out[256], missing[256];
	char *resume[] = { (char[]){ "cgconv" }, (char[]){ "-q" },
		(char[]){ "-j1" }, (char[]){ "-tcallgrind" }, (char[]){ "-O" },
		path_of("out", out), (char[]){ "--resume" },
		(char[]){ "--manifest" }, path_of("m", manifest),
		path_of("a.folded", missing), NULL };
	char *merge[] = { (char[]){ "cgconv" }, (char[]){ "--merge-manifests" },
		manifest, manifest, NULL };

	put_file(manifest, data, size);
	run_program(merge);
	run_program(resume);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (is_manifest)
		run_manifest(data, size);
	else
		run_archive(data, size);
	return 0;
}
