# diff.bats - --diff: the difference of two profiles
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# stacks SEED: random folded stacks of few functions.
stacks()
{
	awk -v seed="$1" 'BEGIN {
		srand(7)
		for (i = 0; i < 200; i++) {
			stack = "main"
			for (n = int(6 * rand()); n > 0; n--)
				stack = stack ";f" int(9 * rand())
			cost[stack] += 1 + int(50 * rand())
		}
		srand(seed)
		for (stack in cost)
			if (rand() < 0.8)
				print stack, cost[stack] + int(3 * rand()) * 9
	}' | sort
}

# by_stack BEFORE AFTER: "stack before after", as difffolded.pl writes them.
by_stack()
{
	awk '{ cost = $NF; sub(/ [0-9]+$/, ""); all[$0] = 1
		sum[$0, NR == FNR] += cost }
		END { for (s in all) print s, sum[s, 1] + 0, sum[s, 0] + 0 }
	' "$1" "$2" | LC_ALL=C sort
}

# by_function COLUMN FILE: inclusive costs, recursion counted once.
by_function()
{
	awk -v column="$1" '{ n = split($1, f, ";"); split("", seen)
		for (i = 1; i <= n; i++)
			if (!seen[f[i]]++)
				sum[f[i]] += $column }
		END { for (s in sum) print s, sum[s] }' "$2" | LC_ALL=C sort
}

# callgrind DIR OBJECT: a profile of a program built in DIR.
callgrind()
{
	cat <<-END
		events: Ir Dr
		ob=$1/$2
		fl=$1/src/main.c
		fn=main
		3 $3 1
		cfi=$1/src/$4
		cfn=work
		calls=2 10
		4 $5 2
		fi=$1/src/inc.h
		7 5 0
		fl=$1/src/$4
		fn=work
		10 $5 2
	END
}

@test "diff: subtracts stacks as awk does" {
	for seed in 1 2 3; do
		stacks "$seed" >"$dir/a"
		stacks "$((seed + 10))" >"$dir/b"
		by_stack "$dir/a" "$dir/b" >"$dir/both"
		awk '$2 != $3 { print $1, $3 - $2 }' "$dir/both" >"$dir/want"
		"$CGCONV" -q --diff "$dir/a" "$dir/b" -t folded |
			LC_ALL=C sort >"$dir/got"
		[ -s "$dir/want" ]
		same "$dir/want" "$dir/got"
		"$CGCONV" -q --diff --side-by-side "$dir/a" "$dir/b" \
			-t folded | LC_ALL=C sort >"$dir/got"
		same "$dir/both" "$dir/got"
	done
}

@test "diff: subtracts inclusive and self costs as awk does" {
	stacks 1 >"$dir/a"
	stacks 2 >"$dir/b"
	by_stack "$dir/a" "$dir/b" >"$dir/both"
	by_function 2 "$dir/both" >"$dir/before"
	by_function 3 "$dir/both" | paste -d ' ' "$dir/before" - |
		awk '$2 != $4 { print $1, $2, $4 }' >"$dir/want"
	"$CGCONV" --diff --json "$dir/a" "$dir/b" >"$dir/out"
	perl -MJSON::PP -0777 -ne 'my $d = decode_json($_);
		print "$_->{name} @{$_->{inclusive}[0]}\n"
			for grep { $_->{inclusive}[0][0] != $_->{inclusive}[0][1] }
			@{$d->{functions}}' "$dir/out" |
		LC_ALL=C sort >"$dir/got"
	same "$dir/want" "$dir/got"
	perl -MJSON::PP -0777 -ne 'my $d = decode_json($_);
		print "$_->{name} ", $_->{self}[0][1] - $_->{self}[0][0], "\n"
			for grep { $_->{self}[0][0] != $_->{self}[0][1] }
			@{$d->{functions}}' "$dir/out" |
		LC_ALL=C sort >"$dir/got"
	awk '{ sub(/.*;/, "", $1); sum[$1] += $3 - $2 }
		END { for (f in sum) if (sum[f]) print f, sum[f] }
	' "$dir/both" | LC_ALL=C sort >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "diff: prints a table" {
	printf '%s\n' 'main;a;b 10' 'main;old 3' 'main 2' >"$dir/a"
	printf '%s\n' 'main;a;b 14' 'main;new 6' 'main 1' >"$dir/b"
	cd "$dir"
	"$CGCONV" --diff a b --top 4 >got
	cat >want <<-'END'
		Before  a: folded
		After   b: folded

		  Before  After  Difference   Change  Event
		      15     21          +6  +40.00%  samples

		Largest changes, inclusive: samples
		  Before  After  Difference   Change  Function (file) [object]
		      15     21          +6  +40.00%  main
		       -      6          +6      new  new
		      10     14          +4  +40.00%  a
		      10     14          +4  +40.00%  b

		Largest changes, self: samples
		  Before  After  Difference   Change  Function (file) [object]
		       -      6          +6      new  new
		      10     14          +4  +40.00%  b
		       3      -          -3     gone  old
		       2      1          -1  -50.00%  main
	END
	same want got
}

@test "diff: functions that a target adds are not in the table" {
	# callgrind's second level of recursion is "a'2".
	printf 'a;b;a 5\na;c 3\n' >"$dir/a.folded"
	printf 'a;b;a 7\na;c;a 2\n' >"$dir/b.folded"
	"$CGCONV" --diff "$dir/a.folded" "$dir/b.folded" >"$dir/want"
	"$CGCONV" --diff "$dir/a.folded" "$dir/b.folded" -t callgrind \
		-o "$dir/out" >"$dir/got"
	same "$dir/want" "$dir/got"
	grep -q "a'2" "$dir/out"
}

@test "diff: writes the table to standard error if the profile goes to standard output" {
	printf 'a 3\n' >"$dir/a.folded"
	printf 'a 5\n' >"$dir/b.folded"
	[ "$("$CGCONV" --diff "$dir/a.folded" "$dir/b.folded" -t folded \
		2>"$dir/err")" = 'a 2' ]
	grep -q '^Largest changes' "$dir/err"
	"$CGCONV" --diff "$dir/a.folded" "$dir/b.folded" -o "$dir/c.folded" >"$dir/got"
	grep -q '^Largest changes' "$dir/got"
	[ "$(cat "$dir/c.folded")" = 'a 2' ]
	"$CGCONV" -q --diff "$dir/a.folded" "$dir/b.folded" -o "$dir/c.folded" >"$dir/got"
	[ ! -s "$dir/got" ]
}

@test "diff: callgrind gets both profiles side by side, unchanged" {
	for file in plain events cacheuse parts instr-jumps; do
		a=samples/callgrind/$file/callgrind.out
		b=$dir/$file
		sed 's/^\(+*-*[0-9*]* [0-9]\)/\11/' "$a" |
			grep -v '^\(summary\|totals\):' >"$b"
		"$CGCONV" -q --diff "$a" "$b" -o "$dir/out.cg"
		for side in before after; do
			[ "$side" = before ] && from=$a || from=$b
			perl tests/oracle/callgrind.pl --all-parts-as-one \
				"$from" 2>/dev/null | facts '' >"$dir/want"
			perl tests/oracle/callgrind.pl --all-parts-as-one \
				"$dir/out.cg" | facts "_$side" >"$dir/got"
			[ -s "$dir/want" ]
			same "$dir/want" "$dir/got"
		done
	done
}

# facts SUFFIX: total and self costs by line of events with that suffix.
facts()
{
	perl -F'\t' -lane 'BEGIN { $end = shift }
		if ($F[0] eq "total") {
			print "$1 $F[2]" if $F[1] =~ /^([^_]+)\Q$end\E$/ && $F[2];
		} elsif ($F[0] eq "self") {
			/^([^_]+)\Q$end\E=(\d+)$/ and
				$sum{join "|", @F[2 .. 6], $1} += $2
				for @F[8 .. $#F];
		}
		END { print "$_ $sum{$_}" for sort keys %sum }' "$1"
}

@test "diff: matches objects in different directories, functions in other files" {
	callgrind /old/v1 prog-1 100 work.c 40 >"$dir/a"
	callgrind /home/me/v2 prog-1 130 more.c 70 >"$dir/b"
	"$CGCONV" --diff --json "$dir/a" "$dir/b" >"$dir/got"
	perl -MJSON::PP -0777 -ne 'my $d = decode_json($_);
		my %of = map { $_->{name} => $_ } @{$d->{functions}};
		keys %of == 2 && !grep { $_->{only} } values %of or die;
		"@{$of{main}{self}[0]}" eq "105 135" or die "self";
		"@{$of{main}{inclusive}[0]}" eq "145 205" or die "inclusive";
		"@{$of{work}{self}[0]}" eq "40 70" or die "work";
		$of{work}{file} eq "/home/me/v2/src/more.c" or die "file";
		$of{work}{object} eq "/home/me/v2/prog-1" or die "object";
	' "$dir/got"
	"$CGCONV" -q --diff "$dir/a" "$dir/b" -t csv >"$dir/got"
	grep -qF "/home/me/v2/prog-1,/home/me/v2/src/main.c,main,0,30,0,60,0" \
		"$dir/got"
	[ "$(grep -c '/old/v1/src/inc.h\|/old/v1/src/main.c' "$dir/got")" = 0 ]
}

@test "diff: an ambiguous name is not matched" {
	printf 'events: Ir\nfl=%s\nfn=f\n1 5\nfl=%s\nfn=f\n1 7\n' \
		/p/one.c /p/two.c >"$dir/a"
	printf 'events: Ir\nfl=%s\nfn=f\n1 5\nfl=%s\nfn=f\n1 7\n' \
		/q/three.c /q/four.c >"$dir/b"
	"$CGCONV" --diff --json "$dir/a" "$dir/b" >"$dir/got"
	[ "$(grep -c '"only":"before"' "$dir/got")" = 2 ]
	[ "$(grep -c '"only":"after"' "$dir/got")" = 2 ]
	# Different libraries are not matched either.
	printf 'events: Ir\nob=/lib/libc.so\nfn=malloc\n1 5\n' >"$dir/a"
	printf 'events: Ir\nob=/lib/libje.so\nfn=malloc\n1 6\n' >"$dir/b"
	"$CGCONV" --diff --json "$dir/a" "$dir/b" >"$dir/got"
	[ "$(grep -c '"only":' "$dir/got")" = 2 ]
	# If one profile has no objects, they are ignored.
	printf 'events: Ir\nfn=malloc\n1 6\n' >"$dir/b"
	"$CGCONV" --diff --json "$dir/a" "$dir/b" >"$dir/got"
	grep -q '"self":\[\[5,6\]\]' "$dir/got"
}

@test "diff: --map and --strip-prefix apply to both profiles" {
	callgrind /old prog 100 work.c 40 >"$dir/a"
	callgrind /new prog 100 work.c 41 >"$dir/b"
	"$CGCONV" -q --diff "$dir/a" "$dir/b" --map /old=/x --map /new=/x \
		-t csv >"$dir/got"
	grep -q '/x/src/work.c' "$dir/got"
	[ "$(grep -c '/old/src\|/new/src' "$dir/got")" = 0 ]
}

@test "diff: with --normalize the sum of the difference is 0" {
	stacks 1 | sed 's/$/0/' >"$dir/a"
	stacks 2 >"$dir/b"
	"$CGCONV" --diff --normalize "$dir/a" "$dir/b" -o "$dir/c.folded" \
		>"$dir/got"
	awk '{ sum += $NF; n++ } END { exit sum != 0 || n < 9 }' "$dir/c.folded"
	grep -q '^Scaled' "$dir/got"
	grep -q '  0  *0.00%  samples' "$dir/got"
}

@test "diff: a profile minus itself is empty, doubled minus itself is the profile" {
	for file in $(samples); do
		case $file in
		*/gprof/* | */gprof-text/* | samples/json/lines/*) continue ;;
		esac
		# shellcheck disable=SC2046 # two words or none
		"$CGCONV" -q $(exe_of "$file") -t json "$file" \
			-o "$dir/one.cgj" || continue
		"$CGCONV" -q --diff --json "$dir/one.cgj" "$dir/one.cgj" \
			>"$dir/got"
		grep -q '"functions":\[\]}' "$dir/got"
		"$CGCONV" -q "$dir/one.cgj" "$dir/one.cgj" -t json \
			-o "$dir/two.cgj"
		"$CGCONV" -q --diff "$dir/one.cgj" "$dir/two.cgj" -t json \
			-o "$dir/diff.cgj"
		# Calls are counted as after: twice.
		"$CGCONV" -q --verify "$dir/one.cgj" "$dir/diff.cgj" \
			>"$dir/got" || true
		[ "$(grep -c '^  \(self\|inclusive\|cost of\|line\)' \
			"$dir/got")" = 0 ]
		grep -q '^Total.* = ' "$dir/got"
		[ "$(grep -c '^Total.* is not ' "$dir/got")" = 0 ]
	done
}

@test "diff: gprof's times are propagated before they are subtracted" {
	one=samples/gprof/runs/gmon.out.1 three=samples/gprof/runs/gmon.out.3
	prog=samples/gprof/runs/prog
	for n in 1 3; do
		"$CGCONV" -q --exe "$prog" "${one%1}$n" -t json -o "$dir/$n.cgj"
	done
	"$CGCONV" -q --diff --exe "$prog" "$one" "$three" -t json \
		-o "$dir/got.cgj"
	[ "$(grep -c '"counts"' "$dir/got.cgj")" = 0 ]
	"$CGCONV" --diff --json --exe "$prog" "$one" "$three" >"$dir/got"
	"$CGCONV" --diff --json "$dir/1.cgj" "$dir/3.cgj" >"$dir/want"
	sed 1,4d "$dir/want" >"$dir/want.rest"
	sed 1,4d "$dir/got" >"$dir/got.rest"
	grep -q heavy "$dir/want.rest"
	same "$dir/want.rest" "$dir/got.rest"
}

@test "diff: agrees with pprof -diff_base" {
	command -v go >/dev/null && go tool pprof -h 2>&1 | grep -q diff_base || skip "no pprof"
	a=samples/pprof/heap/heap.pb.gz
	"$CGCONV" -q "$a" -t folded --event alloc_space | awk '
		NR % 3 { sub(/[0-9]+$/, $NF * (NR % 5) + 1); print }
	' >"$dir/b.folded"
	"$CGCONV" -q "$a" -t folded --event alloc_space >"$dir/a.folded"
	for x in a b; do
		"$CGCONV" -q -t pprof "$dir/$x.folded" -o "$dir/$x.pb.gz"
	done
	"$CGCONV" -q --diff "$dir/a.pb.gz" "$dir/b.pb.gz" -o "$dir/d.pb.gz"
	top -diff_base "$dir/a.pb.gz" "$dir/b.pb.gz" >"$dir/want"
	top "$dir/d.pb.gz" >"$dir/got"
	[ -s "$dir/want" ]
	same "$dir/want" "$dir/got"
}

# top ARG...: flat and cumulative cost of each function by pprof.
top()
{
	HOME=$dir PPROF_TMPDIR=$dir go tool pprof -top -nodecount=10000 \
		-nodefraction=0 -edgefraction=0 -unit=minimum "$@" 2>/dev/null |
		awk 'rows && ($1 != 0 || $4 != 0) {
			flat = $1; cum = $4
			sub(/^.*% +/, ""); sub(/^.*% +/, "")
			print flat, cum, $0
		}
		$1 == "flat" { rows = 1 }' | LC_ALL=C sort
}

@test "diff: subtracts one event of several, and inherited events" {
	printf 'event: Sum = 2 Ir + Dr\nevents: Ir Dr L2\nfn=f\n1 5 1 1\n' \
		>"$dir/a"
	printf 'event: Sum = 2 Ir + Dr\nevents: Dr Ir\nfn=f\n1 2 9\n' >"$dir/b"
	"$CGCONV" --diff "$dir/a" "$dir/b" -o "$dir/c.cg" --event Dr \
		>"$dir/got" 2>"$dir/err"
	grep -q 'event L2 is only in the profile before' "$dir/err"
	grep -q '^Largest changes, self: Dr' "$dir/got"
	grep -q '^events: Dr_after Dr_before Ir_after Ir_before' "$dir/c.cg"
	grep -q '^event: Sum_after = Dr_after + 2 Ir_after' "$dir/c.cg"
	grep -q '^event: Sum_before = 2 Ir_before + Dr_before' "$dir/c.cg"
	grep -q '^1 2 1 9 5$' "$dir/c.cg"
	refuses 2 "expected an event of both profiles (see --info), not 'L2'" --diff "$dir/a" "$dir/b" \
		--event L2
}

@test "diff: reports what a difference cannot represent" {
	a=samples/callgrind/instr-jumps/callgrind.out
	"$CGCONV" --diff "$a" "$a" -t callgrind 2>&1 >"$dir/out" |
		grep -q 'warning: a difference cannot represent: instrs, jumps$'
	refuses 3 'a difference cannot represent: instrs, jumps' --strict \
		--diff "$a" "$a" -t json
	"$CGCONV" --diff "$a" "$a" 2>"$dir/err" >"$dir/out"
	[ ! -s "$dir/err" ]
}

@test "diff: rejects what cannot be compared or represented" {
	printf 'a;b 1\n' >"$dir/a"
	printf 'a;b 2\n' >"$dir/b"
	printf 'events: Ir\nfn=f\n1 5\n' >"$dir/c"
	refuses 1 'no event in common: Ir before, samples after' \
		--diff "$dir/c" "$dir/a"
	refuses 1 'gprof cannot represent negative costs or two' --diff "$dir/a" \
		"$dir/b" -t gprof
	"$CGCONV" -q --clamp --diff "$dir/a" "$dir/b" -t svg >"$dir/got"
	grep -q '>samples: 1<' "$dir/got"
	refuses 2 'two files' --diff "$dir/a"
	refuses 2 '--normalize applies only with --diff' --normalize --info "$dir/a"
	refuses 2 '--side-by-side applies only with --diff' --side-by-side "$dir/a"
	refuses 2 "--top: expected a number, not 'x'" --diff "$dir/a" "$dir/b" \
		--top x
	refuses 1 'No such file' --diff "$dir/a" "$dir/nothing"
	printf 'a;b 9223372036854775808\n' >"$dir/big"
	refuses 1 'too big for a difference' --diff "$dir/a" "$dir/big" \
		-t folded
}

@test "diff: --side-by-side --event writes both sides of that event" {
	printf 'a 3\nb 1\n' >"$dir/a.folded"
	printf 'a 5\nb 1\n' >"$dir/b.folded"
	for event in '' '--event samples'; do
		# shellcheck disable=SC2086 # two words or none
		[ "$("$CGCONV" -q --diff --side-by-side $event "$dir/a.folded" \
			"$dir/b.folded" -t folded)" = "$(printf 'a 3 5\nb 1 1')" ]
	done
	set -- samples/callgrind/events/callgrind.out
	"$CGCONV" -q --diff --event Dw --guess-stacks "$@" "$@" -t svg \
		>"$dir/out.svg"
	grep -q 'id="event"[^>]*>Dw, after: 379; before 379, change 0' \
		"$dir/out.svg"
}

@test "diff: negative costs of estimated stacks are lost once" {
	printf 'events: Ir\nfn=f\n5 30\n' >"$dir/a"
	printf 'events: Ir\nfn=f\n5 10\n' >"$dir/b"
	"$CGCONV" --diff --clamp --guess-stacks -t svg -o "$dir/o.svg" \
		"$dir/a" "$dir/b" 2>"$dir/err" >"$dir/out"
	grep -F "written as 0; lost: 20 of Ir" "$dir/err"
}

# run_of PATH LINE:COUNT...: the section of a tracefile.
run_of()
{
	echo "SF:$1"
	shift
	printf 'DA:%s\n' "${@/:/,}"
	echo end_of_record
}

@test "diff: lists the lines that lost coverage" {
	cd "$dir" || return 1
	{
		run_of b.c 1:1 2:1 3:1 5:1 6:0 9:4 12:1
		run_of a.c 1:1
		run_of gone.c 1:1
		run_of same.c 1:1 2:0
	} >a.info
	{
		run_of a.c 1:0 2:0
		run_of b.c 1:1 2:0 3:0 4:0 5:0 6:2 9:0 12:0
		run_of new.c 1:0
		run_of same.c 1:7 2:0
	} >b.info
	"$CGCONV" -q --diff a.info b.info >out
	grep -A 2 '^Lines' out | same - <(printf '%s\n' \
		'Lines that lost coverage: 6 in 2 files; 1 gained it' \
		'  a.c: 1' '  b.c: 2-3, 5, 9-12')
	"$CGCONV" -q --diff --top 1 a.info b.info >out
	grep -A 2 '^Lines' out | tail -n 1 | same - <(
		echo '  and 1 more; use --top to list them')
	"$CGCONV" -q --diff --json a.info b.info |
		perl -MJSON::PP -0777 -ne 'print JSON::PP->new->canonical->encode(
			decode_json($_)->{coverage})' >out
	same out <(printf %s '{"files":[{"lines":[[1,1]],"path":"a.c"},' \
		'{"lines":[[2,3],[5,5],[9,12]],"path":"b.c"}],"gained":1,"lost":6}')
	# Nothing is lost of a run and itself.
	"$CGCONV" -q --diff a.info a.info | grep -x 'Lines that lost coverage: 0 in 0 files; 0 gained it'
}

@test "diff: files that moved match for the lines that lost coverage, too" {
	cd "$dir" || return 1
	run_of /home/a/src/a.c 1:1 2:1 >a.info
	run_of /home/b/src/a.c 1:1 2:0 >b.info
	"$CGCONV" -q --diff a.info b.info >out
	grep -A 1 '^Lines' out | same - <(printf '%s\n' \
		'Lines that lost coverage: 1 in 1 file; 0 gained it' '  /home/b/src/a.c: 2')
}

@test "diff: lines of coverage that sources or a patch exclude are not lost" {
	cd "$dir" || return 1
	printf '%s\n' 'a' 'b // LCOV_EXCL_LINE' c >a.c
	run_of a.c 1:1 2:1 3:1 >a.info
	run_of a.c 1:0 2:0 3:0 >b.info
	"$CGCONV" --diff a.info b.info | grep -x '  a.c: 1, 3'
	"$CGCONV" --diff --no-markers a.info b.info | grep -x '  a.c: 1-3'
	printf -- '--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@\n-x\n+c\n' >p.diff
	"$CGCONV" --diff --patch p.diff a.info b.info | grep -x '  a.c: 3'
	# A profile is no coverage.
	"$CGCONV" --diff "$OLDPWD/samples/callgrind/plain/callgrind.out" \
		"$OLDPWD/samples/callgrind/plain/callgrind.out" >out
	not grep -q 'lost coverage' out
}
