# cobertura.bats - Cobertura XML.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	gcovr=samples/cobertura/gcovr/coverage.xml
	python=samples/cobertura/coverage.py/coverage.xml
	java=samples/cobertura/java/coverage.xml
	lcov=samples/lcov/geninfo-2.5/coverage.info
}

# document CLASSES...: prints a report with these elements in one package.
document()
{
	printf '%s\n' '<?xml version="1.0"?>' '<coverage line-rate="1">' \
		"<packages><package><classes>" "$@" \
		"</classes></package></packages>" '</coverage>'
}

# lines LINE...: prints a report with these elements in one class.
lines()
{
	document '<class filename="/a.c"><lines>' "$@" '</lines></class>'
}

# numbers: prints the line and branch records of standard input as a tracefile.
numbers()
{
	"$CGCONV" -q -t lcov - | grep -E '^(DA|BRDA)'
}

# refuses_lines MESSAGE LINE...
refuses_lines()
{
	local message=$1

	shift
	lines "$@" >"$dir/bad.xml"
	refuses 1 "$message" "$dir/bad.xml"
}

# totals FILE: prints the totals of <coverage>.
totals()
{
	grep -o '<coverage [^>]*' "$1" |
		grep -oE '(lines|branches)-(covered|valid)="[0-9]*"' | sort
}

@test "cobertura: totals of gcovr, coverage.py and Cobertura survive" {
	for file in "$gcovr" "$python" "$java"; do
		"$CGCONV" -t cobertura "$file" >"$dir/out.xml"
		totals "$file" >"$dir/want"
		totals "$dir/out.xml" >"$dir/got"
		[ "$(wc -l <"$dir/want")" -eq 4 ]
		same "$dir/want" "$dir/got"
	done
}

@test "cobertura: a report of Java matches the golden files" {
	golden "$java" cobertura
	golden "$java" json
}

@test "cobertura: totals equal those of lcov" {
	"$CGCONV" -t cobertura "$lcov" -o "$dir/out.xml"
	totals "$dir/out.xml" | grep -o '[0-9]*' >"$dir/got"
	awk -F : '{ sum[$1] += $2 } END {
		print sum["BRH"]; print sum["BRF"]
		print sum["LH"]; print sum["LF"] }' "$lcov" >"$dir/want"
	same "$dir/want" "$dir/got"
}

# The rules of the DTD: parents, attributes and children of each element.
@test "cobertura: output is valid" {
	for file in "$java" "$lcov"; do
		"$CGCONV" -q -t cobertura "$file" | perl -0777 -e '
		my $xml = <>;
		my $rates = "line-rate branch-rate complexity";
		my %has = (
		    coverage => "$rates lines-covered lines-valid version"
			. " branches-covered branches-valid timestamp",
		    package => "name $rates", class => "name filename $rates",
		    method => "name signature $rates", line => "number hits",
		    condition => "number type coverage");
		my %in = (sources => "coverage", source => "sources",
		    packages => "coverage", package => "packages",
		    classes => "package", class => "classes",
		    methods => "class", method => "methods",
		    lines => "class method", line => "lines",
		    conditions => "line", condition => "conditions");
		my %next = (coverage => "sources packages", package => "classes",
		    class => "methods lines", method => "lines");
		my (@stack, @children);
		$xml =~ s/^<\?xml[^>]*>\n<!DOCTYPE coverage SYSTEM "[^"]*">\n//
		    or die "no head";
		while ($xml =~ m{<(/?)([a-z]+)([^>]*?)(/?)>}g) {
			my ($close, $name, $attributes, $empty)
			    = ($1, $2, $3, $4);
			if (!$close) {
				my $parent = $stack[-1] // "";
				$name eq "coverage" ? !@stack
				    : grep { $_ eq $parent } split " ", $in{$name}
				    or die "$name in $parent";
				$attributes =~ / \Q$_\E="/ or die "$name: $_"
				    for split " ", $has{$name} // "";
				push @{$children[-1]}, $name if @children;
				push @stack, $name;
				push @children, [];
			}
			if ($close || $empty) {
				$name eq pop @stack or die "/$name";
				my $got = join " ", @{pop @children};
				$got eq $next{$name} or die "$name has $got"
				    if $next{$name};
			}
		}
		@stack and die "not closed";
		my @rates = $xml =~ /-rate="([^"]*)"/g;
		/^(1\.0|0\.\d{1,4})$/ or die "rate $_" for @rates;
		@rates or die "no rates";
		'
	done
}

@test "cobertura: rates follow from the lines of each element" {
	lines '<line number="1" hits="1"/>' '<line number="2" hits="0"/>' \
		'<line number="3" hits="5"/>' '<line number="4" hits="0"
		branch="true" condition-coverage="33% (1/3)"/>' |
		"$CGCONV" -q -t cobertura - | grep -c \
		'line-rate="0.5" branch-rate="0.3333"' | says 3
	lines '<line number="1" hits="1"/>' | "$CGCONV" -t cobertura - |
		grep -c 'line-rate="1.0" branch-rate="1.0"' | says 3
}

@test "cobertura: directories are packages, --package selects one" {
	printf 'SF:%s\nDA:1,1\nend_of_record\n' /src/a/z.c /src/a/b/c.c \
		/src/a/a.c /src/ab/x.c /src/m.c >"$dir/in.info"
	"$CGCONV" -t cobertura "$dir/in.info" >"$dir/out.xml"
	grep -oE '<(package|class) name="[^"]*"|<source>[^<]*' \
		"$dir/out.xml" | grep -oE '(/src|"[a-z./]*")' |
		says /src '"."' '"m.c"' '"a"' '"a.c"' '"z.c"' '"a/b"' '"c.c"' \
			'"ab"' '"x.c"'
	"$CGCONV" -t cobertura --package a "$dir/in.info" >"$dir/a.xml"
	grep -oE 'filename="[^"]*"|<source>[^<]*|lines-valid="[0-9]*"' \
		"$dir/a.xml" | says 'lines-valid="3"' '<source>/src' \
		'filename="a/a.c"' 'filename="a/z.c"' 'filename="a/b/c.c"'
	refuses 2 "there is no package 'x'" -t cobertura --package x \
		"$dir/in.info"
}

@test "cobertura: hits of methods are part of the hits of the class" {
	document '<class filename="/a.c"><methods>' \
		'<method name="f" signature="_Z1fv"><lines>' \
		'<line number="1" hits="3"/><line number="2" hits="4"/>' \
		'<line number="3" hits="5"/></lines></method>' \
		'<method name="g" signature=""><lines>' \
		'<line number="2" hits="4"/></lines></method></methods>' \
		'<lines><line number="1" hits="3"/><line number="2" hits="9"/>' \
		'<line number="4" hits="1"/></lines></class>' >"$dir/in.xml"
	"$CGCONV" -t callgrind "$dir/in.xml" 2>"$dir/err" |
		perl tests/oracle/callgrind.pl - | grep ^self |
		cut -f 5,7,9 | tr '\t' ' ' | says '??? 2 Exec=1' '??? 4 Exec=1' \
		'f 1 Exec=3' 'f 2 Exec=4' 'g 2 Exec=4'
	grep -F '1 line of methods that their classes do not list is skipped' \
		"$dir/err"
	"$CGCONV" -t cobertura "$dir/in.xml" | grep -o 'name="f".*_Z1fv"' |
		says 'name="f" signature="_Z1fv"'
	[ "$("$CGCONV" -t cobertura --no-methods "$dir/in.xml" |
		grep -c '<line ')" -eq 3 ]
}

# Istanbul lists where each function begins, which may have no statement.
@test "cobertura: lines of methods count if the class has none" {
	local method='<methods><method name="f" hits="3" signature="()V"><lines>
		<line number="1" hits="3"/></lines></method></methods>'

	document '<class filename="/a.js">' "$method" '<lines>' \
		'<line number="2" hits="3" branch="false"/>' \
		'<line number="3" hits="0" branch="false"/></lines></class>' |
		"$CGCONV" -t lcov --no-markers - 2>"$dir/err" | grep -v '^[TSe]' |
		says 'FN:1,f()V' 'FNDA:3,f()V' FNF:1 FNH:1 DA:2,3 DA:3,0 LF:2 LH:1
	[ ! -s "$dir/err" ]
	document '<class filename="/a.js">' "$method" '<lines/></class>' |
		numbers | says DA:1,3
}

@test "cobertura: reads branches of different tools" {
	lines '<line number="1" hits="2" branch="true"
		condition-coverage="50% (1/2)"/>' \
		'<line number="2" hits="0" branch="True"
		condition-coverage="0%"/>' \
		'<line number="3" hits="1" branch="true"/>' \
		'<line number="4" hits="1" branch="true"
		condition-coverage="75.0% (3/4)"><conditions>
		<condition number="0" type="jump" coverage="50%"/>
		<condition number="1" type="jump" coverage="100%"/>
		</conditions></line>' |
		numbers | says DA:1,2 BRDA:1,0,0,1 BRDA:1,0,1,0 DA:2,0 \
		BRDA:2,0,0,- BRDA:2,0,1,- DA:3,1 BRDA:3,0,0,1 BRDA:3,0,1,1 \
		DA:4,1 BRDA:4,0,0,1 BRDA:4,0,1,0 BRDA:4,1,0,1 BRDA:4,1,1,1
}

@test "cobertura: branches of a line that never ran are not taken" {
	lines '<line number="1" hits="0" branch="True"/>' \
		'<line number="2" hits="1" branch="True"/>' |
		numbers | says DA:1,0 BRDA:1,0,0,- BRDA:1,0,1,- DA:2,1 \
		BRDA:2,0,0,1 BRDA:2,0,1,1
}

@test "cobertura: of several entries for a line, the most branches are taken" {
	lines '<line number="1" hits="4" branch="true" condition-coverage="50% (1/2)"/>' \
		'<line number="1" hits="6" branch="true" condition-coverage="100% (2/2)"/>' \
		'<line number="1" hits="0" branch="true" condition-coverage="0% (0/2)"/>' |
		numbers | says DA:1,10 BRDA:1,0,0,1 BRDA:1,0,1,1
}

@test "cobertura: branches that only a method lists are read" {
	document '<class filename="/a.c"><methods><method name="f" signature="">' \
		'<lines><line number="1" hits="2"/></lines></method>' \
		'<method name="g" signature=""><lines><line number="1" hits="1"' \
		'branch="true" condition-coverage="50% (1/2)"/></lines>' \
		'</method></methods><lines><line number="1" hits="3"/></lines>' \
		'</class>' | numbers | says DA:1,3 BRDA:1,0,0,1 BRDA:1,0,1,0
}

@test "cobertura: unreachable branches are not counted" {
	printf '%s\n' TN: SF:/a.c DA:6,5 BRDA:6,0,0,1 BRDA:6,U1,0,1 \
		BRDA:6,1,1,1 BRDA:6,2,0,1 BRDA:6,2,1,0 DA:7,1 BRDA:7,0,0,1 \
		BRDA:7,0,1,1 BRDA:7,U1,0,0 BRDA:7,1,1,1 BRDA:7,1,2,0 \
		end_of_record >"$dir/u.info"
	"$CGCONV" -q -t cobertura "$dir/u.info" | grep '<condition ' |
		grep -o ' coverage="[^"]*"' |
		says ' coverage="75%"' ' coverage="100%"' ' coverage="50%"'
}

@test "cobertura: writes the directory of the files as <source>" {
	document '<class filename="src/a.c"><lines><line number="1" hits="1"/>
		</lines></class>' >"$dir/body"
	for source in '<source>/home/me</source>' '<source>.</source>' \
		'<source>/a</source><source>/b</source>'; do
		sed "2a<sources>$source</sources>" "$dir/body" |
			"$CGCONV" -t lcov - | grep ^SF:
	done | says SF:/home/me/src/a.c SF:src/a.c SF:src/a.c
}

@test "cobertura: relative names stay as they are" {
	printf 'SF:%s\nDA:1,1\nend_of_record\n' /me/src/a.c /me/src/b.c |
		"$CGCONV" -t cobertura --strip-prefix /me - |
		grep -oE 'filename="[^"]*"|<source>[^<]*' |
		says '<source>.' 'filename="src/a.c"' 'filename="src/b.c"'
}

@test "cobertura: escapes names" {
	printf 'SF:/a&b/<c>".c\nFN:1,operator<&\nDA:1,1\nend_of_record\n' \
		>"$dir/in.info"
	"$CGCONV" -t cobertura "$dir/in.info" >"$dir/out.xml"
	grep -q 'filename="&lt;c&gt;&quot;.c"' "$dir/out.xml"
	"$CGCONV" -t lcov "$dir/out.xml" | grep -E '^(SF|FN):' |
		says 'SF:/a&b/<c>".c' 'FN:1,operator<&'
}

@test "cobertura: the timestamp is 0 or that of the option" {
	"$CGCONV" -t cobertura "$gcovr" | grep -q 'timestamp="0"'
	"$CGCONV" -t cobertura --timestamp 1700000000 "$gcovr" |
		grep -q 'timestamp="1700000000"'
}

@test "cobertura: no DTD is opened" {
	command -v strace >/dev/null || skip "no strace"
	strace -f -e trace=open,openat,connect,socket -o "$dir/trace" \
		"$CGCONV" -q -t json "$gcovr" >"$dir/out" ||
		skip "strace does not work here"
	[ "$(grep -cE 'dtd|connect|socket' "$dir/trace")" -eq 0 ]
}

@test "cobertura: errors name their location" {
	refuses_lines "bad.xml:5:1: error: expected number=" '<line hits="1"/>'
	refuses_lines 'expected hits="..."' '<line number="1"/>'
	refuses_lines 'expected hits="..."' '<line number="1" hits="1.5"/>'
	refuses_lines 'expected hits="..."' \
		'<line number="1" hits="18446744073709551616"/>'
	refuses_lines 'condition-coverage="..." with a percentage' \
		'<line number="1" hits="1" branch="true" condition-coverage=""/>'
	refuses_lines 'condition-coverage="..." with (hit/all)' \
		'<line number="1" hits="1" branch="true"
		condition-coverage="1% (2/1)"/>'
	refuses_lines "fewer branches: at most one for each byte" \
		'<line number="1" hits="1" branch="true"
		condition-coverage="1% (1/4000000000)"/>'
	refuses_lines "expected <line> before" '<condition coverage="0%"/>'
	document '<class><lines/></class>' >"$dir/bad.xml"
	refuses 1 'expected filename="..."' "$dir/bad.xml"
	document '<line number="1" hits="1"/>' >"$dir/bad.xml"
	refuses 1 'expected <class> before' "$dir/bad.xml"
	lines | head -n 5 >"$dir/bad.xml"
	refuses 1 'the file is truncated' "$dir/bad.xml"
}

@test "cobertura: unusual input is read with a warning" {
	lines '<line number="1" hits="18446744073709551615"/>' '<x><y/></x>' \
		'<line number="2" hits="2"/>' >"$dir/in.xml"
	"$CGCONV" -t lcov "$dir/in.xml" 2>"$dir/err" | grep ^DA |
		says DA:1,1 DA:2,2
	grep -q "hits 18446744073709551615 are a wrapped negative count" "$dir/err"
	grep -q "unknown element <x> is skipped" "$dir/err"
}

@test "cobertura: other formats with an element <coverage> are rejected" {
	for text in '<coverage version="1"><file path="a.c"></file></coverage>' \
		'<coverage generated="1"><x timestamp="1"/></coverage>' \
		'<report name="x"><coverage line-rate="1"/></report>'; do
		echo "$text" >"$dir/in.xml"
		refuses 1 "unknown input format" \
			"$dir/in.xml"
	done
}

# files SOURCES FILENAME: the path that it is read as.
files()
{
	printf '<coverage version="1.9">%s<packages><package name="p"><classes>%s' \
		"$1" "<class name=\"C\" filename=\"$2\"><methods/><lines>" \
		>"$dir/w.xml"
	echo '<line number="8" hits="3" branch="True" condition-coverage="50% (1/2)"/>' \
		'</lines></class></classes></package></packages></coverage>' \
		>>"$dir/w.xml"
	"$CGCONV" -q -t lcov "$dir/w.xml" | sed -n 's/^SF://p'
}

@test "cobertura: paths of Windows have drives and directories" {
	root()
	{
		printf '<sources><source>%s</source></sources>' "$1"
	}

	dir=$BATS_TEST_TMPDIR
	[ "$(files "$(root 'C:\')" 'Numbers\Prime.cs')" = C:/Numbers/Prime.cs ]
	[ "$(files "$(root 'C:')" 'Dev\Src\a.cpp')" = C:/Dev/Src/a.cpp ]
	[ "$(files "$(root 'D:/a/b/')" 'src/a.cs')" = D:/a/b/src/a.cs ]
	[ "$(files "$(root 'C:\x')" 'D:\Dev\a.cpp')" = D:/Dev/a.cpp ]
	[ "$(files "$(root 'C:\')" '\src\a.c')" = C:/src/a.c ]
	[ "$(files "$(root 'D:\work\x')" '/src/a.c')" = D:/src/a.c ]
	[ "$(files "$(root '\\host\share')" '\src\a.c')" = /src/a.c ]
	[ "$(files '' 'D:\Dev\a.cpp')" = D:/Dev/a.cpp ]
	[ "$(files '<sources><source>C:</source><source>D:</source></sources>' \
		'Dev\a.cpp')" = Dev/a.cpp ]
	[ "$(files "$(root '/src//')" 'lib/a.cc')" = /src/lib/a.cc ]
	[ "$(files "$(root '/src')" 'a\b.cc')" = '/src/a\b.cc' ]
	"$CGCONV" -q -t lcov "$dir/w.xml" | grep -c '^BRDA:8,.*,[01]' | grep -qx 2
}

@test "cobertura: functions without lines are counted in a warning" {
	for file in a b; do
		printf 'SF:/%s.c\nFN:1,f\nFN:10,g\nFNDA:1,f\nFNDA:0,g\n' $file
		printf 'DA:1,1\nDA:2,1\nend_of_record\n'
	done >"$dir/in.info"
	for jobs in 1 4; do
		"$CGCONV" -j $jobs -t cobertura -o "$dir/out" "$dir/in.info" \
			2>"$dir/err"
		grep -x "cgconv: warning: dropped 2 functions without lines" \
			"$dir/err"
	done
	"$CGCONV" -t cobertura --no-methods -o "$dir/out" "$dir/in.info" \
		2>"$dir/err"
	not grep "without lines" "$dir/err"
}
