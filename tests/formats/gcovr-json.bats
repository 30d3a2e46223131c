# gcovr-json.bats - JSON of gcovr.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	old=samples/gcovr-json/gcovr-5.2/coverage.json
	new=samples/gcovr-json/gcovr-8.7/coverage.json
}

# file MEMBER...: a report of one file with these members.
file()
{
	local IFS=,

	echo '{"gcovr/format_version":"0.14","files":[{"file":"a.c",'"$*"'}]}'
}

refuses_file()
{
	local message=$1

	shift
	file "$@" >"$dir/bad.json"
	refuses 1 "$message" "$dir/bad.json"
}

@test "gcovr-json: lines, functions and branches are those of gcovr" {
	"$CGCONV" -q -t lcov "$new" | grep -E '^(SF|DA|FN|FNDA|BRDA):' |
		sort >"$dir/got"
	# gcovr lists a line for each instance of a template.
	# It marks exception branches, writes - for 0, and has numbers of blocks
	# that depend on the compiler.
	plain='/^BRDA/{s/,e*[0-9]*,/,/;s/-$/0/}'
	sed -i "$plain" "$dir/got"
	sed "$plain" samples/gcovr-json/gcovr-8.7/lcov.txt |
		grep -E '^(SF|DA|FN|FNDA|BRDA):' |
		grep -vE '^(DA:[3-7]|BRDA:[56]),' | sort >"$dir/want"
	sed -i -E '/^(DA:[3-7]|BRDA:[56]),/d' "$dir/got"
	sort -o "$dir/got" "$dir/got"
	[ "$(wc -l <"$dir/want")" -ge 100 ]
	same "$dir/want" "$dir/got"
}

@test "gcovr-json: totals are those of gcovr" {
	"$CGCONV" -q -t lcov "$old" | awk -F : '{ sum[$1] += $2 } END {
		print sum["BRH"]; print sum["BRF"]
		print sum["FNH"]; print sum["FNF"]
		print sum["LH"]; print sum["LF"] }' >"$dir/got"
	sed -n 's/^    "[a-z]*_\(covered\|total\)": \([0-9]*\),*/\2/p' \
		samples/gcovr-json/gcovr-5.2/summary.txt >"$dir/want"
	[ "$(wc -l <"$dir/want")" -eq 6 ]
	same "$dir/want" "$dir/got"
}

@test "gcovr-json: samples match the golden files" {
	golden "$old" lcov
	golden "$new" gcovr-json
}

@test "gcovr-json: gcovr reads what is written" {
	gcovr=$(command -v gcovr) || skip "no gcovr"
	"$gcovr" --version | grep -q '^gcovr 5\.2' || skip "another gcovr"
	"$CGCONV" -q -t gcovr-json --format-version 0.3 "$old" \
		-o "$dir/a.json"
	for output in --csv --sonarqube; do
		"$gcovr" -r . -a "$old" $output -o "$dir/want" 2>/dev/null
		"$gcovr" -r . -a "$dir/a.json" $output -o "$dir/got" 2>/dev/null
		[ -s "$dir/want" ]
		same "$dir/want" "$dir/got"
	done
	# From data files: C++ has two constructors of one name.
	"$CGCONV" -q -t gcovr-json --format-version 0.3 \
		samples/gcov/gcc-cc/*.gcda -o "$dir/b.json"
	"$gcovr" -r . -a "$dir/b.json" -s >"$dir/out" 2>&1
	grep -q '^lines: ' "$dir/out"
}

@test "gcovr-json: functions of one demangled name become one" {
	printf '%s\n' SF:a.cc FN:1,_ZN1AC1Ev FN:1,_ZN1AC2Ev FNDA:2,_ZN1AC1Ev \
		FNDA:3,_ZN1AC2Ev DA:1,5 end_of_record >"$dir/a.info"
	"$CGCONV" -t gcovr-json --format-version 0.3 "$dir/a.info" \
		>"$dir/out"
	[ "$(grep -o '"name":"A::A()"' "$dir/out" | wc -l)" -eq 1 ]
	grep -q '"lineno":1,"execution_count":5' "$dir/out"
	"$CGCONV" -t gcovr-json "$dir/a.info" |
		grep -q '"name":"_ZN1AC1Ev","demangled_name":"A::A()"'
	refuses 2 "--format-version: expected 0.1 to 0.99, not '1'" \
		-t gcovr-json --format-version 1 "$dir/a.info"
}

@test "gcovr-json: excluded lines, branches and functions are dropped" {
	file '"lines":[{"line_number":1,"count":1,"gcovr/noncode":true,
		"branches":[]},{"line_number":2,"count":1,"branches":[{"count":1,
		"fallthrough":true,"throw":false},{"count":2,"fallthrough":false,
		"throw":true,"gcovr/excluded":true}]},{"line_number":3,"count":1,
		"branches":[{"count":1}],"gcovr/excluded":true}]' \
		'"functions":[{"name":"f","lineno":2,"gcovr/excluded":true}]' |
		"$CGCONV" -t lcov - | grep -E '^(DA|BRDA|FN)' |
		says FNF:0 FNH:0 DA:2,1 BRDA:2,0,0,1
}

@test "gcovr-json: impossible branches, and those without a line are dropped" {
	printf '%s\n' SF:a.c DA:1,5 BRDA:1,0,0,5 BRDA:1,U0,1,0 BRDA:2,0,0,1 \
		end_of_record >"$dir/a.info"
	"$CGCONV" -t gcovr-json "$dir/a.info" >"$dir/out" 2>"$dir/err"
	grep -q "dropped branches of 1 line without a count" "$dir/err"
	"$CGCONV" -q -t lcov "$dir/out" | grep -E '^(DA|BRDA)' |
		says DA:1,5 BRDA:1,0,0,5
}

@test "gcovr-json: conditions survive" {
	file '"lines":[{"line_number":2,"count":1,"branches":[],
		"conditions":[{"conditionno":0,"count":4,"covered":2,
		"not_covered_false":[1],"not_covered_true":[0]}]}]' >"$dir/a.json"
	"$CGCONV" -t gcovr-json "$dir/a.json" >"$dir/out"
	grep -q '"count":4,"covered":2,"not_covered_false":\[1\],"not_covered_true":\[0\]' \
		"$dir/out"
	"$CGCONV" -t lcov --format-version 2 "$dir/out" | grep ^MCDC |
		says MCDC:2,2,t,0,0,0 MCDC:2,2,f,1,0,0 MCDC:2,2,t,1,1,1 \
			MCDC:2,2,f,0,1,1
	refuses_file "expected fewer outcomes of conditions" \
		'"lines":[{"line_number":2,"conditions":[{"count":4000000000}]}]'
}

@test "gcovr-json: a line belongs to the function that it names" {
	file '"lines":[{"line_number":5,"count":1,"function_name":"g()",
		"branches":[]},{"line_number":6,"count":2,"branches":[]}]' \
		'"functions":[{"demangled_name":"g()","lineno":9,
		"execution_count":1},{"name":"f","lineno":1,"execution_count":0,
		"pos":["1:1","7:2"]}]' |
		"$CGCONV" -q -t callgrind - >"$dir/out"
	grep -q '^cfn=(2) f$' "$dir/out"
	grep -A 1 '^fn=(2)$' "$dir/out" | tail -n 1 | says "6 2"
	grep -q '^cfn=(3) g()$' "$dir/out"
	grep -A 1 '^fn=(3)$' "$dir/out" | tail -n 1 | says "5 1"
}

@test "gcovr-json: errors name their location" {
	refuses_file 'bad.json:1:74: error: expected "line_number" with a line' \
		'"lines":[{"count":1}]'
	refuses_file '"line_number" with a line' \
		'"lines":[{"line_number":4294967296}]'
	refuses_file 'expected a function with "name" and a line' \
		'"functions":[{"lineno":1}]'
	refuses_file 'expected "line:column"' \
		'"functions":[{"name":"f","lineno":1,"pos":["x","y"]}]'
	refuses_file 'expected the number of a block' \
		'"lines":[{"branches":[{"source_block_id":4294967296}]}]'
	refuses_file "expected a number" '"lines":[{"line_number":"1"}]'
	echo '{"gcovr/format_version":"0.14","files":[{"lines":[]}]}' \
		>"$dir/bad.json"
	refuses 1 'expected a file with "file"' "$dir/bad.json"
	head -c 3000 "$old" >"$dir/bad.json"
	refuses 1 "error: " -f gcovr-json "$dir/bad.json"
	refuses 3 "gcovr-json needs lines" -t gcovr-json \
		samples/folded/collapsed/stacks.folded
}

@test "gcovr-json: functions of one demangled name and line are one" {
	printf '%s\n' SF:a.cc FN:3,_ZN1AC1IdEET_ FN:3,_ZN1AC1IiEET_ \
		FN:3,_ZN1AC2IdEET_ FN:3,_ZN1AC2IiEET_ FNDA:1,_ZN1AC1IdEET_ \
		FNDA:2,_ZN1AC1IiEET_ FNDA:3,_ZN1AC2IdEET_ FNDA:4,_ZN1AC2IiEET_ DA:3,10 \
		end_of_record >"$BATS_TEST_TMPDIR/a.info"
	"$CGCONV" -q -t gcovr-json --no-markers "$BATS_TEST_TMPDIR/a.info" |
		perl -MJSON::PP -0777 -ne 'print sort map {
			($_->{demangled_name} // $_->{name}) .
				" $_->{execution_count}\n"
		} @{decode_json($_)->{files}[0]{functions}}' |
		same - <(printf '%s\n' 'A::A<double>(double) 4' 'A::A<int>(int) 6')
}
