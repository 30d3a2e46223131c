/*
 * tables.h - call trees that profilers print as tables, with a function or a
 * stack on each row.
 *
 *	rows.c   rows of comma-separated values and their columns
 *	memray.c allocations of Python programs by memray, as CSV
 *	vtune.c  top-down and hotspots reports of Intel's VTune, as CSV
 *	sleepy.c profiles of Very Sleepy
 *	tau.c    profiles of TAU
 *	caliper*.c profiles of Caliper: see caliper.h
 *	xray.c   functions and stacks of LLVM's XRay
 *	ghc*.c   profiles of Haskell programs by GHC: see ghc.h
 */
#ifndef FORMATS_TABLES_H
#define FORMATS_TABLES_H

#include "cgconv_parse.h"

/* ---- Rows ---------------------------------------------------------------- */

/* The fields of a row, which are valid until the next row. */
struct table_row {
	CG_ARRAY(struct cg_slice) field;
	CG_ARRAY(char) text; /* of fields with quotes in them */
};
#define TABLE_NONE SIZE_MAX /* the number of a missing column */

/*
 * Splits a line at sep. Quotes around a field are removed. Blanks before them
 * are kept: they are the depth of a function. False: out of memory (reported).
 */
bool table_split(
    struct cg_job *, struct table_row *, struct cg_slice line, char sep);
/* Returns field number i without blanks at both ends, "" if it is missing. */
struct cg_slice table_field(const struct table_row *, size_t i);
/* Returns the number of the field with this text, or TABLE_NONE. */
size_t table_find(const struct table_row *, const char *name);
/*
 * Gets "2,893,824", "2 893 824": digits in groups of three, or without groups.
 * False: malformed.
 */
bool table_get_count(struct cg_slice, uint64_t *);
/*
 * Gets "12", "1.5" or "1.25E+07" times 10 to the power of digits; places after
 * that are cut. False: malformed, or too large.
 */
bool table_get_number(struct cg_slice, unsigned digits, uint64_t *);
/* Cuts the last word off a line, with the blanks after it; "": no word. */
struct cg_slice table_cut_word(struct cg_slice *line);

/* ---- Reading ------------------------------------------------------------- */

/* Reads a line without its line end; false at the end of the input. */
bool table_line(struct cg_in *, struct cg_slice *line);
/*
 * Adds a stack with the number of samples and a cost of each event, in order.
 */
void table_add_stack(
    struct cg_build *, cg_node leaf, uint64_t samples, const uint64_t *cost);
/* Returns the status of a reader, CG_OK or its first failure. */
int table_status(struct cg_job *, struct cg_in *, struct cg_build *);

#endif
