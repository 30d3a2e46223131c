/*
 * names.js - names of functions in little room: without parameters, then without the
 * arguments of templates, then without what they are in, from the left. svg's and dot's
 * names (formats/picture/names.c) have the same rules.
 */

/* What GCC and LLVM append to the names of parts and copies of functions. */
const CLONE = /(?:\.(?:constprop|isra|part|lto_priv|llvm)\.\d+|\.cold(?:\.\d+)?)+$/;

/* What may follow the parameters of a function. */
const AFTER = /^(?:\s*(?:const|volatile|noexcept|&&?|\[[^\]]*\]))*$/;

/*
 * "ns::f(int) const" -> "ns::f". The "(*T)" of Go's "pkg.(*T).f" and C++'s
 * "(anonymous namespace)" are no parameters.
 */
function bareName(name) {
	const plain = name.replace(/(?: \[clone [^\]]*\])+$/, '').replace(CLONE, ''), end = plain.lastIndexOf(')');

	if (end < 1 || !AFTER.test(plain.slice(end + 1)))
		return plain;
	let depth = 0;

	for (let at = end; at >= 0; at--) {
		depth += plain[at] === ')' ? 1 : plain[at] === '(' ? -1 : 0;
		if (depth === 0)
			return /[\w>\])}$+*/%^&|~!=<,-]$/.test(plain.slice(0, at)) && !/\boperator$/.test(plain.slice(0, at))
				? plain.slice(0, at) : plain;
	}
	return plain;
}

/* Closures of Go and numbers say nothing alone. */
const ALONE = /^(?:func\d+|\d)/;

/*
 * Where the parts of a name begin: after "::", "." and "/" outside of brackets, before a
 * letter or a bracket. The arguments of "fold::<T>" in Rust are no part.
 */
function partsOf(name) {
	const begins = [0];
	let depth = 0;

	for (let i = 0; i < name.length; i++) {
		const c = name[i];

		if ('([{<'.includes(c))
			depth++;
		else if (')]}>'.includes(c))
			depth = Math.max(0, depth - 1);
		else if (depth === 0 && ((c === ':' && name[i - 1] === ':') || c === '.' || c === '/') &&
		    /[\w~$({<@]/.test(name[i + 1] || '') && !ALONE.test(name.slice(i + 1)) &&
		    !(name[i + 1] === '<' && name.endsWith('>')))
			begins.push(i + 1);
	}
	return begins;
}

/* The package, namespace or class of a function; '' if its name has none. */
function qualifier(name) {
	const bare = bareName(name), last = partsOf(bare).at(-1);

	return last ? bare.slice(0, last).replace(/(?:::|[./])$/, '') : '';
}

/* The package of Go, or the outermost namespace; '' if the name has none. */
function packageOf(name) {
	return qualifier(name).replace(/(?:<|::|\.\()[^]*/, '').replace(/[^]* /, '')
		.replace(/(\/[^./]*)\.[^/]*$/, '$1'); /* a type of a package */
}

/* The mark of a function that calls itself, "'2" in profiles of Callgrind. */
const MARK = /'\d+$/;

/* An operator's brackets enclose nothing. */
const OPERATOR = /^operator[<>=-]*/;

/*
 * Without the type in front that functions of C++ templates have: "ns::f<int>" of
 * "void ns::f<int>".
 */
function untyped(name) {
	let begin = 0, depth = 0;

	for (let i = 0; i < name.length && !OPERATOR.test(name.slice(i, i + 8)); i++)
		if ('([{<'.includes(name[i]))
			depth++;
		else if (')]}>'.includes(name[i]))
			depth = Math.max(0, depth - 1);
		else if (name[i] === ' ' && depth === 0)
			begin = i + 1;
	return name.slice(begin);
}

/* Dots in place of a text; fewer bytes than they have stay. */
function dotted(text) {
	return /^(?:[\0-\x7f]{0,2}|[\x80-\u07ff])$/.test(text) ? text : '\u2026';
}

/*
 * Dots stand for arguments of templates, and for those of Go in brackets: "map<...>::find".
 * A bracket that begins the name holds the type of a method in Rust, and stays.
 * Inside of arguments all brackets count.
 */
function withoutArguments(name) {
	let depth = 0, begin = 0, text = '';

	for (let i = 0; i < name.length; i++) {
		const c = name[i], operator = depth === 0 && c === 'o' && OPERATOR.exec(name.slice(i, i + 16));

		if (operator) {
			text += operator[0];
			i += operator[0].length - 1;
			continue;
		}
		if ((c === '>' || c === ']') && depth > 0 && name[i - 1] !== '-' && --depth === 0)
			text += dotted(name.slice(begin, i));
		if (depth === 0)
			text += c;
		if (i > 0 && (c === '<' || (c === '[' && (depth > 0 || /\w/.test(name[i - 1])))) && depth++ === 0)
			begin = i + 1;
	}
	/* Some names end before their brackets do. */
	return depth === 0 ? text : text + dotted(name.slice(begin));
}

/* A name, and what is left of it in less and less room. */
function shorterNames(name) {
	const mark = (MARK.exec(name) || [''])[0], bare = bareName(name.slice(0, name.length - mark.length));
	const plain = untyped(bare);

	return [name, bare + mark, plain + mark, withoutArguments(plain) + mark];
}

/*
 * As much of a name as fits into that many letters; sizeOf(text): what counts as
 * its letters.
 */
function shortName(name, room, sizeOf = (text) => text.length) {
	if (sizeOf(name) <= room)
		return name;

	const shorter = shorterNames(name), whole = shorter.find((text) => sizeOf(text) <= room);

	if (whole !== undefined)
		return whole;

	const least = shorter[3], begins = partsOf(least), at = begins.find((i) => sizeOf(least.slice(i)) <= room);

	if (at !== undefined)
		return least.slice(at);

	const last = least.slice(begins.at(-1));
	let length = last.length - 1;

	while (length > 1 && sizeOf(last.slice(0, length) + '\u2026') > room)
		length--;
	return last.slice(0, Math.max(1, length)) + '\u2026';
}

/* Where to break a line of that many letters, between parts; 0: nowhere. */
function partBreak(text, room) {
	const part = /::|[./](?!\d)/y;
	let best = 0, depth = 0;

	for (let i = 0; i <= room && i < text.length; i++) {
		part.lastIndex = i;
		if (depth === 0 && part.test(text))
			best = i;
		depth += '([{<'.includes(text[i]) ? 1 : ')]}>'.includes(text[i]) && depth ? -1 : 0;
	}
	return best > room / 3 ? best : 0;
}

/* The same in at most two lines of that many letters. */
function fitName(name, room) {
	if (name.length <= room)
		return [name];

	const shorter = shorterNames(name).slice(1);

	for (const text of shorter) {
		const at = text.length > room ? partBreak(text, room) : text.length;

		if (at && text.length - at <= room)
			return [text.slice(0, at), text.slice(at)].filter((line) => line);
	}

	const least = shorter[2], head = least.slice(0, room + 1);
	const any = Math.max(head.lastIndexOf('::'), head.lastIndexOf('.'), head.lastIndexOf('/'),
		head.lastIndexOf('<'), head.lastIndexOf(' '), head.lastIndexOf('_'));
	const cut = partBreak(least, room) || (any > room / 3 ? any : room), rest = least.slice(cut);

	/* The end says more than the middle. */
	return [least.slice(0, cut), rest.length > room ? '\u2026' + rest.slice(1 - room) : rest];
}
