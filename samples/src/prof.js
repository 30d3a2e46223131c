// prof.js - what node's profilers see: methods and functions of one name,
// recursion in a circle, garbage.
class A { run(n) { return fib(n) } }
class B { run(n) { return new A().run(n - 1) + words(n) } }
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
function even(n) { return n === 0 ? true : odd(n - 1) }
function odd(n) { return n === 0 ? false : even(n - 1) }
function words(n) {
	const all = []
	for (let i = 0; i < 2000 * n; i++)
		all.push('w' + (i * 7919) % 1009)
	return all.sort((a, b) => a < b ? -1 : 1).length
}
let sum = 0
for (let i = 0; i < 8; i++)
	sum += new A().run(22) + new B().run(14) + even(3000)
console.log(sum)
