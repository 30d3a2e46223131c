/*
 * rows.h - the packed layout, shared by who packs (pack.c, add.c) and, through
 * view.h, the cursors, and by nobody else.
 */
#ifndef CG_ROWS_H
#define CG_ROWS_H

#include <endian.h>
#include <string.h>

#include "graph/graph.h"

/* Costs: their tag, and the byte behind it that may say more of the place. */
#define CG_COST_COUNT 15u /* how many values; 15: that stands before them */
#define CG_COST_SHIFT 4   /* a step of the address */
#define CG_COST_PLACE 128u
#define CG_PLACE_FLAGS 128u /* else it is a difference of lines */
#define CG_PLACE_FILE 1u
#define CG_PLACE_ADDR 2u
#define CG_PLACE_LINE 4u
#define CG_PLACE_SEGMENT 8u /* see put_segment() */

/* Tags of all other rows. */
#define CG_TAG_KIND 3u
#define CG_TAG_FILE 4u
#define CG_TAG_ADDR 8u
#define CG_TAG_LINE 16u
#define CG_TAG_SHIFT 5    /* of calls: a step of the address */
#define CG_TAG_COND 32u   /* of a jump */
#define CG_TAG_FAR 64u    /* ... to another function or file */
#define CG_TAG_BRANCH 32u /* of what is neither */
#define CG_TAG_INCLUSIVE 64u
#define CG_BRANCH_VALUES 7 /* varints behind its position */

#define CG_STEP_MAX 7u /* how long a step of the address is at most */

/* A piece of a run; rows never straddle two. */
struct cg_block {
	struct cg_block *next;
	uint32_t used; /* bytes; of the last block: see packed->at */
	uint32_t size; /* bytes, of a free block */
	uint8_t data[];
};

/* Room for need bytes behind packed, one of run's; false: out of memory. */
bool cg_run_make_room(
    struct cg_graph *, struct cg_run *, struct cg_packed *, size_t need);

/* ---- Encoding ----------------------------------------------------------- */

/* What a row takes at most: tag, flags, link, file, addr, line, count. */
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

/* Where the next row goes, with room for need bytes; NULL: out of memory. */
static inline uint8_t *
begin_pack(struct cg_graph *graph, struct cg_run *run, struct cg_packed *packed,
    size_t need)
{
	if ((size_t)(packed->end - packed->at) < need &&
	    !cg_run_make_room(graph, run, packed, need))
		return NULL;
	return packed->at;
}

static inline void
end_pack(struct cg_packed *packed, uint8_t *to, const struct cg_pos *pos)
{
	/* One by one, as they were stored: processors wait for other sizes. */
	packed->pos.addr = pos->addr;
	packed->pos.line = pos->line;
	packed->pos.file = pos->file;
	packed->at = to;
}

/* Is pos behind that of the row before, however files will be ordered? */
static inline bool
is_behind(struct cg_pos pos, struct cg_pos before)
{
	if (pos.addr != before.addr)
		return pos.addr > before.addr;
	return pos.file == before.file && pos.line > before.line;
}

/* Writes a tag, and what differs from the row before. */
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
 * The same of costs, whose values are not counted yet. (Positions are copied:
 * bytes written might change them, for all the compiler knows.)
 */
static inline uint8_t *
put_place(uint8_t *to, struct cg_pos pos, struct cg_pos before)
{
	uint64_t step = pos.addr - before.addr;
	uint64_t line = zigzag((uint64_t)pos.line - before.line);
	unsigned tag = 0, flags = CG_PLACE_FLAGS;
	uint8_t *tag_at = to++, *flags_at;

	if (step <= CG_STEP_MAX) {
		tag = (unsigned)step << CG_COST_SHIFT;
		step = 0;
	}
	if (pos.file == before.file && step == 0 && line < CG_PLACE_FLAGS) {
		*to = (uint8_t)line;
		*tag_at = (uint8_t)(tag | (line ? CG_COST_PLACE : 0));
		return to + (line != 0);
	}
	flags_at = to++;
	if (pos.file != before.file) {
		flags |= CG_PLACE_FILE;
		to = put_varint(to, pos.file);
	}
	if (step != 0) {
		flags |= CG_PLACE_ADDR;
		to = put_signed(to, step);
	}
	if (line != 0) {
		flags |= CG_PLACE_LINE;
		to = put_varint(to, line);
	}
	*tag_at = (uint8_t)(tag | CG_COST_PLACE);
	*flags_at = (uint8_t)flags;
	return to;
}

/*
 * Costs come as a few ascending segments, mostly as one. The first row of each
 * but the first has its whole place, and before that a link to the next such
 * row; packed->segment is the last one, and links to the first.
 */
static inline uint8_t *
put_segment(uint8_t *to, struct cg_pos pos)
{
	to[0] = CG_COST_PLACE;
	to[1] = CG_PLACE_FLAGS | CG_PLACE_SEGMENT | CG_PLACE_FILE |
		CG_PLACE_ADDR | CG_PLACE_LINE;
	to = put_varint(to + 2 + sizeof(void *), pos.file);
	to = put_signed(to, pos.addr);
	return put_signed(to, pos.line);
}

static inline bool
begins_segment(const uint8_t *row)
{
	const unsigned flags = CG_PLACE_FLAGS | CG_PLACE_SEGMENT;

	return (row[0] & CG_COST_PLACE) && (row[1] & flags) == flags;
}

static inline uint8_t *
next_segment(const uint8_t *row)
{
	uint8_t *next;

	memcpy(&next, row + 2, sizeof(next));
	return next;
}

/* Costs stand where those before do, or behind, or they begin a segment. */
static inline uint8_t *
put_cost_pos(const struct cg_packed *packed, uint8_t *to, struct cg_pos pos,
    struct cg_pos before)
{
	bool same = pos.addr == before.addr && pos.line == before.line &&
		    pos.file == before.file;

	if (same || is_behind(pos, before) || to == packed->first->data)
		return put_place(to, pos, before);
	return put_segment(to, pos);
}

/* The row, which begins a segment, is complete. */
void cg_link_segment(struct cg_packed *, uint8_t *row);

/* What stands for n values that are zero: no number ends in an empty byte. */
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

/* A varint, and what follows it: both come back in registers. */
struct cg_varint {
	uint64_t value;
	const uint8_t *next;
};
/* Reads a varint of any length. */
struct cg_varint cg_get_long(const uint8_t *at);

/* Most have one byte: the code for others would only stand in the way. */
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

/* The bits of eight bytes that say that a varint goes on; 1 in each byte. */
#define CG_MORE_BYTES 0x8080808080808080
#define CG_EACH_BYTE 0x0101010101010101

/*
 * Behind n varints. Eight bytes are looked at at once, without a guess how long
 * any of them is; CG_ARENA_SPARE sees to it that they may be, behind the last
 * row as well.
 */
static inline const uint8_t *
skip_varints(const uint8_t *at, size_t n)
{
	uint64_t word, ended, found;

	for (; n > 0; n -= ended >> 56, at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		/* In each byte: how many varints have ended with it. */
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

/* How many varints the position of a row that is no cost has. */
static inline size_t
count_places(unsigned tag)
{
	return (tag / CG_TAG_FILE & 1) + (tag / CG_TAG_ADDR & 1) +
	       (tag / CG_TAG_LINE & 1);
}

/* How far the address of such a row is from the one before, if not far. */
static inline unsigned
get_tag_step(unsigned tag)
{
	return (tag & CG_TAG_KIND) == CG_ROW_CALL ? tag >> CG_TAG_SHIFT : 0;
}

static inline const uint8_t *
skip_values(const uint8_t *at)
{
	size_t n = get_varint(&at);

	return skip_varints(at, n);
}

/* See put_zeros(). */
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
 * Takes n values, or what stands for some; returns how many they are: as many
 * as there are events at most, add.c sees to that.
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
		/* Of two bytes are many. */
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

/* Of calls and stated inclusive costs. */
static inline size_t
get_values(const uint8_t **row, uint64_t *to)
{
	size_t n = get_varint(row);

	return unpack_values(row, n, to);
}

/* How many values stand behind a cost's place, or behind their number. */
static inline size_t
get_count(unsigned tag, const uint8_t **at)
{
	size_t n = tag & CG_COST_COUNT;

	return n < CG_COST_COUNT ? n : get_varint(at);
}

static inline const uint8_t *
skip_cost(unsigned tag, const uint8_t *at)
{
	size_t n = get_count(tag, &at);

	return skip_varints(at, n);
}

/*
 * What a branch has behind its position. All but the count nearly always have
 * one byte: see skip_varints().
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

/* From behind the position to the next row; of costs that is skip_cost(). */
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
		return skip_values(at);
	}
	return at;
}

/* A way through packed rows, and the row that it is at. */
struct scan {
	const uint8_t *at, *end; /* in block: behind the position */
	const uint8_t *stop;     /* the tag of the row to end before, or NULL */
	const struct cg_block *block;
	const struct cg_packed *packed;
	struct cg_pos pos;
	uint32_t rank; /* of the file, or its id */
	unsigned tag;
};

/* Before the first row. file_rank may be NULL: files are ordered by id. */
void cg_scan_begin(struct scan *, const struct cg_packed *, cg_file,
    const uint32_t *file_rank);
/* Goes on to the next block; false at the end. */
bool cg_scan_block(struct scan *);
/* Goes on to the row at tag, in this block or one that follows. */
void cg_scan_seek(struct scan *, const uint8_t *tag);

/* Take what a place has written out; return what is behind it. */
const uint8_t *cg_scan_place(
    struct scan *, unsigned tag, const uint8_t *at, const uint32_t *file_rank);
const uint8_t *cg_scan_cost_place(
    struct scan *, const uint8_t *at, const uint32_t *file_rank);

/* Goes on to the next row from behind the last one; false at the end. */
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
		at = cg_scan_place(scan, tag, at, file_rank);
	scan->tag = tag;
	scan->at = at;
	return true;
}

/* The same of costs. */
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
	if (tag & CG_COST_PLACE)
		at = cg_scan_cost_place(scan, at, file_rank);
	scan->tag = tag;
	scan->at = at;
	return true;
}

#endif
