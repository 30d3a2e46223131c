# xray.bats - what llvm-xray account and stack print.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# functions FILE: functions, their calls, inclusive times.
functions()
{
	"$CGCONV" -q -t json "$1" | perl -MJSON::PP -ne '
		next unless ref($_ = decode_json($_)) eq "ARRAY";
		$name[$_->[1]] = $_->[2] if $_->[0] eq "function";
		$fn = $_->[1] if $_->[0] eq "rows";
		$all[$fn] = $_->[1][0] if $_->[0] eq "inclusive";
		$calls[$_->[4]] = $_->[7] if $_->[0] eq "call";
		END { print "$name[$_] $calls[$_] $all[$_]\n" for 1 .. $#name }'
}

@test "xray: functions of account" {
	perl -ne '/^ +\d+ +(\d+) \[.*\] +([\d.]+)  [^:]*:\d+:\d+: (.*)/ and
		printf "%s %s %.0f\n", $3, $1, $2 * 1e9' \
		samples/xray/account/account.xray | LC_ALL=C sort >"$dir/rows"
	[ "$(wc -l <"$dir/rows")" = 4 ]
	functions samples/xray/account/account.xray >"$dir/functions"
	same "$dir/rows" "$dir/functions"
	perl -ne '/^\d+,(\d+),.*,([-+.e\d]+),"[^"]*","(.*)"$/ and
		printf "%s %s %.0f\n", $3, $1, $2 * 1e9' \
		samples/xray/csv/xray.csv | LC_ALL=C sort >"$dir/rows"
	[ "$(wc -l <"$dir/rows")" = 4 ]
	functions samples/xray/csv/xray.csv >"$dir/functions"
	same "$dir/rows" "$dir/functions"
	"$CGCONV" -q -t json samples/xray/csv/xray.csv | grep -F '"xray.cc"'
}

@test "xray: stacks of the text are those for flame graphs" {
	# Each line of the latter has the time of a stack with all callees.
	perl -ne '/^thread_(\d+);(.*); (\d+)$/ or die;
		$all{"$1;$2"} = $3;
		END { for (keys %all) { $self{$_} += $all{$_};
				/(.*);/ and exists $all{$1} and $self{$1} -= $all{$_} }
			for (keys %self) { /^\d+;(.*)/; $sum{$1} += $self{$_} }
			print "$_ $sum{$_}\n" for keys %sum }' \
		samples/xray/flame/flame.xray | LC_ALL=C sort >"$dir/stacks"
	[ "$(wc -l <"$dir/stacks")" -ge 15 ]
	for in in flame/flame.xray stack/stack.xray; do
		"$CGCONV" -t folded "samples/xray/$in" 2>"$dir/err" |
			LC_ALL=C sort >"$dir/folded"
		same "$dir/stacks" "$dir/folded"
		[ ! -s "$dir/err" ]
	done
	"$CGCONV" -q -t json --part-by tid samples/xray/flame/flame.xray |
		grep -c '^\["part"' | says 2
}

@test "xray: numbers of calls" {
	"$CGCONV" -t folded samples/xray/count/count.xray 2>"$dir/err" |
		sed 's/ /:/; s/.*:/&/' | grep -c . | says "$(sed 's/^thread_[0-9]*;//; s/ [0-9]*$//' \
		samples/xray/count/count.xray | sort -u | wc -l)"
	grep 'note: callees have more than callers: costs are numbers of calls' "$dir/err"
	"$CGCONV" -q -t folded samples/xray/count/count.xray |
		grep -x 'main;right() 3'
	"$CGCONV" -q -t json samples/xray/count/count.xray | grep -F '["event",0,"calls"'
	"$CGCONV" -q -t json samples/xray/stack/stack.xray | perl -MJSON::PP -ne '
		next unless ref($_ = decode_json($_)) eq "ARRAY";
		$name[$_->[1]] = $_->[2] if $_->[0] eq "function";
		$fn = $_->[1] if $_->[0] eq "rows";
		print $name[$fn] // "-", " > $name[$_->[4]]: $_->[7]\n"
			if $_->[0] eq "call"' | LC_ALL=C sort | grep -v 'fib(int) >' |
		says '- > left(): 1' '- > main: 1' 'left() > fib(int): 5' \
		'left() > spin(unsigned long): 5' 'main > left(): 1' \
		'main > right(): 3' 'right() > left(): 3' \
		'right() > spin(unsigned long): 3'
}

@test "xray: stacks that are missing are reported" {
	printf '%s\n' '' 'Unique Stacks: 12' 'Top 10 Stacks by leaf sum:' '' \
		'Sum: 5' 'lvl   function  count  sum' '#0    f  1  9' \
		'#1    g h  2  5' >"$dir/in"
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" | says 'f 4' 'f;g h 5'
	grep 'warning: 2 stacks are missing' "$dir/err"
}

@test "xray: malformed and truncated texts" {
	bad() { # TEXT MESSAGE
		printf "$1" >"$dir/in"
		refuses 1 "$2" -f xray -t json "$dir/in"
	}
	bad 'Functions with latencies: 1\n 1 x\n' 'in:2: error: expected an id, a count'
	bad 'funcid,count,min,median\n1,2,3\n' 'expected 10 fields'
	bad 'Unique Stacks: 1\n#0 f x 1\n' 'expected a level, a function'
	bad 'Unique Stacks: 1\n#1 f 1 1\n' 'expected a level up to #0'
	bad 'f; 1\ng;h; 1\n' 'expected the line of the caller before'
	bad 'f; 1\nf; 1\n' 'expected each stack once'
	bad 'f; 1\ng 1\n' "expected 'f;g; SUM'"
	bad 'Functions with latencies: 0\n' 'expected what llvm-xray account'
	head -c 300 samples/xray/flame/flame.xray >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" | grep -q -e truncated -e expected
}

@test "xray: a line of a thread without functions" {
	printf 'thread_1; 5\n' >"$dir/in"
	"$CGCONV" -q -f xray -t folded "$dir/in" | says 'thread_1 5'
	printf 'thread_1;f; 5\nthread_1; 5\n' >"$dir/in"
	"$CGCONV" -q -f xray -t folded --root-by none "$dir/in" |
		says 'f 5' 'thread_1 5'
}
