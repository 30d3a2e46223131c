/*
 * lineasm.js - instructions in the source: a line opens to the instructions that
 * were made from it, as in pprof's weblist.
 */

let lineCodeKnown = null; /* by file: Map of line to [[fn, row], ...]; rows of calls are negative, from -1 */

onSelection(() => lineCodeKnown = null);

function lineCode(file) {
	lineCodeKnown ||= new Map();
	if (lineCodeKnown.has(file))
		return lineCodeKnown.get(file);
	const lines = new Map(), add = (kind, fn, from, end, entry) => {
		const of = col(kind + '_file'), line = col(kind + '_line');

		for (let i = from; i < end; i++)
			if (of[i] === file && line[i]) {
				if (!lines.has(line[i]))
					lines.set(line[i], []);
				lines.get(line[i]).push([fn, entry(i)]);
			}
	};

	for (const [fn, code] of codeIndex()) {
		add('instr', fn, code.instr, code.instrEnd, (i) => i);
		add('site', fn, code.site, code.siteEnd, (i) => -1 - i);
	}
	lineCodeKnown.set(file, lines);
	return lines;
}

/* True if a line may have instructions, which may have to be loaded. */
function hasLineCode(file, line, fact) {
	return one('instrs') > 0 && (isMissing('instrs') ? Boolean(fact && (fact.has || fact.calls.length))
		: lineCode(file).has(line));
}

/* ---- Which lines are open ------------------------------------------------ */

/* Lines of a file, in the state after the file; NULL: all. */
function openLines(file) {
	const [of, lines] = state.asm.split('_');

	return state.asm === 'all' ? null : new Set(Number(of) === file && lines ? lines.split('.').map(Number) : []);
}

function isOpenLine(file, line) {
	return state.asm === 'all' || openLines(file).has(line);
}

function turnLine(file, line, open) {
	const lines = openLines(file) || new Set(lineCode(file).keys());

	if (open === lines.has(line))
		return;
	if (!lines.delete(line))
		lines.add(line);
	go({ asm: lines.size ? file + '_' + [...lines].sort((a, b) => a - b).join('.') : '' });
}

function lineButton(file, line) {
	const open = isOpenLine(file, line);

	return el('button', { class: 'fold', 'aria-expanded': String(open), 'aria-label': 'Instructions of line ' + line,
		id: 'asm-' + line, on: { click: () => turnLine(file, line) } }, open ? '\u25be' : '\u25b8');
}

function lineCodeChoice() {
	return one('instrs') ? choice('Instructions', 'asm', [['', 'Source', 'a click on \u25b8 opens a line'],
		['all', 'With instructions', 'of all lines']]) : null;
}

/* ---- Rows ---------------------------------------------------------------- */

/* The instructions of a line: a heading for each function if there are several. */
function instrsOfLine(file, line, event) {
	const rows = [], byFn = new Map();

	for (const [fn, row] of lineCode(file).get(line) || []) {
		if (!byFn.has(fn))
			byFn.set(fn, []);
		byFn.get(fn).push(row);
	}
	for (const [fn, list] of byFn) {
		const code = codeIndex().get(fn);

		if (byFn.size > 1)
			rows.push({ kind: 'fn', fn, line });
		rows.push(...fnInstrsAt(fn, code, list, event).map((row) => ({ ...row, fn, code, line })));
	}
	return rows;
}

/* Instructions and calls of a function, by address. */
function fnInstrsAt(fn, code, list, event) {
	const by = new Map(), offset = col('instr_offset'), at = col('site_offset');
	const self = costs('instr_cost', event), before = event.before ? costs('instr_cost', event, 'before') : EMPTY;
	const inclusive = costs('site_cost', event);
	const row = (place) => {
		if (!by.has(place))
			by.set(place, { kind: 'instr', offset: place, self: 0, before: 0, incl: 0, sites: [], jumps: [] });
		return by.get(place);
	};

	for (const i of list.filter((i) => i >= 0)) {
		const to = row(offset[i]);

		to.self += self[i];
		to.incl += self[i];
		to.before += before[i] || 0;
	}
	for (const i of list.filter((i) => i < 0).map((i) => -1 - i)) {
		const to = row(at[i]);

		to.sites.push(i);
		if (col('site_to')[i] !== fn)
			to.incl += inclusive[i];
	}
	const jumps = fnJumps(fn, code), listed = code.asm ? listedAt(code, by.keys()) : new Map();

	for (const to of by.values()) {
		to.jumps = jumps.filter((jump) => jump.offset === to.offset);
		to.text = listed.has(to.offset) ? visible(texts('asm_text').get(listed.get(to.offset))) : '';
		to.bytes = listed.has(to.offset) ? visible(texts('asm_bytes').get(listed.get(to.offset))) : '';
	}
	return [...by.values()].sort((a, b) => a.offset - b.offset);
}

/* Lines, with the instructions of those that are open behind them. */
function withInstrs(lines, file, event) {
	if (!state.asm || event.coverage || !one('instrs') || isMissing('instrs'))
		return lines;
	return lines.flatMap((line) => isOpenLine(file, line) ? [line, ...instrsOfLine(file, line, event)] : [line]);
}

/* ---- Cells --------------------------------------------------------------- */

function asmCost(value, event) {
	return value ? el('span', { class: 'under' }, showCost(value, event), ' ',
		state.unit === 'pct' || narrow() ? null : el('span', { class: 'pct' }, percent(value, whole(event))))
		: el('span', { class: 'dim' }, '0');
}

function asmText(row) {
	if (row.kind === 'fn')
		return el('span', { class: 'made' }, instrLink(row.fn));
	const address = addressText(row.code, row.offset), count = col('site_count');

	return el('span', { class: 'made' }, el('a', { class: 'dim', go: { view: 'instrs', fn: row.fn, instr: address, x: '' } },
		el('code', {}, address)), ' ', row.text ? el('code', { class: 'asm' }, row.text) : '',
	row.jumps.map((jump) => showJump(jump, row.fn)), row.sites.map((i) => el('span', { class: 'leap' },
		(one('sampled') ? 'call' : plural(count[i], 'call')) + ' of ', instrLink(col('site_to')[i]))));
}

function asmCell(key, row, event) {
	if (key === 'text')
		return asmText(row);
	if (row.kind === 'fn')
		return '';
	if (key === 'before' || key === 'after')
		return number(row.before + (key === 'after' ? row.self : 0));
	return key === 'self' && event.before ? change(row.self, event) : key === 'self' || key === 'incl' ? asmCost(row[key], event) : '';
}

/* The columns of lines, for rows of instructions, too. */
function columnsWithInstrs(columns, file, event, facts) {
	const isLine = (row) => typeof row === 'number';

	if (event.coverage || !one('instrs'))
		return columns;
	return columns.map((c) => ({ ...c, width: c.key === 'line' ? wide(84, 62) : c.width,
		value: c.value && ((row) => c.value(isLine(row) ? row : row.line)),
		show: (row) => !isLine(row) && c.key !== 'jumps' ? asmCell(c.key, row, event)
			: c.key === 'line' && hasLineCode(file, row, facts.get(row)) ? [lineButton(file, row), c.show(row)] : c.show(row) }));
}
