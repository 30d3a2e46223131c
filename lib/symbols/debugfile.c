/*
 * debugfile.c - debug information outside of the ELF file: separate files, and
 * the compressed symbols of MiniDebugInfo.
 *
 * Source: "Separate Debug Files" and "MiniDebugInfo" in GDB's manual. A
 * separate file is used only if its build-id is the same, or its checksum is
 * the one in the debuglink. Nothing is fetched from a network.
 */
#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "symbols/elffile.h"

/* The largest preset of xz needs 65 MiB. */
#define UNPACK_MEMORY ((uint64_t)128 << 20)

struct search {
	const struct cg_elffile *program;
	struct cg_elffile *found;
	struct cg_slice build_id; /* raw bytes */
	const char *link;         /* NULL: none */
	uint32_t crc;
	char path[PATH_MAX];
};

int
cg_build_id(const struct cg_elffile *file, struct cg_slice *id)
{
	const void *bytes = NULL;
	ssize_t len;

	*id = (struct cg_slice){ "", 0 };
	errno = 0;
	len = cg_dw.dwelf_elf_gnu_build_id(file->elf, &bytes);
	if (len < 0 && cg_libelf_status() != CG_OK)
		return cg_libelf_status();
	if (len > 0 && len <= CG_BUILD_ID_MAX)
		*id = (struct cg_slice){ bytes, (size_t)len };
	return CG_OK;
}

/*
 * Compares the CRC-32 of a file with the one that a debuglink states. Returns
 * the status; CG_EINPUT: it differs, CG_EREAD: the file cannot be read.
 */
static int
checksum(const struct cg_elffile *file, uint32_t expected)
{
	unsigned char buf[16384];
	uLong crc = crc32(0, NULL, 0);
	uint64_t at = 0;
	ptrdiff_t got;

	while ((got = cg_read_at(file->fd, buf, sizeof(buf), at)) > 0) {
		crc = crc32(crc, buf, (uInt)got);
		at += (uint64_t)got;
	}
	if (got < 0)
		return CG_EREAD;
	return crc == expected ? CG_OK : CG_EINPUT;
}

static bool
same_file(const struct cg_elffile *a, const struct cg_elffile *b)
{
	struct stat left, right;

	return fstat(a->fd, &left) == 0 && fstat(b->fd, &right) == 0 &&
	       left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/*
 * Opens search->path as search->found if it is the ELF file's debug file, by
 * build-id or checksum. Returns the status; CG_EINPUT: it is not. After a
 * failure nothing is open.
 */
static int
try_path(struct search *search)
{
	const char *why;
	int status = cg_elffile_open(search->found, search->path, &why);
	struct cg_slice id;

	if (status != CG_OK)
		return status;
	status = cg_build_id(search->found, &id);
	if (status == CG_OK && id.len > 0 && search->build_id.len > 0)
		status =
		    id.len == search->build_id.len &&
			    memcmp(id.ptr, search->build_id.ptr, id.len) == 0
			? CG_OK
			: CG_EINPUT;
	else if (status == CG_OK)
		status = search->link ? checksum(search->found, search->crc)
				      : CG_EINPUT;
	if (status == CG_OK && same_file(search->program, search->found))
		status = CG_EINPUT;
	if (status != CG_OK)
		cg_elffile_close(search->found);
	return status;
}

static int
try_build_id(struct search *search)
{
	size_t used = sizeof(CG_DEBUG_ROOT "/.build-id/") - 1;

	if (search->build_id.len < 2)
		return CG_EINPUT;
	memcpy(search->path, CG_DEBUG_ROOT "/.build-id/", used + 1);
	for (size_t i = 0; i < search->build_id.len; i++)
		used += (size_t)sprintf(search->path + used,
		    i == 0 ? "%02x/" : "%02x",
		    (unsigned char)search->build_id.ptr[i]);
	memcpy(search->path + used, ".debug", sizeof(".debug"));
	return try_path(search);
}

/*
 * Tries to open the debug file that the debuglink names, in the directories
 * where debuggers look for it. dir is the directory of the ELF file, with a
 * slash at its end. Returns the status; CG_EINPUT: not found.
 */
static int
try_debuglink(struct search *search, const char *dir)
{
	static const char *const around[][2] = { { "", "" }, { "", ".debug/" },
		{ CG_DEBUG_ROOT, "" } };
	int status = CG_EINPUT;

	for (size_t i = 0; i < 3 && status == CG_EINPUT; i++) {
		int len = snprintf(search->path, sizeof(search->path),
		    "%s%s%s%s", around[i][0], dir, around[i][1], search->link);

		if (len > 0 && (size_t)len < sizeof(search->path))
			status = try_path(search);
	}
	return status;
}

int
cg_debugfile_open(struct cg_elffile *found, const struct cg_elffile *program,
    const char *path, char **path_out)
{
	struct search search = { .program = program, .found = found };
	GElf_Word crc = 0;
	char *real, *slash;
	int status;

	status = cg_build_id(program, &search.build_id);
	if (status == CG_OK)
		status = try_build_id(&search);
	search.link = cg_dw.dwelf_elf_gnu_debuglink(program->elf, &crc);
	search.crc = crc;
	/* The debuglink must be a file name, not a path. */
	if (search.link && (strchr(search.link, '/') || !*search.link))
		search.link = NULL;
	if (status == CG_EINPUT && search.link) {
		errno = 0;
		real = realpath(path, NULL);
		slash = real ? strrchr(real, '/') : NULL;
		if (slash) {
			slash[1] = '\0';
			status = try_debuglink(&search, real);
		} else if (errno == ENOMEM) {
			status = CG_ELIMIT;
		}
		free(real);
	}
	if (status != CG_OK)
		return status;
	*path_out = strdup(search.path);
	if (*path_out)
		return CG_OK;
	cg_elffile_close(found);
	return CG_ELIMIT;
}

/* ---- Alternate files ---------------------------------------------------- */

/*
 * Returns the real path of a link stated in the ELF file at path. A relative
 * link begins at its directory. The caller frees it. NULL: it does not exist
 * or is too long, or out of memory.
 */
static char *
resolve(const char *path, const char *link)
{
	const char *slash = strrchr(path, '/');
	int directory = *link != '/' && slash ? (int)(slash - path) + 1 : 0;
	char text[PATH_MAX];
	int len = snprintf(text, sizeof(text), "%.*s%s", directory, path, link);

	if (len < 0 || (size_t)len >= sizeof(text))
		return NULL;
	return realpath(text, NULL);
}

int
cg_altfile_open(
    struct cg_elffile *found, const struct cg_elffile *file, const char *path)
{
	const struct cg_section *section =
	    cg_elffile_section(file, ".gnu_debugaltlink");
	const size_t root = strlen(CG_DEBUG_ROOT);
	struct search search = { .program = file, .found = found };
	struct cg_slice link;
	const char *end;
	char *real;
	int status;

	if (!section)
		return CG_EINPUT;
	status = cg_section_bytes(section, &link);
	end = link.len > 0 ? memchr(link.ptr, '\0', link.len) : NULL;
	if (status != CG_OK || !end)
		return status == CG_OK ? CG_EINPUT : status;
	search.build_id.ptr = end + 1;
	search.build_id.len = link.len - (size_t)(end + 1 - link.ptr);
	if (search.build_id.len > CG_BUILD_ID_MAX)
		return CG_EINPUT;
	status = try_build_id(&search);
	if (status != CG_EINPUT)
		return status;
	errno = 0;
	real = resolve(path, link.ptr);
	if (real && strncmp(real, CG_DEBUG_ROOT "/", root + 1) == 0 &&
	    strlen(real) < sizeof(search.path)) {
		memcpy(search.path, real, strlen(real) + 1);
		status = try_path(&search);
	} else if (errno == ENOMEM) {
		status = CG_ELIMIT;
	}
	free(real);
	return status;
}

/* ---- MiniDebugInfo ------------------------------------------------------ */

#define LIBLZMA(X) X(lzma_code) X(lzma_end) X(lzma_stream_decoder)
struct liblzma {
	LIBLZMA(CG_LOAD_MEMBER)
};

/*
 * Decompresses an xz file into *bytes, of *size bytes; both must be 0 before.
 * The caller frees *bytes, also after a failure. Returns the status;
 * CG_EINPUT: malformed or expanding too much, CG_EREAD: liblzma cannot be
 * loaded.
 */
static int
decompress(struct cg_slice compressed, char **bytes, size_t *size)
{
	static const struct cg_loadable symbol[] = { LIBLZMA(CG_LOAD_NAME) };
	struct liblzma lib;
	lzma_stream xz = LZMA_STREAM_INIT;
	lzma_ret result;
	size_t cap = 0;

	if (cg_load(CG_LIBLZMA_SONAME, symbol, sizeof(symbol) / sizeof(*symbol),
		&lib))
		return CG_EREAD;
	result = lib.lzma_stream_decoder(&xz, UNPACK_MEMORY, 0);

	xz.next_in = (const uint8_t *)compressed.ptr;
	xz.avail_in = compressed.len;
	while (result == LZMA_OK) {
		if (cg_is_bomb(*size, compressed.len, CG_EXPANSION_HELD)) {
			result = LZMA_DATA_ERROR;
			break;
		}
		if (!cg_grow(bytes, &cap, *size + 65536, 1)) {
			result = LZMA_MEM_ERROR;
			break;
		}
		xz.next_out = (uint8_t *)*bytes + *size;
		xz.avail_out = cap - *size;
		result = lib.lzma_code(&xz, LZMA_FINISH);
		*size = cap - xz.avail_out;
	}
	lib.lzma_end(&xz);
	if (result == LZMA_STREAM_END)
		return CG_OK;
	return result == LZMA_MEM_ERROR ? CG_ELIMIT : CG_EINPUT;
}

int
cg_minidebug_open(struct cg_elffile *found, const struct cg_elffile *program)
{
	const struct cg_section *section =
	    cg_elffile_section(program, ".gnu_debugdata");
	struct cg_slice compressed;
	char *bytes = NULL;
	size_t size = 0;
	int status;

	if (!section)
		return CG_EINPUT;
	status = cg_section_bytes(section, &compressed);
	if (status == CG_OK)
		status = decompress(compressed, &bytes, &size);
	if (status == CG_OK)
		return cg_elffile_memory(found, bytes, size);
	free(bytes);
	return status;
}
