# gcov-json.bats - JSON of gcov, compared with the output of gcov.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

# says [FILE...]: prints the contents of documents as sorted lines.
says()
{
	perl tests/oracle/gcov-json.pl "$@"
}

# unit TEXT: prints a document of version 1 with TEXT in its only file.
unit()
{
	echo "{\"gcc_version\": \"12.2.0\", \"files\": [{$1, \"file\": \"a.c\"}]," \
		'"format_version": "1", "current_working_directory": "/b",' \
		'"data_file": "a"}'
}

# fn NAME FIRST LAST: prints a function that was entered once.
fn()
{
	echo "{\"name\": \"$1\", \"demangled_name\": \"$1\"," \
		"\"start_line\": $2, \"start_column\": 1, \"end_line\": $3," \
		'"end_column": 1, "blocks": 3, "blocks_executed": 2,' \
		'"execution_count": 1}'
}

line()
{
	echo "{\"line_number\": $1, \"count\": $2, \"unexecuted_block\":" \
		"${3:-false}, \"branches\": [${4-}]}"
}

graph()
{
	"$CGCONV" -q -t json "$@"
}

@test "gcov-json: output of gcov survives key by key" {
	for file in $(samples gcov-json); do
		cat "$file" | says >"$t/want"
		"$CGCONV" -q -t gcov-json "$file" | says >"$t/got"
		same "$t/want" "$t/got"
		[ "$(wc -l <"$t/want")" -gt 20 ]
	done
}

@test "gcov-json: samples match the golden files" {
	golden samples/gcov-json/gcc-12/branches.gcov.json json
	golden samples/gcov-json/conditions/beta.gcov.json json
}

@test "gcov-json: writes the version of the compiler or of --format-version" {
	old=samples/gcov-json/gcc-12/branches.gcov.json
	new=samples/gcov-json/gcc-16/beta.gcov.json
	"$CGCONV" -t gcov-json $old | grep -q '^{"format_version":"1","gcc_v'
	"$CGCONV" -t gcov-json $new | grep -q '^{"format_version":"2","gcc_v'
	"$CGCONV" -t gcov-json --format-version 2 $old | grep -q '"block_ids"'
	"$CGCONV" -t gcov-json --format-version 1 $new >"$t/out"
	not grep -q '"block_ids"\|"calls"\|"destination_block_id"' "$t/out"
	refuses 2 "--format-version: expected 1 or 2, not '3'" -t gcov-json \
		--format-version 3 $old
}

# lists [FILE]: prints files, functions and lines of a document in order.
lists()
{
	perl -MJSON::PP -e 'my $unit = decode_json(join "", <>);
		for my $file (sort { $a->{file} cmp $b->{file} }
		    @{$unit->{files}}) {
			print "file $file->{file}\n";
			print "fn $_->{name} $_->{execution_count}\n"
			    for @{$file->{functions}};
			for (@{$file->{lines}}) {
				print "$_->{line_number} $_->{count} ",
				    $_->{function_name} // "", map({
				    " $_->{count}$_->{fallthrough}" }
				    @{$_->{branches}}), "\n";
			}
		}' "$@"
}

@test "gcov-json: functions, lines and branches come in the unit's order" {
	cat >"$t/a.h" <<-'END'
	static inline int half(int n) { return n % 2 ? 3 * n + 1 : n / 2; }
	template <class T> int less(T a, T b) { return a < b ? 1 : half(b); }
	END
	cat >"$t/a.cc" <<-'END'
	#include "a.h"
	__attribute__((noinline)) int zebra(int n)
	{
		for (int i = 0; n > 1; i++)
			n = half(n);
		return n;
	}
	__attribute__((noinline)) int ape(int n) { return half(n) + zebra(n); }
	int main(int n, char **)
	{
		return ape(n) + less(7l, 5l) + less(3, 3) + less(1u, 2u) < 0;
	}
	END
	cd "$t"
	gcc --coverage -O1 -fno-inline-small-functions -c a.cc
	gcc --coverage a.o -o a
	./a 1 2 3 4 5 6
	gcov -j -b -t a.gcda >want.json
	grep -q '"format_version": *"1"' want.json || skip "gcov is not of gcc 12"
	"$CGCONV" -q -t gcov-json a.gcda -o got.json
	lists want.json >want
	lists got.json | same want -
	grep '^fn.*less' want >fns
	not sort -c fns 2>err
	# Through gcov-json and json the order survives.
	"$CGCONV" -q -t gcov-json got.json | cmp got.json
	"$CGCONV" -q -t json a.gcda -o a.json
	"$CGCONV" -q -t gcov-json a.json | cmp got.json
}

# files [FILE...]: prints the files of each document in order.
files()
{
	perl -MJSON::PP -e 'print join(" ", map { $_->{file} =~ s!.*/!!r }
		    @{decode_json($_)->{files}}), "\n" while <>' "$@"
}

# A function that gcov does not list counts, too.
@test "gcov-json: files come in the order in which functions first name them" {
	printf '%s\n' 'inline int *make() { return new int(7); }' >"$t/a.h"
	printf '%s\n' '#include "a.h"' 'static int *made = make();' \
		'int main() { return *made - 7; }' >"$t/z.cc"
	printf '%s\n' '#include "a.h"' '#include "z.h"' \
		'int (*user)(int *) = use;' 'int *(*maker)() = make;' \
		>"$t/m.cc"
	printf '%s\n' 'inline int use(int *at) { return *at; }' >"$t/z.h"
	cd "$t"
	gcc --coverage -O0 -c z.cc m.cc
	for unit in z m; do
		gcov -j -t $unit.gcno | files >want || skip "gcov writes no JSON"
		"$CGCONV" -q -t gcov-json $unit.gcno >$unit.json
		files $unit.json | same want -
		"$CGCONV" -q -t json $unit.gcno | "$CGCONV" -q -t gcov-json |
			cmp - $unit.json
		"$CGCONV" -q -t gcov-json $unit.json | cmp - $unit.json
	done
	echo "z.cc a.h" >want
	files z.json | same want -
}

@test "gcov-json: merging keeps the order of files if inputs agree on it" {
	cd "$t"
	for order in "z a m" "m z a" "z a"; do
		list=
		for file in $order; do
			list+="${list:+,}{\"lines\": [$(line 1 1)],"
			list+="\"functions\": [], \"file\": \"$file\"}"
		done
		echo "{\"files\": [$list], \"format_version\": \"1\"," \
			'"current_working_directory": "/"}' >"${order// /}.json"
	done
	for pair in "zam zam:z a m" "zam mza:a m z" "mza zam:a m z" \
		"zam za:a m z" "za zam:a m z"; do
		echo "${pair#*:}" >want
		# shellcheck disable=SC2046 # two words
		set -- $(printf '%s.json ' ${pair%:*})
		"$CGCONV" -q -t gcov-json "$@" | files | same want -
		"$CGCONV" -q -t json "$@" >sum.cgj
		"$CGCONV" -q -t gcov-json sum.cgj | files | same want -
		# Merging more does not restore an order.
		"$CGCONV" -q -t gcov-json sum.cgj "$1" | files | same want -
		"$CGCONV" -q -t gcov-json "$1" sum.cgj | files | same want -
	done
	# Each part has an order of its own.
	cat zam.json mza.json za.json zam.json >all.json
	printf '%s\n' "z a m" "m z a" "z a" "z a m" >want
	"$CGCONV" -q -t gcov-json all.json | files | same want -
	"$CGCONV" -q -t json all.json | "$CGCONV" -q -t gcov-json |
		files | same want -
	# sum.cgj has no order.
	printf '%s\n' "z a m" "a m z" >want
	"$CGCONV" -q --parts -t gcov-json zam.json sum.cgj | files | same want -
	# The first mention counts.
	"$CGCONV" -q -t json zam.json | sed 's/^\["end".*/["end"]/
		s/^\["listed",1/["listed",3]\n&/' >twice.cgj
	[ "$(grep -c '"listed",3' twice.cgj)" = 2 ]
	echo "z a m" >want
	"$CGCONV" -q -t gcov-json twice.cgj | files | same want -
}

@test "gcov-json: the suffix .gcov.json.gz selects the format" {
	"$CGCONV" -o "$t/a.gcov.json.gz" \
		samples/gcov-json/gcc-9/beta.gcov.json
	gzip -t "$t/a.gcov.json.gz"
	[ "$("$CGCONV" --detect "$t/a.gcov.json.gz" | cut -f 2)" = gcov-json ]
}

@test "gcov-json: documents of a file become parts, files are merged" {
	for file in $(samples gcov-json); do cat "$file"; done >"$t/all.json"
	"$CGCONV" -q -t gcov-json "$t/all.json" >"$t/out"
	[ "$(wc -l <"$t/out")" = 4 ]
	says "$t/all.json" >"$t/want"
	says "$t/out" >"$t/got"
	same "$t/want" "$t/got"
	file=samples/gcov-json/gcc-16/beta.gcov.json
	"$CGCONV" -q -t gcov-json $file $file >"$t/out"
	[ "$(wc -l <"$t/out")" = 1 ]
	[ "$(cat $file | tr -d ' ' |
		grep -o '"line_number":13,[^[]*"count":[0-9]*')" = \
		'"line_number":13,"function_name":"_ZN4RingIlLm8EE4pushEl","count":18' ]
	grep -o '"line_number":13,[^[]*"count":36,' "$t/out"
}

@test "gcov-json: functions that begin on one line have lines of their own" {
	graph samples/gcov-json/gcc-12/branches.gcov.json >"$t/out"
	grep '^\["function",.*"clip<\| clip<' "$t/out" | wc -l | grep -qx 2
	perl tests/oracle/graph.pl "$t/out" >"$t/graph" || true
	# Line 7 of the one instance, not of the other.
	grep -q '^\["cost",1,7,0,\[3\]\]$' "$t/out"
	grep -q '^\["cost",1,7,0,\[\]\]$' "$t/out"
}

@test "gcov-json: a line belongs to the function whose range contains it" {
	unit "\"functions\": [$(fn f 2 4)], \"lines\": [
		{\"function_name\": \"f\", $(line 3 7 | cut -c 2-),
		{\"function_name\": \"f\", $(line 9 5 | cut -c 2-),
		$(line 1 2)]" >"$t/a.json"
	graph "$t/a.json" >"$t/out"
	grep -q '^\["function",1,"",1,0\]$' "$t/out"
	grep -A 3 '^\["rows",1\]' "$t/out" >"$t/rows"
	grep -q '"cost",1,1,0,\[2\]' "$t/rows"
	grep -q '"cost",1,9,0,\[5\]' "$t/rows"
	grep -A 1 '^\["rows",2\]' "$t/out" | grep -q '"cost",1,3,0,\[7\]'
}

@test "gcov-json: from gcov 11 on lines after a function have no function name" {
	lines="\"functions\": [$(fn f 2 4), $(fn g 3 3)],
		\"lines\": [$(line 1 2), $(line 3 7), $(line 4 6), $(line 9 5)]"
	unit "$lines" >"$t/12.json"
	sed 's/12\.2/10.2/' "$t/12.json" >"$t/10.json"
	# A name follows a line's number, if there is one.
	named='s/"line_number":\([0-9]*\),"\(function_name":"[a-z]\)\?/\n\1 \2\n/g'
	"$CGCONV" -q -t gcov-json "$t/12.json" | sed "$named" |
		grep '^[0-9]* .\{,17\}$' >"$t/got"
	printf '%s\n' '1 ' '3 function_name":"g' '4 function_name":"f' '9 ' |
		same - "$t/got"
	"$CGCONV" -q -t gcov-json "$t/10.json" | sed "$named" |
		grep '^[0-9]* .\{,17\}$' >"$t/got"
	printf '%s\n' '1 ' '3 function_name":"g' '4 function_name":"g' \
		'9 function_name":"g' | same - "$t/got"
}

@test "gcov-json: reads rounded and negative numbers, rejects too large ones" {
	unit "\"functions\": [], \"lines\": [$(line 1 1.37297e+06),
		$(line 2 -5), $(line 3 4611686018427387904), $(line 4 25e-1)]" \
		>"$t/a.json"
	"$CGCONV" -t json "$t/a.json" >"$t/out" 2>"$t/err"
	grep -q 'a.json:1:.*warning: large counts are inexact' "$t/err"
	[ "$(wc -l <"$t/err")" = 1 ]
	grep -q '"cost",1,1,0,\[1372970\]' "$t/out"
	grep -q '"cost",1,2,0,\[-5\]' "$t/out"
	grep -q '"cost",1,3,0,\[4611686018427387904\]' "$t/out"
	grep -q '"cost",1,4,0,\[3\]' "$t/out"
	sed 's/25e-1/9.3e18/' "$t/a.json" >"$t/b.json"
	refuses 1 "b.json:2:" -t json "$t/b.json"
	sed 's/25e-1/1e99999999999/' "$t/a.json" >"$t/b.json"
	refuses 1 "expected a number of 63 bits" -t json "$t/b.json"
	sed 's/25e-1/"1"/' "$t/a.json" >"$t/b.json"
	refuses 1 "expected a number" -t json "$t/b.json"
}

@test "gcov-json: marks unexecuted and exceptional blocks" {
	unit "\"functions\": [], \"lines\": [$(line 1 0 true), $(line 2 0),
		$(line 3 4 true), $(line 4 4)]" >"$t/a.json"
	graph "$t/a.json" | grep '"branch"' >"$t/got"
	printf '%s\n' '["branch",1,2,0,"block",0,0,0,"x"]' \
		'["branch",1,3,0,"block",0,0,0]' | same - "$t/got"
	"$CGCONV" -q -t gcov-json "$t/a.json" | says >"$t/got"
	says "$t/a.json" | same - "$t/got"
}

@test "gcov-json: errors name their location" {
	unit "\"functions\": [], \"lines\": [$(line 1 1)]" >"$t/good.json"
	"$CGCONV" -t json "$t/good.json" >"$t/out"
	while IFS='|' read -r change message; do
		sed "$change" "$t/good.json" >"$t/bad.json"
		refuses 1 "$message" -t json -f gcov-json "$t/bad.json"
	done <<-'END'
	s/"line_number": 1/"line_number": 0/|expected a line with a line_number
	s/"line_number": 1/"line_number": -1/|expected an integer of 32 bits
	s/"line_number": 1/"line_number": 4294967296/|expected an integer of
	s/"file": "a.c"/"fill": "a.c"/|expected a file with a name
	s/"unexecuted_block": false/"unexecuted_block": 0/|expected true or false
	s/"files": \[.*\]/"files": 7/|expected '['
	s/"functions": \[\]/"functions": [7]/|expected '{'
	s/"functions": \[\]/"functions": [{}]/|expected a function with a name
	s/}$/]/|expected ',' or '}'
	s/}$/} x/|expected a value
	s/}$/} 7/|expected '{'
	s/"data_file": "a"}/"data_file": "a"/|expected ',' or '}'
	END
	head -c 100 "$t/good.json" >"$t/bad.json"
	refuses 1 "bad.json:1:" -t json "$t/bad.json"
}

@test "gcov-json: large numbers do not size allocations" {
	unit "\"functions\": [$(fn f 1 2 | sed 's/"blocks": 3/"blocks": 3e9/')],
		\"lines\": []" | sed 's/3e9/3000000000/' >"$t/a.json"
	refuses 1 "expected fewer blocks, paths and" -t json "$t/a.json"
	unit "\"functions\": [], \"lines\": [$(line 1 1 | sed 's/}$//'),
		\"conditions\": [$(yes '{"count":128},' | head -n 12000)
		{\"count\":2}]}]" >"$t/a.json"
	refuses 1 "expected fewer blocks, paths and" -t json "$t/a.json"
}

@test "gcov-json: a profile without coverage is rejected" {
	refuses 3 "gcov-json needs the event Exec of coverage" -t gcov-json \
		samples/callgrind/plain/callgrind.out
}

# functions [FILE...]: prints the functions of documents.
functions()
{
	says "$@" | grep ^function
}

@test "gcov-json: blocks of prime paths are recomputed as by gcov" {
	functions samples/gcov-json/conditions/beta.gcov.json >"$t/want"
	[ "$(grep -o '"block_id"' "$t/want" | wc -l)" = 2041 ]
	"$CGCONV" -q -t gcov-json samples/gcov/paths/beta.gcda >"$t/out.json"
	functions "$t/out.json" | same "$t/want" -
	"$CGCONV" -q -t json samples/gcov/paths/beta.gcda -o "$t/a.json"
	"$CGCONV" -q -t gcov-json "$t/a.json" | cmp "$t/out.json"
	"$CGCONV" -q -t gcov-json "$t/out.json" | functions |
		same "$t/want" -
}

@test "gcov-json: paths are dropped if the notes state another number" {
	cp samples/gcov/paths/beta.* "$t"
	# The last function's 167 become 168.
	perl -0777 -pi -e 's/(\0\0\x49\x01\x04\0\0\0)\xa7/$1\xa8/ or die' \
		"$t/beta.gcno"
	"$CGCONV" -t gcov-json "$t/beta.gcda" >"$t/out.json" 2>"$t/err"
	grep -q 'dropped the blocks of the paths of 1 function' "$t/err"
	functions "$t/out.json" >"$t/got"
	grep -q '_Z4betai.*"sequence":\[\]' "$t/got"
	grep '_Z5twice' "$t/got" | grep -vq '"sequence":\[\]'
}

@test "gcov-json: a directory of notes and data gives a document for each unit" {
	for unit in gcc-c gcc-cc; do
		mkdir -p "$t/in/$unit"
		cp samples/gcov/$unit/*.gc?? "$t/in/$unit"
	done
	"$CGCONV" -q -t gcov-json --parts "$t/in" >"$t/out"
	[ "$(wc -l <"$t/out")" = 2 ]
	# Notes alone are a unit that never ran.
	rm "$t"/in/*/*.gcda
	"$CGCONV" -q -t gcov-json --parts "$t/in" >"$t/out"
	[ "$(wc -l <"$t/out")" = 2 ]
	[ "$(grep -c '"files":\[{' "$t/out")" = 2 ]
}
