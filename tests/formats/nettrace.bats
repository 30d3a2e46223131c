# nettrace.bats - traces of .NET by dotnet-trace.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	file=samples/nettrace/work/work.nettrace
}

# patch FILE PERL: a copy, changed by perl, at $dir/in.
patch()
{
	perl -0777 -pe "$2" "$1" >"$dir/in"
}

# Sums by hand: of 24 samples before the sequence point, 8 and 4 are of the main
# thread, 6, 3 and 3 of the other; after it, one of each, whose stacks have the
# ids of earlier ones.
@test "nettrace: stacks and methods, compressed events and plain ones" {
	local thread='System.Threading.Thread'

	printf '%s\n' '[unknown] 3' \
		"$thread.StartCallback();Work.Queue\`1[System.Int32].Take() 7" \
		"$thread.StartCallback();Work.Queue\`1[System.Int32].Take();dynamicClass.Grüße😀() 3" \
		"Work.Program.Main(class System.String[]);$thread.Sleep(int32) 4" \
		'Work.Program.Main(class System.String[]);Work.Program.Spin(int32) 8' \
		'Work.Program.Main(class System.String[]);[unknown] 1' |
		LC_ALL=C sort >"$dir/want"
	for from in $file samples/nettrace/plain/plain.nettrace; do
		"$CGCONV" -q -t folded $from | LC_ALL=C sort >"$dir/got"
		same "$dir/want" "$dir/got"
	done
	"$CGCONV" -q -t folded --part-by label:state $file >"$dir/out"
	"$CGCONV" -q -t json $file >"$dir/out"
	grep -qF '["object",1,"/app/work.dll"]' "$dir/out"
	grep '^\["labels"' "$dir/out" | grep -c '"state","external"' | says 2
}

@test "nettrace: times since the start, threads, the interval" {
	"$CGCONV" -q -t json $file >"$dir/out"
	grep '^\["track"' "$dir/out" | cut -d, -f 2,3,6,8 |
		says '4242,4242,"ns",1000800' '4242,4245,"ns",1002800'
	grep -c '^\["moment"' "$dir/out" | says 26
	grep '^\["formula"' "$dir/out" |
		says '["formula","ns","1000000 samples","Time","ns","stated",false]'
}

@test "nettrace: losses are told" {
	"$CGCONV" -t json $file 2>&1 >"$dir/out" |
		says "$file: note: events that are no samples are dropped: 1"
	# Other names of providers: no methods, no samples.
	patch $file 's/R\0u\0n\0d\0o\0w\0n/X\0u\0n\0d\0o\0w\0n/g;
		s/(R\0u\0n\0t\0i\0m\0)e\0(\0\0\x8f)/$1x\0$2/'
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -F 'the trace has no methods (no rundown)'
	patch $file 's/P\0r\0o\0f\0i\0l\0e\0r/X\0r\0o\0f\0i\0l\0e\0r/'
	refuses 1 'the trace has no samples' -t json "$dir/in"
}

@test "nettrace: malformed and truncated traces, other versions" {
	printf 'Nettrace\0\0\0\0\7\0\0\0\0\0\0\0\0\0\0\0' >"$dir/in"
	refuses 1 'expected a trace of version 4 to 6, not 7' -t json "$dir/in"
	patch $file 's/\x04\0\0\0\x04\0\0\0\x05\0\0\0Trace/\x07\0\0\0\x07\0\0\0\x05\0\0\0Trace/'
	refuses 1 'expected an object Trace of version 4 or 5, not 7' \
		-t json "$dir/in"
	head -c 1000 $file >"$dir/in"
	refuses 1 'the file may be truncated' -t json "$dir/in"
	patch $file 's/\x01\z//'
	refuses 1 'the file may be truncated' -t json "$dir/in"
	patch $file 's/SPBlock/XPBlock/'
	refuses 1 "not 'XPBlock'" -t json "$dir/in"
	patch $file 's/StackBlock\x06(....\0*)\x01\0\0\0\x05\0\0\0/StackBlock\x06$1\x01\0\0\0\xff\xff\xff\x7f/s'
	refuses 1 'more stacks' -t json "$dir/in"
}

# trace METHOD STACKS SAMPLES: a trace in $dir/in whose method has a name of
# so many letters (0: no names), with so many samples of so many stacks of 1
# frame each; STACKS 0: of one stack with 50,000 frames.
trace()
{
	perl -e 'my ($letters, $stacks, $samples) = @ARGV;
		sub text { join("", map("$_\0", split(//, $_[0]))) . "\0\0" }
		sub type { my ($name, $v) = @_;
		    "\5\5\1" . pack("VVV/a*", $v, $v, $name) . "\6" }
		my $out = "Nettrace" . pack("V/a*", "!FastSerialization.1") .
		    type("Trace", 4) . pack("x16Q<Q<V4", 0, 1e9, 8, 1, 0, 0) . "\6";
		sub block { my ($name, $data) = @_;
		    $out .= type($name, 2) . pack("V", length($data));
		    $out .= "\0" x (-length($out) & 3) . $data . "\6" }
		sub event { my ($id, $stack, $payload) = @_;
		    "\x8f" . varint($id) . "\0\0\0\1" . varint($stack) . "\1" .
		    varint(length($payload)) . $payload }
		sub varint { my $n = shift; my $v = "";
		    while ($n > 127) { $v .= chr($n & 127 | 128); $n >>= 7 }
		    $v . chr($n) }
		sub events { block($_[0], pack("vvx16", 20, 1) . $_[1]) }
		sub kind { my ($id, $provider, $event) = @_;
		    event(0, 0, pack("V", $id) . text($provider) . pack("V", $event)) }
		events("MetadataBlock",
		    kind(1, "Microsoft-DotNETCore-SampleProfiler", 0) .
		    kind(2, "Microsoft-Windows-DotNETRuntimeRundown", 144));
		my @stack = map(pack("VQ<", 8, 100 + $_), 1 .. $stacks);
		@stack = pack("V/a*", pack("Q<*", map(100 + $_ * 64, 1 .. 50000)))
		    if !@stack;
		block("StackBlock", pack("VV", 1, scalar(@stack)) . join("", @stack));
		my $sample = pack("V", 2);
		events("EventBlock",
		    join("", map(event(1, $_ % @stack + 1, $sample), 0 .. $samples - 1)) .
		    event(2, 0, pack("Q<Q<Q<VVV", 1, 1, 0, 1 << 31, 0, 0) .
		    text($letters ? "N" : "") . text("f" x $letters) . text("")));
		print $out, "\1", "rest"' "$@" >"$dir/in"
}

@test "nettrace: methods without a name, bytes after the end" {
	trace 0 2 3
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" | says '[unknown] 3'
	grep -F '4 bytes after the last block are skipped' "$dir/err"
}

@test "nettrace: time grows with the size of the file" {
	# Without care, 60,000 times 100,000 letters, and 40,000 times 50,000
	# frames.
	trace 100000 60000 60000
	timeout -s KILL 30 "$CGCONV" -q -t callgrind "$dir/in" >"$dir/out"
	[ "$(wc -c <"$dir/out")" -lt 1000000 ]
	trace 1 0 40000
	timeout -s KILL 30 "$CGCONV" -q -t callgrind "$dir/in" >"$dir/out"
	grep -q '^[0-9].* 40000$' "$dir/out"
}

# Weights are powers of 2: each stack says which samples it has.
sixth()
{
	"$CGCONV" -t folded "$1" 2>"$dir/err" | says \
		'client;[client];[client];write 4' 'client;write 32' \
		'server;[unknown] 16' 'server;main;[unknown] 8' \
		'server;main;serve(int);write 3' \
		'server;serve(int);My.Work::Run(int32) 1'
	grep -q 'note: events that are no samples are dropped: 1$' "$dir/err"
	[ "$(wc -l <"$dir/err")" = 1 ]
}

@test "nettrace: version 6: processes, mappings and symbols" {
	in=samples/nettrace/sixth/sixth.nettrace
	sixth $in
	"$CGCONV" -q -t json $in >"$dir/json"
	grep '^\["object"' "$dir/json" | cut -d, -f 3 | says '"/bin/client"]' \
		'"/bin/server"]' '"/lib/libc.so"]' '"App"]'
	# Index 1 is of another thread after the sequence point.
	grep '^\["track"' "$dir/json" | cut -d, -f 2-4,7- | says \
		'70,70,"main",false,1000000,2000000]' \
		'70,71,"",false,2000000,3001000]' \
		'80,80,"work",false,2500000,2500000]' \
		'80,81,"pool",false,5000000,5000000]'
	grep -qxF '["labels",2,["comm","client"],["thread","work"],["pid","",80],["tid","",80]]' \
		"$dir/json"
}

@test "nettrace: version 6: events that are not compressed" {
	# The same events, without compression: 52 bytes, then the payload.
	perl -0777 -ne '
		sub varint { my $v = 0; for (my $shift = 0; ; $shift += 7) {
			my $byte = ord substr $_[0], 0, 1, "";
			$v |= ($byte & 127) << $shift;
			return $v if $byte < 128 } }
		sub events { my ($data) = @_;
			my ($out, $time) = (pack("vv", 20, 0) . substr($data, 4, 16), 0);
			substr $data, 0, 20, "";
			while (length $data) {
				substr $data, 0, 1, "";
				my ($id, undef, undef, $cpu, $thread, $stack, $ticks, undef, $size) =
					map varint($data), 1 .. 9;
				$time += $ticks;
				$out .= pack("V/a*", pack("VVQ<Q<VVQ<VV", $id, 0, $thread, 0,
					$cpu, $stack, $time, 0, $size) . substr $data, 0, $size, "");
			}
			$out }
		print substr $_, 0, 20, "";
		while (length) {
			my $head = unpack "V", substr $_, 0, 4, "";
			my $data = substr $_, 0, $head & 0xffffff, "";
			$data = events($data) if $head >> 24 == 2;
			print pack("V", length($data) | $head & 0xff000000), $data }' \
		samples/nettrace/sixth/sixth.nettrace >"$dir/in"
	[ "$(wc -c <"$dir/in")" -gt 1800 ]
	sixth "$dir/in"
}

@test "nettrace: version 6: malformed and truncated traces" {
	in=samples/nettrace/sixth/sixth.nettrace
	head -c 900 $in >"$dir/in"
	refuses 1 'expected a whole block; the file may be truncated' \
		-t json "$dir/in"
	patch $in 's/\x08\0\0\0(\x01\0\0\0\x0eSystem)/\x09\0\0\0$1/'
	refuses 1 'expected pointers of 4 or 8 bytes, not 9' -t json "$dir/in"
	patch $in 's/\x01\0\0\0(\x0eSystem)/\x7f\0\0\0$1/'
	refuses 1 'expected keys and values of Trace' -t json "$dir/in"
	patch $in 's/\x04main\x02/\x7fmain\x02/'
	refuses 1 'expected a thread' -t json "$dir/in"
	patch $in 's/\x05\0write/\xff\0write/'
	refuses 1 'expected a symbol' -t json "$dir/in"
	patch $in 's/\x0b\0\/bin\/server/\xff\0\/bin\/server/'
	refuses 1 'expected a mapping' -t json "$dir/in"
	patch $in 's/\x06\0server/\xff\0server/'
	refuses 1 'expected a process' -t json "$dir/in"
	patch $in 's/\x10Universal.Events/\x7fUniversal.Events/'
	refuses 1 'expected metadata of an event' -t json "$dir/in"
	patch $in 's/cpu/cpx/g'
	refuses 1 'the trace has no samples' -t json "$dir/in"
	patch $in 's/\z/rest/'
	"$CGCONV" -t json -o "$dir/out" "$dir/in" 2>&1 |
		grep -qF '4 bytes after the last block are skipped'
}

@test "nettrace: version 6: a thread that has the index of an ended one" {
	# Once more the events, after a sequence point and other threads.
	perl -e '
		undef $/; $_ = <>; my ($h, $r) = (substr($_, 0, 20), substr($_, 20)); my ($all, @b) = ("");
		while (length $r) { my $n = unpack("V", $r); my $k = $n >> 24; $n &= 0xffffff; last if !$k;
		 push @b, [$k, substr($r, 4, $n)]; $all .= substr($r, 0, 4 + $n); $r = substr($r, 4 + $n); }
		sub blk { pack("V", $_[0] << 24 | length $_[1]) . $_[1] }
		my $t = ""; $t .= pack("v/a*", chr($_) . "\2\7\3\x2a") for 0 .. 9;
		print $h, $all, blk(4, "\0" x 8 . "\1\0\0\0\0\0\0\0"), blk(6, $t), (map { blk(@$_) } grep { $_->[0] == 2 } @b), "\0\0\0\0";
	' samples/nettrace/sixth/sixth.nettrace >"$dir/in"
	"$CGCONV" -q -t json "$dir/in" >"$dir/out"
	grep -qF '["track",80,81,"pool","","ns",false,5000000,5000000]' "$dir/out"
	grep -qF '["track",7,42,"","","ns",false,0,5000000]' "$dir/out"
}

@test "nettrace: version 6: processes that share a stack take linear time" {
	# Without care, 40,000 times 50,000 frames.
	head -c 84 samples/nettrace/sixth/sixth.nettrace >"$dir/in"
	perl -e '
		sub block { pack("V", $_[0] << 24 | length $_[1]) . $_[1] }
		print block(3, pack("v", 0) . pack("v/a*",
		    "\1\20Universal.Events\1\3cpu\0\0\0\0"));
		print block(6, join("", map(pack("v/a*", chr($_) . "\2" . chr(70 + $_)), 0, 1)));
		print block(5, pack("VV", 1, 1) . pack("V/a*", pack("Q<*", map(100 + $_ * 64, 1 .. 50000))));
		print block(2, pack("vvx16", 20, 0) . join("", map(pack("V/a*",
		    pack("VVQ<Q<VVQ<VV/a*", 1, 0, $_ & 1, 0, 0, 1, $_, 0, "\1")), 1 .. 40000)));
		print "\0\0\0\0"' >>"$dir/in"
	timeout -s KILL 30 "$CGCONV" -q -t folded "$dir/in" >"$dir/out"
	[ "$(sed 's/.* //' "$dir/out" | paste -sd ' ')" = 40000 ]
}
