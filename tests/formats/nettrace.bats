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
	printf 'Nettrace\0\0\0\0\6\0\0\0\0\0\0\0\0\0\0\0' >"$dir/in"
	refuses 1 'expected a trace of version 4 or 5, not 6' -t json "$dir/in"
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
