/*
 * filter.js - a part of the profile in all views: from some of its stacks, the
 * costs and calls of functions are counted again, by the rules of the converter
 * (lib/algo/fold.c, inclusive.c). The columns then take the place of those in
 * the page, and spots.js counts lines and instructions.
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
 *	spots		the positions of frames, see spots.js; NULL: none are known
 */

const FILTERS = [];

let narrowed = null; /* "name:index" -> array, or a function for it; NULL: nothing is filtered */

/* Shows the columns of a Map, or (NULL) all that is selected. */
function narrowTo(columns) {
	narrowed = columns;
	forgets.forEach((forget) => forget());
}

/* Calls f with the columns that were shown when something was made. */
function within(columns, f) {
	const now = narrowed;

	narrowed = columns;
	try {
		return f();
	} finally {
		narrowed = now;
	}
}

/* The stacks of the page as such a tree, with the costs of what is selected. */
function wholeTree() {
	const fn = wholeCol('node_fn'), depth = wholeCol('node_depth');
	const self = Array.from({ length: texts('event_name').length }, (_, e) => selectedCol('node_self', e));
	const roots = new Uint8Array(fn.length);

	for (const i of wholeCol('node_root'))
		roots[i] = 1;
	return { fn, depth, roots, self, parent: wholeParents(), became: null, spots: wholeSpots(),
		samples: one('samples_event') ? self[one('samples_event') - 1] : selectedCol('node_samples') };
}

/* The columns by the filters; NULL: the whole profile. */
function filteredColumns() {
	const active = FILTERS.filter((filter) => filter.key() !== '');

	if (!active.length)
		return null;
	return hiddenFns() ? hiddenColumns() : columnsOf(active.reduce((tree, filter) => filter.apply(tree), wholeTree()));
}

function filterKey() {
	return versusParts() ? '' : FILTERS.map((filter) => filter.key()).join('\n').trim();
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

/* Numbers for pairs of numbers, from 0, in the order in which they are looked up first. */
class Pairs {
	constructor() {
		this.n = 0;
		this.first = new Uint32Array(512);
		this.second = new Uint32Array(512);
		this.resize(1024);
	}

	resize(slots) {
		this.slot = new Int32Array(slots).fill(-1);
		for (let i = 0; i < this.n; i++)
			this.slot[this.find(this.first[i], this.second[i])] = i;
	}

	/* The slot of a pair, or the free one for it. */
	find(first, second) {
		const mask = this.slot.length - 1, hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
		let at = (hash ^ hash >>> 15) & mask;

		while (this.slot[at] >= 0 && (this.first[this.slot[at]] !== first || this.second[this.slot[at]] !== second))
			at = at + 1 & mask;
		return at;
	}

	at(first, second) {
		const slot = this.find(first, second);

		if (this.slot[slot] >= 0)
			return this.slot[slot];
		if (this.n === this.first.length)
			for (const name of ['first', 'second']) {
				const more = new Uint32Array(2 * this.n);

				more.set(this[name]);
				this[name] = more;
			}
		this.slot[slot] = this.n;
		this.first[this.n] = first;
		this.second[this.n] = second;
		if (2 * ++this.n > this.slot.length)
			this.resize(2 * this.slot.length);
		return this.n - 1;
	}
}

/*
 * By frame of a tree, whether it is the outermost one of its function (fn), of its call (call), and
 * of calls of its function by others (called) on its stack: only those count. live: by frame, 0 for
 * those that are skipped, with all that they call; NULL: none.
 */
function outermostFrames({ fn: of, depth }, live) {
	const n = of.length, width = fnCount + 1;
	const fn = new Uint8Array(n), call = new Uint8Array(n), called = new Uint8Array(n);
	const open = new Uint32Array(width), calls = new Uint32Array(width), caller = new Int32Array(width);
	const pairs = new Set(), path = [];
	const close = () => {
		const i = path.pop();

		open[of[i]]--;
		if (path.length && of[path[path.length - 1]] !== of[i])
			calls[of[i]]--;
		if (call[i] === 2)
			pairs.delete(of[path[path.length - 1]] * width + of[i]);
	};

	for (let i = 1; i < n; i++) {
		if (live && !live[i])
			continue;
		while (path.length >= depth[i])
			close();

		const from = path.length ? of[path[path.length - 1]] : -1, me = of[i];

		fn[i] = open[me]++ === 0 ? 1 : 0;
		if (fn[i]) {
			caller[me] = from;
			call[i] = 1;
		} else if (caller[me] !== from && !pairs.has(from * width + me)) {
			pairs.add(from * width + me);
			call[i] = 2;
		}
		if (from < 0)
			call[i] = 0;
		else if (from !== me)
			called[i] = calls[me]++ === 0 ? 1 : 0;
		path.push(i);
	}
	return { fn, call, called };
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
		this.calls = new Pairs();
		this.live = this.findLive();
		this.call = this.numberCalls();
		this.first = outermostFrames(tree, this.live);
		this.addRoots();
		this.samples = inclusive(tree.samples.length ? tree.samples : new Float64Array(tree.fn.length), tree.parent);
		this.callsIn = this.sum(n, this.first.called, tree.fn, this.samples).subarray(0, fnCount);
		this.count = this.sumCalls(this.samples);
		this.self = tree.self.map((self) => this.sum(n, null, tree.fn, self));
		this.sums = tree.self.map((self) => inclusive(self, tree.parent));
		this.inclusive = this.sums.map((sum) => this.sum(n, this.first.fn, tree.fn, sum));
		this.cost = this.sums.map((sum) => this.sumCalls(sum));
		tree.self.forEach((self, e) => {
			this.self[e][0] = self[0] || 0; /* samples without a stack */
			this.inclusive[e][0] = this.unknown ? this.sums[e][0] : this.self[e][0];
		});
	}

	/* Frames that only moments of time have are no calls. */
	findLive() {
		const { fn, parent, self, samples } = this.tree, live = new Uint8Array(fn.length);

		for (const column of [...self, samples])
			for (let i = column.length - 1; i > 0; i--)
				if (column[i])
					live[i] = 1;
		for (let i = fn.length - 1; i > 0; i--)
			if (live[i])
				live[parent[i]] = 1;
		return live;
	}

	/* By frame: its call; -1: none. */
	numberCalls() {
		const { fn, parent } = this.tree, call = new Int32Array(fn.length).fill(-1);

		for (let i = 1; i < fn.length; i++)
			if (this.live[i] && parent[i])
				call[i] = this.calls.at(fn[parent[i]], fn[i]);
		return call;
	}

	/*
	 * If functions begin some stacks and are called on others, all that begin
	 * stacks are called by the unknown caller, so that calls add up.
	 */
	addRoots() {
		const { fn, parent } = this.tree, { calls } = this, roots = [];
		const callees = new Set(calls.second.subarray(0, calls.n));

		for (let i = 1; i < fn.length; i++)
			if (this.live[i] && !parent[i])
				roots.push(i);
		this.unknown = roots.some((i) => callees.has(fn[i]));
		for (const i of this.unknown ? roots : []) {
			this.call[i] = calls.at(0, fn[i]);
			this.first.call[i] = 1;
		}
	}

	/* Sums of values by number, of frames that are marked. */
	sum(n, marked, number, value) {
		const sum = new Float64Array(n);

		for (let i = 1; i < value.length; i++)
			if (!marked || marked[i])
				sum[number[i]] += value[i];
		return sum;
	}

	sumCalls(value) {
		return this.sum(this.calls.n, this.first.call, this.call, value);
	}
}

/* ---- Columns ------------------------------------------------------------- */

/* The calls of a Recount, whose sites are not known, as callsBySite(). */
function callsByPair({ calls: { first, second, n }, count, cost }) {
	const order = Uint32Array.from({ length: n }, (_, i) => i).sort((a, b) => first[a] - first[b] || second[a] - second[b]);
	const rows = (values) => Float64Array.from(order, (i) => values[i]);

	return { from: rows(first), to: rows(second), file: new Uint32Array(n), line: new Uint32Array(n), count: rows(count),
		cost: cost.map(rows) };
}

/* The columns that show a tree, for narrowTo(). */
function columnsOf(tree) {
	const count = new Recount(tree), columns = new Map(), made = tree.spots ? callsBySite(count) : callsByPair(count);
	const set = (name, value, index) => columns.set(name + ':' + (index || 0), value), { from, to } = made;
	const found = numberCycles(components(callBegins(from), to, null)), calls = { from, to, ...found };

	set('node_fn', tree.fn);
	set('node_depth', tree.depth);
	set('node_samples', tree.samples);
	set('frames', [tree.fn.length]);
	if (tree.became)
		set('moment_node', wholeCol('moment_node').map((node) => tree.became[node]));
	set('fn_calls', count.callsIn);
	set('fn_cycle', found.of);
	set('cycles', [found.count]);
	set('cycle_calls', callsOfCycles(made.count, calls));
	for (const name of ['from', 'to', 'file', 'line', 'count'])
		set('call_' + name, made[name]);
	set('calls', [from.length]);
	for (const name of ['line_file', 'line_number', 'line_fn', 'share_part', 'share_fn'])
		set(name, EMPTY);
	tree.self.forEach((self, e) => {
		const own = withCycles(count.self[e], found);

		set('node_self', self, e);
		set('fn_self', own, e);
		set('fn_inclusive', inclusiveOf({ sum: count.inclusive[e], isStated: null }, e, own, made.cost[e], calls), e);
		set('call_cost', made.cost[e], e);
		set('part_total', [self.reduce((a, b) => a + b, 0)], e);
		set('line_cost', EMPTY, e);
		set('share_self', EMPTY, e);
	});
	if (tree.spots)
		setSpotColumns(set, count, tree.self.length);
	return columns;
}
