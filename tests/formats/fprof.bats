# fprof.bats - fprof's analyses of Erlang programs.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	file=samples/fprof/processes/work.fprof
}

# facts FILE: functions and calls in the sections of processes, as graph.pl prints
# those of cgconv. The waiting of suspend is its own time.
facts()
{
	perl -ne '
		$in = 1 if /^\[\{ "/;
		next unless $in &&
			/(\{[^{}]*,\d+\}|[a-z_]+), +(\d+), +([\d.]+), +([\d.]+)\}/;
		($key, $count, $all, $own) = ($1, $2, 1e6 * $3, 1e6 * $4);
		$key =~ s/^\{(\S+),(\S+),(\d+)\}$/:0:$1:$2\/$3/ ||
			$key =~ s/^/:0:/;
		$key =~ s/^:0:undefined$/<spontaneous>/;
		if (/ %\s*$/) {
			($fn, $called) = ($key, 1);
			$self{$fn} += $fn eq ":0:suspend" ? $all : $own;
			$all{$fn} += $all;
		} elsif (/^\{/) {
			$called = 0;
		} elsif ($called) {
			$call{"$fn\t$key"}[0] += $count;
			$call{"$fn\t$key"}[1] += $all;
		}
		END {
			print "function\t$_\t$self{$_}\t$all{$_}\n"
				for grep { $_ ne "<spontaneous>" } keys %self;
			printf "call\t%s\t%d\t%.0f\n", $_, @{$call{$_}} for keys %call;
		}' "$1" | LC_ALL=C sort
}

@test "fprof: functions and calls are those of the processes' sections" {
	facts $file >"$dir/want"
	[ "$(grep -c '^function' "$dir/want")" = 33 ]
	[ "$(grep -c '^call' "$dir/want")" = 48 ]
	"$CGCONV" -q -t json $file | perl tests/oracle/graph.pl | LC_ALL=C sort |
		same "$dir/want" -
}

@test "fprof: own costs are fprof's, and the time of suspended processes" {
	# OWN 2.233 of all processes, ACC 8.101 of suspend; 5.709 and 4.625 of
	# the functions that began the processes are the same sum.
	"$CGCONV" --info --json $file | grep -o '"totals":{[^}]*}\|"total":[0-9]*' |
		grep -q 10334000
	"$CGCONV" -q -t json --parts $file | grep '^\["total"' |
		says '["total",[5709000]]' '["total",[4625000]]'
	"$CGCONV" --info $file | grep -q '2  part 2  <0.81.0>'
}

@test "fprof: without callers, functions keep their counts and times" {
	"$CGCONV" -q -t json samples/fprof/functions/work.fprof |
		perl tests/oracle/graph.pl | grep '^function' | LC_ALL=C sort \
		>"$dir/got"
	facts $file | grep '^function' | same - "$dir/got"
	"$CGCONV" -q -t json samples/fprof/functions/work.fprof |
		perl tests/oracle/graph.pl |
		grep -P '^call\t<spontaneous>\t:0:work:fib/1\t465\t'
}

@test "fprof: quoted atoms, other terms, empty lists, negative times" {
	cat >"$dir/in" <<'E'
%% Analysis results:
{  analysis_options,
 [{callers, true}]}.
[{ totals,  3,  0.005,  0.003}].  %%%
[{ "<0.9.0>",  3,undefined,  0.003},    %%
 { spawned_by, "<0.1.0>"},
 { spawned_as, {erlang,apply,["#Fun<work.1.1>",[]]}}].
{[ ],
 { {'a}\',{b',"x,y",0},     1,    0.005,    0.001},     %
 [{{fn,'[]',2},             1,    -0.001,    0.001},
  {{odd,{term}},             1,    0.001,    0.001}]}.
{[{{'a}\',{b',"x,y",0},     1,    0.001,    0.001}],
 { {fn,'[]',2},             1,    0.001,    0.001},     %
 [ ]}.
{[{{'a}\',{b',"x,y",0},     1,    0.001,    0.001}],
 { {odd,{term}},             1,    0.001,    0.001},     %
 [ ]}.
E
	"$CGCONV" -t json "$dir/in" 2>"$dir/err" >"$dir/json"
	grep -q 'negative times are read as 0' "$dir/err"
	perl tests/oracle/graph.pl "$dir/json" | grep '^call' | cut -f 2- |
		says "$(printf ":0:'a}\\\\',{b':\"x,y\"/0\t:0:fn:'[]'/2\t1\t0")" \
			"$(printf ":0:'a}\\\\',{b':\"x,y\"/0\t:0:{odd,{term}}\t1\t1000")"
}

@test "fprof: malformed and truncated analyses" {
	head -n 330 $file >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'a process has 338 calls and 705000 ns, its functions have 0 and 0'
	head -n -3 $file >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" | grep -q 'may be truncated'
	sed 's/^ { {work,fib,1}, *465/ { {work,fib,1}, x/' $file >"$dir/in"
	refuses 1 "expected '{{MODULE,FUNCTION,ARITY}, COUNT, ACC, OWN}'" -t json \
		"$dir/in"
	head -n 188 $file >"$dir/in"
	refuses 1 'expected functions of processes' -t json "$dir/in"
}
