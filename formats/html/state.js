/*
 * state.js - what is shown, all of it in the URL's fragment, so that a link
 * shows the same: view, event, search, selected function, file and line, and
 * what single views add.
 */

const DEFAULTS = { view: '', event: '', q: '', fn: '', file: '', line: '', sort: '',
	mode: '', up: '', group: '', of: '', rec: '', track: '', x: '', unit: '', all: '', tab: '',
	test: '', theme: '', callers: '', callees: '', least: '', open: '', way: '', map: '',
	levels: '', far: '', by: '', instr: '', rows: '', idle: '', hex: '', asm: '', bars: '', against: '', filter: '', focus: '', ignore: '', hide: '', show: '',
	show_from: '', prune_from: '', only_object: '', label: '', no_label: '', formula: '', parts: '', threads: '',
	time: '', without: '', real: '', panes: '', x1: '', x2: '' };
let state = { ...DEFAULTS };

function readState() {
	const params = new URLSearchParams(location.hash.slice(1));

	state = { ...DEFAULTS };
	for (const key of Object.keys(DEFAULTS))
		if (params.has(key))
			state[key] = params.get(key);
}

/* The fragment of the state with some changes. */
function link(changes) {
	const params = new URLSearchParams();

	for (const [key, value] of Object.entries({ ...state, ...withPanes(changes) }))
		if (value !== '' && value !== null && value !== undefined)
			params.set(key, value);
	return '#' + params.toString();
}

/* Shows that state; a new step for the Back button. */
function go(changes) {
	location.hash = link(changes);
}

/* The same for a view that shows the change itself. */
function pushState(changes) {
	state = { ...state, ...changes };
	history.pushState(null, '', link({}));
	renewLinks();
}

function renewLinks() {
	for (const at of document.querySelectorAll('a'))
		if (at.changes)
			at.setAttribute('href', link(at.changes));
}

/* Keeps that state without another step and without showing anything anew. */
function keep(changes) {
	state = { ...state, ...changes };
	history.replaceState(null, '', link({}));
	renewLinks();
}

function currentEvent() {
	return events.find((event) => event.name === state.event) || events[mainEvent()] ||
		{ name: '', title: '', unit: '', text: '', weights: [], before: null, coverage: false };
}

/* A number of the state; -1 if there is none. */
function chosen(key, count) {
	const value = /^\d+$/.test(state[key]) ? Number(state[key]) : -1;

	return value < count ? value : -1;
}

/* ---- Search ------------------------------------------------------------- */

/*
 * Text, or a regular expression between slashes; NULL: nothing is searched.
 * Throws what is wrong with the expression.
 */
function matcher(text) {
	if (text === '')
		return null;
	if (text.length > 1 && text.startsWith('/')) {
		const re = new RegExp(text.replace(/^\/(.*?)\/?$/, '$1'), 'i');

		return (name) => re.test(name);
	}
	const low = text.toLowerCase();

	return (name) => name.toLowerCase().includes(low);
}

let matches = null; /* by function: 1 if it matches; NULL: nothing is searched */
let matchedText = '', matchError = '';

function search() {
	if (matchedText === state.q)
		return matches;
	matchedText = state.q;
	matchError = '';
	matches = null;
	try {
		const match = matcher(state.q);

		if (match) {
			matches = new Uint8Array(fnCount + 1 + one('cycles'));
			for (let i = 0; i < matches.length; i++)
				matches[i] = i !== fnCount && match(fnName(i)) ? 1 : 0;
		}
	} catch (e) {
		matchError = e.message;
	}
	return matches;
}
