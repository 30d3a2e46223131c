/*
 * cgconv_parse.h - parsers for formats: text, JSON, XML; maps, arithmetic.
 *
 * Contents: Text, JSON, XML, Maps, Arithmetic
 */
#ifndef CGCONV_PARSE_H
#define CGCONV_PARSE_H

#include "cgconv_format.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* all else in the library is hidden */
#endif

/* ---- Text --------------------------------------------------------------- */

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
/* The token is not what was expected, if not for a syntax error. */
int cg_json_fail(struct cg_job *, const struct cg_json *, const char *expected);
/* The same, as cg_reject(): returns false. */
bool cg_json_reject(
    struct cg_job *, const struct cg_json *, const char *expected);
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
/* The same, as cg_reject(): returns false. */
bool cg_xml_reject(const struct cg_xml *, const char *expected);
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

/* ---- Maps --------------------------------------------------------------- */

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
void cg_map_prefetch(const struct cg_map *, uint64_t key);
void cg_map_free(struct cg_map *);

/* ---- Arithmetic --------------------------------------------------------- */

/*
 * a * b / divisor, rounded down; the product may have 128 bits. UINT64_MAX if
 * the quotient does not fit or divisor is 0.
 */
uint64_t cg_mul_div(uint64_t a, uint64_t b, uint64_t divisor);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
