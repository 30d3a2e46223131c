# rprof.bats - recordings of R's Rprof.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# times FILE: functions with own and inclusive milliseconds, the latter first.
times()
{
	"$CGCONV" -q -t json "$1" | perl tests/oracle/graph.pl | perl -F'\t' -lane '
		next unless $F[0] eq "function";
		$F[1] =~ s/^.*?:\d+://;
		$self{$F[1]} += (split /,/, $F[2])[1];
		$all{$F[1]} += (split /,/, $F[3])[1];
		END { printf "%s %g %g\n", $_, $all{$_} / 1e6, $self{$_} / 1e6
			for sort { $all{$b} <=> $all{$a} || $a cmp $b } keys %all }'
}

@test "rprof: times are those of summaryRprof" {
	times samples/rprof/lines/work.Rprof | says 'run 45 0' 'fib 40 35' \
		'%+% 35 0' '<Anonymous> 5 0' '<GC> 5 5' 'FUN 5 0' 'lapply 5 0' \
		'mean.default 5 5' 'sapply 5 0' 'summary 5 0' 'summary.work 5 0'
	times samples/rprof/plain/work.Rprof >"$dir/got"
	[ "$(wc -l <"$dir/got")" = 33 ]
	grep -xF -e 'run 100 0' -e '%+% 70 0' -e 'fib 60 60' -e 'cmpfun 25 5' \
		-e 'cmpCall 15 5' -e 'as.list 10 5' -e 'lazyLoadDBfetch 10 10' \
		-e '[ 5 0' -e '%in% 5 5' "$dir/got" >"$dir/found"
	[ "$(wc -l <"$dir/found")" = 9 ]
}

@test "rprof: lines are those of the functions behind them" {
	# summaryRprof(lines = "show"): work.R#4 0.030, 2, 3 and 11 0.005; the
	# garbage collection of line 4 is a frame of its own here.
	"$CGCONV" -q -t json samples/rprof/lines/work.Rprof | perl -MJSON::PP -ne '
		next unless ref($_ = decode_json($_)) eq "ARRAY";
		$line[$_->[1]] = $_->[5] if $_->[0] eq "frame";
		$sum{$line[$_->[1]]} += $_->[3][1] if $_->[0] eq "stack";
		END { print "$_ $sum{$_}\n" for sort keys %sum }' |
		says '0 10000000' '2 5000000' '3 5000000' '4 25000000'
}

@test "rprof: quotes in names, places without a function, appended recordings" {
	cat >"$dir/in" <<'E'
line profiling: sample.interval=1000
#File 1: /a b/x.R
1#3 "f"g" 1#9 
"<Anonymous>" 1#3 "[.data.frame" 

sample.interval=2000
"f"g" 
E
	"$CGCONV" -q -t folded --event ns "$dir/in" | LC_ALL=C sort |
		says '[.data.frame;<Anonymous> 1000000' 'f"g 3000000'
	"$CGCONV" -q -t json "$dir/in" | grep -qF '["file",1,"/a b/x.R"]'
}

@test "rprof: malformed and truncated recordings" {
	bad() { # TEXT MESSAGE
		printf "$1" >"$dir/in"
		refuses 1 "$2" -f rprof -t json "$dir/in"
	}
	bad '"f" \n' "expected 'sample.interval=MICROSECONDS' first"
	bad 'sample.interval=0\n"f" \n' 'expected an interval in microseconds'
	bad 'sample.interval=5\nf \n' 'in:2:1: error: expected a function in quotes'
	bad 'sample.interval=5\n"f \n' 'expected a function in quotes'
	bad 'sample.interval=5\n#File x\n' "expected '#File NUMBER: PATH'"
	bad 'memory profiling: sample.interval=5\n:1:x:"f" \n' \
		'expected a number of memory profiling'
	bad 'sample.interval=5\n' 'expected stacks of functions in quotes'
	printf 'sample.interval=5\n"f" \n"f"' >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" | grep -q 'may be truncated'
	"$CGCONV" -t json samples/rprof/lines/work.Rprof 2>&1 >"$dir/out" |
		grep -q 'dropped what the heap had'
}
