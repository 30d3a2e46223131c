/*
 * notes.c - takes .gcno files apart: functions, blocks, arcs, lines.
 *
 * Sources: gcov-io.h, coverage.c and profile.c of gcc 3.4 to 16,
 * GCOVProfiling.cpp of LLVM 9 to 23, which follows gcc 4.2, 4.8 or 11 and
 * ends its files with zeros, which gcc does not.
 */
#include <stddef.h>
#include <string.h>

#include "gcov.h"

#define TAG_BLOCKS 0x01410000u
#define TAG_ARCS 0x01430000u
#define TAG_LINES 0x01450000u
#define TAG_CONDITIONS 0x01470000u
#define TAG_PATHS 0x01490000u

/* Bits of two words say which of the terms had an effect. */
#define TERMS_MAX 64
/*
 * Each path becomes a row. gcc's limit is 250000 a function unless told
 * otherwise; how many more there are is a matter of how much is said of blocks.
 */
#define PATHS_MAX (1u << 22)
#define PATHS_MIN 250000u
#define PATHS_PER_BYTE 256u

#define HEAD(name) offsetof(struct gcov_head, name)
static const struct gcov_field head_fields[] = {
	{ 0, GCOV_WORD, HEAD(stamp), "expected a stamp" },
	{ GCOV_VERSION(12, 0), GCOV_WORD, HEAD(checksum),
	    "expected a checksum" },
	{ GCOV_VERSION(9, 0), GCOV_STRING, HEAD(cwd), "expected a folder" },
	{ GCOV_VERSION(8, 0), GCOV_WORD, HEAD(unexecuted),
	    "expected a flag for unexecuted blocks" },
	{ 0 },
};

#define FN(name) offsetof(struct gcov_fn, name)
static const struct gcov_field fn_fields[] = {
	{ 0, GCOV_WORD, FN(ident), "expected a function's ident" },
	{ 0, GCOV_WORD, FN(lineno), "expected a function's checksum" },
	{ GCOV_VERSION(4, 7), GCOV_WORD, FN(cfg),
	    "expected the checksum of a function's graph" },
	{ 0, GCOV_STRING, FN(name), "expected a function's name" },
	{ GCOV_VERSION(8, 0), GCOV_WORD, FN(artificial),
	    "expected a flag for artificial functions" },
	{ 0, GCOV_STRING, FN(source), "expected a function's file" },
	{ 0, GCOV_WORD, FN(line), "expected a function's line" },
	{ GCOV_VERSION(8, 0), GCOV_WORD, FN(column),
	    "expected a function's column" },
	{ GCOV_VERSION(8, 0), GCOV_WORD, FN(end_line),
	    "expected a function's last line" },
	{ GCOV_VERSION(9, 0), GCOV_WORD, FN(end_column),
	    "expected a function's last column" },
	{ 0 },
};

static bool
take_function(struct gcov_unit *unit, struct gcov_bytes *record)
{
	struct gcov_fn *fn;

	if (!gcov_grow(
		unit, &unit->fn, &unit->fn_cap, unit->fns + 1, sizeof(*fn)))
		return false;
	fn = &unit->fn[unit->fns];
	*fn = (struct gcov_fn){ .block = (uint32_t)unit->blocks,
		.arc = (uint32_t)unit->arcs,
		.condition = (uint32_t)unit->conditions };
	if (!gcov_take_fields(record, unit->head.layout, fn_fields, fn))
		return false;
	fn->file = gcov_file(unit, fn->source);
	unit->fns++;
	return fn->file != GCOV_NONE;
}

/* The function that records belong to; NULL: none has begun. */
static struct gcov_fn *
last_fn(struct gcov_unit *unit, struct gcov_bytes *record)
{
	if (unit->fns > 0)
		return &unit->fn[unit->fns - 1];
	gcov_wrong(record, record->at, "expected a function first");
	return NULL;
}

bool
gcov_add_blocks(struct gcov_unit *unit, struct gcov_fn *fn, uint32_t n)
{
	if (!gcov_grow(unit, &unit->block, &unit->block_cap, unit->blocks + n,
		sizeof(*unit->block)))
		return false;
	for (uint32_t i = 0; i < n; i++)
		unit->block[unit->blocks + i] =
		    (struct gcov_block){ .place = GCOV_NONE,
			    .last_place = GCOV_NONE };
	unit->blocks += n;
	fn->blocks = n;
	return true;
}

static bool
take_blocks(struct gcov_unit *unit, struct gcov_bytes *record)
{
	struct gcov_fn *fn = last_fn(unit, record);
	uint32_t n = (uint32_t)((record->end - record->at) / 4);

	if (!fn)
		return false;
	if (fn->blocks > 0)
		return gcov_wrong(
		    record, record->at, "expected blocks only once");
	if (unit->head.layout >= GCOV_VERSION(8, 0) &&
	    !gcov_take_u32(record, &n))
		return false;
	/* Each but some has arcs, or is where one leads to. */
	if (n > unit->room - unit->blocks)
		return gcov_wrong(record, record->at - 4,
		    "expected no more blocks than the file can hold");
	return gcov_add_blocks(unit, fn, n);
}

/* The block that the record begins with; NULL: there is none. */
static struct gcov_block *
take_block(struct gcov_unit *unit, struct gcov_bytes *record, uint32_t *number)
{
	struct gcov_fn *fn = last_fn(unit, record);

	if (!fn || !gcov_take_u32(record, number))
		return NULL;
	if (*number < fn->blocks)
		return &unit->block[fn->block + *number];
	gcov_wrong(record, record->at - 4, "expected a block of the function");
	return NULL;
}

/*
 * What leaves a block that ends with a call which may not come back (a fake
 * arc) and is no fall through, leads to a handler.
 */
static void
mark_throws(struct gcov_arc *arc, uint32_t n)
{
	const uint32_t passes = GCOV_FAKE | GCOV_FALLTHROUGH;

	for (uint32_t i = 0; i < n; i++) {
		if ((arc[i].flags & passes) == 0)
			arc[i].flags |= GCOV_THROW;
	}
}

bool
gcov_begin_arcs(
    struct gcov_unit *unit, struct gcov_fn *fn, uint32_t src, uint32_t n)
{
	struct gcov_block *block = &unit->block[fn->block + src];

	if (!gcov_grow(unit, &unit->arc, &unit->arc_cap, unit->arcs + n,
		sizeof(*unit->arc)))
		return false;
	block->has_arcs = true;
	block->arc = (uint32_t)unit->arcs;
	return true;
}

bool
gcov_add_arc(struct gcov_unit *unit, struct gcov_fn *fn, uint32_t src,
    uint32_t dst, uint32_t flags)
{
	if (dst >= fn->blocks)
		return false;
	unit->arc[unit->arcs++] =
	    (struct gcov_arc){ .src = src, .dst = dst, .flags = flags };
	fn->instrumented += !(flags & GCOV_ON_TREE);
	fn->arcs++;
	return true;
}

void
gcov_end_arcs(struct gcov_unit *unit, struct gcov_fn *fn, uint32_t src)
{
	struct gcov_block *block = &unit->block[fn->block + src];

	block->arcs = (uint32_t)unit->arcs - block->arc;
	for (uint32_t i = 0; i < block->arcs; i++)
		block->fakes +=
		    (unit->arc[block->arc + i].flags & GCOV_FAKE) != 0;
	if (block->fakes > 0 && src != 0)
		mark_throws(unit->arc + block->arc, block->arcs);
}

bool
gcov_take_arcs(struct gcov_unit *unit, struct gcov_bytes *record,
    struct gcov_fn *fn, uint32_t src, uint32_t flags)
{
	const unsigned char *at = record->at;
	uint32_t n = (uint32_t)((record->end - at) / 8);

	if (unit->block[fn->block + src].has_arcs)
		return gcov_wrong(record, record->at - 4,
		    "expected the arcs of a block only once");
	if (!gcov_begin_arcs(unit, fn, src, n))
		return false;
	for (; n > 0; n--, at += 8) {
		if (!gcov_add_arc(unit, fn, src, gcov_get_u32(at, record->big),
			gcov_get_u32(at + 4, record->big) & flags))
			return gcov_wrong(record, at,
			    "expected an arc to a block of the function");
	}
	gcov_end_arcs(unit, fn, src);
	return true;
}

static bool
take_arcs(struct gcov_unit *unit, struct gcov_bytes *record)
{
	uint32_t src;

	return take_block(unit, record, &src) &&
	       gcov_take_arcs(unit, record, &unit->fn[unit->fns - 1], src, 31);
}

static struct gcov_place *
add_place(struct gcov_unit *unit, struct gcov_block *block, uint32_t file)
{
	uint32_t number = (uint32_t)unit->places;

	if (file == GCOV_NONE ||
	    !gcov_grow(unit, &unit->place, &unit->place_cap, unit->places + 1,
		sizeof(*unit->place)))
		return NULL;
	if (block->place == GCOV_NONE)
		block->place = number;
	else
		unit->place[block->last_place].next = number;
	block->last_place = number;
	unit->place[number] = (struct gcov_place){
		.file = file, .line = (uint32_t)unit->lines, .next = GCOV_NONE
	};
	unit->places++;
	return &unit->place[number];
}

bool
gcov_add_line(struct gcov_unit *unit, struct gcov_block *block, bool named,
    uint32_t file, uint32_t line)
{
	if (named && !add_place(unit, block, file))
		return false;
	if (!gcov_grow(unit, &unit->line, &unit->line_cap, unit->lines + 1,
		sizeof(*unit->line)))
		return false;
	unit->line[unit->lines++] = line;
	unit->place[block->last_place].lines++;
	return true;
}

/*
 * The file that a name in a record stands for; nearly always it is that of the
 * place before, byte for byte. False: it is no name; *file is GCOV_NONE if it
 * is the empty one.
 */
static bool
take_file(struct gcov_unit *unit, struct gcov_bytes *record, uint32_t *file)
{
	const struct cg_slice last = unit->place_name;
	const unsigned char *start = record->at;
	struct cg_slice name;

	*file = unit->place_file;
	if (last.len > 0 && (size_t)(record->end - start) >= last.len &&
	    memcmp(start, last.ptr, last.len) == 0) {
		record->at += last.len;
		return true;
	}
	*file = GCOV_NONE;
	if (record->end - start == 4 && memcmp(start, "\0\0\0", 4) == 0)
		return true; /* as nearly all records end */
	if (!gcov_take_string(record, &name))
		return false;
	if (name.len == 0)
		return true;
	*file = gcov_file(unit, name);
	unit->place_file = *file;
	unit->place_name = (struct cg_slice){ (const char *)start,
		(size_t)(record->at - start) };
	return *file != GCOV_NONE;
}

/*
 * A block, then lines; a line 0 begins a file, an empty one is the end. Lines
 * before any file are in the function's own.
 */
static bool
take_lines(struct gcov_unit *unit, struct gcov_bytes *record)
{
	uint32_t number, line, file;
	struct gcov_block *block = take_block(unit, record, &number);
	size_t most = (size_t)(record->end - record->at) / 4;
	struct gcov_place *place = NULL;

	if (!block || !gcov_grow(unit, &unit->line, &unit->line_cap,
			  unit->lines + most, sizeof(*unit->line)))
		return false;
	while (record->at < record->end) {
		if (!gcov_take_u32(record, &line))
			return false;
		if (line == 0 || !place) {
			file = unit->fn[unit->fns - 1].file;
			if (line == 0 && !take_file(unit, record, &file))
				return false;
			if (file == GCOV_NONE)
				break;
			place = add_place(unit, block, file);
			if (!place)
				return false;
		}
		if (line == 0)
			continue;
		unit->line[unit->lines++] = line;
		place->lines++;
	}
	return true;
}

static bool
take_conditions(struct gcov_unit *unit, struct gcov_bytes *record)
{
	size_t n = (size_t)(record->end - record->at) / 8;
	struct gcov_fn *fn = last_fn(unit, record);
	struct gcov_condition *condition;

	if (!fn)
		return false;
	if (fn->has_conditions)
		return gcov_wrong(
		    record, record->at, "expected conditions only once");
	if (!gcov_grow(unit, &unit->condition, &unit->condition_cap,
		unit->conditions + n, sizeof(*condition)))
		return false;
	fn->has_conditions = true;
	fn->condition = (uint32_t)unit->conditions;
	for (; fn->conditions < n; fn->conditions++) {
		condition = &unit->condition[unit->conditions++];
		(void)gcov_take_u32(record, &condition->block);
		(void)gcov_take_u32(record, &condition->terms);
		if (condition->block >= fn->blocks ||
		    condition->terms > TERMS_MAX)
			return gcov_wrong(record, record->at - 8,
			    "expected a block and up to 64 conditions");
	}
	return true;
}

static bool
take_paths(struct gcov_unit *unit, struct gcov_bytes *record)
{
	struct gcov_fn *fn = last_fn(unit, record);
	size_t most = PATHS_MIN + unit->room * 4 * PATHS_PER_BYTE;

	if (!fn || !gcov_take_u32(record, &fn->paths))
		return false;
	fn->has_paths = true;
	if (most > PATHS_MAX)
		most = PATHS_MAX;
	if (fn->paths > most - unit->paths)
		return gcov_wrong(record, record->at - 4,
		    "expected no more paths than notes of this size have");
	unit->paths += fn->paths;
	return true;
}

static const struct {
	uint32_t tag;
	unsigned since;
	bool (*take)(struct gcov_unit *, struct gcov_bytes *record);
} records[] = {
	{ TAG_LINES, 0, take_lines },
	{ TAG_ARCS, 0, take_arcs },
	{ TAG_BLOCKS, 0, take_blocks },
	{ GCOV_TAG_FUNCTION, 0, take_function },
	{ TAG_CONDITIONS, GCOV_VERSION(14, 0), take_conditions },
	{ TAG_PATHS, GCOV_VERSION(15, 0), take_paths },
};

/* gcc writes arcs of all blocks but the exit. A file without is cut. */
static bool
check_arcs(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	for (size_t f = unit->fns; f-- > 0 && !unit->llvm;) {
		const struct gcov_fn *fn = &unit->fn[f];
		const struct gcov_block *block = unit->block + fn->block;
		uint32_t exit = gcov_exit(unit, fn);

		for (uint32_t i = 0; i < fn->blocks; i++) {
			if (i != exit && !block[i].has_arcs)
				return gcov_wrong(bytes, bytes->at,
				    "expected arcs of all blocks: is the "
				    "file cut?");
		}
	}
	return true;
}

/* No array is NULL, even if it stays empty. */
bool
gcov_begin_notes(struct gcov_unit *unit, const struct gcov_bytes *bytes)
{
	gcov_unit_clear(unit);
	unit->notes = (const char *)bytes->at;
	unit->notes_end = (const char *)bytes->end;
	unit->room = (size_t)(bytes->end - bytes->at) / 4;
	return gcov_grow(unit, &unit->block, &unit->block_cap, 1,
		   sizeof(*unit->block)) &&
	       gcov_grow(
		   unit, &unit->arc, &unit->arc_cap, 1, sizeof(*unit->arc)) &&
	       gcov_grow(unit, &unit->place, &unit->place_cap, 1,
		   sizeof(*unit->place)) &&
	       gcov_grow(unit, &unit->line, &unit->line_cap, 1,
		   sizeof(*unit->line)) &&
	       gcov_grow(unit, &unit->condition, &unit->condition_cap, 1,
		   sizeof(*unit->condition));
}

bool
gcov_read_notes(
    struct gcov_unit *unit, struct gcov_bytes *bytes, unsigned layout)
{
	struct gcov_bytes record;
	uint32_t tag;
	size_t i;

	if (!gcov_begin_notes(unit, bytes))
		return false;
	if (unit->room > UINT32_MAX / 4)
		return gcov_wrong(
		    bytes, bytes->at, "expected less than 4 GiB of notes");
	if (!gcov_take_magic(bytes, &unit->head, layout))
		return false;
	if (unit->head.magic != GCOV_NOTES)
		return gcov_wrong(
		    bytes, bytes->at - 8, "expected a .gcno file");
	if (!gcov_take_fields(
		bytes, unit->head.layout, head_fields, &unit->head))
		return false;
	while (bytes->at < bytes->end) {
		if (!gcov_take_record(bytes, &tag, &record))
			return false;
		if (tag == 0) {
			unit->llvm = true;
			break;
		}
		for (i = 0; i < sizeof(records) / sizeof(*records); i++) {
			if (records[i].tag != tag ||
			    unit->head.layout < records[i].since)
				continue;
			if (!records[i].take(unit, &record))
				return gcov_wrong(bytes, record.wrong_at,
				    record.wrong ? record.wrong
						 : "out of memory");
			break;
		}
	}
	return check_arcs(unit, bytes);
}
