/*
 * table.js - tables that are sorted by a click on a heading and, however long,
 * have only the rows in sight as elements.
 *
 * A column has: key, label, hint, number (right-aligned, sorted downwards
 * first), width, value(row) to sort by, show(row) -> text or element, text(row)
 * for export.js if value(row) is no text for users.
 */

const ROW = 24; /* pixels; app.css has it, too */
const SPARE = 8; /* rows above and below those in sight */
const PRINTED = 400;

const tables = new WeakMap(); /* by element */

/* On paper there is no scrolling. */
function fillPrinted() {
	for (const box of document.querySelectorAll('.table'))
		tables.get(box)?.fill(PRINTED);
}

/* Rows by their keys, those of equal keys in their order. */
function sortedBy(rows, keys, down) {
	const sign = down ? -1 : 1;

	if (!keys.every(Number.isFinite))
		return Array.from(keys.keys()).sort((a, b) => keys[a] < keys[b] ? -sign : keys[a] > keys[b] ? sign : a - b)
			.map((i) => rows[i]);

	/* Numbers alone are sorted in a tenth of the time: each row then finds its place. */
	const order = Float64Array.from(keys, (key) => sign * key).sort();
	const used = new Uint32Array(order.length), sorted = new Array(order.length);

	keys.forEach((key, i) => {
		let low = 0, high = order.length;

		while (low < high) {
			const middle = low + high >> 1;

			if (order[middle] < sign * key)
				low = middle + 1;
			else
				high = middle;
		}
		sorted[low + used[low]++] = rows[i];
	});
	return sorted;
}

class Table {
	/*
	 * options: label, columns, rows (any values), open(row) for Enter and a
	 * click, sortKey as 'key' or '-key' (downwards), onSort(sortKey), tall
	 * (false: as high as its rows), onOpen(row, open) for the arrows to the
	 * right and left, onAll(row) for "*", onKey(event, row) -> true if that was
	 * all, mark(row) -> class, arrange(column, sign) ->
	 * rows in another order than that of all values, choose (true: columns
	 * can be hidden, see columns.js).
	 */
	constructor(options) {
		this.all = options.columns;
		this.o = options.choose ? { ...options, columns: shownColumns(options.columns) } : options;
		this.active = -1;
		this.narrowed = narrowed; /* rows in sight are made later */
		this.body = el('div', { class: 'tbody', role: 'rowgroup' });
		this.head = el('div', { class: 'thead', role: 'rowgroup' });
		this.box = el('div', { class: 'table' + (options.tall === false ? ' short' : ''),
			role: 'table', tabindex: 0, 'aria-label': options.label,
			on: { scroll: () => this.fill(), keydown: (e) => this.key(e) } },
		this.head, this.body);
		this.grid = this.o.columns.map((c) => c.width || 'minmax(90px, max-content)').join(' ');
		/* Rows that are wider than the table are so on paper, too. */
		this.box.style.setProperty('--least', this.o.columns.reduce((sum, c) =>
			sum + Number(/\d+(?=px)/.exec(c.width || '90px')), 0) + 'px');
		this.rows = options.rows;
		this.sort(options.sortKey || '');
		new ResizeObserver(() => this.fill() || fitNames(this.body)).observe(this.box);
		tables.set(this.box, this);
	}

	sort(sortKey) {
		const down = sortKey.startsWith('-');
		const column = this.o.columns.find((c) => c.key === sortKey.replace('-', ''));

		this.sortKey = column ? sortKey : '';
		if (this.o.arrange) {
			this.rows = this.o.arrange(column, down ? -1 : 1);
		} else if (column) {
			const keys = within(this.narrowed, () => this.rows.map((row) => column.value(row)));

			this.rows = sortedBy(this.rows, keys, down);
		}
		this.headings();
		this.from = -1;
		this.fill();
	}

	headings() {
		put(this.head, el('div', { class: 'tr', role: 'row' }, this.o.columns.map((c) => {
			const way = this.sortKey === c.key ? 'ascending'
				: this.sortKey === '-' + c.key ? 'descending' : null;

			return el('div', { class: c.number ? 'td n' : 'td', role: 'columnheader',
				'aria-sort': way, title: c.hint || c.label },
			c.value ? el('button', { on: { click: () => this.turn(c) } }, el('span', {}, c.label),
				el('span', { class: 'way', 'aria-hidden': 'true' },
					way === null ? '' : way === 'ascending' ? '\u2191' : '\u2193'))
				: c.label);
		})));
		this.head.firstChild.style.gridTemplateColumns = this.grid;
	}

	turn(column) {
		const first = (column.number ? '-' : '') + column.key;
		const other = (column.number ? '' : '-') + column.key;

		this.sort(this.sortKey === first ? other : first);
		if (this.o.onSort)
			this.o.onSort(this.sortKey);
	}

	row(i) {
		const row = this.rows[i];
		const at = el('div', { class: 'tr' + (i === this.active ? ' active' : '') +
			(this.o.mark ? ' ' + this.o.mark(row) : ''), role: 'row', 'aria-rowindex': i + 2,
		on: this.o.open ? { click: (e) => e.target.closest('a') || this.o.open(row, e) } : {} },
		this.o.columns.map((c) => el('div', { class: c.number ? 'td n' : 'td', role: 'cell' },
			c.show(row))));

		at.style.gridTemplateColumns = this.grid;
		at.style.top = i * ROW + 'px';
		return at;
	}

	/* Makes elements of the rows in sight, or of the first ones; false: they are there. */
	fill(most) {
		const first = most ? 0
			: Math.max(0, Math.floor(this.box.scrollTop / ROW) - SPARE);
		const end = Math.min(this.rows.length, most ||
			first + Math.ceil((this.box.clientHeight || innerHeight) / ROW) + 2 * SPARE);

		if (first === this.from && end === this.end)
			return false;
		this.from = first;
		this.end = end;
		this.body.style.height = (most ? Math.min(most, this.rows.length) : this.rows.length) *
			ROW + 'px';
		this.box.setAttribute('aria-rowcount', this.rows.length + 1);
		put(this.body, within(this.narrowed, () => Array.from({ length: end - first }, (_, i) => this.row(first + i))));
		fitNames(this.body);
		return true;
	}

	reveal(i) {
		const top = i * ROW, height = this.box.clientHeight - 2 * ROW;

		if (top < this.box.scrollTop)
			this.box.scrollTop = top;
		else if (top > this.box.scrollTop + height)
			this.box.scrollTop = top - height;
	}

	key(e) {
		const page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 2);
		const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
			Home: -this.rows.length, End: this.rows.length };

		if (e.target !== this.box || this.o.onKey?.(e, this.rows[this.active]))
			return;
		if (e.key === 'Enter' && this.o.open && this.active >= 0)
			this.o.open(this.rows[this.active]);
		if (this.o.onOpen && this.active >= 0 && (e.key === 'ArrowRight' || e.key === 'ArrowLeft'))
			this.o.onOpen(this.rows[this.active], e.key === 'ArrowRight');
		if (this.o.onAll && this.active >= 0 && e.key === '*')
			this.o.onAll(this.rows[this.active]);
		if (!(e.key in steps) || this.rows.length === 0)
			return;
		e.preventDefault();
		this.active = Math.max(0, Math.min(this.rows.length - 1, this.active + steps[e.key]));
		this.reveal(this.active);
		this.from = -1;
		this.fill();
	}
}

/* ---- Cells -------------------------------------------------------------- */

/* A share of the whole as a bar behind a number. */
function bar(text, share, kind) {
	const fill = el('span', { class: 'fill ' + (kind || '') });

	fill.style.width = Math.min(100, Math.abs(share) * 100) + '%';
	return el('span', { class: 'bar' }, fill, el('span', {}, text));
}

/* In cells, names are as long as their columns: see fit.js. */
function fnLink(fn) {
	if (fn >= fnCount)
		return el('span', { class: 'dim' }, fnName(fn));

	const found = matches && matches[fn] && state.view !== 'functions';
	const at = el('a', { go: { view: 'function', fn, x: '' }, title: fnTitle(fn), class: found ? 'fn match' : 'fn' }, fnName(fn),
		col('fn_cycle')[fn] ? el('span', { class: 'dim' }, ' <cycle ' + col('fn_cycle')[fn] + '>') : null);

	at.fullName = fnName(fn);
	return at;
}

function fnTitle(fn) {
	return [fnName(fn), tidyPath(fnPlace(fn)), objectPath(fn)].filter((text) => text).join('\n');
}

function fnPlace(fn) {
	const file = filePath(col('fn_file')[fn]), line = col('fn_line')[fn];

	return file && line ? file + ':' + line : file;
}

/* All digits of a cost, and its unit. */
function inFull(value, event) {
	return number(value) + (event.unit ? ' ' + visible(event.unit) : '');
}

/* A cost as it is to be shown: in three digits, in all, or as a share. */
function costText(value, event) {
	return state.unit === 'pct' ? percent(value, whole(event))
		: state.unit === 'full' ? number(value) : brief(value, event.unit);
}

function showCost(value, event) {
	return el('span', { class: 'v', title: inFull(value, event) }, costText(value, event));
}

/* Red for more, blue for less, grey for noise. base: the change is shown as its share. */
function change(value, event, base, unreal) {
	return el('span', { class: value === 0 ? 'dim none' : unreal ? 'unreal' : value > 0 ? 'more' : 'less',
		title: signed(inFull(value, event), value) },
	value === 0 ? base === 0 ? '' : '0' : base === undefined ? signed(costText(value, event), value)
		: base === 0 ? 'new' : signed(percent(value, base), value));
}

/* The kind of a bar of a change. */
function wayOf(value, unreal) {
	return unreal ? 'grey' : value > 0 ? 'up' : 'down';
}

/* A column of costs has room for all digits if they are shown. */
function costWidth(pixels) {
	return Math.round(narrow() ? pixels * 0.7 : pixels) + (state.unit === 'full' ? 80 : 0) + 'px';
}

/* A cost and, if it is not alone, its share of all; a 0, as most self costs are, is always alone. */
function costCell(value, event, all, alone = state.unit === 'pct') {
	return value === 0 ? el('span', { class: 'v dim none', title: inFull(0, event) }, state.unit === 'pct' ? '0%' : '0')
		: [showCost(value, event), alone ? null : el('span', { class: 'pct' }, percent(value, all))];
}

/*
 * The columns of a cost by row: a number and its share; of a difference before,
 * after, change and the change as a share of before. at(row) is an index.
 */
function costColumns(key, label, name, event, at) {
	const all = whole(event);
	const value = costs(name, event);
	const plain = (part, title, side) => {
		const of = costs(name, event, side);

		return { key: key + part, label: title, number: true, width: costWidth(narrow() || label.includes(' ') ? 168 : 128),
			value: (row) => of[at(row)], show: (row) => costCell(of[at(row)], event, all, true) };
	};

	if (event.before) {
		const before = costs(name, event, 'before');
		const grey = (row) => isUnrealCost(event, name, at(row));

		return [plain('0', label.replace('Inclusive', 'Incl.') + ' before', 'before'), plain('1', 'After', 'after'),
			{ key, label: 'Change', number: true, width: costWidth(120),
				value: (row) => Math.abs(value[at(row)]), text: (row) => value[at(row)],
				show: (row) => bar(change(value[at(row)], event, undefined, grey(row)),
					all ? value[at(row)] / all : 0, wayOf(value[at(row)], grey(row))) },
			{ key: key + 's', label: '%', number: true, width: '92px',
				value: (row) => value[at(row)] / (Math.abs(before[at(row)]) || 1),
				show: (row) => change(value[at(row)], event, before[at(row)], grey(row)) }];
	}
	const alone = state.unit === 'pct' || (narrow() && label === 'Self'); /* both columns have room */

	return [{ key, label, number: true, width: costWidth(alone && narrow() ? 110 : 170), value: (row) => value[at(row)],
		show: (row) => bar(costCell(value[at(row)], event, all, alone), all ? value[at(row)] / all : 0) }];
}
