/*
 * disk.js - a disk in memory: see wasi.js. Files are bytes, or blobs, which are
 * read piece by piece and cannot be changed.
 */
import { fail, join } from './wasi.js';

const PIECE = 4 << 20; /* bytes of a blob that are read at once */

/*
 * A disk with a root. Nodes are found by their path. progress, if any, is called
 * with the number of bytes whenever some of an added file are read.
 */
export function memoryDisk(progress) {
	const nodes = new Map([['/', { type: 'dir', ino: 1 }]]);
	let last = 1;

	function parent(path) {
		return join(path, '..');
	}

	function get(path) {
		const node = nodes.get(path);

		if (node)
			return node;
		for (let above = parent(path); above !== '/'; above = parent(above)) {
			if (nodes.get(above)?.type === 'file')
				fail('ENOTDIR');
		}
		return fail('ENOENT');
	}

	function make(path, node) {
		if (get(parent(path)).type !== 'dir')
			fail('ENOTDIR');
		nodes.set(path, { ...node, ino: ++last,
			mtime: BigInt(Date.now()) * 1000000n });
		return nodes.get(path);
	}

	function names(path) {
		const prefix = path === '/' ? '/' : path + '/';

		return [...nodes.keys()].filter((name) => name !== path &&
			name.startsWith(prefix) && !name.includes('/', prefix.length));
	}

	function stat(node) {
		return { ...node, size: node.blob?.size ?? node.size ?? 0 };
	}

	/* FileReaderSync is only in workers, where blobs come from. */
	function piece(node, at) {
		if (!node.piece || at < node.from || at >= node.from + node.piece.length) {
			node.from = at;
			node.piece = new Uint8Array(new FileReaderSync().readAsArrayBuffer(
				node.blob.slice(at, at + PIECE)));
		}
		return node.piece.subarray(at - node.from);
	}

	function read(node, to, at) {
		const from = node.blob ? (at < node.blob.size ? piece(node, at) : new Uint8Array())
			: node.bytes.subarray(at, node.size);
		const n = Math.min(from.length, to.length);

		to.set(from.subarray(0, n));
		if (node.input && progress)
			progress(n);
		return n;
	}

	function resize(node, size) {
		if (node.blob)
			fail('EROFS');
		if (size > node.bytes.length) {
			const more = new Uint8Array(Math.max(size, 2 * node.bytes.length, 65536));

			more.set(node.bytes.subarray(0, node.size));
			node.bytes = more;
		}
		node.size = size;
	}

	function write(node, from, at) {
		if (node.blob || at + from.length > node.bytes.length) {
			const { size } = node;

			resize(node, at + from.length);
			node.size = size;
		}
		node.bytes.set(from, at);
		node.size = Math.max(node.size, at + from.length);
		return from.length;
	}

	function openFile(node, how) {
		const file = { at: 0, stat: () => stat(node), close: () => {},
			resize: (size) => resize(node, size) };

		if (how.read)
			file.read = (to, at) => read(node, to, at);
		if (how.write)
			file.write = (from, at) => write(node, from, how.append ? node.size : at);
		return file;
	}

	function open(path, how) {
		let node = nodes.get(path);

		if (node && how.create && how.exclusive)
			fail('EEXIST');
		if (!node && how.create && !how.directory)
			node = make(path, { type: 'file', bytes: new Uint8Array(), size: 0 });
		node ??= get(path);
		if (node.type === 'dir') {
			if (how.write)
				fail('EISDIR');
			return { path, list: () => names(path).map((name) => ({
				name: name.slice(name.lastIndexOf('/') + 1),
				type: nodes.get(name).type })) };
		}
		if (how.directory)
			fail('ENOTDIR');
		if (how.truncate)
			resize(node, 0);
		return openFile(node, how);
	}

	function remove(path, type) {
		const node = get(path);

		if (node.type !== type)
			fail(type === 'dir' ? 'ENOTDIR' : 'EISDIR');
		if (type === 'dir' && names(path).length > 0)
			fail('ENOTEMPTY');
		nodes.delete(path);
	}

	function mkdir(path) {
		if (nodes.has(path))
			fail('EEXIST');
		make(path, { type: 'dir' });
	}

	return {
		open,
		mkdir,
		stat: (path) => stat(get(path)),
		readlink: (path) => fail(get(path) && 'EINVAL'),
		rmdir: (path) => remove(path, 'dir'),
		unlink: (path) => remove(path, 'file'),
		rename: (from, to) => {
			const node = get(from);

			if (node.type === 'dir')
				fail('ENOSYS');
			nodes.delete(from);
			nodes.set(to, node);
		},

		/* Adds a file, and the directories that it is in. */
		add: (path, content) => {
			const missing = [];

			for (let above = parent(path); !nodes.has(above); above = parent(above))
				missing.unshift(above);
			missing.forEach(mkdir);
			make(path, content instanceof Uint8Array
				? { type: 'file', input: true, bytes: content, size: content.length }
				: { type: 'file', input: true, blob: content });
		},

		/* The bytes of a file; null: there is none. */
		take: (path) => {
			const node = nodes.get(path);

			return node?.bytes ? node.bytes.subarray(0, node.size) : null;
		},

		/* The files in a directory and below it. */
		files: (path) => [...nodes.keys()].filter((name) =>
			name.startsWith(path + '/') && nodes.get(name).type === 'file'),
	};
}

/* A standard file that ends at once; text() is what was written to it. */
export function memoryStream() {
	const parts = [];

	return { read: () => 0, stat: () => ({ type: 'other', size: 0 }),
		write: (bytes) => {
			parts.push(bytes.slice());
			return bytes.length;
		},
		text: () => {
			const decoder = new TextDecoder();

			return parts.map((part) => decoder.decode(part, { stream: true })).join('') +
				decoder.decode();
		} };
}
