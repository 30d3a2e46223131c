/*
 * names.js - tests formats/html/names.js, which comes before it in one script.
 */

function is(got, want) {
	if (JSON.stringify(got) !== JSON.stringify(want))
		throw new Error(JSON.stringify(got) + ' is not ' + JSON.stringify(want));
}

for (const [name, bare, qualified] of [
	['f', 'f', ''],
	['ns::A::f(int, char (*)(long)) const', 'ns::A::f', 'ns::A'],
	['ns::f(int) [clone .cold]', 'ns::f', 'ns'],
	['(anonymous namespace)::f(int)', '(anonymous namespace)::f', '(anonymous namespace)'],
	['a::(anonymous namespace)::f()', 'a::(anonymous namespace)::f', 'a::(anonymous namespace)'],
	['A::operator()(int) const', 'A::operator()', 'A'],
	['A::operator()', 'A::operator()', 'A'],
	['A::operator<<(int)', 'A::operator<<', 'A'],
	['f(int)::{lambda(int)#1}::operator()(int)', 'f(int)::{lambda(int)#1}::operator()', 'f(int)::{lambda(int)#1}'],
	['std::map<int, a::b>::find(int)', 'std::map<int, a::b>::find', 'std::map<int, a::b>'],
	['encoding/json.(*decodeState).object', 'encoding/json.(*decodeState).object', 'encoding/json.(*decodeState)'],
	['testing.(*B).RunParallel.func1', 'testing.(*B).RunParallel.func1', 'testing.(*B)'],
	['java.util.Arrays.sort(Object[])', 'java.util.Arrays.sort', 'java.util.Arrays'],
	['f.constprop.0', 'f', ''],
	['f.isra.3.constprop.1.cold', 'f', ''],
	['f.llvm.12345678901234567890', 'f', ''],
	['f.lto_priv.0.cold.2', 'f', ''],
	['com.part.Foo', 'com.part.Foo', 'com.part'],
	['com.llvm.Bar.run', 'com.llvm.Bar.run', 'com.llvm.Bar'],
	['java.pkg.part', 'java.pkg.part', 'java.pkg'],
	['a.part.0.b', 'a.part.0.b', 'a.part.0'],
	['(anonymous)', '(anonymous)', ''],
	['render (app.js:12)', 'render (app.js:12)', ''],
	['[libc.so.6]', '[libc.so.6]', ''],
]) {
	is(bareName(name), bare);
	is(qualifier(name), qualified);
}
for (const [name, room, short] of [
	['java.util.ComparableTimSort.mergeHi', 40, 'java.util.ComparableTimSort.mergeHi'],
	['java.util.ComparableTimSort.mergeHi', 26, 'ComparableTimSort.mergeHi'],
	['java.util.ComparableTimSort.mergeHi', 10, 'mergeHi'],
	['java.util.ComparableTimSort.mergeHi', 5, 'merg\u2026'],
	['encoding/json.(*decodeState).object', 30, 'json.(*decodeState).object'],
	['testing.(*B).RunParallel.func1', 20, 'RunParallel.func1'],
	['ns::f(int, char)', 8, 'ns::f'],
	['f.part.0', 7, 'f'],
])
	is(shortName(name, room), short);
is(fitName('testing.(*B).RunParallel.func1', 20), ['testing.(*B)', '.RunParallel.func1']);
console.log('right');
