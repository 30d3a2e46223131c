# dhat.bats - allocations by Valgrind's DHAT, compared with its own output.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

# total EVENT: prints the sum of a self cost, as --info shows it.
total()
{
	"$CGCONV" --info samples/dhat/names/dhat.out |
		sed -n "s/^  $1 *\([0-9,]*\).*/\1/p" | head -n 1
}

@test "dhat: totals equal those that DHAT prints" {
	says=samples/dhat/names/dhat.txt
	grep -q "Total: *$(total tb) bytes in $(total tbk) blocks" $says
	grep -q "At t-gmax: *$(total gb) bytes in $(total gbk) blocks" $says
	grep -q "At t-end: *$(total eb) bytes in $(total ebk) blocks" $says
	grep -q "Reads: *$(total rb) bytes" $says
	grep -q "Writes: *$(total wb) bytes" $says
}

@test "dhat: the sums of a stack are those of its program point" {
	"$CGCONV" -q -t json samples/dhat/names/dhat.out |
		sed -n 's/^\["stack",[0-9]*,\([0-9]*\),\[\(.*\)\]\]/\1 \2/p' |
		sort >"$t/got"
	perl -MJSON::PP -0777 -ne 'for (@{decode_json($_)->{pps}}) {
		my @cost = @$_{qw(tb tbk tl mb mbk gb gbk eb ebk rb wb)};
		pop @cost while !$cost[-1];
		print "$$_{tbk} ", join(",", @cost), "\n" }' \
		samples/dhat/names/dhat.out | sort >"$t/want"
	[ "$(wc -l <"$t/want")" -ge 10 ]
	same "$t/want" "$t/got"
}

@test "dhat: frames with one address are inlined, recursion is not" {
	"$CGCONV" -q -t json samples/dhat/names/dhat.out >"$t/json"
	perl -MJSON::PP -ne '$_ = decode_json($_); next if ref ne "ARRAY";
		$name{$$_[1]} = $$_[2] if $$_[0] eq "function";
		next if $$_[0] ne "frame";
		print "$name{$$_[3]} ", ($$_[7] ? "inlined" : "called"), "\n"' \
		"$t/json" | sort -u >"$t/frames"
	grep -qx 'push_back inlined' "$t/frames"
	grep -qx 'main called' "$t/frames"
	not grep -q 'Tree::Tree.* inlined\|main inlined' "$t/frames"
}

@test "dhat: without lifetimes and accesses there are two events" {
	echo '{"ftbl":["[root]","0x10: f (a.c:1)"],"bklt":false,"bkacc":false,
		"pps":[{"tb":5,"tbk":2,"fs":[1]}],"dhatFileVersion":2}' |
		"$CGCONV" -q -t json >"$t/out"
	[ "$(grep -c '^."event"' "$t/out")" = 2 ]
	grep -qxF '["stack",1,2,[5,2]]' "$t/out"
}

@test "dhat: reads names with brackets, frames without names" {
	echo '{"ftbl":["[root]","0x10: f(int (*)(int)) (in /lib/a b.so)",
		"0x20: ???","0x30: (anonymous namespace)::g(int) (x.c:7)",
		"0x40: ??? (in /l.so)","0x50: h(void)"],
		"pps":[{"tb":1,"fs":[1,2,3,4,5]}],"dhatFileVersion":2}' |
		"$CGCONV" -q -t json | sed -n 's/^."function",[0-9]*,\("[^"]*"\).*/\1/p' |
		sort >"$t/got"
	printf '"%s"\n' '(anonymous namespace)::g(int)' 0x20 0x40 \
		'f(int (*)(int))' 'h(void)' | sort >"$t/want"
	same "$t/want" "$t/got"
}

@test "dhat: rejects malformed files" {
	while IFS='|' read -r message file; do
		echo "$file" >"$t/x"
		refuses 1 "expected $message" -f dhat -t json "$t/x"
	done <<-'E'
		dhatFileVersion 2|{"dhatFileVersion":1}
		ftbl with all frames|{"dhatFileVersion":2,"pps":[{"fs":[3]}],"ftbl":["[root]"]}
		the index of a frame|{"dhatFileVersion":2,"pps":[{"fs":[-3]}]}
		'ADDRESS: FUNCTION (FILE:LINE)'|{"ftbl":["[root]","main"]}
		a non-negative number|{"pps":[{"tb":-1}]}
	E
}
