# gprof-text.bats - the report that gprof prints, beside the gmon.out that it was
# printed of.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
	report=samples/gprof-text/report/report.gprof
}

@test "gprof-text: a report says what its gmon.out does" {
	"$CGCONV" --verify --exe samples/gprof/cycles/prog $report \
		samples/gprof/cycles/gmon.out
	for run in calls m32 runs; do
		gmon=$(echo samples/gprof/$run/gmon.out* | cut -d ' ' -f 1)
		gprof -b samples/gprof/$run/prog "$gmon" >"$t/report"
		"$CGCONV" --verify --exe samples/gprof/$run/prog "$t/report" \
			"$gmon"
	done
	"$CGCONV" -t json $report 2>&1 >"$t/out" |
		grep 'note: times are as gprof has rounded them'
}

@test "gprof-text: inclusive times follow from counts of calls, as in gprof" {
	"$CGCONV" -q -t callgrind $report | "$CGCONV" -q --info - >"$t/got"
	grep -E "430,000,000 +100.00% +0 .* main\$" "$t/got"
	grep -E " 428,[0-9,]+ +99.57% +0 .* fib\$" "$t/got"
}

@test "gprof-text: reads the flat profile or the call graph alone" {
	sed '/Call graph/,$d' $report >"$t/flat"
	"$CGCONV" -q --info "$t/flat" | grep -E '430,000,000 +100.00% .* burn$'
	sed -n '/Call graph/,$p' $report >"$t/graph"
	"$CGCONV" -q -t csv "$t/graph" >"$t/got"
	"$CGCONV" -q -t csv $report | same "$t/got" -
	# Lines of gprof -l.
	sed 's/  burn$/  burn (b.c:7 @ 4011)/; s/ burn \[1\]/ burn (b.c:7 @ 4011) [1]/' \
		$report >"$t/lines"
	"$CGCONV" -q -t json "$t/lines" | grep -F '"file",1,"b.c"'
}

@test "gprof-text: rejects malformed reports" {
	sed 's/0.43     0.43    57563/0.43    x/' $report >"$t/x"
	refuses 1 'expected a percentage, two times and a function' -t json "$t/x"
	sed 's,57313/57563 ,fifty ,' $report >"$t/x"
	refuses 1 'expected a number of calls and a function' -t json "$t/x"
	printf 'Flat profile:\n\n' >"$t/x"
	refuses 1 'expected a flat profile or a call graph' -t json "$t/x"
}
