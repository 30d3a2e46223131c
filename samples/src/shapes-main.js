const { sum } = require('./lib/shapes');

console.log(sum([{ kind: 'circle', size: 1 }, { kind: 'line', size: 2 }, null]));
