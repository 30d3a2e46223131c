/*
 * platform.h - differences between systems.
 *
 * Everything else in lib and cmd is C11 and POSIX.1-2008, with the overflow
 * builtins of gcc and clang. The file name of libxml2 and libarchive (load.h)
 * comes from the Makefile, which needs readelf.
 *
 *	Linux     endian.h, MADV_HUGEPAGE, mallopt() with glibc
 *	BSD       sys/endian.h
 *	macOS     neither; st_mtimespec instead of st_mtim; no posix_fadvise(),
 *	          no timer_create() (cmd/main.c uses alarm() there)
 *	WASI      no processes, and a file has one descriptor; cmd/wasm/posix/
 *	          has the other calls that it lacks
 */
#ifndef CG_PLATFORM_H
#define CG_PLATFORM_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Byte order: htole32(), htole64(), le64toh() ------------------------- */

#if defined(__linux__) || defined(__GLIBC__) || defined(__CYGWIN__) || \
    defined(__wasi__)
#include <endian.h>
#elif defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) || \
    defined(__DragonFly__)
#include <sys/endian.h>
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define htole32(value) ((uint32_t)(value))
#define htole64(value) ((uint64_t)(value))
#define le64toh(value) ((uint64_t)(value))
#else
#define htole32(value) __builtin_bswap32(value)
#define htole64(value) __builtin_bswap64(value)
#define le64toh(value) __builtin_bswap64(value)
#endif

/* ---- Memory -------------------------------------------------------------- */

/* The machine's memory in bytes; 0: unknown. */
static inline uint64_t
cg_physical_memory(void)
{
#ifdef _SC_PHYS_PAGES
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
#else
	return 0;
#endif
}

/*
 * The address sanitizer maps terabytes of address space: a limit on it would
 * end the process.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CG_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CG_SANITIZED 1
#endif
#ifndef CG_SANITIZED
#define CG_SANITIZED 0
#endif

/* ---- Directories --------------------------------------------------------- */

/*
 * The flags to open a directory in which files are opened by name, but which
 * is not listed.
 */
#if defined(O_SEARCH)
#define CG_O_SEARCH O_SEARCH
#elif defined(O_PATH)
#define CG_O_SEARCH O_PATH
#elif defined(__O_PATH) /* glibc has O_PATH only with _GNU_SOURCE */
#define CG_O_SEARCH __O_PATH
#else
#define CG_O_SEARCH O_RDONLY
#endif

/* ---- Advice: ignored where the system does not take it ------------------- */

/* Advises that the memory will be used: huge pages cause fewer page faults. */
static inline void
cg_advise_huge(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
	(void)madvise(memory, size, MADV_HUGEPAGE);
#else
	(void)memory, (void)size;
#endif
}

/* Advises that the file will be read sequentially. */
static inline void
cg_advise_sequential(int fd)
{
#ifdef POSIX_FADV_SEQUENTIAL
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#else
	(void)fd;
#endif
}

/* ---- Processes ------------------------------------------------------------ */

/*
 * Without processes the parent does the work of its workers: see
 * cmd/batch/pool.c. What they send each other is then in memory: cg_pipe() and
 * the calls for its descriptors are as pipe(), read(), write() and close().
 */
#ifdef __wasi__
#define CG_HAVE_PROCESSES 0

int cg_pipe(int fd[2]);
ssize_t cg_pipe_read(int fd, void *bytes, size_t size);
ssize_t cg_pipe_write(int fd, const void *bytes, size_t size);
int cg_pipe_close(int fd);
#else
#define CG_HAVE_PROCESSES 1
#define cg_pipe pipe
#define cg_pipe_read read
#define cg_pipe_write write
#define cg_pipe_close close
#endif

/* ---- Files ---------------------------------------------------------------- */

/*
 * Returns another descriptor of a standard file, for cg_close(), which reports
 * late errors; negative: failed, with errno. WASI has no second one: there the
 * file stays open.
 */
#ifdef __wasi__
#define cg_dup(fd) (fd)
#define cg_close(fd) ((fd) > STDERR_FILENO ? close(fd) : 0)
#else
#define cg_dup(fd) fcntl(fd, F_DUPFD_CLOEXEC, 0)
#define cg_close close
#endif

/* Returns the time when the file was last modified. */
static inline struct timespec
cg_mtime(const struct stat *info)
{
#ifdef __APPLE__
	return info->st_mtimespec;
#else
	return info->st_mtim;
#endif
}

/* ---- The heap ------------------------------------------------------------ */

/* mallopt() and a heap that grows at sbrk(0): see cmd/heap.c. */
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
#define CG_HAVE_MALLOPT 1
#endif

#endif
