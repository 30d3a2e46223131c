/*
 * write.c - writes a .gcda file: the merged data of a unit, from the rows that
 * raw.h describes.
 *
 * Sources: the sources of data.c. The output is what libgcov would have
 * written after all runs: counters are added, bits or-ed; the smallest time of
 * a first call is kept; the number of runs and the greatest counters of runs
 * (sum_max) are added. The values of a counter with the greatest counts are
 * kept, sorted by count. (libgcov keeps the values that come first, in the
 * order of runs, which has no meaning.) The data of a single input is written
 * unchanged.
 *
 * Lost: counters of values and targets before gcc 11, whose sum depends on the
 * order of runs (with a warning); in merged data of gcc 4.8 to 8, the
 * histogram of counters, which optimisation does not need.
 */
#include <stdlib.h>

#include "raw.h"

#define WORDS_OF_PROGRAM 9 /* without a histogram */
#define WORDS_OF_BITMAP 8
#define VALUES_MAX 32 /* GCOV_TOPN_MAXIMUM_TRACKED_VALUES, of a counter */

struct row {
	uint32_t line, block, index, target;
	int64_t count;
};

struct value {
	struct row row;
	uint64_t value;
};

struct written_fn {
	uint32_t order, ident;
	int64_t inputs; /* number of inputs that have it */
};

struct writer {
	struct cg_job *job;
	struct cg_out *out;
	CG_ARRAY(struct row) row;     /* sorted by line, block, index */
	CG_ARRAY(struct value) value; /* sorted by counter, then as written */
	CG_ARRAY(struct written_fn) fn;
	int64_t inputs;
	uint32_t head[GCOV_RAW_HEADS];
	bool big, byte_lengths;
};

/* ---- Rows --------------------------------------------------------------- */

static int
compare_fns(const void *va, const void *vb)
{
	const struct written_fn *a = va, *b = vb;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->ident < b->ident ? -1 : a->ident > b->ident;
}

/*
 * Orders the counters and words of the data by function (stored as line), kind
 * of counter (stored as block), and index. Returns a number less than, equal
 * to or greater than 0.
 */
static int
compare_counters(const struct row *a, const struct row *b)
{
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/*
 * Orders values of an expression, such as a divisor, that counters recorded.
 * Compares the counters, then the keys "ka" and "kb", greatest first, then the
 * values. Returns a number less than, equal to or greater than 0.
 */
static int
compare_by(const struct value *a, const struct value *b, int64_t ka, int64_t kb)
{
	int order = compare_counters(&a->row, &b->row);

	if (order == 0 && ka != kb)
		order = ka > kb ? -1 : 1;
	return order ? order : (a->value > b->value) - (a->value < b->value);
}

static int
compare_indices(const void *va, const void *vb)
{
	const struct value *a = va, *b = vb;

	return compare_by(a, b, a->row.target, b->row.target);
}

static int
compare_counts(const void *va, const void *vb)
{
	const struct value *a = va, *b = vb;

	return compare_by(a, b, a->row.count, b->row.count);
}

/*
 * Sorts the values of each counter (the frequent values of an expression, such
 * as a divisor) by count, greatest first. If the data is of a single input,
 * restores the order that the values had there.
 */
static void
sort_values(struct writer *w)
{
	if (w->value.n > 0)
		qsort(w->value.at, w->value.n, sizeof(*w->value.at),
		    w->inputs > 1 ? compare_counts : compare_indices);
}

static bool
load_row(struct writer *w, const struct cg_branch *from)
{
	const struct row row = { from->pos.line, from->block, from->index,
		from->target, from->count };

	if (row.block >= GCOV_RAW_VALUES && row.block < GCOV_RAW_HEAD)
		return cg_append(
		    w->job, &w->value, (struct value){ row, from->pos.addr });
	if (!cg_append(w->job, &w->row, row))
		return false;
	return row.block != GCOV_RAW_ORDER ||
	       cg_append(w->job, &w->fn,
		   (struct written_fn){ row.target, row.line, row.count });
}

static bool
load(struct writer *w, struct cg_rows *rows)
{
	struct cg_branch row;

	if (!rows || !cg_rows_open(rows, CG_ALL_PARTS, 0))
		return false;
	while (cg_next_branch(rows, &row)) {
		if (row.kind != CG_BRANCH_COUNTER || row.pos.file != 0)
			continue;
		if (!load_row(w, &row))
			return false;
	}
	if (w->fn.n > 0)
		qsort(w->fn.at, w->fn.n, sizeof(*w->fn.at), compare_fns);
	return true;
}

/*
 * Returns the index of the first row that is not before function (line), kind
 * (block) and index; the number of rows if all are before. w->row has the
 * data's counters and words in this order.
 */
static size_t
find(const struct writer *w, uint32_t line, uint32_t block, uint32_t index)
{
	size_t low = 0, high = w->row.n, middle;
	const struct row *row;

	while (low < high) {
		middle = low + (high - low) / 2;
		row = &w->row.at[middle];
		if (row->line != line     ? row->line < line
		    : row->block != block ? row->block < block
					  : row->index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns element i of w->row, which has the counters and words of the data.
 * NULL: there is no such element, or it is not of this function (line) and
 * kind (block).
 */
static const struct row *
row_of(const struct writer *w, size_t i, uint32_t line, uint32_t block)
{
	const struct row *row = i < w->row.n ? &w->row.at[i] : NULL;

	return row && row->line == line && row->block == block ? row : NULL;
}

static const struct row *
get(const struct writer *w, uint32_t line, uint32_t block, uint32_t index)
{
	size_t i = find(w, line, block, index);
	const struct row *row = row_of(w, i, line, block);

	return row && row->index == index ? row : NULL;
}

/*
 * Gets a word of the data that must be equal in all inputs. The graph has it
 * and its complement, which reveals merged inputs that differ (raw.h). False:
 * the inputs differ, or the word is absent (*word is 0).
 */
static bool
get_word(const struct writer *w, uint32_t line, uint32_t block, uint32_t number,
    uint32_t *word)
{
	const struct row *row = get(w, line, block, 2 * number);
	const struct row *complement = get(w, line, block, 2 * number + 1);

	*word = row ? row->target : 0;
	return row && complement && complement->target == ~row->target;
}

/* ---- Bytes -------------------------------------------------------------- */

static void
put_u32(const struct writer *w, uint32_t word)
{
	char *at = cg_out_reserve(w->out, 4);

	for (unsigned i = 0; i < 4; i++)
		at[i] = (char)(word >> (w->big ? 24 - 8 * i : 8 * i));
	cg_out_advance(w->out, at + 4);
}

static void
put_u64(const struct writer *w, uint64_t value)
{
	put_u32(w, (uint32_t)value);
	put_u32(w, (uint32_t)(value >> 32));
}

static void
put_tag(const struct writer *w, uint32_t tag, uint32_t words)
{
	put_u32(w, tag);
	put_u32(w, w->byte_lengths ? words * 4 : words);
}

/* ---- Summaries ---------------------------------------------------------- */

static uint32_t
clamp(int64_t count)
{
	if (count < 0)
		return 0;
	return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/*
 * Returns a word of a merged summary before gcc 9; unchanged if alone, from
 * one input. The words are checksum, number of counters, runs; as two words
 * each (lower first), sum, greatest and sum of greatest counters; the
 * histogram, not merged (0). word[-1] must be the row before.
 */
static uint32_t
program_word(const struct row *word, uint32_t number, bool alone)
{
	int64_t low;

	if (alone)
		return word->target;
	switch (number) {
	case 0:
	case 1:
	case 5:
	case 6: return word->target;
	case 2: return clamp(word->count);
	case 3:
	case 7: return (uint32_t)word->count;
	case 4:
	case 8:
		low = word[-1].count;
		return (uint32_t)(word->count + (low >> 32));
	default: return 0;
	}
}

static void
put_summary(const struct writer *w, uint32_t block, const struct row *row)
{
	uint32_t words = 0, written, value;
	bool alone = w->inputs == 1;

	while (row_of(w, (size_t)(row - w->row.at) + words + 1, 0, block))
		words++;
	written = alone || words < WORDS_OF_PROGRAM + WORDS_OF_BITMAP
		      ? words
		      : WORDS_OF_PROGRAM + WORDS_OF_BITMAP;
	put_tag(w, row->target, written);
	for (uint32_t i = 0; i < written; i++) {
		value = w->head[GCOV_RAW_LAYOUT] >= GCOV_VERSION(9, 0)
			    ? clamp(row[i + 1].count)
			    : program_word(&row[i + 1], i, alone);
		put_u32(w, value);
	}
}

/*
 * Writes the summary records whose numbers are at least "first" and less than
 * "past". The number of a record is the block of the rows that have the
 * record's words (see raw.h).
 */
static void
put_summaries(const struct writer *w, uint32_t first, uint32_t past)
{
	size_t i = find(w, 0, first, 0);

	while (i < w->row.n && w->row.at[i].line == 0 &&
	       w->row.at[i].block < past) {
		uint32_t block = w->row.at[i].block;

		if (w->row.at[i].index == 0)
			put_summary(w, block, &w->row.at[i]);
		while (row_of(w, i, 0, block))
			i++;
	}
}

/* ---- Functions ---------------------------------------------------------- */

/*
 * Returns the 64-bit word "number" of a function's bits for a kind of
 * counters. *at is the index in w->row of the next bit set; it is advanced
 * past the word.
 */
static uint64_t
take_bits(const struct writer *w, uint32_t ident, uint32_t kind,
    uint32_t number, size_t *at)
{
	const struct row *row;
	uint64_t bits = 0;

	while ((row = row_of(w, *at, ident, GCOV_RAW_BITS + kind)) &&
	       row->index / 64 <= number) {
		if (row->count > 0)
			bits |= (uint64_t)1 << row->index % 64;
		++*at;
	}
	return bits;
}

static void
put_counter(const struct writer *w, const struct row *row,
    enum gcov_merge merge, uint32_t number, size_t *bit)
{
	uint64_t value = (uint64_t)row->count;

	if (merge == GCOV_MERGE_OR)
		value = take_bits(w, row->line, row->block, number, bit);
	else if (merge == GCOV_MERGE_FIRST)
		value = row->target ? ~row->target : 0;
	put_u64(w, value);
}

/*
 * Returns the index in w->value of the counter's first value (of an
 * expression, such as a divisor). If the counter has no values, this is the
 * first value of the next counter. "counter" is a row of a value: its block is
 * the kind + GCOV_RAW_VALUES.
 */
static size_t
find_values(const struct writer *w, const struct row *counter)
{
	size_t low = 0, high = w->value.n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (compare_counters(&w->value.at[middle].row, counter) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns how many frequent values of an expression to write for a counter, at
 * most 32 of merged data. Sets *first to the first one's index, and *dropped
 * if some are or were dropped.
 */
static uint32_t
count_values(const struct writer *w, const struct row *total, size_t *first,
    bool *dropped)
{
	struct row counter = *total;
	size_t n = 0;

	counter.block += GCOV_RAW_VALUES;
	*first = find_values(w, &counter);
	while (*first + n < w->value.n &&
	       compare_counters(&w->value.at[*first + n].row, &counter) == 0)
		n++;
	*dropped = total->target != 0 || (w->inputs > 1 && n > VALUES_MAX);
	return w->inputs > 1 && n > VALUES_MAX ? VALUES_MAX : (uint32_t)n;
}

/*
 * Writes the record of n counters with frequent values of an expression,
 * without its tag. A counter is a total, the number of values, and pairs of
 * value and count. A negative total means dropped values, as in gcc's
 * __gcov_topn_values_profiler().
 */
static void
put_values(const struct writer *w, const struct row *row, uint32_t n)
{
	uint32_t words = 2 * n, values;
	size_t first;
	bool dropped;

	for (uint32_t i = 0; i < n; i++)
		words += 2 * count_values(w, &row[i], &first, &dropped);
	put_u32(w, words * (w->byte_lengths ? 8 : 2));
	for (uint32_t i = 0; i < n; i++) {
		values = count_values(w, &row[i], &first, &dropped);
		put_u64(w, dropped ? 0 - (uint64_t)row[i].count
				   : (uint64_t)row[i].count);
		put_u64(w, values);
		for (size_t k = first; k < first + values; k++) {
			put_u64(w, w->value.at[k].value);
			put_u64(w, (uint64_t)w->value.at[k].row.count);
		}
	}
}

/*
 * Writes the record with the n counters of one kind of a function. If the
 * graph has none, all are zero: it is only a negative length (gcc 11 and
 * later). False: the graph has another number, or n is too large; nothing was
 * written.
 */
static bool
put_counters(const struct writer *w, uint32_t ident, uint32_t kind, uint32_t n)
{
	uint32_t layout = w->head[GCOV_RAW_LAYOUT], found = 0;
	size_t at = find(w, ident, kind, 0), bit;
	enum gcov_merge merge = gcov_merge_of(kind, layout);

	while (row_of(w, at + found, ident, kind))
		found++;
	if (n > UINT32_MAX / 128 ||
	    (found != n && (found > 0 || layout < GCOV_VERSION(11, 0) ||
			       merge == GCOV_MERGE_VALUES)))
		return false;
	put_u32(w, GCOV_TAG_COUNTERS + (kind << 17));
	if (merge == GCOV_MERGE_VALUES) {
		put_values(w, &w->row.at[at], n);
		return true;
	}
	n *= w->byte_lengths ? 8 : 2;
	put_u32(w, found > 0 ? n : 0 - n);
	bit = find(w, ident, GCOV_RAW_BITS + kind, 0);
	for (uint32_t i = 0; i < found; i++)
		put_counter(w, &w->row.at[at + i], merge, i, &bit);
	return true;
}

static bool
put_fn(const struct writer *w, uint32_t ident)
{
	size_t at = find(w, ident, GCOV_RAW_WORD, 0);
	uint32_t words = 0, word;

	while (row_of(w, at + words, ident, GCOV_RAW_WORD))
		words++;
	words /= 2;
	put_tag(w, GCOV_TAG_FUNCTION, words);
	for (uint32_t i = 0; i < words; i++) {
		if (!get_word(w, ident, GCOV_RAW_WORD, i, &word))
			return cg_reject(w->job,
			    "expected data of one compilation: the checksums "
			    "of function 0x%08lx differ",
			    (unsigned long)ident);
		put_u32(w, word);
	}
	for (uint32_t kind = 0; kind <= GCOV_KIND_MAX; kind++) {
		if (!get(w, ident, GCOV_RAW_SIZE, 2 * kind))
			continue;
		if (!get_word(w, ident, GCOV_RAW_SIZE, kind, &word) ||
		    !put_counters(w, ident, kind, word))
			return cg_reject(w->job,
			    "expected data of one compilation: the numbers of "
			    "counters of function 0x%08lx differ",
			    (unsigned long)ident);
	}
	return true;
}

/* ---- The file ----------------------------------------------------------- */

static bool
read_head(struct writer *w)
{
	static const char *const names[GCOV_RAW_HEADS] = {
		[GCOV_RAW_VERSION] = "versions",
		[GCOV_RAW_LAYOUT] = "layouts",
		[GCOV_RAW_BYTE_ORDER] = "byte orders",
		[GCOV_RAW_STAMP] = "stamps",
		[GCOV_RAW_CHECKSUM] = "checksums",
	};
	const struct row *row = get(w, 0, GCOV_RAW_HEAD, 0);

	w->inputs = row ? row->count : 0;
	for (uint32_t i = 0; i < GCOV_RAW_HEADS; i++) {
		if (!get_word(w, 0, GCOV_RAW_HEAD, i, &w->head[i]))
			return cg_reject(w->job,
			    "expected data of one unit and compilation: the "
			    "%s differ",
			    names[i]);
	}
	w->big = w->head[GCOV_RAW_BYTE_ORDER] != 0;
	w->byte_lengths = w->head[GCOV_RAW_LAYOUT] >= GCOV_VERSION(12, 0);
	return true;
}

/*
 * Checks that the inputs are of one unit (object file). No function may be
 * twice in an input, and at least one must be in all inputs. Data without
 * functions is allowed. False: the inputs are not of one unit (reported).
 */
static bool
check_fns(const struct writer *w)
{
	int64_t most = 0;

	if (get(w, 0, GCOV_RAW_DUPLICATE, 0))
		return cg_reject(w->job,
		    "expected each function only once in the data of a unit");
	for (size_t i = 0; i < w->fn.n; i++) {
		if (w->fn.at[i].inputs > most)
			most = w->fn.at[i].inputs;
	}
	return w->fn.n == 0 || most >= w->inputs ||
	       cg_reject(w->job,
		   "expected data of one unit: no function is in all inputs");
}

static bool
put_file(struct writer *w)
{
	const struct row *ends = get(w, 0, GCOV_RAW_ENDS, 0);

	put_u32(w, GCOV_DATA);
	put_u32(w, w->head[GCOV_RAW_VERSION]);
	put_u32(w, w->head[GCOV_RAW_STAMP]);
	if (w->byte_lengths)
		put_u32(w, w->head[GCOV_RAW_CHECKSUM]);
	put_summaries(w, GCOV_RAW_BEFORE, GCOV_RAW_AFTER);
	for (size_t i = 0; i < w->fn.n; i++) {
		if (!put_fn(w, w->fn.at[i].ident))
			return false;
	}
	put_summaries(w, GCOV_RAW_AFTER, UINT32_MAX);
	for (uint32_t i = 0; ends && i < ends->target && i < 2; i++)
		put_u32(w, 0);
	if (get(w, 0, GCOV_RAW_DROPPED, 0))
		cg_warn(w->job,
		    "dropped counters that cannot be merged (values, targets, "
		    "times)");
	return true;
}

int
gcov_write_gcda(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job, .out = out };
	struct cg_rows *rows = cg_rows_new(graph);

	if (load(&w, rows) && read_head(&w) && check_fns(&w)) {
		sort_values(&w);
		(void)put_file(&w);
	}
	cg_rows_free(rows);
	return cg_out_status(out);
}
