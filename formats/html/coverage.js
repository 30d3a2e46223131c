/*
 * coverage.js - how many lines, functions, branches, conditions and regions ran, by
 * directory and file; functions that were never called; missed branches.
 */

/* From these percentages on, coverage is high, medium (genhtml's defaults). */
const HIGH = 90, MEDIUM = 75;
const KINDS = ['lines', 'fns', 'branches', 'conditions', 'regions'];
const KIND_NAMES = { lines: 'Lines', fns: 'Functions', branches: 'Branches', conditions: 'Conditions',
	regions: 'Regions' };

function nothing() {
	return { lines: { all: 0, hit: 0 }, fns: { all: 0, hit: 0 }, branches: { all: 0, hit: 0 },
		conditions: { all: 0, hit: 0 }, regions: { all: 0, hit: 0 } };
}

const NOTHING = nothing();

function addSums(to, from) {
	for (const kind of KINDS) {
		to[kind].all += from[kind].all;
		to[kind].hit += from[kind].hit;
	}
}

const sumsKnown = []; /* by run */

/* Sums by file, of the chosen test if there is one. */
function fileSums() {
	const test = chosenTest();

	return test ? testSums(test, allSums()) : allSums();
}

/* Of a difference: of the run after, or of the run before. */
function allSums(run = 0) {
	if (sumsKnown[run])
		return sumsKnown[run];
	const sums = new Map(), of = col('cover_file', run);

	for (let i = 0; i < of.length; i++) {
		const sum = nothing();

		for (const kind of KINDS) {
			sum[kind].all = col('cover_' + kind, run)[2 * i] || 0;
			sum[kind].hit = col('cover_' + kind, run)[2 * i + 1] || 0;
		}
		sums.set(of[i], sum);
	}
	return sumsKnown[run] = sums;
}

function share(found) {
	return found.all ? found.hit / found.all : 1;
}

function level(found) {
	const per = 100 * share(found);

	return per >= HIGH ? 'high' : per >= MEDIUM ? 'medium' : 'low';
}

function rateBar(found) {
	return found.all ? bar([el('span', { class: 'v dim', title: number(found.hit) + ' of ' + number(found.all) },
		number(found.hit) + '/' + number(found.all)), el('span', { class: 'pct ' + level(found) }, ratio(found))], share(found), level(found)) : '';
}

/* A count, which is short where there is no room. */
function countCell(count) {
	return narrow() && count >= SHORT ? el('span', { title: number(count) }, brief(count, '')) : number(count);
}

/* Rounded; what is not all of it stays below 100%, as in genhtml. */
function ratio(found) {
	const most = found.hit < found.all ? 99.9 : 100;

	return Math.min(most, 100 * share(found)).toFixed(1) + '%';
}

function rate(name, found) {
	return found.all ? el('span', { class: 'chip ' + level(found), title: number(found.hit) + ' of ' +
		number(found.all) }, name + ' ' + ratio(found)) : null;
}

/* ---- Directories -------------------------------------------------------- */

/* Files that match the search, with their sums. */
function searchedSums() {
	const match = state.q ? matcherSafe() : null;

	return [...fileSums()].filter(([file]) => !match || match(filePath(file) || '(unknown file)'));
}

/*
 * A tree of directories of pairs of a file and its sums, which add() adds to an
 * empty() one; a directory that has only a directory is merged with it.
 */
function coverageTree(files, empty, add) {
	const top = { name: '', path: '', sums: empty(), children: new Map(), file: 0 };

	for (const [file, sums] of files) {
		const path = filePath(file) || '(unknown file)';
		let at = top;

		add(top.sums, sums);
		for (const part of path.split(/(?<=.)\//)) {
			if (!at.children.has(part))
				at.children.set(part, { name: part, path: at === top ? part : at.path + '/' + part,
					sums: empty(), children: new Map(), file: 0 });
			at = at.children.get(part);
			add(at.sums, sums);
		}
		at.file = file;
	}
	return squash(top);
}

function squash(node) {
	let at = node;

	while (at.children.size === 1 && !at.file) {
		const [child] = at.children.values();

		if (child.file)
			break;
		at = { ...child, name: at.name ? at.name + '/' + child.name : child.name };
	}
	at.children = new Map([...at.children].map(([name, child]) => [name, squash(child)]));
	return at;
}

const closedPaths = new Set(); /* of directories */

function flatten(node, depth, column, sign, rows) {
	const list = [...node.children.values()];

	if (column)
		list.sort((a, b) => {
			const x = column.value({ node: a }), y = column.value({ node: b });

			return x < y ? -sign : x > y ? sign : 0;
		});
	for (const child of list) {
		rows.push({ node: child, depth });
		if (!closedPaths.has(child.path))
			flatten(child, depth + 1, column, sign, rows);
	}
	return rows;
}

function nodeName(row, redo) {
	const node = row.node, indent = el('span', { class: 'indent' });

	indent.style.width = row.depth * 16 + 'px';
	if (node.file)
		return [indent, el('a', { go: { view: 'source', file: node.file, line: '' } }, node.name)];
	return [indent, el('button', { class: 'fold', 'aria-expanded': String(!closedPaths.has(node.path)),
		on: { click: () => {
			if (!closedPaths.delete(node.path))
				closedPaths.add(node.path);
			redo();
		} } }, (closedPaths.has(node.path) ? '\u25b8 ' : '\u25be ') + node.name + '/')];
}

function nameColumn(redo) {
	return { key: 'name', label: 'Directory or file', width: 'minmax(' + wide(220, 120) + ', 1fr)',
		text: (row) => row.node.path, value: (row) => (row.node.file ? '1' : '0') + row.node.name,
	show: (row) => nodeName(row, redo) };
}

function coverageColumns(top, redo) {
	return [nameColumn(redo), ...KINDS.filter((kind) => top.sums[kind].all).map((kind) => ({ key: kind,
		label: KIND_NAMES[kind], number: true, width: wide(190, 84),
		value: (row) => share(row.node.sums[kind]),
		text: (row) => row.node.sums[kind].hit + ' of ' + row.node.sums[kind].all,
		show: (row) => rateBar(row.node.sums[kind]) }))];
}

function directories(main) {
	const top = coverageTree(searchedSums(), nothing, addSums);
	const redo = () => table.sort(table.sortKey);
	const table = new Table({ label: 'Coverage by directory', rows: [], choose: true,
		columns: coverageColumns(top, () => redo()), sortKey: state.sort || 'name',
		onSort: (sort) => keep({ sort }),
		arrange: (column, sign) => flatten(top, 0, column, sign, []) });

	main.querySelector('.controls').append(tableTools(table));
	main.append(table.box);
}

/* ---- What was missed ---------------------------------------------------- */

function neverCalled(main) {
	const entries = col('fn_entries'), rows = [];

	search();
	for (let fn = 1; fn < fnCount; fn++)
		if (entries[fn] === 1 && (!matches || matches[fn]))
			rows.push(fn);
	main.append(new Table({ label: 'Functions never called', rows, sortKey: 'file',
		open: (fn) => go({ view: 'source', file: col('fn_file')[fn], line: col('fn_line')[fn] || '' }), columns: [
			{ key: 'name', label: 'Function never called', width: 'minmax(260px, 2fr)', value: fnName, show: fnLink },
			{ key: 'file', label: 'Defined in', width: 'minmax(200px, 1fr)', value: fnPlace,
				show: (fn) => el('a', { go: { view: 'source', file: col('fn_file')[fn],
					line: col('fn_line')[fn] || '' } }, fnPlace(fn)) }] }).box);
}

/* A column of file:line, which links there; text(row) if it is not the line. */
function placeColumn(label, file, line, text = line) {
	return { key: 'line', label, width: 'minmax(' + wide(200, 120) + ', 1fr)',
		value: (row) => filePath(file(row)) + ':' + String(line(row)).padStart(9),
		show: (row) => el('a', { go: { view: 'source', file: file(row), line: line(row) },
			title: filePath(file(row)) }, (narrow() ? baseName(filePath(file(row))) : filePath(file(row))) +
			':' + text(row)) };
}

function missedBranches(main) {
	const of = col('sum_file'), line = col('sum_line'), rows = [];
	const match = state.q ? matcherSafe() : null;

	for (let i = 0; i < of.length; i++) {
		const arcs = branchesHit(i, false);

		if (arcs.hit < arcs.all && (!match || match(filePath(of[i]))))
			rows.push(i);
	}
	main.append(new Table({ label: 'Missed branches', rows, sortKey: '',
		open: (i) => go({ view: 'source', file: of[i], line: line[i] }), columns: [
			placeColumn('Line', (i) => of[i], (i) => line[i]),
			{ key: 'count', label: 'Ran', number: true, width: wide(110, 60), value: (i) => col('sum_count')[i],
				show: (i) => countCell(col('sum_count')[i]) },
			{ key: 'taken', label: 'Taken', number: true, width: wide(152, 64), hint: '+ taken, \u2212 never taken, # never reached',
				value: (i) => share(branchesHit(i, false)), show: (i) => showOutcomeSigns(i, false) },
			{ key: 'text', label: 'Text', width: 'minmax(240px, 2fr)', show: (i) => highlight(of[i], line[i]) }] }).box);
}

/* ---- The views ---------------------------------------------------------- */

function nodeLink(node) {
	return el('a', { go: node.file ? { view: 'source', file: node.file } : { view: 'coverage', q: '' },
		title: visible(node.path) }, node.name + (node.file ? '' : '/'));
}

function coverageCard() {
	if (compared())
		return comparedCard();

	const tree = coverageTree(searchedSums(), nothing, addSums), all = tree.sums;
	const rows = [...tree.children.values()].sort((a, b) => a.name < b.name ? -1 : 1).slice(0, 20);

	return card('Coverage', el('div', { class: 'figures' }, KINDS.filter((kind) => all[kind].all).map((kind) =>
		el('div', { class: 'figure' }, el('span', {}, KIND_NAMES[kind]), el('b', { class: level(all[kind]) },
			ratio(all[kind]), ' ', el('small', {}, number(all[kind].hit) + ' of ' + number(all[kind].all)))))),
	ratesTable('Directory or file', rows.map((node) => [nodeLink(node), node.sums]),
		KINDS.filter((kind) => all[kind].all)));
}

/* rows: a link and its sums. */
function ratesTable(label, rows, kinds) {
	return el('table', { class: 'top covers' + (kinds.length > 3 ? ' many' : '') }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, label),
		kinds.map((kind) => el('th', { scope: 'col', class: 'n' }, KIND_NAMES[kind])))),
	el('tbody', {}, rows.map(([name, sums]) => el('tr', {}, el('td', { class: 'name' }, name),
		kinds.map((kind) => el('td', { class: 'share' }, rateBar(sums[kind])))))));
}

const MOST_MISSED = 15; /* files */

/* The files with the most lines that never ran. */
function missedCard() {
	const missed = (sums) => sums.lines.all - sums.lines.hit, files = searchedSums().filter(([, sums]) => missed(sums) > 0)
		.sort((a, b) => missed(b[1]) - missed(a[1]) || a[0] - b[0]);
	const all = sumOf(fileSums());

	return files.length ? card('Most lines missed', ratesTable(plural(files.length, 'file') + ' with missed lines',
		files.slice(0, MOST_MISSED).map(([file, sums]) => [el('a', { go: { view: 'source', file, line: '' },
			title: filePath(file) }, baseName(filePath(file)) || '(unknown file)'), sums]),
		KINDS.filter((kind) => all[kind].all))) : null;
}

function sumOf(files) {
	const all = nothing();

	for (const sums of files.values())
		addSums(all, sums);
	return all;
}

function showCoverage(main) {
	if (compared())
		return showCompared(main);

	const all = sumOf(fileSums());
	const views = [['', 'Directories']];

	if (!chosenTest())
		views.push(['fns', 'Functions never called'], ['branches', 'Missed branches']);
	if (allTests().length)
		views.push(['tests', 'Tests']);

	const tab = views.some(([key]) => key === state.tab) ? state.tab : '';

	put(main, el('div', { class: 'controls' }, choice('Show', 'tab', views), testMenu(0),
	rate('lines', all.lines), rate('functions', all.fns), rate('branches', all.branches),
	rate('conditions', all.conditions), rate('regions', all.regions), el('span', { class: 'dim' }, 'high from ' + HIGH + '%, medium from ' +
		MEDIUM + '%')));
	if (tab === 'tests')
		return testTable(main, sumOf(allSums()));
	(tab === 'fns' ? neverCalled : tab === 'branches' ? missedBranches : directories)(main);
}
