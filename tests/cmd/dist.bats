# dist.bats - the tarball that make dist makes.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	version=$("$CGCONV" --version | cut -d ' ' -f 2)
}

dist()
{
	make -s --no-print-directory "$@" dist >/dev/null
}

@test "dist: made twice, in two places, the bytes are the same" {
	dist DIST="$dir/one"
	(cd "$dir/one" && sha256sum -c --quiet SHA256SUMS)
	tar -C "$dir" -xzf "$dir/one/cgconv-$version.tar.gz"
	# From the tarball itself, by another user's mask, at another time.
	touch "$dir/cgconv-$version/Makefile"
	(umask 077 && cd "$dir/cgconv-$version" &&
		GIT_CEILING_DIRECTORIES=$dir dist DIST="$dir/two")
	same "$dir/one/SHA256SUMS" "$dir/two/SHA256SUMS"
	cmp "$dir/one/cgconv-$version.tar.gz" "$dir/two/cgconv-$version.tar.gz"
}

@test "dist: the tarball has all sources and nothing that was built" {
	dist DIST="$dir/one"
	tar -tzf "$dir/one/cgconv-$version.tar.gz" >"$dir/list"
	not grep -v "^cgconv-$version/" "$dir/list"
	not grep -e '\.o$' -e /build/ "$dir/list"
	for file in Makefile LICENSE README.md lib/cgconv.h cmd/cgconv.1 \
		tests/run .debian/build samples/callgrind/plain/callgrind.out; do
		grep -qx "cgconv-$version/$file" "$dir/list"
	done
	tar -xOzf "$dir/one/cgconv-$version.tar.gz" "cgconv-$version/tests/run" |
		cmp - tests/run
}
