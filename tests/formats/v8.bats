# v8.bats - coverage of V8, NODE_V8_COVERAGE.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	node=samples/v8/node-20/coverage.json
}

# records: lines, functions and branches of standard input, which is lcov's;
# of branches the line and the count.
records()
{
	sed -nE 's/^(DA|FN|FNDA):/&/p; s/^BRDA:([0-9]+),.*,/BRDA \1 /p' |
		sed 's/-$/0/' | sort
}

# script RANGES: prints coverage of a script /src/a.js, of which a function has
# these ranges.
script()
{
	printf '{"result":[{"scriptId":"1","url":"file:///src/a.js",'
	printf '"functions":[{"functionName":"","ranges":[%s],' "$1"
	printf '"isBlockCoverage":true}]}]}'
}

@test "v8: lines, functions and branches are those of c8" {
	"$CGCONV" -q --no-markers -t lcov $node | records >"$dir/one"
	records <samples/v8/node-20/lcov.txt >"$dir/two"
	grep -c ^DA "$dir/two" | says 20
	grep -c ^BRDA "$dir/two" | says 17
	same "$dir/two" "$dir/one"
	"$CGCONV" -v -t lcov $node 2>&1 >/dev/null |
		grep -q "dropped 1 script without a file"
}

@test "v8: c8 counts new coverage in the same way" {
	needs node npm
	c8=$(npm root -g 2>/dev/null)/c8/bin/c8.js
	[ -e "$c8" ] || skip "no c8"
	cp samples/src/cover.js "$dir"
	cd "$dir"
	NODE_V8_COVERAGE=cov node cover.js
	"$CGCONV" -q --no-markers -t lcov cov/*.json | records >got
	node "$c8" report --temp-directory cov --reporter lcovonly
	records <coverage/lcov.info >want
	same want got
}

@test "v8: the count of a line is that of the last range that contains it" {
	mkdir "$dir/src"
	# Lines 0-3, 4-8, empty, 10-12 with a carriage return, 14.
	printf 'abc\ndefg\n\nijk\r\nl' >"$dir/src/a.js"
	script '{"startOffset":0,"endOffset":16,"count":1},{"startOffset":4,
		"endOffset":8,"count":5},{"startOffset":9,"endOffset":14,"count":0},
		{"startOffset":11,"endOffset":16,"count":7}' >"$dir/c.json"
	"$CGCONV" -q --no-markers --sources "$dir" -t lcov "$dir/c.json" |
		grep ^DA | says DA:1,1 DA:2,5 DA:3,1 DA:4,0 DA:5,7
	# Characters of 2 and 4 bytes are one and two units; no byte order mark.
	printf '\357\273\277\303\251\360\235\204\236\nx\n' >"$dir/src/a.js"
	script '{"startOffset":0,"endOffset":6,"count":1},{"startOffset":4,
		"endOffset":5,"count":3}' >"$dir/c.json"
	"$CGCONV" -q --no-markers --sources "$dir" -t lcov "$dir/c.json" |
		grep ^DA | says DA:1,1 DA:2,3
}

@test "v8: finds sources by option, below the working directory, next to it" {
	cp samples/v8/node-20/* "$dir"
	mkdir -p "$dir/top/src" "$dir/cov"
	cp "$dir/cover.txt" "$dir/top/src/cover.txt"
	lines() { "$CGCONV" -q --no-markers -t lcov "$@" | grep -c ^DA; }
	lines "$dir/coverage.json" | says 20
	cp "$dir/coverage.json" "$dir/cov"
	refuses 1 "expected a script whose source is known" \
		"$dir/cov/coverage.json"
	refuses 1 "skipped /src/cover.txt: its source was not found" \
		"$dir/cov/coverage.json"
	lines --sources "$dir/top" "$dir/cov/coverage.json" | says 20
	here=$(cd "$dir/top" && pwd -P)
	sed "s|file:///src|file://$here/src|" "$dir/coverage.json" \
		>"$dir/cov/here.json"
	(cd "$here" && lines "$dir/cov/here.json") | says 20
	sed "s|file:///src|file:///src/../src|" "$dir/coverage.json" \
		>"$dir/cov/up.json"
	[ "$("$CGCONV" -q --sources "$dir/top" -t lcov "$dir/cov/up.json" \
		2>/dev/null | grep -c ^DA)" -eq 0 ]
}

@test "v8: a path stays below the directory of the sources" {
	mkdir -p "$dir/top/in" "$dir/cov"
	echo secret | tee "$dir/secret.txt" >"$dir/top/secret.txt"
	top=$(cd "$dir/top" && pwd -P)
	# lines URL: how many lines of the script of that URL are read, below
	# the working directory and by the option.
	lines()
	{
		script '{"startOffset":0,"endOffset":6,"count":1}' |
			sed "s|file:///src/a.js|$1|" >"$dir/cov/c.json"
		(
			cd "$top"
			"$CGCONV" -q -t lcov "$dir/cov/c.json" 2>/dev/null || :
			"$CGCONV" -q --sources . -t lcov "$dir/cov/c.json" \
				2>/dev/null || :
		) | grep -c ^DA
	}
	lines file:///secret.txt | says 1
	lines "file://$top/secret.txt" | says 1
	for path in /../secret.txt /%2e%2e/secret.txt /.%2E/secret.txt \
		/in%2f..%2f../secret.txt /in/../secret.txt /./secret.txt \
		//secret.txt /%2fsecret.txt "/$dir/secret.txt" \
		"%2f$dir/secret.txt" /..; do
		lines "file://$path" | says 0
		lines "file://$top$path" | says 0
	done
}

@test "v8: a function that begins at the end of a line is of the next one" {
	mkdir "$dir/src"
	printf 'a\r\nbc\ndef\n' >"$dir/src/a.js"
	# One function, as the column is 1 in each case; the last one has only
	# the newline.
	for range in '1,"endOffset":5' '2,"endOffset":5' '3,"endOffset":5' \
		'5,"endOffset":6'; do
		fns="$fns${fns:+,}{\"functionName\":\"f\",\"ranges\":[
			{\"startOffset\":$range,\"count\":1}]}"
	done
	script '' | sed "s|\[{\"functionName.*|[|" >"$dir/c.json"
	echo "$fns]}]}" >>"$dir/c.json"
	"$CGCONV" -q --sources "$dir" -t json "$dir/c.json" |
		grep '^\["function",.*"f' |
		says '["function",2,"f",1,0,2,2,0]' '["function",3,"f:3:1",1,0,3,3,0]'
}

@test "v8: names with escapes; scripts with source maps are told" {
	mkdir "$dir/src"
	printf 'f()\n//# sourceMappingURL=a.js.map\n' >"$dir/src/a b.js"
	script '{"startOffset":0,"endOffset":34,"count":2}' |
		sed 's|a.js|a%20b.js|' >"$dir/c.json"
	"$CGCONV" --no-markers --sources "$dir" -t lcov "$dir/c.json" \
		>"$dir/out" 2>"$dir/err"
	grep -q "^SF:/src/a b.js" "$dir/out"
	grep -q "1 script was made from other sources" "$dir/err"
}

@test "v8: sources have a limit together" {
	mkdir "$dir/src"
	perl -e 'print "x" x 1023, "\n" for 1 .. 12 << 10' >"$dir/src/a.js"
	perl -e 'print "\n" x (2 << 20)' >"$dir/src/b.js"
	# scripts N FILE: a document of N scripts of that source
	scripts()
	{
		printf '{"result":[{"scriptId":"0","url":"node:fs"}'
		for ((i = 0; i < $1; i++)); do
			printf ',{"url":"file:///src/%s"}' "$2"
		done
		echo ']}'
	}
	lines()
	{
		scripts "$@" | "$CGCONV" -q --sources "$dir" -t lcov - |
			grep -c ^DA
	}
	lines 5 a.js | says 12288
	lines 1 b.js | says 2097152
	scripts 6 a.js >"$dir/bytes.json"
	scripts 2 b.js >"$dir/lines.json"
	for file in bytes lines; do
		refuses 1 "expected fewer or shorter sources" -t lcov \
			--sources "$dir" "$dir/$file.json"
	done
}

@test "v8: errors name their location" {
	script '{"startOffset":9,"endOffset":6,"count":1}' >"$dir/bad.json"
	refuses 1 "bad.json:1:" "$dir/bad.json"
	refuses 1 "expected a range with offsets and a count" "$dir/bad.json"
	script '{"startOffset":0,"endOffset":6,"count":-1}' >"$dir/bad.json"
	refuses 1 "expected a range with offsets and a count" "$dir/bad.json"
}

@test "v8: ranges are regions, in UTF-16 units" {
	mkdir "$dir/src"
	printf 'abc\ndefg\n\nijk\r\nl\n' >"$dir/src/a.js"
	# All, a line, parts of two lines, the end of a line, behind the source.
	script '{"startOffset":0,"endOffset":17,"count":1},{"startOffset":4,
		"endOffset":8,"count":5},{"startOffset":1,"endOffset":6,"count":0},
		{"startOffset":8,"endOffset":9,"count":3},{"startOffset":99,
		"endOffset":100,"count":4}' >"$dir/c.json"
	"$CGCONV" -q --sources "$dir" -t json "$dir/c.json" | grep region |
		says '["region",1,1,1,5,2,1,"u"]' '["region",1,1,2,2,3,0,"u"]' \
		'["region",1,2,1,2,5,5,"u"]'
	printf '\303\251\360\235\204\236x\n' >"$dir/src/a.js"
	script '{"startOffset":3,"endOffset":4,"count":3}' >"$dir/c.json"
	"$CGCONV" -q --sources "$dir" -t json "$dir/c.json" | grep region |
		says '["region",1,1,4,1,5,3,"u"]'
	"$CGCONV" -q -t json $node | grep -c region | says 18
}
