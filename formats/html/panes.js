/*
 * panes.js - two or three views at once on wide screens: that of the tab on the
 * left, others on the right, which follow the selected function.
 */

const WIDE = matchMedia('(min-width: 1200px)');
const ZOOM_KEYS = ['x', 'x1', 'x2']; /* of the state, by view */
const MOST_PANES = 2; /* besides the view of the tab */
const BESIDES = ['function', 'graph', 'flame', 'source', 'map', 'tree', 'functions', 'overview'];

/* Keys of the views on the right; none on narrow screens. */
function paneKeys() {
	const keys = WIDE.matches ? state.panes.split('.') : [];

	return [...new Set(keys)].filter((key) => key !== currentView().key &&
		VIEWS.some((view) => view.key === key && offered(view))).slice(0, MOST_PANES);
}

/* The list with as many views as wanted. */
function panesOf(n) {
	const keys = paneKeys(), main = currentView().key;
	const more = BESIDES.filter((key) => key !== main && !keys.includes(key) &&
		VIEWS.some((view) => view.key === key && offered(view)));

	return [...keys, ...more].slice(0, n).join('.');
}

/*
 * Changes of the state by a link. With panes, a link to a function selects it where it is, and one
 * to another view shows that in the last pane, if it is not in sight.
 */
function withPanes(changes) {
	const keys = paneKeys();

	if (!keys.length || 'panes' in changes)
		return changes;
	const more = { ...changes.x === '' ? { x1: '', x2: '' } : {}, ...changes }, fn = changes.fn, now = currentView().key;

	if (fn > 0 && fn < fnCount && changes.file === undefined && keys.concat(now).includes('source'))
		Object.assign(more, { file: '', line: '' });
	if (changes.view !== undefined && changes.view !== now) {
		if (!keys.includes(changes.view) && changes.view !== 'function')
			more.panes = keys.slice(0, -1).concat(changes.view).join('.');
		more.view = state.view;
	}
	return more;
}

/* The tab of a view that is on the right changes places with it. */
function tabChanges(view) {
	const keys = paneKeys(), main = currentView();

	return { view: view.key, x: view === main ? state.x : '', sort: '', ...keys.length
		? { panes: keys.map((key) => key === view.key ? main.key : key).join('.'), x1: '', x2: '' } : {} };
}

const paneBox = el('button', { id: 'panes', title: 'One, two or three views at once; F6: the next one', on: { click: () =>
	go({ panes: panesOf((paneKeys().length + 1) % (MOST_PANES + 1)), x1: '', x2: '' }) } }, '\u25eb');

function setPane(index, key) {
	const keys = paneKeys();

	if (key)
		keys[index] = key;
	else
		keys.splice(index, 1);
	go({ panes: keys.join('.'), x1: '', x2: '' });
}

function paneHead(key, index) {
	const keys = paneKeys();

	return el('div', { class: 'pane-head' }, el('select', { 'aria-label': 'View on the right, ' + (index + 1),
		on: { change: (e) => setPane(index, e.target.value) } }, VIEWS.filter((view) => offered(view) &&
		view !== currentView() && (view.key === key || !keys.includes(view.key)))
		.map((view) => el('option', { value: view.key, selected: view.key === key }, view.label))),
	el('button', { class: 'button', 'aria-label': 'Close this view', title: 'Close', on: { click: () => setPane(index, '') } },
		'\u00d7'));
}

let paneBodies = []; /* where the views are shown */

/* The elements of all views: { view, at }; main alone if there is one view. */
function arrangePanes(main) {
	const keys = paneKeys(), views = [currentView(), ...keys.map((key) => VIEWS.find((view) => view.key === key))];

	paneBox.hidden = !WIDE.matches;
	paneBox.setAttribute('aria-label', 'Views at once: ' + views.length);
	if (!keys.length) {
		paneBodies = [];
		return [{ view: views[0], at: main }];
	}
	if (paneBodies.length !== views.length || paneBodies[0].closest('main') !== main) {
		paneBodies = views.map(() => el('div', { class: 'pane-body', tabindex: -1 }));
		put(main, paneBodies.map((body, i) => el('section', { class: 'pane', 'aria-label': views[i].label },
			i ? el('div', { class: 'pane-top' }) : null, body)));
	}
	main.className = 'panes panes-' + views.length;

	const order = views.map((view) => view.key).join();

	return views.map((view, i) => {
		const pane = paneBodies[i].parentNode;

		pane.setAttribute('aria-label', view.label);
		if (i && pane.dataset.keys !== order) {
			const focused = pane.querySelector('.pane-top select') === document.activeElement;

			put(pane.querySelector('.pane-top'), paneHead(view.key, i - 1));
			if (focused)
				pane.querySelector('.pane-top select').focus();
		}
		pane.dataset.keys = order;
		return { view, at: paneBodies[i] };
	});
}

/* Shows a view, and keeps what was in sight of its table, and the focus. */
function showKept(view, at) {
	const same = at.dataset.view === view.key && paneBodies.length > 0;
	const top = same ? at.querySelector('.table')?.scrollTop : 0, focused = at.contains(document.activeElement);

	filterView(view);
	view.show(at);
	at.dataset.view = view.key;
	/* The other views have what filters leave. */
	if (view.whole && paneBodies.length)
		filterView({ whole: false });

	const table = at.querySelector('.table');

	if (top && table)
		table.scrollTop = top;
	if (paneBodies.length && focused && !at.contains(document.activeElement))
		(table || at.querySelector('canvas, svg[tabindex]') || at).focus();
}

/* The file and line of the selected function, which sources show next to other views. */
function followedPlace() {
	const fn = paneBodies.length && state.file === '' ? chosen('fn', fnCount) : -1, file = fn > 0 ? col('fn_file')[fn] : 0;

	if (!file)
		return null;
	const line = linesOf(fn).filter((row) => col('line_file')[row] === file)
		.reduce((least, row) => Math.min(least, col('line_number')[row]), Infinity);

	return { file, line: col('fn_line')[fn] || (line < Infinity ? line : 0) };
}

let following = 0;

/* Shows the other views again, after a view has selected another function by itself. */
function follow(from) {
	clearTimeout(following);
	if (paneBodies.length)
		following = setTimeout(() => arrangePanes(main).forEach(({ view, at }, i) => {
			zoomKey = ZOOM_KEYS[i];
			if (!at.contains(from))
				showView(view, at);
		}), 120);
}

/* F6 goes to the next view. */
function nextPane(back) {
	const now = paneBodies.findIndex((body) => body.parentNode.contains(document.activeElement));
	const next = paneBodies[(now + (back ? -1 : 1) + paneBodies.length) % paneBodies.length];

	(next.querySelector('canvas, .table, svg[tabindex]') || next).focus();
}
