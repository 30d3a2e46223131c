/*
 * old.c - what gcc had before 3.4: .bbg (graph), .bb (lines), .da (data).
 *
 * Sources: libgcc2.c and profile.c of gcc 3.3, as facts about them were noted;
 * no such file was found, so this was tried on files made after those facts.
 * Numbers are little endian, a sign and a magnitude: -1 is 01 00 00 80.
 *
 *	.bbg	functions: [3.3: text(-1) name, checksum], blocks, arcs, per
 *		block: number of arcs, { destination, flags }; -1
 *	.bb	{ -2 name -2, { 0 { -1 file -1 | line } } }: a 0 begins the
 *		next block, that of the entry aside
 *	.da	until 3.2: number of counters, counters. 3.3: -123, number of
 *		functions, length and 40 bytes of sums, functions: text(-1)
 *		name, checksum, number of counters, counters
 *	text(d)	d, length, bytes, zeros to a multiple of 4, d
 */
#include <string.h>

#include "gcov.h"

#define MARK_TEXT (-1)
#define MARK_FUNCTION (-2)
#define MARK_DATA (-123)
#define VERSION GCOV_VERSION(3, 3)

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
		return gcov_wrong(bytes, bytes->at - 4, "expected a count");
	*count = (uint32_t)value;
	return true;
}

static bool
take_mark(struct gcov_bytes *bytes, int64_t mark, const char *expected)
{
	int64_t value;

	if (!take(bytes, &value))
		return false;
	return value == mark || gcov_wrong(bytes, bytes->at - 4, expected);
}

/* The mark before it is taken already. */
static bool
take_text(struct gcov_bytes *bytes, struct cg_slice *text)
{
	uint32_t len;
	uint64_t size;

	if (!take_count(bytes, &len))
		return false;
	size = ((uint64_t)len + 4) & ~(uint64_t)3;
	if (size > (uint64_t)(bytes->end - bytes->at))
		return gcov_wrong(bytes, bytes->at - 4,
		    "expected a name that ends within the file");
	*text = (struct cg_slice){ (const char *)bytes->at, len };
	bytes->at += size;
	return take_mark(bytes, MARK_TEXT, "expected the end of a name (-1)");
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
		return gcov_wrong(bytes, bytes->at - 4,
		    "expected no more arcs than the file can hold");
	if (!gcov_begin_arcs(unit, fn, src, n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!take_count(bytes, &dst) || !take_count(bytes, &flags))
			return false;
		if (!gcov_add_arc(unit, fn, src, dst, flags & 7))
			return gcov_wrong(bytes, bytes->at - 8,
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
	if (blocks > unit->room - unit->blocks)
		return gcov_wrong(bytes, bytes->at - 8,
		    "expected no more blocks than the file can hold");
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

/* Bytes and zeros to a multiple of 4, then the mark again. */
static bool
take_raw(struct gcov_bytes *bytes, int64_t mark, struct cg_slice *text)
{
	const char *start = (const char *)bytes->at;
	size_t left = (size_t)(bytes->end - bytes->at);
	const char *nul = memchr(start, '\0', left);

	if (!nul)
		return gcov_wrong(bytes, start, "expected a name");
	*text = (struct cg_slice){ start, (size_t)(nul - start) };
	bytes->at += text->len;
	for (;; bytes->at++) {
		struct gcov_bytes look = *bytes;
		int64_t value;

		if ((bytes->at - (const unsigned char *)start) % 4 == 0 &&
		    take(&look, &value) && value == mark) {
			*bytes = look;
			return true;
		}
		if (bytes->at == bytes->end || *bytes->at != '\0')
			return gcov_wrong(
			    bytes, start, "expected the end of a name");
	}
}

struct lines {
	struct gcov_fn *fn;
	size_t next; /* function */
	uint32_t block, file;
	bool named; /* a place begins */
};

static bool
begin_fn(struct gcov_unit *unit, struct gcov_bytes *bytes, struct lines *lines)
{
	struct cg_slice name;

	if (!take_raw(bytes, MARK_FUNCTION, &name))
		return false;
	if (lines->next >= unit->fns)
		return gcov_wrong(bytes, bytes->at,
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
		return gcov_wrong(bytes, bytes->at - 4,
		    "expected a function, a file, and a block before lines");
	if (fn->line == 0) {
		fn->file = lines->file;
		fn->line = line;
	}
	if (!gcov_add_line(unit, &unit->block[fn->block + lines->block],
		lines->named, lines->file, line))
		return false;
	lines->named = false;
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
			if (!take_raw(bytes, MARK_TEXT, &name))
				return false;
			lines.file = gcov_file(unit, name);
		}
		if (value > 0 &&
		    !add_line(unit, bytes, &lines, (uint32_t)value))
			return false;
		lines.block += value == 0;
		if (value <= 0)
			lines.named = true;
	}
	return true;
}

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
	/* File 0: that of functions without lines. */
	if (gcov_file(unit, (struct cg_slice){ "", 0 }) == GCOV_NONE)
		return false;
	if (!lines)
		return gcov_read_gbbg(unit, graph);
	if (!take(&look, &first))
		return gcov_wrong(graph, graph->at, "expected a graph");
	while (graph->at < graph->end) {
		if (!take_graph(unit, graph, first == MARK_TEXT))
			return false;
	}
	return read_lines(unit, lines);
}

/* ---- Data --------------------------------------------------------------- */

static bool
take_counters(struct gcov_bytes *bytes, uint64_t n, struct gcov_data_fn *fn)
{
	if (n > (uint64_t)(bytes->end - bytes->at) / 8)
		return gcov_wrong(bytes, bytes->at,
		    "expected counters that end within the file");
	fn->counters[GCOV_ARCS] =
	    (struct gcov_counters){ .at = bytes->at, .n = n, .there = true };
	bytes->at += n * 8;
	return true;
}

static bool
take_data_fn(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	struct gcov_data *data = &unit->data;
	struct gcov_data_fn *fn;
	struct cg_slice name;
	uint32_t n;

	if (!gcov_grow(
		unit, &data->fn, &data->fn_cap, data->fns + 1, sizeof(*fn)))
		return false;
	fn = &data->fn[data->fns++];
	*fn = (struct gcov_data_fn){ 0 };
	if (!take_mark(
		bytes, MARK_TEXT, "expected the name of a function (-1)") ||
	    !take_text(bytes, &name) || !gcov_take_u32(bytes, &fn->lineno) ||
	    !take_count(bytes, &n))
		return false;
	fn->ident = gcov_ident(name);
	return take_counters(bytes, n, fn);
}

/* Until 3.2 counters have no names: as many as the functions have arcs. */
static bool
share_counters(struct gcov_unit *unit, struct gcov_bytes *bytes, int64_t n)
{
	struct gcov_data *data = &unit->data;
	uint64_t sum = 0;

	if (!gcov_grow(
		unit, &data->fn, &data->fn_cap, unit->fns, sizeof(*data->fn)))
		return false;
	for (; data->fns < unit->fns; data->fns++) {
		struct gcov_data_fn *fn = &data->fn[data->fns];

		*fn = (struct gcov_data_fn){ .ident = unit->fn[data->fns].ident,
			.lineno = unit->fn[data->fns].lineno };
		sum += unit->fn[data->fns].instrumented;
		if (!take_counters(bytes, unit->fn[data->fns].instrumented, fn))
			return false;
	}
	return sum == (uint64_t)n ||
	       gcov_wrong(bytes, bytes->at,
		   "expected as many counters as the .bbg file has arcs");
}

bool
gcov_read_old_data(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	struct gcov_data *data = &unit->data;
	uint32_t n, length;
	int64_t first;

	data->fns = 0;
	data->runs = 0;
	data->ended = true;
	data->order = GCOV_SIGN;
	data->head = unit->head;
	if (gcov_is_gbbg(*bytes))
		return gcov_read_gbbg_data(unit, bytes);
	if (!take(bytes, &first))
		return false;
	if (first != MARK_DATA)
		return take_mark(bytes, 0, "expected a count below 2^31") &&
		       share_counters(unit, bytes, first);
	if (!take_count(bytes, &n) || !take_count(bytes, &length))
		return false;
	if (length > (size_t)(bytes->end - bytes->at))
		return gcov_wrong(bytes, bytes->at - 4,
		    "expected sums that end within the file");
	bytes->at += length;
	for (uint32_t i = 0; i < n; i++) {
		if (!take_data_fn(unit, bytes))
			return false;
	}
	return true;
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

/* Counters without a name in front: their number is all that tells. */
static bool
is_bare_data(struct gcov_bytes bytes, bool whole)
{
	uint64_t size = (uint64_t)(bytes.end - bytes.at);
	int64_t n, high;

	return take(&bytes, &n) && take(&bytes, &high) && n >= 0 && high == 0 &&
	       (whole ? size == (uint64_t)n * 8 + 8
		      : size < (uint64_t)n * 8 + 8);
}

/* A graph without names: blocks, arcs, and the entry's arcs among them. */
static bool
is_bare_graph(struct gcov_bytes bytes)
{
	uint32_t blocks, arcs, n;

	return take_count(&bytes, &blocks) && take_count(&bytes, &arcs) &&
	       take_count(&bytes, &n) && blocks >= 2 && n <= arcs &&
	       arcs < UINT32_MAX / 8;
}

int
gcov_probe_old(const struct cg_head *head)
{
	const struct gcov_bytes bytes = {
		.at = (const unsigned char *)head->text.ptr,
		.end = (const unsigned char *)head->text.ptr + head->text.len
	};
	struct gcov_bytes look = bytes;
	int64_t first = 0;

	if (gcov_is_gbbg(bytes))
		return CG_PROBE_SURE;
	if (!take(&look, &first))
		return CG_PROBE_NO;
	if (has_suffix(head->name, ".da"))
		return first == MARK_DATA                 ? CG_PROBE_SURE
		       : is_bare_data(bytes, head->whole) ? CG_PROBE_LIKELY
							  : CG_PROBE_NO;
	if (!has_suffix(head->name, ".bbg"))
		return CG_PROBE_NO;
	return first == MARK_TEXT     ? CG_PROBE_SURE
	       : is_bare_graph(bytes) ? CG_PROBE_LIKELY
				      : CG_PROBE_NO;
}
