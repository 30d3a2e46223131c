# gcda.bats - merged data of runs, compared with what the programs themselves do.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
	cat >"$t/p.c" <<-'EOF'
	#include <stdlib.h>
	static int f(int n)
	{
		int sum = 0;

		for (int i = 0; i < n; i++)
			sum += i % 3 ? i : -i;
		return sum;
	}
	int never(int x) { return x ? 1 : 2; }
	int late(int x) { return x > 7 ? x : -x; }
	int main(int n, char **arg)
	{
		n = n > 1 ? atoi(arg[1]) : 5;
		return (n > 90 ? late(n) : f(n)) && n < 0 ? never(n) : 0;
	}
	EOF
}

# Builds with a compiler: 1/p.gcda and 2/p.gcda are of one run each, both/p.gcda
# of both.
runs()
{
	mkdir "$t/1" "$t/2" "$t/both"
	(
		cd "$t"
		"$@" --coverage -c p.c -o p.o
		"$@" --coverage p.o -o p
		for run in 1 2; do
			rm -f p.gcda
			./p $((run * 50))
			mv p.gcda $run
		done
		./p 50
		./p 100
		mv p.gcda both
	)
}

# Data of words alone in the other byte order.
turned()
{
	perl -0777 -pe '$_ = pack("N*", unpack("V*", $_))' "$1"
}

@test "gcda: one input is written unchanged" {
	for file in samples/gcov/*/*.gcda; do
		"$CGCONV" -t gcov "$file" -o "$t/out.gcda"
		cmp "$file" "$t/out.gcda"
	done
}

@test "gcda: merges runs as gcc's runtime does" {
	runs gcc
	"$CGCONV" "$t/1/p.gcda" "$t/2/p.gcda" -o "$t/sum.gcda"
	cmp "$t/both/p.gcda" "$t/sum.gcda"
	command -v gcov-tool >/dev/null || skip "no gcov-tool"
	gcov-tool merge "$t/1" "$t/2" -o "$t/merged"
	cmp "$t/merged/p.gcda" "$t/sum.gcda"
}

@test "gcda: merges runs as clang's runtime does" {
	command -v clang >/dev/null || skip "no clang"
	runs clang
	"$CGCONV" "$t/1/p.gcda" "$t/2/p.gcda" -o "$t/sum.gcda"
	cmp "$t/both/p.gcda" "$t/sum.gcda"
}

@test "gcda: data survives as JSON" {
	runs gcc
	cp "$t/p.gcno" "$t/1"
	cp "$t/p.gcno" "$t/2"
	for run in 1 2; do
		"$CGCONV" -t json "$t/$run/p.gcda" -o "$t/$run.json"
	done
	"$CGCONV" -t gcov "$t/1.json" "$t/2.json" -o "$t/sum.gcda"
	cmp "$t/both/p.gcda" "$t/sum.gcda"
}

@test "gcda: keeps the byte order of the inputs" {
	runs gcc
	for run in 1 2 both; do
		turned "$t/$run/p.gcda" >"$t/$run/q.gcda"
	done
	"$CGCONV" "$t/1/q.gcda" "$t/2/q.gcda" -o "$t/sum.gcda"
	cmp "$t/both/q.gcda" "$t/sum.gcda"
	refuses 1 'one unit and compilation: the byte orders differ' \
		-t gcov "$t/1/q.gcda" "$t/2/p.gcda"
}

# A head of gcc VERSION and one function with counters of the KIND.
data()
{
	perl -e 'my ($version, $layout, $kind, @n) = @ARGV;
		my $w = $layout >= 12 ? 4 : 1;
		print pack "V*", 0x67636461, unpack("N", $version), 7,
		    $layout >= 12 ? 9 : (), 0x01000000, 3 * $w, 1, 2, 3,
		    0x01a10000 + ($kind << 17), 2 * $w * @n,
		    map({ unpack("VV", pack("q<", $_)) } @n), 0' "$@"
}

@test "gcda: ors conditions and paths, drops counters that cannot be merged" {
	data B42* 14 8 5 1 >"$t/a.gcda"
	data B42* 14 8 4 2 >"$t/b.gcda"
	data B42* 14 8 5 3 >"$t/want.gcda"
	"$CGCONV" "$t/a.gcda" "$t/b.gcda" -o "$t/sum.gcda"
	cmp "$t/want.gcda" "$t/sum.gcda"
	data B22* 12 3 1 2 >"$t/a.gcda"
	"$CGCONV" "$t/a.gcda" -o "$t/sum.gcda" 2>"$t/err"
	grep -q 'dropped counters that cannot be merged' "$t/err"
	[ "$(wc -c <"$t/sum.gcda")" -eq 40 ]
}

# Data with the values of each counter sorted: their order has no meaning.
in_order()
{
	perl -0777 -e 'my @w = unpack("V*", <>);
		print pack("V*", splice(@w, 0, 4));
		while (@w > 1) {
			my ($tag, $size) = splice(@w, 0, 2);
			my @n = unpack("q<*", pack("V*", splice(@w, 0,
			    $size >> 31 ? 0 : $size / 4)));
			print pack("VV", $tag, $size);
			while (($tag == 0x1a70000 || $tag == 0x1a90000) && @n) {
				my ($all, $of) = splice(@n, 0, 2);
				my %count = splice(@n, 0, 2 * $of);
				print "$all $of";
				print " $_=$count{$_}" for sort keys %count;
			}
			print pack("q<*", @n);
		}' "$1"
}

@test "gcda: values and targets are merged as by gcov-tool" {
	cat >"$t/p.c" <<-'EOF'
	#include <stdlib.h>
	static int a(int n) { return n + 1; }
	static int b(int n) { return n * 2; }
	static int c(int n) { return n - 3; }
	static int (*const f[])(int) = { a, b, c };
	int main(int n, char **arg)
	{
		unsigned sum = 0, k = n > 1 ? atoi(arg[1]) : 3;

		for (unsigned i = 0; i < k; i++) {
			sum += f[i * k % 3](i);
			sum += (sum + 100) / (k % 7 + i % 2 + 1);
		}
		return sum == 1;
	}
	EOF
	runs gcc -O2 -fprofile-generate -fprofile-update=single
	for run in 1 2 both; do
		"$CGCONV" "$t/$run/p.gcda" -t gcov | cmp "$t/$run/p.gcda"
		cp "$t/p.gcno" "$t/$run"
		"$CGCONV" -q -t json "$t/$run/p.gcda" -o "$t/$run.json"
		"$CGCONV" -t gcov "$t/$run.json" | cmp "$t/$run/p.gcda"
	done
	"$CGCONV" "$t/1/p.gcda" "$t/2/p.gcda" -o "$t/sum.gcda" 2>"$t/err"
	[ ! -s "$t/err" ]
	in_order "$t/sum.gcda" >"$t/sum"
	in_order "$t/both/p.gcda" | cmp "$t/sum"
	"$CGCONV" -t gcov "$t/2.json" "$t/1.json" | cmp "$t/sum.gcda"
	command -v gcov-tool >/dev/null || skip "no gcov-tool"
	rm "$t"/[12]/p.gcno
	gcov-tool merge "$t/1" "$t/2" -o "$t/merged"
	in_order "$t/merged/p.gcda" | cmp "$t/sum"
}

@test "gcda: drops the values with the smallest counts if there are too many" {
	one() { for i in $(seq "$1" "$2"); do echo "$i" "$i"; done; }
	# shellcheck disable=SC2046 # many numbers
	data B22* 12 4 -500 20 $(one 1 20) 7 1 -1 3 >"$t/a.gcda"
	# shellcheck disable=SC2046
	data B22* 12 4 600 20 $(one 18 37) 9 1 -1 4 >"$t/b.gcda"
	# shellcheck disable=SC2046
	data B22* 12 4 -1100 32 20 40 19 38 37 37 18 36 \
		$(one 21 36 | tac) $(one 6 17 | tac) 16 1 -1 7 >"$t/want.gcda"
	"$CGCONV" "$t/a.gcda" "$t/b.gcda" -o "$t/sum.gcda"
	cmp "$t/want.gcda" "$t/sum.gcda"
	"$CGCONV" "$t/a.gcda" -t gcov | cmp "$t/a.gcda"
	data B22* 12 4 5 1 7 4 >"$t/c.gcda"
	refuses 1 'numbers of counters of function 0x00000001 differ' \
		-t gcov "$t/a.gcda" "$t/c.gcda"
}

@test "gcda: averages, bits and times are merged as by gcov-tool" {
	mkdir "$t/1" "$t/2"
	while read -r kind sum; do
		data B22* 12 "$kind" 5 0 9 3 >"$t/1/p.gcda"
		data B22* 12 "$kind" 3 4 0 12 >"$t/2/p.gcda"
		# shellcheck disable=SC2086 # many numbers
		data B22* 12 "$kind" $sum >"$t/want.gcda"
		"$CGCONV" "$t/1/p.gcda" "$t/2/p.gcda" -o "$t/sum.gcda"
		cmp "$t/want.gcda" "$t/sum.gcda"
		"$CGCONV" "$t/2/p.gcda" "$t/1/p.gcda" -t gcov |
			cmp "$t/want.gcda"
	done <<-'END'
	1 8 4 9 15
	2 8 4 9 15
	5 8 4 9 15
	6 7 4 9 15
	7 3 4 9 3
	END
	# A time is the number of a function.
	perl -0777 -pe 'substr($_, 48, 4) = pack "V", 1' "$t/1/p.gcda" \
		>"$t/late.gcda"
	"$CGCONV" "$t/late.gcda" -o "$t/sum.gcda" 2>"$t/err"
	grep -q 'dropped counters that cannot be merged' "$t/err"
}

@test "gcda: rejects data of another unit, compilation or length" {
	data A93* 9 0 1 2 >"$t/a.gcda"
	data A93* 9 0 1 2 3 >"$t/b.gcda"
	data A83* 8 0 1 2 >"$t/c.gcda"
	refuses 1 'numbers of counters of function 0x00000001 differ' \
		-t gcov "$t/a.gcda" "$t/b.gcda"
	refuses 1 'one unit and compilation: the versions differ' \
		-t gcov "$t/a.gcda" "$t/c.gcda"
	perl -0777 -pe 'substr($_, 8, 4) = pack "V", 8' "$t/a.gcda" \
		>"$t/e.gcda"
	refuses 1 'one unit and compilation: the stamps differ' \
		-t gcov "$t/a.gcda" "$t/e.gcda"
	perl -0777 -pe 'substr($_, 20, 4) = pack "V", 5' "$t/a.gcda" \
		>"$t/d.gcda"
	refuses 1 'one unit: no function is in all inputs' \
		-t gcov "$t/a.gcda" "$t/d.gcda"
}

@test "gcda: rejects a profile without counters" {
	refuses 3 'gcov needs counters' -t gcov \
		samples/callgrind/plain/callgrind.out
	refuses 3 'gcov needs counters' -t gcov samples/gcov/never/cover.gcno
}

# Units number the instances of a template differently; shards of a sum and a
# detour by JSON must not change the order of their branches.
@test "gcda: branches of instances are in one order on every way" {
	cd "$BATS_TEST_TMPDIR"
	cat >t.h <<-'END'
		template<class T> int pick(T v) { if constexpr (sizeof(T) > 4)
		return v > 2 && v < 9 ? 1 : 3; else return v > 1 ? 1 : 2; }
		template<class T> int all(T v) { if constexpr (sizeof(T) < 8) { return v > 2 && v < 9; } else { return v > 1 ? 1 : 2; } }
	END
	printf '#include "t.h"\nint a(int v) { return all(v) + pick(v) + all(long(v)) + pick(double(v)); }\n' >a.cc
	printf '#include "t.h"\nint b(int v) { return pick(long(v)) + all(double(v)) + pick(v) + all(char(v)); }\n' >b.cc
	printf 'int a(int), b(int);\nint main() { return !(a(3) + b(5)); }\n' >m.cc
	g++ -std=c++17 --coverage -o prog a.cc b.cc m.cc
	./prog
	mkdir u
	mv ./*.gc?? u
	"$CGCONV" -q -o one.info u
	"$CGCONV" -q -t lcov u >stdout.info
	same one.info stdout.info
	"$CGCONV" -q -t json u >all.cgj
	"$CGCONV" -q -t lcov all.cgj >json.info
	same one.info json.info
	"$CGCONV" -q -r -j2 -o two.info u
	same one.info two.info
	for unit in u/*.gcda; do
		"$CGCONV" -q -t json "$unit" >"$unit.cgj"
	done
	"$CGCONV" -q -t lcov -o three.info u/*.cgj
	same one.info three.info
}
