/*
 * source.js - source files by line, with costs or counts, branches, calls, and the
 * parts of lines that never ran.
 * Without the text of a file only lines with data are shown.
 */

/* ---- Texts -------------------------------------------------------------- */

const sourceLines = new Map(); /* by file: its lines, or NULL */

function linesOfFile(file) {
	if (!sourceLines.has(file)) {
		const at = col('source_file').indexOf(file);

		sourceLines.set(file, at < 0 ? null
			: texts('source_text').get(at).replace(/\r?\n$/, '').split(/\r?\n/));
	}
	return sourceLines.get(file);
}

function sourceLine(file, line) {
	const lines = linesOfFile(file);

	return lines && line > 0 && line <= lines.length
		? visible(lines[line - 1].replace(/\t/g, '    ')).trimEnd() : '';
}

const KEYWORDS = new Set(('alignas and as assert async await auto bool boolean break case catch chan char class ' +
	'const constexpr continue def default defer del delete do double elif else enum except export ' +
	'extends extern false final finally float fn for from func function go goto if impl import in ' +
	'inline int interface is lambda let long loop map match mod mut namespace new nil none not null ' +
	'operator or package pass private protected pub public raise range register return self short ' +
	'signed sizeof static struct super switch template this throw trait true try type typedef ' +
	'typename union unsafe unsigned use using var virtual void volatile where while with yield').split(' '));
const TOKEN = /(\/\/.*|#.*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\/\*.*?(?:\*\/|$)|\b\d[\w.]*|[A-Za-z_]\w*)/g;

/* For each line of C-like files: does it begin inside of a comment? */
function commentStarts(file) {
	const lines = linesOfFile(file);
	let inside = false;

	if (lines.inside)
		return lines.inside;
	return lines.inside = lines.map((line) => {
		const was = inside, end = line.lastIndexOf('*/'), begin = line.lastIndexOf('/*');

		inside = begin > end || (inside && end < 0);
		return was;
	});
}

/* A line of source with colours; pieces are those of linePieces(). */
function highlight(file, line, pieces) {
	const text = sourceLine(file, line), path = filePath(file), parts = [];
	const hashes = /\.(py|rb|pl|sh|ya?ml|pyx)$/.test(path);
	let at = 0;

	if (linesOfFile(file) && /\.([chs]|cc|cpp|cxx|hh|hpp|js|ts|java|go|rs|php|swift|d|cu)$/.test(path) &&
	    commentStarts(file)[line - 1]) {
		at = text.indexOf('*/') < 0 ? text.length : text.indexOf('*/') + 2;
		parts.push([0, at, 'c']);
	}
	for (const found of text.slice(at).matchAll(TOKEN)) {
		const word = found[0], begin = at + found.index;
		const kind = /^(\/\/|\/\*)/.test(word) || (word[0] === '#' && hashes) ? 'c'
			: word[0] === '#' ? 'p' : /^["']/.test(word) ? 's' : /^\d/.test(word) ? 'm'
				: KEYWORDS.has(word) ? 'k' : null;

		if (kind)
			parts.push([begin, begin + word.length, kind]);
	}
	return mark(text, parts, pieces || []);
}

/* The text from begin to end; parts are coloured. */
function colour(text, begin, end, parts) {
	const nodes = [];
	let at = begin;

	for (const [from, to, kind] of parts)
		if (to > at && from < end) {
			nodes.push(text.slice(at, Math.max(at, from)), el('span', { class: kind },
				text.slice(Math.max(at, from), Math.min(end, to))));
			at = Math.min(end, to);
		}
	nodes.push(text.slice(at, end));
	return nodes;
}

function mark(text, parts, pieces) {
	const nodes = [];
	let at = 0;

	for (const { begin, end, title, missed, now } of pieces) {
		nodes.push(colour(text, at, begin, parts), el('span', { class: missed ? 'unrun' : now ? 'now' : null, title },
			colour(text, begin, end, parts)));
		at = end;
	}
	return el('code', {}, nodes, colour(text, at, text.length, parts));
}

/* ---- Regions ------------------------------------------------------------ */

const FILLER = 1, UTF16 = 8, NO_CODE = 64;

/*
 * Where the innermost region of a file changes, in order: { line, column, region }, region -1
 * for none.
 */
function regionChanges(file) {
	const [from, to] = fileRange('region_file', file), line = col('region_line');
	const lines = col('region_lines'), column = col('region_column'), last = col('region_end');
	const marks = [], ended = new Set(), open = [], changes = [];
	const begin = (i) => ({ line: line[i], column: column[i], region: i, ends: false });
	const end = (i) => ({ line: line[i] + lines[i], column: last[i] || Infinity, region: i, ends: true });
	const order = (a, b) => a.line - b.line || (a.column < b.column ? -1 : a.column > b.column ? 1 : 0);

	for (let i = from; i < to; i++)
		marks.push(begin(i), end(i));
	/* At one place: ends, then begins, those of outer regions first. */
	marks.sort((a, b) => order(a, b) || Number(b.ends) - Number(a.ends) ||
		(a.ends ? 0 : order(end(b.region), end(a.region))) || a.region - b.region);
	for (const mark of marks) {
		if (mark.ends)
			ended.add(mark.region);
		else
			open.push(mark.region);
		while (open.length && ended.has(open[open.length - 1]))
			open.pop();
		changes.push({ line: mark.line, column: mark.column, region: open.length ? open[open.length - 1] : -1 });
	}
	return changes;
}

const changesKnown = new Map(); /* by file */

/* The changes on a line; the first one is in column 1. */
function lineChanges(file, line) {
	if (!changesKnown.has(file))
		changesKnown.set(file, regionChanges(file));
	const all = changesKnown.get(file), found = [];
	let low = 0, high = all.length;

	while (low < high) {
		const middle = low + high >> 1;

		if (all[middle].line < line)
			low = middle + 1;
		else
			high = middle;
	}
	found.push({ column: 1, region: low ? all[low - 1].region : -1 });
	for (; low < all.length && all[low].line === line; low++)
		found.push(all[low]);
	return found;
}

/* The index in the text shown of a column of the file's line. */
function shownIndex(raw, column, region) {
	const wide = region >= 0 && col('region_flags')[region] & UTF16;
	let units = 1, shown = 0;

	for (const c of raw) {
		const code = c.codePointAt(0);

		if (units >= column)
			break;
		units += wide ? c.length : code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
		shown += c === '\t' ? 4 : visible(c).length;
	}
	return shown;
}

/*
 * The pieces of a line that ran another number of times than the line: { begin, end, title,
 * missed }. None of a line that never ran, as all of it is marked.
 */
function linePieces(file, fact) {
	const count = lineCount(fact), pieces = [], lines = linesOfFile(file);

	if (count <= 0 || !lines || chosenTest() || !col('region_file').length)
		return pieces;
	const raw = lines[fact.line - 1] || '', text = sourceLine(file, fact.line);
	const changes = lineChanges(file, fact.line);

	changes.forEach(({ column, region }, i) => {
		const next = changes[i + 1], flags = region < 0 ? NO_CODE : col('region_flags')[region];
		const ran = region < 0 ? 0 : Math.max(0, col('region_count')[region]);
		let begin = shownIndex(raw, column, region);
		let end = next ? shownIndex(raw, next.column, next.region >= 0 ? next.region : region) : text.length;

		end = Math.min(end, text.length);
		while (begin < end && text[begin] === ' ')
			begin++;
		while (begin < end && text[end - 1] === ' ')
			end--;
		if (begin < end && ran !== count && !(flags & (FILLER | NO_CODE)))
			pieces.push({ begin, end, missed: ran === 0,
				title: ran === 0 ? 'never ran' : 'ran ' + number(ran) + (ran === 1 ? ' time' : ' times') });
	});
	return pieces;
}

/* ---- Lines of a file ---------------------------------------------------- */

const rangesKnown = new Map(); /* by column: Map of file to [begin, end] */

onSelection(() => rangesKnown.clear());

/* Where the rows of a file are: those of a file are next to each other. */
function fileRange(name, file, run) {
	const of = col(name, run), key = name + ':' + (run || 0), ranges = new Map();

	if (!rangesKnown.has(key)) {
		for (let i = 0, end; i < of.length; i = end) {
			for (end = i + 1; end < of.length && of[end] === of[i];)
				end++;
			ranges.set(of[i], [i, end]);
		}
		rangesKnown.set(key, ranges);
	}
	return rangesKnown.get(key).get(file) || [0, 0];
}

/*
 * What is known of a file's lines: Map of line to { self, before, calls, count,
 * branches }.
 */
function lineFacts(file, event) {
	const facts = new Map(), at = (line) => {
		if (!facts.has(line))
			facts.set(line, { line, has: false, self: 0, before: 0, incl: 0, calls: [], sum: -1 });
		return facts.get(line);
	};
	const numbers = col('line_number'), self = costs('line_cost', event);
	const before = event.before ? costs('line_cost', event, 'before') : null;
	const [from, end] = fileRange('line_file', file), [first, last] = fileRange('sum_file', file);

	for (let i = from; i < end; i++) {
		const fact = at(numbers[i]);

		fact.has = true;
		fact.self += self[i];
		fact.incl += self[i];
		fact.before += before ? before[i] : 0;
	}
	for (let i = first; i < last; i++)
		at(col('sum_line')[i]).sum = i;
	addCalls(file, event, at);
	return facts;
}

function addTest(file, facts) {
	const test = chosenTest(), counts = test && testCounts(test, file);

	for (const fact of test ? facts.values() : [])
		fact.inTest = counts.get(fact.line) || 0;
}

function addCalls(file, event, at) {
	const of = col('call_file'), line = col('call_line'), cost = costs('call_cost', event);

	for (let i = 0; i < of.length; i++)
		if (of[i] === file && line[i]) {
			const fact = at(line[i]);

			fact.calls.push(i);
			if (col('call_from')[i] !== col('call_to')[i])
				fact.incl += cost[i];
		}
}

function showCalls(fact) {
	const to = col('call_to'), count = col('call_count'), parts = [];

	fact.calls.slice(0, 4).forEach((i) => parts.push(' \u2192 ', fnLink(to[i]),
		count[i] ? el('span', { class: 'dim' }, ' \u00d7' + number(count[i])) : ''));
	if (fact.calls.length > 4)
		parts.push(el('span', { class: 'dim' }, ' and ' + (fact.calls.length - 4) + ' more'));
	return el('span', { class: 'calls' }, parts);
}

/* ---- The view ----------------------------------------------------------- */

/* How often a line ran, in the chosen test if there is one; -1: no code. */
function lineCount(fact) {
	if (!fact || fact.sum < 0 || !col('sum_code')[fact.sum])
		return -1;
	return fact.inTest === undefined ? col('sum_count')[fact.sum] : fact.inTest;
}

function sourceColumns(file, event, facts, rows) {
	const of = (line) => facts.get(line), all = whole(event);
	const grey = (line) => judgesLines(event) && isUnreal(event, 'line', file, line);
	const cost = (key, label) => ({ key, label, number: true, width: wide(150, 76),
		value: (line) => of(line) ? of(line)[key] : 0,
		show: (line) => {
			const value = of(line) ? of(line)[key] : 0;

			if (!value)
				return of(line) && of(line).has && key === 'self' ? el('span', { class: 'dim' }, '0') : '';
			return bar([el('span', { class: 'v' }, event.before ? change(value, event, undefined, grey(line)) : costText(value, event)),
				state.unit === 'pct' || narrow() ? null : el('span', { class: 'pct' }, percent(value, all))],
			all ? value / all : 0, event.before ? wayOf(value, grey(line)) : '');
		} });
	const count = (line) => lineCount(of(line));
	const arrows = event.coverage ? new Arrows([]) : lineArrows(file, rows), at = new Map(rows.map((line, i) => [line, i]));
	const list = event.coverage && compared() ? comparedColumns(file, of) : event.coverage ? [{ key: 'count', label: 'Count', number: true, width: wide(110, 58), value: count,
		show: (line) => count(line) >= 0 ? countCell(count(line)) : '' },
	...chosenTest() ? [] : branchColumns(file, (line) => of(line) ? of(line).sum : -1),
	...allTests().length ? [{ key: 'tests', label: 'Tests', number: true, width: wide(110, 80),
		value: (line) => (covering(file).get(line) || []).length, show: (line) => testsOfLine(file, line) }] : []]
		: event.before ? [{ key: 'before', label: 'Before', number: true, width: '110px',
			value: (line) => of(line) ? of(line).before : 0,
			show: (line) => of(line) && of(line).has ? number(of(line).before) : '' },
		{ key: 'after', label: 'After', number: true, width: '110px',
			value: (line) => of(line) ? of(line).before + of(line).self : 0,
			show: (line) => of(line) && of(line).has ? number(of(line).before + of(line).self) : '' },
		cost('self', 'Change'), ...judgesLines(event) ? verdictColumn(event, 'real', 'line', (line) => [file, line])
			: []] : [cost('self', 'Self'), cost('incl', 'Inclusive')];

	return [...list, { key: 'line', label: 'Line', number: true, width: wide(64, 44), value: (line) => line,
		show: (line) => el('a', { class: 'dim', go: { line } }, String(line)) },
	...arrows.width ? [arrows.column((line) => at.get(line))] : [],
	{ key: 'text', label: 'Text', width: 'minmax(' + wide(300, 180) + ', max-content)', show: (line) => [highlight(file, line, event.coverage && of(line)
		? linePieces(file, of(line)) : []),
		of(line) && of(line).calls.length && !event.coverage ? showCalls(of(line)) : ''] }];
}

function lineClass(file, fact, event) {
	if (!fact || fact.sum < 0 || !event.coverage || !col('sum_code')[fact.sum])
		return '';
	if (lineCount(fact) === 0)
		return 'missed';
	if (chosenTest())
		return 'hit'; /* branches are known of all tests together */

	const arcs = branchesHit(fact.sum, false);

	return arcs.hit < arcs.all || linePieces(file, fact).some((piece) => piece.missed) ? 'partly' : 'hit';
}

function showFile(main, file, event, wanted) {
	const facts = lineFacts(file, event), lines = linesOfFile(file);
	const known = [...facts.keys()].sort((a, b) => a - b);
	const most = known.length ? known[known.length - 1] : 0;
	const rows = withInstrs(lines ? Array.from({ length: Math.max(lines.length, Math.min(most, lines.length + 1000)) },
		(_, i) => i + 1) : known, file, event);

	addTest(file, facts);

	const table = new Table({ label: 'Lines of ' + filePath(file), rows,
		columns: columnsWithInstrs(sourceColumns(file, event, facts, rows), file, event, facts), sortKey: '',
		onOpen: (line, open) => hasLineCode(file, line, facts.get(line)) && turnLine(file, line, open),
		mark: (line) => line.kind ? 'made' : lineClass(file, facts.get(line), event) +
			(event.coverage && compared() ? comparedClass(file, line) : '') + (line === wanted ? ' chosen' : '') });

	table.box.classList.add('source');

	const controls = el('div', { class: 'controls' }, el('a', { class: 'button', go: { file: paneBodies.length ? 'all' : '', line: '' } },
		'All files'), el('b', {}, filePath(file)),
	event.coverage ? [testMenu(file), fileRates(file), compared() ? null : signWords(file)] : [numberChoice(), lineCodeChoice()], seekLinks(file, facts, event, wanted),
	lines ? '' : el('span', { class: 'dim' }, 'The source was not found: ',
		el('code', {}, 'cgconv --sources DIR'), ' adds it.'));

	seekKeys(controls, table.box);
	put(main, controls, jumpsNote(!event.coverage && one('jumps') > 0), el('div', { class: 'striped' }, table.box,
		new Strip(table, stripColours(file, facts, event)).root));

	const at = rows.findIndex((line) => line >= (wanted > 0 ? wanted : known[0] || 1));

	if (at >= 0) {
		table.active = wanted > 0 ? at : -1;
		table.box.scrollTop = Math.max(0, at * ROW - table.box.clientHeight / 3);
	}
}

function fileRates(file) {
	if (compared())
		return comparedFiles().has(file) ? KINDS.map((kind) => [KIND_NAMES[kind].toLowerCase(),
			showRates(comparedFiles().get(file), kind), showMoves(comparedFiles().get(file), kind)])
			.filter(([, text]) => text)
			.map((parts) => el('span', { class: 'chip' }, parts[0], ' ', parts[1], ' ', parts[2])) : null;

	const found = fileSums().get(file);

	return found ? [rate('lines', found.lines), rate('functions', found.fns), rate('branches', found.branches),
		rate('conditions', found.conditions), rate('regions', found.regions)]
		.filter((text) => text) : null;
}

/* Files with lines of any cost, by cost. */
function listFiles(event) {
	const of = col('line_file'), self = costs('line_cost', event), sums = new Map();

	for (let i = 0; i < of.length; i++)
		sums.set(of[i], (sums.get(of[i]) || 0) + self[i]);
	return [...sums].map(([file, cost]) => ({ file, cost }));
}

function showSource(main) {
	const event = currentEvent(), file = chosen('file', texts('file_path').length + 1), place = followedPlace();

	if (file > 0 || place)
		return showFile(main, place ? place.file : file, event, place ? place.line : chosen('line', 2 ** 31));

	const match = state.q ? new Set(listFiles(event).filter((row) => !matcherSafe() ||
		matcherSafe()(filePath(row.file))).map((row) => row.file)) : null;
	const rows = listFiles(event).filter((row) => row.file && (!match || match.has(row.file)));
	const sums = fileSums(), linesOf = (row) => (sums.get(row.file) || NOTHING).lines;

	if (!rows.length)
		return put(main, el('div', { class: 'empty' }, el('p', {}, 'No costs of source lines are known',
			state.q ? ' of files that match' : narrowed ? ' that the filters leave' : '', '.')));

	const missing = rows.filter((row) => !linesOfFile(row.file)).length;
	const name = { key: 'name', label: 'File', width: 'minmax(' + wide(260, 140) + ', 1fr)',
		value: (row) => filePath(row.file), show: (row) => [el('a', { go: { file: row.file, line: '' },
			title: filePath(row.file), class: linesOfFile(row.file) ? null : 'under' }, narrow() ? baseName(filePath(row.file)) : filePath(row.file)),
		linesOfFile(row.file) || missing === rows.length ? '' : el('span', { class: 'dim' }, '  (source not found)')] };
	const numbers = event.coverage && compared()
		? rateColumns(comparedTotal(), (row) => comparedFiles().get(row.file) || newChange())
		: [event.coverage ? { key: 'cost', label: 'Lines', number: true, width: wide(170, 130),
			value: (row) => share(linesOf(row)), show: (row) => rateBar(linesOf(row)) }
			: { key: 'cost', label: event.before ? 'Change' : 'Self', number: true, width: '190px', value: (row) => row.cost,
				show: (row) => bar([el('span', { class: 'v' }, event.before ? change(row.cost, event)
					: costText(row.cost, event)), el('span', { class: 'pct' },
					percent(row.cost, whole(event)))], row.cost / (whole(event) || 1),
				event.before ? (row.cost > 0 ? 'up' : 'down') : '') }];

	return put(main, missing ? el('div', { class: 'legend' },
		(missing < rows.length ? number(missing) + ' of ' + plural(rows.length, 'source') + ' were' : 'Sources were') +
		' not found: ', el('code', {}, 'cgconv --sources DIR'), ' adds them.') : null, new Table({ label: 'Files', rows, sortKey: event.coverage ? 'name' : '-cost',
		open: (row) => go({ file: row.file, line: '' }),
		columns: numbers.length > 1 || narrow() ? [name, ...numbers] : [...numbers, name] }).box);
}

/* The search as a function; NULL if it is malformed, or there is none. */
function matcherSafe() {
	try {
		return matcher(state.q);
	} catch (e) {
		return null;
	}
}
