# xctrace.bats - time profiles of Apple's Instruments.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

# Prints a table with these rows.
table()
{
	echo "<?xml version=\"1.0\"?><trace-query-result><node>$1</node></trace-query-result>"
}

@test "xctrace: reads samples and weights, by reference or not, with or without stack" {
	"$CGCONV" -q -t json samples/xctrace/rows/export.xml |
		perl tests/oracle/graph.pl | sort >"$t/got"
	printf '%s\t%s\t%s\t%s\t%s\n' \
		call /src/v.c:0:a /src/v.c:0:c 2 2,2000000 \
		call /src/prog:0:main /src/v.c:0:a 3 3,4000000 \
		call /usr/lib/dyld:0:0x18f3 /src/prog:0:main 2 2,2000000 \
		>"$t/want"
	printf 'function\t%s\t%s\t%s\n' ':0:(unknown)' 1,1000000 1,1000000 \
		/src/prog:0:main 0,0 3,4000000 \
		/src/v.c:0:a 1,2000000 3,4000000 \
		/src/v.c:0:c 2,2000000 2,2000000 \
		/usr/lib/dyld:0:0x18f3 0,0 2,2000000 >>"$t/want"
	sort -o "$t/want" "$t/want"
	same "$t/want" "$t/got"
}

@test "xctrace: threads are parts on request" {
	"$CGCONV" -q -t json --part-by tid samples/xctrace/rows/export.xml |
		grep '^."part"' >"$t/got"
	grep -q '^\["part",77,31,' "$t/got"
	grep -q '^\["part",77,32,' "$t/got"
}

@test "xctrace: reads backtraces without frames" {
	table '<row><weight id="1">5</weight><backtrace id="2"/></row><row><weight ref="1"/><backtrace id="3"><frame id="4" name="f"/><frame id="5" name="main"/></backtrace></row><row><weight ref="1"/><backtrace ref="2"/></row><row><weight ref="1"/><backtrace id="6"><frame id="7" name="g"/><frame ref="5"/></backtrace></row>' >"$t/x"
	"$CGCONV" -q -f xctrace -t folded --event samples "$t/x" |
		sort >"$t/got"
	printf '%s\n' '(unknown) 2' 'main;f 1' 'main;g 1' | same - "$t/got"
}

@test "xctrace: rejects malformed files" {
	while IFS='|' read -r message rows; do
		table "$rows" >"$t/x"
		refuses 1 "expected $message" -f xctrace -t json "$t/x"
	done <<-'E'
		a ref to an earlier|<row><backtrace ref="1"/></row>
		a ref to an earlier|<row><weight id="1">5</weight><backtrace ref="1"/></row>
		a ref to an earlier|<row><backtrace id="1"><frame id="2"/><frame ref="1"/></backtrace></row>
		an id that no other|<row><weight id="1">5</weight></row><row><weight id="1">5</weight></row>
		a number|<row><weight id="1">x</weight></row>
		a pid of 32 bits|<row><process id="1"><pid id="2">4294967296</pid></process></row>
		a ref to an earlier|<row><backtrace id="1"><frame ref="0"/></backtrace></row>
	E
	table '<row><weight>5' >"$t/x"
	refuses 1 "x:1:" -f xctrace -t json "$t/x"
}

@test "xctrace: entities are not expanded" {
	{
		echo '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
		echo '<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c SYSTEM "/etc/passwd">]>'
		echo '<trace-query-result><row><weight>&b;&c;</weight></row></trace-query-result>'
	} >"$t/x"
	refuses 1 "error:" -f xctrace -t json "$t/x"
}
