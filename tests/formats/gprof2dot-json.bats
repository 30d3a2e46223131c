# gprof2dot-json.bats - call chains with costs.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

@test "gprof2dot-json: reads all costs of all call chains, with keys in any order" {
	"$CGCONV" -q -t json samples/gprof2dot-json/chains/chains.json >"$t/json"
	grep -q '^."event",0,"CPU_time","CPU time","ms"' "$t/json"
	perl tests/oracle/graph.pl "$t/json" >"$t/got"
	printf '%s\n' 'call	prog:0:f	libc.so:0:malloc	2	9,2' \
		'call	prog:0:main	prog:0:f	3	9,3' \
		'function	libc.so:0:malloc	9,2	9,2' \
		'function	prog:0:f	0,1	9,3' \
		'function	prog:0:main	4,2	13,5' >"$t/want"
	same "$t/want" "$t/got"
}

@test "gprof2dot-json: rejects malformed files" {
	while IFS='|' read -r message file; do
		echo "{$file}" >"$t/x"
		refuses 1 "expected $message" -f gprof2dot-json -t json "$t/x"
	done <<-'E'
		version 0|"version":1
		a call chain|"events":[{"callchain":[],"cost":[1]}]
		a cost|"events":[{"callchain":[0]}]
		as many costs|"events":[{"callchain":[0],"cost":[1]},{"callchain":[0],"cost":[1,2]}]
		costs with a description|"events":[{"callchain":[0],"cost":[1]}]
		functions for all|"costs":[{}],"events":[{"callchain":[0],"cost":[1]}]
		the index of a function|"events":[{"callchain":[-1],"cost":[1]}]
		a non-negative cost|"events":[{"callchain":[1],"cost":[-1]}]
		costs of different names|"costs":[{},{}],"events":[{"callchain":[0],"cost":[1,2]}]
		costs whose sum fits in 64 bits|"events":[{"callchain":[1],"cost":[9e18]},{"callchain":[1],"cost":[9e18]},{"callchain":[1],"cost":[9e18]}]
	E
}
