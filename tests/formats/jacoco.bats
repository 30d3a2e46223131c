# jacoco.bats - the XML of JaCoCo.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	java=samples/jacoco/java/jacoco.xml
	group=samples/jacoco/group/jacoco.xml
	lcov=samples/lcov/geninfo-2.5/coverage.info
}

# document ELEMENT...: prints a report with these elements in package p.
document()
{
	printf '%s\n' '<?xml version="1.0"?>' '<report name="x">' \
		'<sessioninfo id="a" start="1" dump="2"/>' \
		'<package name="p">' "$@" '</package></report>'
}

# lines LINE...: prints a report with these lines in one source file.
lines()
{
	document '<sourcefile name="A.java">' "$@" '</sourcefile>'
}

# counters INSTRUCTION LINE METHOD: their missed,covered numbers as elements.
counters()
{
	local type

	for type in INSTRUCTION LINE METHOD; do
		printf '<counter type="%s" missed="%s" covered="%s"/>' \
			$type "${1%,*}" "${1#*,}"
		shift
	done
}

# numbers: prints the records of standard input as a tracefile.
numbers()
{
	"$CGCONV" -q -t lcov - | grep -E '^(SF|DA|BRDA|FN:|FNDA)'
}

# costs: function, line, Exec, CoveredInstr, MissedInstr of standard input.
costs()
{
	"$CGCONV" -q -t callgrind - | perl tests/oracle/callgrind.pl - |
		grep ^self | cut -f 5,7,9- | tr '\t' ' '
}

# refuses_lines MESSAGE LINE...
refuses_lines()
{
	local message=$1

	shift
	lines "$@" >"$dir/bad.xml"
	refuses 1 "$message" "$dir/bad.xml"
}

# totals FILE: the counters of the report, without complexity.
totals()
{
	perl -0777 -ne 's/.*<\/(?:package|group)>//s;
		print "$1\n" while /<counter (type="(?!COMP)[^>]*)\/>/g' "$1"
}

@test "jacoco: totals of JaCoCo's reports survive" {
	for file in "$java" "$group"; do
		perl tests/oracle/jacoco.pl "$file"
		"$CGCONV" -q -t jacoco "$file" >"$dir/out.xml"
		totals "$file" >"$dir/want"
		totals "$dir/out.xml" >"$dir/got"
		[ "$(wc -l <"$dir/want")" -eq 5 ]
		same "$dir/want" "$dir/got"
	done
}

@test "jacoco: --summary counts as JaCoCo does" {
	"$CGCONV" -q --summary "$java" | sed -n 3p |
		tr -s ' ' | says ' 67.7% 21/31 66.7% 8/12 60.0% 9/15 all files'
}

@test "jacoco: a report of Java matches the golden files" {
	golden "$java" jacoco
	golden "$java" lcov
}

@test "jacoco: counters add up, elements are where the DTD allows them" {
	for file in "$java" "$group" "$lcov" samples/gcov/gcc-c/*.gcda \
		samples/go-cover/count/cover.out \
		samples/clover/phpunit/clover.xml \
		samples/callgrind/plain/callgrind.out; do
		"$CGCONV" -q -t jacoco "$file" >"$dir/out.xml"
		perl tests/oracle/jacoco.pl "$dir/out.xml"
	done
}

@test "jacoco: the DTD of JaCoCo accepts the output" {
	jar=/usr/share/java/org.jacoco.report.jar
	command -v xmllint >/dev/null && command -v unzip >/dev/null &&
		[ -e $jar ] || skip "no xmllint, unzip or JaCoCo"
	unzip -p $jar org/jacoco/report/xml/report.dtd >"$dir/report.dtd"
	for file in "$java" "$group" "$lcov"; do
		"$CGCONV" -q -t jacoco "$file" >"$dir/out.xml"
		xmllint --nonet --noout --dtdvalid "$dir/report.dtd" \
			"$dir/out.xml"
	done
}

@test "jacoco: totals equal those of lcov" {
	"$CGCONV" -q -t jacoco "$lcov" >"$dir/out.xml"
	totals "$dir/out.xml" |
		sed -n 's/type="\(BRANCH\|LINE\|METHOD\)" missed="\(.*\)" covered="\(.*\)"/\2 \3/p' |
		awk '{ print $2, $1 + $2 }' >"$dir/got"
	awk -F '[:,]' '/^FNA/ { found++; hit += $3 > 0 } /^(BR|L)[FH]/ {
		sum[$1] += $2 } END { print sum["BRH"], sum["BRF"]
		print sum["LH"], sum["LF"]
		print hit, found }' "$lcov" >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "jacoco: lines and branches survive a round trip" {
	"$CGCONV" -q -t jacoco "$java" >"$dir/one.xml"
	"$CGCONV" -q -t jacoco "$dir/one.xml" >"$dir/two.xml"
	same "$dir/one.xml" "$dir/two.xml"
	for file in "$java" "$dir/one.xml"; do
		grep -o '<line [^>]*>' "$file" | sort
	done >"$dir/both"
	[ "$(wc -l <"$dir/both")" -eq 62 ]
	head -n 31 "$dir/both" >"$dir/want"
	tail -n 31 "$dir/both" >"$dir/got"
	same "$dir/want" "$dir/got"
	# Of other languages: as they were, but counts are 0 or 1.
	"$CGCONV" -q -t jacoco "$lcov" | "$CGCONV" -q -t lcov - |
		grep ^DA: >"$dir/got"
	grep ^DA: "$lcov" | sed 's/,[1-9].*/,1/' >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "jacoco: lines belong to methods whose counters they add up to" {
	document '<class name="p/A$B" sourcefilename="A.java">' \
		"<method name=\"f\" desc=\"()V\" line=\"1\">$(counters 1,5 1,2 0,1)</method>" \
		"<method name=\"lambda\" desc=\"()V\" line=\"2\">$(counters 0,2 0,1 0,1)</method>" \
		"<method name=\"g\" desc=\"()V\" line=\"6\">$(counters 9,9 0,1 0,1)</method>" \
		"<method name=\"h\" desc=\"()V\" line=\"7\">$(counters 0,1 0,1 0,1)</method>" \
		"<method name=\"i\" desc=\"()V\" line=\"7\">$(counters 0,1 0,1 0,1)</method>" \
		'</class><sourcefile name="A.java"><line nr="1" ci="2"/>' \
		'<line nr="3" ci="3"/><line nr="2" ci="2"/><line nr="4" mi="1"/>' \
		'<line nr="6" mi="1" ci="8"/><line nr="7" ci="2"/></sourcefile>' |
		costs | says '??? 6 Exec=1 CoveredInstr=8 MissedInstr=1' \
		'??? 7 Exec=1 CoveredInstr=2' \
		'p.A$B.f 1 Exec=1 CoveredInstr=2' \
		'p.A$B.f 3 Exec=1 CoveredInstr=3' \
		'p.A$B.f 4 MissedInstr=1' \
		'p.A$B.lambda 2 Exec=1 CoveredInstr=2'
}

@test "jacoco: classes find their files without sourcefilename" {
	"$CGCONV" -q -t lcov "$group" | grep -E '^(SF|FN:|FNDA)' |
		says SF:com/example/Stack.java \
		'FN:1,com/example/Stack.<init>()V' \
		'FN:3,com/example/Stack.push(I)V' \
		'FNDA:1,com/example/Stack.<init>()V' \
		'FNDA:1,com/example/Stack.push(I)V' \
		SF:com/example/web/Page.kt \
		'FN:5,com/example/web/PageKt.show(Ljava/lang/String;)V' \
		'FNDA:0,com/example/web/PageKt.show(Ljava/lang/String;)V'
}

@test "jacoco: overloads and inner classes keep their names" {
	"$CGCONV" -q -t jacoco "$java" |
		grep -oE '<(class|method) name="(push|demo)[^>]*' |
		says '<class name="demo/Cover" sourcefilename="Cover.java"' \
		'<method name="push" desc="(I)Z" line="9"' \
		'<method name="push" desc="(Ljava/lang/String;)Z" line="16"' \
		'<class name="demo/Cover$Adder" sourcefilename="Cover.java"' \
		'<class name="demo/Unused" sourcefilename="Unused.java"'
}

@test "jacoco: other languages have a class for each file" {
	"$CGCONV" -q -t jacoco "$lcov" >"$dir/out.xml"
	grep -oE '<(package|class|sourcefile) [^>]*' "$dir/out.xml" |
		says '<package name="/src/shapes"' \
		'<class name="/src/shapes/area" sourcefilename="area.h"' \
		'<sourcefile name="area.h"' \
		'<class name="/src/shapes/shapes" sourcefilename="shapes.cc"' \
		'<sourcefile name="shapes.cc"'
	grep -q 'name="check(int)" desc="_ZL5checki" line="17"' "$dir/out.xml"
	for file in a.c /b.c x/.c y/z; do
		printf 'SF:%s\nDA:1,1\nend_of_record\n' "$file"
	done | "$CGCONV" -q -t jacoco - >"$dir/out.xml"
	grep -oE '<(package|class) [^>]*' "$dir/out.xml" |
		says '<package name=""' '<class name="a" sourcefilename="a.c"' \
		'<package name="/"' '<class name="/b" sourcefilename="b.c"' \
		'<package name="x"' '<class name="x/.c" sourcefilename=".c"' \
		'<package name="y"' '<class name="y/z" sourcefilename="z"'
	"$CGCONV" -q -t lcov "$dir/out.xml" | grep ^SF |
		says SF:a.c SF:/b.c SF:x/.c SF:y/z
}

@test "jacoco: branches with n outcomes have n - 1 paths" {
	printf '%s\n' SF:/a.c FN:1,f FNDA:3,f DA:1,3 BRDA:1,0,0,1 BRDA:1,0,1,0 \
		BRDA:1,1,0,2 BRDA:1,1,1,1 BRDA:1,1,2,0 BRDA:1,U1,3,0 \
		end_of_record | "$CGCONV" -q -t jacoco - | grep -E '<line|COMPL' |
		sort -u | says '<counter type="COMPLEXITY" missed="2" covered="2"/>' \
		'<line nr="1" mi="0" ci="1" mb="2" cb="3"/>'
}

@test "jacoco: what it cannot represent is reported" {
	"$CGCONV" -v -t jacoco "$lcov" 2>&1 >"$dir/out" |
		grep -q 'note: how often lines ran is dropped'
	lines '<line nr="1"/>' '<line nr="2" ci="1"/>' |
		"$CGCONV" -t lcov - 2>"$dir/err" | grep ^DA | says DA:1,0 DA:2,1
	grep -q ':6:1: warning: line without mi="..." and ci="..."' "$dir/err"
}

@test "jacoco: errors name their location" {
	refuses_lines 'bad.xml:6:1: error: expected nr="..." with a number up' \
		'<line ci="1"/>'
	refuses_lines 'expected mi="..." with a number up to 4294967295' \
		'<line nr="1" mi="x"/>'
	refuses_lines 'expected ci="..." with a number up to 4294967295' \
		'<line nr="1" ci="4294967296"/>'
	refuses_lines "fewer branches: at most one for each byte" \
		'<line nr="1" ci="1" mb="4294967295" cb="4294967295"/>'
	document '<line nr="1"/>' >"$dir/bad.xml"
	refuses 1 "expected <sourcefile> before <line>" "$dir/bad.xml"
	document '<method name="f" desc="()V"/>' >"$dir/bad.xml"
	refuses 1 "expected <class> before <method>" "$dir/bad.xml"
	document '<class/>' >"$dir/bad.xml"
	refuses 1 'expected name="..."' "$dir/bad.xml"
	document '<sourcefile/>' >"$dir/bad.xml"
	refuses 1 'expected name="..."' "$dir/bad.xml"
	document '<class name="A"><method name="f" desc="()V">' \
		'<counter type="LINE" missed="-1" covered="1"/></method></class>' \
		>"$dir/bad.xml"
	refuses 1 'expected missed="..." with a number' "$dir/bad.xml"
	lines '<line nr="1" ci="1"/>' | head -n 6 >"$dir/bad.xml"
	refuses 1 'the file is truncated' "$dir/bad.xml"
}

# Elements in places where the DTD has none must do no harm.
@test "jacoco: files of one path in several groups have the group in theirs" {
	# group NAME: with A.java of package p, and a file of its own.
	group()
	{
		echo "<group name='$1'><package name='p'><class name='p/A'>
			<method name='f' desc='()V' line='$2'>$(counters 0,2 0,1 0,1)
			</method></class><sourcefile name='A.java'>
			<line nr='$2' ci='2'/></sourcefile><sourcefile name='$1.java'>
			<line nr='9' ci='1'/></sourcefile></package></group>"
	}
	echo "<report name='r'>$(group m 3)<group name='x/y'>$(group n 4)</group></report>" |
		numbers | says SF:m/p/A.java "FN:3,p/A.f()V" "FNDA:1,p/A.f()V" DA:3,1 \
		SF:p/m.java DA:9,1 SF:p/n.java DA:9,1 \
		SF:x_y/n/p/A.java "FN:4,p/A.f()V" "FNDA:1,p/A.f()V" DA:4,1
	echo "<report name='r'>$(group m 3)$(group m 4)</report>" | numbers |
		grep -E '^(SF|DA)' | says SF:p/A.java DA:3,1 DA:4,1 SF:p/m.java DA:9,2
	echo "<report name='r'><group name='$(printf '%4096d' 1)'></group></report>" \
		>"$dir/bad.xml"
	refuses 1 "groups whose names have less than 4 KiB" -f jacoco "$dir/bad.xml"
}

@test "jacoco: packages inside of methods and files are read" {
	lines '<line nr="1" ci="1"/><package name="q"/><line nr="2"/>' \
		>"$dir/bad.xml"
	refuses 1 "expected <sourcefile> before <line>" "$dir/bad.xml"
	document '<class name="A"><method name="f" desc="()V"><package name="q"/>
		<counter type="LINE" missed="1" covered="1"/></method></class>
		<sourcefile name="A.java"><line nr="1" ci="1"/></sourcefile>' |
		"$CGCONV" -q -t lcov - | grep ^DA | says DA:1,1
}

@test "jacoco: markers of sources exclude lines" {
	mkdir "$dir/p"
	printf 'class A {\n int f; // LCOV_EXCL_LINE\n}\n' >"$dir/p/A.java"
	lines '<line nr="1" ci="1"/>' '<line nr="2" ci="1"/>' >"$dir/in.xml"
	"$CGCONV" -q -t jacoco --sources "$dir" "$dir/in.xml" |
		grep '<line' | says '<line nr="1" mi="0" ci="1" mb="0" cb="0"/>'
}

@test "jacoco: methods whose lines do not add up are tried in linear time" {
	case $CFLAGS in *-fsanitize*) skip "not with sanitizers" ;; esac
	command -v valgrind >/dev/null || skip "no valgrind"
	# steps N: of a file with N lines and methods that claim all of them.
	steps()
	{
		perl -e 'my $n = shift;
			print qq(<?xml version="1.0"?><report name="r"><package name="p">);
			print qq(<class name="p/A" sourcefilename="A.java">);
			print qq(<method name="m$_" desc="()V" line="$_">),
				qq(<counter type="LINE" missed="0" covered="$n"/></method>)
				for 1 .. $n;
			print qq(</class><sourcefile name="A.java">);
			print qq(<line nr="$_" mi="0" ci="1"/>) for 1 .. $n;
			print qq(</sourcefile></package></report>)' "$1" >"$BATS_TEST_TMPDIR/in.xml"
		valgrind --tool=callgrind --callgrind-out-file=/dev/null \
			"$CGCONV" -q -t json -o "$BATS_TEST_TMPDIR/out" \
			"$BATS_TEST_TMPDIR/in.xml" 2>&1 | sed -n 's/.*Collected : //p'
	}
	[ "$(steps 8000)" -lt $((6 * $(steps 2000))) ]
}

@test "jacoco: a file outside of packages is refused" {
	printf '%s' '<?xml version="1.0"?><report name="r"><package name="p"/>' \
		'<sourcefile name="A.java"><line nr="1" mi="0" ci="1"/></sourcefile></report>' \
		>"$BATS_TEST_TMPDIR/in.xml"
	refuses 1 'expected <package> before <sourcefile>' -f jacoco -t json \
		"$BATS_TEST_TMPDIR/in.xml"
}
