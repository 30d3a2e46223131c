/*
 * listing.js - the disassembly that --disassembly adds: texts and bytes of
 * instructions, and those between the instructions of a function that never ran,
 * which are folded if there are many.
 */

const FOLDED = 4; /* so many in a row, or more, are one row */

let listingKnown = null;

/* Ranges of instructions by object file, in the order of addresses, and the place of each in its range. */
function listing() {
	if (listingKnown)
		return listingKnown;
	const of = col('asm_object'), high = col('asm_high'), low = col('asm_low'), count = col('asm_count');
	const step = col('asm_step'), place = new Float64Array(step.length), ranges = new Map();
	let first = 0;

	of.forEach((object, i) => {
		const end = first + count[i];

		for (let k = first + 1; k < end; k++)
			place[k] = place[k - 1] + step[k - 1];
		if (!ranges.has(object))
			ranges.set(object, []);
		ranges.get(object).push({ low: (BigInt(high[i]) << 32n) + BigInt(low[i]), first, end });
		first = end;
	});
	return listingKnown = { ranges, place };
}

/* The range that begins at an address or last before it; undefined: there is none. */
function rangeAt(ranges, address) {
	let low = 0, high = ranges.length;

	while (low < high) {
		const middle = low + high >> 1;

		if (ranges[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return ranges[low - 1];
}

/*
 * Instructions of the ranges with some offsets of a function's code, as a Map
 * of offset to index.
 */
function listedAt(code, offsets) {
	const { ranges, place } = listing(), all = ranges.get(code.asm) || [], found = new Set(), listed = new Map();

	for (const offset of offsets) {
		const address = code.lowest + BigInt(offset) - 1n, range = offset ? rangeAt(all, address) : undefined;

		if (range && address - range.low <= place[range.end - 1])
			found.add(range);
	}
	for (const range of found) {
		const base = Number(range.low - code.lowest) + 1;

		for (let i = range.first; i < range.end; i++)
			listed.set(base + place[i] - (base + place[i] <= 0 ? 1 : 0), i);
	}
	return listed;
}

/*
 * Gives rows of instructions their texts and bytes, and adds those of the
 * listing that are in none; by: rows by offset.
 */
function addListed(rows, by, code, add) {
	const text = texts('asm_text'), bytes = texts('asm_bytes'), ran = col('asm_ran');
	const listed = listedAt(code, by.keys());

	for (const row of rows)
		if (listed.has(row.offset)) {
			row.text = visible(text.get(listed.get(row.offset)));
			row.bytes = visible(bytes.get(listed.get(row.offset)));
		}
	for (const [offset, i] of listed) {
		const row = by.get(offset) || add(offset, 0, 0, 0);

		row.idle = !row.known;
		row.other = !row.known && ran[i] === 1;
		row.text = visible(text.get(i));
		row.bytes = visible(bytes.get(i));
	}
}

function hasListing() {
	return col('asm_object').length > 0;
}

/* ---- What never ran ------------------------------------------------------ */

/* Samples may have missed them, and --html-min drops functions. */
function idleWords() {
	return one('sampled') ? 'without samples' : one('least') ? 'not counted' : 'not run';
}

function foldWords(rows) {
	const others = rows.filter((row) => row.other).length, idle = rows.length - others;

	return [idle ? plural(idle, 'instruction') + ' ' + idleWords() : '',
		others ? plural(others, 'instruction') + ' of other functions' : ''].filter((text) => text).join(', ');
}

function openedFolds() {
	return new Set(state.idle.split('.'));
}

/* Opens or closes a fold; those that are open are in the state by their addresses. */
function turnFold(row, open) {
	const opened = openedFolds(), key = row.address;

	if (open === opened.has(key))
		return;
	if (!opened.delete(key))
		opened.add(key);
	opened.delete('');
	go({ idle: [...opened].join('.') });
}

/* Instructions without those that never ran, if they are to be hidden. */
function withoutIdle(instrs, isChosen) {
	return state.idle === 'none' ? instrs.filter((row) => !row.idle || row.leads || isChosen(row)) : instrs;
}

/* Rows with folds in the place of many instructions in a row that never ran. */
function foldIdle(rows, code, isChosen) {
	const folded = [], opened = openedFolds();
	const stays = (row) => !row.idle || row.kind !== 'instr' || row.leads || isChosen(row);

	for (let i = 0, end; i < rows.length; i = Math.max(i + 1, end)) {
		for (end = i; end < rows.length && !stays(rows[end]);)
			end++;
		const idle = rows.slice(i, Math.max(i + 1, end)), address = addressText(code, rows[i].offset || 0);

		if (end - i >= FOLDED && state.idle !== 'all')
			folded.push({ kind: 'fold', offset: rows[i].offset, address, words: foldWords(idle),
				title: address + ' \u2013 ' + addressText(code, idle.at(-1).offset), open: opened.has(address) });
		if (end - i < FOLDED || state.idle === 'all' || opened.has(address))
			folded.push(...idle);
	}
	return folded;
}

function showFold(row) {
	return el('button', { class: 'fold', 'aria-expanded': String(row.open), title: row.title, on: { click: (e) => {
		e.stopPropagation();
		turnFold(row);
	} } }, (row.open ? '\u25be ' : '\u25b8 ') + row.words);
}

function idleChoice(instrs) {
	const idle = instrs.filter((row) => row.idle), words = idleWords();

	return idle.length ? choice(foldWords(idle), 'idle', [['', words[0].toUpperCase() + words.slice(1) + ': folded', FOLDED + ' and more in a row'],
		['all', 'shown', foldWords(idle)], ['none', 'hidden', foldWords(idle)]]) : null;
}

function bytesChoice() {
	return texts('asm_bytes').length ? choice('Bytes', 'hex', [['', 'Text'], ['1', 'Bytes and text', 'bytes of instructions in hex']]) : null;
}

/** @returns {TableColumn[]} */
function bytesColumns(instrs) {
	const most = instrs.reduce((m, row) => Math.max(m, (row.bytes || '').length), 0);

	return state.hex === '1' && most ? [{ key: 'hex', label: 'Bytes', width: Math.round(most * 7.3 + 22) + 'px',
		show: (row) => row.bytes ? el('code', { class: 'dim' }, row.bytes) : '' }] : [];
}
