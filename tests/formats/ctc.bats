# ctc.bats - XML of Testwell CTC++.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	xml=samples/ctc/decisions/ctc.xml
}

@test "ctc: lines, entries of functions, decisions" {
	"$CGCONV" -q --no-markers -t lcov $xml |
		grep -E '^(SF|FN:|FNDA|DA|BRDA)' | says SF:C:/src/stack.cpp \
		FN:4,Stack::push FN:11,Stack::pop FNDA:3,Stack::push \
		FNDA:0,Stack::pop DA:4,3 DA:6,3 BRDA:6,0,0,3 BRDA:6,0,1,0 \
		DA:7,1 DA:8,0 DA:11,0 DA:12,0
}

@test "ctc: errors name their location" {
	sed 's/"NotExecuted"/"No"/' $xml >"$dir/bad.xml"
	refuses 1 'expected isExecuted="..." with Executed or NotExecuted' \
		"$dir/bad.xml"
	sed 's/falseCount="0"/falseCount="x"/' $xml >"$dir/bad.xml"
	refuses 1 'expected falseCount="..." with a number' "$dir/bad.xml"
	sed 's/number="6"//' $xml >"$dir/bad.xml"
	refuses 1 'expected number="..." with a number' "$dir/bad.xml"
	sed 's/location="[^"]*"//' $xml >"$dir/bad.xml"
	refuses 1 'expected location="..." with a path' "$dir/bad.xml"
}
