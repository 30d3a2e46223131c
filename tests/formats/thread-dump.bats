# thread-dump.bats - dumps of threads' stacks by gdb, eu-stack, jstack and Python.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	dumps=samples/thread-dump
}

# folded FILE [OPTION...]: stacks without marks, sorted.
folded()
{
	"$CGCONV" -q -t folded --no-annotate "${@:2}" "$1" | LC_ALL=C sort
}

# places FILE: the base name, line and inlining of each frame that has a line.
places()
{
	"$CGCONV" -q -t json "$1" | perl -MJSON::PP -ne '
		next unless ref($_ = decode_json($_)) eq "ARRAY";
		$file[$_->[1]] = $_->[2] =~ s|.*/||r if $_->[0] eq "file";
		print "$file[$_->[4]]:$_->[5]", $_->[7] ? " inlined" : "", "\n"
			if $_->[0] eq "frame" && $_->[5] > 0' | LC_ALL=C sort -u
}

@test "thread-dump: eu-stack's frames are those that it prints" {
	sed '/^#0 .* - /Q' $dumps/eu-stack/waits.eu-stack >"$dir/plain"
	sed -i '$d' "$dir/plain"
	[ "$(grep -c '^TID' "$dir/plain")" = 6 ]
	perl -lne 'sub end { $sum{join ";", reverse @f}++ if @f; @f = () }
		/^[PT]ID/ ? end() : /^#\d+ +0x\w+ (.+)/ && push @f, $1;
		END { end(); print "$_ $sum{$_}" for keys %sum }' "$dir/plain" |
		LC_ALL=C sort >"$dir/want"
	[ "$(wc -l <"$dir/want")" = 2 ]
	folded "$dir/plain" | same "$dir/want" -
}

@test "thread-dump: gdb and eu-stack agree on lines and inlined code" {
	# gdb shows no callers of main, eu-stack not a function that ends in a
	# jump.
	places $dumps/gdb/waits.gdb >"$dir/gdb"
	places $dumps/eu-stack/waits.eu-stack >"$dir/eu"
	[ "$(grep -c inlined "$dir/gdb")" = 6 ]
	LC_ALL=C comm -3 "$dir/gdb" "$dir/eu" | says 'futex-internal.c:139' \
		'	libc-start.c:360' '	libc_start_call_main.h:58'
}

@test "thread-dump: gdb's threads have names and ids, its frames whole names" {
	"$CGCONV" -q -t json $dumps/gdb/waits.gdb >"$dir/json"
	grep -qF '["thread","it'"'"'s \"2\""],["tid","",29185]' "$dir/json"
	grep -qF '"std::function<bool (int)>::operator()(int) const"' "$dir/json"
	grep -qF '"box<int>::operator<"' "$dir/json"
	folded $dumps/gdb/waits.gdb |
		awk '{ n += $NF; f += $NF * split($0, frame, ";") }
			END { print n, f }' |
		says "$(grep -c '^Thread' $dumps/gdb/waits.gdb) $(
			grep -c '^#' $dumps/gdb/waits.gdb
		)"
}

@test "thread-dump: gdb's arguments, places and broken lines" {
	cat >"$dir/in" <<'E'
#0  0x1 in stop () at a.c:44
44	a.c: No such file or directory.

(gdb) Thread 12 (LWP 77 of process 9 "a) at x.c:1"):
#0  operator<< <char> (c=41 ')', s=0x5 "\") at b.c:1 (\\") at /a b/c.c:7
#1  0x2 in core::ops::Fn::call<fn() -> i32, (i32)> (x=<error: can't read>) from /lib/x.so
#2  0x3 in very::long<int> (first=1,
    second=2) at
    d.c:9
        local = {1,
            2}
#3  0x4 in ns::get (x="it") at e.c
#4  0x5 in ?? () from /lib/y.so
#5  0x0 in -[App run:] ()
(More stack frames follow...)
#0  poll () at p.c:1
#1  0x8 in std::swap(void (*)(int) const&) () at p.c:2
#2  0x9 in Worker::wait(int) from /lib/z.so
Backtrace stopped: previous frame inner to this frame (corrupt stack?)
E
	folded "$dir/in" | says \
		'Worker::wait(int);std::swap(void (*)(int) const&);poll 1' \
		'[frames elided];-[App run:];[y.so];ns::get;very::long<int>;core::ops::Fn::call<fn() -> i32, (i32)>;operator<< <char> 1'
	places "$dir/in" | says 'c.c:7' 'd.c:9' 'p.c:1' 'p.c:2'
	"$CGCONV" -q -t json "$dir/in" >"$dir/json"
	grep -qF '["thread","a) at x.c:1"],["pid","",9],["tid","",77]' "$dir/json"
	grep -qF '"/lib/x.so"' "$dir/json"
	grep -qF '"/lib/y.so"' "$dir/json"
	grep -qF '"/lib/z.so"' "$dir/json"
}

@test "thread-dump: jstack's states are labels, locks and deadlocks no frames" {
	file=$dumps/jstack/waits.jstack
	"$CGCONV" -q -t json $file | perl -MJSON::PP -ne '
		next unless ref($_ = decode_json($_)) eq "ARRAY";
		if ($_->[0] eq "labels") {
			my ($state) = grep { ref && $_->[0] eq "state" } @$_;
			$state[$_->[1]] = $state->[1] if $state;
		}
		$sum{$state[$_->[4]] // "none"} += $_->[2] if $_->[0] eq "stack";
		END { print "$sum{$_} $_\n" for sort keys %sum }' >"$dir/got"
	{
		grep -o 'Thread.State: .*' $file | cut -d ' ' -f 2-
		sed -n 's/^"VM.*/none/p' $file
	} | LC_ALL=C sort | uniq -c | sed 's/^ *//' | same - "$dir/got"
	[ "$(wc -l <"$dir/got")" = 7 ]
	folded $file --label 'state=^RUNNABLE' --root-by label:thread |
		grep '^spinner;' | sed 's/0x[0-9a-f]*/0x/g' |
		says 'spinner;java.lang.Thread.run;Waits$$Lambda$2/0x.run;Waits.lambda$start$0;Waits.descend;Waits.descend;Waits.descend;Waits$$Lambda$5/0x.run;Waits.lambda$main$4 2'
	# The stacks of a deadlock are those of the threads once more.
	folded $file >"$dir/want"
	{
		cat $file
		printf '%s\n' 'Found one Java-level deadlock:' '"spinner":' '' \
			'"spinner":' '	at A.b(A.java:1)' '	- locked <0x1> (a B)'
	} >"$dir/in"
	folded "$dir/in" | same "$dir/want" -
}

@test "thread-dump: jhsdb's stacks are those of jstack" {
	for file in $dumps/jhsdb/waits.jhsdb $dumps/jstack/waits.jstack; do
		awk '/^Full/ && ++n == 2 { exit } 1' $file >"$dir/in"
		folded "$dir/in" | grep -v 'no frames' |
			sed 's/\(Lambda$[0-9]*\)[^.]*/\1/g' >"$dir/${file##*.}"
	done
	[ "$(wc -l <"$dir/jstack")" = 9 ]
	same "$dir/jhsdb" "$dir/jstack"
}

@test "thread-dump: newer and forced dumps of Java" {
	cat >"$dir/in" <<'E'
4711:
2026-11-28 23:55:13
Full thread dump OpenJDK 64-Bit Server VM (21.0.1 mixed mode):

"a" b" #22 [6370] daemon prio=5 os_prio=0 cpu=1ms tid=0x7f24 runnable  [0x7f]
   Carrying virtual thread #21
   java.lang.Thread.State: RUNNABLE
	at a.B.c(app//java.base@21/B.java:12)
	at a.B$D.<init>(B.java)
	...

Thread 33: (state = BLOCKED)
 - a.B.c(java.lang.String, int) @bci=3, line=9 (Compiled frame; information may be imprecise)
 - a.B.main() @bci=0 (Interpreted frame)

"GC Thread#0" os_prio=0 cpu=1ms elapsed=1s tid=0x7f nid=77 runnable  
E
	folded "$dir/in" | says '[frames elided];a.B$D.<init>;a.B.c 1' \
		'[no frames] 1' 'a.B.main;a.B.c 1'
	"$CGCONV" -q -t json "$dir/in" >"$dir/json"
	grep -qF '["state","RUNNABLE"],["thread","a\" b"],["pid","",4711],["tid","",6370]' \
		"$dir/json"
	grep -qF '["state","BLOCKED"],["pid","",4711],["tid","",33]' "$dir/json"
	places "$dir/in" | says ':9' 'B.java:12'
}

@test "thread-dump: faulthandler's dumps, also newer ones" {
	file=$dumps/faulthandler/waits.faulthandler
	perl -lne 'sub end { $sum{join ";", reverse @f}++ if @f; @f = () }
		/^  File "[^"]*", line \d+ in (.*)/ ? push @f, $1 : end();
		END { end(); print "$_ $sum{$_}" for keys %sum }' $file |
		LC_ALL=C sort >"$dir/want"
	[ "$(wc -l <"$dir/want")" = 4 ]
	folded $file | same "$dir/want" -
	folded $file --label state=current | says '<module>;main;<lambda> 1'
	cat >"$dir/in" <<'E'
Fatal Python error: Aborted

Current thread 0x00007f01 [Thread-1 (run)] (most recent call first):
  Garbage-collecting
  File "/a, line 9.py", line 3 in f
  File ???, line ??? in ???
  ...

Thread 0x00007f02 (most recent call first):
  <no Python frame>

Current thread's C stack trace (most recent call first):
  Binary file "/lib/libpython3.14.so", at _Py_DumpStack+0x3c [0x7f]
  <truncated rest of calls>
E
	folded "$dir/in" | says '[frames elided];???;f 1' '[no frames] 1'
	"$CGCONV" -q -t json "$dir/in" >"$dir/json"
	grep -qF '["state","garbage-collecting"],["thread","Thread-1 (run)"]' \
		"$dir/json"
	grep -qF '"/a, line 9.py"' "$dir/json"
}

@test "thread-dump: dumps of several tools are one profile" {
	cat $dumps/*/waits.* >"$dir/in"
	for file in $dumps/*/waits.*; do
		folded $file
	done | awk '{ n += $NF } END { print n }' >"$dir/want"
	folded "$dir/in" | awk '{ n += $NF } END { print n }' |
		same "$dir/want" -
}

@test "thread-dump: truncated dumps are told, other texts are not claimed" {
	printf 'TID 12:\n' >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'the last stack is incomplete'
	printf 'TID 12:\n#0  0x1 main' >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'the last stack is incomplete'
	printf 'Exception in thread "main" X\n\tat A.b(A.java:1)\n' >"$dir/in"
	refuses 1 'unknown input format' -t json "$dir/in"
	refuses 1 'expected stacks of threads' -f thread-dump -t json "$dir/in"
}

@test "thread-dump: names of functions may begin with any character" {
	printf '#0  >x (a=1) at a.c:3\n#1  main () at a.c:4\n' >"$dir/in"
	folded "$dir/in" | says 'main;>x 1'
}
