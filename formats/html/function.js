/*
 * function.js - one function: its callers and callees with their shares, its
 * lines and its costs in each part.
 */

let callsByCallee = null;

onSelection(() => callsByCallee = null);

/* Rows of calls by callee: where those of each begin, and the rows. */
function calleeIndex() {
	if (callsByCallee)
		return callsByCallee;
	const to = col('call_to'), begin = new Uint32Array(fnCount + 2), rows = new Uint32Array(to.length);
	const there = callsThere();

	to.forEach((fn, i) => begin[fn + 1] += !there || there[i] ? 1 : 0);
	for (let i = 1; i < begin.length; i++)
		begin[i] += begin[i - 1];

	const next = begin.slice();

	to.forEach((fn, i) => {
		if (!there || there[i])
			rows[next[fn]++] = i;
	});
	return callsByCallee = { begin, rows };
}

/* The rows of calls of a caller, which are next to each other. */
function callsOf(fn) {
	const rows = rowsOf(col('call_from'), fn), there = callsThere();

	return there ? rows.filter((row) => there[row]) : rows;
}

/* The rows with that function, in a column in canonical order. */
function rowsOf(from, fn) {
	const list = [];
	let low = 0, high = from.length;

	while (low < high) {
		const middle = low + high >> 1;

		if (from[middle] < fn)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < from.length && from[low] === fn; low++)
		list.push(low);
	return list;
}

/* Sums of calls by the function at their other end. */
function sumCalls(rows, other, event) {
	const cost = costs('call_cost', event), count = col('call_count'), sums = new Map();
	const before = event.before ? costs('call_cost', event, 'before') : null;

	for (const row of rows) {
		const sum = sums.get(other[row]) || { fn: other[row], count: 0, cost: 0, before: 0 };

		sums.set(sum.fn, sum);
		sum.count += count[row];
		sum.cost += cost[row];
		sum.before += before ? before[row] : 0;
	}
	return [...sums.values()];
}

/* Changes of calls are grey if that of the called function is, as they are not judged themselves. */
function callTable(label, rows, event, all, called) {
	const grey = (row) => isUnreal(event, 'inclusive', called < 0 ? row.fn : called);
	const columns = [{ key: 'cost', label: event.before ? 'Change' : 'Inclusive', number: true,
		width: costWidth(170), value: (row) => event.before ? Math.abs(row.cost) : row.cost, text: (row) => row.cost,
		show: (row) => bar(event.before ? change(row.cost, event, undefined, grey(row))
			: [showCost(row.cost, event),
				el('span', { class: 'pct', title: 'of the function' }, percent(row.cost, all))],
		all ? row.cost / all : 0, event.before ? wayOf(row.cost, grey(row)) : '') },
	{ key: 'count', label: one('sampled') ? 'Samples' : 'Calls', number: true, width: wide(100, 70),
		value: (row) => row.count, show: (row) => countCell(row.count) },
	...one('sampled') || event.before || narrow() ? [] : [{ key: 'per', label: 'Per call', number: true, width: '90px',
		value: (row) => row.count ? row.cost / row.count : 0,
		show: (row) => row.count ? brief(Math.round(row.cost / row.count), event.unit) : '' }],
	{ key: 'name', label: 'Function', width: 'minmax(' + wide(160, 120) + ', 1fr)', value: (row) => fnName(row.fn),
		show: (row) => fnLink(row.fn) }];

	if (event.before)
		columns.splice(0, 0, { key: 'before', label: 'Before', number: true,
			width: costWidth(100), value: (row) => row.before,
			show: (row) => showCost(row.before, event) },
		{ key: 'after', label: 'After', number: true, width: costWidth(100),
			value: (row) => row.before + row.cost,
			show: (row) => showCost(row.before + row.cost, event) });
	if (!rows.length)
		return card(label, el('p', { class: 'dim' }, 'none'));

	const table = new Table({ label, rows, columns, tall: rows.length > 14, sortKey: '-cost' });

	return card([label + ' (' + rows.length + ')', tableTools(table)], table.box);
}

/* ---- Lines and parts ---------------------------------------------------- */

function linesOf(fn) {
	const owner = col('line_fn'), rows = [];

	for (let i = 0; i < owner.length; i++)
		if (owner[i] === fn)
			rows.push(i);
	return rows;
}

function sourceLink(file, line) {
	return el('a', { go: { view: 'source', file, line, x: '' }, title: filePath(file) },
		baseName(filePath(file)) + ':' + line);
}

/* A number stays whole where the name of its file is cut. */
function placeLink(file, line) {
	const link = sourceLink(file, line);

	link.className = 'place';
	return put(link, el('span', {}, baseName(filePath(file))), ':' + line);
}

/* Lines without texts have no column for them; those of one file do not repeat its name. */
function lineTable(fn, event) {
	const rows = linesOf(fn), file = col('line_file'), line = col('line_number');

	if (!rows.length)
		return null;

	const one = rows.every((row) => file[row] === file[rows[0]]), known = rows.some((row) => linesOfFile(file[row]));
	const path = tidyPath(filePath(file[rows[0]]));

	return card(one ? ['Lines of ', el('span', { title: path }, baseName(path)), ', self cost'] : 'Lines, self cost',
		new Table({ label: 'Lines', rows, tall: rows.length > 14, sortKey: '', columns: [
			...costColumns('cost', 'Self', 'line_cost', event, (row) => row),
			...judgesLines(event) ? verdictColumn(event, 'real', 'line', (row) => [file[row], line[row]]) : [],
			{ key: 'line', label: 'Line', number: one && known, width: known ? one ? wide(72, 56) : wide(200, 130) : 'minmax(160px, 1fr)',
				value: (row) => line[row], show: (row) => one ? el('a', { go: { view: 'source', file: file[row],
					line: line[row], x: '' } }, String(line[row])) : placeLink(file[row], line[row]) },
			...known ? [{ key: 'text', label: 'Text', width: 'minmax(160px, 1fr)',
				show: (row) => highlight(file[row], line[row]) }] : []] }).box);
}

function shareTable(fn, shown) {
	const event = plainEvent(shown), owner = col('share_fn'), part = col('share_part'), rows = [];
	const self = costs('share_self', event);

	owner.forEach((at, i) => at === fn && !isTimed() && self[i] && isPartSelected(part[i]) && rows.push(i));
	return rows.length ? card('Parts, self cost', new Table({ label: 'Parts', rows,
		tall: rows.length > 14, sortKey: '-cost', columns: [
			{ key: 'part', label: 'Part', width: 'minmax(160px, 1fr)', value: (row) => part[row],
				show: (row) => partName(part[row]) },
			...costColumns('cost', 'Self', 'share_self', event, (row) => row)] }).box) : null;
}

/* The costs of all events; KCachegrind's "Types". */
function eventTable(fn) {
	const shown = events.filter((event) => !event.coverage);
	const cell = (name, event) => event.before ? el('td', { class: 'n' }, change(costs(name, event)[fn], event))
		: el('td', { class: 'share' }, bar([showCost(costs(name, event)[fn], event), el('span', { class: 'pct' },
			percent(costs(name, event)[fn], whole(event)))], costs(name, event)[fn] / (whole(event) || 1)));

	return shown.length > 1 ? card('Events', el('table', { class: 'top types' }, el('thead', {}, el('tr', {},
		['Event', 'Inclusive', 'Self'].map((text, i) => el('th', { scope: 'col', class: i ? 'n' : null }, text)))),
	el('tbody', {}, shown.map((event) => el('tr', { 'aria-selected': event === currentEvent() ? 'true' : null },
		el('th', { scope: 'row' }, el('a', { go: { event: event.name, x: '' } }, visible(event.name)), el('span', { class: 'dim' },
			event.title === event.name ? '' : ' ' + visible(event.title), event.text ? ' = ' + visible(event.text) : '')),
		cell('fn_inclusive', event), cell('fn_self', event)))))) : null;
}

/* ---- The view ----------------------------------------------------------- */

function fnFigures(fn, event) {
	const figure = (label, ...text) => el('div', { class: 'figure' }, el('span', {}, label),
		el('b', {}, text));
	const cost = (label, name, at) => {
		const value = costs(name, event)[at];

		return figure(label, event.before ? [showCost(costs(name, event, 'before')[at], event),
			' \u2192 ', showCost(costs(name, event, 'after')[at], event), ' ', change(value, event, undefined, isUnrealCost(event, name, at)),
			el('small', {}, ' ', judgedWords(event, name.slice(3), at))]
			: [showCost(value, event), ' ', el('small', {}, percent(value, whole(event)))]);
	};
	const cycle = col('fn_cycle')[fn], entries = col('fn_entries')[fn];

	return el('div', { class: 'figures' },
		event.coverage ? null : [cost('Inclusive', 'fn_inclusive', fn), cost('Self', 'fn_self', fn),
			figure(one('sampled') ? 'Samples' : 'Calls', number(callsIn(fn)))],
		entries ? figure('Entries', compared() && col('fn_entries', BEFORE)[fn]
			? number(col('fn_entries', BEFORE)[fn] - 1) + ' \u2192 ' : '', number(entries - 1)) : null,
		cycle ? cost('<cycle ' + cycle + '>', 'fn_inclusive', fnCount + cycle) : null);
}

function fnHead(fn) {
	const file = col('fn_file')[fn], line = col('fn_line')[fn];

	return el('div', { class: 'head' }, el('h1', {}, fnName(fn)), el('p', { class: 'dim' },
		file ? el('a', { go: { view: 'source', file, line: line || '', x: '' } }, tidyPath(fnPlace(fn)))
			: 'unknown file', objectPath(fn) ? ' in ' + objectPath(fn) : '', ' ',
		[['flame', 'flame graph', one('frames')], ['graph', 'call graph', one('calls')],
			['map', 'map', one('calls')], ['instrs', 'instructions', one('instrs')]]
			.filter((link) => link[2]).map(([view, text], i) =>
				[i ? ', ' : '', el('a', { go: { view, fn, instr: '', x: '' } }, text)])),
	el('p', { class: 'dim' }, refineLinks(fn)));
}

/*
 * The function that is selected, else the called one that costs most, or ran most often: a root of
 * the calls says little. -1: none.
 */
function shownFn(event) {
	const fn = chosen('fn', fnCount), by = event.coverage ? col('fn_entries') : costs('fn_inclusive', event);
	const called = (i) => Boolean(event.coverage) || callsIn(i) > 0;
	const isMore = (a, b) => called(a) === called(b) ? Math.abs(by[a]) > Math.abs(by[b]) : called(a);
	let best = 1;

	for (let i = 2; i < fnCount; i++)
		if (isMore(i, best))
			best = i;
	return fn >= 0 || fnCount < 2 ? fn : best;
}

function showFunction(main) {
	const event = currentEvent(), fn = shownFn(event), far = state.far === '1' && !event.before;

	if (fn < 0)
		return put(main, el('div', { class: 'empty' }, el('p', {}, 'Select a function in another view.')));

	const index = calleeIndex(), all = Math.abs(costs('fn_inclusive', event)[fn]);
	const callers = far ? null : sumCalls(index.rows.subarray(index.begin[fn], index.begin[fn + 1]), col('call_from'), event);
	const callees = far ? null : sumCalls(callsOf(fn), col('call_to'), event);

	search();
	return put(main, el('div', { class: 'function' }, fnHead(fn), el('div', { class: 'sums' }, fnFigures(fn, event),
		col('call_from').length && !event.before && !event.coverage ? choice('Calls', 'far', [['', 'Direct calls'],
			['1', 'All', 'functions that call it, or that it calls, directly or not']]) : null),
	col('call_from').length ? el('div', { class: 'butterfly' },
		far ? reachTable('All callers', fn, event, 'from') : callTable('Callers', callers, event, all, fn),
		far ? reachTable('All callees', fn, event, 'to') : callTable('Callees', callees, event, all, -1)) : null,
	lineTable(fn, event), eventTable(fn), shareTable(fn, event)));
}
