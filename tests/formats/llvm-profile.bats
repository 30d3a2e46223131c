# llvm-profile.bats - profiles of clang, compared with llvm-cov's tracefiles.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	s=samples/llvm-profile
}

# lcov FILE [OPTION...]: as a tracefile, with the sample's executable.
lcov()
{
	# shellcheck disable=SC2046 # two words or none
	"$CGCONV" -q -t lcov --no-markers $(exe_of "$1") "$@"
}

# functions FILE: its functions, without the units of static ones.
functions()
{
	grep -E '^FN(DA)?:' "$1" | sed 's/,[a-z]*\.cc*[:;]/,/' | sort
}

# branches FILE: counts of the branches of each line, in any order.
branches()
{
	grep ^BRDA "$1" | awk -F '[:,]' '
		$4 % 2 == 0 { line = $2; first = $5; next }
		{ print line, first, $5 }' | sort -n
}

# byte FILE OFFSET VALUE: overwrites a byte; its value is hexadecimal.
byte()
{
	printf '%b' "\\x$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# like_llvm WANT GOT: lines and functions are the same.
like_llvm()
{
	grep -E '^(SF|DA):' "$1" >"$dir/a"
	grep -E '^(SF|DA):' "$2" >"$dir/b"
	[ "$(wc -l <"$dir/a")" -ge 19 ]
	same "$dir/a" "$dir/b"
	functions "$1" >"$dir/a"
	functions "$2" >"$dir/b"
	same "$dir/a" "$dir/b"
}

@test "llvm-profile: lines and functions are those of llvm-cov" {
	for file in $(samples llvm-profile); do
		lcov "$file" >"$dir/got"
		like_llvm "${file%/*}/lcov.txt" "$dir/got"
	done
}

@test "llvm-profile: branches are those of llvm-cov" {
	# Instances of templates (cover.cc) are summed from LLVM 21 on, and so
	# are different branches of a macro (line 12 of macros.c), which stay
	# apart here.
	for name in clang-14-macros clang-16-macros clang-19-macros \
		clang-22-macros clang-22-cover; do
		for file in "$s/$name/default."*; do
			lcov "$file" >"$dir/got"
			branches "$s/$name/lcov.txt" >"$dir/a"
			branches "$dir/got" >"$dir/b"
			[ -s "$dir/a" ]
			case $name in
			clang-22-macros) sed -i '/^12 /d' "$dir/a" "$dir/b" ;;
			esac
			same "$dir/a" "$dir/b"
		done
	done
}

@test "llvm-profile: conditions are those of llvm-cov's JSON" {
	for v in 14 19 22; do
		for kind in profraw profdata; do
			lcov $s/clang-$v-macros/default.$kind \
				--format-version 2 >"$dir/a"
			"$CGCONV" -q -t lcov --no-markers --format-version 2 \
				samples/llvm-cov/clang-$v/macros.json >"$dir/b"
			same "$dir/a" "$dir/b"
		done
	done
	[ "$(grep -c ^MCDC "$dir/a")" -eq 12 ]
}

@test "llvm-profile: both files of a run are the same profile" {
	for v in 14-macros 16-macros 19-macros 22-macros 14-cover 22-cover; do
		lcov $s/clang-$v/default.profraw >"$dir/a"
		lcov $s/clang-$v/default.profdata | cmp - "$dir/a"
	done
}

@test "llvm-profile: profiles in one file are summed by counter" {
	raw=$s/clang-22-macros/default.profraw
	cat $raw $s/clang-22-cover/default.profraw $raw >"$dir/all.profraw"
	"$CGCONV" -q -t lcov --no-markers --exe $s/clang-22-macros/prog \
		--exe $s/clang-22-cover/prog "$dir/all.profraw" >"$dir/got"
	lcov $raw $raw | grep -E '^(SF|DA|FNDA|BRDA)' >"$dir/a"
	sed -n '/^SF:.*macros/,$p' "$dir/got" |
		grep -E '^(SF|DA|FNDA|BRDA)' | cmp - "$dir/a"
	lcov $s/clang-22-cover/default.profraw >"$dir/a"
	sed -n '1,/^SF:.*macros/p' "$dir/got" | grep -E '^(DA|FNDA|BRDA)' |
		cmp - <(grep -E '^(DA|FNDA|BRDA)' "$dir/a")
}

@test "llvm-profile: several inputs are summed by counter" {
	prog=$s/clang-19-macros/prog
	cp $s/clang-19-macros/default.profraw "$dir/a.profraw"
	cp "$dir/a.profraw" "$dir/b.profraw"
	byte "$dir/b.profraw" 408 32 # a region of line 12 ran 50 times
	(cd "$dir" && cat a.profraw b.profraw >both)
	"$CGCONV" -q -t lcov --no-markers --exe $prog "$dir/both" >"$dir/want"
	grep -qx DA:12,57 "$dir/want" # llvm-profdata merge says so; not 13 + 50
	"$CGCONV" -q -t lcov --no-markers --exe $prog "$dir/a.profraw" \
		"$dir/b.profraw" | cmp - "$dir/want"
	for how in "-j 2" "-j 2 --manifest $dir/log"; do
		# shellcheck disable=SC2086 # several words
		"$CGCONV" -q $how -o "$dir/got.info" --no-markers --exe $prog \
			"$dir/a.profraw" "$dir/b.profraw"
		cmp "$dir/got.info" "$dir/want"
	done
	grep -c '"totals":{"Exec":[1-9]' "$dir/log" | grep -qx 2
	(cd "$dir" && tar cf runs.tar a.profraw b.profraw)
	"$CGCONV" -q -o "$dir/got.info" --no-markers --exe $prog "$dir/runs.tar"
	cmp "$dir/got.info" "$dir/want"
	# Parts stay apart.
	"$CGCONV" -q -t json --parts --exe $prog "$dir/a.profraw" \
		"$dir/b.profraw" >"$dir/parts"
	[ "$(grep -c '^\["part",' "$dir/parts")" = 2 ]
}

@test "llvm-profile: conditions of large archives count as those of files" {
	prog=$s/clang-22-macros/prog
	# More than 32 MiB, with a member between that is read elsewhere.
	for _ in {1..500}; do cat $s/clang-22-macros/default.profraw; done \
		>"$dir/some"
	for _ in {1..55}; do cat "$dir/some"; done >"$dir/a.profraw"
	cp "$dir/a.profraw" "$dir/b.profraw"
	cp "$dir/a.profraw" "$dir/c.profraw"
	printf 'main 1\n' >"$dir/d.folded"
	(cd "$dir" && tar cf runs.tar a.profraw d.folded b.profraw c.profraw)
	to() {
		"$CGCONV" -q "$@" --no-markers --format-version 2 --exe $prog
	}
	to -o "$dir/want.info" "$dir/"[abc].profraw
	grep -q '^MCDC:.*,t,1,' "$dir/want.info"
	(cd "$dir" && tar cf all.tar a.profraw b.profraw c.profraw &&
		tar cf first.tar a.profraw b.profraw)
	for how in "-j 2" "-j 2 --manifest $dir/log" "-j 1 --timeout 60"; do
		# shellcheck disable=SC2086 # several words
		to $how -o "$dir/got.info" "$dir/all.tar"
		cmp "$dir/got.info" "$dir/want.info"
	done
	to -o "$dir/got.info" "$dir/first.tar" "$dir/c.profraw"
	cmp "$dir/got.info" "$dir/want.info"
	# The suffix does not matter.
	for f in a b c; do mv "$dir/$f.profraw" "$dir/$f"; done
	(cd "$dir" && tar cf names.tar a b c)
	for how in "-j 1" "-j 2" "-j 4 --manifest $dir/log2"; do
		# shellcheck disable=SC2086 # several words
		to $how -o "$dir/got.info" "$dir/"[abc]
		cmp "$dir/got.info" "$dir/want.info"
		# shellcheck disable=SC2086 # several words
		to $how --force -o "$dir/got.info" "$dir/names.tar"
		cmp "$dir/got.info" "$dir/want.info"
		rm -f "$dir/log2"
	done
	to -o "$dir/got.info" "$dir/runs.tar"
	grep ^MCDC "$dir/got.info" | cmp - <(grep ^MCDC "$dir/want.info")
}

@test "llvm-profile: a bad input does not spoil the others of a batch" {
	prog=$s/clang-19-macros/prog
	cp $s/clang-19-macros/default.profraw "$dir/a.profraw"
	cp "$dir/a.profraw" "$dir/c.profraw"
	head -c 500 "$dir/a.profraw" >"$dir/b.profraw"
	not "$CGCONV" -q -j 2 -o "$dir/got.info" --no-markers --exe $prog \
		"$dir"/[abc].profraw 2>"$dir/err"
	grep -q 'b.profraw:.*truncated' "$dir/err"
	grep -q '1 of 3 inputs failed' "$dir/err"
	"$CGCONV" -q -t lcov --no-markers --exe $prog "$dir/a.profraw" \
		"$dir/c.profraw" | cmp - "$dir/got.info"
}

@test "llvm-profile: profiles of several versions in one run" {
	local args=()

	for v in 14 16 19 22; do # raw versions 8, 8, 10 and 10
		lcov $s/clang-$v-macros/default.profraw
	done | awk -F '[:,]' '/^DA/ { sum[$2] += $3 }
		END { for (line in sum) print "DA:" line "," sum[line] }' |
		sort >"$dir/a"
	for v in 14 16 19 22; do
		args+=(--exe $s/clang-$v-macros/prog
			$s/clang-$v-macros/default.profraw)
	done
	"$CGCONV" -q -t lcov --no-markers "${args[@]}" | grep ^DA | sort >"$dir/b"
	[ "$(wc -l <"$dir/a")" = 30 ]
	same "$dir/a" "$dir/b"
}

@test "llvm-profile: finds the executable by the name and the build id" {
	cp $s/clang-22-macros/default.profraw "$dir/run.profraw"
	refuses 1 "name it, and shared libraries, with --exe" "$dir/run.profraw"
	cp $s/clang-22-macros/prog "$dir/run"
	lcov $s/clang-22-macros/default.profraw >"$dir/a"
	"$CGCONV" -q -t lcov --no-markers "$dir/run.profraw" | cmp - "$dir/a"
	mv "$dir/run" "$dir/a.out"
	(cd "$dir" && "$CGCONV" -q -t lcov --no-markers run.profraw) |
		cmp - "$dir/a"
	# Another program of that name is not its executable.
	cp $s/clang-22-cover/prog "$dir/a.out"
	(cd "$dir" && not "$CGCONV" -q -t lcov run.profraw 2>"$dir/err")
	grep -q 'with --exe' "$dir/err"
}

@test "llvm-profile: tells of executables of another build" {
	"$CGCONV" -t lcov --exe $s/clang-19-macros/prog \
		$s/clang-22-cover/default.profraw 2>"$dir/err" >"$dir/out"
	grep -q 'no executable has a build id of the profile' "$dir/err"
	# main() of both differs; classify() and table() never ran.
	grep -q 'dropped 1 function that the profile has of another build' \
		"$dir/err"
	grep -q '^FNDA:0,classify' "$dir/out"
	refuses 1 "no executable has a coverage mapping" \
		--exe samples/gprof/calls/prog $s/clang-22-cover/default.profraw
}

@test "llvm-profile: functions that no executable has are counted" {
	cat $s/clang-22-macros/default.profraw $s/clang-22-cover/default.profraw \
		>"$dir/all.profraw"
	"$CGCONV" -t lcov --exe $s/clang-22-macros/prog "$dir/all.profraw" \
		2>"$dir/err" >"$dir/out"
	grep 'dropped [0-9]* functions of the profile that no executable has' "$dir/err"
	"$CGCONV" -t lcov --exe $s/clang-22-macros/prog --exe $s/clang-22-cover/prog \
		"$dir/all.profraw" 2>"$dir/err" >"$dir/out"
	not grep 'no executable has' "$dir/err"
}

@test "llvm-profile: a function without a name is told by its hash" {
	perl tests/formats/llvm-mapping.pl regions 1 nameless >"$dir/odd"
	refuses 1 "function 0xcc914f75dd4ca18f in the executable: expected its name" \
		--exe "$dir/odd" $s/clang-22-macros/default.profraw
}

@test "llvm-profile: odd mappings take little memory" {
	for kind in uses expressions regions; do
		perl tests/formats/llvm-mapping.pl $kind 4000000 >"$dir/odd"
		refuses 1 "function f in the executable: expected fewer regions and counters" \
			--exe "$dir/odd" $s/clang-22-macros/default.profraw
	done
}

@test "llvm-profile: a large unsorted file has the same lines" {
	for kind in regions turns; do
		perl tests/formats/llvm-mapping.pl $kind 580000 >"$dir/$kind"
		"$CGCONV" -q -t lcov --no-markers --exe "$dir/$kind" \
			$s/clang-22-macros/default.profraw | grep ^DA >"$dir/$kind.info"
	done
	[ "$(grep -c . "$dir/turns.info")" -eq 580000 ]
	cmp "$dir/regions.info" "$dir/turns.info"
}

@test "llvm-profile: unknown versions name the command to use" {
	cp $s/clang-22-macros/default.profraw "$dir/x.profraw"
	byte "$dir/x.profraw" 8 0c
	refuses 1 "version 12 of .profraw is not known (8 to 11 are); run, of the same LLVM: llvm-profdata merge -o out.profdata FILE && llvm-cov export" \
		--exe $s/clang-22-macros/prog "$dir/x.profraw"
	byte "$dir/x.profraw" 8 07
	refuses 1 "version 7 of .profraw is not known" "$dir/x.profraw"
	cp $s/clang-22-macros/default.profdata "$dir/x.profdata"
	byte "$dir/x.profdata" 8 0e
	refuses 1 "version 14 of .profdata is not known (4 to 13 are); run, of the same LLVM: llvm-cov export" \
		"$dir/x.profdata"
	cp $s/clang-22-macros/prog "$dir/prog"
	offset=$(readelf -SW "$dir/prog" | awk '/__llvm_covmap/ {
		sub(/.*PROGBITS/, ""); print $2 }')
	byte "$dir/prog" $((0x$offset + 12)) 07
	refuses 1 "version 8 of the coverage mapping is not known (4 to 7 are): use llvm-profdata merge and llvm-cov export" \
		--exe "$dir/prog" $s/clang-22-macros/default.profraw
}

@test "llvm-profile: other profiles of LLVM are rejected" {
	cp $s/clang-22-macros/default.profraw "$dir/x.profraw"
	byte "$dir/x.profraw" 15 01
	refuses 1 "expected one of -fprofile-instr-generate -fcoverage-mapping, not of -fprofile-generate" \
		"$dir/x.profraw"
	byte "$dir/x.profraw" 15 08
	refuses 1 "counters without names (profile correlation) are not read" \
		"$dir/x.profraw"
}

@test "llvm-profile: counters of one byte say that code ran" {
	perl tests/formats/llvm-raw.pl bytes $s/clang-14-macros/default.profraw \
		>"$dir/x.profraw"
	lcov $s/clang-14-macros/default.profraw >"$dir/a"
	"$CGCONV" -q -t lcov --no-markers --exe $s/clang-14-macros/prog \
		"$dir/x.profraw" >"$dir/b"
	grep -q '^FNDA:1,classify' "$dir/b"
	grep '^DA' "$dir/b" | cut -d, -f1 |
		cmp - <(grep '^DA' "$dir/a" | cut -d, -f1)
}

@test "llvm-profile: other byte orders and pointers of 32 bits are read" {
	perl tests/formats/llvm-raw.pl big $s/clang-14-macros/default.profraw \
		>"$dir/x.profraw"
	lcov $s/clang-14-macros/default.profraw >"$dir/a"
	"$CGCONV" -q -t lcov --no-markers --exe $s/clang-14-macros/prog \
		"$dir/x.profraw" | cmp - "$dir/a"
}

@test "llvm-profile: version 11 has uniform counters, and larger records" {
	for sample in clang-22-macros clang-22-cover; do
		perl tests/formats/llvm-raw.pl 11 $s/$sample/default.profraw \
			>"$dir/x.profraw"
		lcov $s/$sample/default.profraw >"$dir/a"
		grep -q '^DA:.*[1-9]$' "$dir/a"
		"$CGCONV" -q -t lcov --no-markers --exe $s/$sample/prog \
			"$dir/x.profraw" | cmp - "$dir/a"
	done
}

@test "llvm-profile: malformed and truncated files are rejected" {
	for file in $s/clang-22-macros/default.prof*; do
		size=$(wc -c <"$file")
		for n in 8 12 60 130 300 $((size / 2)) $((size - 40)); do
			head -c "$n" "$file" >"$dir/cut"
			refuses 1 "error: " --exe $s/clang-22-macros/prog \
				"$dir/cut"
		done
	done
	{ cat $s/clang-22-macros/default.profraw && echo more; } >"$dir/x"
	refuses 1 "expected another .profraw" --exe $s/clang-22-macros/prog \
		"$dir/x"
}

@test "llvm-profile: a new program is as llvm-cov says" {
	found=
	for v in 14 15 16 17 18 19 20 21 22 23; do
		# Given several names, command -v succeeds if it finds one.
		command -v clang-$v >/dev/null &&
			command -v llvm-profdata-$v >/dev/null &&
			command -v llvm-cov-$v >/dev/null || continue
		cp samples/src/cover.cc samples/src/cover.h "$dir"
		(cd "$dir" && clang++-$v -O1 -fprofile-instr-generate \
			-fcoverage-mapping cover.cc -o cover &&
			LLVM_PROFILE_FILE=cover.profraw ./cover >out) || continue
		found=$v
		llvm-profdata-$v merge "$dir/cover.profraw" -o "$dir/x.profdata"
		llvm-cov-$v export -format=lcov "$dir/cover" \
			-instr-profile "$dir/x.profdata" >"$dir/want"
		"$CGCONV" -q -t lcov --no-markers "$dir/cover.profraw" >"$dir/got"
		like_llvm "$dir/want" "$dir/got"
	done
	[ -n "$found" ] || skip "no clang with its runtime and llvm-cov"
}

@test "llvm-profile: regions are those of llvm-cov's JSON" {
	for name in 14-cover 22-cover 14-macros 22-macros; do
		file=$s/clang-$name/default.profdata
		json=samples/llvm-cov/clang-${name/-//}.json
		# shellcheck disable=SC2046 # two words or none
		"$CGCONV" -q -t json $(exe_of "$file") "$file" |
			grep -E '^\["(rows|region|file|function)"' >"$dir/got"
		"$CGCONV" -q -t json "$json" |
			grep -E '^\["(rows|region|file|function)"' >"$dir/want"
		[ "$(grep -c region "$dir/want")" -ge 45 ]
		same "$dir/want" "$dir/got"
	done
}
