# summary.bats - how much of the source was covered: --summary.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	coverage=samples/lcov/geninfo-1.16/coverage.info
}

# file PATH LINES HIT: the section of a tracefile with so many lines.
file()
{
	echo "SF:$1"
	seq "$2" | awk -v hit="$3" '{ print "DA:" $1 "," ($1 <= hit) }'
	echo end_of_record
}

# member JSON KEY...: prints "HIT FOUND PERCENT" of a member.
member()
{
	perl -MJSON::PP -0777 -e 'my $value = decode_json(<STDIN>);
		for (@ARGV) { $value = /^\d+$/ ? $value->[$_] : $value->{$_} }
		exit 1 if !ref $value;
		print join(" ", map { $_ // "null" }
			@$value{qw(hit found percent)}), "\n"' "${@:2}" <"$1"
}

# wants STATUS MESSAGE LIMITS FILE: the gate ends so; the report is there.
wants()
{
	local status=0

	"$CGCONV" -q --summary --fail-under "$3" "$4" >"$dir/out" 2>"$dir/err" ||
		status=$?
	[ "$status" -eq "$1" ] && [ "$(cat "$dir/err")" = "$2" ] &&
		grep -q "all files" "$dir/out" || {
		cat "$dir/err" && false
	}
}

@test "summary: has the numbers of lcov --summary" {
	command -v lcov >/dev/null || skip "no lcov"
	for input in samples/gcov/*/ samples/lcov/geninfo*/*.info; do
		"$CGCONV" -q -t lcov "$input" >"$dir/in.info" 2>/dev/null || continue
		lcov --rc lcov_branch_coverage=1 --rc branch_coverage=1 \
			--summary "$dir/in.info" 2>/dev/null |
			sed -n 's/^ *\([a-z]*\)\.*: \([0-9.]*\)% (\([0-9]*\) of \([0-9]*\).*/\1 \3\/\4 \2%/p' |
			sort >"$dir/want"
		[ -s "$dir/want" ] || continue
		"$CGCONV" -q --summary --json --top 0 "$dir/in.info" >"$dir/out"
		for name in lines functions branches; do
			member "$dir/out" total "$name" |
				awk -v name="$name" '$2 { print name, $1 "/" $2, $3 "%" }'
		done | sort >"$dir/got"
		sed 's/ \([0-9]*\)\.0*%/ \1%/; s/\(\.[0-9]*[1-9]\)0*%/\1%/' \
			"$dir/want" >"$dir/want1"
		sed 's/ \([0-9]*\)\.0*%/ \1%/' "$dir/got" >"$dir/got1"
		same "$dir/want1" "$dir/got1"
	done
	[ -s "$dir/got" ]
}

@test "summary: counts are the totals of the tracefile" {
	"$CGCONV" -q -t lcov "$coverage" >"$dir/info"
	"$CGCONV" -q --summary --json "$coverage" >"$dir/json"
	for pair in lines:L functions:FN branches:BR; do
		tag=${pair#*:}
		awk -F: -v hit="${tag}H" -v all="${tag}F" '$1 == hit { h += $2 }
			$1 == all { a += $2 } END { print h, a }' "$dir/info" >"$dir/want"
		member "$dir/json" total "${pair%:*}" | cut -d ' ' -f 1,2 >"$dir/got"
		same "$dir/want" "$dir/got"
	done
}

@test "summary: the least covered files first, directories with their sums" {
	{
		file /p/a/one.c 4 4
		file /p/a/two.c 4 1
		file /p/b/three.c 2 1
	} >"$dir/in.info"
	"$CGCONV" -q --summary "$dir/in.info" | sed 's/  */ /g' >"$dir/got"
	cat >"$dir/want" <<-END
	Coverage below /p/
	 lines functions branches total
	 60.0% 6/10 - - all files

	 lines functions branches directory
	 62.5% 5/8 - - a/
	 50.0% 1/2 - - b/

	 lines functions branches file, least covered first
	 25.0% 1/4 - - a/two.c
	 50.0% 1/2 - - b/three.c
	 100.0% 4/4 - - a/one.c
	END
	same "$dir/want" "$dir/got"
	"$CGCONV" -q --summary --top 1 "$dir/in.info" | sed 's/  */ /g' >"$dir/got"
	grep -qx ' and 2 more; use --top to list them' "$dir/got"
	[ "$(grep -c '\.c$' "$dir/got")" -eq 1 ]
	"$CGCONV" -q --summary --json "$dir/in.info" >"$dir/json"
	[ "$(member "$dir/json" directories 0 lines)" = "5 8 62.5" ]
	[ "$(member "$dir/json" files 0 lines)" = "1 4 25" ]
	[ "$(member "$dir/json" files 2 branches)" = "0 0 null" ]
}

@test "summary: 100% means everything, 0% nothing" {
	file a.c 9999 9998 >"$dir/in.info"
	"$CGCONV" -q --summary "$dir/in.info" | grep -q ' 99.9% 9998/9999 '
	file a.c 9999 1 >"$dir/in.info"
	"$CGCONV" -q --summary "$dir/in.info" | grep -q ' 0.1% 1/9999 '
}

@test "summary: conditions are counted where they are known" {
	"$CGCONV" -q --summary samples/lcov/all-records/tests.info >"$dir/out"
	grep -q ' branches  *conditions  *total$' "$dir/out"
}

@test "summary: regions are counted where they are known" {
	file=samples/go-cover/count/cover.out
	"$CGCONV" -q --summary "$file" >"$dir/out"
	grep -q ' branches  *regions  *total$' "$dir/out"
	grep -q ' 64.7% 11/17 .* all files$' "$dir/out"
	"$CGCONV" -q --summary --json "$file" >"$dir/json"
	grep -q '"regions": *{ *"hit": *11, *"found": *17,' "$dir/json"
	not grep conditions "$dir/json"
	"$CGCONV" -q --summary --markdown "$file" | grep -q '| Regions |$'
	wants 7 "cgconv: error: regions: 64.7% covered (11 of 17), --fail-under wants 64.8%" \
		regions=64.8 "$file"
	wants 0 "" regions=64.7 "$file"
}

@test "summary: --fail-under tells what is missed, exactly" {
	file a.c 2500 1999 >"$dir/in.info"
	wants 0 "" lines=79.96 "$dir/in.info"
	wants 7 "cgconv: error: lines: 80.0% covered (1999 of 2500), --fail-under wants 80%" \
		branches=90,lines=80 "$dir/in.info"
	"$CGCONV" -q -t lcov --no-branches "$coverage" >"$dir/in.info"
	wants 0 "" branches=100 "$dir/in.info"
}

@test "summary: --fail-under takes a number alone for lines, and a percent sign" {
	file a.c 10 8 >"$dir/in.info"
	for limit in 80 80% lines=80%; do
		wants 0 "" "$limit" "$dir/in.info"
	done
	wants 7 "cgconv: error: lines: 80.0% covered (8 of 10), --fail-under wants 80.1%" \
		80.1% "$dir/in.info"
}

@test "summary: a note tells how many files are outside of the directory" {
	cd "$dir"
	{ file "$PWD/a.c" 10 8; file b.c 10 8; file /usr/include/c.h 9 9; } >in.info
	"$CGCONV" --summary in.info 2>err | grep -q 'all files'
	grep -qxF "cgconv: note: 1 of 3 files are outside of $PWD; --no-external drops them" err
	# Not if all are, or none, or options select files.
	for args in --no-external '--exclude=/usr/*' '--include=/usr/*' \
		--exclude=b.c --include=[ac].c; do
		"$CGCONV" --summary "$args" in.info 2>err >out
		not grep 'outside of' err
	done
}

@test "summary: --fail-under without lines is not met" {
	cd "$dir" && echo "int x; // LCOV_EXCL_LINE" >a.c
	file a.c 1 1 >in.info
	wants 7 "cgconv: error: lines: - covered (0 of 0), --fail-under wants 1%" \
		lines=1 in.info
	wants 0 "" lines=0,branches=1 in.info
}

@test "summary: README's pattern for GitLab finds the percentage of lines" {
	pattern=$(sed -n "s/^  coverage: '.\(.*\).'$/\1/p" README.md)
	[ "$("$CGCONV" -q --summary "$coverage" |
		perl -ne 'print $1 if /'"$pattern"'/')" = 85.7 ]
}

@test "summary: options that make no sense are usage errors" {
	for limits in 101 lines=101 lines= = % 80,lines=90 lines=80,lines=90 rows=3 \
		lines=8x; do
		refuses 2 "--fail-under: expected percentages" --summary \
			--fail-under "$limits" "$coverage"
	done
	refuses 2 "prints one form only" --summary --json --badge "$coverage"
	refuses 2 "--markdown applies only with --summary" --markdown "$coverage"
	refuses 2 "-o and --summary cannot be used together" --summary -o x "$coverage"
	refuses 3 "--summary needs coverage" --summary samples/folded/*/*.folded
}

@test "summary: Markdown is a table in which paths are only text" {
	{
		file '/p/a_<b>|@me`x`.c' 2 1
		file /p/q.c 2 1
	} >"$dir/in.info"
	"$CGCONV" -q --summary --markdown "$dir/in.info" >"$dir/got"
	cat >"$dir/want" <<-'END'
	### Coverage

	| Directory | Lines | Functions | Branches |
	|---|---:|---:|---:|
	| **all files** | 50.0% (2/4) | - | - |
	| ./ | 50.0% (2/4) | - | - |

	<details><summary>2 of 2 files, least covered first</summary>

	| File | Lines | Functions | Branches |
	|---|---:|---:|---:|
	| a\_&#60;b&#62;&#124;&#64;me&#96;x&#96;.c | 50.0% (1/2) | - | - |
	| q.c | 50.0% (1/2) | - | - |

	</details>
	END
	same "$dir/want" "$dir/got"
}

@test "summary: the badge is SVG with the percentage of lines" {
	file a.c 8 7 >"$dir/in.info"
	"$CGCONV" -q --summary --badge "$dir/in.info" >"$dir/badge.svg"
	grep -q '>87.5%</text>' "$dir/badge.svg"
	! command -v xmllint >/dev/null || xmllint --noout "$dir/badge.svg"
}

@test "summary: reads directories, and leaves out lines that markers exclude" {
	command -v gcc >/dev/null || skip "no gcc"
	cd "$dir" && mkdir build && cat >a.c <<-'END' && cd build || return 1
	int main(int n, char **v)
	{
		if (n > 1) // LCOV_EXCL_BR_LINE
			return 1; // LCOV_EXCL_LINE
		return v == 0;
	}
	END
	gcc --coverage -o prog ../a.c && ./prog
	cd .. && "$CGCONV" --summary --json build >json
	[ "$(member json total lines)" = "3 3 100" ]
	[ "$(member json total branches)" = "0 0 null" ]
	"$CGCONV" --summary --json --no-markers build >json
	[ "$(member json total lines)" = "3 4 75" ]
	[ "$(member json total branches)" = "1 2 50" ]
}

@test "summary: --info --top prints directories, least covered first" {
	{
		file /p/a/one.c 10 10
		file /p/b/two.c 10 1
		file /p/c/three.c 10 5
	} >"$dir/a.info"
	"$CGCONV" --info --top 2 "$dir/a.info" >"$dir/out"
	grep -A 3 'directory, least covered first' "$dir/out" | awk '{ print $1, $2, $NF }' |
		sed -n 2,3p | same - <(printf '%s\n' '10.0% 1/10 b/' '50.0% 5/10 c/')
	not grep -q ' a/$' "$dir/out"
	"$CGCONV" --info "$dir/a.info" >"$dir/out"
	not grep -q 'least covered' "$dir/out"
	"$CGCONV" --info --json --top 2 "$dir/a.info" >"$dir/json"
	[ "$(member "$dir/json" coverage directories 0 lines)" = "1 10 10" ]
	[ "$(member "$dir/json" coverage directories 1 lines)" = "5 10 50" ]
	not member "$dir/json" coverage directories 2 lines 2>/dev/null
}

@test "summary: --info prints the same, without markers" {
	"$CGCONV" -q --summary --no-markers --json "$coverage" >"$dir/json"
	"$CGCONV" --info --json "$coverage" >"$dir/info"
	for name in lines functions branches; do
		[ "$(member "$dir/json" total "$name")" = \
			"$(member "$dir/info" coverage "$name")" ]
	done
	"$CGCONV" --info "$coverage" |
		grep -qx 'Coverage  85.7% of 28 lines, 80.0% of 10 functions, 58.3% of 24 branches'
	"$CGCONV" --info samples/callgrind/plain/callgrind.out >"$dir/out"
	[ "$(grep -c ^Coverage "$dir/out")" -eq 0 ]
}

@test "summary: --per-test lists what each test covers" {
	tests=samples/lcov/all-records/tests.info
	"$CGCONV" -q --summary --per-test --json --no-markers $tests >"$dir/json"
	"$CGCONV" -q --summary --json --no-markers $tests >"$dir/all"
	# Each alone, as a share of what both have.
	for i in 0 1; do
		awk -v part=$i '/^TN:/ { n = part == ($0 != "TN:first") } n' \
			$tests >"$dir/one.info"
		"$CGCONV" -q --summary --json --no-markers "$dir/one.info" >"$dir/one"
		for what in lines functions branches; do
			hit=$(member "$dir/one" total $what | cut -d' ' -f1)
			all=$(member "$dir/all" total $what | cut -d' ' -f2)
			member "$dir/json" tests $i $what | grep "^$hit $all "
		done
	done
	"$CGCONV" -q --summary --per-test --no-markers $tests >"$dir/text"
	grep -q ' second$' "$dir/text"
	"$CGCONV" -q --summary --per-test --markdown --no-markers $tests |
		grep -q '^| second |'
	# Inputs without tests.
	"$CGCONV" -q --summary --per-test --parts $coverage $coverage >"$dir/text"
	grep -q ' part 2$' "$dir/text"
	refuses 2 "--per-test applies only with --summary" --per-test $coverage
}

@test "summary: archives are read as their files are" {
	mkdir "$dir/in"
	cp $coverage "$dir/in"
	file b.c 4 3 >"$dir/in/b.info"
	echo text >"$dir/in/README"
	cp samples/gcov/gcc-c/cover.gc* "$dir/in"
	cp samples/lcov/all-records/tests.info "$dir/tests.info"
	cd "$dir"
	"$CGCONV" -q --summary --json in/*.info in >want
	[ "$(wc -c <want)" -gt 1000 ]
	tar -czf in.tgz in
	tar -cf in.tar in
	for input in in.tgz in.tar; do
		"$CGCONV" -q --summary --json $input >got
		same want got
		# -o of a batch has the same counts.
		"$CGCONV" -q -t json -o sum.cgj $input
		"$CGCONV" -q --summary --json sum.cgj | same want -
	done
	tar -cf info.tar in/*.info
	"$CGCONV" -q --summary --json in info.tar | same want -
	"$CGCONV" -q --summary --json -f lcov info.tar >got
	"$CGCONV" -q --summary --json in/*.info | same - got
	status=0
	"$CGCONV" -q --summary --include b.c --fail-under 80 in.tar 2>err ||
		status=$?
	[ "$status" -eq 7 ]
	grep -q "lines: 75.0% covered (3 of 4)" err
	"$CGCONV" -q --summary --per-test tests.info >want
	tar -cf tests.tar tests.info
	"$CGCONV" -q --summary --per-test tests.tar | same want -
	# It may only be named so.
	cp tests.info tests.zip
	"$CGCONV" -q --summary tests.info >want
	"$CGCONV" -q --summary tests.zip | same want -
}

@test "summary: archives without coverage, and damaged ones, are errors" {
	cd "$dir"
	echo text >README
	tar -cf text.tar README
	refuses 1 "text.tar: no member is in a known format" --summary text.tar
	seq 1 9999 | sed 's/.*/DA:&,1/' >lines
	{ echo SF:a.c && cat lines && echo end_of_record; } >a.info
	tar -czf a.tgz a.info
	head -c 9999 a.tgz >cut.tgz
	refuses 1 "cut.tgz" --summary cut.tgz
	head -c 9999 a.info >cut.info
	tar -cf cut.tar cut.info
	refuses 1 "cut.tar/cut.info" --summary cut.tar
	refuses 1 "gone.tar" --summary gone.tar
}

@test "summary: a sum that is too large is an error, also of --info" {
	printf '%s\n' '{"cgconv":"graph","version":1}' \
		'["event",0,"Exec","Line executions","","none",true]' \
		'["file",1,"a.go"]' \
		'["function",1,"f",1,0]' '["rows",1]' '["cost",1,1,0,[5]]' \
		'["region",1,1,1,1,9,9223372036854775807]' \
		'["region",1,1,1,1,9,9223372036854775807]' \
		'["end",{"records":8}]' >"$BATS_TEST_TMPDIR/in"
	refuses 1 'exceeds 64 bits' --summary "$BATS_TEST_TMPDIR/in"
	refuses 1 'exceeds 64 bits' --info --json "$BATS_TEST_TMPDIR/in"
}
