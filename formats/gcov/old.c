/*
 * old.c - reads files of gcc before 3.4: .bbg (graph), .bb (lines), .da
 * (data).
 *
 * There are two kinds of files. The first, until 3.3, has numbers without
 * tags; sources: libgcc2.c and profile.c of gcc 3.3. Numbers are little
 * endian, sign and magnitude: -1 is 01 00 00 80.
 *
 *	.bbg	functions: [3.3: text(-1) name, checksum], blocks, arcs, per
 *		block: number of arcs, { destination, flags }; -1
 *	.bb	{ -2 name -2, { 0 { -1 file -1 | line } } }: a 0 begins the
 *		next block, except that of the entry
 *	.da	until 3.2: number of counters, counters. 3.3: -123, number of
 *		functions, length and 40 bytes of sums, functions: text(-1)
 *		name, checksum, number of counters, counters
 *	text(d)	d, length, bytes, zeros to a multiple of 4, d
 *
 * The second kind has the first records, with the magics "gbbg" (.bbg) and
 * "gcov" (.da); sources: the proposal of 2002-08-13 on gcc's mailing list
 * (version 304e), and ggcov's sources for vendors' gcc 3.3 (303p, 303S, ...).
 * The proposal is little endian and numbers blocks by counting records;
 * vendors' files are big endian and have the tags of 3.4. Both identify
 * functions by name, have lengths in bytes, and end strings with a NUL that
 * the length does not count and zeros to a multiple of 4. (The proposal does
 * not specify strings; this is assumed.)
 *
 * No file of the second kind was found. The reader was tested with files made
 * after these descriptions.
 */
#include <string.h>

#include "gcov.h"

#define MARK_TEXT (-1)
#define MARK_FUNCTION (-2)
#define MARK_DATA (-123)
#define VERSION GCOV_VERSION(3, 3)

/* ---- Numbers and names -------------------------------------------------- */

static bool
take(struct gcov_bytes *bytes, int64_t *value)
{
	uint32_t word;

	if (!gcov_take_u32(bytes, &word))
		return false;
	*value = word & INT32_MAX;
	if (word >> 31)
		*value = -*value;
	return true;
}

static bool
take_count(struct gcov_bytes *bytes, uint32_t *count)
{
	int64_t value;

	if (!take(bytes, &value))
		return false;
	if (value < 0)
		return gcov_error(bytes, bytes->at - 4,
		    "expected a count, not a negative number");
	*count = (uint32_t)value;
	return true;
}

static bool
take_mark(struct gcov_bytes *bytes, int64_t mark, const char *expected)
{
	int64_t value = 0;

	if (!take(bytes, &value))
		return false;
	return value == mark || gcov_error(bytes, bytes->at - 4, expected);
}

/*
 * Reads a name of a .bbg file and the mark (-1) after it. The mark before it
 * has been read. False: malformed.
 */
static bool
take_text(struct gcov_bytes *bytes, struct cg_slice *text)
{
	uint32_t len = 0;
	uint64_t size;

	if (!take_count(bytes, &len))
		return false;
	size = ((uint64_t)len + 4) & ~(uint64_t)3;
	if (size > (uint64_t)(bytes->end - bytes->at))
		return gcov_error(bytes, bytes->at - 4,
		    "expected a name that ends within the file");
	*text = (struct cg_slice){ (const char *)bytes->at, len };
	bytes->at += size;
	return take_mark(bytes, MARK_TEXT, "expected the end of a name (-1)");
}

/*
 * Reads a name of a .bb file. After the bytes of the name come zeros up to a
 * multiple of 4, and a mark. The mark is a word that also preceded the name.
 * *name does not include the zeros. False: malformed.
 */
static bool
take_name(struct gcov_bytes *bytes, int64_t mark, struct cg_slice *name)
{
	const char *start = (const char *)bytes->at;
	size_t rest = (size_t)(bytes->end - bytes->at);
	const char *nul = memchr(start, '\0', rest);

	if (!nul)
		return gcov_error(bytes, start, "expected a name");
	*name = (struct cg_slice){ start, (size_t)(nul - start) };
	bytes->at += name->len;
	for (;; bytes->at++) {
		struct gcov_bytes look = *bytes;
		int64_t value;

		if ((bytes->at - (const unsigned char *)start) % 4 == 0 &&
		    take(&look, &value) && value == mark) {
			*bytes = look;
			return true;
		}
		if (bytes->at == bytes->end || *bytes->at != '\0')
			return gcov_error(
			    bytes, start, "expected the end of a name");
	}
}

/* ---- Graphs ------------------------------------------------------------- */

static bool
take_arcs(struct gcov_unit *unit, struct gcov_bytes *bytes, uint32_t src)
{
	struct gcov_fn *fn = &unit->fn[unit->fns - 1];
	uint32_t n, dst, flags;

	if (!take_count(bytes, &n))
		return false;
	if (n > (size_t)(bytes->end - bytes->at) / 8)
		return gcov_error(bytes, bytes->at - 4,
		    "expected no more arcs than the file has room for");
	if (!gcov_begin_arcs(unit, fn, src, n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!take_count(bytes, &dst) || !take_count(bytes, &flags))
			return false;
		if (!gcov_add_arc(unit, fn, src, dst, flags & 7))
			return gcov_error(bytes, bytes->at - 8,
			    "expected an arc to a block of the function");
	}
	gcov_end_arcs(unit, fn, src);
	return true;
}

static bool
take_graph(struct gcov_unit *unit, struct gcov_bytes *bytes, bool named)
{
	struct gcov_fn new = { .ident = (uint32_t)unit->fns };
	uint32_t blocks, arcs;

	if (named && (!take_mark(bytes, MARK_TEXT,
			  "expected the name of a function (-1)") ||
			 !take_text(bytes, &new.name) ||
			 !gcov_take_u32(bytes, &new.lineno)))
		return false;
	if (named)
		new.ident = gcov_ident(new.name);
	if (!take_count(bytes, &blocks) || !take_count(bytes, &arcs))
		return false;
	if (blocks > unit->max_blocks - unit->blocks)
		return gcov_error(bytes, bytes->at - 8,
		    "expected no more blocks than the file has room for");
	new.block = (uint32_t)unit->blocks;
	new.arc = (uint32_t)unit->arcs;
	if (!gcov_grow(
		unit, &unit->fn, &unit->fn_cap, unit->fns + 1, sizeof(new)))
		return false;
	unit->fn[unit->fns++] = new;
	if (!gcov_add_blocks(unit, &unit->fn[unit->fns - 1], blocks))
		return false;
	for (uint32_t i = 0; i < blocks; i++) {
		if (!take_arcs(unit, bytes, i))
			return false;
	}
	return take_mark(bytes, -1, "expected the end of a function (-1)");
}

/* ---- Lines -------------------------------------------------------------- */

struct lines {
	struct gcov_fn *fn;
	size_t next;          /* function */
	uint32_t block, file; /* of the next line */
	bool new_span;        /* the next line begins a span */
};

static bool
begin_fn(struct gcov_unit *unit, struct gcov_bytes *bytes, struct lines *lines)
{
	struct cg_slice name;

	if (!take_name(bytes, MARK_FUNCTION, &name))
		return false;
	if (lines->next >= unit->fns)
		return gcov_error(bytes, bytes->at,
		    "expected no more functions than in the .bbg file");
	lines->fn = &unit->fn[lines->next++];
	if (lines->fn->name.len == 0)
		lines->fn->name = name;
	lines->block = 0;
	return true;
}

static bool
add_line(struct gcov_unit *unit, struct gcov_bytes *bytes, struct lines *lines,
    uint32_t line)
{
	struct gcov_fn *fn = lines->fn;

	if (!fn || lines->block >= fn->blocks || lines->file == GCOV_NONE)
		return gcov_error(bytes, bytes->at - 4,
		    "expected a function, a file, and a block before lines");
	if (fn->line == 0) {
		fn->file = lines->file;
		fn->line = line;
	}
	if (!gcov_add_line(unit, &unit->block[fn->block + lines->block],
		lines->new_span, lines->file, line))
		return false;
	lines->new_span = false;
	return true;
}

static bool
read_lines(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	struct lines lines = { .file = GCOV_NONE };
	struct cg_slice name;
	int64_t value;

	while (bytes->at < bytes->end) {
		if (!take(bytes, &value))
			return false;
		if (value == MARK_FUNCTION && !begin_fn(unit, bytes, &lines))
			return false;
		if (value == MARK_TEXT) {
			if (!take_name(bytes, MARK_TEXT, &name))
				return false;
			lines.file = gcov_file(unit, name);
		}
		if (value > 0 &&
		    !add_line(unit, bytes, &lines, (uint32_t)value))
			return false;
		lines.block += value == 0;
		if (value <= 0)
			lines.new_span = true;
	}
	return true;
}

/* ---- Data --------------------------------------------------------------- */

static bool
take_counters(struct gcov_bytes *bytes, uint64_t n, struct gcov_data_fn *fn)
{
	if (n > (uint64_t)(bytes->end - bytes->at) / 8)
		return gcov_error(bytes, bytes->at,
		    "expected counters that end within the file");
	fn->counters[GCOV_ARCS] =
	    (struct gcov_counters){ .at = bytes->at, .n = n, .present = true };
	bytes->at += n * 8;
	return true;
}

/*
 * Appends an empty function to the data of the unit (object file) and returns
 * it. NULL: out of memory.
 */
static struct gcov_data_fn *
add_data_fn(struct gcov_unit *unit)
{
	struct gcov_data *data = &unit->data;
	struct gcov_data_fn *fn;

	if (!gcov_grow(
		unit, &data->fn, &data->fn_cap, data->fns + 1, sizeof(*fn)))
		return NULL;
	fn = &data->fn[data->fns++];
	*fn = (struct gcov_data_fn){ 0 };
	return fn;
}

static bool
take_data_fn(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	struct gcov_data_fn *fn = add_data_fn(unit);
	struct cg_slice name;
	uint32_t n;

	if (!fn ||
	    !take_mark(
		bytes, MARK_TEXT, "expected the name of a function (-1)") ||
	    !take_text(bytes, &name) || !gcov_take_u32(bytes, &fn->lineno) ||
	    !take_count(bytes, &n))
		return false;
	fn->ident = gcov_ident(name);
	return take_counters(bytes, n, fn);
}

/*
 * Reads data of gcc 3.2 and earlier: n counters without functions. Functions
 * of the graph (.bbg) get them in order, one for each arc with a counter.
 * False: truncated, the numbers differ, or out of memory.
 */
static bool
take_unnamed_data(struct gcov_unit *unit, struct gcov_bytes *bytes, int64_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < unit->fns; i++) {
		struct gcov_data_fn *fn = add_data_fn(unit);

		if (!fn)
			return false;
		fn->ident = unit->fn[i].ident;
		fn->lineno = unit->fn[i].lineno;
		sum += unit->fn[i].instrumented;
		if (!take_counters(bytes, unit->fn[i].instrumented, fn))
			return false;
	}
	return sum == (uint64_t)n ||
	       gcov_error(bytes, bytes->at,
		   "expected as many counters as the .bbg file has arcs");
}

static bool
read_data(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	uint32_t n, length;
	int64_t first;

	if (!take(bytes, &first))
		return false;
	if (first != MARK_DATA)
		return take_mark(bytes, 0,
			   "expected a number of counters below 2^31") &&
		       take_unnamed_data(unit, bytes, first);
	if (!take_count(bytes, &n) || !take_count(bytes, &length))
		return false;
	if (length > (size_t)(bytes->end - bytes->at))
		return gcov_error(bytes, bytes->at - 4,
		    "expected sums that end within the file");
	bytes->at += length;
	for (uint32_t i = 0; i < n; i++) {
		if (!take_data_fn(unit, bytes))
			return false;
	}
	return true;
}

/* ---- Records ------------------------------------------------------------ */

enum tag { FUNCTION, BLOCKS, ARCS, LINES, COUNTERS, TAGS };

static const struct form {
	char version[4];
	bool big, counted; /* counted: blocks are numbered by their records */
	enum gcov_order order;
	uint32_t tag[TAGS];
} forms[] = {
	{ "303", true, false, GCOV_BIG64,
	    { 0x01000000, 0x01410000, 0x01430000, 0x01450000, 0x01a10000 } },
	{ "304", false, true, GCOV_LITTLE, { 1, 2, 3, 4, 5 } },
};

/* State of the current function: */
struct records {
	const struct form *form;
	uint32_t arcs, lines; /* number of records of that kind */
	uint32_t file;        /* of the next line */
};

static const struct form *
find_form(struct gcov_bytes bytes, const char *magic)
{
	if (bytes.end - bytes.at < 8 || memcmp(bytes.at, magic, 4) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (memcmp(bytes.at + 4, forms[i].version, 3) == 0)
			return &forms[i];
	}
	return NULL;
}

static bool
has_records(struct gcov_bytes bytes)
{
	return find_form(bytes, "gbbg") || find_form(bytes, "gcov");
}

static void
take_header(
    struct gcov_bytes *bytes, const struct form *form, struct gcov_head *head)
{
	memcpy(head->version, bytes->at + 4, 4);
	head->version[4] = '\0';
	head->number = head->layout = VERSION;
	bytes->at += 8;
	bytes->big = form->big;
	bytes->byte_lengths = true;
}

static bool
take_string(struct gcov_bytes *bytes, struct cg_slice *text)
{
	uint32_t n;
	uint64_t size;

	if (!gcov_take_u32(bytes, &n))
		return false;
	size = ((uint64_t)n + 4) & ~(uint64_t)3;
	if (n == 0 && bytes->at == bytes->end)
		size = 0;
	if (size > (uint64_t)(bytes->end - bytes->at))
		return gcov_error(bytes, bytes->at - 4,
		    "expected a string that ends within its record");
	*text = (struct cg_slice){ (const char *)bytes->at, n };
	bytes->at += size;
	return true;
}

static bool
take_function_record(
    struct gcov_unit *unit, struct gcov_bytes *record, struct records *records)
{
	struct gcov_fn new = { .block = (uint32_t)unit->blocks,
		.arc = (uint32_t)unit->arcs };

	if (!take_string(record, &new.name) ||
	    !gcov_take_u32(record, &new.lineno) ||
	    !gcov_grow(
		unit, &unit->fn, &unit->fn_cap, unit->fns + 1, sizeof(new)))
		return false;
	new.ident = gcov_ident(new.name);
	unit->fn[unit->fns++] = new;
	records->arcs = records->lines = 0;
	return true;
}

static bool
take_blocks_record(
    struct gcov_unit *unit, struct gcov_bytes *record, struct records *records)
{
	struct gcov_fn *fn = &unit->fn[unit->fns - 1];
	uint32_t n = (uint32_t)((record->end - record->at) / 4);

	(void)records;
	if (fn->blocks > 0)
		return gcov_error(record, record->at,
		    "expected the blocks of a function only once");
	return gcov_add_blocks(unit, fn, n);
}

/*
 * Sets *block to the number of a record's block: its first word or, if
 * counted, *count, the number of records before. Increments *count. False: the
 * function has no such block (an error of the record).
 */
static bool
take_block(struct gcov_unit *unit, struct gcov_bytes *record, bool counted,
    uint32_t *count, uint32_t *block)
{
	*block = (*count)++;
	if (!counted && !gcov_take_u32(record, block))
		return false;
	return *block < unit->fn[unit->fns - 1].blocks ||
	       gcov_error(
		   record, record->at, "expected a block of the function");
}

static bool
take_arcs_record(
    struct gcov_unit *unit, struct gcov_bytes *record, struct records *records)
{
	struct gcov_fn *fn = &unit->fn[unit->fns - 1];
	uint32_t src;

	return take_block(unit, record, records->form->counted, &records->arcs,
		   &src) &&
	       gcov_take_arcs(unit, record, fn, src, 7);
}

static bool
take_lines_record(
    struct gcov_unit *unit, struct gcov_bytes *record, struct records *records)
{
	struct gcov_fn *fn = &unit->fn[unit->fns - 1];
	struct gcov_block *block;
	struct cg_slice name;
	uint32_t number, line;
	bool new_span = true;

	if (!take_block(
		unit, record, records->form->counted, &records->lines, &number))
		return false;
	block = &unit->block[fn->block + number];
	while (record->at < record->end) {
		if (!gcov_take_u32(record, &line))
			return false;
		if (line == 0) {
			if (!take_string(record, &name))
				return false;
			if (name.len == 0)
				break;
			records->file = gcov_file(unit, name);
			new_span = true;
			continue;
		}
		if (fn->line == 0) {
			fn->file = records->file;
			fn->line = line;
		}
		if (!gcov_add_line(unit, block, new_span, records->file, line))
			return false;
		new_span = false;
	}
	return true;
}

static bool (*const takes[])(
    struct gcov_unit *, struct gcov_bytes *, struct records *) = {
	[FUNCTION] = take_function_record,
	[BLOCKS] = take_blocks_record,
	[ARCS] = take_arcs_record,
	[LINES] = take_lines_record,
};

static bool
read_note_records(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	struct records records = { .form = find_form(*bytes, "gbbg") };
	struct gcov_bytes record;
	uint32_t tag;

	if (!records.form)
		return gcov_error(bytes, bytes->at,
		    "expected records of a graph (gbbg), or a .bb file next to "
		    "it");
	take_header(bytes, records.form, &unit->head);
	while (bytes->at < bytes->end) {
		if (!gcov_take_record(bytes, &tag, &record))
			return false;
		for (enum tag t = FUNCTION; t < COUNTERS; t++) {
			if (tag != records.form->tag[t])
				continue;
			if (t != FUNCTION && unit->fns == 0)
				return gcov_error(bytes, record.at,
				    "expected a function before its records");
			if (!takes[t](unit, &record, &records))
				return gcov_error(
				    bytes, record.error_at, record.error);
		}
	}
	return true;
}

static bool
take_data_function(struct gcov_unit *unit, struct gcov_bytes *record)
{
	struct gcov_data_fn *fn = add_data_fn(unit);
	struct cg_slice name;

	if (!fn || !take_string(record, &name) ||
	    !gcov_take_u32(record, &fn->lineno))
		return false;
	fn->ident = gcov_ident(name);
	return true;
}

static bool
take_data_counters(struct gcov_unit *unit, struct gcov_bytes *record)
{
	struct gcov_data *data = &unit->data;

	if (data->fns == 0)
		return gcov_error(record, record->at,
		    "expected a function before its records");
	return take_counters(record, (uint64_t)(record->end - record->at) / 8,
	    &data->fn[data->fns - 1]);
}

static bool
read_data_records(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	const struct form *form = find_form(*bytes, "gcov");
	struct gcov_bytes record;
	uint32_t tag;
	bool success = true;

	if (!form)
		return gcov_error(
		    bytes, bytes->at, "expected records of data (gcov)");
	take_header(bytes, form, &unit->data.head);
	unit->data.order = form->order;
	while (success && bytes->at < bytes->end) {
		if (!gcov_take_record(bytes, &tag, &record))
			return false;
		if (tag == form->tag[FUNCTION])
			success = take_data_function(unit, &record);
		else if (tag == form->tag[COUNTERS])
			success = take_data_counters(unit, &record);
	}
	return success || gcov_error(bytes, record.error_at, record.error);
}

/* ---- Either kind -------------------------------------------------------- */

bool
gcov_read_old_notes(
    struct gcov_unit *unit, struct gcov_bytes *graph, struct gcov_bytes *lines)
{
	struct gcov_bytes look = *graph;
	int64_t first;

	if (!gcov_begin_notes(unit, graph))
		return false;
	unit->head.number = unit->head.layout = VERSION;
	memcpy(unit->head.version, "303*", 5);
	/* Functions without lines are in file 0, which has no name. */
	if (gcov_file(unit, (struct cg_slice){ "", 0 }) == GCOV_NONE)
		return false;
	if (!lines)
		return read_note_records(unit, graph);
	if (!take(&look, &first))
		return gcov_error(graph, graph->at, "expected a graph");
	while (graph->at < graph->end) {
		if (!take_graph(unit, graph, first == MARK_TEXT))
			return false;
	}
	return read_lines(unit, lines);
}

bool
gcov_read_old_data(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	struct gcov_data *data = &unit->data;

	data->fns = 0;
	data->runs = 0;
	data->ended = true;
	data->order = GCOV_SIGN;
	data->head = unit->head;
	return has_records(*bytes) ? read_data_records(unit, bytes)
				   : read_data(unit, bytes);
}

/* ---- Recognising -------------------------------------------------------- */

static bool
has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), len = strlen(suffix);

	return n > len && strcmp(path + n - len, suffix) == 0;
}

bool
gcov_is_old(const char *path)
{
	return has_suffix(path, ".da") || has_suffix(path, ".bbg");
}

/*
 * True for data (.da) until gcc 3.2, which has no magic number. Its first 8
 * bytes are the number of counters, below 2^31. The counters must end with the
 * bytes. If the bytes are only the begin of the file (not whole), the counters
 * must need more.
 */
static bool
is_unnamed_data(struct gcov_bytes bytes, bool whole)
{
	uint64_t size = (uint64_t)(bytes.end - bytes.at);
	int64_t n, high;

	return take(&bytes, &n) && take(&bytes, &high) && n >= 0 && high == 0 &&
	       (whole ? size == (uint64_t)n * 8 + 8
		      : size < (uint64_t)n * 8 + 8);
}

/*
 * True for a graph (.bbg) without names of functions. It begins with the
 * numbers of blocks, of arcs, and of the entry's arcs. Only the plausibility
 * of these numbers identifies it.
 */
static bool
is_unnamed_graph(struct gcov_bytes bytes)
{
	uint32_t blocks, arcs, n;

	return take_count(&bytes, &blocks) && take_count(&bytes, &arcs) &&
	       take_count(&bytes, &n) && blocks >= 2 && n <= arcs &&
	       arcs < UINT32_MAX / 8;
}

int
gcov_probe_old(const struct cg_head *head)
{
	const struct gcov_bytes bytes = gcov_bytes_of(head->text);
	struct gcov_bytes look = bytes;
	int64_t first = 0;

	if (has_records(bytes))
		return CG_PROBE_SURE;
	if (!take(&look, &first))
		return CG_PROBE_NO;
	if (has_suffix(head->name, ".da"))
		return first == MARK_DATA                    ? CG_PROBE_SURE
		       : is_unnamed_data(bytes, head->whole) ? CG_PROBE_LIKELY
							     : CG_PROBE_NO;
	if (!has_suffix(head->name, ".bbg"))
		return CG_PROBE_NO;
	return first == MARK_TEXT        ? CG_PROBE_SURE
	       : is_unnamed_graph(bytes) ? CG_PROBE_LIKELY
					 : CG_PROBE_NO;
}
