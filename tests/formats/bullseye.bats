# bullseye.bats - XML of BullseyeCoverage.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	xml=samples/bullseye/probes/bullseye.xml
}

@test "bullseye: lines, functions, decisions and conditions" {
	"$CGCONV" -q --no-markers -t lcov $xml |
		grep -E '^(SF|FN:|FNDA|DA|BRDA)' | says SF:/src/main.cpp 'FN:3,main()' \
		'FNDA:1,main()' DA:3,1 SF:/src/lib/stack.cpp \
		'FN:4,Stack::push(int)' 'FN:12,Stack::pop()' \
		'FNDA:1,Stack::push(int)' 'FNDA:0,Stack::pop()' DA:4,1 DA:5,1 \
		DA:6,1 BRDA:6,0,0,1 BRDA:6,0,1,0 BRDA:6,1,0,1 BRDA:6,1,1,1 \
		BRDA:6,2,0,1 BRDA:6,2,1,0 DA:9,0 DA:10,0 DA:12,0 DA:13,0 \
		BRDA:13,0,0,- BRDA:13,0,1,-
}

@test "bullseye: errors name their location" {
	sed 's/event="true"/event="maybe"/' $xml >"$dir/bad.xml"
	refuses 1 'bad.xml:8:1: error: expected event="..." with none, false' \
		"$dir/bad.xml"
	sed 's/<probe line="6"/<probe/' $xml >"$dir/bad.xml"
	refuses 1 'expected line="..." with a number' "$dir/bad.xml"
	sed 's/src name="main.cpp"/src/' $xml >"$dir/bad.xml"
	refuses 1 'expected name="..." of the source' "$dir/bad.xml"
	sed 's/<fn name="main()">//; s,</fn>$,,' $xml >"$dir/bad.xml"
	refuses 1 "error: " "$dir/bad.xml"
}
