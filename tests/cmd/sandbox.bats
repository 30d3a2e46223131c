# sandbox.bats - what a reader can do: read the inputs and what belongs to them,
# write outputs, and nothing else.
load ../helper
bats_require_minimum_version 1.5.0

setup()
{
	case $CFLAGS in *-fsanitize*) skip "not with sanitizers" ;; esac
	# /tmp itself is the working directory of nobody here.
	dir=$BATS_TEST_TMPDIR
	mkdir "$dir/in" "$dir/work"
	cd "$dir/work" || return 1
	echo 'f 5' >"$dir/in/a.folded"
	"$CGCONV" -v -O probe -t json "$dir/in/a.folded" 2>&1 |
		not grep -q 'no sandbox' || skip "the kernel has no landlock"
}

# A format whose reader tries what its input names and warns how it went.
make_tries()
{
	# shellcheck disable=SC2086 # several flags
	${CC:-cc} -I"$ROOT/lib" -fPIC -shared -pthread -o tries.so -x c - <<-'END'
	#define _GNU_SOURCE
	#include <errno.h>
	#include <fcntl.h>
	#include <pthread.h>
	#include <sched.h>
	#include <signal.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/ptrace.h>
	#include <sys/socket.h>
	#include <sys/stat.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	#include "cgconv_parse.h"
	static int probe(const struct cg_head *head)
	{
		return cg_starts(head->text, "tries") ? CG_PROBE_SURE : 0;
	}
	static void tell(struct cg_job *job, const char *what, long result)
	{
		(void)job;
		fprintf(stderr, "warning: %s: %s\n", what,
		    result >= 0 ? "done" : strerror(errno));
	}
	/* The other process, if there is one, ends at once. */
	static void try_clone(struct cg_job *job, const char *name, long flags)
	{
		long got = syscall(SYS_clone, flags, 0, 0, 0, 0);

		if (got == 0)
			_exit(0);
		tell(job, name, got);
	}
	static void *nothing(void *arg)
	{
		return arg;
	}
	static void try_threads(struct cg_job *job)
	{
		long args[11] = { 0 };
		pthread_t thread;

		try_clone(job, "process", SIGCHLD);
		try_clone(job, "vfork", CLONE_VFORK | CLONE_PARENT | SIGCHLD);
		try_clone(job, "user", CLONE_NEWUSER | SIGCHLD);
		try_clone(job, "net", CLONE_NEWNET | CLONE_THREAD |
		    CLONE_SIGHAND | CLONE_VM);
		args[4] = SIGCHLD;
		tell(job, "clone3", syscall(SYS_clone3, args, sizeof(args)));
		errno = pthread_create(&thread, NULL, nothing, NULL);
		tell(job, "thread", errno == 0 ? 0 : -1);
		if (errno == 0)
			pthread_join(thread, NULL);
	}
	static int read_tries(struct cg_job *job, struct cg_in *in,
	    struct cg_build *build)
	{
		char *const argv[] = { "/bin/true", NULL };
		const char *home = getenv("OUTSIDE");
		char path[4096];

		(void)in, (void)build;
		tell(job, "inet", socket(AF_INET, SOCK_STREAM, 0));
		tell(job, "unix", socket(AF_UNIX, SOCK_STREAM, 0));
		tell(job, "passwd", open("/etc/passwd", O_RDONLY));
		strcat(strcpy(path, home), "/new");
		tell(job, "create", open(path, O_WRONLY | O_CREAT, 0600));
		strcat(strcpy(path, home), "/old");
		tell(job, "change", open(path, O_WRONLY));
		tell(job, "truncate", truncate(path, 0));
		tell(job, "remove", unlink(path));
		tell(job, "mkdir", mkdir(strcat(path, "x"), 0700));
		tell(job, "chmod", chmod(home, 0700));
		/* Without a sandbox its parent would have to continue it. */
		if (getenv("CONFINED")) {
			tell(job, "ptrace", ptrace(PTRACE_TRACEME, 0, 0, 0));
			tell(job, "fork", fork());
			try_threads(job);
		}
		tell(job, "signal", kill(1, 0));
		tell(job, "input", open("../in/a.folded", O_RDONLY));
		tell(job, "own", open("tries.so", O_RDONLY));
		tell(job, "exec", execv(argv[0], argv));
		return CG_OK;
	}
	static const struct cg_module tries = { CG_MODULE, .name = "tries",
		.title = "tries", .probe = probe, .read = read_tries };
	__attribute__((visibility("default")))
	const struct cg_module *const cg_modules[] = { &tries, NULL };
	END
}

@test "sandbox: a reader cannot open, connect or execute anything else" {
	make_tries
	mkdir "$dir/outside"
	echo old >"$dir/outside/old"
	echo tries >"$dir/in/tries"
	export OUTSIDE=$dir/outside
	for command in "-O out -t json" "-o out.cgj" --info; do
		# shellcheck disable=SC2086 # several words
		CONFINED=1 "$CGCONV" --module "$PWD/tries.so" $command \
			"$dir/in/tries" 2>err || :
		for call in inet unix passwd create change truncate remove \
			mkdir chmod ptrace fork process vfork user net signal \
			exec; do
			grep -qE "warning: $call: (Permission denied|Operation not permitted)" \
				err || { echo "$call"; cat err; return 1; }
		done
		# Its arguments cannot be checked, so it is not there.
		grep -q "warning: clone3: Function not implemented" err
		grep -q "warning: thread: done" err
		# What it may do: the input's and the working directory.
		grep -q "warning: input: done" err
		grep -q "warning: own: done" err
		[ "$(cat "$dir/outside/old")" = old ]
		[ "$(ls "$dir/outside")" = old ]
	done
	# Without the sandbox they work, so the test tests something.
	"$CGCONV" --no-sandbox --module "$PWD/tries.so" -O out -t json \
		"$dir/in/tries" 2>err || :
	for call in inet passwd create change truncate remove mkdir; do
		grep -q "warning: $call: done" err
	done
	[ -e "$dir/outside/new" ]
}

@test "sandbox: without landlock, system calls are limited" {
	make_tries
	# shellcheck disable=SC2086 # several flags
	${CC:-cc} -o nolandlock -x c - <<-'END'
	#include <errno.h>
	#include <linux/filter.h>
	#include <linux/seccomp.h>
	#include <stddef.h>
	#include <sys/prctl.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		struct sock_filter code[] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			    offsetof(struct seccomp_data, nr)),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			    SYS_landlock_create_ruleset, 0, 1),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
		struct sock_fprog program = { 4, code };

		(void)argc;
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
			return 9;
		execvp(argv[1], argv + 1);
		return 8;
	}
	END
	mkdir "$dir/outside"
	echo tries >"$dir/in/tries"
	for command in "-O out -t json" --info; do
		# shellcheck disable=SC2086 # several words
		OUTSIDE=$dir/outside CONFINED=1 ./nolandlock "$CGCONV" -v \
			--module "$PWD/tries.so" $command \
			"$dir/in/tries" 2>err || :
		for call in inet unix ptrace fork process signal exec; do
			grep -q "warning: $call: Operation not permitted" err ||
				{ echo "$call"; cat err; return 1; }
		done
		grep -q 'note: no sandbox for files: the kernel has no landlock' err
	done
	# It is quiet for those who cannot change it.
	./nolandlock "$CGCONV" --info "$dir/in/a.folded" 2>&1 |
		not grep sandbox
}

@test "sandbox: inputs are listed in a sandbox, too" {
	mkfifo list
	"$CGCONV" --files-from list -O new/out --manifest new.jsonl &
	exec 9>list
	for i in $(seq 50); do
		grep -q '^Seccomp:.*2$' "/proc/$!/status" && break
		[ "$i" -lt 50 ] && sleep 0.1
	done
	echo "$dir/in/a.folded" >&9
	exec 9>&-
	wait $!
	[ "$(find new/out -type f | wc -l)" -eq 1 ]
	[ -s new.jsonl ]
}

@test "sandbox: a file elsewhere is reported, not missed in silence" {
	mkdir "$dir/secret"
	cp "$ROOT/samples/gcov/marks/marks.gcda" "$dir/in"
	cp "$ROOT/samples/gcov/marks/marks.gcno" "$dir/secret"
	ln -s "$dir/secret/marks.gcno" "$dir/in/marks.gcno"
	run ! "$CGCONV" -O out -t lcov "$dir/in/marks.gcda"
	[[ $output == *"in/marks.gcno: error: cannot open: the sandbox does not allow it (--no-sandbox)"* ]]
	"$CGCONV" --no-sandbox --force -O out -t lcov "$dir/in/marks.gcda"
	grep -qr 'DA:' out
}

@test "sandbox: inputs and outputs may be links to other directories" {
	mkdir "$dir/real" "$dir/links" "$dir/target"
	cp "$dir/in/a.folded" "$dir/real/b.folded"
	ln -s "$dir/real/b.folded" "$dir/links/c.folded"
	ln -s "$dir/target" root
	"$CGCONV" -O root -t json "$dir/links/c.folded"
	[ "$(find "$dir/target" -name '*.cgj' | wc -l)" -eq 1 ]
	: >"$dir/target/sum.cgj"
	ln -s "$dir/target/sum.cgj" sum.cgj
	"$CGCONV" -j 2 -o sum.cgj "$dir/links/c.folded" "$dir/in/a.folded"
	[ -s "$dir/target/sum.cgj" ] && [ -L sum.cgj ]
}

@test "sandbox: a mapped library elsewhere is named, with what allows it" {
	a=$ROOT/samples/gperftools/cpu
	mkdir "$dir/lib"
	cp "$a/prog" "$dir/lib"
	perl -pe "s,/var/tmp/cgconv-samples/prog,$dir/lib/prog,g" "$a/work.prof" \
		>"$dir/in/work.prof"
	"$CGCONV" -t folded "$dir/in/work.prof" 2>&1 | grep -q ": [0-9]*; the \
sandbox does not allow their files (--no-sandbox): give $dir/lib/prog with --exe"
	"$CGCONV" --no-sandbox -t folded "$dir/in/work.prof" 2>&1 |
		grep -q 'main;twice_\[i\];spin'
}

@test "sandbox: too few descriptors are not told as a sandbox that forbids files" {
	case $CFLAGS in *-fsanitize*) skip "not with sanitizers" ;; esac
	"$CGCONV" -v --detect /dev/null 2>&1 | grep -q "no sandbox" &&
		skip "no sandbox"
	${CC:-cc} -shared -fPIC -o "$BATS_TEST_TMPDIR/preload.so" \
		"$ROOT/tests/faults/preload.c" -ldl -lpthread
	input=$ROOT/samples/callgrind/plain/callgrind.out
	for n in $(seq 1 40); do
		CG_FAIL="open $n" LD_PRELOAD=$BATS_TEST_TMPDIR/preload.so \
			"$CGCONV" -t json -o "$BATS_TEST_TMPDIR/out" "$input" \
			2>"$BATS_TEST_TMPDIR/err" || true
		not grep -E 'sandbox does not|denied' "$BATS_TEST_TMPDIR/err"
	done
}
