# massif.bats - the heap at its peak, compared with the output of ms_print.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

# A file with one tree.
tree()
{
	printf '%s\n' 'desc: (none)' 'cmd: ./x' 'time_unit: i' '#---' \
		snapshot=0 '#---' time=1 mem_heap_B=9 mem_heap_extra_B=0 \
		mem_stacks_B=0 heap_tree=peak "$@" >"$t/x"
}

@test "massif: reads the peak that ms_print shows" {
	peak=$(sed -n 's/.* \([0-9]*\) (peak).*/\1/p' samples/massif/names/ms_print.txt)
	[ -n "$peak" ]
	want=$(awk -v n="$peak" '$1 == n && NF == 6 { gsub(/,/, "", $4)
		print $4 }' samples/massif/names/ms_print.txt)
	"$CGCONV" -q -t json samples/massif/names/massif.out |
		grep -qxF "[\"total\",[$want]]"
}

@test "massif: inclusive costs equal the bytes that ms_print shows" {
	"$CGCONV" -q -t json samples/massif/names/massif.out |
		perl tests/oracle/graph.pl >"$t/graph"
	grep -q 'heap.cc:0:fill	0	786432$' "$t/graph"
	grep -F '(786,432B)' samples/massif/names/ms_print.txt | grep -q fill
}

@test "massif: bytes without a caller stay with the function" {
	tree 'n2: 9 (heap allocation functions) malloc' \
		' n1: 5 0x10: f (a.c:1)' '  n0: 4 0x20: main (a.c:9)' \
		' n0: 3 in 2 places, all below massif'"'"'s threshold (1.00%)'
	"$CGCONV" -q -t json "$t/x" | perl tests/oracle/graph.pl >"$t/got"
	grep -qx 'call	a.c:0:main	a.c:0:f	1	4' "$t/got"
	grep -qx 'function	a.c:0:f	5	5' "$t/got"
	grep -qx 'function	:0:(below threshold)	3	3' "$t/got"
	"$CGCONV" -q -t json "$t/x" | grep -qxF '["total",[9]]'
}

@test "massif: reads the last tree if there is no peak" {
	tree 'n0: 9 (heap allocation functions) malloc'
	sed 's/=peak/=detailed/' "$t/x" >"$t/y"
	sed 's/=peak/=detailed/; s/n0: 9/n0: 7/; 1,4d' "$t/x" >>"$t/y"
	"$CGCONV" -q -t json "$t/y" | grep -qxF '["total",[7]]'
	"$CGCONV" -t json "$t/y" 2>&1 >/dev/null | grep -q 'the last one with a tree is read'
}

@test "massif: --snapshot selects a snapshot, or all as parts" {
	in=samples/massif/names/massif.out
	# The snapshots with trees, as ms_print lists them.
	awk -F = '/^snapshot=/ { n = $2 } /^mem_heap_B=/ { b = $2 }
		/^heap_tree=[dp]/ { print n, b }' "$in" >"$t/want"
	[ "$(wc -l <"$t/want")" -ge 3 ]
	"$CGCONV" -q -t json --snapshot all "$in" |
		perl -ne 'print "$1 " if /^."part",0,0,(\d+),/;
			print "$1\n" if /^."total",.(\d+)/' | same "$t/want" -
	while read -r n bytes; do
		"$CGCONV" -q -t json --snapshot "$n" "$in" >"$t/got"
		grep -qxF "[\"total\",[$bytes]]" "$t/got"
		grep -qxF "[\"desc\",\"Snapshot\",\"$n\"]" "$t/got"
	done <"$t/want"
	grep -q '^."part",0,0,[0-9]*,"./heap"' "$t/got"
	refuses 1 "a tree for --snapshot 1" -t json --snapshot 1 "$in"
	refuses 2 "--snapshot: expected peak, all or" -t json --snapshot 5x "$in"
}

@test "massif: rejects malformed files" {
	while IFS='|' read -r message first second; do
		tree "$first" ${second:+"$second"}
		refuses 1 "expected $message" -f massif -t json "$t/x"
	done <<-'E'
		'nCOUNT: BYTES|n: 5 x
		'nCOUNT: BYTES|n0: 5
		more nodes|n1: 5 (heap)
		a node one level deeper|n1: 5 (heap)|n0: 4 0x1: f
		callers with no more bytes|n1: 5 (heap)| n0: 6 0x1: f (a.c:1)
		more nodes|n4000000000: 5 (heap)
	E
	echo 'desc: x' >"$t/x"
	refuses 1 "expected a snapshot with a tree" -f massif -t json "$t/x"
}
