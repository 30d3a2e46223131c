# perf-script.bats - the text of perf script.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	fields=samples/perf-script/fields
}

# sample HEAD FRAME...: appends one to the input, as perf prints it.
sample()
{
	{
		printf '%s\n' "$1"
		shift
		for frame; do
			printf '\t%16s %s\n' "${frame%% *}" "${frame#* }"
		done
		echo
	} >>"$dir/in.perf"
}

# becomes LINE...: the input converts to these folded stacks without a warning.
becomes()
{
	"$CGCONV" -t folded --no-root-by "$dir/in.perf" >"$dir/out" \
		2>"$dir/err"
	printf '%s\n' "$@" >"$dir/want"
	same "$dir/want" "$dir/out"
	# Losses are reported.
	not grep -v -e 'folded cannot represent: ' -e 'addresses without a name: ' \
		"$dir/err"
}

# Events as JSON has them: name and unit.
events()
{
	"$CGCONV" -q -t json "${1:-$dir/in.perf}" |
		sed -n 's/^\["event",[0-9]*,"\(.*\)","","\(.*\)","stated".*/\1 \2/p'
}

# reads: a stack is read with any of these head lines.
reads()
{
	local event=$1

	shift
	for head; do
		rm -f "$dir/in.perf"
		sample "$head" "10 b+0x1 (/x)" "20 a (/x)"
		becomes "a;b $period"
		[ "$(events)" = "$event" ] || {
			echo "$head: $(events), not $event"
			return 1
		}
	done
}

@test "perf-script: samples match the golden files" {
	for file in $(samples perf-script); do
		golden "$file" json
	done
}

@test "perf-script: percentages equal those of perf report" {
	for event in cpu-clock page-faults; do
		"$CGCONV" -q --info --event "$event" --top 100 "$fields/header.perf" |
			perl -ne '/^ *[\d,]+ +([\d.]+)% +[\d,]+ +([\d.]+)% +\d+  (.*?)(?: \[|$)/
				and print "$3 $1 $2\n"' | sort -u >"$dir/got"
		perl -F'\|' -ne 'BEGIN { $want = shift } chomp;
			/event .(.*?).$/ and $on = $1 eq $want;
			my @f = split /\|/; next if !$on || @f < 4;
			s/^ +| +$|%//g for @f; $f[3] =~ s/^\[.\] //;
			print "$f[3] $f[0] $f[1]\n" if $f[3] !~ /^0x|Symbol/' \
			"$event" "$fields/report.txt" | sort -u >"$dir/want"
		[ -s "$dir/want" ]
		grep -v '^\[unknown\]' "$dir/got" >"$dir/known"
		same "$dir/want" "$dir/known"
	done
}

@test "perf-script: a recursive function is counted once per stack" {
	sample "prog 7/7 1.000001: 5 cycles: " "5 c (/x)" "4 a (/x)" \
		"3 b (/x)" "2 a (/x)" "1 main (/x)"
	sample "prog 7/7 1.000002: 5 cycles: " "2 a (/x)" "1 main (/x)"
	becomes 'main;a 5' 'main;a;b;a;c 5'
	"$CGCONV" -q --info "$dir/in.perf" | grep -qE ' 10 +100.00% +5 +50.00% +[0-9]+ +a'
}

@test "perf-script: reads any selection of fields" {
	period=7
	reads "cycles " \
		"prog 12/13 [003] 17.123456: 7 cycles: " \
		"prog 13 17.123456789:          7 cycles:" \
		"prog 17.123456: 7 cycles:" \
		"12 17.123456: 7 cycles:" \
		"prog 13 7 cycles:" \
		"prog 12/13 [003] 7 cycles:" \
		"FS Broker 5858  5791/5860 [000] 17.123456: 7 cycles: " \
		"17.123456: 7 cycles:"
	reads "cycles:u " "prog 13 17.123456: 7 cycles:u: "
	reads "cpu-clock:uhH ns" "prog 13 17.123456: 7 cpu-clock:uhH: "
	reads "task-clock ns" "prog 13 17.123456: 7 task-clock:"
	reads "period " "prog 13  7" "prog 12/13 17.123456: 7"
	period=1
	reads "samples:cycles " \
		"prog 12/13 [003] 17.123456: cycles: " \
		"prog 13 cycles:" "prog cycles: " "cycles:" "  cycles: " \
		"FS Broker 5858 cycles:"
	reads "samples " "prog 13" "prog 12/13 17.123456:" ":-1 -1/-1 17.1: "
	reads "samples:sched:sched_switch " \
		"prog 13 17.1: sched:sched_switch: prev_comm=a b prev_pid=7"
}

@test "perf-script: a command name may look like any other field" {
	period=7
	for comm in "weird: 1.5:" "perf 1/2" "FS Broker 58" "a;b (x)" "[003] 5" \
		"x 1.5: cycles:" "7 x"; do
		reads "cycles " "$comm 13 17.123456:    7 cycles: " \
			"$comm 12/13 [002] 17.123456789: 7 cycles: "
		[ "$("$CGCONV" -q -t json --part-by comm "$dir/in.perf" |
			grep '^."part"')" = "[\"part\",12,13,0,\"$comm\"]" ]
	done
}

@test "perf-script: without a call chain the frame is on the line of the sample" {
	printf '%16s %s\n' prog "12 17.1: 5 cycles:  ffffffff81 [unknown] ([unknown])" \
		prog "12 17.2: 5 cycles:          7f10 f(int)+0x4 (/x)" \
		"dd ee" "12 17.2: 5 cycles:          7f10 f(int)+0x4 (/x)" \
		>"$dir/in.perf"
	becomes '[unknown] 5' 'f(int) 10'
	# The text of a tracepoint is no frame if frames follow.
	rm "$dir/in.perf"
	sample "prog 12 17.1: ext4:x: ab is no frame" "10 b (/x)" "20 a (/x)"
	becomes 'a;b 1'
	rm "$dir/in.perf"
	printf 'prog 12 17.1: irq:x: vec=1\nprog 12 17.1: irq:x: vec=2\n' \
		>"$dir/in.perf"
	"$CGCONV" -f perf-script -t folded --no-root-by "$dir/in.perf" >"$dir/out"
	echo '[unknown] 2' | same - "$dir/out"
}

@test "perf-script: a frame follows the text of a tracepoint" {
	printf '%s\n' 'prog 12 [001] 17.1: sched:x: prev=add (x)  ffffffff81602a10 f(int)+0x12 (/x)' \
		'prog 12 [001] 17.1: sched:x: prev=add ab (/y)' >"$dir/in.perf"
	"$CGCONV" -f perf-script -t folded --no-root-by "$dir/in.perf" |
		says '[unknown] 1' 'f(int) 1'
}

@test "perf-script: a branch is a sample of its source" {
	branch='7 1.0: 1 branches:u:'
	printf '%s\n' "$branch   call          10 add (/x) =>       20 b+0x0 (/x)" \
		"$branch   tr end  async      20 b+0x1 (/x) =>  0 [unknown] ([unknown])" \
		"$branch   tr strt   0 [unknown] ([unknown]) =>     30 c(int)+0x4 (/x)" \
		>"$dir/in.perf"
	[ "$("$CGCONV" --detect "$dir/in.perf" | cut -f 2)" = perf-script ]
	"$CGCONV" -t folded --no-root-by "$dir/in.perf" 2>"$dir/err" |
		says 'add 1' 'b 1' 'c(int) 1'
	grep -q 'note: 3 branches are samples of their sources' "$dir/err"
}

@test "perf-script: flags of interrupts are not part of the command" {
	for flags in ..... d..1. dNh2 D.s.1; do
		rm -f "$dir/in.perf"
		sample "a prog 12/13 [002] $flags 17.123456: 7 cycles: " "10 b (/x)"
		"$CGCONV" -t folded "$dir/in.perf" | says 'a_prog;b 7'
	done
}

@test "perf-script: memory of a process is not the kernel" {
	sample "prog 12 17.1: 1 cycles:" "1 a ([vdso])" "2 b ([heap])" \
		"3 c ([stack])" "4 d ([anon:dalvik-x])" "5 e ([JIT app cache])" \
		"6 f ([kernel.kallsyms])" "7 g ([nf_conntrack])" "8 h ([vsyscall])"
	becomes 'h;g_[k];f_[k];e_[j];d;c;b;a 1'
}

@test "perf-script: frames without a head line are samples" {
	printf '\n\t%s\n\t%s\n\n\n\t%s\n\n' "10 b (/x)" "20 a (/x)" "20 a (/x)" \
		>"$dir/in.perf"
	becomes 'a 1' 'a;b 1'
	printf 'prog 1 cycles:\n%s\n%s\n\n' "10 b (/x)" "20 a (/x)" >"$dir/in.perf"
	becomes 'a;b 1'
}

@test "perf-script: keeps names with blanks and parentheses" {
	sample "prog 13 17.1: 1 cycles:" \
		"1 (anonymous namespace)::f(int) const+0x3e (/lib/x.so (deleted))" \
		"2 operator new(unsigned long)+0x1 (/x)" \
		"3 void g<std::function<void (int)> >(void (*)(int)) (/x)" \
		"4 (main) ([vdso])" \
		"5 Lfoo/Bar;::run(I)V ([kernel.kallsyms])"
	"$CGCONV" -q -t json "$dir/in.perf" >"$dir/out"
	for name in '(anonymous namespace)::f(int) const' \
		'operator new(unsigned long)' '(main)' 'foo.Bar.run' \
		'void g<std::function<void (int)> >(void (*)(int))'; do
		grep -qF "\"$name\"," "$dir/out"
	done
	grep '^\["object"' "$dir/out" >"$dir/objects"
	printf '["object",%s]\n' '1,"/lib/x.so (deleted)"' '2,"/x"' \
		'3,"[kernel.kallsyms]"' '4,"[vdso]"' >"$dir/want"
	same "$dir/want" "$dir/objects"
}

@test "perf-script: names of Java and mangled ones are those of the source" {
	sample 'java 1/1 1.0: 3 cycles:' \
		'10 Lio/netty/Loop;.run(I)V (/tmp/perf-1.map)' \
		'20 Lio/netty/Loop;::run (/tmp/perf-1.map)' \
		'30 _ZN3app4workEi (/bin/java)' '40 Lexer::next (/bin/java)'
	"$CGCONV" -q -t folded "$dir/in.perf" |
		same - <(echo 'java;Lexer::next;app::work(int);io.netty.Loop.run_[j];io.netty.Loop.run_[j] 3')
	"$CGCONV" -q -t folded --no-demangle --no-annotate "$dir/in.perf" \
		>"$dir/raw.folded"
	same "$dir/raw.folded" <(echo 'java;Lexer::next;_ZN3app4workEi;Lio/netty/Loop:::run;Lio/netty/Loop:.run(I)V 3')
	# In folded stacks the semicolon is a colon.
	"$CGCONV" -q -t folded "$dir/raw.folded" |
		same - <(echo 'java;Lexer::next;app::work(int);io.netty.Loop.run;io.netty.Loop.run 3')
	"$CGCONV" -q -t json --no-demangle "$dir/raw.folded" |
		grep -F '"_ZN3app4workEi"'
	# Whatever thread reads them, and in batches.
	for i in {1..300}; do cat "$dir/in.perf"; done >"$dir/many.perf"
	for j in 1 4; do
		"$CGCONV" -q -j$j -t json "$dir/many.perf" >"$dir/$j.cgj"
	done
	same "$dir/1.cgj" "$dir/4.cgj"
	"$CGCONV" -q -r -O "$dir/out" -t folded --no-demangle "$dir/in.perf"
	grep -q 'Lio/netty/Loop' "$(find "$dir/out" -name in.folded)"
}

@test "perf-script: reads names without objects, objects without names" {
	sample "cycles:" "1 f(int)" "2 operator()(int)+0x4" "3 [unknown]"
	becomes '[unknown];operator()(int);f(int) 1'
	rm "$dir/in.perf"
	sample "cycles:" "7fab (/lib/x.so)" "10 ([unknown])"
	"$CGCONV" -q -t folded --no-root-by "$dir/in.perf" >"$dir/out"
	echo '0x10;0x7fab 1' | same - "$dir/out"
}

@test "perf-script: does not detect prose" {
	printf 'Total: 5 files\nPassed: 3 tests\n' >"$dir/a"
	printf 'def f(): pass\ndef g(): pass\n' >"$dir/b"
	printf 'Note: add more (of it)\n\tface a book\n' >"$dir/c"
	printf '\tadd one\n\tbed two\n' >"$dir/d"
	for text in a b c d; do
		refuses 1 'unknown input format' "$dir/$text"
	done
	printf 'cycles: %16s main\n' 401136 >"$dir/e"
	"$CGCONV" -q -t folded --no-root-by "$dir/e" | grep -x 'main 1'
}

@test "perf-script: unknown frames keep their object" {
	sample "1 cycles:" "1 [unknown] (/usr/lib/libc.so.6)" \
		"2 [unknown] ([unknown])"
	becomes '[unknown];[libc.so.6] 1'
}

@test "perf-script: addresses without names are named by --exe or counted" {
	# Offsets in the file, as since Linux 5.17, or addresses that are fixed.
	exe=samples/gprof/cycles/prog
	sample "p 1 1.0: 3 cycles:" "401198 [unknown] (/x/prog)" \
		"1060 [unknown] (/x/prog)" "7f12 [unknown] ([unknown])"
	sample "p 1 1.0: 4 cycles:" "1198 [unknown] (/x/prog)"
	"$CGCONV" -t folded "$dir/in.perf" 2>&1 >/dev/null |
		grep 'warning: addresses without a name: 4; give /x/prog with --exe'
	"$CGCONV" -t folded --no-root-by --exe "$exe" "$dir/in.perf" \
		2>"$dir/err" >"$dir/out"
	says '[unknown];_start;burn 3' 'burn 4' <"$dir/out"
	grep 'warning: addresses without a name: 1; no symbols' "$dir/err"
	# Files of this machine may be others.
	sed "s,/x/prog,$PWD/$exe," "$dir/in.perf" >"$dir/here.perf"
	"$CGCONV" -t folded --no-root-by "$dir/here.perf" | grep -x '\[prog\] 4'
	# Where a position-independent one was mapped is not known.
	rm "$dir/in.perf"
	sample "p 1 1.0: 3 cycles:" "5555555551270 [unknown] (/x/prog)" \
		"1270 [unknown] (/x/prog)"
	"$CGCONV" -t folded --no-root-by --exe samples/gprof/calls/prog \
		"$dir/in.perf" | says 'heavy;[prog] 3'
	# The frame may be on the line of its sample.
	printf 'p 1 1.0: 3 cycles: 401198 [unknown] (/x/prog)\n' >"$dir/in.perf"
	"$CGCONV" -t folded --no-root-by --exe "$exe" "$dir/in.perf" | says 'burn 3'
}

@test "perf-script: each event is a column of its periods" {
	sample "prog 13 17.1:  100 cycles: " "1 f (/x)"
	sample "prog 13 17.1:    3 page-faults: " "1 f (/x)"
	sample "prog 13 17.1:   20 cycles: " "1 f (/x)"
	"$CGCONV" -q -t json "$dir/in.perf" >"$dir/out"
	grep -qx '\["total",\[120,3\]\]' "$dir/out"
	grep -qx '\["stack",1,3,\[120,3\],1\]' "$dir/out"
	[ "$(events | tr '\n' ,)" = "cycles ,page-faults ," ]
}

@test "perf-script: reads files and lines of -F srcline" {
	printf 'prog 1.5: 5 cycles:\n' >"$dir/in.perf"
	printf '\t%16s %s\n  %s\n' 10 "f+0x1 (/x)" "/src/a b.c:12" \
		20 "g (/x)" "??:0" 30 "h (/x)" ":0" \
		40 "k ([k])" "[k][ffff40]" 50 "main (/x)" "main.c:7" \
		>>"$dir/in.perf"
	echo >>"$dir/in.perf"
	"$CGCONV" -q -t folded --no-root-by "$dir/in.perf" >"$dir/out"
	echo 'main;k_[k];h;g;f 5' | same - "$dir/out"
	"$CGCONV" -q -t callgrind "$dir/in.perf" --no-spontaneous |
		perl tests/oracle/callgrind.pl - >"$dir/out"
	grep -qP '^self\t1\t/x\t/src/a b.c\tf\t/src/a b.c\t12\t0x0\tcycles=5' "$dir/out"
	grep -qP '^call\t1\t/x\tmain.c\tmain\tmain.c\t7\t' "$dir/out"
}

@test "perf-script: marks inlined frames, keeps their object" {
	# As perf prints it: all but the outermost of an address are inlined.
	sample "1 cycles:" "5 leaf (inlined)" "5 mid (inlined)" "5 f (/x)" \
		"9 mid (inlined)" "9 f (/x)" "10 main (/x)"
	becomes 'main;f;mid_[i];f;mid_[i];leaf_[i] 1'
	"$CGCONV" -q -t json "$dir/in.perf" | grep -q '"leaf",0,1\]'
	# perf 6.1 with addr2line: the innermost has the object.
	rm "$dir/in.perf"
	sample "1 cycles:" "5 f (/x)" "5 mid (inlined)" "9 f (/x)" "10 main (/x)"
	becomes 'main;f;mid;f_[i] 1'
	# The same address again and again is no inlining but recursion.
	rm "$dir/in.perf"
	sample "1 cycles:" "5 f (/x)" "5 f (/x)" "5 f (/x)" "10 main (/x)"
	becomes 'main;f;f;f 1'
	rm "$dir/in.perf"
	sample "1 cycles:" "5 g (inlined)" "5 f (/x)" "5 g (inlined)" "5 f (/x)"
	becomes 'f;g_[i];f;g_[i] 1'
	# A single one is another name of the function.
	rm "$dir/in.perf"
	sample "1 cycles:" "5 impl (inlined)" "10 main (/x)"
	becomes 'main;impl 1'
}

@test "perf-script: inlined frames are the same with and without lines" {
	for file in inlined srcline; do
		"$CGCONV" -q -t folded --no-root-by samples/perf-script/inlined/$file.perf \
			>"$dir/$file"
	done
	same "$dir/inlined" "$dir/srcline"
	grep -q '_\[i\]' "$dir/inlined"
}

@test "perf-script: keeps addresses on request" {
	sample "1 cycles:" "1a f (/x)" "2b main (/x)"
	sample "1 cycles:" "1c f (/x)" "2b main (/x)"
	"$CGCONV" -q -t json "$dir/in.perf" | grep -c '^\["frame"' | grep -qx 2
	"$CGCONV" -q -t json --addresses "$dir/in.perf" >"$dir/out"
	grep -c '^\["frame"' "$dir/out" | grep -qx 3
	grep -qx '\["frame",2,1,1,0,0,26\]' "$dir/out"
}

@test "perf-script: processes and threads become parts on request" {
	sample "a b 10/11 1.1: 1 cycles:" "1 f (/x)"
	sample "a b 10/12 1.2: 2 cycles:" "1 f (/x)"
	sample "c 20/20 1.3: 4 cycles:" "1 f (/x)"
	for by in "comm 3 4" "pid 3 4" "tid 1 2 4"; do
		"$CGCONV" -q -t json --part-by "${by%% *}" "$dir/in.perf" |
			sed -n 's/^\["total",\[\(.*\)\]\]/\1/p' | tr '\n' ' ' |
			grep -qx "${by#* } "
	done
	"$CGCONV" -q -t json --part-by tid "$dir/in.perf" |
		grep -qx '\["part",10,12,.*"a b"\]'
	"$CGCONV" -q -t json "$dir/in.perf" | grep -c '^\["part"' | grep -qx 1
}

@test "perf-script: a process is named only if all samples are of it" {
	sample "prog 10/11 1.1: 1 cycles:" "1 f (/x)"
	sample "prog 10/11 1.2: 2 cycles:" "1 f (/x)"
	part()
	{
		"$CGCONV" -q -t "$1" -o "$dir/out.$1" "$dir/in.perf"
		"$CGCONV" -q -t json "$dir/out.$1" | grep '^\["part"'
	}
	for to in json callgrind speedscope pprof; do
		part "$to" | grep -qx '\["part",10,11,0,"prog"\]'
	done
	sample "sshd 20/20 1.3: 4 cycles:" "1 f (/x)"
	for to in json callgrind speedscope pprof; do
		part "$to" | not grep -v '^\["part",0,0,0,""\]$'
	done
	# A thread is a profile of its own.
	"$CGCONV" -q -t speedscope "$dir/in.perf" >"$dir/threads"
	grep -qF '"name":"cycles of prog, thread 11",' "$dir/threads"
	grep -qF '"name":"cycles of sshd, thread 20",' "$dir/threads"
	# The idle task has the number 0.
	rm "$dir/in.perf"
	sample "swapper 0/0 1.1: 1 cycles:" "1 f (/x)"
	sample "prog 10/11 1.2: 2 cycles:" "1 f (/x)"
	part json | grep -qx '\["part",0,0,0,""\]'
}

@test "perf-script: merging keeps a name that all samples share" {
	sample "prog 10/10 1.1: 1 cycles:" "1 f (/x)"
	mv "$dir/in.perf" "$dir/a.perf"
	sample "prog 20/20 1.1: 1 cycles:" "1 f (/x)"
	mv "$dir/in.perf" "$dir/b.perf"
	sample "prog 10/10 1.1: 1 cycles:" "1 f (/x)"
	sample "sshd 30/30 1.3: 4 cycles:" "1 f (/x)"
	mv "$dir/in.perf" "$dir/two.perf"
	echo 'f 2' >"$dir/c.folded"
	merged()
	{
		(cd "$dir" && "$CGCONV" -q -t json "$@") | grep '^\["part"'
	}
	merged a.perf b.perf | grep -qx '\["part",0,0,0,"prog"\]'
	for other in two.perf c.folded; do
		merged a.perf $other | grep -qx '\["part",0,0,0,""\]'
		merged $other a.perf | grep -qx '\["part",0,0,0,""\]'
	done
	merged --part-by pid two.perf b.perf >"$dir/got"
	printf '["part",%s,0,"%s"]\n' 10,10 prog 30,30 sshd 20,20 prog |
		same - "$dir/got"
}

@test "perf-script: keeps the header of --header" {
	"$CGCONV" -q -t json "$fields/header.perf" >"$dir/out"
	grep -q '^\["desc","cmdline","/usr/bin/perf record ' "$dir/out"
	grep -q '^\["desc","perf version","6.1' "$dir/out"
}

@test "perf-script: skips records that are no samples" {
	{
		echo "prog 1 1.0: PERF_RECORD_COMM exec: prog:1/1"
		echo "prog 1 1.0: PERF_RECORD_MMAP2 1/1: [0x1(0x1) @ 0 0]: r-xp /x"
	} >"$dir/in.perf"
	sample "prog 1 1.1: 5 cycles:" "1 f (/x)"
	"$CGCONV" -f perf-script -t folded --no-root-by "$dir/in.perf" >"$dir/out" \
		2>"$dir/err"
	echo 'f 5' | same - "$dir/out"
	not grep -v 'folded cannot represent: ' "$dir/err"
	"$CGCONV" --detect "$dir/in.perf" | grep -q perf-script
	echo "prog 1 1.2: PERF_RECORD_LOST lost 7" >>"$dir/in.perf"
	"$CGCONV" -f perf-script -t folded --no-root-by "$dir/in.perf" 2>&1 >"$dir/out" |
		grep 'in.perf:6:.* warning: perf lost samples while recording'
}

@test "perf-script: other lines are skipped with a warning" {
	sample "prog 1 1.1: 5 cycles:" "1 f (/x)" "THIS_IS_A_WEIRD_LINE"
	"$CGCONV" -t folded --no-root-by "$dir/in.perf" 2>"$dir/err" >"$dir/out"
	echo 'f 5' | same - "$dir/out"
	grep -q 'in.perf:3:1: warning: expected a sample of perf script or a' \
		"$dir/err"
	echo "nothing at all" >"$dir/in.perf"
	refuses 1 "expected samples of perf script" -f perf-script \
		"$dir/in.perf"
}

@test "perf-script: warns of a file that ends within a stack" {
	sample "prog 1 1.1: 5 cycles:" "1 f (/x)"
	head -n -1 "$dir/in.perf" >"$dir/cut.perf"
	"$CGCONV" -t folded --no-root-by "$dir/cut.perf" 2>"$dir/err" >"$dir/out"
	echo 'f 5' | same - "$dir/out"
	grep -q "cut.perf:2: warning: expected an empty line at the end" \
		"$dir/err"
}

@test "perf-script: reads CR LF and copies without leading blanks" {
	sample "prog 1 1.1: 5 cycles:" "1 f (/x)" "2 main (/x)"
	sed -i 's/$/\r/' "$dir/in.perf"
	becomes 'main;f 5'
	sed -i 's/^[ \t]*/    /' "$dir/in.perf"
	sed -i '1s/^ *//' "$dir/in.perf"
	becomes 'main;f 5'
}

@test "perf-script: reads stacks of any depth, names of any length" {
	perl -e 'print "prog 1 1.1: 5 cycles:\n", "\t1 f (/x)\n" x 200000,
		"\t2 ", "x" x 1000000, " (/x)\n\n"' >"$dir/in.perf"
	"$CGCONV" -t folded --no-root-by "$dir/in.perf" >"$dir/out"
	[ "$(wc -c <"$dir/out")" -eq $((1000000 + 200000 * 2 + 3)) ]
}

@test "perf-script: reads periods up to 2^64-1, rejects larger ones" {
	sample "p 1 1.1: 18446744073709551615 cycles:" "1 f (/x)"
	becomes 'f 18446744073709551615'
	sample "p 1 1.1: 1 cycles:" "1 f (/x)"
	refuses 1 "the sum of costs exceeds 64 bits" "$dir/in.perf"
}

@test "perf-script: a disassembly is no samples" {
	{
		printf ' 401000:\t\t\t\t\tf3 0f 1e fa          \tendbr64\n'
		printf '4294544  418790:\t%40s f3 0f 1e fa  \tendbr64\n'
		printf '4294548  418794:\t%40s 55           \tpush   %%rbp\n'
	} >"$dir/dis"
	"$CGCONV" --detect "$dir/dis" | grep -q '	-	-	0$'
	sed 1d "$dir/dis" >"$dir/in"
	"$CGCONV" --detect "$dir/in" | grep -q '	-	-	0$'
}

@test "perf-script: stacks that the target lacks become calls while they are read" {
	awk 'BEGIN {
		for (i = 0; i < 30000; i++) {
			printf "prog %d/%d %d.000000: %d cycles:\n", 1, i % 8, i, i % 9 + 1
			for (n = 0; n < 6; n++)
				printf "\t%x h%d (p)\n", 9 * i + n, n ? (i + n) % 50 : i
			for (n = i; n > 0; n = int(n / 15))
				printf "\t%x f%d (/bin/p)\n\t%x g%d (/bin/q)\n  g.c:%d\n",
				    4096 + n, n % 99, 8192 + n, n % 4, n % 8 + 1
			printf "\t1000 main (/bin/p)\n\n"
		}
	}' >"$BATS_TEST_TMPDIR/in"
	cd "$BATS_TEST_TMPDIR"
	"$CGCONV" -q -f perf-script -t json in >whole.json
	for to in callgrind csv dot; do
		"$CGCONV" -q -t $to whole.json >want
		"$CGCONV" -q -f perf-script -t $to in >out
		same want out
	done
	# Each sample stays in its part; --verbose, which tells what is lost, needs
	# all stacks at once.
	"$CGCONV" -v -f perf-script --part-by tid -t callgrind in >want 2>err
	[ "$(grep -c ^part: want)" -eq 8 ]
	"$CGCONV" -q -f perf-script --part-by tid -t callgrind in >out
	same want out
}
