/*
 * notes.c - takes what stands before and behind a line of source:
 * functions, branches, calls, conditions, paths.
 */
#include <string.h>

#include "read.h"

#define TERMS_MAX 64 /* gcc's limit for the conditions of a decision */

/* Another function begins on the line that the one announced waits for. */
static void
announce(struct reader *r, cg_fn fn)
{
	if (r->announced) {
		if (!cg_grow_raw(&r->before, &r->before_cap, r->befores + 1,
			sizeof(*r->before))) {
			r->status = cg_nomem(r->text.job);
			return;
		}
		r->before[r->befores++] = r->now;
		r->now = (struct announced){ 0 };
	}
	r->now.fn = fn;
	r->now.paths.count = 0;
	r->now.paths.misses = 0;
	r->announced = true;
}

bool
gcov_text_take_function(struct reader *r, struct cg_slice text)
{
	static const char called[] = " called ";
	const size_t len = sizeof(called) - 1;
	struct cg_slice name = text, rest;
	int64_t entries;

	/* The last one: a name may hold anything. */
	do {
		if (name.len < len)
			return false;
		name.len--;
	} while (memcmp(name.ptr + name.len - len + 1, called, len) != 0);
	name.len -= len - 1;
	rest.ptr = name.ptr + name.len + len;
	rest.len = text.len - name.len - len;
	if (name.len == 0 || !gcov_text_take_number(r, &rest, &entries))
		return false;
	announce(r, gcov_text_fn(&r->text, name));
	r->now.entries = entries;
	r->now.label = cg_starts(rest, " returned ") ||
			       cg_starts(rest, " blocks executed ")
			   ? cg_add_name(r->text.build, rest)
			   : 0;
	return true;
}

/* taken 5, taken 40%, returned 5: a percentage says whether, not how often. */
static bool
take_outcome(struct reader *r, struct cg_slice *text, const char *word,
    struct cg_branch *row)
{
	struct cg_slice start = *text;

	if (cg_take_prefix(text, "never executed"))
		return true;
	if (!cg_take_prefix(text, word) ||
	    !gcov_text_take_number(r, text, &row->count))
		return false;
	row->flags |= CG_BRANCH_REACHED;
	if (!cg_take_char(text, '%'))
		return true;
	row->count = row->count > 0;
	if (!r->percents)
		cg_warn_at(r->text.job, start.ptr,
		    "percentages do not tell how often: use gcov -c");
	r->percents = true;
	return true;
}

static bool
take_index(struct cg_slice *text, uint32_t *index)
{
	uint64_t number;

	(void)cg_take_blanks(text);
	if (!cg_take_u64(text, &number) || number > UINT32_MAX ||
	    !cg_take_blanks(text))
		return false;
	*index = (uint32_t)number;
	return true;
}

bool
gcov_text_take_branch(struct reader *r, struct cg_slice text)
{
	struct cg_branch row = { .pos = r->pos, .kind = CG_BRANCH_ARC };
	uint64_t number;

	if (!take_index(&text, &row.index) ||
	    !take_outcome(r, &text, "taken ", &row))
		return false;
	if (cg_take_prefix(&text, " (fallthrough)"))
		row.flags |= CG_BRANCH_FALLTHROUGH;
	else if (cg_take_prefix(&text, " (throw)"))
		row.flags |= CG_BRANCH_THROW;
	if (cg_take_prefix(&text, " (BB ") && cg_take_u64(&text, &number) &&
	    number <= UINT32_MAX)
		row.target = (uint32_t)number;
	if (r->known)
		row.block = r->block;
	(void)cg_add_branch(r->text.build, r->at, &row);
	return true;
}

bool
gcov_text_take_call(struct reader *r, struct cg_slice text)
{
	struct cg_branch row = { .pos = r->pos, .kind = CG_BRANCH_CALL };

	if (!take_index(&text, &row.index) ||
	    !take_outcome(r, &text, "returned ", &row))
		return false;
	if (r->known)
		row.block = r->block;
	(void)cg_add_branch(r->text.build, r->at, &row);
	return true;
}

/* The decision and its terms have been read. */
void
gcov_text_end_decision(struct reader *r)
{
	const struct decision *decision = &r->decision;
	struct cg_branch row = { .pos = r->pos,
		.kind = CG_BRANCH_CONDITION,
		.block = decision->number,
		.flags = CG_BRANCH_REACHED };

	for (; row.index < decision->outcomes; row.index++) {
		row.count =
		    !(decision->missed[row.index & 1] >> row.index / 2 & 1);
		(void)cg_add_branch(r->text.build, r->at, &row);
	}
	r->decision.outcomes = 0;
}

/* outcomes covered 3/8, or: 1 not covered (true false) */
bool
gcov_text_take_condition(struct reader *r, struct cg_slice text)
{
	uint64_t covered, outcomes;
	uint32_t term;

	if (cg_take_prefix(&text, " outcomes covered ")) {
		gcov_text_end_decision(r);
		if (!cg_take_u64(&text, &covered) ||
		    !cg_take_char(&text, '/') ||
		    !cg_take_u64(&text, &outcomes) || covered > outcomes ||
		    outcomes > 2 * TERMS_MAX)
			return false;
		r->decision = (struct decision){
			.outcomes = (uint32_t)outcomes,
			.number = r->decisions++,
		};
		return gcov_text_check_counted(r, outcomes);
	}
	if (!take_index(&text, &term) || term >= TERMS_MAX ||
	    !cg_take_prefix(&text, "not covered ("))
		return false;
	if (cg_take_prefix(&text, "true")) {
		r->decision.missed[1] |= UINT64_C(1) << term;
		(void)cg_take_blanks(&text);
	}
	if (cg_take_prefix(&text, "false"))
		r->decision.missed[0] |= UINT64_C(1) << term;
	return cg_take_char(&text, ')');
}

/* paths covered 2 of 5 */
bool
gcov_text_take_paths(struct reader *r, struct cg_slice text)
{
	uint64_t covered, count;

	if (!cg_take_u64(&text, &covered) || !cg_take_prefix(&text, " of ") ||
	    !cg_take_u64(&text, &count) || covered > count ||
	    count > UINT32_MAX)
		return false;
	r->now.paths.count = (uint32_t)count;
	r->now.paths.covered = (uint32_t)covered;
	return true;
}

/* path 3 not covered: ... */
bool
gcov_text_take_path(struct reader *r, struct cg_slice text)
{
	struct paths *paths = &r->now.paths;
	uint32_t id;

	if (!take_index(&text, &id))
		return false;
	if (!cg_starts(text, "not covered"))
		return true;
	if (!cg_grow_raw(&paths->missed, &paths->cap, paths->misses + 1,
		sizeof(*paths->missed))) {
		r->status = cg_nomem(r->text.job);
		return false;
	}
	paths->missed[paths->misses++] = id;
	return true;
}
