/*
 * sandbox.c - takes away rights that reading profiles does not need: access to
 * other files, sockets, starting programs. A malicious profile that takes over
 * a reader can then only read and write the files of the conversion.
 *
 * Linux only: landlock (5.13 and later, landlock(7)) for files, a seccomp
 * filter (seccomp(2)) for system calls. Each is used if the kernel has it;
 * containers may forbid landlock. Forbidden calls fail with EACCES or EPERM.
 */
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"
#include "cmd.h"

#if defined(__linux__) && !CG_SANITIZED && defined(__has_include)
#if __has_include(<linux/landlock.h>) && __has_include(<linux/seccomp.h>)
#define HAVE_SANDBOX 1
#endif
#endif

#ifdef HAVE_SANDBOX

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* ---- Files: landlock ---------------------------------------------------- */

/* By landlock version, from 1: the bit number of the highest right it has. */
static const unsigned rights_of[] = { 0, 12, 13, 14, 14, 15 };

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
/* 1 << 14 is truncate, which older headers do not define. */
#define WRITE                                                              \
	(READ | LANDLOCK_ACCESS_FS_WRITE_FILE |                            \
	    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | \
	    LANDLOCK_ACCESS_FS_MAKE_REG | UINT64_C(1) << 14)
/* Rights that a rule for a file, not a directory, may have. */
#define OF_FILES                                                        \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | \
	    UINT64_C(1) << 14)

/*
 * From version 6 on: forbids signals and abstract sockets to other processes.
 */
#define OTHERS 3

/* Directories of installed libraries, debug files, sources and programs. */
static const char *const system_paths[] = { "/usr", "/lib", "/lib32", "/lib64",
	"/opt", "/nix/store", "/gnu/store", "/bin", "/sbin", "/etc/ld.so.cache",
	"/etc/localtime", "/dev/null",
	/* The names of the running kernel's functions, and its build-id. */
	"/proc/kallsyms", "/sys/kernel/notes", NULL };

static void
allow(struct sandbox *box, const char *path, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = { .allowed_access =
						       rights & box->rights };
	struct stat info;

	if (box->ruleset < 0)
		return;
	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	/*
	 * A missing file needs no rule; an existing one without a rule is
	 * denied.
	 */
	if (rule.parent_fd < 0 &&
	    (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		box->error = errno;
	if (rule.parent_fd < 0)
		return;
	if (fstat(rule.parent_fd, &info) == 0 && !S_ISDIR(info.st_mode))
		rule.allowed_access &= OF_FILES;
	(void)syscall(SYS_landlock_add_rule, box->ruleset,
	    LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	(void)close(rule.parent_fd);
}

void
sandbox_begin(struct sandbox *box)
{
	/*
	 * The attributes of a later header; the kernel takes as many as it
	 * knows.
	 */
	struct {
		uint64_t files, network, scoped;
	} attr = { 0 };
	const long most = sizeof(rights_of) / sizeof(*rights_of) - 1;
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);

	box->ruleset = -1;
	box->error = 0;
	if (version <= 0)
		return; /* system calls can be limited without it */
	box->rights = UINT64_C(2) << rights_of[version < most ? version : most];
	box->rights--;
	attr.files = box->rights;
	attr.scoped = OTHERS;
	box->ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr,
	    version >= 6 ? sizeof(attr) : sizeof(attr.files), 0);
	for (size_t i = 0; system_paths[i] != NULL; i++)
		allow(box, system_paths[i], READ);
	allow(box, ".", READ);
}

void
sandbox_read(struct sandbox *box, const char *path)
{
	allow(box, path, READ);
}

void
sandbox_write(struct sandbox *box, const char *path)
{
	allow(box, path, WRITE);
}

/* ---- System calls: seccomp ---------------------------------------------- */

/* The architecture whose system call numbers are used below. */
#if defined(__x86_64__) && !defined(__ILP32__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef MACHINE

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOW_HALF 0
#else
#define LOW_HALF 4
#endif

/* Architectures and C libraries differ in the calls they have. */
static unsigned short calls[] = {
	/* memory */
	SYS_brk, SYS_mmap, SYS_mprotect, SYS_mremap, SYS_munmap, SYS_madvise,
	/* files */
	SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_lseek,
	SYS_close, SYS_fcntl, SYS_ioctl, SYS_dup, SYS_fsync, SYS_syncfs,
	SYS_fadvise64,
	SYS_openat, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_fstatfs,
	SYS_getdents64, SYS_readlinkat, SYS_faccessat, SYS_faccessat2,
	SYS_getcwd, SYS_mkdirat, SYS_unlinkat, SYS_renameat, SYS_renameat2,
	SYS_fchmod, SYS_ftruncate, SYS_pipe2, SYS_ppoll, SYS_umask,
#ifdef SYS_open
	SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir,
	SYS_unlink, SYS_rename, SYS_pipe, SYS_poll,
#endif
	/* time, random numbers, limits */
	SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_getrandom,
	SYS_setitimer, SYS_timer_settime, SYS_nanosleep, SYS_clock_nanosleep,
	SYS_getrlimit, SYS_setrlimit, SYS_prlimit64, SYS_getrusage, SYS_sysinfo,
	SYS_uname, SYS_sched_getaffinity, SYS_sched_yield,
#ifdef SYS_alarm
	SYS_alarm, SYS_time,
#endif
	/* the process, its signals, its workers */
	SYS_getpid, SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid,
	SYS_getgid, SYS_getegid, SYS_futex, SYS_set_robust_list,
	SYS_set_tid_address, SYS_rseq, SYS_rt_sigaction, SYS_rt_sigprocmask,
	SYS_rt_sigreturn, SYS_rt_sigpending, SYS_sigaltstack,
	SYS_restart_syscall, SYS_tgkill, SYS_tkill, SYS_kill, SYS_clone,
	SYS_wait4, SYS_exit, SYS_exit_group, SYS_prctl, SYS_seccomp,
	/* a narrower sandbox */
	SYS_landlock_create_ruleset, SYS_landlock_add_rule,
	SYS_landlock_restrict_self
};

#define CALLS (sizeof(calls) / sizeof(*calls))

static int
compare_calls(const void *pa, const void *pb)
{
	const unsigned short *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/*
 * Writes the edges of the ranges of allowed system calls to edge[], in
 * ascending order: the first number of each range, and the first one after it.
 * Returns the number of edges, at most two for each call.
 */
static size_t
list_edges(unsigned *edge)
{
	size_t n = 0;

	qsort(calls, CALLS, sizeof(*calls), compare_calls);
	for (size_t i = 0; i < CALLS; i++) {
		if (n == 0 || edge[n - 1] != calls[i])
			edge[n++] = calls[i];
		else
			n--; /* it continues the previous range */
		edge[n++] = calls[i] + 1u;
	}
	return n;
}

/*
 * Writes BPF instructions that allow or forbid a system call after a binary
 * search. At each of the sorted edges, forbidden numbers change to allowed
 * ones or back. low, high: edges (included) that may be at or below it.
 * Returns the instructions' end.
 */
static struct sock_filter *
put_tree(struct sock_filter *to, const unsigned *edge, size_t low, size_t high)
{
	const size_t middle = (low + high + 1) / 2;
	struct sock_filter *test = to++;

	/* A number after an odd number of edges is in a range. */
	if (low == high) {
		*test = (struct sock_filter)BPF_STMT(
		    BPF_RET | BPF_K, low % 2 == 1 ? SECCOMP_RET_ALLOW
						  : SECCOMP_RET_ERRNO | EPERM);
		return to;
	}
	/* The kernel tries each filter with all numbers: lists are slow. */
	to = put_tree(to, edge, low, middle - 1);
	*test = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K,
	    edge[middle - 1], (unsigned char)(to - test - 1), 0);
	return put_tree(to, edge, middle, high);
}

/*
 * Writes the first instructions of a seccomp filter to "to". They kill the
 * process at a system call of another architecture, where the same number
 * means another call. Then they load the number of the call. Returns the end
 * of the instructions.
 */
static struct sock_filter *
put_machine(struct sock_filter *to)
{
	*to++ = (struct sock_filter)BPF_STMT(
	    BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	*to++ = (struct sock_filter)BPF_JUMP(
	    BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
	*to++ = (struct sock_filter)BPF_STMT(
	    BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	*to++ = (struct sock_filter)BPF_STMT(
	    BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	return to;
}

static bool
add_filter(struct sock_filter *code, const struct sock_filter *end)
{
	struct sock_fprog program = { .filter = code,
		.len = (unsigned short)(end - code) };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/*
 * Writes instructions that make clone3() fail with ENOSYS, where that call
 * exists. A filter cannot read the flags of clone3(). C libraries then use
 * clone() to create threads. Returns the end of the instructions.
 */
static struct sock_filter *
put_clone3(struct sock_filter *to)
{
#ifdef SYS_clone3
	*to++ = (struct sock_filter)BPF_JUMP(
	    BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
	*to++ = (struct sock_filter)BPF_STMT(
	    BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
#endif
	return to;
}

/*
 * Installs a seccomp filter that forbids all system calls that are not listed
 * in calls[]. False: not possible; errno says why.
 */
static bool
forbid_calls(void)
{
	/* The start, a range and a test for each edge, and the end. */
	struct sock_filter code[6 + 4 * CALLS + 1], *to = put_machine(code);
	unsigned edge[2 * CALLS];
	size_t edges = list_edges(edge);

	_Static_assert(2 * CALLS <= UINT8_MAX, "a jump is too long");
	return add_filter(code, put_tree(put_clone3(to), edge, 0, edges));
}

/*
 * The flags that C libraries pass to clone() for a thread; the last are
 * musl's.
 */
#define THREAD_FLAGS                                                        \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
	    CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |            \
	    CLONE_CHILD_CLEARTID | CLONE_DETACHED)

/*
 * Writes a BPF instruction that loads the low 32 bits of the first argument of
 * the system call. Flags and process ids fit into them. Returns the end of the
 * instructions.
 */
static struct sock_filter *
load_argument(struct sock_filter *to)
{
	*to++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	    offsetof(struct seccomp_data, args) + LOW_HALF);
	return to;
}

/*
 * Installs a seccomp filter that forbids what only the parent of a batch
 * needs: signals to other processes, and new processes. Threads are allowed.
 * False: not possible; errno says why.
 */
static bool
forbid_others(void)
{
	static const unsigned signals[] = { SYS_kill, SYS_tkill, SYS_tgkill };
	struct sock_filter code[24], *to = put_machine(code);

	for (unsigned char i = 0; i < 3; i++)
		*to++ = (struct sock_filter)BPF_JUMP(
		    BPF_JMP | BPF_JEQ | BPF_K, signals[i], 4 - i, 0);
	*to++ = (struct sock_filter)BPF_JUMP(
	    BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 3, 0);
	*to++ =
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	/* Signals to itself are allowed, as abort() sends one. */
	to = load_argument(to);
	*to++ = (struct sock_filter)BPF_JUMP(
	    BPF_JMP | BPF_JEQ | BPF_K, (unsigned)getpid(), 3, 4);
	/* clone() may only create a thread. */
	to = load_argument(to);
	*to++ = (struct sock_filter)BPF_JUMP(
	    BPF_JMP | BPF_JSET | BPF_K, ~(unsigned)THREAD_FLAGS, 2, 0);
	*to++ = (struct sock_filter)BPF_JUMP(
	    BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
	*to++ =
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	*to++ = (struct sock_filter)BPF_STMT(
	    BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	return add_filter(code, to);
}

#else

static bool
forbid_calls(void)
{
	return true; /* unknown architecture: only files are protected */
}

static bool
forbid_others(void)
{
	return true;
}

#endif

/* System calls are limited already; a second sandbox needs no second filter. */
static bool inside;

const char *
sandbox_enter(struct sandbox *box)
{
	bool ready = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
	bool files = ready && box->ruleset >= 0 &&
		     syscall(SYS_landlock_restrict_self, box->ruleset, 0) == 0;

	inside = inside || (ready && forbid_calls());
	if (box->ruleset >= 0)
		(void)close(box->ruleset);
	box->ruleset = -1;
	if (files)
		return inside
			   ? NULL
			   : "no sandbox for system calls: the kernel has no "
			     "seccomp filters";
	return inside ? "no sandbox for files: the kernel has no landlock"
		      : "no sandbox: the kernel has neither landlock nor "
			"seccomp filters";
}

void
sandbox_alone(void)
{
	if (inside)
		(void)forbid_others();
}

#else

void
sandbox_begin(struct sandbox *box)
{
	box->ruleset = -1;
	box->error = 0;
}

void
sandbox_read(struct sandbox *box, const char *path)
{
	(void)box, (void)path;
}

void
sandbox_write(struct sandbox *box, const char *path)
{
	(void)box, (void)path;
}

const char *
sandbox_enter(struct sandbox *box)
{
	(void)box;
	return "no sandbox: this system has none";
}

void
sandbox_alone(void)
{
}

#endif
