/*
 * progress.c - the bytes of cg_job_set_progress() add up to the sizes of the
 * files, compressed or not, with one thread or two.
 */
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "cgconv.h"
#include "unit.h"

#define LINES 400000

struct sums {
	uint64_t read, written;
};

static void
add(void *arg, uint64_t read, uint64_t written)
{
	struct sums *sums = arg;

	sums->read += read;
	sums->written += written;
}

static uint64_t
size_of(const char *path)
{
	struct stat info;

	return CHECK(stat(path, &info) == 0) ? (uint64_t)info.st_size : 0;
}

/* Writes folded stacks of many functions. */
static void
make(const char *path, const char *mode)
{
	gzFile to = gzopen(path, mode);

	if (!CHECK(to != NULL))
		return;
	for (int i = 0; i < LINES; i++)
		gzprintf(to, "main;f%d;g%d %d\n", i % 9973, i % 101, i + 1);
	CHECK(gzclose(to) == Z_OK);
}

static void
convert(const char *from, const char *to, size_t threads)
{
	struct cg_job *job = cg_job_new(cg_formats(), NULL, NULL);
	struct sums sums = { 0, 0 };

	if (!CHECK(job != NULL))
		return;
	cg_job_set_progress(job, add, &sums);
	cg_job_set_threads(job, threads);
	CHECK(cg_job_set_to(job, "folded") == CG_OK);
	CHECK(cg_job_set_output(job, to) == CG_OK);
	(void)cg_job_add_input(job, from);
	CHECK(cg_job_read(job, NULL) == CG_OK);
	CHECK(sums.read == size_of(from));
	CHECK(sums.written == 0);
	CHECK(cg_job_write(job) == CG_OK);
	CHECK(sums.written == size_of(to));
	cg_job_free(job);
}

int
main(void)
{
	char room[] = "/tmp/progress-XXXXXX";

	if (!CHECK(mkdtemp(room) != NULL) || !CHECK(chdir(room) == 0))
		return unit_end();
	make("plain.folded", "wT");
	make("compressed.folded.gz", "wb1");
	for (size_t threads = 1; threads <= 2; threads++) {
		convert("plain.folded", "out.folded", threads);
		convert("compressed.folded.gz", "out.folded.gz", threads);
	}
	CHECK(unlink("plain.folded") == 0 && unlink("compressed.folded.gz") == 0 &&
	      unlink("out.folded") == 0 && unlink("out.folded.gz") == 0 &&
	      chdir("/") == 0 && rmdir(room) == 0);
	return unit_end();
}
