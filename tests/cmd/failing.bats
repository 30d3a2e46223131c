# failing.bats - the program with one failing call after the other: memory,
# reads, writes, processes, threads (tests/faults/run).
load ../helper

setup_file()
{
	case $CFLAGS in *-fsanitize*) return ;; esac
	export PRELOAD=$BATS_FILE_TMPDIR/preload.so CGCONV
	can_serve "$PRELOAD" tests/faults/preload.c || unset PRELOAD
}

setup()
{
	[ -n "${PRELOAD-}" ] || skip "needs glibc, and no sanitizers"
	dir=$BATS_TEST_TMPDIR
}

# all_end KIND...: the program ends well whichever call fails.
all_end()
{
	run tests/faults/run "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

# with FAILURE COMMAND...: sets status, and output to its standard error.
with()
{
	local fail=$1

	shift
	status=0
	LD_PRELOAD=$PRELOAD CG_FAIL=$fail "$@" 2>"$dir/err" || status=$?
	output=$(cat "$dir/err")
}

@test "failing: allocations" {
	all_end alloc
}

@test "failing: reads and opens" {
	all_end read open
}

@test "failing: writes, syncs and renames" {
	all_end write fsync rename
}

@test "failing: processes and pipes" {
	all_end fork pipe
}

@test "failing: threads" {
	SCENARIO=threads all_end thread
}

@test "failing: reads and writes may be interrupted and short" {
	all_end slow
}

@test "failing: two processes may make the same new output" {
	printf 'f 5\n' >"$dir/in.folded"
	with 'race 1' "$CGCONV" -t callgrind -o "$dir/out" "$dir/in.folded"
	[ "$status" -eq 0 ]
	"$CGCONV" -t callgrind "$dir/in.folded" | same "$dir/out" /dev/stdin
}

@test "failing: a file that replaces a private one is never accessible" {
	printf 'f 5\n' >"$dir/in.folded"
	(umask 077 && : >"$dir/out")
	with 'mode 1' "$CGCONV" -t callgrind -o "$dir/out" "$dir/in.folded"
	[ "$status" -eq 0 ]
	[[ $output == *"/.out.cgconv."*": mode 600"* ]]
	[[ $output != *"mode 666"* ]]
	[ "$(stat -c %a "$dir/out")" = 600 ]
}
