/*
 * function.h - a function of an executable while it is read:
 *
 *	regions.c    bytes -> regions, expressions, uses of files
 *	function.c   counts of regions -> sources
 *	decisions.c  which conditions belong to which decision
 */
#ifndef FORMATS_LLVM_FUNCTION_H
#define FORMATS_LLVM_FUNCTION_H

#include "profile.h"

/* The two lowest bits of a counter; the higher bits are its number. */
enum llvm_tag { LLVM_ZERO, LLVM_COUNTER, LLVM_DIFFERENCE, LLVM_SUM };
#define LLVM_TAG(counter) ((counter)&3)
#define LLVM_NUMBER(counter) ((counter) >> 2)

struct llvm_mapped {
	uint32_t file, line, column, last, last_column;
	uint32_t counter, otherwise; /* of a branch: if true, if false */
	uint32_t expands;            /* to a file; of a decision: bitmap */
	int id, next[2]; /* of a condition; id of a decision: how many */
	unsigned char kind;
};

struct llvm_expression {
	uint32_t left, right;
	uint64_t value[2];
	enum { NEW, OPEN, DONE, BAD } state;
};

struct llvm_decision {
	const struct llvm_mapped *region;
	uint32_t terms;
	uint64_t ids;
	const struct llvm_mapped *term[LLVM_TERMS_MAX];
};

struct llvm_scratch {
	CG_ARRAY(struct llvm_use) use;
	CG_ARRAY(struct llvm_expression) expression;
	CG_ARRAY(struct llvm_mapped) region;
	CG_ARRAY(uint32_t) stack; /* expressions that are being computed */
	CG_ARRAY(uint64_t) counter;
	size_t tables; /* bytes of the tables */
	uint32_t most; /* the highest counter number, plus 1 */
	CG_ARRAY(struct llvm_decision) decision;
	uint64_t vectors; /* tests of decisions that may still be examined */
};

struct llvm_context {
	struct llvm_mapping *mapping;
	struct llvm_scratch *s;
	const struct llvm_function *fn;
	struct llvm_counts counts;
	struct cg_job *job;
	cg_name name;
};

/* ---- regions.c ---------------------------------------------------------- */

/*
 * Reads the files, expressions and regions of the function's mapping into
 * c->s. False: malformed, or out of memory (reported).
 */
bool llvm_read_regions(struct llvm_context *);
/* Reports what was expected in the function's mapping; returns false. */
bool llvm_expected(const struct llvm_context *, const char *expected);

/* ---- decisions.c: takes regions in order; false: out of memory ----------- */

bool llvm_open_decision(struct llvm_context *, const struct llvm_mapped *);
/*
 * Conditions in an expansion belong to a decision that contains the expansion.
 */
void llvm_note_expansion(struct llvm_scratch *, const struct llvm_mapped *);
/*
 * Adds a condition to the decision that contains it, and the conditions of a
 * complete decision to its source file.
 */
bool llvm_note_condition(struct llvm_context *, const struct llvm_mapped *);

#endif
