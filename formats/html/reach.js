/*
 * reach.js - all functions that a function calls, directly or not, or that call it so;
 * KCachegrind's "All Callees" and "All Callers".
 *
 * How much of the cost is spent on the way is an estimate, as in KCachegrind: a function
 * costs the same per call whoever calls it. Cycles are one function.
 */

/*
 * Calls of a node, way 'to', or of it, way 'from', as rows: those inside of a cycle are not
 * among them. CallGraph's links are sums and sorted, which takes long for all functions.
 */
class Ways {
	constructor(way) {
		this.graph = new CallGraph(currentEvent(), new Set());
		this.way = way;
		this.other = col('call_' + way);
		this.known = new Map();
	}

	end(row) {
		return this.graph.nodeOf(this.other[row]);
	}

	rows(node) {
		let rows = this.known.get(node);

		if (!rows)
			this.known.set(node, rows = this.graph.rows(node, this.way).filter((row) => {
				const end = this.end(row);

				return end !== node && end !== fnCount && end > 0;
			}));
		return rows;
	}

	/* The nodes on the ways from one: each before those behind it. */
	order(start) {
		const order = [], seen = new Set([start]), todo = [[start, 0]];

		/* Without recursion: ways may be long. */
		while (todo.length) {
			const top = todo[todo.length - 1], rows = this.rows(top[0]);

			if (top[1] === rows.length) {
				order.push(todo.pop()[0]);
				continue;
			}
			const end = this.end(rows[top[1]++]);

			if (!seen.has(end)) {
				seen.add(end);
				todo.push([end, 0]);
			}
		}
		return order.reverse();
	}
}

/* Rows { fn, cost, self, distance }, and the cost of the function, or of its cycle. */
function reach(event, fn, way) {
	const ways = new Ways(way), start = ways.graph.nodeOf(fn), call = costs('call_cost', event);
	const size = costs('fn_inclusive', event), self = costs('fn_self', event), order = ways.order(start);
	const at = new Map(order.map((node) => [node, { fn: node, cost: 0, self: 0, distance: Infinity }]));

	Object.assign(at.get(start), { cost: size[start], distance: 0 });
	for (const node of order) {
		const { cost } = at.get(node);

		/* The share of a caller's cost, or of what is called, that is this call's. */
		for (const row of size[node] ? ways.rows(node) : [])
			at.get(ways.end(row)).cost += cost * Math.min(1, call[row] / size[node]);
	}
	for (let edge = [start], depth = 1; edge.length; depth++)
		edge = edge.flatMap((node) => ways.rows(node)).map((row) => at.get(ways.end(row)))
			.filter((row) => row.distance === Infinity && (row.distance = depth)).map((row) => row.fn);
	at.delete(start);
	for (const row of at.values())
		row.self = size[row.fn] ? row.cost * self[row.fn] / size[row.fn] : 0;
	return { rows: [...at.values()], all: Math.abs(size[start]) };
}

function reachTable(label, fn, event, way) {
	const { rows, all } = reach(event, fn, way);
	const cost = (key, title, hint) => ({ key, label: title, hint, number: true, width: costWidth(key === 'self' ? 140 : 176),
		value: (row) => row[key], text: (row) => Math.round(row[key]), show: (row) => bar([showCost(Math.round(row[key]), event),
			el('span', { class: 'pct', title: 'of the function' }, percent(row[key], all))], all ? row[key] / all : 0) });
	const columns = [cost('cost', 'Inclusive', 'on ways ' + (way === 'to' ? 'from' : 'to') + ' the function; estimated'),
		...way === 'to' && !narrow() ? [cost('self', 'Self', 'on ways from the function; estimated')] : [],
		{ key: 'distance', label: 'Distance', number: true, width: wide(90, 72), hint: 'calls between, at least',
			value: (row) => row.distance, show: (row) => number(row.distance) },
		{ key: 'name', label: 'Function', width: 'minmax(' + wide(160, 120) + ', 1fr)', value: (row) => fnName(row.fn),
			show: (row) => fnLink(row.fn) }];

	if (!rows.length)
		return card(label, el('p', { class: 'dim' }, 'none'));
	const table = new Table({ label, rows, columns, tall: rows.length > 14, sortKey: '-cost' });

	return card([label + ' (' + number(rows.length) + ')', tableTools(table)], table.box);
}
