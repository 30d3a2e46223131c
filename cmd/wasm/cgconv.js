#!/usr/bin/env node
/*
 * cgconv.js - the program on any system with node.
 */
import { readFileSync } from 'node:fs';

import { hostDisk, hostStream, inside } from './host.js';
import { run } from './wasi.js';

const module = new WebAssembly.Module(
	readFileSync(new URL('cgconv.wasm', import.meta.url)));
const windows = process.platform === 'win32';

/* The name of a file may be after "=", as in --exe=C:\prog. */
function argument(text) {
	if (!windows)
		return text;
	return text.replace(/^(-[^=]*=)?([A-Za-z]:[\\/].*|[^-].*\\.*)$/,
		(all, option, path) => (option ?? '') + inside(path));
}

process.exitCode = run(module, {
	args: ['cgconv', ...process.argv.slice(2).map(argument)],
	env: { ...process.env, PWD: inside(process.cwd()) },
	disk: hostDisk,
	streams: [0, 1, 2].map(hostStream),
});
