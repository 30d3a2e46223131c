/*
 * graphview.js - the picture of calls on the page: zoom, pan, keys, details.
 */

/* ---- Zoom and pan -------------------------------------------------------- */

/* A small picture of all nodes in a corner, with a frame around what is in sight. */
class Overview {
	constructor(view, room) {
		const { picture } = view, { width, height } = picture;

		this.view = view;
		this.scale = Math.min(Math.min(180, room.width / 3) / (width || 1), 120 / (height || 1));
		this.frame = svg('rect', { fill: picture.ink.accent, 'fill-opacity': 0.12, stroke: picture.ink.accent,
			'stroke-width': 1.5 / this.scale });
		this.root = svg('svg', { class: 'eye', 'aria-hidden': 'true', width: width * this.scale,
			height: height * this.scale, viewBox: `0 0 ${width} ${height}`,
			on: { pointerdown: (e) => this.go(e), pointermove: (e) => e.buttons && this.go(e) } },
		picture.boxes.map((box) => {
			const [x, y] = picture.at([box.x, box.y]);

			return svg('rect', { x: x - box.wide / 2, y: y - box.high / 2, width: box.wide, height: box.high,
				fill: box.node === picture.graph.centre ? picture.ink.accent : picture.ink.line });
		}), this.frame);
	}

	update() {
		const { x, y, scale, width, height, picture } = this.view, at = this.frame;

		at.setAttribute('x', -x / scale);
		at.setAttribute('y', -y / scale);
		at.setAttribute('width', width / scale);
		at.setAttribute('height', height / scale);
		this.root.classList.toggle('whole', x >= -1 && y >= -1 && x + picture.width * scale <= width + 1 &&
			y + picture.height * scale <= height + 1);
	}

	go(e) {
		const { left, top } = this.root.getBoundingClientRect(), { view } = this;

		view.pan(view.width / 2 - (e.clientX - left) / this.scale * view.scale - view.x,
			view.height / 2 - (e.clientY - top) / this.scale * view.scale - view.y);
	}
}

const LEGIBLE = 0.8; /* scale */

class GraphView {
	constructor(box, picture, detail, hint) {
		/* Before the picture is there: measuring needs a layout. */
		const room = { width: box.clientWidth, height: box.clientHeight };

		this.box = box;
		this.zoomKey = zoomKey;
		this.picture = picture;
		this.detail = detail;
		this.hint = hint;
		this.pointers = new Map();
		this.root = svg('svg', { tabindex: 0, role: 'application', 'aria-label': 'Call graph' +
			(picture.graph.centre < 0 ? '' : ' around ' + fnName(picture.graph.centre)),
		'aria-describedby': 'graph-detail' }, picture.space);
		this.eye = new Overview(this, room);
		put(box, this.root, this.eye.root);
		this.listen();
		this.observer = new ResizeObserver(() => this.resize());
		this.observer.observe(box);
		addEventListener('beforeprint', this.print = () => this.printing(true));
		addEventListener('afterprint', this.printed = () => this.printing(false));
		this.resize(room);
		put(detail, hint);
	}

	resize({ width, height } = { width: this.box.clientWidth, height: this.box.clientHeight }) {
		if (width === this.width && height === this.height)
			return;
		this.width = width;
		this.height = height;
		if (!this.restore())
			this.begin();
	}

	restore() {
		const [x, y, scale] = state[this.zoomKey].split('_').map(Number);

		if (!(scale > 0.02 && scale < 20 && isFinite(x) && isFinite(y)))
			return false;
		this.scale = scale;
		this.x = this.width / 2 - x * scale;
		this.y = this.height / 2 - y * scale;
		this.apply();
		return true;
	}

	/* All of it if letters can be read, else what it is about. */
	begin() {
		const { width, height, boxes, graph } = this.picture;
		const box = boxes.find((b) => b.node === graph.centre) || boxes[0];
		const [cx, cy] = box ? this.picture.at([box.x, box.y]) : [0, 0];
		const place = (room, size, centre) => size * this.scale + MARGIN <= room + 1
			? (room - size * this.scale) / 2
			: Math.max(room - size * this.scale - MARGIN / 2,
				Math.min(MARGIN / 2, room / 2 - centre * this.scale));

		this.scale = Math.max(this.picture.fit(this), LEGIBLE);
		this.x = place(this.width, width, cx);
		this.y = place(this.height, height, cy);
		this.apply();
	}

	fit() {
		const { width, height } = this.picture;

		this.scale = this.picture.fit(this);
		this.x = (this.width - width * this.scale) / 2;
		this.y = (this.height - height * this.scale) / 2;
		this.look();
	}

	apply() {
		if (this.paper)
			return;
		this.picture.space.setAttribute('transform',
			`translate(${this.x.toFixed(2)} ${this.y.toFixed(2)}) scale(${this.scale.toFixed(4)})`);
		this.eye.update();
	}

	/* All of it, as large as the paper. */
	printing(is) {
		this.paper = is;
		if (is) {
			this.picture.space.removeAttribute('transform');
			this.root.setAttribute('viewBox', `0 0 ${this.picture.width} ${this.picture.height}`);
		} else {
			this.root.removeAttribute('viewBox');
			this.apply();
		}
	}

	/* Shows another part, and keeps it in the link. */
	look() {
		this.apply();
		clearTimeout(this.timer);
		this.timer = setTimeout(() => keep({ [this.zoomKey]: [(this.width / 2 - this.x) / this.scale,
			(this.height / 2 - this.y) / this.scale].map((v) => v.toFixed(0)).concat(this.scale.toFixed(3))
			.join('_') }), 200);
	}

	pan(dx, dy) {
		this.x += dx;
		this.y += dy;
		this.look();
	}

	zoom(by, x = this.width / 2, y = this.height / 2) {
		const scale = Math.max(0.05, Math.min(8, this.scale * by)), ratio = scale / this.scale;

		this.x = x - (x - this.x) * ratio;
		this.y = y - (y - this.y) * ratio;
		this.scale = scale;
		this.look();
	}

	/* Pans until a box is in sight. */
	reveal(box) {
		const [cx, cy] = this.picture.at([box.x, box.y]), margin = 10;
		const move = (from, size, room) => from < margin ? margin - from
			: from + size > room - margin ? Math.max(margin - from, room - margin - from - size) : 0;
		const dx = move(this.x + (cx - box.wide / 2) * this.scale, box.wide * this.scale, this.width);
		const dy = move(this.y + (cy - box.high / 2) * this.scale, box.high * this.scale, this.height);

		if (dx || dy)
			this.pan(dx, dy);
	}

	/* ---- Mouse, touch, keys --------------------------------------------- */

	listen() {
		const on = (type, f) => this.root.addEventListener(type, f, { passive: false });

		on('pointerdown', (e) => this.down(e));
		on('pointermove', (e) => this.move(e));
		on('pointerup', (e) => this.pointers.delete(e.pointerId));
		on('pointercancel', (e) => this.pointers.delete(e.pointerId));
		on('pointerleave', () => this.point(null));
		on('dragstart', (e) => e.preventDefault());
		this.root.addEventListener('click', (e) => this.moved && e.preventDefault(), true);
		on('wheel', (e) => {
			e.preventDefault();
			hideTip();
			this.zoom(Math.exp(-Math.max(-60, Math.min(60, e.deltaY)) * 0.006), ...this.place(e));
		});
		on('keydown', (e) => this.key(e));
		on('focusin', (e) => {
			const box = this.boxOf(e.target);

			if (box)
				this.reveal(box);
			this.light(e.target.closest('.node'));
			put(this.detail, box ? nodeWords(this.picture.graph, box.node) : this.hint);
		});
	}

	place(e) {
		const { left, top } = this.root.getBoundingClientRect();

		return [e.clientX - left, e.clientY - top];
	}

	boxOf(at) {
		const link = at.closest('.node');

		return link ? this.picture.boxes.find((box) => box.link === link) : null;
	}

	down(e) {
		const [x, y] = this.place(e);

		this.pointers.set(e.pointerId, { x, y });
		this.moved = this.pointers.size > 1;
	}

	move(e) {
		const was = this.pointers.get(e.pointerId), [x, y] = this.place(e);

		if (!was)
			return this.point(e);
		if (!this.moved && Math.abs(x - was.x) + Math.abs(y - was.y) < 4)
			return 0;
		if (!this.moved)
			hideTip();
		this.moved = true;
		this.root.setPointerCapture(e.pointerId);
		this.pointers.set(e.pointerId, { x, y });
		if (this.pointers.size === 1)
			return this.pan(x - was.x, y - was.y);

		const other = [...this.pointers].find(([id]) => id !== e.pointerId)[1];
		const far = (p) => Math.hypot(p.x - other.x, p.y - other.y) || 1;

		return this.zoom(far({ x, y }) / far(was), (x + other.x) / 2, (y + other.y) / 2);
	}

	/* Details of what is at the pointer. */
	point(e) {
		const at = e && e.target.closest('.node, .edge, .toggle'), { graph } = this.picture;

		this.light(at);
		if (!at || at.matches('.toggle'))
			return hideTip();

		const box = this.boxOf(at);

		if (box)
			return showTip(e.clientX, e.clientY, nodeTip(graph, box.node));

		const { link } = this.picture.lines[this.picture.marks.indexOf(at)];

		return showTip(e.clientX, e.clientY, tipRows(fnName(link.from) + ' \u2192 ' + fnName(link.to),
			[['Inclusive', amountWords(graph.event, link.before, link.after)],
				[one('sampled') ? 'Samples' : 'Calls', link.count ? number(link.count) : '']]));
	}

	/* Edges of a node, or one edge, stand out. */
	light(at) {
		if (at === this.lighted)
			return;
		this.lighted = at;

		const i = at ? this.picture.boxes.findIndex((box) => box.link === at) : -1;

		this.root.classList.toggle('lit', Boolean(at));
		this.picture.lines.forEach((line, n) => {
			const mark = this.picture.marks[n];

			for (const part of [mark, this.picture.labels[n]])
				part.classList.toggle('on', mark === at || (i >= 0 && (line.from === i || line.to === i)));
		});
	}

	/* The nearest node in that direction. */
	next(box, dx, dy) {
		const from = this.picture.at([box.x, box.y]);
		let best = null, least = Infinity;

		for (const other of this.picture.boxes) {
			const [x, y] = this.picture.at([other.x, other.y]);
			const ahead = (x - from[0]) * dx + (y - from[1]) * dy;
			const aside = Math.abs((x - from[0]) * dy) + Math.abs((y - from[1]) * dx);

			if (ahead > 1 && ahead + 2 * aside < least) {
				least = ahead + 2 * aside;
				best = other;
			}
		}
		return best;
	}

	key(e) {
		const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
		const way = ways[e.key], box = this.boxOf(e.target);
		const keys = { '+': () => this.zoom(1.25), '=': () => this.zoom(1.25), '-': () => this.zoom(0.8),
			0: () => this.fit(), Home: () => this.fit(), Escape: () => this.root.focus(),
			' ': () => box && box.link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })) };

		if (e.ctrlKey || e.metaKey || e.altKey || !(way || Object.hasOwn(keys, e.key)))
			return;
		e.preventDefault();
		e.stopPropagation();
		this.moved = false;
		if (!way)
			keys[e.key]();
		else if (box && !e.shiftKey)
			this.next(box, ...way)?.link.focus();
		else
			this.pan(-60 * way[0], -60 * way[1]);
	}

	stop() {
		this.observer.disconnect();
		clearTimeout(this.timer);
		removeEventListener('beforeprint', this.print);
		removeEventListener('afterprint', this.printed);
	}
}

function nodeTip(graph, node) {
	const { event } = graph;

	return tipRows(fnName(node), [['Inclusive', costWords(event, 'fn_inclusive', node)],
		['', judgedWords(event, 'inclusive', node)],
		['Self', costWords(event, 'fn_self', node)], ['', judgedWords(event, 'self', node)],
		[one('sampled') ? 'Samples in' : 'Calls', callsIn(node) ? number(callsIn(node)) : ''],
		['Recursion', graph.loops.has(node) ? linkWords(event, graph.loops.get(node)) : ''],
		['Functions', memberNames(node, event)],
		['Place', node < fnCount ? fnPlace(node) : ''], ['Object', node < fnCount ? objectPath(node) : '']]);
}

/* ---- The view ------------------------------------------------------------ */

const DEPTHS = ['0', '1', '2', '3', '4', '5', '7', '10', '15', 'all'];
const SHARES = ['0', '0.01', '0.1', '0.2', '0.5', '1', '1.5', '2', '3', '4', '5', '7', '10', '15', '20', '50'];
const FEWEST = 20; /* nodes; to fit, a picture is not made smaller */

/* A choice of the state among many; what: the text of the first one. */
function picker(label, key, values, fallback, unit, hint, what) {
	const now = state[key] || fallback, list = values.includes(now) ? values : [...values, now];

	return el('label', { class: 'dim', title: hint }, label + ' ', el('select', {
		on: { change: (e) => go({ [key]: e.target.value === fallback ? '' : e.target.value, x: '' }) } },
	list.map((value) => el('option', { value, selected: value === now },
		what && value === fallback ? what : value + (unit || '')))));
}

function depthOf(key, fallback) {
	const value = state[key] || fallback;

	return value === 'all' ? Infinity : /^\d+$/.test(value) ? Number(value) : Number(fallback);
}

/* The least share of functions and calls that the state names; -1: the picture has to fit. */
function leastShare() {
	return /^\d+(\.\d+)?$/.test(state.least) ? Number(state.least) / 100 : -1;
}

function graphOf(event, fn, share) {
	const graph = new CallGraph(event, openCycles());

	graph.share = share;
	return fn < 0 ? graph.whole(share)
		: graph.around(fn, depthOf('callers', '2'), depthOf('callees', '3'), share);
}

/*
 * The picture of the calls of a function, -1: of all, in a room of that width and height.
 * Unless the state names the least share, the first one from 1% at which all of it can be
 * seen and read; if there is none, the last one that leaves some functions.
 */
function graphPicture(event, fn, room) {
	const picture = (graph) => new GraphPicture(graph, ['right', 'down'].includes(state.way) ? state.way : '',
		isDark(), room);
	const least = leastShare();
	let last = null;

	for (const share of least >= 0 ? [] : SHARES.slice(SHARES.indexOf('1'))) {
		const graph = graphOf(event, fn, Number(share) / 100);

		if (last && graph.nodes.length < FEWEST)
			break;
		last = graph;
		/* More boxes than half of the room would hold: placing them would be in vain. */
		if (graph.nodes.length * BOX * 60 * LEGIBLE ** 2 > room.width * room.height / 2)
			continue;

		const drawn = picture(graph);

		if (drawn.fit(room) >= LEGIBLE)
			return drawn;
	}
	return picture(last || graphOf(event, fn, least));
}

/* A difference has the colours of changes. */
function groupChoice() {
	const choices = [one('objects') ? ['object', 'By object'] : null,
		one('files') ? ['file', 'By file'] : null, ['fn', 'By function']].filter((c) => c);

	return differs || choices.length < 2 ? null : choice('Colours', 'by', choices, groupBy());
}

let graphView = null;

function graphControls(fn, graph, picture) {
	const button = (text, hint, click) => el('button', { class: 'button', title: hint,
		'aria-label': text.length === 1 ? hint : null, on: { click } }, text);
	const title = 'Calls' + (fn < 0 ? '' : ' around ' + fnName(fn)) + ', ' + visible(graph.event.name);

	return el('div', { class: 'controls' }, fn < 0 ? el('span', {}, 'Whole profile')
		: [picker('Callers', 'callers', DEPTHS, '2'), picker('Callees', 'callees', DEPTHS, '3')],
	picker('At least', 'least', ['', ...SHARES], '', '%', 'of the ' + (fn < 0 ? 'total' : 'cost of the function'),
		leastShare() < 0 ? `${+(graph.share * 100).toFixed(2)}%, automatic` : 'automatic'),
	choice('Direction', 'way', [['right', 'Left to right'], ['down', 'Top down']],
		picture.tall ? 'down' : 'right'), cycleChoice(), groupChoice(),
	el('span', { class: 'choice' }, button('\u2212', 'Smaller', () => graphView.zoom(0.8)),
		button('+', 'Larger', () => graphView.zoom(1.25)), button('Fit', 'Show all (0)', () => graphView.fit())),
	button('Save as SVG', null, () => saveFile('callgraph.svg', 'image/svg+xml', picture.save(title))),
	fn < 0 ? null : el('a', { class: 'button', go: { fn: '', x: '' } }, 'Whole profile'));
}

function showGraph(main) {
	const event = currentEvent(), fn = chosen('fn', fnCount) || -1, again = main.querySelector('.graph :focus');

	search();

	const picture = graphPicture(event, fn, { width: main.clientWidth - 28, height: main.clientHeight - 96 }).draw();
	const { graph } = picture;
	const box = el('div', { class: 'graph' });
	const detail = el('div', { class: 'detail', id: 'graph-detail', 'aria-live': 'polite' });

	put(main, el('div', { class: 'flames' }, graphControls(fn, graph, picture),
		changeLegend(event, ''), box, detail));
	if (graphView)
		graphView.stop();
	graphView = new GraphView(box, picture, detail, [plural(graph.nodes.length, 'node') + ', ' +
		plural(graph.edges.length, 'edge') + (graph.cut ? ', the largest ones. ' : '. ') +
		(graph.torn.size ? 'Dashed: callers are not shown. ' : ''),
	innerWidth < 700 ? 'Tap: around that function. Drag, pinch: move, zoom.'
		: 'Click or Enter: around that function. Wheel, + and \u2212: zoom; drag or arrows: move; ' +
			'Tab: next node, from there arrows. 0: all.'].join(''));
	box.dataset.ms = picture.ms.toFixed(1);
	if (again)
		(picture.boxes.find((b) => b.node === graph.centre)?.link || graphView.root).focus();
}
