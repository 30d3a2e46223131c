/*
 * refine.js - filters by function, which have the names and meanings of pprof
 * and of the converter's command line (lib/algo/filter.c).
 */

const REFINE = [
	{ key: 'focus', label: 'Focus', hint: 'keep only stacks with a match' },
	{ key: 'ignore', label: 'Ignore', hint: 'drop stacks with a match' },
	{ key: 'hide', label: 'Hide', hint: 'drop frames that match; their costs stay with their callers' },
	{ key: 'show', label: 'Show', hint: 'drop all other frames' },
	{ key: 'show_from', label: 'Show from', hint: 'drop the callers of the outermost match, and stacks without one' },
	{ key: 'prune_from', label: 'Prune from', by: 'name',
		hint: 'drop what the innermost match calls; the costs stay with it. Only names are compared' },
	{ key: 'only_object', label: 'Only object', by: 'object',
		hint: 'drop frames of other objects; their costs stay with their callers' },
];

/* Bits of the kinds, such as BIT.focus. */
const BIT = Object.fromEntries(REFINE.map((kind, i) => [kind.key, 1 << i]));

/* The expressions of the state by kind; what is wrong with one is its error. */
function refineRules() {
	return REFINE.filter((kind) => state[kind.key] !== '').map((kind) => {
		try {
			return { ...kind, re: fromEre(state[kind.key]), error: '' };
		} catch (e) {
			return { ...kind, re: null, error: e.message };
		}
	});
}

/* Bits by function: which expressions match its name, its file or its object. */
function matchRules(rules) {
	const bits = new Uint8Array(fnCount + 1), fileOf = wholeCol('fn_file'), objectOf = wholeCol('fn_object');
	const paths = (name, rule) => texts(name).all().map((path) => path !== '' && rule.re.test(path));

	for (const rule of rules) {
		const files = rule.by ? [] : paths('file_path', rule);
		const objects = rule.by === 'name' ? [] : paths('object_path', rule);

		for (let fn = 1; fn < fnCount; fn++) {
			const name = rule.by === 'object' ? '' : fnNames.get(fn);

			if ((name !== '' && rule.re.test(name)) || files[fileOf[fn] - 1] || objects[objectOf[fn] - 1])
				bits[fn] |= BIT[rule.key];
		}
	}
	return bits;
}

/*
 * By frame of a tree: the frame that becomes the leaf of its stacks, 0 if they
 * are dropped; below: the next frame under it that stays.
 */
function refinedEnds(tree, rules) {
	const { fn, parent, roots } = tree, n = fn.length;
	const given = rules.reduce((all, rule) => all | BIT[rule.key], 0), bits = matchRules(rules);
	const last = new Uint32Array(n), end = new Uint32Array(n), below = new Uint32Array(n);
	const seen = new Uint8Array(n), becomes = new Uint32Array(n), must = given & (BIT.show | BIT.only_object);

	for (let i = 1; i < n; i++) {
		/* Frames of processes and threads (--root-by) are no functions. */
		const root = roots[i], matched = root ? 0 : bits[fn[i]], from = parent[i];

		below[i] = last[i] = last[from];
		end[i] = end[from];
		seen[i] = seen[from] | (matched & (BIT.focus | BIT.ignore));
		if (root || (!(matched & BIT.hide) && (matched & must) === must)) {
			seen[i] |= matched & BIT.show_from;
			if (root || !(given & BIT.show_from) || (seen[i] & BIT.show_from)) {
				last[i] = i;
				if (matched & BIT.prune_from)
					end[i] = i;
			}
		}
		if (!(seen[i] & BIT.ignore) && (!(given & BIT.focus) || (seen[i] & BIT.focus)))
			becomes[i] = end[i] || last[i];
		if (roots[becomes[i]])
			becomes[i] = 0;
	}
	return { becomes, below };
}

/* Marks frames that stay, as some stack needs them. */
function neededFrames(tree, { becomes, below }) {
	const n = tree.fn.length, needed = new Uint8Array(n), moments = wholeCol('moment_node');
	const columns = [...tree.self, tree.samples];

	for (let i = 1; i < n; i++)
		if (becomes[i] && columns.some((column) => column[i]))
			needed[becomes[i]] = 1;
	for (const node of moments)
		needed[becomes[tree.became ? tree.became[node] : node]] = 1;
	needed[0] = 0;
	for (let i = n - 1; i > 0; i--)
		if (needed[i])
			needed[below[i]] = 1;
	return needed;
}

/* Frames as they arrive; merged: equal ones with one caller become one. */
function collectFrames(tree, needed, below, merged) {
	const n = tree.fn.length, made = { n: 1, fn: new Uint32Array(n), parent: new Uint32Array(n), of: new Uint32Array(n) };
	const known = new Pairs();

	for (let i = 1; i < n; i++) {
		if (!needed[i])
			continue;

		const parent = made.of[below[i]], at = merged ? known.at(parent, tree.fn[i]) + 1 : made.n;

		if (at === made.n) {
			made.fn[at] = tree.fn[i];
			made.parent[at] = parent;
			made.n++;
		}
		made.of[i] = at;
	}
	return made;
}

/* The place of each frame when callees follow their callers, sorted by name. */
function framePlaces({ n, fn, parent }) {
	const first = new Int32Array(n).fill(-1), next = new Int32Array(n).fill(-1);
	const place = new Uint32Array(n), todo = [0];

	for (let i = n - 1; i > 0; i--) {
		next[i] = first[parent[i]];
		first[parent[i]] = i;
	}
	for (let at = 0; todo.length; at++) {
		const i = todo.pop(), callees = [];

		place[i] = at;
		for (let child = first[i]; child >= 0; child = next[child])
			callees.push(child);
		if (callees.length > 1)
			callees.sort((a, b) => {
				const x = fnNames.get(fn[a]), y = fnNames.get(fn[b]);

				return x < y ? 1 : x > y ? -1 : fn[b] - fn[a];
			});
		/* There may be more than a call has arguments. */
		for (const callee of callees)
			todo.push(callee);
	}
	return place;
}

function refineTree(tree, rules) {
	const ends = refinedEnds(tree, rules), needed = neededFrames(tree, ends);
	const merged = rules.some((rule) => !['focus', 'ignore', 'prune_from'].includes(rule.key));
	const made = collectFrames(tree, needed, ends.below, merged), { n } = made;
	const place = merged ? framePlaces(made) : Uint32Array.from({ length: n }, (_, i) => i);
	const refined = { fn: new Uint32Array(n), parent: new Uint32Array(n), depth: new Int32Array(n) };
	const to = ends.becomes.map((end) => end ? place[made.of[end]] : 0);
	const move = (values) => {
		const moved = new Float64Array(values.length ? n : 0);

		for (let i = 1; i < values.length; i++)
			if (to[i])
				moved[to[i]] += values[i];
		return moved;
	};

	for (let i = 1; i < n; i++) {
		refined.fn[place[i]] = made.fn[i];
		refined.parent[place[i]] = place[made.parent[i]];
	}
	for (let i = 1; i < n; i++)
		refined.depth[i] = refined.depth[refined.parent[i]] + 1;
	refined.roots = new Uint8Array(n);
	made.of.forEach((at, i) => {
		if (at)
			refined.roots[place[at]] = tree.roots[i];
	});
	refined.spots = tree.spots && keepSpots(tree.spots, made.of.map((at) => at && place[at]), to);
	return { ...refined, self: tree.self.map(move), samples: move(tree.samples),
		became: tree.became ? tree.became.map((node) => to[node]) : to };
}

FILTERS.push({
	key: () => refineRules().filter((rule) => rule.re).map((rule) => rule.key + '=' + state[rule.key]).join('\t'),
	apply: (tree) => refineTree(tree, refineRules().filter((rule) => rule.re)),
	args: () => refineRules().filter((rule) => rule.re)
		.flatMap((rule) => ['--' + rule.key.replace('_', '-'), state[rule.key]]),
});
