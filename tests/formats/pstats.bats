# pstats.bats - profiles of Python, compared with its pstats module.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

# Writes a file of these bytes, in the notation of printf.
bytes()
{
	# shellcheck disable=SC2059 # a format on purpose
	printf "$1" >"$t/x.pstats"
}

# Prints the functions and calls that cgconv reads, without unknown callers.
graph()
{
	"$CGCONV" -q -t json "$1" | perl tests/oracle/graph.pl |
		grep -v '<spontaneous>'
}

# A dictionary of one function, its value to follow: f of f.py, line 7.
f="{)\3z\4f.pyi\7\0\0\0z\1f"

@test "pstats: numbers equal those of Python's pstats module" {
	for file in $(samples pstats); do
		graph "$file" >"$t/got"
		# Values of calls that profile.py does not record are not
		# compared.
		awk -F '\t' -v OFS='\t' '
			NR == FNR { if ($5 == "-") no[$2, $3] = 1; next }
			($2, $3) in no { $5 = "-" }
			{ print }' "${file%/*}/stats.txt" "$t/got" >"$t/cmp"
		same "${file%/*}/stats.txt" "$t/cmp"
	done
}

@test "pstats: the samples are what Python writes today" {
	command -v python3 >/dev/null || skip "no python3"
	for file in $(samples pstats); do
		python3 tests/oracle/python-stats.py "$file" >"$t/stats"
		same "${file%/*}/stats.txt" "$t/stats"
	done
}

@test "pstats: all calls count, not only primitive ones" {
	graph samples/pstats/cprofile/cprofile.pstats |
		grep -q '^call	prof.py:11:fib	prof.py:11:fib	640	'
}

@test "pstats: methods and lambdas of one name are distinct" {
	"$CGCONV" -q -t callgrind samples/pstats/cprofile/cprofile.pstats \
		>"$t/out"
	for name in __init__ run '<lambda>'; do
		[ "$(grep -Ec "^c?fn=.[0-9]+. $name(:[0-9]+)?\$" "$t/out")" = 2 ]
	done
}

# Prints the cost of the calls without a known caller to function $1 of stdin.
from_unknown()
{
	perl tests/oracle/graph.pl | awk -F '\t' -v fn="$1" '
		$1 == "call" && $2 ~ /<spontaneous>$/ && $3 ~ fn { print $5 }'
}

@test "pstats: a call inside another one takes nothing from the outer call" {
	want=$(awk -F '\t' '$1 == "function" && $2 ~ /builtins.exec>$/ {
		print $4 }' samples/pstats/nested/stats.txt)
	got=$("$CGCONV" -q -t json samples/pstats/nested/nested.pstats |
		from_unknown 'builtins.exec>$')
	[ "$got" = "$want" ]
	# The same of profile: f, 10 s, is called once from outside, and once
	# below itself by g; each of the two known calls has 10 s / 2.
	bytes "$f)\5i\1\0\0\0i\2\0\0\0f\0011f\00210{)\3z\1gi\0\0\0\0z\1gi\1\0\0\00000"
	[ "$("$CGCONV" -q -t json "$t/x.pstats" | from_unknown ':f$')" = \
		10000000000 ]
	# Called twice from outside, and once by g, not below itself.
	bytes "$f)\5i\3\0\0\0i\3\0\0\0f\0011f\00210{)\3z\1gi\0\0\0\0z\1gi\1\0\0\00000"
	[ "$("$CGCONV" -q -t json "$t/x.pstats" | from_unknown ':f$')" = \
		6666666667 ]
}

@test "pstats: functions written in C belong to the object (built-in)" {
	"$CGCONV" -q -t json samples/pstats/cprofile/cprofile.pstats >"$t/out"
	grep -qxF '["object",1,"(built-in)"]' "$t/out"
	grep -qF '"<built-in method builtins.sum>",0,1]' "$t/out"
}

@test "pstats: a function's time is divided among calls without a cost" {
	graph samples/pstats/profile/profile.pstats | sed 's/[^	]*prof.py/prof.py/g' >"$t/out"
	awk -F '\t' '$1 == "function" && $2 ~ /:11:fib$/ { want = $4 }
		$1 == "call" && $3 ~ /:11:fib$/ { got += $5 }
		END { exit !(want > 0 && want == got) }' "$t/out"
	"$CGCONV" -t json samples/pstats/profile/profile.pstats 2>&1 >/dev/null |
		grep -q 'costs are divided by the counts'
}

@test "pstats: reads the marshal format of Python 2" {
	# Strings t and R, long integers, 64-bit integers.
	bytes "{(\3\0\0\0t\4\0\0\0f.pyi\7\0\0\0t\1\0\0\0f(\5\0\0\0\
l\1\0\0\0\5\0I\5\0\0\0\0\0\0\0f\0040.25f\0032.5{(\3\0\0\0R\0\0\0\0\
l\2\0\0\0\1\0\1\0t\1\0\0\0g(\4\0\0\0i\5\0\0\0i\5\0\0\0f\0010f\0032.500"
	graph "$t/x.pstats" >"$t/got"
	printf 'call\tf.py:32769:g\tf.py:7:f\t5\t2500000000\n' >"$t/want"
	printf 'function\tf.py:32769:g\t0\t-\n' >>"$t/want"
	printf 'function\tf.py:7:f\t250000000\t2500000000\n' >>"$t/want"
	same "$t/want" "$t/got"
}

@test "pstats: reads an empty profile" {
	bytes '{0'
	"$CGCONV" -t json "$t/x.pstats" | grep -q '^\["event",0,"ns"'
}

@test "pstats: negative times are 0, with a warning" {
	bytes "$f)\5i\1\0\0\0i\1\0\0\0f\2-1f\0013{00"
	"$CGCONV" -t json "$t/x.pstats" 2>"$t/err" >"$t/out"
	grep -q 'warning: -1 seconds are read as 0' "$t/err"
	grep -qxF '["inclusive",[3000000000]]' "$t/out"
}

@test "pstats: data after the dictionary is skipped with a warning" {
	bytes '{0{0'
	"$CGCONV" -f pstats -t json "$t/x.pstats" 2>&1 >/dev/null |
		grep -q 'warning: data after the dictionary is skipped'
}

@test "pstats: rejects malformed files" {
	while IFS='|' read -r data message; do
		bytes "$data"
		refuses 1 "expected $message" -f pstats -t json "$t/x.pstats"
	done <<-E
		{|more bytes: the file is truncated
		z\1f|a dictionary of functions
		{N|a number, a string, a tuple or a dictionary
		{i\1\0\0\0|a function: (file, line, name)
		{r\0\0\0\0|a reference to an earlier function or value
		{R\0\0\0\0|a reference to an earlier string
		{)\3i\1\0\0\0|the file of a function
		{)\3z\1fz\1f|a line number
		{)\3z\1fi\1\0\0\0i\1\0\0\0|the name of a function
		{)\3z\1fi\1\0\0\0c|a name, not a code object
		{\251\3r\0\0\0\0|a reference to an earlier function or value
		{)\3u\377\377\377\377f|more bytes: the file is truncated
		$f)\4|the costs of a function: 5 values
		$f)\5i\377\377\377\377|a number of calls
		$f)\5l\5\0\0\0|a number below 2^60
		$f)\5i\1\0\0\0i\1\0\0\0f\3inf|a number of seconds
		$f)\5i\1\0\0\0i\1\0\0\0f\3nan|a number of seconds
		$f)\5i\1\0\0\0i\1\0\0\0f\0041e11|a number of seconds
		$f)\5i\1\0\0\0i\1\0\0\0f\0031x0|a number of seconds
		$f)\5i\1\0\0\0i\1\0\0\0f\0011f\0011i|more bytes
		$f)\5i\1\0\0\0i\1\0\0\0f\0011f\0011z\1x|a dictionary of callers
		$f)\5i\1\0\0\0i\1\0\0\0f\0011f\0011{)\3z\1fi\0\0\0\0z\1f)\3|the calls of a caller: 4 numbers
	E
}

@test "pstats: rejects a sum beyond 64 bits" {
	one="i\1\0\0\0i\1\0\0\0f\0061.8e10f\0011{0"
	bytes "$f)\5${one})\3z\1ai\1\0\0\0z\1a)\5${one}0"
	refuses 1 "exceeds 64 bits" -f pstats -t json "$t/x.pstats"
}
