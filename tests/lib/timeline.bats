# timeline.bats - samples in the order in which they were taken, and the begin
# and end of calls.
load ../helper
bats_require_minimum_version 1.5.0

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# moments FILE [OPTION...]: its tracks and moments.
moments()
{
	"$CGCONV" -q "${@:2}" -t json "$1" | grep -E '^\["(track|moment)"'
}

# sample HEAD FRAME...: appends a sample of perf script.
sample()
{
	printf '%s\n' "$1"
	shift
	printf '\t%s\n' "$@"
	echo
}

make_perf()
{
	{
		sample "a 10/10 1.000000: 5 cycles:" "1 f (/x)" "2 main (/x)"
		sample "b 10/11 1.000500: 6 cycles:" "1 g (/x)"
		sample "a 10/10 1.001000: 5 cycles:" "1 g (/x)" "2 main (/x)"
		sample "a 10/10 1.001001234: 7 cycles:" "1 f (/x)" "2 main (/x)"
	} >"$dir/in.perf"
}

@test "timeline: perf's samples keep thread, time and cost" {
	make_perf
	cat >"$dir/want" <<-'EOF'
	["track",10,10,"a","","ns",false,1000000000,1001001234]
	["moment",0,3,[5]]
	["moment",1000000,4,[5]]
	["moment",1001234,3,[7]]
	["track",10,11,"b","","ns",false,1000500000,1000500000]
	["moment",0,1,[6]]
	EOF
	moments "$dir/in.perf" >"$dir/out"
	same "$dir/want" "$dir/out"
}

@test "timeline: samples that come late are sorted" {
	make_perf
	sample "a 10/10 1.000700: 9 cycles:" "1 h (/x)" >>"$dir/in.perf"
	moments "$dir/in.perf" | grep -A2 '"a"' |
		grep -q '^\["moment",700000,[0-9]*,\[9\]\]$'
}

@test "timeline: JSON contains all of it" {
	make_perf
	for file in "$dir/in.perf" samples/cpuprofile/*/*.cpuprofile \
		samples/trace-event/*/*.json samples/speedscope/*/*.json; do
		"$CGCONV" -q -t json -o "$dir/a.cgj" "$file"
		"$CGCONV" -q -t json -o "$dir/b.cgj" "$dir/a.cgj"
		cmp "$dir/a.cgj" "$dir/b.cgj"
		for to in speedscope callgrind; do
			"$CGCONV" -q -t $to -o "$dir/a.$to" "$file"
			"$CGCONV" -q -t $to -o "$dir/b.$to" "$dir/a.cgj"
			cmp "$dir/a.$to" "$dir/b.$to"
		done
	done
}

@test "timeline: speedscope keeps order, times and weights" {
	for file in samples/cpuprofile/*/*.cpuprofile \
		samples/trace-event/*/*.json samples/speedscope/*/*.json; do
		"$CGCONV" -q -t speedscope -o "$dir/a" "$file"
		"$CGCONV" -q -f speedscope -t speedscope -o "$dir/b" "$dir/a"
		cmp "$dir/a" "$dir/b"
		"$CGCONV" -q --verify "$file" "$dir/a"
	done
	# Of samples and times, times are shown first.
	"$CGCONV" -q -t speedscope samples/cpuprofile/node/*.cpuprofile |
		tail -n 1 | grep -qx '"activeProfileIndex":1}'
	cat >"$dir/in.json" <<-'EOF'
	{"$schema":"https://www.speedscope.app/file-format-schema.json",
	"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[
	{"type":"sampled","name":"t","unit":"milliseconds","startValue":100,
	"endValue":104.5,"samples":[[0],[0,1],[],[0]],"weights":[1,1,2,0.5]}]}
	EOF
	"$CGCONV" -q -t speedscope "$dir/in.json" >"$dir/out"
	grep -qF '"startValue":100000000,"endValue":104500000,' "$dir/out"
	[ "$(sed -n '/"samples"/,/\]\]/p' "$dir/out" | tr -d '\n')" = \
		'"samples":[[0],[0,1],[],[0]],' ]
	grep -qF '"weights":[1000000,1000000,2000000,500000]' "$dir/out"
}

# The profile that speedscope shows first, and Firefox' thread.
first_shown()
{
	"$CGCONV" -q -t speedscope "$1" >"$dir/out"
	perl -MJSON::PP -e 'local $/; my $all = decode_json(<STDIN>);
		my $i = $all->{activeProfileIndex} // 0;
		print "$all->{profiles}[$i]{name}\n";' <"$dir/out"
	"$CGCONV" -q -t firefox "$1" >"$dir/out"
	perl -MJSON::PP -e 'local $/; my $all = decode_json(<STDIN>);
		my ($i) = @{ $all->{meta}{initialSelectedThreads} };
		print "$all->{threads}[$i]{name}\n";' <"$dir/out"
}

@test "timeline: all viewers show the main event and the busiest thread first" {
	# 8 cycles of b are less than 17 of a, 20 are more.
	for cost in 2 14; do
		make_perf
		sample "b 10/11 1.002000: $cost cycles:" "1 g (/x)" \
			>>"$dir/in.perf"
		first_shown "$dir/in.perf" >"$dir/first-$cost"
		"$CGCONV" -q -t html -o "$dir/out.html" "$dir/in.perf"
		perl tests/oracle/html.pl "$dir/out.html" |
			grep '^track_main' >>"$dir/first-$cost"
	done
	printf '%s\n' 'cycles of a, thread 10' a $'track_main\t0' >"$dir/want"
	same "$dir/want" "$dir/first-2"
	printf '%s\n' 'cycles of b, thread 11' b $'track_main\t1' >"$dir/want"
	same "$dir/want" "$dir/first-14"

	# Time before numbers of samples; of events that name none, the first.
	for file in cpuprofile/node/prof.cpuprofile=ns \
		pprof/heap/heap.pb.gz=inuse_space \
		jfr/work/work.jfr.gz=ExecutionSample; do
		first_shown "samples/${file%=*}" | head -n 1 |
			grep -q "^${file#*=}\\( of\\|$\\)"
		"$CGCONV" -q --info "samples/${file%=*}" |
			grep -q "^Top functions by .* ${file#*=}$"
		"$CGCONV" -q -t callgrind "samples/${file%=*}" |
			grep -m 1 '^events:' | grep -q "^events: ${file#*=} "
	done
}

@test "timeline: speedscope gets calls as they began and ended" {
	printf '%s\n' '[{"ph":"X","pid":1,"tid":2,"ts":5,"dur":10,"name":"a"},' \
		'{"ph":"B","pid":1,"tid":2,"ts":6,"name":"b"},' \
		'{"ph":"E","pid":1,"tid":2,"ts":6,"name":"b"},' \
		'{"ph":"X","pid":1,"tid":2,"ts":20,"dur":1,"name":"a"}]' \
		>"$dir/in.json"
	"$CGCONV" -q -t speedscope "$dir/in.json" >"$dir/out"
	grep -qF '"type":"evented"' "$dir/out"
	[ "$(grep -o '"type":"[OC]","frame":[0-9]*,"at":[0-9]*' "$dir/out" |
		sed 's/"[a-z]*"://g; s/"//g' | tr '\n' ' ')" = \
		"O,0,5000 O,1,6000 C,1,6000 C,0,15000 O,0,20000 C,0,21000 " ]
	"$CGCONV" -q --verify "$dir/in.json" "$dir/out"
}

@test "timeline: V8's samples last until the next one" {
	moments samples/cpuprofile/old/old.cpuprofile >"$dir/out"
	head -n 1 "$dir/out" | grep -q '"ns",false,4161281000000,'
	# Their sum is the total.
	sum=$(sed -n 's/^\["moment",.*,\[1,\([0-9]*\)\]\]$/\1/p' "$dir/out" |
		awk '{ sum += $1 } END { printf "%.0f", sum }')
	"$CGCONV" -q -t json samples/cpuprofile/old/old.cpuprofile |
		grep -q "^\[\"total\",\[[0-9]*,$sum\]\]$"
}

@test "timeline: inputs that are summed keep theirs" {
	make_perf
	sed 's/ 1\./ 2./' "$dir/in.perf" >"$dir/in2.perf"
	"$CGCONV" -q -t json "$dir/in.perf" "$dir/in2.perf" >"$dir/sum"
	[ "$(grep -c '^\["track",10,10,"a"' "$dir/sum")" -eq 2 ]
	[ "$(grep -c '^\["moment"' "$dir/sum")" -eq 8 ]
	"$CGCONV" -q -j 2 -t json -o "$dir/batch" "$dir/in.perf" "$dir/in2.perf"
	cmp "$dir/sum" "$dir/batch"
}

@test "timeline: its loss is an error of --strict" {
	sample "a 10/10 1.000000: 5 cycles:" "1 f (/x)" >"$dir/in.perf"
	refuses 3 ", timeline" --strict -t callgrind "$dir/in.perf"
	# Also where the target has roots made of labels.
	refuses 3 ", timeline" --strict -t folded "$dir/in.perf"
	"$CGCONV" -q --strict -t json "$dir/in.perf" >/dev/null
}

@test "timeline: --part-by splits it" {
	make_perf
	"$CGCONV" -q --part-by tid -t json "$dir/in.perf" >"$dir/out"
	grep -A9 '^\["part",10,11' "$dir/out" | grep -q '^\["track",10,11,"b"'
}

@test "timeline: nodes, times and tracks of a file are checked" {
	graph()
	{
		printf '%s\n' '{"cgconv":"graph","version":1}' \
			'["event",0,"x"]' '["function",1,"f",0,0]' \
			'["frame",1,0,1,0,0,0]' "$@" '["end"]' >"$dir/in.cgj"
	}
	graph '["moment",0,1,[1]]'
	refuses 1 'expected a ["track"] line above' -t json "$dir/in.cgj"
	graph '["track",1,2]' '["moment",0,2,[1]]'
	refuses 1 'frame' -t json "$dir/in.cgj"
	graph '["track",1,2,"n","p","ns",false,9223372036854775807,0]' \
		'["moment",1,1,[1]]'
	refuses 1 'expected a time below 2^63' -t json "$dir/in.cgj"
	graph '["track",1,2]' '["moment",-5,1,[1,2]]'
	refuses 1 'event' -t json "$dir/in.cgj"
}

@test "timeline: stackprof's samples have times, or their order" {
	moments samples/stackprof/raw/stackprof.json >"$dir/out"
	head -n 1 "$dir/out" | grep -qF '"ns",false,1000000,10000000]'
	[ "$(grep -c moment "$dir/out")" -eq 10 ]
	sed '/raw_timestamp_deltas/d; s/,2\],$/,2]}/' \
		samples/stackprof/raw/stackprof.json >"$dir/in.json"
	moments "$dir/in.json" | sed 's/,[0-9]*,\[/,_,[/' >"$dir/out"
	printf '%s\n' '["track",0,0,"","","",false,0,8]' '["moment",0,_,[3]]' \
		'["moment",3,_,[5]]' '["moment",8,_,[2]]' >"$dir/want"
	same "$dir/want" "$dir/out"
}

@test "timeline: Instruments' samples have times" {
	moments samples/xctrace/*/*.xml | grep -m 1 track |
		grep -qF '"ns",false,'
}

@test "timeline: --info tells begin, length, rate and gaps" {
	make_perf
	"$CGCONV" --info "$dir/in.perf" >"$dir/out"
	grep -qxF "  pid 10 tid 10 a  3 samples, 0.001001 s from 1.000000 s, 2996.3 a second, longest gap 0.001000 s at 1.000000 s" \
		"$dir/out"
	grep -qxF "  pid 10 tid 11 b  1 sample, 0.000000 s from 1.000500 s" \
		"$dir/out"
	"$CGCONV" --info --json "$dir/in.perf" >"$dir/out"
	command -v python3 >/dev/null || skip "no python3"
	python3 - "$dir/out" <<-'EOF'
	import json, sys
	times = json.load(open(sys.argv[1]))["timeline"]
	assert times[0] == {"part": 1, "pid": 10, "tid": 10, "name": "a",
	    "samples": 3, "begin": 1000000000, "end": 1001001234,
	    "longest_gap": 1000000, "gap_begins": 1000000000}, times
	EOF
}

@test "timeline: trace-event gets calls, and samples that cost time" {
	for file in samples/trace-event/*/*.json samples/xctrace/*/*.xml \
		samples/cpuprofile/node/*.cpuprofile; do
		"$CGCONV" -q -t trace-event -o "$dir/a" "$file"
		"$CGCONV" -q -f trace-event -t trace-event -o "$dir/b" "$dir/a"
		cmp "$dir/a" "$dir/b"
		[[ $file == *cpuprofile ]] || # which has lines
			"$CGCONV" -q --verify "$file" "$dir/a"
	done
	cat >"$dir/in.json" <<-'EOF'
	{"$schema":"https://www.speedscope.app/file-format-schema.json",
	"shared":{"frames":[{"name":"a"},{"name":"b"},{"name":"c"}]},"profiles":[
	{"type":"sampled","name":"t","unit":"microseconds","startValue":100,
	"endValue":104.5,"samples":[[0],[0,1],[],[0,2]],"weights":[1,1,2,0.5]}]}
	EOF
	"$CGCONV" -q -t trace-event "$dir/in.json" >"$dir/out"
	[ "$(sed -n 's/.*"ph":"X".*"ts":\(.*\),"dur":\(.*\),"name":"\(.*\)"}.*/\3 \1 \2/p' \
		"$dir/out" | paste -sd,)" = \
		"a 100 2,b 101 1,a 104 0.5,c 104 0.5" ]
}

@test "timeline: trace-event gets other samples as samples" {
	make_perf
	"$CGCONV" -q -t trace-event "$dir/in.perf" >"$dir/out"
	grep -qF '{"ph":"P","pid":10,"tid":10,"ts":1001001.234,"name":"cycles","sf":2,"weight":7}' \
		"$dir/out"
	grep -qF '"name":"process_name","args":{"name":"a"}' "$dir/out"
	"$CGCONV" -q --verify "$dir/in.perf" "$dir/out"
	# The main thread names the process.
	moments "$dir/in.perf" | sed 's/"moment",\([0-9]*\),[0-9]*/\1/
		s/\("track",10,1[01],".*",\)""/\1"a"/' >"$dir/want"
	moments "$dir/out" | sed 's/"moment",\([0-9]*\),[0-9]*/\1/' >"$dir/got"
	same "$dir/want" "$dir/got"
	refuses 3 "trace-event needs timeline; the input has none" -t trace-event \
		samples/folded/*/stacks.folded
}

@test "timeline: sums of costs above 2^63 are no negative ends" {
	sample "a 10/10 1.000000: 18446744073709551615 cycles:" "1 f (/x)" \
		>"$dir/in.perf"
	"$CGCONV" -q -t speedscope "$dir/in.perf" |
		grep -qF '"startValue":0,"endValue":18446744073709551615,'
}

@test "timeline: times out of range leave the sums as they are" {
	cat >"$dir/in.json" <<-'EOF'
	{"$schema":"https://www.speedscope.app/file-format-schema.json",
	"shared":{"frames":[{"name":"a"}]},"profiles":[
	{"type":"sampled","name":"t","unit":"none","startValue":0,"endValue":1,
	"samples":[[0],[0],[0]],
	"weights":[4611686018427387904,4611686018427387904,5]}]}
	EOF
	"$CGCONV" -t json "$dir/in.json" >"$dir/out" 2>"$dir/err"
	grep -qx '\["total",\[9223372036854775813\]\]' "$dir/out"
	grep -q "warning: times are out of range: 2 moments are in the sums only" \
		"$dir/err"
	"$CGCONV" -q -t speedscope "$dir/in.json" >"$dir/out"
	"$CGCONV" -q --verify "$dir/in.json" "$dir/out"
	frame='"callFrame":{"functionName":"f","url":"","lineNumber":1}'
	printf '{"nodes":[{"id":1,%s,"hitCount":2}],"startTime":%s,%s}' "$frame" \
		9223372036854775 '"samples":[1,1],"timeDeltas":[0,700]' \
		>"$dir/late.cpuprofile"
	"$CGCONV" -q -t json "$dir/late.cpuprofile" | grep -q '"total",\[2,'
}

# of FILE RANGE: the sum of the costs between two times.
of()
{
	"$CGCONV" -q -t json --between "$2" "$1" |
		sed -n 's/^."total",\[\(.*\)\]]$/\1/p' | awk -F, '{
			for (i = 1; i <= NF; i++) sum[i] += $i
			if (NF > most) most = NF
		} END { for (i = 1; i <= most; i++) printf "%d ", sum[i] }'
}

@test "timeline: --between cuts calls at the edges" {
	cat >"$dir/in.json" <<-'E'
	{"$schema":"https://www.speedscope.app/file-format-schema.json",
	"shared":{"frames":[{"name":"main"},{"name":"a"},{"name":"b"}]},
	"profiles":[{"type":"evented","name":"t","unit":"milliseconds",
	"startValue":0,"endValue":100,"events":[
	{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":10},
	{"type":"C","frame":1,"at":40},{"type":"O","frame":2,"at":40},
	{"type":"O","frame":1,"at":50},{"type":"C","frame":1,"at":60},
	{"type":"C","frame":2,"at":90},{"type":"C","frame":0,"at":100}]}]}
	E
	for range in 0.02,0.055 20%,55% 0.02s,55%; do
		"$CGCONV" -q -t folded --between $range "$dir/in.json" |
			same - <(printf '%s\n' 'main;a 20000000' \
				'main;b 10000000' 'main;b;a 5000000')
	done
	"$CGCONV" -q -t folded --between 95%, "$dir/in.json" |
		same - <(echo main 5000000)
	"$CGCONV" -q -t folded --between ,5% "$dir/in.json" |
		same - <(echo main 5000000)
	# What was cut is a profile like others.
	"$CGCONV" -q -t speedscope --between 20%,55% "$dir/in.json" \
		>"$dir/cut.json"
	"$CGCONV" --strict -q -t json "$dir/cut.json" >"$dir/cut"
	"$CGCONV" -q -t folded --between 0,0.01 "$dir/cut.json" |
		same - <(echo 'main;a 10000000')
	# main, a, b, a: those that ran when it began are counted, too.
	"$CGCONV" -q -t callgrind --between 20%,55% "$dir/in.json" \
		>"$dir/cut.cg"
	[ "$(grep -c '^calls=1 ' "$dir/cut.cg")" -eq 3 ]
	grep -qx 'totals: 35000000' "$dir/cut.cg"
}

@test "timeline: --between takes samples, of each input from its begin" {
	for i in 0 1 2 3 4 5; do
		printf 'p 1/%d %d.5: 3 cycles:\n\t1 f%d (/x)\n\n' \
			$((i % 2)) $((10 + i)) "$i"
	done >"$dir/in.perf"
	"$CGCONV" -q -t folded --no-root-by --between 1,3 "$dir/in.perf" |
		same - <(printf '%s\n' 'f1 3' 'f2 3')
	sed 's/1\([0-9]\)\.5/2\1.5/' "$dir/in.perf" >"$dir/b.perf"
	"$CGCONV" -q -t folded --no-root-by --between 1,3 "$dir/in.perf" \
		"$dir/b.perf" | same - <(printf '%s\n' 'f1 6' 'f2 6')
	# Halves are the whole, and labels stay with their threads.
	"$CGCONV" -q -t pprof --between 50%, "$dir/in.perf" -o "$dir/half.pb"
	"$CGCONV" -q -t folded --root-by tid \
		"$dir/half.pb" |
		same - <(printf '%s\n' 'tid=1;f3 3' 'tid=1;f5 3' 'f4 3' | sort)
	for file in "$dir/in.perf" samples/cpuprofile/*/*.cpuprofile \
		samples/speedscope/*/*.json samples/xctrace/*/*.xml \
		samples/trace-event/calls/*.json; do
		whole=$(of "$file" 0%,100%)
		[ -n "${whole//[0 ]/}" ]
		[ "$(echo "$(of "$file" 0%,37%) $(of "$file" 37%,100%)" |
			awk -v whole="$whole" '{
				n = split(whole, w)
				for (i = 1; i <= n; i++)
					if ($i + $(i + n) != w[i]) bad = 1
				print bad ? $0 " is not " whole : "same"
			}')" = same ]
	done
}

@test "timeline: --between says what it cannot do" {
	for wrong in 1 x,2 3,1 1,1 , 200%,300% 1e3,2; do
		refuses 2 '--between: expected two times' --between "$wrong" \
			-t json samples/cpuprofile/*/*.cpuprofile
	done
	printf 'a;b 1\n' >"$dir/in.folded"
	refuses 3 '--between needs samples or calls with times' --between 1,2 \
		-t folded "$dir/in.folded"
	# A part of an input that has no times.
	printf 'p 1/1 1.5: 3 cycles:\n\t1 f (/x)\n\n' >"$dir/in.perf"
	"$CGCONV" -t json --between 0%,100% "$dir/in.perf" "$dir/in.folded" \
		2>&1 >"$dir/out" |
		grep 'warning: costs of event samples without a time are dropped'
}

@test "timeline: a thread's name has at most 4096 bytes" {
	printf '[{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"%05000d"}},
	{"ph":"X","pid":1,"tid":2,"ts":100,"dur":500,"name":"a"}]' 0 \
		>"$BATS_TEST_TMPDIR/in.json"
	"$CGCONV" -q -f trace-event -t json "$BATS_TEST_TMPDIR/in.json" |
		grep '^."track"' | cut -d, -f 4 |
		same - <(printf '"%04096d"\n' 0)
}
