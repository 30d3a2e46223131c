# gperftools.bats - CPU and heap profiles of gperftools.
load helper

setup()
{
	cd "$BATS_TEST_DIRNAME/.." || return 1
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
	grep -q 'prog have no names; give the file with --exe' "$dir/err"
	"$CGCONV" -q -t callgrind --exe "$a/prog" "$a/work.prof" >"$dir/out"
	grep -qx 'events: cpu samples' "$dir/out"
	grep -qx 'cmd: /var/tmp/cgconv-samples/prog' "$dir/out"
}

@test "gperftools: position-independent executables are found" {
	a=samples/gperftools/heap
	folded --event inuse_objects --exe "$a/prog" "$a/work.heap" |
		sed 's/0x[0-9a-f]*;//g' >"$dir/got"
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
	refuses 1 "expected samples whose time fits" -t folded "$dir/many"
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
