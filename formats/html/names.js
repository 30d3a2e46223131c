/*
 * names.js - names of functions in little room: without parameters, then without
 * what they are in, from the left.
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
 * letter or a bracket.
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
		    /[\w~$({<@]/.test(name[i + 1] || '') && !ALONE.test(name.slice(i + 1)))
			begins.push(i + 1);
	}
	return begins;
}

/* The package, namespace or class of a function; '' if its name has none. */
function qualifier(name) {
	const bare = bareName(name), last = partsOf(bare).at(-1);

	return last ? bare.slice(0, last).replace(/(?:::|[./])$/, '') : '';
}

/* As much of a name as fits into that many letters. */
function shortName(name, room) {
	if (name.length <= room)
		return name;

	const bare = bareName(name), begins = partsOf(bare), at = begins.find((i) => bare.length - i <= room);

	if (at !== undefined)
		return bare.slice(at);
	return bare.slice(begins.at(-1)).slice(0, Math.max(1, room - 1)) + '\u2026';
}

/* The same in at most two lines of that many letters. */
function fitName(name, room) {
	const bare = name.length > room ? bareName(name) : name;

	if (bare.length <= room)
		return [bare];

	const head = bare.slice(0, room + 1);
	const at = Math.max(head.lastIndexOf('::'), head.lastIndexOf('.'), head.lastIndexOf('/'),
		head.lastIndexOf('<'), head.lastIndexOf(' '), head.lastIndexOf('_'));
	const cut = at > room / 3 ? at : room, rest = bare.slice(cut);

	/* The end says more than the middle. */
	return [bare.slice(0, cut), rest.length > room ? '\u2026' + rest.slice(1 - room) : rest];
}
