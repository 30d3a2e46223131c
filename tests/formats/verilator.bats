# verilator.bats - coverage.dat of Verilator.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	dat=samples/verilator/line-toggle/coverage.dat
}

# points LINE...: prints a file with these points; < begins a key, = its value.
points()
{
	echo '# SystemC::Coverage-3'
	printf "C '<f=a.v<l=%s\n" "$@" | tr '<=' '\1\2'
}

# lcov: lines and branches of standard input.
lcov()
{
	"$CGCONV" -q --no-markers -t lcov - | grep -E '^(DA|BRDA)'
}

@test "verilator: lines and branches are those of verilator_coverage" {
	# Branches have names there.
	lcov <$dat | sed -E 's/^(BRDA:[0-9]+,[0-9]+),[0-9]+,/\1,/' |
		sort >"$dir/one"
	sed -nE 's/^(BRDA:[0-9]+),([0-9]+),[^,]*,/\1,\2,/p; /^DA/p' \
		samples/verilator/line-toggle/info.txt | sort >"$dir/two"
	grep -c ^DA "$dir/two" | says 10
	grep -c ^BRDA "$dir/two" | says 9
	same "$dir/two" "$dir/one"
}

@test "verilator: more lines, state machines, points without a line" {
	points "2<n=5<page=v_line/top<S=2,4-6' 3" \
		"5<page=v_branch/top' 0" "0<page=v_user/top' 9" |
		lcov | says DA:2,3 DA:4,3 DA:5,3 BRDA:5,0,0,3 BRDA:5,0,1,0 DA:6,3
	points "2<page=v_line/top' 3" "2<page=v_fsm_state/top' 4" \
		"2<page=v_fsm_arc/top' 5" |
		lcov | says DA:2,5 BRDA:2,0,0,3 BRDA:2,1,1,4 BRDA:2,2,2,5
}

@test "verilator: errors name their location" {
	points "1' x" >"$dir/bad.dat"
	refuses 1 "bad.dat:2: error: expected a count after the point" \
		"$dir/bad.dat"
	points "x' 1" >"$dir/bad.dat"
	refuses 1 "expected a line number (l)" "$dir/bad.dat"
	points "1<S=2-x' 1" >"$dir/bad.dat"
	refuses 1 "expected lines, such as 2,6-9" "$dir/bad.dat"
	points "1<S=2-4000000000' 1" >"$dir/bad.dat"
	refuses 1 "expected fewer lines" "$dir/bad.dat"
	printf '# SystemC::Coverage-3\nD\n' >"$dir/bad.dat"
	refuses 1 "expected C 'POINT' COUNT" "$dir/bad.dat"
	sed '1s/3/4/' $dat >"$dir/bad.dat"
	refuses 1 "expected # SystemC::Coverage-3" "$dir/bad.dat"
	points "1' 1" | head -c -1 >"$dir/cut.dat"
	"$CGCONV" -t lcov "$dir/cut.dat" 2>&1 >/dev/null |
		grep -q "the last line has no newline"
}
