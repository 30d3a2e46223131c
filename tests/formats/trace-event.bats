# trace-event.bats - traces in Chrome's format: calls of threads, samples.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

graph()
{
	"$CGCONV" -q -f trace-event -t json - | perl tests/oracle/graph.pl |
		sed 's/\t:0:/\t/g'
}

# event PHASE TIME NAME [MORE]
event()
{
	printf '{"ph":"%s","ts":%s,"name":"%s","pid":1,"tid":1%s}' "$@"
}

# Prints an array of events, one per argument.
array()
{
	local IFS=,

	echo "[$*]"
}

@test "trace-event: reads self and inclusive times and call counts" {
	graph <samples/trace-event/calls/trace.json >"$t/got"
	printf '%s\t%s\t%s\t%s\t%s\n' call '<spontaneous>' main 2 0 \
		call a b 1 6000 call a c 1 2250 call b a 1 4000 \
		call c d 1 1000 call main a 1 8000 call main late 1 2000 \
		>"$t/want"
	printf 'function\t%s\t%s\t%s\n' a 3750 8000 b 2000 6000 c 1250 2250 \
		d 1000 1000 late 2000 2000 main 19500 29500 >>"$t/want"
	sort -o "$t/want" "$t/want"
	sort -o "$t/got" "$t/got"
	same "$t/want" "$t/got"
}

@test "trace-event: totals equal those of clang" {
	# "Total NAME" repeats the sum; short calls are only in the total.
	"$CGCONV" -q -t json samples/trace-event/clang/trace.json |
		perl tests/oracle/graph.pl | sed 's/\t:0:/\t/g' >"$t/graph"
	perl -MJSON::PP -0777 -e 'open F, shift; @_ = @{decode_json(<F>)->{traceEvents}};
		for (@_) { $n{$$_{name}}++ if $$_{ph} eq "X" }
		for (@_) { next unless $$_{name} =~ /^Total (.*)/;
			print "$1\t$$_{args}{count}\t$$_{dur}\n"
				if $$_{args}{count} == ($n{$1} // 0) }' \
		samples/trace-event/clang/trace.json >"$t/totals"
	[ "$(wc -l <"$t/totals")" -ge 5 ]
	awk -F '\t' 'NR == FNR { count[$1] = $2; time[$1] = $3 * 1000; next }
		$1 == "call" && $3 in count { count[$3] -= $4 }
		$1 == "function" && $2 in count {
			off = $4 - time[$2]
			if (off < -9999 || off > 9999) {
				print $2, $4, time[$2]; bad = 1
			}
		}
		END { for (name in count) bad += count[name] != 0; exit bad }' \
		"$t/totals" "$t/graph"
}

@test "trace-event: the sum is the busy time of each thread" {
	perl -MJSON::PP -0777 -ne 'for (@{decode_json($_)->{traceEvents}}) {
		my $on = "$$_{pid} $$_{tid}";
		push @{$begun{$on}}, $$_{ts} if $$_{ph} eq "B";
		push @{$of{$on}}, [$$_{ts}, $$_{ts} + $$_{dur}]
			if $$_{ph} eq "X";
		push @{$of{$on}}, [pop @{$begun{$on}}, $$_{ts}]
			if $$_{ph} eq "E" }
		for (values %of) { my $end = 0;
		for (sort { $$a[0] <=> $$b[0] } @$_) {
			$$_[0] = $end if $$_[0] < $end;
			next if $$_[1] <= $$_[0];
			$sum += $$_[1] - $$_[0]; $end = $$_[1] } }
		print $sum * 1000, "\n"' samples/trace-event/node/trace.json \
		>"$t/want"
	"$CGCONV" -q -t json samples/trace-event/node/trace.json |
		sed -n 's/^\["total",\[\([0-9]*\)\]\]/\1/p' >"$t/got"
	same "$t/want" "$t/got"
}

@test "trace-event: reads samples of stack frames" {
	graph <samples/trace-event/samples/trace.json >"$t/got"
	printf '%s\n' 'call	main	leaf	3	3' 'function	leaf	3	3' \
		'function	main	5	8' | same - "$t/got"
}

@test "trace-event: threads are parts on request, with their names" {
	"$CGCONV" -q -t json --part-by tid samples/trace-event/calls/trace.json |
		grep -c '^\["part",' | grep -qx 2
	"$CGCONV" -q -t json --part-by comm \
		samples/trace-event/calls/trace.json | grep -q worker
}

@test "trace-event: interleaved calls of threads are kept apart" {
	perl -e 'for $i (1 .. 3) { for $tid (1 .. 9) {
		push @e, map sprintf(q({"ph":"%s","pid":1,"tid":%d,) .
			q("ts":%d,"name":"%s"}), $$_[0], $tid, ++$ts, $$_[1]),
			["B", "a"], ["B", "b"], ["E", "b"], ["E", "a"] } }
		print "[", join(",", @e), "]"' >"$t/x"
	"$CGCONV" -q -f trace-event -t json --part-by tid "$t/x" |
		sed -n 's/^\["\(part\|call\|total\)",//p' >"$t/got"
	for tid in 1 2 3 4 5 6 7 8 9; do
		printf '%s\n' "1,$tid,0,\"\"]" '[9000]]' \
			'0,0,0,1,0,0,3,[]]' '0,0,0,2,0,0,3,[]]'
	done >"$t/want"
	sort -o "$t/want" "$t/want"
	sort -o "$t/got" "$t/got"
	same "$t/want" "$t/got"
	graph <"$t/x" >"$t/got"
	printf '%s\n' 'call	a	b	27	27000' \
		'call	<spontaneous>	a	27	0' 'function	a	54000	81000' \
		'function	b	27000	27000' | same - "$t/got"
}

@test "trace-event: warns of inconsistent calls" {
	while IFS='|' read -r message events; do
		echo "$events" >"$t/x"
		"$CGCONV" -f trace-event -t json "$t/x" 2>&1 >/dev/null |
			grep -qF "warning: $message"
	done <<-E
		the end of a call that did not begin|$(array "$(event E 1 a)")
		a call does not end|$(array "$(event B 1 a)" "$(event B 2 b)")
		a call without an end ends with its caller|$(array "$(event B 1 a)" "$(event B 2 b)" "$(event E 3 a)")
		a call lasts longer than its caller|$(array "$(event X 1 a ',"dur":5')" "$(event X 2 b ',"dur":9')")
		the last ']' is missing|[$(event B 1 a),$(event E 2 a),
	E
}

@test "trace-event: reads 200,000 calls, the caller after its callees" {
	# Calls are written when they end: the caller comes last.
	perl -e 'print "["; printf "{\"ph\":\"X\",\"ts\":%d,\"dur\":1," .
		"\"name\":\"f\"},\n", $_ * 2 for 1 .. 200000;
		print "{\"ph\":\"X\",\"ts\":0,\"dur\":500000,\"name\":\"all\"}]"' |
		graph >"$t/got"
	printf '%s\t%s\t%s\t%s\t%s\n' call '<spontaneous>' all 1 0 \
		call all f 200000 200000000 >"$t/want"
	printf 'function\t%s\t%s\t%s\n' all 300000000 500000000 \
		f 200000000 200000000 >>"$t/want"
	sort -o "$t/want" "$t/want"
	sort -o "$t/got" "$t/got"
	same "$t/want" "$t/got"
}

@test "trace-event: ends without a begin are found in linear time" {
	# 200,000 open calls and as many ends: a search of the calls at each end
	# would take minutes. Calls whose end is known are not those of an end.
	{
		perl -e 'print "[\n"; for (1..200000) { print "{\"ph\":\"B\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1},\n" }
			for (1..200000) { print "{\"ph\":\"E\",\"name\":\"z\",\"pid\":1,\"tid\":1,\"ts\":2},\n" }'
		echo "$(event E 3 a)]"
	} >"$t/x"
	timeout 20 "$CGCONV" -t json -o "$t/got" "$t/x" 2>"$t/err"
	grep 'the end of a call that did not begin is skipped' "$t/err"
	{
		perl -e 'print "[\n"; for (1..200000) { print "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":9},\n" }
			for (1..200000) { print "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":2},\n" }'
		echo "$(event E 3 a)]"
	} >"$t/x"
	timeout 20 "$CGCONV" -t json -o "$t/got" "$t/x" 2>"$t/err"
	grep 'the end of a call that did not begin is skipped' "$t/err"
}

@test "trace-event: joins a CPU profile in chunks" {
	in=samples/trace-event/chunks/trace.json
	"$CGCONV" -t folded --event ns "$in" >"$t/got" 2>"$t/err"
	# A sample lasts until the next, the last one for the average interval.
	printf '%s\n' '(program) 200000' 'main 200000' 'main;a 1100000' \
		'main;a;b;a;c 1100000' | same - "$t/got"
	grep -F 'the trace contains a CPU profile: its calls are dropped' "$t/err"
	# Threads are those that are sampled, not those that write the trace.
	"$CGCONV" -q -t json "$in" | grep '^."part"' >"$t/got"
	printf '%s\n' '["part",7,1,1,"main"]' '["part",7,2,2,"worker"]' |
		same - "$t/got"
	# A thread's whole profile in one event: Chrome before 67.
	echo '[{"ph":"I","name":"CpuProfile","pid":1,"tid":2,"ts":1,
		"args":{"data":{"cpuProfile":{"startTime":0,"endTime":600,
		"nodes":[{"id":1,"callFrame":{"functionName":"(root)",
		"scriptId":"0"},"children":[2,3]},{"id":2,"callFrame":
		{"functionName":"f","scriptId":"1"}},{"id":3,"callFrame":
		{"functionName":"g","scriptId":"1"}}],"samples":[2,3],
		"timeDeltas":[100,200]}}}}]' >"$t/old"
	"$CGCONV" -q -t folded --event ns "$t/old" >"$t/got"
	printf '%s\n' 'f 200000' 'g 200000' | same - "$t/got"
}

@test "trace-event: warns of a CPU profile with missing pieces" {
	in=samples/trace-event/chunks/trace.json
	perl -ne 'print unless /"name":"b"|"functionName":"b"/' "$in" >"$t/x"
	"$CGCONV" -t folded --event samples "$t/x" >"$t/got" 2>"$t/err"
	grep -F '1 node of the CPU profile is missing: the trace may have lost events' "$t/err"
	grep -x '\[unknown\];a;c 2' "$t/got"
	sed 's/"id":5,"parent":4/"id":4,"parent":4/' "$in" >"$t/x"
	refuses 1 "expected an id that no other node has" -t folded "$t/x"
	sed 's/"id":3,"parent":1/"id":3,"parent":4/' "$in" >"$t/x"
	refuses 1 "expected parents without a cycle" -t folded "$t/x"
}

@test "trace-event: numbers may be strings" {
	echo '[{"ph":"X","name":"a","ts":"1.5","dur":"12.345 us"}]' >"$t/in"
	"$CGCONV" -q -t folded --event ns "$t/in" | same - <(echo 'a 12345')
}

@test "trace-event: rejects malformed files" {
	while IFS='|' read -r message events; do
		echo "$events" >"$t/x"
		refuses 1 "expected $message" -f trace-event -t json "$t/x"
	done <<-E
		'{'|[5]
		',' or ']'|[{"ph":"B"} 5]
		a number|[{"ph":"B","ts":"x"}]
		times that fit in 64 bits|[{"ph":"X","ts":9e15,"dur":9e15,"name":"a"}]
		a smaller number|[{"ph":"X","ts":9e99}]
		stackFrames with all ids|{"traceEvents":[{"ph":"P","sf":1}]}
		parents without a cycle|{"samples":[{"sf":1}],"stackFrames":{"1":{"name":"a","parent":2},"2":{"name":"b","parent":1}}}
		a frame id that occurs only once|{"stackFrames":{"1":{"name":"a"},"1":{"name":"b"}}}
		a non-negative weight|{"samples":[{"sf":1,"weight":-1}]}
	E
}

@test "trace-event: ids of stack frames are numbers or texts, in any order" {
	same <("$CGCONV" -q -t folded - <<-'EOF'
		{"traceEvents":[{"ph":"P","sf":7,"name":"cpu"},{"ph":"P","sf":"7"},
		{"ph":"P","sf":"07"},{"ph":"P","sf":"0x7"}],
		"stackFrames":{"0x7":{"name":"c","parent":"07"},
		"7":{"name":"a","parent":"1000000000000000000000"},
		"07":{"name":"b","parent":7},
		"1000000000000000000000":{"name":"root"}}}
		EOF
	) - <<-'EOF'
		root;a 2
		root;a;b 1
		root;a;b;c 1
		EOF
}

# pictures FILE: what speedscope draws of the trace that is written from FILE is
# what cgconv reads from it, and each end is that of a call.
pictures()
{
	"$CGCONV" -q -t trace-event -o "$t/trace.json" "$@" || return 1
	perl tests/oracle/trace-queues.pl "$t/trace.json" >"$t/rows"
	not grep 'bad end' "$t/rows"
	[ -s "$t/rows" ] || return 0
	awk -F '\t' '{ sum[$4] += ($3 - $2) * 1000 }
		END { for (stack in sum) printf "%s %.0f\n", stack, sum[stack] }' \
		"$t/rows" | sed 's/  *;/;/g; s/   *\([0-9]*\)$/ \1/' |
		LC_ALL=C sort >"$t/drawn"
	"$CGCONV" -q -t folded --root-by none "$t/trace.json" |
		sed "/ 0$/d" | LC_ALL=C sort >"$t/read"
	same "$t/read" "$t/drawn"
}

@test "trace-event: viewers draw what is written, from all samples" {
	local n=0 file

	for file in $(samples); do
		"$CGCONV" -q -t trace-event -o "$t/try" "$file" 2>"$t/err" ||
			continue
		pictures "$file"
		[ ! -s "$t/rows" ] || n=$((n + 1))
	done
	[ "$n" -ge 12 ]
}

# One letter a line of perf script's: samples of main;v;p by 1 ms.
samples_of()
{
	awk -v RS=' ' '{ printf "app 7/7 10.%06d: 1000000 cpu-clock:\n", n++ * 1000
		for (i = length($1); i > 0; i--)
			printf "\t%x %s+0x1 (/bin/app)\n", 100 + i,
				substr($1, i, 1)
		print "" }' <<<"$*"
}

@test "trace-event: ends and begins of one name at one time are distinct" {
	samples_of mvp mp mv mvp mp mv mvp >"$t/x.perf"
	pictures "$t/x.perf"
	# Where JavaScript's sum of begin and duration is not the next begin.
	samples_of uwsv uwsv wsv wrs uwr uwsv | sed 's/10.0/20202.1234/
		s/1000000 cpu/10101010 cpu/' >"$t/x.perf"
	pictures "$t/x.perf"
	[ "$(grep -c . "$t/rows")" -ge 5 ]
	# A call without duration, and a longer one at the same time.
	array "$(event B 0 main)" "$(event X 1 a ',"dur":4')" \
		"$(event X 5 none ',"dur":0')" "$(event X 5 b ',"dur":5')" \
		"$(event E 20 main)" >"$t/x.json"
	pictures "$t/x.json"
	grep -q '"name":"none"' "$t/trace.json"
}

@test "trace-event: calls are written in the order of time" {
	for file in samples/trace-event/clang/trace.json \
		samples/cpuprofile/node/prof.cpuprofile; do
		"$CGCONV" -q -t trace-event "$file" |
			sed -n 's/.*"ph":"[BEX]".*"tid":\([0-9]*\),"ts":\([0-9.]*\).*/\1 \2/p' >"$t/times"
		[ -s "$t/times" ]
		sort -s -k 1,1n -k 2,2n "$t/times" | cmp - "$t/times"
	done
}

@test "trace-event: many calls below an open one are events B and E of it" {
	awk 'BEGIN { printf "[{\"ph\":\"B\",\"ts\":0,\"name\":\"main\"}"
		for (i = 0; i < 20000; i++)
			printf ",{\"ph\":\"X\",\"ts\":%d,\"dur\":%d,\"name\":\"%s\"}", i * 3, 1 + i % 3, i % 2 ? "a" : "b"
		print ",{\"ph\":\"E\",\"ts\":60001,\"name\":\"main\"}]" }' >"$t/x.json"
	pictures "$t/x.json"
	[ "$(grep -c '"ph":"[BE]"' "$t/trace.json")" = 2 ]
	[ "$(grep -c '"ph":"X"' "$t/trace.json")" = 20000 ]
}

@test "trace-event: a call that ends before one that it made ends with it" {
	array "$(event X 20 outer ',"dur":1')" "$(event B 20 inner)" \
		"$(event E 22 inner)" >"$t/x.json"
	"$CGCONV" -t folded "$t/x.json" >"$t/out" 2>"$t/err"
	grep -q 'a call ends before a call that it made' "$t/err"
	grep -qx 'outer;inner 2000' "$t/out"
	pictures "$t/x.json"
}
