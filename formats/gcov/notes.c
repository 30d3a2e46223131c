/*
 * notes.c - reads .gcno files: functions, blocks, arcs, lines.
 *
 * Sources: gcov-io.h, coverage.c and profile.c of gcc 3.4 to 16,
 * GCOVProfiling.cpp of LLVM 9 to 23. LLVM writes the layouts of gcc 4.2, 4.8
 * or 11 and, unlike gcc, ends its files with zeros.
 */
#include <stddef.h>
#include <string.h>

#include "gcov.h"

#define TAG_BLOCKS 0x01410000u
#define TAG_ARCS 0x01430000u
#define TAG_LINES 0x01450000u
#define TAG_CONDITIONS 0x01470000u
#define TAG_PATHS 0x01490000u

/* The outcomes of terms are bits of two words: one for true, one for false. */
#define TERMS_MAX 64
/*
 * Limits of the number of paths, as each path becomes a row. gcc's default
 * limit is 250,000 for a function; beyond it the size of the notes is the
 * limit.
 */
#define PATHS_MAX (1u << 22)
#define PATHS_MIN 250000u
#define PATHS_PER_BYTE 256u

#define HEAD(name) offsetof(struct gcov_head, name)
static const struct gcov_field head_fields[] = {
	{ 0, GCOV_WORD, HEAD(stamp), "expected a stamp" },
	{ GCOV_VERSION(12, 0), GCOV_WORD, HEAD(checksum),
	    "expected a checksum" },
	{ GCOV_VERSION(9, 0), GCOV_STRING, HEAD(cwd),
	    "expected a working directory" },
	{ GCOV_VERSION(8, 0), GCOV_WORD, HEAD(unexecuted),
	    "expected a flag for unexecuted blocks" },
	{ 0 },
};

#define FN(name) offsetof(struct gcov_fn, name)
static const struct gcov_field fn_fields[] = {
	{ 0, GCOV_WORD, FN(ident), "expected the ident of a function" },
	{ 0, GCOV_WORD, FN(lineno), "expected the checksum of a function" },
	{ GCOV_VERSION(4, 7), GCOV_WORD, FN(cfg),
	    "expected the checksum of a function's graph" },
	{ 0, GCOV_STRING, FN(name), "expected the name of a function" },
	{ GCOV_VERSION(8, 0), GCOV_WORD, FN(artificial),
	    "expected a flag for artificial functions" },
	{ 0, GCOV_STRING, FN(source), "expected the file of a function" },
	{ 0, GCOV_WORD, FN(line), "expected the line of a function" },
	{ GCOV_VERSION(8, 0), GCOV_WORD, FN(column),
	    "expected the column of a function" },
	{ GCOV_VERSION(8, 0), GCOV_WORD, FN(end_line),
	    "expected the last line of a function" },
	{ GCOV_VERSION(9, 0), GCOV_WORD, FN(end_column),
	    "expected the last column of a function" },
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

/*
 * Returns the function that a record of the notes (.gcno) belongs to: the one
 * read last. NULL: there is none yet (sets an error of the record).
 */
static struct gcov_fn *
last_fn(struct gcov_unit *unit, struct gcov_bytes *record)
{
	if (unit->fns > 0)
		return &unit->fn[unit->fns - 1];
	gcov_error(
	    record, record->at, "expected a function before its records");
	return NULL;
}

static bool
take_blocks(struct gcov_unit *unit, struct gcov_bytes *record)
{
	struct gcov_fn *fn = last_fn(unit, record);
	uint32_t n = (uint32_t)((record->end - record->at) / 4);

	if (!fn)
		return false;
	if (fn->blocks > 0)
		return gcov_error(record, record->at,
		    "expected the blocks of a function only once");
	if (unit->head.layout >= GCOV_VERSION(8, 0) &&
	    !gcov_take_u32(record, &n))
		return false;
	/* Nearly every block is at one end of an arc, which takes 8 bytes. */
	if (n > unit->max_blocks - unit->blocks)
		return gcov_error(record, record->at - 4,
		    "expected no more blocks than the file has room for");
	return gcov_add_blocks(unit, fn, n);
}

/*
 * Reads a block's number from a record of the notes (.gcno) to *number.
 * Returns this block of the function that was read last. NULL: there is no
 * such block or function (sets an error of the record).
 */
static struct gcov_block *
take_block(struct gcov_unit *unit, struct gcov_bytes *record, uint32_t *number)
{
	struct gcov_fn *fn = last_fn(unit, record);

	if (!fn || !gcov_take_u32(record, number))
		return NULL;
	if (*number < fn->blocks)
		return &unit->block[fn->block + *number];
	gcov_error(record, record->at - 4, "expected a block of the function");
	return NULL;
}

static bool
take_arcs(struct gcov_unit *unit, struct gcov_bytes *record)
{
	uint32_t src;

	return take_block(unit, record, &src) &&
	       gcov_take_arcs(unit, record, &unit->fn[unit->fns - 1], src, 31);
}

/*
 * Reads the name of the source file of the following lines. Sets *file to its
 * index in the unit; to GCOV_NONE for the empty name, which ends the record.
 * False: malformed, or out of memory.
 */
static bool
take_file(struct gcov_unit *unit, struct gcov_bytes *record, uint32_t *file)
{
	const struct cg_slice last = unit->span_name;
	const unsigned char *start = record->at;
	struct cg_slice name;

	*file = unit->span_file;
	if (last.len > 0 && (size_t)(record->end - start) >= last.len &&
	    memcmp(start, last.ptr, last.len) == 0) {
		record->at += last.len;
		return true;
	}
	*file = GCOV_NONE;
	if (record->end - start == 4 && memcmp(start, "\0\0\0", 4) == 0)
		return true; /* the end of nearly all records */
	if (!gcov_take_string(record, &name))
		return false;
	if (name.len == 0)
		return true;
	*file = gcov_file(unit, name);
	unit->span_file = *file;
	unit->span_name = (struct cg_slice){ (const char *)start,
		(size_t)(record->at - start) };
	return *file != GCOV_NONE;
}

/*
 * Reads a record of the notes (.gcno), and adds its lines to their block. A
 * line 0 precedes the name of a file; lines before are in the function's file.
 * False: malformed, or out of memory.
 */
static bool
take_lines(struct gcov_unit *unit, struct gcov_bytes *record)
{
	uint32_t number, line, file;
	struct gcov_block *block = take_block(unit, record, &number);
	size_t max = (size_t)(record->end - record->at) / 4;
	struct gcov_span *span = NULL;

	if (!block || !gcov_grow(unit, &unit->line, &unit->line_cap,
			  unit->lines + max, sizeof(*unit->line)))
		return false;
	while (record->at < record->end) {
		if (!gcov_take_u32(record, &line))
			return false;
		if (line == 0 || !span) {
			file = unit->fn[unit->fns - 1].file;
			if (line == 0 && !take_file(unit, record, &file))
				return false;
			if (file == GCOV_NONE)
				break;
			span = gcov_add_span(unit, block, file);
			if (!span)
				return false;
		}
		if (line == 0)
			continue;
		unit->line[unit->lines++] = line;
		span->lines++;
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
		return gcov_error(record, record->at,
		    "expected the conditions of a function only once");
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
			return gcov_error(record, record->at - 8,
			    "expected a block of the function and up to 64 "
			    "terms");
	}
	return true;
}

static bool
take_paths(struct gcov_unit *unit, struct gcov_bytes *record)
{
	struct gcov_fn *fn = last_fn(unit, record);
	size_t max = PATHS_MIN + unit->max_blocks * 4 * PATHS_PER_BYTE;

	if (!fn || !gcov_take_u32(record, &fn->paths))
		return false;
	fn->has_paths = true;
	if (max > PATHS_MAX)
		max = PATHS_MAX;
	if (fn->paths > max - unit->paths)
		return gcov_error(record, record->at - 4,
		    "expected fewer paths in notes of this size");
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

/*
 * Checks that gcc's notes (.gcno) have a record of arcs for each block but the
 * exit. Clang's are not checked. False: one is missing (sets bytes->error), so
 * the file may be truncated.
 */
static bool
check_arcs(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	for (size_t f = unit->fns; f-- > 0 && !unit->llvm;) {
		const struct gcov_fn *fn = &unit->fn[f];
		const struct gcov_block *block = unit->block + fn->block;
		uint32_t exit = gcov_exit(unit, fn);

		for (uint32_t i = 0; i < fn->blocks; i++) {
			if (i != exit && !block[i].has_arcs)
				return gcov_error(bytes, bytes->at,
				    "expected arcs of all blocks: the file "
				    "may be truncated");
		}
	}
	return true;
}

static bool
take_record(struct gcov_unit *unit, uint32_t tag, struct gcov_bytes *record)
{
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
		if (records[i].tag == tag &&
		    unit->head.layout >= records[i].since)
			return records[i].take(unit, record);
	}
	return true;
}

bool
gcov_read_notes(
    struct gcov_unit *unit, struct gcov_bytes *bytes, unsigned layout)
{
	struct gcov_bytes record;
	uint32_t tag;

	if (!gcov_begin_notes(unit, bytes))
		return false;
	if (unit->max_blocks > UINT32_MAX / 4)
		return gcov_error(
		    bytes, bytes->at, "expected less than 4 GiB of notes");
	if (!gcov_take_magic(bytes, &unit->head, layout))
		return false;
	if (unit->head.magic != GCOV_NOTES)
		return gcov_error(
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
		if (!take_record(unit, tag, &record))
			return gcov_error(bytes, record.error_at,
			    record.error ? record.error : "out of memory");
	}
	return check_arcs(unit, bytes);
}
