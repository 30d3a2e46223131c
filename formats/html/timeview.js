/*
 * timeview.js - threads in the order of time: what each did when, and the frames
 * of one of them. A drag over the rows selects a time, check boxes select
 * threads; all views count what is selected.
 */

const BINS = 600; /* of a row */
const LANE_HEIGHT = 30, AXIS_HEIGHT = 20, MOST_LANES = 300;
const TICK = 90; /* pixels between ticks, at least */

/* ---- Times as text ------------------------------------------------------- */

function isSeconds(track) {
	return texts('track_unit').get(track) === 'ns';
}

/* A time on the axis of a track as in the state: in seconds, if it is a time. */
function stateTime(at, track) {
	return isSeconds(track) ? String(Number((at / SECOND).toFixed(9))) : String(Math.round(at));
}

/** @param {number[]} range */
function timeWords([from, to]) {
	const seconds = isSeconds(one('track_main'));
	const text = (value) => seconds ? brief(value * SECOND, 'ns') : number(value);

	return text(from) + ' \u2013 ' + text(to);
}

/* Steps of 1, 2 or 5 times a power of ten. */
function tickStep(span, width) {
	const least = span / Math.max(1, width / TICK), power = 10 ** Math.floor(Math.log10(least || 1));

	return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least);
}

/* "50.0 ms" -> "50 ms": ticks are round numbers. */
function withoutZeros(text) {
	return text.replace(/\.(\d*?)0+(?!\d)/, (_, digits) => digits ? '.' + digits : '');
}

/* Draws an axis from a time on, which has span on width pixels. */
function drawAxis(canvas, from, span, unit) {
	const width = canvas.clientWidth, ratio = devicePixelRatio || 1, c = canvas.getContext('2d');

	canvas.width = width * ratio;
	canvas.height = AXIS_HEIGHT * ratio;
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.font = LETTERS;
	c.textBaseline = 'middle';
	c.fillStyle = c.strokeStyle = isDark() ? '#aeb4bd' : '#595e66';

	const step = tickStep(span, width);

	for (let at = Math.ceil(from / step) * step; at <= from + span && step > 0; at += step) {
		const x = Math.round((at - from) * width / span) + 0.5;

		c.fillRect(x, AXIS_HEIGHT - 5, 1, 5);
		if (x < width - 60)
			c.fillText(Math.abs(at) < step / 2 ? '0' : withoutZeros(brief(at, unit)), x + 4, AXIS_HEIGHT / 2);
	}
}

/* ---- What threads did ---------------------------------------------------- */

const activities = new Map(); /* "track:event" -> costs by bin */
let activitiesOf = null; /* the columns that filters left */

/* The time that all rows show: to the end of the last sample. */
let lengthKnown = 0;

function timeLength() {
	if (lengthKnown)
		return lengthKnown;
	let most = axisEnd(one('track_main'));

	for (let i = 0; i < tracks(); i++) {
		const [from, end] = trackRange(i), time = col('moment_time');

		if (sameUnit(i) && end > from && !col('track_spans')[i])
			most = Math.max(most, time[end - 1] + usualInterval(time, from, Math.min(end, from + 10000)));
	}
	return lengthKnown = most || 1;
}

function sameUnit(track) {
	return texts('track_unit').get(track) === texts('track_unit').get(one('track_main'));
}

/*
 * Of samples their costs, over the time that they took, or their number if the event has none; of calls the time in them. Filters
 * leave no frame to what they drop.
 */
function activity(track, event, length) {
	const key = track + ':' + events.indexOf(event), weights = event.before ? [] : event.weights;

	if (activitiesOf !== narrowed)
		activities.clear();
	activitiesOf = narrowed;
	if (activities.has(key))
		return activities.get(key);
	const bins = new Float64Array(BINS), time = col('moment_time'), node = col('moment_node');
	const [from, end] = trackRange(track), wide = length / BINS;
	const add = (at, until) => {
		for (let bin = Math.floor(at / wide); bin < BINS && bin * wide < until; bin++)
			bins[bin] += Math.min(until, (bin + 1) * wide) - Math.max(at, bin * wide);
	};
	const value = weights.map(([index, factor]) => [col('moment_cost', index), factor]);
	const took = event === events[mainEvent()] ? sampleTimes(track) : EMPTY;

	for (let i = from; i < end; i++)
		if (col('track_spans')[track])
			node[i] && add(time[i], i + 1 < end ? time[i + 1] : col('track_end')[track]);
		else if (took[i] > wide && time[i] + took[i] <= length)
			node[i] && add(time[i], time[i] + took[i]);
		else if (!narrowed || node[i])
			bins[Math.min(BINS - 1, Math.floor(time[i] / wide))] += value.length
				? value.reduce((sum, [cost, factor]) => sum + factor * (cost.length ? cost[i] : 1), 0) : 1;
	activities.set(key, bins);
	return bins;
}

function drawLane(canvas, bins, most) {
	const width = canvas.width = BINS, height = canvas.height = LANE_HEIGHT * 2, c = canvas.getContext('2d');

	c.clearRect(0, 0, width, height);
	c.fillStyle = isDark() ? '#6f9ae0' : '#6a96d8';
	for (let i = 0; i < BINS; i++)
		if (bins[i] > 0 && most > 0) {
			const high = Math.max(2, Math.min(1, bins[i] / most) * (height - 4));

			c.fillRect(i, height - high, 1, high);
		}
}

/* ---- The rows ------------------------------------------------------------ */

function threadCosts(event) {
	return Array.from({ length: tracks() }, (_, track) => activity(track, event, timeView.length)
		.reduce((a, b) => a + b, 0));
}

function isThreadSelected(track) {
	return !selected?.tracks || selected.tracks[track] === 1;
}

function toggleThread(track) {
	const set = new Uint8Array(tracks());

	set.forEach((_, i) => set[i] = isThreadSelected(i) !== (i === track) ? 1 : 0);
	go({ threads: setText(set) });
}

class TimeView {
	constructor(event) {
		this.event = event;
		this.length = timeLength();
		this.lanes = [];
		this.chart = null; /* the frames of one thread */
	}

	/* The rows of threads, busy ones first. */
	build() {
		const cost = threadCosts(this.event), all = cost.reduce((a, b) => a + b, 0);
		const order = [...cost.keys()].filter(sameUnit).sort((a, b) => cost[b] - cost[a] || a - b);
		const sum = new Float64Array(BINS);

		for (const track of order)
			activity(track, this.event, this.length).forEach((value, i) => sum[i] += value);
		this.axis = el('canvas', { class: 'axis', 'aria-hidden': 'true' });
		this.whole = el('canvas', { class: 'lane whole', role: 'img', 'aria-label': 'Activity of all threads' });
		this.lanes.push([this.whole, sum, Math.max(...sum)]);
		this.veils = [el('i', {}), el('i', {})];
		this.sight = el('b', {});
		this.box = el('div', { class: 'times', on: { pointerdown: (e) => this.down(e), pointermove: (e) => this.move(e),
			pointerup: (e) => this.up(e), pointercancel: () => this.cancel() } },
		el('div', { class: 'row' }, el('span', { class: 'dim' }, 'All threads'), el('div', {}, this.axis, this.whole)),
		order.length > 1 ? order.slice(0, MOST_LANES).map((track) => this.row(track, cost[track], all)) : null,
		el('div', { class: 'brush', 'aria-hidden': 'true' }, this.veils, this.sight));
		return this.box;
	}

	row(track, cost, all) {
		const bins = activity(track, this.event, this.length), lane = el('canvas', { class: 'lane', role: 'img',
			'aria-label': 'Activity of ' + trackName(track) });

		this.lanes.push([lane, bins, Math.max(...bins)]);
		return el('div', { class: 'row' + (isThreadSelected(track) ? '' : ' off') }, el('span', {},
			el('input', { type: 'checkbox', checked: isThreadSelected(track), 'aria-label': 'Count ' + trackName(track),
				on: { click: () => toggleThread(track) } }),
			el('a', { go: { track }, title: trackName(track) + ': show its frames',
				'aria-current': track === currentTrack() ? 'true' : null }, trackName(track)),
			el('span', { class: 'pct' }, percent(cost, all))), lane);
	}

	draw() {
		drawAxis(this.axis, 0, this.length, texts('track_unit').get(one('track_main')));
		for (const lane of this.lanes)
			drawLane(...lane);
		this.showSelection();
	}

	/* What is not selected is under a veil; a frame is around what the chart shows. */
	showSelection(now) {
		const scale = isSeconds(one('track_main')) ? SECOND : 1, time = now || selected?.time?.map((at) => at * scale);
		const share = (at) => Math.max(0, Math.min(100, 100 * at / this.length));
		const [from, to] = time ? time.map(share) : [0, 100];

		this.veils[0].style.width = from + '%';
		this.veils[1].style.left = to + '%';
		this.veils[1].style.width = 100 - to + '%';
	}

	/* The same in the chart, which was just painted. */
	veilChart(track, from, span) {
		const { context, width, height } = this.chart, at = (time) => (time - from) * width / span;

		if (!selected?.time)
			return;
		const [begin, end] = edgesOf(track).map((time) => Math.max(0, Math.min(width, at(time))));

		context.fillStyle = isDark() ? 'rgb(0 0 0 / 55%)' : 'rgb(90 94 102 / 28%)';
		context.fillRect(0, LEVEL, begin, height);
		context.fillRect(end, LEVEL, width - end, height);
	}

	showSight(from, span) {
		this.sight.style.left = 100 * from / this.length + '%';
		this.sight.style.width = 100 * span / this.length + '%';
		this.sight.hidden = span > 0.999 * this.length;
	}

	stop() {
		this.chart?.stop();
	}

	/* ---- A drag selects --------------------------------------------------- */

	timeAt(e) {
		const { left, width } = this.whole.getBoundingClientRect();

		return Math.max(0, Math.min(1, (e.clientX - left) / width)) * this.length;
	}

	down(e) {
		if (!e.target.closest('canvas') || e.button > 0)
			return;
		this.box.setPointerCapture(e.pointerId);
		this.from = this.timeAt(e);
		e.preventDefault();
	}

	range(e) {
		const at = this.timeAt(e);

		return [Math.min(this.from, at), Math.max(this.from, at)];
	}

	move(e) {
		if (typeof this.from !== 'number')
			return;
		this.showSelection(this.range(e));
		showTip(e.clientX, e.clientY, timeWords(this.range(e).map((at) =>
			Number(stateTime(at, one('track_main'))))));
	}

	cancel() {
		this.from = null;
		hideTip();
		this.showSelection();
	}

	/* A click without a drag selects all. */
	up(e) {
		if (typeof this.from !== 'number')
			return;
		const [from, to] = this.range(e);

		this.from = null;
		hideTip();
		selectTime(to - from < this.length / 1000 ? null : [from, to]);
	}
}

/* ---- The view ------------------------------------------------------------ */

let timeView = null;

/* Selects from, to on the axis, and shows it; NULL: all. */
function selectTime(range) {
	const length = timeView.length, main = one('track_main');

	go({ x: '', time: range ? range.map((at) => stateTime(at, main)).join('_') : '', [timeView.chart.zoomKey]: range
		? (range[0] / length).toPrecision(9) + '_' + ((range[1] - range[0]) / length).toPrecision(9) : '' });
}

function edgeInput(label, index) {
	const main = one('track_main'), time = selected?.time || [0, Number(stateTime(timeView.length, main))];

	return el('label', { class: 'dim' }, label + ' ', el('input', { type: 'number', class: 'edge', step: 'any', min: 0,
		value: time[index], on: { change: (e) => {
			const edges = time.slice();

			edges[index] = Number(e.target.value);
			if (edges[0] >= 0 && edges[1] > edges[0])
				selectTime(edges.map((at) => at * (isSeconds(main) ? SECOND : 1)));
		} } }), index && isSeconds(main) ? ' s' : '');
}

function timeControls() {
	return el('div', { class: 'controls' }, edgeInput('From', 0), edgeInput('to', 1),
		el('button', { class: 'button', title: 'What the chart shows now', on: { click: () =>
			selectTime([timeView.chart.from, timeView.chart.from + timeView.chart.span]) } }, 'Select what is in sight'),
		selected?.time ? el('a', { class: 'button', go: { time: '', x: '' } }, 'Whole time') : null,
		selected?.tracks ? el('a', { class: 'button', go: { threads: '' } }, 'All threads') : null,
		el('a', { class: 'button', go: { x: '' }, title: 'Escape' }, 'Reset zoom'),
		selected?.time ? el('span', { class: 'dim' }, 'Command line: ',
			el('code', {}, '--between ' + selected.time.join(','))) : null);
}

/* Costs without a time are not in a selection. */
function untimed(event) {
	if (!event.weights.every(([index]) => col('moment_cost', index).length))
		return '';
	const all = partCosts(event).reduce((a, b) => a + b, 0), timed = event.weights.reduce((sum, [index, factor]) =>
		sum + factor * col('moment_cost', index).reduce((a, b) => a + b, 0), 0);

	return Math.abs(all - timed) > 1e-9 * Math.abs(all) ? ' ' + percent(all - timed, all) +
		' of the costs have no time: a selection does not count them.' : '';
}

let chart = null; /* { track, of, layout }, whatever is selected */

function chartOf(track) {
	if (chart?.track !== track || chart.of !== narrowed)
		chart = { track, of: narrowed, layout: chartLayout(track, timeView.length) };
	return chart.layout;
}

function showTime(main) {
	const event = currentEvent(), track = currentTrack(), axis = el('canvas', { class: 'axis', 'aria-hidden': 'true' });
	const box = el('div', { class: 'flame' }), detail = el('div', { class: 'detail', id: 'time-detail', 'aria-live': 'polite' });

	search();
	timeView?.stop();
	timeView = new TimeView(event);

	const layout = chartOf(track), unit = texts('track_unit').get(track);

	put(main, el('div', { class: 'flames' }, timeControls(), timeView.build(),
		el('h2', { class: 'charted' }, 'Frames of ' + trackName(track)), el('div', { class: 'ticks' }, axis), box, detail));
	timeView.draw();
	timeView.chart = new Flame(box, detail, layout, { label: 'Frames of ' + trackName(track) + ' in the order of time',
		up: state.up === '1', dark: isDark(), root: 'all', describe: describeBox,
		hint: 'Drag over the rows: select a time for all views. In the chart: wheel or drag moves; Ctrl and wheel, ' +
			'+, \u2212 zoom; click or Enter shows a frame alone.' + untimed(event), painted: (from, span) => {
			drawAxis(axis, from, span, unit);
			timeView.showSight(from, span);
			timeView.veilChart(track, from, span);
		} });

	const fn = chosen('fn', fnCount), at = fn > 0 ? layout.fn.indexOf(fn) : -1;

	timeView.chart.selected = at;
	timeView.chart.describe(at);
}

/* ---- In the bar below the heading ----------------------------------------- */

function timeChips() {
	const n = setSize(selected?.tracks);

	return [selected?.time ? el('a', { class: 'chip', go: { time: '', x: '' }, title: 'Count all of the time' },
		timeWords(selected.time) + ' \u00d7') : null,
	n ? el('a', { class: 'chip', go: { threads: '' }, title: 'Count all threads' }, n + ' of ' +
		plural(trackCount(), 'thread') + ' \u00d7') : null];
}
