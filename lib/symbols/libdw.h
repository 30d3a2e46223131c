/*
 * libdw.h - the functions of libdw and libelf that lib/symbols calls, loaded
 * when the first ELF file is opened: see base/load.h.
 */
#ifndef CG_LIBDW_H
#define CG_LIBDW_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>

#include "base/load.h"

#define CG_LIBDW(X) \
	X(dwarf_attr)              \
	X(dwarf_attr_integrate)    \
	X(dwarf_begin_elf)         \
	X(dwarf_cfi_addrframe)     \
	X(dwarf_cfi_end)           \
	X(dwarf_child)             \
	X(dwarf_cu_die)            \
	X(dwarf_dieoffset)         \
	X(dwarf_end)               \
	X(dwarf_errno)             \
	X(dwarf_filesrc)           \
	X(dwarf_formstring)        \
	X(dwarf_formudata)         \
	X(dwarf_frame_cfa)         \
	X(dwarf_frame_info)        \
	X(dwarf_frame_register)    \
	X(dwarf_getarange_addr)    \
	X(dwarf_getarangeinfo)     \
	X(dwarf_getaranges)        \
	X(dwarf_getcfi)            \
	X(dwarf_getcfi_elf)        \
	X(dwarf_getsrcfiles)       \
	X(dwarf_getsrclines)       \
	X(dwarf_lineaddr)          \
	X(dwarf_lineendsequence)   \
	X(dwarf_lineno)            \
	X(dwarf_linesrc)           \
	X(dwarf_new_oom_handler)   \
	X(dwarf_next_unit)         \
	X(dwarf_offdie)            \
	X(dwarf_onesrcline)        \
	X(dwarf_ranges)            \
	X(dwarf_setalt)            \
	X(dwarf_siblingof)         \
	X(dwarf_tag)               \
	X(dwelf_elf_gnu_build_id)  \
	X(dwelf_elf_gnu_debuglink) \
	X(elf_begin)               \
	X(elf_compress)            \
	X(elf_compress_gnu)        \
	X(elf_end)                 \
	X(elf_getdata)             \
	X(elf_getdata_rawchunk)    \
	X(elf_getphdrnum)          \
	X(elf_getshdrnum)          \
	X(elf_getshdrstrndx)       \
	X(elf_kind)                \
	X(elf_memory)              \
	X(elf_ndxscn)              \
	X(elf_nextscn)             \
	X(elf_rawdata)             \
	X(elf_strptr)              \
	X(elf_version)             \
	X(gelf_fsize)              \
	X(gelf_getehdr)            \
	X(gelf_getphdr)            \
	X(gelf_getrel)             \
	X(gelf_getrela)            \
	X(gelf_getshdr)            \
	X(gelf_getsym)

struct cg_libdw {
	CG_LIBDW(CG_LOAD_MEMBER)
};

/*
 * Set by cg_libdw_load(), once for all threads, and never changed again. It is
 * global and not a member of struct cg_elffile, as many functions get only an
 * entry of DWARF. cg_elffile_open() and cg_elffile_memory() load it: code that
 * has an open file may use it.
 */
extern struct cg_libdw cg_dw;

/* Returns NULL, or why it cannot be loaded. libelf comes with libdw. */
const char *cg_libdw_load(void);

#endif
