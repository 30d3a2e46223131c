/*
 * page.js - opens files that are dropped or chosen: the program writes its report
 * in a worker, and the report is shown in a frame, with its own scripts. Nothing
 * is sent anywhere: the policy of the page forbids all requests.
 */
'use strict';

const OUT = '/out', GATHERED = 'gcov'; /* a format of several files for one input */
const $ = (id) => document.getElementById(id);
const state = { module: null, files: [], mode: 'sum', worker: null, report: null, url: null, formats: [] };

/* ---- The program ------------------------------------------------------------- */

async function unpack(id) {
	const bytes = Uint8Array.from(atob($(id).textContent), (c) => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));

	return new Response(stream).arrayBuffer();
}

/*
 * Runs the program; returns what it wrote: see worker.js. A run that is cancelled
 * returns null.
 */
function execute(args, output) {
	const url = URL.createObjectURL(new Blob([$('worker').textContent],
		{ type: 'text/javascript' }));
	const total = state.files.reduce((n, { file }) => n + file.size, 0) || 1;
	const worker = new Worker(url);

	stopWorker();
	state.worker = worker;
	return new Promise((resolve) => {
		state.cancel = () => resolve(null);
		worker.onmessage = ({ data }) => {
			if (data.status === undefined) {
				showProgress(data.read / total);
				return;
			}
			stopWorker();
			resolve(data);
		};
		worker.onerror = (event) => {
			stopWorker();
			resolve({ status: 6, messages: `cgconv: error: ${event.message}\n` });
		};
		worker.postMessage({ module: state.module, files: state.files, args, output });
	}).finally(() => URL.revokeObjectURL(url));
}

function stopWorker() {
	if (state.worker)
		state.worker.terminate();
	state.worker = null;
}

function cancel() {
	stopWorker();
	if (state.cancel)
		state.cancel();
	show(state.url ? 'report' : 'ready');
}

/* ---- What is shown ------------------------------------------------------------- */

function show(what) {
	document.body.dataset.state = what;
	$('progress').hidden = $('cancel').hidden = what !== 'busy';
}

/* The program reads the first bytes twice; then it computes and writes. */
function showProgress(part) {
	const percent = Math.min(Math.floor(part * 100), 100);

	$('bar').value = percent;
	$('doing').textContent = percent < 100 ? `reading: ${percent} %` : 'writing';
}

function begin() {
	show('busy');
	showProgress(0);
	$('messages').textContent = '';
}

function showMessages(text, failed) {
	$('messages').textContent = text.trimEnd();
	$('messages').setAttribute('role', failed ? 'alert' : 'status');
	$('messages').classList.toggle('failed', failed);
}

function showReport(blob) {
	if (state.url)
		URL.revokeObjectURL(state.url);
	state.url = blob ? URL.createObjectURL(new Blob([blob], { type: 'text/html' })) : null;
	state.report = blob;
	$('report').src = state.url ?? 'about:blank';
	$('report').hidden = !blob;
	$('help').hidden = Boolean(blob);
}

/* ---- Opening -------------------------------------------------------------------- */

/* Arguments that name the files: those of a directory by the directory. */
function inputs() {
	const names = [...new Set(state.files.map(({ path }) => path.split('/')[0]))];
	const deep = state.files.some(({ path }) => path.includes('/'));

	return [...(deep ? ['-r'] : []),
		...names.map((name) => (name[0] === '-' ? './' : '') + name)];
}

/*
 * Two profiles are a pair whose difference is shown, unless one is the executable
 * or the notes of the other. Returns null if it was cancelled.
 */
async function isPair() {
	if (state.files.length !== 2 || state.files.some(({ path }) => path.includes('/')))
		return false;
	const found = await execute(['--detect', ...inputs()]);

	if (!found)
		return null;
	const formats = found.text.trimEnd().split('\n').map((line) => line.split('\t')[1]);

	return formats.length === 2 && formats.every((name) => name !== '-' && name !== GATHERED);
}

function convertArguments(format) {
	return [...(state.mode === 'difference' ? ['--diff'] : []), '-t', format, '-o', OUT,
		...inputs()];
}

async function openReport() {
	begin();
	const result = await execute(convertArguments('html'), OUT);

	if (!result)
		return;
	showMessages(result.messages, result.status !== 0);
	showReport(result.output);
	show(result.status === 0 ? 'report' : 'error');
}

async function openFiles(files) {
	if (files.length === 0)
		return;
	state.files = files;
	$('names').textContent = files.length > 3 ? `${files.length} files`
		: files.map(({ path }) => path).join(', ');
	begin();
	const pair = await isPair();

	if (pair === null)
		return;
	state.mode = pair ? 'difference' : 'sum';
	$('mode').value = state.mode;
	$('mode').hidden = files.length !== 2;
	$('save').disabled = false;
	await openReport();
}

function chosen(list) {
	return [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/* The files of an entry of a drop, at any depth. */
async function filesOf(entry, above) {
	const path = above + entry.name;
	const files = [];

	if (entry.isFile)
		return [{ path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) }];
	for (const reader = entry.createReader();;) {
		const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));

		if (some.length === 0)
			return files;
		for (const inner of some)
			files.push(...await filesOf(inner, path + '/'));
	}
}

async function drop(event) {
	event.preventDefault();
	document.body.classList.remove('over');
	const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry())
		.filter((entry) => entry);
	const files = await Promise.all(entries.map((entry) => filesOf(entry, '')));

	await openFiles(files.flat());
}

/* ---- Saving ---------------------------------------------------------------------- */

async function save(format) {
	begin();
	const result = await execute(convertArguments(format.name), OUT);

	if (!result)
		return;
	showMessages(result.messages, result.status !== 0);
	show(state.url ? 'report' : result.status === 0 ? 'ready' : 'error');
	if (result.status !== 0)
		return;
	const link = document.createElement('a');

	link.href = URL.createObjectURL(result.output);
	link.download = `${state.files[0].path.split('/')[0]}.${format.suffix}`;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/* The formats that the program writes, from its own list. */
async function listFormats() {
	const { text } = await execute(['--list-formats']);

	state.formats = text.split('\n').slice(1).map((line) => line.split(/ {2,}/))
		.filter(([, can]) => /write/.test(can))
		.map(([name, , suffixes, title]) => ({ name, title,
			suffix: suffixes === '-' ? name : suffixes.split(';')[0] }));
	for (const { name, title } of state.formats)
		$('save').append(new Option(`${name}: ${title}`, name));
}

/* ---- The page -------------------------------------------------------------------- */

function listen() {
	const choose = (input) => () => {
		openFiles(chosen(input.files));
		input.value = '';
	};

	for (const id of ['files', 'directory'])
		$(id).addEventListener('change', choose($(id)));
	$('openfiles').addEventListener('click', () => $('files').click());
	$('opendirectory').addEventListener('click', () => $('directory').click());
	$('cancel').addEventListener('click', cancel);
	$('mode').addEventListener('change', () => {
		state.mode = $('mode').value;
		openReport();
	});
	$('save').addEventListener('change', () => {
		const format = state.formats.find(({ name }) => name === $('save').value);

		$('save').value = '';
		save(format);
	});
	addEventListener('dragover', (event) => {
		event.preventDefault();
		document.body.classList.add('over');
	});
	addEventListener('dragleave', (event) => {
		if (!event.relatedTarget)
			document.body.classList.remove('over');
	});
	addEventListener('drop', drop);
}

async function start() {
	listen();
	try {
		state.module = await WebAssembly.compile(await unpack('wasm'));
		await listFormats();
		show('ready');
	} catch (error) {
		showMessages(`cgconv: error: this browser is too old: ${error.message}`, true);
		show('error');
	}
}

start();
