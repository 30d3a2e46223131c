/*
 * json.h - cgconv's own format: the whole cost graph, as JSON Lines.
 *
 * Nothing is derived and nothing dropped, so that A -> json -> B is A -> B.
 * Each line is one JSON value, so that other programs can read a file line by
 * line. The suffix is .cgj.
 *
 * The way of the data: threads parse blocks of lines, those that are plain
 * numbers (plain.c). fields.c turns the fields of other lines into numbers,
 * texts and ids of the builder; read.c adds all lines to the builder. write.c
 * visits the graph in canonical order and writes lines. words.c has tags, kinds
 * of fields and words of enums for both; json.c describes the format to the
 * library.
 *
 * A small file:
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
 *	minor     0, or 1 in files with tracks, 2 in files with regions. A
 *	          greater one may add tags and keys, nothing else.
 *	creator   the program that wrote the file, for people
 *	grain     addresses are starts of buckets of this many bytes (default 1)
 *
 * Keys that a reader does not know are skipped. Each other line is an array:
 * a tag, then fields by position. Empty lines and
 * lines with unknown tags are skipped. Fields in [brackets] may be absent at
 * the end of a line; they are then 0, "" or the default given below.
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
 *	region    file, line, column, last line, last column, count, [flags,
 *	          label]
 *	inclusive costs
 *	stack     frame, samples, costs, [labels]
 *	track     pid, tid, [name, process, unit, spans, begin, end]
 *	moment    time, frame, [costs]
 *	end       [sum]
 *
 * The meaning of the lines:
 *
 *	event     A kind of cost. Columns count from 0. The name is a word; the
 *	          unit is "ns", "bytes", ..., "" for a plain count. incl tells
 *	          where the inclusive cost of calls comes from: "stated" in the
 *	          call lines (default), "by-counts" (unknown: split it by counts
 *	          of calls), "none" (no meaning). signed is true or false
 *	          (default); only a signed event may have negative costs.
 *	formula   A cost that follows from events: "Ir + 10 L1m + 100 LLm".
 *	object    An ELF object.
 *	file      A source file. given is the path as the profile has it,
 *	          where path was made absolute.
 *	function  Identified by name, symbol, file and object. Lines, columns
 *	          and address of its definition, where known. symbol is the
 *	          linker's name, where it differs.
 *	frame     A call stack: the function on top of the stack parent (0: it
 *	          is the bottom), and the position of the call or sample in it.
 *	          inlined is true or false (default): the compiler inlined it
 *	          into the function below it.
 *	labels    A set of labels that samples have (pprof's). Each is an array:
 *	          key, text; or key, "", number, [unit].
 *	part      The lines from here on belong to a new part: a process, a
 *	          thread, a time span. A file without it has one part.
 *	desc      A description of the part.
 *	listed    The next of the part's files, in the order of its source, if
 *	          that lists files. 0: there is no such order, because inputs
 *	          that list files in different orders were merged.
 *	total     The sum of the part's costs in the lines above, as a check.
 *	rows      The lines from here on are about this function.
 *	cost      Self cost of a position. [] is a position that never ran.
 *	call      Calls from a position to a function: their count and inclusive
 *	          cost. The rows of function 0 are calls by an unknown caller.
 *	jump      From one position to another, maybe in another function. A
 *	          conditional jump also has how often it was followed.
 *	branch    Coverage. kind tells what count is:
 *	          "block"      how often the block of that line ran
 *	          "arc"        how often arc number index out of the block was
 *	                       taken
 *	          "call"       how often the call that ends the block returned
 *	          "condition"  how often an outcome of a condition was shown to
 *	                       decide alone; index is 2 * term, + 1 for true
 *	          "path"       how often prime path number index of the function
 *	                       was taken
 *	          "counter"    raw counter number index of kind block
 *	          "step"       no count: step number index of path number block,
 *	                       which was not taken, is block target; label is
 *	                       the source's word for the arc to the next block
 *	          flags are letters: f (falls through), t (throws), r (its block
 *	          ran), u (unreachable), x (only an exception leads to the
 *	          block), l (the block ends on that line; the last position of a
 *	          step's block), n (gcov's text has no mark where the block never
 *	          ran), e (the function exits from the block; of clang's data
 *	          only, whose text does not count it). target is the block that
 *	          an arc or call leads to, label the source's word for it.
 *	region    How often a part of the source ran. line and column are those
 *	          of its first byte, from 1; last line and last column those of
 *	          the byte after it; last column 0 is the end of the line. Code
 *	          in several regions has the count of the innermost one. flags
 *	          are letters: f (fills the space between statements), n (no
 *	          code: skipped by the preprocessor), u (columns count UTF-16
 *	          units, not bytes). label is the source's word for it; of Go's
 *	          blocks, their number of statements.
 *	inclusive The function's inclusive cost, only where the source states
 *	          it.
 *	stack     Self cost of the frame on top of a call stack, and the number
 *	          of samples it comes from; 0 where call lines have real counts.
 *	          labels is the label set of these samples (0: none).
 *	track     The timeline of a thread of the part: "moment" lines from here
 *	          on belong to it, in the order of time. name is the thread's,
 *	          process that of its process. unit is that of times, "ns"; "":
 *	          times are sums of costs. spans: see moment. begin and end are
 *	          times.
 *	moment    The call stack at that time, counted from the track's begin,
 *	          and what the sample cost (also in "stack" lines). With spans
 *	          it is the stack from that time to the next moment, and each
 *	          call begins and ends in a moment of its own.
 *	end       The last line. A file without it is truncated. sum is
 *	          {"records":N,"crc32":"xxxxxxxx"}: the number of lines before
 *	          this one, and the CRC-32 (zlib's, in hex) of their bytes,
 *	          newlines included. Both are optional: after editing a file,
 *	          replace its last line by ["end"].
 *
 * Ids of objects, files, functions, frames and labels are separate and count
 * from 1 in the order of their lines; 0 is "unknown" everywhere. Lines
 * refer only to ids defined above, and each thing is defined once. The file of
 * a position may differ from the function's (inlined code). An address is that
 * in the object file, without load bias. costs is an array with a number for
 * each event, by column; trailing zeros may be absent. Costs and counts of the
 * same position, or of the same stack and labels, are summed.
 *
 * Ids, lines, columns, block, index and target are below 2^32, other numbers
 * below 2^64, costs of a signed event, counts of branches, times and numbers of
 * labels from -2^63 to 2^63 - 1. They are JSON numbers
 * without fraction and exponent. A reader also takes strings, decimal or
 * "0x1f"; with --json-safe numbers above 2^53 - 1 are written as strings, for
 * programs that know doubles only (jq before 1.7 rounds greater ones). Names
 * are bytes: those that are not UTF-8 are written as \udc80 to \udcff, as
 * Python's "surrogateescape" does.
 *
 * cgconv writes in canonical order (paths and functions sorted), so the same
 * graph is always the same file. A reader must not rely on the order. With jq,
 * the sum of all self cost of column 0 is
 *
 *	jq -n '[inputs | arrays | select(.[0] == "cost") | .[4][0]] | add' FILE
 */
#ifndef FORMATS_JSON_JSON_H
#define FORMATS_JSON_JSON_H

#include "cgconv_parse.h"

#define JSON_MAGIC "{\"cgconv\":"
#define JSON_VERSION 1

/* Tags of lines, the most frequent ones first. */
enum json_tag_id {
	JSON_COST,
	JSON_CALL,
	JSON_JUMP,
	JSON_ROWS,
	JSON_BRANCH,
	JSON_FRAME,
	JSON_STACK,
	JSON_MOMENT,
	JSON_LABELS,
	JSON_REGION,
	JSON_FUNCTION,
	JSON_FILE,
	JSON_OBJECT,
	JSON_INCLUSIVE,
	JSON_EVENT,
	JSON_FORMULA,
	JSON_PART,
	JSON_DESC,
	JSON_LISTED,
	JSON_TOTAL,
	JSON_TRACK,
	JSON_TAGS
};
struct json_tag {
	const char *name;
	const char *kinds; /* of the fields: see json_take_fields() */
	/*
	 * Where a line may stand. A missing part or rows line before it is
	 * implied.
	 */
	enum json_scope { JSON_ANYWHERE, JSON_IN_PART, JSON_IN_ROWS } scope;
};
extern const struct json_tag json_tags[JSON_TAGS];

/*
 * By enum cg_incl; by enum cg_branch_kind, without regions. Both end with
 * NULL.
 */
extern const char *const json_incl[];
extern const char *const json_kind[];
/* The letters of a branch's flags, by bit. */
extern const char json_flags[CG_BRANCH_FLAGS + 1];

int json_read(struct cg_job *, struct cg_in *, struct cg_build *);
int json_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
