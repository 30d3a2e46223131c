/*
 * refinebar.js - the filters by function on the page: fields for their
 * expressions, what is in force, how much it keeps, and the command that does
 * the same.
 */

/* The command that makes a page of what is shown. */
function filterCommand() {
	const inputs = texts('input').all(), args = FILTERS.flatMap((filter) => filter.args());
	const more = one('inputs') > inputs.length ? ['...'] : [];

	return ['cgconv', differs && !versusParts() ? '--diff' : '', one('guessed') || (!wholeCol('frames')[0] && !canRefine()) ? '--guess-stacks' : '',
		...selected?.time ? ['--between', selected.time.join(',')] : [], ...args, '-t', 'html', '-o', 'out.html', ...inputs].filter((word) => word !== '').map(shellWord)
		.concat(more).join(' ');
}

/* Without stacks the result would be an estimate, as on the command line, but see hidden.js. */
function canRefine() {
	return !versusParts() && (wholeCol('frames')[0] > 0 || hiddenFns() !== null);
}

function refines() {
	return [...REFINE, ...LABEL_FILTERS].some((kind) => state[kind.key] !== '');
}

const NOT_FILTERED = 'This view is not filtered: it has the costs of all stacks.';

/* What sources and instructions say if they have jumps that are not selected. */
function jumpsNote(hasJumps) {
	return hasJumps && (narrowed || isTimed()) ? el('div', { class: 'legend', role: 'note' },
		'Jumps are those of the whole profile, as they have neither stacks nor times.') : null;
}

/* How much of the event is left; whole: the view shows all of it. */
function keptText(whole) {
	const event = currentEvent();

	if (versusParts())
		return 'The difference of two parts is not filtered.';
	if (!canRefine())
		return 'Filters need call stacks, which this profile does not have; they can be estimated:';
	if (!narrowed)
		return labelNote() || (whole ? NOT_FILTERED : '');

	const kept = total(event), all = wholeTotal(event);

	return labelNote() + (kept === 0 && all !== 0 ? 'Nothing is left.' : 'Kept: ' + percent(kept, all) + ' of ' +
		costText(all, event) + ' ' + visible(event.name));
}

/* The total of an event without filters. */
function wholeTotal(event) {
	return event.weights.concat((event.before || []).map(([index, factor]) => [index, -factor]))
		.reduce((sum, [index, factor]) => sum + factor * selectedCol('part_total', index).reduce((a, b) => a + b, 0), 0);
}

/* ---- Elements ------------------------------------------------------------ */

/* What is searched as an expression of the command line. */
function searchedEre() {
	return state.q.length > 1 && state.q.startsWith('/') ? state.q.replace(/^\/(.*?)\/?$/, '$1') : asEre(state.q);
}

/* What one more expression makes of a filter: several are alternatives. */
function combined(key, ere) {
	return ['ignore', 'hide', 'show'].includes(key) && state[key] !== '' ? state[key] + '|' + ere : ere;
}

/* The links by which a function is filtered: focus, ignore, hide, show from. */
function refineLinks(fn) {
	const ere = '^' + asEre(fnNames.get(fn)) + '$';

	return canRefine() && fn > 0 && fn < fnCount && fnNames.get(fn) ? ['focus', 'ignore', 'hide', 'show_from']
		.map((key) => REFINE.find((kind) => kind.key === key)).map((kind, i) => [i ? ', ' : 'Stacks: ',
			el('a', { go: { [kind.key]: combined(kind.key, ere), x: '' }, title: kind.hint },
				kind.label.toLowerCase())]) : null;
}

function refineField(rule) {
	const field = el('input', { type: 'text', value: state[rule.key], spellcheck: 'false', autocomplete: 'off',
		id: 'refine-' + rule.key, title: rule.hint, 'aria-invalid': rule.error ? 'true' : null,
		on: { change: () => go({ [rule.key]: field.value, x: '' }) } });

	return el('label', { title: rule.hint }, el('span', {}, rule.label), field,
		rule.error ? el('span', { class: 'low', role: 'alert' }, rule.error) : null);
}

function refineFields() {
	const rules = refineRules();

	return el('div', { class: 'fields' }, REFINE.map((kind) =>
		refineField(rules.find((rule) => rule.key === kind.key) || { ...kind, error: '' })),
	el('span', { class: 'dim' }, 'Extended regular expressions, found in names of functions, files and objects; ' +
		'upper and lower case differ.'),
	state.q && !matchError ? el('span', {}, 'Search for ', el('code', {}, state.q), ' as ', ['focus', 'ignore', 'hide', 'show'].map((key) =>
		el('a', { class: 'button', go: { [key]: combined(key, searchedEre()), q: '', x: '' } },
			REFINE.find((kind) => kind.key === key).label))) : null);
}

function refineChips() {
	return refineRules().map((rule) => el('span', { class: 'chip' }, el('span', { class: 'dim' }, rule.label + ' '),
		el('code', {}, visible(state[rule.key])), rule.error ? el('span', { class: 'low' }, ' ' + rule.error) : '', ' ',
		el('a', { go: { [rule.key]: '', x: '' }, 'aria-label': 'Remove ' + rule.label + ' ' + state[rule.key] }, '\u00d7')));
}

function commandButton() {
	const said = el('span', { class: 'dim', role: 'status' }), command = filterCommand();

	/* No option selects parts or threads. */
	const all = selected?.parts ? 'parts' : selected?.tracks ? 'threads' : '';

	return [all ? el('span', { class: 'dim' }, 'Of all ' + all + ':') : null,
		el('code', { class: 'command', title: command }, visible(command)),
		el('button', { class: 'button', title: 'Copy the command', on: { click: () => copyText(command).then(() =>
			said.textContent = 'copied', (e) => said.textContent = e.message) } }, 'Copy'), said];
}

const refineBar = el('section', { class: 'refine', 'aria-label': 'Filters' });
const refineButton = el('a', { class: 'button', id: 'filter' }, 'Filter');

function showRefine(whole) {
	const open = state.filter === '1', focused = document.activeElement?.id;

	refineButton.hidden = !fnCount || events.every((event) => event.coverage);
	refineButton.changes = { filter: open ? '' : '1' };
	refineButton.setAttribute('href', link(refineButton.changes));
	refineButton.setAttribute('aria-expanded', String(open));
	refineBar.hidden = refineButton.hidden || (!open && !refines());
	put(refineBar, refineBar.hidden ? null : [open ? refineFields() : null,
		refines() ? el('div', { class: 'kept' }, refineChips(), labelChips(), el('span', { role: 'status' }, keptText(whole)),
			commandButton()) : null]);
	if (focused && focused.startsWith('refine-'))
		document.getElementById(focused)?.focus();
}
