/*
 * gnu_file.c - reads files that begin with "gmon": GNU's versions 0 and 1, and
 * the files that the dynamic linker writes for LD_PROFILE.
 *
 * Sources: gmon/gmon.c, gmon/sys/gmon_out.h and elf/dl-profile.c of glibc
 * 2.36, gprof/gmon_io.c and hist.c of binutils 2.40, and files of 8 targets.
 *
 * No file states its pointer size, and version 0 does not state its byte order
 * either. But records have neither padding nor an end mark, so for a real file
 * only one combination of both arrives exactly at the end. All combinations
 * are tried.
 */
#include <inttypes.h>
#include <string.h>

#include "gmon.h"

enum { TAG_HIST = 0, TAG_ARC = 1, TAG_BLOCKS = 2 };

/* How the records of a file end, the best way first. */
enum chain_end {
	CHAIN_WHOLE,
	CHAIN_ZEROS, /* only zero bytes follow */
	CHAIN_CUT_ARC,
	CHAIN_TAG,  /* unknown tag */
	CHAIN_CUT,  /* the record is longer than the rest of the file */
	CHAIN_BLANK /* a histogram's header is all zeros */
};

/* The records as read with one pointer size and byte order. */
struct chain {
	unsigned word;
	bool big;
	unsigned block_word; /* size of a number of blocks: see try_chain() */
	uint32_t version;
	enum chain_end end;
	size_t records, hists, runs, arcs, blocks;
	unsigned odd;   /* headers that no runtime writes */
	const char *at; /* the last record, which ended the chain */
	uint64_t need;  /* CHAIN_CUT: the record's length */
};

/* ---- Records ------------------------------------------------------------ */

/*
 * Reads a histogram's header, without its tag, into *hist. hist->counts
 * becomes the position after it, where the counters begin. Sets cursor->cut if
 * the header is incomplete.
 */
static void
take_hist(struct gmon_cursor *cursor, struct gmon_hist *hist)
{
	*hist = (struct gmon_hist){ .width = 2 };
	hist->low = gprof_take(cursor, cursor->word);
	hist->high = gprof_take(cursor, cursor->word);
	hist->bins = gprof_take(cursor, 4);
	hist->rate = (uint32_t)gprof_take(cursor, 4);
	for (size_t i = 0; i < GMON_DIMENSION; i++)
		hist->dimension[i] = (char)gprof_take(cursor, 1);
	hist->abbrev = (char)gprof_take(cursor, 1);
	hist->counts = cursor->at;
}

/*
 * True if no runtime writes such a header of a histogram. Then the file is
 * probably read with the wrong pointer size or byte order.
 */
static bool
is_odd(const struct gmon_hist *hist)
{
	char first = hist->dimension[0];

	return hist->low > hist->high || hist->rate == 0 ||
	       hist->rate > GMON_RATE_MAX || first < 0x20 || first > 0x7e;
}

static bool
all_zero(const char *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (at[i] != 0)
			return false;
	}
	return true;
}

/*
 * Reads a histogram after its tag into *hist, and advances past its counters.
 * A header of zeros is none, as a hole in a file has zeros. False: the records
 * end here; chain->end says how. Truncated counters (CHAIN_CUT) are in *hist,
 * unless its header is incomplete (cursor->cut).
 */
static bool
walk_hist(
    struct chain *chain, struct gmon_cursor *cursor, struct gmon_hist *hist)
{
	size_t left = (size_t)(cursor->end - cursor->at);
	size_t header = 2 * cursor->word + 24;

	/* The tag is 0, as is a hole in a file: zeros are no header. */
	if (all_zero(cursor->at, left < header ? left : header)) {
		chain->end =
		    all_zero(cursor->at, left) ? CHAIN_ZEROS : CHAIN_BLANK;
		return false;
	}
	take_hist(cursor, hist);
	chain->odd += !cursor->cut && is_odd(hist);
	left = (size_t)(cursor->end - cursor->at);
	hist->have = hist->bins;
	chain->need = hist->bins * 2;
	if (cursor->cut || left < chain->need) {
		hist->have = left / 2;
		chain->need += header + 1;
		chain->end = CHAIN_CUT;
		return false;
	}
	cursor->at += chain->need;
	return true;
}

/*
 * Reads the arc record at chain->at, and counts it. Unless fill is NULL, adds
 * it to fill's runs of consecutive arcs, which need room for one more.
 * follows: the record before was an arc, too. False: incomplete
 * (CHAIN_CUT_ARC).
 */
static bool
walk_arc(struct chain *chain, struct gmon_cursor *cursor, struct gmon *fill,
    bool follows)
{
	size_t size = 2 * cursor->word + 4;

	if ((size_t)(cursor->end - cursor->at) < size) {
		chain->end = CHAIN_CUT_ARC;
		return false;
	}
	cursor->at += size;
	chain->runs += !follows;
	chain->arcs++;
	if (fill && !follows)
		fill->run[fill->runs++] = (struct gmon_run){ chain->at, 0 };
	if (fill)
		fill->run[fill->runs - 1].arcs++;
	return true;
}

static bool
walk_blocks(struct chain *chain, struct gmon_cursor *cursor, struct gmon *fill)
{
	uint64_t n = gprof_take(cursor, chain->block_word);
	size_t left = (size_t)(cursor->end - cursor->at);

	if (cursor->cut || n > left / (2 * cursor->word)) {
		chain->need = UINT64_MAX;
		if (n < UINT32_MAX * (uint64_t)2)
			chain->need =
			    1 + chain->block_word + n * 2 * cursor->word;
		chain->end = CHAIN_CUT;
		return false;
	}
	for (uint64_t i = 0; fill && i < n; i++) {
		struct gmon_block *block = &fill->block[fill->blocks++];

		block->addr = gprof_take(cursor, cursor->word);
		block->count = gprof_take(cursor, cursor->word);
	}
	if (!fill)
		cursor->at += (size_t)n * 2 * cursor->word;
	chain->blocks += n;
	return true;
}

/*
 * Reads records with the chain's pointer size and byte order, up to the first
 * unreadable one. Counts them in chain, whose "end" and "at" say why and where
 * reading stopped. Stores them in fill, unless it is NULL. fill must have room
 * for what an earlier call counted.
 */
static void
walk(struct chain *chain, struct cg_slice bytes, struct gmon *fill)
{
	struct gmon_cursor cursor = { .at = bytes.ptr + GMON_HEADER,
		.end = bytes.ptr + bytes.len,
		.word = chain->word,
		.big = chain->big };
	struct gmon_hist hist;
	uint64_t tag = TAG_HIST, before;

	for (chain->at = cursor.at; cursor.at < cursor.end;) {
		before = tag;
		tag = gprof_take(&cursor, 1);
		if (tag == TAG_ARC) {
			if (!walk_arc(chain, &cursor, fill, before == TAG_ARC))
				return;
		} else if (tag == TAG_HIST) {
			if (!walk_hist(chain, &cursor, &hist))
				return;
			if (fill)
				fill->hist[fill->hists++] = hist;
			chain->hists++;
		} else if (tag == TAG_BLOCKS && chain->version != 0) {
			if (!walk_blocks(chain, &cursor, fill))
				return;
		} else {
			chain->end = CHAIN_TAG;
			return;
		}
		chain->records++;
		chain->at = cursor.at;
	}
	chain->end = CHAIN_WHOLE;
}

/* ---- Pointer size and byte order ---------------------------------------- */

/*
 * Compares two attempts to read a file: negative if a is better. A whole file
 * is best, then fewer implausible headers, then a better end (enum chain_end),
 * then one that reads further.
 */
static int
compare_chains(const struct chain *a, const struct chain *b)
{
	bool a_whole = a->end == CHAIN_WHOLE, b_whole = b->end == CHAIN_WHOLE;

	if (a_whole != b_whole)
		return a_whole ? -1 : 1;
	if (a->odd != b->odd)
		return a->odd < b->odd ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->at == b->at ? 0 : a->at > b->at ? -1 : 1;
}

static bool
known_version(uint64_t version)
{
	return version <= 1 || version == GMON_LD_PROFILE_VERSION;
}

static uint32_t
version_of(struct cg_slice bytes, bool big)
{
	struct gmon_cursor cursor = {
		.at = bytes.ptr + 4, .end = bytes.ptr + bytes.len, .big = big
	};

	return (uint32_t)gprof_take(&cursor, 4);
}

/*
 * Returns the result of reading the file with this pointer size (word, in
 * bytes) and byte order. It is the better of two: glibc writes the number of
 * basic blocks pointer-sized, but GNU gprof reads 4 bytes.
 */
static struct chain
try_chain(struct cg_slice bytes, unsigned word, bool big)
{
	struct chain chain = { .word = word,
		.big = big,
		.block_word = 4,
		.version = version_of(bytes, big) };
	struct chain wide = chain;

	walk(&chain, bytes, NULL);
	if (word == 4 || chain.end == CHAIN_WHOLE)
		return chain;
	wide.block_word = word;
	walk(&wide, bytes, NULL);
	return compare_chains(&wide, &chain) < 0 ? wide : chain;
}

/*
 * Sets *best to the best attempt to read the file, over pointer sizes (or
 * --word-size) and byte orders. Of equal ones, prefers the executable's
 * (hint), then 64-bit, then little endian. Warns of a guess without a hint.
 * Leaves *best unchanged if the version is unknown in both orders.
 */
static void
choose_chain(struct cg_job *job, struct cg_slice bytes, struct gprof_hint hint,
    struct chain *best)
{
	bool found = false, tie = false;
	struct chain chain;
	int order;

	for (unsigned i = 0; i < 4; i++) {
		unsigned word = i / 2 ? 4 : 8;
		bool big = i % 2, hinted;

		if (!known_version(version_of(bytes, big)) ||
		    (hint.only != 0 && hint.only != word))
			continue;
		chain = try_chain(bytes, word, big);
		order = found ? compare_chains(&chain, best) : -1;
		hinted = hint.word == word && hint.big == big;
		if (order < 0 || (order == 0 && hinted))
			*best = chain;
		tie = order == 0 || (tie && order > 0);
		found = true;
	}
	if (tie && hint.word == 0 && best->end == CHAIN_WHOLE)
		cg_warn(job, "pointer size is ambiguous; assuming 64-bit "
			     "(use {word-size})");
}

/* ---- GNU ---------------------------------------------------------------- */

/*
 * Reports a damaged record at chain->at. The record is incomplete, or it is a
 * histogram whose header is zeros (CHAIN_BLANK). "offset" is where the record
 * begins in the file, and "left" is how many bytes of it the file has. Reports
 * an error and returns false. With --recover, reports a warning and returns
 * true.
 */
static bool
report_damage(struct cg_job *job, const struct chain *chain, uint64_t offset,
    uint64_t left)
{
	if (cg_opt_flag(job, "recover")) {
		cg_warn_at(job, chain->at,
		    "truncated or damaged at offset %" PRIu64
		    "; data before it is kept",
		    offset);
		return true;
	}
	if (chain->end == CHAIN_BLANK)
		return cg_reject_at(job, chain->at,
		    "empty histogram header at offset %" PRIu64
		    ": damaged, or the one before has more bins "
		    "(use {recover})",
		    offset);
	return cg_reject_at(job, chain->at,
	    "%s at offset %" PRIu64 " needs %" PRIu64 " bytes, %" PRIu64
	    " left: truncated (use {recover}), or other {word-size}",
	    *chain->at == TAG_HIST ? "histogram" : "basic blocks", offset,
	    chain->need, left);
}

/*
 * Reports why the records were not read up to the end of the file. True: the
 * whole file was read, or only a warning was reported. False: an error was
 * reported.
 */
static bool
report_end(struct cg_job *job, struct cg_slice bytes, const struct chain *chain)
{
	uint64_t offset = (uint64_t)(chain->at - bytes.ptr);
	uint64_t left = bytes.len - offset;

	switch (chain->end) {
	case CHAIN_WHOLE: break;
	case CHAIN_ZEROS:
		cg_warn_at(job, chain->at,
		    "ignored zero bytes after the last record: %" PRIu64, left);
		break;
	case CHAIN_CUT_ARC:
		cg_warn_at(job, chain->at,
		    "truncated: last arc record at offset %" PRIu64
		    " has %" PRIu64 " of %u bytes; ignored",
		    offset, left - 1, 2 * chain->word + 4);
		break;
	case CHAIN_TAG:
		if (chain->records == 0)
			return cg_reject_at(job, chain->at,
			    "unknown record tag %u at offset %" PRIu64,
			    (unsigned char)*chain->at, offset);
		cg_warn_at(job, chain->at,
		    "unknown record tag %u at offset %" PRIu64 "; rest ignored",
		    (unsigned char)*chain->at, offset);
		break;
	case CHAIN_CUT:
	case CHAIN_BLANK: return report_damage(job, chain, offset, left);
	}
	return true;
}

/*
 * Adds the last histogram of a truncated file, with the counters that the file
 * still has. gmon->hist must have room for it. Does nothing if the record at
 * chain->at, where reading stopped, is no histogram, or if the histogram's
 * header is incomplete.
 */
static void
recover_hist(struct cg_slice bytes, struct chain *chain, struct gmon *gmon)
{
	struct gmon_cursor cursor = { .at = chain->at + 1,
		.end = bytes.ptr + bytes.len,
		.word = chain->word,
		.big = chain->big };
	struct gmon_hist hist;

	if (*chain->at == TAG_HIST && !walk_hist(chain, &cursor, &hist) &&
	    chain->end == CHAIN_CUT && !cursor.cut)
		gmon->hist[gmon->hists++] = hist;
}

static bool
read_gnu(struct cg_job *job, struct cg_slice bytes, struct chain *chain,
    struct gmon *gmon)
{
	struct chain again = { .word = chain->word,
		.big = chain->big,
		.block_word = chain->block_word,
		.version = chain->version };

	if (!report_end(job, bytes, chain))
		return false;
	gmon->hist = cg_alloc(job, (chain->hists + 1) * sizeof(*gmon->hist));
	gmon->run = cg_alloc(job, chain->runs * sizeof(*gmon->run));
	gmon->block = cg_alloc(job, chain->blocks * sizeof(*gmon->block));
	if (!gmon->hist || !gmon->run || !gmon->block)
		return false;
	walk(&again, bytes, gmon);
	gmon->arcs = chain->arcs;
	gmon->tag = 1;
	gmon->count = 4;
	gmon->stride = 1 + 2 * gmon->word + 4;
	if (again.end == CHAIN_CUT)
		recover_hist(bytes, chain, gmon);
	return true;
}

/* ---- LD_PROFILE --------------------------------------------------------- */

/*
 * Returns the number of arcs for which the dynamic linker has room in a file
 * of LD_PROFILE: 3 % of the bytes of the text, at least 50 and at most 2^20.
 */
static uint64_t
arc_limit(const struct gmon_hist *hist)
{
	uint64_t limit = (hist->high - hist->low) / 100 * 3 + 3;

	limit = limit > 1 << 20 ? 1 << 20 : limit;
	return limit < 50 ? 50 : limit;
}

/*
 * Reads the histogram of an LD_PROFILE file and the header of its arcs; the
 * cursor is then at the first arc. *arcs becomes their number, at most what
 * the linker had room for. False: malformed.
 */
static bool
take_ld_profile(
    struct gmon_cursor *cursor, struct gmon_hist *hist, uint64_t *arcs)
{
	uint64_t tag = gprof_take(cursor, 4), limit;

	take_hist(cursor, hist);
	if (cursor->cut || tag != TAG_HIST || is_odd(hist) ||
	    hist->bins * 2 > (uint64_t)(cursor->end - cursor->at))
		return false;
	hist->have = hist->bins;
	cursor->at += hist->bins * 2;
	tag = gprof_take(cursor, 4);
	limit = arc_limit(hist);
	*arcs = gprof_take(cursor, 4);
	*arcs = *arcs < limit ? *arcs : limit;
	return !cursor->cut && tag == TAG_ARC;
}

/*
 * Reads a file of LD_PROFILE into gmon. Addresses of arcs are relative to the
 * histogram's low end. A caller 0 means any caller outside of the library. If
 * truncated, reads the arcs that are left, with a warning. False: an error
 * (reported).
 */
static bool
read_ld_profile(struct cg_job *job, struct cg_slice bytes, struct gmon *gmon)
{
	struct gmon_cursor cursor;
	struct gmon_hist hist;
	uint64_t stated = 0, arcs;
	bool ok = false;

	for (unsigned i = 0; i < 4 && !ok; i++) {
		gmon->word = i / 2 ? 4 : 8;
		gmon->big = i % 2;
		if (version_of(bytes, gmon->big) != GMON_LD_PROFILE_VERSION)
			continue;
		cursor = (struct gmon_cursor){ .at = bytes.ptr + GMON_HEADER,
			.end = bytes.ptr + bytes.len,
			.word = gmon->word,
			.big = gmon->big };
		ok = take_ld_profile(&cursor, &hist, &stated);
	}
	if (!ok)
		return cg_reject_at(job, bytes.ptr + GMON_HEADER,
		    "expected a histogram and arcs of LD_PROFILE");
	gmon->hist = cg_alloc(job, sizeof(*gmon->hist));
	if (!gmon->hist)
		return false;
	gmon->hist[gmon->hists++] = hist;
	arcs = (uint64_t)(cursor.end - cursor.at) / (2 * gmon->word + 4);
	arcs = arcs < stated ? arcs : stated;
	if (!gprof_set_run(job, gmon, cursor.at, (size_t)arcs))
		return false;
	gmon->count = 4;
	gmon->stride = 2 * gmon->word + 4;
	gmon->origin = hist.low;
	if (arcs < stated)
		cg_warn_at(job, bytes.ptr + bytes.len,
		    "truncated: has %" PRIu64 " of %" PRIu64 " arcs", arcs,
		    stated);
	return true;
}

bool
gprof_read_gnu(struct cg_job *job, struct cg_slice bytes,
    struct gprof_hint hint, struct gmon *gmon)
{
	uint32_t little = version_of(bytes, false);
	uint32_t big = version_of(bytes, true);
	struct chain chain;

	if (!known_version(little) && !known_version(big))
		return cg_reject_at(job, bytes.ptr + 4,
		    "gmon.out version %" PRIu32 " is not supported",
		    little < big ? little : big);
	gmon->kind = GMON_LD_PROFILE;
	gmon->version = GMON_LD_PROFILE_VERSION;
	if (little == GMON_LD_PROFILE_VERSION || big == GMON_LD_PROFILE_VERSION)
		return read_ld_profile(job, bytes, gmon);
	if (bytes.len == GMON_HEADER)
		return cg_reject(job, "truncated: no record after the header");
	choose_chain(job, bytes, hint, &chain);
	gmon->kind = GMON_GNU;
	gmon->word = chain.word;
	gmon->big = chain.big;
	gmon->version = chain.version;
	return read_gnu(job, bytes, &chain, gmon);
}
