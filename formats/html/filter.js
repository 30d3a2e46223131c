/*
 * filter.js - a part of the profile in all views: from some of its stacks, the
 * costs and calls of functions are counted again, by the rules of the converter
 * (lib/algo/fold.c, inclusive.c). The columns then take the place of those in
 * the page. Views that need the whole profile show that.
 *
 * A filter is one of FILTERS:
 *
 *	key()		its settings as text; '' if it keeps everything
 *	apply(tree)	the tree that it leaves of another one
 *	args()		the same for the command line: ['--focus', 'x']
 *
 * A tree has the stacks:
 *
 *	fn parent depth	by frame, callers first, each followed by what it calls;
 *			frame 0 is below all
 *	roots		by frame: 1 if it is a process or thread, no function
 *	self		by event, then by frame
 *	samples		by frame: their number; empty if calls are no samples
 *	became		by frame of the page: its frame here, 0 if it has none; or
 *			NULL, as they are the same
 */

const FILTERS = [];

let narrowed = null; /* "name:index" -> array; NULL: nothing is filtered */

/* Shows the columns of a Map, or (NULL) all that is selected. */
function narrowTo(columns) {
	narrowed = columns;
	weighed.clear();
	forgets.forEach((forget) => forget());
}

/* The stacks of the page as such a tree, with the costs of what is selected. */
function wholeTree() {
	const fn = wholeCol('node_fn'), depth = wholeCol('node_depth');
	const self = Array.from({ length: texts('event_name').length }, (_, e) => selectedCol('node_self', e));
	const roots = new Uint8Array(fn.length);

	for (const i of wholeCol('node_root'))
		roots[i] = 1;
	return { fn, depth, roots, self, parent: wholeParents(), became: null,
		samples: one('samples_event') ? self[one('samples_event') - 1] : selectedCol('node_samples') };
}

/* The columns by the filters; NULL: the whole profile. */
function filteredColumns() {
	const active = FILTERS.filter((filter) => filter.key() !== '');

	return active.length ? columnsOf(active.reduce((tree, filter) => filter.apply(tree), wholeTree())) : null;
}

function filterKey() {
	return FILTERS.map((filter) => filter.key()).join('\n').trim();
}

let shownKey = '', countedKey = '', countedColumns = null;

/* Shows what the filters leave, or in some views the whole profile. */
function applyFilters(whole) {
	const filters = whole ? '' : filterKey(), key = filters && filters + '\n' + selectedText;

	if (key === shownKey)
		return;
	shownKey = key;
	if (key !== '' && key !== countedKey) {
		countedColumns = filteredColumns();
		countedKey = key;
	}
	narrowTo(key === '' ? null : countedColumns);
}

/* ---- Functions and calls ------------------------------------------------- */

/* A pair of a caller and a callee as a number. */
function pairKey(from, to) {
	return from * (fnCount + 1) + to;
}

/*
 * Counts functions and calls of a tree in which callers come first, each
 * followed by what it calls. On one stack a function, or a call, counts once:
 * the outermost one.
 */
class Recount {
	constructor(tree) {
		const n = fnCount + 1;

		this.tree = tree;
		this.sums = tree.self.map((self) => inclusive(self, tree.parent));
		this.counts = inclusive(tree.samples.length ? tree.samples : new Float64Array(tree.fn.length), tree.parent);
		this.self = tree.self.map(() => new Float64Array(n));
		this.inclusive = tree.self.map(() => new Float64Array(n));
		this.callsIn = new Float64Array(fnCount);
		this.rows = new Map(); /* pairKey -> index in calls */
		this.calls = [];
		/* Frames on the path: of a function; those that another one called. */
		this.taken = new Uint32Array(n);
		this.called = new Uint32Array(n);
		this.path = [];
		this.walk();
	}

	row(from, to) {
		const key = pairKey(from, to);
		let at = this.rows.get(key);

		if (at === undefined) {
			this.rows.set(key, at = this.calls.length);
			this.calls.push({ from, to, open: 0, count: 0, cost: this.sums.map(() => 0) });
		}
		return this.calls[at];
	}

	/* Frames that only moments of time have are no calls. */
	live() {
		const { fn, parent, self, samples } = this.tree, live = new Uint8Array(fn.length);

		for (let i = fn.length - 1; i > 0; i--)
			if (live[i] || samples[i] || self.some((costs) => costs[i]))
				live[i] = live[parent[i]] = 1;
		return live;
	}

	walk() {
		const { fn, parent, self } = this.tree, roots = [], n = fn.length, live = this.live();

		for (let i = 1; i < n; i++) {
			if (!live[i])
				continue;
			while (this.path.length && this.path[this.path.length - 1].node !== parent[i])
				this.close();
			this.open(i, fn[i], parent[i] ? fn[parent[i]] : -1);
			self.forEach((costs, e) => this.self[e][fn[i]] += costs[i]);
			if (!parent[i])
				roots.push(i);
		}
		while (this.path.length)
			this.close();
		this.addRoots(roots);
	}

	open(i, fn, caller) {
		const called = caller >= 0 && caller !== fn, call = caller < 0 ? null : this.row(caller, fn);

		if (this.taken[fn]++ === 0)
			this.sums.forEach((sum, e) => this.inclusive[e][fn] += sum[i]);
		if (called && this.called[fn]++ === 0 && fn < fnCount)
			this.callsIn[fn] += this.counts[i];
		if (call && call.open++ === 0) {
			call.count += this.counts[i];
			this.sums.forEach((sum, e) => call.cost[e] += sum[i]);
		}
		this.path.push({ node: i, fn, call, called });
	}

	close() {
		const { fn, call, called } = this.path.pop();

		this.taken[fn]--;
		if (called)
			this.called[fn]--;
		if (call)
			call.open--;
	}

	/*
	 * If functions begin some stacks and are called on others, all that begin
	 * stacks are called by the unknown caller, so that calls add up.
	 */
	addRoots(roots) {
		const { fn } = this.tree, callees = new Set(this.calls.map((call) => call.to));
		const unknown = roots.some((i) => callees.has(fn[i]));

		this.tree.self.forEach((costs, e) => {
			this.self[e][0] = costs[0] || 0; /* samples without a stack */
			this.inclusive[e][0] = unknown ? this.sums[e][0] : this.self[e][0];
		});
		if (!unknown)
			return;
		for (const i of roots) {
			const call = this.row(0, fn[i]);

			call.count += this.counts[i];
			this.sums.forEach((sum, e) => call.cost[e] += sum[i]);
		}
	}
}

/* ---- Columns ------------------------------------------------------------- */

/* The costs of cycles, behind functions: self costs, and calls that leave them. */
function sumCycles(count, calls, { of: cycle, count: cycles }) {
	const room = (values) => {
		const all = new Float64Array(fnCount + 1 + cycles);

		all.set(values);
		return all;
	};
	const self = count.self.map(room), total = count.inclusive.map(room), entered = new Float64Array(cycles);

	for (let fn = 1; fn < fnCount; fn++)
		if (cycle[fn])
			self.forEach((values, e) => {
				values[fnCount + cycle[fn]] += values[fn];
				total[e][fnCount + cycle[fn]] += values[fn];
			});
	for (const { from, to, count: n, cost } of calls) {
		const outer = cycle[from], inner = to < fnCount ? cycle[to] : 0;

		if (outer === inner)
			continue;
		if (outer)
			cost.forEach((value, e) => total[e][fnCount + outer] += value);
		if (inner && from)
			entered[inner - 1] += n;
	}
	for (const values of total)
		values[fnCount] = 0; /* dropped functions have self costs only */
	return { self, total, entered };
}

/* The columns that show a tree, for narrowTo(). */
function columnsOf(tree) {
	const count = new Recount(tree), columns = new Map();
	const calls = count.calls.sort((a, b) => a.from - b.from || a.to - b.to);
	const set = (name, value, index) => columns.set(name + ':' + (index || 0), value);
	const rows = (type, f) => type.from(calls, f);
	const from = rows(Uint32Array, (call) => call.from), to = rows(Uint32Array, (call) => call.to);
	const found = numberCycles(components(callBegins(from), to, null)), sums = sumCycles(count, calls, found);

	set('node_fn', tree.fn);
	set('node_depth', tree.depth);
	set('node_samples', tree.samples);
	set('frames', [tree.fn.length]);
	if (tree.became)
		set('moment_node', wholeCol('moment_node').map((node) => tree.became[node]));
	set('fn_calls', count.callsIn);
	set('fn_cycle', found.of);
	set('cycles', [found.count]);
	set('cycle_calls', sums.entered);
	set('call_from', from);
	set('call_to', to);
	set('call_count', rows(Float64Array, (call) => call.count));
	set('calls', [calls.length]);
	/* Frames of the page have no lines. */
	for (const name of ['call_file', 'call_line'])
		set(name, new Uint32Array(calls.length));
	for (const name of ['line_file', 'line_number', 'line_fn', 'share_part', 'share_fn'])
		set(name, EMPTY);
	tree.self.forEach((self, e) => {
		set('node_self', self, e);
		set('fn_self', sums.self[e], e);
		set('fn_inclusive', sums.total[e], e);
		set('call_cost', rows(Float64Array, (call) => call.cost[e]), e);
		set('part_total', [self.reduce((a, b) => a + b, 0)], e);
		set('line_cost', EMPTY, e);
		set('share_self', EMPTY, e);
	});
	return columns;
}
