# xdebug.bats - function traces of PHP's Xdebug.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
	calls=samples/xdebug/calls/trace.xt
}

# self FILE: stacks and microseconds, computed without cgconv.
self()
{
	perl -F'\t' -ane 'chomp @F; next unless $F[2] =~ /^[01]$/ && @F > 3;
		$of{join ";", @s} += $F[3] * 1e6 - $last if @s;
		$last = $F[3] * 1e6;
		if ($F[2]) { pop @s } else { push @s, $F[5] }
		END { printf "%s %.0f\n", $_, 1000 * $of{$_}
			for grep { $of{$_} >= 1 } sort keys %of }' "$1"
}

@test "xdebug: times between records belong to the stack of that time" {
	[ "$("$CGCONV" --detect $calls | cut -f 2,4)" = 'xdebug	100' ]
	self $calls | LC_ALL=C sort >"$t/want"
	[ "$(wc -l <"$t/want")" -ge 10 ]
	"$CGCONV" -q -t folded --event ns $calls | LC_ALL=C sort |
		same "$t/want" -
}

@test "xdebug: calls are counted, and keep their times" {
	"$CGCONV" -q -t csv --table calls $calls >"$t/csv"
	grep 'rec.*leaf,3,' "$t/csv"
	"$CGCONV" -q -t trace-event $calls >"$t/trace"
	first=$(awk -F'\t' '$6 == "str_repeat" { print $4 * 1e6 }' $calls)
	grep '"str_repeat"' "$t/trace" | grep "\"ts\":$first"
	"$CGCONV" -q -t json $calls | grep -F '"bytes","Increases of memory"'
	# A string of 2000 bytes, which is freed later.
	"$CGCONV" -q -t folded --event bytes $calls |
		grep 'Shape->helper;str_repeat 2[01][0-9][0-9]$'
}

@test "xdebug: reads the format for people" {
	text=samples/xdebug/text/trace.xt
	[ "$("$CGCONV" --detect $text | cut -f 2,4)" = 'xdebug	100' ]
	"$CGCONV" -t json -o "$t/1" $text 2>"$t/err"
	grep 'note: calls end where the next one begins' "$t/err"
	"$CGCONV" -t json -o "$t/2" samples/xdebug/returns/trace.xt 2>"$t/err"
	not grep 'calls end where' "$t/err"
	# The same calls in all three.
	for file in "$t/1" "$t/2" $calls; do
		"$CGCONV" -q -t csv --table calls "$file" |
			cut -d , -f 1-8 | sed 's/"//g' >"$t/calls"
		grep -q 'Shape->area.*Shape->helper' "$t/calls"
		grep -q 'rec.*leaf,3' "$t/calls"
	done
	# Columns of the growth of memory, an assignment, an included file.
	printf '%s\n' 'TRACE START [2014-01-01 00:00:00]' \
		'    0.1000     1000   +1000   -> {main}() /a.php:0' \
		'                                 => $a = 1 /a.php:2' \
		'    0.2000     1100    +100     -> require_once(/b.php) /a.php:3' \
		'    0.3000     1100      +0     -> f($x = 3) /a.php:4' \
		'    0.4000     1000' 'TRACE END   [2014-01-01 00:00:01]' >"$t/old"
	"$CGCONV" -q -t folded "$t/old" | same - <(printf '%s\n' \
		'{main} 100000000' '{main};f 100000000' \
		'{main};require_once 100000000')
	"$CGCONV" -q -t json "$t/old" | grep -F '["file",1,"/b.php"'
}

@test "xdebug: several traces of one file have clocks of their own" {
	cat $calls $calls >"$t/two"
	[ "$("$CGCONV" -q -t folded --event ns "$t/two" |
		awk '{ s += $NF } END { print s }')" = \
		"$("$CGCONV" -q -t folded --event ns $calls |
			awk '{ s += 2 * $NF } END { print s }')" ]
}

@test "xdebug: malformed and truncated traces are told" {
	sed 's/	0\.0/	x.0/' $calls >"$t/in"
	refuses 1 ':4: error: expected a level, a number' -t json "$t/in"
	sed 's/-> leaf/leaf/' samples/xdebug/text/trace.xt >"$t/in"
	refuses 1 'expected a time, a size, "->"' -t json "$t/in"
	sed '5s/	0\.[0-9]*/	9.5/' $calls >"$t/in"
	refuses 1 'expected a time that is not before the last one' \
		-t json "$t/in"
	head -n 3 $calls >"$t/in"
	refuses 1 'and calls' -t json "$t/in"
	head -n 9 $calls >"$t/in"
	"$CGCONV" -t json "$t/in" 2>&1 >/dev/null | grep 'may be truncated'
}
