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

/* Writes the graph of a job in a format; returns false if that fails. */
static bool
write_graph(struct cg_job *job, const struct cg_module *to)
{
	int status = cg_job_set_to(job, to->name);

	cg_job_set_output_memory(job);
	if (status == CG_OK)
		status = cg_job_write(job);
	expect(status != CG_EBUG, to, "the writer returns an internal error");
	return status == CG_OK;
}

/* Reports whether two jobs wrote the same bytes. */
static bool
wrote_same(const struct cg_job *job, const struct cg_job *other)
{
	const struct cg_slice one = cg_job_output(job);
	const struct cg_slice two = cg_job_output(other);

	return one.len == two.len && memcmp(one.ptr, two.ptr, one.len) == 0;
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

/* Reads the output and writes it again; returns the job that did. */
static struct cg_job *
rewrite(struct cg_slice bytes, const struct cg_module *to)
{
	struct cg_job *job = read_with(bytes, to, NULL);

	expect(job != NULL, to, "cannot read what it wrote");
	expect(write_graph(job, to), to, "cannot write it again");
	return job;
}

static void
write_and_reread(struct cg_slice bytes, const struct cg_module *from,
    const struct cg_module *to)
{
	struct cg_job *job = read_bytes(bytes, from), *again;
	bool same = true;

	if (job != NULL && write_graph(job, to)) {
		for (int n = times_written(to); n > 1; n--) {
			again = rewrite(cg_job_output(job), to);
			same = wrote_same(job, again);
			cg_job_free(job);
			job = again;
		}
	}
	expect(same, to, "goes on writing it differently");
	cg_job_free(job);
}

/*
 * Reads the bytes, and folds stacks when the graph has so many nodes, or at the
 * end; returns NULL if the bytes are rejected.
 */
static struct cg_job *
fold_at(struct cg_slice bytes, const struct cg_module *to, const char *by,
    size_t nodes)
{
	struct cg_job *job = cg_job_new(cg_formats(), ignore, NULL);

	if (job == NULL)
		return NULL;
	job->fold_nodes = nodes;
	(void)cg_job_set_from(job, fuzzed->name);
	(void)cg_job_set_to(job, to->name);
	(void)cg_job_set_part_by(job, by);
	if (cg_job_read_memory(job, "fuzz", bytes) == CG_OK)
		return job;
	cg_job_free(job);
	return NULL;
}

static void
fold_both_ways(
    struct cg_slice bytes, const struct cg_module *to, const char *by)
{
	struct cg_job *often = fold_at(bytes, to, by, 1);
	struct cg_job *once = fold_at(bytes, to, by, SIZE_MAX);
	bool same = (often == NULL) == (once == NULL);

	if (often != NULL && once != NULL) {
		bool wrote = write_graph(often, to);

		same = wrote == write_graph(once, to) &&
		       (!wrote || wrote_same(often, once));
	}
	expect(same, to, "stacks that are folded in steps become other calls");
	cg_job_free(often);
	cg_job_free(once);
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
