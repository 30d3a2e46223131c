/*
 * gcov_text.h - the way of the data through formats/gcov_text/:
 *
 *	gcov_text.c    recognises the format, lists its options
 *	add.c          files, functions and lines -> graph, for both readers
 *	annotations.c  text before and below a line of source -> graph
 *	read.c         annotated sources -> struct gcov_text_line -> graph
 *	list.c         lists of gcov -i -> graph
 *	source.c       finds and reads the sources to annotate
 *	put.c          a line, or the summary of a function -> text
 *	write.c        graph -> annotated sources: the order of their lines
 *
 * Source: "Invoking gcov" of the GCC manual; output of gcov of gcc 3.4 to 16
 * and of llvm-cov gcov. There are two kinds of text. The first is the
 * annotated source of a file or, with -t, the sources of many files in
 * sequence:
 *
 *	        -:    0:Source:a.c		head: Graph, Data, Runs, ...
 *	function f called 2 returned 50% blocks executed 75%
 *	        2:    3:	if (x)		count:line:source
 *	branch  0 taken 1 (fallthrough)
 *	    #####:    4:		abort();
 *	call    0 never executed
 *
 * The count is - if the line has no code, ##### if it never ran, ===== if it
 * never ran and is reached only by an exception, N* if some block on the line
 * never ran. Functions that begin on one line (gcc 8 and later: instances of a
 * template) are a group. The file's lines show the sum of the group. The lines
 * of each instance follow the group's last line, between lines of dashes.
 *
 * The second text is a list (-i until gcc 8, llvm-cov gcov -i):
 *
 *	file:a.c
 *	function:LINE,[END,]COUNT,NAME
 *	lcount:LINE,COUNT[,UNEXECUTED]
 *	branch:LINE,taken|nottaken|notexec
 *
 * Lost are the source, percentages of blocks and returns, the lines of blocks
 * (-a), and the blocks of paths.
 */
#ifndef FORMATS_GCOV_TEXT_GCOV_TEXT_H
#define FORMATS_GCOV_TEXT_GCOV_TEXT_H

#include "cgconv_parse.h"

#define GCOV_TEXT_HEAD "0:Source:"
#define GCOV_TEXT_DASHES "------------------"

/* A line with code, of the file or of one function. */
struct gcov_text_line {
	int64_t count;
	uint32_t number;
	cg_fn fn;
	bool unexecuted;  /* a block on it never ran */
	bool unmarked;    /* but the group's line has no mark */
	bool exceptional; /* reached only by exceptions */
	bool shared;      /* also listed by instances of a group */
};

/* State shared by the readers of annotated sources and lists. */
struct gcov_text {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	unsigned column; /* column of Exec in cost */
	cg_file file;
	cg_fn nameless; /* the file's function without a name */
	uint64_t cost[CG_EVENT_MAX];
};

/* Adds the event and a part. */
void gcov_text_begin(struct gcov_text *);
/* Warns if the last line has no newline. */
void gcov_text_end(struct gcov_text *);
/* Starts a source file. */
void gcov_text_add_file(struct gcov_text *, struct cg_slice path);
/* Adds a function of the file by its linkage name, and returns it. */
cg_fn gcov_text_add_fn(struct gcov_text *, struct cg_slice name);
void gcov_text_add_line(struct gcov_text *, const struct gcov_text_line *);
/* Takes decimal digits, optionally after a '-'. False: malformed. */
bool gcov_text_take_count(struct cg_slice *, int64_t *);

/* Reads a text of either kind. Returns the status. */
int gcov_text_read(struct cg_job *, struct cg_in *, struct cg_build *);
/*
 * Reads a list; its first line, line, has been read already. Returns the
 * status.
 */
int gcov_text_read_list(struct gcov_text *, struct cg_slice line);
int gcov_text_write(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
