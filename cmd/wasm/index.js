/*
 * index.js - the program as functions, on a disk in memory.
 */
import { memoryDisk, memoryStream } from './disk.js';
import { join, run } from './wasi.js';

const HERE = '/in', OUT = '/out';
let compiled = null; /* a promise */

async function load() {
	const url = new URL('cgconv.wasm', import.meta.url);

	if (url.protocol === 'file:') {
		const { readFile } = await import('node:fs/promises');

		return WebAssembly.compile(await readFile(url));
	}
	return WebAssembly.compileStreaming(fetch(url));
}

/* Bytes are one file, called "input"; otherwise names have bytes. */
function filesOf(input) {
	const files = ArrayBuffer.isView(input) || input instanceof ArrayBuffer
		? { input } : input;

	return Object.entries(files).map(([name, bytes]) => [name,
		bytes instanceof ArrayBuffer ? new Uint8Array(bytes)
			: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)]);
}

/*
 * Runs the program with options and the files; returns the disk and the text
 * of its standard output, or throws an error with its messages.
 */
async function execute(options, files, report) {
	const disk = memoryDisk(), out = memoryStream(), messages = memoryStream();
	let status;

	compiled ??= load();
	disk.mkdir(HERE);
	for (const [name, bytes] of files)
		disk.add(join(HERE, name), bytes);
	status = run(await compiled, {
		args: ['cgconv', ...options, ...files.map(([name]) => './' + name)],
		env: { PWD: HERE },
		disk,
		streams: [memoryStream(), out, messages],
	});
	if (status !== 0)
		throw Object.assign(new Error(messages.text().trimEnd()), { status });
	if (report)
		messages.text().split('\n').filter((line) => line !== '').forEach(report);
	return { disk, text: out.text() };
}

export async function convert(input, { to, options = [], report } = {}) {
	const { disk } = await execute(['-t', to, ...options, '-o', OUT],
		filesOf(input), report);

	return disk.take(OUT);
}

export async function info(input, { options = [], report } = {}) {
	const { text } = await execute(['--info', '--json', ...options],
		filesOf(input), report);

	return JSON.parse(text);
}
