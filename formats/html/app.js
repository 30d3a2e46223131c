/*
 * app.js - the frame around the views: tabs, event, search, theme. Each change
 * of the fragment shows the view anew.
 */

const VIEWS = [
	{ key: 'overview', label: 'Overview', show: showOverview },
	{ key: 'flame', label: 'Flame graph', show: showFlame, needs: ['stacks'] },
	{ key: 'tree', label: 'Call tree', show: showTree, needs: ['stacks'] },
	{ key: 'time', label: 'Time', show: showTime, needs: ['stacks'] },
	{ key: 'functions', label: 'Functions', show: showFunctions },
	{ key: 'function', label: 'Function', show: showFunction, needs: ['calls', 'lines', 'sources', 'parts'] },
	{ key: 'graph', label: 'Call graph', show: showGraph, needs: ['calls'] },
	{ key: 'map', label: 'Map', show: showMap, needs: ['calls'] },
	{ key: 'source', label: 'Source', show: showSource,
		get needs() {
			return ['calls', 'lines', 'sources', 'tests', 'jumps', ...state.asm ? ['instrs'] : []];
		} },
	{ key: 'instrs', label: 'Instructions', show: showInstrs, needs: ['instrs', 'jumps', 'sources'] },
	{ key: 'parts', label: 'Parts', show: showParts, needs: ['parts'], whole: true },
	{ key: 'labels', label: 'Labels', show: showLabels, needs: ['stacks'] },
	{ key: 'coverage', label: 'Coverage', show: showCoverage, needs: ['lines', 'sources', 'tests'], whole: true },
];

function isDark() {
	return state.theme ? state.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/* Views that have nothing to show are not offered. */
function offered(view) {
	const profile = !events.length || events.some((event) => !event.coverage);

	/* Also if filters leave none. */
	const calls = wholeCol('calls')[0] > 0, frames = wholeCol('frames')[0] > 0;
	const has = { coverage: col('cover_file').length > 0, instrs: one('instrs') > 0, graph: profile && calls,
		map: profile && calls, parts: hasParts(), time: trackCount() > 0, labels: one('labels') > 0, flame: frames, tree: frames,
		source: wholeCol('lines')[0] > 0 || state.file !== '' }; /* a link to a place shows its text */

	return has[view.key] !== false;
}

function currentView() {
	return VIEWS.find((view) => view.key === state.view && offered(view)) || VIEWS[0];
}

const main = el('main', { id: 'view', tabindex: -1 });
const tabs = el('nav', { 'aria-label': 'Views' });
const eventBox = el('select', { id: 'event', 'aria-label': 'Event',
	on: { change: (e) => go({ event: e.target.value, x: '', sort: '' }) } });
const searchBox = el('input', { id: 'search', type: 'search', placeholder: 'Search: text or /expression/',
	'aria-label': 'Search for functions and files', autocomplete: 'off', spellcheck: 'false' });
const searchNote = el('span', { class: 'note', role: 'status' });
const themeBox = el('button', { id: 'theme', title: 'Light or dark',
	on: { click: () => {
		keep({ theme: isDark() ? 'light' : 'dark' });
		show();
	} } }, '\u25d0');

function showTabs() {
	put(tabs, VIEWS.filter(offered).map((view) => el('a', { go: tabChanges(view),
		'aria-current': view === currentView() ? 'page' : null }, view.label)));
	tabs.querySelector('[aria-current]').scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/* What the views count, if that may be chosen. */
const selectBar = el('section', { class: 'select', 'aria-label': 'Selection' });

function showSelection() {
	const focused = document.activeElement?.closest('.part')?.getAttribute('aria-label');

	readSelection();
	selectBar.hidden = !hasParts() && !isTimed();
	put(selectBar, hasParts() ? partStrip() : null, isTimed() ? [hasParts() ? null : 'Counted:', timeChips()] : null);
	if (focused)
		[...selectBar.querySelectorAll('.part')].find((at) => at.getAttribute('aria-label') === focused)?.focus();
}

/* Data files that the selection and the filters count. */
function countedData() {
	return (selected ? COUNTED_DATA : []).concat(filterKey() === '' ? [] : wholeCol('frames')[0] > 0 ? ['stacks']
		: ['calls', 'lines', 'instrs']);
}

/* Filters count what a view shows; those of parts and of coverage show the whole, as all do if filters cannot count. */
function filterView(view) {
	applyFilters(view.whole || (filterKey() !== '' && (!canRefine() || countedData().some(isMissing))));
}

function showFilters() {
	filterView(currentView());
	showRefine(Boolean(currentView().whole));
}

function showEvents() {
	put(eventBox, events.map((event) => el('option', { value: event.name,
		selected: event === currentEvent() }, visible(event.name) +
		(event.title && event.title !== event.name ? ' \u2013 ' + visible(event.title) : ''))));
	eventBox.hidden = events.length < 2;
}

function showSearch() {
	if (document.activeElement !== searchBox)
		searchBox.value = state.q;
	search();
	searchBox.setAttribute('aria-invalid', matchError ? 'true' : 'false');
	searchNote.textContent = matchError ? 'not an expression' : matches
		? plural(matches.subarray(0, fnCount).reduce((a, b) => a + b, 0), 'function') : '';
	searchNote.title = matchError;
}

function show() {
	const focused = document.activeElement?.id;

	if (flame)
		flame.stop();
	flame = null;
	graphView?.stop();
	mapView?.stop();
	timeView?.stop();
	hideTip();
	document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
	readFormulas();
	showSelection();
	showFilters();
	showTabs();
	showEvents();
	showSearch();
	showViews();
	/* Check boxes of columns are made anew. */
	if (focused && document.activeElement === document.body)
		document.getElementById(focused)?.focus();
}

let zoomKey = 'x'; /* of the state, for the view that is made */
let waiting = 0; /* views whose data is not there yet */

function showViews() {
	waiting = 0;
	arrangePanes(main).forEach(({ view, at }, i) => {
		zoomKey = ZOOM_KEYS[i];
		showView(view, at);
	});
}

function shown() {
	if (waiting === 0) {
		main.dataset.view = currentView().key;
		document.documentElement.dataset.ready = 'true';
	}
}

/* A view whose data has to be loaded is shown when it is there. */
function showView(view, at) {
	/* The overview of two coverage runs compares their lines. */
	const needs = view.key === 'overview' && compared() ? ['lines'] : view.needs || [];
	const missing = needs.concat(countedData()).filter(isMissing);

	at.className = at === main ? 'view-' + view.key : 'pane-body view-' + view.key;
	if (!missing.length) {
		showKept(view, at);
		return shown();
	}
	waiting++;
	put(at, el('div', { class: 'empty' }, el('p', { role: 'status' }, 'Loading \u2026')));
	return Promise.all(missing.map(load)).then(() => {
		if (view === currentView() || at !== main)
			show();
	}, (e) => {
		if (view === currentView() || at !== main)
			put(at, el('div', { class: 'empty' }, el('p', { role: 'alert' }, e.message)));
		document.documentElement.dataset.ready = 'true';
	});
}

let typing = 0;

searchBox.addEventListener('input', () => {
	clearTimeout(typing);
	typing = setTimeout(() => {
		keep({ q: searchBox.value });
		show();
	}, fnCount > 20000 ? 250 : 80);
});

/* Keys of the whole page: digits for views, / for the search. */
addEventListener('keydown', (e) => {
	if (e.ctrlKey || e.metaKey || e.altKey)
		return;
	if (e.target === searchBox) {
		if (e.key === 'Escape' || e.key === 'Enter')
			(main.querySelector('canvas') || main.querySelector('.table') || main).focus();
		return;
	}
	const typed = e.target instanceof HTMLSelectElement ||
		(e.target instanceof HTMLInputElement && e.target.type !== 'checkbox');

	if (e.key === 'F6' && paneBodies.length) {
		e.preventDefault();
		nextPane(e.shiftKey);
	} else if (typed) {
		return; /* expressions and times have such letters */
	} else if (e.key === '/') {
		e.preventDefault();
		searchBox.focus();
		searchBox.select();
	} else if (/^[1-9]$/.test(e.key)) {
		const view = VIEWS.filter(offered)[Number(e.key) - 1];

		if (view)
			go(tabChanges(view));
	}
});

/* A difference without a --title has the names of both inputs, or of their runs. */
function pageTitle() {
	const inputs = texts('input').all(), named = !differs || document.title !== inputs[0];

	return named ? visible(document.title) : comparedRuns() ||
		visible(inputs.length === 2 ? inputs.join(' \u2192 ') : document.title);
}

function build() {
	const title = document.title = pageTitle();

	document.body.append(el('header', {}, el('button', { class: 'skip', on: { click: () => main.focus() } },
		'To the contents'), el('h1', { title }, title, differs && !title.includes('\u2192') ? el('small', {}, ' difference') : ''),
	tabs, el('span', { class: 'gap' }), eventBox, searchBox, searchNote, refineButton, paneBox, themeBox), refineBar, selectBar, main);
}

async function start() {
	try {
		await loadData();
	} catch (e) {
		document.body.append(el('p', { class: 'empty' }, 'The data of this report is damaged: ' + e.message));
		return;
	}
	readState();
	build();
	addEventListener('hashchange', () => {
		readState();
		show();
	});
	addEventListener('beforeprint', fillPrinted);
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
	WIDE.addEventListener('change', show);
	show();
}

start();
