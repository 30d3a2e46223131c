# tachyon.bats - profiles of Python's profiling.sampling.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	file=samples/tachyon/binary/profile.bin
	lines=samples/tachyon/jsonl/profile.jsonl
}

# patch FROM OFFSET HEX: a copy of the binary profile, at $dir/in, with bytes
# at the offset replaced.
patch()
{
	perl -0777 -pe 'BEGIN { ($at, $hex) = splice @ARGV, 0, 2; binmode STDIN }
		substr($_, $at, length($hex) / 2) = pack "H*", $hex' \
		"$2" "$3" "$1" >"$dir/in"
}

# stacks FILE: folded stacks with lines, decoded independently of cgconv.
stacks()
{
	perl -0777 -ne '
		$bytes = $_;
		sub varint {
			my ($v, $s, $b) = (0, 0);
			do {
				$b = ord substr $bytes, $p++, 1;
				$v |= ($b & 127) << $s;
				$s += 7;
			} while ($b > 127);
			return $v;
		}
		my ($strings, $frames) = unpack "x40 Q<Q<", $bytes;
		my ($n, $m) = unpack "L<L<", substr $bytes, -32;
		$p = $strings;
		for (1 .. $n) {
			my $len = varint();
			push @string, substr $bytes, $p, $len;
			$p += $len;
		}
		for (1 .. $m) {
			varint();
			my $name = $string[varint()];
			my $line = varint(); # zigzag
			push @frame, "$name:" . ($line & 1 ? 0 : $line / 2);
			varint() for 1 .. 3;
			$p++;
		}
		$p = 64;
		while ($p < $strings) {
			my $thread = substr $bytes, $p, 12;
			my $kind = ord substr $bytes, $p + 12, 1;
			my $old = $stack{$thread} // [];
			$kinds[$kind]++;
			$p += 13;
			if ($kind == 0) {
				for (1 .. varint()) {
					varint();
					$p++;
					$sum{join ";", @$old}++;
				}
				next;
			}
			varint();
			$p++;
			my $x = $kind == 1 ? 0 : varint();
			my @new = map { $frame[varint()] } 1 .. varint();
			my $keep = $kind == 1 ? 0 : $kind == 2 ? $x : @$old - $x;
			my $stack = [@$old[0 .. $keep - 1], reverse @new];
			$stack{$thread} = $stack;
			$sum{join ";", @$stack}++;
		}
		print "$_ $sum{$_}\n" for keys %sum;
		print STDERR "@kinds\n"' "$1" | LC_ALL=C sort
}

# graph FILE: the stacks of cgconv's JSON in the same form.
graph()
{
	"$CGCONV" -q -t json "$@" | python3 -c '
import collections, json, sys
name, frame, node, total = {}, {}, {}, collections.Counter()
for line in sys.stdin:
    row = json.loads(line)
    if not isinstance(row, list):
        continue
    if row[0] == "function":
        name[row[1]] = row[2]
    elif row[0] == "frame":
        frame[row[1]] = (row[2], "%s:%d" % (name[row[3]], row[5]))
    elif row[0] == "stack":
        path, at = [], row[1]
        while at:
            path.append(frame[at][1])
            at = frame[at][0]
        total[";".join(reversed(path))] += row[3][0]
for path in sorted(total):
    print(path, total[path])' | LC_ALL=C sort
}

@test "tachyon: stacks and lines are those of an independent decoder" {
	needs python3
	stacks $file 2>"$dir/kinds" | sed '/^ 1$/d' >"$dir/stacks"
	graph $file | same "$dir/stacks" -
	says '18 19 1 48' <"$dir/kinds"
	"$CGCONV" -t folded $file 2>&1 >"$dir/out" |
		grep -F 'without Python frames, which are dropped: 1'
}

@test "tachyon: zstd, and the header of beta versions" {
	"$CGCONV" -q -t json $file >"$dir/all"
	"$CGCONV" -q -t json samples/tachyon/zstd/profile.bin >"$dir/zstd"
	same "$dir/all" "$dir/zstd"
	"$CGCONV" -q -t json samples/tachyon/beta/profile.bin |
		sed '/^\["end"/d' >"$dir/beta"
	sed '/"Profiling mode","wall"/d; /^\["end"/d' "$dir/all" >"$dir/no-mode"
	same "$dir/no-mode" "$dir/beta"
}

@test "tachyon: times of samples, threads and their states" {
	"$CGCONV" -q -t json $file >"$dir/out"
	grep -c '^\["moment"' "$dir/out" | says 113
	grep -qF '["tid","",4242]' "$dir/out"
	grep -qF '["state","has GIL, on CPU"],["thread","MainThread"]' "$dir/out"
	grep -qF '["state","has exception, unknown"],["interpreter","",1]' \
		"$dir/out"
	grep '^\["formula"' "$dir/out" |
		says '["formula","ns","10000000 samples","Time","ns","stated",false]'
}

@test "tachyon: a big-endian file" {
	# Two threads; a record of each kind, one sample more by REPEAT.
	perl -e '
		my $t = pack "Q>L>", 1 << 40 | 7, 0;
		my $samples = "$t\1\0\1\2\0\1" .
			"$t\0\1\1\3" . "$t\2\1\0\1\1\0" .
			"$t\3\1\0\1\1\1";
		my $strings = "\4a.py\1f\1g";
		my $frames = "\0\1\24\0\0\0\377\0\2\50\0\0\0\377";
		my $at = 64 + length $samples;
		my $size = $at + length($strings . $frames) + 32;
		print pack("a4L>a4Q>Q>Q>L>Q>Q>L>L>", "TACH", 1, "\3\17\0\0",
			1000, 100, 4, 1, $at, $at + length $strings, 0, 2),
			$samples, $strings, $frames,
			pack("L>L>Q>x16", 3, 2, $size)' >"$dir/in"
	"$CGCONV" -t folded "$dir/in" | LC_ALL=C sort | says 'g;f 3' 'g;g 1'
	"$CGCONV" -q -t json "$dir/in" | grep -qF '"Profiling mode","cpu"'
}

@test "tachyon: JSON Lines have the sums of the stacks" {
	"$CGCONV" --verify $file $lines | grep -qx \
		'Total  samples  113 = 113'
	"$CGCONV" -q -t csv $file | cut -d, -f 2,3,5- | LC_ALL=C sort >"$dir/a"
	"$CGCONV" -q -t csv $lines | cut -d, -f 2,3,5- | LC_ALL=C sort >"$dir/b"
	[ "$(wc -l <"$dir/a")" = 22 ]
	# A recursive function counts once for each of its lines.
	diff "$dir/a" "$dir/b" | tr -d '\r' | grep '^[<>]' |
		says '< work.py,recurse,2,55' '> work.py,recurse,2,105'
	"$CGCONV" -t csv $lines 2>&1 >"$dir/out" |
		grep -qF 'inclusive samples of 6 functions are sums'
}

@test "tachyon: malformed and truncated profiles" {
	patch $file 4 02000000
	refuses 1 "expected version 1 of Python's profiles, not 2 (of Python 3.15)" \
		-t json "$dir/in"
	patch samples/tachyon/zstd/profile.bin 56 07
	refuses 1 'not compressed, or by zstd (1), not by 7' -t json "$dir/in"
	patch samples/tachyon/zstd/profile.bin 90 ffff
	refuses 1 'corrupt' -t json "$dir/in"
	head -c 2000 $file >"$dir/in"
	refuses 1 'the file is truncated' -t json "$dir/in"
	patch $file 42 ff
	refuses 1 'expected tables within the file' -t json "$dir/in"
	patch $file 76 04
	refuses 1 'expected a sample of kind 0 to 3' -t json "$dir/in"
	patch $file 81 7f
	refuses 1 'expected the number of a frame in the table' -t json "$dir/in"
	patch $file 28 00
	"$CGCONV" -q -t json "$dir/in" >/dev/null
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -F 'the header states 0 samples, but there are 114'
	sed '1s/"v":1/"v":2/' $lines >"$dir/in"
	refuses 1 'expected version (v) 1, not 2' -t json "$dir/in"
	sed '$d' $lines >"$dir/in"
	refuses 1 'expected a line of type end; the file is truncated' \
		-t json "$dir/in"
	sed 's/{"frame_id":3,"self"/{"frame_id":300,"self"/' $lines >"$dir/in"
	refuses 1 'expected a frame_id that is defined before' -t json "$dir/in"
	sed '$s/113/114/' $lines >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -F 'the sum of samples is 113, but the input states 114'
}

@test "tachyon: lines of unknown types are told" {
	sed '2i {"type":"thread_def","v":1}' \
		samples/tachyon/jsonl/profile.jsonl >"$BATS_TEST_TMPDIR/in"
	"$CGCONV" -f tachyon -t json "$BATS_TEST_TMPDIR/in" 2>&1 >/dev/null |
		grep -F 'lines of unknown types are dropped: 1'
}
