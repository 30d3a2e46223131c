#!/usr/bin/env node
/*
 * cgconv.js - the program on any system with node.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { hostDisk, hostStream, inside } from './host.js';
import { run } from './wasi.js';

const module = new WebAssembly.Module(
	readFileSync(new URL('cgconv.wasm', import.meta.url)));
const windows = process.platform === 'win32';

/*
 * A path of Windows may be after "=", as in --exe=C:\prog. A "\" of a regular
 * expression stays: what precedes the last one is no existing directory.
 */
function argument(text) {
	const [, option, path] = /^(-[^=]*=)?(.*)$/s.exec(text);

	return windows && (/^[A-Za-z]:[\\/]/.test(path) ||
		(path.includes('\\') && existsSync(dirname(path))))
		? (option ?? '') + inside(path) : text;
}

process.exitCode = run(module, {
	args: ['cgconv', ...process.argv.slice(2).map(argument)],
	env: { ...process.env, PWD: inside(process.cwd()) },
	disk: hostDisk,
	streams: [0, 1, 2].map(hostStream),
});
