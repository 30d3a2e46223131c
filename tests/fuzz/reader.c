/*
 * reader.c - fuzz target for readers: the executable is linked under the name of
 * each format and fuzzes the format that it is called by.
 *
 * Accepted inputs are converted by every writer. The output of text formats is
 * read and written again and has to be identical, and so have calls, whether
 * stacks are folded while they are read or at the end. A difference calls
 * abort().
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"
#include "memory.h"

/* The format that the executable is named after, with _ for -. */
static const struct cg_module *fuzzed;
/* Executables of the samples: symbols for readers that need them. */
static glob_t programs;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *slash = strrchr((*argv)[0], '/');
	char format[32], pattern[64];

	(void)argc;
	(void)snprintf(format, sizeof(format), "%s",
	    slash != NULL ? slash + 1 : (*argv)[0]);
	for (char *at = format; *at != '\0'; at++)
		if (*at == '_')
			*at = '-';
	fuzzed = cg_find_module(cg_formats(), cg_slice(format));
	if (fuzzed == NULL || fuzzed->read == NULL) {
		fprintf(stderr, "fuzz: there is no reader %s\n", format);
		exit(1);
	}
	(void)snprintf(pattern, sizeof(pattern), "samples/%s/*/prog", format);
	(void)glob(pattern, 0, NULL, &programs);
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
	    stderr, "fuzz: %s to %s: %s\n", fuzzed->name, module->name, what);
	abort();
}

/* Returns a job that has read the bytes, or NULL if they are rejected. */
static struct cg_job *
read_with(
    struct cg_slice bytes, const struct cg_module *from, const char *program)
{
	struct cg_job *job = cg_job_new(cg_formats(), ignore, NULL);
	int status;

	if (job == NULL)
		return NULL;
	if (program != NULL)
		(void)cg_job_add_object(job, program);
	(void)cg_job_set_from(job, from->name);
	status = cg_job_read_memory(job, "fuzz", bytes);
	expect(status != CG_EBUG, from, "the reader returns an internal error");
	if (status == CG_OK)
		return job;
	cg_job_free(job);
	return NULL;
}

/* As read_with(), with the first executable that matches. */
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

/* Returns the graph of a job written in a format. */
struct written {
	struct cg_job *job;
	struct cg_out *out; /* NULL: rejected or failed */
};

static struct written
write_graph(struct cg_job *job, const struct cg_module *to)
{
	struct written it = { .job = job };

	if (cg_job_set_to(job, to->name) != CG_OK ||
	    cg_derive(job, to) != CG_OK)
		return it;
	it.out = cg_out_memory(&job->errors.diag);
	if (it.out == NULL)
		return it;
	if (to->write(job, job->graph, it.out) == CG_OK &&
	    job->errors.fault == CG_OK && cg_out_status(it.out) == CG_OK)
		return it;
	cg_out_close(it.out);
	it.out = NULL;
	return it;
}

static void
drop(struct written it)
{
	if (it.out != NULL)
		cg_out_close(it.out);
	cg_job_free(it.job);
}

/*
 * How often a graph is written by a format that reads it back without a
 * program; what was written last has to be what was written before. JSON holds
 * everything, callgrind cleans names of what would break its lines.
 */
static const struct {
	const char *name;
	int times;
} faithful[] = { { "json", 2 }, { "callgrind", 3 }, { NULL, 1 } };

static int
times_written(const struct cg_module *to)
{
	size_t i = 0;

	while (
	    faithful[i].name != NULL && strcmp(faithful[i].name, to->name) != 0)
		i++;
	return faithful[i].times;
}

/* Reads the output and writes it again. */
static struct written
rewrite(struct cg_slice bytes, const struct cg_module *to)
{
	struct cg_job *job = read_with(bytes, to, NULL);
	struct written again;

	expect(job != NULL, to, "cannot read what it wrote");
	again = write_graph(job, to);
	expect(again.out != NULL, to, "cannot write it again");
	return again;
}

static void
write_and_reread(struct cg_slice bytes, const struct cg_module *from,
    const struct cg_module *to)
{
	struct cg_job *job = read_bytes(bytes, from);
	struct written it, again;
	struct cg_slice one, two;
	bool same = true;

	if (job == NULL)
		return;
	it = write_graph(job, to);
	for (int n = times_written(to); it.out != NULL && n > 1; n--) {
		one = cg_out_bytes(it.out);
		again = rewrite(one, to);
		two = cg_out_bytes(again.out);
		same = one.len == two.len &&
		       memcmp(one.ptr, two.ptr, one.len) == 0;
		drop(it);
		it = again;
	}
	expect(same, to, "goes on writing it differently");
	drop(it);
}

/*
 * Converts; folds stacks when the graph has so many nodes, which a thread may do,
 * or at the end.
 */
static struct written
fold_at(struct cg_slice bytes, const struct cg_module *to, const char *by,
    size_t nodes)
{
	struct written it = { .job = cg_job_new(cg_formats(), ignore, NULL) };

	if (it.job == NULL)
		return it;
	it.job->fold_nodes = nodes;
	cg_job_set_threads(it.job, 2);
	(void)cg_job_set_from(it.job, fuzzed->name);
	(void)cg_job_set_to(it.job, to->name);
	(void)cg_job_set_part_by(it.job, by);
	return cg_job_read_memory(it.job, "fuzz", bytes) == CG_OK
		   ? write_graph(it.job, to)
		   : it;
}

static void
fold_both_ways(
    struct cg_slice bytes, const struct cg_module *to, const char *by)
{
	struct written often = fold_at(bytes, to, by, 1),
		       once = fold_at(bytes, to, by, SIZE_MAX);
	bool same = (often.out == NULL) == (once.out == NULL);

	if (often.out != NULL && once.out != NULL) {
		const struct cg_slice one = cg_out_bytes(often.out),
				      two = cg_out_bytes(once.out);

		same = one.len == two.len &&
		       memcmp(one.ptr, two.ptr, one.len) == 0;
	}
	expect(same, to, "stacks that are folded in steps become other calls");
	drop(often);
	drop(once);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const folded[] = { "callgrind", "csv" };
	static const char *const by[] = { "none", "tid" };
	const struct cg_slice bytes = { (const char *)data, size };

	memory_begin();
	cg_job_free(read_bytes(bytes, fuzzed));
	memory_end(data, size);
	for (size_t i = 0; cg_formats()[i] != NULL; i++)
		if (cg_formats()[i]->write != NULL)
			write_and_reread(bytes, fuzzed, cg_formats()[i]);
	for (size_t i = 0; i < sizeof(folded) / sizeof(*folded); i++)
		for (size_t j = 0; j < sizeof(by) / sizeof(*by); j++)
			fold_both_ways(bytes,
			    cg_find_module(cg_formats(), cg_slice(folded[i])),
			    by[j]);
	return 0;
}
