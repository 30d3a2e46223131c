/*
 * versus.js - the difference of two selected parts: events become pairs of their
 * costs in the one and in the other, as those of --diff, which all views show.
 *
 * The costs of a part alone are columns with another index: that of the event,
 * and the part's number, from 1, above EVENT_BITS. Which calls there are, and
 * their cycles, are those of both parts, as in a difference of two inputs.
 */

const EVENT_BITS = 16, EVENT_MASK = (1 << EVENT_BITS) - 1;

let plainEvents = null; /* before they became pairs; NULL: they did not */

/* The parts before and after; NULL: none are compared. */
function versusParts() {
	const two = selected?.parts && !isTimed() && setSize(selected.parts) === 2
		? Array.from(selected.parts.keys()).filter((part) => selected.parts[part]) : null;

	if (!two || (differs && !plainEvents) || !/^[12]$/.test(state.against))
		return null;
	return state.against === '1' ? two : two.reverse();
}

/* All parts are selected, to be compared, if there are two; else NULL. */
function bothParts(timed) {
	return partCount() === 2 && !timed && (!differs || plainEvents) && /^[12]$/.test(state.against) ? Uint8Array.of(1, 1) : null;
}

/* True if two parts can be compared. */
function canCompareParts() {
	const all = hasParts() && !selected?.parts ? partCount() : 0;

	return (all || setSize(selected?.parts)) === 2 && !isTimed() && (!differs || plainEvents !== null) && !currentEvent().coverage;
}

let comparedNow = null; /* the parts that events are pairs of */

/* Numbers that have no event are those of the part after, as in a difference of two inputs. */
const OF_AFTER = new Set(['call_count', 'fn_calls', 'cycle_calls', 'node_samples', 'site_count', 'jump_executed',
	'jump_followed']);

/* Makes events pairs, or what they were. */
function readVersus() {
	const two = versusParts();

	if (String(two) === String(comparedNow))
		return;
	comparedNow = two;
	if (plainEvents)
		events = plainEvents;
	plainEvents = two ? events : null;
	differs = two !== null;
	if (two) {
		const [before, after] = two.map((part) => (event) => event.weights.map(([index, factor]) =>
			[index + (part + 1 << EVENT_BITS), factor]));

		events = events.map((event) => event.coverage ? event : { ...event, weights: after(event), before: before(event) });
	}
	forgetCounts();
}

/* An event as it is without the comparison. */
function plainEvent(event) {
	return plainEvents?.find((plain) => plain.name === event.name) || event;
}

/* Counts a column of one part, if the index has one, else of all selected parts. */
function countOf(name, index) {
	const part = comparedNow && OF_AFTER.has(name) ? comparedNow[1] : (index >> EVENT_BITS) - 1, { parts } = selected;

	if (part < 0)
		return (isTimed() ? TIMED : COUNTED)[name](index);
	callsThere();
	findCycles();
	selected.parts = new Uint8Array(partCount());
	selected.parts[part] = 1;
	try {
		return COUNTED[name](index);
	} finally {
		selected.parts = parts;
	}
}

/* ---- Links --------------------------------------------------------------- */

function versusChips() {
	const two = versusParts(), names = two && shortNames();

	return two ? [el('span', {}, 'Difference: ', el('b', {}, names[two[0]]), ' \u2192 ', el('b', {}, names[two[1]])),
		el('a', { class: 'chip', go: { against: state.against === '1' ? '2' : '1', x: '' } }, 'Swap'),
		el('a', { class: 'chip', go: { against: '', x: '' }, title: 'Show the sum of both parts' }, 'Sum \u00d7')] : null;
}

function versusButton() {
	return canCompareParts() && !versusParts() ? el('a', { class: 'button', go: { against: '1', x: '', sort: '' },
		title: 'what the second part costs more or less, in all views' }, 'Difference of both') : null;
}
