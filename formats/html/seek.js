/*
 * seek.js - the way to the lines of a file that matter: links to those that did not run, or
 * cost most, and a strip with all lines next to the table.
 */

/* Coverage: the first line of each range that did not run, or in part; else lines by cost. */
function wantedLines(file, facts, event) {
	const list = [...facts.values()].sort((a, b) => a.line - b.line);

	if (!event.coverage)
		return list.filter((fact) => fact.self).sort((a, b) => Math.abs(b.self) - Math.abs(a.self) || a.line - b.line)
			.map((fact) => fact.line);
	let before = '';

	return list.filter((fact) => {
		const kind = lineClass(file, fact, event), begins = kind !== before && (kind === 'missed' || kind === 'partly');

		before = kind || before;
		return begins;
	}).map((fact) => fact.line);
}

function seekLinks(file, facts, event, wanted) {
	const lines = wantedLines(file, facts, event), at = lines.indexOf(wanted);
	const step = (line, text, hint) => el('a', { class: 'button', go: { line }, title: hint }, text);

	if (!lines.length)
		return null;
	if (!event.coverage)
		return step(lines[(at + 1) % lines.length], at < 0 ? 'Highest cost' : 'Next highest', 'n');
	const next = lines.find((line) => line > wanted) || lines[0];
	const last = lines.slice().reverse().find((line) => line < wanted) || lines.at(-1);

	return [lines.length > 1 ? step(last, 'Previous missed', 'p') : null, step(next, 'Next missed', 'n'),
		el('span', { class: 'dim' }, at < 0 ? plural(lines.length, 'place') : at + 1 + ' of ' + lines.length)];
}

/* n and p follow these links. */
function seekKeys(controls, box) {
	box.addEventListener('keydown', (e) => {
		const link = !e.ctrlKey && !e.metaKey && !e.altKey && controls.querySelector('a[title="' + CSS.escape(e.key) + '"]');

		if (link)
			link.click();
	});
}

/* A strip with a mark for each line that counts; a click shows that line. */
class Strip {
	constructor(table, colourOf) {
		this.table = table;
		this.colourOf = colourOf;
		this.root = el('canvas', { class: 'ruler', 'aria-hidden': 'true', on: { pointerdown: (e) => this.go(e),
			pointermove: (e) => e.buttons && this.go(e) } });
		new ResizeObserver(() => this.draw()).observe(this.root);
	}

	go(e) {
		const { box } = this.table;

		box.scrollTop = e.offsetY / this.scale() - box.clientHeight / 2;
	}

	/* Pixels of the strip for one of the table. */
	scale() {
		return Math.min(1, this.root.clientHeight / (this.table.rows.length * ROW));
	}

	draw() {
		const { rows } = this.table, high = ROW * this.scale(), c = this.root.getContext('2d');

		this.root.width = 1;
		this.root.height = Math.max(1, this.root.clientHeight);
		rows.forEach((line, i) => {
			const colour = this.colourOf(line);

			if (colour) {
				c.fillStyle = colour;
				c.fillRect(0, i * high, 1, Math.max(2, high));
			}
		});
	}
}

function stripColours(file, facts, event) {
	const style = getComputedStyle(document.documentElement), of = (name) => style.getPropertyValue('--' + name);
	const kinds = { missed: of('low'), partly: of('medium'), hit: of('high-fill') };
	const most = [...facts.values()].reduce((max, fact) => Math.max(max, Math.abs(fact.self)), 0);

	if (event.coverage)
		return (line) => facts.has(line) ? kinds[lineClass(file, facts.get(line), event)] : '';
	return (line) => facts.get(line)?.self ? heat(Math.abs(facts.get(line).self) / most, isDark()) : '';
}
