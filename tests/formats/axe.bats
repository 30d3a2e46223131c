# axe.bats - the call graph that Intel's VTune prints like gprof's.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
	file=samples/axe/cycle/report.axe
}

@test "axe: self times, calls and their times are those of the report" {
	[ "$("$CGCONV" --detect $file | cut -f 2,4)" = 'axe	100' ]
	"$CGCONV" -q -t csv $file | cut -d , -f 3-6 | tr -d "\r" | LC_ALL=C sort >"$t/csv"
	grep -x 'main,0,0,250000000' "$t/csv"
	grep -x 'trace,0,50000000,200000000' "$t/csv"
	grep -x 'memset,0,125000000,125000000' "$t/csv"
	grep -F '"shade(int' "$t/csv"
	"$CGCONV" -q -t csv --table calls $file | tr -d "\r" >"$t/calls"
	grep -x ',,main,0,,,trace,0,200000000' "$t/calls"
	grep -x ',,trace,0,,,memset,0,125000000' "$t/calls"
	grep -x ',,trace,0,,,hit,0,0' "$t/calls"
	not grep -e spontaneous -e whole "$t/calls"
}

@test "axe: malformed and truncated reports are told" {
	sed 's/^\[3\]    80.0 /[3]    x /' $file >"$t/in"
	refuses 1 ':17: error: expected a percentage, two times' -t json "$t/in"
	sed 's/0.125          0.0                  memset/0.125 memset/' \
		$file >"$t/in"
	refuses 1 'expected two times and a function' -t json "$t/in"
	head -n 2 $file >"$t/in"
	refuses 1 'expected entries of functions' -t json "$t/in"
	sed '/^Index by/,$d' $file >"$t/in"
	"$CGCONV" -t json "$t/in" 2>&1 >/dev/null | grep 'may be truncated'
}
