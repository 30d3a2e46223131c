/*
 * partbars.js - what is in each part: its top functions as pieces of a bar, in
 * the same order and colours in all parts.
 */

const MOST_PIECES = 12; /* functions; the rest is one piece */

/* Self costs of a function by part, and the same of all functions. */
function partSums(event) {
	const of = wholeCol('share_fn'), part = wholeCol('share_part'), cost = costs('share_self', event);
	const sums = new Map(), n = partCount();

	for (let i = 0; i < of.length; i++) {
		if (!cost[i])
			continue;
		if (!sums.has(of[i]))
			sums.set(of[i], new Float64Array(n));
		sums.get(of[i])[part[i]] += cost[i];
	}
	return sums;
}

/*
 * The functions that bars name, those with the largest costs first, or the largest
 * shares of parts, so that small parts count as much as large ones; and their costs by part.
 */
function partPieces(event, all) {
	const sums = partSums(event), weight = (cost) => state.bars === 'cost' ? cost.reduce((a, b) => a + b, 0)
		: cost.reduce((sum, value, part) => sum + (all[part] ? value / all[part] : 0), 0);
	const ranked = [...sums].map(([fn, cost]) => ({ fn, cost, weight: weight(cost) }))
		.sort((a, b) => b.weight - a.weight || a.fn - b.fn), fn = chosen('fn', fnCount);
	const shown = ranked.slice(0, MOST_PIECES), own = ranked.find((piece) => piece.fn === fn);

	return own && !shown.includes(own) ? shown.concat(own) : shown;
}

function pieceColour(piece, at) {
	return groupColour(piece.fn, groupBy(), isDark(), at);
}

/* The bar of a part; most: the highest cost of a part, if lengths are costs. */
function partBar(part, pieces, all, most, event, width) {
	const cost = all[part], length = state.bars === 'cost' ? cost / (most || 1) : 1;
	const rest = cost - pieces.reduce((sum, piece) => sum + piece.cost[part], 0);
	const words = (name, value) => name + ', ' + inFull(value, event) + ', ' + percent(value, cost) + ' of the part';
	const piece = (name, value, colour, more) => {
		const at = el('span', { class: 'piece', title: words(name, value), ...more },
			value / cost * length * width > 48 ? shortName(name, Math.floor(value / cost * length * width / 6.6) - 1) : '');

		at.style.flexGrow = value / cost;
		at.style.background = colour;
		return at;
	};
	const bar = el('span', { class: 'pieces', role: 'img', 'aria-label': 'Self costs: ' + pieces.filter((p) => p.cost[part] > 0).slice(0, 5)
		.map((p) => fnName(p.fn) + ' ' + percent(p.cost[part], cost)).join(', ') }, cost > 0 ? [pieces.map((p, i) => p.cost[part] > 0
		? piece(fnName(p.fn), p.cost[part], pieceColour(p, i), { class: 'piece' + (String(p.fn) === state.fn ? ' own' : ''),
			on: { click: (e) => {
				e.stopPropagation();
				go({ fn: p.fn });
			} } }) : null),
	rest > 0 ? piece('other functions', rest, '', { class: 'piece rest' }) : null] : []);

	bar.style.width = 100 * length + '%';
	return bar;
}

function barsShown(event) {
	return !event.before && wholeCol('share_fn').length > 0;
}

/** @returns {TableColumn[]} */
function barColumns(event, all) {
	if (!barsShown(event))
		return [];
	const pieces = partPieces(event, all), most = all.reduce((a, b) => Math.max(a, b), 0);
	const width = narrow() ? 300 : Math.max(300, (innerWidth - 600) * 0.7);

	return [{ key: 'bars', label: 'Top functions, self', hint: 'the same order and colours in all parts; a click selects a function',
		width: 'minmax(' + wide(300, 220) + ', 3fr)', value: (part) => pieces.length && all[part] ? pieces[0].cost[part] / all[part] : 0,
		text: (part) => pieces.map((p) => fnName(p.fn) + ' ' + percent(p.cost[part], all[part])).join(', '),
		show: (part) => partBar(part, pieces, all, most, event, width) }];
}

/* The functions of the colours; a click selects one, again none. */
function barLegend(event, all) {
	if (!barsShown(event))
		return null;
	const fn = chosen('fn', fnCount), pieces = partPieces(event, all);
	const rest = all.some((cost, part) => cost > pieces.reduce((sum, piece) => sum + piece.cost[part], 0));

	return el('div', { class: 'legend keys', role: 'group', 'aria-label': 'Functions in the bars' }, pieces.map((piece, i) => {
		const swatch = el('i', {});

		swatch.style.background = pieceColour(piece, i);
		return el('a', { 'aria-current': piece.fn === fn ? 'true' : null, class: 'key', go: { fn: piece.fn === fn ? '' : piece.fn, x: '' }, title: fnTitle(piece.fn) }, swatch, shortName(fnName(piece.fn), 28));
	}), rest ? el('span', {}, el('i', { class: 'rest' }), 'other functions') : null);
}

function barsChoice(event) {
	return barsShown(event) ? [choice('Bars', 'bars', [['', 'Share of the part', 'all bars have one length'],
		['cost', 'Cost', 'bars are as long as the part costs']]), groupChoice()] : null;
}
