/*
 * ere.js - POSIX extended regular expressions, which the command line takes
 * (regcomp(3) of the GNU C library), as those of JavaScript.
 */

const ERE_CLASSES = { alpha: '\\p{L}', digit: '0-9', alnum: '\\p{L}\\p{N}', upper: '\\p{Lu}', lower: '\\p{Ll}',
	space: '\\s', blank: ' \\t', punct: '!-\\/:-@\\[-`{-~', xdigit: '0-9A-Fa-f', cntrl: '\\x00-\\x1f\\x7f',
	print: '\\x20-\\x7e\\u{a0}-\\u{10ffff}', graph: '\\x21-\\x7e\\u{a1}-\\u{10ffff}' };

/* Extensions: edges of words and of the text. */
const ERE_ESCAPES = { '<': '\\b(?=\\w)', '>': '\\b(?<=\\w)', '`': '^', "'": '$' };

/* A character that stands for itself. */
function literal(c) {
	return /[\\^$.*+?()[\]{}|/]/.test(c) ? '\\' + c : c;
}

class Ere {
	constructor(text) {
		this.chars = Array.from(text);
		this.at = 0;
		this.out = '';
		this.atom = -1; /* where the last one begins in out; -1: nothing can be repeated */
		this.repeated = false;
		this.groups = [];
		while (this.at < this.chars.length)
			this.next(this.chars[this.at++]);
		if (this.groups.length)
			throw new Error('missing )');
	}

	add(text) {
		this.atom = this.out.length;
		this.repeated = false;
		this.out += text;
	}

	/* An anchor or a new alternative, which cannot be repeated. */
	begin(text) {
		this.out += text;
		this.atom = -1;
	}

	next(c) {
		if (c === '[')
			this.add(this.bracket());
		else if (c === '\\')
			this.escaped();
		else if (c === '(' || (c === ')' && this.groups.length))
			this.group(c);
		else if ('*+?'.includes(c))
			this.repeat(c);
		else if (c === '{')
			this.repeat(this.interval());
		else if ('^|'.includes(c))
			this.begin(c);
		else
			this.add('.$'.includes(c) ? c : literal(c));
	}

	escaped() {
		const c = this.chars[this.at++];

		if (c === undefined)
			throw new Error('\\ at the end');
		this.add(ERE_ESCAPES[c] || (/[wWsSbB1-9]/.test(c) ? '\\' + c : literal(c)));
	}

	group(c) {
		if (c === '(') {
			if (this.chars[this.at] === '?')
				throw new Error('(? is not known');
			this.groups.push(this.out.length);
			this.begin('(');
		} else {
			this.out += ')';
			this.atom = this.groups.pop();
			this.repeated = false;
		}
	}

	/* Of a*? the second repeats the first, which is something else here. */
	repeat(times) {
		if (this.atom < 0)
			throw new Error('nothing before ' + times);
		if (this.repeated)
			this.out = this.out.slice(0, this.atom) + '(?:' + this.out.slice(this.atom) + ')';
		this.out += times;
		this.repeated = true;
	}

	interval() {
		const end = this.chars.indexOf('}', this.at);
		const found = end < 0 ? null : /^(\d*)(,?)(\d*)$/.exec(this.chars.slice(this.at, end).join(''));

		if (!found || (!found[1] && !found[2]))
			throw new Error('not an interval: {');
		this.at = end + 1;
		return '{' + (found[1] || '0') + found[2] + found[3] + '}';
	}

	/* In brackets a backslash stands for itself, and so does a first ]. */
	bracket() {
		let text = '[';

		if (this.chars[this.at] === '^') {
			text += '^';
			this.at++;
		}
		for (let first = true; ; first = false) {
			const c = this.chars[this.at++];

			if (c === undefined)
				throw new Error('missing ]');
			if (c === ']' && !first)
				return text + ']';
			text += c === '[' && /[:.=]/.test(this.chars[this.at] || '') ? this.named()
				: c === '-' && !first && this.chars[this.at] !== ']' ? '-'
					: c === '-' ? '\\-' : literal(c);
		}
	}

	/* [:alpha:], [.x.], [=x=] in brackets */
	named() {
		const kind = this.chars[this.at++], from = this.at;

		while (this.at < this.chars.length && !(this.chars[this.at] === kind && this.chars[this.at + 1] === ']'))
			this.at++;

		const name = this.chars.slice(from, this.at).join('');

		this.at += 2;
		if (kind === ':' ? !Object.hasOwn(ERE_CLASSES, name) : Array.from(name).length !== 1)
			throw new Error('not known: [' + kind + name + kind + ']');
		return kind === ':' ? ERE_CLASSES[name] : literal(name);
	}
}

/* Throws what is wrong with the expression. */
function fromEre(text) {
	return new RegExp(new Ere(text).out, 'su');
}

/* An expression that a text matches as it is. */
function asEre(text) {
	return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
