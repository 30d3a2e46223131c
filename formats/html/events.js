/*
 * events.js - the words for events that profiles name by their names alone, and the sums of
 * Callgrind's events, as KCachegrind has them.
 */

/** @type {{ [name: string]: string }} */
const EVENT_WORDS = {
	Ir: 'Instruction Fetch', Dr: 'Data Read Access', Dw: 'Data Write Access',
	I1mr: 'L1 Instr. Fetch Miss', D1mr: 'L1 Data Read Miss', D1mw: 'L1 Data Write Miss',
	ILmr: 'LL Instr. Fetch Miss', DLmr: 'LL Data Read Miss', DLmw: 'LL Data Write Miss',
	I2mr: 'L2 Instr. Fetch Miss', D2mr: 'L2 Data Read Miss', D2mw: 'L2 Data Write Miss',
	Bc: 'Conditional Branch', Bcm: 'Mispredicted Cond. Branch', Bi: 'Indirect Branch', Bim: 'Mispredicted Ind. Branch',
	Ge: 'Global Bus Event', sysCount: 'System Calls', sysTime: 'System Time',
	alloc_objects: 'Allocated Objects', alloc_space: 'Allocated Memory', inuse_objects: 'Objects in Use',
	inuse_space: 'Memory in Use',
};

/** @type {[name: string, title: string, terms: [factor: number, name: string][]][]} */
const EVENT_SUMS = [
	['L1m', 'L1 Miss Sum', [[1, 'I1mr'], [1, 'D1mr'], [1, 'D1mw']]],
	['L2m', 'L2 Miss Sum', [[1, 'I2mr'], [1, 'D2mr'], [1, 'D2mw']]],
	['LLm', 'Last-level Miss Sum', [[1, 'ILmr'], [1, 'DLmr'], [1, 'DLmw']]],
	['Bm', 'Mispredicted Branch', [[1, 'Bim'], [1, 'Bcm']]],
	['CEst', 'Cycle Estimation', [[1, 'Ir'], [10, 'Bm'], [10, 'L1m'], [20, 'Ge'], [100, 'L2m'], [100, 'LLm']]],
];

function titleOf(name, title) {
	return (title === '' || title === name) && Object.hasOwn(EVENT_WORDS, name) ? EVENT_WORDS[name] : title;
}

function sumWeights(terms, side) {
	const sums = new Map();

	for (const [factor, event] of terms)
		for (const [index, weight] of event[side])
			sums.set(index, (sums.get(index) || 0) + factor * weight);
	return [...sums];
}

/*
 * Adds the sums of what there is. A sum of a single event is that event again: it is not
 * listed, but other sums have it.
 */
function addSumEvents(list) {
	const by = new Map(list.map((event) => [event.name, event]));

	if (!by.has('Ir'))
		return list;
	for (const [name, title, all] of EVENT_SUMS) {
		/** @type {[number, any][]} */
		const terms = all.filter(([, term]) => by.has(term)).map(([factor, term]) => [factor, by.get(term)]);

		if (terms.length === 1 && !by.has(name))
			by.set(name, terms[0][1]);
		if (by.has(name) || terms.length === 0)
			continue;
		const { before } = terms[0][1];
		const event = { name, title, unit: '', coverage: false,
			text: terms.map(([factor, term]) => (factor === 1 ? '' : factor + ' ') + term.name).join(' + '),
			weights: sumWeights(terms, 'weights'), before: before && sumWeights(terms, 'before') };

		by.set(name, event);
		list.push(event);
	}
	return list;
}
