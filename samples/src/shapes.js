// shapes.js - functions, an if, a switch and ?: for a report of coverage.
function area(shape) {
	switch (shape.kind) {
	case 'circle': return 3 * shape.size * shape.size;
	case 'square': return shape.size * shape.size;
	default: return 0;
	}
}

function sum(shapes) {
	let total = 0;
	for (const s of shapes)
		if (s && s.size > 0)
			total += area(s);
	return total;
}

function never(n) {
	return n > 0 ? n : -n;
}

module.exports = { sum, never };
