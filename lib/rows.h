/*
 * rows.h - the packed layout, shared by the packer (rows.c) and the cursors
 * (costs.c, view.c) and by nobody else.
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
#define CG_TAG_SHIFT 5    /* the number of values stands from here on */
#define CG_TAG_MANY 7u    /* ... this many or more: in a varint */
#define CG_TAG_COND 32u   /* of a jump */
#define CG_TAG_FAR 64u    /* ... to another function or file */
#define CG_TAG_BRANCH 32u /* of other rows */
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

/* ---- Decoding ----------------------------------------------------------- */

/* Reads a varint of any length at at; returns what follows it. */
const uint8_t *cg_get_long(const uint8_t *at, uint64_t *value);

/* Most have one byte: the code for others would only stand in the way. */
static inline uint64_t
get_varint(const uint8_t **at)
{
	uint64_t value;

	if (**at < 0x80)
		return *(*at)++;
	*at = cg_get_long(*at, &value);
	return value;
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

static inline size_t
get_value_count(unsigned tag, const uint8_t **at)
{
	size_t n = tag >> CG_TAG_SHIFT;

	return n == CG_TAG_MANY ? get_varint(at) : n;
}

static inline const uint8_t *
skip_values(unsigned tag, const uint8_t *at)
{
	size_t n = get_value_count(tag, &at);

	return skip_varints(at, n);
}

/* As many as there are events at most: build.c sees to that. */
static inline size_t
get_values(unsigned tag, const uint8_t **row, uint64_t *to)
{
	const uint8_t *at = *row;
	size_t n = get_value_count(tag, &at);

	for (size_t i = 0; i < n; i++)
		to[i] = get_varint(&at);
	*row = at;
	return n;
}

/* The values of a row of stated inclusive costs. */
static inline size_t
get_stated(const uint8_t **row, uint64_t *to)
{
	size_t n = get_varint(row);

	for (size_t i = 0; i < n; i++)
		to[i] = get_varint(row);
	return n;
}

/* From behind the position to the next row. */
static inline const uint8_t *
skip_rest(unsigned tag, const uint8_t *at)
{
	size_t n;

	switch ((enum cg_row_kind)(tag & CG_TAG_KIND)) {
	case CG_ROW_CALL: return skip_values(tag, skip_varints(at, 4));
	case CG_ROW_COST: return skip_values(tag, at);
	case CG_ROW_JUMP:
		return skip_varints(at, 3u + (tag & CG_TAG_COND ? 1u : 0u) +
					    (tag & CG_TAG_FAR ? 2u : 0u));
	case CG_ROW_OTHER:
		if (tag & CG_TAG_BRANCH)
			return skip_varints(at, CG_BRANCH_VALUES);
		n = get_varint(&at);
		return skip_varints(at, n);
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
	if (tag & CG_TAG_FILE) {
		scan->pos.file = (cg_file)get_varint(&at);
		scan->rank =
		    file_rank ? file_rank[scan->pos.file] : scan->pos.file;
	}
	if (tag & CG_TAG_ADDR)
		scan->pos.addr += get_signed(&at);
	if (tag & CG_TAG_LINE)
		scan->pos.line += (uint32_t)get_signed(&at);
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
	const uint32_t *file_rank, *file_ranked; /* NULL: files by id */
	bool merge, no_addresses;
	bool no_costs; /* of cg_calls_next() */
	cg_fn fn;

	bool has_cost; /* scan is at a row of costs */
	struct scan scan;
	struct scan *head; /* other stretches of costs: see costs.c */
	size_t heads, head_cap;

	struct list list[CG_ROW_OTHER + 1]; /* by kind, without costs */
	struct row *room;                   /* for sorting */
	size_t room_cap;
	uint64_t *cost, *sum; /* one row's values; the sum of a place's */
	size_t cost_cap, sum_cap;
	struct cg_seen *seen; /* blocks: see coverage.c */
	size_t seen_cap;
};

/* Opens one run merged, sorted by ids (ranks may not exist yet). */
bool cg_rows_open_merged(struct cg_rows *, const struct cg_run *);

/*
 * costs.c: adds the costs of a run to what cg_next_cost() gives out; in order
 * also sorted, once cg_costs_begin() was called. False: out of memory.
 */
bool cg_costs_add(struct cg_rows *, const struct cg_run *, bool in_order);
void cg_costs_begin(struct cg_rows *);

#endif
