# coveragepy.bats - JSON of coverage.py.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	old=samples/coveragepy/coverage.py-6.5/coverage.json
	new=samples/coveragepy/coverage.py-7.11/coverage.json
}

# file MEMBER...: a report of one file with these members.
file()
{
	local IFS=,

	echo '{"meta":{"branch_coverage":true},"files":{"a.py":{'"$*"'}}}'
}

refuses_file()
{
	local message=$1

	shift
	file "$@" >"$dir/bad.json"
	refuses 1 "$message" "$dir/bad.json"
}

# xml_lines: the lines of Cobertura XML, without branches that are missing.
xml_lines()
{
	grep -o '<line [^>]*' | sed 's/ missing-branches="[^"]*"//; s,/$,,' |
		sort -u
}

# tracefile: lines, branches by number, functions by name and last line.
tracefile()
{
	grep -E '^(SF|DA|LF|LH|FNL|FNA|FN|BR)' | awk -F '[:,]' '
		/^FN:/ { print "fn", $3, $4; next }
		/^FNL:/ { last = $4; next }
		/^FNA:/ { print "fn", last, $4; next }
		/^FN/ { next }
		/^BRDA:/ { n = $2 == line ? n + 1 : 0; line = $2
			print "branch", line, n, $5; next }
		{ print }'
}

@test "coveragepy: lines, functions, branches are those of coverage lcov" {
	"$CGCONV" -q -t lcov --format-version 2 "$new" | tracefile |
		sort >"$dir/got"
	tracefile <samples/coveragepy/coverage.py-7.11/lcov.txt |
		sort >"$dir/want"
	[ "$(wc -l <"$dir/want")" -ge 24 ]
	same "$dir/want" "$dir/got"
}

@test "coveragepy: lines and branches are those of coverage xml" {
	"$CGCONV" -q -t cobertura "$old" |
		sed 's,<conditions>,,' | xml_lines >"$dir/got"
	xml_lines <samples/coveragepy/coverage.py-6.5/xml.txt >"$dir/want"
	[ "$(wc -l <"$dir/want")" -eq 13 ]
	same "$dir/want" "$dir/got"
}

@test "coveragepy: coverage.py's reports of today agree" {
	program=$(command -v python3-coverage) || skip "no python3-coverage"
	cp samples/src/shapes.py "$dir"
	(cd "$dir" && "$program" run --branch shapes.py &&
		"$program" json -o a.json && "$program" xml -o a.xml) >/dev/null
	"$CGCONV" -q -t cobertura "$dir/a.json" | xml_lines >"$dir/got"
	xml_lines <"$dir/a.xml" >"$dir/want"
	[ -s "$dir/want" ]
	same "$dir/want" "$dir/got"
}

@test "coveragepy: samples match the golden files" {
	golden "$old" lcov
	golden "$new" json
}

@test "coveragepy: branches are sorted, exits last, and listed once" {
	file '"executed_lines":[1,3]' '"missing_lines":[2,0]' \
		'"executed_branches":[[1,-1],[1,5],[3,3]]' \
		'"missing_branches":[[1,2],[1,5],[2,3],[2,-2],[-1,2]]' |
		"$CGCONV" -q -t lcov - | grep -E '^(DA|BRDA)' |
		says DA:1,1 BRDA:1,0,0,0 BRDA:1,0,1,1 BRDA:1,0,2,1 \
			DA:2,0 BRDA:2,0,0,- BRDA:2,0,1,- DA:3,1
}

@test "coveragepy: errors name their location" {
	refuses_file "bad.json:1:71: error: expected a line number" \
		'"executed_lines":[1,-2]'
	refuses_file "expected a line number" '"missing_lines":[4294967296]'
	refuses_file "expected two lines of a branch" \
		'"executed_branches":[[1]]'
	refuses_file "expected two lines of a branch" \
		'"missing_branches":[[1,2,3]]'
	refuses_file "expected two lines of a branch" \
		'"missing_branches":[[4294967296,3]]'
	refuses_file "expected '['" '"executed_branches":[1,2]'
	refuses_file "expected '{'" '"functions":[]'
	head -c 700 "$old" >"$dir/bad.json"
	refuses 1 "error: " "$dir/bad.json"
}
