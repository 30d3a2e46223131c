/*
 * outcomes.js - the difference of two coverage runs: lists of branches, of outcomes
 * of conditions, and of regions that ran in one of them only.
 */

/* Regions of a file in a run by their place, with their counts. */
function regionCounts(file, run) {
	const [from, end] = fileRange('region_file', file, run), counts = new Map();
	const [line, column, lines, last, flags, count] = ['line', 'column', 'lines', 'end', 'flags', 'count']
		.map((name) => col('region_' + name, run));

	for (let i = from; i < end; i++)
		if (!(flags[i] & (FILLER | NO_CODE)))
			counts.set([line[i], column[i], lines[i], last[i]].join(), Math.max(0, count[i]));
	return counts;
}

/* Adds the regions of a file that ran in one run only; those that only one has do not count. */
function compareRegions(file, of) {
	const before = regionCounts(file, BEFORE);

	for (const [place, after] of regionCounts(file, 0)) {
		const was = before.get(place), way = was === undefined ? 0 : Number(after > 0) - Number(was > 0);

		if (!way)
			continue;
		const [line, column, lines, end] = place.split(',').map(Number);

		(way < 0 ? of.lost : of.gained).regions++;
		of.regions.push({ file, line, column, last: line + lines, end, before: was, after, way });
	}
}

function outcomeMoves(row, kind) {
	return { lost: { [kind]: row.lost }, gained: { [kind]: row.gained } };
}

/* kind: 'branches' or 'conditions' */
function comparedOutcomes(main, kind) {
	const rows = searched().flatMap(([, of]) => of[kind]), conditions = kind === 'conditions';
	const hint = conditions ? 'outcomes of conditions that were shown to decide alone' : 'branches taken';
	const hit = (sum, run) => share(branchesHit(sum, conditions, run));

	main.append(new Table({ label: KIND_NAMES[kind] + ' that lost or gained coverage', rows, sortKey: '',
		open: (row) => go({ view: 'source', file: row.file, line: row.line }), columns: [
			placeColumn('Line', (row) => row.file, (row) => row.line),
			{ key: 'moves', label: 'Lost, gained', number: true, width: wide(112, 84), value: (row) => row.lost,
				show: (row) => showMoves(outcomeMoves(row, kind), kind) },
			{ key: 'before', label: 'Before', number: true, width: wide(90, 56), hint,
				value: (row) => hit(row.before, BEFORE), show: (row) => showOutcomes(row.before, conditions, BEFORE) },
			{ key: 'after', label: 'After', number: true, width: wide(90, 56), hint,
				value: (row) => hit(row.after, 0), show: (row) => showOutcomes(row.after, conditions, 0) },
			{ key: 'text', label: 'Text', width: 'minmax(240px, 2fr)', show: (row) => highlight(row.file, row.line) }] }).box);
}

/* Taken and all branches, or shown and all outcomes of conditions, of a line. */
function showOutcomes(sum, conditions, run) {
	const found = branchesHit(sum, conditions, run);

	return el('span', { title: branchTitle(sum, conditions, run), class: found.hit < found.all ? 'low' : 'high' },
		found.hit + '/' + found.all);
}

/* 12:5-13:1, the last column exclusive; without one the region ends with the line. */
function regionText(row) {
	return row.line + ':' + row.column + '\u2013' + (row.last > row.line ? row.last + ':' : '') + (row.end || 'end');
}

function comparedRegions(main) {
	const rows = searched().flatMap(([, of]) => of.regions);

	main.append(new Table({ label: 'Regions that lost or gained coverage', rows, sortKey: '',
		open: (row) => go({ view: 'source', file: row.file, line: row.line }), columns: [
			{ key: 'way', label: 'Change', width: wide(96, 86), value: (row) => row.way, show: (row) => wayText(row.way) },
			placeColumn('Region', (row) => row.file, (row) => row.line, regionText),
			{ key: 'before', label: 'Before', number: true, width: wide(90, 56), hint: 'how often it ran',
				value: (row) => row.before, show: (row) => countCell(row.before) },
			{ key: 'after', label: 'After', number: true, width: wide(90, 56), hint: 'how often it ran',
				value: (row) => row.after, show: (row) => countCell(row.after) },
			{ key: 'text', label: 'Text', width: 'minmax(240px, 2fr)', show: (row) => regionSource(row) }] }).box);
}

/* The first line of a region, in which it is marked. */
function regionSource(row) {
	const raw = linesOfFile(row.file)?.[row.line - 1] || '', text = sourceLine(row.file, row.line);
	const begin = shownIndex(raw, row.column, -1);
	const end = row.last > row.line || !row.end ? text.length : shownIndex(raw, row.end, -1);

	return highlight(row.file, row.line, [{ begin: Math.min(begin, text.length), end: Math.min(end, text.length),
		title: row.way < 0 ? 'ran before' : 'ran after', missed: row.way < 0, now: row.way > 0 }]);
}
