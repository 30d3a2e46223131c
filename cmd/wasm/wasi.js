/*
 * wasi.js - the calls of WASI preview 1 that cgconv.wasm makes, on a disk: that
 * of the machine (host.js), or one in memory (disk.js).
 *
 * A disk has stat(path, follow), open(path, how), mkdir, rmdir, unlink, rename
 * and readlink, for paths from the root; an open file has read(bytes, at),
 * write(bytes, at), stat(), resize(size), list() and close(), and seeks if it has
 * a size. What fails throws an error with a code, as node's files do.
 *
 * Source: the witx files of WASI preview 1.
 */
const CODES = { EACCES: 2, EAGAIN: 6, EBADF: 8, EBUSY: 10, EEXIST: 20, EFBIG: 22,
	EINVAL: 28, EIO: 29, EISDIR: 31, ELOOP: 32, EMFILE: 33, ENAMETOOLONG: 37,
	ENOENT: 44, ENOMEM: 48, ENOSPC: 51, ENOSYS: 52, ENOTDIR: 54, ENOTEMPTY: 55,
	EPERM: 63, EPIPE: 64, EROFS: 69, ESPIPE: 70, EXDEV: 75 };
const TYPES = { other: 0, device: 2, dir: 3, file: 4, link: 7 };
const ALL_RIGHTS = 0x1fffffffn, SEEK_AND_TELL = 0x24n;
const RIGHT_READ = 2n, RIGHT_WRITE = 64n;
const ROOT = 3; /* the descriptor of the one directory that is open at first */

export function fail(code) {
	throw Object.assign(new Error(code), { code });
}

/* The end of the program. */
class Exit {
	constructor(status) {
		this.status = status;
	}
}

/* "/a/b", "../c" -> "/a/c" */
export function join(directory, path) {
	const parts = [];

	for (const part of (path[0] === '/' ? path : directory + '/' + path).split('/')) {
		if (part === '..')
			parts.pop();
		else if (part !== '' && part !== '.')
			parts.push(part);
	}
	return '/' + parts.join('/');
}

/*
 * Runs the module's program and returns its exit status. args: with its name; env:
 * an object; streams: standard input, output and error, as open files.
 */
export function run(module, { args, env, disk, streams }) {
	const files = [...streams, { path: '/', list: () => disk.open('/', {}).list() }];
	const decoder = new TextDecoder(), encoder = new TextEncoder();
	let memory, view;

	function data() {
		if (view.buffer !== memory.buffer)
			view = new DataView(memory.buffer);
		return view;
	}

	function bytes(at, size) {
		return new Uint8Array(memory.buffer, at, size);
	}

	function text(at, size) {
		return decoder.decode(bytes(at, size).slice());
	}

	function file(fd) {
		return files[fd] || fail('EBADF');
	}

	function path(fd, at, size) {
		return join(file(fd).path ?? fail('ENOTDIR'), text(at, size));
	}

	/* Puts strings that end with 0 at "at", and their addresses at "list". */
	function putStrings(strings, list, at) {
		for (const string of strings) {
			data().setUint32(list, at, true);
			bytes(at, string.length).set(string);
			list += 4;
			at += string.length;
		}
		return 0;
	}

	function putSizes(strings, count, size) {
		data().setUint32(count, strings.length, true);
		data().setUint32(size, strings.reduce((n, s) => n + s.length, 0), true);
		return 0;
	}

	function putStat(to, { type, size, ino = 0, dev = 0, mtime = 0n }) {
		const d = data();

		bytes(to, 64).fill(0);
		d.setBigUint64(to, BigInt(dev), true);
		d.setBigUint64(to + 8, BigInt(ino), true);
		d.setUint8(to + 16, TYPES[type]);
		d.setBigUint64(to + 24, 1n, true);
		d.setBigUint64(to + 32, BigInt(size), true);
		for (const at of [40, 48, 56])
			d.setBigUint64(to + at, BigInt.asUintN(64, mtime), true);
		return 0;
	}

	/* Calls move(part, at) for each part, until one is not done whole. */
	function moveParts(fd, list, count, total, at, move) {
		const from = file(fd);
		let sum = 0;

		if (from.at === undefined && at !== null)
			fail('ESPIPE');
		for (let i = 0; i < count; i++) {
			const part = bytes(data().getUint32(list + 8 * i, true),
				data().getUint32(list + 8 * i + 4, true));
			const done = part.length === 0 ? 0
				: move(from, part, at ?? from.at ?? null);

			if (at !== null)
				at += done;
			else if (from.at !== undefined)
				from.at += done;
			sum += done;
			if (done < part.length)
				break;
		}
		data().setUint32(total, sum, true);
		return 0;
	}

	function read(from, part, at) {
		return (from.read || fail(from.list ? 'EISDIR' : 'EBADF'))(part, at);
	}

	function write(to, part, at) {
		return (to.write || fail('EBADF'))(part, at);
	}

	function seek(fd, offset, whence, to) {
		const of = file(fd);
		const base = of.at === undefined ? fail('ESPIPE')
			: [0, of.at, whence === 2 ? of.stat().size : 0][whence];

		if (base + Number(offset) < 0)
			fail('EINVAL');
		of.at = base + Number(offset);
		data().setBigUint64(to, BigInt(of.at), true);
		return 0;
	}

	function open(fd, follow, at, size, flags, rights, inherited, options, to) {
		const name = path(fd, at, size);
		const opened = disk.open(name, { read: (rights & RIGHT_READ) !== 0n,
			write: (rights & RIGHT_WRITE) !== 0n, follow: (follow & 1) !== 0,
			create: (flags & 1) !== 0, directory: (flags & 2) !== 0,
			exclusive: (flags & 4) !== 0, truncate: (flags & 8) !== 0,
			append: (options & 1) !== 0 });
		let number = ROOT + 1;

		while (files[number])
			number++;
		files[number] = opened;
		data().setUint32(to, number, true);
		return 0;
	}

	/* Entries from number "cookie" on; the last one may be cut off. */
	function list(fd, at, size, cookie, used) {
		const of = file(fd), to = bytes(at, size);
		let n = 0;

		if (cookie === 0n)
			of.entries = (of.list || fail('ENOTDIR'))();
		for (let i = Number(cookie); i < of.entries.length && n < size; i++) {
			const name = encoder.encode(of.entries[i].name);
			const entry = new Uint8Array(24 + name.length);
			const head = new DataView(entry.buffer);

			head.setBigUint64(0, BigInt(i + 1), true);
			head.setUint32(16, name.length, true);
			head.setUint8(20, TYPES[of.entries[i].type]);
			entry.set(name, 24);
			to.set(entry.subarray(0, size - n), n);
			n = Math.min(n + entry.length, size);
		}
		data().setUint32(used, n, true);
		return 0;
	}

	function random(at, size) {
		for (let n = 0; n < size; n += 65536)
			crypto.getRandomValues(bytes(at + n, Math.min(size - n, 65536)));
		return 0;
	}

	/* Nothing is waited for: every event has happened. */
	function poll(from, to, count, number) {
		for (let i = 0; i < count; i++) {
			bytes(to + 32 * i, 32).fill(0);
			data().setBigUint64(to + 32 * i,
				data().getBigUint64(from + 48 * i, true), true);
			data().setUint8(to + 32 * i + 10, data().getUint8(from + 48 * i + 8));
		}
		data().setUint32(number, count, true);
		return 0;
	}

	function describe(fd, to) {
		const of = file(fd), seeks = of.list || of.at !== undefined;

		bytes(to, 24).fill(0);
		data().setUint8(to, TYPES[of.list ? 'dir' : of.stat().type]);
		data().setBigUint64(to + 8, seeks ? ALL_RIGHTS
			: ALL_RIGHTS & ~SEEK_AND_TELL, true);
		data().setBigUint64(to + 16, ALL_RIGHTS, true);
		return 0;
	}

	const strings = args.map((s) => encoder.encode(s + '\0'));
	const variables = Object.entries(env).map(([k, v]) => encoder.encode(`${k}=${v}\0`));
	const nothing = () => 0;
	const done = () => 0;
	const calls = {
		args_get: (list_, at) => putStrings(strings, list_, at),
		args_sizes_get: (count, size) => putSizes(strings, count, size),
		environ_get: (list_, at) => putStrings(variables, list_, at),
		environ_sizes_get: (count, size) => putSizes(variables, count, size),
		clock_time_get: (clock, precision, to) => {
			const ms = clock === 0 ? Date.now() : performance.now();

			return done(data().setBigUint64(to, BigInt(Math.round(ms * 1e6)), true));
		},
		fd_advise: nothing,
		fd_close: (fd) => {
			if (file(fd).close)
				file(fd).close();
			delete files[fd];
			return 0;
		},
		fd_fdstat_get: describe,
		fd_fdstat_set_flags: nothing,
		fd_filestat_get: (fd, to) => putStat(to, file(fd).list
			? disk.stat(file(fd).path, true) : file(fd).stat()),
		fd_filestat_set_size: (fd, size) =>
			done((file(fd).resize || fail('EINVAL'))(Number(size))),
		fd_pread: (fd, list_, count, at, total) =>
			moveParts(fd, list_, count, total, Number(at), read),
		fd_prestat_get: (fd, to) => {
			if (fd !== ROOT)
				fail('EBADF');
			data().setUint32(to, 0, true);
			return done(data().setUint32(to + 4, 1, true));
		},
		fd_prestat_dir_name: (fd, at) => done(bytes(at, 1).set([0x2f])),
		fd_read: (fd, list_, count, total) =>
			moveParts(fd, list_, count, total, null, read),
		fd_readdir: list,
		fd_seek: seek,
		fd_sync: nothing,
		fd_tell: (fd, to) => seek(fd, 0n, 1, to),
		fd_write: (fd, list_, count, total) =>
			moveParts(fd, list_, count, total, null, write),
		path_create_directory: (fd, at, size) => done(disk.mkdir(path(fd, at, size))),
		path_filestat_get: (fd, follow, at, size, to) =>
			putStat(to, disk.stat(path(fd, at, size), (follow & 1) !== 0)),
		path_open: open,
		path_readlink: (fd, at, size, to, room, used) => {
			const target = encoder.encode(disk.readlink(path(fd, at, size)));

			bytes(to, room).set(target.subarray(0, room));
			return done(data().setUint32(used, Math.min(target.length, room), true));
		},
		path_remove_directory: (fd, at, size) => done(disk.rmdir(path(fd, at, size))),
		path_rename: (fd, at, size, other, to, length) =>
			done(disk.rename(path(fd, at, size), path(other, to, length))),
		path_unlink_file: (fd, at, size) => done(disk.unlink(path(fd, at, size))),
		poll_oneoff: poll,
		proc_exit: (status) => {
			throw new Exit(status);
		},
		random_get: random,
	};

	/* A call returns the number of the error that was thrown. */
	function guard(call) {
		return (...values) => {
			try {
				return call(...values);
			} catch (error) {
				if (error instanceof Exit || !error.code)
					throw error;
				return CODES[error.code] ?? CODES.EIO;
			}
		};
	}

	const instance = new WebAssembly.Instance(module, {
		wasi_snapshot_preview1: Object.fromEntries(
			Object.entries(calls).map(([name, call]) => [name, guard(call)])),
	});

	memory = instance.exports.memory;
	view = new DataView(memory.buffer);
	try {
		instance.exports._start();
	} catch (error) {
		if (error instanceof Exit)
			return error.status;
		throw error;
	}
	return 0;
}
