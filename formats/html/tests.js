/*
 * tests.js - coverage by test: which tests cover a line, and what one of them
 * covers. With a test chosen, numbers and colours are those of the test.
 */

const TESTS_LISTED = 500; /* in a menu; the table lists all */
const TESTS_NAMED = 20; /* of a line */

let testsKnown = null;

/* By part: { part, sums, files: Map of file to { sums, begin, end } } */
function allTests() {
	if (testsKnown)
		return testsKnown;
	const parts = col('test_part'), files = col('test_file'), lines = col('test_lines');
	const known = col('test_line').length;
	let begin = 0;

	testsKnown = parts.length ? Array.from({ length: col('part_pid').length }, (_, part) =>
		({ part, sums: nothing(), files: new Map() })) : [];
	for (let i = 0; i < parts.length; i++) {
		const test = testsKnown[parts[i]], sums = nothing(), end = begin + lines[i];

		for (const kind of KINDS)
			test.sums[kind].hit += sums[kind].hit = col('test_' + kind)[i] || 0;
		test.files.set(files[i], { sums, begin, end: end <= known ? end : begin });
		begin = end;
	}
	return testsKnown;
}

let testNames = null;

function testName(part) {
	const keys = texts('desc_key'), parts = col('desc_part');

	if (!testNames) {
		testNames = new Map();
		for (let i = 0; i < keys.length; i++)
			if (keys.get(i) === 'lcov test')
				testNames.set(parts[i], visible(texts('desc_value').get(i)));
	}
	return testNames.get(part) || partName(part);
}

/* The test that is chosen; only some views have tests. */
function chosenTest() {
	return state.view === 'coverage' || state.view === 'source' ? allTests()[chosen('test', 2 ** 31)] : undefined;
}

/* Sums by file of all, with what the test covers of them. */
function testSums(test, all) {
	return new Map([...all].map(([file, sums]) => {
		const found = test.files.get(file), of = nothing();

		for (const kind of KINDS)
			of[kind] = { all: sums[kind].all, hit: found ? found.sums[kind].hit : 0 };
		return [file, of];
	}));
}

/* Counts of a file's lines in a test, as a Map. */
function testCounts(test, file) {
	const found = test.files.get(file), counts = new Map();

	for (let i = found ? found.begin : 0; found && i < found.end; i++)
		counts.set(col('test_line')[i], col('test_count')[i]);
	return counts;
}

let coveringOf = -1, coveringKnown = null;

/* Tests that cover lines of a file: Map of line to an array of parts. */
function covering(file) {
	if (coveringOf === file)
		return coveringKnown;
	coveringOf = file;
	coveringKnown = new Map();
	for (const test of allTests()) {
		const found = test.files.get(file);

		for (let i = found ? found.begin : 0; found && i < found.end; i++) {
			const line = col('test_line')[i];

			if (!coveringKnown.has(line))
				coveringKnown.set(line, []);
			coveringKnown.get(line).push(test.part);
		}
	}
	return coveringKnown;
}

function testsOfLine(file, line) {
	const parts = covering(file).get(line) || [], more = parts.length - TESTS_NAMED;

	return parts.length ? el('span', { title: parts.slice(0, TESTS_NAMED).map(testName).join('\n') +
		(more > 0 ? '\nand ' + number(more) + ' more' : '') },
	parts.length === 1 ? testName(parts[0]) : plural(parts.length, 'test')) : '';
}

/* A menu of the tests that cover a file (0: any), with how much they cover. */
function testMenu(file) {
	const sums = (test) => file ? test.files.get(file)?.sums : test.sums;
	const tests = allTests().filter((test) => sums(test)), chosenOne = chosenTest();
	const listed = tests.slice(0, TESTS_LISTED), more = tests.length - listed.length;

	if (!allTests().length)
		return null;
	if (chosenOne && !listed.includes(chosenOne))
		listed.push(chosenOne);
	return [el('select', { 'aria-label': 'Test', on: { change: (e) => go({ test: e.target.value }) } },
		el('option', { value: '', selected: !chosenOne }, 'All tests'),
		listed.map((test) => el('option', { value: test.part, selected: test === chosenOne },
			testName(test.part) + ' \u2013 ' + plural((sums(test) || NOTHING).lines.hit, 'line'))),
		more > 0 ? el('option', { disabled: true }, 'and ' + number(more) + ' more') : null),
	one('test_dropped') && file ? el('span', { class: 'dim' }, 'The report has no lines of the last tests: they ' +
		'cover ' + number(one('test_dropped')) + ' lines.') : null];
}

/* Lines that no other test covers, by part. */
function onlyHere() {
	const lines = col('test_line'), only = new Map(), by = new Map();

	for (const test of allTests())
		for (const [file, found] of test.files) {
			if (!by.has(file))
				by.set(file, new Map());
			const last = by.get(file);

			for (let i = found.begin; i < found.end; i++)
				last.set(lines[i], last.has(lines[i]) ? -1 : test.part);
		}
	for (const last of by.values())
		for (const part of last.values())
			only.set(part, (only.get(part) || 0) + 1);
	return only;
}

/* The table of tests: what each covers, in all files. */
function testTable(main, all) {
	const match = state.q ? matcherSafe() : null, only = one('test_dropped') ? null : onlyHere();
	const rows = allTests().filter((test) => !match || match(testName(test.part)));
	const found = (test, kind) => ({ all: all[kind].all, hit: test.sums[kind].hit });

	main.append(new Table({ label: 'Coverage by test', rows, sortKey: state.sort || '-lines',
		onSort: (sort) => keep({ sort }), open: (test) => go({ test: test.part, tab: '', sort: '' }), columns: [
			{ key: 'name', label: 'Test', width: 'minmax(220px, 1fr)', value: (test) => testName(test.part),
				show: (test) => el('a', { go: { test: test.part, tab: '', sort: '' } }, testName(test.part)) },
			{ key: 'files', label: 'Files', number: true, width: '90px', value: (test) => test.files.size,
				show: (test) => number(test.files.size) },
			...KINDS.filter((kind) => all[kind].all).map((kind) => ({ key: kind, label: KIND_NAMES[kind],
				number: true, width: '190px', value: (test) => found(test, kind).hit,
				show: (test) => rateBar(found(test, kind)) })),
			...only ? [{ key: 'only', label: 'Only here', number: true, width: '110px',
				hint: 'lines that no other test covers', value: (test) => only.get(test.part) || 0,
				show: (test) => number(only.get(test.part) || 0) }] : []] }).box);
}
