/*
 * decisions.c - the conditions of decisions (MC/DC). A decision comes before
 * its conditions, which are inside its region, or in a macro that is used
 * there.
 *
 * Source: MCDCDecisionRecorder in CoverageMapping.cpp of LLVM.
 */
#include "function.h"

#define OPEN_MAX 1024 /* decisions whose conditions are incomplete */

static bool
is_within(const struct llvm_mapped *r, const struct llvm_mapped *in)
{
	return r->file == in->file &&
	       (r->line > in->line ||
		   (r->line == in->line && r->column >= in->column)) &&
	       (r->last < in->last ||
		   (r->last == in->last && r->last_column <= in->last_column));
}

static bool
is_part(const struct llvm_scratch *s, const struct llvm_mapped *r,
    const struct llvm_decision *decision)
{
	return is_within(r, decision->region) ||
	       s->use.at[r->file].decision == decision->region;
}

bool
llvm_open_decision(struct llvm_context *c, const struct llvm_mapped *r)
{
	struct llvm_scratch *s = c->s;
	struct llvm_decision *decision;

	if (r->id <= 0 || r->id > LLVM_TERMS_MAX || s->decision.n >= OPEN_MAX) {
		c->mapping->decisions_lost++;
		return true;
	}
	decision = cg_push(c->job, &s->decision);
	if (decision)
		decision->region = r;
	return decision != NULL;
}

/*
 * Handles an expansion, which is a use of a macro. If the expansion is part of
 * an open decision's region, conditions in the macro belong to that decision.
 * Then stores the decision, the first one of this kind, for the macro's use.
 * Otherwise changes nothing. A decision is open while its conditions are
 * incomplete.
 */
void
llvm_note_expansion(struct llvm_scratch *s, const struct llvm_mapped *r)
{
	for (size_t i = 0; i < s->decision.n; i++) {
		const struct llvm_decision *decision = &s->decision.at[i];

		if (decision->region && is_part(s, r, decision)) {
			s->use.at[r->expands].decision = decision->region;
			return;
		}
	}
}

/*
 * Adds the conditions of a decision to the source of its file, at the
 * decision's line. A decision is a boolean expression, for MC/DC. Both
 * outcomes of a condition count 1 if tests showed that the condition alone
 * changes the result, else 0. If the function never ran, all count 0. If it
 * ran, and the decision is too large or malformed, adds no conditions, and
 * adds 1 to decisions_lost of the mapping. False: out of memory (reported).
 */
static bool
add_decision(struct llvm_context *c, const struct llvm_decision *decision)
{
	const struct llvm_mapped *r = decision->region;
	struct llvm_term term[LLVM_TERMS_MAX];
	struct llvm_item item = { .line = r->line, .column = r->column };
	uint64_t alone = 0;

	for (uint32_t i = 0; i < decision->terms; i++)
		term[i] = (struct llvm_term){ decision->term[i]->id,
			{ decision->term[i]->next[0],
			    decision->term[i]->next[1] } };
	if (c->counts.ran &&
	    !llvm_find_alone(c->job, &c->counts, r->expands, term,
		decision->terms, &c->s->vectors, &alone)) {
		c->mapping->decisions_lost++;
		return true;
	}
	for (uint32_t i = 0; i < decision->terms; i++) {
		item.term = i + 1;
		item.count[0] = item.count[1] = alone >> i & 1;
		if (!llvm_add_source_item(
			c->mapping, &c->s->use.at[r->file], &item))
			return false;
	}
	return true;
}

/*
 * Adds a condition to the first open decision to which it belongs. A decision
 * is a boolean expression. It is open until it has all its conditions. A
 * condition belongs to a decision if its region is part of the decision's, its
 * number is less than the decision's number of conditions, and no earlier
 * condition of the decision has this number. Adds a complete decision to its
 * source file, and closes it. Ignores a condition that belongs to no open
 * decision. False: out of memory (reported).
 */
bool
llvm_note_condition(struct llvm_context *c, const struct llvm_mapped *r)
{
	struct llvm_scratch *s = c->s;

	for (size_t i = 0; i < s->decision.n; i++) {
		struct llvm_decision *decision = &s->decision.at[i];

		if (!decision->region || r->id >= decision->region->id ||
		    (decision->ids >> r->id & 1) || !is_part(s, r, decision))
			continue;
		decision->term[decision->terms++] = r;
		if (r->id == 0) { /* is the first */
			for (uint32_t j = decision->terms - 1; j > 0; j--)
				decision->term[j] = decision->term[j - 1];
			decision->term[0] = r;
		}
		decision->ids |= UINT64_C(1) << r->id;
		if (decision->terms < (uint32_t)decision->region->id)
			return true;
		if (!add_decision(c, decision))
			return false;
		decision->region = NULL;
		while (s->decision.n > 0 &&
		       !s->decision.at[s->decision.n - 1].region)
			s->decision.n--;
		return true;
	}
	return true;
}
