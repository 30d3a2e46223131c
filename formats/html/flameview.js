/*
 * flameview.js - the view of flame graphs: its layouts, controls and details.
 */

let flame = null;
const layouts = new Map();

onSelection(() => layouts.clear());

const FOCUSED = ['callees', 'callers']; /* modes of the selected function */
const MODES = ['inverted', ...FOCUSED];

function currentMode() {
	const known = MODES.includes(state.mode) && (!FOCUSED.includes(state.mode) || chosen('fn', fnCount) > 0);

	return known ? state.mode : '';
}

/* Layouts are kept: another zoom or search needs none anew. */
function getLayout(event) {
	const mode = currentMode(), fn = FOCUSED.includes(mode) ? state.fn : '';
	const key = [events.indexOf(event), mode, state.rec, fn].join();
	const merge = state.rec === '1';
	const make = { inverted: () => invertedLayout(event, merge),
		callees: () => calleesLayout(event, Number(fn)),
		callers: () => callersLayout(event, Number(fn), merge),
		'': () => merge ? mergedLayout(event) : flameLayout(event) };

	if (!layouts.has(key)) {
		layouts.clear();
		layouts.set(key, make[mode]());
	}
	return layouts.get(key);
}

function tracks() {
	return col('track_moments').length;
}

function currentTrack() {
	const track = chosen('track', tracks());

	return track < 0 ? one('track_main') : track;
}

function trackName(i) {
	const name = visible(texts('track_name').get(i) || texts('track_process').get(i));
	const tid = col('track_tid')[i] || col('track_pid')[i];

	return (name || 'thread') + (tid ? ' ' + tid : '');
}

/* How much of the whole matches, each box counted once. */
function foundShare(layout) {
	let sum = 0;

	for (let i = 1; i < layout.n;) {
		if (matches[layout.fn[i]]) {
			sum += layout.size[i];
			i = layout.end[i];
		} else {
			i++;
		}
	}
	return percent(sum, layout.total);
}

/* What is known of the change of a box's function; its frames are not judged one by one. */
function judgedBox(layout, i) {
	const kind = layout.reversed ? 'self' : 'inclusive';
	const words = i && layout.before ? judgedWords(currentEvent(), kind, layout.fn[i]) : '';

	return words ? el('span', { class: 'dim' }, '; the function, ' + kind + ': ' + words) : '';
}

function describeBox(layout, i) {
	const event = currentEvent(), fn = layout.fn[i];
	const cost = layout.chart ? brief(layout.size[i], layout.chart.unit) +
			' from ' + brief(layout.start[i], layout.chart.unit)
		: layout.before ? [showCost(layout.before[i], event), ' \u2192 ',
			showCost(layout.after[i], event), ', ', change(layout.cost[i], event)]
			: showCost(layout.cost[i], event);

	return [el('b', {}, i ? fnLink(fn) : 'all'), ' ', cost, ', ',
		percent(layout.size[i], layout.total), judgedBox(layout, i), i ? el('span', { class: 'dim' }, ' ' + fnPlace(fn)) : ''];
}

/* Links that set a key of the state; more: what else a choice changes. */
function choice(label, key, options, fallback, more) {
	return el('span', { class: 'choice', role: 'group', 'aria-label': label },
		options.map(([value, text, hint]) => el('a', { go: { [key]: value, x: '', ...more }, title: hint,
			'aria-current': (state[key] || fallback || '') === value ? 'true' : null }, text)));
}

function flameControls() {
	const modes = [['', 'Flame graph', 'callers first: each frame stands on its caller'],
		['inverted', 'Inverted', 'functions with self cost first, then their callers']];

	if (chosen('fn', fnCount) > 0)
		modes.push(['callees', 'Callees', 'what ' + fnName(chosen('fn', fnCount)) + ' calls'],
			['callers', 'Callers', 'what calls ' + fnName(chosen('fn', fnCount))]);
	return el('div', { class: 'controls' }, choice('Order', 'mode', modes),
		choice('Direction', 'up', [['', 'Roots on top'], ['1', 'Roots below']]),
		choice('Recursion', 'rec', [['', 'All frames', 'a function that calls itself is several frames'],
			['1', 'Recursion merged', 'calls of a function by itself are one frame']]),
		el('a', { class: 'button', go: { x: '' }, title: 'Escape' }, 'Reset zoom'));
}

/* Costs that have no stack are not in the picture. */
function unstacked(layout, event) {
	const rest = event.before ? 0 : total(event) - (layout.cost[0] || 0);

	return Math.abs(rest) > 1e-9 * whole(event)
		? ' ' + percent(rest, whole(event)) + ' of the costs have no stack.' : '';
}

function drawFlame(box, detail, layout, event) {
	const hint = [matches ? 'Found ' + foundShare(layout) + ' of the whole. ' : '',
		'Click or Enter: zoom. Wheel or drag: move; Ctrl and wheel, +, \u2212: zoom. ' +
		'Arrows: other frames. Escape: all.',
		one('guessed') ? ' Stacks are estimated from calls.' : '', unstacked(layout, event)].join('');

	return new Flame(box, detail, layout, { label: 'Flame graph of ' + visible(event.name), up: state.up === '1',
		dark: isDark(), root: 'all: ' + costText(layout.cost[0], event), hint, describe: describeBox,
		grey: unrealBoxes(layout, event),
		links: (fn) => el('span', { class: 'dim' }, ' ', refineLinks(fn)) });
}

function showFlame(main) {
	const event = currentEvent();

	search();

	const box = el('div', { class: 'flame' });
	const detail = el('div', { class: 'detail', id: 'flame-detail', 'aria-live': 'polite' });
	const layout = getLayout(event);

	put(main, el('div', { class: 'flames' }, flameControls(),
		changeLegend(event, 'Width: before and after together. '), box, detail));
	flame?.stop();
	flame = drawFlame(box, detail, layout, event);

	const fn = chosen('fn', fnCount);
	const at = fn > 0 ? layout.fn.indexOf(fn) : -1;

	flame.selected = at;
	flame.describe(at);
	return main;
}
