/*
 * dwarf.c - lines and inlined calls, through libdw.
 *
 * Source: the DWARF standard, versions 2 to 5. libdw must not open paths that
 * are in the file: it opens split DWARF only in dwarf_get_units(),
 * dwarf_cu_info() and dwarf_getlocation(), which are not used here.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf_units.h"

/*
 * Limit of items per byte of the file. In compressed sections several may
 * share a byte.
 */
#define ITEMS_PER_BYTE 4

/* ---- Out of memory ------------------------------------------------------ */

/*
 * libdw ends the process when memory runs out, unless its handler leaves by
 * longjmp(). The handler gets no argument: hence a thread-local variable, which
 * is set during a lookup.
 */
static _Thread_local jmp_buf *out_of_memory;

static __attribute__((noreturn)) void
leave(void)
{
	longjmp(*out_of_memory, 1);
}

/* A lookup and its result; answer() returns false if there is none. */
struct question {
	bool (*answer)(struct cg_dwarf *, struct question *);
	uint64_t addr;
	const char *file;
	uint32_t line;
	uint64_t low, high;
	struct cg_frame *frames;
	size_t count;
	struct cg_functions *fns;
	Dwarf_CFI *cfi;
};

static bool
ask(struct cg_dwarf *dwarf, struct question *question)
{
	jmp_buf here;
	volatile bool known = false; /* survives longjmp() */

	if (dwarf->status != CG_OK)
		return false;
	out_of_memory = &here;
	errno = 0;
	(void)cg_dw.dwarf_errno(); /* resets it */
	if (setjmp(here) == 0)
		known = question->answer(dwarf, question);
	else
		dwarf->status = CG_ELIMIT;
	out_of_memory = NULL;
	/*
	 * libdw may treat this as bad input. Check its own error, too, as
	 * malloc() leaves ENOMEM also when the heap could not grow in place
	 * but other memory was found.
	 */
	if (errno == ENOMEM && cg_dw.dwarf_errno() != 0)
		dwarf->status = CG_ELIMIT;
	return known && dwarf->status == CG_OK;
}

/* ---- Strings ------------------------------------------------------------ */

/*
 * Shortens a path in place, "a//b/./c" to "a/b/c", without a NUL at its end;
 * keeps "..", which may follow a link. Returns its length.
 */
static size_t
shorten(char *path)
{
	const char *from = path;
	char *to = path;

	while (*from) {
		if (from[0] == '/' && from[1] == '.' && from[2] == '/')
			from += 2;
		else if (from[0] == '/' && from[1] == '/')
			from++;
		else
			*to++ = *from++;
	}
	return (size_t)(to - path);
}

/*
 * Returns the string of an attribute; NULL: it has none. An offset that equals
 * the size of a string section counts as none, too: libdw accepts it, but
 * there is no byte to read.
 */
static const char *
get_string(const struct cg_dwarf *dwarf, Dwarf_Attribute *attr)
{
	const char *text = cg_dw.dwarf_formstring(attr);

	for (size_t i = 0; i < dwarf->ends; i++) {
		if (text == dwarf->end[i])
			return NULL;
	}
	return text;
}

/*
 * Returns a copy of a file's path, which is valid as long as the symbols.
 * Relative paths are joined to the unit's directory, if any. "": unknown, or
 * out of memory (recorded in dwarf->status).
 */
static const char *
keep_path(struct cg_dwarf *dwarf, Dwarf_Die *unit, const char *path)
{
	Dwarf_Attribute attr;
	const char *directory = NULL;
	struct cg_slice text;
	size_t size;
	cg_str str;

	/*
	 * The address suffices to compare names: libdw keeps each in one
	 * place.
	 */
	if (path && path == dwarf->joined_name &&
	    unit->addr == dwarf->joined_unit)
		return dwarf->joined;
	if (!path || strcmp(path, "???") == 0)
		return "";
	if (*path != '/' && cg_dw.dwarf_attr(unit, DW_AT_comp_dir, &attr))
		directory = get_string(dwarf, &attr);
	if (!directory)
		directory = "";
	size = strlen(directory) + strlen(path) + 2;
	if (!cg_grow(&dwarf->path, &dwarf->path_cap, size, 1)) {
		dwarf->status = CG_ELIMIT;
		return "";
	}
	(void)snprintf(dwarf->path, size, "%s%s%s", directory,
	    *directory ? "/" : "", path);
	text.ptr = dwarf->path;
	text.len = shorten(dwarf->path);
	str = cg_strs_add(dwarf->strs, text);
	if (str == CG_STR_NONE)
		dwarf->status = CG_ELIMIT;
	dwarf->joined_unit = unit->addr;
	dwarf->joined_name = path;
	dwarf->joined = cg_strs_get(dwarf->strs, str).ptr;
	return dwarf->joined;
}

/*
 * Returns the demangled name of a DWARF entry (function), "" if it has none;
 * prefers the linkage name, which has the types of the arguments. Out of
 * memory is recorded in dwarf->status.
 */
static const char *
get_name(struct cg_dwarf *dwarf, Dwarf_Die *die)
{
	static const unsigned attrs[] = { DW_AT_linkage_name,
		DW_AT_MIPS_linkage_name, DW_AT_name };
	Dwarf_Attribute attr;
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(attrs) / sizeof(*attrs) && !name; i++) {
		if (cg_dw.dwarf_attr_integrate(die, attrs[i], &attr))
			name = get_string(dwarf, &attr);
	}
	if (!name)
		return "";
	name = cg_demangle_in(dwarf->strs, name);
	if (!name)
		dwarf->status = CG_ELIMIT;
	return name ? name : "";
}

static const char *
scope_name(struct cg_dwarf *dwarf, struct cg_dwarf_scope *scope)
{
	Dwarf_Die die;

	if (!scope->name)
		scope->name = cg_dw.dwarf_offdie(dwarf->dwarf, scope->die, &die)
				  ? get_name(dwarf, &die)
				  : "";
	return scope->name;
}

/* ---- Answers ------------------------------------------------------------ */

static uint64_t
row_addr(struct cg_unit *unit, size_t i)
{
	Dwarf_Addr addr = 0;

	(void)cg_dw.dwarf_lineaddr(
	    cg_dw.dwarf_onesrcline(unit->lines, i), &addr);
	return addr;
}

/*
 * Finds the row of the unit's line table for question->addr, and sets the
 * question's line, file and range of addresses [low, high) from it. Of several
 * rows with one address the last is valid. False: there is none.
 */
static bool
find_row(
    struct cg_dwarf *dwarf, struct cg_unit *unit, struct question *question)
{
	size_t first = 0, last = unit->line_count;
	Dwarf_Line *row;
	bool end = true;
	int line = 0;

	while (first < last) {
		size_t mid = first + (last - first) / 2;

		if (row_addr(unit, mid) <= question->addr)
			first = mid + 1;
		else
			last = mid;
	}
	if (first == 0 || first == unit->line_count)
		return false;
	row = cg_dw.dwarf_onesrcline(unit->lines, first - 1);
	if (cg_dw.dwarf_lineendsequence(row, &end) != 0 || end)
		return false;
	(void)cg_dw.dwarf_lineno(row, &line);
	question->line = line > 0 ? (uint32_t)line : 0;
	question->file =
	    keep_path(dwarf, &unit->die, cg_dw.dwarf_linesrc(row, NULL, NULL));
	question->low = row_addr(unit, first - 1);
	question->high = row_addr(unit, first);
	return true;
}

static bool
find_line(struct cg_dwarf *dwarf, struct question *question)
{
	struct cg_unit *unit = cg_unit_find(dwarf, question->addr);

	return unit && find_row(dwarf, unit, question);
}

/*
 * Returns the innermost function or inlined call at an address, as an index in
 * unit->scope; CG_SCOPE_NONE: there is none.
 */
static uint32_t
find_scope(const struct cg_unit *unit, uint64_t addr)
{
	const struct cg_span *span = cg_spans_find(&unit->spans, addr);

	return span ? span->id : CG_SCOPE_NONE;
}

static uint32_t
get_function(const struct cg_unit *unit, uint32_t id)
{
	while (id != CG_SCOPE_NONE && unit->scope[id].parent != CG_SCOPE_NONE)
		id = unit->scope[id].parent;
	return id;
}

/*
 * Sets question->frames to the frames at question->addr, innermost first:
 * inlined calls, then the function that contains them. If they are nested too
 * deeply, the outermost ones are dropped. False: none is known.
 */
static bool
find_frames(struct cg_dwarf *dwarf, struct question *question)
{
	struct cg_unit *unit = cg_unit_find(dwarf, question->addr);
	struct cg_frame *frame = question->frames;
	uint32_t id;

	if (!unit || !find_row(dwarf, unit, question))
		return false;
	*frame = (struct cg_frame){ "", question->file, question->line };
	question->count = 1;
	for (id = find_scope(unit, question->addr); id != CG_SCOPE_NONE;) {
		struct cg_dwarf_scope *scope = &unit->scope[id];

		frame->name = scope_name(dwarf, scope);
		id = scope->parent;
		if (id == CG_SCOPE_NONE || question->count == CG_FRAME_MAX)
			break;
		frame = &question->frames[question->count++];
		*frame = (struct cg_frame){ "",
			keep_path(dwarf, &unit->die,
			    cg_dw.dwarf_filesrc(
				unit->files, scope->file, NULL, NULL)),
			scope->line };
	}
	return true;
}

/*
 * Sets the question's file and line to the declaration of the function at
 * question->addr. The file's number refers to the unit that contains the
 * attribute, which after link-time optimisation may not be the function's
 * unit. False: the file or the line is not known; the line may be set then.
 */
static bool
find_declared(struct cg_dwarf *dwarf, struct question *question)
{
	struct cg_unit *unit = cg_unit_find(dwarf, question->addr);
	uint32_t id = unit
			  ? get_function(unit, find_scope(unit, question->addr))
			  : CG_SCOPE_NONE;
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word number;
	Dwarf_Die die, origin;

	if (id == CG_SCOPE_NONE ||
	    !cg_dw.dwarf_offdie(dwarf->dwarf, unit->scope[id].die, &die) ||
	    !cg_dw.dwarf_attr_integrate(&die, DW_AT_decl_line, &attr) ||
	    cg_dw.dwarf_formudata(&attr, &number) != 0 || number > UINT32_MAX)
		return false;
	question->line = (uint32_t)number;
	if (!cg_dw.dwarf_attr_integrate(&die, DW_AT_decl_file, &attr) ||
	    cg_dw.dwarf_formudata(&attr, &number) != 0 ||
	    !cg_dw.dwarf_cu_die(
		attr.cu, &origin, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    cg_dw.dwarf_getsrcfiles(&origin, &files, NULL) != 0)
		return false;
	question->file = keep_path(dwarf, &origin,
	    cg_dw.dwarf_filesrc(files, (size_t)number, NULL, NULL));
	return true;
}

/*
 * Adds the functions of a unit to question->fns as symbols, for files without
 * a symbol table; joins adjacent ranges of one function. False: out of memory.
 */
static bool
add_functions(
    struct cg_dwarf *dwarf, struct question *question, struct cg_unit *unit)
{
	struct cg_symbol symbol = {
		.bind = STB_LOCAL, .type = STT_FUNC, .exec = true
	};
	const struct cg_span *span = unit->spans.span;
	const struct cg_span *end = span ? span + unit->spans.count : NULL;

	while (span < end) {
		uint32_t id = get_function(unit, span->id);

		symbol.name = scope_name(dwarf, &unit->scope[id]);
		symbol.addr = span->low;
		do
			symbol.size = span->high - symbol.addr;
		while (++span < end && span->low == span[-1].high &&
		       get_function(unit, span->id) == id);
		if (!cg_functions_add(question->fns, &symbol)) {
			dwarf->status = CG_ELIMIT;
			return false;
		}
	}
	return true;
}

static bool
all_functions(struct cg_dwarf *dwarf, struct question *question)
{
	for (size_t i = 0; i < dwarf->units; i++) {
		cg_unit_load(dwarf, &dwarf->unit[i]);
		if (dwarf->status != CG_OK ||
		    !add_functions(dwarf, question, &dwarf->unit[i]))
			return false;
	}
	return true;
}

static bool
list_units(struct cg_dwarf *dwarf, struct question *question)
{
	(void)question;
	cg_units_list(dwarf);
	return true;
}

/* ---- For symbols.c ------------------------------------------------------ */

/*
 * Makes a section's data end with a NUL, as libdw relies on that. A section of
 * strings only loses a last string without a NUL; others get one appended.
 * False: out of memory.
 */
static bool
end_strings(struct cg_dwarf *dwarf, Elf_Data *data, bool only_strings)
{
	const char *text = data->d_buf;
	char *copy;

	while (
	    only_strings && data->d_size > 0 && text[data->d_size - 1] != '\0')
		data->d_size--;
	if (data->d_size == 0 || text[data->d_size - 1] == '\0')
		return true;
	copy = cg_arena_copy(
	    &dwarf->copies, (struct cg_slice){ text, data->d_size });
	if (!copy)
		return false;
	data->d_buf = copy;
	return true;
}

/*
 * Decompresses and reads a section before libdw uses it, as libdw would ignore
 * a section if memory runs out. Empties .gnu_debugaltlink, as libdw would open
 * any file that it names. Makes sections of strings, .debug_info and
 * .debug_types end with a NUL. Returns the status; CG_ELIMIT: out of memory;
 * CG_EREAD: the section cannot be read.
 */
static int
prepare_section(struct cg_dwarf *dwarf, const struct cg_section *section)
{
	const char *kind = strchr(section->name, '_');
	Elf_Data *data;

	errno = 0;
	if (section->compressed)
		(void)cg_dw.elf_compress(section->scn, 0, 0);
	else if (section->name[1] == 'z')
		(void)cg_dw.elf_compress_gnu(section->scn, 0, 0);
	data = cg_dw.elf_getdata(section->scn, NULL);
	if (errno == ENOMEM || !data || !data->d_buf)
		return cg_libelf_status();
	if (strcmp(kind, "_debugaltlink") == 0)
		data->d_size = 0;
	if (strcmp(kind, "_str") == 0 || strcmp(kind, "_line_str") == 0) {
		(void)end_strings(dwarf, data, true);
		if (dwarf->ends < CG_ENDS)
			dwarf->end[dwarf->ends++] =
			    (const char *)data->d_buf + data->d_size;
		return CG_OK;
	}
	if ((strcmp(kind, "_info") == 0 || strcmp(kind, "_types") == 0) &&
	    !end_strings(dwarf, data, false))
		return CG_ELIMIT;
	return CG_OK;
}

static int
prepare(struct cg_dwarf *dwarf, const struct cg_elffile *file)
{
	static const char *const prefixes[] = { ".debug_", ".zdebug_",
		".gnu_debugaltlink" };
	int status = CG_OK;

	for (size_t i = 1; status == CG_OK && i < file->sections; i++) {
		const struct cg_section *section = &file->section[i];

		for (size_t p = 0; p < 3; p++) {
			if (section->scn && strncmp(section->name, prefixes[p],
						strlen(prefixes[p])) == 0)
				status = prepare_section(dwarf, section);
		}
	}
	return status;
}

/*
 * Opens the DWARF data of a file for libdw, which the caller ends. NULL: none,
 * or it expands too much; *status is set only for CG_ELIMIT or CG_EREAD. With
 * CG_ELIMIT a result may be incomplete.
 */
static Dwarf *
begin(struct cg_dwarf *dwarf, const struct cg_elffile *file, int *status)
{
	int prepared;
	Dwarf *new = NULL;

	if (cg_elffile_is_bomb(file))
		return NULL;
	prepared = prepare(dwarf, file);
	errno = 0;
	if (prepared == CG_OK)
		new = cg_dw.dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (prepared != CG_OK || errno == ENOMEM)
		*status = prepared != CG_OK ? prepared : CG_ELIMIT;
	if (new)
		(void)cg_dw.dwarf_new_oom_handler(new, leave);
	return new;
}

static int
open_alt(
    struct cg_dwarf *dwarf, const struct cg_elffile *file, const char *path)
{
	int status = cg_altfile_open(&dwarf->alt_file, file, path);

	if (status != CG_OK)
		return status;
	dwarf->alt = begin(dwarf, &dwarf->alt_file, &status);
	if (dwarf->alt)
		cg_dw.dwarf_setalt(dwarf->dwarf, dwarf->alt);
	return status;
}

struct cg_dwarf *
cg_dwarf_open(const struct cg_elffile *file, const char *path,
    const struct cg_spans *exec, struct cg_strs *strs, int *status)
{
	struct cg_dwarf *dwarf = calloc(1, sizeof(*dwarf));
	struct question units = { .answer = list_units };

	*status = CG_ELIMIT;
	if (!dwarf)
		return NULL;
	*status = CG_OK;
	dwarf->alt_file.fd = -1;
	dwarf->exec = exec;
	dwarf->strs = strs;
	dwarf->left = file->size * ITEMS_PER_BYTE;
	dwarf->dwarf = begin(dwarf, file, status);
	if (*status == CG_OK && dwarf->dwarf)
		*status = open_alt(dwarf, file, path);
	if (*status == CG_EINPUT)
		*status = CG_OK; /* there is no alternate file */
	if (*status != CG_OK || !dwarf->dwarf) {
		cg_dwarf_close(dwarf);
		return NULL;
	}
	(void)ask(dwarf, &units);
	*status = dwarf->status;
	return dwarf;
}

void
cg_dwarf_close(struct cg_dwarf *dwarf)
{
	if (!dwarf)
		return;
	for (size_t i = 0; i < dwarf->units; i++) {
		free(dwarf->unit[i].scope);
		cg_spans_free(&dwarf->unit[i].spans);
	}
	(void)cg_dw.dwarf_end(dwarf->dwarf);
	(void)cg_dw.dwarf_end(dwarf->alt);
	cg_elffile_close(&dwarf->alt_file);
	cg_arena_free(&dwarf->copies);
	free(dwarf->unit);
	free(dwarf->path);
	cg_spans_free(&dwarf->spans);
	free(dwarf);
}

int
cg_dwarf_status(const struct cg_dwarf *dwarf)
{
	return dwarf->status;
}

size_t
cg_dwarf_frames(
    struct cg_dwarf *dwarf, uint64_t addr, struct cg_frame frames[CG_FRAME_MAX])
{
	struct question question = {
		.answer = find_frames, .addr = addr, .frames = frames
	};

	return ask(dwarf, &question) ? question.count : 0;
}

bool
cg_dwarf_line(struct cg_dwarf *dwarf, uint64_t addr, const char **file,
    uint32_t *line, uint64_t *low, uint64_t *high)
{
	struct question question = { .answer = find_line, .addr = addr };

	if (!ask(dwarf, &question))
		return false;
	*file = question.file;
	*line = question.line;
	*low = question.low;
	*high = question.high;
	return true;
}

/*
 * Sets *file and *line to where the function at addr is declared or, if no
 * declaration is known, to the file and line of addr. False: neither is known,
 * and nothing is set.
 */
bool
cg_dwarf_declared(
    struct cg_dwarf *dwarf, uint64_t addr, const char **file, uint32_t *line)
{
	struct question question = { .answer = find_declared, .addr = addr };

	if (!ask(dwarf, &question)) {
		question.answer = find_line;
		if (!ask(dwarf, &question))
			return false;
	}
	*file = question.file;
	*line = question.line;
	return true;
}

bool
cg_dwarf_functions(struct cg_dwarf *dwarf, struct cg_functions *fns)
{
	struct question question = { .answer = all_functions, .fns = fns };

	(void)ask(dwarf, &question);
	return dwarf->status == CG_OK;
}

static bool
find_cfi(struct cg_dwarf *dwarf, struct question *question)
{
	question->cfi = cg_dw.dwarf_getcfi(dwarf->dwarf);
	return question->cfi != NULL;
}

Dwarf_CFI *
cg_dwarf_cfi(struct cg_dwarf *dwarf)
{
	struct question question = { .answer = find_cfi };

	return ask(dwarf, &question) ? question.cfi : NULL;
}
