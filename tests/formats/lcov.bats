# lcov.bats - tracefiles of lcov.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	first=samples/lcov/geninfo-1.16/coverage.info
	second=samples/lcov/geninfo-2.5/coverage.info
	all=samples/lcov/all-records/tests.info
}

# section LINE...: prints a tracefile of one section with these records.
section()
{
	printf '%s\n' TN: SF:/a.c "$@" end_of_record
}

# writes OPTION...: converts to a tracefile, drops TN, SF and end_of_record.
writes()
{
	"$CGCONV" -t lcov --no-markers "$@" 2>"$dir/err" |
		grep -vE '^(TN:|SF:|end_of_record)'
}

# refuses_section MESSAGE LINE...
refuses_section()
{
	local message=$1

	shift
	section "$@" >"$dir/bad.info"
	refuses 1 "$message" "$dir/bad.info"
}

@test "lcov: output of geninfo 2.5 survives record by record" {
	"$CGCONV" -t lcov --format-version 2 "$second" | sort >"$dir/got"
	sort "$second" >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "lcov: geninfo 1.16 and 2.5 agree on one run" {
	"$CGCONV" -t lcov "$first" >"$dir/one"
	"$CGCONV" -t lcov "$second" >"$dir/two"
	grep -v ^BRDA "$dir/one" >"$dir/want"
	grep -v ^BRDA "$dir/two" >"$dir/got"
	same "$dir/want" "$dir/got"
	grep -c ^BRDA "$dir/one" "$dir/two" | cut -d : -f 2 | uniq >"$dir/n"
	[ "$(wc -l <"$dir/n")" -eq 1 ]
}

@test "lcov: all records of lcov 2 survive" {
	golden "$all" lcov --format-version 2
}

@test "lcov: version 1 has only records that lcov 1 reads" {
	golden "$all" lcov
	[ "$("$CGCONV" -q -t lcov "$all" |
		grep -cE '^(FNL|FNA|BRDA:[0-9]*,[ef])')" -eq 0 ]
	refuses 2 "--format-version: expected 1 or 2, not '3'" -t lcov --format-version 3 "$all"
}

@test "lcov: version 1 drops expressions of branches with a warning" {
	section "BRDA:3,0,f(a, b),1" "BRDA:3,0,!f(a, b),-" "DA:3,1" \
		>"$dir/in.info"
	writes "$dir/in.info" | grep ^BRDA | says BRDA:3,0,0,1 BRDA:3,0,1,-
	grep -q "keep them with --format-version 2" "$dir/err"
	writes --format-version 2 "$dir/in.info" | grep ^BRDA |
		says "BRDA:3,0,f(a, b),1" "BRDA:3,0,!f(a, b),-"
	[ ! -s "$dir/err" ]
}

@test "lcov: numbers among expressions of branches and conditions survive" {
	section BRDA:6,0,1,2 BRDA:6,0,a,3 BRDA:6,1,1,- BRDA:6,1,0,- \
		MCDC:7,2,t,1,0,7 MCDC:7,2,f,0,0,7 MCDC:7,2,t,1,1,1 \
		MCDC:7,2,f,1,1,1 DA:6,5 DA:7,1 >"$dir/in.info"
	writes --format-version 2 "$dir/in.info" | grep -E '^(BRDA|MCDC)' |
		says BRDA:6,0,1,2 BRDA:6,0,a,3 BRDA:6,1,0,- BRDA:6,1,1,- \
		MCDC:7,2,t,1,0,7 MCDC:7,2,f,0,0,7 MCDC:7,2,t,1,1,1 \
		MCDC:7,2,f,1,1,1
	writes "$dir/in.info" | grep BRDA:6,0 | says BRDA:6,0,0,2 BRDA:6,0,1,3
}

@test "lcov: lcov and genhtml read the output and count the same" {
	needs lcov genhtml
	mkdir "$dir/src"
	cp samples/src/shapes.cc samples/src/area.h "$dir/src"
	# The sources have moved.
	sed "s|/src/shapes/|$dir/src/|" "$first" >"$dir/in.info"
	"$CGCONV" -t lcov "$dir/in.info" -o "$dir/out.info"
	for file in in out; do
		lcov --rc lcov_branch_coverage=1 --summary "$dir/$file.info" \
			2>&1 | grep '%' >"$dir/$file"
	done
	[ "$(wc -l <"$dir/in")" -eq 3 ]
	same "$dir/in" "$dir/out"
	genhtml --branch-coverage -o "$dir/html" "$dir/out.info" \
		>"$dir/log" 2>&1
	[ "$(grep -ciE 'warn|error' "$dir/log")" -eq 0 ]
	grep -q 'shapes.cc' "$dir/html/index.html" ||
		[ -n "$(find "$dir/html" -name 'shapes.cc.gcov.html')" ]
}

@test "lcov: totals equal those of the records" {
	for version in 1 2; do
		"$CGCONV" -q -t lcov --format-version "$version" "$all" |
			perl -ne '
			sub check { my ($n, $want) = @_;
				$n == $want or die "$.: $_" }
			/^DA:\d+,(\d+)/ and $lf++, $lh += $1 > 0;
			/^BRDA:\d+,[ef]?\d.*,(\S+)$/
				and $bf++, $bh += $1 ne "-" && $1 > 0;
			/^MCDC:\d+,\d+,[tf],(\d+)/ and $mf++, $mh += $1 > 0;
			/^LF:(.*)/ and check($lf, $1); /^LH:(.*)/ and check($lh, $1);
			/^BRF:(.*)/ and check($bf, $1);
			/^BRH:(.*)/ and check($bh, $1);
			/^MCF:(.*)/ and check($mf, $1);
			/^MCH:(.*)/ and check($mh, $1);
			/^end/ and ($lf, $lh, $bf, $bh, $mf, $mh) = (0) x 6;
			'
	done
}

@test "lcov: tests become parts and survive, several files are merged" {
	"$CGCONV" -q -t lcov "$all" | grep ^TN: | uniq | says TN:first TN:second
	section DA:1,2 DA:2,0 >"$dir/a"
	section DA:2,1 DA:3,5 >"$dir/b"
	writes "$dir/a" "$dir/b" | grep ^DA | says DA:1,2 DA:2,1 DA:3,5
	writes -v --parts "$dir/a" "$dir/b" | grep ^DA |
		says DA:1,2 DA:2,1 DA:3,5
	grep -q "parts are merged: none has the name of a test" "$dir/err"
}

@test "lcov: merging keeps versions of files unless they conflict" {
	for i in "a 1" "b 2" "a 2"; do
		printf 'TN:\nSF:/%s.c\nVER:%s\nDA:1,1\nend_of_record\n' $i \
			>"$dir/${i/ /}.info"
	done
	for way in "" --parts; do
		"$CGCONV" -q $way -t lcov "$dir"/{a1,b2}.info |
			grep -E '^(SF|VER)' | says SF:/a.c VER:1 SF:/b.c VER:2
		"$CGCONV" $way -t lcov "$dir"/{a1,b2,a2}.info 2>"$dir/err" |
			grep -E '^(SF|VER)' | says SF:/a.c SF:/b.c VER:2
		grep "dropped versions (VER) of 1 file: inputs" "$dir/err"
	done
}

@test "lcov: a function owns the lines of its range, the innermost first" {
	section FN:2,9,outer FN:4,6,inner FN:20,open FN:30,30,one FN:2,9,alias \
		DA:1,1 DA:2,2 DA:4,3 DA:6,4 DA:7,5 DA:10,6 DA:25,7 DA:30,8 \
		DA:31,9 >"$dir/in.info"
	"$CGCONV" -q -t callgrind "$dir/in.info" |
		perl tests/oracle/callgrind.pl - | grep ^self |
		cut -f 5,7,9 >"$dir/got"
	printf '%s\t%s\tExec=%s\n' '???' 1 1 '???' 10 6 '???' 31 9 inner 4 3 \
		inner 6 4 one 30 8 open 25 7 outer 2 2 outer 7 5 | sort |
		says_sorted
}

# says_sorted: standard input is $dir/got, in any order.
says_sorted()
{
	sort "$dir/got" >"$dir/got.sorted"
	cat >"$dir/want"
	same "$dir/want" "$dir/got.sorted"
}

@test "lcov: mangled names are shown demangled and written mangled" {
	section FN:1,_Z1fi FNDA:3,_Z1fi DA:1,3 >"$dir/in.info"
	"$CGCONV" -t json "$dir/in.info" | grep -q '"f(int)"'
	writes "$dir/in.info" | grep ^FN: | says FN:1,_Z1fi
}

@test "lcov: reads counts of every kind" {
	section DA:1,-3 DA:2,18446744073709551615 DA:3,1.5e+3 DA:4,0 DA:5,7 \
		FN:1,f FNDA:-1,f >"$dir/in.info"
	writes "$dir/in.info" | grep -E '^(DA|FNDA)' |
		says FNDA:0,f DA:1,0 DA:2,1 DA:3,1500 DA:4,0 DA:5,7
	grep -q "count 18446744073709551615 is a wrapped negative one: it is read as 1" \
		"$dir/err"
	grep -q "negative entry count of a function is read as 0" "$dir/err"
	grep -q "negative counts of 1 line are written as 0" "$dir/err"
	refuses_section "expected a count" DA:1,x
	refuses_section "expected a count" DA:1,
	refuses_section "expected a count of 64 bits" DA:1,1e30
	refuses_section "expected a count" DA:1,18446744073709551616
	refuses_section "exceeds 64 bits" DA:1,9223372036854775807 \
		DA:2,1
}

@test "lcov: the installed lcov takes the same wrapped and negative counts for hits" {
	command -v lcov >/dev/null || skip "no lcov"
	lcov --version | grep -q 'version 1\.' || skip "lcov 2 refuses such files"
	section FN:1,f FNDA:18446744073709551615,f DA:1,18446744073709551615 \
		DA:2,-3 DA:3,9223372036854775808 DA:4,1 >"$dir/in.info"
	lcov --summary "$dir/in.info" 2>&1 |
		grep -o '([0-9]* of [0-9]* [lf]' | tr -d 'a-z(' | tr -s ' ' / \
		>"$dir/want"
	"$CGCONV" -q --summary --json "$dir/in.info" |
		grep -o '"total":{"lines":{[^}]*},"functions":{[^}]*}' |
		grep -o '"hit":[0-9]*,"found":[0-9]*' |
		sed 's/.*hit":\([0-9]*\),"found":\([0-9]*\)/\1\/\2\//' >"$dir/got"
	same "$dir/want" "$dir/got"
}

@test "lcov: negative counts of branches and lines are reported" {
	section BRDA:1,0,0,-3 BRDA:1,0,1,2 BRDA:1,0,2,- DA:1,-1 >"$dir/in.info"
	writes "$dir/in.info" | grep -E '^(BRDA|DA)' |
		says DA:1,0 BRDA:1,0,0,0 BRDA:1,0,1,2 BRDA:1,0,2,-
	grep "warning: negative counts of 1 line are written as 0" "$dir/err"
	grep "warning: negative counts of 1 branch are written as 0" "$dir/err"
}

@test "lcov: writes line costs of a profile" {
	file=samples/callgrind/plain/callgrind.out
	"$CGCONV" -q -t lcov --event Ir "$file" >"$dir/out.info"
	perl tests/oracle/callgrind.pl "$file" | awk -F '\t' '
		$1 == "self" && $6 != "???" && $7 > 0 {
			split($9, cost, "=")
			sum[$6 " " $7] += cost[2]
		}
		END { for (line in sum) print line, sum[line] }' |
		sort >"$dir/want"
	[ -s "$dir/want" ]
	awk -F '[:,]' '/^SF:/ { file = substr($0, 4) }
		/^DA:/ { print file, $2, $3 }' "$dir/out.info" |
		sort >"$dir/got"
	same "$dir/want" "$dir/got"
	refuses 2 "event of the input (see --info), not 'Xx'" -t lcov --event Xx "$file"
}

@test "lcov: newlines in names are escaped" {
	printf '%s\n' '{"cgconv":"graph","version":1}' \
		'["event",0,"Exec"]' '["file",1,"/a\nDA:9,9"]' \
		'["function",1,"f\r\nend_of_record",1,0,1]' '["rows",1]' \
		'["cost",1,1,0,[1]]' '["end"]' >"$dir/in.cgj"
	"$CGCONV" -t lcov "$dir/in.cgj" | says TN: 'SF:/a\nDA:9,9' \
		'FN:1,f\r\nend_of_record' 'FNDA:1,f\r\nend_of_record' FNF:1 FNH:1 \
		DA:1,1 LF:1 LH:1 end_of_record
}

@test "lcov: errors name their location" {
	refuses_section "bad.info:3:4: error: expected a line number" DA:x,1
	refuses_section "bad.info:3:5: error: expected ','" DA:1
	refuses_section "expected a line number" DA:4294967296,1
	refuses_section "expected the name of a function" FN:1,
	refuses_section "expected the index of an earlier FNL: record" FNA:0,1,f
	refuses_section "expected branch,count after the block" BRDA:1,0,1
	refuses_section "expected the number of a block" BRDA:1,x,0,1
	refuses_section "expected a number or an expression" BRDA:1,0,,1
	refuses_section "expected t or f" MCDC:1,1,x,1,0,a
	refuses_section "expected a condition less than the group size" MCDC:1,1,t,1,1,a
	refuses_section "expected the end of the line" LF:1x
	printf '%s\n' SF:/a.c DA:1,1 >"$dir/bad.info"
	refuses 1 "expected end_of_record: the file is truncated" "$dir/bad.info"
	printf '%s\n' SF:/a.c DA:1,1 SF:/b.c >"$dir/bad.info"
	refuses 1 "expected end_of_record before the next file" "$dir/bad.info"
	printf '%s\n' TN: DA:1,1 >"$dir/bad.info"
	refuses 1 "expected SF: with a source file before this record" --from lcov \
		"$dir/bad.info"
}

@test "lcov: unusual input is read with a warning" {
	section FN:5,3,f XX:1 LF:9 LH:2 DA:4,1,abc >"$dir/in.info"
	writes "$dir/in.info" | grep ^DA: | says DA:4,1
	for message in "function ends before its first line" "unknown record skipped" \
		"LF states 9 lines, the section has 1" \
		"LH states 2 lines that ran, the section has 1" \
		"checksums of lines are dropped"; do
		grep -q "warning: .*$message" "$dir/err"
	done
	# Where the section ends, however the input comes.
	line=$(grep -n end_of_record "$dir/in.info" | cut -d : -f 1)
	grep -q "in.info:$line:1: warning: LF states" "$dir/err"
	(cat "$dir/in.info" && sleep 0.1 && cat "$dir/in.info") |
		"$CGCONV" -t json - 2>"$dir/err" >"$dir/x"
	grep -q "$((2 * line)):1: warning: LF states" "$dir/err"
	printf 'SF:/a.c\r\nDA:1,1\r\nend_of_record\r\n' | writes - |
		grep ^DA | says DA:1,1
}

@test "lcov: branches of a compiler are numbered consecutively, as by geninfo" {
	"$CGCONV" -q -t lcov samples/gcov/gcc-c/cover.gcda |
		grep ^BRDA | tr : , >"$dir/got"
	# A branch is - only if all branches of the line are.
	awk -F , '$2 != line { line = $2; next_one = 0; never = $5 == "-" }
		$3 != 0 || $4 != next_one++ || ($5 == "-") != never { bad++ }
		{ two += $4 > 1; dash += $5 == "-"; zero += $5 == "0" }
		END { exit bad > 0 || !two || !dash || !zero }' "$dir/got"
}

@test "lcov: functions that begin on one line share an FNL record" {
	section FN:3,7,f FN:3,3,g FNDA:0,f FNDA:2,g DA:3,2 >"$dir/in.info"
	writes --format-version 2 "$dir/in.info" | grep ^FN |
		says FNL:0,3,7 FNA:0,0,f FNA:0,2,g FNF:1 FNH:1
}

@test "lcov: template instances with different branches get separate blocks" {
	cat >"$dir/a.cc" <<-'END'
	static bool odd(int n) { return n & 1; }
	template <int N> int f(int n)
	{
		return (N > 1 && odd(n)) || (odd(n) ? odd(N) : odd(n + N));
	}
	int main(int n, char **) { return f<1>(n) + f<2>(n) + f<3>(n) < 0; }
	END
	cd "$dir"
	g++ -O0 --coverage -c a.cc
	g++ --coverage a.o -o a
	./a
	./a 1
	"$CGCONV" -q -t lcov a.gcda -o out.info
	# As geninfo 2.5 writes them; block 1 is the sum of the last two.
	grep ^BRDA:4 out.info | says BRDA:4,0,0,1 BRDA:4,0,1,1 \
		BRDA:4,1,0,2 BRDA:4,1,1,2 BRDA:4,1,2,0 BRDA:4,1,3,2 \
		BRDA:4,1,4,0 BRDA:4,1,5,0 BRDA:4,1,6,1 BRDA:4,1,7,1
}

@test "lcov: skips records without a file and of line 0, with a counted warning" {
	cat >"$dir/in" <<-'END'
	TN:
	SF:
	FN:1,lost
	FNDA:1,lost
	DA:1,5
	end_of_record
	SF:/a.c
	FN:2,f
	FNDA:3,f
	BRDA:0,0,0,1
	BRDA:2,0,0,1
	DA:0,4
	DA:2,3
	end_of_record
	END
	"$CGCONV" -t lcov --no-markers "$dir/in" >"$dir/out" 2>"$dir/err"
	grep -xF "$dir/in:2:1: warning: skipped the records of a file without a path" \
		"$dir/err"
	[ "$(grep -c 'warning: skipped a record of line 0' "$dir/err")" -eq 2 ]
	[ "$(wc -l <"$dir/err")" -eq 3 ]
	grep -E '^(SF|DA|BRDA|FNDA):' "$dir/out" | says SF:/a.c FNDA:3,f DA:2,3 \
		BRDA:2,0,0,1
	# The next file begins although end_of_record is missing.
	sed 6d "$dir/in" | "$CGCONV" -q -f lcov -t lcov | same "$dir/out" -
}

@test "lcov: a function without known entries ran if it has a cost in any file" {
	printf 'events: Ir\nfl=/s/b.c\nfn=hot\n5 0\nfi=/s/z.h\n3 7\nfn=cold\n9 0\n' \
		>"$BATS_TEST_TMPDIR/in.cg"
	"$CGCONV" -q -t lcov "$BATS_TEST_TMPDIR/in.cg" |
		grep '^FNDA' | same - <(printf 'FNDA:1,hot\nFNDA:0,cold\n')
}
