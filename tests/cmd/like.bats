# like.bats - --like counts coverage as another tool does. samples/gcov/marks
# has what the tools themselves counted.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	cp samples/gcov/marks/* samples/src/marks.cc "$dir"
	lines=$PWD/tests/oracle/lines.pl
}

# counts TOOL FORMAT [OPTION...]: what --like TOOL counts in marks.cc.
counts()
{
	local tool=$1 format=$2

	shift 2
	(cd "$dir" && "$CGCONV" -q -t "$format" --like "$tool" \
		--map /tmp/marks= "$@" marks.gcda -o out)
	"$lines" "$dir/out" marks.cc
}

@test "like: lcov counts the same lines, branches and functions" {
	counts lcov lcov --branches >"$dir/got"
	same samples/gcov/marks/lcov.txt "$dir/got"
}

@test "like: lcov has no branches unless asked for" {
	grep -v ^branches samples/gcov/marks/lcov.txt >"$dir/want"
	counts lcov lcov >"$dir/got"
	same "$dir/want" "$dir/got"
	refuses 2 "--branches applies only with --like" \
		-t lcov --branches samples/lcov/geninfo-1.16/coverage.info
}

# Both differ from lcov.txt in words of markers and internal functions. gcovr
# does not know EXCEPTION markers, lists the branches of each instance, and
# gcovr 5 adds their lines to the line of all of them, and lists functions that
# markers exclude.
@test "like: gcovr counts the same lines and functions" {
	grep -v '^branches \(13\|22\|82\) ' samples/gcov/marks/gcovr-8.txt \
		>"$dir/want"
	counts gcovr gcovr-json | grep -v '^branches 13 ' >"$dir/got"
	same "$dir/want" "$dir/got"
}

@test "like: gcovr-5 leaves out braces that never ran" {
	grep -v -e '^fn \(27\|34\|41\) ' -e '^branches \(22\|82\) ' \
		-e '^line \(9\|11\|13\) ' samples/gcov/marks/gcovr-5.2.txt >"$dir/want"
	counts gcovr-5 gcovr-json | grep -v '^line \(9\|11\|13\) ' >"$dir/got"
	same "$dir/want" "$dir/got"
}

@test "like: gcov and grcov count lines that markers exclude, and no branches" {
	counts gcov lcov >"$dir/got"
	[ "$(grep -c '^line' "$dir/got")" -eq 42 ]
	not grep -q ^branches "$dir/got"
	counts grcov lcov >"$dir/same"
	same "$dir/got" "$dir/same"
	counts llvm-cov lcov >"$dir/more"
	grep -q ^branches "$dir/more"
}

@test "like: options of the user win" {
	counts lcov lcov --branches >"$dir/want"
	counts gcov lcov --branches --markers --marker-words LCOV >"$dir/got"
	same "$dir/want" "$dir/got"
	counts lcov lcov --marker-words LCOV,GCOVR,GCOV >"$dir/all"
	[ "$(grep -c ^line "$dir/all")" -lt "$(grep -c ^line "$dir/want")" ]
	counts gcovr-5 gcovr-json --no-exclude-noncode >"$dir/got"
	grep -q "^line 76 0" "$dir/got"
}

@test "like: defaults that do not apply are no error, unknown tools are" {
	"$CGCONV" -q -t json --like lcov samples/folded/shapes/*.folded >/dev/null
	refuses 2 "--like: expected lcov, gcovr, gcovr-5, gcov, grcov or llvm-cov" \
		-t lcov --like kcov samples/lcov/geninfo-1.16/coverage.info
	refuses 2 "--marker-words: expected some of LCOV,GCOV,GCOVR, not 'LCOV,X'" \
		-t lcov --marker-words LCOV,X samples/lcov/geninfo-1.16/coverage.info
}

@test "like: gcovr is for files in the working directory or --root" {
	mkdir -p "$dir/in/src" "$dir/out"
	printf 'SF:%s/a.c\nDA:1,1\nDA:2,1\nend_of_record\n' \
		"$dir/in/src" "$dir/out" src >"$dir/in/a.info"
	printf '1\n2 LCOV_EXCL_LINE\n' >"$dir/in/src/a.c"
	cd "$dir/in"
	"$CGCONV" -q -t lcov --like gcovr a.info >../got
	[ "$(grep -c ^SF: ../got)" -eq 1 ]
	[ "$(grep -e ^SF -e ^DA ../got)" = $'SF:src/a.c\nDA:1,2' ]
	"$CGCONV" -q -t lcov --like gcovr --root "$dir/out" a.info >../got
	[ "$(grep ^SF: ../got)" = $'SF:a.c\nSF:src/a.c' ]
	# A root of another machine; one that cannot be; two, whose files could
	# have one path.
	printf 'SF:/gone/x/a.c\nDA:1,1\nend_of_record\n' >b.info
	"$CGCONV" -q -t lcov --like gcovr --root /gone/x b.info | grep -x SF:a.c
	refuses 2 "--root: cannot find 'none': No such file" \
		-t lcov --like gcovr --root none b.info
	refuses 2 "--like gcovr takes one --root" \
		-t lcov --like gcovr --root /gone/x --root /gone b.info
	"$CGCONV" -q -t lcov --like lcov --root /gone/x --root /gone b.info | grep -x SF:/gone/x/a.c
}

@test "like: units that never ran are out for lcov, and 0 for gcovr" {
	rm "$dir/marks.gcda"
	cd "$dir"
	# A directory that exists nowhere: see setup() in
	# tests/formats/gcov.bats.
	LC_ALL=C perl -pi -e 's,/tmp/marks,/gone/away,g' marks.gcno
	refuses 3 "the input has none" -t lcov --like lcov marks.gcno
	"$CGCONV" -q -t lcov --map /gone/away= --like gcovr marks.gcno >got
	grep -q ^DA:13,0 got
}

@test "like: branches of lines with only braces can be left out" {
	{
		echo SF:a.c
		printf 'BRDA:%s,0,0,1\nBRDA:%s,0,1,0\nDA:%s,1\n' \
			1 1 1 2 2 2 3 3 3 4 4 4
		echo end_of_record
	} >"$dir/a.info"
	printf '} // } else\n  /* a */ { } /* b\n{ x\n /* end */ }\n' >"$dir/a.c"
	cd "$dir"
	"$CGCONV" -q -t lcov --exclude-unreachable-branches a.info >got
	[ "$(sed -n 's/^BRDA:\([0-9]\).*/\1/p' got | uniq | paste -sd ' ')" = \
		"2 3" ]
	[ "$(grep -c ^DA: got)" -eq 4 ]
}

# ---- The tools themselves ---------------------------------------------------

# built: marks.cc, compiled and run here.
built()
{
	cd "$dir" && rm marks.gc* &&
		g++ --coverage -O0 -w -c marks.cc && g++ --coverage -o prog marks.o &&
		./prog >/dev/null
}

@test "like: lcov, compared with the one installed" {
	needs geninfo lcov
	built
	geninfo -q --rc lcov_branch_coverage=1 --rc branch_coverage=1 \
		--ignore-errors gcov,source -o one.info . >/dev/null 2>&1 ||
		geninfo -q --branch-coverage --ignore-errors inconsistent,mismatch \
			-o one.info . >/dev/null 2>&1
	lcov -q --rc lcov_branch_coverage=1 --rc branch_coverage=1 \
		-a one.info -o all.info >/dev/null 2>&1
	"$lines" all.info marks.cc >want
	"$CGCONV" -q -t lcov --like lcov --branches . >out
	"$lines" out marks.cc >got
	same want got
}

@test "like: gcovr, compared with the one installed" {
	command -v gcovr >/dev/null || skip "no gcovr"
	local tool=gcovr

	built
	gcovr --version | grep -q '^gcovr 5\.' && tool=gcovr-5
	gcovr --json all.json . >/dev/null 2>&1
	"$lines" all.json marks.cc | grep -e '^line' |
		grep -v '^line \(9\|11\|13\) ' >want
	"$CGCONV" -q -t gcovr-json --like "$tool" . >out
	"$lines" out marks.cc | grep -e '^line' |
		grep -v '^line \(9\|11\|13\) ' >got
	same want got
}

# A destructor has up to three linker names and one C++ name.
@test "like: gcovr counts functions by name, others by linker name" {
	needs g++
	mkdir "$dir/cc"
	cd "$dir/cc"
	cat >d.cc <<-'END'
	struct B { virtual ~B(); virtual int f(); B(); };
	B::B() {}
	B::~B() {}
	int B::f() { return 1; }
	template <class T> T twice(T x) { return x + x; }
	int never() { return twice(1.5) > 1; }
	int main() { B *b = new B; int r = twice(b->f()); delete b; return r - 2; }
	END
	g++ -O0 --coverage d.cc -o d
	./d
	"$CGCONV" -q --summary --like gcovr . >got
	grep -q ' 71.4% 5/7 .* all files' got
	"$CGCONV" -q --summary . >got
	grep -q ' 75.0% 6/8 .* all files' got
	for to in lcov jacoco clover; do
		"$CGCONV" -q -t $to --like gcovr -o out .
		"$CGCONV" -q --summary out >got
		grep -q ' 71.4% 5/7 .* all files' got
	done
	command -v gcovr >/dev/null || return 0
	gcovr --json - . 2>/dev/null | grep -o '"execution_count": [0-9]*' |
		sort | uniq -c | awk '{ n += $1; if ($3 > 0) hit += $1 }
		END { print hit "/" n }' | same - <(echo 5/7)
}

@test "like: llvm-cov's lines are those of its records, not of its report" {
	needs clang++ llvm-cov llvm-profdata
	mkdir "$dir/cc"
	cd "$dir/cc"
	cat >d.cc <<-'END'
	template <class T> T twice(T x) { return x + x; }
	int main(int argc, char **argv) {
		auto add = [&](int a) {
			return a + argc;
		};
		return add(1) - twice(1) - (int)(twice(1.5) - 3);
	}
	END
	clang++ -fprofile-instr-generate -fcoverage-mapping d.cc -o d || skip
	LLVM_PROFILE_FILE=d.profraw ./d
	llvm-profdata merge -o d.profdata d.profraw || skip
	llvm-cov export -format=lcov d -instr-profile=d.profdata >d.info
	"$CGCONV" -q --summary --like llvm-cov --json d d.profdata >got
	grep -q "\"lines\":{\"hit\":7,\"found\":7," got
	[ "$(grep -c ^DA: d.info)" -eq 7 ]
	grep -q "\"functions\":{\"hit\":4,\"found\":4," got
}
