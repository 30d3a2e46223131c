# verify.bats - --verify: does one profile say what another does?
load helper
bats_require_minimum_version 1.5.0

setup()
{
	cd "$BATS_TEST_DIRNAME/.." || return 1
	dir=$BATS_TEST_TMPDIR
	sample=samples/json/stacks/stacks.cgj
}

# differs STATUS LINE... ARG: the lines are in what --verify prints.
verifies()
{
	local status=0 want=$1 file=$2

	shift 2
	"$CGCONV" --verify "$file" "$dir/out" >"$dir/got" || status=$?
	for line; do
		grep -qxF -- "$line" "$dir/got" || {
			echo "expected: $line" && cat "$dir/got" && return 1
		}
	done
	[ "$status" -eq "$want" ] || { cat "$dir/got" && return 1; }
}

@test "verify: what was converted says the same, but for what is lost" {
	for to in json callgrind folded; do
		"$CGCONV" -q -t "$to" "$sample" -o "$dir/out"
		verifies 0 "$sample" 'Total  samples  16 = 16' \
			'Same   in all that both can hold'
	done
	grep -xF 'Lost   B (folded) cannot hold: lines instrs parts events files objects descriptions' \
		"$dir/got"
	grep -xF 'Lost   event time is in A only' "$dir/got"
}

@test "verify: samples and their conversions, in any direction" {
	for file in $(samples callgrind) $(samples pstats); do
		for to in json callgrind; do
			"$CGCONV" -q -t "$to" "$file" -o "$dir/out"
			"$CGCONV" -q --verify "$file" "$dir/out"
			"$CGCONV" -q --verify "$dir/out" "$file"
		done
	done >"$dir/got"
}

@test "verify: recursion is compared by the levels that there are" {
	for n in 1 2 5; do
		"$CGCONV" -q -t callgrind --separate-recs "$n" "$sample" \
			-o "$dir/out"
		verifies 0 "$sample" 'Same   in all that both can hold'
	done
}

@test "verify: a function without a name is its object's, where only one has those" {
	printf 'p 1 1.0: 3 cycles:\n\t1 [unknown] (/lib/x.so)\n\t2 main (/x)\n' \
		>"$dir/in.perf"
	"$CGCONV" -q -t folded "$dir/in.perf" -o "$dir/out"
	grep -x 'main;\[x.so\] 3' "$dir/out"
	verifies 0 "$dir/in.perf" 'Same   in all that both can hold'
}

@test "verify: one number that is another is found" {
	"$CGCONV" -q -t json "$sample" -o "$dir/json"
	"$CGCONV" -q -t callgrind "$sample" | sed 's/^0x1340 40 5 50/0x1340 41 5 49/
		s/^calls=8 /calls=9 /' >"$dir/out"
	verifies 1 "$sample" 'Total  time  162 is not 161' \
		'  self: c (app.c) [/usr/bin/app], time: 50 is not 49' \
		'  line: c (app.c) [/usr/bin/app], app.c:40, samples: 5 is not 0' \
		'  line: c (app.c) [/usr/bin/app], app.c:41, time: 0 is not 49'
	grep -E '^Differ in [0-9]+ numbers$' "$dir/got"
}

@test "verify: calls and their costs are compared" {
	in=samples/callgrind/plain/callgrind.out
	"$CGCONV" -q -t callgrind "$in" >"$dir/good"
	# Not the first: the root's that is written for KCachegrind.
	awk '/^calls=/ && ++n == 4 { sub(/calls=[0-9]+/, "calls=77") }
		{ print }' "$dir/good" >"$dir/out"
	not "$CGCONV" --verify "$in" "$dir/out" >"$dir/got"
	grep -E '^  count of calls: .* -> .*: [0-9]+ is not 77$' "$dir/got"
	[ "$(grep -c '^  ' "$dir/got")" -eq 1 ]
}

@test "verify: an event that is missing is a difference" {
	"$CGCONV" -q -t json "$sample" | grep -v '"end"' |
		sed 's/"time"/"ticks"/' >"$dir/out"
	echo '["end"]' >>"$dir/out"
	verifies 1 "$sample" 'Miss   event time is in A only' \
		'Miss   event ticks is in B only'
}

@test "verify: --json says the same to programs" {
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

@test "verify: two files, and --json only here" {
	refuses 2 '--verify needs two files' --verify "$sample"
	refuses 2 '--verify needs two files' --verify a b c
	refuses 2 '--json goes with --verify' --json --info "$sample"
	refuses 2 'do not go together' --verify -t json "$sample" "$sample"
	refuses 1 'No such file' --verify "$sample" "$dir/nothing"
}

@test "verify: an input that was left out is no success, on either side" {
	mkdir "$dir/whole" "$dir/part"
	cp samples/gcov/gcc-c/cover.gc* "$dir/whole"
	cp samples/gcov/gcc-c/cover.gc* "$dir/part"
	cp samples/gcov/gcc-c/cover.gcno "$dir/part/z.gcno"
	head -c 100 samples/gcov/gcc-c/cover.gcda >"$dir/part/z.gcda"
	"$CGCONV" --verify "$dir/whole" "$dir/whole"
	run -1 "$CGCONV" --verify "$dir/whole" "$dir/part"
	run -1 "$CGCONV" --verify "$dir/part" "$dir/whole"
}
