/*
 * cgconv_expert.h - for formats with special needs: symbols of ELF files,
 * address spaces of processes, costs as lines of text.
 *
 * Contents: Cost lines, Symbols
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

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
