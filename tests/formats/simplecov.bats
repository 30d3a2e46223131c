# simplecov.bats - coverage.json and .resultset.json of SimpleCov.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	runs=samples/simplecov/0.22/resultset.json
	report=samples/simplecov/1.1/coverage.json
	tests=samples/simplecov/tests-1.1/resultset.json
}

# totals FILE...: lines, functions and branches, as --summary counts them.
totals()
{
	"$CGCONV" -q --summary "$@" | sed -n 3p | tr -s ' '
}

# lcov FILE: lines and branches, summed over all tests, and methods of the run.
lcov()
{
	"$CGCONV" -q --no-markers -t lcov "$1" | awk -F , -v OFS=, '
		/^TN/ { test++ }
		/^FNDA/ && test == 1
		/^DA|^BRDA/ {
			count = $NF
			NF--
			if (!($0 in sum))
				order[++n] = $0
			sum[$0] += count
		}
		END { for (i = 1; i <= n; i++) print order[i], sum[order[i]] }'
}

@test "simplecov: totals are those that SimpleCov states" {
	totals $report | says ' 66.7% 14/21 60.0% 3/5 33.3% 3/9 all files'
	grep -A 5 '"total"' $report | grep -E 'covered|missed' | tr -d ' \n' |
		grep -q '"covered":14,"missed":7'
	# It printed 80.95 % and 55.55 %, without lines 34 and 35 (:nocov:).
	lcov $runs | grep -vE '^(BR)?DA:3[45],' >"$dir/out"
	awk -F '[:,]' '/^DA/ { n++; hit += $3 > 0 } /^BR/ { all++; ran += $5 > 0 }
		END { print hit, n, ran, all }' "$dir/out" | says '17 21 5 9'
}

@test "simplecov: both files of a run agree where nothing is ignored" {
	lcov $report >"$dir/one"
	lcov $tests | grep -vE '^(BR)?DA:3[45],|debug' >"$dir/two"
	# What follows the case's "else" in coverage.json begins a condition.
	grep -c '^BRDA:29,0,[01],' "$dir/one" | says 2
	same "$dir/one" "$dir/two"
	says 'FNDA:3,Stack#initialize' 'FNDA:4,Stack#push' \
		'FNDA:1,Stack#kind' 'FNDA:0,Stack#sum' 'FNDA:0,Stack#never' \
		< <(grep ^FNDA "$dir/one")
}

@test "simplecov: runs are tests" {
	"$CGCONV" -q --no-markers -t lcov $runs |
		grep -E '^(TN|DA:(10|21|29)|BRDA:19)' | says TN:unit DA:10,3 \
		BRDA:19,0,0,0 BRDA:19,0,1,0 BRDA:19,0,2,1 DA:21,0 DA:29,4 \
		TN:feature DA:10,1 BRDA:19,0,0,0 BRDA:19,0,1,1 BRDA:19,0,2,0 \
		DA:21,1 DA:29,2
}

@test "simplecov: lines that each test ran are its part" {
	for file in $report $tests; do
		"$CGCONV" -q --no-markers -t lcov $file |
			sed -n '/^TN:run/,$p' | grep -E '^(TN|DA)' >"$dir/out"
		says TN:run11_rb_19 DA:6,1 DA:10,1 DA:11,1 DA:13,1 DA:15,1 \
			DA:19,1 DA:21,1 TN:run11_rb_15 DA:6,1 DA:10,1 DA:13,1 \
			DA:15,1 <"$dir/out"
	done
	# Bits of the file: lines from the lowest one on.
	perl -e 'for (hex "145620", hex "5220") { my $bits = $_;
		print join(" ", grep { $bits >> $_ - 1 & 1 } 1 .. 24), "\n" }' |
		says '6 10 11 13 15 19 21' '6 10 13 15'
	# What the tests ran is part of the count, not added to it.
	lcov $report | grep -E '^DA:(10|11|13),' | says DA:10,4 DA:11,1 DA:13,3
}

@test "simplecov: tests of a file may precede its methods" {
	tests='"contexts":{"0":"a"}' # lines 2 and 4
	lines='"lines":[1,1,1,1]'
	methods='"methods":{"[\"Stack\", :push, 1, 2, 3, 4]":1}'
	for file in "$tests,$lines,$methods" "$methods,$tests,$lines" \
		"$lines,$methods,$tests"; do
		printf '{"r":{"coverage":{"/a.rb":{%s}}}}' "$file" |
			"$CGCONV" -q --no-markers --from simplecov -t lcov - |
			grep -E '^(TN|DA)' >"$dir/out"
		says TN:r DA:1,1 DA:2,0 DA:3,1 DA:4,0 TN: DA:2,1 DA:4,1 \
			<"$dir/out"
	done
}

@test "simplecov: old resultsets, names of methods, kinds of branches" {
	printf '%s' '{"t":{"coverage":{"/x/a.rb":[1,null,0]},"timestamp":1}}' |
		"$CGCONV" -q -t lcov - | grep ^DA | says DA:1,1 DA:3,0
	printf '%s' '{"t":{"coverage":{"/a.rb":{"lines":[1,1,1],"methods":{' \
		'"[\"#<Class:A>\", :b, 1, 2, 1, 5]":7,"[\"A::B\", :[], 2, 0, 3, 5]":1}' \
		'}}}}' | "$CGCONV" -q -t lcov - | grep ^FNDA |
		says FNDA:7,A.b 'FNDA:1,A::B#[]'
	printf '%s' '{"meta":{"simplecov_version":"0.22.0"},"coverage":{"a.rb":{' \
		'"lines":[1,1,1,1],"branches":[' \
		'{"type":"else","coverage":1,"report_line":1},' \
		'{"type":"then","coverage":0,"report_line":2},' \
		'{"type":"then","coverage":2,"report_line":1},' \
		'{"type":"else","coverage":0,"report_line":1},' \
		'{"type":"body","coverage":9,"report_line":3},' \
		'{"type":"when","coverage":"ignored","report_line":4},' \
		'{"type":"when","coverage":3,"report_line":4},' \
		'{"type":"else","coverage":5,"report_line":4}]}}}' |
		"$CGCONV" -q -t lcov - | grep ^BRDA |
		says BRDA:1,0,0,1 BRDA:1,0,1,0 BRDA:1,1,0,2 BRDA:1,1,1,0 \
		BRDA:3,0,0,9 BRDA:4,0,1,3 BRDA:4,0,2,5
}

@test "simplecov: lines of tests for files that the run lacks are told" {
	perl -0pe 's{("files":\{)"/src/lib/stack.rb"}{$1"/other.rb"}' \
		samples/simplecov/tests-1.1/resultset.json >"$dir/in.json"
	not cmp -s samples/simplecov/tests-1.1/resultset.json "$dir/in.json"
	"$CGCONV" -t json -o "$dir/got" "$dir/in.json" 2>&1 |
		grep 'dropped lines of tests of 1 file that the run does not have'
}

@test "simplecov: errors name their location" {
	# refuses_with MESSAGE COVERAGE
	refuses_with()
	{
		printf '{"meta":{"simplecov_version":"1"},"coverage":{"a":%s}}' \
			"$2" >"$dir/bad.json"
		refuses 1 "bad.json:1:" "$dir/bad.json"
		refuses 1 "error: expected $1" "$dir/bad.json"
	}
	refuses_with "a count" '{"lines":[-1]}'
	refuses_with 'a count or "ignored"' '{"lines":["x"]}'
	refuses_with "a condition, such as" '{"branches":{"[:if, 0]":{}}}'
	refuses_with "a method, such as" '{"methods":{"[x]":1}}'
	refuses_with "the number of a test" '{"contexts":{"x":"1"}}'
	refuses_with "hex digits" '{"lines":[1],"contexts":{"0":"G"}}'
	refuses_with "a line number" \
		'{"methods":[{"name":"x","start_line":4294967296}]}'
	sed 's/"schema_version": "1.1"/"schema_version": "2.0"/' $report \
		>"$dir/bad.json"
	refuses 1 "expected schema_version 1.0 or 1.1, not 2.0" "$dir/bad.json"
	sed 's/"version":1/"version":2/' $tests >"$dir/bad.json"
	refuses 1 "expected version 1 of the lines by test" "$dir/bad.json"
}
