# page.bats - the page that opens profiles, in Chromium: it shows what the native
# program writes, and requests nothing.
load ../helper

CHROMIUM=$(command -v chromium || command -v chromium-browser || true)

setup()
{
	[ -e "$B/cgconv.html" ] || skip "not built: make page"
	[ -n "$CHROMIUM" ] || skip "no chromium"
	command -v node >/dev/null || skip "no node"
	make -q B="${B#"$ROOT/"}" page 2>/dev/null || skip "out of date: make page"
}

# Reads lines of files with tabs.
opens()
{
	mkdir "$BATS_TEST_TMPDIR/scratch"
	node tests/oracle/page.mjs "$CHROMIUM" "$B/cgconv.html" "$CGCONV" \
		"$BATS_TEST_TMPDIR/scratch" >"$BATS_TEST_TMPDIR/out"
	tail -n 12 "$BATS_TEST_TMPDIR/out" | cut -c 1-300
	tail -n 1 "$BATS_TEST_TMPDIR/out" |
		grep -q '^[1-9][0-9]* opened, 0 differ, 0 requests$'
}

@test "page: it is one file of at most 5 MB, and its policy allows no request" {
	[ "$(stat -c %s "$B/cgconv.html")" -le 5000000 ]
	policy=$(grep -o 'Content-Security-Policy" content="[^"]*' "$B/cgconv.html")
	echo "$policy" | grep -q "\"default-src 'none'; "
	echo "$policy" | not grep -E "connect-src|'unsafe-(inline|eval)'|https?:| \*"
}

# Those of gperftools find libraries on the machine's disk, which the page lacks.
@test "page: every sample opens as natively, with its executable" {
	for sample in $(samples | grep -v '^samples/gperftools/[^/]*[^o]/'); do
		printf '%s' "$sample"
		[ ! -e "${sample%/*}/prog" ] || printf '\t%s' "${sample%/*}/prog"
		echo
	done | opens
}

@test "page: a broken file, a pair, an archive are as natively; a run is cancelled, saved" {
	tmp=$BATS_TEST_TMPDIR
	head -c 100 samples/pprof/cpu/cpu.pb.gz >"$tmp/cut.gz"
	tar -cJf "$tmp/all.tar.xz" samples/folded samples/pprof
	gzip -c samples/folded/shapes/shapes.folded >"$tmp/-.folded.gz"
	printf '%s\n' "$tmp/cut.gz" README.md "$tmp/all.tar.xz" \
		'samples/gcov/gcc-c/cover.gcno	samples/gcov/gcc-c/cover.gcda' \
		'samples/folded/shapes/shapes.folded	samples/pprof/cpu/cpu.pb.gz	samples/perf-script/fields/header.perf' \
		'difference	samples/gprof/calls/gmon.out	samples/gprof/cycles/gmon.out' \
		"$tmp/-.folded.gz" |
		opens
}
