# tree.bats - the call tree of --info --tree.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	printf '%s\n' 'main;parse;lex 10' 'main;parse 20' 'main;write 30' \
		'idle 40' >"$dir/in.folded"
}

tree()
{
	"$CGCONV" --info --top 0 --tree "$@" | sed '1,/^Call tree/d'
}

@test "tree: frames are below their callers, the largest first" {
	tree 1% "$dir/in.folded" | same - <(cat <<-END
		  Inclusive          Self          Function, below its caller
		         60  60.00%     0   0.00%  main
		         30  30.00%    20  20.00%    parse
		         10  10.00%    10  10.00%      lex
		         30  30.00%    30  30.00%    write
		         40  40.00%    40  40.00%  idle
		  5 of 5 frames
	END
	)
}

@test "tree: a share and a number of levels limit it" {
	tree 30%,2 "$dir/in.folded" | grep -c '%' | grep -x 4
	tree 0.5,1 "$dir/in.folded" | tail -n 1 |
		same - <(echo '  2 of 5 frames')
	refuses 2 "--tree: expected a share such as 1%" --info --tree x \
		"$dir/in.folded"
	refuses 2 "--tree: expected a share such as 1%" --info --tree 101 \
		"$dir/in.folded"
}

@test "tree: calls alone need --guess-stacks" {
	in=samples/callgrind/plain/callgrind.out
	refuses 3 'a tree of calls needs stacks' --info --tree 1 $in
	tree 1 --guess-stacks $in 2>/dev/null | grep '100.00%.*(below main)'
}

@test "tree: deep frames are numbered, not indented for ever" {
	perl -e 'print join(";", ("f") x 100, "leaf"), " 1\n"' >"$dir/deep"
	tree 1 "$dir/deep" | grep -F '[101] leaf'
	[ "$(tree 1 "$dir/deep" | wc -L)" -lt 110 ]
}

@test "tree: shares have colours on a terminal, unless NO_COLOR is set" {
	needs_terminal
	on="$CGCONV --info --tree 1 $dir/in.folded"
	red=$(printf '\033[31m')
	script -qec "env -u NO_COLOR $on" /dev/null </dev/null |
		grep -F "${red}60.00%"
	not grep -F "$red" <(script -qec "env NO_COLOR=1 $on" /dev/null </dev/null)
	not grep -F "$red" <($on)
}

@test "tree: estimated stacks count no cost twice" {
	printf 'events: Ir\nfn=main\n1 10\ncfn=f\ncalls=1 5\n2 30\nfn=f\n5 30\n' \
		>"$dir/in"
	"$CGCONV" -q --info --guess-stacks --tree 1% "$dir/in" >"$dir/out"
	awk 'NF > 5 && $NF ~ /^(main|f)$/ { print $NF, $1, $3 } /^Call tree/ { exit }' \
		"$dir/out" | sort | uniq | says 'f 30 30' 'main 40 10'
	grep -Fx 'Call tree by Ir (limit: 1%; estimated from calls)' "$dir/out"
}
