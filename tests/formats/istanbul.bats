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

# statements FILE: places and counts of its statements.
statements()
{
	perl -MJSON::PP -e 'local $/; my $all = decode_json(<STDIN>);
		for my $file (sort keys %$all) {
			my $map = $all->{$file}{statementMap};
			print join(" ", $file, (map { $_->{line}, $_->{column} // "-" }
			    $map->{$_}{start}, $map->{$_}{end}),
			    $all->{$file}{s}{$_}), "\n" for keys %$map;
		}' <"$1" | sort
}

@test "istanbul: statements are the same after a conversion, and by way of json" {
	statements "$nyc" >"$dir/want"
	[ "$(wc -l <"$dir/want")" = 19 ]
	"$CGCONV" -q -t istanbul "$nyc" >"$dir/out"
	statements "$dir/out" | same - "$dir/want"
	"$CGCONV" -q -t json "$nyc" | "$CGCONV" -q -t istanbul - >"$dir/two"
	same "$dir/out" "$dir/two"
	awk '{ hit += $6 > 0 } END { print hit " of " NR }' "$dir/want" |
		grep -x '16 of 19'
	"$CGCONV" -q --info "$nyc" | grep -q ', 84.2% of 19 regions$'
}

# covered STATEMENTS COUNTS: a file with these maps.
covered()
{
	echo '{"/a.js":{"path":"/a.js","statementMap":{'"$1"'},"fnMap":{},
		"branchMap":{},"s":{'"$2"'},"f":{},"b":{}}}'
}

@test "istanbul: a statement may end with its line, an empty one has no place" {
	covered '"0":{"start":{"line":1,"column":2},"end":{"line":3,
		"column":null}},"1":{"start":{"line":4,"column":0},"end":{"line":4,
		"column":0}},"2":{"start":{"line":9,"column":1},"end":{"line":8,
		"column":1}}' '"0":7,"1":2,"2":3' >"$dir/in.json"
	"$CGCONV" -t json "$dir/in.json" 2>"$dir/err" | grep region |
		says '["region",1,1,3,3,0,7,"u"]'
	grep -q 'dropped 1 region that ends before its first line' "$dir/err"
	covered '"0":{"start":{"line":1,"column":2},"end":{"line":3,
		"column":null}},"5":{"start":{"line":4,"column":1},"end":{"line":4,
		"column":2}}' '"0":7,"5":3' >"$dir/in.json"
	"$CGCONV" -q -t istanbul "$dir/in.json" >"$dir/out"
	statements "$dir/out" | says '/a.js 1 2 3 - 7' '/a.js 4 1 4 2 3'
}

@test "istanbul: lines are written if statements do not give them" {
	covered '"0":{"start":{"line":1,"column":2},"end":{"line":1,
		"column":9}}' '"0":7' >"$dir/in.json"
	printf 'SF:/a.js\nDA:1,1\nDA:2,0\nend_of_record\n' >"$dir/in.info"
	"$CGCONV" -v -t istanbul "$dir/in.json" "$dir/in.info" 2>"$dir/err" >"$dir/out"
	statements "$dir/out" | says '/a.js 1 0 1 0 8' '/a.js 2 0 2 0 0'
	grep -q 'wrote a statement for each line of 1 file' "$dir/err"
	"$CGCONV" -q -t istanbul --no-markers samples/go-cover/set/cover.out >"$dir/out"
	statements "$dir/out" | awk '$3 + $5 > 0' | not grep .
}
