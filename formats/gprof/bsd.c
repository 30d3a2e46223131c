/*
 * bsd.c - gmon.out files without "gmon" at their beginning: 4.4BSD and
 * its heirs (NetBSD, OpenBSD, FreeBSD, old macOS, Cygwin, MinGW), and what
 * was before it.
 *
 * Sources: sys/gmon.h and lib/libc/gmon of the BSDs, gprof/gmon_io.c of
 * binutils 2.40. A header, counters, then arcs to the end of the file. Only
 * 4.4BSD has a version word; the older kind is told by its sums, and taken
 * only if an executable agrees (gprof_program.c).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "gprof.h"

#define BSD_VERSION 0x00051879
#define MAC_MAGIC 0xbeefbabe /* a later kind of macOS, in blocks */

/*
 * low, high (pointers), length of header and counters (4 bytes), then what
 * the header has: version, rate, type of the counters and spare words.
 */
static const struct layout {
	enum gmon_kind kind;
	unsigned word;
	unsigned header; /* bytes */
	unsigned arc;    /* bytes: from, self, count */
	unsigned count;  /* bytes of an arc's count */
} layouts[] = {
	{ GMON_BSD44, 8, 40, 24, 8 },
	{ GMON_BSD44, 4, 32, 12, 4 },
	{ GMON_BSD_OLD, 8, 20, 24, 8 },
	{ GMON_BSD_OLD, 4, 12, 12, 4 },
};
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

struct header {
	const struct layout *layout;
	struct gmon_hist hist;
	uint64_t length; /* of the header with its counters */
	int32_t type;    /* FreeBSD: bits of a counter, < 0 if signed */
};

/* More calls than this take hours: the upper half is no part of a count. */
#define COUNT_MAX ((uint64_t)1 << 44)

static bool
take_header(struct cg_slice bytes, const struct layout *layout, bool big,
    struct header *header)
{
	struct gmon_cursor cursor = { .at = bytes.ptr,
		.end = bytes.ptr + bytes.len,
		.word = layout->word,
		.big = big };
	uint64_t version = BSD_VERSION;

	*header = (struct header){ .layout = layout };
	header->hist = (struct gmon_hist){
		.width = 2, .dimension = "seconds", .abbrev = 's'
	};
	header->hist.low = gprof_take(&cursor, layout->word);
	header->hist.high = gprof_take(&cursor, layout->word);
	header->length = gprof_take(&cursor, 4);
	if (layout->kind == GMON_BSD44) {
		version = gprof_take(&cursor, 4);
		header->hist.rate = (uint32_t)gprof_take(&cursor, 4);
		header->type = (int32_t)gprof_take(&cursor, 4);
	}
	return !cursor.cut && version == BSD_VERSION &&
	       header->hist.low < header->hist.high;
}

/* FreeBSD's kernel says how wide its counters are; others leave it zero. */
static unsigned
counter_width(const struct header *header)
{
	switch (header->type) {
	case 8:
	case -8: return 1;
	case 32:
	case -32: return 4;
	case 64:
	case -64: return 8;
	default: return 2;
	}
}

/* monstartup() rounds addresses to whole counters: by so many bytes. */
#define ROUNDED 64

/* Do the sums of an old header come out? size 0: the file's is not known. */
static bool
plausible(const struct header *header, size_t size)
{
	const struct layout *layout = header->layout;
	uint64_t range = header->hist.high - header->hist.low, ratio, bytes;
	uint64_t whole;

	if (header->length <= layout->header ||
	    (size > 0 && header->length > size) ||
	    (size > 0 && (size - header->length) % layout->arc != 0))
		return false;
	bytes = header->length - layout->header;
	ratio = range / bytes + (range % bytes > bytes / 2);
	whole = ratio * bytes;
	return ratio > 0 && ratio <= 8 && (ratio & (ratio - 1)) == 0 &&
	       (range > whole ? range - whole : whole - range) <= ROUNDED;
}

static bool
find_layout(struct cg_slice bytes, size_t size, unsigned word, bool *big,
    struct header *header)
{
	for (size_t i = 0; i < 2 * LAYOUTS; i++) {
		const struct layout *layout = &layouts[i / 2];

		*big = i % 2;
		if ((word == 0 || word == layout->word) &&
		    take_header(bytes, layout, *big, header) &&
		    (layout->kind == GMON_BSD44 || plausible(header, size)))
			return true;
	}
	return false;
}

static bool
is_text(struct cg_slice bytes)
{
	for (size_t i = 0; i < bytes.len && i < GMON_HEADER; i++) {
		if ((unsigned char)bytes.ptr[i] < '\t')
			return false;
	}
	return true;
}

int
gprof_probe_bsd(struct cg_slice text, bool whole)
{
	struct header header;
	bool big;

	if (text.len < GMON_HEADER || is_text(text) ||
	    !find_layout(text, whole ? text.len : 0, 0, &big, &header))
		return CG_PROBE_NO;
	return header.layout->kind == GMON_BSD44 ? CG_PROBE_LIKELY
						 : CG_PROBE_WEAK;
}

/* ---- Arcs --------------------------------------------------------------- */

/*
 * MinGW and Cygwin write a 4-byte count and leave 4 bytes as they were; the
 * file is the same as BSD's otherwise. Counts that cannot be tell them apart.
 */
static bool
is_padded(const struct gmon *gmon)
{
	struct gmon_place place = { 0 };
	struct gmon_arc arc;
	uint64_t most = 0;

	while (gprof_next_arc(gmon, &place, &arc))
		most = most > arc.count ? most : arc.count;
	return gmon->count == 8 && !gmon->big && most >= COUNT_MAX;
}

static int
read_arcs(struct cg_job *job, struct cg_slice bytes,
    const struct header *header, struct gmon *gmon)
{
	const char *at = bytes.ptr + header->length;
	size_t left = bytes.len - (size_t)header->length, rest;

	gmon->stride = header->layout->arc;
	gmon->count = header->layout->count;
	if (!gprof_set_run(gmon, at, left / gmon->stride))
		return cg_nomem(job);
	rest = left % gmon->stride;
	at += left - rest;
	if (rest > 0)
		cg_warn_at(job, at,
		    "truncated: last arc record at offset %zu has %zu of %u "
		    "bytes; ignored",
		    (size_t)(at - bytes.ptr), rest, gmon->stride);
	if (is_padded(gmon)) {
		cg_warn(job, "call counts above 10^13: taken as 32 bits and "
			     "padding, as MinGW writes them");
		gmon->count = 4;
	}
	return CG_OK;
}

/* ---- Files -------------------------------------------------------------- */

static int
fail_unknown(struct cg_job *job, struct cg_slice bytes)
{
	struct gmon_cursor cursor = { .at = bytes.ptr, .end = bytes.ptr + 4 };
	const unsigned char *first = (const unsigned char *)bytes.ptr;

	if (gprof_take(&cursor, 4) == MAC_MAGIC)
		return cg_fail_at(job, bytes.ptr,
		    "macOS gmon.out in blocks is not supported");
	return cg_fail_at(job, bytes.ptr,
	    "not a gmon.out file (first bytes %02x %02x %02x %02x)", first[0],
	    first[1], first[2], first[3]);
}

int
gprof_read_bsd(struct cg_job *job, struct cg_slice bytes, struct gmon_hint hint,
    struct gmon *gmon)
{
	struct header header;
	struct gmon_hist *hist = &header.hist;

	if (is_text(bytes) ||
	    !find_layout(bytes, bytes.len, hint.only, &gmon->big, &header))
		return fail_unknown(job, bytes);
	gmon->kind = header.layout->kind;
	gmon->word = header.layout->word;
	gmon->version = gmon->kind == GMON_BSD44 ? BSD_VERSION : 0;
	if (header.length < header.layout->header || header.length > bytes.len)
		return cg_fail_at(job, bytes.ptr + 2 * gmon->word,
		    "header and histogram have %" PRIu64 " bytes, the file "
		    "has %zu: truncated or damaged",
		    header.length, bytes.len);
	hist->width = counter_width(&header);
	hist->counts = bytes.ptr + header.layout->header;
	hist->bins = (header.length - header.layout->header) / hist->width;
	hist->have = hist->bins;
	gmon->hist = malloc(sizeof(*hist));
	if (!gmon->hist)
		return cg_nomem(job);
	gmon->hist[gmon->hists++] = *hist;
	return read_arcs(job, bytes, &header, gmon);
}
