/*
 * parts.js - threads, processes or dumps that the profile has apart: a strip
 * below the heading with the share of each, and a table. What is selected there
 * is what all views count.
 */

const MOST_IN_STRIP = 60;

function partName(i) {
	const text = (name, value) => value ? ' ' + name + ' ' + value : '';

	return (visible(texts('part_command').get(i)) +
		text('pid', col('part_pid')[i]) + text('tid', col('part_tid')[i]) +
		text('part', col('part_number')[i])).trim() || 'part ' + (i + 1);
}

/* Costs of an event by part, whatever is selected. */
function partCosts(event) {
	const sum = new Float64Array(partCount()), plain = plainEvent(event);

	for (const [sign, weights] of [[1, plain.weights], [-1, plain.before || []]])
		for (const [index, factor] of weights)
			wholeCol('part_total', index).forEach((cost, part) => sum[part] += sign * factor * cost);
	return sum;
}

/* Selects a part alone; with others, if they were (the key of that is Ctrl). */
function selectPart(part, add) {
	const set = new Uint8Array(partCount());

	if (add)
		set.forEach((_, i) => set[i] = isPartSelected(i) ? 1 : 0);
	if (add || !(selected?.parts && isPartSelected(part) && setSize(selected.parts) === 1))
		set[part] ^= 1;
	go({ parts: setText(set), x: '' });
}

/* Names without what all parts have in common. */
function shortNames() {
	const same = (values) => values.every((value) => value === values[0]);
	const has = (name, values, count) => same(Array.from({ length: count }, (_, i) => values[i])) ? null : name;
	const n = partCount(), commands = texts('part_command').all();
	const keys = ['pid', 'tid', 'number'].filter((key) => has(key, col('part_' + key), n));

	return commands.map((command, i) => [same(commands) && keys.length ? '' : baseName(visible(command).replace(/ .*/, '')),
		...keys.filter((key) => col('part_' + key)[i]).map((key) => (key === 'number' ? 'part' : key) + ' ' +
			col('part_' + key)[i])].filter((text) => text).join(' ') || partName(i));
}

/* ---- The strip ----------------------------------------------------------- */

const NAMED = 6.6, PCT = 56; /* pixels of a letter, of a share */

/* A box has its name and its share if both are in it. */
function partBox(part, name, cost, all, event) {
	const share = all ? Math.abs(cost[part]) / all : 0, room = share * (innerWidth - 240) - 12;
	const box = el('button', { class: 'part', 'aria-pressed': String(isPartSelected(part)),
		'aria-label': partName(part) + ', ' + percent(cost[part], all),
		title: partName(part) + ', ' + percent(cost[part], all) + '\n' + inFull(cost[part], event) +
			'\nClick: only this part. Ctrl and click: with others, or without.',
		on: { click: (e) => selectPart(part, e.ctrlKey || e.metaKey || e.shiftKey) } },
	room > 24 ? name + ' ' : '', room > name.length * NAMED + PCT
		? el('span', { class: 'pct' }, percent(cost[part], all)) : null);

	box.style.flexGrow = Math.max(1e-3, share);
	return box;
}

/* The parts with the highest costs, in their order. */
function partsInStrip(cost) {
	const order = Array.from(cost.keys());

	return order.length <= MOST_IN_STRIP ? order : order.sort((a, b) => Math.abs(cost[b]) - Math.abs(cost[a]))
		.slice(0, MOST_IN_STRIP).sort((a, b) => a - b);
}

function partStrip() {
	const event = plainEvent(currentEvent()), cost = partCosts(event), shown = partsInStrip(cost);
	const all = cost.reduce((a, b) => a + Math.abs(b), 0), names = shortNames();
	const rest = cost.length - shown.length, n = setSize(selected?.parts);

	return [el('a', { go: { view: 'parts', x: '', sort: '' } }, selected?.parts ? n + ' of ' + plural(cost.length, 'part')
		: plural(cost.length, 'part')),
	el('div', { class: 'strip', role: 'group', 'aria-label': 'Parts' },
		shown.map((part) => partBox(part, names[part], cost, all, event))),
	rest ? el('span', { class: 'dim' }, 'and ' + number(rest) + ' more') : null,
	versusChips(), selected?.parts ? el('a', { class: 'chip', go: { parts: '', against: '', x: '' } }, 'All parts \u00d7') : null];
}

/* ---- The view ------------------------------------------------------------ */

/* Self costs of a function by part. */
function fnByPart(fn, event) {
	const sum = new Float64Array(partCount()), of = wholeCol('share_fn'), part = wholeCol('share_part');
	const cost = costs('share_self', event);

	for (let i = 0; i < of.length; i++)
		if (of[i] === fn)
			sum[part[i]] += cost[i];
	return sum;
}

function partColumns(event) {
	const cost = partCosts(event), all = cost.reduce((a, b) => a + b, 0), fn = chosen('fn', fnCount);
	/** @type {TableColumn[]} */
	const list = [{ key: 'is', label: 'Counted', hint: 'counted in all views', width: wide(96, 72), value: (part) =>
		isPartSelected(part) ? 0 : 1, text: (part) => isPartSelected(part) ? 'yes' : 'no', show: (part) => el('input', { type: 'checkbox', checked: isPartSelected(part),
		'aria-label': partName(part), on: { click: (e) => {
			e.stopPropagation();
			selectPart(part, true);
		} } }) }];
	const costColumn = (key, label, of, share) => ({ key, label, number: true, width: costWidth(170),
		value: (part) => of[part], show: (part) => bar([event.before ? change(of[part], event) : showCost(of[part], event),
			state.unit === 'pct' ? null : el('span', { class: 'pct' }, percent(of[part], share))],
		share ? of[part] / share : 0, event.before ? (of[part] > 0 ? 'up' : 'down') : '') });

	list.push(costColumn('cost', event.before ? 'Change' : 'Cost', cost, all));
	if (fn > 0)
		list.push({ ...costColumn('fn', 'Self of ' + fnName(fn), fnByPart(fn, event), all), width: costWidth(240),
			hint: 'share of the whole profile' });
	const names = shortNames();

	list.splice(1, 0, { key: 'name', label: 'Part', width: 'minmax(' + wide(150, 110) + ', 1fr)',
		value: (part) => part, text: partName, show: (part) => el('span', { title: partName(part) }, names[part]) });
	list.splice(narrow() ? 2 : list.length, 0, ...barColumns(event, cost));
	return list;
}

/* Keys select as in lists of files: Space one more, Shift and an arrow also the next one, a all. */
function partKey(e, part, table) {
	const step = { ArrowDown: 1, ArrowUp: -1 }[e.key], next = table.rows[table.active + step];

	if (e.key === ' ' && part !== undefined) {
		e.preventDefault();
		selectPart(part, true);
	} else if (e.key === 'Escape' && selected?.parts) {
		go({ parts: '', against: '', x: '' });
	} else if (e.shiftKey && next !== undefined) {
		e.preventDefault();
		partFocus = next;
		selectRange(selected?.parts ? Array.from(selected.parts.keys()).filter(isPartSelected) : [], [part, next]);
	} else {
		return false;
	}
	return true;
}

let partFocus = -1; /* the part of the row that keys are at, when the table is made again */

/* Selects parts, and those of a range. */
function selectRange(some, more) {
	const set = new Uint8Array(partCount());

	for (const part of [...some, ...more])
		set[part] = 1;
	go({ parts: setText(set), x: '' });
}

/* A click selects a part alone; with Ctrl with others, with Shift all from the last one on. */
function clickPart(table, part, e) {
	const from = table.rows.indexOf(partFocus), to = table.rows.indexOf(part);

	if (e?.shiftKey && from >= 0)
		return selectRange([], table.rows.slice(Math.min(from, to), Math.max(from, to) + 1));
	partFocus = part;
	return selectPart(part, e ? e.ctrlKey || e.metaKey : false);
}

function showParts(main) {
	const event = plainEvent(currentEvent()), cost = partCosts(event), again = main.querySelector('.table :focus');
	const name = again ? again.getAttribute('aria-label') : '', keys = main.querySelector('.table') === document.activeElement;
	const table = new Table({ label: 'Parts', rows: Array.from(cost.keys()), columns: partColumns(event), choose: true,
		sortKey: state.sort, onSort: (sort) => keep({ sort }), open: (part, e) => clickPart(table, part, e),
		onKey: (e, part) => {
			partFocus = part === undefined ? partFocus : part;
			return partKey(e, part, table);
		},
		mark: (part) => selected?.parts && isPartSelected(part) ? 'chosen' : '' });

	search();
	put(main, el('div', { class: 'controls' }, barsChoice(event), numberChoice(),
		selected?.parts ? el('a', { class: 'button', go: { parts: '', against: '' }, title: 'Escape' }, 'All parts') : null, versusButton(),
		el('span', { class: 'dim' }, 'All views count the selected parts. ' + (narrow() ? 'Tap: one, check boxes: several.'
			: 'Click or Enter: one; Ctrl and click, Space: one more; Shift and click or arrow: a range.')),
		tableTools(table)), barLegend(event, cost), table.box);
	table.active = keys ? table.rows.indexOf(partFocus) : -1;
	table.from = -1;
	table.fill();
	if (keys)
		table.box.focus();
	if (name)
		[...table.box.querySelectorAll('input')].find((box) => box.getAttribute('aria-label') === name)?.focus();
}
