# cpuprofile.bats - V8's CPU profiles, against a reading sample by sample.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

graph()
{
	"$CGCONV" -q -t json "$1" | perl tests/oracle/graph.pl
}

# Prints a profile with these nodes and other members.
profile()
{
	echo "{\"nodes\":[$1]${2:+,$2}}" >"$t/x.cpuprofile"
}

# bad MESSAGE NODES [MEMBERS]
bad()
{
	profile "$2" "$3"
	refuses 1 "expected $1" -f cpuprofile -t json "$t/x.cpuprofile"
}

frame='"callFrame":{"functionName":"f","scriptId":"1","url":"x.js","lineNumber":4,"columnNumber":0}'
one="{\"id\":1,$frame}"
two="{\"id\":2,$frame}"

@test "cpuprofile: samples and times equal those of an independent reader" {
	file=samples/cpuprofile/node/prof.cpuprofile
	perl tests/oracle/v8.pl $file >"$t/want"
	graph $file >"$t/got"
	[ "$(wc -l <"$t/want")" -ge 50 ]
	same "$t/want" "$t/got"
}

@test "cpuprofile: the sum is the time of all samples" {
	"$CGCONV" -q -t json samples/cpuprofile/node/prof.cpuprofile |
		sed -n 's/^\["total",\[\(.*\),\(.*\)\]\]/\1 \2/p' >"$t/got"
	# The last one has the average interval.
	perl -MJSON::PP -0777 -ne '$_ = decode_json($_); $n += $$_{hitCount}
		for @{$$_{nodes}};
		@t = @{$$_{timeDeltas}}; shift @t; $us += $_ for @t;
		print $n, " ", int $us * 1000 * (1 + 1 / @t), "\n"' \
		samples/cpuprofile/node/prof.cpuprofile >"$t/want"
	same "$t/want" "$t/got"
}

@test "cpuprofile: samples have the lines where they were taken" {
	"$CGCONV" -q -t json samples/cpuprofile/node/prof.cpuprofile >"$t/json"
	perl -MJSON::PP -ne '$_ = decode_json($_); next if ref ne "ARRAY";
		$name{$$_[1]} = $$_[2] if $$_[0] eq "function";
		$at{$$_[1]} = "$name{$$_[3]}:$$_[5]" if $$_[0] eq "frame";
		$n{$at{$$_[1]}} += $$_[3][0] if $$_[0] eq "stack";
		END { print map { "$_ $n{$_}\n" } sort keys %n }' \
		"$t/json" >"$t/got"
	# As positionTicks says of functions that have them all on one line.
	for line in 'fib:5 1' 'words:12 12'; do
		grep -qxF "$line" "$t/got"
	done
}

@test "cpuprofile: a time is divided among lines to the last nanosecond" {
	profile "{\"id\":1,$frame,\"hitCount\":3,\"positionTicks\":[{\"line\":7,\"ticks\":1},{\"line\":8,\"ticks\":1}]}" \
		'"startTime":0,"endTime":11,"samples":[1,1,1],"timeDeltas":[1,3,4.001]'
	"$CGCONV" -q -t json "$t/x.cpuprofile" >"$t/out"
	grep -qxF '["frame",3,0,1,1,8,0]' "$t/out"
	[ "$(grep -c '^\["stack",[0-9],1,\[1,350[01]\]\]' "$t/out")" = 3 ]
	grep -qxF '["total",[3,10501]]' "$t/out"
}

@test "cpuprofile: the last sample lasts for the average interval" {
	members='"startTime":0,"samples":[1,1,2],"timeDeltas":[5,100,300]'
	profile "$one,${two/\"f\"/\"g\"}" "$members,\"endTime\":900000"
	"$CGCONV" -q -t folded --event ns "$t/x.cpuprofile" >"$t/got"
	printf '%s\n' 'f 400000' 'g 200000' | same - "$t/got"
	profile "$one" '"samples":[1],"timeDeltas":[5],"startTime":0,"endTime":9'
	"$CGCONV" -q -t folded --event ns "$t/x.cpuprofile" | grep -x 'f 4000'
}

@test "cpuprofile: one time more than samples ends the last sample" {
	for name in timeDeltas timestamps; do
		times="\"$name\":[5,100,300,7]"
		[ $name = timeDeltas ] || times="\"$name\":[5,105,405,412]"
		for members in "\"samples\":[1,1,2],$times" \
			"$times,\"samples\":[1,1,2]"; do
			profile "$one,${two/\"f\"/\"g\"}" \
				"$members,\"startTime\":0,\"endTime\":900000"
			"$CGCONV" -t folded --event ns "$t/x.cpuprofile" \
				>"$t/got" 2>"$t/err"
			printf '%s\n' 'f 400000' 'g 7000' | same - "$t/got"
			[ ! -s "$t/err" ]
		done
	done
}

@test "cpuprofile: distinguishes functions of one name by line and column" {
	profile "{\"id\":1,$frame,\"hitCount\":1},{\"id\":2,${frame/\"columnNumber\":0/\"columnNumber\":9},\"hitCount\":1},{\"id\":3,${frame/4/8},\"hitCount\":1}"
	"$CGCONV" -q -t json "$t/x.cpuprofile" | grep '^\["function"' >"$t/out"
	printf '["function",%s]\n' '1,"f",1,0,5,0,0,1,0' \
		'2,"f:5:10",1,0,5,0,0,10,0' '3,"f:9:1",1,0,9,0,0,1,0' |
		same - "$t/out"
}

@test "cpuprofile: (root) is not a function" {
	graph samples/cpuprofile/node/prof.cpuprofile | not grep -F '(root)'
}

@test "cpuprofile: no time passes while the clock is set back" {
	profile "$one" '"startTime":0,"endTime":20,"samples":[1,1,1],"timeDeltas":[10,-6,8]'
	"$CGCONV" -q -t json "$t/x.cpuprofile" | grep -qxF '["total",[3,3000]]'
}

@test "cpuprofile: accepts members in any order and fractions of microseconds" {
	profile "$one" '"timeDeltas":[0.5,1.25],"endTime":3e0,"samples":[1,1],"startTime":0'
	"$CGCONV" -q -t json "$t/x.cpuprofile" >"$t/one"
	grep -qxF '["total",[2,2500]]' "$t/one"
	echo "{\"startTime\":0,\"samples\":[1,1],\"timeDeltas\":[0.5,1.25],\"endTime\":3,\"nodes\":[$one]}" |
		"$CGCONV" -q -f cpuprofile -t json - | same "$t/one" -
}

@test "cpuprofile: ids may be any numbers" {
	file=samples/cpuprofile/node/prof.cpuprofile
	"$CGCONV" -q -t json $file >"$t/want"
	for by in 3 1000003 100000000000000; do
		perl -MJSON::PP -0777 -ne '$_ = decode_json($_);
			for $n (@{$$_{nodes}}) { $$n{id} *= '$by';
			$$n{children} = [ map $_ * '$by', @{$$n{children}} ] }
			$$_{samples} = [ map $_ * '$by', @{$$_{samples}} ];
			print encode_json($_)' $file >"$t/x.cpuprofile"
		"$CGCONV" -q -t json "$t/x.cpuprofile" | same "$t/want" -
	done
}

@test "cpuprofile: reads profiles of Chrome before version 58" {
	graph samples/cpuprofile/old/old.cpuprofile >"$t/got"
	printf '%s\n' \
		'call	http://localhost/a.js:1:main	http://localhost/a.js:9:work	2	2,2300000' \
		'function	(V8):0:(program)	1,1133333	1,1133333' \
		'function	http://localhost/a.js:1:main	1,1100000	3,3400000' \
		'function	http://localhost/a.js:9:work	2,2300000	2,2300000' |
		same - "$t/got"
}

@test "cpuprofile: rejects malformed files" {
	bad "an id that no other node has" "$one,$one"
	bad "nodes with all ids that are referred to" \
		"{\"id\":1,$frame,\"children\":[2]}"
	bad "nodes with one parent" \
		"{\"id\":1,$frame,\"children\":[2]},$two,{\"id\":3,$frame,\"children\":[2]}"
	bad "parents without a cycle" \
		"{\"id\":1,$frame,\"hitCount\":1,\"parent\":2},{\"id\":2,$frame,\"parent\":1}"
	bad "nodes with all ids that are referred to" "$one" \
		'"samples":[7],"timeDeltas":[1]'
	bad "as many samples as times" "$one" \
		'"timeDeltas":[1],"samples":[1,1]'
	bad "as many times as samples" "$one" \
		'"samples":[1],"timeDeltas":[1,1,1]'
	bad "samples only once" "$one" '"samples":[1],"samples":[1]'
	bad "a smaller number" "$one" '"samples":[99999999999999999999]'
	bad "times that fit in 64 bits" "$one" \
		'"samples":[1,1],"timeDeltas":[9e15,9e15]'
	bad "a non-negative number" "{\"id\":1,$frame,\"hitCount\":-1}"
	bad "at most 1024 levels" "$one" "\"x\":$(printf '[%.0s' {1..1100})"
	profile "$one" '"samples":[1,1],"timeDeltas":[1]'
	"$CGCONV" -t json "$t/x.cpuprofile" 2>&1 >/dev/null |
		grep -q 'warning: there are not as many samples as times'
}

# Prints when each sample began, in nanoseconds, and its function.
samples_of()
{
	perl -MJSON::PP -e 'local $/; my $p = decode_json(<STDIN>);
		my %name = map { $_->{id} => $_->{callFrame} } @{$p->{nodes}};
		my $time = $p->{startTime};
		for my $i (0 .. $#{$p->{samples}}) {
			my $f = $name{$p->{samples}[$i]};
			$time += $p->{timeDeltas}[$i];
			# Equal names were told apart.
			my $name = $f->{functionName} || "(anonymous)";
			$name =~ s/(:\d+)+$//;
			printf "%.0f %s %s:%d\n", $time * 1000, $name,
				@$f{qw(url lineNumber)};
		}
		print scalar @{$p->{timeDeltas}}, "\n"' <"$1"
}

@test "cpuprofile: samples keep their order, times and functions" {
	file=samples/cpuprofile/node/prof.cpuprofile
	samples_of $file >"$t/want"
	[ "$(wc -l <"$t/want")" -ge 30 ]
	"$CGCONV" -q -t cpuprofile $file -o "$t/out.cpuprofile"
	samples_of "$t/out.cpuprofile" >"$t/got"
	same "$t/want" "$t/got"
	"$CGCONV" --verify $file "$t/out.cpuprofile"
	"$CGCONV" -q -t json $file | "$CGCONV" -q -t cpuprofile |
		same "$t/out.cpuprofile" -
	for to in json speedscope; do
		"$CGCONV" -q -t $to $file -o "$t/a"
		"$CGCONV" -q -t $to "$t/out.cpuprofile" | same "$t/a" -
	done
}

@test "cpuprofile: samples of other profilers, with idle time" {
	printf 'p 1 %s: %s cpu-clock: \n\t1 %s (/x)\n\t2 main (/x)\n\n' \
		1.000 1000000 a 1.003 1000000 b 1.0035 2000000 a >"$t/in.perf"
	"$CGCONV" -q -t cpuprofile "$t/in.perf" -o "$t/out.cpuprofile"
	# b lasts until 1.004, so that the next sample begins later.
	same - <(samples_of "$t/out.cpuprofile") <<-'E'
	1000000000 a :-1
	1001000000 (idle) :-1
	1003000000 b :-1
	1004000000 a :-1
	5
	E
	"$CGCONV" -q -t folded --event ns "$t/out.cpuprofile" |
		same - <(printf '%s\n' '(idle) 2000000' 'main;a 3000000' \
			'main;b 1000000')
	# Calls are samples of what they run in between.
	"$CGCONV" -q -t cpuprofile samples/speedscope/evented/*.json \
		-o "$t/calls.cpuprofile"
	"$CGCONV" -q -t folded --event ns "$t/calls.cpuprofile" |
		grep -v idle | awk '{ sum += $NF / 1000 } END { print sum }' >"$t/sum"
	"$CGCONV" -q -t folded samples/speedscope/evented/*.json |
		awk '{ sum += $NF } END { print sum }' >"$t/got"
	same "$t/sum" "$t/got"
}

@test "cpuprofile: several threads, and costs without times, are sums" {
	printf 'p 1/%d 1.%d: 3 cycles: \n\t1 f%d (/x)\n\n' 1 0 1 2 1 1 1 2 2 \
		>"$t/in.perf"
	"$CGCONV" -t cpuprofile "$t/in.perf" -o "$t/out.cpuprofile" \
		2>"$t/err"
	grep 'warning: a CPU profile has one thread' "$t/err"
	grep 'note: costs of cycles are written as microseconds' "$t/err"
	same - <(samples_of "$t/out.cpuprofile") <<-'E'
	0 f1 :-1
	6000 f2 :-1
	3
	E
	echo 'a;b 3' | "$CGCONV" -q -f folded -t cpuprofile |
		"$CGCONV" -q -f cpuprofile -t folded --event samples |
		grep -x "a;b 3"
}

@test "cpuprofile: (idle) that calls is a function like others" {
	cat >"$t/in.cpuprofile" <<-'E'
	{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0",
	"url":"","lineNumber":-1,"columnNumber":-1},"children":[2]},
	{"id":2,"callFrame":{"functionName":"(idle)","scriptId":"0","url":"",
	"lineNumber":-1,"columnNumber":-1},"children":[3]},
	{"id":3,"callFrame":{"functionName":"f","scriptId":"1","url":"/f.js",
	"lineNumber":0,"columnNumber":0}}],
	"startTime":0,"endTime":30,"samples":[2,3,2],"timeDeltas":[0,10,10]}
	E
	"$CGCONV" -q -t cpuprofile "$t/in.cpuprofile" -o "$t/out.cpuprofile"
	"$CGCONV" --verify "$t/in.cpuprofile" "$t/out.cpuprofile"
}

@test "cpuprofile: functions without a name stay so, wherever they are" {
	"$CGCONV" -q -t cpuprofile - >"$t/a" <<-'EOF'
		{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":""},"children":[2,3]},
		{"id":2,"callFrame":{"functionName":"","url":"file:///a.js","lineNumber":0,"columnNumber":0}},
		{"id":3,"callFrame":{"functionName":"","url":"file:///a.js","lineNumber":4,"columnNumber":9}}],
		"startTime":0,"endTime":3,"samples":[2,3,3],"timeDeltas":[1,1,1]}
		EOF
	[ "$(grep -c '"functionName":"","' "$t/a")" -eq 2 ]
	"$CGCONV" -q -f cpuprofile -t cpuprofile "$t/a" | same "$t/a" -
}
