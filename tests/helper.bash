# helper.bash - what the bats files share. They begin with: load helper
#
#   $CGCONV                        the program under test
#   golden INPUT TO [OPTION...]    its conversion is what tests/golden holds
#   refuses STATUS MESSAGE ARG...  cgconv ARG... fails so and prints nothing
#   samples [FORMAT]               one line per sample profile
#   exe_of FILE                    "--exe PROG" if a sample has its program
#   same FILE FILE                 compares and shows the difference
#   not COMMAND...                 it exits with 1

cd "$BATS_TEST_DIRNAME/.." || exit 1
B=${B:-build}
case $B in
/*) ;;
*) B=$PWD/$B ;;
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

# not COMMAND...: it says no with status 1, and does not just break. (What is
# behind a "!" fails no test.)
not()
{
	local status=0

	"$@" || status=$?
	[ "$status" -eq 1 ]
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
