/*
 * write.c - writes a .gcda: the sum of a unit's data (see enum gcov_raw).
 *
 * Sources as for gcov_data.c. What comes out is what libgcov would have left
 * had all the runs been of one program: counters are added, bits or-ed, of the
 * times of first calls the first kept, runs and the greatest counters of runs
 * (sum_max) added. Of a counter of values those of all inputs are added up and
 * the most frequent kept, the greatest count first: libgcov has them in the
 * order of runs, which nobody reads, and drops what comes when it has enough.
 * Data of one input alone stays as it was.
 *
 * Lost: counters of values and targets before gcc 11, whose sum depends on the
 * order of runs, said in a warning; of a sum of programs by gcc 4.8 to 8 their
 * histogram of counters, which optimisation can do without.
 */
#include <stdlib.h>

#include "raw.h"

#define WORDS_OF_PROGRAM 9 /* without a histogram */
#define WORDS_OF_BITMAP 8
#define VALUES_MAX 32 /* of a counter: GCOV_TOPN_MAXIMUM_TRACKED_VALUES */

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
	int64_t inputs; /* that have it */
};

struct writer {
	struct cg_job *job;
	struct cg_out *out;
	struct row *row; /* in order */
	size_t rows, cap;
	struct value *value; /* by counter, as they are written */
	size_t values, value_cap;
	struct written_fn *fn;
	size_t fns, fn_cap;
	int64_t inputs;
	uint32_t head[GCOV_RAW_HEADS];
	bool big, exact, nomem;
};

/* ---- Rows --------------------------------------------------------------- */

static bool
grow(struct writer *w, void *array, size_t *cap, size_t need, size_t width)
{
	struct gcov_unit unit = { 0 };

	w->nomem |= !gcov_grow(&unit, array, cap, need, width);
	return !w->nomem;
}

static int
compare_fns(const void *va, const void *vb)
{
	const struct written_fn *a = va, *b = vb;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->ident < b->ident ? -1 : a->ident > b->ident;
}

/* Below 0: another counter comes first. */
static int
compare_counters(const struct row *a, const struct row *b)
{
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Of one counter's numbers by a key of them, then as they came. */
static int
compare_by(const struct value *a, const struct value *b, int64_t ka, int64_t kb)
{
	int order = compare_counters(&a->row, &b->row);

	if (order == 0 && ka != kb)
		order = ka > kb ? -1 : 1;
	return order ? order : (a->value > b->value) - (a->value < b->value);
}

static int
compare_places(const void *va, const void *vb)
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

static bool
load_row(struct writer *w, const struct cg_branch *from)
{
	const struct row row = { from->pos.line, from->block, from->index,
		from->target, from->count };

	if (row.block >= GCOV_RAW_VALUES && row.block < GCOV_RAW_HEAD) {
		if (!grow(w, &w->value, &w->value_cap, w->values + 1,
			sizeof(*w->value)))
			return false;
		w->value[w->values++] = (struct value){ row, from->pos.addr };
		return true;
	}
	if (!grow(w, &w->row, &w->cap, w->rows + 1, sizeof(*w->row)))
		return false;
	w->row[w->rows++] = row;
	if (row.block != GCOV_RAW_ORDER)
		return true;
	if (!grow(w, &w->fn, &w->fn_cap, w->fns + 1, sizeof(*w->fn)))
		return false;
	w->fn[w->fns++] =
	    (struct written_fn){ row.target, row.line, row.count };
	return true;
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
	if (w->fns > 0)
		qsort(w->fn, w->fns, sizeof(*w->fn), compare_fns);
	return true;
}

/* The first row that is not before that. */
static size_t
find(const struct writer *w, uint32_t line, uint32_t block, uint32_t index)
{
	size_t low = 0, high = w->rows, middle;
	const struct row *row;

	while (low < high) {
		middle = low + (high - low) / 2;
		row = &w->row[middle];
		if (row->line != line     ? row->line < line
		    : row->block != block ? row->block < block
					  : row->index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Row i, if it is one of that block; NULL: there are no more. */
static const struct row *
row_of(const struct writer *w, size_t i, uint32_t line, uint32_t block)
{
	const struct row *row = i < w->rows ? &w->row[i] : NULL;

	return row && row->line == line && row->block == block ? row : NULL;
}

static const struct row *
get(const struct writer *w, uint32_t line, uint32_t block, uint32_t index)
{
	size_t i = find(w, line, block, index);
	const struct row *row = row_of(w, i, line, block);

	return row && row->index == index ? row : NULL;
}

/* A word; false if it is not there, or not the same in all inputs. */
static bool
get_word(const struct writer *w, uint32_t line, uint32_t block, uint32_t number,
    uint32_t *word)
{
	const struct row *row = get(w, line, block, 2 * number);
	const struct row *twin = get(w, line, block, 2 * number + 1);

	*word = row ? row->target : 0;
	return row && twin && twin->target == ~row->target;
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
	put_u32(w, w->exact ? words * 4 : words);
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
 * Word number of a program's summary before gcc 9: checksum, counters, runs,
 * then in two words each: sum of all counters, greatest of a run, sum of those;
 * behind that the histogram.
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
	uint32_t words = 0, kept, value;
	bool alone = w->inputs == 1;

	while (row_of(w, (size_t)(row - w->row) + words + 1, 0, block))
		words++;
	kept = alone || words < WORDS_OF_PROGRAM + WORDS_OF_BITMAP
		   ? words
		   : WORDS_OF_PROGRAM + WORDS_OF_BITMAP;
	put_tag(w, row->target, kept);
	for (uint32_t i = 0; i < kept; i++) {
		value = w->head[GCOV_RAW_LAYOUT] >= GCOV_VERSION(9, 0)
			    ? clamp(row[i + 1].count)
			    : program_word(&row[i + 1], i, alone);
		put_u32(w, value);
	}
}

/* Those of blocks from first to past. */
static void
put_summaries(const struct writer *w, uint32_t first, uint32_t past)
{
	size_t i = find(w, 0, first, 0);

	while (i < w->rows && w->row[i].line == 0 && w->row[i].block < past) {
		uint32_t block = w->row[i].block;

		if (w->row[i].index == 0)
			put_summary(w, block, &w->row[i]);
		while (row_of(w, i, 0, block))
			i++;
	}
}

/* ---- Functions ---------------------------------------------------------- */

/* A word of bits; *at is the first row of them or of later ones. */
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
put_counter(const struct writer *w, const struct row *row, enum gcov_sum sum,
    uint32_t number, size_t *bit)
{
	uint64_t value = (uint64_t)row->count;

	if (sum == GCOV_SUM_OR)
		value = take_bits(w, row->line, row->block, number, bit);
	else if (sum == GCOV_SUM_FIRST)
		value = row->target ? ~row->target : 0;
	put_u64(w, value);
}

/* The first value that is not before those of a counter. */
static size_t
find_values(const struct writer *w, const struct row *counter)
{
	size_t low = 0, high = w->values, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (compare_counters(&w->value[middle].row, counter) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many values of a counter are written, from *first on, of how many. */
static uint32_t
count_values(const struct writer *w, const struct row *total, size_t *first,
    bool *dropped)
{
	struct row counter = *total;
	size_t n = 0;

	counter.block += GCOV_RAW_VALUES;
	*first = find_values(w, &counter);
	while (*first + n < w->values &&
	       compare_counters(&w->value[*first + n].row, &counter) == 0)
		n++;
	*dropped = total->target != 0 || (w->inputs > 1 && n > VALUES_MAX);
	return w->inputs > 1 && n > VALUES_MAX ? VALUES_MAX : (uint32_t)n;
}

/* The n counters of values of which row is the first. */
static void
put_values(const struct writer *w, const struct row *row, uint32_t n)
{
	uint32_t words = 2 * n, values;
	size_t first;
	bool dropped;

	for (uint32_t i = 0; i < n; i++)
		words += 2 * count_values(w, &row[i], &first, &dropped);
	put_u32(w, words * (w->exact ? 8 : 2));
	for (uint32_t i = 0; i < n; i++) {
		values = count_values(w, &row[i], &first, &dropped);
		put_u64(w, dropped ? 0 - (uint64_t)row[i].count
				   : (uint64_t)row[i].count);
		put_u64(w, values);
		for (size_t k = first; k < first + values; k++) {
			put_u64(w, w->value[k].value);
			put_u64(w, (uint64_t)w->value[k].row.count);
		}
	}
}

/* False: there are not as many counters as are said to be. */
static bool
put_counters(const struct writer *w, uint32_t ident, uint32_t kind, uint32_t n)
{
	uint32_t layout = w->head[GCOV_RAW_LAYOUT], there = 0;
	size_t at = find(w, ident, kind, 0), bit;
	enum gcov_sum sum = gcov_sum_of(kind, layout);

	while (row_of(w, at + there, ident, kind))
		there++;
	if (n > UINT32_MAX / 128 ||
	    (there != n && (there > 0 || layout < GCOV_VERSION(11, 0) ||
			       sum == GCOV_SUM_VALUES)))
		return false;
	put_u32(w, GCOV_TAG_COUNTERS + (kind << 17));
	if (sum == GCOV_SUM_VALUES) {
		put_values(w, &w->row[at], n);
		return true;
	}
	n *= w->exact ? 8 : 2;
	put_u32(w, there > 0 ? n : 0 - n);
	bit = find(w, ident, GCOV_RAW_BITS + kind, 0);
	for (uint32_t i = 0; i < there; i++)
		put_counter(w, &w->row[at + i], sum, i, &bit);
	return true;
}

static int
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
			return cg_fail(w->job,
			    "expected data of one compile: the checksums of "
			    "function 0x%08lx differ",
			    (unsigned long)ident);
		put_u32(w, word);
	}
	for (uint32_t kind = 0; kind <= GCOV_KIND_MAX; kind++) {
		if (!get(w, ident, GCOV_RAW_SIZE, 2 * kind))
			continue;
		if (!get_word(w, ident, GCOV_RAW_SIZE, kind, &word) ||
		    !put_counters(w, ident, kind, word))
			return cg_fail(w->job,
			    "expected data of one compile: the numbers of "
			    "counters of function 0x%08lx differ",
			    (unsigned long)ident);
	}
	return CG_OK;
}

/* ---- The file ----------------------------------------------------------- */

static int
check(struct writer *w)
{
	static const char *const names[GCOV_RAW_HEADS] = {
		[GCOV_RAW_VERSION] = "versions",
		[GCOV_RAW_LAYOUT] = "layouts",
		[GCOV_RAW_ORDER_OF_BYTES] = "byte orders",
		[GCOV_RAW_STAMP] = "stamps",
		[GCOV_RAW_CHECKSUM] = "checksums",
	};
	const struct row *row = get(w, 0, GCOV_RAW_HEAD, 0);
	int64_t most = 0;

	w->inputs = row ? row->count : 0;
	for (uint32_t i = 0; i < GCOV_RAW_HEADS; i++) {
		if (!get_word(w, 0, GCOV_RAW_HEAD, i, &w->head[i]))
			return cg_fail(w->job,
			    "expected data of one unit and compile: the %s "
			    "differ",
			    names[i]);
	}
	w->big = w->head[GCOV_RAW_ORDER_OF_BYTES] != 0;
	w->exact = w->head[GCOV_RAW_LAYOUT] >= GCOV_VERSION(12, 0);
	if (get(w, 0, GCOV_RAW_TWICE, 0))
		return cg_fail(w->job,
		    "expected each function once in the data of a unit");
	if (w->values > 0)
		qsort(w->value, w->values, sizeof(*w->value),
		    w->inputs > 1 ? compare_counts : compare_places);
	for (size_t i = 0; i < w->fns; i++) {
		if (w->fn[i].inputs > most)
			most = w->fn[i].inputs;
	}
	if (w->fns > 0 && most < w->inputs)
		return cg_fail(w->job,
		    "expected data of one unit: no function is in all of it");
	return CG_OK;
}

static int
put_file(struct writer *w)
{
	const struct row *ends = get(w, 0, GCOV_RAW_ENDS, 0);
	int status = CG_OK;

	put_u32(w, GCOV_DATA);
	put_u32(w, w->head[GCOV_RAW_VERSION]);
	put_u32(w, w->head[GCOV_RAW_STAMP]);
	if (w->exact)
		put_u32(w, w->head[GCOV_RAW_CHECKSUM]);
	put_summaries(w, GCOV_RAW_BEFORE, GCOV_RAW_AFTER);
	for (size_t i = 0; status == CG_OK && i < w->fns; i++)
		status = put_fn(w, w->fn[i].ident);
	put_summaries(w, GCOV_RAW_AFTER, UINT32_MAX);
	for (uint32_t i = 0; ends && i < ends->target && i < 2; i++)
		put_u32(w, 0);
	if (get(w, 0, GCOV_RAW_LEFT, 0))
		cg_warn(w->job, "counters of values and targets are left out");
	return status == CG_OK ? cg_out_status(w->out) : status;
}

int
gcov_write(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job, .out = out };
	struct cg_rows *rows = cg_rows_new(graph);
	int status = CG_OK;

	if (load(&w, rows))
		status = check(&w);
	else if (w.nomem)
		status = cg_nomem(job);
	if (status == CG_OK && w.rows > 0)
		status = put_file(&w);
	cg_rows_free(rows);
	free(w.row);
	free(w.value);
	free(w.fn);
	return status;
}
