# safari.bats - timeline recordings of Safari's Web Inspector.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

in=samples/safari/page/page-recording.json

@test "safari: samples, durations and anonymous functions" {
	"$CGCONV" -q -t folded --event ns $in | says \
		'(program);alpha;(anonymous) 1547111' \
		'(program);alpha;(anonymous):16:20 1547111' \
		'(program);alpha;gamma 1000000' 'sort 1000000'
	"$CGCONV" -q -t folded --event samples $in | says \
		'(program);alpha;(anonymous) 1' '(program);alpha;(anonymous):16:20 1' \
		'(program);alpha;gamma 1' 'sort 1'
}

@test "safari: lines are where functions begin, and where they ran" {
	"$CGCONV" -q -t json $in | perl -MJSON::PP -ne '
		next unless ref($_ = decode_json($_)) eq "ARRAY";
		$file[$_->[1]] = $_->[2] if $_->[0] eq "file";
		$fn[$_->[1]] = $_ if $_->[0] eq "function";
		print join(" ", $fn[$_->[3]][2], $fn[$_->[3]][5] // 0, $_->[5],
			$file[$_->[4]] // "-"), "\n" if $_->[0] eq "frame"' |
		LC_ALL=C sort | says '(anonymous) 12 13 file:///src/page.js' \
		'(anonymous):16:20 16 17 file:///src/page.js' \
		'(program) 1 30 file:///src/page.js' \
		'alpha 1 2 file:///src/page.js' 'alpha 1 3 file:///src/page.js' \
		'alpha 1 4 file:///src/page.js' 'gamma 20 22 file:///src/page.js' \
		'sort 0 0 -'
}

@test "safari: malformed and truncated recordings" {
	bad() { # JSON MESSAGE
		printf '%s' "$1" >"$dir/in"
		refuses 1 "$2" -f safari -t json "$dir/in"
	}
	bad '{"version": 1}' 'a recording with sampleStackTraces'
	bad '{"version": 1, "recording": {"samples": []}}' \
		'a recording with sampleStackTraces'
	bad '{"recording": {"sampleStackTraces": [{"stackFrames": []}], "sampleDurations": []}}' \
		'as many sampleDurations as samples'
	bad '{"recording": {"sampleStackTraces": [], "sampleDurations": [1]}}' \
		'as many durations as sampleStackTraces'
	bad '{"recording": {"sampleStackTraces": [{"stackFrames": []}], "sampleDurations": [-1]}}' \
		'a duration that is not negative'
	head -c 900 $in >"$dir/in"
	refuses 1 'in:1' -t json "$dir/in"
	sed 's/"version":1/"version":2/' $in >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep 'warning: expected version 1, not 2'
}

@test "safari: dropped records of the timeline are told" {
	printf '%s' '{"version":1,"recording":{"records":[{"a":[1]},{}],' \
		'"sampleStackTraces":[{"stackFrames":[{"name":"f"}]}],' \
		'"sampleDurations":[1]}}' >"$BATS_TEST_TMPDIR/in"
	"$CGCONV" -f safari -t folded "$BATS_TEST_TMPDIR/in" 2>&1 >/dev/null |
		grep -F 'records of the timeline are dropped: 2'
}
