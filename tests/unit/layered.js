/*
 * layered.js - tests formats/html/layered.js, which comes before it in one
 * script: node, or a browser, runs both. Throws what is wrong.
 */

const WIDE = 200, HIGH = 40, LABEL = 80;

/* The same numbers in each run. */
function numbers(seed) {
	let state = seed;

	return (n) => {
		state = (Math.imul(state, 1103515245) + 12345) >>> 0;
		return Math.floor(state / 2 ** 32 * n);
	};
}

/* A graph in which most calls lead to the next levels, a few back. */
function randomGraph(seed, n, m) {
	const random = numbers(seed), edges = new Map();
	const level = Array.from({ length: n }, (_, i) => i ? 1 + random(7) : 0);
	const nodes = level.map((_, i) => ({ along: WIDE, across: HIGH + i % 3 * 14 }));

	for (let tries = 0; edges.size < m && tries < 50 * m; tries++) {
		const from = random(n), to = random(n), step = level[to] - level[from];

		if (from !== to && ((step > 0 && step < 3) || random(100) === 0))
			edges.set(from + ' ' + to, { from, to, weight: 1 + random(9), along: LABEL, across: 13 });
	}
	return { nodes, edges: [...edges.values()] };
}

function check(right, ...what) {
	if (!right)
		throw new Error(what.join(' '));
}

function overlap(a, b) {
	return Math.abs(a.x - b.x) < (a.along + b.along) / 2 - 0.01 &&
		Math.abs(a.y - b.y) < (a.across + b.across) / 2 - 0.01;
}

function checkGraph(name, { nodes, edges }) {
	const began = Date.now(), size = layerGraph(nodes, edges), ms = Date.now() - began;
	const boxes = [...nodes, ...edges];

	for (let i = 0; i < boxes.length; i++) {
		const { x, y, along, across } = boxes[i];

		check(x - along / 2 >= -0.01 && x + along / 2 <= size.along + 0.01 && y - across / 2 >= -0.01 &&
			y + across / 2 <= size.across + 0.01, name, 'box', i, 'is outside of the picture');
		for (let k = 0; k < i; k++)
			check(!overlap(boxes[i], boxes[k]), name, 'boxes', k, 'and', i, 'overlap');
	}
	for (const edge of edges) {
		const ends = [[edge.points[0], nodes[edge.from], edge.back ? -1 : 1],
			[edge.points.at(-1), nodes[edge.to], edge.back ? 1 : -1]];

		for (const [[x, y], node, side] of ends)
			check(Math.abs(node.x + side * node.along / 2 - x) < 0.01 &&
				Math.abs(node.y - y) < node.across / 2, name, 'an edge does not end at its node');
		for (const [x, y] of edge.points.slice(1, -1))
			check(!nodes.some((node) => overlap(node, { x, y, along: 0, across: 0 })), name,
				'an edge leads through a node');
		/* The picture's curves stay in the range of two points. */
		edge.points.slice(2, -1).forEach(([x, y], i) => {
			const [px, py] = edge.points[i + 1];

			check(!nodes.some((node) => overlap(node, { x: (x + px) / 2, y: (y + py) / 2, along: Math.abs(x - px) - 0.02,
				across: Math.abs(y - py) })), name, 'an edge leads through a node on its way');
		});
	}
	check(ms < 5000, name, 'took', ms, 'ms');
	return size;
}

function same(a, b) {
	return JSON.stringify(a) === JSON.stringify(b);
}

checkGraph('nothing', { nodes: [], edges: [] });
checkGraph('a node', randomGraph(1, 1, 0));
checkGraph('a cycle', { nodes: [0, 0, 0].map(() => ({ along: 9, across: 9 })), edges: [[0, 1], [1, 2], [2, 0], [2, 1]]
	.map(([from, to]) => ({ from, to, weight: 1, along: 5, across: 5 })) });
for (let seed = 1; seed < 30; seed++)
	checkGraph('graph ' + seed, randomGraph(seed, 5 + seed * 2, 4 + seed * 3));
checkGraph('a large graph', randomGraph(3, 500, 800));

const one = randomGraph(7, 50, 80), other = randomGraph(7, 50, 80);

layerGraph(one.nodes, one.edges);
layerGraph(other.nodes, other.edges);
check(same(one, other), 'the same graph has another picture');

/* A way bends only where its passage makes it. */
const way = [[0, 0], [1, 5, -9, 9], [2, 5, -9, 9], [3, 5, 3, 9], [4, -5, -9, 9], [5, 3]];

pullTaut(way, 0, way.length - 1);
check(same(way.map(([, y]) => y), [0, 1, 2, 3, 3, 3]), 'a way is not taut:', JSON.stringify(way));

/* A tree needs no crossing. */
const tree = { nodes: Array.from({ length: 40 }, () => ({ along: 9, across: 9 })), edges: Array.from({ length: 39 },
	(_, i) => ({ from: i >> 1, to: i + 1, weight: 1 + i % 5, along: 5, across: 5 })) };

check(checkGraph('a tree', tree).crossed === 0, 'edges of a tree cross');
