# filters.bats - filters by function: --focus, --hide, --granularity and others.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	printf '%s\n' 'main;parse;lex;read 1' 'main;parse;lex;lex;alloc 2' \
		'main;parse;alloc 4' 'main;write 8' 'idle 16' >"$dir/in.folded"
}

# stacks OPTION... -- LINE...: the stacks that the filters keep of in.folded.
stacks()
{
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$CGCONV" -q -t folded "${options[@]}" "$dir/in.folded" |
		same - <([ $# -eq 0 ] || printf '%s\n' "$@" | LC_ALL=C sort)
}

@test "filters: --focus keeps stacks with a match, --ignore drops them" {
	stacks --focus '^lex$' -- 'main;parse;lex;lex;alloc 2' \
		'main;parse;lex;read 1'
	stacks --ignore 'alloc|idle' -- 'main;parse;lex;read 1' 'main;write 8'
	stacks --focus parse --ignore alloc -- 'main;parse;lex;read 1'
}

@test "filters: --hide and --show drop frames and keep their costs" {
	stacks --hide 'lex|alloc' -- 'idle 16' 'main;parse 6' \
		'main;parse;read 1' 'main;write 8'
	stacks --show 'main|alloc' -- 'main 9' 'main;alloc 6'
	stacks --hide main --focus main -- 'parse;alloc 4' \
		'parse;lex;lex;alloc 2' 'parse;lex;read 1' 'write 8'
}

@test "filters: --show-from cuts above the outermost match" {
	stacks --show-from lex -- 'lex;lex;alloc 2' 'lex;read 1'
	stacks --show-from 'lex|main' --hide main -- 'lex;lex;alloc 2' \
		'lex;read 1'
}

@test "filters: --prune-from cuts below the innermost match" {
	stacks --prune-from lex -- 'idle 16' 'main;parse;alloc 4' \
		'main;parse;lex 1' 'main;parse;lex;lex 2' 'main;write 8'
	stacks --prune-from lex --hide lex -- 'idle 16' 'main;parse;alloc 6' \
		'main;parse;read 1' 'main;write 8'
}

@test "filters: --trim-recursion makes one call of several" {
	stacks --trim-recursion --focus lex -- 'main;parse;lex;alloc 2' \
		'main;parse;lex;read 1'
}

@test "filters: --granularity merges functions" {
	cat >"$dir/in.perf" <<-END
		a 1 1.0: 3 cycles:
		  10 ns::A::f(int) (/lib/a.so)
		  20 ns::A::g() (/lib/a.so)
		  30 operator new(unsigned long) (/lib/b.so)
		  40 main (/bin/a)

	END
	for of in 'object=/bin/a;/lib/b.so;/lib/a.so;/lib/a.so' \
		'class=main;operator new(unsigned long);ns::A;ns::A' \
		'function=main;operator new(unsigned long);ns::A::g();ns::A::f(int)'; do
		"$CGCONV" -q -t folded --no-root-by \
			--granularity "${of%%=*}" "$dir/in.perf" |
			same - <(echo "${of#*=} 3")
	done
	"$CGCONV" -q -t folded --no-root-by --granularity class \
		--trim-recursion "$dir/in.perf" |
		same - <(echo 'main;operator new(unsigned long);ns::A 3')
	# Clones of functions have the class of the function.
	echo 'com.part.Foo.run;java.pkg.part;A.f.isra.0.cold;f.part.0 1' |
		"$CGCONV" -q -t folded --granularity class |
		same - <(echo 'com.part.Foo;java.pkg;A;f.part.0 1')
	"$CGCONV" -q -t folded --no-root-by --only-object '/a' "$dir/in.perf" |
		same - <(echo 'main;ns::A::g();ns::A::f(int) 3')
	"$CGCONV" -q -t folded --no-root-by --collapse-object 'a\.so' \
		"$dir/in.perf" |
		same - <(echo 'main;operator new(unsigned long);/lib/a.so 3')
}

@test "filters: --granularity line names functions by their lines" {
	"$CGCONV" -q -t folded --granularity line \
		samples/pprof/cpu/cpu.pb.gz >"$dir/lines"
	"$CGCONV" -q -t folded samples/pprof/cpu/cpu.pb.gz >"$dir/plain"
	grep -q 'main.main ./work.go:61;runtime/pprof.Do runtime/pprof/' "$dir/lines"
	sum='{ s += $NF } END { print s }'
	[ "$(awk "$sum" "$dir/lines")" = "$(awk "$sum" "$dir/plain")" ]
}

# self FILE OPTION...: self cost of all functions.
self()
{
	"$CGCONV" -q -t csv "${@:2}" "$1" | awk -F, 'NR > 1 { s += $5 }
		END { print s }'
}

@test "filters: on calls costs and calls are merged by file, object, class" {
	in=samples/callgrind/parts/callgrind.out
	all=$(self $in)
	for what in function file object class; do
		[ "$(self $in --granularity $what)" = "$all" ]
	done
	"$CGCONV" -q -t csv --granularity object $in >"$dir/out"
	[ "$(grep -vc '<cycle ' "$dir/out")" = "$(($(grep -o '^ob=([0-9]*) .*' $in |
		sort -u | wc -l) + 1))" ]
	"$CGCONV" -q -t callgrind --collapse-object 'libc' $in >"$dir/out"
	[ "$(self "$dir/out")" = "$all" ]
	"$CGCONV" -q -t csv --table calls "$dir/out" >"$dir/calls"
	# libc is called and calls, but not itself.
	grep -E '^[^,]*libc' "$dir/calls"
	grep -vE '^[^,]*libc' "$dir/calls" | grep libc
	not grep -E '^[^,]*libc.*libc.*libc.*libc' "$dir/calls"
}

@test "filters: what would be an estimate needs stacks, or --guess-stacks" {
	in=samples/callgrind/plain/callgrind.out
	refuses 3 "the filter 'focus' needs stacks; the input has none (--guess-stacks" \
		--focus main -t callgrind $in
	"$CGCONV" -q --guess-stacks --focus main -t callgrind -o "$dir/out" $in
	"$CGCONV" -q --info "$dir/out" | grep -q main
}

@test "filters: functions that call only hidden ones are hidden without stacks" {
	in=samples/callgrind/plain/callgrind.out
	all=$(self $in)
	"$CGCONV" -q -t callgrind --hide '^(loop|fib)' -o "$dir/out" $in
	[ "$(self "$dir/out")" = "$all" ]
	not grep -E 'loop|fib' "$dir/out"
	# The costs of calls are those of the lines that make them.
	"$CGCONV" -q -t csv "$dir/out" | grep -F ',(below main),0,1028,3130'
	refuses 3 "the filter 'hide' needs stacks" --hide '^work$' -t callgrind $in
	# gprof's times are costs of calls only after propagation.
	in=samples/gprof/calls
	"$CGCONV" -q -t csv --hide '^(leaf|burn)$' $in/prog $in/gmon.out \
		>"$dir/out"
	[ "$(self $in/gmon.out --exe $in/prog)" = "$(awk -F, 'NR > 1 {
		s += $5 } END { print s }' "$dir/out")" ]
	not grep -E 'leaf|burn' "$dir/out"
}

@test "filters: the share that is kept is told" {
	"$CGCONV" -t folded --focus lex "$dir/in.folded" 2>&1 >/dev/null |
		grep -F 'note: the filters keep 9.68 % of samples'
	run "$CGCONV" -t folded --focus nobody "$dir/in.folded"
	[ "$status" -eq 0 ]
	[[ $output == *'the filters left no costs'* ]]
}

@test "filters: samples keep their order of time" {
	cat >"$dir/in.perf" <<-END
		a 1 1.0: 3 cycles:
		  10 f (/a)
		  40 main (/a)

		a 1 2.0: 3 cycles:
		  10 g (/a)
		  40 main (/a)

		a 1 3.0: 3 cycles:
		  10 f (/a)
		  40 main (/a)

	END
	"$CGCONV" -q -t json --ignore g "$dir/in.perf" >"$dir/out"
	[ "$(grep -c '^\["moment"' "$dir/out")" = 2 ]
	"$CGCONV" -q -t json --hide '^main$' "$dir/in.perf" >"$dir/out"
	[ "$(grep -c '^\["moment"' "$dir/out")" = 3 ]
	# Calls: the frames that are left begin and end when they did.
	"$CGCONV" -q -t trace-event --hide '^main$' \
		-o "$dir/out.json" "$dir/in.perf"
	"$CGCONV" -q -t folded --show '^f$' --no-root-by "$dir/out.json" |
		grep '^f '
}

@test "filters: batches and sums of inputs apply them to each input" {
	cp "$dir/in.folded" "$dir/b.folded"
	"$CGCONV" -q -t folded --focus lex -o "$dir/one" "$dir/in.folded" \
		"$dir/b.folded"
	"$CGCONV" -q -j 2 -r -t folded --focus lex -o "$dir/two" \
		"$dir/in.folded" "$dir/b.folded"
	same "$dir/one" "$dir/two"
	grep -Fx 'main;parse;lex;read 2' "$dir/two"
}

@test "filters: by way of json the output is the same" {
	"$CGCONV" -q -t json --focus lex --hide parse -o "$dir/a.cgj" \
		"$dir/in.folded"
	"$CGCONV" -q -t folded "$dir/a.cgj" |
		same - <("$CGCONV" -q -t folded --focus lex --hide parse \
			"$dir/in.folded")
	# Nothing that was dropped is in it.
	not grep write "$dir/a.cgj"
}

@test "filters: --info and --diff apply them" {
	"$CGCONV" --info --focus lex "$dir/in.folded" >"$dir/out" 2>&1
	grep -q ' 3 ' "$dir/out"
	not grep -q write "$dir/out"
	"$CGCONV" -q --diff --ignore idle "$dir/in.folded" "$dir/in.folded"
}

@test "filters: bad ones are usage errors" {
	refuses 2 '--focus: invalid regular expression' --focus '(' \
		-t folded "$dir/in.folded"
	refuses 2 '--hide is given twice' --hide a --hide b \
		-t folded "$dir/in.folded"
	refuses 2 '--granularity: expected function, file, object, line or class' \
		--granularity x -t folded "$dir/in.folded"
}

# ---- By label ---------------------------------------------------------------

# sums OPTION KEY REGEX FILE: costs that FILE's stacks with such labels have,
# from its labels in JSON.
sums()
{
	"$CGCONV" -q -t json "$4" | perl -ne '
		BEGIN { ($option, $key, $re) = splice @ARGV, 0, 3 }
		if (/^\["labels",(\d+),(.*)\]$/) {
			my ($set, $rest) = ($1, $2);
			while ($rest =~ /\["(.*?)","(.*?)"(?:,(\d+))?(?:,"(.*?)")?\]/g) {
				my $text = defined $3 ? join(" ", $3, $4 // ()) : $2;
				$has{$set} = 1 if $1 eq $key && $text =~ /$re/;
			}
		}
		if (/^\["stack",\d+,\d+,\[(.*?)\](?:,(\d+))?\]/) {
			next if ($has{$2 // 0} // 0) != ($option eq "--label");
			my $i = 0;
			$sum[$i++] += $_ for split /,/, $1;
		}
		END { print join(",", map { $_ // 0 } @sum), "\n" }' \
		-- "$1" "$2" "$3"
}

# totals FILE OPTION...: the costs of all stacks, and of all moments if there
# are some, which have to be the same.
totals()
{
	"$CGCONV" -q -t json "${@:2}" "$1" | perl -ne '
		if (/^\["(stack|moment)",-?\d+,\d+,\[(.*?)\]/) {
			my ($of, $i) = ($1, 0);
			$sum{$of}[$i++] += $_ for split /,/, $2;
		}
		END {
			my %text = map { $_ => join ",", @{$sum{$_}} } keys %sum;
			print $text{stack} // "", "\n";
			exit(exists $text{moment} && $text{moment} ne $text{stack});
		}'
}

@test "filters: --label keeps samples with a label, --no-label drops them" {
	for of in jfr/work/work.jfr.gz:state:RUNN jfr/work/work.jfr.gz:thread:^main$ \
		'jfr/work/work.jfr.gz:class:^int\[]|List$' \
		pprof/cpu/cpu.pb.gz:worker:two pprof/heap/heap.pb.gz:bytes:^64$; do
		IFS=: read -r file key re <<<"$of"
		for option in --label --no-label; do
			want=$(sums $option "$key" "$re" "samples/$file")
			got=$(totals "samples/$file" $option "$key=$re")
			[ -n "$got" ]
			[ "$got" = "$want" ]
		done
	done
	for file in samples/otlp/agent/*.otlp; do
		for of in 'wait.size=^512 By$' thread=stock tid=4711; do
			want=$(sums --label "${of%%=*}" "${of#*=}" "$file")
			[ "$(totals "$file" --label "$of")" = "$want" ]
		done
	done
	# Dropped functions and sets of labels are gone, too.
	"$CGCONV" -q -t json --label state=. samples/jfr/work/work.jfr.gz >"$dir/out"
	not grep -E '"class"|CopyOnWrite' "$dir/out"
	grep -q demo.Work.fib "$dir/out"
}

# The samples of two threads of a process and one of another.
two_processes()
{
	for of in 'aa a  10/11  [000] 1.0:  5' 'aa a  10/12  [001] 1.1:  2' \
		'bbb  20/20  [000] 1.2:  7'; do
		printf '%s\n' "$of cycles: " '	  401 work (/bin/a)' \
			'	  400 main (/bin/a)' ''
	done >"$dir/two.perf"
}

@test "filters: --label looks at processes, threads and processors" {
	two_processes
	for of in comm=^aa:7 pid=20:7 tid='^1[12]$:7' tid=11:5 cpu=0:12; do
		"$CGCONV" -q -t folded --no-root-by --label "${of%:*}" \
			"$dir/two.perf" | same - <(echo "main;work ${of##*:}")
	done
	# All of them have to match, and none of --no-label.
	"$CGCONV" -q -t folded --label cpu=0 --label pid=10 "$dir/two.perf" |
		same - <(echo 'aa_a;main;work 5')
	"$CGCONV" -q -t folded --no-label cpu=1 --no-label 'comm=b' \
		"$dir/two.perf" | same - <(echo 'aa_a;main;work 5')
	# Labels of --part-by, and those that the target lacks, are looked at.
	"$CGCONV" -q -t callgrind --part-by tid --label tid=12 "$dir/two.perf" |
		grep -x 'totals: 2'
	# The stacks of processes are not kept apart for it.
	"$CGCONV" -q --diff --label pid=10 "$dir/two.perf" "$dir/two.perf" |
		grep -E '^ *7 +7 +0 +0.00% +cycles'
	"$CGCONV" --info --label pid=10 "$dir/two.perf" 2>"$dir/err" |
		grep -E '^ *7 +100.00% .* main'
	grep -F 'note: the filters by label keep 50.00 % of cycles' "$dir/err"
}

@test "filters: dropped samples are in no track" {
	two_processes
	"$CGCONV" -q -t json --label tid=12 "$dir/two.perf" >"$dir/out"
	[ "$(grep -E '^\["(track|moment)' "$dir/out")" = '["track",10,12,"aa a","","ns",false,1100000000,1100000000]
["moment",0,2,[2]]' ]
	"$CGCONV" -q -t trace-event -o "$dir/out.json" "$dir/two.perf"
	"$CGCONV" -q -t folded --label tid=12 "$dir/out.json" | grep ' 2$'
	# The times in json have no labels.
	"$CGCONV" -q -t json "$dir/two.perf" >"$dir/two.cgj"
	"$CGCONV" -t speedscope --label tid=12 -o "$dir/s.json" "$dir/two.cgj" \
		2>"$dir/err"
	grep -F 'warning: --label drops the order of time' "$dir/err"
	"$CGCONV" -q -t folded "$dir/s.json" | same - <(echo 'main;work 2')
	refuses 3 '--no-label drops the order of time' --strict -t speedscope \
		--no-label tid=12 "$dir/two.cgj"
	# A target without times has nothing to lose.
	"$CGCONV" -t dot --label tid=12 "$dir/two.cgj" 2>&1 >"$dir/out" |
		not grep 'order of time'
}

@test "filters: labels that no sample has are told, with those there are" {
	two_processes
	"$CGCONV" -t folded --label state=x "$dir/two.perf" 2>"$dir/err"
	grep -F "warning: no sample has label 'state' of --label; their labels are: comm, pid, tid, cpu" \
		"$dir/err"
	grep -F 'warning: the filters left no costs' "$dir/err"
	"$CGCONV" -t folded --label state=SLEEP samples/jfr/work/work.jfr.gz \
		2>&1 >"$dir/out" | grep -F 'warning: the filters left no costs'
	for option in --label --no-label; do
		refuses 3 "$option needs labels of samples; the input has none" \
			$option a=b -t folded "$dir/in.folded"
		refuses 3 "$option needs labels of samples; the input has none" \
			$option a=b samples/callgrind/plain/callgrind.out
		refuses 2 "$option: expected KEY=REGEX, not 'a'" $option a \
			-t folded "$dir/in.folded"
	done
	refuses 2 '--label: invalid regular expression' --label 'a=(' \
		-t folded "$dir/in.folded"
	# Costs of no sample have no label; stated totals do not count them.
	"$CGCONV" -t callgrind --label pid=10 "$dir/two.perf" \
		samples/callgrind/plain/callgrind.out >"$dir/out" 2>"$dir/err"
	grep -x 'totals: 7 0' "$dir/out"
	not grep 'input states' "$dir/err"
}

@test "filters: batches and sums of inputs look at labels of each input" {
	two_processes
	cp "$dir/two.perf" "$dir/b.perf"
	"$CGCONV" -q -t folded --label pid=10 -o "$dir/one" "$dir/two.perf" \
		"$dir/b.perf"
	"$CGCONV" -q -j 2 -r -t folded --label pid=10 -o "$dir/two" \
		"$dir/two.perf" "$dir/b.perf"
	same "$dir/one" "$dir/two"
	same "$dir/one" <(echo 'aa_a;main;work 14')
}
