/*
 * compare.js - the difference of two coverage runs: what ran before and after, by
 * directory and file, and the lines, functions, branches, conditions and regions
 * that lost or gained coverage. Columns with index BEFORE are those of the run before.
 *
 * As in the terminal's --diff, a line that is code in one run only is neither lost
 * nor gained; the same holds for branches of lines that have others now.
 */

const BEFORE = 1;

function compared() {
	return one('compared') === 1;
}

/* ---- What changed ------------------------------------------------------- */

function noChange() {
	return Object.fromEntries(KINDS.map((kind) => [kind, 0]));
}

/*
 * Branches of a line that were taken in one of the runs only, or outcomes of its
 * conditions that were shown in one only, as { lost, gained }.
 */
function outcomeChange(before, after, kind) {
	const begin = branchIndex(BEFORE), first = branchIndex(), found = { lost: 0, gained: 0 };
	const was = col('branch_count', BEFORE), is = col('branch_count'), n = col('sum_' + kind)[after];
	const flags = [col('branch_flags', BEFORE), col('branch_flags')], terms = kind === 'conditions';
	const from = begin[before] + (terms ? col('sum_branches', BEFORE)[before] : 0);
	const to = first[after] + (terms ? col('sum_branches')[after] : 0);

	if (n !== col('sum_' + kind, BEFORE)[before])
		return found;
	for (let i = 0; i < n; i++) {
		if ((flags[0][from + i] | flags[1][to + i]) & UNREACHABLE)
			continue;
		found.lost += was[from + i] > 0 && is[to + i] <= 0 ? 1 : 0;
		found.gained += was[from + i] <= 0 && is[to + i] > 0 ? 1 : 0;
	}
	return found;
}

/* Adds a line to the ranges of its file, or to the last range if it follows that. */
function addRange(ranges, line, follows) {
	if (follows) {
		ranges[ranges.length - 1].last = line;
		ranges[ranges.length - 1].lines++;
	} else {
		ranges.push({ first: line, last: line, lines: 1 });
	}
}

/*
 * Compares the lines of a file. Ranges of lost lines go on over lines without code,
 * and end at code that is not lost.
 */
function compareLines(file, of) {
	const [from, end] = fileRange('sum_file', file, BEFORE), [first, last] = fileRange('sum_file', file);
	const line = col('sum_line'), code = col('sum_code'), count = col('sum_count');
	const was = { line: col('sum_line', BEFORE), code: col('sum_code', BEFORE), count: col('sum_count', BEFORE) };
	let at = from, way = 0;

	for (let i = first; i < last; i++) {
		for (; at < end && was.line[at] < line[i]; at++)
			way = was.code[at] ? 0 : way;
		const both = at < end && was.line[at] === line[i];

		for (const kind of ['branches', 'conditions']) {
			const moved = both ? outcomeChange(at, i, kind) : { lost: 0, gained: 0 };

			of.lost[kind] += moved.lost;
			of.gained[kind] += moved.gained;
			if (moved.lost || moved.gained)
				of[kind].push({ file, line: line[i], before: at, after: i, ...moved });
		}
		if (code[i]) {
			const now = !both || !was.code[at] ? 0 : Math.sign(Number(count[i] > 0) - Number(was.count[at] > 0));

			if (now) {
				addRange(now < 0 ? of.ranges.lost : of.ranges.gained, line[i], now === way);
				(now < 0 ? of.lost : of.gained).lines++;
				of.ways.set(line[i], now);
			}
			way = now;
		}
		at += both ? 1 : 0;
	}
}

function compareFns(files) {
	const was = col('fn_entries', BEFORE), is = col('fn_entries'), file = col('fn_file');

	for (let fn = 1; fn < fnCount; fn++) {
		const way = fnWay(was[fn], is[fn]), of = way && files.get(file[fn]);

		if (of)
			(way < 0 ? of.lost : of.gained).fns++;
	}
}

/* -1: lost, 1: gained; of entries, which are one more than counted, 0 if unknown. */
function fnWay(was, is) {
	return was && is ? Math.sign(Number(is > 1) - Number(was > 1)) : 0;
}

let comparedKnown = null;

/*
 * By file: { before, after: sums, lost, gained: numbers, ranges: { lost, gained },
 * branches, conditions: lines whose branches or conditions changed, regions: those
 * that changed, ways: Map of changed lines to -1, 1 }
 */
function comparedFiles() {
	if (comparedKnown)
		return comparedKnown;
	const before = allSums(BEFORE), after = allSums(), files = new Map();

	for (const file of new Set([...after.keys(), ...before.keys()])) {
		const of = { before: before.get(file) || NOTHING, after: after.get(file) || NOTHING, lost: noChange(),
			gained: noChange(), ranges: { lost: [], gained: [] }, branches: [], conditions: [], regions: [],
			ways: new Map() };

		compareLines(file, of);
		compareRegions(file, of);
		files.set(file, of);
	}
	compareFns(files);
	return comparedKnown = files;
}

function newChange() {
	return { before: nothing(), after: nothing(), lost: noChange(), gained: noChange() };
}

function addChange(to, from) {
	addSums(to.before, from.before);
	addSums(to.after, from.after);
	for (const kind of KINDS) {
		to.lost[kind] += from.lost[kind];
		to.gained[kind] += from.gained[kind];
	}
}

/* ---- Cells -------------------------------------------------------------- */

/* The change of a rate in points; 0 if there is nothing to compare. */
function points(change, kind) {
	const a = change.before[kind], b = change.after[kind];

	return a.all && b.all ? 100 * (share(b) - share(a)) : 0;
}

/* What is not equal is not shown as 0. */
function pointText(value) {
	const size = Math.abs(value);

	return size === 0 ? '0.0' : (value > 0 ? '+' : '\u2212') + (size < 0.05 ? '<0.1' : size.toFixed(1));
}

function showPoints(change, kind) {
	const value = points(change, kind), both = change.before[kind].all && change.after[kind].all;

	return both ? el('span', { class: value < 0 ? 'low' : value > 0 ? 'high' : 'dim',
		title: 'change in percentage points' }, pointText(value)) : '';
}

function countText(found) {
	return number(found.hit) + ' of ' + number(found.all);
}

/* 70.4% -> 37.0% */
function showRates(change, kind) {
	const a = change.before[kind], b = change.after[kind], rateOf = (found) => found.all
		? el('span', { class: level(found) }, ratio(found)) : el('span', { class: 'dim' }, 'none');

	return a.all || b.all ? el('span', { title: countText(a) + ' before, ' + countText(b) + ' after' },
		rateOf(a), ' \u2192 ', rateOf(b)) : '';
}

/* Lost and gained ones: -17 +3 */
function showMoves(change, kind) {
	const lost = change.lost[kind], gained = change.gained[kind];

	return [lost ? el('span', { class: 'low', title: number(lost) + ' lost coverage' },
		'\u2212' + number(lost)) : '', lost && gained ? ' ' : '',
	gained ? el('span', { class: 'high', title: number(gained) + ' gained coverage' }, '+' + number(gained)) : ''];
}

function rateColumns(total, of) {
	return KINDS.filter((kind) => total.before[kind].all || total.after[kind].all).flatMap((kind) => [
		{ key: kind, label: KIND_NAMES[kind], number: true, width: wide(150, 126), hint: 'before and after',
			value: (row) => share(of(row).after[kind]), show: (row) => showRates(of(row), kind) },
		{ key: kind + 'p', label: 'Points', number: true, width: wide(84, 60), hint: 'change in percentage points',
			value: (row) => -points(of(row), kind), show: (row) => showPoints(of(row), kind) },
		{ key: kind + 'm', label: 'Lost, gained', number: true, width: wide(112, 84),
			hint: KIND_NAMES[kind] + ' that lost and that gained coverage',
			value: (row) => of(row).lost[kind] + of(row).gained[kind],
			show: (row) => showMoves(of(row), kind) }]);
}

function wayText(way) {
	return way ? el('span', { class: way < 0 ? 'low' : 'high' }, way < 0 ? '\u2212 lost' : '+ gained') : '';
}

/* ---- Tables ------------------------------------------------------------- */

/* Paths match the search as in other views of coverage. */
function searched() {
	const match = state.q ? matcherSafe() : null;

	return [...comparedFiles()].filter(([file]) => !match || match(filePath(file)));
}

function comparedTotal() {
	const total = newChange();

	for (const [, of] of searched())
		addChange(total, of);
	return total;
}

function comparedDirectories(main) {
	const top = coverageTree(searched(), newChange, addChange);
	const table = new Table({ label: 'Coverage before and after by directory', rows: [],
		columns: [nameColumn(() => table.sort(table.sortKey)), ...rateColumns(top.sums, (row) => row.node.sums)],
		sortKey: state.sort || 'name', onSort: (sort) => keep({ sort }),
		arrange: (column, sign) => flatten(top, 0, column, sign, []) });

	table.box.classList.add('dense');
	main.append(table.box);
}

function rangeText(range) {
	return range.first + (range.last > range.first ? '-' + range.last : '');
}

function comparedRanges(main, which) {
	const rows = searched().flatMap(([file, of]) => of.ranges[which].map((range) => ({ file, ...range })));
	const what = which === 'lost' ? 'Lines that lost coverage' : 'Lines that gained coverage';
	const count = (row, run) => countsOf(row.file, row.first, run);

	rows.sort((a, b) => filePath(a.file) < filePath(b.file) ? -1 : filePath(a.file) > filePath(b.file) ? 1
		: a.first - b.first);
	main.append(new Table({ label: what, rows, sortKey: '',
		open: (row) => go({ view: 'source', file: row.file, line: row.first }), columns: [
			placeColumn('Lines', (row) => row.file, (row) => row.first, rangeText),
			{ key: 'lines', label: 'Number', number: true, width: wide(90, 60), value: (row) => row.lines,
				show: (row) => number(row.lines) },
			which === 'lost' ? { key: 'before', label: 'Ran before', number: true, width: wide(110, 76),
				hint: 'how often the first of the lines ran', value: (row) => count(row, BEFORE),
				show: (row) => countCell(count(row, BEFORE)) }
				: { key: 'after', label: 'Ran after', number: true, width: '110px',
					hint: 'how often the first of the lines ran', value: (row) => count(row),
					show: (row) => countCell(count(row)) },
			{ key: 'text', label: 'Text', width: 'minmax(240px, 2fr)',
				show: (row) => highlight(row.file, row.first) }] }).box);
}

/* How often a line ran; -1: it is no code in that run. */
function countsOf(file, line, run) {
	const [from, end] = fileRange('sum_file', file, run), lines = col('sum_line', run);

	for (let i = from; i < end; i++)
		if (lines[i] === line && col('sum_code', run)[i])
			return Math.max(0, col('sum_count', run)[i]);
	return -1;
}

function comparedFns(main) {
	const was = col('fn_entries', BEFORE), is = col('fn_entries'), rows = [];
	const way = (fn) => fnWay(was[fn], is[fn]);
	const goSource = (fn) => ({ view: 'source', file: col('fn_file')[fn], line: col('fn_line')[fn] || '' });
	const count = (key, label, from) => ({ key, label, number: true, width: wide(110, 60), value: (fn) => from[fn],
		show: (fn) => countCell(from[fn] - 1) });

	search();
	for (let fn = 1; fn < fnCount; fn++)
		if (way(fn) && (!matches || matches[fn]))
			rows.push(fn);
	main.append(new Table({ label: 'Functions that lost or gained coverage', rows, sortKey: 'way',
		open: (fn) => go(goSource(fn)), columns: [
			{ key: 'way', label: 'Change', width: wide(96, 86), value: way, show: (fn) => wayText(way(fn)) },
			count('before', 'Before', was), count('after', 'After', is),
			{ key: 'name', label: 'Function', width: 'minmax(' + wide(220, 160) + ', 2fr)', value: fnName, show: fnLink },
			{ key: 'file', label: 'Defined in', width: 'minmax(200px, 1fr)', value: fnPlace,
				show: (fn) => el('a', { go: goSource(fn), title: fnPlace(fn) }, fnPlace(fn)) }] }).box);
}

/* ---- Views -------------------------------------------------------------- */

/* As the terminal says it; each number leads to its list. */
function lostText() {
	const files = searched(), total = comparedTotal();
	const lost = files.filter(([, of]) => of.lost.lines).length;

	return el('span', { role: 'status' }, el('a', { go: { view: 'coverage', tab: 'lost', sort: '' } },
		'Lines that lost coverage: ' + number(total.lost.lines) + ' in ' + plural(lost, 'file')), '; ',
	el('a', { go: { view: 'coverage', tab: 'gained', sort: '' } }, number(total.gained.lines) + ' gained it'));
}

function showCompared(main) {
	const total = comparedTotal(), tabs = [['', 'Directories'], ['lost', 'Lost lines'], ['gained', 'Gained lines'],
		['fns', 'Functions'], ['branches', 'Branches'], ['conditions', 'Conditions'], ['regions', 'Regions']]
		.filter(([key]) => !total.before[key] || total.before[key].all || total.after[key].all);
	const tab = tabs.some(([key]) => key === state.tab) ? state.tab : '';
	const show = { lost: comparedRanges, gained: comparedRanges, fns: comparedFns, branches: comparedOutcomes,
		conditions: comparedOutcomes, regions: comparedRegions };

	put(main, el('div', { class: 'controls' }, choice('Show', 'tab', tabs), lostText()));
	(show[tab] || comparedDirectories)(main, tab);
}

function comparedFigure(total, kind) {
	const both = total.before[kind].all && total.after[kind].all;

	return el('div', { class: 'figure' }, el('span', {}, KIND_NAMES[kind]), el('b', {}, showRates(total, kind)),
		el('span', {}, countText(total.before[kind]) + ' \u2192 ' + countText(total.after[kind])),
		both ? el('span', {}, showPoints(total, kind), ' points (',
			showMoves(total, kind).some((part) => part !== '') ? showMoves(total, kind) : 'none moved', ')') : null);
}

function comparedCard() {
	const top = coverageTree(searched(), newChange, addChange), total = comparedTotal();
	const kinds = KINDS.filter((kind) => total.before[kind].all || total.after[kind].all);
	const rows = [...top.children.values()].sort((a, b) => a.name < b.name ? -1 : 1).slice(0, 20);

	return card('Coverage, before \u2192 after', el('div', { class: 'figures' }, kinds.map((kind) =>
		comparedFigure(total, kind))), el('p', {}, lostText()),
	el('table', { class: 'top rates' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Directory or file'),
		kinds.map((kind) => el('th', { scope: 'col', class: 'n' }, KIND_NAMES[kind])))),
	el('tbody', {}, rows.map((node) => el('tr', {}, el('td', { class: 'name' }, nodeLink(node)),
		kinds.map((kind) => el('td', { class: 'n', 'data-kind': KIND_NAMES[kind] }, showRates(node.sums, kind))))))));
}

/* Columns of lines of a file: both counts, and which way each line went. */
function comparedColumns(file, of) {
	const changed = comparedFiles().get(file), was = new Map(), [from, end] = fileRange('sum_file', file, BEFORE);

	for (let i = from; i < end; i++)
		was.set(col('sum_line', BEFORE)[i], i);
	const before = (line) => was.has(line) && col('sum_code', BEFORE)[was.get(line)]
		? Math.max(0, col('sum_count', BEFORE)[was.get(line)]) : -1;
	const count = (key, label, value) => ({ key, label, number: true, width: wide(96, 54), value,
		show: (line) => value(line) >= 0 ? countCell(value(line)) : '' });
	const arcs = (line) => [was.has(line) ? showBranchCounts(was.get(line), BEFORE) : '',
		of(line) && of(line).sum >= 0 ? showBranchCounts(of(line).sum) : ''];
	const way = (line) => changed ? changed.ways.get(line) || 0 : 0;
	const moved = new Map(changed ? changed.branches.map((row) => [row.line, row]) : []);
	const wayCell = (line) => way(line) || !moved.has(line) ? wayText(way(line))
		: [showMoves(outcomeMoves(moved.get(line), 'branches'), 'branches'), el('span', { class: 'dim' }, ' branch')];

	return [count('before', 'Before', before), count('count', 'After', (line) => lineCount(of(line))),
		{ key: 'way', label: 'Change', width: wide(96, 66), value: way, show: wayCell },
		...narrow() ? [] : [{ key: 'branches', label: 'Branches', number: true, width: '110px', hint: 'taken before and after',
			show: (line) => {
				const [a, b] = arcs(line);

				return a === '' && b === '' ? '' : [a || 'none', ' \u2192 ', b || 'none'];
			} }]];
}

function comparedClass(file, line) {
	const changed = comparedFiles().get(file), way = changed ? changed.ways.get(line) : 0;

	return way ? way < 0 ? ' lost' : ' gained' : '';
}
