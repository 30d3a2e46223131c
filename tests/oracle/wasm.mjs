/*
 * wasm.mjs - runs conversions by the native program and by node's WASI, and
 * prints those whose output, messages or status differ; or runs one by WASI:
 *
 *	node wasm.mjs CGCONV WASM <LINES	each one: arguments, with tabs
 *	node wasm.mjs --run WASM ARGUMENT...
 *
 * The last line is "N conversions, N differ".
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WASI } from 'node:wasi';

const [native, path, ...rest] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(path));

/*
 * The functions are wrapped, as node crashes when WebAssembly calls them
 * directly: github.com/nodejs/node/issues/46777.
 */
function imports(wasi)
{
	const wrapped = {};

	for (const [name, call] of Object.entries(wasi.wasiImport))
		wrapped[name] = (...args) => call(...args);
	return { wasi_snapshot_preview1: wrapped };
}

function run(args, files)
{
	const wasi = new WASI({ version: 'preview1', args: ['cgconv', ...args],
		env: { PWD: process.cwd() }, preopens: { '/': '/' },
		returnOnExit: true, ...files });

	return wasi.start(new WebAssembly.Instance(module, imports(wasi)));
}

function byNative(args)
{
	const ran = spawnSync(native, args, { maxBuffer: 1 << 30,
		stdio: ['ignore', 'pipe', 'pipe'] });

	return { status: ran.status, out: ran.stdout, err: ran.stderr };
}

function byWasm(args, scratch)
{
	const names = [join(scratch, 'out'), join(scratch, 'err')];
	const [stdout, stderr] = names.map((name) => openSync(name, 'w'));
	const stdin = openSync('/dev/null');
	let status;

	try {
		status = run(args, { stdin, stdout, stderr });
	} catch (error) {
		status = String(error);
	}
	for (const fd of [stdin, stdout, stderr])
		closeSync(fd);
	return { status, out: readFileSync(names[0]), err: readFileSync(names[1]) };
}

function difference(a, b)
{
	if (a.status !== b.status)
		return `status ${a.status}, ${b.status}`;
	if (!a.out.equals(b.out))
		return 'output';
	return a.err.equals(b.err) ? null : 'messages';
}

function compare(lines)
{
	const scratch = mkdtempSync(join(tmpdir(), 'cgconv-'));
	let differ = 0;

	for (const line of lines) {
		const args = line.split('\t');
		const a = byNative(args), b = byWasm(args, scratch);
		const what = difference(a, b);

		if (!what)
			continue;
		differ++;
		console.log(`${args.join(' ')}: ${what}\n${a.err}---\n${b.err}`);
	}
	rmSync(scratch, { recursive: true });
	console.log(`${lines.length} conversions, ${differ} differ`);
}

if (native === '--run')
	process.exitCode = run(rest, {});
else
	compare(readFileSync(0, 'utf8').split('\n').slice(0, -1));
