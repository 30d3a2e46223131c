/*
 * inflate.js - decompresses gzip's format (RFC 1951, 1952), in browsers that
 * have no DecompressionStream.
 */

const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35,
	43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3,
	3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193,
	257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289,
	16385, 24577];
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14,
	1, 15];

/* Codes by length: counts, and the symbols in their order. */
function huffman(lengths) {
	const count = new Uint16Array(16), next = new Uint16Array(16);
	const symbol = new Uint16Array(lengths.length);

	lengths.forEach((length) => count[length]++);
	count[0] = 0;
	for (let i = 1; i < 15; i++)
		next[i + 1] = next[i] + count[i];
	lengths.forEach((length, i) => {
		if (length)
			symbol[next[length]++] = i;
	});
	return { count, symbol };
}

class Inflater {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 10; /* a header without options */
		this.hold = this.held = 0;
		this.out = new Uint8Array(bytes.length * 4 + 1024);
		this.size = 0;
	}

	bits(n) {
		for (; this.held < n; this.held += 8)
			this.hold |= this.bytes[this.at++] << this.held;

		const value = this.hold & (1 << n) - 1;

		this.hold >>>= n;
		this.held -= n;
		return value;
	}

	decode(code) {
		let value = 0, first = 0, index = 0;

		for (let length = 1; length < 16; length++) {
			value |= this.bits(1);
			if (value - first < code.count[length])
				return code.symbol[index + value - first];
			index += code.count[length];
			first = first + code.count[length] << 1;
			value <<= 1;
		}
		throw new Error('corrupt data');
	}

	room(n) {
		if (this.size + n <= this.out.length)
			return;

		const more = new Uint8Array(2 * this.out.length + n);

		more.set(this.out);
		this.out = more;
	}

	stored() {
		this.hold = this.held = 0;

		const n = this.bytes[this.at] | this.bytes[this.at + 1] << 8;

		this.room(n);
		this.out.set(this.bytes.subarray(this.at + 4, this.at + 4 + n), this.size);
		this.at += 4 + n;
		this.size += n;
	}

	block(literal, distance) {
		for (;;) {
			const symbol = this.decode(literal);

			this.room(258);
			if (symbol === 256)
				return;
			if (symbol < 256) {
				this.out[this.size++] = symbol;
				continue;
			}
			let n = LENGTHS[symbol - 257] + this.bits(LENGTH_BITS[symbol - 257]);
			const code = this.decode(distance);
			const back = DISTANCES[code] + this.bits(code < 2 ? 0 : (code >> 1) - 1);

			for (; n > 0; n--, this.size++)
				this.out[this.size] = this.out[this.size - back];
		}
	}

	fixed() {
		const lengths = Array.from({ length: 288 }, (_, i) =>
			i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);

		this.block(huffman(lengths), huffman(new Array(30).fill(5)));
	}

	dynamic() {
		const literals = this.bits(5) + 257, distances = this.bits(5) + 1;
		const codes = this.bits(4) + 4, order = new Array(19).fill(0), lengths = [];

		for (let i = 0; i < codes; i++)
			order[CODE_ORDER[i]] = this.bits(3);

		const code = huffman(order);

		while (lengths.length < literals + distances) {
			const symbol = this.decode(code);
			const what = symbol === 16 ? lengths[lengths.length - 1] : symbol < 16 ? symbol : 0;
			const times = symbol < 16 ? 1 : symbol === 16 ? 3 + this.bits(2)
				: symbol === 17 ? 3 + this.bits(3) : 11 + this.bits(7);

			for (let i = 0; i < times; i++)
				lengths.push(what);
		}
		this.block(huffman(lengths.slice(0, literals)), huffman(lengths.slice(literals)));
	}

	all() {
		for (let last = 0; !last;) {
			last = this.bits(1);
			[() => this.stored(), () => this.fixed(), () => this.dynamic()][this.bits(2)]();
		}
		return this.out.subarray(0, this.size);
	}
}
