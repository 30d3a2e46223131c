# xccov.bats - what Xcode's xccov prints.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	archive=samples/xccov/archive/coverage.json
	text=samples/xccov/text/coverage.xccov
	report=samples/xccov/report/report.json
}

@test "xccov: lines of an archive, as JSON and as text" {
	for file in $archive $text; do
		"$CGCONV" -q --no-markers -t lcov $file | grep -E '^(SF|DA)' |
			says SF:/src/Demo/Main.swift DA:1,1 \
			SF:/src/Demo/Stack.swift DA:2,3 DA:3,0
	done
}

@test "xccov: subranges of an archive are regions" {
	# Column 5, 7 bytes; column 12, 4 bytes.
	"$CGCONV" -q -t json $archive | grep '^\["region"' | says \
		'["region",2,2,5,2,12,1]' '["region",2,2,12,2,16,0]'
	"$CGCONV" -q --summary $archive >"$dir/summary"
	grep -qE '50.0% 1/2  Stack.swift' "$dir/summary"
	sed 's/"length":7/"length":0/' $archive >"$dir/in.json"
	"$CGCONV" -t lcov "$dir/in.json" 2>&1 >/dev/null |
		grep -qF 'subranges without a length are dropped: 1'
	"$CGCONV" -t lcov $text 2>&1 >/dev/null |
		grep -qF 'subranges of lines are dropped, which the JSON of xccov has with names: 2'
	for column in 0 2147483641; do
		sed "s/\"column\":5/\"column\":$column/" $archive >"$dir/bad.json"
		refuses 1 "expected a column, a length and a count of a subrange" \
			"$dir/bad.json"
	done
}

@test "xccov: a report has functions and their first lines" {
	"$CGCONV" --no-markers -t lcov $report 2>"$dir/err" |
		grep -E '^(SF|DA|FN:|FNDA)' | says SF:/src/Demo/Main.swift \
		FN:1,main FNDA:1,main DA:1,1 SF:/src/Demo/Stack.swift \
		'FN:2,Stack.push(_:)' 'FN:3,Stack.pop()' \
		'FNDA:3,Stack.push(_:)' 'FNDA:0,Stack.pop()' DA:2,3 DA:3,0
	grep -q "of 3 functions only the first line is known" "$dir/err"
}

@test "xccov: a truncated text is told" {
	for size in 36 41; do
		head -c $size $text >"$dir/cut.xccov"
		"$CGCONV" -t lcov "$dir/cut.xccov" 2>&1 >/dev/null |
			grep -q "the last line is incomplete"
	done
}

@test "xccov: errors name their location" {
	printf '/a.swift:\n  1: *\n  2: x\n' >"$dir/bad.txt"
	refuses 1 "bad.txt:3: error: expected a count or *" "$dir/bad.txt"
	printf '/a.swift:\n  1: 1\n  x\n' >"$dir/bad.txt"
	refuses 1 "expected PATH: or LINE: COUNT" "$dir/bad.txt"
	printf '/a.swift:\n  1: 1\n  2: 1 x\n' >"$dir/bad.txt"
	refuses 1 "expected the end of the line" "$dir/bad.txt"
	sed 's/"line":3/"line":0/' $archive >"$dir/bad.json"
	refuses 1 "expected a line with its count" "$dir/bad.json"
	sed 's/"lineNumber":3,//' $report >"$dir/bad.json"
	refuses 1 "bad.json:1:" "$dir/bad.json"
	refuses 1 "expected a function with line and count" "$dir/bad.json"
}
