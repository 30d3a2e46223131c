# stack-text.bats - stacks that tracers print: bpftrace, dtrace, macos-sample.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

# folds FORMAT LINE... - standard input is of that format and has these stacks.
folds()
{
	local format=$1

	shift
	cat >"$t/in"
	[ "$("$CGCONV" --detect "$t/in" | cut -f 2)" = "$format" ]
	"$CGCONV" -t folded "$t/in" | same - <(printf '%s\n' "$@")
}

@test "bpftrace: reads maps of stacks, commands and pids" {
	file=samples/bpftrace/maps/maps.txt
	[ "$("$CGCONV" --detect $file)" = "$file	bpftrace	-	100" ]
	"$CGCONV" -t folded $file 2>"$t/err" | same - <(printf '%s\n' \
		'entry_SYSCALL_64_after_hwframe;hrtimer_nanosleep;do_nanosleep 3' \
		'idle;[unknown] 2' \
		'my_prog;0x7f1200;main;__GI___clock_nanosleep;entry_SYSCALL_64_after_hwframe;do_nanosleep 5' \
		'sleep;_start;main 7')
	grep 'warning: maps whose values are no counts are skipped' "$t/err"
	"$CGCONV" -q -t json $file |
		grep -F '["labels",2,["comm","my prog"],["pid","",1234]]'
	# Frames of ustack(perf).
	folds bpftrace 'main;malloc 4' <<-'E'
	@[
		7f3a1c malloc+30 (/lib/libc.so.6)
		55d0 main+4 (/bin/a)
	]: 4
	E
	"$CGCONV" -q -t json "$t/in" | grep -F '/lib/libc.so.6'
	printf '@[\n  a+1\n' >"$t/cut.bt"
	"$CGCONV" -f bpftrace -t json "$t/cut.bt" 2>&1 >"$t/out" |
		grep 'error: expected a map by kstack or ustack'
}

@test "dtrace: reads stacks, with keys and without" {
	file=samples/dtrace/stacks/out.dtrace
	"$CGCONV" -t folded $file | same - <(printf '%s\n' \
		'0x401e10;Dict::put(int, char*);__write;fop_write;zfs_write 3' \
		'0xfffffffffb8001d6;fop_write 4' 'app;main;work 5')
	"$CGCONV" -q -t json $file >"$t/json"
	grep -F '["labels",1,["comm","app"],["pid","",1234]]' "$t/json"
	grep -F '["object",' "$t/json" | grep -F '"libc.so.1"'
	# Without a header.
	folds dtrace 'b;a 2' <<-'E'

	              x`a+0x1
	              x`b
	                2
	E
	printf '              x`a\n' >"$t/cut"
	refuses 1 'expected stacks, and a count after each' -f dtrace -t json \
		"$t/cut"
}

@test "dtrace: reads stacks of SystemTap" {
	# stackcollapse-stap.pl prints the same; it has addresses with their
	# object for frames without a name.
	dir=$t
	in=samples/dtrace/systemtap/stacks.stap
	"$CGCONV" -q -t folded --no-annotate $in | says \
		'[libc.so.6];main;std::vector<int>::push_back(int const&);leaf 17' \
		'main;middle;leaf 5' 'sys_read;do_read 10' \
		'sys_read;do_read;operator/(V, V) 3'
	"$CGCONV" -q -t json $in >"$t/json"
	for object in '"[kernel]"' '"/usr/bin/app"' '"/usr/lib/libx.so.1"' \
		'"/usr/lib/libc.so.6"'; do
		grep -F '["object",' "$t/json" | grep -qF "$object"
	done
	perl -MJSON::PP -ne 'next unless ref($_ = decode_json($_)) eq "ARRAY";
		$file[$_->[1]] = $_->[2] if $_->[0] eq "file";
		$name[$_->[1]] = $_->[2] if $_->[0] eq "function";
		print "$name[$_->[3]] $file[$_->[4]] $_->[5]\n"
			if $_->[0] eq "frame" && $_->[5] > 0' "$t/json" |
		LC_ALL=C sort | says 'leaf /src/a b.c 7' 'middle /src/a b.c 12'
}

@test "dtrace: brief and truncated stacks of SystemTap" {
	folds dtrace 'sys_read;do_read 3' <<-'E'
	do_read+0x1
	sys_read+0x2
		3
	E
	printf 'do_read+0x1\n' >"$t/cut"
	refuses 1 'expected stacks, and a count after each' -f dtrace -t json \
		"$t/cut"
}

@test "dtrace, bpftrace: addresses without names are named by --exe or counted" {
	printf '  prog`0x401198\n  prog`main\n  0x9999\n  1\n\n' >"$t/in.dtrace"
	printf '@[\n    401198 0x401198 (/x/prog)\n    7f [unknown] (/x/l.so)\n]: 1\n' \
		>"$t/in.bpftrace"
	for in in dtrace bpftrace; do
		"$CGCONV" -t folded "$t/in.$in" 2>"$t/err" >/dev/null
		grep 'warning: addresses without a name: 2; give ' "$t/err"
		"$CGCONV" -t folded --exe samples/gprof/cycles/prog \
			"$t/in.$in" 2>"$t/err" | grep ';burn 1$'
		grep 'warning: addresses without a name: 1' "$t/err"
	done
}

@test "macos-sample, xctrace, massif, dhat: addresses without names are counted" {
	while read -r count file; do
		"$CGCONV" -t json "$file" 2>"$t/err" >/dev/null
		grep "warning: addresses without a name: $count" "$t/err"
	done <<-END
		1 samples/macos-sample/threads/app.sample.txt
		1 samples/xctrace/rows/export.xml
		2 samples/massif/names/massif.out
		2 samples/dhat/names/dhat.out
	END
	sed 's,<fn>.*</fn>,,' samples/valgrind-xml/leaks/leaks.xml >"$t/in.xml"
	"$CGCONV" -t json "$t/in.xml" 2>&1 >/dev/null |
		grep 'warning: addresses without a name: [0-9]*'
}

@test "macos-sample: self is what callees leave, threads and lines are known" {
	file=samples/macos-sample/threads/app.sample.txt
	"$CGCONV" -t folded $file | same - <(printf '%s\n' \
		'app;start;[app] 10' 'app;start;main 5' \
		'app;start;main;-[App run:] 60' 'app;start;main;main 25' \
		'app;thread_start 100')
	"$CGCONV" -q -t folded --root-by tid $file | grep -c '^tid=7001;' |
		grep -x 4
	"$CGCONV" -q -t json $file >"$t/json"
	grep -F '["file",1,"main.c"]' "$t/json"
	grep -F '["thread","worker"],["pid","",4711],["tid","",7002]]' "$t/json"
	sed 's/! 60 /! 99 /' $file >"$t/more"
	refuses 1 'expected no more samples than its caller has left' -t json \
		"$t/more"
	sed '/^Call graph/,$d' $file >"$t/none"
	refuses 1 'expected "Call graph:" and its threads' -t json "$t/none"
	# The name of the process is missing: its blank is that before "(pid".
	sed 's/^Analysis of sampling .*(pid/Analysis of sampling (pid/' $file \
		>"$t/nameless"
	grep -q '^Analysis of sampling (pid' "$t/nameless"
	"$CGCONV" -q -t folded "$t/nameless" | grep -c . | grep -x 5
}
