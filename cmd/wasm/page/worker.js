/*
 * worker.js - one run of the program, on files that the page has got. The page
 * makes a worker for each run, and ends it to cancel.
 *
 *	in	{ module, files: [{ path, file }], args, output }
 *	out	{ read }, bytes of the files so far; { status, messages, text, output }
 */
import { memoryDisk, memoryStream } from '../disk.js';
import { join, run } from '../wasi.js';

const HERE = '/in';
const OFTEN = 100; /* ms between messages about progress */

function reportProgress() {
	let read = 0, last = performance.now();

	return (n) => {
		const now = performance.now();

		read += n;
		if (now - last < OFTEN)
			return;
		last = now;
		postMessage({ read });
	};
}

/* Why there is no result, if the browser and not the program ended it. */
function reason(error) {
	if (error instanceof RangeError || /memory/i.test(error.message))
		return `cgconv: error: out of memory: the browser has no more (${error.message})\n`;
	return `cgconv: error: ${error.message}\n`;
}

function execute({ module, files, args, output }) {
	const disk = memoryDisk(reportProgress()), out = memoryStream(), messages = memoryStream();
	let status;

	disk.mkdir(HERE);
	for (const { path, file } of files)
		disk.add(join(HERE, path), file);
	try {
		status = run(module, { args: ['cgconv', ...args], env: { PWD: HERE }, disk,
			streams: [memoryStream(), out, messages] });
		return { status, messages: messages.text(), text: out.text(),
			output: output && status === 0 ? new Blob([disk.take(output)]) : null };
	} catch (error) {
		return { status: 5, messages: messages.text() + reason(error), text: '' };
	}
}

onmessage = ({ data }) => postMessage(execute(data));
