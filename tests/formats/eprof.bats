# eprof.bats - eprof's tables of Erlang programs.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# facts FILE: functions with their own times and calls, summed.
facts()
{
	perl -ne 'if (/^(\S+:\S+\/\d+) +(\d+) +[\d.]+ +(\d+) +\[/) {
			$self{$1} += 1000 * $3; $count{$1} += $2 }
		END { print "$_ $self{$_} $count{$_}\n" for keys %self }' "$1" |
		LC_ALL=C sort
}

ours()
{
	"$CGCONV" -q -t json "$@" | perl tests/oracle/graph.pl |
		perl -F'\t' -lane '$_ =~ s/^:0:// for @F[1, 2];
			$self{$F[1]} = $F[2] if $F[0] eq "function";
			$count{$F[2]} = $F[3] if $F[0] eq "call";
			END { print "$_ ", $self{$_} || 0, " $count{$_}"
				for keys %count }' | LC_ALL=C sort
}

@test "eprof: functions are those of the tables, of one process or of all" {
	for case in total processes; do
		file=samples/eprof/$case/work.eprof
		facts $file >"$dir/want"
		[ "$(wc -l <"$dir/want")" = 49 ]
		ours $file | same "$dir/want" -
		"$CGCONV" -q -t json $file | grep '^\["total"' | grep -o '[0-9]*' |
			awk '{ n += $1 } END { print n }' | says 234000
	done
	"$CGCONV" -q -t json samples/eprof/processes/work.eprof |
		grep -c '^\["part".*<0.8[12].0>' | says 2
}

@test "eprof: finds tables behind other output, skips the second kind" {
	{
		printf 'hello\nFUNCTION keys\n\n'
		cat samples/eprof/processes/work.eprof samples/eprof/total/work.eprof
	} >"$dir/in"
	"$CGCONV" --detect "$dir/in" | cut -f 2 | says eprof
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" | grep -q 'are skipped'
	facts samples/eprof/total/work.eprof >"$dir/want"
	ours "$dir/in" | same "$dir/want" -
}

@test "eprof: names with blanks; malformed and truncated tables" {
	cat >"$dir/in" <<'E'
FUNCTION          CALLS        %  TIME  [uS / CALLS]
--------          -----  -------  ----  [----------]
m:'a b [1] 2'/3      12   100.00     7  [      0.58]
-----------------  -----  -------  ----  [----------]
Total:               12  100.00%     7  [      0.58]
E
	ours "$dir/in" | says "m:'a b [1] 2'/3 7000 12"
	head -n 3 "$dir/in" >"$dir/cut"
	"$CGCONV" -t json "$dir/cut" 2>&1 >"$dir/out" |
		grep -q "expected 'Total:' at the end of a table"
	sed '3d' "$dir/in" >"$dir/less"
	refuses 1 "expected 'FUNCTION CALLS % TIME [uS / CALLS]' and functions" \
		-t json "$dir/less"
	sed '3s/ 12  *100/ 13   100/' "$dir/in" >"$dir/less"
	"$CGCONV" -t json "$dir/less" 2>&1 >"$dir/out" |
		grep -q 'a process has 12 calls and 7000 ns, its functions have 13'
	sed 's/12   100.00     7/7/' "$dir/in" >"$dir/bad"
	refuses 1 "expected 'MODULE:FUNCTION/ARITY CALLS PERCENT TIME [TIME]'" \
		-t json "$dir/bad"
}
