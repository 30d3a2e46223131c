/*
 * tables.c - header, string table, frame table and footer of the binary format.
 *
 * Header: magic, version, Python's version, start and interval in us (u64
 * each), numbers of samples and threads, offsets of the tables of strings and
 * frames, compression. The number of samples had 32 bits until Python
 * 3.15.0b4 and has had 64 since, with the same version: the fields after it
 * moved by 4 bytes. Only one of the two layouts has offsets within the file,
 * as an offset that is read from 4 bytes off exceeds 2^32.
 *
 * Between the frames and the footer there may be statistics of the recording,
 * which are skipped.
 */
#include <string.h>

#include "proto/wire.h"
#include "tachyon.h"

/* Offsets in the header. */
static const struct layout {
	unsigned sample_bytes, strings, frames, compression;
	unsigned config; /* 0: none */
} layouts[] = {
	{ 8, 40, 48, 56, 60 },
	{ 4, 36, 44, 52, 0 },
};
enum header {
	VERSION = 4,
	PYTHON = 8,
	START = 12,
	INTERVAL = 20,
	SAMPLES = 28
};
enum footer { STRINGS = 0, FRAMES = 4, SIZE = 8 };

/* ---- Numbers ------------------------------------------------------------- */

static uint64_t
get(const struct tachyon_file *file, const char *at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | (uint8_t)at[file->big ? i : bytes - 1 - i];
	return value;
}

uint32_t
tachyon_u32(const struct tachyon_file *file, const char *at)
{
	return (uint32_t)get(file, at, 4);
}

uint64_t
tachyon_u64(const struct tachyon_file *file, const char *at)
{
	return get(file, at, 8);
}

/* ---- Header and footer --------------------------------------------------- */

static bool
take_layout(struct tachyon_file *file, const struct layout *layout)
{
	const char *at = file->bytes.ptr;
	uint64_t strings = tachyon_u64(file, at + layout->strings);
	uint64_t frames = tachyon_u64(file, at + layout->frames);

	if (strings < TACHYON_HEADER || strings > frames ||
	    frames > file->bytes.len - TACHYON_FOOTER)
		return false;
	file->strings_at = (size_t)strings;
	file->frames_at = (size_t)frames;
	file->samples = get(file, at + SAMPLES, layout->sample_bytes);
	file->compression = tachyon_u32(file, at + layout->compression);
	if (layout->config != 0) /* the bits above are capture features */
		file->mode = tachyon_u32(file, at + layout->config) & 7;
	return true;
}

static bool
read_header(struct tachyon_file *file)
{
	const char *at = file->bytes.ptr, *footer;
	uint32_t version;
	size_t i = 0;

	if (file->bytes.len < TACHYON_HEADER + TACHYON_FOOTER)
		return cg_reject(file->job,
		    "expected a header and a footer; the file is truncated");
	file->big = cg_starts(file->bytes, TACHYON_BIG);
	version = tachyon_u32(file, at + VERSION);
	if (version != TACHYON_VERSION)
		return cg_reject_at(file->job, at + VERSION,
		    "expected version %u of Python's profiles, not %u "
		    "(of Python %u.%u)",
		    TACHYON_VERSION, version, (uint8_t)at[PYTHON],
		    (uint8_t)at[PYTHON + 1]);
	memcpy(file->python, at + PYTHON, sizeof(file->python));
	file->start = tachyon_u64(file, at + START);
	file->interval = tachyon_u64(file, at + INTERVAL);
	footer = at + file->bytes.len - TACHYON_FOOTER;
	if (tachyon_u64(file, footer + SIZE) != file->bytes.len)
		return cg_reject_at(file->job, footer,
		    "expected a footer with the size of the file; the file "
		    "is truncated");
	while (i < sizeof(layouts) / sizeof(*layouts) &&
	       !take_layout(file, &layouts[i]))
		i++;
	if (i == sizeof(layouts) / sizeof(*layouts))
		return cg_reject_at(file->job, at + layouts[0].strings,
		    "expected tables within the file");
	return true;
}

/* ---- Tables -------------------------------------------------------------- */

static bool
read_strings(struct tachyon_file *file, uint32_t count)
{
	struct cg_slice rest = { file->bytes.ptr + file->strings_at,
		file->frames_at - file->strings_at };
	uint64_t len;

	for (; count > 0; count--) {
		if (!proto_take_varint(&rest, &len) || len > rest.len)
			return cg_reject_at(file->job, rest.ptr,
			    "expected %u more strings", count);
		if (!cg_append(file->job, &file->string,
			cg_add_name(file->build,
			    (struct cg_slice){ rest.ptr, (size_t)len })))
			return false;
		rest.ptr += len;
		rest.len -= (size_t)len;
	}
	return true;
}

static bool
take_name(const struct tachyon_file *file, struct cg_slice *rest, cg_name *name)
{
	uint64_t index;

	if (!proto_take_varint(rest, &index) || index >= file->string.n)
		return false;
	*name = file->string.at[index];
	return true;
}

/*
 * Reads a frame of the table. Takes file, name and line. Skips the last line
 * and the columns (all varints), and the opcode (a byte). A frame with a
 * negative line leaves frame->line as it is. False: malformed (not reported).
 */
static bool
take_frame(const struct tachyon_file *file, struct cg_slice *rest,
    struct tachyon_frame *frame)
{
	uint64_t line, skipped;

	if (!take_name(file, rest, &frame->file) ||
	    !take_name(file, rest, &frame->name) ||
	    !proto_take_varint(rest, &line))
		return false;
	for (int i = 0; i < 3; i++)
		if (!proto_take_varint(rest, &skipped))
			return false;
	if (rest->len == 0)
		return false;
	rest->ptr++;
	rest->len--;
	/* Zigzag: odd numbers are negative, as in frames without a line. */
	if (!(line & 1) && line >> 1 <= INT32_MAX)
		frame->line = (uint32_t)(line >> 1);
	return true;
}

static bool
read_frames(struct tachyon_file *file, uint32_t count)
{
	struct cg_slice rest = { file->bytes.ptr + file->frames_at,
		file->bytes.len - TACHYON_FOOTER - file->frames_at };

	for (; count > 0; count--) {
		struct tachyon_frame frame = { 0 };
		const char *at = rest.ptr;

		if (!take_frame(file, &rest, &frame))
			return cg_reject_at(file->job, at,
			    "expected %u more frames, of strings of the table",
			    count);
		if (!cg_append(file->job, &file->frame, frame))
			return false;
	}
	return true;
}

bool
tachyon_read_tables(struct tachyon_file *file)
{
	const char *footer;

	if (!read_header(file))
		return false;
	footer = file->bytes.ptr + file->bytes.len - TACHYON_FOOTER;
	return read_strings(file, tachyon_u32(file, footer + STRINGS)) &&
	       read_frames(file, tachyon_u32(file, footer + FRAMES));
}
