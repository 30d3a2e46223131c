# root-by.bats - frames below stacks that tell whose they are: --root-by, and
# labels of samples that formats without labels know.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	cd "$dir" || return 1
	printf '%s\n' 'aa a  10/11  1.0:  5 cycles: ' \
		'	  401 work+0x1 (/bin/a)' '	  400 main+0x1 (/bin/a)' '' \
		'aa a  10/12  1.1:  2 cycles: ' \
		'	  401 work+0x1 (/bin/a)' '	  400 main+0x1 (/bin/a)' '' \
		'bbb  20/20  1.2:  7 cycles: ' \
		'	  401 work+0x1 (/bin/b)' '	  400 main+0x1 (/bin/b)' '' \
		>two.perf
}

# roots LINE... - standard input has these lines.
roots()
{
	same - <(printf '%s\n' "$@")
}

@test "root-by: folded and svg have the names of commands" {
	"$CGCONV" -q -t folded two.perf | roots 'aa_a;main;work 7' \
		'bbb;main;work 7'
	"$CGCONV" -q -t svg two.perf >out.svg
	grep '<title>aa_a$' out.svg
	"$CGCONV" -q -t folded --no-root-by two.perf | roots 'main;work 14'
	"$CGCONV" -q -t callgrind two.perf >out.cg
	not grep -w bbb out.cg
	# A profile that does not know them has none.
	printf 'main;work 3\n' | "$CGCONV" -q -f folded -t folded |
		roots 'main;work 3'
}

@test "root-by: chooses other frames, the first is the outermost" {
	"$CGCONV" -q -t folded --root-by pid two.perf |
		roots 'pid=10;main;work 7' 'pid=20;main;work 7'
	"$CGCONV" -q -t folded --root-by comm --root-by tid two.perf |
		roots 'aa_a;tid=11;main;work 5' 'aa_a;tid=12;main;work 2' \
			'bbb;tid=20;main;work 7'
	"$CGCONV" -q -t folded --part-by tid --root-by part two.perf |
		roots 'part=1;main;work 5' 'part=2;main;work 2' \
			'part=3;main;work 7'
	# The part knows what its samples do not repeat.
	"$CGCONV" -q -t folded --part-by tid --root-by tid two.perf |
		roots 'tid=11;main;work 5' 'tid=12;main;work 2' \
			'tid=20;main;work 7'
	# A label that is not there makes no frame.
	"$CGCONV" -q -t folded --root-by label:zone two.perf |
		roots 'main;work 14'
	refuses 2 "--root-by: expected comm, pid, tid, cpu, part or label:KEY, not 'x'" \
		--root-by x -t folded two.perf
	refuses 2 '--root-by: at most 8 are possible' -t folded two.perf \
		$(printf -- '--root-by comm %.0s' 1 2 3 4 5 6 7 8 9)
}

@test "root-by: in calls, the command calls main" {
	"$CGCONV" -q -t callgrind --root-by comm two.perf >out.cg
	grep -A5 'aa_a$' out.cg | grep '^calls=2'
	callgrind_annotate --inclusive=yes out.cg | tr -d ',' |
		grep -E '^ *7 \(50.00%\) .*:bbb'
	"$CGCONV" -q --verify --root-by comm two.perf out.cg |
		grep '^Total  cycles  14 = 14'
	"$CGCONV" -q -t dot --root-by comm two.perf | grep -w bbb
}

@test "root-by: labels of pprof and json say the same" {
	for by in json pprof; do
		"$CGCONV" -q -t "$by" two.perf >"by.$by"
		for option in --no-root-by '--root-by comm' '--root-by tid' \
			'--root-by label:pid --root-by label:comm'; do
			# shellcheck disable=SC2086
			"$CGCONV" -q -t folded $option two.perf >want
			# shellcheck disable=SC2086
			"$CGCONV" -q -t folded $option "by.$by" | same want -
		done
		"$CGCONV" -q -t folded two.perf >want
		"$CGCONV" -q -t folded "by.$by" | same want -
		"$CGCONV" --verify two.perf "by.$by"
	done
	# Labels and times are kept where the target has them.
	"$CGCONV" -q -t pprof --root-by comm two.perf -o rooted.pb
	"$CGCONV" -q -t json rooted.pb |
		grep -F '["labels",1,["comm","aa a"],["pid","",10],["tid","",11]]'
	"$CGCONV" -q -t folded --no-root-by rooted.pb | grep '^aa_a;main;work 7'
	"$CGCONV" -t speedscope --root-by comm two.perf 2>&1 >out.json |
		grep 'warning: --root-by drops the order of time'
	refuses 3 '--root-by drops the order of time' --strict -t speedscope \
		--root-by comm --part-by tid two.perf
}

@test "root-by: merged threads are told, not labels of threads" {
	refuses 3 'samples of different threads are merged' --strict -t svg \
		two.perf
	"$CGCONV" -q -t json two.perf >two.json
	refuses 3 'samples of different threads are merged' --strict -t svg \
		two.json
	"$CGCONV" -t svg two.json 2>&1 >out | not grep 'labels'
	# Frames keep them apart.
	"$CGCONV" -v -t svg --root-by tid two.json 2>&1 >out |
		not grep 'different threads'
	"$CGCONV" -v -t svg --root-by tid two.perf 2>&1 >out |
		not grep 'different threads'
}

@test "root-by: --verify and --diff know the frames" {
	"$CGCONV" -q -t folded two.perf >two.folded
	"$CGCONV" --verify two.perf two.folded
	"$CGCONV" --verify two.folded two.perf
	"$CGCONV" -q -t folded --no-root-by two.perf >plain.folded
	"$CGCONV" --verify --no-root-by two.perf plain.folded
	# Other processes run the same command.
	sed 's,10/1,30/3,; s/ 5 cycles/ 6 cycles/' two.perf >after.perf
	"$CGCONV" -q --diff -t folded two.perf after.perf |
		roots 'aa_a;main;work 1'
}

@test "root-by: sums and batches, too" {
	sed 's,bbb  20/20,ccc  40/40,' two.perf >other.perf
	"$CGCONV" -q -t folded two.perf other.perf |
		roots 'aa_a;main;work 14' 'bbb;main;work 7' 'ccc;main;work 7'
	mkdir in
	cp two.perf other.perf in
	"$CGCONV" -q -r -j 2 -t folded -o sum in
	roots 'aa_a;main;work 14' 'bbb;main;work 7' 'ccc;main;work 7' <sum
	"$CGCONV" -q -O out -r -t folded --root-by pid in
	roots 'pid=10;main;work 7' 'pid=40;main;work 7' <"$(find out -name other.folded)"
}

@test "root-by, part-by: cpu, the processor of perf's samples" {
	for cpu in 0 3 0 12; do
		printf 'a 1/1 [%03d] 1.0: 5 cycles:\n\t1 f (/x)\n\n' $cpu
	done >"$dir/in.perf"
	"$CGCONV" -q -t folded --root-by cpu "$dir/in.perf" |
		same - <(printf '%s\n' 'cpu=0;f 10' 'cpu=12;f 5' 'cpu=3;f 5')
	"$CGCONV" -q -t json --root-by cpu "$dir/in.perf" >"$dir/in.cgj"
	"$CGCONV" -q -t callgrind --part-by cpu "$dir/in.perf" >"$dir/out"
	[ "$(grep -E '^(desc: label|desc: cpu|totals)' "$dir/out" |
		paste -sd,)" = "$(paste -sd, <<-'W'
	desc: cpu: 0
	totals: 10
	desc: cpu: 3
	totals: 5
	desc: cpu: 12
	totals: 5
	W
	)" ]
	"$CGCONV" -q -t pprof --part-by cpu "$dir/in.perf" -o "$dir/out.pb"
	"$CGCONV" -q -t json --root-by cpu "$dir/in.perf" | grep -q '"cpu"'
	# Not otherwise: stacks would be there for each processor.
	"$CGCONV" -q -t json "$dir/in.perf" >"$dir/out"
	not grep -q cpu "$dir/out"
	# Without processors there is no frame.
	sed 's/ \[[0-9]*\]//' "$dir/in.perf" >"$dir/none.perf"
	"$CGCONV" -q -t folded --root-by cpu "$dir/none.perf" |
		same - <(echo 'f 20')
}
