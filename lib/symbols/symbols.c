/*
 * symbols.c - functions, files, lines, inlined calls and code at addresses of
 * an ELF file.
 *
 * Symbols come from the best table: .symtab of the file or of its separate
 * debug file; else .dynsym with MiniDebugInfo and DWARF. Lines are read at the
 * first lookup; after a failure there are no lines. Source: the System V ABI;
 * see also dwarf.c and debugfile.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elffile.h"

/* State that lookups change. */
struct cg_lazy {
	struct cg_elffile program, debug, mini;
	struct cg_symtab table[2];
	size_t tables;
	struct cg_functions fns;
	struct cg_dwarf *dwarf;
	bool asked_dwarf;
	struct cg_unwinder *unwinder; /* NULL: not asked for yet */
	struct cg_strs strs;
	uint64_t addr_mask;
	uint64_t code_addr;   /* of the last lookup, */
	struct cg_slice code; /* and the rest of its segment */
	int status;
};

/* ---- Loading ------------------------------------------------------------ */

/*
 * Returns a copy of text, or of "" if text is NULL, that lives as long as the
 * symbols. NULL: out of memory.
 */
static const char *
keep(struct cg_lazy *lazy, const char *text)
{
	cg_str str = cg_strs_add(&lazy->strs, cg_slice(text ? text : ""));

	return str == CG_STR_NONE ? NULL : cg_strs_get(&lazy->strs, str).ptr;
}

static int
keep_build_id(struct cg_lazy *lazy, const char **text_out)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *id = NULL;
	char text[2 * CG_BUILD_ID_MAX + 1] = "";
	struct cg_slice bytes;
	int status = cg_build_id(&lazy->program, &bytes);

	if (status != CG_OK)
		return status;
	id = (const unsigned char *)bytes.ptr;
	for (size_t i = 0; i < bytes.len; i++) {
		text[2 * i] = digits[id[i] >> 4];
		text[2 * i + 1] = digits[id[i] & 15];
	}
	*text_out = keep(lazy, text);
	return *text_out ? CG_OK : CG_ELIMIT;
}

static int
get_segments(const struct cg_elffile *file, struct cg_symbols *elf)
{
	size_t count = 0;
	GElf_Phdr head;
	bool loads = false, code = false;

	errno = 0;
	if (cg_dw.elf_getphdrnum(file->elf, &count) != 0)
		return cg_libelf_status();
	for (size_t i = 0; i < count; i++) {
		if (!cg_dw.gelf_getphdr(file->elf, (int)i, &head))
			return cg_libelf_status();
		if (head.p_type != PT_LOAD ||
		    head.p_memsz > UINT64_MAX - head.p_vaddr)
			continue;
		if (!loads || head.p_vaddr < elf->load_low)
			elf->load_low = head.p_vaddr;
		loads = true;
		if (!(head.p_flags & PF_X))
			continue;
		if (!code || head.p_vaddr < elf->exec_low) {
			elf->exec_low = head.p_vaddr;
			elf->exec_offset = head.p_offset;
		}
		if (head.p_vaddr + head.p_memsz > elf->exec_high)
			elf->exec_high = head.p_vaddr + head.p_memsz;
		code = true;
	}
	return CG_OK;
}

static void
get_text(const struct cg_elffile *file, struct cg_symbols *elf)
{
	const struct cg_section *text = cg_elffile_section(file, ".text");

	if (file->exec.count > 0)
		elf->text_high = file->exec.span[file->exec.count - 1].high;
	if (text && text->size <= UINT64_MAX - text->addr) {
		elf->text_low = text->addr;
		elf->text_end = text->addr + text->size;
	}
}

static int
describe(struct cg_symbols *symbols, const char *path)
{
	struct cg_lazy *lazy = symbols->lazy;
	const unsigned char *ident = lazy->program.head.e_ident;
	GElf_Word crc;
	int status;

	symbols->path = keep(lazy, path);
	symbols->debug = "";
	symbols->debuglink =
	    keep(lazy, cg_dw.dwelf_elf_gnu_debuglink(lazy->program.elf, &crc));
	symbols->word = ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	symbols->big_endian = ident[EI_DATA] == ELFDATA2MSB;
	symbols->machine = lazy->program.head.e_machine;
	symbols->type = lazy->program.head.e_type;
	lazy->addr_mask = symbols->word == 4 ? UINT32_MAX : UINT64_MAX;
	get_text(&lazy->program, symbols);
	status = symbols->path && symbols->debuglink ? CG_OK : CG_ELIMIT;
	if (status == CG_OK)
		status = keep_build_id(lazy, &symbols->build_id);
	return status == CG_OK ? get_segments(&lazy->program, symbols) : status;
}

/*
 * Opens the separate debug file as lazy->debug, if the ELF file lacks symbols
 * or lines. Returns the status; CG_EINPUT: there is none, which is no error
 * for the caller.
 */
static int
open_debug(struct cg_symbols *symbols, const char *path)
{
	struct cg_lazy *lazy = symbols->lazy;
	char *found = NULL;
	int status;

	if (lazy->tables > 0 && cg_elffile_has_dwarf(&lazy->program))
		return CG_OK;
	status = cg_debugfile_open(&lazy->debug, &lazy->program, path, &found);
	if (status == CG_OK) {
		symbols->debug = keep(lazy, found);
		if (!symbols->debug)
			status = CG_ELIMIT;
	}
	free(found);
	return status;
}

/*
 * Opens the symbol table of this type (SHT_SYMTAB, SHT_DYNSYM) in a file and
 * adds it to lazy->table, unless the file is not open or has no symbols.
 * Returns the status.
 */
static int
add_table(struct cg_lazy *lazy, const struct cg_elffile *file, uint32_t type)
{
	struct cg_symtab *table = &lazy->table[lazy->tables];
	int status = CG_OK;

	if (file->elf)
		status = cg_symtab_open(table, file, &lazy->program, type);
	if (file->elf && status == CG_OK && table->count > 0)
		lazy->tables++;
	return status;
}

static int
open_tables(struct cg_symbols *symbols, const char *path)
{
	struct cg_lazy *lazy = symbols->lazy;
	int status = add_table(lazy, &lazy->program, SHT_SYMTAB);

	if (status == CG_OK)
		status = open_debug(symbols, path);
	if (!cg_is_fatal(status) && lazy->tables == 0)
		status = add_table(lazy, &lazy->debug, SHT_SYMTAB);
	if (cg_is_fatal(status) || lazy->tables > 0)
		return status;
	/* MiniDebugInfo does not repeat .dynsym. */
	status = cg_minidebug_open(&lazy->mini, &lazy->program);
	if (!cg_is_fatal(status))
		status = add_table(lazy, &lazy->program, SHT_DYNSYM);
	if (!cg_is_fatal(status))
		status = add_table(lazy, &lazy->mini, SHT_SYMTAB);
	return status;
}

/*
 * Returns the DWARF reader of the ELF file or of its debug file, opened at the
 * first call; NULL: there are no lines, or it cannot be read (recorded in
 * lazy->status).
 */
static struct cg_dwarf *
get_dwarf(const struct cg_symbols *symbols)
{
	struct cg_lazy *lazy = symbols->lazy;
	const struct cg_elffile *file = &lazy->program;
	const char *path = symbols->path;
	int status = CG_OK;

	if (lazy->asked_dwarf)
		return lazy->dwarf;
	lazy->asked_dwarf = true;
	if (!cg_elffile_has_dwarf(file)) {
		file = &lazy->debug;
		path = symbols->debug;
	}
	if (cg_elffile_has_dwarf(file))
		lazy->dwarf = cg_dwarf_open(
		    file, path, lazy->fns.exec, &lazy->strs, &status);
	if (status != CG_OK)
		lazy->status = status;
	return lazy->dwarf;
}

static int
load_functions(const struct cg_symbols *symbols)
{
	struct cg_lazy *lazy = symbols->lazy;
	struct cg_functions *fns = &lazy->fns;
	bool full = false, ok = true;

	fns->strs = &lazy->strs;
	fns->exec = &lazy->program.exec;
	if (fns->exec->count == 0)
		fns->exec = &lazy->debug.exec;
	for (size_t i = 0; ok && i < lazy->tables; i++) {
		ok = cg_functions_add_table(fns, &lazy->table[i]);
		full |= lazy->table[i].type == SHT_SYMTAB;
	}
	ok = ok && cg_functions_add_plt(fns, &lazy->program);
	if (ok && !full && get_dwarf(symbols))
		ok = cg_dwarf_functions(lazy->dwarf, fns);
	if (lazy->status != CG_OK)
		return lazy->status;
	return ok && cg_functions_build(fns) ? CG_OK : CG_ELIMIT;
}

static int
load(struct cg_symbols *symbols, const char *path, const char **why)
{
	struct cg_lazy *lazy = symbols->lazy;
	int status = cg_elffile_open(&lazy->program, path, why);

	if (status != CG_OK)
		return status;
	if (lazy->program.head.e_type != ET_EXEC &&
	    lazy->program.head.e_type != ET_DYN) {
		*why = "not an executable or shared library";
		return CG_EINPUT;
	}
	status = describe(symbols, path);
	if (status == CG_OK)
		status = open_tables(symbols, path);
	if (!cg_is_fatal(status))
		status = load_functions(symbols);
	if (status != CG_OK)
		return status;
	for (size_t i = 0; i < lazy->tables; i++)
		symbols->symbol_count += lazy->table[i].count;
	return CG_OK;
}

/*
 * Warns of a file that is truncated, or whose debug sections are not read as
 * they expand too much. The symbols that the file has are used all the same.
 */
static void
tell_damage(
    struct cg_diag *diag, const struct cg_elffile *file, const char *path)
{
	if (file->elf && cg_elffile_is_bomb(file))
		cg_diag_say(diag, CG_WARNING, NULL,
		    "lines of %s are not read: its debug sections expand to "
		    "more than %d times its size",
		    path, CG_EXPANSION_HELD);
	if (file->elf && file->needed > file->size)
		cg_diag_say(diag, CG_WARNING, NULL,
		    "%s is truncated: it has %llu of %llu bytes, names and "
		    "lines may be missing",
		    path, (unsigned long long)file->size,
		    (unsigned long long)file->needed);
}

struct cg_symbols *
cg_symbols_load(struct cg_diag *diag, const char *path, bool quiet, int *status)
{
	struct cg_symbols *symbols = calloc(1, sizeof(*symbols));
	const char *why = NULL;

	*status = CG_ELIMIT;
	if (symbols)
		symbols->lazy = calloc(1, sizeof(*symbols->lazy));
	if (symbols && symbols->lazy) {
		symbols->lazy->program.fd = -1;
		symbols->lazy->debug.fd = -1;
		symbols->lazy->mini.fd = -1;
		*status = load(symbols, path, &why);
	}
	if (*status == CG_OK) {
		tell_damage(diag, &symbols->lazy->program, path);
		tell_damage(diag, &symbols->lazy->debug, symbols->debug);
		return symbols;
	}
	if (*status == CG_ELIMIT)
		cg_diag_say(diag, CG_ERROR, NULL, "out of memory");
	else if (*status == CG_EREAD)
		cg_diag_say(diag, CG_ERROR, NULL, "cannot read %s: %s", path,
		    why ? why : strerror(EIO));
	else if (why && (!quiet || why == cg_confined))
		cg_diag_say(diag, CG_WARNING, NULL,
		    why == cg_confined ? "cannot open %s: %s ({no-sandbox})"
				       : "cannot open %s: %s",
		    path, why);
	else if (!quiet)
		cg_diag_say(
		    diag, CG_WARNING, NULL, "%s: not an ELF file", path);
	*status = *status == CG_EREAD    ? CG_EINPUT
		  : *status == CG_EINPUT ? CG_OK
					 : *status;
	cg_symbols_free(symbols);
	return NULL;
}

void
cg_symbols_free(struct cg_symbols *symbols)
{
	struct cg_lazy *lazy = symbols ? symbols->lazy : NULL;

	if (lazy) {
		cg_unwinder_close(lazy->unwinder);
		cg_dwarf_close(lazy->dwarf);
		cg_functions_free(&lazy->fns);
		cg_elffile_close(&lazy->mini);
		cg_elffile_close(&lazy->debug);
		cg_elffile_close(&lazy->program);
		cg_strs_free(&lazy->strs);
	}
	free(lazy);
	free(symbols);
}

int
cg_symbols_status(const struct cg_symbols *symbols)
{
	const struct cg_lazy *lazy = symbols->lazy;

	int status = lazy->status;

	if (status == CG_OK && lazy->dwarf)
		status = cg_dwarf_status(lazy->dwarf);
	return status == CG_EREAD ? CG_EINPUT : status;
}

/* ---- Answers ------------------------------------------------------------ */

bool
cg_get_symbol(
    const struct cg_symbols *symbols, size_t i, struct cg_symbol *symbol)
{
	const struct cg_lazy *lazy = symbols->lazy;

	for (size_t t = 0; t < lazy->tables; t++) {
		if (i < lazy->table[t].count)
			return cg_symtab_get(&lazy->table[t], i, symbol);
		i -= lazy->table[t].count;
	}
	return false;
}

static bool
get_function(const struct cg_symbols *symbols, struct cg_named *fn,
    struct cg_function *out)
{
	struct cg_lazy *lazy = symbols->lazy;
	struct cg_dwarf *dwarf;

	if (!cg_functions_name(&lazy->fns, fn)) {
		lazy->status = CG_ELIMIT;
		return false;
	}
	if (!fn->file) {
		fn->file = "";
		dwarf = get_dwarf(symbols);
		if (dwarf)
			(void)cg_dwarf_declared(
			    dwarf, fn->start, &fn->file, &fn->line);
	}
	*out = (struct cg_function){ fn->start, fn->end, fn->name, fn->file,
		fn->line };
	return true;
}

bool
cg_find_function(
    const struct cg_symbols *symbols, uint64_t addr, struct cg_function *out)
{
	struct cg_lazy *lazy = symbols->lazy;
	struct cg_named *fn =
	    cg_functions_find(&lazy->fns, addr & lazy->addr_mask);

	return fn && get_function(symbols, fn, out);
}

bool
cg_find_name(const struct cg_symbols *symbols, struct cg_slice name,
    struct cg_function *out)
{
	struct cg_lazy *lazy = symbols->lazy;
	struct cg_named *fn;

	if (!cg_functions_find_name(&lazy->fns, name, &fn))
		lazy->status = CG_ELIMIT;
	return fn && get_function(symbols, fn, out);
}

/*
 * Sets frames[] to the frames at an address, innermost first: inlined calls,
 * then the function; returns their number, 0 without line information. The
 * outermost frame is named by its symbol, as DWARF does not name clones.
 */
size_t
cg_find_frames(const struct cg_symbols *symbols, uint64_t addr,
    struct cg_frame frames[CG_FRAME_MAX])
{
	struct cg_lazy *lazy = symbols->lazy;
	struct cg_dwarf *dwarf = get_dwarf(symbols);
	struct cg_named *fn;
	size_t count;

	addr &= lazy->addr_mask;
	count = dwarf ? cg_dwarf_frames(dwarf, addr, frames) : 0;
	fn = count > 0 ? cg_functions_find(&lazy->fns, addr) : NULL;
	if (fn && cg_functions_name(&lazy->fns, fn))
		frames[count - 1].name = fn->name;
	else if (fn)
		lazy->status = CG_ELIMIT;
	return count;
}

bool
cg_find_line(const struct cg_symbols *symbols, uint64_t addr, const char **file,
    uint32_t *line, uint64_t *low, uint64_t *high)
{
	struct cg_lazy *lazy = symbols->lazy;
	struct cg_dwarf *dwarf = get_dwarf(symbols);

	return dwarf && cg_dwarf_line(dwarf, addr & lazy->addr_mask, file, line,
			    low, high);
}

struct cg_slice
cg_find_code(const struct cg_symbols *symbols, uint64_t addr, size_t n)
{
	struct cg_lazy *lazy = symbols->lazy;
	struct cg_slice code;

	addr &= lazy->addr_mask;
	if (addr - lazy->code_addr >= lazy->code.len) {
		int status = cg_elffile_code(&lazy->program, addr, &lazy->code);

		if (status != CG_OK)
			lazy->status = status;
		lazy->code_addr = addr;
	}
	code = lazy->code;
	code.ptr += addr - lazy->code_addr;
	code.len -= (size_t)(addr - lazy->code_addr);
	code.len = code.len < n ? code.len : n;
	return code;
}

/*
 * Returns the call frame information (CFI) in .debug_frame, of the file or of
 * its debug file; NULL: there is none.
 */
static Dwarf_CFI *
get_debug_frame(const struct cg_symbols *symbols)
{
	struct cg_lazy *lazy = symbols->lazy;
	struct cg_dwarf *dwarf = NULL;

	if (cg_elffile_section(&lazy->program, ".debug_frame") ||
	    cg_elffile_section(&lazy->debug, ".debug_frame"))
		dwarf = get_dwarf(symbols);
	return dwarf ? cg_dwarf_cfi(dwarf) : NULL;
}

const struct cg_frame_rules *
cg_symbols_rules(const struct cg_symbols *symbols, uint64_t addr)
{
	struct cg_lazy *lazy = symbols->lazy;
	const struct cg_frame_rules *rules = NULL;
	int status = CG_OK;

	if (!lazy->unwinder)
		lazy->unwinder = cg_unwinder_open(
		    &lazy->program, get_debug_frame(symbols), &status);
	if (status == CG_OK) {
		rules = cg_unwinder_rules(lazy->unwinder, addr);
		status = rules ? CG_OK : CG_ELIMIT;
	}
	if (status != CG_OK)
		lazy->status = status;
	return rules;
}

int
cg_find_section(
    const struct cg_symbols *symbols, const char *name, struct cg_slice *bytes)
{
	struct cg_lazy *lazy = symbols->lazy;
	const struct cg_elffile *file = &lazy->program;
	const struct cg_section *section = cg_elffile_section(file, name);

	*bytes = (struct cg_slice){ "", 0 };
	if (!section) {
		file = &lazy->debug;
		section = cg_elffile_section(file, name);
	}
	if (!section || section->compressed)
		return CG_OK;
	return cg_section_bytes(section, bytes);
}
