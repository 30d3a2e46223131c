/*
 * squares.js - tests the nested rectangles of formats/html/map.js and the boxes of
 * formats/html/layout.js: areas and widths are in proportion to costs, nothing
 * overlaps or leaves what it is in. The modules come before it in one script.
 */

function random(n) {
	random.state = (Math.imul(random.state || 9, 1103515245) + 12345) >>> 0;
	return Math.floor(random.state / 2 ** 32 * n);
}

function check(right, ...what) {
	if (!right)
		throw new Error(what.join(' '));
}

const near = (a, b) => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));

/* ---- Rectangles ----------------------------------------------------------- */

function checkSquares(sizes, w, h, all) {
	const items = sizes.sort((a, b) => b - a).map((size) => ({ size }));
	const rest = squarify(items, 3, 5, w, h, all), sum = sizes.reduce((a, b) => a + b, 0);

	for (const [i, a] of items.entries()) {
		check(near(a.w * a.h, a.size * w * h / all), 'area', a.size, a.w, a.h);
		check(a.x >= 3 - 1e-6 && a.y >= 5 - 1e-6 && a.x + a.w <= 3 + w + 1e-6 && a.y + a.h <= 5 + h + 1e-6, 'outside');
		for (const b of items.slice(0, i))
			check(Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x) < 1e-6 ||
				Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y) < 1e-6, 'overlap', i);
	}
	check(near(rest.w * rest.h, (all - sum) / all * w * h), 'rest', rest.w, rest.h);
}

for (let round = 0; round < 300; round++) {
	const sizes = Array.from({ length: 1 + random(40) }, () => 1 + random(round % 2 ? 10 : 10000));
	const sum = sizes.reduce((a, b) => a + b, 0);

	checkSquares(sizes, 10 + random(800), 10 + random(800), sum + (round % 3 ? random(sum) : 0));
}

/* Of equal sizes all are near to squares. */
const even = Array.from({ length: 64 }, () => ({ size: 1 }));

squarify(even, 0, 0, 300, 200, 64);
check(even.every((box) => Math.max(box.w / box.h, box.h / box.w) < 2), 'not square');

/* ---- Names ---------------------------------------------------------------- */

for (const [name, room, lines] of [['runtime.heapBitsSetType', 11, ['runtime.', 'heapBitsSet', 'Type']],
	['__memcmp_evex_movbe', 13, ['__memcmp_evex', '_movbe']], ['ns::f', 9, ['ns::f']]])
	if (wrapName(name, room).join() !== lines.join())
		throw new Error('lines of ' + name + ': ' + wrapName(name, room).join());

/* ---- Boxes of flame graphs ------------------------------------------------- */

function randomTree(n) {
	const layout = makeLayout(n, 0), open = [0];

	for (let i = 1; i < n; i++) {
		open.length = 1 + random(open.length);
		layout.depth[i] = open.length;
		layout.parent = layout.parent || [];
		layout.parent[i] = open[open.length - 1];
		open.push(i);
	}
	return layout;
}

for (let round = 0; round < 100; round++) {
	const n = 2 + random(200), layout = randomTree(n);

	for (let i = n - 1; i >= 0; i--) {
		layout.size[i] += random(5);
		if (i)
			layout.size[layout.parent[i]] += layout.size[i];
	}
	arrange(layout);
	for (let i = 1; i < n; i++) {
		const up = layout.parent[i];

		check(layout.start[i] >= layout.start[up], 'left of its caller', i);
		check(layout.start[i] + layout.size[i] <= layout.start[up] + layout.size[up], 'right of its caller', i);
		check(layout.end[i] > i && layout.end[i] <= layout.end[up], 'end', i);
		for (let j = i + 1; j < layout.end[i]; j++)
			check(layout.depth[j] > layout.depth[i], 'not above it', i, j);
		for (let j = 1; j < i; j++)
			check(layout.depth[j] !== layout.depth[i] || layout.start[j] + layout.size[j] <= layout.start[i], 'overlap', i, j);
	}
	check(layout.deepest === Math.max(...layout.depth), 'deepest');
}
console.log('right');
