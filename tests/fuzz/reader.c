/*
 * reader.c - libFuzzer's entrance to one reader: FUZZ_FORMAT, a string.
 *
 * What it accepts goes to every writer; what a writer of text has written is
 * read again and has to come out the same. Beyond crashes, leaks and limits,
 * that is what may be wrong here: it ends in abort().
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

/* Programs of the samples: symbols for the readers that want them. */
static glob_t programs;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	(void)glob("samples/" FUZZ_FORMAT "/*/prog", 0, NULL, &programs);
	return 0;
}

static void
ignore(void *arg, const struct cg_message *message)
{
	(void)arg;
	(void)message;
}

static void
expect(bool good, const struct cg_module *module, const char *what)
{
	if (good)
		return;
	fprintf(
	    stderr, "fuzz: " FUZZ_FORMAT " to %s: %s\n", module->name, what);
	abort();
}

/* A job that has read the bytes, or NULL if they are refused. */
static struct cg_job *
read_with(
    struct cg_slice bytes, const struct cg_module *from, const char *program)
{
	struct cg_job *job = cg_job_new(cg_formats, ignore, NULL);
	int status;

	if (job == NULL)
		return NULL;
	if (program != NULL)
		(void)cg_job_add_object(job, program);
	(void)cg_job_set_from(job, from->name);
	status = cg_job_read_memory(job, "fuzz", bytes);
	expect(status != CG_EBUG, from, "the reader calls it our own fault");
	if (status == CG_OK)
		return job;
	cg_job_free(job);
	return NULL;
}

/* The same with whichever program fits. */
static struct cg_job *
read_bytes(struct cg_slice bytes, const struct cg_module *from)
{
	struct cg_job *job = NULL;

	if (programs.gl_pathc == 0)
		return read_with(bytes, from, NULL);
	for (size_t i = 0; job == NULL && i < programs.gl_pathc; i++)
		job = read_with(bytes, from, programs.gl_pathv[i]);
	return job;
}

/* What the job's graph looks like in a format, or NULL. */
static struct cg_out *
write_graph(struct cg_job *job, const struct cg_module *to)
{
	struct cg_out *out;

	if (cg_job_set_to(job, to->name) != CG_OK ||
	    cg_derive(job, to) != CG_OK)
		return NULL;
	out = cg_out_memory(&job->diag);
	if (out == NULL)
		return NULL;
	if (to->write(job, job->graph, out) == CG_OK && job->fault == CG_OK &&
	    cg_out_status(out) == CG_OK)
		return out;
	cg_out_close(out);
	return NULL;
}

/* Formats that say all they carry, without the help of a program. */
static bool
is_faithful(const struct cg_module *to)
{
	return strcmp(to->name, "callgrind") == 0 ||
	       strcmp(to->name, "json") == 0;
}

static void
write_and_reread(struct cg_slice bytes, const struct cg_module *from,
    const struct cg_module *to)
{
	struct cg_job *job = read_bytes(bytes, from), *again;
	struct cg_out *first, *second = NULL;
	struct cg_slice one, two;

	if (job == NULL)
		return;
	first = write_graph(job, to);
	if (first != NULL && is_faithful(to)) {
		one = cg_out_bytes(first);
		again = read_bytes(one, to);
		expect(again != NULL, to, "cannot read what it wrote");
		second = write_graph(again, to);
		expect(second != NULL, to, "cannot write it again");
		two = cg_out_bytes(second);
		expect(one.len == two.len &&
			   memcmp(one.ptr, two.ptr, one.len) == 0,
		    to, "writes it differently the second time");
		cg_out_close(second);
		cg_job_free(again);
	}
	if (first != NULL)
		cg_out_close(first);
	cg_job_free(job);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cg_slice bytes = { (const char *)data, size };
	const struct cg_module *from =
	    cg_find_module(cg_formats, cg_slice(FUZZ_FORMAT));

	if (from == NULL || from->read == NULL)
		return -1;
	for (size_t i = 0; cg_formats[i] != NULL; i++)
		if (cg_formats[i]->write != NULL)
			write_and_reread(bytes, from, cg_formats[i]);
	return 0;
}
