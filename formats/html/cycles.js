/*
 * cycles.js - cycles and inclusive costs of the calls of a selection, or of what
 * filters leave, by the rules of lib/algo/inclusive.c.
 */

/* Where the calls of each function begin, of callers in order. */
function callBegins(from) {
	const begins = new Uint32Array(fnCount + 2);

	for (const fn of from)
		begins[fn + 1]++;
	for (let i = 1; i < begins.length; i++)
		begins[i] += begins[i - 1];
	return begins;
}

/*
 * The strongly connected components (Tarjan), by function, without recursion.
 * there: by call, 0 if it does not count; NULL: all do.
 */
function components(begins, to, there) {
	const n = fnCount + 1;
	const order = new Uint32Array(n), low = new Uint32Array(n), component = new Int32Array(n).fill(-1);
	const next = begins.slice(), stack = [], path = [];
	let visited = 0, count = 0;

	for (let root = 0; root < n; root++) {
		if (order[root])
			continue;
		path.push(root);
		while (path.length) {
			const fn = path[path.length - 1];

			if (!order[fn]) {
				order[fn] = low[fn] = ++visited;
				stack.push(fn);
			}
			for (; next[fn] < begins[fn + 1]; next[fn]++) {
				const callee = to[next[fn]];

				if (there && !there[next[fn]])
					continue;
				if (!order[callee])
					break;
				if (component[callee] < 0)
					low[fn] = Math.min(low[fn], low[callee]);
			}
			if (next[fn] < begins[fn + 1]) {
				path.push(to[next[fn]]);
				continue;
			}
			path.pop();
			if (low[fn] === order[fn]) {
				for (let at = -1; at !== fn;)
					component[at = stack.pop()] = count;
				count++;
			}
		}
	}
	return { component, count };
}

/* { of (by function; 0: none), count }, numbered in the order of their first members. */
function numberCycles({ component, count }) {
	const size = new Uint32Array(count), number = new Uint32Array(count), of = new Uint32Array(fnCount);
	let cycles = 0;

	for (const at of component)
		size[at]++;
	for (let fn = 0; fn < fnCount; fn++)
		if (size[component[fn]] > 1)
			of[fn] = number[component[fn]] = number[component[fn]] || ++cycles;
	return { of, count: cycles };
}

let cyclesKnown = null;

onSelection(() => cyclesKnown = null);

/* The same of the calls of a selection. */
function findCycles() {
	return cyclesKnown = cyclesKnown || numberCycles(components(callBegins(wholeCol('call_from')),
		wholeCol('call_to'), callsThere()));
}

/* The calls of a selection, of callers in order, and their cycles. */
function selectedCalls() {
	return { from: wholeCol('call_from'), to: wholeCol('call_to'), ...findCycles() };
}

/* By call: 1 if it leaves its caller, and the caller's cycle. */
function leavingCalls() {
	const { from, to, of } = selectedCalls();
	const leaves = new Uint8Array(to.length);

	for (let i = 0; i < to.length; i++)
		leaves[i] = from[i] !== to[i] && !(of[from[i]] && of[from[i]] === of[to[i]]) ? 1 : 0;
	return leaves;
}

/* Costs by function with those of cycles, the sums of their members, behind them. */
function withCycles(cost, { of, count }) {
	const all = new Float64Array(fnCount + 1 + count);

	all.set(cost);
	for (let fn = 0; fn < fnCount; fn++)
		if (of[fn])
			all[fnCount + of[fn]] += cost[fn];
	return all;
}

/* Costs of an event that may be negative have no limit by the cost of their cycle. */
function maybeNegative(event) {
	return columns.get('fn_self:' + (event & EVENT_MASK))?.type === 's' && texts('fact').all().includes('signed');
}

/*
 * Inclusive costs of an event with those of cycles behind them, from self costs of both and costs of
 * calls. sum: by function what its source states, or self costs and calls that leave its cycle;
 * isStated: by function, which of them; NULL: nothing is to be corrected.
 */
function inclusiveOf({ sum, isStated }, event, self, cost, { from, to, of, count }) {
	const all = new Float64Array(fnCount + 1 + count);

	all.set(sum);
	all[fnCount] = 0;
	if (!count)
		return all;

	const into = new Float64Array(fnCount + 1), out = Float64Array.from(self.subarray(0, fnCount + 1));

	for (let cycle = 1; cycle <= count; cycle++)
		all[fnCount + cycle] = self[fnCount + cycle];
	for (let i = 0; i < to.length; i++) {
		const outer = of[from[i]], inner = of[to[i]];

		if (from[i] === to[i] || !cost[i])
			continue;
		if (inner)
			into[to[i]] += cost[i];
		if (outer)
			out[from[i]] += cost[i];
		if (outer && outer !== inner)
			all[fnCount + outer] += cost[i];
	}
	if (isStated && !maybeNegative(event))
		for (let fn = 1; fn < fnCount; fn++)
			if (of[fn] && !isStated[fn])
				all[fn] = Math.max(all[fn], Math.min(Math.max(into[fn], out[fn]),
					all[fnCount + of[fn]]));
	return all;
}

/* The same of what is selected. */
function selectedInclusive(sums, event) {
	return inclusiveOf(sums, event, col('fn_self', event), col('call_cost', event), selectedCalls());
}

/* By function: how often others call it. */
function callsFromOthers() {
	const from = wholeCol('call_from'), to = wholeCol('call_to'), calls = col('call_count');
	const sum = new Float64Array(fnCount + 1);

	for (let i = 0; i < to.length; i++)
		if (from[i] !== to[i])
			sum[to[i]] += calls[i];
	return sum;
}

/* By cycle: how often it is called from outside; calls: the number of each call. */
function callsOfCycles(calls, { from, to, of, count }) {
	const sum = new Float64Array(count);

	for (let i = 0; i < to.length; i++)
		if (from[i] && of[to[i]] && of[from[i]] !== of[to[i]])
			sum[of[to[i]] - 1] += calls[i];
	return sum;
}
