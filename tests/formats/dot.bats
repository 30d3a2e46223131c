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
	sed -n 's/^\tn\([0-9]*\) \[.*label="\(.*\)", tooltip="\(.*\)"\];/\1\t\3\t\2/p' \
		"$1" >"$dir/boxes"
	awk -F '\t' 'NR == FNR { name[$1] = $2
		n = split($3, line, /\\n/)
		for (i = 1; i <= n; i++) {
			if (line[i] ~ /^[0-9.]+%$/) share = line[i]
			if (line[i] ~ /^\([0-9.]+%\)$/)
				print $2, share, line[i]
		}
		next }
		/->/ { split($0, part, /[ \t]+/)
		match($0, /label="  [0-9.]+%/)
		print name[substr(part[2], 2)], "->", name[substr(part[4], 2)],
			substr($0, RSTART + 9, RLENGTH - 9) }' \
		"$dir/boxes" "$1"
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
	iconv -f UTF-8 -t UTF-8 "$dir/out" | grep -q 'tooltip="b�d��"'
	grep -q 'tooltip="üx\\"\\\\"' "$dir/out"
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
	names() { sed -n 's/.*tooltip="\(.*\)"\];/\1/p' | tr '\n' ' '; }
	[ "$("$CGCONV" -q -t dot "$dir/in.folded" | names)" = "b c main " ]
	[ "$("$CGCONV" -q -t dot --node-threshold 1 "$dir/in.folded" |
		names)" = "c main " ]
	[ "$("$CGCONV" -q -t dot --node-threshold 0 "$dir/in.folded" |
		names)" = "a b c main " ]
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
	grep -q 'n3 \[color="#ca2e16".*tooltip="main"' "$dir/out"
	grep -q 'n1 \[color="#bbad9c".*tooltip="a"' "$dir/out"
}

@test "dot: escapes quotes, backslashes and line breaks in names" {
	printf '%s\n' '{"cgconv":"graph","version":1,"minor":0}' \
		'["event",0,"Ir","","","stated",false]' \
		'["function",1,"a\"b\\c\nd",0,0]' '["function",2,"main",0,0]' \
		'["rows",2]' '["cost",0,1,0,[1]]' '["call",0,1,0,1,0,0,1,[5]]' \
		'["rows",1]' '["cost",0,1,0,[5]]' '["end"]' >"$dir/in.cgj"
	"$CGCONV" -q -t dot "$dir/in.cgj" >"$dir/out"
	grep -qF 'tooltip="a\"b\\c d"' "$dir/out"
	# shellcheck disable=SC2015 # nothing to do without it
	command -v dot >/dev/null && dot -Tdot "$dir/out" >/dev/null || true
}

@test "dot: a long name is shortened in its box, between characters" {
	name=$(perl -e 'print "x", "ä" x 100')
	echo "$name 5" >"$dir/in.folded"
	echo "$name;y 5" >>"$dir/in.folded"
	"$CGCONV" -q -t dot "$dir/in.folded" >"$dir/out"
	grep -qF "tooltip=\"$name\"" "$dir/out"
	iconv -f UTF-8 -t UTF-8 "$dir/out" >/dev/null
	grep -q 'label="xäää*\.\.\.ä*\\n' "$dir/out"
}

@test "dot: --event chooses the event" {
	"$CGCONV" -q -t dot --event Dw samples/callgrind/events/callgrind.out |
		grep -q 'label="Dw: [1-9]'
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
	a #dc3318 a\n+30.00%\n(+30.00%)
	b #307adc b\n-20.00%\n(-20.00%)
	gone #307adc gone\n-20.00%\n(-20.00%)
	main #dc4730 main\n+20.00%\n(0.00%)
	new #dc3318 new\n+30.00%\n(+30.00%)
	END
	same "$dir/want" "$dir/got"
	grep -q 'a; 20 before, 50 after, self 20 before, 50 after"' "$dir/out"
	grep -q 'label="samples_after: 120; before: 100; red grew, blue shrank' \
		"$dir/out"
	grep -q 'n[0-9]* -> n[0-9]* .*label="  -20.00%' "$dir/out"
	"$CGCONV" -q --diff --side-by-side "$dir/a.folded" "$dir/b.folded" \
		-t json | "$CGCONV" -q -t dot | same "$dir/out" -
}

@test "dot: negative costs are shrunk ones" {
	make_two
	"$CGCONV" -q --diff "$dir/a.folded" "$dir/b.folded" -t json |
		"$CGCONV" -q -t dot >"$dir/out"
	boxes "$dir/out" | cut -d ' ' -f 3- >"$dir/got"
	grep -q '^a\\n+30.00%\\n(+30.00%)' "$dir/got"
	grep -q '^gone\\n-20.00%\\n(-20.00%)' "$dir/got"
	grep -q 'label="samples: 20; red grew, blue shrank, in % of all changes' \
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
		sed -n '/^\tsubgraph cluster_[01] {$/{n;s/.*label="\(.*\)";/\1/p}' \
			"$dir/out" | sort | tr '\n' ' ' >"$dir/got"
		[ "$(cat "$dir/got")" = "$(echo "${what#*:}" | tr , ' ') " ]
		[ "$(sed -n '/l.so\|y.c/,/}/s/.*tooltip="\([a-z]*\).*/\1/p' \
			"$dir/out" | sort -u | tr '\n' ' ')" = "other work " ]
		! command -v dot >/dev/null || dot -Tsvg "$dir/out" | grep -q cluster
	done
	"$CGCONV" -q -t dot "$dir/in" | not grep cluster
	refuses 2 "--cluster: expected file or object, not 'fn'" -t dot \
		--cluster fn "$dir/in"
}
