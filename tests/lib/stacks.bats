# stacks.bats - call stacks, and their conversion to formats of calls.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# "main;a;b;a;c 5" and "main;a 5"
recursion()
{
	printf '%s\n' '{"cgconv":"graph","version":1}' '["event",0,"samples"]' \
		'["function",1,"main",0,0]' '["function",2,"a",0,0]' \
		'["function",3,"b",0,0]' '["function",4,"c",0,0]' \
		'["frame",1,0,1,0,0,0]' '["frame",2,1,2,0,0,0]' \
		'["frame",3,2,3,0,0,0]' '["frame",4,3,2,0,0,0]' \
		'["frame",5,4,4,0,0,0]' '["part"]' "$@" \
		'["stack",2,5,[5]]' '["stack",5,5,[5]]' '["end"]'
}

# The sums of a callgrind file: "call a b COUNT COST", "self a COST".
says()
{
	"$CGCONV" -q -t callgrind "$@" | perl tests/oracle/callgrind.pl - |
		awk -F '\t' '$1 == "call" { print $1, $5, $12, $15, $16 }
			$1 == "self" { print $1, $5, $9 }'
}

@test "stacks: the second level of a recursive function is a function of its own" {
	recursion >"$dir/in"
	says "$dir/in" >"$dir/got"
	cat >"$dir/want" <<-END
	call a b 5 samples=5
	call a'2 c 5 samples=5
	call b a'2 5 samples=5
	call main a 10 samples=10
	self a samples=5
	self c samples=5
	END
	same "$dir/want" "$dir/got"
}

@test "stacks: --separate-recs 1 does not split levels, 3 splits three" {
	recursion >"$dir/in"
	says --separate-recs 1 --no-spontaneous "$dir/in" >"$dir/got"
	cat >"$dir/want" <<-END
	call a b 5 samples=5
	call a c 5 samples=5
	call b a 5 samples=5
	call main a 10 samples=10
	self a samples=5
	self c samples=5
	END
	same "$dir/want" "$dir/got"
	recursion '["frame",6,5,2,0,0,0]' '["frame",7,6,2,0,0,0]' \
		'["stack",7,1,[1]]' >"$dir/in"
	says --separate-recs 3 "$dir/in" | grep "self a'3 samples=1"
	says --separate-recs=9 "$dir/in" | grep "call a'3 a'4 1 samples=1"
	refuses 2 'expected 1 or more' -t callgrind --separate-recs 0 "$dir/in"
}

@test "stacks: calls of many levels stay separate when a run is merged" {
	perl -e 'my $x = 1; my $of = shift;
		sub any { $x = ($x * 1103515245 + 12345) % 2**31;
			return ($x >> 16) % $_[0] }
		open(my $in, ">", $of) or die;
		for (1 .. 20000) {
			my @stack = map { "f" . any(12) } 0 .. 3 + any(10);
			print $in join(";", @stack), " 1\n";
			my (%level, %edge, $caller);
			for my $fn (@stack) {
				my $n = ++$level{$fn};
				$n = 5 if $n > 5;
				my $callee = $n > 1 ? "$fn\x27$n" : $fn;
				$edge{"$caller $callee"} = 1 if $caller;
				$caller = $callee;
			}
			$calls{$_}++ for keys %edge;
		}
		print "call $_ $calls{$_} samples=$calls{$_}\n"
			for keys %calls' "$dir/in" | LC_ALL=C sort >"$dir/want"
	says -f folded --no-spontaneous --separate-recs 5 "$dir/in" | grep "^call f" |
		LC_ALL=C sort >"$dir/got"
	same "$dir/want" "$dir/got"
}

@test "stacks: the output states that calls are counted in samples" {
	recursion >"$dir/in"
	"$CGCONV" -q -t callgrind "$dir/in" >"$dir/out"
	grep -x 'desc: Call counts: numbers of samples' "$dir/out"
	# Real counts are called calls.
	sed 's/^\["stack",\(.\),5/["stack",\1,0/' "$dir/in" >"$dir/zero"
	"$CGCONV" -q -t callgrind "$dir/zero" >"$dir/out"
	not grep 'desc: Call counts' "$dir/out"
	says "$dir/zero" | grep -x 'call a b 0 samples=5'
}

# Converts to FORMAT a profile whose calls are counted in samples, and the same
# profile with real counts.
both_counts()
{
	recursion >"$dir/in"
	sed 's/^\["stack",\(.\),5/["stack",\1,0/' "$dir/in" >"$dir/zero"
	"$CGCONV" -q -t "$@" "$dir/in" >"$dir/sampled"
	"$CGCONV" -q -t "$@" "$dir/zero" >"$dir/counted"
}

@test "stacks: other outputs with call counts state it, too" {
	both_counts dot
	not grep -F '×' "$dir/sampled" # numbers of samples are no calls
	"$CGCONV" -q -t dot samples/callgrind/plain/callgrind.out | grep -qF '×'
	both_counts graphml
	[ "$(grep -c 'attr.name="calls (samples)" attr.type="long"' \
		"$dir/sampled")" = 2 ]
	not grep -F 'calls (samples)' "$dir/counted"
	while read -r table calls; do
		both_counts csv --table "$table"
		head -n 1 "$dir/sampled" | grep -F ",function,$calls (samples),"
		head -n 1 "$dir/counted" | grep -F ",function,$calls,"
	done <<-END
		flat calls by others
		calls calls
	END
	"$CGCONV" --info "$dir/in" | grep '^ *Call counts: numbers of samples$'
	"$CGCONV" --info "$dir/zero" >"$dir/info"
	not grep -F 'Call counts' "$dir/info"
	"$CGCONV" -t gprof --exe samples/pprof/addresses/prog -o "$dir/gmon.out" \
		samples/pprof/addresses/work.pb.gz 2>"$dir/err"
	grep 'cannot represent that counts of calls are numbers of samples' "$dir/err"
	# The statement survives JSON, merging and a difference.
	"$CGCONV" -q -t callgrind "$dir/in" | "$CGCONV" -q -t json >"$dir/calls"
	grep -F '"Call counts","numbers of samples"' "$dir/calls"
	"$CGCONV" -q -t callgrind "$dir/calls" "$dir/zero" |
		grep -x 'desc: Call counts: numbers of samples'
	"$CGCONV" -q --diff -t json "$dir/zero" "$dir/calls" |
		grep -F '"Call counts","numbers of samples"'
}

@test "stacks: calls of sampled profiles are counted in samples, or known" {
	for file in $(samples); do
		case $file in
		samples/callgrind/* | samples/json/* | *.dir/*) continue ;;
		esac
		# shellcheck disable=SC2046 # two words or none
		"$CGCONV" -q -t callgrind --clamp $(exe_of "$file") "$file" \
			>"$dir/out" || continue
		grep -q '^calls=[1-9]' "$dir/out" || continue
		case $file in
		# Calls that were counted as they were made.
		samples/gprof/* | samples/gprof-text/* | samples/gcov*/* | \
		samples/lcov/* | samples/clover/* | samples/jacoco/* | samples/llvm-*/* | \
		samples/istanbul/* | samples/coveragepy/* | samples/coveralls/* | \
		samples/dotnet/* | samples/simplecov/* | samples/scoverage/* | \
		samples/coverlet/* | samples/v8/* | samples/xccov/* | \
		samples/ctc/* | samples/bullseye/* | \
		samples/axe/* | samples/ghc/* | samples/xdebug/* | \
		samples/d-trace/* | samples/fprof/* | samples/eprof/* | \
		samples/sb-sprof/* | samples/tau/* | samples/xray/* | \
		samples/perfetto/sdk/* | \
		samples/hprof/sites/* | \
		samples/pstats/* | samples/xhprof/* | \
		samples/trace-event/c[al]* | samples/trace-event/node/*)
			not grep -F 'desc: Call counts:' "$dir/out" ;;
		*) grep -qx 'desc: Call counts: numbers of samples' "$dir/out" ;;
		esac || { echo "$file"; return 1; }
		echo "$file" >>"$dir/seen"
	done
	[ "$(cut -d/ -f2 "$dir/seen" | sort -u | wc -l)" -ge 20 ]
}

@test "stacks: KCachegrind shows each function with its self cost and its calls" {
	for file in $(samples); do
		case $file in
		samples/callgrind/* | *.dir/*) continue ;; # stay as they are
		# By hand: calls without all events, costs of calls without counts.
		samples/oprofile-xml/modules/* | samples/json/lines/*) continue ;;
		samples/pstats/*) continue ;; # times of callees overlap by recursion
		esac
		# shellcheck disable=SC2046 # two words or none
		"$CGCONV" -q -t callgrind --clamp $(exe_of "$file") "$file" \
			>"$dir/out" || continue
		grep -q '^calls=[1-9]' "$dir/out" || continue
		perl tests/oracle/callgrind.pl "$dir/out" >"$dir/rows"
		perl tests/oracle/kcachegrind.pl "$dir/rows" >"$dir/less"
		[ ! -s "$dir/less" ] || { echo "$file"; head "$dir/less"; return 1; }
		echo "$file" >>"$dir/seen"
	done
	[ "$(cut -d/ -f2 "$dir/seen" | sort -u | wc -l)" -ge 20 ]
}

@test "stacks: samples do not add to entries that coverage has counted" {
	# main() was entered once, and begins six samples.
	"$CGCONV" -q -t lcov samples/json/lines/lines.cgj | grep -x 'FNDA:1,main'
	printf '%s\n' 'main;work 5' 'main 2' >"$dir/in.folded"
	printf '%s\n' 'SF:a.c' 'FN:3,main' 'FNDA:1,main' 'DA:3,1' end_of_record \
		>"$dir/in.info"
	"$CGCONV" -q -t lcov "$dir/in.folded" "$dir/in.info" | grep -x 'FNDA:1,main'
}

@test "stacks: a function that is first on some stacks and called on others has a caller" {
	recursion '["frame",6,0,3,0,0,0]' '["stack",6,3,[3]]' >"$dir/in"
	says "$dir/in" >"$dir/got"
	grep -xF 'call (<spontaneous>) b 3 samples=3' "$dir/got"
	grep -xF 'call (<spontaneous>) main 10 samples=10' "$dir/got"
}

@test "stacks: inclusive costs are right with and without cycles" {
	"$CGCONV" --info samples/json/stacks/stacks.cgj >"$dir/got"
	grep '^Contains .* stacks' "$dir/got"
	grep -E '^ +16 +100.00% +10 .* a <cycle 1> ' "$dir/got"
	grep -E '^ +11 +68.75% +0 .* b <cycle 1> ' "$dir/got"
	grep -E '^ +13 +81.25% +0 .* main ' "$dir/got"
	grep -E '^ +3 +18.75% +1 .* small <cycle 1> ' "$dir/got"
}

@test "stacks: converts stacks to calls" {
	golden samples/json/stacks/stacks.cgj callgrind
	golden samples/json/stacks/stacks.cgj callgrind --separate-recs 1
}

@test "stacks: the output does not depend on the order of stacks" {
	recursion >"$dir/a"
	recursion '["frame",6,0,3,0,0,0]' '["stack",6,3,[3]]' >"$dir/b"
	"$CGCONV" -q -t json "$dir/a" "$dir/b" >"$dir/one"
	"$CGCONV" -q -t json "$dir/b" "$dir/a" >"$dir/two"
	same "$dir/one" "$dir/two"
}

# "a 7 and -3", "b -4" at its own line, called by a.
signed()
{
	printf '%s\n' '{"cgconv":"graph","version":1}' \
		'["event",0,"samples","","","stated",true]' '["event",1,"n"]' \
		'["function",1,"a",0,0]' '["function",2,"b",0,0]' \
		'["frame",1,0,1,0,1,0]' '["frame",2,0,1,0,2,0]' \
		'["frame",3,1,2,0,9,0]' '["part"]' '["stack",1,1,[7,1]]' \
		'["stack",2,1,[-3,1]]' '["stack",3,1,[-4,1]]' \
		'["stack",3,1,[1]]' '["end"]'
}

@test "stacks: negative costs are rejected, or written as 0 with --clamp" {
	signed >"$dir/in"
	refuses 3 'negative costs, and the input has some (--clamp writes them as 0)' \
		-t callgrind "$dir/in"
	refuses 3 'negative costs' -t callgrind --clamp --strict "$dir/in"
	"$CGCONV" --clamp -t callgrind "$dir/in" >"$dir/out" 2>"$dir/err"
	grep 'negative costs are written as 0; lost: 6 of samples$' \
		"$dir/err"
	grep -x 'totals: 7 3' "$dir/out"
	says --clamp "$dir/in" >"$dir/got"
	cat >"$dir/want" <<-END
	call a b 2 n=1
	self a n=1
	self a samples=7
	self b n=1
	END
	sort "$dir/got" | diff "$dir/want" -
	# Formats with negative costs keep them.
	"$CGCONV" --clamp -t json "$dir/in" >"$dir/out" 2>"$dir/err"
	grep -xF '["total",[1,3]]' "$dir/out"
	not grep -q 'below' "$dir/err"
}

@test "stacks: calls become stacks only with --guess-stacks" {
	in=samples/callgrind/plain/callgrind.out
	refuses 3 'needs stacks; the input has none (--guess-stacks' \
		-t folded "$in"
	"$CGCONV" -t folded --guess-stacks "$in" >"$dir/out" 2>"$dir/err"
	grep 'stacks are an estimate from calls' "$dir/err"
	# Costs are conserved.
	want=$("$CGCONV" -q -t callgrind "$in" | sed -n 's/^totals: //p')
	[ "$(awk '{ sum += $NF } END { print sum }' "$dir/out")" = "$want" ]
	# Stacks that are certain are restored.
	recursion >"$dir/in"
	"$CGCONV" -q -t callgrind "$dir/in" |
		"$CGCONV" -q -t folded --guess-stacks - >"$dir/out"
	printf '%s\n' '# Stacks: estimated from calls' 'main;a 5' \
		"main;a;b;a'2;c 5" | diff "$dir/out" -
}

# A function with a light and a heavy line, called by a (5/9) and b (4/9).
two_callers()
{
	printf '%s\n' 'events: n' 'fn=main' '1 0' 'cfn=a' 'calls=5 1' '1 500005' \
		'cfn=b' 'calls=4 1' '2 400004' 'fn=a' 'cfn=f' 'calls=5 1' '3 500005' \
		'fn=b' 'cfn=f' 'calls=4 1' '4 400004' 'fn=f' '7 900000' '8 9'
}

@test "stacks: positions are guessed only where the target has a place for them" {
	two_callers >"$dir/in"
	guess() { "$CGCONV" -q --guess-stacks -t "$@"; }
	guess folded "$dir/in" | grep -v '^#' >"$dir/out"
	printf '%s\n' 'main;a;f 500005' 'main;b;f 400004' | diff - "$dir/out"
	# The light line goes to the heavier path alone.
	guess pprof "$dir/in" | "$CGCONV" -q -t json - >"$dir/out.cgj"
	"$CGCONV" -q -t folded "$dir/out.cgj" | grep -v '^#' >"$dir/out"
	printf '%s\n' 'main;a;f 500009' 'main;b;f 400000' | diff - "$dir/out"
}

@test "stacks: an overflow is not reported as out of memory" {
	max=18446744073709551615
	printf '%s\n' '{"cgconv":"graph","version":1}' '["event",0,"n"]' \
		'["function",1,"f",0,0]' '["function",2,"g",0,0]' '["rows",1]' \
		"[\"call\",0,1,0,2,0,0,1,[$max]]" \
		"[\"call\",0,2,0,2,0,0,1,[$max]]" '["end"]' >"$dir/in"
	# Functions with the same rows need no sums to be compared.
	"$CGCONV" -q --verify "$dir/in" "$dir/in"
	sed 's/"call",0,2,0,2,0,0,1/"call",0,2,0,2,0,0,2/' "$dir/in" >"$dir/other"
	not "$CGCONV" --verify "$dir/in" "$dir/other" >/dev/null 2>"$dir/err"
	grep -q 'exceeds 64 bits' "$dir/err"
	not "$CGCONV" --info "$dir/in" 2>"$dir/err"
	[ "$(wc -l <"$dir/err")" -eq 1 ]
}

@test "stacks: an inclusive cost beyond 64 bits is an error, if all costs are within" {
	# The total is 0; f has 2 * 9e18, below two functions.
	printf '%s\n' '{"cgconv":"graph","version":1}' \
		'["event",0,"n","","","stated",true]' '["function",1,"a",0,0]' \
		'["function",2,"b",0,0]' '["function",3,"f",0,0]' \
		'["function",4,"g",0,0]' '["function",5,"h",0,0]' \
		'["frame",1,0,1,0,0,0]' '["frame",2,1,3,0,0,0]' \
		'["frame",3,2,4,0,0,0]' '["frame",4,0,2,0,0,0]' \
		'["frame",5,4,3,0,0,0]' '["frame",6,5,5,0,0,0]' \
		'["part",0,0,0,""]' '["stack",3,1,[9000000000000000000]]' \
		'["stack",1,1,[-9000000000000000000]]' \
		'["stack",6,1,[9000000000000000000]]' \
		'["stack",4,1,[-9000000000000000000]]' '["end"]' >"$dir/in"
	"$CGCONV" -t json -o "$dir/out" "$dir/in"
	refuses 1 'the sum of costs or samples of a function exceeds 64 bits' \
		-t callgrind "$dir/in"
}

@test "stacks: a sample counts once for a function that several others call" {
	printf '%s\n' 'main;f;g;f 3' 'main;g;f;g 2' 'f;g;main 4' 'f;f 8' \
		>"$dir/in.folded"
	"$CGCONV" -q -t csv --table flat "$dir/in.folded" |
		cut -d, -f 3,4 | grep -v '<cycle' | sort >"$dir/out"
	# main calls f in 3 samples, g in 5; main is called in 4.
	printf '%s\n' f,5 'function,calls by others (samples)' g,9 main,4 |
		sort >"$dir/want"
	same "$dir/want" "$dir/out"
	for from in 1 2 3; do
		cat "$dir/in.folded"
	done >"$dir/three.folded"
	"$CGCONV" -q --info --json -j 3 "$dir/three.folded" "$dir/in.folded" |
		grep -o '"name":"[fgm][^}]*"calls":[0-9]*' |
		sed 's/"name":"\([a-z]*\).*:/\1 /' | sort >"$dir/out"
	printf '%s\n' 'f 20' 'g 36' 'main 16' >"$dir/want"
	same "$dir/want" "$dir/out"
}

@test "stacks: samples and calls of one part add up" {
	printf 'main;f;g;f 3\n' >"$dir/in.folded"
	"$CGCONV" -q -t csv --table flat "$dir/in.folded" \
		samples/callgrind/plain/callgrind.out |
		cut -d, -f 3,4 | grep -E '^(f|g|fib|loop),' | sort >"$dir/out"
	printf '%s\n' f,3 fib,1 g,3 loop,5 | sort >"$dir/want"
	same "$dir/want" "$dir/out"
}

@test "stacks: guessed stacks are marked in every format of stacks" {
	in=samples/callgrind/plain/callgrind.out
	for to in folded pprof speedscope svg; do
		"$CGCONV" -q -t "$to" --guess-stacks "$in" -o "$dir/$to"
		grep -qa 'estimated from calls' "$dir/$to"
		# It stays said, whatever becomes of it.
		[ "$to" = svg ] && continue
		for then in folded pprof speedscope json; do
			"$CGCONV" -q -t "$then" "$dir/$to" |
				grep -qa 'estimated from calls'
		done
	done
	grep -F '"name":"Ir of ' "$dir/speedscope" |
		grep -F ' (estimated from calls)"'
}

@test "stacks: more distinct calls than are summed at once add up" {
	cd "$BATS_TEST_TMPDIR"
	awk 'BEGIN {
		srand(1)
		for (i = 0; i < 120000; i++)
			printf "main;a%d;b%d;c%d %d\n", int(rand() * 900),
			    int(rand() * 900), i % 7, i % 9 + 1
	}' >in.folded
	awk -F '[; ]' '{
		calls["main," $2] += $5; calls[$2 "," $3] += $5
		calls[$3 "," $4] += $5
	} END { for (c in calls) print c "," calls[c] }' in.folded |
		LC_ALL=C sort >want
	[ "$(wc -l <want)" -gt 100000 ]
	"$CGCONV" -q -t csv --table calls in.folded | tr -d '\r' |
		awk -F, 'NR > 1 { print $3 "," $7 "," $9 }' | LC_ALL=C sort >out
	same want out
}

@test "stacks: the memory of an estimate does not grow with paths that it drops" {
	case ${CFLAGS-} in *-fsanitize*) skip "sanitizers reserve memory" ;; esac
	# 200 functions in each of 4 layers, each calls 150 of the next one.
	awk 'BEGIN {
		print "events: Ir"
		for (l = 0; l < 4; l++)
			for (f = 0; f < 200; f++) {
				print "fn=f" l "_" f "\n1 1"
				for (k = 0; l < 3 && k < 150; k++)
					print "cfn=f" l + 1 "_" (f + k) % 200 \
						"\ncalls=1 1\n1 1000000"
			}
	}' >"$BATS_TEST_TMPDIR/in"
	(ulimit -v 150000 && "$CGCONV" -q -j1 --guess-stacks -t folded \
		"$BATS_TEST_TMPDIR/in" -o "$BATS_TEST_TMPDIR/out")
	# All of the 800 instructions are there.
	[ "$(awk '{ n += $NF } END { print n }' "$BATS_TEST_TMPDIR/out")" -eq 800 ]
}

# Three profiles of 60,000 nodes: each is folded before the next one is read. Some
# functions call themselves.
make_speedscope()
{
	awk 'BEGIN {
		printf "{\"$schema\":\"https://www.speedscope.app/" \
			"file-format-schema.json\",\"shared\":{\"frames\":["
		for (i = 0; i < 900; i++)
			printf "%s{\"name\":\"f%d\"}", i ? "," : "", i
		printf "]},\"profiles\":["
		for (p = 0; p < 3; p++) {
			printf "%s{\"type\":\"sampled\",\"name\":\"p%d\"," \
				"\"unit\":\"none\",\"samples\":[", p ? "," : "", p
			for (i = 0; i < 12000; i++) {
				printf "%s[%d", i ? "," : "", i % 300
				for (d = 0; d < 5; d++) {
					x = (x * 69069 + 5) % 4294967296
					printf ",%d", p * 300 + int(x / 65536) % 300
				}
				printf "]"
			}
			printf "],\"weights\":["
			for (i = 0; i < 12000; i++)
				printf "%s%d", i ? "," : "", i % 7
			printf "]}"
		}
		print "]}"
	}'
}

@test "stacks: those that are folded in steps become the same calls" {
	make_speedscope >"$tmp/in"
	for levels in 1 2 3; do
		"$CGCONV" -q -t callgrind --separate-recs "$levels" "$tmp/in" >"$tmp/out"
		# All of them at the end, to tell what is lost.
		"$CGCONV" -q -v -t callgrind --separate-recs "$levels" \
			"$tmp/in" 2>"$tmp/err" | cmp - "$tmp/out"
	done
	grep -q "'3\$" "$tmp/out"
	# All samples are more than 64 bits hold, those of a part are not.
	sed 's/"weights":\[0,/"weights":[12000000000000000000,/g' \
		"$tmp/in" >"$tmp/large"
	"$CGCONV" -q -t callgrind "$tmp/large" >"$tmp/out"
	[ "$(grep -c '^summary: 120000000000000' "$tmp/out")" -eq 3 ]
}

# Three threads with tables of their own, of 40,000 stacks, which bring functions;
# the first thread and the last one share the profile's tables.
make_firefox()
{
	awk 'function table(t, n, i) {
		printf "\"stringArray\":["
		for (i = 0; i < 200; i++)
			printf "%s\"f%d\"", i ? "," : "", i + t * 50
		printf "],\"frameTable\":{\"length\":200,\"func\":["
		for (i = 0; i < 200; i++)
			printf "%s%d", i ? "," : "", i
		printf "]},\"funcTable\":{\"length\":200,\"name\":["
		for (i = 0; i < 200; i++)
			printf "%s%d", i ? "," : "", i
		printf "]},\"stackTable\":{\"length\":%d,\"frame\":[", n
		for (i = 0; i < n; i++) {
			x = (x * 69069 + 5) % 4294967296
			printf "%s%d", i ? "," : "", int(x / 65536) % 200
		}
		printf "],\"prefix\":["
		for (i = 0; i < n; i++)
			printf "%s%s", i ? "," : "", i % 5 ? i - 1 : "null"
		printf "]}"
	}
	function thread(t, n, i) {
		printf "%s{\"name\":\"t%d\",\"pid\":7,\"tid\":%d,", \
			t ? "," : "", t, 10 + t
		printf "\"samples\":{\"length\":%d,\"stack\":[", n / 5
		for (i = 4; i < n; i += 5)
			printf "%s%d", (i > 4 ? "," : ""), i
		printf "],\"time\":["
		for (i = 0; i < n / 5; i++)
			printf "%s%d", i ? "," : "", i
		printf "],\"weightType\":\"samples\"}"
	}
	BEGIN {
		printf "{\"meta\":{\"version\":27,\"interval\":1," \
			"\"preprocessedProfileVersion\":45,\"startTime\":0," \
			"\"product\":\"Firefox\"},\"shared\":{"
		table(4, 100)
		printf "},\"threads\":["
		thread(0, 100)
		print "}"
		for (t = 1; t < 4; t++) {
			thread(t, 40000)
			printf ","
			table(t, 40000)
			print "}"
		}
		thread(4, 100)
		print "}]}"
	}'
}

@test "stacks: those of Firefox's own and shared tables are folded in steps" {
	make_firefox >"$tmp/in"
	"$CGCONV" -q -t callgrind --part-by tid "$tmp/in" >"$tmp/out"
	"$CGCONV" -q -v -t callgrind --part-by tid "$tmp/in" 2>"$tmp/err" |
		cmp - "$tmp/out"
	grep '^summary: ' "$tmp/out" | sort | uniq -c | same - <(printf '%s\n' \
		"      2 summary: 20" "      3 summary: 8000")
}
