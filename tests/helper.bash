# helper.bash - functions for the bats files, which begin with: load ../helper
#
#   $ROOT                          the root directory; tests begin in it
#   $CGCONV                        the program under test
#   golden INPUT TO [OPTION...]    compares a conversion with tests/golden
#   refuses STATUS MESSAGE ARG...  cgconv ARG... fails with this status and
#                                  message and writes nothing to stdout
#   samples [FORMAT]               prints the paths of the samples, one per line
#   exe_of FILE                    prints "--exe PROG" if the sample's directory
#                                  has its executable
#   same FILE FILE                 fails and prints the difference if they differ
#   says LINE...                   standard input consists of these lines; needs
#                                  $dir
#   not COMMAND...                 succeeds if the command exits with 1
#   needs PROGRAM...               skips the test unless all of them are installed
#   can_serve FILE [SOURCE...]     builds tests/faults/server.c for LD_PRELOAD
#   needs_terminal                 skips the test if script(1) opens no terminal

cd "${BASH_SOURCE[0]%/*}/.." || exit 1
ROOT=$PWD
B=${B:-build}
case $B in
/*) ;;
*) B=$ROOT/$B ;;
esac
CGCONV=$B/cgconv

samples()
{
	local file

	for file in samples/${1:-*}/*/*; do
		case $file in
		samples/src/* | */HOW | */prog | *.txt | *.ci) ;;
		*) [ -f "$file" ] && echo "$file" ;;
		esac
	done
}

exe_of()
{
	local prog=${1%/*}/prog

	[ ! -e "$prog" ] || echo "--exe $prog"
}

same()
{
	cmp -s -- "$1" "$2" || {
		diff -u -- "$1" "$2" | head -n 40
		return 1
	}
}

says()
{
	printf '%s\n' "$@" >"$dir/want"
	cat >"$dir/got"
	same "$dir/want" "$dir/got"
}

# not COMMAND...: succeeds only on exit status 1, so that a crash fails the
# test. (bats ignores the status of a command after "!".)
not()
{
	local status=0

	"$@" || status=$?
	[ "$status" -eq 1 ]
}

needs()
{
	local program

	for program; do
		command -v "$program" >/dev/null || skip "no $program"
	done
}

# Needs glibc.
can_serve()
{
	[ "$(uname)" = Linux ] &&
		${CC:-cc} -O1 -fPIC -shared -o "$@" tests/faults/server.c -ldl \
			2>/dev/null
}

needs_terminal()
{
	needs script
	script -qec true /dev/null </dev/null >/dev/null 2>&1 ||
		skip "no terminals here"
}

golden()
{
	local input=$1 to=$2 name

	shift 2
	name=$(echo "${input#samples/}${*:+ $*}" | tr -c 'A-Za-z0-9.\n-' _)
	mkdir -p tests/golden
	# shellcheck disable=SC2046 # two words or none
	"$CGCONV" -t "$to" $(exe_of "$input") "$@" "$input" \
		>"$BATS_TEST_TMPDIR/golden"
	if [ -n "$UPDATE" ]; then
		cp "$BATS_TEST_TMPDIR/golden" "tests/golden/$name.$to"
	fi
	same "tests/golden/$name.$to" "$BATS_TEST_TMPDIR/golden"
}

refuses()
{
	local status=0 want=$1 message=$2
	local out=$BATS_TEST_TMPDIR/refuses.out err=$BATS_TEST_TMPDIR/refuses.err

	shift 2
	"$CGCONV" "$@" >"$out" 2>"$err" || status=$?
	if [ "$status" -ne "$want" ]; then
		echo "expected status $want, got $status from: cgconv $*"
		cat "$err"
		return 1
	fi
	if ! grep -qiF -- "$message" "$err"; then
		echo "expected the message: $message"
		cat "$err"
		return 1
	fi
	if [ -s "$out" ]; then
		echo "expected nothing on standard output, got:"
		head -n 5 "$out"
		return 1
	fi
}
