/*
 * spots.js - calls by site, lines and instructions of the stacks that filters keep: they are
 * counted from the positions of frames (spots.c). Spots of a tree (filter.js) are
 *
 *	frame up	by spot, callers first: its frame in the tree, the spot of its caller; spot 0
 *			is below all
 *	of		by spot: which of the page it is, for its position
 *	self samples	as those of the tree, by spot
 */

function hasSpots() {
	return wholeCol('spot_count').length > 0;
}

/* Estimated stacks have no addresses. */
function hasSpotCode() {
	return wholeCol('place_low').length > 0;
}

/*
 * True if filters keep all costs of a function and of its calls, or none of them: its instructions are
 * then known, too.
 */
function isCodeKept(fn) {
	return hasSpotCode() || texts('event_name').all().every((_, e) => !col('fn_inclusive', e)[fn] ||
		['fn_inclusive', 'fn_self'].every((name) => col(name, e)[fn] === selectedCol(name, e)[fn]));
}

function isDropped(fn) {
	return texts('event_name').all().every((_, e) => !col('fn_inclusive', e)[fn]);
}

/*
 * Shares values among the items of each, which begin at begin; rest has what items but the first of
 * each have of it.
 */
function shareOut(values, begin, rest) {
	const sum = new Float64Array(begin[begin.length - 1]);

	for (let i = 0, at = 0; i < values.length; i++) {
		let first = values[i];

		for (let item = begin[i] + 1; item < begin[i + 1]; item++) {
			sum[item] = rest[at];
			first -= rest[at++];
		}
		if (begin[i] < begin[i + 1])
			sum[begin[i]] = first;
	}
	return sum;
}

/* The costs of spots in an event, or their 'samples'. */
function wholeSpotCosts(what) {
	return what === 'samples' ? shareOut(wholeCol('node_samples'), spots().begin, wholeCol('spot_samples'))
		: shareOut(wholeCol('node_self', what), spots().begin, wholeCol('spot_self', what));
}

/* The same of what is selected. */
function spotCosts(what) {
	return selected ? countedCol('spot_cost', what) : wholeSpotCosts(what);
}

/* The spots of the whole tree; null: the profile has no positions. */
function wholeSpots() {
	if (!hasSpots())
		return null;
	const { n, frame, up } = spots(), from = one('samples_event');
	const self = Array.from({ length: texts('event_name').length }, (_, e) => spotCosts(e));

	return { frame, up, of: Uint32Array.from({ length: n }, (_, i) => i), self,
		samples: from ? self[from - 1] : spotCosts('samples') };
}

/*
 * The spots that filters leave. place: by frame, which frame of the new tree it is, 0 if it is
 * dropped; to: by frame, where its costs go, 0 if they are dropped.
 */
function keepSpots({ frame, up, of, self, samples }, place, to) {
	const n = frame.length, near = new Uint32Array(n), goes = new Uint32Array(n);
	const kept = { frame: new Uint32Array(n), up: new Uint32Array(n), of: new Uint32Array(n) };
	let count = 1;

	for (let i = 1; i < n; i++) {
		const above = near[up[i]], at = place[frame[i]];

		near[i] = at ? count : above;
		if (at) {
			kept.frame[count] = at;
			kept.up[count] = above;
			kept.of[count++] = of[i];
		}
		if (to[frame[i]])
			for (goes[i] = near[i]; kept.frame[goes[i]] !== to[frame[i]];)
				goes[i] = kept.up[goes[i]];
	}

	const move = (values) => {
		const moved = new Float64Array(values.length ? count : 0);

		for (let i = 1; i < values.length; i++)
			if (goes[i])
				moved[goes[i]] += values[i];
		return moved;
	};

	return { frame: kept.frame.slice(0, count), up: kept.up.slice(0, count), of: kept.of.slice(0, count),
		self: self.map(move), samples: move(samples) };
}

/* ---- Rows of equal values ------------------------------------------------- */

/*
 * Rows of equal values, in their order: { n, of (by item: its row, -1: none), columns (by row) }.
 * columns: up to five by item; counts: by item, 0 if it has no row.
 */
function rowsOfEqual(columns, counts) {
	const index = new RowIndex(columns[0], columns[1], columns[2], columns[3], columns[4], counts);
	const of = new Int32Array(counts.length).fill(-1), found = [];

	for (let i = 0; i < counts.length; i++)
		if (counts[i]) {
			const same = index.firstOf(i);

			of[i] = same === i ? found.push(i) - 1 : of[same];
		}

	const order = Uint32Array.from(found.keys()).sort((a, b) => {
		const column = columns.find((values) => values[found[a]] !== values[found[b]]);

		return column ? column[found[a]] - column[found[b]] : 0;
	});
	const place = new Uint32Array(order.length);

	order.forEach((row, at) => place[row] = at);
	return { n: order.length, of: of.map((row) => row < 0 ? -1 : place[row]),
		columns: columns.map((column) => Float64Array.from(order, (row) => column[found[row]])) };
}

function sumOfRows({ of, n }, value) {
	const sum = new Float64Array(n);

	for (let i = 0; i < value.length; i++)
		if (of[i] >= 0)
			sum[of[i]] += value[i];
	return sum;
}

/* By spot: what its position has, and what that of its caller has. */
function ofSpots({ of }, values) {
	return Float64Array.from(of, (spot) => values[spot]);
}

function ofCallers({ of, up }, values) {
	return Float64Array.from(up, (at) => at ? values[of[at]] : 0);
}

function fnsOfSpots({ frame }, fn) {
	return frame.map((at) => fn[at]);
}

/* By spot: the function that calls it; the unknown one if it begins stacks. */
function callersOfSpots({ up }, fns) {
	return up.map((at) => at ? fns[at] : 0);
}

/* By spot: 1 if it has a cost, or samples. */
function hasSelf({ self }) {
	const has = new Uint8Array(self[0].length);

	for (const column of self)
		for (let i = 1; i < column.length; i++)
			has[i] |= column[i] ? 1 : 0;
	return has;
}

/* ---- Calls, lines, instructions ------------------------------------------- */

/* By spot: 1 if it is the outermost frame of its call on its stack. */
function countedCalls({ tree, live, first, unknown }) {
	const { frame, up } = tree.spots;

	return frame.map((at, i) => i && live[at] && first.call[at] && (up[i] || unknown) ? 1 : 0);
}

/* What calls cost, and how many samples they have, by row. */
function callSumsOf({ spots: { up, self, samples } }, rows) {
	const sum = (value) => sumOfRows(rows, inclusive(value, up));

	return { cost: self.map(sum), count: samples.length ? sum(samples) : new Float64Array(rows.n) };
}

/* The calls of a Recount, by site: { from, to, file, line, count, cost (by event) }. */
function callsBySite(recount) {
	const { tree } = recount, at = tree.spots, fns = fnsOfSpots(at, tree.fn), position = spots();
	const rows = rowsOfEqual([callersOfSpots(at, fns), fns, ofCallers(at, position.file), ofCallers(at, position.line)],
		countedCalls(recount));
	const [from, to, file, line] = rows.columns;

	return { from, to, file, line, ...callSumsOf(tree, rows) };
}

/* The lines of a tree: { file, line, fn, cost (by event) }. */
function linesOfTree(tree) {
	const at = tree.spots, position = spots(), lines = ofSpots(at, position.line);
	const rows = rowsOfEqual([ofSpots(at, position.file), lines, fnsOfSpots(at, tree.fn)],
		hasSelf(at).map((has, i) => has && lines[i] ? 1 : 0));
	const [file, line, fn] = rows.columns;

	return { file, line, fn, cost: at.self.map((self) => sumOfRows(rows, self)) };
}

/* The instructions of a Recount, and their calls: { own, calls }, like the above. */
function codeOfTree(recount) {
	const { tree } = recount, at = tree.spots, { file, line } = spots(), offset = spotOffsets();
	const fns = fnsOfSpots(at, tree.fn), callers = callersOfSpots(at, fns), isCode = new Uint8Array(fnCount + 1);

	wholeCol('code_fn').forEach((fn) => isCode[fn] = 1);

	const own = rowsOfEqual([fns, ofSpots(at, offset), ofSpots(at, file), ofSpots(at, line)],
		hasSelf(at).map((has, i) => has && isCode[fns[i]] ? 1 : 0));
	const calls = rowsOfEqual([callers, ofCallers(at, offset), ofCallers(at, file), ofCallers(at, line), fns],
		countedCalls(recount).map((is, i) => is && at.up[i] && isCode[callers[i]] ? 1 : 0));

	return { own: { columns: own.columns, cost: at.self.map((self) => sumOfRows(own, self)) },
		calls: { columns: calls.columns, ...callSumsOf(tree, calls) } };
}

/* ---- Columns -------------------------------------------------------------- */

/* f, which is called once, and not with the columns that filters leave. */
function once(f) {
	let value;

	return () => value = value || within(null, f);
}

/* How many rows each function of code has. */
function rowsPerFn([fns]) {
	const count = new Map();

	fns.forEach((fn) => count.set(fn, (count.get(fn) || 0) + 1));
	return wholeCol('code_fn').map((fn) => count.get(fn) || 0);
}

/*
 * Sets the columns of lines and instructions of a Recount, which are counted when a view asks for
 * them; events: their number.
 */
function setSpotColumns(set, recount, count) {
	const lines = once(() => linesOfTree(recount.tree));

	set('line_file', () => lines().file);
	set('line_number', () => lines().line);
	set('line_fn', () => lines().fn);
	for (let e = 0; e < count; e++)
		set('line_cost', () => lines().cost[e], e);
	if (hasSpotCode())
		setCodeColumns(set, recount, count);
}

function setCodeColumns(set, recount, count) {
	const code = once(() => codeOfTree(recount));
	const column = (kind, at) => () => code()[kind].columns[at];

	['offset', 'file', 'line', 'to'].forEach((name, i) => {
		if (name !== 'to')
			set('instr_' + name, column('own', i + 1));
		set('site_' + name, column('calls', i + 1));
	});
	set('code_instrs', once(() => rowsPerFn(code().own.columns)));
	set('code_sites', once(() => rowsPerFn(code().calls.columns)));
	set('site_count', () => code().calls.count);
	for (let e = 0; e < count; e++) {
		set('instr_cost', () => code().own.cost[e], e);
		set('site_cost', () => code().calls.cost[e], e);
	}
}
