# istanbul.bats - JSON of Istanbul and nyc.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	nyc=samples/istanbul/nyc/coverage-final.json
}

# file MEMBER...: a report of one file with these members.
file()
{
	local IFS=,

	echo '{"/a.js":{"path":"/a.js","statementMap":{"0":{"start":{"line":1,
		"column":0},"end":{"line":1,"column":9}}},"s":{"0":3},'"$*"'}}'
}

refuses_file()
{
	local message=$1

	shift
	file "$@" >"$dir/bad.json"
	refuses 1 "$message" "$dir/bad.json"
}

# records: of standard input, with branches numbered on each line.
records()
{
	grep -E '^(DA|FN|FNDA|BRDA|BR[FH]|L[FH]|FN[FH]):' |
		sed 's/^\(BRDA:[0-9]*\),[0-9]*/\1/' | sort
}

@test "istanbul: lines, functions and branches are those of lcovonly" {
	"$CGCONV" -q -t lcov "$nyc" | records >"$dir/got"
	records <samples/istanbul/nyc/lcov.txt >"$dir/want"
	[ "$(wc -l <"$dir/want")" -ge 40 ]
	same "$dir/want" "$dir/got"
	"$CGCONV" -q -t istanbul "$nyc" | "$CGCONV" -q -t lcov - | records |
		cmp - "$dir/want"
}

@test "istanbul: samples match the golden files" {
	golden "$nyc" json
	golden "$nyc" istanbul
}

@test "istanbul: nyc reads what is written" {
	nyc_program=$(command -v nyc) || skip "no nyc"
	mkdir "$dir/in"
	# It drops files that do not exist.
	cp samples/src/cover.js "$dir"
	"$CGCONV" -q -t istanbul "$nyc" | sed "s,/src/,$dir/,g" \
		>"$dir/in/coverage-final.json"
	(cd "$dir" && "$nyc_program" report -t in --reporter=lcovonly \
		--report-dir=out)
	records <"$dir/out/lcov.info" >"$dir/got"
	records <samples/istanbul/nyc/lcov.txt >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "istanbul: a line has the highest count, maps may come after counts" {
	echo '{"/a.js":{"s":{"0":1,"1":5,"2":0,"7":9},"statementMap":{
		"1":{"start":{"line":2,"column":0}},"0":{"start":{"line":2}},
		"2":{"start":{"line":3,"column":null}},"8":{"start":{"line":4}}},
		"b":{"0":[0,2],"1":[0,0]},"branchMap":{"0":{"loc":{"start":{
		"line":2}}},"1":{"line":3,"type":"if"}}}}' |
		"$CGCONV" -q -f istanbul -t lcov - | grep -E '^(SF|DA|BRDA)' |
		says SF:/a.js DA:2,5 BRDA:2,0,0,0 BRDA:2,0,1,2 DA:3,0 \
			BRDA:3,0,0,- BRDA:3,0,1,-
	file '"x":1' | sed 's/"path"/"data":{"path"/; s/}$/}}/' |
		"$CGCONV" -q -t lcov - | grep ^DA | says DA:1,3
}

@test "istanbul: functions of one name are told apart" {
	file '"fnMap":{"0":{"name":"f","decl":{"start":{"line":1,"column":2}},
		"loc":{"start":{"line":1,"column":4},"end":{"line":1,
		"column":9}}},"1":{"name":"f","loc":{"start":{"line":5,
		"column":0},"end":{"line":7,"column":1}}}}' \
		'"f":{"0":2,"1":0}' | "$CGCONV" -q -t istanbul - >"$dir/out"
	grep -q '"name":"f",.*"name":"f:5:1"' "$dir/out"
	grep -q '"f":{$' "$dir/out" || grep -q '"f":{"0":2,"1":0}' "$dir/out"
	"$CGCONV" -q -t istanbul "$dir/out" | cmp - "$dir/out"
}

@test "istanbul: conditions are lost, which is told" {
	"$CGCONV" -v -t istanbul samples/llvm-cov/clang-22/macros.json \
		>"$dir/out" 2>"$dir/err"
	grep -q 'istanbul cannot represent: .*conditions' "$dir/err"
}

@test "istanbul: errors name their location" {
	refuses_file 'bad.json:2:62: error: expected a number as key' \
		'"f":{"x":1}'
	refuses_file "expected a number as key" '"f":{"99999999999":1}'
	refuses_file "expected a non-negative number" '"f":{"0":-1}'
	refuses_file "expected '['" '"b":{"0":1}'
	refuses_file "expected a line number" \
		'"branchMap":{"0":{"line":4294967296}}'
	refuses_file "expected a line number" \
		'"branchMap":{"0":{"loc":{"start":{"line":4294967296}}}}'
	head -c 2000 "$nyc" >"$dir/bad.json"
	refuses 1 "error: " "$dir/bad.json"
	refuses 3 "istanbul needs lines" -t istanbul \
		samples/folded/collapsed/stacks.folded
}
