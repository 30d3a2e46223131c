# dotnet.bats - coverage of .NET. The samples are reports of several tools of one
# run.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	opencover=samples/dotnet/opencover/opencover.xml
}

# lcov FILE: the lines and branches of a report, with the base names of files.
lcov()
{
	"$CGCONV" -q --no-markers -t lcov "$1" |
		sed -n 's/^SF:.*\//SF:/p; /^BRDA/p; /^DA:/p'
}

@test "dotnet: counts of lines and branches" {
	lcov $opencover | says SF:Stack.Check.cs DA:6,2 DA:7,2 BRDA:7,0,0,1 \
		BRDA:7,0,1,1 DA:8,1 DA:9,2 DA:13,0 DA:14,0 BRDA:14,0,0,- \
		BRDA:14,0,1,- BRDA:14,1,0,- BRDA:14,1,1,- SF:Stack.cs DA:7,1 \
		DA:9,1 DA:10,1 DA:11,1 DA:14,3 DA:15,3 DA:16,3 DA:17,3 \
		DA:18,3 DA:21,2 DA:22,2 DA:23,18 BRDA:23,0,0,2 \
		BRDA:23,0,1,6 DA:24,6 DA:25,2 DA:26,2 DA:29,0 DA:30,0 DA:31,0
	lcov $opencover | grep -v ^BRDA >"$dir/one"
	for file in samples/dotnet/ncover-1.5/ncover.xml \
		samples/dotnet/ncover-3/ncover.xml \
		samples/dotnet/partcover/partcover.xml; do
		lcov $file >"$dir/two"
		same "$dir/one" "$dir/two"
	done
}

@test "dotnet: reports that say whether a line ran agree with those that count" {
	lcov $opencover | sed '/^BRDA/d; s/,[1-9].*/,1/' >"$dir/one"
	grep -c '^DA.*,1$' "$dir/one" | says 19
	for file in samples/dotnet/visual-studio/demo.coveragexml \
		samples/dotnet/dotnet-coverage/demo.xml \
		samples/dotnet/dotcover/dotcover.xml; do
		lcov $file >"$dir/two"
		same "$dir/one" "$dir/two"
	done
}

@test "dotnet: names of methods, and how often they were entered" {
	"$CGCONV" -q -t lcov $opencover | sed -n 's/^FNDA://p' |
		says '2,System.Void Demo.Stack::Check(System.Boolean)' \
		'0,System.Void Demo.Stack/Empty::Throw()' \
		'1,System.Void Demo.Stack::.ctor()' \
		'3,System.Void Demo.Stack::Push(System.Int32)' \
		'2,System.Void Demo.Stack::Sum()' \
		'0,System.Void Demo.Stack::Clear()'
	for file in samples/dotnet/[!o]*/[!H]*; do
		"$CGCONV" -q -t lcov $file | sed -n 's/^FN:13,//p'
	done | says 'Demo.Stack.Empty.Throw():System.Void' \
		'Demo.Stack.Empty.Throw()' Demo.Stack+Empty.Throw \
		Demo.Stack+Empty.Throw 'Demo.StackEmpty.Throw()' \
		'Demo.Stack.Empty.Throw()'
	# A type inside of a type ends before the methods of the outer one.
	"$CGCONV" -q -t lcov samples/dotnet/dotcover/dotcover.xml |
		grep -c 'FN:.*,Demo.Stack.Empty' | says 1
}

@test "dotnet: paths of Windows get slashes" {
	for file in samples/dotnet/*/[!H]*; do
		"$CGCONV" -q -t lcov $file | grep ^SF:
	done | sort | uniq -c | tr -s ' ' |
		says ' 7 SF:C:/src/Stack.Check.cs' ' 7 SF:C:/src/Stack.cs'
}

@test "dotnet: Visual Studio's UTF-16" {
	file=samples/dotnet/visual-studio/demo.coveragexml
	iconv -f UTF-8 -t UTF-16 $file >"$dir/wide.coveragexml"
	lcov "$dir/wide.coveragexml" >"$dir/got"
	lcov $file >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "dotnet: several reports in one root are summed" {
	{ echo '<root>'; grep -v '^<?xml' $opencover; grep -v '^<?xml' $opencover
		echo '</root>'; } >"$dir/two.xml"
	"$CGCONV" -q -t lcov "$dir/two.xml" >"$dir/got"
	"$CGCONV" -q -t lcov $opencover $opencover >"$dir/want"
	same "$dir/want" "$dir/got"
	grep -q '^DA:14,6$' "$dir/got"
}

@test "dotnet: tells what it drops" {
	sed '/<Seq/s|ordinal="0" offset="0" sl="7" .*/>|fileid="7" sl="7"><TrackedMethodRefs><TrackedMethodRef uid="1" vc="1"/></TrackedMethodRefs></SequencePoint>|
		s|offsetend="21" sl="14"|offsetend="21"|' $opencover \
		>"$dir/a.xml"
	"$CGCONV" -t lcov "$dir/a.xml" 2>"$dir/err" >/dev/null
	grep -q "dropped 1 statement of files that the report does not list" \
		"$dir/err"
	grep -q "dropped 1 count by test (TrackedMethodRef)" "$dir/err"
	sed 's/ sl="14" fileid/ fileid/' $opencover >"$dir/b.xml"
	"$CGCONV" -t lcov "$dir/b.xml" 2>&1 >/dev/null |
		grep -q "dropped 4 outcomes of branches without a line"
	sed -E '/<Seq.* uspid="(9|1[0-7])"/d' $opencover >"$dir/c.xml"
	"$CGCONV" -t lcov "$dir/c.xml" 2>&1 >/dev/null | grep -q \
		"dropped 2 outcomes of branches of methods without lines"
	"$CGCONV" -v -t lcov samples/dotnet/partcover/partcover.xml 2>&1 \
		>/dev/null | grep -q "dropped 1 method without lines"
}

@test "dotnet: errors name their location" {
	printf '%s\n' '<CoverageSession><Modules><Module><Method>' \
		'<SequencePoint vc="1" sl="9" el="8"/>' >"$dir/bad.xml"
	refuses 1 "bad.xml:2:1: error: expected a last line that is not before" \
		"$dir/bad.xml"
	sed -i 's/el="8"/el="4000000000"/' "$dir/bad.xml"
	refuses 1 "fewer lines: at most one for each byte" "$dir/bad.xml"
	sed -i 's/vc="1"/vc="x"/' "$dir/bad.xml"
	refuses 1 'expected vc="..." with a number up to' "$dir/bad.xml"
	echo '<CoverageSession><SequencePoint vc="1" sl="1"/>' >"$dir/bad.xml"
	refuses 1 "expected a method before its statements" "$dir/bad.xml"
	sed 's/DetailedXml/Xml/' samples/dotnet/dotcover/dotcover.xml \
		>"$dir/bad.xml"
	refuses 1 'ReportType="DetailedXml"' "$dir/bad.xml"
	sed 's/Covered="True"/Covered="1"/' samples/dotnet/dotcover/dotcover.xml \
		>"$dir/bad.xml"
	refuses 1 'Covered="..." with True or False' "$dir/bad.xml"
	sed 's/"partial"/"half"/' samples/dotnet/dotnet-coverage/demo.xml \
		>"$dir/bad.xml"
	refuses 1 'covered="..." with yes, partial or no' "$dir/bad.xml"
	echo '<x/>' >"$dir/bad.xml"
	refuses 1 "expected <CoverageSession>" --from dotnet "$dir/bad.xml"
}

# places: files, places of regions, and whether they ran.
places()
{
	perl -MJSON::PP -ne 'my $row = decode_json($_);
		ref $row eq "ARRAY" or next;
		$file{$row->[1]} = $row->[2] =~ s,.*/,,r if $row->[0] eq "file";
		print join(" ", $file{$row->[1]}, @$row[2 .. 5], $row->[6] > 0 ? 1 : 0), "\n"
		    if $row->[0] eq "region";' | sort
}

@test "dotnet: statements have the same places in all reports" {
	perl -ne '/<SequencePoint .*vc="(\d+)".* sl="(\d+)" sc="(\d+)" el="(\d+)" ec="(\d+)" fileid="(\d)"/ or next;
		next if $2 == 16707566; # hidden
		print $6 == 1 ? "Stack.cs" : "Stack.Check.cs", " $2 $3 $4 $5 ",
		    $1 > 0 ? 1 : 0, "\n"' $opencover | sort -u >"$dir/want"
	[ "$(wc -l <"$dir/want")" = 23 ]
	"$CGCONV" -q -t json $opencover | places >"$dir/one"
	same "$dir/want" "$dir/one"
	for file in samples/dotnet/ncover-1.5/ncover.xml \
		samples/dotnet/ncover-3/ncover.xml \
		samples/dotnet/partcover/partcover.xml \
		samples/dotnet/dotnet-coverage/demo.xml \
		samples/dotnet/dotcover/dotcover.xml; do
		"$CGCONV" -q -t json $file | places >"$dir/two"
		same "$dir/one" "$dir/two"
	done
}

@test "dotnet: columns that coverlet makes up are no regions" {
	sed 's/ sc="[0-9]*"/ sc="1"/; s/ ec="[0-9]*"/ ec="2"/' $opencover >"$dir/in.xml"
	"$CGCONV" -q -t json "$dir/in.xml" >"$dir/out"
	not grep region "$dir/out"
	grep -q '^\["cost"' "$dir/out"
	sed 's/<LnStart>/<ColStart>5<\/ColStart><ColEnd> 9 <\/ColEnd>&/' \
		samples/dotnet/visual-studio/demo.coveragexml >"$dir/in.xml"
	"$CGCONV" -q -t json "$dir/in.xml" | grep region | cut -d , -f 4,6 |
		sort | uniq -c | sed 's/^ *//' | says '23 5,9'
}
