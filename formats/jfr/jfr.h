/*
 * jfr.h - the way of a recording through the files of this directory:
 *
 *	jfr.c       the descriptor; recognises recordings
 *	read.c      the file: a list of chunks, each with a header
 *	rows.c      which events become costs
 *	metadata.c  a chunk's classes and their fields, which describe the rest
 *	pools.c     a chunk's constants: where each of them is
 *	records.c   values of a class, such as a constant or an event
 *	bytes.c     numbers and texts in them
 *	events.c    events become samples, with their
 *	stacks.c    stacks of functions and
 *	threads.c   labels: thread, state, class
 */
#ifndef JFR_H
#define JFR_H

#include "cgconv_parse.h"

/* ---- bytes.c ------------------------------------------------------------ */

/* The rest of a record. */
struct jfr_bytes {
	const unsigned char *at, *end;
	bool plain; /* numbers are not compressed */
};

/* A text as it is stored. */
struct jfr_text {
	unsigned encoding;
	uint64_t key; /* of a constant, for JFR_TEXT_CONSTANT */
	struct cg_slice raw;
};
enum { JFR_TEXT_NULL, JFR_TEXT_EMPTY, JFR_TEXT_CONSTANT, JFR_TEXT_UTF8,
       JFR_TEXT_CHARS, JFR_TEXT_LATIN1 };

/* Takes a big-endian number of width bytes, 1 to 8. False if fewer are left. */
bool jfr_take_fixed(struct jfr_bytes *, unsigned width, uint64_t *);
bool jfr_take_long_number(struct jfr_bytes *, unsigned width, uint64_t *);
/*
 * Takes a number of a Java type of that width, compressed or not. False:
 * malformed, and nothing is taken.
 */
static inline bool
jfr_take_number(struct jfr_bytes *b, unsigned width, uint64_t *value)
{
	if (b->at < b->end && !b->plain && *b->at < 0x80) {
		*value = *b->at++;
		return true;
	}
	return jfr_take_long_number(b, width, value);
}
#define JFR_INT 4
#define JFR_LONG 8
bool jfr_take_text(struct jfr_bytes *, struct jfr_text *);

/* ---- rows.c ------------------------------------------------------------- */

/* An event that becomes a cost. */
struct jfr_event_row {
	const char *type;
	const char *column;    /* NULL: it is dropped */
	const char *long_name;
	const char *unit;
	const char *weight;    /* the field with the cost; NULL: 1 */
	bool ticks;            /* the field is a time in ticks */
};
#define JFR_ROWS 22
extern const struct jfr_event_row jfr_event_rows[]; /* and a NULL type */

/* ---- metadata.c --------------------------------------------------------- */

/*
 * The classes that are read; others are skipped. Constants of the first ones
 * are kept.
 */
enum jfr_record {
	JFR_STRING, JFR_SYMBOL, JFR_CLASS, JFR_METHOD, JFR_FRAME_TYPE,
	JFR_STACK, JFR_THREAD, JFR_STATE,
	JFR_POOLS, /* number of classes whose constants are kept */
	JFR_FRAME = JFR_POOLS, JFR_JVM,
	JFR_EVENT, /* and on: JFR_EVENT + row of jfr_event_rows */
	JFR_OTHER = 255
};

/* Slots of a record's fields that are read; see jfr_take_record(). */
enum { SYMBOL_TEXT };
enum { CLASS_NAME };
enum { METHOD_CLASS, METHOD_NAME, METHOD_DESCRIPTOR };
enum { NAME_TEXT }; /* of a frame's type or a thread's state */
enum { STACK_TRUNCATED, STACK_FRAMES };
enum { THREAD_OS_NAME, THREAD_OS_ID, THREAD_NAME, THREAD_ID };
enum { FRAME_METHOD, FRAME_LINE, FRAME_TYPE };
enum { JVM_NAME, JVM_VERSION, JVM_ARGUMENTS, JVM_COMMAND, JVM_PID };
enum { EVENT_TIME, EVENT_THREAD, EVENT_STACK, EVENT_STATE, EVENT_CLASS,
       EVENT_WEIGHT };
#define JFR_SLOTS 6
#define JFR_NO_SLOT 255

struct jfr_want;
struct jfr_field {
	uint64_t type;   /* id of its class */
	uint32_t class;  /* index + 1 of that class; 0: unknown */
	const struct jfr_want *want; /* how the field is used; NULL: skipped */
	bool pool;       /* the value is the key of a constant */
	bool array;
	unsigned char slot;
};

enum jfr_form { JFR_FIELDS, JFR_NUMBER, JFR_FIXED, JFR_TEXT };
struct jfr_class {
	unsigned char record; /* enum jfr_record */
	unsigned char form;   /* enum jfr_form */
	unsigned char width;  /* of a number, in bytes */
	uint32_t first, fields; /* in the chunk's fields */
};

/* A constant, and the id that was made from it by the file that uses it. */
struct jfr_constant {
	uint32_t at;    /* offset in the chunk */
	uint32_t made;  /* the id; 0: not made yet, */
	bool known;     /* or, if set, an empty text */
	bool truncated; /* of a stack */
};

struct jfr_thread {
	uint64_t tid;
	cg_name name;
};

struct jfr_chunk {
	/* For the whole input: */
	struct cg_job *job;
	struct cg_build *build;
	struct cg_in *in;
	uint64_t expanded; /* bytes of texts; see jfr_expand() */
	CG_ARRAY(char) text; /* the last text that had to be converted */
	CG_ARRAY(char) name; /* the last name that was joined */
	CG_ARRAY(struct jfr_frame) frame; /* of the last stack */
	struct jfr_samples *samples;

	/* For the chunk: */
	struct jfr_bytes bytes; /* all of it */
	uint64_t pools, metadata; /* offsets */
	uint64_t start, ticks, frequency; /* ns since 1970; the same in ticks */
	CG_ARRAY(uint32_t) string; /* offsets of the metadata's texts */
	CG_ARRAY(struct jfr_class) class;
	struct cg_map class_ids; /* id -> index + 1 */
	CG_ARRAY(struct jfr_field) field;
	uint32_t pool[JFR_POOLS]; /* index + 1 of its class */
	uint32_t frame_class;     /* index + 1 of the class of frames */
	struct cg_map keys[JFR_POOLS]; /* key -> index + 1 */
	CG_ARRAY(struct jfr_constant) constant;
	CG_ARRAY(struct jfr_thread) thread;
};

/* Reads the classes of the chunk. False: failed, reported. */
bool jfr_read_metadata(struct jfr_chunk *);
/* Returns the class with an id, or NULL. */
const struct jfr_class *jfr_find_class(const struct jfr_chunk *, uint64_t id);

/* ---- records.c ---------------------------------------------------------- */

/* Returns the bytes from an offset on; empty if it is not in the chunk. */
struct jfr_bytes jfr_bytes_at(const struct jfr_chunk *, uint64_t at);
/* Reports the expected item; returns false. */
bool jfr_expected(struct jfr_chunk *, const struct jfr_bytes *, const char *);
/*
 * Reads or skips a value of the class. Fields that are used are stored in
 * slot[]: a number, the index + 1 of a constant (0: none), or the offset of a
 * text or an array. slot NULL: skips the value. False: an error (reported).
 */
bool jfr_take_record(struct jfr_chunk *, const struct jfr_class *,
    struct jfr_bytes *, uint64_t *slot);
/* Like jfr_take_record(), for a constant. False: an error (reported). */
bool jfr_get_constant(struct jfr_chunk *, enum jfr_record, uint64_t index,
    uint64_t slot[JFR_SLOTS]);
/* Returns the index + 1 of the constant with that key; 0: none. */
uint32_t jfr_find_constant(const struct jfr_chunk *, enum jfr_record,
    uint64_t key);
/*
 * Counts bytes of converted texts. Any number of constants may share a text,
 * so more bytes than the file's size allows are an error. False: an error
 * (reported).
 */
bool jfr_expand(struct jfr_chunk *, size_t bytes);
/*
 * Gets the text at an offset, as UTF-8; "" for null and offset 0. Valid until
 * the next call. False: an error (reported).
 */
bool jfr_get_text(struct jfr_chunk *, uint64_t at, struct cg_slice *);
/*
 * Gets the text of a Symbol, a frame's type or a thread's state. False: an
 * error (reported).
 */
bool jfr_get_constant_text(struct jfr_chunk *, enum jfr_record, uint64_t index,
    cg_name *);

/* ---- pools.c ------------------------------------------------------------ */

/* Finds the constants of the chunk. False: an error (reported). */
bool jfr_read_pools(struct jfr_chunk *);

/* ---- stacks.c ----------------------------------------------------------- */

/*
 * Gets the name of a class in Java's notation: "java.lang.Thread", "int[]".
 * False: an error (reported).
 */
bool jfr_get_class_name(struct jfr_chunk *, uint64_t index, cg_name *);
/* Gets the leaf node of a stack; 0: failed. Index 0: an unknown stack. */
cg_node jfr_get_stack(struct jfr_chunk *, uint64_t index, bool *truncated);

/* ---- threads.c ---------------------------------------------------------- */

/* Other data of a sample: indices of constants, or 0. */
struct jfr_who {
	uint64_t pid, thread, state, class;
};
/*
 * Sets the labels and the track of the following samples. False: an error
 * (reported).
 */
bool jfr_set_who(struct jfr_chunk *, const struct jfr_who *, bool timed);

/* ---- events.c ----------------------------------------------------------- */

/* For the whole input. */
struct jfr_samples {
	bool begun;       /* the part */
	bool timed;       /* the target can represent times */
	uint64_t pid;
	uint64_t dropped; /* events without a column */
	uint64_t truncated, count;
	unsigned column[JFR_ROWS]; /* of each row, + 1; 0: none yet */
};
bool jfr_read_events(struct jfr_chunk *);

/* ---- read.c ------------------------------------------------------------- */

#define JFR_MAGIC "FLR\0"
#define JFR_MAGIC_LEN 4
#define JFR_HEADER 68 /* bytes before the first event */
int jfr_read(struct cg_job *, struct cg_in *, struct cg_build *);

#endif
