# codecov.bats - Codecov's custom coverage format.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	partial=samples/codecov/partial/codecov.json
	lcov=samples/lcov/geninfo-2.5/coverage.info
}

# refuses_file MESSAGE FILE: a report of a.c with these lines.
refuses_file()
{
	echo '{"coverage":{"a.c":'"$2"'}}' >"$dir/bad.json"
	refuses 1 "$1" -f codecov "$dir/bad.json"
}

totals()
{
	awk -F : '{ sum[$1] += $2 } END { print sum["LH"], sum["LF"],
		sum["BRH"], sum["BRF"] }'
}

@test "codecov: all kinds of values are read" {
	"$CGCONV" -q -t lcov "$partial" | grep -E '^(SF|DA|BRDA):' |
		says SF:src/a.c DA:1,0 DA:2,1 DA:3,1 BRDA:3,0,0,1 BRDA:3,0,1,0 \
			DA:4,1 BRDA:4,0,0,1 BRDA:4,0,1,0 BRDA:4,0,2,0 DA:7,5 \
			DA:8,0 BRDA:8,0,0,- BRDA:8,0,1,- DA:9,3 \
			SF:src/b.py DA:1,1 DA:2,0 DA:4,1 BRDA:4,0,0,1 \
			BRDA:4,0,1,0 DA:6,1 BRDA:6,0,0,1 BRDA:6,0,1,1 \
			SF:src/c.rb DA:1,1 DA:3,0
}

@test "codecov: totals equal those of lcov" {
	"$CGCONV" -q -t codecov "$lcov" -o "$dir/a.json"
	totals <"$lcov" >"$dir/want"
	"$CGCONV" -q -t lcov "$dir/a.json" | totals >"$dir/got"
	same "$dir/want" "$dir/got"
	"$CGCONV" -q -t codecov "$dir/a.json" -o "$dir/b.json"
	same "$dir/a.json" "$dir/b.json"
}

@test "codecov: what cannot be written is reported" {
	printf '%s\n' SF:a.c DA:1,5 BRDA:1,0,0,5 BRDA:1,0,1,0 DA:2,3 \
		BRDA:2,0,0,0 BRDA:2,0,1,0 DA:4,0 BRDA:5,0,0,1 end_of_record |
		"$CGCONV" -t codecov - 2>"$dir/err" |
		says '{"coverage":{' '"a.c":{"1":"1/2","2":3,"4":0}' '}}'
	grep -q 'how often 1 line with branches ran is dropped' "$dir/err"
	grep -q 'dropped branches of 1 line without a count' "$dir/err"
	grep -q 'branches of 1 line that they do not agree' "$dir/err"
}

@test "codecov: markers of sources exclude lines" {
	printf 'int a;\nint b; // GCOVR_EXCL_LINE\n' >"$dir/a.c"
	printf 'SF:%s\nDA:1,1\nDA:2,1\nend_of_record\n' "$dir/a.c" |
		"$CGCONV" -q -t codecov --sources / - | grep -c ':{"1":1}$' |
		says 1
}

@test "codecov: errors name their location" {
	refuses_file 'bad.json:1:25: error: expected a count, "1/2" or null' \
		'{"1":"x"}'
	refuses_file 'expected a count, "1/2" or null' '{"1":"3/2"}'
	refuses_file 'expected a count, "1/2" or null' '{"1":"1/"}'
	refuses_file 'expected a line number' '{"x":1}'
	refuses_file 'expected a line number' '{"4294967296":1}'
	refuses_file 'expected fewer branches for the size of the input' \
		'{"1":"1/4000000000"}'
	refuses_file 'expected a number' '[null,[]]'
	head -c 60 "$partial" >"$dir/bad.json"
	refuses 1 "error: " -f codecov "$dir/bad.json"
	refuses 3 "codecov needs lines" -t codecov \
		samples/folded/collapsed/stacks.folded
}
