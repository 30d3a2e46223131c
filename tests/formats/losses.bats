# losses.bats - data that other converters lose silently or convert wrongly.
# Each case was observed in one of them: pprof of go 1.19 and of gperftools,
# stackcollapse-perf.pl, speedscope 1.25, gprof2dot, perf data convert,
# KCachegrind's converters, Firefox Profiler, pyprof2calltree.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# Facts of a callgrind file, printed by an independent reader.
facts()
{
	"$CGCONV" -q -t callgrind --no-spontaneous "$@" >"$dir/callgrind"
	perl tests/oracle/callgrind.pl "$dir/callgrind"
}

# Two statics of one name, a caller in another object, two types of values.
@test "losses: pprof: all values, counts of calls, objects, same-named statics" {
	perl tests/oracle/proto.pl >"$dir/in.pb" <<-'E'
	1 { 1: 1 2: 2 } 1 { 1: 3 2: 4 }
	2 { 1: [1 3] 2: [2 1234567] } 2 { 1: [2 3] 2: [1 999] }
	3 { 1: 1 2: 4096 3: 8192 5: 9 6: 12 } 3 { 1: 2 2: 65536 3: 131072 5: 10 }
	4 { 1: 1 2: 1 3: 4100 4 { 1: 1 2: 5 } }
	4 { 1: 2 2: 1 3: 4200 4 { 1: 2 2: 6 } }
	4 { 1: 3 2: 2 3: 65600 4 { 1: 3 2: 7 } }
	5 { 1: 1 2: 5 4: 6 } 5 { 1: 2 2: 5 4: 7 } 5 { 1: 3 2: 8 4: 7 }
	6: "" 6: "samples" 6: "count" 6: "cpu" 6: "nanoseconds" 6: "init"
	6: "a.c" 6: "b.c" 6: "main" 6: "/lib/x.so" 6: "/bin/app" 6: "unused"
	6: "cafe"
	E
	facts "$dir/in.pb" >"$dir/got"
	grep -x 'events: cpu samples' "$dir/callgrind"
	grep -qP '^self\t1\t/lib/x.so\ta.c\tinit\ta.c\t5\t\S+\tcpu=1234567\tsamples=2' "$dir/got"
	grep -qP '^self\t1\t/lib/x.so\tb.c\tinit\tb.c\t6\t\S+\tcpu=999\tsamples=1' "$dir/got"
	# Both calls have a count and an object of their own: cob=.
	[ "$(grep -c '^calls=[12] ' "$dir/callgrind")" -eq 2 ]
	grep -q '^cob=.*/lib/x.so' "$dir/callgrind"
	grep -F 'desc: mapping: 0x1000-0x2000 0x0 0x0 cafe /lib/x.so' \
		"$dir/callgrind"
}

@test "losses: gperftools: calls between C++ names with blanks are calls" {
	printf '%s\n' 'main;run(std::vector<int, A> const&);f(int, char) 52' \
		'main;run(std::vector<int, A> const&) 126' >"$dir/in.folded"
	"$CGCONV" -q -t pprof "$dir/in.folded" -o "$dir/in.pb"
	facts "$dir/in.pb" >"$dir/got"
	grep -qP '\trun\(std::vector<int, A> const&\)\t.*\tf\(int, char\)\t.*\tsamples=52$' \
		"$dir/got"
	# The total equals that of the samples.
	grep -x 'totals: 178' "$dir/callgrind"
}

@test "losses: stackcollapse-perf: anonymous namespaces, events, the last sample" {
	{
		printf 'p 1 1.0: 3 cycles:\n\t1 (anonymous namespace)::f(int) (/x)\n'
		printf '\t2 main (/x)\n\np 1 1.1: 4 faults:\n\t3 operator()(char) (/x)\n'
		printf '\t2 main (/x)'
	} >"$dir/in.perf"
	"$CGCONV" -q -t json "$dir/in.perf" >"$dir/got"
	grep -F '"(anonymous namespace)::f(int)"' "$dir/got"
	grep -F '"operator()(char)"' "$dir/got"
	grep -xF '["total",[3,4]]' "$dir/got"
	"$CGCONV" -q -t folded --no-root-by --event faults "$dir/in.perf" |
		grep -x 'main;operator()(char) 4'
	# "->" is no inlining, quotes and what stands in parentheses are names,
	# and a command with a number is no process.
	{
		printf 'perf 1/2 7 1.0: 3 cycles:\n\t1 RegExp:["]+ (/x)\n'
		printf '\t2 Ljava/A;.get(Ljava/B;)V (/tmp/perf-7.map)\n'
		printf '\t3 A::operator->(int) (/x)\n\n'
	} >"$dir/in.perf"
	"$CGCONV" -q -t folded --no-root-by --no-annotate "$dir/in.perf" |
		grep -xF 'A::operator->(int);java.A.get;RegExp:["]+ 3'
	"$CGCONV" -q -t json --part-by tid "$dir/in.perf" |
		grep -F '["part",0,7,0,"perf 1/2"]'
}

@test "losses: speedscope: inlined frames, periods, jumps, threads without a number" {
	# An inlined location is all of its functions.
	perl tests/oracle/proto.pl >"$dir/in.pb" <<-'E'
	1 { 1: 1 2: 2 } 2 { 1: [1] 2: [700] }
	4 { 1: 1 4 { 1: 1 2: 10 } 4 { 1: 2 2: 20 } 4 { 1: 3 2: 30 } }
	5 { 1: 1 2: 3 4: 6 } 5 { 1: 2 2: 4 4: 6 } 5 { 1: 3 2: 5 4: 6 }
	6: "" 6: "cpu" 6: "nanoseconds" 6: "tiny" 6: "mid" 6: "main" 6: "x.c"
	E
	for to in speedscope json pprof; do
		"$CGCONV" -q -t "$to" "$dir/in.pb" -o "$dir/out"
		"$CGCONV" -q -t folded "$dir/out" |
			grep -x 'main;mid_\[i\];tiny_\[i\] 700'
	done
	"$CGCONV" -q -t speedscope "$dir/in.pb" |
		grep -F '{"name":"tiny","file":"x.c","line":10,'
	# Samples weigh their periods, of each event.
	"$CGCONV" -q -t json samples/perf-script/fields/header.perf |
		grep -q '^."total",.[0-9]*,[0-9]*'
	# Jumps are valid.
	"$CGCONV" -q -t callgrind samples/callgrind/instr-jumps/callgrind.out |
		grep -q '^jump=\|^jcnd='
	# File names do not matter, and threads need no number.
	echo '{"traceEvents":[{"ph":"X","ts":1,"dur":5,"name":"f"}]}' \
		>"$dir/x.chrome.json"
	"$CGCONV" -q -t folded "$dir/x.chrome.json" | grep -x 'f 5000'
}

@test "losses: gprof2dot: recursion, fractions, files, periods, counts of calls" {
	printf 'main;a;b;a;c 5\nmain;a 5\n' >"$dir/in.folded"
	"$CGCONV" -q -t dot "$dir/in.folded" >"$dir/dot"
	grep -F 'label="b\n5 (50.00%)"' "$dir/dot"
	printf 'a;b 0.5\na 1.25\n' >"$dir/in.folded"
	"$CGCONV" -q -t folded "$dir/in.folded" | grep -x 'a;b 0.5'
	"$CGCONV" -q -t callgrind samples/perf-script/inlined/srcline.perf \
		>"$dir/out"
	grep -q 'stacks.cc' "$dir/out"
	# pstats says of a call first how often, then how often not recursive.
	"$CGCONV" -q -t json samples/pstats/cprofile/cprofile.pstats |
		perl tests/oracle/graph.pl | grep '^call' >"$dir/calls"
	# A recursive call has Python's count, not 1.
	awk -F '\t' '$2 == $3 && $4 > 5 { n++ } END { exit !n }' "$dir/calls"
}

@test "losses: perf data convert: JSON without events is refused" {
	printf '{\n\t"linux-perf-json-version": 1,\n\t"samples": [\n\t]\n}\n' \
		>"$dir/x.json"
	refuses 1 'perf script -F' "$dir/x.json"
}

@test "losses: op2calltree, dprof2calltree: files are named before functions" {
	in=samples/oprofile-xml/modules/opreport.xml
	"$CGCONV" -q -t callgrind --no-compress-strings "$in" >"$dir/out"
	not grep -x 'fl=.* [0-9]*' "$dir/out"
	not grep -x 'calls=0 .*' "$dir/out"
	awk '/^cfi=|^cfl=/ { file = NR } /^cfn=/ { fn = NR }
		file && fn && file > fn { bad = 1 } /^calls=/ { file = fn = 0 }
		END { exit bad }' "$dir/out"
}

@test "losses: Firefox: costs of ten digits are not expanded into samples" {
	printf 'main;f 22000000000\nmain 9000000000000000000\n' >"$dir/in.folded"
	for to in pprof speedscope json; do
		"$CGCONV" -q -t "$to" "$dir/in.folded" -o "$dir/out"
		[ "$(wc -c <"$dir/out")" -lt 2000 ]
		"$CGCONV" -q -t folded "$dir/out" | grep -x 'main;f 22000000000'
	done
}

@test "losses: pyprof2calltree: times are rounded, not truncated; objects are kept" {
	python=$(command -v python3) || skip "no python3"
	"$python" - "$dir/x.pstats" <<-'E'
	import marshal, sys
	marshal.dump({("a.py", 1, "f"): (1, 1, 2.9999999e-06, 2.9999999e-06, {}),
	    ("~", 0, "<built-in len>"): (1, 1, 1e-09, 1e-09, {})},
	    open(sys.argv[1], "wb"))
	E
	facts "$dir/x.pstats" >"$dir/got"
	grep -qP '\tf\t.*\tns=3000$' "$dir/got"
	grep -q '(built-in)' "$dir/callgrind"
}
