# sb-sprof.bats - reports of SBCL's statistical profiler.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# costs FILE: functions with own and inclusive samples and times or bytes.
costs()
{
	"$CGCONV" -q -t json "$1" | perl -MJSON::PP -ne '
		next unless ref($_ = decode_json($_)) eq "ARRAY";
		$name[$_->[1]] = $_->[2] if $_->[0] eq "function";
		$fn = $_->[1] if $_->[0] eq "rows";
		$all{$name[$fn]} = $_->[1] if $_->[0] eq "inclusive";
		$self{$name[$fn]} = $_->[4] if $_->[0] eq "cost";
		END { print join(" ", map({ $_ // 0 } @{$self{$_}}[0, 1],
			@{$all{$_}}[0, 1]), $_), "\n" for keys %all }' |
		LC_ALL=C sort
}

# table FILE UNIT: the same of the flat report.
table()
{
	perl -ne '
		BEGIN { $unit = shift }
		/^ *\d+ +(\d+) +[\d.]+ +(\d+) +[\d.]+ +\d+ +[\d.]+ +\S+  (.*)/ and
			print join(" ", $1, $1 * $unit, $2, $2 * $unit, $3), "\n"' \
		"$2" "$1" | LC_ALL=C sort
}

@test "sb-sprof: costs are those of the flat report" {
	while read -r case unit rows; do
		in=samples/sb-sprof/$case/fibs.sb-sprof
		table "$in" "$unit" >"$dir/table"
		[ "$(wc -l <"$dir/table")" -eq "$rows" ]
		costs "$in" >"$dir/costs"
		same "$dir/table" "$dir/costs"
		"$CGCONV" -t json "$in" 2>&1 >"$dir/json" | tee "$dir/err"
		[ ! -s "$dir/err" ]
	done <<-END
	flat 5000000 18
	graph 5000000 18
	alloc 32768 12
	END
}

@test "sb-sprof: calls are those that the graph lists as callers" {
	for case in graph alloc; do
		in=samples/sb-sprof/$case/fibs.sb-sprof
		perl -ne '
			/^---/ and @callers = (), $seen = 0;
			/^ *(\d+) +[\d.]+ {12,}(\S.*) \[\d+\]$/ and !$seen and
				push @callers, [$2, $1];
			/^ *\d+ +[\d.]+ {1,6}\d+ +[\d.]+   (\S.*) \[\d+\]$/ or next;
			print "$_->[0] > $1: $_->[1]\n" for @callers;
			$seen = 1' "$in" | LC_ALL=C sort >"$dir/callers"
		[ "$(wc -l <"$dir/callers")" -ge 10 ]
		"$CGCONV" -q -t json "$in" | perl -MJSON::PP -ne '
			next unless ref($_ = decode_json($_)) eq "ARRAY";
			$name[$_->[1]] = $_->[2] if $_->[0] eq "function";
			$fn = $_->[1] if $_->[0] eq "rows";
			print "$name[$fn] > $name[$_->[4]]: $_->[8][0]\n"
				if $_->[0] eq "call"' | LC_ALL=C sort >"$dir/calls"
		same "$dir/callers" "$dir/calls"
	done
}

@test "sb-sprof: numbers of calls" {
	"$CGCONV" -q -t json samples/sb-sprof/flat/fibs.sb-sprof |
		grep -c '\["call",0,0,0,[0-9]*,0,0,6,\[\]\]' | says 1
}

@test "sb-sprof: other output, elsewhere, a second report, functions of one name" {
	cat >"$dir/in" <<'E2'
; loading

Number of samples:   10
Sample interval:     0.01 seconds
Total sampling time: 0.1 seconds
Number of cycles:    0
Sampled threads:
   #<THREAD "main thread" RUNNING {1001348003}>

           Self        Total        Cumul
  Nr  Count     %  Count     %  Count     %    Calls  Function
------------------------------------------------------------------------
   1      4  40.0      5  50.0      4  40.0        -  F
   2      3  30.0      3  30.0      7  70.0       12  F
------------------------------------------------------------------------
          3  30.0                                     elsewhere
done

Number of samples:   10
Sample interval:     0.01 seconds
E2
	costs "$dir/in" | says '3 30000000 3 30000000 elsewhere' \
		'7 70000000 8 80000000 F'
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/json" |
		grep 'reports after the first one are skipped'
	sed 's/^   1      4/   1      5/' "$dir/in" >"$dir/sum"
	"$CGCONV" -t json "$dir/sum" 2>&1 >"$dir/json" | grep 11
}

@test "sb-sprof: malformed and truncated reports" {
	head='Number of samples: 2\nSample interval: 0.01 seconds\n'
	flat='  Nr  Count     %%  Count     %%  Count     %%    Calls  Function\n'
	graph=' Count     %%  Count     %%      Callees\n'
	bad() { # TEXT MESSAGE
		printf "$1" >"$dir/in"
		refuses 1 "$2" -f sb-sprof -t json "$dir/in"
	}
	bad "$flat" "expected 'Sample interval:' before the report"
	bad 'Number of samples: x\n' 'expected a number of samples'
	bad 'Sample interval: 0 seconds\n' 'expected an interval in seconds or kB'
	bad 'Alloc interval: 1 regions (approximately x kB)\n' 'expected an interval'
	bad "$head" 'expected a :flat or :graph report'
	bad "$head$flat"'   1  2 100.0  2 100.0 x\n' \
		'in:4: error: expected a number, three counts'
	bad "$head$graph"'   2 100.0 x 1 F\n' 'expected samples, a percentage and a function'
	bad "$head$graph"' F\n' 'expected samples, a percentage and a function'
	head -n 40 samples/sb-sprof/graph/fibs.sb-sprof >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" | grep -q 'may be truncated'
}

@test "sb-sprof: a second interval is refused" {
	printf '%s\n' 'Number of samples: 1' 'Sample interval: 0.01 seconds' \
		'Alloc interval: 1 regions (approximately 32 kB)' >"$dir/in"
	refuses 1 'in:3: error: expected one interval' -f sb-sprof -t json \
		"$dir/in"
}
