/*
 * function.c - turns the mapping of a function and its counters into regions
 * and branches of sources.
 *
 * Source: docs/CoverageMappingFormat.rst, RawCoverageMappingReader in
 * CoverageMappingReader.cpp, loadFunctionRecord() and MCDCDecisionRecorder in
 * CoverageMapping.cpp of LLVM.
 *
 * A mapping has
 *
 *	files, by their number in the unit; expressions; regions of each file
 *
 * Each file of a function is a use: the body of the function, or the use of a
 * macro or include in it, with its regions. A region of kind expansion is the
 * place of such a use; its count is that of the first region of the use. A
 * count is a counter, or sums and differences of counters.
 */

#include <string.h>

#include "function.h"

/* ---- Expansions --------------------------------------------------------- */

/*
 * Sets the counter of a use: a file or macro as the function uses it. The
 * counter of a use is that of its first region. If this region is an expansion
 * of a macro, its counter is that of the macro's use. So follows expansions to
 * a region that is none. All uses on the way get its counter. They get 0 if
 * the uses form a cycle, or the last use has no regions.
 */
static void
find_counter(struct llvm_scratch *s, uint32_t use)
{
	uint32_t at = use, counter = 0;

	while (!s->use.at[at].has_counter && !s->use.at[at].visited) {
		s->use.at[at].visited = true;
		if (s->use.at[at].first == LLVM_NONE)
			break;
		if (s->region.at[s->use.at[at].first].kind != LLVM_EXPANSION) {
			counter = s->region.at[s->use.at[at].first].counter;
			break;
		}
		at = s->region.at[s->use.at[at].first].expands;
	}
	if (s->use.at[at].has_counter)
		counter = s->use.at[at].counter;
	for (at = use; !s->use.at[at].has_counter;) {
		s->use.at[at].has_counter = true;
		s->use.at[at].counter = counter;
		if (s->use.at[at].first != LLVM_NONE &&
		    s->region.at[s->use.at[at].first].kind == LLVM_EXPANSION)
			at = s->region.at[s->use.at[at].first].expands;
	}
}

/*
 * Sets the root of a use: a file or macro as the function uses it. "main" is
 * the use that is the function's body. The root is the expansion in the body
 * that leads to the use, directly or through other macros. Also sets the root
 * of the uses on the way. If the body does not reach the use, its root stays
 * LLVM_NONE.
 */
static void
find_root(struct llvm_scratch *s, uint32_t main, uint32_t use)
{
	uint32_t at = use, root = LLVM_NONE;

	while (!s->use.at[at].has_root && s->use.at[at].parent != LLVM_NONE) {
		uint32_t parent = s->use.at[at].parent;

		s->use.at[at].has_root = true; /* ends cycles; set below */
		if (s->region.at[parent].file == main) {
			root = parent;
			break;
		}
		at = s->region.at[parent].file;
	}
	if (root == LLVM_NONE && s->use.at[at].has_root)
		root = s->use.at[at].root;
	for (at = use; root != LLVM_NONE && s->use.at[at].root == LLVM_NONE;) {
		s->use.at[at].root = root;
		at = s->region.at[s->use.at[at].parent].file;
		if (at == main)
			break;
	}
}

static void
expand(struct llvm_scratch *s)
{
	for (size_t i = 0; i < s->region.n; i++) {
		struct llvm_mapped *r = &s->region.at[i];

		if (r->kind != LLVM_EXPANSION)
			continue;
		find_counter(s, r->expands);
		r->counter = s->use.at[r->expands].counter;
	}
}

/*
 * Returns the number of the use that is the function's body. This is the first
 * use of a file to which no region expands. Returns the number of uses if
 * there is none.
 */
static uint32_t
find_main(const struct llvm_scratch *s)
{
	uint32_t main = 0;

	while (main < s->use.n && s->use.at[main].parent != LLVM_NONE)
		main++;
	return main;
}

/* ---- Counts ------------------------------------------------------------- */

/*
 * Returns the sum of two counts, as signed numbers, because differences may be
 * negative; INT64_MAX if it overflows in either direction.
 */
static uint64_t
add(uint64_t a, uint64_t b)
{
	int64_t sum;

	return __builtin_add_overflow((int64_t)a, (int64_t)b, &sum)
		   ? INT64_MAX
		   : (uint64_t)sum;
}

/*
 * Sets *value to the value of a counter. The counter is 0, a counter of the
 * profile, or an expression. The value of an expression is the sum or
 * difference of its operands, which compute() must have computed. False: the
 * counter does not exist, or the expression is malformed.
 */
static bool
look_up(const struct llvm_scratch *s, uint32_t counter, uint64_t *value)
{
	const struct llvm_expression *e;

	*value = 0;
	switch ((enum llvm_tag)LLVM_TAG(counter)) {
	case LLVM_ZERO: return true;
	case LLVM_COUNTER:
		if (LLVM_NUMBER(counter) >= s->counter.n)
			return false;
		*value = s->counter.at[LLVM_NUMBER(counter)];
		return true;
	case LLVM_DIFFERENCE:
	case LLVM_SUM: break;
	}
	e = &s->expression.at[LLVM_NUMBER(counter)];
	*value = LLVM_TAG(counter) == LLVM_SUM ? add(e->value[0], e->value[1])
					       : e->value[0] - e->value[1];
	return e->state == DONE;
}

static bool
is_new(const struct llvm_scratch *s, uint32_t counter)
{
	return LLVM_TAG(counter) > LLVM_COUNTER &&
	       s->expression.at[LLVM_NUMBER(counter)].state == NEW;
}

/*
 * Computes the two operands of expression "number", whose state must be NEW.
 * First computes all NEW expressions that the operands need. Uses s->stack
 * instead of recursion; it needs room for all expressions. Sets the state of
 * each visited expression to DONE, or to BAD if an operand does not exist, is
 * BAD, or depends on the expression.
 */
static void
compute(struct llvm_scratch *s, uint32_t number)
{
	size_t depth = 0;

	s->stack.at[depth++] = number;
	s->expression.at[number].state = OPEN;
	while (depth > 0) {
		struct llvm_expression *e =
		    &s->expression.at[s->stack.at[depth - 1]];
		uint32_t next = is_new(s, e->left) ? e->left : e->right;

		if (is_new(s, next)) {
			s->stack.at[depth++] = LLVM_NUMBER(next);
			s->expression.at[LLVM_NUMBER(next)].state = OPEN;
			continue;
		}
		e->state = look_up(s, e->left, &e->value[0]) &&
				   look_up(s, e->right, &e->value[1])
			       ? DONE
			       : BAD;
		depth--;
	}
}

/*
 * Sets *value to the count that a counter or expression stands for; 0 if the
 * function never ran. May be negative, in two's complement. False: a counter
 * does not exist, or an expression is malformed.
 */
static bool
evaluate(struct llvm_context *c, uint32_t counter, uint64_t *value)
{
	*value = 0;
	if (!c->counts.ran)
		return true;
	if (is_new(c->s, counter))
		compute(c->s, LLVM_NUMBER(counter));
	return look_up(c->s, counter, value);
}

static bool
load_counters(struct llvm_context *c)
{
	struct llvm_scratch *s = c->s;
	uint32_t n =
	    s->most < c->counts.counters ? s->most : c->counts.counters;

	if (!cg_resize(c->job, &s->counter, n))
		return false;
	if (n > 0)
		memcpy(s->counter.at, c->counts.counter,
		    n * sizeof(*s->counter.at));
	return true;
}

/*
 * Returns the count; 0 for a negative one (in two's complement), which data
 * races of threads may cause. Counts negative ones in mapping->negative, for a
 * warning.
 */
static uint64_t
positive(struct llvm_context *c, uint64_t count)
{
	if (count <= INT64_MAX)
		return count;
	c->mapping->negative++;
	return 0;
}

/* ---- Adding ------------------------------------------------------------- */

/*
 * Adds a branch to the sources. count[0] is how often its condition was false,
 * count[1] how often it was true. A branch outside of macros is added to its
 * own line. As in llvm-cov, a branch in a macro is added to the line of the
 * function's body that uses the macro. "main" is the body's number in s->use,
 * the files and macros of the function. If the body does not reach the macro,
 * there is no such line. If c->mapping->on_macro is set, also adds the branch
 * to its own line in the macro: some versions of the compiler count it there,
 * too. False: out of memory (reported).
 */
static bool
add_branch(struct llvm_context *c, const struct llvm_mapped *r, uint32_t main,
    const uint64_t *count)
{
	struct llvm_item item = { .line = r->line,
		.column = r->column,
		.count = { count[0], count[1] } };
	const struct llvm_mapped *root;

	if (r->file == main || c->mapping->on_macro) {
		if (!llvm_add_source_item(
			c->mapping, &c->s->use.at[r->file], &item))
			return false;
	}
	if (r->file == main)
		return true;
	find_root(c->s, main, r->file);
	if (c->s->use.at[r->file].root == LLVM_NONE)
		return true;
	root = &c->s->region.at[c->s->use.at[r->file].root];
	item.id = r->file + 1;
	item.inner_line = item.line;
	item.inner_column = item.column;
	item.line = root->line;
	item.column = root->column;
	return llvm_add_source_item(c->mapping, &c->s->use.at[main], &item);
}

static bool
add_region(struct llvm_context *c, const struct llvm_mapped *r, uint32_t main)
{
	bool folded = LLVM_TAG(r->counter) == LLVM_ZERO &&
		      LLVM_TAG(r->otherwise) == LLVM_ZERO;
	uint64_t count[2];

	if (r->kind == LLVM_DECISION)
		return llvm_open_decision(c, r);
	(void)evaluate(c, r->counter, &count[1]);
	(void)evaluate(c, r->otherwise, &count[0]);
	count[1] = positive(c, count[1]);
	count[0] = positive(c, count[0]);
	if (r->kind == LLVM_EXPANSION)
		llvm_note_expansion(c->s, r);
	if (r->kind == LLVM_CONDITION && !llvm_note_condition(c, r))
		return false;
	if (r->kind != LLVM_BRANCH && r->kind != LLVM_CONDITION) {
		struct llvm_use *use = &c->s->use.at[r->file];
		const struct llvm_region region = { .line = r->line,
			.column = r->column,
			.last = r->last,
			.last_column = r->last_column,
			.count = count[1],
			.kind = r->kind };

		return llvm_add_source_region(c->mapping, use, &region) &&
		       llvm_add_region(c->mapping->report, use->name, &region);
	}
	return folded || add_branch(c, r, main, count);
}

static bool
add_regions(struct llvm_context *c)
{
	struct llvm_scratch *s = c->s;
	uint32_t main = find_main(s);

	s->decision.n = 0;
	s->vectors = (uint64_t)c->counts.bitmap_bytes * 8;
	for (size_t i = 0; i < s->region.n; i++) {
		if (!add_region(c, &s->region.at[i], main))
			return false;
	}
	return true;
}

/*
 * Adds the function to the report. Its body is the first region that is no
 * branch, decision or condition. The function gets the lines and the count of
 * its body. The count is the number of entries, or 0 if it is negative or
 * unknown. Adds nothing if there is no such region. False: out of memory
 * (reported).
 */
static bool
add_fn(struct llvm_context *c)
{
	const struct llvm_scratch *s = c->s;
	struct llvm_fn fn = { 0 };
	size_t i = 0;

	while (i < s->region.n && s->region.at[i].kind >= LLVM_BRANCH)
		i++;
	if (i == s->region.n)
		return true;
	(void)evaluate(c, s->region.at[i].counter, &fn.count);
	fn.count = fn.count <= INT64_MAX ? fn.count : 0;
	fn.first = s->region.at[i].line;
	fn.last = s->region.at[i].last;
	return llvm_add_fn(
	    c->mapping->report, &fn, c->name, c->s->use.at[0].name);
}

#define ADDED UINT32_MAX

/*
 * Sets *first to whether the current pass must add the function. If so, notes
 * that the function was added. A function has several builds if records with
 * different hashes ran. Each pass adds at most one build, as regions of two
 * builds may be at the same place. Of functions with the same name, files and
 * build, only the first one is added. False: out of memory (reported).
 */
static bool
is_first(struct llvm_context *c, bool *first)
{
	const struct llvm_scratch *s = c->s;
	const uint64_t build = c->counts.ran ? c->fn->hash : 0;
	struct llvm_seen *seen = c->mapping->seen;
	uint64_t key = llvm_place_key(c->name, 0, 0);
	uint32_t *at, *builds;

	*first = false;
	for (size_t i = 0; i < s->use.n; i++)
		key = llvm_place_key(
		    s->use.at[i].name, (uint32_t)(key >> 32), (uint32_t)key);
	at = cg_map_in(c->job, &seen->functions,
	    llvm_place_key(
		(cg_name)key, (uint32_t)(build >> 32), (uint32_t)build) ^
		key);
	builds = cg_map_in(c->job, &seen->builds, key);
	if (!at || !builds)
		return false;
	if (*at == 0) {
		*at = ++*builds;
		seen->most = *at > seen->most ? *at : seen->most;
	}
	*first = *at == c->mapping->pass + 1;
	if (*first)
		*at = ADDED;
	return true;
}

/*
 * Returns true if all counters that the regions use can be computed: the
 * profile has them, or the function never ran. Otherwise the profile and the
 * executable are of different builds.
 */
static bool
is_whole(struct llvm_context *c)
{
	const struct llvm_scratch *s = c->s;
	uint64_t value;

	for (size_t i = 0; i < s->region.n; i++) {
		if (s->region.at[i].kind != LLVM_DECISION &&
		    (!evaluate(c, s->region.at[i].counter, &value) ||
			!evaluate(c, s->region.at[i].otherwise, &value)))
			return false;
	}
	return true;
}

bool
llvm_add_function(struct llvm_mapping *mapping, const struct llvm_function *fn)
{
	struct llvm_context c = { .mapping = mapping,
		.fn = fn,
		.job = mapping->report->job,
		.name = cg_map_get(&mapping->names, fn->name) };
	bool first;

	if (!mapping->scratch)
		mapping->scratch = cg_alloc(c.job, sizeof(*mapping->scratch));
	c.s = mapping->scratch;
	if (!c.s)
		return false;
	if (c.name == 0)
		return llvm_expected(&c, "its name in __llvm_prf_names");
	if (!llvm_find_counts(mapping->sums, fn->name, fn->hash, &c.counts)) {
		mapping->mismatched += fn->hash != 0 && mapping->pass == 0;
		return true;
	}
	if (!llvm_read_regions(&c) || !load_counters(&c))
		return false;
	/*
	 * These counters are of a unit without the regions; another unit has
	 * them.
	 */
	if (c.s->region.n == 0 ||
	    (c.s->region.n == 1 &&
		LLVM_TAG(c.s->region.at[0].counter) == LLVM_ZERO &&
		c.s->counter.n > 0 && c.s->counter.at[0] > 0))
		return true;
	expand(c.s);
	if (!is_whole(&c)) {
		mapping->mismatched += mapping->pass == 0;
		return true;
	}
	if (!is_first(&c, &first))
		return false;
	return !first || (add_fn(&c) && add_regions(&c));
}
