/*
 * rows.h - the packed layout, shared by who packs (pack.c, add.c) and the
 * cursors (scan.c, costs.c, view.c) and by nobody else.
 */
#ifndef CG_ROWS_H
#define CG_ROWS_H

#include <endian.h>
#include <string.h>

#include "graph.h"

#define CG_TAG_KIND 3u
#define CG_TAG_FILE 4u
#define CG_TAG_ADDR 8u
#define CG_TAG_LINE 16u
#define CG_TAG_SHIFT 5      /* of costs and calls: a step of the address */
#define CG_STEP_MAX 7u      /* ... which is so long at most */
#define CG_TAG_STRETCH 128u /* of costs with an address: see put_stretch() */
#define CG_TAG_COND 32u     /* of a jump */
#define CG_TAG_FAR 64u      /* ... to another function or file */
#define CG_TAG_BRANCH 32u   /* of other rows */
#define CG_TAG_INCLUSIVE 64u
#define CG_BRANCH_VALUES 7 /* varints behind its position */

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

/* What a row takes at most: its tag, link, file, addr, line, number of values. */
#define POS_MAX 31
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

static inline uint8_t *
put_signed(uint8_t *to, uint64_t difference)
{
	return put_varint(to, difference << 1 ^ -(difference >> 63));
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

/*
 * Writes what differs from the row before behind the tag at to[0]. (Positions
 * are copied: bytes written might change them, for all the compiler knows.)
 */
static inline uint8_t *
put_place(uint8_t *to, unsigned tag, struct cg_pos pos, struct cg_pos before)
{
	const bool steps = tag <= CG_ROW_CALL;
	uint8_t *tag_at = to++;

	if (pos.file != before.file) {
		tag |= CG_TAG_FILE;
		to = put_varint(to, pos.file);
	}
	if (steps && pos.addr - before.addr <= CG_STEP_MAX) {
		tag |= (unsigned)(pos.addr - before.addr) << CG_TAG_SHIFT;
	} else if (pos.addr != before.addr) {
		tag |= CG_TAG_ADDR;
		to = put_signed(to, pos.addr - before.addr);
	}
	if (pos.line != before.line) {
		tag |= CG_TAG_LINE;
		to = put_signed(to, (uint64_t)pos.line - before.line);
	}
	*tag_at = (uint8_t)tag;
	return to;
}

static inline uint8_t *
put_pos(struct cg_packed *packed, uint8_t *to, unsigned tag,
    const struct cg_pos *pos)
{
	return put_place(to, tag, *pos, packed->pos);
}

/*
 * Costs come as a few ascending stretches, mostly as one. The first row of each
 * but the first has its whole place, and before that a link to the next such
 * row; packed->stretch is the last one, and links to the first.
 */
static inline uint8_t *
put_stretch(uint8_t *to, struct cg_pos pos)
{
	*to = CG_ROW_COST | CG_TAG_FILE | CG_TAG_ADDR | CG_TAG_LINE |
	      CG_TAG_STRETCH;
	to = put_varint(to + 1 + sizeof(void *), pos.file);
	to = put_signed(to, pos.addr);
	return put_signed(to, pos.line);
}

static inline bool
begins_stretch(unsigned tag)
{
	return (tag & CG_TAG_ADDR) && (tag & CG_TAG_STRETCH);
}

static inline uint8_t *
next_stretch(const uint8_t *tag)
{
	uint8_t *next;

	memcpy(&next, tag + 1, sizeof(next));
	return next;
}

/* Costs stand where those before do, or behind, or they begin a stretch. */
static inline uint8_t *
put_cost_pos(const struct cg_packed *packed, uint8_t *to, struct cg_pos pos,
    struct cg_pos before)
{
	bool same = pos.addr == before.addr && pos.line == before.line &&
		    pos.file == before.file;

	if (same || is_behind(pos, before) || to == packed->first->data)
		return put_place(to, CG_ROW_COST, pos, before);
	return put_stretch(to, pos);
}

/* The row at tag, which begins a stretch, is complete. */
void cg_link_stretch(struct cg_packed *, uint8_t *tag);

static inline size_t
cut_zeros(const uint64_t *cost, size_t n)
{
	while (n > 0 && cost[n - 1] == 0)
		n--;
	return n;
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

/* The bits of eight bytes that say that a varint goes on. */
#define CG_MORE_BYTES 0x8080808080808080

/*
 * Behind n varints. Nearly all have one byte, so eight are looked at at once;
 * CG_ARENA_SPARE sees to it that they may be, behind the last row as well.
 */
static inline const uint8_t *
skip_varints(const uint8_t *at, size_t n)
{
	uint64_t word;

	for (; n >= sizeof(word); n -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (word & CG_MORE_BYTES)
			break;
	}
	if (n < sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if ((le64toh(word) & CG_MORE_BYTES & ~(UINT64_MAX << 8 * n)) ==
		    0)
			return at + n;
	}
	for (; n > 0; n--) {
		while (*at++ >= 0x80)
			;
	}
	return at;
}

/* How many varints a row's position has. */
static inline size_t
count_places(unsigned tag)
{
	return (tag / CG_TAG_FILE & 1) + (tag / CG_TAG_ADDR & 1) +
	       (tag / CG_TAG_LINE & 1);
}

/* How far the address of a row is from that of the row before, if not far. */
static inline unsigned
get_step(unsigned tag)
{
	bool steps = (tag & CG_TAG_KIND) <= CG_ROW_CALL;

	return steps ? tag >> CG_TAG_SHIFT : 0;
}

static inline const uint8_t *
skip_values(const uint8_t *at)
{
	size_t n = get_varint(&at);

	return skip_varints(at, n);
}

/* As many as there are events at most: add.c sees to that. */
static inline size_t
get_values(const uint8_t **row, uint64_t *to)
{
	const uint8_t *at = *row;
	size_t n = get_varint(&at);

	/* Of two bytes are many. */
	for (size_t i = 0; i < n; i++) {
		if (at[0] >= 0x80 && at[1] < 0x80) {
			to[i] = (at[0] & 0x7f) | (uint64_t)at[1] << 7;
			at += 2;
		} else {
			to[i] = get_varint(&at);
		}
	}
	*row = at;
	return n;
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

/* From behind the position to the next row. */
static inline const uint8_t *
skip_rest(unsigned tag, const uint8_t *at)
{
	switch ((enum cg_row_kind)(tag & CG_TAG_KIND)) {
	case CG_ROW_CALL: return skip_values(skip_varints(at, 4));
	case CG_ROW_COST: return skip_values(at);
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

/* Takes what a row's place has written out; returns what is behind it. */
const uint8_t *cg_scan_place(
    struct scan *, unsigned tag, const uint8_t *at, const uint32_t *file_rank);

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
	scan->pos.addr += get_step(tag);
	if (tag & (CG_TAG_FILE | CG_TAG_ADDR | CG_TAG_LINE))
		at = cg_scan_place(scan, tag, at, file_rank);
	scan->tag = tag;
	scan->at = at;
	return true;
}

/* ---- Cursors ------------------------------------------------------------ */

/* Rows that are no costs, where they are: see view.c. */
struct list {
	struct row *row;
	size_t count, cap, next;
};

struct cg_rows {
	const struct cg_graph *graph;
	const uint32_t *fn_rank, *file_rank, *file_ranked; /* NULL: by id */
	bool merge, no_addresses;
	bool no_costs; /* of cg_calls_next() */
	cg_fn fn;

	bool has_cost; /* scan is at a row of costs */
	struct scan scan;
	struct scan *head; /* other stretches of costs: see costs.c */
	size_t heads, head_cap;

	struct list list[CG_ROW_OTHER + 1]; /* by kind, without costs */
	bool in_order;                      /* there are none in lists: */
	struct scan branch;                 /* ... branches came in order */
	struct row *room;                   /* for sorting */
	size_t room_cap;
	uint64_t *cost, *sum; /* one row's values; the sum of a place's */
	size_t cost_cap, sum_cap;
	struct cg_seen *seen; /* blocks: see coverage.c */
	size_t seens, seen_cap;
	uint32_t *seen_slot;
	size_t seen_slots, slot_cap;
};

/* cg_next_branch() where rows->in_order says so. */
static inline bool
next_in_order(struct cg_rows *rows, struct cg_branch *branch)
{
	struct scan *scan = &rows->branch;

	if (!scan_row(scan, rows->file_rank))
		return false;
	branch->pos = scan->pos;
	scan->at = get_branch(scan->at, branch);
	return true;
}

/* cg_rows_open() of the one run that the function has in a part. */
bool cg_rows_open_run(struct cg_rows *, const struct cg_run *);
/* Opens one run merged, sorted by ids (ranks may not exist yet). */
bool cg_rows_open_merged(struct cg_rows *, const struct cg_run *);

/*
 * coverage.c: cg_get_coverage() by who takes the function's branches himself.
 * False: out of memory, noted.
 */
bool cg_coverage_begin(struct cg_rows *, struct cg_coverage *);
bool cg_coverage_add(
    struct cg_rows *, struct cg_coverage *, const struct cg_branch *);
void cg_coverage_end(struct cg_rows *, uint32_t exit, struct cg_coverage *);

/*
 * costs.c: adds the costs of a run to what cg_next_cost() gives out; in order
 * also sorted, once cg_costs_begin() was called. False: out of memory.
 */
bool cg_costs_add(struct cg_rows *, const struct cg_run *, bool in_order);
void cg_costs_begin(struct cg_rows *);
/* The scan has moved on: true if a row of another stretch comes first now. */
bool cg_costs_settle(struct cg_rows *);

#endif
