/*
 * cgconv_parse.h - parsers for formats: text, JSON, XML; maps, arithmetic.
 *
 * Contents: Text, JSON, XML, Maps, Hashes, Numbers, MD5, Decompression limits,
 * Arithmetic
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
 * Each cg_take_*() consumes from the front of the slice and returns true, or
 * leaves the slice as it was and returns false.
 */
bool cg_take_char(struct cg_slice *, char);
bool cg_take_prefix(struct cg_slice *, const char *);
/* Blanks and tabs; false if there were none. */
bool cg_take_blanks(struct cg_slice *);
/* Takes a run of bytes that are neither blank nor tab. */
bool cg_take_word(struct cg_slice *, struct cg_slice *word);
/*
 * Everything up to sep or the end, without sep, which is consumed too. False if
 * the slice is empty.
 */
bool cg_take_until(struct cg_slice *, char sep, struct cg_slice *word);
/* The next line without its newline, which is consumed. False at the end. */
bool cg_take_line(struct cg_slice *, struct cg_slice *line);
/* Decimal digits, or 0x and hex digits; false also on overflow. */
bool cg_take_u64(struct cg_slice *, uint64_t *);
/*
 * Decimal digits, optionally with a point and more digits, times 10 to the
 * power of digits (at most 18); smaller digits are dropped. False also on
 * overflow.
 */
bool cg_take_fixed(struct cg_slice *, unsigned digits, uint64_t *);
/*
 * Reads lower-case hex digits at the start of text, at most as many as fit.
 * Returns the end of them.
 */
const char *cg_get_hex(const char *text, uint64_t *);
/* Gets the number that is the whole slice, as cg_take_u64(). */
bool cg_get_u64(struct cg_slice, uint64_t *);
/* Returns the slice without blanks and tabs at both ends. */
struct cg_slice cg_trim(struct cg_slice);
/* Removes the carriage return from the end of a line, if there is one. */
void cg_cut_return(struct cg_slice *line);
/* Removes sep and the decimal digits after it from the end: "a.c:12". */
bool cg_cut_number(struct cg_slice *, char sep, uint32_t *);
/*
 * Removes what GCC and LLVM append to the names of parts and copies of
 * functions from the end: ".constprop.0.cold" of "f.constprop.0.cold". Each
 * suffix ends with a number, which .cold may have. "java.pkg.part" has none.
 */
void cg_cut_clone(struct cg_slice *name);
/* Returns the first occurrence of what (not empty) in the text, or NULL. */
const char *cg_find(struct cg_slice, const char *what);
/*
 * Finds the word nearest to a misspelt one: set to, then offer each word. word
 * is then the nearest one; NULL if none differs by at most CG_NEAREST_MAX
 * added, missing, replaced or swapped letters, and by less than half of either
 * word.
 */
#define CG_NEAREST_MAX 2
struct cg_nearest {
	struct cg_slice to;
	const char *word;
	size_t apart; /* how many letters differ */
};
void cg_nearest_offer(struct cg_nearest *, const char *word);
/*
 * Returns the length of the UTF-8 sequence at a byte from 0x80 on; 0 if it is
 * not valid (RFC 3629: no overlong forms, no surrogates, nothing above
 * U+10FFFF).
 */
size_t cg_utf8_length(const char *, const char *end);

/*
 * Bytes that cg_format_*() need; they write no NUL and return the end. Bytes
 * after the end may be overwritten, too.
 */
#define CG_NUMBER_MAX 24
char *cg_format_u64(char *to, uint64_t);  /* decimal */
char *cg_format_i64(char *to, int64_t);
char *cg_format_hex(char *to, uint64_t);  /* 0x1f; zero is 0x0 */
/* Returns 10 to the power of digits (at most 18). */
static inline uint64_t
cg_power_of_ten(unsigned digits)
{
	static const uint64_t power[] = { 1, 10, 100, 1000, 10000, 100000,
		1000000, 10000000, 100000000, 1000000000, 10000000000,
		100000000000, 1000000000000, 10000000000000, 100000000000000,
		1000000000000000, 10000000000000000, 100000000000000000,
		1000000000000000000 };

	return power[digits];
}

/* ---- JSON --------------------------------------------------------------- */

/*
 * A pull tokenizer: of a slice that contains a whole value, such as a line of
 * JSON Lines, or of an input of any size, in the memory of its window. RFC
 * 8259 without extensions; at most CG_JSON_DEPTH levels.
 *
 * The struct is public because readers look at its fields for each token.
 * Members marked private belong to the library.
 */
#define CG_JSON_DEPTH 1024 /* V8 nests call trees; its stacks end at 255 */
enum cg_json_type {
	CG_JSON_END,    /* only white space is left */
	CG_JSON_BAD,    /* syntax error at json->at; error says what */
	CG_JSON_ARRAY, CG_JSON_ARRAY_END, CG_JSON_OBJECT, CG_JSON_OBJECT_END,
	CG_JSON_KEY, CG_JSON_STRING, CG_JSON_NUMBER, CG_JSON_TRUE,
	CG_JSON_FALSE, CG_JSON_NULL
};
struct cg_json {
	struct cg_slice rest;  /* input that was not read yet */
	const char *at;        /* start of the current token */
	const char *error;     /* after CG_JSON_BAD: "expected ..." */
	/*
	 * KEY, STRING: the text between the quotes, with its escapes. NUMBER:
	 * its text. If the source is an input, it is valid until the next
	 * token.
	 */
	struct cg_slice text;
	bool escaped;          /* text contains a backslash */
	bool whole;            /* of NUMBER: 1 to 18 digits, nothing else */
	bool plain;            /* ... or with a sign or a point, no exponent */
	unsigned places;       /* of plain: digits after the point */
	uint64_t value;        /* of plain: all digits, without the sign */
	unsigned depth;
	bool in_object;        /* private: the innermost level is an object */
	uint64_t objects[CG_JSON_DEPTH / 64]; /* private: bits of objects */
	unsigned expect;       /* private */
	struct cg_in *in;      /* private: the input, or NULL */
};
/*
 * Reports a syntax error, or that the token is not what was expected; returns
 * false, as cg_reject(). An error of the input was reported already.
 */
bool cg_json_reject(
    struct cg_job *, const struct cg_json *, const char *expected);
void cg_json_start(struct cg_json *, struct cg_slice);
/* The same for an input; nothing else may read from it afterwards. */
void cg_json_open(struct cg_json *, struct cg_in *);
enum cg_json_type cg_json_next(struct cg_json *);
/*
 * Takes the next elements of an array while they are whole numbers of at most
 * max, up to room numbers. It may stop earlier, where its fast path ends.
 * Returns their number; cg_json_next() takes the element after them.
 */
size_t cg_json_numbers(
    struct cg_json *, uint32_t max, uint32_t *number, size_t room);
/*
 * After an outermost value: true if another one follows (JSON Lines); its
 * tokens are next.
 */
bool cg_json_another(struct cg_json *);
/*
 * Skips the rest of the value that begins with the current token, whose type
 * is passed; false after a syntax error in it.
 */
bool cg_json_skip(struct cg_json *, enum cg_json_type);
/*
 * Returns the string without escapes: json->text itself if it has none, else
 * in buf, which must have json->text.len bytes. A lone surrogate \udc80 to
 * \udcff is the byte 0x80 to 0xff (a name need not be UTF-8); any other lone
 * surrogate becomes U+FFFD.
 */
struct cg_slice cg_json_string(const struct cg_json *, char *buf);

/*
 * A JSON document of a known shape. Each call consumes the token or value that
 * its comment names and returns true, or reports that it was expected. After
 * an error all calls return false and cg_doc_close() returns the status.
 *
 *	cg_doc_open(&doc, job, in, build, arg);
 *	cg_doc_fields(&doc, fields, into);
 *	return cg_doc_close(&doc);
 */
struct cg_doc {
	struct cg_job *job;
	struct cg_build *build;
	void *arg;              /* for the reader */
	struct cg_json json;
	enum cg_json_type type; /* private, and all that follows */
	bool ahead, stopped;
	int status;
	char *buf;
	size_t size;
};
void cg_doc_open(struct cg_doc *, struct cg_job *, struct cg_in *,
    struct cg_build *, void *arg);
/* Expects the end of the document; returns the status, also the builder's. */
int cg_doc_close(struct cg_doc *);
/* Reports what was expected instead of the last token; returns false. */
bool cg_doc_fail(struct cg_doc *, const char *expected);
/*
 * cg_doc_object() and cg_doc_array() take the beginning of an object or array;
 * cg_doc_key() and cg_doc_item() its next key or item. The latter return false
 * at the end of the object or array, which they consume.
 */
bool cg_doc_object(struct cg_doc *);
bool cg_doc_key(struct cg_doc *, struct cg_slice *key); /* as cg_doc_text() */
bool cg_doc_array(struct cg_doc *);
bool cg_doc_item(struct cg_doc *);
/* The type of the next token, which is not consumed. */
enum cg_json_type cg_doc_next(struct cg_doc *);
/*
 * For formats that may lack the last ']': true if the input ends where the next
 * item would begin; the document then ends there.
 */
bool cg_doc_stops(struct cg_doc *);
/* Takes a string; valid until the next call on the document. */
bool cg_doc_text(struct cg_doc *, struct cg_slice *);
/*
 * Takes a number, multiplied by 10 to the power of digits, rounded half away
 * from zero.
 */
bool cg_doc_number(struct cg_doc *, unsigned digits, int64_t *);
/* Skips a value of any type. */
bool cg_doc_skip(struct cg_doc *);

/*
 * Reads the members of an object by a table that ends with a NULL name: members
 * in the table go into the struct at into, others are skipped, and so is null.
 */
enum cg_field_type {
	CG_FIELD_NAME,  /* a string, into a cg_name */
	CG_FIELD_INT,   /* a number times 10 to digits, into an int64_t */
	CG_FIELD_COUNT, /* the same, not negative, into an uint64_t */
	CG_FIELD_CALL,  /* take() reads it; its into points to offset, too */
	CG_FIELD_EACH   /* an array; take() reads each item, likewise */
};
struct cg_field {
	const char *name;
	enum cg_field_type type;
	size_t offset;
	bool (*take)(struct cg_doc *, void *into);
	unsigned digits;
};
bool cg_doc_fields(struct cg_doc *, const struct cg_field *, void *into);
/* Takes the value of one key, which was consumed. */
bool cg_doc_field(struct cg_doc *, const struct cg_field *,
    struct cg_slice key, void *into);

/*
 * For probe(): the keys of a NULL-terminated list that the head of a JSON
 * document has; bit i stands for keys[i]. "nodes.id" is key id of an object
 * that is the value of the outermost object's key nodes, or an element of an
 * array there. Arrays, even the outermost one, do not count as levels.
 */
unsigned cg_head_keys(const struct cg_head *, const char *const *keys);
/*
 * For probe() of XML: the tag of the root element, without '<' and '>', and
 * the text after it. False: the text does not begin as an XML document.
 */
bool cg_head_root(const struct cg_head *, struct cg_slice *tag,
    struct cg_slice *rest);
/* For probe() of text: the first line that is not blank, trimmed. */
struct cg_slice cg_head_line(const struct cg_head *);

/* ---- XML ---------------------------------------------------------------- */

/*
 * A pull reader. It opens nothing but the input, knows no entities but &lt;
 * &gt; &amp; &quot; &apos; and characters by number, and has limits:
 * CG_XML_DEPTH levels, tags of 256 KiB, texts of 1 MiB.
 *
 *	struct cg_xml *xml = cg_xml_new(job, in);
 *	while (xml && (type = cg_xml_next(xml)) != CG_XML_END) ...
 *	status = xml ? cg_xml_status(xml) : CG_ELIMIT;
 *
 * <a/> is an OPEN and a CLOSE. A text comes in one piece, for
 * cg_xml_content(); text of only white space is skipped, and so are comments
 * and processing instructions. Prefixes of names are dropped. All text is
 * UTF-8. Results are valid until the next cg_xml_next().
 */
#define CG_XML_DEPTH 256
enum cg_xml_type {
	CG_XML_END, /* end of the document, or an error (reported) */
	CG_XML_OPEN, CG_XML_CLOSE, CG_XML_TEXT
};
struct cg_xml;
/* Freed with the memory of read(): see cg_alloc(). NULL: failed (reported). */
struct cg_xml *cg_xml_new(struct cg_job *, struct cg_in *);
enum cg_xml_type cg_xml_next(struct cg_xml *);
/*
 * Returns the name of an element (OPEN and CLOSE). Equal names have the same
 * address as long as the document is read.
 */
struct cg_slice cg_xml_name(struct cg_xml *);
/* The value of an attribute (OPEN); false and "" if the element has none. */
bool cg_xml_attribute(const struct cg_xml *, const char *name,
    struct cg_slice *value);
/* The same as a number; false and 0 if it is absent or not a number. */
bool cg_xml_number(const struct cg_xml *, const char *name, uint64_t *);
/*
 * Returns the number of open elements, including one that opens or closes now.
 */
unsigned cg_xml_depth(const struct cg_xml *);
/*
 * Returns the beginning of the tag or text, for cg_fail_at() and cg_warn_at().
 */
const char *cg_xml_at(const struct cg_xml *);
/* Reports what was expected there, as cg_reject_at(); returns false. */
bool cg_xml_reject(const struct cg_xml *, const char *expected);
/*
 * Call it after OPEN; it reads up to the element's CLOSE. Joins all texts in
 * between, valid until the next call of this function; with NULL for text,
 * skips the element. False at the end.
 */
bool cg_xml_content(struct cg_xml *, struct cg_slice *text);
/*
 * The next child of the open element; skips texts. Read each child to its end
 * before the next call. False at the end of the outer element, or after an
 * error: see cg_xml_status().
 */
bool cg_xml_child(struct cg_xml *, struct cg_slice *name);
/* Returns CG_OK, or why cg_xml_next() ended early. */
int cg_xml_status(const struct cg_xml *);

/* ---- Maps --------------------------------------------------------------- */

/*
 * A hash table from numbers to numbers. Readers use it for the ids of an
 * input, so that no number from a file determines the size of an array. Starts
 * as { 0 }.
 */
struct cg_map {
	struct cg_map_table *table; /* private */
};
/*
 * Returns the address of the key's value, which is 0 if the key is new; valid
 * until the next call. NULL: out of memory (not reported).
 */
uint32_t *cg_map_at(struct cg_map *, uint64_t key);
/*
 * The same for a map that belongs to a read() or write() and is freed with its
 * memory (see cg_alloc()). NULL: out of memory (reported).
 */
uint32_t *cg_map_in(struct cg_job *, struct cg_map *, uint64_t key);
/* Returns the value, or 0 if there is none. */
uint32_t cg_map_get(const struct cg_map *, uint64_t key);
/* Prefetches the key, which will be looked up soon. */
void cg_map_prefetch(const struct cg_map *, uint64_t key);
/* Removes all keys; the table takes no memory until a key is added. */
void cg_map_clear(struct cg_map *);
void cg_map_free(struct cg_map *);

/*
 * A hash table of items that have an id, a number other than 0, and that the
 * caller compares: it takes half of the memory of a map from hashes to ids.
 * Starts as { 0 }.
 */
struct cg_slots {
	struct cg_id_slot *slot;
	size_t count, used;
};
struct cg_id_slot {
	uint32_t id;   /* 0: free */
	uint32_t hash; /* compared first, to skip most other items */
};
/* Makes room for one more item; false: out of memory (not reported). */
bool cg_slots_grow(struct cg_slots *);
/* Adds an item, for which there is room. */
void cg_slots_fill(struct cg_slots *, struct cg_id_slot);
/*
 * Returns the id of the next item with that hash; 0 if there is none. Set *at
 * to the hash before the first call; then it is a position in the table.
 */
static inline uint32_t
cg_slots_next(const struct cg_slots *slots, uint32_t hash, size_t *at)
{
	const struct cg_id_slot *slot;

	if (slots->count == 0)
		return 0;
	do
		slot = &slots->slot[(*at)++ & (slots->count - 1)];
	while (slot->id != 0 && slot->hash != hash);
	return slot->id;
}
/* Prefetches the items with that hash, which will be looked up soon. */
static inline void
cg_slots_prefetch(const struct cg_slots *slots, uint32_t hash)
{
#if defined(__GNUC__)
	if (slots->count > 0)
		__builtin_prefetch(&slots->slot[hash & (slots->count - 1)]);
#else
	(void)slots, (void)hash;
#endif
}
void cg_slots_free(struct cg_slots *);

/* ---- Hashes ------------------------------------------------------------- */

/*
 * Returns a hash of the length and of the first and last 8 bytes, in which
 * names mostly differ. Collisions are easy to construct, so do not use it for
 * tables of names from inputs; use it for caches that compare their entries.
 */
uint32_t cg_hash_ends(struct cg_slice name);

/*
 * SipHash-1-3, for tables of names from inputs: without the key, nobody can
 * construct names with equal hashes.
 */
uint64_t cg_hash_bytes(const uint64_t key[2], const char *, size_t len);
/*
 * A key for cg_hash_bytes(). table: any address in the process; it replaces
 * the random bytes if the system has no source of entropy.
 */
void cg_random_key(uint64_t key[2], const void *table);

/* ---- Numbers ------------------------------------------------------------ */

/*
 * A list of numbers in a compact encoding, to be read again later. Starts as {
 * 0 }.
 */
struct cg_numbers {
	unsigned char *byte; /* private, except for */
	size_t bytes;        /* the position of the next number */
	size_t cap;
};
/*
 * Appends a number to a list, which belongs to a read() or write() and is
 * freed with its memory (see cg_alloc()). False: out of memory (reported).
 */
bool cg_numbers_in(struct cg_job *, struct cg_numbers *, uint64_t);
bool cg_numbers_in_signed(struct cg_job *, struct cg_numbers *, int64_t);
/* Gets the number at *at and moves *at to the next one; false at the end. */
bool cg_numbers_get(const struct cg_numbers *, size_t *at, uint64_t *);
bool cg_numbers_get_signed(const struct cg_numbers *, size_t *at, int64_t *);

/* ---- MD5 ----------------------------------------------------------------- */

/* RFC 1321; for formats that identify texts by it. */
#define CG_MD5_SIZE 16
void cg_md5(struct cg_slice, unsigned char digest[CG_MD5_SIZE]);

/* ---- Decompression limits ------------------------------------------------ */

/*
 * One rule for all decompression: CG_EXPANSION_FREE bytes in any case; above
 * that, a multiple of the compressed size, over all layers.
 *
 * A stream may grow to CG_EXPANSION_MAX times its size, as profiles of long
 * runs repeat themselves and histograms are mostly zeros. (gzip reaches
 * 1032:1, lz4 255:1, the others a million to one.) Debug sections are kept in
 * memory as a whole and may grow to CG_EXPANSION_HELD times: they are
 * compressed to a third, the symbols of MiniDebugInfo to a fifth. The same
 * limit applies to tables in which a few bytes stand for many: frames of
 * inlined code, labels.
 */
#define CG_EXPANSION_FREE ((uint64_t)64 << 20)
#define CG_EXPANSION_MAX 1000
#define CG_EXPANSION_HELD 32

static inline bool
cg_is_bomb(uint64_t unpacked, uint64_t packed, unsigned most)
{
	return unpacked > CG_EXPANSION_FREE && unpacked / most > packed;
}

/* ---- Arithmetic --------------------------------------------------------- */

/*
 * Returns a * b / divisor, rounded down; the product may have 128 bits.
 * UINT64_MAX if the quotient does not fit or divisor is 0.
 */
uint64_t cg_mul_div(uint64_t a, uint64_t b, uint64_t divisor);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
