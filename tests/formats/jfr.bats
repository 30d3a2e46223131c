# jfr.bats - recordings of Java's Flight Recorder. tests/formats/jfr.pl writes
# small ones; that in samples/ is of a real program.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

# recording KEY=VALUE...: writes one to $t/r.jfr
recording()
{
	perl tests/formats/jfr.pl "$@" >"$t/r.jfr"
}

# json KEY=VALUE...: converts one
json()
{
	recording "$@"
	"$CGCONV" -q -t json "$t/r.jfr"
}

@test "jfr: stacks, threads, classes and costs equal those of jfr print" {
	"$CGCONV" -q -t json samples/jfr/work/work.jfr.gz |
		perl tests/oracle/jfr.pl >"$t/got"
	same samples/jfr/work/print.txt "$t/got"
	[ "$(wc -l <"$t/got")" -gt 10 ]
}

@test "jfr: the installed jfr prints the same" {
	command -v jfr >/dev/null || skip "needs the jfr of a JDK"
	gunzip -c samples/jfr/work/work.jfr.gz >"$t/work.jfr"
	jfr print --json --stack-depth 64 "$t/work.jfr" >"$t/json"
	perl tests/oracle/jfr.pl "$t/json" >"$t/want"
	same samples/jfr/work/print.txt "$t/want"
}

@test "jfr: samples are of functions, lines, threads and times" {
	json >"$t/got"
	cat >"$t/want" <<-'E'
		["event",0,"ExecutionSample","Method Profiling Sample","","stated",false]
		["event",1,"ThreadPark","Java Thread Park","ns","stated",false]
		["function",1,"[unknown]",0,0]
		["function",2,"pkg.Prüfung.main",0,0,0,0,0,0,0,"pkg.Prüfung.main()V"]
		["function",3,"pkg.Prüfung.work",0,0,0,0,0,0,0,"pkg.Prüfung.work(I)V"]
		["function",4,"pkg.Prüfung.work",0,0,0,0,0,0,0,"pkg.Prüfung.work(Ljava/lang/String;)V"]
		["frame",1,0,1,0,0,0]
		["frame",2,0,2,0,33,0]
		["frame",3,2,4,0,22,0]
		["frame",4,3,3,0,11,0,true]
		["frame",5,0,3,0,11,0]
		["labels",1,["class","pkg.Lock[][]"],["thread","größe"],["pid","",4242],["tid","",71]]
		["labels",2,["state","STATE_RUNNABLE"],["thread","VM Thread"],["pid","",4242],["tid","",72]]
		["labels",3,["state","STATE_RUNNABLE"],["thread","größe"],["pid","",4242],["tid","",71]]
		["labels",4,["thread","thread 5"],["pid","",4242]]
		["part",4242,0,0,"pkg.Main größe"]
		["desc","JVM","Test VM"]
		["desc","Recording start","2023-11-14T22:13:20Z"]
		["stack",1,1,[1],4]
		["stack",4,1,[0,2500000000],1]
		["stack",4,1,[1],2]
		["stack",4,1,[1],3]
		["stack",5,1,[1],3]
		["total",[4,2500000000]]
		["track",4242,71,"größe","","ns",false,1699999999500000000,1700000001000000000]
		["moment",0,4,[0,2500000000]]
		["moment",500000000,4,[1]]
		["moment",1500000000,5,[1]]
		["track",4242,72,"VM Thread","","ns",false,1700000002000000000,1700000002000000000]
		["moment",0,4,[1]]
		["track",4242,0,"thread 5","","ns",false,1700000001500000000,1700000001500000000]
		["moment",0,1,[1]]
	E
	grep -v '^{\|^."end"' "$t/got" >"$t/rows"
	same "$t/want" "$t/rows"
}

@test "jfr: numbers and texts of all encodings, and JDK 9's names, are the same" {
	json >"$t/want"
	for args in plain=1 text=2 text=4 text=5 "plain=1 text=2" \
		"plain=1 text=4" old=1; do
		json $args >"$t/got"
		same "$t/want" "$t/got"
	done
}

@test "jfr: each chunk has classes and constants of its own" {
	recording
	"$CGCONV" -q -t folded "$t/r.jfr" >"$t/one"
	recording chunks=3
	"$CGCONV" -q -t folded "$t/r.jfr" >"$t/three"
	perl -pe 's/(\d+)$/3 * $1/e' "$t/one" | same - "$t/three"
	[ -s "$t/three" ]
}

@test "jfr: native code and the kernel of async-profiler have no class" {
	json async=1 >"$t/got"
	grep -q '"object",1,"\[kernel\]"' "$t/got"
	grep -q '"object",2,"libc.so"' "$t/got"
	grep -q '"function",[0-9]*,"a::b()",0,1,.*"_ZN1a1bEv"' "$t/got"
	grep -q '"function",[0-9]*,"a::b()",0,2,.*"_ZN1a1bEv"' "$t/got"
	# The JDK's Native is a method of Java.
	json | not grep -q object
}

@test "jfr: truncated stacks and what was freed are told" {
	recording
	"$CGCONV" -t folded "$t/r.jfr" 2>"$t/err" >/dev/null
	grep -q 'warning: 1 of 5 stacks are truncated' "$t/err"
	grep -q 'warning: events profiler.Free are dropped (1)' "$t/err"
	# 2^63 and above: no duration, but a clock that went back.
	recording weight=-5
	"$CGCONV" -t json "$t/r.jfr" 2>"$t/err" >"$t/got"
	grep -q 'warning: expected numbers that are not negative' "$t/err"
	grep -q '^\["total",\[4\(,0\)\?\]\]' "$t/got"
}

@test "jfr: recordings that are not finished are told, and what is whole is read" {
	recording size=0
	refuses 1 "expected a chunk that is finished" -t json "$t/r.jfr"
	recording pools=0
	refuses 1 "expected a chunk that is finished" -t json "$t/r.jfr"
	recording
	"$CGCONV" -q -t folded "$t/r.jfr" >"$t/one"
	recording state=1
	echo "what was not flushed" >>"$t/r.jfr"
	"$CGCONV" -t folded "$t/r.jfr" 2>"$t/err" >"$t/got"
	grep -q 'warning: the last chunk is not finished' "$t/err"
	same "$t/one" "$t/got"
	# A second chunk without its end.
	recording chunks=2 size=0
	not "$CGCONV" -o "$t/got" -t folded "$t/r.jfr" 2>"$t/err"
	grep -q "expected a chunk that is finished" "$t/err"
	same "$t/one" "$t/got"
}

@test "jfr: a file that is cut is an error" {
	recording
	size=$(wc -c <"$t/r.jfr")
	for ((i = 4; i < size; i += 1 + i / 15)); do
		head -c "$i" "$t/r.jfr" >"$t/cut.jfr"
		refuses 1 expected -t json "$t/cut.jfr"
	done
}

@test "jfr: rejects malformed files" {
	while IFS='|' read -r message args; do
		recording $args
		refuses 1 "expected $message" -t json "$t/r.jfr"
	done <<-'E'
		version 1 or 2|major=0
		version 1 or 2|major=3
		sizes and offsets|frequency=0
		sizes and offsets|pools=99999999
		sizes and offsets|metadata=99999999
		the whole chunk|size=4000000
		the metadata of the chunk|metadata=72
		a checkpoint of constants|pools=70
		a checkpoint of constants|delta=1
		a checkpoint of constants|delta=-1
		fields of known classes|fields=missing
		fewer levels of fields|fields=loop
		classes with fields|fields=empty
	E
	# No class has a field.
	recording
	perl -0pi -e 's/\x05field/\x05filed/' "$t/r.jfr"
	refuses 1 'expected classes with fields' -t json "$t/r.jfr"
}

@test "jfr: names and constants take no more than the size of the file allows" {
	recording methods=500
	[ "$("$CGCONV" -q -t json "$t/r.jfr" | grep -c '^."frame"')" -gt 500 ]
	# 2000 methods of a class whose name has 50 kB
	recording methods=2000 name=50000
	refuses 1 'expected shorter names' -t json "$t/r.jfr"
	recording texts=1100000
	refuses 1 'expected fewer constants' -t json "$t/r.jfr"
}

@test "jfr: a recording without samples is told" {
	perl tests/formats/jfr.pl >"$t/r.jfr"
	perl -0pi -e 's/ExecutionSample/ExecutionOther_/; s/ThreadPark/ThreadBark/' \
		"$t/r.jfr"
	"$CGCONV" -t json "$t/r.jfr" 2>&1 >"$t/got" |
		grep -q 'the recording has no samples of stacks'
}
