/*
 * cgconv_expert.h - for formats with special needs: costs as lines of text,
 * work in threads, symbols of ELF files, address spaces of processes.
 *
 * Contents: Cost lines, Texts, Known functions, Compression, Symbols
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
 * Costs as lines of text, for reading and writing: positions, then costs of the
 * first columns, separated by single blanks. A position is a decimal number, a
 * hexadecimal one (0x1f; addresses are written so), or relative to the line
 * before: "+2", "-17", "*".
 */
struct cg_cost_lines {
	bool addrs, lines; /* which positions a line has */
	bool steps, begun; /* write relative ones; there is a line before */
	size_t most;       /* costs in a line, at most */
	struct cg_pos pos; /* of the line before; all have its file */
};
/*
 * Adds consecutive lines of text, which ends with a newline before end. Stops
 * at the end or at the first line that is not of the usual shape, which the
 * caller has to parse and add with cg_add_cost(). Returns where it stopped;
 * lines->pos is then that of the last line added.
 */
const char *cg_add_cost_lines(struct cg_build *, cg_fn, struct cg_cost_lines *,
    const char *text, const char *end);
/*
 * Writes the rows that cg_next_cost() would return as lines, as long as they
 * are in the file of lines->pos. True if rows of another file follow, which is
 * then *file.
 */
bool cg_put_cost_lines(struct cg_rows *, struct cg_cost_lines *,
    struct cg_out *, cg_file *file);
/* Formats one line; the positions of one line. Both return the end. */
char *cg_format_cost_line(struct cg_cost_lines *, char *to,
    const struct cg_pos *, const uint64_t *cost, size_t n);
char *cg_format_pos(const struct cg_cost_lines *, char *to,
    const struct cg_pos *);
/* Bytes that a line of n costs needs at most. */
#define CG_COST_LINE_MAX(n) (((n) + 3) * (CG_NUMBER_MAX + 2))

/* ---- Texts -------------------------------------------------------------- */

/*
 * For formats whose lines can be parsed without what stands before them: threads
 * parse blocks of lines, and the reader takes these in order.
 *
 *	texts = cg_texts_new(&how);
 *	while (cg_next_text(texts, &text)) ...
 *	cg_texts_free(texts);
 */
struct cg_text {
	struct cg_slice text; /* as from cg_read_block() */
	void *own;            /* what parse() makes of it; zeros at first */
};
struct cg_texts_how {
	struct cg_job *job;
	struct cg_in *in; /* nothing else may be read from it meanwhile */
	size_t own;       /* bytes */
	const void *arg;
	/*
	 * In any thread: parses a block, and replaces what own has of an earlier
	 * one. It reports nothing. False: out of memory.
	 */
	bool (*parse)(const void *arg, struct cg_text *);
	void (*close)(void *own); /* frees what is in it */
};
struct cg_texts;
/* NULL: out of memory (not reported). */
struct cg_texts *cg_texts_new(const struct cg_texts_how *);
void cg_texts_free(struct cg_texts *);
/* The next block, valid until the next call; false as cg_read_block(). */
bool cg_next_text(struct cg_texts *, struct cg_text **);

/* ---- Known functions ---------------------------------------------------- */

/*
 * The functions of frames, by name and object: the reader adds them, and threads
 * that parse texts look them up. Some 60,000 are kept; of others, and of those
 * that are added meanwhile, a thread knows nothing, and the reader adds them.
 */
struct cg_known_fns;
/* For a build that outlives it. NULL: out of memory (not reported). */
struct cg_known_fns *cg_known_fns_new(struct cg_build *);
void cg_known_fns_free(struct cg_known_fns *);
/* In any thread; 0: it is not known. */
cg_fn cg_find_known_fn(
    const struct cg_known_fns *, struct cg_slice name, struct cg_slice object);
/* In the reader: finds or adds it; 0 as cg_add_fn(). */
cg_fn cg_add_known_fn(
    struct cg_known_fns *, struct cg_slice name, struct cg_slice object);

/* ---- Compression --------------------------------------------------------- */

/*
 * An output that gives one member of gzip to write(), as small as zlib's
 * default level makes it: the job's threads compress, but write() is called in
 * this one. NULL: out of memory (reported).
 */
struct cg_out *cg_gzip_new(struct cg_job *, cg_write_fn *write, void *arg);
/* Ends the member and frees the output. False: out of memory (not reported). */
bool cg_gzip_end(struct cg_out *);

/* ---- Symbols ------------------------------------------------------------ */

/*
 * Symbols of an ELF file. The job opens it, keeps it and shares it between
 * inputs. NULL if the file cannot be opened or is not an ELF file (a warning
 * unless quiet). Addresses are those in the file, without a load bias. Nothing
 * is fetched from a network, and of paths in the file only those of separate
 * debug files, by build-id and debuglink, are opened.
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
	size_t symbol_count;  /* of the table in use; 0: stripped */
	struct cg_lazy *lazy;   /* what lookups change: of the library */
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
/* By name, mangled or demangled; false if there is none or several. */
bool cg_find_name(const struct cg_symbols *, struct cg_slice name,
    struct cg_function *);

/* Frames of an address at most: inlining makes several. */
#define CG_FRAME_MAX 64
/*
 * The innermost file and line of an address, and the range [*low, *high) in
 * which they are the same.
 */
bool cg_find_line(const struct cg_symbols *, uint64_t addr, const char **file,
    uint32_t *line, uint64_t *low, uint64_t *high);
/* Up to n bytes of code at an address. */
struct cg_slice cg_find_code(const struct cg_symbols *, uint64_t addr,
    size_t n);
/*
 * The bytes of a section in the file, or else in its debug file; none if there is
 * no such section, or if it is compressed. Valid as long as the symbols. Returns
 * CG_OK, or the status of a failure (not reported).
 */
int cg_find_section(const struct cg_symbols *, const char *name,
    struct cg_slice *);

/*
 * Where a process had mapped its objects: the one place where readers turn
 * addresses into those in the object files, and into frames. Symbols are those
 * of the objects given (--exe), else of the file that was mapped: an object is
 * used for the mapping with its build-id, or without one for the mapping with
 * its file name. A file of a mapping is opened when an address in it is looked
 * up. One warning has the number of all addresses that stay without a name.
 */
struct cg_space;
/* What addresses of a mapping count from. */
enum cg_from {
	CG_FROM_PROCESS, /* they are the process's */
	CG_FROM_FILE,    /* they are offsets of bytes in the file */
	CG_FROM_LOAD,    /* they begin with the file's lowest loaded address */
	/*
	 * Offsets in the file, or the process's, of which only those in files
	 * at fixed addresses have names.
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
 * For the input that is being read: when read() has returned, addresses without
 * names are reported, and it is freed. NULL: out of memory (reported).
 */
struct cg_space *cg_space_new(struct cg_job *, struct cg_build *);
/* The same now, for inputs that have several of them. */
void cg_space_free(struct cg_space *);
/* Adds a mapping; returns its number, from 1, or 0 when out of memory. */
uint32_t cg_space_add(struct cg_space *, const struct cg_mapping *);
/* What functions without a name are called, instead of their addresses. */
void cg_space_name_unknown(struct cg_space *, const char *name);
/* The number of the mapping at an address, 0 if there is none. */
uint32_t cg_space_find(struct cg_space *, uint64_t addr);
/* Its object, and what to subtract from its addresses; 0 for mapping 0. */
cg_object cg_space_object(struct cg_space *, uint32_t mapping);
uint64_t cg_space_bias(const struct cg_space *, uint32_t mapping);
/*
 * The frames at an address (of a call: any byte of it), innermost first; all
 * but the last are inlined. A function without a name gets its address as name.
 */
size_t cg_space_frames(struct cg_space *, uint32_t mapping, uint64_t addr,
    struct cg_stack frames[CG_FRAME_MAX]);
/*
 * The same; 0: no symbol is known there, as in mapping 0. The warning counts
 * the address then. The space may be NULL, as cg_space_new() has reported that.
 */
size_t cg_space_symbols(struct cg_space *, uint32_t mapping, uint64_t addr,
    struct cg_stack frames[CG_FRAME_MAX]);
/* The same, CG_FROM_UNPLACED, for texts; their path may be empty. */
size_t cg_space_text(struct cg_space *, struct cg_slice path, uint64_t addr,
    struct cg_stack frames[CG_FRAME_MAX]);
/* Are both addresses of the mapping in the function of one symbol? */
bool cg_space_same_function(
    struct cg_space *, uint32_t mapping, uint64_t a, uint64_t b);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
