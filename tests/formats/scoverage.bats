# scoverage.bats - XML of scoverage.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	xml=samples/scoverage/sbt/scoverage.xml
}

@test "scoverage: lines, branches, methods" {
	"$CGCONV" -q --no-markers -t lcov $xml | grep -E '^(SF|FN:|FNDA|DA|BRDA)' |
		says SF:/src/demo/Stack.scala 'FN:4,demo/Stack/<none>' \
		FN:6,demo/Stack/push 'FNDA:1,demo/Stack/<none>' \
		FNDA:1,demo/Stack/push DA:4,1 DA:6,4 DA:7,3 BRDA:7,0,0,0 \
		BRDA:7,0,1,3 DA:8,3 DA:11,0 SF:C:/src/demo/Main.scala \
		FN:5,demo/Main/run FNDA:1,demo/Main/run DA:5,1
	"$CGCONV" -v -t lcov $xml 2>&1 >/dev/null |
		grep -q "dropped 1 statement with ignored=true"
}

@test "scoverage: errors name their location" {
	sed 's/invocation-count="4"/invocation-count="-4"/' $xml >"$dir/bad.xml"
	refuses 1 'expected invocation-count="..." with a number' "$dir/bad.xml"
	sed 's/source="[^"]*"//' $xml >"$dir/bad.xml"
	refuses 1 'expected source="..." with a file' "$dir/bad.xml"
	sed 's/line="6"//' $xml >"$dir/bad.xml"
	refuses 1 'expected line="..." with a number' "$dir/bad.xml"
	echo '<scoverage><statement source="a" line="1" invocation-count="1"/>' \
		>"$dir/bad.xml"
	refuses 1 "expected a method before its statements" "$dir/bad.xml"
}
