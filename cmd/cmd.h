/*
 * cmd.h - what the files of the program share. Below it there is cgconv.h
 * alone: the program does nothing that another program could not.
 */
#ifndef CMD_H
#define CMD_H

#include <stdio.h>

#include "cgconv.h"

/* ---- args.c: the command line ------------------------------------------- */

struct args {
	struct cg_job *job;
	/* What to do; NULL: convert. */
	int (*action)(struct args *);
	const char *action_name;
	const char *from, *to, *output; /* NULL: not given */
	const char *event, *top;
	char **input; /* in argv, compacted */
	size_t inputs;
	char **next; /* the argument to be looked at */
	bool quiet, verbose;
};

/* An option of the program itself; formats have tables of their own. */
struct option {
	char letter;      /* 0: none */
	const char *name; /* as after "--" */
	const char *arg;  /* what help calls its value, NULL: takes none */
	const char *help; /* one line */
	int (*set)(struct args *, const char *value);
	int (*action)(struct args *); /* or: what it asks for instead */
};

/* Ends with a NULL name. */
extern const struct option own_options[];
/* Sorts argv out, up to NULL, into args and its job. */
int parse_args(struct args *, char **argv);

/* ---- what to do: convert.c help.c list.c detect.c info.c ----------------- */

int convert(struct args *);
int show_help(struct args *);
int show_version(struct args *);
int list_formats(struct args *);
int detect(struct args *);
int show_info(struct args *);
/* Hands the inputs to the job; without any, standard input. */
int add_inputs(struct args *);

/* ---- top.c: the dearest functions ---------------------------------------- */

#define TOP_DEFAULT 10 /* functions in a table */

/* Ranks by a column: real events come first, inherited ones after them. */
int show_top(struct args *, const struct cg_graph *, const struct cg_sums *,
    size_t column, size_t count);
/* A cost vector's value in a column. */
struct amount column_amount(
    const struct cg_graph *, size_t column, const uint64_t *cost);
const struct cg_event *column_event(const struct cg_graph *, size_t column);
/* Sums all parts into cost; false if that overflows. */
bool sum_parts(const struct cg_graph *, uint64_t *cost);

/* ---- text.c: text for people --------------------------------------------- */

/*
 * Prints a text that came from anywhere: control characters and bytes that
 * are no UTF-8 appear as \n, \t, \x1b; what would reorder a line is escaped
 * as well.
 */
void put_safe(FILE *, struct cg_slice);

/* A cost, signed or not, or none. */
struct amount {
	bool known, minus;
	uint64_t size;
};
struct amount amount_u64(uint64_t);
struct amount amount_i64(int64_t);
/* Less than 0, 0, more than 0 as a is less than b; what is unknown is least. */
int compare_amounts(struct amount a, struct amount b);

#define AMOUNT_ROOM 32
/* "-1,234,567", "-" if unknown; returns buf. */
const char *amount_text(char buf[AMOUNT_ROOM], struct amount);
/* "12.34%" of whole, "-" where that says nothing; returns buf. */
const char *percent_text(
    char buf[AMOUNT_ROOM], struct amount, struct amount whole);

#define FACTS_ROOM 256
/* "self lines calls", "-" if there are none; returns buf. */
const char *facts_text(char buf[FACTS_ROOM], cg_facts);

#endif
