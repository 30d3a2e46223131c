/*
 * instrs.js - the instructions of a function: their costs, the calls and jumps
 * that they make, in the order of addresses, with the lines of source and the
 * basic blocks that they belong to.
 */

let codeKnown = null; /* by function */

onSelection(() => codeKnown = null);

/* Where the rows of each function are, and its lowest address. */
function codeIndex() {
	if (codeKnown)
		return codeKnown;
	const of = col('code_fn'), high = col('code_high'), low = col('code_low');
	const instrs = col('code_instrs'), sites = col('code_sites'), asm = col('code_asm');
	let instr = 0, site = 0;

	codeKnown = new Map();
	of.forEach((fn, i) => {
		codeKnown.set(fn, { lowest: (BigInt(high[i]) << 32n) + BigInt(low[i]), asm: asm[i] || 0,
			instr, instrEnd: instr += instrs[i], site, siteEnd: site += sites[i] });
	});
	return codeKnown;
}

/* Offsets are from the lowest address, plus 1; 0: unknown; negative: those before it. */
function addressText(code, offset) {
	return offset === 0 ? '' : '0x' + BigInt.asUintN(64, code.lowest + BigInt(offset - (offset > 0 ? 1 : 0))).toString(16);
}

/* ---- Rows ---------------------------------------------------------------- */

/* Jumps of a function; target: the offset if it is in the function, else -1. */
function fnJumps(fn, code) {
	const col0 = (name) => col('jump_' + name);

	return jumpsOf(fn).map((i) => {
		const known = (col0('flags')[i] & ADDRESSES) !== 0, offset = col0('offset')[i];
		const target = offset + col0('distance')[i], to = col0('to')[i];
		const address = known ? addressText(code, target) : '';

		return { offset, to, target: known && to === fn ? target : -1, address,
			conditional: (col0('flags')[i] & CONDITIONAL) !== 0,
			executed: col0('executed')[i], followed: col0('followed')[i],
			title: addressText(code, offset) + ' \u2192 ' + (to === fn ? '' : fnName(to) + ' ') + address };
	}).filter((jump) => jump.offset > 0);
}

/*
 * The instructions of a function by offset: { kind, offset, file, line, self, sites, jumps }, and
 * with --disassembly text and bytes; idle: it never ran, other: but in other functions.
 */
function fnInstrs(fn, code, event, jumps) {
	const offset = col('instr_offset'), file = col('instr_file'), line = col('instr_line');
	const self = costs('instr_cost', event), rows = [], by = new Map();
	const add = (at, inFile, inLine, cost, known) => {
		const row = { kind: 'instr', offset: at, file: inFile, line: inLine, self: cost, known,
			text: '', sites: [], jumps: [], leads: false, idle: false };

		rows.push(row);
		if (!by.has(at))
			by.set(at, row);
		return row;
	};

	for (let i = code.instr; i < code.instrEnd; i++)
		add(offset[i], file[i], line[i], self[i], true);
	for (let i = code.site; i < code.siteEnd; i++) {
		const at = col('site_offset')[i];

		if (selected && !col('site_count')[i] && !costs('site_cost', event)[i])
			continue;
		(by.get(at) || add(at, col('site_file')[i], col('site_line')[i], 0, true)).sites.push(i);
	}
	for (const jump of jumps) {
		const row = by.get(jump.offset) || add(jump.offset, 0, 0, 0, true);

		row.known = true;
		row.jumps.push(jump);
		if (jump.target >= 0)
			(by.get(jump.target) || add(jump.target, 0, 0, 0, false)).leads = true;
	}
	if (code.asm)
		addListed(rows, by, code, add);
	return rows.sort((a, b) => a.offset - b.offset);
}

/* Basic blocks: they begin where jumps lead, and after jumps. */
function giveBlocks(rows) {
	let block = 0, jumped = true;

	for (const row of rows) {
		row.begins = row.leads || jumped;
		row.block = row.begins ? ++block : block;
		jumped = row.jumps.length > 0;
	}
}

/* Headings, calls and, of instructions with several, jumps between the instructions. */
function arrangeInstrs(instrs, group) {
	const rows = [];
	let head = null, last = null;

	for (const row of instrs) {
		/* What never ran has no line: it stays with the one before. */
		const isNew = group === 'blocks' ? row.begins
			: group === '' && !row.idle && (!last || row.file !== last.file || row.line !== last.line);

		if (isNew && group !== 'none') {
			head = { kind: group === 'blocks' ? 'block' : 'line', file: row.file, line: row.line, block: row.block,
				first: row.offset, last: row.offset, self: 0, count: 0, idle: 0, begins: row.begins };
			rows.push(head);
			row.begins = false; /* the heading has the rule */
		}
		if (head) {
			head.self += row.self;
			head.count++;
			head.idle += row.idle ? 1 : 0;
			head.last = row.offset;
		}
		rows.push(row, ...row.sites.map((site) => ({ kind: 'call', site, offset: row.offset })),
			...row.jumps.length > 1 ? row.jumps.map((jump) => ({ kind: 'jump', jump, offset: row.offset })) : []);
		last = row.idle ? last : row;
	}
	return rows;
}

/* ---- Cells --------------------------------------------------------------- */

function instrLink(fn, address) {
	return fn >= fnCount || !codeIndex().has(fn) ? fnLink(fn)
		: el('a', { go: { view: 'instrs', fn, instr: address || '', x: '' }, title: fnTitle(fn) }, fnName(fn));
}

function showJump(jump, fn) {
	const count = el('span', { class: 'dim' }, ' ' + jumpCount(jump));

	if (jump.to !== fn)
		return el('span', { class: 'leap' }, 'jump to ', instrLink(jump.to, jump.address), count);
	return el('span', { class: 'leap' }, 'jump to ', jump.address
		? el('a', { go: { instr: jump.address } }, el('code', {}, jump.address)) : 'its begin', count);
}

function showHead(row, code) {
	if (row.kind === 'block')
		return [el('b', {}, 'Block ' + row.block), el('span', { class: 'dim' }, ' ' +
			[addressText(code, row.first), addressText(code, row.last)].filter((text, i, all) => text && all.indexOf(text) === i)
				.join(' \u2013 ') + ', ' + plural(row.count, 'instruction') + (row.idle === row.count ? ' ' + idleWords() : ''))];
	if (!row.line)
		return el('span', { class: 'dim' }, 'unknown line');
	return [sourceLink(row.file, row.line), ' ', highlight(row.file, row.line)];
}

function showText(row, fn, code) {
	if (row.kind === 'call')
		return el('span', { class: 'leap', title: one('sampled') ? 'calls of samples stand where they return to' : null },
			one('sampled') ? 'call of ' : plural(col('site_count')[row.site], 'call') + ' of ',
			instrLink(col('site_to')[row.site]));
	if (row.kind === 'jump')
		return showJump(row.jump, fn);
	if (row.kind === 'fold')
		return showFold(row);
	if (row.kind !== 'instr')
		return showHead(row, code);
	return [row.text ? el('code', { class: 'asm' }, row.text) : '', row.jumps.length === 1 ? showJump(row.jumps[0], fn) : ''];
}

function showAddress(row, code) {
	if (row.kind !== 'instr')
		return '';
	const address = addressText(code, row.offset);

	return address ? el('a', { class: 'dim', go: { instr: address } }, el('code', {}, address))
		: el('span', { class: 'dim' }, 'no address');
}

function instrColumns(fn, code, event, arrows, at) {
	const all = whole(event), inclusive = costs('site_cost', event), narrow = innerWidth < 700;
	const most = at.rows.reduce((m, row) => row.kind === 'instr' ? Math.max(m, Math.abs(row.self)) : m, 0);
	const ofCalls = at.rows.reduce((m, row) => row.kind === 'call' ? Math.max(m, Math.abs(inclusive[row.site])) : m, 0);
	const cost = (value, top) => bar([showCost(value, event), state.unit === 'pct' || narrow ? null
		: el('span', { class: 'pct' }, percent(value, all))], top ? value / top : 0);
	const digits = addressText(code, 1 + at.rows.reduce((m, row) => Math.max(m, row.offset || 0), 0)).length;
	const none = (row) => row.idle ? el('span', { class: 'dim', title: row.other ? 'counted in other functions' : idleWords() }, '\u2013')
		: el('span', { class: 'dim' }, '0');
	const self = (row) => row.kind === 'instr' ? (row.self ? cost(row.self, most) : none(row))
		: row.kind === 'call' ? (narrow ? cost(inclusive[row.site], ofCalls) : '')
			: row.kind === 'jump' || row.kind === 'fold' || row.idle === row.count ? '' : el('span', { class: 'dim v' }, showCost(row.self, event));

	const sources = state.rows !== '' && hasLines(at.instrs);
	const text = hasListing() ? 'Instruction' : at.lines ? 'Source, calls and jumps' : 'Calls and jumps';

	return [{ key: 'address', label: 'Address', width: Math.max(84, digits * 7.3 + 26) + 'px', show: (row) => showAddress(row, code) },
		{ key: 'self', label: narrow ? 'Cost' : 'Self', number: true, width: costWidth(narrow ? 118 : 150), show: self },
		...narrow || !ofCalls && !at.calls ? [] : [{ key: 'incl', label: 'Calls, inclusive', number: true, width: costWidth(150),
			show: (row) => row.kind === 'call' ? cost(inclusive[row.site], ofCalls) : '' }],
		...arrows.width ? [arrows.column((row) => at.get(row))] : [], ...bytesColumns(at.instrs),
		{ key: 'text', label: text, width: sources ? 'minmax(300px, 640px)' : 'minmax(300px, 1fr)', show: (row) => showText(row, fn, code) },
		...sources ? [{ key: 'line', label: 'Source', width: 'minmax(160px, 1fr)',
			show: (row) => row.kind === 'instr' && row.line ? sourceLink(row.file, row.line) : '' }] : []];
}

/* ---- The view ------------------------------------------------------------ */

/* The function that is selected, else that with the highest self cost. */
function codeFn(event) {
	const self = costs('fn_self', event), fn = chosen('fn', fnCount);

	if (fn >= 0)
		return fn;
	return [...codeIndex().keys()].reduce((best, i) => best < 0 || self[i] > self[best] ? i : best, -1);
}

function hasLines(instrs) {
	return instrs.some((row) => row.line > 0);
}

/* How rows are grouped: as chosen, if the profile has what that needs. */
function groupingOf(instrs, hasJumps) {
	const group = state.rows !== '' || hasLines(instrs) ? state.rows : 'blocks';

	return group === 'blocks' && !hasJumps ? 'none' : group;
}

function instrControls(fn, code, instrs, hasJumps) {
	const hottest = instrs.reduce((best, row) => !best || row.self > best.self ? row : best, null);
	const notes = [objectPath(fn) ? 'in ' + baseName(objectPath(fn)) : '',
		one('grain') > 1 ? 'each of ' + one('grain') + ' bytes, shown by its first address' : ''].filter((text) => text);

	return el('div', { class: 'controls' }, el('b', {}, fnLink(fn)),
		hasLines(instrs) || hasJumps ? choice('Group', 'rows', [
			...hasLines(instrs) ? [['', 'Lines', 'the lines of source in between']] : [],
			...hasJumps ? [[hasLines(instrs) ? 'blocks' : '', 'Blocks', 'basic blocks: from jump to jump']] : [],
			['none', 'None']]) : null,
		idleChoice(instrs), bytesChoice(), numberChoice(),
		hottest && hottest.self && hottest.offset ? el('a', { class: 'button',
			go: { instr: addressText(code, hottest.offset) } }, 'Highest cost') : null,
		el('span', { class: 'dim', title: objectPath(fn) }, [plural(instrs.filter((row) => row.offset && row.known).length, one('grain') > 1 ? 'range' : 'instruction'), foldWords(instrs.filter((row) => row.idle)).replace(/instructions? /g, ''), ...notes].filter((text) => text).join(', ')));
}

/* What is said if filters keep a part of a function, and its instructions are those of all stacks. */
function keptNote(fn) {
	return narrowed && !isCodeKept(fn) ? el('div', { class: 'legend', role: 'note' }, 'Not filtered: the filters keep a part ' +
		'of this function, and estimated stacks do not tell which of its instructions.') : null;
}

function showInstrs(main) {
	const event = currentEvent(), fn = codeFn(event), code = codeIndex().get(fn);

	if (!code || (narrowed && isDropped(fn)))
		return put(main, el('div', { class: 'empty' }, el('p', {}, code ? 'The filters leave no instruction of '
			: 'No addresses are known of ', el('b', {}, fn < 0 ? 'any function' : fnLink(fn)), '.')));

	const isHere = (row) => state.instr !== '' && addressText(code, row.offset) === state.instr;
	const jumps = fnJumps(fn, code), all = fnInstrs(fn, code, event, jumps), instrs = withoutIdle(all, isHere);

	giveBlocks(instrs);
	const rows = foldIdle(arrangeInstrs(instrs, groupingOf(instrs, jumps.length > 0)), code, isHere);
	const index = new Map(rows.map((row, i) => [row, i])), byOffset = new Map();
	const ownRow = new Map(rows.map((row, i) => [row.jump, i]));
	const isChosen = (row, kind) => row && row.kind === (kind || 'instr') && isHere(row);

	rows.forEach((row, i) => row.kind === 'instr' && !byOffset.has(row.offset) && byOffset.set(row.offset, i));
	const arrows = new Arrows(jumps.map((jump) => ({ ...jump, from: ownRow.get(jump) || byOffset.get(jump.offset),
		to: jump.target < 0 ? -1 : byOffset.get(jump.target) })), (i) => isChosen(rows[i]) || isChosen(rows[i], 'jump'));
	const table = new Table({ label: 'Instructions of ' + fnName(fn), rows, sortKey: '',
		columns: instrColumns(fn, code, event, arrows, { rows, instrs, lines: groupingOf(instrs, jumps.length > 0) === '', calls: code.siteEnd > code.site, get: (row) => index.get(row) }),
		open: (row) => row.kind === 'instr' ? go({ instr: addressText(code, row.offset) })
			: row.kind === 'call' ? go({ fn: col('site_to')[row.site], instr: '' })
				: row.kind === 'jump' && row.jump.target >= 0 ? go({ instr: row.jump.address })
					: row.kind === 'fold' ? turnFold(row) : null,
		onOpen: (row, open) => row.kind === 'fold' && turnFold(row, open),
		mark: (row) => row.kind + (row.idle === true ? ' idle' : '') + (row.begins && jumps.length ? ' begins' : '') + (isChosen(row) ? ' chosen' : '') });

	table.box.classList.add('source', 'instrs');
	put(main, instrControls(fn, code, all, jumps.length > 0), jumpsNote(jumps.length > 0), keptNote(fn), hasListing() ? null : el('div', { class: 'legend' },
		'Texts of instructions: ', el('code', {}, 'cgconv --disassembly FILE'), ' adds them from the output of ',
		el('code', {}, 'objdump -d'), '.'), table.box);

	const at = rows.findIndex((row) => isChosen(row));

	if (at >= 0) {
		table.active = at;
		table.box.scrollTop = Math.max(0, at * ROW - table.box.clientHeight / 3);
	}
}
