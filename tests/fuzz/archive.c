/*
 * archive.c - fuzz target for archives. It reads all members, whose size must
 * stay within the limits of the library, then reads them again with a smaller
 * buffer: both runs have to give the same bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv.h"
#include "memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
ignore(void *arg, const struct cg_message *message)
{
	(void)arg;
	if (message->text == NULL || message->text[0] == '\0')
		abort(); /* failed without a message */
}

/* Returns a checksum of all names and bytes; sets *status. */
static uint64_t
read_through(const uint8_t *data, size_t size, size_t step, int *status)
{
	static char buf[65536];
	struct cg_job *job = cg_job_new(cg_formats(), ignore, NULL);
	struct cg_archive *archive = NULL;
	struct cg_member member;
	uint64_t sum = 0, before, bytes = 0;
	ptrdiff_t got;

	*status = CG_ELIMIT;
	if (job == NULL)
		return 0;
	(void)cg_job_add_memory(
	    job, "fuzz", (struct cg_slice){ (const char *)data, size });
	*status = cg_archive_open(job, "fuzz", &archive);
	while (archive != NULL && cg_archive_next(archive, &member)) {
		for (const char *at = member.name; *at != '\0'; at++)
			sum = sum * 31 + (unsigned char)*at;
		if (!member.file)
			continue;
		before = sum;
		while ((got = cg_archive_read(archive, buf, step)) > 0) {
			bytes += (uint64_t)got;
			for (ptrdiff_t i = 0; i < got; i++)
				sum = sum * 31 + (unsigned char)buf[i];
		}
		sum = got < 0 ? before : sum;
	}
	if (archive != NULL)
		*status = cg_archive_status(archive);
	if (bytes > (uint64_t)1 << 30)
		abort(); /* decompression bomb */
	cg_archive_close(archive);
	cg_job_free(job);
	return sum;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int first, again;
	uint64_t sum;

	memory_begin();
	sum = read_through(data, size, 65536, &first);
	memory_end(data, size);

	/* Reads of a damaged member may fail at different offsets. */
	if (read_through(data, size, 1000, &again) != sum && first == CG_OK &&
	    again == CG_OK)
		abort();
	return 0;
}
