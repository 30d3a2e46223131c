# wasm.bats - the WebAssembly build gives the bytes of the native one: outputs,
# messages and status. It is not built here, as that takes minutes: "make wasm".
load ../helper

setup()
{
	command -v node >/dev/null || skip "no node"
	[ -e "$B/wasm/cgconv.wasm" ] || skip "not built: make wasm"
	make -q B="${B#"$ROOT/"}" wasm 2>/dev/null || skip "out of date: make wasm"
}

# Reads lines of arguments with tabs.
same_as_native()
{
	node --no-warnings tests/oracle/wasm.mjs "$CGCONV" \
		"$B/wasm/cgconv.wasm" >"$BATS_TEST_TMPDIR/out"
	tail -n 12 "$BATS_TEST_TMPDIR/out" | cut -c 1-300
	tail -n 1 "$BATS_TEST_TMPDIR/out" | grep -q "^[1-9][0-9]* conversions, 0 differ$"
}

@test "wasm: every sample converts to json, callgrind and lcov as natively" {
	for sample in $(samples); do
		for target in json callgrind lcov; do
			echo "-t $target $(exe_of "$sample") $sample"
		done
	done | tr -s ' ' '\t' | same_as_native
}

@test "wasm: reports, several inputs and errors are as natively" {
	head -c 100 samples/pprof/cpu/cpu.pb.gz >"$BATS_TEST_TMPDIR/cut.gz"
	while read -r args; do
		eval "echo $args"
	done <<-'END' | tr -s ' ' '\t' | same_as_native
		-t html samples/pprof/*/*.pb.gz
		-t html samples/gcov/gcc-c/cover.gc*
		--info --json samples/callgrind/plain/callgrind.out
		--summary samples/lcov/*/*.info
		--diff samples/gprof/calls/gmon.out samples/gprof/cycles/gmon.out
		--detect samples/*/*/*
		--list-formats
		-t json $BATS_TEST_TMPDIR/cut.gz
		-t json $BATS_TEST_TMPDIR/missing
		-t json -o /missing/out samples/folded/shapes/shapes.folded
		--nonsense
	END
}

@test "wasm: a batch works without processes" {
	tar -cJf "$BATS_TEST_TMPDIR/all.tar.xz" samples/pprof samples/folded
	for build in native wasm; do
		mkdir "$BATS_TEST_TMPDIR/$build"
	done
	"$CGCONV" -q -t json -O "$BATS_TEST_TMPDIR/native" "$BATS_TEST_TMPDIR/all.tar.xz"
	node --no-warnings tests/oracle/wasm.mjs --run "$B/wasm/cgconv.wasm" \
		-q -t json -O "$BATS_TEST_TMPDIR/wasm" "$BATS_TEST_TMPDIR/all.tar.xz"
	[ "$(find "$BATS_TEST_TMPDIR/native" -type f | wc -l)" -gt 5 ]
	diff -r "$BATS_TEST_TMPDIR/native" "$BATS_TEST_TMPDIR/wasm"
}
