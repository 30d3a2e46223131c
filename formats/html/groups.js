/*
 * groups.js - self costs of functions by object, file, directory or class, as
 * KCachegrind groups them; a click on a group shows its functions.
 *
 * Inclusive costs of functions in a group overlap, so that a group has none.
 */

/* "int ns::Class::f(int)" -> "ns::Class", "pkg.(*T).f" -> "pkg.T" */
function className(name) {
	return qualifier(name).replace(/<.*/, '').replace(/^[\w:*& ]* (?=\w)/, '').replace(/\(\*([^()]*)\)/g, '$1');
}

function directory(path) {
	const at = path.lastIndexOf('/');

	return at > 0 ? path.slice(0, at) : at === 0 ? '/' : '';
}

const GROUPS = {
	object: { label: 'Object', none: '(no object)', of: objectPath },
	file: { label: 'File', none: '(no file)', of: (fn) => filePath(col('fn_file')[fn]) },
	dir: { label: 'Directory', none: '(no directory)',
		of: (fn) => directory(filePath(col('fn_file')[fn])) },
	class: { label: 'Class', none: '(no class)', of: (fn) => className(fnName(fn)) },
};

/* The group that is chosen, or NULL. */
function currentGroup() {
	return Object.hasOwn(GROUPS, state.group) ? GROUPS[state.group] : null;
}

/* By default all functions; with a chosen group those that are in it. */
function inGroup(fn) {
	const group = currentGroup();

	return !group || state.of === '' || (group.of(fn) || group.none) === state.of;
}

/* Sums of self costs and numbers of functions by group. */
function sumGroups(rows, group, event) {
	const self = costs('fn_self', event), sums = new Map();
	const before = event.before ? costs('fn_self', event, 'before') : EMPTY;

	for (const fn of rows) {
		if (fn >= fnCount) /* cycles have the costs of their members */
			continue;
		const name = group.of(fn) || group.none;
		const sum = sums.get(name) || { name, fns: 0, cost: 0, before: 0 };

		sums.set(name, sum);
		sum.fns++;
		sum.cost += self[fn];
		sum.before += before[fn] || 0;
	}
	return [...sums.values()];
}

function groupTable(rows, event) {
	const group = currentGroup(), sums = sumGroups(rows, group, event);
	const all = whole(event), narrow = innerWidth < 700;
	const columns = [{ key: 'cost', label: event.before ? 'Change of self' : 'Self', number: true,
		width: costWidth(170), value: (row) => row.cost,
		show: (row) => bar(event.before ? change(row.cost, event)
			: [showCost(row.cost, event), state.unit === 'pct' ? null
				: el('span', { class: 'pct' }, percent(row.cost, all))],
		all ? row.cost / all : 0, event.before ? (row.cost > 0 ? 'up' : 'down') : '') },
	{ key: 'fns', label: 'Functions', number: true, width: '110px', value: (row) => row.fns,
		show: (row) => number(row.fns) },
	{ key: 'name', label: group.label, width: 'minmax(160px, 1fr)', value: (row) => row.name,
		show: (row) => el('a', { go: { of: row.name, sort: '' }, title: row.name },
			narrow ? baseName(row.name) : row.name) }];

	if (narrow)
		columns.unshift(columns.pop());
	if (event.before)
		columns.splice(narrow ? 1 : 0, 0, { key: 'before', label: 'Before', number: true, width: costWidth(125),
			value: (row) => row.before, show: (row) => showCost(row.before, event) });
	return new Table({ label: 'Functions by ' + group.label.toLowerCase(), rows: sums, columns, choose: true,
		sortKey: state.sort || '-cost', onSort: (sort) => keep({ sort }),
		open: (row) => go({ of: row.name, sort: '' }) });
}

function groupControls() {
	const group = currentGroup();

	return [choice('Group', 'group', [['', 'Functions']].concat(Object.entries(GROUPS)
		.filter(([key]) => (key === 'object' ? one('objects') : key === 'class' || one('files')) > 0)
		.map(([key, g]) => [key, g.label])), '', { of: '', sort: '' }),
	group && state.of ? el('a', { class: 'chip', go: { of: '', sort: '' }, title: 'Show all groups' },
		state.of + ' \u00d7') : null];
}
