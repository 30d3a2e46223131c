/*
 * elffile.h - internal declarations of lib/symbols; no other directory
 * includes it.
 */
#ifndef CG_ELFFILE_H
#define CG_ELFFILE_H

#include "symbols/libdw.h"
#include "symbols/symbols.h"

/* The directory of separate debug files of installed files. */
#ifndef CG_DEBUG_ROOT
#define CG_DEBUG_ROOT "/usr/lib/debug"
#endif

/*
 * A further status besides CG_OK, CG_EINPUT (no such file, or not of this
 * kind) and CG_ELIMIT: existing bytes of the file could not be read.
 */
#define CG_EREAD (CG_EBUG + 1)

static inline bool
cg_is_fatal(int status)
{
	return status == CG_ELIMIT || status == CG_EREAD;
}

/* ---- spans.c: which of many ranges an address lies in ------------------- */

struct cg_span {
	uint64_t low, high; /* [low, high) */
	uint32_t id;
};
struct cg_spans {
	struct cg_span *span;
	size_t count, cap;
};
/* Adds a range, unless it is empty; false: out of memory. */
bool cg_spans_add(struct cg_spans *, uint64_t low, uint64_t high, uint32_t id);
/*
 * Sorts the ranges and cuts them so that they do not overlap: the one that
 * begins later wins, then the one with the higher id. False: out of memory.
 */
bool cg_spans_flatten(struct cg_spans *);
/*
 * Returns the range that contains the address, or NULL; call
 * cg_spans_flatten() first.
 */
struct cg_span *cg_spans_find(const struct cg_spans *, uint64_t addr);
void cg_spans_free(struct cg_spans *);

/* ---- elffile.c: one ELF file -------------------------------------------- */

struct cg_section {
	const char *name;
	uint64_t addr, size;
	uint32_t type, link;
	bool exec, compressed;
	Elf_Scn *scn;
};
struct cg_elffile {
	int fd;       /* -1: in memory */
	char *memory; /* the file in memory; owned */
	Elf *elf;     /* NULL: not open */
	uint64_t size;
	uint64_t needed; /* size by the headers; above size: truncated */
	uint64_t expanded; /* size of debug sections, decompressed */
	GElf_Ehdr head;
	struct cg_section *section; /* by index; 0 is none */
	size_t sections;
	struct cg_spans exec; /* executable sections; id is the index */
};
/*
 * Opens a file; returns CG_OK, CG_EINPUT, CG_ELIMIT or CG_EREAD. After a
 * failure there is nothing to close. *why is set to errno's text, or to NULL
 * if the file is not an ELF file.
 */
int cg_elffile_open(struct cg_elffile *, const char *path, const char **why);
/*
 * Sets *is to whether path is a regular ELF file. CG_EREAD: it cannot be read
 * (not reported). *why is set if it cannot be opened. Returns the status.
 */
int cg_elffile_look(const char *path, bool *is, const char **why);
/*
 * Opens bytes from malloc() instead, and takes ownership of them. Returns the
 * status.
 */
int cg_elffile_memory(struct cg_elffile *, char *bytes, size_t size);
void cg_elffile_close(struct cg_elffile *);
/*
 * Returns the section of that name; NULL if there is none with bytes in the
 * file.
 */
const struct cg_section *cg_elffile_section(
    const struct cg_elffile *, const char *name);
/*
 * Returns the status after a call of libelf failed, from the errno that it
 * left (set errno to 0 before): CG_OK if the file is malformed, so that the
 * data counts as missing.
 */
int cg_libelf_status(void);
/*
 * Sets the slice to the section's bytes as stored in the file, which may be
 * empty. Returns CG_OK, CG_ELIMIT or CG_EREAD.
 */
int cg_section_bytes(const struct cg_section *, struct cg_slice *);
bool cg_elffile_has_dwarf(const struct cg_elffile *);
/* True if decompressing its debug sections would need too much memory. */
bool cg_elffile_is_bomb(const struct cg_elffile *);
/*
 * Sets *code to the code from an address to the end of its segment, or of the
 * file; it may be empty. Returns CG_OK, CG_ELIMIT or CG_EREAD.
 */
int cg_elffile_code(
    const struct cg_elffile *, uint64_t addr, struct cg_slice *code);

struct cg_symtab {
	const struct cg_elffile *file;
	uint32_t type;
	Elf_Data *data;
	size_t count;          /* without the null symbol */
	struct cg_slice names; /* ends with a NUL */
	struct cg_slice opd;   /* function descriptors of 64-bit PowerPC */
	uint64_t opd_addr;
};
/*
 * Opens the table of a type (SHT_SYMTAB, SHT_DYNSYM); it is empty if the file
 * has none. program is the file itself, or the file whose debug file it is.
 * CG_ELIMIT: out of memory. Returns the status.
 */
int cg_symtab_open(struct cg_symtab *, const struct cg_elffile *,
    const struct cg_elffile *program, uint32_t type);
/*
 * Gets symbol i, from 0 (without the null symbol); function descriptors are
 * resolved, so that its address is one of code.
 */
bool cg_symtab_get(const struct cg_symtab *, size_t i, struct cg_symbol *);

/* ---- debugfile.c: separate debug files ---------------------------------- */

/* The build-id's bytes; empty if there is none. CG_ELIMIT: out of memory. */
#define CG_BUILD_ID_MAX 64 /* build-ids have 8 to 20; room for new hashes */
int cg_build_id(const struct cg_elffile *, struct cg_slice *);
/*
 * Finds the debug file by build-id, then by debuglink, and opens it. *path_out
 * is set to its path, to be freed. CG_EINPUT: there is none. Returns the
 * status.
 */
int cg_debugfile_open(struct cg_elffile *, const struct cg_elffile *program,
    const char *path, char **path_out);
/*
 * Opens the alternate file (dwz -m), which the debug file at path shares with
 * others, if it is below CG_DEBUG_ROOT and has the right build-id. CG_EINPUT:
 * there is none. Returns the status.
 */
int cg_altfile_open(
    struct cg_elffile *, const struct cg_elffile *file, const char *path);
/*
 * Decompresses the symbols in .gnu_debugdata. CG_EINPUT: there are none.
 * Returns the status.
 */
int cg_minidebug_open(struct cg_elffile *, const struct cg_elffile *program);

/* ---- functions.c, plt.c: names of code ---------------------------------- */

struct cg_named { /* a function */
	uint64_t start, end;
	const char *symbol; /* as in the symbol table */
	const char *name;   /* demangled; NULL: not looked up yet */
	const char *file;   /* NULL: not looked up yet */
	uint32_t line;
};
struct cg_alias { /* a name of a function */
	uint64_t addr, size;
	const char *symbol;
	uint32_t rank; /* the lowest at an address is its name */
	uint32_t fn;   /* UINT32_MAX: a label inside another function */
	bool func;
};
struct cg_name_ref {
	const char *name;
	uint32_t fn;
};
struct cg_functions {
	const struct cg_spans *exec;
	struct cg_strs *strs;
	struct cg_alias *alias;
	size_t aliases, alias_cap;
	struct cg_named *fn; /* by address */
	size_t count, cap;
	struct cg_spans spans;    /* id: index of fn */
	struct cg_name_ref *name; /* sorted; NULL: not built yet */
	size_t names, name_cap;
};
/* Call these before the first lookup; false: out of memory. */
bool cg_functions_add(struct cg_functions *, const struct cg_symbol *);
bool cg_functions_add_table(struct cg_functions *, const struct cg_symtab *);
bool cg_functions_add_plt(struct cg_functions *, const struct cg_elffile *);
bool cg_functions_build(struct cg_functions *);
void cg_functions_free(struct cg_functions *);
/* Returns the function at an address, NULL: none. */
struct cg_named *cg_functions_find(struct cg_functions *, uint64_t addr);
/*
 * Sets *found to the function of that name; NULL: none or several have it.
 * False: out of memory.
 */
bool cg_functions_find_name(
    struct cg_functions *, struct cg_slice name, struct cg_named **found);
/* Fills in fn->name. False: out of memory. */
bool cg_functions_name(struct cg_functions *, struct cg_named *);

/* ---- dwarf.c: lines and inlined calls ----------------------------------- */

struct cg_dwarf;
/*
 * Opens the line information of the file at path. NULL: there is none, or
 * *status is CG_ELIMIT. exec has the ranges of code: DWARF ranges elsewhere
 * are code that the linker has discarded. The file, exec and strs must outlive
 * it.
 */
struct cg_dwarf *cg_dwarf_open(const struct cg_elffile *, const char *path,
    const struct cg_spans *exec, struct cg_strs *, int *status);
void cg_dwarf_close(struct cg_dwarf *);
/* Returns CG_OK, or CG_ELIMIT after memory ran out once. */
int cg_dwarf_status(const struct cg_dwarf *);
/* As cg_find_frames(), cg_find_line(). */
size_t cg_dwarf_frames(
    struct cg_dwarf *, uint64_t addr, struct cg_frame frames[CG_FRAME_MAX]);
bool cg_dwarf_line(struct cg_dwarf *, uint64_t addr, const char **file,
    uint32_t *line, uint64_t *low, uint64_t *high);
/*
 * Sets the position where the function at an address is declared; false:
 * unknown.
 */
bool cg_dwarf_declared(
    struct cg_dwarf *, uint64_t addr, const char **file, uint32_t *line);
/* Adds all functions that DWARF describes. False: out of memory. */
bool cg_dwarf_functions(struct cg_dwarf *, struct cg_functions *);
/* Returns the call frame information in .debug_frame, or NULL. */
Dwarf_CFI *cg_dwarf_cfi(struct cg_dwarf *);

/* ---- unwind.c: callers of frames ----------------------------------------- */

struct cg_unwinder;
/*
 * Opens an unwinder with the call frame information in .eh_frame of a file
 * and, unless that is NULL, in .debug_frame; both must outlive the unwinder.
 * *status is CG_OK, CG_ELIMIT or CG_EREAD. NULL: out of memory.
 */
struct cg_unwinder *cg_unwinder_open(
    const struct cg_elffile *, Dwarf_CFI *, int *status);
void cg_unwinder_close(struct cg_unwinder *);
/* Like cg_symbols_rules(). NULL: out of memory. */
const struct cg_frame_rules *cg_unwinder_rules(struct cg_unwinder *,
    uint64_t addr);

#endif
