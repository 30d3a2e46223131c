/*
 * tree.js - call stacks as a tree of rows that open: callees below their
 * callers, or (bottom up) callers below functions with self cost. Nodes of one
 * function below one row are one row. Rows are made when their row is opened.
 *
 * A row has: fn, depth, nodes (of the stacks), weight (of each node, bottom up),
 * cost, self, before, open, children (NULL: not made yet), root: the function
 * whose costs these are a part of.
 */

/* Rows that open at first: the way with at least half of the cost of each row, while it is a part of the whole. */
const ON_THE_WAY = 0.5, OF_WHOLE = 0.05, WAY = 30;
const MOST_OPENED = 5000; /* rows by one key */

let childIndex = null;

onSelection(() => childIndex = null);

/* Nodes by parent: where those of each begin, and the nodes. */
function nodeChildren() {
	if (childIndex)
		return childIndex;
	const parent = parents(), n = parent.length;
	const begin = new Uint32Array(n + 1), nodes = new Uint32Array(n);

	for (let i = 1; i < n; i++)
		begin[parent[i] + 1]++;
	for (let i = 1; i <= n; i++)
		begin[i] += begin[i - 1];

	const next = begin.slice();

	for (let i = 1; i < n; i++)
		nodes[next[parent[i]]++] = i;
	return childIndex = { begin, nodes };
}

class CallTree {
	constructor(event, bottomUp) {
		const parent = parents();

		this.event = event;
		this.bottomUp = bottomUp;
		this.self = costs('node_self', event);
		this.before = event.before ? costs('node_self', event, 'before') : null;
		if (!bottomUp) {
			this.sum = inclusive(this.self, parent);
			this.sumBefore = this.before ? inclusive(this.before, parent) : null;
		}
		this.top = { fn: -1, depth: -1, nodes: [0], open: true, children: null };
		if (bottomUp)
			this.top.nodes = Array.from(this.self.keys())
				.filter((i) => i && (this.self[i] || (this.before && this.before[i])));
		this.openWay();
	}

	/* Adds a node to the row of its function among the children of a row. */
	add(rows, fn, node, from, above) {
		let row = rows.get(fn);

		if (!row)
			rows.set(fn, row = { fn, depth: above.depth + 1, nodes: [], from: [], cost: 0, self: 0,
				before: 0, open: false, children: null,
				root: this.bottomUp && above !== this.top ? above.root : fn });
		row.nodes.push(node);
		if (this.bottomUp) {
			row.from.push(from);
			row.cost += this.self[from];
			row.before += this.before ? this.before[from] : 0;
		} else {
			row.cost += this.sum[node];
			row.self += this.self[node];
			row.before += this.sumBefore ? this.sumBefore[node] : 0;
		}
	}

	children(row) {
		if (row.children)
			return row.children;
		const fn = col('node_fn'), rows = new Map();

		if (this.bottomUp && row === this.top) {
			for (const node of row.nodes)
				this.add(rows, fn[node], node, node, row);
		} else if (this.bottomUp) {
			const parent = parents();

			row.nodes.forEach((node, i) => {
				if (parent[node])
					this.add(rows, fn[parent[node]], parent[node], row.from[i], row);
			});
		} else {
			const { begin, nodes } = nodeChildren();

			for (const node of row.nodes)
				for (let i = begin[node]; i < begin[node + 1]; i++)
					this.add(rows, fn[nodes[i]], nodes[i], 0, row);
		}
		/* Other events' stacks cost nothing. */
		return row.children = [...rows.values()].filter((child) => child.cost || child.self || child.before).sort((a, b) =>
			Math.abs(b.cost) - Math.abs(a.cost) || a.fn - b.fn);
	}

	openWay() {
		const all = Math.abs(whole(this.event));
		let row = this.top, cost = all;

		for (let i = 0; i < WAY && !this.bottomUp; i++) {
			const [first] = this.children(row);

			if (!first || Math.abs(first.cost) < Math.max(ON_THE_WAY * cost, OF_WHOLE * all))
				return;
			first.open = true;
			row = first;
			cost = Math.abs(first.cost);
		}
	}

	/* Opens a row and all below it, of a large tree the first ones. */
	openAll(row) {
		const todo = [row];

		for (let i = 0; i < todo.length && i < MOST_OPENED; i++)
			if (this.canOpen(todo[i])) {
				todo[i].open = true;
				for (const child of this.children(todo[i]))
					todo.push(child);
			}
	}

	/* The rows in sight, without recursion: stacks may be deep. */
	rows() {
		const rows = [], todo = [this.top];

		while (todo.length) {
			const row = todo.pop();

			if (row !== this.top)
				rows.push(row);
			/* One by one: a call has only so many arguments. */
			for (let list = row.open ? this.children(row) : [], i = list.length - 1; i >= 0; i--)
				todo.push(list[i]);
		}
		return rows;
	}

	/* Bottom up each node of a row ends at a root or has a caller. */
	canOpen(row) {
		if (this.bottomUp)
			return row.nodes.some((node) => parents()[node]);
		const { begin } = nodeChildren();

		return row.nodes.some((node) => begin[node] < begin[node + 1]) && this.children(row).length > 0;
	}
}

const INDENT = 14, DEEPEST = 40; /* pixels a level; levels with more of them */

function treeName(tree, row, redo) {
	const indent = el('span', { class: 'indent' }), name = fnName(row.fn);

	indent.style.width = Math.min(row.depth, DEEPEST) * INDENT + 'px';
	return [indent, tree.canOpen(row) ? el('button', { class: 'fold',
		'aria-expanded': String(row.open), 'aria-label': (row.open ? 'Close ' : 'Open ') + name,
		on: { click: () => redo(row, !row.open) } }, row.open ? '\u25be' : '\u25b8')
		: el('span', { class: 'fold' }, '\u2002'), fnLink(row.fn)];
}

function treeColumns(tree, redo) {
	const event = tree.event, all = whole(event);
	const cost = (key, label, value) => ({ key, label, number: true, width: costWidth(narrow() ? 182 : 170),
		text: value, show: (row) => bar([showCost(value(row), event), state.unit === 'pct' ? null
			: el('span', { class: 'pct' }, percent(value(row), all))], all ? value(row) / all : 0) });
	const name = { key: 'name', label: 'Function', width: 'minmax(' + wide(300, 240) + ', 1fr)',
		text: (row) => '  '.repeat(row.depth) + fnName(row.fn), show: (row) => treeName(tree, row, redo) };
	/* Tells functions without a name apart, too. */
	const object = one('objects') > 1 && !narrow() ? [{ key: 'object', label: 'Object', width: '200px',
		text: (row) => objectPath(row.fn), show: (row) => el('span', { class: 'dim', title: objectPath(row.fn) },
			baseName(objectPath(row.fn))) }] : [];

	const grey = (row) => isUnreal(event, tree.bottomUp ? 'self' : 'inclusive', row.root);

	if (event.before)
		return [{ key: 'before', label: 'Before', number: true, width: costWidth(110),
			text: (row) => row.before, show: (row) => showCost(row.before, event) },
		{ key: 'cost', label: 'Change', number: true, width: costWidth(120), text: (row) => row.cost,
			show: (row) => bar(change(row.cost, event, undefined, grey(row)), all ? row.cost / all : 0,
				wayOf(row.cost, grey(row))) },
		...verdictColumn(event, 'real', tree.bottomUp ? 'self' : 'inclusive', (row) => [row.root], 'Verdict of function'), name, ...object];
	return [cost('cost', tree.bottomUp ? 'Self, by caller' : 'Inclusive', (row) => row.cost),
		...(tree.bottomUp || narrow() ? [] : [cost('self', 'Self', (row) => row.self)]), name, ...object];
}

function showTree(main) {
	const event = currentEvent();

	search();

	const tree = new CallTree(event, state.mode === 'inverted');
	const redo = (row, open, all) => {
		row.open = open;
		if (all)
			tree.openAll(row);
		table.rows = tree.rows();
		table.active = table.rows.indexOf(row);
		table.from = -1;
		table.fill();
	};
	const table = new Table({ label: 'Call tree', rows: tree.rows(), choose: true,
		columns: treeColumns(tree, (row, open) => redo(row, open)),
		onAll: (row) => tree.canOpen(row) && redo(row, true, true),
		onOpen: (row, open) => tree.canOpen(row) && row.open !== open && redo(row, open),
		open: (row) => tree.canOpen(row) && redo(row, !row.open) });

	return put(main, el('div', { class: 'controls' },
		choice('Order', 'mode', [['', 'Top down', 'callees below their callers'],
			['inverted', 'Bottom up', 'callers below functions with self cost']]),
		numberChoice(), narrow() ? null : el('span', { class: 'dim' }, 'Right and left arrow: open and close a row; *: all below it.'),
		tableTools(table)), table.box);
}
