# captures.bats - recordings that cgconv recognizes but does not read.
load helper

setup()
{
	cd "$BATS_TEST_DIRNAME/.." || return 1
	dir=$BATS_TEST_TMPDIR
}

# says NAME BYTES MESSAGE: a file that begins with BYTES is rejected with
# MESSAGE.
says()
{
	{ printf "$2" && head -c 200 /dev/zero; } >"$dir/$1"
	refuses 1 "$3" "$dir/$1"
	[ "$("$CGCONV" --detect "$dir/$1" | cut -f 2)" = captures ]
}

@test "captures: recognizes each recording, prints what to do with it" {
	says perf.data PERFFILE "perf script -F comm,pid,tid,time,period"
	says other.data PERFFILE "-i $dir/other.data | cgconv -"
	says simple SIMPLEPERF "gecko_profile_generator.py -i perf.data"
	says dump.hprof 'JAVA PROFILE 1.0.2' "no costs of functions"
	says app.nettrace Nettrace "dotnet-trace convert"
	says trace.out 'go 1.19 trace\0\0\0' "go tool trace -pprof=sync"
	says app.mojo MOJ "mojo2austin"
	says out.bin memray "memray transform gprof2dot -o out.json $dir/out.bin"
	says app.eventlog hdrb "hs-speedscope"
	says rec.heaptrack 'v 10400 3\nX ./rec 2\n' "heaptrack_print -f $dir/rec.heaptrack"
	says magic.fxt '\x10\0\x04FxT\x16\0' "traceconv json $dir/magic.fxt"
	says method.trace '*version\n3\n' "traceconv json"
	says stream.trace SLOW "a method trace of Android"
	says app.syscap '\x5e\x97\xca\xfd' "perf record -g"
	says hang.txt 'Date/Time: 2024\nReport Version: 35\n' "sample PID -file"
	says v8.log 'v8-version,11,3,244,8,-node.20,0\n' "node --cpu-prof"
	says app.etl '\0\0\1\0' "event trace log"
	says app.pftrace '\x0a\x02' "traceconv json"
}

@test "captures: directories are recognised by their names and files" {
	mkdir "$dir/app.trace" "$dir/rec" "$dir/none"
	: >"$dir/app.trace/form.template"
	printf PERFILE2 >"$dir/rec/data"
	printf PERFILE2 >"$dir/rec/data.0"
	refuses 1 "run: xctrace export --input $dir/app.trace --output" \
		"$dir/app.trace/"
	refuses 1 "-i $dir/rec | cgconv -" "$dir/rec"
	refuses 1 "no files to read in this directory" "$dir/none"
	# Inputs that formats find in directories take precedence.
	cp samples/gcov/gcc-c/*.gc* "$dir/rec"
	"$CGCONV" -q -t callgrind "$dir/rec" >"$dir/out"
}

@test "captures: tells go.work from a trace" {
	printf 'go 1.21\n\nuse .\n' >"$dir/go.work"
	"$CGCONV" --detect "$dir/go.work" | grep -q '	-	-	0$'
	printf 'go 1.21 trace\0\0\0' >"$dir/trace.out"
	"$CGCONV" --detect "$dir/trace.out" | grep -q captures
}
