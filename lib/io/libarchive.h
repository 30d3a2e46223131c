/*
 * libarchive.h - the functions of libarchive that lib/io calls, loaded when an
 * input is an archive or is compressed by xz, bzip2, zstd or lz4.
 */
#ifndef CG_LIBARCHIVE_H
#define CG_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#include "base/load.h"

#define CG_LIBARCHIVE(X)                  \
	X(archive_entry_filetype)         \
	X(archive_entry_hardlink)         \
	X(archive_entry_mtime)            \
	X(archive_entry_pathname)         \
	X(archive_entry_pathname_utf8)    \
	X(archive_entry_size)             \
	X(archive_entry_size_is_set)      \
	X(archive_errno)                  \
	X(archive_error_string)           \
	X(archive_format)                 \
	X(archive_read_append_filter)     \
	X(archive_read_data)              \
	X(archive_read_free)              \
	X(archive_read_new)               \
	X(archive_read_next_header)       \
	X(archive_read_open)              \
	X(archive_read_support_format_empty) \
	X(archive_read_support_format_raw)   \
	X(archive_read_support_format_tar)   \
	X(archive_read_support_format_zip_streamable) \
	X(archive_set_error)

struct cg_libarchive {
	CG_LIBARCHIVE(CG_LOAD_MEMBER)
};

/* Returns NULL, or why it cannot be loaded, as cg_load() does. */
static inline const char *
cg_libarchive_load(struct cg_libarchive *library)
{
	static const struct cg_loadable symbol[] = { CG_LIBARCHIVE(CG_LOAD_NAME) };

	return cg_load(
	    CG_LIBARCHIVE_SONAME, symbol, sizeof(symbol) / sizeof(*symbol), library);
}

#endif
