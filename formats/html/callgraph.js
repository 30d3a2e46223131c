/*
 * callgraph.js - which functions and calls are in the picture of calls: those
 * around a function, or the most costly ones of the whole profile. The
 * functions of a cycle are one node, a cycle as data.js numbers it, until it is
 * opened.
 */

const MOST_NODES = 500;

let membersByCycle = null;

onSelection(() => membersByCycle = null);

function membersOf(node) {
	if (!membersByCycle) {
		membersByCycle = Array.from({ length: one('cycles') + 1 }, () => []);
		col('fn_cycle').forEach((cycle, fn) => cycle && membersByCycle[cycle].push(fn));
	}
	return node > fnCount ? membersByCycle[node - fnCount] : [node];
}

/**
 * Costs of an event in columns of that name, before (of differences) and after.
 * @returns {[?Float64Array, Float64Array]}
 */
function sides(name, event) {
	return [event.before ? costs(name, event, 'before') : null, costs(name, event, 'after')];
}

/* The larger of both; costs may be negative. */
function magnitude([before, after], at) {
	return Math.max(before ? Math.abs(before[at]) : 0, Math.abs(after[at]));
}

/*
 * The cycles that are open: those that the state names; all; or, as nobody has
 * opened or closed one, that of the selected function.
 */
function openCycles() {
	const fn = chosen('fn', fnCount);

	if (state.open === 'all')
		return new Set(Array.from({ length: one('cycles') }, (_, i) => i + 1));
	if (state.open === '')
		return new Set(fn > 0 && col('fn_cycle')[fn] ? [col('fn_cycle')[fn]] : []);
	return new Set(state.open.split('.').filter((text) => /^\d+$/.test(text)).map(Number));
}

/* The same with one more or less. */
function toggled(cycle) {
	const open = openCycles();

	if (!open.delete(cycle))
		open.add(cycle);
	return [...open].sort((a, b) => a - b).join('.') || 'none';
}

function cycleChoice() {
	return one('cycles') ? choice('Cycles', 'open', [['none', 'Cycles closed', 'a cycle is one box'],
		['all', 'Open', 'each function of a cycle is a box']], openCycles().size ? '' : 'none') : null;
}

class CallGraph {
	/* opened: numbers of cycles. */
	constructor(event, opened) {
		this.event = event;
		this.opened = opened;
		this.cycle = col('fn_cycle');
		this.sizes = sides('fn_inclusive', event);
		this.costs = sides('call_cost', event);
		this.counts = col('call_count');
		this.share = 0; /* the least that is shown; set by the view */
		this.known = { to: new Map(), from: new Map() };
	}

	nodeOf(fn) {
		const cycle = fn < fnCount ? this.cycle[fn] : 0;

		return cycle && !this.opened.has(cycle) ? fnCount + cycle : fn;
	}

	rows(node, way) {
		const index = calleeIndex();

		return membersOf(node).flatMap((fn) => way === 'to' ? callsOf(fn)
			: Array.from(index.rows.subarray(index.begin[fn], index.begin[fn + 1])));
	}

	/*
	 * The calls of a node, way 'to', or of it, way 'from', by the node at their
	 * other end; calls inside of a cycle that is not open are not among them.
	 */
	links(node, way) {
		if (!this.known[way].has(node)) {
			const other = col('call_' + way), by = new Map();

			for (const row of this.rows(node, way)) {
				const end = this.nodeOf(other[row]);

				if (end === fnCount || (end === node && node > fnCount))
					continue;
				if (!by.has(end))
					by.set(end, []);
				by.get(end).push(row);
			}
			this.known[way].set(node, [...by].map(([end, rows]) => this.link(node, end, rows, way))
				.sort((a, b) => b.size - a.size || a.end - b.end));
		}
		return this.known[way].get(node);
	}

	link(node, end, rows, way) {
		const [from, to] = way === 'to' ? [node, end] : [end, node];
		const sum = (values) => values ? rows.reduce((all, row) => all + values[row], 0) : 0;
		const [before, after] = this.costs.map(sum);

		return { end, from, to, count: sum(this.counts), before, after,
			cost: after - before, size: Math.max(Math.abs(before), Math.abs(after)) };
	}

	/* Nodes by calls of at least that size, nearest and largest first. */
	spread(picked, node, way, depth, least) {
		let edge = [node];

		for (let i = 0; i < depth && edge.length; i++) {
			const next = edge.flatMap((from) => from === 0 ? [] : this.links(from, way))
				.filter((link) => link.size >= least).sort((a, b) => b.size - a.size);

			edge = [];
			for (const { end } of next) {
				if (picked.has(end))
					continue;
				if (picked.size >= MOST_NODES) {
					this.cut = true;
					return;
				}
				picked.add(end);
				edge.push(end);
			}
		}
	}

	/* All links between those nodes. */
	connect(picked, least) {
		const links = [];

		this.nodes = [...picked];
		for (const node of picked)
			for (const link of this.links(node, 'to'))
				if (picked.has(link.end) && (link.size >= least || link.end === node))
					links.push(link);
		this.loops = new Map(links.filter((l) => l.from === l.to).map((l) => [l.from, l]));
		this.edges = links.filter((l) => l.from !== l.to);

		/* Somebody calls them, but nobody in the picture: they do not start the program. */
		const called = new Set(this.edges.map((l) => l.to));

		this.torn = new Set(this.nodes.filter((node) => node > 0 && !called.has(node) &&
			this.links(node, 'from').some((l) => l.end > 0 && l.end !== node && l.size > 0)));
		return this;
	}

	/* share: of the cost of the function. */
	around(fn, callers, callees, share) {
		const node = this.nodeOf(fn), picked = new Set([node]);

		this.base = magnitude(this.sizes, node);
		this.centre = node;
		this.spread(picked, node, 'to', callees, share * this.base);

		this.spread(picked, node, 'from', callers, share * this.base);
		return this.connect(picked, share * this.base);
	}

	/* share: of the total. */
	whole(share) {
		const sizes = [];

		this.base = whole(this.event);
		this.centre = -1;
		for (let fn = 1; fn < fnCount + 1 + one('cycles'); fn++) {
			const size = fn === fnCount || this.nodeOf(fn) !== fn ||
				(fn > fnCount && this.opened.has(fn - fnCount)) ? 0
				: magnitude(this.sizes, fn);

			if (size > 0 && size >= share * this.base)
				sizes.push([fn, size]);
		}
		sizes.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
		this.cut = sizes.length > MOST_NODES;
		return this.connect(new Set(sizes.slice(0, MOST_NODES).map((pair) => pair[0])),
			share * this.base);
	}
}

/* ---- What is said about nodes and calls ---------------------------------- */

/* "1,234 Ir (12.3%)"; of a difference "1 -> 2 Ir (+1, +100%)". */
function costWords(event, name, at) {
	return amountWords(event, event.before ? costs(name, event, 'before')[at] : 0,
		costs(name, event, 'after')[at]);
}

function amountWords(event, before, after) {
	const unit = event.unit ? ' ' + visible(event.unit) : ' ' + visible(event.name);

	return event.before ? number(before) + ' \u2192 ' + number(after) + unit + ' (' +
		signed(number(after - before), after - before) +
		(before ? ', ' + signed(percent(after - before, Math.abs(before)), after - before) : '') + ')'
		: number(after) + unit + ' (' + percent(after, whole(event)) + ')';
}

function callWords(count) {
	return count ? plural(count, one('sampled') ? 'sample' : 'call') : '';
}

/* Of a cycle, those with the largest self costs. */
function memberNames(node, event) {
	const self = costs('fn_self', event), members = node > fnCount ? membersOf(node) : [];

	return members.slice().sort((a, b) => Math.abs(self[b]) - Math.abs(self[a])).slice(0, 8).map(fnName)
		.concat(members.length > 8 ? ['\u2026'] : []).join(', ');
}

/* In the picture: "1.23G 45.3%", of a difference "+12.3M". */
function shortCost(event, before, after) {
	const cost = after - before;

	return event.before ? signed(brief(cost, event.unit), cost)
		: brief(cost, event.unit) + ' ' + percent(cost, whole(event));
}

function nodeWords(graph, node) {
	const event = graph.event, loop = graph.loops.get(node);

	return [fnName(node), 'inclusive ' + costWords(event, 'fn_inclusive', node), judgedWords(event, 'inclusive', node),
		'self ' + costWords(event, 'fn_self', node), judgedWords(event, 'self', node), callWords(callsIn(node)),
		node > fnCount ? plural(membersOf(node).length, 'function') : '',
		loop ? 'recursion ' + linkWords(event, loop) : '', graph.torn.has(node) ? 'callers are not shown' : ''].filter((text) => text).join(', ');
}

function linkWords(event, link) {
	return [amountWords(event, link.before, link.after), callWords(link.count)]
		.filter((text) => text).join(', ');
}
