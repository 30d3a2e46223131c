/*
 * select.js - costs of some parts, threads or of some time only. A selection
 * replaces the columns with costs, so that all views show its numbers: each
 * column is counted again when a view asks for it, from the parts' columns here,
 * or from the moments in times.js.
 */

/*
 * { parts, tracks, time }: two Uint8Arrays and [from, to], each NULL if all are
 * selected; NULL: the whole profile.
 */
let selected = null;
let selectedText = '[null,null,null]';
const countedCols = new Map(); /* "name:index" -> array */
const forgets = []; /* functions that drop what a module made of costs */

/* Data files that costs are counted from. */
const COUNTED_DATA = ['parts', 'calls', 'lines', 'stacks', 'instrs', 'jumps'];

/* Calls forget(more) when other costs are shown: by the selection, by filters, or as data came. */
function onSelection(forget) {
	forgets.push(forget);
}

/* more: data came, which columns may be missing without. */
function forgetCounts(more) {
	countedCols.clear();
	forgets.forEach((forget) => forget(more));
}

function countedCol(name, index) {
	const key = name + ':' + index;
	let value = countedCols.get(key);

	/* Not of what the filters of the last view have left. */
	if (!value)
		countedCols.set(key, value = within(null, () => countOf(name, index)));
	return value;
}

onSelection(() => {
	weighed.clear();
	matchedText = null; /* matches are by function, with cycles */
});

/* ---- What is selected ---------------------------------------------------- */

function partCount() {
	return texts('part_command').length;
}

/* Numbers of a list in the state, as "0.2.5"; NULL: none, or all. */
function chosenSet(key, count) {
	const set = new Uint8Array(count);

	for (const text of state[key].split('.'))
		if (/^\d+$/.test(text) && Number(text) < count)
			set[Number(text)] = 1;

	return setText(set) === '' ? null : set;
}

/* How many are selected; NULL: none is. */
function setSize(set) {
	return set ? set.reduce((a, b) => a + b, 0) : 0;
}

/* The list of a set in the state; '' for none and for all. */
function setText(set) {
	return setSize(set) < set.length ? Array.from(set.keys()).filter((i) => set[i]).join('.') : '';
}

/* Coverage has no parts: its tests are in a view of their own. */
function hasParts() {
	return wholeCol('share_part').length > 0 || (partCount() > 1 && isMissing('parts'));
}

/* True if costs are counted from moments. */
function isTimed() {
	return selected !== null && (selected.tracks !== null || selected.time !== null);
}

/* [from, to] of the state, as "1.5_3"; NULL: all. */
function chosenTime() {
	const [from, to] = state.time.split('_').map(Number);

	return state.time && from >= 0 && to > from ? [from, to] : null;
}

/* How many threads have times; their data may not be there yet. */
function trackCount() {
	return one('tracks');
}

function readSelection() {
	const tracks = trackCount() ? chosenSet('threads', trackCount()) : null, time = trackCount() ? chosenTime() : null;
	const parts = hasParts() ? chosenSet('parts', partCount()) || bothParts(tracks || time) : null;
	const text = JSON.stringify([parts && setText(parts), tracks && setText(tracks), time]);

	if (text !== selectedText) {
		selected = parts || tracks || time ? { parts, tracks, time } : null;
		selectedText = text;
		forgetCounts();
	}
	readVersus();
}

function isPartSelected(part) {
	return !selected?.parts || selected.parts[part] === 1;
}

/* ---- The rows of parts --------------------------------------------------- */

const bounds = new Map(); /* by column: where the rows of each part begin */

onSelection((more) => more && bounds.clear());

/*
 * Rows by part. sizes is the column with their numbers by share; without it,
 * rows are shares.
 */
function partBounds(sizes) {
	const key = sizes || '';

	if (!bounds.has(key)) {
		const part = wholeCol('share_part'), size = sizes ? wholeCol(sizes) : null;
		const begins = new Float64Array(partCount() + 1);

		for (let i = 0; i < part.length; i++)
			begins[part[i] + 1] += size ? size[i] : 1;
		for (let i = 1; i < begins.length; i++)
			begins[i] += begins[i - 1];
		bounds.set(key, begins);
	}
	return bounds.get(key);
}

/* Calls f(begin, end) for the rows of each selected part. */
function eachPart(begins, f) {
	selected.parts.forEach((is, part) => is && f(begins[part], begins[part + 1]));
}

/* Sums of values by row, of the selected parts. */
function sumRows(n, begins, row, value) {
	const sum = new Float64Array(n);

	eachPart(begins, (begin, end) => {
		for (let i = begin; i < end; i++)
			sum[row[i]] += value[i];
	});
	return sum;
}

function rowsOfParts(kind, value, index) {
	return sumRows(wholeCol(ROW_COSTS[kind], index).length, partBounds('share_' + kind + 's'),
		wholeCol('part_' + kind), wholeCol(value, index));
}

/* A column that has a value for each row. */
const ROW_COSTS = { line: 'line_cost', call: 'call_cost', instr: 'instr_cost', site: 'site_cost',
	jump: 'jump_executed' };

/* By spot, or by frame if there are none. */
function spotsOfParts(value, event) {
	const sizes = wholeCol('part_nodes'), begins = new Float64Array(sizes.length + 1);

	for (let i = 0; i < sizes.length; i++)
		begins[i + 1] = begins[i] + sizes[i];
	return sumRows(hasSpots() ? spots().n : wholeCol('node_fn').length, begins, wholeCol('part_node'), wholeCol(value, event));
}

function nodesOfParts(value, event) {
	const sum = spotsOfParts(value, event);

	return hasSpots() ? addUp(sum, spots().frame, wholeCol('node_fn').length) : sum;
}

function totalsOfParts(event) {
	return wholeCol('part_total', event).map((sum, part) => isPartSelected(part) ? sum : 0);
}

/* By call: 1 if it is among the selected parts' rows; NULL: all are. */
function callsThere() {
	return selected && !narrowed ? col('call_there') : null;
}

function markCalls() {
	const there = new Uint8Array(wholeCol('call_to').length), row = wholeCol('part_call');

	eachPart(partBounds('share_calls'), (begin, end) => {
		for (let i = begin; i < end; i++)
			there[row[i]] = 1;
	});
	return there;
}

/* The sums of cycles that have no costs of their own, see cycles.js. */
function sharesOfParts(event) {
	const fn = wholeCol('share_fn'), states = wholeCol('share_states');
	const stated = new Float64Array(fnCount + 1), isStated = new Uint8Array(fnCount + 1);
	const inclusive = wholeCol('share_inclusive', event), self = wholeCol('share_self', event);
	const of = wholeCol('part_call'), cost = wholeCol('part_call_cost', event), calls = wholeCol('share_calls');
	const begins = partBounds('share_calls'), leaves = leavingCalls();

	selected.parts.forEach((is, part) => {
		let at = begins[part];

		for (let i = partBounds()[part]; is && i < partBounds()[part + 1]; i++) {
			const end = at + (calls[i] || 0);

			if (states[i]) {
				stated[fn[i]] += inclusive[i];
				isStated[fn[i]] = 1;
				at = end;
				continue;
			}
			stated[fn[i]] += self[i];
			for (; at < end; at++)
				if (leaves[of[at]])
					stated[fn[i]] += cost[at];
		}
	});
	return { sum: stated, isStated };
}

function selfOfParts(event) {
	const begins = partBounds();

	return withCycles(sumRows(fnCount + 1, begins, wholeCol('share_fn'), wholeCol('share_self', event)),
		findCycles());
}

function callsInOfParts() {
	const sum = callsFromOthers(), fn = wholeCol('share_fn'), repeats = wholeCol('share_repeats');

	if (repeats.length)
		eachPart(partBounds(), (begin, end) => {
			for (let i = begin; i < end; i++)
				sum[fn[i]] -= repeats[i];
		});
	return sum;
}

/* How each column is counted; index: of the event. */
const COUNTED = {
	part_total: totalsOfParts,
	node_self: (event) => nodesOfParts('part_node_cost', event),
	node_samples: () => nodesOfParts('part_node_samples'),
	spot_cost: (what) => what === 'samples' ? spotsOfParts('part_node_samples') : spotsOfParts('part_node_cost', what),
	line_cost: (event) => rowsOfParts('line', 'part_line_cost', event),
	call_cost: (event) => rowsOfParts('call', 'part_call_cost', event),
	call_count: () => rowsOfParts('call', 'part_call_count'),
	call_there: markCalls,
	instr_cost: (event) => rowsOfParts('instr', 'part_instr_cost', event),
	site_cost: (event) => rowsOfParts('site', 'part_site_cost', event),
	site_count: () => rowsOfParts('site', 'part_site_count'),
	jump_executed: () => rowsOfParts('jump', 'part_jump_executed'),
	jump_followed: () => rowsOfParts('jump', 'part_jump_followed'),
	fn_self: selfOfParts,
	fn_inclusive: (event) => selectedInclusive(sharesOfParts(event), event),
	fn_calls: callsInOfParts,
	fn_cycle: () => findCycles().of,
	cycles: () => [findCycles().count],
	cycle_calls: () => callsOfCycles(col('call_count'), selectedCalls()),
};
