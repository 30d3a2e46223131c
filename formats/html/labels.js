/*
 * labels.js - the labels of samples (pprof's tags): a table of the values of each key, and filters by
 * them, which have the meanings of --label and --no-label.
 */

/** @type {{ key: string, option: string, label: string, keeps: boolean }[]} */
const LABEL_FILTERS = [
	{ key: 'label', option: '--label', label: 'Label', keeps: true },
	{ key: 'no_label', option: '--no-label', label: 'No label', keeps: false },
];

/* ---- Filters -------------------------------------------------------------- */

/* The filters of the state, as KEY=REGEX, a line each: { kind, text, label, re, error }. */
function labelRules() {
	return LABEL_FILTERS.flatMap((kind) => state[kind.key].split('\n').filter((text) => text).map((text) => {
		const at = text.indexOf('=');

		try {
			if (at < 1)
				throw new Error('expected KEY=REGEX');
			return { kind, text, label: text.slice(0, at), re: fromEre(text.slice(at + 1)), error: '' };
		} catch (e) {
			return { kind, text, label: '', re: null, error: e.message };
		}
	}));
}

/* Labels are of all costs: which ones a part, a thread or a time has is not known. */
function canFilterLabels() {
	return !selected && wholeCol('row_sets').length > 0;
}

function activeLabelRules() {
	return canFilterLabels() ? labelRules().filter((rule) => rule.re) : [];
}

/* By set of labels: 1 if the filters keep its samples. Set 0 has no labels. */
function keptSets(rules) {
	const sizes = wholeCol('set_labels'), of = wholeCol('set_label'), kept = new Uint8Array(sizes.length + 1).fill(1);
	const keys = texts('label_key'), values = texts('label_text');

	for (const { kind, label, re } of rules) {
		const matching = Array.from({ length: keys.length }, (_, i) => keys.get(i) === label && re.test(values.get(i)));

		for (let set = 0, at = 0; set < kept.length; set++) {
			let found = false;

			for (let i = set ? sizes[set - 1] : 0; i > 0; i--)
				found = matching[of[at++]] || found;
			if (found !== kind.keeps)
				kept[set] = 0;
		}
	}
	return kept;
}

/* ---- Costs by row and set -------------------------------------------------- */

let setBegins = null;

onSelection((more) => setBegins = more ? null : setBegins);

/* Where the sets of each row begin. */
function rowSets() {
	if (!setBegins) {
		const sizes = wholeCol('row_sets');

		setBegins = new Uint32Array(sizes.length + 1);
		sizes.forEach((size, row) => setBegins[row + 1] = setBegins[row] + size);
	}
	return setBegins;
}

/* Costs by row and set of the whole profile, in an event, or 'samples'. */
function costsOfSets(what) {
	const [rows, rest] = what === 'samples' ? [wholeCol('node_samples'), wholeCol('set_samples')]
		: [wholeCol('node_self', what), wholeCol('set_cost', what)];

	return shareOut(hasSpots() ? wholeSpotCosts(what) : rows, rowSets(), rest);
}

/* What rows have of the sets that are kept. */
function costsOfRows(what, kept) {
	const begin = rowSets(), of = wholeCol('row_set'), cost = costsOfSets(what), sum = new Float64Array(begin.length - 1);

	for (let row = 0; row < sum.length; row++)
		for (let i = begin[row]; i < begin[row + 1]; i++)
			if (kept[of[i]])
				sum[row] += cost[i];
	return sum;
}

/* The tree without the samples whose labels are dropped. */
function labelledTree(tree) {
	const kept = keptSets(activeLabelRules()), from = one('samples_event'), { length } = tree.fn;
	const self = tree.self.map((_, e) => costsOfRows(e, kept));
	const samples = from ? self[from - 1] : tree.samples.length ? costsOfRows('samples', kept) : EMPTY;
	const byFrame = (values) => tree.spots && values.length ? addUp(values, spots().frame, length) : values;

	return { ...tree, self: self.map(byFrame), samples: byFrame(samples), spots: tree.spots && { ...tree.spots, self, samples } };
}

/* First: filters by function may merge and move what has labels. */
FILTERS.unshift({
	key: () => activeLabelRules().map((rule) => rule.kind.key + ':' + rule.text).join('\t'),
	apply: labelledTree,
	args: () => activeLabelRules().flatMap((rule) => [rule.kind.option, rule.text]),
});

/* ---- On the bar of filters ------------------------------------------------- */

/* One more filter, or one less. */
function withRule(kind, text) {
	const all = state[kind].split('\n').filter((other) => other && other !== text);

	return { [kind]: all.length < state[kind].split('\n').filter((other) => other).length ? all.join('\n')
		: [...all, text].join('\n'), x: '' };
}

function labelChips() {
	return labelRules().map(({ kind, text, error }) => el('span', { class: 'chip' }, el('span', { class: 'dim' }, kind.label + ' '),
		el('code', {}, visible(text)), error ? el('span', { class: 'low' }, ' ' + error) : '', ' ',
		el('a', { go: withRule(kind.key, text), 'aria-label': 'Remove ' + kind.label + ' ' + text }, '\u00d7')));
}

/* What filters by labels do not know. */
function labelNote() {
	if (!labelRules().length)
		return '';
	return selected ? 'Labels of what is selected are not known: the filters by label do not count. '
		: currentView().key === 'time' ? 'Times have no labels: those of all samples are shown. ' : '';
}

/* ---- The view -------------------------------------------------------------- */

/* By row: 1 if filters by function keep its costs. */
function keptRows() {
	const rules = canRefine() ? refineRules().filter((rule) => rule.re) : [], frames = hasSpots() ? spots().frame : null;
	const becomes = rules.length ? refinedEnds(wholeTree(), rules).becomes : null;

	return Uint8Array.from({ length: wholeCol('row_sets').length }, (_, row) =>
		!becomes || becomes[frames ? frames[row] : row] ? 1 : 0);
}

/* Sums by label, and behind them by key what has no such label. */
function labelSums(event) {
	const sizes = wholeCol('set_labels'), of = wholeCol('set_label'), begins = [0, 0], begin = rowSets();
	const rows = keptRows(), kept = keptSets(activeLabelRules()), sets = wholeCol('row_set');
	const bySet = new Float64Array(sizes.length + 1), sum = new Float64Array(texts('label_key').length);

	sizes.forEach((size) => begins.push(begins[begins.length - 1] + size));
	for (const [sign, weights] of [[1, event.weights], [-1, event.before || []]])
		for (const [index, factor] of weights) {
			const cost = costsOfSets(index);

			for (let row = 0; row < rows.length; row++)
				for (let i = begin[row]; rows[row] && i < begin[row + 1]; i++)
					bySet[sets[i]] += kept[sets[i]] ? sign * factor * cost[i] : 0;
		}
	bySet.forEach((cost, set) => {
		for (let i = begins[set]; set && i < begins[set + 1]; i++)
			sum[of[i]] += cost;
	});
	return { sum, all: bySet.reduce((a, b) => a + b, 0) };
}

/* Labels by key: Map of key to the numbers of its labels. */
function labelsByKey() {
	const keys = new Map(), names = texts('label_key');

	for (let i = 0; i < names.length; i++)
		keys.set(names.get(i), [...keys.get(names.get(i)) || [], i]);
	return keys;
}

function labelRule(i) {
	return texts('label_key').get(i) + '=^' + asEre(texts('label_text').get(i)) + '$';
}

function labelTable(key, rows, event, { sum, all }) {
	const share = Math.abs(all), text = (i) => visible(texts('label_text').get(i));
	const cost = (i) => [event.before ? change(sum[i], event) : state.unit === 'pct' ? percent(sum[i], share) : showCost(sum[i], event),
		state.unit === 'pct' ? null : el('span', { class: 'pct' }, percent(sum[i], share))];
	const links = (i) => LABEL_FILTERS.map((kind, at) => [at ? ', ' : '', el('a', { go: withRule(kind.key, labelRule(i)),
		title: 'cgconv ' + kind.option + ' ' + shellWord(labelRule(i)), 'aria-label': (kind.keeps ? 'Keep ' : 'Drop ') + key + ' ' + text(i) },
	kind.keeps ? 'keep' : 'drop')]);
	/** @type {TableColumn[]} */
	const columns = [{ key: 'cost', label: event.before ? 'Change' : 'Cost', number: true, width: costWidth(narrow() ? 170 : 160), value: (i) => sum[i],
		show: (i) => bar(cost(i), share ? sum[i] / share : 0, event.before ? wayOf(sum[i]) : '') },
	{ key: 'value', label: 'Value', width: 'minmax(' + wide(130, 84) + ', 1fr)', value: text, show: (i) => el('span', { title: text(i) }, text(i)) },
	{ key: 'filter', label: 'Samples', width: '96px', hint: 'with this label', show: links }];
	const table = new Table({ label: 'Values of ' + visible(key), rows, columns, tall: rows.length > 14, sortKey: '-cost' });
	const rest = all - rows.reduce((known, i) => known + sum[i], 0);

	return card([visible(key) + ' (' + plural(rows.length, 'value') + ')', tableTools(table)], table.box,
		Math.abs(rest) > 1e-9 * share ? el('p', { class: 'dim' }, rest > 0 ? 'Without it: ' : 'Samples with several count several times: ',
			showCost(Math.abs(rest), event), ' ', percent(Math.abs(rest), share)) : null);
}

function showLabels(main) {
	const event = plainEvent(currentEvent()), sums = labelSums(event), match = state.q ? matcherSafe() : null;
	const shows = (key, i) => !match || match(key) || match(texts('label_text').get(i));
	const keys = [...labelsByKey()].map(([key, rows]) => [key, rows.filter((i) => shows(key, i) && sums.sum[i])])
		.filter(([, rows]) => rows.length);

	put(main, el('div', { class: 'controls' }, numberChoice(), el('span', { class: 'dim' },
		selected ? 'Labels of samples, of all parts, threads and times: which ones the selected have is not known.'
			: 'Labels of samples. Keep or drop those of a value: all views count what is left.')),
	keys.length ? el('div', { class: 'cards broad' }, keys.map(([key, rows]) => labelTable(key, rows, event, sums)))
		: el('div', { class: 'empty' }, el('p', {}, match ? 'No label matches the search.' : 'No sample with a label is left.')));
}
