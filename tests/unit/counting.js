/*
 * counting.js - tests formats/html/filter.js: from the stacks of a page, functions,
 * calls and cycles are counted again, and are those that the converter has
 * counted. The modules that it needs come before it in one script; its arguments
 * are pages.
 */

const fs = require('fs'), zlib = require('zlib');

function openPage(path) {
	const data = /id="data">([^<]*)</.exec(fs.readFileSync(path, 'latin1'))[1];

	columns.clear();
	narrowTo(null);
	forgetCounts(true);
	blob = new Uint8Array(zlib.gunzipSync(Buffer.from(data, 'base64')));
	listColumns();
	events = pairEvents(listEvents());
	fnNames = texts('fn_name');
	fnCount = fnNames.length;
}

function same(a, b) {
	return a.length === b.length && a.every((value, i) => value === b[i]);
}

/* Sums of calls by caller and callee: count, then cost by event. */
function sumOfCalls(get) {
	const from = get('call_from'), to = get('call_to'), values = [get('call_count'),
		...texts('event_name').all().map((_, e) => get('call_cost', e))];
	const sums = new Map();

	for (let i = 0; i < from.length; i++) {
		const key = fnName(from[i]) + ' -> ' + fnName(to[i]);

		sums.set(key, values.map((of, k) => of[i] + (sums.get(key)?.[k] || 0)));
	}
	return [...sums].map((row) => row.join(' ')).sort();
}

for (const path of process.argv.slice(2)) {
	openPage(path);

	const counted = columnsOf(wholeTree());
	const functions = [...counted.keys()].filter((key) => /^(fn_(self|inclusive|calls|cycle)|cycles|cycle_calls):/.test(key));

	for (const key of functions)
		if (!same(counted.get(key), wholeCol(...key.split(':'))))
			throw new Error(path + ': ' + key + ' differs');
	if (!same(sumOfCalls(wholeCol), sumOfCalls((name, index) => counted.get(name + ':' + (index || 0)))))
		throw new Error(path + ': calls differ');
	console.log(wholeCol('node_fn').length, fnCount, functions.length);
}
