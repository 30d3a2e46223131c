/*
 * layered.js - places the boxes of a graph in layers, after Sugiyama: callers
 * before what they call, few crossings, short edges. "along" is the direction
 * in which edges lead, "across" the other one; layerGraph() knows no names and
 * no pictures.
 *
 * Each edge has a slot in each layer that it passes, and its label is one of
 * them: every second layer is for labels. So neither labels nor boxes overlap,
 * and edges pass between boxes.
 */

const APART = 14, LABELS_APART = 3, EDGES_APART = 7; /* across */
const NEAR = 16, FAR = 90; /* between layers, along */
const SWEEPS = 16, SWAPS = 8, PASSES = 8, PULLS = 6;

/* ---- Layers ------------------------------------------------------------- */

/* Marks edges that lead back, so that the others have no cycle. */
function markBack(nodes, edges) {
	const out = nodes.map(() => []), entered = new Uint8Array(nodes.length);
	const called = new Uint8Array(nodes.length);

	for (const edge of edges) {
		out[edge.from].push(edge);
		called[edge.to] = 1;
	}
	for (const list of out)
		list.sort((a, b) => b.weight - a.weight);

	/* 1: on the path from the first function; 2: left. */
	const visit = (first) => {
		const path = [[first, 0]];

		entered[first] = 1;
		while (path.length) {
			const top = path[path.length - 1], edge = out[top[0]][top[1]++];

			if (!edge) {
				entered[top[0]] = 2;
				path.pop();
			} else if (entered[edge.to] === 1) {
				edge.back = true;
			} else if (entered[edge.to] === 0) {
				entered[edge.to] = 1;
				path.push([edge.to, 0]);
			}
		}
	};

	nodes.forEach((_, i) => called[i] || visit(i));
	nodes.forEach((_, i) => entered[i] || visit(i));
	for (const edge of edges)
		[edge.low, edge.high] = edge.back ? [edge.to, edge.from] : [edge.from, edge.to];
}

/* Layers by the longest path; then nodes move to where their edges are short. */
function rankNodes(nodes, edges) {
	const up = nodes.map(() => []), down = nodes.map(() => []), order = [];
	const waits = new Uint32Array(nodes.length);

	for (const edge of edges) {
		down[edge.low].push(edge);
		up[edge.high].push(edge);
		waits[edge.high]++;
	}
	nodes.forEach((node, i) => {
		node.rank = 0;
		if (!waits[i])
			order.push(i);
	});
	for (const i of order) /* grows */
		for (const { high } of down[i]) {
			nodes[high].rank = Math.max(nodes[high].rank, nodes[i].rank + 1);
			if (!--waits[high])
				order.push(high);
		}

	const sum = (list) => list.reduce((all, edge) => all + edge.weight, 0);

	for (let pass = 0; pass < 4; pass++)
		for (const i of pass % 2 ? order : order.slice().reverse()) {
			const pull = sum(down[i]) - sum(up[i]);

			if (pull > 0 && down[i].length)
				nodes[i].rank = Math.min(...down[i].map((e) => nodes[e.high].rank)) - 1;
			else if (pull < 0 && up[i].length)
				nodes[i].rank = Math.max(...up[i].map((e) => nodes[e.low].rank)) + 1;
		}
}

/* A place in a layer for a node, or for an edge that passes it. */
class Slot {
	constructor(across, along, apart) {
		Object.assign(this, { across, along, apart, layer: 0, at: 0, key: 0, up: [], down: [],
			part: 0, x: 0, y: 0, begin: 0, end: 0, enter: 0, leave: 0, offset: 0, want: 0, pull: 0 });
	}
}

/* Layers of slots, and their neighbours. */
function makeSlots(nodes, edges) {
	const first = nodes.reduce((least, node) => Math.min(least, node.rank), Infinity), layers = [];
	const add = (slot, layer) => {
		const list = layers[layer] ||= [];

		slot.layer = layer;
		slot.at = list.push(slot) - 1;
		return slot;
	};
	const join = (a, b, weight) => {
		a.down.push({ slot: b, weight });
		b.up.push({ slot: a, weight });
	};

	for (const node of nodes)
		node.slot = add(new Slot(node.across, node.along, APART),
			2 * (node.rank - first));
	for (const edge of edges) {
		const begin = nodes[edge.low].slot, end = nodes[edge.high].slot;
		const label = begin.layer + 1 + 2 * Math.floor((end.layer - begin.layer - 1) / 4);
		let last = begin;

		edge.slots = [];
		for (let layer = begin.layer + 1; layer < end.layer; layer++) {
			const slot = add(layer === label ? new Slot(edge.across, edge.along, LABELS_APART)
				: new Slot(1, 0, EDGES_APART), layer);

			join(last, slot, edge.weight * (last === begin ? 1 : 4));
			edge.slots.push(last = slot);
		}
		join(last, end, edge.weight);
		edge.slot = edge.slots[(label - begin.layer) - 1];
	}
	for (let i = 0; i < layers.length; i++)
		layers[i] ||= [];
	return layers;
}

/* ---- Order in a layer --------------------------------------------------- */

/* Crossings of edges between two layers, by a tree of sums. */
function crossings(upper, lower) {
	const tree = new Uint32Array(lower.length + 1);
	let count = 0, n = 0;

	for (const slot of upper) {
		const ends = slot.down.map((e) => e.slot.at);

		for (const end of ends) {
			let left = 0;

			for (let i = end + 1; i > 0; i -= i & -i)
				left += tree[i];
			count += n - left;
		}
		n += ends.length;
		for (const end of ends)
			for (let i = end + 1; i <= lower.length; i += i & -i)
				tree[i]++;
	}
	return count;
}

function allCrossings(layers) {
	let count = 0;

	for (let i = 1; i < layers.length; i++)
		count += crossings(layers[i - 1], layers[i]);
	return count;
}

function renumber(layer) {
	layer.forEach((slot, i) => slot.at = i);
}

/* Slots at the mean place of their neighbours; those without stay. */
function sortLayer(layer, side) {
	for (const slot of layer) {
		const list = slot[side];
		let sum = 0;

		for (const { slot: other } of list)
			sum += other.at;
		slot.key = list.length ? sum / list.length : slot.at;
	}
	layer.sort((a, b) => a.key - b.key || a.at - b.at);
	renumber(layer);
}

/* Neighbours change places if that has fewer crossings. */
function swapSlots(layer) {
	let swapped = false;

	for (let i = 1; i < layer.length; i++) {
		const a = layer[i - 1], b = layer[i];
		let gain = 0;

		for (const side of ['up', 'down'])
			for (const { slot: { at: x } } of a[side])
				for (const { slot: { at: y } } of b[side])
					gain += Math.sign(x - y);
		if (gain > 0) {
			layer[i - 1] = b;
			layer[i] = a;
			[a.at, b.at] = [i, i - 1];
			swapped = true;
		}
	}
	return swapped;
}

/*
 * The first order: functions next to those that they share a path with. Numbers the parts of
 * the graph that no path joins.
 */
function firstOrder(layers) {
	const seen = new Set(), order = layers.map(() => []);
	let part = 0;
	const visit = (start) => {
		const open = [start];

		part++;

		for (let slot; (slot = open.pop());) {
			if (seen.has(slot))
				continue;
			seen.add(slot);
			slot.part = part;
			order[slot.layer].push(slot);
			for (const list of [slot.up, slot.down])
				for (let i = list.length; i-- > 0;)
					open.push(list[i].slot);
		}
	};

	for (const layer of layers)
		layer.forEach(visit);
	layers.forEach((layer, i) => {
		layer.splice(0, layer.length, ...order[i]);
		renumber(layer);
	});
}

function orderSlots(layers) {
	firstOrder(layers);

	let best = allCrossings(layers), kept = layers.map((layer) => layer.slice());

	for (let sweep = 0, idle = 0; sweep < SWEEPS && best > 0 && idle < 4; sweep++, idle++) {
		if (sweep % 2)
			for (let i = layers.length - 2; i >= 0; i--)
				sortLayer(layers[i], 'down');
		else
			for (let i = 1; i < layers.length; i++)
				sortLayer(layers[i], 'up');

		const count = allCrossings(layers);

		if (count < best) {
			best = count;
			kept = layers.map((layer) => layer.slice());
			idle = 0;
		}
	}
	/* Parts that no path joins do not cross if they are in the same order in all layers. */
	layers.forEach((layer, i) => {
		layer.splice(0, layer.length, ...kept[i].sort((a, b) => a.part - b.part));
		renumber(layer);
	});
	for (let pass = 0; pass < SWAPS && best > 0 && layers.map(swapSlots).includes(true); pass++)
		;
	return allCrossings(layers);
}

/* ---- Places ------------------------------------------------------------- */

/* Where a slot wants to be: near its neighbours on those sides. */
function wish(slot, up, down) {
	let sum = 0, pull = 0;

	for (let side = up ? 0 : 1; side < (down ? 2 : 1); side++)
		for (const { slot: other, weight } of side ? slot.down : slot.up) {
			sum += weight * other.y;
			pull += weight;
		}
	slot.want = pull ? sum / pull : slot.y;
	slot.pull = pull || 0.01;
}

/*
 * Moves the slots of a layer to where they want to be, as near as their order
 * and sizes allow: least squares, by merging neighbours that would overlap.
 */
function settle(layer) {
	const first = [], sum = [], pull = [];
	let offset = 0, n = 0;

	for (let i = 0; i < layer.length; i++) {
		const slot = layer[i], before = layer[i - 1];

		if (before)
			offset += (before.across + slot.across) / 2 + Math.max(before.apart, slot.apart);
		slot.offset = offset;
		first[n] = i;
		sum[n] = (slot.want - offset) * slot.pull;
		pull[n++] = slot.pull;
		for (; n > 1 && sum[n - 2] / pull[n - 2] >= sum[n - 1] / pull[n - 1]; n--) {
			sum[n - 2] += sum[n - 1];
			pull[n - 2] += pull[n - 1];
		}
	}
	for (let i = 0, block = 0; i < layer.length; i++) {
		if (block + 1 < n && first[block + 1] === i)
			block++;
		layer[i].y = sum[block] / pull[block] + layer[i].offset;
	}
}

function placeAcross(layers) {
	for (const layer of layers) {
		for (const slot of layer)
			slot.pull = 1;
		settle(layer);
	}
	for (let pass = 0; pass < PASSES; pass++)
		for (const layer of pass % 2 ? layers.slice().reverse() : layers) {
			for (const slot of layer)
				wish(slot, pass >= PASSES - 2 || pass % 2 === 0, pass >= PASSES - 2 || pass % 2 === 1);
			settle(layer);
		}
}

function placeAlong(layers) {
	let x = 0;

	layers.forEach((layer, i) => {
		const size = Math.max(0, ...layer.map((slot) => slot.along));
		let steepest = 0;

		for (const slot of layer) {
			slot.x = x + size / 2;
			slot.begin = x;
			slot.end = x + size;
			for (const { slot: next } of slot.down)
				steepest = Math.max(steepest, Math.abs(next.y - slot.y));
		}
		x += size + (i + 1 < layers.length ? Math.min(FAR, Math.max(NEAR, steepest / 4)) : 0);
	});
	return x;
}

/*
 * Between which places across an edge may pass its slot, at the "enter" or the "leave" of
 * the layer: as far from its neighbours as settle() keeps it.
 */
function passage(slot, layer, side) {
	const before = layer[slot.at - 1], after = layer[slot.at + 1];
	const apart = (other) => (other.across + slot.across) / 2 + Math.max(other.apart, slot.apart);

	return [before ? before[side] + apart(before) : -Infinity, after ? after[side] - apart(after) : Infinity];
}

/*
 * Pulls a way taut: points [x, y, low, high], of which the first and the last stay. It bends
 * first where a straight way would be farthest outside of its passage.
 */
function pullTaut(points, first, last) {
	const [ax, ay] = points[first], [bx, by] = points[last];
	let worst = -1, most = 0.01;

	for (let i = first + 1; i < last; i++) {
		const [x, , low, high] = points[i], y = ay + (by - ay) * (x - ax) / (bx - ax || 1);
		const off = Math.max(low - y, y - high);

		points[i][1] = Math.max(low, Math.min(high, y));
		if (off > most) {
			most = off;
			worst = i;
		}
	}
	if (worst >= 0) {
		pullTaut(points, first, worst);
		pullTaut(points, worst, last);
	}
}

/*
 * Edges that pass layers become as straight as boxes, labels and other edges allow. An edge
 * that was pulled makes room for others, so all are pulled several times.
 */
function straighten(layers, nodes, edges) {
	const long = edges.filter((edge) => edge.slots.length > 1);

	for (const slot of layers.flat())
		slot.enter = slot.leave = slot.y;
	for (let pass = 0; pass < PULLS; pass++)
		for (const edge of pass % 2 ? long.slice().reverse() : long) {
			const low = nodes[edge.low].slot, high = nodes[edge.high].slot, points = [[low.end, low.y]];
			const room = (slot, side) => passage(slot, layers[slot.layer], side);

			/* Boxes are as long as their layer, which is passed at its begin and at its end. */
			for (const slot of edge.slots)
				points.push([slot.layer % 2 ? slot.x : slot.begin, slot.enter, ...room(slot, 'enter')],
					...slot.layer % 2 ? [] : [[slot.end, slot.leave, ...room(slot, 'leave')]]);
			points.push([high.begin, high.y]);
			pullTaut(points, 0, points.length - 1);

			let i = 1;

			for (const slot of edge.slots) {
				slot.y = slot.enter = slot.leave = points[i++][1];
				if (slot.layer % 2 === 0)
					slot.leave = points[i++][1];
			}
		}
}

/* Edges end at different places of a box, in the order of their ways. */
function placeEnds(nodes, edges) {
	for (const [end, far] of [['low', 0], ['high', -1]]) {
		const by = nodes.map(() => []);

		for (const edge of edges)
			by[edge[end]].push(edge);
		by.forEach((list, i) => {
			const slot = nodes[i].slot, step = Math.min(9, slot.across * 0.8 / Math.max(1, list.length));

			list.sort((a, b) => a.slots.at(far).y - b.slots.at(far).y);
			list.forEach((edge, at) => edge[end + 'Y'] = slot.y + (at - (list.length - 1) / 2) * step);
		});
	}
}

/*
 * Places nodes, which have sizes along and across, and edges, which have from,
 * to (indexes of nodes), weight, and the size of a label. Sets x (along) and y
 * (across) of the middle of nodes and labels, and points of edges from the
 * caller to the callee: [x, y, straight], straight where an edge leads along, as
 * it does at nodes. Returns the sizes and the number of crossings.
 */
function layerGraph(nodes, edges) {
	if (!nodes.length)
		return { along: 0, across: 0, crossed: 0 };
	markBack(nodes, edges);
	rankNodes(nodes, edges);

	const layers = makeSlots(nodes, edges), crossed = orderSlots(layers);

	placeAcross(layers);

	const along = placeAlong(layers), slots = layers.flat();

	straighten(layers, nodes, edges);

	const top = slots.reduce((least, slot) => Math.min(least, slot.y - slot.across / 2), 0);

	for (const slot of slots) {
		slot.y -= top;
		slot.enter -= top;
		slot.leave -= top;
	}
	placeEnds(nodes, edges);
	for (const edge of edges) {
		const low = nodes[edge.low].slot, high = nodes[edge.high].slot;

		edge.points = [[low.x + low.along / 2, edge.lowY, true],
			...edge.slots.flatMap((slot) => slot.layer % 2 ? [[slot.x, slot.y, false]]
				: [[slot.begin, slot.enter, false], [slot.end, slot.leave, false]]),
			[high.x - high.along / 2, edge.highY, true]];
		if (edge.back)
			edge.points.reverse();
		[edge.x, edge.y] = [edge.slot.x, edge.slot.y];
		delete edge.slot;
		delete edge.slots;
	}
	for (const node of nodes) {
		[node.x, node.y] = [node.slot.x, node.slot.y];
		delete node.slot;
	}
	return { along, across: slots.reduce((most, slot) => Math.max(most, slot.y + slot.across / 2), 0), crossed };
}
