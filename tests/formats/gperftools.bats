# gperftools.bats - CPU and heap profiles of gperftools.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# Stacks without the marks of what is inlined.
folded()
{
	"$CGCONV" -q -t folded "$@" | sed 's/_\[i\]\([; ]\)/\1/g'
}

@test "gperftools: names of a CPU profile come from the executable" {
	a=samples/gperftools/cpu
	folded --event samples --exe "$a/prog" "$a/work.prof" >"$dir/got"
	grep -qxE '_start;.*;main;twice;spin [0-9]+' "$dir/got"
	[ "$(wc -l <"$dir/got")" = 1 ]
	"$CGCONV" -t folded "$a/work.prof" >"$dir/out" 2>"$dir/err"
	grep -q 'addresses without a name: [0-9]*; give .*prog.* with --exe' "$dir/err"
	"$CGCONV" -q -t callgrind --exe "$a/prog" "$a/work.prof" >"$dir/out"
	grep -qx 'events: cpu samples' "$dir/out"
	grep -qx 'cmd: /var/tmp/cgconv-samples/prog' "$dir/out"
}

@test "gperftools: names come from the files that were mapped" {
	a=samples/gperftools/cpu
	cp "$a/prog" "$dir"
	perl -pe "s,/var/tmp/cgconv-samples/prog,$dir/prog,g" "$a/work.prof" \
		>"$dir/work.prof"
	"$CGCONV" -t folded --event samples "$dir/work.prof" >"$dir/got" \
		2>"$dir/err"
	grep -qE '_start;.*;main;twice_\[i\];spin_\[i\] [0-9]+' "$dir/got"
	grep -q 'note: .* no build-ids to check them by' "$dir/err"
	not grep -q 'no names' "$dir/err"
}

@test "gperftools: position-independent executables are found" {
	a=samples/gperftools/heap
	folded --event inuse_objects --exe "$a/prog" "$a/work.heap" |
		sed 's/_start;.*;main/_start;main/' >"$dir/got"
	cat >"$dir/want" <<-E
	_start;main;get 200
	_start;main;leak;get 1
	_start;main;leak;leak;get 1
	_start;main;leak;leak;leak;get 1
	E
	same "$dir/want" "$dir/got"
	[ "$(folded --event inuse_space "$a/work.heap" |
		awk '{ sum += $NF } END { print sum }')" = 63000 ]
}

# words SIZE ORDER NUMBER...: of a CPU profile.
words()
{
	perl -e '($size, $order, @n) = @ARGV;
		print pack(($size == 8 ? "Q" : "L") . ($order eq "big"
		? ">" : "<") . "*", @n)' "$@"
}

@test "gperftools: reads words of any size and byte order" {
	for size in 4 8; do
		for order in little big; do
			words $size $order 0 3 0 1000 0 2 2 4096 8193 \
				5 1 12288 3 3 4096 4096 8193 0 1 0 \
				>"$dir/prof"
			folded --event samples "$dir/prof" >"$dir/got"
			printf '%s\n' '0x2000;0x1000 5' '0x3000 5' \
				>"$dir/want"
			same "$dir/want" "$dir/got"
			folded --event cpu "$dir/prof" |
				grep -qx '0x3000 5000000'
		done
	done
}

@test "gperftools: scales up sampled heaps" {
	cat >"$dir/heap" <<-E
	heap profile:      3:      300 [     8:      800] @ heap_v2/1000
	     3:      300 [     8:      800] @ 0x1001 0x2001

	MAPPED_LIBRARIES:
	E
	# 1 / (1 - exp(-100 / 1000)) is 10.508.
	[ "$(folded --event inuse_objects "$dir/heap")" = '0x2000;0x1000 31' ]
	[ "$(folded --event inuse_space "$dir/heap")" = '0x2000;0x1000 3152' ]
	[ "$(folded --event alloc_space "$dir/heap")" = '0x2000;0x1000 8406' ]
	sed 's/heap_v2/heap/; s/1000$/2000/' "$dir/heap" >"$dir/go"
	[ "$(folded --event inuse_space "$dir/go")" = '0x2000;0x1000 3152' ]
	sed 's/heap_v2.*/heapprofile/' "$dir/heap" >"$dir/all"
	[ "$(folded --event inuse_space "$dir/all")" = '0x2000;0x1000 300' ]
}

@test "gperftools: malformed and truncated files are errors" {
	words 8 little 0 3 0 1000 0 1 2 4096 8193 >"$dir/cut"
	refuses 1 "the file is truncated" -t folded "$dir/cut"
	words 8 little 0 3 0 1000 0 1 99999 4096 8193 >"$dir/deep"
	refuses 1 "a stack of 1 to 4096" -t folded "$dir/deep"
	words 8 little 0 3 0 1000 0 18446744073709551615 1 4096 0 1 0 \
		>"$dir/many"
	refuses 1 "expected samples whose time fits" -f gperftools -t folded \
		"$dir/many"
	echo 'heap profile: 1: 2 [ 1: 2 ] @ heapprofile' >"$dir/heap"
	echo ' 1: 2 [ 1: 2 ] @ 0x1 x' >>"$dir/heap"
	refuses 1 "heap:2:22: error: expected an address" -t folded \
		"$dir/heap"
	echo 'heap profile: 1: 2 [ 1: 2 ] @ heapprofile' >"$dir/short"
	echo ' 1: 2 [ 1: 2 ] @ 0x1' >>"$dir/short"
	"$CGCONV" -t folded "$dir/short" 2>"$dir/err" >"$dir/out"
	grep -q 'may be truncated' "$dir/err"
}

@test "gperftools: reads brief mappings and their variables" {
	cat >"$dir/in.heap" <<-'END'
		heap profile: 1: 10 [ 1: 10] @ heapprofile
		 1: 10 [ 1: 10] @ 0x401000 0x7f0000001000
		--- Memory map: ---
		build=/home/me
		  00400000-00fcb000: $build/prog (@1000) abcd
		  7f0000000000-7f0000100000: /lib/$other.so
	END
	"$CGCONV" -q -t json -o - "$dir/in.heap" >"$dir/json"
	grep -q '^\["object",1,"/home/me/prog"' "$dir/json"
	grep -q '^\["object",2,"/lib/$other.so"' "$dir/json"
}

@test "gperftools: heaps show bytes in use, CPU profiles time" {
	"$CGCONV" -q --info samples/gperftools/heap/work.heap |
		grep -q 'Top.*inclusive inuse_space'
	"$CGCONV" -q --info samples/gperftools/cpu/work.prof |
		grep -q 'Top.*inclusive cpu'
}

@test "gperftools: the period of samples is kept, and written to pprof" {
	"$CGCONV" -q -t pprof samples/gperftools/cpu/work.prof -o "$dir/out.pb.gz"
	"$CGCONV" -q -t json "$dir/out.pb.gz" |
		grep -F '["desc","period","20000000 cpu nanoseconds"]'
	printf '%s\n' 'heap profile: 1: 10 [1: 10] @ heap_v2/524288' \
		' 1: 10 [1: 10] @ 0x1' >"$dir/heap"
	"$CGCONV" -q -t json "$dir/heap" |
		grep -F '["desc","period","524288 space bytes"]'
	sed -i 's,heap_v2/524288,heapprofile,' "$dir/heap"
	"$CGCONV" -q -t json "$dir/heap" | not grep -F '["desc","period"'
}

# Go (debug=1): the addresses, then comments with names.
goroutines()
{
	printf '%s\n' 'goroutine profile: total 3' \
		'2 @ 0x10 0x21 0x31 0x41' \
		$'#\t0x20\tmain.wait+0x1\t\t/a b/main.go:10' \
		$'#\t0x30\tmain.(*struct { sync.Mutex }).run+0x2\t/x.go:7' '' \
		'1 @ 0x10 0x21 0x41' '# labels: {"id":"7", "who":"a \"b\""}' \
		$'#\t0x20\tmain.wait+0x1\t/a b/main.go:10' ''
}

@test "gperftools: names of Go's texts come from their comments" {
	goroutines >"$dir/in"
	[ "$("$CGCONV" --detect "$dir/in" | cut -f 2)" = gperftools ]
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" | same - <(printf '%s\n' \
		'main.(*struct { sync.Mutex }).run;main.wait 2' 'main.wait 1')
	grep -q 'note: addresses that the text does not name' "$dir/err"
	"$CGCONV" -q -t json "$dir/in" >"$dir/json"
	grep -qF '["labels",1,["id","7"],["who","a \"b\""]]' "$dir/json"
	grep -qF '["event",0,"goroutine"' "$dir/json"
	grep -qF '"/a b/main.go"' "$dir/json"
	# The value of a name that is too long is not that of another one.
	sed "s/\"who\"/\"$(printf '%300s' '' | tr ' ' x)\"/" "$dir/in" >"$dir/long"
	"$CGCONV" -q -t json "$dir/long" | grep -qF '["labels",1,["id","7"]]'
	# With the comments of all frames left out, addresses are the names.
	grep -v '^#' "$dir/in" >"$dir/plain"
	"$CGCONV" -q -t folded "$dir/plain" | same - <(printf '%s\n' \
		'0x40;0x20;0xf 1' '0x40;0x30;0x20;0xf 2')
	# A stack of functions that are all hidden keeps its cost.
	printf '%s\n' 'goroutine profile: total 5' '4 @ 0x11 0x41' '' \
		'1 @ 0x21' $'#\t0x20\tmain.f+0x1\t/a.go:1' '' >"$dir/hidden"
	"$CGCONV" -q -t folded "$dir/hidden" | same - <(printf '%s\n' \
		'0x40;0x10 4' 'main.f 1')
}

@test "gperftools: functions inlined at an address of Go are told apart from recursion" {
	printf '%s\n' 'goroutine profile: total 1' '1 @ 0x21 0x31 0x31 0x41' \
		$'#\t0x20\tf+0x1\t/a.go:1' $'#\t0x30\tg+0x1\t/a.go:2' \
		$'#\t0x30\th+0x1\t/a.go:3' $'#\t0x30\tg+0x1\t/a.go:2' \
		$'#\t0x30\th+0x1\t/a.go:3' '' >"$dir/in"
	"$CGCONV" -q -t folded "$dir/in" |
		same - <(echo 'h;g_[i];h;g_[i];f 1')
}

@test "gperftools: names that Go leaves out come from the executable" {
	# Any executable with fixed addresses serves.
	prog=samples/gperftools/cpu/prog
	addr=$(nm "$prog" | sed -n 's/^0*\([0-9a-f]*\) T main$/0x\1/p')
	goroutines | sed "s/0x10 /$(printf '%#x' $((addr + 4))) /" >"$dir/in"
	"$CGCONV" -q -t folded --exe "$prog" "$dir/in" | same - <(printf '%s\n' \
		'main.(*struct { sync.Mutex }).run;main.wait;main 2' \
		'main.wait;main 1')
}

@test "gperftools: cycles of contention become nanoseconds, samples are scaled" {
	printf '%s\n' '--- mutex:' 'cycles/second=2000000000' \
		'sampling period=5' '1000 3 @ 0x21 0x31' >"$dir/in"
	[ "$(folded --event delay "$dir/in")" = '0x30;0x20 2500' ]
	[ "$(folded --event contentions "$dir/in")" = '0x30;0x20 15' ]
	printf '%s\n' '--- contention:' 'cycles/second=2000000000' \
		'1000 3 @ 0x21 0x31' >"$dir/in"
	[ "$(folded --event delay "$dir/in")" = '0x30;0x20 500' ]
	# Without a frequency, delays are what they are.
	printf '%s\n' '--- contentionz 1 ---' 'sampling period = 5' \
		'ms since reset = 7' 'discarded samples = 2' \
		'  1000        3 @ 0x21 0x31' '--- Memory map: ---' \
		'  00000000-00001000: /bin/x' >"$dir/in"
	[ "$(folded --event delay "$dir/in" 2>"$dir/err")" = '0x30;0x20 1000' ]
	[ "$(folded --event contentions "$dir/in")" = '0x30;0x20 15' ]
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'samples were discarded: 2'
}

@test "gperftools: threads have names, and the stack of the thread before" {
	printf '%s\n' '--- threadz 1 ---' '' \
		'--- Thread 7f79 (name: main/148) stack: ---' \
		'  PC:  0x00000020: helper(arg *)' '  0x00000031: main' '  0x41' \
		'--- Thread 7f80 (name: w/one/149) stack: ---' \
		'  PC: 0x51 0x61' '      creator: 0x31' \
		'--- Thread 7f81 (name: w/150) stack: ---' \
		'  [same as previous thread]' '      creator: 0x99' \
		'---- no stack trace for thread 9' '  0x77' \
		'--- Memory map: ---' '  00000000-00001000: /bin/x' >"$dir/in"
	"$CGCONV" -q -t folded --no-root-by "$dir/in" | same - <(printf '%s\n' \
		'0x40;main;helper(arg *) 1' 'main;0x60;0x51 2')
	"$CGCONV" -q -t json --part-by tid "$dir/in" >"$dir/json"
	grep -qF '149' "$dir/json"
	"$CGCONV" -q -t pprof "$dir/in" -o "$dir/out.pb"
	"$CGCONV" -q -t json "$dir/out.pb" |
		grep -qF '["thread","w/one"],["tid","",149]'
}

@test "gperftools: growth is of objects and space, and is not scaled" {
	printf '%s\n' 'heap profile: 1: 2097152 [ 1: 2097152] @ growthz' \
		' 1: 2097152 [ 1: 2097152] @ 0x21' 'MAPPED_LIBRARIES:' >"$dir/in"
	[ "$(folded --event space "$dir/in")" = '0x20 2097152' ]
	[ "$(folded --event objects "$dir/in")" = '0x20 1' ]
	"$CGCONV" -q --info samples/gperftools/growth/growth.heap |
		grep -q 'Top.*inclusive space'
}

@test "gperftools: sizes of blocks are labels, as in pprof" {
	"$CGCONV" -q -t json samples/gperftools/growth/sampled.heap |
		grep -F '["bytes","",1000000]'
}

# java HEADER LINE...: a text of Java with its functions.
java()
{
	printf '%s\n' "$@" '' ' 0x00000003 GC' ' 0x0000004 a.f (F.java:07)' \
		' 0x0000005 memcpy (/lib/x.so)' \
		' 0x0000006 0x77 generated stub/JIT'
}

@test "gperftools: reads heaps and contention of Java" {
	java '--- heapz 1 ---' 'format = java' 'resolution = bytes' \
		'  1048576     1 @ 0x00000003 0x00000004' \
		'       14     7 @ 0x00000006 0x00000005' >"$dir/in"
	folded --event inuse_objects "$dir/in" | same - <(printf '%s\n' \
		'a.f;GC 1' 'memcpy;STUB 1835011')
	folded --event inuse_space "$dir/in" | grep -qx 'a.f;GC 1212696'
	"$CGCONV" -q -t json "$dir/in" >"$dir/json"
	grep -qF '"F.java"' "$dir/json"
	grep -qF '"x.so"' "$dir/json"
	java '--- contentionz 1 ---' 'format = java' \
		'resolution = microseconds' 'sampling period = 100' \
		'  14  2 @ 0x00000003 0x00000004' >"$dir/in"
	[ "$(folded --event delay "$dir/in")" = 'a.f;GC 1400' ]
	[ "$(folded --event contentions "$dir/in")" = 'a.f;GC 200' ]
	"$CGCONV" -q -t json "$dir/in" | grep -qF '"delay","","us"'
	{
		words 4 little 0 3 1 10 0 6 2 3 4 0 1 0
		java | tail -n +2
	} >"$dir/in"
	[ "$(folded --event cpu "$dir/in")" = 'a.f;GC 60000' ]
}

@test "gperftools: truncated and malformed texts of Go are told" {
	goroutines | head -n 5 >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'states a total of 3, the samples have 2'
	goroutines | head -n 8 >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'expected an empty line after the last stack'
	printf '%s\n' 'goroutine profile: total 3' 'x' >"$dir/in"
	refuses 1 "in:2: error: expected 'COUNT @ ADDRESS...'" -t json \
		"$dir/in"
	printf '%s\n' '--- mutex:' 'cycles/second=x' >"$dir/in"
	refuses 1 'in:2:15: error: expected a number' -t json "$dir/in"
	printf '%s\n' '--- mutex:' '1 @ 0x1' >"$dir/in"
	refuses 1 "expected 'CYCLES COUNT @ ADDRESS...'" -t json "$dir/in"
	printf '%s\n' '--- mutex:' 'cycles/second=1' \
		'18446744073709551615 1 @ 0x1' >"$dir/in"
	refuses 1 'expected delays that fit' -t json "$dir/in"
	printf '%s\n' '--- threadz 1 ---' '--- Thread 1' >"$dir/in"
	refuses 1 "expected '--- Thread ID (name: NAME/TID)'" -t json "$dir/in"
	printf '%s\n' '--- heapz 1 ---' '1 0 @ 0x1' >"$dir/in"
	refuses 1 'expected a number of objects' -t json "$dir/in"
}

@test "gperftools: inlined code and variables expand as far as the size of the file allows" {
	# 64 functions at one address
	{
		printf '%s\n' 'goroutine profile: total 9' '1 @ 0x21 0x31'
		printf '#\t0x30\tf%d+0x1\t/a.go:1\n' {1..64}
		echo
	} >"$dir/go"
	"$CGCONV" -q -t json "$dir/go" >"$dir/json"
	[ "$(grep -c '^."frame"' "$dir/json")" -eq 64 ]
	# ... that 8 stacks have 4000 times
	for root in 1 2 3 4 5 6 7 8; do
		printf '1 @'
		printf ' 0x31%.0s' {1..4000}
		printf ' 0x%d1\n\n' $root
	done >>"$dir/go"
	refuses 1 'expected fewer inlined frames' -t json "$dir/go"
	# A path of 4 kB in each of 20000 lines
	{
		echo 'heap profile: 1: 10 [ 1: 10] @ heapprofile'
		echo ' 1: 10 [ 1: 10] @ 0x401000'
		echo '--- Memory map: ---'
		printf 'build=/%04000d\n' 0
		perl -e 'printf "%x-%x: \$build/%d\n", $_ * 8, $_ * 8 + 8, $_
			for 1 .. 20000'
	} >"$dir/maps"
	refuses 1 'and shorter paths' -t json "$dir/maps"
}

# sums EVENT FILE: the total, and the sums of stacks that end in small and large.
sums()
{
	folded --exe samples/gperftools/jemalloc/prog --event "$1" "$2" |
		awk '{ n += $NF } /;small;/ { s += $NF } /;large;/ { l += $NF }
			END { print n, s, l }'
}

@test "gperftools: jemalloc's counts are those of jeprof" {
	a=samples/gperftools/jemalloc
	sums inuse_objects $a/all.heap | says '1002 600 400'
	sums inuse_space $a/all.heap | says '1339840 28800 1228800'
	sums alloc_objects $a/all.heap | says '1602 1200 400'
	sums alloc_space $a/all.heap | says '1368640 57600 1228800'
	# jeprof: 1156 objects of 1364680 bytes, 1659 of 1388788; counts of each
	# stack are rounded down, as in pprof.
	sums inuse_objects $a/sampled.heap | says '1154 765 385'
	sums inuse_space $a/sampled.heap | says '1364679 36684 1244884'
	sums alloc_objects $a/sampled.heap | says '1657 1268 385'
	sums alloc_space $a/sampled.heap | says '1388785 60790 1244884'
	# jeprof: 947 objects of 1337274 bytes.
	sums inuse_objects $a/inuse.heap | says '946 544 400'
	sums inuse_space $a/inuse.heap | says '1337271 26103 1228798'
	refuses 2 'expected an event of the input' -t folded --event alloc_space \
		$a/inuse.heap
}

@test "gperftools: jemalloc's threads have their names and their share" {
	for thread in t0 t1; do
		folded --event inuse_objects --root-by label:thread \
			samples/gperftools/jemalloc/all.heap |
			awk -v t="$thread;" 'index($0, t) == 1 { n += $NF }
				END { print n }'
	done | says 502 500
	cat >"$dir/heap" <<-'E'
	heap_v2/1000
	  t*: 8: 800 [8: 800]
	  t3: 3: 300 [3: 300] worker one
	@ 0x11 0x21
	  t*: 8: 800 [8: 800]
	  t3: 3: 300 [3: 300]
	  t4: 3: 300 [3: 300]

	MAPPED_LIBRARIES:
	E
	# 8 / (1 - exp(-0.1)) = 84.07; 3 are 31.52; 6 are 63.05; 2 have no thread.
	"$CGCONV" -q -t json "$dir/heap" >"$dir/json"
	grep '^\["labels"' "$dir/json" | says '["labels",1,["thread","t4"]]' \
		'["labels",2,["thread","worker one"]]'
	grep '^\["stack"' "$dir/json" | sort -t , -k 8 |
		says '["stack",2,1,[21,2102,21,2102]]' \
		'["stack",2,1,[32,3152,32,3152],1]' \
		'["stack",2,1,[31,3152,31,3152],2]'
}

@test "gperftools: malformed profiles of jemalloc are refused, truncated told" {
	heap() {
		printf 'heap_v2/1\n  t*: 1: 8 [0: 0]\n@ 0x1\n%s\n' "$1" >"$dir/in"
	}
	heap '  t*: 1 8 [0: 0]'
	refuses 1 "in:4:9: error: expected 't*: OBJECTS: BYTES" -t json "$dir/in"
	heap '  t1: 1: 8 [0: 0]'
	refuses 1 "expected counts of all threads, 't*:'" -t json "$dir/in"
	heap 'x'
	refuses 1 "expected '@ ADDRESS...'" -t json "$dir/in"
	heap '  t*: 1: 8 [0: 0]'
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'expected MAPPED_LIBRARIES: at the end'
	printf '  t1: 2: 8 [0: 0]\n' >>"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'threads have more memory than their sum'
}
