# verify.bats - --verify: compares two profiles.
load ../helper
bats_require_minimum_version 1.5.0

setup()
{
	dir=$BATS_TEST_TMPDIR
	sample=samples/json/stacks/stacks.cgj
}

# differs STATUS LINE... ARG: --verify prints these lines.
verifies()
{
	local status=0 want=$1 file=$2

	shift 2
	"$CGCONV" --verify "$file" "${out:-$dir/out}" >"$dir/got" || status=$?
	for line; do
		grep -qxF -- "$line" "$dir/got" || {
			echo "expected: $line" && cat "$dir/got" && return 1
		}
	done
	[ "$status" -eq "$want" ] || { cat "$dir/got" && return 1; }
}

@test "verify: a conversion equals its input except for reported losses" {
	for to in json callgrind folded; do
		"$CGCONV" -q -t "$to" "$sample" -o "$dir/out"
		verifies 0 "$sample" 'Total  samples  16 = 16' \
			'Same   in all that both can represent'
	done
	grep -xF 'Lost   B (folded) cannot represent: lines instrs parts events files objects descriptions' \
		"$dir/got"
	grep -xF 'Lost   event time is in A only' "$dir/got"
}

@test "verify: samples equal their conversions, in both directions" {
	for file in $(samples callgrind) $(samples pstats); do
		for to in json callgrind; do
			"$CGCONV" -q -t "$to" "$file" -o "$dir/out"
			"$CGCONV" -q --verify "$file" "$dir/out"
			"$CGCONV" -q --verify "$dir/out" "$file"
		done
	done >"$dir/got"
}

@test "verify: compares recursion by the levels that both profiles have" {
	for n in 1 2 5; do
		"$CGCONV" -q -t callgrind --separate-recs "$n" "$sample" \
			-o "$dir/out"
		verifies 0 "$sample" 'Same   in all that both can represent'
	done
}

@test "verify: an unnamed function matches one named after its object" {
	printf 'p 1 1.0: 3 cycles:\n\t1 [unknown] (/lib/x.so)\n\t2 main (/x)\n' \
		>"$dir/in.perf"
	"$CGCONV" -q -t folded "$dir/in.perf" -o "$dir/out"
	grep -x 'p;main;\[x.so\] 3' "$dir/out"
	verifies 0 "$dir/in.perf" 'Same   in all that both can represent'
}

@test "verify: finds a single different number" {
	"$CGCONV" -q -t json "$sample" -o "$dir/json"
	"$CGCONV" -q -t callgrind "$sample" | sed 's/^0x1340 40 5 50/0x1340 41 5 49/
		s/^calls=8 /calls=9 /' >"$dir/out"
	verifies 1 "$sample" 'Total  time  162 is not 161' \
		'  self: c (app.c) [/usr/bin/app], time: 50 is not 49' \
		'  line: c (app.c) [/usr/bin/app], app.c:40, samples: 5 is not 0' \
		'  line: c (app.c) [/usr/bin/app], app.c:41, time: 0 is not 49'
	grep -E '^Differ in [0-9]+ numbers$' "$dir/got"
}

@test "verify: compares calls and their costs" {
	in=samples/callgrind/plain/callgrind.out
	"$CGCONV" -q -t callgrind "$in" >"$dir/good"
	# Not the first, of the root that is added for KCachegrind.
	awk '/^calls=/ && ++n == 4 { sub(/calls=[0-9]+/, "calls=77") }
		{ print }' "$dir/good" >"$dir/out"
	not "$CGCONV" --verify "$in" "$dir/out" >"$dir/got"
	grep -E '^  count of calls: .* -> .*: [0-9]+ is not 77$' "$dir/got"
	[ "$(grep -c '^  ' "$dir/got")" -eq 1 ]
}

@test "verify: inclusive costs are compared wherever both have calls" {
	in=samples/gprof-text/report/report.gprof
	"$CGCONV" -q -t callgrind "$in" -o "$dir/out"
	verifies 0 "$in" 'Same   in all that both can represent'
	# The line after that of a call has its cost.
	awk '{ if (call) sub(/ [0-9]+$/, " 0"); call = /^calls=/; print }' \
		"$dir/out" >"$dir/none"
	mv "$dir/none" "$dir/out"
	verifies 1 "$in" 'Total  ns  430000000 = 430000000' \
		'  inclusive: main, ns: 430000000 is not 0' \
		'  cost of calls: main -> left, ns: 701357 is not 0' \
		'Differ in 18 numbers'
	# Costs of calls and estimates of them are not the same.
	printf 'events: ns\nfn=main\n0 0\ncfn=f\ncalls=1 0\n0 60\ncfn=g\n' \
		>"$dir/in.cg"
	printf 'calls=1 0\n0 30\nfn=f\n0 0\ncfn=h\ncalls=1 0\n0 60\n' \
		>>"$dir/in.cg"
	printf 'fn=g\n0 0\ncfn=h\ncalls=1 0\n0 30\nfn=h\n0 90\n' >>"$dir/in.cg"
	"$CGCONV" -q -t json "$dir/in.cg" |
		sed '2s/"stated"/"by-counts"/; s/^\(\["call".*\)\[.*/\1[]]/
			s/^\["end".*/["end"]/' >"$dir/out"
	verifies 0 "$dir/in.cg" 'Unsure 6 inclusive costs not determined by calls'
}

@test "verify: inclusive costs that follow from counts may differ by 2" {
	in=samples/gprof-text/report/report.gprof
	"$CGCONV" -q -t json "$in" | sed 's/^\["end".*/["end"]/' >"$dir/in"
	sed 's/430000000/430000002/' "$dir/in" >"$dir/out"
	verifies 1 "$dir/in" '  self: burn, ns: 430000000 is not 430000002' \
		'Differ in 3 numbers'
	sed 's/430000000/430000003/' "$dir/in" >"$dir/out"
	verifies 1 "$dir/in" '  inclusive: main, ns: 430000000 is not 430000003'
}

@test "verify: a missing event is a difference" {
	"$CGCONV" -q -t json "$sample" | grep -v '"end"' |
		sed 's/"time"/"ticks"/' >"$dir/out"
	echo '["end"]' >>"$dir/out"
	verifies 1 "$sample" 'Miss   event time is in A only' \
		'Miss   event ticks is in B only'
}

@test "verify: compares costs of samples by label" {
	in=samples/pprof/cpu/cpu.pb.gz
	"$CGCONV" -t pprof "$in" -o "$dir/out"
	verifies 0 "$in" 'Same   in all that both can represent'
	"$CGCONV" -q -t json "$in" | sed 's/"one"/"uno"/; s/^\["end".*/["end"]/' \
		>"$dir/out"
	verifies 1 "$in" '  label: worker=one, samples: 10 is not 0' \
		'  label: worker=uno, cpu: 0 is not 100000000' \
		'Differ in 4 numbers'
	not "$CGCONV" --json --verify "$in" "$dir/out" >"$dir/json"
	grep -F '{"kind":"label","key":"worker","value":"uno","event":"cpu","a":0,' \
		"$dir/json"
	"$CGCONV" -q -t folded "$in" -o "$dir/out"
	verifies 0 "$in" 'Same   in all that both can represent'
	grep '^Lost   B .* labels$' "$dir/got"
}

@test "verify: --json prints the same data" {
	"$CGCONV" -q -t folded "$sample" -o "$dir/out"
	"$CGCONV" --json --verify "$sample" "$dir/out" >"$dir/got"
	"$CGCONV" -q -t callgrind "$sample" | sed 's/^0x1340 40 5 50/* 40 5 49/' \
		>"$dir/out"
	not "$CGCONV" --json --verify "$sample" "$dir/out" >"$dir/bad"
	perl -MJSON::PP -e '
		local $/; my @of = map { open my $in, "<", $_ or die;
			decode_json(<$in>) } @ARGV;
		$of[0]{differences} == 0 or die "differences";
		join(" ", @{$of[0]{b}{cannot_hold}}) eq
			"lines instrs parts events files objects descriptions" or die "cannot_hold";
		my ($event) = grep { $_->{kind} eq "event" } @{$of[0]{numbers}};
		$event->{only_in} eq "a" && !$event->{could} or die "event";
		my ($total) = grep { $_->{kind} eq "total" } @{$of[0]{numbers}};
		$total->{a} == 16 && $total->{b} == 16 or die "total";
		my ($self) = grep { $_->{kind} eq "self" } @{$of[1]{numbers}};
		$self->{function}{name} eq "c" && $self->{a} == 50 &&
			$self->{b} == 49 or die "self";
	' "$dir/got" "$dir/bad"
}

@test "verify: needs two files; checks its options" {
	refuses 2 '--verify needs two files' --verify "$sample"
	refuses 2 '--verify needs two files' --verify a b c
	refuses 2 '--json applies only with --info, --diff, --series, --summary or --verify' --json --detect "$sample"
	refuses 2 'cannot be used together' --verify -t json "$sample" "$sample"
	refuses 1 'No such file' --verify "$sample" "$dir/nothing"
}

@test "verify: a skipped input is a failure, in either profile" {
	mkdir "$dir/whole" "$dir/part"
	cp samples/gcov/gcc-c/cover.gc* "$dir/whole"
	cp samples/gcov/gcc-c/cover.gc* "$dir/part"
	cp samples/gcov/gcc-c/cover.gcno "$dir/part/z.gcno"
	head -c 100 samples/gcov/gcc-c/cover.gcda >"$dir/part/z.gcda"
	"$CGCONV" --verify "$dir/whole" "$dir/whole"
	run -1 "$CGCONV" --verify "$dir/whole" "$dir/part"
	run -1 "$CGCONV" --verify "$dir/part" "$dir/whole"
}

@test "verify: coverage equals its conversions line by line" {
	for file in samples/gcov/*/*.gcda; do
		for to in json callgrind gcov-json gcov-text lcov cobertura; do
			"$CGCONV" -q -t "$to" "$file" -o "$dir/out"
			verifies 0 "$file" 'Same   in all that both can represent'
		done
	done
	"$CGCONV" -q -t lcov samples/gcov/gcc-c/cover.gcda |
		sed '0,/^DA:\([0-9]*\),.*/s//DA:\1,77/' >"$dir/out"
	verifies 1 samples/gcov/gcc-c/cover.gcda 'Differ in 1 number' \
		"Lost   which function a line is of: lines are compared by file"
	[ "$(grep -cE '^  line: .*:[0-9]+, Exec: [0-9]+ is not 77$' "$dir/got")" = 1 ]
	not "$CGCONV" --json --verify samples/gcov/gcc-c/cover.gcda "$dir/out" \
		>"$dir/got"
	grep -qx '"by_file":true,' "$dir/got"
}

@test "verify: costs without a line are losses in formats of lines" {
	printf 'events: Ir\nfl=a.c\nfn=f\n0 5\n3 7\n' >"$dir/in.cg"
	"$CGCONV" -q -t lcov "$dir/in.cg" -o "$dir/out"
	verifies 0 "$dir/in.cg" 'Total  Ir (B: Exec)  12 is not 7' \
		'Lost   costs of no file or line, Ir: 5 is not 0'
	sed -i 's/^DA:3,7/DA:3,8/' "$dir/out"
	verifies 1 "$dir/in.cg" '  line: a.c:3, Ir: 7 is not 8' \
		'Differ in 1 number'
}

@test "verify: a path matches the only one that ends with it" {
	printf 'TN:\nSF:src/a.c\nDA:1,5\nend_of_record\n' >"$dir/out"
	printf 'TN:\nSF:/x/src/a.c\nDA:1,5\nend_of_record\n' >"$dir/in.info"
	verifies 0 "$dir/in.info" 'Same   in all that both can represent'
	printf 'TN:\nSF:/x/src/ba.c\nDA:1,5\nend_of_record\n' >"$dir/in.info"
	verifies 1 "$dir/in.info" 'Differ in 2 numbers'
	printf 'TN:\nSF:/%s/src/a.c\nDA:1,5\nend_of_record\n' x y >"$dir/in.info"
	verifies 1 "$dir/in.info" 'Differ in 3 numbers'
}

@test "verify: a function without a file matches the one that has it" {
	printf 'events: Ir\nfl=a.c\nfn=main\n1 1\nfn=g\n2 1\n' |
		tee "$dir/in.cg" >"$dir/out"
	printf 'fl=\nfn=f\n1 5\n' >>"$dir/in.cg"
	printf 'fl=b.c\nfn=f\n1 3\n' >>"$dir/out"
	printf 'fl=c.c\nfn=f\n1 2\n' >>"$dir/out"
	"$CGCONV" --verify "$dir/in.cg" "$dir/out" >"$dir/got" || true
	not grep -E '^  (self|inclusive): ' "$dir/got"
}

@test "verify: an event without costs is not a difference" {
	printf 'events: Ir Dr\nfl=a.c\nfn=f\n1 5\n' >"$dir/in.cg"
	printf 'events: Ir\nfl=a.c\nfn=f\n1 5\n' >"$dir/out"
	verifies 0 "$dir/in.cg" 'Lost   event Dr is in A only'
	printf 'events: Ir Dr\nfl=a.c\nfn=f\n1 5 6\n' >"$dir/in.cg"
	verifies 1 "$dir/in.cg" 'Miss   event Dr is in A only'
}

@test "verify: samples without known frames match in folded stacks" {
	perl tests/oracle/proto.pl >"$dir/in.pb" <<-'END'
	1 { 1: 1 2: 2 }
	2 { 2: [5] }
	6: "" 6: "samples" 6: "count"
	END
	out=$dir/out.folded
	"$CGCONV" -q -t folded "$dir/in.pb" -o "$out"
	verifies 0 "$dir/in.pb" 'Total  samples  5 = 5' \
		'Same   in all that both can represent'
}

@test "verify: units of events are compared" {
	printf 'event: t : t (ns)\nevents: t\nfn=f\n1 5\n' >"$dir/in.cg"
	printf 'event: t : t (us)\nevents: t\nfn=f\n1 5\n' >"$dir/out"
	verifies 1 "$dir/in.cg" 'Differ unit of event t: ns in A, us in B'
	"$CGCONV" --verify --json "$dir/in.cg" "$dir/out" | grep -q \
		'"kind":"unit","event":"t","a":"ns","b":"us","could":true'
	printf 'events: t\nfn=f\n1 5\n' >"$dir/out"
	verifies 1 "$dir/in.cg" 'Differ unit of event t: ns in A, none in B'
	out=$dir/out.folded
	printf 'f 5\n' >"$out"
	printf 'event: samples : samples (ns)\nevents: samples\nfn=f\n1 5\n' \
		>"$dir/in.cg"
	verifies 0 "$dir/in.cg" 'Lost   unit of event samples: ns in A, none in B'
}

@test "verify: a single event is the one with the same total, whatever its name" {
	printf 'events: samples b\nfn=f\n1 7 5\n' >"$dir/two"
	for name in c samples; do
		printf 'events: %s\nfn=f\n1 5\n' $name >"$dir/other"
		run -1 "$CGCONV" --verify "$dir/two" "$dir/other"
		[[ $output == *"Total  b (B: $name)  5 = 5"* ]]
		[[ $output == *"Differ in 1 number"* ]] # the missing event
	done
	# Without an equal total the name decides.
	printf 'events: b\nfn=f\n1 6\n' >"$dir/other"
	run -1 "$CGCONV" --verify "$dir/two" "$dir/other"
	[[ $output == *"Total  b  5 is not 6"* ]]
}

@test "verify: of events with equal totals the one of the same name is matched" {
	printf 'events: a b\nfn=f\n1 5 5\n' >"$dir/two"
	printf 'events: b\nfn=f\n1 5\n' >"$dir/other"
	run -1 "$CGCONV" --verify "$dir/two" "$dir/other"
	[[ $output == *"Total  b  5 = 5"* ]]
	run -1 "$CGCONV" --verify "$dir/other" "$dir/two"
	[[ $output == *"Total  b  5 = 5"* ]]
}

# times FILE WORD...: a speedscope profile of samples that last 1 ms each, or
# as WORD:MS says.
times()
{
	local file=$1 samples='' weights='' word
	shift
	for word; do
		samples+=",[$(( $(printf %d "'${word%%:*}") - 97 ))]"
		[[ $word == *:* ]] && weights+=",${word#*:}" || weights+=,1
	done
	printf '%s%s[%s],"weights":[%s]}]}\n' '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},{"name":"b"}]},' \
		'"profiles":[{"type":"sampled","name":"t","unit":"milliseconds","startValue":0,"endValue":9,"samples":' \
		"${samples#,}" "${weights#,}" >"$file"
}

@test "verify: finds another order in time, another time, another length" {
	times "$dir/a.json" a b a b
	times "$dir/b.json" a:2 b:2
	run -1 "$CGCONV" --verify "$dir/a.json" "$dir/b.json"
	[[ $output == *"  timeline: pid 0 tid 0 t, sample 1, time, cost: 1000000 is not 2000000"* ]]
	[[ $output == *"Differ in 1 number"* ]]
	times "$dir/b.json" a a b b
	run -1 "$CGCONV" --verify "$dir/a.json" "$dir/b.json"
	[[ $output == *", sample 2, "*", stack: b is not a"* ]]
	run -1 "$CGCONV" --verify --json "$dir/a.json" "$dir/b.json"
	[[ $output == *'"kind":"timeline","what":"stack","event":"time","pid":0,"tid":0,"sample":2,"a":"b","b":"a"'* ]]
	sed 's/"startValue":0/"startValue":1/' "$dir/a.json" >"$dir/b.json"
	run -1 "$CGCONV" --verify "$dir/a.json" "$dir/b.json"
	[[ $output == *", sample 1, "*", time: 0 is not 1000000"* ]]
	# As calls, neighbours with equal stacks are one.
	times "$dir/a.json" a a b b
	times "$dir/b.json" a:2 b:2
	"$CGCONV" -q -t trace-event "$dir/b.json" -o "$dir/b.trace.json"
	"$CGCONV" -q --verify "$dir/a.json" "$dir/b.trace.json"
	times "$dir/a.json" a b a b
	run -1 "$CGCONV" --verify "$dir/a.json" "$dir/b.trace.json"
	[[ $output == *"  timeline: "*", cost: 1000000 is not 2000000"* ]]
}

@test "verify: timelines are the same in all formats that represent them" {
	for file in samples/speedscope/*/*.json samples/cpuprofile/node/*.cpuprofile \
		samples/trace-event/*/*.json samples/stackprof/raw/*.json; do
		for to in json speedscope firefox; do
			"$CGCONV" -q -t $to -o "$dir/out" "$file"
			"$CGCONV" --verify "$file" "$dir/out" >"$dir/got" || true
			not grep timeline: "$dir/got"
		done
	done
	# Samples and calls of several threads; one has microseconds.
	for i in 0 1 2 3 4 5; do
		printf 'p 1/%d %d.000%d: 3 cycles:\n\t1 f%d (/x)\n\n' \
			$((i % 2)) $((10 + i)) "$i" $((i % 3))
	done >"$dir/in.perf"
	for to in json firefox speedscope trace-event; do
		"$CGCONV" -q -t $to -o "$dir/out" "$dir/in.perf"
		"$CGCONV" --verify "$dir/in.perf" "$dir/out" >"$dir/got" || true
		not grep timeline: "$dir/got"
	done
	file=$(echo samples/cpuprofile/node/*.cpuprofile)
	"$CGCONV" -q -t json -o "$dir/out.cgj" "$file"
	"$CGCONV" -q -t cpuprofile -o "$dir/out.cpuprofile" "$dir/out.cgj"
	"$CGCONV" --verify "$file" "$dir/out.cpuprofile" >"$dir/got" || true
	not grep timeline: "$dir/got"
	# Sums have no times: that is a loss, and no difference.
	"$CGCONV" -q -t callgrind -o "$dir/out.cg" "$dir/in.perf"
	"$CGCONV" --verify "$dir/in.perf" "$dir/out.cg" |
		grep 'cannot represent: .*timeline'
}

@test "verify: regions are compared by file" {
	for file in samples/go-cover/count/cover.out samples/v8/node-20/coverage.json \
		samples/istanbul/nyc/coverage-final.json \
		samples/llvm-cov/clang-22/cover.json; do
		"$CGCONV" -q -t json -o "$dir/out.cgj" "$file"
		"$CGCONV" -q --verify "$file" "$dir/out.cgj" | grep -q ^Same
		grep -v '^\["region"' "$dir/out.cgj" | sed '$d' >"$dir/none.cgj"
		echo '["end"]' >>"$dir/none.cgj"
		"$CGCONV" -q -v --verify "$dir/out.cgj" "$dir/none.cgj" \
			>"$dir/got" || true
		# Instances of a template have regions at the same places.
		[ "$(grep -c '^  region: .*: only in A$' "$dir/got")" = "$(grep \
			'^\["region"' "$dir/out.cgj" | cut -d , -f 2-6 |
			sort -u | wc -l)" ]
	done
	file=samples/go-cover/count/cover.out
	for to in go-cover json; do
		"$CGCONV" -q -t $to -o "$dir/out" "$file"
		"$CGCONV" -q --verify "$file" "$dir/out" | grep -q ^Same
	done
	# Counts, places, and places of one profile.
	sed 's/20.16,21.17 1 2/20.16,21.17 1 1/; s/24.3,24.30/24.3,24.31/' \
		"$file" >"$dir/other.out"
	not "$CGCONV" -q --verify "$file" "$dir/other.out" >"$dir/got"
	grep '^  region' "$dir/got" >"$dir/regions"
	sed 's/.*area.go://' "$dir/regions" |
		same - <(printf '%s\n' '20:16 to 21:17, count: 2 is not 1' \
		'24:3 to 24:30, count 2: only in A' '24:3 to 24:31, count 2: only in B')
	not "$CGCONV" -q --verify --json "$file" "$dir/other.out" |
		grep -q '"line":24,"column":3,"last_line":24,"last_column":30,"a":2,"b":null}'
	"$CGCONV" -q -t json -o "$dir/other.cgj" "$dir/other.out"
	not "$CGCONV" -q --verify "$file" "$dir/other.cgj" | grep '^  region' |
		same - "$dir/regions"
	# Regions of another kind are not compared.
	"$CGCONV" -q -t go-cover -o "$dir/out" samples/llvm-cov/clang-22/cover.json
	"$CGCONV" -q --verify samples/llvm-cov/clang-22/cover.json "$dir/out" \
		>"$dir/got" || true
	not grep region: "$dir/got"
}
