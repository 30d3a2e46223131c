# gcov.bats - coverage of gcc and clang, compared with gcov and llvm-cov.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
	c=samples/gcov/gcc-c/cover
	cc=samples/gcov/gcc-cc/cover
	# Notes without data are skipped if their directory exists and their
	# source does not: not even on a machine that has a /tmp/cover.
	never=$t/never.gcno
	elsewhere samples/gcov/never/cover.gcno >"$never"
}

# The notes with another directory, which exists nowhere.
elsewhere()
{
	LC_ALL=C perl -pe 's,/tmp/cover,/gone/away,g' "$1"
}

# Coverage as tests/oracle/gcov.pl prints it.
covered()
{
	"$CGCONV" -q -t json "$@" >"$t/json" || return 1
	perl tests/oracle/gcov.pl "$t/json" | sort
}

# Lines with a column of their cost: 0 Exec, 1 Blk.
lines()
{
	local column=$1

	shift
	"$CGCONV" -q -t json "$@" >"$t/json" || return 1
	perl -MJSON::PP -ne '
		my $r = decode_json($_);
		next unless ref $r eq "ARRAY";
		$file{$r->[1]} = $r->[3] || $r->[2] if $r->[0] eq "file";
		$sum{"$file{$r->[1]}:$r->[2]"} += $r->[4]['"$column"'] // 0
		    if $r->[0] eq "cost";
		END { print "$_ $sum{$_}\n" for sort keys %sum }' "$t/json"
}

@test "gcov: lines, marks, branches, functions equal those of gcov" {
	for dir in samples/gcov/gcc*; do
		covered "$dir/cover.gcda" >"$t/got"
		same "$dir/gcov.txt" "$t/got"
	done
}

@test "gcov: notes without data have counts of 0" {
	covered "$never" >"$t/got"
	same samples/gcov/never/gcov.txt "$t/got"
	not grep '^line [^ ]* [0-9]* [^0]' "$t/got"
}

@test "gcov: clang's lines and branches equal those of llvm-cov" {
	for dir in samples/gcov/clang*; do
		covered "$dir/cover.gcda" | grep '^line' |
			sed 's/\([0-9]\)f\b/\1/g; s/ U\b//' >"$t/got"
		same "$dir/gcov.txt" "$t/got"
	done
}

# A sample of gcc 12, written in the layouts of VERSION..., has the same lines.
versions()
{
	local sample=$1 column=$2 version order

	shift 2
	lines "$column" "$sample.gcda" >"$t/want"
	for version in "$@"; do
		for order in le be; do
			perl tests/oracle/gcov-as.pl "$version" $order \
				"$sample" "$t/x"
			lines 0 "$t/x.gcda" >"$t/got"
			same "$t/want" "$t/got"
		done
	done
}

@test "gcov: reads every layout of gcc 8 and later, in both byte orders" {
	versions $cc 0 A84* A93* A94R B02* 'B15 ' B22e B35* B44U B53* B62*
}

@test "gcov: up to gcc 7 a line's count is the sum of its blocks" {
	versions $c 1 408* 409* 503* 602* A74*
}

@test "gcov: before gcc 4.8 the exit is the last block" {
	versions $c 1 304* 402* 406p 407*
}

@test "gcov: reads the formats before gcc 3.4 (files made from descriptions)" {
	lines 1 $c.gcda >"$t/want"
	for version in 3.2 3.3 303p 303S 304e; do
		rm -f "$t"/x.*
		perl tests/oracle/gcov-as.pl $version le $c "$t/x"
		for input in "$t/x.da" "$t/x.bbg" "$t/x.da $t/x.bbg"; do
			# shellcheck disable=SC2086 # several words
			lines 0 $input >"$t/got"
			same "$t/want" "$t/got"
		done
	done
}

@test "gcov: rejects corrupt files of the formats before gcc 3.4" {
	for version in 3.2 3.3 303p 304e; do
		rm -f "$t"/x.*
		perl tests/oracle/gcov-as.pl $version le $c "$t/x"
		truncate -s -5 "$t/x.da"
		refuses 1 "expected" -f gcov -t json "$t/x.da"
		perl tests/oracle/gcov-as.pl $version le $c "$t/x"
		truncate -s 203 "$t/x.bbg"
		refuses 1 "x.bbg:0x" -f gcov -t json "$t/x.da"
		rm "$t/x.bbg"
		refuses 1 "expected the graph (.bbg) of $t/x.da next to it" \
			-f gcov -t json "$t/x.da"
	done
	perl tests/oracle/gcov-as.pl 3.3 le $c "$t/x"
	rm "$t/x.bb"
	refuses 1 "expected records of a graph" -t json "$t/x.da"
}

@test "gcov: notes and data may differ in their byte order" {
	perl tests/oracle/gcov-as.pl B22* be $c "$t/x"
	cp $c.gcno "$t/x.gcno"
	lines 0 $c.gcda >"$t/want"
	lines 0 "$t/x.gcda" >"$t/got"
	same "$t/want" "$t/got"
}

@test "gcov: reads each unit once, given by file, directory or both" {
	covered $c.gcda $cc.gcda >"$t/want"
	mkdir -p "$t/dir/sub"
	cp $c.gc* "$t/dir"
	cp $cc.gc* "$t/dir/sub"
	for inputs in "$t/dir" "$t/dir/cover.gcno $t/dir/sub" \
		"$t/dir/cover.gcno $t/dir/cover.gcda $t/dir/sub/cover.gcno"; do
		# shellcheck disable=SC2086 # several words
		covered $inputs >"$t/got"
		same "$t/want" "$t/got"
	done
}

@test "gcov: compressed notes and data are read under their names" {
	gzip -c $cc.gcno >"$t/cover.gcno"
	gzip -c $cc.gcda >"$t/cover.gcda"
	gzip -c $cc.gcda >"$t/cover.gcda.gz"
	covered $cc.gcda >"$t/want"
	for input in gcda gcno gcda.gz; do
		covered "$t/cover.$input" >"$t/got"
		same "$t/want" "$t/got"
	done
}

@test "gcov: distinguishes constructors of one name, also in callgrind" {
	"$CGCONV" -q -t callgrind $cc.gcda >"$t/out"
	grep -qx 'cfn=(.*) twice::twice(int) \[_ZN5twiceC1Ei\]' "$t/out"
	grep -qx 'cfn=(.*) twice::twice(int) \[_ZN5twiceC2Ei\]' "$t/out"
	"$CGCONV" -q -t callgrind "$t/out" | same "$t/out" -
}

@test "gcov: branches become callgrind's jumps, with a note if -v" {
	"$CGCONV" -t callgrind $cc.gcda 2>"$t/err" >"$t/out"
	[ ! -s "$t/err" ]
	"$CGCONV" -v -t callgrind $cc.gcda 2>&1 >"$t/out" |
		grep "note: callgrind cannot represent: branches, blocks, symbols"
}

# "CALLER LINE CALLEE COUNT" of all calls with a known caller.
calls()
{
	"$CGCONV" -q -t json "$@" | perl -MJSON::PP -ne '
		my $r = decode_json($_);
		next unless ref $r eq "ARRAY";
		$name{$r->[1]} = $r->[2] if $r->[0] eq "function";
		$now = $r->[1] if $r->[0] eq "rows";
		print "$name{$now} $r->[2] $name{$r->[4]} $r->[7]\n"
		    if $r->[0] eq "call" && $now' | sort
}

@test "gcov: reads callees from counters of indirect calls and .ci files" {
	cat >"$t/want" <<-END
		main 0 often 6
		main 0 once 3
		main 20 once 1
		main 22 often 4
		main 23 local 2
		main 24 local 1
		main 24 once 1
		often 17 helper 12
		once 11 helper 5
	END
	sort -o "$t/want" "$t/want"
	for inputs in "caller.gcda target.gcda" "target.gcda caller.gcda"; do
		# shellcheck disable=SC2086 # two words
		(cd samples/gcov/calls && calls $inputs) >"$t/got"
		same "$t/want" "$t/got"
	done
	cp samples/gcov/calls/*.gc* "$t"
	calls "$t/caller.gcda" "$t/target.gcda" >"$t/got"
	same <(grep '^main 0' "$t/want") "$t/got"
}

@test "gcov: --object-directory finds notes by the end of the data's path" {
	mkdir -p "$t/build/a" "$t/build/b" "$t/run/home/build/a" "$t/run/b"
	cp $c.gcno "$t/build/a"
	cp $cc.gcno "$t/build/b"
	cp $c.gcda "$t/run/home/build/a"
	cp $cc.gcda "$t/run/b"
	covered $c.gcda $cc.gcda >"$t/want"
	covered --object-directory "$t/build" "$t/run" >"$t/got"
	same "$t/want" "$t/got"
	# Notes that are not there are next to the data.
	mv "$t/build/b/cover.gcno" "$t/run/b"
	mv "$t/build/a/cover.gcno" "$t/run/home/build/a"
	covered --object-directory "$t/build" "$t/run" >"$t/got"
	same "$t/want" "$t/got"
}

# Packs directory $1 of $t as tar, zip and compressed tar.
pack()
{
	tar -C "$t" -cf "$t/$1.tar" "$1"
	gzip -k "$t/$1.tar"
	(cd "$t" && python3 -m zipfile -c "$1.zip" "$1")
}

@test "gcov: --object-directory may be an archive, and the data in another" {
	command -v python3 >/dev/null || skip "no python3"
	mkdir -p "$t/build/a" "$t/build/b" "$t/run/home/build/a" "$t/run/build/b"
	cp $c.gcno "$t/build/a"
	cp $cc.gcno "$t/build/b"
	cp $c.gcda "$t/run/home/build/a"
	cp $cc.gcda "$t/run/build/b"
	pack build
	pack run
	covered $c.gcda $cc.gcda >"$t/want"
	"$CGCONV" -q -t lcov $c.gcda $cc.gcda >"$t/want.info"
	for notes in build.tar build.zip build.tar.gz build.zip/build/; do
		covered --object-directory "$t/$notes" "$t/run" >"$t/got"
		same "$t/want" "$t/got"
		for data in run.tar run.zip; do
			for jobs in 1 2; do
				"$CGCONV" -q -r -j $jobs --object-directory "$t/$notes" \
					-o "$t/sum.info" --force "$t/$data"
				same "$t/want.info" "$t/sum.info"
			done
		done
	done
	# The data in an archive, the notes in a directory; but not outside of it.
	"$CGCONV" -q -r --object-directory "$t/build" -o "$t/sum.info" --force \
		"$t/run.zip"
	same "$t/want.info" "$t/sum.info"
	mkdir "$t/up"
	(cd "$t/up" && tar -Pcf "$t/up.tar" ../run/build/b/cover.gcda)
	cp "$t/build/b/cover.gcno" "$t/run/build/b"
	not "$CGCONV" -r --object-directory "$t/up" -o "$t/up.info" "$t/up.tar" \
		2>"$t/err"
	grep -q 'expected the notes' "$t/err"
}

@test "gcov: a damaged archive of notes is an error" {
	mkdir "$t/run"
	cp $c.gcno $c.gcda "$t/run"
	tar -C "$t/run" -cf "$t/notes.tar" cover.gcno
	rm "$t/run/cover.gcno"
	head -c 700 "$t/notes.tar" >"$t/short.tar"
	not "$CGCONV" -t lcov --object-directory "$t/short.tar" "$t/run" \
		2>"$t/err" >"$t/out"
	grep -q 'short.tar: error: member 1: ' "$t/err"
	[ ! -s "$t/out" ]
	# A member that cannot be read, here a hole, is one even if it is not needed.
	cp $c.gcno "$t/run"
	truncate -s 300K "$t/run/other.gcno"
	tar -C "$t/run" -Scf "$t/hole.tar" cover.gcno other.gcno
	rm "$t/run/"*.gcno
	not "$CGCONV" -t lcov --object-directory "$t/hole.tar" "$t/run" \
		2>"$t/err" >"$t/out"
	grep -q 'hole.tar: error: member 2: expected [0-9]* more bytes' "$t/err"
	# A file that is no archive has no notes.
	not "$CGCONV" -t lcov --object-directory "$t/err" "$t/run" 2>"$t/err2"
	grep -q 'expected the notes' "$t/err2"
	grep -c "'$t/err' is neither a directory nor an archive" "$t/err2" | grep -qx 1
	not "$CGCONV" -t lcov --object-directory "$t/none/x" "$t/run" 2>"$t/err2"
	grep -q "'$t/none/x' is neither a directory nor an archive" "$t/err2"
	not "$CGCONV" -t lcov --object-directory "$t" "$t/run" 2>"$t/err2"
	not grep 'neither a directory' "$t/err2"
}

@test "gcov: finds the notes of a stream by the file names in it" {
	mkdir "$t/a" "$t/b"
	perl tests/oracle/gcov-as.pl B35* be $c "$t/a/cover"
	perl tests/oracle/gcov-as.pl B35* be $cc "$t/b/cover"
	perl tests/oracle/gcov-as.pl B35* be $c "$t/1" "$t/a/cover.gcda"
	perl tests/oracle/gcov-as.pl B35* be $cc "$t/2" "/gone/b/cover.gcda"
	cat "$t/1" "$t/2" >"$t/stream"
	covered $c.gcda $cc.gcda >"$t/want"
	covered --object-directory "$t" "$t/stream" >"$t/got"
	same "$t/want" "$t/got"
	covered --object-directory "$t" <"$t/stream" >"$t/got"
	same "$t/want" "$t/got"
	# Next to the stream, by base name.
	perl tests/oracle/gcov-as.pl B35* be $c "$t/1" "/gone/too/cover.gcda"
	cp "$t/a/cover.gcno" "$t"
	covered $c.gcda >"$t/want"
	covered "$t/1" >"$t/got"
	same "$t/want" "$t/got"
	(cd "$t" && "$CGCONV" -q -t json 1 | cmp - "$t/json")
}

@test "gcov: --exact-lines keeps counts that gcov drops" {
	covered --exact-lines $cc.gcda >"$t/got"
	[ "$(diff samples/gcov/gcc-cc/gcov.txt "$t/got" | grep '^[<>]')" = \
		"< line cover.cc 27 1
> line cover.cc 27 2" ]
}

# Without a limit a file could be made that takes forever.
@test "gcov: the work of line counts is bounded, with a warning" {
	tests/oracle/gcov-ways.pl 200 300 "$t/few"
	tests/oracle/gcov-ways.pl 20000 30000 "$t/many"
	"$CGCONV" -t json "$t/few.gcda" 2>&1 >"$t/json" | not grep "too low"
	"$CGCONV" -t json "$t/many.gcda" 2>&1 >"$t/json" |
		grep "warning: .* too many blocks and arcs: their counts are too low"
}

# A record of 2^21 paths for its last function.
@test "gcov: the number of paths is bounded by the size of the notes" {
	{
		cat samples/gcov/paths/beta.gcno
		printf '\0\0\111\1\4\0\0\0\0\0\40\0'
	} >"$t/x.gcno"
	refuses 1 "error: expected fewer paths in notes of this size" \
		-t json "$t/x.gcno"
}

@test "gcov: warns of negative entries if blocks are dropped" {
	cp $cc.gcno $cc.gcda "$t"
	# The one counter of twice::twice().
	printf '\377\377\377\377\377\377\377\377' |
		dd of="$t/cover.gcda" bs=1 seek=792 conv=notrunc status=none
	for to in lcov csv; do
		"$CGCONV" -t $to "$t/cover.gcda" 2>&1 >/dev/null |
			grep -q 'warning: 1 negative count became 0'
	done
	# JSON has the negative count.
	"$CGCONV" -t json "$t/cover.gcda" 2>"$t/err" >"$t/json"
	not grep -q 'negative' "$t/err"
	grep -q '^\["branch",2,0,0,"block",0,0,-1' "$t/json"
}

# ---- Notes and data that do not match ----

# The pair, with bytes of NAME from OFFSET on replaced.
patched()
{
	elsewhere $c.gcno >"$t/x.gcno"
	cp $c.gcda "$t/x.gcda"
	printf "$3" | dd of="$t/x.$1" bs=1 seek="$2" conv=notrunc status=none
}

# Reports MESSAGE about x.gcda and converts the rest.
complains()
{
	local status=0

	"$CGCONV" -t json "$t/x.gcda" $cc.gcda >"$t/json" 2>"$t/err" ||
		status=$?
	perl tests/oracle/gcov.pl "$t/json" | sort >"$t/got"
	covered $cc.gcda >"$t/want"
	[ "$status" -eq 1 ] && grep -F -- "$1" "$t/err" || {
		echo "expected $1, got"
		cat "$t/err"
		return 1
	}
}

@test "gcov: counts of another compilation are dropped" {
	for what in "8:\1\2\3\4:x.gcno:0x8: error: $t/x.gcda is of another compilation: stamp 0x04030201, but the notes have 0x" \
		'4:*23B:of another compiler: version B32*, but the notes have B22*; its counts are dropped'; do
		patched gcda "${what%%:*}" "$(cut -d : -f 2 <<<"$what")"
		complains "$(cut -d : -f 3- <<<"$what")"
		covered "$never" >>"$t/want"
		sort -o "$t/want" "$t/want"
		same "$t/want" "$t/got"
	done
}

@test "gcov: counts of a function of another compilation are dropped" {
	patched gcda 44 '\1\2\3\4'
	complains "the checksum of main differs; these counts are dropped"
	grep -qx 'fn cover.c main .* 0 0' "$t/got"
	grep -qx 'line cover.c 60 0 .*' "$t/got"
	grep -qx 'line cover.c 12 8' "$t/got"
}

@test "gcov: warns of duplicate data of a function" {
	cp $c.gcno "$t/x.gcno"
	{
		head -c -4 $c.gcda
		tail -c +33 $c.gcda
	} >"$t/x.gcda"
	"$CGCONV" -t json "$t/x.gcda" 2>&1 >"$t/json" |
		grep "warning: duplicate data of a function: using the last"
	covered $c.gcda >"$t/want"
	covered "$t/x.gcda" >"$t/got"
	same "$t/want" "$t/got"
}

@test "gcov: a unit that cannot be read is skipped" {
	patched gcno 70 '\377\377\377\377'
	complains "x.gcno:0x44: error: expected the file of a function"
	same "$t/want" "$t/got"
	patched gcda 36 '\377\377\377\177'
	complains "x.gcda:0x20: error: expected a record that ends"
	same "$t/want" "$t/got"
	rm "$t/x.gcno"
	patched gcda 0 adcg
	rm "$t/x.gcno"
	complains "expected the notes (.gcno) of $t/x.gcda next to it"
	same "$t/want" "$t/got"
}

@test "gcov: if the .ci file cannot be read, only calls are dropped" {
	cp samples/gcov/calls/*.gc* "$t"
	covered "$t/caller.gcda" >"$t/want"
	printf '\037\213\010\000 and then what is no gzip' >"$t/caller.ci"
	not "$CGCONV" -t json "$t/caller.gcda" -o "$t/out" 2>"$t/err"
	grep -q "caller.ci.*: error: gzip data" "$t/err"
	perl tests/oracle/gcov.pl "$t/out" | sort >"$t/got"
	same "$t/want" "$t/got"
}

@test "gcov: warns of truncated data" {
	head -c 352 $c.gcda >"$t/x.gcda"
	cp $c.gcno "$t/x.gcno"
	"$CGCONV" -t json "$t/x.gcda" 2>&1 >"$t/json" |
		grep "expected an end mark: the file may be truncated"
	covered $c.gcda >"$t/want"
	covered "$t/x.gcda" >"$t/got"
	same "$t/want" "$t/got"
	"$CGCONV" -t json "$t/x.gcno" 2>&1 >"$t/json" |
		grep "x.gcda: warning: expected an end mark"
	perl tests/oracle/gcov-as.pl B35* be $c "$t/all" "$t/x.gcda"
	head -c -4 "$t/all" >"$t/stream"
	"$CGCONV" -t json "$t/stream" 2>&1 >"$t/json" |
		grep "expected an end mark"
	# gcc 3.4 writes none.
	perl tests/oracle/gcov-as.pl 304* le $c "$t/y"
	"$CGCONV" -t json "$t/y.gcda" 2>&1 >"$t/json" |
		not grep "expected an end mark"
}

@test "gcov: callgrind's header lists the first of many units" {
	for i in 1 2 3 4 5 6 7 8 9; do
		cp "$never" "$t/u$i.gcno"
	done
	cd "$t"
	"$CGCONV" -q -t callgrind u?.gcno -o nine
	[ "$(grep -c '^desc: Notes file: u[1-9].gcno$' nine)" = 9 ]
	cp u1.gcno v1.gcno
	cp u1.gcno v2.gcno
	"$CGCONV" -q -t callgrind ??.gcno -o eleven
	grep '^desc: Notes' eleven | tail -n 2 >got
	printf '%s\n' 'desc: Notes file: u8.gcno' \
		'desc: Notes file: (and 3 more)' | same - got
	"$CGCONV" -q -t callgrind eleven | cmp - eleven
	# JSON has all of them; in a merge of two such files the number is unknown.
	[ "$("$CGCONV" -q -t json ??.gcno | grep -c '"Notes file"')" = 11 ]
	"$CGCONV" -q -t callgrind eleven nine | grep '^desc: Notes' |
		tail -n 1 | grep -qx 'desc: Notes file: (and more)'
}

@test "gcov: notes inconsistent counts with -v" {
	"$CGCONV" -t lcov samples/gcov/clang-split/cover.gcda >"$t/out" 2>"$t/err"
	not grep -F inconsistent "$t/err"
	"$CGCONV" -v -t lcov samples/gcov/clang-split/cover.gcda >"$t/out" \
		2>"$t/err"
	grep -q 'cover.gcda: note: inconsistent counts' "$t/err"
	for dir in clang-default clang-402 clang-b11; do
		"$CGCONV" -v -t lcov "samples/gcov/$dir/cover.gcda" 2>&1 \
			>"$t/out" | grep inconsistent && return 1
	done
	return 0
}

# Compiles the source $1 in the current directory, runs it, and writes notes and
# data at $2 as gcc 4.7 would: they do not contain the compiler's directory.
old_unit()
{
	gcc --coverage -c "$1" -o now.o
	gcc --coverage now.o -o now
	./now
	perl "$ROOT/tests/oracle/gcov-as.pl" 407* le now "$2"
}

@test "gcov: relative names are searched for from the notes upwards" {
	mkdir -p "$t/top/src/sub" "$t/other"
	printf 'int main(void)\n{\n\treturn 0;\n}\n' >"$t/top/src/sub/a.c"
	(cd "$t/top" && old_unit src/sub/a.c src/a)
	for at in . top top/src other; do
		(cd "$t/$at" && "$CGCONV" -t lcov --no-markers "$t/top/src/a.gcno" \
			-o "$t/out" 2>"$t/err")
		[ ! -s "$t/err" ]
		grep -x "SF:$t/top/src/sub/a.c" "$t/out"
	done
	cd "$t"
	"$CGCONV" -t lcov top/src/a.gcno | grep -x SF:top/src/sub/a.c
	(cd top/src && "$CGCONV" -t lcov a.gcno | grep -x "SF:$t/top/src/sub/a.c")
	(cd top && "$CGCONV" -t lcov src/a.gcno | grep -x SF:src/sub/a.c)
	# The directory of the notes is not repeated although the source is deeper.
	"$CGCONV" -t lcov --relative-to-notes top/src/a.gcno |
		grep -x SF:top/src/sub/a.c
	# Members of an archive have no files around them.
	tar -cf x.tar top
	"$CGCONV" -q -t lcov -o - x.tar | grep -x SF:src/sub/a.c
	rm -r top/src/sub
	"$CGCONV" -t lcov top/src/a.gcno 2>&1 >out | grep -F \
		'src/sub/a.c is in no directory from that of the notes upwards'
	grep -x SF:src/sub/a.c out
}

@test "gcov: warns of relative names that may be two files" {
	mkdir -p "$t"/x "$t"/y "$t"/z "$t/top/src"
	printf 'int main(void)\n{\n\treturn 0;\n}\n' >"$t/x/a.c"
	printf 'int main(int n)\n{\n\treturn n - n;\n}\n' >"$t/y/a.c"
	cp "$t/x/a.c" "$t/top/src"
	for dir in x y; do (cd "$t/$dir" && old_unit a.c a); done
	(cd "$t/top" && old_unit src/a.c src/a)
	cp "$t"/x/a.gc* "$t/z"
	rm "$t"/*/a.c "$t/top/src/a.c"
	cd "$t"
	"$CGCONV" -t lcov x/a.gcda y/a.gcda -o out 2>err
	grep -q 'a.c is taken for the file of that name in x: .*--relative-to-n' err
	[ "$(grep -c ^SF: out)" = 1 ]
	# A copy has the same source; a unit alone is no problem either.
	"$CGCONV" -t lcov x/a.gcda z/a.gcda -o out 2>err
	not grep taken err
	grep ^DA:3, out | same - <(echo DA:3,2)
	"$CGCONV" -t lcov --relative-to-notes x/a.gcda y/a.gcda \
		top/src/a.gcda "$t/y/a.gcda" -o out 2>err
	not grep taken err
	grep ^SF: out | same - <(printf 'SF:%s\n' "$t/y/a.c" top/src/a.c \
		x/a.c y/a.c)
}

@test "gcov: a warning counts sources that are newer than their notes" {
	cd "$t"
	echo 'static int g(void) { return 0; }' >a.h
	for file in a b; do
		printf '#include "a.h"\nint %s(void)\n{\nreturn g();\n}\n' \
			$file >$file.c
		gcc --coverage -c $file.c
	done
	"$CGCONV" -t lcov -o out . 2>err
	not grep newer err
	touch -d '1 hour' a.h b.c
	"$CGCONV" -t lcov -o out . 2>err
	grep -Fx "cgconv: warning: 2 sources are newer than the notes, the first is \
a.h: lines may have moved; compile and run again" err
	[ "$(grep -c warning err)" -eq 1 ]
	gcov a.gcno b.gcno 2>&1 | grep -c newer | same - <(echo 2)
	# What is not on this machine, and archives, have no times.
	tar -cf x.tar a.gcno b.gcno
	"$CGCONV" -r -t lcov -o out x.tar 2>err
	not grep newer err
}

@test "gcov: notes of checks of the build's configuration are skipped" {
	mkdir -p "$t/b/CMakeFiles/3.25.1/CompilerIdC"
	cd "$t/b"
	echo 'int f(void) { return 0; }' >f.c
	for file in conftest.c gone.c kept.c \
		CMakeFiles/3.25.1/CompilerIdC/CMakeCCompilerId.c; do
		echo 'int main(void) { return 0; }' >"$file"
		(cd "$(dirname "$file")" && gcc --coverage -c "$(basename "$file")")
	done
	gcc --coverage -c f.c
	gcc --coverage kept.o -o kept
	./kept
	rm conftest.c gone.c kept.c
	"$CGCONV" -r -t lcov -o "$t/out" . 2>"$t/err"
	# What ran is kept, whether its source is there or not.
	grep ^SF: "$t/out" | sort >"$t/got"
	printf 'SF:%s\n' "$t/b/f.c" "$t/b/kept.c" | same - "$t/got"
	grep -F "note: skipped 3 units without data, the first is of \
CMakeCCompilerId.c: the source is gone, or a check of the build's configuration" \
		"$t/err"
	not grep "warning: skipped" "$t/err"
	# Elsewhere the directory is missing: nothing is known about its files.
	cp -r "$t/b" "$t/c"
	rm -r "$t/b"
	"$CGCONV" -q -r -t lcov -o "$t/out" "$t/c"
	grep ^SF: "$t/out" | sort >"$t/got"
	printf 'SF:%s\n' "$t/b/f.c" "$t/b/gone.c" "$t/b/kept.c" |
		same - "$t/got"
}
