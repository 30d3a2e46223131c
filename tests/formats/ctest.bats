# ctest.bats - CTest's log of coverage.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	log=samples/ctest/cmake-3.25/CoverageLog-0.xml
}

@test "ctest: lines are those of gcov" {
	"$CGCONV" -q --no-markers -t lcov $log | grep ^DA >"$dir/one"
	awk -F : '$2 > 0 && $1 !~ /-$/ {
		count = $1; gsub(/[ *]/, "", count); sub(/#####/, 0, count)
		printf "DA:%d,%d\n", $2, count }' \
		samples/ctest/cmake-3.25/gcov.txt >"$dir/two"
	grep -c . "$dir/two" | says 10
	same "$dir/two" "$dir/one"
	"$CGCONV" -q --no-markers -t lcov $log | grep ^SF: | says SF:demo.c
}

@test "ctest: errors name their location" {
	sed 's/Number="6"/Number="x"/' $log >"$dir/bad.xml"
	refuses 1 'expected Number="..." with a number' "$dir/bad.xml"
	sed 's/Count="4"/Count="-4"/' $log >"$dir/bad.xml"
	refuses 1 'expected Count="..." with a number' "$dir/bad.xml"
	sed 's/ FullPath="[^"]*"//' $log >"$dir/bad.xml"
	refuses 1 'expected FullPath="..." with a path' "$dir/bad.xml"
	sed 's/<File.*/<!-- -->/; s,</File>,,' $log >"$dir/bad.xml"
	refuses 1 "expected <File> before <Line>" "$dir/bad.xml"
}
