# xhprof.bats - profiles of PHP.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

@test "xhprof: reads self costs, counts recursion once" {
	"$CGCONV" -q -t json samples/xhprof/recursion/xhprof.json |
		perl tests/oracle/graph.pl | sed 's/:0://g' | sort >"$t/got"
	printf '%s\t%s\t%s\t%s\t%s\n' \
		call a b 3 700,650,1024,0 call a c 3 100,90,0,0 \
		call b a 2 300,290,0,0 call main'()' a 1 1000,900,4096,4096 \
		call '<spontaneous>' 'main()' 1 1200,1000,5000,5000 >"$t/want"
	printf 'function\t%s\t%s\t%s\n' \
		a 450,410,3072,4096 1000,900,4096,4096 \
		b 450,400,1024,0 700,650,1024,0 c 100,90,0,0 100,90,0,0 \
		'main()' 200,100,904,904 1200,1000,5000,5000 >>"$t/want"
	sort -o "$t/want" "$t/want"
	same "$t/want" "$t/got"
}

@test "xhprof: times of tideways are conserved" {
	in=samples/xhprof/tideways/xhprof.json
	# Each level of a recursion is the function; its first one counts.
	perl -MJSON::PP -0777 -ne '$of = decode_json($_);
		for (keys %$of) { ($from, $to) = /^(?:(.*)==>)?(.*?)$/;
			$wt{$to} += $of->{$_}{wt} unless $to =~ /@/ }
		print map { "$_\t$wt{$_}\n" } keys %wt' "$in" |
		LC_ALL=C sort >"$t/want"
	"$CGCONV" -q -t json "$in" | perl tests/oracle/graph.pl |
		sed -n 's/^function	:0:\([^	]*\)	[^	]*	\([0-9]*\),.*/\1	\2/p' |
		LC_ALL=C sort | same "$t/want" -
}

@test "xhprof: memory may be negative, time may not" {
	echo '{"main()":{"ct":1,"wt":5,"mu":-7}}' >"$t/x"
	"$CGCONV" -q -t json "$t/x" | grep -qxF '["total",[5,-7]]'
	echo '{"main()":{"wt":5},"main()==>a":{"wt":9}}' >"$t/x"
	"$CGCONV" -t json "$t/x" 2>&1 >/dev/null | grep -q 'a negative time is read as 0'
}

@test "xhprof: makes events of the costs in the input only" {
	echo '{"main()":{"ct":1,"wt":5}}' >"$t/x"
	"$CGCONV" -q -t json "$t/x" | grep -c '^."event"' | grep -qx 1
	echo '{"main()":{"ct":1,"wt":5,"samples":3}}' >"$t/x"
	"$CGCONV" -t json "$t/x" 2>&1 >/dev/null | grep -q 'another one is skipped'
}

@test "xhprof: rejects malformed files" {
	while IFS='|' read -r message file; do
		echo "$file" >"$t/x"
		refuses 1 "expected $message" -f xhprof -t json "$t/x"
	done <<-'E'
		'{'|{"main()":5}
		a number of calls|{"main()":{"ct":-1}}
		a number|{"main()":{"wt":"x"}}
		costs whose sum fits in 64 bits|{"a==>b":{"wt":9e18},"c==>b":{"wt":9e18}}
	E
}
