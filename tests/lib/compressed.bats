# compressed.bats - inputs compressed by gzip, xz, bzip2, zstd, lz4, or two of them,
# and texts in UTF-16.
load ../helper

PLAIN=samples/callgrind/plain/callgrind.out

setup()
{
	dir=$BATS_TEST_TMPDIR
	"$CGCONV" -t json "$PLAIN" >"$dir/right"
}

# Prints the installed compressors, one per line.
packers()
{
	for packer in gzip xz bzip2 zstd lz4; do
		command -v "$packer" || true
	done
}

@test "compressed: reads gzip, xz, bzip2, zstd, lz4 from files and pipes" {
	for packer in $(packers); do
		"$packer" -c <"$PLAIN" >"$dir/packed"
		"$CGCONV" -t json "$dir/packed" | same "$dir/right" -
		cat "$dir/packed" | "$CGCONV" -t json | same "$dir/right" -
		"$CGCONV" --detect "$dir/packed" |
			grep -P "\tcallgrind\t$(basename "$packer")\t"
	done
}

@test "compressed: reads two layers of compression, rejects a third" {
	for packer in $(packers); do
		gzip -c "$PLAIN" | "$packer" -c >"$dir/a"
		"$packer" -c <"$PLAIN" | gzip -c >"$dir/b"
		"$CGCONV" -t json "$dir/a" | same "$dir/right" -
		"$CGCONV" -t json "$dir/b" | same "$dir/right" -
		"$packer" -c <"$dir/b" >"$dir/c"
		refuses 5 "compressed at most 2 times" "$dir/c"
		"$packer" -c <"$PLAIN" | "$packer" -c | "$packer" -c >"$dir/c"
		refuses 5 "compressed at most 2 times" "$dir/c"
	done
}

@test "compressed: truncated or corrupt input is an error, at every byte" {
	head -n 40 "$PLAIN" >"$dir/text"
	for packer in $(packers); do
		"$packer" -c <"$dir/text" >"$dir/packed"
		size=$(wc -c <"$dir/packed")
		for ((n = 7; n < size; n += 5)); do
			head -c "$n" "$dir/packed" >"$dir/cut"
			refuses 1 "cut:" -f callgrind "$dir/cut"
		done
		# It is reported; a batch does not skip it as no profile.
		refuses 1 "ends early" "$dir/cut"
		refuses 1 "1 failed, 0 skipped" -O "$dir/out" "$dir/cut"
		: | "$packer" -c >"$dir/empty"
		refuses 1 "the file is empty" "$dir/empty"
	done
}

@test "compressed: gzip data before a damage is read" {
	# A flipped checksum is noticed after the last line, which is malformed.
	printf 'a 1\nb 2\nc\n' | gzip -cn >"$dir/good"
	size=$(wc -c <"$dir/good")
	{ head -c $((size - 8)) "$dir/good" && printf '\x00\x00\x00\x00' &&
		tail -c 4 "$dir/good"; } >"$dir/bad"
	not "$CGCONV" -f folded "$dir/bad" 2>"$dir/err"
	grep -q 'bad:3:1: warning: expected' "$dir/err"
	grep -q 'bad:0x[0-9a-f]*: error: gzip data is corrupt' "$dir/err"
}

@test "compressed: stops a decompression bomb early, all layers counted" {
	head -c 100000000 /dev/zero >"$dir/zeros"
	for packer in $(packers); do
		# These compress by at most 1032:1 and 255:1.
		case ${packer##*/} in gzip | lz4) continue ;; esac
		"$packer" -c <"$dir/zeros" >"$dir/bomb"
		refuses 5 "bomb: error: expected compressed data that expands to at most" \
			-f gprof "$dir/bomb"
	done
	gzip -c "$dir/zeros" | gzip -c >"$dir/bomb"
	refuses 5 "bomb: error: expected compressed data that expands to at most" \
		-f gprof "$dir/bomb"
	# Repetitive text is accepted.
	awk 'BEGIN { for (i = 0; i < 1000000; i++) print "a;b 1" }' |
		gzip -c >"$dir/text"
	"$CGCONV" -t json "$dir/text" >"$dir/out"
	grep -q 1000000 "$dir/out"
}

# utf16 FILE: prints the XML in UTF-16 with a byte order mark, and says so.
utf16()
{
	perl -0777 -MEncode -ne 's/^(<\?xml[^>]*?) encoding="[^"]*"/$1/;
		s/^<\?xml version="1.0"/$& encoding="UTF-16"/;
		print encode("UTF-16", decode("UTF-8", $_))' "$1"
}

@test "compressed: every reader of XML takes UTF-16 with its declaration" {
	n=0
	for file in $(samples | grep '\.xml$'); do
		utf16 "$file" >"$dir/in.xml"
		head -c 80 "$dir/in.xml" | tr -d '\0' | grep -qF 'encoding="UTF-16"' ||
			continue
		"$CGCONV" -t json "$file" 2>/dev/null >"$dir/want"
		"$CGCONV" -t json "$dir/in.xml" 2>"$dir/err" >"$dir/got" ||
			{ cat "$dir/err" && false; }
		same "$dir/want" "$dir/got"
		n=$((n + 1))
	done
	[ "$n" -ge 8 ]
}

@test "compressed: XML in UTF-8 that declares UTF-16 is in UTF-8" {
	printf '%s\n' '<?xml version="1.0" encoding="utf-16"?>' \
		'<coverage><packages><package><classes><class filename="/ä.cs"><lines>' \
		'<line number="1" hits="1"/></lines></class></classes></package>' \
		'</packages></coverage>' | "$CGCONV" -q -t lcov - | grep -x 'SF:/ä.cs'
}
