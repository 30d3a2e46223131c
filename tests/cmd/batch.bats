# batch.bats - -O: one output per input; archives, crashes, failures.
load ../helper
bats_require_minimum_version 1.5.0

PLAIN=samples/callgrind/plain/callgrind.out

setup()
{
	dir=$BATS_TEST_TMPDIR
	cp -r samples/gcov/gcc-c "$dir/unit"
	PLAIN=$PWD/$PLAIN
	FOLDED=$PWD/$(samples folded | head -n 1)
	cd "$dir" || return 1
}

# Directory "in": several formats, malformed files, files that are no profiles.
make_tree()
{
	mkdir -p in/a in/b/deep
	for i in $(seq 1 "${1:-20}"); do
		sed "s/^fn=(1) /fn=(1) f$i/" "$PLAIN" >"in/a/callgrind.out.$i"
	done
	gzip in/a/callgrind.out.2
	cp "$FOLDED" in/b/stacks.folded
	cp -r unit in/b/deep
	printf 'events: Ir\nfn=f\ncalls=x\n' >in/b/bad
	gzip -c "$PLAIN" | head -c 500 >in/b/cut.gz
	echo "no profile" >in/b/text
	: >in/b/empty
	ln -s "$PLAIN" in/b/callgrind.out.link
}

batch()
{
	status=0
	"$CGCONV" "$@" 2>err || status=$?
}

# ---- Outputs ----------------------------------------------------------------

@test "batch: mirrors a tree, each output equals a single conversion" {
	make_tree
	batch -t callgrind -O out -r in
	[ "$status" -eq 1 ]
	"$CGCONV" -t callgrind in/a/callgrind.out.7 | same out/in/a/callgrind.out.7 -
	"$CGCONV" -t callgrind in/a/callgrind.out.2.gz |
		same out/in/a/callgrind.out.2 -
	"$CGCONV" -q -t callgrind in/b/stacks.folded |
		same out/in/b/callgrind.out.stacks -
	[ -e out/in/b/deep/unit/callgrind.out.cover ]
	[ ! -e out/in/b/callgrind.out.bad ] && [ ! -e out/in/b/callgrind.out.cut ]
	grep -q "^in/b/bad:3.*: error: " err
	grep -q "^in/b/cut.gz.*: error: gzip data ends early" err
	[ -z "$(find out -name '.*' -type f)" ]
}

@test "batch: skips files that are not profiles, reports them with -v" {
	make_tree 2
	batch -O out -r in
	grep -qE ' inputs: 5 converted, 2 failed, [0-9]+ skipped' err
	not grep -q "in/b/text" err
	rm -rf out
	batch -v -O out -r in
	grep -q "in/b/text: error: unknown input format" err
}

@test "batch: -j1, -j2, -j7 and archives give identical bytes" {
	make_tree
	batch -O one -j1 -r in
	sed 's/; [0-9.]* s$//' err >err1
	for j in 2 7; do
		rm -rf out
		batch -O out -j "$j" -r in
		diff -r one out
		sed 's/; [0-9.]* s$//' err | same err1 -
	done
	rm in/b/callgrind.out.link one/in/b/callgrind.out.link
	tar -cf plain.tar in
	tar -czf in.tgz in
	tar -cJf in.tar.xz --format=pax in
	for archive in plain.tar in.tgz in.tar.xz; do
		rm -rf out
		batch -O out -j2 "$archive"
		[ "$status" -eq 1 ]
		diff -r one out
		grep -q "^$archive/in/b/bad:3" err
	done
	command -v zip >/dev/null || skip "no zip"
	rm -rf out
	zip -qr in.zip in
	batch -O out in.zip
	diff -r one out
}

@test "batch: skips pipes and links to directories within directories" {
	mkdir -p in/a
	cp "$PLAIN" in/a/callgrind.out.1
	ln -s .. in/a/up
	ln -s a in/link
	ln -s nowhere in/dangling
	mkfifo in/pipe
	batch -v --timeout 5 -O out --manifest m -r in
	[ "$status" -eq 1 ]
	grep -q '^in/dangling: error: cannot open: ' err
	grep -q ' 1 converted, 1 failed, 3 skipped, 0 kept' err
	grep '"input":"in/pipe"' m | grep -q '"reason":"a pipe or a device"'
	grep '"input":"in/a/up"' m | grep -q '"reason":"a link to a directory"'
	[ "$(find out -type f)" = out/in/a/callgrind.out.1 ]
	# A pipe that is named as an input is read.
	cat "$PLAIN" >in/pipe &
	"$CGCONV" -q -O two in/pipe
	same out/in/a/callgrind.out.1 two/in/callgrind.out.pipe
}

@test "batch: reads lists of inputs separated by newlines or NULs" {
	make_tree 3
	batch -O one -r in
	find in -type f -o -type l | sort >list
	batch -O out --files-from list
	diff -r one out
	rm -rf out
	find in ! -type d -print0 | batch -O out -0 --files-from -
	diff -r one out
	# Without -0 this is one long name that ends at its first NUL.
	find in ! -type d -print0 >list
	refuses 2 "list: names end in NUL, not newline; use -0" -O two --files-from list
	refuses 2 "cannot read in: Is a directory" -O two --files-from in "$PLAIN"
	[ ! -e two ]
}

@test "batch: makes the names of outputs from those of inputs" {
	make_tree 2
	batch -q -t json -O out -r in
	[ -e out/in/a/callgrind.out.1.cgj ] && [ -e out/in/b/stacks.cgj ]
	batch -q -t json --gzip --name 'x-{stem}.{base}' -O out2 in/a/callgrind.out.2.gz
	gzip -dc out2/in/a/x-callgrind.out.2.callgrind.out.2.gz.gz >/dev/null
	# Two inputs of one name get different outputs.
	batch -q -O out3 "$FOLDED" "$FOLDED"
	[ "$(find out3 -type f | wc -l)" -eq 2 ]
	# Names that other outputs have.
	mkdir 1 2 3 4
	cp "$PLAIN" 1/f && cp 1/f 2/f~2 && cp 1/f 3 && cp 1/f 4
	"$CGCONV" --dry-run -O out --name 'all/{base}' 1/f 2/f~2 3/f 4/f >plan
	[ "$(cut -d' ' -f3 plan | tr '\n' ' ')" = \
		"all/f all/f~2 all/f~3 all/f~4 " ]
}

# 2^17 names with one hash h * 33 ^ c: each of 17 blocks has two forms that lead
# from one state to the same one. Compared one with another they take minutes.
@test "batch: names of outputs that were made to collide take no longer" {
	perl -e 'use integer;
		sub step { my ($h, $t) = @_; $h = $h * 33 ^ ord for split //, $t; $h }
		my ($state, @two) = 5381;
		my @c = (0 .. 9, "a" .. "z");
		my @texts = map { my $c = $_; map { "a$c$_" } @c } @c;
		for (1 .. 17) {
			my %seen;
			for my $text (@texts) {
				my $h = step($state, $text);
				$seen{$h} //= $text;
				next if $seen{$h} eq $text;
				push @two, [$seen{$h}, $text];
				$state = $h;
				last;
			}
		}
		die if @two < 17;
		for my $i (0 .. 2 ** 17 - 1) {
			print map({ $two[$_][$i >> $_ & 1] } 0 .. 16), "\n";
		}' >list
	(ulimit -t 30 && "$CGCONV" -q --dry-run -t folded -O out --files-from list) >plan
	[ "$(sed 's/.* -> //' plan | sort -u | wc -l)" = 131072 ]
}

@test "batch: suffixes of inputs do not select the format of outputs" {
	mkdir in
	cp "$PLAIN" in/json
	cp "$PLAIN" in/x.csv.callgrind
	cp "$PLAIN" in/y.svg
	cp "$PLAIN" in/z.foo
	batch -O out -r in
	[ "$status" -eq 0 ]
	batch -O two --name '{base}' -r in
	[ "$status" -eq 0 ]
	"$CGCONV" "$PLAIN" >want
	for name in out/in/callgrind.out.json out/in/callgrind.out.x.csv \
		two/in/y.svg two/in/z.foo; do
		same want "$name"
	done
	batch -O three --name '{base}.cgj' -r in
	head -n 1 three/in/y.svg.cgj | grep -q '^{"cgconv":"graph"'
}

@test "batch: reads an archive that is given twice, and one with part of a unit" {
	make_tree 3
	(cd unit && tar -cf ../unit.tar cover.gcda cover.gcno)
	tar -cf in.tar in/a
	batch -q -O out unit.tar in.tar in.tar "$PLAIN" unit.tar
	[ "$status" -eq 0 ]
	[ "$(find out -type f | wc -l)" -eq 9 ]
	cmp out/callgrind.out.cover out/callgrind.out.cover~2
	cmp out/in/a/callgrind.out.3 out/in/a/callgrind.out.3~2
	# The notes wait for their data, which is truncated.
	size=$(wc -c <unit/cover.gcda)
	head -c $((512 + (size + 511) / 512 * 512 + 600)) unit.tar >cut.tar
	batch -O two --manifest m cut.tar
	[ "$status" -eq 1 ]
	grep -q 'cut.tar/cover.gcda: error: ' err
	grep -q ' 0 converted, 2 failed, 1 skipped, 0 kept;' err
	grep -q '"member":"cover.gcda".*"status":"failed","error":' m
}

@test "batch: members of archives stay in the output directory" {
	mkdir -p src x out
	cp "$PLAIN" src/callgrind.out.1
	cp "$PLAIN" x/callgrind.out.2
	cp "$PLAIN" "src/$(printf 'new\nline\033')"
	ln -s /etc/passwd src/callgrind.out.link
	mkfifo src/pipe
	tar -cPf bad.tar --transform 's,^x/,../../,' \
		--transform "s,.*out.1,$dir/abs," x/callgrind.out.2 -C src .
	batch -O out/deep/er --manifest m bad.tar
	[ "$status" -eq 0 ]
	[ "$(ls -A out)" = deep ] && [ "$(ls -A out/deep)" = er ]
	[ ! -e abs ] && [ ! -e callgrind.out.2 ]
	find out -name 'callgrind.out.2' | grep -q '%2e%2e/%2e%2e/'
	find out -name '*new%0aline%1b' | grep -q .
	[ -e "out/deep/er$dir/callgrind.out.abs" ]
	grep -q '"status":"skipped","reason":"a link or a device"' m
	[ -z "$(find out -type l)" ]
}

@test "batch: never reads its outputs" {
	make_tree 3
	rm -r in/b
	for run in 1 2; do
		batch -o in/a/sum.cgj --manifest in/m --force -r in
		[ "$status" -eq 0 ]
		"$CGCONV" -t callgrind in/a/sum.cgj >"sum$run"
	done
	cmp sum1 sum2
}

# keeps MESSAGE ARG...: a usage error before anything is read or written.
keeps()
{
	local message=$1

	shift
	md5sum -- * 2>/dev/null >"$dir/before"
	refuses 2 "$message" "$@"
	md5sum --quiet -c "$dir/before"
	[ "$(ls)" = "$(cut -d' ' -f3- "$dir/before")" ]
}

@test "batch: an output that would overwrite an input refuses the batch" {
	make_tree 3
	cd in/a
	printf 'a;b 3\na;c 4\n' | tee x.folded >y.folded
	cp callgrind.out.1 x.callgrind
	keeps "./x.folded would overwrite ./x.folded" -O . -r -t folded .
	keeps "would overwrite x.folded" -O . -t folded --focus b x.folded
	keeps "would overwrite x.folded" -O . --guess-stacks -t folded \
		x.callgrind x.folded
	keeps "would overwrite x.folded" -o x.folded -j2 x.folded y.folded
	keeps "would overwrite x.folded" -o x.folded -r --force x.folded y.folded
	keeps "--manifest x.folded would overwrite" --manifest x.folded --force \
		-O out -t json x.folded
	printf '%s\n' x.folded y.folded >list
	cp x.folded all
	keeps "x.folded would overwrite x.folded" --files-from list -O . \
		-t folded
	keeps "x.folded would overwrite x.folded" --files-from list -o x.folded
	keeps "-o list would overwrite list" --files-from list -o list -t json
	keeps "list would overwrite list" --files-from list -O . --name list --force
	keeps "all would overwrite all" --group-by dir -O . --name all -t json \
		--exe all x.folded
	tar cf in.tar x.folded
	keeps "in.tar would overwrite in.tar" -O . --name in.tar -t json in.tar
	keeps "-o in.tar would overwrite in.tar" -o in.tar -t json in.tar
	# An output that is newer than its input is kept.
	touch -d 2001-01-01 x.callgrind
	batch -O . -t folded --guess-stacks x.callgrind
	[ "$status" -eq 0 ]
	grep -q ' 1 kept' err
	# What only the conversion finds fails alone.
	cp ../../unit/*.gcno ../../unit/*.gcda .
	set -- *.gcda
	cp "${1%da}no" before
	batch -O . --name "${1%da}no" -t json "$1" x.folded
	[ "$status" -eq 1 ]
	grep -q "^$1: error: the output .*no would overwrite a file" err
	cmp "${1%da}no" before
}

@test "batch: keeps newer outputs, --force rewrites them" {
	make_tree 3
	find in -exec touch -h -d '2001-01-01' {} +
	batch -O out -r in
	echo mine >out/in/a/callgrind.out.1
	batch -O out -r in
	grep -q ' 0 converted, .* 6 kept' err
	[ "$(cat out/in/a/callgrind.out.1)" = mine ]
	touch in/a/callgrind.out.1 -d tomorrow
	batch -O out -r in
	grep -q ' 1 converted, .* 5 kept' err
	echo mine >out/in/a/callgrind.out.3
	batch -O out -r in --force
	not grep -q mine out/in/a/callgrind.out.3
}

@test "batch: --dry-run prints the plan and writes nothing" {
	make_tree 2
	"$CGCONV" --dry-run -O out -r in >plan
	grep -qx 'in/a/callgrind.out.1 -> in/a/callgrind.out.1' plan
	grep -qx 'in/b/deep/unit/cover.gcno: skipped, read with .*' plan
	[ ! -e out ]
}

@test "batch: rejects conflicting options" {
	make_tree 2
	refuses 2 "is a directory; use -r" -O out in
	refuses 2 "-O and -o cannot be used together" -O out -o file in/a/callgrind.out.1
	refuses 2 "needs -O" -r in
	refuses 2 "no inputs" -O out
	refuses 2 "--resume needs" -O out --resume -r in
	refuses 2 "--jobs: expected a number from 1 to 1024, not 'none'" \
		-O out -j none -r in
	refuses 2 "--jobs: expected a number from 1 to 1024, not '1025'" \
		-O out -j 1025 -r in
	refuses 2 "--timeout: expected a number from 1 to" -O out --timeout 0 \
		-r in
	# As from an unset variable; it must not mean "/".
	refuses 2 "-O needs a value, not ''" -O '' -r in
	refuses 2 "-o needs a value, not ''" -o '' -r in
	refuses 2 "--name: expected a path below the output directory, not '../x'" \
		-O out --name ../x -r in
	for name in '{steem}' '{stem}.{}' 'a{'; do
		refuses 2 "--name: expected {dir}, {base}, {stem} or {group}, not '" \
			-O out --name "$name" -r in
	done
}

# ---- Manifests ------------------------------------------------------------------

@test "batch: the manifest has a line for each input" {
	make_tree 3
	batch -q -O out --manifest m -r in
	[ "$(find in ! -type d | wc -l)" -eq "$(grep -c '"input"' m)" ]
	perl -MJSON::PP -ne 'decode_json($_)' m
	grep '"input":"in/a/callgrind.out.1"' m |
		grep '"status":"done","output":"in/a/callgrind.out.1"' |
		grep '"format":"callgrind","totals":{"Ir":3130}' |
		grep -q '"seconds":[0-9]'
	grep '"input":"in/b/bad"' m | grep '"status":"failed"' |
		grep -q '"exit":1,"error":"in/b/bad:3'
	grep '"input":"in/b/bad"' m | grep -q '"file":"in/b/bad","line":3,"column":7,"severity":"error","text":"expected '
	grep '"input":"in/b/cut.gz"' m | grep -q '"file":"in/b/cut.gz","offset":500,'
	grep '"input":"in/b/text"' m |
		grep -q '"status":"skipped".*"reason":".*unknown input format'
	refuses 2 "m exists; continue it with --resume" -O out --manifest m -r in
}

@test "batch: --resume converts the rest, --retry-failed also what failed" {
	make_tree
	batch -O one -j1 --manifest m -r in
	grep -q '"status":"failed"' m
	# Half of the manifest and a truncated line, as after a crash.
	head -n 12 m >half
	tail -n 1 m | head -c 40 >>half
	mkdir out && cp -r one/in out
	cp half m2
	rm -r "out/in/b"
	touch out/in/a/.callgrind.out.5.cgconv.999 out/in/a/.x.cgconv.999
	batch -O out --manifest m2 --resume -r in
	# Temporary files of other runs are kept.
	rm out/in/a/.x.cgconv.999
	diff -r one out
	[ "$(wc -l <m2)" -eq "$(wc -l <m)" ]
	[ "$(head -n 12 m2)" = "$(head -n 12 m)" ]
	batch -O out --manifest m2 --resume -r in
	[ "$status" -eq 1 ]
	[ "$(wc -l <m2)" -eq "$(wc -l <m)" ]
	cp "$PLAIN" in/b/bad
	batch -O out --manifest m2 --retry-failed -r in
	[ -e out/in/b/callgrind.out.bad ]
}

@test "batch: --resume leaves alone what is no input any more, or never was" {
	mkdir in
	cp unit/cover.gcno in
	batch -q -t json -O out -r in --manifest m
	[ "$status" = 0 ]
	# Now both are one unit.
	cp unit/cover.gcda in
	batch -t json -O out -r in --manifest m --resume
	[ "$status" = 0 ]
	grep -q "2 inputs: 1 converted, 0 failed, 1 skipped" err
	grep -q '"input":"in/cover.gcno".*"status":"skipped"' m
	# An archive that is cut is not read by a worker.
	tar -cf cut.tar "unit/cover.gcno" && head -c 700 cut.tar >in/x.tar
	batch -q -t json -O two -r in --manifest n
	[ "$status" = 1 ]
	before=$(wc -l <n)
	batch -t json -O two -r in --manifest n --retry-failed
	[ "$status" = 1 ]
	[ "$(grep -c memory err)" = 0 ]
	! tail -n +$((before + 1)) n | grep '"reason"'
}

@test "batch: never reads an output directory that appears while inputs are listed" {
	mkdir in
	cp "$FOLDED" in/a.folded
	(sleep 0.3 && mkdir -p in/out && cp "$FOLDED" in/out/b.folded && echo in) |
		"$CGCONV" -t json -r --files-from - -O in/out --dry-run >plan
	says "in/a.folded -> in/a.cgj" <plan
}

@test "batch: a manifest is locked by one run; other files are not truncated" {
	make_tree 2
	mkfifo pipe
	"$CGCONV" -q -O out --manifest m -r in pipe 2>/dev/null 3>&- &
	pid=$!
	until [ -s m ]; do sleep 0.01; done
	refuses 2 "m is in use by another run" -O out --manifest m --resume in/b/bad
	refuses 2 "m is in use by another run" -O out --manifest m --force in/b/bad
	: >pipe
	wait "$pid" || [ $? -eq 1 ]
	# The lock ends with the run.
	batch -O out --manifest m --resume -r in
	[ "$status" -eq 1 ]
	printf 'no line, no manifest' >text
	refuses 2 "text is not a manifest" -O out --manifest text \
		--resume -r in
	[ "$(cat text)" = "no line, no manifest" ]
	printf '{"cgconv":"0' >text
	batch -O out --manifest text --resume -r in
	head -n 1 text | grep -q '^{"cgconv":"[0-9.]*","options"'
}

@test "batch: the manifest records times before 1970" {
	make_tree 2
	touch -d "1960-01-01" in/a/callgrind.out.1
	batch -O out --manifest m in/a/callgrind.out.1
	[ "$status" -eq 0 ]
	grep -q '"mtime":-315' m
	batch -O out --manifest m --resume in/a/callgrind.out.1
	grep -q "1 of them in earlier runs" err
	"$CGCONV" --merge-manifests m | grep -q "^1/1 *1 *1 *0"
}

@test "batch: the manifest records names of any bytes and 64-bit numbers" {
	mkdir in
	# UTF-8, a byte that is not, a quote, a backslash, a newline.
	name=$(printf 'in/\303\244\377"\\\nx')
	printf 'events: I\377r\nfn=f\n1 18446744073709551615\n' >"$name"
	batch -q -O out --manifest m -r in
	[ "$status" -eq 0 ]
	grep -qF "$(printf '{"input":"in/\303\244\\udcff\\"\\\\\\nx",')" m
	grep -qF '"totals":{"I\udcffr":18446744073709551615}' m
	batch -O out --manifest m --resume -r in
	grep -q '1 converted, .* 1 of them in earlier runs' err
	"$CGCONV" --merge-manifests m | grep -q '18,446,744,073,709,551,615$'
	# Equivalent JSON of other versions and programs.
	sed 's/\\n/\\u000a/; s/\\"/\\u0022/; s/udcff/uDCFF/; s/,"/ , "/g' m >m2
	batch -O out --manifest m2 --resume -r in
	grep -q '1 converted, .* 1 of them in earlier runs' err
}

@test "batch: --resume knows the temporary files of all outputs" {
	local long

	cd "$BATS_TEST_TMPDIR" || return 1
	long=$(printf 'n%.0s' $(seq 230))
	mkdir in
	echo 'a;b 1' | tee in/a.cgconv.b.folded >"in/$long"
	batch -q -t json -O out --manifest m -r in
	[ "$status" -eq 0 ]
	cp -r out one
	touch out/in/.a.cgconv.b.cgj.cgconv.{7,7.1} \
		out/in/..a.cgconv.b.cgj.cgconv.7.0.cgconv.8 \
		"out/in/.${long:0:200}.cgconv.7" "out/in/..${long:0:199}.cgconv.7"
	batch -q -t json -O out --manifest m --resume -r in
	[ "$status" -eq 0 ]
	diff -r one out
	# Those of other outputs stay.
	touch out/in/.cgconv.7 out/in/.a.cgj.cgconv.7 out/in/.a.cgconv.b.cgj.7 \
		"out/in/.${long:0:199}.cgconv.7"
	batch -q -t json -O out --manifest m --resume -r in
	[ "$(find out -name '.*' -type f | wc -l)" -eq 4 ]
}

@test "batch: rejects malformed manifest lines" {
	deep=$(printf '[%.0s' $(seq 100))
	for line in '{"cgconv":"1"' '{"a":1}x' '{"a":NaN}' '{"a":01}' '[]' \
		'{"size":18446744073709551616}' '{"size":-9223372036854775809}' \
		"{\"a\":$deep}" '{"a":"\u12"}' "{'a':1}" '{"a":1,}' ''; do
		printf '%s\n' "$line" >m
		run -1 "$CGCONV" --merge-manifests m
		[[ $output == *"line 1: not a line of a manifest"* ]]
	done
}

@test "batch: kill -9 at any moment, then --resume: the same outputs" {
	make_tree 400
	tar -czf in.tgz in
	for what in "-r in" in.tgz; do
		rm -rf one
		# shellcheck disable=SC2086 # two words
		batch -q -O one $what
		for wait in 0.01 0.02 0.03 0.05 0.08; do
			rm -rf out m
			# shellcheck disable=SC2086 # two words
			setsid "$CGCONV" -q -O out -j2 --manifest m $what \
				2>/dev/null 3>&- &
			pid=$!
			sleep "$wait"
			kill -9 -- "-$pid" 2>/dev/null || true
			wait "$pid" || true
			# shellcheck disable=SC2086 # two words
			batch -q -O out -j2 --manifest m --resume $what
			diff -r one out
			[ -z "$(find out -name '.*.cgconv.*')" ]
		done
	done
}

@test "batch: prints a warning for five inputs, counts the others" {
	for i in $(seq 1 12); do
		cp "$ROOT/samples/gprof/calls/gmon.out" "gmon.$i"
	done
	batch -O out gmon.*
	[ "$(grep -c ': warning: functions are named by' err)" -eq 5 ]
	grep -q '^cgconv: warning: and 7 more inputs: functions are named' err
	rm -r out
	batch -v -O out gmon.*
	[ "$(grep -c ': warning: functions are named by' err)" -eq 12 ]
	rm -r out
	batch -q -O out gmon.*
	[ ! -s err ]
}

@test "batch: prints a note for five inputs, counts the others" {
	for i in $(seq 1 9); do
		printf 'events: A B\nfl=a.c\nfn=f\n1 2 3\n' >"$i.cg"
	done
	batch -t lcov -O out ./*.cg
	[ "$(grep -c ': note: event A of 2 written' err)" -eq 5 ]
	grep -q '^cgconv: note: and 4 more inputs: event A of 2 written.* (-v)$' err
	batch -v --force -t lcov -O out ./*.cg
	[ "$(grep -c ': note: event A of 2 written' err)" -eq 9 ]
}

@test "batch: shows progress on a terminal, not with -q or in a short log" {
	needs_terminal
	make_tree 3
	mkfifo slow
	for quiet in "" -q; do
		(sleep 0.7 && cat "$PLAIN" >slow) &
		script -qec "stty cols 100; $CGCONV $quiet -O out$quiet -j1 \
			in/a/callgrind.out.1 slow in/a/callgrind.out.3 in/b/bad" \
			/dev/null </dev/null 3>&- >terminal || true
		wait
		tr '\r' '\n' <terminal >"lines$quiet"
	done
	grep -q '\[#*-*\] *[0-9]*% 2 of 4 inputs, 1.9 kB, [0-9]* inputs/s, .*B/s, 0:0. left' lines
	grep -q '4 inputs: 3 converted, 1 failed' lines
	not grep -q 'inputs' lines-q
	grep -q 'in/b/bad:3:7: error' lines-q
	batch -O out2 -j1 in/a/*
	[ "$(wc -l <err)" -eq 1 ]
}

# ---- Faults -----------------------------------------------------------------

@test "batch: a worker that dies, hangs or exceeds limits fails its input only" {
	build=${CC:-cc}
	# shellcheck disable=SC2086 # several flags
	$build -I"$ROOT/lib" -fPIC -shared -o mad.so -x c - <<-'EOF'
	#include <stdlib.h>
	#include "cgconv_parse.h"
	static int probe(const struct cg_head *head)
	{
		return cg_starts(head->text, "mad ") ? CG_PROBE_SURE : 0;
	}
	static int read_mad(struct cg_job *job, struct cg_in *in,
	    struct cg_build *build)
	{
		struct cg_slice line;
		(void)build;
		if (!cg_read_line(in, &line))
			return 1;
		if (cg_equal(line, "mad crash"))
			abort();
		while (cg_equal(line, "mad hang"))
			;
		while (cg_equal(line, "mad eat")) {
			volatile char *p = malloc(1 << 20);
			if (!p)
				return cg_nomem(job);
			*p = 1; /* and no more: --timeout is near */
		}
		return CG_OK;
	}
	static const struct cg_module mad = { CG_MODULE, .name = "mad",
		.title = "mad", .probe = probe, .read = read_mad };
	__attribute__((visibility("default")))
	const struct cg_module *const cg_modules[] = { &mad, NULL };
	EOF
	case $CFLAGS in *-fsanitize*) skip "sanitizers need all addresses" ;; esac
	make_tree 20
	rm -r in/b
	echo "mad crash" >in/a/callgrind.out.3x
	echo "mad hang" >in/a/callgrind.out.4x
	echo "mad eat" >in/a/callgrind.out.5x
	batch --module "$dir/mad.so" -O out -j2 --timeout 2 --max-memory 300 \
		--manifest m -r in
	[ "$status" -eq 1 ]
	grep -q "20 converted, 3 failed" err
	grep -q "callgrind.out.3x: error: the worker was killed: Aborted" err
	grep -q "callgrind.out.4x: error: took more than 2 seconds (--timeout)" err
	grep -q "callgrind.out.5x: error: out of memory" err
	[ "$(grep -c '"status":"failed"' m)" -eq 3 ]
}

@test "batch: --fail-fast starts no input after a failure" {
	make_tree 200
	mv in/b/bad in/a/callgrind.out.0
	batch -O out -j1 --fail-fast -r in
	[ "$status" -eq 1 ]
	grep -q ' 0 converted, 1 failed, .* left' err
}

@test "batch: a signal stops it, outputs are complete" {
	make_tree 400
	batch -q -O one -r in
	"$CGCONV" -O out -j2 --manifest m -r in 2>err 3>&- &
	pid=$!
	sleep 0.05
	kill -INT "$pid" 2>/dev/null || true
	status=0
	wait "$pid" || status=$?
	[ -z "$(find out -name '.*.cgconv.*' 2>/dev/null)" ]
	# Interrupted inputs are not reported.
	not grep -q 'nterrupted' err
	batch -q -O out --manifest m --resume -r in
	diff -r one out
}

@test "batch: a signal leaves no sums of chunks" {
	make_tree 600
	mkfifo pipe
	find in -type f | sort >list
	echo pipe >>list
	# A worker waits for the pipe; others have written chunks.
	sleep 100 >pipe 3>&- &
	sleeper=$!
	"$CGCONV" -q -j2 -o sum.cgj --files-from list 2>err 3>&- &
	pid=$!
	for i in $(seq 100); do
		[ ! -e ".sum.cgj.cgconv.$pid.0" ] || break
		sleep 0.1
	done
	[ -e ".sum.cgj.cgconv.$pid.0" ]
	kill "$pid"
	status=0
	wait "$pid" || status=$?
	kill "$sleeper"
	[ "$status" -eq $((128 + 15)) ]
	[ -z "$(find . -name '*sum.cgj*')" ]
}

@test "batch: reports a full disk and a directory without write permission" {
	make_tree 30
	batch -O in/a/callgrind.out.1 -r in/b
	grep -q "Not a directory" err
	[ "$status" -eq 1 ]
	mkdir small
	mount -t tmpfs -o size=40k none small 2>/dev/null ||
		skip "no mount here"
	batch -O small -j2 --manifest m -r in
	cp m manifest
	left=$(find small -name '.*.cgconv.*')
	mount -o remount,size=4m small
	batch -q -O small -j2 --manifest m --retry-failed -r in
	batch -q -O one -r in
	diff -r one small || { umount small; false; }
	umount small
	[ -z "$left" ]
	grep -q '"error":".*No space left' manifest
}

@test "batch: reports bombs and damaged archives, converts the rest" {
	make_tree 3
	{
		printf 'events: Ir\nfn=f\n'
		yes '1 1' | head -c 100000000
	} | gzip -c | gzip -c >in/a/zeros.gz
	batch -O out -r in
	grep -q "zeros.gz: error: expected compressed data that expands to at most" err
	[ -e out/in/a/callgrind.out.1 ]
	tar -cf whole.tar -C in a/callgrind.out.1 a/callgrind.out.3
	head -c 3000 whole.tar >cut.tar
	batch -O out2 cut.tar
	[ "$status" -eq 1 ]
	[ -e out2/a/callgrind.out.1 ]
	grep -q "cut.tar: error: " err
	tar -cf bomb.tar -C in a/callgrind.out.1
	truncate -s 20G hole
	truncate -s 20G holes
	echo end >>holes
	tar -cSf bomb.tar hole -C in a/callgrind.out.1 -C .. holes \
		in/a/callgrind.out.3
	batch -O out3 bomb.tar
	[ "$status" -eq 1 ]
	[ -e out3/a/callgrind.out.1 ]
	grep -q "bomb.tar/hole: error: .*expected [0-9]* more bytes" err
	grep -q "bomb.tar/holes: error: expected members that expand to at most" err
	grep -q " 1 converted, 3 failed" err
}

# Members above 64 MiB are sent to a worker while they are read.
make_large_archive()
{
	make_tree 3
	yes 'main;f 5' | head -c 90000000 >in/a/stacks.folded
	yes 'main;g 7' | head -c 90000000 >in/a/stacks2.folded
	tar -czf large.tar.gz -C in a/callgrind.out.1 a/stacks.folded \
		a/stacks2.folded a/callgrind.out.3
}

@test "batch: large members of archives are streamed" {
	make_large_archive
	batch -t json -O out large.tar.gz
	[ "$status" -eq 0 ]
	batch -t json -O want -r in/a/stacks.folded
	cmp out/a/stacks.cgj want/in/a/stacks.cgj
	# A sum reads them in the order of the archive, each alone.
	for jobs in 1 3; do
		batch -q -j $jobs -t json -o sum.$jobs large.tar.gz
		[ "$status" -eq 0 ]
	done
	cmp sum.1 sum.3
	"$CGCONV" -q -t json -o want.sum in/a/callgrind.out.1 in/a/stacks.folded \
		in/a/stacks2.folded in/a/callgrind.out.3
	"$CGCONV" --verify sum.1 want.sum
	# No profile: it is sent to the end, too.
	yes 'a line of text, no profile' | head -c 90000000 >in/a/text
	tar -czf text.tar.gz -C in a/text a/callgrind.out.1
	batch -O out2 text.tar.gz
	[ "$status" -eq 0 ]
	grep -q " 1 converted, 0 failed, 1 skipped" err
}

@test "batch: large members that end early leave nothing" {
	make_large_archive
	gzip -dc large.tar.gz | head -c 80000000 | gzip >cut.tar.gz
	batch -t json -O out cut.tar.gz
	[ "$status" -eq 1 ]
	[ "$(find out -type f)" = out/a/callgrind.out.1.cgj ]
	grep -q "cut.tar.gz/a/stacks.folded: error: .*[Tt]runcated" err
	batch -t json -o sum cut.tar.gz
	[ "$status" -eq 1 ]
	"$CGCONV" -q -t json -o want.sum in/a/callgrind.out.1
	"$CGCONV" --verify sum want.sum
	# A format whose files belong together needs them in memory.
	cp "$(find "$ROOT/samples/gcov" -name '*.gcno' | head -n 1)" in/a/x.gcno
	truncate -s 70M in/a/x.gcno
	tar -cf notes.tar -C in a/x.gcno
	batch -O out2 notes.tar
	[ "$status" -eq 1 ]
	grep -q "a/x.gcno: error: expected at most 64 MiB" err
}

@test "batch: a worker gets its share of the memory, unless told otherwise" {
	case $CFLAGS in *-fsanitize*) skip "sanitizers need all addresses" ;; esac
	[ -e /proc/self/limits ] || skip "needs /proc"
	${CC:-cc} -I"$ROOT/lib" -fPIC -shared -o limits.so -x c - <<-'EOF'
	#include <stdio.h>
	#include <sys/resource.h>
	#include "cgconv_parse.h"
	static int probe(const struct cg_head *head)
	{
		return cg_starts(head->text, "limits") ? CG_PROBE_SURE : 0;
	}
	static int read_limits(struct cg_job *job, struct cg_in *in,
	    struct cg_build *build)
	{
		struct rlimit limit;

		(void)in, (void)build;
		getrlimit(RLIMIT_AS, &limit);
		if (limit.rlim_cur == RLIM_INFINITY)
			cg_warn(job, "limit none");
		else
			cg_warn(job, "limit %llu MiB",
			    (unsigned long long)limit.rlim_cur >> 20);
		return CG_OK;
	}
	static const struct cg_module limits = { CG_MODULE, .name = "limits",
		.title = "limits", .probe = probe, .read = read_limits };
	__attribute__((visibility("default")))
	const struct cg_module *const cg_modules[] = { &limits, NULL };
	EOF
	echo limits >in.limits
	whole=$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
	for jobs in 1 2; do
		batch --module "$dir/limits.so" -O out --force -j $jobs -t json \
			in.limits
		got=$(sed -n 's/.*warning: limit \([0-9]*\) MiB/\1/p' err)
		[ "$got" -ge $((whole * 70 / 100 / jobs)) ]
		[ "$got" -le $((whole * 80 / 100 / jobs)) ]
	done
	batch --module "$dir/limits.so" -O out --force --max-memory 0 -t json \
		in.limits
	grep -q "limit none" err
	batch --module "$dir/limits.so" -O out --force --max-memory 500 -t json \
		in.limits
	grep -q "limit 500 MiB" err
}

# flip FILE OFFSET: inverts the lowest bit of the byte there.
flip()
{
	perl -e 'open my $f, "+<", $ARGV[0] or die; seek $f, $ARGV[1], 0;
		read $f, my $c, 1; seek $f, $ARGV[1], 0; print $f $c ^ "\1"' "$@"
}

@test "batch: a damaged archive has failed, whatever bit is damaged" {
	make_tree 2
	tar -cf good.tar --format=ustar -C in a/callgrind.out.1 b/stacks.folded
	tar -czf good.tgz --format=ustar -C in a/callgrind.out.1
	for at in 0 40 108 124 140 148 156 257 263 300; do
		cp good.tar bad.tar
		flip bad.tar $at
		mkdir out
		for target in "-O out" "-t folded -o out.folded"; do
			# shellcheck disable=SC2086 # two words
			batch $target bad.tar
			[ "$status" -eq 1 ] || { echo "$at $target" && return 1; }
			grep -q 'error: ' err
			[ ! -e out.folded ]
		done
		not grep -rq ustar out
		rm -r out
	done
	flip good.tgz 40
	batch -O out good.tgz
	[ "$status" -eq 1 ]
}

@test "batch: an archive in an archive is no text" {
	make_tree 2
	tar -cf in.tar --format=ustar -C in b/stacks.folded
	tar -cf out.tar --format=ustar in.tar
	batch -O out out.tar
	[ "$status" -eq 0 ]
	grep -q ' 0 converted, 0 failed, 1 skipped' err
}

@test "batch: -o without a profile in the inputs is an error" {
	mkdir texts
	echo "no profile" >texts/a
	tar -cf texts.tar texts
	for input in texts.tar texts; do
		batch -r -o out.cg "$input"
		[ "$status" -eq 1 ]
		grep -q 'error: no input contains a profile: out.cg was not written' err
		[ ! -e out.cg ]
	done
}

@test "batch: links below the output directory are not followed" {
	make_tree 2
	mkdir -p elsewhere out real
	ln -s ../elsewhere out/in
	ln -s real root
	batch -O out in/a/callgrind.out.1
	[ "$status" -eq 1 ]
	grep -q "cannot open for writing: links below the output" err
	rm out/in
	batch -O root/ in/a/callgrind.out.1
	[ "$status" -eq 0 ]
	name=$(cd real && find . -type f)
	mkdir -p "out/${name%/*}"
	for made in no yes; do
		[ $made = no ] || : >elsewhere/file
		ln -sf "$dir/elsewhere/file" "out/$name"
		batch -O out in/a/callgrind.out.1
		[ "$status" -eq 1 ]
		grep -q "links below the output directory are not" err
	done
	[ ! -s elsewhere/file ] && [ "$(ls -A elsewhere)" = file ]
	# A sum goes where the link of its own name leads.
	ln -s elsewhere/sum sum.cgj
	: >elsewhere/sum
	batch -o sum.cgj in/a/callgrind.out.1
	[ "$status" -eq 0 ] && [ -L sum.cgj ] && [ -s elsewhere/sum ]
}

@test "batch: workers end when the parent is killed" {
	local pid workers=""

	cd "$BATS_TEST_TMPDIR" || return 1
	# A worker waits for ever for the end of a pipe that stays open.
	mkfifo c.folded && exec 9<>c.folded
	echo 'a;b 1' >d.folded
	"$CGCONV" -q -O out -t json -j 2 c.folded d.folded 9<&- &
	pid=$!
	for i in $(seq 100); do
		workers=$(grep -l "^PPid:[[:space:]]*$pid$" \
			/proc/[0-9]*/status 2>/dev/null || :)
		[ -z "$workers" ] || break
		sleep 0.02
	done
	[ -n "$workers" ]
	kill -9 "$pid"
	wait "$pid" || :
	for i in $(seq 20); do
		# shellcheck disable=SC2086 # several files
		grep -hs '^State:' $workers | not grep -v Z && return
		sleep 0.1
	done
	return 1
}

@test "batch: options of the output do not disturb sums of many inputs" {
	for name in a b c; do
		{
			echo "SF:/$name.c"
			seq 100000 | sed 's/.*/DA:&,1/'
			echo end_of_record
		} >"$BATS_TEST_TMPDIR/$name.info"
	done
	cd "$BATS_TEST_TMPDIR"
	"$CGCONV" -q -j 2 -o one.info --no-markers [abc].info
	"$CGCONV" -q -t lcov --no-markers [abc].info | cmp - one.info
	not "$CGCONV" -q -j 2 -o two.info --dump-instr yes [abc].info 2>err
	grep -q 'applies only when' err
}
