/*
 * json.h - cgconv's own format: everything the cost graph holds, as JSON.
 *
 * Nothing is derived and nothing left out, so that A -> json -> B is A -> B.
 * It is made for programs other than cgconv: each line is one JSON value
 * (JSON Lines), so a line-wise reader needs no more memory than for a line.
 * The suffix is .cgj. A small file:
 *
 *	{"cgconv":"graph","version":1}
 *	["event",0,"Ir","Instruction Fetch"]
 *	["file",1,"main.c"]
 *	["function",1,"main",1,0]
 *	["function",2,"work",1,0]
 *	["rows",1]
 *	["cost",1,12,0,[7]]
 *	["call",1,13,0,2,3,0,10,[500]]
 *	["rows",2]
 *	["cost",1,4,0,[500]]
 *	["end"]
 *
 * The first line is an object and begins with {"cgconv": to the byte.
 *
 *	key       value
 *	cgconv    "graph"
 *	version   1. A reader refuses a greater one.
 *	minor     0. A greater one may bring new tags and keys, nothing else.
 *	creator   who wrote the file, for people
 *	grain     addresses are starts of buckets of so many bytes (default 1)
 *
 * Keys that a reader does not know are skipped. Each other line is an array:
 * a tag, then fields by position. Lines with unknown tags are skipped, and
 * empty ones. Fields in [brackets] may be left out from the end of the line;
 * they are then 0, "" or what is said below.
 *
 *	tag       fields
 *	event     column, name, [long name, unit, incl, signed]
 *	formula   name, formula, [long name, unit, incl, signed]
 *	object    id, path
 *	file      id, path, [given]
 *	function  id, name, file, object, [first line, last line, address,
 *	          first column, last column, symbol]
 *	frame     id, parent, function, file, line, address, [inlined]
 *	labels    id, label, [more labels]
 *	part      [pid, tid, part, command]
 *	desc      key, value
 *	listed    file
 *	total     costs
 *	rows      function
 *	cost      file, line, address, costs
 *	call      file, line, address, function, entry line, entry address,
 *	          count, costs
 *	jump      file, line, address, function, file, line, address,
 *	          executed, [followed]
 *	branch    file, line, address, kind, block, index, count, [flags,
 *	          target, label]
 *	inclusive costs
 *	stack     frame, samples, costs, [labels]
 *	end       [sum]
 *
 * What the lines say:
 *
 *	event     A kind of cost. Columns count from 0. The name is a word; the
 *	          unit is "ns", "bytes", ..., "" for a plain count. incl is how
 *	          the inclusive cost of calls comes to be: "stated" in the call
 *	          lines (default), "by-counts" (unknown: to be split by counts
 *	          of calls), "none" (no meaning). signed is true or false
 *	          (default); only a signed event may have costs below 0.
 *	formula   A cost that follows from events: "Ir + 10 L1m + 100 LLm".
 *	object    An ELF object.
 *	file      A source file. given is how the profile writes its path,
 *	          where that was made absolute.
 *	function  Identified by name, symbol, file and object. Lines, columns
 *	          and address of its definition, where known. symbol is the
 *	          name that linkers know it by, where that is another.
 *	frame     A call stack: the function on top of the stack parent (0: it
 *	          is the bottom), and where in it the call or sample was.
 *	          inlined is true or false (default): the compiler put it
 *	          into the function below it.
 *	labels    A set of labels that samples have (pprof's). Each is an array:
 *	          key, text; or key, "", number, [unit].
 *	part      What follows belongs to a new part: a process, a thread, a
 *	          stretch of time. Without it all belongs to one part.
 *	desc      A description of the part.
 *	listed    The next of the part's files, in the order in which its
 *	          source lists them, if it does. 0: there is no such order, as
 *	          sources were summed that list them in different ones.
 *	total     The sum of the part's costs in the lines above, to compare.
 *	rows      The lines from here on are about this function.
 *	cost      Self cost of a place. [] is a place that was never run.
 *	call      Calls from a place to a function, how often, and what they
 *	          cost inclusively. The rows of function 0 are calls by an
 *	          unknown caller.
 *	jump      From a place to another, which may lie in another function.
 *	          A conditional jump also says how often it was followed.
 *	branch    Coverage. By kind, count is how often a "block" ran that
 *	          stands on that line; "arc" number index out of it was taken;
 *	          a "call" that ends it returned; an outcome of a "condition"
 *	          was shown to decide alone (index: 2 * term, + 1 for true);
 *	          "path" number index of the function was gone; or it is raw
 *	          "counter" number index of kind block. A "step" is a place of
 *	          a block (target) that path number block leads through, which
 *	          was not gone: number index on the path; label is the source's
 *	          word for the way to the next block. flags are letters: f
 *	          (falls through), t (throws), r (its block ran), u
 *	          (unreachable), x (only an exception leads to the block), l
 *	          (the block ends on that line; it is the last of a step's
 *	          block), n (gcov's text has no mark where the block never
 *	          ran), e (the function is left from the block; said of
 *	          clang's alone, whose text does not count it). target is the
 *	          block that an arc or call leads to, label the source's word
 *	          for it.
 *	inclusive The function's inclusive cost, if its source stated one; else
 *	          there is no such line.
 *	stack     Self cost of the frame on top of a call stack, and of how
 *	          many samples; 0 where call lines hold real counts. labels
 *	          is the set that these have (0: none).
 *	end       The last line. A file without it was cut short. sum is
 *	          {"records":N,"crc32":"xxxxxxxx"}: how many lines stand
 *	          before this one, and the CRC-32 (zlib's, in hex) of their
 *	          bytes, newlines included. Both are optional: one who edits a
 *	          file replaces its last line by ["end"].
 *
 * Ids of objects, files, functions, frames and labels are separate and count
 * from 1 in the order of their lines; 0 is "unknown" everywhere. What a line
 * refers to must stand above it, each thing only once. The file of a place may
 * differ from the function's (inlined code). An address is that in the object
 * file, before any load bias. costs is an array with a number for each event,
 * by column; trailing zeros may be left out. Costs and counts of the same
 * place, or stack and labels, are summed.
 *
 * Ids, lines, columns, block, index and target are below 2^32, other numbers
 * below 2^64, costs of a signed event, counts of branches and numbers of labels
 * from -2^63 to 2^63 - 1. They are written as JSON numbers
 * without fraction and exponent. A reader also takes strings, decimal or
 * "0x1f"; with --json-safe numbers above 2^53 - 1 are written as strings, for
 * programs that know doubles only (jq before 1.7 rounds greater ones). Names
 * are bytes: those that are not UTF-8 are written as \udc80 to \udcff, as
 * Python's "surrogateescape" does.
 *
 * cgconv writes in canonical order (paths and functions sorted), so the same
 * graph is always the same file. A reader must not rely on the order. With
 * jq, the sum of all self cost of column 0 is
 *
 *	jq -n '[inputs | arrays | select(.[0] == "cost") | .[4][0]] | add' FILE
 */
#ifndef FORMATS_JSON_JSON_H
#define FORMATS_JSON_JSON_H

#include "cgconv_parse.h"

#define JSON_MAGIC "{\"cgconv\":"
#define JSON_VERSION 1

/* By enum cg_incl, by enum cg_branch_kind; they end with NULL. */
extern const char *const json_incl[];
extern const char *const json_kind[];
/* The letters of a branch's flags, by bit. */
extern const char json_flags[CG_BRANCH_FLAGS + 1];

int json_read(struct cg_job *, struct cg_in *, struct cg_build *);
int json_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
