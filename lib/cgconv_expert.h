/*
 * cgconv_expert.h - for formats with special needs: costs as lines of text,
 * work in threads, symbols of ELF files, address spaces of processes.
 *
 * Contents: Cost lines, Texts, Known functions, Compression,
 * Libraries, Symbols, Unwinding
 */
#ifndef CGCONV_EXPERT_H
#define CGCONV_EXPERT_H

#include "cgconv_format.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* all else in the library is hidden */
#endif

/* ---- Cost lines --------------------------------------------------------- */

/*
 * Costs as lines of text, for reading and writing: positions, then the costs
 * of the first columns, separated by single blanks. A position is a decimal
 * number, a hexadecimal one (0x1f; addresses are written this way), or
 * relative to the line before: "+2", "-17", "*".
 */
struct cg_cost_lines {
	bool addrs, lines; /* the positions that a line has */
	bool steps, begun; /* write relative positions; a line was written */
	size_t most;       /* costs in a line, at most */
	struct cg_pos pos; /* of the line before; all lines are in its file */
};
/*
 * Adds consecutive lines of text; the text ends with a newline before end.
 * Stops at the end or at the first line of unusual form, which the caller has
 * to parse and add with cg_add_cost(). Returns where it stopped; lines->pos is
 * then the position of the last line added.
 */
const char *cg_add_cost_lines(struct cg_build *, cg_fn, struct cg_cost_lines *,
    const char *text, const char *end);
/*
 * Writes the rows that cg_next_cost() would return as lines, up to the first
 * row that is not in the file of lines->pos. True if there is such a row;
 * *file is then its file.
 */
bool cg_put_cost_lines(struct cg_rows *, struct cg_cost_lines *,
    struct cg_out *, cg_file *file);
/*
 * The first formats one line, the second only its positions. Both return the
 * end.
 */
char *cg_format_cost_line(struct cg_cost_lines *, char *to,
    const struct cg_pos *, const uint64_t *cost, size_t n);
char *cg_format_pos(const struct cg_cost_lines *, char *to,
    const struct cg_pos *);
/* The maximum size of a line of n costs, in bytes. */
#define CG_COST_LINE_MAX(n) (((n) + 3) * (CG_NUMBER_MAX + 2))

/* ---- Texts -------------------------------------------------------------- */

/*
 * For formats whose lines can be parsed independently of earlier lines:
 * threads parse blocks of lines, and the reader takes the blocks in order.
 *
 *	texts = cg_texts_new(&how);
 *	while (cg_next_text(texts, &text)) ...
 *	cg_texts_free(texts);
 */
struct cg_text {
	struct cg_slice text; /* as from cg_read_block() */
	void *own;            /* result of parse(); zeros at first */
};
struct cg_texts_how {
	struct cg_job *job;
	struct cg_in *in; /* nothing else may read from it */
	size_t own;       /* bytes */
	const void *arg;
	/*
	 * Called in any thread: parses a block; own may have the result of an
	 * earlier block, which it replaces. It must not report anything.
	 * False: out of memory.
	 */
	bool (*parse)(const void *arg, struct cg_text *);
	void (*close)(void *own); /* frees the memory that own refers to */
};
struct cg_texts;
/* Starts parsing an input in threads; NULL: out of memory (not reported). */
struct cg_texts *cg_texts_new(const struct cg_texts_how *);
void cg_texts_free(struct cg_texts *);
/*
 * The next block, valid until the next call; false at the end and on failure,
 * as for cg_read_block().
 */
bool cg_next_text(struct cg_texts *, struct cg_text **);

/* ---- Known functions ---------------------------------------------------- */

/*
 * A cache of functions of frames, by name and object: the reader adds them,
 * and threads that parse texts look them up. It has room for some 60,000;
 * lookups in threads may miss others, and functions that were just added; the
 * reader adds those itself.
 */
struct cg_known_fns;
/*
 * Returns an empty cache of functions of the builder, which must outlive it.
 * NULL: out of memory (not reported).
 */
struct cg_known_fns *cg_known_fns_new(struct cg_build *);
void cg_known_fns_free(struct cg_known_fns *);
/*
 * Returns the function with a name and object; 0: it is not in the cache. Any
 * thread may call this.
 */
cg_fn cg_find_known_fn(
    const struct cg_known_fns *, struct cg_slice name, struct cg_slice object);
/*
 * Finds or adds a function, and returns it; 0 as for cg_add_fn(). Only the
 * thread of the reader may call this.
 */
cg_fn cg_add_known_fn(
    struct cg_known_fns *, struct cg_slice name, struct cg_slice object);

/* ---- Compression --------------------------------------------------------- */

/*
 * Returns an output that passes one gzip member to write(), about as small as
 * at zlib's default level. The job's threads compress; write() is called in
 * the caller's thread. NULL: out of memory (reported).
 */
struct cg_out *cg_gzip_new(struct cg_job *, cg_write_fn *write, void *arg);
/* Ends the member and frees the output. False: out of memory (not reported). */
bool cg_gzip_end(struct cg_out *);

/*
 * A zstd stream that arrives in pieces, between other data of a format. It is
 * freed after read() has returned. NULL: out of memory, or libzstd cannot be
 * loaded (reported).
 *
 *	while (cg_unzstd_next(zstd, &piece, &bytes)) ...
 */
struct cg_unzstd;
struct cg_unzstd *cg_unzstd_new(struct cg_job *);
/*
 * Takes from the front of a piece, and sets bytes to what is decompressed, 128
 * KiB at most, valid until the next call. False: the piece is empty and all of
 * it was returned; or the data is corrupt or expands too much (reported, see
 * cg_rejected()).
 */
bool cg_unzstd_next(
    struct cg_unzstd *, struct cg_slice *piece, struct cg_slice *bytes);
/*
 * After cg_unzstd_next() has returned false: whether the pieces so far end with
 * a frame. A producer may flush a frame and never end it, as perf does.
 */
bool cg_unzstd_ended(const struct cg_unzstd *);

/* ---- Libraries ----------------------------------------------------------- */

/* A library that this one contains, or loads when an input needs it. */
struct cg_library {
	const char *name;
	const char *version; /* "": unknown */
	const char *licence; /* as SPDX names it, if it does */
	bool loaded;         /* when needed; else it is linked */
	const char *failure; /* why it cannot be loaded; NULL: it can */
};
/*
 * Library number i; false past the last one. It is loaded for that. The failure
 * is valid until the next call in this thread that loads something.
 */
bool cg_get_library(size_t i, struct cg_library *);
/* False in a static program: cg_job_load_modules() fails there. */
bool cg_has_modules(void);

/* ---- Symbols ------------------------------------------------------------ */

/*
 * Symbols of an ELF file. The job opens the file, keeps it open and shares it
 * between inputs. NULL if it cannot be opened or is not an ELF file (a warning
 * unless quiet). Addresses are those in the file, without a load bias. Nothing
 * is fetched from a network; the only other files that are opened are separate
 * debug files, found by build-id and debuglink.
 */
struct cg_symbols {
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
	uint64_t exec_offset; /* offset of that byte in the file */
	uint64_t exec_high;   /* end of the last executable segment */
	uint64_t text_high;   /* end of the last executable section */
	uint64_t text_low;    /* start and end of section .text; 0: none */
	uint64_t text_end;
	size_t symbol_count;  /* of the symbol table in use; 0: stripped */
	struct cg_lazy *lazy;   /* private: state that lookups change */
};
const struct cg_symbols *cg_open_symbols(struct cg_job *, const char *path,
    bool quiet);

/* The symbol table in file order, for formats with rules of their own. */
struct cg_symbol {
	uint64_t addr, size;
	const char *name;     /* as in the file, mangled */
	size_t room;          /* bytes from name to the end of its section */
	unsigned char bind, type; /* STB_..., STT_... */
	bool exec;            /* in an executable section */
	bool absolute, undefined;
};
bool cg_get_symbol(const struct cg_symbols *, size_t i, struct cg_symbol *);

/*
 * A function. Clones are functions of their own; .cold parts have the name of
 * their function.
 */
struct cg_function {
	uint64_t start, end;  /* [start, end) */
	const char *name;     /* demangled */
	const char *file;     /* "" if unknown */
	uint32_t line;        /* of its declaration; 0: unknown */
};
/* The function at an address; false if there is none there. */
bool cg_find_function(const struct cg_symbols *, uint64_t addr,
    struct cg_function *);
/*
 * Finds a function by name, mangled or demangled; false if there is none or
 * several.
 */
bool cg_find_name(const struct cg_symbols *, struct cg_slice name,
    struct cg_function *);

/* Maximum number of frames at an address: inlining makes several. */
#define CG_FRAME_MAX 64
/*
 * Finds the innermost file and line of an address, and the range [*low, *high)
 * of addresses with the same file and line. False: unknown.
 */
bool cg_find_line(const struct cg_symbols *, uint64_t addr, const char **file,
    uint32_t *line, uint64_t *low, uint64_t *high);
/* Returns up to n bytes of code at an address. */
struct cg_slice cg_find_code(const struct cg_symbols *, uint64_t addr,
    size_t n);
/*
 * The bytes of a section of the file, or else of its debug file; empty if
 * there is no such section, or if it is compressed. Valid as long as the
 * symbols. Returns CG_OK, or the status of a failure (not reported).
 */
int cg_find_section(const struct cg_symbols *, const char *name,
    struct cg_slice *);

/*
 * The address space of a process: turns addresses into addresses in object
 * files, and into frames, for all readers. Symbols come from the objects given
 * (--exe), else from the mapped file. A given object is used for the mapping
 * with its build-id; if the mapping has no build-id, for the mapping with its
 * file name. A mapping's file is opened when one of its addresses is looked
 * up. One warning has the number of all addresses without a name.
 */
struct cg_space;
/* What the addresses of a mapping are relative to. */
enum cg_from {
	CG_FROM_PROCESS, /* addresses in the process */
	CG_FROM_FILE,    /* offsets of bytes in the file */
	CG_FROM_LOAD,    /* 0 is the file's lowest loaded address */
	/*
	 * Either offsets in the file or addresses in the process: only
	 * addresses in files with fixed addresses get names.
	 */
	CG_FROM_UNPLACED
};
struct cg_mapping {
	uint64_t start, limit; /* [start, limit) of the process; or 0 */
	uint64_t offset;       /* of start in the file */
	struct cg_slice path;
	struct cg_slice build_id; /* hex; may be empty */
	const char *copy;      /* another path of the file, or NULL */
	enum cg_from from;
};
/*
 * For the input that is being read: after read() has returned, addresses
 * without names are reported, and the space is freed. NULL: out of memory
 * (reported).
 */
struct cg_space *cg_space_new(struct cg_job *, struct cg_build *);
/* Reports and frees at once, for inputs that have several spaces. */
void cg_space_free(struct cg_space *);
/* Adds a mapping; returns its number, from 1, or 0 when out of memory. */
uint32_t cg_space_add(struct cg_space *, const struct cg_mapping *);
/*
 * Sets a name for all functions without a name; the default is their address.
 */
void cg_space_name_unknown(struct cg_space *, const char *name);
/* Returns the number of the mapping at an address, 0 if there is none. */
uint32_t cg_space_find(struct cg_space *, uint64_t addr);
/*
 * Returns the object of a mapping; sets *bias to what to subtract from its
 * addresses. 0: mapping 0.
 */
cg_object cg_space_object(struct cg_space *, uint32_t mapping);
uint64_t cg_space_bias(const struct cg_space *, uint32_t mapping);
/*
 * Returns the frames at an address (for a call: any byte of the instruction),
 * innermost first; all but the last are inlined. A function without a name is
 * named by its address.
 */
size_t cg_space_frames(struct cg_space *, uint32_t mapping, uint64_t addr,
    struct cg_stack frames[CG_FRAME_MAX]);
/*
 * The same, but returns 0 if no symbol is known there, as in mapping 0; the
 * address is then counted for the warning. The space may be NULL, after
 * cg_space_new() failed.
 */
size_t cg_space_symbols(struct cg_space *, uint32_t mapping, uint64_t addr,
    struct cg_stack frames[CG_FRAME_MAX]);
/*
 * The same for addresses in text files, as CG_FROM_UNPLACED; the path may be
 * empty.
 */
size_t cg_space_text(struct cg_space *, struct cg_slice path, uint64_t addr,
    struct cg_stack frames[CG_FRAME_MAX]);
/*
 * Returns the address in the ELF file of such an address; without the file, or
 * if it is unclear which one is meant, the address itself. The space may be
 * NULL.
 */
uint64_t cg_space_text_addr(
    struct cg_space *, struct cg_slice path, uint64_t addr);
/* True if both addresses of the mapping are in the function of one symbol. */
bool cg_space_same_function(
    struct cg_space *, uint32_t mapping, uint64_t a, uint64_t b);

/* ---- Unwinding ---------------------------------------------------------- */

/*
 * A thread's registers in one of its frames, by their numbers in DWARF. The
 * machines are EM_X86_64 and EM_AARCH64.
 */
#define CG_REGISTERS 33
struct cg_registers {
	unsigned machine;
	uint64_t pc; /* in the frame of a caller it is after the call */
	uint64_t value[CG_REGISTERS];
	uint64_t known; /* bits: the registers that have a value */
	bool called;    /* pc is the return address of a call */
};
/* A copy of a part of the process's memory, its stack. */
struct cg_memory {
	uint64_t start;
	struct cg_slice bytes;
	bool swap; /* its byte order is not this machine's */
};
/* Returns the number of the stack pointer. */
unsigned cg_stack_pointer(unsigned machine);
enum cg_unwound {
	CG_UNWOUND,         /* the registers are the caller's */
	CG_UNWOUND_GUESSED, /* the same, by the frame pointer alone */
	CG_UNWOUND_END,     /* it is the outermost frame */
	CG_UNWOUND_SHORT,   /* the memory ends before the caller's address */
	CG_UNWOUND_UNKNOWN  /* the object does not tell how */
};
/* How to find the caller of a frame, for all frames at one address. */
struct cg_frame_rules;
/*
 * Returns the rules by the call frame information of the object that is mapped
 * there; if it has none, those by the frame pointer. addr: the pc's address in
 * the mapping, or, after a call, that of the byte before. They live as long as
 * the space. NULL: out of memory, or an unreadable object, which the space
 * reports.
 */
const struct cg_frame_rules *cg_space_rules(struct cg_space *,
    uint32_t mapping, uint64_t addr);
/*
 * Replaces the registers by those of the caller. If there is no caller, the
 * registers are undefined.
 */
enum cg_unwound cg_unwind(const struct cg_frame_rules *,
    const struct cg_memory *, struct cg_registers *);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
