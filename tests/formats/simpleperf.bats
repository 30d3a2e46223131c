# simpleperf.bats - samples of Android's simpleperf, as protocol buffers.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	work=samples/simpleperf/work/work.simpleperf.trace
	stacks=samples/simpleperf/stacks/stacks.simpleperf.trace
}

# stacks_of EVENT FILE...: folded stacks of all threads.
stacks_of()
{
	"$CGCONV" -q -t folded --root-by none --event "$@" | LC_ALL=C sort
}

# patch FILE PERL: a copy, changed by perl, at $dir/in.
patch()
{
	perl -0777 -pe "$2" "$1" >"$dir/in"
}

@test "simpleperf: stacks and counts are those of perf script" {
	for event in cpu-clock:u page-faults:u; do
		stacks_of $event samples/perf-data/work/work.txt >"$dir/want"
		[ -s "$dir/want" ]
		stacks_of $event $work >"$dir/got"
		same "$dir/want" "$dir/got"
	done
	grep -v '(inlined)$' samples/perf-script/inlined/inlined.perf |
		stacks_of cpu-clock - >"$dir/want"
	[ "$(wc -l <"$dir/want")" = 6 ]
	stacks_of cpu-clock $stacks >"$dir/got"
	same "$dir/want" "$dir/got"
}

@test "simpleperf: times, threads, addresses, files and linker names" {
	"$CGCONV" -q -t json $stacks >"$dir/out"
	grep -c '^\["moment"' "$dir/out" | says 9
	grep '^\["track"' "$dir/out" | cut -d, -f 2-5 |
		says '13677,13677,"stacks",""' '13730,13730,"stacks",""'
	grep -qF '"(anonymous namespace)::Walk::run",0,' "$dir/out"
	grep -qF '"_ZN12_GLOBAL__N_14Walk3runEi"' "$dir/out"
	grep -qF '["desc","Package","com.example.app"]' "$dir/out"
	"$CGCONV" -q -t callgrind --dump-instr $stacks | grep -q '^0x131e '
}

@test "simpleperf: losses are told" {
	"$CGCONV" -t json $work 2>&1 >"$dir/out" | cut -d: -f 2- |
		says ' note: stacks whose unwinding failed: 1' \
		' note: context switches are dropped: 1' \
		' note: execution types (JIT, interpreted) of frames are dropped: 1'
}

@test "simpleperf: malformed and truncated reports" {
	patch $work 's/^SIMPLEPERF\x01/SIMPLEPERF\x02/'
	refuses 1 "expected version 1 of simpleperf's reports, not 2" \
		-t json "$dir/in"
	patch $work 's/\0{4}\z//'
	refuses 1 'expected the size of a record; the file is truncated' \
		-t json "$dir/in"
	head -c 300 $work >"$dir/in"
	refuses 1 'bytes of a record; the file is truncated' -t json "$dir/in"
	# A record of type 9; the sum of samples; a file that is missing.
	patch $work 's/\0{4}\z/\x02\0\0\0\x4a\0\0\0\0\0/'
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -F 'records of unknown types are dropped: 1'
	patch $work 's/\0{4}\z/\x04\0\0\0\x12\x02\x08\x01\x04\0\0\0\x12\x02\x10\x05\0\0\0\0/'
	"$CGCONV" -t json "$dir/in" >"$dir/out" 2>"$dir/err"
	grep -F 'simpleperf lost 5 samples while recording' "$dir/err"
	grep -E 'the file states [0-9]+ samples, but has [0-9]+' "$dir/err"
	patch $work 's/\0{4}\z/\x0c\0\0\0\x0a\x0a\x1a\x04\x10\x63\x18\0\x20\x01\x28\0\0\0\0\0/'
	refuses 1 'expected a file with id 99' -t json "$dir/in"
	patch $work 's/\0{4}\z/\x0c\0\0\0\x0a\x0a\x1a\x04\x10\0\x18\x63\x20\x01\x28\0\0\0\0\0/'
	refuses 1 'not symbol 99' -t json "$dir/in"
	patch $work 's/\0{4}\z/\x06\0\0\0\x0a\x04\x20\x01\x28\x63\0\0\0\0/'
	refuses 1 'expected one of 2 event types, not event type 99' \
		-t json "$dir/in"
}

@test "simpleperf: symbols without a name, bytes after the end" {
	# A sample of it, another sample, a file "unknown" with symbol "".
	perl -e 'sub record { pack("V/a*", $_[0]) }
		sub sample { record("\x0a\x0a\x1a\x04\x10$_[0]\x18\0\x20$_[1]\x28\0") }
		sub file { record("\x1a" . pack("C/a*", "\x08$_[0]\x12" .
		    pack("C/a*", $_[1]) . "\x1a" . pack("C/a*", $_[2]))) }
		print "SIMPLEPERF\1\0", sample("\0", "\3"), sample("\1", "\5"),
		    record("\x12\2\x08\2"), file("\0", "unknown", ""),
		    file("\1", "/a", "f"), "\0\0\0\0rest"' >"$dir/in"
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" | LC_ALL=C sort |
		says '[unknown] 3' 'f 5'
	grep -F '4 bytes after the last record are skipped' "$dir/err"
}
