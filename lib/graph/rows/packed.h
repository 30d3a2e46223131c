/*
 * packed.h - the layout of packed rows, for the files that store.h lists.
 *
 * A row is a tag byte, its position as differences to the row before (zigzag
 * varints), and values (varints, without trailing zeros). Real profiles need
 * 0.55 times the size of their text like this; struct-of-array columns would
 * need 2.3 to 5.8 times. Decoding costs less than the cache misses of columns.
 *
 *	costs, which have lists of blocks of their own:
 *	tag: bits 0-3 number of values, 4-6 step of the address, 7 position
 *	     follows
 *	[position: below 128 the line's difference, else flags of what follows]
 *	[in the first row of a segment: link to that of the next segment]
 *	[file] [addr difference] [line difference] [number of values, from 15]
 *	values; a byte of 128 + n and a zero byte stand for n zeros
 *
 *	all others:
 *	tag: bits 0-1 kind, 2 file follows, 3 addr follows, 4 line follows,
 *	     bits 5-7: step of the address of a call, flags of a jump, what an
 *	     "other" row is
 *	[file] [addr difference] [line difference]
 *	call:  callee, count, entry line, entry addr, number of values, values
 *	jump:  [target fn, target file], to addr and line as differences to
 *	       the row's own, executed, [followed]
 *	branch: kind, block, index, flags, target, label, count
 *	inclusive: repeats, number of values, values
 */
#ifndef CG_PACKED_H
#define CG_PACKED_H

#include <endian.h>
#include <string.h>

#include "graph/graph.h"

/*
 * Bits of the tag of costs, and of the byte after it, which may begin the
 * position.
 */
#define CG_COST_COUNT 15u /* number of values; 15: it precedes them */
#define CG_COST_SHIFT 4   /* of the address step */
#define CG_COST_POS 128u
#define CG_POS_FLAGS 128u /* not set: the byte is a difference of lines */
#define CG_POS_FILE 1u
#define CG_POS_ADDR 2u
#define CG_POS_LINE 4u
#define CG_POS_SEGMENT 8u /* see put_segment() */

/* Tags of all other rows. */
#define CG_TAG_KIND 3u
#define CG_TAG_FILE 4u
#define CG_TAG_ADDR 8u
#define CG_TAG_LINE 16u
#define CG_TAG_SHIFT 5    /* calls: of the address step */
#define CG_TAG_COND 32u   /* jump: conditional */
#define CG_TAG_FAR 64u    /* ... to another function or file */
#define CG_TAG_BRANCH 32u /* other: a branch, or ... */
#define CG_TAG_INCLUSIVE 64u
#define CG_BRANCH_VALUES 7 /* varints of a branch after its position */

#define CG_STEP_MAX 7u /* largest address step */

/* A block of rows; no row spans two. */
struct cg_block {
	struct cg_block *next;
	uint32_t used; /* bytes; not set for the last block: see packed->used */
	uint32_t size; /* bytes, with header; not set for the last block */
	uint8_t data[];
};

/*
 * Makes room for need bytes at the end of packed, which belongs to run; may
 * merge the run. False: out of memory or overflow.
 */
bool cg_run_make_room(
    struct cg_graph *, struct cg_run *, struct cg_packed *, size_t need);

/* ---- Encoding ----------------------------------------------------------- */

/*
 * Maximum size of a row's position (tag, flags, link, file, addr, line,
 * count), and of one value, in bytes.
 */
#define POS_MAX 32
#define VALUE_MAX 10

static inline uint8_t *
put_varint(uint8_t *to, uint64_t value)
{
	while (value >= 0x80) {
		*to++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t)value;
	return to;
}

static inline uint64_t
zigzag(uint64_t difference)
{
	return difference << 1 ^ -(difference >> 63);
}

static inline uint8_t *
put_signed(uint8_t *to, uint64_t difference)
{
	return put_varint(to, zigzag(difference));
}

/* The address of the first row. */
static inline const uint8_t *
first_row(const struct cg_packed *packed)
{
	return packed->last->next->data;
}

/*
 * The address of the next row, with room for need bytes; NULL: out of memory.
 */
static inline uint8_t *
begin_pack(struct cg_graph *graph, struct cg_run *run, struct cg_packed *packed,
    size_t need)
{
	if (packed->room - packed->used < need &&
	    !cg_run_make_room(graph, run, packed, need))
		return NULL;
	return packed->last->data + packed->used;
}

static inline void
end_pack(struct cg_packed *packed, uint8_t *to, const struct cg_pos *pos)
{
	/*
	 * Stores each member with the size of its later load: store forwarding
	 * needs equal sizes.
	 */
	packed->pos.addr = pos->addr;
	packed->pos.line = pos->line;
	packed->pos.file = pos->file;
	packed->used = (uint32_t)(to - packed->last->data);
}

/*
 * True if pos is after the position of the row before, whatever the order of
 * files is.
 */
static inline bool
is_behind(struct cg_pos pos, struct cg_pos before)
{
	if (pos.addr != before.addr)
		return pos.addr > before.addr;
	return pos.file == before.file && pos.line > before.line;
}

/* Writes the tag, and the position as difference to the row before. */
static inline uint8_t *
put_pos(struct cg_packed *packed, uint8_t *to, unsigned tag,
    const struct cg_pos *pos)
{
	const struct cg_pos *before = &packed->pos;
	uint64_t step = pos->addr - before->addr;
	const bool steps = tag == CG_ROW_CALL;
	uint8_t *tag_at = to++;

	if (pos->file != before->file) {
		tag |= CG_TAG_FILE;
		to = put_varint(to, pos->file);
	}
	if (steps && step <= CG_STEP_MAX) {
		tag |= (unsigned)step << CG_TAG_SHIFT;
	} else if (step != 0) {
		tag |= CG_TAG_ADDR;
		to = put_signed(to, step);
	}
	if (pos->line != before->line) {
		tag |= CG_TAG_LINE;
		to = put_signed(to, (uint64_t)pos->line - before->line);
	}
	*tag_at = (uint8_t)tag;
	return to;
}

/*
 * The same for costs; the caller adds the number of values to the tag.
 * (Positions are passed by value: otherwise the compiler assumes that bytes
 * written to memory may change them.)
 */
static inline uint8_t *
put_near_pos(uint8_t *to, struct cg_pos pos, struct cg_pos before)
{
	uint64_t step = pos.addr - before.addr;
	uint64_t line = zigzag((uint64_t)pos.line - before.line);
	unsigned tag = 0, flags = CG_POS_FLAGS;
	uint8_t *tag_at = to++, *flags_at;

	if (step <= CG_STEP_MAX) {
		tag = (unsigned)step << CG_COST_SHIFT;
		step = 0;
	}
	if (pos.file == before.file && step == 0 && line < CG_POS_FLAGS) {
		*to = (uint8_t)line;
		*tag_at = (uint8_t)(tag | (line ? CG_COST_POS : 0));
		return to + (line != 0);
	}
	flags_at = to++;
	if (pos.file != before.file) {
		flags |= CG_POS_FILE;
		to = put_varint(to, pos.file);
	}
	if (step != 0) {
		flags |= CG_POS_ADDR;
		to = put_signed(to, step);
	}
	if (line != 0) {
		flags |= CG_POS_LINE;
		to = put_varint(to, line);
	}
	*tag_at = (uint8_t)(tag | CG_COST_POS);
	*flags_at = (uint8_t)flags;
	return to;
}

/*
 * Costs arrive in a few ascending segments, mostly in one. The first row of
 * each segment but the first one has a link and its full position.
 * run->segment is the last of these rows; links form a ring, from the last one
 * to the first.
 */
static inline uint8_t *
put_segment(uint8_t *to, struct cg_pos pos)
{
	to[0] = CG_COST_POS;
	to[1] = CG_POS_FLAGS | CG_POS_SEGMENT | CG_POS_FILE |
		CG_POS_ADDR | CG_POS_LINE;
	to = put_varint(to + 2 + sizeof(void *), pos.file);
	to = put_signed(to, pos.addr);
	return put_signed(to, pos.line);
}

static inline bool
begins_segment(const uint8_t *row)
{
	const unsigned flags = CG_POS_FLAGS | CG_POS_SEGMENT;

	return (row[0] & CG_COST_POS) && (row[1] & flags) == flags;
}

static inline uint8_t *
next_segment(const uint8_t *row)
{
	uint8_t *next;

	memcpy(&next, row + 2, sizeof(next));
	return next;
}

/* Begins a new segment if pos is before the last row's. */
static inline uint8_t *
put_cost_pos(const struct cg_packed *packed, uint8_t *to, struct cg_pos pos,
    struct cg_pos before)
{
	bool same = pos.addr == before.addr && pos.line == before.line &&
		    pos.file == before.file;

	if (same || is_behind(pos, before) || to == first_row(packed))
		return put_near_pos(to, pos, before);
	return put_segment(to, pos);
}

/* Links a completed row that begins a segment into the ring of run->segment. */
void cg_link_segment(uint8_t **segment, uint8_t *row);

/*
 * Encodes n zeros as two bytes; this is unambiguous, as no varint of two bytes
 * ends in a zero byte.
 */
static inline uint8_t *
put_zeros(uint8_t *to, size_t n)
{
	*to++ = (uint8_t)(0x80 | n);
	*to++ = 0;
	return to;
}

static inline uint8_t *
put_values(uint8_t *to, const uint64_t *cost, size_t n)
{
	to = put_varint(to, n);
	for (size_t i = 0; i < n; i++)
		to = put_varint(to, cost[i]);
	return to;
}

/* ---- Decoding ----------------------------------------------------------- */

/*
 * The value of a varint and the address after it, as a struct that is returned
 * in registers.
 */
struct cg_varint {
	uint64_t value;
	const uint8_t *next;
};
/* Reads a varint of any length. */
struct cg_varint cg_get_long(const uint8_t *at);

/*
 * Returns the varint at *at, and moves *at past it. Most varints have one
 * byte: the code for longer ones is out of line.
 */
static inline uint64_t
get_varint(const uint8_t **at)
{
	struct cg_varint varint;

	if (**at < 0x80)
		return *(*at)++;
	varint = cg_get_long(*at);
	*at = varint.next;
	return varint.value;
}

static inline uint64_t
get_signed(const uint8_t **at)
{
	uint64_t value = get_varint(at);

	return value >> 1 ^ -(value & 1);
}

/*
 * In a word of eight bytes: the continuation bits of varints; 1 in each byte.
 */
#define CG_MORE_BYTES 0x8080808080808080
#define CG_EACH_BYTE 0x0101010101010101

/*
 * Skips n varints, eight bytes at a time, without branches that depend on
 * their lengths. May read past the last row, which CG_ARENA_SPARE allows.
 */
static inline const uint8_t *
skip_varints(const uint8_t *at, size_t n)
{
	uint64_t word, ended, found;

	for (; n > 0; n -= (size_t)(ended >> 56), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		/*
		 * In each byte: the number of varints that end in it or before
		 * it.
		 */
		ended = (~le64toh(word) & CG_MORE_BYTES) >> 7;
		ended *= CG_EACH_BYTE;
		if (ended >> 56 < n)
			continue;
		found = ((ended | CG_MORE_BYTES) - n * CG_EACH_BYTE) &
			CG_MORE_BYTES;
		return at + __builtin_ctzll(found) / 8 + 1;
	}
	return at;
}

/* Number of varints in the position of a row other than a cost. */
static inline size_t
count_pos_values(unsigned tag)
{
	return (tag / CG_TAG_FILE & 1) + (tag / CG_TAG_ADDR & 1) +
	       (tag / CG_TAG_LINE & 1);
}

/* The address step in the tag of a row other than a cost. */
static inline unsigned
get_tag_step(unsigned tag)
{
	return (tag & CG_TAG_KIND) == CG_ROW_CALL ? tag >> CG_TAG_SHIFT : 0;
}

static inline const uint8_t *
skip_values(const uint8_t *at)
{
	size_t n = (size_t)get_varint(&at);

	return skip_varints(at, n);
}

/* True if the bytes are a run of zeros: see put_zeros(). */
static inline bool
is_zeros(const uint8_t *at)
{
	return at[0] >= 0x80 && at[1] == 0;
}

static inline size_t
get_zeros(const uint8_t *at)
{
	return at[0] & 0x7f;
}

/*
 * Decodes n items, each a value or a run of zeros; returns the number of
 * values, which add.c limits to the number of events.
 */
static inline size_t
unpack_values(const uint8_t **row, size_t n, uint64_t *to)
{
	const uint8_t *at = *row;
	uint64_t *from = to;

	for (; n > 0; n--) {
		if (at[0] < 0x80 || at[1] >= 0x80) {
			*to++ = get_varint(&at);
			continue;
		}
		/* Fast path for two bytes. */
		if (at[1] != 0)
			*to++ = (at[0] & 0x7f) | (uint64_t)at[1] << 7;
		else
			for (size_t i = get_zeros(at); i > 0; i--)
				*to++ = 0;
		at += 2;
	}
	*row = at;
	return (size_t)(to - from);
}

/* Decodes the values of calls and stated inclusive costs. */
static inline size_t
get_values(const uint8_t **row, uint64_t *to)
{
	size_t n = (size_t)get_varint(row);

	return unpack_values(row, n, to);
}

/* The number of values of a cost. */
static inline size_t
get_count(unsigned tag, const uint8_t **at)
{
	size_t n = tag & CG_COST_COUNT;

	return n < CG_COST_COUNT ? n : (size_t)get_varint(at);
}

static inline const uint8_t *
skip_cost(unsigned tag, const uint8_t *at)
{
	size_t n = get_count(tag, &at);

	return skip_varints(at, n);
}

/*
 * Decodes a branch after its position. All varints but the count nearly always
 * have one byte; reading eight bytes is safe, see skip_varints().
 */
static inline const uint8_t *
get_branch(const uint8_t *at, struct cg_branch *branch)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	if ((le64toh(word) & CG_MORE_BYTES >> 16) == 0) {
		branch->kind = (enum cg_branch_kind)at[0];
		branch->block = at[1];
		branch->index = at[2];
		branch->flags = at[3];
		branch->target = at[4];
		branch->label = at[5];
		at += 6;
	} else {
		branch->kind = (enum cg_branch_kind)get_varint(&at);
		branch->block = (uint32_t)get_varint(&at);
		branch->index = (uint32_t)get_varint(&at);
		branch->flags = (unsigned)get_varint(&at);
		branch->target = (uint32_t)get_varint(&at);
		branch->label = (cg_name)get_varint(&at);
	}
	branch->count = (int64_t)get_signed(&at);
	return at;
}

/*
 * Returns the start of the row after a row other than a cost. `at` is the end
 * of the row's position, and `tag` its first byte. skip_cost() does this for
 * costs.
 */
static inline const uint8_t *
skip_rest(unsigned tag, const uint8_t *at)
{
	switch ((enum cg_row_kind)(tag & CG_TAG_KIND)) {
	case CG_ROW_CALL: return skip_values(skip_varints(at, 4));
	case CG_ROW_JUMP:
		return skip_varints(at, 3u + (tag & CG_TAG_COND ? 1u : 0u) +
					    (tag & CG_TAG_FAR ? 2u : 0u));
	case CG_ROW_OTHER:
		if (tag & CG_TAG_BRANCH)
			return skip_varints(at, CG_BRANCH_VALUES);
		return skip_values(skip_varints(at, 1));
	}
	return at;
}

/* An iterator over packed rows, and its current row. */
struct scan {
	const uint8_t *at, *end; /* at: after the position of the row */
	const uint8_t *stop;     /* end before the row with this tag, or NULL */
	const struct cg_block *block;
	const struct cg_packed *packed;
	struct cg_pos pos;
	uint32_t rank; /* of the file; its id if there are no ranks */
	unsigned tag;
};

/* Begins before the first row. file_rank may be NULL: order files by id. */
void cg_scan_begin(struct scan *, const struct cg_packed *, cg_file,
    const uint32_t *file_rank);
/* Moves to the next block; false at the end. */
bool cg_scan_block(struct scan *);
/* Moves to the row at tag, in this block or a later one. */
void cg_scan_seek(struct scan *, const uint8_t *tag);

/* Decode the rest of a position; return its end. */
const uint8_t *cg_scan_pos(
    struct scan *, unsigned tag, const uint8_t *at, const uint32_t *file_rank);
const uint8_t *cg_scan_cost_pos(
    struct scan *, const uint8_t *at, const uint32_t *file_rank);

/*
 * Moves a scan from the end of a row to the next row, which is not a cost.
 * Decodes its tag and position; scan->at is then the end of the position.
 * False: there is no next row.
 */
static inline bool
scan_row(struct scan *scan, const uint32_t *file_rank)
{
	const uint8_t *at;
	unsigned tag;

	if (scan->at == scan->end && !cg_scan_block(scan))
		return false;
	at = scan->at;
	tag = *at++;
	scan->pos.addr += get_tag_step(tag);
	if (tag & (CG_TAG_FILE | CG_TAG_ADDR | CG_TAG_LINE))
		at = cg_scan_pos(scan, tag, at, file_rank);
	scan->tag = tag;
	scan->at = at;
	return true;
}

/*
 * Moves a scan from the end of a row of costs to the next one. Decodes its tag
 * and position; scan->at is then the end of the position. False: there is no
 * next row.
 */
static inline bool
scan_cost(struct scan *scan, const uint32_t *file_rank)
{
	const uint8_t *at;
	unsigned tag;

	if (scan->at == scan->end && !cg_scan_block(scan))
		return false;
	at = scan->at;
	tag = *at++;
	scan->pos.addr += tag >> CG_COST_SHIFT & CG_STEP_MAX;
	if (tag & CG_COST_POS)
		at = cg_scan_cost_pos(scan, at, file_rank);
	scan->tag = tag;
	scan->at = at;
	return true;
}

#endif
