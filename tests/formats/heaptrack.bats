# heaptrack.bats - recordings of heaptrack.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# sums FILE: for each stack from its last main on, without operator new, the
# costs of all events; functions in brackets are those of an object.
sums()
{
	local event

	for event in allocations temporary allocated leaked peak; do
		"$CGCONV" -q -t folded --no-annotate --event $event "$1" |
			sed "s/^.*;main;/main;/; s/;operator new([^)]*)//g; s/^/$event /"
	done | perl -ne '
		/^(\S+) (.*) (\d+)$/ and $sum{$2}{$1} += $3;
		END { print join(" ", map({ $sum{$k = $_}; my $k = $_;
			map { $sum{$k}{$_} // 0 } qw(allocations temporary
				allocated leaked peak) } $_), $_), "\n"
			for sort keys %sum }'
}

@test "heaptrack: sums are those of heaptrack_print" {
	# heaptrack_print -t 0 -m 0 -F, by stack and in all: 27 allocations,
	# 100200 leaked, 173004 at the peak. heaptrack counts 10 temporary ones
	# when it records; heaptrack_print has one more, of allocation 0.
	sums samples/heaptrack/cc/scratch.heaptrack >"$dir/sums"
	awk '{ a += $1; t += $2; l += $4; p += $5 }
		END { print a, t, l, p }' "$dir/sums" | says '27 10 100200 173004'
	sed 's/push_back(int const&);.*/push_back/' "$dir/sums" | says \
		'1 0 72704 0 72704 [ld-linux-x86-64.so.2];_dl_init;call_init;call_init;[libstdc++.so.6]' \
		'3 0 300 200 300 main;keep;take' \
		'12 0 504 0 0 main;scratch;std::vector<int, std::allocator<int> >::push_back' \
		'10 10 160 0 0 main;scratch;take' \
		'1 0 100000 100000 100000 main;take'
}

@test "heaptrack: lines, inlined code, objects and the command survive" {
	"$CGCONV" -q -t json samples/heaptrack/cc/scratch.heaptrack >"$dir/json"
	grep -qF './scratch' "$dir/json"
	grep -qF '"/var/tmp/cgconv-samples/scratch"' "$dir/json"
	grep -qF '"/src/scratch.cc"' "$dir/json"
	"$CGCONV" -q -t folded samples/heaptrack/cc/scratch.heaptrack |
		grep -q ';std::vector<int, std::allocator<int> >::push_back(int const&)_\[i\];'
}

# Stack f has 10 and 8 bytes, g has 20: the peak is 30, before the second
# block of f; the block of g is temporary.
events()
{
	printf '%s\n' 's f' 's g' 's a.c' 's /x' 'i 10 4 1 3 7' 'i 20 4 2 3 9' \
		't 1 0' 't 2 1' 'a a 1' 'a 14 2' 'a 8 1' '+ 0' '+ 1' '- 1' '+ 2' \
		'- 0' 'c 8' 'R 1' '# strings: 4' '# ips: 2'
}

@test "heaptrack: the peak, temporary blocks, versions without lengths" {
	for version in '10200' '10000 1' '10250 2'; do
		{
			printf 'v %s\nX a\n' "$version"
			events
		} >"$dir/in"
		sums "$dir/in" | says '2 0 18 8 10 f' '1 1 20 0 20 f;g'
	done
	{
		printf 'v 10500 3\nX a\n'
		events | sed 's/^s \(.*\)/s x \1/; s/^s x \(.\)$/s 1 \1/
			s/^s x \(..\)$/s 2 \1/; s/^s x \(...\)$/s 3 \1/'
	} >"$dir/in"
	sums "$dir/in" | says '2 0 18 8 10 f' '1 1 20 0 20 f;g'
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'dropped times and resident memory at 2 moments'
}

@test "heaptrack: malformed and truncated recordings" {
	bad() { # LINES MESSAGE
		printf 'v 10000 2\nX a\n%b' "$1" >"$dir/in"
		refuses 1 "$2" -f heaptrack -t json "$dir/in"
	}
	bad 's f\ni 1 0 2 0 0\n' 'in:4: error: expected a string from 1 to 1'
	bad 'i 1\n' 'expected an address and a module'
	bad 's f\ni 1 0 1 1 \n' 'expected a function, a file and a line'
	bad 't 1 0\n' 'expected a place from 1 to 0'
	bad 'i 1 0\nt 1 2\n' 'and a trace up to 0'
	bad 'a 1 1\n' 'expected a size and a trace'
	bad '+ 0\n' 'expected the number of one of 0 allocations'
	bad 'i 1 0\nt 1 0\na 1 1\n- 0\n' 'a block that is allocated'
	bad 'i 1 0\nt 1 0\na ffffffffffffffff 1\n+ 0\n+ 0\n' \
		'expected sizes whose sum fits in 64 bits'
	bad 'X b\n' 'expected one command'
	bad 'm /bin/a\n' 'expected a line that begins with one of'
	bad '' 'expected allocations'
	printf 'v 20000 9\nX a\n' >"$dir/in"
	refuses 1 'expected file version 1 to 3, not 9 of heaptrack 20000' \
		-t json "$dir/in"
	head -n 100 samples/heaptrack/cc/scratch.heaptrack >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" | grep -q 'may be truncated'
}

@test "heaptrack: inlined frames that few bytes repeat are limited" {
	# Few traces of 1 MB, each of a place with 10,000 frames.
	perl -e 'print "v 10400 3\nX a\ns 1 f\ni 1 0", " 1 0 0" x 10000, "\n";
		printf "t 1 %x\n", $_ for 0 .. 9999;
		print "a 1 1\n+ 0\n# ips: 1\n"' >"$dir/in"
	refuses 1 'expected fewer inlined frames' -t json "$dir/in"
}
