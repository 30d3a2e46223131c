# heapprofile.bats - V8's heap profiles, against a reading node by node.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

@test "heapprofile: bytes equal those of an independent reader" {
	file=samples/heapprofile/node/prof.heapprofile
	perl tests/oracle/v8.pl $file >"$t/want"
	"$CGCONV" -q -t json $file | perl tests/oracle/graph.pl >"$t/got"
	[ "$(wc -l <"$t/want")" -ge 20 ]
	same "$t/want" "$t/got"
}

@test "heapprofile: reads stacks of 500 frames" {
	frame='"callFrame":{"functionName":"f","scriptId":"1","url":"x.js","lineNumber":0,"columnNumber":0},"selfSize":1'
	{
		printf '{"head":'
		for ((i = 0; i < 500; i++)); do
			printf '{%s,"children":[' "$frame"
		done
		printf ']}%.0s' {1..500}
		printf '}\n'
	} >"$t/x.heapprofile"
	"$CGCONV" -q -t json "$t/x.heapprofile" >"$t/out"
	[ "$(grep -c '^."frame"' "$t/out")" = 500 ]
	grep -qxF '["total",[500]]' "$t/out"
}

@test "heapprofile: rejects malformed files" {
	echo '{"head":{"selfSize":-1}}' >"$t/x"
	refuses 1 "x:1:21: error: expected a non-negative number" -t json "$t/x"
	echo '{"head":{"selfSize":1,"children":[{"selfSize":1},5]}}' >"$t/x"
	refuses 1 "x:1:50: error: expected '{'" -t json "$t/x"
	echo '{"head":{"selfSize":1}} x' >"$t/x"
	refuses 1 "x:1:25: error: expected the end" -f heapprofile -t json "$t/x"
}
