/*
 * judged.js - which changes of a difference are real, and which are noise, as
 * the converter has judged them (cmd/compare/noise.c). Changes that are not
 * shown to be real are grey, and words say so.
 *
 * A change that was compared: { real, low, high }; low and high are shares of
 * the cost before, NaN if they are unknown.
 */

const JUDGED_KINDS = ['total', 'self', 'inclusive', 'line'];
const NOISE = 'not distinguishable from noise', SMALL_SHARE = 'not compared: below 0.5% of all costs, or a cycle';

let judgedChanges = null; /* 'kind:function or file:line' -> change */

function allJudged() {
	if (judgedChanges)
		return judgedChanges;
	const kind = wholeCol('judged_kind'), at = wholeCol('judged_at'), line = wholeCol('judged_line');
	const real = wholeCol('judged_real'), low = wholeCol('judged_low'), high = wholeCol('judged_high');
	const end = (share) => Math.abs(share) >= EXACT ? Math.sign(share) * Infinity : share / 1e8;

	judgedChanges = new Map();
	for (let i = 0; i < kind.length; i++)
		judgedChanges.set([JUDGED_KINDS[kind[i]], at[i], line[i]].join(':'), { real: real[i] === 1,
			low: low[i] > high[i] ? NaN : end(low[i]), high: low[i] > high[i] ? NaN : end(high[i]) });
	return judgedChanges;
}

/* One event of the whole profile was judged, no selection. */
function isJudged(event) {
	return event.before !== null && texts('judged_event').get(0) === event.name &&
		!narrowed && !selected && allJudged().size > 0;
}

/* The change of a function, a line of a file, or the total; NULL: it was not compared. */
function judgedChange(event, kind, at, line) {
	return isJudged(event) ? allJudged().get([kind, at || 0, line || 0].join(':')) || null : null;
}

/* True if a change is to be grey. */
function isUnreal(event, kind, at, line) {
	return isJudged(event) && !judgedChange(event, kind, at, line)?.real;
}

/* The same for a row of costs of functions or of lines. */
function isUnrealCost(event, name, row) {
	return name === 'fn_self' ? isUnreal(event, 'self', row)
		: name === 'fn_inclusive' ? isUnreal(event, 'inclusive', row)
			: name === 'line_cost' && judgesLines(event) &&
				isUnreal(event, 'line', wholeCol('line_file')[row], wholeCol('line_number')[row]);
}

/* Lines are compared if there are several runs. */
function judgesLines(event) {
	return isJudged(event) && wholeCol('judged_kind').includes(JUDGED_KINDS.indexOf('line'));
}

/* Functions of which a change is real. */
function hasRealChange(event, fn) {
	return ['inclusive', 'self'].some((kind) => judgedChange(event, kind, fn)?.real);
}

/* ---- Words --------------------------------------------------------------- */

function changeShare(share) {
	return !Number.isFinite(share) ? 'any' : signed((100 * share).toFixed(Math.abs(share) < 100 ? 2 : 0) + '%', share);
}

/* "-3.10% to +4.20%"; '': it is unknown. */
function intervalWords(change) {
	return Number.isNaN(change.low) ? '' : changeShare(change.low) + ' to ' + changeShare(change.high);
}

/* The same in three digits. */
function briefInterval(change) {
	const end = (share) => !Number.isFinite(share) ? 'any'
		: signed(Math.abs(share) < 10 ? percent(share, 1) : Math.round(100 * share) + '%', share);

	return Number.isNaN(change.low) ? '' : end(change.low) + ' to ' + end(change.high);
}

function verdictWord(change) {
	return !change ? '\u2013' : change.real ? 'real' : 'noise';
}

/* "not distinguishable from noise (-3.10% to +4.20%)"; '': nothing was judged. */
function judgedWords(event, kind, at, line) {
	const change = judgedChange(event, kind, at, line);

	if (!isJudged(event))
		return '';
	return changeWords(change);
}

function changeWords(change) {
	return !change ? SMALL_SHARE : (change.real ? 'real change' : NOISE) +
		(intervalWords(change) && ' (' + intervalWords(change) + ')');
}

/* Why nothing is grey: what is shown is another event, or not the whole. */
function unjudgedWords(event) {
	const name = texts('judged_event').get(0);

	return !differs || !name || isJudged(event) || allJudged().size === 0 ? ''
		: name !== event.name ? 'Which changes are real was judged for ' + visible(name) + ' only.'
			: 'Which changes are real was judged for the whole profile only, not for this selection.';
}

/* What the colours of a difference mean. */
function changeLegend(event, width) {
	if (!event.before)
		return null;
	return el('div', { class: 'legend' }, width, el('span', { class: 'more' }, 'Red costs more'), ', ',
		el('span', { class: 'less' }, 'blue less'), ' than before', isJudged(event)
			? [', ', el('span', { class: 'unreal' }, 'grey is ' + NOISE), ' or too small to compare'] : '',
		'. ', unjudgedWords(event));
}

/* ---- Tables -------------------------------------------------------------- */

/* A word, with all digits of the interval at the pointer. */
function verdictCell(change, ...more) {
	return el('span', { class: change?.real ? 'real' : 'unreal', title: changeWords(change) },
		el('b', {}, verdictWord(change)), more);
}

/* at(row): the arguments of judgedChange() after the kind. */
function verdictColumn(event, key, kind, at, label) {
	const of = (row) => judgedChange(event, kind, ...at(row));

	return isJudged(event) ? [{ key, label: label || 'Verdict', width: wide(190, 170),
		hint: 'Is the change real or noise? The interval of the change. What costs less than 0.5% is not compared.',
		value: (row) => !of(row) ? 2 : of(row).real ? 0 : 1,
		text: (row) => [verdictWord(of(row)), of(row) ? intervalWords(of(row)) : ''].join(' ').trim(),
		show: (row) => verdictCell(of(row), of(row) ? ' ' + briefInterval(of(row)) : '') }] : [];
}

function realControls(event) {
	return isJudged(event) ? choice('Changes', 'real', [['', 'All changes'],
		['1', 'Only real changes', 'those that noise does not explain']]) : null;
}

/* "a.data and 9 more", of runs of which the first is that input. */
function runsName(first, count) {
	const name = visible(texts('input').get(first));

	return count === 1 || !name ? name || plural(count, 'run') : name + ' and ' + number(count - 1) + ' more';
}

/* The runs before and after, if there are several; '': two profiles are compared. */
function comparedRuns() {
	const [before, after] = col('judged_runs');

	return before + after > 2 ? runsName(0, before) + ' \u2192 ' + runsName(before, after) : '';
}

/* ---- Overview ------------------------------------------------------------ */

function judgedCard(event) {
	const total = judgedChange(event, 'total'), method = visible(texts('judged_method').get(0));
	const count = (kind) => {
		const all = [...allJudged()].filter(([key]) => key.startsWith(kind + ':')).map(([, change]) => change);

		return all.length ? number(all.filter((change) => change.real).length) + ' of ' + number(all.length) +
			' compared' : '';
	};
	const functions = (text) => text === '' || text.startsWith('0 ') ? text
		: el('a', { go: { view: 'functions', real: '1', group: '', x: '' } }, text);

	if (!method || !differs)
		return null;
	const [before, after] = col('judged_runs');

	return card('What is real, what is noise', facts([['Method', method],
		['Costs', before + after > 2 ? 'means of ' + plural(before, 'run') + ' before and ' + plural(after, 'run') +
			' after, as whole numbers' : ''],
		['Total', isJudged(event) && total ? [verdictCell(total, ' ' + intervalWords(total))] : ''],
		['Real, inclusive', isJudged(event) ? [functions(count('inclusive'))] : ''],
		['Real, self', isJudged(event) ? [functions(count('self'))] : ''],
		['Real, lines', isJudged(event) ? count('line') : '']]),
	el('p', { class: 'dim' }, unjudgedWords(event)));
}

/* ---- Pictures ------------------------------------------------------------ */

/*
 * By box of a layout: 1 if it is grey. With reversed stacks, boxes are parts of
 * the self cost of the function at their root.
 */
function unrealBoxes(layout, event) {
	const grey = new Uint8Array(layout.n), by = new Uint8Array(fnCount + 1);
	let root = 0;

	if (!layout.before || !isJudged(event))
		return null;
	for (let fn = 0; fn <= fnCount; fn++)
		by[fn] = isUnreal(event, layout.reversed ? 'self' : 'inclusive', fn) ? 1 : 0;
	for (let i = 1; i < layout.n; i++) {
		root = layout.depth[i] === 1 ? by[layout.fn[i]] : root;
		grey[i] = layout.reversed ? root : by[layout.fn[i]];
	}
	return grey;
}
