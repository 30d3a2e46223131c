/*
 * layout.js - stacks as boxes of a flame graph. A layout has arrays by box, in
 * an order in which callers come before what they call:
 *
 *	fn depth start size	where it is; sizes are never negative
 *	end			the number of the first box that is not above it
 *	cost before after	what it stands for; before, after: of differences
 */

function makeLayout(n, total) {
	return { n, total, deepest: 0, fn: new Uint32Array(n), depth: new Uint32Array(n),
		start: new Float64Array(n), size: new Float64Array(n), end: new Uint32Array(n),
		cost: new Float64Array(n), before: null, after: null };
}

/* Parents by node, from their depths. */
function parentsOf(depth) {
	const parent = new Uint32Array(depth.length), open = [];

	for (let i = 0; i < depth.length; i++) {
		open[depth[i]] = i;
		parent[i] = i ? open[depth[i] - 1] : 0;
	}
	return parent;
}

let parentsKnown = null, wholeParentsKnown = null;

onSelection((more) => {
	parentsKnown = null;
	wholeParentsKnown = more ? null : wholeParentsKnown;
});

/* Of all frames of the page. */
function wholeParents() {
	return wholeParentsKnown = wholeParentsKnown || parentsOf(wholeCol('node_depth'));
}

function parents() {
	return narrowed ? parentsKnown = parentsKnown || parentsOf(col('node_depth')) : wholeParents();
}

/* Sums of a node and of all above it. */
function inclusive(self, parent) {
	const sum = new Float64Array(self);

	for (let i = sum.length - 1; i > 0; i--)
		sum[parent[i]] += sum[i];
	return sum;
}

/*
 * Widths: costs; what a difference cost before and after together, so that
 * nothing that vanished is lost; of negative costs their size.
 */
function widths(event) {
	if (!event.before && costs('node_self', event).every((cost) => cost >= 0))
		return costs('node_self', event);

	const a = costs('node_self', event, 'after');
	const b = event.before ? costs('node_self', event, 'before') : null;

	return a.map((cost, i) => Math.abs(cost) + (b ? Math.abs(b[i]) : 0));
}

/* Ends of boxes whose depth is known. */
function findEnds(layout) {
	const { n, depth, end } = layout, open = [];

	for (let i = 0; i < n; i++) {
		const d = depth[i];

		for (; open.length > d; open.pop())
			end[open[open.length - 1]] = i;
		open.push(i);
		if (d > layout.deepest)
			layout.deepest = d;
	}
	for (const i of open)
		end[i] = n;
	return layout;
}

/* Starts of boxes whose depth and size are known. */
function placeBoxes(layout) {
	const { n, depth, size, start } = layout, next = new Float64Array(layout.deepest + 2);

	for (let i = 0; i < n; i++) {
		const d = depth[i], at = next[d];

		start[i] = next[d + 1] = at;
		next[d] = at + size[i];
	}
	return layout;
}

function arrange(layout) {
	return placeBoxes(findEnds(layout));
}

/* ---- Callers below callees ---------------------------------------------- */

let flameShape = null; /* depths and ends, whatever is counted of the frames */

function flameLayout(event) {
	const parent = parents(), self = costs('node_self', event), wide = widths(event);

	/* Filters leave other frames. */
	if (flameShape?.fn !== col('node_fn')) {
		flameShape = makeLayout(parent.length, 0);
		flameShape.fn = col('node_fn');
		flameShape.depth = col('node_depth');
		findEnds(flameShape);
	}

	const layout = { ...flameShape, start: new Float64Array(parent.length), size: inclusive(wide, parent) };

	layout.total = layout.size[0] || 0;
	layout.cost = wide === self ? layout.size : inclusive(self, parent);
	if (event.before) {
		layout.before = inclusive(costs('node_self', event, 'before'), parent);
		layout.after = inclusive(costs('node_self', event, 'after'), parent);
	}
	return placeBoxes(layout);
}

/* ---- Trees that are made anew ------------------------------------------- */

/* A tree to which nodes are added in any order. */
class Tree {
	constructor(difference) {
		this.fn = [];
		this.parent = [];
		this.sums = difference ? [[], [], [], []] : [[], []];
	}

	add(parent, fn) {
		this.parent.push(parent);
		this.sums.forEach((sum) => sum.push(0));
		return this.fn.push(fn) - 1;
	}

	/* Children in order, each after all of the one before it. */
	layout() {
		const n = this.fn.length, first = new Int32Array(n).fill(-1);
		const next = new Int32Array(n).fill(-1), todo = n ? [[0, 0]] : [];
		const layout = makeLayout(n, n ? this.sums[0][0] : 0);

		for (let i = n - 1; i > 0; i--) {
			next[i] = first[this.parent[i]];
			first[this.parent[i]] = i;
		}
		if (this.sums.length > 2) {
			layout.before = new Float64Array(n);
			layout.after = new Float64Array(n);
		}
		for (let at = 0; todo.length; at++) {
			const [i, depth] = todo.pop();

			layout.fn[at] = this.fn[i];
			layout.depth[at] = depth;
			[layout.size, layout.cost, layout.before, layout.after].forEach((to, k) => {
				if (to)
					to[at] = this.sums[k][i];
			});
			if (next[i] >= 0)
				todo.push([next[i], depth]);
			if (first[i] >= 0)
				todo.push([first[i], depth + 1]);
		}
		return arrange(layout);
	}
}

/* Costs of an event by node: widths, costs, before, after. */
function measures(event) {
	return [widths(event), costs('node_self', event)].concat(event.before
		? [costs('node_self', event, 'before'), costs('node_self', event, 'after')] : []);
}

/* Functions that call themselves become one frame. */
function mergedLayout(event) {
	const fn = col('node_fn'), parent = parents(), self = measures(event);
	const tree = new Tree(event.before !== null), became = new Uint32Array(fn.length);
	const known = new Map();

	for (let i = 0; i < fn.length; i++) {
		const below = became[parent[i]];

		if (i && fn[i] === fn[parent[i]] && parent[i]) {
			became[i] = below;
		} else {
			const key = below * (fnCount + 1) + fn[i];
			let at = i ? known.get(key) : undefined;

			if (at === undefined)
				known.set(key, at = tree.add(below, fn[i]));
			became[i] = at;
		}
		self.forEach((sum, k) => tree.sums[k][became[i]] += sum[i]);
	}
	for (let i = tree.fn.length - 1; i > 0; i--)
		tree.sums.forEach((sum) => sum[tree.parent[i]] += sum[i]);
	return tree.layout();
}

/* ---- Inverted: callees below their callers ------------------------------ */

/* Boxes narrower than this share of the whole are not made. */
const NARROW = 1 / 20000;

function invertedLayout(event, merge) {
	return { ...callersOfNodes(event, merge, Array.from(parents().keys()).slice(1), measures(event)), reversed: true };
}

/* Callers of nodes, which are on no stack together; measures by node. */
function callersOfNodes(event, merge, nodes, self) {
	const fn = col('node_fn'), parent = parents();
	const tree = new Tree(event.before !== null), width = self[0];
	const leaves = nodes.filter((i) => width[i]);
	let all = 0;

	tree.add(0, 0);
	for (const i of leaves)
		all += width[i];
	self.forEach((sum, k) => leaves.forEach((leaf) => tree.sums[k][0] += sum[leaf]));

	const up = (node) => {
		let at = parent[node];

		while (merge && at && fn[at] === fn[node])
			at = parent[at];
		return at;
	};
	const todo = [{ below: 0, leaf: leaves, at: leaves }];

	while (todo.length) {
		const { below, leaf, at } = todo.pop(), groups = new Map();

		leaf.forEach((id, i) => {
			const group = groups.get(fn[at[i]]) || { leaf: [], at: [], size: 0, fn: fn[at[i]] };

			groups.set(group.fn, group);
			group.leaf.push(id);
			group.at.push(at[i]);
			group.size += width[id];
		});
		for (const group of [...groups.values()].sort((a, b) => b.size - a.size)) {
			if (group.size < all * NARROW)
				continue;
			const node = tree.add(below, group.fn);
			const next = { below: node, leaf: [], at: [] };

			group.leaf.forEach((id, i) => {
				const caller = up(group.at[i]);

				self.forEach((sum, k) => tree.sums[k][node] += sum[id]);
				if (caller) {
					next.leaf.push(id);
					next.at.push(caller);
				}
			});
			if (next.leaf.length)
				todo.push(next);
		}
	}
	return tree.layout();
}

/* ---- One function ------------------------------------------------------- */

/* Nodes of a function that are not called by it, directly or by others. */
function outermost(fn) {
	const of = col('node_fn'), parent = parents(), nodes = [];
	const inside = new Uint8Array(of.length);

	for (let i = 1; i < of.length; i++) {
		inside[i] = inside[parent[i]] || of[i] === fn ? 1 : 0;
		if (inside[i] && !inside[parent[i]])
			nodes.push(i);
	}
	return { nodes, inside };
}

/* What is above a function on all stacks, as one flame graph. */
function calleesLayout(event, fn) {
	const of = col('node_fn'), parent = parents(), self = measures(event);
	const { inside } = outermost(fn), tree = new Tree(event.before !== null);
	const became = new Uint32Array(of.length), known = new Map();

	tree.add(0, 0);
	for (let i = 1; i < of.length; i++) {
		if (!inside[i])
			continue;

		const below = became[parent[i]], key = below * (fnCount + 1) + of[i];
		let at = known.get(key);

		if (at === undefined)
			known.set(key, at = tree.add(below, of[i]));
		became[i] = at;
		self.forEach((sum, k) => tree.sums[k][at] += sum[i]);
	}
	for (let i = tree.fn.length - 1; i > 0; i--)
		tree.sums.forEach((sum) => sum[tree.parent[i]] += sum[i]);
	return tree.layout();
}

/* All ways to a function, with its inclusive cost. */
function callersLayout(event, fn, merge) {
	const parent = parents();

	return callersOfNodes(event, merge, outermost(fn).nodes,
		measures(event).map((self) => inclusive(self, parent)));
}

/* ---- In the order of time ----------------------------------------------- */

/* Samples last until the next, but no longer than so many usual intervals, or what they took. */
const LONGEST = 4;

function usualInterval(time, from, end) {
	const gaps = [];

	for (let i = from + 1; i < end; i++)
		if (time[i] > time[i - 1])
			gaps.push(time[i] - time[i - 1]);
	gaps.sort((a, b) => a - b);
	return gaps.length ? gaps[gaps.length >> 1] : 1;
}

function trackRange(track) {
	return [momentBegins()[track], momentBegins()[track + 1]];
}

/* How long each sample took, if the main event is time; else an empty array. */
function sampleTimes(track) {
	const { unit, weights } = events[mainEvent()];

	return unit === 'ns' && weights.length === 1 && texts('track_unit').get(track) === 'ns'
		? col('moment_cost', weights[0][0]) : EMPTY;
}

/* V8 samples these without the stack they interrupt; its viewers show them on that. */
function interrupts(node) {
	return node > 0 && parents()[node] === 0 && /^\((garbage collector|program)\)$/.test(fnName(col('node_fn')[node]));
}

/* length: of the axis. */
function chartLayout(track, length) {
	const [from, end] = trackRange(track), time = col('moment_time'), node = col('moment_node');
	const parent = parents(), depthOf = col('node_depth'), fn = col('node_fn');
	const spans = col('track_spans')[track] > 0, took = sampleTimes(track);
	const usual = spans ? 0 : usualInterval(time, from, end);
	const last = Math.max(col('track_end')[track], end > from ? time[end - 1] + usual : 0);
	const all = Math.max(last, length);
	const box = { fn: [0], depth: [0], start: [0], stop: [all], end: [0] };
	const open = [[0, 0]]; /* node, box */

	const close = (depth, at) => {
		for (; open.length > depth; open.pop()) {
			const i = open[open.length - 1][1];

			box.stop[i] = at;
			box.end[i] = box.fn.length;
		}
	};
	const push = (i, depth, at) => {
		open.push([i, box.fn.push(fn[i]) - 1]);
		box.depth.push(depth);
		box.start.push(at);
		box.stop.push(0);
		box.end.push(0);
	};
	const show = (to, at) => {
		const path = [], [top] = open[open.length - 1];
		let same = to;

		if (interrupts(to) && open.length > (interrupts(top) ? 2 : 1)) {
			if (top !== to) {
				close(interrupts(top) ? open.length - 1 : open.length, at);
				push(to, open.length, at);
			}
			return;
		}

		while (same && !(depthOf[same] < open.length && open[depthOf[same]][0] === same)) {
			path.push(same);
			same = parent[same];
		}
		close(depthOf[same] + 1, at);
		for (const i of path.reverse())
			push(i, depthOf[i], at);
	};

	for (let i = from; i < end; i++) {
		const until = i + 1 < end ? time[i + 1] : last, shown = Math.max(usual, took[i] || 0);

		show(node[i], time[i]);
		if (!spans && until - time[i] > Math.max(shown, LONGEST * usual))
			close(1, time[i] + shown);
	}
	close(1, last);
	box.end[0] = box.fn.length;

	const layout = makeLayout(box.fn.length, all);

	layout.fn = Uint32Array.from(box.fn);
	layout.depth = Uint32Array.from(box.depth);
	layout.start = Float64Array.from(box.start);
	layout.size = Float64Array.from(box.stop, (stop, i) => stop - box.start[i]);
	layout.end = Uint32Array.from(box.end);
	layout.cost = layout.size;
	layout.deepest = layout.depth.reduce((a, b) => Math.max(a, b), 0);
	layout.chart = { unit: texts('track_unit').get(track) };
	return layout;
}
