# npm.bats - npm's package: packed, installed in an empty directory without the
# network, as a program and as a module.
load ../helper

setup_file()
{
	# Tests are skipped in setup(), as not every bats can skip a file.
	command -v npm >/dev/null && [ -e "$B/npm/cgconv.wasm" ] || return 0
	cd "$BATS_FILE_TMPDIR"
	npm pack --silent "$B/npm" >name
	mkdir app
	cd app
	echo '{ "type": "module" }' >package.json
	npm install --silent --offline --no-audit "../$(cat ../name)"
}

setup()
{
	command -v npm >/dev/null || skip "no npm"
	[ -e "$B/npm/cgconv.wasm" ] || skip "not built: make npm"
	command -v node >/dev/null || skip "no node"
	app=$BATS_FILE_TMPDIR/app
	cgconv=$app/node_modules/.bin/cgconv
}

@test "npm: the package has at most 4 MB, and says whose the libraries are" {
	[ "$(du -sk "$app/node_modules/cgconv" | cut -f 1)" -le 4096 ]
	[ "$(ls "$app/node_modules/cgconv/licenses" | wc -l)" -ge 8 ]
}

@test "npm: the program reads and writes files, pipes and directories as natively" {
	cd samples
	"$cgconv" -q -t callgrind pprof/cpu/cpu.pb.gz >"$BATS_TEST_TMPDIR/got"
	"$CGCONV" -q -t callgrind pprof/cpu/cpu.pb.gz | same - "$BATS_TEST_TMPDIR/got"
	"$cgconv" -q -t callgrind - <pprof/cpu/cpu.pb.gz | same - "$BATS_TEST_TMPDIR/got"
	cat pprof/cpu/cpu.pb.gz | "$cgconv" -q -t callgrind - | same - "$BATS_TEST_TMPDIR/got"
	"$cgconv" -q -t callgrind -o "$BATS_TEST_TMPDIR/file" "$PWD/pprof/cpu/cpu.pb.gz"
	same "$BATS_TEST_TMPDIR/file" "$BATS_TEST_TMPDIR/got"
	ln -s file "$BATS_TEST_TMPDIR/link"
	"$cgconv" -q -t folded -o "$BATS_TEST_TMPDIR/link" folded/shapes/shapes.folded
	[ -h "$BATS_TEST_TMPDIR/link" ]
	"$CGCONV" -q -t folded folded/shapes/shapes.folded | same - "$BATS_TEST_TMPDIR/file"
	"$cgconv" -q -t lcov -o "$BATS_TEST_TMPDIR/wasm.info" gcov/gcc-c
	"$CGCONV" -q -t lcov -o "$BATS_TEST_TMPDIR/native.info" gcov/gcc-c
	same "$BATS_TEST_TMPDIR/native.info" "$BATS_TEST_TMPDIR/wasm.info"
	"$cgconv" -q -r -t json -O "$BATS_TEST_TMPDIR/w" folded speedscope
	"$CGCONV" -q -r -t json -O "$BATS_TEST_TMPDIR/n" folded speedscope
	diff -r "$BATS_TEST_TMPDIR/n" "$BATS_TEST_TMPDIR/w"
}

@test "npm: messages and status are the program's, and nothing else is printed" {
	head -c 100 samples/pprof/cpu/cpu.pb.gz >"$BATS_TEST_TMPDIR/cut.gz"
	cd "$BATS_TEST_TMPDIR"
	for args in '-t json cut.gz' '-t json missing' '--nonsense' '-t json -o /missing/x cut.gz'; do
		want=0 got=0
		"$CGCONV" $args >want 2>&1 || want=$?
		"$cgconv" $args >got 2>&1 || got=$?
		[ "$want" != 0 ]
		[ "$want" = "$got" ]
		same want got
	done
}

@test "npm: the module takes and gives bytes" {
	command -v node >/dev/null || skip "no node"
	cp samples/gprof/calls/gmon.out samples/gprof/calls/prog "$app"
	cp samples/pprof/cpu/cpu.pb.gz "$app"
	cat >"$app/use.js" <<-'END'
	import { readFileSync, writeFileSync } from 'node:fs';
	import { convert, info } from 'cgconv';
	const lines = [];
	const cpu = readFileSync('cpu.pb.gz'), gmon = readFileSync('gmon.out');
	writeFileSync('out', await convert(cpu, { to: 'callgrind', report: (s) => lines.push(s) }));
	if (!lines[0].startsWith('cgconv: note: '))
		throw new Error(lines);
	writeFileSync('info', JSON.stringify(await info({ 'gmon.out': gmon,
		prog: readFileSync('prog') }, { options: ['--top', '3'] })));
	await convert(cpu.subarray(0, 100), { to: 'json' }).then(() => process.exit(9), (error) =>
		writeFileSync('error', `${error.message}\n${error.status}\n`));
	END
	(cd "$app" && node use.js)
	"$CGCONV" -q -t callgrind samples/pprof/cpu/cpu.pb.gz | same - "$app/out"
	(cd "$app" && "$CGCONV" -q --info --json --top 3 ./gmon.out ./prog) |
		perl -MJSON::PP -0777 -ne 'print JSON::PP->new->canonical->encode(decode_json($_))' \
			>"$BATS_TEST_TMPDIR/want"
	perl -MJSON::PP -0777 -ne 'print JSON::PP->new->canonical->encode(decode_json($_))' \
		"$app/info" | same - "$BATS_TEST_TMPDIR/want"
	printf '%s\n' './input:0x64: error: gzip data ends early' 1 | same - "$app/error"
}
