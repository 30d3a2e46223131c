# oprofile-xml.bats - profiles of OProfile.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

# A profile with what follows between setup and symbols.
profile()
{
	cat <<-E
		<?xml version="1.0" ?>
		<profile schemaversion="3.0"><setup>
		<eventsetup id="0" eventname="CYCLES" setupcount="100"/></setup>
		$1<symboltable><symboldata id="0" name="f"/></symboltable>
		</profile>
	E
}

@test "oprofile-xml: reads samples of all events, callees, modules, missing symbols" {
	"$CGCONV" -q -t json samples/oprofile-xml/modules/opreport.xml |
		perl tests/oracle/graph.pl >"$t/got"
	printf '%s\n' \
		'call	/src/a.c:0:main	/src/a.c:0:work<int>	5	5,0' \
		'function	/bin/stripped:0:(no symbols)	7,0	-' \
		'function	/lib/libc.so:0:memcpy	4,0	-' \
		'function	/src/a.c:0:main	2,0	-' \
		'function	/src/a.c:0:work<int>	3,1	-' >"$t/want"
	same "$t/want" "$t/got"
}

@test "oprofile-xml: sums equal those of the binaries" {
	"$CGCONV" -q -t json samples/oprofile-xml/modules/opreport.xml |
		grep -qxF '["total",[16,1]]'
}

@test "oprofile-xml: processes and threads are parts on request" {
	profile '<process pid="7" name="x"><count>3</count><thread tid="8">
		<count>3</count><module name="/x"><symbol idref="0">
		<count>3</count></symbol></module></thread></process>' >"$t/x"
	"$CGCONV" -q -t json --part-by tid "$t/x" | grep -q '^."part",7,8,'
	"$CGCONV" -q -t json "$t/x" | grep -qxF '["total",[3]]'
}

@test "oprofile-xml: counts of one event are summed" {
	profile '<classes><class name="a" event="0"/><class name="b" event="0"/>
		</classes><binary name="/x"><symbol idref="0"><callees>
		<symbol idref="0"><count class="b">5</count>
		<count class="a">6</count></symbol></callees>
		<count class="a">3</count><count class="b">4</count>
		</symbol></binary>' >"$t/x"
	"$CGCONV" -q -t json "$t/x" | perl tests/oracle/graph.pl >"$t/got"
	printf '%s\n' 'call	/x:0:f	/x:0:f	11	11' \
		'function	/x:0:f	7	-' >"$t/want"
	same "$t/want" "$t/got"
}

@test "oprofile-xml: rejects malformed files" {
	while IFS='|' read -r message text; do
		profile "$text" >"$t/x"
		refuses 1 "expected $message" -f oprofile-xml -t json "$t/x"
	done <<-'E'
		symboldata for every idref|<binary name="a"><symbol idref="9"><count>1</count></symbol></binary>
		a number of samples|<binary name="a"><count>x</count></binary>
		a number as attribute|<binary name="a"><symbol><count>1</count></symbol></binary>
		the class of a count|<binary name="a"><count class="c9">1</count></binary>
		the id of an event|<classes><class name="c0" event="5"/></classes>
		a symbol id that occurs only once|<symboltable><symboldata id="0" name="f"/></symboltable>
		a number of 32 bits|<process pid="4294967296"/>
		at most 8 levels|<module><module><module><module><module><module><module><module><module></module></module></module></module></module></module></module></module></module>
	E
}
