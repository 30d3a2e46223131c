/*
 * page.js PAGE FRAGMENT... - prints what an HTML report counts, by its own scripts
 * under node: functions, calls, lines and the total of the event, a line each; with
 * CODE=1 instructions and their calls, too. The page shows the fragments one after
 * another, as what one leaves is no part of the next.
 */
'use strict';

const fs = require('fs'), path = require('path'), zlib = require('zlib');
const dir = path.join(__dirname, '../../formats/html');
const modules = ['base', 'names', 'events', 'data', 'state', 'select', 'versus', 'cycles', 'filter', 'ere', 'refine', 'table', 'layout', 'times', 'spots', 'labels', 'hidden',
	'flameview', 'tree', 'function', 'callgraph', 'groups', 'functions', 'source', 'instrs'];

/* What the page's other scripts and the browser have. */
const rest = `
const BEFORE = 1;
let paneBodies = [];
const withPanes = (changes) => changes;
const compared = () => null;

blob = data;
listColumns();
events = pairEvents(listEvents());
fnNames = texts('fn_name');
fnCount = fnNames.length;
let text = '';
for (const hash of fragments) {
	location.hash = '#' + hash;
	readState();
	readSelection();
	applyFilters(false);
	text = print();
}
return text;
`;

/* The boxes of a flame graph are the frames that are counted. */
function check(event) {
	const layout = one('frames') ? flameLayout(event) : null;

	if (layout && (layout.n !== col('node_fn').length || layout.fn !== col('node_fn')))
		throw new Error('boxes of other frames');
}

/* Instructions and calls of them, by address. */
function printCode(event, rows) {
	const instr = costs('instr_cost', event), call = costs('site_cost', event);

	for (const [fn, code] of codeIndex()) {
		for (let i = code.instr; i < code.instrEnd; i++)
			if (instr[i])
				rows.push(['instr', fnName(fn), addressText(code, col('instr_offset')[i]), filePath(col('instr_file')[i]),
					col('instr_line')[i], instr[i]]);
		for (let i = code.site; i < code.siteEnd; i++)
			if (call[i])
				rows.push(['site', fnName(fn), addressText(code, col('site_offset')[i]), filePath(col('site_file')[i]),
					col('site_line')[i], fnName(col('site_to')[i]), col('site_count')[i], call[i]]);
	}
}

function print() {
	const event = currentEvent(), rows = [];
	const inclusive = costs('fn_inclusive', event), self = costs('fn_self', event);

	for (let i = 1; i < fnCount; i++)
		if (inclusive[i] || self[i])
			rows.push(['fn', fnName(i), callsIn(i), inclusive[i], self[i]]);
	costs('call_cost', event).forEach((cost, i) => cost && col('call_from')[i] && rows.push(['call',
		fnName(col('call_from')[i]), col('call_line')[i], fnName(col('call_to')[i]), col('call_count')[i], cost]));
	costs('line_cost', event).forEach((cost, i) => cost && rows.push(['line', filePath(col('line_file')[i]),
		col('line_number')[i], fnName(col('line_fn')[i]), cost]));
	rows.push(['total', total(event)]);
	if (code)
		printCode(event, rows);
	check(event);
	return rows.map((row) => row.join('\t') + '\n').sort().join('');
}

const page = fs.readFileSync(process.argv[2], 'latin1');
const data = new Uint8Array(zlib.gunzipSync(Buffer.from(/id="data">([^<]*)</.exec(page)[1], 'base64')));
const scripts = modules.map((name) => fs.readFileSync(path.join(dir, name + '.js'), 'utf8')).join('\n') + check + printCode + print + rest;

process.stdout.write(new Function('data', 'window', 'location', 'innerWidth', 'code', 'fragments', scripts)(data, {}, {}, 1400,
	process.env.CODE === '1', process.argv.slice(3)));
