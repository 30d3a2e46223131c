/*
 * hidden.js - functions that are hidden in a profile of calls without stacks. If hidden functions call
 * only hidden ones, the costs of calls of them become costs of their callers, at the lines of the calls,
 * by the rules of the converter (cg_can_hide() in lib/algo/filter.c).
 */

let hideKnown = null; /* { key, hidden }, of the filters that were asked for last */

onSelection(() => hideKnown = null);

/* By function: 1 if the filters hide it; NULL: that needs stacks. */
function hiddenFns() {
	const rules = refineRules().filter((rule) => rule.re), key = filterKey();

	if (wholeCol('frames')[0] > 0 || !rules.length || !wholeCol('call_to').length ||
	    !rules.every((rule) => ['hide', 'show', 'only_object'].includes(rule.key)))
		return null;
	if (hideKnown?.key !== key)
		hideKnown = { key, hidden: findHidden(rules) };
	return hideKnown.hidden;
}

function findHidden(rules) {
	const bits = matchRules(rules), from = wholeCol('call_from'), to = wholeCol('call_to');
	const must = rules.reduce((all, rule) => all | BIT[rule.key], 0) & (BIT.show | BIT.only_object);
	const hidden = bits.map((bit, fn) => fn && fn < fnCount && ((bit & BIT.hide) || (bit & must) !== must) ? 1 : 0);

	return from.some((fn, i) => hidden[fn] && !hidden[to[i]]) ? null : hidden;
}

/* Rows of one kind that stay, and those of hidden calls, which are added: sums of equal ones. */
function rowsWithHidden(kept, keptCount, added, addedCount) {
	const join = (a, b) => Float64Array.from({ length: a.length + b.length }, (_, i) => i < a.length ? a[i] : b[i - a.length]);
	const rows = rowsOfEqual(kept.map((column, k) => join(column, added[k])), join(keptCount, addedCount));

	return { columns: rows.columns, sum: (a, b) => sumOfRows(rows, join(a, b)) };
}

/* The columns of the profile without hidden functions, for narrowTo(). */
function hiddenColumns() {
	return within(null, () => {
		const made = new Map(), set = (name, value, index) => made.set(name + ':' + (index || 0), value);
		const hidden = hiddenFns(), n = texts('event_name').length;

		setHiddenCalls(set, hidden, n);
		setHiddenFns(set, made, hidden, n);
		setHiddenLines(set, hidden, n);
		if (wholeCol('code_fn').length)
			setHiddenCode(set, hidden, n);
		for (const name of ['share_part', 'share_fn'])
			set(name, EMPTY);
		return made;
	});
}

function setHiddenCalls(set, hidden, n) {
	const there = callsThere(), to = col('call_to'), from = col('call_from');
	const rows = Array.from(to.keys()).filter((i) => !hidden[to[i]] && !hidden[from[i]] && (!there || there[i]));
	const pick = (name, index) => set(name, rows.map((i) => col(name, index)[i]), index);

	['from', 'to', 'file', 'line', 'count'].forEach((name) => pick('call_' + name));
	for (let e = 0; e < n; e++)
		pick('call_cost', e);
	set('calls', [rows.length]);
}

/* Cycles are hidden or stay as a whole. */
function setHiddenFns(set, made, hidden, n) {
	const from = col('call_from'), to = col('call_to'), of = col('fn_cycle'), calls = made.get('call_from:0');
	const cycles = numberCycles(components(callBegins(calls), made.get('call_to:0'), null)), old = [];

	cycles.of.forEach((cycle, fn) => cycle && (old[cycle - 1] = of[fn]));
	set('fn_cycle', cycles.of);
	set('cycles', [cycles.count]);
	set('cycle_calls', old.map((cycle) => col('cycle_calls')[cycle - 1]));
	set('fn_calls', Float64Array.from(col('fn_calls'), (count, fn) => hidden[fn] ? 0 : count));
	for (let e = 0; e < n; e++) {
		const whole = col('fn_self', e), cost = col('call_cost', e), inclusive = col('fn_inclusive', e);
		const self = Float64Array.from({ length: fnCount + 1 }, (_, fn) => hidden[fn] ? 0 : whole[fn]);
		const sum = (values) => values.subarray(0, fnCount + 1).reduce((a, b) => a + b, 0);

		to.forEach((callee, i) => self[from[i]] += hidden[callee] && !hidden[from[i]] && from[i] ? cost[i] : 0);
		set('fn_self', withCycles(self, cycles), e);
		set('fn_inclusive', Float64Array.from({ length: fnCount + 1 + cycles.count }, (_, fn) => fn > fnCount
			? inclusive[fnCount + old[fn - fnCount - 1]] : hidden[fn] ? 0 : inclusive[fn]), e);
		set('part_total', [col('part_total', e).reduce((a, b) => a + b, 0) - sum(whole) + sum(self)], e);
		set('share_self', EMPTY, e);
	}
}

function setHiddenLines(set, hidden, n) {
	const line = col('call_line'), from = col('call_from'), to = col('call_to');
	const rows = rowsWithHidden([col('line_file'), col('line_number'), col('line_fn')],
		Array.from(col('line_fn'), (fn) => hidden[fn] ? 0 : 1), [col('call_file'), line, from],
		Array.from(to, (fn, i) => hidden[fn] && !hidden[from[i]] && from[i] && line[i] ? 1 : 0));

	['file', 'number', 'fn'].forEach((name, i) => set('line_' + name, rows.columns[i]));
	for (let e = 0; e < n; e++)
		set('line_cost', rows.sum(col('line_cost', e), col('call_cost', e)), e);
}

function setHiddenCode(set, hidden, n) {
	const from = fnsOfCode('sites'), to = col('site_to'), fns = fnsOfCode('instrs');
	const position = (kind) => ['offset', 'file', 'line'].map((name) => col(kind + '_' + name));
	const rows = rowsWithHidden([fns, ...position('instr')], Array.from(fns, (fn) => hidden[fn] ? 0 : 1),
		[from, ...position('site')], Array.from(to, (fn, i) => hidden[fn] && !hidden[from[i]] ? 1 : 0));
	const sites = Array.from(to.keys()).filter((i) => !hidden[to[i]] && !hidden[from[i]]);
	const pick = (name, index) => set(name, sites.map((i) => col(name, index)[i]), index);

	['offset', 'file', 'line'].forEach((name, i) => set('instr_' + name, rows.columns[i + 1]));
	['offset', 'file', 'line', 'to', 'count'].forEach((name) => pick('site_' + name));
	set('code_instrs', rowsPerFn(rows.columns));
	set('code_sites', rowsPerFn([sites.map((i) => from[i])]));
	for (let e = 0; e < n; e++) {
		set('instr_cost', rows.sum(col('instr_cost', e), col('site_cost', e)), e);
		pick('site_cost', e);
	}
}
