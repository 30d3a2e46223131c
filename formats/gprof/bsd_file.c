/*
 * bsd_file.c - reads files of the BSD family, which do not begin with "gmon":
 * 4.4BSD and its successors (NetBSD, OpenBSD, FreeBSD, old macOS, Cygwin,
 * MinGW), and the format before 4.4BSD.
 *
 * Sources: sys/gmon.h and lib/libc/gmon of the BSDs, gprof/gmon_io.c of
 * binutils 2.40.
 *
 * A file is a header, counters, then arcs up to its end. Only 4.4BSD has a
 * version word. The older format is recognized by lengths that agree, and
 * read only if the executable matches (image.c).
 */
#include <inttypes.h>

#include "gmon.h"

#define BSD_VERSION 0x00051879
#define MAC_MAGIC 0xbeefbabe /* a later macOS format, in blocks */

/*
 * Headers begin with low, high (pointers) and the length of header and
 * counters (4 bytes). In 4.4BSD version, rate, type of the counters and unused
 * words follow.
 */
static const struct variant {
	enum gmon_kind kind;
	unsigned word;
	unsigned header; /* bytes */
	unsigned arc;    /* bytes: from, self, count */
	unsigned count;  /* bytes of an arc's count */
} variants[] = {
	{ GMON_BSD44, 8, 40, 24, 8 },
	{ GMON_BSD44, 4, 32, 12, 4 },
	{ GMON_BSD_OLD, 8, 20, 24, 8 },
	{ GMON_BSD_OLD, 4, 12, 12, 4 },
};
#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

struct header {
	const struct variant *variant;
	struct gmon_hist hist;
	uint64_t length; /* of header and counters */
	int32_t type;    /* FreeBSD: bits of a counter, < 0 if signed */
};

/*
 * No run reaches this call count. If one seems to, the upper 32 bits are
 * padding (MinGW, Cygwin).
 */
#define COUNT_MAX ((uint64_t)1 << 44)

static bool
take_header(struct cg_slice bytes, const struct variant *variant, bool big,
    struct header *header)
{
	struct gmon_cursor cursor = { .at = bytes.ptr,
		.end = bytes.ptr + bytes.len,
		.word = variant->word,
		.big = big };
	uint64_t version = BSD_VERSION;

	*header = (struct header){ .variant = variant };
	header->hist = (struct gmon_hist){
		.width = 2, .dimension = "seconds", .abbrev = 's'
	};
	header->hist.low = gprof_take(&cursor, variant->word);
	header->hist.high = gprof_take(&cursor, variant->word);
	header->length = gprof_take(&cursor, 4);
	if (variant->kind == GMON_BSD44) {
		version = gprof_take(&cursor, 4);
		header->hist.rate = (uint32_t)gprof_take(&cursor, 4);
		header->type = (int32_t)gprof_take(&cursor, 4);
	}
	return !cursor.cut && version == BSD_VERSION &&
	       header->hist.low < header->hist.high;
}

/*
 * Returns the size of a histogram's counter in bytes. FreeBSD's kernel states
 * the counter's type in the header. Other systems write 0 there, and use 2
 * bytes.
 */
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

/* Bytes that monstartup() may add to the range to get whole counters. */
#define ROUNDED 64

/*
 * True if the lengths in a header of the old kind are plausible. They must
 * agree with each other and with the size of the file (0: unknown). Such a
 * header has no magic number.
 */
static bool
plausible(const struct header *header, size_t size)
{
	const struct variant *variant = header->variant;
	uint64_t range = header->hist.high - header->hist.low, ratio, bytes;
	uint64_t whole;

	if (header->length <= variant->header ||
	    (size > 0 && header->length > size) ||
	    (size > 0 && (size - header->length) % variant->arc != 0))
		return false;
	bytes = header->length - variant->header;
	ratio = range / bytes + (range % bytes > bytes / 2);
	whole = ratio * bytes;
	return ratio > 0 && ratio <= 8 && (ratio & (ratio - 1)) == 0 &&
	       (range > whole ? range - whole : whole - range) <= ROUNDED;
}

static bool
find_variant(struct cg_slice bytes, size_t size, unsigned word, bool *big,
    struct header *header)
{
	for (size_t i = 0; i < 2 * VARIANTS; i++) {
		const struct variant *variant = &variants[i / 2];

		*big = i % 2;
		if ((word == 0 || word == variant->word) &&
		    take_header(bytes, variant, *big, header) &&
		    (variant->kind == GMON_BSD44 || plausible(header, size)))
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
	    !find_variant(text, whole ? text.len : 0, 0, &big, &header))
		return CG_PROBE_NO;
	return header.variant->kind == GMON_BSD44 ? CG_PROBE_LIKELY
						  : CG_PROBE_WEAK;
}

/* ---- Arcs --------------------------------------------------------------- */

/*
 * True for files of MinGW and Cygwin: their counts have 4 bytes, and 4
 * uninitialized ones after. Read as counts of 8 bytes, as the BSDs write, at
 * least one is impossibly large. False also if all uninitialized bytes are
 * small.
 */
static bool
is_padded(const struct gmon *gmon)
{
	struct gmon_iterator next = { 0 };
	struct gmon_arc arc;
	uint64_t most = 0;

	while (gprof_next_arc(gmon, &next, &arc))
		most = most > arc.count ? most : arc.count;
	return gmon->count == 8 && !gmon->big && most >= COUNT_MAX;
}

static bool
read_arcs(struct cg_job *job, struct cg_slice bytes,
    const struct header *header, struct gmon *gmon)
{
	const char *at = bytes.ptr + header->length;
	size_t left = bytes.len - (size_t)header->length, rest;

	gmon->stride = header->variant->arc;
	gmon->count = header->variant->count;
	if (!gprof_set_run(job, gmon, at, left / gmon->stride))
		return false;
	rest = left % gmon->stride;
	at += left - rest;
	if (rest > 0)
		cg_warn_at(job, at,
		    "truncated: last arc record at offset %zu has %zu of %u "
		    "bytes; ignored",
		    (size_t)(at - bytes.ptr), rest, gmon->stride);
	if (is_padded(gmon)) {
		cg_warn(job, "call counts are above 10^13; reading them as "
			     "32 bits and padding, as MinGW writes them");
		gmon->count = 4;
	}
	return true;
}

/* ---- Files -------------------------------------------------------------- */

static bool
reject_unknown(struct cg_job *job, struct cg_slice bytes)
{
	struct gmon_cursor cursor = { .at = bytes.ptr, .end = bytes.ptr + 4 };
	const unsigned char *first = (const unsigned char *)bytes.ptr;

	if (gprof_take(&cursor, 4) == MAC_MAGIC)
		return cg_reject_at(job, bytes.ptr,
		    "gmon.out of macOS in blocks is not supported");
	return cg_reject_at(job, bytes.ptr,
	    "not a gmon.out file (first bytes: %02x %02x %02x %02x)", first[0],
	    first[1], first[2], first[3]);
}

bool
gprof_read_bsd(struct cg_job *job, struct cg_slice bytes,
    struct gprof_hint hint, struct gmon *gmon)
{
	struct header header;
	struct gmon_hist *hist = &header.hist;

	if (is_text(bytes) ||
	    !find_variant(bytes, bytes.len, hint.only, &gmon->big, &header))
		return reject_unknown(job, bytes);
	gmon->kind = header.variant->kind;
	gmon->word = header.variant->word;
	gmon->version = gmon->kind == GMON_BSD44 ? BSD_VERSION : 0;
	if (header.length < header.variant->header || header.length > bytes.len)
		return cg_reject_at(job, bytes.ptr + 2 * gmon->word,
		    "header and histogram need %" PRIu64 " bytes, the file "
		    "has %zu: truncated or damaged",
		    header.length, bytes.len);
	hist->width = counter_width(&header);
	hist->counts = bytes.ptr + header.variant->header;
	hist->bins = (header.length - header.variant->header) / hist->width;
	hist->have = hist->bins;
	gmon->hist = cg_alloc(job, sizeof(*hist));
	if (!gmon->hist)
		return false;
	gmon->hist[gmon->hists++] = *hist;
	return read_arcs(job, bytes, &header, gmon);
}
