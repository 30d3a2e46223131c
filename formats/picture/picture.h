/*
 * picture.h - what pictures (dot, svg) have in common.
 *
 *	names.c    names of functions in little room
 *	amounts.c  costs in few digits
 */
#ifndef FORMATS_PICTURE_PICTURE_H
#define FORMATS_PICTURE_PICTURE_H

#include "cgconv_parse.h"

/* ---- names.c ------------------------------------------------------------ */

/* Returns the number of UTF-8 characters. */
size_t picture_count_chars(struct cg_slice text);
/*
 * Returns the package, namespace or class of a function, a part of the name:
 * "ns" of "ns::f(int)", "a/b" of "a/b.f"; "" if its name has none.
 */
struct cg_slice picture_qualifier(struct cg_slice name);
/*
 * Returns the package of a function of Go, or its outermost namespace, a part of
 * the name: "std" of "void std::a::f<int>()", "a/b" of "a/b.(*T).f"; "" if its
 * name has none.
 */
struct cg_slice picture_package(struct cg_slice name);
#define PICTURE_LINES 3
/* A name in lines; it is valid until the next call, as long as the name is. */
struct picture_lines {
	struct cg_slice line[PICTURE_LINES]; /* of the name or of text */
	size_t lines;
	bool cut; /* the last line is not whole: dots stand for the rest */
	CG_ARRAY(char) text;
};
/*
 * Breaks a name into lines of at most `room` (at least 3) characters, those of
 * a cut line without the dots. A name that is too long for one line loses its
 * parameters. If parts of the rest do not fit, it also loses the type that it
 * returns and the arguments of templates: "std::vector<…>" and "::push_back".
 * The last line of a cut name loses its beginning. False: out of memory
 * (reported).
 */
bool picture_break_name(
    struct cg_job *, struct picture_lines *, struct cg_slice name, size_t room);
/*
 * Writes a name of at most `room` (at least 1) characters into one line: all
 * of it, else without parameters, else without the type that it returns, else
 * without the arguments of templates, else also without its first parts. If
 * the last part is longer, sets `cut` and takes room - 1 characters of it (at
 * least 1), so that dots can follow. False: out of memory (reported).
 */
bool picture_short_name(
    struct cg_job *, struct picture_lines *, struct cg_slice name, size_t room);

/* ---- amounts.c ---------------------------------------------------------- */

/*
 * Writes a cost in three digits, as the page does: "3.51 s" for 3510000000 of
 * unit "ns", "1.20 GiB" of "bytes", "184 M" of any other unit. Counts below
 * 100000 have all digits, with commas. Returns true if digits are missing, or
 * if the unit is another one than that of the cost.
 */
bool picture_put_amount(struct cg_out *, double cost, const char *unit);
/* Returns true if amounts contain that unit, as "3.51 s" does for "ns". */
bool picture_has_unit(const char *unit);
/* Writes 1234567 as 1,234,567. */
void picture_put_number(struct cg_out *, uint64_t);

#endif
