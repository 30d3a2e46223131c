/*
 * elffile.c - one ELF file, through libelf: sections, symbol tables, code.
 *
 * Source: the System V ABI's ELF chapters and its processor supplements.
 * libelf reads on demand; nothing is mapped, so a file that shrinks does not
 * kill the process. Its calls only report that they failed; errno shows
 * whether memory ran out or reading failed. The sections that symbols need are
 * read when the file is opened, so that later calls on them cannot fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/elffile.h"

/* ---- Sections ----------------------------------------------------------- */

int
cg_libelf_status(void)
{
	return errno == ENOMEM ? CG_ELIMIT : errno != 0 ? CG_EREAD : CG_OK;
}

/*
 * Records that the file must have size bytes from offset on, as a header says.
 * A file that is shorter than the largest end so recorded (file->needed) is
 * truncated.
 */
static void
need(struct cg_elffile *file, uint64_t offset, uint64_t size)
{
	uint64_t end = offset + size;

	if (end < offset)
		end = UINT64_MAX;
	if (end > file->needed)
		file->needed = end;
}

/*
 * True for sections that are read when the file is opened, so that later calls
 * on them cannot fail: symbol tables, strings, notes (build-id), relocations,
 * stubs, links to debug files, and .opd.
 */
static bool
is_read_early(const struct cg_section *section)
{
	switch (section->type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
	case SHT_STRTAB:
	case SHT_NOTE:
	case SHT_REL:
	case SHT_RELA: return true;
	case SHT_PROGBITS:
		return strncmp(section->name, ".plt", 4) == 0 ||
		       strncmp(section->name, ".gnu_debug", 10) == 0 ||
		       strcmp(section->name, ".opd") == 0;
	default: return false;
	}
}

/*
 * Returns the decompressed size that a compressed section states. It is in the
 * section's header (gABI, chapter 4), or after "ZLIB" at the start of .zdebug
 * sections (GNU). 0: the section is not compressed, or the size cannot be
 * read.
 */
static uint64_t
expanded_size(const struct cg_elffile *file, const struct cg_section *section,
    const GElf_Shdr *head)
{
	const bool wide = file->head.e_ident[EI_CLASS] == ELFCLASS64;
	const bool gnu = strncmp(section->name, ".zdebug", 7) == 0;
	const bool big = gnu || file->head.e_ident[EI_DATA] == ELFDATA2MSB;
	/*
	 * The size follows the type, or "ZLIB"; in 64-bit headers 4 bytes of
	 * padding come before it.
	 */
	const size_t at = gnu || !wide ? 4 : 8, n = gnu || wide ? 8 : 4;
	unsigned char bytes[16] = { 0 };
	uint64_t size = 0;

	if (!gnu && !section->compressed)
		return 0;
	if (file->fd >= 0)
		(void)cg_read_at(
		    file->fd, bytes, sizeof(bytes), head->sh_offset);
	else if (head->sh_offset < file->size &&
		 file->size - head->sh_offset >= sizeof(bytes))
		memcpy(bytes, file->memory + head->sh_offset, sizeof(bytes));
	for (size_t i = 0; i < n; i++)
		size = size << 8 | bytes[big ? at + i : at + n - 1 - i];
	return size;
}

static int
fill_section(struct cg_elffile *file, struct cg_section *section, Elf_Scn *scn,
    size_t names)
{
	GElf_Shdr head;
	uint64_t size;

	section->name = "";
	errno = 0;
	if (!cg_dw.gelf_getshdr(scn, &head))
		return cg_libelf_status();
	section->name = cg_dw.elf_strptr(file->elf, names, head.sh_name);
	if (!section->name && cg_libelf_status() != CG_OK)
		return cg_libelf_status();
	if (!section->name)
		section->name = "";
	section->addr = head.sh_addr;
	section->size = head.sh_size;
	section->type = head.sh_type;
	section->link = head.sh_link;
	section->exec =
	    (head.sh_flags & SHF_ALLOC) && (head.sh_flags & SHF_EXECINSTR);
	section->compressed = head.sh_flags & SHF_COMPRESSED;
	section->scn = scn;
	size = expanded_size(file, section, &head);
	file->expanded += size < UINT64_MAX - file->expanded
			      ? size
			      : UINT64_MAX - file->expanded;
	if (head.sh_type != SHT_NOBITS && head.sh_type != SHT_NULL)
		need(file, head.sh_offset, head.sh_size);
	if (is_read_early(section) && !cg_dw.elf_rawdata(scn, NULL))
		return cg_libelf_status();
	return CG_OK;
}

static int
load_sections(struct cg_elffile *file)
{
	size_t count = 0, cap = 0, names = 0;
	Elf_Scn *scn = NULL;
	int status;

	need(file, file->head.e_shoff,
	    (uint64_t)file->head.e_shnum * file->head.e_shentsize);
	errno = 0;
	if (cg_dw.elf_getshdrnum(file->elf, &count) != 0 ||
	    cg_dw.elf_getshdrstrndx(file->elf, &names) != 0)
		return cg_libelf_status(); /* CG_OK: as if there were none */
	while ((scn = cg_dw.elf_nextscn(file->elf, scn)) != NULL) {
		size_t i = cg_dw.elf_ndxscn(scn);
		struct cg_section *section;

		if (i >= count)
			break;
		if (!cg_grow(
			&file->section, &cap, i + 1, sizeof(*file->section)))
			return CG_ELIMIT;
		section = &file->section[i];
		file->sections = i + 1;
		status = fill_section(file, section, scn, names);
		if (status != CG_OK)
			return status;
		if (section->exec &&
		    section->size <= UINT64_MAX - section->addr &&
		    !cg_spans_add(&file->exec, section->addr,
			section->addr + section->size, (uint32_t)i))
			return CG_ELIMIT;
	}
	return cg_spans_flatten(&file->exec) ? CG_OK : CG_ELIMIT;
}

const struct cg_section *
cg_elffile_section(const struct cg_elffile *file, const char *name)
{
	for (size_t i = 1; i < file->sections; i++) {
		const struct cg_section *section = &file->section[i];

		if (section->type != SHT_NOBITS && section->scn &&
		    strcmp(section->name, name) == 0)
			return section;
	}
	return NULL;
}

int
cg_section_bytes(const struct cg_section *section, struct cg_slice *bytes)
{
	const Elf_Data *data;

	*bytes = (struct cg_slice){ "", 0 };
	errno = 0;
	data = cg_dw.elf_rawdata(section->scn, NULL);
	if (!data)
		return cg_libelf_status();
	if (data->d_buf && data->d_size > 0)
		*bytes = (struct cg_slice){ data->d_buf, data->d_size };
	return CG_OK;
}

bool
cg_elffile_has_dwarf(const struct cg_elffile *file)
{
	return cg_elffile_section(file, ".debug_info") ||
	       cg_elffile_section(file, ".zdebug_info");
}

bool
cg_elffile_is_bomb(const struct cg_elffile *file)
{
	return cg_is_bomb(file->expanded, file->size, CG_EXPANSION_HELD);
}

/* ---- Opening ------------------------------------------------------------ */

/* True if an errno is an error of the system, not of the file. */
static bool
is_trouble(int error)
{
	return error == EIO || error == EMFILE || error == ENFILE;
}

int
cg_elffile_look(const char *path, bool *is, const char **why)
{
	char magic[SELFMAG];
	struct stat info;
	ptrdiff_t n;
	int fd;

	*is = false;
	if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
		return CG_OK;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		*why = cg_open_error(path);
		return is_trouble(errno) ? CG_EREAD : CG_OK;
	}
	n = cg_read_at(fd, magic, SELFMAG, 0);
	*is = n == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
	(void)close(fd);
	return n < 0 ? CG_EREAD : CG_OK;
}

bool
cg_is_elf(const char *path)
{
	const char *why;
	bool is;

	return cg_elffile_look(path, &is, &why) == CG_OK && is;
}

static int
load(struct cg_elffile *file)
{
	int status = CG_EINPUT;

	if (file->elf && cg_dw.elf_kind(file->elf) == ELF_K_ELF &&
	    cg_dw.gelf_getehdr(file->elf, &file->head))
		status = load_sections(file);
	else if (cg_libelf_status() != CG_OK)
		status = cg_libelf_status();
	if (status != CG_OK)
		cg_elffile_close(file);
	return status;
}

/*
 * Sets *why to the reason why a system call on path has failed (errno), and
 * returns the status: CG_EREAD for an error of the system, else CG_EINPUT.
 */
static int
explain(const char *path, const char **why)
{
	*why = cg_open_error(path);
	return is_trouble(errno) ? CG_EREAD : CG_EINPUT;
}

int
cg_elffile_open(struct cg_elffile *file, const char *path, const char **why)
{
	struct stat info;

	*file = (struct cg_elffile){ .fd = -1 };
	if (stat(path, &info) != 0)
		return explain(path, why);
	/* Do not open devices, and do not block on a FIFO. */
	if (!S_ISREG(info.st_mode)) {
		*why = "not a regular file";
		return CG_EINPUT;
	}
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0)
		return explain(path, why);
	*why = cg_libdw_load();
	if (*why) {
		cg_elffile_close(file);
		return CG_EREAD;
	}
	file->size = (uint64_t)info.st_size;
	(void)cg_dw.elf_version(EV_CURRENT);
	errno = 0;
	file->elf = cg_dw.elf_begin(file->fd, ELF_C_READ, NULL);
	return load(file);
}

int
cg_elffile_memory(struct cg_elffile *file, char *bytes, size_t size)
{
	*file = (struct cg_elffile){ .fd = -1, .memory = bytes, .size = size };
	if (cg_libdw_load()) {
		cg_elffile_close(file);
		return CG_EREAD;
	}
	(void)cg_dw.elf_version(EV_CURRENT);
	errno = 0;
	file->elf = cg_dw.elf_memory(bytes, size);
	return load(file);
}

void
cg_elffile_close(struct cg_elffile *file)
{
	if (file->elf)
		(void)cg_dw.elf_end(file->elf);
	if (file->fd >= 0)
		(void)close(file->fd);
	free(file->memory);
	free(file->section);
	cg_spans_free(&file->exec);
	*file = (struct cg_elffile){ .fd = -1 };
}

/* ---- Code --------------------------------------------------------------- */

/*
 * Sets *head to the header of the executable segment that contains an address,
 * if the file has a byte for that address. Memory of the segment beyond the
 * bytes in the file does not count. False: there is none.
 */
static bool
find_segment(const struct cg_elffile *file, uint64_t addr, GElf_Phdr *head)
{
	size_t count = 0;

	(void)cg_dw.elf_getphdrnum(file->elf, &count);
	for (size_t i = 0; i < count; i++) {
		if (!cg_dw.gelf_getphdr(file->elf, (int)i, head))
			return false;
		if (head->p_type == PT_LOAD && (head->p_flags & PF_X) &&
		    addr >= head->p_vaddr &&
		    addr - head->p_vaddr < head->p_filesz)
			return true;
	}
	return false;
}

int
cg_elffile_code(
    const struct cg_elffile *file, uint64_t addr, struct cg_slice *code)
{
	const Elf_Data *data = NULL;
	GElf_Phdr head;

	*code = (struct cg_slice){ "", 0 };
	errno = 0;
	if (find_segment(file, addr, &head) && head.p_offset < file->size) {
		if (head.p_filesz > file->size - head.p_offset)
			head.p_filesz =
			    file->size - head.p_offset; /* truncated */
		data = cg_dw.elf_getdata_rawchunk(file->elf,
		    (int64_t)head.p_offset, (size_t)head.p_filesz, ELF_T_BYTE);
	}
	if (!data || addr - head.p_vaddr >= data->d_size)
		return cg_libelf_status();
	code->ptr = (const char *)data->d_buf + (addr - head.p_vaddr);
	code->len = data->d_size - (size_t)(addr - head.p_vaddr);
	return CG_OK;
}

/* ---- Symbol tables ------------------------------------------------------ */

static int
load_names(struct cg_symtab *table, uint32_t link)
{
	int status;

	if (link == 0 || link >= table->file->sections ||
	    !table->file->section[link].scn)
		return CG_OK;
	status = cg_section_bytes(&table->file->section[link], &table->names);
	while (table->names.len > 0 &&
	       table->names.ptr[table->names.len - 1] != '\0')
		table->names.len--;
	return status;
}

/*
 * Loads function descriptors (.opd): in version 1 of the 64-bit PowerPC ABI
 * symbols point to them. Returns the status.
 */
static int
load_descriptors(struct cg_symtab *table, const struct cg_elffile *program)
{
	const struct cg_section *opd;

	if (program->head.e_machine != EM_PPC64)
		return CG_OK;
	opd = cg_elffile_section(program, ".opd");
	if (!opd)
		return CG_OK;
	table->opd_addr = opd->addr;
	return cg_section_bytes(opd, &table->opd);
}

int
cg_symtab_open(struct cg_symtab *table, const struct cg_elffile *file,
    const struct cg_elffile *program, uint32_t type)
{
	const struct cg_section *section = NULL;
	int status;
	size_t size;

	*table = (struct cg_symtab){ .file = file, .type = type };
	for (size_t i = 1; i < file->sections && !section; i++) {
		if (file->section[i].type == type)
			section = &file->section[i];
	}
	if (!section)
		return CG_OK;
	errno = 0;
	table->data = cg_dw.elf_getdata(section->scn, NULL);
	if (!table->data)
		return cg_libelf_status();
	size = cg_dw.gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	if (table->data->d_type == ELF_T_SYM && table->data->d_size > size)
		table->count = table->data->d_size / size - 1;
	if (table->count >= INT_MAX) /* libelf counts in int */
		table->count = INT_MAX - 1;
	status = load_names(table, section->link);
	return status == CG_OK ? load_descriptors(table, program) : status;
}

static uint64_t
follow_descriptor(const struct cg_symtab *table, uint64_t addr)
{
	bool big = table->file->head.e_ident[EI_DATA] == ELFDATA2MSB;
	uint64_t at = addr - table->opd_addr, code = 0;

	if (table->opd.len < 8 || at > table->opd.len - 8)
		return addr;
	for (unsigned i = 0; i < 8; i++)
		code = code << 8 |
		       (unsigned char)table->opd.ptr[at + (big ? i : 7 - i)];
	return code;
}

bool
cg_symtab_get(const struct cg_symtab *table, size_t i, struct cg_symbol *symbol)
{
	const struct cg_elffile *file = table->file;
	uint16_t machine = file->head.e_machine;
	GElf_Sym sym;

	if (i >= table->count ||
	    !cg_dw.gelf_getsym(table->data, (int)i + 1, &sym))
		return false;
	*symbol = (struct cg_symbol){
		.addr = sym.st_value,
		.size = sym.st_size,
		.name = "",
		.room = 1,
		.bind = GELF_ST_BIND(sym.st_info),
		.type = GELF_ST_TYPE(sym.st_info),
		.undefined = sym.st_shndx == SHN_UNDEF,
		.absolute = sym.st_shndx == SHN_ABS,
	};
	if (sym.st_name < table->names.len) {
		symbol->name = table->names.ptr + sym.st_name;
		symbol->room = table->names.len - sym.st_name;
	}
	/* Bit 0 of a function's address selects the instruction set. */
	if (symbol->type == STT_FUNC &&
	    (machine == EM_ARM || machine == EM_MIPS))
		symbol->addr &= ~(uint64_t)1;
	if (symbol->undefined || symbol->absolute)
		return true;
	if (table->opd.len > 0 &&
	    follow_descriptor(table, symbol->addr) != symbol->addr) {
		symbol->addr = follow_descriptor(table, symbol->addr);
		symbol->exec = cg_spans_find(&file->exec, symbol->addr);
	} else if (sym.st_shndx < file->sections) {
		symbol->exec = file->section[sym.st_shndx].exec;
	} else {
		symbol->exec = cg_spans_find(&file->exec, symbol->addr);
	}
	return true;
}
