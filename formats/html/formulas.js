/*
 * formulas.js - events that users define in the page as sums of multiples of others, as
 * "Name = Ir + 10 L1m": the formulas of Callgrind's "event:" lines (lib/graph/formulas.c).
 */

const OWN_LABEL = 'Own event, a sum of others';

let pageEvents = null; /* without own ones */
let formulaText = '';
let formulaErrors = []; /* pairs of a line of the state and what is wrong with it */

/* The terms of a formula: pairs of a factor and an event of the list. Throws what is wrong. */
function parseFormula(text, list) {
	const names = list.map((event) => event.name).sort((a, b) => b.length - a.length);
	/** @type {[number, any][]} */
	const terms = [];
	let rest = text.trim();
	const take = (expression) => {
		const found = expression.exec(rest);

		rest = rest.slice(found ? found[0].length : 0);
		return found;
	};

	while (rest !== '' || !terms.length) {
		const sign = take(/^([+-])\s*/);

		if (!sign && terms.length)
			throw new Error("expected + or - before '" + rest + "'");

		const before = take(/^(\d+)\s*(?:\*\s*)?/);
		const name = names.find((known) => rest.startsWith(known) && /^(?:[\s+*-]|$)/.test(rest.slice(known.length)));

		if (name === undefined)
			throw new Error(rest === '' ? 'expected the name of an event' : "no event '" + /^[^\s+*]*/.exec(rest)[0] + "'");
		rest = rest.slice(name.length).trimStart();

		const times = take(/^\*\s*/), after = times ? take(/^(\d+)\s*/) : null;

		if (times && !after)
			throw new Error('expected a number after *');

		const factor = Number((after || before || ['', '1'])[1]);

		terms.push([sign?.[1] === '-' ? -factor : factor, list.find((event) => event.name === name)]);
	}
	return terms;
}

/* The event of "Name = formula". Throws what is wrong. */
function ownEvent(line, list) {
	const at = line.indexOf('='), name = line.slice(0, at).trim(), costs = list.filter((event) => !event.coverage);

	if (at < 0 || name === '')
		throw new Error('expected Name = formula');
	if (list.some((event) => event.name === name))
		throw new Error("there is an event '" + name + "'");

	const terms = parseFormula(line.slice(at + 1), costs), unit = terms[0][1].unit;

	return { name, title: '', text: line.slice(at + 1).trim(), coverage: false, own: line,
		unit: terms.every((term) => term[1].unit === unit) ? unit : '', weights: sumWeights(terms, 'weights'),
		before: terms[0][1].before && sumWeights(terms, 'before') };
}

function formulaLines() {
	return state.formula.split('\n').filter((line) => line.trim());
}

/* Makes the events of the state. */
function readFormulas() {
	if (state.formula === formulaText)
		return;
	pageEvents = pageEvents || plainEvents || events;
	/* Pairs of parts are made again, of these events. */
	differs = differs && !plainEvents;
	plainEvents = comparedNow = null;
	formulaText = state.formula;
	formulaErrors = [];
	events = pageEvents.slice();
	for (const line of formulaLines())
		try {
			events.push(ownEvent(line, events));
		} catch (e) {
			formulaErrors.push([line, e.message]);
		}
	forgetCounts();
}

/* ---- In the overview ------------------------------------------------------- */

function removeFormula(line) {
	return el('a', { class: 'button', go: { formula: formulaLines().filter((other) => other !== line).join('\n') },
		'aria-label': 'Remove ' + line }, '\u00d7');
}

/* A field for one more event, and the formulas of the link that are wrong. */
function formulaField() {
	const wrong = el('span', { class: 'low', role: 'alert' }), field = el('input', { type: 'text', id: 'formula',
		spellcheck: 'false', autocomplete: 'off', placeholder: 'Name = ' + (events.find((event) => !event.coverage)?.name || 'Event') + ' + 10 \u2026',
		title: 'Name = sum of events, with factors, as in CEst = Ir + 10 L1m', on: { change: () => {
			try {
				const event = ownEvent(field.value, events);

				go({ formula: [...formulaLines(), field.value.trim()].join('\n'), event: event.name, x: '' });
			} catch (e) {
				wrong.textContent = field.value.trim() ? ' ' + e.message : '';
			}
		} } });

	return el('div', { class: 'formula' }, el('label', {}, el('span', { class: 'dim' }, OWN_LABEL), ' ', field), wrong,
		formulaErrors.map(([line, message]) => el('p', {}, el('code', {}, visible(line)), ' ',
			el('span', { class: 'low', role: 'alert' }, message), ' ', removeFormula(line))));
}
