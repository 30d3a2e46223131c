# sources.bats - which source files are read, and so may be shown in outputs.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	mkdir "$dir/root" && cd "$dir/root" || return 1
}

# names FILE...: a.info has a line of each file.
names()
{
	printf 'SF:%s\nDA:1,5\nend_of_record\n' "$@" >a.info
}

# shows TEXT, hides TEXT: the sources of a.info contain it or not, in a report
# and as annotated sources, with the sandbox and without.
shows()
{
	local text=$1 want=$2 box got

	shift 2
	for box in "" --no-sandbox; do
		# shellcheck disable=SC2086 # none or one
		"$CGCONV" $box -t gcov-text "$@" -o out a.info 2>err
		got=$(grep -c -- "$text" out || :)
		[ "$got" -eq "$want" ] || { cat err out && false; }
		"$CGCONV" $box -o out.html "$@" a.info 2>err
		perl "$ROOT/tests/oracle/html.pl" out.html >rows
		got=$(grep -P '^source\t' rows | grep -c -- "$text" || :)
		[ "$got" -eq "$want" ] || { cat err rows && false; }
	done
}

@test "sources: hidden files are read with --hidden-sources only" {
	mkdir .git src
	echo 'token=secret' | tee .git/config .env src/.npmrc >/dev/null
	names .git/config .env src/.npmrc
	shows secret 0
	grep -q "^.git/config: warning: source skipped: .*--hidden-sources reads it" err
	[ "$(grep -c '^src/.npmrc: warning' err)" -eq 1 ]
	shows secret 3 --hidden-sources
	shows secret 0 --hidden-sources --no-sources
	names src/../.env
	shows secret 0
	# Also by way of a link, and of markers or digests.
	ln -s .env plain.c
	names plain.c
	shows secret 0
	"$CGCONV" -t coveralls a.info 2>err | not grep source_digest
	names .env
	echo 'LCOV_EXCL_LINE' >.env
	"$CGCONV" -t lcov a.info 2>err | grep -q DA:1,5
}

@test "sources: a directory above the root may be hidden" {
	mkdir -p .work/src
	echo 'int known;' >.work/src/x.c
	names x.c
	shows known 1 --sources .work/src
}

@test "sources: links do not lead out of the directory" {
	mkdir in src
	echo 'int outside;' | tee "$dir/x.c" >in/y.c
	ln -s "$dir/x.c" src/x.c
	ln -s ../in src/in
	names x.c in/y.c
	shows outside 0 --sources src
	grep -q "^src/x.c: warning: source skipped: a link leads out" err
	names src/in/y.c
	shows outside 1
	names x.c
	shows outside 1 --sources "$dir"
}

@test "sources: what is no text or too large is a warning" {
	printf 'text\0secret\n' >a.bin
	echo secret | gzip >a.gz
	printf '\377\376s\0e\0c\0r\0e\0t\0\n\0' >utf16.c
	truncate -s 3G big.c
	names a.bin a.gz
	shows secret 0
	grep -q "^a.bin: warning: source skipped: it is not a text" err
	names utf16.c
	shows secret 1
	names big.c
	# Sanitizers need all addresses.
	case $CFLAGS in
	*-fsanitize*) shows secret 0 ;;
	*) (ulimit -v 600000 && shows secret 0) ;;
	esac
	grep -q "^big.c: warning: source skipped: it is larger than 16 MiB" err
	"$CGCONV" -t lcov a.info 2>err | grep -q DA:1,5
}

@test "sources: only those of files with lines are shown" {
	echo 'secret' >x.txt
	printf 'SF:x.txt\nFN:1,f\nFNDA:1,f\nend_of_record\nSF:y\nDA:1,1\nend_of_record\n' >a.info
	shows secret 0
}

@test "sources: names with .. are found, inside the root" {
	mkdir build
	echo 'int found;' >x.c
	names "$PWD/build/../x.c"
	shows found 1
	shows found 1 --sources /
	names build/../x.c
	shows found 1 --sources .
	names ../x.c build/../../x.c
	cd build && cp ../a.info .
	shows found 0
	shows found 0 --sources .
	"$CGCONV" -t gcov-text a.info 2>&1 |
		grep -q 'warning: source ../x.c is outside of the working directory: name its directory with --sources'
	mv ../x.c ../y.c
	"$CGCONV" -t gcov-text a.info 2>&1 |
		grep -q 'warning: source ../x.c not found: name its directory with --sources, or map its path with --map'
	mv ../y.c ../x.c
	printf 'events: Ir\nfl=%s/x.c\nfn=main\n1 5\n' "$PWD/../build/.." >a.cg
	"$CGCONV" --sources / -o out.html a.cg
	perl "$ROOT/tests/oracle/html.pl" out.html | grep -q found
}
