/*
 * graphdraw.js - draws the picture of calls as SVG. Colours are attributes, not
 * style, so that a saved picture has them.
 */

const BOX = 216, LETTER = 6.63, SMALL = 6.03; /* widths, of LETTERS and SMALL_LETTERS */
const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const ARROW = 7, MARGIN = 16, LARGEST = 1.25;

/* ---- Colours ------------------------------------------------------------ */

function ink(dark) {
	return dark ? { back: '#17191c', text: '#e4e6ea', dim: '#979da7', line: '#4a4f57', box: '#1f2226',
		chosen: '#3b3520', fill: '#3d5c8c', self: '#8ab4f8', accent: '#8ab4f8' }
		: { back: '#ffffff', text: '#1c1e21', dim: '#5c6168', line: '#c3c7cd', box: '#fafbfc',
			chosen: '#fff4d1', fill: '#b4d0f8', self: '#1f5fbf', accent: '#1f5fbf' };
}

/* Of a line: from grey for a small share to red. */
function heat(share, dark) {
	const s = Math.sqrt(Math.min(1, share));

	return dark ? `hsl(${34 - 26 * s} ${12 + 68 * s}% ${44 + 18 * s}%)`
		: `hsl(${34 - 26 * s} ${12 + 68 * s}% ${70 - 26 * s}%)`;
}

/* Of a change: red for more, blue for less, grey for noise; of lines stronger than of boxes. */
function changeColour(before, after, dark, line, unreal) {
	const ratio = changeOf(before, after), s = Math.sqrt(Math.abs(ratio));

	if (Math.abs(ratio) < 0.0005)
		return line ? (dark ? '#5a5e66' : '#b4b8bf') : dark ? '#2a2d32' : '#f1f2f4';
	return `hsl(${ratio > 0 ? 8 : 214} ${unreal ? 0 : 30 + s * 50}% ` + (line
		? dark ? `${42 + s * 20}%)` : `${72 - s * 24}%)`
		: dark ? `${22 + s * 16}%)` : `${95 - s * 20}%)`);
}

/* What functions are coloured by: object, file or the function itself. */
function groupOf(fn, by) {
	const file = filePath(col('fn_file')[fn]), object = objectPath(fn);

	return by === 'fn' ? fnName(fn) : by === 'file' ? file || object : object || file;
}

const LARGEST_GROUP = 0.8; /* of the self costs */
let usualGroup = '';

/* By default what tells functions apart: not nearly all of them are in one group. */
function groupBy() {
	usualGroup ||= ['object', 'file'].find((by) => {
		const self = costs('fn_self', currentEvent()), group = col('fn_' + by), sums = new Map();
		let all = 0;

		for (let fn = 1; fn < fnCount; fn++) {
			sums.set(group[fn], (sums.get(group[fn]) || 0) + Math.abs(self[fn]));
			all += Math.abs(self[fn]);
		}
		return sums.size > 1 && [...sums.values()].every((size) => size <= LARGEST_GROUP * all);
	}) || 'fn';
	return state.by || usualGroup;
}

function groupColour(fn, by, dark, depth) {
	const group = groupOf(fn, by), hue = hash(group) % 72 * 5;

	if (fn === 0 || fn >= fnCount || !group)
		return dark ? '#3a3d42' : '#dfe1e5';
	return dark ? `hsl(${hue} 34% ${34 - (depth || 0) % 2 * 6}%)`
		: `hsl(${hue} 52% ${(depth === undefined ? 72 : 84) - (depth || 0) % 2 * 6}%)`;
}

/* ---- The picture --------------------------------------------------------- */

class GraphPicture {
	/*
	 * way: 'right' if callers are on the left, 'down' if they are above, or ''
	 * for what is larger in a room of that width and height.
	 */
	constructor(graph, way, dark, room) {
		const began = performance.now();

		this.graph = graph;
		this.dark = dark;
		this.ink = ink(dark);
		this.by = groupBy();
		if (way || graph.nodes.length > 200)
			this.place(way === 'down');
		else
			this.place(this.place(false).fit(room) < this.place(true).fit(room));
		this.ms = performance.now() - began;
	}

	/* Places are known: what does not fit need not be drawn. */
	draw() {
		const began = performance.now();

		this.marks = this.lines.map((line) => this.drawLine(line));
		this.labels = this.lines.map((line) => this.drawLabel(line));
		this.space = svg('g', {}, this.marks, this.labels, this.boxes.map((box) => this.drawBox(box)));
		this.ms += performance.now() - began;
		return this;
	}

	place(tall) {
		const { nodes, edges } = this.graph, index = new Map(nodes.map((node, i) => [node, i]));

		if (this.tall === tall)
			return this;
		this.tall = tall;
		this.boxes = nodes.map((node) => this.box(node));
		this.lines = edges.map((link) => {
			const label = this.label(link), size = [label.length * SMALL + 6, 13];

			return { link, label, from: index.get(link.from), to: index.get(link.to),
				weight: 1 + 14 * this.share(link), along: size[tall ? 1 : 0], across: size[tall ? 0 : 1] };
		});

		const { along, across } = layerGraph(this.boxes, this.lines);

		this.width = tall ? across : along;
		this.height = tall ? along : across;
		return this;
	}

	/* The scale at which all of it can be seen. */
	fit(room) {
		return Math.min((room.width - MARGIN) / (this.width || 1),
			(room.height - MARGIN) / (this.height || 1), LARGEST);
	}

	share(link) {
		return this.graph.base ? Math.min(1, link.size / this.graph.base) : 0;
	}

	label(link) {
		const { event } = this.graph;

		return shortCost(event, link.before, link.after) + (one('sampled') || !link.count ? ''
			: ' ' + brief(link.count, '') + '\u00d7');
	}

	box(node) {
		const room = Math.floor((BOX - 20) / LETTER) - (node > fnCount || this.isOpen(node) ? 3 : 0);
		const names = fitName(fnName(node), room), loop = this.graph.loops.get(node);
		const high = 31 + 15 * names.length + (loop ? 14 : 0) + (node > fnCount ? 14 : 0);

		return { node, names, loop, wide: BOX, high, along: this.tall ? high : BOX,
			across: this.tall ? BOX : high };
	}

	isOpen(node) {
		return node < fnCount && col('fn_cycle')[node] > 0;
	}

	at(point) {
		return this.tall ? [point[1], point[0]] : [point[0], point[1]];
	}

	/* ---- Edges -------------------------------------------------------------- */

	/*
	 * A curve through points that never leaves the range across of two points that follow
	 * each other, so that it meets no box: its slope is the harmonic mean of theirs.
	 */
	path(points) {
		const text = (...list) => list.map((p) => this.at(p).map((v) => v.toFixed(1)).join(' ')).join(', ');
		const steep = (a, b) => (b[1] - a[1]) / (b[0] - a[0] || 1);
		const slope = points.map((point, i) => {
			const into = point[2] ? 0 : steep(points[i - 1], point), out = point[2] ? 0 : steep(point, points[i + 1]);

			return into * out > 0 ? 2 * into * out / (into + out) : 0;
		});
		let path = 'M' + text(points[0]);

		for (let i = 1; i < points.length; i++) {
			const [ax, ay] = points[i - 1], [bx, by] = points[i], third = (bx - ax) * 0.42;

			path += 'C' + text([ax + third, ay + slope[i - 1] * third], [bx - third, by - slope[i] * third],
				[bx, by]);
		}
		return path;
	}

	drawLine(line) {
		const { link, points } = line, { event } = this.graph, share = this.share(link);
		const colour = event.before ? changeColour(link.before, link.after, this.dark, true,
			isUnreal(event, 'inclusive', link.to))
			: heat(share, this.dark);
		const wide = 1 + 6 * share, head = ARROW + wide, end = points.at(-1), sign = line.back ? -1 : 1;
		const tip = (x, y) => this.at([end[0] - sign * x, end[1] + y]).map((v) => v.toFixed(1)).join(' ');

		return svg('g', { class: 'edge', role: 'img', 'data-from': line.from, 'data-to': line.to,
			'aria-label': fnName(link.from) + ' calls ' + fnName(link.to) + ', ' + linkWords(event, link) },
		svg('path', { d: this.path(points.slice(0, -1).concat([[end[0] - sign * head * 0.7, end[1], true]])),
			fill: 'none', stroke: colour, 'stroke-width': wide.toFixed(1) }),
		svg('path', { d: `M${tip(0, 0)}L${tip(head, head * 0.45)}L${tip(head, -head * 0.45)}Z`,
			fill: colour }),
		/* Thin lines are easier to meet with more around them. */
		this.lines.length > 400 ? null : svg('path', { class: 'reach', d: this.path(points), fill: 'none',
			stroke: 'transparent', 'stroke-width': 14 }));
	}

	/* Above all edges. */
	drawLabel(line) {
		const [x, y] = this.at([line.x, line.y]);

		const wide = line.label.length * SMALL + 4;

		return svg('g', { class: 'edge', 'pointer-events': 'none', 'aria-hidden': 'true' },
			svg('rect', { x: (x - wide / 2).toFixed(1), y: (y - 6.5).toFixed(1), width: wide.toFixed(1),
				height: 13, rx: 3, fill: this.ink.back }),
			svg('text', { x: x.toFixed(1), y: (y + 3.5).toFixed(1), 'text-anchor': 'middle',
				'font-family': MONO, 'font-size': 10, fill: this.ink.text }, line.label));
	}

	/* ---- Nodes -------------------------------------------------------------- */

	frame(box, x, y) {
		const { event, centre } = this.graph, { node } = box;
		const fill = event.before ? changeColour(costs('fn_inclusive', event, 'before')[node],
			costs('fn_inclusive', event, 'after')[node], this.dark, false, isUnreal(event, 'inclusive', node))
			: node === centre ? this.ink.chosen : this.ink.box;
		const frame = (by, more) => svg('rect', { x: x + by, y: y + by, width: box.wide, height: box.high,
			rx: 5, fill, stroke: node === centre ? this.ink.accent : this.ink.line,
			'stroke-width': node === centre ? 2 : 1, ...more });

		return [node > fnCount ? frame(4) : null,
			frame(0, { class: 'frame', 'stroke-dasharray': this.graph.torn.has(node) ? '5 3' : null }),
			event.before ? null : svg('rect', { x: x + 3, y: y + 4, width: 4, height: box.high - 8, rx: 2,
				fill: groupColour(node, this.by, this.dark) })];
	}

	bars(box, x, y) {
		const { event } = this.graph, all = whole(event), wide = box.wide - 20;
		const part = (name, fill) => svg('rect', { x: x + 12, y: y + box.high - 7, height: 3, rx: 1.5, fill,
			width: Math.max(0, Math.min(1, all ? costs(name, event)[box.node] / all : 0) * wide).toFixed(1) });

		return event.before ? null : [svg('rect', { x: x + 12, y: y + box.high - 7, height: 3, rx: 1.5,
			width: wide, fill: this.ink.line, opacity: 0.5 }), part('fn_inclusive', this.ink.fill),
		part('fn_self', this.ink.self)];
	}

	drawBox(box) {
		const { event } = this.graph, { node } = box, [cx, cy] = this.at([box.x, box.y]);
		const x = cx - box.wide / 2, y = cy - box.high / 2, other = matches && !matches[node];
		const text = (line, content, more) => svg('text', { x: x + 12, y: y + 1 + line, 'font-size': 10,
			'font-family': MONO, fill: event.before ? this.ink.text : this.ink.dim, ...more }, content);
		const amount = (name) => shortCost(event, event.before ? costs(name, event, 'before')[node] : 0,
			costs(name, event, 'after')[node]);
		const self = 'self ' + (event.before ? amount('fn_self')
			: percent(costs('fn_self', event)[node], whole(event)));
		const cycle = node > fnCount ? node - fnCount : col('fn_cycle')[node];
		let line = 0;

		/* Texts are next to the link: it has a name of its own, with all numbers. */
		box.link = svg('a', { class: other ? 'node other' : 'node',
			'aria-label': nodeWords(this.graph, node) + (node > fnCount ? ', opens' : ''),
			'aria-current': node === this.graph.centre ? 'true' : null,
			go: node > fnCount ? { open: toggled(cycle), x: '' } : node ? { fn: node, x: '' } : {} },
		this.frame(box, x, y));

		const texts = svg('g', { class: other ? 'other' : null, 'aria-hidden': 'true', 'pointer-events': 'none' },
			box.names.map((name) => text(line += 15, name, { 'font-size': 11, fill: this.ink.text,
				'font-weight': node === this.graph.centre ? 700 : 400 })),
			node > fnCount ? text(line += 14, this.members(node)) : null,
			text(line += 14, amount('fn_inclusive')),
			text(line, self, { x: x + box.wide - 8, 'text-anchor': 'end' }),
			box.loop ? text(line + 14, '\u21bb ' + this.label(box.loop)) : null, this.bars(box, x, y));

		return [box.link, texts, cycle && node !== 0
			? this.toggle(cycle, node > fnCount, x + box.wide - 20, y + 4) : null];
	}

	/* As many of a cycle's functions as fit. */
	members(node) {
		const count = plural(membersOf(node).length, 'function'), room = Math.floor((BOX - 20) / SMALL);
		const all = count + ': ' + memberNames(node, this.graph.event);

		return all.length > room ? all.slice(0, room - 1) + '\u2026' : all;
	}

	/* Opens or closes a cycle. */
	toggle(cycle, opens, x, y) {
		return svg('a', { class: 'toggle', go: { open: toggled(cycle), x: '' },
			'aria-label': (opens ? 'Open' : 'Close') + ' cycle ' + cycle },
		svg('rect', { x, y, width: 16, height: 16, rx: 3, fill: this.ink.back, stroke: this.ink.line }),
		svg('text', { x: x + 8, y: y + 12, 'text-anchor': 'middle', 'font-family': MONO, 'font-size': 12,
			fill: this.ink.text }, opens ? '+' : '\u2212'));
	}

	/* A picture that needs no page. */
	save(title) {
		const copy = this.space.cloneNode(true), margin = MARGIN / 2;

		copy.removeAttribute('transform');
		for (const at of copy.querySelectorAll('a'))
			at.removeAttribute('href');
		for (const at of copy.querySelectorAll('.reach'))
			at.remove();
		for (const at of copy.querySelectorAll('[aria-label]'))
			at.prepend(svg('title', {}, at.getAttribute('aria-label')));
		return new XMLSerializer().serializeToString(svg('svg', {
			viewBox: [-margin, -margin, this.width + 2 * margin, this.height + 2 * margin].join(' '),
			width: this.width + 2 * margin, height: this.height + 2 * margin }, svg('title', {}, title),
		svg('rect', { x: -margin, y: -margin, width: '100%', height: '100%', fill: this.ink.back }), copy));
	}
}
