/*
 * posix.h - what the C library for WASI lacks of POSIX, included before all
 * else. What the host cannot do fails as POSIX says, so callers need no other
 * way: no thread can be made, no file is locked, no limit is known.
 *
 * Source: wasi-libc's headers, which say what they leave out.
 */
#ifndef CG_WASM_POSIX_H
#define CG_WASM_POSIX_H

#define __NEED_mode_t
#define __NEED_pid_t
#define __NEED_pthread_attr_t
#define __NEED_pthread_cond_t
#define __NEED_pthread_key_t
#define __NEED_pthread_mutex_t
#define __NEED_pthread_once_t
#define __NEED_pthread_rwlock_t
#define __NEED_pthread_t
#define __NEED_sigset_t
#define __NEED_size_t
#include <bits/alltypes.h>

/* ---- Threads: there is one ----------------------------------------------- */

#define PTHREAD_ONCE_INIT 0

#define pthread_mutex_init(lock, attr) ((void)(lock), 0)
#define pthread_mutex_destroy(lock) ((void)(lock), 0)
#define pthread_mutex_lock(lock) ((void)(lock), 0)
#define pthread_mutex_unlock(lock) ((void)(lock), 0)
#define pthread_cond_init(cond, attr) ((void)(cond), 0)
#define pthread_cond_destroy(cond) ((void)(cond), 0)
#define pthread_cond_signal(cond) ((void)(cond), 0)
#define pthread_cond_broadcast(cond) ((void)(cond), 0)
#define pthread_cond_wait(cond, lock) ((void)(cond), (void)(lock), 0)
#define pthread_rwlock_init(lock, attr) ((void)(lock), 0)
#define pthread_rwlock_destroy(lock) ((void)(lock), 0)
#define pthread_rwlock_rdlock(lock) ((void)(lock), 0)
#define pthread_rwlock_tryrdlock(lock) ((void)(lock), 0)
#define pthread_rwlock_wrlock(lock) ((void)(lock), 0)
#define pthread_rwlock_unlock(lock) ((void)(lock), 0)
#define pthread_once(once, run) (*(once) ? 0 : (*(once) = 1, (run)(), 0))
#define pthread_attr_init(attr) ((void)(attr), 0)
#define pthread_attr_destroy(attr) ((void)(attr), 0)
#define pthread_attr_setstacksize(attr, size) ((void)(attr), (void)(size), 0)
#define pthread_sigmask(how, set, old) ((void)(set), (void)(old), 0)
#define pthread_create(thread, attr, run, arg) \
	((void)(thread), (void)(run), (void)(arg), 11 /* EAGAIN */)
#define pthread_join(thread, result) ((void)(thread), 0)

/* ---- Signals: none arrives ------------------------------------------------ */

#define SIG_SETMASK 2
#define sigfillset(set) ((void)(set), 0)

struct sigaction {
	void (*sa_handler)(int);
};
int sigaction(int, const struct sigaction *, struct sigaction *);
unsigned alarm(unsigned seconds);
char *strsignal(int);

/* ---- Processes: there is one ----------------------------------------------- */

#define WIFEXITED(status) ((status) >= 0)
#define WEXITSTATUS(status) (status)
#define WIFSIGNALED(status) ((void)(status), 0)
#define WTERMSIG(status) (status)

pid_t fork(void);
pid_t getppid(void);
pid_t waitpid(pid_t, int *, int);
int kill(pid_t, int);
int execvp(const char *, char *const *);
int dup2(int, int);

struct rlimit {
	unsigned long long rlim_cur, rlim_max;
};
#define RLIM_INFINITY (~0ull)
enum { RLIMIT_AS, RLIMIT_NOFILE };
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);

/* ---- Files ------------------------------------------------------------------ */

#define F_WRLCK 1
#define F_SETLK 6 /* <fcntl.h> has struct flock */

struct winsize {
	unsigned short ws_col;
};
#define TIOCGWINSZ 0x5413

int madvise(void *, size_t, int);
char *realpath(const char *, char *);
int fchmod(int, mode_t);
mode_t umask(mode_t);
int socketpair(int, int, int, int[2]);

/* ---- Shared libraries: none is loaded --------------------------------------- */

#define RTLD_NOW 2
#define RTLD_LOCAL 0
void *dlopen(const char *, int);
void *dlsym(void *, const char *);
int dlclose(void *);
char *dlerror(void);

#endif
