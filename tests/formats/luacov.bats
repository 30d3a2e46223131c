# luacov.bats - luacov.stats.out of LuaCov.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	stats=samples/luacov/lua-5.4/luacov.stats.out
}

@test "luacov: lines that ran are those of its report" {
	"$CGCONV" -q --no-markers -t lcov $stats | grep ^DA: >"$dir/one"
	# The report has the source; "end" is no code there.
	awk '/^====/ { source = 0 } source { line++ }
		source && $1 ~ /^[0-9]+$/ && $1 > 0 { printf "DA:%d,%d\n", line, $1 }
		/^sum.lua$/ { getline; source = 1; line = 0 }' \
		samples/luacov/lua-5.4/report.txt >"$dir/two"
	grep -c . "$dir/two" | says 5
	grep -vE "^DA:(7|10)," "$dir/one" | diff - "$dir/two"
	grep -cE '^DA:(7|10),1$' "$dir/one" | says 2
	"$CGCONV" -t lcov $stats 2>&1 >/dev/null |
		grep -q "lines that never ran are unknown"
}

@test "luacov: several files, errors" {
	printf '2:a.lua\n0 3 \n3:b.lua\n1 0 5 \n' | "$CGCONV" -q -t lcov - |
		grep -E '^(SF|DA)' | says SF:a.lua DA:2,3 SF:b.lua DA:1,1 DA:3,5
	printf '3:a.lua\n1 2 ' >"$dir/bad.out"
	refuses 1 "expected 3 counts, found 2" "$dir/bad.out"
	printf '1:a.lua\n1 2 \n' >"$dir/bad.out"
	refuses 1 "expected only 1 counts" -f luacov "$dir/bad.out"
	printf '1:a.lua\n1 \nx\n' >"$dir/bad.out"
	refuses 1 "bad.out:3: error: expected LINES:PATH" "$dir/bad.out"
	printf '1:a.lua\n1 \n1:b.lua' >"$dir/bad.out"
	refuses 1 "expected the counts of the file" "$dir/bad.out"
}
