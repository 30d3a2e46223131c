/*
 * page.mjs - opens files in the page, in Chromium, and compares what it shows with
 * what the native program writes: report, messages, --info --json.
 *
 *	node page.mjs CHROMIUM PAGE CGCONV SCRATCH <LINES	each one: files, with tabs
 *
 * A line that begins with "difference" has the two files of a pair. Prints what
 * differs, and whether the last ones cannot be saved; $PICTURE is a file for a
 * screenshot. The last line is "N opened, N differ, N requests".
 */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const [chromium, page, cgconv, scratch] = process.argv.slice(2);
const PATIENCE = 60000; /* ms for one page to open a file */
const READY = 'document.querySelector("[data-ready=true]") ? location.href.split("#")[0] : ""';

/* ---- Chromium's protocol: objects that end with a 0, through two pipes ---------- */

const browser = spawn(chromium, ['--headless', '--window-size=1000,700', '--no-sandbox', '--disable-gpu',
	'--remote-debugging-pipe', '--remote-allow-origins=*',
	`--user-data-dir=${join(scratch, 'profile')}`, 'about:blank'],
{ stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
const waiting = new Map(), heard = [];
let last = 0, rest = '';

browser.stdio[4].setEncoding('utf8').on('data', (some) => {
	const parts = (rest + some).split('\0');

	rest = parts.pop();
	for (const part of parts) {
		const message = JSON.parse(part);

		if (!message.id)
			heard.push(message);
		else if (message.error)
			waiting.get(message.id).reject(new Error(message.error.message));
		else
			waiting.get(message.id).resolve(message.result);
	}
});

function say(method, params, sessionId) {
	browser.stdio[3].write(JSON.stringify({ id: ++last, method, params, sessionId }) + '\0');
	return new Promise((resolve, reject) => waiting.set(last, { resolve, reject }));
}

async function attach() {
	const { targetId } = await say('Target.createTarget', { url: 'about:blank' });
	const { sessionId } = await say('Target.attachToTarget', { targetId, flatten: true });

	for (const domain of ['Page', 'Runtime', 'Network', 'Log', 'DOM'])
		await say(`${domain}.enable`, {}, sessionId);
	await say('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false,
		flatten: true }, sessionId);
	return sessionId;
}

async function evaluate(session, expression) {
	const { result, exceptionDetails } = await say('Runtime.evaluate', { expression,
		awaitPromise: true, returnByValue: true }, session);

	if (exceptionDetails)
		throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
	return result.value;
}

async function until(session, condition) {
	const end = Date.now() + PATIENCE;

	while (!await evaluate(session, condition)) {
		if (Date.now() > end)
			throw new Error(`never: ${condition}`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

/* ---- One line --------------------------------------------------------------------- */

async function choose(session, files) {
	const { root } = await say('DOM.getDocument', {}, session);
	const { nodeId } = await say('DOM.querySelector', { nodeId: root.nodeId,
		selector: '#files' }, session);

	await evaluate(session, 'document.body.dataset.state = "choosing"');
	await say('DOM.setFileInputFiles', { nodeId, files }, session);
	await until(session, '["report", "error"].includes(document.body.dataset.state)');
}

/* True if the report's own scripts have shown it in the frame. */
async function isShown(session) {
	const url = await evaluate(session, 'state.url');
	const end = Date.now() + PATIENCE;

	/* Blobs of files from disk have processes of their own. */
	for (;;) {
		for (const { method, params } of heard) {
			if (method === 'Target.attachedToTarget' &&
					params.targetInfo.type === 'iframe' &&
					await evaluate(params.sessionId, READY).catch(() => null) === url)
				return true;
		}
		if (Date.now() > end)
			return false;
		await new Promise((again) => setTimeout(again, 50));
	}
}

/* Batches print how long they took, and name the output. */
function timeless(messages) {
	return messages.replace(/; [0-9.]+ s$/m, '').replace(/^\/out: /gm, 'out: ');
}

function native(names, directory, args) {
	const ran = spawnSync(resolve(cgconv), [...args, ...names], { cwd: directory,
		maxBuffer: 1 << 30, encoding: 'utf8' });

	return { out: ran.stdout, err: ran.stderr.trimEnd(), status: ran.status };
}

async function compare(session, line, number) {
	const pair = line.startsWith('difference\t');
	const files = line.split('\t').slice(pair ? 1 : 0);
	const directory = join(scratch, String(number));
	const names = files.map((file, i) => (pair ? `${i}-` : '') + basename(file));
	const args = names.map((name) => (name[0] === '-' ? './' : '') + name);

	mkdirSync(directory);
	files.forEach((file, i) => copyFileSync(file, join(directory, names[i])));
	const want = native(args, directory,
		[...(pair ? ['--diff'] : []), '-t', 'html', '-o', 'out']);

	await choose(session, names.map((name) => join(directory, name)));
	const messages = await evaluate(session, '$("messages").textContent');

	if (timeless(messages) !== timeless(want.err))
		return `messages: ${messages}\nwanted: ${want.err}`;
	if (want.status !== 0)
		return await evaluate(session, 'document.body.dataset.state') === 'error'
			? null : 'no error';
	if (await evaluate(session, 'state.report.text()') !==
			readFileSync(join(directory, 'out'), 'utf8'))
		return 'report';
	/* --info reads no archives. */
	if (!pair && !/\.tar/.test(line) && await evaluate(session,
		'execute(["--info", "--json", ...inputs()]).then(({ text }) => text)') !==
			native(args, directory, ['--info', '--json']).out)
		return 'numbers';
	return await isShown(session) ? null : 'not shown';
}

/* ---- Cancelling and saving: the files that are open -------------------------------- */

async function saves(session) {
	const to = join(scratch, 'saved');

	mkdirSync(to);
	await say('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: to });
	const want = await evaluate(session,
		'execute(convertArguments("callgrind"), OUT).then(({ output }) => output.text())');

	await evaluate(session, '$("save").value = "callgrind"; ' +
		'$("save").dispatchEvent(new Event("change"))');
	for (let i = 0; i < 200; i++) {
		const name = readdirSync(to).find((file) => file.endsWith('.callgrind'));

		if (name && readFileSync(join(to, name), 'utf8') === want)
			return null;
		await new Promise((again) => setTimeout(again, 50));
	}
	return 'not saved';
}

async function cancels(session) {
	const now = await evaluate(session,
		'(openReport(), document.body.dataset.state) + " " + ' +
		'(cancel(), document.body.dataset.state) + " " + state.worker');

	return now === 'busy report null' ? null : `cancelled: ${now}`;
}

/* ---- All --------------------------------------------------------------------------- */

let count = 0, differ = 0;
const session = await attach();

try {
	await say('Page.navigate', { url: `file://${resolve(page)}` }, session);
	await until(session, 'document.body?.dataset.state === "ready"');
	for (const line of readFileSync(0, 'utf8').split('\n').slice(0, -1)) {
		const what = await compare(session, line, count++).catch((error) => error.message);

		differ += what !== null;
		if (what)
			console.log(`${line}: ${what}`);
	}
	for (const what of [await cancels(session), await saves(session)]) {
		differ += what !== null;
		if (what)
			console.log(what);
	}
} catch (error) {
	differ++;
	console.log(error.message);
}
for (const { method, params } of heard) {
	if (method === 'Runtime.consoleAPICalled' || method === 'Log.entryAdded' ||
			method === 'Runtime.exceptionThrown') {
		differ++;
		console.log(JSON.stringify(params).slice(0, 600));
	}
}
if (process.env.PICTURE) {
	const { data } = await say('Page.captureScreenshot', {}, session);

	writeFileSync(process.env.PICTURE, data, 'base64');
}
const requests = heard.filter(({ method, params }) => method === 'Network.requestWillBeSent' &&
	!/^(about|blob|data):/.test(params.request.url) &&
	params.request.url !== `file://${resolve(page)}`);

for (const { params } of requests)
	console.log(params.request.url);
await say('Browser.close').catch(() => {});
console.log(`${count} opened, ${differ} differ, ${requests.length} requests`);
