# merge.bats - merging is commutative and associative; sums beyond 64 bits are
# errors.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# add OUT IN...: merges all inputs in one run.
add()
{
	local out=$1

	shift
	"$CGCONV" -q -t "$format" -o "$out" "$@"
}

# costs FILE: prints the JSON of FILE without the names of inputs.
costs()
{
	"$CGCONV" -q -t json "$1" | grep -v '^\["\(part\|desc\|end\)"\|^{'
}

# is_sum FORMAT FILE FILE FILE FILE: merging gives the same result in each order
# and each grouping.
is_sum()
{
	local a=$2 b=$3 c=$4 d=$5 i=0 order

	format=$1
	add "$dir/all" "$a" "$b" "$c" "$d"
	costs "$dir/all" >"$dir/want"
	[ -s "$dir/want" ]
	for order in "$b $a $c $d" "$d $c $b $a" "$c $a $d $b" "$b $d $a $c"; do
		# shellcheck disable=SC2086 # four words
		add "$dir/got" $order
		costs "$dir/got" | same "$dir/want" -
	done
	for order in "$a $b $c $d" "$c $a $d $b" "$d $c $b $a"; do
		# shellcheck disable=SC2086 # four words
		set -- $order
		# ((ab)c)d
		add "$dir/ab" "$1" "$2"
		add "$dir/abc" "$dir/ab" "$3"
		add "$dir/got" "$dir/abc" "$4"
		costs "$dir/got" | same "$dir/want" -
		# (ab)(cd)
		add "$dir/cd" "$3" "$4"
		add "$dir/got" "$dir/ab" "$dir/cd"
		costs "$dir/got" | same "$dir/want" -
		# a((bc)d)
		add "$dir/bc" "$2" "$3"
		add "$dir/bcd" "$dir/bc" "$4"
		add "$dir/got" "$1" "$dir/bcd"
		costs "$dir/got" | same "$dir/want" -
		i=$((i + 1))
	done
	[ "$i" -eq 3 ]
}

# scaled FILE TO FACTOR...: folded stacks, some of them times a factor.
scaled()
{
	awk -v n="$2" '{ cost = $NF; sub(/ [0-9]+$/, "") }
		(NR + n) % 3 { print $0, cost * (1 + NR % (n + 2)) }' "$1"
}

four_folded()
{
	"$CGCONV" -q -t folded samples/pprof/cpu/cpu.pb.gz >"$dir/folded"
	for n in 1 2 3 4; do
		scaled "$dir/folded" "$n" >"$dir/$n.folded"
		"$CGCONV" -q -t "$1" -o "$dir/$n.in" "$dir/$n.folded"
	done
	is_sum "$1" "$dir/1.in" "$dir/2.in" "$dir/3.in" "$dir/4.in"
}

@test "merge: sums stacks" {
	four_folded folded
}

@test "merge: sums pprof" {
	four_folded pprof
}

@test "merge: sums stacks in json" {
	four_folded json
}

@test "merge: sums callgrind, with lines, instructions, jumps, recursion" {
	file=samples/callgrind
	is_sum callgrind $file/plain/callgrind.out \
		$file/instr-jumps/callgrind.out $file/parts/callgrind.out \
		$file/callers/callgrind.out
}

# With --separate-threads=yes Callgrind leaves an empty file of the process.
@test "merge: an empty file next to those of its threads is skipped" {
	local from=samples/callgrind/threads out=$dir/callgrind.out

	cp $from/callgrind.out-0? "$dir"
	: >"$out"
	"$CGCONV" -t json "$out" "$out"-0? >"$dir/got" 2>"$dir/err"
	grep "note: skipped $out: it is empty" "$dir/err"
	"$CGCONV" -q -t json "$out"-0? | same - "$dir/got"
	refuses 1 "$out: error: the file is empty" "$out"
}

# A test that ran nothing may leave an empty file.
@test "merge: empty files among others are skipped, with and without workers" {
	printf 'TN:\nSF:a.c\nDA:1,1\nend_of_record\n' >"$dir/a.info"
	cp "$dir/a.info" "$dir/d.info"
	: >"$dir/b.info"
	gzip -c <"$dir/b.info" >"$dir/c.info"
	"$CGCONV" -q -o "$dir/want" -t json "$dir/a.info" "$dir/d.info"
	"$CGCONV" -t json "$dir/"[abcd].info 2>"$dir/err" | same - "$dir/want"
	[ "$(grep -c 'warning: skipped: the file is empty' "$dir/err")" = 2 ]
	"$CGCONV" -j 2 -o "$dir/got" -t json "$dir/"[abcd].info 2>"$dir/err"
	same "$dir/got" "$dir/want"
	grep -q '2 converted, 0 failed, 2 skipped' "$dir/err"
	(cd "$dir" && tar cf all.tar [abcd].info)
	"$CGCONV" -q -o "$dir/got" -t json "$dir/all.tar"
	same "$dir/got" "$dir/want"
	refuses 1 "all inputs are empty" "$dir/b.info" "$dir/c.info"
	refuses 1 "no input contains a profile" -j 2 -o "$dir/no.json" \
		"$dir/b.info" "$dir/c.info"
}

@test "merge: sums callgrind through json" {
	file=samples/callgrind
	is_sum json $file/names/callgrind.out $file/nocompress/callgrind.out \
		$file/threads/callgrind.out-01 $file/mangled/callgrind.out
}

@test "merge: sums gmon.out of several runs" {
	runs=samples/gprof/runs
	for n in 1 2 3; do
		"$CGCONV" -q --exe $runs/prog -t gprof -o "$dir/$n.gmon" \
			$runs/gmon.out.$n
	done
	cp "$dir/2.gmon" "$dir/4.gmon"
	is_sum gprof "$dir/1.gmon" "$dir/2.gmon" "$dir/3.gmon" "$dir/4.gmon"
}

# Descriptions that are true of one input only.
@test "merge: drops numbers of one input" {
	for time in 10 20; do
		printf '%s\n' "desc: Timerange: Basic block 0 - $time" \
			"desc: Trigger: Program termination" "events: Ir" \
			"fn=f" "1 2" >"$dir/$time.cg"
	done
	"$CGCONV" -q -t callgrind "$dir/10.cg" | grep -x 'desc: Timerange.* 10'
	"$CGCONV" -q -t callgrind "$dir/10.cg" "$dir/10.cg" >"$dir/sum"
	not grep Timerange "$dir/sum"
	"$CGCONV" -q -t callgrind "$dir/sum" "$dir/20.cg" >"$dir/sum2"
	not grep Timerange "$dir/sum2"
	grep -cx 'desc: Trigger: Program termination' "$dir/sum2"
	"$CGCONV" -q --parts -t callgrind "$dir/10.cg" "$dir/20.cg" >"$dir/parts"
	[ "$(grep -c Timerange "$dir/parts")" = 2 ]
}

@test "merge: drops the number of runs of a unit" {
	mkdir "$dir/1" "$dir/2"
	cp samples/gcov/gcc-c/cover.gc* "$dir/1"
	cp samples/gcov/gcc-c/cover.gc* "$dir/2"
	"$CGCONV" -q -t gcov-text "$dir/1/cover.gcda" | grep ' 0:Runs:2'
	"$CGCONV" -q -t gcov-text "$dir/1/cover.gcda" "$dir/2/cover.gcda" \
		>"$dir/sum"
	not grep Runs "$dir/sum"
}

@test "merge: sums coverage" {
	set --
	for n in 1 2 3 4; do
		awk -v n=$n '/^DA:/ { split($0, f, /[:,]/)
			print "DA:" f[2] "," f[3] * n + NR % n; next } 1' \
			samples/lcov/geninfo-1.16/coverage.info >"$dir/$n.info"
		set -- "$@" "$dir/$n.info"
	done
	is_sum lcov "$@"
}

# coverage_of FILE...: prints the sums of all records of tracefiles.
coverage_of()
{
	awk -F '[:,]' '/^SF/ { file = $2 }
		/^DA/ { sum["DA " file " " $2] += $3 }
		/^FNDA/ { sum["FNDA " file " " $3] += $2 }
		/^BRDA/ { sum["BRDA " file " " $2 " " $3 " " $4] += $5 }
		/^BRDA/ && $5 == "-" { sum["BRDA " file " " $2 " " $3 " " $4] += 0 }
		END { for (key in sum) print key, sum[key] }' "$@" | LC_ALL=C sort
}

# Tests have some of the files each, later ones lines that no test before had,
# in functions that contain others.
@test "merge: sums the coverage of many tests" {
	cd "$dir"
	for n in $(seq 1 24); do
		awk -v n="$n" 'BEGIN {
			for (file = n % 3; file < 9; file += 1 + n % 2) {
				print "TN:\nSF:/src/" file ".c"
				for (f = 0; f < 5; f++) {
					print "FN:" 10 * f + 1 "," 10 * f + 25 ",f" f
					print "FNDA:" (n * f) % 7 ",f" f
				}
				for (i = 1; i < 40 + n; i++)
					if (i % 5 != n % 5 || i > 45)
						print "DA:" i "," (n * i) % 11
				for (i = 3; i < 30 + n; i += 3)
					for (b = 0; b < 2 + (n > 12); b++)
						print "BRDA:" i ",0," b "," \
							(b == n % 3 ? "-" : n * i % 13)
				print "end_of_record"
			}
		}' >"t$n.info"
	done
	coverage_of t?.info t??.info >want
	[ "$(wc -l <want)" -gt 1000 ]
	"$CGCONV" -q -o sum.info t?.info t??.info
	coverage_of sum.info | same want -
	"$CGCONV" -q -j 2 --force -o batch.info t?.info t??.info
	same sum.info batch.info
	for to in json cobertura; do
		"$CGCONV" -q -t "$to" t?.info t??.info |
			sed 's/timestamp="[0-9]*"//' >one
		"$CGCONV" -q -t json -o a.cgj t?.info
		"$CGCONV" -q -t json -o b.cgj t??.info
		"$CGCONV" -q -t "$to" a.cgj b.cgj |
			sed 's/timestamp="[0-9]*"//' >two
		same one two
	done
}

# overflows MESSAGE FILE FILE: merging fails in both orders and keeps an older
# output.
overflows()
{
	echo old >"$dir/out"
	for format in json callgrind; do
		refuses 1 "$1" -t "$format" -o "$dir/out" "$2" "$3"
		refuses 1 "$1" -t "$format" -o "$dir/out" "$3" "$2"
	done
	[ "$(cat "$dir/out")" = old ]
}

@test "merge: a sum beyond 64 bits is an error" {
	most=18446744073709551615
	echo "a;b $most" >"$dir/a"
	echo 'a;b 1' >"$dir/b"
	echo 'c;d 1' >"$dir/c"
	overflows 'the sum of costs exceeds 64 bits' "$dir/a" "$dir/b"
	# The total has to fit as well.
	overflows 'the sum of costs exceeds 64 bits' "$dir/a" "$dir/c"
	# Grouped so that the first sum still fits.
	echo 'a;b 9223372036854775807' >"$dir/half"
	"$CGCONV" -q -t json "$dir/half" "$dir/half" -o "$dir/two.cgj"
	"$CGCONV" -q -t json "$dir/two.cgj" "$dir/b" -o "$dir/full.cgj"
	grep -q "$most" "$dir/full.cgj"
	overflows 'the sum of costs exceeds 64 bits' "$dir/full.cgj" \
		"$dir/b"
	for n in $most 1; do
		printf 'events: Ir\nfn=f\n1 0\ncfn=g\ncalls=%s 1\n1 5\n' "$n" \
			>"$dir/calls.$n"
		printf 'events: Ir\nfn=f\n1 0\ncfn=g\ncalls=1 1\n1 %s\n' "$n" \
			>"$dir/cost.$n"
		printf 'events: Ir\nfn=f\n1 0\njcnd=%s/%s 3\n1\n' "$n" "$n" \
			>"$dir/jumps.$n"
	done
	overflows 'exceeds 64 bits' "$dir/calls.$most" \
		"$dir/calls.1"
	overflows 'exceeds 64 bits' "$dir/cost.$most" \
		"$dir/cost.1"
	refuses 1 'exceeds 64 bits' -t callgrind \
		"$dir/jumps.$most" "$dir/jumps.1"
	# Each number minus one fits.
	echo 'a;b 18446744073709551614' >"$dir/a"
	"$CGCONV" -q -t json "$dir/a" "$dir/b" | grep -q "$most"
}

@test "merge: a sum of signed costs beyond 64 bits is an error" {
	least=-9223372036854775808
	printf 'm;a -9223372036854775807\nm;b 1\nm;c -1\n' >"$dir/a"
	printf 'm;a -1\nm;b -1\n' >"$dir/b"
	printf 'm;b -1\nm;d 5\n' >"$dir/c"
	"$CGCONV" -q -t folded "$dir/a" "$dir/c" >"$dir/out"
	overflows 'the sum of costs exceeds 64 bits' "$dir/a" "$dir/b"
	is_sum folded "$dir/b" "$dir/c" "$dir/b" "$dir/c"
	printf 'm;a -9223372036854775807\n' >"$dir/a"
	printf 'm;a -1\n' >"$dir/b"
	[ "$("$CGCONV" -q -t folded "$dir/a" "$dir/b")" = "m;a $least" ]
}

@test "merge: calls by the unknown caller do not cost parts times functions" {
	# 200,000 functions, each with a part of its own.
	perl -e 'print "{\"cgconv\":\"graph\",\"version\":1}\n",
		"[\"event\",0,\"ns\",\"Time\",\"ns\",\"stated\",false]\n";
		print "[\"function\",$_,\"f$_\",0,0]\n" for 1 .. 200000;
		print "[\"part\",1,$_,0,\"\"]\n[\"rows\",0]\n",
		    "[\"call\",0,0,0,$_,0,0,1,[]]\n[\"rows\",$_]\n",
		    "[\"cost\",0,0,0,[5]]\n" for 1 .. 200000;
		print "[\"end\",{\"records\":1200002}]\n"' >"$BATS_TEST_TMPDIR/in"
	timeout -s KILL 30 "$CGCONV" -q -f json -t callgrind \
		"$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/out"
	[ "$(grep -c '^totals: 5$' "$BATS_TEST_TMPDIR/out")" = 200000 ]
}
