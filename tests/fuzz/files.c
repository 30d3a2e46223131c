/*
 * files.c - fuzz targets of inputs that are read with another file:
 *
 *	gcov_unit  notes with their data: the length of the .gcno, in four
 *	           bytes, the .gcno, the .gcda
 *	elf        an executable for the gmon.out files of the samples: symbols,
 *	           lines, inlined calls
 *	llvm_mapping  an executable for the .profraw of the samples
 *	patch      a diff that limits the coverage of the samples
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgconv.h"
#include "memory.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct kind {
	const char *name, *pattern; /* of the samples that the file is for */
	const char *option;         /* that names the file; NULL: an object */
	const char *to;
} kinds[] = {
	{ "elf", "samples/gprof/*/gmon.out", NULL, "json" },
	{ "llvm_mapping", "samples/llvm-profile/*/default.profraw", NULL,
	    "json" },
	{ "patch", "samples/lcov/*/*.info", "patch", "lcov" },
	{ NULL, NULL, NULL, "json" },
};
static const struct kind *kind; /* without a name: a unit */
static glob_t runs;
static char file[] = "/tmp/cgconv-fuzz.XXXXXX";
static int file_fd;

static void
remove_file(void)
{
	(void)unlink(file);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = (*argv)[0], *slash = strrchr(name, '/');

	(void)argc;
	name = slash ? slash + 1 : name;
	for (kind = kinds; kind->name && strcmp(name, kind->name) != 0; kind++)
		;
	if (!kind->name)
		return 0;
	file_fd = mkstemp(file);
	(void)atexit(remove_file);
	if (file_fd < 0 || glob(kind->pattern, 0, NULL, &runs) != 0) {
		fprintf(stderr, "fuzz: no %s\n", kind->pattern);
		exit(1);
	}
	return 0;
}

static void
ignore(void *arg, const struct cg_message *message)
{
	(void)arg;
	if (message->text == NULL || message->text[0] == '\0')
		abort();
}

/* Reads what was added and writes it in a format that has most facts. */
static void
convert(struct cg_job *job, const uint8_t *data, size_t size)
{
	int status;

	if (job == NULL)
		return;
	(void)cg_job_set_to(job, kind->to);
	cg_job_set_output_memory(job);
	status = cg_job_read(job, NULL);
	if (status == CG_EBUG)
		abort();
	memory_end(data, size);
	if (status == CG_OK && cg_job_write(job) == CG_EBUG)
		abort();
	cg_job_free(job);
}

static void
read_unit(const uint8_t *data, size_t size)
{
	struct cg_job *job = cg_job_new(cg_formats(), ignore, NULL);
	const char *bytes = (const char *)data + 4;
	size_t notes = 0;

	for (int i = 0; i < 4 && size >= 4; i++)
		notes |= (size_t)data[i] << 8 * i;
	size = size < 4 ? 0 : size - 4;
	notes = notes < size ? notes : size;
	if (job != NULL && size > 0) {
		(void)cg_job_add_memory(
		    job, "a.gcno", (struct cg_slice){ bytes, notes });
		(void)cg_job_add_memory(job, "a.gcda",
		    (struct cg_slice){ bytes + notes, size - notes });
		(void)cg_job_add_input(job, "a.gcda");
	}
	convert(job, data, size);
}

static void
read_run(const char *run, const uint8_t *data, size_t size)
{
	struct cg_job *job = cg_job_new(cg_formats(), ignore, NULL);

	if (job != NULL) {
		if (kind->option)
			(void)cg_job_set_option(job, kind->option, file);
		else
			(void)cg_job_add_object(job, file);
		(void)cg_job_add_input(job, run);
	}
	convert(job, data, size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	memory_begin();
	if (!kind->name) {
		read_unit(data, size);
		return 0;
	}
	if (ftruncate(file_fd, 0) != 0 ||
	    pwrite(file_fd, data, size, 0) != (ssize_t)size)
		return 0;
	for (size_t i = 0; i < runs.gl_pathc; i++) {
		memory_begin();
		read_run(runs.gl_pathv[i], data, size);
	}
	return 0;
}
