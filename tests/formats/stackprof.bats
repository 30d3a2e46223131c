# stackprof.bats - profiles of Ruby, compared with the sums that they contain.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

graph()
{
	"$CGCONV" -q -t json "$1" | perl tests/oracle/graph.pl
}

@test "stackprof: sums of the stacks equal stackprof's own" {
	for file in samples/stackprof/raw/*.json samples/stackprof/ruby/*.json
	do
		graph "$file" | grep '^function' | LC_ALL=C sort >"$t/got"
		perl -MJSON::PP -0777 -ne '
			for (values %{decode_json($_)->{frames}}) {
			$$_{file} = "(cfunc)" if $$_{file} eq "<cfunc>";
			print join("\t", "function", join(":", $$_{file},
				$$_{line} // 0, $$_{name}), $$_{samples},
				$$_{total_samples}), "\n" }' "$file" |
			LC_ALL=C sort >"$t/want"
		same "$t/want" "$t/got"
	done
}

@test "stackprof: without stacks, reads the totals by function and line" {
	graph samples/stackprof/raw/stackprof.json | grep '^function' >"$t/raw"
	graph samples/stackprof/sums/stackprof.json >"$t/sums"
	grep '^function' "$t/sums" >"$t/functions"
	same "$t/raw" "$t/functions"
	grep -qx 'call	/src/v.rb:1:Object#a	/src/v.rb:4:Object#b	5	5' "$t/sums"
	"$CGCONV" -q -t json samples/stackprof/sums/stackprof.json |
		grep -qxF '["cost",1,2,0,[5]]'
}

@test "stackprof: a sample is an interval of time" {
	"$CGCONV" -q -t json samples/stackprof/raw/stackprof.json |
		grep -q '^\["formula","ns","1000000 samples","Time","ns"'
	sed 's/"wall"/"object"/' samples/stackprof/raw/stackprof.json >"$t/x"
	"$CGCONV" -q -t json "$t/x" | not grep formula
}

@test "stackprof: rejects malformed files" {
	while IFS='|' read -r message file; do
		echo "{\"mode\":\"wall\",\"interval\":1,$file}" >"$t/x"
		refuses 1 "expected $message" -f stackprof -t json "$t/x"
	done <<-'E'
		a whole stack|"raw":[2,1]
		a whole stack|"raw":[1,1]
		a number of frames|"raw":[0,5]
		a number of frames|"raw":[-1,5]
		frames for all ids|"raw":[1,7,5],"frames":{}
		frames for all ids|"frames":{"1":{"edges":{"2":1}}}
		a number as key|"frames":{"x":{}}
		a frame id that occurs only once|"frames":{"1":{},"1":{}}
		a line number|"frames":{"1":{"line":99999999999}}
		two numbers of samples|"frames":{"1":{"lines":{"1":[1,2,3]}}}
		a number of samples|"frames":{"1":{"edges":{"1":-1}}}
		samples whose sum fits|"raw":[1,1,9e18,1,1,9e18,1,1,9e18]
	E
}

@test "stackprof: a frame without samples is no function of the profile" {
	cat >"$BATS_TEST_TMPDIR/in.json" <<-'EOF'
	{"version":1.2,"mode":"wall","interval":1000,"samples":5,"frames":{
	"1":{"name":"a","file":"/a.rb","line":1,"total_samples":5,"samples":5},
	"2":{"name":"b","file":"<cfunc>","total_samples":0,"samples":0}}}
	EOF
	"$CGCONV" -q -f stackprof -t callgrind "$BATS_TEST_TMPDIR/in.json" \
		>"$BATS_TEST_TMPDIR/out"
	grep -q '^fn=.* a$' "$BATS_TEST_TMPDIR/out"
	not grep -q '^fn=.* b$' "$BATS_TEST_TMPDIR/out"
	# Nor has callgrind a place for a total alone.
	sed 's/"total_samples":0/"total_samples":3/' \
		"$BATS_TEST_TMPDIR/in.json" >"$BATS_TEST_TMPDIR/total.json"
	"$CGCONV" -q -f stackprof -t callgrind "$BATS_TEST_TMPDIR/total.json" |
		same "$BATS_TEST_TMPDIR/out" -
}
