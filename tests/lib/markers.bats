# markers.bats - lines of coverage that markers in the sources exclude.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	cd "$dir" || return 1
}

# source_of LINE...: a.c has these lines; a.info has a count, two branches and
# an exception branch of each of them.
source_of()
{
	printf '%s\n' "$@" >a.c
	{
		echo TN: && echo SF:a.c
		for i in $(seq $#); do
			printf 'BRDA:%s,0,0,1\nBRDA:%s,0,1,-\nBRDA:%s,e0,2,1\n' \
				"$i" "$i" "$i"
			echo "DA:$i,1"
		done
		echo end_of_record
	} >a.info
}

# leaves LINES BRANCHES [OPTION...]: an output has these lines, and these lines
# for each of their branches.
leaves()
{
	local lines=$1 branches=$2

	shift 2
	"$CGCONV" -t lcov "$@" a.info >out 2>err
	[ "$(sed -n 's/^DA:\([0-9]*\),.*/\1/p' out | paste -sd ' ')" = "$lines" ] &&
		[ "$(sed -n 's/^BRDA:\([0-9]*\),.*/\1/p' out | paste -sd ' ')" = \
			"$branches" ] || {
		cat err out && false
	}
}

@test "markers: a line, and a section with START and without STOP" {
	source_of 1 "2 // LCOV_EXCL_LINE" "3 LCOV_EXCL_START" 4 "5 LCOV_EXCL_STOP" 6
	leaves "1 5 6" "1 1 1 5 5 5 6 6 6"
	[ ! -s err ]
}

@test "markers: branches, or exception branches only" {
	source_of "1 LCOV_EXCL_BR_LINE" "2 LCOV_EXCL_EXCEPTION_BR_LINE" \
		"3 LCOV_EXCL_BR_START" "4 LCOV_EXCL_BR_STOP LCOV_EXCL_EXCEPTION_BR_START" \
		"5 LCOV_EXCL_EXCEPTION_BR_STOP"
	leaves "1 2 3 4 5" "2 2 4 4 5 5 5"
	[ ! -s err ]
}

@test "markers: those of lcov 2, gcov and gcovr mean the same" {
	source_of 1 "2 GCOV_EXCL_LINE" "3 GCOVR_EXCL_LINE" "4 LCOV_UNREACHABLE_LINE" \
		"5 GCOVR_EXCL_START" "6 LCOV_EXCL_STOP" "7 LCOV_UNREACHABLE_START" \
		"8 LCOV_EXCL_LINE" "9 LCOV_UNREACHABLE_STOP" "10 XCOV_EXCL_LINE" \
		"11 LCOV_EXCL_LIN"
	leaves "1 6 9 10 11" "1 1 1 6 6 6 9 9 9 10 10 10 11 11 11"
}

@test "markers: sections that do not fit are warnings with their lines" {
	source_of "1 LCOV_EXCL_STOP" "2 LCOV_EXCL_START LCOV_EXCL_STOP" 3 \
		"4 LCOV_EXCL_BR_START" "5 LCOV_EXCL_BR_START" 6
	leaves "1 2 3 4 5 6" "1 1 1 2 2 2 3 3 3"
	grep -qx "a.c:1: warning: EXCL_STOP without a START before it" err
	grep -qx "a.c:5: warning: EXCL_BR_START in a section.*" err
	grep -qx "a.c:4: warning: EXCL_BR_START without a STOP: .*" err
	[ "$(wc -l <err)" -eq 3 ]
}

@test "markers: functions, without those that begin in them" {
	source_of 1 "2 void f() { GCOVR_EXCL_FUNCTION" 3 "4 lambda" 5 "6 } LCOV_EXCL_LINE" \
		"7 g() { GCOV_EXCL_BR_FUNCTION" 8 "9 LCOV_EXCL_START" "10 } LCOV_EXCL_STOP" \
		"11 h() {} GCOVR_EXCL_FUNCTION" 12
	sed -i 's/^SF:.*/&\nFN:2,6,f\nFN:4,4,l\nFN:7,10,g\nFN:11,11,h\nFNDA:1,f/' a.info
	leaves "1 4 7 8 10 12" "1 1 1 4 4 4 12 12 12"
	[ ! -s err ]
	grep '^FN:' out | paste -sd ' ' | grep -x 'FN:4,l FN:7,g'
	leaves "1 2 3 4 5 6 7 8 9 10 11 12" "$(for i in $(seq 12); do echo "$i $i $i"; done | paste -sd ' ')" --no-markers
	# Tools know no such marker of other kinds.
	source_of "1 f() { LCOV_UNREACHABLE_FUNCTION LCOV_EXCL_EXCEPTION_BR_FUNCTION" "2 }"
	sed -i 's/^SF:.*/&\nFN:1,2,f\nFNDA:1,f/' a.info
	leaves "1 2" "1 1 1 2 2 2"
	[ ! -s err ]
	# Without its end, a function is not excluded.
	source_of "1 f() { GCOVR_EXCL_FUNCTION" 2
	sed -i 's/^SF:.*/&\nFN:1,f\nFNDA:1,f/' a.info
	leaves "1 2" "1 1 1 2 2 2"
	grep -q '^a.c:1: warning: EXCL_FUNCTION excludes nothing' err
}

@test "markers: patterns exclude lines, or branches of lines" {
	source_of "assert(1);" "x" "assert(2);" "abort();"
	leaves "2 4" "2 2 2" --exclude-lines '^ass' --exclude-branches 'abort|exit'
	refuses 2 "--exclude-lines: invalid regular expression" \
		-t lcov --exclude-lines '(' a.info
}

@test "markers: --no-markers counts all lines" {
	source_of "1 LCOV_EXCL_LINE" 2
	leaves "2" "2 2 2"
	leaves "1 2" "1 1 1 2 2 2" --no-markers
	leaves "1" "1 1 1" --no-markers --exclude-lines 2
}

@test "markers: functions that begin on an excluded line are excluded" {
	source_of "f() // LCOV_EXCL_LINE" "g()"
	sed -i 's/^SF.*/&\nFN:1,f\nFN:2,g\nFNDA:1,f\nFNDA:1,g/' a.info
	leaves "2" "2 2 2"
	grep -qx FN:2,g out && grep -qx FNF:1 out
	[ "$(grep -c '^FN' out)" -eq 4 ]
}

@test "markers: a missing source is one note that counts, and no error" {
	source_of "1 LCOV_EXCL_LINE"
	sed 's/a\.c/b.c/' a.info >b.info
	"$CGCONV" -t lcov a.info b.info >out 2>err
	grep -qx DA:1,1 out
	[ "$(cat err)" = "cgconv: note: 1 of 2 sources not found: markers in them are unknown; name their directory with --sources" ]
}

@test "markers: sources of the system are not missing where others are found" {
	source_of "1 LCOV_EXCL_LINE" 2
	sed 's,a\.c,/no/such/b.h,' a.info >b.info
	"$CGCONV" -t lcov a.info b.info >out 2>err
	[ ! -s err ]
	"$CGCONV" -t lcov b.info 2>err >out
	grep -q "note: 1 of 1 source not found" err
}

@test "markers: sources are opened in --sources, the working directory, or next to the input only" {
	mkdir -p in elsewhere
	source_of "1 LCOV_EXCL_LINE" 2
	mv a.c elsewhere
	leaves "1 2" "1 1 1 2 2 2"
	leaves "2" "2 2 2" --sources elsewhere
	mv elsewhere/a.c .
	sed -i "s|^SF:.*|SF:$PWD/a.c|" a.info
	leaves "2" "2 2 2"
	cd in || return 1
	cp ../a.info . && leaves "1 2" "1 1 1 2 2 2"
	leaves "2" "2 2 2" --sources /
	sed -i "s|^SF:.*|SF:../a.c|" a.info
	leaves "1 2" "1 1 1 2 2 2"
}

@test "markers: sources of compilers that ran in another directory are found" {
	mkdir build
	source_of "1 LCOV_EXCL_LINE" 2
	sed -i "s|^SF:.*|SF:$PWD/build/../a.c|" a.info
	leaves "2" "2 2 2"
	cp "$ROOT/samples/src/marks.cc" .
	cp "$ROOT"/samples/gcov/marks/marks.gc* build
	"$CGCONV" -t lcov --map "/tmp/marks=$PWD/build/../" build >out 2>err
	grep -q '^DA:13,' out && ! grep -q '^DA:14,' out
	"$CGCONV" -t lcov --sources / --map "/tmp/marks=$PWD" build |
		grep -q '^DA:13,'
}

@test "markers: a source outside, that a link leads to, is missing" {
	mkdir in
	cd in || return 1
	source_of "1 LCOV_EXCL_LINE" 2
	mv a.c .. && ln -s ../a.c a.c
	leaves "1 2" "1 1 1 2 2 2"
	grep -q "1 of 1 source not found" err
	leaves "1 2" "1 1 1 2 2 2" --no-sandbox
	leaves "2" "2 2 2" --sources ..
}

@test "markers: Cobertura leaves out the same lines and branches" {
	source_of "1 LCOV_EXCL_LINE" "2 LCOV_EXCL_BR_LINE" 3
	"$CGCONV" -t cobertura a.info >out
	grep -q ' lines-covered="2" lines-valid="2" branches-covered="2" branches-valid="3"' out
	[ "$(grep -c '<line number="1"' out)" -eq 0 ]
}

@test "markers: other formats say what the input says" {
	source_of "1 LCOV_EXCL_LINE" 2
	"$CGCONV" -t json a.info >one 2>err
	"$CGCONV" -t gcov-json a.info >two 2>>err
	: >a.c
	"$CGCONV" -t json a.info >three 2>>err
	same one three
	"$CGCONV" -t gcov-json a.info >four 2>>err
	same two four
	[ "$(grep -c 'not found' err)" -eq 0 ]
	refuses 2 "--markers applies only" -t json --no-markers a.info
}

@test "markers: regions that begin on an excluded line are excluded" {
	printf '%s\n' 'a; b' 'c; // LCOV_EXCL_LINE' 'd; // LCOV_EXCL_BR_LINE' '}' >a.c
	{
		echo 'mode: count'
		for i in 1 2 3 4; do echo "a.c:$i.1,$i.2 1 0"; done
		echo "a.c:3.3,3.4 1 5"
	} >a.out
	"$CGCONV" -q --summary --json --sources . a.out |
		grep -q '"regions": *{ *"hit": *1, *"found": *4,'
	"$CGCONV" -q --summary --json --sources . --exclude-noncode a.out |
		grep -q '"regions": *{ *"hit": *1, *"found": *3,'
	"$CGCONV" -q --summary --json --sources . --no-markers a.out |
		grep -q '"regions": *{ *"hit": *1, *"found": *5,'
}
