/*
 * gcov_text.h - gcov's text: what the files of this format share.
 *
 * Source: "Invoking gcov" of the GCC manual; gcov of gcc 3.4 to 16 and
 * llvm-cov gcov, by what they write. There are two texts. A source with counts,
 * a file's or, with -t, many one behind the other:
 *
 *	        -:    0:Source:a.c		head: Graph, Data, Runs, ...
 *	function f called 2 returned 50% blocks executed 75%
 *	        2:    3:	if (x)		count:line:source
 *	branch  0 taken 1 (fallthrough)
 *	    #####:    4:		abort();
 *	call    0 never executed
 *
 * The count is - where there is no code, ##### if it never ran, ===== if only
 * an exception would have run it, N* if some block on the line never ran.
 * Functions that begin on one line (gcc 8 on: instances of a template) follow
 * behind the lines they share, which are their sum, each between lines of
 * dashes with its own lines. The other text (-i until gcc 8, llvm-cov's):
 *
 *	file:a.c
 *	function:LINE,[END,]COUNT,NAME
 *	lcount:LINE,COUNT[,UNEXECUTED]
 *	branch:LINE,taken|nottaken|notexec
 *
 * Not kept: the source, percentages of blocks and returns, blocks (-a), which
 * blocks a path has.
 */
#ifndef FORMATS_GCOV_TEXT_GCOV_TEXT_H
#define FORMATS_GCOV_TEXT_GCOV_TEXT_H

#include "cgconv_parse.h"

#define GCOVTEXT_HEAD "0:Source:"
#define GCOVTEXT_DASHES "------------------"

/* Paths and conditions that an input may count without listing them. */
#define GCOVTEXT_COUNTED_MAX ((uint64_t)1 << 20)

/* A line of the file, held back until it is known what is whose. */
struct gcov_text_line {
	int64_t count;
	uint32_t number;
	cg_fn fn;
	bool unexecuted;  /* of the blocks on it */
	bool unmarked;    /* ... and what functions share has no mark */
	bool exceptional; /* only an exception runs it */
	bool shared;      /* functions that begin together have it, too */
};

/* What both texts are read with. */
struct gcovtext {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	unsigned column;
	cg_file file;
	cg_fn nameless; /* the file's */
	uint64_t bytes; /* of the lines so far */
	uint64_t cost[CG_EVENT_MAX];
};

/* An event, a part. */
void gcov_text_begin(struct gcovtext *);
/* Warns of a last line without a newline: it may be a part. */
void gcov_text_end(struct gcovtext *);
/* Another source file. */
void gcov_text_open(struct gcovtext *, struct cg_slice path);
/* A function of the file, by its linkage name. */
cg_fn gcov_text_fn(struct gcovtext *, struct cg_slice name);
void gcov_text_add(struct gcovtext *, const struct gcov_text_line *);
/* Decimal digits, maybe with a sign. */
bool gcov_text_take_count(struct cg_slice *, int64_t *);

int gcov_text_read(struct cg_job *, struct cg_in *, struct cg_build *);
/* The -i text, whose first line was read already. */
int gcov_text_read_list(struct gcovtext *, struct cg_slice line);
int gcov_text_write(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
