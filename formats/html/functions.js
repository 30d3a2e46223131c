/*
 * functions.js - all functions in one table.
 */

/* Functions that match the search and cost something; of coverage, those that count. */
function listFns(event) {
	const incl = costs('fn_inclusive', event), self = costs('fn_self', event);
	const calls = col('fn_calls'), entries = col('fn_entries'), rows = [];
	const before = event.before ? costs('fn_inclusive', event, 'before') : EMPTY;

	const real = state.real === '1' && isJudged(event);
	const was = col('fn_entries', BEFORE), lists = real ? (i) => hasRealChange(event, i)
		: event.coverage ? (i) => entries[i] || was[i]
			: (i) => incl[i] || self[i] || calls[i] || before[i];

	search();
	for (let i = 1; i < fnCount; i++)
		if ((!matches || matches[i]) && lists(i) && inGroup(i))
			rows.push(i);
	if (currentGroup() || real)
		return rows;
	if (self[fnCount] && !matches)
		rows.push(fnCount);
	for (let i = fnCount + 1; i < incl.length; i++)
		if ((!matches || matches[i]) && (incl[i] || self[i] || before[i]))
			rows.push(i);
	return rows;
}

function perCall(fn, incl) {
	const calls = callsIn(fn);

	return calls ? incl[fn] / calls : 0;
}

/* A dash, as the calls are not known to be 0. */
function noCalls() {
	return el('span', { class: 'dim', title: 'no calls by others are known' }, '\u2013');
}

/* Room for the longest name, in pixels, so that what follows is near: at most that of a long name without parameters. */
function nameWidth() {
	let longest = 0;

	for (let i = 1; i < fnCount; i++)
		longest = Math.max(longest, fnNames.offsets[i + 1] - fnNames.offsets[i]);
	return Math.min(800, Math.max(240, 20 + 7.5 * longest + (one('cycles') ? 72 : 0)));
}

/** @returns {TableColumn[]} */
function fnColumns(event) {
	const at = (fn) => fn, incl = costs('fn_inclusive', event);
	const text = (key, label, f, width) => ({ key, label, width, value: f,
		show: (fn) => el('span', { title: f(fn), class: 'dim' }, key === 'file' ? baseName(f(fn)) : f(fn)) });
	const shown = state.all === '1' ? events : [event];
	const entered = col('fn_entries'), was = col('fn_entries', BEFORE);
	/** @type {TableColumn[]} */
	const list = event.coverage ? [...compared() ? [{ key: 'before', label: 'Before', number: true,
		width: wide(100, 64), hint: 'entries in the run before', value: (fn) => was[fn] - 1,
		show: (fn) => was[fn] ? el('span', { class: was[fn] === 1 ? 'low' : '' }, number(was[fn] - 1)) : '' }] : [],
	{ key: 'entries', label: compared() ? 'After' : 'Entries', number: true, width: wide(120, 76),
		value: (fn) => entered[fn] - 1,
		show: (fn) => entered[fn] ? el('span', { class: entered[fn] === 1 ? 'low' : '' },
			number(entered[fn] - 1)) : '' },
	...compared() ? [{ key: 'way', label: 'Change', width: '90px', value: (fn) => fnWay(was[fn], entered[fn]),
		show: (fn) => wayText(fnWay(was[fn], entered[fn])) }] : []]
		: shown.flatMap((e) => [
			...costColumns('incl' + events.indexOf(e), (shown.length > 1 ? visible(e.name) + ' ' : '') +
				'Inclusive', 'fn_inclusive', e, at),
			...verdictColumn(e, 'realincl', 'inclusive', (fn) => [fn]),
			...costColumns('self' + events.indexOf(e), 'Self', 'fn_self', e, at),
			...verdictColumn(e, 'realself', 'self', (fn) => [fn])]);

	if (!event.coverage)
		list.push({ key: 'calls', label: one('sampled') ? 'Samples' : 'Calls', number: true,
			width: '112px', hint: one('sampled') ? 'samples in which others called it'
				: 'calls by other functions',
			value: callsIn, show: (fn) => callsIn(fn) ? number(callsIn(fn)) : noCalls() });
	if (!event.coverage && !event.before && !one('sampled'))
		list.push({ key: 'per', label: 'Per call', number: true, width: '90px',
			value: (fn) => perCall(fn, incl),
			show: (fn) => callsIn(fn) ? brief(perCall(fn, incl), event.unit) : noCalls() });
	const places = one('files') > 0 || one('objects') > 0;

	/* Names stay in sight. */
	list.splice(shown.length > 1 || narrow() || isJudged(event) ? 0 : list.length, 0, { key: 'name', label: 'Function',
		width: 'minmax(' + wide(240, 180) + ', ' + (places ? nameWidth() + 'px)' : '1fr)'), value: fnName, show: fnLink });
	if (one('files') > 0)
		list.push(text('file', 'File', fnPlace, one('objects') > 0 ? 'minmax(90px, 220px)' : 'minmax(90px, 1fr)'));
	if (one('objects') > 0)
		list.push(text('object', 'Object', (fn) => baseName(objectPath(fn)), 'minmax(80px, 1fr)'));
	return list;
}

function numberChoice() {
	return choice('Numbers', 'unit', [['', 'Rounded', 'three digits and a unit'],
		['full', 'In full', 'all digits'], ['pct', 'Percent', 'of the total']]);
}

function unitControls() {
	return [numberChoice(),
		events.length > 1 && !differs
			? choice('Columns', 'all', [['', 'This event'], ['1', 'All events']]) : null];
}

function fnTable(rows, event) {
	return new Table({ label: 'Functions', rows, columns: fnColumns(event), choose: true,
		sortKey: state.sort || (event.coverage ? 'entries' : '-incl' + events.indexOf(event)),
		onSort: (sort) => keep({ sort }), open: (fn) => go({ view: 'function', fn, x: '' }),
		mark: (fn) => String(fn) === state.fn ? 'chosen' : '' });
}

function showFunctions(main) {
	const event = currentEvent(), rows = listFns(event);
	const table = currentGroup() && state.of === '' ? groupTable(rows, event) : fnTable(rows, event);

	/* The list stays where it is next to the views of its function. */
	if (paneBodies.length)
		table.active = table.rows.indexOf(chosen('fn', fnCount));

	put(main, el('div', { class: 'controls' }, event.coverage ? null : [unitControls(),
		groupControls(), realControls(event)], el('span', { class: 'dim' }, unjudgedWords(event), ' ', number(rows.filter((fn) => fn <= fnCount).length) + ' of ' +
			number(fnCount - 1) + ' functions',
			one('dropped_fns') ? '; ' + number(one('dropped_fns')) + ' below ' + one('least') / 1e4 +
			'% are dropped' : ''), tableTools(table)), table.box);
}
