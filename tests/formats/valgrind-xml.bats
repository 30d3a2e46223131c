# valgrind-xml.bats - leaks, compared with the output of Memcheck.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

# leak KIND BYTES BLOCKS FRAME...
leak()
{
	printf '<error><unique>0x0</unique><kind>%s</kind><xwhat><text>x</text>' "$1"
	printf '<leakedbytes>%s</leakedbytes><leakedblocks>%s</leakedblocks>' "$2" "$3"
	printf '</xwhat><stack>'
	shift 3
	for frame; do
		printf '<frame><ip>0x%s</ip><fn>%s</fn></frame>' \
			"${frame#*=}" "${frame%=*}"
	done
	printf '</stack></error>\n'
}

report()
{
	printf '<?xml version="1.0"?>\n\n<valgrindoutput>\n%s\n</valgrindoutput>\n' "$*"
}

@test "valgrind-xml: bytes and blocks are those of Memcheck's summary" {
	"$CGCONV" -q -t json samples/valgrind-xml/leaks/leaks.xml >"$t/json"
	want=$(sed -n 's/.*<text>\([0-9]*\) bytes in \([0-9]*\) blocks.*/\1,\2/p' \
		samples/valgrind-xml/leaks/leaks.xml)
	[ -n "$want" ]
	grep -qxF "[\"total\",[$want]]" "$t/json"
	perl tests/oracle/graph.pl "$t/json" |
		grep -q "^call	heap.cc:0:main	heap.cc:0:leak(int)	5	$want\$"
}

@test "valgrind-xml: each kind of leak is an event" {
	report "$(leak Leak_StillReachable 8 1 malloc=1 main=2)" \
		"$(leak Leak_DefinitelyLost 24 2 malloc=1 f=3 main=4)" \
		"$(leak Leak_DefinitelyLost 4 1 malloc=1 f=3 main=4)" |
		"$CGCONV" -q -t json >"$t/out"
	sed -n 's/^."event",[0-9],"\([^"]*\)".*/\1/p' "$t/out" | tr '\n' ' ' |
		grep -qx 'DefiniteBytes DefiniteBlocks ReachableBytes ReachableBlocks '
	grep -qxF '["total",[28,3,8,1]]' "$t/out"
}

@test "valgrind-xml: a frame with the address of its caller is inlined" {
	report "$(leak Leak_PossiblyLost 1 1 malloc=1 g=9 f=9 main=4)" |
		"$CGCONV" -q -t json | grep -c '^."frame",.*,true\]' | grep -qx 1
}

@test "valgrind-xml: errors other than leaks are dropped with a note" {
	report "$(leak InvalidRead 1 1 f=1)" >"$t/x"
	"$CGCONV" -t json "$t/x" 2>&1 >/dev/null |
		grep -q 'errors other than leaks are dropped: 1'
}

@test "valgrind-xml: rejects malformed files" {
	report "$(leak Leak_DefinitelyLost x 1 f=1)" >"$t/x"
	refuses 1 "x:4:" -t json "$t/x"
	report "$(leak Leak_DefinitelyLost 1 1)" >"$t/x"
	refuses 1 "expected a stack in the leak" -t json "$t/x"
	report "$(leak Leak_DefinitelyLost 1 1 f=1)" | head -c 200 >"$t/x"
	refuses 1 "error:" -f valgrind-xml -t json "$t/x"
}
