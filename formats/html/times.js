/*
 * times.js - costs of a selection in time, or of some threads: the moments in
 * it are summed by frame, and all columns are counted from the frames, by the
 * rules of lib/algo/cut.c and fold.c.
 */

/* The tracks that are selected. */
function selectedTracks() {
	const part = wholeCol('track_part'), list = [];

	for (let i = 0; i < tracks(); i++)
		if ((!selected.tracks || selected.tracks[i]) && (!selected.parts || selected.parts[part[i]]))
			list.push(i);
	return list;
}

let axisEnds = null; /* by axis */

/* The end of a track's axis. */
function axisEnd(track) {
	const axis = col('track_axis');

	if (!axisEnds) {
		axisEnds = new Map();
		col('track_end').forEach((at, i) => axisEnds.set(axis[i], Math.max(axisEnds.get(axis[i]) || 0, at)));
	}
	return axisEnds.get(axis[track]) || 0;
}

const SECOND = 1e9;

/* The edges of the selection on the axis of a track. */
function edgesOf(track) {
	const scale = texts('track_unit').get(track) === 'ns' ? SECOND : 1, time = selected.time;
	const from = time ? Math.round(time[0] * scale) : col('track_begin')[track];
	const to = time ? Math.round(time[1] * scale) : Infinity;

	return [from, to >= axisEnd(track) ? Infinity : to];
}

/* ---- Moments ------------------------------------------------------------- */

let trackBegins = null;

/* Where the moments of each track begin. */
function momentBegins() {
	if (!trackBegins) {
		const moments = col('track_moments');

		trackBegins = new Float64Array(moments.length + 1);
		for (let i = 0; i < moments.length; i++)
			trackBegins[i + 1] = trackBegins[i] + moments[i];
	}
	return trackBegins;
}

/*
 * Calls f(moment, began, length) for the samples in the selection: began is false if a sample began
 * before it, length is its time in it, if samples last as long as they cost.
 */
function eachSample(track, f) {
	const [from, to] = edgesOf(track), time = col('moment_time'), event = col('track_event')[track];
	const cost = event ? col('moment_cost', event - 1) : EMPTY, [begin, end] = trackRange(track);

	for (let i = begin; i < end; i++) {
		const length = cost.length ? cost[i] : 0, began = time[i] >= from;

		if (time[i] < to && (began || time[i] + length > from))
			f(i, began, length > 0 ? Math.min(time[i] + length, to) - Math.max(time[i], from) : -1);
	}
}

/* Calls f(moment, length) for the time between the moments of calls, while one is open. */
function eachSpan(track, f) {
	const [from, to] = edgesOf(track), time = col('moment_time'), node = col('moment_node');
	const [begin, end] = trackRange(track);

	for (let i = begin; i < end; i++) {
		const length = node[i] === 0 ? 0 : Math.min(to, i + 1 < end ? time[i + 1] : col('track_end')[track]) - Math.max(from, time[i]);

		if (length > 0)
			f(i, length);
	}
}

/*
 * Calls f(spot) for each call that begins in the selection, or that is open at its begin.
 */
function eachBegin(track, f) {
	const [from, to] = edgesOf(track), time = col('moment_time'), spot = spotOfMoment(), { up } = spots();
	const [begin, end] = trackRange(track);
	let last = 0, inside = false;

	for (let i = begin; i <= end; i++) {
		const at = i < end ? time[i] : col('track_end')[track], now = i < end ? spot[i] : 0;

		if (!inside && at >= from) {
			for (let open = last; open; open = up[open])
				f(open);
			inside = true;
		}
		if (at > to)
			return;
		if (inside && now && up[now] === last)
			f(now);
		last = now;
	}
}

/* ---- Spots: frames by position ------------------------------------------- */

let spotsKnown = null;

/*
 * Frames with their positions: { n, begin (by frame), frame, up (their caller's, 0: none), place
 * (-1: none), file, line }.
 */
function spots() {
	if (spotsKnown)
		return spotsKnown;
	const count = col('spot_count'), parent = wholeParents(), frames = parent.length;
	const begin = new Uint32Array(frames + 1);

	for (let i = 0; i < frames; i++)
		begin[i + 1] = begin[i] + (count.length ? count[i] : 1);

	const n = begin[frames], frame = new Uint32Array(n), up = new Uint32Array(n), above = col('spot_up');

	for (let i = 0; i < frames; i++)
		for (let at = begin[i]; at < begin[i + 1]; at++) {
			frame[at] = i;
			up[at] = i ? begin[parent[i]] + (above[at] || 0) : 0;
		}

	const place = placesOfSpots(frame), at = (name) => place.map((i) => i < 0 ? 0 : col(name)[i]);

	return spotsKnown = { n, begin, frame, up, place, file: at('place_file'), line: at('place_line') };
}

/* By spot: its place. Frames that stand for several functions have none. */
function placesOfSpots(frame) {
	const count = col('place_count'), fns = wholeCol('node_fn'), at = col('spot_place'), begin = new Uint32Array(count.length + 1);

	for (let fn = 0; fn < count.length; fn++)
		begin[fn + 1] = begin[fn] + count[fn];
	return Int32Array.from(frame, (i, spot) => i && fns[i] < count.length ? begin[fns[i]] + at[spot] : -1);
}

let spotsOfMoments = null;

function spotOfMoment() {
	if (!spotsOfMoments) {
		const node = wholeCol('moment_node'), at = col('moment_spot'), { begin } = spots();

		spotsOfMoments = Uint32Array.from(node, (frame, i) => begin[frame] + (at[i] || 0));
	}
	return spotsOfMoments;
}

let firstsKnown = null;

function firsts() {
	return firstsKnown = firstsKnown || outermostFrames({ fn: wholeCol('node_fn'), depth: wholeCol('node_depth') }, null);
}

/* ---- Rows of spots ------------------------------------------------------- */

/* Finds rows by up to five of their columns, the first of equal ones. counts: by row, 0 if it is none. */
class RowIndex {
	constructor(a, b, c = null, d = null, e = null, counts = null) {
		const n = a.length;

		this.a = a;
		this.b = b;
		this.c = c || new Uint8Array(n);
		this.d = d || new Uint8Array(n);
		this.e = e || new Uint8Array(n);
		this.mask = 2 ** Math.ceil(Math.log2(2 * n + 2)) - 1;
		this.slot = new Int32Array(this.mask + 1).fill(-1);
		for (let i = 0; i < n; i++)
			if (!counts || counts[i]) {
				const at = this.slotOf(a[i], b[i], this.c[i], this.d[i], this.e[i]);

				if (this.slot[at] < 0)
					this.slot[at] = i;
			}
	}

	/* The first row that equals row i. */
	firstOf(i) {
		return this.find(this.a[i], this.b[i], this.c[i], this.d[i], this.e[i]);
	}

	hash(a, b, c, d, e) {
		let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);

		hash = Math.imul(hash ^ hash >>> 15 ^ c, 0xc2b2ae35) ^ Math.imul(d, 0x27d4eb2f);
		hash = Math.imul(hash ^ hash >>> 13 ^ e, 0x165667b1);
		return (hash ^ hash >>> 16) & this.mask;
	}

	/* The slot of such a row, or the free one for it. */
	slotOf(a, b, c, d, e) {
		let at = this.hash(a, b, c, d, e);

		for (let i; (i = this.slot[at]) >= 0; at = at + 1 & this.mask)
			if (this.a[i] === a && this.b[i] === b && this.c[i] === c && this.d[i] === d && this.e[i] === e)
				return at;
		return at;
	}

	/* -1: there is none. */
	find(a, b, c = 0, d = 0, e = 0) {
		return this.slot[this.slotOf(a, b, c, d, e)];
	}
}

const spotRows = new Map(); /* by kind: the row of each spot, or -1 */

function rowsOfSpots(kind) {
	if (!spotRows.has(kind))
		spotRows.set(kind, SPOT_ROWS[kind]());
	return spotRows.get(kind);
}

/* Maps each spot but the first by find(its function, spot, its caller's spot). */
function mapSpots(find) {
	const { n, frame, up } = spots(), of = col('node_fn'), rows = new Int32Array(n).fill(-1);

	for (let i = 1; i < n; i++)
		rows[i] = find(of[frame[i]], i, up[i]);
	return rows;
}

function callRows(place) {
	const index = new RowIndex(col('call_from'), col('call_to'), col('call_file'), col('call_line'));
	const { frame, file, line } = spots(), of = col('node_fn');

	return mapSpots((fn, i, up) => !up ? -1 : place ? index.find(of[frame[up]], fn, file[up], line[up])
		: index.find(of[frame[up]], fn, 0, 0));
}

/* The function of each instruction, or call of one. */
function fnsOfCode(kind) {
	const count = col('code_' + kind), of = col('code_fn'), fns = [];

	of.forEach((fn, i) => {
		for (let k = 0; k < count[i]; k++)
			fns.push(fn);
	});
	return Uint32Array.from(fns);
}

/* Addresses of spots as offsets in their functions, as instrs.js has them. */
function spotOffsets() {
	const { place, frame } = spots(), of = wholeCol('node_fn'), high = col('place_high'), low = col('place_low');
	const lowest = new Map();

	col('code_fn').forEach((fn, i) => lowest.set(fn, [col('code_high')[i], col('code_low')[i]]));
	return Float64Array.from(place, (at, i) => {
		const base = lowest.get(of[frame[i]]);

		return base && (high[at] || low[at]) ? (high[at] - base[0]) * 2 ** 32 + low[at] - base[1] + 1 : 0;
	});
}

function instrRows() {
	const index = new RowIndex(fnsOfCode('instrs'), col('instr_offset'), col('instr_file'), col('instr_line'));
	const { file, line } = spots(), offset = spotOffsets();

	return mapSpots((fn, i) => index.find(fn, offset[i], file[i], line[i]));
}

function siteRows() {
	const index = new RowIndex(fnsOfCode('sites'), col('site_offset'), col('site_file'), col('site_line'), col('site_to'));
	const { frame, file, line } = spots(), of = col('node_fn'), offset = spotOffsets();

	return mapSpots((fn, i, up) => up ? index.find(of[frame[up]], offset[up], file[up], line[up], fn) : -1);
}

const SPOT_ROWS = {
	fn: () => {
		const { n, frame } = spots(), of = col('node_fn'), fns = new Int32Array(n);

		for (let i = 1; i < n; i++)
			fns[i] = of[frame[i]];
		return fns;
	},
	line: () => {
		const index = new RowIndex(col('line_fn'), col('line_file'), col('line_number')), { file, line } = spots();

		return mapSpots((fn, i) => line[i] ? index.find(fn, file[i], line[i]) : -1);
	},
	call: () => callRows(true), begin: () => callRows(false), instr: instrRows, site: siteRows,
};

/* ---- Sums ---------------------------------------------------------------- */

const spotSums = new Map(); /* what: values by spot */

onSelection((more) => {
	spotSums.clear();
	if (!more)
		return;
	spotRows.clear();
	axisEnds = trackBegins = spotsKnown = spotsOfMoments = firstsKnown = null;
});

function hasSpans() {
	return col('track_spans').some((is) => is);
}

/* Samples that last may begin before the selection. */
function cutsSamples() {
	return col('track_event').some((event, i) => event && !col('track_spans')[i]);
}

/* Sums by spot: of an event, or 'samples', 'moments', 'begins'. */
function sumSpots(what) {
	if (spotSums.has(what))
		return spotSums.get(what);
	const sum = new Float64Array(spots().n), spot = spotOfMoment(), counts = typeof what === 'string';
	const value = counts ? EMPTY : col('moment_cost', what);

	for (const track of selectedTracks()) {
		const times = col('track_event')[track] - 1 === what, spans = col('track_spans')[track];

		if (what === 'begins')
			spans && eachBegin(track, (at) => sum[at]++);
		else if (spans && (times || what === 'moments'))
			eachSpan(track, (i, length) => sum[spot[i]] += counts ? 1 : length);
		else if (!spans)
			eachSample(track, (i, began, length) => sum[spot[i]] += counts ? (began || what === 'moments' ? 1 : 0)
				: times && length >= 0 ? length : began ? value[i] : 0);
	}
	spotSums.set(what, sum);
	return sum;
}

/* The same with what is called from there. */
function withCallees(what) {
	const key = 'all ' + what;

	if (!spotSums.has(key))
		spotSums.set(key, inclusive(sumSpots(what), spots().up));
	return spotSums.get(key);
}

/* Sums of values by spot, by what they belong to (-1: nothing); first: by frame, 0 if it does not count. */
function addUp(value, to, n, first) {
	const sum = new Float64Array(n), { frame } = spots();

	for (let i = 0; i < value.length; i++)
		if (value[i] !== 0 && to[i] >= 0 && (!first || first[frame[i]]))
			sum[to[i]] += value[i];
	return sum;
}

function sumByRow(kind, value, name, first) {
	return addUp(value, rowsOfSpots(kind), wholeCol(name, 0).length, first);
}

function sumByFn(value, first) {
	return addUp(value, rowsOfSpots('fn'), fnCount + 1, first);
}

function callSums(what) {
	return sumByRow('call', withCallees(what), 'call_to', firsts().call);
}

/* Samples of calls, and calls that began. */
function callCounts() {
	const sum = callSums('samples'), begins = hasSpans() ? sumSpots('begins') : EMPTY;

	for (let i = 1; i < begins.length; i++)
		if (begins[i]) {
			const row = rowsOfSpots('begin')[i];

			sum[row >= 0 ? row : rowsOfSpots('call')[i]] += begins[i];
		}
	return sum;
}

function callsInTime() {
	const { up } = spots(), of = rowsOfSpots('fn'), sum = sumByFn(withCallees('samples'), firsts().called);
	const begins = hasSpans() ? sumSpots('begins') : EMPTY;

	for (let i = 1; i < begins.length; i++)
		if (begins[i] && up[i] && of[up[i]] !== of[i])
			sum[of[i]] += begins[i];
	return sum;
}

function nodesInTime(event) {
	const { n, frame } = spots(), sum = sumSpots(event), nodes = wholeCol('node_fn').length;

	return n === nodes ? sum : addUp(sum, frame, nodes);
}

/* All views show shares of the sum; that of parts is not shown. */
function totalsInTime(event) {
	const sum = new Float64Array(partCount());

	sum[0] = sumSpots(event).reduce((a, b) => a + b, 0);
	return sum;
}

function callsInSelection() {
	const counts = col('call_count'), more = cutsSamples() || hasSpans() ? callSums('moments') : counts;

	return Uint8Array.from(counts, (count, i) => count || more[i] ? 1 : 0);
}

/* How columns are counted from moments, as COUNTED. */
const TIMED = {
	...COUNTED,
	part_total: totalsInTime,
	node_self: nodesInTime,
	node_samples: () => nodesInTime('samples'),
	line_cost: (event) => sumByRow('line', sumSpots(event), 'line_number'),
	call_cost: callSums,
	spot_cost: sumSpots,
	call_count: callCounts,
	call_there: callsInSelection,
	instr_cost: (event) => sumByRow('instr', sumSpots(event), 'instr_offset'),
	site_cost: (event) => sumByRow('site', withCallees(event), 'site_to', firsts().call),
	site_count: () => sumByRow('site', withCallees('samples'), 'site_to', firsts().call),
	jump_executed: () => wholeCol('jump_executed'),
	jump_followed: () => wholeCol('jump_followed'),
	fn_self: (event) => withCycles(sumByFn(sumSpots(event)), findCycles()),
	fn_inclusive: (event) => selectedInclusive({ sum: sumByFn(withCallees(event), firsts().fn), isStated: null }, event),
	fn_calls: callsInTime,
};
