/*
 * map.js - the callees of a function, or its callers, as nested rectangles: the
 * area of each is its cost there; what is free in it is its self cost, and calls
 * that lead back to a box around it. What a function costs in one caller is
 * known; what its own callees cost below that caller is not, and each gets its
 * share.
 */

const MOST_BOXES = 1500, SMALLEST = 5; /* pixels */
const HEADING = 15; /* height of a name above nested boxes */
const SHORTEST = 6; /* letters of a name that is cut */

/* ---- Costs of nested calls ---------------------------------------------- */

class CallMap {
	/* way: 'to' for callees, 'from' for callers. */
	constructor(event, way) {
		this.event = event;
		this.way = way;
		this.graph = new CallGraph(event, openCycles());
		this.graph.loops = new Map();
	}

	/* A box's cost before (of differences) and after, and its size. */
	box(node, before, after, more) {
		return { node, before, after, size: Math.abs(before) + Math.abs(after), exact: true, ...more };
	}

	cost(name, node, side) {
		return side === 'before' && !this.event.before ? 0 : costs(name, this.event, side)[node];
	}

	root(fn) {
		if (fn < 0)
			return this.box(-1, this.event.before ? total(this.event, 'before') : 0,
				total(this.event, 'after'), { depth: 0 });

		const node = this.graph.nodeOf(fn);

		return this.box(node, this.cost('fn_inclusive', node, 'before'),
			this.cost('fn_inclusive', node, 'after'), { depth: 0 });
	}

	/* Boxes in a box that are larger, the largest first; recursion is in it already. */
	inner(box, least) {
		const list = box.node < 0 ? this.entries(least) : this.calls(box), path = new Set();

		for (let at = box; at; at = at.parent)
			path.add(at.node);
		return list.filter((child) => child.size > least && child.node !== 0 && !path.has(child.node))
			.map((child) => ({ ...child, parent: box, depth: box.depth + 1 }))
			.sort((a, b) => b.size - a.size || a.node - b.node);
	}

	selfSize(box) {
		const part = (side, cost) => {
			const all = this.cost('fn_inclusive', box.node, side);

			return all ? Math.abs(this.cost('fn_self', box.node, side) * cost / all) : 0;
		};

		return box.node < 0 ? 0 : part('before', box.before) + part('after', box.after);
	}

	calls(box) {
		const share = (side, cost) => {
			const all = this.cost('fn_inclusive', box.node, side);

			return all ? Math.min(1, cost / all) : 0;
		};
		const before = share('before', box.before), after = share('after', box.after);
		const exact = (box.exact && box.depth === 0) || ((before === 1 || !box.before) && after === 1);

		return this.graph.links(box.node, this.way).map((link) => this.box(link.end,
			link.before * before, link.after * after, { exact, count: exact ? link.count : 0 }));
	}

	/*
	 * Of the whole profile: functions with costs that no caller has; of callers
	 * first those with self costs.
	 */
	entries(least) {
		const { graph } = this, n = fnCount + 1 + one('cycles'), list = [];
		const from = col('call_from'), to = col('call_to');
		const sums = sides(this.way === 'to' ? 'fn_inclusive' : 'fn_self', this.event).map((costs) =>
			costs ? Float64Array.from(costs) : new Float64Array(n));

		for (let i = 0; this.way === 'to' && i < from.length; i++) {
			const callee = graph.nodeOf(to[i]);

			if (from[i] !== 0 && graph.nodeOf(from[i]) !== callee)
				sums.forEach((sum, side) => sum[callee] -= graph.costs[side] ? graph.costs[side][i] : 0);
		}
		for (let node = 1; node < n; node++) {
			const [before, after] = sums.map((sum) => Math.max(0, sum[node]));

			/* Of a cycle only the whole has such costs: its members share them. */
			if (before + after > least && node !== fnCount &&
			    (node > fnCount ? !graph.opened.has(node - fnCount) : !graph.cycle[node]))
				list.push(this.box(node, before, after));
		}
		return list;
	}
}

/* ---- Rectangles ---------------------------------------------------------- */

/*
 * Places items with sizes in a rectangle, in rows along the shorter side, as
 * near to squares as can be (Bruls, Huizing, van Wijk: Squarified treemaps).
 * If all is more than their sum, a part stays free, which is returned.
 */
function squarify(items, x, y, w, h, all) {
	const scale = w * h / all;

	for (let i = 0; i < items.length && w > 0 && h > 0;) {
		const side = Math.min(w, h), first = i;
		let sum = 0, worst = Infinity;

		/* The worst ratio of sides in a row that the next item may improve. */
		for (; i < items.length; i++) {
			const more = sum + items[i].size * scale, thick = more / side;
			const ratio = Math.max(items[first].size * scale / thick / thick,
				thick * thick / (items[i].size * scale || 1e-9));

			if (ratio > worst)
				break;
			worst = ratio;
			sum = more;
		}

		const thick = sum / side;
		let at = 0;

		for (const item of items.slice(first, i)) {
			const long = item.size * scale / thick;

			Object.assign(item, w >= h ? { x, y: y + at, w: thick, h: long }
				: { x: x + at, y, w: long, h: thick });
			at += long;
		}
		if (w >= h) {
			x += thick;
			w -= thick;
		} else {
			y += thick;
			h -= thick;
		}
	}
	return { x, y, w, h };
}

/* All boxes that are large enough, a box before those in it. */
function mapBoxes(map, root, width, height, levels) {
	const boxes = [], open = [Object.assign(root, { x: 0, y: 0, w: width, h: height })];

	for (let i = 0; i < open.length && boxes.length < MOST_BOXES; i++) {
		const box = open[i], named = box.w > 44 && box.h > 2 * HEADING;

		boxes.push(box);
		box.named = named;
		if (box.depth >= levels)
			continue;

		const gap = box.w > 30 && box.h > 30 ? 2 : 1, top = named ? HEADING : gap;
		const w = box.w - 2 * gap, h = box.h - top - gap;

		if (w < SMALLEST || h < SMALLEST)
			continue;

		/* What is smaller than some pixels stays free. */
		const inner = map.inner(box, box.size * SMALLEST / w / h);
		const sum = inner.reduce((all, child) => all + child.size, 0);

		if (!inner.length)
			continue;
		box.rest = Math.max(0, box.size - sum);
		box.free = squarify(inner, box.x + gap, box.y + top, w, h, Math.max(sum, box.size) || 1);
		box.inner = inner.filter((child) => child.w >= SMALLEST && child.h >= SMALLEST);
		open.push(...box.inner);
	}
	return boxes;
}

/* A name in lines of that many letters, broken before a part of it or a "_", if there is one. */
function wrapName(name, room) {
	const lines = [];

	for (let rest = name; rest; rest = rest.slice(lines.at(-1).length)) {
		const head = rest.slice(0, room + 1);
		const cut = rest.length <= room ? room : partsOf(head).at(-1) || head.lastIndexOf('_');

		lines.push(rest.slice(0, cut > room / 3 ? cut : room));
	}
	return lines;
}

/* ---- Drawing ------------------------------------------------------------- */

class MapView {
	constructor(at, detail, map, root, options) {
		this.at = at;
		this.detail = detail;
		this.map = map;
		this.root = root;
		this.o = options;
		this.observer = new ResizeObserver(() => this.resize());
		this.observer.observe(at);
		this.resize();
		put(detail, options.hint);
	}

	resize() {
		const { clientWidth: width, clientHeight: height } = this.at;

		if (width === this.width && height === this.height)
			return;
		this.width = width;
		this.height = height;

		const began = performance.now();

		this.boxes = mapBoxes(this.map, this.root, width, height, this.o.levels);

		const drawn = this.boxes.map((box) => this.draw(box));

		this.links = new Map(drawn.map(([link], i) => [this.boxes[i], link]));
		this.picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': this.o.label,
			on: { pointermove: (e) => this.point(e), pointerleave: () => hideTip(),
				keydown: (e) => this.key(e), focusin: (e) => this.describe(this.boxOf(e.target)) } },
		drawn);
		put(this.at, this.picture);
		this.at.dataset.ms = (performance.now() - began).toFixed(1);
	}

	name(box) {
		return box.node < 0 ? 'all' : fnName(box.node);
	}

	colour(box) {
		const { dark, by } = this.o;

		if (matches && box.node >= 0)
			return matches[box.node] ? (dark ? '#b0459b' : '#f0a3e0') : dark ? '#2c2f34' : '#eceef1';
		if (this.map.event.before)
			return changeColour(box.before, box.after, dark, false, box.node < 0
				? isUnreal(this.map.event, 'total') : isUnreal(this.map.event, 'inclusive', box.node));
		return box.node < 0 ? (dark ? '#2c2f34' : '#eceef1') : groupColour(box.node, by, dark, box.depth);
	}

	words(box) {
		return [this.name(box), (box.exact ? '' : 'about ') + amountWords(this.map.event,
			Math.round(box.before), Math.round(box.after)), callWords(box.count),
		box.node >= 0 ? judgedWords(this.map.event, 'inclusive', box.node) : ''].filter((t) => t).join(', ');
	}

	/* A cycle is shown by selecting one of its functions, and stays closed. */
	change(box) {
		return box.node < 0 ? { fn: '' } : box.node < fnCount ? { fn: box.node }
			: { fn: membersOf(box.node)[0], open: state.open || 'none' };
	}

	draw(box) {
		const { ink } = this.o, room = Math.floor((box.w - 8) / LETTER), leaf = !box.inner?.length;
		const text = (line, content, fill) => svg('text', { x: (box.x + 4).toFixed(1),
			y: (box.y + line).toFixed(1), 'font-family': MONO, 'font-size': 11, fill }, content);
		const cost = shortCost(this.map.event, box.before, box.after);
		const names = this.label(box, leaf, room), first = names[0];
		const beside = !leaf && first && first.length + 2 + cost.length <= room;
		const below = 12 + 14 * names.length;

		return [svg('a', { class: 'node', go: { ...this.change(box), ...this.o.changes, x: '' }, 'aria-label': this.words(box),
			'data-depth': box.depth },
		svg('rect', { x: box.x.toFixed(1), y: box.y.toFixed(1), width: Math.max(1, box.w - 0.8).toFixed(1),
			height: Math.max(1, box.h - 0.8).toFixed(1), class: 'frame', rx: box.w > 20 && box.h > 20 ? 2 : 0,
			fill: this.colour(box), stroke: ink.back, 'stroke-width': 0.6 })), svg('g',
			{ 'aria-hidden': 'true', 'pointer-events': 'none' }, first
				? [beside ? text(12, first + '  ' + cost, ink.text)
					: names.map((name, i) => text(12 + 14 * i, name, ink.text)),
				leaf && box.h > below + 4 && cost.length <= room ? text(below, cost, ink.text) : null]
				: null, this.drawFree(box))];
	}

	/*
	 * The lines of a box's name: in one line what shortName() leaves of it, where there is
	 * room up to three lines. Some letters of a name say nothing: then there are none.
	 */
	label(box, leaf, room) {
		const lines = leaf ? Math.min(3, Math.floor((box.h - 4) / 14)) : 1, name = this.name(box);
		const short = shortName(name, room), full = leaf ? name : bareName(name);

		if (box.h <= HEADING - 1 || !(leaf || box.named))
			return [];
		if (full.length <= room)
			return [full];
		if (room < SHORTEST && short.endsWith('\u2026'))
			return [];

		const wrapped = lines > 1 ? wrapName(bareName(name), room) : [];

		return wrapped.length && wrapped.length <= lines ? wrapped : [short];
	}

	/* What is free in a box is its self cost, unless much of it is recursion. */
	drawFree(box) {
		const { event, way } = this.map, { x, y, w, h } = box.free || { w: 0, h: 0 };
		const self = box.depth || box.node < 0 ? 'self' : 'self ' + shortCost(event,
			this.map.cost('fn_self', box.node, 'before'), this.map.cost('fn_self', box.node, 'after'));

		const shown = way === 'to' && box.inner?.length && this.map.selfSize(box) > 0.8 * box.rest;

		return shown && h > 20 && w > self.length * LETTER + 12 ? svg('text', { x: (x + 6).toFixed(1),
			y: (y + 14).toFixed(1), 'font-family': MONO, 'font-size': 11, 'font-style': 'italic',
			fill: this.o.ink.text }, self) : null;
	}

	/* ---- Pointer and keys ------------------------------------------------ */

	boxOf(at) {
		const link = at.closest('.node');

		return this.boxes.find((box) => this.links.get(box) === link);
	}

	point(e) {
		const box = this.boxOf(e.target), { event, way } = this.map;

		if (!box)
			return hideTip();

		const path = [];

		for (let at = box; at; at = at.parent)
			path.push(this.name(at));
		return showTip(e.clientX, e.clientY, tipRows(this.name(box), [
			[box.depth ? 'Here' : 'Cost', (box.exact ? '' : '\u2248 ') +
				amountWords(event, Math.round(box.before), Math.round(box.after))],
			[one('sampled') ? 'Samples' : 'Calls', box.count ? number(box.count) : ''],
			['In all', box.depth && box.node >= 0 ? costWords(event, 'fn_inclusive', box.node) : ''],
			['Self', box.node >= 0 ? costWords(event, 'fn_self', box.node) : ''],
			['Verdict', box.node >= 0 ? judgedWords(event, 'inclusive', box.node) : ''],
			['Functions', memberNames(box.node, event)],
			['Place', box.node >= 0 && box.node < fnCount ? fnPlace(box.node) : ''],
			['Object', box.node >= 0 && box.node < fnCount ? objectPath(box.node) : ''],
			['Path', path.length > 2 ? (way === 'to' ? path.reverse() : path).join(' \u2192 ') : '']]));
	}

	describe(box) {
		put(this.detail, box ? this.words(box) : this.o.hint);
	}

	/* Up and down the calls, or to the next one of the same function. */
	key(e) {
		const box = this.boxOf(e.target), row = box?.parent?.inner || [];
		const to = { ArrowUp: box?.parent, ArrowDown: box?.inner?.[0],
			ArrowLeft: row[row.indexOf(box) - 1], ArrowRight: row[row.indexOf(box) + 1] };

		if (e.ctrlKey || e.metaKey || e.altKey || !(e.key in to))
			return;
		e.preventDefault();
		if (to[e.key])
			this.links.get(to[e.key]).focus();
	}

	stop() {
		this.observer.disconnect();
	}
}

/* ---- The view ------------------------------------------------------------ */

let mapView = null;

/* The map of a function, -1: of all; changes: of the state, by a click. */
function drawMap(at, detail, event, fn, changes) {
	const callers = state.map === 'callers' && !changes.view;
	const map = new CallMap(event, callers ? 'from' : 'to'), root = map.root(fn);

	return new MapView(at, detail, map, root, { dark: isDark(), ink: ink(isDark()), by: groupBy(), changes,
		levels: depthOf('levels', '15'), label: (callers ? 'Callers' : 'Callees') + (fn < 0 ? '' : ' of ' + fnName(root.node)),
		hint: (callers ? 'Boxes in a box are its callers. '
			: 'Boxes in a box are what it calls; what is free is its self cost, or recursion. ') +
			(innerWidth < 700 ? 'Tap' : 'Click or Enter') + ': that function; Back returns.' +
			(innerWidth < 700 ? '' : ' Arrows: other boxes.') });
}

function showMap(main) {
	const event = currentEvent(), fn = chosen('fn', fnCount) || -1;
	const at = el('div', { class: 'map' }), again = main.querySelector('.map :focus');
	const detail = el('div', { class: 'detail', 'aria-live': 'polite' });

	search();
	put(main, el('div', { class: 'flames' }, el('div', { class: 'controls' },
		choice('Map', 'map', [['', 'Callees', 'what the function calls'],
			['callers', 'Callers', 'from where it is called']]),
		picker('Levels', 'levels', DEPTHS.slice(1), '15'), cycleChoice(), groupChoice(),
		fn < 0 ? el('span', {}, 'Whole profile')
			: [el('b', {}, fnLink(fn)), el('a', { class: 'button', go: { fn: '', x: '' } }, 'Whole profile')]),
	changeLegend(event, 'Area: before and after together. '), at, detail));
	mapView?.stop();
	mapView = drawMap(at, detail, event, fn, {});
	if (again)
		mapView.links.get(mapView.boxes[0])?.focus();
}
