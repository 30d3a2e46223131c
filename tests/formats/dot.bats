# dot.bats - call graphs for Graphviz.
load ../helper

PLAIN=samples/callgrind/plain/callgrind.out

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# Boxes and arrows as text: "name inclusive% (self%)", "name -> name share%".
drawn()
{
	perl -lne '
		/\btooltip="([^"]*)"/ or next;
		@of = split /\\n/, $1;
		%is = map { /^(\w+) .*\(([\d.]+%)\)/ ? ($1, $2) : () } @of;
		print /\[color/ && !/->/ ? "$of[0] $is{inclusive} ($is{self})" :
			/->/ ? "$of[0] $is{inclusive}" =~ s/→/->/r : next' "$1"
}

@test "dot: converts a profile of callgrind and one of perf" {
	golden "$PLAIN" dot
	golden samples/perf-script/fields/header.perf dot --event cpu-clock
}

@test "dot: names the objects of functions if there are several" {
	printf '%s\n' 'events: Ir' ob=a fn=f '1 5' cfn=g calls=1 '1 5' fn=g '1 5' >"$dir/one.cg"
	"$CGCONV" -q -t dot "$dir/one.cg" | grep -c 'label="[fg]\\n' | says 2
	printf '%s\n' ob=b fn=h '1 5' | cat "$dir/one.cg" - >"$dir/two.cg"
	"$CGCONV" -q -t dot "$dir/two.cg" | grep -c 'label="[ab]\\n[fgh]\\n' | says 3
}

@test "dot: Graphviz accepts the output" {
	command -v dot >/dev/null || skip "no dot"
	for file in "$PLAIN" samples/callgrind/names/callgrind.out \
		samples/perf-script/fields/header.perf; do
		"$CGCONV" -q -t dot "$file" | dot -Tsvg -o "$dir/out.svg"
		grep -q '<svg' "$dir/out.svg"
	done
}

@test "dot: names that are not UTF-8 are accepted by Graphviz" {
	printf 'main;b\377d\300\200 3\nmain;\303\274x"\\ 2\n' >"$dir/in.folded"
	"$CGCONV" -q -t dot "$dir/in.folded" >"$dir/out"
	iconv -f UTF-8 -t UTF-8 "$dir/out" | grep -q 'tooltip="b�d��\\n'
	grep -q 'tooltip="üx\\"\\\\\\n' "$dir/out"
}

@test "dot: a function twice in a stack is counted once" {
	printf 'main;a;b;a;c 5\nmain;a 5\n' >"$dir/in.folded"
	"$CGCONV" -q -t dot "$dir/in.folded" >"$dir/out"
	drawn "$dir/out" | sort >"$dir/got"
	printf '%s\n' 'a -> b 50.00%' 'a -> c 50.00%' 'a 100.00% (50.00%)' \
		'b -> a 50.00%' 'b 50.00% (0.00%)' 'c 50.00% (50.00%)' \
		'main -> a 100.00%' 'main 100.00% (0.00%)' >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "dot: thresholds drop cheap functions and calls" {
	printf '%s\n' 'main;a 1' 'main;b 9' 'main;c 990' >"$dir/in.folded"
	names() { sed -n '/->/d; s/^\tn.*tooltip="\([a-z]*\)\\n.*/\1/p' | tr '\n' ' '; }
	[ "$("$CGCONV" -q -t dot "$dir/in.folded" | names)" = "main c b " ]
	[ "$("$CGCONV" -q -t dot --node-threshold 1 "$dir/in.folded" |
		names)" = "main c " ]
	[ "$("$CGCONV" -q -t dot --node-threshold 0 "$dir/in.folded" |
		names)" = "main c b a " ]
	"$CGCONV" -q -t dot --edge-threshold 0.9 "$dir/in.folded" |
		grep -c -e '->' | grep -qx 2
	"$CGCONV" -q -t dot --edge-threshold 0.91 "$dir/in.folded" |
		grep -c -e '->' | grep -qx 1
	for bad in x 0.5% 101 -1 ''; do
		refuses 2 "expected a percentage from 0 to 100" -t dot \
			--node-threshold="$bad" "$dir/in.folded"
	done
}

@test "dot: expensive nodes are red, cheap ones grey" {
	printf '%s\n' 'main;a 1' 'main;b 99' >"$dir/in.folded"
	"$CGCONV" -q -t dot "$dir/in.folded" >"$dir/out"
	grep -q 'n[0-9] \[color="#ca2e16".*tooltip="main\\n' "$dir/out"
	grep -q 'n[0-9] \[color="#bbad9c".*tooltip="a\\n' "$dir/out"
}

@test "dot: escapes quotes, backslashes and line breaks in names" {
	printf '%s\n' '{"cgconv":"graph","version":1,"minor":0}' \
		'["event",0,"Ir","","","stated",false]' \
		'["function",1,"a\"b\\c\nd",0,0]' '["function",2,"main",0,0]' \
		'["rows",2]' '["cost",0,1,0,[1]]' '["call",0,1,0,1,0,0,1,[5]]' \
		'["rows",1]' '["cost",0,1,0,[5]]' '["end"]' >"$dir/in.cgj"
	"$CGCONV" -q -t dot "$dir/in.cgj" >"$dir/out"
	grep -qF 'tooltip="a\"b\\c d\n' "$dir/out"
	# shellcheck disable=SC2015 # nothing to do without it
	command -v dot >/dev/null && dot -Tdot "$dir/out" >/dev/null || true
}

@test "dot: a long name is shortened in its box, between characters" {
	name=$(perl -e 'print "x", "ä" x 100')
	echo "$name 5" >"$dir/in.folded"
	echo "$name;y 5" >>"$dir/in.folded"
	"$CGCONV" -q -t dot "$dir/in.folded" >"$dir/out"
	grep -qF "tooltip=\"$name\\n" "$dir/out"
	iconv -f UTF-8 -t UTF-8 "$dir/out" >/dev/null
	# Three lines: what is not shown is before the last one.
	grep -q 'label="xä\{27\}\\nä\{28\}\\n…ä\{27\}\\n' "$dir/out"
}

@test "dot: --event chooses the event" {
	"$CGCONV" -q -t dot --event Dw samples/callgrind/events/callgrind.out |
		grep -q '^	label=".*Dw: [1-9]'
	refuses 2 "event of the input (see --info), not 'frob'" -t dot --event frob "$PLAIN"
	"$CGCONV" -t dot samples/callgrind/events/callgrind.out 2>&1 >/dev/null |
		grep "note: event Ir of [0-9]* written; choose with --event"
}

@test "dot: a profile without calls is an error" {
	refuses 3 "dot needs calls" -t dot \
		samples/callgrind/cachegrind/cachegrind.out
}

make_two()
{
	printf '%s\n' 'main;a 20' 'main;b 60' 'main;gone 20' >"$dir/a.folded"
	printf '%s\n' 'main;a 50' 'main;b 40' 'main;new 30' >"$dir/b.folded"
}

# "NAME COLOUR LABEL" of each box.
boxes()
{
	sed -n 's/^\tn[0-9]* \[color="\([^"]*\)".*label="\(.*\)", tooltip="\([a-z]*\).*/\3 \1 \2/p' \
		"$1" | sort
}

@test "dot: a difference is red where it grew, blue where it shrank" {
	make_two
	"$CGCONV" -q --diff "$dir/a.folded" "$dir/b.folded" -t dot >"$dir/out"
	boxes "$dir/out" | sed 's/\\n[0-9]*×//' >"$dir/got"
	cat >"$dir/want" <<-'END'
	a #dc3318 a\nself +30 (+30.00%)
	b #307adc b\nself -20 (-20.00%)
	gone #307adc gone\nself -20 (-20.00%)
	main #dc4730 main\n+20 (+20.00%)
	new #dc3318 new\nself +30 (+30.00%)
	END
	same "$dir/want" "$dir/got"
	grep -qF '"a\ninclusive 20 before, 50 after (+30.00%)\nself 20 before, 50 after (+30.00%)"' \
		"$dir/out"
	grep -q 'label="samples_after: 120; before: 100\\l' "$dir/out"
	grep -q 'red grew, blue shrank, in % of the total before' "$dir/out"
	grep -q 'n[0-9]* -> n[0-9]* .*label="  -20", .*(-20.00%)"' "$dir/out"
	"$CGCONV" -q --diff --side-by-side "$dir/a.folded" "$dir/b.folded" \
		-t json | "$CGCONV" -q -t dot | same "$dir/out" -
}

@test "dot: a share of a change may be a million times the total" {
	echo 'main;f 1' >"$dir/a.folded"
	echo 'main;f 2000000' >"$dir/b.folded"
	"$CGCONV" -q --diff "$dir/a.folded" "$dir/b.folded" -t dot >"$dir/out"
	grep -F 'label="f\nself +2.00 M (+199999900.00%)' "$dir/out"
}

@test "dot: negative costs are shrunk ones" {
	make_two
	"$CGCONV" -q --diff "$dir/a.folded" "$dir/b.folded" -t json |
		"$CGCONV" -q -t dot >"$dir/out"
	boxes "$dir/out" | cut -d ' ' -f 3- >"$dir/got"
	grep -qx 'a\\nself +30 (+30.00%)' "$dir/got"
	grep -qx 'gone\\nself -20 (-20.00%)' "$dir/got"
	grep -q 'label="samples: 20\\l.*red grew, blue shrank, in % of all changes' \
		"$dir/out"
}

@test "dot: --cluster frames the functions of a file or an object" {
	cat >"$dir/in" <<-'END'
	events: Ir
	ob=/bin/p
	fl=x.c
	fn=main
	1 5
	cob=/lib/l.so
	cfi=y.c
	cfn=work
	calls=1 3
	2 7
	ob=/lib/l.so
	fl=y.c
	fn=work
	3 7
	fn=other
	9 7
	END
	for what in file:x.c,y.c object:/bin/p,/lib/l.so; do
		"$CGCONV" -q -t dot --cluster "${what%%:*}" "$dir/in" >"$dir/out"
		sed -n '/^\tsubgraph cluster_[01] {$/{n;n;s/.*label="\(.*\)";/\1/p}' \
			"$dir/out" | sort | tr '\n' ' ' >"$dir/got"
		[ "$(cat "$dir/got")" = "$(echo "${what#*:}" | tr , ' ') " ]
		sed -n '/^\tlabel="[^"]*\(l\.so\|y\.c\)";/,/}/s/^\tn.*tooltip="\([a-z]*\).*/\1/p' "$dir/out" |
			sort | same - <(printf '%s\n' other work)
		! command -v dot >/dev/null || dot -Tsvg "$dir/out" | grep -q cluster
	done
	"$CGCONV" -q -t dot "$dir/in" | not grep cluster
	refuses 2 "--cluster: expected file or object, not 'fn'" -t dot \
		--cluster fn "$dir/in"
}

@test "dot: long names lose parameters and arguments of templates, and break between parts" {
	cat >"$dir/in.folded" <<-'END'
	main;void std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int*, int const&) 5
	main;app::Parser::fact(char const*&, int)'2 5
	main;encoding/json.(*decodeState).literalStore[go.shape.int_0] 5
	main;std::ostream& operator<< <std::char_traits<char> >(std::ostream&, char const*) 5
	main;<core::iter::Map<A,B> as core::iter::traits::Iterator>::fold::<Closure> 5
	main;<core::array::IntoIter<[u8],N> as core::iter::traits::Iterator>::next 5
	main;pkg.Map[go.shape.[]int,go.shape.string].LoadOrStore 5
	main;__libc_start_main@@GLIBC_2.34 5
	main;short<int>(int) 5
	END
	"$CGCONV" -q -t dot "$dir/in.folded" >"$dir/out"
	sed -n 's/.*label="\(.*\)\\nself.*tooltip.*/\1/p' "$dir/out" | sort >"$dir/got"
	sort >"$dir/want" <<-'END'
	std::vector<…>\n::_M_realloc_insert<…>
	app::Parser::fact'2
	encoding/json.(*decodeState)\n.literalStore[…]
	operator<< <…>
	<core::iter::Map<…> as core\n::iter::traits::Iterator>\n::fold::<…>
	<core::array::IntoIter<…> as\n core::iter::traits\n::Iterator>::next
	pkg.Map[…].LoadOrStore
	__libc_start_main@@GLIBC\n_2.34
	short<int>(int)
	END
	same "$dir/want" "$dir/got"
	grep -qF 'tooltip="void std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int*, int const&)\n' \
		"$dir/out"
}

@test "dot: costs are in few digits in boxes, in all digits in tooltips" {
	boxes_of()
	{
		printf '%s\n' '{"cgconv":"graph","version":1}' "[\"event\",0,\"e\",\"\",\"$1\",\"stated\",false]" \
			'["function",1,"f",0,0]' '["function",2,"g",0,0]' '["rows",1]' "[\"cost\",0,1,0,[$2]]" \
			"[\"call\",0,1,0,2,0,0,1,[$3]]" '["rows",2]' "[\"cost\",0,1,0,[$3]]" '["end"]' |
			"$CGCONV" -q -f json -t dot >"$dir/out"
		sed -n 's/^\tn[0-9].*label="[fg]\\n\(.*\)", tooltip.*/\1/p' "$dir/out"
	}
	boxes_of ns 1510000000 2000000000 | same - <(printf '%s\n' '3.51 s (100.00%)\nself 1.51 s (43.02%)' \
		'self 2.00 s (56.98%)\n1×')
	grep -F 'label="e: 3.51 s\l2 of 2 functions with 100.00% of the self cost\l' "$dir/out"
	grep -F 'tooltip="f\ninclusive 3,510,000,000 ns (100.00%)\nself 1,510,000,000 ns (43.02%)"' "$dir/out"
	grep -F 'label="  2.00 s\n  1×", tooltip="f → g\ninclusive 2,000,000,000 ns (56.98%)\ncalls 1"' "$dir/out"
	boxes_of bytes 0 1288490189 | same - <(printf '%s\n' '1.20 GiB (100.00%)' 'self 1.20 GiB (100.00%)\n1×')
	boxes_of '' 99999 99999999 | same - <(printf '%s\n' '100 M (100.00%)\nself 99,999 (0.10%)' \
		'self 100 M (99.90%)\n1×')
	boxes_of ns 1 999 | same - <(printf '%s\n' '1.00 µs (100.00%)\nself 1 ns (0.10%)' 'self 999 ns (99.90%)\n1×')
}

# "name inclusive self calls" of each function: of tooltips, and of --info.
tooltips()
{
	perl -lne '/->/ || !/^\tn.*tooltip="(.*)"\];$/ and next;
		@of = split /\\n/, $1;
		%is = map { s/,//g; /^(inclusive|self|calls) (\d+)/ } @of;
		print join " ", $of[0], map { $_ // 0 } @is{qw(inclusive self calls)}' "$1" | LC_ALL=C sort
}

of_info()
{
	perl -MJSON::PP -0777 -ne '$all = decode_json($_);
		($at) = grep { $all->{events}[$_]{name} eq $ENV{EVENT} } 0 .. $#{ $all->{events} };
		for (@{ $all->{functions} }) {
			$calls = $ENV{EVENT} eq "inuse_space" ? 0 : $_->{calls};
			print join(" ", $_->{name}, $_->{inclusive}[$at], $_->{self}[$at], $calls), "\n";
		}' "$1" | LC_ALL=C sort
}

@test "dot: numbers in tooltips are those of --info --json" {
	gprof="samples/gprof/calls/prog samples/gprof/calls/gmon.out"
	for in in "ns $gprof" "Ir $PLAIN" "inuse_space samples/pprof/heap/heap.pb.gz"; do
		# shellcheck disable=SC2086 # several inputs
		set -- $in
		export EVENT=$1
		shift
		"$CGCONV" -q --info --json --top 1000 --event "$EVENT" "$@" >"$dir/info"
		"$CGCONV" -q -t dot --node-threshold 0 --node-count 0 --event "$EVENT" "$@" >"$dir/out"
		of_info "$dir/info" >"$dir/want"
		[ "$(wc -l <"$dir/want")" -ge 5 ]
		tooltips "$dir/out" | grep -v ' 0 0 [0-9]*$' | same <(grep -v ' 0 0 [0-9]*$' "$dir/want") -
	done
}

@test "dot: at most 80 functions, those of the most cost; the legend says what is not shown" {
	for i in $(seq 100 199); do echo "main;f$i $((i * 100))"; done >"$dir/in.folded"
	drawn_fns() { sed -n 's/^\tn[0-9]* \[.*tooltip="\([a-z0-9]*\)\\n.*/\1/p' "$dir/out" | sort; }
	"$CGCONV" -q -t dot "$dir/in.folded" >"$dir/out"
	drawn_fns | same - <({ seq -f 'f%.0f' 121 199; echo main; } | sort)
	grep -F '\l80 of 101 functions with 84.55% of the self cost; not shown: 21 after the first 80\lbox: ' "$dir/out"
	"$CGCONV" -q -t dot --node-count 0 --node-threshold 0.68 --edge-threshold 0.7 "$dir/in.folded" >"$dir/out"
	grep -F '\l99 of 101 functions with 98.66% of the self cost; not shown: 2 below 0.68%\l' "$dir/out"
	grep -F '\l95 of 98 arrows; not shown: 3 below 0.7%\l' "$dir/out"
	"$CGCONV" -q -t dot --node-count 3 "$dir/in.folded" >"$dir/out"
	drawn_fns | same - <(printf '%s\n' f198 f199 main)
	for bad in x -1 3x ''; do
		refuses 2 "--node-count: expected a number" -t dot --node-count="$bad" "$dir/in.folded"
	done
}

@test "dot: a function that calls itself has an arrow, even without cost; namesakes have their files" {
	"$CGCONV" -q -t dot samples/gprof/cycles/prog samples/gprof/cycles/gmon.out >"$dir/out"
	grep -F 'label="  57,312×", tooltip="fib → fib\n' "$dir/out"
	printf '%s\n' 'main;f;f 1' 'main;f 9999' >"$dir/in.folded"
	"$CGCONV" -q -t dot "$dir/in.folded" | not grep -F '"f → f'
	printf '%s\n' 'events: Ir' 'fl=a/x.c' fn=f '1 5' 'fl=b/y.c' fn=f '1 6' fn=g '1 7' cfn=f calls=1 1 '1 6' >"$dir/in"
	"$CGCONV" -q -t dot "$dir/in" | sed -n 's/^\tn.*label="\(.*\)", tooltip.*/\1/p' | sed 's/\\n[0-9s].*//' | cut -d '"' -f 1 | sort |
		same - <(printf '%s\n' 'f\nx.c' 'f\ny.c' g)
}

@test "dot: a function to which no arrow is shown has a dashed border" {
	printf '%s\n' 'main;a;deep 50' 'main;b;deep 50' 'main;c 70' >"$dir/in.folded"
	dashed() { sed -n 's/^\t\(n[0-9]*\) \[style="dashed,filled"\];$/\1/p' "$dir/out"; }
	"$CGCONV" -q -t dot "$dir/in.folded" >"$dir/out"
	[ -z "$(dashed)" ]
	not grep dashed "$dir/out"
	"$CGCONV" -q -t dot --node-count 3 "$dir/in.folded" >"$dir/out"
	[ "$(sed -n 's/^\t\(n[0-9]*\) \[.*tooltip="deep\\n.*/\1/p' "$dir/out")" = "$(dashed)" ]
	[ -n "$(dashed)" ]
	grep '; dashed: calls to it are not shown\\l";' "$dir/out"
	# Not one that another event's samples call.
	"$CGCONV" -q -t dot --event cpu-clock samples/perf-script/fields/header.perf >"$dir/out"
	not grep dashed "$dir/out"
}
