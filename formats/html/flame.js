/*
 * flame.js - draws a layout on a canvas; zoom, pan, selection, keys. Only boxes
 * in sight are visited, and boxes on a box that is too narrow to be seen are
 * not, so that the time for a picture depends on its size, not on the profile.
 */

const LEVEL = 18; /* height of a box with the gap below it */
const NARROWEST = 0.4; /* of a box, in pixels */
const HUES = 40; /* degrees, of the functions of a library */
const LETTERS = '11px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

class Flame {
	constructor(box, detail, layout, options) {
		this.layout = layout;
		this.zoomKey = zoomKey;
		this.o = options;
		this.detail = detail;
		this.canvas = el('canvas', { tabindex: 0, role: 'application', 'aria-label': options.label,
			'aria-describedby': detail.id });
		this.box = box;
		put(box, this.canvas);
		this.context = this.canvas.getContext('2d');
		this.context.font = LETTERS;
		this.letter = this.context.measureText('MMMMMMMMMM').width / 10;
		this.colours = new Map();
		this.hover = this.selected = -1;
		this.top = 0;
		this.pointers = new Map();
		this.restore();
		this.listen();
		/* At once: a canvas of another size is empty. */
		this.observer = new ResizeObserver(() => this.resize() && this.paint());
		this.observer.observe(box);
		if (this.resize())
			this.draw();
	}

	/* ---- What is in sight ----------------------------------------------- */

	restore() {
		const [from, size] = state[this.zoomKey].split('_').map(Number), all = this.layout.total || 1;
		const valid = from >= 0 && size > 0 && from + size <= 1.0000001;

		this.from = valid ? from * all : 0;
		this.span = valid ? size * all : all;
	}

	zoom() {
		const all = this.layout.total || 1;

		return this.span < all * 0.9999999
			? (this.from / all).toPrecision(9) + '_' + (this.span / all).toPrecision(9) : '';
	}

	/* A click is a step for the Back button, a turn of the wheel is not. */
	remember(step) {
		clearTimeout(this.timer);
		if (step && this.zoom() !== state[this.zoomKey])
			pushState({ [this.zoomKey]: this.zoom() });
		else
			this.timer = setTimeout(() => keep({ [this.zoomKey]: this.zoom() }), 200);
	}

	look(from, span, step) {
		const all = this.layout.total || 1;

		this.span = Math.min(all, Math.max(span, all * 1e-9));
		this.from = Math.max(0, Math.min(from, all - this.span));
		this.remember(step);
		this.draw();
	}

	zoomAt(x, by) {
		const at = this.from + this.span * x / this.width;
		const span = Math.min(this.layout.total, this.span * by);

		this.look(at - span * x / this.width, span);
	}

	zoomTo(i) {
		this.look(this.layout.start[i], this.layout.size[i], true);
	}

	scroll(to) {
		const most = Math.max(0, (this.layout.deepest + 1) * LEVEL - this.height);

		this.top = Math.max(0, Math.min(to, most));
	}

	/* True if the size is another one. */
	resize() {
		const ratio = devicePixelRatio || 1, width = this.box.clientWidth;
		const height = Math.max(120, this.box.clientHeight);

		if (width === this.width && height === this.height && ratio === this.ratio)
			return false;
		this.width = width;
		this.height = height;
		this.ratio = ratio;
		this.canvas.width = width * ratio;
		this.canvas.height = height * ratio;
		this.canvas.style.width = width + 'px';
		this.canvas.style.height = height + 'px';
		this.scroll(this.top);
		return true;
	}

	/* ---- Drawing -------------------------------------------------------- */

	draw() {
		if (!this.frame)
			this.frame = requestAnimationFrame(() => {
				this.frame = 0;
				this.paint();
			});
	}

	/* The upper edge of a level. */
	y(depth) {
		const at = depth * LEVEL - this.top;

		return this.o.up ? this.height - at - LEVEL : at;
	}

	depthAt(y) {
		return Math.floor(((this.o.up ? this.height - y : y) + this.top) / LEVEL);
	}

	/* A range of hues for the package, library or file, in which functions differ. */
	colour(fn) {
		let colour = this.colours.get(fn);

		if (!colour) {
			const name = fnName(fn);
			const group = objectPath(fn) ? packageOf(name) || objectPath(fn) : filePath(col('fn_file')[fn]) || qualifier(name) || name;
			const own = hash(name), shade = own % 12;
			const hue = (hash(group) % 72 * 5 + (own >>> 8) % HUES - HUES / 2 + 360) % 360;

			colour = this.o.dark ? `hsl(${hue} ${30 + shade}% ${30 + shade}%)`
				: `hsl(${hue} ${40 + shade}% ${87 - shade}%)`;
			if (fn === 0 || fn >= fnCount)
				colour = this.o.dark ? '#3a3d42' : '#dfe1e5';
			this.colours.set(fn, colour);
		}
		return colour;
	}

	fill(i) {
		const layout = this.layout, fn = layout.fn[i];

		if (matches)
			return matches[fn] && i ? (this.o.dark ? '#b0459b' : '#f0a3e0')
				: this.o.dark ? '#2c2f34' : '#eceef1';
		if (i === 0)
			return this.o.dark ? '#3a3d42' : '#dfe1e5';
		if (!layout.before)
			return layout.cost[i] < 0 ? (this.o.dark ? '#2d4f86' : '#9cc0f5') : this.colour(fn);

		const ratio = changeOf(layout.before[i], layout.after[i]);
		const strength = Math.round(Math.sqrt(Math.abs(ratio)) * 100);

		if (Math.abs(ratio) < 0.0005)
			return this.o.dark ? '#3a3d42' : '#ececec';
		if (this.o.grey?.[i])
			return `hsl(0 0% ${this.o.dark ? 26 + strength * 0.12 : 94 - strength * 0.2}%)`;
		return `hsl(${ratio > 0 ? 8 : 214} ${30 + strength * 0.5}% ` + (this.o.dark
			? `${26 + strength * 0.16}%)` : `${94 - strength * 0.26}%)`);
	}

	paint() {
		const began = performance.now(), c = this.context, layout = this.layout;
		const scale = this.width / this.span, drawn = [];

		c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		c.clearRect(0, 0, this.width, this.height);
		c.font = LETTERS;
		c.textBaseline = 'middle';
		this.right = [];
		for (let i = 0; i < layout.n;) {
			const x = (layout.start[i] - this.from) * scale, w = layout.size[i] * scale;
			const below = layout.depth[i] * LEVEL < this.top - LEVEL;

			if (x + w <= 0 || x >= this.width || w < NARROWEST ||
			    layout.depth[i] * LEVEL > this.top + this.height) {
				this.sliver(i, x, w);
				i = layout.end[i];
				continue;
			}
			if (!below)
				this.paintBox(i, Math.max(x, 0), Math.min(x + w, this.width), drawn);
			i++;
		}
		c.fillStyle = this.o.dark ? '#e4e6ea' : '#1c1e21';
		for (const [text, x, y] of drawn)
			c.fillText(text, x, y);
		this.outline(this.selected, this.o.dark ? '#ffffff' : '#000000');
		this.outline(this.hover, this.o.dark ? '#b8bcc4' : '#5a5e66');
		if (this.o.painted)
			this.o.painted(this.from, this.span);
		this.canvas.dataset.ms = (performance.now() - began).toFixed(1);
	}

	/* Narrow boxes next to each other become one mark a pixel. */
	sliver(i, x, w) {
		const depth = this.layout.depth[i], at = Math.floor(x);

		if (x < 0 || x >= this.width || w <= 0 || this.right[depth] >= at)
			return;
		this.right[depth] = at;
		this.context.fillStyle = this.fill(i);
		this.context.fillRect(at, this.y(depth), 1, LEVEL - 1);
	}

	paintBox(i, x, end, drawn) {
		const depth = this.layout.depth[i], y = this.y(depth), w = end - x;

		this.context.fillStyle = this.fill(i);
		this.context.fillRect(x, y, Math.max(w - (w > 3 ? 0.7 : 0), 0.5), LEVEL - 1);
		if (w > 4 * this.letter)
			drawn.push([this.fit(i ? fnName(this.layout.fn[i]) : this.o.root, w - 6), x + 3,
				y + LEVEL / 2]);
	}

	fit(name, width) {
		return shortName(name, Math.floor(width / this.letter));
	}

	outline(i, colour) {
		if (i < 0)
			return;
		const scale = this.width / this.span, layout = this.layout;
		const x = (layout.start[i] - this.from) * scale, w = layout.size[i] * scale;

		this.context.strokeStyle = colour;
		this.context.lineWidth = 1.5;
		this.context.strokeRect(Math.max(x, 0) + 0.5, this.y(layout.depth[i]) + 0.5,
			Math.max(1, Math.min(x + w, this.width) - Math.max(x, 0) - 1.5), LEVEL - 2);
	}

	/* ---- Boxes ---------------------------------------------------------- */

	boxAt(px, py) {
		const depth = this.depthAt(py), layout = this.layout;
		const at = this.from + this.span * px / this.width;

		for (let i = 0; i < layout.n;) {
			if (at < layout.start[i] || at >= layout.start[i] + layout.size[i])
				i = layout.end[i];
			else if (layout.depth[i] === depth)
				return i;
			else
				i++;
		}
		return -1;
	}

	below(i) {
		let at = i - 1;

		while (at > 0 && this.layout.depth[at] >= this.layout.depth[i])
			at--;
		return Math.max(at, 0);
	}

	/* The widest box on this one; the box itself if there is none. */
	above(i) {
		const layout = this.layout;
		let best = i;

		for (let at = i + 1; at < layout.end[i]; at = layout.end[at])
			if (best === i || layout.size[at] > layout.size[best])
				best = at;
		return best;
	}

	/* The next or previous box on the same one. */
	beside(i, by) {
		const layout = this.layout, parent = this.below(i);
		let before = i;

		if (by > 0)
			return layout.end[i] < layout.end[parent] ? layout.end[i] : i;
		for (let at = parent + 1; at < i; at = layout.end[at])
			before = at;
		return before;
	}

	select(i, zoom) {
		this.selected = i;
		if (i >= 0) {
			const edge = this.layout.depth[i] * LEVEL;

			if (edge < this.top || edge > this.top + this.height - LEVEL)
				this.scroll(edge - this.height / 2);
			keep(withPanes({ fn: this.layout.fn[i] || '' }));
			follow(this.canvas);
		}
		this.describe(i);
		if (zoom && i >= 0)
			this.zoomTo(i);
		else
			this.draw();
	}

	describe(i) {
		put(this.detail, i < 0 ? this.o.hint : [this.o.describe(this.layout, i), i && this.o.links ? this.o.links(this.layout.fn[i])
			: null]);
	}

	/* ---- Mouse, touch, keys --------------------------------------------- */

	listen() {
		const at = this.canvas, on = (type, f) => at.addEventListener(type, f, { passive: false });

		on('pointerdown', (e) => this.down(e));
		on('pointermove', (e) => this.move(e));
		on('pointerup', (e) => this.up(e));
		on('pointercancel', (e) => this.pointers.delete(e.pointerId));
		on('pointerleave', (e) => this.point(-1, e));
		on('wheel', (e) => this.wheel(e));
		on('keydown', (e) => this.key(e));
	}

	down(e) {
		this.canvas.setPointerCapture(e.pointerId);
		this.pointers.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
		this.moved = this.pointers.size > 1;
	}

	move(e) {
		const was = this.pointers.get(e.pointerId);

		if (!was) {
			this.point(e.pointerType === 'touch' ? -1 : this.boxAt(e.offsetX, e.offsetY), e);
			return;
		}
		const dx = e.offsetX - was.x, dy = e.offsetY - was.y;

		if (!this.moved && Math.abs(dx) + Math.abs(dy) < 4)
			return;
		this.moved = true;
		if (this.pointers.size === 2)
			this.pinch(e);
		this.pointers.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
		if (this.pointers.size === 1) {
			this.scroll(this.top + (this.o.up ? dy : -dy));
			this.look(this.from - dx * this.span / this.width, this.span);
		}
	}

	pinch(e) {
		const [a, b] = [...this.pointers.values()];
		const other = [...this.pointers].find(([id]) => id !== e.pointerId)[1];
		const was = Math.abs(a.x - b.x) || 1, is = Math.abs(e.offsetX - other.x) || 1;

		this.zoomAt((e.offsetX + other.x) / 2, was / is);
	}

	up(e) {
		const click = this.pointers.delete(e.pointerId) && !this.moved;
		const i = click ? this.boxAt(e.offsetX, e.offsetY) : -1;

		if (click)
			this.select(i, true);
	}

	point(i, e) {
		if (i >= 0)
			showTip(e.clientX, e.clientY, this.o.describe(this.layout, i));
		else
			hideTip();
		if (i === this.hover)
			return;
		this.hover = i;
		this.describe(i >= 0 ? i : this.selected);
		this.draw();
	}

	wheel(e) {
		const tall = (this.layout.deepest + 1) * LEVEL > this.height;

		e.preventDefault();
		if (e.ctrlKey || e.metaKey || (!tall && Math.abs(e.deltaY) > Math.abs(e.deltaX)))
			return this.zoomAt(e.offsetX, Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * 0.008));
		this.scroll(this.top + (this.o.up ? -e.deltaY : e.deltaY));
		return this.look(this.from + e.deltaX * this.span / this.width, this.span);
	}

	key(e) {
		const i = Math.max(this.selected, 0), away = this.o.up ? 'ArrowUp' : 'ArrowDown';
		const near = this.o.up ? 'ArrowDown' : 'ArrowUp';
		const keys = { [away]: () => this.select(this.above(i)),
			[near]: () => this.select(this.below(i)),
			ArrowLeft: () => this.select(this.beside(i, -1)),
			ArrowRight: () => this.select(this.beside(i, 1)),
			Enter: () => this.select(i, true), ' ': () => this.select(i, true),
			'+': () => this.zoomAt(this.width / 2, 0.7), '=': () => this.zoomAt(this.width / 2, 0.7),
			'-': () => this.zoomAt(this.width / 2, 1 / 0.7),
			a: () => this.look(this.from - this.span / 8, this.span),
			d: () => this.look(this.from + this.span / 8, this.span),
			w: () => this.zoomAt(this.width / 2, 0.7), s: () => this.zoomAt(this.width / 2, 1 / 0.7),
			0: () => this.look(0, this.layout.total), Home: () => this.look(0, this.layout.total),
			Escape: () => this.select(0, true) };

		if (e.ctrlKey || e.metaKey || e.altKey || !Object.hasOwn(keys, e.key))
			return;
		e.preventDefault();
		keys[e.key]();
	}

	stop() {
		hideTip();
		this.observer.disconnect();
		clearTimeout(this.timer);
		cancelAnimationFrame(this.frame);
	}
}
