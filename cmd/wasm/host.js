/*
 * host.js - the machine's disk, by node: see wasi.js. A path of Windows,
 * "C:\dir\file", is "/C:/dir/file" for the program.
 */
import * as fs from 'node:fs';

import { fail } from './wasi.js';

const windows = process.platform === 'win32';

/* The program's name of a path. */
export function inside(path) {
	if (!windows)
		return path;
	return (/^[A-Za-z]:/.test(path) ? '/' : '') + path.replaceAll('\\', '/');
}

function outside(path) {
	return windows && /^\/[A-Za-z]:/.test(path)
		? (path.length === 3 ? path.slice(1) + '/' : path.slice(1)) : path;
}

function typeOf(of) {
	return of.isFile() ? 'file' : of.isDirectory() ? 'dir'
		: of.isSymbolicLink() ? 'link' : of.isCharacterDevice() ? 'device' : 'other';
}

function describe(of) {
	return { type: typeOf(of), size: of.size, ino: of.ino, dev: of.dev, mtime: of.mtimeNs };
}

function stat(path, follow) {
	return describe((follow ? fs.statSync : fs.lstatSync)(outside(path), { bigint: true }));
}

/* Waits for a pipe or terminal that has no bytes yet, or no room. */
function patiently(move) {
	for (;;) {
		try {
			return move();
		} catch (error) {
			if (error.code === 'EOF')
				return 0;
			if (error.code !== 'EAGAIN')
				throw error;
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
		}
	}
}

function openFile(fd, seeks) {
	return {
		at: seeks ? 0 : undefined,
		read: (bytes, at) => patiently(() => fs.readSync(fd, bytes, 0, bytes.length, at)),
		write: (bytes, at) => patiently(() => fs.writeSync(fd, bytes, 0, bytes.length, at)),
		stat: () => describe(fs.fstatSync(fd, { bigint: true })),
		resize: (size) => fs.ftruncateSync(fd, size),
		close: () => fs.closeSync(fd),
	};
}

/* A directory needs no descriptor: it is known by its path. */
function openDirectory(path) {
	return { path, list: () => fs.readdirSync(outside(path), { withFileTypes: true })
		.map((entry) => ({ name: entry.name, type: typeOf(entry) })) };
}

function open(path, how) {
	const o = fs.constants;
	let known = null;

	try {
		known = stat(path, how.follow);
	} catch (error) {
		if (error.code !== 'ENOENT' || !how.create)
			throw error;
	}
	if (known?.type === 'dir' && !how.write)
		return openDirectory(path);
	if (known && how.directory)
		fail('ENOTDIR');
	if (known?.type === 'link')
		fail('ELOOP');
	return openFile(fs.openSync(outside(path),
		(how.write ? (how.read ? o.O_RDWR : o.O_WRONLY) : o.O_RDONLY) |
		(how.create ? o.O_CREAT : 0) | (how.exclusive ? o.O_EXCL : 0) |
		(how.truncate ? o.O_TRUNC : 0) | (how.append ? o.O_APPEND : 0)),
	!known || known.type === 'file');
}

export const hostDisk = {
	stat,
	open,
	mkdir: (path) => fs.mkdirSync(outside(path)),
	rmdir: (path) => fs.rmdirSync(outside(path)),
	unlink: (path) => fs.unlinkSync(outside(path)),
	rename: (from, to) => fs.renameSync(outside(from), outside(to)),
	readlink: (path) => inside(fs.readlinkSync(outside(path))),
};

/* A standard file, which other programs may use at the same time. */
export function hostStream(fd) {
	const file = openFile(fd, false);

	return { ...file, read: (bytes) => file.read(bytes, null),
		write: (bytes) => file.write(bytes, null), close: () => {} };
}
