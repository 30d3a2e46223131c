/*
 * cgconv.h - convert profiles into each other through one neutral cost graph.
 *
 * This is the only public header and the manual of libcgconv, in one piece
 * however long: whoever writes a format reads nothing else. A format is a
 * const struct cg_module with three functions: probe() looks at the first
 * bytes, read() pushes what it finds into a builder, write() pulls from a
 * frozen graph through cursors. A job is one conversion: inputs, options,
 * one output.
 *
 * Ownership, for the whole interface: what a cg_*_new() returns is yours and
 * goes to cg_*_free(); everything else belongs to the library and lives as
 * long as the job does, unless the call says less. A slice is never
 * NUL-terminated unless the call says so; strings (char *) always are.
 *
 * Errors are sticky: after the first failure of a builder, an input or an
 * output every further call on it does nothing and returns 0 (false, NULL,
 * id 0), and its status function tells why. So a reader may read like its
 * format's grammar and ask once, at its end.
 *
 * Threads: no globals. Two jobs may run in two threads; one job may not.
 *
 * Contents; each is a line "---- Name" below.
 *
 *	for all      Status, Text, Memory, Facts, Modules, Messages
 *	readers      Reading, JSON, XML, Tables; Building: dimensions, rows
 *	writers      The graph: dimensions, rows, lines, stacks, sums; Writing
 *	both         Symbols
 *	programs     Archives, Jobs
 */
#ifndef CGCONV_H
#define CGCONV_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* all else in the library is hidden */
#endif

#define CG_VERSION "0.1.0"

#if defined(__GNUC__)
#define CG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define CG_PRINTF(fmt, args)
#endif

/* ---- Status ------------------------------------------------------------- */

/* The values are the program's exit statuses. */
enum cg_status {
	CG_OK = 0,
	CG_EINPUT = 1,  /* an input is malformed or cannot be read */
	CG_EUSAGE = 2,  /* an option or argument makes no sense */
	CG_ELOSS = 3,   /* --strict, and the target cannot hold everything */
	CG_EOUTPUT = 4, /* the output cannot be written */
	CG_ELIMIT = 5,  /* out of memory, or past a limit of ours */
	CG_EBUG = 6     /* our own fault */
};

/* ---- Text --------------------------------------------------------------- */

struct cg_slice {
	const char *ptr;
	size_t len;
};

/* The slice of a NUL-terminated string. */
struct cg_slice cg_slice(const char *);
/* Of a literal the compiler knows the length, and of most that tells. */
static inline bool
cg_equal(struct cg_slice slice, const char *string)
{
	size_t len = strlen(string);

	return slice.len == len &&
	       (len == 0 || memcmp(slice.ptr, string, len) == 0);
}
bool cg_starts(struct cg_slice, const char *prefix);
/* Below 0, 0, above 0: by bytes, as memcmp() does; the shorter is less. */
int cg_compare(struct cg_slice, struct cg_slice);

/*
 * Takes: each consumes from the front of the slice and returns true, or
 * leaves the slice as it was and returns false.
 */
bool cg_take_char(struct cg_slice *, char);
bool cg_take_prefix(struct cg_slice *, const char *);
/* Blanks and tabs; false if there were none. */
bool cg_take_blanks(struct cg_slice *);
/* A run of bytes that are neither blank nor tab. */
bool cg_take_word(struct cg_slice *, struct cg_slice *word);
/* Everything up to sep (or the end); sep itself is eaten. False if empty. */
bool cg_take_until(struct cg_slice *, char sep, struct cg_slice *word);
/* The next line, its newline eaten and not included. False at the end. */
bool cg_take_line(struct cg_slice *, struct cg_slice *line);
/* Decimal digits, or 0x and hex digits; false also on overflow. */
bool cg_take_u64(struct cg_slice *, uint64_t *);
/*
 * The lower-case hex digits at text, up to something else: as many as surely
 * fit. Returns what follows them.
 */
const char *cg_get_hex(const char *text, uint64_t *);
/* The whole slice is such a number. */
bool cg_get_u64(struct cg_slice, uint64_t *);
/* Blanks and tabs off both ends. */
struct cg_slice cg_trim(struct cg_slice);
/* What follows the last '/' of a path; all of it if that is the end. */
struct cg_slice cg_base_name(struct cg_slice path);
/*
 * Length of the UTF-8 sequence that begins with a byte from 0x80 on, 0 if it
 * is none (RFC 3629: no overlong forms, no surrogates, nothing past 10ffff).
 */
size_t cg_utf8_length(const char *, const char *end);

/*
 * Room that cg_format_* need, without a NUL (they write none). What is behind
 * the end that they return may be overwritten.
 */
#define CG_NUMBER_MAX 24
char *cg_format_u64(char *to, uint64_t);  /* decimal; returns the end */
char *cg_format_i64(char *to, int64_t);
char *cg_format_hex(char *to, uint64_t);  /* 0x1f; zero is 0x0 */

/* ---- Memory ------------------------------------------------------------- */

/*
 * Makes room for need elements of width bytes in a malloc()ed array of *cap
 * elements, at least doubling it; new elements are zero. False: out of memory
 * (or need * width overflows), and nothing changed. array is the address of
 * the array's pointer, which starts as NULL with *cap 0; free() it.
 */
bool cg_grow(void *array, size_t *cap, size_t need, size_t width);
/* The same without clearing: big arrays need not be touched in advance. */
bool cg_grow_more(void *array, size_t *cap, size_t need, size_t width);
static inline bool
cg_grow_raw(void *array, size_t *cap, size_t need, size_t width)
{
#ifndef __clang_analyzer__ /* to it an array with room might be NULL */
	if (need <= *cap)
		return true;
#endif
	return cg_grow_more(array, cap, need, width);
}

/* ---- Facts -------------------------------------------------------------- */

/*
 * What a graph holds and a format carries. A writer gets what it needs
 * derived where that is exact; what it cannot carry is reported, once.
 */
typedef uint32_t cg_facts;

#define CG_SELF (1u << 0)     /* self cost by function */
#define CG_LINES (1u << 1)    /* ... by source line */
#define CG_INSTRS (1u << 2)   /* ... by instruction address */
#define CG_CALLS (1u << 3)    /* who calls whom, and how often */
#define CG_INCL (1u << 4)     /* inclusive cost of calls */
#define CG_STACKS (1u << 5)   /* self cost by call stack */
#define CG_JUMPS (1u << 6)    /* jumps within functions */
#define CG_PARTS (1u << 7)    /* more than one part */
#define CG_EVENTS (1u << 8)   /* more than one event */
#define CG_ZEROS (1u << 9)    /* places that could run but never did */
#define CG_BRANCHES (1u << 10) /* coverage of decisions */
#define CG_SIGNED (1u << 11)  /* costs below zero; a target without: error */
#define CG_BLOCKS (1u << 12)  /* coverage of blocks, calls, paths */
#define CG_CONDITIONS (1u << 13) /* coverage of conditions (MC/DC) */
#define CG_COUNTERS (1u << 14) /* raw counters of the instrumentation */
/* What is known beside rows. */
#define CG_FILES (1u << 15)   /* source files of functions */
#define CG_OBJECTS (1u << 16) /* ELF objects of functions */
#define CG_SYMBOLS (1u << 17) /* names that linkers know functions by */
#define CG_DEFINITIONS (1u << 18) /* where functions stand in their files */
#define CG_INLINING (1u << 19) /* which frames of stacks are inlined */
#define CG_SAMPLES (1u << 20) /* numbers of samples that no event tells */
#define CG_FORMULAS (1u << 21) /* inherited events */
#define CG_DESCRIPTIONS (1u << 22) /* of parts: command, process, others */
#define CG_LABELS (1u << 23)  /* of samples */
#define CG_FACT_COUNT 24

/* Name of fact number bit ("self", "lines", ...), NULL past the last. */
const char *cg_fact_name(unsigned bit);

/* ---- Modules ------------------------------------------------------------ */

struct cg_job;
struct cg_in;
struct cg_out;
struct cg_build;
struct cg_graph;

/* What probe() may look at. */
struct cg_head {
	struct cg_slice first; /* first line, without newline or CR */
	struct cg_slice text;  /* first 64 KiB at most, unpacked */
	const char *name;      /* file name without folder, "" for a pipe */
	bool whole;            /* text is the whole input */
};

/*
 * A folder in which no format gathers files: text is this line and the names in
 * it, one a line. Who is SURE of it is asked to read that, and can only say
 * what it is.
 */
#define CG_FOLDER_MAGIC "//folder\n"

/*
 * Scores: 0 no, WEAK a guess from the shape, SURE a magic. Between them,
 * more is surer. The best wins; a tie is reported, never decided.
 */
enum { CG_PROBE_NO = 0, CG_PROBE_WEAK = 25, CG_PROBE_LIKELY = 60,
       CG_PROBE_SURE = 100 };

enum cg_option_type { CG_FLAG, CG_NUMBER, CG_STRING };

/*
 * One vocabulary for all formats: a name means the same thing, of the same
 * type, wherever it stands; the library checks the type.
 */
struct cg_option {
	const char *name;     /* as after "--" */
	enum cg_option_type type;
	const char *fallback; /* NULL: not set; a flag: "yes" or "no" */
	const char *arg;      /* what help calls the value, NULL for a flag */
	const char *help;     /* one line */
	bool reading, writing; /* which side it belongs to */
};

#define CG_MODULE_ABI 1

struct cg_module {
	uint16_t abi, size;   /* CG_MODULE_ABI, sizeof(struct cg_module) */
	const char *name;     /* what -f and -t take: [a-z0-9-]+ */
	const char *title;    /* one line for --list-formats */
	const char *suffixes; /* "cgj;cgjson"; for -t by output name */
	/*
	 * Suffixes of what it reads from folders. A file of the first suffix
	 * takes in those of the same name with the others.
	 */
	const char *gathers;
	/* What many outputs are called: "x.{stem}"; NULL: "{stem}.SUFFIX". */
	const char *naming;
	cg_facts carries;     /* what write() can write */
	cg_facts needs;       /* what write() cannot do without */
	const struct cg_option *options; /* ends with a NULL name; or NULL */
	int (*probe)(const struct cg_head *);
	int (*read)(struct cg_job *, struct cg_in *, struct cg_build *);
	int (*write)(struct cg_job *, const struct cg_graph *,
	    struct cg_out *);
	/*
	 * write() calls functions by the names that linkers know them by: of
	 * C++ and the like no others are found for it.
	 */
	bool linkage;
};
#define CG_MODULE .abi = CG_MODULE_ABI, .size = sizeof(struct cg_module)

/* The formats of this library, NULL-terminated. */
extern const struct cg_module *const cg_formats[];

/* ---- Messages ----------------------------------------------------------- */

enum cg_severity { CG_NOTE, CG_WARNING, CG_ERROR };

struct cg_message {
	enum cg_severity severity;
	const char *file;  /* NULL: belongs to no file */
	uint64_t line;     /* from 1; 0: no line */
	uint64_t column;   /* from 1; 0: no column */
	uint64_t offset;   /* of a binary input, if has_offset */
	bool has_offset;
	const char *text;  /* no newline; control characters are escaped */
};
typedef void cg_reporter(void *arg, const struct cg_message *);

/*
 * The only error idiom of formats: return cg_fail(job, "expected ...").
 * Reports an error at the input's current place (the last line or bytes
 * read) and returns CG_EINPUT. The _at forms name the place: a pointer into
 * what the input gave out last.
 */
int cg_fail(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
int cg_fail_at(struct cg_job *, const char *at, const char *fmt, ...)
    CG_PRINTF(3, 4);
struct cg_json;
/* The token is not what was expected, if not for a syntax error. */
int cg_json_fail(struct cg_job *, const struct cg_json *, const char *expected);
/*
 * Warnings of one fmt (compared by its address: pass a literal) are counted:
 * the first five are reported, the rest as "and N more" at the end.
 */
void cg_warn(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
void cg_warn_at(struct cg_job *, const char *at, const char *fmt, ...)
    CG_PRINTF(3, 4);
/* A note about the conversion as a whole, with the input's name. */
void cg_note(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
/* An option or argument that makes no sense: returns CG_EUSAGE. */
int cg_usage(struct cg_job *, const char *fmt, ...) CG_PRINTF(2, 3);
/*
 * The input, or a unit of it, is left out: an error for people, while the rest
 * is still converted and the job ends with CG_EINPUT after all. For readers
 * that check a unit before they add anything of it. Returns CG_OK, or what
 * cg_fail_at() would if the job cannot go on.
 */
int cg_skip_at(struct cg_job *, const char *at, const char *fmt, ...)
    CG_PRINTF(3, 4);
/*
 * Out of memory, or past a limit: returns CG_ELIMIT. What a cursor has failed
 * of is told already: that is returned then.
 */
int cg_nomem(struct cg_job *);

/* ---- Reading ------------------------------------------------------------ */

/*
 * Text: the next block of whole lines. Each line in it ends with '\n' (one is
 * added after a last line without), so a parser may rely on it as sentinel.
 * The block lives until the next call on the input. False at the end.
 */
bool cg_read_block(struct cg_in *, struct cg_slice *block);
/* The next line without its newline; lives until the next call. */
bool cg_read_line(struct cg_in *, struct cg_slice *line);
/*
 * Bytes: exactly n of them, or false with what is left (maybe none) in bytes.
 * Both live until the next call. A big n costs memory only as bytes arrive.
 */
bool cg_read_bytes(struct cg_in *, uint64_t n, struct cg_slice *bytes);
/* The same without consuming. */
bool cg_look_bytes(struct cg_in *, uint64_t n, struct cg_slice *bytes);
/* All that is left, consumed; lives until the next call. */
bool cg_read_all(struct cg_in *, struct cg_slice *bytes);
/* The last line had no newline of its own: the file may be cut short. */
bool cg_in_torn(const struct cg_in *);
/* Where the next byte comes from, in the unpacked input. */
uint64_t cg_in_offset(const struct cg_in *);
/*
 * Opens a file that belongs to the input (the .gcno beside a .gcda); *in is
 * NULL if it is not there. False: it is there, but cannot be read, which was
 * reported; what needs it is to be left out, and the job ends with CG_EINPUT.
 * While it is open, messages without a place are about it. Companions are
 * closed in reverse order.
 */
bool cg_open_companion(struct cg_job *, const char *path, struct cg_in **in);
void cg_close_companion(struct cg_job *, struct cg_in *);
/* Is that file itself an input of the job, given or found in a folder? */
bool cg_job_has_input(const struct cg_job *, const char *path);
/* The name as in messages: a path, or "<stdin>". */
const char *cg_in_name(const struct cg_in *);
/* CG_OK, or why reading ended early (already reported). */
int cg_in_status(const struct cg_in *);

/* ---- JSON --------------------------------------------------------------- */

/*
 * JSON: a pull tokenizer over one slice that holds a whole value (a line of
 * JSON Lines), or over an input of any size, whose window is all that it needs
 * of memory. RFC 8259, no extension; depth is limited to CG_JSON_DEPTH.
 */
#define CG_JSON_DEPTH 1024 /* V8 nests call trees; its stacks end at 255 */
enum cg_json_type {
	CG_JSON_END,    /* nothing but blanks left */
	CG_JSON_BAD,    /* syntax error at json->at; error says what */
	CG_JSON_ARRAY, CG_JSON_ARRAY_END, CG_JSON_OBJECT, CG_JSON_OBJECT_END,
	CG_JSON_KEY, CG_JSON_STRING, CG_JSON_NUMBER, CG_JSON_TRUE,
	CG_JSON_FALSE, CG_JSON_NULL
};
struct cg_json {
	struct cg_slice rest;  /* what is still to read */
	const char *at;        /* start of the current token */
	const char *error;     /* after CG_JSON_BAD: "expected ..." */
	/*
	 * Of KEY, STRING: the raw text between the quotes, escapes and all; of
	 * NUMBER: its text. Of an input it lives until the next token.
	 */
	struct cg_slice text;
	bool escaped;          /* text holds a backslash */
	bool whole;            /* of NUMBER: 1 to 18 digits, nothing else */
	uint64_t value;        /* ... and what they are */
	unsigned depth;
	bool in_object;        /* private: the innermost level is one */
	uint64_t objects[CG_JSON_DEPTH / 64]; /* private: which levels are */
	unsigned expect;       /* private */
	struct cg_in *in;      /* private: where more comes from */
};
void cg_json_start(struct cg_json *, struct cg_slice);
/* Of an input: from here on the tokenizer alone reads it. */
void cg_json_open(struct cg_json *, struct cg_in *);
enum cg_json_type cg_json_next(struct cg_json *);
/*
 * After an outermost value: does another one follow (JSON Lines)? Then that
 * is next.
 */
bool cg_json_another(struct cg_json *);
/*
 * Steps over the rest of the value that begins with the token of that type,
 * which was next last; false after a syntax error in it.
 */
bool cg_json_skip(struct cg_json *, enum cg_json_type);
/*
 * The string's bytes. Without escapes that is json->text itself; else they
 * are unescaped into buf, which must have json->text.len bytes. A lone
 * surrogate \udc80 to \udcff is the raw byte 0x80 to 0xff (a name need not
 * be UTF-8); any other lone surrogate becomes U+FFFD.
 */
struct cg_slice cg_json_string(const struct cg_json *, char *buf);

/*
 * A JSON document of a known shape. Each call takes what it says from the
 * input and returns true, or reports what it expected there: from then on all
 * of them return false, and cg_doc_close() the status.
 *
 *	cg_doc_open(&doc, job, in, build, arg);
 *	cg_doc_fields(&doc, fields, into);
 *	return cg_doc_close(&doc);
 */
struct cg_doc {
	struct cg_job *job;
	struct cg_build *build;
	void *arg;              /* the reader's own */
	struct cg_json json;
	enum cg_json_type type; /* private, as is what follows */
	bool ahead, stopped;
	int status;
	char *buf;
	size_t size;
};
void cg_doc_open(struct cg_doc *, struct cg_job *, struct cg_in *,
    struct cg_build *, void *arg);
/* The end of the document must come. The status, with the builder's. */
int cg_doc_close(struct cg_doc *);
/* Says what was expected where the last token is; always false. */
bool cg_doc_fail(struct cg_doc *, const char *expected);
/* The beginning of an object or array, then each key and each item of it. */
bool cg_doc_object(struct cg_doc *);
bool cg_doc_key(struct cg_doc *, struct cg_slice *key); /* as cg_doc_text() */
bool cg_doc_array(struct cg_doc *);
bool cg_doc_item(struct cg_doc *);
/* What comes next, not taken yet. */
enum cg_json_type cg_doc_next(struct cg_doc *);
/*
 * For formats that may leave out the last ']': does the input end where the
 * next item would be? Then the document ends there, too.
 */
bool cg_doc_stops(struct cg_doc *);
/* A string; it lives until the next of these calls. */
bool cg_doc_text(struct cg_doc *, struct cg_slice *);
/* A number times 10 to the power of digits, rounded. */
bool cg_doc_number(struct cg_doc *, unsigned digits, int64_t *);
/* Whatever value comes. */
bool cg_doc_skip(struct cg_doc *);
/*
 * Room for one more element at array[count] of a malloc()ed array with *cap
 * elements; array is the address of its pointer.
 */
bool cg_doc_grow(struct cg_doc *, void *array, size_t count, size_t *cap,
    size_t width);

/*
 * The members of an object, by a table that ends with a NULL name: what it
 * names goes into the struct at into, what it does not is skipped, and so is
 * null.
 */
enum cg_field_type {
	CG_FIELD_NAME,  /* a string, into a cg_name */
	CG_FIELD_INT,   /* a number times 10 to digits, into an int64_t */
	CG_FIELD_COUNT, /* the same, not below 0, into an uint64_t */
	CG_FIELD_CALL   /* take() takes it */
};
struct cg_field {
	const char *name;
	enum cg_field_type type;
	size_t offset;
	bool (*take)(struct cg_doc *, void *into);
	unsigned digits;
};
bool cg_doc_fields(struct cg_doc *, const struct cg_field *, void *into);
/* The value of one key that was taken. */
bool cg_doc_field(struct cg_doc *, const struct cg_field *,
    struct cg_slice key, void *into);

/*
 * For probe(): which of the keys a JSON document's head holds, bit i for
 * keys[i], up to a NULL. "nodes.id" is key id of an object in, or in an array
 * in, the value of the outermost object's key nodes; an array outermost does
 * not count either.
 */
unsigned cg_head_keys(const struct cg_head *, const char *const *keys);

/* ---- XML ---------------------------------------------------------------- */

/*
 * XML: a pull reader. It opens nothing but the input, knows no entities but
 * &lt; &gt; &amp; &quot; &apos; and characters by number, and keeps to the
 * limits of the library: CG_XML_DEPTH levels, tags of 256 KiB, texts of 1 MiB.
 *
 *	struct cg_xml *xml = cg_xml_new(job, in);
 *	while (xml && (type = cg_xml_next(xml)) != CG_XML_END) ...
 *	status = xml ? cg_xml_status(xml) : CG_ELIMIT;
 *	cg_xml_free(xml);
 *
 * <a/> is an OPEN and a CLOSE. A text is given in one piece, blanks alone are
 * not given. Comments and processing instructions are skipped; of a prefixed
 * name what follows the colon counts. All text is UTF-8. What the calls give
 * lives until the next cg_xml_next().
 */
#define CG_XML_DEPTH 256
enum cg_xml_type {
	CG_XML_END, /* of the document, or an error that was reported */
	CG_XML_OPEN, CG_XML_CLOSE, CG_XML_TEXT
};
struct cg_xml;
struct cg_xml *cg_xml_new(struct cg_job *, struct cg_in *);
void cg_xml_free(struct cg_xml *);
enum cg_xml_type cg_xml_next(struct cg_xml *);
/* Of OPEN and CLOSE; the same name is at the same address as long as xml. */
struct cg_slice cg_xml_name(struct cg_xml *);
/* Of OPEN: false and "" if the element has no such attribute. */
bool cg_xml_attribute(const struct cg_xml *, const char *name,
    struct cg_slice *value);
/* The same as a number: false, and 0, if it is absent or none. */
bool cg_xml_number(const struct cg_xml *, const char *name, uint64_t *);
struct cg_slice cg_xml_text(const struct cg_xml *);
/* How many elements are open, one that opens or closes among them. */
unsigned cg_xml_depth(const struct cg_xml *);
/* For cg_fail_at(), cg_warn_at(): where the tag or text begins. */
const char *cg_xml_at(const struct cg_xml *);
/* Says what was expected there; returns CG_EINPUT. */
int cg_xml_fail(const struct cg_xml *, const char *expected);
/*
 * From OPEN to its CLOSE, all texts in between joined (till the next call of
 * this); text may be NULL: skips the element. False at the end.
 */
bool cg_xml_content(struct cg_xml *, struct cg_slice *text);
/*
 * The next element in the one that is open, texts skipped: each is to be read
 * to its end before the next call. False at the end of the outer one, or of
 * the input, as the status tells.
 */
bool cg_xml_child(struct cg_xml *, struct cg_slice *name);
/* CG_OK, or why cg_xml_next() ended early. */
int cg_xml_status(const struct cg_xml *);

/* ---- Tables ------------------------------------------------------------- */

/*
 * A table from numbers to numbers: what ids of an input are looked up in, so
 * that no number from a file ever sizes an array. Starts as { 0 }.
 */
struct cg_map {
	struct cg_map_slot *slot; /* private, as all of it */
	size_t slots, count;
	uint32_t *dense; /* values of keys below limit: most of these are there */
	size_t limit;
};
/* The value's place, new ones 0; NULL: out of memory. Valid until the next. */
uint32_t *cg_map_at(struct cg_map *, uint64_t key);
/* The value, or 0. */
uint32_t cg_map_get(const struct cg_map *, uint64_t key);
/* The key will be asked for soon: where it is may be fetched meanwhile. */
void cg_map_fetch(const struct cg_map *, uint64_t key);
void cg_map_free(struct cg_map *);

/* ---- Building: dimensions ----------------------------------------------- */

/*
 * Dimensions are ids: 0 is "unknown" and always valid. Adding what is there
 * already returns its id. Parts, events, rows are summed on what they mean,
 * never kept twice.
 */
typedef uint32_t cg_name;   /* a string */
typedef uint32_t cg_object; /* ELF object, by path */
typedef uint32_t cg_file;   /* source file, by path */
typedef uint32_t cg_fn;     /* function: (object, file, name, symbol) */
typedef uint32_t cg_part;
typedef uint32_t cg_node;   /* call stack: frame on top of a parent node */
typedef uint32_t cg_labels; /* set of labels that samples have */

/* Where a function stands in its source, begins in its object; 0: unknown */
struct cg_range {
	uint32_t first, first_column; /* line and column, from 1 */
	uint32_t last, last_column;
	uint64_t addr;
};

/* A place in a function. The file may differ from the fn's (inlined code). */
struct cg_pos {
	cg_file file;
	uint32_t line; /* 0: unknown */
	uint64_t addr; /* as in the object file (load bias removed); 0: none */
};

/* How the inclusive cost of calls comes to be, for one event. */
enum cg_incl {
	CG_INCL_STATED,    /* rows say it; no word means 0 */
	CG_INCL_BY_COUNTS, /* nobody knows: split by call counts, as gprof */
	CG_INCL_NONE       /* has no meaning (coverage) */
};

struct cg_event {
	const char *name;      /* a word without blanks: "Ir" */
	const char *long_name; /* "" if there is none */
	const char *unit;      /* "ns", "bytes", ...; "" is a plain count */
	const char *formula;   /* inherited event: "Ir + 10 L1m"; else "" */
	bool is_signed;        /* costs are two's complement in their uint64_t */
	enum cg_incl incl;
};

struct cg_part_info {
	uint64_t pid, tid, part; /* 0: not known */
	const char *cmd;         /* "" if not known */
};

/* "" is id 0. "???" is what formats write for it; the reader translates. */
cg_object cg_add_object(struct cg_build *, struct cg_slice path);
cg_file cg_add_file(struct cg_build *, struct cg_slice path);
/*
 * How the input writes a file's path, where that was made absolute: "src/a.c"
 * for "/home/me/src/a.c".
 */
void cg_set_file_given(struct cg_build *, cg_file, struct cg_slice);
/* A file as a compiler named it, and the folder that it ran in, if known. */
cg_file cg_add_file_in(struct cg_build *, struct cg_slice folder,
    struct cg_slice name);
/*
 * Joins and tidies the two as text (no ".", "..", "//"; links are not looked
 * at). Needs folder.len + name.len + CG_JOIN_MORE bytes, returns the end.
 */
#define CG_JOIN_MORE 2
char *cg_join_path(char *to, struct cg_slice folder, struct cg_slice name);
/* An empty name with no file and object is fn 0, the unknown caller. */
cg_fn cg_add_fn(struct cg_build *, struct cg_slice name, cg_file, cg_object);
/* The same in two steps, for formats with a table of names. */
cg_name cg_add_name(struct cg_build *, struct cg_slice);
/* Its text, NUL-terminated; lives as long as the graph. */
struct cg_slice cg_get_name(const struct cg_build *, cg_name);
cg_fn cg_add_fn_named(struct cg_build *, cg_name, cg_file, cg_object);
/*
 * Demangled (C++, Rust, D), or the name itself, as it is for a target that
 * writes no others; found once for each name.
 */
cg_name cg_add_demangled(struct cg_build *, cg_name symbol);
/*
 * The same with the name that linkers know it by, where that is another: the
 * two constructors that C++ makes of one in the source have one name. Symbol 0
 * and the name itself say the same.
 */
cg_fn cg_add_fn_symbol(struct cg_build *, cg_name, cg_file, cg_object,
    cg_name symbol);
/*
 * A function that its source tells by where it is defined, too (column 0: not
 * known). Where several have one name and file (methods, lambdas), the first
 * keeps the name, others become name:line or name:line:column.
 */
cg_fn cg_add_fn_at(struct cg_build *, struct cg_slice name, cg_file, cg_object,
    uint32_t line, uint32_t column);
/* Widens what is known of its range; zeros say nothing. */
void cg_set_fn_range(struct cg_build *, cg_fn, const struct cg_range *);
/*
 * An event: the column of its costs, from 0. Only the strings that differ
 * from "" (or NULL) replace what an earlier add of that name said. Different
 * units are an error. What one of several inputs says is signed is so in their
 * sum; costs of the others from 2^63 on are an error then.
 */
#define CG_EVENT_MAX 1024 /* KCachegrind stops at 200, Valgrind at 17 */
unsigned cg_add_event(struct cg_build *, const struct cg_event *);
/*
 * Columns of the events of one input, in its own order; starts as { 0 }. Where
 * inputs are added up these need not be 0, 1, 2.
 */
struct cg_columns {
	size_t events, width;
	bool moved;
	unsigned column[CG_EVENT_MAX];
	uint64_t cost[CG_EVENT_MAX]; /* private; 0 but for its own columns */
};
/* False: the input has that event twice, or the builder has failed. */
bool cg_add_column(struct cg_columns *, struct cg_build *,
    const struct cg_event *);
/* As many costs as events, as columns->width columns; till the next call. */
const uint64_t *cg_columns_of(struct cg_columns *, const uint64_t *cost);
/* An inherited event. It has no column. Checked when the graph is frozen. */
void cg_add_formula(struct cg_build *, const struct cg_event *);
/*
 * Starts a part: rows from here on belong to it. One part is there from the
 * start and taken by the first call. Where parts are not kept (many inputs
 * summed into one), rows go into the one part and differing pid, tid, part
 * become 0.
 */
cg_part cg_add_part(struct cg_build *, const struct cg_part_info *);
/* Rows from here on belong to that part again. */
void cg_set_part(struct cg_build *, cg_part);
/*
 * Labels that whoever made a profile gave to samples (pprof's): stacks of one
 * place that have different ones are kept apart. Several of a key may be in a
 * set; their order is kept, that of keys is not. n = 0 is set 0, no label.
 */
struct cg_label {
	struct cg_slice key;
	struct cg_slice value;  /* ""; then it is a number */
	int64_t number;
	struct cg_slice unit;   /* of the number; "": none */
};
cg_labels cg_add_labels(struct cg_build *, const struct cg_label *, size_t n);
/* Stacks have these from here on, till a part or an input begins. */
void cg_set_labels(struct cg_build *, cg_labels);
/*
 * What a sample tells beside its stack. Rows and stacks from here on belong
 * to the part that --part-by makes of it within the current one; without
 * that, to the current one. Stacks have its labels but for those that tell no
 * more than the part: the first one of the key that makes it; pid and tid as
 * numbers, if they do. So a reader calls this before each sample, or whenever
 * it changes, and never makes parts of threads itself.
 */
struct cg_sample_key {
	uint64_t pid, tid;      /* 0: not known */
	struct cg_slice comm;   /* name of the thread or process; "" */
	const struct cg_label *label;
	size_t labels;
};
void cg_set_sample_part(struct cg_build *, const struct cg_sample_key *);
/*
 * "Trigger", "Program termination": a description of the current part. Inputs
 * that say another value of one key with that beginning are of another program
 * (its addresses mean something else): they cannot be added up.
 */
#define CG_PROGRAM_KEY "program."
void cg_add_desc(struct cg_build *, struct cg_slice key,
    struct cg_slice value);
/*
 * The counts of calls in the current part are numbers of samples. Where stacks
 * become calls the library says so itself; outputs tell by a description.
 */
void cg_set_calls_sampled(struct cg_build *);
/*
 * The next of the current part's files, in the order in which its source lists
 * them: after cg_add_part(), from the first on. Inputs that are summed and list
 * other files, or the same ones in another order, have no order any more; file
 * 0 says that this is so already.
 */
void cg_list_file(struct cg_build *, cg_file);
/* What a description says ("" if absent); lives until the next add. */
const char *cg_get_desc(const struct cg_build *, const char *key);
/*
 * Addresses of rows are starts of buckets of that many bytes, not exact
 * instructions (gprof's histogram); 1 is the default.
 */
void cg_set_grain(struct cg_build *, unsigned bytes);

/* ---- Building: rows ----------------------------------------------------- */

/*
 * Rows. cost[i] belongs to column i; columns from n on are zero. Costs of
 * the same place are summed. n = 0 is a place that never ran. False: the
 * builder has failed (a sum overflows); cg_build_failed() may say where.
 */
bool cg_add_cost(struct cg_build *, cg_fn, const struct cg_pos *,
    const uint64_t *cost, size_t n);
/*
 * Costs as lines of text, in and out: positions, then costs of the first
 * columns, all with one blank between them. A position is decimal or 0x1f (as
 * addresses are put), or a step from the line before: "+2", "-17", "*".
 */
struct cg_cost_lines {
	bool addrs, lines; /* what positions there are */
	bool steps, begun; /* steps may be put; there is a line before */
	size_t most;       /* costs of a line */
	struct cg_pos pos; /* of the line before; its file is that of all */
};
/*
 * Adds lines that stand one behind the other, up to the first that is not as
 * nearly all are, which is left to cg_add_cost(), or to the end, before which
 * there is a newline. Returns where it is; lines is at the last one taken.
 */
const char *cg_add_cost_lines(struct cg_build *, cg_fn, struct cg_cost_lines *,
    const char *text, const char *end);
/*
 * count calls from the site (in caller) to the callee, entered at entry
 * (line and addr; its file is the callee's), with inclusive cost. Caller 0 is
 * gprof's <spontaneous>.
 */
bool cg_add_call(struct cg_build *, cg_fn caller, const struct cg_pos *site,
    cg_fn callee, const struct cg_pos *entry, uint64_t count,
    const uint64_t *cost, size_t n);
/* Of a jump that is not conditional, followed = executed. */
void cg_add_jump(struct cg_build *, cg_fn, const struct cg_pos *from,
    cg_fn target, const struct cg_pos *to, bool conditional,
    uint64_t executed, uint64_t followed);
/*
 * The node of a frame on top of parent (0: none); pos is where in the
 * function it stood: the place of its call of the next frame, or of the
 * sample. inlined: the compiler put this frame's function into parent's. All
 * this is the node's identity.
 */
cg_node cg_add_frame(struct cg_build *, cg_node parent, cg_fn,
    const struct cg_pos *, bool inlined);
/*
 * Self cost of the leaf frame of a stack, and how many samples it comes from:
 * what the calls on it are counted in where stacks become calls. 0: there are
 * real counts, which are added with cg_add_call().
 */
void cg_add_stack(struct cg_build *, cg_node leaf, uint64_t samples,
    const uint64_t *cost, size_t n);
/* A function's inclusive cost, where the source itself states it. */
void cg_add_inclusive(struct cg_build *, cg_fn, const uint64_t *cost,
    size_t n);

/* Coverage of what a function's basic blocks and decisions did. */
enum cg_branch_kind {
	/*
	 * The block itself, once for each line that it stands on (line 0: it
	 * has none): count is how often it ran.
	 */
	CG_BRANCH_BLOCK,
	/* Outcome number index of the decision at the end of the block. */
	CG_BRANCH_ARC,
	/* A call that ends the block: count is how often it returned. */
	CG_BRANCH_CALL,
	/*
	 * MC/DC of the decision that begins in the block: index is 2 * term,
	 * + 1 for the outcome true; count > 0: shown to decide alone.
	 */
	CG_BRANCH_CONDITION,
	/* Prime path number index of the function; count > 0: was gone. */
	CG_BRANCH_PATH,
	/* Counter number index of kind block, as the program counted. */
	CG_BRANCH_COUNTER,
	/*
	 * What prime path number block, which was not gone, leads through:
	 * block target, whose place number index on the path this line is
	 * (line 0: it has none). The label is the source's word for the arc to
	 * the next block, whose first place is behind the last one (flag).
	 */
	CG_BRANCH_STEP
};
#define CG_BRANCH_KINDS 7

/* Flags; where rows are summed, all of them are kept. */
#define CG_BRANCH_FALLTHROUGH 1u /* arc: to the next block in memory */
#define CG_BRANCH_THROW 2u       /* arc: the way of an exception */
#define CG_BRANCH_REACHED 4u     /* arc, call, condition: its block ran */
#define CG_BRANCH_UNREACHABLE 8u /* arc, condition: said to be impossible */
#define CG_BRANCH_EXCEPTIONAL 16u /* block: only an exception leads there */
#define CG_BRANCH_LAST 32u       /* block: it ends there; step: in that file */
#define CG_BRANCH_UNMARKED 64u   /* block: gcov has no * where it never ran */
#define CG_BRANCH_EXIT 128u      /* block: the exit, where clang says so */
#define CG_BRANCH_FLAGS 8
/* Only in sums of a line: no instance of the function before, or unlike it. */
#define CG_BRANCH_UNLIKE 256u

struct cg_branch {
	struct cg_pos pos;
	enum cg_branch_kind kind;
	uint32_t block, index; /* with place and kind: which one it is */
	/*
	 * Arc, call: the block that it leads to. Block 0 on line 0: which of
	 * its unit's functions it is, from 1; 0: not known.
	 */
	uint32_t target;
	unsigned flags;
	cg_name label;         /* the source's word for it; 0: none */
	int64_t count;         /* below 0 where threads raced */
};
bool cg_add_branch(struct cg_build *, cg_fn, const struct cg_branch *);
/*
 * For readers that have work to do for rows of a fact (CG_JUMPS, those of
 * branches): are more of them of use? Not where nobody will ask for them, and
 * that there are some is known.
 */
bool cg_wants_rows(const struct cg_build *, cg_facts);
/*
 * The input's own word on the sum of costs since the part began (callgrind's
 * totals:), said when all of them are there: a difference is a warning at at
 * with both numbers. at_least: the sum may be smaller (callgrind's summary:).
 */
void cg_state_total(struct cg_build *, const char *at, const uint64_t *cost,
    size_t n, bool at_least);
/* CG_OK, or the first failure. */
int cg_build_status(const struct cg_build *);
/*
 * Reports that failure, once: at is its place in the input, as for
 * cg_fail_at(). Without this the job does it, and knows the place less well.
 * Returns the status.
 */
int cg_build_failed(struct cg_build *, const char *at);

/* ---- The graph: dimensions ---------------------------------------------- */

/*
 * Everything comes in canonical order (parts as they came, functions by
 * object, file, name, rows by address, file, line), so that two graphs that
 * mean the same are written the same.
 */
cg_facts cg_graph_facts(const struct cg_graph *);
unsigned cg_graph_grain(const struct cg_graph *);
/* Real events; column i is event i. Then the inherited ones. */
size_t cg_event_count(const struct cg_graph *);
const struct cg_event *cg_get_event(const struct cg_graph *, size_t i);
/* The real event of that name; cg_event_count() if there is none. */
size_t cg_find_event(const struct cg_graph *, const char *name);
size_t cg_formula_count(const struct cg_graph *);
const struct cg_event *cg_get_formula(const struct cg_graph *, size_t i);
/* The cost of inherited event i for a cost vector (of all real events). */
bool cg_eval_formula(const struct cg_graph *, size_t i, const uint64_t *cost,
    int64_t *value);

/* Parts are 0 to count - 1; there is at least one. */
size_t cg_part_count(const struct cg_graph *);
const struct cg_part_info *cg_get_part(const struct cg_graph *, cg_part);
/* Description i of a part in the order of adding; false past the last. */
bool cg_part_desc(const struct cg_graph *, cg_part, size_t i,
    const char **key, const char **value);
/*
 * How many files the part's source lists, and in which order; one, and that is
 * file 0, where sources contradict each other.
 */
size_t cg_part_files(const struct cg_graph *, cg_part, const cg_file **);
/* Are calls counted in samples in any of the parts? */
bool cg_calls_sampled(const struct cg_graph *);
/* Sum of the part's self costs, of event_count values; till the next call. */
const uint64_t *cg_part_totals(const struct cg_graph *, cg_part);
/* Is the event's total other than 0 in any of the parts? */
bool cg_event_has_costs(const struct cg_graph *, size_t event);
/*
 * The event to show where none was asked for: if it has costs, that which a
 * description of a part with this key names; else the first with costs, else
 * the first (0, even if there is none).
 */
#define CG_MAIN_EVENT_KEY "default_sample_type"
size_t cg_main_event(const struct cg_graph *);

/* Ids are 1 to count; names of id 0 are "". */
size_t cg_object_count(const struct cg_graph *);
size_t cg_file_count(const struct cg_graph *);
size_t cg_fn_count(const struct cg_graph *);
size_t cg_node_count(const struct cg_graph *);
struct cg_slice cg_object_path(const struct cg_graph *, cg_object);
struct cg_slice cg_file_path(const struct cg_graph *, cg_file);
/* How its input wrote the path; "": as it is. */
struct cg_slice cg_file_given(const struct cg_graph *, cg_file);
struct cg_slice cg_fn_name(const struct cg_graph *, cg_fn);
/* What linkers call it; "": the same. */
struct cg_slice cg_fn_symbol(const struct cg_graph *, cg_fn);
cg_file cg_fn_file(const struct cg_graph *, cg_fn);
cg_object cg_fn_object(const struct cg_graph *, cg_fn);
void cg_fn_range(const struct cg_graph *, cg_fn, struct cg_range *);
/* Function at place rank (0 to count, fn 0 among them) of canonical order. */
cg_fn cg_fn_ranked(const struct cg_graph *, size_t rank);

/* ---- The graph: rows ---------------------------------------------------- */

/*
 * Rows of one function, each kind in its order:
 *
 *	struct cg_rows *rows = cg_rows_new(graph);
 *	for (size_t i = 0; cg_next_fn(graph, part, &i, &fn);) {
 *		cg_rows_open(rows, part, fn);
 *		while (cg_next_cost(rows, &cost)) ...
 *	}
 *	cg_rows_free(rows);
 *
 * What a row points to lives until the next call with these rows. NULL and
 * false also mean out of memory or an overflowing sum: the job notices and
 * fails after write() returns.
 */
#define CG_ALL_PARTS UINT32_MAX
struct cg_rows;
struct cg_rows *cg_rows_new(const struct cg_graph *);
void cg_rows_free(struct cg_rows *);
/* From the next open on, addresses are 0 and rows of one line are summed. */
void cg_rows_drop_addresses(struct cg_rows *);
/* Functions with rows in the part, in canonical order. */
bool cg_next_fn(const struct cg_graph *, cg_part, size_t *i, cg_fn *);
bool cg_rows_open(struct cg_rows *, cg_part, cg_fn);

struct cg_cost {
	struct cg_pos pos;
	const uint64_t *cost; /* n values; the columns from n on are zero */
	size_t n;             /* trailing zeros are cut */
};
struct cg_call {
	struct cg_pos site;
	cg_fn callee;
	struct cg_pos entry;  /* line and addr */
	uint64_t count;
	const uint64_t *cost;
	size_t n;
};
struct cg_jump {
	struct cg_pos from, to;
	cg_fn target;
	bool conditional;
	uint64_t executed, followed;
};
bool cg_next_cost(struct cg_rows *, struct cg_cost *);
/*
 * Puts what cg_next_cost() would give out as lines, as long as they are of the
 * lines' file; then those of another one follow: true, *file is that.
 */
bool cg_put_cost_lines(struct cg_rows *, struct cg_cost_lines *,
    struct cg_out *, cg_file *file);
/* A line, which need be none of rows; the positions that one would have. */
char *cg_format_cost_line(struct cg_cost_lines *, char *to,
    const struct cg_pos *, const uint64_t *cost, size_t n);
char *cg_format_pos(const struct cg_cost_lines *, char *to,
    const struct cg_pos *);
/* Room that a line of n costs needs at most. */
#define CG_COST_LINE_MAX(n) (((n) + 3) * (CG_NUMBER_MAX + 2))
bool cg_next_call(struct cg_rows *, struct cg_call *);
bool cg_next_jump(struct cg_rows *, struct cg_jump *);
/* Within a line by kind, block, index. */
bool cg_next_branch(struct cg_rows *, struct cg_branch *);
struct cg_slice cg_branch_label(const struct cg_graph *,
    const struct cg_branch *);
/*
 * What rows of blocks, calls and paths say of a function as a whole, with
 * gcov's rules: blocks are those between the first and the last by number.
 * exit is the number of the block that it is left from (0: the last). If it is
 * given and a row is marked as the exit's, llvm-cov's rules: that block is it,
 * and all others but the first are counted. Opens the function; false as
 * cg_rows_open().
 */
struct cg_coverage {
	uint64_t blocks, executed;
	uint64_t paths, paths_covered;
	bool entered;    /* entries are known */
	int64_t entries; /* how often the first block ran */
	bool returned;   /* returns are known: blocks stand on lines */
	int64_t returns; /* how often the exit ran, but for lost calls */
	cg_name label;   /* the first block's own */
	bool marked;     /* a row is marked as the exit's */
};
bool cg_get_coverage(struct cg_rows *, cg_part, cg_fn, uint32_t exit,
    struct cg_coverage *);
/* The inclusive cost that the source stated; false if it stated none. */
bool cg_stated_inclusive(struct cg_rows *, struct cg_cost *);

/* ---- The graph: lines --------------------------------------------------- */

/*
 * The same rows by source file, for formats that are about lines:
 *
 *	struct cg_lines *lines = cg_lines_new(graph, part);
 *	while (lines && cg_next_file(lines, &file))
 *		while (cg_next_line(lines, &line)) ...
 *	cg_lines_free(lines);
 *
 * Files come folder by folder, all that have functions or rows; file 0, the
 * unknown one, comes first if it has rows. Memory: a function's place for
 * each file that it has rows in, and the rows of some files. Failures are the
 * job's, as above.
 */
struct cg_lines;
struct cg_lines *cg_lines_new(const struct cg_graph *, cg_part);
/*
 * Files that the part's source lists come in its order: they exchange places
 * with one another. Rows of no line are left out.
 */
struct cg_lines *cg_lines_new_listed(const struct cg_graph *, cg_part);
/*
 * The same of another part, from its first file on, faster than anew. Of many
 * parts, each has the functions alone that have rows or are called there.
 */
bool cg_lines_turn(struct cg_lines *, cg_part);
void cg_lines_free(struct cg_lines *);
bool cg_next_file(struct cg_lines *, cg_file *);
/* Begins with the first file once more. */
void cg_first_file(struct cg_lines *);
/*
 * Functions with a name whose own file it is, by first line, column, number in
 * the unit; how many. Lives until the next file.
 */
size_t cg_file_fns(const struct cg_lines *, const cg_fn **);
/*
 * What cg_get_coverage() says of the i-th of them, in one pass with the lines
 * where cg_lines_new_listed() made them. False as cg_rows_open().
 */
bool cg_file_coverage(struct cg_lines *, size_t i, struct cg_coverage *);
/* Where a function begins: what was said, or its lowest line; 0: unknown. */
uint32_t cg_fn_line(const struct cg_lines *, cg_fn);
/* Which of its unit's functions it is, from 1 (the last); 0: not known. */
uint32_t cg_fn_number(const struct cg_lines *, cg_fn);
/* How often it was called, recursion and all; false if no call is known. */
bool cg_fn_entries(const struct cg_lines *, cg_fn, uint64_t *count);

struct cg_line {
	uint32_t line;        /* 0: unknown */
	cg_fn fn;             /* maybe one without a name */
	bool has_cost;        /* else it has branches alone */
	const uint64_t *cost; /* n values, as in struct cg_cost */
	size_t n;
	const struct cg_branch *branch; /* by kind, block, index */
	size_t branches;
};
/*
 * One for each line and function: by line, then functions in the order above,
 * those of other files behind. Lives until the next file.
 */
bool cg_next_line(struct cg_lines *, struct cg_line *);
/* Its branches of a kind: up to *end. */
const struct cg_branch *cg_line_rows(const struct cg_line *,
    enum cg_branch_kind, const struct cg_branch **end);
/* Begins with the file's first line once more. */
void cg_first_line(struct cg_lines *);

struct cg_line_sum {
	uint32_t line;
	bool has_cost;
	uint64_t cost;        /* of one event */
	/*
	 * Arcs, then conditions; instances of a template are added one by one
	 * if they have the same ones. Blocks are numbered from 0.
	 */
	const struct cg_branch *branch;
	size_t branches;
};
/* The next line with all its functions added up. Lives until the next. */
bool cg_next_line_sum(struct cg_lines *, size_t event, struct cg_line_sum *);

/* ---- The graph: stacks -------------------------------------------------- */

/* Call stacks: nodes are numbered with parents before children. */
struct cg_stack {
	cg_node node, parent;
	cg_fn fn;
	struct cg_pos pos;
	bool inlined; /* into the parent's function */
};
void cg_get_node(const struct cg_graph *, cg_node, struct cg_stack *);
/*
 * Stacks with a cost of their own, by node, then labels. For a format that does
 * not carry CG_LABELS there are none, and a node has one of a part.
 */
struct cg_stack_cost {
	cg_node leaf;
	cg_labels labels;
	uint64_t samples;
	const uint64_t *cost;
	size_t n;
};
bool cg_next_stack(const struct cg_graph *, cg_part, size_t *i,
    struct cg_stack_cost *);
/* Sets of labels are 1 to count. */
size_t cg_labels_count(const struct cg_graph *);
/*
 * Label i of a set, texts before numbers, each by key; false past the last.
 */
bool cg_get_label(const struct cg_graph *, cg_labels, size_t i,
    struct cg_label *);
/*
 * The description of a part whose stacks are an estimate (--guess-stacks); what
 * is written of them says so. Is it there, in any of the parts?
 */
#define CG_GUESSED_KEY "Stacks"
#define CG_GUESSED_VALUE "estimated from calls"
bool cg_stacks_guessed(const struct cg_graph *, cg_part);

/* ---- The graph: sums ---------------------------------------------------- */

/*
 * Inclusive cost per function in a part, or over CG_ALL_PARTS: what the source
 * stated, else self plus calls that leave the function's cycle. Cycles are
 * numbered from 1; a function in none has cycle 0. calls_in is the sum of the
 * counts of calls from others. NULL: out of memory, or a sum does not fit.
 *
 * What only stacks tell (CG_STACKS) is 0 here until cg_job_derive() has made
 * calls of them. Stacks are gone then: who wants them written writes first.
 */
struct cg_sums;
/* Without costs only calls, cycles and roots, in a fraction of the time. */
struct cg_sums *cg_sums_new(const struct cg_graph *, cg_part, bool costs);
/* Sums of so many events alone, from event on: a fraction of the memory. */
struct cg_sums *cg_sums_of(
    const struct cg_graph *, cg_part, size_t event, size_t events);
void cg_sums_free(struct cg_sums *);
uint64_t cg_sum_self(const struct cg_sums *, cg_fn, size_t event);
uint64_t cg_sum_inclusive(const struct cg_sums *, cg_fn, size_t event);
uint64_t cg_sum_calls_in(const struct cg_sums *, cg_fn);
uint32_t cg_sum_cycle(const struct cg_sums *, cg_fn);
/* No other function calls it (recursion and <spontaneous> aside). */
bool cg_sum_is_root(const struct cg_sums *, cg_fn);
size_t cg_cycle_count(const struct cg_sums *);
/* A function outside the cycle calls one in it (<spontaneous> aside). */
bool cg_cycle_is_called(const struct cg_sums *, uint32_t cycle);

/* ---- Writing ------------------------------------------------------------ */

/*
 * For writers of one event: the one that the option event names, else that
 * called usual (NULL: none is) if it is there, else cg_main_event(). If there
 * are more and none was asked for, a warning says which it is. CG_OK,
 * CG_EUSAGE for a name that is not there, CG_EINPUT if there is no event at
 * all.
 */
int cg_choose_event(
    struct cg_job *, const struct cg_graph *, const char *usual, size_t *event);
/* The option, to stand in their tables. */
#define CG_OPTION_EVENT                                            \
	{                                                          \
		.name = "event", .type = CG_STRING, .arg = "NAME", \
		.help = "event to write, where there are more",    \
		.writing = true                                    \
	}

void cg_putc(struct cg_out *, char);
void cg_put(struct cg_out *, struct cg_slice);
void cg_puts(struct cg_out *, const char *);
void cg_putu(struct cg_out *, uint64_t);
void cg_putf(struct cg_out *, const char *fmt, ...) CG_PRINTF(2, 3);
/* Within a line: breaks and NULs as \n, \r, \0. True: there were any. */
bool cg_put_inline(struct cg_out *, struct cg_slice);
/* A JSON string with its quotes; bytes that are no UTF-8 as \udcXX. */
void cg_put_json(struct cg_out *, struct cg_slice);
/*
 * XML text, good in elements and in "..." of attributes; what XML cannot hold
 * (control characters, bytes that are no UTF-8) as U+FFFD.
 */
void cg_put_xml(struct cg_out *, struct cg_slice);
/*
 * Room for n bytes (up to CG_RESERVE_MAX) to format into; never NULL.
 * cg_out_advance() says where the text ended.
 */
#define CG_RESERVE_MAX 65536
char *cg_out_reserve(struct cg_out *, size_t n);
void cg_out_advance(struct cg_out *, const char *end);
/* CRC-32 (zlib's) of what was put since the first call, which returns 0. */
uint32_t cg_out_crc32(struct cg_out *);
/* CG_OK, or CG_EOUTPUT (reported by the job). */
int cg_out_status(const struct cg_out *);

/* ---- Symbols ------------------------------------------------------------ */

/*
 * What an ELF object says of addresses. Opened through the job, which keeps
 * it and shares it between inputs; NULL if the file cannot be opened or is
 * no ELF file (reported as a warning unless quiet). Addresses are those in
 * the file, before any load bias. Nothing is fetched from a network, and no
 * path named in the file is opened but those of separate debug files by
 * build-id and debuglink.
 */
struct cg_symbols;
const struct cg_symbols *cg_open_symbols(struct cg_job *, const char *path,
    bool quiet);

struct cg_elf {
	const char *path;     /* as given */
	const char *debug;    /* separate debug file, "" if none was found */
	const char *build_id; /* hex, "" */
	const char *debuglink; /* file name, "" */
	unsigned word;        /* bytes of a pointer: 4 or 8 */
	bool big_endian;
	unsigned machine;     /* EM_... */
	unsigned type;        /* ET_... */
	uint64_t load_low;    /* lowest address of a loadable segment */
	uint64_t exec_low;    /* first byte of the first executable segment */
	uint64_t exec_offset; /* where that byte is in the file */
	uint64_t exec_high;   /* end of the last executable segment */
	uint64_t text_high;   /* end of the last executable section */
	uint64_t text_low;    /* start and end of section .text; 0: none */
	uint64_t text_end;
	size_t symbol_count;  /* of the table in use; 0: stripped */
};
const struct cg_elf *cg_symbols_elf(const struct cg_symbols *);

/* The raw symbol table, in file order, for formats with rules of their own. */
struct cg_symbol {
	uint64_t addr, size;
	const char *name;     /* as in the file, mangled */
	size_t room;          /* bytes from name to the end of its table */
	unsigned char bind, type; /* STB_..., STT_... */
	bool exec;            /* lies in an executable section */
	bool absolute, undefined;
};
bool cg_get_symbol(const struct cg_symbols *, size_t i, struct cg_symbol *);

/* A function: clones kept, .cold parts under their function's name. */
struct cg_function {
	uint64_t start, end;  /* [start, end) */
	const char *name;     /* demangled */
	const char *file;     /* "" if not known */
	uint32_t line;        /* of its declaration; 0: not known */
};
/* The function at an address; false if there is none there. */
bool cg_find_function(const struct cg_symbols *, uint64_t addr,
    struct cg_function *);
/* By name, mangled or demangled; false if none or more than one. */
bool cg_find_name(const struct cg_symbols *, struct cg_slice name,
    struct cg_function *);

/* Source place of an address: innermost frame first. */
struct cg_frame {
	const char *name;     /* function (demangled); "" if not known */
	const char *file;
	uint32_t line;
};
#define CG_FRAME_MAX 64
/* How many frames there are (1: not inlined); 0: no line known. */
size_t cg_find_frames(const struct cg_symbols *, uint64_t addr,
    struct cg_frame frames[CG_FRAME_MAX]);
/*
 * File and line alone (what inlining hides stays hidden), and [*low, *high)
 * in which the answer is the same.
 */
bool cg_find_line(const struct cg_symbols *, uint64_t addr, const char **file,
    uint32_t *line, uint64_t *low, uint64_t *high);
/* Up to n bytes of code at an address. */
struct cg_slice cg_find_code(const struct cg_symbols *, uint64_t addr,
    size_t n);
/*
 * Where a process had its objects. Turns the addresses of a process into
 * those in the files, and into frames where the objects given for symbols
 * (--exe) have them: an object serves a mapping of its build-id, else of its
 * file name. The path of a mapping is a name to compare, it is never opened.
 */
struct cg_space;
struct cg_mapping {
	uint64_t start, limit; /* [start, limit) of the process */
	uint64_t offset;       /* of start in the file */
	struct cg_slice path;
	struct cg_slice build_id; /* hex; may be empty */
};
/* For the input that is being read. NULL: out of memory. */
struct cg_space *cg_space_new(struct cg_job *, struct cg_build *);
void cg_space_free(struct cg_space *);
/* Its number, from 1; 0: out of memory. */
uint32_t cg_space_add(struct cg_space *, const struct cg_mapping *);
/* The mapping of an address, 0 if there is none. */
uint32_t cg_space_find(struct cg_space *, uint64_t addr);
/* Of a mapping (0: none): its object, and what to take off its addresses. */
cg_object cg_space_object(struct cg_space *, uint32_t mapping);
uint64_t cg_space_bias(const struct cg_space *, uint32_t mapping);
/*
 * The frames at an address (of a call: any byte of it), innermost first; all
 * but the last are inlined. One without a name is called by its address.
 */
size_t cg_space_frames(struct cg_space *, uint32_t mapping, uint64_t addr,
    struct cg_stack frames[CG_FRAME_MAX]);
/* Demangled (C++, Rust, D) or the name itself. */
const char *cg_demangle(struct cg_job *, const char *name);

/* ---- Archives ----------------------------------------------------------- */

/*
 * tar and zip, packed or not: their members one after the other, as they come
 * in the archive. Nothing is written to disk. What is reported goes to the
 * job's reporter; the archive is to be closed before the job is freed.
 */
struct cg_archive;
struct cg_member {
	const char *name; /* as it is there: do not trust it */
	int64_t mtime;    /* seconds since 1970 */
	uint64_t size;    /* as the archive says; 0: it does not */
	bool file;        /* a regular file: it has bytes */
	bool folder;      /* neither: a link, a device */
};
/* NULL and CG_OK: it is no archive. */
int cg_archive_open(struct cg_job *, const char *path, struct cg_archive **);
/* The next member, which lives until the next call; false at the end. */
bool cg_archive_next(struct cg_archive *, struct cg_member *);
/* Its bytes: how many were read, 0 at its end, -1 on errors. */
ptrdiff_t cg_archive_read(struct cg_archive *, char *buf, size_t size);
/* CG_OK, or why the archive ended early (reported). */
int cg_archive_status(const struct cg_archive *);
void cg_archive_close(struct cg_archive *);

/* ---- Jobs --------------------------------------------------------------- */

/*
 * One conversion. Set it up, run it, free it. Every failure has been
 * reported when a call returns a status other than CG_OK.
 */
struct cg_job *cg_job_new(const struct cg_module *const *modules,
    cg_reporter *, void *arg);
void cg_job_free(struct cg_job *);
/* Messages go there from now on. */
void cg_job_set_reporter(struct cg_job *, cg_reporter *, void *arg);
/*
 * Another job with the same settings, formats, options and objects, without
 * inputs and output; to be freed before the first. They share what is known of
 * the objects, so both are of one thread. NULL: out of memory.
 */
struct cg_job *cg_job_twin(struct cg_job *);
/*
 * "-" is standard input. ELF files among the inputs become objects, folders
 * become the files in them that a format gathers.
 */
int cg_job_add_input(struct cg_job *, const char *path);
/* An object for symbols (--exe). */
int cg_job_add_object(struct cg_job *, const char *path);
/* Object i that was added, NULL past the last. */
const char *cg_job_object(const struct cg_job *, size_t i);
int cg_job_set_from(struct cg_job *, const char *format);
int cg_job_set_to(struct cg_job *, const char *format);
/* Of packed files that are read; only gz is written, too. */
#define CG_PACKED_SUFFIXES "xz;bz2;zst;lz4"
/*
 * "-" is standard output, the default. .gz packs. Where no format was set
 * before, the suffix tells it, or the name is like those of the first format
 * (none, or a number); else CG_EUSAGE.
 */
int cg_job_set_output(struct cg_job *, const char *path);
void cg_job_set_gzip(struct cg_job *, bool);
void cg_job_set_strict(struct cg_job *, bool);
/*
 * For who looks at the graph himself, before reading: cg_sums_of() is all that
 * will be asked of rows. Places of costs, jumps and branches are not kept then;
 * the facts tell that there were some.
 */
void cg_job_set_sums_only(struct cg_job *, bool);
/* Costs below zero become 0 where the target has no place for them. */
void cg_job_set_clamp(struct cg_job *, bool);
/* Where a target needs stacks and there are none, estimate them from calls. */
void cg_job_set_guess(struct cg_job *, bool);
void cg_job_set_verbose(struct cg_job *, bool);
bool cg_job_verbose(const struct cg_job *);
/*
 * Where a signal handler says to stop: once *flag is not 0, reading and
 * writing fail as if interrupted, so nothing partial is left.
 */
void cg_job_set_stop(struct cg_job *, const volatile sig_atomic_t *flag);
/*
 * Source files, whatever format names them. Map: paths in the folder from
 * become paths in to ("": relative); the first that fits counts. Patterns
 * are the shell's; one that does not begin with '/' or '*' fits at any folder.
 * Rows in files that no include fits, if there is one, or that an exclude
 * fits, are left out.
 */
int cg_job_map_path(struct cg_job *, const char *from, const char *to);
int cg_job_include(struct cg_job *, const char *pattern);
int cg_job_exclude(struct cg_job *, const char *pattern);
/* Leave decisions out of coverage, or only their ways of exceptions. */
void cg_job_drop_branches(struct cg_job *, bool throws_only);
/* Keep the inputs apart as parts instead of summing them. */
void cg_job_set_parts(struct cg_job *, bool);
/* Samples become parts by "pid", "tid", "comm" or "label:KEY". */
int cg_job_set_part_by(struct cg_job *, const char *by);
/* A module's option; value NULL for a flag that is set. */
int cg_job_set_option(struct cg_job *, const char *name, const char *value);
/*
 * Reads all inputs and freezes the graph; it lives as long as the job. Where
 * inputs are summed, a function of an unknown object in one is that of the
 * same file and name in another that knows it, if there is just one.
 */
int cg_job_read(struct cg_job *, const struct cg_graph **);
/*
 * Adds what another job has read, as an input: for who reads each with a job
 * of its own, so that a bad one costs itself alone. Such a job has no inputs;
 * cg_job_read() then makes the sum. NULL adds nothing: a sum may be empty.
 */
int cg_job_add_read(struct cg_job *, const struct cg_job *);
/*
 * The output is to be added to others: what depends on all of the inputs is
 * left to the job that adds them up.
 */
void cg_job_set_partial(struct cg_job *, bool);
/*
 * The output is share number (from 1) of count, up to CG_SHARD_MAX, of a list
 * of inputs with that hash. It is described so, if its format can: then only
 * a partial job adds some of them up, and none adds one twice, or one of
 * another list.
 */
#define CG_SHARD_MAX 65536
void cg_job_set_shard(
    struct cg_job *, uint32_t number, uint32_t count, uint64_t list);
/*
 * Derives facts as for a writer that needs them and carries all, for who
 * looks at the graph himself (CG_INCL: inclusive costs where they follow from
 * counts; CG_CALLS: also from stacks, with levels of recursion apart if the
 * option separate-recs was set). Between cg_job_read() and looking.
 */
int cg_job_derive(struct cg_job *, cg_facts needs);
/*
 * The difference of what two other jobs have read becomes this one's graph, as
 * if it had been read: what costs more after is above 0, what costs less below.
 * Where the target holds no costs below 0 and they are not to be clamped, or
 * where that is asked for, it has both side by side instead: of an event X,
 * X_before and X_after. Functions are the same that have the same name, file
 * and object; where paths differ, by their last components; where that leaves
 * one of a name, by less. Calls are counted as after. No addresses, jumps,
 * branches. Normalized, costs before are scaled to the sums of those after.
 */
enum { CG_DIFF_BESIDE = 1, CG_DIFF_NORMALIZE = 2 };
int cg_job_diff(struct cg_job *, struct cg_job *before, struct cg_job *after,
    unsigned how, const struct cg_graph **);
/* What a function of side 0 (before) or 1 (after) is in the difference. */
cg_fn cg_job_diff_fn(const struct cg_job *, int side, cg_fn);
/*
 * CG_OK, or why sums or cursors gave nothing: memory, or a sum that does not
 * fit; it has been reported.
 */
int cg_job_status(const struct cg_job *);
/* Derives what the target needs, writes, commits. After cg_job_read(). */
int cg_job_write(struct cg_job *);
int cg_job_run(struct cg_job *); /* both */
/* Were inputs left out? Then cg_job_write() returns CG_EINPUT. */
bool cg_job_skipped(const struct cg_job *);
/*
 * A file that is in memory only: an input or a companion of that very path is
 * read from there; companions are looked for nowhere else then. The bytes must
 * stay until the job is freed.
 */
int cg_job_add_memory(struct cg_job *, const char *path, struct cg_slice);
/*
 * After a failure: was it because no format claims the input (it is empty, or
 * a program)?
 */
bool cg_job_unclaimed(const struct cg_job *);
/* After a failure: could one of several inputs not be read? */
bool cg_job_one_failed(const struct cg_job *);
/* Which format an input is, how sure, and how it is packed ("", "gzip", ...). */
struct cg_detected {
	const struct cg_module *module; /* NULL: none */
	int score;
	const char *packed;
};
int cg_job_detect(struct cg_job *, const char *path, struct cg_detected *);
/* The path of input i that was read and what it was; NULL past the last. */
const char *cg_job_source(const struct cg_job *, size_t i,
    struct cg_detected *);
/* Module i that the job knows, plug-ins last; NULL past the last. */
const struct cg_module *cg_job_module(const struct cg_job *, size_t i);

/* For modules: an option's value, its fallback if not set (maybe NULL). */
const char *cg_opt(const struct cg_job *, const char *name);
bool cg_opt_flag(const struct cg_job *, const char *name);
/*
 * What a format keeps from one input to the next: size bytes, zero at first,
 * the same for the same key (an address of the format's own). release() is
 * told before they are freed, when the last input has been read. NULL: out of
 * memory (reported).
 */
void *cg_job_state(struct cg_job *, const void *key, size_t size,
    void (*release)(void *));
/* The format that is written, NULL if none is. */
const struct cg_module *cg_job_target(const struct cg_job *);
/* Looks a module up by name in a NULL-terminated table; NULL if none. */
const struct cg_module *cg_find_module(const struct cg_module *const *,
    struct cg_slice name);
/* Plug-ins: all of FILE's modules (its symbol cg_modules) join the job. */
int cg_job_load_modules(struct cg_job *, const char *path);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
