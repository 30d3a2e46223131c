# perfetto.bats - traces of Perfetto: samples of profilers, allocations, events
# of tracks, clocks, sequences, malformed files.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# Encodes standard input, the text of a message, to $dir/in.pftrace.
message()
{
	perl tests/oracle/proto.pl >"$dir/in.pftrace"
}

# Prints the records of $dir/in.pftrace, or of another file, with those names.
records()
{
	"$CGCONV" -q -t json "${2:-$dir/in.pftrace}" | grep -E "^.\"($1)\""
}

# A begin of a sequence with names 1 and 2 of events; 60 describes thread 8 of
# process 7 as track 5, the default of the sequence.
begin='1 { 10: 1 13: 1 59 { 11 { 11: 5 } } 12 { 2 { 1: 1 2: "outer" } 2 { 1: 2 2: "inner" } } }
	1 { 10: 1 60 { 1: 5 4 { 1: 7 2: 8 5: "worker" } } }'

# Prints the message of an event of that sequence: event TIME FIELDS.
event()
{
	echo "1 { 10: 1 13: 2 8: $1 11 { $2 } }"
}

@test "perfetto: reads samples of perf, with the counts between them" {
	records 'event|frame|stack|total|track|moment|part' \
		samples/perfetto/perf/trace.pftrace >"$dir/got"
	# Counters count on each CPU since the begin; trace_processor's table
	# counter has the values, 30500000 and 30000000 at last.
	same "$dir/got" - <<-'E'
	["event",0,"cpu-clock","","ns","stated",false]
	["event",1,"page-faults","","","stated",false]
	["event",2,"samples","","","stated",false]
	["frame",1,0,1,0,0,0]
	["frame",2,0,3,1,12,4352]
	["frame",3,2,4,1,25,4480]
	["frame",4,3,2,0,0,4660]
	["frame",5,2,5,0,0,64]
	["part",400,0,0,"/usr/bin/shop"]
	["stack",1,1,[20000000,2,1],2]
	["stack",3,1,[10000000,3,1],1]
	["stack",4,2,[20500000,1,2],1]
	["stack",5,1,[10000000,7,1],2]
	["total",[60500000,13,5]]
	["track",400,400,"shop","/usr/bin/shop","ns",false,5010000000,5030000000]
	["moment",0,3,[10000000,3,1]]
	["moment",10000000,4,[10000000,0,1]]
	["moment",20000000,4,[10500000,1,1]]
	["track",400,401,"till","/usr/bin/shop","ns",false,5020500000,5040500000]
	["moment",0,5,[10000000,7,1]]
	["moment",20000000,1,[20000000,2,1]]
	E
	"$CGCONV" -t json -o "$dir/out" samples/perfetto/perf/trace.pftrace \
		2>"$dir/err"
	grep 'note: packets that are not converted: 1 sys_stats' "$dir/err"
	grep 'note: samples without a stack: 1' "$dir/err"
	grep 'warning: records that the kernel lost: 5' "$dir/err"
}

@test "perfetto: samples have the name of their thread, and the CPU" {
	"$CGCONV" -q --root-by tid -t folded --event samples \
		samples/perfetto/perf/trace.pftrace |
		grep -Fx 'tid=401;main;do_page_fault_[k] 1'
	"$CGCONV" -q --part-by cpu -t json samples/perfetto/perf/trace.pftrace |
		grep -c '^\["part"' | grep -x 2
}

@test "perfetto: the kernel's frames are known as such" {
	records object samples/perfetto/perf/trace.pftrace >"$dir/got"
	same "$dir/got" - <<-'E'
	["object",1,"/usr/bin/shop"]
	["object",2,"[kernel]"]
	E
	"$CGCONV" -q -t perfetto -o "$dir/x.pftrace" \
		samples/perfetto/perf/trace.pftrace
	records object "$dir/x.pftrace" | grep -F '"[kernel]"'
	grep -a -c 'kernel' "$dir/x.pftrace" | grep -x 1
	not grep -a -F '[kernel]' "$dir/x.pftrace"
}

@test "perfetto: the last dump of a heap counts, symbols may follow" {
	records 'event|frame|stack|function' \
		samples/perfetto/heap/trace.pftrace >"$dir/got"
	same "$dir/got" - <<-'E'
	["event",0,"inuse_objects","","","stated",false]
	["event",1,"inuse_space","","bytes","stated",false]
	["event",2,"alloc_objects","","","stated",false]
	["event",3,"alloc_space","","bytes","stated",false]
	["function",1,"insert",0,1]
	["function",2,"main",0,1]
	["function",3,"grow",1,1]
	["function",4,"rehash",1,1]
	["frame",1,0,2,0,0,4112]
	["frame",2,1,1,0,0,8224]
	["frame",3,2,3,1,140,12336]
	["frame",4,3,4,1,88,12336,true]
	["stack",2,10,[7,28672,10,40960],1]
	["stack",4,1,[1,65536,1,65536],1]
	E
}

# The numbers of trace_processor for its test traces of the same shapes, see
# tests_heap_profiling.py there: sums of size and count, at most or at the end.
@test "perfetto: heaps at their peak, and several dumps" {
	tables='1 { 1: 1 2: "f" } 1 { 1: 2 2: "l" } 4 { 1: 1 7: 2 }
		2 { 1: 1 2: 1 3: 1 4: 16 } 2 { 1: 2 2: 1 3: 1 4: 32 }
		3 { 1: 1 2: 1 } 3 { 1: 2 2: 2 }'
	# At the peak: the number counts only if the interval is stated.
	for interval in '' '13: 1024'; do
		message <<<"1 { 8: 1 10: 9 13: 1 37 { $tables
			5 { 1: 2 $interval 2 { 1: 1 8: 1000 9: 6 } 2 { 1: 2 8: 90 9: 1 } } } }"
		records total
	done >"$dir/got"
	same "$dir/got" - <<-'E'
	["total",[0,1090,0,1090]]
	["total",[7,1090,7,1090]]
	E
	# heap_profile_window_frees: 1000 and 1000 allocated, all freed.
	message <<<"1 { 8: 1 10: 9 13: 1 37 { $tables
		5 { 1: 2 2 { 1: 1 2: 1000 5: 4 } }
		5 { 1: 2 2 { 1: 1 2: 1000 3: 1000 5: 4 6: 4 } 2 { 1: 2 2: 1000 5: 4 } }
		5 { 1: 2 2 { 1: 2 2: 1000 3: 1000 5: 4 6: 4 } } } }"
	records 'stack|total' >"$dir/got"
	same "$dir/got" - <<-'E'
	["stack",1,4,[0,0,4,1000],1]
	["stack",2,4,[0,0,4,1000],1]
	["total",[0,0,8,2000]]
	E
	# Sums cannot become less: that dump is damaged.
	message <<<"1 { 8: 1 10: 9 13: 1 37 { $tables
		5 { 1: 2 2 { 1: 1 2: 1000 5: 4 } } 5 { 1: 2 2 { 1: 1 2: 999 5: 4 } } } }"
	records total | grep -x '\["total",\[4,1000,4,1000\]\]'
	"$CGCONV" -t json -o "$dir/out" "$dir/in.pftrace" 2>&1 |
		grep 'dumps of heaps are damaged or incomplete: 1'
}

@test "perfetto: events begin and end calls, of threads and other tracks" {
	records 'event|call|stack|track|moment' \
		samples/perfetto/events/trace.pftrace >"$dir/got"
	# Times: 100 s + 1 ms + microseconds of the incremental clock; those of
	# old packets are 10 s earlier on CLOCK_MONOTONIC.
	same "$dir/got" - <<-'E'
	["event",0,"ns","","ns","stated",false]
	["event",1,"samples","","","stated",false]
	["call",0,0,0,2,0,0,1,[]]
	["call",0,0,0,4,0,0,1,[]]
	["call",0,0,0,5,0,0,1,[]]
	["call",0,0,0,1,0,0,1,[]]
	["call",0,0,0,3,0,0,2,[]]
	["stack",1,0,[175000],2]
	["stack",2,0,[25000],2]
	["stack",3,0,[40000],4]
	["stack",4,0,[50000],4]
	["stack",5,0,[500000],3]
	["stack",6,1,[0,1],1]
	["stack",7,2,[0,2],1]
	["track",900,901,"render","game","ns",true,100001010000,100001100000]
	["moment",0,3]
	["moment",5000,4]
	["moment",25000,3]
	["moment",40000,4]
	["moment",70000,3]
	["moment",90000,0]
	["track",900,0,"download","game","ns",true,100001100000,100001600000]
	["moment",0,5]
	["moment",500000,0]
	["track",700,701,"CrMain","Browser","ns",true,100000100000,100000300000]
	["moment",0,1]
	["moment",50000,2]
	["moment",75000,1]
	["moment",200000,0]
	["track",700,702,"Compositor","Browser","ns",false,100001100000,100001400000]
	["moment",0,6,[0,1]]
	["moment",200000,7,[0,1]]
	["moment",300000,7,[0,1]]
	E
	"$CGCONV" -t json -o "$dir/out" samples/perfetto/events/trace.pftrace \
		2>&1 | grep 'note: dropped instant events: 1'
}

# The times are those that a program over protoc's classes finds.
@test "perfetto: reads a recording of the SDK" {
	records 'call|stack|total|track' samples/perfetto/sdk/trace.pftrace \
		>"$dir/got"
	same "$dir/got" - <<-'E'
	["call",0,0,0,2,0,0,1,[]]
	["call",0,0,0,3,0,0,5,[]]
	["call",0,0,0,4,0,0,1,[]]
	["call",0,0,0,3,0,0,3,[]]
	["call",0,0,0,1,0,0,16,[]]
	["stack",1,0,[62291],1]
	["stack",2,0,[77090],1]
	["stack",3,0,[321354],1]
	["stack",4,0,[169590],2]
	["stack",5,0,[582978],2]
	["stack",6,0,[113369],3]
	["total",[1326672]]
	["track",29110,29110,"rec","shop","ns",true,18500450256153,18500450716888]
	["track",29110,0,"","shop","ns",true,18500450718164,18500450831533]
	["track",29110,29114,"till","shop","ns",true,18500452509360,18500453269013]
	E
}

@test "perfetto: an end ends the innermost call, or that of its name" {
	message <<<"$begin $(event 10 '9: 1 10: 1') $(event 20 '9: 1 10: 2')
		$(event 35 '9: 2') $(event 40 '9: 1 23: "own"') $(event 60 '9: 2 10: 1')"
	"$CGCONV" -q --root-by none -t folded "$dir/in.pftrace" |
		says 'outer 15' 'outer;inner 15' 'outer;own 20'
	records track | grep -F '["track",7,8,"worker","","ns",true,10,60]'
}

@test "perfetto: packets are skipped that need others which are missing" {
	# A packet is dropped; the tables are valid again once they are cleared.
	message <<<"$begin $(event 10 '9: 1 10: 1') $(event 30 '9: 2')
		1 { 10: 1 42: 1 13: 2 8: 40 11 { 9: 1 10: 1 } }
		$(event 50 '9: 2') ${begin//outer/again}
		$(event 60 '9: 1 10: 1') $(event 65 '9: 2')"
	records 'function|total' >"$dir/got"
	same "$dir/got" - <<-'E'
	["function",1,"again",0,0]
	["function",2,"outer",0,0]
	["total",[25]]
	E
	"$CGCONV" -t json -o "$dir/out" "$dir/in.pftrace" 2>"$dir/err"
	grep 'packets are skipped, as packets before them are missing: 2' "$dir/err"
	grep 'gaps where the recording lost packets: 1' "$dir/err"
	# Numbers that no table has.
	message <<<"$begin $(event 10 '9: 1 10: 99') $(event 30 '9: 2')"
	"$CGCONV" -t json -o "$dir/out" "$dir/in.pftrace" 2>&1 |
		grep 'numbers of texts, frames or stacks are not defined: 1'
}

@test "perfetto: tables with any numbers, and of several sequences" {
	# 5 is not the next number, 18446744073709551615 is the highest.
	message <<<'1 { 10: 1 13: 1 12 { 2 { 1: 5 2: "a" } 2 { 1: 1 2: "b" }
			2 { 1: 18446744073709551615 2: "c" } 2 { 1: 2 2: "d" } } }
		1 { 10: 2 13: 1 12 { 2 { 1: 5 2: "other" } } }
		1 { 10: 1 13: 2 8: 0 11 { 9: 1 10: 5 11: 1 } }
		1 { 10: 1 13: 2 8: 1 11 { 9: 1 10: 1 11: 1 } }
		1 { 10: 1 13: 2 8: 3 11 { 9: 1 10: 18446744073709551615 11: 1 } }
		1 { 10: 1 13: 2 8: 6 11 { 9: 1 10: 2 11: 1 } }
		1 { 10: 2 13: 2 8: 10 11 { 9: 1 10: 5 11: 1 } }
		1 { 10: 1 8: 15 11 { 9: 2 11: 1 } } 1 { 10: 1 8: 15 11 { 9: 2 11: 1 } }
		1 { 10: 1 8: 15 11 { 9: 2 11: 1 } } 1 { 10: 1 8: 15 11 { 9: 2 11: 1 } }
		1 { 10: 1 8: 15 11 { 9: 2 11: 1 } }'
	"$CGCONV" -q --root-by none -t folded "$dir/in.pftrace" |
		says 'a 1' 'a;b 2' 'a;b;c 3' 'a;b;c;d 4' 'a;b;c;d;other 5'
}

@test "perfetto: clocks are converted by the snapshots before" {
	# Clock 3 is 100 behind, from its time 1000 on 90.
	message <<<'1 { 10: 1 6 { 1 { 1: 6 2: 600 } 1 { 1: 3 2: 500 } } }
		1 { 10: 1 6 { 1 { 1: 6 2: 1090 } 1 { 1: 3 2: 1000 } } }
		1 { 10: 1 8: 700 58: 3 11 { 9: 1 11: 1 23: "a" } }
		1 { 10: 1 8: 1100 58: 3 11 { 9: 2 11: 1 } }
		1 { 10: 1 8: 1200 58: 6 11 { 9: 1 11: 1 23: "a" } }
		1 { 10: 1 8: 1205 11 { 9: 2 11: 1 } }'
	records 'track|moment' >"$dir/got"
	same "$dir/got" - <<-'E'
	["track",0,0,"","","ns",true,800,1205]
	["moment",0,1]
	["moment",390,0]
	["moment",400,1]
	["moment",405,0]
	E
	# The primary clock needs no snapshot, another one does.
	message <<<'1 { 10: 1 6 { 1 { 1: 3 2: 500 } 2: 3 } }
		1 { 10: 1 8: 7 58: 3 11 { 9: 1 11: 1 23: "a" } }
		1 { 10: 1 8: 9 58: 1 11 { 9: 2 11: 1 } }'
	records track | grep -F '"ns",true,7,9]'
	"$CGCONV" -t json -o "$dir/out" "$dir/in.pftrace" 2>&1 |
		grep 'times are kept as they are.*clock: 1'
}

@test "perfetto: stack samples: inline stacks, any counters" {
	message <<<'1 { 10: 1 13: 1 59 { 100 { 1: "x" 2 { 2: "wall" 3: 1 6: "Wall time" }
			3 { 2: "hits" 4: "things" } } } }
		1 { 10: 1 8: 5 135 { 1 { 2: 4 3: 5 } 3 { 2: 3 }
			5 { 1 { 1: "main" 2: "m.c" 3: 10 } 1 { 1: "f" } }
			11: 100 14: [7] } }
		1 { 10: 1 8: 6 135 { 1 { 2: 4 3: 5 } 5 { 1 { 1: "main" 2: "m.c" 3: 10 } }
			9 { 2: "bytes" 3: 4 } 11: 64 12 { 2: "wall" 3: 1 } 14: [3] } }
		1 { 10: 2 8: 7 135 { 5 { 1 { 1: "main" } } } }'
	records 'event|file|frame|stack' >"$dir/got"
	same "$dir/got" - <<-'E'
	["event",0,"wall","Wall time","ns","stated",false]
	["event",1,"hits","","things","stated",false]
	["event",2,"bytes","","bytes","stated",false]
	["event",3,"samples","","","stated",false]
	["file",1,"m.c"]
	["frame",1,0,2,0,0,0]
	["frame",2,0,3,1,10,0]
	["frame",3,2,1,0,0,0]
	["stack",1,1,[0,0,0,1]]
	["stack",2,1,[3,0,64],1]
	["stack",3,1,[100,7],1]
	E
}

@test "perfetto: messages of samples with another wire type are skipped" {
	# A follower, then a primary counter that are numbers.
	for field in 9 12; do
		message <<<"1 { 10: 1 8: 5 135 { 1 { 2: 1 3: 1 } $field: 1
			11: 7 14: 70 } }
			1 { 10: 1 8: 6 135 { 1 { 2: 1 3: 1 } } }"
		records 'event|total' >"$dir/got"
		same "$dir/got" - <<-'T'
		["event",0,"samples","","","stated",false]
		["total",[2]]
		T
	done
	# A task and a stack: the thread is unknown, the stack is missing.
	message <<<'1 { 10: 1 8: 5 135 { 1: 1 5: 1 } }'
	"$CGCONV" -t json -o "$dir/out" "$dir/in.pftrace" 2>"$dir/err"
	grep -Fx '["total",[1]]' "$dir/out"
	grep 'note: samples without a stack: 1' "$dir/err"
	# Tables, defaults and a name stay as they were.
	message <<<'1 { 10: 1 13: 1 8: 1 12 { 2 { 1: 1 2: "outer" } } 12: 1
		59 { 11 { 11: 5 } } 59: 1 11 { 9: 1 10: 1 } }
		1 { 10: 1 8: 2 11 { 9: 1 23: "inner" 23: 1 } }'
	"$CGCONV" -q -f perfetto -t json "$dir/in.pftrace" |
		grep -E '^."(function|stack)"' >"$dir/got"
	same "$dir/got" - <<-'T'
	["function",1,"inner",0,0]
	["function",2,"outer",0,0]
	["stack",1,0,[1]]
	["stack",2,0,[]]
	T
}

@test "perfetto: symbols that grow too much are rejected" {
	# A stack has an address as often as frames say, each time with all
	# functions that symbols have there: 2 bytes make a node, twice over.
	frames=$(perl -e 'print "1 " x 1000')
	lines=$(perl -e 'print "2 { } " x 2000')
	for n in 1 1000; do
		message <<<"1 { 8: 5 10: 1 13: 1 12 { 17 { 1: 1 2: \"/x\" }
				19 { 1: 1 7: 1 } 6 { 1: 1 3: 1 4: 16 }
				7 { 1: 1 2: [${frames:0:$((2 * n))}] } } }
			1 { 8: 6 10: 1 66 { 1: 0 2: 1 3: 1 4: 1 } }
			1 { 10: 1 61 { 1: \"/x\" 3 { 1: 16 $lines } } }"
		[ "$n" = 1 ] && records frame | grep -c . | grep -x 2000
	done
	refuses 1 'expected fewer inlined frames: those of the stacks would take more than 32 times the size of the file' \
		-t json "$dir/in.pftrace"
}

# packed FIELD: a trace whose only packet has standard input as that field.
packed()
{
	perl -e '
		local $/;
		my $data = <STDIN>;
		sub varint { my $v = shift; my $o = "";
			while ($v > 127) { $o .= chr($v & 127 | 128); $v >>= 7 }
			$o . chr($v) }
		my $packet = varint($ARGV[0] << 3 | 2) . varint(length $data) . $data;
		print "\x0a", varint(length $packet), $packet;
	' "$1"
}

@test "perfetto: compressed packets are read like others" {
	sample=samples/perfetto/events/trace.pftrace
	"$CGCONV" -q -t json -o "$dir/want" $sample
	perl -MCompress::Zlib -e 'local $/; print compress(<STDIN>)' <$sample |
		packed 50 >"$dir/deflate.pftrace"
	zstd -q <$sample | packed 133 >"$dir/zstd.pftrace"
	# Two of them; the state of the sequences goes on.
	cat "$dir/deflate.pftrace" "$dir/zstd.pftrace" >"$dir/both.pftrace"
	for kind in deflate zstd; do
		"$CGCONV" --detect "$dir/$kind.pftrace" | grep perfetto
		"$CGCONV" -q -t json -o "$dir/got" "$dir/$kind.pftrace"
		same "$dir/want" "$dir/got"
	done
	records total "$dir/both.pftrace" | grep ',6]]$'
	perl -MCompress::Zlib -e 'local $/; print compress(<STDIN>), "rest"' <$sample |
		packed 50 >"$dir/in.pftrace"
	"$CGCONV" -t json -o "$dir/got" "$dir/in.pftrace" 2>&1 |
		grep 'dropped 4 bytes after the compressed data of a packet'
	same "$dir/want" "$dir/got"
	message <<<'1 { 10: 1 133: "(5/xd" }'
	refuses 1 'zstd data is corrupt' -t json "$dir/in.pftrace"
	# Without its check sum the last frame is not at its end; frames may be
	# several, or end where the buffer of 128 KiB does.
	zstd -q <$sample | head -c -4 | packed 133 >"$dir/in.pftrace"
	refuses 1 'zstd data ends early' -t json "$dir/in.pftrace"
	zstd -q <$sample | head -c 10 | packed 133 >"$dir/in.pftrace"
	refuses 1 'zstd data ends early' -t json "$dir/in.pftrace"
	{
		zstd -q <$sample
		perl -e 'print "\x0a\x00" x 65536' | zstd -q
	} | packed 133 >"$dir/in.pftrace"
	"$CGCONV" -q -t json -o "$dir/got" "$dir/in.pftrace"
	same "$dir/want" "$dir/got"
	message <<<'1 { 10: 1 50: "no" }'
	refuses 1 'expected packets compressed by deflate' -t json "$dir/in.pftrace"
	zstd -q <"$dir/deflate.pftrace" | packed 133 >"$dir/in.pftrace"
	refuses 1 'expected packets that are compressed once' \
		-t json "$dir/in.pftrace"
}

@test "perfetto: what is not converted is counted" {
	message <<<"$begin $(event 1 '9: 3') $(event 1 '9: 4 30: 5') $(event 1 '9: 5')
		$(event 1 '6 { 2: 98 }') $(event 1 '6 { 2: 80 }') 1 { 8: 1 10: 1 1 { } }
		1 { 8: 1 10: 1 1 { } } 1 { 8: 1 10: 1 77 { } } 1 { 8: 1 10: 1 900 { } }
		1 { 8: 1 10: 1 36: \"m\" } $(event 2 '9: 1 10: 1') $(event 3 '9: 2')
		1 { 10: 1 11 { 9: 2 11: 3 } }"
	"$CGCONV" -t json -o "$dir/out" "$dir/in.pftrace" 2>&1 |
		sed 's/.*\(note\|warning\): //' >"$dir/got"
	same "$dir/got" - <<-'E'
	packets that are not converted: 2 ftrace, 1 field 77, 1 other
	dropped instant events: 1
	dropped values of counters: 1
	dropped states: 1
	dropped asynchronous events: 1
	dropped other events that are not calls: 1
	events without a time are dropped: 1
	E
}

@test "perfetto: rejects malformed files" {
	printf '\x0a\x04\x08\x01\x10' >"$dir/short"
	for bytes in '\x0a\x03\x50\x01\x5a\x0a\x02\x50\x01' \
		'\x0a\x05\x50\x01\x5a\x05\x48' '\x0a\x04\x50\x01\x40\x80'; do
		printf "$bytes" >"$dir/in.pftrace"
		"$CGCONV" -f perfetto -t json "$dir/in.pftrace" >"$dir/out" \
			2>"$dir/err" && false
		grep 'expected a whole field of a message\|expected a packet' \
			"$dir/err"
	done
	# A recording that was cut.
	"$CGCONV" -q -t json -o "$dir/want" samples/perfetto/events/trace.pftrace
	head -c -3 samples/perfetto/events/trace.pftrace >"$dir/in.pftrace"
	"$CGCONV" -t json -o "$dir/out" "$dir/in.pftrace" 2>&1 |
		grep 'the trace ends within a packet: it is skipped'
}

# Prints tracks and times of a file: without names of processes, which are also
# those of parts, and without the numbers of nodes and events.
times()
{
	"$CGCONV" -q -t json "$1" | sed -nE 's/(^."moment",[0-9]+),.*/\1/p
		s/^(."track",[0-9]+,[0-9]+,"[^"]*"),"[^"]*"/\1/p' | LC_ALL=C sort
}

@test "perfetto: sums and times of ten kinds of samples are as before" {
	count=0
	for file in samples/jfr/work/work.jfr.gz samples/trace-event/calls/trace.json \
		samples/trace-event/clang/trace.json samples/trace-event/node/trace.json \
		samples/trace-event/samples/trace.json samples/firefox/raw/gecko.json \
		samples/firefox/shared/processed.json \
		samples/perf-data/work/work.perf.data samples/xctrace/rows/export.xml \
		samples/perfetto/perf/trace.pftrace \
		samples/perfetto/sdk/trace.pftrace \
		samples/perfetto/events/trace.pftrace; do
		"$CGCONV" -q -t perfetto -o "$dir/x.pftrace" "$file"
		times "$file" >"$dir/want"
		times "$dir/x.pftrace" >"$dir/got"
		grep -q moment "$dir/got"
		same "$dir/want" "$dir/got"
		"$CGCONV" -q --verify "$file" "$dir/x.pftrace"
		count=$((count + 1))
	done
	[ "$count" -eq 12 ]
	count=0
	for file in $(samples pprof) $(samples gperftools) $(samples folded) \
		$(samples hprof) $(samples massif) $(samples dhat) $(samples ghc) \
		$(samples vtune) $(samples goroutines) $(samples heapprofile); do
		"$CGCONV" -q -t perfetto -o "$dir/x.pftrace" "$file" || continue
		"$CGCONV" -q --verify "$file" "$dir/x.pftrace"
		count=$((count + 1))
	done
	[ "$count" -ge 20 ]
}

@test "perfetto: fields of what is written are where the sources have them" {
	"$CGCONV" -q -t perfetto -o "$dir/out" --root-by none - <<<'main;f 5'
	# A packet begins with 10 (sequence) and 13 (flags); the first one has
	# 12.50 (counters) and 59.100 (defaults: source, counter), then 60.3 is
	# process 1, and 135 a sample with 12.48 (tasks), 12.5 (functions), 12.6
	# (frames), 12.7 (stacks).
	perl tests/oracle/proto.pl --fields 1 <"$dir/out" >"$dir/got"
	counter=120773616d706c65731809 # its name, and unit 9: a count
	same "$dir/got" - <<-E
	50016801621092030d0801${counter}da0318a206150a066367636f6e76120b$counter
	50016800e2030608011a020801
	50016802622c820304080110012a08080112046d61696e3204080110012a0508021201663204080210023a06080110011002ba0806100130015805
	E
}

@test "perfetto: events without times are kept, next to those with times" {
	"$CGCONV" -t perfetto -o "$dir/x.pftrace" samples/xdebug/text/trace.xt 2>&1 |
		grep 'not all costs of bytes have times in ns: it is written without times'
	"$CGCONV" -q --verify samples/xdebug/text/trace.xt "$dir/x.pftrace"
	records track "$dir/x.pftrace" | grep -F '"ns",true,'
	# Costs as times of another unit.
	"$CGCONV" -q -t perfetto -o "$dir/x.pftrace" \
		samples/speedscope/evented/stacks.speedscope.json
	not records track "$dir/x.pftrace"
}

@test "perfetto: negative times are moved, places of calls are told" {
	cat >"$dir/in.json" <<-'E'
	[{"ph":"B","pid":1,"tid":1,"ts":-5,"name":"a"},
	{"ph":"E","pid":1,"tid":1,"ts":2}]
	E
	"$CGCONV" -t perfetto -o "$dir/x.pftrace" "$dir/in.json" 2>&1 |
		grep 'times are negative: all are 5000 ns later'
	records track "$dir/x.pftrace" | grep -F 'true,0,7000]'
	cat >"$dir/in.cgj" <<-'E'
	{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"f","file":"a.c","line":3}]},"profiles":[{"type":"evented","name":"t","unit":"nanoseconds","startValue":0,"endValue":9,"events":[{"type":"O","frame":0,"at":1},{"type":"C","frame":0,"at":8}]}]}
	E
	"$CGCONV" -t perfetto -o "$dir/x.pftrace" "$dir/in.cgj" 2>&1 |
		grep 'files, lines and objects of functions that calls have are dropped: 1'
}

@test "perfetto: large ids of threads stay apart" {
	cat >"$dir/in.json" <<-'E'
	[{"ph":"X","pid":1,"tid":5000000000,"ts":1,"dur":2,"name":"a"},
	{"ph":"X","pid":1,"tid":705032704,"ts":1,"dur":3,"name":"b"},
	{"ph":"X","pid":1,"tid":5000000001,"ts":1,"dur":4,"name":"c"}]
	E
	"$CGCONV" -t perfetto -o "$dir/x.pftrace" "$dir/in.json" 2>"$dir/err"
	grep -qF 'above 2147483647 do not fit and are replaced: 2' "$dir/err"
	records track "$dir/x.pftrace" | cut -d, -f 2,3 | sort |
		says 1,2147483646 1,2147483647 1,705032704
}

@test "perfetto: a trace without samples, calls and allocations is told" {
	printf '\n\004\010\001\062\000' >"$dir/in.pftrace"
	"$CGCONV" -f perfetto -t json -o "$dir/out" "$dir/in.pftrace" 2>&1 |
		grep -qF 'the trace has no samples with stacks, no calls and no allocations'
	"$CGCONV" -t json -o "$dir/out" \
		samples/perfetto/events/trace.pftrace 2>"$dir/err"
	not grep -q 'has no samples' "$dir/err"
}
