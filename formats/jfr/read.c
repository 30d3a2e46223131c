/*
 * read.c - reads the file: consecutive chunks, each with a header, and with
 * classes and constants of its own.
 */
#include <inttypes.h>
#include <time.h>

#include "jfr.h"

/* The header, big-endian. */
struct header {
	uint64_t magic, major, minor;
	uint64_t size, pools, metadata; /* of the chunk; offsets in it */
	uint64_t start, duration;       /* nanoseconds, since 1970 */
	uint64_t ticks, frequency;      /* start in ticks; ticks per second */
	uint64_t state;                 /* 0: the chunk is finished */
	uint64_t zero, flags;
};
#define PLACE(name) offsetof(struct header, name)
static const struct {
	size_t place;
	unsigned width;
} header_fields[] = {
	{ PLACE(magic), 4 },
	{ PLACE(major), 2 },
	{ PLACE(minor), 2 },
	{ PLACE(size), 8 },
	{ PLACE(pools), 8 },
	{ PLACE(metadata), 8 },
	{ PLACE(start), 8 },
	{ PLACE(duration), 8 },
	{ PLACE(ticks), 8 },
	{ PLACE(frequency), 8 },
	{ PLACE(state), 1 },
	{ PLACE(zero), 2 },
	{ PLACE(flags), 1 },
};
#define COMPRESSED 1u /* of flags */

static void
parse_header(struct cg_slice head, struct header *to)
{
	const unsigned char *at = (const unsigned char *)head.ptr;
	struct jfr_bytes b = { at, at + head.len, false };

	for (size_t i = 0; i < sizeof(header_fields) / sizeof(*header_fields);
	     i++) {
		uint64_t value = 0;

		(void)jfr_take_fixed(&b, header_fields[i].width, &value);
		memcpy(
		    (char *)to + header_fields[i].place, &value, sizeof(value));
	}
}

/*
 * Returns a static message if the chunk that begins with "head" cannot be
 * read, else NULL. A recorder fills in sizes and offsets when it finishes a
 * chunk. Before, offsets are 0. The size is 0, too, or 1 GiB with
 * async-profiler.
 */
static const char *
find_fault(struct cg_slice head, const struct header *header)
{
	if (head.len < JFR_MAGIC_LEN ||
	    memcmp(head.ptr, JFR_MAGIC, JFR_MAGIC_LEN) != 0)
		return "expected a chunk, which begins with FLR";
	if (head.len < JFR_HEADER)
		return "expected a whole header: the file is truncated";
	if (header->major == 0)
		return "expected version 1 or 2: recordings of JDK 7 and 8 by "
		       "Oracle are of another format";
	if (header->major > 2)
		return "expected version 1 or 2 of the format";
	if (header->size == 0 || header->pools == 0 || header->metadata == 0)
		return "expected a chunk that is finished: the program still "
		       "runs or was killed; jcmd PID JFR.dump writes a whole "
		       "recording";
	if (header->size < JFR_HEADER || header->size > UINT32_MAX ||
	    header->pools >= header->size || header->metadata >= header->size ||
	    header->frequency == 0)
		return "expected sizes and offsets that are in the chunk, of "
		       "less than 4 GiB";
	return NULL;
}

/* ---- One chunk ---------------------------------------------------------- */

static void
reset_chunk(struct jfr_chunk *chunk)
{
	chunk->string.n = chunk->class.n = chunk->field.n = 0;
	chunk->constant.n = chunk->thread.n = 0;
	chunk->frame_class = 0;
	cg_map_clear(&chunk->class_ids);
	for (int i = 0; i < JFR_POOLS; i++) {
		cg_map_clear(&chunk->keys[i]);
		chunk->pool[i] = 0;
	}
}

/*
 * Adds a description of the recording's start, such as "2024-05-01T12:00:00Z".
 * This is the start of the first chunk, so the caller calls this function only
 * for the first chunk. Adds no description if the time cannot be formatted.
 */
static void
describe_start(struct jfr_chunk *chunk)
{
	time_t seconds = (time_t)(chunk->start / 1000000000);
	char text[64];
	struct tm tm;
	size_t len;

	if (!gmtime_r(&seconds, &tm))
		return;
	len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (len > 0)
		cg_add_desc(chunk->build, cg_slice("Recording start"),
		    (struct cg_slice){ text, len });
}

static bool
read_chunk(
    struct jfr_chunk *chunk, struct cg_slice bytes, const struct header *header)
{
	const unsigned char *at = (const unsigned char *)bytes.ptr;
	bool first = !chunk->samples->begun;

	reset_chunk(chunk);
	chunk->bytes = (struct jfr_bytes){ at, at + bytes.len,
		(header->flags & COMPRESSED) == 0 };
	chunk->pools = header->pools;
	chunk->metadata = header->metadata;
	chunk->start = header->start;
	chunk->ticks = header->ticks;
	chunk->frequency = header->frequency;
	if (!jfr_read_metadata(chunk) || !jfr_read_pools(chunk) ||
	    !jfr_read_events(chunk))
		return false;
	if (first)
		describe_start(chunk);
	/* The next chunk has stacks of its own. */
	(void)cg_free_nodes(chunk->job);
	return true;
}

/* ---- All chunks --------------------------------------------------------- */

/*
 * Reports why a chunk cannot be read, and returns the status. If no chunk was
 * read before, reports an error, and the input fails. Otherwise skips the
 * chunk with a warning, and returns CG_OK.
 */
static int
refuse(struct jfr_chunk *chunk, const char *at, const char *why)
{
	if (chunk->samples->begun)
		return cg_skip_at(chunk->job, at, "%s", why);
	return cg_fail_at(chunk->job, at, "%s", why);
}

static int
read_chunks(struct jfr_chunk *chunk, struct cg_in *in)
{
	struct cg_slice bytes;
	struct header header;
	const char *fault;

	for (;;) {
		(void)cg_look_bytes(in, JFR_HEADER, &bytes);
		if (bytes.len == 0 && chunk->samples->begun)
			return cg_in_status(in);
		parse_header(bytes, &header);
		fault = find_fault(bytes, &header);
		if (fault)
			return refuse(chunk, bytes.ptr, fault);
		if (!cg_read_bytes(in, header.size, &bytes))
			return refuse(chunk, bytes.ptr,
			    "expected the whole chunk: the file is truncated "
			    "or the recording was not finished");
		if (!read_chunk(chunk, bytes, &header))
			return cg_in_status(in);
		if (header.state == 0)
			continue;
		/* The JVM ended before it described the following events. */
		cg_warn(chunk->job, "the last chunk is not finished: the last "
				    "second of the recording may be missing");
		return cg_in_status(in);
	}
}

static void
tell(const struct jfr_chunk *chunk)
{
	const struct jfr_samples *samples = chunk->samples;

	if (samples->truncated > 0)
		cg_warn(chunk->job,
		    "%" PRIu64 " of %" PRIu64
		    " stacks are truncated: they lack "
		    "their roots (record with a larger stackdepth)",
		    samples->truncated, samples->count);
	if (samples->dropped > 0)
		cg_warn(chunk->job,
		    "events profiler.Free are dropped (%" PRIu64 "): Malloc is "
		    "what was allocated, freed or not",
		    samples->dropped);
	if (samples->count == 0)
		cg_warn(chunk->job, "the recording has no samples of stacks");
}

int
jfr_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct jfr_samples samples = { 0 };
	struct jfr_chunk chunk = {
		.job = job, .build = build, .in = in, .samples = &samples
	};
	int status = read_chunks(&chunk, in);

	if (status == CG_OK && cg_rejected(job) == CG_OK)
		tell(&chunk);
	return status;
}
