// cover.js - what Istanbul counts: statements, functions, branches.
'use strict'
function classify(n, low = 0) {
	if (n < low) return 'low'; else if (n > 100 && n % 2 === 0)
		return 'high'
	switch (n) {
	case 1: return 'one'
	case 2:
	default:
	}
	return n > 5 ? 'big' : 'small'
}
class Shape {
	area(side) { return side * side }
	never() { return 0 }
}
const twice = (list) => list.map(n => n * 2)
let sum = 0; for (let i = 0; i < 7; i++) sum += classify(i).length
sum += new Shape().area(3) || sum
console.log(twice([sum]), [1, 2].map((n) => n))
