/*
 * ghc_text.c - the table of GHC's profiles. A cost centre has one more blank
 * before it than the centre above that entered it:
 *
 *	COST CENTRE MODULE SRC       no. entries %time %alloc %time %alloc ...
 *	MAIN        MAIN   <built-in> 168      0   2.6    0.0 100.0  100.0 ...
 *	 main       Main   a.hs:6:1   336      1   0.0    0.0   0.0    0.0 ...
 *
 * -P adds columns for ticks and bytes. Before GHC 8 there was no SRC.
 */
#include <string.h>

#include "ghc.h"

#define HEAD "COST CENTRE"
#define TOTAL_TIME "total time"
#define TOTAL_ALLOC "total alloc"
#define NUMBERS_MAX 8 /* of a row with ticks and bytes */

enum number { NO, ENTRIES, TIME, ALLOC, ALL_TIME, ALL_ALLOC, TICKS, BYTES };

struct reader {
	struct ghc *ghc;
	uint64_t ticks, interval; /* number of ticks; nanoseconds per tick */
	uint64_t alloc;           /* bytes */
	size_t module, place;     /* columns, in characters; place 0: missing */
	size_t numbers;           /* numbers in a row */
	bool in_tree, ended;
	uint64_t rows, bytes; /* bytes: sum over rows */
};

/* ---- Totals -------------------------------------------------------------- */

/*
 * Reads "total time = 0.02 secs (20 ticks @ 1000 us, 1 processor)": sets
 * r->interval to the length of a tick and r->ticks to the total, both in ns.
 * False: malformed (not reported).
 */
static bool
take_time(struct reader *r, struct cg_slice line)
{
	const char *open = memchr(line.ptr, '(', line.len);
	struct cg_slice rest = line;

	if (!open)
		return false;
	rest.ptr = open + 1;
	rest.len = line.len - (size_t)(rest.ptr - line.ptr);
	if (!cg_take_u64(&rest, &r->ticks) ||
	    !cg_take_prefix(&rest, " ticks @ ") ||
	    !cg_take_u64(&rest, &r->interval) || !cg_take_blanks(&rest))
		return false;
	return !__builtin_mul_overflow(r->interval,
		   cg_starts(rest, "ms") ? 1000000 : 1000, &r->interval) &&
	       !__builtin_mul_overflow(r->ticks, r->interval, &r->ticks);
}

/*
 * Reads "total alloc = 59,542,576 bytes (excludes profiling overheads)" into
 * r->alloc, in bytes. False: malformed (not reported).
 */
static bool
take_alloc(struct reader *r, struct cg_slice line)
{
	struct cg_slice word;

	if (!cg_take_until(&line, '=', &word) || !cg_take_blanks(&line) ||
	    !cg_take_word(&line, &word))
		return false;
	return table_get_count(word, &r->alloc);
}

/* ---- The head ------------------------------------------------------------ */

bool
ghc_is_head(struct cg_slice line)
{
	return cg_starts(line, HEAD) && cg_find(line, " MODULE ") &&
	       cg_find(line, " entries ");
}

static size_t
column_of(struct cg_slice line, const char *name)
{
	const char *at = cg_find(line, name);

	return at ? (size_t)(at - line.ptr) + 1 : 0;
}

static bool
take_head(struct reader *r, struct cg_slice line)
{
	if (r->interval == 0)
		return cg_reject(r->ghc->job,
		    "expected the line \"" TOTAL_TIME "\" before the table");
	r->module = column_of(line, " MODULE ");
	r->place = column_of(line, " SRC ");
	r->numbers = cg_find(line, " bytes") ? NUMBERS_MAX : TICKS;
	r->in_tree = true;
	if (r->numbers < NUMBERS_MAX)
		cg_note(r->ghc->job, "times and bytes are percentages with one "
				     "digit; +RTS -P or -pj states them "
				     "exactly");
	return true;
}

/* ---- Rows ---------------------------------------------------------------- */

/*
 * Takes the first n characters (UTF-8) off the line, or all if there are
 * fewer, and returns them. The caller cuts columns, whose widths are in
 * characters. A byte that is not UTF-8 is one character.
 */
static struct cg_slice
cut_characters(struct cg_slice *line, size_t n)
{
	struct cg_slice cut = { line->ptr, 0 };
	const char *end = line->ptr + line->len;

	while (n-- > 0 && line->len > 0) {
		size_t len = 1;

		if ((unsigned char)*line->ptr >= 0x80)
			len = cg_utf8_length(line->ptr, end);
		line->ptr += len > 0 ? len : 1;
		line->len = (size_t)(end - line->ptr);
	}
	cut.len = (size_t)(line->ptr - cut.ptr);
	return cut;
}

/*
 * Cuts the numbers off the end of a row, and stores them in number[], which
 * has r->numbers elements. Leaves the texts before the numbers in *line.
 * Percentages become tenths of a percent. False: malformed (not reported).
 */
static bool
cut_numbers(struct reader *r, struct cg_slice *line, uint64_t *number)
{
	for (size_t i = r->numbers; i-- > 0;) {
		struct cg_slice word = table_cut_word(line);
		bool percent = i >= TIME && i <= ALL_ALLOC;

		if (!cg_take_fixed(&word, percent ? 1 : 0, &number[i]) ||
		    word.len > 0)
			return false;
	}
	return true;
}

static bool
get_costs(
    const struct reader *r, const uint64_t *number, struct ghc_costs *costs)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.*): cut_numbers() sets them */
	costs->entries = number[ENTRIES];
	costs->ns = cg_mul_div(number[TIME], r->ticks, 1000);
	costs->bytes = cg_mul_div(number[ALLOC], r->alloc, 1000);
	if (r->numbers < NUMBERS_MAX)
		return true;
	costs->bytes = number[BYTES];
	return !__builtin_mul_overflow(number[TICKS], r->interval, &costs->ns);
}

static bool
take_row(struct reader *r, struct cg_slice line)
{
	uint64_t number[NUMBERS_MAX];
	struct ghc_centre centre = { .place = { "", 0 } };
	struct ghc_costs costs;
	size_t depth = 0;

	while (depth < line.len && line.ptr[depth] == ' ')
		depth++;
	centre.name = cg_trim(cut_characters(&line, r->module));
	if (!cut_numbers(r, &line, number))
		return cg_reject(r->ghc->job,
		    "expected a cost centre, its module and %zu numbers",
		    r->numbers);
	if (r->place > 0)
		centre.module =
		    cg_trim(cut_characters(&line, r->place - r->module));
	else
		centre.module = cg_trim(line);
	if (r->place > 0)
		centre.place = cg_trim(line);
	if (!get_costs(r, number, &costs))
		return cg_reject(
		    r->ghc->job, "expected times that fit in 64 bits");
	if (depth > r->ghc->frame.n)
		return cg_reject(r->ghc->job,
		    "expected at most %zu blanks before a cost centre",
		    r->ghc->frame.n);
	r->rows++;
	r->bytes += costs.bytes;
	return ghc_enter(r->ghc, depth, &centre) &&
	       ghc_add_costs(r->ghc, depth, &costs);
}

static bool
take_line(struct reader *r, struct cg_slice line)
{
	struct cg_slice text = cg_trim(line);

	if (ghc_is_head(line))
		return take_head(r, line);
	if (r->in_tree && !r->ended && text.len > 0)
		return take_row(r, line);
	/* A line without text precedes the rows; another one ends them. */
	r->ended |= r->in_tree && r->rows > 0;
	if (!r->in_tree && cg_starts(text, TOTAL_TIME) && !take_time(r, text))
		return cg_reject(
		    r->ghc->job, "expected \"(20 ticks @ 1000 us\"");
	if (!r->in_tree && cg_starts(text, TOTAL_ALLOC) && !take_alloc(r, text))
		return cg_reject(r->ghc->job, "expected a number of bytes");
	return true;
}

int
ghc_read_text(struct ghc *ghc)
{
	struct reader r = { .ghc = ghc };
	struct cg_slice line;
	bool ok = true;

	while (ok && table_line(ghc->in, &line))
		ok = take_line(&r, line);
	if (ok && cg_in_status(ghc->in) == CG_OK) {
		if (r.rows == 0)
			(void)cg_reject(ghc->job,
			    "expected a table of cost centres and entries");
		else if (cg_in_unterminated(ghc->in) ||
			 (r.numbers == NUMBERS_MAX && r.bytes != r.alloc))
			cg_warn(ghc->job,
			    "expected rows with all bytes of the total: the "
			    "file may be truncated");
	}
	return table_status(ghc->job, ghc->in, ghc->build);
}
