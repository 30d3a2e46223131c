/*
 * regions.c - the mapping of a function: the files that it uses, expressions of
 * counters, regions.
 *
 * Source: docs/CoverageMappingFormat.rst, RawCoverageMappingReader in
 * CoverageMappingReader.cpp of LLVM.
 */
#include <inttypes.h>
#include <stdio.h>

#include "function.h"

/*
 * Limit of the tables of one function, in bytes. A byte of the mapping may
 * take 40 bytes in them: 600,000 regions fit, or 900,000 expressions.
 */
#define TABLES_MAX ((size_t)32 << 20)

#define GAP_BIT (UINT32_C(1) << 31) /* of the last column */

bool
llvm_expected(const struct llvm_context *c, const char *expected)
{
	char hash[32]; /* the name, if it is not known */

	(void)snprintf(hash, sizeof(hash), "0x%016" PRIx64, c->fn->name);
	return cg_reject(c->job, "function %s in the executable: expected %s",
	    c->name ? cg_get_name(c->mapping->report->build, c->name).ptr
		    : hash,
	    expected);
}

/*
 * Takes a number (ULEB128), which must be less than "limit", and stores it in
 * *value. False: truncated, or too large (reported); *value is then 0.
 */
static bool
take(const struct llvm_context *c, struct llvm_bytes *bytes, uint64_t limit,
    uint32_t *value)
{
	uint64_t number;

	*value = 0;
	if (!llvm_take_leb(bytes, &number) || number >= limit)
		return llvm_expected(c, "a number of its coverage mapping");
	*value = (uint32_t)number;
	return true;
}

/* ---- Reading ------------------------------------------------------------ */

bool
llvm_is_dummy(const struct llvm_function *fn)
{
	struct llvm_bytes bytes = fn->mapping;
	uint64_t files, file, expressions, regions, counter;

	return fn->hash == 0 && llvm_take_leb(&bytes, &files) && files == 1 &&
	       llvm_take_leb(&bytes, &file) &&
	       llvm_take_leb(&bytes, &expressions) && expressions == 0 &&
	       llvm_take_leb(&bytes, &regions) && regions == 1 &&
	       llvm_take_leb(&bytes, &counter) &&
	       LLVM_TAG(counter) == LLVM_ZERO;
}

/*
 * Takes a number of items that follow, and stores it in *n. "least" is the
 * smallest size of an item in the mapping, in bytes. The number is malformed
 * if so many items do not fit into the rest of the mapping. Adds the memory of
 * the items, "size" bytes each, to c->s->tables, which must stay below a
 * limit. False: malformed, or beyond the limit (reported).
 */
static bool
take_count(struct llvm_context *c, struct llvm_bytes *bytes, unsigned least,
    size_t size, uint32_t *n)
{
	if (!take(c, bytes, (uint64_t)llvm_left(bytes) + 1, n))
		return false;
	if (*n > (llvm_left(bytes) + 1) / least)
		return llvm_expected(c, "a number of its coverage mapping");
	if (*n > (TABLES_MAX - c->s->tables) / size)
		return llvm_expected(c, "fewer regions and counters");
	c->s->tables += *n * size;
	return true;
}

static bool
take_counter(
    const struct llvm_context *c, struct llvm_bytes *bytes, uint32_t *counter)
{
	if (!take(c, bytes, UINT32_MAX, counter))
		return false;
	if (LLVM_TAG(*counter) == LLVM_COUNTER &&
	    LLVM_NUMBER(*counter) >= c->s->most)
		c->s->most = LLVM_NUMBER(*counter) + 1;
	return LLVM_TAG(*counter) <= LLVM_COUNTER ||
	       LLVM_NUMBER(*counter) < c->s->expression.n ||
	       llvm_expected(c, "a counter of an expression");
}

static bool
take_uses(struct llvm_context *c, struct llvm_bytes *bytes)
{
	struct llvm_scratch *s = c->s;
	struct llvm_use *use;
	uint32_t n, file;

	s->use.n = 0;
	if (!take_count(c, bytes, 1, sizeof(struct llvm_use), &n))
		return false;
	while (s->use.n < n) {
		use = cg_push(c->job, &s->use);
		if (!use || !take(c, bytes, c->fn->files, &file))
			return false;
		*use = (struct llvm_use){ .name = c->fn->file[file],
			.first = LLVM_NONE,
			.parent = LLVM_NONE,
			.root = LLVM_NONE };
	}
	return true;
}

static bool
take_expressions(struct llvm_context *c, struct llvm_bytes *bytes)
{
	struct llvm_scratch *s = c->s;
	uint32_t n;

	s->expression.n = 0;
	if (!take_count(c, bytes, 2,
		sizeof(struct llvm_expression) + sizeof(uint32_t), &n) ||
	    !cg_resize(c->job, &s->expression, n) ||
	    !cg_reserve(c->job, &s->stack, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct llvm_expression *e = &s->expression.at[i];

		if (!take_counter(c, bytes, &e->left) ||
		    !take_counter(c, bytes, &e->right))
			return false;
	}
	return true;
}

/*
 * Takes the fields that a region of kind r->kind has between its kind and its
 * place, and stores them in *r. A condition has its own number, and those of
 * the next conditions. The file has these numbers plus 1. A next condition of
 * 0 in the file means none, and becomes -1. A condition without a number of
 * its own is malformed. False: malformed (reported).
 */
static bool
take_details(const struct llvm_context *c, struct llvm_bytes *bytes,
    struct llvm_mapped *r)
{
	uint32_t id, next[2];

	switch (r->kind) {
	case LLVM_BRANCH:
		return take_counter(c, bytes, &r->counter) &&
		       take_counter(c, bytes, &r->otherwise);
	case LLVM_CONDITION:
		if (!take_counter(c, bytes, &r->counter) ||
		    !take_counter(c, bytes, &r->otherwise) ||
		    !take(c, bytes, INT16_MAX, &id) ||
		    !take(c, bytes, INT16_MAX, &next[1]) ||
		    !take(c, bytes, INT16_MAX, &next[0]))
			return false;
		r->id = (int)id - 1;
		r->next[0] = (int)next[0] - 1;
		r->next[1] = (int)next[1] - 1;
		return id > 0 || llvm_expected(c, "the number of a condition");
	case LLVM_DECISION:
		if (!take(c, bytes, UINT32_MAX, &r->expands) ||
		    !take(c, bytes, INT16_MAX, &id))
			return false;
		r->id = (int)id;
		return true;
	case LLVM_CODE:
	case LLVM_SKIPPED: return true;
	default: return llvm_expected(c, "a known kind of region");
	}
}

/*
 * Takes the number that encodes the kind of a region, and stores the kind in
 * *r. The members of *r must be 0 before. If the number's tag is not
 * LLVM_ZERO, the region is plain code, and the number is its counter.
 * Otherwise, if the number's bit for expansions is set, r->expands becomes the
 * number of the expanded file. Otherwise the number states one of the other
 * kinds. Takes the fields that this kind has, too. False: malformed
 * (reported).
 */
static bool
take_kind(const struct llvm_context *c, struct llvm_bytes *bytes,
    struct llvm_mapped *r)
{
	uint32_t number;

	if (!take_counter(c, bytes, &number))
		return false;
	if (LLVM_TAG(number) != LLVM_ZERO) {
		r->counter = number;
		return true;
	}
	if (number & 4) {
		r->kind = LLVM_EXPANSION;
		r->expands = number >> 3;
		return r->expands < c->s->use.n ||
		       llvm_expected(c, "the file of an expansion");
	}
	r->kind = number >> 3 <= LLVM_CONDITION ? (unsigned char)(number >> 3)
						: LLVM_GAP;
	return take_details(c, bytes, r);
}

static bool
take_place(const struct llvm_context *c, struct llvm_bytes *bytes,
    struct llvm_mapped *r, uint32_t *line)
{
	uint32_t distance, lines;

	if (!take(c, bytes, UINT32_MAX, &distance) ||
	    !take(c, bytes, (uint64_t)UINT32_MAX + 1, &r->column) ||
	    !take(c, bytes, UINT32_MAX, &lines) ||
	    !take(c, bytes, UINT32_MAX, &r->last_column))
		return false;
	if (distance > UINT32_MAX - 1 - *line ||
	    lines > UINT32_MAX - 1 - *line - distance)
		return llvm_expected(c, "smaller numbers of lines");
	*line += distance;
	r->line = *line;
	r->last = *line + lines;
	if (r->last_column & GAP_BIT) {
		r->kind = LLVM_GAP;
		r->last_column &= ~GAP_BIT;
	}
	if (r->column == 0 && r->last_column == 0) { /* whole lines */
		r->column = 1;
		r->last_column = UINT32_MAX;
	}
	return r->line > 0 || llvm_expected(c, "a region with a line");
}

static bool
take_regions(struct llvm_context *c, struct llvm_bytes *bytes)
{
	struct llvm_scratch *s = c->s;
	uint32_t n, line;

	s->region.n = 0;
	for (uint32_t file = 0; file < s->use.n; file++) {
		if (!take_count(c, bytes, 5, sizeof(struct llvm_mapped), &n))
			return false;
		line = 0;
		if (n > 0)
			s->use.at[file].first = (uint32_t)s->region.n;
		for (; n > 0; n--) {
			struct llvm_mapped *r = cg_push(c->job, &s->region);

			if (!r)
				return false;
			r->file = file;
			if (!take_kind(c, bytes, r) ||
			    !take_place(c, bytes, r, &line))
				return false;
			if (r->last == r->line && r->last_column < r->column)
				return llvm_expected(c,
				    "a region that ends after it "
				    "begins");
			if (r->kind == LLVM_EXPANSION)
				s->use.at[r->expands].parent =
				    (uint32_t)(s->region.n - 1);
		}
	}
	return true;
}

bool
llvm_read_regions(struct llvm_context *c)
{
	struct llvm_bytes bytes = c->fn->mapping;

	c->s->tables = 0;
	c->s->most = 1; /* see llvm_add_function() */
	return take_uses(c, &bytes) && take_expressions(c, &bytes) &&
	       take_regions(c, &bytes);
}
