# vtune.bats - reports of Intel's VTune as CSV.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
	file=samples/vtune/topdown/top-down.vtune.csv
}

@test "vtune: a call tree becomes stacks with self costs" {
	[ "$("$CGCONV" --detect $file | cut -f 2,4)" = 'vtune	100' ]
	"$CGCONV" -q -t folded --event ns $file | same - <(printf '%s\n' \
		'_start;[unknown] 10000000' '_start;main 250000000' \
		'_start;main;memset 40125000' \
		'_start;main;std::map<int, int>::find 200125000')
	"$CGCONV" -q -t folded --event Instructions_Retired $file |
		same - <(printf '%s\n' '_start;[unknown] 50' \
			'_start;main 1000' \
			'_start;main;std::map<int, int>::find 900')
	"$CGCONV" -q -t json $file >"$t/json"
	grep -F '"libc.so.6"' "$t/json"
	grep -F '"map.h"' "$t/json"
	# A part of another column's costs.
	not grep -F 'Spin' "$t/json"
}

@test "vtune: reads other separators, and reports of functions" {
	tr , '\t' <$file | sed 's/map<int\t/map<int,/' >"$t/tabs"
	"$CGCONV" -q -t folded "$t/tabs" | same - <("$CGCONV" -q -t folded $file)
	printf '%s\n' 'war: a warning' 'Function,CPU Time,Module' \
		'main,1.5s,prog' '"f(int, int)",0.25s,prog' >"$t/flat"
	"$CGCONV" -q -t folded "$t/flat" |
		same - <(printf '%s\n' 'f(int, int) 250000000' 'main 1500000000')
}

@test "vtune: malformed reports are refused" {
	sed 's/^   memset/    memset/' $file >"$t/in"
	"$CGCONV" -q -t folded "$t/in" | grep 'find;memset'
	sed 's/^   memset/     memset/' $file >"$t/in"
	refuses 1 ':6: error: expected at most 4 blanks before a function' \
		-t json "$t/in"
	sed 's/0.200125,0.200125/0.2,x/' $file >"$t/in"
	refuses 1 ':5: error: expected a number in column 3' -t json "$t/in"
	head -n 4 $file >"$t/in"
	echo '   memset' >>"$t/in"
	refuses 1 ':5: error: expected a number in column 3' -t json "$t/in"
	printf 'Function Stack,CPU Time:Total,Module\nmain,1,a\n' >"$t/in"
	refuses 1 'expected a column of self costs' -f vtune -t json "$t/in" ||
		refuses 1 'expected a head' -f vtune -t json "$t/in"
	printf 'Function,Function Stack,CPU Time,Module\nmain,,1,a\n' >"$t/in"
	refuses 1 'vtune -report top-down' -t json "$t/in"
	head -c -5 $file >"$t/in"
	"$CGCONV" -t json "$t/in" 2>&1 >/dev/null | grep 'may be truncated'
}
