# coveralls.bats - JSON of Coveralls' API.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	gcovr=samples/coveralls/gcovr-5.2/coveralls.json
	functions=samples/coveralls/functions/coveralls.json
	lcov=samples/lcov/geninfo-2.5/coverage.info
}

# refuses_file MESSAGE MEMBER...: a report of one file with these members.
refuses_file()
{
	local message=$1 IFS=,

	shift
	echo '{"source_files":[{'"$*"'}]}' >"$dir/bad.json"
	refuses 1 "$message" -f coveralls "$dir/bad.json"
}

# records INPUT: lines and branches, as lcov has them. Blocks of branches, which
# lcov numbers in its own way, are left out.
records()
{
	"$CGCONV" -q -t lcov "$1" |
		grep -E '^(SF|DA|BRDA|LF|LH|BRF|BRH):' |
		sed 's/^\(BRDA:[0-9]*\),[0-9]*,[0-9]*/\1/'
}

@test "coveralls: totals are those of gcovr" {
	"$CGCONV" -q -t lcov "$gcovr" | awk -F : '{ sum[$1] += $2 } END {
		print sum["LH"]; print sum["LF"] }' >"$dir/got"
	sed -n 's/^    "line_\(covered\|total\)": \([0-9]*\),*/\2/p' \
		"${gcovr%/*}/summary.txt" >"$dir/want"
	[ "$(wc -l <"$dir/want")" -eq 2 ]
	same "$dir/want" "$dir/got"
}

@test "coveralls: lines, branches and functions are read" {
	"$CGCONV" -q -t lcov "$functions" |
		grep -E '^(SF|DA|BRDA|FN|FNDA):' | sort |
		says BRDA:2,0,0,3 BRDA:2,0,1,0 BRDA:5,0,0,- BRDA:5,0,1,- \
			DA:1,3 DA:2,3 DA:5,0 DA:6,2 FN:1,f FN:5,g \
			FNDA:0,g FNDA:1,f SF:src/a.c
}

@test "coveralls: lines and branches survive as in lcov" {
	for file in "$lcov" samples/gcov/gcc-cc/*.gcda; do
		"$CGCONV" -q -t coveralls "$file" -o "$dir/a.json"
		records "$file" >"$dir/want"
		records "$dir/a.json" >"$dir/got"
		[ -s "$dir/want" ]
		same "$dir/want" "$dir/got"
		"$CGCONV" -q -t coveralls "$dir/a.json" -o "$dir/b.json"
		same "$dir/a.json" "$dir/b.json"
	done
}

@test "coveralls: what is written" {
	printf '%s\n' SF:a.c FN:2,f FNDA:7,f DA:2,7 DA:4,0 BRDA:4,0,0,- \
		BRDA:4,U0,1,0 end_of_record | "$CGCONV" -q -t coveralls - |
		says '{"source_files":[' '{"name":"a.c",' \
			'"coverage":[null,7,null,0],' '"branches":[4,0,0,0],' \
			'"functions":[{"name":"f","start":2,"exec":true}]}' \
			']}'
}

@test "coveralls: markers of sources exclude lines" {
	printf 'int a;\nint b; // GCOVR_EXCL_LINE\n' >"$dir/a.c"
	printf 'SF:%s\nDA:1,1\nDA:2,1\nend_of_record\n' "$dir/a.c" |
		"$CGCONV" -q -t coveralls --sources / - | grep '^"coverage"' |
		says '"coverage":[1],'
}

@test "coveralls: an output of any size is refused" {
	printf 'SF:a.c\nDA:4294967295,1\nend_of_record\n' >"$dir/a.info"
	refuses 1 "expected line numbers of sources, not 4294967295" \
		-t coveralls "$dir/a.info"
}

@test "coveralls: errors name their location" {
	refuses_file 'bad.json:1:42: error: expected a number' \
		'"name":"a"' '"coverage":["1"]'
	refuses_file 'expected a file with "name" and "coverage"' '"name":"a"'
	refuses_file 'expected a file with "name" and "coverage"' \
		'"coverage":[1]'
	refuses_file 'expected four numbers for each branch' \
		'"branches":[1,0,0,1,2]'
	for bad in 0,0,0,1 -1,0,0,1 4294967296,0,0,1 1,-1,0,1 1,0,0,-1; do
		refuses_file 'expected a branch: line, block, branch, count' \
			"\"branches\":[$bad]"
	done
	refuses_file 'expected a function with "name" and "start"' \
		'"functions":[{"start":1}]'
	refuses_file 'expected a function with "name" and "start"' \
		'"functions":[{"name":"f","start":4294967296}]'
	head -c 200 "$gcovr" >"$dir/bad.json"
	refuses 1 "error: " "$dir/bad.json"
	refuses 3 "coveralls needs lines" -t coveralls \
		samples/folded/collapsed/stacks.folded
}

@test "coveralls: has the MD5 of sources that are found" {
	mkdir "$BATS_TEST_TMPDIR/src"
	cd "$BATS_TEST_TMPDIR"
	# Of lengths around the ends of MD5's blocks.
	for n in 0 1 55 56 63 64 65 119 120 1000; do
		head -c "$n" /dev/zero | tr '\0' 'x' >"src/$n.c"
		printf 'SF:/src/%s.c\nDA:1,1\nend_of_record\n' "$n"
	done >in.info
	printf 'SF:/src/none.c\nDA:1,1\nend_of_record\n' >>in.info
	"$CGCONV" -q -t coveralls --sources src --strip-prefix /src in.info >out
	for n in 0 1 55 56 63 64 65 119 120 1000; do
		grep -F "\"name\":\"$n.c\",\"source_digest\":\"$(md5sum <"src/$n.c" |
			cut -d ' ' -f 1)\"" out
	done
	grep -F '"name":"none.c",' out
	[ "$(grep -c source_digest out)" -eq 10 ]
}
