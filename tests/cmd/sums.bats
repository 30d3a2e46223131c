# sums.bats - batches that merge inputs: -o, --group-by.
load ../helper
bats_require_minimum_version 1.5.0

setup()
{
	dir=$BATS_TEST_TMPDIR
	PLAIN=$PWD/samples/callgrind/plain/callgrind.out
	cp -r samples/gcov/gcc-c "$dir/unit"
	cd "$dir" || return 1
}

# Directory "in": ranks of jobs, one input malformed, and units of a program.
make_tree()
{
	local job i

	for job in 7 8; do
		mkdir -p "in/job$job"
		for i in $(seq 1 "${1:-20}"); do
			sed "s/^fn=(1) /fn=(1) f$((i % 9))/; s/^pid: .*/pid: $i/" \
				"$PLAIN" >"in/job$job/callgrind.out.$i"
		done
	done
	printf 'events: Ir\nfn=f\ncalls=x\n' >in/job8/bad
	cp -r unit in/unit
}

batch()
{
	status=0
	"$CGCONV" "$@" 2>err || status=$?
}

good()
{
	find in -name 'callgrind.out.*' -o -name '*.gcda'
}

@test "sums: -o merges the inputs and skips a bad one" {
	make_tree 300 # more than a chunk
	# shellcheck disable=SC2046 # word splitting is intended
	"$CGCONV" -q -t json -o right.cgj $(good | sort)
	for jobs in 1 2 3; do
		batch -q -j"$jobs" -r -o out.cgj --manifest "m$jobs" in
		[ "$status" -eq 1 ]
		same right.cgj out.cgj
		grep -q "^in/job8/bad:3:7: error: " err
		[ "$(wc -l <err)" -eq 2 ]
	grep -q "error: the output is partial: 1 of [0-9]* inputs failed" err
	done
	[ "$(grep -c '"status":"done","output":"out.cgj"' m2)" -eq 601 ]
	[ "$(grep -c '"status":"failed"' m2)" -eq 1 ]
	[ -z "$(find . -name '.*cgconv*')" ]
	tar -czf in.tgz in
	batch -q -o out.cgj in.tgz
	[ "$status" -eq 1 ]
	# Messages name the members of an archive.
	grep -v 'Data file\|"end"' out.cgj >a
	grep -v 'Data file\|"end"' right.cgj | same a -
}

@test "sums: merging one by one gives the same sum, in every format" {
	for format in $(cd "$ROOT/samples" && echo *); do
		case $format in
		src | gprof) continue ;; # gprof's are of many programs
		lcov) continue ;; # its lines are of a function by chance
		esac
		cd "$ROOT"
		files=$(samples "$format" | grep -v 'gcno$') || continue
		# shellcheck disable=SC2086 # many words
		"$CGCONV" -q -t json -o "$dir/right.cgj" $files || continue
		# shellcheck disable=SC2086 # many words
		"$CGCONV" -q -j1 -t json -o "$dir/out.cgj" $files
		# What command a part is of is known less well by plain sums.
		grep -v '"part"\|"end"' "$dir/right.cgj" >"$dir/a"
		grep -v '"part"\|"end"' "$dir/out.cgj" | same "$dir/a" -
		echo "$format" >>"$dir/done"
	done
	[ "$(wc -l <"$dir/done")" -gt 15 ]
}

@test "sums: --group-by dir makes one output of each directory" {
	make_tree
	batch -q -O out --group-by dir -r in
	[ "$status" -eq 1 ]
	[ "$(cd out && find . -type f | sort | tr '\n' ' ')" = \
		"./in/callgrind.out.job7 ./in/callgrind.out.job8 ./in/callgrind.out.unit " ]
	"$CGCONV" -t callgrind in/job7/* | same out/in/callgrind.out.job7 -
	"$CGCONV" -q -t callgrind in/unit | same out/in/callgrind.out.unit -
	tar -czf in.tgz in
	batch -q -O out2 -j3 --group-by dir in.tgz
	same out/in/callgrind.out.job8 out2/in/callgrind.out.job8
	"$CGCONV" --dry-run -O out --group-by dir -r in >plan
	grep -qx 'in/job7/callgrind.out.3 -> in/callgrind.out.job7' plan
}

@test "sums: --group-by REGEX; inputs that do not match are converted alone" {
	make_tree
	batch -q -t json -O out --group-by 'out[.]([0-9])' \
		--name 'all-{group}.cgj' -r in/job7 in/unit
	[ "$status" -eq 0 ]
	[ "$(find out -type f | wc -l)" -eq 10 ]
	"$CGCONV" -t json in/job7/callgrind.out.2 in/job7/callgrind.out.20 |
		same out/all-2.cgj -
	[ -e out/in/unit/all-cover.gcda.cgj ]
	batch -q -t json -O out2 --group-by 'job[0-9]' \
		--name '{dir}/sum/{stem}.cgj' in/job7/* in/job8/callgrind*
	[ -e out2/sum/job7.cgj ] && [ -e out2/sum/job8.cgj ]
	# Inputs with an empty match do not form a group.
	batch -q -t json -O out3 --group-by '(z*)' -r in/job7
	batch -q -t json -O out4 -r in/job7
	diff -r out3 out4
	refuses 2 "--group-by: expected dir or a regular expression, not '" \
		-O out --group-by '(' -r in
	refuses 2 "--group-by needs -O" -o out --group-by dir -r in
}

@test "sums: --name selects the format as -o does, before any work" {
	make_tree 2
	refuses 2 "cannot tell the output format from '{stem}.txt'" \
		-O out --name '{stem}.txt' -r in
	[ "$(wc -l <refuses.err)" -eq 1 ]
	[ ! -e out ]
	batch -q -O out --group-by dir --name '{dir}/{stem}.cgj' in/job7/*
	"$CGCONV" -q -t json in/job7/* | same - out/in/job7.cgj
	batch -q -O out --name '{base}' in/job7/*
	[ "$status" -eq 0 ]
}

@test "sums: outside of a batch the message on a bad input suggests -j" {
	printf 'events: Ir\nfn=f\ncalls=x\n' >bad
	refuses 1 "use -j with -o FILE to skip bad inputs" "$PLAIN" bad
	refuses 1 "use -j with -o FILE to skip bad inputs" bad "$PLAIN"
	batch bad
	[ "$(wc -l <err)" -eq 1 ]
	batch -q -j1 -o out.callgrind "$PLAIN" bad
	[ "$status" -eq 1 ]
	"$CGCONV" "$PLAIN" | same - out.callgrind
}

@test "sums: negative costs in one input make the event signed in the sum" {
	echo 'main;f 5' >a
	printf 'main;f -7\nmain;g 2\n' >b
	printf 'main;f -2\nmain;g 2\n' >right
	echo 'main;f 9223372036854775809' >huge
	for two in "a b" "b a"; do
		# shellcheck disable=SC2086 # two words
		"$CGCONV" -t folded $two | same right -
		# shellcheck disable=SC2086
		"$CGCONV" -q -j1 -t folded -o out $two
		same right out
	done
	refuses 1 "above 2^63" -t folded huge b
	refuses 1 "above 2^63" -t folded b huge
	"$CGCONV" -t folded huge a >out
	for file in b huge; do
		"$CGCONV" -t json -o $file.cgj $file
	done
	refuses 1 "above 2^63" -t json b.cgj huge.cgj
	refuses 1 "above 2^63" -j1 -t json -o x.cgj b.cgj huge.cgj
}

@test "sums: an executable among the inputs provides symbols for all of them" {
	case=$ROOT/samples/gprof/calls
	mkdir runs
	cp "$case/gmon.out" runs/gmon.out.1
	cp "$case/gmon.out" runs/gmon.out.2
	"$CGCONV" -t callgrind "$case/prog" runs/* >right
	batch -j2 -o out.callgrind "$case/prog" runs/*
	same right out.callgrind
	"$CGCONV" -t callgrind "$case/prog" runs/gmon.out.1 >right
	batch -O out "$case/prog" runs/*
	same right out/runs/callgrind.out.gmon.out.1 ||
		same right "$(find out -name '*1')"
}

@test "sums: a resumed sum is complete" {
	make_tree
	batch -q -O out --manifest m --group-by dir -r in
	cp -r out right
	batch -O out --manifest m --resume --group-by dir -r in
	grep -q ' 41 converted, 1 failed, .* 45 of them in earlier runs' err
	# With half of a group in the manifest the group is made again.
	{ head -n 1 m && grep job7 m | head -n 5; } >m2
	rm -r out/in/callgrind.out.job8
	batch -O out --manifest m2 --resume --group-by dir -r in
	diff -r right out
	[ "$(grep -c '"status":"done"' m2)" -ge 41 ]
}

@test "sums: kill -9 at any moment, then --resume: no temporary file is left" {
	make_tree 400
	batch -q -r -o right.callgrind in
	for wait in 0.01 0.03 0.05 0.08 0.12; do
		rm -f m out.callgrind
		setsid "$CGCONV" -q -o out.callgrind -j2 --manifest m -r in \
			2>/dev/null 3>&- &
		pid=$!
		sleep "$wait"
		kill -9 -- "-$pid" 2>/dev/null || true
		wait "$pid" || true
		batch -q -o out.callgrind -j2 --manifest m --resume -r in
		same right.callgrind out.callgrind
		[ -z "$(find . -name '.*cgconv*')" ]
	done
}

# mad.so: a module whose reader aborts.
make_mad()
{
	# shellcheck disable=SC2086 # word splitting is intended
	${CC:-cc} -I"$ROOT/lib" -fPIC -shared -o mad.so -x c - <<-'EOF2'
	#include <stdlib.h>
	#include "cgconv_parse.h"
	static int probe(const struct cg_head *head)
	{
		return cg_starts(head->text, "mad") ? CG_PROBE_SURE : 0;
	}
	static int read_mad(struct cg_job *job, struct cg_in *in,
	    struct cg_build *build)
	{
		(void)job, (void)in, (void)build;
		abort();
	}
	static const struct cg_module mad = { CG_MODULE, .name = "mad",
		.title = "mad", .probe = probe, .read = read_mad };
	__attribute__((visibility("default")))
	const struct cg_module *const cg_modules[] = { &mad, NULL };
	EOF2
}

@test "sums: if a worker dies, the sum has all other inputs" {
	case $CFLAGS in *-fsanitize*) skip "sanitizers need all addresses" ;; esac
	make_mad
	make_tree
	"$CGCONV" -o right.callgrind in/job7/*
	for i in 0 11 3x 9x; do
		echo mad >"in/job7/callgrind.out.$i"
	done
	rm in/job7/callgrind.out.11
	batch --module "$dir/mad.so" -j2 -r -o out.callgrind in/job7
	[ "$status" -eq 1 ]
	[ "$(grep -c 'error: the worker was killed: Aborted' err)" -eq 3 ]
	grep -q "19 converted, 3 failed" err
	rm in/job7/callgrind.out.*x in/job7/callgrind.out.0
	"$CGCONV" -o right.callgrind in/job7/*
	same right.callgrind out.callgrind
}

@test "sums: an output that cannot be written fails all of its inputs" {
	make_tree 3
	mkdir -p out/in/callgrind.out.job7
	batch -O out --group-by dir --manifest m -r in
	[ "$status" -eq 1 ]
	grep -q "out/in/callgrind.out.job7: error: " err
	[ "$(grep -c '"status":"failed".*directory' m)" -eq 3 ]
	[ -e out/in/callgrind.out.job8 ]
	refuses 2 "a batch needs -O" -r in
	refuses 2 "--part-by cannot be used where inputs are merged" -o x -r in --part-by tid
	tar -cf x.tar in
	refuses 2 "archives need -O, the dir" x.tar
	refuses 2 "--info cannot read archives" --info x.tar
	refuses 2 "--diff cannot read archives" --diff x.tar "$PLAIN"
	refuses 2 "--verify cannot read archives" --verify "$PLAIN" x.tar
	# A directory may be named like an archive.
	mkdir x.tar.d
	cp "$PLAIN" x.tar.d/x
	"$CGCONV" x.tar.d/x >/dev/null
}

# Directory "units": units of programs with data, and notes that never ran.
make_units()
{
	local unit file

	mkdir units
	for unit in "$ROOT"/samples/gcov/{gcc-c,gcc-cc,clang-b21,marks,never}/; do
		for file in "$unit"*.gc??; do
			cp "$file" "units/$(basename "$unit")-${file##*/}"
		done
	done
}

@test "sums: units are read once, all together" {
	make_units
	"$CGCONV" -q -o right.info units
	for jobs in 1 2; do
		batch -v -j "$jobs" -r -o out.info units
		[ "$status" -eq 0 ]
		[ "$(grep -c 'reading as gcov' err)" -eq 5 ]
		grep -q 'note: 1 of 5 units never ran' err
		grep -q '^units/clang-b21-cover.gcno:.*is in no directory' err
		same right.info out.info
		# A manifest tells of each, so each is read alone before.
		batch -j "$jobs" --manifest m -r -o out.info units
		[ "$(grep -c '"format":"gcov"' m)" -eq 5 ]
		same right.info out.info
		rm m
	done
	tar -cf units.tar units
	batch -v -r -o out.info units.tar
	[ "$(grep -c 'reading as gcov' err)" -eq 5 ]
	same <(grep -c . right.info) <(grep -c . out.info)
}

@test "sums: of units that cannot be read, each costs itself alone" {
	make_units
	"$CGCONV" -q -o right.info units
	cp units/gcc-c-cover.gcno units/bad.gcno
	head -c 300 units/gcc-c-cover.gcda >units/bad.gcda
	cp units/gcc-cc-cover.gcda units/alone.gcda
	for jobs in 1 2; do
		batch -j "$jobs" -r -o out.info units
		[ "$status" -eq 1 ]
		grep -q '5 converted, 2 failed' err
		[ "$(grep -c '^units/bad.gcda:.*error: ' err)" -eq 1 ]
		[ "$(grep -c 'expected the notes (.gcno) of units/alone' err)" -eq 1 ]
		[ "$(grep -c 'clang-b21.*is in no directory' err)" -eq 1 ]
		same right.info out.info
	done
	batch --fail-fast -q -r -o none.info units
	[ "$status" -eq 1 ]
	[ ! -e none.info ]
}

@test "sums: a worker that dies of a unit costs that unit alone" {
	case $CFLAGS in *-fsanitize*) skip "sanitizers need all addresses" ;; esac
	make_mad
	make_units
	"$CGCONV" -q -o right.info units
	echo mad >units/a.gcda
	echo mad >units/z.gcda
	batch --module "$dir/mad.so" -j2 -r -o out.info units
	[ "$status" -eq 1 ]
	[ "$(grep -c 'error: the worker was killed: Aborted' err)" -eq 2 ]
	grep -q '5 converted, 2 failed' err
	same right.info out.info
}

@test "sums: what others told is told once, though a unit is bad" {
	make_units
	head -c 300 units/gcc-c-cover.gcda >units/z.gcda
	cp units/gcc-c-cover.gcno units/z.gcno
	printf 'TN:\nXX:1\nSF:/x.c\nDA:1,1\nend_of_record\n' >units/a.info
	batch -v -j1 -r -o out.info units
	[ "$status" -eq 1 ]
	grep -q '6 converted, 1 failed' err
	[ "$(grep -c 'unknown record skipped' err)" -eq 1 ]
	[ "$(grep -c 'a.info: note: reading as lcov' err)" -eq 1 ]
}

@test "sums: nothing of a group that has failed is in the output of another" {
	mkdir -p in/{a,b,c1,c2,c3}
	awk 'BEGIN {
		for (file = 1000; file < 1600; file++) {
			name = "in/a/" file
			print "event: t : Time (" (file == 1250 ? "bytes" : "ns") \
				")\nevents: t\nfn=from_a" >name
			for (i = 1; i < 1000; i++)
				print i " 1" >name
			close(name)
		}
	}'
	for group in b c1 c2 c3; do
		for i in 1 2 3 4 5 6 7 8; do
			printf 'events: t\nfn=from_b\n1 1\n' >"in/$group/$i"
		done
	done
	for jobs in 1 2 3; do
		batch -q -j "$jobs" --group-by dir -r -O out -t callgrind in
		[ "$status" -eq 1 ]
		[ ! -e out/in/callgrind.out.a ]
		for group in b c1 c2 c3; do
			grep -qx 'summary: 8' "out/in/callgrind.out.$group"
			run ! grep -q from_a "out/in/callgrind.out.$group"
		done
		rm -r out
	done
}

@test "sums: units with other files between them find each other for any -j" {
	mkdir in
	for file in "$ROOT"/samples/gcov/calls/caller.gc??; do
		cp "$file" "in/a-${file##*/}"
	done
	for file in "$ROOT"/samples/gcov/calls/target.gc??; do
		cp "$file" "in/z-${file##*/}"
	done
	awk 'BEGIN {
		for (file = 100; file < 340; file++) {
			name = "in/f" file
			print "events: Ir\nfl=f.c\nfn=f" >name
			for (i = 1; i < 2000; i++)
				print i " 1" >name
			close(name)
		}
	}'
	"$CGCONV" -q -t json -o right.cgj in/a*.gcda in/f* in/z*.gcda
	tar -cf in.tar in/a-caller.gc?? in/f* in/z-target.gc??
	for jobs in 1 2 3; do
		batch -q -j "$jobs" -r -o out.cgj in
		[ "$status" -eq 0 ]
		same <(grep -c '^\["call"' right.cgj) <(grep -c '^\["call"' out.cgj)
		batch -q -j "$jobs" -o tar.cgj in.tar
		[ "$status" -eq 0 ]
		same <(grep -c '^\["call"' right.cgj) <(grep -c '^\["call"' tar.cgj)
	done
}
