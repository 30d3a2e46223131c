# captures.bats - recordings that cgconv recognizes but does not read.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# says NAME BYTES MESSAGE: a file that begins with BYTES is rejected with
# MESSAGE.
says()
{
	{ printf -- "$2" && head -c 200 /dev/zero; } >"$dir/$1"
	refuses 1 "$3" "$dir/$1"
	[ "$("$CGCONV" --detect "$dir/$1" | cut -f 2)" = captures ]
}

@test "captures: recognizes each recording, prints what to do with it" {
	says perf.data PERFFILE "perf script -F comm,pid,tid,time,period"
	says other.data PERFFILE "-i $dir/other.data | cgconv -"
	says dump.hprof 'JAVA PROFILE 1.0.2' "no costs of functions"
	says trace.out 'go 1.19 trace\0\0\0' "go tool trace -pprof=sync"
	says app.mojo MOJ "mojo2austin"
	says out.bin memray "memray transform csv -o out.csv $dir/out.bin"
	says app.eventlog hdrb "hs-speedscope"
	says magic.fxt '\x10\0\x04FxT\x16\0' "traceconv json $dir/magic.fxt"
	says method.trace '*version\n3\n' "traceconv json"
	says stream.trace SLOW "a method trace of Android"
	says app.syscap '\x5e\x97\xca\xfd' "perf record -g"
	says hang.txt 'Date/Time: 2024\nReport Version: 35\n' "sample PID -file"
	says v8.log 'v8-version,11,3,244,8,-node.20,0\n' "node --cpu-prof"
	says app.raw 'v 10500 3\nx 8 /bin/rec\n' "heaptrack_interpret <$dir/app.raw"
	says cpu.dump '\x04\x08{\x07:\x0cversioni\x06:\tmode:\x08cpu' "stackprof --json"
	says jacoco.exec '\1\xc0\xc0\x10\x07\x10\0\3pid' "jacococli.jar report $dir/jacoco.exec"
	says covmeta.1f '\0cvm\1\0\0\0' "go tool covdata textfmt -i=DIR"
	says covcounters.1f '\0cwm\1\0\0\0' "directory with $dir/covcounters.1f"
	says old.coverage '!coverage.py: This is a private format' "coverage xml"
	says xray-log.app.9nwWhh '\3\0\0\0\xff\0\0\0\0\xca\x9a;\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' "llvm-xray convert -symbolize -instr_map=PROGRAM"
	says app.etl '\0\0\1\0' "event trace log"
}

@test "captures: recognizes texts and JSON by their words" {
	says lines.txt 'Lines sorted by metric: Exclusive Total CPU Time\n\nExcl. Total   Incl. Total    Name\n' "a report of gprofng without callers"
	says pcs.txt 'PCs sorted by metric: Exclusive Total CPU Time\n\nExcl. Total   Incl. Total    Name\n' "gprofng display text -calltree DIR"
	mkdir "$dir/test.1.er"
	: >"$dir/test.1.er/log.xml"
	refuses 1 "an experiment of gprofng" "$dir/test.1.er"
}

@test "captures: coverage.py's database" {
	needs python3
	python3 -c 'import coverage' 2>/dev/null || skip "no coverage.py"
	printf 'print(1)\n' >"$dir/a.py"
	(cd "$dir" && python3 -m coverage run a.py)
	refuses 1 "coverage json --data-file $dir/.coverage -o coverage.json" \
		"$dir/.coverage"
	(cd "$dir" && python3 -m coverage json --data-file .coverage -o c.json)
	"$CGCONV" -q -t lcov "$dir/c.json" | grep -q '^DA:1,1$'
}

@test "captures: directories are recognised by their names and files" {
	mkdir "$dir/app.trace" "$dir/rec" "$dir/none"
	: >"$dir/app.trace/form.template"
	printf PERFILE2 >"$dir/rec/data"
	printf PERFILE2 >"$dir/rec/data.0"
	refuses 1 "run: xctrace export --input $dir/app.trace --output" \
		"$dir/app.trace/"
	refuses 1 "-i $dir/rec | cgconv -" "$dir/rec"
	mkdir "$dir/cov"
	printf '\0cvm' >"$dir/cov/covmeta.1f"
	refuses 1 "go tool covdata textfmt -i=$dir/cov -o=cover.out" "$dir/cov"
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
