# gcov-text.bats - text of gcov, compared with the output of gcov.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

# Prints an annotated source of these lines.
text()
{
	printf '        -:    0:Source:a.c\n' >"$t/a.gcov"
	printf '%s\n' "$@" >>"$t/a.gcov"
}

rows()
{
	"$CGCONV" -q -t json "$@" | grep '^\["\(rows\|cost\|branch\)"'
}

# Prints file, line, count and branch counts of each line of gcov's JSON.
lines()
{
	"$CGCONV" -q -t gcov-json "$@" | perl -MJSON::PP -ne '
		for my $f (@{ decode_json($_)->{files} }) {
			for my $l (@{ $f->{lines} }) {
				my $n = $l->{line_number};
				$count{$n} += $l->{count};
				push @{ $taken{$n} },
				    map { $_->{count} } @{ $l->{branches} };
			}
		}
		END {
			printf "%d: %d %s\n", $_, $count{$_}, join " ",
			    sort @{ $taken{$_} || [] } for sort keys %count;
		}'
}

@test "gcov-text: samples match the golden files" {
	for file in $(samples gcov-text); do
		golden "$file" json
		golden "$file" gcov-text
	done
}

@test "gcov-text: text and JSON of one run agree on each line" {
	lines samples/gcov-json/gcc-12/branches.gcov.json >"$t/want"
	[ "$(wc -l <"$t/want")" -ge 20 ]
	for sample in gcc-12 blocks; do
		lines samples/gcov-text/$sample/branches.cc.gcov >"$t/got"
		same "$t/want" "$t/got"
	done
	lines samples/gcov-text/clang-14/branches.cc.gcov >"$t/want"
	lines samples/gcov-text/list/branches.gcda.gcov >"$t/got"
	# A list tells only whether branches were taken.
	sed -i 's/\( [1-9][0-9]*\)\+$/ +/; s/: [0-9]* /&/' "$t/want" "$t/got"
	same <(cut -d ' ' -f 1-2 "$t/want") <(cut -d ' ' -f 1-2 "$t/got")
}

@test "gcov-text: output equals that of the installed gcov" {
	command -v gcov >/dev/null || skip "no gcov"
	cp samples/src/branches.cc "$t"
	cat >"$t/plain.c" <<-'END'
	#include <stdlib.h>
	static int f(int n)
	{
		for (int i = 0; i < n; i++)
			if (i > 3 && n & 1) return i;
		return n;
	}
	static void leave(int n) { if (n) exit(0); abort(); }
	int main(void)
	{
		for (int i = 0; i < 9; i++) f(i);
		leave(f(2));
	}
	END
	cd "$t"
	for source in plain.c branches.cc; do
		name=${source%.*}
		case $source in *.c) cc=gcc ;; *) cc=g++ ;; esac
		$cc -O0 --coverage -c $source
		$cc --coverage -o $name $name.o
		./$name
		gcov -t -b -c $name.gcda >want 2>/dev/null
		"$CGCONV" -q -t gcov-text $name.gcda >got
		# gcov writes functions in the order of compilation.
		if [ $source != plain.c ]; then
			sort want -o want
			sort got -o got
		fi
		same want got
	done
}

@test "gcov-text: sources are opened only where the options allow" {
	mkdir "$t/in" "$t/src"
	text '        1:    1:first' '        2:    3:third'
	mv "$t/a.gcov" "$t/in"
	"$CGCONV" -t gcov-text "$t/in/a.gcov" >"$t/out" 2>"$t/err"
	grep -q 'warning: source a.c not found: name its directory with --sources' "$t/err"
	grep '/\*EOF' "$t/out" >"$t/got"
	printf '%s\n' '        1:    1:/*EOF*/' '        2:    3:/*EOF*/' |
		same - "$t/got"
	printf 'one\ntwo\n' >"$t/src/a.c"
	"$CGCONV" -t gcov-text --sources "$t/src" "$t/in/a.gcov" >"$t/out"
	tail -n 3 "$t/out" >"$t/got"
	printf '%s\n' '        1:    1:one' '        -:    2:two' \
		'        2:    3:/*EOF*/' | same - "$t/got"
	cp "$t/src/a.c" "$t/in"
	"$CGCONV" -t gcov-text "$t/in/a.gcov" | grep -q ':one$'
	# Not an absolute path of the input, nor one outside of the directory.
	sed "s|a\.c|$t/src/a.c|" "$t/in/a.gcov" >"$t/in/b.gcov"
	"$CGCONV" -q -t gcov-text "$t/in/b.gcov" >"$t/out"
	not grep -q ':one$' "$t/out"
	"$CGCONV" -q -t gcov-text --sources / "$t/in/b.gcov" | grep -q ':one$'
	sed 's|a\.c|../src/a.c|' "$t/in/a.gcov" >"$t/in/c.gcov"
	"$CGCONV" -q -t gcov-text "$t/in/c.gcov" >"$t/out"
	not grep -q ':one$' "$t/out"
	"$CGCONV" -q -t gcov-text --sources "$t/in" "$t/in/c.gcov" >"$t/out"
	not grep -q ':one$' "$t/out"
}

@test "gcov-text: reads counts of all kinds" {
	text '        -:    1:' '    #####:    2:' '    =====:    3:' \
		'       3*:    4:' '     1.5k:    5:' '1234567890:    6:' \
		'       -5:    7:'
	"$CGCONV" -t json "$t/a.gcov" 2>"$t/err" |
		grep '^\["\(cost\|branch\)"' >"$t/got"
	printf '%s\n' '["cost",1,2,0,[]]' '["cost",1,3,0,[]]' \
		'["cost",1,4,0,[3]]' '["cost",1,5,0,[1500]]' \
		'["cost",1,6,0,[1234567890]]' '["cost",1,7,0,[-5]]' \
		'["branch",1,3,0,"block",0,0,0,"x"]' \
		'["branch",1,4,0,"block",0,0,0]' | same - "$t/got"
	grep -q 'a.gcov:6:6: warning: counts are inexact: gcov -H' "$t/err"
}

@test "gcov-text: reads branches, calls, conditions, paths" {
	text 'function f called 2 returned 50% blocks executed 75%' \
		'paths covered 1 of 3' \
		'        2:    1:' 'call    0 returned 2' \
		'branch  1 taken 1 (fallthrough)' 'branch  2 taken 40% (throw)' \
		'branch  3 never executed' 'unconditional  4 taken 2' \
		'condition outcomes covered 2/4' \
		'condition  0 not covered (true false)'
	"$CGCONV" -t json "$t/a.gcov" 2>"$t/err" | grep '^\["branch"' >"$t/got"
	same - "$t/got" <<-'END'
	["branch",1,0,0,"block",0,0,2,"",1," returned 50% blocks executed 75%"]
	["branch",1,1,0,"arc",0,1,1,"fr"]
	["branch",1,1,0,"arc",0,2,1,"tr"]
	["branch",1,1,0,"arc",0,3,0]
	["branch",1,1,0,"call",0,0,2,"r"]
	["branch",1,1,0,"condition",0,0,0,"r"]
	["branch",1,1,0,"condition",0,1,0,"r"]
	["branch",1,1,0,"condition",0,2,1,"r"]
	["branch",1,1,0,"condition",0,3,1,"r"]
	["branch",1,1,0,"path",0,0,1]
	["branch",1,1,0,"path",0,1,0]
	["branch",1,1,0,"path",0,2,0]
	END
	grep -q 'warning: percentages do not tell how often' "$t/err"
}

@test "gcov-text: functions that begin on one line have lines of their own" {
	text '        7:    1:' '        9:    2:' '        3:    3:' \
		------------------ f: 'function f called 4 returned 100%' \
		'        4:    1:' '        8:    2:' \
		------------------ g: 'function g called 3 returned 100%' \
		'        3:    1:' '    #####:    2:' ------------------
	rows "$t/a.gcov" | grep 'rows\|cost' >"$t/got"
	printf '%s\n' '["rows",0]' '["rows",1]' '["cost",1,2,0,[1]]' \
		'["cost",1,3,0,[3]]' '["rows",2]' '["cost",1,1,0,[4]]' \
		'["cost",1,2,0,[8]]' '["rows",3]' '["cost",1,1,0,[3]]' \
		'["cost",1,2,0,[]]' | same - "$t/got"
}

@test "gcov-text: reads several files in one text, one of them twice" {
	{
		text '        1:    1:' && cat "$t/a.gcov"
		sed 's/a\.c/b.c/' "$t/a.gcov"
		cat "$t/a.gcov"
	} >"$t/all"
	rows "$t/all" | grep cost >"$t/got"
	printf '%s\n' '["cost",1,1,0,[2]]' '["cost",2,1,0,[1]]' |
		same - "$t/got"
}

@test "gcov-text: reads lists of gcov -i, with and without last lines of functions" {
	cat >"$t/a" <<-'END'
	version:8.3.0
	file:a.c
	function:3,5,2,f
	function:8,9,0,g
	lcount:3,2,0
	lcount:4,7,1
	branch:4,taken
	branch:4,nottaken
	lcount:7,1
	lcount:8,0,1
	branch:8,notexec
	END
	"$CGCONV" -q -t json "$t/a" >"$t/out"
	grep -q '^\["function",2,"f",1,0,3,5,0\]' "$t/out"
	grep '^\["\(rows\|cost\|branch\)' "$t/out" >"$t/got"
	printf '%s\n' '["rows",0]' '["rows",1]' '["cost",1,7,0,[1]]' \
		'["rows",2]' '["cost",1,3,0,[2]]' '["cost",1,4,0,[7]]' \
		'["branch",1,4,0,"block",0,0,0]' \
		'["branch",1,4,0,"arc",0,0,1,"r"]' \
		'["branch",1,4,0,"arc",0,1,0,"r"]' \
		'["rows",3]' '["cost",1,8,0,[]]' \
		'["branch",1,8,0,"arc",0,0,0]' | same - "$t/got"
	for line in 'lcount:x,1' 'lcount:1' 'branch:1,maybe' 'function:1,2' \
		'lines:3'; do
		{ cat "$t/a" && echo "$line"; } >"$t/b"
		refuses 1 "b:12:" -t json "$t/b"
	done
	printf 'lcount:1,1\n' >"$t/b"
	refuses 1 "expected" -f gcov-text -t json "$t/b"
}

@test "gcov-text: functions of a list may come in any order, between lines" {
	printf '%s\n' file:a.c function:9,1,g function:1,1,d function:5,1,e \
		lcount:9,1 lcount:8,2 lcount:4,3 function:3,1,f function:7,1,h \
		lcount:4,4 lcount:2,5 lcount:7,6 lcount:10,7 >"$t/a"
	"$CGCONV" -q -t json "$t/a" | grep '^\["\(rows\|cost\)' >"$t/got"
	printf '%s\n' '["rows",0]' '["rows",2]' '["cost",1,2,0,[5]]' \
		'["cost",1,4,0,[3]]' '["rows",3]' '["cost",1,8,0,[2]]' \
		'["rows",4]' '["cost",1,4,0,[4]]' '["rows",5]' \
		'["cost",1,9,0,[1]]' '["cost",1,10,0,[7]]' '["rows",6]' \
		'["cost",1,7,0,[6]]' | same - "$t/got"
}

@test "gcov-text: errors name their location" {
	for line in '        x:    1:' '        1:    x:' 'branch  0 eaten 3' \
		'function f' 'condition outcomes covered 4/3' \
		'paths covered 4 of 3' 'nonsense'; do
		text '        1:    1:' "$line"
		refuses 1 "a.gcov:3:1: error: expected COUNT:LINE:SOURCE" \
			-t json "$t/a.gcov"
	done
	text 'paths covered 1 of 4000000000' \
		'function f called 1 returned 1% blocks executed 1%' \
		'paths covered 1 of 4000000000' '        1:    1:'
	refuses 1 "expected fewer paths" -t json "$t/a.gcov"
	text '        1:    1:'
	yes 'condition outcomes covered 0/128' | head -n 12000 >>"$t/a.gcov"
	refuses 1 "expected fewer paths and cond" -t json "$t/a.gcov"
	printf '        -:    0:Source:a.c\n        1:    1:x' >"$t/b.gcov"
	"$CGCONV" -t json "$t/b.gcov" 2>&1 >/dev/null |
		grep -q 'warning: the last line has no newline'
}

@test "gcov-text: annotations of a line come in the order of the unit" {
	printf '%s\n' '{"cgconv":"graph","version":1}' \
		'["event",0,"Exec"]' '["file",1,"/a.c"]' \
		'["function",1,"f",1,0,1,4]' '["function",2,"g",1,0,5,6]' \
		'["rows",1]' '["cost",1,3,0,[5]]' \
		'["branch",1,0,0,"block",0,0,5,"",2]' \
		'["branch",1,3,0,"arc",2,0,5,"r",3]' \
		'["rows",2]' '["cost",1,3,0,[7]]' \
		'["branch",1,0,0,"block",0,0,7,"",1]' \
		'["branch",1,3,0,"arc",2,0,7,"r",3]' '["end"]' >"$t/in.cgj"
	"$CGCONV" -q -t gcov-text "$t/in.cgj" | grep ^branch >"$t/got"
	printf '%s\n' 'branch  0 taken 7' 'branch  1 taken 5' |
		same - "$t/got"
}

@test "gcov-text: newlines in names are escaped" {
	printf '%s\n' '{"cgconv":"graph","version":1}' \
		'["event",0,"Exec"]' '["file",1,"/a\n9:9:x"]' \
		'["function",1,"f\r\nbranch",1,0,1,2]' \
		'["function",2,"g\n",1,0,1,2]' '["rows",1]' \
		'["cost",1,1,0,[1]]' '["rows",2]' '["cost",1,1,0,[2]]' \
		'["end"]' >"$t/in.cgj"
	"$CGCONV" -q -t gcov-text "$t/in.cgj" >"$t/out.gcov"
	grep -Fqx '        -:    0:Source:/a\n9:9:x' "$t/out.gcov"
	grep -Fqx 'f\r\nbranch:' "$t/out.gcov"
	grep -Fqx 'function g\n called 0' "$t/out.gcov"
	rows "$t/out.gcov" | grep -c '"cost"' | same - <(echo 2)
}

@test "gcov-text: marks unexecuted blocks if the notes allow" {
	cp samples/gcov/gcc-cc/cover.gcda samples/gcov/gcc-cc/cover.gcno "$t"
	"$CGCONV" -q -t gcov-text "$t/cover.gcda" >"$t/marked"
	[ "$(grep -c '^ *[0-9]*\*:' "$t/marked")" = 4 ]
	"$CGCONV" -q -t gcov-json "$t/cover.gcda" >"$t/want.json"
	# The word after the directory is 0 for Ada.
	perl -0777 -pi -e 'substr($_, 20 + unpack("x16 V", $_), 4) = "\0" x 4' \
		"$t/cover.gcno"
	"$CGCONV" -q -t json "$t/cover.gcda" >"$t/cover.cgj"
	for input in "$t/cover.gcda" "$t/cover.cgj"; do
		"$CGCONV" -q -t gcov-text "$input" >"$t/got"
		sed 's/^ \( *[0-9]*\)\*:/  \1:/' "$t/marked" | same - "$t/got"
	done
	"$CGCONV" -q -t gcov-json "$t/cover.gcda" | same "$t/want.json" -
	# gcov and llvm-cov write no marks for data of clang, so the output has
	# none, although one of two functions never ran a line.
	"$CGCONV" -q -t gcov-text samples/gcov/clang-b11/cover.gcda >"$t/a.gcov"
	not grep -q '\*:' "$t/a.gcov"
	grep -q '#####:   12:' "$t/a.gcov"
	"$CGCONV" -q -t gcov-text "$t/a.gcov" | same "$t/a.gcov" -
}

@test "gcov-text: no groups of gcc 8 to 14 that end behind the last code" {
	groups() { "$CGCONV" -q -t gcov-text "$@" | grep -c '^-----'; }

	# gcov 12 has none here; its group of two functions has three rulers.
	sample=samples/gcov/gcc-spans/cover.gcda
	[ "$(groups $sample)" = 0 ]
	"$CGCONV" -q -t json $sample >"$t/12.cgj"
	sed 's/"B22\*"/"B44*"/; s/^\["end".*/["end"]/' "$t/12.cgj" >"$t/14.cgj"
	sed 's/"B22\*"/"B53*"/; s/^\["end".*/["end"]/' "$t/12.cgj" >"$t/15.cgj"
	[ "$(groups "$t/14.cgj")" = 0 ]
	[ "$(groups "$t/15.cgj")" = 3 ]
}

@test "gcov-text: no summaries of clang's functions that begin on line 0" {
	"$CGCONV" -q -t json samples/gcov/clang-twice/cover.gcda >"$t/a.cgj"
	"$CGCONV" -q -t gcov-text "$t/a.cgj" | grep -q '^function _Z5firstii '
	# clang 19 writes so the wrappers of co_await; llvm-cov omits them.
	sed -e 's/^\(\["function",[0-9]*,"first(.*)",[0-9]*,0,\)[0-9]*/\10/' \
		-e 's/^\["end".*/["end"]/' "$t/a.cgj" >"$t/b.cgj"
	not cmp -s "$t/a.cgj" "$t/b.cgj"
	"$CGCONV" -q -t gcov-text "$t/b.cgj" >"$t/out"
	not grep -q '^function _Z5firstii ' "$t/out"
	grep -q '^function main ' "$t/out"
}

@test "gcov-text: summaries of clang's functions equal those of llvm-cov" {
	# From llvm-cov gcov -t -b -c of LLVM 14; destructors have no lines.
	cat >"$t/want" <<-'END'
	function _Z5clampIiET_S0_S0_S0_ called 2 returned 100% blocks executed 85%
	function _ZL5drainR4base called 2 returned 100% blocks executed 80%
	function _ZN6thriceC1Ei called 1 returned 100% blocks executed 50%
	function _ZN6thriceD0Ev called 0 returned 0% blocks executed 0%
	function _ZN6thriceD2Ev called 1 returned 100% blocks executed 100%
	function main called 1 returned 100% blocks executed 69%
	END
	for set in 402 b11 b21 default; do
		sample=samples/gcov/clang-$set/cover.gcda
		"$CGCONV" -q -t json "$sample" >"$t/clang.cgj"
		for input in "$sample" "$t/clang.cgj"; do
			"$CGCONV" -q -t gcov-text "$input" >"$t/out"
			grep -Fx -f "$t/want" "$t/out" | LC_ALL=C sort |
				same "$t/want" -
		done
	done
	# The summaries in JSON are those of gcov 11.
	"$CGCONV" -q -t gcov-json samples/gcov/clang-b11/cover.gcda |
		grep -q '"main",[^}]*"blocks":13,"blocks_executed":10,'
	# Less than 1% is rounded up.
	printf '%s\n' '{"cgconv":"graph","version":1}' \
		'["event",0,"Exec"]' '["file",1,"/a.c"]' \
		'["function",1,"f",1,0,1,4]' '["rows",1]' '["cost",1,3,0,[5]]' \
		'["branch",1,0,0,"block",0,0,999]' \
		'["branch",1,0,0,"block",1,0,1,"e"]' \
		'["branch",1,3,0,"block",2,0,5]' \
		'["branch",1,3,0,"block",900,0,0]' '["end"]' >"$t/in.cgj"
	"$CGCONV" -q -t gcov-text "$t/in.cgj" >"$t/out"
	grep -q 'called 999 returned 1% blocks executed 1%$' "$t/out"
}

@test "gcov-text: a profile without coverage is rejected" {
	refuses 3 "gcov-text needs the event Exec of coverage" -t gcov-text \
		samples/callgrind/plain/callgrind.out
}
