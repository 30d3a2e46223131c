# d-trace.bats - trace.log of D programs.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	file=samples/d-trace/ldc/trace.log
}

# facts FILE: functions and calls of the log, as graph.pl prints those of cgconv.
facts()
{
	perl -F'\t' -lane '
		last if /^=/;
		$fn = "" if /^---/;
		if (/^_/) {
			$fn = $F[0];
			print "function\t$fn\t$F[3]\t-";
		} elsif (/^\t/ && $fn ne "") {
			printf "call\t%s\t%s\t%d\t0\n", $fn, $F[2], $F[1];
		}' "$1" | LC_ALL=C sort
}

@test "d-trace: functions and calls are those of the log" {
	facts $file >"$dir/want"
	[ "$(grep -c '^function' "$dir/want")" = 61 ]
	[ "$(grep -c '^call' "$dir/want")" -gt 61 ]
	"$CGCONV" -q -t json --no-demangle $file | perl tests/oracle/graph.pl |
		sed 's/:0:_D/_D/g' | LC_ALL=C sort | same "$dir/want" -
	"$CGCONV" -q -t json $file | grep -qF '"work.Work!(int).Work.run(int)"'
}

@test "d-trace: times of calls are those of the log but for recursion" {
	# TREE: 184216 of fib, 1333 of even.
	"$CGCONV" -q -t callgrind --no-demangle $file |
		perl tests/oracle/callgrind.pl --all-parts-as-one - |
		tr '\t' ' ' >"$dir/form"
	grep '^call .* -> .*_D4work3fibFiZi .* 15 ' "$dir/form" |
		grep -q 'ticks=184216$'
	grep '^call .*_Dmain .* -> .*_D4work4evenFiZb .* 1 ' "$dir/form" |
		grep -q 'ticks=1333$'
}

@test "d-trace: ticks are nanoseconds if their frequency is known" {
	sed 's/Timer freq.*/Timer Is 3000000 Ticks\/Sec, Times are in Microsecs ========/' \
		$file >"$dir/in"
	"$CGCONV" -q -t json "$dir/in" | perl tests/oracle/graph.pl |
		grep 'fib(int).*-$' | cut -f 3 | says 61405333
}

@test "d-trace: malformed and truncated logs" {
	sed 's/^\(_D4work3fib.*\)\t184216$/\1/' $file >"$dir/in"
	refuses 1 "in:240: error: expected 'FUNCTION CALLS TICKS TICKS'" \
		-t json "$dir/in"
	sed 's/184216$/x/' $file >"$dir/in"
	refuses 1 'expected ticks' -t json "$dir/in"
	sed '241s/\t_.*//' $file >"$dir/in"
	refuses 1 'expected a number of calls and a function' -t json "$dir/in"
	sed 's/184216$/-7/' $file >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'negative times are read as 0'
	sed '/^=/,$d' $file >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" | grep -q 'may be truncated'
	printf -- '------------------\n\n======== Timer Is 3\n' >"$dir/in"
	refuses 1 'expected functions with their calls' -f d-trace -t json "$dir/in"
}
