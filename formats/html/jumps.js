/*
 * jumps.js - jumps as arrows next to the rows of a table. Each arrow has a lane,
 * so that none lies on another; jumps to one row share an arrow. A row draws the
 * pieces of arrows that pass it, so a table needs only the rows in sight.
 */

const LANE = 9; /* pixels between lanes, */
const LANES_WIDTH = 180, LANES_NARROW = 60; /* ... closer if all would need more */
const HEAD = 5, STUB = 14;
const TAIL_Y = 16, HEAD_Y = 9; /* a row may be the end of one and the begin of another */
const CONDITIONAL = 1, ADDRESSES = 2; /* flags of jumps */
const LISTED = 12; /* jumps that the text at the pointer names */

/* The page has no address in its script, so the parser names that of SVG. */
const SVG = new DOMParser().parseFromString('<svg></svg>', 'text/html').body.firstElementChild.namespaceURI;

function drawn(tag, attributes, ...children) {
	const at = document.createElementNS(SVG, tag);

	for (const [key, value] of Object.entries(attributes))
		at.setAttribute(key, value);
	at.append(...children);
	return at;
}

/* The rows of jumps of a function, which are next to each other. */
function jumpsOf(fn) {
	return rowsOf(col('jump_fn'), fn);
}

/* followed 32 of 66 (48.5%); 5 times */
function jumpCount(jump) {
	return jump.conditional ? 'followed ' + number(jump.followed) + ' of ' + number(jump.executed) +
		' (' + percent(jump.followed, jump.executed) + ')'
		: number(jump.executed) + (jump.executed === 1 ? ' time' : ' times');
}

/*
 * Gives lanes to spans { top, bottom }, short ones first: they are nearest to the
 * rows. Returns the number of lanes.
 */
function giveLanes(spans) {
	const lanes = [];

	spans.sort((a, b) => (a.bottom - a.top) - (b.bottom - b.top) || a.top - b.top);
	for (const span of spans) {
		const free = (lane) => !lane.some((other) => other.top <= span.bottom && other.bottom >= span.top);
		const at = lanes.findIndex(free);

		span.lane = at < 0 ? lanes.push([]) - 1 : at;
		lanes[span.lane].push(span);
	}
	return lanes.length;
}

class Arrows {
	/*
	 * jumps: { from, to (rows; to is -1 if it is none of the table), conditional,
	 * executed, followed, title }; chosen(row): arrows of that row are stressed.
	 */
	constructor(jumps, chosen) {
		const by = new Map();

		this.chosen = chosen || (() => false);
		this.stubs = new Map();
		for (const jump of jumps) {
			const list = jump.to < 0 ? this.stubs : by, key = jump.to < 0 ? jump.from : jump.to;

			if (!list.has(key))
				list.set(key, []);
			list.get(key).push(jump);
		}
		this.arrows = [...by].map(([to, list]) => ({ to, jumps: list,
			top: list.reduce((least, jump) => Math.min(least, jump.from), to),
			bottom: list.reduce((most, jump) => Math.max(most, jump.from), to) }));
		this.lanes = giveLanes(this.arrows);
		this.gap = Math.min(LANE, (innerWidth < 700 ? LANES_NARROW : LANES_WIDTH) / (this.lanes || 1));
		this.most = jumps.reduce((most, jump) => Math.max(most, jump.followed), 1);
		this.width = jumps.length ? Math.ceil(this.lanes * this.gap) + 2 * HEAD + (this.stubs.size ? STUB : 0) : 0;
	}

	/* A column of a table; at(row) is the index of a row. */
	column(at) {
		return { key: 'jumps', label: el('span', { class: 'unseen' }, 'Jumps'), hint: 'Jumps', width: this.width + 'px', show: (row) => this.cell(at(row)) };
	}

	cell(row) {
		const inside = this.arrows.filter((arrow) => arrow.top <= row && arrow.bottom >= row);

		return drawn('svg', { class: 'jumps', width: this.width, height: ROW, 'aria-hidden': 'true' },
			...inside.map((arrow) => this.piece(arrow, row)),
			...this.stubs.has(row) ? [this.stub(this.stubs.get(row))] : []);
	}

	stroke(jumps) {
		const followed = jumps.reduce((most, jump) => Math.max(most, jump.followed), 0);

		return 1 + 1.5 * followed / this.most;
	}

	/* The part of an arrow in a row. */
	piece(arrow, row) {
		const end = this.width, x = end - 2 * HEAD - (this.stubs.size ? STUB : 0) - (arrow.lane + 0.5) * this.gap;
		const tails = arrow.jumps.filter((jump) => jump.from === row), is = arrow.to === row;
		const y0 = row > arrow.top ? 0 : is ? HEAD_Y : TAIL_Y, y1 = row < arrow.bottom ? ROW : tails.length ? TAIL_Y : HEAD_Y;
		const line = (d, jumps) => drawn('path', { d, 'stroke-width': this.stroke(jumps) }, this.title(jumps));
		const stressed = this.chosen(arrow.to) || arrow.jumps.some((jump) => this.chosen(jump.from));
		const group = drawn('g', { class: 'jump' + (arrow.jumps.every((jump) => jump.conditional) ? ' cond' : '') +
			(arrow.jumps.some((jump) => jump.followed) ? '' : ' never') + (stressed ? ' hot' : ''),
		'data-to': arrow.to }, line(`M${x} ${y0}V${y1}`, arrow.jumps));

		if (tails.length)
			group.append(line(`M${x} ${TAIL_Y}H${end - 2}`, tails));
		if (is)
			group.append(line(`M${x} ${HEAD_Y}H${end - HEAD}`, arrow.jumps), drawn('path', { class: 'tip',
				d: `M${end} ${HEAD_Y}l-${HEAD + 2} -4v8z` }, this.title(arrow.jumps)));
		/* A wider target for the pointer. */
		group.append(drawn('path', { class: 'near', d: `M${x} ${y0}V${y1}` + (tails.length ? `M${x} ${TAIL_Y}H${end}` : '') },
			this.title(tails.length ? tails : arrow.jumps)));
		group.addEventListener('mouseenter', () => this.stress(group, true));
		group.addEventListener('mouseleave', () => this.stress(group, false));
		return group;
	}

	/* A jump to another function leaves to the right, where its name is. */
	stub(jumps) {
		const end = this.width;

		return drawn('g', { class: 'jump out' + (jumps.every((jump) => jump.conditional) ? ' cond' : '') },
			drawn('path', { d: `M${end - STUB} ${TAIL_Y}H${end - HEAD}`, 'stroke-width': this.stroke(jumps) }),
			drawn('path', { class: 'tip', d: `M${end} ${TAIL_Y}l-${HEAD + 1} -3v6z` }),
			drawn('circle', { cx: end - STUB, cy: TAIL_Y, r: 2 }), this.title(jumps));
	}

	title(jumps) {
		const lines = jumps.slice(0, LISTED).map((jump) => jump.title + ': ' + jumpCount(jump));

		return drawn('title', {}, lines.join('\n') + (jumps.length > LISTED
			? '\nand ' + (jumps.length - LISTED) + ' more' : ''));
	}

	/* All pieces of an arrow, in all rows. */
	stress(group, on) {
		const box = group.closest('.tbody');

		for (const at of box ? box.querySelectorAll(`g[data-to='${group.dataset.to}']`) : [])
			at.classList.toggle('near', on);
	}
}

/* ---- Jumps between lines -------------------------------------------------- */

/* Arrows of the jumps between lines of a file, summed; lines: those of the rows. */
function lineArrows(file, lines) {
	const of = col('jump_file'), from = col('jump_line'), to = col('jump_to_line'), toFile = col('jump_to_file');
	const flags = col('jump_flags'), executed = col('jump_executed'), followed = col('jump_followed');
	const at = new Map(lines.map((line, i) => [line, i])), sums = new Map();

	for (let i = 0; i < of.length; i++) {
		if (of[i] !== file || toFile[i] !== file || from[i] === to[i] || !at.has(from[i]) || !at.has(to[i]))
			continue;
		const conditional = (flags[i] & CONDITIONAL) !== 0, key = from[i] + ' ' + to[i] + ' ' + conditional;
		const sum = sums.get(key) || { from: at.get(from[i]), to: at.get(to[i]), conditional, executed: 0, followed: 0,
			title: 'line ' + from[i] + ' \u2192 line ' + to[i] };

		sum.executed += executed[i];
		sum.followed += followed[i];
		sums.set(key, sum);
	}
	return new Arrows([...sums.values()]);
}
