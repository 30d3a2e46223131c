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
for (const [name, all] of [['void std::sort<a::b>(int)', 'std'], ['app::T::f(std::x)', 'app'], ['a/b.(*T).run', 'a/b'],
	['github.com/a/b.U.run', 'github.com/a/b'], ['runtime.mallocgc', 'runtime'], ['main', '']])
	is(packageOf(name), all);
for (const [name, room, short] of [
	['java.util.ComparableTimSort.mergeHi', 40, 'java.util.ComparableTimSort.mergeHi'],
	['java.util.ComparableTimSort.mergeHi', 26, 'ComparableTimSort.mergeHi'],
	['java.util.ComparableTimSort.mergeHi', 10, 'mergeHi'],
	['java.util.ComparableTimSort.mergeHi', 5, 'merg\u2026'],
	['encoding/json.(*decodeState).object', 30, 'json.(*decodeState).object'],
	['testing.(*B).RunParallel.func1', 20, 'RunParallel.func1'],
	['ns::f(int, char)', 8, 'ns::f'],
	['f.part.0', 7, 'f'],
	['app::Table<std::pair<int, long> >::put(std::string)', 40, 'app::Table<std::pair<int, long> >::put'],
	['app::Table<std::pair<int, long> >::put(std::string)', 30, 'app::Table<\u2026>::put'],
	['app::Table<std::pair<int, long> >::put(std::string)', 17, 'Table<\u2026>::put'],
	['app::Table<std::pair<int, long> >::put(std::string)', 13, 'Table<\u2026>::put'],
	['app::Table<std::pair<int, long> >::put(std::string)', 12, 'put'],
	['void sort<std::less<int>, int>(int*)', 25, 'sort<std::less<int>, int>'],
	['void sort<std::less<int>, int>(int*)', 24, 'sort<\u2026>'],
	['void sort<std::less<int>, int>(int*)', 6, 'sort<\u2026'],
	["app::fact(char const*&, int)'2", 20, "app::fact'2"],
	["app::fact(char const*&, int)'2", 8, "fact'2"],
	['std::ostream& operator<< <char, int>(int)', 20, 'operator<< <\u2026>'],
	['A::operator->() const', 14, 'A::operator->'],
	['std::State_impl<std::_Invoker<std::tuple<void', 40, 'std::State_impl<\u2026'],
	['f<i>::g(int)', 9, 'f<i>::g'],
	['<Map<A,B> as core::Iterator>::fold::<Closure>', 40, '<Map<\u2026> as core::Iterator>::fold::<\u2026>'],
	['<Map<A,B> as core::Iterator>::fold::<Closure>', 12, 'fold::<\u2026>'],
	['<Map<A,B> as core::Iterator>::fold::<Closure>', 6, 'fold:\u2026'],
	['json.(*decodeState).store[go.shape.int]', 30, 'json.(*decodeState).store[\u2026]'],
])
	is(shortName(name, room), short);
/* Letters may be as wide as they are drawn. */
is(shortName('a::bcd(int)', 20, (text) => text.length * 5), 'bcd');
is(shortName('abcdef', 20, (text) => text.length * 5), 'abc\u2026');
for (const [name, room, ...lines] of [
	['testing.(*B).RunParallel.func1', 20, 'testing.(*B)', '.RunParallel.func1'],
	['ns::f(int)', 8, 'ns::f'],
	['std::vector<int, std::allocator<int> >::push_back(int const&)', 40,
		'std::vector<int, std::allocator<int> >', '::push_back'],
	['std::vector<int, std::allocator<int> >::push_back(int const&)', 30, 'std::vector<\u2026>::push_back'],
	['std::vector<int, std::allocator<int> >::push_back(int const&)', 20, 'std::vector<\u2026>', '::push_back'],
	['name_of_a_long_function_in_c', 14, 'name_of_a_long', '_function_in_c'],
])
	is(fitName(name, room), lines);
console.log('right');
