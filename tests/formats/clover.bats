# clover.bats - Clover XML.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	nyc=samples/clover/nyc/clover.xml
	phpunit=samples/clover/phpunit/clover.xml
	openclover=samples/clover/openclover/clover.xml
	lcov=samples/lcov/geninfo-2.5/coverage.info
}

# document ELEMENT...: prints a report with these elements in its project.
document()
{
	printf '%s\n' '<?xml version="1.0"?>' \
		'<coverage generated="1" clover="1"><project timestamp="1">' \
		"$@" '</project></coverage>'
}

# lines LINE...: prints a report with these elements in one file.
lines()
{
	document '<file name="a.c" path="/a.c">' "$@" '</file>'
}

# numbers: prints the records of standard input as a tracefile.
numbers()
{
	"$CGCONV" -q -t lcov - | grep -E '^(DA|BRDA|FN:|FNDA)'
}

# refuses_lines MESSAGE LINE...
refuses_lines()
{
	local message=$1

	shift
	lines "$@" >"$dir/bad.xml"
	refuses 1 "$message" "$dir/bad.xml"
}

# metrics NAME... <FILE: these numbers of the project.
metrics()
{
	perl -0777 -e 'my $xml = <STDIN>;
		# PHPUnit has the metrics of an element at its end.
		my ($metrics) = $xml =~ m{<project[^>]*>\s*<metrics([^>]*)>};
		($metrics) = $xml =~ m{.*<metrics([^>]*)>}s if !$metrics;
		$metrics =~ / \Q$_\E="(\d+)"/ and print "$_ $1\n" for @ARGV' "$@"
}

@test "clover: totals of istanbul, PHPUnit and OpenClover survive" {
	for file in "$nyc" "$phpunit" "$openclover"; do
		names='statements coveredstatements conditionals
			coveredconditionals'
		# istanbul does not name functions.
		[ "$file" = "$nyc" ] || names="$names methods coveredmethods"
		"$CGCONV" -q -t clover "$file" >"$dir/out.xml"
		# shellcheck disable=SC2086 # several words
		metrics $names <"$file" >"$dir/want"
		# shellcheck disable=SC2086
		metrics $names <"$dir/out.xml" >"$dir/got"
		[ "$(wc -l <"$dir/want")" -ge 4 ]
		same "$dir/want" "$dir/got"
	done
}

@test "clover: lines equal those of lcov and Cobertura of the same run" {
	"$CGCONV" -q -t lcov "$nyc" | grep ^DA: >"$dir/got"
	grep ^DA: samples/clover/nyc/lcov.txt >"$dir/want"
	same "$dir/want" "$dir/got"
	"$CGCONV" -q -t lcov "$phpunit" | grep ^DA: >"$dir/got"
	"$CGCONV" -q -f cobertura -t lcov samples/clover/phpunit/cobertura.txt |
		grep ^DA: >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "clover: totals equal those of lcov" {
	"$CGCONV" -q -t clover "$lcov" >"$dir/out.xml"
	metrics statements coveredstatements conditionals coveredconditionals \
		methods coveredmethods <"$dir/out.xml" | cut -d ' ' -f 2 \
		>"$dir/got"
	# The names of one function (FNA) are a function each.
	awk -F '[:,]' '/^FNA/ { found++; hit += $3 > 0 } /^(BR|L)[FH]/ {
		sum[$1] += $2 } END {
		print sum["LF"]; print sum["LH"]; print sum["BRF"]
		print sum["BRH"]; print found; print hit }' "$lcov" >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "clover: branches and functions survive a round trip" {
	"$CGCONV" -q -t clover "$lcov" >"$dir/one.xml"
	"$CGCONV" -q -t clover "$dir/one.xml" >"$dir/two.xml"
	same "$dir/one.xml" "$dir/two.xml"
	for file in "$lcov" "$dir/one.xml"; do
		"$CGCONV" --summary -q "$file" | head -n 4
	done >"$dir/both"
	head -n 4 "$dir/both" >"$dir/want"
	tail -n 4 "$dir/both" >"$dir/got"
	same "$dir/want" "$dir/got"
	grep ^DA: "$lcov" >"$dir/want"
	"$CGCONV" -q -t lcov "$dir/one.xml" | grep ^DA: >"$dir/got"
	same "$dir/want" "$dir/got"
}

@test "clover: statements, branches and methods of a line" {
	lines '<line num="3" type="stmt" count="2"/>' \
		'<line num="1" type="method" name="f" count="4"/>' \
		'<line num="2" type="stmt" count="1"/>' \
		'<line num="2" type="stmt" count="7"/>' \
		'<line num="2" type="cond" truecount="9" falsecount="0"/>' \
		'<line num="2" type="cond" truecount="1" falsecount="2"/>' \
		'<line num="4" type="cond" truecount="3" falsecount="4"/>' |
		numbers | says FN:1,f FNDA:4,f DA:2,7 BRDA:2,0,0,9 BRDA:2,0,1,0 \
		BRDA:2,1,0,1 BRDA:2,1,1,2 DA:3,2 DA:4,7 BRDA:4,0,0,3 \
		BRDA:4,0,1,4
}

@test "clover: istanbul states how many outcomes ran" {
	lines '<line num="2" count="9" type="cond" truecount="1" falsecount="2"/>' \
		'<line num="3" count="0" type="cond" truecount="0" falsecount="0"/>' |
		numbers | says DA:2,9 BRDA:2,0,0,1 BRDA:2,0,1,0 BRDA:2,0,2,0 \
		DA:3,0
	printf '%s\n' TN: SF:/a.c DA:6,5 BRDA:6,0,0,1 BRDA:6,0,1,0 \
		BRDA:6,0,2,4 DA:7,3 BRDA:7,0,0,2 BRDA:7,0,1,1 BRDA:7,U0,2,0 \
		end_of_record | "$CGCONV" -q -t clover - | grep -o '<line.*' |
		says '<line num="6" type="cond" count="5" truecount="2" falsecount="1"/>' \
		'<line num="7" type="stmt" count="3"/>' \
		'<line num="7" type="cond" truecount="2" falsecount="1"/>'
}

@test "clover: methods of one name stay apart" {
	lines '<line num="1" type="method" name="f" count="1"/>' \
		'<line num="1" type="stmt" count="1"/>' \
		'<line num="5" type="method" name="f" count="0"/>' \
		>"$dir/in.xml"
	numbers <"$dir/in.xml" | says FN:1,f FN:5,f:5 FNDA:1,f FNDA:0,f:5 DA:1,1
	"$CGCONV" -q -t clover samples/jacoco/java/jacoco.xml |
		grep -o 'signature="[^"]*push[^"]*"' |
		says 'signature="demo/Cover.push(I)Z"' \
		'signature="demo/Cover.push(Ljava/lang/String;)Z"'
}

@test "clover: files without packages, by name, and the tests' project" {
	document '<file name="/src/x.php"><line num="1" type="stmt" count="1"/>
		</file>' | "$CGCONV" -q -t lcov - | grep ^SF | says SF:/src/x.php
	"$CGCONV" -q -t lcov "$openclover" | grep ^SF: |
		says SF:/src/com/example/Stack.java
}

# The rules of the schema: parents of elements, metrics come first.
@test "clover: output is in the order of the schema" {
	for file in "$openclover" "$nyc" "$lcov"; do
		"$CGCONV" -q -t clover "$file" >"$dir/out.xml"
		perl -0777 -ne 's/^<\?xml[^>]*>\n// or die; my @open;
			my %in = (coverage => "", project => "coverage",
			    package => "project", file => "package",
			    line => "file");
			my $after = "";
			while (m{<(/?)([a-z]+)([^>]*?)(/?)>}g) {
				my ($close, $name, $empty) = ($1, $2, $4);
				if (!$close) {
					my $parent = $open[-1] // "";
					$name eq "metrics"
					    ? $after =~ /^(?:project|package|file)$/
					    : $in{$name} eq $parent
					    or die "$name in $parent after $after";
					$after =~ /^(?:project|package|file)$/
					    and $name ne "metrics" and die $name;
					push @open, $name;
					$after = $name;
				}
				if ($close || $empty) {
					pop @open eq $name or die;
				}
			}
			@open and die' "$dir/out.xml"
	done
}

@test "clover: the time is 0 or that of the option" {
	"$CGCONV" -q -t clover "$nyc" | grep -q 'generated="0".*>'
	"$CGCONV" -q -t clover --timestamp 1700000000 "$nyc" |
		grep -o '\(generated\|timestamp\)="1700000000"' | wc -l | says 2
}

@test "clover: escapes names" {
	printf 'SF:/a&b/<c>".c\nFN:1,operator<&\nDA:1,1\nend_of_record\n' \
		>"$dir/in.info"
	"$CGCONV" -q -t clover "$dir/in.info" >"$dir/out.xml"
	grep -q 'name="&lt;c&gt;&quot;.c"' "$dir/out.xml"
	"$CGCONV" -q -t lcov "$dir/out.xml" | grep -E '^(SF|FN):' |
		says 'SF:/a&b/<c>".c' 'FN:1,operator<&'
}

@test "clover: errors name their location" {
	refuses_lines 'bad.xml:4:1: error: expected num="..."' \
		'<line type="stmt" count="1"/>'
	refuses_lines 'expected num="..." with a number up to 4294967295' \
		'<line num="4294967296" type="stmt" count="1"/>'
	refuses_lines 'expected count="..." with a number' \
		'<line num="1" type="stmt" count="-1"/>'
	refuses_lines 'expected count="..." with a number' \
		'<line num="1" type="stmt"/>'
	refuses_lines 'expected type="..." with method, stmt or cond' \
		'<line num="1" count="1"/>'
	refuses_lines 'expected truecount="..." with a number' \
		'<line num="1" type="cond" falsecount="1"/>'
	refuses_lines "fewer branches: at most one for each byte" \
		'<line num="1" type="cond" count="1" truecount="1"
		falsecount="4000000000"/>'
	document '<line num="1" type="stmt" count="1"/>' >"$dir/bad.xml"
	refuses 1 "expected <file> before <line>" "$dir/bad.xml"
	document '<file/>' >"$dir/bad.xml"
	refuses 1 'expected path="..." or name="..."' "$dir/bad.xml"
	document '<file name="a"><file name="b"/></file>' >"$dir/bad.xml"
	refuses 1 'expected </file> before the next <file>' "$dir/bad.xml"
	lines '<line num="1" type="stmt" count="1"/>' | head -n 4 >"$dir/bad.xml"
	refuses 1 'the file is truncated' "$dir/bad.xml"
	lines '<x><y/></x>' '<line num="1" type="stmt" count="1"/>' |
		"$CGCONV" -t lcov - 2>&1 >"$dir/out" |
		grep -q "unknown element <x> is skipped"
}

@test "clover: markers of sources exclude lines" {
	printf 'int f() { // LCOV_EXCL_LINE\n}\n' >"$dir/a.c"
	sed "s|/a.c|$dir/a.c|" >"$dir/in.xml" <<-EOF
	$(lines '<line num="1" type="method" name="f" count="1"/>' \
		'<line num="1" type="stmt" count="1"/>' \
		'<line num="2" type="stmt" count="1"/>')
	EOF
	"$CGCONV" -q -t clover --sources / "$dir/in.xml" |
		grep '<line' | says '<line num="2" type="stmt" count="1"/>'
}

@test "clover: branches of lines without a count are told" {
	printf '%s\n' SF:a.c DA:1,1 BRDA:5,0,0,1 BRDA:5,0,1,- end_of_record \
		>"$BATS_TEST_TMPDIR/a.info"
	for to in clover jacoco sonarqube gcovr-json; do
		"$CGCONV" -t $to --no-markers "$BATS_TEST_TMPDIR/a.info" 2>&1 >/dev/null |
			grep -F 'warning: dropped branches of 1 line without a count'
	done
}

@test "clover: functions of a file without lines are told, by all such formats" {
	printf '%s\n' SF:a.c DA:1,1 end_of_record SF:b.c FN:3,f FNDA:1,f \
		end_of_record >"$BATS_TEST_TMPDIR/a.info"
	for to in clover jacoco sonarqube codecov cobertura lcov istanbul; do
		"$CGCONV" -t $to --no-markers "$BATS_TEST_TMPDIR/a.info" 2>&1 >/dev/null |
			grep -F 'warning: dropped 1 function of files without lines'
	done
}

@test "clover: files without a path are in the directory of their package" {
	file='<file name="A.java"><line num="1" type="stmt" count="1"/></file>'
	document "<package name='com.x'>$file</package>" \
		"<package name='com.y'>$file<file name='s/B.java'/></package>" \
		"${file//name/path}" |
		"$CGCONV" -q -t lcov - | grep ^SF: |
		says SF:A.java SF:com/x/A.java SF:com/y/A.java
}
