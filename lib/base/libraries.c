/*
 * libraries.c - the libraries that a program with this code contains, or loads
 * when an input needs them: versions and licences.
 */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <archive.h>
#include <elfutils/libdw.h>
#include <libxml/xmlversion.h>
#include <lzma.h>
#include <zstd.h>

#ifdef CG_LINKED
#include <bzlib.h>
#include <lz4.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#endif

/* elfutils has no call for its version that needs nothing else. */
#if defined(__has_include)
#if __has_include(<elfutils/version.h>)
#include <elfutils/version.h>
#endif
#endif
#ifdef _ELFUTILS_VERSION
#define TEXT(number) #number
#define TEXT_OF(macro) TEXT(macro)
#define ELFUTILS_VERSION "0." TEXT_OF(_ELFUTILS_VERSION)
#else
#define ELFUTILS_VERSION ""
#endif

#include "base/load.h"
#include "cgconv_expert.h"

/* The functions that name versions, and one that shows that libdw is there. */
#define LIBXML2(X) X(xmlCheckVersion)
#define LIBARCHIVE(X) X(archive_version_string)
#define LIBDW(X) X(dwarf_begin_elf)
#define LIBLZMA(X) X(lzma_version_string)
#define LIBZSTD(X) X(ZSTD_versionString)

struct row {
	const char *name, *licence;
	const char *soname; /* NULL: linked */
	struct cg_loadable symbol;
	/* The version, if no function of no arguments returns it; or NULL. */
	const char *version;
};

#define LINKED(name, licence, function)                                       \
	{                                                                     \
		name, licence, NULL, { #function, (void (*)(void))function }, \
		    NULL                                                      \
	}

/* The order is that in which they are printed. */
static const struct row rows[] = {
	LINKED("zlib", "Zlib", zlibVersion),
	{ "libiberty", "LGPL-2.0-or-later, with leave to link", NULL, { 0 },
	    "" },
	{ "libxml2", "MIT", CG_LIBXML2_SONAME,
	    LIBXML2(CG_LOAD_NAME) LIBXML_DOTTED_VERSION },
	{ "libarchive", "BSD-2-Clause", CG_LIBARCHIVE_SONAME,
	    LIBARCHIVE(CG_LOAD_NAME) NULL },
	{ "libdw", "LGPL-3.0-or-later or GPL-2.0-or-later", CG_LIBDW_SONAME,
	    LIBDW(CG_LOAD_NAME) ELFUTILS_VERSION },
	{ "liblzma", "public domain", CG_LIBLZMA_SONAME,
	    LIBLZMA(CG_LOAD_NAME) NULL },
	{ "libzstd", "BSD-3-Clause", CG_LIBZSTD_SONAME,
	    LIBZSTD(CG_LOAD_NAME) NULL },
#ifdef CG_LINKED
	LINKED("bzip2", "bzip2-1.0.6", BZ2_bzlibVersion),
	LINKED("lz4", "BSD-2-Clause", LZ4_versionString),
#ifdef __GLIBC__
	{ "nettle", "LGPL-3.0-or-later or GPL-2.0-or-later", NULL, { 0 }, "" },
	LINKED("glibc", "LGPL-2.1-or-later", gnu_get_libc_version),
#endif
#endif
};

bool
cg_get_library(size_t i, struct cg_library *library)
{
	const char *(*get_version)(void) = NULL;
	void (*function)(void) = NULL;
	const struct row *row;

	if (i >= sizeof(rows) / sizeof(*rows))
		return false;
	row = &rows[i];
	*library =
	    (struct cg_library){ .name = row->name, .licence = row->licence };
#ifndef CG_LINKED
	library->loaded = row->soname != NULL;
#endif
	if (row->soname)
		library->failure =
		    cg_load(row->soname, &row->symbol, 1, &function);
	else
		function = row->symbol.function;
	if (library->failure)
		return true;
	library->version = row->version;
	if (!row->version) {
		memcpy(&get_version, &function, sizeof(function));
		library->version = get_version();
	}
	return true;
}
