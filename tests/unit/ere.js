/*
 * ere.js - tests formats/html/ere.js, which comes before it in one script: prints
 * the words that each expression finds, or that it is none. The arguments are
 * files of words and of expressions.
 */

const [words, expressions] = process.argv.slice(2).map((path) =>
	require('fs').readFileSync(path, 'utf8').split('\n').filter((line) => line !== ''));

for (const text of expressions) {
	let found = 'invalid';

	try {
		const re = fromEre(text);

		found = words.filter((word) => re.test(word)).join(' ');
	} catch (e) {
		if (!e.message)
			throw e;
	}
	console.log(text + '\t' + found);
}
