/*
 * plt.c - names for the stubs of the PLT, through which code calls shared
 * libraries.
 *
 * A stub jumps through a slot of the GOT; the relocation of the slot names the
 * function. Source: the processor supplements of the System V ABI for x86-64,
 * i386 and AArch64, and the output of ld, gold and lld.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elffile.h"

/* Maximum number of bytes of a stub in which the jump is searched. */
#define STUB_MAX 16

struct machine {
	uint16_t id;
	uint32_t glob_dat, jump_slot; /* types of relocations */
	size_t align, size;           /* minimum alignment and size of stubs */
	/*
	 * The slot through which the stub at code jumps; 0 if no stub begins
	 * there. code has STUB_MAX bytes.
	 */
	uint64_t (*get_slot)(
	    const unsigned char *code, uint64_t addr, uint64_t got);
};

static uint32_t
get_word(const unsigned char *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
	       (uint32_t)code[3] << 24;
}

/*
 * Returns the number of bytes that a stub may have before its jump: the
 * instruction endbr32 or endbr64, and the prefix bnd; 0 to 5.
 */
static size_t
skip_prefixes(const unsigned char *code)
{
	size_t at = 0;

	if ((get_word(code) & 0xfeffffff) == 0xfa1e0ff3)
		at = 4;
	return at + (code[at] == 0xf2);
}

/*
 * Returns the address of the slot of the GOT through which a stub of the PLT
 * at addr jumps: jmp *offset(%rip). 0: it is other code.
 */
static uint64_t
get_slot_x86_64(const unsigned char *code, uint64_t addr, uint64_t got)
{
	size_t at = skip_prefixes(code);

	(void)got;
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	return addr + at + 6 + (uint64_t)(int32_t)get_word(code + at + 2);
}

/*
 * Returns the address of the slot of the GOT through which a stub of the PLT
 * jumps: jmp *slot or, in position-independent code, jmp *offset(%ebx),
 * relative to got. 0: it is other code.
 */
static uint64_t
get_slot_i386(const unsigned char *code, uint64_t addr, uint64_t got)
{
	size_t at = skip_prefixes(code);

	(void)addr;
	if (code[at] != 0xff || (code[at + 1] != 0x25 && code[at + 1] != 0xa3))
		return 0;
	return (uint32_t)(get_word(code + at + 2) +
			  (code[at + 1] == 0xa3 ? got : 0));
}

/*
 * Returns the address of the slot of the GOT through which a stub of the PLT
 * at addr jumps: [bti c;] adrp x16, page; ldr x17, [x16, offset]. 0: it is
 * other code.
 */
static uint64_t
get_slot_aarch64(const unsigned char *code, uint64_t addr, uint64_t got)
{
	size_t at = get_word(code) == 0xd503245f ? 4 : 0;
	uint32_t adrp = get_word(code + at), ldr = get_word(code + at + 4);
	uint64_t pages;

	(void)got;
	if ((adrp & 0x9f00001f) != 0x90000010 ||
	    (ldr & 0xffc003ff) != 0xf9400211)
		return 0;
	pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	if (pages & 0x100000)
		pages |= ~(uint64_t)0x1fffff;
	return ((addr + at) & ~(uint64_t)0xfff) + (pages << 12) +
	       (uint64_t)(ldr >> 10 & 0xfff) * 8;
}

static const struct machine machines[] = {
	{ EM_X86_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, 8, 8,
	    get_slot_x86_64 },
	{ EM_386, R_386_GLOB_DAT, R_386_JMP_SLOT, 8, 8, get_slot_i386 },
	{ EM_AARCH64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT, 4, 16,
	    get_slot_aarch64 },
};

static bool
get_relocation(Elf_Data *data, int i, bool with_addend, GElf_Rel *rel)
{
	GElf_Rela rela;

	if (!with_addend)
		return cg_dw.gelf_getrel(data, i, rel) != NULL;
	if (!cg_dw.gelf_getrela(data, i, &rela))
		return false;
	*rel = (GElf_Rel){ rela.r_offset, rela.r_info };
	return true;
}

/*
 * Maps the address of each slot of the GOT to the number (from 1) of the
 * symbol whose address the dynamic linker stores there. The relocations of the
 * section state it. False: out of memory.
 */
static bool
load_slots(const struct cg_section *section, const struct machine *machine,
    struct cg_map *slots)
{
	Elf_Data *data;
	GElf_Rel rel;
	uint32_t *symbol;

	errno = 0;
	data = cg_dw.elf_getdata(section->scn, NULL);
	if (!data)
		return errno != ENOMEM;
	for (int i = 0;
	     get_relocation(data, i, section->type == SHT_RELA, &rel); i++) {
		if (GELF_R_TYPE(rel.r_info) != machine->glob_dat &&
		    GELF_R_TYPE(rel.r_info) != machine->jump_slot)
			continue;
		symbol = cg_map_at(slots, rel.r_offset);
		if (!symbol)
			return false;
		*symbol = (uint32_t)GELF_R_SYM(rel.r_info);
	}
	return true;
}

static bool
add_stub(struct cg_functions *fns, uint64_t addr, const char *called)
{
	struct cg_symbol symbol = {
		.addr = addr, .bind = STB_LOCAL, .type = STT_FUNC, .exec = true
	};
	size_t len = strlen(called), cap = 0;
	char *name = NULL;
	cg_str str;

	if (!cg_grow(&name, &cap, len + sizeof("@plt"), 1))
		return false;
	(void)snprintf(name, cap, "%s@plt", called);
	str = cg_strs_add(fns->strs, cg_slice(name));
	free(name);
	if (str == CG_STR_NONE)
		return false;
	symbol.name = cg_strs_get(fns->strs, str).ptr;
	return cg_functions_add(fns, &symbol);
}

/*
 * Adds the stubs in a section of the PLT as functions named after those that
 * they call. They have no size. Skips other code. False: out of memory, or the
 * section cannot be read.
 */
static bool
add_stubs(struct cg_functions *fns, const struct cg_section *section,
    const struct machine *machine, uint64_t got, const struct cg_map *slots,
    const struct cg_symtab *names)
{
	struct cg_symbol called;
	struct cg_slice code;
	uint64_t slot, addr;
	uint32_t symbol;

	if (cg_section_bytes(section, &code) != CG_OK)
		return false;
	for (size_t at = 0; at + machine->size <= code.len;) {
		unsigned char stub[STUB_MAX] = { 0 };
		size_t left = code.len - at;

		memcpy(stub, code.ptr + at, left < STUB_MAX ? left : STUB_MAX);
		addr = section->addr + at;
		slot = machine->get_slot(stub, addr, got);
		symbol = slot ? cg_map_get(slots, slot) : 0;
		if (symbol == 0 || !cg_symtab_get(names, symbol - 1, &called)) {
			at += machine->align;
			continue;
		}
		if (!add_stub(fns, addr, called.name))
			return false;
		at += machine->size;
	}
	return true;
}

bool
cg_functions_add_plt(struct cg_functions *fns, const struct cg_elffile *file)
{
	const struct machine *machine = NULL;
	const struct cg_section *got;
	struct cg_map slots = { 0 };
	struct cg_symtab names;
	bool ok = true;

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		if (machines[i].id == file->head.e_machine)
			machine = &machines[i];
	}
	if (!machine)
		return true;
	if (cg_symtab_open(&names, file, file, SHT_DYNSYM) != CG_OK)
		return false;
	got = cg_elffile_section(file, ".got.plt");
	if (!got)
		got = cg_elffile_section(file, ".got");
	for (size_t i = 1; ok && i < file->sections; i++) {
		const struct cg_section *section = &file->section[i];

		if ((section->type == SHT_REL || section->type == SHT_RELA) &&
		    section->link < file->sections &&
		    file->section[section->link].type == SHT_DYNSYM)
			ok = load_slots(section, machine, &slots);
	}
	for (size_t i = 1; ok && i < file->sections; i++) {
		const struct cg_section *section = &file->section[i];

		if (section->exec && section->type == SHT_PROGBITS &&
		    strncmp(section->name, ".plt", 4) == 0)
			ok = add_stubs(fns, section, machine,
			    got ? got->addr : 0, &slots, &names);
	}
	cg_map_free(&slots);
	return ok;
}
