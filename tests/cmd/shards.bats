# shards.bats - a batch in shards, on several machines; their manifests.
load ../helper
bats_require_minimum_version 1.5.0

setup()
{
	dir=$BATS_TEST_TMPDIR
	PLAIN=$PWD/samples/callgrind/plain/callgrind.out
	cp -r samples/gcov/gcc-c "$dir/unit"
	cd "$dir" || return 1
}

make_tree()
{
	mkdir -p in
	for i in $(seq 1 "${1:-40}"); do
		sed "s/^fn=(1) /fn=(1) f$((i % 9))/" "$PLAIN" >"in/callgrind.out.$i"
	done
	cp -r unit in/unit
}

batch()
{
	status=0
	"$CGCONV" "$@" 2>err || status=$?
}

# shards N ARG...: runs all N shards, each with an output and a manifest.
shards()
{
	local i n=$1

	shift
	for i in $(seq 1 "$n"); do
		batch -q --shard "$i/$n" -o "part$i.cgj" --manifest "m$i" "$@"
	done
}

@test "shards: each input is in exactly one shard" {
	make_tree
	shards 4 -r in
	"$CGCONV" -q -t json -r -j1 -o right.cgj in
	"$CGCONV" -o sum.cgj part[1-4].cgj
	same right.cgj sum.cgj
	"$CGCONV" -q -j2 -o sum2.cgj part4.cgj part2.cgj part1.cgj part3.cgj
	grep -v '"desc"\|"end"' right.cgj >a
	grep -v '"desc"\|"end"' sum2.cgj | same a -
	[ "$(grep -h '"input"' m? | wc -l)" -eq "$(find in -type f | wc -l)" ]
	[ -z "$(grep -h '"input"' m? | cut -d, -f1 | sort | uniq -d)" ]
	# Shards are selected by path, also of members of an archive.
	tar -cf in.tar in
	for i in 1 2 3 4; do
		"$CGCONV" --dry-run --shard "$i/4" -O x in.tar |
			sed -n 's,^in.tar/\(.* -> \),\1,p' | sort >"$i.tar"
		"$CGCONV" --dry-run --shard "$i/4" -O x -r in |
			grep -e '->' | sort | same "$i.tar" -
	done
}

@test "shards: rejects missing, duplicate and foreign shards" {
	make_tree
	shards 4 -r in
	refuses 1 "shard 3 of 4 is missing, 3 found" \
		-o x.cgj part1.cgj part2.cgj part4.cgj
	refuses 1 "shard 2 of 4 is given twice" \
		-o x.cgj part1.cgj part2.cgj part3.cgj part2.cgj part4.cgj
	refuses 1 "some inputs are shards of a batch, others are not" \
		-o x.cgj part[1-4].cgj in/callgrind.out.1
	mv part1.cgj one.cgj
	rm in/callgrind.out.7 m?
	shards 4 -r in
	refuses 1 "cannot merge shards of different batches" \
		-o x.cgj one.cgj part2.cgj part3.cgj part4.cgj
	# The same if workers merge.
	batch -j2 -o x.cgj part1.cgj part2.cgj part4.cgj
	[ "$status" -eq 1 ] && [ ! -e x.cgj ]
	grep -q "x.cgj: error: shard 3 of 4 is missing" err
	refuses 1 "shards of a batch cannot be inputs of another" -q --shard 1/2 -o x.cgj part1.cgj
}

@test "shards: --partial merges some shards; the output lists them" {
	make_tree
	shards 4 -r in
	"$CGCONV" -q -t json -r -j1 -o right.cgj in
	"$CGCONV" --partial -o a.cgj part1.cgj part2.cgj
	"$CGCONV" --partial -j1 -o b.callgrind part3.cgj part4.cgj 2>/dev/null
	[ "$(grep -c '^desc: Shard: [34]/4 of ' b.callgrind)" -eq 2 ]
	"$CGCONV" --partial -o b.cgj part3.cgj part4.cgj
	"$CGCONV" -o sum.cgj a.cgj b.cgj
	same right.cgj sum.cgj
	refuses 1 "shard 2 of 4 is given twice" -o x.cgj a.cgj part2.cgj
	refuses 1 "shard 3 of 4 is missing" -o x.cgj a.cgj part4.cgj
}

@test "shards: a shard without inputs writes an empty output; --shard takes numbers" {
	make_tree 1
	shards 9 in/callgrind.out.1
	[ "$(find . -name 'part?.cgj' | wc -l)" -eq 9 ]
	"$CGCONV" -o sum.cgj part?.cgj
	"$CGCONV" -t json in/callgrind.out.1 | grep -v '"desc"\|"end"\|"part"' >a
	grep -v '"desc"\|"end"\|"part"' sum.cgj | same a -
	for wrong in 0/4 5/4 4 x/4 1/0 1/70000 1/4x; do
		refuses 2 "--shard: expected I/N" --shard "$wrong" -O out -r in
	done
}

@test "shards: a group is in one shard" {
	for i in 1 2 3 4 5 6; do
		mkdir -p "in/job$i"
		cp "$PLAIN" "in/job$i/callgrind.out.1"
		cp "$PLAIN" "in/job$i/callgrind.out.2"
	done
	"$CGCONV" -q -O right --group-by dir -r in
	for i in 1 2 3; do
		"$CGCONV" -q -O out --shard "$i/3" --group-by dir -r in
	done
	diff -r right out
}

@test "shards: the manifest begins with the settings, which --resume checks" {
	make_tree
	batch -q -t json --shard 1/2 -O out --manifest m -r in
	head -n 1 m | grep -q '^{"cgconv":"[0-9.]*","options":\["--to=json"\],"shard":"1/2","list":"[0-9a-f]\{16\}","inputs":[0-9]*,"of":[0-9]*}$'
	batch -q -t json --shard 1/2 -O out --manifest m -r in --resume -j1
	[ "$status" -eq 0 ]
	cp m before
	refuses 2 "begun with different options: [\"--to=json\"]; give these, or start anew with --force" \
		--shard 1/2 -O out --manifest m -r in --resume
	refuses 2 "m belongs to shard 1/2" \
		-t json --shard 2/2 -O out --manifest m -r in --resume
	echo >>in/callgrind.out.1
	cp in/callgrind.out.1 in/new
	refuses 2 "m belongs to a different list of inputs" \
		-t json --shard 1/2 -O out --manifest m -r in --resume
	sed 's/"cgconv":"[^"]*"/"cgconv":"0.0.0"/' before >m
	refuses 2 "m was written by version 0.0.0" \
		-t json --shard 1/2 -O out --manifest m -r in --resume
	tail -n +2 before >m
	refuses 2 "m is not a manifest" \
		-t json --shard 1/2 -O out --manifest m -r in --resume
	# Without shards the list of inputs may change.
	batch -q -O day --manifest d -r in
	cp "$PLAIN" in/newer
	batch -q -O day --manifest d -r in --resume
	[ "$status" -eq 0 ]
	[ "$(grep -c '"status":"done"' d)" -eq 43 ]
	"$CGCONV" --merge-manifests d | grep -q '^all *46 *43 *0 *3 *0 *0 '
}

@test "shards: --merge-manifests sums up all shards" {
	make_tree
	shards 3 -r in
	"$CGCONV" --merge-manifests m? >table
	grep -q '^2/3 ' table
	grep -q '^all *44 *41 *0 *3 *0 *0 ' table
	grep -q "^Ir  *$(printf "%'d" $((40 * 3130)) | sed 's/^\(...\)\(...\)$/\1,\2/')$" table
	refuses_manifests "shard 2/3 is missing" m1 m3
	refuses_manifests "m1: error: this shard is given twice" m1 m2 m3 m1
	sed '1s/"list":"./"list":"z/' m2 >foreign
	refuses_manifests "foreign: error: it belongs to a different batch" m1 foreign m3
	sed '1s/\[\]/["--clamp"]/' m2 >foreign
	refuses_manifests "foreign: error: its options differ" m1 foreign m3
	sed 3d m2 >short
	refuses_manifests "" m1 short m3
	grep -q '^2/3 .* 1  *[0-9.]*$' table
	line=$(sed -n 2p m1)
	echo "$line" >>m2
	refuses_manifests "it is listed in two shards" m1 m2 m3
	refuses_manifests "m: error: cannot open" m
	echo "no line" >m
	refuses_manifests "m: error: line 1: not a line of a manifest" m
	# A header that is refused leaves nothing behind, first or later.
	for wrong in 3/1 0/3 1/0 1/99999999; do
		sed "1s,1/3,$wrong," m1 >bad
		refuses_manifests "bad: error: line 1: not a line" bad m2 m3
		refuses_manifests "bad: error: line 1: not a line" m2 bad m3
		sed "1p;1s,1/3,$wrong," m1 >bad
		refuses_manifests "bad: error: line 2: not a line" bad m2 m3
	done
	refuses 2 "no manifests" --merge-manifests
}

# Status 1, with that message.
refuses_manifests()
{
	local message=$1

	shift
	status=0
	"$CGCONV" --merge-manifests "$@" >table 2>err || status=$?
	[ "$status" -eq 1 ]
	[ -z "$message" ] || grep -qF -- "$message" err
}

@test "shards: failures are listed unless a later run succeeds" {
	make_tree 5
	printf 'events: Ir\nfn=f\ncalls=x\n' >in/bad
	batch -q -O out --manifest m -r in
	refuses_manifests "" m
	grep -q '^  in/bad$' table
	grep -q 'bad:3:7: error: expected' table
	cp "$PLAIN" in/bad
	batch -q -O out --manifest m -r in --retry-failed
	"$CGCONV" --merge-manifests m
}

@test "shards: the Slurm example of README.md runs on a local cluster" {
	cd "$ROOT"
	status=0
	tests/slurm >"$dir/log" 2>&1 || status=$?
	[ "$status" -ne 77 ] || skip "$(tail -n 1 "$dir/log")"
	[ "$status" -eq 0 ] || { cat "$dir/log" && false; }
}

@test "shards: inputs that cannot be added leave no sum, in one run or in shards" {
	printf 'event: t : Time (ns)\nevents: t\nfn=f\n1 5\n' >a
	sed 's/(ns)/(bytes)/' a >b
	cp a c
	for j in 1 2; do
		batch -j$j -o sum.cgj --manifest "run$j" a b c
		[ "$status" -eq 1 ] && [ ! -e sum.cgj ]
		grep -x 'sum.cgj: error: an input cannot be added to the others' err
		grep 'error: event t has the unit ns in one place and bytes' err
		[ "$(grep -c '"status":"failed"' "run$j")" -eq 3 ]
		grep -F 'cgconv: 3 inputs: 0 converted, 3 failed, 0 skipped' err
	done
	shards 3 a b c
	refuses 1 'event t has the unit' -o sum.cgj part[1-3].cgj
	[ ! -e sum.cgj ]
	# Without the misfit the batch is completed.
	cp a b
	batch -o sum.cgj --manifest run1 --resume --retry-failed \
		a b c
	[ "$status" -eq 0 ]
	"$CGCONV" -t callgrind sum.cgj | grep -x 'totals: 15'
}
