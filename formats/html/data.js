/*
 * data.js - the columns in the page (see html.h) as arrays, and what they mean:
 * events, totals, costs of an event.
 */

const columns = new Map(); /* "name:index" -> { type, count, blob, at, value } */
let blob = new Uint8Array(0); /* that is read */

/* One write and many reads take half of the time that a Blob's stream takes. */
async function unpack(packed) {
	if (typeof DecompressionStream === 'undefined')
		return new Inflater(packed).all();

	const stream = new DecompressionStream('gzip'), writer = stream.writable.getWriter();
	const reader = stream.readable.getReader();
	let bytes = new Uint8Array(2 * packed.length), size = 0;

	Promise.all([writer.write(packed), writer.close()]).catch(() => 0); /* read() tells */
	for (;;) {
		const { done, value } = await reader.read();

		if (done)
			return bytes.subarray(0, size);
		if (size + value.length > bytes.length) {
			const more = new Uint8Array(2 * bytes.length + value.length);

			more.set(bytes);
			bytes = more;
		}
		bytes.set(value, size);
		size += value.length;
	}
}

function fromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);

	const chars = atob(text), bytes = new Uint8Array(chars.length);

	for (let i = 0; i < chars.length; i++)
		bytes[i] = chars.charCodeAt(i);
	return bytes;
}

/* ---- Columns ------------------------------------------------------------ */

let place = 0; /* of the next byte */

function varint() {
	let value = 0, scale = 1, byte;

	do {
		byte = blob[place++];
		value += (byte & 127) * scale;
		scale *= 128;
	} while (byte & 128);
	return value;
}

/* The sign is the lowest bit, which a large number would lose in a sum. */
function zigzag() {
	const negative = blob[place] & 1;
	let value = (blob[place] & 126) / 2, scale = 64;

	while (blob[place++] & 128) {
		value += (blob[place] & 127) * scale;
		scale *= 128;
	}
	return negative ? -value - 1 : value;
}

function listColumns() {
	const names = new TextDecoder();

	for (place = 0; place < blob.length;) {
		const length = blob[place++];
		const name = names.decode(blob.subarray(place, place + length));

		place += length;

		const index = varint(), type = String.fromCharCode(blob[place++]);
		const count = varint(), size = varint();

		columns.set(name + ':' + index, { type, count, blob, at: place, value: null });
		place += size;
	}
}

const decoder = new TextDecoder();

/* Texts, decoded when they are needed: most names are never shown. */
class Texts {
	constructor(offsets, bytes, at) {
		this.offsets = offsets;
		this.bytes = bytes;
		this.at = at;
		this.known = new Map();
		this.length = offsets.length - 1;
	}

	get(i) {
		if (!(i >= 0 && i < this.length))
			return '';
		let text = this.known.get(i);

		if (text === undefined) {
			text = decoder.decode(this.bytes.subarray(
				this.at + this.offsets[i], this.at + this.offsets[i + 1]));
			this.known.set(i, text);
		}
		return text;
	}

	all() {
		return Array.from({ length: this.length }, (_, i) => this.get(i));
	}
}

function decodeTexts(column) {
	const offsets = new Float64Array(column.count + 1);

	for (let i = 0; i < column.count; i++)
		offsets[i + 1] = offsets[i] + varint();
	return new Texts(offsets, blob, place);
}

function decode(column) {
	const n = column.count;
	let last = 0;

	blob = column.blob;
	place = column.at;
	if (column.type === 'x')
		return decodeTexts(column);

	const value = column.type === 'n' ? new Uint32Array(n)
		: column.type === 'd' ? new Int32Array(n) : new Float64Array(n);

	if (column.type === 'n' || column.type === 'c')
		for (let i = 0; i < n; i++)
			value[i] = blob[place] < 128 ? blob[place++] : varint();
	else if (column.type === 's')
		for (let i = 0; i < n; i++)
			value[i] = zigzag();
	else
		for (let i = 0; i < n; i++)
			value[i] = last += zigzag();
	return value;
}

const EMPTY = new Float64Array(0);

/*
 * The array of a column, as filters (filter.js) or a selection (select.js) count
 * it; empty if there is none.
 */
function col(name, index) {
	const value = narrowed?.get(name + ':' + (index || 0));

	return typeof value === 'function' ? value() : value || selectedCol(name, index);
}

/* The same without filters. */
function selectedCol(name, index) {
	return selected && Object.hasOwn(COUNTED, name) ? countedCol(name, index || 0) : wholeCol(name, index);
}

/* The same of the whole profile. */
function wholeCol(name, index) {
	const column = columns.get(name + ':' + ((index || 0) & EVENT_MASK)); /* without a part, see versus.js */

	if (!column)
		return EMPTY;
	if (!column.value)
		column.value = decode(column);
	return column.value;
}

function texts(name) {
	return columns.has(name + ':0') ? col(name) : new Texts(new Float64Array(1), blob, 0);
}

function one(name) {
	return col(name)[0] || 0;
}

/* ---- Events ------------------------------------------------------------- */

/*
 * An event to show: weights are pairs of a column and a factor. A difference
 * has those of the costs before, too, and its cost is the change.
 */
let events = [];
let differs = false;

function listEvents() {
	const names = texts('event_name').all(), titles = texts('event_title');
	const units = texts('event_unit'), incl = col('event_incl');
	const plain = names.map((name, i) => ({ name, title: titleOf(name, titles.get(i)), text: '',
		unit: units.get(i), weights: [[i, 1]], before: null, coverage: incl[i] === 2 }));

	texts('formula_name').all().forEach((name, i) => plain.push({ name,
		title: texts('formula_title').get(i), text: texts('formula_text').get(i),
		unit: texts('formula_unit').get(i), before: null, coverage: false,
		weights: Array.from(col('formula_factor', i), (f, at) => [at, f])
			.filter((pair) => pair[1] !== 0) }));
	return plain;
}

/* X_before and X_after become X, if all events are such pairs. */
function pairEvents(plain) {
	const by = new Map(plain.map((event) => [event.name, event]));
	const pairs = [];

	for (const after of plain) {
		const name = after.name.replace(/_after$/, '');
		const before = by.get(name + '_before');

		if (name !== after.name && before)
			pairs.push({ ...after, name, before: before.weights,
				title: titleOf(name, after.title.replace(/[ _,(]*after\)?$/, '')) });
	}
	differs = pairs.length > 0 && 2 * pairs.length === plain.length;
	return differs ? pairs : plain;
}

/* The main event is shown first. */
function mainEvent() {
	const main = one('event_main');
	const at = events.findIndex((event) => (event.weights[0][0] & EVENT_MASK) === main ||
		(event.before && (event.before[0][0] & EVENT_MASK) === main));

	return at < 0 ? 0 : at;
}

function weigh(name, weights) {
	if (weights.length === 1 && weights[0][1] === 1)
		return col(name, weights[0][0]);

	const sum = new Float64Array(weights.length ? col(name, weights[0][0]).length : 0);

	for (const [index, factor] of weights) {
		const from = col(name, index);

		for (let i = 0; i < sum.length; i++)
			sum[i] += factor * from[i];
	}
	return sum;
}

const weighed = new Map();

/* Costs of an event in columns of that name; side: 'before', 'after', none. */
function costs(name, event, side) {
	const at = events.indexOf(event);
	const key = (narrowed ? '' : 'all ') + name + ':' + (at < 0 ? 'plain ' + event.name : at) + (side || '');
	let value = weighed.get(key);

	if (value)
		return value;
	if (side === 'before' || !event.before || side === 'after') {
		value = weigh(name, side === 'before' ? event.before : event.weights);
	} else {
		const before = costs(name, event, 'before');

		value = costs(name, event, 'after').slice();
		for (let i = 0; i < value.length; i++)
			value[i] -= before[i];
	}
	weighed.set(key, value);
	return value;
}

function total(event, side) {
	return costs('part_total', event, side).reduce((a, b) => a + b, 0);
}

/* What shares are shares of: the total; of differences, that before. */
function whole(event) {
	return Math.abs(event.before ? total(event, 'before') || total(event, 'after')
		: total(event));
}

/* ---- Names -------------------------------------------------------------- */

let fnCount = 0, fnNames = null;

/*
 * A function; fnCount: those that were dropped; behind that are cycles, as
 * functions that have only costs and calls.
 */
function fnName(fn) {
	if (fn > fnCount)
		return '<cycle ' + (fn - fnCount) + '>';
	if (fn === fnCount)
		return '(below ' + one('least') / 1e4 + '%)';

	const name = fnNames.get(fn);

	if (name && name !== '[unknown]')
		return visible(name);

	/* As in pictures (svg). Names of the kernel's parts have brackets. */
	const object = objectPath(fn);

	return fn === 0 ? '(unknown caller)' : object && object[0] !== '[' ? '[' + baseName(object) + ']' : '[unknown]';
}

function callsIn(fn) {
	return (fn > fnCount ? col('cycle_calls')[fn - fnCount - 1] : col('fn_calls')[fn]) || 0;
}

function filePath(file) {
	return file ? visible(texts('file_path').get(file - 1)) : '';
}

function objectPath(fn) {
	const object = col('fn_object')[fn];

	return object ? visible(texts('object_path').get(object - 1)) : '';
}

async function addData(text) {
	const bytes = await unpack(fromBase64(text));

	blob = bytes;
	forgetCounts(true);
	listColumns();
}

async function loadData() {
	const at = document.getElementById('data');

	await addData(at.textContent.trim());
	at.remove();
	events = addSumEvents(pairEvents(listEvents()));
	fnNames = texts('fn_name');
	fnCount = fnNames.length;
}

/* ---- Data files ---------------------------------------------------------- */

const loading = new Map(); /* name -> { promise, done }, of what --split put into files */
const arrived = new Map(); /* name -> [text, number] */

/* Data files call this. */
window.cgconvData = (name, text, id) => arrived.set(name, [text, id]);

function isMissing(name) {
	return texts('data_name').all().includes(name) && !loading.get(name)?.done;
}

/* page.html -> page.NAME.js, next to it; servers show index.html as / */
function dataPath(name) {
	const page = location.pathname.replace(/.*\//, '').replace(/(.)\.[^.]*$/, '$1');

	return './' + (page || 'index') + '.' + name + '.js';
}

function fetchData(name) {
	return new Promise((resolve, reject) => {
		const path = dataPath(name), id = col('data_id')[texts('data_name').all().indexOf(name)];
		const script = el('script', { src: path, on: {
			error: () => reject(new Error(decodeURIComponent(path.slice(2)) +
				' is missing: it belongs next to this page.')),
			load: () => {
				const [text, found] = arrived.get(name) || [];

				script.remove();
				arrived.delete(name);
				if (found === id)
					resolve(text);
				else
					reject(new Error(decodeURIComponent(path.slice(2)) +
						' is of another report.'));
			} } });

		document.head.append(script);
	});
}

/* Loads a data file, once. */
function load(name) {
	if (!loading.has(name)) {
		const entry = { done: false };

		loading.set(name, entry);
		entry.promise = fetchData(name).then(addData).then(() => entry.done = true, (e) => {
			loading.delete(name); /* the next view tries again */
			throw e;
		});
	}
	return loading.get(name).promise;
}
