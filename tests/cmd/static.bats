# static.bats - the program of make static, if it was made: it takes a build of its
# own.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	static=$B/static/cgconv-static
	[ -x "$static" ] || skip "not built: make static"
	[ "$("$static" --version)" = "$("$CGCONV" --version)" ] ||
		skip "built from another version: make static"
}

@test "static: it needs no shared library and is less than 8 MB" {
	readelf -d "$static" >"$dir/dynamic"
	not grep NEEDED "$dir/dynamic"
	[ "$(wc -c <"$static")" -lt 8000000 ]
}

@test "static: libraries that are loaded elsewhere are linked" {
	"$static" -V -v >"$dir/version"
	not grep -e 'loaded when needed' -e 'cannot be loaded' "$dir/version"
	for library in zlib libxml2 libarchive libdw liblzma libzstd json-c bzip2 \
		lz4 nettle libiberty; do
		grep -q "^.\{11\}$library.*, linked; ." "$dir/version"
	done
	# Their licences are next to the program.
	for library in xml2 archive dw elf bz2 lz4 zstd lzma z iberty nettle; do
		grep -q "^==== lib$library.a: " "$static.licences"
	done
}

# Without messages about the libraries themselves.
@test "static: it converts the first sample of each format as the other does" {
	count=0
	for directory in samples/*/; do
		for file in "$directory"*/*; do
			case $file in
			*/HOW | */prog | *.txt | *.ci | *.gcno) continue ;;
			esac
			[ -f "$file" ] && break
		done
		[ -f "$file" ] || continue
		# shellcheck disable=SC2046 # two words or none
		for program in "$static" "$CGCONV"; do
			"$program" -q -t json $(exe_of "$file") "$file" \
				>"$dir/${program##*/}" 2>&1 || :
		done
		same "$dir/cgconv" "$dir/cgconv-static"
		count=$((count + 1))
	done
	[ "$count" -gt 60 ]
}

@test "static: it reads compressed inputs and archives" {
	input=samples/callgrind/plain/callgrind.out
	"$CGCONV" -t json "$input" >"$dir/want"
	for program in gzip bzip2 xz zstd; do
		"$program" -c <"$input" >"$dir/in"
		"$static" -t json "$dir/in" | same "$dir/want" -
	done
	tar -C "${input%/*}" -czf "$dir/in.tar.gz" callgrind.out
	"$static" -q -O "$dir/out" -t json "$dir/in.tar.gz"
	find "$dir/out" -type f -exec cat {} + | same "$dir/want" -
}

@test "static: it says that it loads no modules" {
	status=0
	"$static" --module ./x.so --list-formats 2>"$dir/err" || status=$?
	[ "$status" -eq 2 ]
	echo "cgconv: error: this build loads no modules: ./x.so" |
		same - "$dir/err"
}

@test "static: it can be linked again with other libraries" {
	cp "$static.o" "$dir/again.o"
	CC="${CC:-cc}" CFLAGS="" LDFLAGS="" cmd/static/link "$dir/again" \
		"$dir/again.o"
	"$dir/again" --version | same - <("$static" --version)
}
