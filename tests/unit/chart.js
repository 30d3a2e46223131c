/*
 * chart.js - prints the boxes of the frames of a page's first thread in the order of time:
 * depth, name, begin and end. The modules that it needs come before it in one script.
 */

const fs = require('fs'), zlib = require('zlib');

blob = new Uint8Array(zlib.gunzipSync(Buffer.from(/id="data">([^<]*)</.exec(
	fs.readFileSync(process.argv[2], 'latin1'))[1], 'base64')));
listColumns();
events = pairEvents(listEvents());
fnNames = texts('fn_name');
fnCount = fnNames.length;

const layout = chartLayout(0, 0);

for (let i = 1; i < layout.n; i++)
	console.log(layout.depth[i], fnName(layout.fn[i]), layout.start[i], layout.start[i] + layout.size[i]);
