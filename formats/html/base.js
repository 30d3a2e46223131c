/*
 * base.js - elements, names as text, numbers. Names come from profiles, which
 * may come from strangers: they become text nodes and attributes' values only,
 * and what could disguise them becomes visible.
 */
'use strict';

/* Control characters, and those that reorder or hide text. */
const HIDDEN = new RegExp('[\\0-\\x1f\\x7f-\\x9f\\u00ad\\u061c\\u180e' +
	'\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]', 'g');

function visible(text) {
	return text.replace(HIDDEN, (c) => {
		const code = c.charCodeAt(0);

		return code < 256 ? '\\x' + code.toString(16).padStart(2, '0')
			: '\\u' + code.toString(16).padStart(4, '0');
	});
}

/* Control characters of a name or of a link would be keys to a terminal. */
const CONTROL = /[\0-\x1f\x7f-\x9f]/g;

/* A word of a shell command. */
function shellWord(text) {
	if (text.search(CONTROL) >= 0)
		return "$'" + text.replace(/[\\']/g, '\\$&').replace(CONTROL, (c) => c < '\x80'
			? '\\' + c.charCodeAt(0).toString(8).padStart(3, '0')
			: '\\302\\' + c.charCodeAt(0).toString(8)) + "'";
	return /^[\w.\/:=@%+,-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
}

/*
 * An element: el('a', { class: 'x', on: { click } }, 'text', child). go makes a
 * link to the state with some changes, which keep() renews. Values that are null
 * or false are not set; children that are not elements become text.
 */
function el(tag, attributes, ...children) {
	return dress(document.createElement(tag), attributes, children);
}

/* The same, of a picture. The name is no address: nothing is loaded from it. */
function svg(tag, attributes, ...children) {
	return dress(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function dress(at, attributes, children) {
	for (const [key, value] of Object.entries(attributes || {})) {
		if (key === 'on')
			for (const [type, f] of Object.entries(value))
				at.addEventListener(type, f);
		else if (key === 'go')
			at.setAttribute('href', link(at.changes = value));
		else if (value !== null && value !== false && value !== undefined)
			at.setAttribute(key, value === true ? '' : String(value));
	}
	at.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
	return at;
}

function put(at, ...children) {
	at.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
	return at;
}

/* A phone: columns are narrower, and numbers that have a longer form are short. */
function narrow() {
	return innerWidth < 700;
}

/* The width of a column, and that on a phone. */
function wide(pixels, phone) {
	return (narrow() ? phone : pixels) + 'px';
}

/* ---- Numbers ------------------------------------------------------------ */

const EXACT = 2 ** 53;
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/* 1234567 as 1,234,567; numbers that were rounded have a sign. */
function number(value) {
	return (Math.abs(value) >= EXACT ? '\u2248' : '') + grouped.format(value);
}

function plural(n, what) {
	return number(n) + ' ' + what + (n === 1 ? '' : 's');
}

/** @typedef {[name: string, by: number]} Unit */

/** @type {Unit[]} */
const TIMES = [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3], ['ns', 1]];
/** @type {Unit[]} */
const BYTES = [['TiB', 2 ** 40], ['GiB', 2 ** 30], ['MiB', 2 ** 20],
	['KiB', 2 ** 10], ['B', 1]];
/** @type {Unit[]} */
const COUNTS = [['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e3], ['', 1]];

const SHORT = 1e5; /* counts below are shown in full */

/* In three digits, with a unit: 1.23 s, 184 M */
function brief(value, unit) {
	const table = unit === 'ns' || unit === 'nanoseconds' ? TIMES
		: unit === 'bytes' || unit === 'B' ? BYTES : COUNTS;
	const size = Math.abs(value);

	if (table === COUNTS && size < SHORT && Number.isInteger(value))
		return number(value);

	/* 999.7 ns are 1.00 us: the unit is that of the rounded number. */
	const rounded = Number(size.toPrecision(3));
	const [name, by] = table.find((row) => rounded >= row[1]) || table[table.length - 1];
	const digits = by === 1 && Number.isInteger(value) ? 0
		: rounded / by < 10 ? 2 : rounded / by < 100 ? 1 : 0;

	return (value / by).toFixed(digits) + (name ? '\u00a0' + name : '');
}

function percent(value, total) {
	const share = total ? 100 * value / total : 0;
	const size = Math.abs(share);

	return (size === 0 ? '0' : size < 0.01 ? (share < 0 ? '>\u22120.01' : '<0.01')
		: share.toFixed(size < 10 ? 2 : 1).replace('-', '\u2212')) + '%';
}

function signed(text, value) {
	return value > 0 ? '+' + text : text.replace('-', '\u2212');
}

/* ---- Colours ------------------------------------------------------------ */

function hash(text) {
	let h = 2166136261;

	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return (h ^ h >>> 15) >>> 0;
}

/* From -1 (all less) over 0 to 1 (all more). */
function changeOf(before, after) {
	const most = Math.max(Math.abs(before), Math.abs(after));

	return most ? (after - before) / most : 0;
}

/* The last component of a path. */
function baseName(path) {
	return path.slice(path.lastIndexOf('/') + 1) || path;
}

/* A path without "." and "..", as compilers write them: "./string/../sysdeps/x.S" is "sysdeps/x.S". */
function tidyPath(path) {
	let tidy = path.replace(/(^|\/)(?:\.\/)+/g, '$1'), last;

	do {
		last = tidy;
		tidy = tidy.replace(/(^|\/)(?!\.\.\/)[^/]+\/\.\.\//, '$1');
	} while (tidy !== last);
	return tidy;
}
