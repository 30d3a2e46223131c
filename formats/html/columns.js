/*
 * columns.js - which columns of a table are shown: a menu, and the state.
 */

/* Keys of columns that are not shown. */
function columnsWithout() {
	return new Set(state.without.split('.').filter((key) => key !== ''));
}

/*
 * The columns that are shown of those that a table may have; all if none is
 * left, and those that name the rows always.
 */
function shownColumns(columns) {
	const without = columnsWithout(), shown = columns.filter((c) => c.key === 'name' || !without.has(c.key));

	return shown.length ? shown : columns;
}

let menuOpen = false; /* showing the table anew does not close it */

function columnsMenu(columns) {
	const without = columnsWithout();
	const toggle = (key) => {
		const keys = new Set(without);

		if (!keys.delete(key))
			keys.add(key);
		go({ without: [...keys].sort().join('.'), sort: '' });
	};
	const boxes = columns.filter((c) => c.key !== 'name').map((c) => {
		const box = el('input', { type: 'checkbox', checked: !without.has(c.key), id: 'column-' + c.key,
			on: { change: () => toggle(c.key) } });

		return el('label', { title: c.hint }, box, ' ', c.label);
	});
	const menu = el('details', { class: 'menu', open: menuOpen,
		on: { toggle: () => menuOpen = menu.open, keydown: (e) => {
			if (e.key === 'Escape') {
				menu.open = false;
				menu.querySelector('summary').focus();
			}
		} } }, el('summary', {}, 'Columns'), el('div', {}, boxes,
		without.size ? el('a', { go: { without: '' } }, 'All columns') : null));

	return menu;
}
