# faults.bats - batches with failures: each is reported in one message, and the
# other inputs are converted.
load ../helper
bats_require_minimum_version 1.5.0

setup()
{
	PLAIN=$PWD/samples/callgrind/plain/callgrind.out
	# Other users need access.
	dir=$(mktemp -d "${TMPDIR:-/tmp}/cgconv-faults.XXXXXX")
	chmod 755 "$dir"
	cd "$dir" || return 1
	mkdir in
	for i in $(seq 1 9); do
		sed "s/^fn=(1) /fn=(1) f$i/" "$PLAIN" >"in/callgrind.out.$i"
	done
}

teardown()
{
	rm -rf "$dir"
}

batch()
{
	status=0
	"$CGCONV" "$@" 2>err || status=$?
}

# Runs cgconv as user nobody: permissions do not apply to root.
batch_as_nobody()
{
	[ "$(id -u)" = 0 ] || return 0
	cp "$CGCONV" "$dir/cgconv"
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$dir/cgconv" --version >/dev/null 2>&1 ||
		skip "root is not allowed to become nobody"
	status=0
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$dir/cgconv" "$@" 2>err || status=$?
}

# A format whose reader executes the second word of its input.
make_mad()
{
	case $CFLAGS in *-fsanitize*) skip "not with sanitizers" ;; esac
	# shellcheck disable=SC2086 # several flags
	${CC:-cc} -I"$ROOT/lib" -fPIC -shared -o mad.so -x c - <<-'END'
	#include <signal.h>
	#include <stdio.h>
	#include <unistd.h>
	#include "cgconv_parse.h"
	static int probe(const struct cg_head *head)
	{
		return cg_starts(head->text, "mad ") ? CG_PROBE_SURE : 0;
	}
	static int read_mad(struct cg_job *job, struct cg_in *in,
	    struct cg_build *build)
	{
		struct cg_slice line;
		FILE *file;

		(void)job, (void)build;
		if (!cg_read_line(in, &line))
			return CG_EINPUT;
		if (cg_equal(line, "mad killed"))
			kill(getpid(), SIGKILL);
		file = fopen(cg_in_name(in), "a");
		fputs("more\n", file);
		fclose(file);
		return CG_OK;
	}
	static int write_mad(struct cg_job *job, const struct cg_graph *graph,
	    struct cg_out *out)
	{
		(void)job, (void)graph, (void)out;
		return kill(getpid(), SIGKILL);
	}
	static const struct cg_module mad = { CG_MODULE, .name = "mad",
		.title = "mad", .probe = probe, .read = read_mad,
		.write = write_mad, .naming = "{stem}.mad" };
	__attribute__((visibility("default")))
	const struct cg_module *const cg_modules[] = { &mad, NULL };
	END
}

# failed_with FAILED MESSAGE CONVERTED: the batch reported MESSAGE for so many
# inputs, converted the others and left no temporary files.
failed_with()
{
	[ "$status" -eq 1 ]
	[ "$(grep -c -- "error: .*$2" err)" -eq "$1" ]
	grep -q " $3 converted, $1 failed" err
	[ -z "$(find . -name '.*cgconv.*')" ]
}

@test "faults: reports inputs and directories that cannot be read" {
	chmod 0 in/callgrind.out.4
	mkdir in/closed out
	chmod 0 in/closed
	chmod 777 out
	command -v setpriv >/dev/null || skip "no setpriv"
	batch_as_nobody -O out/out --manifest out/m -r in
	failed_with 2 "cannot open: Permission denied" 8
	grep -q '"input":"in/closed",.*"status":"failed"' out/m
	batch_as_nobody -o out/sum.cgj -r in
	failed_with 2 "cannot open: Permission denied" 8
	chmod 755 in/closed
}

@test "faults: reports a read-only target" {
	command -v setpriv >/dev/null || skip "no setpriv"
	mkdir out
	batch_as_nobody -O out -r in
	failed_with 9 "Permission denied" 0
	batch_as_nobody -o out/sum.cgj -r in
	[ "$status" -eq 1 ]
	[ "$(wc -l <err)" -eq 2 ]
	grep -q "out/sum.cgj: error: .*Permission denied" err
	grep -q " 0 converted, 9 failed" err
}

@test "faults: a batch writes files that their owner may not write" {
	command -v setpriv >/dev/null || skip "no setpriv"
	mkdir out
	mkdir -m 777 out/in
	umask 222
	if [ "$(id -u)" = 0 ]; then
		batch_as_nobody -O out in/callgrind.out.[12]
	else
		batch -O out in/callgrind.out.[12]
	fi
	umask 22
	cat err
	[ "$status" -eq 0 ]
	[ "$(find out/in -type f -perm 444 | wc -l)" -eq 2 ]
	[ -z "$(find out -name '.*.cgconv.*')" ]
}

@test "faults: reports an output above the file size limit" {
	for i in $(seq 500); do echo "f$i;g$i;h$i $i"; done >in/big.folded
	status=0
	(ulimit -f 8 && "$CGCONV" -q -t json -O out -r in) 2>err || status=$?
	[ "$status" -eq 1 ]
	[ "$(cat err)" = "out/in/big.cgj: error: cannot write: File too large" ]
	[ "$(find out -type f | wc -l)" -eq 9 ]
}

@test "faults: reports an input that is modified while it is read" {
	make_mad
	echo "mad written" >in/now
	batch --no-sandbox --module "$dir/mad.so" -O out -r in
	failed_with 1 "the file changed while it was read" 9
	batch --no-sandbox --module "$dir/mad.so" -o sum.cgj -r in
	failed_with 1 "the file changed while it was read" 9
}

@test "faults: a killed worker fails its input only" {
	make_mad
	echo "mad killed" >in/callgrind.out.3a
	for jobs in 1 3; do
		batch --module "$dir/mad.so" -j"$jobs" -O "out$jobs" -r in
		failed_with 1 "the worker was killed: Killed" 9
		batch --module "$dir/mad.so" -j"$jobs" -o sum.cgj -r in
		failed_with 1 "the worker was killed: Killed" 9
	done
	diff -r out1 out3
}

@test "faults: a worker killed while it writes leaves no file" {
	make_mad
	batch --module "$dir/mad.so" -t mad -j2 -O out -r in
	failed_with 9 "the worker was killed: Killed" 0
	[ -z "$(find out -type f)" ]
	batch --module "$dir/mad.so" -t mad -o sum -r in
	[ "$status" -eq 1 ]
	[ -z "$(find . -name '*sum*')" ]
}

@test "faults: uses fewer workers if limits of files or processes require it" {
	status=0
	(ulimit -n 40 && timeout 60 "$CGCONV" -j 100 -O out -r in) 2>err ||
		status=$?
	[ "$status" -eq 0 ]
	# A limit of three processes, for a user who runs no others.
	as_other="setpriv --reuid=64321 --regid=64321 --clear-groups"
	cp "$CGCONV" cgconv
	$as_other ./cgconv --version >/dev/null 2>&1 ||
		skip "not allowed to become another user"
	mkdir -m 777 two
	rm -f in/callgrind.out.[1-4]
	(ulimit -u 3 && $as_other ./cgconv -j 9 -O two/out -r in)
	[ "$(find two -type f | wc -l)" -eq 5 ]
}

@test "faults: a signal to the parent ends all workers" {
	mkfifo pipe
	"$CGCONV" -j2 -O out -r in pipe 2>err 3>&- &
	pid=$!
	for i in $(seq 100); do
		[ "$(find out -type f 2>/dev/null | wc -l)" -lt 9 ] || break
		sleep 0.05
	done
	kill -TERM "$pid"
	for i in $(seq 100); do
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.05
	done
	# If it still runs: end it and a worker that waits for the pipe.
	kill -9 "$pid" 2>/dev/null || true
	timeout 1 sh -c ': >pipe' || true
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	not grep -q pipe err
	[ "$(find out -type f | wc -l)" -eq 9 ]
}

@test "faults: reports a missing directory, list or archive" {
	batch -O out -r in gone
	failed_with 1 "cannot open: No such file" 9
	batch -O out2 -r in gone.tgz
	failed_with 1 "cannot open: No such file" 9
	refuses 2 "cannot open gone" -O out --files-from gone
	printf '%s\n' in/callgrind.out.1 gone in/callgrind.out.2 >list
	batch -O out3 --files-from list
	failed_with 1 "cannot open: No such file" 2
}

@test "faults: a manifest that cannot be written is a failure" {
	[ -e /dev/full ] || skip "no /dev/full"
	batch -O out --manifest /dev/full --force -r in
	[ "$status" -eq 4 ]
	grep -q "cannot write the manifest" err
	[ "$(find out -type f | wc -l)" -eq 9 ]
}

@test "faults: truncated and corrupt archives never crash it" {
	tar -czf in.tgz in/callgrind.out.[123]
	tar -cf in.tar in/callgrind.out.[123]
	for archive in in.tgz in.tar; do
		size=$(wc -c <"$archive")
		for part in 1 2 3 4 5 6 7; do
			head -c $((size * part / 8)) "$archive" >cut.tar
			rm -rf out
			batch -O out -r cut.tar in/callgrind.out.9
			[ "$status" -le 1 ]
			[ -e out/in/callgrind.out.9 ]
			# An archive without its zeros at the end is only a
			# warning.
			[ "$status" -eq 1 ] || grep -q "may be truncated" err ||
				[ "$(find out -type f | wc -l)" -eq 4 ]
			cp "$archive" bad.tar
			printf 'damage' | dd of=bad.tar bs=1 conv=notrunc \
				seek=$((size * part / 8)) 2>/dev/null
			rm -rf out
			batch -O out -r bad.tar in/callgrind.out.9
			[ "$status" -le 1 ]
			[ -e out/in/callgrind.out.9 ]
			[ -z "$(find out -name '.*cgconv.*')" ]
		done
	done
}

# failing KIND ARG...: see faults/preload.c; prints messages.
failing()
{
	local kind=$1

	shift
	case $CFLAGS in *-fsanitize*) skip "not with sanitizers" ;; esac
	[ -e preload.so ] ||
		${CC:-cc} -shared -fPIC -o preload.so \
			"$ROOT/tests/faults/preload.c" -ldl -lpthread
	status=0
	CG_FAIL=$kind LD_PRELOAD=$PWD/preload.so "$CGCONV" "$@" 2>err ||
		status=$?
}

# keeps INPUT: a failed conversion leaves the old output, or says that the new
# one is partial.
keeps()
{
	echo old >out.cgj
	batch -t json -o out.cgj "$1"
	[ "$status" -eq 0 ] || [ "$(cat out.cgj)" = old ] ||
		grep -q "error: the output is partial" err || {
		echo "status $status, and $1 replaced the output:"
		cat err
		return 1
	}
}

@test "faults: a failure replaces no output, or says that it is partial" {
	for format in "$ROOT"/samples/*/; do
		case $format in */demo/ | */record*/ | */src/) continue ;; esac
		input=$(find "$format" -mindepth 2 -type f -size -300k \
			! -name HOW ! -name '*.txt' ! -name prog ! -name '*.ci' |
			LC_ALL=C sort | head -n 1)
		[ -n "$input" ] || continue
		name=x.${input##*/}
		name=${name%.gz}
		case $name in # a zip archive: gzip would decompress its first member
		*.sleepy) cat "$input" ;;
		*) gzip -dcf <"$input" ;;
		esac >whole
		size=$(wc -c <whole)
		for part in 1 5 9; do
			head -c $((size * part / 10)) whole >"$name"
			keeps "$name"
		done
		{ cat whole && echo junkjunkjunkjunk; } >"$name"
		keeps "$name"
	done
}

# was_partial ARG...: so is the output of each of these conversions.
was_partial()
{
	echo old >out.cgj
	batch -q -t json -o out.cgj "$@"
	[ "$status" -eq 1 ]
	[ "$(tail -n 1 err)" = "$message" ]
	"$CGCONV" -q -t json -o copy.cgj out.cgj
}

@test "faults: a partial output is an error that says so" {
	message="cgconv: error: the output is partial: 1 input or part of an\
 input was skipped"
	gzip -dc "$ROOT/samples/jfr/work/work.jfr.gz" >cut.jfr
	echo junkjunkjunkjunk >>cut.jfr
	was_partial cut.jfr
	was_partial --diff "$ROOT/samples/jfr/work/work.jfr.gz" cut.jfr
	mkdir units
	cp "$ROOT"/samples/gcov/gcc-c/cover.gc* units
	head -c 100 units/cover.gcda >units/cut.gcda
	cp units/cover.gcno units/cut.gcno
	was_partial units
	# The records of the header are read by another descriptor.
	failing "read 4" -q -t json -o out.cgj \
		"$ROOT/samples/perf-data/work/work.perf.data"
	[ "$status" -eq 1 ]
	grep -q "$message" err
	message="out.cgj: error: the output is partial: 1 of 3 inputs failed"
	was_partial -j2 -f callgrind "$PLAIN" in/callgrind.out.1 cut.jfr
}

@test "faults: an output is complete though its directory cannot be synced" {
	[ "$(uname -s)" = Linux ] || skip "needs glibc"
	"$CGCONV" -t json -o right in/callgrind.out.1
	failing 'fsync 1' -t json -o out in/callgrind.out.1
	[ "$status" -eq 4 ] && [ ! -e out ]
	grep -qx 'out: error: cannot write: Input/output error' err
	failing 'fsync 2' -t json -o out in/callgrind.out.1
	[ "$status" -eq 0 ]
	cmp out right
	grep -q '^out: warning: written, but its directory cannot be synced' err
}

@test "faults: outputs of a batch get their names when they are synced" {
	[ "$(uname -s)" = Linux ] || skip "needs glibc"
	batch -j 1 -t json -O right in/callgrind.out.[123]
	# If the file system cannot be synced, each file is.
	failing 'fsync 1' -j 1 -t json -O out in/callgrind.out.[123]
	[ "$status" -eq 0 ]
	diff -r right out
	failing 'fsync 1 sticky' -j 1 -t json -O out2 in/callgrind.out.[123]
	[ "$status" -eq 1 ]
	[ -z "$(find out2 -type f)" ]
	[ "$(grep -cx 'in/callgrind.out.\([123]\): error: cannot write out2/in/[^ ]*\1.cgj: Input/output error' err)" -eq 3 ]
	failing 'fsync 2' -j 1 -t json -O out3 in/callgrind.out.[123]
	[ "$status" -eq 0 ]
	diff -r right out3
	grep -q '^out3: warning: written, but cannot be synced: Input/output error' err
	failing 'rename 2' -j 1 -t json -O out4 --manifest m in/callgrind.out.[123]
	[ "$status" -eq 1 ]
	[ "$(find out4 -type f | wc -l)" -eq 2 ]
	grep -q '"input":"in/callgrind.out.2".*"status":"failed".*Permission denied' m
	batch -j 1 -t json -O out4 --manifest m --retry-failed in/callgrind.out.[123]
	[ "$status" -eq 0 ]
	diff -r right out4
}

@test "faults: a worker that cannot read its pipe is not out of memory" {
	[ "$(uname -s)" = Linux ] || skip "needs glibc"
	tar cf a.tar in
	for n in $(seq 2 16); do
		rm -rf out
		failing "read $n" -j1 -t json -O out a.tar
		not grep -q 'out of memory' err
		[ "$status" -le 1 ]
	done
}
