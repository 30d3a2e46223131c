/*
 * overview.js - the profile as a whole: where it is from, events, parts, the
 * functions with the highest costs, a picture of all, coverage, and what was lost
 * on the way.
 */

const TOP = 10;
const LONG = 200; /* letters of a description */

function card(title, ...children) {
	return el('section', { class: 'card' }, el('h2', {}, title), children);
}

function facts(rows) {
	return el('dl', {}, rows.filter((row) => row && row[1] && row[1].length).map(([name, value]) =>
		[el('dt', {}, name), el('dd', {}, value)]));
}

/**
 * What a converter needs and a reader does not: names of fields, ids.
 * @param {any[]} row
 */
function isInternal([key]) {
	return /^[a-z]|[._]|^Compiler$/.test(key);
}

/* A time in nanoseconds as the page writes others; null: it is none. */
function nanoseconds(value) {
	return /^\d{1,15}$/.test(value) ? brief(Number(value), 'ns') : null;
}

/* What readers ask of descriptions that converters and recorders state in their words. */
const TOLD = {
	time_nanos: (value) => /^\d{10,19}$/.test(value) ? ['Recorded', new Date(Number(BigInt(value) / 1000000n))
		.toISOString().replace('T', ' ').replace(/\..*/, ' UTC')] : null,
	duration_nanos: (value) => nanoseconds(value) && ['Duration', nanoseconds(value) + shareOfDuration(Number(value))],
	period: (value) => {
		const [all, every, what] = /^(\d+) (\S+) nanoseconds$/.exec(value) || [null];

		return all ? ['Sampled', 'every ' + nanoseconds(every) + (what === 'cpu' ? ' of CPU time' : ' of ' + what)] : null;
	},
	hostname: (value) => ['Host', value],
	'os release': (value) => ['System', value],
	cpudesc: (value) => ['Processor', value],
	cmdline: (value) => ['Recorded by', value],
};

/* Of the whole of one process, as pprof writes it. */
function shareOfDuration(duration) {
	const event = events.find((at) => eventWords(at) === 'CPU time');

	return event && !event.before && partCount() === 1 && !selected && filterKey() === ''
		? '; CPU time ' + brief(total(event), 'ns') + ', ' + percent(total(event), duration) : '';
}

/* Descriptions of all parts, each once. */
function descriptions() {
	const keys = texts('desc_key'), values = texts('desc_value'), seen = new Map();

	for (let i = 0; i < keys.length; i++) {
		const key = visible(keys.get(i)), value = visible(values.get(i));

		if (value === '')
			continue;
		for (const [name, text] of [[key, value], Object.hasOwn(TOLD, key) && TOLD[key](value)].filter((row) => row)) {
			if (!seen.has(name))
				seen.set(name, new Set());
			seen.get(name).add(text);
		}
	}
	return [...seen].map(([key, set]) => [key, set.size > 3 ? set.size + ' different values'
		: [...set].map((value) => el('div', { title: value.length > LONG ? value : null },
			value.length > LONG ? value.slice(0, LONG) + '\u2026' : value))]);
}

function sourceCard() {
	const inputs = texts('input').all().map(visible), more = one('inputs') - inputs.length;
	const commands = [...new Set(texts('part_command').all().map(visible).filter((c) => c))];
	const described = descriptions();

	return card('Profile', facts([
		[inputs.length > 1 ? 'Inputs' : 'Input', inputs.map((name) => el('div', {}, name))
			.concat(more > 0 ? ['and ' + number(more) + ' more'] : [])],
		['Command', commands.slice(0, 5).map((name) => el('div', {}, name))],
		['Size', [plural(fnCount - 1, 'function'), plural(one('files'), 'file'),
			plural(one('objects'), 'object'), plural(one('cycles'), 'cycle')].join(', ') +
			(one('frames') ? ', ' + number(one('frames') - 1) + ' frames of stacks' : '') +
			(trackCount() > 1 ? ', ' + plural(trackCount(), 'thread') : '')],
		['Calls', one('sampled') ? 'counted in samples' : ''],
		['Stacks', one('guessed') ? 'estimated from calls' : one('calls') && !one('frames')
			? 'none; --guess-stacks estimates them from calls' : ''],
		...described.filter((row) => !isInternal(row) && !(one('sampled') && row[0] === 'Call counts')),
		['Dropped', one('least') ? number(one('dropped_fns')) + ' functions and ' +
			number(one('dropped_frames')) + ' frames below ' + one('least') / 1e4 +
			'% of every event (--html-min)' : ''],
	]), el('details', {}, el('summary', { class: 'dim' }, 'Details'), facts([
		['Contains', texts('fact').all().join(', ')],
		['Not shown', texts('lost').all().join(', ')],
		...described.filter(isInternal),
	])));
}

function eventRow(event) {
	const sum = total(event);
	const cells = event.before
		? [showCost(total(event, 'before'), event), showCost(total(event, 'after'), event),
			change(sum, event, undefined, isUnreal(event, 'total')),
			change(sum, event, total(event, 'before'), isUnreal(event, 'total'))]
		: [showCost(sum, event)];

	return el('tr', { 'aria-selected': event === currentEvent() ? 'true' : null },
		el('th', { scope: 'row' }, el('a', { go: { event: event.name, x: '' } },
			visible(event.name))),
		cells.map((cell) => el('td', { class: 'n' }, cell)),
		el('td', { class: 'dim' }, event.title === event.name ? '' : visible(event.title), event.text ? ' = ' + visible(event.text) : '',
			event.own ? [' ', removeFormula(event.own)] : ''));
}

function eventsCard() {
	const heads = differs ? ['Event', 'Before', 'After', 'Change', '%'] : ['Event', 'Total'];

	return card('Events', el('table', {}, el('thead', {}, el('tr', {}, heads.map((text, i) =>
		el('th', { scope: 'col', class: i ? 'n' : null }, text)), el('td', {}))),
	el('tbody', {}, events.map(eventRow))), formulaField());
}

/* Clocks count time; those of perf have modifiers: cpu-clock:ppp. gprof's time has its source behind it. */
function eventWords(event) {
	const title = visible(event.title), name = visible(event.name);

	return /^(cpu$|(cpu|task)-clock(:|$))/.test(name) && event.unit === 'ns' ? 'CPU time'
		: title.replace(/^Time \(.*\)$/, 'time') || name;
}

/* The largest values first; real changes before others. */
function topFns(event, name) {
	const grey = (fn) => isUnrealCost(event, name, fn);
	const cost = costs(name, event), before = event.before ? costs(name, event, 'before') : null;
	/** @type {number[]} */
	const order = [];
	const compare = (a, b) => Number(grey(a)) - Number(grey(b)) || Math.abs(cost[b]) - Math.abs(cost[a]);
	const add = (fn) => {
		if (!cost[fn] || (order.length === TOP && compare(fn, order[TOP - 1]) >= 0))
			return;
		const at = order.findIndex((other) => compare(fn, other) < 0);

		order.splice(at < 0 ? order.length : at, 0, fn);
		order.length = Math.min(order.length, TOP);
	};

	for (let i = 1; i < fnCount; i++)
		add(i);
	/* Self costs of cycles are those of their members. */
	for (let i = fnCount + 1; name === 'fn_inclusive' && i < cost.length; i++)
		add(i);
	return el('table', { class: 'top' }, el('tbody', {}, order.map((fn) => el('tr', {},
		el('td', { class: 'n' }, before ? change(cost[fn], event, undefined, grey(fn))
			: showCost(cost[fn], event)),
		el('td', { class: 'share' }, bar(before ? change(cost[fn], event, before[fn], grey(fn))
			: percent(cost[fn], whole(event)), cost[fn] / (whole(event) || 1),
		before ? wayOf(cost[fn], grey(fn)) : '')),
		isJudged(event) ? el('td', { class: 'verdict' }, verdictCell(judgedChange(event, name.slice(3), fn))) : null,
		el('td', { class: 'name' }, fnLink(fn))))));
}

/* ---- A picture --------------------------------------------------------- */

const MOST_PREVIEWED = 100000; /* frames, or calls */

/* The view that has a picture of the whole, if its data is there. */
function previewed(event) {
	const offers = (key) => offered(VIEWS.find((view) => view.key === key));

	if (event.coverage || paneBodies.length)
		return '';
	if (offers('flame') && !isMissing('stacks'))
		return one('frames') <= MOST_PREVIEWED ? 'flame' : '';
	return offers('map') && !isMissing('calls') && one('calls') <= MOST_PREVIEWED ? 'map' : '';
}

/* Is drawn when the rest is on the screen. */
function previewCard(key, event) {
	const at = el('div', { class: key }), detail = el('div', { class: 'detail', id: 'preview-detail' });

	setTimeout(() => {
		if (!at.isConnected)
			return;
		if (key === 'map') {
			mapView = drawMap(at, detail, event, -1, { view: 'map', map: '' });
		} else {
			flame = drawFlame(at, detail, flameLayout(event), event);
			flame.describe(-1);
		}
	});
	return el('section', { class: 'card preview' }, el('h2', {}, el('a', { go: { view: key, mode: '', map: '', fn: '', x: '' } },
		key === 'flame' ? 'Flame graph' : 'Map of callees')), at, detail);
}

function showOverview(main) {
	const event = currentEvent(), picture = previewed(event);
	const what = isJudged(event) ? 'Real changes first,' : event.before ? 'Largest changes by' : 'Top functions by';

	put(main, el('div', { class: event.coverage ? 'cards broad' : 'cards' },
		event.coverage ? [el('div', { class: 'stack' }, coverageCard(), sourceCard()), compared() ? null : missedCard()] : [
			card(what + ' inclusive ' + eventWords(event), topFns(event, 'fn_inclusive')),
			card(what + ' self ' + eventWords(event), topFns(event, 'fn_self')),
			el('div', { class: 'stack' }, judgedCard(event), sourceCard(), eventsCard()),
			picture ? previewCard(picture, event) : null,
			col('cover_file').length ? coverageCard() : null]));
	new ResizeObserver(() => fitNames(main)).observe(main.firstChild);
}
