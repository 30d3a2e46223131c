# llvm-cov.bats - JSON of llvm-cov export, compared with its tracefiles.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# file MEMBER...: an export of one file with these members, and of $functions.
file()
{
	local IFS=,

	echo '{"data":[{"files":[{"filename":"/a.c",'"$*"'}]'"${functions-}"'}],' \
		'"type":"llvm.coverage.json.export","version":"2.0.1"}'
}

# rows: the lines and branches of standard input as a tracefile.
rows()
{
	"$CGCONV" -q -f llvm-cov -t lcov - | grep -E '^(DA|BRDA|MCDC)'
}

# refuses_file MESSAGE MEMBER...
refuses_file()
{
	local message=$1

	shift
	file "$@" >"$dir/bad.json"
	refuses 1 "$message" "$dir/bad.json"
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

@test "llvm-cov: lines and functions are those of llvm-cov's tracefile" {
	for file in $(samples llvm-cov); do
		"$CGCONV" -q -t lcov "$file" >"$dir/got"
		want=${file%.json}.info.txt
		grep -E '^(SF|DA):' "$want" >"$dir/a"
		grep -E '^(SF|DA):' "$dir/got" >"$dir/b"
		[ "$(wc -l <"$dir/a")" -ge 19 ]
		same "$dir/a" "$dir/b"
		functions "$want" >"$dir/a"
		functions "$dir/got" >"$dir/b"
		same "$dir/a" "$dir/b"
	done
}

@test "llvm-cov: branches are those of llvm-cov's tracefile" {
	# Instances of templates (cover.cc) are summed from LLVM 21 on, and so
	# are different branches of a macro (line 12 of macros.c), which stay
	# apart here.
	for name in clang-14/macros clang-19/macros clang-22/macros \
		clang-22/cover; do
		"$CGCONV" -q -t lcov "samples/llvm-cov/$name.json" >"$dir/got"
		branches "samples/llvm-cov/$name.info.txt" >"$dir/a"
		branches "$dir/got" >"$dir/b"
		[ -s "$dir/a" ]
		case $name in
		clang-22/macros) sed -i '/^12 /d' "$dir/a" "$dir/b" ;;
		esac
		same "$dir/a" "$dir/b"
	done
	[ "$(branches "$dir/got" | wc -l)" -ge 5 ]
}

@test "llvm-cov: samples match the golden files" {
	golden samples/llvm-cov/clang-14/macros.json json
	golden samples/llvm-cov/clang-22/cover.json lcov
	golden samples/llvm-cov/clang-22/macros.json lcov --format-version 2
}

@test "llvm-cov: a line has the highest count of what begins on it" {
	# Wrapped, two regions, a gap, a skipped region, the end.
	file '"segments":[[1,1,5,true,true,false],[3,1,2,true,true,false],
		[3,5,9,true,true,false],[3,9,5,true,false,false],
		[5,1,0,true,true,true],[7,1,0,false,true,false],
		[8,1,5,true,false,false],[9,2,0,false,false,false]]' | rows |
		says DA:1,5 DA:2,5 DA:3,9 DA:4,5 DA:5,5 DA:6,0 DA:9,5
}

@test "llvm-cov: values of old versions are read" {
	file '"segments":[[1,1,5,1,1],[2,1,0,0,0]]' | rows | says DA:1,5 DA:2,5
	file '"segments":[[1,1,5,true,true,false],[1,9,0,false,false,false]]' \
		'"mcdc_records":[[1,2,1,9,0,5,[true,false]],
		[1,2,1,9,7,7,0,0,5,[false,false],[{"result":true}]]]' |
		"$CGCONV" -q -t lcov --format-version 2 - | grep ^MCDC |
		says MCDC:1,2,t,1,0,0 MCDC:1,2,f,1,0,0 MCDC:1,2,t,0,1,1 \
			MCDC:1,2,f,0,1,1
}

@test "llvm-cov: branches of one place are summed, folded ones are dropped" {
	functions=',"functions":[{"name":"f","count":1,"filenames":["/a.c"],
		"regions":[[1,1,2,1,1,0,0,0]],
		"branches":[[1,5,1,6,0,0,0,0,4],[1,5,1,6,0,0,9,0,4]]}]'
	file '"branches":[[1,9,1,9,1,0,0,0,4],[1,5,1,6,0,0,0,0,4],
		[1,9,1,9,2,0,0,0,4],[1,3,1,4,0,0,0,0,4]]' \
		'"segments":[[1,1,5,true,true,false],[2,1,0,false,false,false]]' \
		>"$dir/in.json"
	rows <"$dir/in.json" | says DA:1,5 BRDA:1,0,0,- BRDA:1,0,1,- \
		BRDA:1,1,2,3 BRDA:1,1,3,0 DA:2,5
}

@test "llvm-cov: functions of a unit have their own names" {
	"$CGCONV" -q -t folded samples/llvm-cov/clang-14/cover.json \
		>"$dir/out" 2>&1 || :
	"$CGCONV" --info samples/llvm-cov/clang-14/cover.json |
		grep -q 'drain(base&)'
}

@test "llvm-cov: large numbers do not size allocations or loops" {
	refuses_file "expected fewer lines for the size of the input" \
		'"segments":[[1,1,5,true,true,false],[4000000000,1,0,false,true,false]]'
	file '"segments":[[1000000000,1,5,true,true,false],
		[1000000001,2,0,false,false,false]]' | rows |
		says DA:1000000000,5 DA:1000000001,5
	file '"segments":[[1,1,9223372036854775807,true,true,false],
		[1,2,0,false,false,false]]' \
		'"branches":[[4294967296,99999999999,1,1,1,1,99999999999]]' |
		rows | head -n 1 | says DA:1,9223372036854775807
}

@test "llvm-cov: errors name their location" {
	refuses_file "bad.json:1:57: error: expected six values of a segment" \
		'"segments":[[1,2,3]]'
	refuses_file "expected segments in the order of their lines" \
		'"segments":[[2,1,1,true,true,false],[1,1,1,true,true,false]]'
	refuses_file "expected segments in the order of their lines" \
		'"segments":[[0,1,1,true,true,false]]'
	refuses_file "expected a non-negative number" \
		'"segments":[[1,1,-1,true,true,false]]'
	refuses_file "expected seven or more numbers of a branch" \
		'"segments":[],"branches":[[1,2,3]]'
	refuses_file 'expected "source_region"' '"segments":[]' \
		'"expansions":[{"branches":[[1,1,1,1,1,1,1,1,4]]}]'
	refuses_file "expected an array of conditions" '"segments":[]' \
		'"mcdc_records":[[1,1,1,1,0,5]]'
	refuses_file "expected branches whose sum fits" '"segments":[]' \
		'"branches":[[1,1,1,1,9223372036854775807,1,0],[1,1,1,1,1,1,0]]'
	refuses_file "run llvm-cov export without -summary-only" '"summary":{}'
	echo '{"data":[{"files":[{"segments":[]}]}]}' >"$dir/bad.json"
	refuses 1 'expected a file with "filename"' -f llvm-cov "$dir/bad.json"
	echo '{"data":[{"functions":[{"name":"f"}]}]}' >"$dir/bad.json"
	refuses 1 'a function with "name" and "filenames"' -f llvm-cov \
		"$dir/bad.json"
	head -c 2000 samples/llvm-cov/clang-14/macros.json >"$dir/bad.json"
	refuses 1 "error: " "$dir/bad.json"
}

@test "llvm-cov: an unknown version is read with a warning" {
	sed 's/"version":"2/"version":"9/' \
		samples/llvm-cov/clang-14/macros.json >"$dir/in.json"
	"$CGCONV" -t lcov "$dir/in.json" 2>&1 >"$dir/out" |
		grep -q "unknown version of llvm-cov's JSON: expected 2 or 3"
	"$CGCONV" -q -t lcov samples/llvm-cov/clang-14/macros.json |
		cmp - "$dir/out"
}

@test "llvm-cov: --summary counts lines, --exclude-lines leaves them out" {
	"$CGCONV" --summary samples/llvm-cov/clang-22/macros.json 2>/dev/null |
		grep -q '29/30'
	mkdir "$dir/src"
	cp samples/src/macros.c "$dir/src"
	"$CGCONV" -q -t lcov --sources "$dir/src" --exclude-lines 'return 2' \
		--strip-prefix /src samples/llvm-cov/clang-22/macros.json \
		>"$dir/out"
	not grep -q '^DA:19,' "$dir/out"
	grep -q '^DA:20,7' "$dir/out"
}

# export_of FILES FUNCTIONS: an export with these members, to lcov.
export_of()
{
	printf '{"data":[{"files":[%s],"functions":[%s]}],"type":"llvm.coverage.json.export","version":"2.0.1"}' \
		"$1" "$2" >"$BATS_TEST_TMPDIR/in.json"
	"$CGCONV" -t lcov --no-markers "${@:3}" "$BATS_TEST_TMPDIR/in.json" 2>&1
}

@test "llvm-cov: functions of a file count once, also if paths become one" {
	local segments='"segments":[[1,1,1,true,true,false],[3,2,0,false,false,false]]'
	local f='{"name":"f","count":1,"regions":[[1,1,3,2,1,0,0,0]],"filenames":["/s/a.c"]}'

	export_of "{\"filename\":\"/s/a.c\",$segments},{\"filename\":\"/t/a.c\",$segments}" \
		"$f" --map /t=/s >"$BATS_TEST_TMPDIR/out"
	grep -x 'FNDA:1,f' "$BATS_TEST_TMPDIR/out"
	grep -x 'DA:1,2' "$BATS_TEST_TMPDIR/out"
	export_of "{\"filename\":\"/s/b.c\",$segments}" "$f" |
		grep -F 'dropped 1 function of files that are not listed'
	# A region that ends before it begins has no last line.
	export_of "{\"filename\":\"/s/a.c\",$segments}" "${f/1,1,3,2/2,1,1,5}" |
		grep -E '^FN:2,f'
}

# regions FILE: numbers of regions of its files, as llvm-cov's summary has them.
regions()
{
	perl -MJSON::PP -e 'local $/; my $all = decode_json(<STDIN>);
		print join(" ", $_->{filename}, @{ $_->{summary}{regions} }{qw(covered count)}),
		    "\n" for @{ $all->{data}[0]{files} };' <"$1"
}

# counted FILE: the same from --summary.
counted()
{
	"$CGCONV" -q --summary --json --top 99 "$1" | perl -MJSON::PP -e 'local $/;
		print map "$_->{path} $_->{regions}{hit} $_->{regions}{found}\n",
		    sort { $a->{path} cmp $b->{path} }
		    @{ decode_json(<STDIN>)->{files} };'
}

@test "llvm-cov: regions are those of llvm-cov's summary" {
	for file in samples/llvm-cov/clang-14/cover.json \
		samples/llvm-cov/clang-22/cover.json; do
		regions $file >"$dir/want"
		[ "$(wc -l <"$dir/want")" = 2 ]
		counted $file | same - "$dir/want"
	done
	# llvm-cov counts a macro for each of its uses in a function.
	regions samples/llvm-cov/clang-22/macros.json | says '/src/macros.c 53 55'
	counted samples/llvm-cov/clang-22/macros.json | says '/src/macros.c 44 46'
}

@test "llvm-cov: gaps and skipped code are no regions, whole lines have no end" {
	functions=',"functions":[{"name":"f","count":5,"filenames":["/a.c",
		"/b.h"],"regions":[[1,1,4,2,5,0,0,0],[2,3,2,5,0,0,0,3],
		[3,1,3,9,0,0,0,2],[4,1,6,4294967295,2,0,0,0],[4,1,4,2,9,0,0,4],
		[1,1,1,2,1,1,0,0]]}]' \
		file '"segments":[[1,1,5,true,true,false],
		[9,1,0,false,false,false]]' >"$dir/in.json"
	"$CGCONV" -q -t json "$dir/in.json" | grep region |
		says '["region",1,1,1,4,2,5]' '["region",1,2,3,2,5,0,"f"]' \
		'["region",1,3,1,3,9,0,"n"]' '["region",1,4,1,6,0,2]'
	"$CGCONV" -q --info "$dir/in.json" | grep -q '100.0% of 2 regions'
}
